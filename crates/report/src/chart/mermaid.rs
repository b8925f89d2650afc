//! The chart as a Mermaid sequence diagram, which many wikis and editors draw.

use super::{Chart, RowKind};
use crate::wrap::{cut, one_line};
use std::fmt::Write;

const TEXT_MAX: usize = 60;

impl Chart {
    /// Processes are participants. A message is an arrow from its sender to its receiver, drawn when it is received; a send that
    /// is received later has a note.
    pub fn to_mermaid(&self) -> String {
        let mut writer = Writer { out: "sequenceDiagram\n".to_string(), chart: self };
        for lane in 0..self.lanes.len() {
            let name = clean(&self.lane_name(lane));
            writer.line(&format!("participant {} as {name}", self.alias(lane)));
        }
        for index in 0..self.rows.len() {
            writer.row(index);
        }
        writer.out
    }

    /// A name without anything but letters and digits.
    pub(super) fn alias(&self, lane: usize) -> String {
        let lane = &self.lanes[lane];
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        format!("{}_{}", lane.process.chars().map(plain).collect::<String>(), lane.pid)
    }

    /// All lanes, for what concerns all.
    pub(super) fn everyone(&self) -> String {
        match self.lanes.len() {
            0 => String::new(),
            1 => self.alias(0),
            count => format!("{},{}", self.alias(0), self.alias(count - 1)),
        }
    }
}

struct Writer<'a> {
    out: String,
    chart: &'a Chart,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.out, "    {line}").expect("a string takes all");
    }

    fn row(&mut self, index: usize) {
        let chart = self.chart;
        let row = &chart.rows[index];
        let me = row.lane.map_or_else(|| chart.everyone(), |lane| chart.alias(lane));
        let text = clean(&chart.row_text(row));
        let step = row.step;
        match &row.kind {
            RowKind::Send(message) => {
                let message = &chart.messages[*message];
                if chart.received_at_once(index).is_some() {
                    return;
                }
                if message.is_lost {
                    self.line(&format!("{me}-x{me}: {step} {text} (lost)"));
                } else if message.received.is_none() {
                    self.line(&format!("Note over {me}: {step} {text} (never received)"));
                } else {
                    self.line(&format!("Note over {me}: {step} {text} …"));
                }
            }
            RowKind::Receive(message) => {
                let message = &chart.messages[*message];
                let from = message.from.map_or_else(|| me.clone(), |lane| chart.alias(lane));
                let arrow = if message.is_copy { "--)" } else { "-)" };
                let number = match message.sent {
                    Some(sent) if !message.is_copy => format!("{}→{step}", sent.step),
                    _ => step.to_string(),
                };
                self.line(&format!("{from}{arrow}{me}: {number} {text}"));
            }
            RowKind::Rendezvous(message) => {
                let to = chart.messages[*message].to.map_or_else(|| me.clone(), |lane| chart.alias(lane));
                self.line(&format!("{me}->>{to}: {step} {text}"));
            }
            RowKind::Print(_) => self.line(&format!("Note right of {me}: {step} {text}")),
            RowKind::Act | RowKind::Timeout | RowKind::Start(_) | RowKind::End => {
                self.line(&format!("Note over {me}: {step} {text}"));
            }
            RowKind::Fold { last, .. } if *last > step => {
                self.line(&format!("Note over {me}: {step}–{last} {text}"));
            }
            RowKind::Fold { .. } => self.line(&format!("Note over {me}: {step} {text}")),
            RowKind::Fault { .. } => self.line(&format!("Note over {me}: {text}")),
            RowKind::CycleStart { .. } => self.line("loop for ever"),
            RowKind::CycleEnd { first: Some(_) } => {
                // A part of a trace may have the end of a cycle without its beginning.
                if chart.rows[..index].iter().any(|row| matches!(row.kind, RowKind::CycleStart { .. })) {
                    self.line("end");
                }
            }
            RowKind::CycleEnd { first: None } => self.line(&format!("Note over {me}: {text}")),
        }
        if !row.changes.is_empty() && !matches!(row.kind, RowKind::Fault { .. }) {
            let changes = clean(&row.changes.join(", "));
            self.line(&format!("Note right of {}: {changes}", row.lane.map_or(me, |lane| chart.alias(lane))));
        }
    }
}

/// Without what Mermaid reads as its own.
fn clean(text: &str) -> String {
    let text = cut(&one_line(text), TEXT_MAX);
    text.replace('#', "#35;").replace(';', "#59;").replace("#35#59;", "#35;")
}
