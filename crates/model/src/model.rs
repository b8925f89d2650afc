//! The whole model.

use crate::{
    Action, Automaton, Block, BlockId, Channel, Enumeration, Estimate, Expr, Header, Monitor, ProcId,
    Process, Requirement, Sense, TransId, Transition, Variable, Waiting,
};
use panoptes_source::Span;

/// Everything an executor needs: the rules, the layout, and the names for people.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub name: String,
    pub header: Header,
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub enumerations: Vec<Enumeration>,
    pub processes: Vec<Process>,
    pub transitions: Vec<Transition>,
    pub blocks: Vec<Block>,
    /// Initial values of globals and messages that are there from the start, in order.
    pub init: Vec<Action>,
    /// The processes of the initial state, in the order of their numbers.
    pub initial: Vec<InitialProcess>,
    pub monitor: Option<Monitor>,
    pub requirements: Vec<Requirement>,
    /// Where processes may get messages that they do not take. All processes are then there from the start and for ever.
    pub waiting: Vec<Waiting>,
    /// The steps that are taken because no message came, whatever else can be done. A search may put them off.
    pub timeouts: Vec<TransId>,
    /// Automata that follow the whole system.
    pub claims: Vec<ProcId>,
    pub temporal: Vec<TemporalProperty>,
    /// What must hold in every state.
    pub invariants: Vec<Invariant>,
    /// What leads a directed search, if somebody wrote it down.
    pub estimate: Option<Estimate>,
    /// Some process has a priority or sets one: only the highest that can move does.
    pub uses_priorities: bool,
}

#[derive(Clone, Debug)]
pub struct InitialProcess {
    pub process: ProcId,
    pub priority: u8,
}

/// A condition on global places and on what can be told of processes from outside. It must hold in every state, that is,
/// in every vector in which nobody has control.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// As it was written, for people.
    pub text: String,
    pub condition: Expr,
    pub span: Span,
    /// What is written is the contrary, and looked for: that the invariant fails is no error, but what a search shows.
    pub is_goal: bool,
}

impl Invariant {
    pub fn new(text: String, condition: Expr, span: Span) -> Invariant {
        Invariant { text, condition, span, is_goal: false }
    }

    /// The invariant that fails where the condition becomes true.
    pub fn until_reached(text: String, condition: Expr, span: Span) -> Invariant {
        Invariant { text, condition: Expr::negate(condition), span, is_goal: true }
    }
}

/// What is looked for, in a model that was made for that.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'m> {
    /// An execution that fulfils the requirement.
    Performed(&'m Requirement),
    /// A state in which the invariant fails.
    Reached(&'m Invariant),
}

/// A named temporal-logic property.
#[derive(Clone, Debug)]
pub struct TemporalProperty {
    pub name: String,
    pub formula: Formula,
    pub span: Span,
}

/// Linear temporal logic over expressions.
#[derive(Clone, Debug)]
pub enum Formula {
    Atom(Expr),
    Not(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Next(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equiv(Box<Formula>, Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
    /// Holds of what the automaton does not accept. Only as the whole formula.
    Rejected(Box<Automaton>),
}

impl Formula {
    /// What its operator stands between or before; none of an expression.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Formula::Atom(_) | Formula::Rejected(_) => Vec::new(),
            Formula::Not(f) | Formula::Always(f) | Formula::Eventually(f) | Formula::Next(f) => vec![f],
            Formula::And(l, r)
            | Formula::Or(l, r)
            | Formula::Implies(l, r)
            | Formula::Equiv(l, r)
            | Formula::Until(l, r)
            | Formula::WeakUntil(l, r)
            | Formula::Release(l, r) => vec![l, r],
        }
    }

    /// The expressions of the formula, from left to right.
    pub fn atoms(&self) -> Vec<&Expr> {
        match self {
            Formula::Atom(e) => vec![e],
            Formula::Rejected(automaton) => automaton.conditions.iter().collect(),
            other => other.operands().into_iter().flat_map(Formula::atoms).collect(),
        }
    }

    /// Calls `visit` on every expression of the formula and all its parts.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.atoms().into_iter().for_each(|e| e.walk(visit));
    }
}

impl Model {
    pub fn process(&self, id: ProcId) -> &Process {
        &self.processes[id.index()]
    }

    pub fn transition(&self, id: TransId) -> &Transition {
        &self.transitions[id.index()]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// What is looked for, if anything but errors is.
    pub fn goal(&self) -> Option<Goal<'_>> {
        let mut requirements = self.requirements.iter();
        let performed = requirements.find(|requirement| requirement.sense == Sense::Reach);
        let reached = self.invariants.iter().find(|invariant| invariant.is_goal);
        performed.map(Goal::Performed).or(reached.map(Goal::Reached))
    }

    /// Some step keeps control: there are chains of transient configurations.
    pub fn has_chains(&self) -> bool {
        self.transitions.iter().any(|transition| transition.keeps_control)
    }

    /// Calls `visit` on every expression of the model's rules (claims, formulas, invariants and estimates excluded).
    pub fn walk_rules(&self, visit: &mut dyn FnMut(&Expr)) {
        use crate::{Guard, ProcessKind};
        for process in self.processes.iter().filter(|process| process.kind == ProcessKind::Process) {
            if let Some(provided) = &process.provided {
                provided.walk(visit);
            }
            process.init.iter().for_each(|action| action.walk(visit));
        }
        for transition in &self.transitions {
            if self.process(transition.process).kind == ProcessKind::Process {
                if let Guard::When(e) = &transition.guard {
                    e.walk(visit);
                }
                transition.actions.iter().for_each(|action| action.walk(visit));
            }
        }
        for step in self.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps) {
            if let Guard::When(e) = &step.guard {
                e.walk(visit);
            }
            step.actions.iter().for_each(|action| action.walk(visit));
        }
    }
}
