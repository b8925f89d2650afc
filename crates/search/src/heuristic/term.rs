//! How far a formula is from being true: table 3 of the paper.
//!
//! Negations are moved inwards first, so a term is a conjunction, a disjunction, or something to be measured. One step makes a single
//! condition true at best, so that costs one; a channel or a counter that moves by one costs as many steps as there are between
//! what it is and what it should be; and a process that is to be somewhere needs the steps of its local distance table.

use super::FAR;
use super::distance::{Targets, distances};
use super::look::Look;
use super::rules::{self, Variable};
use super::table::Entries;
use panoptes_model::{
    BinaryOp, ChannelTest, EstimateRow, EstimateTable, Expr, Model, ProcId, Receive, ScalarType, Send,
    StateId, UnaryOp,
};

/// How the parts of a conjunction are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conjunction {
    /// Their sum: more informed, but one step may serve several parts.
    Sum,
    /// The farthest part: never more than is needed.
    Max,
}

impl Conjunction {
    #[inline]
    pub fn join(self, a: u32, b: u32) -> u32 {
        match self {
            Conjunction::Sum => (a + b).min(FAR),
            Conjunction::Max => a.max(b),
        }
    }
}

/// How formulas are measured.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'t> {
    pub conjunction: Conjunction,
    /// What a user changed of the table.
    pub table: Option<&'t EstimateTable>,
}

impl Measure<'_> {
    /// The table as it is, with sums.
    pub const USUAL: Measure<'static> = Measure { conjunction: Conjunction::Sum, table: None };
    /// Never more than is needed.
    pub const LOWER_BOUND: Measure<'static> = Measure { conjunction: Conjunction::Max, table: None };

    pub fn of(table: &EstimateTable) -> Measure<'_> {
        let conjunction = if table.is_farthest { Conjunction::Max } else { Conjunction::Sum };
        Measure { conjunction, table: Some(table) }
    }
}

