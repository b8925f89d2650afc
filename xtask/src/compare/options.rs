//! The command line of `cargo xtask compare`.

use std::path::PathBuf;

pub const USAGE: &str = "\
Check the same models with two builds of Panoptes and compare the answers.

Usage: cargo xtask compare BEFORE AFTER [DIR]... [OPTIONS]

  BEFORE, AFTER   two panoptes programs
  DIR             folders of models, with all below them
  --random N      also so many random models (0)
  --seed S        the first of them (1)
  --only TEXT     only modes with this text, for instance --exact
  --jobs N        how many runs at once (2)

Verdicts, counts, errors and traces are compared; times and sizes in memory are not.
What the first program does not end within ten seconds is skipped.
";

/// The command line, understood.
pub struct Options {
    pub before: PathBuf,
    pub after: PathBuf,
    pub folders: Vec<PathBuf>,
    pub random: u64,
    pub seed: u64,
    pub only: String,
    pub jobs: usize,
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them; none if they ask for help.
    pub fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let (mut paths, mut random, mut seed, mut only, mut jobs) = (Vec::new(), 0, 1, String::new(), 2);
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--random" => random = number(word, value()?)?,
                "--seed" => seed = number(word, value()?)?,
                "--only" => only = value()?.clone(),
                "--jobs" => jobs = number::<usize>(word, value()?)?.max(1),
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
        Ok(Some(Options { before, after, folders: paths.collect(), random, seed, only, jobs }))
    }
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{word} needs a number, not {text}"))
}
