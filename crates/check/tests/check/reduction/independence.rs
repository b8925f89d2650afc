//! Which steps are independent of what others may still do, construct by construct, as tables that can be read; and for
//! every cell of them, that the reduced searches find what the full one finds.

use super::compare;
use crate::support::choices::{choice_after, load};
use expect_test::expect;
use panoptes_search::Choice;
use std::fmt::Write;

/// What a step of a process, or what comes later in another one, may be.
const STATEMENTS: [&str; 22] = [
    "v == 0",
    "v = 1",
    "c!4",
    "c!!1",
    "c?v",
    "c?5",
    "c??5",
    "c?[3]",
    "c??[5]",
    "nempty(c)",
    "nfull(c)",
    "empty(c)",
    "full(c)",
    "len(c) == 1",
    "c?[3] || v == 1",
    "if :: c?3 :: else fi",
    "if :: c!1 :: else fi",
    "atomic { c!4; c!4 }",
    "atomic { c?_; c?_ }",
    "d_step { c?_; v = 2 }",
    "_nr_pr == 1",
    "run N()",
];

/// What the channel holds, told by the process that puts it there first.
const FILLINGS: [&str; 3] = ["", "c!3", "c!3; c!5"];

/// A row for each statement, a column for each other one in the same order, and three tables side by side, one for each
/// filling of the channel.
fn table(
    declarations: &str,
    is_interesting: impl Fn(u64) -> bool,
    mark: impl Fn(Choice) -> char,
    processes: impl Fn(&str, &str) -> String,
) -> String {
    let mut table = String::new();
    for own in STATEMENTS {
        write!(table, "{own:<21}").unwrap();
        for filling in FILLINGS {
            table.push_str(" |");
            for other in STATEMENTS {
                let filler = match filling {
                    "" => String::new(),
                    sends => format!("active proctype F() {{ atomic {{ {sends} }} }}"),
                };
                let text = format!("{declarations} {} {filler}", processes(own, other));
                let loaded = load(&text);
                // The sends, and the end of the process that sent.
                let steps = if filling.is_empty() { 0 } else { filling.split(';').count() + 1 };
                let (moving, choice) = choice_after(&loaded, steps, false);
                if !is_interesting(moving) {
                    table.push(' ');
                    continue;
                }
                table.push(mark(choice));
                compare(&text, &loaded.model, 20_000, false).expect("a small model that is reduced");
            }
        }
        table.push_str("|\n");
    }
    table
}

const DECLARATIONS: &str = "chan c = [2] of { byte }; byte v, x, y; proctype N() { v = 3 }";

