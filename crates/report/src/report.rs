//! One check, summed up: everything that the text and the JSON say, before either is written.

use crate::diagnostics::DiagnosticReport;
use crate::meaning::MeaningReport;
use crate::properties::PropertyReport;
use crate::scope::ControlCoverage;
use crate::{Before, Excerpt, Unreached, unreached};
use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Named, Pass, Property, StoreSpec, Strategy, SwarmSummary,
    Verdict, VerdictKind,
};
use panoptes_exec::FaultKind;
use panoptes_search::{
    ErrorKind, FoundError, Limit, Outcome, Recurrence, Reduction, Scope, Stage, Statistics,
};
use panoptes_store::StoreAccount;
use panoptes_trace::Standing;
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
    pub language: &'static str,
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
    /// The assertion along which was searched, and what came of it.
    pub along: Option<Along>,
    /// Properties that the model states and this check does not cover.
    pub unchecked: Vec<String>,
    /// The choices that its language leaves open.
    pub meaning: Option<MeaningReport>,
    /// Deadlocks were looked for, so it counts where processes may end.
    pub judges_ends: bool,
    /// The strategy that was used.
    pub strategy: Strategy,
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
    /// What a scatter search was allowed to look at.
    pub scope: Option<Scope>,
    /// The searches of an escalation.
    pub stages: Vec<Stage>,
    pub foldings: Vec<String>,
    pub swarm: Option<SwarmSummary>,
    /// Of a search that is made to look at a part, and did: how many control states it reached.
    pub control: Option<ControlCoverage>,
    pub seed: u64,
    /// Each distinct error once.
    pub errors: Vec<ErrorReport>,
    /// What was checked, one by one.
    pub properties: Vec<PropertyReport>,
    /// The warnings about the text.
    pub diagnostics: Vec<DiagnosticReport>,
    /// The verdict that is right for the model, if that was said.
    pub expected: Option<VerdictKind>,
    /// How often errors of each kind were met.
    pub error_counts: BTreeMap<&'static str, u64>,
    pub statistics: Statistics,
    /// How often states were met again, if that was asked for.
    pub recurrence: Option<Recurrence>,
    /// Only after a complete search: before its end, much is unreached that will be reached. Not after a reduced search
    /// for deadlocks alone, which may put off some steps for ever.
    pub unreached: Vec<Unreached>,
    pub coverage: Coverage,
    pub seconds: Seconds,
    pub peak_memory_bytes: Option<u64>,
}

/// What a search along an assertion found.
#[derive(Clone, Debug)]
pub struct Along {
    pub assertion: String,
    /// The execution that completes it, if one was found.
    pub witness: Option<ErrorReport>,
}

impl Along {
    fn of(loaded: &Loaded, outcome: &Outcome) -> Option<Along> {
        let goal = loaded.model.goal()?;
        let found = outcome.errors.iter().find(|error| error.kind.is_goal());
        let witness = found.map(|error| ErrorReport::new(loaded, error));
        Some(Along { assertion: goal.name.clone(), witness })
    }
}

/// One distinct error.
#[derive(Clone, Debug)]
pub struct ErrorReport {
    pub kind: ErrorKind,
    pub message: String,
    /// `file:line:column`.
    pub location: Option<String>,
    /// Executed steps; a rendezvous is one.
    pub length: usize,
    /// The same as SPIN counts, which takes a rendezvous for two steps.
    pub spin_length: Option<usize>,
    /// How often it was met.
    pub count: u64,
    /// Its path, walked on the reference executor, or the ends of it.
    pub trace: Option<Excerpt>,
    /// Where the trace was saved, and its number there if there are several.
    pub trace_file: Option<String>,
    pub trace_number: Option<usize>,
    /// The limit that did not allow to find, walk or save its path.
    pub trace_limit: Option<Limit>,
}

/// How much of what there is was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// One after a complete search; otherwise an upper bound: the share of the states met whose successors were
    /// computed or, where a depth bound cuts, the share of the successors that were followed if that is less. What
    /// lies beyond the states met is not in it. A search made to look at a part also counts the control states it reached. If the store may confuse states, times the share that it did not miss.
    pub estimate: f64,
    /// That share is not about this large, but at most.
    pub is_bound: bool,
    /// Slots per state, for stores that may confuse states.
    pub hash_factor: Option<f64>,
    /// How likely one more new state would be taken for a known one, with such stores.
    pub omission_probability: Option<f64>,
    /// How many states were, about.
    pub omitted: Option<f64>,
    /// How likely any was, with fingerprints.
    pub collision_probability: Option<f64>,
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

