//! What somebody means whose command line is not ours: a file without a command, a flag of SPIN, a command that is still
//! to come.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use panoptes_check::{Language, NameError};
use std::error::Error;
use std::path::Path;

/// What to say in place of clap's message, if we know better.
pub fn meant(error: &clap::Error) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => not_a_command(named(error, ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => {
            let given = named(error, ContextKind::InvalidArg)?;
            flag_of_spin(given).or_else(|| flag_of_others(given))
        }
        // A name that is none says itself which there are.
        ErrorKind::ValueValidation => Some(error.source()?.downcast_ref::<NameError>()?.to_string()),
        _ => None,
    }
}

fn named(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(given) => Some(given),
        _ => None,
    }
}

fn not_a_command(given: &str) -> Option<String> {
    if ["fmt", "lsp", "resume", "test"].contains(&given) {
        return Some(format!("`panoptes {given}` is not available in this version"));
    }
    let ours = match given {
        "verify" | "validate" | "analyze" | "analyse" | "run" | "search" | "mc" => "panoptes check MODEL",
        "sim" | "random" | "play" => "panoptes simulate MODEL",
        "replay" => "panoptes simulate MODEL --trace TRACE",
        "trace" | "trail" => "panoptes explain TRACE",
        "compile" | "dump" | "print" | "dot" => "panoptes show MODEL",
        _ => "",
    };
    if !ours.is_empty() {
        return Some(format!("there is no command `{given}`: try `{ours}`"));
    }
    let path = Path::new(given);
    let command = if given.ends_with(".json") {
        "explain"
    } else if Language::of_path(path).is_some() || path.is_file() {
        "check"
    } else {
        return None;
    };
    Some(format!("`{given}` is a file, not a command: try `panoptes {command} {given}`"))
}

/// `spin -a m.pml` and the like: what is typed here in place of the flags that one uses every day.
fn flag_of_spin(given: &str) -> Option<String> {
    let instead = match given {
        // clap takes `-run` and `-search` for their first letters.
        "-a" | "-r" | "-s" => "`panoptes check MODEL` generates nothing, it searches at once",
        "-t" | "-p" | "-g" | "-l" => {
            "`panoptes check MODEL` shows the trace of an error, `panoptes explain TRACE` shows it again"
        }
        "-i" => "`panoptes simulate --interactive MODEL` lets you choose the steps",
        "-n" | "-u" => "`panoptes simulate MODEL --seed N --steps N` runs the model at random",
        "-c" | "-e" => "`panoptes check MODEL --all-errors` goes on past errors",
        "-m" => {
            "`--depth N` bounds the depth of a check (there is no bound without it), `--lossy` loses messages"
        }
        "-w" | "-k" => {
            "`panoptes check MODEL --store bitstate --bits 256M --hashes 3` is a bit-state search as with `-w28 -k3`; \
             tables of other stores grow by themselves"
        }
        "-E" => "`panoptes check MODEL --property assertions` looks for no deadlocks",
        "-A" => "`panoptes check MODEL --property deadlock` looks for nothing else",
        "-o" => {
            "`panoptes check MODEL --exact` turns all reductions off, `--no-por` and `--no-optimise` some"
        }
        "-f" => "`--fair` looks at weakly fair executions only",
        "-d" => "`panoptes show MODEL` prints the machines",
        "-N" | "-F" => {
            "`--property NAME` checks one claim or formula of the model, `--ltl FORMULA` another one"
        }
        "-M" => "`panoptes explain TRACE --format mermaid` draws a trace as a message sequence chart",
        "-b" => "`panoptes check MODEL --depth N` bounds the depth, and says so if that left something out",
        _ => return None,
    };
    Some(format!(
        "there is no option `{given}`. If you come from SPIN: {instead} (docs/differences-from-spin.md has more)"
    ))
}

