//! Bounds: the search stops in time, says so, and the answer is partial. An interrupted search answers, too.

use crate::sandbox::{ASSERTION, LARGE, Sandbox, TURNS};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

fn limits(args: &[&str]) -> Value {
    let mut all = vec!["check", "m.pml", "--format", "json"];
    all.extend(args);
    let run = Sandbox::with(LARGE).run(&all).expect(3);
    let object: Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!(object["verdict"], "inconclusive");
    assert_eq!(object["complete"], false);
    assert!(object["coverage"]["estimate"].as_f64().is_some_and(|share| share < 1.0), "{object:#}");
    object["limits"].clone()
}

#[test]
fn depth() {
    for search in ["dfs", "bfs"] {
        assert_eq!(limits(&["--depth", "5", "--search", search]), serde_json::json!(["depth"]));
    }
}

#[test]
fn memory() {
    assert_eq!(limits(&["--memory", "1M"]), serde_json::json!(["memory"]));
}

/// Tables grow until the limit is met, and never is the old one there beside the new one.
#[test]
fn memory_holds_while_tables_grow() {
    let model = "int n; byte k;\nactive proctype P() { do :: n++ :: n % 1000 == 999 -> k++ od }";
    let sandbox = Sandbox::with(model);
    for search in ["bfs", "dfs"] {
        let args =
            ["check", "m.pml", "--memory", "64M", "--no-optimise", "--search", search, "--format", "json"];
        let object: Value = serde_json::from_str(&sandbox.run(&args).expect(3).stdout).expect("one object");
        assert_eq!(object["limits"], serde_json::json!(["memory"]));
        let peak = object["peak_memory_bytes"].as_u64();
        assert!(peak.is_none_or(|bytes| bytes <= (64 << 20) * 21 / 20 + (8 << 20)), "{search}: {peak:?}");
    }
}

#[test]
fn time() {
    let start = Instant::now();
    assert_eq!(limits(&["--time", "50ms"]), serde_json::json!(["time"]));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_limit_that_is_not_met_does_no_harm() {
    let limits = ["--depth", "100", "--memory", "1GiB", "--time", "1h"];
    let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(limits).collect();
    Sandbox::with(TURNS).run(&args).expect(0);
    Sandbox::with(ASSERTION).run(&args).expect(1);
}

#[test]
fn the_text_says_which_limit_it_was() {
    for (limit, value, why, share) in [
        ("--depth", "5", "longer than --depth allows", "77 states met; how many lie beyond is unknown"),
        (
            "--memory",
            "48M", // more than the program takes by itself, less than a million states do
            "more than --memory allows",
            "states met were explored; how many lie beyond is unknown",
        ),
    ] {
        let run = Sandbox::with(LARGE).run(&["check", "m.pml", "--exact", limit, value]).expect(3);
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(why) && text.contains(share), "{text}");
        assert_eq!(text.contains("too large? --search escalate"), limit == "--memory", "{text}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_gives_what_it_has() {
    let sandbox = Sandbox::with(LARGE);
    let child = sandbox.command(&["check", "m.pml", "--format", "json"]).spawn().expect("the command starts");
    std::thread::sleep(Duration::from_millis(200));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the command ends");
    let object: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(output.status.code(), Some(3), "{object:#}");
    assert_eq!(object["limits"], serde_json::json!(["interrupted"]));
}
