//! More than a state vector can hold.

use super::check;
use expect_test::expect;

#[test]
fn channels() {
    check(
        "chan q[200] = [1] of { byte };\ninit { chan r[100] = [1] of { byte }; skip }",
        expect![[r#"
            error: more than 255 channels
             --> model.pml:2:22
              |
            2 | init { chan r[100] = [1] of { byte }; skip }
              |                      ^^^^^^^^^^^^^^^
              |
              = help: a channel's number is one byte; every element of an array of channels counts
        "#]],
    );
}

#[test]
fn global_channels() {
    check(
        "chan q[200] = [1] of { byte };\nchan r[100] = [1] of { byte };\ninit { skip }",
        expect![[r#"
            error: more than 255 channels
             --> model.pml:2:15
              |
            2 | chan r[100] = [1] of { byte };
              |               ^^^^^^^^^^^^^^^
              |
              = help: a channel's number is one byte; every element of an array of channels counts
        "#]],
    );
}

#[test]
fn one_array_of_channels() {
    check(
        "chan q[256] = [1] of { byte };\ninit { skip }",
        expect![[r#"
            error: more than 255 channels
             --> model.pml:1:15
              |
            1 | chan q[256] = [1] of { byte };
              |               ^^^^^^^^^^^^^^^
              |
              = help: a channel's number is one byte; every element of an array of channels counts
        "#]],
    );
}

#[test]
fn large_array() {
    check(
        "int a[2147483647];\ninit { a[1] = 1 }",
        expect![[r#"
            error: the variables and channels take more than 256 KiB
             --> model.pml:1:5
              |
            1 | int a[2147483647];
              |     ^^^^^^^^^^^^^
              |
              = help: a search keeps many states: make the arrays and channels as small as the protocol allows
        "#]],
    );
}

#[test]
fn large_records() {
    check(
        "typedef T { byte b[200000] };\nT t[2];\ninit { t[0].b[0] = 1 }",
        expect![[r#"
            error: the variables and channels take more than 256 KiB
             --> model.pml:2:3
              |
            2 | T t[2];
              |   ^^^^
              |
              = help: a search keeps many states: make the arrays and channels as small as the protocol allows
        "#]],
    );
}

#[test]
fn large_record() {
    check(
        "typedef T { byte b[200000]; byte c[200000] };\ninit { skip }",
        expect![[r#"
            error: a record of more than 256 KiB
             --> model.pml:1:34
              |
            1 | typedef T { byte b[200000]; byte c[200000] };
              |                                  ^^^^^^^^^
              |
              = help: make its arrays smaller
        "#]],
    );
}

#[test]
fn large_messages() {
    check(
        "typedef T { byte b[2000] };\nchan q = [1] of { T };\nT t;\ninit { q!t }",
        expect![[r#"
            error: a message of more than 1000 values
             --> model.pml:2:19
              |
            2 | chan q = [1] of { T };
              |                   ^
              |
              = help: every element of an array in a record is one

            error: a message of more than 1000 values
             --> model.pml:4:10
              |
            4 | init { q!t }
              |          ^
              |
              = help: every element of an array in a record is one
        "#]],
    );
}

#[test]
fn large_channels() {
    check(
        "chan q[60] = [255] of { int, int, int, int, int };\ninit { skip }",
        expect![[r#"
            error: the variables and channels take more than 256 KiB
             --> model.pml:1:14
              |
            1 | chan q[60] = [255] of { int, int, int, int, int };
              |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: a search keeps many states: make the arrays and channels as small as the protocol allows
        "#]],
    );
}
