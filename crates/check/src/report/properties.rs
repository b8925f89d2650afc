//! What was checked, one by one, for scripts: each property with its own verdict.

use crate::property::stated_by_labels;
use crate::verdict::Verdict;
use crate::{CheckSettings, Loaded, Named, Property, VerdictKind};
use panoptes_exec::FaultKind;
use panoptes_search::FindingKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyReport {
    pub name: String,
    /// `safety`, `invariant`, `ltl`, `never`, `acceptance` or `progress`.
    pub kind: &'static str,
    pub verdict: VerdictKind,
    /// Whether it holds only because what it speaks of never happens; not known of these kinds.
    pub vacuous: Option<bool>,
}

impl PropertyReport {
    /// Of a search along an assertion there are none: it looks for no errors.
    pub(super) fn all(loaded: &Loaded, settings: &CheckSettings, verdict: &Verdict) -> Vec<PropertyReport> {
        let model = &loaded.model;
        if model.goal().is_some() {
            return Vec::new();
        }
        let outcome = &verdict.outcome;
        let invariant = FindingKind::Fault(FaultKind::Invariant);
        // What is violated is known at once, that all is well only in the end.
        let judged = |is_violated: bool| match (is_violated, outcome.complete) {
            (true, _) => VerdictKind::Violated,
            (false, true) => VerdictKind::Verified,
            (false, false) => VerdictKind::Inconclusive,
        };
        let property = |name: &str, kind: &'static str, verdict: VerdictKind| PropertyReport {
            name: name.to_string(),
            kind,
            verdict,
            vacuous: None,
        };
        let name = settings.property.name();
        let is_unsafe = outcome.errors.iter().any(|error| error.kind != invariant);
        let mut all = vec![property(name, "safety", judged(is_unsafe))];
        all.extend(model.invariants.iter().map(|stated| {
            let is_broken = outcome.errors.iter().any(|error| {
                error.kind == invariant && error.fault.as_ref().is_some_and(|fault| fault.span == stated.span)
            });
            property(&stated.text, "invariant", judged(is_broken))
        }));
        if settings.property == Property::Everything {
            let formulas =
                model.temporal.iter().map(|stated| property(&stated.name, "ltl", VerdictKind::Inconclusive));
            let claims = model
                .claims
                .iter()
                .map(|id| property(&model.process(*id).name, "never", VerdictKind::Inconclusive));
            let labels =
                stated_by_labels(model).map(|(kind, name)| property(name, kind, VerdictKind::Inconclusive));
            all.extend(formulas.chain(claims).chain(labels));
        }
        all
    }
}
