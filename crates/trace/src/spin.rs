//! Trails of SPIN: a line for each step, `depth:process:statement`, where statements have the numbers that SPIN gives them.
//!
//! Lines with a negative depth are marks: `-2` says that a claim takes part, which is then process 0 and moves at every other
//! line; `-4` that statements are merged; `-1` that here a cycle begins. A rendezvous takes two lines, the sender's first.

use crate::{Choices, ReplayError, Walk};
use panoptes_exec::Step;
use std::fmt;

/// A trail as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinTrail {
    /// The process and the statement of each step, those of a claim left out.
    pub lines: Vec<(u8, u32)>,
    /// How many lines lead to the cycle, if there is one.
    pub cycle_start: Option<usize>,
    pub is_merged: bool,
    pub has_claim: bool,
}

/// Why a trail cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpinTrailError {
    /// Not a line of a trail.
    Line {
        number: usize,
        text: String,
    },
    /// The model cannot do that there.
    Step {
        line: usize,
        process: u8,
        statement: u32,
    },
    Replay(ReplayError),
}

impl fmt::Display for SpinTrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpinTrailError::Line { number, text } => {
                write!(f, "line {number} is not one of a trail (three numbers with colons): `{text}`")
            }
            SpinTrailError::Step { line, process, statement } => {
                write!(
                    f,
                    "step {line}: process {process} cannot execute statement {statement} there; is it a trail of this model?"
                )
            }
            SpinTrailError::Replay(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SpinTrailError {}

impl From<ReplayError> for SpinTrailError {
    fn from(error: ReplayError) -> SpinTrailError {
        SpinTrailError::Replay(error)
    }
}

impl SpinTrail {
    /// Reads a trail.
    pub fn parse(text: &str) -> Result<SpinTrail, SpinTrailError> {
        let mut trail = SpinTrail::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let numbers: Vec<Option<i64>> = line.trim().split(':').map(|part| part.parse().ok()).collect();
            let wrong = || SpinTrailError::Line { number: index + 1, text: line.chars().take(60).collect() };
            let &[Some(depth), Some(process), Some(statement)] = &numbers[..] else { return Err(wrong()) };
            match depth {
                -1 => trail.cycle_start = Some(trail.lines.len()),
                -2 => trail.has_claim = true,
                -4 => trail.is_merged = true,
                depth if depth < 0 => {}
                _ if trail.has_claim && process == 0 => {}
                _ => {
                    let process = u8::try_from(process - i64::from(trail.has_claim)).map_err(|_| wrong())?;
                    trail.lines.push((process, u32::try_from(statement).map_err(|_| wrong())?));
                }
            }
        }
        Ok(trail)
    }

    /// Is this the beginning of a trail, rather than of a saved trace?
    pub fn looks_like(text: &str) -> bool {
        text.lines().take(3).all(|line| SpinTrail::parse(line).is_ok())
            && text.trim_start().starts_with(['-', '0', '1'])
    }

    /// The trail of a path; `numbers` has SPIN's number of each transition's statement.
    pub fn of_path(
        path: impl IntoIterator<Item = Step>,
        cycle_start: Option<usize>,
        numbers: &[u32],
    ) -> SpinTrail {
        let mut trail = SpinTrail::default();
        let number = |id: panoptes_model::TransId| numbers.get(id.index()).copied().unwrap_or(0);
        for (index, step) in path.into_iter().enumerate() {
            if cycle_start == Some(index) {
                trail.cycle_start = Some(trail.lines.len());
            }
            trail.lines.push((step.pid, number(step.transition)));
            trail.lines.extend(step.partner.map(|(pid, transition)| (pid, number(transition))));
        }
        if trail.cycle_start.is_none() && cycle_start.is_some() {
            trail.cycle_start = Some(trail.lines.len());
        }
        trail
    }

    /// Walks the trail on a model: the path it is, and how many steps of it lead to the cycle.
    pub fn follow(
        &self,
        walk: &mut Walk<'_>,
        numbers: &[u32],
    ) -> Result<(Vec<Step>, Option<usize>), SpinTrailError> {
        let number = |id: panoptes_model::TransId| numbers.get(id.index()).copied();
        let (mut path, mut cycle_start) = (Vec::new(), None);
        let mut at = 0;
        while at < self.lines.len() {
            if self.cycle_start == Some(at) {
                cycle_start = Some(path.len());
            }
            let (process, statement) = self.lines[at];
            let impossible = SpinTrailError::Step { line: at + 1, process, statement };
            let Choices::Steps(choices) = walk.choices()? else { return Err(impossible) };
            let fits = |step: &Step| {
                let is_own = step.pid == process && number(step.transition) == Some(statement);
                let other =
                    step.partner.map(|(pid, transition)| (pid, number(transition).unwrap_or(u32::MAX)));
                is_own && other.is_none_or(|other| self.lines.get(at + 1) == Some(&other))
            };
            let Some(choice) = choices.iter().find(|choice| fits(&choice.step)) else {
                return Err(impossible);
            };
            at += if choice.step.partner.is_some() { 2 } else { 1 };
            path.push(choice.step);
            walk.take(choice)?;
        }
        if self.cycle_start == Some(at) {
            cycle_start = Some(path.len());
        }
        Ok((path, cycle_start))
    }
}

impl fmt::Display for SpinTrail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_merged {
            writeln!(f, "-4:-4:-4")?;
        }
        for (index, (process, statement)) in self.lines.iter().enumerate() {
            if self.cycle_start == Some(index) {
                writeln!(f, "-1:-1:-1")?;
            }
            writeln!(f, "{}:{process}:{statement}", index + 1)?;
        }
        if self.cycle_start == Some(self.lines.len()) {
            writeln!(f, "-1:-1:-1")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::TransId;

    #[test]
    fn a_trail_is_read_without_its_claim() {
        let text = "-2:2:-2\n-4:-4:-4\n1:0:7\n2:1:3\n-1:-1:-1\n3:0:7\n4:2:5\n";
        let trail = SpinTrail::parse(text).expect("a trail");
        let expected =
            SpinTrail { lines: vec![(0, 3), (1, 5)], cycle_start: Some(1), is_merged: true, has_claim: true };
        assert_eq!(trail, expected);
        assert!(SpinTrail::looks_like(text) && !SpinTrail::looks_like("{ \"format\": 1"));
        assert_eq!(
            SpinTrail::parse("1:2\n").unwrap_err().to_string(),
            "line 1 is not one of a trail (three numbers with colons): `1:2`"
        );
    }

    #[test]
    fn a_rendezvous_takes_two_lines() {
        let step = |pid, rule, partner| Step { pid, transition: TransId(rule), partner };
        let path = [step(0, 0, None), step(1, 1, Some((0, TransId(2))))];
        let trail = SpinTrail::of_path(path, Some(1), &[10, 11, 12]);
        assert_eq!(trail.to_string(), "1:0:10\n-1:-1:-1\n2:1:11\n3:0:12\n");
        assert_eq!(SpinTrail::parse(&trail.to_string()), Ok(trail));
    }
}
