//! Which values the bytes of a state can have: for models small enough to be numbered.

use panoptes_model::Model;
use panoptes_optimise::byte_values;
use panoptes_promela::FileLoader;
use panoptes_source::SourceMap;
use std::path::Path;

fn model(text: &str) -> Model {
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    let path = Path::new("m.pml");
    let (module, _) =
        panoptes_promela::parse_file(&mut sources, file, path, &Default::default(), &FileLoader);
    panoptes_promela::lower(&module, &sources, "m.pml").model.expect("a model")
}

/// The least and the greatest value of some bytes of the vector, from `at` on; zero for one that never changes.
fn values<const N: usize>(text: &str, at: u32) -> [(u8, u8); N] {
    let bytes = byte_values(&model(text)).expect("every process is there from the start");
    std::array::from_fn(|index| {
        let byte = bytes.iter().find(|byte| byte.at == at + index as u32);
        byte.map_or((0, 0), |byte| (byte.low, byte.high))
    })
}

const ANY: (u8, u8) = (0, 255);
/// A byte that never changes is not listed.
const SAME: (u8, u8) = (0, 0);

/// Globals begin at 2.
#[test]
fn variables_have_the_values_that_they_are_given() {
    assert_eq!(values("byte x; active proctype A() { x = 3; x = 0 }", 2), [(0, 3)]);
    assert_eq!(values("byte x = 9; active proctype A() { x = 3 }", 2), [(0, 9)]);
    assert_eq!(values("byte a[3]; active proctype A() { a[2] = 9 }", 2), [(0, 9); 3]);
    assert_eq!(values("short x; active proctype A() { x = 700 }", 2), [ANY, (0, 2)]);
    assert_eq!(values("short x; active proctype A() { x = 255 }", 2), [(0, 255), SAME]);
    assert_eq!(values("int x; active proctype A() { x = -1 }", 2), [ANY; 4]);
    assert_eq!(values("hidden byte h; byte x; active proctype A() { x = 5; h = 7 }", 2), [(0, 5)]);
}

/// The length, and then the fields of each message.
#[test]
fn channels_have_the_messages_that_are_sent() {
    let text = "chan c = [2] of { byte, short }; active proctype A() { c!5,600 }";
    assert_eq!(values(text, 3), [(0, 2), (0, 5), ANY, (0, 2), (0, 5), ANY, (0, 2)]);
    let text = "chan c = [1] of { byte }; byte x; active proctype A() { x = 1 }";
    assert_eq!(values(text, 3), [(0, 1), (0, 1), SAME], "x, and nothing is ever sent");
}

/// Type, priority, control state, variables.
#[test]
fn processes_stand_in_their_states() {
    let text = "byte x; active proctype A() { byte l; x = 3; l = 7; x = 0 }";
    assert_eq!(values(text, 0), [(0, 1), ANY, (0, 3), SAME, SAME, (0, 3), SAME, (0, 7)]);
    let text = "byte x; active [2] proctype A() { byte l; l = 7 }";
    assert_eq!(values(text, 0), [(0, 2), ANY, SAME]);
    assert_eq!(values(text, 3), [SAME, SAME, (0, 1), SAME, (0, 7), SAME, SAME, (0, 1), SAME, (0, 7)]);
    // A priority may be set.
    let text = "byte x; active proctype A() priority 3 { x = 1 }";
    assert_eq!(values(text, 3), [SAME, ANY, (0, 1)]);
}

#[test]
fn nothing_is_known_where_processes_start_later() {
    assert!(byte_values(&model("proctype B() { skip } init { run B() }")).is_none());
}

/// Values that take rounds to be found are rounded to constants of the model, and not at once to all that there are: here to
/// -129 and 255.
#[test]
fn values_that_grow_are_rounded() {
    let text = "short v1, v2, v3, v4, e;
        active proctype A() { e = 0 - v4; v4 = v3 - 1; v3 = v2 - 1; v2 = v1 - 1; v1 = -1 }";
    assert_eq!(values(text, 10), [ANY, SAME]);
    // Upwards too.
    let text = "short v1, v2, v3, v4, e;
        active proctype A() { e = v4 + 1; v4 = v3 + 1; v3 = v2 + 1; v2 = v1 + 1; v1 = 1 }";
    assert_eq!(values(text, 8), [(0, 127), SAME, (0, 255), SAME]);
}
