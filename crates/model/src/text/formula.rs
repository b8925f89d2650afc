//! Temporal formulas in words.

use super::expr::Names;
use crate::{Expr, Formula};

/// Every operand that has a binary operator of its own stands in parentheses: nobody remembers how tightly `U` binds.
pub(super) fn formula_text(formula: &Formula, names: Names<'_>) -> String {
    let unary = |symbol: &str, f: &Formula| format!("{symbol}{}", operand(f, names));
    match formula {
        Formula::Atom(e) => names.expr(e),
        Formula::Not(f) => unary("!", f),
        Formula::Always(f) => unary("[]", f),
        Formula::Eventually(f) => unary("<>", f),
        Formula::Next(f) => unary("X ", f),
        Formula::Rejected(automaton) => {
            let conditions: Vec<String> = automaton.conditions.iter().map(|e| names.expr(e)).collect();
            let states = automaton.states.len();
            format!("an automaton of {states} states over {} rejects it", conditions.join(", "))
        }
        _ => match binary(formula) {
            Some((symbol, left, right)) => {
                format!("{} {symbol} {}", operand(left, names), operand(right, names))
            }
            None => String::new(),
        },
    }
}

fn operand(formula: &Formula, names: Names<'_>) -> String {
    let text = formula_text(formula, names);
    let is_whole = match formula {
        Formula::Atom(e) => !matches!(e, Expr::Binary(..) | Expr::Cond(..)),
        _ => binary(formula).is_none(),
    };
    if is_whole { text } else { format!("({text})") }
}

fn binary(formula: &Formula) -> Option<(&'static str, &Formula, &Formula)> {
    match formula {
        Formula::And(l, r) => Some(("&&", l, r)),
        Formula::Or(l, r) => Some(("||", l, r)),
        Formula::Implies(l, r) => Some(("->", l, r)),
        Formula::Equiv(l, r) => Some(("<->", l, r)),
        Formula::Until(l, r) => Some(("U", l, r)),
        Formula::WeakUntil(l, r) => Some(("W", l, r)),
        Formula::Release(l, r) => Some(("V", l, r)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::constant;

    #[test]
    fn a_response_property_reads_as_it_is_written() {
        let atom = |e| Box::new(Formula::Atom(e));
        let equal = Expr::binary(crate::BinaryOp::Eq, Expr::ProcessCount, constant(2));
        let response = Formula::Implies(atom(equal), Box::new(Formula::Eventually(atom(Expr::Timeout))));
        let always = Formula::Always(Box::new(response));
        assert_eq!(formula_text(&always, Names::default()), "[]((process_count == 2) -> <>timeout)");
        let until = Formula::Until(atom(Expr::Timeout), Box::new(Formula::Not(atom(Expr::NonProgress))));
        assert_eq!(formula_text(&until, Names::default()), "timeout U !non_progress");
    }
}
