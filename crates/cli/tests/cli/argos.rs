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

/// The text is that of the manual, and the numbers are those of the JSON answer.
#[test]
fn an_estimate_is_shown_before_any_search() {
    let model = include_str!("../../../../models/relay_thrice.argos");
    let sandbox = sandbox(model);
    let text = sandbox.run(&["show", "m.argos"]).expect(0).stdout;
    let estimate = text.split_once("\nestimate, ").map_or("", |(_, estimate)| estimate);
    assert!(!estimate.is_empty(), "{text}");
    let manual = include_str!("../../../../docs/output.md");
    assert!(manual.contains(&format!("estimate, {estimate}```")), "{estimate}");
    let shown = json(&sandbox, &["show", "m.argos", "--format", "json"], 0);
    let shown = &shown["estimate"];
    let numbers = ["control_states", "channel_contents", "states", "bits"].map(|key| shown[key].as_u64());
    assert_eq!(numbers, [20, 36, 720, 11].map(Some));
    assert_eq!((&shown["machines"][1]["states"], &shown["open"]), (&5.into(), &false.into()));
    let open = "proctype P() { skip } init { run P(); run P() }";
    sandbox.write("open.pml", open);
    let text = sandbox.run(&["show", "open.pml"]).expect(0).stdout;
    assert!(text.contains("with one process of each type that starts later, at most"), "{text}");
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
fn a_search_along_an_assertion_shows_what_can_be_done() {
    let sandbox = sandbox(DUPLICATE);
    let along = |name: &'static str| ["check", "m.argos", "--format", "json", "--along", name];
    let answer = json(&sandbox, &along("once"), 0);
    assert_eq!(answer["verdict"], "verified");
    assert_eq!(answer["errors"].as_array().map(Vec::len), Some(0));
    let expected = serde_json::json!(
        { "assertion": "once", "performed": true, "length": 9, "trace": "m.trace.json" }
    );
    assert_eq!(answer["along"], expected);
    let shown = sandbox.run(&["explain", "m.trace.json"]).expect(0).stdout;
    assert!(shown.contains("performed: `user!last` completes `once` (m.argos:34)"), "{shown}");
    assert!(shown.contains('✓') && !shown.contains('✗'), "{shown}");
    let replayed = sandbox.run(&["simulate", "m.argos", "--trace", "m.trace.json"]).expect(0).stdout;
    assert!(replayed.contains("after 9 steps: performed"), "{replayed}");
    let text = sandbox.run(&["check", "m.argos", "--along", "once"]).expect(0).stdout;
    assert!(text.contains("`once` can be performed, after 9 steps"), "{text}");

    sandbox.write("m.argos", &DUPLICATE.replace("user!first; user!last }", "user!last; user!first }"));
    let answer = json(&sandbox, &along("once"), 1);
    assert_eq!(answer["verdict"], "violated");
    assert_eq!(answer["complete"], true);
    assert_eq!(answer["along"]["performed"], false);
    let line = sandbox.run(&["check", "m.argos", "--along", "once", "-q"]).expect(1).stdout;
    assert!(line.contains("`once` cannot be performed"), "{line}");
    let bounded = ["check", "m.argos", "--along", "once", "--format", "json", "--depth", "3"];
    let answer = json(&sandbox, &bounded, 3);
    assert_eq!(answer["along"]["performed"], Value::Null);
}

/// Every command of the manual's tutorial, in its order, prints what the manual says. `…` stands for all that follows.
#[test]
fn the_tutorial_is_true() {
    let manual = include_str!("../../../../docs/argos.md");
    let sandbox = Sandbox::new();
    sandbox.write("models/alternating_bit.argos", include_str!("../../../../models/alternating_bit.argos"));
    sandbox.write("models/dropped_baton.argos", include_str!("../../../../models/dropped_baton.argos"));
    let mut commands = 0;
    for block in manual.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        for session in block.split("$ panoptes ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
            let run = sandbox.run(&command.split_whitespace().collect::<Vec<_>>());
            let expected = match expected.split_once("…\n") {
                Some((start, _)) => {
                    assert!(run.stdout.starts_with(start), "{command}:\n{}", run.stdout);
                    continue;
                }
                None => expected,
            };
            assert_eq!(run.stdout, expected, "{command}");
            commands += 1;
        }
    }
    assert!(commands > 6, "{commands} commands");
}

