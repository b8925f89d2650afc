//! What the rules of a model can do: block, fail, start processes. Where that is not certain, the answer is that they can.

use super::room;
use panoptes_model::{
    Action, BinaryOp, Block, BlockStep, Channel, Expr, Guard, Model, Place, ProcId, Region, Spawn, StateId,
    Transition,
};

/// Can a process at this control state be kept from moving? Then it may be part of a deadlock.
pub(crate) fn may_block(model: &Model, process: ProcId, state: StateId) -> bool {
    let rules = &model.process(process).states[state.index()].transitions;
    model.process(process).provided.is_some()
        || !rules.iter().any(|id| {
            let transition = model.transition(*id);
            is_always_possible(model, &transition.guard, &transition.actions)
        })
}

/// Can the step always be taken where its process stands? A timeout can where nothing else can, and `else` likewise.
fn is_always_possible(model: &Model, guard: &Guard, actions: &[Action]) -> bool {
    let holds = match guard {
        Guard::Always | Guard::Otherwise => true,
        Guard::When(condition) => matches!(condition, Expr::Timeout),
    };
    let goes = match actions.first() {
        Some(Action::Send(_) | Action::Receive(_) | Action::Exit) => false,
        Some(Action::Block(id)) => {
            let block = model.block(*id);
            let steps = &block.nodes[block.entry as usize].steps;
            steps.iter().any(|step| is_always_possible(model, &step.guard, &step.actions))
        }
        _ => true,
    };
    holds && goes
}

/// Can the step, or a look at whether it is possible, go wrong in a way that is always an error?
pub(crate) fn may_fail(model: &Model, transition: &Transition) -> bool {
    let id = transition.process;
    model.process(id).deterministic
        || is_observed(model, transition)
        || guard_may_fail(model, id, &transition.guard)
        || transition.actions.iter().any(|action| action_may_fail(model, id, action))
}

/// Does a monitor follow what the step does?
fn is_observed(model: &Model, transition: &Transition) -> bool {
    let talks = |action: &Action| matches!(action, Action::Send(_) | Action::Receive(_) | Action::Block(_));
    model.monitor.is_some() && transition.actions.iter().any(talks)
}

fn guard_may_fail(model: &Model, id: ProcId, guard: &Guard) -> bool {
    matches!(guard, Guard::When(condition) if may_have_no_value(model, id, condition))
}

fn action_may_fail(model: &Model, id: ProcId, action: &Action) -> bool {
    let mut fails = false;
    action.walk(&mut |e| fails |= has_no_value_itself(model, id, e));
    fails
        || match action {
            Action::Assign { place, .. } => subscript_may_fail(place),
            Action::Send(send) => {
                !fits_channel(model, id, &send.channel, |channel| send.args.len() == channel.fields.len())
            }
            Action::Receive(receive) => {
                let bad_place = |pattern: &panoptes_model::Pattern| matches!(pattern, panoptes_model::Pattern::Bind(place) if subscript_may_fail(place));
                receive.patterns.iter().any(bad_place)
                    || !fits_channel(model, id, &receive.channel, |channel| {
                        receive.patterns.len() <= channel.fields.len()
                            && !(receive.peek && channel.is_rendezvous())
                    })
            }
            Action::Spawn(spawn) => start_may_fail(model, spawn),
            Action::SetPriority { .. } | Action::Block(_) => true,
            _ => false,
        }
}

/// Can it go wrong to start a process, if its arguments have values?
fn start_may_fail(model: &Model, spawn: &Spawn) -> bool {
    let has_priority = match &spawn.priority {
        None => true,
        Some(priority) => matches!(priority, Expr::Const(1..=255)),
    };
    let id = spawn.process;
    !has_priority
        || !room::is_for_all(model)
        || model.process(id).init.iter().any(|action| action_may_fail(model, id, action))
}

/// Is the channel known, and does it have a fitting number of fields?
fn fits_channel(model: &Model, id: ProcId, channel: &Expr, fits: impl Fn(&Channel) -> bool) -> bool {
    let found = match channel {
        Expr::Const(number) => {
            usize::try_from(*number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| model.channels.get(n))
        }
        Expr::OwnChannel(index) => model.process(id).channels.get(*index as usize),
        _ => None,
    };
    found.is_some_and(fits)
}

fn may_have_no_value(model: &Model, id: ProcId, expr: &Expr) -> bool {
    expr.any(&|e| has_no_value_itself(model, id, e))
}

/// Can the operator at the top of an expression fail, whatever its parts do?
fn has_no_value_itself(model: &Model, id: ProcId, expr: &Expr) -> bool {
    match expr {
        Expr::Load(place) => subscript_may_fail(place),
        Expr::Remote { place, .. } => subscript_may_fail(place),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, right) => !matches!(**right, Expr::Const(n) if n != 0),
        Expr::Channel(_, channel) => !fits_channel(model, id, channel, |_| true),
        Expr::Poll(receive) => {
            // Nothing can be asked of a channel without slots.
            !fits_channel(model, id, &receive.channel, |channel| {
                receive.patterns.len() <= channel.fields.len() && !channel.is_rendezvous()
            })
        }
        Expr::Spawn(spawn) => start_may_fail(model, spawn),
        Expr::Enabled(_) => true,
        _ => false,
    }
}

