//! The report for scripts: one JSON object, whose keys are a promise.

use crate::View;
use crate::diagnostics::{DiagnosticObject, SCHEMA};
use crate::owners::OwnerObject;
use crate::recurrence::RecurrenceObject;
use crate::sample::{SampleObject, SuspectObject};
use crate::scope::{ScopeObject, StageObject};
use crate::waiting::{self, WaitingObject};
use panoptes_check::{Named, Sought, SoughtKind, SymmetryUse};
use panoptes_search::{Estimates, Limit, Reduction};
use panoptes_store::{DiskAccount, StoreAccount};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    model: &'a str,
    language: &'a str,
    verdict: &'a str,
    complete: bool,
    limits: Vec<&'static str>,
    unchecked: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    end_states: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resting: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeouts: Option<&'static str>,
    search: String,
    /// Only of a directed search.
    #[serde(skip_serializing_if = "Option::is_none")]
    heuristic: Option<&'static str>,
    engine: &'a str,
    store: &'a str,
    reduction: &'a str,
    symmetry: &'static str,
    /// The process types whose processes change places.
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry_processes: Option<&'a [String]>,
    /// Why they do not, where there are processes that are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<ScopeObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    given_up: Vec<GivenUpObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<StageObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filled: Option<FilledObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_look: Option<SecondLookObject>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    foldings: &'a [String],
    optimisations: &'a [&'static str],
    threads: u32,
    /// Only of processes that searched together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cluster: Vec<OwnerObject>,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    along: Option<AlongObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<ReachObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<ExpectedObject<'a>>,
    errors: Vec<ErrorObject<'a>>,
    error_counts: &'a BTreeMap<&'static str, u64>,
    properties: Vec<PropertyObject<'a>>,
    diagnostics: Vec<DiagnosticObject<'a>>,
    states: States,
    #[serde(skip_serializing_if = "Option::is_none")]
    recurrence: Option<RecurrenceObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<SampleObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suspects: Vec<SuspectObject<'a>>,
    unreached: Vec<UnreachedObject<'a>>,
    coverage: CoverageObject,
    cache: Option<CacheObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<DiskObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    control_states: Option<ControlObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<JobsObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<CheckpointObject<'a>>,
    seconds: SecondsObject,
    peak_memory_bytes: Option<u64>,
}

/// Only with `--checkpoint`.
#[derive(Serialize)]
struct CheckpointObject<'a> {
    file: &'a str,
    written: u64,
    resumed: bool,
    resumable: bool,
}

/// Only with `--expect`.
#[derive(Serialize)]
struct ExpectedObject<'a> {
    verdict: &'a str,
    met: bool,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    kind: &'a str,
    /// The name of the one in `properties` that is violated.
    property: &'a str,
    message: &'a str,
    location: Option<&'a str>,
    length: usize,
    spin_length: Option<usize>,
    cycle_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    count: u64,
    trace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_number: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_limit: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

#[derive(Serialize)]
struct PropertyObject<'a> {
    name: &'a str,
    kind: &'a str,
    verdict: &'a str,
    vacuous: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'static str>,
}

/// How many control states were reached.
#[derive(Serialize)]
struct ControlObject {
    reached: usize,
    all: usize,
}

/// A deterministic step that was given up.
#[derive(Serialize)]
struct GivenUpObject<'a> {
    message: &'a str,
    location: &'a str,
}

/// Only of a search along an assertion.
#[derive(Serialize)]
struct AlongObject<'a> {
    assertion: &'a str,
    /// Null if the search ended before it was known.
    performed: Option<bool>,
    length: Option<usize>,
    trace: Option<&'a str>,
}

/// Only of a search for a state in which a condition is true.
#[derive(Serialize)]
struct ReachObject<'a> {
    condition: &'a str,
    /// Null if the search ended before it was known.
    reached: Option<bool>,
    length: Option<usize>,
    spin_length: Option<usize>,
    trace: Option<&'a str>,
}

#[derive(Serialize)]
struct States {
    stored: u64,
    matched: u64,
    transitions: u64,
    expanded: u64,
    passed: u64,
    generated: u64,
    /// Only of directed searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    reopened: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimates: Option<EstimatesObject>,
    max_depth: u64,
    vector_bytes: usize,
    bytes_per_state: f64,
}

/// How far from an error states seemed to be.
#[derive(Serialize)]
struct EstimatesObject {
    initial: u32,
    min: u32,
    max: u32,
}

#[derive(Serialize)]
struct UnreachedObject<'a> {
    process: &'a str,
    location: String,
    statement: &'a str,
}

