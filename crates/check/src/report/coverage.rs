//! How much of a state space a search has seen.

use panoptes_model::{Machine, Model, ProcId, ProcessKind};
use panoptes_search::{Bitset, Limit, Outcome};
use panoptes_store::StoreAccount;

/// How much of what there is was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// One after a complete search; otherwise an upper bound: the share of the states met whose successors were
    /// computed or, where a depth bound cuts, the share of the successors that were followed if that is less. What
    /// lies beyond the states met is not in it. A search made to look at a part also counts the control states it reached. If the store may confuse states, times the share that it did not miss.
    pub estimate: f64,
    /// That share is not about this large, but at most.
    pub is_bound: bool,
    /// Slots per state, for stores that may confuse states.
    pub hash_factor: Option<f64>,
    /// How likely one more new state would be taken for a known one, with such stores.
    pub omission_probability: Option<f64>,
    /// How many states were, about.
    pub omitted: Option<f64>,
    /// How likely any was, with fingerprints.
    pub collision_probability: Option<f64>,
}

/// How many of the control states of a model were reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlCoverage {
    pub reached: usize,
    pub all: usize,
}

impl ControlCoverage {
    /// From the transitions that were taken; those at which a process starts count as reached.
    pub fn of(model: &Model, executed: &Bitset) -> ControlCoverage {
        let mut coverage = ControlCoverage { reached: 0, all: 0 };
        for id in (0..model.processes.len() as u32).map(ProcId) {
            let process = model.process(id);
            if process.kind != ProcessKind::Process {
                continue;
            }
            let machine = Machine::of(model, id);
            let mut is_reached = vec![false; process.states.len()];
            is_reached[process.initial.index()] = true;
            for state in &process.states {
                for transition in state.transitions.iter().filter(|id| executed.contains(id.index())) {
                    let transition = model.transition(*transition);
                    is_reached[transition.from.index()] = true;
                    if let Some(to) = transition.to {
                        is_reached[to.index()] = true;
                    }
                }
            }
            coverage.all += machine.reachable.iter().filter(|is_there| **is_there).count();
            coverage.reached += is_reached
                .iter()
                .zip(&machine.reachable)
                .filter(|(reached, is_there)| **reached && **is_there)
                .count();
        }
        coverage
    }
}

impl Coverage {
    /// A search made to look at a part has not seen a larger share of the states than of the control states.
    pub(super) fn at_most(self, control: Option<ControlCoverage>) -> Coverage {
        let share = control.map_or(1.0, |control| control.reached as f64 / control.all.max(1) as f64);
        Coverage { estimate: self.estimate.min(share), ..self }
    }

    pub(super) fn of(outcome: &Outcome) -> Coverage {
        let statistics = &outcome.statistics;
        let share = |part: u64, whole: u64| (part as f64 / whole.max(1) as f64).min(1.0);
        let expanded = share(statistics.expanded, statistics.stored);
        let followed = share(statistics.transitions, statistics.generated + 1);
        let estimate = match outcome.complete {
            true => 1.0,
            false if outcome.limits.iter().any(|limit| matches!(limit, Limit::Depth | Limit::Branching)) => {
                expanded.min(followed)
            }
            false => expanded,
        };
        let exact = Coverage {
            estimate,
            is_bound: !outcome.complete,
            hash_factor: None,
            omission_probability: None,
            omitted: None,
            collision_probability: None,
        };
        match &outcome.store {
            StoreAccount::Exact | StoreAccount::Cache(_) | StoreAccount::Disk(_) => exact,
            StoreAccount::Bitstate(account) => Coverage {
                estimate: estimate * account.coverage,
                is_bound: account.is_bound,
                hash_factor: Some(account.hash_factor),
                omission_probability: Some(account.omission_probability),
                omitted: Some(account.omitted),
                ..exact
            },
            StoreAccount::Direct(account) => Coverage {
                hash_factor: Some(account.bits as f64 / account.stored.max(1) as f64),
                omission_probability: Some(0.0),
                omitted: Some(0.0),
                ..exact
            },
            StoreAccount::HashCompact(account) => Coverage {
                estimate: estimate * account.coverage,
                is_bound: estimate < 1.0 || outcome.limits != [Limit::HashCompact],
                omitted: Some(account.omitted),
                collision_probability: Some(account.collision_probability),
                ..exact
            },
        }
    }
}
