//! `cargo xtask cluster-check`: do several processes say what one says, and what becomes of them when one is killed?
//!
//! Models of a collection are checked with `--exact` by one process and by two and three that search together. With `--all-errors` states,
//! matched states, transitions, kinds and lengths of errors must be equal; without, the verdict, the kind of the error and the length
//! of its trace, which must be there. Without `--exact` the verdict must be the same. Then processes are killed at random while they
//! search a model that takes long.

use crate::conformance::golden::{self, Extent, Spin};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const USAGE: &str = "\
Compares searches by several processes with those by one, and kills processes at random.

Usage: cargo xtask cluster-check DIR [--panoptes PATH] [--models N] [--kills N] [--seed N]

  DIR              a folder with golden.tsv and models/
  --panoptes PATH  the program to check [default: build and use the release binary]
  --models N       how many models are compared [default: 30]
  --kills N        how many runs lose a process [default: 20]
  --seed N         chooses models, processes and moments [default: 1]

Exit status 1 if an answer differs, or if a run that lost a process does not end with status 3 within 10 s.
";

/// Models have so many states.
const STATES: std::ops::Range<u64> = 200..150_000;
/// No run takes longer.
const TIME: &str = "120";
/// A run that lost a process ends within this time.
const LOST_WITHIN: Duration = Duration::from_secs(10);

/// Takes long enough to be disturbed.
const LONG: &str = "\
byte a, b, c, d;
active proctype A() { do :: a < 120 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 120 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 120 -> c++ :: c > 0 -> c-- od }
active proctype D() { do :: d < 120 -> d++ :: d > 0 -> d-- od }
";

struct Options {
    corpus: PathBuf,
    panoptes: Option<PathBuf>,
    models: usize,
    kills: usize,
    seed: u64,
}

pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(parse_options(args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    crate::concluded(check(&options))
}

fn parse_options(args: Vec<String>) -> Result<Option<Options>, String> {
    let mut options = Options { corpus: PathBuf::new(), panoptes: None, models: 30, kills: 20, seed: 1 };
    let mut corpus = None;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut number = |name: &str| -> Result<u64, String> {
            let value = args.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("`{name}` takes a number"))
        };
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--models" => options.models = number("--models")? as usize,
            "--kills" => options.kills = number("--kills")? as usize,
            "--seed" => options.seed = number("--seed")?,
            "--panoptes" => {
                options.panoptes = Some(args.next().ok_or("`--panoptes` takes a program")?.into())
            }
            unknown if unknown.starts_with('-') => return Err(format!("unexpected argument `{unknown}`")),
            _ if corpus.is_none() => corpus = Some(PathBuf::from(arg)),
            _ => return Err("one folder is enough".to_string()),
        }
    }
    options.corpus = corpus.ok_or("no folder given")?;
    Ok(Some(options))
}

