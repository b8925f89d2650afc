//! The forms in which automata are written and read, and what is told of their components.

use crate::support::{Random, read};
use expect_test::{Expect, expect};
use panoptes_ltl::{Atoms, Automaton, Budget, Formula, Strength, read_hoa, translate, translate_to_buchi};
use panoptes_source::SourceMap;

fn buchi(text: &str) -> (Automaton, Atoms) {
    let (formula, atoms) = read(text);
    (translate_to_buchi(&formula, &Budget::default()).expect("small"), atoms)
}

fn hoa(text: &str) -> Result<(Automaton, Atoms), String> {
    let mut sources = SourceMap::default();
    let file = sources.add_file("automaton.hoa", text.to_string(), None);
    let mut atoms = Atoms::default();
    match read_hoa(&sources, file, &mut atoms) {
        Ok(automaton) => Ok((automaton, atoms)),
        Err(error) => Err(format!("{}: {}", sources.position(error.span), error.message)),
    }
}

fn check(actual: &str, expected: Expect) {
    expected.assert_eq(actual);
}

#[test]
fn never_claims_begin_with_the_initial_state_and_end_where_all_is_accepted() {
    let (automaton, atoms) = buchi("!([](p -> <> (x > 3)))");
    check(
        &automaton.to_never(&atoms, "!([](p -> <> (x > 3)))").expect("state-based"),
        expect![[r#"
            never { /* !([](p -> <> (x > 3))) */
            T0_init:
            	do
            	:: (true) -> goto T0_init
            	:: ((p) && !(x > 3)) -> goto accept_S1
            	od;
            accept_S1:
            	do
            	:: (!(x > 3)) -> goto accept_S1
            	od;
            }
        "#]],
    );
    let (automaton, atoms) = buchi("<> p");
    check(
        &automaton.to_never(&atoms, "<> p").expect("state-based"),
        expect![[r#"
            never { /* <> p */
            T0_init:
            	do
            	:: (!(p)) -> goto T0_init
            	:: ((p)) -> goto accept_all
            	od;
            accept_all:
            	skip
            }
        "#]],
    );
}

#[test]
fn pictures_and_hoa_show_marks() {
    let (formula, atoms) = read("[]<> p && []<> q");
    let automaton = translate(&formula, &Budget::default()).expect("small");
    check(
        &automaton.to_hoa(&atoms, "fair \"enough\""),
        expect![[r#"
            HOA: v1
            name: "fair \"enough\""
            States: 1
            Start: 0
            AP: 2 "p" "q"
            acc-name: generalized-Buchi 2
            Acceptance: 2 Inf(0)&Inf(1)
            properties: explicit-labels trans-acc
            --BODY--
            State: 0
            [!0&!1] 0
            [0&!1] 0 {0}
            [!0&1] 0 {1}
            [0&1] 0 {0 1}
            --END--
        "#]],
    );
    let (automaton, atoms) = buchi("p U q");
    check(
        &automaton.to_dot(&atoms, "p U q"),
        expect![[r#"
            digraph automaton {
              label="p U q";
              rankdir=LR;
              node [shape=circle];
              start [shape=point];
              s0 [label="0\nN"];
              s1 [label="1\nS", shape=doublecircle];
              start -> s0;
              s0 -> s0 [label="p && !q"];
              s0 -> s1 [label="q"];
              s1 -> s1 [label="true"];
            }
        "#]],
    );
}

#[test]
fn hoa_can_be_read_back() {
    let mut random = Random(4);
    for _ in 0..300 {
        let formula = random.formula(6, 3);
        let mut names = Atoms::default();
        for name in ["a", "b", "c"] {
            names.intern(name);
        }
        for automaton in
            [translate(&formula, &Budget::default()), translate_to_buchi(&formula, &Budget::default())]
        {
            let automaton = automaton.expect("small");
            let text = automaton.to_hoa(&names, "any");
            let (again, _) = hoa(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for _ in 0..20 {
                let word = random.lasso(3);
                assert_eq!(word.is_accepted_by(&again), word.is_accepted_by(&automaton), "{formula}\n{text}");
            }
        }
    }
}

#[test]
fn hoa_of_others_is_understood() {
    // Several initial states, an alias, labels on states, implicit labels, sets that are not asked for.
    let text = "HOA: v1 /* a /* nested */ comment */ tool: \"x\" \"1\" States: 3 Start: 0 Start: 1
        AP: 1 \"p\" Alias: @yes 0 acc-name: any Acceptance: 2 (Inf(1)) properties: whatever
        --BODY-- State: 0 \"one\" [@yes] 2 {0 1} [!@yes] 0 State: [t] 1 {1} 1 State: 2 0 2 {1} --END--";
    let (automaton, atoms) = hoa(text).expect("right");
    assert_eq!((automaton.states(), automaton.marks(), atoms.names().len()), (4, 1, 1));
    // State 1 accepts everything.
    assert!(!automaton.intersects(&translate(&Formula::False, &Budget::default()).expect("small")));
    let mut random = Random(1);
    assert!((0..20).all(|_| random.lasso(1).is_accepted_by(&automaton)));
}

#[test]
fn what_is_no_hoa_is_refused_with_its_place() {
    let head = "HOA: v1 States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)\n--BODY--\n";
    for (text, expected) in [
        ("", "automaton.hoa:1:1: an automaton in HOA begins with `HOA: v1`"),
        ("never { }", "automaton.hoa:1:1: an automaton in HOA begins with `HOA: v1`"),
        ("HOA: v1\n--BODY-- --END--", "automaton.hoa:1:1: there is no `Start:`, so no initial state"),
        ("HOA: v1\nStart: 0 --BODY-- --END--", "automaton.hoa:1:1: there is no `Acceptance:`"),
        (
            "HOA: v1\nStart: 0 & 1",
            "automaton.hoa:2:10: automata that go on in several states at once cannot be checked",
        ),
        ("HOA: v1\nSpecial: 3", "automaton.hoa:2:1: the header `Special:` is not known"),
        (
            "HOA: v1\nAcceptance: 1 Fin(0)",
            "automaton.hoa:2:15: this acceptance condition is not generalised Büchi",
        ),
        (
            "HOA: v1\nAcceptance: 2 Inf(0)|Inf(1)",
            "automaton.hoa:2:21: this acceptance condition is not generalised Büchi",
        ),
        ("HOA: v1\nAcceptance: 1 Inf(1)", "automaton.hoa:2:19: there are only 1 acceptance sets"),
        ("HOA: v1\nAP: 2 \"p\"", "automaton.hoa:2:1: there should be 2 names, not 1"),
        ("HOA: v1 States: 99999999999", "automaton.hoa:1:9: more than 1000000 states are too many"),
        (
            &(head.to_string() + "State: 0 [1] 0 --END--"),
            "automaton.hoa:3:11: there is no atomic proposition 1",
        ),
        (&(head.to_string() + "State: 0 [0] 7 --END--"), "automaton.hoa:3:14: there is no state 7"),
        (&(head.to_string() + "State: 1 --END--"), "automaton.hoa:3:1: there are only 1 states"),
        (&(head.to_string() + "State: 0 [0] 0 --ABORT--"), "automaton.hoa:3:16: this automaton was given up"),
        (&(head.to_string() + "State: 0 [0 0 --END--"), "automaton.hoa:3:13: expected `]`"),
        (&(head.to_string() + "State: 0 [@x] 0 --END--"), "automaton.hoa:3:11: there is no alias `@x`"),
        (&(head.to_string() + "State: 0"), "automaton.hoa:3:9: expected `State:` or `--END--`"),
        (
            &(head.to_string() + "State: 0 0 0 0 --END--"),
            "automaton.hoa:3:14: there are more edges than valuations",
        ),
        (&(head.to_string() + "State: 0 State: 0 --END--"), "automaton.hoa:3:10: state 0 is defined twice"),
        (
            &(head.to_string() + "State: 0 [" + &"!".repeat(10_000) + "0] 0 --END--"),
            "automaton.hoa:3:212: this label is nested too deeply",
        ),
    ] {
        assert_eq!(hoa(text).map(|_| ()), Err(expected.to_string()), "{text}");
    }
}

#[test]
fn broken_hoa_never_panics() {
    let (automaton, atoms) = buchi("[](p -> X (q U r)) && []<> p");
    let text = automaton.to_hoa(&atoms, "name");
    let mut random = Random(99);
    for _ in 0..2_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b"0129&|!()[]{}@\"-:t"[random.below(18) as usize],
                _ => bytes.truncate(at),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let _ = hoa(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn components_have_classes() {
    for (text, classes, strength) in [
        ("<> p", "S+N", Strength::Terminal),
        ("[] p", "F", Strength::Weak),
        ("!([](p -> <> q))", "N+F", Strength::Weak),
        ("[]<> p", "P", Strength::Strong),
        ("<>[] p", "N+F", Strength::Weak),
        ("true", "S", Strength::Terminal),
        ("false", "N", Strength::Terminal),
        ("p U (q && []<> r)", "N+P", Strength::Strong),
    ] {
        let (automaton, _) = buchi(text);
        let found = automaton.classes();
        assert_eq!((found.to_string().as_str(), found.strength()), (classes, strength), "{text}");
    }
    assert!(buchi("[](p -> X q)").0.classes().accepts_every_run());
    assert!(!buchi("[]<> p").0.classes().accepts_every_run());
    assert!(!buchi("<> p").0.classes().accepts_every_run());
}
