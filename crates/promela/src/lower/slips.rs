//! Warnings about statements that do something else than they seem to.

use super::Lowering;
use super::process::Body;
use crate::ast::{self, BinaryOp, Block, ExprKind, Item, StmtKind, VarRef};
use panoptes_source::{Diagnostic, Span, Warning};

impl Lowering<'_> {
    /// `:: x = 1 -> …`: an assignment is always possible and keeps nobody from taking the option. As a choice among
    /// values, `if :: x = 1 :: x = 2 fi`, it is what people mean.
    pub(super) fn warn_of_assigning_guards(&mut self, options: &[Block]) {
        let is_else = |block: &Block| matches!(block.stmts.first().map(|s| &s.kind), Some(StmtKind::Else));
        let has_else = options.iter().any(is_else);
        let tested: Vec<&str> = options.iter().filter_map(tested_variable).collect();
        for option in options {
            let Some(first) = option.stmts.first() else { continue };
            let StmtKind::Assign { target, value } = &first.kind else { continue };
            let is_constant = matches!(value.kind, ExprKind::Int(_)) || self.is_constant_name(value);
            let is_suspect = has_else || option.arrow && is_constant && tested.contains(&&*target.name.name);
            if !is_suspect {
                continue;
            }
            let name = self.sources.snippet(target.span).to_string();
            let message = "this guard is an assignment: it is always executable";
            let value = self.sources.snippet(value.span).to_string();
            let help = format!("to ask for the value, write `{name} == {value}`");
            let mut warning = Diagnostic::warning(Warning::AssignmentGuard, first.span, message).help(help);
            if let Some(otherwise) = options.iter().find(|option| is_else(option)) {
                warning = warning.label(otherwise.stmts[0].span, "so `else` is never taken");
            }
            self.report(warning);
        }
    }

    /// `else` in the middle of an option: the `::` before it is missing.
    pub(super) fn warn_of_stray_else(&mut self, span: Span) {
        let message = "this `else` begins no option: it stands between statements and does nothing";
        let help = "an option begins with `::`: write `:: else -> …`";
        self.report(Diagnostic::warning(Warning::StrayElse, span, message).help(help));
    }

    fn is_constant_name(&self, value: &ast::Expr) -> bool {
        let ExprKind::Ref(var) = &value.kind else { return false };
        self.find_var(&var.name.name).is_none() && self.symbols.constants.contains_key(&var.name.name)
    }

    /// As many values as conversions. SPIN's `printf` knows no widths and no other letters.
    pub(super) fn check_printf(&mut self, format: &str, given: usize, span: Span) {
        let mut wanted = 0;
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                continue;
            }
            match letters.next() {
                Some('c' | 'd' | 'e' | 'o' | 'u' | 'x') => wanted += 1,
                Some('%') => {}
                other => {
                    let other = other.map_or(String::new(), |letter| letter.to_string());
                    let message = format!("`printf` has no conversion `%{}`", other.escape_default());
                    let help = "there are %d, %u, %x, %o, %c, %e (the name of an mtype value) and %%";
                    self.report(Diagnostic::warning(Warning::PrintfArguments, span, message).help(help));
                    return;
                }
            }
        }
        if wanted == given {
            return;
        }
        let values = |count: usize| match count {
            1 => "1 value".to_string(),
            count => format!("{count} values"),
        };
        let message = format!(
            "this format prints {}, but {} given",
            values(wanted),
            match given {
                1 => "1 is".to_string(),
                given => format!("{given} are"),
            }
        );
        let help = match wanted < given {
            true => "write a `%d` for each value",
            false => "each `%d` in the format needs a value after it; a missing one is printed as 0",
        };
        self.report(Diagnostic::warning(Warning::PrintfArguments, span, message).help(help));
    }

    /// `c!x && y` sends one value, that of the condition.
    pub(super) fn check_sent_condition(&mut self, chan: &VarRef, args: &[ast::Expr]) {
        for arg in args {
            let is_condition = matches!(arg.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
            // In parentheses it is meant as a value.
            if !is_condition || self.sources.snippet(arg.span).starts_with('(') {
                continue;
            }
            let channel = self.sources.snippet(chan.span).to_string();
            let message =
                format!("what is sent is the value of the condition `{}`", self.statement_text(arg.span));
            let help = format!(
                "a send is a statement: write `condition -> {channel}!message`; if the value is meant, put it into \
                 parentheses"
            );
            self.report(Diagnostic::warning(Warning::ConditionSent, arg.span, message).help(help));
        }
    }

    /// A label before `for` names the loop behind its initialisation, as in SPIN.
    pub(super) fn check_labelled_loops(&mut self, body: &Body) {
        use super::flow::{ElementKind, Jump};
        for element in &body.flow.elements {
            let ElementKind::Jump(Jump::Label { name, span, .. }) = &element.kind else { continue };
            let Some((label, word)) = body.loop_labels.get(name) else { continue };
            let message = format!("this jump skips the initialisation of the `{word}` at `{name}`");
            let warning = Diagnostic::warning(Warning::LabelBeforeFor, *span, message)
                .label(*label, "the label stands behind the first assignment of the loop variable")
                .help(format!("write `{name}: skip; {word} (…)`, so that the loop begins anew"));
            self.report(warning);
        }
    }

    /// A process type that nobody starts.
    pub(super) fn warn_of_unused_processes(&mut self, module: &ast::Module) {
        if self.has_errors() {
            // A `run` may have been lost with what was wrong around it.
            return;
        }
        for item in &module.items {
            let Item::Proctype(proctype) = item else { continue };
            let is_started = proctype.active.is_some() || proctype.is_init;
            if is_started || self.started.contains(&proctype.name.name) {
                continue;
            }
            let name = &proctype.name.name;
            let message = format!("process `{name}` is never started");
            let help = format!("start it with `run {name}(…)`, or write `active proctype {name}()`");
            self.report(Diagnostic::warning(Warning::UnusedProcess, proctype.name.span, message).help(help));
        }
    }
}

/// The variable that an option begins with a comparison of.
fn tested_variable(option: &Block) -> Option<&str> {
    let StmtKind::Expr(expr) = &option.stmts.first()?.kind else { return None };
    let ExprKind::Binary(op, left, _) = &expr.kind else { return None };
    let is_comparison =
        matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
    match &left.kind {
        ExprKind::Ref(var) if is_comparison => Some(&*var.name.name),
        _ => None,
    }
}
