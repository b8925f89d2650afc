//! `panoptes explain`: render a saved trace.

use crate::args::{ExplainArgs, TraceFormat};
use crate::failure::{Failure, Status, usage};
use crate::input::Input;
use crate::page::{self, PAGE_STEPS, Part};
use crate::saved::{Chosen, Saved};
use crate::to_end::steps_to_end;
use crate::traces::FULL_HELD;
use crate::{of_trace, output, spin};
use anyhow::Context;
use panoptes_check::Excerpt;
use panoptes_report::{
    Chart, ChartOptions, QueueTable, StateAt, StepSource, Story, Style, failure_text, human, queues_text,
    write_chart, write_explanation, write_range,
};
use panoptes_trace::{Trace, TraceWriter};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};

/// A chart with more steps than this is drawn of its last steps only, unless a range is asked for.
const CHART_STEPS: usize = 10_000;

pub fn run(args: &ExplainArgs) -> anyhow::Result<Status> {
    refuse_contradictions(args)?;
    let mut saved = Saved::open(&args.trace)?;
    if spin::is_trail(&args.trace, &saved.beginning()) {
        let text = saved.whole().context("cannot read the trail")?;
        saved = Saved::held(&args.trace, &spin::read(args, &text)?);
    }
    let traces = saved.traces()?;
    if args.error.is_none() && args.format == TraceFormat::Text && traces.len() > 1 {
        output::to_stdout(&list(args, &traces))?;
        return Ok(Status::Success);
    }
    let mut chosen = saved.choose_among(traces, args.error)?;
    refuse_range(args, chosen.head.length)?;
    refuse_unknown_process(args, &mut chosen)?;
    let head = chosen.head.clone();
    let model = Model::of(args, &head)?;
    match args.format {
        TraceFormat::Queues => output::to_stdout(&queues(args, &mut chosen)?)?,
        TraceFormat::Spin => output::to_stdout(&spin::write(args, &mut chosen)?)?,
        TraceFormat::Html => output::to_stdout(&html(args, &mut chosen, &model)?)?,
        _ if args.at.is_some() => output::to_stdout(&state_at(args, &mut chosen)?)?,
        _ => output::stream(&mut |out| show(args, &mut chosen, &model, out))?,
    }
    Ok(Status::Success)
}

fn refuse_contradictions(args: &ExplainArgs) -> anyhow::Result<()> {
    let of_queues = [("--all-queues", args.all_queues), ("--to-end", args.to_end)];
    if let Some((option, _)) = of_queues.iter().find(|(_, is_set)| *is_set)
        && args.format != TraceFormat::Queues
    {
        return Err(usage(format!("`{option}` goes with the table of queues: add `--format queues`")));
    }
    let is_text = args.format == TraceFormat::Text;
    let of_chart = [("--chart", args.chart), ("--table", args.table), ("--at", args.at.is_some())];
    if let Some((option, _)) = of_chart.iter().find(|(_, is_set)| *is_set && !is_text) {
        return Err(usage(format!("`{option}` says how the text looks: leave out `--format`")));
    }
    let has_part = !args.process.is_empty() || args.steps || args.from.is_some() || args.to.is_some();
    let is_whole = matches!(args.format, TraceFormat::Json | TraceFormat::Spin | TraceFormat::Queues);
    if has_part && is_whole {
        return Err(usage("a part of a trace can be shown as a chart, a table or a page only"));
    }
    if args.table && (args.steps || !args.process.is_empty()) {
        return Err(usage(
            "the table has every step of every process: leave out `--table`, or `--steps` and `--process`",
        ));
    }
    if args.at.is_some() && has_part {
        return Err(usage("`--at` shows one state: leave out what chooses a part of the trace"));
    }
    if args.model.is_some() && matches!(args.format, TraceFormat::Queues) && !args.to_end {
        return Err(usage(
            "`--model` with `--format queues` is for `--to-end` only: a trace has all else that is shown",
        ));
    }
    Ok(())
}

/// A range must be one of the trace.
fn refuse_range(args: &ExplainArgs, length: usize) -> anyhow::Result<()> {
    let length = length as u64;
    let asked = [("--from", args.from, 1), ("--to", args.to, 1), ("--at", args.at, 0)];
    for (option, number, least) in asked {
        if let Some(number) = number.filter(|number| !(least..=length).contains(number)) {
            let steps = human::plural(length, "step");
            return Err(usage(format!("`{option} {number}`: the trace has {steps}, numbered from 1")));
        }
    }
    match (args.from, args.to) {
        (Some(from), Some(to)) if from > to => {
            Err(usage(format!("`--from {from} --to {to}`: the first step comes after the last")))
        }
        _ => Ok(()),
    }
}

