//! Control: labels, jumps, loops, choices, deterministic steps.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("init { { skip; L: skip }; { skip; L: skip } }");
    accept("inline f() { skip; L: skip; goto L }\ninit { L: skip; f(); f() }");
    accept("init { d_step { do :: break od; skip; goto L; L: skip } }");
    accept("int i, a[3];\ninit { for (i in a) { skip } }");
}

#[test]
fn undefined_label() {
    check(
        "init { goto L }",
        expect![[r#"
            error: there is no label `L` in this process
             --> model.pml:1:13
              |
            1 | init { goto L }
              |             ^
              |
              = help: a jump stays inside its process
        "#]],
    );
}

#[test]
fn label_twice() {
    check(
        "init { L: skip; L: skip }",
        expect![[r#"
            error: label `L` is declared twice
             --> model.pml:1:17
              |
            1 | init { L: skip; L: skip }
              |        -        ^
              |        |
              |        first declared here
              |
              = help: labels of the same name stand in different blocks, none inside the other
        "#]],
    );
}

#[test]
fn label_twice_in_nested_blocks() {
    check(
        "init { L: skip; { skip; L: skip }; goto L }",
        expect![[r#"
            error: label `L` is declared twice
             --> model.pml:1:25
              |
            1 | init { L: skip; { skip; L: skip }; goto L }
              |        -                ^
              |        |
              |        first declared here
              |
              = help: labels of the same name stand in different blocks, none inside the other
        "#]],
    );
}

#[test]
fn label_twice_in_options() {
    check(
        "init { if :: skip; L: skip :: skip; L: skip fi }",
        expect![[r#"
            error: label `L` is declared twice
             --> model.pml:1:37
              |
            1 | init { if :: skip; L: skip :: skip; L: skip fi }
              |                    -                ^
              |                    |
              |                    first declared here
              |
              = help: labels of the same name stand in different blocks, none inside the other
        "#]],
    );
}

#[test]
fn ambiguous_label() {
    check(
        "init { goto L; { skip; L: skip }; { skip; L: skip } }",
        expect![[r#"
            error: several blocks have a label `L`, and none is around this jump
             --> model.pml:1:13
              |
            1 | init { goto L; { skip; L: skip }; { skip; L: skip } }
              |             ^          - one is here      - and one here
        "#]],
    );
}

#[test]
fn misplaced_labels() {
    check(
        "init { { A: skip }; atomic { B: skip }; if :: C: skip fi; d_step { D: skip } }",
        expect![[r#"
            error: label `A` is misplaced
             --> model.pml:1:10
              |
            1 | init { { A: skip }; atomic { B: skip }; if :: C: skip fi; d_step { D: skip } }
              |          ^
              |
              = help: the first statement of `{ Label: … }` is not a state by itself: put the label before it

            error: label `B` is misplaced
             --> model.pml:1:30
              |
            1 | init { { A: skip }; atomic { B: skip }; if :: C: skip fi; d_step { D: skip } }
              |                              ^
              |
              = help: the first statement of `atomic { Label: … }` is not a state by itself: put the label before it

            error: label `C` is misplaced
             --> model.pml:1:47
              |
            1 | init { { A: skip }; atomic { B: skip }; if :: C: skip fi; d_step { D: skip } }
              |                                               ^
              |
              = help: the first statement of `:: Label: …` is not a state by itself: put the label before it

            error: label `D` is misplaced
             --> model.pml:1:68
              |
            1 | init { { A: skip }; atomic { B: skip }; if :: C: skip fi; d_step { D: skip } }
              |                                                                    ^
              |
              = help: the first statement of `d_step { Label: … }` is not a state by itself: put the label before it
        "#]],
    );
}

#[test]
fn misplaced_label_in_unless() {
    check(
        "init { { A: skip } unless { B: skip } }",
        expect![[r#"
            error: label `A` is misplaced
             --> model.pml:1:10
              |
            1 | init { { A: skip } unless { B: skip } }
              |          ^
              |
              = help: the first statement of `{ Label: … } unless …` is not a state by itself: put the label before it

            error: label `B` is misplaced
             --> model.pml:1:29
              |
            1 | init { { A: skip } unless { B: skip } }
              |                             ^
              |
              = help: the first statement of `… unless { Label: … }` is not a state by itself: put the label before it
        "#]],
    );
}

#[test]
fn break_outside_a_loop() {
    check(
        "init { if :: break fi }",
        expect![[r#"
            error: `break` outside a loop
             --> model.pml:1:14
              |
            1 | init { if :: break fi }
              |              ^^^^^
              |
              = help: it leaves the innermost `do` or `for`
        "#]],
    );
}

#[test]
fn break_out_of_a_d_step() {
    check(
        "init { do :: d_step { skip; break } od }",
        expect![[r#"
            error: `break` outside a loop
             --> model.pml:1:29
              |
            1 | init { do :: d_step { skip; break } od }
              |                             ^^^^^
              |
              = help: it can leave only a loop that is inside the same d_step
        "#]],
    );
}

#[test]
fn jump_out_of_a_d_step() {
    check(
        "init { L: skip; d_step { skip; goto L } }",
        expect![[r#"
            error: a jump out of a d_step
             --> model.pml:1:37
              |
            1 | init { L: skip; d_step { skip; goto L } }
              |                                     ^
              |
              = help: a d_step is one step: use `atomic` if control must come in or leave in the middle
        "#]],
    );
}

#[test]
fn jump_into_a_d_step() {
    check(
        "init { goto L; d_step { skip; L: skip } }",
        expect![[r#"
            error: a jump into a d_step
             --> model.pml:1:13
              |
            1 | init { goto L; d_step { skip; L: skip } }
              |             ^
              |
              = help: a d_step is one step: use `atomic` if control must come in or leave in the middle
        "#]],
    );
}

#[test]
fn unless_in_a_d_step() {
    check(
        "init { d_step { skip unless skip } }",
        expect![[r#"
            error: `unless` inside a d_step
             --> model.pml:1:17
              |
            1 | init { d_step { skip unless skip } }
              |                 ^^^^^^^^^^^^^^^^
              |
              = help: nothing can interrupt a d_step: use `atomic`
        "#]],
    );
}

#[test]
fn two_elses() {
    check(
        "init { if :: else :: else fi }",
        expect![[r#"
            error: a choice can have only one `else`
             --> model.pml:1:19
              |
            1 | init { if :: else :: else fi }
              |                   ^^^^^^^
              |
              = help: `else` is taken when no other option can be
        "#]],
    );
}

#[test]
fn nothing_in_a_block() {
    check(
        "chan q = [1] of { byte };\ninit { if :: xr q fi }",
        expect![[r#"
            error: there is no statement here
             --> model.pml:2:11
              |
            2 | init { if :: xr q fi }
              |           ^^^^^^^
              |
              = help: a block or option needs one: write `skip`
        "#]],
    );
}

#[test]
fn empty_ranges() {
    check(
        "int i;\ninit { for (i : 3 .. 1) { skip }; select (i : 2 .. 0) }",
        expect![[r#"
        error: the range 3 .. 1 is empty
         --> model.pml:2:17
          |
        2 | init { for (i : 3 .. 1) { skip }; select (i : 2 .. 0) }
          |                 ^^^^^^

        error: the range 2 .. 0 is empty
         --> model.pml:2:47
          |
        2 | init { for (i : 3 .. 1) { skip }; select (i : 2 .. 0) }
          |                                               ^^^^^^
    "#]],
    );
}

#[test]
fn for_over_nothing() {
    check(
        "int i;\ninit { for (i in i) { skip } }",
        expect![[r#"
            error: this is neither an array nor a channel
             --> model.pml:2:18
              |
            2 | init { for (i in i) { skip } }
              |                  ^
              |
              = help: write `for (i : 1 .. n)`, `for (i in array)` or `for (message in channel)`
        "#]],
    );
}

#[test]
fn mistake_in_an_inline_once() {
    check(
        "inline f() { x = 1 }\ninit { f(); f() }",
        expect![[r#"
            error: undeclared variable `x`
             --> model.pml:1:14
              |
            1 | inline f() { x = 1 }
              |              ^
            2 | init { f(); f() }
              |        --- inline `f` is called here
        "#]],
    );
}
