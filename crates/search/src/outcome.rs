//! What a search found.

use crate::{Bitset, OwnerStatistics, Path, Recurrence, Stage, WhyNot};
use panoptes_exec::{Fault, FaultKind};
use panoptes_model::{ProcId, StateId};
use panoptes_store::StoreAccount;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub statistics: Statistics,
    /// Each distinct error (or the witness that was asked for) once, in the order found, with the shortest path seen.
    pub errors: Vec<Finding>,
    /// Every error met, distinct or not; each once for the state at which it happens.
    pub error_counts: BTreeMap<FindingKind, u64>,
    /// The transitions that were taken at least once, by number.
    pub executed: Bitset,
    /// Everything that can be reached was looked at. False when a limit was met, or an error ended the search.
    pub complete: bool,
    /// The bounds that kept the search from being complete.
    pub limits: Vec<Limit>,
    pub reduction: Reduction,
    /// The searches that this one is made of, if it is made of several.
    pub stages: Vec<Stage>,
    /// What the store says about its answers.
    pub store: StoreAccount,
    /// Deterministic steps that were given up, each place once: where they lead is not known.
    pub given_up: Vec<Fault>,
    /// How often states were met again, if that was asked for.
    pub recurrence: Option<Recurrence>,
    /// Of a search with a claim: the watched conditions that never held, as bits.
    pub unseen: u64,
    /// Of a search that was asked for a shortest violation of a claim and found one: is it known that none is shorter?
    pub is_shortest: Option<bool>,
    /// What each of several owners did.
    pub owners: Vec<OwnerStatistics>,
    /// How many workers searched at a time. (Zero where no search was made.)
    pub threads: usize,
}

/// Was the search reduced to some of the orders in which independent steps can be taken?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// It was not asked for.
    #[default]
    NotWanted,
    Por,
    /// It was, but the model does not allow it.
    NotPossible(WhyNot),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Distinct states. (Those that a cache forgot and got again count each time.)
    pub stored: u64,
    /// Lookups that found the state there already.
    pub matched: u64,
    /// All lookups, that of the initial state included: `stored + matched`.
    pub transitions: u64,
    /// States whose successors were computed.
    pub expanded: u64,
    /// How many of those expansions were of states expanded before, which a directed search then reached in fewer steps.
    pub reopened: u64,
    /// What a directed search thought of the states that it met.
    pub estimates: Option<Estimates>,
    /// How often a state was passed through that is not to be stored.
    pub passed: u64,
    /// With [`crate::SearchOptions::loop_states`]: how many states had been visited when others began to be stored as well, because too
    /// much was done twice; zero if that did not happen.
    pub more_stored_from: u64,
    /// Successors computed, transient ones included.
    pub generated: u64,
    /// Transient chains that came back to themselves and were given up.
    pub endless_chains: u64,
    /// Steps to the deepest configuration (states met again not considered).
    pub max_depth: u64,
    /// The longest state vector.
    pub vector_bytes: usize,
    /// What a stored state takes on average, the table included.
    pub bytes_per_state: f64,
    /// What the store takes.
    pub store_bytes: usize,
    /// What the search takes beside the store: its stack or its frontier and parent links.
    pub search_bytes: usize,
}

/// How many steps from an error states were estimated to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimates {
    /// The initial state.
    pub initial: u32,
    pub min: u32,
    pub max: u32,
    /// A*: the sum of steps and estimate of the state that was expanded last. No error is nearer, if the estimates are lower bounds.
    pub level: u64,
}

impl Estimates {
    /// One more.
    pub(crate) fn with(before: Option<Estimates>, estimate: u32) -> Estimates {
        let before =
            before.unwrap_or(Estimates { initial: estimate, min: estimate, max: estimate, level: 0 });
        Estimates { min: before.min.min(estimate), max: before.max.max(estimate), ..before }
    }

    /// Those of two searches.
    pub fn and(self, other: Estimates) -> Estimates {
        Estimates {
            initial: self.initial,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            level: self.level.max(other.level),
        }
    }
}

