//! The way from a formula to a small automaton.
//!
//! The tableaux of the formula and of its negation are reduced by simulation. If the property is an obligation, the
//! smallest weak deterministic automaton competes. What has fewest states in the end is the answer.

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::budget::{Budget, TooLarge};
use crate::formula::{ATOMS_MAX, Formula};
use crate::graph::Graph;
use crate::nnf::{Nnf, Table};
use crate::obligation::weak_deterministic;
use crate::parser::HEIGHT_MAX;
use crate::simulation::Acceptance;
use crate::tableau::tableau;

/// The automaton of the negation only helps; where it needs more than that, it is done without.
const COMPLEMENT: Budget = Budget { states: 500, edges: 20_000, nodes: 200_000 };

/// A small automaton that accepts exactly the words with the formula: generalised Büchi, marks on transitions.
pub fn translate(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let mut translation = Translation::new(formula, budget)?;
    let graph = translation.generalised();
    translation.finish(graph)
}

/// A small automaton that accepts exactly the words with the formula, and whose states are accepting or not.
pub fn translate_to_buchi(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let mut translation = Translation::new(formula, budget)?;
    let graph = translation.state_based();
    translation.finish(graph)
}

impl Automaton {
    /// An automaton with the same language whose states are accepting or not; one that has such states stays as it is.
    pub fn to_buchi(&self, budget: &Budget) -> Result<Automaton, TooLarge> {
        if self.is_state_based() {
            return Ok(self.clone());
        }
        let mut bdds = Bdds::new(budget.nodes);
        let mut graph = Graph::from_automaton(self, &mut bdds);
        graph.simplify(Acceptance::Arcs);
        let order: Vec<u32> = (0..graph.marks).collect();
        let mut counted = graph.degeneralise(&order, &mut bdds);
        counted.reduce_by_simulation(Acceptance::States, &mut bdds);
        counted.to_automaton(self.atoms(), &mut bdds, budget)
    }
}

struct Translation {
    atoms: u32,
    budget: Budget,
    bdds: Bdds,
    /// Reduced, but generalised.
    tableau: Graph,
    /// The same for the negation, if that is not too large.
    complement: Option<Graph>,
    obligation: Option<Graph>,
}

impl Translation {
    fn new(formula: &Formula, budget: &Budget) -> Result<Translation, TooLarge> {
        let atoms = formula.atom_count();
        Budget::check("atoms", atoms as usize, ATOMS_MAX as usize)?;
        let height = formula.subformulas().map(|(_, depth)| depth).max().unwrap_or(0);
        Budget::check("nested operators", height, HEIGHT_MAX)?;
        let mut table = Table::new();
        let mut bdds = Bdds::new(budget.nodes);
        let formula = table.import(formula);
        let negation = table.not(formula);
        let graph = reduced(tableau(formula, &table, &mut bdds, budget)?, &mut bdds);
        budget.check_bdds(&bdds)?;
        let complement = complement(negation, &table, atoms, &mut bdds);
        let obligation =
            complement.as_ref().and_then(|complement| weak_deterministic(&graph, complement, &mut bdds));
        Ok(Translation { atoms, budget: *budget, bdds, tableau: graph, complement, obligation })
    }

    /// The candidate with fewest states.
    fn generalised(&mut self) -> Graph {
        let obligation = self.obligation.clone().map(|graph| reduced(graph, &mut self.bdds));
        let mut candidates = vec![self.tableau.clone()];
        candidates.extend(obligation);
        candidates.iter_mut().for_each(|graph| self.merge(graph, Acceptance::Arcs));
        smallest(candidates)
    }

    fn state_based(&mut self) -> Graph {
        let mut merged = self.tableau.clone();
        self.merge(&mut merged, Acceptance::Arcs);
        let mut finalists = Vec::new();
        for graph in [&self.tableau, &merged] {
            let mut candidates = Vec::new();
            for order in orders(graph.marks) {
                let mut counted = graph.degeneralise(&order, &mut self.bdds);
                counted.reduce_by_simulation(Acceptance::States, &mut self.bdds);
                candidates.push(counted);
            }
            finalists.push(smallest(candidates));
        }
        if let Some(mut obligation) = self.obligation.clone() {
            obligation.reduce_by_simulation(Acceptance::States, &mut self.bdds);
            finalists.push(obligation);
        }
        finalists.sort_by_key(Graph::len);
        let mut best: Option<usize> = None;
        for graph in &mut finalists {
            // Merging takes long for large automata, and hardly makes them the smallest.
            if best.is_none_or(|best| graph.len() <= 2 * best) {
                self.merge(graph, Acceptance::States);
            }
            best = Some(best.map_or(graph.len(), |best| best.min(graph.len())));
        }
        smallest(finalists)
    }

    fn merge(&mut self, graph: &mut Graph, acceptance: Acceptance) {
        if let Some(complement) = &self.complement {
            graph.merge_states(complement, acceptance, &mut self.bdds);
        }
    }

    fn finish(mut self, graph: Graph) -> Result<Automaton, TooLarge> {
        graph.to_automaton(self.atoms, &mut self.bdds, &self.budget)
    }
}

/// The orders in which marks may be counted: all for few marks, else one.
fn orders(marks: u32) -> Vec<Vec<u32>> {
    let mut orders = vec![Vec::new()];
    for mark in 0..marks {
        let tried = if marks <= 3 { 0..=mark as usize } else { mark as usize..=mark as usize };
        let longer = orders.iter().flat_map(|order: &Vec<u32>| {
            tried.clone().map(move |at| {
                let mut order = order.clone();
                order.insert(at, mark);
                order
            })
        });
        orders = longer.collect();
    }
    orders
}

/// The automaton of the negation, unless it is too large. It grows in a table of its own, so that it cannot exhaust the
/// one of the automaton that was asked for.
fn complement(negation: Nnf, table: &Table, atoms: u32, bdds: &mut Bdds) -> Option<Graph> {
    let mut own = Bdds::new(COMPLEMENT.nodes);
    let graph = reduced(tableau(negation, table, &mut own, &COMPLEMENT).ok()?, &mut own);
    let automaton = graph.to_automaton(atoms, &mut own, &COMPLEMENT).ok()?;
    Some(Graph::from_automaton(&automaton, bdds))
}

fn reduced(mut graph: Graph, bdds: &mut Bdds) -> Graph {
    graph.reduce_by_simulation(Acceptance::Arcs, bdds);
    graph
}

fn smallest(candidates: Vec<Graph>) -> Graph {
    let size = |graph: &Graph| (graph.len(), graph.marks, graph.arc_count());
    candidates.into_iter().min_by_key(size).expect("there is the tableau")
}
