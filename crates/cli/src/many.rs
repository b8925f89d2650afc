//! Several models in one command: each is checked in a process of its own, so that limits, memory and mistakes of one do
//! not touch the others, and answers with one line.

use crate::args::{CheckArgs, Format};
use crate::failure::{Failure, Status, usage};
use crate::{input, interrupt, output, traces};
use anyhow::Context;
use panoptes_check::{Language, Timeouts};
use panoptes_report::human;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Directories in directories, deeper than anybody keeps models.
const DEPTH_MAX: usize = 64;

/// If the command runs itself for one of several models, then it is about that one, and answers with a line.
pub fn settle(args: &mut CheckArgs) {
    if let Some(only) = &args.only {
        args.model.model = only.clone();
        args.more.clear();
        args.quiet = true;
        args.trace_out = args.only_trace.take();
        // What is for Argos is for those of the models that are.
        if input::language(&args.model).is_ok_and(|language| language == Language::Promela) {
            args.model.timeouts = args.model.timeouts.filter(|timeouts| *timeouts != Timeouts::Free);
            args.model.end_states = None;
        }
    }
}

/// The models that the command line names; none if it is one file, or standard input.
pub fn models(args: &CheckArgs) -> anyhow::Result<Option<Vec<PathBuf>>> {
    if args.only.is_some() || (args.more.is_empty() && !args.model.model.is_dir()) {
        return Ok(None);
    }
    let one_only = [
        ("--trace-out", args.trace_out.is_some()),
        ("--print-jobs", args.scope.print_jobs),
        ("--cluster", args.cluster.is_some()),
        ("--hosts", args.hosts.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("-", std::iter::once(&args.model.model).chain(&args.more).any(|path| path == Path::new("-"))),
    ];
    if let Some((option, _)) = one_only.iter().find(|(_, is_asked)| *is_asked) {
        return Err(usage(format!("`{option}` is for one model, and these are several")));
    }
    let mut found = Vec::new();
    for path in std::iter::once(&args.model.model).chain(&args.more) {
        match path.is_dir() {
            true => walk(path, 0, &mut found)?,
            false => found.push(path.clone()),
        }
    }
    if found.is_empty() {
        return Err(usage(format!(
            "there is no model in {}: the names of models end in .pml, .prom, .pm, .promela, .spin, .pr, .prm or .argos",
            args.model.model.display()
        )));
    }
    Ok(Some(found))
}

/// Adds the files of a directory that are models by their names, in the order of their names.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    for path in paths {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        // A link to a directory may lead back up.
        if path.is_dir() && !path.is_symlink() && depth < DEPTH_MAX {
            walk(&path, depth + 1, found)?;
        } else if path.is_file() && Language::of_path(&path).is_some() {
            found.push(path);
        }
    }
    Ok(())
}

/// Checks them one after the other. The worst status is that of the command.
pub fn run(args: &CheckArgs, models: &[PathBuf]) -> anyhow::Result<Status> {
    // A signal may come to this process alone. The one that works hears of it by the end of its input.
    let input: Arc<Mutex<Option<ChildStdin>>> = Arc::default();
    let of_handler = Arc::clone(&input);
    interrupt::listen(move || drop(held(&of_handler).take()));
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let mut statuses = Vec::new();
    for (model, trace) in models.iter().zip(trace_names(models)) {
        if interrupt::is_asked() {
            break;
        }
        let child = Command::new(&program).args(arguments(model, trace)).stdin(Stdio::piped()).spawn();
        let mut child = child.with_context(|| format!("cannot start {}", program.display()))?;
        *held(&input) = child.stdin.take();
        if interrupt::is_asked() {
            held(&input).take();
        }
        let ended = child.wait().context("cannot wait for the check of a model")?;
        // Before a command listens, a signal ends it as it ends any program.
        if ended.code().is_none() && interrupt::is_asked() {
            break;
        }
        statuses.push(match ended.code() {
            Some(0) => Status::Success,
            Some(1) => Status::Violation,
            Some(2) => Status::Usage,
            Some(3) => Status::Partial,
            _ => Status::Internal,
        });
    }
    if args.format == Format::Text
        && let Err(error) = output::to_stdout(&summary(args, &statuses, models.len()))
        && !Failure::is_gone(&error)
    {
        return Err(error);
    }
    let left_out = (statuses.len() < models.len()).then_some(Status::Partial);
    Ok(worst(statuses.into_iter().chain(left_out)))
}

