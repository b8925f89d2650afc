//! Is the protocol complete, as far as its text shows? Messages that nobody sends or receives, channels that nobody
//! reads or writes, statements that cannot be reached, options that can never be taken.
//!
//! These are warnings: the model can be checked all the same.

use crate::flow::{Node, StepKind};
use crate::lower::Body;
use crate::lower::process::named_receives;
use crate::lower::sorts::Sorts;
use crate::monitor::Event;
use crate::resolve::{Reporter, Symbols};
use panoptes_model::Expr;
use panoptes_source::{Diagnostic, Span, Warning};
use std::collections::BTreeMap;

pub(crate) fn check(
    symbols: &Symbols<'_>,
    processes: &[Body],
    assertions: &[Body],
    sorts: &Sorts,
    reporter: &mut Reporter,
) {
    for number in 0..symbols.channels.len() {
        check_channel(symbols, number, sorts, reporter);
    }
    for body in processes {
        check_statements(body, reporter);
        check_options(body, sorts, reporter);
    }
    for body in assertions {
        check_statements(body, reporter);
        check_events(symbols, body, sorts, reporter);
        if body.machine.states.iter().all(|state| state.edges.is_empty()) {
            let message = "this assertion names no message: it says nothing";
            reporter.report(Diagnostic::warning(Warning::VacuousAssertion, body.span, message));
        }
    }
    for (proc, is_procedure) in symbols.module.procs.iter().zip(&symbols.is_procedure) {
        if *is_procedure && !is_called(symbols, &proc.name.name) {
            let message = format!("procedure `{}` is never called", proc.name.name);
            let help = format!("without the `()` it would be a process: `proc {} {{ … }}`", proc.name.name);
            reporter
                .report(Diagnostic::warning(Warning::UnusedProcedure, proc.name.span, message).help(help));
        }
    }
}

fn check_channel(symbols: &Symbols<'_>, number: usize, sorts: &Sorts, reporter: &mut Reporter) {
    let declared = &symbols.channels[number].decl.name;
    let name = &declared.name;
    let uses = &sorts.uses[number];
    let is_written = !uses.sends.is_empty();
    let is_read = !uses.receives.is_empty() || !uses.defaults.is_empty();
    match (is_written, is_read) {
        (false, false) => {
            let message = format!("channel `{name}` is never used");
            return reporter.report(Diagnostic::warning(Warning::UnusedChannel, declared.span, message));
        }
        (true, false) => {
            let message = format!("channel `{name}` is never read: what is sent to it stays there");
            let wrong = Diagnostic::warning(Warning::UnusedChannel, declared.span, message);
            return reporter.report(wrong.label(first(&uses.sends), "a message is sent to it here"));
        }
        (false, true) => {
            let message = format!("channel `{name}` is never written: nothing can be received from it");
            let wrong = Diagnostic::warning(Warning::UnusedChannel, declared.span, message);
            let place = uses.receives.values().flatten().chain(&uses.defaults).min_by_key(|span| span.lo);
            return reporter.report(wrong.label(*place.expect("it is read"), "it is read here"));
        }
        (true, true) => {}
    }
    for (message, spans) in &uses.receives {
        if !uses.sends.contains_key(message) {
            let text = format!("message `{message}` can be received from `{name}`, but is never sent to it");
            reporter.report(located(text, spans));
        }
    }
    for (message, spans) in &uses.sends {
        if uses.defaults.is_empty() && !uses.receives.contains_key(message) {
            let text = format!("message `{message}` is sent to `{name}`, but never received from it");
            reporter.report(located(text, spans));
        }
    }
}

/// The first place in the text.
fn first(places: &BTreeMap<crate::ast::Name, Vec<Span>>) -> Span {
    *places.values().flatten().min_by_key(|span| span.lo).expect("there is one")
}

