//! How much there is to compile: so much and no more at a time, and in all.
//!
//! The code generator takes time and memory that grow faster than a function. A control state with ten thousand options, or
//! a deterministic step of thirty thousand statements, would take it seconds and gigabytes, and nobody looks at the limits of a
//! search meanwhile. Such states are left to the reference executor.

use panoptes_model::{Action, ControlState, Guard, Model, TransId};

/// What one function may cost. Compiling that much takes a few tens of milliseconds.
pub(crate) const FUNCTION_MAX: usize = 8_000;
/// What is compiled at a time before the search goes on.
pub(crate) const ROUND_MAX: usize = 8_000;
/// What is compiled in all: the code stays in memory.
pub(crate) const TOTAL_MAX: usize = 400_000;

/// A step costs so much beside its expressions: it copies the vector and writes the successor.
const STEP: usize = 8;
const ACTION: usize = 2;

/// The cost of a control state: about the number of nodes of what it evaluates. Never much more than what is compared with
/// it, [`FUNCTION_MAX`].
pub(crate) fn of_state(model: &Model, state: &ControlState) -> usize {
    let mut cost = 0;
    for id in &state.transitions {
        cost += of_transition(model, *id);
        if cost > FUNCTION_MAX {
            break;
        }
    }
    cost
}

fn of_transition(model: &Model, id: TransId) -> usize {
    let transition = model.transition(id);
    STEP + of_guard(&transition.guard) + of_actions(model, &transition.actions)
}

fn of_guard(guard: &Guard) -> usize {
    let mut nodes = 0;
    if let Guard::When(condition) = guard {
        condition.walk(&mut |_| nodes += 1);
    }
    nodes
}

fn of_actions(model: &Model, actions: &[Action]) -> usize {
    let mut cost = 0;
    for action in actions {
        cost += ACTION;
        action.walk(&mut |_| cost += 1);
        if let Action::Block(id) = action {
            for step in model.block(*id).nodes.iter().flat_map(|node| &node.steps) {
                cost += of_guard(&step.guard) + of_actions(model, &step.actions);
                if cost > FUNCTION_MAX {
                    break;
                }
            }
        }
    }
    cost
}
