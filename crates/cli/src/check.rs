//! `panoptes check`: search, verdict, and for a violation the trace.

use crate::args::{CheckArgs, Depth, Format};
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Input};
use crate::progress::Progress;
use crate::saved::{Chosen, Saved};
use crate::trace_file::Destination;
use crate::traces::{Allowance, FULL_HELD, Wanted};
use crate::watch::Limits;
use crate::{expectation, interrupt, jobs, many, output, process, traces, unsearched};
use panoptes_check::{CheckOptions, Property, VerdictKind};
use panoptes_report::{DiagnosticReport, Report, Seconds, Style, Unreached, broken_json, human};
use panoptes_source::FileId;
use panoptes_source::{Diagnostic, Warning, did_you_mean};
use std::path::Path;
use std::time::Instant;

pub fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    if let Some(models) = many::models(args)? {
        args.refuse_what_is_missing()?;
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
    let limits = Limits::new(args.time, args.memory);
    args.refuse_what_is_missing()?;
    let watch = unsearched::watch(args, limits);
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
    let options = options(args, &input, &limits)?;
    if args.scope.print_jobs {
        return jobs::print(args, &input, &options);
    }
    let mut progress = Progress::new(!args.quiet && !args.no_progress && args.format == Format::Text, watch);
    let (start, cpu_start) = (Instant::now(), process::cpu_seconds());
    let verdict = panoptes_check::check(&input.loaded, &options, &mut progress);
    progress.finish();
    let compile = verdict.engine.compile_time;
    let seconds = Seconds {
        front_end: input.time.as_secs_f64(),
        compile: compile.as_secs_f64(),
        search: start.elapsed().saturating_sub(compile).as_secs_f64(),
        search_cpu: process::cpu_seconds().zip(cpu_start).map(|(end, start)| end - start),
    };
    let mut report = Report::new(&input.name, &input.loaded, &options, &verdict, seconds);
    report.seed = args.seed;
    report.expected = expected;
    let allowance = Allowance::new(started, args.time, options.resident_max);
    let destination = traces::destination(&input, args.trace_out.as_deref(), args.no_trace)?;
    let is_trace_printed = matches!(destination, Some(Destination::Stdout));
    let steps_shown = if args.full_trace { FULL_HELD } else { 0 };
    let wanted = Wanted { destination, steps_shown, allowance: &allowance };
    traces::attach(&mut report, &input, &options, &verdict, wanted)?;
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

fn options(args: &CheckArgs, input: &Input, limits: &Limits) -> anyhow::Result<CheckOptions> {
    Ok(CheckOptions {
        property: property(args, input)?,
        search: args.search_kind(),
        engine: args.engine(),
        all_errors: args.all_errors,
        shortest: args.shortest,
        store: args.store.kind(),
        store_settings: args.store.settings(args.seed),
        passes: args.store.passes.unwrap_or(1),
        direct_bits: !args.store.asks_for_hashing(),
        loop_states: args.store.loop_states,
        lossy: args.lossy,
        optimise: !args.exact && !args.no_optimise,
        minimise: true,
        pack: !args.no_optimise,
        depth_max: args.depth.map(|depth| match depth {
            Depth::Steps(steps) => steps,
            Depth::Auto => panoptes_check::auto_depth(&input.loaded.model),
        }),
        memory_bytes: limits.memory_left(),
        resident_max: limits.memory_in_all(),
        time: limits.time_left(),
        states_max: None,
        guidance: args.scope.guidance(args.search_kind(), args.seed),
        foldings: args.scope.fold.clone(),
        queue_limit: args.scope.queue_limit(args.search_kind()),
        profile: args.profile,
        // Unless the command line says when timeouts come.
        timeouts_last: args.model.timeouts.is_none(),
        swarm: args.swarm(),
        // A reduced search finds every error, but not by the shortest path.
        por: !args.exact && !args.no_por && !args.shortest,
    })
}

fn property(args: &CheckArgs, input: &Input) -> anyhow::Result<Property> {
    let temporal = |what: &str| {
        usage(format!(
            "{what} cannot be checked: temporal properties are not available in this version \
             (`--property safety` checks the rest)"
        ))
    };
    match args.property.as_deref() {
        None => Ok(Property::Everything),
        Some("safety") => Ok(Property::Safety),
        Some("deadlock") => Ok(Property::Deadlock),
        Some("assertions") => Ok(Property::Assertions),
        Some(word @ ("acceptance" | "progress")) => Err(temporal(&format!("`--property {word}`"))),
        Some(name) => {
            let model = &input.loaded.model;
            let formulas = model.temporal.iter().map(|property| property.name.as_str());
            let claims = model.claims.iter().map(|claim| model.process(*claim).name.as_str());
            let stated: Vec<&str> = formulas.chain(claims).collect();
            if stated.contains(&name) {
                return Err(temporal(&format!("the property `{name}`")));
            }
            let known = stated.iter().copied().chain(["safety", "deadlock", "assertions"]);
            if let Some(meant) = did_you_mean(name, known) {
                return Err(usage(format!("the model states no property `{name}`; {meant}")));
            }
            let stated = if stated.is_empty() { "none".to_string() } else { stated.join(", ") };
            Err(usage(format!(
                "the model states no property `{name}` (it states: {stated}); there is also \
                 safety, deadlock, assertions"
            )))
        }
    }
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
