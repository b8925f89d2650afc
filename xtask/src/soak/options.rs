//! The command line of `cargo xtask soak`.

use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "\
Check random models in random ways, and compare the answers with those of the
plainest way. Crashes, hangs, files and processes left behind are failures, too.

Usage: cargo xtask soak [OPTIONS]

  --minutes N       how long (1)
  --count N         how many models at most (no limit)
  --seed S          the number of the first model; each next one has the next (1)
  --panoptes FILE   the program (target/release/panoptes)
  --keep DIR        where failures are saved (target/soak)
  --verbose         tell every run
";

/// The command line, understood.
pub struct Options {
    pub time: Duration,
    pub count: u64,
    pub seed: u64,
    pub panoptes: PathBuf,
    pub keep: PathBuf,
    pub verbose: bool,
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them; none if they ask for help.
    pub fn parse(args: &[String]) -> Result<Option<Options>, String> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
        let mut o = Options {
            time: Duration::from_secs(60),
            count: u64::MAX,
            seed: 1,
            panoptes: target.join("release/panoptes"),
            keep: target.join("soak"),
            verbose: false,
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--minutes" => o.time = Duration::from_secs(60 * number(word, value()?)?),
                "--count" => o.count = number(word, value()?)?,
                "--seed" => o.seed = number(word, value()?)?,
                "--panoptes" => o.panoptes = value()?.into(),
                "--keep" => o.keep = value()?.into(),
                "--verbose" => o.verbose = true,
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
