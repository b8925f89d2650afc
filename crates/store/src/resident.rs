//! How much memory the process really has, as the system tells it.
//!
//! A search knows what its own structures take. Code, the model, buffers and what the allocator holds back come on top; a
//! bound on memory must hold for all of it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The resident set; nothing where the system does not tell.
pub struct Resident {
    /// Its size in pages, and more.
    statm: Option<File>,
    page_bytes: u64,
}

impl Default for Resident {
    fn default() -> Resident {
        Resident::new()
    }
}

impl Resident {
    pub fn new() -> Resident {
        let mut resident = Resident { statm: File::open("/proc/self/statm").ok(), page_bytes: 1 };
        // The two numbers are of different moments, but pages come in powers of two.
        let pages = resident.bytes().unwrap_or(0).max(1);
        match status_bytes() {
            Some(bytes) => resident.page_bytes = (bytes as f64 / pages as f64).log2().round().exp2() as u64,
            None => resident.statm = None,
        }
        resident
    }

    /// Takes nothing from the heap.
    pub fn bytes(&self) -> Option<u64> {
        let mut file = self.statm.as_ref()?;
        let mut text = [0; 128];
        file.seek(SeekFrom::Start(0)).ok()?;
        let count = file.read(&mut text).ok()?;
        let text = std::str::from_utf8(&text[..count]).ok()?;
        let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(pages * self.page_bytes)
    }
}

fn status_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_is_seen() {
        let resident = Resident::new();
        // Other tests of the process take and give back memory meanwhile, so only the whole is looked at.
        let taken = vec![1u8; 256 << 20];
        let bytes = resident.bytes().expect("Linux tells");
        assert!(taken.iter().all(|byte| *byte == 1));
        assert!(bytes >= 250 << 20, "{bytes}");
    }
}
