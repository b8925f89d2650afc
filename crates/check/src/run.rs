//! One check: choose the search, run it, sum up.

use crate::direct::digits;
use crate::engine::with_engine;
use crate::lift::Lifting;
use crate::passes::{Pass, run_passes};
use crate::swarm::{SwarmSize, SwarmSummary, swarm};
use crate::{Engine, EngineUse, Loaded};
use panoptes_exec::{Executor, FaultKind};
use panoptes_model::{ControlState, Model, ProcessKind};
use panoptes_optimise::{Optimised, Options as Passes, Summary, optimise, without_claims};
use panoptes_search::{
    Checks, ErrorKind, Folding, FoundError, Guidance, Limit, Observer, Options as SearchOptions, Outcome,
    Reduction, Scope, auto_depth, bfs, bfs_by_steps, dfs, escalate, with_queue_limit, within,
};
use panoptes_store::{
    BitStore, CacheStore, DirectStore, ExactStore, FingerprintStore, StateStore, StoreSettings, TreeStore,
};
use std::time::{Duration, Instant};

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
    /// Depth first in a random order.
    Random,
    /// Depth first, the steps most likely to lead to an error first, and few of them.
    Scatter,
    /// Scatter searches, each wider than the one before, up to a search of everything.
    Escalate,
    /// Many bit-state searches, each in another order.
    Swarm,
}

/// A scatter search follows so many processes in a state, unless it is told otherwise.
pub const SCATTER_PROCESSES: u32 = 1;
/// It lets channels take so many messages.
pub const SCATTER_QUEUE: u16 = 2;

impl SearchKind {
    /// Is it made to look at a part, where a bound on depth need not leave every nearest path?
    pub fn is_partial(self) -> bool {
        matches!(self, SearchKind::Random | SearchKind::Scatter | SearchKind::Escalate | SearchKind::Swarm)
    }

    fn has_priorities(self) -> bool {
        matches!(self, SearchKind::Scatter | SearchKind::Escalate)
    }
}

/// How visited states are remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Every vector whole.
    #[default]
    Exact,
    /// Vectors as trees with shared parts: less memory, some more time.
    Compressed,
    /// A fingerprint of 64 bits for each state.
    HashCompact,
    /// A few bits for each state.
    Bitstate,
    /// Every vector whole, but not of every state at once. Depth first only.
    Cache,
}

#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub property: Property,
    pub search: SearchKind,
    /// No error may be nearer than the one that is found: steps are not merged, and levels count steps.
    pub shortest: bool,
    pub store: StoreKind,
    pub store_settings: StoreSettings,
    /// How often a bit-state search is made, each time with other bits.
    pub passes: u32,
    /// A bit-state search gives each state a bit of its own where the array has enough of them, and omits nothing then.
    pub direct_bits: bool,
    /// Store only states at the heads of loops and at labels. Depth first only.
    pub loop_states: bool,
    pub engine: Engine,
    pub all_errors: bool,
    pub lossy: bool,
    /// Search a model with fewer states that has the same errors. Off, one statement is one step.
    pub optimise: bool,
    /// With those optimisations, let equivalent control states be one; not where all errors are listed.
    pub minimise: bool,
    /// Take the bytes that values need, not those that their types have. That changes no count.
    pub pack: bool,
    pub depth_max: Option<u64>,
    pub memory_bytes: Option<u64>,
    /// What the process may have in memory all in all, where the system tells; `memory_bytes` is for the search.
    pub resident_max: Option<u64>,
    pub time: Option<Duration>,
    /// No more states than about this are stored.
    pub states_max: Option<u64>,
    /// Partial order reduction, if the model allows it. Not for shortest paths.
    pub por: bool,
    /// Which steps a depth-first search follows, and in which order. A scatter search adds its priorities.
    pub guidance: Guidance,
    /// Parts of the state that do not count when states are compared. Not for shortest paths.
    pub foldings: Vec<Folding>,
    /// Steps that put more messages into a channel are left out.
    pub queue_limit: Option<u16>,
    /// Count how often states are met again.
    pub profile: bool,
    /// Scatter searches, and the first stages of an escalation, take timeouts only where nothing else can be done.
    pub timeouts_last: bool,
    pub swarm: SwarmSize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            property: Property::default(),
            search: SearchKind::default(),
            store: StoreKind::default(),
            store_settings: StoreSettings::default(),
            passes: 1,
            direct_bits: true,
            loop_states: false,
            engine: Engine::default(),
            all_errors: false,
            lossy: false,
            por: true,
            optimise: true,
            minimise: true,
            pack: true,
            shortest: false,
            depth_max: None,
            memory_bytes: None,
            resident_max: None,
            time: None,
            states_max: None,
            guidance: Guidance::default(),
            foldings: Vec::new(),
            queue_limit: None,
            profile: false,
            timeouts_last: true,
            swarm: SwarmSize::default(),
        }
    }
}

