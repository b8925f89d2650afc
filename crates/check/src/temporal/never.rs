//! From a never claim, as the model has it, to the automaton that a search follows.
//!
//! A claim is a process that only looks: its statements are conditions and assertions. In each state of the system it takes one
//! of them, or a whole atomic sequence. It has found a violation when it comes to its end or to an `end` label, when an assertion in it is false, or
//! when it passes an `accept` label again and again.

use super::conditions::Conditions;
use super::{Temporal, Unfollowed};
use panoptes_exec::{Fault, FaultKind};
use panoptes_model::{Action, BlockId, Guard, Model, Process, StateId, Transition};
use panoptes_search::{Claim, ClaimEdge, ClaimState, Target};
use panoptes_source::Span;

const TOO_MANY: &str = "the claim has too many conditions";

/// No sequence of a claim's statements within one state of the system is longer.
const SEQUENCE_MAX: usize = 32;

pub(super) fn of_process(model: &Model, process: &Process) -> Result<Claim, Unfollowed> {
    let mut maker = Maker { model, process, conditions: Conditions::default(), edges: Vec::new() };
    let mut states = Vec::new();
    for number in 0..process.states.len() {
        let id = StateId(number as u32);
        maker.edges.clear();
        if is_end(process, id) {
            // Only a claim that is at its end from the start is ever here.
            let end = Target::Violation(maker.end());
            maker.edges.push(ClaimEdge { holds: 0, fails: 0, sets: 0, to: end });
        } else {
            let start = Label { sets: u64::from(process.states[number].accepting), ..Label::default() };
            maker.follow(id, start, 0)?;
        }
        states.push(ClaimState::new(maker.edges.clone()));
    }
    // The initial state comes first.
    let initial = process.initial.0 as u16;
    states.swap(0, usize::from(initial));
    for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
        if let Target::State(to) = &mut edge.to {
            *to = match *to {
                0 => initial,
                to if to == initial => 0,
                to => to,
            };
        }
    }
    let cycle = Fault {
        kind: FaultKind::AcceptanceCycle,
        message: format!("acceptance cycle of the never claim {}", process.name),
        span: process.span,
    };
    let mut claim =
        Claim { conditions: maker.conditions.list, watched: 0, states, set_count: 1, stutters: true, cycle };
    if Temporal::all(model).contains(&Temporal::Acceptance) {
        claim.accept_at_labels().ok_or_else(|| Unfollowed::new(process.span, TOO_MANY))?;
    }
    Ok(claim)
}

struct Maker<'m> {
    model: &'m Model,
    process: &'m Process,
    conditions: Conditions,
    edges: Vec<ClaimEdge>,
}

/// When an edge can be taken, as far as it is known, and the acceptance sets it belongs to.
#[derive(Clone, Copy, Default)]
struct Label {
    holds: u64,
    fails: u64,
    sets: u64,
}

impl Label {
    fn with(self, bit: u64) -> Label {
        Label { holds: self.holds | bit, ..self }
    }

    fn without(self, bit: u64) -> Label {
        Label { fails: self.fails | bit, ..self }
    }

    /// Can it be true at all?
    fn is_possible(self) -> bool {
        self.holds & self.fails == 0
    }

    fn edge(self, to: Target) -> ClaimEdge {
        ClaimEdge { holds: self.holds, fails: self.fails, sets: self.sets, to }
    }
}

/// What must hold so that a statement can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Always,
    When(u64),
    /// None of those before it can.
    Otherwise,
}

