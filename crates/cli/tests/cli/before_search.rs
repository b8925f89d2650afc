//! Limits outside of the search itself: a text without end, `--time` and `--memory` while a model is read, what is compiled
//! to native code, the successors of a single state.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// Far too many statements, in three megabytes.
fn large_text() -> String {
    format!("int x; init {{ {} }}\n", "x = x + 1;\n".repeat(300_000))
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

#[test]
fn time_runs_out_while_the_model_is_read() {
    let sandbox = Sandbox::new();
    let start = Instant::now();
    let args = ["check", "-", "--time", "300ms", "--format", "json"];
    let mut child = sandbox.command(&args).spawn().expect("it starts");
    // A model that does not end.
    let input = child.stdin.take();
    let output = child.wait_with_output().expect("the command ends");
    drop(input);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(3));
    let object = object(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(object["verdict"], "inconclusive");
    assert_eq!(object["complete"], false);
    assert_eq!(object["limits"], serde_json::json!(["time"]));
    assert_eq!(object["states"]["stored"], 0);
    assert_eq!(object["errors"], serde_json::json!([]));
}

#[test]
fn memory_runs_out_while_the_model_is_read() {
    let sandbox = Sandbox::with(&large_text());
    let run = sandbox.run(&["check", "m.pml", "--memory", "32M", "--format", "json"]).expect(3);
    let object = object(&run.stdout);
    assert_eq!(object["limits"], serde_json::json!(["memory"]));
    assert_eq!(object["verdict"], "inconclusive");
    if let Some(peak) = object["peak_memory_bytes"].as_u64() {
        let allowed = 32 * MIB + 32 * MIB / 20 + 8 * MIB;
        assert!(peak < allowed, "{} of {} MiB", peak / MIB, allowed / MIB);
    }
}

#[test]
fn the_text_says_that_nothing_was_searched() {
    let sandbox = Sandbox::with(&large_text());
    let run = sandbox.run(&["check", "m.pml", "--memory", "16M"]).expect(3);
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "INCONCLUSIVE m.pml nothing was searched: reading the model needs more than --memory allows";
    assert!(text.starts_with(why), "{text}");
    let run = sandbox.run(&["check", "m.pml", "--memory", "16M", "--quiet"]).expect(3);
    assert_eq!(run.stdout, "INCONCLUSIVE  m.pml: limit: memory\n");
}

#[test]
fn the_error_of_a_model_that_is_read_in_time_is_told() {
    let run = Sandbox::with("init { x = 1 }").run(&["check", "m.pml", "--time", "1h"]).expect(2);
    assert!(run.stderr.contains("undeclared variable"), "{}", run.stderr);
}

#[test]
fn a_file_without_end_is_refused() {
    if !std::path::Path::new("/dev/zero").exists() {
        return;
    }
    let sandbox = Sandbox::with("#include \"/dev/zero\"\ninit { skip }\n");
    let run = sandbox.run(&["check", "m.pml"]).expect(2);
    assert!(run.stderr.contains("m.pml:1:10") && run.stderr.contains("larger than 8 MiB"), "{}", run.stderr);
    let run = sandbox.run(&["check", "/dev/zero"]).expect(2);
    assert!(run.stderr.contains("cannot read /dev/zero: larger than 8 MiB"), "{}", run.stderr);
    let run = sandbox.run(&["check", "m.pml", "--ltl-file", "/dev/zero"]).expect(2);
    assert!(run.stderr.contains("cannot read /dev/zero: larger than 8 MiB"), "{}", run.stderr);
}

#[test]
fn standard_input_without_end_is_refused() {
    let run = Sandbox::new().run_with_input(&["check", "-"], &"/* */\n".repeat(2_000_000)).expect(2);
    assert!(run.stderr.contains("larger than 8 MiB"), "{}", run.stderr);
}

/// A model that the code generator would take gigabytes or many seconds for.
fn compiled(model: &str) -> Value {
    let sandbox = Sandbox::with(model);
    let args = ["check", "m.pml", "--engine", "jit", "--time", "20s", "--format", "json"];
    let run = sandbox.run(&args);
    assert!([0, 3].contains(&run.status), "{}", run.stderr);
    object(&run.stdout)
}

#[test]
fn a_choice_of_ten_thousand_options_is_not_compiled() {
    let options: String = (0..10_000).map(|i| format!(":: x == {i} -> x = ({i} + 1) % 100 ")).collect();
    let object = compiled(&format!("int x; active proctype P() {{ do {options} od }}"));
    assert_eq!(object["engine"], "interp");
    assert!(object["peak_memory_bytes"].as_u64().is_none_or(|peak| peak < 200 * MIB), "{object:#}");
}

#[test]
fn a_deterministic_step_of_thirty_thousand_statements_is_not_compiled() {
    let object = compiled(&format!(
        "byte x; active [2] proctype P() {{ do :: d_step {{ {} }} od }}",
        "x++;".repeat(30_000)
    ));
    assert_eq!(object["engine"], "interp");
    assert!(object["seconds"]["compile"].as_f64().is_some_and(|seconds| seconds < 2.0), "{object:#}");
}

#[test]
fn the_successors_of_one_state_count() {
    let options: String = (0..600).map(|i| format!(":: x[{i}] = 1 ")).collect();
    let model = format!("byte x[200000]; active proctype P() {{ do {options} od }}");
    for engine in ["interp", "jit"] {
        let args = ["check", "m.pml", "--memory", "64M", "--engine", engine, "--exact", "--format", "json"];
        let run = Sandbox::with(&model).run(&args).expect(3);
        let object = object(&run.stdout);
        assert_eq!(object["limits"], serde_json::json!(["memory"]));
        let allowed = 64 * MIB + 64 * MIB / 20 + 8 * MIB;
        assert!(object["peak_memory_bytes"].as_u64().is_none_or(|peak| peak < allowed), "{object:#}");
    }
}
