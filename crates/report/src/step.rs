//! One step of a trace for people: the statement, the messages, what it printed, what it changed.

use crate::wrap::one_line;
use crate::{Paint, Style};
use panoptes_trace::{Change, StepEvent, TraceError, TraceStep};

/// `:12` in the model itself, `shapes.h:3` in a file it includes.
pub fn place(location: &str, model: &str) -> String {
    let mut parts = location.rsplitn(3, ':');
    let (_, line, file) = (parts.next(), parts.next(), parts.next());
    match (line, file) {
        (Some(line), Some(file)) if file == model => format!(":{line}"),
        (Some(line), Some(file)) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("{name}:{line}")
        }
        _ => location.to_string(),
    }
}

/// An error in a few words: its kind, unless the message begins with it, and the message.
pub fn failure_text(error: &TraceError) -> String {
    let (kind, message) = (error.kind.as_str(), error.message.as_str());
    let name = kind.replace('-', " ");
    if message.starts_with(&name) || kind == "assertion" && message.starts_with("assertion") {
        message.to_string()
    } else {
        format!("{name}: {message}")
    }
}

/// `left[0]`.
pub(crate) fn process_name(process: &str, pid: u8) -> String {
    format!("{process}[{pid}]")
}

/// What process `pid` did in this step: its statement, and what happened that the statement does not show.
pub(crate) fn deeds(step: &TraceStep, pid: u8) -> Vec<(Paint, String)> {
    let partner = step.partner.as_ref().filter(|partner| partner.pid == pid && pid != step.pid);
    let text = partner.map_or(&step.text, |partner| &partner.text);
    let text = one_line(text);
    let mut deeds = vec![(Paint::Plain, text.clone())];
    for event in &step.events {
        deeds.extend(event_text(event, pid, &text));
    }
    if pid == step.pid
        && let Some(fault) = &step.fault
    {
        deeds.push((Paint::Bad, format!("✗ {}", fault.message)));
    }
    deeds
}

fn event_text(event: &StepEvent, of: u8, statement: &str) -> Option<(Paint, String)> {
    let message = |operator: &str, channel: &str, values: &[String], lost: bool| {
        let text = format!("{channel}{operator}{}", values.join(","));
        if lost {
            return Some((Paint::Unsure, format!("{text} (lost)")));
        }
        let is_news = bare(&text) != bare(statement);
        is_news.then_some((Paint::Message, text))
    };
    match event {
        StepEvent::Send { pid, channel, values, lost } if *pid == of => message("!", channel, values, *lost),
        StepEvent::Receive { pid, channel, values, peek } if *pid == of => {
            if *peek {
                return Some((Paint::Message, format!("{channel}?<{}>", values.join(","))));
            }
            message("?", channel, values, false)
        }
        StepEvent::Print { pid, text } if *pid == of => {
            let text = one_line(text);
            (!text.is_empty()).then_some((Paint::Good, format!("“{text}”")))
        }
        StepEvent::Start { process, pid } if *pid != of => {
            Some((Paint::Faint, format!("starts {}", process_name(process, *pid))))
        }
        _ => None,
    }
}

/// A message without what may be written in two ways: `q!msg(1)` is `q ! msg,1`.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != ')').map(|c| if c == '(' { ',' } else { c }).collect()
}

/// `x: 0 → 1`, the process's own variables without its name.
pub(crate) fn change_text(change: &Change, own: &str) -> String {
    let name = change.name.strip_prefix(own).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&change.name);
    match &change.before {
        Some(before) if *before == change.after => format!("{name} = {} (unchanged)", change.after),
        // What a flag was before is not in doubt.
        Some(before) if !matches!(before.as_str(), "true" | "false") => {
            format!("{name}: {before} → {}", change.after)
        }
        _ => format!("{name} = {}", change.after),
    }
}

/// The changes of a step; variables that merely came into being as zero are no news.
pub(crate) fn changes(step: &TraceStep) -> Vec<String> {
    let own = process_name(&step.process, step.pid);
    let is_news =
        |change: &&Change| change.before.is_some() || !matches!(change.after.as_str(), "0" | "false");
    step.changes.iter().filter(is_news).map(|change| change_text(change, &own)).collect()
}

/// The step on a line of its own, with further lines for what happened in it.
pub fn step_lines(step: &TraceStep, model: &str, style: &Style) -> String {
    let own = process_name(&step.process, step.pid);
    let place = place(&step.location, model);
    let atomic = if step.atomic { "*" } else { " " };
    let mut out = String::new();
    let mut deeds = deeds(step, step.pid).into_iter();
    let statement = deeds.next().map_or_else(String::new, |(_, text)| text);
    let head =
        format!("{:>4}{atomic} {own:<14} {}", step.number, style.paint(Paint::Faint, &format!("{place:<6}")));
    out += &format!("{head} {statement}\n");
    let mut more = |paint: Paint, text: &str| {
        out += &format!("{}{}\n", " ".repeat(28), style.paint(paint, text));
    };
    for (paint, text) in deeds {
        more(paint, &text);
    }
    if let Some(partner) = &step.partner {
        let who = process_name(&partner.process, partner.pid);
        more(Paint::Plain, &format!("with {who}: {}", one_line(&partner.text)));
        for (paint, text) in self::deeds(step, partner.pid).into_iter().skip(1) {
            more(paint, &text);
        }
    }
    let changes = changes(step);
    if !changes.is_empty() {
        more(Paint::Faint, &changes.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_model_are_short() {
        assert_eq!(place("a/b.pml:12:3", "a/b.pml"), ":12");
        assert_eq!(place("inc/shapes.h:3:1", "a/b.pml"), "shapes.h:3");
        assert_eq!(place("", "a/b.pml"), "");
    }

    #[test]
    fn a_message_that_the_statement_shows_is_not_repeated() {
        let event = StepEvent::Send {
            pid: 0,
            channel: "q".into(),
            values: vec!["msg".into(), "1".into()],
            lost: false,
        };
        assert_eq!(event_text(&event, 0, "q ! msg(1)"), None);
        assert_eq!(event_text(&event, 0, "q!msg,s"), Some((Paint::Message, "q!msg,1".to_string())));
        assert_eq!(event_text(&event, 1, "q?m,s"), None);
    }
}
