//! Questions and jumps that go round in circles: once they took all stack there is.

use panoptes_check::{CheckSettings, Language, VerdictKind, check, load_text};
use std::path::Path;

fn verdict(text: &str) -> (VerdictKind, Vec<String>) {
    let path = Path::new("circle.pml");
    let loaded = load_text("circle.pml", text.to_string(), path, Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let verdict = check(&loaded, &CheckSettings { all_errors: true, ..CheckSettings::default() }, &mut ());
    let faults = verdict.outcome.errors.iter().filter_map(|error| error.fault.as_ref());
    (verdict.kind, faults.map(|fault| fault.message.clone()).collect())
}

#[test]
fn processes_that_ask_each_other_whether_they_are_enabled() {
    let (kind, faults) = verdict(
        "active proctype P() { enabled(1) -> skip }\n\
         active proctype Q() { enabled(0) -> skip }\n",
    );
    assert_eq!(kind, VerdictKind::Violated);
    assert!(faults.iter().all(|fault| fault == "processes ask each other whether they are enabled"));
}

#[test]
fn a_chain_of_questions_is_no_circle() {
    let (kind, faults) = verdict(
        "bool go = true;\n\
         active proctype P() { enabled(1) -> skip }\n\
         active proctype Q() { end: enabled(2) -> skip }\n\
         active proctype R() { do :: go od }\n",
    );
    assert_eq!((kind, faults), (VerdictKind::Verified, vec![]));
}

#[test]
fn jumps_through_an_unless() {
    let (kind, _) = verdict("bool p; init { L: { goto L } unless { p } }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { do :: { goto L; L: goto M } unless { p }; M: skip od }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { L: goto M; M: goto L }");
    assert_eq!(kind, VerdictKind::Verified);
    let (kind, _) = verdict("bool p; init { atomic { skip; L: { goto L } unless { p } } }");
    assert_ne!(kind, VerdictKind::Inconclusive);
}
