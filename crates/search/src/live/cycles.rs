//! Which search looks for executions that a claim accepts.

use super::Fairness;
use super::astar_dfs::astar_dfs;
use super::claim::Claim;
use super::marks::{PLAIN, WITH_PROCESSES};
use super::ndfs::ndfs;
use super::parts::Parts;
use super::scc::scc;
use super::shortest::{Shorter, shorter};
use crate::{Crew, Observer, Outcome, SearchOptions};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::SharedVisited;
use std::time::Instant;

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

/// What is looked for, and how.
#[derive(Clone, Copy)]
pub struct CycleTask<'c> {
    pub search: CycleSearch,
    pub claim: &'c Claim,
    pub fairness: Fairness,
    /// A violation with the least number of steps is wanted.
    pub shortest: bool,
    /// Who else may take part.
    pub crew: Option<&'c Crew<'c>>,
}

/// Looks for an execution that the claim accepts.
pub fn cycles<S: SharedVisited + Default>(
    task: &CycleTask<'_>,
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(S::KEEPS_VECTORS, "cycles are found in stores that keep vectors");
    let start = Instant::now();
    executor.set_conditions(&task.claim.conditions);
    let mut outcome = task.run::<S>(model, executor, options, observer);
    if task.shortest && !outcome.errors.is_empty() {
        let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        let options = SearchOptions { time, ..options.clone() };
        task.shorten::<S>(&mut outcome, model, executor, &options, observer);
    }
    outcome
}

impl CycleTask<'_> {
    /// Can several workers do it? They know no depth, and judge no component as a whole.
    pub(super) fn is_for_several(&self, options: &SearchOptions) -> bool {
        !self.shortest && self.fairness != Fairness::Strong && options.depth_max.is_none()
    }

    fn run<S: SharedVisited + Default>(
        &self,
        model: &Model,
        executor: &mut dyn Executor,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let CycleTask { search, claim, fairness, .. } = *self;
        assert!(fairness == Fairness::None || !search.needs_one_set(), "fairness takes several sets");
        let parts = || match search {
            CycleSearch::Ndfs => Parts::unknown(claim),
            _ => Parts::of(claim),
        };
        match search {
            CycleSearch::Scc => scc::<S>(self, model, executor, options, observer),
            CycleSearch::Ndfs | CycleSearch::ImprovedNdfs => {
                ndfs::<S>(model, (claim, &parts()), executor, options, observer)
            }
            CycleSearch::AstarDfs => astar_dfs::<S>(model, (claim, &parts()), executor, options, observer),
        }
    }

    /// Puts a shortest violation in the place of the one that was found, or says that it may not be one.
    fn shorten<S: SharedVisited + Default>(
        &self,
        outcome: &mut Outcome,
        model: &Model,
        executor: &mut dyn Executor,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) {
        let known = &mut outcome.errors[0];
        let task = (self.claim, self.fairness, known.length);
        let Shorter { violation, is_shortest } = match self.fairness {
            Fairness::None => shorter::<S, PLAIN>(model, task, executor, options, observer),
            _ => shorter::<S, WITH_PROCESSES>(model, task, executor, options, observer),
        };
        // What was found without a path is no shorter for that.
        outcome.is_shortest = Some(is_shortest && (violation.is_some() || known.lost_to.is_none()));
        if let Some(violation) = violation {
            outcome.error_counts = [(violation.kind, 1)].into();
            *known = violation;
        }
    }
}
