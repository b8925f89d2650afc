//! Warnings of what is legal and hardly meant. SPIN accepts all of these without a word.

use super::{accept, check};
use expect_test::expect;

#[test]
fn constants_that_do_not_fit() {
    check(
        "byte n = 300;\nunsigned u : 3 = 8;\nshort s[2] = { 1, 40000 };\nbool b;\ninit { b = 2; n = -1; n = 255; s[0] = -32768; u = 7 }",
        expect![[r#"
            warning[value-too-large]: 300 does not fit into `n`, which keeps it as 44
             --> model.pml:1:10
              |
            1 | byte n = 300;
              |          ^^^
              |
              = help: a byte holds 0 to 255; take a larger type

            warning[value-too-large]: 8 does not fit into `u`, which keeps it as 0
             --> model.pml:2:18
              |
            2 | unsigned u : 3 = 8;
              |                  ^
              |
              = help: an unsigned of 3 bits holds 0 to 7; take a larger type

            warning[value-too-large]: 40000 does not fit into `s`, which keeps it as -25536
             --> model.pml:3:19
              |
            3 | short s[2] = { 1, 40000 };
              |                   ^^^^^
              |
              = help: a short holds -32768 to 32767; take a larger type

            warning[value-too-large]: 2 does not fit into `b`, which keeps it as 0
             --> model.pml:5:12
              |
            5 | init { b = 2; n = -1; n = 255; s[0] = -32768; u = 7 }
              |            ^
              |
              = help: a bit holds 0 to 1; take a larger type

            warning[value-too-large]: -1 does not fit into `n`, which keeps it as 255
             --> model.pml:5:19
              |
            5 | init { b = 2; n = -1; n = 255; s[0] = -32768; u = 7 }
              |                   ^^
              |
              = help: a byte holds 0 to 255; take a larger type
        "#]],
    );
}

/// SPIN runs them for ever, too.
#[test]
fn loops_that_do_not_end() {
    check(
        "byte i;\nshort k;\ninit { for (i : 0 .. 255) { skip }; for (k : 1 .. 255) { skip }; for (i : 0 .. 254) { skip } }",
        expect![[r#"
            warning[endless-for]: this loop does not end: `i` never becomes larger than 255
             --> model.pml:3:22
              |
            3 | init { for (i : 0 .. 255) { skip }; for (k : 1 .. 255) { skip }; for (i : 0 .. 254) { skip } }
              |                      ^^^
              |
              = help: it is a byte and holds at most 255; take a larger type
        "#]],
    );
}

#[test]
fn comparisons_that_always_come_out_the_same() {
    check(
        "byte n;\nbool b;\nint i;\nshort s;\ninit { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }",
        expect![[r#"
            warning[always-false]: `n < 0` never holds
             --> model.pml:5:8
              |
            5 | init { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }
              |        ^^^^^
              |
              = help: `n` is a byte and holds 0 to 255; `short` and `int` can be negative

            warning[always-false]: `b == 2` never holds
             --> model.pml:5:15
              |
            5 | init { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }
              |               ^^^^^^
              |
              = help: `b` is a bit and holds 0 to 1

            warning[always-false]: `s > 40000` never holds
             --> model.pml:5:23
              |
            5 | init { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }
              |                       ^^^^^^^^^
              |
              = help: `s` is a short and holds -32768 to 32767

            warning[always-true]: `(n >= 0)` always holds
             --> model.pml:5:47
              |
            5 | init { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }
              |                                               ^^^^^^^^
              |
              = help: `n` is a byte and holds 0 to 255; `short` and `int` can be negative

            warning[always-true]: `300 > n` always holds
             --> model.pml:5:57
              |
            5 | init { n < 0; b == 2; s > 40000; i < 0; assert(n >= 0); 300 > n }
              |                                                         ^^^^^^^
              |
              = help: `n` is a byte and holds 0 to 255
        "#]],
    );
    accept("#define N 0\nbyte n;\ninit { if :: n < N -> skip :: else fi }");
}

/// A macro tells a model which variant it is, and `false` is how people write that they wait for ever.
#[test]
fn conditions_in_which_nothing_changes() {
    check(
        "mtype = { req, ack };\ninit { req == ack }",
        expect![[r#"
        warning[always-false]: `req == ack` never holds: nothing in it can change
         --> model.pml:2:8
          |
        2 | init { req == ack }
          |        ^^^^^^^^^^
          |
          = help: the process waits here for ever; write `false` if that is meant
    "#]],
    );
    accept("#define N 3\ninit { if :: N > 4 -> skip :: else fi; false }");
}

#[test]
fn printf_and_its_values() {
    check(
        "byte n;\ninit { printf(\"%d and %d\\n\", n); printf(\"%d\\n\", n, n); printf(\"%5d\\n\", n); printf(\"100%% %c%e%o%u%x\", n, n, n, n, n) }",
        expect![[r#"
            warning[printf-arguments]: this format prints 2 values, but 1 is given
             --> model.pml:2:8
              |
            2 | init { printf("%d and %d\n", n); printf("%d\n", n, n); printf("%5d\n", n); printf("100%% %c%e%o%u%x", n, n, n, n,...
              |        ^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: each `%d` in the format needs a value after it; a missing one is printed as 0

            warning[printf-arguments]: this format prints 1 value, but 2 are given
             --> model.pml:2:34
              |
            2 | init { printf("%d and %d\n", n); printf("%d\n", n, n); printf("%5d\n", n); printf("100%% %c%e%o%u%x", n, n, n, n,...
              |                                  ^^^^^^^^^^^^^^^^^^^^
              |
              = help: write a `%d` for each value

            warning[printf-arguments]: `printf` has no conversion `%5`
             --> model.pml:2:56
              |
            2 | init { printf("%d and %d\n", n); printf("%d\n", n, n); printf("%5d\n", n); printf("100%% %c%e%o%u%x", n, n, n, n,...
              |                                                        ^^^^^^^^^^^^^^^^^^
              |
              = help: there are %d, %u, %x, %o, %c, %e (the name of an mtype value) and %%
        "#]],
    );
}

#[test]
fn too_few_fields() {
    check(
        "chan c = [1] of { byte, byte };\nbyte n;\ninit { c!1; c?n; c!1, 2; c?n, _ }",
        expect![[r#"
            warning[missing-fields]: 1 field sent, but messages of `c` have 2
             --> model.pml:3:8
              |
            1 | chan c = [1] of { byte, byte };
              |      - the channel is declared here
            2 | byte n;
            3 | init { c!1; c?n; c!1, 2; c?n, _ }
              |        ^^^
              |
              = help: it is an error when it is executed: give a value for each field

            warning[missing-fields]: 1 field received, but messages of `c` have 2
             --> model.pml:3:13
              |
            1 | chan c = [1] of { byte, byte };
              |      - the channel is declared here
            2 | byte n;
            3 | init { c!1; c?n; c!1, 2; c?n, _ }
              |             ^^^
              |
              = help: it is an error when it is executed: write `_` for a field that is not needed
        "#]],
    );
}

#[test]
fn a_condition_that_is_sent() {
    check(
        "chan c = [1] of { bool };\nbyte n;\ninit { c!1 && n > 3; c!(n > 1 && n < 3); c!n > 2 }",
        expect![[r#"
            warning[condition-sent]: what is sent is the value of the condition `1 && n > 3`
             --> model.pml:3:10
              |
            3 | init { c!1 && n > 3; c!(n > 1 && n < 3); c!n > 2 }
              |          ^^^^^^^^^^
              |
              = help: a send is a statement: write `condition -> c!message`; if the value is meant, put it into parentheses
        "#]],
    );
}

/// Without an `else`, and without a test beside it, it is a free choice of a value.
#[test]
fn guards_that_assign() {
    check(
        "byte n, k;\nactive proctype P() {\n  if\n  :: n = 1 -> k = 1\n  :: else -> k = 2\n  fi;\n  if :: n == 1 -> skip :: n = 2 -> skip fi\n}",
        expect![[r#"
            warning[assignment-guard]: this guard is an assignment: it is always executable
             --> model.pml:4:6
              |
            4 |   :: n = 1 -> k = 1
              |      ^^^^^
            5 |   :: else -> k = 2
              |      ---- so `else` is never taken
              |
              = help: to ask for the value, write `n == 1`

            warning[assignment-guard]: this guard is an assignment: it is always executable
             --> model.pml:7:27
              |
            7 |   if :: n == 1 -> skip :: n = 2 -> skip fi
              |                           ^^^^^
              |
              = help: to ask for the value, write `n == 2`
        "#]],
    );
    accept("byte n;\ninit { if :: n = 1 :: n = 2 -> skip fi; do :: n < 5 -> break :: n = n + 1 od }");
}

/// SPIN takes it as a statement that can always be executed.
#[test]
fn an_else_without_its_option() {
    check(
        "byte n;\ninit {\n  if\n  :: n == 0 -> n = 1\n  else -> n = 2\n  fi\n}",
        expect![[r#"
        warning[stray-else]: this `else` begins no option: it stands between statements and does nothing
         --> model.pml:5:3
          |
        5 |   else -> n = 2
          |   ^^^^
          |
          = help: an option begins with `::`: write `:: else -> …`
    "#]],
    );
}

#[test]
fn a_label_before_a_loop() {
    check(
        "byte i, n;\ninit {\nagain:\n  for (i : 1 .. 3) { n++ }\n  if :: n < 5 -> goto again :: else fi\n}",
        expect![[r#"
            warning[label-before-for]: this jump skips the initialisation of the `for` at `again`
             --> model.pml:5:23
              |
            3 | again:
              | ----- the label stands behind the first assignment of the loop variable
            4 |   for (i : 1 .. 3) { n++ }
            5 |   if :: n < 5 -> goto again :: else fi
              |                       ^^^^^
              |
              = help: write `again: skip; for (…)`, so that the loop begins anew
        "#]],
    );
    check(
        "byte i, n = 5;\ninit {\nagain: select (i : 1 .. n);\n  if :: i < 3 -> goto again :: else fi\n}",
        expect![[r#"
            warning[label-before-for]: this jump skips the initialisation of the `select` at `again`
             --> model.pml:4:23
              |
            3 | again: select (i : 1 .. n);
              | ----- the label stands behind the first assignment of the loop variable
            4 |   if :: i < 3 -> goto again :: else fi
              |                       ^^^^^
              |
              = help: write `again: skip; select (…)`, so that the loop begins anew
        "#]],
    );
    accept(
        "byte i, n;\ninit {\nagain: skip;\n  for (i : 1 .. 3) { n++ }\nend: for (i : 1 .. 3) { n++ }\n  if :: n < 9 -> goto again :: else fi\n}",
    );
    accept("byte i;\ninit { again: select (i : 1 .. 3); if :: i < 3 -> goto again :: else fi }");
}

#[test]
fn a_process_that_nobody_starts() {
    check(
        "proctype P() { skip }\nproctype Q() { run Q() }\ninit { skip }",
        expect![[r#"
        warning[unused-process]: process `P` is never started
         --> model.pml:1:10
          |
        1 | proctype P() { skip }
          |          ^
          |
          = help: start it with `run P(…)`, or write `active proctype P()`
    "#]],
    );
}

#[test]
fn indices_that_no_element_has() {
    check(
        "byte a[3], i;\ninit { a[3] = 1; i = a[-1]; a[2] = a[i] }",
        expect![[r#"
        warning[index-out-of-range]: `a` has no element 3
         --> model.pml:2:10
          |
        2 | init { a[3] = 1; i = a[-1]; a[2] = a[i] }
          |          ^
          |
          = help: its elements are 0 to 2; it is an error when this is executed

        warning[index-out-of-range]: `a` has no element -1
         --> model.pml:2:24
          |
        2 | init { a[3] = 1; i = a[-1]; a[2] = a[i] }
          |                        ^^
          |
          = help: its elements are 0 to 2; it is an error when this is executed
    "#]],
    );
}
