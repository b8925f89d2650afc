//! What a library user gets of a check: a report whose errors were walked again, or the reason why there is none.

use panoptes_check::{
    CheckError, CheckSettings, Folding, Language, Limits, Loaded, StoreSpec, Strategy, TextOptions,
    TraceRecorder, VerdictKind, check, check_and_record, load_text,
};
use panoptes_search::Limit;
use panoptes_trace::{Halt, Snapshot, Trace, TraceSink, TraceStep};
use std::path::Path;

/// An assertion that fails after a thousand steps and more.
const LONG: &str =
    "short n; active proctype P() { do :: n < 500 -> n++ :: n == 500 -> break od; assert(n < 500) }";
/// Two assertions, and a deadlock.
const SEVERAL: &str = "byte x; active proctype P() { if :: x = 1; assert(x == 2) :: x = 2; assert(x == 1) :: x = 3; x == 4 fi }";

fn load(text: &str) -> Loaded {
    let name = "m.pml";
    let loaded =
        load_text(name, text.to_string(), Path::new(name), Language::Promela, &TextOptions::default());
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

fn plain() -> CheckSettings {
    CheckSettings::default()
}

#[derive(Default)]
struct Recorded {
    started: Vec<usize>,
    /// The number of each trace, and how many steps it has.
    traces: Vec<(usize, usize)>,
    ended: usize,
    dropped: usize,
}

impl TraceRecorder for Recorded {
    fn start(&mut self, count: usize) {
        self.started.push(count);
    }

    fn begin(&mut self, number: usize, _: &Trace) {
        self.traces.push((number, 0));
    }

    fn step(&mut self, _: &TraceStep) {
        self.traces.last_mut().expect("a trace has begun").1 += 1;
    }

    fn end(&mut self, _: Option<&Snapshot>) {
        self.ended += 1;
    }

    fn drop_last(&mut self) {
        self.dropped += 1;
    }
}

#[test]
fn a_violation_comes_with_its_trace() {
    let report = check(&load(LONG), &plain(), &mut ()).expect("a report");
    assert_eq!(report.verdict, VerdictKind::Violated);
    let error = report.shown_error().expect("an error with its trace");
    let trace = error.trace.as_ref().expect("it was walked");
    assert_eq!((trace.length(), error.length), (1002, 1002));
    assert_eq!(
        (trace.first.len(), trace.last.len(), trace.left_out()),
        (10, 40, 952),
        "only its ends are held"
    );
    assert_eq!(trace.trace.origin.model, "m.pml");
    assert!(trace.trace.end.is_some() && error.trace_limit.is_none());
}

#[test]
fn all_of_a_trace_is_told_while_it_is_walked_and_again_on_demand() {
    struct Count(usize);
    impl TraceSink for Count {
        fn begin(&mut self, _: &Trace) -> Result<(), Halt> {
            Ok(())
        }
        fn step(&mut self, _: TraceStep) -> Result<(), Halt> {
            self.0 += 1;
            Ok(())
        }
        fn end(&mut self, _: Option<Snapshot>) -> Result<(), Halt> {
            Ok(())
        }
    }
    let (loaded, mut recorded) = (load(LONG), Recorded::default());
    let report = check_and_record(&loaded, &plain(), &mut (), &mut recorded).expect("a report");
    assert_eq!((recorded.started, recorded.traces, recorded.ended), (vec![1], vec![(1, 1002)], 1));
    let mut count = Count(0);
    report.errors[0].tell(&loaded, &plain(), &mut count).expect("the path shows it still");
    assert_eq!(count.0, 1002);
}

#[test]
fn each_of_several_errors_is_walked() {
    let (loaded, mut recorded) = (load(SEVERAL), Recorded::default());
    let settings = CheckSettings { all_errors: true, ..plain() };
    let report = check_and_record(&loaded, &settings, &mut (), &mut recorded).expect("a report");
    assert_eq!(report.errors.len(), 3);
    assert!(report.errors.iter().all(|error| error.trace.is_some()));
    assert_eq!(recorded.started, [3]);
    let numbers: Vec<usize> = recorded.traces.iter().map(|(number, _)| *number).collect();
    assert_eq!((numbers, recorded.ended, recorded.dropped), (vec![1, 2, 3], 3, 0));
}

/// A walk that a limit ends is no reason to keep the error back.
#[test]
fn a_trace_that_is_not_allowed_names_its_limit() {
    let (loaded, mut recorded) = (load(LONG), Recorded::default());
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    struct Stopped(std::sync::Arc<std::sync::atomic::AtomicBool>);
    impl panoptes_search::Observer for Stopped {
        fn stop_flag(&self) -> Option<std::sync::Arc<std::sync::atomic::AtomicBool>> {
            Some(self.0.clone())
        }
        fn ended(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    }
    /// So slow that somebody who has asked for the answer does not wait for it.
    struct Slow<'a>(&'a mut Recorded);
    impl TraceRecorder for Slow<'_> {
        fn begin(&mut self, number: usize, head: &Trace) {
            self.0.begin(number, head);
        }
        fn step(&mut self, _: &TraceStep) {
            std::thread::sleep(std::time::Duration::from_millis(6));
        }
        fn drop_last(&mut self) {
            self.0.drop_last();
        }
    }
    let report = check_and_record(&loaded, &plain(), &mut Stopped(stop), &mut Slow(&mut recorded));
    let report = report.expect("a report");
    assert_eq!(report.verdict, VerdictKind::Violated);
    assert!(report.errors[0].trace.is_none());
    assert_eq!((report.errors[0].trace_limit, recorded.dropped), (Some(Limit::Stopped), 1));
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let loaded = load(SEVERAL);
    let settings = CheckSettings { strategy: Strategy::SHORTEST, store: StoreSpec::HashCompact, ..plain() };
    let refused = check(&loaded, &settings, &mut ()).expect_err("no report");
    assert!(matches!(refused, CheckError::Contradiction(_)), "{refused}");
    let settings = CheckSettings { foldings: vec![Folding::Variable("y".into())], ..plain() };
    let refused = check(&loaded, &settings, &mut ()).expect_err("no report");
    assert_eq!(refused.to_string(), "the model has no variable `y` to fold; there is x");
}

#[test]
fn what_was_not_reached_is_told_with_its_warning() {
    let loaded = load("byte x; active proctype P() { if :: x == 1 -> assert(x == 2) :: else fi }");
    let report = check(&loaded, &plain(), &mut ()).expect("a report");
    assert_eq!((report.verdict, report.unreached.len()), (VerdictKind::Verified, 2));
    assert_eq!(report.search_warnings.len(), 1);
    assert!(report.diagnostics.iter().any(|diagnostic| diagnostic.code == "unreached-assertion"));
    let limits = Limits::of_depth(1);
    let report = check(&loaded, &CheckSettings { limits, ..plain() }, &mut ()).expect("a report");
    assert_eq!(
        (report.verdict, report.unreached.len()),
        (VerdictKind::Inconclusive, 0),
        "much is unreached yet"
    );
}
