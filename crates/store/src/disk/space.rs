//! Files without a name in a directory that the user gave.
//!
//! On Linux a file never has a name; elsewhere, and on file systems that do not know such files, it loses its name as soon as it is open. So two
//! runs in one directory do not disturb each other, and nothing is left behind however a run ends: the system takes the space back with the last handle.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where files are made, and what all of them take.
#[derive(Clone, Debug)]
pub struct DiskSpace {
    dir: PathBuf,
    usage: Arc<Usage>,
}

#[derive(Debug)]
struct Usage {
    written: AtomicU64,
    read: AtomicU64,
    held: AtomicU64,
    held_max: AtomicU64,
    /// More than this is not written: tests have a small disk.
    quota: AtomicU64,
}

/// What went to the disk and came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskAccount {
    pub written: u64,
    pub read: u64,
    /// The most that was on the disk at one time.
    pub held_max: u64,
}

/// A file that only grows, and is read anywhere.
#[derive(Debug)]
pub(crate) struct Scratch {
    file: File,
    len: u64,
    usage: Arc<Usage>,
}

impl DiskSpace {
    /// Makes the directory if it is not there. Fails if no file can be written in it.
    pub fn open(dir: &Path) -> io::Result<DiskSpace> {
        std::fs::create_dir_all(dir)?;
        let usage = Usage {
            written: AtomicU64::new(0),
            read: AtomicU64::new(0),
            held: AtomicU64::new(0),
            held_max: AtomicU64::new(0),
            quota: AtomicU64::new(u64::MAX),
        };
        let space = DiskSpace { dir: dir.to_path_buf(), usage: Arc::new(usage) };
        space.file()?;
        Ok(space)
    }

    pub(crate) fn file(&self) -> io::Result<Scratch> {
        let file = self.nameless().map_or_else(|| self.named(), Ok)?;
        Ok(Scratch { file, len: 0, usage: self.usage.clone() })
    }

    /// A file that never has a name, where the system and the file system know such files.
    fn nameless(&self) -> Option<File> {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            use std::os::unix::fs::OpenOptionsExt;
            const O_DIRECTORY: i32 = if cfg!(target_arch = "aarch64") { 0o40_000 } else { 0o200_000 };
            const O_TMPFILE: i32 = 0o20_000_000 | O_DIRECTORY;
            OpenOptions::new().read(true).write(true).custom_flags(O_TMPFILE).open(&self.dir).ok()
        }
        #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        None
    }

    /// A file that loses its name as soon as it is open.
    fn named(&self) -> io::Result<File> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Relaxed);
            let path = self.dir.join(format!("panoptes-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => {
                    std::fs::remove_file(&path)?;
                    return Ok(file);
                }
                // Left over by a run that was killed between the two calls.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn account(&self) -> DiskAccount {
        let Usage { written, read, held_max, .. } = &*self.usage;
        DiskAccount {
            written: written.load(Relaxed),
            read: read.load(Relaxed),
            held_max: held_max.load(Relaxed),
        }
    }

    /// The disk is full when so much is on it.
    #[doc(hidden)]
    pub fn set_quota(&self, bytes: u64) {
        self.usage.quota.store(bytes, Relaxed);
    }
}

impl Scratch {
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let held = self.usage.held.load(Relaxed) + bytes.len() as u64;
        if held > self.usage.quota.load(Relaxed) {
            return Err(ErrorKind::StorageFull.into());
        }
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(bytes)?;
        self.len += bytes.len() as u64;
        self.usage.written.fetch_add(bytes.len() as u64, Relaxed);
        self.usage.held.store(held, Relaxed);
        self.usage.held_max.fetch_max(held, Relaxed);
        Ok(())
    }

    pub fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes)?;
        self.usage.read.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.usage.held.fetch_sub(self.len, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test_dir;

    #[test]
    fn files_have_no_names_and_give_their_space_back() {
        let dir = test_dir("names");
        let space = DiskSpace::open(&dir).expect("a directory");
        let (mut one, mut other) = (space.file().expect("a file"), space.file().expect("a file"));
        one.append(b"abc").expect("room");
        other.append(b"12").expect("room");
        one.append(b"def").expect("room");
        let mut bytes = [0; 4];
        one.read_at(1, &mut bytes).expect("what was written");
        assert_eq!(&bytes, b"bcde");
        assert_eq!(std::fs::read_dir(&dir).expect("the directory").count(), 0);
        drop(one);
        other.append(b"345").expect("room");
        assert_eq!(space.account(), DiskAccount { written: 11, read: 4, held_max: 8 });
        std::fs::remove_dir(&dir).expect("it is empty");
    }

    /// On whatever file system the tests run, both ways give a file that can be used and is not seen.
    #[test]
    fn both_kinds_of_files_are_not_seen() {
        let dir = test_dir("kinds");
        let space = DiskSpace::open(&dir).expect("a directory");
        for file in [space.nameless(), space.named().ok()].into_iter().flatten() {
            assert_eq!(std::fs::read_dir(&dir).expect("the directory").count(), 0);
            let mut scratch = Scratch { file, len: 0, usage: space.usage.clone() };
            scratch.append(b"abc").expect("room");
            let mut bytes = [0; 2];
            scratch.read_at(1, &mut bytes).expect("what was written");
            assert_eq!(&bytes, b"bc");
        }
        assert!(space.named().is_ok());
        std::fs::remove_dir(&dir).expect("it is empty");
    }

    #[test]
    fn a_full_disk_and_a_wrong_directory_are_told() {
        let dir = test_dir("full");
        let space = DiskSpace::open(&dir).expect("a directory");
        space.set_quota(4);
        let mut file = space.file().expect("a file");
        assert!(file.append(b"abc").is_ok());
        assert!(file.append(b"abc").is_err_and(|error| error.kind() == ErrorKind::StorageFull));
        assert_eq!(file.len(), 3);
        let wrong = dir.join("file");
        std::fs::write(&wrong, "").expect("room");
        assert!(DiskSpace::open(&wrong).is_err());
        std::fs::remove_dir_all(&dir).expect("ours");
    }
}
