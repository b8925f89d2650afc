//! Argos models by the same commands: verdicts, options, traces, machines.

use crate::sandbox::Sandbox;
use serde_json::Value;

const DUPLICATE: &str = include_str!("../../../../models/duplicate.argos");
const TELEPHONE: &str = include_str!("../../../../models/telephone.argos");
const SERVERS: &str = include_str!("../../../../models/servers_at_rest.argos");

fn sandbox(model: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", model);
    sandbox
}

fn json(sandbox: &Sandbox, args: &[&str], status: i32) -> Value {
    serde_json::from_str(&sandbox.run(args).expect(status).stdout).expect("one object")
}

#[test]
fn the_answer_names_language_kind_and_place() {
    let sandbox = sandbox(TELEPHONE);
    let answer = json(&sandbox, &["check", "m.argos", "--format", "json", "--shortest"], 1);
    assert_eq!(answer["language"], "argos");
    let error = &answer["errors"][0];
    assert_eq!(error["kind"], "unspecified-reception");
    let message = error["message"].as_str().expect("a message");
    assert!(message.ends_with("does not receive `ring` from `l` in state `calling`"), "{message}");
    assert_eq!(error["location"], "m.argos:18:5");
    assert_eq!(error["length"], 2);
    let text = sandbox.run(&["check", "m.argos"]).expect(1).stdout;
    assert!(text.contains("unspecified reception after 2 steps"), "{text}");
    assert!(text.contains("checked  deadlocks, unspecified receptions"), "{text}");
}

#[test]
fn the_language_can_be_named() {
    let sandbox = sandbox(SERVERS);
    sandbox.write("m.txt", SERVERS);
    sandbox.run(&["check", "m.txt", "--language", "argos"]).expect(0);
    let guessed = sandbox.run(&["check", "m.txt"]).expect(2);
    assert!(guessed.stderr.contains("if it is Argos, say `--language argos`"), "{}", guessed.stderr);
    sandbox.run(&["check", "m.txt"]).expect(2);
}

#[test]
fn timeouts_and_end_states_are_options() {
    let sandbox = sandbox(DUPLICATE);
    let answer = json(&sandbox, &["check", "m.argos", "--format", "json"], 1);
    assert_eq!(answer["errors"][0]["kind"], "argos-assertion");
    assert_eq!(answer["errors"][0]["location"], "m.argos:22:19");
    sandbox.run(&["check", "m.argos", "--timeouts", "lock-only"]).expect(0);
    let only = ["check", "m.argos", "--property", "deadlock", "--format", "json", "--all-errors"];
    let answer = json(&sandbox, &only, 1);
    assert_eq!(answer["error_counts"].as_object().expect("kinds").len(), 1, "{answer}");

    sandbox.write("s.argos", SERVERS);
    sandbox.run(&["check", "s.argos"]).expect(0);
    let answer = json(&sandbox, &["check", "s.argos", "--end-states", "strict", "--format", "json"], 1);
    assert_eq!(answer["errors"][0]["kind"], "deadlock");
    let run = sandbox.run(&["check", "s.argos", "--timeouts", "never"]).expect(2);
    assert!(run.stderr.contains("`free` or `lock-only`"), "{}", run.stderr);
}

#[test]
fn they_are_not_for_promela() {
    let sandbox = Sandbox::with(crate::sandbox::TURNS);
    for args in [["--timeouts", "free"], ["--end-states", "strict"]] {
        let run = sandbox.run(&["check", "m.pml", args[0], args[1]]).expect(2);
        assert!(run.stderr.contains("is for Argos"), "{}", run.stderr);
    }
    // What a timeout of Promela means anyway; of a model that has none there is nothing to say.
    let run = sandbox.run(&["check", "m.pml", "--timeouts", "lock-only"]).expect(2);
    assert!(run.stderr.contains("the model has none"), "{}", run.stderr);
    let waits = Sandbox::with("active proctype Waits() { timeout }");
    waits.run(&["check", "m.pml", "--timeouts", "lock-only"]).expect(0);
}

