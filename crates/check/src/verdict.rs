//! The answer of a check, with the numbers behind it.

use crate::names::{Named, read_by_name};
use crate::on_full::Filled;
use crate::passes::Pass;
use crate::second_look::SecondLook;
use crate::swarm::SwarmSummary;
use crate::{CheckSettings, EngineUse, StoreSpec, Strategy, SymmetryUse, TemporalPass};
use panoptes_model::Model;
use panoptes_optimise::Summary;
use panoptes_search::{Finding, FindingKind, Limit, Outcome, Reduction, Scope, Statistics};

/// For a model with a goal: verified is that it can be reached, violated that it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    Verified,
    Violated,
    Inconclusive,
}

impl Named for VerdictKind {
    const WHAT: &'static str = "verdict";
    const ALL: &'static [VerdictKind] =
        &[VerdictKind::Verified, VerdictKind::Violated, VerdictKind::Inconclusive];

    fn name(&self) -> &'static str {
        match self {
            VerdictKind::Verified => "verified",
            VerdictKind::Violated => "violated",
            VerdictKind::Inconclusive => "inconclusive",
        }
    }
}

read_by_name!(VerdictKind);

impl VerdictKind {
    pub(crate) fn of(model: &Model, outcome: &Outcome, unchecked: &[String]) -> VerdictKind {
        let is_goal = |error: &Finding| error.kind == FindingKind::Witness;
        if outcome.errors.iter().any(is_goal) {
            VerdictKind::Verified
        } else if !outcome.errors.is_empty() || (model.goal().is_some() && outcome.complete) {
            // That there is no way to the goal is known only after a search to the end.
            VerdictKind::Violated
        } else if outcome.complete && unchecked.is_empty() {
            VerdictKind::Verified
        } else {
            VerdictKind::Inconclusive
        }
    }
}

#[derive(Debug)]
pub struct Verdict {
    pub kind: VerdictKind,
    pub outcome: Outcome,
    /// The strategy and the store that were used.
    pub strategy: Strategy,
    pub store: StoreSpec,
    pub engine: EngineUse,
    /// The passes of a bit-state search; empty if there was only one.
    pub passes: Vec<Pass>,
    /// What was done to the model before the search.
    pub optimisations: Summary,
    /// Properties of the model that this check does not cover.
    pub unchecked: Vec<String>,
    pub limits: Vec<Limit>,
    /// The bound on the steps of a path.
    pub depth_max: Option<u64>,
    /// What a scatter search was allowed to look at.
    pub scope: Option<Scope>,
    pub swarm: Option<SwarmSummary>,
    pub symmetry: SymmetryUse,
    /// The search before this one, whose memory was full.
    pub filled: Option<Filled>,
    /// What was done after memory had ended the search.
    pub second_look: Option<SecondLook>,
    /// Temporal properties, each with its own search.
    pub temporal: Vec<TemporalPass>,
}

impl Verdict {
    /// Nothing was looked at, so nothing is wrong.
    pub(crate) fn of_nothing(settings: &CheckSettings) -> Verdict {
        let (strategy, store) = settings.chosen();
        Verdict {
            kind: VerdictKind::Inconclusive,
            outcome: Outcome { complete: true, ..Outcome::default() },
            strategy,
            store,
            engine: EngineUse::IDLE,
            passes: Vec::new(),
            optimisations: Summary::default(),
            unchecked: Vec::new(),
            limits: Vec::new(),
            depth_max: settings.limits.steps(),
            scope: None,
            swarm: None,
            symmetry: SymmetryUse::NotWanted,
            filled: None,
            second_look: None,
            temporal: Vec::new(),
        }
    }

    /// A limit was met before the search could begin.
    pub fn unsearched(settings: &CheckSettings, limit: Limit) -> Verdict {
        let outcome = Outcome { limits: vec![limit], ..Outcome::default() };
        Verdict { outcome, limits: vec![limit], ..Verdict::of_nothing(settings) }
    }

    /// Adds what was found of a temporal property.
    pub(crate) fn add(&mut self, pass: TemporalPass) {
        for limit in &pass.outcome.limits {
            if !self.limits.contains(limit) {
                self.limits.push(*limit);
            }
        }
        self.outcome.threads = self.outcome.threads.max(pass.outcome.threads);
        self.engine = self.engine.and(&pass.engine);
        if self.is_of_products() && self.temporal.is_empty() {
            self.optimisations = pass.optimisations.clone();
        }
        self.temporal.push(pass);
    }

    /// What all searches took together.
    pub(crate) fn statistics(&self) -> Statistics {
        let passes = self.temporal.iter().map(|pass| &pass.outcome.statistics);
        match self.is_of_products() {
            true => passes.fold(Statistics::default(), |all, pass| all.plus(pass)),
            // The states of the system, not those of its products with automata.
            false => self.outcome.statistics,
        }
    }

    /// Were only products with automata searched, not the system alone?
    fn is_of_products(&self) -> bool {
        matches!(self.strategy, Strategy::Cycles(_))
    }

    /// How the states of the system were reduced, or if nobody looked at them, those of a product.
    pub(crate) fn reduction(&self) -> Reduction {
        match self.temporal.first() {
            Some(pass) if self.is_of_products() => pass.outcome.reduction,
            _ => self.outcome.reduction,
        }
    }

    /// Says what all of it comes to.
    pub(crate) fn settle(&mut self, model: &Model) {
        let own = VerdictKind::of(model, &self.outcome, &self.unchecked);
        let temporal = self.temporal.iter().map(TemporalPass::verdict);
        let all: Vec<VerdictKind> = temporal.chain([own]).collect();
        let first = [VerdictKind::Violated, VerdictKind::Inconclusive];
        self.kind = first.into_iter().find(|kind| all.contains(kind)).unwrap_or(VerdictKind::Verified);
    }
}
