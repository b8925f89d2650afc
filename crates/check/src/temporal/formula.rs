//! From a formula to the automaton that a search follows: that of its negation.

use super::Unfollowed;
use super::conditions::Conditions;
use panoptes_exec::{Fault, FaultKind};
use panoptes_ltl::{AtomId, Automaton, Budget, Formula, StateId, translate};
use panoptes_model::{BinaryOp, Expr, Formula as Written, TemporalProperty};
use panoptes_search::{Claim, ClaimEdge, ClaimState, Target};

/// The automaton of what violates the property.
pub(super) fn violating(property: &TemporalProperty) -> Result<Claim, Unfollowed> {
    let (formula, mut conditions) = read(property)?;
    let watched = premises(&property.formula, property, &mut conditions);
    let negated = Formula::negation(formula);
    let automaton = translate(&negated, &Budget::default())
        .map_err(|_| Unfollowed::new(property.span, "the automaton of the formula is too large"))?;
    if automaton.states() > usize::from(u16::MAX) {
        return Err(Unfollowed::new(property.span, "the automaton of the formula is too large"));
    }
    let name = &property.name;
    let violated = Fault {
        kind: FaultKind::ClaimViolated,
        message: format!("ltl {name}, whatever comes next"),
        span: property.span,
    };
    let cycle = Fault {
        kind: FaultKind::AcceptanceCycle,
        message: format!("ltl {name} violated"),
        span: property.span,
    };
    // The initial state comes first.
    let initial = automaton.initial();
    let number = |state: StateId| match state.0 {
        0 => initial.0 as u16,
        state if state == initial.0 => 0,
        state => state as u16,
    };
    let mut states: Vec<ClaimState> = Vec::new();
    for state in automaton.state_ids() {
        let edges = automaton.edges(state).iter().map(|edge| ClaimEdge {
            holds: edge.label.positive,
            fails: edge.label.negative,
            sets: edge.marks.0,
            to: match is_universal(&automaton, edge.target) {
                true => Target::Violation(violated.clone()),
                false => Target::State(number(edge.target)),
            },
        });
        let edges = match is_universal(&automaton, state) {
            true => vec![ClaimEdge { holds: 0, fails: 0, sets: 0, to: Target::Violation(violated.clone()) }],
            false => edges.collect(),
        };
        states.push(ClaimState::new(edges));
    }
    states.swap(0, initial.index());
    Ok(Claim {
        conditions: conditions.list,
        watched,
        states,
        set_count: automaton.marks(),
        stutters: true,
        cycle,
    })
}

/// The formula over numbered atoms, and what these are.
pub(super) fn read(property: &TemporalProperty) -> Result<(Formula, Conditions), Unfollowed> {
    let mut conditions = Conditions::default();
    let formula = lower(&property.formula, property, &mut conditions)?;
    Ok((formula, conditions))
}

fn lower(
    formula: &Written,
    property: &TemporalProperty,
    conditions: &mut Conditions,
) -> Result<Formula, Unfollowed> {
    let mut of = |operand: &Written| lower(operand, property, conditions);
    Ok(match formula {
        Written::Atom(expr) => match conditions.number(expr, property.span) {
            Some(number) => Formula::Atom(AtomId(number)),
            None => return Err(Unfollowed::new(property.span, "the formula has too many conditions")),
        },
        Written::Not(f) => Formula::negation(of(f)?),
        Written::Always(f) => Formula::always(of(f)?),
        Written::Eventually(f) => Formula::eventually(of(f)?),
        Written::Next(f) => Formula::next(of(f)?),
        Written::And(l, r) => Formula::and(of(l)?, of(r)?),
        Written::Or(l, r) => Formula::or(of(l)?, of(r)?),
        Written::Implies(l, r) => Formula::implies(of(l)?, of(r)?),
        Written::Equiv(l, r) => Formula::equiv(of(l)?, of(r)?),
        Written::Until(l, r) => Formula::until(of(l)?, of(r)?),
        Written::WeakUntil(l, r) => Formula::weak_until(of(l)?, of(r)?),
        Written::Release(l, r) => Formula::release(of(l)?, of(r)?),
    })
}

/// The conditions on the left of a `->`, as bits: those that should hold at some time.
fn premises(formula: &Written, property: &TemporalProperty, conditions: &mut Conditions) -> u64 {
    let mut found = 0;
    let mut parts = vec![formula];
    while let Some(part) = parts.pop() {
        if let Written::Implies(premise, _) = part
            && let Some(condition) = of_state(premise)
        {
            // One that there is no room for is not watched.
            found |= conditions.number(&condition, property.span).map_or(0, |number| 1 << number);
        }
        parts.extend(part.operands());
    }
    found
}

/// The condition that a formula is, if it speaks of one state only.
fn of_state(formula: &Written) -> Option<Expr> {
    let pair = |op: BinaryOp, left: &Written, right: &Written| {
        Some(Expr::binary(op, of_state(left)?, of_state(right)?))
    };
    match formula {
        Written::Atom(expr) => Some(expr.clone()),
        Written::Not(f) => Some(Expr::negate(of_state(f)?)),
        Written::And(l, r) => pair(BinaryOp::And, l, r),
        Written::Or(l, r) => pair(BinaryOp::Or, l, r),
        _ => None,
    }
}

/// Does the automaton accept everything from this state on, by staying in it?
fn is_universal(automaton: &Automaton, state: StateId) -> bool {
    automaton.edges(state).iter().any(|edge| {
        edge.target == state
            && edge.label == panoptes_ltl::Cube::ANY
            && edge.marks.contains(automaton.all_marks())
    })
}
