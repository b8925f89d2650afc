//! Which processes the reducer chooses in the initial state of small models, construct by construct, and which models it
//! leaves alone.

use crate::support::choices::{self, load};
use panoptes_exec::{Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_search::{Choice, Reducer};

const ALL: Choice = Choice::All;

/// The choice after `steps` steps, each the first one possible.
fn choice_after(text: &str, steps: usize, lossy: bool) -> Choice {
    choices::choice_after(&load(text), steps, lossy).1
}

fn choice(text: &str) -> Choice {
    choice_after(text, 0, false)
}

fn only(pids: &[u8]) -> Choice {
    Choice::Processes(pids.iter().fold(0, |chosen, pid| chosen | 1 << pid))
}

#[test]
fn variables() {
    let two = |a: &str, b: &str| {
        choice(&format!("byte x, y, z[3]; active proctype A() {{ {a} }} active proctype B() {{ {b} }}"))
    };
    assert_eq!(two("byte l; l = 1", "x = 1"), only(&[1]));
    assert_eq!(two("x = 1", "y = 2"), only(&[1]), "only one of them touches y");
    assert_eq!(two("x = 1", "x = 2"), ALL);
    assert_eq!(two("x == 0", "x = 2"), ALL);
    assert_eq!(two("x == 0", "x == 1 || y == 0"), only(&[1]), "nobody writes");
    assert_eq!(two("y = 1; x = 1", "x = 2"), only(&[0]), "A touches y alone; what it does to x comes later");
    assert_eq!(two("z[0] = 1", "z[1] = 1"), only(&[1]));
    assert_eq!(two("z[y] = 1", "z[1] = 1"), only(&[1]), "y is always zero");
    assert_eq!(two("z[y] = 1; y = 2", "z[1] = 1"), ALL);
    assert_eq!(two("z[_pid] = 1", "z[_pid] = 1"), only(&[1]));
    assert_eq!(two("byte l = 1; z[l] = 1", "z[2] = 1"), only(&[1]), "l stays what it is");
    assert_eq!(two("byte l = 1; do :: z[l] = 1; l++ od", "z[2] = 1"), ALL);
}

/// What A does to `z` later depends on a variable of its own. Where that may still change, B cannot go on alone, and A,
/// which begins with `y`, can.
#[test]
fn subscripts_that_may_still_change() {
    let two = |a: &str| {
        choice(&format!(
            "byte x, y, z[3]; chan c = [1] of {{ byte, byte }};
             active proctype A() {{ byte i, k, l[2]; y = 1; {a} }} active proctype B() {{ z[2] = 1 }}"
        ))
    };
    let (a, b) = (only(&[0]), only(&[1]));
    assert_eq!(two("z[i] = 1"), b, "i stays zero");
    assert_eq!(two("z[l[k]] = 1"), b, "so do the elements of l");
    assert_eq!(two("i = 2; z[i] = 1"), a);
    assert_eq!(two("x = 1; x = 2; i = 2; x = 3; z[i] = 1"), a);
    assert_eq!(two("k = 2; z[i] = 1"), b, "k does not matter");
    assert_eq!(two("z[i] = 1; i = 2"), b, "too late");
    assert_eq!(two("c?i,k; z[i] = 1"), a);
    assert_eq!(two("c?l[i],l[k]; z[l[1]] = 1"), a, "each may be any element");
    assert_eq!(two("c?_,k; z[i] = 1"), b);
    assert_eq!(two("c?i,z[i]"), a, "the second field sees the first");
    assert_eq!(two("d_step { i = 2; x = 1 }; z[i] = 1"), a);
    assert_eq!(two("d_step { x = 1; i = 2 }; z[i] = 1"), a);
    assert_eq!(two("d_step { i = 2; z[i] = 1 }"), a);
    assert_eq!(two("d_step { k = 2; x = 1 }; z[i] = 1"), b);
}

#[test]
fn a_process_that_waits_is_of_interest_only_for_what_it_waits_for() {
    let text = "byte x, y, go;
        active proctype A() { x = 1 }
        active proctype B() { go == 1 -> x = 2 }
        active proctype C() { y = 1 }";
    assert_eq!(choice(text), only(&[2]));
    let text = "byte x, y; bit go;
        active proctype A() { x = 1 }
        active proctype B() { go -> x = 2 }
        active proctype C() { y = 1; go = 1; x = 3 }
        active proctype D() { y = 2 }";
    assert_eq!(choice(text), only(&[2, 3]), "C lets B go, but its next step is about y");
}

#[test]
fn buffered_channels() {
    let ends = |a: &str, b: &str| {
        let head = "chan c = [2] of { byte }; byte x;";
        choice(&format!(
            "{head} active proctype A() {{ {a} }} active proctype B() {{ x = 1; x++; {b} }} active proctype C() {{ x = 2 }}"
        ))
    };
    assert_eq!(ends("c!1", "c?_"), only(&[0]), "a receive does not disturb a send");
    // B and C share x, so they are the other choice.
    let not_a = only(&[1, 2]);
    assert_eq!(ends("c!1", "c!2"), not_a);
    assert_eq!(ends("c!1", "len(c) == 1"), not_a);
    assert_eq!(ends("c!1", "if :: c?_ :: else fi"), not_a, "a send decides about `else`");
    assert_eq!(ends("c!1", "atomic { skip; c?_ }"), not_a, "a send decides whether the sequence pauses");
    assert_eq!(ends("c!1", "skip unless { c?_ }"), not_a);
    assert_eq!(ends("c!1", "c?[1]"), only(&[0]), "a question that is waited for, like a receive");
    assert_eq!(ends("c!1", "x == 1 && nempty(c)"), only(&[0]));
    assert_eq!(ends("c!1", "empty(c)"), not_a);
    assert_eq!(ends("c!1", "nfull(c)"), not_a, "a send takes room");
    assert_eq!(ends("c!1", "c?[1] || x == 1"), not_a, "not every condition is waited for");
    assert_eq!(ends("c!1", "if :: nempty(c) :: else fi"), not_a);
    assert_eq!(ends("nfull(c)", "c?_"), only(&[0]));
    assert_eq!(ends("nfull(c)", "c!1"), not_a);
    assert_eq!(ends("empty(c)", "c!1"), not_a);
    assert_eq!(ends("c!!1", "c?_"), not_a, "it may come first");
    assert_eq!(ends("c!1", "c??1"), only(&[0]), "it comes last");
    assert_eq!(ends("atomic { c!1; c!1 }", "c?_"), not_a, "there may be no room for the second");
}

#[test]
fn events_of_a_trace_assertion() {
    let text = |b: &str| {
        format!(
            "chan c = [1] of {{ byte }}; chan d = [1] of {{ byte }}; chan e = [1] of {{ byte }}; byte x;
             active proctype A() {{ c!1 }} active proctype B() {{ x = 1; {b} }} active proctype C() {{ x = 2 }}
             trace {{ c!1; d!1 }}"
        )
    };
    assert_eq!(choice(&text("e!1")), only(&[0]), "it does not follow this channel");
    assert_eq!(choice(&text("d!1")), only(&[1, 2]), "the order of events matters");
    assert_eq!(choice(&text("d?1")), only(&[0]), "it does not follow receives");
}

#[test]
fn a_full_channel_and_an_empty_one() {
    let text = |b: &str| {
        format!(
            "chan c = [1] of {{ byte }}; byte x; active proctype A() {{ x = 1 }}
             active proctype B() {{ x = 2; {b} }} active proctype C() {{ c!1; c!2 }}"
        )
    };
    assert_eq!(choice_after(&text("c?_"), 0, false), only(&[2]));
    // Then C waits, and A and B share x.
    assert_eq!(choice_after(&text("c?_"), 1, false), ALL);
    assert_eq!(
        choice_after(&text("c?_"), 0, true),
        only(&[0, 1]),
        "a channel that loses messages must be watched"
    );
    let text = "chan c = [1] of { byte }; byte x; active proctype A() { c!1; x = 1 }
        active proctype B() { c?_ } active proctype C() { x = 2 }";
    assert_eq!(choice(text), only(&[0]));
}

#[test]
fn channels_and_elements_by_parameter() {
    let text = "chan c[2] = [1] of { byte }; byte fork[4];
        proctype P(chan out; byte id) { out!id; fork[id] = 1; fork[id + 1] = 1 }
        init { atomic { run P(c[0], 0); run P(c[1], 2) } }";
    let loaded = load(text);
    assert!(Reducer::new(&loaded.model, false).is_ok());
    assert_eq!(choice_after(text, 2, false), only(&[2]), "their channels are two");
    assert_eq!(choice_after(text, 3, false), only(&[2]), "so are their forks");
    let text = text.replace("run P(c[1], 2)", "run P(c[0], 1)");
    assert_eq!(choice_after(&text, 2, false), ALL);
}

#[test]
fn rendezvous() {
    let text = "chan c = [0] of { byte }; byte x;
        active proctype A() { c!1 } active proctype B() { c?_ }
        active proctype C() { x = 1 } active proctype D() { x = 2 }";
    assert_eq!(choice(text), only(&[0, 1]));
    let text = "chan c = [0] of { byte }; byte x;
        active proctype A() { c!1 } active proctype B() { c?_ }
        active proctype C() { x = 1; c!2 } active proctype D() { x = 2 }";
    assert_eq!(choice(text), only(&[2, 3]), "C may be the one who sends");
}

#[test]
fn processes() {
    let text =
        "byte x; active proctype A() { x = 1 } active proctype B() { x = 2 } active proctype C() { skip }";
    assert_eq!(choice_after(text, 1, false), only(&[2]), "the youngest may end at any time");
    let text = "proctype N() { skip } active proctype A() { run N() } active proctype C() { skip }";
    assert_eq!(choice_after(text, 1, false), ALL, "not if another is started");
    let text = "active proctype A() { _nr_pr == 3 } active proctype B() { _nr_pr == 3 }
        active proctype C() { skip }";
    assert_eq!(choice_after(text, 1, false), ALL, "nor if others count");
}

/// To start a process is to compute what its variables start with.
#[test]
fn initial_values_of_a_new_process() {
    let two = |value: &str| {
        choice(&format!(
            "byte z[4]; proctype N(byte p) {{ byte l = {value}; skip }}
             active proctype A() {{ byte q = 1; run N(q) }} active proctype B() {{ z[2] = 1 }}"
        ))
    };
    assert_eq!(two("z[1]"), only(&[1]));
    assert_eq!(two("z[2]"), ALL);
    assert_eq!(two("z[_pid]"), ALL, "the number of the new process, not of A");
    assert_eq!(two("z[p]"), ALL, "a parameter may be anything");
}

#[test]
fn timeouts() {
    let text = "byte x; active proctype A() { timeout; x = 1 } active proctype B() { timeout; x = 2 }";
    assert_eq!(choice(text), ALL);
    let text = "byte x; active proctype A() { timeout; x = 1 } active proctype B() { skip } active proctype C() { skip }";
    assert_eq!(choice(text), only(&[2]));
}

#[test]
fn models_that_are_left_alone() {
    let why_not = |text: &str| match Reducer::new(&load(text).model, false) {
        Ok(_) => "reduced".to_string(),
        Err(why_not) => why_not.to_string(),
    };
    let looks = "a process looks into another one";
    for (text, expected) in [
        ("active proctype A() { byte v; l: skip } active proctype B() { A@l }", looks),
        ("active proctype A() { byte v; l: skip } active proctype B() { A:v == 0 }", looks),
        ("active proctype A() { skip } active proctype B() { enabled(0) }", looks),
        ("active proctype A() { skip } active proctype B() { pc_value(0) == 1 }", looks),
        ("active proctype A() { _last == 0 }", "the model asks which process moved last"),
        ("active proctype A() priority 2 { skip } active proctype B() { skip }", "processes have priorities"),
        ("byte x; active proctype A() provided (x == 0) { skip }", "processes have provided clauses"),
        ("chan c = [1] of { byte }; active proctype A() { c!1 } trace { c!1 }", "reduced"),
        (
            "byte x; chan c = [1] of { byte }; active proctype A() { x = 1; c!1 } trace { c!x }",
            "a trace assertion looks at variables",
        ),
        ("byte x; active proctype A() { x = timeout }", "timeout is used inside an expression"),
        ("active proctype A() { !timeout }", "timeout is used inside an expression"),
        ("active proctype A() { d_step { timeout; skip } }", "timeout is used inside an expression"),
        ("hidden byte h; byte x; active proctype A() { h = 1; x = h }", "a hidden variable is read"),
        ("hidden byte h; byte x; active proctype A() { h = x; x = 1; timeout && x == 1 }", "reduced"),
    ] {
        assert_eq!(why_not(text), expected, "{text}");
    }
}

/// Follows executions, each with other choices, and compares the choice of a reducer that saw all states before with that of a new one.
fn remembers_nothing_wrong(text: &str, executions: usize) {
    let loaded = load(text);
    let new = || Reducer::new(&loaded.model, false).expect("a model that can be reduced");
    let (mut used, mut compared) = (new(), 0);
    let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions { lossy: false });
    let mut out = Successors::default();
    for seed in 1..=executions {
        let (mut vector, mut control) = (interpreter.initial().expect("an initial state"), None);
        for step in 1..=100 {
            interpreter.successors(&vector, control, &mut out);
            if out.items.is_empty() {
                break;
            }
            if control.is_none() {
                let now = used.choose(&vector, &out, |_| true);
                assert_eq!(now, new().choose(&vector, &out, |_| true), "{text}: step {step} of {seed}");
                compared += 1;
            }
            let item = &out.items[seed * step * 7 / 3 % out.items.len()];
            if !item.has_state() {
                break;
            }
            (vector, control) = (out.state(item).to_vec(), item.control());
        }
    }
    assert!(compared > 20 * executions, "{text}: {compared}");
}

