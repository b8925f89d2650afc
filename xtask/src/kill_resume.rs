//! Kills checks at random moments and goes on from their checkpoints: the answer must be that of a check that was left alone. And damages
//! checkpoints in random places: each must be refused.
//!
//! Every case follows from one number; what fails is told with it.

use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const USAGE: &str = "\
Kill checks at random moments, go on from their checkpoints, and compare the answers.

Usage: cargo xtask kill-resume [OPTIONS]

Options:
  --runs N         checks that are killed, again and again (default 50)
  --damage N       checkpoints that are damaged (default 200)
  --seed N         the first case (default 0)
  --panoptes FILE  the program (default target/release/panoptes)
";

/// No run takes longer.
const PATIENCE: Duration = Duration::from_secs(300);
/// A check is killed so often at most.
const KILLS_MAX: u64 = 6;

struct Options {
    runs: u64,
    damage: u64,
    seed: u64,
    panoptes: PathBuf,
}

impl Options {
    fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let mut options =
            Options { runs: 50, damage: 200, seed: 0, panoptes: "target/release/panoptes".into() };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            if matches!(word.as_str(), "--help" | "-h") {
                return Ok(None);
            }
            let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
            let number = || value.parse().map_err(|_| format!("`{word} {value}` is no number"));
            match word.as_str() {
                "--runs" => options.runs = number()?,
                "--damage" => options.damage = number()?,
                "--seed" => options.seed = number()?,
                "--panoptes" => options.panoptes = value.into(),
                _ => return Err(format!("unknown option `{word}`")),
            }
        }
        options.panoptes = std::path::absolute(&options.panoptes).map_err(|error| error.to_string())?;
        Ok(Some(options))
    }
}

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    let folder = std::env::temp_dir().join(format!("panoptes-kill-resume-{}", std::process::id()));
    let result = std::fs::create_dir_all(&folder).map_err(|error| error.to_string()).and_then(|()| {
        let mut sweep = Sweep { options: &options, folder: &folder, answers: HashMap::new() };
        sweep.all()
    });
    let _ = std::fs::remove_dir_all(&folder);
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => crate::bad_usage(&error, ""),
    }
}

/// Counters that go up and down; processes that send; and a model with many errors.
const MODELS: [(&str, &str); 3] = [
    (
        "counters.pml",
        "byte a, b, c;\n\
         active proctype A() { do :: a < 24 -> a++ :: a > 0 -> a-- od }\n\
         active proctype B() { do :: b < 24 -> b++ :: b > 0 -> b-- od }\n\
         active proctype C() { do :: c < 24 -> c++ :: c > 0 -> c-- od }\n",
    ),
    (
        "channels.pml",
        "chan q = [4] of { byte, bit }; byte sum;\n\
         active [2] proctype Send() { byte n; do :: n < 9 -> atomic { q!_pid, n % 2; n++ } :: n > 5 -> n = 0 od }\n\
         active proctype Take() { byte p; bit v; do :: q?p, v -> if :: v && sum < 40 -> sum++ :: else -> sum = p fi od }\n",
    ),
    (
        "errors.pml",
        "byte a, b, c;\n\
         active proctype A() { do :: a < 20 -> a++; assert(a != 15 || b != 10) :: a > 0 -> a-- od }\n\
         active proctype B() { do :: b < 20 -> b++; assert(b + c < 38) :: b > 0 -> b-- :: b == 20 -> break od }\n\
         active proctype C() { do :: c < 20 -> c++ :: c > 0 -> c-- od }\n",
    ),
];

const HASH_COMPACT_DFS: &str = "--store hash-compact";
const BITSTATE_DFS: &str = "--store bitstate --hashes 3 --bits 16M";
const BITSTATE_BFS: &str = "--store bitstate --hashes 2 --bits 16M --search bfs";

/// Numbers of two searches that fill the same array by two threads differ by less than this share.
const CROWDED_SHARE: f64 = 1e-4;

const STORES: [&str; 7] = [
    "--store exact",
    "--store compressed",
    "--store hash-compact --search bfs",
    HASH_COMPACT_DFS,
    BITSTATE_DFS,
    BITSTATE_BFS,
    "--store disk:states --memory 24M",
];

