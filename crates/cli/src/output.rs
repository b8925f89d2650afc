//! Standard output and standard error: colours where a person looks, and no panic when nobody does any more. Whether a file can be written.

use crate::failure::Failure;
use clap::ValueEnum;
use panoptes_report::Style;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;

const WIDTH_MIN: usize = 40;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that can show them, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// Can a file of this name be written? What is there stays, and what was not is not there afterwards.
pub fn try_to_write(path: &Path) -> io::Result<()> {
    let is_new = !path.exists();
    if !is_new && !path.is_file() && !path.is_dir() {
        // A pipe or a device: whoever reads it must not see it opened twice.
        return Ok(());
    }
    OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    if is_new {
        // A search that is ended must not leave an empty file behind.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// What the command line asks for; it is read once.
static ASKED: OnceLock<Color> = OnceLock::new();

pub fn set_color(color: Color) {
    // Whoever asks first is answered.
    let _ = ASKED.set(color);
}

/// Did the command line leave it open?
pub fn is_color_open() -> bool {
    ASKED.get().copied().unwrap_or_default() == Color::Auto
}

/// What the terminal can show; without one, as many plain columns as `COLUMNS` says, or 80.
pub fn stdout_style() -> Style {
    let plain = Style::default();
    let is_terminal = io::stdout().is_terminal();
    let terminal = terminal_size::terminal_size().filter(|_| is_terminal);
    let asked = || std::env::var("COLUMNS").ok()?.trim().parse::<usize>().ok().filter(|width| *width > 0);
    let width = terminal.map(|(width, _)| usize::from(width.0)).or_else(asked);
    let width = width.map_or(plain.width, |width| width.max(WIDTH_MIN));
    Style { color: wants_color(is_terminal), width, ..plain }
}

pub fn stderr_has_color() -> bool {
    wants_color(io::stderr().is_terminal())
}

/// <https://no-color.org>: any value but the empty one switches colours off.
fn wants_color(is_terminal: bool) -> bool {
    match ASKED.get().copied().unwrap_or_default() {
        Color::Always => return true,
        Color::Never => return false,
        Color::Auto => {}
    }
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_terminal && !refused && !dumb
}

/// Writes to standard output. Fails with [`Failure::Gone`] if its reader went away (`| head`).
pub fn to_stdout(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What came of writing to standard output.
pub fn closed(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Gone.into()),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output")),
        Ok(()) => Ok(()),
    }
}

/// Lets `write` write to standard output, a buffer at a time. Fails as [`to_stdout`] does.
pub fn stream(write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    closed(write(&mut out).and_then(|()| out.flush()))
}

/// Writes to standard error; if that fails there is nobody left to tell.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

pub fn error(message: &str) {
    labelled("error", "1;31", message);
}

pub fn warning(message: &str) {
    labelled("warning", "1;33", message);
}

fn labelled(label: &str, paint: &str, message: &str) {
    match stderr_has_color() {
        true => to_stderr(&format!("\x1b[{paint}m{label}\x1b[0m: {message}\n")),
        false => to_stderr(&format!("{label}: {message}\n")),
    }
}
