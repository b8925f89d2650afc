//! A check that the page asks for: progress while it runs, then what it found, with the walks that show it.
//!
//! The answer is a stream of lines, each a JSON object. Whoever stops reading it stops the search.

use crate::Refusal;
use crate::explorer::{Explorer, WALK_MAX};
use crate::text::ExtraProperties;
use panoptes_check::{
    CheckSettings, Fairness, Limits, Loaded, Property, Report, Strategy, TraceRecorder, check_and_record,
};
use panoptes_report::View;
use panoptes_search::{Observer, Statistics};
use panoptes_trace::{Trace, TraceStep};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two lines of progress.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// Errors whose walks are sent.
const WALKS_MAX: usize = 20;
/// A condition or a formula may be so long, in bytes.
const TEXT_MAX: usize = 4_000;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SearchQuestion {
    /// The name of a property; everything that the model states if there is none.
    pub property: Option<String>,
    pub invariant: Option<String>,
    pub reach: Option<String>,
    pub ltl: Option<String>,
    /// `none`, `weak`, `strong`.
    pub fairness: Option<String>,
    /// A shortest error is wanted.
    pub shortest: bool,
    /// List all errors.
    pub all_errors: bool,
    /// May be less than the page is allowed.
    pub seconds: Option<u64>,
}

/// A search that can begin.
pub(crate) struct Prepared {
    loaded: Loaded,
    settings: CheckSettings,
}

impl Explorer {
    pub(crate) fn prepare(&self, question: SearchQuestion) -> Result<Prepared, Refusal> {
        let texts = [&question.invariant, &question.reach, &question.ltl, &question.property];
        if texts.into_iter().flatten().any(|text| text.len() > TEXT_MAX) {
            return Err(Refusal::wrong(format!("a text is longer than {TEXT_MAX} bytes")));
        }
        let extra = ExtraProperties {
            invariants: question.invariant.into_iter().collect(),
            reach: question.reach,
            formula: question.ltl,
        };
        let loaded = self.text.load_with_extra(extra).map_err(Refusal::wrong)?;
        let property = match (&question.property, loaded.given()) {
            (Some(name), _) => {
                Property::of_model(name, &loaded.model).map_err(|error| Refusal::wrong(error.to_string()))?
            }
            (None, Some(given)) => Property::Temporal(given),
            (None, None) => Property::Everything,
        };
        let fairness = match question.fairness.as_deref() {
            None | Some("none") => Fairness::None,
            Some("weak") => Fairness::Weak,
            Some("strong") => Fairness::Strong,
            Some(other) => return Err(Refusal::wrong(format!("there is no fairness `{other}`"))),
        };
        let asked = question.seconds.map(Duration::from_secs).unwrap_or(self.limits.time);
        let limits = Limits {
            time: Some(asked.min(self.limits.time)),
            memory: Some(self.limits.memory),
            ..Limits::default()
        };
        let mut settings = CheckSettings {
            property,
            fairness,
            all_errors: question.all_errors,
            limits,
            strategy: if question.shortest { Strategy::SHORTEST } else { Strategy::Auto },
            ..CheckSettings::default()
        };
        settings.semantics.lossy = self.lossy;
        Ok(Prepared { loaded, settings })
    }

    /// Runs the search; each line is told as it comes. It ends early when `stop` is set.
    pub(crate) fn run(&self, prepared: &Prepared, stop: &Arc<AtomicBool>, tell: &mut dyn FnMut(Value, bool)) {
        let Prepared { loaded, settings } = prepared;
        let mut walks = Walks::default();
        let mut observer = Teller { tell, stop: stop.clone(), start: Instant::now(), told: None };
        let report = check_and_record(loaded, settings, &mut observer, &mut walks);
        let line = match report {
            Ok(report) => self.found(loaded, &report, &walks),
            Err(error) => json!({ "error": error.to_string() }),
        };
        tell(line, true);
    }

    /// The last line: the report, and for each error the walk that shows it.
    fn found(&self, loaded: &Loaded, report: &Report, walks: &Walks) -> Value {
        let object: Value = serde_json::from_str(&View(report).to_json_line()).unwrap_or(Value::Null);
        let walk = |walk: &RecordedWalk| {
            let path = match walk.is_whole {
                true => self.choices_of(loaded, &walk.steps).map_err(|refusal| refusal.message),
                false => Err(format!("it has more than {WALK_MAX} steps")),
            };
            // The condition beside the model must not have changed what its steps are.
            let path = path.and_then(|path| match self.is_same_walk(loaded, &path) {
                Ok(true) => Ok(path),
                Ok(false) => Err("its steps are not those of the model that is explored".to_string()),
                Err(refusal) => Err(refusal.message),
            });
            let head = &walk.head;
            json!({
                "error": head.error,
                "length": head.length,
                "path": path.as_ref().ok(),
                "why_no_path": path.as_ref().err(),
            })
        };
        let walks: Vec<Value> = walks.all.iter().map(walk).collect();
        json!({ "report": object, "walks": walks })
    }
}

/// Tells how far a search is, not too often.
struct Teller<'a> {
    tell: &'a mut dyn FnMut(Value, bool),
    stop: Arc<AtomicBool>,
    start: Instant,
    told: Option<Instant>,
}

impl Observer for Teller<'_> {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        if self.told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            self.told = Some(Instant::now());
            let seconds = self.start.elapsed().as_secs_f64();
            (self.tell)(
                json!({ "progress": {
                    "states": statistics.stored,
                    "transitions": statistics.transitions,
                    "depth": statistics.max_depth,
                    "bytes": statistics.store_bytes + statistics.search_bytes,
                    "seconds": seconds,
                } }),
                false,
            );
        }
        match self.stop.load(Ordering::SeqCst) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        Some(self.stop.clone())
    }
}

/// The walks of the first errors.
#[derive(Default)]
struct Walks {
    all: Vec<RecordedWalk>,
    /// More traces follow than are kept.
    is_full: bool,
}

struct RecordedWalk {
    head: Trace,
    steps: Vec<TraceStep>,
    is_whole: bool,
}

impl TraceRecorder for Walks {
    fn begin(&mut self, _: usize, head: &Trace) {
        self.is_full = self.all.len() >= WALKS_MAX;
        if !self.is_full {
            let head = Trace { initial: None, end: None, ..head.clone() };
            self.all.push(RecordedWalk { head, steps: Vec::new(), is_whole: true });
        }
    }

    fn step(&mut self, step: &TraceStep) {
        let Some(last) = self.all.last_mut().filter(|_| !self.is_full) else { return };
        last.is_whole = last.steps.len() < WALK_MAX;
        if last.is_whole {
            last.steps.push(step.clone());
        }
    }

    fn drop_last(&mut self) {
        if !self.is_full {
            self.all.pop();
        }
    }
}
