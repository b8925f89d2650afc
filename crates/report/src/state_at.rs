//! The whole state after some step of a trace, from the trace alone.

use crate::step::{place, process_name};
use crate::wrap::{cut, hanging, one_line};
use crate::{PageState, Paint, Style, human};
use panoptes_trace::{StepEvent, Trace, TraceStep};

/// A state, as the steps before it make it and the steps behind it tell of it.
pub struct StateAt {
    at: usize,
    state: PageState,
    /// Each process that lives: what it did last, and what it does next.
    processes: Vec<Process>,
    /// The step itself.
    step: Option<TraceStep>,
}

struct Process {
    name: String,
    last: Option<Deed>,
    next: Option<Deed>,
}

struct Deed {
    step: usize,
    text: String,
    location: String,
}

impl StateAt {
    /// The state after step `at`; each step of the trace is then to be taken.
    pub fn new(head: &Trace, at: usize) -> StateAt {
        let initial = head.initial.iter().flat_map(|initial| &initial.processes);
        let process = |name: String| Process { name, last: None, next: None };
        StateAt {
            at,
            state: PageState::initial(head),
            processes: initial.map(|one| process(process_name(&one.process, one.pid))).collect(),
            step: None,
        }
    }

    /// Takes the next step of the trace.
    pub fn take(&mut self, step: &TraceStep) {
        let is_before = step.number <= self.at;
        if is_before {
            self.state.take(step);
        }
        let partner = step
            .partner
            .as_ref()
            .map(|partner| (process_name(&partner.process, partner.pid), &partner.text, &partner.location));
        let own = (process_name(&step.process, step.pid), &step.text, &step.location);
        for (name, text, location) in [Some(own), partner].into_iter().flatten() {
            let deed = Deed { step: step.number, text: one_line(text), location: location.clone() };
            let Some(process) = self.processes.iter_mut().find(|process| process.name == name) else {
                continue;
            };
            if is_before {
                process.last = Some(deed);
            } else if process.next.is_none() {
                process.next = Some(deed);
            }
        }
        for event in step.events.iter().filter(|_| is_before) {
            match event {
                StepEvent::Start { pid, process } => {
                    let name = process_name(process, *pid);
                    self.processes.push(Process { name, last: None, next: None });
                }
                StepEvent::End { pid } => {
                    let name = process_name(&step.process, *pid);
                    self.processes.retain(|process| process.name != name);
                }
                _ => {}
            }
        }
        if step.number == self.at {
            self.step = Some(step.clone());
        }
    }

    /// For a terminal.
    pub fn to_text(&self, head: &Trace, style: &Style) -> String {
        let model = &head.origin.model;
        let title = match self.at {
            0 => "The initial state".to_string(),
            at => format!("The state after step {at} of {}", human::count(head.length as u64)),
        };
        let mut out = format!("{}\n", style.heading(&cut(model, style.width)));
        out += &format!("{}\n", style.heading(&title));
        if let Some(step) = &self.step {
            let who = process_name(&step.process, step.pid);
            let text = format!("{who}: {} ({})", one_line(&step.text), place(&step.location, model));
            out += &hanging("  did       ", &text, style.width);
            let changes = crate::step::changes(step);
            if !changes.is_empty() {
                out += &hanging("  changed   ", &changes.join(", "), style.width);
            }
        }
        let width = self.processes.iter().map(|process| process.name.chars().count()).max().unwrap_or(0);
        for process in &self.processes {
            let deed =
                |deed: &Deed| format!("{} ({}, step {})", deed.text, place(&deed.location, model), deed.step);
            let next = match (&process.next, self.standing(head, &process.name)) {
                (Some(next), _) => format!("then does {}", deed(next)),
                (None, Some(stands)) => stands,
                (None, None) => "does nothing more".to_string(),
            };
            let last = process
                .last
                .as_ref()
                .map_or_else(|| "has not moved".to_string(), |last| format!("did {}", deed(last)));
            let name = format!("  {:<width$}  ", process.name);
            out += &hanging(&cut(&name, style.width / 2), &format!("{last}; {next}"), style.width);
        }
        let values: Vec<String> =
            self.state.values().map(|(name, value)| format!("{name} = {value}")).collect();
        if !values.is_empty() {
            out += &hanging("  values    ", &values.join(", "), style.width);
        }
        if self.at == head.length
            && let Some(error) = &head.error
        {
            out += &style
                .paint(crate::paint_of(error), &hanging("  ", &crate::failure_text(error), style.width));
        } else {
            out += &style.paint(Paint::Faint, &hanging("  ", "the trace goes on from here", style.width));
        }
        out
    }

    /// Where a process stands that does nothing more.
    fn standing(&self, head: &Trace, name: &str) -> Option<String> {
        let end = head.end.as_ref()?;
        let process = end.processes.iter().find(|other| process_name(&other.process, other.pid) == name)?;
        let is_stuck = head.error.as_ref().is_some_and(|error| error.kind == "deadlock") && !process.may_end;
        let text = crate::state::standing_text(process, is_stuck);
        Some(format!("then stays {text} ({})", place(&process.location, &head.origin.model)))
    }
}
