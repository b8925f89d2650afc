//! Developer commands, run as `cargo xtask COMMAND`.

mod fuzz_spin;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("fuzz-spin") => fuzz_spin::run(args.collect()),
        _ => {
            eprintln!("usage: cargo xtask fuzz-spin [OPTIONS]");
            ExitCode::from(2)
        }
    }
}