/// A trace knows how the model was read.
#[test]
fn traces_are_explained_and_replayed() {
    let sandbox = sandbox(SERVERS);
    sandbox.run(&["check", "m.argos", "--end-states", "strict"]).expect(1);
    let shown = sandbox.run(&["explain", "m.trace.json"]).expect(0).stdout;
    assert!(shown.contains("ask!question(n)"), "{shown}");
    let replayed = sandbox.run(&["simulate", "m.argos", "--trace", "m.trace.json"]).expect(1).stdout;
    assert!(replayed.contains("deadlock"), "{replayed}");

    sandbox.write("t.argos", TELEPHONE);
    sandbox.run(&["check", "t.argos"]).expect(1);
    let replayed = sandbox.run(&["simulate", "t.argos", "--trace", "t.trace.json"]).expect(1).stdout;
    assert!(replayed.contains("unspecified reception: "), "{replayed}");
    sandbox.write("d.argos", DUPLICATE);
    sandbox.run(&["check", "d.argos"]).expect(1);
    let replayed = sandbox.run(&["simulate", "d.argos", "--trace", "d.trace.json"]).expect(1).stdout;
    assert!(replayed.contains("assertion violated: `once` (d.argos:"), "{replayed}");
}

#[test]
fn random_runs_end_with_the_right_word() {
    let sandbox = sandbox(SERVERS);
    let run = sandbox.run(&["simulate", "m.argos", "--seed", "1"]).expect(0).stdout;
    assert!(run.contains("ended: every process is where it may end"), "{run}");
    sandbox.write("c.argos", "proc a { queue A[1]; A?x; B!x }\nproc b { queue B[1]; B?x; A!x }\n");
    let run = sandbox.run(&["simulate", "c.argos", "--seed", "1"]).expect(1).stdout;
    assert!(run.contains("deadlock: no process can move"), "{run}");
    sandbox.write("u.argos", "proc a { queue A[1]; A?x }\nproc b { A!y }\n");
    let run = sandbox.run(&["simulate", "u.argos", "--seed", "1"]).expect(1).stdout;
    assert!(run.contains("unspecified reception: a does not receive `y` from `A` in state 1"), "{run}");
}

#[test]
fn machines_are_shown_before_and_after_minimisation() {
    let sandbox = sandbox(TELEPHONE);
    let shown = json(&sandbox, &["show", "m.argos", "--format", "json"], 0);
    let machine = &shown["machines"][0];
    assert_eq!((&machine["name"], &machine["kind"]), (&"left".into(), &"process".into()));
    assert_eq!((machine["states"].as_u64(), machine["minimised"].as_u64()), (Some(7), Some(7)));
    let text = sandbox.run(&["show", "m.argos", "--minimised"]).expect(0).stdout;
    for part in ["left: 7 states", "BEFORE MINIMISATION", "AFTER MINIMISATION", "l ? answer", "\"calling\""] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let dot = sandbox.run(&["show", "m.argos", "--minimised", "--format", "dot"]).expect(0).stdout;
    assert!(dot.contains("process left, minimised"), "{dot}");
}

#[test]
fn a_wrong_model_is_told_with_its_place() {
    let sandbox = sandbox("proc a { queue A[1]; A?x; B!x }\n");
    let run = sandbox.run(&["check", "m.argos"]).expect(2);
    assert!(
        run.stderr.contains("there is no channel `B`") && run.stderr.contains("m.argos:1:27"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn a_default_that_waits_for_two_messages_is_named_once() {
    let sandbox = sandbox(
        "channel c[1] = { a };\n\
         proc B { c?a; do :: c?x -> skip :: c?default -> skip od }\n\
         proc A { if :: c!x :: c!y :: c!z fi }\n",
    );
    let text = sandbox.run(&["check", "m.argos"]).expect(1).stdout;
    assert!(text.contains("stuck before c?x or c?default\n"), "{text}");
}
