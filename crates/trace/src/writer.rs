//! Writes the saved form of a trace as it is walked: a step at a time, so that a long trace takes no memory.

use crate::file::{FORMAT, LIST_FORMAT, VERSION};
use crate::{Origin, Snapshot, Trace, TraceError, TraceStep};
use serde::Serialize;
use std::io::{self, Write};

/// All of a trace that stands before its steps.
#[derive(Serialize)]
struct Head<'a> {
    format: &'a str,
    version: u64,
    tool: Tool,
    #[serde(flatten)]
    origin: &'a Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    error: &'a Option<TraceError>,
    length: usize,
    initial: &'a Option<Snapshot>,
}

/// Who wrote it.
#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

const TOOL: Tool = Tool { name: "panoptes", version: env!("CARGO_PKG_VERSION") };

/// Writes one trace, or a list of them.
pub struct TraceWriter<W: Write> {
    out: W,
    /// Several traces stand in a list; how many were begun.
    is_list: bool,
    traces: usize,
    steps: usize,
    /// A trace was begun, and not ended.
    is_open: bool,
}

impl<W: Write> TraceWriter<W> {
    /// For a single trace.
    pub fn new(out: W) -> TraceWriter<W> {
        TraceWriter { out, is_list: false, traces: 0, steps: 0, is_open: false }
    }

    /// For any number of traces in one file.
    pub fn list(mut out: W) -> io::Result<TraceWriter<W>> {
        write!(out, "{{\n  \"format\": \"{LIST_FORMAT}\",\n  \"version\": {VERSION},\n  \"traces\": [")?;
        Ok(TraceWriter { out, is_list: true, traces: 0, steps: 0, is_open: false })
    }

    /// Begins a trace: all but its steps and its end, which `head` need not have.
    pub fn begin(&mut self, head: &Trace) -> io::Result<()> {
        if self.is_list {
            self.out.write_all(if self.traces == 0 { b"\n" } else { b",\n" })?;
        }
        self.traces += 1;
        self.steps = 0;
        self.is_open = true;
        let Trace { origin, number, error, length, initial, .. } = head;
        let (number, length) = (*number, *length);
        let head =
            Head { format: FORMAT, version: VERSION, tool: TOOL, origin, number, error, length, initial };
        let text = serde_json::to_string_pretty(&head)?;
        let open = text.strip_suffix("\n}").unwrap_or(&text);
        write!(self.out, "{open},\n  \"steps\": [")
    }

    /// A step is a line.
    pub fn step(&mut self, step: &TraceStep) -> io::Result<()> {
        self.out.write_all(if self.steps == 0 { b"\n    " } else { b",\n    " })?;
        self.steps += 1;
        serde_json::to_writer(&mut self.out, step)?;
        Ok(())
    }

    /// Ends the trace.
    pub fn end(&mut self, end: Option<&Snapshot>) -> io::Result<()> {
        let end = serde_json::to_string_pretty(&end)?.replace('\n', "\n  ");
        self.close(&format!("\"end\": {end}"))
    }

    /// Ends a trace that is not whole and cannot be taken away, with a mark that says so.
    pub fn cut(&mut self) -> io::Result<()> {
        self.close("\"cut\": true")
    }

    /// Was a trace begun, and not ended?
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    fn close(&mut self, last: &str) -> io::Result<()> {
        self.is_open = false;
        self.out.write_all(if self.steps == 0 { b"]" } else { b"\n  ]" })?;
        write!(self.out, ",\n  {last}\n}}")?;
        if self.is_list { Ok(()) } else { self.out.write_all(b"\n") }
    }

    /// How many traces were begun.
    pub fn count(&self) -> usize {
        self.traces
    }

    /// The caller took what was written of the last traces away, and so many are left.
    pub fn roll_back(&mut self, traces: usize) {
        self.traces = traces;
        self.is_open = false;
    }

    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<W> {
        if self.is_list {
            self.out.write_all(if self.traces == 0 { b"]\n}\n" } else { b"\n  ]\n}\n" })?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}
