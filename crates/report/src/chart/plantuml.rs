//! The chart as a PlantUML sequence diagram.

use super::{Chart, RowKind};
use crate::wrap::{cut, one_line};
use std::fmt::Write;

const TEXT_MAX: usize = 80;

impl Chart {
    /// As [`Chart::to_mermaid`], in the language of PlantUML.
    pub fn to_plantuml(&self) -> String {
        let mut out = "@startuml\nhide footbox\n".to_string();
        for lane in 0..self.lanes.len() {
            writeln!(out, "participant \"{}\" as {}", clean(&self.lane_name(lane)), self.alias(lane))
                .expect("a string takes all");
        }
        for index in 0..self.rows.len() {
            if let Some(line) = self.plantuml_row(index) {
                writeln!(out, "{line}").expect("a string takes all");
            }
        }
        out + "@enduml\n"
    }

    fn plantuml_row(&self, index: usize) -> Option<String> {
        let row = &self.rows[index];
        let me = row.lane.map_or_else(|| self.everyone(), |lane| self.alias(lane));
        let (step, text) = (row.step, clean(&self.row_text(row)));
        let note = |text: &str| Some(format!("note over {me} : {text}"));
        match &row.kind {
            RowKind::Send(_) if self.received_at_once(index).is_some() => None,
            RowKind::Send(message) => {
                let message = &self.messages[*message];
                match (message.is_lost, message.received) {
                    (true, _) => Some(format!("{me} ->x] : {step} {text} (lost)")),
                    (false, None) => note(&format!("{step} {text} (never received)")),
                    (false, Some(_)) => note(&format!("{step} {text} …")),
                }
            }
            RowKind::Receive(message) => {
                let message = &self.messages[*message];
                let arrow = if message.is_copy { "-->>" } else { "->>" };
                let number = match message.sent {
                    Some(sent) if !message.is_copy => format!("{}→{step}", sent.step),
                    _ => step.to_string(),
                };
                match message.from {
                    Some(from) => Some(format!("{} {arrow} {me} : {number} {text}", self.alias(from))),
                    None => Some(format!("[{arrow} {me} : {number} {text}")),
                }
            }
            RowKind::Rendezvous(message) => {
                let to = self.messages[*message].to.map_or_else(|| me.clone(), |lane| self.alias(lane));
                Some(format!("{me} -> {to} : {step} {text}"))
            }
            RowKind::Fold { last, .. } if *last > step => note(&format!("{step}–{last} {text}")),
            RowKind::Fault { .. } | RowKind::CycleEnd { first: None } => note(&text),
            RowKind::CycleStart { .. } => Some("loop for ever".to_string()),
            RowKind::CycleEnd { .. } => {
                let is_open =
                    self.rows[..index].iter().any(|row| matches!(row.kind, RowKind::CycleStart { .. }));
                is_open.then(|| "end".to_string())
            }
            RowKind::End => Some(format!("note over {me} : {step} {text}\ndestroy {me}")),
            _ if row.changes.is_empty() => note(&format!("{step} {text}")),
            _ => note(&format!("{step} {text}\\n{}", clean(&row.changes.join(", ")))),
        }
    }
}

/// Without what PlantUML reads as its own.
fn clean(text: &str) -> String {
    cut(&one_line(text), TEXT_MAX)
        .replace('\\', "\\\\")
        .replace('"', "''")
        .replace('~', "~~")
        .replace("--", "~--")
}
