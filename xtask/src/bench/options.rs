//! The command line of `cargo xtask bench`.

use std::path::PathBuf;

pub const USAGE: &str = "\
Measure Panoptes beside SPIN, on the same models in one sitting.

Usage: cargo xtask bench [CORPUS_DIR] [OPTIONS]

CORPUS_DIR holds `bench.tsv` (models with their states and transitions),
`golden.tsv` (what SPIN said of each model) and `models/`. Without it, the folder
that PANOPTES_CORPUS names is taken, or else `../shared/corpus`, as seen from the root.

Options:
  --models LIST        only the models that contain one of these words (comma-separated;
                       with a `*` it is a pattern for the whole path)
  --runs N             runs of each program on each model, of which the best counts
                       (default: 3)
  --quick              one run, only models of at most 2500000 states
  --parts LIST         some of throughput,small,front,reductions,bitstate,default,liveness,
                       threads (default: all but threads)
  --threads LIST       measure searches with so many threads, as 1,2 (all other parts use
                       one; without --parts, only this)
  --compressed-search S
                       how the compressed store is searched: bfs or dfs (default: bfs)
  --json FILE          write all numbers
  --svg FILE           write a chart of the ratios (with --threads: of what threads gain)
  --markdown FILE      write the tables: between the marks of the file if it has them,
                       else as the whole file
  --panoptes PATH      the program to measure (default: build and use the release binary)
  --cache DIR          where compiled verifiers are kept between runs
                       (default: `bench` in cargo's target folder)

Exit status: 0 all counts and verdicts are right, 1 some are wrong, 2 the command line
is wrong or something is missing. A bar that is not met changes nothing in the status.
";

/// With `--quick`, larger models are left out.
const QUICK_STATES_MAX: u64 = 2_500_000;
/// Reductions are compared on models of at most so many states (of SPIN's reduced search).
const REDUCED_STATES_MAX: u64 = 300_000;
const QUICK_REDUCED_STATES_MAX: u64 = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Throughput,
    Small,
    Front,
    Reductions,
    Bitstate,
    Default,
    Liveness,
    Threads,
}

#[derive(Debug)]
pub struct Options {
    pub corpus: Option<PathBuf>,
    pub models: Vec<String>,
    pub runs: usize,
    pub quick: bool,
    pub parts: Vec<Part>,
    pub compressed_search: String,
    /// How many threads the part about threads compares, the first with the others.
    pub threads: Vec<usize>,
    pub json: Option<PathBuf>,
    pub svg: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
    pub panoptes: Option<PathBuf>,
    pub cache: Option<PathBuf>,
}

impl Options {
    pub fn parse(args: Vec<String>) -> Result<Options, String> {
        let mut options = Options {
            corpus: None,
            models: Vec::new(),
            runs: 3,
            quick: false,
            parts: vec![
                Part::Throughput,
                Part::Small,
                Part::Front,
                Part::Reductions,
                Part::Bitstate,
                Part::Default,
                Part::Liveness,
            ],
            compressed_search: "bfs".to_string(),
            threads: vec![1, 2],
            json: None,
            svg: None,
            markdown: None,
            panoptes: None,
            cache: None,
        };
        let (mut runs, mut are_parts_given) = (None, false);
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--models" => options.models = words(&value()?),
                "--runs" => runs = Some(parse_count(&value()?)?),
                "--quick" => options.quick = true,
                "--threads" => {
                    options.threads =
                        words(&value()?).iter().map(|word| parse_count(word)).collect::<Result<_, _>>()?;
                    if options.threads.len() < 2 {
                        return Err("`--threads` compares two numbers or more, as in 1,2".to_string());
                    }
                    if !are_parts_given {
                        options.parts = vec![Part::Threads];
                    }
                }
                "--parts" => {
                    are_parts_given = true;
                    options.parts =
                        words(&value()?).iter().map(|word| part(word)).collect::<Result<_, _>>()?;
                }
                "--compressed-search" => options.compressed_search = search(value()?)?,
                "--json" => options.json = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                "--markdown" => options.markdown = Some(value()?.into()),
                "--panoptes" => options.panoptes = Some(value()?.into()),
                "--cache" => options.cache = Some(value()?.into()),
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                _ if options.corpus.is_some() => return Err(format!("unexpected argument `{arg}`")),
                _ => options.corpus = Some(PathBuf::from(&arg)),
            }
        }
        options.runs = runs.unwrap_or(if options.quick { 1 } else { options.runs });
        Ok(options)
    }

    pub fn states_max(&self) -> u64 {
        if self.quick { QUICK_STATES_MAX } else { u64::MAX }
    }

    pub fn reduced_states_max(&self) -> u64 {
        if self.quick { QUICK_REDUCED_STATES_MAX } else { REDUCED_STATES_MAX }
    }

    pub fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Whether `--models` chooses the model, if it was given.
    pub fn chooses(&self, path: &str) -> bool {
        self.models.is_empty() || self.models.iter().any(|pattern| matches(pattern, path))
    }
}

