//! Generates expressions: numbers, truth values, constants of a type, element references.

use super::Gen;
use super::scope::{Path, Scalar};
use crate::ast::{Expr, LValue, Ty};
use crate::profile::Group;

impl Gen {
    /// A constant that a variable of the type can start with.
    pub(super) fn constant(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Mtype(sub) => {
                let names = self.model.mtypes.iter().find(|m| m.sub == *sub).map(|m| m.names.clone());
                names.map_or(Expr::Const(0), |names| Expr::Name(self.rng.pick(&names).clone()))
            }
            Ty::Bool => Expr::sym(if self.rng.chance(50) { "true" } else { "false" }),
            Ty::Bit | Ty::Unsigned(1) => Expr::Const(self.rng.range(0, 1)),
            Ty::Unsigned(_) => Expr::Const(self.rng.range(0, 3)),
            _ if self.on(Group::Widths) && self.rng.chance(25) => self.wide_constant(),
            _ => Expr::Const(self.rng.range(0, 2)),
        }
    }

    /// A number that some type cannot hold.
    fn wide_constant(&mut self) -> Expr {
        let values = [-1, -2, 5, 7, 8, 127, 128, 255, 256, 257, 300, 32767, 32768, 65535, 65537, -129];
        Expr::Const(*self.rng.pick(&values))
    }

    fn small(&mut self) -> Expr {
        if self.on(Group::Macros) {
            let names: Vec<String> =
                self.model.macros.iter().filter(|m| m.params.is_empty()).map(|m| m.name.clone()).collect();
            return Expr::Name(self.rng.pick(&names).clone());
        }
        if self.on(Group::Widths) && self.rng.chance(20) {
            return self.wide_constant();
        }
        Expr::Const(self.rng.range(0, 3))
    }

    /// A number not 0, to divide by.
    fn divisor(&mut self) -> Expr {
        Expr::Const(self.rng.range(2, 5))
    }

    /// A path with an index for each array on it.
    pub(super) fn element(&mut self, path: &Path) -> LValue {
        let segs =
            path.iter().map(|(name, size)| (name.clone(), size.map(|n| Box::new(self.index(n))))).collect();
        LValue { segs }
    }

    /// An index below `size`, except where the profile wants unsafe ones.
    fn index(&mut self, size: u32) -> Expr {
        let size = i64::from(size);
        let scalars: Vec<Scalar> = (self.scope.scalars.iter())
            .filter(|s| s.readable && s.path.iter().all(|(_, n)| n.is_none()) && s.is_unsigned())
            // What stands for `src` inside an inline may be a sum, of which only the end would be taken modulo.
            .filter(|s| s.path[0].0 != "src")
            .cloned()
            .collect();
        if scalars.is_empty() || self.rng.chance(50) {
            if self.on(Group::Predefined) && self.here.plan.is_some() {
                return Expr::bin("%", Expr::var("_pid"), Expr::Const(size));
            }
            return Expr::Const(self.rng.range(0, size - 1));
        }
        let s = self.rng.pick(&scalars).clone();
        let var = Expr::Var(self.element(&s.path));
        if matches!(s.ty, Ty::Bit | Ty::Bool) || self.on(Group::Unsafe) {
            return var;
        }
        Expr::bin("%", var, Expr::Const(size))
    }

    /// Some readable scalar, if `keep` allows one.
    pub(super) fn readable(&mut self, keep: impl Fn(&Scalar) -> bool) -> Option<Scalar> {
        let found: Vec<&Scalar> = self.scope.scalars.iter().filter(|s| s.readable && keep(s)).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    pub(super) fn read_number(&mut self) -> Expr {
        match self.readable(|s| !matches!(s.ty, Ty::Mtype(_))) {
            Some(s) => Expr::Var(self.element(&s.path)),
            None => self.small(),
        }
    }

    /// A number.
    pub(super) fn int_expr(&mut self, depth: u32) -> Expr {
        let leaf = if self.has(Group::Arithmetic) { 15 } else { 35 };
        if depth == 0 || self.rng.chance(leaf) {
            return self.int_leaf();
        }
        let d = depth - 1;
        if self.on(Group::Conditional) {
            let (c, a, b) = (self.bool_expr(d), self.int_expr(d), self.int_expr(d));
            return Expr::Cond(Box::new(c), Box::new(a), Box::new(b));
        }
        if self.on(Group::Macros) {
            let with: Vec<(String, usize)> = (self.model.macros.iter())
                .filter(|m| !m.params.is_empty())
                .map(|m| (m.name.clone(), m.params.len()))
                .collect();
            if !with.is_empty() {
                let (name, params) = self.rng.pick(&with).clone();
                return Expr::Call(name, (0..params).map(|_| self.int_expr(d)).collect());
            }
        }
        if self.on(Group::Arithmetic) {
            return self.arithmetic(d);
        }
        let op = *self.rng.pick(&["+", "-", "+"]);
        Expr::bin(op, self.int_expr(d), self.int_leaf())
    }

    fn arithmetic(&mut self, d: u32) -> Expr {
        match self.rng.below(11) {
            0 => Expr::un("-", self.int_expr(d)),
            1 => Expr::un("~", self.int_expr(d)),
            2 => Expr::un("!", self.int_expr(d)),
            3 => {
                let op = *self.rng.pick(&["/", "%"]);
                Expr::bin(op, self.int_expr(d), self.divisor())
            }
            4 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                let count = Expr::Const(self.rng.range(0, 3));
                Expr::bin(op, self.int_expr(d), count)
            }
            5 => {
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Expr::bin(op, self.int_expr(d), self.int_expr(d))
            }
            6 => {
                let op = *self.rng.pick(&["&&", "||"]);
                Expr::bin(op, self.int_expr(d), self.int_expr(d))
            }
            _ => {
                let op = *self.rng.pick(&["+", "-", "*", "&", "|", "^"]);
                Expr::bin(op, self.int_expr(d), self.int_expr(d))
            }
        }
    }

    fn int_leaf(&mut self) -> Expr {
        if self.here.plan.is_some() && self.on(Group::Predefined) && self.rng.chance(60) {
            return Expr::var(["_pid", "_nr_pr", "_last"][self.rng.weighted(&[4, 3, 1])]);
        }
        if self.here.plan.is_some() && self.on(Group::Priority) && self.rng.chance(40) {
            let who = if self.is_free && self.rng.chance(50) { self.other_pid() } else { None };
            return Expr::call("get_priority", vec![who.unwrap_or(Expr::var("_pid"))]);
        }
        if !self.here.fixed
            && self.on(Group::Remote)
            && self.rng.chance(40)
            && let Some(e) = self.remote_var()
        {
            return e;
        }
        if !self.here.fixed
            && self.on(Group::Exotic)
            && self.rng.chance(30)
            && let Some(pid) = self.other_pid()
        {
            return Expr::call("pc_value", vec![pid]);
        }
        if self.on(Group::Polls)
            && self.rng.chance(40)
            && let Some(c) = self.some_channel(|c| c.capacity != Some(0))
        {
            return Expr::call("len", vec![Expr::Var(self.element(&c.path))]);
        }
        if self.rng.chance(60) { self.read_number() } else { self.small() }
    }

    /// A truth value without side effects.
    pub(super) fn bool_expr(&mut self, depth: u32) -> Expr {
        if !self.here.fixed
            && self.on(Group::Remote)
            && self.rng.chance(60)
            && let Some(e) = self.remote_label()
        {
            return e;
        }
        if !self.here.fixed
            && (self.is_free || !self.has(Group::Rendezvous))
            && self.on(Group::Exotic)
            && self.rng.chance(40)
            && let Some(pid) = self.other_pid()
        {
            return Expr::call("enabled", vec![pid]);
        }
        if depth > 0 && self.rng.chance(35) {
            let d = depth - 1;
            return match self.rng.below(5) {
                0 => Expr::un("!", self.bool_expr(d)),
                1 | 2 => Expr::bin("&&", self.bool_expr(d), self.bool_expr(d)),
                3 => Expr::bin("||", self.bool_expr(d), self.bool_expr(d)),
                _ => self.int_expr(depth),
            };
        }
        self.comparison(depth)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let Some(s) = self.readable(|_| true) else {
            return Expr::sym(if self.rng.chance(70) { "true" } else { "false" });
        };
        let var = Expr::Var(self.element(&s.path));
        match &s.ty {
            Ty::Mtype(_) => {
                let op = *self.rng.pick(&["==", "!=", "=="]);
                Expr::bin(op, var, self.constant(&s.ty))
            }
            Ty::Bit | Ty::Bool => match self.rng.below(4) {
                0 => Expr::un("!", var),
                1 => Expr::bin("==", var, self.constant(&s.ty)),
                2 => Expr::bin("==", var, self.int_expr(depth)),
                _ => var,
            },
            _ if self.rng.chance(60) => {
                // More often true at the start, when most variables are 0, than not.
                let op = *self.rng.pick(&["<", "<", "<=", ">", ">=", "==", "!=", "!="]);
                let limit = match op {
                    "==" | ">=" => self.rng.range(0, s.modulus - 1),
                    _ => self.rng.range(1, s.modulus),
                };
                Expr::bin(op, var, Expr::Const(limit))
            }
            _ => {
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Expr::bin(op, self.int_expr(depth), self.int_expr(depth))
            }
        }
    }

    /// A truth value for the start of an option, which may also ask channels or wait for a timeout.
    pub(super) fn guard_expr(&mut self) -> Expr {
        if self.has(Group::Faults)
            && self.on(Group::Faults)
            && let Some(e) = self.faulty_expr()
        {
            return e;
        }
        if self.on(Group::Polls)
            && let Some(probe) = self.probe()
        {
            return match self.rng.below(4) {
                0 => Expr::bin("&&", probe, self.bool_expr(0)),
                1 => Expr::bin("||", self.bool_expr(0), probe),
                _ => probe,
            };
        }
        if self.here.plan.is_some() && self.on(Group::Timeout) && self.rng.chance(50) {
            return match self.rng.below(4) {
                0 => Expr::bin("&&", Expr::sym("timeout"), self.bool_expr(0)),
                _ => Expr::sym("timeout"),
            };
        }
        self.bool_expr(1)
    }
}
