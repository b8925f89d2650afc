//! Wrong command lines end with status 2 and a message that helps.

use crate::sandbox::{ASSERTION, Sandbox, TURNS};
use std::io::Read;

fn refused(args: &[&str], says: &str) {
    let run = Sandbox::with(TURNS).run(args).expect(2);
    assert!(run.stderr.contains(says), "no “{says}” in\n{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn wrong_numbers_and_names_are_refused() {
    refused(&["check", "m.pml", "--threads", "0"], "1 or more");
    refused(&["check", "m.pml", "--threads", "many"], "1 or more");
    refused(&["check", "m.pml", "--fair=stronger"], "there is weak, strong");
}

#[test]
fn directed_searches_are_told_what_they_can_use() {
    for weight in ["weighted", "weighted:", "weighted:2", "weighted:-1", "weighted:x"] {
        refused(&["check", "m.pml", "--search", weight], "a number from 0 to 1");
    }
    for beam in ["beam", "beam:0", "beam:many"] {
        refused(&["check", "m.pml", "--search", beam], "one or more");
    }
    refused(&["check", "m.pml", "--heuristic", "active"], "`--search bfs` is none");
    refused(&["check", "m.pml", "--search", "dfs", "--admissible"], "`--search dfs` is none");
    refused(&["check", "m.pml", "--explain-heuristic"], "add `--search astar`");
    refused(&["check", "m.pml", "--search", "astar", "--heuristic", "hope"], "there is no heuristic `hope`");
    let formula = ["check", "m.pml", "--search", "astar", "--heuristic", "formula", "--property", "deadlock"];
    refused(&formula, "does not fit");
    refused(&["check", "m.pml", "--search", "astar", "--store", "cache:5"], "use `--search ida`");
    refused(&["check", "m.pml", "--steps", "leaps"], "`statements` or `merged`");
}

#[test]
fn what_a_heuristic_looks_at_is_told() {
    let told = |model: &str, more: &[&str]| {
        let args = [&["check", "m.pml", "--search", "astar", "--explain-heuristic"], more].concat();
        Sandbox::with(model).run(&args).expect(0).stdout
    };
    assert!(told(ASSERTION, &[]).starts_with("formula (inferred from the property):\n  "));
    assert!(
        told(TURNS, &["--heuristic", "active"]).starts_with("active (asked for):\n  the number of processes")
    );
}

#[test]
fn an_estimate_is_read_from_a_file() {
    let run = |text: &str, more: &[&str]| {
        let sandbox = Sandbox::with(ASSERTION);
        sandbox.write("h.txt", text);
        let args = [&["check", "m.pml", "--search", "astar", "--heuristic", "user:h.txt"], more].concat();
        sandbox.run(&args)
    };
    let told = run("/* none */ 0;", &["--explain-heuristic"]).expect(0).stdout;
    assert_eq!(told, "user (asked for):\n  the value of `0`\n");
    run("0", &[]).expect(1);
    run("and = max; condition = 7;", &[]).expect(1);
    let wrong = |text: &str, says: &str| {
        let run = run(text, &[]).expect(2);
        assert!(run.stderr.contains(says), "no “{says}” in\n{}", run.stderr);
        assert!(run.stdout.is_empty());
    };
    wrong("1 +\n  nowhere", " --> h.txt:2:3\n");
    wrong("1 +\n  nowhere", "1 error: the estimate cannot be used");
    wrong("1 +", "the end of the entry");
    wrong("", "h.txt:1:1");
    wrong("at = 2;\nand = least", " --> h.txt:2:7\n");
    wrong("distance(1 == 2) = 3", "`distance(1 == 2) = 3` is about no part of the formula");
    wrong("and = max;\n  distance(1 == 2) = 3", "h.txt:2:3: `distance(1 == 2) = 3` is about no part");
    wrong("timeout", "`timeout` is not about a state");
    refused(&["check", "m.pml", "--search", "astar", "--heuristic", "user"], "`--heuristic user:FILE`");
    refused(
        &["check", "m.pml", "--search", "astar", "--heuristic", "user:no.txt"],
        "there is no file no.txt",
    );
    refused(&["check", "m.pml", "--heuristic", "user:h.txt"], "`--search bfs` is none");
    let admissible = run("0", &["--admissible"]).expect(2).stderr;
    assert!(admissible.contains("leave `--admissible` out"), "{admissible}");
}

#[test]
fn habits_of_spin() {
    refused(&["-a", "m.pml"], "`panoptes check MODEL` generates nothing");
    refused(&["check", "-m10000", "m.pml"], "`--depth N` bounds the depth");
    refused(&["verify", "m.pml"], "try `panoptes check MODEL`");
    refused(&["check", "m.pml", "--json"], "try `--format json`");
    refused(&["check", "-N", "p", "m.pml"], "`--property NAME` checks one claim");
    refused(&["check", "--fair", "strong", "m.pml"], "`--fair strong` is written `--fair=strong`");
    refused(&["check", "m.pml", "--fair", "weak"], "`--fair weak` is written `--fair=weak`");
}

#[test]
fn directives_of_spin() {
    let warning = "`-DBITSTATE` defines a macro that the model does not use; `--store bitstate`";
    let sandbox = Sandbox::with(TURNS);
    let run = sandbox.run(&["check", "m.pml", "-DBITSTATE"]).expect(0);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert_eq!(sandbox.run(&["check", "m.pml", "-DBITSTATE", "--quiet"]).expect(0).stderr, "");
    let uses = format!("#ifdef BITSTATE\n#endif\n{TURNS}");
    assert_eq!(Sandbox::with(&uses).run(&["check", "m.pml", "-DBITSTATE"]).expect(0).stderr, "");
}

#[test]
fn what_nobody_promised_is_refused() {
    refused(&["check", "m.pml", "--search", "sideways"], "there is no strategy `sideways`");
    refused(&["check", "m.pml", "--store", "attic"], "there is no store `attic`");
    refused(&["check", "m.pml", "--language", "cobol"], "there is no language `cobol`");
    refused(&["check", "m.pml", "--unheard"], "--unheard");
    refused(&["check", "m.pml", "--memory", "lots"], "--memory");
    refused(&["check", "m.pml", "--time", "3 fortnights"], "no unit of time");
    refused(&["check", "m.pml", "--cluster", "2", "--process", "1"], "cannot be used with");
    refused(&["check", "m.pml", "--cluster", "2", "--wait", "5s"], "cannot be used with");
    refused(&["check", "m.pml", "--depth", "-1"], "-1");
    refused(&["check", "m.pml", "--format", "yaml"], "yaml");
    refused(&["check", "m.pml", "--shortest", "--search", "dfs"], "contradict");
    refused(&["check"], "MODEL");
    refused(&["juggle", "m.pml"], "juggle");
    refused(&["simulate", "m.pml", "--random", "--interactive"], "cannot be used with");
}

#[test]
fn mistyped_names() {
    refused(&["check", "m.pml", "--search", "swam"], "there is no strategy `swam`; did you mean `swarm`?");
    refused(&["check", "m.pml", "--property", "asertions"], "did you mean `assertions`?");
    refused(&["check", "m.pml", "--serch", "dfs"], "'--search'");
}

#[test]
fn numbers_that_are_none() {
    refused(&["check", "m.pml", "--seed", "abc"], "it must be a whole number, zero or more");
    refused(&["check", "m.pml", "--depth", "-3"], "it must be a whole number, one or more, or `auto`");
    refused(&["check", "m.pml", "--depth", "0"], "it must be a whole number, one or more, or `auto`");
    refused(&["simulate", "m.pml", "--steps", "2.5"], "it must be a whole number, zero or more");
    refused(&["check", "m.pml", "--memory", "-1"], "it must be a number, zero or more");
}

#[test]
fn stores_and_what_does_not_go_with_them() {
    for (args, says) in [
        ("--store cache", "does not say how many states the cache holds"),
        ("--store cache:0", "one or more: `--store cache:1000000`"),
        ("--store cache:many", "one or more: `--store cache:1000000`"),
        ("--store exact:5", "takes no number"),
        ("--store cache:10 --search bfs", "use `--search dfs` in place of `--search bfs`"),
        ("--store cache:10 --shortest", "use `--search dfs` in place of `--shortest`"),
        ("--loop-states --search bfs", "`--loop-states` needs the path of a depth-first search"),
        ("--store bitstate --shortest", "use `--store exact` or `--store compressed`"),
        ("--store hash-compact --search bfs --depth 9", "use `--search dfs`, or `--store exact`"),
        ("--store disk", "in which directory"),
        ("--store disk:here --search dfs", "`--search dfs` does not go with it"),
        ("--store disk:here --depth 9", "`--depth` does not go with it"),
        ("--store disk:here --loop-states", "`--loop-states` does not go with it"),
        ("--store disk:here --profile", "`--profile` does not go with it"),
        ("--store disk:m.pml", "no files can be written in `m.pml`"),
        ("--bits 1M", "`--bits` goes with `--store bitstate` only"),
        ("--store exact --passes 2", "`--passes` goes with `--store bitstate` only"),
        ("--store bitstate --hashes 0", "--hashes"),
        ("--store bitstate --hashes 99", "--hashes"),
        ("--store bitstate --passes 0", "--passes"),
        ("--store bitstate --bits 0", "at least one bit"),
        ("--store bitstate --bits 1G --memory 1M", "does not fit into `--memory 1048576`"),
        ("--store bitstate --bits 1parsec", "no unit of bits"),
        ("--store bitstate --replace round-robin", "add `--store cache:N`"),
        ("--store cache:5 --replace whatever", "least-visited"),
    ] {
        let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(args.split(' ')).collect();
        refused(&args, says);
    }
}

#[test]
fn a_file_in_the_place_of_another() {
    let sandbox = Sandbox::with(ASSERTION);
    sandbox.run(&["check", "m.pml"]).expect(1);
    sandbox.write("other.pml", TURNS);
    for (args, says) in [
        (&["m.pml"][..], "`panoptes check m.pml`"),
        (&["m.trace.json"], "`panoptes explain m.trace.json`"),
        (&["explain", "m.pml"], "m.pml is not a saved trace (it looks like a model)"),
        (&["explain", "none.json"], "there is no file none.json"),
        (&["check", "m.trace.json"], "`panoptes explain m.trace.json`"),
        (&["simulate", "other.pml", "--trace", "m.trace.json"], "was made from m.pml"),
    ] {
        let run = sandbox.run(args).expect(2);
        assert!(run.stderr.contains(says), "no “{says}” in\n{}", run.stderr);
    }
}

#[test]
fn files_that_are_no_models() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.pml", " \n");
    for (file, says) in [
        ("none.pml", "there is no file none.pml"),
        ("nowhere/", "there is no file nowhere/"),
        ("empty.pml", "is empty"),
    ] {
        let run = sandbox.run(&["check", file]).expect(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
}

#[test]
fn any_ending_is_fine_with_a_language() {
    let sandbox = Sandbox::new();
    sandbox.write("model.txt", TURNS);
    sandbox.run(&["check", "model.txt", "--language", "promela"]).expect(0);
}

#[test]
fn help_and_version() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]).expect(0).stdout;
    assert!(help.contains("check") && help.contains("simulate") && help.contains("Examples"), "{help}");
    for command in ["check", "simulate", "show", "explain", "explore"] {
        let help = sandbox.run(&[command, "--help"]).expect(0).stdout;
        assert!(help.contains("Usage: panoptes"), "{help}");
    }
    assert!(sandbox.run(&["--version"]).expect(0).stdout.starts_with("panoptes "));
    assert!(sandbox.run(&[]).expect(2).stderr.contains("Usage"));
}

