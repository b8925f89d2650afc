//! What the automaton of a temporal property asks about a state.

use crate::working_state::{Outcome, WorkingState};
use panoptes_exec::{Condition, Fault};
use panoptes_model::Expr;

/// Who asks: no process, and none of the places that a condition looks at is its own. (`enabled` must not be asked of oneself.)
const NOBODY: usize = u8::MAX as usize;

impl WorkingState<'_> {
    /// Which of the wanted conditions hold in the loaded vector.
    pub fn conditions(&self, conditions: &[Condition], wanted: u64) -> Result<u64, Fault> {
        let mut held = 0;
        let mut rest = wanted;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let holds = match &conditions[bit as usize] {
                Condition::Holds(condition, span) => {
                    self.holds(NOBODY, condition).map_err(|trouble| trouble.at(*span))?
                }
                Condition::Accepting => (0..self.process_count())
                    .any(|pid| self.process(pid).states[self.control_state(pid).index()].accepting),
            };
            held |= u64::from(holds) << bit;
        }
        Ok(held)
    }

    /// What an expression is for somebody who looks on.
    pub fn value(&self, expr: &Expr) -> Outcome<i32> {
        self.eval(NOBODY, expr)
    }
}
