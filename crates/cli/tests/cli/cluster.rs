//! `--cluster` and `--hosts`: several processes give the answer of one, and lose nothing but each other.

use crate::sandbox::{ASSERTION, DEADLOCK, LARGE, Sandbox, TURNS};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Some thousand states, and a false assertion.
const MEETING: &str = "\
byte a, b;
active proctype A() { do :: a < 30 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 30 -> b++ :: b == 29 && a == 17 -> break od; assert(false) }
";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn two_processes_count_what_one_counts() {
    let sandbox = Sandbox::with(MEETING);
    let flags = ["check", "--exact", "--all-errors", "--format", "json", "m.pml"];
    let alone = json(&sandbox.run(&flags).expect(1).stdout);
    for store in ["exact", "compressed"] {
        let more = [&flags[..], &["--cluster", "2", "--store", store]].concat();
        let together = json(&sandbox.run(&more).expect(1).stdout);
        for key in ["stored", "matched", "transitions", "expanded"] {
            assert_eq!(alone["states"][key], together["states"][key], "{store} {key}");
        }
        assert_eq!(alone["error_counts"], together["error_counts"]);
        assert_eq!(alone["errors"][0]["length"], together["errors"][0]["length"]);
        let owners = together["cluster"].as_array().expect("what each process did");
        let stored: u64 = owners.iter().map(|owner| owner["stored"].as_u64().unwrap()).sum();
        assert!(owners.len() == 2 && stored == together["states"]["stored"].as_u64().unwrap());
        assert!(owners.iter().all(|owner| owner["sent"].as_u64() > Some(0)));
    }
}

#[test]
fn a_violation_has_its_trace() {
    let sandbox = Sandbox::with(MEETING);
    let run = sandbox.run(&["check", "--cluster", "2", "m.pml"]).expect(1);
    assert!(run.stdout.contains("VIOLATED  m.pml") && run.stdout.contains("process  1: "), "{}", run.stdout);
    let alone = sandbox.run(&["check", "--shortest", "-q", "m.pml"]).expect(1);
    let together = sandbox.run(&["check", "--cluster", "2", "-q", "m.pml"]).expect(1);
    assert_eq!(alone.stdout, together.stdout);
    sandbox.run(&["explain", "m.trace.json"]).expect(0);
    for (model, said) in [(ASSERTION, "assertion violated after 3 steps"), (DEADLOCK, "deadlock")] {
        let sandbox = Sandbox::with(model);
        let run = sandbox.run(&["check", "--cluster", "1", "-q", "m.pml"]).expect(1);
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
}

#[test]
fn what_several_processes_cannot_do_is_refused() {
    let sandbox = Sandbox::with(TURNS);
    for (flags, said) in [
        (&["--cluster", "2", "--search", "dfs"][..], "`--search dfs` does not go with `--cluster`"),
        (&["--cluster", "2", "--store", "bitstate"], "`--store bitstate` does not go with"),
        (&["--cluster", "2", "--depth", "9"], "`--depth` does not go with"),
        (&["--cluster", "0"], "it must be a whole number, 1 or more"),
        (&["--cluster", "101"], "no more than 100 processes on one machine"),
        (&["--hosts", "none", "--process", "0"], "cannot read none"),
        (&["--hosts", "/dev/zero", "--process", "0"], "cannot read /dev/zero: larger than 8 MiB"),
        (&["--hosts", "hosts"], "--process"),
    ] {
        let run = sandbox.run(&[&["check", "m.pml"], flags].concat()).expect(2);
        assert!(run.stderr.contains(said), "{flags:?}: {}", run.stderr);
    }
    sandbox.write("hosts", "localhost:7000\nlocalhost 7001\n");
    let run = sandbox.run(&["check", "m.pml", "--hosts", "hosts", "--process", "0"]).expect(2);
    assert!(run.stderr.contains("hosts:2:1") && run.stderr.contains("has no port"), "{}", run.stderr);
    sandbox.write("hosts", "localhost:7000\nlocalhost:7001\n");
    let run = sandbox.run(&["check", "m.pml", "--hosts", "hosts", "--process", "2"]).expect(2);
    assert!(run.stderr.contains("has 2 processes, from 0 to 1"), "{}", run.stderr);
    sandbox.write("broken.pml", "active proctype P() { x = 1 }\n");
    let run = sandbox.run(&["check", "broken.pml", "--cluster", "3"]).expect(2);
    assert_eq!(run.stderr.matches("undeclared variable `x`").count(), 1, "{}", run.stderr);
}

/// Two ports of this machine that nobody uses now.
fn hosts() -> String {
    let listeners = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| format!("{}\n", listener.local_addr().expect("its address"))).concat()
}

