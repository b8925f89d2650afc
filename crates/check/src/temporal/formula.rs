//! From a formula to the automaton that a search follows: that of its negation.

use super::Unfollowed;
use super::conditions::Conditions;
use super::vacuity::{self, Suspicion};
use panoptes_exec::{Fault, FaultKind};
use panoptes_ltl::{AtomId, Automaton, Budget, Cube, Edge, Formula, Marks, StateId, TooLarge, translate};
use panoptes_model::{Automaton as Given, Expr, Formula as Written, Model, TemporalProperty};
use panoptes_search::{Claim, ClaimEdge, ClaimState, Target};

/// The automaton of what violates the property, as it is written, over its conditions in the model that is searched. There two conditions may
/// be the same that are not in the text (both are constants, say), but the automaton must be the one that is replayed.
pub(super) fn violating(
    property: &TemporalProperty,
    searched: &TemporalProperty,
) -> Result<Claim, Unfollowed> {
    let (automaton, mut conditions) = match &property.formula {
        Written::Rejected(given) => numbered(given, property)?,
        _ => {
            let (formula, conditions) = read(property)?;
            let negated = Formula::negation(formula);
            let automaton = translate(&negated, &Budget::default())
                .map_err(|error| Unfollowed::new(property.span, error.to_string()))?;
            (automaton, conditions)
        }
    };
    conditions.restate(&atoms(&property.formula), &atoms(&searched.formula));
    let limit = usize::from(u16::MAX);
    if automaton.states() > limit {
        let error = TooLarge { what: "states", limit };
        return Err(Unfollowed::new(property.span, error.to_string()));
    }
    let name = &property.name;
    let (for_ever, at_once) = match &property.formula {
        Written::Rejected(_) => (format!("{name} accepts it"), format!("{name} accepts whatever comes next")),
        _ => (format!("ltl {name} violated"), format!("ltl {name}, whatever comes next")),
    };
    let fault = |kind: FaultKind, message: String| Fault { kind, message, span: property.span };
    let violated = fault(FaultKind::ClaimViolated, at_once);
    let cycle = fault(FaultKind::AcceptanceCycle, for_ever);
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
        watched: 0,
        states,
        set_count: automaton.marks(),
        stutters: true,
        cycle,
    })
}

/// What the formula is suspected of; the conditions to watch are added to those of its claim.
pub(super) fn suspicions(
    written: (&Model, &TemporalProperty),
    property: &TemporalProperty,
    claim: &mut Claim,
) -> Vec<Suspicion> {
    let Ok((formula, mut conditions)) = read(written.1) else { return Vec::new() };
    conditions.restate(&atoms(&written.1.formula), &atoms(&property.formula));
    let suspicions = vacuity::of_formula(written, property, &formula, &mut conditions);
    claim.conditions = conditions.list;
    suspicions
}

/// A given automaton, with its conditions numbered as those of a claim.
fn numbered(given: &Given, property: &TemporalProperty) -> Result<(Automaton, Conditions), Unfollowed> {
    let mut conditions = Conditions::default();
    let mut numbers = Vec::new();
    for condition in &given.conditions {
        let number = conditions.number(condition, property.span);
        numbers.push(number.ok_or_else(|| Unfollowed::new(property.span, "it has too many conditions"))?);
    }
    let renumber = |bits: u64| {
        let bits = numbers.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        bits.fold(0, |all, (_, number)| all | 1 << number)
    };
    let edges = given.states.iter().map(|edges| {
        let edges = edges.iter().map(|edge| Edge {
            label: Cube { positive: renumber(edge.holds), negative: renumber(edge.fails) },
            marks: Marks(edge.sets),
            target: StateId(edge.to),
        });
        edges.collect()
    });
    let count = conditions.list.len() as u32;
    Ok((Automaton::new(count, given.set_count, StateId(0), edges.collect()), conditions))
}

/// The formula over numbered atoms, and what these are.
pub(super) fn read(property: &TemporalProperty) -> Result<(Formula, Conditions), Unfollowed> {
    let mut conditions = Conditions::default();
    let formula = lower(&property.formula, property, &mut conditions)?;
    Ok((formula, conditions))
}

/// The conditions of a formula in the order of its text, each as often as it is there.
fn atoms(formula: &Written) -> Vec<&Expr> {
    let mut found = Vec::new();
    add_atoms(formula, &mut found);
    found
}

fn add_atoms<'f>(formula: &'f Written, found: &mut Vec<&'f Expr>) {
    match formula {
        Written::Atom(expr) => found.push(expr),
        Written::Rejected(given) => found.extend(&given.conditions),
        Written::Not(f) | Written::Always(f) | Written::Eventually(f) | Written::Next(f) => {
            add_atoms(f, found);
        }
        Written::And(l, r)
        | Written::Or(l, r)
        | Written::Implies(l, r)
        | Written::Equiv(l, r)
        | Written::Until(l, r)
        | Written::WeakUntil(l, r)
        | Written::Release(l, r) => {
            add_atoms(l, found);
            add_atoms(r, found);
        }
    }
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
        Written::Rejected(_) => unreachable!("an automaton is no part of a formula"),
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

/// Does the automaton accept everything from this state on, by staying in it?
fn is_universal(automaton: &Automaton, state: StateId) -> bool {
    automaton.edges(state).iter().any(|edge| {
        edge.target == state && edge.label == Cube::ANY && edge.marks.contains(automaton.all_marks())
    })
}
