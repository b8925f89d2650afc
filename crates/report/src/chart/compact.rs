//! The chart where lanes must be close together: what happens stands beside them.

use super::canvas::Canvas;
use super::terminal::label;
use super::{Chart, Message, Row, RowKind};
use crate::wrap::{cut, wrap};
use crate::{Paint, Style};

/// Less room than this for texts is not worth reading.
const TEXT_MIN: usize = 24;

pub(super) fn draw(chart: &Chart, style: &Style) -> String {
    let gutter = chart.gutter();
    // Lanes give way before texts do.
    let room =
        |gap: usize, text: usize| (gutter + gap * chart.lanes.len() + 1 + text <= style.width).then_some(gap);
    match room(4, 2 * TEXT_MIN).or_else(|| room(3, 2 * TEXT_MIN)).or_else(|| room(2, TEXT_MIN)) {
        Some(gap) => {
            let text = gutter + gap * chart.lanes.len() + 1;
            Compact { chart, style, gutter, gap, text }.draw()
        }
        // Not even the lifelines fit.
        None => Compact { chart, style, gutter, gap: 0, text: gutter }.draw(),
    }
}

struct Compact<'a> {
    chart: &'a Chart,
    style: &'a Style,
    gutter: usize,
    /// Between two lanes; none are drawn if it is zero.
    gap: usize,
    /// Where texts begin.
    text: usize,
}

impl Compact<'_> {
    fn x(&self, lane: usize) -> usize {
        self.gutter + lane * self.gap
    }

    fn draw(&self) -> String {
        let mut out = if self.gap > 0 { self.names() } else { String::new() };
        let mut index = 0;
        while index < self.chart.rows.len() {
            let together = self.chart.received_at_once(index);
            out += &self.row(index, together);
            index += if together.is_some() { 2 } else { 1 };
        }
        out
    }

    /// The names, a line each, like stairs.
    fn names(&self) -> String {
        let mut out = String::new();
        for (index, lane) in self.chart.lanes.iter().enumerate() {
            let mut line = Canvas::new(self.style.width);
            for before in 0..index {
                line.mark(self.x(before), '│', Paint::Faint);
            }
            line.put(self.x(index), "┌ ", Paint::Faint);
            let room = self.style.width.saturating_sub(self.x(index) + 2);
            line.put(self.x(index) + 2, &cut(&lane.name(), room), Paint::Heading);
            out += &line.render(self.style);
        }
        out
    }

    fn lifelines(&self, row: usize) -> Canvas {
        let mut line = Canvas::new(self.style.width);
        for lane in (0..self.chart.lanes.len()).filter(|_| self.gap > 0) {
            if self.chart.lives(lane, row) {
                line.mark(self.x(lane), '│', Paint::Faint);
            }
        }
        line
    }

    fn row(&self, index: usize, together: Option<&Row>) -> String {
        let row = &self.chart.rows[index];
        let paint = self.chart.paint(row);
        let text = self.row_text(index, together.is_some());
        let mut first = self.lifelines(index);
        if self.gap > 0 {
            self.draw_marks(index, together.is_some(), &mut first, paint);
        }
        first.put(0, &self.chart.number(row, together), Paint::Plain);
        let mut out = String::new();
        for (count, part) in wrap(&text, self.style.width - self.text).iter().enumerate() {
            let mut line = if count == 0 { first.clone() } else { self.lifelines(index) };
            line.put(self.text, &cut(part, self.style.width - self.text), paint);
            out += &line.render(self.style);
        }
        out
    }

    fn draw_marks(&self, index: usize, is_whole: bool, line: &mut Canvas, paint: Paint) {
        let row = &self.chart.rows[index];
        match &row.kind {
            RowKind::Send(message) | RowKind::Receive(message) | RowKind::Rendezvous(message) => {
                let message = &self.chart.messages[*message];
                let is_send = matches!(row.kind, RowKind::Send(_));
                self.arrow(message, is_send && !is_whole, line, paint, is_send || message.is_rendezvous());
            }
            RowKind::End => row.lane.iter().for_each(|lane| line.mark(self.x(*lane), '┴', paint)),
            _ => row.lane.iter().for_each(|lane| line.mark(self.x(*lane), '●', paint)),
        }
    }

    fn arrow(&self, message: &Message, is_half: bool, line: &mut Canvas, paint: Paint, is_solid: bool) {
        let (from, to) = match (message.from, message.to) {
            (Some(from), Some(to)) if from != to => (self.x(from), self.x(to)),
            (Some(lane), _) | (None, Some(lane)) => {
                let mark = if message.is_lost { '✗' } else { '○' };
                return line.mark(self.x(lane), mark, paint);
            }
            (None, None) => return,
        };
        line.line(from, to, if is_solid { '─' } else { '┄' }, paint);
        let is_right = to > from;
        line.mark(from, if is_right { '├' } else { '┤' }, paint);
        let head = if is_right { to - 1 } else { to + 1 };
        line.mark(
            head,
            match (is_half, is_right) {
                (true, true) => '╴',
                (true, false) => '╶',
                (false, true) => '▶',
                (false, false) => '◀',
            },
            paint,
        );
    }

    fn row_text(&self, index: usize, is_whole: bool) -> String {
        let row = &self.chart.rows[index];
        let name = |lane: Option<usize>| lane.map(|lane| self.chart.lane_name(lane));
        match &row.kind {
            RowKind::Send(message) | RowKind::Receive(message) | RowKind::Rendezvous(message) => {
                let message = &self.chart.messages[*message];
                let text = if is_whole { message.text() } else { label(message, index) };
                match (name(message.from), name(message.to)) {
                    (Some(from), Some(to)) => format!("{from} → {to}: {text}"),
                    (Some(one), None) | (None, Some(one)) => format!("{one}: {text}"),
                    (None, None) => text,
                }
            }
            _ => {
                let mut text = self.chart.row_text(row);
                if row.kind == RowKind::Act && !row.changes.is_empty() {
                    text = format!("{text}  {{{}}}", row.changes.join(", "));
                }
                match name(row.lane) {
                    Some(who) => format!("{who}: {text}"),
                    None => text,
                }
            }
        }
    }
}
