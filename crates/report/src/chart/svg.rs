//! The chart as SVG: lifelines, slanted arrows for messages that take time, level ones where sender and receiver meet.

use super::{Chart, Message, Row, RowKind, SVG_STYLE};
use crate::markup::escape;
use crate::wrap::{cut, wrap};
use std::fmt::Write;

/// The width of a character of the font, about.
const CHAR: f64 = 7.25;
const ROW: f64 = 30.0;
const GUTTER: f64 = 64.0;
const HEAD: f64 = 26.0;
/// From the top to the first row, heads left out.
const TOP: f64 = 14.0;
const GAP_MIN: f64 = 96.0;
const GAP_MAX: f64 = 250.0;
/// A message that is under way for more rows than this is drawn with a bend.
const SLANT_MAX: usize = 5;

/// A chart in two parts, so that the names can stay in sight.
#[derive(Clone, Debug)]
pub struct SvgParts {
    pub heads: String,
    pub body: String,
    pub width: f64,
}

impl Chart {
    /// A whole file.
    pub fn to_svg(&self) -> String {
        let drawing = Drawing::new(self);
        let title = drawing.title();
        let head = if title.is_empty() { 0.0 } else { 24.0 };
        let (body, height) = drawing.body();
        let (width, total) = (drawing.width, head + HEAD + 8.0 + height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mc\" width=\"{width:.0}\" height=\"{total:.0}\" \
             viewBox=\"0 0 {width:.0} {total:.0}\" role=\"img\">\n<title>{}</title>\n<style>\n{SVG_STYLE}</style>\n\
             <rect class=\"mc-paper\" width=\"100%\" height=\"100%\"/>\n",
            escape(&format!("{} {title}", self.model)),
        );
        if !title.is_empty() {
            let room = ((width - 16.0) / CHAR) as usize;
            writeln!(out, "<text class=\"mc-name\" x=\"8\" y=\"17\">{}</text>", escape(&cut(&title, room)))
                .expect("a string takes all");
        }
        out += &format!(
            "<g transform=\"translate(0 {})\">\n{}</g>\n<g transform=\"translate(0 {})\">\n{body}</g>\n</svg>\n",
            head + 4.0,
            drawing.heads(),
            head + HEAD + 8.0
        );
        out
    }

    /// For a page: the names and the rest, each an `svg` element without a style sheet.
    pub fn svg_parts(&self) -> SvgParts {
        let drawing = Drawing::new(self);
        let width = drawing.width;
        let wrap = |content: &str, height: f64, label: &str| {
            format!(
                "<svg class=\"mc\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
                 role=\"img\" aria-label=\"{label}\">\n{content}</svg>\n"
            )
        };
        let (body, height) = drawing.body();
        SvgParts {
            heads: wrap(&drawing.heads(), HEAD + 6.0, "processes"),
            body: wrap(&body, height, "message sequence chart"),
            width,
        }
    }
}

struct Drawing<'a> {
    chart: &'a Chart,
    gap: f64,
    width: f64,
}

