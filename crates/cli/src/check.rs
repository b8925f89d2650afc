//! `panoptes check`: search, verdict, and for a violation the trace.

use crate::args::{CheckArgs, Format};
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Input};
use crate::progress::Progress;
use crate::saved::{Chosen, Saved};
use crate::trace_file::Destination;
use crate::traces::{Allowance, FULL_HELD, Wanted};
use crate::watch::RunLimits;
use crate::{expectation, interrupt, jobs, many, output, process, traces, unsearched};
use panoptes_check::{CheckSettings, Limits, Named, Property, VerdictKind};
use panoptes_report::{DiagnosticReport, Report, Seconds, Style, Unreached, broken_json, human};
use panoptes_source::FileId;
use panoptes_source::{Diagnostic, Warning};
use std::path::Path;
use std::time::Instant;

pub fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    if let Some(models) = many::models(args)? {
        args.settings()?;
        return many::run(args, &models);
    }
    let result = run_one(args);
    if let Err(error) = &result {
        tell_broken(args, error)?;
    }
    result
}

/// A model that cannot be used has an answer too: an object in JSON, a line among those of several models.
fn tell_broken(args: &CheckArgs, error: &anyhow::Error) -> anyhow::Result<()> {
    let name = input::name(&args.model);
    let (diagnostics, why) = match error.downcast_ref::<Failure>() {
        Some(Failure::Model { diagnostics, .. }) => {
            let count = diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error").count();
            (diagnostics.clone(), human::plural(count as u64, "error"))
        }
        Some(Failure::File(message)) => (vec![DiagnosticReport::of_file(&name, message)], message.clone()),
        // Of several models, each has its line.
        Some(Failure::Usage(message)) if args.only.is_some() => {
            (vec![DiagnosticReport::of_file(&name, message)], message.clone())
        }
        _ => return Ok(()),
    };
    match args.format {
        Format::Json => {
            let language = input::language(&args.model)?.name();
            output::to_stdout(&broken_json(&name, language, &diagnostics, args.only.is_some()))
        }
        Format::Text if args.only.is_some() => output::to_stdout(&format!("WRONG  {name}: {why}\n")),
        Format::Text => Ok(()),
    }
}

