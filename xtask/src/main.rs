//! Developer commands, run as `cargo xtask COMMAND`.
#![forbid(unsafe_code)]

mod bench;
mod book;
mod browser;
mod cluster_check;
mod compare;
mod conformance;
mod directed_corpus;
mod fuzz_front;
mod fuzz_limits;
mod fuzz_spin;
mod kill_resume;
mod ltl_sizes;
mod memory_check;
mod mutants;
mod scatter_quality;
mod soak;
mod svg;
mod tables;
mod threads_check;
mod tidy;
mod trails;

use std::process::{Command, ExitCode};

const USAGE: &str = "\
Developer commands of Panoptes.

Usage: cargo xtask COMMAND [ARGUMENTS]

Commands:
  bench [DIR]       measure beside SPIN: speed, memory, waiting, reductions
  book              rewrite what the book takes from the program
  browser           look at the explorer and the reports in a browser
  cluster-check DIR compare searches by several processes with those by one
  compare           compare the answers of two builds on the same models
  conformance DIR   compare `panoptes check` with recorded answers of SPIN
  directed-corpus DIR
                    compare directed search with breadth-first search on wrong models
  fuzz-front        feed broken and random text to the front end
  fuzz-limits       run huge and broken models with limits, options and signals
  fuzz-spin         compare with SPIN on random models
  kill-resume       kill checks at random, go on from their checkpoints, damage some
  ltl-sizes FILE    compare the sizes of automata with those of other tools
  memory-check      fill memory with states and see whether `--memory` is kept
  mutants           change the code in small ways and see whether tests notice
  scatter-quality   measure partial searches and draw their curves
  soak              check random models in random ways and compare the answers
  tables            print tables of a paper beside our numbers
  threads-check DIR compare searches by several threads with those by one
  tidy              check the rules of the crates: ranks, unsafe, documents, headers
  trails            let SPIN follow our trails, and follow SPIN's

`cargo xtask COMMAND --help` tells more. Exit status: 0 all is well, 1 something
differs, 2 the command line or the environment is wrong.
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest: Vec<String> = args.collect();
    match command.as_deref() {
        Some("bench") => bench::run(rest),
        Some("book") => book::run(rest),
        Some("browser") => browser::run(rest),
        Some("cluster-check") => cluster_check::run(rest),
        Some("compare") => compare::run(rest),
        Some("conformance") => conformance::run(rest),
        Some("directed-corpus") => directed_corpus::run(rest),
        Some("fuzz-front") => fuzz_front::run(rest),
        Some("fuzz-limits") => fuzz_limits::run(rest),
        Some("fuzz-spin") => fuzz_spin::run(rest),
        Some("kill-resume") => kill_resume::run(rest),
        Some("ltl-sizes") => ltl_sizes::run(rest),
        Some("memory-check") => memory_check::run(rest),
        Some("mutants") => mutants::run(rest),
        Some("scatter-quality") => scatter_quality::run(rest),
        Some("soak") => soak::run(rest),
        Some("tables") => tables::run(rest),
        Some("threads-check") => threads_check::run(rest),
        Some("tidy") => tidy::run(rest),
        Some("trails") => trails::run(rest),
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(unknown) => bad_usage(&format!("unknown command `{unknown}`"), USAGE),
        None => bad_usage("no command given", USAGE),
    }
}

/// The command line of a command; or, when it was wrong or asked for help and that is said, the status to end with.
fn understood<T>(parsed: Result<Option<T>, String>, usage: &str) -> Result<T, ExitCode> {
    match parsed {
        Ok(Some(options)) => Ok(options),
        Ok(None) => {
            print!("{usage}");
            Err(ExitCode::SUCCESS)
        }
        Err(message) => Err(bad_usage(&message, usage)),
    }
}

/// Prints what was measured, and says with which status to end: whether it is good, or that it could not be measured.
fn concluded(measured: Result<(String, bool), String>) -> ExitCode {
    match measured {
        Ok((report, is_good)) => {
            print!("{report}");
            if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// A command without arguments: runs some tests of the workspace, and may have them rewrite what they expect.
fn run_tests(args: &[String], usage: &str, tests: &[&str], rewrites: bool) -> ExitCode {
    match args.first().map(String::as_str) {
        Some("--help" | "-h") => {
            print!("{usage}");
            return ExitCode::SUCCESS;
        }
        Some(unknown) => return bad_usage(&format!("unexpected argument `{unknown}`"), usage),
        None => {}
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // `--workspace` instead of `-p`: the same features as the full test run, so nothing is built twice.
    cargo.args(["test", "--quiet", "--workspace", "--test"]).args(tests);
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    if rewrites {
        cargo.env("UPDATE_EXPECT", "1");
    }
    match cargo.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            ExitCode::from(2)
        }
    }
}

/// Says what is wrong with the command line and how it should look.
fn bad_usage(problem: &str, usage: &str) -> ExitCode {
    eprint!("error: {problem}\n\n{usage}");
    ExitCode::from(2)
}
