//! Temporal properties on the command line: patterns, automata, formulas about Argos models, and what is said of wrong ones.

use crate::sandbox::{Sandbox, TURNS};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Player 1 takes the turn for ever.
const SELFISH: &str = "\
bit turn; bool asked;
active proctype A() { do :: asked = true; turn == 0 -> asked = false; turn = 1 od }
active proctype B() { do :: turn == 1 -> if :: turn = 0 :: skip fi od }
";

fn json(run: crate::sandbox::Run) -> Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn patterns() {
    let sandbox = Sandbox::with(SELFISH);
    sandbox.run(&["check", "m.pml", "--pattern", "absence(turn > 1)"]).expect(0);
    sandbox.run(&["check", "m.pml", "--pattern", "precedence(asked, turn == 1)"]).expect(0);
    let run = sandbox.run(&["check", "m.pml", "--pattern", "response(asked, !asked)"]).expect(1);
    assert!(run.stdout.contains("ltl response(asked, !asked) violated: "), "{}", run.stdout);
    assert!(run.stdout.contains("repeated for ever"), "{}", run.stdout);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
    sandbox.run(&["check", "m.pml", "--pattern", "response(asked, !asked) after(turn == 1)"]).expect(1);
    sandbox.run(&["check", "m.pml", "--pattern", "existence(asked) before(turn == 1)", "--fair"]).expect(0);
    // The same as the formula that it stands for.
    let args = ["check", "m.pml", "--format", "json", "--pattern", "response(asked, !asked)"];
    let answer = json(sandbox.run(&args).expect(1));
    assert_eq!(answer["errors"][0]["property"], "response(asked, !asked)");
    assert_eq!(answer["properties"][0]["name"], "response(asked, !asked)");
    assert_eq!(answer["properties"][0]["kind"], "ltl");
    let formula = json(
        sandbox.run(&["check", "m.pml", "--format", "json", "--ltl", "[] (asked -> <> !asked)"]).expect(1),
    );
    assert_eq!(formula["errors"][0]["length"], answer["errors"][0]["length"]);
}

/// Again and again a state in which it is asked, and no turn of A after it.
const NEVER_AGAIN: &str = r#"HOA: v1
name: "asked in vain"
States: 2
Start: 0
AP: 2 "asked" "turn == 0"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0 & !1] 1
State: 1 {0}
[!1] 1
--END--
"#;

#[test]
fn automata_accept_what_is_forbidden() {
    let sandbox = Sandbox::with(SELFISH);
    sandbox.write("vain.hoa", NEVER_AGAIN);
    let run = sandbox.run(&["check", "m.pml", "--automaton", "vain.hoa"]).expect(1);
    assert!(run.stdout.contains("vain.hoa accepts it: "), "{}", run.stdout);
    assert!(run.stdout.contains("checked  automaton vain.hoa"), "{}", run.stdout);
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
    let answer =
        json(sandbox.run(&["check", "m.pml", "--automaton", "vain.hoa", "--format", "json"]).expect(1));
    assert_eq!(answer["errors"][0]["kind"], "acceptance-cycle");
    assert_eq!(answer["errors"][0]["property"], "vain.hoa");
    assert_eq!(answer["properties"][0]["kind"], "never");
    // What never happens.
    sandbox.write("other.hoa", &NEVER_AGAIN.replace("asked\"", "asked && turn > 1\""));
    sandbox.run(&["check", "m.pml", "--automaton", "other.hoa"]).expect(0);
    // The automata that `panoptes ltl` makes: of the negation of what should hold.
    for formula in ["[] (asked -> <> (turn == 0))", "[] <> asked", "[] !(turn > 1)", "<> (turn == 1)"] {
        for acceptance in ["buchi", "generalised"] {
            let args = ["ltl", formula, "--negate", "--format", "hoa", "--acceptance", acceptance];
            sandbox.write("negated.hoa", &sandbox.run(&args).expect(0).stdout);
            let formula = sandbox.run(&["check", "m.pml", "--ltl", formula]).status;
            assert_eq!(sandbox.run(&["check", "m.pml", "--automaton", "negated.hoa"]).status, formula);
        }
    }
    let input = sandbox.run_with_input(&["check", "m.pml", "--automaton", "-"], NEVER_AGAIN).expect(1);
    assert!(input.stdout.contains("<stdin> accepts it"), "{}", input.stdout);
}

