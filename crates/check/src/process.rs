//! What the operating system knows about this process.

/// The most memory it ever had in use, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The memory in use now.
pub fn memory_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
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
