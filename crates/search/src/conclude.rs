//! The end of a search: what it found, how sure that is, and the paths to it.

use crate::judge::Judge;
use crate::omitted;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Retrace;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Limit, Outcome};
use panoptes_exec::Patience;
use panoptes_store::{StateStore, StoreAccount};

/// How a search ended.
pub(crate) struct Ended {
    pub how: Result<(), Stop>,
    /// The depth bound left something unseen.
    pub is_cut: bool,
    /// Steps to new states were left out.
    pub is_narrowed: bool,
    /// A branch of a path is one step, not a chain.
    pub by_steps: bool,
    /// States behind those that the visited set took for others can be looked at as well.
    pub may_look_behind: bool,
    /// What the search took beside the visited set.
    pub own_bytes: usize,
}

pub(crate) fn conclude<'w, S: StateStore>(
    program: &'w Program<'w>,
    mut visited: Visited<S>,
    mut judge: Judge<'w>,
    mut worker: Worker<'w>,
    ended: Ended,
) -> Outcome {
    worker.refresh(&visited, &judge.findings, ended.own_bytes);
    let mut store = visited.account();
    if let StoreAccount::Bitstate(account) = &mut store
        && ended.how.is_ok()
        && ended.may_look_behind
    {
        omitted::look_behind(&mut visited, &mut judge, &mut worker, account, ended.own_bytes);
    }
    let is_folded = visited.is_folded();
    // What is not needed any more makes room.
    drop(visited);
    finish(program, store, is_folded, judge, worker, ended)
}

/// The same when the visited set has told what it knows.
pub(crate) fn finish<'w>(
    program: &'w Program<'w>,
    store: StoreAccount,
    is_folded: bool,
    mut judge: Judge<'w>,
    mut worker: Worker<'w>,
    ended: Ended,
) -> Outcome {
    let mut limits = Vec::new();
    if ended.is_cut {
        limits.push(Limit::Depth);
    }
    if ended.is_narrowed {
        limits.push(Limit::Branching);
    }
    if is_folded {
        limits.push(Limit::Folding);
    }
    if !worker.expander.given_up.is_empty() {
        limits.push(Limit::DStep);
    }
    let is_complete = ended.how.is_ok() && limits.is_empty();
    if let Err(Stop::Limit(limit)) = ended.how {
        limits.push(limit);
    }
    match &store {
        StoreAccount::Bitstate(_) => limits.push(Limit::Bitstate),
        StoreAccount::HashCompact(_) => limits.push(Limit::HashCompact),
        StoreAccount::Direct(account) if account.misfits > 0 => limits.push(Limit::Bitstate),
        StoreAccount::Exact | StoreAccount::Cache(_) | StoreAccount::Direct(_) | StoreAccount::Disk(_) => {}
    }
    judge.findings.announce(worker.watch.observer);
    let limits_met = worker.watch.limits;
    let (deadline, compiler_bytes_max) = (limits_met.grace(), limits_met.patience().compiler_bytes_max);
    let patience = Patience { deadline, compiler_bytes_max, ..Patience::default() };
    worker.expander.executor().set_patience(&patience);
    let retrace = Retrace { program, by_steps: ended.by_steps, deadline };
    let executor = worker.expander.executor();
    let (errors, error_counts) = judge
        .findings
        .into_parts(program.options.path_steps_max, |trail, length| retrace.path(executor, trail, length));
    let recurrence =
        worker.tally.visits.map(|visits| visits.finish(!matches!(store, StoreAccount::Cache(_))));
    Outcome {
        statistics: worker.tally.statistics,
        errors,
        error_counts,
        executed: worker.expander.executed,
        complete: is_complete && store.is_exact(),
        limits,
        reduction: worker.expander.reduction,
        stages: Vec::new(),
        recurrence,
        store,
        given_up: worker.expander.given_up,
        unseen: 0,
        is_shortest: None,
        owners: Vec::new(),
        threads: 1,
    }
}
