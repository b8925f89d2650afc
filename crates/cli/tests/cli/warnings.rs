//! Warnings by name: which there are, and how they are turned off and on.

use crate::sandbox::Sandbox;
use panoptes_source::Warning;
use std::path::Path;

/// Two kinds of warnings.
const SLIPS: &str = "byte n = 300;\nproctype P() { skip }\ninit { n = 1 }\n";

fn told(model: &str, options: &[&str]) -> Vec<String> {
    let mut args = vec!["check", "m.pml"];
    args.extend(options);
    let run = Sandbox::with(model).run(&args).expect(0);
    let names = run.stderr.lines().filter_map(|line| line.strip_prefix("warning["));
    names.filter_map(|line| line.split(']').next()).map(str::to_string).collect()
}

#[test]
fn chosen_by_name() {
    assert_eq!(told(SLIPS, &[]), ["value-too-large", "unused-process"]);
    assert_eq!(told(SLIPS, &["--no-warn", "unused-process"]), ["value-too-large"]);
    assert_eq!(told(SLIPS, &["--no-warn", "all", "--warn", "unused-process"]), ["unused-process"]);
    assert_eq!(told(SLIPS, &["--no-warn", "all"]), [""; 0]);
    assert_eq!(told(SLIPS, &["--quiet"]), [""; 0]);
}

/// Only some warnings are told, but every error counts, and warnings are no errors.
#[test]
fn many_do_not_hide_an_error() {
    let slips = "n = 300;\n".repeat(500);
    assert_eq!(told(&format!("byte n; init {{ {slips} skip }}"), &[]).len(), 200);
    for wrong in ["y = 1", "n = = 1", "goto nowhere"] {
        let run =
            Sandbox::with(&format!("byte n; init {{ {slips} {wrong} }}")).run(&["check", "m.pml"]).expect(2);
        assert!(run.stderr.contains("the model cannot be used"), "{wrong}: {}", run.stderr);
    }
}

#[test]
fn simulate_and_show_choose_too() {
    let sandbox = Sandbox::with(SLIPS);
    for command in ["simulate", "show"] {
        assert!(sandbox.run(&[command, "m.pml"]).expect(0).stderr.contains("warning[value-too-large]"));
        let silent = sandbox.run(&[command, "m.pml", "--no-warn", "all"]).expect(0).stderr;
        assert!(!silent.contains("warning["), "{silent}");
    }
}

#[test]
fn names_that_are_none() {
    let sandbox = Sandbox::with(SLIPS);
    let run = sandbox.run(&["check", "m.pml", "--no-warn", "unused-proces"]).expect(2);
    assert!(run.stderr.contains("did you mean `unused-process`?"), "{}", run.stderr);
    let run = sandbox.run(&["check", "m.pml", "--warn", "nonsense"]).expect(2);
    assert!(run.stderr.contains("there is all, none, always-false"), "{}", run.stderr);
}

#[test]
fn assertions_that_nobody_reaches() {
    let model = "byte n;\ninit { if :: n == 1 -> assert(n == 1) :: n == 2 -> assert(false); assert(1 + 1 != 2) :: else fi; assert(n == 0) }\n";
    assert_eq!(told(model, &[]), ["unreached-assertion"]);
    assert_eq!(told(model, &["--exact"]), ["unreached-assertion"]);
    assert_eq!(told(model, &["--no-warn", "unreached-assertion"]), [""; 0]);
    let dead = "init { goto end; assert(1 == 1); end: skip }\n";
    assert_eq!(told(dead, &[]), ["unreached-assertion"]);
    assert_eq!(told("init { assert(true); skip }\n", &[]), [""; 0]);
}

/// `docs/warnings.md` lists all warnings, and no others, in their order.
#[test]
fn the_table_lists_all() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/warnings.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let known: Vec<&str> = Warning::ALL.iter().map(|warning| warning.name()).collect();
    assert_eq!(listed, known);
}
