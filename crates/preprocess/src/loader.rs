//! Where the text of an included file comes from.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

pub trait Loader {
    fn load(&self, path: &Path) -> io::Result<String>;
}

/// The files of the machine. Bytes that are not UTF-8 become replacement characters: a model in an old encoding has them
/// in its comments, and there they do no harm.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileLoader;

impl Loader for FileLoader {
    fn load(&self, path: &Path) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
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
