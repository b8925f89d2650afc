//! Which search looks for executions that a claim accepts.

use super::Fairness;
use super::astar_dfs::astar_dfs;
use super::claim::Claim;
use super::ndfs::ndfs;
use super::parts::Parts;
use super::scc::scc;
use crate::{Observer, Outcome, SearchOptions};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CycleSearch {
    /// By strongly connected components; breadth first where a finite execution shows every violation.
    #[default]
    Scc,
    /// Nested depth-first search.
    Ndfs,
    /// The same, which makes use of the classes of the claim's parts.
    ImprovedNdfs,
    /// A* through the parts of the claim without accepted cycles, depth first through the others.
    AstarDfs,
}

impl CycleSearch {
    /// Does it need a claim with one acceptance set? It then looks at all executions, fair or not.
    pub fn needs_one_set(self) -> bool {
        self != CycleSearch::Scc
    }

    /// Does it look for a state of the product, breadth first? So it does where a finite execution shows every violation.
    pub fn is_breadth_first(self, claim: &Claim) -> bool {
        self == CycleSearch::Scc && claim.is_safety()
    }
}

/// Looks for an execution that the claim accepts.
pub fn cycles<S: StateStore + Default>(
    search: CycleSearch,
    model: &Model,
    claim: &Claim,
    fairness: Fairness,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(S::KEEPS_VECTORS, "cycles are found in stores that keep vectors");
    assert!(fairness == Fairness::None || !search.needs_one_set(), "fairness takes several sets");
    let parts = || match search {
        CycleSearch::Ndfs => Parts::unknown(claim),
        _ => Parts::of(claim),
    };
    executor.set_conditions(&claim.conditions);
    match search {
        CycleSearch::Scc => scc::<S>(model, claim, fairness, executor, options, observer),
        CycleSearch::Ndfs | CycleSearch::ImprovedNdfs => {
            ndfs::<S>(model, (claim, &parts()), executor, options, observer)
        }
        CycleSearch::AstarDfs => astar_dfs::<S>(model, (claim, &parts()), executor, options, observer),
    }
}
