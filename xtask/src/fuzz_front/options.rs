//! The command line of `cargo xtask fuzz-front`.

use super::subject::{Extent, Language, Target};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "\
Feed broken, random and careless text to the front end and short searches.

Usage: cargo xtask fuzz-front [OPTIONS]

  --seconds N     how long (60)
  --count N       how many cases at most (no limit)
  --seed S        the number of the first case; each next case has the next (1)
  --jobs J        how many at a time (1)
  --target T      how far to go: preprocess, parse or lower, which includes the
                  verifier and a short search (lower)
  --language L    promela or argos (promela)
  --keep DIR      where failures are saved (target/fuzz-front)
  --emit SEED     print the text of one case
  --file PATH     examine one file instead

`cargo run --package xtask -- fuzz-front` is the same with overflow checks.
";

/// What the command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    Fuzz,
    Emit(u64),
    File(PathBuf),
}

/// The command line, understood.
pub struct Options {
    pub mode: Mode,
    pub time: Duration,
    pub count: u64,
    pub seed: u64,
    pub jobs: usize,
    pub target: Target,
    pub keep: PathBuf,
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them; none if they ask for help.
    pub fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let mut o = Options {
            mode: Mode::Fuzz,
            time: Duration::from_secs(60),
            count: u64::MAX,
            seed: 1,
            jobs: 1,
            target: Target { language: Language::Promela, extent: Extent::Lower },
            keep: Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz-front"),
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--seconds" => o.time = Duration::from_secs(number(word, value()?)?),
                "--count" => o.count = number(word, value()?)?,
                "--seed" => o.seed = number(word, value()?)?,
                "--jobs" => o.jobs = number(word, value()?)?.clamp(1, 64) as usize,
                "--keep" => o.keep = value()?.into(),
                "--emit" => o.mode = Mode::Emit(number(word, value()?)?),
                "--file" => o.mode = Mode::File(value()?.into()),
                "--target" => {
                    let name = value()?;
                    o.target.extent = Extent::parse(name).ok_or(format!("no target is named {name}"))?;
                }
                "--language" => {
                    let name = value()?;
                    o.target.language =
                        Language::parse(name).ok_or(format!("there is no language {name}"))?;
                }
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(Some(o))
    }
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{word} needs a number, not {text}"))
}
