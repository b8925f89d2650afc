//! One case: a text, options, limits and signals, all from one number.

use super::bombs;
use crate::fuzz_front::{Corpora, Language};
use panoptes_modelgen::Rng;
use std::time::Duration;

pub struct Case {
    /// What kind of text it is.
    pub name: String,
    pub language: Language,
    pub text: Vec<u8>,
    /// Besides the limits.
    pub options: Vec<String>,
    pub time: Duration,
    pub memory_bytes: u64,
    /// When to send which signals, if any.
    pub signals: Option<(Duration, Vec<&'static str>)>,
}

/// Options that need no value of their own, or have it with them.
const OPTIONS: [&str; 34] = [
    "--exact",
    "--no-por",
    "--no-optimise",
    "--all-errors",
    "--shortest",
    "--lossy",
    "--quiet",
    "--full-trace",
    "--loop-states",
    "--search dfs",
    "--search bfs",
    "--search random",
    "--search scatter",
    "--search escalate",
    "--search swarm --threads 1",
    "--store compressed",
    "--store hash-compact",
    "--store bitstate",
    "--store bitstate --bits 1M",
    "--store bitstate --passes 3",
    "--store cache:100",
    "--store cache:100000",
    "--engine interp",
    "--engine jit",
    "--engine jit",
    "--depth 10",
    "--depth 100000",
    "--depth auto",
    "--property deadlock",
    "--property assertions",
    "--queue-limit 1",
    "--timeouts lock-only",
    "--seed 18446744073709551615",
    "--nonsense",
];

impl Case {
    pub fn of(seed: u64, corpora: &Corpora) -> Case {
        let mut rng = Rng::new(seed);
        let language = if rng.chance(75) { Language::Promela } else { Language::Argos };
        let (name, text) = match rng.chance(60) {
            true => bombs::bomb(language, &mut rng),
            false => ("text".to_string(), corpora.case(language, rng.below(usize::MAX) as u64)),
        };
        let mut options: Vec<String> = Vec::new();
        for _ in 0..rng.weighted(&[3, 4, 3, 1]) {
            let words = rng.pick(&OPTIONS).split(' ').map(str::to_string);
            let words: Vec<String> = words.collect();
            if !options.contains(&words[0]) {
                options.extend(words);
            }
        }
        if rng.chance(60) {
            options.extend(["--format", "json"].map(str::to_string));
        }
        let time = Duration::from_millis(*rng.pick(&[50, 200, 500, 1000]));
        let memory_bytes = *rng.pick(&[16, 32, 64, 256]) << 20;
        let signals = rng.chance(30).then(|| {
            let delay = Duration::from_millis(rng.below(300) as u64);
            let count = 1 + rng.below(3);
            (delay, (0..count).map(|_| *rng.pick(&["INT", "TERM", "HUP", "CONT"])).collect())
        });
        Case { name, language, text, options, time, memory_bytes, signals }
    }

    /// The words after the program's name.
    pub fn words(&self, model: &str) -> Vec<String> {
        let mut words = vec!["check".to_string(), model.to_string()];
        words.extend(self.options.iter().cloned());
        words.extend(["--time".to_string(), format!("{}ms", self.time.as_millis())]);
        words.extend(["--memory".to_string(), format!("{}M", self.memory_bytes >> 20)]);
        words
    }

    pub fn command_line(&self, model: &str) -> String {
        let signals = match &self.signals {
            Some((delay, signals)) => format!("   # {} after {delay:?}", signals.join(", ")),
            None => String::new(),
        };
        self.words(model).join(" ") + &signals
    }

    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|word| word == option)
    }
}
