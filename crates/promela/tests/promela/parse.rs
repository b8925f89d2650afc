//! What is accepted, and how it is understood. Whether SPIN accepts it was asked of SPIN 6.5.2.

use crate::common::parsed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&parsed(text));
}

/// Statements in a process.
fn check_body(statements: &str, expected: Expect) {
    let text = parsed(&format!("init {{ {statements} }}"));
    expected
        .assert_eq(text.strip_prefix("init { ").and_then(|text| text.strip_suffix(" }\n")).unwrap_or(&text));
}

#[test]
fn declarations() {
    check(
        "bit a; bool b = true, c; byte d[3]; pid p; short s = -1; int i = 'a' + 1; unsigned u : 3 = 2, w : 5;\n\
         hidden int h; show byte v; local bool l; int list[3] = { 1, 2, 3 }; chan q;",
        expect![[r#"
            bit a
            bool b = 1, c
            byte d[3]
            pid p
            short s = -1
            int i = (97 + 1)
            unsigned u : 3 = 2, w : 5
            hidden int h
            show byte v
            local bool l
            int list[3] = { 1, 2, 3 }
            chan q
        "#]],
    );
    check(
        "chan c = [2] of { int, mtype, chan, bit }, d[3] = [0] of { mtype:kind };\nmtype:kind = { x y, z, };\n\
         mtype = { a, b }\nmtype { c }\nmtype m = a; mtype:kind n = x;",
        expect![[r#"
            chan c = [2] of { int, mtype, chan, bit }, d[3] = [0] of { mtype:kind }
            mtype:kind = { x y z }
            mtype = { a b }
            mtype = { c }
            mtype m = a
            mtype:kind n = x
        "#]],
    );
    check(
        "typedef T { int x; byte y[2]\n chan c = [1] of { int } };\ntypedef U { T t[3]; bool b; }; U u, v[2]",
        expect![[r#"
        typedef T { int x; byte y[2]; chan c = [1] of { int } }
        typedef U { T t[3]; bool b }
        U u, v[2]
    "#]],
    );
    check(
        ";;int x -> int y;; byte z bool b",
        expect![[r#"
        int x
        int y
        byte z
        bool b
    "#]],
    );
}

#[test]
fn processes() {
    check(
        "proctype P(int a, b; chan c; mtype:k m) { skip }\nactive proctype A() { skip };\nactive [2 + 1] proctype B() { skip }\n\
         D_proctype D() priority 3 provided (x > 0) { skip }\ninit priority 2 { skip }",
        expect![[r#"
            proctype P(int a, b; chan c; mtype:k m) { 1 }
            active proctype A() { 1 }
            active [(2 + 1)] proctype B() { 1 }
            D_proctype D() priority 3 provided (x > 0) { 1 }
            init priority 2 { 1 }
        "#]],
    );
    check(
        "never { skip } never n { skip } trace { c!x } notrace { c?x }",
        expect![[r#"
        never { 1 }
        never n { 1 }
        trace { c!x }
        notrace { c?x }
    "#]],
    );
}

#[test]
fn separators() {
    check_body("x = 1; ; -> y = 2; -> -> z = 3;", expect!["x = 1; y = 2; z = 3"]);
    check_body(
        "{ x = 1 } y = 2; atomic { x = 1 } d_step { y = 1; } z = 3",
        expect!["{ x = 1 }; y = 2; atomic { x = 1 }; d_step { y = 1 }; z = 3"],
    );
    check_body(
        "if :: x -> ; y = 1; :: else z = 1 fi; do :: else -> od;",
        expect!["if :: x; y = 1 :: else; z = 1 fi; do :: else od"],
    );
    check_body("int x; x = 1; int y = x; y++", expect!["int x; x = 1; int y = x; y++"]);
}

#[test]
fn line_ends_separate() {
    check_body(
        "x = 1\ny = 2\n-1\n(z)\nif\n:: a\n   b\n:: else\n   c++\nfi\nd--\n",
        expect!["x = 1; y = 2; -1; z; if :: a; b :: else; c++ fi; d--"],
    );
    check_body(
        "x = (a\n + b\n - c)\nprintf(\"x\"\n, y)\nrun\nP(1)\ny = z +\n 2",
        expect![[r#"x = ((a + b) - c); printf("x", y); run P(1); y = (z + 2)"#]],
    );
    check_body(
        "goto L\nL:\nx = 1 /* and\n */ y = 2\nfor (i : 1 .. 2)\n{ skip\n}\nskip",
        expect!["goto L; L: x = 1; y = 2; for (i : 1 .. 2) { 1 }; 1"],
    );
    check(
        "typedef T { int a\nbyte b[2]\nchan c }\nint x\n= 3\n, y\ninit\n{ skip }",
        expect![[r#"
        typedef T { int a; byte b[2]; chan c }
        int x = 3, y
        init { 1 }
    "#]],
    );
    check(
        "#define SET(a) x = a\n#define NOTHING\ninit { SET(1)\nSET(\n2) NOTHING\nNOTHING x = 3 }",
        expect![[r#"
        init { x = 1; x = 2; x = 3 }
    "#]],
    );
}

#[test]
fn labels() {
    check_body("a: b: x = 1; c: ; d: { skip }; e:", expect!["a: b: x = 1; c: 1; d: { 1 }; e: 1"]);
    check_body("do :: l: x = 1 :: end: od", expect!["do :: l: x = 1 :: end: 1 od"]);
}

#[test]
fn unless() {
    check_body(
        "x = 1 unless y; { a; b } unless { c; d } e = 1; if :: x fi unless z",
        expect!["(x = 1 unless y); ({ a; b } unless { c; d }); e = 1; (if :: x fi unless z)"],
    );
}

#[test]
fn messages() {
    check_body(
        "c!x; c!x,y+1; c!m(x, 2); c!!m,1; c[2]!x; t.c!-1; c!(x)",
        expect!["c!x; c!x, (y + 1); c!m, x, 2; c!!m, 1; c[2]!x; t.c!-1; c!x"],
    );
    check_body(
        "c?x; c?x,_,3,-1; c?m(x,y); c?x,m(y); c?(x,y); c?eval(x+1),y.z[1]; c??x; c?<x>; c??<m(x)>",
        expect![
            "c?x; c?x, _, 3, -1; c?m, x, y; c?x, m, y; c?x, y; c?eval((x + 1)), y.z[1]; c??x; c?<x>; c??<m, x>"
        ],
    );
    check_body(
        "c?[x] && c??[m(1)]; x = !c?[eval(y)]; len(c) > 2; empty(c) || nfull(c); !full(c)",
        expect!["(c?[x] && c??[m, 1]); x = !c?[eval(y)]; (len(c) > 2); (empty(c) || nfull(c)); !full(c)"],
    );
}

#[test]
fn loops() {
    check_body(
        "for (i : 1 .. n-1) { skip } for (i in a) { skip; } for (x in t.a) ; { skip }",
        expect!["for (i : 1 .. (n - 1)) { 1 }; for (i in a) { 1 }; for (x in t.a) { 1 }"],
    );
    check_body(
        "select (i : 0..3); select (i : n .. m + 1)",
        expect!["select (i : 0 .. 3); select (i : n .. (m + 1))"],
    );
    check_body("do :: x -> break :: timeout od", expect!["do :: x; break :: timeout od"]);
}

#[test]
fn other_statements() {
    check_body(
        "assert(x); assert x > 3; printf(\"a\\n%d\\\\\", x); printm(m); goto l; x++; a[1].b--",
        expect![[r#"assert x; assert (x > 3); printf("a\n%d\\", x); printm(m); goto l; x++; a[1].b--"#]],
    );
    check_body(
        "xr c, d; xs e; set_priority(_pid, 2 + 1); else; skip; true; false",
        expect!["xr c, d; xs e; set_priority(_pid, (2 + 1)); else; 1; 1; 0"],
    );
}

#[test]
fn operators_bind_as_in_c() {
    check_body(
        "x = a | b == c ^ d & e << 2 + f * -g",
        expect!["x = (a | ((b == c) ^ (d & (e << (2 + (f * -g))))))"],
    );
    check_body("x = a || b && c | d || e", expect!["x = ((a || (b && (c | d))) || e)"]);
    check_body("x = a - b - c + d * e / f % g", expect!["x = (((a - b) - c) + (((d * e) / f) % g))"]);
    check_body(
        "x = a < b == c > d; x = 1 < 2 < 3; x = a << 1 >> 2; x = !a == b; x = ~a + b; x = - -a",
        expect![
            "x = ((a < b) == (c > d)); x = ((1 < 2) < 3); x = ((a << 1) >> 2); x = (!a == b); x = (~a + b); x = --a"
        ],
    );
    check_body(
        "x = (a -> b : (c -> d : e)) + 1; x = ((a))",
        expect!["x = ((a -> b : (c -> d : e)) + 1); x = a"],
    );
}

#[test]
fn primaries() {
    check_body(
        "x = run P(1, y) priority 3; run Q(); x = timeout + np_ + enabled(1) + pc_value(a) + get_priority(b)",
        expect![
            "x = run P(1, y) priority 3; run Q(); x = ((((timeout + np_) + enabled(1)) + pc_value(a)) + get_priority(b))"
        ],
    );
    check_body(
        "x = a[b[1]].c.d[2].e + 'a' + '\\n' + 010 + true + skip",
        expect!["x = (((((a[b[1]].c.d[2].e + 97) + 10) + 10) + 1) + 1)"],
    );
    check(
        "proctype P() { l: skip } never { P@l; P[1]@l && P:x == P[i+1]:y[2] }",
        expect![[r#"
        proctype P() { l: 1 }
        never { P@l; (P[1]@l && (P:x == P[(i + 1)]:y[2])) }
    "#]],
    );
    check(
        "active proctype A() { P: skip; x = (a -> b : c) } proctype P() { skip }",
        expect![[r#"
        active proctype A() { P: 1; x = (a -> b : c) }
        proctype P() { 1 }
    "#]],
    );
    check_body("do :: x = 1od", expect!["do :: x = 1 od"]);
    // A number too big is cut to 32 bits, as SPIN does.
    check(
        "int x = 4294967295",
        expect![[r#"
            warning[number-too-large]: 4294967295 does not fit into 32 bits and is taken as -1
             --> model.pml:1:9
              |
            1 | int x = 4294967295
              |         ^^^^^^^^^^
        "#]],
    );
}

fn check_ltl(formula: &str, expected: Expect) {
    let text = parsed(&format!("ltl {{ {formula} }}"));
    expected
        .assert_eq(text.strip_prefix("ltl { ").and_then(|text| text.strip_suffix(" }\n")).unwrap_or(&text));
}

#[test]
fn formulas() {
    check_ltl("[] a -> b U c", expect!["([]`a` -> (`b` U `c`))"]);
    check_ltl("a -> b -> c", expect!["((`a` -> `b`) -> `c`)"]);
    check_ltl("a U b U c", expect!["((`a` U `b`) U `c`)"]);
    check_ltl("! a U b && c || a -> b", expect!["((((!`a` U `b`) && `c`) || `a`) -> `b`)"]);
    check_ltl("[] a U b", expect!["([]`a` U `b`)"]);
    check_ltl("a && [] b && c", expect!["((`a` && []`b`) && `c`)"]);
    check_ltl("a <-> b -> c <-> a", expect!["(((`a` <-> `b`) -> `c`) <-> `a`)"]);
    check_ltl("a W b U c V a", expect!["(((`a` W `b`) U `c`) V `a`)"]);
    check_ltl("X a U X b", expect!["(X`a` U X`b`)"]);
    check_ltl("[]<>!a", expect!["[]<>!`a`"]);
    check_ltl("always eventually a until b weakuntil c", expect!["(([]<>`a` U `b`) W `c`)"]);
    check_ltl(
        "a stronguntil b release c implies next a equivalent b",
        expect!["((((`a` U `b`) V `c`) -> X`a`) <-> `b`)"],
    );
    check_ltl("[] (x == 3 && y + 1 < -z)", expect!["[](`(x == 3)` && `((y + 1) < -z)`)"]);
    check_ltl("(a && !b) == c", expect!["`((a && !b) == c)`"]);
    check_ltl("(a -> b) + 1 > 0", expect!["`(((!a || b) + 1) > 0)`"]);
    check_ltl(
        "[] (len(q) < 3\n && q?[m] || a[i + 1] ) -> P@l ;",
        expect!["([]((`(len(q) < 3)` && `q?[m]`) || `a[(i + 1)]`) -> `P@l`)"],
    );
    check_ltl("[] empty(q) && !(full(q) U true)", expect!["([]`empty(q)` && !(`full(q)` U `1`))"]);
    check(
        "ltl p { [] P[1]:x } proctype P() { skip }",
        expect![[r#"
        ltl p { []`P[1]:x` }
        proctype P() { 1 }
    "#]],
    );
    check(
        "int U, X, always, in; ltl named { X < 3 }",
        expect![[r#"
        error: expected a formula, found `<`
         --> model.pml:1:37
          |
        1 | int U, X, always, in; ltl named { X < 3 }
          |                                     ^
    "#]],
    );
}