impl Report {
    /// Sums up a verdict. The errors are listed as the search found them; whoever replays them adds their traces.
    pub fn new(
        name: &str,
        loaded: &Loaded,
        settings: &CheckSettings,
        verdict: &Verdict,
        seconds: Seconds,
    ) -> Report {
        let outcome = &verdict.outcome;
        let is_partial = verdict.strategy.is_partial() && !outcome.complete;
        let control = is_partial.then(|| ControlCoverage::of(&loaded.model, &outcome.executed));
        let mut limits: Vec<WhyIncomplete> =
            verdict.limits.iter().copied().map(WhyIncomplete::Limit).collect();
        if !verdict.unchecked.is_empty() {
            limits.push(WhyIncomplete::UncheckedProperties);
        }
        let mut error_counts = BTreeMap::new();
        for (kind, count) in outcome.error_counts.iter().filter(|(kind, _)| !kind.is_goal()) {
            *error_counts.entry(kind.name()).or_insert(0) += count;
        }
        let errors = outcome.errors.iter().filter(|error| !error.kind.is_goal());
        let sees_everything = outcome.complete && loaded.model.goal().is_none();
        Report {
            model: name.to_string(),
            language: loaded.language.name(),
            verdict: verdict.kind,
            complete: outcome.complete && verdict.unchecked.is_empty(),
            searched_all: outcome.complete,
            stopped_at_error: !settings.all_errors && !outcome.errors.is_empty(),
            limits,
            given_up: outcome
                .given_up
                .iter()
                .map(|fault| (fault.message.clone(), loaded.sources.user_position(fault.span).to_string()))
                .collect(),
            unsearched: None,
            checked: checked(loaded, settings.property, outcome),
            along: Along::of(loaded, outcome),
            unchecked: verdict.unchecked.clone(),
            meaning: MeaningReport::of(loaded),
            judges_ends: loaded.model.goal().is_none() && settings.property != Property::Assertions,
            strategy: verdict.strategy,
            store: verdict.store,
            optimisations: verdict.optimisations.names(),
            engine: verdict.engine.engine(),
            account: outcome.store.clone(),
            passes: verdict.passes.clone(),
            depth_max: verdict.depth_max,
            has_memory_limit: settings.limits.memory.is_some(),
            loop_states: settings.loop_states,
            reduction: outcome.reduction,
            scope: verdict.scope,
            swarm: verdict.swarm,
            control,
            stages: outcome.stages.clone(),
            foldings: settings
                .foldings
                .iter()
                .map(|part| format!("{} {}", part.what(), part.name()))
                .collect(),
            seed: settings.seed,
            errors: errors.map(|error| ErrorReport::new(loaded, error)).collect(),
            properties: PropertyReport::all(loaded, settings, verdict),
            diagnostics: DiagnosticReport::all(&loaded.sources, &loaded.warnings),
            expected: None,
            error_counts,
            statistics: outcome.statistics,
            recurrence: outcome.recurrence.clone(),
            unreached: match sees_everything && executes_everything(outcome, settings.property) {
                true => unreached(loaded, &outcome.executed),
                false => Vec::new(),
            },
            coverage: Coverage::of(outcome).at_most(control),
            seconds,
            peak_memory_bytes: None,
        }
    }
}

impl Report {
    /// No trace is to be shown.
    pub fn forget_traces(&mut self) {
        let witness = self.along.iter_mut().filter_map(|along| along.witness.as_mut());
        witness.chain(&mut self.errors).for_each(|error| error.trace = None);
    }
}

impl ErrorReport {
    fn new(loaded: &Loaded, error: &FoundError) -> ErrorReport {
        // An invariant stands on the command line.
        let of_text = error.fault.as_ref().filter(|fault| fault.kind != FaultKind::Invariant);
        let place = |fault: &panoptes_exec::Fault| loaded.sources.user_position(fault.span).to_string();
        // A deadlock that is walked again says more: see `add_trace`.
        let stuck = stuck(loaded, error);
        let deadlock = || deadlock_message(&stuck.iter().collect::<Vec<_>>());
        let first = stuck.first().map(|process| process.location.clone());
        ErrorReport {
            kind: error.kind,
            message: error.fault.as_ref().map_or_else(deadlock, |fault| fault.message.clone()),
            location: of_text.map(place).or(first),
            length: error.length,
            spin_length: (error.path.len() == error.length)
                .then(|| error.length + error.path.iter().filter(|step| step.partner.is_some()).count()),
            count: error.count,
            trace: None,
            trace_file: None,
            trace_number: None,
            trace_limit: error.lost_to,
        }
    }

