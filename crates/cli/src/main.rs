//! The `panoptes` command: flags, exit status, files and the terminal; what it does is in the crates below.
#![forbid(unsafe_code)]

mod args;
mod check;
mod checkpoint;
mod cluster;
mod expectation;
mod explain;
mod explore;
mod failure;
mod input;
mod interrupt;
mod jobs;
mod ltl;
mod many;
mod of_trace;
mod output;
mod page;
mod progress;
mod progress_line;
mod random;
mod resume;
mod saved;
mod show;
mod simulate;
mod spin;
mod to_end;
mod trace_file;
mod traces;
mod unsearched;
mod watch;

use args::{Cli, Command};
use failure::{Failure, Status};
use std::process::ExitCode;

#[global_allocator]
static HEAP: panoptes_check::Heap = panoptes_check::Heap;

fn main() -> ExitCode {
    let mut cli = Cli::read().unwrap_or_else(|error| match args::meant(&error) {
        Some(message) => {
            output::error(&message);
            std::process::exit(Status::Usage as i32)
        }
        None => error.exit(),
    });
    output::set_color(cli.color);
    if let Command::Check(args) = &mut cli.command {
        many::settle(args);
    }
    let result = match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Resume(args) => resume::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Explore(args) => explore::run(args),
        Command::Show(args) => show::run(args),
        Command::Ltl(args) => ltl::run(args),
    };
    result.unwrap_or_else(|error| Failure::report(&error)).into()
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}
