//! `panoptes explain`: render a saved trace.

use crate::args::{ExplainArgs, TraceFormat};
use crate::failure::{Status, not_available, usage};
use crate::output;
use crate::saved::{Chosen, Saved};
use crate::to_end::steps_to_end;
use crate::traces::FULL_HELD;
use panoptes_check::Excerpt;
use panoptes_report::{
    QueueTable, StepSource, Style, failure_text, human, queues_text, write_explanation, write_mermaid,
};
use panoptes_trace::{Trace, TraceWriter};
use std::io::{self, Write};

pub fn run(args: &ExplainArgs) -> anyhow::Result<Status> {
    match args.format {
        TraceFormat::Svg => return Err(not_available("drawing a trace as SVG (`--format svg`)")),
        TraceFormat::Html => return Err(not_available("a trace as a web page (`--format html`)")),
        TraceFormat::Spin => return Err(not_available("a SPIN trail (`--format spin`)")),
        TraceFormat::Text | TraceFormat::Queues | TraceFormat::Json | TraceFormat::Mermaid => {}
    }
    let of_queues = [("--all-queues", args.all_queues), ("--to-end", args.to_end)];
    if let Some((option, _)) = of_queues.iter().find(|(_, is_set)| *is_set)
        && args.format != TraceFormat::Queues
    {
        return Err(usage(format!("`{option}` goes with the table of queues: add `--format queues`")));
    }
    if args.model.is_some() && !args.to_end {
        return Err(usage("`--model` is for `--to-end` only: a trace has all else that is shown"));
    }
    let mut saved = Saved::open(&args.trace)?;
    let traces = saved.traces()?;
    if args.error.is_none() && args.format == TraceFormat::Text && traces.len() > 1 {
        output::to_stdout(&list(args, &traces))?;
        return Ok(Status::Success);
    }
    let mut chosen = saved.choose_among(traces, args.error)?;
    if args.format == TraceFormat::Queues {
        output::to_stdout(&queues(args, &mut chosen)?)?;
    } else {
        output::stream(&mut |out| show(args, &mut chosen, out))?;
    }
    Ok(Status::Success)
}

/// The table of queues. It holds the trace in memory.
fn queues(args: &ExplainArgs, chosen: &mut Chosen) -> anyhow::Result<String> {
    let mut trace = chosen.head.clone();
    chosen.each(&mut |step| {
        trace.steps.push(step.clone());
        Ok(())
    })?;
    let after = if args.to_end { Some(steps_to_end(args, &trace)?) } else { None };
    let table = QueueTable { all_queues: args.all_queues, after };
    Ok(queues_text(&trace, &table, &output::stdout_style()))
}

/// Writes a trace as it is asked for, without holding it in memory.
fn show(args: &ExplainArgs, chosen: &mut Chosen, out: &mut dyn Write) -> io::Result<()> {
    let style = Style { full: true, ..output::stdout_style() };
    if args.format == TraceFormat::Json {
        let mut writer = TraceWriter::new(out);
        writer.begin(&chosen.head)?;
        chosen.each(&mut |step| writer.step(step))?;
        writer.end(chosen.head.end.as_ref())?;
        return writer.finish().map(|_| ());
    }
    let mut excerpt = Excerpt::new(FULL_HELD);
    excerpt.trace = chosen.head.clone();
    chosen.each(&mut |step| {
        excerpt.push(step.clone());
        Ok(())
    })?;
    match args.format {
        TraceFormat::Mermaid => write_mermaid(out, &excerpt, chosen),
        _ => write_explanation(out, &excerpt, chosen, &style),
    }
}

/// The traces of a file, a line each.
fn list(args: &ExplainArgs, traces: &[Trace]) -> String {
    let name = args.trace.display();
    let mut out = format!("{name}: {}\n", human::plural(traces.len() as u64, "trace"));
    for (index, trace) in traces.iter().enumerate() {
        let what = trace.error.as_ref().map_or_else(|| "no error".to_string(), failure_text);
        let place = trace.error.as_ref().and_then(|error| error.location.as_ref());
        let place = place.map_or_else(String::new, |place| format!(", at {place}"));
        let number = trace.number.unwrap_or(index + 1);
        out += &format!("{number:>4}  {}: {what}{place}\n", human::plural(trace.length as u64, "step"));
    }
    out + &format!("`panoptes explain {name} --error N` shows one\n")
}
