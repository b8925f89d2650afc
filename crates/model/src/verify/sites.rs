//! Every piece of code of a model with the process whose frame it works in.

use crate::{Action, BlockId, Estimate, Expr, Guard, Model, ProcId, TransId};
use std::collections::HashSet;

/// An expression or action and where it stands.
pub(super) struct Site<'a> {
    /// The process type that executes it; none for global initial values, requirements, invariants, estimates and formulas.
    pub owner: Option<ProcId>,
    pub at: At,
    pub code: Code<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    GlobalInit,
    Init,
    Provided,
    Rule(TransId),
    Block(BlockId),
    Formula(usize),
    Requirement(usize),
    Invariant(usize),
    Estimate,
}

#[derive(Clone, Copy)]
pub(super) enum Code<'a> {
    Expr(&'a Expr),
    Action(&'a Action),
}

impl Code<'_> {
    /// Calls `visit` on every expression of the code.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Code::Expr(e) => e.walk(visit),
            Code::Action(action) => action.walk(visit),
        }
    }
}

impl Site<'_> {
    /// Where it stands, for a message.
    pub fn name(&self, model: &Model) -> String {
        let owner = self.owner.map_or("the model", |id| &model.process(id).name);
        match self.at {
            At::GlobalInit => "the global initial values".to_owned(),
            At::Init => format!("the initial values of {owner}"),
            At::Provided => format!("the provided clause of {owner}"),
            At::Rule(id) => format!("transition {} of {owner}", id.0),
            At::Block(id) => format!("block {} of {owner}", id.0),
            At::Requirement(index) => format!("requirement {}", model.requirements[index].name),
            At::Formula(index) => format!("formula {}", model.temporal[index].name),
            At::Invariant(index) => format!("the invariant {}", model.invariants[index].text),
            At::Estimate => "the estimate".to_owned(),
        }
    }
}

/// All code of the model; the code of a block once for each process type that runs it.
pub(super) fn sites(model: &Model) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    let mut push = |owner, at, code| sites.push(Site { owner, at, code });
    for action in &model.init {
        push(None, At::GlobalInit, Code::Action(action));
    }
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        process.init.iter().for_each(|action| push(Some(id), At::Init, Code::Action(action)));
        process.provided.iter().for_each(|e| push(Some(id), At::Provided, Code::Expr(e)));
    }
    for (id, transition) in (0..).map(TransId).zip(&model.transitions) {
        let owner = Some(transition.process);
        rule(&transition.guard, &transition.actions, |code| push(owner, At::Rule(id), code));
    }
    for (id, owner) in block_users(model) {
        for step in model.block(id).nodes.iter().flat_map(|node| &node.steps) {
            rule(&step.guard, &step.actions, |code| push(Some(owner), At::Block(id), code));
        }
    }
    for (index, invariant) in model.invariants.iter().enumerate() {
        push(None, At::Invariant(index), Code::Expr(&invariant.condition));
    }
    for e in model.estimate.iter().flat_map(Estimate::exprs) {
        push(None, At::Estimate, Code::Expr(e));
    }
    for (index, requirement) in model.requirements.iter().enumerate() {
        push(None, At::Requirement(index), Code::Expr(&requirement.fulfilled));
    }
    sites.extend(formula_sites(model));
    sites
}

fn rule<'a>(guard: &'a Guard, actions: &'a [Action], mut push: impl FnMut(Code<'a>)) {
    if let Guard::When(e) = guard {
        push(Code::Expr(e));
    }
    actions.iter().for_each(|action| push(Code::Action(action)));
}

fn formula_sites(model: &Model) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    for (index, property) in model.temporal.iter().enumerate() {
        for atom in property.formula.atoms() {
            sites.push(Site { owner: None, at: At::Formula(index), code: Code::Expr(atom) });
        }
    }
    sites
}

/// Which process types run which blocks, also through other blocks.
fn block_users(model: &Model) -> Vec<(BlockId, ProcId)> {
    let mut users: Vec<(BlockId, ProcId)> = Vec::new();
    let mut known = HashSet::new();
    let runs = |actions: &[Action]| actions.iter().filter_map(block_of).collect::<Vec<_>>();
    for transition in &model.transitions {
        users.extend(runs(&transition.actions).into_iter().map(|block| (block, transition.process)));
    }
    users.retain(|user| known.insert(*user));
    let mut next = 0;
    while let Some((block, process)) = users.get(next).copied() {
        next += 1;
        for step in model.block(block).nodes.iter().flat_map(|node| &node.steps) {
            let inner = runs(&step.actions).into_iter().map(|block| (block, process));
            users.extend(inner.filter(|user| known.insert(*user)));
        }
    }
    users
}

pub(super) fn block_of(action: &Action) -> Option<BlockId> {
    match action {
        Action::Block(id) => Some(*id),
        _ => None,
    }
}
