//! What makes the states: profiles, and suspects where a search is too large.

use panoptes_check::{
    CheckSettings, Language, Limits, Report, SuspectKind, TextOptions, VariableSample, VerdictKind, check,
    load_text,
};
use std::path::Path;

fn report(text: &str, settings: &CheckSettings) -> Report {
    let options = TextOptions::default();
    let loaded = load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &options);
    check(&loaded.expect("a model"), settings, &mut ()).expect("a report")
}

const TALLY: &str = "
    int n; byte phase; chan q = [2] of { byte };
    active proctype P() { do :: n++; phase = (phase + 1) % 3 :: nfull(q) -> q!phase :: q?_ od }
    active proctype Q() { n == 1000000; assert(false) }";

#[test]
fn a_search_that_is_too_large_names_what_grows() {
    let report = report(TALLY, &CheckSettings { limits: Limits::of_states(20_000), ..Default::default() });
    assert_eq!(report.verdict, VerdictKind::Inconclusive);
    let first = report.suspects.first().expect("a suspect");
    assert_eq!((first.kind, first.name.as_str()), (SuspectKind::Grows, "n"), "{:?}", report.suspects);
    assert!(report.sample.is_none());
}

#[test]
fn a_profile_of_a_whole_model() {
    let text = "byte x; active proctype P() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }";
    let settings = CheckSettings { profile: true, ..Default::default() };
    let sample = report(text, &settings).sample.expect("a profile");
    assert!(sample.is_all && sample.states > 6, "{sample:?}");
    let x = VariableSample { name: "x".into(), values: 6, min: 0, max: 5, only_grows: false };
    assert_eq!(sample.variables, [x]);
    assert_eq!(sample.steps.iter().find(|step| step.statement == "x++").map(|step| step.count), Some(5));
    assert!(sample.places.iter().all(|place| place.process == "P"));
}

#[test]
fn options_that_are_never_taken() {
    let text = "byte x; chan q = [1] of { byte }; active proctype P() {
        do :: x < 2 -> x++ :: x == 2 -> break :: x == 3 -> x = 0 od;
        if :: q?x :: q?[1] -> skip :: else fi;
        if :: x > 2 -> x = 1; do :: x = 0 :: x = 1 od :: else -> skip fi }";
    let settings = CheckSettings { profile: true, ..Default::default() };
    let options = report(text, &settings).sample.expect("a profile").options;
    assert_eq!((options.all, options.taken), (10, 4), "{options:?}");
    let never: Vec<(&str, bool)> =
        options.never.iter().map(|option| (option.statement.as_str(), option.reached)).collect();
    assert_eq!(
        never,
        [
            ("x == 3", true),
            ("q?x", true),
            ("q?[1]", true),
            ("x > 2", true),
            ("x = 0", false),
            ("x = 1", false)
        ]
    );
}