/// `.` if a step can be taken alone although another process may do that later, `#` if not, blank if it is not possible.
#[test]
fn what_others_may_do_later_matters_or_not() {
    let found = table(
        DECLARATIONS,
        |moving| moving & 1 != 0,
        |choice| if choice == Choice::Processes(1) { '.' } else { '#' },
        |own, other| {
            format!(
                "active proctype A() {{ {own} }} active proctype B() {{ x = 1; x++; {other} }}
                 active proctype C() {{ x = 2 }}"
            )
        },
    );
    expect![[r#"
        v == 0                |.#..#..............#.# |.#..#..............#.# |.#..#..............#.#|
        v = 1                 |##..#.........#....#.# |##..#.........#....#.# |##..#.........#....#.#|
        c!4                   |..##....#.#########... |..##....#.#########... |                      |
        c!!1                  |..##################.. |..##################.. |                      |
        c?v                   |                       |##.#######.#########.# |##.#######.#########.#|
        c?5                   |                       |                       |                      |
        c??5                  |                       |                       |..##################..|
        c?[3]                 |                       |...####........#..##.. |...####........#..##..|
        c??[5]                |                       |                       |..#####........#####..|
        nempty(c)             |                       |...####........#..##.. |...####........#..##..|
        nfull(c)              |..##............##.... |..##............##.... |                      |
        empty(c)              |..#####........#####.. |                       |                      |
        full(c)               |                       |                       |..#####........#####..|
        len(c) == 1           |                       |..#####........#####.. |                      |
        c?[3] || v == 1       |                       |.#.####........#..##.# |.#.####........#..##.#|
        if :: c?3 :: else fi  |..########.#########.. |...#######.#########.. |...#######.#########..|
        if :: c!1 :: else fi  |..##....#.#########... |..##....#.#########... |..#####.#.##########..|
        atomic { c!4; c!4 }   |..##################.. |..##################.. |                      |
        atomic { c?_; c?_ }   |                       |..##################.. |..##################..|
        d_step { c?_; v = 2 } |                       |##.#######.#########.# |##.#######.#########.#|
        _nr_pr == 1           |                       |                       |                      |
        run N()               |###################### |###################### |######################|
    "#]]
    .assert_eq(&found);
}

/// A step whose outcome depends on a process that waits. `.` if it can be taken alone, because what another process may do
/// later does not let the waiting one go; `#` if not; blank if nobody waits.
#[test]
fn what_lets_a_waiting_process_go_matters_or_not() {
    let found = table(
        DECLARATIONS,
        |moving| moving & 0b10 == 0 && moving & 1 != 0,
        |choice| if matches!(choice, Choice::Processes(chosen) if chosen & 0b1100 == 0) { '.' } else { '#' },
        |own, other| {
            format!(
                "byte z; active proctype A() {{ assert(z == 0) }} active proctype W() {{ {own}; z = 1 }}
                 active proctype B() {{ x = 1; {other} }} active proctype C() {{ x = 2 }}"
            )
        },
    );
    expect![[r#"
        v == 0                |                       |                       |                      |
        v = 1                 |                       |                       |                      |
        c!4                   |                       |                       |...####........#..##..|
        c!!1                  |                       |                       |...####........#..##..|
        c?v                   |..##............##.... |                       |                      |
        c?5                   |..##............##.... |...####........#..##.. |...####........#..##..|
        c??5                  |..#####........#####.. |..#####........#####.. |                      |
        c?[3]                 |..##............##.... |                       |                      |
        c??[5]                |..#####........#####.. |..#####........#####.. |                      |
        nempty(c)             |..##............##.... |                       |                      |
        nfull(c)              |                       |                       |..#####........#####..|
        empty(c)              |                       |...####........#..##.. |...####........#..##..|
        full(c)               |..#####........#####.. |..#####........#####.. |                      |
        len(c) == 1           |..#####........#####.. |                       |..#####........#####..|
        c?[3] || v == 1       |.####...........##.#.# |                       |                      |
        if :: c?3 :: else fi  |                       |                       |                      |
        if :: c!1 :: else fi  |                       |                       |                      |
        atomic { c!4; c!4 }   |                       |                       |...####........#..##..|
        atomic { c?_; c?_ }   |..##............##.... |                       |                      |
        d_step { c?_; v = 2 } |..##............##.... |                       |                      |
        _nr_pr == 1           |###################### |###################### |######################|
        run N()               |                       |                       |                      |
    "#]]
    .assert_eq(&found);
}

/// The errors of a small model, and the steps that lead to them, are found with and without reduction.
fn is_reduced_safely(text: &str) {
    compare(text, &load(text).model, 20_000, false).expect("a small model that is reduced");
}

#[test]
fn a_process_that_waits_to_end_goes_when_a_younger_one_has_ended() {
    // A takes its channel with it, but can end only after B, which may not be put off for S alone.
    let text = "chan k; byte x; bit ready;
        active proctype D() { x = 2 }
        active proctype S() { atomic { ready -> k!1 } }
        active proctype A() { chan own = [1] of { byte }; k = own; ready = 1 }
        active proctype B() { atomic { ready -> x = 1 } }";
    is_reduced_safely(text);
    let loaded = load(text);
    assert_eq!(
        choice_after(&loaded, 2, false),
        (0b1011, Choice::Processes(0b1001)),
        "not S: A waits for the end of B"
    );
    let text = text
        .replace("chan own = [1] of { byte }; k = own;", "")
        .replace("chan k", "chan k = [1] of { byte }");
    assert_eq!(
        choice_after(&load(&text), 1, false),
        (0b1011, Choice::Processes(0b10)),
        "A takes nothing with it"
    );
    is_reduced_safely(&text);
}

#[test]
fn what_a_process_that_is_still_to_be_started_will_touch() {
    let choice = |run: &str| {
        let text = format!(
            "byte z[4], x; proctype P(byte n) {{ z[n] = 1 }} proctype Q(byte n, m) {{ n = 3; run P(m - 1) }}
             active proctype A() {{ z[1] = 2 }} active proctype B() {{ byte l = 1; x = 1; {run} }}
             active proctype C() {{ x = 2 }}"
        );
        is_reduced_safely(&text);
        choice_after(&load(&text), 0, false).1
    };
    let (alone, others) = (Choice::Processes(0b1), Choice::Processes(0b110));
    assert_eq!(choice("run P(0)"), alone);
    assert_eq!(choice("run P(1)"), others);
    assert_eq!(choice("run P(l)"), others);
    assert_eq!(choice("run P(l + 1)"), alone);
    assert_eq!(choice("run P(x)"), others, "nobody knows");
    assert_eq!(choice("run Q(1, 3)"), alone, "it starts P(2)");
    assert_eq!(choice("run Q(0, 2)"), others, "it starts P(1)");
}

#[test]
fn a_channel_may_appear_with_a_new_process() {
    let text = |run: &str| {
        format!(
            "chan k; byte x; proctype N() {{ chan own = [1] of {{ byte }}; skip }}
             active proctype A() {{ k!1 }} active proctype B() {{ x = 1; {run} }} active proctype C() {{ x = 2 }}
             active proctype O() {{ chan own = [1] of {{ byte }}; k = own; false }}"
        )
    };
    assert_eq!(choice_after(&load(&text("run N()")), 1, false).1, Choice::Processes(0b110), "not A");
    assert_eq!(
        choice_after(&load(&text("skip")), 1, false).1,
        Choice::Processes(0b1001),
        "O takes its channel with it"
    );
    is_reduced_safely(&text("run N()"));
}
