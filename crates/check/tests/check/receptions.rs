//! Unspecified receptions where they happen: every search, engine and reduction finds those that follow from the definition,
//! on models made for it and on random ones.
//!
//! The definition is written here once more, as plainly as it can be: in a state, a process that offers nothing but receives,
//! timeouts and conditions, none of which can be done, and each of whose channels holds a message.

use panoptes_check::{
    CacheSize, CheckSettings, EndStates, Engine, Language, Limits, Loaded, Meaning, Optimisation, Scatter,
    Semantics, StoreSpec, Strategy, TextOptions, Timeouts, VerdictKind, load_text, replay_error, run_search,
};
use panoptes_exec::{Ending, Executor, FaultKind, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Action, Channel, ChannelTest, Display, Expr, Guard, Model, StateView};
use panoptes_modelgen::generate_argos;
use panoptes_search::{Finding, FindingKind};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::Path;

fn load(text: &str, meaning: Meaning) -> Option<Loaded> {
    let options = TextOptions { meaning, ..TextOptions::default() };
    load_text("m.argos", text.to_string(), Path::new("m.argos"), Language::Argos, &options).ok()
}

fn plain(text: &str) -> Loaded {
    load(text, Meaning::default()).expect("a model without mistakes")
}

/// What distinguishes an error, in words.
fn name(error: &Finding) -> String {
    match (&error.kind, &error.fault) {
        (FindingKind::Fault(kind), Some(fault)) => format!("{}: {}", kind.name(), fault.message),
        _ => "deadlock".to_string(),
    }
}

fn errors(loaded: &Loaded, options: CheckSettings) -> BTreeSet<String> {
    let options = CheckSettings { all_errors: true, ..options };
    let verdict = run_search(loaded, &options, &mut ());
    assert!(verdict.outcome.complete, "{:?}", verdict.limits);
    for error in &verdict.outcome.errors {
        replay_error(loaded, &options, error).expect("its path shows the error");
    }
    let names: Vec<String> = verdict.outcome.errors.iter().map(name).collect();
    let distinct: BTreeSet<String> = names.iter().cloned().collect();
    let count = names.iter().filter(|name| name.starts_with("unspecified-reception")).count();
    assert_eq!(receptions(&distinct).len(), count, "each once: {names:?}");
    distinct
}

/// Every way to search everything: what is wrong is the same in all.
fn ways() -> Vec<(&'static str, CheckSettings)> {
    let exact = || CheckSettings { semantics: Semantics::EXACT, ..CheckSettings::default() };
    let whole = CheckSettings::default;
    vec![
        ("exact dfs", CheckSettings { strategy: Strategy::DFS, ..exact() }),
        ("exact jit", CheckSettings { engine: Engine::Jit, ..exact() }),
        ("default", whole()),
        ("default dfs", CheckSettings { strategy: Strategy::DFS, ..whole() }),
        ("default jit", CheckSettings { engine: Engine::Jit, ..whole() }),
        ("default dfs jit", CheckSettings { strategy: Strategy::DFS, engine: Engine::Jit, ..whole() }),
        ("reduced only", CheckSettings { semantics: Semantics::new(true, false), ..whole() }),
        ("optimised only", CheckSettings { semantics: Semantics::new(false, true), ..whole() }),
        ("shortest", CheckSettings { strategy: Strategy::SHORTEST, ..whole() }),
        ("compressed", CheckSettings { store: StoreSpec::Compressed, ..whole() }),
        ("cache", CheckSettings { store: StoreSpec::Cache(CacheSize::DEFAULT), ..whole() }),
        ("loop states", CheckSettings { loop_states: true, strategy: Strategy::DFS, ..whole() }),
        ("random order", CheckSettings { strategy: Strategy::Random, ..whole() }),
        ("bounded", CheckSettings { limits: Limits::of_depth(100_000), strategy: Strategy::DFS, ..whole() }),
        ("escalating", CheckSettings { strategy: Strategy::ESCALATE, ..whole() }),
    ]
}

