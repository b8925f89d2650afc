//! One check, summed up: everything that the text and the JSON say, before either is written.

mod coverage;
mod diagnostic;
mod error;
mod excerpt;
mod meaning;
mod properties;
mod unreached;

pub use coverage::{ControlCoverage, Coverage};
pub use diagnostic::DiagnosticReport;
pub use error::{ErrorReport, Sought, SoughtKind};
pub use excerpt::{Excerpt, Part, Survey};
pub use meaning::MeaningReport;
pub use properties::PropertyReport;
pub use unreached::Unreached;
use unreached::unreached;

use crate::verdict::Verdict;
use crate::{
    CheckSettings, Engine, Filled, Language, Loaded, Pass, Property, Sample, SecondLook, StoreSpec, Strategy,
    Suspect, SwarmSummary, SymmetryUse, VerdictKind,
};
use panoptes_model::{Goal, Model};
use panoptes_search::{
    Fairness, Limit, Outcome, OwnerStatistics, Recurrence, Reduction, Scope, Stage, Statistics,
};
use panoptes_source::{Diagnostic, SourceMap};
use panoptes_store::StoreAccount;
use std::collections::BTreeMap;

/// Why a check is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyIncomplete {
    Limit(Limit),
    /// The model states properties that were not looked at.
    UncheckedProperties,
}

impl WhyIncomplete {
    pub fn name(self) -> &'static str {
        match self {
            WhyIncomplete::Limit(limit) => limit.name(),
            WhyIncomplete::UncheckedProperties => "unchecked-properties",
        }
    }
}

/// What a check found, with the numbers behind it.
#[derive(Clone, Debug)]
pub struct Report {
    pub model: String,
    pub language: Language,
    pub verdict: VerdictKind,
    /// Everything asked for was looked at, in every state that can be reached.
    pub complete: bool,
    /// The state space itself was searched to its end.
    pub searched_all: bool,
    /// It stopped at its first error; what limits it had did not end it.
    pub stopped_at_error: bool,
    /// Why the check is not complete.
    pub limits: Vec<WhyIncomplete>,
    /// Deterministic steps that were given up: what is known of each, and its place.
    pub given_up: Vec<(String, String)>,
    /// The limit was met before the search could begin.
    pub unsearched: Option<Before>,
    /// What was looked for, in words.
    pub checked: Vec<String>,
    /// The execution that was looked for in place of errors, and what came of it.
    pub sought: Option<Sought>,
    /// Properties that the model states and this check does not cover.
    pub unchecked: Vec<String>,
    /// The choices that its language leaves open.
    pub meaning: Option<MeaningReport>,
    /// Deadlocks were looked for, so it counts where processes may end.
    pub judges_ends: bool,
    /// Which infinite executions count, if any were looked at.
    pub fairness: Option<Fairness>,
    /// The strategy that was used.
    pub strategy: Strategy,
    /// What led a directed search.
    pub heuristic: Option<&'static str>,
    /// The passes that changed the model before the search.
    pub optimisations: Vec<&'static str>,
    pub store: StoreSpec,
    /// What computed the steps.
    pub engine: Engine,
    /// What the store says about its answers.
    pub account: StoreAccount,
    /// The passes of a bit-state search, if there were several.
    pub passes: Vec<Pass>,
    /// The bound on depth that was asked for.
    pub depth_max: Option<u64>,
    /// A bound on memory was asked for.
    pub has_memory_limit: bool,
    /// Only states at loop heads and labels were stored.
    pub loop_states: bool,
    pub reduction: Reduction,
    pub symmetry: SymmetryUse,
    /// What a scatter search was allowed to look at.
    pub scope: Option<Scope>,
    /// The searches of an escalation.
    pub stages: Vec<Stage>,
    pub foldings: Vec<String>,
    pub swarm: Option<SwarmSummary>,
    /// The search before this one, whose memory was full.
    pub filled: Option<Filled>,
    /// What was done after memory had ended the search.
    pub second_look: Option<SecondLook>,
    /// How many threads searched at a time.
    pub threads: u32,
    /// What each of several processes did that searched together.
    pub owners: Vec<OwnerStatistics>,
    /// Of a search that is made to look at a part, and did: how many control states it reached.
    pub control: Option<ControlCoverage>,
    pub seed: u64,
    /// Each distinct error once.
    pub errors: Vec<ErrorReport>,
    /// What was checked, one by one.
    pub properties: Vec<PropertyReport>,
    /// The warnings about the text, those included that only a search can give.
    pub diagnostics: Vec<DiagnosticReport>,
    /// The warnings that only the search could give.
    pub search_warnings: Vec<Diagnostic>,
    /// Where the search was written down, if it was.
    pub checkpoint: Option<CheckpointReport>,
    /// The verdict that is right for the model, if that was said.
    pub expected: Option<VerdictKind>,
    /// How often errors of each kind were met.
    pub error_counts: BTreeMap<&'static str, u64>,
    pub statistics: Statistics,
    /// How often states were met again, if that was asked for.
    pub recurrence: Option<Recurrence>,
    /// What makes the states, if that was asked for.
    pub sample: Option<Sample>,
    /// Of a search that was too large: what may be to blame.
    pub suspects: Vec<Suspect>,
    /// Only after a complete search: before its end, much is unreached that will be reached. Not after a reduced search
    /// for deadlocks alone, which may put off some steps for ever.
    pub unreached: Vec<Unreached>,
    pub coverage: Coverage,
    pub seconds: Seconds,
    pub peak_memory_bytes: Option<u64>,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seconds {
    pub front_end: f64,
    pub compile: f64,
    pub search: f64,
    /// Of the processor, for compiling and searching, where the system tells.
    pub search_cpu: Option<f64>,
}

/// What there is to say of the file that a search was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointReport {
    pub file: String,
    /// How often this process wrote it.
    pub written: u64,
    /// The search went on from there.
    pub is_resumed: bool,
    /// Another process can go on from there.
    pub is_resumable: bool,
}

