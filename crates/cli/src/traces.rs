//! The traces of a check: every error is walked again on the reference executor, and the walk is saved.

use crate::failure::Failure;
use crate::input::Input;
use crate::output;
use panoptes_check::{CheckOptions, Verdict, replay_error};
use panoptes_report::{Report, is_goal};
use panoptes_trace::Trace;
use std::path::{Path, PathBuf};

/// More errors than this are listed, but not saved.
const FILES_MAX: usize = 100;

/// Adds to each error of the report the trace that shows it. The first error always gets one.
pub fn attach(
    report: &mut Report,
    input: &Input,
    options: &CheckOptions,
    verdict: &Verdict,
    trace_out: Option<&Path>,
) -> anyhow::Result<()> {
    let found = &verdict.outcome.errors;
    let base = trace_out.map_or_else(|| default_path(&input.name), Path::to_path_buf);
    let mut witness = report.along.as_mut().and_then(|along| along.witness.as_mut());
    let mut errors = report.errors.iter_mut();
    for (index, error) in found.iter().enumerate() {
        let shown = if is_goal(error.kind) { witness.take() } else { errors.next() };
        let Some(shown) = shown else { break };
        // Paths are kept up to a total, so that thousands of long errors do not take longer than the search.
        if index >= FILES_MAX || error.path.len() < error.length {
            break;
        }
        let trace = replay_error(&input.loaded, options, input.origin.clone(), error).map_err(|failed| {
            let what =
                format!("the search found “{}”, but its path does not show it: {failed}", shown.message);
            Failure::Internal(what)
        })?;
        let path = if found.len() == 1 { base.clone() } else { numbered(&base, index + 1) };
        match std::fs::write(&path, trace.to_json()) {
            Ok(()) => shown.trace_file = Some(path.display().to_string()),
            Err(error) => output::error(&format!("cannot write the trace to {}: {error}", path.display())),
        }
        shown.add_trace(trace);
    }
    Ok(())
}

/// The trace file of an earlier violation of this model, if one lies where a check without `--trace-out` saves it.
pub fn left_over(input: &Input) -> Option<PathBuf> {
    let base = default_path(&input.name);
    let first = numbered(&base, 1);
    let is_of_model = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        Some(Trace::from_json(&text).ok()?.origin.model == input.name)
    };
    [base, first].into_iter().find(|path| is_of_model(path) == Some(true))
}

/// `abp.trace.json` in the current directory for `models/abp.pml`.
fn default_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.filter(|_| model != "<stdin>").unwrap_or_else(|| "stdin".to_string());
    PathBuf::from(format!("{stem}.trace.json"))
}

/// `abp.trace.json` becomes `abp.trace.2.json`.
fn numbered(base: &Path, number: usize) -> PathBuf {
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    let name = match base.extension() {
        Some(ending) => format!("{stem}.{number}.{}", ending.to_string_lossy()),
        None => format!("{stem}.{number}"),
    };
    base.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_named_after_the_model() {
        assert_eq!(default_path("models/abp.pml"), Path::new("abp.trace.json"));
        assert_eq!(default_path("<stdin>"), Path::new("stdin.trace.json"));
        assert_eq!(numbered(Path::new("out/abp.trace.json"), 2), Path::new("out/abp.trace.2.json"));
        assert_eq!(numbered(Path::new("t"), 3), Path::new("t.3"));
    }
}
