//! The Argos models of a corpus, `DIR/argos`: the sizes of their machines, the verdicts, and how short counterexamples
//! are, as Holzmann's papers tell them (*Tracing Protocols*, 1985; *Automated Protocol Validation in Argos*, 1987; *On Limits
//! and Possibilities*, 1987) or, where they do not, as counted by hand.
//!
//! Two numbers differ from the papers. The transport protocol's servers have 26 states after minimisation, not 27; and the
//! sender of the alternating bit protocol has 7 before, its unreachable end state included, as the paper includes that of
//! the receiver.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::tally::{Check, Comparison, Outcome};

/// A machine: its name, its states before and after minimisation.
type Size = (&'static str, u64, u64);

/// What is known of one model, read with one set of macros.
struct Known {
    file: &'static str,
    define: Option<&'static str>,
    machines: &'static [Size],
    verdict: Verdict,
    /// The states of a full search, where a direct count from the text is known.
    states: Option<u64>,
}

enum Verdict {
    Verified,
    /// Exactly these errors: their kind, and words that their message has.
    Violated(&'static [(&'static str, &'static [&'static str])]),
    /// An assertion is violated, by a shortest counterexample of at most so many events: sends and timeouts.
    Within(u64),
    /// The paper is about the machines only.
    Unknown,
}

const LINK_MACHINES: &[Size] = &[("sender", 7, 5), ("receiver", 9, 9), ("user", 2, 2), ("link", 6, 6)];
const LINK: &str = "abp-link.argos";
const UNSPECIFIED: &str = "unspecified-reception";

const KNOWN: [Known; 11] = [
    Known {
        file: "abp-direct.argos",
        define: None,
        machines: &[("sender", 7, 5), ("receiver", 4, 4)],
        verdict: Verdict::Verified,
        states: Some(56),
    },
    Known { file: LINK, define: None, machines: LINK_MACHINES, verdict: Verdict::Verified, states: None },
    requirement("REQ=1", Verdict::Within(3)),
    requirement("REQ=2", Verdict::Within(7)),
    requirement("REQ=3", Verdict::Within(22)),
    requirement("REQ=4", Verdict::Verified),
    Known {
        file: "nbs-transport.argos",
        define: None,
        machines: &[("A", 40, 26), ("B", 40, 26), ("AU", 10, 10), ("BU", 6, 6)],
        verdict: Verdict::Violated(&[
            (UNSPECIFIED, &["B ", "`conn_resp`", "`closed`"]),
            (UNSPECIFIED, &["A ", "`m2`", "`closed`"]),
            (UNSPECIFIED, &["A ", "`close_req`", "`closed`"]),
        ]),
        states: None,
    },
    Known {
        file: "receiver-minimise.argos",
        define: None,
        machines: &[("redundant", 7, 4), ("minimal", 4, 4), ("keep", 4, 4)],
        verdict: Verdict::Unknown,
        states: None,
    },
    Known {
        file: "split-merge.argos",
        define: None,
        machines: &[("split", 5, 5), ("merge", 3, 3)],
        verdict: Verdict::Verified,
        states: None,
    },
    three("REQ=1", Verdict::Within(1)),
    three("REQ=2", Verdict::Verified),
];

const fn requirement(define: &'static str, verdict: Verdict) -> Known {
    Known { file: LINK, define: Some(define), machines: &[("assert", 3, 3)], verdict, states: None }
}

const fn three(define: &'static str, verdict: Verdict) -> Known {
    let machines = &[("a", 3, 3), ("b", 3, 3), ("c", 8, 7), ("assert", 3, 3)];
    Known { file: "three.argos", define: Some(define), machines, verdict, states: None }
}

/// Compares all of them. None, with a word about it, if the corpus has no such folder.
pub fn compare(corpus: &Path, binary: &Path) -> io::Result<Option<Vec<Outcome>>> {
    let folder = corpus.join("argos");
    if !folder.is_dir() {
        eprintln!("no Argos models: there is no {}", folder.display());
        return Ok(None);
    }
    let trace = std::env::temp_dir().join(format!("panoptes-argos-{}.trace.json", std::process::id()));
    let outcomes = KNOWN.iter().map(|known| examine(&folder, binary, &trace, known)).collect();
    let _ = std::fs::remove_file(trace);
    outcomes
}

