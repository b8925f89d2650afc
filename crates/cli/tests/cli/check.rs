//! `panoptes check`: the exit status, which property is checked, how the model is read.

use crate::sandbox::{ASSERTION, DEADLOCK, Sandbox, TURNS};

#[test]
fn a_correct_model_ends_with_zero() {
    let sandbox = Sandbox::with(TURNS);
    let run = sandbox.run(&["check", "m.pml"]).expect(0);
    assert!(run.stdout.starts_with("VERIFIED  m.pml\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    assert!(!sandbox.has("m.trace.json"));
}

#[test]
fn a_violation_ends_with_one_and_saves_its_trace() {
    for model in [DEADLOCK, ASSERTION] {
        let sandbox = Sandbox::with(model);
        let run = sandbox.run(&["check", "m.pml"]).expect(1);
        assert!(run.stdout.starts_with("VIOLATED  m.pml\n"), "{}", run.stdout);
        assert!(sandbox.has("m.trace.json"));
    }
}

#[test]
fn a_wrong_model_ends_with_two_and_says_where() {
    let run = Sandbox::with("active proctype A() {\n  x = 1\n}\n").run(&["check", "m.pml"]).expect(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("m.pml:2:3") && run.stderr.contains("x = 1"), "{}", run.stderr);
}

#[test]
fn temporal_properties_are_checked_by_name() {
    let model = format!("{TURNS}\nltl often {{ []<> (turn == 1) }}\nltl once {{ <>[] (turn == 1) }}\n");
    let sandbox = Sandbox::with(&model);
    let run = sandbox.run(&["check", "m.pml", "--no-trace"]).expect(1);
    assert!(run.stdout.contains("ltl once violated: "), "{}", run.stdout);
    assert!(run.stdout.contains("property often: verified"), "{}", run.stdout);
    sandbox.run(&["check", "m.pml", "--property", "safety"]).expect(0);
    sandbox.run(&["check", "m.pml", "--property", "often"]).expect(0);
    sandbox.run(&["check", "m.pml", "--property", "once"]).expect(1);
    for other in [["--store", "bitstate"], ["--search", "swarm"]] {
        let run = sandbox.run(&[&["check", "m.pml", "--property", "once"][..], &other].concat()).expect(2);
        assert!(run.stderr.contains("is about cycles"), "{}", run.stderr);
        sandbox.run(&[&["check", "m.pml"][..], &other].concat()).expect(3);
    }
    let run = sandbox.run(&["check", "m.pml", "--property", "unheard"]).expect(2);
    assert!(run.stderr.contains("`unheard`") && run.stderr.contains("often"), "{}", run.stderr);
}

#[test]
fn an_end_that_lasts_for_ever_is_shown_as_one() {
    let sandbox = Sandbox::with("byte x;\ninit { x = 1; x = 2 }\nltl three { <> (x == 3) }\n");
    let run = sandbox.run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.contains("↻ nothing happens any more"), "{}", run.stdout);
    let run = sandbox.run(&["explain", "m.trace.json", "--format", "mermaid"]).expect(0);
    assert!(run.stdout.contains("Note over init_0: ↻ nothing happens any more"), "{}", run.stdout);
}

#[test]
fn formulas_on_the_command_line() {
    let sandbox = Sandbox::with(TURNS);
    sandbox.run(&["check", "m.pml", "--ltl", "[]<> (turn == 1)"]).expect(0);
    sandbox.run(&["check", "m.pml", "--ltl", "always eventually (turn == 7)"]).expect(1);
    // What was saved is walked again, with the formula that it was found for.
    let run = sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
    assert!(run.stdout.contains("turn"), "{}", run.stdout);
    let run = sandbox.run(&["check", "m.pml", "--ltl", "[]<> (trun == 1)"]).expect(2);
    assert!(run.stderr.contains("--ltl:1:7"), "{}", run.stderr);
    sandbox.run(&["check", "m.pml", "--ltl", " "]).expect(2);
}

#[test]
fn a_violation_outweighs_properties_that_were_not_checked() {
    let sandbox = Sandbox::with(&format!("{ASSERTION}\nltl small {{ [] (x < 5) }}\n"));
    let run = sandbox.run(&["check", "m.pml"]).expect(1);
    assert!(run.stdout.contains("ltl small"), "{}", run.stdout);
    assert!(run.stdout.contains("up to the first error"), "{}", run.stdout);
}

#[test]
fn the_property_chooses_what_counts() {
    let deadlock = Sandbox::with(DEADLOCK);
    deadlock.run(&["check", "m.pml", "--property", "deadlock"]).expect(1);
    deadlock.run(&["check", "m.pml", "--property", "safety"]).expect(1);
    let assertion = Sandbox::with(ASSERTION);
    assertion.run(&["check", "m.pml", "--property", "assertions"]).expect(1);
    assertion.run(&["check", "m.pml", "--property", "deadlock"]).expect(0);
}

#[test]
fn standard_input_is_a_model_too() {
    let sandbox = Sandbox::new();
    sandbox.run_with_input(&["check", "-"], TURNS).expect(0);
    let run = sandbox.run_with_input(&["check", "-"], DEADLOCK).expect(1);
    assert!(run.stdout.starts_with("VIOLATED  <stdin>"), "{}", run.stdout);
    assert!(sandbox.has("stdin.trace.json"));
}

#[test]
fn macros_and_includes_come_from_the_command_line() {
    let sandbox = Sandbox::with("#include \"limit.h\"\nactive proctype A() { assert(N < LIMIT) }\n");
    sandbox.write("inc/limit.h", "#define LIMIT 5\n");
    sandbox.run(&["check", "m.pml", "-D", "N=3", "-I", "inc"]).expect(0);
    sandbox.run(&["check", "m.pml", "-DN=7", "-Iinc"]).expect(1);
    sandbox.run(&["check", "m.pml", "-DN=7"]).expect(2);
    sandbox.run(&["check", "m.pml", "-D7=N", "-Iinc"]).expect(2);
}

#[test]
fn all_strategies_agree() {
    let sandbox = Sandbox::with(DEADLOCK);
    for search in ["auto", "dfs", "bfs"] {
        sandbox
            .run(&["check", "m.pml", "--search", search, "--exact", "--no-por", "--no-optimise"])
            .expect(1);
    }
    sandbox
        .run(&["check", "m.pml", "--shortest", "--store", "exact", "--threads", "1", "--seed", "4"])
        .expect(1);
}

#[test]
fn lossy_channels_do_not_block() {
    let sandbox = Sandbox::with("chan q = [1] of { byte };\nactive proctype A() { q!1; q!2; q!3 }\n");
    sandbox.run(&["check", "m.pml"]).expect(1);
    sandbox.run(&["check", "m.pml", "--lossy"]).expect(0);
}

#[test]
fn quiet_says_it_in_one_line() {
    let run = Sandbox::with(DEADLOCK).run(&["check", "m.pml", "--quiet"]).expect(1);
    let expected = "VIOLATED  m.pml: deadlock after 2 steps: no process can move, trace in m.trace.json\n";
    assert_eq!(run.stdout, expected);
    let run = Sandbox::with(TURNS).run(&["check", "m.pml", "-q"]).expect(0);
    assert_eq!(run.stdout, "VERIFIED  m.pml\n");
}

#[test]
fn an_execution_that_stays_in_an_atomic_sequence_is_not_judged() {
    let sandbox = Sandbox::with("byte x;\nactive proctype A() { atomic { do :: x = 1 - x od } }\n");
    for asked in [
        ["--ltl", "<> (x == 5)"],
        ["--ltl", "!<> (x == 5)"],
        ["--property", "progress"],
        ["--property", "stuck"],
    ] {
        let run = sandbox.run(&["check", "m.pml", asked[0], asked[1]]).expect(3);
        assert!(run.stdout.contains("stay inside an atomic sequence for ever"), "{asked:?}: {}", run.stdout);
    }
}

#[test]
fn an_invariant_is_not_dropped_beside_a_property_that_is_checked_alone() {
    let sandbox = Sandbox::with("byte x;\nactive proctype A() { accept: x = 1 }\n");
    for asked in [["--ltl", "[] (x < 3)"], ["--pattern", "absence(x == 3)"], ["--property", "acceptance"]] {
        let run = sandbox.run(&["check", "m.pml", "--invariant", "x == 0", asked[0], asked[1]]).expect(2);
        assert!(run.stderr.contains("check them one by one"), "{asked:?}: {}", run.stderr);
    }
    sandbox.run(&["check", "m.pml", "--invariant", "x == 0", "--property", "safety"]).expect(1);
}

#[test]
fn a_formula_that_is_named_like_a_built_in_property_is_refused_when_it_is_asked_for() {
    let text = "byte x;\nactive proctype A() { do :: x = 1 - x od }\nltl safety { [] (x == 0) }\n";
    let run = Sandbox::with(text).run(&["check", "m.pml", "--property", "safety"]).expect(2);
    assert!(run.stderr.contains("give it another name"), "{}", run.stderr);
}
