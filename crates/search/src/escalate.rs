//! A series of depth-first searches, each wider than the one before: the papers' way of working as one search.
//!
//! The first looks at a single execution with at most one message in each channel; then come more options, more processes,
//! longer queues and longer paths. At first timeouts only resolve locks, later they may come at any time. What a design gets wrong mostly shows in the first stages, after few states. Stages in
//! between may store only so many states, so that a large one does not keep the others waiting. The last stage has no
//! limits: if it comes to its end, nothing is left to look at. So it is if an earlier stage left nothing out.

use crate::guide::{Guidance, StepOrder};
use crate::timeouts_last::with_timeouts_last;
use crate::{Limit, Observer, Outcome, QueueLimited, SearchOptions, Statistics, auto_depth, dfs};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::time::Instant;

/// What one search may look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Processes followed in a state.
    pub processes_max: Option<u32>,
    /// Steps followed of each.
    pub options_max: Option<u32>,
    /// Messages in a channel.
    pub queue_limit: Option<u16>,
    /// Steps of a path.
    pub depth_max: Option<u64>,
    /// States stored.
    pub states_max: Option<u64>,
    /// Timeouts only where nothing else can be done.
    pub timeouts_last: bool,
}

/// A search that was part of an escalation.
#[derive(Clone, Debug)]
pub struct Stage {
    pub scope: Scope,
    pub statistics: Statistics,
    /// What kept it from being complete; nothing if it was, or if an error ended it.
    pub limits: Vec<Limit>,
    /// Distinct errors that no stage before had found.
    pub errors: usize,
}

/// One search within a scope. The options' own limits hold as well.
pub fn within<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    scope: Scope,
    observer: &mut dyn Observer,
) -> Outcome {
    let options = SearchOptions {
        guidance: Guidance {
            processes_max: scope.processes_max,
            options_max: scope.options_max,
            ..options.guidance
        },
        depth_max: smaller(scope.depth_max, options.depth_max),
        states_max: smaller(scope.states_max, options.states_max),
        queue_limit: smaller(scope.queue_limit, options.queue_limit),
        timeouts_last: scope.timeouts_last,
        ..options.clone()
    };
    with_queue_limit(model, executor, options.queue_limit, |executor| {
        with_timeouts_last(model, executor, options.timeouts_last, |executor| {
            dfs::<S>(model, executor, &options, observer)
        })
    })
}

/// Runs a search whose channels take no more than some messages.
pub fn with_queue_limit(
    model: &Model,
    executor: &mut dyn Executor,
    limit: Option<u16>,
    search: impl FnOnce(&mut dyn Executor) -> Outcome,
) -> Outcome {
    let Some(limit) = limit else { return search(executor) };
    let mut limited = QueueLimited::new(model, executor, limit);
    let mut outcome = search(&mut limited);
    if limited.is_cut() {
        outcome.complete = false;
        outcome.limits.push(Limit::Queues);
    }
    outcome
}

/// Searches stage by stage, up to the first error (unless all are wanted), a limit, or the end.
pub fn escalate<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let start = Instant::now();
    let scopes = scopes(model, options);
    let seed = if let StepOrder::Random(seed) = options.guidance.order { seed } else { 0 };
    let mut total: Option<Outcome> = None;
    for (index, scope) in scopes.iter().enumerate() {
        observer.stage(index + 1, scopes.len(), scope);
        let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        // Where priorities do not tell, each stage goes its own way: many errors are found at once or not for a long time.
        let is_last = index + 1 == scopes.len();
        let order =
            if is_last { StepOrder::Listed } else { StepOrder::Random(seed.wrapping_add(index as u64)) };
        let guidance = Guidance { order, ..options.guidance };
        let options = SearchOptions { time, guidance, ..options.clone() };
        let outcome = within::<S>(model, executor, &options, *scope, observer);
        let is_over = |limit: &Limit| matches!(limit, Limit::Time | Limit::Memory | Limit::Stopped);
        let ends = outcome.complete || outcome.limits.iter().any(is_over);
        let has_errors = !outcome.errors.is_empty();
        let sum = total.take();
        total = Some(add(sum, outcome, *scope));
        if ends || (has_errors && !options.all_errors) {
            break;
        }
    }
    total.expect("there is at least one stage")
}

/// Stages up to this many states put timeouts off.
const SMALL_STAGE: u64 = 5_000;

/// From the narrowest to the one that has no limits.
pub(crate) fn scopes(model: &Model, options: &SearchOptions) -> Vec<Scope> {
    let long = auto_depth(model);
    let (short, long) = (Some(long / 10), Some(long));
    let puts_off = options.timeouts_last && !model.timeouts.is_empty();
    let scope = |processes_max, options_max, queue_limit, depth_max, states_max: Option<u64>| Scope {
        processes_max,
        options_max,
        queue_limit,
        depth_max,
        states_max,
        // Errors of bad timing are many, and are looked for when the others have had their chance.
        timeouts_last: puts_off && states_max.is_some_and(|count| count <= SMALL_STAGE),
    };
    let stages = [
        scope(Some(1), Some(1), Some(1), short, Some(1_000)),
        scope(Some(1), None, Some(1), short, Some(1_000)),
        scope(Some(1), None, Some(1), long, Some(2_000)),
        scope(Some(2), None, Some(1), long, Some(2_000)),
        scope(None, None, Some(1), long, Some(2_000)),
        scope(Some(1), None, Some(2), long, Some(5_000)),
        scope(Some(2), None, Some(2), long, Some(5_000)),
        scope(None, Some(1), Some(2), long, Some(5_000)),
        scope(None, None, Some(1), long, Some(50_000)),
        scope(Some(2), None, Some(2), long, Some(50_000)),
        scope(None, None, Some(2), long, Some(200_000)),
        scope(None, None, None, long, Some(500_000)),
        Scope::default(),
    ];
    let locals = model.processes.iter().flat_map(|process| &process.channels);
    let longest = model.channels.iter().chain(locals).map(|channel| channel.capacity).max().unwrap_or(0);
    let mut scopes: Vec<Scope> = Vec::new();
    for stage in stages {
        // A limit that cannot be met, or that is always met, makes no new stage.
        let queue_limit = smaller(stage.queue_limit, options.queue_limit).filter(|limit| *limit < longest);
        let depth_max = smaller(stage.depth_max, options.depth_max);
        let stage = Scope { queue_limit, depth_max, ..stage };
        let is_same = |last: &Scope| Scope { states_max: stage.states_max, ..*last } == stage;
        match scopes.last_mut() {
            Some(last) if is_same(last) => *last = stage,
            _ => scopes.push(stage),
        }
    }
    scopes
}

/// Adds what a stage found to what the stages before did.
fn add(sum: Option<Outcome>, stage: Outcome, scope: Scope) -> Outcome {
    let mut part = Stage {
        scope,
        statistics: stage.statistics,
        limits: stage.limits.clone(),
        errors: stage.errors.len(),
    };
    let Some(mut sum) = sum else { return Outcome { stages: vec![part], ..stage } };
    // A complete stage has seen everything; otherwise the last stage is the widest.
    (sum.complete, sum.limits) = (stage.complete, stage.limits.clone());
    (sum.reduction, sum.store) = (stage.reduction, stage.store.clone());
    part.errors = sum.absorb(stage);
    sum.stages.push(part);
    sum
}

fn smaller<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}