#[test]
fn what_is_remembered_of_other_states_is_true() {
    // Processes that start and end, so that all others have other frames and channels.
    remembers_nothing_wrong(
        "chan c = [1] of { byte }; byte x, z[4];
         proctype Short(byte n) { z[n] = 1; x++; c!n }
         active proctype Starter() { byte n; do :: n < 3 -> run Short(n); n++ :: c?n :: x > 9 -> x = 0 od }
         active [2] proctype Loop() { chan own = [1] of { bit }; do :: own!1; z[_pid] = 2 :: own?_ ; z[3] = x od }",
        20,
    );
    // More futures, one after the other, than are kept.
    let ending = |n: usize| format!("active proctype E{n}() {{ v{n} = 1; w{} = v{n}; x = 2 }}", n % 3);
    let ends: String = (0..6).map(ending).collect();
    remembers_nothing_wrong(
        &format!(
            "byte v0, v1, v2, v3, v4, v5, w0, w1, w2, x; {ends}
         active [2] proctype L() {{ do :: w0 == 0 -> w1 = 1 :: x == 2 -> x = 0 :: v3 = w2 od }}"
        ),
        20,
    );
    // More pairs of processes and control states than are kept.
    let long: String = (0..600).map(|n| format!("a[_pid] = {}; b = a[_pid];", n % 7)).collect();
    remembers_nothing_wrong(
        &format!(
            "byte a[5], b; active [4] proctype Long() {{ {long} }} active proctype Other() {{ do :: a[4]++ od }}"
        ),
        2,
    );
}