#[derive(Serialize)]
struct CoverageObject {
    estimate: f64,
    is_bound: bool,
    hash_factor: Option<f64>,
    omission_probability: Option<f64>,
    omitted: Option<f64>,
    collision_probability: Option<f64>,
    passes: Vec<PassObject>,
}

#[derive(Serialize)]
struct PassObject {
    stored: u64,
    added: u64,
    errors_added: usize,
    coverage: f64,
}

#[derive(Serialize)]
struct CacheObject {
    capacity: usize,
    replacement: &'static str,
    gave_way_at: Option<u64>,
    replaced: u64,
    created: u64,
    distinct: u64,
    double_work: f64,
    held_max: usize,
}

#[derive(Serialize)]
struct DiskObject {
    held_max: u64,
    written: u64,
    read: u64,
}

#[derive(Serialize)]
struct FilledObject {
    store: &'static str,
    stored: u64,
}

#[derive(Serialize)]
struct SecondLookObject {
    search: String,
    found: bool,
    stored: u64,
    expanded: u64,
}

#[derive(Serialize)]
struct JobsObject {
    planned: u32,
    run: u32,
    ended: u32,
}

#[derive(Serialize)]
struct SecondsObject {
    front_end: f64,
    compile: f64,
    search: f64,
    search_cpu: Option<f64>,
}

