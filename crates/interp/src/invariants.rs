//! What must hold in every state.

use crate::working_state::WorkingState;
use panoptes_exec::{Fault, FaultKind};

impl WorkingState<'_> {
    /// The invariants that do not hold in the loaded vector, or cannot be computed there.
    pub fn broken_invariants(&self, out: &mut Vec<Fault>) {
        for invariant in &self.model.invariants {
            // No process executes an invariant, and it looks at no place of its own.
            let kind = if invariant.is_goal { FaultKind::Reached } else { FaultKind::Invariant };
            let message = match self.holds(0, &invariant.condition) {
                Ok(true) => continue,
                // What has no value is not true.
                Err(_) if invariant.is_goal => continue,
                Ok(false) => invariant.text.clone(),
                Err(trouble) => format!("{} has no value: {}", invariant.text, trouble.message),
            };
            out.push(Fault { kind, message, span: invariant.span });
        }
    }
}
