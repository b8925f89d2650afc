//! One check: choose the search, run it, sum up.

use crate::engine::with_engine;
use crate::{Engine, EngineUse, Loaded};
use panoptes_exec::{Executor, FaultKind};
use panoptes_model::Model;
use panoptes_optimise::{Options as Passes, Summary, optimise, without_claims};
use panoptes_search::{
    Checks, ErrorKind, FoundError, Limit, Observer, Options as SearchOptions, Outcome, Reduction, bfs,
    bfs_by_steps, dfs,
};
use panoptes_store::{ExactStore, StateStore, TreeStore};
use std::time::Duration;

/// What to check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Property {
    /// Everything the model states.
    #[default]
    Everything,
    Safety,
    Deadlock,
    Assertions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    #[default]
    Auto,
    Dfs,
    Bfs,
}

/// How visited states are remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Every vector whole.
    #[default]
    Exact,
    /// Vectors as trees with shared parts: less memory, some more time.
    Compressed,
}

#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub property: Property,
    pub search: SearchKind,
    /// No error may be nearer than the one that is found: steps are not merged, and levels count steps.
    pub shortest: bool,
    pub store: StoreKind,
    pub engine: Engine,
    pub all_errors: bool,
    pub lossy: bool,
    /// Search a model with fewer states that has the same errors. Off, one statement is one step.
    pub optimise: bool,
    /// Take the bytes that values need, not those that their types have. That changes no count.
    pub pack: bool,
    pub depth_max: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub time: Option<Duration>,
    /// Partial order reduction, if the model allows it. Not for shortest paths.
    pub por: bool,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            property: Property::default(),
            search: SearchKind::default(),
            store: StoreKind::default(),
            engine: Engine::default(),
            all_errors: false,
            lossy: false,
            por: true,
            optimise: true,
            pack: true,
            shortest: false,
            depth_max: None,
            memory_bytes: None,
            time: None,
        }
    }
}

impl CheckOptions {
    fn passes(&self) -> Passes {
        Passes {
            unused: self.optimise,
            dead_variables: self.optimise,
            merge: self.optimise && !self.shortest && self.depth_max.is_none(),
            pack: self.pack,
        }
    }
}

/// For a model with a goal: verified is that it can be reached, violated that it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    Verified,
    Violated,
    Inconclusive,
}

/// The answer, with the numbers behind it.
#[derive(Debug)]
pub struct Verdict {
    pub kind: VerdictKind,
    pub outcome: Outcome,
    /// The search that was used.
    pub search: SearchKind,
    pub engine: EngineUse,
    /// What was done to the model before the search.
    pub optimisations: Summary,
    /// Properties of the model that this check does not cover.
    pub unchecked: Vec<String>,
    pub limits: Vec<Limit>,
}

/// Runs a check.
pub fn check(loaded: &Loaded, options: &CheckOptions, observer: &mut dyn Observer) -> Verdict {
    let goal = loaded.model.goal();
    let checks = match options.property {
        _ if goal.is_some() => Checks { deadlocks: false, assertions: true },
        Property::Everything | Property::Safety => Checks { deadlocks: true, assertions: true },
        Property::Deadlock => Checks { deadlocks: true, assertions: false },
        Property::Assertions => Checks { deadlocks: false, assertions: true },
    };
    let search_options = SearchOptions {
        checks,
        // One way to get there is enough.
        all_errors: options.all_errors && goal.is_none(),
        depth_max: options.depth_max,
        memory_bytes: options.memory_bytes,
        time: options.time,
        // Within a bound the nearest paths count, which a reduced search may leave out.
        por: options.por && options.depth_max.is_none() && !options.shortest,
        lossy: options.lossy,
        ..SearchOptions::default()
    };
    let search = match options.search {
        SearchKind::Auto => SearchKind::Bfs,
        chosen => chosen,
    };
    // Transitions and control states keep their numbers, so all that is found is told in terms of the model as it was.
    // No search here follows a claim.
    let claimless = options.optimise.then(|| without_claims(&loaded.model));
    let (model, optimisations) = optimise(claimless.as_ref().unwrap_or(&loaded.model), options.passes());
    let (outcome, engine) = with_engine(&model, options, |executor| {
        let plan = Plan { model: &model, search, shortest: options.shortest, options: &search_options };
        match options.store {
            StoreKind::Exact => plan.run::<ExactStore>(executor, observer),
            StoreKind::Compressed => plan.run::<TreeStore>(executor, observer),
        }
    });
    let unchecked = if options.property == Property::Everything { unchecked(loaded) } else { Vec::new() };
    let limits = outcome.limits.clone();
    let is_goal = |error: &FoundError| error.kind == ErrorKind::Fault(FaultKind::Goal);
    let kind = if outcome.errors.iter().any(is_goal) {
        VerdictKind::Verified
    } else if !outcome.errors.is_empty() || (goal.is_some() && outcome.complete) {
        // That there is no way to the goal is known only after a search to the end.
        VerdictKind::Violated
    } else if outcome.complete && unchecked.is_empty() {
        VerdictKind::Verified
    } else {
        VerdictKind::Inconclusive
    };
    Verdict { kind, outcome, search, engine, optimisations, unchecked, limits }
}

/// A second search, for a nearer error, may always store this many states.
const NEAREST_STATES: u64 = 100_000;

/// What to run, whatever the store.
struct Plan<'p> {
    model: &'p Model,
    search: SearchKind,
    shortest: bool,
    options: &'p SearchOptions,
}

impl Plan<'_> {
    /// One search, and perhaps a second one for a shortest path to the error that the first one found.
    fn run<S: StateStore + Default>(
        &self,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options, .. } = *self;
        if self.search == SearchKind::Dfs {
            return dfs::<S>(model, executor, options, observer);
        }
        // Where every step ends in a state, levels are steps.
        let has_chains = model.transitions.iter().any(|transition| transition.keeps_control);
        if options.depth_max.is_some() || (self.shortest && has_chains) {
            return bfs_by_steps::<S>(model, executor, options, observer);
        }
        let outcome = bfs::<S>(model, executor, options, observer);
        let is_nearest = !has_chains && outcome.reduction != Reduction::Por;
        if outcome.errors.is_empty() || options.all_errors || is_nearest {
            return outcome;
        }
        // Not at any price: without reduction there may be many more states.
        let states_max = Some((2 * outcome.statistics.stored).max(NEAREST_STATES));
        let options = SearchOptions { por: false, states_max, ..options.clone() };
        let nearest = bfs_by_steps::<S>(model, executor, &options, observer);
        if nearest.errors.is_empty() { outcome } else { nearest }
    }
}

/// The properties a model states that no search here looks at.
fn unchecked(loaded: &Loaded) -> Vec<String> {
    let model = &loaded.model;
    let formulas = model.temporal.iter().map(|property| format!("ltl {}", property.name));
    let claims = model.claims.iter().map(|claim| format!("never claim {}", model.process(*claim).name));
    formulas.chain(claims).collect()
}
