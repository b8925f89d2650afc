//! The search for a violation of one temporal property.

use super::closing::close;
use super::leave::Leave;
use super::vacuity::{self, Reason};
use super::word::{NotShown, shows};
use super::{Temporal, Unfollowed};
use crate::engine::with_engine;
use crate::plan::search_options;
use crate::threads::Others;
use crate::traces::until;
use crate::{CheckSettings, EngineUse, Loaded, StoreSpec, Strategy, VerdictKind};
use panoptes_exec::FaultKind;
use panoptes_model::Model;
use panoptes_optimise::{Optimised, Summary, optimise, without_claims};
use panoptes_search::{
    Checks, Claim, CycleSearch, CycleTask, Fairness, Finding, Observer, Outcome, SearchOptions, cycles, stuck,
};
use panoptes_source::Diagnostic;
use panoptes_store::{ExactStore, TreeStore};
use std::time::Instant;

/// What became of one temporal property.
#[derive(Clone, Debug)]
pub struct TemporalPass {
    pub property: Temporal,
    pub name: String,
    pub outcome: Outcome,
    /// The search that was made.
    pub search: Strategy,
    /// The states of the automaton that accepts what violates the property.
    pub automaton_states: usize,
    /// What was done to the model before the search.
    pub optimisations: Summary,
    pub engine: EngineUse,
    /// It may hold for a trivial reason: that was looked into.
    pub is_suspected: bool,
    /// The trivial reasons for which it holds.
    pub reasons: Vec<Reason>,
}

impl TemporalPass {
    /// Does it hold for a trivial reason? Not known of what cannot be suspected, and of what does not hold.
    pub fn is_vacuous(&self) -> Option<bool> {
        let is_known = self.is_suspected && self.verdict() == VerdictKind::Verified;
        is_known.then_some(!self.reasons.is_empty())
    }

    /// What to say if so.
    pub(crate) fn warnings(&self, model: &Model) -> Vec<Diagnostic> {
        self.reasons.iter().map(|reason| vacuity::warning(model, self.property, reason)).collect()
    }

    pub fn verdict(&self) -> VerdictKind {
        match (self.outcome.errors.is_empty(), self.outcome.complete) {
            (false, _) => VerdictKind::Violated,
            (true, true) => VerdictKind::Verified,
            (true, false) => VerdictKind::Inconclusive,
        }
    }
}

/// Looks for a violation; `settings` have the limits that are left.
pub(crate) fn run(
    loaded: &Loaded,
    settings: &CheckSettings,
    property: Temporal,
    observer: &mut dyn Observer,
) -> Result<TemporalPass, Unfollowed> {
    let start = Instant::now();
    let leave = Leave::most(settings, &loaded.model, property)?;
    let mut pass = search(loaded, settings, property, leave, observer)?;
    let until = until(start, &settings.limits);
    let mut errors = pass.outcome.errors.iter_mut();
    if !leave.is_nothing() && !errors.all(|error| is_shown(loaded, settings, property, error, until)) {
        // It is violated, but not on that path: a search of everything finds one.
        let settings = &CheckSettings { limits: settings.limits.since(start), ..settings.clone() };
        pass = search(loaded, settings, property, Leave::nothing(settings), observer)?;
    }
    Ok(pass)
}

/// Does the path show the violation in the model as it was written? The cycle of a lasso may take more than one round there.
fn is_shown(
    loaded: &Loaded,
    settings: &CheckSettings,
    property: Temporal,
    error: &mut Finding,
    until: Option<Instant>,
) -> bool {
    let is_whole = error.path.len() == error.length;
    let is_of_property = error.fault.as_ref().is_some_and(|fault| {
        fault.kind.is_of_cycle() || matches!(fault.kind, FaultKind::ClaimViolated | FaultKind::Assertion)
    });
    // What takes too long here is not shown later either.
    !is_whole
        || !is_of_property
        || (close(loaded, settings, error)
            && !matches!(shows(loaded, settings, property, error, until), Err(NotShown::Because(_))))
}

