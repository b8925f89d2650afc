//! `panoptes explain`: render a saved trace.

use crate::args::{ExplainArgs, TraceFormat};
use crate::failure::{Status, not_available, usage};
use crate::{input, output};
use anyhow::Context;
use panoptes_check::Language;
use panoptes_report::{Style, explain_text, mermaid, queues_text};
use panoptes_trace::{Trace, TraceFileError};
use std::io::Read;
use std::path::Path;

pub fn run(args: &ExplainArgs) -> anyhow::Result<Status> {
    match args.format {
        TraceFormat::Svg => return Err(not_available("drawing a trace as SVG (`--format svg`)")),
        TraceFormat::Html => return Err(not_available("a trace as a web page (`--format html`)")),
        TraceFormat::Spin => return Err(not_available("a SPIN trail (`--format spin`)")),
        TraceFormat::Text | TraceFormat::Queues | TraceFormat::Json | TraceFormat::Mermaid => {}
    }
    let trace = read_trace(&args.trace)?;
    let text = match args.format {
        TraceFormat::Json => trace.to_json(),
        TraceFormat::Mermaid => mermaid(&trace),
        TraceFormat::Queues => queues_text(&trace, &output::stdout_style()),
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
        input::read_file(path)?
    };
    let name = path.display();
    Trace::from_json(&text).map_err(|error| match error {
        TraceFileError::NotJson { .. } if looks_like_a_model(path, &text) => {
            usage(format!("{name} is not a saved trace (it looks like a model): try `panoptes check {name}`"))
        }
        _ => usage(format!("{name}: {error}")),
    })
}

fn looks_like_a_model(path: &Path, text: &str) -> bool {
    Language::of_path(path).is_some() || text.contains("proctype") || text.contains("proc ")
}
