//! The command line of `cargo xtask mutants`.

use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "\
Change the code in small ways and see whether the tests notice.

Usage: cargo xtask mutants [OPTIONS]

  --seed S        which sample (1)
  --count N       how many mutants (200)
  --only TEXT     only mutants whose name has this text, for instance a file
  --resume        keep what the last run found out; mutants that it missed are
                  tried again
  --quick         without the last and slowest tests; a later run with --resume
                  shows those that got past to them
  --list          print the sample and try nothing
  --least PERCENT the score to reach (90)
  --time SECONDS  how long a test may compute, in processor time (150)
  --dir DIR       where the changed copy is built (target/mutants)

It works on a copy of the tree. Needs cargo-mutants; uses cargo-nextest if it is
there. The score is caught / (sample - equivalent); a mutant that makes a test run
out of time is caught, one that does not compile is left out and replaced.
";

/// The command line, understood.
pub struct Options {
    pub seed: u64,
    pub count: usize,
    pub only: String,
    pub resume: bool,
    pub quick: bool,
    pub list: bool,
    pub least: f64,
    pub time: Duration,
    pub directory: PathBuf,
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them; none if they ask for help.
    pub fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let mut o = Options {
            seed: 1,
            count: 200,
            only: String::new(),
            resume: false,
            quick: false,
            list: false,
            least: 90.0,
            time: Duration::from_secs(150),
            directory: Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/mutants"),
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--seed" => o.seed = number(word, value()?)?,
                "--count" => o.count = number(word, value()?)?,
                "--only" => o.only = value()?.clone(),
                "--resume" => o.resume = true,
                "--quick" => o.quick = true,
                "--list" => o.list = true,
                "--least" => o.least = number(word, value()?)?,
                "--time" => o.time = Duration::from_secs(number(word, value()?)?),
                "--dir" => o.directory = value()?.into(),
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(Some(o))
    }
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{word} needs a number, not {text}"))
}
