//! `panoptes explain`: charts, parts of a trace, pages, the story of an error, and trails of SPIN.

use crate::sandbox::{DEADLOCK, Sandbox};
use serde_json::Value;
use std::path::Path;

/// A message that takes its time, a rendezvous, and an assertion that fails.
const MESSAGES: &str = "\
mtype = { msg, ack };
chan line = [2] of { mtype, byte };
chan meet = [0] of { mtype };
byte taken;
active proctype Sender() {
    line!msg(1);
    line!msg(2);
    meet?ack
}
active proctype Receiver() {
    byte n;
    line?msg(n);
    taken = n;
    meet!ack;
    assert(taken == 2)
}
";

/// A process that waits for ever while another one turns.
const LASSO: &str = "\
bool on, served;
active proctype Switch() { do :: on = true :: on = false od }
ltl often { <> served }
";

/// Two processes that each hold what the other one waits for.
const CIRCLE: &str = "\
bool left, right;
active proctype A() { left = true; !right; left = false }
active proctype B() { right = true; !left; right = false }
";

/// A trace of this model, in `m.trace.json`.
fn violated(model: &str) -> Sandbox {
    let sandbox = Sandbox::with(model);
    sandbox.run(&["check", "m.pml", "-q"]).expect(1);
    sandbox
}

fn explain(sandbox: &Sandbox, args: &[&str]) -> String {
    sandbox.run(&[&["explain", "m.trace.json"], args].concat()).expect(0).stdout
}

#[test]
fn a_chart_has_lifelines_and_arrows() {
    let sandbox = violated(MESSAGES);
    let chart = explain(&sandbox, &["--chart"]);
    assert!(chart.lines().all(|line| line.chars().count() <= 80), "{chart}");
    for part in ["Sender[0]", "Receiver[1]", "line!msg(1)", "meet!ack", "▶", "◀", "✗ assertion violated"]
    {
        assert!(chart.contains(part), "{part}:\n{chart}");
    }
    assert!(!chart.contains("taken = n"), "{chart}");
    assert!(explain(&sandbox, &["--steps"]).contains("taken = n"));
    // Without a terminal it is the table, unless the chart is asked for.
    assert!(explain(&sandbox, &[]).contains("│ line │"));
    assert_eq!(explain(&sandbox, &["--table"]), explain(&sandbox, &[]));
}

#[test]
fn the_story_names_who_waits_and_the_last_chance() {
    let told = explain(&violated(CIRCLE), &["--chart"]);
    assert!(told.contains("A[0] waits for B[1] (right)\n  B[1] waits for A[0] (left)\n"), "{told}");
    assert!(told.contains("A[0] → B[1] → A[0]: they wait for each other in a circle"), "{told}");
    assert!(told.contains("before step 2 the error could still be avoided"), "{told}");
    let nobody = explain(&violated(DEADLOCK), &["--chart"]);
    assert!(nobody.contains("A[0] waits for nobody"), "{nobody}");
    let never = explain(&violated("active proctype A() { assert(false) }"), &["--chart"]);
    assert!(never.contains("the error cannot be avoided: every execution leads to one"), "{never}");
}

