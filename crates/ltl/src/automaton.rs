//! Büchi automata with generalised acceptance on transitions: what formulas become, and what searches read.
//!
//! A run is accepting if it takes edges of every mark infinitely often; without marks every infinite run is. A
//! state-based Büchi automaton is one with a single mark that either all edges of a state carry or none.

use crate::lasso::Valuation;

/// A state: its place in the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of acceptance marks: bit `i` is mark `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marks(pub u64);

impl Marks {
    pub const NONE: Marks = Marks(0);

    /// The marks `0..count`.
    pub fn first(count: u32) -> Marks {
        Marks(if count >= u64::BITS { u64::MAX } else { (1 << count) - 1 })
    }

    pub fn single(mark: u32) -> Marks {
        Marks(1 << mark)
    }

    pub fn contains(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |mark| self.0 >> mark & 1 == 1)
    }
}

/// A conjunction of literals: the atoms in `positive` are true, those in `negative` are false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    pub positive: Valuation,
    pub negative: Valuation,
}

impl Cube {
    /// True of every valuation.
    pub const ANY: Cube = Cube { positive: 0, negative: 0 };

    #[inline]
    pub fn holds(&self, valuation: Valuation) -> bool {
        valuation & self.positive == self.positive && valuation & self.negative == 0
    }
}

/// A transition that can be taken when the label holds of the current valuation. A disjunction is several edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub label: Cube,
    pub marks: Marks,
    pub target: StateId,
}

/// An automaton with one initial state. It need not be complete: a run ends where no edge can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    atoms: u32,
    marks: u32,
    initial: StateId,
    edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// `edges[i]` are those of state `i`. Atoms, marks and targets are in range.
    pub fn new(atoms: u32, marks: u32, initial: StateId, edges: Vec<Vec<Edge>>) -> Automaton {
        assert!(marks <= u64::BITS, "marks fit in a word");
        assert!(initial.index() < edges.len(), "the initial state is a state");
        for edge in edges.iter().flatten() {
            assert!(edge.target.index() < edges.len(), "an edge leads to a state");
            assert!(Marks::first(marks).contains(edge.marks), "an edge has marks of the automaton");
            assert!(
                Marks::first(atoms).contains(Marks(edge.label.positive | edge.label.negative)),
                "an edge has atoms of the automaton"
            );
        }
        Automaton { atoms, marks, initial, edges }
    }

    pub fn states(&self) -> usize {
        self.edges.len()
    }

    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len() as u32).map(StateId)
    }

    pub fn initial(&self) -> StateId {
        self.initial
    }

    #[inline]
    pub fn edges(&self, state: StateId) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// How many atoms labels may name: a valuation needs that many bits.
    pub fn atoms(&self) -> u32 {
        self.atoms
    }

    /// How many marks there are.
    pub fn marks(&self) -> u32 {
        self.marks
    }

    /// What a cycle has to show to be accepting.
    pub fn all_marks(&self) -> Marks {
        Marks::first(self.marks)
    }

    /// Is there one mark, and does it depend on the state alone that an edge leaves?
    pub fn is_state_based(&self) -> bool {
        let alike = |edges: &Vec<Edge>| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks);
        self.marks == 1 && self.edges.iter().all(alike)
    }

    /// In a state-based automaton: is the state accepting?
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.edges(state).first().is_some_and(|edge| edge.marks.contains(self.all_marks()))
    }
}