/// The names of all properties, and which of them an error violates.
#[test]
fn every_error_names_its_property() {
    let sandbox = Sandbox::with(
        "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(x == 2); x = 0 od }\nltl p { [] <> (x == 7) }\nltl q { [] (x < 9) }\n",
    );
    let args = ["check", "m.pml", "--format", "json", "--all-errors", "--invariant", "x != 2"];
    let answer = json(sandbox.run(&args).expect(1));
    let list = |key: &str, field: &str| -> Vec<String> {
        let list = answer[key].as_array().expect("a list").iter();
        list.map(|entry| entry[field].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(list("properties", "name"), ["safety", "x != 2", "p", "q"]);
    assert_eq!(list("properties", "kind"), ["safety", "invariant", "ltl", "ltl"]);
    assert_eq!(list("properties", "verdict"), ["violated", "violated", "violated", "verified"]);
    let named: Vec<(String, String)> =
        list("errors", "kind").into_iter().zip(list("errors", "property")).collect();
    for (kind, property) in [("assertion", "safety"), ("invariant", "x != 2"), ("acceptance-cycle", "p")] {
        assert!(named.contains(&(kind.to_string(), property.to_string())), "{named:?}");
    }
}

const RELAY: &str = "\
channel ping[1], pong[1];
proc left
{	var n = 0;
	do
	:: ping!token(n); pong?back; n = 1 - n
	od
}
proc right
{	var v;
	do
	:: ping?token(v) -> away: pong!back
	od
}
";

#[test]
fn formulas_about_argos() {
    let sandbox = Sandbox::new();
    sandbox.write("m.argos", RELAY);
    for (formula, status) in [
        ("[] <> (left:n == 1)", 0),
        ("[] <> (n == 2)", 1),
        ("[] (ping?[token] -> <> right@away)", 0),
        ("[] (len(ping) + len(pong) <= 1)", 0),
        ("<> [] empty(ping)", 1),
        ("n == 0 U ping?[token(0)]", 0),
    ] {
        let run = sandbox.run(&["check", "m.argos", "--ltl", formula]).expect(status);
        assert!(run.stdout.contains("property"), "{}", run.stdout);
        if status == 1 {
            sandbox.run(&["simulate", "m.argos", "--trace", "m.trace.json"]).expect(1);
        }
    }
    sandbox.run(&["check", "m.argos", "--reach", "right@away && left:n == 1"]).expect(0);
    sandbox.run(&["check", "m.argos", "--reach", "left:n == 2"]).expect(1);
    sandbox.run(&["check", "m.argos", "--pattern", "response(ping?[token], pong?[back])"]).expect(0);
    for (formula, says) in [
        ("[] <> (left:m == 1)", "`left` has no variable `m`"),
        ("[] <> (middle@away)", "there is no process `middle`"),
        ("[] <> right@home", "`right` never stands at a label `home`"),
        ("[] (n == 0", "expected an operator or `)`, found the end"),
        ("[] (ping?[tokn])", "there is no message `tokn`"),
    ] {
        let run = sandbox.run(&["check", "m.argos", "--ltl", formula]).expect(2);
        assert!(run.stderr.contains(says) && run.stderr.contains("--ltl:1:"), "{formula}: {}", run.stderr);
    }
}

/// What is said of a property that cannot be used.
#[test]
fn wrong_properties() {
    let sandbox = Sandbox::with(&format!("{TURNS}\nltl again {{ [] <> (turn == 1) }}\n"));
    let told = |more: &[&str], text: Expect| {
        let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(more.iter().copied()).collect();
        text.assert_eq(&sandbox.run(&args).expect(2).stderr);
    };
    told(
        &["--ltl", "[] <> (trun == 1)"],
        expect![[r#"
        error: undeclared variable `trun`
         --> --ltl:1:8
          |
        1 | [] <> (trun == 1)
          |        ^^^^
          |
          = help: did you mean `true`?

        1 error: the formula cannot be used
    "#]],
    );
    told(
        &["--pattern", "response(turn == 0, tirn == 1)"],
        expect![[r#"
        error: undeclared variable `tirn`
         --> --pattern:1:21
          |
        1 | response(turn == 0, tirn == 1)
          |                     ^^^^
          |
          = help: did you mean `turn`?

        1 error: the pattern cannot be used
    "#]],
    );
    told(
        &["--pattern", "responds(turn == 0, turn == 1)"],
        expect![[r#"
        error: expected a pattern, found `responds`
         --> --pattern:1:1
          |
        1 | responds(turn == 0, turn == 1)
          | ^^^^^^^^
          |
          = help: did you mean `response`?

        1 error: the pattern cannot be used
    "#]],
    );
    told(
        &["--pattern", "response(turn == 0)"],
        expect![[r#"
        error: `response` needs 2 formulas in parentheses, not 1
         --> --pattern:1:9
          |
        1 | response(turn == 0)
          |         ^^^^^^^^^^^

        1 error: the pattern cannot be used
    "#]],
    );
    told(
        &["--property", "agian"],
        expect![[r#"
        error: the model states no property `agian`; did you mean `again`? (it states: again; there is also safety, deadlock, assertions, acceptance, progress, stuck)
    "#]],
    );
    told(
        &["--property", "nothing"],
        expect![[r#"
        error: the model states no property `nothing` (it states: again; there is also safety, deadlock, assertions, acceptance, progress, stuck)
    "#]],
    );
    sandbox.write("a.hoa", &NEVER_AGAIN.replace("\"turn == 0\"", "\"trun == 0\""));
    told(
        &["--automaton", "a.hoa"],
        expect![[r#"
        error: undeclared variable `asked`
         --> a.hoa:5:8
          |
        5 | AP: 2 "asked" "trun == 0"
          |        ^^^^^

        error: undeclared variable `trun`
         --> a.hoa:5:16
          |
        5 | AP: 2 "asked" "trun == 0"
          |                ^^^^
          |
          = help: did you mean `true`?

        2 errors: the automaton cannot be used
    "#]],
    );
    sandbox.write("b.hoa", &NEVER_AGAIN.replace("asked", "turn == 1").replace("[!1] 1", "[!1 1"));
    told(
        &["--automaton", "b.hoa"],
        expect![[r#"
        error: expected `]`
          --> b.hoa:13:5
           |
        13 | [!1 1
           |     ^

        1 error: the automaton cannot be used
    "#]],
    );
    sandbox.write("c.hoa", &NEVER_AGAIN.replace("1 Inf(0)", "2 Fin(0) & Inf(1)"));
    told(
        &["--automaton", "c.hoa"],
        expect![[r#"
        error: this acceptance condition is not generalised Büchi
         --> c.hoa:7:15
          |
        7 | Acceptance: 2 Fin(0) & Inf(1)
          |               ^^^
          |
          = help: only conjunctions of `Inf(…)` can be checked; other tools convert

        1 error: the automaton cannot be used
    "#]],
    );
    sandbox.write("d.hoa", "never { do :: true od }\n");
    told(
        &["--automaton", "d.hoa"],
        expect![[r#"
        error: `:` has no meaning in HOA
         --> d.hoa:1:12
          |
        1 | never { do :: true od }
          |            ^

        1 error: the automaton cannot be used
    "#]],
    );
    told(
        &["--automaton", "e.hoa"],
        expect![[r#"
        error: there is no file e.hoa
    "#]],
    );
    // It has to remember fourteen steps.
    let exploding = format!("<> (turn == 1 && {} (turn == 0))", "X ".repeat(14));
    sandbox.write("p.ltl", &exploding);
    told(
        &["--ltl-file", "p.ltl"],
        expect![[r#"
        error: ltl <> (turn == 1 && X X X X X X X X X X X X X X  (turn == 0)) cannot be checked: its automaton becomes too large: more than 5000 states
         --> --ltl:1:1
          |
        1 | <> (turn == 1 && X X X X X X X X X X X X X X  (turn == 0))
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: `--property safety` checks the rest

    "#]],
    );
}
