//! A trace as a table: a row for each step, a column for each process.

use crate::grid::{Cell, Column, Grid, Row};
use crate::state::snapshot_text;
use crate::step::{changes, deeds, failure_text, paint_of, place, process_name, step_lines};
use crate::{Paint, Style, human};
use panoptes_trace::{StepEvent, Trace, TraceStep};

/// Of a trace that is longer than this …
const ALL_SHOWN: usize = 60;
/// … the first steps are shown …
const FIRST_SHOWN: usize = 10;
/// … and the last ones, where it goes wrong.
const LAST_SHOWN: usize = 40;

/// A saved trace by itself: what it shows, of which model, and the steps.
pub fn explain_text(trace: &Trace, style: &Style) -> String {
    let origin = &trace.origin;
    let mut title = origin.model.clone();
    if !origin.defines.is_empty() {
        title += &format!(" with {}", origin.defines.join(", "));
    }
    let error = trace.error.as_ref().map(|error| {
        let place = error.location.as_ref().map_or_else(String::new, |location| format!(", at {location}"));
        style.paint(paint_of(error), &format!("{}{place}\n", failure_text(error)))
    });
    let error = error.unwrap_or_default();
    format!("{}\n{error}\n{}\n{error}", style.heading(&title), trace_text(trace, style))
}

/// The steps of a trace and the state it ends in.
pub fn trace_text(trace: &Trace, style: &Style) -> String {
    let mut out = String::new();
    let count = trace.steps.len() as u64;
    if count == 0 {
        out += &style.heading("Trace: no step is needed\n");
    } else {
        out += &style.heading(&format!("Trace: {}\n", human::plural(count, "step")));
        out += &steps_text(trace, style);
    }
    if let Some(end) = &trace.end {
        out.push('\n');
        let is_deadlock = trace.error.as_ref().is_some_and(|error| error.kind == "deadlock");
        out += &style.heading(if count == 0 { "The initial state\n" } else { "The state it ends in\n" });
        out += &snapshot_text(end, &trace.origin.model, is_deadlock, style);
    }
    out
}

/// Are some steps left out?
pub(crate) fn is_shortened(trace: &Trace, style: &Style) -> bool {
    !style.full && trace.steps.len() > ALL_SHOWN
}

fn steps_text(trace: &Trace, style: &Style) -> String {
    let shown = Shown::of(trace, style);
    let table = shown.grid(trace).render(style).unwrap_or_else(|| shown.list(trace, style));
    let legend = trace.steps.iter().any(|step| step.atomic);
    let legend = if legend {
        style.paint(Paint::Faint, "* indivisible sequence: no other process moves in between\n")
    } else {
        String::new()
    };
    table + &legend
}

/// The steps that are shown, with a gap where some are left out.
struct Shown<'a> {
    first: &'a [TraceStep],
    left_out: usize,
    last: &'a [TraceStep],
}

impl<'a> Shown<'a> {
    fn of(trace: &'a Trace, style: &Style) -> Shown<'a> {
        let steps = &trace.steps[..];
        if !is_shortened(trace, style) {
            return Shown { first: steps, left_out: 0, last: &[] };
        }
        let (first, rest) = steps.split_at(FIRST_SHOWN);
        let left_out = rest.len() - LAST_SHOWN;
        Shown { first, left_out, last: &rest[left_out..] }
    }

    fn note(&self) -> String {
        format!("  … {} left out …", human::plural(self.left_out as u64, "step"))
    }

    fn grid(&self, trace: &Trace) -> Grid {
        let model = &trace.origin.model;
        let steps = || self.first.iter().chain(self.last);
        let mut processes: Vec<(u8, &str)> = Vec::new();
        for step in steps() {
            processes.push((step.pid, &step.process));
            processes.extend(step.partner.as_ref().map(|partner| (partner.pid, partner.process.as_str())));
        }
        processes.sort_unstable();
        processes.dedup();
        let starters: Vec<(u8, &str)> =
            processes.iter().copied().filter(|process| only_starts_others(trace, *process)).collect();
        if starters.len() < processes.len() {
            processes.retain(|process| !starters.contains(process));
        }
        let column = |title: String, right: bool, flexible: bool| Column { title, right, flexible };
        let mut columns = vec![column("#".into(), true, false), column("line".into(), false, false)];
        columns.extend(processes.iter().map(|(pid, name)| column(process_name(name, *pid), false, true)));
        columns.push(column("changes".into(), false, true));
        let has_atomic = steps().any(|step| step.atomic);
        let row = |step: &TraceStep| {
            let atomic = if step.atomic {
                "*"
            } else if has_atomic {
                " "
            } else {
                ""
            };
            let mut cells: Vec<Cell> = vec![
                vec![(Paint::Plain, format!("{}{atomic}", step.number))],
                vec![(Paint::Faint, place(&step.location, model))],
            ];
            if !processes.iter().any(|process| takes_part(step, *process)) {
                let mut deeds: Vec<String> =
                    deeds(step, step.pid).into_iter().map(|(_, text)| text).collect();
                deeds.extend(changes(step));
                let who = process_name(&step.process, step.pid);
                return Row::Across(cells, format!("{who}: {}", deeds.join(", ")));
            }
            cells.extend(processes.iter().map(|process| cell(step, *process)));
            cells.push(changes(step).into_iter().map(|change| (Paint::Plain, change)).collect());
            Row::Cells(cells)
        };
        let mut rows: Vec<Row> = self.first.iter().map(row).collect();
        if self.left_out > 0 {
            rows.push(Row::Note(self.note()));
            rows.extend(self.last.iter().map(row));
        }
        Grid { columns, rows }
    }

    /// For more processes than there is room for columns.
    fn list(&self, trace: &Trace, style: &Style) -> String {
        let model = &trace.origin.model;
        let mut out: String = self.first.iter().map(|step| step_lines(step, model, style)).collect();
        if self.left_out > 0 {
            out += &format!("{}\n", style.paint(Paint::Faint, &self.note()));
            out.extend(self.last.iter().map(|step| step_lines(step, model, style)));
        }
        out
    }
}

/// A process that does nothing but start others is worth a line for each, but no column.
fn only_starts_others(trace: &Trace, process: (u8, &str)) -> bool {
    let own = || trace.steps.iter().filter(|step| takes_part(step, process));
    let starts = |step: &TraceStep| step.events.iter().any(|event| matches!(event, StepEvent::Start { .. }));
    let is_plain = |step: &TraceStep| {
        step.partner.is_none()
            && step.fault.is_none()
            && (starts(step) || matches!(step.text.as_str(), "-end-" | "end of choice" | "end of loop"))
    };
    own().any(starts) && own().all(is_plain)
}

fn takes_part(step: &TraceStep, (pid, name): (u8, &str)) -> bool {
    let partner = step.partner.as_ref().map(|partner| (partner.pid, partner.process.as_str()));
    (step.pid, step.process.as_str()) == (pid, name) || partner == Some((pid, name))
}

fn cell(step: &TraceStep, process: (u8, &str)) -> Cell {
    if takes_part(step, process) { deeds(step, process.0) } else { Vec::new() }
}