/// A warning at the first of several places.
fn located(text: String, spans: &[Span]) -> Diagnostic {
    let first = spans.iter().min_by_key(|span| (span.file, span.lo)).expect("there is one");
    let places: std::collections::BTreeSet<_> = spans.iter().map(|span| (span.file, span.lo)).collect();
    let diagnostic = Diagnostic::warning(Warning::UnusedMessage, *first, text);
    match places.len() {
        1 => diagnostic,
        2 => diagnostic.help("and in one more place"),
        count => diagnostic.help(format!("and in {} more places", count - 1)),
    }
}

/// The first statement of each piece of a sequence that no path reaches.
fn check_statements(body: &Body, reporter: &mut Reporter) {
    let is_reached = |node: usize| body.machine.reached[node];
    for stmt in body.flow.stmts.iter().filter(|stmt| stmt.index > 0 && !is_reached(stmt.node)) {
        let before = body
            .flow
            .stmts
            .iter()
            .find(|other| other.sequence == stmt.sequence && other.index + 1 == stmt.index);
        if before.is_some_and(|before| is_reached(before.node)) {
            let message = format!("this statement of `{}` cannot be reached", body.name);
            reporter.report(Diagnostic::warning(Warning::UnreachableStatement, stmt.span, message));
        }
    }
}

/// PreprocessorOptions that can never be taken.
fn check_options(body: &Body, sorts: &Sorts, reporter: &mut Reporter) {
    for state in &body.machine.states {
        for (node, _) in &state.edges {
            let Node::Step(step) = &body.flow.nodes[*node] else { continue };
            match &step.kind {
                StepKind::Condition(condition) if constant(condition) == Some(0) => {
                    let message = "this condition never holds: nothing behind it can be reached";
                    reporter.report(Diagnostic::warning(Warning::AlwaysFalse, step.span, message));
                }
                StepKind::Default { channel } if !sorts.sent[*channel].is_empty() => {
                    let named = named_receives(body, &state.edges, *channel);
                    if sorts.others(*channel, &named).is_empty() {
                        let message =
                            "this `default` can never be taken: the other options name every message";
                        reporter.report(Diagnostic::warning(
                            Warning::UnreachableStatement,
                            step.span,
                            message,
                        ));
                    }
                }
                _ => {}
            }
        }
    }
}

fn constant(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Unary(op, operand) => Some(op.apply(constant(operand)?)),
        Expr::Binary(op, left, right) => op.apply(constant(left)?, constant(right)?),
        _ => None,
    }
}

/// Messages that an assertion speaks of and that no process sends or receives.
fn check_events(symbols: &Symbols<'_>, body: &Body, sorts: &Sorts, reporter: &mut Reporter) {
    for (node, at) in body.flow.nodes.iter().enumerate() {
        let (Node::Step(step), Some(event)) = (at, Event::of(&body.flow, node)) else { continue };
        let uses = &sorts.uses[event.channel];
        let channel = &symbols.channels[event.channel].decl.name.name;
        let happens = match event.sent {
            true => uses.sends.contains_key(&event.message),
            false => {
                let taken = uses.receives.contains_key(&event.message) || !uses.defaults.is_empty();
                taken && uses.sends.contains_key(&event.message)
            }
        };
        if !happens {
            let (done, sign) = if event.sent { ("sends", '!') } else { ("receives", '?') };
            let message = format!(
                "`{}` names `{channel}{sign}{}`, which no process ever {done}",
                body.name, event.message
            );
            reporter.report(Diagnostic::warning(Warning::UnusedMessage, step.span, message));
        }
    }
}

fn is_called(symbols: &Symbols<'_>, name: &str) -> bool {
    use crate::ast::{Stmt, StmtKind};
    fn calls(stmts: &[Stmt], name: &str) -> bool {
        stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Call(called) => &*called.name == name,
            StmtKind::If(choices) | StmtKind::Do(choices) => {
                choices.iter().any(|choice| calls(&choice.body, name))
            }
            _ => false,
        })
    }
    let module = symbols.module;
    let bodies = module.procs.iter().map(|proc| &proc.body);
    bodies.chain(module.assertions.iter().map(|assertion| &assertion.body)).any(|body| calls(body, name))
}
