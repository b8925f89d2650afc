//! `cargo xtask tidy`: runs the tests of `xtask/tests/tidy.rs` and nothing else.

use std::process::ExitCode;

const USAGE: &str = "\
Check the rules of the crates: ranks, who may use what, documents, headers.

Usage: cargo xtask tidy

The rules are ordinary tests in `xtask/tests/tidy.rs`, so `cargo test --workspace`
checks them too.
";

pub fn run(args: Vec<String>) -> ExitCode {
    crate::run_tests(&args, USAGE, &["tidy"], false)
}