/// Options of other tools, and those that one would guess.
fn flag_of_others(given: &str) -> Option<String> {
    let instead = match given {
        "--json" => "`--format json`",
        "--output" | "--out" | "--trail" => "`--trace-out FILE` says where the trace is saved",
        "--timeout" | "--time-limit" | "--max-time" => "`--time DURATION`",
        "--max-depth" | "--bound" => "`--depth N`",
        "--mem" | "--memory-limit" | "--max-memory" => "`--memory SIZE`",
        "--cores" | "--workers" => "`--threads N`",
        "--bfs" => "`--search bfs`",
        "--dfs" => "`--search dfs`",
        "--random" => "`--search random`",
        "--bitstate" => "`--store bitstate`",
        "--compress" | "--collapse" => "`--store compressed`",
        "--safety" | "--assertions" => "`--property safety` or `--property assertions`",
        "--deadlock" | "--deadlocks" => "`--property deadlock`",

        "--all" | "--continue" => "`--all-errors`",
        "--por" => {
            return Some(
                "there is no option `--por`: partial order reduction is on; `--no-por` turns it off"
                    .to_string(),
            );
        }
        "--include" => "`-I DIR`",
        "--define" => "`-D NAME[=VALUE]`",
        "--no-color" | "--no-colour" | "--colour" => "`--color auto|always|never`",
        _ => return None,
    };
    Some(format!("there is no option `{given}`: try {instead}"))
}

/// `-DBITSTATE` and the like compile SPIN's verifier; here they would define a macro that no model asks for.
pub fn directive_of_pan(name: &str) -> Option<&'static str> {
    Some(match name {
        "BITSTATE" => "`--store bitstate` is a bit-state search",
        "HC" | "HC0" | "HC1" | "HC2" | "HC3" | "HC4" => "`--store hash-compact` is hash compaction",
        "COLLAPSE" | "MA" => "`--store compressed` is lossless compression",
        "BFS" => "`--search bfs` goes breadth first",
        "BFS_PAR" | "NCORE" => "`--search swarm` uses several cores",
        "REVERSE" | "T_REVERSE" => "`--search dfs --order reversed` goes in the other order",
        "RANDOMIZE" | "T_RAND" | "P_RAND" => "`--search random --seed N` goes in a random order",
        "NOREDUCE" => "`--no-por` turns partial order reduction off",
        "MEMLIM" => "`--memory SIZE` bounds the memory",
        "SAFETY" => "`--property safety` leaves temporal properties out",
        "VECTORSZ" => "states may be of any size",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    fn told(line: &str) -> Option<String> {
        meant(&Cli::try_parse_from(line.split(' ')).expect_err("no command line"))
    }

    #[test]
    fn flags_of_spin() {
        for (line, says) in [
            ("panoptes -a m.pml", "check MODEL"),
            ("panoptes check -a m.pml", "check MODEL"),
            ("panoptes -t m.pml", "explain TRACE"),
            ("panoptes check -m10000 m.pml", "--depth N"),
            ("panoptes check -c0 m.pml", "--all-errors"),
            ("panoptes check -w28 -k3 m.pml", "--bits 256M --hashes 3"),
            ("panoptes simulate -n7 m.pml", "--seed N"),
            ("panoptes -run m.pml", "check MODEL"),
            ("panoptes check -d m.pml", "show MODEL"),
            ("panoptes check -o3 m.pml", "--exact"),
        ] {
            let text = told(line).unwrap_or_default();
            assert!(text.contains(says), "{line}: {text}");
        }
        for (line, says) in [
            ("panoptes check --json m.pml", "try `--format json`"),
            ("panoptes check m.pml --timeout 5", "try `--time DURATION`"),
            ("panoptes verify m.pml", "try `panoptes check MODEL`"),
            ("panoptes check -N p m.pml", "`--property NAME`"),
            ("panoptes -M m.pml", "--format mermaid"),
            ("panoptes check -run m.pml", "check MODEL"),
            ("panoptes check --por m.pml", "`--por`: partial order reduction is on"),
        ] {
            let text = told(line).unwrap_or_default();
            assert!(text.contains(says), "{line}: {text}");
        }
        assert_eq!(told("panoptes check -z m.pml"), None);
        assert_eq!(told("panoptes check --serch dfs m.pml"), None);
    }

    #[test]
    fn commands_that_are_still_to_come() {
        assert_eq!(
            told("panoptes lsp m.pml").as_deref(),
            Some("`panoptes lsp` is not available in this version")
        );
        assert!(told("panoptes m.pml").is_some_and(|text| text.contains("panoptes check m.pml")));
        assert_eq!(told("panoptes juggle"), None);
    }
}
