//! The command line of `cargo xtask conformance`.

use std::path::PathBuf;
use std::time::Duration;

pub const USAGE: &str = "\
Compare `panoptes check` with recorded answers of SPIN.

Usage: cargo xtask conformance DIR [OPTIONS]

DIR holds `golden.tsv` (what SPIN said, one row a model), `models/` and, if there
are any, models in Argos in `argos/` (`--only argos` compares those alone).

Options:
  --jobs N             models checked at the same time (default: all cores)
  --only SUBSTRING     only the models whose path contains SUBSTRING
  --smoke              only the models of at most 20000 states, and the wrong ones
  --max-states N       compare counts up to this many states (default: 1000000);
                       larger models need only be accepted
  --time DURATION      limit of one run, such as 90s, 2m, 500ms (default: 120s)
  --accept-time DURATION
                       limit of a run that need only be accepted (default: 10s)
  --memory SIZE        limit of one run, passed on as it is (default: 4GiB)
  --panoptes PATH      the program to test (default: build and use the release binary)
  --reductions         also search with reductions, depth first: the errors must be
                       the same, and the states are compared with SPIN's default
  --tsv FILE           write one line a comparison, with states and seconds
";

const SMOKE_STATES_MAX: u64 = 20_000;

#[derive(Debug)]
pub struct Options {
    pub corpus: PathBuf,
    pub jobs: usize,
    pub only: Option<String>,
    pub smoke: bool,
    pub states_max: u64,
    pub time: TimeLimit,
    pub accept_time: TimeLimit,
    pub memory: String,
    pub panoptes: Option<PathBuf>,
    pub tsv: Option<PathBuf>,
    pub reductions: bool,
}

/// A time limit: as it was written, to be passed on, and as we read it.
#[derive(Debug, Clone)]
pub struct TimeLimit {
    pub text: String,
    pub duration: Duration,
}

impl Options {
    pub fn parse(args: Vec<String>) -> Result<Options, String> {
        let mut corpus = None;
        let mut options = Options {
            corpus: PathBuf::new(),
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
            only: None,
            smoke: false,
            states_max: 1_000_000,
            time: parse_time("120s")?,
            accept_time: parse_time("10s")?,
            memory: "4GiB".to_string(),
            panoptes: None,
            tsv: None,
            reductions: false,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--jobs" => options.jobs = parse_count(&value()?)?,
                "--only" => options.only = Some(value()?),
                "--reductions" => options.reductions = true,
                "--smoke" => options.smoke = true,
                "--max-states" => options.states_max = parse_count(&value()?)? as u64,
                "--time" => options.time = parse_time(&value()?)?,
                "--accept-time" => options.accept_time = parse_time(&value()?)?,
                "--memory" => options.memory = value()?,
                "--panoptes" => options.panoptes = Some(value()?.into()),
                "--tsv" => options.tsv = Some(value()?.into()),
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                _ if corpus.is_some() => return Err(format!("unexpected argument `{arg}`")),
                _ => corpus = Some(PathBuf::from(&arg)),
            }
        }
        if options.smoke {
            options.states_max = options.states_max.min(SMOKE_STATES_MAX);
        }
        options.corpus = corpus.ok_or("which DIR?")?;
        Ok(options)
    }
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.replace('_', "").parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a positive number")),
        Ok(count) => Ok(count),
    }
}

fn parse_time(text: &str) -> Result<TimeLimit, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| format!("`{text}` is not a duration, such as 90s"))?;
    let duration = match &text[digits.len()..] {
        "ms" => Duration::from_millis(number),
        "" | "s" => Duration::from_secs(number),
        "m" | "min" => Duration::from_secs(60 * number),
        "h" => Duration::from_secs(3600 * number),
        unit => return Err(format!("unknown unit `{unit}` in `{text}`")),
    };
    Ok(TimeLimit { text: text.to_string(), duration })
}
