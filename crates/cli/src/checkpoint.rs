//! The file of `--checkpoint`: what it begins with, and how it is written so that a whole one is always there.
//!
//! A file begins with a line that says what it is. Then comes an image (`panoptes-store`), all of it under a checksum: the version, the command
//! line, the texts of the model, and the search. It is written beside the one before, made safe on disk and renamed: whenever
//! the process is killed, one of the two is there.

use crate::args::CheckpointArg;
use crate::failure::usage;
use crate::output;
use panoptes_check::{CheckpointReport, ImageReader, ImageWriter, Report, WhyIncomplete};
use panoptes_report::human;
use panoptes_search::Limit;
use panoptes_source::{FileId, SourceMap};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first line of a checkpoint. The number is that of the form of what follows.
pub const FIRST_LINE: &[u8] = b"panoptes checkpoint 2\n";
/// How that line begins whatever the number is.
const FIRST_WORDS: &[u8] = b"panoptes checkpoint ";

/// What stands before the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Of the program that wrote it.
    pub version: String,
    /// Where the program ran, and what it was told.
    pub folder: String,
    pub arguments: Vec<String>,
    /// The limits, which may be others each time that the search goes on.
    pub limits: ResumeLimits,
    /// All texts that the model was made of, by name.
    pub files: Vec<(String, String)>,
    /// How long the search has run.
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResumeLimits {
    pub seconds: Option<f64>,
    pub memory: Option<u64>,
    pub threads: Option<u64>,
    /// Seconds from one checkpoint to the next.
    pub every: f64,
}

impl Header {
    pub fn read(path: &Path) -> io::Result<(Header, ImageReader)> {
        let mut file = io::BufReader::new(File::open(path)?);
        let mut line = [0; FIRST_LINE.len()];
        if file.read_exact(&mut line).is_err() || !line.starts_with(FIRST_WORDS) {
            return Err(io::Error::other("it is no checkpoint of this program"));
        }
        if line != FIRST_LINE {
            return Err(io::Error::other("it is damaged, or was made by another version of this program"));
        }
        let mut image = ImageReader::new(Box::new(file))?;
        let version = image.text()?;
        if version != env!("CARGO_PKG_VERSION") {
            return Err(io::Error::other(format!(
                "it was made by version {version}, and this is {}",
                env!("CARGO_PKG_VERSION")
            )));
        }
        let folder = image.text()?;
        let arguments = image.list(ImageReader::text)?;
        let limits = ResumeLimits {
            seconds: optional(&mut image, ImageReader::f64)?,
            memory: optional(&mut image, ImageReader::u64)?,
            threads: optional(&mut image, ImageReader::u64)?,
            every: image.f64()?,
        };
        let files = image.list(|image| Ok((image.text()?, image.text()?)))?;
        let seconds = image.f64()?;
        Ok((Header { version, folder, arguments, limits, files, seconds }, image))
    }

    fn write(&self, image: &mut ImageWriter, seconds: f64) -> io::Result<()> {
        image.bytes(env!("CARGO_PKG_VERSION").as_bytes())?;
        image.bytes(self.folder.as_bytes())?;
        image.list(self.arguments.iter(), |image, word| image.bytes(word.as_bytes()))?;
        image.list(self.limits.seconds.iter(), |image, seconds| image.f64(*seconds))?;
        image.list(self.limits.memory.iter(), |image, memory| image.u64(*memory))?;
        image.list(self.limits.threads.iter(), |image, threads| image.u64(*threads))?;
        image.f64(self.limits.every)?;
        image.list(self.files.iter(), |image, (name, text)| {
            image.bytes(name.as_bytes())?;
            image.bytes(text.as_bytes())
        })?;
        image.f64(seconds)
    }

    /// The first of the files that is not what it was, in words.
    pub fn changed_file(&self, sources: &SourceMap) -> Option<String> {
        let now = texts(sources);
        let changed =
            |(was, is): (&(String, String), &(String, String))| (was != is).then(|| difference(was, is));
        let added = now.get(self.files.len()).map(|(name, _)| format!("{name} is new"));
        let missing = self.files.get(now.len()).map(|(name, _)| format!("{name} is no longer a part of it"));
        self.files.iter().zip(&now).find_map(changed).or(added).or(missing)
    }
}

/// Where two files differ.
fn difference((was, before): &(String, String), (is, after): &(String, String)) -> String {
    if was != is {
        return format!("{was} is no longer a part of it, and {is} is");
    }
    let same = before.lines().zip(after.lines()).take_while(|(one, other)| one == other).count();
    format!("{is} has changed, in line {}", same + 1)
}