impl Drawing<'_> {
    fn new(chart: &Chart) -> Drawing<'_> {
        let mut needed = GAP_MIN;
        for lane in &chart.lanes {
            needed = needed.max(lane.name().chars().count() as f64 * CHAR + 24.0);
        }
        for message in &chart.messages {
            let length = message.text().chars().count() as f64 * CHAR + 36.0;
            needed = needed.max(length / message_span(message));
        }
        for row in chart.rows.iter().filter(|row| row.lane.is_some() && row.kind == RowKind::Act) {
            needed =
                needed.max((row_label(chart, row).chars().count() as f64 * CHAR + 24.0).min(GAP_MAX * 0.8));
        }
        let gap = needed.min(GAP_MAX);
        let own = GUTTER + gap * chart.lanes.len() as f64 + 16.0;
        let notes = chart.rows.iter().filter(|row| row.lane.is_none());
        let longest = notes.map(|row| chart.row_text(row).chars().count()).max().unwrap_or(0).min(90);
        let beside = chart.rows.iter().filter_map(|row| {
            let length = row_label(chart, row).chars().count().min(60) as f64 * CHAR;
            let is_arrow =
                matches!(row.kind, RowKind::Send(_) | RowKind::Receive(_) | RowKind::Rendezvous(_));
            row.lane.filter(|_| !is_arrow).map(|lane| GUTTER + gap * (lane as f64 + 0.5) + length + 16.0)
        });
        let width = beside.fold(own.max(GUTTER + longest as f64 * CHAR + 16.0), f64::max);
        Drawing { chart, gap, width: width.max(360.0) }
    }

    fn x(&self, lane: usize) -> f64 {
        GUTTER + self.gap * (lane as f64 + 0.5)
    }

    fn y(&self, row: usize) -> f64 {
        TOP + ROW * (row as f64 + 0.5)
    }

    fn title(&self) -> String {
        let mut title = self.chart.model.clone();
        if let Some(range) = self.chart.range_text() {
            title += &format!(" — {range}");
        }
        title
    }

    fn heads(&self) -> String {
        let mut out = String::new();
        for (index, lane) in self.chart.lanes.iter().enumerate() {
            let name = cut(&lane.name(), ((self.gap - 12.0) / CHAR) as usize);
            let width = name.chars().count() as f64 * CHAR + 16.0;
            let x = self.x(index);
            writeln!(
                out,
                "<g><title>{}</title><rect class=\"mc-head\" x=\"{:.1}\" y=\"1\" width=\"{width:.1}\" height=\"{}\" rx=\"5\"/>\
                 <text class=\"mc-name\" x=\"{x:.1}\" y=\"17\" text-anchor=\"middle\">{}</text></g>",
                escape(&lane.name()),
                x - width / 2.0,
                HEAD - 4.0,
                escape(&name)
            )
            .expect("a string takes all");
        }
        out
    }

    /// Everything below the names, and how high it is.
    fn body(&self) -> (String, f64) {
        let rows = self.chart.rows.len();
        let bottom = self.y(rows);
        let mut out = self.cycle();
        // Bands come first, so that nothing is behind them.
        for (index, row) in self.chart.rows.iter().enumerate() {
            writeln!(
                out,
                "<rect class=\"mc-band\" data-step=\"{}\" x=\"0\" y=\"{:.1}\" width=\"{:.0}\" height=\"{ROW}\"/>",
                row.step,
                self.y(index) - ROW / 2.0,
                self.width
            )
            .expect("a string takes all");
        }
        for lane in 0..self.chart.lanes.len() {
            let ((first, last), x) = (self.life(lane), self.x(lane));
            writeln!(
                out,
                "<line class=\"mc-life\" x1=\"{x:.1}\" y1=\"{first:.1}\" x2=\"{x:.1}\" y2=\"{last:.1}\"/>"
            )
            .expect("a string takes all");
        }
        for (index, message) in self.chart.messages.iter().enumerate() {
            out += &self.message(index, message);
        }
        for (index, row) in self.chart.rows.iter().enumerate() {
            out += &self.row(index, row);
        }
        let (end, height) = self.end(bottom);
        out += &end;
        (out, bottom + height)
    }

    /// From where to where a lifeline goes.
    fn life(&self, lane: usize) -> (f64, f64) {
        let rows = self.chart.rows.len();
        let lane = &self.chart.lanes[lane];
        (lane.from.map_or(0.0, |row| self.y(row)), lane.until.map_or_else(|| self.y(rows), |row| self.y(row)))
    }

    fn cycle(&self) -> String {
        let rows = &self.chart.rows;
        let start = rows.iter().position(|row| matches!(row.kind, RowKind::CycleStart { .. }));
        let Some(start) = start else { return String::new() };
        let end =
            rows.iter().position(|row| matches!(row.kind, RowKind::CycleEnd { .. })).unwrap_or(rows.len());
        let (top, bottom) = (self.y(start) - ROW / 2.0, self.y(end) + ROW / 2.0);
        format!(
            "<rect class=\"mc-cycle\" x=\"3\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"7\"/>\n",
            self.width - 6.0,
            bottom - top
        )
    }

    fn message(&self, index: usize, message: &Message) -> String {
        let sent = message.sent.and_then(|sent| sent.row);
        let received = message.received.and_then(|received| received.row);
        let text = escape(&message.text());
        let bottom = self.chart.rows.len();
        let is_level = message.is_rendezvous();
        let (start, end) = match (message.from, message.to) {
            (Some(from), Some(to)) => {
                // A copy is looked at where it lies; what comes from above the chart, or goes below it, is cut.
                let from_row = if message.is_copy { None } else { sent };
                let top = received.map_or(0.0, |row| self.y(row) - ROW);
                let low = sent.map_or(0.0, |row| (self.y(row) + ROW).min(self.y(bottom)));
                let y1 = from_row.map_or(top, |row| self.y(row));
                let y2 = received.map_or(low, |row| self.y(row));
                ((self.x(from), y1), (self.x(to), y2))
            }
            (Some(from), None) => {
                let Some(row) = sent else { return String::new() };
                let reach = (self.gap * 0.42).min(90.0);
                let is_last = from + 1 == self.chart.lanes.len() && from > 0;
                let (x, y) = (self.x(from), self.y(row));
                ((x, y), (if is_last { x - reach } else { x + reach }, y + 8.0))
            }
            (None, Some(to)) => {
                let Some(row) = received else { return String::new() };
                let (x, y) = (self.x(to), self.y(row));
                ((x - (self.gap * 0.42).min(90.0), y - 8.0), (x, y))
            }
            (None, None) => return String::new(),
        };
        let is_self = message.from.is_some() && message.from == message.to;
        let mut out = format!("<g><title>{text}{}</title>", escape(&self.history(message)));
        let is_right = end.0 >= start.0;
        let copy = if message.is_copy { " mc-copy" } else { "" };
        let rows_apart = sent.zip(received).map_or(0, |(sent, received)| received - sent);
        if is_self {
            let (x, reach) = (start.0, 24.0);
            let y2 = end.1.max(start.1 + 10.0);
            out += &format!(
                "<path class=\"mc-arrow{copy}\" d=\"M{x:.1} {:.1} C{:.1} {:.1} {:.1} {y2:.1} {x:.1} {y2:.1}\"/>",
                start.1,
                x + reach,
                start.1,
                x + reach,
            );
            out += &tip(x, y2, false, "mc-tip");
        } else if message.to.is_none() {
            let class = if message.is_lost { "mc-lost" } else { "mc-arrow" };
            out += &line(class, start, end);
            out += &match message.is_lost {
                true => cross(end.0, end.1, 5.0, "mc-lost"),
                false => {
                    format!("<circle class=\"mc-tip\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>", end.0, end.1)
                }
            };
        } else if rows_apart > SLANT_MAX && !message.is_copy {
            // In the channel it goes down a line of its own, near the receiver.
            let side = if is_right { -1.0 } else { 1.0 };
            // Those that are under way at the same time have lines of their own.
            let x = end.0 + side * ((self.gap * 0.14).min(22.0) + (index % 3) as f64 * 6.0);
            let (y1, y2) = (start.1 + ROW * 0.7, end.1 - ROW * 0.5);
            out += &line("mc-arrow", start, (x, y1));
            out += &line("mc-wait", (x, y1), (x, y2));
            out += &line("mc-arrow", (x, y2), end);
            out += &slanted_tip((x, y2), end, "mc-tip");
        } else {
            out += &line(&format!("mc-arrow{copy}"), start, end);
            out += &slanted_tip(start, end, "mc-tip");
        }
        // What it says stands at its beginning, above the line.
        let class = if message.is_lost { "mc-unsure" } else { "mc-message" };
        let room = ((self.gap * message_span(message) - 18.0) / CHAR).max(6.0) as usize;
        let mut shown = cut(&message.text(), room);
        if message.is_lost {
            shown += " (lost)";
        } else if message.received.is_none() && !message.is_copy {
            shown += " (stays)";
        }
        let (x, y, anchor) = match (is_level, is_right || is_self) {
            (true, _) => ((start.0 + end.0) / 2.0, start.1 - 5.0, "middle"),
            (false, true) => (start.0 + 9.0, start.1 - 4.0, "start"),
            (false, false) => (start.0 - 9.0, start.1 - 4.0, "end"),
        };
        let (x, anchor) = if sent.is_none() || message.is_copy {
            // The beginning is not in the chart.
            if is_right { (end.0 - 12.0, "end") } else { (end.0 + 12.0, "start") }
        } else {
            (x, anchor)
        };
        let y = if sent.is_none() || message.is_copy { end.1 + 12.0 } else { y };
        out += &format!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(&shown)
        );
        // How long it was under way stands at its end.
        if let Some(delay) = message.delay().filter(|delay| *delay > 1 && received.is_some() && !is_self) {
            let (x, anchor) = if is_right { (end.0 - 10.0, "end") } else { (end.0 + 10.0, "start") };
            let y = if sent.is_none() || message.is_copy { end.1 + 24.0 } else { end.1 + 12.0 };
            out += &format!(
                "<text class=\"mc-faint\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{delay} steps</text>"
            );
        }
        out + "</g>\n"
    }

    /// Where a message comes from and goes to, in words.
    fn history(&self, message: &Message) -> String {
        let mut text = String::new();
        if let Some(sent) = message.sent {
            text += &format!(", sent in step {}", sent.step);
        }
        if let Some(received) = message.received {
            text += &format!(", received in step {}", received.step);
        } else if message.is_lost {
            text += ", lost";
        } else {
            text += ", never received";
        }
        text
    }

    fn row(&self, index: usize, row: &Row) -> String {
        let y = self.y(index);
        let mut out = format!("<g data-step=\"{}\">", row.step);
        let is_repeated = index > 0
            && self.chart.rows[index - 1].step == row.step
            && !matches!(self.chart.rows[index - 1].kind, RowKind::CycleStart { .. });
        let is_note = row.lane.is_none() && !matches!(row.kind, RowKind::Fold { .. });
        if !is_repeated && !is_note {
            let atomic = if row.is_atomic { "*" } else { "" };
            let number = match &row.kind {
                RowKind::Fold { last, .. } if *last > row.step => format!("{}–{last}", row.step),
                _ => row.step.to_string(),
            };
            out += &format!(
                "<text class=\"mc-number\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{number}{atomic}</text>",
                GUTTER - 22.0,
                y + 4.0
            );
        }
        let text = row_label(self.chart, row);
        let whole =
            if row.changes.is_empty() { String::new() } else { format!(" ({})", row.changes.join(", ")) };
        let hint = format!("<title>{}{}</title>", escape(&row.statement), escape(&whole));
        match (&row.kind, row.lane) {
            (RowKind::Send(_) | RowKind::Receive(_) | RowKind::Rendezvous(_), _) => {}
            (RowKind::Start(started), by) => {
                let x = self.x(*started);
                if let Some(by) = by {
                    out += &line("mc-wait", (self.x(by), y), (x, y));
                    out += &slanted_tip((self.x(by), y), (x, y), "mc-tip");
                }
                out += &format!("<circle class=\"mc-dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
                out += &self.label("mc-faint", x + 8.0, y + 4.0, "starts", "");
            }
            (RowKind::End, Some(lane)) => {
                let x = self.x(lane);
                out += &cross(x, y, 5.0, "mc-over");
                out += &self.label("mc-faint", x + 10.0, y + 4.0, "ends", "");
            }
            (kind, Some(lane)) => {
                let x = self.x(lane);
                let class = match kind {
                    RowKind::Fault { is_good: false, .. } => "mc-bad",
                    RowKind::Fault { .. } | RowKind::Print(_) => "mc-good",
                    RowKind::Timeout => "mc-unsure",
                    _ => "mc-act",
                };
                out += &format!(
                    "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>",
                    if class == "mc-act" { "mc-dot" } else { class }
                );
                out += &self.label(class, x + 9.0, y + 4.0, &text, &hint);
            }
            (kind, None) => {
                let class = match kind {
                    RowKind::Fault { is_good: false, .. } => "mc-bad",
                    RowKind::Fault { .. } => "mc-good",
                    RowKind::CycleStart { .. } | RowKind::CycleEnd { .. } => "mc-again",
                    _ => "mc-faint",
                };
                out += &self.label(class, GUTTER - 12.0, y + 4.0, &text, &hint);
            }
        }
        out + "</g>\n"
    }

    /// A text that stays within the drawing.
    fn label(&self, class: &str, x: f64, y: f64, text: &str, hint: &str) -> String {
        let text = cut(text, ((self.width - GUTTER) / CHAR) as usize);
        let length = text.chars().count() as f64 * CHAR;
        let x = x.min(self.width - length - 6.0).max(4.0);
        format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{hint}{}</text>", escape(&text))
    }

    /// Where processes stand at the end, and who waits for whom; and how high that is.
    fn end(&self, top: f64) -> (String, f64) {
        let mut out = String::new();
        let mut lowest = 0.0_f64;
        let room = ((self.gap - 18.0) / CHAR) as usize;
        for lane in 0..self.chart.lanes.len() {
            let Some((text, is_stuck)) = self.chart.standing(lane) else { continue };
            let mut lines: Vec<String> = wrap(&text, room).iter().map(|line| cut(line, room)).collect();
            lines.truncate(4);
            let height = lines.len() as f64 * 15.0 + 8.0;
            let x = self.x(lane);
            let (rect, class) = if is_stuck { ("mc-stuck", "mc-bad") } else { ("mc-stand", "mc-act") };
            write!(
                out,
                "<g><title>{}</title><rect class=\"{rect}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" rx=\"5\"/>",
                escape(&text),
                x - self.gap / 2.0 + 4.0,
                self.gap - 8.0
            )
            .expect("a string takes all");
            for (index, line) in lines.iter().enumerate() {
                write!(
                    out,
                    "<text class=\"{class} mc-plain\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    top + 16.0 + index as f64 * 15.0,
                    escape(line)
                )
                .expect("a string takes all");
            }
            out += "</g>\n";
            lowest = lowest.max(height);
        }
        if lowest == 0.0 {
            return (out, 16.0);
        }
        let (waits, height) = self.waits(top + lowest + 4.0);
        (out + &waits, lowest + height + 16.0)
    }

    /// The wait-for graph: an arc from each process to those it waits for.
    fn waits(&self, top: f64) -> (String, f64) {
        let edges = self.chart.wait_edges();
        if edges.is_empty() {
            return (String::new(), 0.0);
        }
        let mut out = String::new();
        let mut depth = 0.0_f64;
        // Where texts stand: the middle, half the width, the height.
        let mut texts: Vec<(f64, f64, f64)> = Vec::new();
        for (index, (from, to, on)) in edges.iter().enumerate() {
            let (shift, span) = (((index % 3) as f64 - 1.0) * 3.0, from.abs_diff(*to).max(1) as f64);
            let is_right = to > from;
            let (x1, x2) = (
                self.x(*from) + shift + if is_right { 8.0 } else { -8.0 },
                self.x(*to) + if is_right { -8.0 } else { 8.0 },
            );
            let shown = cut(on, 30);
            let (middle, half) = ((x1 + x2) / 2.0, shown.chars().count() as f64 * CHAR / 2.0);
            let mut dip = 30.0 + 16.0 * span + if is_right { 0.0 } else { 14.0 };
            let y = |dip: f64| top + dip * 0.75 + 10.0;
            let meets = |dip: f64, (x, width, height): &(f64, f64, f64)| {
                (middle - x).abs() < half + width + 4.0 && (y(dip) - height).abs() < 12.0
            };
            // An arc goes deeper until its text covers no other one.
            while texts.iter().any(|text| meets(dip, text)) {
                dip += 6.0;
            }
            texts.push((middle, half, y(dip)));
            depth = depth.max(dip);
            writeln!(
                out,
                "<g><title>{} waits for {} ({})</title>\
                 <path class=\"mc-for\" d=\"M{x1:.1} {top:.1} C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {:.1}\"/>\
                 <path class=\"mc-fortip\" d=\"M{x2:.1} {:.1} l-4 8 l8 0 z\"/>\
                 <text class=\"mc-faint\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
                escape(&self.chart.lane_name(*from)),
                escape(&self.chart.lane_name(*to)),
                escape(on),
                top + dip,
                top + dip,
                top + 6.0,
                top,
                middle,
                y(dip),
                escape(&shown),
            )
            .expect("a string takes all");
        }
        (out, depth * 0.75 + 26.0)
    }
}

