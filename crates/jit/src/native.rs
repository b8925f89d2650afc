//! What is compiled, and what is left to the reference executor.

use crate::context::FIELDS_MAX;
use crate::monitor::Watch;
use crate::runtime::Setting;
use crate::shapes::shapes;
use panoptes_exec::Condition;
use panoptes_model::{
    Action, Block, Channel, ControlState, Expr, Guard, Model, Pattern, Place, Process, Receive, Region, Spawn,
};

/// Can any state of the model be compiled?
pub(crate) fn is_model_native(model: &Model) -> bool {
    let shapes = shapes(model);
    let small = shapes.iter().all(|shape| shape.fields.len() <= FIELDS_MAX);
    Watch::of(model).is_ok() && small
}

/// Does the model ever create a process after its initial state?
pub(crate) fn creates_processes(model: &Model) -> bool {
    let mut creates = false;
    model.walk_rules(&mut |expr| creates |= matches!(expr, Expr::Spawn(_)));
    let in_blocks = model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps);
    let actions = model.transitions.iter().flat_map(|transition| &transition.actions);
    let spawns = |action: &Action| matches!(action, Action::Spawn(_));
    creates || actions.chain(in_blocks.flat_map(|step| &step.actions)).any(spawns)
}

/// Can all steps of a control state be compiled?
pub(crate) fn is_state_native(model: &Model, process: &Process, state: &ControlState) -> bool {
    process.provided.as_ref().is_none_or(is_expr_native)
        && state.transitions.iter().all(|id| {
            let transition = model.transition(*id);
            is_guard_native(&transition.guard) && are_actions_native(model, &transition.actions)
        })
}

/// Can it be compiled whether a process at that control state could make a step?
pub(crate) fn is_answer_native(model: &Model, process: &Process, state: &ControlState) -> bool {
    process.provided.as_ref().is_none_or(is_expr_native)
        && state.transitions.iter().all(|id| {
            let transition = model.transition(*id);
            is_guard_native(&transition.guard) && is_predicate_native(model, &transition.actions)
        })
}

fn is_predicate_native(model: &Model, actions: &[Action]) -> bool {
    match actions.first() {
        Some(Action::Send(send)) => is_expr_native(&send.channel),
        Some(Action::Receive(receive)) => is_receive_native(receive),
        Some(Action::Block(id)) => {
            let block = model.block(*id);
            let mut steps = block.nodes[block.entry as usize].steps.iter();
            steps.all(|step| is_guard_native(&step.guard) && is_predicate_native(model, &step.actions))
        }
        _ => true,
    }
}

fn is_guard_native(guard: &Guard) -> bool {
    match guard {
        Guard::Always | Guard::Otherwise => true,
        Guard::When(condition) => is_expr_native(condition),
    }
}

fn are_actions_native(model: &Model, actions: &[Action]) -> bool {
    let has_predicate = |action: &Action| {
        matches!(action, Action::Send(_) | Action::Receive(_) | Action::Block(_) | Action::Exit)
    };
    let predicate_first = actions.iter().skip(1).all(|action| !has_predicate(action));
    let sends = matches!(actions.first(), Some(Action::Send(_)));
    // Where a send may meet a partner, the partner's code must know what is done behind it.
    let meets = || {
        model
            .processes
            .iter()
            .flat_map(|process| &process.channels)
            .chain(&model.channels)
            .any(Channel::is_rendezvous)
    };
    let sets = !sends || settings_behind_send(actions).len() + 1 == actions.len() || !meets();
    let exit_alone = actions.len() == 1 || !matches!(actions.first(), Some(Action::Exit));
    predicate_first && sets && exit_alone && actions.iter().all(|action| is_action_native(model, action))
}

/// How many processes the action may create.
pub(crate) fn creations(action: &Action) -> usize {
    let mut count = usize::from(matches!(action, Action::Spawn(_)));
    action.walk(&mut |expr| count += usize::from(matches!(expr, Expr::Spawn(_))));
    count
}

/// Is one process created, and is what is done then such that it need not know of it?
pub(crate) fn is_created_last(actions: &[Action]) -> bool {
    let Some(at) = actions.iter().position(|action| creations(action) > 0) else { return true };
    let is_alone = match &actions[at] {
        Action::Spawn(spawn) => spawn.args.iter().chain(&spawn.priority).all(is_expr_native),
        Action::Assign { place, value: Expr::Spawn(_) } => {
            creations(&actions[at]) == 1 && place.indices.iter().all(|term| is_plain(&term.index))
        }
        _ => false,
    };
    is_alone && actions[at + 1..].iter().all(is_plain_assignment)
}

