//! `--invariant`, and what a state in which nothing can move tells.

use crate::sandbox::{DEADLOCK, Sandbox, TURNS};
use serde_json::Value;

const QUEUE: &str = "\
#define LIMIT 2
chan q = [2] of { byte };
active proctype Server() { byte m; end: do :: q?m -> skip od }
active proctype Client() { q!1; q!2; done: skip }
";

#[test]
fn an_invariant_that_does_not_hold() {
    let sandbox = Sandbox::with(QUEUE);
    let run = sandbox.run(&["check", "m.pml", "--invariant", "len(q) < 2"]).expect(1);
    assert!(run.stdout.contains("invariant violated after 2 steps: len(q) < 2\n"), "{}", run.stdout);
    assert!(run.stdout.contains("checked  deadlocks, assertions, the invariant"), "{}", run.stdout);
    // The saved trace knows what it shows.
    let again = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
    assert!(again.stdout.contains("invariant"), "{}", again.stdout);
    sandbox.run(&["check", "m.pml", "--invariant", "len(q) <= LIMIT"]).expect(0);
}

#[test]
fn in_the_json() {
    let sandbox = Sandbox::with(QUEUE);
    let args = ["check", "m.pml", "--format", "json", "--all-errors"];
    let with = |more: &[&str]| sandbox.run(&args.iter().chain(more).copied().collect::<Vec<_>>());
    let run = with(&["--invariant", "Client@done -> m == 9", "--invariant", "empty(q)"]);
    // `m` is a variable of a process.
    assert!(run.stderr.contains("undeclared variable `m`"), "{}", run.stderr);
    assert!(run.stderr.contains("write `Server:m`"), "{}", run.stderr);
    let run = with(&["--invariant", "Client@done -> Server:m == 9", "--invariant", "len(q) < 3"]).expect(1);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["errors"][0]["kind"], "invariant");
    assert_eq!(answer["errors"][0]["message"], "Client@done -> Server:m == 9");
    assert_eq!(answer["error_counts"]["invariant"].as_u64().map(|count| count > 0), Some(true));
}

#[test]
fn an_invariant_that_is_wrong() {
    let told = |condition: &str| {
        let run = Sandbox::with(QUEUE).run(&["check", "m.pml", "--invariant", condition]).expect(2);
        assert!(run.stderr.ends_with("1 error: the invariant cannot be used\n"), "{}", run.stderr);
        run.stderr
    };
    assert!(told("len(q) <").contains("expected an expression, found the end of the invariant"));
    assert!(told("len(q) = 2").contains("write `==` to compare"));
    let run = Sandbox::with("init { y = 1 }").run(&["check", "m.pml", "--invariant", "z == 1"]).expect(2);
    assert!(run.stderr.ends_with("2 errors: the model cannot be used\n"), "{}", run.stderr);
}

/// In the initial state, and by every search.
#[test]
fn by_every_search() {
    let sandbox = Sandbox::with(QUEUE);
    for more in [
        "--search dfs",
        "--search bfs",
        "--search random",
        "--search scatter --processes all --queue-limit all",
        "--search escalate",
        "--search swarm --jobs 2 --threads 1 --time 5",
        "--store bitstate",
        "--store compressed",
        "--store cache:100",
        "--loop-states",
        "--depth 9",
        "--exact",
        "--engine jit",
        "--engine interp",
        "--property deadlock",
    ] {
        let args = ["check", "m.pml", "--quiet", "--invariant"];
        let run = |condition: &'static str| {
            let all: Vec<&str> = args.iter().copied().chain([condition]).chain(more.split(' ')).collect();
            sandbox.run(&all)
        };
        assert!(run("nfull(q)").expect(1).stdout.contains("invariant violated after"), "{more}");
        assert!(run("len(q) == 1").expect(1).stdout.contains("in the initial state"), "{more}");
        assert_ne!(run("len(q) <= 2").status, 1, "{more}");
    }
}

#[test]
fn a_wrong_invariant_is_shown_where_it_is_wrong() {
    let sandbox = Sandbox::with(TURNS);
    for (condition, says) in [
        ("turn < ", "--invariant:1:7"),
        ("trun == 1", "undeclared variable `trun`"),
        ("", "`--invariant` needs a condition"),
        ("Player[0]@start", "`Player` has no label `start`"),
    ] {
        let run = sandbox.run(&["check", "m.pml", "--invariant", condition]).expect(2);
        assert!(run.stderr.contains(says), "no “{says}” in\n{}", run.stderr);
    }
}

#[test]
fn who_waits_where_and_why() {
    let run = Sandbox::with(DEADLOCK).run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.contains("right = true\n"), "{}", run.stdout);
    let model = "\
mtype = { req, ack, nak };
chan q = [1] of { mtype, byte }, r = [0] of { byte };
byte x = 3; bool ready;
active proctype Full() { q!req(1); q!req(2) }
active proctype Match() { q?ack(_) }
active proctype Cond() { (x == 4 && ready) -> skip }
active proctype Meet() { r!7 }
active proctype Other() { r?8 }
active proctype Held() provided (ready) { x = 1 }
active proctype Parent() { run Child() }
proctype Child() { byte i; do :: ready -> break :: i > 2 -> break od }
";
    let sandbox = Sandbox::with(model);
    let run = sandbox.run(&["check", "m.pml"]).expect(1);
    for line in [
        "channel q is full (1 message)",
        "channel q holds (req,1), which does not match",
        "`x == 4` is false: x = 3",
        "Other[4] receives from r, but no such message",
        "Meet[3] sends to r, but another message",
        "its provided clause `ready` is false: ready = false",
        "ready: ready = false",
        "i > 2: i = 0",
    ] {
        assert!(run.stdout.contains(line), "no “{line}” in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("hint:"), "{}", run.stdout);
    let json = sandbox.run(&["check", "m.pml", "--format", "json"]).expect(1).stdout;
    let answer: Value = serde_json::from_str(&json).expect("JSON");
    let waiting = answer["errors"][0]["waiting"].as_array().expect("who waits");
    assert_eq!(waiting[0]["process"], "Full");
    assert_eq!(waiting[0]["statements"][0]["reason"], "channel q is full (1 message)");
    assert_eq!(waiting[5]["held"], "its provided clause `ready` is false: ready = false");
}

/// A process that waits for requests in a loop is told how to say that it may.
#[test]
fn an_end_label_may_be_missing() {
    let without = QUEUE.replace("end: ", "");
    let run = Sandbox::with(&without).run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.contains("hint: Server[0] waits for messages in a loop"), "{}", run.stdout);
    Sandbox::with(QUEUE).run(&["check", "m.pml"]).expect(0);
}

/// Processes that wait for each other are not idle: a label would hide the error.
#[test]
fn no_end_label_is_missing_in_a_circle() {
    let model = "\
chan to = [1] of { byte }, back = [1] of { byte };
active proctype Left() { byte n; do :: back?n -> to!n od }
active proctype Right() { byte n; do :: to?n -> back!n od }
";
    let run = Sandbox::with(model).run(&["check", "m.pml"]).expect(1);
    assert!(!run.stdout.contains("hint:"), "{}", run.stdout);
}