/// The unspecified receptions by definition, from all states of the model as written; none if there are too many states.
fn by_definition(model: &Model, states_max: usize) -> Option<BTreeSet<String>> {
    let mut executor = Interpreter::new(model, InterpreterOptions::default());
    let first = executor.initial().expect("an initial state");
    let mut seen = HashSet::from([first.clone()]);
    let mut todo = VecDeque::from([first]);
    let mut found = BTreeSet::new();
    let mut out = Successors::default();
    while let Some(vector) = todo.pop_front() {
        executor.successors(&vector, None, &mut out);
        let view = StateView::new(model, &vector).expect("a vector of the model");
        for process in view.processes() {
            let state = &model.process(process.id).states[process.state_id().index()];
            let moves = out.items.iter().any(|item| usize::from(item.step().pid) == usize::from(process.pid));
            let channels: Option<Vec<&Channel>> =
                state.transitions.iter().filter_map(|id| awaited(model, model.transition(*id))).collect();
            let ends = out.ending != Ending::Moves;
            let channels: Vec<&Channel> = match channels {
                _ if ends => model.channels.iter().filter(|c| c.receiver == Some(process.id)).collect(),
                Some(channels) if !moves && channels.iter().all(|c| head(model, c, &vector).is_some()) => {
                    channels
                }
                _ => continue,
            };
            for channel in channels {
                let Some(message) = head(model, channel, &vector) else { continue };
                let place = match state.labels.first() {
                    _ if state.transitions.is_empty() => "at its end".to_string(),
                    Some(label) => format!("in state `{label}`"),
                    None => format!("in state {}", state.number),
                };
                let who = &model.process(process.id).name;
                let text = format!("{who} does not receive `{message}` from `{}` {place}", channel.name);
                found.insert(format!("{}: {text}", FaultKind::UnspecifiedReception.name()));
            }
        }
        for item in out.items.iter().filter(|item| item.has_state()) {
            let next = out.state(item).to_vec();
            if seen.insert(next.clone()) {
                todo.push_back(next);
            }
        }
        if seen.len() > states_max {
            return None;
        }
    }
    Some(found)
}

/// What a step waits for: a channel; nothing that matters (`None`), for a condition; `Some(None)` for anything else.
fn awaited<'m>(model: &'m Model, step: &panoptes_model::Transition) -> Option<Option<&'m Channel>> {
    let channel = |number: &Expr| match number {
        Expr::Const(number) => Some(&model.channels[*number as usize - 1]),
        _ => None,
    };
    match (&step.guard, step.actions.first()) {
        (Guard::Always, Some(Action::Receive(receive))) => Some(channel(&receive.channel)),
        (Guard::When(guard), None) => {
            let mut empty = None;
            guard.walk(&mut |part| {
                if let Expr::Channel(ChannelTest::Empty, number) = part {
                    empty = Some(channel(number));
                }
            });
            empty
        }
        _ => Some(None),
    }
}

/// The name of the oldest message.
fn head(model: &Model, channel: &Channel, vector: &[u8]) -> Option<String> {
    let bytes = &vector[channel.offset as usize..];
    if channel.len_type().read(bytes) == 0 {
        return None;
    }
    let tag = channel.fields[0].read(&bytes[channel.len_type().bytes()..]);
    let Display::Enum(id) = channel.displays[0] else { return None };
    let names = &model.enumerations[id.index()].values;
    names.iter().find(|(value, _)| *value == tag).map(|(_, name)| name.clone())
}

fn receptions(errors: &BTreeSet<String>) -> BTreeSet<String> {
    errors.iter().filter(|error| error.starts_with("unspecified-reception")).cloned().collect()
}

/// The errors without the control states that they name.
fn without_states(errors: &BTreeSet<String>) -> BTreeSet<String> {
    errors.iter().map(|error| error.split(" in state ").next().unwrap_or(error).to_string()).collect()
}

