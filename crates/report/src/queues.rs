//! A trace as the papers on the tracer print it: a column for each queue, a line for each event.
//!
//! An event is a message that is sent, in the column of its channel, or a timeout, `tau`, in the column of the channel that
//! was empty. A message that nobody has received when the trace ends is in brackets.

use crate::step::failure_text;
use crate::{Style, paint_of};
use panoptes_trace::{StepEvent, Trace, TraceStep, message_text};
use std::fmt::Write;

/// Spaces between columns.
const GAP: usize = 2;
/// What stands before the columns: the word that names the lines, or their number.
const HEAD: usize = 6;

/// What the table has beyond the trace itself.
#[derive(Clone, Debug, Default)]
pub struct QueueTable {
    /// Queues that nothing happens to have a column, too.
    pub all_queues: bool,
    /// Steps that may follow the trace, and why there are no more.
    pub after: Option<(Vec<TraceStep>, &'static str)>,
}

/// The table, with the model's name before it and what the trace shows behind.
pub fn queues_text(trace: &Trace, table: &QueueTable, style: &Style) -> String {
    let after = table.after.as_ref().map_or(&[][..], |(steps, _)| steps);
    let events = Events::of(trace, after);
    let columns = events.columns(trace, table.all_queues);
    let widths: Vec<usize> = columns.iter().map(|name| events.width(name)).collect();
    let mut out = format!("{}\n", style.heading(&trace.origin.model));
    let mut line = |head: &str, cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| {
            let padding = width - cell.chars().count();
            format!("{}{cell}{}", " ".repeat(GAP), " ".repeat(padding))
        });
        let line = format!("{head:<HEAD$}{}", cells.collect::<String>());
        writeln!(out, "{}", line.trim_end()).expect("a string takes all");
    };
    line("queue:", &columns);
    line("event:", &[]);
    for (index, event) in events.events.iter().enumerate() {
        if index == events.shown && table.after.is_some() {
            line("  ---", &[]);
        }
        let number = event.number.map_or_else(|| "-".to_string(), |number| number.to_string());
        let cell = |name: &String| if *name == event.queue { event.text() } else { String::new() };
        line(&format!("{number:>5}"), &columns.iter().map(cell).collect::<Vec<_>>());
    }
    if events.events.is_empty() {
        out += "      nothing is sent\n";
    }
    if let Some(error) = &trace.error {
        let place = error.location.as_ref().map_or_else(String::new, |location| format!(", at {location}"));
        let shown = if table.after.is_some() { "shown up to the line: " } else { "" };
        out += &style.paint(paint_of(error), &format!("{shown}{}{place}\n", failure_text(error)));
    }
    if let Some((_, why)) = &table.after {
        out += &format!("after that: {why}\n");
    }
    out
}

struct Event {
    /// From one; none for what was there from the start.
    number: Option<usize>,
    queue: String,
    message: String,
    values: Vec<String>,
    is_received: bool,
}

impl Event {
    fn text(&self) -> String {
        if self.is_received { self.message.clone() } else { format!("[{}]", self.message) }
    }
}

#[derive(Default)]
struct Events {
    events: Vec<Event>,
    /// How many of them belong to the trace itself.
    shown: usize,
}

/// The column of timeouts that name no queue, which is how they are in Promela.
const NO_QUEUE: &str = "timeout";

impl Events {
    fn of(trace: &Trace, after: &[TraceStep]) -> Events {
        let mut events = Events::default();
        for channel in trace.initial.iter().flat_map(|initial| &initial.channels) {
            for values in &channel.messages {
                events.send(None, &channel.name, values);
            }
        }
        let mut count = 0;
        let length = trace.steps.len();
        for (index, step) in trace.steps.iter().chain(after).enumerate() {
            let statement = step.text.trim_matches(['(', ')']);
            let queue =
                if statement == "timeout" { Some(NO_QUEUE) } else { statement.strip_suffix("?timeout") };
            if let Some(queue) = queue {
                count += 1;
                let (queue, message) = (queue.to_string(), "tau".to_string());
                let values = Vec::new();
                events.events.push(Event { number: Some(count), queue, message, values, is_received: true });
            }
            for event in &step.events {
                match event {
                    StepEvent::Send { channel, values, lost, .. } => {
                        count += 1;
                        events.send(Some(count), channel, values);
                        if let Some(event) = events.events.last_mut().filter(|_| *lost) {
                            // Nobody will receive it.
                            event.values.clear();
                        }
                    }
                    StepEvent::Receive { channel, values, peek: false, .. } => {
                        events.receive(channel, values)
                    }
                    _ => {}
                }
            }
            if index < length {
                events.shown = events.events.len();
            }
        }
        events
    }

    fn send(&mut self, number: Option<usize>, queue: &str, values: &[String]) {
        let message = message_text(values);
        let (queue, values) = (queue.to_string(), values.to_vec());
        self.events.push(Event { number, queue, message, values, is_received: false });
    }

    /// The oldest message with these values; channels are not always first in, first out.
    fn receive(&mut self, queue: &str, values: &[String]) {
        let waits = |event: &&mut Event| event.queue == queue && event.values == values && !event.is_received;
        if let Some(event) = self.events.iter_mut().find(waits) {
            event.is_received = true;
        }
    }

    /// The queues that something happens to, or all, in the order in which the model declares them.
    fn columns(&self, trace: &Trace, all_queues: bool) -> Vec<String> {
        let declared = trace.initial.iter().flat_map(|initial| &initial.channels);
        let mut columns: Vec<String> = Vec::new();
        let all = declared.map(|channel| &channel.name).chain(self.events.iter().map(|event| &event.queue));
        for name in all {
            let is_used = all_queues || self.events.iter().any(|event| event.queue == *name);
            if is_used && !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        columns
    }

    fn width(&self, queue: &str) -> usize {
        let own = self.events.iter().filter(|event| event.queue == queue);
        let widest = own.map(|event| event.text().chars().count()).max().unwrap_or(0);
        widest.max(queue.chars().count())
    }
}
