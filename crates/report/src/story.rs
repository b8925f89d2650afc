//! The story of an error: what each process was doing at the end, who waits for whom, and when it could last be avoided.

use crate::state::standing_text;
use crate::step::{place, process_name};
use crate::wrap::{hanging, one_line};
use crate::{Paint, Style};
use panoptes_trace::{LastChance, Snapshot, Standing, Trace};

/// What there is to tell of the end of a trace.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// Each process: its name, its place, what it was doing.
    pub processes: Vec<(String, String, String)>,
    /// Who waits for whom, a sentence each.
    pub waits: Vec<String>,
    /// Processes that wait for each other in a circle.
    pub circle: Option<String>,
    /// When the error could last be avoided.
    pub chance: Option<String>,
    pub hint: Option<String>,
}

impl Story {
    /// What the trace tells by itself, and what is known of the last chance.
    pub fn of(head: &Trace, chance: Option<&LastChance>) -> Story {
        let Some(end) = &head.end else { return Story::default() };
        let model = &head.origin.model;
        let is_stuck = head
            .error
            .as_ref()
            .is_some_and(|error| matches!(error.kind.as_str(), "deadlock" | "unspecified-reception"));
        let doing = |process: &Standing| {
            let mut text = standing_text(process, is_stuck);
            let reasons: Vec<&str> = process.waits.iter().map(|wait| wait.reason.as_str()).collect();
            if let (true, Some(first)) = (is_stuck && !process.may_end, reasons.first()) {
                let all_same = reasons.iter().all(|reason| reason == first);
                text += &format!(": {}", if all_same { first.to_string() } else { reasons.join("; ") });
            }
            (process_name(&process.process, process.pid), place(&process.location, model), text)
        };
        Story {
            processes: end.processes.iter().map(doing).collect(),
            waits: if is_stuck { waits(end) } else { Vec::new() },
            circle: circle(end).filter(|_| is_stuck),
            chance: chance.map(|chance| chance_text(chance, model)),
            hint: end.hint.clone(),
        }
    }

    /// For a terminal: what stands below the state that a trace ends in.
    pub fn to_text(&self, style: &Style) -> String {
        let mut out = String::new();
        if !self.waits.is_empty() {
            out += &format!("\n{}\n", style.heading("Who waits for whom"));
            for line in &self.waits {
                out += &hanging("  ", line, style.width);
            }
        }
        if let Some(circle) = &self.circle {
            out += &style.paint(Paint::Bad, &hanging("  ", circle, style.width));
        }
        if let Some(chance) = &self.chance {
            out += &format!("\n{}\n{}", style.heading("The last chance"), hanging("  ", chance, style.width));
        }
        out
    }
}

fn name(standing: &Standing) -> String {
    process_name(&standing.process, standing.pid)
}

fn waits(end: &Snapshot) -> Vec<String> {
    let line = |process: &Standing| {
        let who = name(process);
        if let Some(held) = &process.held {
            return format!("{who}: {}", one_line(held));
        }
        let others: Vec<String> = process
            .waits_for
            .iter()
            .map(|other| format!("{} ({})", process_name(&other.process, other.pid), other.on))
            .collect();
        match others.is_empty() {
            true => format!("{who} waits for nobody: no process can do any more what it waits for"),
            false => format!("{who} waits for {}", others.join(" or ")),
        }
    };
    let stuck = end.processes.iter().filter(|process| !process.may_end && !process.waits.is_empty());
    stuck.map(line).collect()
}

/// Those who wait for each other in a circle, in words.
fn circle(end: &Snapshot) -> Option<String> {
    let circle = end.circle()?;
    let names: Vec<String> = circle
        .iter()
        .chain(circle.first())
        .filter_map(|pid| end.processes.iter().find(|process| process.pid == *pid).map(name))
        .collect();
    Some(format!("{}: they wait for each other in a circle", names.join(" → ")))
}

fn chance_text(chance: &LastChance, model: &str) -> String {
    match chance {
        LastChance::Before { step, instead } => {
            let who = process_name(&instead.process, instead.pid);
            let (text, at) = (one_line(&instead.text), place(&instead.location, model));
            let how = match instead.ends {
                true => "from there the execution can end properly",
                false => "from there it can go on for ever without an error",
            };
            format!(
                "before step {step} the error could still be avoided: {who} could do `{text}` ({at}) instead, and {how}. \
                 After step {step} every way of going on leads to an error"
            )
        }
        LastChance::Never => "the error cannot be avoided: every execution leads to one".to_string(),
        LastChance::Unknown(why) => {
            format!("not known, the step at which the error could last be avoided: {why}")
        }
    }
}
