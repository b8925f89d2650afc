//! Which code concerns nobody but the process that runs it, and which cannot go wrong.

use crate::facts::Facts;
use crate::ranges::{Interval, Ranges};
use panoptes_model::{Action, BinaryOp, Expr, Guard, Model, Place, ProcId};

/// The model, with what is known of it, for one process type.
#[derive(Clone, Copy)]
pub(crate) struct Local<'a> {
    pub model: &'a Model,
    pub facts: &'a Facts,
    pub ranges: &'a Ranges<'a>,
    pub process: ProcId,
}

/// How deep blocks in blocks are looked into.
const NESTING_MAX: usize = 4;

impl Local<'_> {
    /// Does the value depend only on what this process alone can change, and is there always one?
    pub fn is_private(&self, expr: &Expr) -> bool {
        self.cannot_fail(expr)
            && !expr.any(&|e| match e {
                Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Cond(..)
                | Expr::SelfPid
                | Expr::OwnChannel(_) => false,
                Expr::Load(place) => !self.facts.is_private(self.process, place),
                _ => true,
            })
    }

    /// Does the expression always have a value?
    pub fn cannot_fail(&self, expr: &Expr) -> bool {
        !expr.any(&|e| match e {
            Expr::Load(place) => !self.subscripts_fit(place),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => {
                self.ranges.value(Some(self.process), divisor).contains(Interval::only(0))
            }
            Expr::Remote { place, .. } => !self.subscripts_fit(place),
            Expr::Channel(_, channel) => {
                let all = Interval::new(1, self.model.channels.len() as i64);
                !all.contains(self.ranges.value(Some(self.process), channel))
            }
            Expr::Poll(_) | Expr::Enabled(_) | Expr::Spawn(_) => true,
            _ => false,
        })
    }

    pub fn subscripts_fit(&self, place: &Place) -> bool {
        place.indices.iter().all(|term| {
            let all = Interval::new(0, i64::from(term.len) - 1);
            all.contains(self.ranges.value(Some(self.process), &term.index))
        })
    }

    /// Does the action read and write only what is this process's own, without fail?
    fn is_private_within(&self, action: &Action, nesting: usize) -> bool {
        match action {
            Action::Assign { place, value } => {
                self.is_private(value)
                    && self.facts.is_private(self.process, place)
                    && self.subscripts_fit(place)
                    && place.indices.iter().all(|term| self.is_private(&term.index))
            }
            Action::Assert { condition, .. } => self.is_private(condition),
            Action::Print { args, .. } => args.iter().all(|arg| self.is_private(arg)),
            Action::PrintName(e) => self.is_private(e),
            Action::Exit => self.facts.exits_freely[self.process.index()],
            Action::Block(id) if nesting > 0 => {
                let block = self.model.block(*id);
                // Every step leads on, so the block ends; at every node some step can be taken.
                (0..).zip(&block.nodes).all(|(number, node)| {
                    let leads_on = |next: Option<u32>| next.is_none_or(|next| next > number);
                    let rules: Vec<(&Guard, &[Action])> =
                        node.steps.iter().map(|step| (&step.guard, &step.actions[..])).collect();
                    node.steps.iter().all(|step| leads_on(step.next))
                        && rules
                            .iter()
                            .all(|(guard, actions)| self.is_private_rule(guard, actions, nesting - 1))
                        && self.some_holds(&rules)
                })
            }
            _ => false,
        }
    }

    fn is_private_rule(&self, guard: &Guard, actions: &[Action], nesting: usize) -> bool {
        let guarded = match guard {
            Guard::Always | Guard::Otherwise => true,
            Guard::When(condition) => self.is_private(condition),
        };
        guarded && actions.iter().all(|action| self.is_private_within(action, nesting))
    }

    /// Can one of these rules be taken at any time, and does none of them concern anybody else?
    pub fn always_moves_privately(&self, rules: &[(&Guard, &[Action])]) -> bool {
        !rules.is_empty()
            && rules.iter().all(|(guard, actions)| self.is_private_rule(guard, actions, NESTING_MAX))
            && self.some_holds(rules)
    }

    /// Does one of the guards hold whatever the state is? (The actions of these rules never block.)
    fn some_holds(&self, rules: &[(&Guard, &[Action])]) -> bool {
        let conditions = || {
            rules.iter().filter_map(|(guard, _)| match guard {
                Guard::When(condition) => Some(condition),
                _ => None,
            })
        };
        rules.iter().any(|(guard, _)| matches!(guard, Guard::Always | Guard::Otherwise))
            || conditions()
                .take(COMPARED_MAX)
                .any(|a| conditions().take(COMPARED_MAX).any(|b| are_opposite(a, b)))
            || conditions().any(|condition| {
                !self.ranges.value(Some(self.process), condition).contains(Interval::only(0))
            })
    }

    /// Can two of these rules be taken in the same state?
    pub fn may_choose(&self, rules: &[(&Guard, &[Action])]) -> bool {
        match rules {
            [] | [_] => false,
            [_, (Guard::Otherwise, _)] => false,
            [(Guard::When(a), _), (Guard::When(b), _)] => !are_opposite(a, b),
            _ => true,
        }
    }
}

/// Of so many conditions each is compared with each. What is not found costs a few states, no more.
const COMPARED_MAX: usize = 50;

/// Is always exactly one of the two conditions true, as their form shows?
fn are_opposite(a: &Expr, b: &Expr) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (a, b) {
        (Expr::Unary(panoptes_model::UnaryOp::Not, a), b)
        | (b, Expr::Unary(panoptes_model::UnaryOp::Not, a))
            if are_same(a, b) =>
        {
            true
        }
        (Expr::Binary(p, a1, a2), Expr::Binary(q, b1, b2)) => {
            let opposite = matches!((p, q), (Eq, Ne) | (Ne, Eq) | (Lt, Ge) | (Ge, Lt) | (Gt, Le) | (Le, Gt));
            opposite && are_same(a1, b1) && are_same(a2, b2)
        }
        _ => false,
    }
}

fn are_same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::SelfPid, Expr::SelfPid) => true,
        (Expr::Load(a), Expr::Load(b)) => {
            (a.region, a.offset, a.ty) == (b.region, b.offset, b.ty)
                && a.indices.len() == b.indices.len()
                && a.indices
                    .iter()
                    .zip(&b.indices)
                    .all(|(a, b)| (a.len, a.stride) == (b.len, b.stride) && are_same(&a.index, &b.index))
        }
        (Expr::Unary(p, a), Expr::Unary(q, b)) => p == q && are_same(a, b),
        (Expr::Binary(p, a1, a2), Expr::Binary(q, b1, b2)) => p == q && are_same(a1, b1) && are_same(a2, b2),
        _ => false,
    }
}
