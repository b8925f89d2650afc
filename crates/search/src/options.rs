//! What a search is asked to do, and how far it may go.

use crate::{Folding, Guidance, HeuristicChoice, Reduction};
use panoptes_exec::FaultKind;
use panoptes_model::Model;
use panoptes_store::StoreSettings;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub checks: Checks,
    /// Go on past errors and list each distinct one.
    pub all_errors: bool,
    /// How many distinct errors are kept with their path; further ones are counted only.
    pub errors_max: usize,
    /// How many steps the paths of errors may have in all; the first error always gets its path.
    pub path_steps_max: usize,
    /// No path is longer than this many steps.
    pub depth_max: Option<u64>,
    /// The store and the search's own structures together.
    pub memory_bytes: Option<u64>,
    /// All that the process has in memory, as far as the system tells.
    pub resident_max: Option<u64>,
    /// No more states than about this are stored.
    pub states_max: Option<u64>,
    /// A directed search expands no more states than this, and makes no more plans than that is worth.
    pub expanded_max: Option<u64>,
    /// A directed search gives up when so many states were expanded since one seemed nearer to an error than all before.
    pub patience: Option<u64>,
    pub time: Option<Duration>,
    /// The end of that time, which is given up if more states wait than can be expanded in it.
    pub time_left_over: Option<Duration>,
    /// Follow only some of the processes where that loses nothing.
    pub por: bool,
    /// What is followed is settled by the state alone, for a search that does not know all states that others have visited.
    pub proviso_is_settled: bool,
    /// Reduction of a product with a claim, which must not mind repetitions of states; or why not.
    pub claim_reduction: Reduction,
    /// How the store works, if it can be chosen.
    pub store: StoreSettings,
    /// Depth first: store only the states in which a process is at the head of a loop or at a label.
    pub loop_states: bool,
    /// The executor's channels lose messages when they are full; the reduction must know.
    pub lossy: bool,
    /// Depth first: which successors are followed, and in which order.
    pub guidance: Guidance,
    /// What tells how far states are from an error: for directed searches, and for a depth-first search that goes to the nearest
    /// first and leaves out what is estimated to be beyond its bound.
    pub heuristic: Option<HeuristicChoice>,
    /// A depth-first search within a bound leaves out what the heuristic says to be beyond it.
    pub cuts_by_estimate: bool,
    /// Depth first: parts of the state that do not count when states are compared.
    pub foldings: Vec<Folding>,
    /// The executor leaves out steps that put more messages into a channel; the reduction must know.
    pub queue_limit: Option<u16>,
    /// Count how often states are met again.
    pub recurrence: bool,
    /// Timeouts are put off until nothing else can be done: by scatter searches always, by an escalation at first.
    pub timeouts_last: bool,
}

/// What counts as an error. Faults that cut a step short always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Nothing can move, and some process is not where it may end.
    pub deadlocks: bool,
    /// False assertions, events that the monitor or a requirement forbids, and requirements left open at the end.
    pub assertions: bool,
}

/// Which faults of steps count in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedFaults {
    All,
    /// Those that cut a step short.
    Cutting,
    /// That the goal is reached. An execution that goes wrong on its way there merely does not go on.
    Goal,
}

impl CountedFaults {
    pub fn of(model: &Model, checks: Checks) -> CountedFaults {
        match (model.goal(), checks.assertions) {
            (Some(_), _) => CountedFaults::Goal,
            (None, true) => CountedFaults::All,
            (None, false) => CountedFaults::Cutting,
        }
    }

    pub fn includes(self, kind: FaultKind) -> bool {
        match self {
            CountedFaults::All => kind != FaultKind::OffPath && !kind.is_limit(),
            CountedFaults::Cutting => !kind.continues() && kind != FaultKind::OffPath && !kind.is_limit(),
            CountedFaults::Goal => kind == FaultKind::Goal,
        }
    }
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            checks: Checks::default(),
            all_errors: false,
            errors_max: 10_000,
            path_steps_max: 200_000,
            depth_max: None,
            memory_bytes: None,
            resident_max: None,
            states_max: None,
            expanded_max: None,
            patience: None,
            time: None,
            time_left_over: None,
            por: false,
            proviso_is_settled: false,
            claim_reduction: Reduction::NotWanted,
            store: StoreSettings::default(),
            loop_states: false,
            lossy: false,
            guidance: Guidance::default(),
            heuristic: None,
            cuts_by_estimate: false,
            foldings: Vec::new(),
            queue_limit: None,
            recurrence: false,
            timeouts_last: false,
        }
    }
}

impl Default for Checks {
    fn default() -> Checks {
        Checks { deadlocks: true, assertions: true }
    }
}
