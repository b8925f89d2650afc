//! Properties of infinite executions: formulas, never claims, `accept` and `progress` labels. Each becomes an automaton that
//! accepts the executions that violate it, and is checked by a search of its own. That no process is stuck is one for which there
//! is no automaton: it is about what other executions could do.

mod automaton;
mod closing;
mod conditions;
mod formula;
mod leave;
mod never;
mod pass;
mod stuck;
mod vacuity;
mod word;

pub use pass::TemporalPass;
pub(crate) use pass::run;
pub use vacuity::Reason;
pub(crate) use word::{NotShown, shows};

use panoptes_model::{ControlState, Formula, Model, ProcessKind};
use panoptes_optimise::without_claims;
use panoptes_search::Claim;
use panoptes_source::Span;
use vacuity::Suspicion;

/// A temporal property of a model, by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// A formula, by its index.
    Formula(usize),
    /// No execution is accepted by an automaton, which is at this index among the formulas.
    Automaton(usize),
    /// A never claim, by its index.
    Claim(usize),
    /// No execution passes `accept` labels of processes again and again.
    Acceptance,
    /// Every infinite execution passes `progress` labels again and again.
    Progress,
    /// No process waits for ever, never to move again, while others go on. No model states it: it is asked for.
    Stuck,
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
        let formulas = model.temporal.iter().enumerate().map(|(index, property)| match property.formula {
            Formula::Rejected(_) => Temporal::Automaton(index),
            _ => Temporal::Formula(index),
        });
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

    /// Does it stand among the formulas?
    pub(crate) fn is_formula(self) -> bool {
        matches!(self, Temporal::Formula(_) | Temporal::Automaton(_))
    }

    /// Is it about labels of processes?
    pub(crate) fn is_labels(self) -> bool {
        matches!(self, Temporal::Acceptance | Temporal::Progress)
    }

    /// What it is called.
    pub fn name(self, model: &Model) -> String {
        match self {
            Temporal::Formula(index) | Temporal::Automaton(index) => model.temporal[index].name.clone(),
            Temporal::Claim(index) => model.process(model.claims[index]).name.clone(),
            Temporal::Acceptance => "acceptance".to_string(),
            Temporal::Progress => "progress".to_string(),
            Temporal::Stuck => "stuck".to_string(),
        }
    }

    /// `ltl`, `never`, `acceptance`, `progress` or `stuck`.
    pub fn kind(self) -> &'static str {
        match self {
            Temporal::Formula(_) => "ltl",
            Temporal::Automaton(_) | Temporal::Claim(_) => "never",
            Temporal::Acceptance => "acceptance",
            Temporal::Progress => "progress",
            Temporal::Stuck => "stuck",
        }
    }

    /// With its kind, for people.
    pub fn title(self, model: &Model) -> String {
        match self {
            Temporal::Formula(_) => format!("ltl {}", self.name(model)),
            Temporal::Automaton(_) => format!("automaton {}", self.name(model)),
            Temporal::Claim(_) => format!("never claim {}", self.name(model)),
            Temporal::Acceptance => "accept labels".to_string(),
            Temporal::Progress => "progress labels".to_string(),
            Temporal::Stuck => "stuck processes".to_string(),
        }
    }

    /// The automaton that accepts what violates it, in a model that [`Self::alone`] made of the one that is written.
    pub(crate) fn claim_in(self, written: &Model, searched: &Model) -> Result<Claim, Unfollowed> {
        match self {
            Temporal::Formula(index) | Temporal::Automaton(index) => {
                formula::violating(&written.temporal[index], &searched.temporal[0])
            }
            _ => self.in_alone().claim(searched),
        }
    }

    /// The automaton that accepts what violates it.
    pub(crate) fn claim(self, model: &Model) -> Result<Claim, Unfollowed> {
        match self {
            Temporal::Formula(index) | Temporal::Automaton(index) => {
                formula::violating(&model.temporal[index], &model.temporal[index])
            }
            Temporal::Claim(index) => never::of_process(model, model.process(model.claims[index])),
            Temporal::Acceptance => Ok(Claim::of_accept_labels()),
            Temporal::Progress => Ok(Claim::of_progress_labels()),
            Temporal::Stuck => Ok(Claim::of_everything()),
        }
    }

    /// What it is suspected of, should it hold; the conditions to watch are added to those of the claim. `searched` is a model that
    /// [`Self::alone`] made of the one that is written.
    fn suspicions(self, model: &Model, searched: &Model, claim: &mut Claim) -> Vec<Suspicion> {
        match self {
            Temporal::Formula(index) => {
                formula::suspicions((model, &model.temporal[index]), &searched.temporal[0], claim)
            }
            Temporal::Automaton(_) | Temporal::Claim(_) => vacuity::of_claim(claim),
            Temporal::Acceptance | Temporal::Progress => vacuity::of_labels(claim, self),
            Temporal::Stuck => Vec::new(),
        }
    }

    /// The model with no other claims and formulas: what only they look at then concerns nobody. Invariants are checked elsewhere.
    pub(crate) fn alone(self, model: &Model) -> Model {
        let mut rest = without_claims(model);
        match self {
            Temporal::Formula(index) | Temporal::Automaton(index) => {
                rest.temporal.push(model.temporal[index].clone());
            }
            Temporal::Claim(index) => {
                let kept = model.claims[index];
                rest.claims.push(kept);
                let of_claim = rest.transitions.iter_mut().zip(&model.transitions);
                for (transition, written) in of_claim.filter(|(_, written)| written.process == kept) {
                    transition.clone_from(written);
                }
            }
            Temporal::Acceptance | Temporal::Progress | Temporal::Stuck => {}
        }
        rest.invariants.clear();
        rest
    }

    /// The same property in a model that [`Self::alone`] made.
    pub(crate) fn in_alone(self) -> Temporal {
        match self {
            Temporal::Formula(_) => Temporal::Formula(0),
            Temporal::Automaton(_) => Temporal::Automaton(0),
            Temporal::Claim(_) => Temporal::Claim(0),
            labels => labels,
        }
    }
}
