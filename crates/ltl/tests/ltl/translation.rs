//! Automata accept exactly the words that have the formula: on random formulas and random words, by definition.

use crate::support::{Random, read};
use panoptes_ltl::{Automaton, Budget, Formula, translate, translate_to_buchi};

const WORDS: usize = 40;

fn assert_equivalent(formula: &Formula, automaton: &Automaton, atoms: u64, random: &mut Random, about: &str) {
    for _ in 0..WORDS {
        let word = random.lasso(atoms);
        let expected = word.satisfies(formula);
        assert_eq!(word.is_accepted_by(automaton), expected, "{about}: {formula} on {word:?}\n{automaton:?}");
    }
}

#[test]
fn random_formulas_are_equivalent_to_their_automata() {
    let seed = 13;
    let mut random = Random(seed);
    for round in 0..2_000 {
        let atoms = 1 + random.below(3);
        let operators = random.below(10);
        let formula = random.formula(operators, atoms);
        for formula in [Formula::negation(formula.clone()), formula] {
            let about = format!("seed {seed}, round {round}");
            let automaton = translate(&formula, &Budget::default()).expect("small");
            assert_equivalent(&formula, &automaton, atoms, &mut random, &about);
            let automaton = translate_to_buchi(&formula, &Budget::default()).expect("small");
            assert!(automaton.is_state_based());
            assert_equivalent(&formula, &automaton, atoms, &mut random, &about);
        }
    }
}

#[test]
fn classic_formulas_are_equivalent_to_their_automata() {
    let mut random = Random(7);
    for text in [
        "[](p0 -> <> p1)",
        "[] p0 U p1",
        "p0 U (p1 U p2)",
        "(p0 W p1) && []<> p2",
        "!([]<> p0 <-> []<> p1)",
        "<>[] p0 || []<> p1",
        "[](p0 && X p1 -> X X p2)",
        "(<> p2) -> (!p0 U p2)",
        "[](p1 && !p2 && <> p2 -> (p0 V (p3 || p2)))",
        "true",
        "false",
        "X false",
        // What implies a promise in the same state must not make it be forgotten.
        "[] !(p0 && X [] p0)",
    ] {
        let (formula, _) = read(text);
        let automaton = translate(&formula, &Budget::default()).expect("small");
        assert_equivalent(&formula, &automaton, 4, &mut random, text);
    }
}

#[test]
fn what_explodes_is_refused_and_its_negation_is_not() {
    let all = (0..12).map(|atom| Formula::eventually(Formula::atom(atom)));
    let all = all.reduce(Formula::and).expect("twelve");
    for translate in [translate, translate_to_buchi] {
        translate(&all, &Budget::default()).expect_err("each set of atoms is a state");
        let automaton = translate(&Formula::negation(all.clone()), &Budget::default()).expect("small");
        assert_eq!(automaton.states(), 13);
    }
    // Its label is a small decision diagram and a large disjunction.
    let parity = (0..40).map(Formula::atom).reduce(Formula::equiv).expect("some");
    assert_eq!(translate(&parity, &Budget::default()).expect_err("too many").what, "edges");
    let responses = (0..10).map(|i| {
        let answered = Formula::eventually(Formula::atom(2 * i + 1));
        Formula::always(Formula::implies(Formula::atom(2 * i), answered))
    });
    let responses = responses.reduce(Formula::and).expect("some");
    translate(&responses, &Budget::default()).expect_err("each set of requests is a state");
    let many = (0..65).map(Formula::atom).reduce(Formula::or).expect("some");
    assert_eq!(translate(&many, &Budget::default()).expect_err("too many").what, "atoms");
}

/// Large automata are not reduced as far as small ones, so that they are there in time.
#[test]
fn what_is_large_is_right() {
    let chain = (0..10).map(|i| Formula::until(Formula::atom(2 * i), Formula::atom(2 * i + 1)));
    let chain = chain.reduce(Formula::implies).expect("some");
    let automaton = translate(&chain, &Budget::default()).expect("not too large");
    assert_equivalent(&chain, &automaton, 20, &mut Random(3), "a chain");
}
