//! Estimates of how many steps a state is away from an error (Edelkamp, Lluch Lafuente and Leue, *Directed Explicit Model
//! Checking with HSF-SPIN*, 2001).
//!
//! One file a heuristic. Each is made once for a model and a property, and then looks at vectors; nothing is allocated for a state.
//!
//! - `active.rs`: the number of processes that can move, for deadlocks;
//! - `formula.rs`: the distance to a failure formula, for assertions and invariants;
//! - `danger.rs`: the distance to where every process blocks, for deadlocks;
//! - `messages.rs`: the sends and receives until all wait for messages, for deadlocks;
//! - `relaxed/`: the length of a plan, were nothing ever taken back, for anything; also which steps are of no use;
//! - `novelty.rs`: what no state has shown before, beside another estimate;
//! - `pattern/`: distances in a projection of the model, a lower bound for every kind of error;
//! - `joint.rs`: what is inferred and a plan, in turn, for portfolios;
//! - `user.rs`: an expression that somebody wrote, or a table of distances that somebody changed (`table.rs`).
//!
//! What they share: `look.rs` reads a vector, `distance.rs` measures the automaton of a process, `term.rs` measures a formula,
//! `rules.rs` knows which rules can block or fail.

mod active;
mod danger;
mod distance;
mod formula;
mod joint;
pub(crate) mod look;
mod messages;
mod novelty;
mod pattern;
mod relaxed;
mod room;
mod rules;
mod table;
pub(crate) mod term;
mod user;

pub use self::pattern::PatternTable;
use crate::Checks;
use panoptes_exec::Step;
use panoptes_model::{Estimate, Model};
use relaxed::Relaxed;
pub use relaxed::Toward;
use std::fmt;

/// No way is known from the state to an error. Such states come last.
pub(crate) const FAR: u32 = 1 << 24;

/// Tells about how many steps a state is away from an error.
pub(crate) trait Heuristic {
    /// At most [`FAR`].
    fn estimate(&mut self, vector: &[u8]) -> u32;

    /// What it looks at, a line each, for people.
    fn explain(&self) -> Vec<String>;

    /// Does it make a plan for a state? That takes so long that a large search asks only for the states that it expands.
    fn plans(&self) -> bool {
        false
    }

    /// Does the plan begin with this step? Of the state that was estimated last.
    fn is_preferred(&self, step: Step) -> bool {
        let _ = step;
        false
    }

    /// How much was done so far to make plans: about so many steps were looked at.
    fn work(&self) -> u64 {
        0
    }

    /// Another estimate of the state that was estimated last, by which states wait a second time.
    fn other_estimate(&self) -> Option<u32> {
        None
    }

    /// Are states put off to which steps lead that are of no use?
    fn puts_off(&self) -> bool {
        false
    }

    /// Is the step one that is put off because what is looked for does not depend on its process? Of the state that was estimated last.
    fn is_unrelated(&self, step: Step) -> bool {
        let _ = step;
        false
    }

    /// What comes before the estimate where only estimates count: states of a lesser rank come first. Asked once for each state that waits,
    /// with its estimate.
    fn rank(&mut self, vector: &[u8], estimate: u32) -> u32 {
        let _ = (vector, estimate);
        0
    }

    /// Does it say that a step makes it no more than one smaller? Then it is a lower bound. Debug builds look whether that is so.
    fn is_consistent(&self) -> bool {
        false
    }
}

/// Which heuristic is to be used.
#[derive(Clone, Debug)]
pub enum HeuristicKind {
    Active,
    Formula,
    Danger,
    Messages,
    /// The length of a relaxed plan to what is named.
    Relaxed(Toward),
    /// The same; what steps lead to that are of no use is put off.
    Useless(Toward),
    /// What fits, and among equals what is new.
    Novelty,
    /// Distances in a projection; the table is made by the search that needs it first, for one model and property.
    Pattern(PatternTable),
    /// What fits and a relaxed plan, in turn.
    Joint,
    /// What somebody wrote, over the model as it is searched.
    User(Box<Estimate>),
}

/// A heuristic and how it is to be computed.
#[derive(Clone, Debug)]
pub struct HeuristicChoice {
    pub kind: HeuristicKind,
    /// The estimate is never more than the true distance to the nearest error of any kind.
    pub admissible: bool,
}

/// A heuristic does not fit the property or the model: why, and what does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub why: String,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Unfit {}