/// How many lanes an arrow goes across.
fn message_span(message: &Message) -> f64 {
    match (message.from, message.to) {
        (Some(from), Some(to)) if from != to => from.abs_diff(to) as f64,
        _ => 1.0,
    }
}

/// A statement and what it changed.
fn row_label(chart: &Chart, row: &Row) -> String {
    let text = chart.row_text(row);
    match (&row.kind, row.changes.is_empty()) {
        (RowKind::Act, false) => format!("{text}  [{}]", row.changes.join(", ")),
        _ => text,
    }
}

fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>")
}

/// The head of an arrow that points to the right or to the left.
fn tip(x: f64, y: f64, is_right: bool, class: &str) -> String {
    let side = if is_right { -1.0 } else { 1.0 };
    format!("<path class=\"{class}\" d=\"M{x:.1} {y:.1} l{:.1} -4 l0 8 z\"/>", side * 9.0)
}

/// The head of an arrow along a line.
fn slanted_tip((x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) -> String {
    let length = (x2 - x1).hypot(y2 - y1).max(0.1);
    let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
    let (back_x, back_y) = (x2 - 10.0 * dx, y2 - 10.0 * dy);
    let (side_x, side_y) = (-4.0 * dy, 4.0 * dx);
    format!(
        "<path class=\"{class}\" d=\"M{x2:.1} {y2:.1} L{:.1} {:.1} L{:.1} {:.1} z\"/>",
        back_x + side_x,
        back_y + side_y,
        back_x - side_x,
        back_y - side_y
    )
}

fn cross(x: f64, y: f64, size: f64, class: &str) -> String {
    format!(
        "<path class=\"{class}\" d=\"M{:.1} {:.1} l{s} {s} m-{s} 0 l{s} -{s}\"/>",
        x - size,
        y - size,
        s = 2.0 * size
    )
}
