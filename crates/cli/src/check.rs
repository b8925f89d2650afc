//! `panoptes check`: search, verdict, and for a violation the trace.

use crate::args::{CheckArgs, Format};
use crate::checkpoint::{self, Checkpoints, Header, ResumeLimits, texts};
use crate::expectation::Expect;
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Given, Input};
use crate::progress::Progress;
use crate::resume::{self, Resumed};
use crate::saved::{Chosen, Saved};
use crate::traces::Saving;
use crate::watch::RunLimits;
use crate::{cluster, expectation, interrupt, jobs, many, output, page, traces, unsearched};
use anyhow::Context;
use panoptes_check::{CheckError, CheckSettings, DiagnosticReport, Limits, Named, Property, VerdictKind};
use panoptes_report::{Style, View, broken_json, human};
use panoptes_search::Team;
use panoptes_source::FileId;
use std::path::Path;

pub fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    refuse_separate_fairness(args)?;
    if let Some(models) = many::models(args)? {
        args.settings()?;
        if args.report.is_some() {
            return Err(usage("`--report` is about one model: name only one"));
        }
        return many::run(args, &models);
    }
    if settings_ask_for_a_cluster(args) {
        if args.checkpoint.is_some() {
            return Err(usage("`--checkpoint` is for a search of one process: leave it or the cluster out"));
        }
        return cluster::run(args);
    }
    answer(args, None)
}

/// Goes on with a check.
pub fn resume(args: &CheckArgs, resumed: Resumed) -> anyhow::Result<Status> {
    answer(args, Some(resumed))
}

fn answer(args: &CheckArgs, resumed: Option<Resumed>) -> anyhow::Result<Status> {
    let result = run_one(args, resumed);
    if let Err(error) = &result {
        tell_broken(args, error)?;
    }
    result
}