/// What was not done when a limit was met before a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The text was not read to its end.
    Read,
    /// It was read, but not made ready for a search.
    Prepared,
    /// Several processes searched, but what they found was not put together.
    Gathered,
}

impl Report {
    /// Sums up a verdict. The errors are listed as the search found them; their traces come later.
    pub(crate) fn new(
        loaded: &Loaded,
        settings: &CheckSettings,
        mut verdict: Verdict,
        seconds: Seconds,
    ) -> Report {
        let properties = PropertyReport::all(loaded, settings, &verdict);
        let found = std::mem::take(&mut verdict.outcome.errors);
        let is_found =
            !found.is_empty() || verdict.temporal.iter().any(|pass| !pass.outcome.errors.is_empty());
        let is_of_second_look = verdict.second_look.is_some_and(|look| look.has_found);
        let stopped_at_error = !settings.all_errors && is_found && !is_of_second_look;
        let statistics = verdict.statistics();
        let (goals, errors): (Vec<_>, Vec<_>) = found.into_iter().partition(|error| error.kind.is_witness());
        let asked = settings.property;
        let is_shortest = verdict.outcome.is_shortest;
        let report = |error| ErrorReport { is_shortest, ..ErrorReport::new(loaded, asked, error, None) };
        let sought = Sought::of(&loaded.model, goals.into_iter().next().map(report));
        let mut temporal = Vec::new();
        for pass in &mut verdict.temporal {
            let found = std::mem::take(&mut pass.outcome.errors);
            let is_shortest = pass.outcome.is_shortest;
            let report = |error| ErrorReport {
                is_shortest,
                ..ErrorReport::new(loaded, asked, error, Some(pass.property))
            };
            temporal.extend(found.into_iter().map(report));
        }
        let outcome = &verdict.outcome;
        let is_partial = verdict.strategy.is_partial() && !outcome.complete;
        let control = is_partial.then(|| ControlCoverage::of(&loaded.model, &outcome.executed));
        let mut limits: Vec<WhyIncomplete> =
            verdict.limits.iter().copied().map(WhyIncomplete::Limit).collect();
        if !verdict.unchecked.is_empty() {
            limits.push(WhyIncomplete::UncheckedProperties);
        }
        let mut error_counts = BTreeMap::new();
        let of_all = verdict.temporal.iter().map(|pass| &pass.outcome).chain([outcome]);
        for (kind, count) in
            of_all.flat_map(|outcome| outcome.error_counts.iter()).filter(|(kind, _)| !kind.is_witness())
        {
            *error_counts.entry(kind.name()).or_insert(0) += count;
        }
        let titles = verdict.temporal.iter().map(|pass| pass.property.title(&loaded.model));
        let sees_everything =
            settings.property.is_safety() && outcome.complete && loaded.model.goal().is_none();
        let unreached = match sees_everything && executes_everything(outcome, settings.property) {
            true => unreached(loaded, &outcome.executed),
            false => Vec::new(),
        };
        let searched_all = outcome.complete && verdict.temporal.iter().all(|pass| pass.outcome.complete);
        let unreached_assertions = unreached.iter().filter_map(Unreached::warning);
        let vacuous = verdict.temporal.iter().flat_map(|pass| pass.warnings(&loaded.model));
        let is_wanted =
            |warning: &Diagnostic| warning.warning.is_none_or(|name| loaded.warnings_wanted.contains(name));
        let search_warnings: Vec<Diagnostic> =
            unreached_assertions.chain(vacuous).filter(is_wanted).collect();
        let texts = loaded.warnings.iter().chain(&search_warnings);
        let diagnostics = texts.map(|warning| DiagnosticReport::of(&loaded.sources, warning)).collect();
        Report {
            model: loaded.origin.model.clone(),
            language: loaded.language,
            verdict: verdict.kind,
            complete: searched_all && verdict.unchecked.is_empty(),
            searched_all,
            stopped_at_error,
            limits,
            given_up: outcome
                .given_up
                .iter()
                .map(|fault| (fault.message.clone(), loaded.sources.user_position(fault.span).to_string()))
                .collect(),
            unsearched: None,
            checked: checked(loaded, settings.property, outcome).into_iter().chain(titles).collect(),
            sought,
            unchecked: verdict.unchecked.clone(),
            meaning: MeaningReport::of(loaded),
            judges_ends: settings.property.checks(&loaded.model).deadlocks,
            fairness: (!verdict.temporal.is_empty()).then_some(settings.fairness),
            strategy: verdict.strategy,
            heuristic: settings.heuristic(&loaded.model).map(|choice| choice.kind.name()),
            store: verdict.store,
            optimisations: verdict.optimisations.names(),
            engine: verdict.engine.engine(),
            account: outcome.store.clone(),
            passes: verdict.passes.clone(),
            depth_max: verdict.depth_max,
            has_memory_limit: settings.limits.memory.is_some(),
            loop_states: settings.loop_states,
            reduction: verdict.reduction(),
            symmetry: verdict.symmetry.clone(),
            scope: verdict.scope,
            threads: verdict.swarm.map_or(outcome.threads.max(1) as u32, |swarm| swarm.threads),
            owners: outcome.owners.clone(),
            swarm: verdict.swarm,
            filled: verdict.filled,
            second_look: verdict.second_look,
            control,
            stages: outcome.stages.clone(),
            foldings: settings
                .foldings
                .iter()
                .map(|part| format!("{} {}", part.what(), part.name()))
                .collect(),
            seed: settings.seed,
            errors: errors.into_iter().map(report).chain(temporal).collect(),
            properties,
            diagnostics,
            search_warnings,
            checkpoint: None,
            expected: None,
            error_counts,
            statistics,
            recurrence: outcome.recurrence.clone(),
            sample: None,
            suspects: Vec::new(),
            unreached,
            coverage: Coverage::of(outcome).at_most(control),
            seconds,
            peak_memory_bytes: None,
        }
    }

