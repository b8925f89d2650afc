//! What `-h` shows of `check`: what most people need, on one screen. `--help` shows the rest.

use clap::{Arg, Command};
use panoptes_check::{StoreSpec, Strategy, listed};

/// The options that most people need, in words that fit a line.
const OF_CHECK: [(&str, &str); 13] = [
    ("model", "A model, or a directory of models; `-` reads standard input"),
    ("defines", "Define a macro, as for a C preprocessor"),
    ("property", "safety, deadlock, assertions, or one that the model names"),
    ("ltl", "Only this formula, such as '[] (req -> <> ack)'"),
    ("invariant", "EXPR holds in every state, such as 'x < 3'"),
    ("all_errors", "Go on past errors and list each distinct one"),
    ("shortest", "Find a shortest trace to an error"),
    ("exact", "One statement is one step: no reduction of any kind"),
    ("memory", "Stop when the program takes more: 512M, 2G"),
    ("time", "Stop after this time: 500ms, 10s, 2m, 1h"),
    ("format", "How to print the answer"),
    ("trace_out", "Where to save the trace"),
    ("quiet", "Print one line"),
];

const AFTER_CHECK: &str = "\
Examples:
  panoptes check abp.pml                    check everything the model states
  panoptes check models/ --expect model     all models of a directory

Exit status: 0 nothing wrong, 1 violation found, 2 the model or the command line is
wrong, 3 the search was partial. `panoptes check --help` has all options.";

/// The command line, with the options that few people need left out of the short help.
pub fn with_short_help(cli: Command) -> Command {
    let cli = cli.mut_arg("color", |arg| arg.hide_short_help(true));
    cli.mut_subcommand("check", |check| {
        let is_known = |id: &str| check.get_arguments().any(|arg| arg.get_id() == id);
        debug_assert!(OF_CHECK.iter().all(|(id, _)| is_known(id)), "an option that is gone");
        let all = check.get_after_help().cloned().unwrap_or_default();
        check.mut_args(shorter).after_help(AFTER_CHECK).after_long_help(all)
    })
}

/// A list without what begins there.
fn short_list(all: &str, rest: &str) -> String {
    all.split_once(rest).map_or_else(|| all.to_string(), |(first, _)| format!("{first} …"))
}

fn shorter(arg: Arg) -> Arg {
    let short = match arg.get_id().as_str() {
        // A screen is not wide enough for all.
        "search" => short_list(&listed::<Strategy>(), ", weighted"),
        "store" => short_list(&listed::<StoreSpec>(), ", bitstate"),
        id => match OF_CHECK.iter().find(|(known, _)| id == *known) {
            Some((_, short)) => short.to_string(),
            None => return arg.hide_short_help(true),
        },
    };
    let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
    arg.help(short).long_help(long)
}