/// Does the value depend on nothing but variables and the process itself?
fn is_plain(expr: &Expr) -> bool {
    !expr.any(&|part| {
        !matches!(
            part,
            Expr::Const(_)
                | Expr::Load(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Cond(..)
                | Expr::SelfPid
                | Expr::OwnChannel(_)
        )
    })
}

fn is_plain_assignment(action: &Action) -> bool {
    match action {
        Action::Assign { place, value } => {
            is_plain(value) && place.indices.iter().all(|term| is_plain(&term.index))
        }
        _ => false,
    }
}

/// The initial values of a new process may depend on itself and on globals only.
fn is_spawn_native(model: &Model, spawn: &Spawn) -> bool {
    spawn.args.iter().chain(&spawn.priority).all(is_expr_native)
        && model.process(spawn.process).init.iter().all(is_plain_assignment)
}

/// May the value that is assigned be computed, and what it creates on the way be created?
fn is_value_native(model: &Model, value: &Expr) -> bool {
    match value {
        Expr::Spawn(spawn) => is_spawn_native(model, spawn),
        Expr::Unary(_, operand) => is_value_native(model, operand),
        Expr::Binary(_, left, right) => is_value_native(model, left) && is_value_native(model, right),
        Expr::Cond(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().all(|part| is_value_native(model, part))
        }
        other => is_expr_native(other),
    }
}

/// The constants that are assigned to fixed places behind a send.
pub(crate) fn settings_behind_send(actions: &[Action]) -> Vec<Setting> {
    let [Action::Send(_), rest @ ..] = actions else { return Vec::new() };
    let setting = |action: &Action| match action {
        Action::Assign { place, value: Expr::Const(value) } if place.indices.is_empty() => Some(Setting {
            is_local: place.region == Region::Local,
            offset: place.offset,
            ty: place.ty,
            value: *value,
        }),
        _ => None,
    };
    rest.iter().filter_map(setting).collect()
}

fn is_action_native(model: &Model, action: &Action) -> bool {
    match action {
        Action::Assign { place, value } => is_place_native(place) && is_value_native(model, value),
        Action::Assert { condition, .. } => is_expr_native(condition),
        Action::Print { args, .. } => args.iter().all(is_expr_native),
        Action::PrintName(value) => is_expr_native(value),
        Action::Send(send) => is_expr_native(&send.channel) && send.args.iter().all(is_expr_native),
        Action::Receive(receive) => is_receive_native(receive),
        Action::Block(id) => is_block_native(model, model.block(*id)),
        Action::Exit => true,
        Action::Spawn(spawn) => is_spawn_native(model, spawn),
        Action::SetPriority { pid, priority } => is_expr_native(pid) && is_expr_native(priority),
        Action::Observe(_) => false,
    }
}

fn is_block_native(model: &Model, block: &Block) -> bool {
    block.nodes.iter().flat_map(|node| &node.steps).all(|step| {
        is_guard_native(&step.guard)
            && are_actions_native(model, &step.actions)
            && !step.actions.iter().any(|action| matches!(action, Action::Exit) || creations(action) > 0)
    })
}

fn is_receive_native(receive: &Receive) -> bool {
    is_expr_native(&receive.channel)
        && receive.patterns.iter().all(|pattern| match pattern {
            Pattern::Any => true,
            Pattern::Match(expected) => is_expr_native(expected),
            Pattern::Bind(place) => is_place_native(place),
        })
}

fn is_place_native(place: &Place) -> bool {
    place.indices.iter().all(|term| is_expr_native(&term.index))
}

/// Can the condition of a claim be compiled? Nobody asks it: it has no frame and no number.
pub(crate) fn is_condition_native(condition: &Condition) -> bool {
    let Condition::Holds(condition, _) = condition else { return true };
    !condition.any(&|part| match part {
        Expr::Load(place) => place.region == Region::Local,
        Expr::SelfPid | Expr::OwnChannel(_) | Expr::Spawn(_) => true,
        _ => false,
    })
}

/// An expression is native unless it creates something.
pub(crate) fn is_expr_native(expr: &Expr) -> bool {
    !expr.any(&|part| matches!(part, Expr::Spawn(_)))
}
