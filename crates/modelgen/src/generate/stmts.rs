//! Generates sequences and simple statements: updates, assertions, prints, calls.

use super::scope::Scalar;
use super::{Gen, Surroundings};
use crate::ast::*;
use crate::profile::Group;

impl Gen {
    /// A sequence of `count` statements, perhaps with declarations of its own.
    pub(super) fn seq(&mut self, place: Surroundings, count: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..count {
            body.push(self.stmt(place));
            if matches!(body.last(), Some(Stmt::Break | Stmt::Goto(_))) {
                // What follows could never be reached, and SPIN's verifier can crash over it.
                break;
            }
        }
        body
    }

    /// Any statement.
    pub(super) fn stmt(&mut self, place: Surroundings) -> Stmt {
        if place.dstep {
            return self.dstep_stmt(place);
        }
        if place.depth > 0
            && let Some(s) = self.compound(place)
        {
            return s;
        }
        let blocking = if self.calm { 1 } else { 4 };
        let channels = if self.scope.channels.is_empty() { 0 } else { 14 };
        for _ in 0..4 {
            let found = match self.rng.weighted(&[12, blocking, channels, 4, 2, 4, 6, 5, 2, 1, 1]) {
                0 => Some(self.update(place)),
                1 => Some(Stmt::Expr(self.guard_expr())),
                2 => self.communication(place.atomic),
                3 => self.assertion(),
                4 => self.print(),
                5 => self.jump(place),
                6 => self.inline_call(),
                7 => self.start(place),
                8 => self.priority(),
                9 => self.channel_assignment(),
                _ => Some(Stmt::Skip),
            };
            if let Some(s) = found {
                return s;
            }
        }
        self.update(place)
    }

    /// A statement that neither blocks nor chooses at random.
    fn dstep_stmt(&mut self, place: Surroundings) -> Stmt {
        if place.depth > 0 && self.rng.chance(35) {
            return self.dstep_compound(place);
        }
        if self.on(Group::Unsafe) && self.rng.chance(20) {
            return Stmt::Expr(self.bool_expr(0));
        }
        match self.rng.below(10) {
            0 => self.assertion().unwrap_or(Stmt::Skip),
            1 => self.print().unwrap_or(Stmt::Skip),
            2 => Stmt::Skip,
            _ => self.update(place),
        }
    }

