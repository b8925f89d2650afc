//! Rules about expressions and actions: `init-actions`, `spawn-args`, `spawn-place`, `at-state`, `last-pid`,
//! `block-rendezvous`, `observe`, `requirement` where it is named, `claim-actions`, and `exit-last` where no transition is.

use super::Report;
use super::automata::communicates;
use super::sites::{At, Code, Site};
use crate::{Action, Expr, Model, Pattern, ProcessKind, Send, Spawn};

pub(super) fn check(model: &Model, sites: &[Site<'_>], report: &mut Report) {
    for site in sites {
        let mut misplaced = 0;
        site.code.walk(&mut |e| {
            if let Expr::Spawn(spawn) = e {
                check_spawn(model, spawn, site, report);
                misplaced += 1;
            }
            check_expr(model, e, site, report);
        });
        if let Code::Action(action) = site.code {
            check_action(model, action, site, report);
            if let Action::Assign { value, .. } = action {
                value.walk(&mut |e| misplaced -= i32::from(matches!(e, Expr::Spawn(_))));
            }
        }
        report.require(misplaced == 0, "spawn-place", || site.name(model));
    }
}

fn check_action(model: &Model, action: &Action, site: &Site<'_>, report: &mut Report) {
    let name = || site.name(model);
    if matches!(site.at, At::GlobalInit | At::Init) {
        let fills = site.at == At::GlobalInit && fills_channel(model, action);
        report.require(fills || matches!(action, Action::Assign { .. }), "init-actions", name);
    }
    if let At::Block(_) = site.at {
        report.require(!matches!(action, Action::Exit), "exit-last", name);
        report.require(!is_rendezvous(model, action), "block-rendezvous", name);
    }
    let is_monitor = site.owner.is_some_and(|owner| model.process(owner).kind == ProcessKind::Monitor);
    report.require(is_monitor == matches!(action, Action::Observe(_)), "observe", name);
    if let Action::Observe(observe) = action {
        let binds = observe.patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(_)));
        report.require(!binds, "observe", || format!("{} binds", name()));
    }
    if let Action::Assert { requirement: Some(index), .. } = action {
        let known = (*index as usize) < model.requirements.len();
        report.require(known, "requirement", || format!("{} names requirement {index}", name()));
    }
    if let Action::Spawn(spawn) = action {
        check_spawn(model, spawn, site, report);
    }
    let is_claim = site.owner.is_some_and(|owner| model.process(owner).kind == ProcessKind::Claim);
    let mut acts = communicates(action) || matches!(action, Action::Spawn(_) | Action::SetPriority { .. });
    action.walk(&mut |e| acts |= matches!(e, Expr::Spawn(_)));
    report.require(!(is_claim && acts), "claim-actions", name);
}

fn check_spawn(model: &Model, spawn: &Spawn, site: &Site<'_>, report: &mut Report) {
    let process = model.process(spawn.process);
    let wants: usize = process.variables.iter().take(process.param_count).map(|v| v.count as usize).sum();
    let fits = process.kind == ProcessKind::Process && wants == spawn.args.len();
    report.require(fits, "spawn-args", || {
        let has = spawn.args.len();
        format!(
            "{} starts {} with {has} arguments for {wants} parameter values",
            site.name(model),
            process.name
        )
    });
}

fn check_expr(model: &Model, e: &Expr, site: &Site<'_>, report: &mut Report) {
    match e {
        Expr::AtState { process, state, .. } => {
            let process = model.process(*process);
            let exists = process.states.iter().any(|control| control.number == *state);
            let message = || format!("{} asks for state {state} of {}", site.name(model), process.name);
            report.require(exists, "at-state", message);
        }
        Expr::LastPid => report.require(model.header.last.is_some(), "last-pid", || site.name(model)),
        _ => {}
    }
}

/// Does the action send to a global channel with slots?
fn fills_channel(model: &Model, action: &Action) -> bool {
    let Action::Send(Send { channel: Expr::Const(number), .. }) = action else { return false };
    let index = usize::try_from(i64::from(*number) - 1).ok();
    index.and_then(|index| model.channels.get(index)).is_some_and(|channel| !channel.is_rendezvous())
}

/// Does the action communicate on a channel that is known here to have no slots?
fn is_rendezvous(model: &Model, action: &Action) -> bool {
    let channel = match action {
        Action::Send(send) => &send.channel,
        Action::Receive(receive) => &receive.channel,
        _ => return false,
    };
    let Expr::Const(number) = channel else { return false };
    let index = usize::try_from(i64::from(*number) - 1).ok();
    index.and_then(|index| model.channels.get(index)).is_some_and(|channel| channel.is_rendezvous())
}
