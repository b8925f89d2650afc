//! A trace as a Mermaid sequence diagram, which many wikis and editors draw.

use crate::StepSource;
use crate::step::{changes, failure_text, process_name};
use crate::wrap::{cut, one_line};
use panoptes_check::Excerpt;
use panoptes_trace::{StepEvent, TraceStep};
use std::collections::HashMap;
use std::fmt::Write;
use std::io;

const TEXT_MAX: usize = 60;

/// The diagram: processes are participants; a message goes from its sender to its receiver when it is received.
pub fn write_mermaid(
    out: &mut dyn io::Write,
    excerpt: &Excerpt,
    steps: &mut dyn StepSource,
) -> io::Result<()> {
    let mut writer = Writer { out: "sequenceDiagram\n".to_string(), senders: HashMap::new() };
    for (pid, process) in excerpt.survey.processes.keys() {
        let alias = alias(process, *pid);
        writer.line(&format!("participant {alias} as {}", clean(&process_name(process, *pid))));
    }
    let mut last = None;
    let cycle_start = excerpt.trace.error.as_ref().and_then(|error| error.cycle_start);
    steps.each(&mut |step| {
        if cycle_start == Some(step.number - 1) {
            writer.line("loop for ever");
        }
        writer.step(step);
        last = Some(alias(&step.process, step.pid));
        out.write_all(writer.out.as_bytes())?;
        writer.out.clear();
        Ok(())
    })?;
    if cycle_start.is_some_and(|start| start < excerpt.length()) {
        writer.line("end");
    }
    if let (true, Some(alias)) = (cycle_start == Some(excerpt.length()), &last) {
        writer.line(&format!("Note over {alias}: ↻ nothing happens any more"));
    }
    if let (Some(error), Some(alias)) = (&excerpt.trace.error, last) {
        writer.line(&format!("Note over {alias}: ✗ {}", clean(&failure_text(error))));
    }
    out.write_all(writer.out.as_bytes())
}

struct Writer {
    out: String,
    /// Who sent the messages that are under way in each channel: the participant and the values.
    senders: HashMap<String, Vec<(String, Vec<String>)>>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        writeln!(self.out, "    {line}").expect("a string takes all");
    }

    fn step(&mut self, step: &TraceStep) {
        let me = alias(&step.process, step.pid);
        if let Some(partner) = &step.partner {
            let other = alias(&partner.process, partner.pid);
            let message = step.events.iter().find_map(|event| match event {
                StepEvent::Send { channel, values, .. } => Some(message(channel, values)),
                _ => None,
            });
            let text = message.unwrap_or_else(|| one_line(&step.text));
            self.line(&format!("{me}->>{other}: {} {}", step.number, clean(&text)));
            return self.changes(step, &me);
        }
        let mut drawn = false;
        for event in &step.events {
            match event {
                StepEvent::Send { channel, values, lost, .. } => {
                    let text = clean(&message(channel, values));
                    if *lost {
                        self.line(&format!("{me}-x{me}: {} {text} (lost)", step.number));
                    } else {
                        self.line(&format!("{me}-){me}: {} {text}", step.number));
                        self.senders.entry(channel.clone()).or_default().push((me.clone(), values.clone()));
                    }
                    drawn = true;
                }
                StepEvent::Receive { channel, values, peek, .. } => {
                    let from = self.sender(channel, values, *peek).unwrap_or_else(|| me.clone());
                    self.line(&format!(
                        "{from}-->>{me}: {} {}",
                        step.number,
                        clean(&message(channel, values))
                    ));
                    drawn = true;
                }
                StepEvent::Print { text, .. } => {
                    self.line(&format!("Note right of {me}: {} prints {}", step.number, clean(text)));
                    drawn = true;
                }
                StepEvent::Start { .. } | StepEvent::End { .. } => {}
            }
        }
        if !drawn {
            self.line(&format!("Note over {me}: {} {}", step.number, clean(&step.text)));
        }
        self.changes(step, &me);
    }

    fn changes(&mut self, step: &TraceStep, me: &str) {
        let changes = changes(step);
        if !changes.is_empty() {
            self.line(&format!("Note right of {me}: {}", clean(&changes.join(", "))));
        }
    }

    /// Who sent this message; a copy stays where it is.
    fn sender(&mut self, channel: &str, values: &[String], peek: bool) -> Option<String> {
        let waiting = self.senders.get_mut(channel)?;
        let index = waiting.iter().position(|(_, sent)| sent == values)?;
        Some(if peek { waiting[index].0.clone() } else { waiting.remove(index).0 })
    }
}

fn message(channel: &str, values: &[String]) -> String {
    format!("{channel}({})", values.join(","))
}

fn alias(process: &str, pid: u8) -> String {
    let name: String = process.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{name}_{pid}")
}

/// Without what Mermaid reads as its own.
fn clean(text: &str) -> String {
    let text = cut(&one_line(text), TEXT_MAX);
    text.replace('#', "#35;").replace(';', "#59;").replace("#35#59;", "#35;")
}
