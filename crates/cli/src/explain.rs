//! `panoptes explain`: render a saved trace.

use crate::args::{ExplainArgs, TraceFormat};
use crate::failure::{Status, not_available, usage};
use crate::output;
use anyhow::Context;
use panoptes_report::{Style, explain_text, mermaid};
use panoptes_trace::Trace;
use std::io::Read;
use std::path::Path;

pub fn run(args: &ExplainArgs) -> anyhow::Result<Status> {
    match args.format {
        TraceFormat::Svg => return Err(not_available("drawing a trace as SVG (`--format svg`)")),
        TraceFormat::Html => return Err(not_available("a trace as a web page (`--format html`)")),
        TraceFormat::Spin => return Err(not_available("a SPIN trail (`--format spin`)")),
        TraceFormat::Text | TraceFormat::Json | TraceFormat::Mermaid => {}
    }
    let trace = read_trace(&args.trace)?;
    let text = match args.format {
        TraceFormat::Json => trace.to_json(),
        TraceFormat::Mermaid => mermaid(&trace),
        _ => explain_text(&trace, &Style { full: true, ..output::stdout_style() }),
    };
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// Reads a saved trace; `-` is standard input.
pub fn read_trace(path: &Path) -> anyhow::Result<Trace> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        text
    } else {
        std::fs::read_to_string(path).with_context(|| format!("cannot read the trace {}", path.display()))?
    };
    Trace::from_json(&text).map_err(|error| usage(format!("{}: {error}", path.display())))
}
