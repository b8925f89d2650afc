//! Faults that count as not possible: they are reported wherever they are tried, whatever a timeout, an escape or `else`
//! makes possible instead, by every engine and search, optimised or not; each is replayed, and a simulation meets it.

use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Semantics, Strategy, VerdictKind, load_text, replay_error,
    run_search,
};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_trace::{Choices, Origin, Subject, Walk};
use std::collections::BTreeSet;
use std::path::Path;

const BAD_CHANNEL: &str = "use of an uninitialised channel";
const BAD_POLL: &str = "poll of a rendezvous channel";
const ASKS_ITSELF: &str = "a process asks whether it is itself enabled";
const TWO_STEPS: &str = "two steps are possible at once in a deterministic process";

fn load(text: &str) -> Loaded {
    let path = Path::new("m.pml");
    let loaded = load_text("m.pml", text.to_string(), path, Language::Promela, &Default::default());
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

/// The messages of all errors, each of which is replayed.
fn messages(loaded: &Loaded, options: &CheckSettings) -> BTreeSet<String> {
    let verdict = run_search(loaded, options, &mut ());
    let errors = &verdict.outcome.errors;
    assert_eq!(verdict.kind == VerdictKind::Violated, !errors.is_empty(), "{options:?}");
    for error in errors {
        let replayed = replay_error(loaded, options, error);
        replayed.unwrap_or_else(|problem| panic!("{problem}: {error:?}"));
    }
    let message = |error: &panoptes_search::Finding| match &error.fault {
        Some(fault) => fault.message.clone(),
        None => "deadlock".to_string(),
    };
    errors.iter().map(message).collect()
}

/// What random walks end with.
fn simulated(loaded: &Loaded) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for seed in 0..64 {
        let mut executor = Interpreter::new(&loaded.model, InterpreterOptions::default());
        let subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
        let mut walk = Walk::start(subject).expect("an initial state");
        let mut number: u32 = seed;
        while let Choices::Steps(choices) = walk.choices().expect("a walk that fits the model") {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let choice = choices[(number >> 16) as usize % choices.len()].clone();
            let taken = walk.take(&choice).expect("a step that is possible");
            found.extend(taken.fault.map(|fault| fault.message));
            if walk.length() > 40 {
                break;
            }
        }
        walk.trace(Origin::default()).expect("a walk that can be walked again");
    }
    found
}

/// All errors are these, with every engine and search, optimised or not; a walk meets each that is a fault.
fn expect(text: &str, expected: &[&str]) {
    let loaded = load(text);
    let expected: BTreeSet<String> = expected.iter().map(|message| message.to_string()).collect();
    for optimise in [false, true] {
        for search in [Strategy::DFS, Strategy::BFS] {
            for engine in [Engine::Interp, Engine::Jit] {
                let options = CheckSettings {
                    strategy: search,
                    engine,
                    semantics: Semantics::new(optimise, optimise),
                    all_errors: true,
                    ..CheckSettings::default()
                };
                assert_eq!(messages(&loaded, &options), expected, "{options:?}\n{text}");
                let first = messages(&loaded, &CheckSettings { all_errors: false, ..options });
                assert!(!first.is_empty() && first.is_subset(&expected), "{first:?}\n{text}");
            }
        }
    }
    let faults = expected.into_iter().filter(|message| message != "deadlock").collect::<BTreeSet<_>>();
    assert_eq!(simulated(&loaded), faults, "{text}");
}

#[test]
fn a_timeout_that_may_interrupt_it_does_not_hide_a_fault() {
    let other = "byte u; active proctype B() { u = 1 }\n";
    let uninitialised = "chan c; active proctype A() { byte x; { c?x } unless { timeout } }\n";
    expect(uninitialised, &[BAD_CHANNEL]);
    expect(&format!("{other}{uninitialised}"), &[BAD_CHANNEL]);
    let poll = "chan r = [0] of { byte }; active proctype A() { byte x; { r?[x] } unless { timeout } }\n";
    expect(poll, &[BAD_POLL]);
    expect(&format!("{other}{poll}"), &[BAD_POLL]);
    let itself = "active proctype A() { { enabled(_pid) } unless { timeout } }\n";
    expect(itself, &[ASKS_ITSELF]);
    expect(&format!("{other}{itself}"), &[ASKS_ITSELF]);
}

