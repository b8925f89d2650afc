//! The command line of `cargo xtask fuzz-limits`.

use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "\
Run `panoptes check` on broken, random and huge models, with random options and
signals, and look whether it ends with an answer within its limits.

Usage: cargo xtask fuzz-limits [OPTIONS]

  --minutes N       how long (1)
  --count N         how many runs at most (no limit)
  --seed S          the number of the first case; each next case has the next (1)
  --panoptes FILE   the program (target/release/panoptes)
  --keep DIR        where failures are saved (target/fuzz-limits)
  --strict          judge the time on the clock: only on a machine with nothing else
                    to do. Otherwise processor time counts, and a run that does
                    nothing for ten seconds is late as well
  --emit SEED       print the text of one case
";

/// The command line, understood.
pub struct Options {
    pub time: Duration,
    pub count: u64,
    pub seed: u64,
    pub panoptes: PathBuf,
    pub keep: PathBuf,
    pub strict: bool,
    pub emit: Option<u64>,
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
            keep: target.join("fuzz-limits"),
            strict: false,
            emit: None,
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
                "--strict" => o.strict = true,
                "--emit" => o.emit = Some(number(word, value()?)?),
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
