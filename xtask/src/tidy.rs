//! `cargo xtask tidy`: runs the tests of `xtask/tests/tidy.rs` and nothing else.

use std::process::{Command, ExitCode};

const USAGE: &str = "\
Check the rules of the crates: ranks, who may use what, documents, headers.

Usage: cargo xtask tidy

The rules are ordinary tests in `xtask/tests/tidy.rs`, so `cargo test --workspace`
checks them too.
";

pub fn run(args: Vec<String>) -> ExitCode {
    match args.first().map(String::as_str) {
        Some("--help" | "-h") => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Some(unknown) => return crate::bad_usage(&format!("unexpected argument `{unknown}`"), USAGE),
        None => {}
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // `--workspace` instead of `-p xtask`: the same features as the full test run, so nothing is built twice.
    let status = Command::new(cargo)
        .args(["test", "--quiet", "--workspace", "--test", "tidy"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            ExitCode::from(2)
        }
    }
}
