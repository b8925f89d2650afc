//! Generates compound statements: choices, loops, atomic parts, escapes.

use super::{Gen, Surroundings};
use crate::ast::*;
use crate::profile::Group;

impl Gen {
    /// A compound statement, if one is chosen here.
    pub(super) fn compound(&mut self, place: Surroundings) -> Option<Stmt> {
        for group in [Group::Atomic, Group::DStep, Group::Unless, Group::For, Group::Select, Group::Scopes] {
            if self.rng.chance(35) && self.on(group) {
                return match group {
                    Group::Atomic => Some(self.atomic(place)),
                    Group::DStep => Some(self.dstep(place)),
                    Group::Unless => Some(self.unless(place)),
                    Group::For => self.for_loop(place),
                    Group::Select => self.select(),
                    _ => Some(self.block(place)),
                };
            }
        }
        match self.rng.below(10) {
            0 | 1 => Some(self.choice(place)),
            2 => Some(self.repetition(place)),
            _ => None,
        }
    }

    /// One option: a guard and what follows it.
    fn option(&mut self, place: Surroundings, guard: Stmt) -> Vec<Stmt> {
        let count = self.rng.weighted(&[3, 5, 2]);
        let mut option = vec![guard];
        option.extend(self.seq(place, count));
        option
    }

    /// The first statement of an option, and whether it communicates.
    fn guard(&mut self, place: Surroundings) -> (Stmt, bool) {
        if self.has(Group::Faults)
            && self.on(Group::Faults)
            && let Some(e) = self.faulty_expr()
        {
            // An `else` beside it is what is looked for.
            return (Stmt::Expr(e), false);
        }
        let percent = if self.scope.channels.is_empty() { 0 } else { 45 };
        if self.rng.chance(percent)
            && let Some(c) = self.some_channel(|_| true)
        {
            let s = if self.rng.chance(50) { self.send(&c) } else { self.receive(&c) };
            return (s, true);
        }
        if self.rng.chance(20)
            && let s @ (Stmt::Assign(..) | Stmt::Inc(_) | Stmt::Dec(_)) = self.update(place)
        {
            return (s, false);
        }
        let e = self.guard_expr();
        let asks = e.asks() || e == Expr::sym("timeout");
        (Stmt::Expr(e), asks)
    }

    pub(super) fn choice(&mut self, place: Surroundings) -> Stmt {
        let inner = place.deeper();
        let mut options = Vec::new();
        let mut communicates = false;
        for _ in 0..self.rng.range(1, 3) {
            let (guard, io) = self.guard(place);
            communicates |= io;
            options.push(self.option(inner, guard));
        }
        if !communicates && self.rng.chance(if self.calm { 90 } else { 40 }) {
            options.push(self.option(inner, Stmt::Else));
        } else if communicates && self.calm {
            let way_out = if self.rng.chance(60) { "timeout" } else { "true" };
            options.push(vec![Stmt::Expr(Expr::sym(way_out))]);
        }
        Stmt::If(options)
    }

    pub(super) fn repetition(&mut self, place: Surroundings) -> Stmt {
        let inner = Surroundings { looping: true, breakable: true, ..place.deeper() };
        let mut options = Vec::new();
        let mut communicates = false;
        for _ in 0..self.rng.range(1, 3) {
            let (guard, io) = self.guard(inner);
            communicates |= io;
            options.push(self.option(inner, guard));
        }
        if self.rng.chance(if self.calm { 20 } else { 60 }) {
            // Something that can always be done keeps the loop alive.
            if let s @ (Stmt::Assign(..) | Stmt::Inc(_) | Stmt::Dec(_)) = self.update(inner) {
                options.push(vec![s]);
            }
        }
        if self.rng.chance(if self.calm { 95 } else { 60 }) {
            let guard = match self.rng.below(3) {
                0 if !communicates => Stmt::Else,
                1 if self.calm || self.has(Group::Timeout) => Stmt::Expr(Expr::sym("timeout")),
                2 if !self.calm => Stmt::Expr(self.guard_expr()),
                _ => return self.with_break(options),
            };
            options.push(vec![guard, Stmt::Break]);
        }
        Stmt::Do(options)
    }

    /// The loop with `break` as an option or at the end of one.
    fn with_break(&mut self, mut options: Vec<Vec<Stmt>>) -> Stmt {
        if self.rng.chance(70) {
            options.push(vec![Stmt::Break]);
        } else {
            let i = self.rng.below(options.len());
            options[i].push(Stmt::Break);
        }
        Stmt::Do(options)
    }

    fn atomic(&mut self, place: Surroundings) -> Stmt {
        let inner = Surroundings { atomic: true, ..place.deeper() };
        let mut body = Vec::new();
        if self.rng.chance(40) {
            let (guard, _) = self.guard(place);
            body.push(guard);
        }
        let count = self.rng.range(1, 3) as usize;
        body.extend(self.seq(inner, count));
        Stmt::Atomic(body)
    }

    fn dstep(&mut self, place: Surroundings) -> Stmt {
        let inner = Surroundings { dstep: true, breakable: false, ..place.deeper() };
        let fixed = std::mem::replace(&mut self.here.fixed, true);
        let mut body = Vec::new();
        if self.rng.chance(40) {
            // Only the first statement of a deterministic step may block; it may also be a buffered receive.
            match self.some_channel(|c| c.capacity.is_some_and(|n| n > 0)) {
                Some(c) if self.rng.chance(50) => {
                    body.push(if self.rng.chance(50) { self.send(&c) } else { self.receive(&c) });
                    if let Some(Stmt::Recv { random: true, peek, .. }) = body.last_mut() {
                        // With `??<>` here SPIN makes a verifier that does not compile.
                        *peek = false;
                    }
                }
                _ => body.push(Stmt::Expr(self.bool_expr(1))),
            }
        }
        let count = self.rng.range(1, 3) as usize;
        body.extend(self.seq(inner, count));
        self.here.fixed = fixed;
        Stmt::DStep(body)
    }

