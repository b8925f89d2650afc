//! The last step at which an error could still be avoided.
//!
//! A state is lost if every way of going on from it leads to an error. From the end of a trace backwards, each of its states is
//! searched, depth first, for a way out: a proper end, or a way that comes back to itself and can be gone for ever. What is lost stays
//! known, so the states behind an error are looked at once in all. The search has a limit; beyond it nothing is said.

use crate::{ReplayError, Subject};
use panoptes_exec::{Ending, Step};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// A state and, inside an atomic sequence, the process that has control.
pub type Configuration = (Vec<u8>, Option<u8>);

/// What is known of the last step at which the error could be avoided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastChance {
    /// Before this step (from one) it could; after it, it could not.
    Before { step: usize, instead: Way },
    /// Every execution leads to an error.
    Never,
    /// It was not found out, and why.
    Unknown(String),
}

/// Another step that leads to a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub pid: u8,
    pub process: String,
    pub text: String,
    /// `file:line:column`.
    pub location: String,
    /// The way comes to a proper end; otherwise it can be gone for ever.
    pub ends: bool,
}

/// How long may be searched.
#[derive(Clone, Copy, Debug)]
pub struct AvoidLimits {
    pub states: usize,
    pub time: Duration,
}

impl Default for AvoidLimits {
    fn default() -> AvoidLimits {
        AvoidLimits { states: 200_000, time: Duration::from_secs(2) }
    }
}

/// Looks for the last chance. `states` are the last states of the trace, the one with the error included; `length` is the number of its
/// steps.
pub fn last_chance(
    subject: &mut Subject<'_>,
    states: &[Configuration],
    length: usize,
    limits: AvoidLimits,
) -> Result<LastChance, ReplayError> {
    let mut search = Search { subject, lost: HashSet::new(), limits, until: Instant::now() + limits.time };
    let Some((last, before)) = states.split_last() else { return Ok(LastChance::Never) };
    search.lost.insert(last.clone());
    for (index, state) in before.iter().enumerate().rev() {
        let number = length - (before.len() - index) + 1;
        match search.way_out(state)? {
            Found::Way(step, ends) => {
                let (text, location) = search.subject.statement(number, step.transition)?;
                let process = search.subject.process_name(step.transition);
                let instead = Way { pid: step.pid, process, text, location, ends };
                return Ok(LastChance::Before { step: number, instead });
            }
            Found::None => {}
            Found::Limit => {
                let what = format!("more than {} states or {:?} would be needed", limits.states, limits.time);
                return Ok(LastChance::Unknown(what));
            }
        }
    }
    match states.len() == length + 1 {
        true => Ok(LastChance::Never),
        false => Ok(LastChance::Unknown(format!("it lies before the last {} steps", before.len()))),
    }
}

enum Found {
    Way(Step, bool),
    None,
    Limit,
}

struct Search<'a, 's> {
    subject: &'a mut Subject<'s>,
    /// From here every way leads to an error.
    lost: HashSet<Configuration>,
    limits: AvoidLimits,
    until: Instant,
}

/// A state on the path of the search, with what is left to try.
struct Frame {
    at: Configuration,
    /// The steps that lead on without an error, last one first.
    left: Vec<(Step, Configuration)>,
    /// The step that led here from the first state.
    first: Option<Step>,
}

/// What a state is by itself.
enum Kind {
    Error,
    End,
    Moves(Vec<(Step, Configuration)>),
}

impl Search<'_, '_> {
    fn way_out(&mut self, start: &Configuration) -> Result<Found, ReplayError> {
        let left = match self.look(start)? {
            Kind::Moves(left) => left,
            // Only the last state of a trace has nothing behind it.
            Kind::End | Kind::Error => Vec::new(),
        };
        let mut on_path = HashSet::from([start.clone()]);
        let mut path = vec![Frame { at: start.clone(), left, first: None }];
        while let Some(frame) = path.last_mut() {
            let Some((step, next)) = frame.left.pop() else {
                let done = path.pop().expect("there is a last frame");
                on_path.remove(&done.at);
                self.lost.insert(done.at);
                continue;
            };
            let first = frame.first.unwrap_or(step);
            if self.lost.contains(&next) {
                continue;
            }
            if on_path.contains(&next) {
                return Ok(Found::Way(first, false));
            }
            if self.lost.len() + path.len() >= self.limits.states || Instant::now() >= self.until {
                return Ok(Found::Limit);
            }
            match self.look(&next)? {
                Kind::End => return Ok(Found::Way(first, true)),
                Kind::Error => {
                    self.lost.insert(next);
                }
                Kind::Moves(left) => {
                    on_path.insert(next.clone());
                    path.push(Frame { at: next, left, first: Some(first) });
                }
            }
        }
        Ok(Found::None)
    }

    fn look(&mut self, (state, control): &Configuration) -> Result<Kind, ReplayError> {
        let (control, successors) = self.subject.settle(state, *control)?;
        if control.is_none() {
            let mut broken = Vec::new();
            self.subject.executor.broken_invariants(state, &mut broken);
            if !broken.is_empty() || !successors.stuck.is_empty() {
                return Ok(Kind::Error);
            }
        }
        let mut moves: Vec<(Step, Configuration)> = successors
            .items
            .iter()
            .filter(|item| successors.fault(item).is_none() && item.has_state())
            .map(|item| (item.step(), (successors.state(item).to_vec(), item.control())))
            .collect();
        moves.reverse();
        if !successors.items.is_empty() {
            return Ok(Kind::Moves(moves));
        }
        let is_end = successors.ending == Ending::Valid && successors.end_faults.is_empty();
        Ok(if is_end { Kind::End } else { Kind::Error })
    }
}