/// A column for each queue: in Promela too, where messages have fields and timeouts have no queue.
#[test]
fn queues_of_a_promela_trace() {
    let sandbox = Sandbox::with(
        "mtype { msg };
chan unused = [1] of { byte }, meet = [0] of { byte, byte }, q = [2] of { mtype, byte };
active proctype A() { q!msg(7); q!msg(8); meet!1,2; timeout; assert(false) }
active proctype B() { byte x, y; q?msg(x); meet?x,y; q?msg(9) }
",
    );
    sandbox.run(&["check", "m.pml"]).expect(1);
    let shown = sandbox.run(&["explain", "m.trace.json", "--format", "queues"]).expect(0).stdout;
    let expected = "\
m.pml
queue:  meet   q         timeout
event:
    1          msg(7)
    2          [msg(8)]
    3   (1,2)
    4                    tau
assertion violated: (false), at m.pml:3:62
";
    assert_eq!(shown, expected);
}

/// A message without a value is shown without one, also where others have some.
#[test]
fn messages_without_values_are_shown_so() {
    let sandbox = sandbox("channel c[2] = { m(3), m }; proc p { var v; c?m(v); c?m(v); d?x } channel d[1];");
    sandbox.run(&["check", "m.argos", "--quiet"]).expect(1);
    let trace: Value = serde_json::from_str(&sandbox.read("m.trace.json")).expect("a trace");
    assert_eq!(trace["initial"]["channels"][0]["messages"], serde_json::json!([["m", "3"], ["m"]]));
    assert_eq!(trace["steps"][0]["events"][0]["values"], serde_json::json!(["m", "3"]));
    assert_eq!(trace["steps"][1]["events"][0]["values"], serde_json::json!(["m"]));
}

