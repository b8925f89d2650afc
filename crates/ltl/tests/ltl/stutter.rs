//! Which formulas can tell words that differ in repetitions only.

use crate::support::{Random, read};
use panoptes_ltl::{Budget, Formula, Lasso, is_stutter_invariant, translate, translate_to_buchi};

#[test]
fn what_x_can_and_cannot_tell() {
    for (text, expected) in [
        ("[](p -> <> q)", true),
        ("p U q", true),
        ("X p", false),
        ("[](p -> X q)", false),
        ("<>(p && X !p)", true),
        ("<>(p && X p)", false),
        ("[](p -> X (p U q))", true),
        ("[](!p -> X (p || !p))", true),
        ("X <> p", false),
        ("X []<> p", true),
        ("p U (q && X (q U r))", false),
        ("p && X (p U q)", false),
    ] {
        let (formula, _) = read(text);
        assert_eq!(is_stutter_invariant(&formula, &Budget::default()), Ok(expected), "{text}");
    }
}

/// The same word with some letters repeated.
fn stuttered(word: &Lasso, random: &mut Random) -> Lasso {
    let mut repeat = |letters: &[u64]| -> Vec<u64> {
        letters.iter().flat_map(|letter| vec![*letter; 1 + random.below(3) as usize]).collect()
    };
    let (prefix, cycle) = word.letters().split_at(word.prefix());
    let (prefix, cycle) = (repeat(prefix), repeat(cycle));
    Lasso::new(&prefix, &cycle)
}

#[test]
fn invariant_formulas_cannot_tell_random_words_apart() {
    let mut random = Random(21);
    let (mut invariant, mut sensitive, mut told) = (0, 0, 0);
    for _ in 0..400 {
        let operators = random.below(6);
        let formula = random.formula(operators, 2);
        let expected = is_stutter_invariant(&formula, &Budget::default()).expect("small");
        let differs = (0..60).any(|_| {
            let word = random.lasso(2);
            word.satisfies(&formula) != stuttered(&word, &mut random).satisfies(&formula)
        });
        assert!(!(expected && differs), "{formula} tells words apart");
        invariant += usize::from(expected && formula.has_next());
        sensitive += usize::from(!expected);
        told += usize::from(differs);
    }
    // Random words find a difference for most formulas that can tell words apart.
    assert!(invariant > 10 && sensitive > 30 && told * 10 > sensitive * 8, "{invariant} {sensitive} {told}");
}

/// Without the negation an automaton may be judged too harshly, but never too kindly.
#[test]
fn automata_by_themselves_tell_most() {
    let mut random = Random(34);
    let (mut plain, mut invariant) = (0, 0);
    for _ in 0..1_500 {
        let operators = random.below(7);
        let formula = random.formula(operators, 2);
        let expected = is_stutter_invariant(&formula, &Budget::default()).expect("small");
        let found = [translate, translate_to_buchi].map(|translate| {
            let automaton = translate(&formula, &Budget::default()).expect("small");
            automaton.is_plainly_stutter_invariant()
        });
        assert!(expected || found == [false; 2], "{formula} tells words apart");
        plain += found.iter().filter(|found| **found).count();
        invariant += 2 * usize::from(expected);
    }
    assert!(plain * 10 > invariant * 9, "{plain} of {invariant}");
    let (formula, _) = read("[](p -> <> q)");
    for formula in [Formula::negation(formula.clone()), formula] {
        assert!(
            translate_to_buchi(&formula, &Budget::default()).expect("small").is_plainly_stutter_invariant()
        );
    }
}
