//! The search for a violation of one temporal property.

use super::{Temporal, Unfollowed};
use crate::engine::with_engine;
use crate::plan::search_options;
use crate::{CheckSettings, Loaded, StoreSpec, Strategy, VerdictKind};
use panoptes_model::Model;
use panoptes_optimise::{Optimised, Passes, optimise};
use panoptes_search::{Checks, CycleTask, Observer, Outcome, SearchOptions, cycles};
use panoptes_source::{Diagnostic, Warning};
use panoptes_store::{ExactStore, TreeStore};

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
    /// It has premises, conditions on the left of a `->`.
    pub has_premises: bool,
}

impl TemporalPass {
    /// Does it hold only because a premise never does? Not known of properties without premises, and of what does not hold.
    pub fn is_vacuous(&self) -> Option<bool> {
        let is_known = self.has_premises && self.verdict() == VerdictKind::Verified;
        is_known.then_some(self.outcome.unseen != 0)
    }

    /// What to say if so.
    pub(crate) fn warning(&self, model: &Model) -> Option<Diagnostic> {
        let Temporal::Formula(index) = self.property else { return None };
        self.is_vacuous().filter(|is_vacuous| *is_vacuous)?;
        let message = format!("ltl {} holds, but what it says `->` of never happens", self.name);
        let help = "see why the condition before `->` is never true; `--invariant '!(CONDITION)'` proves that it is not";
        let warning = Diagnostic::warning(Warning::VacuousProperty, model.temporal[index].span, message);
        Some(warning.help(help))
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
    // States and steps stay as they are: what a claim sees of them must not change.
    let passes = Passes { pack: settings.passes().pack, ..Passes::NONE };
    let Optimised { mut model, .. } = optimise(&property.alone(&loaded.model), passes);
    model.waiting.clear();
    let claim = property.in_alone().claim(&model)?;
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
        StoreSpec::Compressed => cycles::<TreeStore>(&task, &model, executor, &options, observer),
        _ => cycles::<ExactStore>(&task, &model, executor, &options, observer),
    });
    let name = property.name(&loaded.model);
    let (automaton_states, has_premises) = (claim.states.len(), claim.watched != 0);
    let search = if search.is_breadth_first(&claim) { Strategy::BFS } else { Strategy::Cycles(search) };
    Ok(TemporalPass { property, name, outcome, search, automaton_states, has_premises })
}
