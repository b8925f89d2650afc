//! Estimates that a user wrote: they say the same of the model as written and of the optimised one, and lead to what they measure.

use panoptes_check::{
    CheckSettings, Heuristic, Language, Loaded, Semantics, Strategy, TextOptions, load_text, run_search,
};
use std::path::Path;

const MODEL: &str = "
byte x; chan q = [4] of { byte }; bit unread;
active proctype P() {
    byte z = 3;
    do
    :: x < 20 -> x++; unread = 1
    :: x > 0 -> x--
    :: q!1
    :: q?1
    :: z = x;
mid:   assert(z != 15 || len(q) < 3)
    od
}
active proctype Idle() { byte z = 4; z = 5; z = x }";

fn loaded(estimate: &str, language: Language, model: &str) -> Result<Loaded, Vec<String>> {
    let options =
        TextOptions { estimate: Some(("h".to_string(), estimate.to_string())), ..TextOptions::default() };
    load_text("m", model.to_string(), Path::new("m"), language, &options)
        .map_err(|error| error.diagnostics.into_iter().map(|wrong| wrong.message).collect())
}

/// The estimate of the initial state, and the expanded states.
fn run(estimate: &str, semantics: Semantics) -> (u32, u64) {
    let loaded = loaded(estimate, Language::Promela, MODEL).expect("a model with an estimate");
    let strategy = Strategy::BestFirst;
    let heuristic = Some(Heuristic::User);
    let settings = CheckSettings { strategy, heuristic, semantics, ..CheckSettings::default() };
    assert_eq!(settings.refuse_unfit_heuristic(&loaded.model), Ok(()), "{estimate}");
    let outcome = run_search(&loaded, &settings, &mut ()).outcome;
    assert_eq!(outcome.errors.len(), 1, "{estimate}");
    let estimates = outcome.statistics.estimates.expect("a heuristic was asked");
    (estimates.initial, outcome.statistics.expanded)
}

#[test]
fn the_optimised_model_is_estimated_as_the_written_one() {
    for (estimate, initial) in [
        ("7", 7),
        ("P:z * 10 + Idle:z", 34),
        ("(x < 15 -> 15 - x : x - 15) + (3 - len(q)) + !(P@mid)", 19),
        ("unread - 1", 0),
        ("100 / x", 0),
        ("P[0]:z + _nr_pr + nfull(q) + !q?[1]", 7),
        ("distance(P:z == 15) = 30 + P:z; distance(len(q) >= 3) = 5;", 40),
        ("and = max; distance(P:z == 15) = 30 + P:z;", 34),
        ("distance(P:z == 15) = 0; counter = 4", 14),
        ("condition = 9", 14),
    ] {
        for semantics in [Semantics::EXACT, Semantics::default()] {
            assert_eq!(run(estimate, semantics).0, initial, "{estimate}");
        }
    }
}

#[test]
fn who_knows_the_model_expands_less() {
    let well = run("(x < 15 -> 15 - x : x - 15) + (3 - len(q)) + !(P@mid)", Semantics::EXACT).1;
    let blindly = run("0", Semantics::EXACT).1;
    assert!(5 * well < blindly, "{well} {blindly}");
}

#[test]
fn argos_has_estimates_too() {
    let model = "channel left[1] = { baton }, right[1];
proc anna { do :: left?baton -> if :: right!baton :: skip fi od }
proc bert { do :: right?baton -> left!baton od }";
    let loaded = loaded("3 + 2 * len(left) + right?[baton]", Language::Argos, model).expect("an estimate");
    let (strategy, heuristic) = (Strategy::Astar, Some(Heuristic::User));
    let settings = CheckSettings { strategy, heuristic, ..CheckSettings::default() };
    let outcome = run_search(&loaded, &settings, &mut ()).outcome;
    assert_eq!(outcome.statistics.estimates.map(|estimates| estimates.initial), Some(5));
    let unknown = self::loaded("len(nowhere)", Language::Argos, model).expect_err("no such channel");
    assert!(unknown[0].contains("there is no channel `nowhere`"), "{unknown:?}");
}

/// Where messages can come that nobody takes, receives are tried before sends if nothing else tells.
#[test]
fn receives_come_before_sends_in_argos() {
    let sender = "proc a { queue qa[1]; do :: qb!m od }";
    let receiver = "proc b { queue qb[8]; if :: qb?m -> goto rest fi; rest: if :: qb?other -> goto rest fi }";
    for text in [format!("{sender}\n{receiver}"), format!("{receiver}\n{sender}")] {
        let loaded = loaded("0", Language::Argos, &text).expect("a model with an estimate");
        let settings = CheckSettings {
            strategy: Strategy::BestFirst,
            heuristic: Some(Heuristic::User),
            ..CheckSettings::default()
        };
        let outcome = run_search(&loaded, &settings, &mut ()).outcome;
        // One message is taken and the next is not; sends first would fill the queue before.
        assert_eq!(outcome.errors.first().map(|error| error.length), Some(3), "{text}");
    }
}
