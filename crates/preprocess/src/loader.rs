//! Where the text of a model and of what it includes comes from.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The text of a model may have so many bytes, with all that it includes. Some files never end (`/dev/zero`).
pub const SOURCE_BYTES_MAX: usize = 8 << 20;

pub trait Loader {
    fn load(&self, path: &Path) -> io::Result<String>;
}

/// The text that `from` gives. Bytes that are not UTF-8 become replacement characters: a model in an old encoding has them
/// in its comments, and there they do no harm. Fails if there are more than a model may have.
pub fn read_source(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(SOURCE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > SOURCE_BYTES_MAX {
        let message = format!("larger than {} MiB, the most that a text may have", SOURCE_BYTES_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileLoader;

impl Loader for FileLoader {
    fn load(&self, path: &Path) -> io::Result<String> {
        read_source(File::open(path)?)
    }
}

/// Files that exist only in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<PathBuf, String>,
}

impl MemoryLoader {
    pub fn with(mut self, path: impl AsRef<Path>, text: impl Into<String>) -> MemoryLoader {
        self.files.insert(normal(path.as_ref()), text.into());
        self
    }
}

impl Loader for MemoryLoader {
    fn load(&self, path: &Path) -> io::Result<String> {
        self.files.get(&normal(path)).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// The path without `.` and with `..` resolved by name, since there is no directory to ask.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
