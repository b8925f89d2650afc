//! From a lasso of the model that was searched to one of the model as it was written.
//!
//! Both take the same steps. But where the search resets variables that nobody reads again, the written model keeps their values, and after
//! one round of the cycle they may differ from those before it. What a round leaves there depends on the steps of the round alone, so in the
//! next round the states are those of this one, from some place on: there the cycle begins.

use crate::path::take;
use crate::{CheckSettings, Loaded};
use panoptes_exec::{Executor, Step};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_search::Finding;

/// Rounds that the cycle may take to close.
const ROUNDS_MAX: usize = 3;

/// Lets the cycle of a lasso close in the model as written. False if it does not.
pub(super) fn close(loaded: &Loaded, settings: &CheckSettings, error: &mut Finding) -> bool {
    let Some(start) = error.cycle_start.filter(|start| *start < error.path.len()) else { return true };
    let mut executor =
        Interpreter::new(&loaded.model, InterpreterOptions { lossy: settings.semantics.lossy });
    let Ok(initial) = executor.initial() else { return false };
    let mut at = (initial, None);
    let mut go = |at: &mut (Vec<u8>, Option<u8>), step: Step| {
        let next = take(&mut executor, &at.0, at.1, step);
        let is_possible = next.is_some();
        next.into_iter().for_each(|next| *at = next);
        is_possible
    };
    if !error.path.iter().take(start).all(|step| go(&mut at, step)) {
        return false;
    }
    let round: Vec<Step> = error.path.iter().skip(start).collect();
    // Where the round that was walked last came along.
    let mut before = vec![at.clone()];
    for step in &round {
        if !go(&mut at, *step) {
            return false;
        }
        before.push(at.clone());
    }
    for rounds in 0..ROUNDS_MAX {
        for place in 0..round.len() {
            // Nobody has control where a cycle begins.
            if before[place] == at && at.1.is_none() {
                let length = start + (rounds + 1) * round.len() + place;
                let walked = error.path.iter().take(start).chain(round.iter().copied().cycle());
                error.path = walked.take(length).collect();
                error.length = length;
                error.cycle_start = Some(length - round.len());
                return true;
            }
            before[place] = at.clone();
            if !go(&mut at, round[place]) {
                return false;
            }
        }
    }
    false
}
