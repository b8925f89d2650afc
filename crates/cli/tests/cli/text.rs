//! What people see, compared with the files in `expected/`. `UPDATE_EXPECTED=1 cargo test -p panoptes-cli` rewrites
//! them.

use crate::sandbox::{ASSERTION, DEADLOCK, Sandbox, TURNS};
use std::path::Path;

/// Compares what a run prints, without the lines that tell time and memory.
fn compare(name: &str, stdout: &str) {
    let varies = |line: &&str| !line.starts_with("  memory ") && !line.starts_with("  time ");
    let found: String = stdout.lines().filter(varies).map(|line| format!("{line}\n")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/expected").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &found).expect("the expected text can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{name} prints something else; if that is right, set UPDATE_EXPECTED=1");
}

const RENDEZVOUS: &str = "\
mtype = { ping, pong };
chan wire = [0] of { mtype, byte };
chan log = [2] of { byte };
active proctype Left() {
    byte n;
    atomic { n = 3; wire!ping,n }
    wire?pong(n);
    assert(n == 3)
}
active proctype Right() {
    byte n;
    wire?ping,n;
    printf(\"got %d\\n\", n);
    log!n;
    wire!pong,n + 1
}
";

#[test]
fn a_verified_model() {
    compare("verified", &Sandbox::with(TURNS).run(&["check", "m.pml"]).expect(0).stdout);
}

/// What is left of a model stands for all of it, even if that is one state.
#[test]
fn a_model_of_which_one_state_is_left() {
    let model = "init { byte x; do :: x = 1; x = 2 od }\n";
    let run = Sandbox::with(model).run(&["check", "m.pml"]).expect(0);
    let line = "  nothing wrong in 1 state, which stands for all that can be reached (--exact counts them one by one)\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let run = Sandbox::with(model).run(&["check", "--exact", "m.pml"]).expect(0);
    assert!(run.stdout.contains("  nothing wrong in any of the 3 reachable states\n"), "{}", run.stdout);
    let run = Sandbox::with("init { do :: skip od }\n").run(&["check", "--exact", "m.pml"]).expect(0);
    assert!(run.stdout.contains("  nothing wrong in the only reachable state\n"), "{}", run.stdout);
}

#[test]
fn a_deadlock() {
    compare("deadlock", &Sandbox::with(DEADLOCK).run(&["check", "m.pml"]).expect(1).stdout);
}

#[test]
fn messages_in_a_trace() {
    compare("messages", &Sandbox::with(RENDEZVOUS).run(&["check", "m.pml"]).expect(1).stdout);
}

#[test]
fn a_trace_as_a_sequence_diagram() {
    let sandbox = Sandbox::with(RENDEZVOUS);
    sandbox.run(&["check", "m.pml"]).expect(1);
    compare("mermaid", &sandbox.run(&["explain", "m.trace.json", "--format", "mermaid"]).expect(0).stdout);
}

#[test]
fn all_errors_and_unreached_code() {
    let model = "byte x;\nactive proctype A() {\n    if :: x == 0 :: x == 1 -> x = 5 fi;\n    assert(x > 0);\n    false\n}\n";
    compare("all_errors", &Sandbox::with(model).run(&["check", "m.pml", "--all-errors"]).expect(1).stdout);
}

#[test]
fn loops_inlines_and_assignments_without_effect() {
    let model = "\
byte i, n, a[3];
inline wait(k) {
    n > k;
    n = 0
}
active proctype P() {
    for (i : 0 .. 1) { a[i] = 0 }
    select (i : 1 .. 2);
    wait(9)
}
";
    compare("loops", &Sandbox::with(model).run(&["check", "m.pml"]).expect(1).stdout);
}

#[test]
fn a_long_trace_is_shortened() {
    let model = "byte x;\nactive proctype A() { do :: x < 60 -> x++ :: else -> assert(false) od }\n";
    let sandbox = Sandbox::with(model);
    let short = sandbox.run(&["check", "m.pml"]).expect(1).stdout;
    let full = sandbox.run(&["check", "m.pml", "--full-trace"]).expect(1).stdout;
    assert!(short.contains("steps left out"), "{short}");
    assert!(short.contains("`panoptes explain m.trace.json` shows all 122 steps"), "{short}");
    assert!(!full.contains("steps left out") && full.lines().count() > 120, "{full}");
    let explained = sandbox.run(&["explain", "m.trace.json", "--full-trace"]).expect(0).stdout;
    assert!(!explained.contains("steps left out"), "{explained}");
}

#[test]
fn many_processes_are_listed_instead() {
    let model = "byte x;\nactive [12] proctype Counter() { x++; assert(x < 12) }\n";
    let run = Sandbox::with(model).run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    assert!(run.stdout.contains("Counter[11]"), "{}", run.stdout);
}

#[test]
fn columns_says_how_wide_a_pipe_is() {
    let sandbox = Sandbox::with(RENDEZVOUS);
    let run = |columns: &str| {
        let mut command = sandbox.command(&["check", "m.pml"]);
        let output = command.env("COLUMNS", columns).output().expect("the command runs");
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(run("200").contains("✗ assertion violated: (n == 3) │"), "{}", run("200"));
    let narrow = run("44");
    assert!(!narrow.contains('│') && narrow.contains("with Right[1]:"), "{narrow}");
    let steps = narrow.split("Trace: ").nth(1).and_then(|text| text.split("\n\n").next()).expect("steps");
    assert!(steps.lines().skip(1).all(|line| line.starts_with(' ') || line.starts_with('*')), "{narrow}");
}

#[test]
fn a_process_that_only_starts_others_has_no_column() {
    let model =
        "byte x;\nproctype A(byte n) { x = n; assert(x != 2) }\ninit { atomic { run A(1); run A(2) } }\n";
    compare("starts", &Sandbox::with(model).run(&["check", "m.pml"]).expect(1).stdout);
}

#[test]
fn a_pipe_gets_no_colours() {
    let run = Sandbox::with(ASSERTION).run(&["check", "m.pml"]).expect(1);
    assert!(!run.stdout.contains('\x1b'));
}
