//! The command line of `cargo xtask compare`.

use std::path::PathBuf;

pub const USAGE: &str = "\
Check the same models with two builds of Panoptes and compare the answers.

Usage: cargo xtask compare BEFORE AFTER [DIR]... [OPTIONS]

  BEFORE, AFTER   two panoptes programs
  DIR             folders of models, with all below them; or a corpus, with golden.tsv
  --random N      also so many random models (0)
  --seed S        the first of them (1)
  --only TEXT     only modes with this text, for instance --exact
  --modes FILE    in place of the built-in modes: a command line each line
  --before-options TEXT, --after-options TEXT
                  more options for one of the two
  --ignore KEYS   keys of answers and traces, with commas between them, that are not compared
  --ignore-new    nor is what only the second program tells: keys that are not in the answer of the first
  --jobs N        how many runs at once (2)
  --time SECONDS  the limit of time of a run of the first program (10); the second has three times as much
  --give-up N     after so many skipped runs of a model, skip its other modes as well (never)
  --slice K/N     only every Nth model, beginning with the Kth: all K from 1 to N make a whole

Verdicts, counts, errors and traces are compared; times and sizes in memory are not.
What the first program does not end within its time is skipped.
";

/// The command line, understood.
pub struct Options {
    pub before: PathBuf,
    pub after: PathBuf,
    pub folders: Vec<PathBuf>,
    pub random: u64,
    pub seed: u64,
    pub only: String,
    /// The command lines that are tried; none: the built-in ones.
    pub modes: Option<Vec<String>>,
    pub before_options: String,
    pub after_options: String,
    pub ignored: Vec<String>,
    pub ignores_new: bool,
    pub jobs: usize,
    pub seconds: u64,
    pub give_up: usize,
    /// Which models: every nth, beginning with the kth (from zero).
    pub slice: (usize, usize),
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them; none if they ask for help.
    pub fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let (mut paths, mut random, mut seed, mut only, mut jobs) = (Vec::new(), 0, 1, String::new(), 2);
        let (mut before_options, mut after_options) = (String::new(), String::new());
        let (mut modes, mut ignored, mut ignores_new) = (None, Vec::new(), false);
        let (mut seconds, mut give_up, mut slice) = (10, usize::MAX, (0, 1));
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--random" => random = number(word, value()?)?,
                "--seed" => seed = number(word, value()?)?,
                "--only" => only = value()?.clone(),
                "--modes" => modes = Some(lines(value()?)?),
                "--before-options" => before_options = value()?.clone(),
                "--after-options" => after_options = value()?.clone(),
                "--ignore" => ignored = value()?.split(',').map(str::to_string).collect(),
                "--ignore-new" => ignores_new = true,
                "--jobs" => jobs = number::<usize>(word, value()?)?.max(1),
                "--time" => seconds = number(word, value()?)?,
                "--give-up" => give_up = number(word, value()?)?,
                "--slice" => slice = part(word, value()?)?,
                "--help" | "-h" => return Ok(None),
                _ if word.starts_with("--") => return Err(format!("unknown option {word}")),
                path => paths.push(PathBuf::from(path)),
            }
        }
        let mut paths = paths.into_iter();
        let (Some(before), Some(after)) = (paths.next(), paths.next()) else {
            return Err("two programs are needed".to_string());
        };
        for program in [&before, &after] {
            if !program.is_file() {
                return Err(format!("there is no program {}", program.display()));
            }
        }
        let folders = paths.collect();
        Ok(Some(Options {
            before,
            after,
            folders,
            random,
            seed,
            only,
            modes,
            before_options,
            after_options,
            ignored,
            ignores_new,
            jobs,
            seconds,
            give_up,
            slice,
        }))
    }
}

fn lines(file: &str) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    Ok(text.lines().map(str::to_string).collect())
}

/// `K/N`, with K from 1 to N.
fn part(word: &str, text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.parse::<usize>().ok();
    let numbers = text.split_once('/').and_then(|(k, n)| Some((number(k)?, number(n)?)));
    match numbers {
        Some((k, n)) if 0 < k && k <= n => Ok((k - 1, n)),
        _ => Err(format!("{word} needs two numbers such as 1/4, not {text}")),
    }
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{word} needs a number, not {text}"))
}