/// What a model is made of.
pub fn texts(sources: &SourceMap) -> Vec<(String, String)> {
    let ids = (0..sources.file_count() as u32).map(FileId);
    ids.map(|id| sources.file(id)).map(|file| (file.name.clone(), file.text.clone())).collect()
}

fn optional<T>(
    image: &mut ImageReader,
    read: impl FnMut(&mut ImageReader) -> io::Result<T>,
) -> io::Result<Option<T>> {
    Ok(image.list(read)?.pop())
}

/// A search may take hours: whether it can be written down is found out before. No other file is overwritten, and the checkpoint of another
/// search that has the name gets another one.
pub fn make_way(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    let unwritable =
        |error: io::Error| usage(format!("`--checkpoint {name}`: the file cannot be written: {error}"));
    file_beside(path).and_then(|_| fs::remove_file(with_ending(path, ".new"))).map_err(unwritable)?;
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => Err(usage(format!(
            "`--checkpoint {name}`: that is a directory, a link or a device, and must be a file"
        ))),
        Ok(about) if about.len() > 0 && !begins_as_checkpoint(path) => {
            Err(usage(format!("`--checkpoint {name}` would overwrite a file that is no checkpoint")))
        }
        Ok(about) if about.len() > 0 => {
            // Whoever writes to it goes on to do so, whatever its name.
            let _mine = claimed(path).map_err(|error| usage(format!("`--checkpoint {name}`: {error}")))?;
            let before = with_ending(path, ".old");
            fs::rename(path, &before).map_err(unwritable)?;
            let (file, before) = (human::shell_word(&before.display().to_string()), before.display());
            output::warning(&format!(
                "{name} held a search that has not come to its end; it is {before} now, and `panoptes resume {file}` goes on with it"
            ));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The checkpoint at `path`, which nobody else may write to as long as this one is open. Fails if somebody does. Where files cannot be locked
/// nobody is kept from anything.
pub fn claimed(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    claim(&file)?;
    Ok(file)
}

/// The empty file that the next checkpoint is written to.
fn file_beside(path: &Path) -> io::Result<File> {
    let beside = with_ending(path, ".new");
    let file = File::options().write(true).create(true).truncate(false).open(beside)?;
    claim(&file)?;
    file.set_len(0)?;
    Ok(file)
}

fn claim(file: &File) -> io::Result<()> {
    // Elsewhere a file that is locked can neither be read nor renamed.
    if !cfg!(unix) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("another process writes to this file now")),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn begins_as_checkpoint(path: &Path) -> bool {
    let mut words = [0; FIRST_WORDS.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut words)).is_ok() && words == FIRST_WORDS
}

/// A file beside another: `.new` while a checkpoint is written, `.old` for one that was there before.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.to_path_buf().into_os_string();
    name.push(ending);
    name.into()
}

/// Writes checkpoints while a search runs.
pub struct Checkpoints {
    path: PathBuf,
    every: Duration,
    header: Header,
    start: Instant,
    /// When the last one was written.
    last: Instant,
    written: u64,
    /// The file that is being written, beside the one that is whole.
    writing: Option<File>,
    /// The one that is whole, if it is of this search: as long as it is open, no other process takes it.
    held: Option<File>,
    /// The last one shows where the search is.
    is_current: bool,
    /// Why one could not be written.
    failure: Option<String>,
    /// What the search is to go on from.
    from: Option<ImageReader>,
    /// The file that it is in.
    origin: Option<PathBuf>,
    is_resumed: bool,
    /// Why it cannot.
    refusal: Option<String>,
}

impl Checkpoints {
    pub fn new(asked: &CheckpointArg, header: Header) -> Checkpoints {
        let now = Instant::now();
        Checkpoints {
            path: asked.path.clone(),
            every: asked.every,
            header,
            start: now,
            last: now,
            written: 0,
            writing: None,
            held: None,
            is_current: false,
            failure: None,
            from: None,
            origin: None,
            is_resumed: false,
            refusal: None,
        }
    }

    /// The search goes on from the image that is read from the open file at `path`.
    pub fn going_on(self, image: ImageReader, file: File, path: PathBuf) -> Checkpoints {
        Checkpoints { from: Some(image), held: Some(file), origin: Some(path), ..self }
    }

