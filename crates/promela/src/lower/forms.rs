//! `for` and `select`, in terms of loops and choices, as SPIN takes them apart.

use super::Lowering;
use super::constant::fold;
use super::flow::{Jump, Node, NodeKind, SequenceId};
use super::place::Target;
use super::stmt::simple;
use crate::ast::{self, VarRef};
use panoptes_model::{Action, BinaryOp, ChannelTest, Display, Expr, Guard, Pattern, Place, Receive, Send};
use panoptes_source::{Diagnostic, ExpansionKind, Span};

/// A selection over a range of at most this width is a plain choice among them.
const SELECT_WIDTH_MAX: i32 = 32;

impl Lowering<'_> {
    /// `i = from; do :: i <= to -> body; i++ :: else -> break od`.
    pub(super) fn for_range(
        &mut self,
        var: &VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &ast::Block,
    ) -> Option<NodeKind> {
        let place = self.countable(var)?;
        let (from_value, to_value) = (self.condition(from), self.condition(to));
        if let (Some(low), Some(high)) = (fold(&from_value), fold(&to_value))
            && low > high
        {
            self.error(from.span.to(to.span), format!("the range {low} .. {high} is empty"));
        }
        self.check_fits(&place.name, place.ty, &from_value, from.span);
        self.check_loop_ends(&place, &to_value, to.span);
        self.counting_loop(place, from_value, to_value, var.span, body)
    }

    /// Adds `place = from` and gives the loop.
    fn counting_loop(
        &mut self,
        place: Place,
        from: Expr,
        to: Expr,
        span: Span,
        body: &ast::Block,
    ) -> Option<NodeKind> {
        self.basic(Guard::Always, vec![Action::Assign { place: place.clone(), value: from }], span);
        let guard = Guard::When(Expr::binary(BinaryOp::Le, Expr::load(place.clone()), to));
        Some(self.guarded_loop(guard, Vec::new(), place, span, body))
    }

    /// `do :: guard -> before; body; counter++ :: else -> break od`.
    fn guarded_loop(
        &mut self,
        guard: Guard,
        before: Vec<Action>,
        counter: Place,
        span: Span,
        block: &ast::Block,
    ) -> NodeKind {
        let exit = self.open_loop();
        self.body().flow.open();
        self.basic(guard, Vec::new(), span);
        for action in before {
            self.basic(Guard::Always, vec![action], span);
        }
        self.enter_scope();
        self.statements(&block.stmts);
        self.leave_scope();
        let value = Expr::binary(BinaryOp::Add, Expr::load(counter.clone()), Expr::Const(1));
        self.basic(Guard::Always, vec![Action::Assign { place: counter, value }], span);
        let turn = self.body().flow.close();
        let leave = self.leaving_option(Guard::Otherwise, exit, span);
        self.body().loops.pop();
        NodeKind::Choice { options: vec![turn, leave], exit: Some(exit) }
    }

    fn basic(&mut self, guard: Guard, actions: Vec<Action>, span: Span) {
        self.body().flow.add(Node {
            labels: Vec::new(),
            kind: NodeKind::Basic { guard, actions },
            span,
            implied: true,
        });
    }

    fn leaving_option(&mut self, guard: Guard, exit: usize, span: Span) -> SequenceId {
        self.body().flow.open();
        if !matches!(guard, Guard::Always) {
            self.basic(guard, Vec::new(), span);
        }
        let kind = NodeKind::Jump(Jump::Break(exit));
        self.body().flow.add(Node { labels: Vec::new(), kind, span, implied: true });
        self.body().flow.close()
    }

    /// Over an array: its indices. Over a channel: its messages, each taken out and put back.
    pub(super) fn for_in(&mut self, var: &VarRef, over: &VarRef, body: &ast::Block) -> Option<NodeKind> {
        let found = self.find_var(&over.name.name).cloned();
        let length = self.array_length_of(over);
        if let Some(length) = length {
            let place = self.countable(var)?;
            return self.counting_loop(place, Expr::Const(0), Expr::Const(length as i32 - 1), var.span, body);
        }
        if found.is_none() {
            self.target(over);
            return None;
        }
        let Some(Target::Scalar(_, Display::Channel)) = self.target(over) else {
            let diagnostic = Diagnostic::error(over.span, "this is neither an array nor a channel")
                .help("write `for (i : 1 .. n)`, `for (i in array)` or `for (message in channel)`");
            self.report(diagnostic);
            return None;
        };
        let channel = self.channel(over);
        let parts = self.fields_of(var);
        if let Some(fields) = found.and_then(|found| found.message_fields)
            && over.field.is_none()
            && fields != parts.len()
        {
            let message =
                format!("the messages have {fields} values, `{}` takes {}", var.name.name, parts.len());
            let help = "declare a record with the fields of the message, and a variable of that type";
            self.report(Diagnostic::error(var.span, message).help(help));
        }
        let line = self.sources.user_position(var.span).line;
        let counter = self.declare_temporary(&format!("for_{line}"));
        self.basic(
            Guard::Always,
            vec![Action::Assign { place: counter.clone(), value: Expr::Const(0) }],
            var.span,
        );
        let len = Expr::Channel(ChannelTest::Len, Box::new(channel.clone()));
        let guard = Guard::When(Expr::binary(BinaryOp::Lt, Expr::load(counter.clone()), len));
        let take = Action::Receive(Receive {
            channel: channel.clone(),
            patterns: parts.iter().cloned().map(Pattern::Bind).collect(),
            random: false,
            peek: false,
        });
        let put =
            Action::Send(Send { channel, args: parts.into_iter().map(Expr::load).collect(), sorted: false });
        Some(self.guarded_loop(guard, vec![take, put], counter, var.span, body))
    }

    /// `select (v : from .. to)`: a choice among few constants, otherwise a loop that may stop at any value.
    pub(super) fn select(
        &mut self,
        var: &VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
    ) -> Option<NodeKind> {
        let place = self.countable(var)?;
        let (from_value, to_value) = (self.condition(from), self.condition(to));
        // As in SPIN, only literal bounds make a plain choice (`n - 1` does not, whatever it is), and none in an inline.
        let in_inline = self.sources.expansion_chain(span).iter().any(|e| e.kind == ExpansionKind::Inline);
        if let (Expr::Const(low), Expr::Const(high)) = (&from_value, &to_value) {
            let (low, high) = (*low, *high);
            if low > high {
                self.error(from.span.to(to.span), format!("the range {low} .. {high} is empty"));
                return None;
            }
            if !in_inline && high.saturating_sub(low) <= SELECT_WIDTH_MAX {
                let mut options = Vec::new();
                for value in low..=high {
                    self.body().flow.open();
                    let NodeKind::Basic { guard, actions } =
                        simple(Action::Assign { place: place.clone(), value: Expr::Const(value) })
                    else {
                        unreachable!("an assignment is a basic statement")
                    };
                    self.basic(guard, actions, span);
                    options.push(self.body().flow.close());
                }
                return Some(NodeKind::Choice { options, exit: None });
            }
        }
        self.basic(Guard::Always, vec![Action::Assign { place: place.clone(), value: from_value }], span);
        let exit = self.open_loop();
        self.body().flow.open();
        let guard = Guard::When(Expr::binary(BinaryOp::Lt, Expr::load(place.clone()), to_value));
        self.basic(guard, Vec::new(), span);
        let value = Expr::binary(BinaryOp::Add, Expr::load(place.clone()), Expr::Const(1));
        self.basic(Guard::Always, vec![Action::Assign { place, value }], span);
        let turn = self.body().flow.close();
        let leave = self.leaving_option(Guard::Always, exit, span);
        self.body().loops.pop();
        // As in SPIN the way out is numbered last, but tried first. In a `D_proctype` that tells: a step is watched for
        // company before it, and a jump is not.
        Some(NodeKind::Choice { options: vec![leave, turn], exit: Some(exit) })
    }
}
