//! Generates event traces and claims.

use super::scope::Channel;
use super::{Gen, Here};
use crate::ast::*;
use crate::profile::Group;

impl Gen {
    /// A `trace` or `notrace` block over one or two global channels.
    pub(super) fn trace(&mut self) {
        if self.mix.share(Group::Trace) < 50 && !self.on(Group::Trace) {
            return;
        }
        self.here = Here::default();
        let Some(c) = self.some_channel(|c| c.path.len() == 1 && c.path[0].1.is_none()) else { return };
        let negated = self.rng.chance(30);
        let body = match self.rng.below(4) {
            0 => vec![Stmt::Do(vec![vec![self.sent(&c)], vec![self.received(&c)]])],
            1 => vec![Stmt::Do(vec![vec![self.sent(&c), self.received(&c)]])],
            2 => vec![self.sent(&c), Stmt::Do(vec![vec![self.received(&c)], vec![self.sent(&c)]])],
            _ => vec![self.sent(&c), self.received(&c)],
        };
        self.model.trace = Some(Trace { negated, body });
    }

    /// The fields of a message, each record by its own.
    fn flat_fields(&self, c: &Channel) -> Vec<Ty> {
        let flat = |ty: &Ty| match ty {
            Ty::Record(name) => self.field_types(name),
            ty => vec![ty.clone()],
        };
        c.fields.iter().flat_map(flat).collect()
    }

    /// A constant or anything, for a message field of a trace; perhaps also a value of global variables.
    fn event_arg(&mut self, ty: &Ty) -> Option<Expr> {
        if self.is_free && self.rng.chance(50) && !matches!(ty, Ty::Chan | Ty::Record(_)) {
            let value = self.read_number();
            return Some(if self.rng.chance(50) { value } else { Expr::bin("-", Expr::Const(1), value) });
        }
        let constant = !matches!(ty, Ty::Chan | Ty::Record(_)) && self.rng.chance(40);
        constant.then(|| self.constant(ty))
    }

    fn sent(&mut self, c: &Channel) -> Stmt {
        let args =
            self.flat_fields(c).iter().map(|ty| self.event_arg(ty).unwrap_or(Expr::var("_"))).collect();
        Stmt::Send { chan: LValue::name(&c.path[0].0), sorted: false, header: false, args }
    }

    fn received(&mut self, c: &Channel) -> Stmt {
        let args = (self.flat_fields(c).iter())
            .map(|ty| match self.event_arg(ty) {
                None => RecvArg::Any,
                Some(value @ (Expr::Var(_) | Expr::Binary(..))) => RecvArg::Eval(value),
                Some(value) => RecvArg::Const(value),
            })
            .collect();
        Stmt::Recv { chan: LValue::name(&c.path[0].0), random: false, peek: false, header: false, args }
    }

    /// One claim; a safety check without claims passes over it.
    pub(super) fn claims(&mut self) {
        if !self.on(Group::Claims) {
            return;
        }
        self.here = Here { plan: Some(self.plans.len()), ..Here::default() };
        let p = self.bool_expr(1);
        let q = self.bool_expr(0);
        if !p.has_conditional() && !q.has_conditional() && self.rng.chance(60) {
            let op = *self.rng.pick(&["U", "V", "->", "&&"]);
            let inner = match self.rng.below(3) {
                0 => Formula::Atom(p),
                1 => Formula::Binary(op, Box::new(Formula::Atom(p)), Box::new(Formula::Atom(q))),
                _ => Formula::Unary("<>", Box::new(Formula::Atom(p))),
            };
            let formula = Formula::Unary("[]", Box::new(inner));
            self.model.claims.push(Claim::Ltl { name: "always".into(), formula });
        } else {
            let p = if self.rng.chance(20) { Expr::sym("np_") } else { p };
            let body = Stmt::Do(vec![vec![Stmt::Expr(Expr::sym("true"))], vec![Stmt::Expr(p), Stmt::Break]]);
            let last = Stmt::Do(vec![vec![Stmt::Expr(self.bool_expr(0))]]);
            self.model.claims.push(Claim::Never(vec![body, Stmt::Label("accept0".into(), Box::new(last))]));
        }
    }
}

impl Expr {
    /// Whether there is a conditional expression in it, which SPIN does not take everywhere.
    pub(super) fn has_conditional(&self) -> bool {
        struct Has(bool);
        impl crate::visit::Visitor for Has {
            fn expr(&mut self, e: &Expr) {
                self.0 |= matches!(e, Expr::Cond(..)) || matches!(e, Expr::Call(name, _) if name == "MIN");
            }
        }
        let mut has = Has(false);
        crate::visit::expr(self, &mut has);
        has.0
    }
}
