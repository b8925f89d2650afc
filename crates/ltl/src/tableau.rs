//! From a formula to an automaton: one step of a formula at a time, after Couvreur (1999).
//!
//! A formula is turned into a boolean function of what is true now, of what must hold next, and of what is put off:
//! `a U b` is `b`, or `a` now and `a U b` next while `b` is put off. The valuations that leave the same demands belong to
//! one label; each least set of demands is a successor. Putting `b` off is what must not happen for ever: an edge has
//! the mark of `b` unless it puts `b` off. States whose functions are equal are one state.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::budget::{Budget, TooLarge};
use crate::formula::ATOMS_MAX;
use crate::graph::{Arc, Graph};
use crate::nnf::{Nnf, Shape, Table};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More kinds of letters in one state are too many.
const PARTS_MAX: usize = 10_000;

/// What a variable behind the atoms stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Demand {
    /// This must hold next.
    Next(Nnf),
    /// This is awaited, and put off.
    PutOff(Nnf),
}

struct Tableau<'a> {
    table: &'a Table,
    bdds: &'a mut Bdds,
    demands: Vec<Demand>,
    variables: FxHashMap<Demand, u32>,
    /// The function of each formula.
    functions: FxHashMap<Nnf, Bdd>,
    /// What is awaited by some `U`; the mark is the place.
    awaited: Vec<Nnf>,
    splits: FxHashMap<Bdd, Rc<[(Bdd, Bdd)]>>,
    least: FxHashMap<Bdd, Vec<Vec<u32>>>,
    states: FxHashMap<Bdd, usize>,
    /// The state of each set of formulas, in the order of their variables.
    sets: FxHashMap<Vec<Nnf>, usize>,
    open: Vec<(usize, Bdd)>,
}

/// The automaton of a formula, as the construction gives it.
pub(crate) fn tableau(
    formula: Nnf,
    table: &Table,
    bdds: &mut Bdds,
    budget: &Budget,
) -> Result<Graph, TooLarge> {
    let mut tableau = Tableau {
        table,
        bdds,
        demands: Vec::new(),
        variables: FxHashMap::default(),
        functions: FxHashMap::default(),
        awaited: Vec::new(),
        splits: FxHashMap::default(),
        least: FxHashMap::default(),
        states: FxHashMap::default(),
        sets: FxHashMap::default(),
        open: Vec::new(),
    };
    tableau.build(formula, budget)
}