    /// Adds the walked path, and for a deadlock what it tells about who waits where.
    pub fn add_trace(&mut self, trace: Excerpt) {
        let end = trace.trace.end.as_ref().map_or(&[][..], |end| &end.processes);
        let stuck: Vec<&Standing> = end.iter().filter(|process| !process.may_end).collect();
        if self.kind == ErrorKind::Fault(FaultKind::Invariant) {
            // Walked only as far as is needed.
            self.length = trace.length();
            self.spin_length = Some(self.length + trace.survey.rendezvous);
        }
        if self.kind == ErrorKind::Deadlock {
            self.location = stuck.first().map(|process| process.location.clone());
            self.message = deadlock_message(&stuck);
        }
        self.trace = Some(trace);
    }
}

/// The processes of a deadlock that are not where they may end, as the search knows them.
fn stuck(loaded: &Loaded, error: &FoundError) -> Vec<Standing> {
    let standing = error.standing.iter().zip(0..).filter_map(|((process, state), pid)| {
        let process = loaded.model.processes.get(process.index())?;
        let control = process.states.get(state.index()).filter(|control| !control.end)?;
        Some(Standing {
            pid,
            process: process.name.clone(),
            state: state.0,
            location: loaded.sources.user_position(control.span).to_string(),
            labels: Vec::new(),
            next: Vec::new(),
            may_end: false,
            waits: Vec::new(),
            held: None,
        })
    });
    standing.collect()
}

/// `no process can move: left[0] waits at a.pml:3:5, right[1] at a.pml:9:5 and 2 more`.
fn deadlock_message(stuck: &[&Standing]) -> String {
    const NAMED_MAX: usize = 4;
    let who = |process: &&Standing| format!("{}[{}] at {}", process.process, process.pid, process.location);
    let named: Vec<String> = stuck.iter().take(NAMED_MAX).map(who).collect();
    match stuck.len().saturating_sub(NAMED_MAX) {
        // Every process may end here, so it is the monitor that may not.
        _ if stuck.is_empty() => "the trace assertion is not completed, and no process can move".to_string(),
        0 => format!("no process can move: {}", named.join(", ")),
        more => format!("no process can move: {} and {more} more", named.join(", ")),
    }
}

impl Coverage {
    /// A search made to look at a part has not seen a larger share of the states than of the control states.
    fn at_most(self, control: Option<ControlCoverage>) -> Coverage {
        let share = control.map_or(1.0, |control| control.reached as f64 / control.all.max(1) as f64);
        Coverage { estimate: self.estimate.min(share), ..self }
    }

    fn of(outcome: &Outcome) -> Coverage {
        let statistics = &outcome.statistics;
        let share = |part: u64, whole: u64| (part as f64 / whole.max(1) as f64).min(1.0);
        let expanded = share(statistics.expanded, statistics.stored);
        let followed = share(statistics.transitions, statistics.generated + 1);
        let estimate = match outcome.complete {
            true => 1.0,
            false if outcome.limits.iter().any(|limit| matches!(limit, Limit::Depth | Limit::Branching)) => {
                expanded.min(followed)
            }
            false => expanded,
        };
        let exact = Coverage {
            estimate,
            is_bound: !outcome.complete,
            hash_factor: None,
            omission_probability: None,
            omitted: None,
            collision_probability: None,
        };
        match &outcome.store {
            StoreAccount::Exact | StoreAccount::Cache(_) => exact,
            StoreAccount::Bitstate(account) => Coverage {
                estimate: estimate * account.coverage,
                is_bound: account.is_bound,
                hash_factor: Some(account.hash_factor),
                omission_probability: Some(account.omission_probability),
                omitted: Some(account.omitted),
                ..exact
            },
            StoreAccount::Direct(account) => Coverage {
                hash_factor: Some(account.bits as f64 / account.stored.max(1) as f64),
                omission_probability: Some(0.0),
                omitted: Some(0.0),
                ..exact
            },
            StoreAccount::HashCompact(account) => Coverage {
                estimate: estimate * account.coverage,
                is_bound: estimate < 1.0 || outcome.limits != [Limit::HashCompact],
                omitted: Some(account.omitted),
                collision_probability: Some(account.collision_probability),
                ..exact
            },
        }
    }
}

/// What a check of this property looks for.
fn checked(loaded: &Loaded, property: Property, outcome: &Outcome) -> Vec<String> {
    if let Some(goal) = loaded.model.goal() {
        return vec![format!("whether `{}` can be performed", goal.name)];
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