/// A row of random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

struct Sweep<'s> {
    options: &'s Options,
    folder: &'s Path,
    /// What checks say that are left alone, and how long they take.
    answers: HashMap<Vec<String>, (Vec<Value>, Duration)>,
}

impl Sweep<'_> {
    /// How many cases failed.
    fn all(&mut self) -> Result<u64, String> {
        for (name, text) in MODELS {
            std::fs::write(self.folder.join(name), text).map_err(|error| error.to_string())?;
        }
        let (mut failures, mut kills) = (0, 0);
        for seed in self.options.seed..self.options.seed + self.options.runs {
            match self.killed(seed)? {
                Ok(count) => kills += count,
                Err(message) => {
                    failures += 1;
                    println!("case {seed}: {message}");
                }
            }
        }
        println!(
            "{} of {} checks, killed {kills} times in all, came to the answer of a check that was left alone",
            self.options.runs - failures,
            self.options.runs
        );
        let refused = self.damaged()?;
        println!("{refused} of {} damaged checkpoints were refused", self.options.damage);
        Ok(failures + (self.options.damage - refused))
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(&self.options.panoptes);
        command.args(words).current_dir(self.folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// One check, killed and resumed; how often, or what is wrong.
    fn killed(&mut self, seed: u64) -> Result<Result<u64, String>, String> {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
        let (model, _) = MODELS[dice.below(MODELS.len() as u64) as usize];
        let store = STORES[seed as usize % STORES.len()];
        let threads = 1 + dice.below(2);
        let of = |threads: u64| -> Vec<String> {
            let words = format!(
                "check {model} --exact --all-errors --no-trace --format json --threads {threads} {store}"
            );
            words.split_whitespace().map(str::to_string).collect()
        };
        let words = of(threads);
        // Depth first a search that is written down has one thread, and the depth is that of its path.
        let is_dfs = matches!(store, HASH_COMPACT_DFS | BITSTATE_DFS);
        let alone = if is_dfs { of(1) } else { words.clone() };
        if !self.answers.contains_key(&alone) {
            let (start, answer) = (Instant::now(), self.end(self.spawn(&alone)?)?);
            self.answers.insert(alone.clone(), (told(&answer)?, start.elapsed()));
        }
        let (expected, time) = &self.answers[&alone];
        // In a crowded array, which states are taken for others depends on the order in which they come.
        let share = if threads > 1 && store == BITSTATE_BFS { CROWDED_SHARE } else { 0.0 };
        let file = format!("c{seed}");
        let every = format!("{}ms", 1 + dice.below(150));
        let with = [words.clone(), vec!["--checkpoint".into(), format!("{file}:every={every}")]].concat();
        let mut kills = 0;
        loop {
            // Nothing may have been written before it was killed.
            let now = match self.folder.join(&file).exists() {
                true => vec!["resume".to_string(), file.clone()],
                false => with.clone(),
            };
            let child = self.spawn(&now)?;
            if kills < KILLS_MAX {
                let signal = if dice.below(3) == 0 { "-TERM" } else { "-KILL" };
                std::thread::sleep(time.mul_f64(dice.below(1000) as f64 / 800.0));
                let _ = Command::new("kill")
                    .args([signal, &child.id().to_string()])
                    .stderr(Stdio::null())
                    .status();
            }
            let answer = self.end(child)?;
            match answer.0 {
                // It was killed, or asked to stop.
                None => kills += 1,
                Some(1 | 3) if is_interrupted(&answer.1) => kills += 1,
                Some(_) => {
                    let found = match told(&answer) {
                        Ok(found) => found,
                        Err(error) => return Ok(Err(format!("{now:?}: {error}"))),
                    };
                    if !is_same(&found, expected, share) {
                        return Ok(Err(format!(
                            "{words:?} every {every}, after {kills} kills:\n  {found:?}\n  in place of\n  {expected:?}"
                        )));
                    }
                    return Ok(Ok(kills));
                }
            }
        }
    }

    /// How many damaged checkpoints are refused.
    fn damaged(&self) -> Result<u64, String> {
        let words = "check counters.pml --exact --memory 16M --threads 1 --format json --checkpoint whole";
        let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
        self.end(self.spawn(&words)?)?;
        let whole =
            std::fs::read(self.folder.join("whole")).map_err(|error| format!("no checkpoint: {error}"))?;
        let mut dice = Dice(self.options.seed ^ 0xda3e);
        let mut refused = 0;
        for case in 0..self.options.damage {
            let mut file = whole.clone();
            let place = dice.below(file.len() as u64) as usize;
            match case % 3 {
                0 => file.truncate(place),
                _ => file[place] ^= 1 << dice.below(8),
            }
            std::fs::write(self.folder.join("damaged"), file).map_err(|error| error.to_string())?;
            let (status, _, told) =
                self.end(self.spawn(&["resume", "damaged", "--memory", "1G"].map(String::from))?)?;
            match status == Some(2) && told.contains("cannot be used") {
                true => refused += 1,
                false => println!("damage at {place} of {}: {status:?} {told}", whole.len()),
            }
        }
        Ok(refused)
    }

    fn spawn(&self, words: &[String]) -> Result<Child, String> {
        self.command(words)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", self.options.panoptes.display()))
    }

    /// The status, if it has one, and what was printed.
    fn end(&self, child: Child) -> Result<(Option<i32>, String, String), String> {
        let id = child.id().to_string();
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-ABRT", &id]).status();
            }
        });
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        drop(done);
        let _ = watch.join();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
    }
}

