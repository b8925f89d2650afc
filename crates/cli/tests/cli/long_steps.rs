//! Deterministic steps and atomic sequences that are long or never end: a limit is no violation, and `--time` holds
//! within them.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ENGINES: [&str; 2] = ["interp", "jit"];

fn check(model: &str, status: i32, args: &[&str]) -> Value {
    let mut all = vec!["check", "m.pml", "--format", "json"];
    all.extend(args);
    let run = Sandbox::with(model).run(&all).expect(status);
    serde_json::from_str(&run.stdout).expect("one object")
}

#[test]
fn a_long_deterministic_step_is_no_error() {
    let model =
        "int i;\ninit { d_step { do :: i < 1000000 -> i++ :: else -> break od } assert(i == 1000000) }";
    for engine in ENGINES {
        assert_eq!(check(model, 0, &["--engine", engine])["verdict"], "verified");
    }
}

#[test]
fn a_deterministic_step_that_never_ends_is_a_limit() {
    let model = "byte i;\ninit {\n    d_step { do :: i < 9 -> i++ :: else -> i = 3 od }\n}";
    for engine in ENGINES {
        for search in ["bfs", "dfs"] {
            for more in [&["--exact"][..], &[]] {
                let mut args = vec!["--engine", engine, "--search", search];
                args.extend(more);
                let object = check(model, 3, &args);
                assert_eq!(object["limits"], json!(["d-step"]), "{args:?}");
                assert_eq!(object["errors"], json!([]));
                let given_up = &object["given_up"][0];
                assert_eq!(given_up["location"], "m.pml:3:5");
                assert!(given_up["message"].as_str().is_some_and(|message| message.contains("never ends")));
            }
        }
    }
    let text = Sandbox::with(model).run(&["check", "m.pml"]).expect(3).stdout;
    assert!(text.contains("a deterministic step never ends"), "{text}");
    assert!(text.contains("m.pml:3:5"), "{text}");
}

#[test]
fn a_violation_beside_an_endless_step_is_found() {
    let model =
        "byte i;\nactive proctype A() { d_step { do :: i = 1 od } }\nactive proctype B() { assert(false) }";
    let object = check(model, 1, &["--all-errors", "--exact"]);
    assert_eq!(object["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!((&object["complete"], &object["limits"]), (&json!(false), &json!(["d-step"])));
}

#[test]
fn a_violation_within_an_endless_step_is_found() {
    let model = "byte i;\ninit {\n    d_step {\n        do\n        :: i = (i + 1) % 9; assert(i < 5)\n        od }\n}";
    for engine in ENGINES {
        for more in [&["--exact"][..], &[], &["--search", "dfs"]] {
            let object = check(model, 1, &[more, &["--engine", engine]].concat());
            assert_eq!(object["errors"].as_array().map(Vec::len), Some(1), "{object:#}");
            assert_eq!(object["errors"][0]["kind"], "assertion");
            assert_eq!(object["errors"][0]["location"], "m.pml:5:29");
            assert_eq!(
                (&object["errors"][0]["length"], &object["errors"][0]["trace"]),
                (&json!(1), &json!("m.trace.json"))
            );
        }
        let object = check(model, 1, &["--engine", engine, "--all-errors"]);
        assert_eq!(object["limits"], json!(["d-step"]));
    }
}

#[test]
fn time_holds_within_steps() {
    let endless = "int i;\ninit { d_step { do :: i++ od } }";
    let many = "int i;\nactive [4] proctype P() {\n    int a;\n    do :: d_step { a = 0; do :: a < 15000 -> a++; \
                i = (i + 1) % 1000000 :: else -> break od } od\n}";
    let atomic = "int i, k;\ninit { atomic { do :: i++ :: k++ od } }";
    for engine in ENGINES {
        for model in [endless, many, atomic] {
            let start = Instant::now();
            let args =
                ["check", "m.pml", "--format", "json", "--engine", engine, "--time", "300ms", "--exact"];
            let (run, cpu) = Sandbox::with(model).run_measured(&args);
            let object: Value = serde_json::from_str(&run.expect(3).stdout).expect("one object");
            assert_eq!(object["limits"], json!(["time"]), "{engine}: {model}");
            // Ten per cent and half a second of the processor; a machine that is busy takes longer by the clock.
            assert!(cpu < Duration::from_millis(830), "{engine}: {cpu:?} for {model}");
            assert!(start.elapsed() < Duration::from_secs(30), "{engine}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn an_atomic_sequence_that_goes_round_is_seen_to_its_end() {
    let model = "byte i;\ninit { atomic { do :: i = 1 - i od } }";
    for engine in ENGINES {
        assert_eq!(check(model, 0, &["--engine", engine])["verdict"], "verified");
    }
}
