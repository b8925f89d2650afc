//! What is shown of a trace that may be long: its first and last steps, and what all of its steps say about its processes.

use panoptes_trace::{Halt, Snapshot, StepEvent, Trace, TraceSink, TraceStep};
use std::collections::{BTreeMap, VecDeque};

/// Of a trace that is longer than this …
pub const ALL_SHOWN: usize = 60;
/// … the first steps are shown …
const FIRST_SHOWN: usize = 10;
/// … and the last ones, where it goes wrong.
const LAST_SHOWN: usize = 40;

/// The parts of a trace that are shown. It is made by telling it the trace, step by step.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// All but the steps.
    pub trace: Trace,
    pub first: Vec<TraceStep>,
    pub last: VecDeque<TraceStep>,
    pub survey: Survey,
    steps_max: usize,
}

impl Excerpt {
    /// All steps, if there are no more than `steps_max`.
    pub fn new(steps_max: usize) -> Excerpt {
        let trace = Trace {
            origin: Default::default(),
            number: None,
            error: None,
            length: 0,
            initial: None,
            steps: Vec::new(),
            end: None,
        };
        let (first, last) = (Vec::new(), VecDeque::new());
        Excerpt { trace, first, last, survey: Survey::default(), steps_max: steps_max.max(ALL_SHOWN) }
    }

    /// All of a trace.
    pub fn whole(mut trace: Trace) -> Excerpt {
        let mut excerpt = Excerpt::new(usize::MAX);
        for step in std::mem::take(&mut trace.steps) {
            excerpt.push(step);
        }
        Excerpt { trace, ..excerpt }
    }

    pub fn push(&mut self, step: TraceStep) {
        self.survey.note(&step);
        if self.survey.count <= self.steps_max {
            self.first.push(step);
            return;
        }
        if self.last.is_empty() {
            self.last = self.first.split_off(FIRST_SHOWN).into();
        }
        self.last.push_back(step);
        while self.last.len() > LAST_SHOWN {
            self.last.pop_front();
        }
    }

    /// How many steps the trace has.
    pub fn length(&self) -> usize {
        self.survey.count
    }

    /// How many of them are not here.
    pub fn left_out(&self) -> usize {
        self.survey.count - self.first.len() - self.last.len()
    }
}

impl TraceSink for Excerpt {
    fn begin(&mut self, head: &Trace) -> Result<(), Halt> {
        self.trace = Trace { steps: Vec::new(), ..head.clone() };
        Ok(())
    }

    fn step(&mut self, step: TraceStep) -> Result<(), Halt> {
        self.push(step);
        Ok(())
    }

    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt> {
        self.trace.end = end;
        Ok(())
    }
}

/// What all steps together tell.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub count: usize,
    pub has_atomic: bool,
    /// Steps of two processes.
    pub rendezvous: usize,
    /// Who takes part.
    pub processes: BTreeMap<(u8, String), Part>,
}

/// What a process does.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    starts: bool,
    is_plain: bool,
}

impl Part {
    /// A process that does nothing but start others is worth a line for each, but no column.
    pub fn only_starts_others(self) -> bool {
        self.starts && self.is_plain
    }
}

impl Survey {
    fn note(&mut self, step: &TraceStep) {
        self.count += 1;
        self.has_atomic |= step.atomic;
        self.rendezvous += usize::from(step.partner.is_some());
        let starts = step.events.iter().any(|event| matches!(event, StepEvent::Start { .. }));
        let is_plain = step.partner.is_none()
            && step.fault.is_none()
            && (starts || matches!(step.text.as_str(), "-end-" | "end of choice" | "end of loop"));
        let partner = step.partner.as_ref().map(|partner| (partner.pid, &partner.process));
        for (pid, process) in [Some((step.pid, &step.process)), partner].into_iter().flatten() {
            // Most steps are of a process that is known: its name need not be copied.
            let key = (pid, process.clone());
            let part = self.processes.entry(key).or_insert(Part { starts: false, is_plain: true });
            part.starts |= starts;
            part.is_plain &= is_plain;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: usize) -> TraceStep {
        TraceStep {
            number,
            pid: 0,
            process: "P".to_string(),
            transition: 0,
            text: "x = 1".to_string(),
            location: String::new(),
            partner: None,
            atomic: false,
            events: Vec::new(),
            changes: Vec::new(),
            fault: None,
        }
    }

    #[test]
    fn a_long_trace_is_shown_by_its_ends() {
        for count in [0, 1, 60, 61, 99, 100, 1000] {
            let mut excerpt = Excerpt::new(0);
            (1..=count).for_each(|number| excerpt.push(step(number)));
            let shown: Vec<usize> =
                excerpt.first.iter().chain(&excerpt.last).map(|step| step.number).collect();
            let expected: Vec<usize> =
                (1..=count).filter(|number| count <= 60 || *number <= 10 || *number > count - 40).collect();
            assert_eq!(shown, expected, "{count}");
            assert_eq!(excerpt.left_out(), count - shown.len());
        }
    }
}
