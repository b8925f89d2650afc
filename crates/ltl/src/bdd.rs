//! Binary decision diagrams: boolean functions as shared graphs, equal exactly if their numbers are equal.
//!
//! A small package for small functions: labels of automata and one step of a formula. Nothing is ever freed. When there
//! are too many nodes, every further result is `false` and [`Bdds::is_exhausted`] says so: whoever asks for much has to
//! look before using the results.

use crate::automaton::Cube;
use crate::formula::ATOMS_MAX;
use rustc_hash::FxHashMap;

/// A function: a node of [`Bdds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bdd(u32);

impl Bdd {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// The variable of constants, behind all others.
const NO_VARIABLE: u32 = u32::MAX;

/// So many conjunctions take about a second.
const WORK_MAX: u64 = 10_000_000;
/// How many conjunctions are remembered at first: a power of two.
const CONJUNCTIONS: usize = 1 << 14;

pub(crate) struct Bdds {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    /// Conjunctions that were computed lately, each at the place that its operands' numbers give.
    conjunctions: Vec<(Bdd, Bdd, Bdd)>,
    negations: FxHashMap<Bdd, Bdd>,
    nodes_max: usize,
    exhausted: bool,
    work: u64,
}

impl Bdds {
    pub fn new(nodes_max: usize) -> Bdds {
        let constant = |truth| Node { variable: NO_VARIABLE, low: truth, high: truth };
        Bdds {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: FxHashMap::default(),
            conjunctions: vec![(Bdd::FALSE, Bdd::FALSE, Bdd::FALSE); CONJUNCTIONS],
            negations: FxHashMap::default(),
            nodes_max,
            exhausted: false,
            work: 0,
        }
    }

    /// How many conjunctions were asked for.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Enough was done: what only makes an automaton smaller should be left.
    pub fn is_tired(&self) -> bool {
        self.exhausted || self.work > WORK_MAX
    }

    /// There were too many nodes, and results are wrong since then.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.node(variable, Bdd::FALSE, Bdd::TRUE)
    }

    /// The first variable that a function depends on, and the function for each of its values.
    pub fn branches(&self, function: Bdd) -> (u32, Bdd, Bdd) {
        let node = self.nodes[function.0 as usize];
        (node.variable, node.low, node.high)
    }

    /// `high` where the variable is true and `low` where it is false; both speak only of later variables.
    pub fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(known) = self.unique.get(&node) {
            return *known;
        }
        if self.nodes.len() >= self.nodes_max {
            self.exhausted = true;
            return Bdd::FALSE;
        }
        let new = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, new);
        new
    }

    pub fn not(&mut self, f: Bdd) -> Bdd {
        if f.is_constant() {
            return Bdd(1 - f.0);
        }
        if let Some(known) = self.negations.get(&f) {
            return *known;
        }
        let (variable, low, high) = self.branches(f);
        let (low, high) = (self.not(low), self.not(high));
        let result = self.node(variable, low, high);
        self.negations.insert(f, result);
        result
    }

    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let (f, g) = if f <= g { (f, g) } else { (g, f) };
        match (f, g) {
            (Bdd::FALSE, _) => return Bdd::FALSE,
            (Bdd::TRUE, _) => return g,
            _ if f == g => return f,
            // Whatever comes now is wrong, so that it should come soon.
            _ if self.exhausted => return Bdd::FALSE,
            _ => {}
        }
        self.work += 1;
        if self.conjunctions.len() < self.nodes.len() {
            // Too small a memory makes the same work be done again and again.
            self.conjunctions = vec![(Bdd::FALSE, Bdd::FALSE, Bdd::FALSE); 4 * self.conjunctions.len()];
        }
        let mixed = f.0.wrapping_mul(0x9e37_79b1) ^ g.0.wrapping_mul(0x85eb_ca6b);
        let place = (mixed >> 15 ^ mixed) as usize & (self.conjunctions.len() - 1);
        let (known_f, known_g, known) = self.conjunctions[place];
        if (known_f, known_g) == (f, g) {
            return known;
        }
        let variable = self.nodes[f.0 as usize].variable.min(self.nodes[g.0 as usize].variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let (low, high) = (self.and(f0, g0), self.and(f1, g1));
        let result = self.node(variable, low, high);
        if let Some(remembered) = self.conjunctions.get_mut(place) {
            *remembered = (f, g, result);
        }
        result
    }

    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let (f, g) = (self.not(f), self.not(g));
        let neither = self.and(f, g);
        self.not(neither)
    }

    /// `f` and not `g`.
    pub fn without(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let g = self.not(g);
        self.and(f, g)
    }

    fn cofactors(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let (own, low, high) = self.branches(f);
        if own == variable { (low, high) } else { (f, f) }
    }

    /// The function of a conjunction of literals.
    pub fn cube(&mut self, cube: Cube) -> Bdd {
        let mut result = Bdd::TRUE;
        for atom in (0..ATOMS_MAX).rev() {
            result = match (cube.positive >> atom & 1, cube.negative >> atom & 1) {
                (1, 0) => self.node(atom, Bdd::FALSE, result),
                (0, 1) => self.node(atom, result, Bdd::FALSE),
                (0, 0) => result,
                _ => return Bdd::FALSE,
            };
        }
        result
    }

    /// A disjunction of cubes for a function of atoms, none of them needless and none with a needless literal
    /// (Minato's and Morreale's algorithm). None if there are more than `most`, or no more nodes.
    pub fn cubes(&mut self, f: Bdd, most: usize) -> Option<Vec<Cube>> {
        let mut cubes = Vec::new();
        self.cover(f, f, Cube::ANY, most, &mut cubes)?;
        Some(cubes)
    }

    /// Adds cubes that cover `lower` and nothing outside of `upper`, and gives what they cover.
    fn cover(
        &mut self,
        lower: Bdd,
        upper: Bdd,
        path: Cube,
        most: usize,
        cubes: &mut Vec<Cube>,
    ) -> Option<Bdd> {
        if self.exhausted || cubes.len() > most {
            return None;
        }
        if lower == Bdd::FALSE {
            return Some(Bdd::FALSE);
        }
        if upper == Bdd::TRUE {
            cubes.push(path);
            return Some(Bdd::TRUE);
        }
        let variable = self.nodes[lower.0 as usize].variable.min(self.nodes[upper.0 as usize].variable);
        let bit = 1 << variable;
        let (lower0, lower1) = self.cofactors(lower, variable);
        let (upper0, upper1) = self.cofactors(upper, variable);
        // What only a literal of this variable can cover.
        let need0 = self.without(lower0, upper1);
        let path0 = Cube { negative: path.negative | bit, ..path };
        let done0 = self.cover(need0, upper0, path0, most, cubes)?;
        let need1 = self.without(lower1, upper0);
        let path1 = Cube { positive: path.positive | bit, ..path };
        let done1 = self.cover(need1, upper1, path1, most, cubes)?;
        let rest0 = self.without(lower0, done0);
        let rest1 = self.without(lower1, done1);
        let (rest, both) = (self.or(rest0, rest1), self.and(upper0, upper1));
        let done = self.cover(rest, both, path, most, cubes)?;
        let (low, high) = (self.or(done0, done), self.or(done1, done));
        Some(self.node(variable, low, high))
    }
}