pub(crate) enum Term<'m> {
    All(Vec<Term<'m>>),
    Any(Vec<Term<'m>>),
    True,
    False,
    /// The condition is to hold, or not to hold.
    Holds(&'m Expr, bool),
    /// A number that moves by one is to stand so to a constant.
    Counter {
        number: &'m Expr,
        relation: BinaryOp,
        bound: i32,
        ty: Option<ScalarType>,
    },
    Full(&'m Expr),
    Empty(&'m Expr),
    /// The message is to be the first of the channel.
    First(&'m Receive),
    /// There is to be no message that this can take.
    Unavailable(&'m Receive),
    /// There is to be no room for this message, or nobody to take it.
    Unwanted(&'m Send),
    /// The process is to be there; the distances of its type, and how far it is if it does not live yet.
    At {
        pid: &'m Expr,
        process: ProcId,
        distances: Vec<u32>,
        unborn: u32,
    },
    /// What a user says that the distance is, in the entry with this number.
    Given {
        distance: Expr,
        entry: usize,
    },
    /// So many times as far.
    Scaled(u32, Box<Term<'m>>),
}

/// What terms are made of, and for what.
pub(crate) struct Terms<'m> {
    pub model: &'m Model,
    pub measure: Measure<'m>,
    /// The process that looks at the condition.
    pub process: Option<ProcId>,
}

impl<'m> Terms<'m> {
    /// The term for a condition that is to hold, or not to hold.
    pub fn term(&self, expr: &'m Expr, wanted: bool) -> Term<'m> {
        let Some(table) = self.measure.table else { return self.usual(expr, wanted) };
        let entries = Entries { table, process: self.process };
        if let Some((entry, distance)) = entries.find(expr, wanted) {
            return Term::Given { distance, entry };
        }
        self.weighted(self.usual(expr, wanted))
    }

    /// The term with the weight of its row.
    pub fn weighted(&self, term: Term<'m>) -> Term<'m> {
        let weight = |row: EstimateRow| self.measure.table.map_or(1, |table| table.weight(row));
        match term.row().map(weight) {
            None | Some(1) => term,
            Some(weight) => Term::Scaled(weight, Box::new(term)),
        }
    }

    fn usual(&self, expr: &'m Expr, wanted: bool) -> Term<'m> {
        match expr {
            Expr::Const(value) if (*value != 0) == wanted => Term::True,
            Expr::Const(_) => Term::False,
            Expr::Unary(UnaryOp::Not, operand) => self.term(operand, !wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let parts = vec![self.term(left, wanted), self.term(right, wanted)];
                if (*op == BinaryOp::And) == wanted { Term::All(parts) } else { Term::Any(parts) }
            }
            Expr::Cond(condition, then, otherwise) => Term::Any(vec![
                Term::All(vec![self.term(condition, true), self.term(then, wanted)]),
                Term::All(vec![self.term(condition, false), self.term(otherwise, wanted)]),
            ]),
            Expr::Binary(op, left, right) => {
                self.relation(*op, left, right, wanted).unwrap_or(Term::Holds(expr, wanted))
            }
            Expr::Channel(test, channel) if self.messages_move_singly() && self.is_fixed(channel) => {
                match (test, wanted) {
                    (ChannelTest::Full, true) | (ChannelTest::NotFull, false) => Term::Full(channel),
                    (ChannelTest::Empty, true) | (ChannelTest::NotEmpty, false) => Term::Empty(channel),
                    _ => Term::Holds(expr, wanted),
                }
            }
            Expr::Poll(receive)
                if wanted
                    && !receive.random
                    && self.messages_move_singly()
                    && self.is_same_message(receive) =>
            {
                Term::First(receive)
            }
            Expr::AtState { process, pid, state, .. } if wanted && self.is_fixed(pid) => {
                let states = &self.model.process(*process).states;
                let is_there = |id: StateId| states[id.index()].number == *state;
                let distances = distances(self.model, *process, &Targets { states: &is_there, gone: false });
                let unborn =
                    distances[self.model.process(*process).initial.index()].saturating_add(1).min(FAR);
                // Another process may get its number when it is gone.
                let is_new = self.is_bound() && rules::is_started(self.model, *process);
                let nearer = |distance: u32| if is_new { distance.min(unborn) } else { distance };
                let distances = distances.into_iter().map(nearer).collect();
                Term::At { pid, process: *process, distances, unborn }
            }
            _ => Term::Holds(expr, wanted),
        }
    }

    fn is_bound(&self) -> bool {
        self.measure.conjunction == Conjunction::Max
    }

    /// A lower bound must know that no step makes it another channel or process.
    fn is_fixed(&self, number: &Expr) -> bool {
        !self.is_bound() || matches!(number, Expr::Const(_) | Expr::OwnChannel(_) | Expr::PidOf(_))
    }

    /// Nor that another message is meant.
    fn is_same_message(&self, receive: &Receive) -> bool {
        let varies = |pattern: &panoptes_model::Pattern| matches!(pattern, panoptes_model::Pattern::Match(expected) if !matches!(expected, Expr::Const(_)));
        !self.is_bound() || self.is_fixed(&receive.channel) && !receive.patterns.iter().any(varies)
    }

    /// A lower bound must know that no step moves two messages, nor puts one before others.
    fn messages_move_singly(&self) -> bool {
        !self.is_bound() || !rules::blocks_talk(self.model) && !self.has_sorted_sends()
    }

    fn has_sorted_sends(&self) -> bool {
        let actions = self.model.transitions.iter().flat_map(|transition| &transition.actions);
        actions.into_iter().any(|action| matches!(action, panoptes_model::Action::Send(send) if send.sorted))
    }

    /// A relation between a constant and what moves by one.
    fn relation(&self, op: BinaryOp, left: &'m Expr, right: &'m Expr, wanted: bool) -> Option<Term<'m>> {
        let (number, bound, op) = match (left, right) {
            (number, Expr::Const(bound)) => (number, *bound, op),
            (Expr::Const(bound), number) => (number, *bound, mirrored(op)?),
            _ => return None,
        };
        let ty = match number {
            Expr::Channel(ChannelTest::Len, channel)
                if self.messages_move_singly() && self.is_fixed(channel) =>
            {
                None
            }
            Expr::Load(place) if !self.is_bound() || !rules::may_meet(self.model) => {
                let variable = Variable::at(place, self.process)?;
                rules::moves_by_one(self.model, variable).then_some(Some(place.ty))?
            }
            // It is 0 before its process lives and behind its end.
            Expr::Remote { process, place, .. } if !self.is_bound() => {
                let variable = Variable::at(place, Some(*process))?;
                rules::moves_by_one(self.model, variable).then_some(Some(place.ty))?
            }
            _ => return None,
        };
        let relation = if wanted { as_relation(op)? } else { opposite(op)? };
        // A lower bound must know that a number that goes beyond its type begins again.
        let ty = ty.filter(|_| self.is_bound());
        Some(Term::Counter { number, relation, bound, ty })
    }
}

fn as_relation(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Lt | Le | Gt | Ge | Eq | Ne).then_some(op)
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match as_relation(op)? {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        same => same,
    })
}

pub(super) fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match as_relation(op)? {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        _ => BinaryOp::Eq,
    })
}

impl Term<'_> {
    /// The row of the table that it is, if it has no parts.
    fn row(&self) -> Option<EstimateRow> {
        Some(match self {
            Term::Holds(..) => EstimateRow::Condition,
            Term::Counter { .. } => EstimateRow::Counter,
            Term::Full(_) | Term::Unwanted(_) => EstimateRow::Full,
            Term::Empty(_) | Term::Unavailable(_) => EstimateRow::Empty,
            Term::First(_) => EstimateRow::Poll,
            Term::At { .. } => EstimateRow::At,
            _ => return None,
        })
    }

    /// Notes the entries of a user's table that are used.
    pub fn note_entries(&self, used: &mut Vec<usize>) {
        match self {
            Term::All(parts) | Term::Any(parts) => parts.iter().for_each(|part| part.note_entries(used)),
            Term::Given { entry, .. } => used.push(*entry),
            _ => {}
        }
    }

    /// About how many steps it takes until the term holds, as a process sees it.
    pub fn estimate(&self, look: Look<'_>, pid: usize, conjunction: Conjunction) -> u32 {
        match self {
            Term::True => 0,
            Term::False => FAR,
            Term::All(parts) => parts
                .iter()
                .map(|part| part.estimate(look, pid, conjunction))
                .fold(0, |a, b| conjunction.join(a, b)),
            Term::Any(parts) => {
                parts.iter().map(|part| part.estimate(look, pid, conjunction)).min().unwrap_or(FAR)
            }
            Term::Holds(condition, wanted) => match look.eval(pid, condition) {
                Some(value) => u32::from((value != 0) != *wanted),
                None => 1,
            },
            Term::Counter { number, relation, bound, ty } => match look.eval(pid, number) {
                Some(value) => to_relation(value, *relation, *bound, *ty),
                None => 1,
            },
            Term::Full(channel) => match look.queue(pid, channel) {
                Some(queue) => queue.capacity().max(1).saturating_sub(queue.len) as u32,
                None => 1,
            },
            Term::Empty(channel) => look.queue(pid, channel).map_or(1, |queue| queue.len as u32),
            Term::First(receive) => match look.queue(pid, &receive.channel) {
                Some(queue) => {
                    let fits = |slot: &usize| look.fits(pid, receive, &queue, *slot);
                    (0..queue.len).find(fits).unwrap_or(queue.len + 1) as u32
                }
                None => 1,
            },
            Term::Unavailable(receive) => {
                u32::from(look.slot(pid, receive).is_some_and(|slot| slot.is_some()))
            }
            Term::Unwanted(send) => match look.queue(pid, &send.channel) {
                Some(queue) if queue.channel.is_rendezvous() => u32::from(look.has_partner(pid, send)),
                Some(queue) => queue.capacity().saturating_sub(queue.len) as u32,
                None => 0,
            },
            Term::At { pid: other, process, distances, unborn } => match look.living(pid, other) {
                Some(Some(other)) if look.process_id(other) == *process => {
                    distances[look.state(other).index()]
                }
                _ => *unborn,
            },
            Term::Given { distance, .. } => {
                let value = look.eval(pid, distance).unwrap_or(0);
                u32::try_from(value).unwrap_or(0).min(FAR)
            }
            Term::Scaled(weight, term) => {
                term.estimate(look, pid, conjunction).saturating_mul(*weight).min(FAR)
            }
        }
    }
}

/// How many steps by one it takes until `value` stands so to `bound`.
fn to_relation(value: i32, relation: BinaryOp, bound: i32, ty: Option<ScalarType>) -> u32 {
    let (value, bound) = (i64::from(value), i64::from(bound));
    let steps = match relation {
        BinaryOp::Lt => value - bound + 1,
        BinaryOp::Le => value - bound,
        BinaryOp::Gt => bound - value + 1,
        BinaryOp::Ge => bound - value,
        BinaryOp::Eq => (value - bound).abs(),
        _ => i64::from(value == bound),
    };
    let around = match ty {
        Some(ty) => {
            let (low, high) = match ty.signed {
                true => (-(1i64 << (ty.bits - 1)), (1i64 << (ty.bits - 1)) - 1),
                false => (0, (1i64 << ty.bits) - 1),
            };
            (high - value).min(value - low) + 1
        }
        None => i64::from(FAR),
    };
    steps.clamp(0, i64::from(FAR)).min(around.max(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_measured() {
        let steps = |value, relation, bound| to_relation(value, relation, bound, None);
        assert_eq!(steps(3, BinaryOp::Eq, 10), 7);
        assert_eq!(steps(3, BinaryOp::Ne, 3), 1);
        assert_eq!((steps(3, BinaryOp::Lt, 3), steps(2, BinaryOp::Lt, 3)), (1, 0));
        assert_eq!(
            (steps(9, BinaryOp::Le, 3), steps(0, BinaryOp::Gt, 3), steps(0, BinaryOp::Ge, 3)),
            (6, 4, 3)
        );
        // A byte that is counted down from 2 is 255 after three steps.
        assert_eq!(to_relation(2, BinaryOp::Eq, 250, Some(ScalarType::BYTE)), 3);
        assert_eq!(to_relation(2, BinaryOp::Eq, 4, Some(ScalarType::BYTE)), 2);
    }

    #[test]
    fn relations_are_turned() {
        for (op, a, b) in [(BinaryOp::Lt, 1, 2), (BinaryOp::Ge, 5, 5), (BinaryOp::Ne, 1, 1)] {
            let holds = op.apply(a, b).expect("a value") != 0;
            assert_eq!(opposite(op).and_then(|op| op.apply(a, b)), Some(i32::from(!holds)));
            assert_eq!(mirrored(op).and_then(|op| op.apply(b, a)), Some(i32::from(holds)));
        }
        assert_eq!(as_relation(BinaryOp::Add), None);
    }
}
