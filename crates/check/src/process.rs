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

/// The processor time of all threads so far in seconds, those included that have ended, where the system tells: in hundredths.
pub fn cpu_seconds_of_all() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; what counts is behind it.
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = |field: Option<&str>| field?.parse::<u64>().ok();
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system) = (ticks(fields.next())?, ticks(fields.next())?);
    Some((user + system) as f64 / 100.0)
}

/// A line of `/proc/self/status`, such as `VmHWM:      1024 kB`.
fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
