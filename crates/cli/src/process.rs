//! What the operating system knows about this process.

/// Of the systems that have `/proc/self/statm`, those on which this runs. Where pages are larger, less is counted.
const PAGE_BYTES: u64 = 4096;

/// The most memory it ever had in use, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The memory in use now.
pub fn memory_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// The memory in use now that holds data of this process: without the program itself and other mapped files.
pub fn own_memory_bytes() -> Option<u64> {
    // Pages in all, resident, and of those with files behind them.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().skip(1).map_while(|number| number.parse::<u64>().ok());
    let (resident, of_files) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(of_files) * PAGE_BYTES)
}

/// The processor time of the main thread so far in seconds, where the system tells.
pub fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}

/// A line of `/proc/self/status`, such as `VmHWM:      1024 kB`.
fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