fn search(
    loaded: &Loaded,
    settings: &CheckSettings,
    property: Temporal,
    leave: Leave,
    observer: &mut dyn Observer,
) -> Result<TemporalPass, Unfollowed> {
    let start = Instant::now();
    let Optimised { model, summary: optimisations, .. } =
        optimise(&property.alone(&loaded.model), leave.passes);
    let mut claim = property.claim_in(&loaded.model, &model)?;
    let suspicions = property.suspicions(&loaded.model, &model, &mut claim);
    claim.watched = suspicions.iter().fold(0, |bits, suspicion| bits | suspicion.condition);
    // The claim is followed beside the model.
    let mut model = without_claims(&model);
    model.waiting.clear();
    // Errors that a state or a step shows are looked for elsewhere; but a step that cannot be taken to its end always counts.
    let checks = Checks { deadlocks: false, assertions: false };
    let options = SearchOptions {
        checks,
        por: false,
        claim_reduction: leave.por,
        all_errors: false,
        ..search_options(&model, settings)
    };
    let (search, fairness) = (settings.strategy.cycle_search(), settings.fairness);
    let claim = match search.needs_one_set() {
        true => claim
            .with_one_set()
            .ok_or_else(|| Unfollowed::new(claim.cycle.span, "its automaton is too large"))?,
        false => claim,
    };
    let others = Others { model: &model, settings, exchange: None };
    let crew = settings.threads.crew(&others);
    let crew = Some(&crew).filter(|_| options.queue_limit.is_none());
    let task = CycleTask { search, claim: &claim, fairness, shortest: settings.strategy.is_shortest(), crew };
    let (outcome, engine) = with_engine(&model, settings, None, |executor| match settings.chosen().1 {
        StoreSpec::Compressed if property == Temporal::Stuck => {
            stuck::<TreeStore>(&model, executor, &options, observer)
        }
        _ if property == Temporal::Stuck => stuck::<ExactStore>(&model, executor, &options, observer),
        StoreSpec::Compressed => cycles::<TreeStore>(&task, &model, executor, &options, observer),
        _ => cycles::<ExactStore>(&task, &model, executor, &options, observer),
    });
    let name = property.name(&loaded.model);
    let automaton_states = claim.states.len();
    let search = match property == Temporal::Stuck || search.is_breadth_first(&claim) {
        true => Strategy::BFS,
        false => Strategy::Cycles(search),
    };
    let (is_suspected, reasons) = (false, Vec::new());
    let mut pass = TemporalPass {
        property,
        name,
        outcome,
        search,
        automaton_states,
        optimisations,
        engine,
        is_suspected,
        reasons,
    };
    if pass.verdict() == VerdictKind::Verified {
        let mut unseen = pass.outcome.unseen;
        if unseen != 0 && matches!(property, Temporal::Formula(_)) {
            let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
            let options = SearchOptions { time, ..options };
            unseen = never_true(&model, settings, Claim { watched: unseen, ..claim }, &options, observer);
        }
        let still = vacuity::unchanging(&loaded.model, property);
        pass.is_suspected = !suspicions.is_empty() || !still.is_empty();
        let seen_nowhere = suspicions.into_iter().filter(|suspicion| suspicion.condition & unseen != 0);
        pass.reasons = still.into_iter().chain(seen_nowhere.map(|suspicion| suspicion.reason)).collect();
    }
    Ok(pass)
}

/// Which of the watched conditions hold in no state of the system. None, if a limit keeps that from being known.
fn never_true(
    model: &Model,
    settings: &CheckSettings,
    claim: Claim,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> u64 {
    let Claim { conditions, watched, .. } = claim;
    let everything = Claim { conditions, watched, ..Claim::of_everything() };
    let fairness = Fairness::None;
    let task = CycleTask {
        search: CycleSearch::default(),
        claim: &everything,
        fairness,
        shortest: false,
        crew: None,
    };
    let (outcome, _) = with_engine(model, settings, None, |executor| match settings.chosen().1 {
        StoreSpec::Compressed => cycles::<TreeStore>(&task, model, executor, options, observer),
        _ => cycles::<ExactStore>(&task, model, executor, options, observer),
    });
    if outcome.complete { outcome.unseen } else { 0 }
}
