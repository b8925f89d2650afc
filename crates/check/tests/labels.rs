//! Labels that state a property no search here looks at: the verdict says so, unless only safety is asked for.

use panoptes_check::{CheckSettings, Language, Property, VerdictKind, load_text, run_search};
use std::path::Path;

fn unchecked(text: &str, property: Property) -> (VerdictKind, Vec<String>) {
    let path = Path::new("m.pml");
    let loaded = load_text("m.pml", text.to_string(), path, Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let verdict = run_search(&loaded, &CheckSettings { property, ..CheckSettings::default() }, &mut ());
    (verdict.kind, verdict.unchecked)
}

#[test]
fn accept_and_progress_labels_are_named() {
    let both = "byte x; init { do :: x = 0; progress: x = 1; accept_x: x = 2 od }";
    let names = vec!["accept labels".to_string(), "progress labels".to_string()];
    assert_eq!(unchecked(both, Property::Everything), (VerdictKind::Inconclusive, names.clone()));
    for property in [Property::Safety, Property::Deadlock, Property::Assertions] {
        assert_eq!(unchecked(both, property), (VerdictKind::Verified, vec![]));
    }
    let progress = "byte x; init { do :: x = 0; progress1: x = 1 od }";
    assert_eq!(unchecked(progress, Property::Everything), (VerdictKind::Inconclusive, names[1..].to_vec()));
    let wrong = "byte x; init { x = 0; progress: x = 1; assert(x == 0) }";
    assert_eq!(unchecked(wrong, Property::Everything), (VerdictKind::Violated, names[1..].to_vec()));
}

#[test]
fn other_labels_state_nothing_of_the_kind() {
    let plain = "byte x; init { end: do :: x = 0; acc: x = 1; goto fin :: goto acc od; fin: skip }";
    assert_eq!(unchecked(plain, Property::Everything), (VerdictKind::Verified, vec![]));
}

/// Those of a never claim are part of the claim.
#[test]
fn accept_labels_of_a_claim_are_its_own() {
    let claimed = "byte x; init { x = 1 } never { do :: x == 0 :: x == 1 -> goto accept od; accept: skip }";
    let names = vec!["never claim never".to_string()];
    assert_eq!(unchecked(claimed, Property::Everything), (VerdictKind::Inconclusive, names));
}