impl HeuristicKind {
    pub fn name(&self) -> &'static str {
        match self {
            HeuristicKind::Active => "active",
            HeuristicKind::Formula => "formula",
            HeuristicKind::Danger => "danger",
            HeuristicKind::Messages => "messages",
            HeuristicKind::Relaxed(_) => "relaxed",
            HeuristicKind::Useless(_) => "useless",
            HeuristicKind::Novelty => "novelty",
            HeuristicKind::Pattern(_) => "pattern",
            HeuristicKind::Joint => "joint",
            HeuristicKind::User(_) => "user",
        }
    }

    /// The one that fits what is looked for in a model.
    pub fn inferred(model: &Model, checks: Checks, admissible: bool) -> HeuristicKind {
        if formula::has_goals(model, checks) {
            HeuristicKind::Formula
        } else if admissible {
            HeuristicKind::Danger
        } else {
            HeuristicKind::Active
        }
    }
}

impl HeuristicChoice {
    /// Does it fit what is looked for?
    pub fn check(&self, model: &Model, checks: Checks) -> Result<(), Unfit> {
        let unfit = |why: &str| Err(Unfit { why: why.to_string() });
        match &self.kind {
            HeuristicKind::Active | HeuristicKind::Danger | HeuristicKind::Messages if !checks.deadlocks => {
                let name = self.kind.name();
                unfit(&format!(
                    "`{name}` leads to deadlocks, which are not looked for here; `formula` fits assertions and invariants"
                ))
            }
            HeuristicKind::Formula if !formula::has_goals(model, checks) => unfit(
                "`formula` leads to assertions and invariants, and none is looked for here; `active` and `danger` fit deadlocks",
            ),
            HeuristicKind::User(_) if self.admissible => {
                unfit("nobody knows whether an estimate of a user is a lower bound: leave `--admissible` out")
            }
            HeuristicKind::Relaxed(_) | HeuristicKind::Useless(_) | HeuristicKind::Novelty
                if !checks.deadlocks && !formula::has_goals(model, checks) =>
            {
                let name = self.kind.name();
                unfit(&format!(
                    "`{name}` leads to deadlocks, assertions and invariants, and none of these is looked for here"
                ))
            }
            HeuristicKind::Relaxed(_) | HeuristicKind::Useless(_) if self.admissible => {
                let name = self.kind.name();
                unfit(&format!(
                    "`{name}` is no lower bound: leave `--admissible` out, or take `formula` or `danger`"
                ))
            }
            HeuristicKind::Novelty if self.admissible => unfit(
                "`novelty` is about the order of states, not about lower bounds: leave `--admissible` out",
            ),
            HeuristicKind::Messages if self.admissible => {
                unfit("`messages` is no lower bound: leave `--admissible` out, or take `danger`")
            }
            HeuristicKind::User(estimate) => match &**estimate {
                Estimate::Table(table) => user::check(model, checks, table),
                Estimate::Value { .. } => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// What it looks at in this model, for people.
    pub fn explain(&self, model: &Model, checks: Checks) -> Vec<String> {
        let mut lines = self.build(model, checks).explain();
        if self.admissible {
            lines.push("never more than the distance to the nearest error of any kind".to_string());
        }
        lines
    }

    /// What goes with something else: the one that fits, and its name.
    fn inferred_heuristic<'m>(
        &self,
        model: &'m Model,
        checks: Checks,
    ) -> (Box<dyn Heuristic + 'm>, &'static str) {
        match formula::has_goals(model, checks) {
            true => (Box::new(formula::Formula::new(model, checks)), "formula"),
            false => (Box::new(active::Active::new(model)), "active"),
        }
    }

    pub(crate) fn build<'m>(&'m self, model: &'m Model, checks: Checks) -> Box<dyn Heuristic + 'm> {
        if self.admissible && !matches!(self.kind, HeuristicKind::Pattern(_) | HeuristicKind::User(_)) {
            return Box::new(danger::LowerBound::new(model, checks));
        }
        match &self.kind {
            HeuristicKind::Active => Box::new(active::Active::new(model)),
            HeuristicKind::Formula => Box::new(formula::Formula::new(model, checks)),
            HeuristicKind::Danger => Box::new(danger::Danger::new(model)),
            HeuristicKind::Messages => Box::new(messages::Messages::new(model)),
            HeuristicKind::Relaxed(toward) => Box::new(Relaxed::new(model, checks, *toward, false)),
            HeuristicKind::Useless(toward) => Box::new(Relaxed::new(model, checks, *toward, true)),
            HeuristicKind::Novelty => {
                let (base, name) = self.inferred_heuristic(model, checks);
                Box::new(novelty::Novelty::new(base, name, model.header.hidden_bytes as usize))
            }
            HeuristicKind::Joint => {
                let plans = Box::new(Relaxed::new(model, checks, Toward::WhatFits, false));
                Box::new(joint::Joint::new(self.inferred_heuristic(model, checks).0, plans))
            }
            HeuristicKind::Pattern(table) => Box::new(pattern::Projected::new(model, checks, table)),
            HeuristicKind::User(estimate) => user::build(model, checks, estimate, self.admissible),
        }
    }
}
