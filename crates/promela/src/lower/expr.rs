//! Expressions.

use super::Lowering;
use super::place::Target;
use super::process::Role;
use crate::ast::{self, ChanTest, ExprKind, VarRef};
use crate::with_stack;
use panoptes_model::{ChannelTest, Expr, Receive};
use panoptes_source::{Diagnostic, Warning};

impl Lowering<'_> {
    /// An expression whose value is assigned, sent, printed or compared; processes may be created in it.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Expr {
        with_stack(|| self.value_nested(expr))
    }

    fn value_nested(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Int(value) => match i32::try_from(*value) {
                Ok(value) => Expr::Const(value),
                Err(_) if u32::try_from(*value).is_ok() => Expr::Const(*value as u32 as i32),
                Err(_) => {
                    self.error(expr.span, format!("the number {value} does not fit 32 bits"));
                    Expr::Const(0)
                }
            },
            ExprKind::Ref(var) => self.reference(var),
            ExprKind::Unary(op, operand) => Expr::Unary(*op, Box::new(self.value(operand))),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.check_comparison(*op, &left, &right, expr);
                Expr::binary(*op, left, right)
            }
            ExprKind::Cond(condition, then, otherwise) => Expr::Cond(
                Box::new(self.value(condition)),
                Box::new(self.value(then)),
                Box::new(self.value(otherwise)),
            ),
            ExprKind::Run { name, args, priority } => {
                let spawn = self.spawn(name, args, priority.as_deref(), expr.span);
                spawn.map_or(Expr::Const(0), |spawn| Expr::Spawn(Box::new(spawn)))
            }
            ExprKind::ChanTest(test, chan) => {
                let test = match test {
                    ChanTest::Len => ChannelTest::Len,
                    ChanTest::Empty => ChannelTest::Empty,
                    ChanTest::Nempty => ChannelTest::NotEmpty,
                    ChanTest::Full => ChannelTest::Full,
                    ChanTest::Nfull => ChannelTest::NotFull,
                };
                Expr::Channel(test, Box::new(self.channel(chan)))
            }
            ExprKind::Poll { chan, random, args } => {
                let channel = self.channel(chan);
                let patterns = self.patterns(args);
                Expr::Poll(Box::new(Receive { channel, patterns, random: *random, peek: true }))
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::Np => {
                if self.current.as_ref().is_some_and(|body| body.role != Role::Claim) {
                    let diagnostic =
                        Diagnostic::error(expr.span, "`np_` outside a never claim or ltl formula")
                            .help("whether progress is made is a question about the whole system");
                    self.report(diagnostic);
                }
                Expr::NonProgress
            }
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.value(pid))),
            ExprKind::PcValue(pid) => Expr::ControlPoint(Box::new(self.value(pid))),
            ExprKind::GetPriority(pid) => {
                self.model.uses_priorities = true;
                Expr::Priority(Box::new(self.value(pid)))
            }
            ExprKind::RemoteLabel { process, index, label } => {
                self.remote_label(process, index.as_deref(), label)
            }
            ExprKind::RemoteVar { process, index, var } => self.remote_var(process, index.as_deref(), var),
        }
    }

    /// An expression that only looks: a guard, an assertion, an index.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Expr {
        let value = self.value(expr);
        if value.any(&|e| matches!(e, Expr::Spawn(_))) {
            let diagnostic = Diagnostic::error(expr.span, "`run` inside a larger expression")
                .help("`run` can be a statement of its own or the value of an assignment");
            self.report(diagnostic);
            return Expr::Const(1);
        }
        value
    }

    /// Is this code of a process, and not a claim, formula or global initial value?
    fn has_executing_process(&self) -> bool {
        self.current.as_ref().is_some_and(|body| matches!(body.role, Role::Proctype | Role::Init))
    }

    pub(super) fn reference(&mut self, var: &VarRef) -> Expr {
        if self.find_var(&var.name.name).is_none() {
            if let Some((value, _)) = self.symbols.constants.get(&var.name.name) {
                return Expr::Const(*value);
            }
            match &*var.name.name {
                name @ ("_pid" | "_priority") if !self.has_executing_process() => {
                    let message = format!("`{name}` is 0 here: no process executes this");
                    let help = "to speak of a process, write `P:variable` or `P@label`";
                    self.report(
                        Diagnostic::warning(Warning::NoExecutingProcess, var.span, message).help(help),
                    );
                    return Expr::Const(0);
                }
                "_pid" => return Expr::SelfPid,
                "_nr_pr" => return Expr::ProcessCount,
                "_last" => {
                    self.uses_last = true;
                    return Expr::LastPid;
                }
                "_priority" => {
                    self.model.uses_priorities = true;
                    return Expr::Priority(Box::new(Expr::SelfPid));
                }
                _ => {}
            }
        }
        match self.target(var) {
            Some(Target::Scalar(place, _)) => Expr::load(place),
            Some(target) => {
                self.report_not_single(var, &target);
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }
}
