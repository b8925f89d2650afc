//! One state for people: where each process stands, what variables and channels hold.

use crate::step::{place, process_name};
use crate::wrap::{cut, hanging, one_line};
use crate::{Paint, Style, human};
use panoptes_trace::{Snapshot, Standing, contents_text};

/// More values than this are shown only in full.
const VALUES_MAX: usize = 60;
const PROCESSES_MAX: usize = 20;
/// Reasons why one process waits.
const REASONS_MAX: usize = 6;

/// The state; with `stuck`, processes that may not end where they stand are marked.
pub fn snapshot_text(snapshot: &Snapshot, model: &str, stuck: bool, style: &Style) -> String {
    let mut out = String::new();
    let processes = &snapshot.processes;
    let shown = if style.full { processes.len() } else { processes.len().min(PROCESSES_MAX) };
    let names: Vec<String> =
        processes.iter().map(|process| process_name(&process.process, process.pid)).collect();
    let width = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let places: Vec<String> = processes.iter().map(|process| place(&process.location, model)).collect();
    let (name_width, place_width) = (width(&names), width(&places));
    for ((process, name), place) in processes.iter().zip(&names).zip(&places).take(shown) {
        let head = format!("  {name:<name_width$}  {place:<place_width$}  ");
        let room = style.width.saturating_sub(head.chars().count()).max(20);
        let text = cut(&standing_text(process, stuck), room);
        let paint = if stuck && !process.may_end { Paint::Bad } else { Paint::Plain };
        out += format!("{head}{}", style.paint(paint, &text)).trim_end();
        out.push('\n');
        if stuck && !process.may_end {
            let indent = head.chars().count().min(style.width / 3);
            let lines = reasons(process).into_iter();
            out += &lines.map(|why| hanging(&" ".repeat(indent), &why, style.width)).collect::<String>();
        }
    }
    if shown < processes.len() {
        out +=
            &format!("  … and {}\n", human::more((processes.len() - shown) as u64, "process", "processes"));
    }
    let hint = snapshot.hint.as_ref().filter(|_| stuck);
    let hint = hint.map(|hint| hanging("  hint: ", hint, style.width)).unwrap_or_default();
    out + &values_text(snapshot, style) + &hint
}

/// Why a process waits: for each of its statements, if that is not the same for all.
fn reasons(process: &Standing) -> Vec<String> {
    let waits = &process.waits;
    match (&process.held, waits.first()) {
        (Some(held), _) => vec![held.clone()],
        (None, Some(first)) if waits.iter().all(|wait| wait.reason == first.reason) => {
            vec![first.reason.clone()]
        }
        _ => {
            let shown = waits.iter().take(REASONS_MAX);
            let mut lines: Vec<String> =
                shown.map(|wait| format!("{}: {}", one_line(&wait.statement), wait.reason)).collect();
            if waits.len() > REASONS_MAX {
                lines.push(format!("… and {} more", waits.len() - REASONS_MAX));
            }
            lines
        }
    }
}

/// Where it waits, or that it has nothing left to do. (It may still be there: processes go away youngest first.)
pub(crate) fn standing_text(process: &Standing, stuck: bool) -> String {
    let mut next: Vec<String> = process.next.iter().map(|text| one_line(text)).collect();
    // One statement may be several steps, as `default` is in Argos: a step for each message.
    next.dedup();
    let labels = match &process.labels[..] {
        [] => String::new(),
        labels => format!("{}: ", labels.join(": ")),
    };
    match (&next[..], stuck && !process.may_end) {
        ([], _) => "at its end".to_string(),
        ([end], _) if end == "-end-" => "at its end".to_string(),
        (next, true) => format!("stuck before {labels}{}", next.join(" or ")),
        (next, false) => format!("before {labels}{}", next.join(" or ")),
    }
}

/// Variables and channels.
pub fn values_text(snapshot: &Snapshot, style: &Style) -> String {
    let mut out = String::new();
    // That a channel's name means that channel is no news.
    let news = snapshot.variables.iter().filter(|value| value.name != value.value);
    let variables: Vec<String> = news.map(|value| format!("{} = {}", value.name, value.value)).collect();
    let channels: Vec<String> = snapshot
        .channels
        .iter()
        .filter(|channel| channel.capacity > 0)
        .map(|channel| {
            let fill = format!("{}/{}", channel.messages.len(), channel.capacity);
            format!("{} {fill} {}", channel.name, contents_text(&channel.messages))
        })
        .collect();
    for (title, values) in [("variables", variables), ("channels", channels)] {
        if values.is_empty() {
            continue;
        }
        let shown = if style.full { values.len() } else { values.len().min(VALUES_MAX) };
        // What belongs together stays on one line, if it can.
        let room = style.width.saturating_sub(14);
        let together = |value: &String| match value.chars().count() <= room {
            true => value.replace(' ', "\u{a0}"),
            false => value.clone(),
        };
        let joined: Vec<String> = values[..shown].iter().map(together).collect();
        let mut text = joined.join(", ");
        if shown < values.len() {
            text += &format!(" … and {} more", values.len() - shown);
        }
        out += &hanging(&format!("  {title:<10}"), &text, style.width).replace('\u{a0}', " ");
    }
    out
}
