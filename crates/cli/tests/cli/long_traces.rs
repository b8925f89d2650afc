//! Traces that are long, many, or not wanted: where they go, and that limits hold for them.

use crate::sandbox::{ASSERTION, Sandbox};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Three distinct errors.
const THREE: &str = "active proctype A() { if :: assert(false) :: false :: skip fi; assert(1 > 2); false }\n";

/// An error after many steps.
fn long(rounds: u32) -> String {
    format!(
        "int x;\nactive proctype P() {{ do :: x < {rounds} -> x++ :: else -> break od; assert(false) }}\n"
    )
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

#[test]
fn a_long_trace_is_shown_as_a_short_one_is() {
    // Beyond what is held in memory, the table is made from the file.
    let sandbox = Sandbox::with(&long(3000));
    let run = sandbox.run(&["check", "m.pml", "--full-trace"]).expect(1).stdout;
    let explained = sandbox.run(&["explain", "m.trace.json"]).expect(0).stdout;
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains('│')).map(str::to_string).collect()
    };
    assert_eq!(rows(&run), rows(&explained));
    assert_eq!(rows(&run).len(), 6002 + 2);
    assert!(rows(&run)[6000].contains("x: 2999 → 3000"), "{}", rows(&run)[6000]);
    assert!(run.ends_with("see its chart with `panoptes explain m.trace.json`\n"), "{run}");
    let json = sandbox.run(&["explain", "m.trace.json", "--format", "json"]).expect(0).stdout;
    assert_eq!(json, sandbox.read("m.trace.json"));
    assert_eq!(object(&json)["steps"].as_array().map(Vec::len), Some(6002));
    let diagram = sandbox.run(&["explain", "m.trace.json", "--format", "mermaid"]).expect(0).stdout;
    assert!(diagram.contains("6002 assert(false)"), "{}", diagram.len());
    let piped = sandbox.run_with_input(&["explain", "-"], &json).expect(0).stdout;
    assert_eq!(piped, explained);
    let walked = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1).stdout;
    assert!(walked.ends_with("after 6,002 steps: assertion violated: (false), at m.pml:2:66\n"), "{walked}");
    let walked = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json", "--format", "json"]);
    assert_eq!(walked.expect(1).stdout, json);
}

/// What was printed cannot be taken away, but it is whole JSON and says that the trace is not whole.
#[test]
fn a_printed_trace_that_is_cut_says_so() {
    let sandbox = Sandbox::with(&long(500_000));
    let run = sandbox.run(&["check", "m.pml", "--trace-out", "-", "--format", "json", "--time", "2s"]);
    if run.status == 3 || run.stdout.is_empty() {
        // The machine is too busy even to find it, or to begin with the trace.
        return;
    }
    let (trace, answer) = (object(&run.stdout), object(&run.stderr));
    if answer["errors"][0]["trace_limit"].is_null() {
        // It is fast enough to walk it.
        assert_eq!((&trace["cut"], trace["end"].is_object()), (&Value::Null, true));
        return;
    }
    assert_eq!((&trace["cut"], &trace["end"]), (&json!(true), &Value::Null));
    let run = sandbox.run_with_input(&["explain", "-"], &run.stdout).expect(2);
    assert!(run.stderr.contains("a limit cut it after"), "{}", run.stderr);
}

