//! Formulas in negation normal form, each stored once, and simplified as they are built.
//!
//! Only literals, conjunctions, disjunctions, `X`, `U` and `R` are left; `<> f` is `true U f` and `[] f` is
//! `false R f`. Every formula has its dual in the table, so that each rule is written for one side only: conjunctions are
//! built as duals of disjunctions, and `R` as the dual of `U`. The rules are those of Etessami and Holzmann (2000) and of
//! Somenzi and Bloem (2000): they keep the language and make no formula larger.

use crate::formula::Formula;
use rustc_hash::FxHashMap;

/// A formula of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Nnf(u32);

pub(crate) const FALSE: Nnf = Nnf(0);
pub(crate) const TRUE: Nnf = Nnf(1);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Constant(bool),
    Literal(u32, bool),
    /// Sorted, at least two.
    And(Vec<Nnf>),
    Or(Vec<Nnf>),
    Next(Nnf),
    Until(Nnf, Nnf),
    Release(Nnf, Nnf),
}

struct Entry {
    shape: Shape,
    /// A word has it if one of its suffixes has it.
    eventual: bool,
    /// If a word has it, so have all its suffixes.
    universal: bool,
    dual: Option<Nnf>,
}

pub(crate) struct Table {
    entries: Vec<Entry>,
    numbers: FxHashMap<Shape, Nnf>,
    pub(crate) implications: FxHashMap<(Nnf, Nnf), bool>,
}

impl Table {
    pub fn new() -> Table {
        let mut table =
            Table { entries: Vec::new(), numbers: FxHashMap::default(), implications: FxHashMap::default() };
        let (no, yes) = (table.intern(Shape::Constant(false)), table.intern(Shape::Constant(true)));
        assert_eq!((no, yes), (FALSE, TRUE));
        table
    }

    pub fn shape(&self, f: Nnf) -> &Shape {
        &self.entries[f.0 as usize].shape
    }

    pub fn is_eventual(&self, f: Nnf) -> bool {
        self.entries[f.0 as usize].eventual
    }

    pub fn is_universal(&self, f: Nnf) -> bool {
        self.entries[f.0 as usize].universal
    }

    /// A word has it exactly if all its suffixes have it, and if any has.
    pub fn is_suspendable(&self, f: Nnf) -> bool {
        self.is_eventual(f) && self.is_universal(f)
    }

    /// The formula without operators that are abbreviations.
    pub fn import(&mut self, formula: &Formula) -> Nnf {
        match formula {
            Formula::True => TRUE,
            Formula::False => FALSE,
            Formula::Atom(atom) => self.literal(atom.0, true),
            Formula::Not(a) => {
                let a = self.import(a);
                self.not(a)
            }
            Formula::Next(a) => {
                let a = self.import(a);
                self.next(a)
            }
            Formula::Always(a) => {
                let a = self.import(a);
                self.release(FALSE, a)
            }
            Formula::Eventually(a) => {
                let a = self.import(a);
                self.until(TRUE, a)
            }
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equiv(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => {
                let (a, b) = (self.import(a), self.import(b));
                self.binary(formula, a, b)
            }
        }
    }

    fn binary(&mut self, operator: &Formula, a: Nnf, b: Nnf) -> Nnf {
        match operator {
            Formula::And(..) => self.and(vec![a, b]),
            Formula::Or(..) => self.or(vec![a, b]),
            Formula::Until(..) => self.until(a, b),
            Formula::Release(..) => self.release(a, b),
            Formula::WeakUntil(..) => {
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
            Formula::Implies(..) => {
                let not_a = self.not(a);
                self.or(vec![not_a, b])
            }
            _ => {
                let (not_a, not_b) = (self.not(a), self.not(b));
                let (both, neither) = (self.and(vec![a, b]), self.and(vec![not_a, not_b]));
                self.or(vec![both, neither])
            }
        }
    }

    pub fn literal(&mut self, atom: u32, truth: bool) -> Nnf {
        self.intern(Shape::Literal(atom, truth))
    }

    /// The negation.
    pub fn not(&mut self, f: Nnf) -> Nnf {
        if let Some(known) = self.entries[f.0 as usize].dual {
            return known;
        }
        let shape = match self.shape(f).clone() {
            Shape::Constant(truth) => Shape::Constant(!truth),
            Shape::Literal(atom, truth) => Shape::Literal(atom, !truth),
            Shape::And(operands) => Shape::Or(self.all_not(operands)),
            Shape::Or(operands) => Shape::And(self.all_not(operands)),
            Shape::Next(a) => Shape::Next(self.not(a)),
            Shape::Until(a, b) => Shape::Release(self.not(a), self.not(b)),
            Shape::Release(a, b) => Shape::Until(self.not(a), self.not(b)),
        };
        let dual = self.intern(shape);
        self.entries[f.0 as usize].dual = Some(dual);
        self.entries[dual.0 as usize].dual = Some(f);
        dual
    }

    fn all_not(&mut self, operands: Vec<Nnf>) -> Vec<Nnf> {
        let mut duals: Vec<Nnf> = operands.into_iter().map(|operand| self.not(operand)).collect();
        duals.sort_unstable();
        duals
    }

    pub fn and(&mut self, operands: Vec<Nnf>) -> Nnf {
        let duals = self.all_not(operands);
        let either = self.or(duals);
        self.not(either)
    }

    pub fn release(&mut self, a: Nnf, b: Nnf) -> Nnf {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let until = self.until(not_a, not_b);
        self.not(until)
    }

    /// Stores a formula as it is.
    pub(crate) fn intern(&mut self, shape: Shape) -> Nnf {
        if let Some(known) = self.numbers.get(&shape) {
            return *known;
        }
        let all = |operands: &[Nnf], is: fn(&Table, Nnf) -> bool| operands.iter().all(|f| is(self, *f));
        let (eventual, universal) = match &shape {
            Shape::Constant(_) => (true, true),
            Shape::Literal(..) => (false, false),
            Shape::And(operands) | Shape::Or(operands) => {
                (all(operands, Table::is_eventual), all(operands, Table::is_universal))
            }
            Shape::Next(a) => (self.is_eventual(*a), self.is_universal(*a)),
            Shape::Until(a, b) => (*a == TRUE || self.is_eventual(*b), all(&[*a, *b], Table::is_universal)),
            Shape::Release(a, b) => {
                (all(&[*a, *b], Table::is_eventual), *a == FALSE || self.is_universal(*b))
            }
        };
        let new = Nnf(self.entries.len() as u32);
        self.entries.push(Entry { shape: shape.clone(), eventual, universal, dual: None });
        self.numbers.insert(shape, new);
        new
    }
}