/// Fits a terminal of 40 lines and 80 columns, and says where the rest is.
#[test]
fn the_short_help_fits_a_screen() {
    let sandbox = Sandbox::new();
    let short = sandbox.run(&["check", "-h"]).expect(0).stdout;
    assert!(short.lines().count() <= 40, "{} lines\n{short}", short.lines().count());
    assert!(short.contains("--help` has all options"), "{short}");
    let long = sandbox.run(&["check", "--help"]).expect(0).stdout;
    assert!(long.contains("--queue-limit") && !short.contains("--queue-limit"), "{long}");
    for help in [&short, &long] {
        assert!(!help.contains("not yet"), "{help}");
    }
}

#[test]
fn colours_on_demand() {
    let sandbox = Sandbox::with(TURNS);
    let colours = |args: &[&str]| sandbox.run(args).expect(0).stdout.contains("\x1b[");
    assert!(!colours(&["check", "m.pml"]), "a pipe");
    assert!(colours(&["check", "m.pml", "--color", "always"]));
    assert!(colours(&["--color=always", "check", "m.pml"]));
    assert!(!colours(&["check", "m.pml", "--color", "never"]));
    refused(&["check", "m.pml", "--color", "mauve"], "mauve");
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    let sandbox = Sandbox::with(TURNS);
    let mut child =
        sandbox.command(&["simulate", "m.pml", "--steps", "100000"]).spawn().expect("the command starts");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!(child.wait().expect("the command ends").code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
}
