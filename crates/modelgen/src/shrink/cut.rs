//! One cut in a model: the walk over statements and expressions that finds its place.

use super::Used;
use crate::ast::*;

/// Counts down the places passed on a walk, and says where to cut.
pub struct Cut {
    left: Option<usize>,
}

impl Cut {
    /// The cut at place number `number`.
    pub fn new(number: usize) -> Cut {
        Cut { left: Some(number) }
    }

    /// Whether the walk met the place.
    pub fn made(&self) -> bool {
        self.left.is_none()
    }

    /// Whether this is the place; asked once at every place.
    pub fn here(&mut self) -> bool {
        match self.left {
            Some(0) => {
                self.left = None;
                true
            }
            Some(n) => {
                self.left = Some(n - 1);
                false
            }
            None => false,
        }
    }

    /// Drops one of the items that may go.
    pub fn drop_one<T>(&mut self, items: &mut Vec<T>, may: impl Fn(&T) -> bool) {
        if let Some(i) = (0..items.len()).find(|&i| may(&items[i]) && self.here()) {
            items.remove(i);
        }
    }

    /// Drops an optional part.
    pub fn drop_option<T>(&mut self, item: &mut Option<T>) {
        if item.is_some() && self.here() {
            *item = None;
        }
    }

    pub fn proc(&mut self, p: &mut Proc, used: &Used) {
        if p.active.is_some_and(|n| n > 1) && self.here() {
            p.active = p.active.map(|n| n - 1);
        }
        self.drop_option(&mut p.priority);
        self.drop_option(&mut p.provided);
        if p.kind == ProcKind::Deterministic && self.here() {
            p.kind = ProcKind::Plain;
        }
        p.provided.iter_mut().for_each(|e| self.expr(e));
        self.seq(&mut p.body, used);
    }

    pub fn decl(&mut self, d: &mut VarDecl) {
        if d.vis != Vis::Plain && self.here() {
            d.vis = Vis::Plain;
        }
        self.drop_option(&mut d.pp_if);
        if !matches!(d.init, Some(Init::Chan { .. })) {
            self.drop_option(&mut d.init);
        }
        match &mut d.init {
            Some(Init::Chan { capacity, .. }) if *capacity > 1 && self.here() => *capacity -= 1,
            Some(Init::Expr(e)) => self.expr(e),
            _ => {}
        }
        let narrow = !matches!(d.ty, Ty::Record(_) | Ty::Chan | Ty::Mtype(_) | Ty::Byte | Ty::Bit);
        if narrow && self.here() {
            d.ty = Ty::Byte;
        }
    }

    /// Cuts in a sequence: drops a statement, opens a compound one, or goes inside.
    pub fn seq(&mut self, body: &mut Vec<Stmt>, used: &Used) {
        let declared = |s: &Stmt| !matches!(s, Stmt::Decl(d) if used.has(&d.name)) && !is_target(s, used);
        let nothing = body.len() == 1 && body[0] == Stmt::Skip;
        if !nothing {
            self.drop_one(body, declared);
        }
        let mut i = 0;
        while i < body.len() {
            if let Some(inside) = self.open(&body[i], used) {
                body.splice(i..=i, inside);
                return;
            }
            self.stmt(&mut body[i], used);
            i += 1;
        }
    }

