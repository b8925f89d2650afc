//! The automaton of a temporal property as a search follows it: a Büchi automaton with several acceptance sets, marked on its
//! edges, over conditions on states. It accepts the executions that violate the property.
//!
//! In each state of the system the automaton moves first, along an edge whose label holds there; then the system moves. Where the
//! system has come to its end, it stays there for ever, and the automaton goes on alone.

use super::parts::Parts;
use panoptes_exec::{Condition, Fault, FaultKind};
use panoptes_source::Span;

#[derive(Clone, Debug)]
pub struct Claim {
    /// What labels speak of; at most [`panoptes_exec::CONDITIONS_MAX`].
    pub conditions: Vec<Condition>,
    /// Those that should hold somewhere, as bits: a property whose premise never holds says nothing.
    pub watched: u64,
    /// The first is the initial one.
    pub states: Vec<ClaimState>,
    /// An infinite run is accepted if it takes edges of each of so many sets again and again.
    pub set_count: u32,
    /// Does an execution that ends count as an infinite one that stays where it ended?
    pub stutters: bool,
    /// What a cycle is that the automaton accepts.
    pub cycle: Fault,
}

#[derive(Clone, Debug, Default)]
pub struct ClaimState {
    pub edges: Vec<ClaimEdge>,
    /// The conditions that its edges speak of.
    wanted: u64,
}

/// An edge that can be taken in states in which all conditions of `holds` hold and none of `fails`.
#[derive(Clone, Debug)]
pub struct ClaimEdge {
    pub holds: u64,
    pub fails: u64,
    /// The acceptance sets it belongs to, as bits.
    pub sets: u64,
    pub to: Target,
}

#[derive(Clone, Debug)]
pub enum Target {
    State(u16),
    /// Whatever comes now, the property is violated.
    Violation(Fault),
}

impl ClaimState {
    pub fn new(edges: Vec<ClaimEdge>) -> ClaimState {
        let wanted = edges.iter().fold(0, |wanted, edge| wanted | edge.holds | edge.fails);
        ClaimState { edges, wanted }
    }

    /// The conditions that its edges speak of.
    pub fn wanted(&self) -> u64 {
        self.wanted
    }
}

impl ClaimEdge {
    /// Can it be taken where these conditions hold?
    #[inline]
    pub fn is_open(&self, held: u64) -> bool {
        self.holds & !held == 0 && self.fails & held == 0
    }
}

impl Claim {
    /// The claim that no execution passes `accept` labels again and again.
    pub fn of_accept_labels() -> Claim {
        let stay = |holds: u64, fails: u64, sets: u64| ClaimEdge { holds, fails, sets, to: Target::State(0) };
        Claim {
            conditions: vec![Condition::Accepting],
            watched: 0,
            states: vec![ClaimState::new(vec![stay(1, 0, 1), stay(0, 1, 0)])],
            set_count: 1,
            stutters: true,
            cycle: Fault {
                kind: FaultKind::AcceptanceCycle,
                message: "acceptance cycle".to_string(),
                span: Span::default(),
            },
        }
    }

    /// A claim that accepts nothing and follows every execution.
    pub fn of_everything() -> Claim {
        let stay = ClaimEdge { holds: 0, fails: 0, sets: 0, to: Target::State(0) };
        Claim {
            conditions: Vec::new(),
            watched: 0,
            states: vec![ClaimState::new(vec![stay])],
            set_count: 1,
            stutters: false,
            cycle: Fault {
                kind: FaultKind::AcceptanceCycle,
                message: "no cycle is accepted".to_string(),
                span: Span::default(),
            },
        }
    }

    /// The claim that every infinite execution passes `progress` labels again and again.
    pub fn of_progress_labels() -> Claim {
        let edge =
            |holds: u64, sets: u64, to: u16| ClaimEdge { holds, fails: 0, sets, to: Target::State(to) };
        Claim {
            conditions: vec![Condition::Holds(panoptes_model::Expr::NonProgress, Span::default())],
            watched: 0,
            states: vec![
                ClaimState::new(vec![edge(0, 0, 0), edge(1, 0, 1)]),
                ClaimState::new(vec![edge(1, 1, 1)]),
            ],
            set_count: 1,
            // What has ended does not go on for ever.
            stutters: false,
            cycle: Fault {
                kind: FaultKind::NonProgressCycle,
                message: "non-progress cycle".to_string(),
                span: Span::default(),
            },
        }
    }

    /// Lets `accept` labels of processes count like those of a claim: every edge from a state in which a process stands at
    /// one belongs to the first set. None if there are too many conditions.
    pub fn accept_at_labels(&mut self) -> Option<()> {
        let bit = 1u64.checked_shl(self.conditions.len() as u32)?;
        self.conditions.push(Condition::Accepting);
        for state in &mut self.states {
            let edges = std::mem::take(&mut state.edges);
            let split = |edge: ClaimEdge| {
                let labelled = ClaimEdge { holds: edge.holds | bit, sets: edge.sets | 1, ..edge.clone() };
                [labelled, ClaimEdge { fails: edge.fails | bit, ..edge }]
            };
            *state = ClaimState::new(edges.into_iter().flat_map(split).collect());
        }
        Some(())
    }

    /// Can it accept only by a violation that a finite execution shows?
    pub fn is_safety(&self) -> bool {
        Parts::of(self).accept_nothing()
    }
}
