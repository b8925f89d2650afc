//! `--reach`: an execution to a state in which a condition is true, or that there is none.

use crate::sandbox::Sandbox;
use serde_json::Value;

const QUEUE: &str = "\
#define FULL (len(q) == 2)
chan q = [2] of { byte };
active proctype Server() { byte m; end: do :: q?m -> skip od }
active proctype Client() { q!1; q!2; done: skip }
";

#[test]
fn a_condition_that_becomes_true() {
    let sandbox = Sandbox::with(QUEUE);
    let run = sandbox.run(&["check", "m.pml", "--reach", "FULL"]).expect(0);
    assert!(
        run.stdout.starts_with("VERIFIED  m.pml\n  `FULL` becomes true, after 2 steps\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("Trace: 2 steps"), "{}", run.stdout);
    assert!(run.stdout.contains("reached after 2 steps: FULL"), "{}", run.stdout);
    // What was saved knows what it shows.
    let again = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(0);
    assert!(again.stdout.contains("after 2 steps: reached: FULL"), "{}", again.stdout);
    let run = sandbox.run(&["check", "m.pml", "--reach", "empty(q)", "--quiet"]).expect(0);
    assert!(run.stdout.contains("`empty(q)` is true in the initial state"), "{}", run.stdout);
}

#[test]
fn a_condition_that_never_does() {
    let sandbox = Sandbox::with(QUEUE);
    let run = sandbox.run(&["check", "m.pml", "--reach", "len(q) > 2"]).expect(1);
    assert!(
        run.stdout.contains("`len(q) > 2` is never true: it is false in every reachable state"),
        "{}",
        run.stdout
    );
    assert!(!sandbox.has("m.trace.json"));
    for partial in [
        &["--depth", "2"][..],
        &["--search", "random", "--depth", "2"],
        &["--store", "bitstate", "--bits", "64"],
    ] {
        let args: Vec<&str> =
            ["check", "m.pml", "--reach", "len(q) > 2"].into_iter().chain(partial.iter().copied()).collect();
        let run = sandbox.run(&args).expect(3);
        assert!(run.stdout.contains("no state was found in which `len(q) > 2` is true"), "{}", run.stdout);
    }
}

#[test]
fn in_the_json() {
    let sandbox = Sandbox::with(QUEUE);
    let answer = |condition: &str, more: &[&str], status: i32| -> Value {
        let args = ["check", "m.pml", "--format", "json", "--reach", condition];
        let args: Vec<&str> = args.into_iter().chain(more.iter().copied()).collect();
        serde_json::from_str(&sandbox.run(&args).expect(status).stdout).expect("JSON")
    };
    for (condition, more, status, verdict, reached) in [
        ("full(q)", &[][..], 0, "verified", Value::Bool(true)),
        ("len(q) == 3", &[][..], 1, "violated", Value::Bool(false)),
        ("len(q) == 3", &["--depth", "1"][..], 3, "inconclusive", Value::Null),
    ] {
        let answer = answer(condition, more, status);
        assert_eq!(answer["verdict"], verdict);
        assert_eq!(answer["reach"]["condition"], condition);
        assert_eq!(answer["reach"]["reached"], reached);
        assert_eq!(answer["errors"], Value::Array(Vec::new()));
        assert_eq!(answer["properties"].as_array().map(Vec::len), Some(1));
        assert_eq!(answer["properties"][0]["name"], condition);
        assert_eq!(answer["properties"][0]["kind"], "reach");
        assert_eq!(answer["properties"][0]["verdict"], verdict);
    }
    let answer = answer("full(q)", &["--shortest"], 0);
    assert_eq!(answer["reach"]["length"], 2);
    assert_eq!(answer["reach"]["trace"], "m.trace.json");
}

/// What goes wrong on the way is not what is looked for; a step that cannot be taken to its end leads nowhere.
#[test]
fn beside_errors() {
    let model =
        "byte x, y; active proctype P() { assert(x == 1); x = 2; if :: y = 1 :: y = 6 / y fi; x = 3 }";
    let sandbox = Sandbox::with(model);
    sandbox.run(&["check", "m.pml", "--reach", "x == 3 && y == 1"]).expect(0);
    sandbox.run(&["check", "m.pml", "--reach", "x == 3 && y != 1"]).expect(1);
    // A condition without a value is not true.
    sandbox.run(&["check", "m.pml", "--reach", "8 / x == 4"]).expect(0);
    sandbox.run(&["check", "m.pml", "--reach", "8 / (x - x) == 4"]).expect(1);
}

#[test]
fn what_does_not_go_with_it() {
    let sandbox = Sandbox::with(QUEUE);
    for (more, says) in [
        (&["--reach", " "][..], "`--reach` needs a condition"),
        (&["--reach", "full(q)", "--all-errors"], "leave `--all-errors` out"),
        (&["--reach", "full(q)", "--property", "safety"], "leave `--property` out"),
        (&["--reach", "full(q)", "--invariant", "true"], "leave `--invariant` out"),
        (&["--reach", "full(q)", "--ltl", "[] true"], "leave `--ltl` out"),
        (&["--reach", "len(p) == 1"], "--reach:1:5"),
        (&["--reach", "timeout"], "`timeout` is not about a state"),
        (&["--reach", "len(q) = 2"], "write `==` to compare"),
    ] {
        let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(more.iter().copied()).collect();
        let run = sandbox.run(&args).expect(2);
        assert!(run.stderr.contains(says), "{more:?}: {}", run.stderr);
    }
    let run = sandbox.run(&["check", "m.pml", "--reach", "len(p) == 1"]).expect(2);
    assert!(run.stderr.ends_with("1 error: the condition cannot be used\n"), "{}", run.stderr);
}

#[test]
fn by_every_search() {
    let sandbox = Sandbox::with(QUEUE);
    for more in [
        "--search dfs",
        "--search iddfs",
        "--search scatter --processes all --queue-limit all",
        "--search escalate",
        "--search swarm --jobs 2 --threads 1 --time 5",
        "--store bitstate",
        "--store compressed",
        "--store cache:100",
        "--loop-states",
        "--exact",
        "--engine jit",
        "--shortest",
    ] {
        let args = ["check", "m.pml", "--quiet", "--reach", "full(q)"];
        let all: Vec<&str> = args.into_iter().chain(more.split(' ')).collect();
        assert!(sandbox.run(&all).expect(0).stdout.contains("becomes true, after 2 steps"), "{more}");
    }
}
