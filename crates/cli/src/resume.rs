//! `panoptes resume`: goes on with a check from its checkpoint.

use crate::args::{CheckArgs, CheckpointArg, Cli, Command, ResumeArgs};
use crate::checkpoint::{Header, why_not};
use crate::failure::{Status, usage};
use crate::{check, checkpoint, input};
use panoptes_check::ImageReader;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A checkpoint whose beginning was read.
pub struct Resumed {
    pub header: Header,
    /// The rest of it: the search.
    pub search: ImageReader,
    /// As long as it is open, no other process goes on from it, or writes to it.
    pub file: File,
    pub path: PathBuf,
}

pub fn run(args: &ResumeArgs) -> anyhow::Result<Status> {
    let file = absolute(&args.file);
    let (header, search) = Header::read(&file).map_err(|error| usage(why_not(&args.file, &error)))?;
    let held = checkpoint::claimed(&file).map_err(|error| usage(why_not(&args.file, &error)))?;
    let mut check = arguments(&header).ok_or_else(|| {
        usage(format!("{} cannot be used: its command line is not understood", args.file.display()))
    })?;
    let limits = header.limits;
    check.time = args.time.or(limits.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()));
    check.memory = args.memory.or(limits.memory);
    check.threads = args.threads.or(limits.threads.map(|threads| threads as u32));
    let every = Duration::try_from_secs_f64(limits.every).unwrap_or(CheckpointArg::EVERY);
    check.checkpoint = Some(match &args.checkpoint {
        Some(asked) => {
            let path = absolute(&asked.path);
            if path != file {
                checkpoint::make_way(&path)?;
            }
            CheckpointArg { path, every: asked.every }
        }
        None => CheckpointArg { path: file.clone(), every: args.every.unwrap_or(every) },
    });
    override_output(&mut check, args);
    // Files are named as they were where the check began.
    if std::env::set_current_dir(&header.folder).is_err() {
        return Err(usage(format!(
            "the check ran in {}, which is no longer there: its files are looked for in that directory",
            header.folder
        )));
    }
    if let Some((name, before)) = header.files.first() {
        match check.model.model == Path::new("-") {
            true => input::take_for_stdin(before.clone()),
            // What else has changed is seen when all is read.
            false => refuse_change(&args.file, name, before, &check.model.model)?,
        }
    }
    check::resume(&check, Resumed { header, search, file: held, path: file })
}

/// The command line of the check.
fn arguments(header: &Header) -> Option<Box<CheckArgs>> {
    let words = std::iter::once("panoptes").chain(header.arguments.iter().map(String::as_str));
    match Cli::read_from(words).ok()?.command {
        Command::Check(args) => Some(args),
        _ => None,
    }
}

/// What is said now counts.
fn override_output(check: &mut CheckArgs, args: &ResumeArgs) {
    if let Some(format) = args.format {
        check.format = format;
    }
    if let Some(path) = &args.trace_out {
        (check.trace_out, check.no_trace) = (Some(absolute(path)), false);
    }
    if let Some(path) = &args.report {
        check.report = Some(absolute(path));
    }
    if args.no_trace {
        (check.no_trace, check.trace_out, check.full_trace) = (true, None, false);
    }
    check.full_trace |= args.full_trace;
    check.quiet |= args.quiet;
    check.no_progress |= args.no_progress;
}

/// Fails at once if the model is another one by now: it may not even be one.
fn refuse_change(file: &Path, name: &str, before: &str, path: &Path) -> anyhow::Result<()> {
    let (_, now) = input::text(path)?;
    let now = now.strip_prefix('\u{feff}').unwrap_or(&now);
    if now == before {
        return Ok(());
    }
    let line = before.lines().zip(now.lines()).take_while(|(one, other)| one == other).count() + 1;
    Err(changed(file, &format!("{name} has changed, in line {line}")))
}

/// The model is not the one that the search was about.
pub fn changed(file: &Path, how: &str) -> anyhow::Error {
    usage(format!(
        "{} is about another model: {how}. Put the text back, or start the check anew",
        file.display()
    ))
}

/// The same file wherever the process is; `-` is none.
fn absolute(path: &Path) -> PathBuf {
    match path == Path::new("-") {
        true => path.to_path_buf(),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    }
}
