//! What is known of mutants already, in a file, so that a run can go on where another ended.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Caught,
    Timeout,
    Missed,
    /// It does not compile.
    Unviable,
}

impl Outcome {
    const ALL: [Outcome; 4] = [Outcome::Caught, Outcome::Timeout, Outcome::Missed, Outcome::Unviable];

    pub fn word(self) -> &'static str {
        match self {
            Outcome::Caught => "caught",
            Outcome::Timeout => "timeout",
            Outcome::Missed => "missed",
            Outcome::Unviable => "unviable",
        }
    }

    /// As cargo-mutants names it.
    pub fn of_summary(summary: &str) -> Result<Outcome, String> {
        match summary {
            "CaughtMutant" => Ok(Outcome::Caught),
            "Timeout" => Ok(Outcome::Timeout),
            "MissedMutant" => Ok(Outcome::Missed),
            "Unviable" => Ok(Outcome::Unviable),
            other => Err(format!("cargo-mutants said {other}, which this command does not know")),
        }
    }
}

pub struct Results {
    path: PathBuf,
    known: BTreeMap<String, Outcome>,
    /// Missed by all stages of this run.
    missed: Vec<String>,
}

impl Results {
    pub fn open(directory: &Path, resume: bool) -> Result<Results, String> {
        let path = directory.join("results.tsv");
        let mut known = BTreeMap::new();
        let text = if resume { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
        for line in text.lines() {
            let outcome = line
                .split_once('\t')
                .and_then(|(word, key)| Some((Outcome::ALL.into_iter().find(|o| o.word() == word)?, key)));
            let (outcome, key) = outcome.ok_or(format!("{}: cannot read: {line}", path.display()))?;
            known.insert(key.to_string(), outcome);
        }
        if !resume {
            drop(std::fs::remove_file(&path));
        }
        Ok(Results { path, known, missed: Vec::new() })
    }

    pub fn outcome(&self, key: &str) -> Option<Outcome> {
        self.known.get(key).copied()
    }

    /// There is nothing more to find out in this run.
    pub fn is_settled(&self, key: &str) -> bool {
        match self.outcome(key) {
            None => false,
            Some(Outcome::Missed) => self.missed.iter().any(|missed| missed == key),
            Some(_) => true,
        }
    }

    pub fn unviable(&self) -> usize {
        self.known.values().filter(|outcome| **outcome == Outcome::Unviable).count()
    }

    pub fn note(&mut self, key: &str, outcome: Outcome, is_final: bool) -> Result<(), String> {
        self.known.insert(key.to_string(), outcome);
        if outcome == Outcome::Missed && is_final {
            self.missed.push(key.to_string());
        }
        let file = std::fs::File::options().create(true).append(true).open(&self.path);
        let written = file.and_then(|mut file| writeln!(file, "{}\t{key}", outcome.word()));
        written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}
