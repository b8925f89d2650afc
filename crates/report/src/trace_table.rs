//! A trace as a table: a row for each step, a column for each process.
//!
//! A trace that is held in memory, or the ends of a longer one, are laid out at once. All of a long trace is read several times
//! from where it is saved: for the widths of the columns, and then line by line.

use crate::grid::{Cell, Column, Drawing, Grid, Row, Sizes};
use crate::state::snapshot_text;
use crate::step::{changes, deeds, failure_text, paint_of, place, process_name, step_lines};
use crate::wrap::hanging;
use crate::{Chart, Paint, Story, Style, human};
use panoptes_check::{Excerpt, Survey};
use panoptes_trace::{Trace, TraceStep};
use std::io::{self, Write};

/// The steps of a trace, as often as they are wanted.
pub trait StepSource {
    fn each(&mut self, visit: &mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>;
}

impl StepSource for &[TraceStep] {
    fn each(&mut self, visit: &mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()> {
        self.iter().try_for_each(visit)
    }
}

/// A saved trace by itself: what it shows, of which model, and all its steps.
pub fn write_explanation(
    out: &mut dyn Write,
    excerpt: &Excerpt,
    steps: &mut dyn StepSource,
    style: &Style,
) -> io::Result<()> {
    let (title, error) = (title(&excerpt.trace, style), error_text(&excerpt.trace, style));
    write!(out, "{title}\n{error}\n")?;
    write_trace(out, excerpt, steps, style)?;
    write!(out, "\n{error}")
}

/// A saved trace as a chart: what it shows, of which model, the chart, and the state it ends in.
pub fn write_chart(
    out: &mut dyn Write,
    head: &Trace,
    chart: &Chart,
    story: &Story,
    style: &Style,
) -> io::Result<()> {
    let (title, error) = (title(head, style), error_text(head, style));
    let steps = match chart.range_text() {
        Some(range) => range,
        None => human::plural(head.length as u64, "step"),
    };
    let what = if chart.has_steps { "" } else { ", messages only (--steps shows all)" };
    write!(out, "{title}\n{error}\n")?;
    out.write_all(hanging("", &format!("Chart: {steps}{what}"), style.width).as_bytes())?;
    out.write_all(chart.to_text(style).as_bytes())?;
    if chart.rows.iter().any(|row| row.is_atomic) {
        out.write_all(legend_text(style).as_bytes())?;
    }
    if chart.end.is_some() {
        out.write_all(end_text(head, style).as_bytes())?;
        out.write_all(story.to_text(style).as_bytes())?;
    }
    write!(out, "\n{error}")
}

/// Some steps of a saved trace, which are held, as a table.
pub fn write_range(out: &mut dyn Write, head: &Trace, held: &Excerpt, style: &Style) -> io::Result<()> {
    write!(out, "{}\n{}\n", title(head, style), error_text(head, style))?;
    let numbers = held.first.first().zip(held.first.last());
    if let Some((first, last)) = numbers {
        let range = format!("Trace: steps {} to {} of {}\n", first.number, last.number, head.length);
        out.write_all(style.heading(&range).as_bytes())?;
        let text = grid(held).render(style).unwrap_or_else(|| list(held, style));
        out.write_all(text.as_bytes())?;
        out.write_all(legend(held, style).as_bytes())?;
    }
    Ok(())
}

fn title(head: &Trace, style: &Style) -> String {
    let mut title = head.origin.model.clone();
    if !head.origin.defines.is_empty() {
        title += &format!(" with {}", head.origin.defines.join(", "));
    }
    style.heading(hanging("", &title, style.width).trim_end())
}

fn error_text(head: &Trace, style: &Style) -> String {
    let Some(error) = &head.error else { return String::new() };
    let place = error.location.as_ref().map_or_else(String::new, |location| format!(", at {location}"));
    let text = hanging("", &format!("{}{place}", failure_text(error)), style.width);
    style.paint(paint_of(error), &text)
}

/// All steps of a trace and the state it ends in.
pub fn write_trace(
    out: &mut dyn Write,
    excerpt: &Excerpt,
    steps: &mut dyn StepSource,
    style: &Style,
) -> io::Result<()> {
    if excerpt.left_out() == 0 {
        return out.write_all(trace_text(excerpt, style).as_bytes());
    }
    out.write_all(heading(excerpt, style).as_bytes())?;
    let survey = &excerpt.survey;
    let processes = survey.processes.keys().map(|(pid, name)| (*pid, name.as_str())).collect();
    let table = Table::new(&excerpt.trace.origin.model, processes, survey, survey.has_atomic);
    let columns = table.columns();
    let mut sizes = Sizes::new(&columns);
    steps.each(&mut |step| {
        sizes.note(&table.row(step));
        Ok(())
    })?;
    match sizes.fit(&columns, style.width) {
        Some(widths) => {
            let drawing = Drawing { columns: &columns, widths, style };
            out.write_all(drawing.heading().as_bytes())?;
            steps.each(&mut |step| {
                if let Some(note) = cycle_note(excerpt, step) {
                    out.write_all(drawing.row(&Row::Note(note)).as_bytes())?;
                }
                out.write_all(drawing.row(&table.row(step)).as_bytes())
            })?;
        }
        None => steps.each(&mut |step| {
            if let Some(note) = cycle_note(excerpt, step) {
                writeln!(out, "{}", style.paint(Paint::Faint, &note))?;
            }
            out.write_all(step_lines(step, table.model, style).as_bytes())
        })?,
    }
    out.write_all(legend(excerpt, style).as_bytes())?;
    out.write_all(end_text(&excerpt.trace, style).as_bytes())
}

/// The steps of a trace that are here, and the state it ends in.
pub fn trace_text(excerpt: &Excerpt, style: &Style) -> String {
    let mut out = heading(excerpt, style);
    if excerpt.length() > 0 {
        out += &grid(excerpt).render(style).unwrap_or_else(|| list(excerpt, style));
        out += &legend(excerpt, style);
    }
    out + &end_text(&excerpt.trace, style)
}

fn heading(excerpt: &Excerpt, style: &Style) -> String {
    match excerpt.length() {
        0 => style.heading("Trace: no step is needed\n"),
        count => style.heading(&format!("Trace: {}\n", human::plural(count as u64, "step"))),
    }
}

fn legend(excerpt: &Excerpt, style: &Style) -> String {
    if excerpt.survey.has_atomic { legend_text(style) } else { String::new() }
}

fn legend_text(style: &Style) -> String {
    style.paint(Paint::Faint, "* indivisible sequence: no other process moves in between\n")
}

fn end_text(head: &Trace, style: &Style) -> String {
    let Some(end) = &head.end else { return String::new() };
    let is_deadlock = head.error.as_ref().is_some_and(|error| error.kind == "deadlock");
    let title = if head.length == 0 { "The initial state\n" } else { "The state it ends in\n" };
    format!("\n{}{}", style.heading(title), snapshot_text(end, &head.origin.model, is_deadlock, style))
}

fn note(excerpt: &Excerpt) -> String {
    format!("  … {} left out …", human::plural(excerpt.left_out() as u64, "step"))
}

/// What stands before the first step of a cycle.
fn cycle_note(excerpt: &Excerpt, step: &TraceStep) -> Option<String> {
    let start = excerpt.trace.error.as_ref()?.cycle_start?;
    let count = (excerpt.length() - start) as u64;
    let steps = if count == 1 { "this step is" } else { &format!("these {count} steps are") };
    (step.number == start + 1).then(|| format!("  ↻ {steps} repeated for ever"))
}

/// What stands after the last step, if the system stays there for ever.
fn end_note(excerpt: &Excerpt) -> Option<String> {
    let start = excerpt.trace.error.as_ref()?.cycle_start?;
    (start == excerpt.length()).then(|| "  ↻ nothing happens any more".to_string())
}

fn grid(excerpt: &Excerpt) -> Grid {
    let shown = || excerpt.first.iter().chain(&excerpt.last);
    let mut processes: Vec<(u8, &str)> = Vec::new();
    for step in shown() {
        processes.push((step.pid, &step.process));
        processes.extend(step.partner.as_ref().map(|partner| (partner.pid, partner.process.as_str())));
    }
    processes.sort_unstable();
    processes.dedup();
    let has_atomic = shown().any(|step| step.atomic);
    let table = Table::new(&excerpt.trace.origin.model, processes, &excerpt.survey, has_atomic);
    let with_note = |step: &TraceStep| {
        let note = cycle_note(excerpt, step).map(Row::Note);
        note.into_iter().chain([table.row(step)]).collect::<Vec<Row>>()
    };
    let mut rows: Vec<Row> = excerpt.first.iter().flat_map(with_note).collect();
    if excerpt.left_out() > 0 {
        rows.push(Row::Note(note(excerpt)));
        rows.extend(excerpt.last.iter().flat_map(with_note));
    }
    rows.extend(end_note(excerpt).map(Row::Note));
    Grid { columns: table.columns(), rows }
}

/// For more processes than there is room for columns.
fn list(excerpt: &Excerpt, style: &Style) -> String {
    let model = &excerpt.trace.origin.model;
    let with_note = |step: &TraceStep| {
        let note = cycle_note(excerpt, step).map(|note| format!("{}\n", style.paint(Paint::Faint, &note)));
        note.unwrap_or_default() + &step_lines(step, model, style)
    };
    let mut out: String = excerpt.first.iter().map(with_note).collect();
    if excerpt.left_out() > 0 {
        out += &format!("{}\n", style.paint(Paint::Faint, &note(excerpt)));
        out.extend(excerpt.last.iter().map(with_note));
    }
    out.extend(end_note(excerpt).map(|note| format!("{}\n", style.paint(Paint::Faint, &note))));
    out
}

/// How steps become rows.
struct Table<'a> {
    model: &'a str,
    /// Those that have a column.
    processes: Vec<(u8, &'a str)>,
    has_atomic: bool,
}

impl<'a> Table<'a> {
    fn new(
        model: &'a str,
        mut processes: Vec<(u8, &'a str)>,
        survey: &Survey,
        has_atomic: bool,
    ) -> Table<'a> {
        let is_starter = |(pid, name): &(u8, &str)| {
            let part = survey.processes.get(&(*pid, (*name).to_string()));
            part.is_some_and(|part| part.only_starts_others())
        };
        if !processes.iter().all(is_starter) {
            processes.retain(|process| !is_starter(process));
        }
        Table { model, processes, has_atomic }
    }