fn examine(folder: &Path, binary: &Path, trace: &Path, known: &Known) -> io::Result<Option<Outcome>> {
    let mut path = format!("argos/{}", known.file);
    if let Some(define) = known.define {
        path += &format!(" -D{define}");
    }
    let mut outcome = Outcome { path, comparisons: Vec::new(), skipped: Vec::new() };
    let run = Runner { binary, model: folder.join(known.file), define: known.define, trace };
    outcome.comparisons.push(comparison(
        Check::Machines,
        sizes(&run.json(&["show", "--format", "json"])?, known),
        None,
    ));
    let flags: &[&str] = match known.verdict {
        Verdict::Unknown => return Ok(Some(outcome)),
        Verdict::Within(_) => &["--shortest"],
        Verdict::Verified | Verdict::Violated(_) => &["--exact", "--all-errors"],
    };
    let args: Vec<&str> = ["check", "--format", "json"].into_iter().chain(flags.iter().copied()).collect();
    let answer = run.json(&args)?;
    let stored = answer["states"]["stored"].as_u64();
    let mut differences = judge(&known.verdict, &answer, trace)?;
    if known.states.is_some() && known.states != stored {
        differences.push(format!("states: expected {:?}, found {stored:?}", known.states));
    }
    outcome.comparisons.push(comparison(Check::Papers, differences, stored));
    Ok(Some(outcome))
}

fn comparison(check: Check, differences: Vec<String>, states: Option<u64>) -> Comparison {
    Comparison { check, differences, seconds: 0.0, states, spin_states: None }
}

fn sizes(shown: &Value, known: &Known) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, states, minimised) in known.machines {
        let machines = shown["machines"].as_array().map_or(&[][..], Vec::as_slice);
        let found = machines.iter().find(|machine| machine["name"] == *name);
        let size = |key: &str| found.and_then(|machine| machine[key].as_u64());
        if (size("states"), size("minimised")) != (Some(*states), Some(*minimised)) {
            let found = (size("states"), size("minimised"));
            differences.push(format!("{name}: expected {states} → {minimised} states, found {found:?}"));
        }
    }
    differences
}

fn judge(verdict: &Verdict, answer: &Value, trace: &Path) -> io::Result<Vec<String>> {
    let mut differences = Vec::new();
    let expected = if matches!(verdict, Verdict::Verified) { "verified" } else { "violated" };
    if answer["verdict"] != expected {
        differences.push(format!("verdict: expected {expected}, found {}", answer["verdict"]));
        return Ok(differences);
    }
    let errors = answer["errors"].as_array().map_or(&[][..], Vec::as_slice);
    match verdict {
        Verdict::Verified | Verdict::Unknown => {}
        Verdict::Violated(kinds) => {
            for (kind, words) in *kinds {
                let fits = |error: &&Value| {
                    let message = error["message"].as_str().unwrap_or("");
                    error["kind"] == *kind && words.iter().all(|word| message.contains(word))
                };
                if !errors.iter().any(|error| fits(&error)) {
                    differences.push(format!("no {kind} with {}", words.join(" ")));
                }
            }
            if errors.len() != kinds.len() {
                differences.push(format!("expected {} errors, found {}", kinds.len(), errors.len()));
            }
        }
        Verdict::Within(events_max) => {
            let first = errors.first().map(|error| &error["kind"]);
            if first.is_none_or(|kind| kind != "argos-assertion") {
                differences.push(format!("expected argos-assertion, found {first:?}"));
            }
            let events = events(&serde_json::from_slice(&std::fs::read(trace)?)?);
            if events > *events_max {
                differences.push(format!("{events} events, and {events_max} are enough"));
            }
        }
    }
    Ok(differences)
}

/// The lines of the papers' report: messages sent, and timeouts.
fn events(trace: &Value) -> u64 {
    let steps = trace["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let is_event = |step: &&Value| {
        let sends = |event: &Value| event["kind"] == "send";
        step["events"].as_array().is_some_and(|events| events.iter().any(sends))
            || step["text"].as_str().is_some_and(|text| text.ends_with("?timeout"))
    };
    steps.iter().filter(is_event).count() as u64
}

struct Runner<'a> {
    binary: &'a Path,
    model: PathBuf,
    define: Option<&'static str>,
    trace: &'a Path,
}

impl Runner<'_> {
    fn json(&self, args: &[&str]) -> io::Result<Value> {
        let mut command = Command::new(self.binary);
        command.args(args).arg(&self.model);
        if let Some(define) = self.define {
            command.arg("-D").arg(define);
        }
        if args[0] == "check" {
            command.arg("--no-progress").arg("--trace-out").arg(self.trace);
        }
        let output = command.output()?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            io::Error::other(format!("{}: {}", self.model.display(), String::from_utf8_lossy(&output.stderr)))
        })
    }
}