fn held(input: &Mutex<Option<ChildStdin>>) -> MutexGuard<'_, Option<ChildStdin>> {
    input.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the trace of each model is saved, if its usual place is that of an earlier one: `abp.2.trace.json` for the second
/// model called `abp`.
fn trace_names(models: &[PathBuf]) -> Vec<Option<PathBuf>> {
    let usual: Vec<PathBuf> =
        models.iter().map(|model| traces::default_path(&model.display().to_string())).collect();
    let mut taken: HashSet<PathBuf> = usual.iter().cloned().collect();
    let mut met = HashSet::new();
    let mut name = |usual: &PathBuf| {
        if met.insert(usual.clone()) {
            return None;
        }
        let stem = usual.display().to_string().replace(".trace.json", "");
        let numbered = (2..).map(|number| PathBuf::from(format!("{stem}.{number}.trace.json")));
        numbered.into_iter().find(|name| taken.insert(name.clone()))
    };
    usual.iter().map(&mut name).collect()
}

/// The same command for one of the models.
fn arguments(model: &Path, trace: Option<PathBuf>) -> Vec<OsString> {
    let all: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = all.iter().position(|word| word == "check").map_or(0, |index| index + 1);
    let mut words = all[..command].to_vec();
    words.extend(["--only".into(), model.as_os_str().to_owned()]);
    words.extend(trace.into_iter().flat_map(|name| ["--only-trace".into(), name.into_os_string()]));
    words.extend_from_slice(&all[command..]);
    words
}

/// A mistake hides what is behind it, a violation is worse than an answer that is not complete.
fn worst(statuses: impl Iterator<Item = Status>) -> Status {
    let badness = |status: &Status| match status {
        Status::Success => 0,
        Status::Partial => 1,
        Status::Violation => 2,
        Status::Usage => 3,
        Status::Internal => 4,
    };
    statuses.max_by_key(badness).unwrap_or(Status::Success)
}

/// `5 models: 3 verified, 1 violated, 1 with mistakes`.
fn summary(args: &CheckArgs, statuses: &[Status], count: usize) -> String {
    let words = match args.expect {
        None => ["verified", "violated", "inconclusive"],
        Some(_) => ["as expected", "not as expected", "inconclusive"],
    };
    let of = |status: Status| statuses.iter().filter(|other| **other == status).count();
    let parts = [
        (of(Status::Success), words[0]),
        (of(Status::Violation), words[1]),
        (of(Status::Partial), words[2]),
        (of(Status::Usage), "with mistakes"),
        (of(Status::Internal), "that panoptes could not check"),
        (count - statuses.len(), "not looked at"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    format!("{}: {}\n", human::plural(count as u64, "model"), parts.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several() {
        use Status::{Partial, Success, Usage, Violation};
        assert_eq!(worst([Success, Partial, Success].into_iter()), Partial);
        assert_eq!(worst([Violation, Partial].into_iter()), Violation);
        assert_eq!(worst([Violation, Usage, Success].into_iter()), Usage);
        assert_eq!(worst([].into_iter()), Success);
    }

    #[test]
    fn each_model_has_a_trace_file_of_its_own() {
        let models = ["a/m.pml", "b/m.pml", "m.2.pml", "n.pml", "n.argos", "m.argos"].map(PathBuf::from);
        let names = trace_names(&models).into_iter().map(|name| name.map(|name| name.display().to_string()));
        let expected =
            [None, Some("m.3.trace.json"), None, None, Some("n.2.trace.json"), Some("m.4.trace.json")];
        assert!(names.eq(expected.map(|name| name.map(str::to_string))));
    }
}