#[test]
fn a_condition_that_asks_for_a_timeout_too() {
    let with = |guard: &str| {
        format!(
            "chan c; chan r = [0] of {{ byte }}; byte u;\n\
             active proctype A() {{ do :: {guard} -> break :: u == 1 -> break od }}\n\
             active proctype B() {{ u = 1 }}\n"
        )
    };
    expect(&with("(!timeout && len(c) == 1)"), &[BAD_CHANNEL]);
    expect(&with("(!timeout && r?[1])"), &[BAD_POLL]);
    expect(&with("(timeout || r?[1])"), &[BAD_POLL]);
}

/// Without timeouts the step is tried in vain, with them it is taken: the same step is there twice.
#[test]
fn a_step_that_fails_without_timeouts_and_is_taken_with_them() {
    let wrong = "assertion violated: (false)";
    let alone = "chan r = [0] of { byte };\n\
                 active proctype A() { d_step { (timeout || r?[1]); assert(false) } }\n";
    expect(alone, &[BAD_POLL, wrong]);
    let later = "chan r = [0] of { byte }; byte u;\n\
                 active proctype A() { (timeout || r?[1]); u = 1; assert(false) }\n";
    expect(later, &[BAD_POLL, wrong]);
    let twice = "chan c; chan r = [0] of { byte };\n\
                 active proctype A() { (timeout -> len(c) == 1 : r?[1]) }\n";
    expect(twice, &[BAD_POLL, BAD_CHANNEL, "deadlock"]);
}

#[test]
fn else_is_taken_where_an_option_fails() {
    let wrong = "assertion violated: (false)";
    let choice = "if :: r?[1] -> skip :: else -> assert(false) fi";
    let with = |body: String| format!("chan r = [0] of {{ byte }}; active proctype A() {{ {body} }}\n");
    expect(&with(choice.to_string()), &[BAD_POLL, wrong]);
    expect(&with(format!("atomic {{ skip; {choice} }}")), &[BAD_POLL, wrong]);
    // Of one indivisible step the first fault is told.
    expect(&with(format!("d_step {{ {choice} }}")), &[BAD_POLL]);
    expect(&with(format!("d_step {{ if :: r?[1] -> skip :: else fi }}; {choice}")), &[BAD_POLL, wrong]);
    expect(&with("if :: r?[1] -> skip fi".to_string()), &[BAD_POLL, "deadlock"]);
}

#[test]
fn an_escape_that_fails_does_not_interrupt() {
    let wrong = "assertion violated: (u == 2)";
    let text = "chan r = [0] of { byte }; byte u;\n\
                active proctype A() { { u == 1 } unless { r?[1] }; assert(u == 2) }\n\
                active proctype B() { u = 1 }\n";
    expect(text, &[BAD_POLL, wrong]);
    let main = "chan r = [0] of { byte }; byte u;\n\
                active proctype A() { { r?[1] } unless { u == 1 }; assert(u == 2) }\n\
                active proctype B() { u = 1 }\n";
    // Whether the poll is tried before the escape depends on who goes first; both are.
    expect(main, &[BAD_POLL, wrong]);
}

#[test]
fn a_select_in_a_deterministic_process_is_a_choice() {
    expect("byte v = 1; active D_proctype A() { byte i; select (i : 0 .. v) }\n", &[TWO_STEPS]);
    expect("active D_proctype A() { byte i; select (i : 0 .. 2) }\n", &[TWO_STEPS]);
}

/// What failed was got to, though it could not be done.
#[test]
fn a_statement_that_failed_was_reached() {
    for strategy in [Strategy::DFS, Strategy::BFS, Strategy::SHORTEST] {
        for optimise in [true, false] {
            let loaded = load("init { chan c; byte x; x = 1; c?x }");
            let options = CheckSettings {
                strategy,
                semantics: Semantics::new(optimise, optimise),
                all_errors: true,
                ..CheckSettings::default()
            };
            let verdict = run_search(&loaded, &options, &mut ());
            let text = |number: usize| loaded.model.transitions[number].text.as_str();
            let executed: Vec<&str> = verdict.outcome.executed.iter().map(text).collect();
            assert!(executed.contains(&"c?x"), "{executed:?}");
        }
    }
}
