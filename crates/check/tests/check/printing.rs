//! What a model prints, step by step.

use panoptes_check::{Language, TextOptions, load_text};
use panoptes_exec::{Event, Executor};
use panoptes_interp::{Interpreter, InterpreterOptions};
use std::path::Path;

/// All that is printed if always the first step is taken.
fn printed(text: &str) -> String {
    let loaded =
        load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics));
    let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions::default());
    let (mut vector, mut control) = (interpreter.initial().expect("an initial state"), None);
    let mut printed = String::new();
    while let Some(replay) = interpreter.replay(&vector, control, 0) {
        for event in replay.events {
            if let Event::Printed { text, .. } = event {
                printed.push_str(&text);
            }
        }
        (vector, control) = (replay.state, replay.control);
    }
    printed
}

#[test]
fn numbers() {
    let print = |format: &str, value: &str| {
        printed(&format!("int n; active proctype A() {{ n = {value}; printf(\"{format}\", n) }}"))
    };
    assert_eq!(print("%d", "-5"), "-5");
    assert_eq!(print("%u", "5"), "5");
    assert_eq!(print("%x", "250"), "fa");
    assert_eq!(print("%o", "8"), "10");
    assert_eq!(print("%c", "65"), "A");
    assert_eq!(print("a%%b %d\\n", "1"), "a%b 1\n");
}

/// The same number has another name in another set.
#[test]
fn names_of_the_right_set() {
    let head = "mtype = { one, two }; mtype:fruit = { apple, pear };
        mtype m = two; mtype:fruit f = pear; mtype:fruit fs[2]; byte n = 2;";
    let print = |statement: &str| {
        printed(&format!(
            "{head} active proctype A() {{ mtype:fruit l = apple; mtype k = one; fs[1] = apple; {statement} }}"
        ))
    };
    assert_eq!(print("printf(\"%e %e\", m, f)"), "two pear");
    assert_eq!(print("printm(m); printm(f)"), "twopear");
    assert_eq!(print("printf(\"%e %e\", l, k)"), "apple one");
    assert_eq!(print("printf(\"%e\", fs[1])"), "apple");
    assert_eq!(print("n = 77; printf(\"%e\", n)"), "77", "a number without a name");
}
