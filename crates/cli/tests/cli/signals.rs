//! Signals ask for the answer, at any time, and one request may be several signals: `timeout` sends two.

use crate::sandbox::{LARGE, Sandbox};
use serde_json::Value;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const RUNS: usize = 30;

/// Waits until the command listens to signals; before, they end it as they end any program.
fn wait_until_it_listens(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        const INT_AND_TERM: u64 = 1 << (2 - 1) | 1 << (15 - 1);
        if caught & INT_AND_TERM == INT_AND_TERM {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("the command does not listen");
}

/// Sends the signals one right after the other.
fn send(child: &Child, signals: &[&str]) {
    let id = child.id();
    let words: Vec<String> = signals.iter().map(|signal| format!("kill -{signal} {id}")).collect();
    // It may have ended at the first one.
    let script = words.join("; ") + "; true";
    assert!(Command::new("sh").args(["-c", &script]).stderr(std::process::Stdio::null()).status().is_ok());
}

/// The answer of a command that got these signals.
fn answer(sandbox: &Sandbox, model: &str, signals: &[&str], after: Duration) -> Value {
    let mut child = sandbox.command(&["check", model, "--format", "json"]).spawn().expect("it starts");
    // Kept open: a model on standard input does not end.
    let input = child.stdin.take();
    wait_until_it_listens(&child);
    std::thread::sleep(after);
    send(&child, signals);
    let output = child.wait_with_output().expect("the command ends");
    drop(input);
    let text = String::from_utf8_lossy(&output.stdout);
    let object: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{signals:?} after {after:?}: {error} in {text:?}, {:?}", output.status)
    });
    assert_eq!(output.status.code(), Some(3), "{object:#}");
    assert_eq!(object["verdict"], "inconclusive");
    assert_eq!(object["limits"], serde_json::json!(["interrupted"]));
    object
}

#[test]
fn signals_in_quick_succession_still_give_the_answer() {
    let sandbox = Sandbox::with(LARGE);
    let sequences = [&["TERM", "CONT"][..], &["INT", "INT"], &["TERM", "TERM", "CONT"], &["HUP", "TERM"]];
    for run in 0..RUNS {
        // From the moment in which it begins to listen, while it reads the model, into the search.
        let after = Duration::from_millis([0, 5, 20, 60][run / sequences.len() % 4]);
        answer(&sandbox, "m.pml", sequences[run % sequences.len()], after);
    }
}

#[test]
fn a_signal_while_the_model_is_read_gives_an_answer() {
    let object = answer(&Sandbox::new(), "-", &["INT"], Duration::from_millis(50));
    assert_eq!(object["states"]["stored"], 0);
    assert_eq!(object["model"], "<stdin>");
}

/// Of several models, each is checked by a process of its own. The signal comes to the first process alone.
#[test]
fn a_signal_reaches_the_one_of_several_that_is_checked() {
    let sandbox = Sandbox::with(LARGE);
    sandbox.write("n.pml", LARGE);
    // The limit ends what does not hear the signal.
    let args = ["check", "m.pml", "n.pml", "--exact", "--time", "20s"];
    let mut child = sandbox.command(&args).spawn().expect("it starts");
    let input = child.stdin.take();
    wait_until_it_listens(&child);
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    send(&child, &["TERM"]);
    let output = child.wait_with_output().expect("the command ends");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(input);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("INCONCLUSIVE  m.pml: limit: interrupted\n"), "{text}");
    assert!(text.ends_with("2 models: 1 inconclusive, 1 not looked at\n"), "{text}");
}
