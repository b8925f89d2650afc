//! The file, or files, that traces are written to while they are walked.
//!
//! A trace that is not walked to its end is taken away again, so that what lies there is always whole; what was printed stays, and
//! is marked. What cannot be written does not end the walk: the violation is told in any case.

use panoptes_trace::{Snapshot, Trace, TraceStep, TraceWriter};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Where traces go.
#[derive(Clone, Debug)]
pub enum Destination {
    Stdout,
    /// One file for all.
    One(PathBuf),
    /// A file for each: the name with `%n` for the number of the error.
    Each(String),
}

pub struct TraceFile {
    destination: Destination,
    is_list: bool,
    current: Option<Current>,
    /// What could not be written, and where: nothing more is.
    failed: Option<(String, io::Error)>,
}

struct Current {
    name: String,
    writer: TraceWriter<Output>,
    /// Where the last trace begins, and how many there are before it.
    mark: u64,
    traces: usize,
}

enum Output {
    File(BufWriter<File>),
    Stdout(BufWriter<io::Stdout>),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Stdout(out) => out.flush(),
        }
    }
}

impl TraceFile {
    /// Files are made when there is something to write.
    pub fn new(destination: Destination, is_several: bool) -> TraceFile {
        let is_list = is_several && !matches!(destination, Destination::Each(_));
        TraceFile { destination, is_list, current: None, failed: None }
    }

    /// Do all traces stand in one file?
    pub fn is_list(&self) -> bool {
        self.is_list
    }

    /// The file of the last trace, if it could be written; none for standard output.
    pub fn name(&self) -> Option<String> {
        let is_file = !matches!(self.destination, Destination::Stdout);
        self.current.as_ref().filter(|_| is_file && self.failed.is_none()).map(|current| current.name.clone())
    }

    /// Begins the trace of the error with that number.
    pub fn begin(&mut self, number: usize, head: &Trace) {
        if self.failed.is_some() {
            return;
        }
        if !self.is_list {
            self.close();
        }
        let name = match &self.destination {
            Destination::Stdout => "standard output".to_string(),
            Destination::One(path) => path.display().to_string(),
            Destination::Each(name) => name.replace("%n", &number.to_string()),
        };
        if self.current.is_none() {
            match self.open(&name) {
                Ok(writer) => self.current = Some(Current { name, writer, mark: 0, traces: 0 }),
                Err(error) => {
                    self.failed = Some((name, error));
                    return;
                }
            }
        }
        self.write(|current| {
            (current.mark, current.traces) = (current.writer.get_mut().position()?, current.writer.count());
            current.writer.begin(head)
        });
    }

    pub fn step(&mut self, step: &TraceStep) {
        self.write(|current| current.writer.step(step));
    }

    pub fn end(&mut self, end: Option<&Snapshot>) {
        self.write(|current| current.writer.end(end));
    }

    /// Takes the last trace away again, which is not whole.
    pub fn drop_last(&mut self) {
        // It may not even have begun.
        if !self.current.as_ref().is_some_and(|current| current.writer.is_open()) {
            return;
        }
        if let Destination::Stdout = self.destination {
            self.write(|current| current.writer.cut());
            return;
        }
        if let Some(current) = &self.current
            && current.traces == 0
        {
            let file = self.current.take();
            self.remove(file);
            return;
        }
        self.write(|current| {
            current.writer.roll_back(current.traces);
            current.writer.get_mut().cut(current.mark)
        });
    }

    /// Ends the file; what could not be written, if something could not.
    pub fn finish(mut self) -> Option<(String, io::Error)> {
        self.close();
        self.failed
    }

    fn open(&self, name: &str) -> io::Result<TraceWriter<Output>> {
        let output = match &self.destination {
            Destination::Stdout => Output::Stdout(BufWriter::new(io::stdout())),
            Destination::One(path) => Output::File(BufWriter::new(File::create(path)?)),
            Destination::Each(_) => Output::File(BufWriter::new(File::create(name)?)),
        };
        if self.is_list { TraceWriter::list(output) } else { Ok(TraceWriter::new(output)) }
    }

    fn write(&mut self, write: impl FnOnce(&mut Current) -> io::Result<()>) {
        let Some(current) = &mut self.current else { return };
        if let Err(error) = write(current) {
            self.failed = Some((current.name.clone(), error));
            let file = self.current.take();
            self.remove(file);
        }
    }

    fn close(&mut self) {
        if let Some(current) = self.current.take()
            && let Err(error) = current.writer.finish()
        {
            self.failed.get_or_insert((current.name, error));
        }
    }

    /// A file that is not whole misleads.
    fn remove(&self, file: Option<Current>) {
        if let Some(Current { name, .. }) = file
            && !matches!(self.destination, Destination::Stdout)
        {
            // If it cannot be removed, it cannot be helped.
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Output {
    fn position(&mut self) -> io::Result<u64> {
        match self {
            Output::File(file) => file.stream_position(),
            Output::Stdout(_) => Ok(0),
        }
    }

    /// Takes away what was written from a place on.
    fn cut(&mut self, at: u64) -> io::Result<()> {
        match self {
            Output::File(file) => {
                file.flush()?;
                file.get_mut().set_len(at)?;
                file.seek(SeekFrom::Start(at)).map(|_| ())
            }
            Output::Stdout(_) => Ok(()),
        }
    }
}
