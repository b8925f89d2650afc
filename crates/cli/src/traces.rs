//! Where the traces of a check are saved.

use crate::failure::usage;
use crate::input::Input;
use crate::output;
use crate::trace_file::{Destination, TraceFile};
use panoptes_check::{Report, TraceRecorder};
use panoptes_trace::{Snapshot, Trace, TraceStep, scan};
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Of a trace that is to be shown in full, so many steps are held; a longer one is read from its file.
pub const FULL_HELD: usize = 5_000;

/// Saves traces while they are walked.
pub struct Saving {
    destination: Option<Destination>,
    is_full: bool,
    file: Option<TraceFile>,
}

impl Saving {
    /// Nothing is saved without a destination.
    pub fn new(destination: Option<Destination>, is_full: bool) -> Saving {
        Saving { destination, is_full, file: None }
    }

    /// Are the traces printed, so that what else there is to say goes elsewhere?
    pub fn is_printed(&self) -> bool {
        matches!(self.destination, Some(Destination::Stdout))
    }

    /// Ends the files. What could not be written is told, and the report does not name it.
    pub fn finish(self, report: &mut Report) {
        let Some((path, error)) = self.file.and_then(TraceFile::finish) else { return };
        output::error(&format!("cannot write the trace to {path}: {error}"));
        for error in report.findings_mut().filter(|error| error.trace_file.as_ref() == Some(&path)) {
            (error.trace_file, error.trace_number) = (None, None);
        }
    }
}

impl TraceRecorder for Saving {
    fn steps_held(&self) -> usize {
        if self.is_full { FULL_HELD } else { 0 }
    }

    fn start(&mut self, count: usize) {
        self.file = self.destination.clone().map(|destination| TraceFile::new(destination, count > 1));
    }

    fn begin(&mut self, number: usize, head: &Trace) {
        self.file.iter_mut().for_each(|file| file.begin(number, head));
    }

    fn step(&mut self, step: &TraceStep) {
        self.file.iter_mut().for_each(|file| file.step(step));
    }

    fn end(&mut self, end: Option<&Snapshot>) {
        self.file.iter_mut().for_each(|file| file.end(end));
    }

    fn drop_last(&mut self) {
        self.file.iter_mut().for_each(TraceFile::drop_last);
    }

    fn file(&self) -> Option<String> {
        self.file.as_ref().and_then(TraceFile::name)
    }

    fn is_list(&self) -> bool {
        self.file.as_ref().is_some_and(TraceFile::is_list)
    }
}

/// Where the command line wants the traces; none if it does not.
pub fn destination(
    input: &Input,
    trace_out: Option<&Path>,
    no_trace: bool,
) -> anyhow::Result<Option<Destination>> {
    if no_trace {
        return Ok(None);
    }
    let default = default_path(&input.name);
    let Some(asked) = trace_out else { return Ok(Some(Destination::One(default))) };
    if asked == Path::new("-") {
        return Ok(Some(Destination::Stdout));
    }
    if asked.is_dir() {
        let stem = default.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Some(Destination::Each(asked.join(format!("{stem}.%n.json")).display().to_string())));
    }
    match asked.to_str() {
        Some("") => Err(usage("`--trace-out` needs the name of a file")),
        Some(text) if text.contains("%n") => Ok(Some(Destination::Each(text.to_string()))),
        _ => Ok(Some(Destination::One(asked.to_path_buf()))),
    }
}

/// A search may take hours: whether a trace can be saved where the command line says is found out before.
pub fn refuse_unwritable(destination: &Destination) -> anyhow::Result<()> {
    let tried = match destination {
        Destination::Stdout => Ok(()),
        Destination::One(path) => {
            output::try_to_write(path).map_err(|error| (path.display().to_string(), error))
        }
        Destination::Each(name) => {
            let name = name.replace("%n", "1");
            output::try_to_write(Path::new(&name)).map_err(|error| (name, error))
        }
    };
    tried.map_err(|(name, error)| usage(format!("cannot write the trace to {name}: {error}")))
}

/// The trace file of an earlier violation of this model, if one lies where a check without `--trace-out` saves it.
pub fn left_over(input: &Input) -> Option<PathBuf> {
    let path = default_path(&input.name);
    let reader = BufReader::new(File::open(&path).ok()?);
    // Its beginning tells.
    let traces = scan(reader, &mut |_, _| ControlFlow::Break(())).ok()?;
    traces.first().filter(|trace| trace.origin.model == input.name).map(|_| path)
}

/// `abp.trace.json` in the current directory for `models/abp.pml`.
pub fn default_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.filter(|_| model != "<stdin>").unwrap_or_else(|| "stdin".to_string());
    PathBuf::from(format!("{stem}.trace.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_named_after_the_model() {
        assert_eq!(default_path("models/abp.pml"), Path::new("abp.trace.json"));
        assert_eq!(default_path("<stdin>"), Path::new("stdin.trace.json"));
    }
}