    /// A choice that always has a way out, or a loop that ends.
    pub(super) fn dstep_compound(&mut self, place: Surroundings) -> Stmt {
        let inner = place.deeper();
        if self.rng.chance(25)
            && let Some(s) = self.for_loop(place)
        {
            return s;
        }
        let mut options = Vec::new();
        for _ in 0..self.rng.range(1, 2) {
            let guard = Stmt::Expr(self.bool_expr(1));
            options.push(self.option(inner, guard));
        }
        options.push(self.option(inner, Stmt::Else));
        Stmt::If(options)
    }

    fn unless(&mut self, place: Surroundings) -> Stmt {
        let inner = place.deeper();
        let main = if self.rng.chance(70) {
            let count = self.rng.range(1, 3) as usize;
            Stmt::Block(self.seq(inner, count))
        } else if self.rng.chance(40) {
            self.repetition(inner)
        } else {
            self.atomic(inner)
        };
        let (guard, _) = self.guard(place);
        let escape = self.option(Surroundings { depth: 0, ..inner }, guard);
        let mut s = Stmt::Unless(Box::new(main), Box::new(Stmt::Block(escape)));
        if self.rng.chance(20) {
            let (guard, _) = self.guard(place);
            s = Stmt::Unless(Box::new(Stmt::Block(vec![s])), Box::new(Stmt::Block(vec![guard])));
        }
        s
    }

    /// A loop over a range, an array or the messages of a channel.
    fn for_loop(&mut self, place: Surroundings) -> Option<Stmt> {
        let inner = Surroundings { looping: true, breakable: true, ..place.deeper() };
        if let Some(s) = self.for_channel(inner) {
            return Some(s);
        }
        let s = self.writable(|s| s.can_index() && matches!(s.ty, Ty::Byte | Ty::Short | Ty::Int))?;
        let name = s.path[0].0.clone();
        let var = LValue::name(&name);
        let arrays: Vec<LValue> = (self.scope.scalars.iter())
            .filter(|s| s.path.len() == 1 && s.path[0].1.is_some())
            .map(|s| LValue::name(&s.path[0].0))
            .collect();
        self.scope.set_writable(&name, false);
        let count = self.rng.range(1, 2) as usize;
        let body = self.seq(inner, count);
        self.scope.set_writable(&name, true);
        if !arrays.is_empty() && self.rng.chance(50) {
            return Some(Stmt::ForIn { var, over: self.rng.pick(&arrays).clone(), body });
        }
        let low = self.rng.range(0, 1);
        let from = Expr::Const(low);
        let to = match self.readable(|s| s.is_plain() && matches!(s.ty, Ty::Bit | Ty::Bool)) {
            Some(s) if self.rng.chance(20) => Expr::Var(self.element(&s.path)),
            _ => Expr::Const(low + self.rng.range(0, 2)),
        };
        Some(Stmt::ForRange { var, from, to, body })
    }

    fn for_channel(&mut self, inner: Surroundings) -> Option<Stmt> {
        if inner.dstep {
            return None;
        }
        let records = self.scope.records.clone();
        let c = self.some_channel(|c| {
            c.path.len() == 1
                && c.path[0].1.is_none()
                && matches!(c.fields[..], [Ty::Record(_)])
                && !c.variable
                && c.capacity != Some(0)
        })?;
        let found: Vec<_> = (records.iter())
            .filter(|r| {
                c.fields == [Ty::Record(r.record.clone())] && r.path.len() == 1 && r.path[0].1.is_none()
            })
            .collect();
        if found.is_empty() || self.rng.chance(30) {
            return None;
        }
        let name = self.rng.pick(&found).path[0].0.clone();
        let body = vec![self.update(inner)];
        Some(Stmt::ForIn { var: LValue::name(&name), over: LValue::name(&c.path[0].0), body })
    }

    fn select(&mut self) -> Option<Stmt> {
        let s = self.writable(|s| s.can_index() && s.is_number() && !matches!(s.ty, Ty::Unsigned(1)))?;
        let low = self.rng.range(0, 1);
        let high = low + self.rng.range(0, 2);
        let name = s.path[0].0.clone();
        let to = match self.readable(|s| s.is_plain() && matches!(s.ty, Ty::Bit | Ty::Bool)) {
            // With constants SPIN makes a choice of it, else a loop.
            Some(s) if low == 0 && s.path[0].0 != name && self.rng.chance(35) => {
                Expr::Var(self.element(&s.path))
            }
            _ => Expr::Const(high),
        };
        Some(Stmt::Select { var: LValue::name(&name), from: Expr::Const(low), to })
    }

    fn block(&mut self, place: Surroundings) -> Stmt {
        let before = self.scope.clone();
        let mut body = vec![self.local_decl(false)];
        let count = self.rng.range(1, 2) as usize;
        body.extend(self.seq(place.deeper(), count));
        if self.rng.chance(25) {
            body.push(self.local_decl(false));
            body.push(self.update(place));
        }
        self.scope = before;
        for s in &body {
            if let Stmt::Decl(d) = s {
                self.here.ended.push(d.name.clone());
            }
        }
        Stmt::Block(body)
    }
}
