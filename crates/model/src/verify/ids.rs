//! Rules that make it safe to follow an index: `id-range`, `initial-state`, `block-node`, `block-nesting`.

use super::Report;
use super::sites::block_of;
use crate::{Action, Block, BlockId, Display, Expr, Guard, Model, ProcId, Spawn};

pub(super) fn check(model: &Model, report: &mut Report) {
    processes(model, report);
    transitions(model, report);
    blocks(model, report);
    let roots = model.initial.iter().map(|initial| initial.process).chain(model.claims.iter().copied());
    let roots = roots.chain(model.requirements.iter().map(|requirement| requirement.process));
    let roots = roots.chain(model.channels.iter().filter_map(|channel| channel.receiver));
    let roots = roots.chain(model.waiting.iter().map(|waiting| waiting.process));
    for id in roots.chain(model.monitor.iter().map(|monitor| monitor.process)) {
        process_id(model, id, "the model", report);
    }
    let conditions = model.waiting.iter().flat_map(|waiting| &waiting.conditions);
    for id in conditions.chain(&model.timeouts) {
        let known = id.index() < model.transitions.len();
        report.require(known, "id-range", || format!("the model names transition {}", id.0));
    }
    actions(model, &model.init, "the global initial values", report);
    for requirement in &model.requirements {
        requirement.fulfilled.walk(&mut |e| expr(model, e, &requirement.name, report));
    }
    for property in &model.temporal {
        property.formula.walk(&mut |e| expr(model, e, &property.name, report));
    }
    let displays = model.variables.iter().map(|v| v.display);
    displays
        .chain(model.channels.iter().flat_map(|c| c.displays.iter().copied()))
        .for_each(|d| display(model, d, report));
    if report.violations.is_empty() {
        nesting(model, report);
    }
}

fn processes(model: &Model, report: &mut Report) {
    for process in &model.processes {
        let name = &process.name;
        let initial = process.initial.index() < process.states.len();
        report.require(initial, "initial-state", || {
            format!("the initial state of {name} is not one of its states")
        });
        for state in &process.states {
            for id in &state.transitions {
                let known = id.index() < model.transitions.len();
                let message = || format!("state {} of {name} lists transition {}", state.number, id.0);
                report.require(known, "id-range", message);
            }
        }
        process.variables.iter().for_each(|v| display(model, v.display, report));
        process.channels.iter().flat_map(|c| &c.displays).for_each(|d| display(model, *d, report));
        actions(model, &process.init, name, report);
        process.provided.iter().for_each(|e| e.walk(&mut |e| expr(model, e, name, report)));
    }
}

fn transitions(model: &Model, report: &mut Report) {
    for (index, transition) in model.transitions.iter().enumerate() {
        let name = format!("transition {index}");
        match model.processes.get(transition.process.index()) {
            Some(process) => {
                for state in [Some(transition.from), transition.to].into_iter().flatten() {
                    let known = state.index() < process.states.len();
                    report.require(known, "id-range", || {
                        format!("{name} names state {} of {}", state.0, process.name)
                    });
                }
            }
            None => report.add("id-range", format!("{name} names process {}", transition.process.0)),
        }
        guard(model, &transition.guard, &name, report);
        actions(model, &transition.actions, &name, report);
    }
}

fn blocks(model: &Model, report: &mut Report) {
    for (index, block) in model.blocks.iter().enumerate() {
        let name = format!("block {index}");
        let nodes = block.nodes.len();
        let steps = || block.nodes.iter().flat_map(|node| &node.steps);
        for node in std::iter::once(block.entry).chain(steps().filter_map(|step| step.next)) {
            report.require((node as usize) < nodes, "block-node", || {
                format!("{name} names its node {node} of {nodes}")
            });
        }
        for step in steps() {
            guard(model, &step.guard, &name, report);
            actions(model, &step.actions, &name, report);
        }
    }
}

fn guard(model: &Model, guard: &Guard, name: &str, report: &mut Report) {
    if let Guard::When(e) = guard {
        e.walk(&mut |e| expr(model, e, name, report));
    }
}

fn actions(model: &Model, actions: &[Action], name: &str, report: &mut Report) {
    for action in actions {
        match action {
            Action::Spawn(Spawn { process, .. }) => process_id(model, *process, name, report),
            Action::Block(id) => {
                let known = id.index() < model.blocks.len();
                report.require(known, "id-range", || format!("{name} names block {}", id.0));
            }
            _ => {}
        }
        action.walk(&mut |e| expr(model, e, name, report));
    }
}

fn expr(model: &Model, e: &Expr, name: &str, report: &mut Report) {
    match e {
        Expr::AtState { process, .. } | Expr::Remote { process, .. } => {
            process_id(model, *process, name, report)
        }
        Expr::Spawn(spawn) => process_id(model, spawn.process, name, report),
        _ => {}
    }
}

fn process_id(model: &Model, id: ProcId, name: &str, report: &mut Report) {
    let known = id.index() < model.processes.len();
    report.require(known, "id-range", || format!("{name} names process {}", id.0));
}

fn display(model: &Model, display: Display, report: &mut Report) {
    if let Display::Enum(id) = display {
        let known = id.index() < model.enumerations.len();
        report.require(known, "id-range", || format!("a variable or field names enumeration {}", id.0));
    }
}

/// Blocks that run themselves: those from which, following what they run, one comes back.
fn nesting(model: &Model, report: &mut Report) {
    for start in (0..model.blocks.len() as u32).map(BlockId) {
        let mut seen = vec![false; model.blocks.len()];
        let mut todo = runs(model.block(start));
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                todo.extend(runs(model.block(id)));
            }
        }
        report.require(!seen[start.index()], "block-nesting", || format!("block {} runs itself", start.0));
    }
}

fn runs(block: &Block) -> Vec<BlockId> {
    let steps = block.nodes.iter().flat_map(|node| &node.steps);
    steps.flat_map(|step| step.actions.iter().filter_map(block_of)).collect()
}
