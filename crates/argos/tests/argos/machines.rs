//! How large machines are: one state a statement, guards with their choice, transit states suppressed, and what strong
//! equivalence leaves of them.

use panoptes_argos::{EndStates, Meaning, lower, parse_str};
use panoptes_model::{Machine, Model, ProcId, minimise, verify};

fn model(text: &str, meaning: Meaning) -> Model {
    let (sources, module, diagnostics) = parse_str(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let lowered = lower(&module, &sources, "model.argos", meaning);
    let model = lowered.model.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics));
    assert_eq!(verify(&model), []);
    model
}

/// The states of each machine before and after minimisation.
fn sizes(text: &str) -> Vec<(usize, usize)> {
    let model = model(text, Meaning::default());
    let ids = (0..model.processes.len() as u32).map(ProcId);
    ids.map(|id| (Machine::of(&model, id).states, minimise(&model, id).states)).collect()
}

const READER: &str = "channel c[1];\nproc reader { do :: c?default od }\n";

/// The machine of a body that sends to `c`.
fn size(body: &str) -> (usize, usize) {
    sizes(&format!("{READER}proc p {{ var x; {body} }}"))[1]
}

#[test]
fn a_statement_is_a_state_and_the_end_is_one() {
    assert_eq!(size(""), (1, 1));
    assert_eq!(size("c!a"), (2, 2));
    assert_eq!(size("c!a; x = 1; (x > 0) -> c!b"), (5, 5));
}

#[test]
fn guards_belong_to_their_choice() {
    assert_eq!(size("if :: c!a -> c!b :: c!b fi"), (3, 3));
    assert_eq!(size("do :: c!a :: if :: c!b :: c!d fi od"), (2, 2));
}

#[test]
fn transit_states_are_suppressed() {
    assert_eq!(size("skip; c!a; skip; skip; c!b; goto out; c!d; out: skip"), (3, 3));
    assert_eq!(size("do :: c!a -> skip :: c!b -> break od; c!d"), (3, 3));
    assert_eq!(size("do :: do :: c!a :: c!b -> break od; c!d od"), (3, 3));
}

#[test]
fn a_guard_is_a_step_even_if_it_does_nothing() {
    let text = format!("{READER}proc p {{ if :: skip :: c!a fi; c!b }}");
    let model = model(&text, Meaning::default());
    assert_eq!(Machine::of(&model, ProcId(1)).transitions, 3);
}

#[test]
fn equivalent_states_become_one() {
    assert_eq!(size("if :: c!a -> c!d; c!e :: c!b -> c!d; c!e fi"), (6, 4));
    assert_eq!(size("do :: c!a -> c!b :: c!b -> c!b od"), (4, 3));
}

/// Language equivalence would merge the two: the choice is made before the second message in one, behind it in the other.
#[test]
fn choices_at_different_times_stay_apart() {
    assert_eq!(size("if :: c!a -> c!b :: c!a -> c!d fi"), (4, 4));
}

#[test]
fn a_jump_to_itself_is_a_state() {
    assert_eq!(size("c!a; L: goto L"), (3, 3));
}

#[test]
fn procedures_are_expanded_at_the_call() {
    let twice = "proc pair() { c!a; c!b }\nproc p { pair(); pair() }\n";
    assert_eq!(sizes(&format!("{READER}{twice}"))[1], (5, 5));
    let with_variable = "proc pair() { var n = 1; c!a(n) }\nproc p { pair(); pair() }\n";
    assert_eq!(sizes(&format!("{READER}{with_variable}"))[1], (5, 5));
}

/// Choices without a message are not seen: they make no states of an assertion.
#[test]
fn assertions_have_states_between_messages_only() {
    let p = "proc p { c!a; c!b }\n";
    let assertions = "assert { c!a; c!b }\nassert { if :: skip -> c!a :: goto out fi; out: c!b }\n\
                      assert { do :: c!a :: break od; c!b }\n";
    let found = sizes(&format!("{READER}{p}{assertions}"));
    assert_eq!(found[2..], [(3, 3), (3, 3), (2, 2)]);
}

#[test]
fn a_machine_rests_at_its_end_and_where_it_began() {
    let ends = |body: &str, end_states: EndStates| -> usize {
        let text = format!("{READER}proc p {{ {body} }}");
        let meaning = Meaning { end_states, ..Meaning::default() };
        model(&text, meaning).processes[1].states.iter().filter(|state| state.end).count()
    };
    for (body, rest, strict) in [
        ("c!a; c!b", 1, 1),
        ("do :: c!a -> c!b od", 1, 0),
        ("do :: c!a -> c!b :: c!d -> break od", 2, 1),
        // The second loop is where it began, too.
        ("c!a; c!b; do :: c!a -> c!b od", 2, 0),
    ] {
        assert_eq!(ends(body, EndStates::Rest), rest, "{body}");
        assert_eq!(ends(body, EndStates::Strict), strict, "{body}");
    }
}

/// `return` leads behind the call, from anywhere in the procedure, and only of the innermost one.
#[test]
fn return_is_a_jump_behind_the_call() {
    let with = |body: &str| {
        let procedures = format!("proc f() {{ {body} }}\nproc g() {{ f(); c!d }}\n");
        sizes(&format!("{READER}{procedures}proc p {{ g(); c!e }}"))[1]
    };
    assert_eq!(with("c!a; return"), with("c!a"));
    assert_eq!(with("do :: c!a -> return :: c!b od"), with("do :: c!a -> break :: c!b od"));
    // As a guard it is a step that takes the option.
    assert_eq!(with("if :: return :: c!a fi; c!b"), with("if :: skip -> goto end :: c!a fi; c!b; end: skip"));
}
