//! The chart for a terminal: lifelines from top to bottom, arrows across, no line wider than the screen.
//!
//! Where there is room, what a message says stands on its arrow. Otherwise the lanes are close together and the texts stand beside
//! them ([`super::compact`]).

use super::canvas::Canvas;
use super::{Chart, Message, Row, RowKind};
use crate::wrap::{cut, wrap};
use crate::{Paint, Style};

/// Lanes are no further apart than this.
const GAP_MAX: usize = 34;
/// Lanes that are closer leave no room for texts between them.
const GAP_MIN: usize = 10;
/// After so many rows, the names stand there again.
const NAMES_EVERY: usize = 50;

impl Chart {
    /// The chart and nothing else.
    pub fn to_text(&self, style: &Style) -> String {
        if self.lanes.is_empty() || self.rows.is_empty() {
            return String::new();
        }
        match Wide::new(self, style) {
            Some(wide) => wide.draw(),
            None => super::compact::draw(self, style),
        }
    }

    /// The width of what stands before the lanes: numbers of steps.
    pub(super) fn gutter(&self) -> usize {
        let digits = self.range.end().to_string().len();
        2 * digits + 3
    }

    /// The number of a row, and that of the next if that is drawn with it.
    pub(super) fn number(&self, row: &Row, with: Option<&Row>) -> String {
        let atomic = if row.is_atomic { "*" } else { " " };
        let width = self.gutter() - 2;
        let text = match (&row.kind, with) {
            (RowKind::CycleStart { .. } | RowKind::CycleEnd { .. }, _) => String::new(),
            (RowKind::Fold { last, .. }, _) if *last > row.step => format!("{}–{last}", row.step),
            (RowKind::Fault { .. }, _) if row.lane.is_none() => String::new(),
            (_, Some(next)) => format!("{}→{}", row.step, next.step),
            _ => row.step.to_string(),
        };
        format!("{text:>width$}{atomic}")
    }

    /// The row that follows, if it receives what this one sends.
    pub(super) fn received_at_once(&self, index: usize) -> Option<&Row> {
        let next = self.rows.get(index + 1)?;
        match (&self.rows[index].kind, &next.kind) {
            (RowKind::Send(sent), RowKind::Receive(received)) if sent == received => Some(next),
            _ => None,
        }
    }

    pub(super) fn paint(&self, row: &Row) -> Paint {
        match &row.kind {
            RowKind::Fault { is_good: false, .. } => Paint::Bad,
            RowKind::Fault { .. } | RowKind::Print(_) => Paint::Good,
            RowKind::Timeout => Paint::Unsure,
            RowKind::Act => Paint::Plain,
            RowKind::Send(index) if self.messages[*index].is_lost => Paint::Unsure,
            RowKind::Send(_) | RowKind::Receive(_) | RowKind::Rendezvous(_) => Paint::Message,
            _ => Paint::Faint,
        }
    }
}

/// `q!msg(1)`, with what else there is to say of it where the row is.
pub(super) fn label(message: &Message, row: usize) -> String {
    let text = message.text();
    let is_sent_here = message.sent.is_some_and(|sent| sent.row == Some(row));
    let is_received_here = message.received.is_some_and(|received| received.row == Some(row));
    match (message.sent, message.received) {
        _ if message.is_lost => format!("{text} (lost)"),
        _ if message.is_copy => text,
        (Some(_), None) if is_sent_here => format!("{text} (never received)"),
        (Some(_), Some(received)) if is_sent_here && !is_received_here && received.row != Some(row + 1) => {
            format!("{text} (received in step {})", received.step)
        }
        (Some(sent), Some(_))
            if is_received_here && !is_sent_here && (row == 0 || sent.row != Some(row - 1)) =>
        {
            format!("{text} (sent in step {})", sent.step)
        }
        (None, _) => format!("{text} (there from the start)"),
        _ => text,
    }
}

struct Wide<'a> {
    chart: &'a Chart,
    style: &'a Style,
    gutter: usize,
    gap: usize,
}