impl StoreKind {
    /// Are states only recognised, and cannot be read back?
    pub fn forgets_vectors(self) -> bool {
        matches!(self, StoreKind::HashCompact | StoreKind::Bitstate)
    }
}

impl CheckOptions {
    /// Is there something that works with the path of a depth-first search only?
    pub fn needs_depth_first(&self) -> bool {
        self.store == StoreKind::Cache || self.loop_states
    }

    /// Must everything be looked at that is within a bound on depth, by whatever path? Then the nearest paths count, which
    /// a reduced search may leave out. A bit-state search cannot promise it, since it has no place to remember depths.
    fn promises_all_within_bound(&self) -> bool {
        self.depth_max.is_some() && !self.search.is_partial() && self.store != StoreKind::Bitstate
    }

    /// The same with the time that is left, if it has been running since `start`.
    fn with_time_left(&self, start: Instant) -> CheckOptions {
        let time = self.time.map(|time| time.saturating_sub(start.elapsed()));
        CheckOptions { time, ..self.clone() }
    }

    fn passes(&self) -> Passes {
        Passes {
            unused: self.optimise,
            // Where everything wrong is to be listed, equal statements at different places are different.
            minimise: self.optimise && self.minimise && !self.all_errors,
            dead_variables: self.optimise,
            merge: self.optimise && !self.shortest && !self.promises_all_within_bound(),
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
    /// The passes of a bit-state search; empty if there was only one.
    pub passes: Vec<Pass>,
    /// What was done to the model before the search.
    pub optimisations: Summary,
    /// Properties of the model that this check does not cover.
    pub unchecked: Vec<String>,
    pub limits: Vec<Limit>,
    /// What a scatter search was allowed to look at.
    pub scope: Option<Scope>,
    pub swarm: Option<SwarmSummary>,
}

impl Verdict {
    /// A limit was met before the search could begin.
    pub fn unsearched(options: &CheckOptions, limit: Limit) -> Verdict {
        Verdict {
            kind: VerdictKind::Inconclusive,
            outcome: Outcome { limits: vec![limit], ..Outcome::default() },
            search: search_kind(options),
            engine: EngineUse { is_compiled: false, compile_time: Duration::ZERO, native_states: 0 },
            passes: Vec::new(),
            optimisations: Summary::default(),
            unchecked: Vec::new(),
            limits: vec![limit],
            scope: None,
            swarm: None,
        }
    }
}

/// What the search is asked to do.
fn search_options(model: &Model, options: &CheckOptions) -> SearchOptions {
    let goal = model.goal();
    let checks = match options.property {
        _ if goal.is_some() => Checks { deadlocks: false, assertions: true },
        Property::Everything | Property::Safety => Checks { deadlocks: true, assertions: true },
        Property::Deadlock => Checks { deadlocks: true, assertions: false },
        Property::Assertions => Checks { deadlocks: false, assertions: true },
    };
    SearchOptions {
        checks,
        // One way to get there is enough.
        all_errors: options.all_errors && goal.is_none(),
        depth_max: options.depth_max,
        memory_bytes: options.memory_bytes,
        resident_max: options.resident_max,
        time: options.time,
        states_max: options.states_max,
        por: options.por && !options.shortest && !options.promises_all_within_bound(),
        lossy: options.lossy,
        guidance: Guidance {
            priorities: options.guidance.priorities || options.search.has_priorities(),
            ..options.guidance
        },
        foldings: options.foldings.clone(),
        queue_limit: options.queue_limit,
        recurrence: options.profile,
        timeouts_last: options.timeouts_last && options.search == SearchKind::Escalate,
        store: options.store_settings.clone(),
        loop_states: options.loop_states,
        ..SearchOptions::default()
    }
}

fn search_kind(options: &CheckOptions) -> SearchKind {
    match options.search {
        // Breadth first keeps a few bytes for each state, and a frontier: more than these stores save.
        SearchKind::Auto if options.needs_depth_first() || options.store.forgets_vectors() => SearchKind::Dfs,
        // Levels of steps are read back from the store, which folded vectors cannot be.
        SearchKind::Auto if !options.foldings.is_empty() && options.depth_max.is_some() => SearchKind::Dfs,
        SearchKind::Auto => SearchKind::Bfs,
        chosen => chosen,
    }
}

/// What a scatter search may look at; none for other searches.
fn scope(model: &Model, options: &CheckOptions) -> Option<Scope> {
    (options.search == SearchKind::Scatter).then(|| Scope {
        processes_max: options.guidance.processes_max,
        options_max: options.guidance.options_max,
        queue_limit: options.queue_limit,
        depth_max: options.depth_max.or_else(|| Some(auto_depth(model))),
        states_max: None,
        timeouts_last: options.timeouts_last && !model.timeouts.is_empty(),
    })
}

/// Runs one search on a model that is optimised already.
pub(crate) fn run_on(
    model: &Model,
    executor: &mut dyn Executor,
    options: &CheckOptions,
    observer: &mut dyn Observer,
) -> (Outcome, Vec<Pass>) {
    let search_options = search_options(model, options);
    let plan = Plan {
        model,
        search: search_kind(options),
        scope: scope(model, options),
        shortest: options.shortest,
        options: &search_options,
    };
    let alone = |outcome| (outcome, Vec::new());
    match options.store {
        StoreKind::Exact => alone(plan.run::<ExactStore>(executor, observer)),
        StoreKind::Compressed => alone(plan.run::<TreeStore>(executor, observer)),
        StoreKind::HashCompact => alone(plan.run::<FingerprintStore>(executor, observer)),
        StoreKind::Cache => alone(plan.run::<CacheStore>(executor, observer)),
        StoreKind::Bitstate => match digits(model, &search_options).filter(|_| options.direct_bits) {
            Some(digits) => {
                let store = StoreSettings { digits: Some(digits), ..search_options.store.clone() };
                let options = &SearchOptions { store, ..search_options.clone() };
                alone(Plan { options, ..plan }.run::<DirectStore>(executor, observer))
            }
            None => run_passes(&search_options, options.passes, |options| {
                Plan { options, ..plan }.run::<BitStore>(executor, observer)
            }),
        },
    }
}

/// Runs a check.
pub fn check(loaded: &Loaded, options: &CheckOptions, observer: &mut dyn Observer) -> Verdict {
    let start = Instant::now();
    // Transitions and control states keep their numbers, so all that is found is told in terms of the model as it was.
    // No search here follows a claim.
    let claimless = options.optimise.then(|| without_claims(&loaded.model));
    let Optimised { mut model, summary: optimisations, lift } =
        optimise(claimless.as_ref().unwrap_or(&loaded.model), options.passes());
    if !search_options(&model, options).checks.deadlocks {
        // Nobody asks, so executors need not look.
        model.waiting.clear();
    }
    let search = search_kind(options);
    let (mut outcome, passes, swarm, engine) = if search == SearchKind::Swarm {
        let (outcome, summary, engine) = swarm(&model, &options.with_time_left(start), observer);
        (outcome, Vec::new(), Some(summary), engine)
    } else {
        let ((outcome, passes), engine) = with_engine(&model, options, |executor| {
            run_on(&model, executor, &options.with_time_left(start), observer)
        });
        (outcome, passes, None, engine)
    };
    let lifting = Lifting { written: &loaded.model, searched: &model, lift: &lift, lossy: options.lossy };
    lifting.apply(&mut outcome);
    let scope = scope(&model, options);
    let unchecked = if options.property == Property::Everything { unchecked(loaded) } else { Vec::new() };
    let limits = outcome.limits.clone();
    let is_goal = |error: &FoundError| error.kind == ErrorKind::Fault(FaultKind::Goal);
    let kind = if outcome.errors.iter().any(is_goal) {
        VerdictKind::Verified
    } else if !outcome.errors.is_empty() || (loaded.model.goal().is_some() && outcome.complete) {
        // That there is no way to the goal is known only after a search to the end.
        VerdictKind::Violated
    } else if outcome.complete && unchecked.is_empty() {
        VerdictKind::Verified
    } else {
        VerdictKind::Inconclusive
    };
    Verdict { kind, outcome, search, engine, passes, optimisations, unchecked, limits, scope, swarm }
}

/// A second search, for a nearer error, may always store this many states.
const NEAREST_STATES: u64 = 100_000;

/// What to run, whatever the store.
#[derive(Clone, Copy)]
struct Plan<'p> {
    model: &'p Model,
    search: SearchKind,
    scope: Option<Scope>,
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
        match self.search {
            SearchKind::Escalate => escalate::<S>(model, executor, options, observer),
            SearchKind::Scatter => {
                within::<S>(model, executor, options, self.scope.unwrap_or_default(), observer)
            }
            _ => with_queue_limit(model, executor, options.queue_limit, |executor| {
                self.run_whole::<S>(executor, observer)
            }),
        }
    }

