//! Saved traces: what a check saves can be explained and walked again, but not on another model.

use crate::sandbox::{ASSERTION, DEADLOCK, Sandbox};

#[test]
fn a_trace_is_saved_explained_and_walked_again() {
    for (model, kind) in [(DEADLOCK, "deadlock"), (ASSERTION, "assertion")] {
        let sandbox = Sandbox::with(model);
        sandbox.run(&["check", "m.pml", "--trace-out", "t.json", "--quiet"]).expect(1);
        let explained = sandbox.run(&["explain", "t.json"]).expect(0).stdout;
        assert!(explained.contains(kind) && explained.contains("│"), "{explained}");
        let json = sandbox.run(&["explain", "t.json", "--format", "json"]).expect(0).stdout;
        assert_eq!(json, sandbox.read("t.json"));
        let walked = sandbox.run(&["simulate", "m.pml", "--trace", "t.json"]).expect(1).stdout;
        assert!(walked.contains(kind), "{walked}");
        let piped = sandbox.run_with_input(&["explain", "-"], &json).expect(0).stdout;
        assert_eq!(piped, explained);
    }
}

#[test]
fn a_trace_of_an_earlier_run_is_named() {
    let sandbox = Sandbox::with(ASSERTION);
    sandbox.run(&["check", "m.pml"]).expect(1);
    sandbox.write("m.pml", &ASSERTION.replace("x < 2", "x < 9"));
    let run = sandbox.run(&["check", "m.pml"]).expect(0);
    assert!(run.stdout.ends_with("  m.trace.json is from an earlier run\n"), "{}", run.stdout);
    sandbox.write("other/m.pml", &ASSERTION.replace("x < 2", "x < 9"));
    let run = sandbox.run(&["check", "other/m.pml"]).expect(0);
    assert!(!run.stdout.contains("earlier run"), "{}", run.stdout);
}

#[test]
fn a_trace_of_another_text_is_refused() {
    let sandbox = Sandbox::with(ASSERTION);
    sandbox.run(&["check", "m.pml"]).expect(1);
    sandbox.write("m.pml", &ASSERTION.replace("x < 2", "x < 1"));
    let run = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(2);
    assert!(run.stderr.contains("has changed"), "{}", run.stderr);
}

#[test]
fn a_trace_remembers_the_macros_of_its_model() {
    let sandbox = Sandbox::with("active proctype A() { assert(N < 5) }\n");
    sandbox.run(&["check", "m.pml", "-DN=7"]).expect(1);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json", "-DN=8"]).expect(2);
}

#[test]
fn what_is_no_trace_is_refused() {
    let sandbox = Sandbox::with(ASSERTION);
    sandbox.write("bad.json", "{ not json");
    sandbox.write("other.json", "{}");
    for file in ["bad.json", "other.json", "missing.json", "m.pml"] {
        let run = sandbox.run(&["explain", file]).expect(2);
        assert!(run.stderr.contains(file), "{}", run.stderr);
    }
}

#[test]
fn a_trace_that_cannot_be_written_does_not_hide_the_violation() {
    let sandbox = Sandbox::with(ASSERTION);
    std::fs::create_dir(sandbox.path("m.trace.json")).unwrap();
    let run = sandbox.run(&["check", "m.pml"]).expect(1);
    assert!(run.stderr.contains("cannot write the trace"), "{}", run.stderr);
    assert!(run.stdout.contains("VIOLATED"));
}

#[test]
fn where_a_trace_is_to_go_is_looked_at_before_the_search() {
    let sandbox = Sandbox::with(ASSERTION);
    for path in ["no/such/t.json", "no/such/t%n.json"] {
        let run = sandbox.run(&["check", "m.pml", "--trace-out", path]).expect(2);
        assert!(
            run.stdout.is_empty() && run.stderr.contains("cannot write the trace to no/such/t"),
            "{}",
            run.stderr
        );
    }
    let verified = Sandbox::with("active proctype A() { skip }");
    verified.run(&["check", "m.pml", "--trace-out", "t.json"]).expect(0);
    assert!(!verified.path("t.json").exists(), "nothing is left where there is no trace");
}

#[test]
fn a_trace_remembers_that_messages_were_lost() {
    let model = "chan c = [1] of { byte };\nactive proctype A() { c!1; c!2; assert(false) }";
    let sandbox = Sandbox::with(model);
    sandbox.run(&["check", "m.pml", "--lossy"]).expect(1);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
}

#[test]
fn a_lost_message_is_no_event() {
    let model = "chan c = [1] of { byte };\nactive proctype A() { c!1; c!2 }\ntrace { c!1 }";
    Sandbox::with(model).run(&["check", "m.pml", "--lossy"]).expect(0);
}

#[test]
fn a_trace_assertion_must_be_deterministic() {
    let model = "chan c = [3] of { byte };\nactive proctype A() { c!1; c!3 }\n\
                 trace { if :: c!1 -> c!2 :: c!1 -> c!3 fi }";
    let run = Sandbox::with(model).run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.contains("two events of the trace assertion fit at once"), "{}", run.stdout);
}

#[test]
fn values_are_named_by_their_own_set() {
    let model = "mtype = { alpha, beta }; mtype:fruit = { apple, pear }; mtype:fruit f = pear;\n\
                 active proctype A() { printf(\"%e\\n\", f) }";
    let run = Sandbox::with(model).run(&["simulate", "m.pml", "--quiet"]).expect(0);
    assert_eq!(run.stdout, "pear\n");
}