impl Wide<'_> {
    /// None if there is not enough room.
    fn new<'a>(chart: &'a Chart, style: &'a Style) -> Option<Wide<'a>> {
        let gutter = chart.gutter();
        let names = chart.lanes.iter().map(|lane| lane.name().chars().count() + 2).max().unwrap_or(0);
        let mut needed = names;
        for message in &chart.messages {
            let (Some(from), Some(to)) = (message.from, message.to) else { continue };
            let length = message.text().chars().count() + 6;
            needed = needed.max(length.div_ceil(from.abs_diff(to).max(1)));
        }
        let room = style.width.saturating_sub(gutter + 1);
        let gap = (room / chart.lanes.len()).min(GAP_MAX).min(needed.max(GAP_MIN + 4));
        (gap >= names.max(GAP_MIN) && gap >= needed.min(GAP_MAX)).then_some(Wide {
            chart,
            style,
            gutter,
            gap,
        })
    }

    fn x(&self, lane: usize) -> usize {
        self.gutter + lane * self.gap
    }

    fn draw(&self) -> String {
        let mut out = String::new();
        let mut index = 0;
        let mut lines = 0;
        while index < self.chart.rows.len() {
            if lines % NAMES_EVERY == 0 {
                out += &self.names(index);
            }
            lines += 1;
            let together = self.chart.received_at_once(index);
            out += &self.row(index, together);
            index += if together.is_some() { 2 } else { 1 };
        }
        out
    }

    fn names(&self, row: usize) -> String {
        let mut line = Canvas::new(self.style.width);
        let mut below = Canvas::new(self.style.width);
        for (index, lane) in self.chart.lanes.iter().enumerate() {
            line.put(self.x(index), &cut(&lane.name(), self.gap - 1), Paint::Heading);
            if self.chart.lives(index, row) {
                below.mark(self.x(index), if row == 0 { '┬' } else { '│' }, Paint::Faint);
            }
        }
        line.render(self.style) + &below.render(self.style)
    }

    /// An empty line: the lifelines.
    fn lifelines(&self, row: usize) -> Canvas {
        let mut line = Canvas::new(self.style.width);
        for lane in 0..self.chart.lanes.len() {
            if self.chart.lives(lane, row) {
                line.mark(self.x(lane), '│', Paint::Faint);
            }
        }
        line
    }

    fn row(&self, index: usize, together: Option<&Row>) -> String {
        let row = &self.chart.rows[index];
        let number = self.chart.number(row, together);
        match &row.kind {
            RowKind::Send(message) | RowKind::Receive(message) | RowKind::Rendezvous(message) => {
                self.arrow(index, &self.chart.messages[*message], together.is_some(), &number)
            }
            _ => self.text(index, &number),
        }
    }

    fn arrow(&self, index: usize, message: &Message, is_whole: bool, number: &str) -> String {
        let row = &self.chart.rows[index];
        let paint = self.chart.paint(row);
        let text = if is_whole { message.text() } else { label(message, index) };
        let is_send = matches!(row.kind, RowKind::Send(_));
        let is_full = is_whole || !is_send;
        let (start, end) = match (message.from, message.to) {
            (Some(from), Some(to)) if from != to => (self.x(from), self.x(to)),
            // To oneself, to nobody, or from nobody: a short arrow.
            (Some(lane), _) | (None, Some(lane)) => return self.stub(index, lane, &text, is_full, number),
            (None, None) => return self.text(index, number),
        };
        let mut line = self.lifelines(index);
        line.put(0, number, Paint::Plain);
        let stroke = if is_send || matches!(row.kind, RowKind::Rendezvous(_)) { '─' } else { '┄' };
        line.line(start, end, stroke, paint);
        let is_right = end > start;
        line.mark(start, if is_right { '├' } else { '┤' }, paint);
        if is_full {
            let head = if is_right { end - 1 } else { end + 1 };
            line.mark(head, if is_right { '▶' } else { '◀' }, paint);
        } else {
            // It stays in the channel for a while: the line ends half way.
            let stop = if is_right { end - 1 } else { end + 1 };
            line.mark(stop, if is_right { '╴' } else { '╶' }, paint);
        }
        let (left, right) = (start.min(end), start.max(end));
        let length = text.chars().count();
        if length + 4 <= right - left {
            line.put(left + (right - left - length) / 2, &text, paint);
            return line.render(self.style);
        }
        let mut above = self.lifelines(index);
        let room = self.style.width - self.gutter;
        let text = cut(&text, room);
        let at = (left + 2).min(self.style.width - text.chars().count());
        above.put(at, &text, paint);
        above.render(self.style) + &line.render(self.style)
    }

    /// An arrow that goes nowhere else.
    fn stub(&self, index: usize, lane: usize, text: &str, is_full: bool, number: &str) -> String {
        let message = match &self.chart.rows[index].kind {
            RowKind::Send(message) | RowKind::Receive(message) | RowKind::Rendezvous(message) => *message,
            _ => return String::new(),
        };
        let message = &self.chart.messages[message];
        let mark = match (message.is_lost, message.from == message.to, is_full) {
            (true, ..) => "─✗ ",
            (_, true, true) => "◀┐ ",
            (_, _, true) => "◀┄ ",
            _ => "─╴ ",
        };
        self.beside(index, lane, &format!("{mark}{text}"), number)
    }

    fn text(&self, index: usize, number: &str) -> String {
        let row = &self.chart.rows[index];
        let mut text = self.chart.row_text(row);
        if row.kind == RowKind::Act && !row.changes.is_empty() {
            text = format!("{text}  {{{}}}", row.changes.join(", "));
        }
        match row.lane {
            Some(lane) => self.beside(index, lane, &format!(" {text}"), number),
            None => {
                let lines = wrap(&text, self.style.width - self.gutter);
                let line = |(at, text): (usize, &String)| {
                    let mut line = Canvas::new(self.style.width);
                    if at == 0 {
                        line.put(0, number, Paint::Plain);
                    }
                    line.put(self.gutter, &cut(text, self.style.width - self.gutter), self.chart.paint(row));
                    line.render(self.style)
                };
                lines.iter().enumerate().map(line).collect()
            }
        }
    }

    /// A text beside a lifeline: to its right, or to its left where there is more room.
    fn beside(&self, index: usize, lane: usize, text: &str, number: &str) -> String {
        let row = &self.chart.rows[index];
        let paint = self.chart.paint(row);
        let x = self.x(lane);
        let (left, right) = (x.saturating_sub(self.gutter), self.style.width.saturating_sub(x + 1));
        let is_right = text.chars().count() <= right || right >= left || right >= 30;
        let room = if is_right { right } else { left };
        let indent = text.chars().take_while(|c| *c == ' ').count();
        let lines = wrap(text, room.saturating_sub(2).max(8));
        let mut out = String::new();
        for (count, part) in lines.iter().enumerate() {
            let mut line = self.lifelines(index);
            if count == 0 {
                line.put(0, number, Paint::Plain);
                let mark = match (&row.kind, is_right) {
                    (RowKind::End, _) => '┴',
                    (_, true) => '├',
                    (_, false) => '┤',
                };
                line.mark(x, mark, paint);
            }
            let part = cut(part, room.saturating_sub(indent));
            let at = match is_right {
                true => x + 1 + indent,
                false => x.saturating_sub(1 + part.chars().count()),
            };
            line.put(at, &format!("{part} "), paint);
            out += &line.render(self.style);
        }
        out
    }
}
