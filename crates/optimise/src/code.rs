//! All code of a model, to look at or to change, with the process type that runs it.

use panoptes_model::{Action, BlockId, Estimate, Expr, Guard, Model, Pattern, Place, ProcId, Receive, Spawn};

/// The process type that runs each block; none where several do (or nobody does).
pub(crate) fn block_owners(model: &Model) -> Vec<Option<ProcId>> {
    let mut owners: Vec<Option<Option<ProcId>>> = vec![None; model.blocks.len()];
    let mut todo: Vec<(BlockId, ProcId)> = Vec::new();
    for transition in &model.transitions {
        todo.extend(transition.actions.iter().filter_map(block_of).map(|id| (id, transition.process)));
    }
    while let Some((id, process)) = todo.pop() {
        let owner = &mut owners[id.index()];
        let new = match *owner {
            None => Some(process),
            Some(Some(known)) if known == process => continue,
            Some(_) => None,
        };
        if *owner == Some(new) {
            continue;
        }
        *owner = Some(new);
        for step in model.block(id).nodes.iter().flat_map(|node| &node.steps) {
            todo.extend(step.actions.iter().filter_map(block_of).map(|id| (id, process)));
        }
    }
    owners.into_iter().map(Option::flatten).collect()
}

pub(crate) fn block_of(action: &Action) -> Option<BlockId> {
    match action {
        Action::Block(id) => Some(*id),
        _ => None,
    }
}

/// Calls `visit` on every action and on every expression that is not part of one, each with its owner: the process
/// type in whose frame local places are. (No owner: global initial values, requirements, invariants, estimates and formulas. Blocks that nobody runs, or
/// several, are left out.)
pub(crate) fn each_code<'m>(model: &'m Model, visit: &mut dyn FnMut(Option<ProcId>, Code<'m>)) {
    let rule = |owner, guard: &'m Guard, actions: &'m [Action], visit: &mut dyn FnMut(_, Code<'m>)| {
        if let Guard::When(condition) = guard {
            visit(owner, Code::Expr(condition));
        }
        actions.iter().for_each(|action| visit(owner, Code::Action(action)));
    };
    model.init.iter().for_each(|action| visit(None, Code::Action(action)));
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        process.init.iter().for_each(|action| visit(Some(id), Code::Action(action)));
        process.provided.iter().for_each(|condition| visit(Some(id), Code::Expr(condition)));
    }
    for transition in &model.transitions {
        rule(Some(transition.process), &transition.guard, &transition.actions, visit);
    }
    for (block, owner) in model.blocks.iter().zip(block_owners(model)).filter(|(_, owner)| owner.is_some()) {
        for step in block.nodes.iter().flat_map(|node| &node.steps) {
            rule(owner, &step.guard, &step.actions, visit);
        }
    }
    for requirement in &model.requirements {
        visit(None, Code::Expr(&requirement.fulfilled));
    }
    for invariant in &model.invariants {
        visit(None, Code::Expr(&invariant.condition));
    }
    for e in model.estimate.iter().flat_map(Estimate::exprs) {
        visit(None, Code::Expr(e));
    }
    for atom in model.temporal.iter().flat_map(|property| property.formula.atoms()) {
        visit(None, Code::Expr(atom));
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Code<'m> {
    Expr(&'m Expr),
    Action(&'m Action),
}

impl<'m> Code<'m> {
    /// Calls `visit` on every expression of the code and all its parts.
    pub fn walk(self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Code::Expr(e) => e.walk(visit),
            Code::Action(action) => action.walk(visit),
        }
    }
}

/// The places that an action writes. What a block writes is in the block.
pub(crate) fn written(action: &Action) -> Vec<&Place> {
    match action {
        Action::Assign { place, .. } => vec![place],
        Action::Receive(receive) => bound(receive),
        _ => Vec::new(),
    }
}

pub(crate) fn bound(receive: &Receive) -> Vec<&Place> {
    let places = receive.patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Bind(place) => Some(place),
        _ => None,
    });
    places.collect()
}

