//! `cargo xtask book`: rewrites what the book takes from the program.

use std::process::ExitCode;

const USAGE: &str = "\
Rewrite the outputs in `docs/tutorial.md` and `docs/how-to.md`, and `docs/options.md`.

Usage: cargo xtask book

`cargo test --workspace` checks that they are what the program prints. The pictures
come from `cargo xtask browser --pictures`.
";

pub fn run(args: Vec<String>) -> ExitCode {
    crate::run_tests(&args, USAGE, &["cli", "book::"], true)
}
