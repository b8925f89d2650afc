//! `panoptes ltl`: automata of formulas, patterns and files.

use crate::sandbox::{Run, Sandbox};

fn ltl(args: &[&str]) -> Run {
    Sandbox::new().run(&[&["ltl"], args].concat())
}

#[test]
fn a_never_claim_by_default() {
    let run = ltl(&["[](p -> <> q)", "--negate"]).expect(0);
    assert!(run.stdout.starts_with("never { /* ![] (p -> <> q) */\nT0_init:\n\tdo\n"), "{}", run.stdout);
    assert!(run.stdout.contains(":: ((p) && !(q)) -> goto accept_S1\n"), "{}", run.stdout);
    // What can no more go wrong is where the claim ends.
    let run = ltl(&["[] (x > 3)", "--negate"]).expect(0);
    assert!(run.stdout.ends_with("accept_all:\n\tskip\n}\n"), "{}", run.stdout);
}

#[test]
fn hoa_out_and_in() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["ltl", "[]<> p && []<> q", "--acceptance", "generalised"]).expect(0);
    assert!(
        run.stdout.contains("acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n"),
        "{}",
        run.stdout
    );
    sandbox.write("fair.hoa", &run.stdout);
    let run = sandbox.run(&["ltl", "--automaton", "fair.hoa", "--format", "hoa"]).expect(0);
    assert!(run.stdout.contains("name: \"fair.hoa\"\nStates: 3\n"), "{}", run.stdout);
    assert!(run.stdout.contains("acc-name: Buchi\n"), "{}", run.stdout);
    let run = sandbox.run(&["ltl", "--automaton", "fair.hoa", "--format", "dot"]).expect(0);
    assert!(run.stdout.contains("doublecircle"), "{}", run.stdout);
    let run = sandbox.run(&["ltl", "--automaton", "fair.hoa", "--classes"]).expect(0);
    assert!(run.stdout.starts_with("classes: P\nautomaton: fair.hoa\nstates: 3\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("stutter-invariant: yes\n"), "{}", run.stdout);
    sandbox.write("bad.hoa", "HOA: v1\nStart: 0\nAcceptance: 1 Fin(0)\n--BODY--\n--END--\n");
    let run = sandbox.run(&["ltl", "--automaton", "bad.hoa"]).expect(2);
    assert!(run.stderr.contains("this acceptance condition is not generalised Büchi"), "{}", run.stderr);
    assert!(run.stderr.contains("bad.hoa:3:15"), "{}", run.stderr);
    let run = sandbox.run(&["ltl", "--automaton", "none.hoa"]).expect(2);
    assert!(run.stderr.contains("there is no file none.hoa"), "{}", run.stderr);
}

#[test]
fn classes_of_a_pattern_beside_those_of_the_paper() {
    let run = ltl(&["--pattern", "response(p, q) until(a, b)", "--negate", "--classes"]).expect(0);
    let claim = "of the never claim: S+N+F; in table 2 of Edelkamp et al. (2001): S+N+P+F\n";
    assert!(run.stdout.starts_with(&format!("classes: S+N+F\n{claim}")), "{}", run.stdout);
    let formula = ltl(&["--pattern", "response(p, q) until(a, b)", "--classes"]).expect(0);
    assert!(formula.stdout.starts_with(&format!("classes: P\n{claim}")), "{}", formula.stdout);
    assert!(run.stdout.contains("a search has to find: a state in S, or a cycle in F\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("stutter-invariant: yes\n"), "{}", run.stdout);
    let run = ltl(&["[](p -> X q)", "--classes"]).expect(0);
    assert!(run.stdout.starts_with("classes: F\nformula: [] (p -> X q)\nstates: 2\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("stutter-invariant: no\n"), "{}", run.stdout);
}

#[test]
fn what_is_wrong_is_shown_in_its_text() {
    for (args, message, place) in [
        (vec!["p U"], "expected a formula, found the end", "formula:1:4"),
        (vec!["p\n&& q )"], "expected an operator or the end of the formula, found `)`", "formula:2:6"),
        (vec!["--pattern", "respons(p, q)"], "expected a pattern, found `respons`", "pattern:1:1"),
        (vec!["--pattern", "respons(p, q)"], "did you mean `response`?", "pattern:1:1"),
    ] {
        let run = ltl(&args).expect(2);
        assert!(run.stderr.contains(message) && run.stderr.contains(place), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    let many: Vec<String> = (0..20).map(|atom| format!("<> p{atom}")).collect();
    let run = ltl(&[&many.join(" && ")]).expect(2);
    assert!(run.stderr.contains("its automaton becomes too large: more than"), "{}", run.stderr);
    assert!(run.stderr.contains("formula:1:1"), "{}", run.stderr);
    ltl(&[]).expect(2);
    ltl(&["p", "--pattern", "absence(p)"]).expect(2);
    let run = ltl(&["p", "--format", "never", "--acceptance", "generalised"]).expect(2);
    assert!(run.stderr.contains("a never claim has accepting states"), "{}", run.stderr);
}

/// All of table 2, as the documentation has it.
#[test]
fn the_table_of_patterns() {
    let run = Sandbox::new().run(&["ltl", "--patterns"]).expect(0);
    assert_eq!(run.stdout.lines().count(), 26, "{}", run.stdout);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/properties.md");
    let documented = std::fs::read_to_string(path).expect("the page");
    for line in run.stdout.lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let row = documented.lines().find(|row| row.starts_with(&format!("| {} |", words[0])));
        let column =
            ["globally", "before", "after", "between", "until"].iter().position(|scope| *scope == words[1]);
        let cells: Vec<&str> = row.expect("a row of the behaviour").split('|').map(str::trim).collect();
        let expected = match words[2] == words[3] {
            true => words[2].to_string(),
            false => format!("{} ({})", words[2], words[3]),
        };
        assert_eq!(cells[2 + column.expect("a scope")], expected, "{line}");
    }
}
