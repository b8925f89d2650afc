//! Running one program to its end, with what it cost: CPU seconds, wall seconds, peak memory.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

pub struct Finished {
    /// The exit status; none if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub cost: Cost,
}

/// What a run cost, its descendants included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// User and system time.
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
    /// The largest resident set.
    pub peak_bytes: u64,
}

impl Cost {
    /// The best of two runs: each time for itself, since noise only ever adds; but the larger memory.
    pub fn best(self, other: Cost) -> Cost {
        Cost {
            cpu_seconds: self.cpu_seconds.min(other.cpu_seconds),
            wall_seconds: self.wall_seconds.min(other.wall_seconds),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
        }
    }
}

/// Runs the command. What it prints goes through files in `scratch`, so that no reader competes with it.
pub fn run(command: &mut Command, scratch: &Path) -> io::Result<Finished> {
    let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let start = Instant::now();
    let used = command.spawn()?.wait4()?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Finished {
        status: used.status.code(),
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
        cost: Cost {
            // The clock of CPU time ticks in microseconds: less than a tick is a tick, so that ratios exist.
            cpu_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64().max(1e-6),
            wall_seconds,
            peak_bytes: used.rusage.maxrss,
        },
    })
}

impl Finished {
    /// How it ended and the first line of its complaint, in one line.
    pub fn complaint(&self) -> String {
        let words = self.stderr.lines().chain(self.stdout.lines()).find(|line| !line.trim().is_empty());
        let words = words.unwrap_or("(it said nothing)").trim();
        match self.status {
            Some(status) => format!("status {status}: {words}"),
            None => format!("ended by a signal: {words}"),
        }
    }
}