fn subscript_may_fail(place: &Place) -> bool {
    let is_within = |index: i32, len: u32| u32::try_from(index).is_ok_and(|index| index < len);
    place.indices.iter().any(|term| !matches!(term.index, Expr::Const(index) if is_within(index, term.len)))
}

/// Can the invariants themselves fail to have a value?
pub(crate) fn condition_may_fail(model: &Model, condition: &Expr) -> bool {
    may_have_no_value(model, ProcId(0), condition)
}

/// May two processes that do more than send and receive meet in one step? Then a variable may change twice in it.
pub(crate) fn may_meet(model: &Model) -> bool {
    let channels = model.processes.iter().flat_map(|process| &process.channels);
    let mut channels = model.channels.iter().chain(channels);
    let does_more = |transition: &Transition| {
        let talks = matches!(transition.actions.first(), Some(Action::Send(_) | Action::Receive(_)));
        talks && transition.actions.iter().any(|action| matches!(action, Action::Assign { .. }))
    };
    channels.any(Channel::is_rendezvous) && model.transitions.iter().any(does_more)
}

/// Does some rule start a process of this type?
pub(crate) fn is_started(model: &Model, process: ProcId) -> bool {
    let mut found = false;
    let mut visit = |e: &Expr| found |= matches!(e, Expr::Spawn(spawn) if spawn.process == process);
    model.walk_rules(&mut visit);
    let spawns = |action: &Action| matches!(action, Action::Spawn(spawn) if spawn.process == process);
    found
        || model.transitions.iter().any(|transition| transition.actions.iter().any(spawns))
        || block_steps(model).any(|step| step.actions.iter().any(spawns))
}

/// Are processes started beside the steps of automata: in deterministic steps, conditions of processes, or initial values?
pub(crate) fn starts_elsewhere(model: &Model) -> bool {
    let is_start = |e: &Expr| matches!(e, Expr::Spawn(_));
    let starts = |action: &Action| {
        let mut found = matches!(action, Action::Spawn(_));
        action.walk(&mut |e| found |= is_start(e));
        found
    };
    let holds = |guard: &Guard| matches!(guard, Guard::When(condition) if condition.any(&is_start));
    model.processes.iter().any(|process| {
        process.provided.as_ref().is_some_and(|provided| provided.any(&is_start))
            || process.init.iter().any(starts)
    }) || block_steps(model).any(|step| holds(&step.guard) || step.actions.iter().any(starts))
}

/// Does a deterministic step send or receive? Then one step can move several messages.
pub(crate) fn blocks_talk(model: &Model) -> bool {
    let talks = |action: &Action| matches!(action, Action::Send(_) | Action::Receive(_));
    block_steps(model).any(|step| step.actions.iter().any(talks))
}

fn block_steps(model: &Model) -> impl Iterator<Item = &BlockStep> {
    model.blocks.iter().flat_map(|block: &Block| &block.nodes).flat_map(|node| &node.steps)
}

/// A variable: of all processes, or of a process type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    pub owner: Option<ProcId>,
    pub offset: u32,
}

impl Variable {
    /// The variable at a place, as a process sees it.
    pub fn at(place: &Place, process: Option<ProcId>) -> Option<Variable> {
        let owner = match place.region {
            Region::Global => None,
            Region::Local => Some(process?),
        };
        place.indices.is_empty().then_some(Variable { owner, offset: place.offset })
    }
}

/// Do steps change the variable by one at most? It is then never assigned but one more or less than it is, once a step.
pub(crate) fn moves_by_one(model: &Model, variable: Variable) -> bool {
    let touches = |place: &Place, process: ProcId| {
        let owner = (place.region == Region::Local).then_some(process);
        let reach: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
        owner == variable.owner && (place.offset..=place.offset + reach).contains(&variable.offset)
    };
    let is_step = |place: &Place, value: &Expr| {
        let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) = value else { return false };
        matches!((&**left, &**right), (Expr::Load(from), Expr::Const(1))
            if place.indices.is_empty() && from.region == place.region && from.offset == place.offset
                && from.indices.is_empty())
    };
    let binds = |action: &Action, process: ProcId| match action {
        Action::Receive(receive) => receive.patterns.iter().any(
            |pattern| matches!(pattern, panoptes_model::Pattern::Bind(place) if touches(place, process)),
        ),
        _ => false,
    };
    model.transitions.iter().all(|transition| {
        let id = transition.process;
        let mut changes = 0;
        transition.actions.iter().all(|action| match action {
            Action::Assign { place, value } if touches(place, id) => {
                changes += 1;
                changes == 1 && is_step(place, value)
            }
            // What a deterministic step does is not looked at more closely.
            Action::Block(block) => {
                let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                let assigns = |action: &Action| {
                    matches!(action, Action::Assign { place, .. } if touches(place, id)) || binds(action, id)
                };
                !steps.flat_map(|step| &step.actions).any(assigns)
            }
            other => !binds(other, id),
        })
    })
}
