//! Which features a model uses, found by looking at the model itself, to know what the generator covers.

use crate::ast::*;
use crate::visit::{self, Visitor};
use std::collections::BTreeSet;

/// Every feature that [`Model::features`] can name.
pub const FEATURES: &[&str] = &[
    "bit",
    "bool",
    "byte",
    "pid",
    "short",
    "int",
    "unsigned",
    "mtype",
    "mtype:sub",
    "record",
    "chan",
    "array",
    "record-array",
    "nested-record",
    "channel-in-record",
    "hidden",
    "local",
    "show",
    "initialiser",
    "list-initialiser",
    "computed-initialiser",
    "block-scope",
    "name-reuse",
    "buffered",
    "rendezvous",
    "channel-array",
    "channel-field",
    "record-field",
    "channel-parameter",
    "channel-variable",
    "xr",
    "xs",
    "send",
    "sorted-send",
    "receive",
    "random-receive",
    "peek",
    "random-peek",
    "poll",
    "random-poll",
    "rendezvous-poll",
    "header-form",
    "constant-pattern",
    "eval",
    "anything-pattern",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "active",
    "active[n]",
    "D_proctype",
    "init",
    "run",
    "run-in-expression",
    "parameters",
    "provided",
    "priority",
    "run-priority",
    "get_priority",
    "set_priority",
    "_pid",
    "_nr_pr",
    "_last",
    "++",
    "--",
    "unary -",
    "~",
    "!",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "conditional",
    "wide-constant",
    "skip",
    "printf",
    "assert",
    "if",
    "do",
    "else",
    "break",
    "goto",
    "label",
    "end-label",
    "accept-label",
    "progress-label",
    "atomic",
    "d_step",
    "unless",
    "nested-unless",
    "for-range",
    "for-array",
    "for-channel",
    "select",
    "inline",
    "timeout",
    "remote-label",
    "remote-var",
    "enabled",
    "pc_value",
    "np_",
    "trace",
    "notrace",
    "macro",
    "function-macro",
    "#if",
    "never",
    "ltl",
];

impl Model {
    /// Is it the name of a global channel without slots?
    fn is_rendezvous(&self, name: &str) -> bool {
        let found = self.globals.iter().find(|d| d.name == name);
        found.is_some_and(|d| matches!(d.init, Some(Init::Chan { capacity: 0, .. })))
    }

    /// The features the model uses, each one of [`FEATURES`].
    pub fn features(&self) -> BTreeSet<&'static str> {
        let mut f = Found { model: self, names: BTreeSet::new(), declared: BTreeSet::new() };
        visit::model(self, &mut f);
        for p in &self.procs {
            f.proc(p);
        }
        for (present, name) in [
            (self.macros.iter().any(|m| m.params.is_empty()), "macro"),
            (self.macros.iter().any(|m| !m.params.is_empty()), "function-macro"),
            (self.trace.as_ref().is_some_and(|t| !t.negated), "trace"),
            (self.trace.as_ref().is_some_and(|t| t.negated), "notrace"),
            (self.claims.iter().any(|c| matches!(c, Claim::Never(_))), "never"),
            (self.claims.iter().any(|c| matches!(c, Claim::Ltl { .. })), "ltl"),
            (self.records.iter().flat_map(|r| &r.fields).any(|d| d.ty == Ty::Chan), "channel-in-record"),
            (
                self.records.iter().flat_map(|r| &r.fields).any(|d| matches!(d.ty, Ty::Record(_))),
                "nested-record",
            ),
        ] {
            f.add_if(present, name);
        }
        f.names
    }
}

struct Found<'a> {
    model: &'a Model,
    names: BTreeSet<&'static str>,
    declared: BTreeSet<String>,
}

impl Found<'_> {
    fn add(&mut self, name: &'static str) {
        debug_assert!(FEATURES.contains(&name), "{name} is not listed");
        self.names.insert(name);
    }

    fn add_if(&mut self, present: bool, name: &'static str) {
        if present {
            self.add(name);
        }
    }

    /// Adds the feature whose name is the word itself, if it is one.
    fn add_word(&mut self, word: &str) {
        if let Some(name) = FEATURES.iter().find(|f| **f == word) {
            self.names.insert(name);
        }
    }

    fn proc(&mut self, p: &Proc) {
        self.add_if(p.active == Some(1), "active");
        self.add_if(p.active.is_some_and(|n| n > 1), "active[n]");
        self.add_if(p.kind == ProcKind::Deterministic, "D_proctype");
        self.add_if(p.kind == ProcKind::Init, "init");
        self.add_if(!p.params.is_empty(), "parameters");
        self.add_if(p.params.iter().any(|(t, _)| *t == Ty::Chan), "channel-parameter");
        self.add_if(p.provided.is_some(), "provided");
        self.add_if(p.priority.is_some(), "priority");
    }

    fn ty(&mut self, ty: &Ty) {
        self.add(match ty {
            Ty::Bit => "bit",
            Ty::Bool => "bool",
            Ty::Byte => "byte",
            Ty::Pid => "pid",
            Ty::Short => "short",
            Ty::Int => "int",
            Ty::Unsigned(_) => "unsigned",
            Ty::Mtype(None) => "mtype",
            Ty::Mtype(Some(_)) => "mtype:sub",
            Ty::Record(_) => "record",
            Ty::Chan => "chan",
        });
    }
}

