//! Labels that state a property: `accept`, `progress`, and those of claims.

use panoptes_check::{CheckSettings, Language, Property, StoreSpec, VerdictKind, check, load_text};
use std::path::Path;

/// The verdict, and that on each temporal property.
fn verdicts(text: &str, settings: &CheckSettings) -> (VerdictKind, Vec<(String, VerdictKind)>) {
    let path = Path::new("m.pml");
    let loaded = load_text("m.pml", text.to_string(), path, Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let report = check(&loaded, settings, &mut ()).expect("a report");
    let temporal = report.properties.into_iter().filter(|property| property.kind != "safety");
    (report.verdict, temporal.map(|property| (property.name, property.verdict)).collect())
}

fn everything(text: &str) -> (VerdictKind, Vec<(String, VerdictKind)>) {
    verdicts(text, &CheckSettings::default())
}

fn named(name: &str, verdict: VerdictKind) -> (String, VerdictKind) {
    (name.to_string(), verdict)
}

#[test]
fn accept_and_progress_labels_are_checked() {
    use VerdictKind::{Verified, Violated};
    let both = "byte x; init { do :: x = 0; progress: x = 1; accept_x: x = 2 od }";
    let (accept, progress) = (named("acceptance", Violated), named("progress", Verified));
    assert_eq!(everything(both), (Violated, vec![accept, progress.clone()]));
    for property in [Property::Safety, Property::Deadlock, Property::Assertions] {
        let settings = CheckSettings { property, ..CheckSettings::default() };
        assert_eq!(verdicts(both, &settings), (Verified, vec![]));
    }
    let escapes = "byte x; init { do :: x = 0; progress1: x = 1 :: x = 2 od }";
    assert_eq!(everything(escapes), (Violated, vec![named("progress", Violated)]));
    // What has ended does not go on without progress.
    let wrong = "byte x; init { x = 0; progress: x = 1; assert(x == 0) }";
    assert_eq!(everything(wrong), (Violated, vec![progress]));
}

#[test]
fn other_labels_state_nothing_of_the_kind() {
    let plain = "byte x; init { end: do :: x = 0; acc: x = 1; goto fin :: goto acc od; fin: skip }";
    assert_eq!(everything(plain), (VerdictKind::Verified, vec![]));
}

/// Those of a never claim are part of the claim.
#[test]
fn accept_labels_of_a_claim_are_its_own() {
    let claimed = "byte x; init { x = 1 } never { do :: x == 0 :: x == 1 -> goto accept od; accept: skip }";
    assert_eq!(everything(claimed), (VerdictKind::Violated, vec![named("never_0", VerdictKind::Violated)]));
}

/// A store that cannot find cycles leaves the properties open.
#[test]
fn what_was_not_looked_at_is_said() {
    let progress = "byte x; init { do :: x = 0; progress1: x = 1 od }";
    let settings = CheckSettings { store: StoreSpec::HashCompact, ..CheckSettings::default() };
    let open = vec![named("progress", VerdictKind::Inconclusive)];
    assert_eq!(verdicts(progress, &settings), (VerdictKind::Inconclusive, open));
}
