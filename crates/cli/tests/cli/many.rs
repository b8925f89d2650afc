//! Several models in one command, `--expect`, and JSON for models that cannot be used.

use crate::sandbox::{ASSERTION, LARGE, Sandbox, TURNS};
use serde_json::Value;

const BROKEN: &str = "byte x;\nactive proctype P() { y = 1; assert(x) }\n";

fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("models/a.pml", TURNS);
    sandbox.write("models/b.pml", ASSERTION);
    sandbox.write("models/deep/c.prom", TURNS);
    sandbox.write("models/.hidden/d.pml", BROKEN);
    sandbox.write("models/notes.txt", "no model");
    sandbox
}

#[test]
fn a_line_each_and_the_worst_status() {
    let sandbox = folder();
    let run = sandbox.run(&["check", "models"]).expect(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert_eq!(lines[0], "VERIFIED  models/a.pml");
    assert!(lines[1].starts_with("VIOLATED  models/b.pml: assertion violated after 3 steps"), "{}", lines[1]);
    assert_eq!(lines[2], "VERIFIED  models/deep/c.prom");
    assert_eq!(lines[3], "3 models: 2 verified, 1 violated");
    sandbox.run(&["check", "models/a.pml", "models/deep"]).expect(0);
    sandbox.write("broken.pml", BROKEN);
    let run = sandbox.run(&["check", "models/b.pml", "broken.pml", "models/a.pml"]).expect(2);
    assert!(run.stdout.contains("WRONG  broken.pml: 1 error"), "{}", run.stdout);
    assert!(run.stdout.ends_with("3 models: 1 verified, 1 violated, 1 with mistakes\n"), "{}", run.stdout);
    assert!(run.stderr.contains("undeclared variable `y`"), "{}", run.stderr);
}

/// Models of one name, here or there or in two languages, do not write over each other's traces.
#[test]
fn a_trace_file_for_each_of_one_name() {
    let sandbox = folder();
    sandbox.write("models/deep/b.pml", "init { false }\n");
    sandbox.write("models/deep/b.argos", "channel A[1];\nproc p { A?m }\nproc q { A!n }\n");
    let run = sandbox.run(&["check", "models"]).expect(1);
    for (model, file) in [
        ("models/b.pml", "b.trace.json"),
        ("models/deep/b.argos", "b.2.trace.json"),
        ("models/deep/b.pml", "b.3.trace.json"),
    ] {
        let line = run.stdout.lines().find(|line| line.contains(&format!("{model}:"))).unwrap();
        assert!(line.ends_with(&format!("trace in {file}")), "{line}");
        assert!(sandbox.read(file).contains(&format!("\"model\": \"{model}\"")), "{file}");
    }
    sandbox.run(&["check", "models", "--no-trace"]).expect(1);
}

/// Limits are those of each model, and what does not go with several is refused.
#[test]
fn limits_and_what_is_for_one_model() {
    let sandbox = folder();
    sandbox.write("large.pml", LARGE);
    let run = sandbox.run(&["check", "large.pml", "models/a.pml", "--no-por", "--time", "300ms"]).expect(3);
    assert!(run.stdout.contains("1 verified, 1 inconclusive"), "{}", run.stdout);
    for args in [
        &["check", "models", "--trace-out", "t.json"][..],
        &["check", "models", "-"],
        &["check", "models/a.pml", "none.pml"],
    ] {
        assert_eq!(sandbox.run(args).status, 2, "{args:?}");
    }
    let empty = Sandbox::new();
    empty.write("x/readme.txt", "");
    assert!(empty.run(&["check", "x"]).expect(2).stderr.contains("there is no model in x"));
}

#[test]
fn one_object_a_line() {
    let sandbox = folder();
    sandbox.write("broken.pml", BROKEN);
    let run = sandbox.run(&["check", "models", "broken.pml", "--format", "json"]).expect(2);
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let verdicts: Vec<&Value> = answers.iter().map(|answer| &answer["verdict"]).collect();
    let null = Value::Null;
    assert_eq!(
        verdicts,
        [&Value::from("verified"), &Value::from("violated"), &Value::from("verified"), &null]
    );
    assert_eq!(answers[3]["diagnostics"][0]["message"], "undeclared variable `y`");
}

#[test]
fn expectations() {
    let sandbox = Sandbox::new();
    sandbox.write("good.pml", &format!("/* Turns.\n *\n * expect: verified\n */\n{TURNS}"));
    sandbox.write("bad.pml", &format!("// expect: violated\n{ASSERTION}"));
    sandbox.write("silent.pml", TURNS);
    let run = sandbox.run(&["check", "good.pml", "bad.pml", "--expect", "model"]).expect(0);
    assert!(run.stdout.ends_with("2 models: 2 as expected\n"), "{}", run.stdout);
    let run = sandbox.run(&["check", "good.pml", "--expect", "violated"]).expect(1);
    assert!(run.stdout.contains("NOT AS EXPECTED: violated was expected"), "{}", run.stdout);
    sandbox.run(&["check", "bad.pml", "--expect", "violated"]).expect(0);
    let run = sandbox.run(&["check", "silent.pml", "--expect", "model"]).expect(2);
    assert!(run.stderr.contains("does not say what to expect"), "{}", run.stderr);
    let run = sandbox.run(&["check", "silent.pml", "bad.pml", "--expect", "model"]).expect(2);
    assert!(run.stdout.starts_with("WRONG  silent.pml: the first comment"), "{}", run.stdout);
    let run = sandbox.run(&["check", "bad.pml", "--expect", "verified", "--format", "json"]).expect(1);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["expected"], serde_json::json!({ "verdict": "verified", "met": false }));
}

