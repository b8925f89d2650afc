//! `enabled(pid)`: whether a process could take a step now, statement by statement.

use panoptes_check::{Language, TextOptions, load_text};
use panoptes_exec::{Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use std::path::Path;

/// What process 1 is told about process 0, which stands before the statement. `q` holds a message of two, `f` one of one.
fn is_enabled(statement: &str) -> bool {
    let text = format!(
        "byte x; chan q = [2] of {{ byte }}, f = [1] of {{ byte }}, none = [1] of {{ byte }}, r = [0] of {{ byte }};
         active proctype A() {{ q!1; f!1; {statement} }}
         active proctype B() {{ len(f) == 1 && enabled(0) }}"
    );
    let loaded = load_text("m", text.clone(), Path::new("m.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics));
    let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions::default());
    let (mut vector, mut out) = (interpreter.initial().expect("an initial state"), Successors::default());
    for _ in 0..2 {
        interpreter.successors(&vector, None, &mut out);
        vector = out.state(&out.items[0]).to_vec();
    }
    interpreter.successors(&vector, None, &mut out);
    out.items.iter().any(|item| item.step().pid == 1)
}

#[test]
fn statement_by_statement() {
    for (statement, expected) in [
        ("skip", true),
        ("x == 0", true),
        ("x == 1", false),
        ("q!1", true),
        ("f!1", false),
        ("q?_", true),
        ("q?2", false),
        ("none?_", false),
        ("nempty(none)", false),
        ("nfull(none)", true),
        ("r!1", true),
        ("r?_", false),
        ("if :: x == 1 :: f!1 fi", false),
        ("if :: x == 1 :: none!1 fi", true),
        ("if :: x == 1 :: else fi", true),
        ("d_step { none!1; x = 1 }", true),
        ("d_step { f!1; x = 1 }", false),
        ("d_step { x == 1; x = 2 }", false),
        ("atomic { q?_; f!1 }", true),
    ] {
        assert_eq!(is_enabled(statement), expected, "{statement}");
    }
}
