//! The command line of `cargo xtask fuzz-spin`.

use panoptes_modelgen::Profile;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "\
usage: cargo xtask fuzz-spin [OPTIONS]
  --count N           how many models (100)
  --seed S            the seed of the first; each next model has the next seed (1)
  --profile P         default, data, channels, control, processes, core, exotic, unsafe,
                      failing, determined, or a feature group
  --jobs J            how many at a time (2)
  --panoptes PATH     the program to test (the one built beside this one)
  --cc NAME           the C compiler for SPIN's verifier (tcc if installed, else cc)
  --keep DIR          where disagreements are saved (target/fuzz-spin)
  --shrink-seconds T  how long to shrink each disagreement (30)
  --oracle-only       only SPIN: what it accepts and how big the models are
  --stats             only SPIN: how many models use each feature
  --emit SEED         print the model of one seed";

/// What the command does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Compare,
    OracleOnly,
    Stats,
    Emit(u64),
}

/// The command line, understood.
pub struct Options {
    pub mode: Mode,
    pub count: u64,
    pub seed: u64,
    pub profile: Profile,
    pub jobs: usize,
    pub panoptes: PathBuf,
    pub cc: Option<String>,
    pub keep: PathBuf,
    pub shrink: Duration,
}

impl Options {
    /// Understands the words of a command line, or says what is wrong with them.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
        let beside = std::env::current_exe().map(|exe| exe.with_file_name("panoptes"));
        let mut o = Options {
            mode: Mode::Compare,
            count: 100,
            seed: 1,
            profile: Profile::default(),
            jobs: 2,
            panoptes: beside.unwrap_or_else(|_| target.join("release/panoptes")),
            cc: None,
            keep: target.join("fuzz-spin"),
            shrink: Duration::from_secs(30),
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value = || args.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--count" => o.count = number(word, value()?)?,
                "--seed" => o.seed = number(word, value()?)?,
                "--jobs" => o.jobs = number(word, value()?)?.clamp(1, 64) as usize,
                "--shrink-seconds" => o.shrink = Duration::from_secs(number(word, value()?)?),
                "--emit" => o.mode = Mode::Emit(number(word, value()?)?),
                "--panoptes" => o.panoptes = value()?.into(),
                "--keep" => o.keep = value()?.into(),
                "--cc" => o.cc = Some(value()?.clone()),
                "--oracle-only" => o.mode = Mode::OracleOnly,
                "--stats" => o.mode = Mode::Stats,
                "--profile" => {
                    let name = value()?;
                    o.profile = Profile::preset(name).ok_or(format!("no profile is named {name}"))?;
                }
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(o)
    }
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{word} needs a number, not {text}"))
}