/// A process that is asked for must take part.
fn refuse_unknown_process(args: &ExplainArgs, chosen: &mut Chosen) -> anyhow::Result<()> {
    if args.process.is_empty() {
        return Ok(());
    }
    let mut known = BTreeSet::new();
    let snapshots = chosen.head.initial.iter().chain(&chosen.head.end);
    known.extend(
        snapshots.flat_map(|snapshot| &snapshot.processes).map(|part| (part.pid, part.process.clone())),
    );
    chosen.each(&mut |step| {
        known.insert((step.pid, step.process.clone()));
        Ok(())
    })?;
    let is_known = |wanted: &&String| {
        known.iter().any(|(pid, name)| {
            *name == **wanted || pid.to_string() == **wanted || format!("{name}[{pid}]") == **wanted
        })
    };
    let Some(unknown) = args.process.iter().find(|wanted| !is_known(wanted)) else { return Ok(()) };
    let names: Vec<String> = known.iter().map(|(pid, name)| format!("{name}[{pid}]")).collect();
    Err(usage(format!("`--process {unknown}`: the trace has {}", names.join(", "))))
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
fn show(args: &ExplainArgs, chosen: &mut Chosen, model: &Model<'_>, out: &mut dyn Write) -> io::Result<()> {
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
    let is_chart = args.chart || !args.table && io::stdout().is_terminal() || asks_for_chart(args);
    if args.format == TraceFormat::Text && !is_chart {
        return match args.from.or(args.to) {
            None => write_explanation(out, &excerpt, chosen, &style),
            Some(_) => write_range(out, &excerpt.trace, &range(args, chosen)?, &style),
        };
    }
    let options = chart_options(args, &excerpt.trace);
    let chart = Chart::build(&excerpt.trace, &excerpt.survey, chosen, &options)?;
    match args.format {
        TraceFormat::Mermaid => out.write_all(chart.to_mermaid().as_bytes()),
        TraceFormat::Plantuml => out.write_all(chart.to_plantuml().as_bytes()),
        TraceFormat::Svg => out.write_all(chart.to_svg().as_bytes()),
        _ => {
            let chance = of_trace::chance(model.get(), &excerpt.trace, chosen);
            let story = Story::of(&excerpt.trace, chance.as_ref());
            write_chart(out, &excerpt.trace, &chart, &story, &style)
        }
    }
}

/// The model of a trace, or why it is not there. It is read when it is first asked for.
struct Model<'a> {
    head: &'a Trace,
    read: OnceCell<Result<Input, String>>,
}

impl<'a> Model<'a> {
    /// A file that is named must be the one.
    fn of(args: &ExplainArgs, head: &'a Trace) -> anyhow::Result<Model<'a>> {
        let read = OnceCell::new();
        if args.model.is_some() {
            let _ = read.set(Ok(of_trace::load(head, args.model.as_deref())?));
        }
        Ok(Model { head, read })
    }

    fn get(&self) -> Result<&Input, &str> {
        let read = || {
            of_trace::load(self.head, None).map_err(|error| {
                let why = match error.downcast_ref::<Failure>() {
                    Some(Failure::Model { .. }) => {
                        format!("{} has errors; `--model` names another file", self.head.origin.model)
                    }
                    Some(Failure::File(message)) => format!("{message}; `--model` says where it is now"),
                    _ => error.to_string(),
                };
                format!("the model is needed for that, but {why}")
            })
        };
        self.read.get_or_init(read).as_ref().map_err(String::as_str)
    }
}

/// A page.
fn html(args: &ExplainArgs, chosen: &mut Chosen, model: &Model<'_>) -> anyhow::Result<String> {
    let head = chosen.head.clone();
    let part = Part::read(&head, chosen, &chart_options(args, &head), model.get())?;
    Ok(page::of_trace(&part, model.get().ok()))
}

/// The steps of a range, held in memory as far as they are asked for.
fn range(args: &ExplainArgs, chosen: &mut Chosen) -> io::Result<Excerpt> {
    let (from, to) = (args.from.unwrap_or(1) as usize, args.to.map_or(usize::MAX, |to| to as usize));
    let mut excerpt = Excerpt::new(usize::MAX);
    excerpt.trace = chosen.head.clone();
    chosen.each(&mut |step| {
        if (from..=to).contains(&step.number) {
            excerpt.push(step.clone());
        }
        Ok(())
    })?;
    Ok(excerpt)
}

/// The whole state after a step.
fn state_at(args: &ExplainArgs, chosen: &mut Chosen) -> anyhow::Result<String> {
    let at = args.at.unwrap_or(0) as usize;
    let head = chosen.head.clone();
    let mut state = StateAt::new(&head, at);
    chosen.each(&mut |step| {
        state.take(step);
        Ok(())
    })?;
    Ok(state.to_text(&head, &output::stdout_style()))
}

/// Is an option there that only a chart can follow?
fn asks_for_chart(args: &ExplainArgs) -> bool {
    !args.table && (args.steps || !args.process.is_empty())
}

fn chart_options(args: &ExplainArgs, head: &Trace) -> ChartOptions {
    let steps_max = if args.format == TraceFormat::Html { PAGE_STEPS } else { CHART_STEPS };
    let to = args.to.map(|to| to as usize);
    let last = to.unwrap_or(head.length);
    let from = args.from.map(|from| from as usize);
    let from = from.or_else(|| (last > steps_max).then(|| last + 1 - steps_max));
    ChartOptions { steps: args.steps, processes: args.process.clone(), from, to }
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
