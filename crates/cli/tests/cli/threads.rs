//! `--threads`: what it changes, and what it does not.

use crate::sandbox::{Sandbox, TURNS};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

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

/// Counters without an end, and a formula that no search decides.
const ENDLESS: &str = "int x, y;
active proctype P() { do :: x++ od }
active proctype Q() { do :: y++ od }
ltl wrap { <> (x == -1) }
";

/// Searches of states in both orders, and one for cycles, by eight threads.
const BY_EIGHT: [&[&str]; 3] = [
    &["--property", "safety", "--exact", "--search", "bfs", "--threads", "8"],
    &["--property", "safety", "--exact", "--search", "dfs", "--threads", "8"],
    &["--property", "wrap", "--exact", "--search", "scc", "--threads", "8"],
];

#[test]
fn eight_threads_keep_to_memory() {
    for flags in BY_EIGHT {
        let found = object(ENDLESS, &[flags, &["--memory", "64M", "--store", "exact"]].concat());
        assert_eq!((&found["limits"][0], &found["threads"]), (&"memory".into(), &8.into()), "{flags:?}");
        let peak = found["peak_memory_bytes"].as_u64();
        assert!(peak.is_none_or(|bytes| bytes <= (64 << 20) * 21 / 20 + (8 << 20)), "{flags:?}: {peak:?}");
    }
}

/// A signal is answered within a fifth of a second. (Others may use the machine: it need not be so each time.)
#[cfg(unix)]
#[test]
fn eight_threads_answer_a_signal_at_once() {
    let sandbox = Sandbox::with(ENDLESS);
    for flags in BY_EIGHT {
        let mut times = Vec::new();
        while times.iter().all(|time| *time > Duration::from_millis(200)) {
            assert!(times.len() < 10, "{flags:?}: {times:?}");
            let args =
                [&["check", "m.pml", "--format", "json", "--no-trace", "--time", "60s"], flags].concat();
            let child = sandbox.command(&args).spawn().expect("the command starts");
            std::thread::sleep(Duration::from_millis(400));
            let start = Instant::now();
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(sent.is_ok_and(|status| status.success()));
            let output = child.wait_with_output().expect("the command ends");
            times.push(start.elapsed());
            let found: Value = serde_json::from_slice(&output.stdout).expect("one object");
            assert_eq!(
                (&found["limits"][0], &found["threads"]),
                (&"interrupted".into(), &8.into()),
                "{flags:?}"
            );
        }
    }
}
