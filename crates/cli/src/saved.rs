//! Saved traces, read a step at a time and as often as needed.

use crate::failure::usage;
use anyhow::Context;
use panoptes_check::Language;
use panoptes_report::StepSource;
use panoptes_trace::{Trace, TraceFileError, TraceStep, scan};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Of standard input, so much is held in memory; more goes to a temporary file.
const HELD_MAX: u64 = 16 << 20;

/// A file with one trace or several.
pub struct Saved {
    path: PathBuf,
    text: Text,
}

enum Text {
    File(File),
    Held(Vec<u8>),
}

impl Saved {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path) -> anyhow::Result<Saved> {
        let text = if path == Path::new("-") {
            standard_input().context("cannot read standard input")?
        } else if path.is_dir() {
            return Err(usage(format!("{} is a directory; name a file in it", path.display())));
        } else {
            Text::File(File::open(path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => usage(format!("there is no file {}", path.display())),
                _ => anyhow::Error::new(error).context(format!("cannot read {}", path.display())),
            })?)
        };
        Ok(Saved { path: path.to_path_buf(), text })
    }

    /// A trace that is already here.
    pub fn held(path: &Path, trace: &Trace) -> Saved {
        Saved { path: path.to_path_buf(), text: Text::Held(trace.to_json().into_bytes()) }
    }

    /// How the file begins.
    pub fn beginning(&mut self) -> String {
        let mut start = vec![0; 1 << 16];
        let text = match &mut self.text {
            Text::Held(bytes) => &bytes[..bytes.len().min(start.len())],
            Text::File(file) => {
                let count = file.seek(SeekFrom::Start(0)).and_then(|_| file.read(&mut start)).unwrap_or(0);
                &start[..count]
            }
        };
        String::from_utf8_lossy(text).into_owned()
    }

    /// All of the text.
    pub fn whole(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        match &mut self.text {
            Text::Held(held) => bytes.clone_from(held),
            Text::File(file) => {
                file.seek(SeekFrom::Start(0))?;
                file.read_to_end(&mut bytes)?;
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads it all: `visit` is given each step and the number of its trace in the file, from zero.
    pub fn scan(
        &mut self,
        visit: &mut dyn FnMut(usize, TraceStep) -> ControlFlow<()>,
    ) -> anyhow::Result<Vec<Trace>> {
        let name = self.path.display().to_string();
        let read = match &mut self.text {
            Text::Held(bytes) => scan(Cursor::new(bytes), visit),
            Text::File(file) => {
                file.seek(SeekFrom::Start(0)).with_context(|| format!("cannot read {name}"))?;
                scan(BufReader::with_capacity(1 << 16, file), visit)
            }
        };
        read.map_err(|error| match error {
            TraceFileError::NotJson { .. } if self.looks_like_a_model() => usage(format!(
                "{name} is not a saved trace (it looks like a model): try `panoptes check {name}`"
            )),
            _ => usage(format!("{name}: {error}")),
        })
    }

    /// All traces of the file, without their steps.
    pub fn traces(&mut self) -> anyhow::Result<Vec<Trace>> {
        self.scan(&mut |_, _| ControlFlow::Continue(()))
    }

    /// The trace of the error with that number, or the only one.
    pub fn choose(mut self, error: Option<u64>) -> anyhow::Result<Chosen> {
        let traces = self.traces()?;
        self.choose_among(traces, error)
    }

    /// The same when the traces are known.
    pub fn choose_among(self, traces: Vec<Trace>, error: Option<u64>) -> anyhow::Result<Chosen> {
        let name = self.path.display().to_string();
        let number = |(index, trace): (usize, &Trace)| trace.number.unwrap_or(index + 1) as u64;
        let index = match (error, traces.len()) {
            (_, 0) => return Err(usage(format!("{name} has no trace"))),
            (None, 1) => 0,
            (None, count) => {
                return Err(usage(format!("{name} has {count} traces: `--error N` says which one")));
            }
            (Some(wanted), _) => match traces.iter().enumerate().position(|trace| number(trace) == wanted) {
                Some(index) => index,
                None => {
                    let there: Vec<String> =
                        traces.iter().enumerate().map(|trace| number(trace).to_string()).collect();
                    return Err(usage(format!(
                        "{name} has no trace of an error {wanted}; there is {}",
                        there.join(", ")
                    )));
                }
            },
        };
        let head = traces.into_iter().nth(index).expect("a trace of the file");
        Ok(Chosen { saved: self, index, head })
    }

    fn looks_like_a_model(&mut self) -> bool {
        let text = self.beginning();
        Language::of_path(&self.path).is_some() || text.contains("proctype") || text.contains("proc ")
    }
}

/// One trace of a file.
pub struct Chosen {
    saved: Saved,
    index: usize,
    /// All but its steps.
    pub head: Trace,
}

impl StepSource for Chosen {
    fn each(&mut self, visit: &mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()> {
        let mut failed = None;
        let wanted = self.index;
        self.saved
            .scan(&mut |index, step| {
                if index > wanted {
                    return ControlFlow::Break(());
                }
                match if index == wanted { visit(&step) } else { Ok(()) } {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            })
            .map_err(|error| io::Error::other(error.to_string()))?;
        failed.map_or(Ok(()), Err)
    }
}

/// Standard input can be read only once: it is kept.
fn standard_input() -> io::Result<Text> {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    input.by_ref().take(HELD_MAX).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < HELD_MAX {
        return Ok(Text::Held(bytes));
    }
    let path = std::env::temp_dir().join(format!("panoptes-{}.trace.json", std::process::id()));
    let mut options = File::options();
    let mut file = options.read(true).write(true).create_new(true).open(&path)?;
    // The open file stays, its name need not.
    let _ = std::fs::remove_file(&path);
    io::copy(&mut &bytes[..], &mut file)?;
    io::copy(&mut input, &mut file)?;
    Ok(Text::File(file))
}
