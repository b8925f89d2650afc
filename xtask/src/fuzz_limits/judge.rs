//! Is the way in which a run ended one of those that are promised?

use super::case::Case;
use super::run::Outcome;
use std::time::Duration;

/// What `--time` may be exceeded by: a tenth and this.
const TIME_SLACK: Duration = Duration::from_millis(500);
/// What `--memory` may be exceeded by: a twentieth and this.
const MEMORY_SLACK: u64 = 8 << 20;

/// The exit status, or what is wrong.
pub fn judge(case: &Case, outcome: &Outcome) -> Result<usize, String> {
    if let Some(line) = outcome.stderr.lines().find(|line| line.contains("panicked at")) {
        return Err(format!("a panic: {line}"));
    }
    let status = match outcome.status {
        Some(status @ 0..=3) => status as usize,
        Some(status) => return Err(format!("status {status}: {}", first_line(&outcome.stderr))),
        None if outcome.was_given_up => return Err("it does not end".to_string()),
        // A signal that came before the program listened, which it does first of all.
        None if outcome.was_signalled_early => return Ok(3),
        None => return Err(format!("killed by a signal: {}", first_line(&outcome.stderr))),
    };
    let allowed = case.time + case.time / 10 + TIME_SLACK;
    if outcome.time > allowed {
        return Err(format!("it took {:?}, {allowed:?} at most", outcome.time));
    }
    let allowed = case.memory_bytes + case.memory_bytes / 20 + MEMORY_SLACK;
    if let Some(peak) = outcome.peak_bytes.filter(|peak| *peak > allowed) {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        return Err(format!("it took {:.1} MiB, {:.1} at most", mib(peak), mib(allowed)));
    }
    if status != 2 && case.has("json") {
        let object: Result<serde_json::Value, _> = serde_json::from_str(&outcome.stdout);
        let object = object.map_err(|error| format!("no JSON: {error}"))?;
        let verdict = object["verdict"].as_str().unwrap_or_default();
        if ["verified", "violated", "", "inconclusive"][status] != verdict {
            return Err(format!("status {status}, but the verdict is {verdict:?}"));
        }
    }
    Ok(status)
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(it said nothing)")
}