    fn columns(&self) -> Vec<Column> {
        let column = |title: String, right: bool, flexible: bool| Column { title, right, flexible };
        let mut columns = vec![column("#".into(), true, false), column("line".into(), false, false)];
        let own = |(pid, name): &(u8, &str)| column(process_name(name, *pid), false, true);
        columns.extend(self.processes.iter().map(own));
        columns.push(column("changes".into(), false, true));
        columns
    }

    fn row(&self, step: &TraceStep) -> Row {
        let atomic = match (step.atomic, self.has_atomic) {
            (true, _) => "*",
            (false, true) => " ",
            (false, false) => "",
        };
        let mut cells: Vec<Cell> = vec![
            vec![(Paint::Plain, format!("{}{atomic}", step.number))],
            vec![(Paint::Faint, place(&step.location, self.model))],
        ];
        if !self.processes.iter().any(|process| takes_part(step, *process)) {
            let mut deeds: Vec<String> = deeds(step, step.pid).into_iter().map(|(_, text)| text).collect();
            deeds.extend(changes(step));
            let who = process_name(&step.process, step.pid);
            return Row::Across(cells, format!("{who}: {}", deeds.join(", ")));
        }
        cells.extend(self.processes.iter().map(|process| cell(step, *process)));
        cells.push(changes(step).into_iter().map(|change| (Paint::Plain, change)).collect());
        Row::Cells(cells)
    }
}

fn takes_part(step: &TraceStep, (pid, name): (u8, &str)) -> bool {
    let partner = step.partner.as_ref().map(|partner| (partner.pid, partner.process.as_str()));
    (step.pid, step.process.as_str()) == (pid, name) || partner == Some((pid, name))
}

fn cell(step: &TraceStep, process: (u8, &str)) -> Cell {
    if takes_part(step, process) { deeds(step, process.0) } else { Vec::new() }
}
