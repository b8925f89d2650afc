//! Walks over every statement and expression of a model.

use crate::ast::*;

/// What a walk meets; every method may be left out.
pub trait Visitor {
    fn stmt(&mut self, _s: &Stmt) {}
    fn expr(&mut self, _e: &Expr) {}
    fn lvalue(&mut self, _v: &LValue) {}
    fn decl(&mut self, _d: &VarDecl) {}
    fn recv_arg(&mut self, _a: &RecvArg) {}
}

/// Walks over the whole model.
pub fn model(m: &Model, v: &mut dyn Visitor) {
    m.macros.iter().for_each(|x| expr(&x.body, v));
    m.records.iter().flat_map(|r| &r.fields).for_each(|d| decl(d, v));
    m.globals.iter().for_each(|d| decl(d, v));
    m.inlines.iter().for_each(|i| seq(&i.body, v));
    for p in &m.procs {
        p.provided.iter().for_each(|e| expr(e, v));
        seq(&p.body, v);
    }
    m.trace.iter().for_each(|t| seq(&t.body, v));
    for c in &m.claims {
        match c {
            Claim::Never(body) => seq(body, v),
            Claim::Ltl { formula: f, .. } => formula(f, v),
        }
    }
}

fn formula(f: &Formula, v: &mut dyn Visitor) {
    match f {
        Formula::Atom(e) => expr(e, v),
        Formula::Unary(_, a) => formula(a, v),
        Formula::Binary(_, a, b) => {
            formula(a, v);
            formula(b, v);
        }
    }
}

fn decl(d: &VarDecl, v: &mut dyn Visitor) {
    v.decl(d);
    match &d.init {
        Some(Init::Expr(e)) => expr(e, v),
        Some(Init::List(es)) => es.iter().for_each(|e| expr(e, v)),
        Some(Init::Chan { .. }) | None => {}
    }
}

/// Walks over a sequence of statements.
pub fn seq(body: &[Stmt], v: &mut dyn Visitor) {
    body.iter().for_each(|s| stmt(s, v));
}

fn stmt(s: &Stmt, v: &mut dyn Visitor) {
    v.stmt(s);
    match s {
        Stmt::Expr(e) | Stmt::Assert(e) => expr(e, v),
        Stmt::Else | Stmt::Skip | Stmt::Break | Stmt::Goto(_) | Stmt::Exclusive(..) => {}
        Stmt::Assign(l, e) => {
            lvalue(l, v);
            expr(e, v);
        }
        Stmt::Inc(l) | Stmt::Dec(l) => lvalue(l, v),
        Stmt::Send { chan, args, .. } => {
            lvalue(chan, v);
            args.iter().for_each(|e| expr(e, v));
        }
        Stmt::Recv { chan, args, .. } => {
            lvalue(chan, v);
            recv_args(args, v);
        }
        Stmt::Printf(_, args) | Stmt::InlineCall(_, args) => args.iter().for_each(|e| expr(e, v)),
        Stmt::SetPriority(a, b) => {
            expr(a, v);
            expr(b, v);
        }
        Stmt::Decl(d) => decl(d, v),
        Stmt::If(options) | Stmt::Do(options) => options.iter().for_each(|o| seq(o, v)),
        Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) => seq(body, v),
        Stmt::Unless(a, b) => {
            stmt(a, v);
            stmt(b, v);
        }
        Stmt::ForRange { var, from, to, body } => {
            lvalue(var, v);
            expr(from, v);
            expr(to, v);
            seq(body, v);
        }
        Stmt::ForIn { var, over, body } => {
            lvalue(var, v);
            lvalue(over, v);
            seq(body, v);
        }
        Stmt::Select { var, from, to } => {
            lvalue(var, v);
            expr(from, v);
            expr(to, v);
        }
        Stmt::Label(_, s) => stmt(s, v),
    }
}

fn lvalue(l: &LValue, v: &mut dyn Visitor) {
    v.lvalue(l);
    l.segs.iter().filter_map(|(_, i)| i.as_ref()).for_each(|e| expr(e, v));
}

fn recv_args(args: &[RecvArg], v: &mut dyn Visitor) {
    for a in args {
        v.recv_arg(a);
        match a {
            RecvArg::Const(e) | RecvArg::Eval(e) => expr(e, v),
            RecvArg::Var(l) => lvalue(l, v),
            RecvArg::Any => {}
        }
    }
}

/// Walks over an expression.
pub fn expr(e: &Expr, v: &mut dyn Visitor) {
    v.expr(e);
    match e {
        Expr::Const(_) | Expr::Name(_) => {}
        Expr::Var(l) => lvalue(l, v),
        Expr::Unary(_, a) => expr(a, v),
        Expr::Binary(_, a, b) => {
            expr(a, v);
            expr(b, v);
        }
        Expr::Cond(c, a, b) => {
            expr(c, v);
            expr(a, v);
            expr(b, v);
        }
        Expr::Call(_, args) | Expr::Run { args, .. } => args.iter().for_each(|a| expr(a, v)),
        Expr::Poll { chan, args, .. } => {
            lvalue(chan, v);
            recv_args(args, v);
        }
        Expr::RemoteLabel { pid, .. } => pid.iter().for_each(|e| expr(e, v)),
        Expr::RemoteVar { pid, var, .. } => {
            pid.iter().for_each(|e| expr(e, v));
            lvalue(var, v);
        }
    }
}
