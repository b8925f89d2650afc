//! One case: a model, what is asked of it, and several ways to find that out; all from one number.

use panoptes_modelgen::{Profile, Rng, SMALL, generate, generate_argos, shipped, with_twins};
use std::time::Duration;

pub struct Case {
    pub seed: u64,
    /// What kind of model it is.
    pub name: String,
    pub ending: &'static str,
    pub text: Vec<u8>,
    /// What is asked: words that every run has.
    pub question: Vec<String>,
    pub is_exact: bool,
    pub all_errors: bool,
    pub ways: Vec<Way>,
}

/// One way to check the model.
#[derive(Default)]
pub struct Way {
    /// Beside the question.
    pub words: Vec<String>,
    /// It sees all states, each once, and counts them: in `--exact` the counts are those of the reference.
    pub counts: bool,
    /// It goes as the reference goes, so that depths are the same.
    pub has_depths: bool,
    /// No error is nearer than the one that it tells.
    pub is_shortest: bool,
    /// With `--checkpoint`: when the process is killed, each time since it began.
    pub kills: Vec<Duration>,
    /// With `--cluster`: when one of its processes is killed.
    pub worker_kill: Option<Duration>,
}

/// The limit of time that every run has: nothing here takes that long.
const TIME: &str = "20s";

impl Case {
    /// `known` are the options that the program has.
    pub fn of(seed: u64, known: &[&'static str]) -> Case {
        let mut rng = Rng::new(seed);
        let (name, ending, text) = model(&mut rng);
        let is_exact = rng.chance(50);
        let all_errors = rng.chance(50);
        let mut question: Vec<String> = vec!["--property".into(), "safety".into()];
        if is_exact {
            question.push("--exact".into());
        }
        if all_errors {
            question.push("--all-errors".into());
        }
        if ending == "pml" && rng.chance(15) {
            question.push("--lossy".into());
        }
        question.extend(["--time", TIME, "--format", "json", "--no-progress"].map(String::from));
        let ways = (0..4).map(|_| Way::random(&mut rng, known, is_exact, all_errors)).collect();
        Case { seed, name, ending, text, question, is_exact, all_errors, ways }
    }

    /// The plainest way.
    pub fn reference(&self) -> Way {
        let words = "--engine interp --search bfs --store exact --threads 1 --no-por --no-optimise";
        Way { words: words.split(' ').map(String::from).collect(), ..Way::default() }
    }
}

fn model(rng: &mut Rng) -> (String, &'static str, Vec<u8>) {
    let seed = rng.below(1 << 30) as u64;
    match rng.weighted(&[60, 20, 20]) {
        0 => {
            let preset = *rng.pick(&Profile::PRESETS);
            let profile = Profile::preset(preset).unwrap_or_default();
            let model = generate(seed, &profile);
            let has_twins = rng.chance(30);
            let model = if has_twins { with_twins(&model, seed) } else { model };
            (format!("generated, {preset}"), "pml", model.to_promela().into_bytes())
        }
        1 => ("generated".to_string(), "argos", generate_argos(seed).into_bytes()),
        _ => {
            let files = shipped(SMALL);
            let file = rng.pick(&files);
            let ending =
                if file.extension().is_some_and(|ending| ending == "argos") { "argos" } else { "pml" };
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, ending, std::fs::read(file).unwrap_or_default())
        }
    }
}

impl Way {
    fn random(rng: &mut Rng, known: &[&'static str], is_exact: bool, all_errors: bool) -> Way {
        let mut way = Way::default();
        let engine = *rng.pick(&["auto", "interp", "jit"]);
        way.add(&["--engine", engine]);
        let threads = *rng.pick(&["1", "1", "2", "4"]);
        let (has_cluster, has_checkpoint) = (known.contains(&"--cluster"), known.contains(&"--checkpoint"));
        if has_cluster && rng.chance(15) {
            way.cluster(rng);
        } else {
            let may_fill = way.search(rng, all_errors);
            way.add(&["--threads", threads]);
            way.has_depths &= threads == "1";
            if known.contains(&"--on-full") && may_fill && rng.chance(30) {
                way.fill(rng);
            } else if has_checkpoint && rng.chance(25) {
                way.add(&["--checkpoint", "checkpoint:every=20ms"]);
                let count = rng.below(4);
                way.kills = (0..count).map(|_| Duration::from_millis(rng.below(400) as u64)).collect();
            }
        }
        if !is_exact {
            for option in ["--no-por", "--no-optimise"] {
                if rng.chance(25) {
                    way.add(&[option]);
                }
            }
            if known.contains(&"--symmetry") {
                let choice = *rng.pick(&["auto", "off"]);
                way.add(&["--symmetry", choice]);
            }
        }
        way
    }

    fn add(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(|word| word.to_string()));
    }

    /// So little memory that it is full soon, and what is done then.
    fn fill(&mut self, rng: &mut Rng) {
        let memory = *rng.pick(&["13M", "14M", "16M", "20M"]);
        let choice = *rng.pick(&["disk:states", "disk:states", "hash-compact", "bitstate"]);
        self.add(&["--memory", memory, "--on-full", choice]);
        self.has_depths = false;
    }

    /// A search and a store that go together. Can the search begin again with another store?
    fn search(&mut self, rng: &mut Rng, all_errors: bool) -> bool {
        let search = *rng.pick(&[
            "auto",
            "auto",
            "bfs",
            "bfs",
            "dfs",
            "dfs",
            "random",
            "iddfs",
            "best-first",
            "astar",
            "escalate",
            "shortest",
        ]);
        let (mut store, mut memory) = (*rng.pick(&["exact", "compressed", "exact", "compressed"]), None);
        match search {
            "auto" | "bfs" | "shortest" => {
                self.counts = true;
                self.has_depths = search != "shortest";
                if rng.chance(50) {
                    store = "disk:states";
                    // So little that some states really go there.
                    memory = rng.chance(30).then(|| *rng.pick(&["24M", "32M", "48M"]));
                } else if search != "shortest" && rng.chance(25) {
                    store = *rng.pick(&["hash-compact", "bitstate"]);
                }
            }
            "dfs" | "random" => {
                self.counts = true;
                if rng.chance(40) {
                    store = *rng.pick(&["hash-compact", "bitstate", "cache:1000000"]);
                }
            }
            _ => {}
        }
        self.is_shortest = matches!(search, "shortest" | "iddfs" | "astar") && !all_errors;
        self.counts &= !store.starts_with("cache") && store != "bitstate" && store != "hash-compact";
        // Where no search is named, the store chooses one.
        self.has_depths &= matches!(store, "exact" | "compressed" | "disk:states");
        match search {
            "auto" => {}
            "shortest" => self.add(&["--shortest"]),
            // Only estimates that are never too large find the nearest.
            "astar" if self.is_shortest => self.add(&["--search", "astar", "--admissible"]),
            other => self.add(&["--search", other]),
        }
        self.add(&["--store", store]);
        if let Some(memory) = memory {
            self.add(&["--memory", memory]);
        }
        memory.is_none() && matches!(search, "auto" | "bfs") && matches!(store, "exact" | "compressed")
    }

    /// Several processes, one of which may be killed.
    fn cluster(&mut self, rng: &mut Rng) {
        let count = *rng.pick(&["1", "2", "3"]);
        let store = *rng.pick(&["exact", "compressed"]);
        self.add(&["--cluster", count, "--store", store]);
        self.counts = true;
        if count != "1" && rng.chance(40) {
            self.worker_kill = Some(Duration::from_millis(rng.below(300) as u64));
        }
    }
}
