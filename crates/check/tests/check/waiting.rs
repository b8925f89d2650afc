//! Why each process waits where nothing can move, in words: small models, and what is said of them.

use panoptes_check::{Language, TextOptions, load_text};
use panoptes_exec::{BlockedBy, Executor, Successors, Waiting};
use panoptes_interp::{Interpreter, InterpreterOptions};
use std::path::Path;

/// Takes the first step that is possible until there is none.
fn waiting(text: &str) -> Vec<Waiting> {
    let loaded =
        load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics));
    let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions::default());
    let (mut vector, mut control) = (interpreter.initial().expect("an initial state"), None);
    let mut out = Successors::default();
    for _ in 0..100 {
        interpreter.successors(&vector, control, &mut out);
        let Some(item) = out.items.first() else { return interpreter.waiting(&vector) };
        (vector, control) = (out.state(item).to_vec(), item.control());
    }
    panic!("{text}: it goes on and on");
}

/// The reasons of the oldest process, one for each of its steps.
fn reasons(text: &str) -> Vec<String> {
    waiting(text)[0].steps.iter().map(|step| step.why.clone()).collect()
}

#[test]
fn channels() {
    let of = |statement: &str| {
        reasons(&format!(
            "mtype = {{ req, ack }}; chan one = [1] of {{ mtype }}; chan two = [2] of {{ mtype, byte }}; chan none = [1] of {{ byte }};
             active proctype A() {{ one!req; two!ack(7); two!req(8); {statement} }}"
        ))
    };
    assert_eq!(of("one!ack"), ["channel one is full (1 message)"]);
    assert_eq!(of("two!ack(1)"), ["channel two is full (2 messages)"]);
    assert_eq!(of("nfull(two)"), ["channel two is full (2 messages)"]);
    assert_eq!(of("none?_"), ["channel none is empty"]);
    assert_eq!(of("nempty(none)"), ["channel none is empty"]);
    assert_eq!(of("one?ack"), ["channel one holds req, which does not match"]);
    assert_eq!(of("two?req(_)"), ["the oldest message in channel two is (ack,7), which does not match"]);
    assert_eq!(of("two??ack(9)"), ["none of the 2 messages in channel two matches"]);
    assert_eq!(of("len(two) == 1"), ["len(two) = 2"]);
    assert_eq!(
        of("if :: one!req :: none?_ fi"),
        ["channel one is full (1 message)", "channel none is empty"],
        "one for each option"
    );
    assert_eq!(
        of("d_step { if :: one!req :: none?_ fi }"),
        ["channel one is full (1 message); channel none is empty"]
    );
}

#[test]
fn rendezvous() {
    let of = |a: &str, others: &str| {
        reasons(&format!(
            "chan c = [0] of {{ byte }}, d = [0] of {{ byte }}; active proctype A() {{ {a} }} {others}"
        ))
    };
    assert_eq!(of("c!1", ""), ["no process is ready to receive from c"]);
    assert_eq!(of("c?1", ""), ["no process is ready to send to c"]);
    assert_eq!(of("c!1", "active proctype B() { c!1 }"), ["no process is ready to receive from c"]);
    assert_eq!(of("c?1", "active proctype B() { c?1 }"), ["no process is ready to send to c"]);
    assert_eq!(of("c!1", "active proctype B() { d?1 }"), ["no process is ready to receive from c"]);
    assert_eq!(of("c!1", "active proctype B() { c?2 }"), ["B[1] receives from c, but no such message"]);
    assert_eq!(of("c?2", "active proctype B() { c!1 }"), ["B[1] sends to c, but another message"]);
    assert_eq!(
        of("c!1", "active [3] proctype B() { c?2 } active [2] proctype C() { c?3 }"),
        ["B[1], B[2], B[3] and 2 more receives from c, but no such message"]
    );
}

#[test]
fn conditions() {
    let of = |condition: &str| {
        reasons(&format!(
            "mtype = {{ red, green }}; mtype light = green; byte x = 3, y = 4, a[3]; bool on; chan c = [1] of {{ byte }};
             active proctype A() {{ byte l = 5; chan k = c; a[1] = 6; {condition} }}"
        ))
    };
    assert_eq!(of("x == 4"), ["x = 3"]);
    assert_eq!(of("x + x > y + l + 100"), ["x = 3, y = 4, l = 5"], "each of them once");
    assert_eq!(of("light == red"), ["light = green"]);
    assert_eq!(of("on"), ["on = false"]);
    assert_eq!(of("a[x - 2] == 1"), ["a[1] = 6, x = 3"]);
    assert_eq!(of("x == 3 && y == 5"), ["`y == 5` is false: y = 4"]);
    assert_eq!(of("x == 3 && (y == 5 && on)"), ["`y == 5` is false: y = 4"]);
    assert_eq!(of("x == 3 && nempty(c)"), ["channel c is empty"]);
    assert_eq!(of("x == 3 || false -> false"), ["it is false"]);
    assert_eq!(of("_nr_pr == 2"), ["_nr_pr = 1"]);
    assert_eq!(of("k == 7"), ["it is false"], "that a channel variable means its channel is no news");
    let many = (0..10).map(|number| format!("v{number}")).collect::<Vec<_>>();
    let text = format!("byte {}; active proctype A() {{ {} }}", many.join(", "), many.join(" + "));
    let shown = (0..8).map(|number| format!("v{number} = 0, ")).collect::<String>();
    assert_eq!(reasons(&text), [format!("{shown}and 2 more")]);
}

#[test]
fn another_process() {
    let text = "active proctype B() { byte v = 2; v = 7; false } active proctype A() { B[0]:v == 3 }";
    assert_eq!(waiting(text)[1].steps[0].why, "B[0]:v = 7");
    let text = "active proctype A() { skip } active proctype B() { false } active proctype C() { false }";
    assert_eq!(reasons(text), ["it can end only after B[1], C[2]"]);
    let kinds = |text: &str| waiting(text).iter().map(|of| of.steps[0].kind).collect::<Vec<_>>();
    assert_eq!(kinds(text), [BlockedBy::Younger, BlockedBy::Other, BlockedBy::Other]);
    let text = "chan c = [1] of { byte }, r = [0] of { byte };
        active proctype A() { c?_ } active proctype B() { r?_ } active proctype C() { nempty(c) }";
    assert_eq!(kinds(text), [BlockedBy::NoMessage; 3]);
}

#[test]
fn a_process_that_may_not_move() {
    let held = |text: &str| waiting(text).iter().map(|of| of.held.clone()).collect::<Vec<_>>();
    let text = "bool go; active proctype A() provided (go) { skip } active proctype B() { false }";
    assert_eq!(held(text), [Some("its provided clause `go` is false: go = false".to_string()), None]);
    let text = "bool go = true; active proctype A() provided (go) { false }";
    assert_eq!(held(text), [None]);
}

/// Where nothing can move, a timeout can: what else is wrong is said.
#[test]
fn timeouts_hold() {
    let of = |condition: &str| reasons(&format!("byte x; active proctype A() {{ {condition} }}"));
    assert_eq!(of("timeout && x == 1"), ["`x == 1` is false: x = 0"]);
    assert_eq!(of("!timeout && x == 0 && false"), ["`!timeout` is false"]);
}