impl Outcome {
    /// Adds what another search of the same model did; how many errors are new. Whether it is complete stays as it was.
    pub fn absorb(&mut self, other: Outcome) -> usize {
        let mut found = 0;
        for error in other.errors {
            match self.errors.iter_mut().find(|known| known.is_same(&error)) {
                Some(known) if error.length < known.length && error.path.len() == error.length => {
                    *known = Finding { count: known.count + error.count, ..error };
                }
                Some(known) => known.count += error.count,
                None => {
                    found += 1;
                    self.errors.push(error);
                }
            }
        }
        for (kind, count) in &other.error_counts {
            *self.error_counts.entry(*kind).or_default() += count;
        }
        for fault in other.given_up {
            if !self.given_up.contains(&fault) {
                self.given_up.push(fault);
            }
        }
        self.executed.union(&other.executed);
        self.statistics = self.statistics.plus(&other.statistics);
        found
    }
}

impl Statistics {
    /// Two searches together.
    pub fn plus(&self, other: &Statistics) -> Statistics {
        Statistics {
            stored: self.stored + other.stored,
            matched: self.matched + other.matched,
            passed: self.passed + other.passed,
            more_stored_from: self.more_stored_from.max(other.more_stored_from),
            transitions: self.transitions + other.transitions,
            expanded: self.expanded + other.expanded,
            generated: self.generated + other.generated,
            reopened: self.reopened + other.reopened,
            estimates: match (self.estimates, other.estimates) {
                (Some(own), Some(others)) => Some(own.and(others)),
                (own, others) => own.or(others),
            },
            endless_chains: self.endless_chains + other.endless_chains,
            max_depth: self.max_depth.max(other.max_depth),
            vector_bytes: self.vector_bytes.max(other.vector_bytes),
            bytes_per_state: other.bytes_per_state,
            store_bytes: self.store_bytes.max(other.store_bytes),
            search_bytes: self.search_bytes.max(other.search_bytes),
        }
    }
}

impl Finding {
    /// The same error, by kind, place and message, or where every process stands; paths may differ.
    pub fn is_same(&self, other: &Finding) -> bool {
        let place = |error: &Finding| error.fault.as_ref().map(|fault| (fault.span, fault.message.clone()));
        self.kind == other.kind && self.standing == other.standing && place(self) == place(other)
    }
}

/// Why a search is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    Depth,
    Memory,
    Time,
    States,
    /// The disk is full, or fails.
    Disk,
    /// Steps to new states were left out: too many processes or options ([`crate::Guidance`]).
    Branching,
    /// Steps were left out that would put too many messages into a channel.
    Queues,
    /// Timeouts were left out where something else could be done.
    Timeouts,
    /// States that differ only in a folded part were taken for one.
    Folding,
    /// The store kept some bits of each state, so it may have taken new states for known ones.
    Bitstate,
    /// The store kept fingerprints, so it may have taken a new state for a known one.
    HashCompact,
    /// A deterministic step was given up, see [`Outcome::given_up`].
    DStep,
    /// Of a search for cycles: executions that stay inside an atomic sequence for ever were not followed.
    EndlessAtomic,
    /// The observer asked to stop.
    Stopped,
    /// One of the processes that searched together was lost, with the states that it owned.
    ProcessLost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    Deadlock,
    Fault(FaultKind),
    /// No error, but an execution that was asked for.
    Witness,
}

/// One distinct error, or a witness: what it is, and the way there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// None for a deadlock.
    pub fault: Option<Fault>,
    /// The number of steps from the initial state to the error, the faulty one included. Zero also when the initial state
    /// itself could not be computed.
    pub length: usize,
    /// Those steps; empty if a limit did not allow to keep them, or the errors before took all of
    /// [`crate::SearchOptions::path_steps_max`].
    pub path: Path,
    /// The limit for which there is no path.
    pub lost_to: Option<Limit>,
    /// Where every process stands; for a deadlock only.
    pub standing: Vec<(ProcId, StateId)>,
    /// Of a lasso: how many steps lead to its cycle. If all do, the system has come to its end and stays there.
    pub cycle_start: Option<usize>,
    /// How often it was met.
    pub count: u64,
}