/// Two processes that send and receive in turn, and one that waits for a timeout.
const WAITS: &str =
    "channel a[1], b[1];\nproc p { do :: a!m; if :: b?k :: b?timeout fi od }\nproc q { do :: a?m; b!k od }\n";
const ENDS: &str = "channel a[1];\nproc p { do :: a!m od }\nproc q { do :: a?m od }\n";

/// What is for Argos, or for models with timeouts, touches no other.
#[test]
fn options_for_some_of_several() {
    let sandbox = folder();
    sandbox.write("models/waits.argos", WAITS);
    sandbox.write("models/ends.argos", ENDS);
    for options in [&["--timeouts", "free"][..], &["--timeouts", "lock-only"], &["--end-states", "strict"]] {
        let mut args = vec!["check", "models", "--format", "json"];
        args.extend(options);
        let run = sandbox.run(&args);
        assert!(!run.stdout.contains("leave it out") && !run.stderr.contains("error"), "{}", run.stderr);
        let verdicts = run.stdout.matches("\"verdict\":null").count();
        assert_eq!(verdicts, 0, "{options:?}: {}", run.stdout);
    }
    assert!(
        sandbox
            .run(&["check", "models/ends.argos", "--timeouts", "free"])
            .expect(2)
            .stderr
            .contains("leave it out")
    );
}

#[test]
fn a_comment_says_with_which_options() {
    let sandbox = folder();
    let comment = |lines: &str| format!("/* Waits.\n * expect: verified\n{lines} */\n{WAITS}");
    sandbox.write("plain.argos", &comment(""));
    sandbox.write("patient.argos", &comment(" * timeouts: lock-only\n * end-states: rest\n"));
    sandbox.write("wrong.argos", &comment(" * timeouts: never\n"));
    let timeouts = |options: &[&str]| {
        let mut args = vec!["check", "--format", "json"];
        args.extend(options);
        let answer: Value = serde_json::from_str(&sandbox.run(&args).stdout).expect("JSON");
        answer["timeouts"].as_str().map(str::to_string)
    };
    assert_eq!(timeouts(&["plain.argos", "--expect", "model"]).as_deref(), Some("free"));
    assert_eq!(timeouts(&["patient.argos", "--expect", "model"]).as_deref(), Some("lock-only"));
    assert_eq!(timeouts(&["patient.argos", "--expect", "verified"]).as_deref(), Some("free"));
    let given = ["patient.argos", "--expect", "model", "--timeouts", "free"];
    assert_eq!(timeouts(&given).as_deref(), Some("free"), "the command line decides");
    let run = sandbox.run(&["check", "wrong.argos", "--expect", "model"]).expect(2);
    assert!(run.stderr.contains("the first comment of wrong.argos says `timeouts: never`"), "{}", run.stderr);
}

#[test]
fn json_for_a_model_with_mistakes() {
    let sandbox = Sandbox::with(BROKEN);
    let run = sandbox.run(&["check", "m.pml", "--format", "json"]).expect(2);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&answer["schema"], &answer["verdict"]), (&1.into(), &Value::Null));
    let diagnostic = &answer["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert!(diagnostic["code"].as_str().is_some_and(|code| !code.is_empty()), "{diagnostic}");
    assert_eq!(diagnostic["message"], "undeclared variable `y`");
    assert_eq!(diagnostic["file"], "m.pml");
    let place = ["line", "column", "end_line", "end_column"].map(|key| diagnostic[key].as_u64());
    assert_eq!(place, [Some(2), Some(23), Some(2), Some(24)]);
    assert!(run.stderr.contains("undeclared variable `y`"), "{}", run.stderr);
    let run = sandbox.run(&["check", "none.pml", "--format", "json"]).expect(2);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["diagnostics"][0]["line"], Value::Null);
}

#[test]
fn warnings_and_properties_in_the_json() {
    let sandbox = Sandbox::with("byte n = 300;\nltl p { [] (n < 9) }\nactive proctype P() { n = 1 }\n");
    let args = ["check", "m.pml", "--format", "json", "--invariant", "n < 9", "--invariant", "n == 1"];
    let answer: Value = serde_json::from_str(&sandbox.run(&args).stdout).expect("JSON");
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["diagnostics"][0]["severity"], "warning");
    let properties = answer["properties"].as_array().expect("a list");
    let told = |property: &Value| {
        ["name", "kind", "verdict"].map(|key| property[key].as_str().expect("text").to_string())
    };
    let told: Vec<[String; 3]> = properties.iter().map(told).collect();
    assert_eq!(told[0], ["safety", "safety", "inconclusive"]);
    assert_eq!(told[1], ["n < 9", "invariant", "violated"]);
    assert_eq!(told[3], ["p", "ltl", "violated"]);
}