fn run_one(args: &CheckArgs) -> anyhow::Result<Status> {
    let started = Instant::now();
    let limits = RunLimits::new(args.time, args.memory);
    let asked = args.settings()?;
    let watch = unsearched::watch(args, &asked, limits);
    if args.only.is_some() {
        interrupt::listen_to_the_end_of_input();
    }
    let mut input = input::load_with(&args.model, args.along.as_deref(), &args.invariant, args.quiet)?;
    input.origin.lossy = args.lossy;
    args.scope.refuse_unknown(&input.loaded.model)?;
    if args.model.timeouts.is_some() && !panoptes_check::has_timeouts(&input.loaded.model) {
        return Err(usage(
            "`--timeouts` says when timeouts can happen, but the model has none: leave it out",
        ));
    }
    let source = &input.loaded.sources.file(FileId(0)).text;
    let expected = args.expect.map(|asked| expectation::expected(asked, &input.name, source)).transpose()?;
    watch.model_is_read();
    let settings = settings(args, asked, &input, &limits)?;
    if args.scope.print_jobs {
        return jobs::print(args, &input, &settings);
    }
    let mut progress = Progress::new(!args.quiet && !args.no_progress && args.format == Format::Text, watch);
    let (start, cpu_start) = (Instant::now(), process::cpu_seconds());
    let verdict = panoptes_check::check(&input.loaded, &settings, &mut progress);
    progress.finish();
    let compile = verdict.engine.compile_time;
    let seconds = Seconds {
        front_end: input.time.as_secs_f64(),
        compile: compile.as_secs_f64(),
        search: start.elapsed().saturating_sub(compile).as_secs_f64(),
        search_cpu: process::cpu_seconds().zip(cpu_start).map(|(end, start)| end - start),
    };
    let mut report = Report::new(&input.name, &input.loaded, &settings, &verdict, seconds);
    report.expected = expected;
    let allowance = Allowance::new(started, args.time, settings.limits.process_memory);
    let destination = traces::destination(&input, args.trace_out.as_deref(), args.no_trace)?;
    let is_trace_printed = matches!(destination, Some(Destination::Stdout));
    let steps_shown = if args.full_trace { FULL_HELD } else { 0 };
    let wanted = Wanted { destination, steps_shown, allowance: &allowance };
    traces::attach(&mut report, &input, &settings, &verdict, wanted)?;
    if args.no_trace {
        report.forget_traces();
    }
    let unreached = unreached_assertions(args, &report);
    report.diagnostics.extend(DiagnosticReport::all(&input.loaded.sources, &unreached));
    report.peak_memory_bytes = process::peak_memory_bytes();
    let text = match args.format {
        Format::Json if args.only.is_some() => report.to_json_line(),
        Format::Json => report.to_json(),
        Format::Text => text(args, &report) + &left_over(args, &input, !verdict.outcome.errors.is_empty()),
    };
    let printed = match full_trace(args, &report) {
        _ if is_trace_printed => {
            output::to_stderr(&text);
            Ok(())
        }
        Some(mut chosen) => {
            let style = Style { full: true, ..output::stdout_style() };
            output::stream(&mut |out| report.write_full(out, &mut chosen, &style))
        }
        None => output::to_stdout(&text),
    };
    if !args.quiet {
        input::tell(&input.loaded.sources, &unreached);
    }
    // The verdict stands even if nobody reads it to the end.
    let is_gone = |error: &anyhow::Error| matches!(error.downcast_ref(), Some(Failure::Gone));
    if let Err(error) = printed
        && !is_gone(&error)
    {
        return Err(error);
    }
    if let Some(expected) = expected {
        return Ok(expectation::status(expected == verdict.kind));
    }
    Ok(match verdict.kind {
        VerdictKind::Verified => Status::Success,
        VerdictKind::Violated => Status::Violation,
        VerdictKind::Inconclusive => Status::Partial,
    })
}

/// Warnings that only a search can give.
fn unreached_assertions(args: &CheckArgs, report: &Report) -> Vec<Diagnostic> {
    match args.model.warnings.wanted().contains(Warning::UnreachedAssertion) {
        true => report.unreached.iter().filter_map(Unreached::warning).collect(),
        false => Vec::new(),
    }
}

/// The trace to be shown step by step from its file, if it is too long to be held.
fn full_trace(args: &CheckArgs, report: &Report) -> Option<Chosen> {
    let error =
        report.shown_error().filter(|_| args.full_trace && !args.quiet && args.format == Format::Text)?;
    error.trace.as_ref().filter(|trace| trace.left_out() > 0)?;
    let file = error.trace_file.as_ref()?;
    Saved::open(Path::new(file)).ok()?.choose(error.trace_number.map(|number| number as u64)).ok()
}

/// What was asked for, now that the model is known and has taken its share of what is allowed.
fn settings(
    args: &CheckArgs,
    asked: CheckSettings,
    input: &Input,
    limits: &RunLimits,
) -> anyhow::Result<CheckSettings> {
    let of_model = |name: &String| Property::of_model(name, &input.loaded.model);
    let property = args.property.as_ref().map_or(Ok(Property::Everything), of_model);
    let limits = Limits {
        time: limits.time_left(),
        memory: limits.memory_left(),
        process_memory: limits.memory_in_all(),
        ..asked.limits
    };
    Ok(CheckSettings { property: property.map_err(|error| usage(error.to_string()))?, limits, ..asked })
}

/// A trace that lies there although nothing was found now would mislead.
fn left_over(args: &CheckArgs, input: &Input, has_trace: bool) -> String {
    if args.quiet || args.no_trace || args.trace_out.is_some() || has_trace {
        return String::new();
    }
    traces::left_over(input)
        .map_or_else(String::new, |path| format!("\n  {} is from an earlier run\n", path.display()))
}

fn text(args: &CheckArgs, report: &Report) -> String {
    let style = Style { full: args.full_trace, ..output::stdout_style() };
    if args.quiet { report.one_line(&style) } else { report.to_text(&style) }
}