    /// Some scalar that can be written.
    pub(super) fn writable(&mut self, keep: impl Fn(&Scalar) -> bool) -> Option<Scalar> {
        let found: Vec<&Scalar> = self.scope.scalars.iter().filter(|s| s.writable && keep(s)).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    /// A change of one variable; inside loops one that keeps it below its modulus.
    pub(super) fn update(&mut self, place: Surroundings) -> Stmt {
        let Some(s) = self.writable(|_| true) else { return Stmt::Skip };
        let to = self.element(&s.path);
        match &s.ty {
            Ty::Mtype(_) => Stmt::Assign(to, self.value(&s.ty)),
            Ty::Bit | Ty::Bool => match self.rng.below(5) {
                0 => Stmt::Assign(to, self.bool_expr(1)),
                1 if self.has(Group::Widths) => Stmt::Inc(to),
                2 if self.has(Group::Widths) => Stmt::Assign(to, self.int_expr(1)),
                3 if s.readable => Stmt::Assign(to.clone(), Expr::bin("-", Expr::Const(1), Expr::Var(to))),
                _ => Stmt::Assign(to, self.constant(&s.ty)),
            },
            Ty::Unsigned(bits) if *bits <= 3 => self.free_update(to),
            _ if !place.looping && self.rng.chance(60) => self.free_update(to),
            _ => self.bounded_update(&s, to),
        }
    }

    fn free_update(&mut self, to: LValue) -> Stmt {
        match self.rng.below(4) {
            0 => Stmt::Inc(to),
            1 if self.has(Group::Widths) => Stmt::Dec(to),
            _ => Stmt::Assign(to, self.int_expr(2)),
        }
    }

    fn bounded_update(&mut self, s: &Scalar, to: LValue) -> Stmt {
        let modulus = Expr::Const(s.modulus);
        match self.rng.below(5) {
            0 | 1 if s.readable => {
                let step = Expr::Const(self.rng.range(1, 2));
                let sum = Expr::bin("+", Expr::Var(to.clone()), step);
                Stmt::Assign(to, Expr::bin("%", sum, modulus))
            }
            2 => {
                let depth = if self.has(Group::Arithmetic) { 2 } else { 1 };
                Stmt::Assign(to, Expr::bin("%", self.int_expr(depth), modulus))
            }
            3 if s.readable => {
                let var = Expr::Var(to.clone());
                let (guard, change) = if self.rng.chance(50) {
                    (Expr::bin("<", var, modulus), Stmt::Inc(to))
                } else {
                    (Expr::bin(">", var, Expr::Const(0)), Stmt::Dec(to))
                };
                Stmt::If(vec![vec![Stmt::Expr(guard), change], vec![Stmt::Else]])
            }
            _ => Stmt::Assign(to, self.constant(&s.ty)),
        }
    }

    fn assertion(&mut self) -> Option<Stmt> {
        if !self.on(Group::Assert) {
            return None;
        }
        if self.rng.chance(if self.calm { 70 } else { 40 }) {
            // Often true: the variable within its bounds.
            let s = self.readable(|s| s.is_number())?;
            let limit = Expr::Const(s.modulus + self.rng.range(0, 2));
            return Some(Stmt::Assert(Expr::bin("<=", Expr::Var(self.element(&s.path)), limit)));
        }
        Some(Stmt::Assert(self.bool_expr(1)))
    }

    fn print(&mut self) -> Option<Stmt> {
        if !self.on(Group::Printf) {
            return None;
        }
        if let Some(s) = self.readable(|s| matches!(s.ty, Ty::Mtype(None)))
            && self.rng.chance(50)
        {
            return Some(Stmt::Printf("m %e\\n".into(), vec![Expr::Var(self.element(&s.path))]));
        }
        Some(Stmt::Printf("x %d %d\\n".into(), vec![self.int_expr(1), self.int_expr(0)]))
    }

    fn jump(&mut self, place: Surroundings) -> Option<Stmt> {
        if place.breakable && self.rng.chance(40) {
            return Some(Stmt::Break);
        }
        if self.here.targets.is_empty() || !self.on(Group::Goto) {
            return None;
        }
        self.here.jumped = true;
        Some(Stmt::Goto(self.rng.pick(&self.here.targets).clone()))
    }

    fn inline_call(&mut self) -> Option<Stmt> {
        // The parameter of an inline must not hide an argument's name, so inlines do not nest.
        self.here.plan?;
        if self.model.inlines.is_empty() || !self.on(Group::Inline) {
            return None;
        }
        let i = self.rng.below(self.model.inlines.len());
        let (name, params) = (self.model.inlines[i].name.clone(), self.model.inlines[i].params.len());
        // Not a global, which the inline may name itself, in the same receive.
        let dst =
            self.writable(|s| s.readable && s.is_number() && s.is_plain() && !s.path[0].0.starts_with('g'))?;
        let mut args = vec![Expr::Var(self.element(&dst.path))];
        for _ in 1..params {
            // SPIN reads some conditional expressions wrongly as arguments of an inline.
            let e = self.int_expr(1);
            args.push(if e.has_conditional() { Expr::Const(1) } else { e });
        }
        Some(Stmt::InlineCall(name, args))
    }

    fn priority(&mut self) -> Option<Stmt> {
        if self.here.plan.is_none() || !self.on(Group::Priority) {
            return None;
        }
        let who = match self.other_pid() {
            Some(pid) if self.rng.chance(20) => pid,
            _ => Expr::var("_pid"),
        };
        let priority = match self.is_free && self.rng.chance(50) {
            // Now and then none that is allowed.
            true => Expr::bin("%", self.int_expr(1), Expr::Const(5)),
            false => Expr::Const(self.rng.range(1, 4)),
        };
        Some(Stmt::SetPriority(who, priority))
    }
}