/// A pattern with a `*` fits the whole path, one without is found in it.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return path.contains(pattern) };
    let Some(mut path) = path.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().expect("splitting gives at least one piece");
    for piece in pieces {
        match path.find(piece) {
            Some(at) => path = &path[at + piece.len()..],
            None => return false,
        }
    }
    path.ends_with(end)
}

fn words(text: &str) -> Vec<String> {
    text.split(',').filter(|word| !word.is_empty()).map(str::to_string).collect()
}

fn part(word: &str) -> Result<Part, String> {
    match word {
        "throughput" => Ok(Part::Throughput),
        "small" => Ok(Part::Small),
        "front" => Ok(Part::Front),
        "reductions" => Ok(Part::Reductions),
        "bitstate" => Ok(Part::Bitstate),
        "default" => Ok(Part::Default),
        "liveness" => Ok(Part::Liveness),
        "threads" => Ok(Part::Threads),
        _ => Err(format!("unknown part `{word}`")),
    }
}

fn search(word: String) -> Result<String, String> {
    if ["bfs", "dfs"].contains(&word.as_str()) { Ok(word) } else { Err(format!("unknown search `{word}`")) }
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a positive number")),
        Ok(count) => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_string).collect())
    }

    #[test]
    fn patterns_and_words_choose_models() {
        let options = parse("--models peterson,spin/*.pml").unwrap();
        assert!(options.chooses("spins/beem/all/peterson.4.pm"));
        assert!(options.chooses("spin/LTL/leader.pml"));
        assert!(!options.chooses("spins/leader.pml"));
        assert!(!options.chooses("spin/leader.pm"));
        assert!(parse("").unwrap().chooses("anything"));
    }

    #[test]
    fn quick_means_one_run_unless_told_otherwise() {
        assert_eq!(parse("").unwrap().runs, 3);
        assert_eq!(parse("--quick").unwrap().runs, 1);
        assert_eq!(parse("--runs 5 --quick").unwrap().runs, 5);
    }

    #[test]
    fn threads_alone_are_a_part_of_their_own() {
        let options = parse("--threads 1,2,8").unwrap();
        assert_eq!((options.threads, options.parts), (vec![1, 2, 8], vec![Part::Threads]));
        let options = parse("--parts small --threads 1,2").unwrap();
        assert_eq!(options.parts, [Part::Small]);
        assert!(!parse("").unwrap().wants(Part::Threads));
        assert_eq!(parse("--threads 1,0").unwrap_err(), "`0` is not a positive number");
        assert!(parse("--threads 2").unwrap_err().contains("two numbers or more"));
    }

    #[test]
    fn wrong_words_are_refused() {
        assert_eq!(parse("--runs 0").unwrap_err(), "`0` is not a positive number");
        assert_eq!(parse("--parts small,big").unwrap_err(), "unknown part `big`");
        assert_eq!(parse("--compressed-search up").unwrap_err(), "unknown search `up`");
        assert_eq!(parse("a b").unwrap_err(), "unexpected argument `b`");
        assert_eq!(parse("--json").unwrap_err(), "`--json` needs a value");
    }
}
