//! What a check may take, and how far it may go.

use panoptes_model::Model;
use panoptes_search::auto_depth;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Bounds of a check; none where there is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub time: Option<Duration>,
    /// The end of that time, which is given up if more states wait than can be expanded in it.
    pub time_left_over: Option<Duration>,
    /// Bytes for the search: its store and its own structures.
    pub memory: Option<u64>,
    /// Bytes that the process may have in memory all in all, where the system tells.
    pub process_memory: Option<u64>,
    /// No more states than about this are stored.
    pub states: Option<u64>,
    /// The steps of a path.
    pub depth: Option<Depth>,
    /// Steps that put more messages into a channel are left out.
    pub queue: Option<u16>,
}

/// How long a path may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    Steps(u64),
    /// As long as the model suggests: see [`auto_depth`].
    Auto,
}

impl Depth {
    pub fn of(self, model: &Model) -> u64 {
        match self {
            Depth::Steps(steps) => steps,
            Depth::Auto => auto_depth(model),
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Steps(steps) => steps.fmt(f),
            Depth::Auto => f.pad("auto"),
        }
    }
}

impl FromStr for Depth {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Depth, &'static str> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            _ if text == "auto" => Ok(Depth::Auto),
            Ok(steps) if is_number && steps > 0 => Ok(Depth::Steps(steps)),
            _ => Err("it must be a whole number, one or more, or `auto`"),
        }
    }
}

impl Limits {
    /// No bound but this on the steps of a path.
    pub fn of_depth(steps: u64) -> Limits {
        Limits { depth: Some(Depth::Steps(steps)), ..Limits::default() }
    }

    /// No bound but this on the number of states.
    pub fn of_states(states: u64) -> Limits {
        Limits { states: Some(states), ..Limits::default() }
    }

    /// No bound but this on time.
    pub fn of_time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// The same with the time that is left, if it has been running since `start`.
    pub(crate) fn since(self, start: Instant) -> Limits {
        Limits { time: self.time.map(|time| time.saturating_sub(start.elapsed())), ..self }
    }

    /// The same for a model, whose own depth is then known.
    pub(crate) fn of_model(self, model: &Model) -> Limits {
        Limits { depth: self.depth.map(|depth| Depth::Steps(depth.of(model))), ..self }
    }

    /// The bound on the steps of a path; that which comes from the model is known only with it.
    pub(crate) fn steps(&self) -> Option<u64> {
        match self.depth {
            Some(Depth::Steps(steps)) => Some(steps),
            Some(Depth::Auto) | None => None,
        }
    }
}

/// The smaller of two bounds.
pub(crate) fn smaller<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        assert_eq!("12".parse(), Ok(Depth::Steps(12)));
        assert_eq!("auto".parse(), Ok(Depth::Auto));
        assert!(["0", "", "-3", "+3", "deep"].iter().all(|wrong| wrong.parse::<Depth>().is_err()));
    }
}