#[test]
fn parts_of_a_trace() {
    let sandbox = violated(MESSAGES);
    let state = explain(&sandbox, &["--at", "1"]);
    assert!(state.contains("The state after step 1 of") && state.contains("line = [msg(1)]"), "{state}");
    let table = explain(&sandbox, &["--from", "2", "--to", "3"]);
    assert!(table.contains("Trace: steps 2 to 3 of"), "{table}");
    let one = explain(&sandbox, &["--process", "Receiver", "--from", "2"]);
    assert!(one.contains("(sent in step 1)"), "{one}");
    for (args, words) in [
        (&["--at", "99"][..], "the trace has"),
        (&["--from", "3", "--to", "2"], "comes after the last"),
        (&["--format", "svg", "--at", "1"], "`--at`"),
        (&["--format", "json", "--steps"], "a part of a trace"),
    ] {
        let run = sandbox.run(&[&["explain", "m.trace.json"], args].concat()).expect(2);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn a_drawing_and_a_diagram() {
    let sandbox = violated(MESSAGES);
    let svg = explain(&sandbox, &["--format", "svg"]);
    assert!(svg.starts_with("<svg ") && svg.contains("line!msg(1)"), "{svg}");
    let plant = explain(&sandbox, &["--format", "plantuml"]);
    assert!(plant.contains("Receiver_1 -> Sender_0 : ") && plant.contains("meet!ack"), "{plant}");
}

#[test]
fn a_page_needs_nothing_else() {
    for model in [MESSAGES, LASSO, DEADLOCK] {
        let sandbox = violated(model);
        let page = explain(&sandbox, &["--format", "html"]);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        // The model's text is in it, and nothing is fetched from elsewhere.
        assert!(page.contains("proctype") && !page.contains("http://") && !page.contains("https://"));
        let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let data: Value = serde_json::from_str(data.expect("the data")).expect("JSON");
        let steps = data["steps"].as_array().expect("steps").len();
        let trace: Value = serde_json::from_str(&sandbox.read("m.trace.json")).expect("JSON");
        assert_eq!(Some(steps as u64), trace["length"].as_u64());
    }
}

#[test]
fn a_check_writes_a_report() {
    let sandbox = Sandbox::with(MESSAGES);
    sandbox.run(&["check", "m.pml", "-q", "--report", "m.html"]).expect(1);
    let page = sandbox.read("m.html");
    assert!(page.contains("VIOLATED") && page.contains("Statistics") && page.contains("Properties"));
    let fine = "active proctype A() { byte x; if :: x == 0 :: x == 1 -> x = 2 fi }";
    let sandbox = Sandbox::with(fine);
    sandbox.run(&["check", "m.pml", "--report", "m.html"]).expect(0);
    let page = sandbox.read("m.html");
    assert!(page.contains("VERIFIED") && page.contains("Unreached code"), "{page}");
    let run = sandbox.run(&["check", "m.pml", "--report", "no/such/m.html"]).expect(2);
    assert!(run.stdout.is_empty() && run.stderr.contains("cannot write the report to no/such/m.html"));
    sandbox.run(&["check", "m.pml", "m.pml", "--report", "m.html"]).expect(2);
}

/// Whether a report can be written is found out before the search; if it fails later, the verdict stands.
#[test]
fn a_verdict_outlives_its_report() {
    if Path::new("/dev/full").exists() {
        let run = Sandbox::with(MESSAGES).run(&["check", "m.pml", "-q", "--report", "/dev/full"]).expect(1);
        assert!(run.stdout.starts_with("VIOLATED"), "{}", run.stdout);
        assert!(run.stderr.contains("cannot write the report"), "{}", run.stderr);
    }
}

/// A model that is named must be the one of the trace; without one it is said why something is missing.
#[test]
fn a_model_that_does_not_fit() {
    let sandbox = violated(MESSAGES);
    sandbox.write("other.pml", DEADLOCK);
    for args in [&["--chart"][..], &["--table"], &["--at", "1"], &["--format", "svg"]] {
        let run =
            sandbox.run(&[&["explain", "m.trace.json", "--model", "other.pml"], args].concat()).expect(2);
        assert!(run.stderr.contains("the trace does not fit other.pml"), "{}", run.stderr);
    }
    sandbox.write("m.pml", DEADLOCK);
    let told = explain(&sandbox, &["--chart"]);
    assert!(told.contains("the trace does not fit m.pml"), "{told}");
    sandbox.write("m.pml", "proctype {");
    assert!(explain(&sandbox, &["--chart"]).contains("m.pml has errors"));
}

/// What is written for SPIN can be read as a trail of SPIN, and is the same execution.
#[test]
fn a_trail_goes_out_and_comes_back() {
    for model in [MESSAGES, LASSO, DEADLOCK] {
        let sandbox = violated(model);
        let trail = explain(&sandbox, &["--format", "spin"]);
        sandbox.write("m.pml.trail", &trail);
        let args = ["explain", "m.pml.trail", "--model", "m.pml", "--format", "json"];
        let back: Value = serde_json::from_str(&sandbox.run(&args).expect(0).stdout).expect("JSON");
        let saved: Value = serde_json::from_str(&sandbox.read("m.trace.json")).expect("JSON");
        assert_eq!(back["steps"], saved["steps"], "{trail}");
        assert_eq!(back["error"]["cycle_start"], saved["error"]["cycle_start"]);
    }
    let sandbox = violated(MESSAGES);
    sandbox.write("m.pml.trail", "1:0:0\n2:1:77\n");
    for (args, words) in [
        (&["m.pml.trail"][..], "`--model FILE` names its model"),
        (&["m.pml.trail", "--model", "m.pml"], "step 2: process 1 cannot execute statement 77 there"),
    ] {
        let run = sandbox.run(&[&["explain"], args].concat()).expect(2);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

/// The numbers are those that SPIN gives to the statements: through all bodies, in the order of the text.
#[test]
fn statements_have_the_numbers_of_spin() {
    let trail = explain(&violated(MESSAGES), &["--format", "spin"]);
    assert!(trail.starts_with("1:0:0\n"), "{trail}");
    assert!(trail.contains(":1:4\n"), "{trail}");
}

#[test]
fn values_have_structure() {
    let sandbox = violated(MESSAGES);
    let trace: Value = serde_json::from_str(&sandbox.read("m.trace.json")).expect("JSON");
    assert_eq!(trace["tool"]["name"], "panoptes");
    assert_eq!(trace["initial"]["values"]["taken"], 0);
    let change = &trace["steps"][0]["changes"][0];
    assert_eq!(change["after"], "[msg(1)]");
    assert_eq!(change["after_value"], serde_json::json!([["msg", 1]]));
}

#[test]
fn a_process_that_is_not_there_is_refused() {
    let sandbox = violated(MESSAGES);
    for name in ["Sender", "Sender[0]", "0"] {
        explain(&sandbox, &["--process", name]);
    }
    let told = sandbox.run(&["explain", "m.trace.json", "--process", "Sendr"]).expect(2).stderr;
    assert!(told.contains("`--process Sendr`: the trace has Sender[0], Receiver[1]"), "{told}");
    sandbox.run(&["explain", "m.trace.json", "--table", "--steps"]).expect(2);
    sandbox.run(&["explain", "m.trace.json", "--at", "1", "--from", "2"]).expect(2);
}

#[test]
fn no_file_takes_the_place_of_the_model() {
    let sandbox = Sandbox::with(MESSAGES);
    for args in [["--report", "m.pml"], ["--trace-out", "./m.pml"], ["--report", "-"]] {
        sandbox.run(&[&["check", "m.pml"], &args[..]].concat()).expect(2);
    }
    sandbox.run(&["check", "m.pml", "--report", "x", "--trace-out", "x"]).expect(2);
    sandbox.run(&["check", "m.pml", "--quiet"]).expect(1);
}