impl Visitor for Found<'_> {
    fn decl(&mut self, d: &VarDecl) {
        self.ty(&d.ty);
        let array = d.size.is_some();
        match (&d.ty, array) {
            (Ty::Chan, true) => self.add("channel-array"),
            (Ty::Record(_), true) => self.add("record-array"),
            (_, true) => self.add("array"),
            _ => {}
        }
        self.add_if(d.pp_if.is_some(), "#if");
        match d.vis {
            Vis::Plain => {}
            Vis::Hidden => self.add("hidden"),
            Vis::Local => self.add("local"),
            Vis::Show => self.add("show"),
        }
        match &d.init {
            None => {}
            Some(Init::Expr(e)) => {
                self.add("initialiser");
                self.add_if(d.ty == Ty::Chan, "channel-variable");
                self.add_if(
                    d.ty != Ty::Chan && !matches!(e, Expr::Const(_) | Expr::Name(_)),
                    "computed-initialiser",
                );
            }
            Some(Init::List(_)) => self.add("list-initialiser"),
            Some(Init::Chan { capacity, fields }) => {
                self.add(if *capacity == 0 { "rendezvous" } else { "buffered" });
                self.add_if(fields.contains(&Ty::Chan), "channel-field");
                self.add_if(fields.iter().any(|t| matches!(t, Ty::Record(_))), "record-field");
            }
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Expr(_) => {}
            Stmt::Else => self.add("else"),
            Stmt::Skip => self.add("skip"),
            Stmt::Break => self.add("break"),
            Stmt::Goto(_) => self.add("goto"),
            Stmt::Assign(_, e) => self.add_if(matches!(e, Expr::Run { .. }), "run-in-expression"),
            Stmt::Inc(_) => self.add("++"),
            Stmt::Dec(_) => self.add("--"),
            Stmt::Send { sorted, header, args, .. } => {
                self.add(if *sorted { "sorted-send" } else { "send" });
                self.add_if(*header && args.len() > 1, "header-form");
            }
            Stmt::Recv { random, peek, header, args, .. } => {
                self.add(
                    ["receive", "random-receive", "peek", "random-peek"]
                        [usize::from(*random) + 2 * usize::from(*peek)],
                );
                self.add_if(*header && args.len() > 1, "header-form");
            }
            Stmt::Printf(..) => self.add("printf"),
            Stmt::Assert(_) => self.add("assert"),
            Stmt::SetPriority(..) => self.add("set_priority"),
            Stmt::Exclusive(word, _) => self.add_word(word),
            Stmt::Decl(d) => {
                let again = !self.declared.insert(d.name.clone());
                self.add_if(again, "name-reuse");
            }
            Stmt::If(_) => self.add("if"),
            Stmt::Do(_) => self.add("do"),
            Stmt::Atomic(_) => self.add("atomic"),
            Stmt::DStep(_) => self.add("d_step"),
            Stmt::Block(body) => self.add_if(body.iter().any(|s| matches!(s, Stmt::Decl(_))), "block-scope"),
            Stmt::Unless(main, _) => {
                self.add("unless");
                let nested =
                    matches!(&**main, Stmt::Block(b) if b.iter().any(|s| matches!(s, Stmt::Unless(..))));
                self.add_if(nested, "nested-unless");
            }
            Stmt::ForRange { .. } => self.add("for-range"),
            Stmt::ForIn { over, .. } => {
                let channel = self.model.globals.iter().any(|g| g.name == over.segs[0].0 && g.ty == Ty::Chan);
                self.add(if channel { "for-channel" } else { "for-array" });
            }
            Stmt::Select { .. } => self.add("select"),
            Stmt::InlineCall(..) => self.add("inline"),
            Stmt::Label(l, _) => self.add(match () {
                _ if l.starts_with("end") => "end-label",
                _ if l.starts_with("accept") => "accept-label",
                _ if l.starts_with("progress") => "progress-label",
                _ => "label",
            }),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(n) => self.add_if(*n > 255 || *n < 0, "wide-constant"),
            Expr::Name(n) => self.add_word(n),
            Expr::Var(v) => self.add_word(&v.segs[0].0),
            Expr::Unary("-", _) => self.add("unary -"),
            Expr::Unary(op, _) | Expr::Binary(op, ..) => self.add_word(op),
            Expr::Cond(..) => self.add("conditional"),
            Expr::Call(name, _) => self.add_word(name),
            Expr::Run { priority, .. } => {
                self.add("run");
                self.add_if(priority.is_some(), "run-priority");
            }
            Expr::Poll { chan, random, .. } => {
                self.add(if *random { "random-poll" } else { "poll" });
                self.add_if(self.model.is_rendezvous(&chan.segs[0].0), "rendezvous-poll");
            }
            Expr::RemoteLabel { .. } => self.add("remote-label"),
            Expr::RemoteVar { .. } => self.add("remote-var"),
        }
    }

    fn recv_arg(&mut self, a: &RecvArg) {
        match a {
            RecvArg::Const(_) => self.add("constant-pattern"),
            RecvArg::Eval(_) => self.add("eval"),
            RecvArg::Any => self.add("anything-pattern"),
            RecvArg::Var(_) => {}
        }
    }
}
