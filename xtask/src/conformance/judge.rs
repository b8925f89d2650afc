//! Whether a run agrees with SPIN: each function lists the differences, none if they agree.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::golden::{Exact, Extent, Shortest, Temporal};
use super::panoptes::{Answer, Run};

/// A full search: everything SPIN counted must be the same.
pub fn exact(golden: &Exact, run: &Run) -> Vec<String> {
    let answer = match answer(run) {
        Ok(answer) => answer,
        Err(problem) => return vec![problem],
    };
    if !answer.complete {
        return vec![format!("not finished: limits {} after {:.1}s", answer.limits, run.seconds)];
    }
    let mut differences = Vec::new();
    compare(&mut differences, "states.stored", golden.states, answer.stored);
    compare(&mut differences, "states.transitions", golden.transitions, answer.transitions);
    compare(&mut differences, "kinds of error", list(&golden.kinds), list(&answer.kinds));
    compare(
        &mut differences,
        "exit status",
        if golden.kinds.is_empty() { 0 } else { 1 },
        run.exit.unwrap_or(-1),
    );
    differences
}

/// A reduced search: what SPIN found in the full one, in no more states.
pub fn reduced(golden: &Exact, run: &Run) -> Vec<String> {
    let answer = match answer(run) {
        Ok(answer) => answer,
        Err(problem) => return vec![problem],
    };
    if !answer.complete {
        return vec![format!("not finished: limits {} after {:.1}s", answer.limits, run.seconds)];
    }
    let mut differences = Vec::new();
    if answer.stored > golden.states {
        differences.push(format!("states.stored: expected at most {}, got {}", golden.states, answer.stored));
    }
    compare(&mut differences, "kinds of error", list(&golden.kinds), list(&answer.kinds));
    differences
}

/// A model of which SPIN knows little: it must be accepted, and must not contradict what is known.
pub fn accepted(golden: &Exact, run: &Run) -> Vec<String> {
    let answer = match answer(run) {
        Ok(answer) => answer,
        Err(problem) => return vec![problem],
    };
    let mut differences = Vec::new();
    match golden.extent {
        Extent::Complete if answer.complete => return exact(golden, run),
        Extent::Partial if answer.complete => {
            if answer.stored < golden.states {
                differences.push(format!(
                    "states.stored of a complete search: expected at least {}, got {}",
                    golden.states, answer.stored
                ));
            }
            if !golden.kinds.iter().all(|kind| answer.kinds.contains(*kind)) {
                differences.push(format!(
                    "kinds of error of a complete search: expected at least {}, got {}",
                    list(&golden.kinds),
                    list(&answer.kinds)
                ));
            }
        }
        Extent::StoppedAtError if !answer.kinds.contains("runtime") => {
            differences
                .push(format!("kinds of error: expected at least runtime, got {}", list(&answer.kinds)));
        }
        _ => {}
    }
    differences
}

/// A breadth-first search that stops at the first error: it must be as short as can be.
pub fn shortest(golden: &Shortest, run: &Run) -> Vec<String> {
    let answer = match answer(run) {
        Ok(answer) => answer,
        Err(problem) => return vec![problem],
    };
    let Some(error) = &answer.first_error else {
        return vec![format!(
            "errors: expected {} of {} steps, got none (limits {})",
            list(&golden.kinds),
            golden.steps,
            answer.limits
        )];
    };
    let Some(length) = error.spin_length else {
        return vec![format!(
            "errors[0].spin_length: expected {}, got none (limits {})",
            golden.steps, answer.limits
        )];
    };
    let mut differences = Vec::new();
    if golden.at_most {
        if length > golden.steps {
            differences
                .push(format!("errors[0].spin_length: expected at most {}, got {length}", golden.steps));
        }
    } else {
        compare(&mut differences, "errors[0].spin_length", golden.steps, length);
    }
    if !golden.kinds.contains(error.kind.as_str()) && length == golden.steps {
        differences.push(format!("errors[0].kind: expected {}, got {}", list(&golden.kinds), error.kind));
    }
    differences
}

/// A temporal property: the same verdict.
pub fn temporal(golden: &Temporal, run: &Run) -> Vec<String> {
    let answer = match answer(run) {
        Ok(answer) => answer,
        Err(problem) => return vec![problem],
    };
    let expected = if golden.violated { "violated" } else { "verified" };
    let fair = if golden.fair { ", weakly fair" } else { "" };
    let mut differences = Vec::new();
    compare(&mut differences, &format!("{}{fair}", golden.property), expected, answer.verdict.as_str());
    differences
}

/// A wrong model: rejected, with a message that says where.
pub fn rejected(run: &Run) -> Vec<String> {
    if let Some(crash) = run.crash() {
        return vec![crash];
    }
    let mut differences = Vec::new();
    compare(&mut differences, "exit status", 2, run.exit.unwrap_or(-1));
    if run.exit == Some(2) && !names_a_place(&run.stderr) {
        differences.push(format!("no file:line:col in the message: {}", run.complaint()));
    }
    differences
}

/// A model that SPIN rejects for reasons of its own.
pub fn either_way(run: &Run) -> Vec<String> {
    if run.exit == Some(2) { rejected(run) } else { run.crash().into_iter().collect() }
}

/// The answer of a run that accepted its model and is true to itself.
fn answer(run: &Run) -> Result<Answer, String> {
    if let Some(crash) = run.crash() {
        return Err(crash);
    }
    if run.exit == Some(2) {
        return Err(format!("rejected: expected acceptance, got: {}", run.complaint()));
    }
    let answer = run.answer()?;
    let verdict = match run.exit {
        Some(0) => "verified",
        Some(1) => "violated",
        _ => "inconclusive",
    };
    if answer.verdict != verdict {
        return Err(format!("verdict `{}` with exit status {}", answer.verdict, run.exit.unwrap_or(-1)));
    }
    Ok(answer)
}

fn compare<T: PartialEq + Display>(differences: &mut Vec<String>, what: &str, expected: T, got: T) {
    if expected != got {
        differences.push(format!("{what}: expected {expected}, got {got}"));
    }
}

fn list<T: AsRef<str> + Ord>(kinds: &BTreeSet<T>) -> String {
    match kinds.len() {
        0 => "none".to_string(),
        _ => kinds.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("+"),
    }
}

/// Whether some word of the text reads `file:line:col`.
fn names_a_place(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let mut parts = word.trim_end_matches([':', ',', ')']).rsplitn(3, ':');
        let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
        is_number(parts.next())
            && is_number(parts.next())
            && parts.next().is_some_and(|file| !file.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::names_a_place;

    #[test]
    fn places() {
        assert!(names_a_place("error: undeclared\n  --> lib/a.pml:3:14\n"));
        assert!(names_a_place("a.pml:3:14: error: undeclared"));
        assert!(!names_a_place("error: undeclared in line 3:14"));
        assert!(!names_a_place("a.pml:3: error"));
    }
}