#[test]
fn a_trace_that_time_does_not_allow_is_not_kept() {
    let sandbox = Sandbox::with(&long(2_000_000));
    let start = Instant::now();
    let run = sandbox.run(&["check", "m.pml", "--format", "json", "--time", "6s"]);
    assert!(start.elapsed() < Duration::from_millis(8600), "{:?}", start.elapsed());
    let object = object(&run.stdout);
    if run.status == 3 {
        // The machine is too busy even to find it.
        assert_eq!(object["limits"], json!(["time"]));
        return;
    }
    let error = &object["errors"][0];
    assert_eq!((&object["verdict"], &error["location"]), (&json!("violated"), &json!("m.pml:2:69")));
    assert_eq!((&error["trace"], &error["trace_limit"]), (&Value::Null, &json!("time")));
    assert!(!sandbox.has("m.trace.json"), "half a trace is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_trace_takes_little_memory() {
    let sandbox = Sandbox::with(&long(200_000));
    let object =
        object(&sandbox.run(&["check", "m.pml", "--format", "json", "--memory", "64M"]).expect(1).stdout);
    assert_eq!(object["errors"][0]["trace"], "m.trace.json");
    let peak = object["peak_memory_bytes"].as_u64().expect("Linux tells");
    assert!(peak < (64 << 20) * 105 / 100 + (8 << 20), "{peak}");
}

#[test]
fn all_traces_are_in_one_file() {
    let sandbox = Sandbox::with(THREE);
    sandbox.run(&["check", "m.pml", "--all-errors"]).expect(1);
    let list = sandbox.run(&["explain", "m.trace.json"]).expect(0).stdout;
    assert!(list.starts_with("m.trace.json: 3 traces\n") && list.lines().count() == 5, "{list}");
    assert!(list.ends_with("`panoptes explain m.trace.json --error N` shows one\n"), "{list}");
    let one = sandbox.run(&["explain", "m.trace.json", "--error", "2", "--format", "json"]).expect(0).stdout;
    assert_eq!(object(&one)["number"], 2);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json", "--error", "2"]).expect(1);
    for args in
        [&["explain", "m.trace.json", "--error", "7"][..], &["explain", "m.trace.json", "--format", "json"]]
    {
        let run = sandbox.run(args).expect(2);
        assert!(
            run.stderr.contains("--error N") || run.stderr.contains("there is 1, 2, 3"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn each_trace_can_have_its_file() {
    let sandbox = Sandbox::with(THREE);
    let run = |out: &str| {
        let args = ["check", "m.pml", "--all-errors", "--format", "json", "--trace-out", out];
        object(&sandbox.run(&args).expect(1).stdout)
    };
    assert_eq!(run("t-%n.json")["errors"][2]["trace"], "t-3.json");
    assert!(sandbox.has("t-1.json") && sandbox.has("t-3.json") && !sandbox.has("t-%n.json"));
    sandbox.run(&["explain", "t-2.json"]).expect(0);
    sandbox.write("traces/note", "");
    assert_eq!(run("traces")["errors"][0]["trace"], "traces/m.trace.1.json");
    assert!(sandbox.has("traces/m.trace.3.json"));
}

#[test]
fn a_trace_can_be_printed() {
    let sandbox = Sandbox::with(ASSERTION);
    let run = sandbox.run(&["check", "m.pml", "--trace-out", "-"]).expect(1);
    assert_eq!(object(&run.stdout)["length"], 3);
    assert!(run.stderr.starts_with("VIOLATED  m.pml\n"), "{}", run.stderr);
    let run = sandbox.run(&["check", "m.pml", "--trace-out", "-", "--format", "json"]).expect(1);
    assert_eq!(object(&run.stdout)["length"], 3);
    assert_eq!(object(&run.stderr)["errors"][0]["trace"], Value::Null);
    assert!(!sandbox.has("m.trace.json") && !sandbox.has("-"));
}

#[test]
fn no_trace_leaves_none() {
    let sandbox = Sandbox::with(ASSERTION);
    let run = sandbox.run(&["check", "m.pml", "--no-trace"]).expect(1);
    assert!(run.stdout.starts_with("VIOLATED") && !run.stdout.contains("Trace"), "{}", run.stdout);
    assert!(!sandbox.has("m.trace.json"));
    let run = sandbox.run(&["check", "m.pml", "--no-trace", "--format", "json"]).expect(1);
    assert_eq!(object(&run.stdout)["errors"][0]["trace"], Value::Null);
    sandbox.run(&["check", "m.pml", "--no-trace", "--full-trace"]).expect(2);
}
