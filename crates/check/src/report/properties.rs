//! What was checked, one by one, for scripts: each property with its own verdict.

use crate::verdict::Verdict;
use crate::{CheckSettings, Loaded, Named, Strategy, Temporal, VerdictKind};
use panoptes_exec::FaultKind;
use panoptes_model::Goal;
use panoptes_search::{FindingKind, Reduction};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyReport {
    pub name: String,
    /// `safety`, `invariant`, `reach`, `ltl`, `never`, `acceptance` or `progress`.
    pub kind: &'static str,
    pub verdict: VerdictKind,
    /// Whether it holds only because what it speaks of never happens; not known of these kinds.
    pub vacuous: Option<bool>,
    /// Of a property with an automaton: the states of the product with its automaton, and those of the automaton.
    pub product: Option<(u64, usize)>,
    /// Of a temporal property: the search that was made for it.
    pub search: Option<Strategy>,
    /// Of a temporal property: how the product was reduced.
    pub reduction: Reduction,
}

impl PropertyReport {
    /// Of a search along an assertion there are none: it looks for no errors.
    pub(super) fn all(loaded: &Loaded, settings: &CheckSettings, verdict: &Verdict) -> Vec<PropertyReport> {
        let model = &loaded.model;
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
            product: None,
            search: None,
            reduction: Reduction::NotWanted,
        };
        match model.goal() {
            Some(Goal::Performed(_)) => return Vec::new(),
            Some(Goal::Reached(goal)) => return vec![property(&goal.text, "reach", verdict.kind)],
            None => {}
        }
        let name = settings.property.name();
        let is_unsafe = outcome.errors.iter().any(|error| error.kind != invariant);
        let mut all = Vec::new();
        if settings.property.is_safety() {
            all.push(property(name, "safety", judged(is_unsafe)));
        }
        let invariants = if settings.property.is_safety() { &model.invariants[..] } else { &[] };
        all.extend(invariants.iter().map(|stated| {
            let is_broken = outcome.errors.iter().any(|error| {
                error.kind == invariant && error.fault.as_ref().is_some_and(|fault| fault.span == stated.span)
            });
            property(&stated.text, "invariant", judged(is_broken))
        }));
        all.extend(verdict.temporal.iter().map(|pass| {
            PropertyReport {
                product: (pass.property != Temporal::Stuck)
                    .then_some((pass.outcome.statistics.stored, pass.automaton_states)),
                vacuous: pass.is_vacuous(),
                search: Some(pass.search),
                reduction: pass.outcome.reduction,
                ..property(&pass.name, pass.property.kind(), pass.verdict())
            }
        }));
        let asked = settings.property.temporal(model).into_iter();
        let is_open = |asked: &Temporal| !verdict.temporal.iter().any(|pass| pass.property == *asked);
        all.extend(
            asked
                .filter(is_open)
                .map(|asked| property(&asked.name(model), asked.kind(), VerdictKind::Inconclusive)),
        );
        all
    }
}
