//! Input made to break the front end: nesting without end and text that grows without end give one message, soon.
//! The tests run on threads with small stacks, as all tests do.

use panoptes_promela::parse_str;

const MANY: usize = 20_000;

fn messages(text: &str) -> Vec<String> {
    parse_str(text).2.into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn nested(prefix: &str, open: &str, inner: &str, close: &str, suffix: &str) -> String {
    [prefix, &open.repeat(MANY), inner, &close.repeat(MANY), suffix].concat()
}

#[test]
fn nested_expressions() {
    let too_deep = ["this expression is nested too deeply"];
    assert_eq!(messages(&nested("init { x = ", "(", "1", ")", " }")), too_deep);
    assert_eq!(messages(&nested("init { x = ", "! ", "1", "", " }")), too_deep);
    assert_eq!(messages(&nested("init { x = ", "a[", "1", "]", " }")), too_deep);
    assert_eq!(messages(&nested("init { x = 1", " + 1", "", "", " }")), too_deep);
    assert_eq!(messages(&nested("init { x = a", ".b", "", "", " }")), ["these fields are nested too deeply"]);
    assert_eq!(messages(&nested("ltl { ", "[]", "x", "", " }")), ["this formula is nested too deeply"]);
    assert_eq!(messages(&nested("ltl { ", "(", "x", ")", " }")), ["this formula is nested too deeply"]);
}

#[test]
fn long_chains_of_conditions_are_no_nesting() {
    assert!(messages(&nested("init { x = 1", " || a == 1", "", "", " }")).is_empty());
    assert!(messages(&nested("init { x = 1", " && a", "", "", " }")).is_empty());
    assert!(messages(&nested("ltl { x", " && a == 2", "", "", " }")).is_empty());
    assert!(messages(&nested("init { ", "x = 1; ", "", "", "}")).is_empty());
    assert!(messages(&nested("init { ", "l: ", "skip", "", "}")).is_empty());
}

#[test]
fn nested_statements() {
    let too_deep = ["statements are nested too deeply"];
    assert_eq!(messages(&nested("init { ", "{ ", "skip", " }", " }")), too_deep);
    assert_eq!(messages(&nested("init { ", "if :: ", "skip", " fi", " }")), too_deep);
    assert_eq!(messages(&nested("init { ", "{", "", "", "")).len(), 2);
}

#[test]
fn a_thousand_levels_of_expressions_and_many_blocks_are_fine() {
    let text = ["init { x = ", &"(".repeat(900), "1", &")".repeat(900), " }"].concat();
    assert!(messages(&text).is_empty());
    let text = ["init { ", &"if :: ".repeat(200), "skip", &" fi".repeat(200), " }"].concat();
    assert!(messages(&text).is_empty());
}

#[test]
fn macros() {
    let double = |level: usize| format!("#define A{level} A{} A{0}\n", level - 1);
    let bomb: String = (1..50).map(double).collect();
    assert_eq!(
        messages(&(bomb + "#define A0 x\ninit { A49 }")),
        ["macros grow without end: stopped at `A1`"]
    );
    let chain: String = (1..5000).map(|level| format!("#define A{level} A{}\n", level - 1)).collect();
    assert_eq!(messages(&(chain + "init { A4999 }")), ["macros are nested too deeply at `A3999`"]);
    let nested = nested("#define f(x) x\ninit { ", "f(", "1", ")", " }");
    assert_eq!(messages(&nested).len(), 1);
    assert_eq!(
        messages(&["#if ", &"(".repeat(MANY), "\n#endif"].concat()),
        ["the condition is nested too deeply"]
    );
}

#[test]
fn inlines() {
    let double = |level: usize| format!("inline a{level}() {{ a{}(); a{0}() }}\n", level - 1);
    let bomb: String = (1..50).map(double).collect();
    assert_eq!(messages(&format!("inline a0() {{ skip }}\n{bomb}init {{ a49() }}")).len(), 1);
    let call = |level: usize| format!("inline a{level}() {{ a{}() }}\n", level - 1);
    let chain: String = (1..1000).map(call).collect();
    let text = format!("inline a0() {{ skip }}\n{chain}init {{ a999() }}");
    assert_eq!(messages(&text), ["statements are nested too deeply"]);
}

#[test]
fn errors() {
    assert!(messages(&nested("init { ", "x = ; ", "", "", "}")).len() < 300);
}
