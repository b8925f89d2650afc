//! The table of distances as a user changed it: which parts of a formula have a distance of their own.

use super::term::opposite;
use panoptes_model::{BinaryOp, EstimateTable, Expr, Pattern, Place, ProcId, Receive, Region, UnaryOp};

/// The table, and the process that looks at the formula, if one does.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'t> {
    pub table: &'t EstimateTable,
    pub process: Option<ProcId>,
}

impl Entries<'_> {
    /// The entry for a part of the formula that is to hold, or not to hold: its number, and the distance as the process sees it.
    pub fn find(self, expr: &Expr, wanted: bool) -> Option<(usize, Expr)> {
        let (sought, wanted) = positive(expr, wanted);
        let is_it = |part: &Expr| {
            let (part, holds) = positive(part, true);
            let same = |a: &Expr, b: &Expr| self.is_same(a, b);
            match (part, sought) {
                _ if holds == wanted => same(part, sought),
                // `x != y` is that `x == y` does not hold.
                (Expr::Binary(a, l, r), Expr::Binary(b, left, right)) => {
                    opposite(*b) == Some(*a) && same(l, left) && same(r, right)
                }
                _ => false,
            }
        };
        let number = self.table.distances.iter().position(|entry| is_it(&entry.part))?;
        Some((number, self.seen_by_process(&self.table.distances[number].distance)))
    }

    /// Are they the same for the process that looks? Its own `x` is `P:x` from outside.
    fn is_same(self, part: &Expr, expr: &Expr) -> bool {
        let same = |a: &Expr, b: &Expr| self.is_same(a, b);
        match (part, expr) {
            (Expr::Const(a), Expr::Const(b)) => a == b,
            (Expr::Load(a), Expr::Load(b)) => self.is_same_place(a, b),
            (Expr::Remote { process, place, .. }, Expr::Load(own)) => {
                Some(*process) == self.process
                    && own.region == Region::Local
                    && self.is_same_place(place, own)
            }
            (
                Expr::Remote { process: p, pid: a, place: x },
                Expr::Remote { process: q, pid: b, place: y },
            ) => p == q && same(a, b) && self.is_same_place(x, y),
            (
                Expr::AtState { process: p, pid: a, state: s, .. },
                Expr::AtState { process: q, pid: b, state: t, .. },
            ) => (p, s) == (q, t) && same(a, b),
            (Expr::Unary(a, x), Expr::Unary(b, y)) => a == b && same(x, y),
            (Expr::Binary(a, l, r), Expr::Binary(b, left, right)) => {
                a == b && same(l, left) && same(r, right)
            }
            (Expr::Cond(a, b, c), Expr::Cond(x, y, z)) => same(a, x) && same(b, y) && same(c, z),
            (Expr::Channel(a, x), Expr::Channel(b, y)) => a == b && same(x, y),
            (Expr::Poll(a), Expr::Poll(b)) => self.is_same_poll(a, b),
            (Expr::PidOf(a), Expr::PidOf(b)) => a == b,
            (Expr::OwnChannel(a), Expr::OwnChannel(b)) => a == b,
            (Expr::SelfPid, Expr::SelfPid) | (Expr::ProcessCount, Expr::ProcessCount) => true,
            _ => false,
        }
    }

    fn is_same_place(self, a: &Place, b: &Place) -> bool {
        a.region == b.region
            && a.offset == b.offset
            && a.ty == b.ty
            && a.indices.len() == b.indices.len()
            && a.indices.iter().zip(&b.indices).all(|(a, b)| self.is_same(&a.index, &b.index))
    }

    fn is_same_poll(self, a: &Receive, b: &Receive) -> bool {
        let is_same = |(a, b): (&Pattern, &Pattern)| match (a, b) {
            (Pattern::Match(a), Pattern::Match(b)) => self.is_same(a, b),
            (Pattern::Any | Pattern::Bind(_), Pattern::Any | Pattern::Bind(_)) => true,
            _ => false,
        };
        a.random == b.random
            && self.is_same(&a.channel, &b.channel)
            && a.patterns.len() == b.patterns.len()
            && a.patterns.iter().zip(&b.patterns).all(is_same)
    }

    /// Where `P:x` is said of any process of its type, it is the one that looks.
    fn seen_by_process(self, distance: &Expr) -> Expr {
        let seen = |e: &Expr| Box::new(self.seen_by_process(e));
        match distance {
            Expr::Remote { process, pid, place }
                if Some(*process) == self.process && matches!(**pid, Expr::PidOf(_)) =>
            {
                Expr::Load(place.clone())
            }
            Expr::Unary(op, x) => Expr::Unary(*op, seen(x)),
            Expr::Binary(op, l, r) => Expr::Binary(*op, seen(l), seen(r)),
            Expr::Cond(a, b, c) => Expr::Cond(seen(a), seen(b), seen(c)),
            other => other.clone(),
        }
    }
}

/// The condition without negations around it, and whether it is to hold.
fn positive(expr: &Expr, wanted: bool) -> (&Expr, bool) {
    match expr {
        Expr::Unary(UnaryOp::Not, inner) => positive(inner, !wanted),
        Expr::Binary(BinaryOp::Ne, inner, zero)
            if matches!(**zero, Expr::Const(0)) && is_condition(inner) =>
        {
            positive(inner, wanted)
        }
        other => (other, wanted),
    }
}

/// Is its value 0 or 1?
fn is_condition(expr: &Expr) -> bool {
    matches!(expr, Expr::Unary(UnaryOp::Not, _))
        || matches!(expr, Expr::Binary(op, ..) if opposite(*op).is_some() || matches!(op, BinaryOp::And | BinaryOp::Or))
}