#[test]
fn a_process_that_waits_in_vain_is_an_error_while_others_go_on() {
    // The clock never stops, so nothing ever ends.
    let text = "channel desk[1], home[1], clock[1];
        proc clerk { desk?form; home!stamp }
        proc visitor { desk!complaint; home?stamp }
        proc watch { do :: clock!tick; clock?tick od }";
    let expected = ["unspecified-reception: clerk does not receive `complaint` from `desk` in state 1"];
    let expected: BTreeSet<String> = expected.iter().map(|error| error.to_string()).collect();
    let loaded = plain(text);
    assert_eq!(by_definition(&loaded.model, 1000), Some(expected.clone()));
    for (way, options) in ways() {
        assert_eq!(errors(&loaded, options), expected, "{way}");
    }
}

#[test]
fn in_the_initial_state_too() {
    let loaded = plain("channel a[1] = { early }, b[1]; proc p { a?late } proc q { do :: b!x; b?x od }");
    let verdict = run_search(&loaded, &CheckSettings::default(), &mut ());
    assert_eq!(verdict.kind, VerdictKind::Violated);
    assert_eq!(verdict.outcome.errors[0].length, 0);
}

/// A process that can still do something else, or may still be helped, has not failed.
#[test]
fn what_can_still_move_is_no_error() {
    let clock = "channel t[1]; proc clock { do :: t!tick; t?tick od }";
    for (process, is_stuck) in [
        ("proc p { a?m }", true),
        ("proc p { a?m; b!x }", true),
        ("proc p { do :: a?m :: b?m od }", false), // b is empty
        ("proc p { b!fill; do :: a?m :: b?m od }", true), // and now it is not
        ("proc p { b!fill; do :: a?m :: b?default od }", false),
        ("proc p { do :: a?m :: a?timeout od }", true), // the timeout waits for a to be empty
        ("proc p { do :: a?m :: b?timeout od }", false), // b is empty
        ("proc p { b!fill; do :: a?m :: b?timeout od }", true),
        ("proc p { var v = 1; do :: a?m :: (v < 0) -> b?m od }", true), // nobody else changes v
        ("proc p { var v = -1; do :: a?m :: (v < 0) -> b?m od }", false), // goes on to wait for b
        ("proc p { var v; do :: a?m :: (1 / v) od }", false), // a division by zero, which is an error of its own
        ("proc p { do :: a?m :: u!x od } proc u { do :: u?x od }", false),
        ("proc p { do :: a?m :: c!x od } proc c { skip }", false), // c is full for ever, but it is a send that waits
        ("proc p { a?other }", false),
        ("proc p { a?default }", false),
    ] {
        let channels = "channel a[1] = { other }, b[1], u[1], c[1] = { x };";
        let loaded = plain(&format!("{channels} {clock} {process}"));
        let definition = by_definition(&loaded.model, 1000).expect("few states");
        assert_eq!(!definition.is_empty(), is_stuck, "{process}: {definition:?}");
        for (way, options) in ways() {
            assert_eq!(receptions(&errors(&loaded, options)), definition, "{process}, {way}");
        }
    }
}

/// Each process, state and message once; a process that waits for two channels has two messages.
#[test]
fn all_errors_lists_each_once() {
    let text = "channel a[1], b[1], t[1];
        proc p { do :: a?go :: b?go od }
        proc q { if :: a!x :: a!y fi; if :: b!x :: b!y fi }
        proc clock { do :: t!tick; t?tick od }";
    let loaded = plain(text);
    let expected = by_definition(&loaded.model, 1000).expect("few states");
    assert_eq!(expected.len(), 4, "{expected:?}");
    for (way, options) in ways() {
        assert_eq!(errors(&loaded, options), expected, "{way}");
    }
}

/// What a state waits for counts when states are compared, also if it never comes: where `b` is awaited too the process may
/// be helped, as far as the definition goes.
#[test]
fn states_that_wait_for_different_channels_are_not_merged() {
    for (order, is_stuck) in [("left", false), ("right", true)] {
        let text = format!(
            "channel a[1] = {{ other }}, b[1], u[1] = {{ {order} }}, t[1];
             proc p {{ if :: u?left -> do :: a?m :: b?x od :: u?right -> do :: a?m od fi }}
             proc clock {{ do :: t!tick; t?tick od }}"
        );
        let loaded = plain(&text);
        let definition = by_definition(&loaded.model, 1000).expect("few states");
        assert_eq!(!definition.is_empty(), is_stuck);
        for (way, options) in ways() {
            assert_eq!(receptions(&errors(&loaded, options)), definition, "{order}, {way}");
        }
    }
}

