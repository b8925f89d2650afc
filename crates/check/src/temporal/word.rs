//! Does an execution violate a property? The definition, on the execution as it is: each state is asked for what the property
//! speaks of, and the word that this gives is what the formula or the claim must say no to.
//!
//! No search takes part in this: it is how a violation is confirmed before anybody is told of it.

use super::automaton::automaton;
use super::{Temporal, Unfollowed, formula, stuck};
use crate::{CheckSettings, Loaded};
use panoptes_exec::{Ending, Executor, Patience, Step, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_ltl::Lasso;
use panoptes_search::{Claim, Fairness, Finding, Target};
use std::time::Instant;

/// Steps between two looks at the clock.
const LOOK_EVERY: usize = 256;

/// Why the execution does not show it.
pub(crate) enum NotShown {
    Late,
    Because(&'static str),
}

impl From<Unfollowed> for NotShown {
    fn from(_: Unfollowed) -> NotShown {
        NotShown::Because("the property cannot be followed")
    }
}

/// Does the path of a finding show that the property is violated? Fails if it does not.
pub(crate) fn shows(
    loaded: &Loaded,
    settings: &CheckSettings,
    property: Temporal,
    error: &Finding,
    until: Option<Instant>,
) -> Result<(), NotShown> {
    let claim = property.claim(&loaded.model)?;
    let mut executor =
        Interpreter::new(&loaded.model, InterpreterOptions { lossy: settings.semantics.lossy });
    executor.set_patience(&Patience { deadline: until, ..Patience::default() });
    executor.set_conditions(&claim.conditions);
    let word = Word::walk(&mut executor, &claim, error, until)?;
    if property == Temporal::Stuck {
        return stuck::shows(&loaded.model, &mut executor, error, &word, until);
    }
    if error.cycle_start.is_none() && word.lacks_value {
        return Ok(());
    }
    if error.cycle_start.is_none() {
        let mut letters = word.letters;
        if word.has_ended && claim.stutters {
            // The system stays there, and the claim goes on.
            let last = letters.last().copied();
            letters.extend(last.iter().cycle().take(claim.states.len()));
        }
        return match is_violated(&claim, &letters) {
            true => Ok(()),
            false => Err(NotShown::Because("the claim does not come to its end there")),
        };
    }
    if !word.is_fair(settings.fairness) {
        return Err(NotShown::Because("the cycle is not fair to a process"));
    }
    let Some(cycle) = word.cycle else {
        return Err(NotShown::Because("the cycle begins within an atomic sequence"));
    };
    let lasso = Lasso::new(&word.letters[..cycle], &word.letters[cycle..]);
    if !lasso.is_accepted_by(&automaton(&claim, false)) {
        return Err(NotShown::Because("the claim does not accept it"));
    }
    if let Temporal::Formula(index) = property {
        let (formula, _) = formula::read(&loaded.model.temporal[index])?;
        if lasso.satisfies(&formula) {
            return Err(NotShown::Because("the formula holds"));
        }
    }
    Ok(())
}

/// What the states of an execution say to the conditions of a claim.
#[derive(Default)]
pub(super) struct Word {
    /// One for each state in which nobody has control. The last state of a cycle is its first, and not told again.
    letters: Vec<u64>,
    /// How many letters come before the cycle.
    cycle: Option<usize>,
    /// A condition has no value in the last state.
    lacks_value: bool,
    /// Nothing can move in the last state.
    has_ended: bool,
    /// Of each step in the cycle: who moves.
    pub movers: Vec<Step>,
    /// Of each state in the cycle: who could.
    pub enabled: Vec<Vec<u8>>,
    /// The last state.
    pub end: Vec<u8>,
}

impl Word {
    fn walk(
        executor: &mut dyn Executor,
        claim: &Claim,
        error: &Finding,
        until: Option<Instant>,
    ) -> Result<Word, NotShown> {
        let wanted = claim.states.iter().fold(0, |wanted, state| wanted | state.wanted());
        let mut word = Word::default();
        let Ok(mut state) = executor.initial() else {
            return Err(NotShown::Because("there is no initial state"));
        };
        let (mut control, mut out) = (None, Successors::default());
        let is_stuttering = error.cycle_start == Some(error.path.len());
        let mut steps = error.path.iter();
        for length in 0..=error.path.len() {
            if length.is_multiple_of(LOOK_EVERY) && until.is_some_and(|until| Instant::now() >= until) {
                return Err(NotShown::Late);
            }
            executor.successors(&state, control, &mut out);
            // A process that cannot go on has let go.
            let is_state = control.is_none() || out.ending == Ending::LetGo;
            if out.ending == Ending::LetGo {
                executor.successors(&state, None, &mut out);
            }
            word.has_ended = matches!(out.ending, Ending::Valid | Ending::Deadlock);
            let is_in_cycle = error.cycle_start.is_some_and(|start| length >= start);
            let is_last = length == error.path.len();
            if is_state && !(is_last && is_in_cycle && !is_stuttering) {
                if error.cycle_start == Some(length) {
                    word.cycle = Some(word.letters.len());
                }
                word.letters.push(0);
                word.lacks_value = false;
                for bit in
                    (0..claim.conditions.len()).map(|number| 1 << number).filter(|bit| wanted & bit != 0)
                {
                    match executor.conditions(&state, bit) {
                        Ok(held) => *word.letters.last_mut().expect("one was added") |= held,
                        Err(_) => word.lacks_value = true,
                    }
                }
                if is_in_cycle {
                    let possible = out.items.iter().filter(|item| item.has_state());
                    word.enabled.push(pids(possible.map(|item| item.step())));
                }
            }
            let Some(step) = steps.next() else { break };
            if is_in_cycle {
                word.movers.push(step);
            }
            let item = out.items.iter().find(|item| item.has_state() && item.step() == step);
            let Some(item) = item else { return Err(NotShown::Because("a step is not possible")) };
            (state, control) = (out.state(item).to_vec(), item.control());
        }
        word.end = state;
        Ok(word)
    }

    /// Does every process move in the cycle to which fairness owes it?
    fn is_fair(&self, fairness: Fairness) -> bool {
        let movers = pids(self.movers.iter().copied());
        let is_served = |pid: &u8| match fairness {
            Fairness::None => true,
            Fairness::Weak => movers.contains(pid) || self.enabled.iter().any(|pids| !pids.contains(pid)),
            Fairness::Strong => movers.contains(pid),
        };
        self.enabled.iter().flatten().all(is_served)
    }
}

pub(super) fn pids(steps: impl Iterator<Item = Step>) -> Vec<u8> {
    let mut pids: Vec<u8> =
        steps.flat_map(|step| [Some(step.pid), step.partner.map(|(pid, _)| pid)]).flatten().collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

/// Can the claim be led by the letters to a violation in the last state?
fn is_violated(claim: &Claim, letters: &[u64]) -> bool {
    let mut at = vec![0u16];
    for letter in letters {
        let mut next = Vec::new();
        for edge in at.iter().flat_map(|state| &claim.states[usize::from(*state)].edges) {
            match &edge.to {
                _ if !edge.is_open(*letter) => {}
                Target::Violation(_) => return true,
                Target::State(to) => next.push(*to),
            }
        }
        next.sort_unstable();
        next.dedup();
        at = next;
    }
    false
}