    /// The search goes on.
    pub fn note_progress(&mut self) {
        self.is_current = false;
    }

    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every
    }

    pub fn begin(&mut self) -> Option<ImageWriter> {
        match self.create() {
            Ok(image) => Some(image),
            Err(error) => {
                self.end(Err(error));
                None
            }
        }
    }

    fn create(&mut self) -> io::Result<ImageWriter> {
        if self.held.is_none() && self.path.exists() {
            // Both began when there was no file yet.
            claimed(&self.path)?;
        }
        let mut file = file_beside(&self.path)?;
        self.writing = Some(file.try_clone()?);
        file.write_all(FIRST_LINE)?;
        let mut image = ImageWriter::new(Box::new(file))?;
        let seconds = self.header.seconds + self.start.elapsed().as_secs_f64();
        self.header.write(&mut image, seconds)?;
        Ok(image)
    }

    pub fn end(&mut self, how: io::Result<ImageWriter>) {
        let file = self.writing.take();
        let is_begun = file.is_some();
        let written = how.and_then(ImageWriter::finish).and_then(|()| {
            file.as_ref().map_or(Ok(()), File::sync_all)?;
            fs::rename(with_ending(&self.path, ".new"), &self.path)?;
            self.held = file;
            // The new name must be safe, too. Not every system can do that, and none needs to.
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
            Ok(())
        });
        self.last = Instant::now();
        self.is_current = written.is_ok();
        match written {
            Ok(()) => {
                self.written += 1;
                self.failure = None;
            }
            Err(error) => {
                // If it was never opened it may be that of another process.
                if is_begun {
                    let _ = fs::remove_file(with_ending(&self.path, ".new"));
                }
                let message = format!("cannot write the checkpoint {}: {error}", self.path.display());
                // Once is enough if it does not become any better.
                if self.failure.as_ref() != Some(&message) {
                    output::warning(&message);
                }
                self.failure = Some(message);
            }
        }
    }

    pub fn saved(&mut self) -> Option<ImageReader> {
        self.from.take()
    }

    pub fn resumed(&mut self, how: io::Result<()>) {
        self.is_resumed = how.is_ok();
        self.refusal = how.err().map(|error| why_not(&self.path, &error));
    }

    /// Why the search could not go on from the file.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Tells of it. A file that shows a search in its middle is of no more use when the search has come to its end.
    pub fn finish(self, report: &mut Report) {
        let is_stopped = |why: &WhyIncomplete| {
            use Limit::{Disk, Memory, States, Stopped, Time};
            matches!(why, WhyIncomplete::Limit(Time | Memory | States | Disk | Stopped))
        };
        let is_open = !report.stopped_at_error && report.limits.iter().any(is_stopped);
        if !is_open && (self.written > 0 || self.is_resumed) {
            let _ = fs::remove_file(&self.path);
        }
        report.seconds.search += self.header.seconds;
        // As long as nothing was written, the file that the search came from is the one to go on from.
        let origin = self.origin.filter(|_| self.written == 0);
        report.checkpoint = Some(CheckpointReport {
            is_resumable: is_open && (self.written > 0 || origin.is_some()),
            file: origin.unwrap_or(self.path).display().to_string(),
            written: self.written,
            is_resumed: self.is_resumed,
        });
    }
}

/// Why a file is not gone on from, for people.
pub fn why_not(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {path}"),
        io::ErrorKind::InvalidData => format!(
            "{path} cannot be used: {error}. It is damaged, or was not written by this program: start the check anew"
        ),
        io::ErrorKind::OutOfMemory if error.get_ref().is_none() => {
            format!("{path} cannot be used: there is not enough memory for the search that it holds")
        }
        _ => format!("{path} cannot be used: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_check::{Before, CheckSettings, Language, Seconds};

    /// Also when the disk that the search itself writes to is full: the checkpoint may be on another one, or there will be room.
    #[test]
    fn whatever_ends_a_search_early_leaves_its_checkpoint() {
        let path = std::env::temp_dir().join(format!("panoptes-checkpoint-{}", std::process::id()));
        let asked = CheckpointArg { path: path.clone(), every: CheckpointArg::EVERY };
        let settings = CheckSettings::default();
        for limit in [Limit::Time, Limit::Memory, Limit::States, Limit::Disk, Limit::Stopped] {
            let mut checkpoints = Checkpoints::new(&asked, Header::default());
            let image = checkpoints.begin().expect("a file");
            checkpoints.end(Ok(image));
            let why = (limit, Before::Gathered);
            let mut report =
                Report::unsearched("m.pml", Language::Promela, &settings, why, Seconds::default());
            report.limits = vec![WhyIncomplete::Limit(limit)];
            checkpoints.finish(&mut report);
            assert!(path.exists() && report.checkpoint.is_some_and(|told| told.is_resumable), "{limit:?}");
            let _ = fs::remove_file(&path);
        }
    }
}
