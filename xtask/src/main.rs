//! Developer commands, run as `cargo xtask COMMAND`.

fn main() {}
