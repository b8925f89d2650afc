//! Suspicion of success: does a property hold for a trivial reason?
//!
//! A formula is suspected of an atom if it would hold whatever the others are, were the atom always true, or always false, and does not say
//! itself that it is. So `[] (p -> <> q)` is suspected of a `p` that never holds and of a `q` that always does, and `[] !error` is not
//! suspected. A suspicion is a condition that should hold in some state. The search for a violation looks out for it; what it has
//! not seen is then looked for in all states of the system, since the automaton of a property need not follow every execution.

use super::Temporal;
use super::conditions::Conditions;
use panoptes_exec::{CONDITIONS_MAX, Condition};
use panoptes_ltl::{AtomId, Budget, ComponentClass, Formula, translate};
use panoptes_model::{BinaryOp, Expr, ExprText, Formula as Written, Model, ProcessKind, TemporalProperty};
use panoptes_search::{Claim, is_ever_changed};
use panoptes_source::{Diagnostic, Span, Warning};

/// More atoms than that are not tried one by one.
const ATOMS_MAX: usize = 8;

/// No automaton that is larger is made for this.
const BUDGET: Budget = Budget { states: 200, edges: 4_000, nodes: 50_000 };

/// Why a property that holds says little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What stands before a `->` never holds.
    Premise(String),
    /// A condition has the same value in every state.
    Constant { condition: String, value: bool },
    /// No step changes what a condition speaks of.
    Unchanging(String),
    /// No execution gets to a label of that kind.
    NoLabel(&'static str),
    /// The claim cannot take its first step.
    NeverMoves,
}

/// What should hold in some state, and what it means if it does not.
#[derive(Clone, Debug)]
pub(super) struct Suspicion {
    /// A bit of the claim's conditions.
    pub condition: u64,
    pub reason: Reason,
}

/// What the formula is suspected of; what is to be watched is added to the conditions. Of the model as it is written the same property is
/// for people: what is searched may have constants for variables that nobody changes.
pub(super) fn of_formula(
    (model, written): (&Model, &TemporalProperty),
    property: &TemporalProperty,
    formula: &Formula,
    conditions: &mut Conditions,
) -> Vec<Suspicion> {
    let atoms: Vec<Expr> = conditions.exprs().cloned().collect();
    let mut found: Vec<Suspicion> = Vec::new();
    let mut suspect = |watched: Expr, reason: Reason| {
        // One that there is no room for, or that may have no value, is not watched.
        let number = conditions.number(&watched, property.span).filter(|_| is_total(&watched));
        let bit = number.map(|number| 1u64 << number);
        if let Some(condition) = bit.filter(|bit| found.iter().all(|other| other.condition != *bit)) {
            found.push(Suspicion { condition, reason });
        }
    };
    let text = |expr: &Expr| text(expr, model);
    for (premise, written) in premises(&property.formula).into_iter().zip(premises(&written.formula)) {
        suspect(premise, Reason::Premise(text(&written)));
    }
    if atoms.len() > ATOMS_MAX {
        return found;
    }
    for (number, atom) in (0..).zip(&atoms) {
        for value in [false, true] {
            let itself = Formula::Atom(AtomId(number));
            let says = Formula::always(if value { itself } else { Formula::negation(itself) });
            if is_valid(&with(formula, number, value)) && !is_valid(&Formula::implies(formula.clone(), says))
            {
                let watched = if value { Expr::negate(atom.clone()) } else { atom.clone() };
                let same = |searched: &&Expr| format!("{searched:?}") == format!("{atom:?}");
                let place = property.formula.atoms().iter().position(same);
                let condition = place.map_or_else(String::new, |place| text(written.formula.atoms()[place]));
                suspect(watched, Reason::Constant { condition, value });
            }
        }
    }
    found
}

/// What labels are suspected of: that no execution gets to one.
pub(super) fn of_labels(claim: &mut Claim, property: Temporal) -> Vec<Suspicion> {
    let (condition, label) = match property {
        Temporal::Acceptance => (Condition::Accepting, "accept"),
        _ => (Condition::Holds(Expr::negate(Expr::NonProgress), Span::default()), "progress"),
    };
    claim.conditions.push(condition);
    let condition = 1 << (claim.conditions.len() - 1);
    vec![Suspicion { condition, reason: Reason::NoLabel(label) }]
}

/// What a claim is suspected of: that it cannot take its first step.
pub(super) fn of_claim(claim: &mut Claim) -> Vec<Suspicion> {
    let literal = |bit: usize, holds: bool| match &claim.conditions[bit] {
        Condition::Holds(expr, _) if holds => Some(expr.clone()),
        Condition::Holds(expr, _) => Some(Expr::negate(expr.clone())),
        // Edges come in pairs, with labels and without.
        Condition::Accepting => None,
    };
    let both = |left: Expr, right: Expr| Expr::binary(BinaryOp::And, left, right);
    let can_begin = claim.states[0].edges.iter().map(|edge| {
        let bits = (0..claim.conditions.len()).filter_map(|bit| {
            match (edge.holds >> bit & 1, edge.fails >> bit & 1) {
                (1, _) => literal(bit, true),
                (_, 1) => literal(bit, false),
                _ => None,
            }
        });
        bits.reduce(both)
    });
    // An edge without a condition can always be taken.
    let Some(edges) = can_begin.collect::<Option<Vec<Expr>>>() else { return Vec::new() };
    let begins = edges.into_iter().reduce(|left, right| Expr::binary(BinaryOp::Or, left, right));
    let room = claim.conditions.len() < CONDITIONS_MAX;
    let Some(begins) = begins.filter(|begins| room && is_total(begins)) else { return Vec::new() };
    claim.conditions.push(Condition::Holds(begins, Span::default()));
    vec![Suspicion { condition: 1 << (claim.conditions.len() - 1), reason: Reason::NeverMoves }]
}

