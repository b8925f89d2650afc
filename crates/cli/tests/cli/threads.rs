//! `--threads`: what it changes, and what it does not.

use crate::sandbox::{Sandbox, TURNS};
use serde_json::Value;

/// 65,536 states, and 511 levels of up to 256 of them.
const COUNTERS: &str = "byte x, y;
active proctype P() { do :: x++ od }
active proctype Q() { do :: y++ od }
";

fn object(text: &str, args: &[&str]) -> Value {
    let args = [&["check", "m.pml", "--format", "json", "--no-trace"], args].concat();
    let run = Sandbox::with(text).run(&args);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", run.stdout))
}

#[test]
fn large_searches_are_shared_out() {
    for store in ["exact", "compressed", "hash-compact"] {
        let one = object(COUNTERS, &["--exact", "--search", "bfs", "--store", store, "--threads", "1"]);
        assert_eq!((&one["threads"], &one["states"]["stored"]), (&1.into(), &65_536.into()), "{store}");
        for threads in ["2", "3", "8"] {
            let several =
                object(COUNTERS, &["--exact", "--search", "bfs", "--store", store, "--threads", threads]);
            assert_eq!(several["threads"].to_string(), threads, "{store}");
            for key in ["verdict", "complete", "limits", "errors", "error_counts", "unreached"] {
                assert_eq!(several[key], one[key], "{store}, {threads} threads, {key}");
            }
            for key in ["stored", "matched", "transitions", "expanded", "generated", "max_depth"] {
                assert_eq!(several["states"][key], one["states"][key], "{store}, {threads} threads, {key}");
            }
        }
    }
}

#[test]
fn small_ones_are_not() {
    assert_eq!(object(TURNS, &["--threads", "8"])["threads"], 1);
    assert_eq!(object(COUNTERS, &["--search", "dfs", "--threads", "8"])["threads"], 1);
    assert_eq!(object(COUNTERS, &["--exact", "--threads", "8", "--profile"])["threads"], 1);
}

#[test]
fn the_summary_says_how_many() {
    let run = Sandbox::with(COUNTERS).run(&["check", "m.pml", "--exact", "--threads", "2"]).expect(0);
    assert!(run.stdout.contains("breadth first, 2 threads, every state"), "{}", run.stdout);
}