fn is_interrupted(answer: &str) -> bool {
    let object: Value = serde_json::from_str(answer).unwrap_or_default();
    object["limits"].as_array().is_some_and(|limits| limits.contains(&"interrupted".into()))
}

/// What must be the same however often a check was killed.
fn told((status, answer, errors): &(Option<i32>, String, String)) -> Result<Vec<Value>, String> {
    let object: Value = serde_json::from_str(answer)
        .map_err(|error| format!("status {status:?}, {error}: {answer} {errors}"))?;
    let states = ["stored", "matched", "transitions", "expanded", "generated", "max_depth"];
    let mut told: Vec<Value> = states.iter().map(|key| object["states"][key].clone()).collect();
    told.extend(["verdict", "complete", "limits", "error_counts"].map(|key| object[key].clone()));
    told.extend(object["errors"].as_array().into_iter().flatten().map(|error| {
        ["kind", "message", "location", "length", "count"].iter().map(|key| error[key].clone()).collect()
    }));
    told.push((*status).into());
    told.push(object["coverage"]["estimate"].clone());
    Ok(told)
}

/// Are the answers the same, but for that share of each number?
fn is_same(found: &[Value], expected: &[Value], share: f64) -> bool {
    let is_like = |(one, other): (&Value, &Value)| match (one, other) {
        (Value::Array(one), Value::Array(other)) => is_same(one, other, share),
        (Value::Object(one), Value::Object(other)) => {
            let values =
                |object: &serde_json::Map<String, Value>| object.values().cloned().collect::<Vec<_>>();
            one.keys().eq(other.keys()) && is_same(&values(one), &values(other), share)
        }
        _ => match (one.as_f64(), other.as_f64()) {
            (Some(a), Some(b)) if share > 0.0 => (a - b).abs() <= share * a.abs().max(b.abs()),
            _ => one == other,
        },
    };
    found.len() == expected.len() && found.iter().zip(expected).all(is_like)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_share_is_for_numbers_only() {
        let answer = |states: u64, kind: &str| {
            let Value::Array(told) = json!([states, "violated", { "assertion": 14 }, [kind, 74]]) else {
                return Vec::new();
            };
            told
        };
        let (one, near, far) = (answer(388_765, "a"), answer(388_766, "a"), answer(388_865, "a"));
        assert!(is_same(&one, &one, 0.0) && !is_same(&one, &near, 0.0));
        assert!(is_same(&one, &near, CROWDED_SHARE) && !is_same(&one, &far, CROWDED_SHARE));
        assert!(!is_same(&one, &answer(388_765, "b"), CROWDED_SHARE));
        assert!(!is_same(&one[..3], &one, CROWDED_SHARE));
    }
}