/// Without the proviso, a search for deadlocks alone would follow the clock for ever.
#[test]
fn a_search_for_deadlocks_alone_finds_it() {
    let text = "channel a[1], t[1];
        proc clock { do :: t!tick; t?tick od }
        proc p { a?go }
        proc q { a!stop }
        proc clock2 { channel s[1]; do :: s!tick; s?tick od }";
    let loaded = plain(text);
    for search in [Strategy::DFS, Strategy::BFS] {
        let property = panoptes_check::Property::Deadlock;
        let found = errors(&loaded, CheckSettings { strategy: search, property, ..CheckSettings::default() });
        assert_eq!(Some(found), by_definition(&loaded.model, 1000));
        let property = panoptes_check::Property::Assertions;
        assert!(
            errors(&loaded, CheckSettings { strategy: search, property, ..CheckSettings::default() })
                .is_empty()
        );
    }
}

#[test]
fn on_random_models() {
    random_models(0..160, 2_000);
}

/// Many more, from `FIRST_SEED` on: `cargo test --release -p panoptes-check --test check receptions:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    let from = std::env::var("FIRST_SEED").map_or(1000, |seed| seed.parse().expect("a number"));
    random_models(from..from + 20_000, 20_000);
}

fn random_models(seeds: std::ops::Range<u64>, states_max: usize) {
    let (mut compared, mut stuck, mut only_stuck) = (0, 0, 0);
    for seed in seeds {
        let text = generate_argos(seed);
        let meaning = Meaning {
            timeouts: if seed % 3 == 0 { Timeouts::LockOnly } else { Timeouts::Free },
            end_states: if seed % 2 == 0 { EndStates::Rest } else { EndStates::Strict },
        };
        let loaded = load(&text, meaning).unwrap_or_else(|| panic!("seed {seed} is no model:\n{text}"));
        let Some(definition) = by_definition(&loaded.model, states_max) else { continue };
        let exact = CheckSettings { semantics: Semantics::EXACT, ..CheckSettings::default() };
        let expected = errors(&loaded, exact);
        assert_eq!(receptions(&expected), definition, "seed {seed}:\n{text}");
        for (way, options) in ways() {
            let is_minimised = options.semantics.optimisation == Optimisation::Minimise;
            let found = errors(&loaded, options);
            if is_minimised {
                // Of equivalent control states one is enough; what is told of it is true.
                assert!(receptions(&found).is_subset(&definition), "seed {seed}, {way}: {found:?}\n{text}");
                assert_eq!(without_states(&found), without_states(&expected), "seed {seed}, {way}:\n{text}");
            } else {
                assert_eq!(found, expected, "seed {seed}, {way}:\n{text}");
            }
        }
        for search in [Strategy::Scatter(Scatter::EVERYTHING), Strategy::SWARM] {
            let options = CheckSettings { strategy: search, all_errors: true, ..CheckSettings::default() };
            let options =
                CheckSettings { limits: Limits::of_time(std::time::Duration::from_millis(50)), ..options };
            // A swarm takes the time that it has: not for every model.
            if search != Strategy::SWARM || seed % 50 == 0 {
                let found: BTreeSet<String> =
                    run_search(&loaded, &options, &mut ()).outcome.errors.iter().map(name).collect();
                assert!(found.is_subset(&expected), "seed {seed}, {search:?}: {found:?}\n{text}");
            }
        }
        compared += 1;
        stuck += usize::from(!definition.is_empty());
        only_stuck += usize::from(!loaded.model.waiting.is_empty());
    }
    println!("{compared} models, {stuck} with unspecified receptions, {only_stuck} where they could be");
    assert!(compared > 80 && stuck > 20 && only_stuck > stuck, "{compared}, {stuck}, {only_stuck}");
}
