//! `cargo xtask tables`: tables of *Directed Explicit Model Checking with HSF-SPIN* (Edelkamp, Lluch Lafuente and Leue, 2001)
//! beside our own numbers, and whether what the paper found is true of ours.
//!
//! A table is a file in `tables/` and an entry in [`TABLES`].

mod chart;
mod cycles;
mod directed;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Prints tables of the paper on HSF-SPIN beside our own numbers.

Usage: cargo xtask tables [--table N]... [--corpus DIR] [--svg DIR]

  --table N     only this table, several times for several [default: all there are]
  --corpus DIR  where the public models are [default: $PANOPTES_CORPUS, or ../shared/corpus]
  --svg DIR     also draw expanded states and lengths into this directory (tables 4 to 7)

There are the tables 4 (deadlocks), 5 (philosophers), 6 (invariants), 7 (assertions) and 8 (cycles). Exit status 1 if a relation that the paper found does not hold.
";

/// A table as text, and what does not hold.
pub struct Table {
    pub text: String,
    pub broken: Vec<String>,
}

/// Where things are.
#[derive(Debug)]
pub struct Context {
    pub corpus: PathBuf,
    /// Where pictures go, if they are wanted.
    pub svg: Option<PathBuf>,
}

/// Makes a table; or says why it cannot.
type Make = fn(&Context) -> Result<Table, String>;

/// By their numbers in the paper.
const TABLES: &[(u32, Make)] = &[
    (4, directed::deadlocks),
    (5, directed::philosophers),
    (6, directed::invariants),
    (7, directed::assertions),
    (8, |_| cycles::table()),
];

pub fn run(args: Vec<String>) -> ExitCode {
    let (wanted, context) = match crate::understood(parse_options(args), USAGE) {
        Ok(understood) => understood,
        Err(status) => return status,
    };
    let mut is_good = true;
    for (number, make) in TABLES.iter().filter(|(number, _)| wanted.is_empty() || wanted.contains(number)) {
        match make(&context) {
            Ok(Table { text, broken }) => {
                print!("table {number}\n\n{text}\n");
                broken.iter().for_each(|what| println!("does not hold: {what}"));
                is_good &= broken.is_empty();
            }
            Err(problem) => {
                eprintln!("error: {problem}");
                return ExitCode::from(2);
            }
        }
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The tables that are asked for; none of them means all.
fn parse_options(args: Vec<String>) -> Result<Option<(Vec<u32>, Context)>, String> {
    let mut wanted = Vec::new();
    let corpus = std::env::var_os("PANOPTES_CORPUS").map(PathBuf::from);
    let corpus = corpus.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus").into());
    let mut context = Context { corpus, svg: None };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--table" => {
                let number = args.next().and_then(|number| number.parse().ok());
                let known = number.filter(|number| TABLES.iter().any(|(known, _)| known == number));
                wanted.push(known.ok_or("`--table` takes the number of a table that there is")?);
            }
            "--corpus" => context.corpus = args.next().ok_or("`--corpus` takes a directory")?.into(),
            "--svg" => context.svg = Some(args.next().ok_or("`--svg` takes a directory")?.into()),
            unknown => return Err(format!("unexpected argument `{unknown}`")),
        }
    }
    Ok(Some((wanted, context)))
}