    /// What a compound statement may be replaced by, if this is the place.
    fn open(&mut self, s: &Stmt, used: &Used) -> Option<Vec<Stmt>> {
        match s {
            Stmt::If(options) | Stmt::Do(options) => {
                options.iter().find(|_| self.here()).map(|o| without_else(o))
            }
            Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) => self.here().then(|| body.clone()),
            Stmt::ForRange { body, .. } | Stmt::ForIn { body, .. } => self.here().then(|| body.clone()),
            Stmt::Unless(main, escape) => {
                if self.here() {
                    return Some(vec![(**main).clone()]);
                }
                self.here().then(|| vec![(**escape).clone()])
            }
            Stmt::Label(l, inner) if !used.has(l) => self.here().then(|| vec![(**inner).clone()]),
            Stmt::Label(l, inner) => {
                // Only the statement behind a label that is used may go.
                (**inner != Stmt::Skip && self.here())
                    .then(|| vec![Stmt::Label(l.clone(), Box::new(Stmt::Skip))])
            }
            Stmt::Assign(v, e) if !matches!(e, Expr::Const(_)) => {
                self.here().then(|| vec![Stmt::Assign(v.clone(), Expr::Const(1))])
            }
            _ => None,
        }
    }

    fn stmt(&mut self, s: &mut Stmt, used: &Used) {
        match s {
            Stmt::Expr(e) | Stmt::Assert(e) | Stmt::Assign(_, e) => self.expr(e),
            Stmt::Send { sorted, header, args, .. } => {
                self.unset(sorted);
                self.unset(header);
                args.iter_mut().for_each(|e| self.expr(e));
            }
            Stmt::Recv { random, peek, header, args, .. } => {
                self.unset(random);
                self.unset(peek);
                self.unset(header);
                for a in args {
                    if *a != RecvArg::Any && self.here() {
                        *a = RecvArg::Any;
                    }
                }
            }
            Stmt::Printf(_, args) | Stmt::InlineCall(_, args) => args.iter_mut().for_each(|e| self.expr(e)),
            Stmt::Decl(d) => self.decl(d),
            Stmt::If(options) | Stmt::Do(options) => {
                if options.len() > 1 {
                    self.drop_one(options, |_| true);
                }
                options.iter_mut().for_each(|o| self.seq(o, used));
            }
            Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) => self.seq(body, used),
            Stmt::Unless(a, b) => {
                self.stmt(a, used);
                self.stmt(b, used);
            }
            Stmt::ForRange { from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.seq(body, used);
            }
            Stmt::ForIn { body, .. } => self.seq(body, used),
            Stmt::Select { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            Stmt::Label(_, inner) => self.stmt(inner, used),
            _ => {}
        }
    }

    fn unset(&mut self, flag: &mut bool) {
        if *flag && self.here() {
            *flag = false;
        }
    }

    /// Cuts in an expression: a constant, or one of its operands, in its place.
    pub fn expr(&mut self, e: &mut Expr) {
        let keep = matches!(e, Expr::Run { .. });
        for n in [0, 1] {
            if !keep && *e != Expr::Const(n) && self.here() {
                *e = Expr::Const(n);
                return;
            }
        }
        let operands: Vec<&Expr> = match e {
            Expr::Unary(_, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Cond(c, a, b) => vec![c, a, b],
            Expr::Call(_, args) => args.iter().collect(),
            _ => vec![],
        };
        if let Some(a) = operands.into_iter().find(|_| self.here()).cloned() {
            *e = a;
            return;
        }
        match e {
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(c, a, b) => {
                self.expr(c);
                self.expr(a);
                self.expr(b);
            }
            Expr::Call(_, args) => args.iter_mut().for_each(|a| self.expr(a)),
            Expr::Run { args, priority, .. } => {
                self.drop_option(priority);
                args.iter_mut().for_each(|a| self.expr(a));
            }
            Expr::Var(v) => {
                for (_, i) in &mut v.segs {
                    i.iter_mut().for_each(|e| self.expr(e));
                }
            }
            Expr::RemoteLabel { pid, .. } | Expr::RemoteVar { pid, .. } => self.drop_option(pid),
            _ => {}
        }
    }
}

/// Whether dropping the statement would drop a label that is used.
fn is_target(s: &Stmt, used: &Used) -> bool {
    match s {
        Stmt::Label(l, inner) => used.has(l) || is_target(inner, used),
        _ => false,
    }
}

/// The statements of an option that can stand alone: `else` and `break` mean nothing outside.
fn without_else(option: &[Stmt]) -> Vec<Stmt> {
    let kept: Vec<Stmt> = option.iter().filter(|s| !matches!(s, Stmt::Else | Stmt::Break)).cloned().collect();
    if kept.is_empty() { vec![Stmt::Skip] } else { kept }
}

/// Replaces every statement that runs the process by `skip`.
pub fn drop_runs(body: &mut [Stmt], name: &str) {
    each_stmt(body, &mut |s| {
        let runs = matches!(s, Stmt::Expr(Expr::Run { proc, .. }) | Stmt::Assign(_, Expr::Run { proc, .. })
            if proc == name);
        if runs {
            *s = Stmt::Skip;
        }
    });
}

/// Drops argument number `j` of every statement that runs the process.
pub fn drop_argument(body: &mut [Stmt], name: &str, j: usize) {
    each_stmt(body, &mut |s| {
        if let Stmt::Expr(Expr::Run { proc, args, .. }) | Stmt::Assign(_, Expr::Run { proc, args, .. }) = s
            && proc == name
            && j < args.len()
        {
            args.remove(j);
        }
    });
}

fn each_stmt(body: &mut [Stmt], f: &mut impl FnMut(&mut Stmt)) {
    for s in body {
        f(s);
        match s {
            Stmt::If(options) | Stmt::Do(options) => options.iter_mut().for_each(|o| each_stmt(o, f)),
            Stmt::Atomic(b) | Stmt::DStep(b) | Stmt::Block(b) => each_stmt(b, f),
            Stmt::ForRange { body, .. } | Stmt::ForIn { body, .. } => each_stmt(body, f),
            Stmt::Unless(a, b) => {
                each_stmt(std::slice::from_mut(a), f);
                each_stmt(std::slice::from_mut(b), f);
            }
            Stmt::Label(_, inner) => each_stmt(std::slice::from_mut(inner), f),
            _ => {}
        }
    }
}