/// Is this the command that starts the processes of a cluster, and not one of them?
fn settings_ask_for_a_cluster(args: &CheckArgs) -> bool {
    (args.cluster.is_some() || args.hosts.is_some()) && args.cluster_child.is_none()
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

fn run_one(args: &CheckArgs, resumed: Option<Resumed>) -> anyhow::Result<Status> {
    panoptes_check::give_back_large_blocks();
    let limits = RunLimits::new(args.time, args.memory);
    let asked = args.settings()?;
    let watch = unsearched::watch(args, &asked, limits, resumed.as_ref());
    if args.only.is_some() {
        interrupt::listen_to_the_end_of_input();
    }
    let estimate = args.estimate()?;
    let given = Given {
        along: args.along.as_deref(),
        invariants: &args.invariant,
        reach: args.reach.as_deref(),
        formulas: &args.formulas()?,
        patterns: args.pattern.as_slice(),
        automata: &args.automata()?,
        estimate: estimate.as_ref(),
        steps: args.steps,
        heeds_comment: args.expect == Some(Expect::Model),
    };
    let input = input::load_with(&args.model, &given, args.quiet)?;
    asked.refuse_unknown_parts(&input.loaded.model).map_err(|error| failure(error, &input))?;
    // Of several models, some may have none.
    let is_one = args.only.is_none();
    if is_one && args.model.timeouts.is_some() && !panoptes_check::has_timeouts(&input.loaded.model) {
        return Err(usage(
            "`--timeouts` says when timeouts can happen, but the model has none: leave it out",
        ));
    }
    let source = &input.loaded.sources.file(FileId(0)).text;
    let expected = args.expect.map(|asked| expectation::expected(asked, &input.name, source)).transpose()?;
    watch.model_is_read();
    let settings = settings(args, asked, &input, &limits)?;
    settings.refuse_unfit_heuristic(&input.loaded.model).map_err(|error| failure(error.into(), &input))?;
    settings.refuse_unsaved_properties(&input.loaded.model).map_err(|error| failure(error.into(), &input))?;
    if args.explain_heuristic {
        return explain_heuristic(&input.loaded.model, &settings);
    }
    if args.scope.print_jobs {
        return jobs::print(args, &input, &settings);
    }
    let mut progress =
        Progress::new(!args.quiet && !args.no_progress && args.format == Format::Text, watch, limits);
    refuse_overwriting(args)?;
    if let Some(path) = &args.report {
        page::refuse_unwritable(path)?;
    }
    progress.checkpoints = checkpoints(args, &input, resumed)?;
    let destination = traces::destination(&input, args.trace_out.as_deref(), args.no_trace)?;
    if let Some(destination) = destination.as_ref().filter(|_| args.trace_out.is_some()) {
        traces::refuse_unwritable(destination)?;
    }
    let mut saving = Saving::new(destination, args.full_trace);
    let is_trace_printed = saving.is_printed();
    let report = match cluster::join(args, &input, &settings)? {
        Some(mut team) if team.number() > 0 => {
            // The first process tells what was found.
            panoptes_check::take_part(&input.loaded, &settings, &mut progress, &mut team)
                .map_err(|error| failure(error, &input))?;
            return Ok(Status::Success);
        }
        Some(mut team) => {
            panoptes_check::check_together(&input.loaded, &settings, &mut progress, &mut saving, &mut team)
        }
        None => panoptes_check::check_and_record(&input.loaded, &settings, &mut progress, &mut saving),
    };
    if let Some(refusal) = progress.checkpoints.as_ref().and_then(Checkpoints::refusal) {
        return Err(usage(refusal));
    }
    let mut report = report.map_err(|error| failure(error, &input))?;
    progress.checkpoints.take().into_iter().for_each(|checkpoints| checkpoints.finish(&mut report));
    saving.finish(&mut report);
    report.expected = expected;
    let has_errors = report.findings_mut().next().is_some();
    if args.no_trace {
        report.forget_traces();
    }
    let report = View(&report);
    if let Some(path) = &args.report
        && let Err(error) = page::of_check(path, &input, report)
    {
        // The verdict stands.
        output::error(&error.to_string());
    }
    let text = match args.format {
        Format::Json if args.only.is_some() => report.to_json_line(),
        Format::Json => report.to_json(),
        Format::Text => text(args, report) + &left_over(args, &input, has_errors),
    };
    let printed = match full_trace(args, report) {
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
        input::tell(&input.loaded.sources, &report.search_warnings);
    }
    // The verdict stands even if nobody reads it to the end.
    if let Err(error) = printed
        && !Failure::is_gone(&error)
    {
        return Err(error);
    }
    if let Some(expected) = expected {
        return Ok(expectation::status(expected == report.verdict));
    }
    Ok(match report.verdict {
        VerdictKind::Verified => Status::Success,
        VerdictKind::Violated => Status::Violation,
        VerdictKind::Inconclusive => Status::Partial,
    })
}

/// Where the search is written down, and what it goes on from.
fn checkpoints(
    args: &CheckArgs,
    input: &Input,
    resumed: Option<Resumed>,
) -> anyhow::Result<Option<Checkpoints>> {
    let Some(asked) = &args.checkpoint else { return Ok(None) };
    let sources = &input.loaded.sources;
    let limits = ResumeLimits {
        seconds: args.time.map(|time| time.as_secs_f64()),
        memory: args.memory,
        threads: args.threads.map(u64::from),
        every: asked.every.as_secs_f64(),
    };
    match resumed {
        Some(Resumed { header, search, file, path }) => {
            if let Some(how) = header.changed_file(sources) {
                return Err(resume::changed(&asked.path, &how));
            }
            let checkpoints = Checkpoints::new(asked, Header { limits, ..header });
            Ok(Some(checkpoints.going_on(search, file, path)))
        }
        None => {
            checkpoint::make_way(&asked.path)?;
            let folder = std::env::current_dir().context("cannot tell the current directory")?;
            let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
            let header = Header {
                folder: folder.display().to_string(),
                arguments: arguments.collect(),
                limits,
                files: texts(sources),
                ..Header::default()
            };
            Ok(Some(Checkpoints::new(asked, header)))
        }
    }
}

/// What is written must not take the place of the model, nor one file that of the other.
fn refuse_overwriting(args: &CheckArgs) -> anyhow::Result<()> {
    let is_same = |one: &Path, other: &Path| {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        whole(one) == whole(other)
    };
    let checkpoint = args.checkpoint.as_ref().map(|asked| asked.path.clone());
    let written =
        [("--trace-out", &args.trace_out), ("--report", &args.report), ("--checkpoint", &checkpoint)];
    for (option, path) in written {
        if let Some(path) = path.as_ref().filter(|path| is_same(path, &args.model.model)) {
            return Err(usage(format!("`{option} {}` would overwrite the model", path.display())));
        }
    }
    match (&args.trace_out, &args.report) {
        (_, Some(report)) if report == Path::new("-") => {
            Err(usage("`--report` needs the name of a file: a page is nothing for standard output"))
        }
        _ if checkpoint.as_ref().is_some_and(|path| {
            [&args.trace_out, &args.report].into_iter().flatten().any(|other| is_same(path, other))
        }) =>
        {
            Err(usage("`--checkpoint` and another option name the same file"))
        }
        (Some(trace), Some(report)) if is_same(trace, report) => {
            Err(usage("`--trace-out` and `--report` name the same file"))
        }
        _ => Ok(()),
    }
}

/// `--fair strong`: the option takes its value with `=` only, so the word is read as a model.
fn refuse_separate_fairness(args: &CheckArgs) -> anyhow::Result<()> {
    let mut models = std::iter::once(&args.model.model).chain(&args.more);
    let word = models
        .find_map(|path| path.to_str().filter(|word| ["strong", "weak"].contains(word) && !path.exists()));
    match word.filter(|_| args.fair.is_some()) {
        Some(word) => Err(usage(format!("`--fair {word}` is written `--fair={word}`, with an equals sign"))),
        None => Ok(()),
    }
}

/// What leads the search, and why that.
fn explain_heuristic(model: &panoptes_model::Model, settings: &CheckSettings) -> anyhow::Result<Status> {
    let choices = settings.heuristics(model);
    if choices.is_empty() {
        return Err(usage(
            "`--explain-heuristic` tells what leads a directed search: add `--search astar` or another one",
        ));
    }
    let why = if settings.heuristic.is_some() { "asked for" } else { "inferred from the property" };
    let mut text = String::new();
    for choice in choices {
        text += &format!("{} ({why}):\n", choice.kind.name());
        for line in choice.explain(model, settings.property.checks(model)) {
            text += &format!("  {line}\n");
        }
    }
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// A report that there is not is a mistake of the command line, or one of ours.
fn failure(error: CheckError, input: &Input) -> anyhow::Error {
    match error {
        CheckError::NotShown { .. } => Failure::Internal(error.to_string()).into(),
        CheckError::Contradiction(_)
        | CheckError::UnknownPart(_)
        | CheckError::Unfit(_)
        | CheckError::Disk { .. } => usage(error.to_string()),
        CheckError::Unfollowed { diagnostic, .. } => {
            let sources = &input.loaded.sources;
            let text = panoptes_source::render(sources, &diagnostic, output::stderr_has_color()) + "\n";
            Failure::Model { text, diagnostics: DiagnosticReport::all(sources, &[*diagnostic]) }.into()
        }
    }
}

/// The trace to be shown step by step from its file, if it is too long to be held.
fn full_trace(args: &CheckArgs, report: View<'_>) -> Option<Chosen> {
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
    let property = match (&args.property, input.loaded.given()) {
        (Some(name), _) => of_model(name),
        (None, Some(given)) => Ok(Property::Temporal(given)),
        (None, None) => Ok(Property::Everything),
    };
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

fn text(args: &CheckArgs, report: View<'_>) -> String {
    let style = Style { full: args.full_trace, ..output::stdout_style() };
    if args.quiet { report.one_line(&style) } else { report.to_text(&style) }
}
