//! Properties of infinite executions: formulas, never claims, `accept` and `progress` labels. Each becomes an automaton that
//! accepts the executions that violate it, and is checked by a search of its own.

mod conditions;
mod formula;
mod never;
mod pass;
mod word;

pub use pass::TemporalPass;
pub(crate) use pass::run;
pub(crate) use word::{NotShown, shows};

use panoptes_model::{ControlState, Model, ProcessKind};
use panoptes_optimise::without_claims;
use panoptes_search::Claim;
use panoptes_source::Span;

/// A temporal property of a model, by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// A formula, by its index.
    Formula(usize),
    /// A never claim, by its index.
    Claim(usize),
    /// No execution passes `accept` labels of processes again and again.
    Acceptance,
    /// Every infinite execution passes `progress` labels again and again.
    Progress,
}

/// Why a property cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfollowed {
    pub span: Span,
    pub why: String,
}

impl Unfollowed {
    pub(crate) fn new(span: Span, why: impl Into<String>) -> Unfollowed {
        Unfollowed { span, why: why.into() }
    }
}

impl Temporal {
    /// All that the model states.
    pub fn all(model: &Model) -> Vec<Temporal> {
        let formulas = (0..model.temporal.len()).map(Temporal::Formula);
        let claims = (0..model.claims.len()).map(Temporal::Claim);
        let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
        let states: Vec<&ControlState> = processes.flat_map(|process| &process.states).collect();
        let labels = [
            (Temporal::Acceptance, states.iter().any(|state| state.accepting)),
            (Temporal::Progress, states.iter().any(|state| state.progress)),
        ];
        let labels = labels.into_iter().filter(|(_, is_stated)| *is_stated).map(|(property, _)| property);
        formulas.chain(claims).chain(labels).collect()
    }

    /// What it is called.
    pub fn name(self, model: &Model) -> String {
        match self {
            Temporal::Formula(index) => model.temporal[index].name.clone(),
            Temporal::Claim(index) => model.process(model.claims[index]).name.clone(),
            Temporal::Acceptance => "acceptance".to_string(),
            Temporal::Progress => "progress".to_string(),
        }
    }

    /// `ltl`, `never`, `acceptance` or `progress`.
    pub fn kind(self) -> &'static str {
        match self {
            Temporal::Formula(_) => "ltl",
            Temporal::Claim(_) => "never",
            Temporal::Acceptance => "acceptance",
            Temporal::Progress => "progress",
        }
    }

    /// With its kind, for people.
    pub fn title(self, model: &Model) -> String {
        match self {
            Temporal::Formula(_) => format!("ltl {}", self.name(model)),
            Temporal::Claim(_) => format!("never claim {}", self.name(model)),
            Temporal::Acceptance => "accept labels".to_string(),
            Temporal::Progress => "progress labels".to_string(),
        }
    }

    /// The automaton that accepts what violates it.
    pub(crate) fn claim(self, model: &Model) -> Result<Claim, Unfollowed> {
        match self {
            Temporal::Formula(index) => formula::violating(&model.temporal[index]),
            Temporal::Claim(index) => never::of_process(model, model.process(model.claims[index])),
            Temporal::Acceptance => Ok(Claim::of_accept_labels()),
            Temporal::Progress => Ok(Claim::of_progress_labels()),
        }
    }

    /// The model with no other claims and formulas: what only they look at then concerns nobody. Invariants are checked elsewhere.
    pub(crate) fn alone(self, model: &Model) -> Model {
        let mut rest = without_claims(model);
        match self {
            Temporal::Formula(index) => rest.temporal.push(model.temporal[index].clone()),
            Temporal::Claim(index) => {
                let kept = model.claims[index];
                rest.claims.push(kept);
                let of_claim = rest.transitions.iter_mut().zip(&model.transitions);
                for (transition, written) in of_claim.filter(|(_, written)| written.process == kept) {
                    transition.clone_from(written);
                }
            }
            Temporal::Acceptance | Temporal::Progress => {}
        }
        rest.invariants.clear();
        rest
    }

    /// The same property in a model that [`Self::alone`] made.
    pub(crate) fn in_alone(self) -> Temporal {
        match self {
            Temporal::Formula(_) => Temporal::Formula(0),
            Temporal::Claim(_) => Temporal::Claim(0),
            labels => labels,
        }
    }
}
