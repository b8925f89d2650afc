//! What a run said, and whether that goes with what the reference said.

use super::case::{Case, Way};
use super::process::Ended;
use serde_json::Value;
use std::collections::BTreeSet;

pub struct Answer {
    verdict: String,
    limits: Vec<String>,
    /// Kind, place and length of each.
    errors: Vec<(String, String, u64)>,
    /// Stored, transitions, depth.
    counts: [u64; 3],
}

/// What a run answered; none if it refused the question or the model. Fails if it did neither, or left something behind.
pub fn answer(ended: &Ended) -> Result<Option<Answer>, String> {
    if let Some(line) = ended.stderr.lines().find(|line| line.contains("panicked at")) {
        return Err(format!("a panic: {line}"));
    }
    let status = match ended.status {
        _ if ended.was_given_up => return Err("it does not end".to_string()),
        None => return Err(format!("a signal ended it: {}", first_line(&ended.stderr))),
        Some(status @ 0..=3) => status as usize,
        Some(status) => return Err(format!("status {status}: {}", first_line(&ended.stderr))),
    };
    if let Some(file) = ended.left_files.first() {
        return Err(format!("it left {file} behind"));
    }
    if let Some(process) = ended.left_processes.first() {
        return Err(format!("it left a process behind: {process}"));
    }
    if status == 2 {
        return match ended.stderr.trim().is_empty() && ended.stdout.trim().is_empty() {
            true => Err("status 2, and it did not say why".to_string()),
            false => Ok(None),
        };
    }
    let object: Value = serde_json::from_str(&ended.stdout).map_err(|error| format!("no JSON: {error}"))?;
    let verdict = object["verdict"].as_str().unwrap_or_default().to_string();
    if ["verified", "violated", "", "inconclusive"][status] != verdict {
        return Err(format!("status {status}, but the verdict is {verdict:?}"));
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let error = |error: &Value| {
        (text(&error["kind"]), text(&error["location"]), error["length"].as_u64().unwrap_or_default())
    };
    let states = &object["states"];
    let count = |key: &str| states[key].as_u64().unwrap_or_default();
    let counts = [count("stored"), count("transitions"), count("max_depth")];
    if counts[0] + count("matched") != counts[1] {
        return Err("transitions are not stored and matched states".to_string());
    }
    Ok(Some(Answer {
        verdict,
        limits: list(&object["limits"]).iter().map(text).collect(),
        errors: list(&object["errors"]).iter().map(error).collect(),
        counts,
    }))
}

impl Answer {
    /// Was only a part looked at?
    pub fn is_partial(&self) -> bool {
        self.verdict == "inconclusive"
    }

    /// Does the answer go with that of the reference?
    pub fn compare(&self, reference: &Answer, case: &Case, way: &Way) -> Result<(), String> {
        if self.is_partial() {
            return match self.limits.is_empty() {
                true => Err("it is not sure, and does not say why".to_string()),
                false => Ok(()),
            };
        }
        if reference.is_partial() {
            return Ok(());
        }
        if self.verdict != reference.verdict {
            return Err(format!("{}, but the reference says {}", self.verdict, reference.verdict));
        }
        let is_whole = self.limits.is_empty() && reference.limits.is_empty();
        if case.all_errors && is_whole {
            let (found, expected) = (self.places(), reference.places());
            if found != expected {
                return Err(format!("errors {found:?}, but the reference has {expected:?}"));
            }
        }
        if way.is_shortest
            && let (Some((_, _, found)), Some((_, _, known))) =
                (self.errors.first(), reference.errors.first())
            && found > known
        {
            return Err(format!("a shortest error of {found} steps, but one of {known} is known"));
        }
        // What ends at an error has seen as much as its order has it.
        if case.is_exact && way.counts && is_whole && (case.all_errors || self.verdict == "verified") {
            let compared = if way.has_depths { 3 } else { 2 };
            if self.counts[..compared] != reference.counts[..compared] {
                return Err(format!(
                    "counts {:?}, but the reference has {:?}",
                    self.counts, reference.counts
                ));
            }
        }
        Ok(())
    }

    /// Kinds and places. Deadlocks have as place one of the processes that stand still.
    fn places(&self) -> BTreeSet<(&str, &str)> {
        self.errors.iter().map(|(kind, place, _)| (kind.as_str(), place.as_str())).collect()
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(it said nothing)")
}
