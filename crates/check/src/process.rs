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

/// The memory that this process could still take before the system, or the group of processes that it belongs to, has none left; nothing where
/// the system does not tell.
pub fn available_bytes() -> Option<u64> {
    let of_system =
        std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| bytes_in(&text, "MemAvailable:"));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    of_system.into_iter().chain(groups.lines().filter_map(left_in_group)).min()
}

/// What is left in a group of processes and those that it is a part of, by a line such as `0::/user.slice` or `4:memory:/jobs/7`.
fn left_in_group(line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':');
    let (number, kinds, path) = (fields.next()?, fields.next()?, fields.next()?);
    let (root, files) = match kinds.split(',').any(|kind| kind == "memory") {
        true => ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"]),
        false if number == "0" => ("/sys/fs/cgroup", ["memory.max", "memory.current"]),
        false => return None,
    };
    // In a container the path may be one of the world outside; the root is then the group itself.
    let inside = path.trim_start_matches('/');
    let folders = std::path::Path::new(inside).ancestors().map(|part| std::path::Path::new(root).join(part));
    let left = |folder: std::path::PathBuf| {
        let read = |file| std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        let [limit, used] = files.map(read);
        // Files that were read are among what is used, and given up when memory is needed.
        let cached = std::fs::read_to_string(folder.join("memory.stat")).ok();
        let cached = cached.and_then(|text| {
            let number =
                |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
            number("total_inactive_file ").or(number("inactive_file "))
        });
        Some(limit?.saturating_sub(used?.saturating_sub(cached.unwrap_or(0))))
    };
    folders.filter_map(left).min()
}

/// A line of `/proc/self/status`, such as `VmHWM:      1024 kB`.
fn status_bytes(key: &str) -> Option<u64> {
    bytes_in(&std::fs::read_to_string("/proc/self/status").ok()?, key)
}

/// The number behind a key, in a text of such lines.
fn bytes_in(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_what_is_left() {
        let left = available_bytes().expect("Linux tells");
        assert!(left > 1 << 20, "{left}");
        assert_eq!(bytes_in("MemFree:  3 kB\nMemAvailable:   16 kB\n", "MemAvailable:"), Some(16 << 10));
        assert_eq!(left_in_group("3:cpuset:/"), None);
    }
}
