//! `panoptes simulate` and `panoptes show`.

use crate::sandbox::{ASSERTION, DEADLOCK, Sandbox, TURNS};

#[test]
fn a_seed_repeats_a_run() {
    let sandbox = Sandbox::with(
        "active [3] proctype P() { byte n; do :: n < 9 -> n++ :: n > 0 -> n-- :: printf(\"%d\\n\", n) od }",
    );
    let run =
        |seed: &str| sandbox.run(&["simulate", "m.pml", "--seed", seed, "--steps", "50"]).expect(0).stdout;
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
    assert!(run("7").contains("--seed 7") && run("7").contains("after 50 steps"));
}

#[test]
fn the_status_tells_how_a_run_ended() {
    Sandbox::with(TURNS).run(&["simulate", "m.pml", "--steps", "30"]).expect(0);
    Sandbox::with(ASSERTION).run(&["simulate", "m.pml", "--random"]).expect(1);
    let stuck = Sandbox::with("active proctype A() { false }").run(&["simulate", "m.pml"]).expect(1);
    assert!(stuck.stdout.contains("deadlock"), "{}", stuck.stdout);
    Sandbox::with("active proctype A() { skip }").run(&["simulate", "m.pml"]).expect(0);
    Sandbox::with("byte a, b;\nactive proctype A() { a = 1 / b }").run(&["simulate", "m.pml"]).expect(1);
}

#[test]
fn quiet_runs_print_what_the_model_prints() {
    let model = "active proctype A() { printf(\"hello %d\\n\", 1 + 1); printf(\"bye\\n\") }";
    let run = Sandbox::with(model).run(&["simulate", "m.pml", "--quiet"]).expect(0);
    assert_eq!(run.stdout, "hello 2\nbye\n");
}

#[test]
fn steps_are_chosen_by_hand() {
    let sandbox = Sandbox::with(DEADLOCK);
    let script = "v\n1\n1\nb 2\nb\n9\nwhat\nh\nt\nr\nl\nu 2\nw walk.json\nq\n";
    let run =
        sandbox.run_with_input(&["simulate", "m.pml", "--interactive", "--seed", "1"], script).expect(0);
    for text in [
        "variables",
        "this is where it starts",
        "there is no step 9",
        "what is `what`",
        "saved in walk.json",
        "step 2 >",
    ] {
        assert!(run.stdout.contains(text), "no “{text}” in\n{}", run.stdout);
    }
    sandbox.run(&["simulate", "m.pml", "--trace", "walk.json"]).expect(0);
    let explained = sandbox.run(&["explain", "walk.json"]).expect(0);
    assert!(explained.stdout.contains("Trace: 2 steps"), "{}", explained.stdout);
}

#[test]
fn a_run_by_hand_into_a_deadlock() {
    let sandbox = Sandbox::with(
        "bool left, right;\nactive proctype A() { left = true; !right }\nactive proctype B() { right = true; !left }\n",
    );
    let args = ["simulate", "m.pml", "-i"];
    let run = sandbox.run_with_input(&args, "1\n2\n\n").expect(1);
    assert!(run.stdout.contains("deadlock: no process can move"), "{}", run.stdout);
    sandbox.run_with_input(&args, "1\n2\nb\nq\n").expect(0);
    sandbox.run_with_input(&args, "").expect(0);
}

#[test]
fn a_step_that_goes_wrong_is_told_at_the_prompt() {
    let args = ["simulate", "m.pml", "-i"];
    let run = Sandbox::with(ASSERTION).run_with_input(&args, "r 3\nw\nu\nr x\nb\nq\n").expect(0);
    for text in ["step 3, which went wrong >", "step 2 >", "w FILE saves", "u N goes on", "not `x`"] {
        assert!(run.stdout.contains(text), "no “{text}” in\n{}", run.stdout);
    }
}

#[test]
fn a_run_is_a_trace_in_json() {
    let run = Sandbox::with(ASSERTION).run(&["simulate", "m.pml", "--format", "json"]).expect(1);
    let trace: serde_json::Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!(trace["format"], "panoptes-trace");
    assert_eq!(trace["error"]["kind"], "assertion");
}

#[test]
fn machines_are_shown() {
    let sandbox = Sandbox::with(TURNS);
    let text = sandbox.run(&["show", "m.pml"]).expect(0).stdout;
    assert!(text.contains("process Player"), "{text}");
    let dot = sandbox.run(&["show", "m.pml", "--format", "dot"]).expect(0).stdout;
    assert!(dot.starts_with("digraph"), "{dot}");
    let json = sandbox.run(&["show", "m.pml", "--format", "json"]).expect(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let machine = &json["machines"][0];
    assert_eq!((&machine["name"], &machine["kind"]), (&"Player".into(), &"process".into()));
    assert!(machine["states"].is_u64() && machine["minimised"].is_u64() && machine["transitions"].is_u64());
    let small = sandbox.run(&["show", "m.pml", "--minimised"]).expect(0).stdout;
    assert!(small.starts_with("Player: "), "{small}");
    let drawn = sandbox.run(&["show", "m.pml", "--minimised", "--format", "dot"]).expect(0).stdout;
    assert!(drawn.contains(", minimised"), "{drawn}");
}
