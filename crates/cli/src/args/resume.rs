//! The options of `panoptes resume`, and `--checkpoint`.

use super::{Format, values};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Where a search is written down, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointArg {
    pub path: PathBuf,
    pub every: Duration,
}

impl CheckpointArg {
    pub const EVERY: Duration = Duration::from_secs(600);

    /// `FILE` or `FILE:every=10m`.
    pub fn read(text: &str) -> Result<CheckpointArg, String> {
        let (path, every) = match text.rsplit_once(":every=") {
            Some((path, every)) => (path, values::duration(every)?),
            None => (text, CheckpointArg::EVERY),
        };
        if path.is_empty() || path == "-" {
            return Err("it needs the name of a file".to_string());
        }
        // `a:evry=1m` would be a file of that name, written every ten minutes.
        if let Some((_, last)) = path.rsplit_once(':')
            && last.contains('=')
            && !last.contains('/')
        {
            return Err(format!("`:{last}` is no interval, which is written `:every=10m`, once"));
        }
        Ok(CheckpointArg { path: path.into(), every })
    }
}

/// Go on with a check from its checkpoint
///
/// The check goes on as it was asked for, with the same options and limits; time counts anew. It goes on to write checkpoints to the same
/// file. The model must be what it was.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The file that `--checkpoint` named
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Write checkpoints to another file, or at another interval
    #[arg(long, value_name = "FILE[:every=DURATION]", value_parser = CheckpointArg::read, help_heading = "Limits")]
    pub checkpoint: Option<CheckpointArg>,

    /// The time from one checkpoint to the next [default: as before]
    #[arg(long, value_name = "DURATION", value_parser = values::duration, conflicts_with = "checkpoint", help_heading = "Limits")]
    pub every: Option<Duration>,

    /// Stop when the program takes more memory: 512M, 2G [default: as before]
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_negative_numbers = true, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// Stop after this time, from now on [default: as before]
    #[arg(long, value_name = "DURATION", value_parser = values::duration, allow_negative_numbers = true, help_heading = "Limits")]
    pub time: Option<Duration>,

    /// How many threads search, where several can [default: as before]
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, help_heading = "Limits")]
    pub threads: Option<u32>,

    /// How to print the answer [default: as before]
    #[arg(long, value_enum, help_heading = "Output")]
    pub format: Option<Format>,

    /// Where to save the trace [default: as before]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,

    /// Neither save nor print the trace
    #[arg(long, conflicts_with_all = ["trace_out", "full_trace"], help_heading = "Output")]
    pub no_trace: bool,

    /// Write a page about the check
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Print every step of a long trace
    #[arg(long, help_heading = "Output")]
    pub full_trace: bool,

    /// Print one line: the verdict, the error, and where its trace is
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// No progress line
    #[arg(long, help_heading = "Output")]
    pub no_progress: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_a_file_and_an_interval() {
        let read =
            |text| CheckpointArg::read(text).map(|arg| (arg.path.display().to_string(), arg.every.as_secs()));
        assert_eq!(read("a.ckpt"), Ok(("a.ckpt".into(), 600)));
        assert_eq!(read("c:a:every=5m"), Ok(("c:a".into(), 300)));
        assert!(["", "-", ":every=5m", "a:every=never", "a:every=0"].iter().all(|text| read(text).is_err()));
        assert!(["a:evry=5m", "a:every=1s:every=2s", "a:e=1"].iter().all(|text| read(text).is_err()));
        assert_eq!(read("a:b=c/d"), Ok(("a:b=c/d".into(), 600)));
    }
}
