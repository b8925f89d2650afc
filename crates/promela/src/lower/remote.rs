//! Other processes: starting them, and looking into them from outside.

use super::Lowering;
use super::place::Target;
use super::process::Role;
use crate::ast::{self, VarRef};
use panoptes_model::{Expr, Place, ProcId, Region, ScalarType, Spawn};
use panoptes_source::{Diagnostic, Span, Warning, did_you_mean};

impl Lowering<'_> {
    pub(super) fn spawn(
        &mut self,
        name: &ast::Ident,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
        span: Span,
    ) -> Option<Spawn> {
        match &self.current {
            Some(body) if body.role == Role::Claim => {
                self.report_acting_claim(span);
                return None;
            }
            Some(body) if body.in_d_step => {
                let diagnostic = Diagnostic::error(span, "`run` inside a d_step")
                    .help("start processes in an `atomic` sequence instead");
                self.report(diagnostic);
                return None;
            }
            Some(_) => {}
            None => {
                let diagnostic = Diagnostic::error(span, "`run` outside a process")
                    .help("start processes from `init`, or declare them `active`");
                self.report(diagnostic);
                return None;
            }
        }
        let signature = self.signature(name)?;
        self.started.insert(name.name.clone());
        let args = self.message(args);
        if args.len() != signature.params {
            let count = |n: usize| format!("{n} {}", if n == 1 { "parameter" } else { "parameters" });
            let message = format!("`{}` takes {}, not {}", name.name, count(signature.params), args.len());
            self.report(Diagnostic::error(span, message).label(signature.span, "declared here"));
            return None;
        }
        let priority = priority.map(|priority| {
            self.model.uses_priorities = true;
            let value = self.condition(priority);
            if matches!(value, Expr::Const(value) if !(0..=255).contains(&value)) {
                self.report_priority(priority.span);
            }
            value
        });
        Some(Spawn { process: signature.id, args, priority })
    }

    pub(super) fn report_priority(&mut self, span: Span) {
        let diagnostic = Diagnostic::error(span, "a priority is a number in 1..255").help("255 runs first");
        self.report(diagnostic);
    }

    fn signature(&mut self, name: &ast::Ident) -> Option<crate::resolve::Signature> {
        if let Some(signature) = self.symbols.processes.get(&name.name) {
            return Some(signature.clone());
        }
        let diagnostic = Diagnostic::error(name.span, format!("there is no proctype `{}`", name.name));
        let mut names: Vec<&str> = self.symbols.processes.keys().map(|name| &**name).collect();
        names.retain(|name| *name != "init");
        names.sort_unstable();
        let meant = did_you_mean(&name.name, names.iter().copied());
        let diagnostic = match names.is_empty() {
            _ if meant.is_some() => diagnostic.help_if(meant),
            true => diagnostic,
            false => diagnostic.help(format!("the process types are {}", names.join(", "))),
        };
        self.report(diagnostic.code("unknown-name"));
        None
    }

    fn remote_pid(&mut self, process: &ast::Ident, index: Option<&ast::Expr>) -> Option<(ProcId, Expr)> {
        let signature = self.signature(process)?;
        let pid = match index {
            Some(index) => self.condition(index),
            None => Expr::PidOf(signature.id),
        };
        Some((signature.id, pid))
    }

    pub(super) fn remote_label(
        &mut self,
        process: &ast::Ident,
        index: Option<&ast::Expr>,
        label: &ast::Ident,
    ) -> Expr {
        let Some((id, pid)) = self.remote_pid(process, index) else { return Expr::Const(0) };
        self.points_forward = true;
        self.symbols.remote_labels.insert((process.name.clone(), label.name.clone()));
        let anatomy = self.symbols.anatomy.get(&process.name);
        let known = anatomy.and_then(|anatomy| anatomy.labels.get(&label.name)).copied();
        match known {
            Some(Some(state)) => {
                Expr::AtState { process: id, pid: Box::new(pid), state, label: label.name.to_string() }
            }
            Some(None) if self.anatomy_complete => {
                let message = format!("no process ever stands at `{}`: this is always false", label.name);
                let help = "its statement cannot be reached, or is passed in the middle of a d_step";
                self.report(Diagnostic::warning(Warning::AlwaysFalse, label.span, message).help(help));
                Expr::Const(0)
            }
            None if self.anatomy_complete => {
                let names = anatomy.map(|anatomy| sorted(anatomy.labels.keys())).unwrap_or_default();
                let message = format!("`{}` has no label `{}`", process.name, label.name);
                self.report_with_names(Diagnostic::error(label.span, message), "labels", &names);
                Expr::Const(0)
            }
            _ => Expr::Const(0),
        }
    }

    pub(super) fn remote_var(
        &mut self,
        process: &ast::Ident,
        index: Option<&ast::Expr>,
        var: &VarRef,
    ) -> Expr {
        let Some((id, pid)) = self.remote_pid(process, index) else { return Expr::Const(0) };
        let anatomy = self.symbols.anatomy.get(&process.name);
        let known = anatomy.and_then(|anatomy| anatomy.locals.get(&var.name.name));
        let Some(found) = known.cloned() else {
            if self.anatomy_complete {
                let names = anatomy.map(|anatomy| sorted(anatomy.locals.keys())).unwrap_or_default();
                let message = format!("`{}` has no variable `{}`", process.name, var.name.name);
                self.report_with_names(Diagnostic::error(var.name.span, message), "variables", &names);
            }
            self.points_forward = true;
            return Expr::Const(0);
        };
        let start = Place {
            region: Region::Local,
            offset: found.offset,
            ty: ScalarType::BYTE,
            indices: Vec::new(),
            name: found.name.to_string(),
        };
        match self.follow(var, start, found.ty, found.array) {
            Some(Target::Scalar(place, _)) => {
                Expr::Remote { process: id, pid: Box::new(pid), place: Box::new(place) }
            }
            Some(target) => {
                self.report_not_single(var, &target);
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    /// Reports with a help line that lists what there is, if that is not too much.
    fn report_with_names(&mut self, diagnostic: Diagnostic, what: &str, names: &[String]) {
        let meant = did_you_mean(self.sources.snippet(diagnostic.span), names.iter().map(String::as_str));
        let diagnostic = match names.len() {
            _ if meant.is_some() => diagnostic.help_if(meant),
            0 => diagnostic.help(format!("it has no {what}")),
            1..=12 => diagnostic.help(format!("its {what} are {}", names.join(", "))),
            _ => diagnostic,
        };
        self.report(diagnostic);
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a ast::Name>) -> Vec<String> {
    let mut names: Vec<String> = names.map(|name| name.to_string()).collect();
    names.sort();
    names
}
