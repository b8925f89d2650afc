//! How much there is to compile: so much and no more at a time, and in all.
//!
//! The code generator takes time and memory that grow faster than a function. A control state with ten thousand options, or
//! a deterministic step of thirty thousand statements, would take it seconds and gigabytes, and nobody looks at the limits of a
//! search meanwhile. Such states are left to the reference executor. Where memory is bounded, so are smaller ones.

use panoptes_model::{Action, ControlState, Guard, Model, TransId};

/// What one function may cost, and what is compiled at a time before the search goes on. Compiling that much takes a few
/// tens of milliseconds.
const ROUND_MAX: usize = 8_000;
/// What is compiled in all, in such rounds: the code stays in memory.
const ROUNDS_MAX: usize = 50;

/// The code generator itself takes so much when it is used for the first time...
const GENERATOR_BYTES: usize = 2 << 20;
/// ...and so much for each part of what it compiles. (Measured: 600 to 3,500.)
const PART_BYTES: usize = 4 << 10;
/// However little memory there is, a control state of ordinary size is compiled.
const ROUND_MIN: usize = 200;

/// What may be compiled at a time if the code generator may take so many bytes.
pub(crate) fn round_max(bytes_max: usize) -> usize {
    (bytes_max.saturating_sub(GENERATOR_BYTES) / PART_BYTES).clamp(ROUND_MIN, ROUND_MAX)
}

/// What may be compiled in all.
pub(crate) fn total_max(bytes_max: usize) -> usize {
    ROUNDS_MAX * round_max(bytes_max)
}

/// To compile one unit is taken to cost as much as so many calls of the reference executor.
const CALLS: u64 = 3;
/// Nobody thinks of compiling before so many.
pub(crate) const CALLS_MIN: u64 = 512;
/// And everybody should after these.
const CALLS_MAX: u64 = 20_000;

/// A cost as a number of calls of the reference executor.
pub(crate) fn in_calls(cost: usize) -> u64 {
    match cost {
        0 => u64::MAX,
        _ => (CALLS * cost as u64).min(CALLS_MAX),
    }
}

/// A step costs so much beside its expressions: it copies the vector and writes the successor.
const STEP: usize = 8;
const ACTION: usize = 2;

/// The cost of a control state: about the number of nodes of what it evaluates. Never much more than what is compared with
/// it, [`ROUND_MAX`].
pub(crate) fn of_state(model: &Model, state: &ControlState) -> usize {
    let mut cost = 0;
    for id in &state.transitions {
        cost += of_transition(model, *id);
        if cost > ROUND_MAX {
            break;
        }
    }
    cost
}

/// The cost of the function that tries all processes of a population.
pub(crate) fn of_pass(process_count: usize) -> usize {
    process_count * STEP
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
                if cost > ROUND_MAX {
                    break;
                }
            }
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_compiled_where_memory_is_bounded() {
        assert_eq!(round_max(usize::MAX), ROUND_MAX);
        assert_eq!(round_max(6 << 20), 1024);
        assert_eq!((round_max(0), total_max(0)), (ROUND_MIN, ROUNDS_MAX * ROUND_MIN));
    }
}