/// Changes expressions and places, each after its parts.
pub(crate) trait Rewrite {
    /// `owner` is the process type in whose frame the place is, if it is local and that is known.
    fn place(&mut self, _owner: Option<ProcId>, _place: &mut Place) {}
    fn expr(&mut self, _owner: Option<ProcId>, _expr: &mut Expr) {}
}

pub(crate) fn rewrite_model(model: &mut Model, rewrite: &mut dyn Rewrite) {
    let owners = block_owners(model);
    model.init.iter_mut().for_each(|action| rewrite_action(None, action, rewrite));
    for (id, process) in (0..).map(ProcId).zip(&mut model.processes) {
        process.init.iter_mut().for_each(|action| rewrite_action(Some(id), action, rewrite));
        process.provided.iter_mut().for_each(|condition| rewrite_expr(Some(id), condition, rewrite));
    }
    for transition in &mut model.transitions {
        let owner = Some(transition.process);
        rewrite_rule(owner, &mut transition.guard, &mut transition.actions, rewrite);
    }
    for (block, owner) in model.blocks.iter_mut().zip(owners) {
        // What nobody runs is not kept up to date.
        if owner.is_none() {
            block.nodes.iter_mut().for_each(|node| node.steps.clear());
        }
        for step in block.nodes.iter_mut().flat_map(|node| &mut node.steps) {
            rewrite_rule(owner, &mut step.guard, &mut step.actions, rewrite);
        }
    }
    for requirement in &mut model.requirements {
        rewrite_expr(None, &mut requirement.fulfilled, rewrite);
    }
    for invariant in &mut model.invariants {
        rewrite_expr(None, &mut invariant.condition, rewrite);
    }
    for e in model.estimate.iter_mut().flat_map(Estimate::exprs_mut) {
        rewrite_expr(None, e, rewrite);
    }
    for property in &mut model.temporal {
        rewrite_formula(&mut property.formula, rewrite);
    }
}

fn rewrite_rule(owner: Option<ProcId>, guard: &mut Guard, actions: &mut [Action], rewrite: &mut dyn Rewrite) {
    if let Guard::When(condition) = guard {
        rewrite_expr(owner, condition, rewrite);
    }
    actions.iter_mut().for_each(|action| rewrite_action(owner, action, rewrite));
}

fn rewrite_formula(formula: &mut panoptes_model::Formula, rewrite: &mut dyn Rewrite) {
    use panoptes_model::Formula::*;
    match formula {
        Atom(e) => rewrite_expr(None, e, rewrite),
        Rejected(automaton) => {
            automaton.conditions.iter_mut().for_each(|e| rewrite_expr(None, e, rewrite));
        }
        Not(f) | Always(f) | Eventually(f) | Next(f) => rewrite_formula(f, rewrite),
        And(l, r)
        | Or(l, r)
        | Implies(l, r)
        | Equiv(l, r)
        | Until(l, r)
        | WeakUntil(l, r)
        | Release(l, r) => {
            rewrite_formula(l, rewrite);
            rewrite_formula(r, rewrite);
        }
    }
}

pub(crate) fn rewrite_action(owner: Option<ProcId>, action: &mut Action, rewrite: &mut dyn Rewrite) {
    match action {
        Action::Assign { place, value } => {
            rewrite_expr(owner, value, rewrite);
            rewrite_place(owner, owner, place, rewrite);
        }
        Action::Assert { condition, .. } => rewrite_expr(owner, condition, rewrite),
        Action::Print { args, .. } => args.iter_mut().for_each(|arg| rewrite_expr(owner, arg, rewrite)),
        Action::PrintName(e) => rewrite_expr(owner, e, rewrite),
        Action::Send(send) => {
            rewrite_expr(owner, &mut send.channel, rewrite);
            send.args.iter_mut().for_each(|arg| rewrite_expr(owner, arg, rewrite));
        }
        Action::Receive(receive) => rewrite_receive(owner, receive, rewrite),
        Action::Spawn(spawn) => rewrite_spawn(owner, spawn, rewrite),
        Action::SetPriority { pid, priority } => {
            rewrite_expr(owner, pid, rewrite);
            rewrite_expr(owner, priority, rewrite);
        }
        Action::Observe(observe) => {
            rewrite_expr(owner, &mut observe.channel, rewrite);
            rewrite_patterns(owner, &mut observe.patterns, rewrite);
        }
        Action::Block(_) | Action::Exit => {}
    }
}