#[test]
fn a_search_along_nothing_is_refused() {
    let sandbox = sandbox(DUPLICATE);
    let refused = |args: &[&str], why: &str| {
        let run = sandbox.run(args).expect(2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    };
    refused(&["check", "m.argos", "--along", "twice"], "no assertion `twice`; there is once");
    refused(&["check", "m.argos", "--along", "once", "--all-errors"], "leave `--all-errors` out");
    refused(&["check", "m.argos", "--along", "once", "--property", "deadlock"], "leave `--property` out");
    sandbox.write("none.argos", TELEPHONE);
    refused(&["check", "none.argos", "--along", "once"], "the model has none");
    sandbox.write("m.pml", "init { skip }");
    refused(&["check", "m.pml", "--along", "once"], "is for Argos");
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

/// What a verdict takes for granted is said: what counts as a proper end and for whom, and when timeouts come.
#[test]
fn proper_ends_and_timeouts_are_in_the_summary() {
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", include_str!("../../../../models/dropped_baton.argos"));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&sandbox.run(&["check", "m.argos"]).expect(0).stdout);
    assert!(text.contains("resting at its initial state counts as a proper end for anna and bert"), "{text}");
    assert!(text.contains("--end-states strict"), "{text}");
    assert!(!text.contains("timeouts"), "{text}");
    let answer = json(&sandbox, &["check", "m.argos", "--format", "json"], 0);
    assert_eq!(answer["end_states"], "rest");
    assert_eq!(answer["resting"], serde_json::json!(["anna", "bert"]));
    assert_eq!(answer.get("timeouts"), None);
    let strict = ["check", "m.argos", "--end-states", "strict"];
    let text = words(&sandbox.run(&strict).expect(1).stdout);
    assert!(text.contains("a process must come to the end of its text (--end-states strict)"), "{text}");
    let answer = json(&sandbox, &[&strict[..], &["--format", "json"]].concat(), 1);
    assert_eq!(answer["end_states"], "strict");
    assert_eq!(answer["errors"][0]["kind"], "deadlock");
    // Where only assertions are looked for, ends do not matter.
    let text = sandbox.run(&["check", "m.argos", "--property", "assertions"]).expect(0).stdout;
    assert!(!text.contains("proper end"), "{text}");

    sandbox.write("m.argos", include_str!("../../../../models/patient.argos"));
    for (when, status) in [("free", 1), ("lock-only", 0)] {
        let answer = json(&sandbox, &["check", "m.argos", "--format", "json", "--timeouts", when], status);
        assert_eq!(answer["timeouts"], when);
        let text = words(&sandbox.run(&["check", "m.argos", "--timeouts", when]).expect(status).stdout);
        assert!(text.contains(&format!("timeouts {when}: possible")), "{text}");
    }
    sandbox.write("m.pml", "active proctype p() { skip }");
    let answer = json(&sandbox, &["check", "m.pml", "--format", "json"], 0);
    assert_eq!((answer.get("end_states"), answer.get("resting"), answer.get("timeouts")), (None, None, None));
}

/// The error is shown with its place and its trace, which can be replayed, although the clock goes on.
#[test]
fn a_reception_beside_a_clock_is_shown_and_replayed() {
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", include_str!("../../../../models/deaf_clerk.argos"));
    let answer = json(&sandbox, &["check", "m.argos", "--all-errors", "--format", "json"], 1);
    let errors = answer["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["kind"], "unspecified-reception");
    assert_eq!(errors[0]["location"], "m.argos:12:14");
    assert_eq!(errors[0]["message"], "clerk does not receive `complaint` from `desk` in state 1");
    let replayed = sandbox.run(&["simulate", "m.argos", "--trace", "m.trace.json"]).expect(1).stdout;
    assert!(replayed.contains("clerk does not receive `complaint`"), "{replayed}");
}

/// A scatter search says that it puts timeouts off, and how to let them come.
#[test]
fn a_scatter_search_names_what_it_does_with_timeouts() {
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", include_str!("../../../../models/stop_and_wait.argos"));
    let text = sandbox.run(&["check", "m.argos", "--search", "scatter"]).expect(3).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("timeouts last"), "{text}");
    assert!(
        text.contains("timeouts were left out where something else could be done (--timeouts free"),
        "{text}"
    );
    let scatter = ["check", "m.argos", "--search", "scatter", "--format", "json"];
    let answer = json(&sandbox, &scatter, 3);
    assert_eq!(answer["scope"]["timeouts"], "lock-only");
    assert!(answer["limits"].as_array().expect("a list").contains(&"timeouts".into()));
    let answer = json(&sandbox, &[&scatter[..], &["--timeouts", "free"]].concat(), 3);
    assert_eq!(answer["scope"].get("timeouts"), None);
}

/// The example of the papers: the assertion is broken by the first event, and the execution goes on to its end.
#[test]
fn a_table_of_queues_goes_on_to_the_end() {
    let model = "assert { C!a; C!b }
        proc a { queue A[1]; C!a; A?c }
        proc b { queue B[1]; C!b; B?c }
        proc c { queue C[1], D[1]; if :: C?a -> A!c; C?b -> B!c :: C?b -> A!c; C?a -> B!c fi }";
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", model);
    sandbox.run(&["check", "m.argos", "-q"]).expect(1);
    let table = |options: &[&str]| {
        let args = [&["explain", "m.trace.json", "--format", "queues"], options].concat();
        sandbox.run(&args).expect(0).stdout
    };
    assert!(table(&[]).contains("queue:  C\nevent:\n    1   [b]\n"), "{}", table(&[]));
    let whole = table(&["--all-queues", "--to-end"]);
    let events =
        "queue:  A  B  C  D\nevent:\n    1         b\n  ---\n    2   c\n    3         a\n    4      c\n";
    assert!(whole.contains(events), "{whole}");
    assert!(whole.ends_with("after that: nothing more can be done: every process may end here\n"), "{whole}");
    for (args, words) in [
        (&["--to-end"][..], "--format queues"),
        (&["--format", "queues", "--model", "m.argos"], "`--to-end` only"),
        (&["--format", "queues", "--to-end", "--model", "gone.argos"], "gone.argos"),
    ] {
        let args = [&["explain", "m.trace.json"], args].concat();
        let told = sandbox.run(&args).expect(2).stderr;
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_table_of_queues_says_when_an_execution_comes_back() {
    let model = "assert { C!a }
        proc a { do :: C!a :: C!b od }
        proc c { queue C[1]; do :: C?a :: C?b od }";
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", model);
    sandbox.run(&["check", "m.argos", "-q"]).expect(1);
    let told = sandbox.run(&["explain", "m.trace.json", "--format", "queues", "--to-end"]).expect(0).stdout;
    assert!(told.contains("leads back to where it was before"), "{told}");
}
