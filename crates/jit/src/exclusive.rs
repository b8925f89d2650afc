//! Which control states have one possible step at most, as far as their guards tell.
//!
//! In such a state of an indivisible sequence the first step that is possible is the only one, so that nothing has to be kept for
//! the others.

use crate::shapes::constant;
use panoptes_model::{BinaryOp, ControlState, Expr, Guard, Model, ScalarType, UnaryOp};
use std::collections::HashMap;

/// More steps than this are not compared with one another.
const STEPS_MAX: usize = 12;

type Constants = HashMap<u32, (ScalarType, i32)>;

/// Does each possible step of the state exclude all others, and can none of the guards behind it be a fault?
pub(crate) fn are_exclusive(model: &Model, constants: &Constants, state: &ControlState) -> bool {
    let count = state.transitions.len();
    if !(2..=STEPS_MAX).contains(&count) {
        return count < 2;
    }
    let transitions: Vec<_> = state.transitions.iter().map(|id| model.transition(*id)).collect();
    let mut before: Vec<Vec<Atom>> = Vec::new();
    for (index, transition) in transitions.iter().enumerate() {
        match &transition.guard {
            // It looks at all steps before it.
            Guard::Otherwise => {
                if index + 1 < count {
                    return false;
                }
            }
            Guard::Always => return false,
            Guard::When(condition) => {
                if index > 0 && !cannot_fail(constants, condition) {
                    return false;
                }
                let mut atoms = Vec::new();
                conjuncts(condition, &mut atoms);
                if before.iter().any(|other| !contradict(other, &atoms)) {
                    return false;
                }
                before.push(atoms);
            }
        }
    }
    true
}

/// A comparison of something with a constant.
struct Atom {
    what: String,
    values: Values,
}

#[derive(Clone, Copy)]
enum Values {
    Between(i64, i64),
    AllBut(i64),
}

impl Values {
    fn of(op: BinaryOp, value: i64) -> Option<Values> {
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        Some(match op {
            BinaryOp::Eq => Values::Between(value, value),
            BinaryOp::Ne => Values::AllBut(value),
            BinaryOp::Lt => Values::Between(least, value - 1),
            BinaryOp::Le => Values::Between(least, value),
            BinaryOp::Gt => Values::Between(value + 1, most),
            BinaryOp::Ge => Values::Between(value, most),
            _ => return None,
        })
    }

    fn are_disjoint(self, other: Values) -> bool {
        match (self, other) {
            (Values::Between(a, b), Values::Between(c, d)) => a.max(c) > b.min(d),
            (Values::AllBut(but), Values::Between(a, b)) | (Values::Between(a, b), Values::AllBut(but)) => {
                a == b && a == but
            }
            (Values::AllBut(_), Values::AllBut(_)) => false,
        }
    }
}

fn contradict(some: &[Atom], others: &[Atom]) -> bool {
    some.iter().any(|a| others.iter().any(|b| a.what == b.what && a.values.are_disjoint(b.values)))
}

/// What must hold for the condition to hold, as far as it is understood.
fn conjuncts(condition: &Expr, atoms: &mut Vec<Atom>) {
    let mut add = |what: &Expr, op: BinaryOp, value: i32| {
        atoms.extend(
            Values::of(op, i64::from(value)).map(|values| Atom { what: format!("{what:?}"), values }),
        );
    };
    match condition {
        Expr::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, atoms);
            conjuncts(right, atoms);
        }
        Expr::Binary(op, left, right) => match (&**left, &**right) {
            (left, Expr::Const(value)) => add(left, *op, *value),
            (Expr::Const(value), right) => add(right, mirrored(*op), *value),
            _ => {}
        },
        Expr::Unary(UnaryOp::Not, operand) => match &**operand {
            Expr::Binary(op, left, right) => {
                let (Expr::Const(value), Some(op)) = (&**right, negated(*op)) else {
                    return add(operand, BinaryOp::Eq, 0);
                };
                add(left, op, *value);
            }
            operand => add(operand, BinaryOp::Eq, 0),
        },
        other => add(other, BinaryOp::Ne, 0),
    }
}

/// The comparison that says the same with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Eq => BinaryOp::Eq,
        BinaryOp::Ne => BinaryOp::Ne,
        // Not a comparison, whichever way round.
        _ => BinaryOp::Add,
    }
}

fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    })
}

/// Has the expression a value in every state?
fn cannot_fail(constants: &Constants, expr: &Expr) -> bool {
    !expr.any(&|part| match part {
        Expr::Const(_) | Expr::Unary(..) | Expr::SelfPid | Expr::ProcessCount | Expr::LastPid => false,
        Expr::OwnChannel(_) | Expr::Cond(..) => false,
        Expr::Load(place) => !place.indices.is_empty(),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, right) => {
            !matches!(**right, Expr::Const(value) if value != 0)
        }
        Expr::Binary(..) => false,
        Expr::Channel(_, channel) => constant(constants, channel).is_none(),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(condition: &Expr) -> Vec<Atom> {
        let mut atoms = Vec::new();
        conjuncts(condition, &mut atoms);
        atoms
    }

    fn compare(op: BinaryOp, value: i32) -> Expr {
        Expr::binary(op, Expr::SelfPid, Expr::Const(value))
    }

    fn excludes(some: &Expr, other: &Expr) -> bool {
        contradict(&atoms(some), &atoms(other))
    }

    #[test]
    fn guards_that_contradict_each_other() {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne};
        assert!(excludes(&compare(Eq, 1), &compare(Eq, 2)));
        assert!(excludes(&compare(Eq, 1), &compare(Ne, 1)));
        assert!(excludes(&compare(Lt, 3), &compare(Ge, 3)));
        assert!(excludes(&compare(Le, 3), &compare(Gt, 3)));
        assert!(excludes(&compare(Lt, 3), &Expr::negate(compare(Lt, 3))));
        assert!(excludes(&Expr::SelfPid, &Expr::negate(Expr::SelfPid)));
        let both = Expr::binary(And, Expr::binary(Eq, Expr::ProcessCount, Expr::Const(1)), compare(Eq, 1));
        assert!(excludes(&both, &compare(Eq, 0)));
        assert!(excludes(&Expr::binary(Lt, Expr::Const(3), Expr::SelfPid), &compare(Lt, 4)));
        assert!(!excludes(&compare(Eq, 1), &compare(Ne, 2)));
        assert!(!excludes(&compare(Le, 3), &compare(Ge, 3)));
        assert!(!excludes(&compare(Ne, 1), &compare(Ne, 2)));
        assert!(!excludes(&compare(Eq, 1), &Expr::binary(Eq, Expr::ProcessCount, Expr::Const(2))));
    }
}