impl Tableau<'_> {
    fn build(&mut self, formula: Nnf, budget: &Budget) -> Result<Graph, TooLarge> {
        // What each arc puts off; marks are known when all states are.
        let mut arcs: Vec<Vec<(usize, u64, Bdd)>> = Vec::new();
        let initial = self.state(vec![formula]);
        let mut count = 0;
        while let Some((state, function)) = self.open.pop() {
            let mut successors = Vec::new();
            for (demands, label) in self.split(function)?.iter().copied() {
                for set in self.least_sets(demands, budget)? {
                    let mut next = Vec::new();
                    let mut put_off = 0;
                    for variable in set {
                        match self.demands[(variable - ATOMS_MAX) as usize] {
                            Demand::Next(f) => next.push(f),
                            Demand::PutOff(f) => put_off |= 1 << self.mark(f)?,
                        }
                    }
                    budget.check_bdds(self.bdds)?;
                    successors.push((self.state(next), put_off, label));
                }
            }
            count += successors.len();
            Budget::check("edges", count, budget.edges)?;
            Budget::check("states", self.states.len(), budget.states)?;
            budget.check_bdds(self.bdds)?;
            arcs.resize(self.states.len(), Vec::new());
            arcs[state] = successors;
        }
        let marks = self.awaited.len() as u32;
        let all = Marks::first(marks).0;
        let arcs = arcs.into_iter().map(|arcs| {
            let arcs = arcs.into_iter();
            arcs.map(|(target, put_off, label)| Arc { target, marks: Marks(all & !put_off), label }).collect()
        });
        let mut graph = Graph { marks, initial, arcs: arcs.collect() };
        graph.merge_arcs(self.bdds);
        Ok(graph)
    }

    /// The state in which formulas must hold; a new one is left for later. A formula that others imply stays: what it
    /// puts off would be forgotten without it.
    fn state(&mut self, formulas: Vec<Nnf>) -> usize {
        if let Some(known) = self.sets.get(&formulas) {
            return *known;
        }
        let function = formulas.iter().fold(Bdd::TRUE, |all, formula| {
            let function = self.function(*formula);
            self.bdds.and(all, function)
        });
        let new = self.states.len();
        let state = *self.states.entry(function).or_insert(new);
        if state == new {
            self.open.push((new, function));
        }
        self.sets.insert(formulas, state);
        state
    }

    fn mark(&mut self, awaited: Nnf) -> Result<u32, TooLarge> {
        let known = self.awaited.iter().position(|known| *known == awaited);
        let mark = known.unwrap_or_else(|| {
            self.awaited.push(awaited);
            self.awaited.len() - 1
        });
        Budget::check("acceptance marks", mark + 1, u64::BITS as usize)?;
        Ok(mark as u32)
    }

    fn demand(&mut self, demand: Demand) -> Bdd {
        let variable = *self.variables.entry(demand).or_insert_with(|| {
            self.demands.push(demand);
            ATOMS_MAX + self.demands.len() as u32 - 1
        });
        self.bdds.variable(variable)
    }

    /// A conjunction is several demands, so that states that share some of them share their work.
    fn next(&mut self, formula: Nnf) -> Bdd {
        match self.table.shape(formula).clone() {
            Shape::Constant(true) => Bdd::TRUE,
            Shape::Constant(false) => Bdd::FALSE,
            Shape::And(operands) => operands.into_iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.demand(Demand::Next(operand));
                self.bdds.and(all, operand)
            }),
            _ => self.demand(Demand::Next(formula)),
        }
    }

    fn function(&mut self, formula: Nnf) -> Bdd {
        if let Some(known) = self.functions.get(&formula) {
            return *known;
        }
        let function = match self.table.shape(formula).clone() {
            Shape::Constant(truth) => {
                if truth {
                    Bdd::TRUE
                } else {
                    Bdd::FALSE
                }
            }
            Shape::Literal(atom, truth) => {
                let atom = self.bdds.variable(atom);
                if truth { atom } else { self.bdds.not(atom) }
            }
            Shape::And(operands) => operands.into_iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.function(operand);
                self.bdds.and(all, operand)
            }),
            Shape::Or(operands) => operands.into_iter().fold(Bdd::FALSE, |any, operand| {
                let operand = self.function(operand);
                self.bdds.or(any, operand)
            }),
            Shape::Next(a) => self.next(a),
            Shape::Until(a, b) => {
                let (now, left) = (self.function(b), self.function(a));
                let (again, put_off) = (self.next(formula), self.demand(Demand::PutOff(b)));
                let later = self.bdds.and(again, put_off);
                let later = self.bdds.and(left, later);
                self.bdds.or(now, later)
            }
            Shape::Release(a, b) => {
                let (released, right) = (self.function(a), self.function(b));
                let again = self.next(formula);
                let either = self.bdds.or(released, again);
                self.bdds.and(right, either)
            }
        };
        self.functions.insert(formula, function);
        function
    }

    /// The different functions of demands that valuations of the atoms lead to, each with the valuations that do.
    fn split(&mut self, function: Bdd) -> Result<Rc<[(Bdd, Bdd)]>, TooLarge> {
        let (variable, low, high) = self.bdds.branches(function);
        if function == Bdd::FALSE {
            return Ok(Rc::new([]));
        }
        if variable >= ATOMS_MAX {
            return Ok(Rc::new([(function, Bdd::TRUE)]));
        }
        if let Some(known) = self.splits.get(&function) {
            return Ok(known.clone());
        }
        let (low, high) = (self.split(low)?, self.split(high)?);
        let mut when_high: FxHashMap<Bdd, Bdd> = high.iter().copied().collect();
        let mut parts = Vec::with_capacity(low.len() + high.len());
        for (demands, when_low) in low.iter() {
            let when_high = when_high.remove(demands).unwrap_or(Bdd::FALSE);
            parts.push((*demands, self.bdds.node(variable, *when_low, when_high)));
        }
        for (demands, _) in high.iter() {
            if let Some(when_high) = when_high.remove(demands) {
                parts.push((*demands, self.bdds.node(variable, Bdd::FALSE, when_high)));
            }
        }
        Budget::check("successors of a state", parts.len(), PARTS_MAX)?;
        let parts: Rc<[(Bdd, Bdd)]> = parts.into();
        self.splits.insert(function, parts.clone());
        Ok(parts)
    }

    /// The least sets of demands that make a function true. Demands occur only positively in it, so that these are its
    /// prime implicants.
    fn least_sets(&mut self, function: Bdd, budget: &Budget) -> Result<Vec<Vec<u32>>, TooLarge> {
        match function {
            Bdd::FALSE => return Ok(Vec::new()),
            Bdd::TRUE => return Ok(vec![Vec::new()]),
            _ => {}
        }
        if let Some(known) = self.least.get(&function) {
            return Ok(known.clone());
        }
        let (variable, low, high) = self.bdds.branches(function);
        let mut sets = self.least_sets(low, budget)?;
        for set in self.least_sets(high, budget)? {
            if !self.suffices(low, &set) {
                sets.push([vec![variable], set].concat());
            }
        }
        Budget::check("edges", sets.len(), budget.edges)?;
        self.least.insert(function, sets.clone());
        Ok(sets)
    }

    /// Is the function true if exactly these demands are met?
    fn suffices(&self, function: Bdd, met: &[u32]) -> bool {
        let mut at = function;
        while !at.is_constant() {
            let (variable, low, high) = self.bdds.branches(at);
            at = if met.contains(&variable) { high } else { low };
        }
        at == Bdd::TRUE
    }
}
