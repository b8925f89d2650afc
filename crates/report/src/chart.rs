//! A trace as a message sequence chart: where everything stands is computed once, and drawn in several ways.
//!
//! A chart has a lane for each process and a row for each thing that happens, from top to bottom. [`Chart::build`] reads a trace
//! step by step and keeps only the rows that are wanted and the messages that are under way, so a range of a trace of any
//! length can be drawn. [`Chart::to_text`], [`Chart::to_svg`], [`Chart::to_mermaid`] and [`Chart::to_plantuml`] draw it.

mod build;
mod canvas;
mod compact;
mod mermaid;
mod plantuml;
mod svg;
mod svg_style;
mod terminal;
#[cfg(test)]
mod tests;

pub use build::ChartOptions;
pub use svg::SvgParts;
pub use svg_style::SVG_STYLE;

use panoptes_trace::{Snapshot, TraceError};
use std::ops::RangeInclusive;

/// A trace, or a part of it, laid out.
#[derive(Clone, Debug)]
pub struct Chart {
    pub model: String,
    pub lanes: Vec<Lane>,
    /// From top to bottom.
    pub rows: Vec<Row>,
    /// The arrows.
    pub messages: Vec<Message>,
    /// What the trace shows.
    pub error: Option<TraceError>,
    /// How many steps the trace has, and which of them were looked at.
    pub length: usize,
    pub range: RangeInclusive<usize>,
    /// Steps without a message are rows, too.
    pub has_steps: bool,
    /// How things stand at the end, if the chart goes as far.
    pub end: Option<Snapshot>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub pid: u8,
    pub process: String,
    /// The rows between which it lives: none if it lives from the beginning, or until the end.
    pub from: Option<usize>,
    pub until: Option<usize>,
}

impl Lane {
    /// `left[0]`.
    pub fn name(&self) -> String {
        crate::step::process_name(&self.process, self.pid)
    }
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The step it belongs to.
    pub step: usize,
    /// Whose lane it is in; none for what concerns all.
    pub lane: Option<usize>,
    pub kind: RowKind,
    /// The statement as the source has it, and its place.
    pub statement: String,
    pub location: String,
    pub is_atomic: bool,
    /// `x: 0 → 1`.
    pub changes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A statement without a message.
    Act,
    /// The message with this index goes into its channel.
    Send(usize),
    /// It comes out.
    Receive(usize),
    /// It is handed over: both at once.
    Rendezvous(usize),
    /// Nothing came.
    Timeout,
    Print(String),
    /// The process of this lane begins.
    Start(usize),
    /// The process is gone.
    End,
    /// What went wrong or, if it is what was looked for, what was found.
    Fault {
        text: String,
        is_good: bool,
    },
    /// Steps that are not worth rows of their own, up to that one.
    Fold {
        last: usize,
        text: String,
    },
    /// From here on, so many steps are repeated for ever.
    CycleStart {
        steps: usize,
    },
    /// Here it goes back to the first step of the cycle; with none, nothing happens any more.
    CycleEnd {
        first: Option<usize>,
    },
}

/// A message from one process to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub channel: String,
    /// `msg(1)`.
    pub body: String,
    /// Who sent it; none if it was in the channel from the start.
    pub from: Option<usize>,
    /// Who received it; none if nobody did.
    pub to: Option<usize>,
    /// The row and the step in which it was sent; no row if that is not in the chart.
    pub sent: Option<Event>,
    pub received: Option<Event>,
    /// A full channel lost it.
    pub is_lost: bool,
    /// It was only looked at.
    pub is_copy: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub step: usize,
    pub row: Option<usize>,
}

impl Message {
    /// `q!msg(1)`, the one way in which a message is written.
    pub fn text(&self) -> String {
        match self.is_copy {
            true => format!("{}?<{}>", self.channel, self.body),
            false => format!("{}!{}", self.channel, self.body),
        }
    }

    pub fn is_rendezvous(&self) -> bool {
        !self.is_copy && self.sent.is_some() && self.sent == self.received
    }

    /// How many steps it was in the channel.
    pub fn delay(&self) -> Option<usize> {
        Some(self.received?.step - self.sent?.step)
    }
}

impl Chart {
    /// `Sender[0]`.
    pub fn lane_name(&self, lane: usize) -> String {
        self.lanes[lane].name()
    }

    /// What stands above the chart if it does not show all steps.
    pub fn range_text(&self) -> Option<String> {
        let (first, last) = (*self.range.start(), *self.range.end());
        let all = first <= 1 && last >= self.length;
        (!all).then(|| format!("steps {first} to {} of {}", last.min(self.length), self.length))
    }

    /// Does the process of this lane live in that row?
    pub fn lives(&self, lane: usize, row: usize) -> bool {
        let lane = &self.lanes[lane];
        lane.from.is_none_or(|from| from <= row) && lane.until.is_none_or(|until| row <= until)
    }

    /// What a row says by itself; of messages that is what an arrow says.
    pub fn row_text(&self, row: &Row) -> String {
        let statement = crate::wrap::one_line(&row.statement);
        match &row.kind {
            RowKind::Act | RowKind::Timeout => statement,
            RowKind::Send(index) | RowKind::Receive(index) | RowKind::Rendezvous(index) => {
                self.messages[*index].text()
            }
            RowKind::Print(text) => format!("“{}”", crate::wrap::one_line(text)),
            RowKind::Start(lane) => format!("starts {}", self.lane_name(*lane)),
            RowKind::End => "ends".to_string(),
            RowKind::Fault { text, is_good: false } => format!("✗ {text}"),
            RowKind::Fault { text, is_good: true } => format!("✓ {text}"),
            RowKind::Fold { text, .. } => text.clone(),
            RowKind::CycleStart { steps: 1 } => "↻ this step is repeated for ever".to_string(),
            RowKind::CycleStart { steps } => format!("↻ these {steps} steps are repeated for ever"),
            RowKind::CycleEnd { first: Some(first) } => format!("↻ and again from step {first}"),
            RowKind::CycleEnd { first: None } => "↻ nothing happens any more".to_string(),
        }
    }

    /// Who waits for whom at the end, by lanes, and on what.
    pub fn wait_edges(&self) -> Vec<(usize, usize, String)> {
        let lane = |pid: u8, process: &str| {
            self.lanes.iter().position(|lane| lane.pid == pid && lane.process == process)
        };
        let mut edges = Vec::new();
        for standing in self.end.iter().flat_map(|end| &end.processes) {
            for other in &standing.waits_for {
                let pair = lane(standing.pid, &standing.process).zip(lane(other.pid, &other.process));
                edges.extend(pair.map(|(from, to)| (from, to, other.on.clone())));
            }
        }
        edges
    }

    /// Where the process of a lane stands at the end, in few words, and whether it is stuck there.
    pub fn standing(&self, lane: usize) -> Option<(String, bool)> {
        let Lane { pid, process, .. } = &self.lanes[lane];
        let end = self.end.as_ref()?;
        let standing = end.processes.iter().find(|other| other.pid == *pid && other.process == *process)?;
        let is_end = matches!(
            self.error.as_ref().map(|error| error.kind.as_str()),
            Some("deadlock" | "unspecified-reception")
        );
        let is_stuck = is_end && !standing.may_end;
        Some((crate::state::standing_text(standing, is_stuck), is_stuck))
    }
}
