//! Questions and jumps that go round in circles: once they took all stack there is.

use panoptes_check::{CheckSettings, Language, Semantics, Strategy, VerdictKind, load_text, run_search};
use panoptes_exec::{Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use std::path::Path;

fn verdict(text: &str) -> (VerdictKind, Vec<String>) {
    let path = Path::new("circle.pml");
    let loaded = load_text("circle.pml", text.to_string(), path, Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let verdict =
        run_search(&loaded, &CheckSettings { all_errors: true, ..CheckSettings::default() }, &mut ());
    let faults = verdict.outcome.errors.iter().filter_map(|error| error.fault.as_ref());
    (verdict.kind, faults.map(|fault| fault.message.clone()).collect())
}

#[test]
fn processes_that_ask_each_other_whether_they_are_enabled() {
    let (kind, faults) = verdict(
        "active proctype P() { enabled(1) -> skip }\n\
         active proctype Q() { enabled(0) -> skip }\n",
    );
    assert_eq!(kind, VerdictKind::Violated);
    assert!(faults.iter().all(|fault| fault == "processes ask each other whether they are enabled"));
}

#[test]
fn a_chain_of_questions_is_no_circle() {
    let (kind, faults) = verdict(
        "bool go = true;\n\
         active proctype P() { enabled(1) -> skip }\n\
         active proctype Q() { end: enabled(2) -> skip }\n\
         active proctype R() { do :: go od }\n",
    );
    assert_eq!((kind, faults), (VerdictKind::Verified, vec![]));
}

#[test]
fn jumps_through_an_unless() {
    let (kind, _) = verdict("bool p; init { L: { goto L } unless { p } }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { do :: { goto L; L: goto M } unless { p }; M: skip od }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { L: goto M; M: goto L }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { atomic { skip; L: { goto L } unless { p } } }");
    assert_ne!(kind, VerdictKind::Inconclusive);
}

/// Whatever the length of the circle, it is noticed when it has been gone round, and long before the limit on statements.
#[test]
fn deterministic_steps_that_never_end() {
    for round in
        ["skip", "x = 1 - x", "x = 1; x = 2; x = 0", "x++", "do :: x < 9 -> x++ :: else -> break od; x = 0"]
    {
        let text = format!("byte x; init {{ d_step {{ do :: {round} od }} }}");
        let path = Path::new("circle.pml");
        let loaded = load_text("circle.pml", text, path, Language::Promela, &Default::default());
        let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
        let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions::default());
        let (vector, mut out) = (interpreter.initial().expect("an initial state"), Successors::default());
        interpreter.successors(&vector, None, &mut out);
        let messages: Vec<&str> = out.faults.iter().map(|fault| &*fault.message).collect();
        assert_eq!(messages, ["a deterministic step never ends: it comes back to where it was"], "{round}");
    }
}

/// Both go round inside an atomic sequence, where their loops begin at a place at which they never rest. The places where
/// they rest next are stored instead; else the circle would be gone round a hundred times.
#[test]
fn loops_that_begin_where_a_process_does_not_rest() {
    let text = "byte x;
        active proctype A() { byte n; atomic { do :: x == 0; n = 1 - n; x = 1 od } }
        active proctype B() { byte n; atomic { do :: x == 1; n = 1 - n; x = 0 od } }";
    let path = Path::new("circle.pml");
    let loaded = load_text("circle.pml", text.to_string(), path, Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let options = CheckSettings {
        strategy: Strategy::DFS,
        loop_states: true,
        semantics: Semantics::EXACT,
        ..CheckSettings::default()
    };
    let statistics = run_search(&loaded, &options, &mut ()).outcome.statistics;
    assert!(statistics.stored + statistics.passed < 50, "{statistics:?}");
}