impl View<'_> {
    /// The whole report as one JSON object, with a newline at the end.
    pub fn to_json(&self) -> String {
        self.json(false)
    }

    /// The same on one line.
    pub fn to_json_line(&self) -> String {
        self.json(true)
    }

    fn json(&self, compact: bool) -> String {
        let errors = self.errors.iter().map(|error| ErrorObject {
            kind: error.kind.name(),
            property: &error.property_name,
            message: &error.message,
            location: error.location.as_deref(),
            length: error.length,
            spin_length: error.spin_length,
            cycle_start: error.cycle_start,
            shortest: error.is_shortest,
            count: error.count(),
            trace: error.trace_file.as_deref(),
            trace_number: error.trace_number,
            trace_limit: error.trace_limit.map(Limit::name),
            waiting: WaitingObject::all(error.trace.as_ref().map(|trace| &trace.trace)),
            hint: waiting::hint(error.trace.as_ref().map(|trace| &trace.trace)),
        });
        let unreached = self.unreached.iter().map(|unreached| UnreachedObject {
            process: &unreached.process,
            location: unreached.position.to_string(),
            statement: &unreached.text,
        });
        let properties = self.properties.iter().map(|property| PropertyObject {
            name: &property.name,
            kind: property.kind,
            verdict: property.verdict.name(),
            vacuous: property.vacuous,
            search: property.search.map(|search| search.name()),
        });
        let passes = self.passes.iter().map(|pass| PassObject {
            stored: pass.stored,
            added: pass.added,
            errors_added: pass.errors_added,
            coverage: finite(pass.coverage),
        });
        let statistics = &self.statistics;
        let object = Object {
            schema: SCHEMA,
            model: &self.model,
            language: self.language.name(),
            verdict: self.verdict_name(),
            complete: self.complete,
            limits: self.limits.iter().map(|why| why.name()).collect(),
            unchecked: &self.unchecked,
            end_states: self.meaning.as_ref().map(|meaning| meaning.end_states.name()),
            resting: self.meaning.as_ref().map(|meaning| &meaning.resting[..]),
            timeouts: self.meaning.as_ref().and_then(|meaning| meaning.timeouts).map(|when| when.name()),
            search: self.strategy.to_string(),
            heuristic: self.heuristic,
            engine: self.engine.name(),
            store: self.store.name(),
            reduction: if self.reduction == Reduction::Por { "por" } else { "none" },
            symmetry: if matches!(self.symmetry, SymmetryUse::Used { .. }) { "full" } else { "none" },
            symmetry_processes: match &self.symmetry {
                SymmetryUse::Used { processes, .. } => Some(processes),
                _ => None,
            },
            symmetry_reason: match &self.symmetry {
                SymmetryUse::NotPossible(why) | SymmetryUse::Idle(Some(why)) => Some(why),
                SymmetryUse::Idle(None) => Some("no state was out of order"),
                _ => None,
            },
            scope: self.scope.as_ref().map(ScopeObject::from),
            given_up: self
                .given_up
                .iter()
                .map(|(message, location)| GivenUpObject { message, location })
                .collect(),
            stages: self.stages.iter().map(StageObject::from).collect(),
            filled: self
                .filled
                .as_ref()
                .map(|filled| FilledObject { store: filled.store.name(), stored: filled.stored }),
            second_look: self.second_look.as_ref().map(|look| SecondLookObject {
                search: look.strategy.to_string(),
                found: look.has_found,
                stored: look.statistics.stored,
                expanded: look.statistics.expanded,
            }),
            foldings: &self.foldings,
            optimisations: &self.optimisations,
            threads: self.threads,
            cluster: OwnerObject::all(&self.owners),
            seed: self.seed,
            along: self.sought_of(SoughtKind::Performed).map(|sought| AlongObject {
                assertion: &sought.name,
                performed: self.is_there(sought),
                length: sought.witness.as_ref().map(|witness| witness.length),
                trace: sought.witness.as_ref().and_then(|witness| witness.trace_file.as_deref()),
            }),
            reach: self.sought_of(SoughtKind::Reached).map(|sought| ReachObject {
                condition: &sought.name,
                reached: self.is_there(sought),
                length: sought.witness.as_ref().map(|witness| witness.length),
                spin_length: sought.witness.as_ref().and_then(|witness| witness.spin_length),
                trace: sought.witness.as_ref().and_then(|witness| witness.trace_file.as_deref()),
            }),
            expected: self
                .expected
                .map(|expected| ExpectedObject { verdict: expected.name(), met: expected == self.verdict }),
            errors: errors.collect(),
            error_counts: &self.error_counts,
            properties: properties.collect(),
            diagnostics: DiagnosticObject::all(&self.diagnostics),
            states: States {
                stored: statistics.stored,
                matched: statistics.matched,
                transitions: statistics.transitions,
                expanded: statistics.expanded,
                passed: statistics.passed,
                generated: statistics.generated,
                reopened: statistics.estimates.map(|_| statistics.reopened),
                estimates: statistics.estimates.map(|Estimates { initial, min, max, .. }| EstimatesObject {
                    initial,
                    min,
                    max,
                }),
                max_depth: statistics.max_depth,
                vector_bytes: statistics.vector_bytes,
                bytes_per_state: finite(statistics.bytes_per_state),
            },
            recurrence: self.recurrence.as_ref().map(RecurrenceObject::from),
            profile: self.sample.as_ref().map(SampleObject::from),
            suspects: self.suspects.iter().map(SuspectObject::from).collect(),
            unreached: unreached.collect(),
            coverage: CoverageObject {
                estimate: finite(self.coverage.estimate),
                is_bound: self.coverage.is_bound,
                hash_factor: self.coverage.hash_factor.map(finite),
                omission_probability: self.coverage.omission_probability.map(finite),
                omitted: self.coverage.omitted.map(finite),
                collision_probability: self.coverage.collision_probability.map(finite),
                passes: passes.collect(),
            },
            cache: match self.account {
                StoreAccount::Cache(account) => Some(CacheObject {
                    capacity: account.capacity,
                    replacement: account.replacement.name(),
                    gave_way_at: account.gave_way_at,
                    replaced: account.replaced,
                    created: account.created,
                    distinct: account.distinct,
                    double_work: finite(account.double_work()),
                    held_max: account.held_max,
                }),
                _ => None,
            },
            disk: match self.account {
                StoreAccount::Disk(DiskAccount { held_max, written, read }) => {
                    Some(DiskObject { held_max, written, read })
                }
                _ => None,
            },
            control_states: self
                .control
                .map(|control| ControlObject { reached: control.reached, all: control.all }),
            jobs: self.swarm.map(|swarm| JobsObject {
                planned: swarm.jobs_planned,
                run: swarm.jobs_run,
                ended: swarm.jobs_ended,
            }),
            checkpoint: self.checkpoint.as_ref().map(|checkpoint| CheckpointObject {
                file: &checkpoint.file,
                written: checkpoint.written,
                resumed: checkpoint.is_resumed,
                resumable: checkpoint.is_resumable,
            }),
            seconds: SecondsObject {
                front_end: self.seconds.front_end,
                compile: self.seconds.compile,
                search: self.seconds.search,
                search_cpu: self.seconds.search_cpu,
            },
            peak_memory_bytes: self.peak_memory_bytes,
        };
        line_or_lines(&object, compact)
    }

    fn sought_of(&self, kind: SoughtKind) -> Option<&Sought> {
        self.sought.as_ref().filter(|sought| sought.kind == kind)
    }

    /// Is there an execution of the kind that was looked for, as far as is known?
    fn is_there(&self, sought: &Sought) -> Option<bool> {
        match (&sought.witness, self.searched_all) {
            (Some(_), _) => Some(true),
            (None, true) => Some(false),
            (None, false) => None,
        }
    }

    pub fn verdict_name(&self) -> &'static str {
        self.verdict.name()
    }
}

/// An object for a person who looks at it, or as one line among others; with a newline at the end.
pub(crate) fn line_or_lines(object: &impl Serialize, compact: bool) -> String {
    let text = if compact { serde_json::to_string(object) } else { serde_json::to_string_pretty(object) };
    text.expect("all keys are strings, all numbers finite") + "\n"
}

fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}