    /// A search that is meant to see everything within its limits.
    fn run_whole<S: StateStore + Default>(
        &self,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options, .. } = *self;
        if matches!(self.search, SearchKind::Dfs | SearchKind::Random) {
            return dfs::<S>(model, executor, options, observer);
        }
        // Where every step ends in a state, levels are steps.
        let has_chains = model.has_chains();
        if options.depth_max.is_some() || (self.shortest && has_chains) {
            return bfs_by_steps::<S>(model, executor, options, observer);
        }
        let start = Instant::now();
        let outcome = bfs::<S>(model, executor, options, observer);
        let is_nearest = !has_chains && outcome.reduction != Reduction::Por;
        // That search needs to read states back.
        let is_readable = S::KEEPS_VECTORS && options.foldings.is_empty();
        if outcome.errors.is_empty() || options.all_errors || is_nearest || !is_readable {
            return outcome;
        }
        // Not at any price: without reduction there may be many more states.
        let states_max = Some((2 * outcome.statistics.stored).max(NEAREST_STATES));
        let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        if time.is_some_and(|time| time.is_zero()) {
            return outcome;
        }
        let options = SearchOptions { por: false, states_max, time, ..options.clone() };
        let nearest = bfs_by_steps::<S>(model, executor, &options, observer);
        if nearest.errors.is_empty() { outcome } else { nearest }
    }
}

/// The properties a model states that no search here looks at.
fn unchecked(loaded: &Loaded) -> Vec<String> {
    let model = &loaded.model;
    let formulas = model.temporal.iter().map(|property| format!("ltl {}", property.name));
    let claims = model.claims.iter().map(|claim| format!("never claim {}", model.process(*claim).name));
    let labels = stated_by_labels(model).map(|(_, name)| name.to_string());
    formulas.chain(claims).chain(labels).collect()
}

/// Labels that say what must happen again and again (`progress`) or must not (`accept`): the kind of the property, and
/// its name. Those in a claim are part of it.
pub fn stated_by_labels(model: &Model) -> impl Iterator<Item = (&'static str, &'static str)> {
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    let states: Vec<&ControlState> = processes.flat_map(|process| &process.states).collect();
    let stated = [
        ("acceptance", "accept labels", states.iter().any(|state| state.accepting)),
        ("progress", "progress labels", states.iter().any(|state| state.progress)),
    ];
    stated.into_iter().filter(|(_, _, is_there)| *is_there).map(|(kind, name, _)| (kind, name))
}