/// Two commands that name each other.
fn pair(sandbox: &Sandbox, first: &[&str], second: &[&str]) -> [std::process::Output; 2] {
    sandbox.write("hosts", &hosts());
    let start = |process: &str, flags: &[&str]| {
        let mut command = sandbox.command(&["check", "--hosts", "hosts", "--process", process]);
        command
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process")
    };
    [start("0", first), start("1", second)].map(|child| child.wait_with_output().expect("its answer"))
}

#[test]
fn hosts_meet_and_the_first_answers() {
    let sandbox = Sandbox::with(MEETING);
    let flags = ["--exact", "--all-errors", "-q", "m.pml"];
    let [first, second] = pair(&sandbox, &flags, &flags);
    let text = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&first.stderr);
    assert_eq!(first.status.code(), Some(1), "{complaint}");
    assert!(text(&first).starts_with("VIOLATED  m.pml: "), "{}", text(&first));
    assert_eq!(second.status.code(), Some(0));
    assert!(text(&second).contains("process 1 has done its part"), "{}", text(&second));
}

#[test]
fn models_and_options_must_be_the_same() {
    let sandbox = Sandbox::with(MEETING);
    sandbox.write("other.pml", TURNS);
    for (first, second, said) in [
        (["m.pml", "--exact"], ["other.pml", "--exact"], "the text of the model differs"),
        (["m.pml", "--exact"], ["m.pml", "--no-por"], "--no-optimise"),
    ] {
        for output in pair(&sandbox, &first, &second) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && stderr.contains(said), "{stderr}");
        }
    }
}

#[test]
fn who_does_not_come_is_named() {
    let sandbox = Sandbox::with(TURNS);
    sandbox.write("hosts", &hosts());
    let flags = ["check", "m.pml", "--hosts", "hosts", "--process", "1", "--wait", "200ms", "-q"];
    let run = sandbox.run(&flags).expect(3);
    assert!(run.stderr.contains("process 0") && run.stderr.contains("did not come"), "{}", run.stderr);
    assert_eq!(run.stdout, "INCONCLUSIVE  m.pml: limit: process-lost\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_lost_process_ends_the_search() {
    let sandbox = Sandbox::with(LARGE);
    for victim in [0, 1] {
        let mut command =
            sandbox.command(&["check", "--exact", "--cluster", "2", "--format", "json", "m.pml"]);
        let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
        let id = run.id();
        let children =
            || std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        while children().split_whitespace().count() < 2 {
            assert!(run.try_wait().expect("a status").is_none(), "it ended too early");
            std::thread::sleep(Duration::from_millis(2));
        }
        let victim = children().split_whitespace().nth(victim).expect("a process").to_string();
        assert!(std::process::Command::new("kill").args(["-9", &victim]).status().expect("kill").success());
        let start = Instant::now();
        let output = run.wait_with_output().expect("its answer");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(3));
        let answer = json(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(
            (&answer["verdict"], &answer["limits"][0]),
            (&"inconclusive".into(), &"process-lost".into())
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("was lost: signal 9 ended it"), "{stderr}");
    }
}

/// Asked to stop, all processes stop, and the answer says how far they came.
#[test]
fn a_limit_ends_all() {
    let sandbox = Sandbox::with(LARGE);
    let run =
        sandbox.run(&["check", "--exact", "--cluster", "2", "--time", "300ms", "--format", "json", "m.pml"]);
    let run = run.expect(3);
    let answer = json(&run.stdout);
    assert_eq!(answer["limits"], serde_json::json!(["time"]));
}

/// Ctrl-Z and `fg`: the command that looks after the others was silent itself.
#[test]
#[ignore = "takes 35 s"]
fn a_search_that_was_stopped_goes_on() {
    let sandbox = Sandbox::with(LARGE);
    let mut command = sandbox.command(&["check", "--exact", "--cluster", "2", "-q", "m.pml"]);
    let mut run = command.spawn().expect("a process");
    let id = run.id();
    let children = || std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    while children().split_whitespace().count() < 2 {
        assert!(run.try_wait().expect("a status").is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(2));
    }
    let all = format!("{id} {}", children());
    let signal = |name: &str| {
        let kill = std::process::Command::new("kill").arg(name).args(all.split_whitespace()).status();
        assert!(kill.expect("kill").success());
    };
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(33));
    signal("-CONT");
    let output = run.wait_with_output().expect("its answer");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
