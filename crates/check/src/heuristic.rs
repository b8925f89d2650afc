//! Which heuristic leads a directed search.

use crate::names::{Named, read_by_name};
use crate::{CheckSettings, Strategy};
use panoptes_model::Model;
use panoptes_search::{HeuristicChoice, HeuristicKind, PatternTable, Toward, Unfit, portfolio_heuristics};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    Active,
    Formula,
    Danger,
    Messages,
    Relaxed,
    Useless,
    Novelty,
    Pattern,
    /// What stands beside the model ([`crate::TextOptions::estimate`]).
    User,
}

impl Named for Heuristic {
    const WHAT: &'static str = "heuristic";
    const ALL: &'static [Heuristic] = &[
        Heuristic::Active,
        Heuristic::Formula,
        Heuristic::Danger,
        Heuristic::Messages,
        Heuristic::Relaxed,
        Heuristic::Useless,
        Heuristic::Novelty,
        Heuristic::Pattern,
        Heuristic::User,
    ];

    fn name(&self) -> &'static str {
        match self {
            Heuristic::Active => "active",
            Heuristic::Formula => "formula",
            Heuristic::Danger => "danger",
            Heuristic::Messages => "messages",
            Heuristic::Relaxed => "relaxed",
            Heuristic::Useless => "useless",
            Heuristic::Novelty => "novelty",
            Heuristic::Pattern => "pattern",
            Heuristic::User => "user",
        }
    }

    fn spelling(&self) -> &'static str {
        if *self == Heuristic::User { "user:FILE" } else { self.name() }
    }
}

read_by_name!(Heuristic);

impl Heuristic {
    /// What it estimates by, for a list in which it follows the name.
    pub fn help(self) -> &'static str {
        match self {
            Heuristic::Active => "counts the processes that can move (deadlocks)",
            Heuristic::Formula => "measures how far the failure is (assertions, invariants)",
            Heuristic::Danger => "how far all processes are from where they block (deadlocks)",
            Heuristic::Messages => "counts sends and receives until all wait (deadlocks)",
            Heuristic::Relaxed => "measures a plan to the error in which nothing is ever taken back",
            Heuristic::Useless => "does so, and puts off what steps lead to that are of no use",
            Heuristic::Novelty => "prefers states that show something new",
            Heuristic::Pattern => {
                "measures a projection of the model; never too much, so that astar finds a nearest error"
            }
            Heuristic::User => "reads an expression, or changes to the table of distances, from a file",
        }
    }

    /// None if it is to be the estimate beside the model, and there is none.
    fn kind(self, model: &Model) -> Option<HeuristicKind> {
        Some(match self {
            Heuristic::Active => HeuristicKind::Active,
            Heuristic::Formula => HeuristicKind::Formula,
            Heuristic::Danger => HeuristicKind::Danger,
            Heuristic::Messages => HeuristicKind::Messages,
            Heuristic::Relaxed => HeuristicKind::Relaxed(Toward::WhatFits),
            Heuristic::Useless => HeuristicKind::Useless(Toward::WhatFits),
            Heuristic::Novelty => HeuristicKind::Novelty,
            Heuristic::Pattern => HeuristicKind::Pattern(PatternTable::default()),
            Heuristic::User => HeuristicKind::User(Box::new(model.estimate.clone()?)),
        })
    }
}

impl CheckSettings {
    /// The heuristic of the search: the one that was asked for, or the one that fits the property. None if the search has no use for it.
    pub fn heuristic(&self, model: &Model) -> Option<HeuristicChoice> {
        let (strategy, _) = self.chosen();
        // Depth first goes by estimates only if somebody asks for that.
        let is_ordered =
            strategy.facts().may_be_ordered && self.heuristic.is_some() && self.property.is_safety();
        if !strategy.facts().is_directed && !is_ordered {
            return None;
        }
        // A portfolio tries all that fit.
        if strategy == Strategy::Directed && self.heuristic.is_none() && !self.admissible {
            return None;
        }
        let checks = self.property.checks(model);
        let admissible = self.admissible;
        let kind = match self.heuristic {
            Some(asked) => asked.kind(model)?,
            None => HeuristicKind::inferred(model, checks, admissible),
        };
        Some(HeuristicChoice { kind, admissible })
    }

    /// All that may lead the search, in the order in which they are tried.
    pub fn heuristics(&self, model: &Model) -> Vec<HeuristicChoice> {
        match (self.heuristic(model), self.chosen().0) {
            (Some(choice), _) => vec![choice],
            (None, Strategy::Directed) => portfolio_heuristics(model, self.property.checks(model)),
            (None, _) => Vec::new(),
        }
    }

    /// Fails for a heuristic that does not lead to what is looked for.
    pub fn refuse_unfit_heuristic(&self, model: &Model) -> Result<(), Unfit> {
        if self.heuristic == Some(Heuristic::User) && model.estimate.is_none() {
            return Err(Unfit { why: "`user` needs an estimate beside the model".to_string() });
        }
        match self.heuristic(model).filter(|_| self.heuristic.is_some()) {
            Some(choice) if self.property.is_safety() => choice.check(model, self.property.checks(model)),
            _ => Ok(()),
        }
    }
}