fn rewrite_receive(owner: Option<ProcId>, receive: &mut Receive, rewrite: &mut dyn Rewrite) {
    rewrite_expr(owner, &mut receive.channel, rewrite);
    rewrite_patterns(owner, &mut receive.patterns, rewrite);
}

fn rewrite_patterns(owner: Option<ProcId>, patterns: &mut [Pattern], rewrite: &mut dyn Rewrite) {
    for pattern in patterns {
        match pattern {
            Pattern::Any => {}
            Pattern::Match(e) => rewrite_expr(owner, e, rewrite),
            Pattern::Bind(place) => rewrite_place(owner, owner, place, rewrite),
        }
    }
}

fn rewrite_spawn(owner: Option<ProcId>, spawn: &mut Spawn, rewrite: &mut dyn Rewrite) {
    spawn.args.iter_mut().for_each(|arg| rewrite_expr(owner, arg, rewrite));
    spawn.priority.iter_mut().for_each(|priority| rewrite_expr(owner, priority, rewrite));
}

/// `home` is the process type in whose frame the place is; its subscripts belong to `owner`.
fn rewrite_place(owner: Option<ProcId>, home: Option<ProcId>, place: &mut Place, rewrite: &mut dyn Rewrite) {
    place.indices.iter_mut().for_each(|term| rewrite_expr(owner, &mut term.index, rewrite));
    rewrite.place(home, place);
}

pub(crate) fn rewrite_expr(owner: Option<ProcId>, expr: &mut Expr, rewrite: &mut dyn Rewrite) {
    match expr {
        Expr::Const(_)
        | Expr::SelfPid
        | Expr::ProcessCount
        | Expr::LastPid
        | Expr::OwnChannel(_)
        | Expr::PidOf(_)
        | Expr::Timeout
        | Expr::NonProgress => {}
        Expr::Load(place) => rewrite_place(owner, owner, place, rewrite),
        Expr::Unary(_, e)
        | Expr::Channel(_, e)
        | Expr::Enabled(e)
        | Expr::ControlPoint(e)
        | Expr::Priority(e) => rewrite_expr(owner, e, rewrite),
        Expr::Binary(_, l, r) => {
            rewrite_expr(owner, l, rewrite);
            rewrite_expr(owner, r, rewrite);
        }
        Expr::Cond(c, a, b) => [c, a, b].into_iter().for_each(|e| rewrite_expr(owner, e, rewrite)),
        Expr::Poll(receive) => rewrite_receive(owner, receive, rewrite),
        Expr::AtState { pid, .. } => rewrite_expr(owner, pid, rewrite),
        Expr::Remote { process, pid, place } => {
            rewrite_expr(owner, pid, rewrite);
            rewrite_place(owner, Some(*process), place, rewrite);
        }
        Expr::Spawn(spawn) => rewrite_spawn(owner, spawn, rewrite),
    }
    rewrite.expr(owner, expr);
}

/// Can a process start that is not there from the beginning?
pub(crate) fn starts_processes(model: &Model) -> bool {
    let mut found = false;
    each_code(model, &mut |_, code| {
        found |= matches!(code, Code::Action(Action::Spawn(_)));
        code.walk(&mut |e| found |= matches!(e, Expr::Spawn(_)));
    });
    found
}