fn check(options: &Options) -> Result<(String, bool), String> {
    let path = options.corpus.join("golden.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program = match &options.panoptes {
        Some(path) => std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => crate::conformance::build()?,
    };
    let scratch = std::env::temp_dir().join(format!("panoptes-cluster-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut random = Random(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut fitting: Vec<String> = Vec::new();
    for row in golden::parse(&text)? {
        if let Spin::Accepts { exact, .. } = &row.spin
            && exact.extent == Extent::Complete
            && STATES.contains(&exact.states)
        {
            fitting.push(row.path);
        }
    }
    let (mut agree, mut wrong, mut violated) = (0, Vec::new(), 0);
    while agree + wrong.len() < options.models && !fitting.is_empty() {
        let model = fitting.swap_remove(random.below(fitting.len() as u64) as usize);
        let path = options.corpus.join("models").join(&model);
        match compare(&program, &path, &scratch) {
            Ok(is_violated) => {
                (agree, violated) = (agree + 1, violated + usize::from(is_violated));
                eprintln!("ok      {model}");
            }
            Err(difference) => {
                eprintln!("DIFFERS {model}: {difference}");
                wrong.push(format!("  {model}: {difference}"));
            }
        }
    }
    let mut report = format!(
        "{agree} of {} models agree with 2 and 3 processes ({violated} of them violated), seed {}\n",
        agree + wrong.len(),
        options.seed
    );
    wrong.iter().for_each(|line| report += &format!("{line}\n"));
    let long = scratch.join("long.pml");
    std::fs::write(&long, LONG).map_err(|error| format!("{}: {error}", long.display()))?;
    let (mut ended, mut slowest) = (0, Duration::ZERO);
    for number in 0..options.kills {
        let processes = 2 + random.below(2);
        let after = Duration::from_millis(200 + random.below(3000));
        match lose(&program, &long, processes, after, &mut random) {
            Ok(time) => {
                (ended, slowest) = (ended + 1, slowest.max(time));
                eprintln!("ok      kill {number}: {processes} processes, after {after:?}, ended in {time:?}");
            }
            Err(why) => {
                eprintln!("WRONG   kill {number}: {why}");
                report += &format!("  kill {number} ({processes} processes, after {after:?}): {why}\n");
            }
        }
    }
    report += &format!(
        "{ended} of {} runs that lost a process ended with status 3, the slowest after {:.1} s\n",
        options.kills,
        slowest.as_secs_f64()
    );
    let _ = std::fs::remove_dir_all(&scratch);
    Ok((report, wrong.is_empty() && ended == options.kills))
}

/// Is the model violated? Fails with what differs.
fn compare(program: &Path, model: &Path, scratch: &Path) -> Result<bool, String> {
    let all = ["--exact", "--all-errors"];
    let alone = answer(program, model, scratch, &["--threads", "1"], &all)?;
    let is_violated = alone["verdict"] == "violated";
    for count in ["2", "3"] {
        let together = answer(program, model, scratch, &["--cluster", count], &all)?;
        for key in ["stored", "matched", "transitions", "expanded"] {
            same(&format!("{count} processes: {key}"), &alone["states"][key], &together["states"][key])?;
        }
        same(&format!("{count} processes: verdict"), &alone["verdict"], &together["verdict"])?;
        same(&format!("{count} processes: errors"), &alone["error_counts"], &together["error_counts"])?;
        let lengths = |answer: &Value| -> Vec<(String, u64)> {
            let errors = answer["errors"].as_array().cloned().unwrap_or_default();
            let length =
                |error: &Value| (error["message"].to_string(), error["length"].as_u64().unwrap_or(0));
            let mut lengths: Vec<_> = errors.iter().map(length).collect();
            lengths.sort();
            lengths
        };
        if lengths(&alone) != lengths(&together) {
            return Err(format!("{count} processes: other errors, or of other lengths"));
        }
        let owners = together["cluster"].as_array().map_or(0, Vec::len);
        same("processes", &Value::from(count), &Value::from(owners.to_string()))?;
    }
    // The first error, with its trace; and the verdict with reductions.
    for flags in [&["--exact"][..], &[]] {
        let alone = answer(program, model, scratch, &["--threads", "1"], flags)?;
        for count in ["2", "3"] {
            let together = answer(program, model, scratch, &["--cluster", count], flags)?;
            let what = format!("{count} processes, {flags:?}");
            same(&format!("{what}: verdict"), &alone["verdict"], &together["verdict"])?;
            if is_violated && !flags.is_empty() {
                let (one, other) = (&alone["errors"][0], &together["errors"][0]);
                same(&format!("{what}: kind"), &one["kind"], &other["kind"])?;
                same(&format!("{what}: length"), &one["length"], &other["length"])?;
            }
            if is_violated {
                let trace = together["errors"][0]["trace"].as_str().ok_or(format!("{what}: no trace"))?;
                let explained = Command::new(program)
                    .args(["explain", trace, "--format", "json"])
                    .current_dir(scratch)
                    .output()
                    .map_err(|error| error.to_string())?;
                if !explained.status.success() {
                    return Err(format!("{what}: the trace cannot be explained"));
                }
            }
        }
    }
    Ok(is_violated)
}

fn same(what: &str, alone: &Value, together: &Value) -> Result<(), String> {
    match alone == together {
        true => Ok(()),
        false => Err(format!("{what}: {alone} alone, {together} together")),
    }
}

fn answer(
    program: &Path,
    model: &Path,
    scratch: &Path,
    who: &[&str],
    flags: &[&str],
) -> Result<Value, String> {
    let trace = scratch.join("trace.json");
    let output = Command::new(program)
        .args(["check", "--property", "safety", "--format", "json", "--time", TIME])
        .arg("--trace-out")
        .arg(&trace)
        .args(who)
        .args(flags)
        .arg(model)
        .current_dir(model.parent().unwrap_or(Path::new(".")))
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("").to_string();
        format!("{who:?} {flags:?}: no answer ({error}): {complaint}")
    })?;
    match output.status.code() {
        Some(0 | 1) => Ok(value),
        code => Err(format!("{who:?} {flags:?}: status {code:?}, limits {}", value["limits"])),
    }
}

/// How long a run takes to end when one of its processes is killed; or what it did wrong.
fn lose(
    program: &Path,
    model: &Path,
    processes: u64,
    after: Duration,
    random: &mut Random,
) -> Result<Duration, String> {
    let mut run = Command::new(program)
        .args(["check", "--exact", "--format", "json", "--cluster", &processes.to_string()])
        .arg(model)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    // From when all are there.
    let start = Instant::now();
    while children(&run).len() < processes as usize && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(after);
    let others = children(&run);
    let victim = others.get(random.below(others.len().max(1) as u64) as usize);
    let killed = victim.is_some_and(|victim| {
        Command::new("kill").args(["-9", victim]).status().is_ok_and(|status| status.success())
    });
    let start = Instant::now();
    let ended = loop {
        match run.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > 3 * LOST_WITHIN => {
                let _ = run.kill();
                let _ = run.wait();
                return Err("it did not end".to_string());
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let time = start.elapsed();
    let mut text = String::new();
    if let Some(mut stdout) = run.stdout.take() {
        let _ = std::io::Read::read_to_string(&mut stdout, &mut text);
    }
    let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    match ended.code() {
        _ if !killed => Err("there was nothing to kill".to_string()),
        Some(3) if time <= LOST_WITHIN && answer["limits"][0] == "process-lost" => Ok(time),
        code => Err(format!("status {code:?} after {time:?}, limits {}", answer["limits"])),
    }
}

/// The processes that a run has started.
fn children(run: &Child) -> Vec<String> {
    let id = run.id();
    let list = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    list.split_whitespace().map(str::to_string).collect()
}

/// Numbers by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}
