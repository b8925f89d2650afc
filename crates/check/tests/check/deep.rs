//! Nesting as deep as the parser allows, through everything that walks it: lowering, the verifier, the text forms, the
//! interpreter and the searches. Tests run on threads with a quarter of a main thread's stack.

use panoptes_check::{CheckSettings, Language, Loaded, Strategy, load_text, run_search};
use panoptes_model::{to_dot, to_json, to_text, verify};
use std::path::Path;

const EXPRESSION: usize = 490;
const STATEMENT: usize = 240;

fn load(text: String) -> Loaded {
    match load_text("deep.pml", text, Path::new("deep.pml"), Language::Promela, &Default::default()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{:?}", error.diagnostics.first()),
    }
}

/// Everything is done with the model and gives a verdict.
fn survives(text: String) {
    let loaded = load(text);
    assert!(verify(&loaded.model).is_empty());
    assert!(!to_text(&loaded.model, &loaded.sources).is_empty());
    assert!(!to_dot(&loaded.model, &loaded.sources).is_empty());
    assert!(to_json(&loaded.model, &loaded.sources).is_object());
    for search in [Strategy::DFS, Strategy::BFS] {
        let options = CheckSettings { strategy: search, ..CheckSettings::default() };
        let verdict = run_search(&loaded, &options, &mut ());
        assert!(verdict.outcome.errors.is_empty(), "{:?}", verdict.outcome.errors);
    }
}

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    [&open.repeat(depth), inner, &close.repeat(depth)].concat()
}

fn in_process(statement: String) -> String {
    format!("int x, a[3]; bool p; chan q = [2] of {{ int }};\nactive proctype P() {{ int i; {statement} }}\n")
}

#[test]
fn expressions() {
    // A parenthesis is a level of its own.
    for (depth, open, inner, close) in [
        (320, "(1 + ", "x", ")"),
        (320, "(", "x", " * 1)"),
        (960, "! ", "p", ""),
        (960, "~ ", "x", ""),
        (480, "a[", "0", "]"),
        (320, "(p -> 1 : ", "x", ")"),
        (320, "(x == ", "x", ")"),
        (320, "(p && ", "p", ")"),
        (480, "get_priority(", "x", ")"),
    ] {
        let deep = nested(depth, open, inner, close);
        survives(in_process(format!("x = {deep}; x = 0")));
        survives(in_process(format!("if :: {deep} :: true fi; assert({deep} == {deep})")));
        survives(in_process(format!("q!(1 * {deep}); q?eval({deep}); printf(\"%d\", {deep})")));
    }
}

#[test]
fn statements() {
    for (open, close) in [
        ("{ ", " }"),
        ("atomic { ", " }"),
        ("d_step { ", " }"),
        ("if :: skip; ", " fi"),
        ("if :: ", " fi"),
        ("do :: ", "; break od"),
        ("{ ", " } unless { p }"),
        ("{ skip } unless { p; ", " }"),
        ("for (i : 1 .. 1) { ", " }"),
        ("if :: p :: else -> ", " fi"),
    ] {
        survives(in_process(nested(STATEMENT, open, "skip", close)));
        let mixed = nested(EXPRESSION / 2, "(1 + ", "x", ")");
        survives(in_process(nested(STATEMENT, open, &format!("x = {mixed}"), close)));
    }
}

#[test]
fn formulas_claims_and_inlines() {
    let process = "bool p; active proctype P() { skip }\n";
    survives(format!("{process}ltl {{ {} }}", nested(EXPRESSION, "[] ", "p", "")));
    survives(format!("{process}ltl {{ {} }}", nested(EXPRESSION, "(p U ", "p", ")")));
    survives(format!("{process}ltl {{ [] {} }}", nested(EXPRESSION, "(p == ", "p", ")")));
    survives(format!("{process}never {{ {} }}", nested(STATEMENT, "do :: ", "p", " od")));
    let inline = |level: usize| format!("inline f{level}(v) {{ f{}(v + 1) }}\n", level - 1);
    let chain: String = (1..STATEMENT).map(inline).collect();
    survives(format!("int x; inline f0(v) {{ x = v }}\n{chain}init {{ f{}(0) }}", STATEMENT - 1));
}

#[test]
fn long_chains_and_many_elements() {
    survives(in_process(format!("x = 1{}", " || x == 1".repeat(5_000))));
    survives(in_process(format!("atomic {{ {} x = 0 }}", "x = 1; ".repeat(2_000))));
    let options: String = (0..1_000).map(|n| format!(":: x == {n} -> x = 0\n")).collect();
    survives(in_process(format!("if {options} :: else fi")));
}
