//! Relaxed plans on models whose distances are known, and what is preferred or put off.

use panoptes_check::{
    CheckSettings, Heuristic, Language, Loaded, Property, Strategy, TextOptions, load_text, run_search,
};
use panoptes_search::Outcome;
use std::path::Path;

fn load(text: &str) -> Loaded {
    let path = Path::new("plan.pml");
    let loaded = load_text("plan.pml", text.to_string(), path, Language::Promela, &TextOptions::default());
    loaded.unwrap_or_else(|_| panic!("a model: {text}"))
}

fn search(text: &str, strategy: Strategy, heuristic: Heuristic, property: Property) -> Outcome {
    let settings =
        CheckSettings { strategy, heuristic: Some(heuristic), property, ..CheckSettings::default() };
    let loaded = load(text);
    settings.refuse_unfit_heuristic(&loaded.model).expect("it fits");
    run_search(&loaded, &settings, &mut ()).outcome
}

/// The estimate of the initial state. (A* counts steps, so none are merged.)
fn distance(text: &str, property: Property) -> u32 {
    let outcome = search(text, Strategy::Astar, Heuristic::Relaxed, property);
    outcome.statistics.estimates.expect("a heuristic was asked").initial
}

#[test]
fn plans_have_the_length_of_what_they_lead_to() {
    let cases = [
        // Two assignments, and the step that fails.
        ("byte x; active proctype P() { x = 1; x = 2; assert(x != 2) }", 3),
        // What another process sets.
        ("byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { x == 2; assert(false) }", 4),
        // A counter is counted up step by step.
        ("byte x; active proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od; assert(false) }", 8),
        // A message is sent, taken, and wrong.
        (
            "chan q = [2] of { byte }; active proctype P() { q!3 } active proctype Q() { byte m; q?m; assert(m != 3) }",
            3,
        ),
        (
            "chan q = [2] of { byte }; active proctype P() { q!3; q!4 } active proctype Q() { q?4; assert(false) }",
            4,
        ),
        // Both sides of a rendezvous move in one step.
        (
            "chan q = [0] of { byte }; active proctype P() { q!3 } active proctype Q() { q?3; assert(false) }",
            2,
        ),
        // A process is started, with an argument.
        ("proctype Q(byte n) { assert(n != 7) } init { run Q(7) }", 2),
        // A channel that is to be full.
        (
            "chan q = [3] of { bit }; active proctype P() { do :: q!1 od } active proctype Q() { full(q); assert(false) }",
            5,
        ),
        // Subscripts.
        ("byte a[3], i; active proctype P() { i = 2; a[i] = 9; assert(a[2] != 9) }", 3),
        // The cheaper of two ways, and both parts of a conjunction.
        ("bit a, b, c; active proctype P() { if :: a = 1; b = 1 :: c = 1 fi; assert(!((a && b) || c)) }", 2),
        (
            "bit a, b; active proctype P() { a = 1 } active proctype Q() { b = 1 } active proctype R() { a && b; assert(false) }",
            4,
        ),
        // An invariant as a relation between truth values.
        (
            "bit a, b; active proctype P() { a = 1; b = 1 } active proctype Q() { assert((a && b) <= (a != b)) }",
            3,
        ),
        // The label of another process.
        ("active proctype P() { skip; here: skip } active proctype Q() { P@here; assert(false) }", 3),
    ];
    for (text, expected) in cases {
        assert_eq!(distance(text, Property::Assertions), expected, "{text}");
    }
}

#[test]
fn what_no_plan_leads_to_is_far() {
    let text = "byte x; active proctype P() { do :: x = 1 :: x = 2 od } active proctype Q() { x == 3; assert(false) }";
    assert_eq!(distance(text, Property::Assertions), 1 << 24);
}

#[test]
fn plans_lead_to_deadlocks() {
    // Each takes one of two locks and waits for the other.
    let text = "bit a, b;
        active proctype P() { atomic { !a -> a = 1 }; atomic { !b -> b = 1 } }
        active proctype Q() { atomic { !b -> b = 1 }; atomic { !a -> a = 1 } }";
    let outcome = search(text, Strategy::Astar, Heuristic::Relaxed, Property::Deadlock);
    assert_eq!(outcome.errors.first().map(|error| error.length), Some(4));
    assert_eq!(outcome.statistics.estimates.map(|estimates| estimates.min), Some(0));
    assert!(outcome.statistics.expanded <= 6, "{:?}", outcome.statistics);
}

/// A process that has nothing to do with what is asserted, beside one that has.
const BESIDE: &str = "byte x, y;
    active proctype Counter() { do :: y < 100 -> y++ :: y > 0 -> y-- od }
    active proctype P() { do :: x < 40 -> x++ :: x > 0 -> x-- od }
    active proctype Q() { x == 40; assert(false) }";

#[test]
fn useless_steps_are_put_off() {
    let all = search(BESIDE, Strategy::BFS, Heuristic::Relaxed, Property::Assertions).statistics.expanded;
    for heuristic in [Heuristic::Relaxed, Heuristic::Useless] {
        let outcome = search(BESIDE, Strategy::BestFirst, heuristic, Property::Assertions);
        assert_eq!(outcome.errors.len(), 1, "{heuristic:?}");
        let expanded = outcome.statistics.expanded;
        assert!(expanded * 20 < all, "{heuristic:?}: {expanded} of {all}");
    }
    // Nothing is left out.
    let right = BESIDE.replace("assert(false)", "assert(x < 50)");
    let plain = search(&right, Strategy::Astar, Heuristic::Relaxed, Property::Assertions);
    for heuristic in [Heuristic::Relaxed, Heuristic::Useless, Heuristic::Novelty] {
        let outcome = search(&right, Strategy::BestFirst, heuristic, Property::Assertions);
        assert!(outcome.complete && outcome.errors.is_empty(), "{heuristic:?}");
    }
    assert!(plain.complete);
}

#[test]
fn new_values_come_first() {
    // The estimate is the same everywhere until x is 60, and only one step in many makes it larger.
    let text = "byte x, y, z;
        active proctype P() { do :: y = 1 - y :: z = 1 - z :: (y == z) -> x++ od }
        active proctype Q() { x == 60; y == 1; assert(false) }";
    let breadth = search(text, Strategy::BFS, Heuristic::Novelty, Property::Assertions).statistics.expanded;
    let outcome = search(text, Strategy::BestFirst, Heuristic::Novelty, Property::Assertions);
    assert_eq!(outcome.errors.len(), 1);
    assert!(outcome.statistics.expanded < breadth, "{} of {breadth}", outcome.statistics.expanded);
}

#[test]
fn what_does_not_fit_is_refused() {
    let loaded = load("active proctype P() { skip }");
    for heuristic in [Heuristic::Relaxed, Heuristic::Useless, Heuristic::Novelty] {
        let with = |property, admissible| CheckSettings {
            strategy: Strategy::Astar,
            heuristic: Some(heuristic),
            property,
            admissible,
            ..CheckSettings::default()
        };
        let why = |settings: CheckSettings| {
            settings.refuse_unfit_heuristic(&loaded.model).err().map(|unfit| unfit.why)
        };
        assert_eq!(why(with(Property::Safety, false)), None);
        let nothing = why(with(Property::Assertions, false)).expect("there is nothing to lead to");
        assert!(nothing.contains("none of these is looked for"), "{nothing}");
        let bound = why(with(Property::Safety, true)).expect("no lower bound");
        assert!(bound.contains("leave `--admissible` out"), "{bound}");
    }
}
