//! One step of a trace for people: the statement, the messages, what it printed, what it changed.

use crate::wrap::{one_line, wrap};
use crate::{Paint, Style};
use panoptes_exec::FaultKind;
use panoptes_trace::{Change, StepEvent, TraceError, TraceStep, message_text};

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
    let name = match kind {
        "monitor" => "trace assertion violated".to_string(),
        "goal" => "performed".to_string(),
        "requirement" | "unfulfilled" => "assertion violated".to_string(),
        _ => kind.replace('-', " "),
    };
    if message.starts_with(&name) || kind == "assertion" && message.starts_with("assertion") {
        message.to_string()
    } else {
        format!("{name}: {message}")
    }
}

/// An error is bad; what was looked for is not.
pub fn paint_of(error: &TraceError) -> Paint {
    let goals = [FaultKind::Goal.name(), FaultKind::Reached.name()];
    if goals.contains(&error.kind.as_str()) { Paint::Good } else { Paint::Bad }
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
        let mark = if paint_of(fault) == Paint::Good { '✓' } else { '✗' };
        deeds.push((paint_of(fault), format!("{mark} {}", fault.message)));
    }
    deeds
}

fn event_text(event: &StepEvent, of: u8, statement: &str) -> Option<(Paint, String)> {
    let message = |operator: &str, channel: &str, values: &[String], lost: bool| {
        let text = format!("{channel}{operator}{}", message_text(values));
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
                return Some((Paint::Message, format!("{channel}?<{}>", message_text(values))));
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
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ')')
        .map(|c| if c == '(' { ',' } else { c })
        .collect();
    bare.replace("!,", "!").replace("?,", "?")
}

/// `x: 0 → 1`, the process's own variables without its name.
pub(crate) fn change_text(change: &Change, own: &str) -> String {
    let name = change.name.strip_prefix(own).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&change.name);
    match &change.before {
        Some(before) if *before == change.after => format!("{name} = {} (unchanged)", change.after),
        Some(before) if before.starts_with('[') => {
            format!("{name}: {} → {}", old_contents(before, &change.after), change.after)
        }
        // What a flag was before is not in doubt.
        Some(before) if !matches!(before.as_str(), "true" | "false") => {
            format!("{name}: {before} → {}", change.after)
        }
        _ => format!("{name} = {}", change.after),
    }
}

/// What a channel held, shortened where both together are long: what it holds now matters more.
fn old_contents(before: &str, after: &str) -> String {
    const BOTH_MAX: usize = 40;
    const OLD_MIN: usize = 8;
    let room = BOTH_MAX.saturating_sub(after.chars().count()).max(OLD_MIN);
    if before.chars().count() <= room {
        return before.to_string();
    }
    let kept: String = before.chars().take(room.saturating_sub(2)).collect();
    // Whole messages only; a message of several fields is in parentheses.
    let is_whole = |text: &str| text.matches('(').count() == text.matches(')').count();
    let mut kept = kept.as_str();
    while let Some((head, _)) = kept.rsplit_once(", ") {
        kept = head;
        if is_whole(kept) {
            return format!("{kept}, …]");
        }
    }
    "[…]".to_string()
}

/// The changes of a step; variables that merely came into being as zero are no news.
pub(crate) fn changes(step: &TraceStep) -> Vec<String> {
    let own = process_name(&step.process, step.pid);
    let is_news =
        |change: &&Change| change.before.is_some() || !matches!(change.after.as_str(), "0" | "false");
    step.changes.iter().filter(is_news).map(|change| change_text(change, &own)).collect()
}

/// Where the statements of a list begin.
const LIST_INDENT: usize = 28;

/// The step on a line of its own, with further lines for what happened in it.
pub fn step_lines(step: &TraceStep, model: &str, style: &Style) -> String {
    let own = process_name(&step.process, step.pid);
    let place = place(&step.location, model);
    let atomic = if step.atomic { "*" } else { " " };
    let mut deeds = deeds(step, step.pid).into_iter();
    let statement = deeds.next().map_or_else(String::new, |(_, text)| text);
    let head = format!("{:>4}{atomic} {own:<14} ", step.number);
    let indent = LIST_INDENT.max(head.chars().count() + place.chars().count() + 1);
    let place = format!("{place:<width$}", width = indent - head.chars().count());
    let mut out = head + &style.paint(Paint::Faint, &place);
    let mut more = |first: bool, paint: Paint, text: &str| {
        // What does not fit goes on below, a little further in.
        let room = style.width.saturating_sub(indent).max(20);
        let lines = match text.chars().count() <= room {
            true => vec![text.to_string()],
            false => wrap(text, room - 2),
        };
        for (index, line) in lines.iter().enumerate() {
            let margin = match (index, first) {
                (0, true) => 0,
                (0, false) => indent,
                _ => indent + 2,
            };
            out += &format!("{}{}\n", " ".repeat(margin), style.paint(paint, line));
        }
    };
    more(true, Paint::Plain, &statement);
    for (paint, text) in deeds {
        more(false, paint, &text);
    }
    if let Some(partner) = &step.partner {
        let who = process_name(&partner.process, partner.pid);
        more(false, Paint::Plain, &format!("with {who}: {}", one_line(&partner.text)));
        for (paint, text) in self::deeds(step, partner.pid).into_iter().skip(1) {
            more(false, paint, &text);
        }
    }
    let changes = changes(step);
    if !changes.is_empty() {
        more(false, Paint::Faint, &changes.join(", "));
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
    fn of_long_contents_the_old_ones_are_shortened() {
        assert_eq!(old_contents("[1, 2]", "[1, 2, 3]"), "[1, 2]");
        let long = "[msg(1,0), msg(2,0), msg(3,0), msg(4,0)]";
        assert_eq!(old_contents(long, "[ack(1,0)]"), "[msg(1,0), msg(2,0), …]");
        assert_eq!(old_contents(long, long), "[…]");
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
        assert_eq!(event_text(&event, 0, "q!msg,s"), Some((Paint::Message, "q!msg(1)".to_string())));
        assert_eq!(event_text(&event, 1, "q?m,s"), None);
    }
}
