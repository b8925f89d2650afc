//! Trace assertions and never claims: what their statements may be.

use super::Lowering;
use super::flow::NodeKind;
use super::stmt::simple;
use crate::ast::{self, ExprKind, StmtKind, VarRef};
use panoptes_model::{Action, Expr, Observe, Pattern};
use panoptes_source::{Diagnostic, Span};

impl Lowering<'_> {
    /// A field that a trace assertion asks for.
    pub(super) fn observed(&mut self, arg: &ast::Expr) -> Pattern {
        match &arg.kind {
            ExprKind::Ref(var) if &*var.name.name == "_" => Pattern::Any,
            _ => Pattern::Match(self.condition(arg)),
        }
    }

    /// An event of a trace assertion: its channel must be one that is declared globally.
    pub(super) fn observe(&mut self, chan: &VarRef, sent: bool, patterns: Vec<Pattern>) -> Option<NodeKind> {
        let var = self.find_var(&chan.name.name).cloned();
        let index = match &chan.index {
            Some(index) => self.constant(index, "the index of a channel in a trace assertion")?,
            None => 0,
        };
        let number = var.and_then(|var| var.channel_numbers.get(usize::try_from(index).ok()?).copied());
        let Some(number) = number else {
            let message = "a trace assertion can only follow channels that are declared globally";
            let help = "declare the channel with its capacity outside all processes";
            self.report(Diagnostic::error(chan.span, message).help(help));
            return None;
        };
        let patterns = patterns
            .into_iter()
            .map(|pattern| if matches!(pattern, Pattern::Bind(_)) { Pattern::Any } else { pattern })
            .collect();
        let channel = Expr::Const(i32::from(number));
        Some(simple(Action::Observe(Observe { channel, sent, patterns })))
    }

    /// In a trace assertion there are only events, and what chooses among them.
    pub(super) fn is_event(kind: &StmtKind) -> bool {
        matches!(
            kind,
            StmtKind::Send { .. }
                | StmtKind::Receive { .. }
                | StmtKind::If(_)
                | StmtKind::Do(_)
                | StmtKind::Break
                | StmtKind::Goto(_)
                | StmtKind::Block(_)
                | StmtKind::Unless { .. }
        )
    }

    pub(super) fn report_no_event(&mut self, span: Span) -> Option<NodeKind> {
        let diagnostic = Diagnostic::error(span, "this is not an event that a trace assertion can follow")
            .help("a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps");
        self.report(diagnostic);
        None
    }

    pub(super) fn report_acting_claim(&mut self, span: Span) -> Option<NodeKind> {
        let diagnostic = Diagnostic::error(span, "a never claim only looks on")
            .help("it has conditions and jumps; it cannot send, receive or start processes");
        self.report(diagnostic);
        None
    }
}