    /// Nothing was searched: `limit` was met before.
    pub fn unsearched(
        name: &str,
        language: Language,
        settings: &CheckSettings,
        (limit, before): (Limit, Before),
        seconds: Seconds,
    ) -> Report {
        // There is no model to tell about, or none that was looked at.
        let (model, sources) = (Model::default(), SourceMap::default());
        let loaded = Loaded::bare(name, language, model, sources);
        let verdict = Verdict::unsearched(settings, limit);
        Report { unsearched: Some(before), ..Report::new(&loaded, settings, verdict, seconds) }
    }

    /// The error whose trace is shown.
    pub fn shown_error(&self) -> Option<&ErrorReport> {
        let witness = self.sought.as_ref().and_then(|sought| sought.witness.as_ref());
        witness.into_iter().chain(&self.errors).find(|error| error.trace.is_some())
    }

    /// All errors and the witness.
    pub fn findings_mut(&mut self) -> impl Iterator<Item = &mut ErrorReport> {
        let witness = self.sought.iter_mut().filter_map(|sought| sought.witness.as_mut());
        witness.chain(&mut self.errors)
    }

    /// No trace is to be shown.
    pub fn forget_traces(&mut self) {
        self.findings_mut().for_each(|error| error.trace = None);
    }
}

/// What a check of this property looks for.
fn checked(loaded: &Loaded, property: Property, outcome: &Outcome) -> Vec<String> {
    match loaded.model.goal() {
        Some(Goal::Performed(assertion)) => {
            return vec![format!("whether `{}` can be performed", assertion.name)];
        }
        Some(Goal::Reached(condition)) => return vec![format!("whether `{}` is reached", condition.text)],
        None => {}
    }
    if !property.is_safety() {
        return Vec::new();
    }
    let deadlocks = property != Property::Assertions;
    let assertions = property != Property::Deadlock;
    let words = [
        ("deadlocks", deadlocks),
        ("unspecified receptions", deadlocks && loaded.language == Language::Argos),
        (
            "assertions",
            assertions && (loaded.language != Language::Argos || !loaded.model.requirements.is_empty()),
        ),
        ("the trace assertion", assertions && loaded.model.monitor.is_some()),
        (
            if loaded.model.invariants.len() == 1 { "the invariant" } else { "the invariants" },
            !loaded.model.invariants.is_empty(),
        ),
        // Where only deadlocks are looked for, a reduced search may leave out a step that goes wrong.
        ("run-time errors", executes_everything(outcome, property)),
    ];
    words.iter().filter(|(_, looked_for)| *looked_for).map(|(word, _)| word.to_string()).collect()
}

/// Does a search to the end take every step that can be reached?
fn executes_everything(outcome: &Outcome, property: Property) -> bool {
    outcome.reduction != Reduction::Por || property != Property::Deadlock
}
