//! The search for a violation of one temporal property.

use super::vacuity::{self, Reason};
use super::{Temporal, Unfollowed};
use crate::engine::with_engine;
use crate::plan::search_options;
use crate::{CheckSettings, Loaded, StoreSpec, Strategy, VerdictKind};
use panoptes_model::Model;
use panoptes_optimise::{Optimised, Passes, optimise};
use panoptes_search::{
    Checks, Claim, CycleSearch, CycleTask, Fairness, Observer, Outcome, SearchOptions, cycles, stuck,
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
    // States and steps stay as they are: what a claim sees of them must not change.
    let passes = Passes { pack: settings.passes().pack, ..Passes::NONE };
    let Optimised { mut model, .. } = optimise(&property.alone(&loaded.model), passes);
    model.waiting.clear();
    let mut claim = property.in_alone().claim(&model)?;
    let suspicions = property.suspicions(&loaded.model, &model, &mut claim);
    claim.watched = suspicions.iter().fold(0, |bits, suspicion| bits | suspicion.condition);
    // Errors that a state or a step shows are looked for elsewhere; but a step that cannot be taken to its end always counts.
    let checks = Checks { deadlocks: false, assertions: false };
    let options = SearchOptions { checks, por: false, all_errors: false, ..search_options(&model, settings) };
    let (search, fairness) = (settings.strategy.cycle_search(), settings.fairness);
    let claim = match search.needs_one_set() {
        true => claim
            .with_one_set()
            .ok_or_else(|| Unfollowed::new(claim.cycle.span, "its automaton is too large"))?,
        false => claim,
    };
    let task = CycleTask { search, claim: &claim, fairness, shortest: settings.strategy.is_shortest() };
    let (outcome, _) = with_engine(&model, settings, |executor| match settings.chosen().1 {
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
    let mut pass = TemporalPass { property, name, outcome, search, automaton_states, is_suspected, reasons };
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
    let task = CycleTask { search: CycleSearch::default(), claim: &everything, fairness, shortest: false };
    let (outcome, _) = with_engine(model, settings, |executor| match settings.chosen().1 {
        StoreSpec::Compressed => cycles::<TreeStore>(&task, model, executor, options, observer),
        _ => cycles::<ExactStore>(&task, model, executor, options, observer),
    });
    if outcome.complete { outcome.unseen } else { 0 }
}
