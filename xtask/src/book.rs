//! `cargo xtask book`: rewrites what the book takes from the program.

use std::process::{Command, ExitCode};

const USAGE: &str = "\
Rewrite the outputs in `docs/tutorial.md` and `docs/how-to.md`, and `docs/options.md`.

Usage: cargo xtask book

`cargo test --workspace` checks that they are what the program prints. The pictures
come from `cargo xtask browser --pictures`.
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
    let status = Command::new(cargo)
        .args(["test", "--quiet", "--workspace", "--test", "cli", "book::"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("UPDATE_EXPECT", "1")
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
