//! A small protocol, walked on the reference executor: what a trace says of it, and what is refused.

mod protocol;

use panoptes_exec::{Executor, FaultKind, Step, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::TransId;
use panoptes_trace::{
    Change, Expectation, Origin, ReplayError, StepEvent, Subject, Trace, TraceStep, replay,
};
use protocol::{Protocol, protocol};

fn alone(pid: u8, transition: u32) -> Step {
    Step { pid, transition: TransId(transition), partner: None }
}

/// Send, count, receive, meet, assert: then the receiver waits for ever.
fn path() -> Vec<Step> {
    let meet = Step { pid: 0, transition: TransId(2), partner: Some((1, TransId(6))) };
    vec![alone(0, 0), alone(0, 1), alone(1, 5), meet, alone(0, 3)]
}

fn walk(protocol: &Protocol, path: &[Step], expectation: &Expectation) -> Result<Trace, ReplayError> {
    let mut executor = Interpreter::new(&protocol.model, InterpreterOptions::default());
    let mut subject = Subject { model: &protocol.model, sources: &protocol.sources, executor: &mut executor };
    let origin = Origin { model: "p.txt".into(), language: "none".into(), ..Origin::default() };
    replay(&mut subject, origin, path, expectation)
}

fn again(protocol: &Protocol, trace: &Trace) -> Result<Trace, ReplayError> {
    let mut executor = Interpreter::new(&protocol.model, InterpreterOptions::default());
    trace.replay(&mut Subject { model: &protocol.model, sources: &protocol.sources, executor: &mut executor })
}

fn violated() -> Expectation {
    Expectation::Fault { kind: FaultKind::Assertion, message: "assertion violated: x == 2".into() }
}

/// The change without its typed values, which have a test of their own.
fn changed(name: &str, before: &str, after: &str) -> Change {
    let (before, after) = (Some(before.into()), after.into());
    Change { name: name.into(), before, after, before_value: None, after_value: None }
}

fn changes(step: &TraceStep) -> Vec<Change> {
    let plain = |change: &Change| Change { before_value: None, after_value: None, ..change.clone() };
    step.changes.iter().map(plain).collect()
}

#[test]
fn each_step_says_who_what_where_and_what_changed() {
    let trace = walk(&protocol(), &path(), &violated()).unwrap();
    let steps: Vec<String> = trace
        .steps
        .iter()
        .map(|s| format!("{} {}[{}] {} {} {}", s.number, s.process, s.pid, s.location, s.text, s.atomic))
        .collect();
    assert_eq!(
        steps,
        [
            "1 sender[0] p.txt:1:1 q!msg,7 true",
            "2 sender[0] p.txt:2:1 x++ true",
            "3 receiver[1] p.txt:6:1 q?_,y false",
            "4 sender[0] p.txt:3:1 sync!5 false",
            "5 sender[0] p.txt:4:1 assert(x == 2) false",
        ]
    );
    assert_eq!(changes(&trace.steps[0]), [changed("q", "[]", "[msg(7)]")]);
    assert_eq!(changes(&trace.steps[1]), [changed("x", "0", "1")]);
    assert_eq!(
        changes(&trace.steps[2]),
        [changed("receiver[1].y", "0", "7"), changed("q", "[msg(7)]", "[]")]
    );
    assert_eq!(changes(&trace.steps[3]), [changed("receiver[1].y", "7", "5")]);
    assert!(changes(&trace.steps[4]).is_empty());
}

#[test]
fn messages_are_shown_with_their_names() {
    let trace = walk(&protocol(), &path(), &violated()).unwrap();
    let values = vec!["msg".to_string(), "7".to_string()];
    assert_eq!(
        trace.steps[0].events,
        [StepEvent::Send { pid: 0, channel: "q".into(), values: values.clone(), lost: false }]
    );
    assert_eq!(
        trace.steps[2].events,
        [StepEvent::Receive { pid: 1, channel: "q".into(), values, peek: false }]
    );
    let five = vec!["5".to_string()];
    assert_eq!(
        trace.steps[3].events,
        [
            StepEvent::Send { pid: 0, channel: "sync".into(), values: five.clone(), lost: false },
            StepEvent::Receive { pid: 1, channel: "sync".into(), values: five, peek: false },
        ]
    );
    let partner = trace.steps[3].partner.as_ref().unwrap();
    assert_eq!((partner.pid, &partner.process[..], &partner.text[..]), (1, "receiver", "sync?y"));
    assert_eq!(partner.location, "p.txt:7:1");
}

#[test]
fn the_end_shows_all_there_is() {
    let trace = walk(&protocol(), &path(), &Expectation::Deadlock).unwrap();
    assert_eq!(trace.error.as_ref().unwrap().kind, "deadlock");
    let end = trace.end.unwrap();
    let values: Vec<String> = end.variables.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
    assert_eq!(values, ["x=1", "receiver[1].y=5"]);
    let receiver = &end.processes[1];
    assert_eq!(
        (receiver.state, receiver.may_end, &receiver.next[..]),
        (2, false, &["x == 9".to_string()][..])
    );
    assert_eq!(receiver.labels, ["wait"]);
    assert!(end.processes[0].may_end);
    assert_eq!(end.channels[0].name, "q");
    assert_eq!(trace.initial.unwrap().processes.len(), 2);
}

#[test]
fn a_saved_trace_is_walked_again() {
    let protocol = protocol();
    for expectation in [violated(), Expectation::Deadlock, Expectation::Nothing] {
        let trace = walk(&protocol, &path(), &expectation).unwrap();
        let read = Trace::from_json(&trace.to_json()).unwrap();
        assert_eq!(read, trace);
        assert_eq!(read.path(), path());
        assert_eq!(again(&protocol, &read), Ok(trace));
    }
}

#[test]
fn a_step_that_is_not_possible_is_refused() {
    let protocol = protocol();
    let mut wrong = path();
    wrong[1] = alone(1, 5);
    // The sender has control and can go on: the receiver may not.
    let error = walk(&protocol, &wrong, &violated()).unwrap_err();
    assert!(matches!(error, ReplayError::NotPossible { number: 2, .. }), "{error}");
    assert_eq!(error.to_string(), "step 2: process 1 cannot do `q?_,y` there");
    let error = walk(&protocol, &[alone(0, 99)], &violated()).unwrap_err();
    assert_eq!(error, ReplayError::NoSuchTransition { number: 1, transition: 99 });
}

#[test]
fn an_error_that_is_not_there_is_refused() {
    let protocol = protocol();
    let refused = |path: &[Step], expectation: &Expectation| {
        let error = walk(&protocol, path, expectation).unwrap_err();
        assert!(matches!(error, ReplayError::Unfulfilled { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(&path()[..4], &violated()),
        "the path should end with `assertion violated: x == 2`, but ends with no fault"
    );
    assert_eq!(
        refused(&path()[..4], &Expectation::Deadlock),
        "the path should end with a deadlock, but ends with a state that can move"
    );
    let other = Expectation::Fault { kind: FaultKind::Assertion, message: "another".into() };
    assert_eq!(
        refused(&path(), &other),
        "the path should end with `another`, but ends with `assertion violated: x == 2`"
    );
}

#[test]
fn a_trace_of_another_text_is_refused() {
    let trace = walk(&protocol(), &path(), &violated()).unwrap();
    let mut changed = protocol();
    changed.sources.add_file("more.txt", "more".into(), None);
    assert!(matches!(again(&changed, &trace), Err(ReplayError::Stale { .. })));
    let mut renamed = protocol();
    renamed.model.transitions[1].text = "x--".into();
    assert_eq!(again(&renamed, &trace), Err(ReplayError::NoSuchTransition { number: 2, transition: 1 }));
    let mut unknown = trace.clone();
    unknown.error.as_mut().unwrap().kind = "mood".into();
    assert_eq!(again(&protocol(), &unknown), Err(ReplayError::UnknownKind("mood".into())));
}

#[test]
fn an_executor_that_disagrees_with_itself_is_found_out() {
    struct Fickle<'m>(Interpreter<'m>);
    impl Executor for Fickle<'_> {
        fn initial(&self) -> Result<Vec<u8>, panoptes_exec::Fault> {
            self.0.initial()
        }
        fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
            self.0.successors(state, control, out);
        }
        fn replay(
            &mut self,
            state: &[u8],
            control: Option<u8>,
            item: usize,
        ) -> Option<panoptes_exec::Replay> {
            let mut replayed = self.0.replay(state, control, item)?;
            replayed.control = None;
            Some(replayed)
        }
        fn hidden_bytes(&self) -> usize {
            0
        }
    }
    let protocol = protocol();
    let mut executor = Fickle(Interpreter::new(&protocol.model, InterpreterOptions::default()));
    let mut subject = Subject { model: &protocol.model, sources: &protocol.sources, executor: &mut executor };
    let error = replay(&mut subject, Origin::default(), &path(), &violated()).unwrap_err();
    assert!(matches!(error, ReplayError::Disagreement { number: 1, .. }), "{error}");
}

#[test]
fn a_fault_in_the_initial_state_is_a_trace_without_steps() {
    let mut protocol = protocol();
    protocol.divide_by_zero_at_start();
    let error = walk(&protocol, &[], &Expectation::Deadlock).unwrap_err();
    let ReplayError::NoInitialState(fault) = error else { panic!("{error}") };
    assert_eq!(fault.kind, FaultKind::DivisionByZero);
    let trace = walk(&protocol, &[], &Expectation::from(&fault)).unwrap();
    assert_eq!(trace.error.as_ref().unwrap().kind, "division-by-zero");
    assert_eq!((trace.initial.is_none(), trace.end.is_none()), (true, true));
    let read = Trace::from_json(&trace.to_json()).unwrap();
    assert_eq!(again(&protocol, &read), Ok(trace));
}