impl Maker<'_> {
    /// Adds the edges behind a control state.
    fn follow(&mut self, at: StateId, before: Label, length: usize) -> Result<(), Unfollowed> {
        let rules: Vec<&Transition> =
            self.process.states[at.index()].transitions.iter().map(|id| self.model.transition(*id)).collect();
        if length > SEQUENCE_MAX {
            let span = rules.first().map_or(self.process.span, |rule| rule.span);
            return Err(Unfollowed::new(span, "an atomic sequence of a claim is too long"));
        }
        let mut starts = Vec::new();
        for rule in &rules {
            starts.push(self.start(rule)?);
        }
        for (index, rule) in rules.iter().enumerate() {
            let label = match starts[index] {
                Start::Always => before,
                Start::When(bit) => before.with(bit),
                Start::Otherwise if starts.contains(&Start::Always) => continue,
                Start::Otherwise => none_of(before, &starts),
            };
            if label.is_possible() {
                self.take(rule, label, length)?;
            }
        }
        // Within an atomic sequence, a claim that cannot go on waits here for the next state.
        if length > 0 && !starts.contains(&Start::Always) && !starts.contains(&Start::Otherwise) {
            let label = none_of(before, &starts);
            if label.is_possible() {
                self.edges.push(label.edge(Target::State(at.0 as u16)));
            }
        }
        Ok(())
    }

    /// What the statement needs to begin.
    fn start(&mut self, rule: &Transition) -> Result<Start, Unfollowed> {
        match (&rule.guard, rule.actions.first()) {
            (Guard::When(condition), _) => Ok(Start::When(self.bit(condition, rule.span)?)),
            (Guard::Otherwise, _) => Ok(Start::Otherwise),
            (Guard::Always, Some(Action::Block(block))) => {
                match self.model.block(*block).nodes[self.model.block(*block).entry as usize].steps.as_slice()
                {
                    [step] => match &step.guard {
                        Guard::When(condition) => Ok(Start::When(self.bit(condition, rule.span)?)),
                        _ => Ok(Start::Always),
                    },
                    _ => Err(Unfollowed::new(rule.span, "a d_step of a claim begins with a choice")),
                }
            }
            (Guard::Always, _) => Ok(Start::Always),
        }
    }

    /// Adds the edges that begin with a statement which can be taken under the label.
    fn take(&mut self, rule: &Transition, label: Label, length: usize) -> Result<(), Unfollowed> {
        let mut label = label;
        for action in &rule.actions {
            match action {
                Action::Block(block) => label = self.run(*block, label, rule.span)?,
                // The end of a process.
                Action::Exit => {}
                action => label = self.act(action, label, rule.span)?,
            }
            if !label.is_possible() {
                return Ok(());
            }
        }
        let Some(to) = rule.to.filter(|to| !is_end(self.process, *to)) else {
            let end = self.end();
            self.edges.push(label.edge(Target::Violation(end)));
            return Ok(());
        };
        if rule.keeps_control {
            let sets = label.sets | u64::from(self.process.states[to.index()].accepting);
            return self.follow(to, Label { sets, ..label }, length + 1);
        }
        self.edges.push(label.edge(Target::State(to.0 as u16)));
        Ok(())
    }

    /// Goes through a d_step without choices; an edge to a violation for each assertion in it.
    fn run(&mut self, block: BlockId, label: Label, span: Span) -> Result<Label, Unfollowed> {
        let model = self.model;
        let nodes = &model.block(block).nodes;
        let mut label = label;
        let mut at = Some(model.block(block).entry);
        let mut is_first = true;
        for _ in 0..=nodes.len() {
            let Some(number) = at else { return Ok(label) };
            let [step] = nodes[number as usize].steps.as_slice() else {
                return Err(Unfollowed::new(span, "a d_step of a claim has a choice"));
            };
            match &step.guard {
                Guard::When(condition) if is_first => label = label.with(self.bit(condition, span)?),
                Guard::When(_) => {
                    return Err(Unfollowed::new(
                        span,
                        "a d_step of a claim has a condition behind its first",
                    ));
                }
                Guard::Always | Guard::Otherwise => {}
            }
            is_first = false;
            for action in &step.actions {
                label = self.act(action, label, span)?;
            }
            at = step.next;
        }
        Err(Unfollowed::new(span, "a d_step of a claim does not end"))
    }

    /// What a simple statement makes of the label.
    fn act(&mut self, action: &Action, label: Label, span: Span) -> Result<Label, Unfollowed> {
        match action {
            Action::Assert { condition, text, .. } => {
                let bit = self.bit(condition, span)?;
                let message = format!("assertion violated: {text}");
                let fault = Fault { kind: FaultKind::Assertion, message, span };
                let broken = label.without(bit);
                if broken.is_possible() {
                    self.edges.push(broken.edge(Target::Violation(fault)));
                }
                Ok(label.with(bit))
            }
            Action::Print { .. } | Action::PrintName(_) => Ok(label),
            _ => Err(Unfollowed::new(span, "a claim must not change anything")),
        }
    }

    fn bit(&mut self, condition: &panoptes_model::Expr, span: Span) -> Result<u64, Unfollowed> {
        let number = self.conditions.number(condition, span);
        let number = number.ok_or_else(|| Unfollowed::new(span, TOO_MANY))?;
        Ok(1 << number)
    }

    fn end(&self) -> Fault {
        Fault {
            kind: FaultKind::ClaimViolated,
            message: format!("the claim `{}` comes to its end", self.process.name),
            span: self.process.span,
        }
    }
}

/// Nothing begins here that needs one of the conditions.
fn none_of(label: Label, starts: &[Start]) -> Label {
    starts.iter().fold(label, |label, start| match start {
        Start::When(bit) => label.without(*bit),
        Start::Always | Start::Otherwise => label,
    })
}

/// Has the claim found what it looks for when it comes here? At its end, and at an `end` label, as in SPIN.
fn is_end(process: &Process, state: StateId) -> bool {
    let state = &process.states[state.index()];
    state.transitions.is_empty() || state.end
}
