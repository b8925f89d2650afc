//! Inlines: substitution, `return`, spans, and mistakes.

use crate::common::{errors, messages, parsed};
use expect_test::{Expect, expect};
use panoptes_promela::ast::{Item, StmtKind};
use panoptes_promela::parse_str;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&parsed(text));
}

#[test]
fn substitution() {
    check(
        "inline f(a, b) { a = b; t.a++ } init { f(x, y + 1); f(z[1], 2) f(u, v) skip }",
        expect![[r#"
        init { { x = (y + 1); t.x++ }; { z[1] = 2; t.z[1]++ }; { u = v; t.u++ }; 1 }
    "#]],
    );
    check(
        "inline f() { skip } init { if :: f() :: f() fi; l: f() unless f() }",
        expect![[r#"
        init { if :: { 1 } :: { 1 } fi; (l: { 1 } unless { 1 }) }
    "#]],
    );
    check(
        "inline f(x) { printf(\"x\", x) } init { f(x * 2) }",
        expect![[r#"
        init { { printf("x", (x * 2)) } }
    "#]],
    );
    // The arguments are text, not values: operators of the body bind to their parts.
    check(
        "inline f(x) { y = x * 2 } init { f(1 + 2) }",
        expect![[r#"
        init { { y = (1 + (2 * 2)) } }
    "#]],
    );
    check(
        "inline g(x) { x = 1 } inline f(y) { g(y); h(y) } inline h(z) { z = 2 } init { f(x) }",
        expect![[r#"
        init { { { x = 1 }; { x = 2 } } }
    "#]],
    );
    check(
        "int a; inline f(x) { a = x } inline g(a) { f(a) } init { g(b) }",
        expect![[r#"
        int a
        init { { { a = b } } }
    "#]],
    );
}

#[test]
fn line_ends_in_the_body() {
    check(
        "inline f(x)\n{ x\n  y\n}\ninit {\n  f(1)\n  f(\n2)\n skip }",
        expect![[r#"
        init { { 1; y }; { 2; y }; 1 }
    "#]],
    );
}

#[test]
fn values() {
    check(
        "inline f(x) { if :: x > 3 -> return 1 :: else -> return x + 1 fi } init { y = f(3); t.z = f(y) }",
        expect![[r#"
        init { { if :: (3 > 3); y = 1 :: else; y = (3 + 1) fi }; { if :: (y > 3); t.z = 1 :: else; t.z = (y + 1) fi } }
    "#]],
    );
    check(
        "inline g(x) { return x } inline f(x) { int q; q = g(x); return q } init { y = f(3) }",
        expect![[r#"
        init { { int q; { q = 3 }; y = q } }
    "#]],
    );
    check(
        "inline f() { skip } init { y = f() }",
        expect![[r#"
        init { { 1 } }
    "#]],
    );
}

#[test]
fn mistakes() {
    expect![[r#"
        error: expected an expression, found `;`
         --> model.pml:2:7
          |
        2 |   a = ;
          |       ^
        ...
        6 |   f(y);
          |   ---- inline `f` is called here
    "#]]
    .assert_eq(&errors("inline f(a) {\n  a = ;\n  x = 1\n}\ninit {\n  f(y);\n  f(z)\n}"));
    expect![[r#"
        error: inline `f` calls itself
         --> model.pml:2:21
          |
        1 | inline f(x) { g(x) }
          |               ---- inline `g` is called here
        2 | inline g(y) { skip; f(y) }
          |                     ^^^^
        3 | init { f(1) }
          |        ---- inline `f` is called here
          |
          = help: an inline is text and cannot be recursive: use a loop
    "#]]
    .assert_eq(&errors("inline f(x) { g(x) }\ninline g(y) { skip; f(y) }\ninit { f(1) }"));
    expect![[r#"
        error: there is no inline `f`
         --> model.pml:1:8
          |
        1 | init { f(1) }
          |        ^
        2 | inline f(x) { skip }
          |        - it is defined here, after its use
          |
          = help: define it before it is used

        error: there is no inline `P`
         --> model.pml:3:16
          |
        3 | proctype P() { P(); g() }
          |                ^
          |
          = help: `P` is a process: it starts with `run P(…)`

        error: there is no inline `g`
         --> model.pml:3:21
          |
        3 | proctype P() { P(); g() }
          |                     ^
    "#]]
    .assert_eq(&errors("init { f(1) }\ninline f(x) { skip }\nproctype P() { P(); g() }"));
    expect![[r#"
        1:32 inline `f` takes 2 arguments, not 0
        1:37 inline `f` takes 2 arguments, not 1
        1:43 inline `f` takes 2 arguments, not 3
        1:55 expected an argument: an expression, found the end of the argument
        1:64 expected `,` or `)` after an argument, found `=`
        1:77 expected `,` or `)` after an argument, found `2`
        1:89 expected an argument: an expression, found a string
        1:98 expected `)`, found the end of the text
    "#]]
    .assert_eq(&messages(
        "inline f(x, y) { skip } init { f(); f(1); f(1,2,3); f(,1); f(x = 3, 1); f(1 2, 3); f(1, \"s\"); f(1",
    ));
    expect![[r#"
        1:10 the parameters of an inline have no types
        1:35 expected `(` before the parameters of an inline, found `{`
        1:56 two parameters are called `a`
        1:95 inline `f` is defined twice
    "#]].assert_eq(&messages("inline f(int x) { skip } inline g { skip } inline h(a, a) { skip } inline f() { skip } inline f() { skip }"));
    expect![[r#"
        1:15 there is nothing to return the value to
        1:43 the call of inline `f` cannot be a part of an expression
        1:61 `f` is not a function
    "#]]
    .assert_eq(&messages("inline f(x) { return x } init { f(1); y = f(1) + 1; y = 1 + f(1) }"));
    expect![[r#"
        1:14 expected a statement, found `od`
        1:32 expected a statement, found `}`
    "#]]
    .assert_eq(&messages("inline f() { od } inline g() { } init { f(); g(); skip }"));
    expect![[r#"
        1:25 expected `::` or `fi`, found `}`
        3:15 expected `}`, found the end of the text
    "#]]
    .assert_eq(&messages("inline f() { if :: skip }\ninit { f() }\ninline g() { {"));
}

/// A statement of an inline is shown in the inline's body, even if it begins with a parameter; its parts are where they
/// are written.
#[test]
fn spans() {
    let text = "#define ONE 1\ninline f(a) { a = ONE; ONE > a }\ninit { f(xyz) }";
    let (sources, module, diagnostics) = parse_str(text);
    assert!(diagnostics.is_empty());
    let Some(Item::Proctype(init)) = module.items.last() else { panic!() };
    let call = &init.body.stmts[0];
    assert_eq!(sources.snippet(call.span), "f(xyz)");
    let StmtKind::Block(body) = &call.kind else { panic!() };
    let texts: Vec<&str> = body.stmts.iter().map(|stmt| sources.snippet(stmt.span)).collect();
    assert_eq!(texts, ["a = ONE", "ONE > a"]);
    let chain: Vec<&str> =
        sources.expansion_chain(body.stmts[0].span).iter().map(|expansion| expansion.name.as_str()).collect();
    assert_eq!(chain, ["f"]);
    let StmtKind::Assign { target, value } = &body.stmts[0].kind else { panic!() };
    assert_eq!(sources.position(target.span).to_string(), "model.pml:3:10");
    let chain: Vec<&str> =
        sources.expansion_chain(value.span).iter().map(|expansion| expansion.name.as_str()).collect();
    assert_eq!(chain, ["ONE", "f"]);
    assert_eq!(sources.user_position(value.span).to_string(), "model.pml:2:19");
}
