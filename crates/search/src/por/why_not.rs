//! Models that are not reduced, and why: their steps depend on more than the reducer looks at.

use panoptes_model::{Action, BinaryOp, Expr, Guard, Model, ProcessKind, Transition};

/// Why a model is searched without partial order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// Some expression looks into another process: its variables, its control state, whether it can move.
    LooksIntoProcesses,
    /// Some expression asks which process moved last.
    LastProcess,
    Priorities,
    ProvidedClauses,
    /// The monitor's patterns look at variables.
    Monitor,
    /// `timeout` other than as a condition of a step.
    TimeoutInExpression,
    /// A hidden variable is read: what follows depends on more than the state.
    HiddenRead,
    /// The property asks what processes can do or did.
    SeesEverything,
    /// The property can tell how often a state is repeated.
    CountsRepetitions,
    /// Who moves counts.
    Fairness,
}

impl std::fmt::Display for WhyNot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            WhyNot::LooksIntoProcesses => "a process looks into another one",
            WhyNot::LastProcess => "the model asks which process moved last",
            WhyNot::Priorities => "processes have priorities",
            WhyNot::ProvidedClauses => "processes have provided clauses",
            WhyNot::Monitor => "a trace assertion looks at variables",
            WhyNot::TimeoutInExpression => "timeout is used inside an expression",
            WhyNot::HiddenRead => "a hidden variable is read",
            WhyNot::SeesEverything => "the property asks what processes can do or did",
            WhyNot::CountsRepetitions => "the property can tell how often a state is repeated",
            WhyNot::Fairness => "with fairness it counts who moves",
        })
    }
}

/// Checks that the rules of the model use nothing that makes reduction unsafe.
pub(super) fn may_reduce(model: &Model) -> Result<(), WhyNot> {
    if !monitor_is_plain(model) {
        return Err(WhyNot::Monitor);
    }
    // The vector keeps the last process even if the question stands where nothing gets to.
    if model.header.last.is_some() {
        return Err(WhyNot::LastProcess);
    }
    if model.uses_priorities || actions(model).any(|action| matches!(action, Action::SetPriority { .. })) {
        return Err(WhyNot::Priorities);
    }
    if model.processes.iter().any(|process| process.provided.is_some()) {
        return Err(WhyNot::ProvidedClauses);
    }
    let mut problem = None;
    let (mut timeouts, hidden_bytes) = (0, model.header.hidden_bytes);
    model.walk_rules(&mut |expr| match expr {
        Expr::Priority(_) => problem = Some(WhyNot::Priorities),
        Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::ControlPoint(_)
        | Expr::AtState { .. }
        | Expr::Remote { .. } => problem = Some(WhyNot::LooksIntoProcesses),
        Expr::Load(place)
            if place.region == panoptes_model::Region::Global && place.offset < hidden_bytes =>
        {
            problem = Some(WhyNot::HiddenRead);
        }
        Expr::Timeout => timeouts += 1,
        _ => {}
    });
    let as_conditions: usize = model
        .transitions
        .iter()
        .filter(|transition| model.process(transition.process).kind == ProcessKind::Process)
        .map(|transition| timeout_conditions(&transition.guard))
        .sum();
    if timeouts != as_conditions {
        problem = problem.or(Some(WhyNot::TimeoutInExpression));
    }
    problem.map_or(Ok(()), Err)
}

/// Does the monitor look at nothing but the events that it follows?
fn monitor_is_plain(model: &Model) -> bool {
    let mut is_plain = true;
    let in_monitor =
        |transition: &&Transition| model.process(transition.process).kind == ProcessKind::Monitor;
    for transition in model.transitions.iter().filter(in_monitor) {
        is_plain &= matches!(transition.guard, Guard::Always | Guard::Otherwise);
        for action in &transition.actions {
            action.walk(&mut |expr| {
                is_plain &= matches!(expr, Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..));
            });
        }
    }
    is_plain
}

/// How many of the conditions that must hold together are `timeout`.
pub(super) fn timeout_conditions(guard: &Guard) -> usize {
    fn count(expr: &Expr) -> usize {
        match expr {
            Expr::Timeout => 1,
            Expr::Binary(BinaryOp::And, left, right) => count(left) + count(right),
            _ => 0,
        }
    }
    if let Guard::When(condition) = guard { count(condition) } else { 0 }
}

fn actions(model: &Model) -> impl Iterator<Item = &Action> {
    let in_blocks = model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps);
    let in_blocks = in_blocks.flat_map(|step| &step.actions);
    model.transitions.iter().flat_map(|transition| &transition.actions).chain(in_blocks)
}
