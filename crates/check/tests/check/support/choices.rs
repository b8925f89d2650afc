//! What the reducer chooses in states of small models.

use panoptes_check::{Language, Loaded, TextOptions, load_text};
use panoptes_exec::{Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_search::{Choice, Reducer};
use std::path::Path;

pub fn load(text: &str) -> Loaded {
    let options = TextOptions::default();
    let loaded = load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &options);
    loaded.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics))
}

/// After so many steps, each the first one possible: the processes that move next, as bits, and those of them that are chosen.
pub fn choice_after(loaded: &Loaded, steps: usize, lossy: bool) -> (u64, Choice) {
    let mut reducer = Reducer::new(&loaded.model, lossy).expect("a model that can be reduced");
    let mut interpreter = Interpreter::new(&loaded.model, InterpreterOptions { lossy });
    let mut out = Successors::default();
    let (mut vector, mut control) = (interpreter.initial().expect("an initial state"), None);
    for _ in 0..steps {
        interpreter.successors(&vector, control, &mut out);
        let item = &out.items[0];
        (vector, control) = (out.state(item).to_vec(), item.control());
    }
    assert_eq!(control, None, "the process in control is followed anyway");
    interpreter.successors(&vector, control, &mut out);
    let moving = out.items.iter().fold(0, |moving, item| moving | 1 << item.step().pid);
    (moving, reducer.choose(&vector, &out, |_| true))
}