/// The conditions of a formula or automaton that no step changes.
pub(super) fn unchanging(model: &Model, property: Temporal) -> Vec<Reason> {
    let (Temporal::Formula(index) | Temporal::Automaton(index)) = property else { return Vec::new() };
    let is_still = |expr: &&Expr| !matches!(expr, Expr::Const(_)) && !is_ever_changed(model, expr);
    let conditions = model.temporal[index].formula.atoms().into_iter();
    let texts = conditions.filter(is_still).map(|expr| text(expr, model));
    texts.map(Reason::Unchanging).collect()
}

/// A condition for people, who write no number for the only process of a type.
fn text(condition: &Expr, model: &Model) -> String {
    let text = ExprText::in_model(condition, model).to_string();
    let mut parts = text.split("[pid_of(");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.split_once(")]").map_or(part, |(_, rest)| rest))
}

/// What to say of a property that holds for this reason.
pub(crate) fn warning(model: &Model, property: Temporal, reason: &Reason) -> Diagnostic {
    let title = property.title(model);
    let (message, help) = match reason {
        Reason::Premise(premise) => (
            format!("{title} holds, but what it says `->` of never happens: `{premise}` is never true"),
            "`--reach` shows how a condition becomes true, or that it never does",
        ),
        Reason::Constant { condition, value: true } => (
            format!("{title} holds, but only because `{condition}` is always true"),
            "say what should become true that is not so from the start",
        ),
        Reason::Constant { condition, value: false } => (
            format!("{title} holds, but only because `{condition}` is never true"),
            "`--reach` shows how a condition becomes true, or that it never does",
        ),
        Reason::Unchanging(condition) => (
            format!("{title} holds, but nothing in the model changes what `{condition}` speaks of"),
            "is another variable meant?",
        ),
        Reason::NoLabel(label) => (
            format!(
                "nothing is wrong with the {title}, but no execution gets to a label that begins with `{label}`"
            ),
            "see among the unreached statements",
        ),
        Reason::NeverMoves => (
            format!(
                "{title} is not violated, but it never moves: in the initial state no first step of it is possible"
            ),
            "a claim that is to wait begins with a loop that has `:: true`",
        ),
    };
    Diagnostic::warning(Warning::VacuousProperty, place(model, property), message).help(help)
}

/// Where a property stands.
fn place(model: &Model, property: Temporal) -> Span {
    let states = || {
        let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
        processes.flat_map(|process| &process.states)
    };
    let place = match property {
        Temporal::Formula(index) | Temporal::Automaton(index) => Some(model.temporal[index].span),
        Temporal::Claim(index) => Some(model.process(model.claims[index]).span),
        Temporal::Acceptance => states().find(|state| state.accepting).map(|state| state.span),
        Temporal::Progress => states().find(|state| state.progress).map(|state| state.span),
        Temporal::Stuck => None,
    };
    place.unwrap_or_default()
}

/// The conditions on the left of a `->`: those that should hold at some time.
fn premises(formula: &Written) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut parts = vec![formula];
    while let Some(part) = parts.pop() {
        if let Written::Implies(premise, _) = part {
            found.extend(of_state(premise));
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

/// The formula with a constant in place of an atom.
fn with(formula: &Formula, atom: u32, value: bool) -> Formula {
    let of = |operand: &Formula| with(operand, atom, value);
    match formula {
        Formula::Atom(AtomId(number)) if *number == atom => {
            if value {
                Formula::True
            } else {
                Formula::False
            }
        }
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(f) => Formula::negation(of(f)),
        Formula::Next(f) => Formula::next(of(f)),
        Formula::Always(f) => Formula::always(of(f)),
        Formula::Eventually(f) => Formula::eventually(of(f)),
        Formula::And(l, r) => Formula::and(of(l), of(r)),
        Formula::Or(l, r) => Formula::or(of(l), of(r)),
        Formula::Implies(l, r) => Formula::implies(of(l), of(r)),
        Formula::Equiv(l, r) => Formula::equiv(of(l), of(r)),
        Formula::Until(l, r) => Formula::until(of(l), of(r)),
        Formula::WeakUntil(l, r) => Formula::weak_until(of(l), of(r)),
        Formula::Release(l, r) => Formula::release(of(l), of(r)),
    }
}

/// Does it hold of every word? No, if that takes too long to know.
fn is_valid(formula: &Formula) -> bool {
    let negated = Formula::negation(formula.clone());
    translate(&negated, &BUDGET).is_ok_and(|automaton| {
        let classes = automaton.classes();
        classes.classes().iter().all(|class| *class == ComponentClass::NonAccepting)
    })
}

/// Has it a value in every state?
fn is_total(condition: &Expr) -> bool {
    let mut total = true;
    condition.walk(&mut |e| {
        total &= match e {
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => false,
            Expr::Load(place) => place.indices.is_empty(),
            Expr::Remote { place, .. } => place.indices.is_empty(),
            Expr::Channel(_, number) => matches!(**number, Expr::Const(_)),
            Expr::Poll(receive) => matches!(receive.channel, Expr::Const(_)),
            _ => true,
        };
    });
    total
}
