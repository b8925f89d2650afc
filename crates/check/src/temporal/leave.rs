//! What a search for a violation may leave out, so that no verdict changes.
//!
//! Variables that nobody reads again may be reset for every property: what it speaks of is read. To merge steps, or to follow some orders of
//! independent steps only, changes how often a state is repeated, and who moves when. So that is done only for properties that do not mind
//! repetitions (*stutter-invariant* ones), and not with fairness.

use super::automaton::automaton;
use super::{Temporal, Unfollowed, formula};
use crate::CheckSettings;
use panoptes_exec::Condition;
use panoptes_ltl::{Budget, is_stutter_invariant};
use panoptes_model::{Expr, Model};
use panoptes_optimise::Passes;
use panoptes_search::{Claim, Fairness, Reduction, WhyNot};

/// What is done to the model, and to the product.
#[derive(Clone, Copy)]
pub(super) struct Leave {
    pub passes: Passes,
    pub por: Reduction,
}

impl Leave {
    /// Nothing is left out.
    pub fn nothing(settings: &CheckSettings) -> Leave {
        Leave { passes: Passes { pack: settings.passes().pack, ..Passes::NONE }, por: Reduction::NotWanted }
    }

    /// As much as the property and the settings allow.
    pub fn most(settings: &CheckSettings, model: &Model, property: Temporal) -> Result<Leave, Unfollowed> {
        // A cycle that begins a round later is longer. Whether a process is stuck is no question of a claim.
        if !settings.may_shorten() || property == Temporal::Stuck {
            return Ok(Leave::nothing(settings));
        }
        let claim = property.claim(model)?;
        let Passes { dead_variables, merge, pack, .. } = settings.passes();
        let why_not = why_not(settings, model, property, &claim);
        let merge = merge && why_not.is_none() && !sees_places(&claim.conditions);
        let por = match why_not {
            _ if !settings.may_reduce() => Reduction::NotWanted,
            Some(why_not) => Reduction::NotPossible(why_not),
            None => Reduction::Por,
        };
        Ok(Leave { passes: Passes { dead_variables, merge, pack, ..Passes::NONE }, por })
    }

    /// Can a path that was found be any different from one of the model as it was written?
    pub fn is_nothing(&self) -> bool {
        let Passes { dead_variables, merge, .. } = self.passes;
        !dead_variables && !merge && self.por != Reduction::Por
    }
}

/// Why all orders of steps count.
fn why_not(settings: &CheckSettings, model: &Model, property: Temporal, claim: &Claim) -> Option<WhyNot> {
    if settings.fairness != Fairness::None {
        return Some(WhyNot::Fairness);
    }
    let minds_repetitions = match property {
        Temporal::Formula(index) => match formula::read(&model.temporal[index]) {
            Ok((formula, _)) => is_stutter_invariant(&formula, &Budget::default()) != Ok(true),
            Err(_) => true,
        },
        Temporal::Claim(_) | Temporal::Automaton(_) => !automaton(claim, true).is_plainly_stutter_invariant(),
        // They ask what is passed again and again.
        Temporal::Acceptance | Temporal::Progress => false,
        Temporal::Stuck => true,
    };
    minds_repetitions.then_some(WhyNot::CountsRepetitions)
}

/// Does the claim see where processes stand, more than optimisation knows of? It knows of `P@label` as far as the type is certain.
fn sees_places(conditions: &[Condition]) -> bool {
    let is_uncertain = |e: &Expr| match e {
        Expr::AtState { process, pid, .. } => !matches!(&**pid, Expr::PidOf(of) if of == process),
        Expr::NonProgress => true,
        _ => false,
    };
    conditions.iter().any(|condition| match condition {
        Condition::Accepting => true,
        Condition::Holds(condition, _) => condition.any(&is_uncertain),
    })
}
