//! Searches along an assertion: every search, engine and reduction says the same of what a model can do.

use panoptes_check::{
    CheckSettings, Engine, Language, Limits, Loaded, Meaning, Semantics, StoreSpec, Strategy, TextOptions,
    Timeouts, VerdictKind, load_text, replay_error, run_search,
};
use panoptes_model::Goal;
use panoptes_search::FindingKind;
use std::path::Path;

const EXCHANGE: &str = "
channel ask[1], reply[1], log[2];

proc client { do :: ask!question; if :: reply?yes -> log!glad :: reply?no -> log!sad fi od }
proc server { do :: ask?question -> if :: reply!yes :: reply!no fi od }
proc clerk { do :: log?default od }

assert served { log!glad }
assert thrice { log!glad; log!sad; log!glad }
assert refused { reply!no; reply!yes; log!sad }
assert answered_first { reply?yes; ask!question }
assert unheard { reply!maybe; log!glad }
assert for_ever { do :: log!glad; log!glad :: log!sad od }
";

/// Were the bad message not possible at first, rather than not followed, the timeout would be.
const LATE: &str = "
channel c[1], d[1];
proc eager { d!bad }
proc clock { c?timeout -> d!good }
proc reader { d?default; d?default }
assert clock_first { d!good; d!bad }
";

fn load(text: &str, along: &str, timeouts: Timeouts) -> Loaded {
    let options = TextOptions {
        meaning: Meaning { timeouts, ..Meaning::default() },
        along: Some(along.to_string()),
        ..TextOptions::default()
    };
    let loaded = load_text("m.argos", text.to_string(), Path::new("m.argos"), Language::Argos, &options);
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

fn ways() -> Vec<CheckSettings> {
    let plain = CheckSettings { semantics: Semantics::EXACT, ..CheckSettings::default() };
    let mut ways = vec![
        CheckSettings::default(),
        CheckSettings { strategy: Strategy::SHORTEST, ..CheckSettings::default() },
    ];
    for search in [Strategy::BFS, Strategy::DFS] {
        for engine in [Engine::Interp, Engine::Jit] {
            for (por, optimise) in [(false, false), (true, false), (true, true)] {
                ways.push(CheckSettings {
                    strategy: search,
                    engine,
                    semantics: Semantics::new(por, optimise),
                    ..plain.clone()
                });
            }
        }
        ways.push(CheckSettings {
            strategy: search,
            store: StoreSpec::Compressed,
            ..CheckSettings::default()
        });
    }
    ways
}

/// The length of a shortest execution that performs the assertion.
fn length(text: &str, along: &str, timeouts: Timeouts) -> Option<usize> {
    let loaded = load(text, along, timeouts);
    let mut lengths = Vec::new();
    for options in ways() {
        let verdict = run_search(&loaded, &options, &mut ());
        let found = verdict.outcome.errors.first();
        let kind = if found.is_some() { VerdictKind::Verified } else { VerdictKind::Violated };
        assert_eq!(verdict.kind, kind, "{along}, {options:?}");
        assert_eq!(verdict.outcome.complete, found.is_none());
        if let Some(found) = found {
            assert_eq!(found.kind, FindingKind::Witness);
            let trace = replay_error(&loaded, &options, found).expect("it is so");
            let followed: Vec<&str> = trace.steps.iter().map(|step| step.text.as_str()).collect();
            assert!(trace.steps.iter().rev().skip(1).all(|step| step.fault.is_none()), "{followed:?}");
        }
        if options.strategy != Strategy::DFS {
            lengths.push(found.map(|found| found.length));
        }
    }
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{along}: {lengths:?}");
    lengths[0]
}

#[test]
fn what_can_be_done_is_shown_by_a_shortest_execution() {
    assert_eq!(length(EXCHANGE, "served", Timeouts::Free), Some(5));
    assert_eq!(length(EXCHANGE, "thrice", Timeouts::Free), Some(16));
    assert_eq!(length(EXCHANGE, "answered_first", Timeouts::Free), None);
    assert_eq!(length(EXCHANGE, "refused", Timeouts::Free), None);
    assert_eq!(length(EXCHANGE, "unheard", Timeouts::Free), None);
    assert_eq!(length(EXCHANGE, "for_ever", Timeouts::Free), Some(5));
}

#[test]
fn steps_that_lead_astray_are_possible_all_the_same() {
    assert_eq!(length(LATE, "clock_first", Timeouts::Free), Some(4));
    assert_eq!(length(LATE, "clock_first", Timeouts::LockOnly), None);
}

/// An execution that goes wrong is not followed, and no answer.
#[test]
fn run_time_errors_are_dead_ends() {
    let text = "
channel c[1];
proc p { var z, d; do :: (1 / z == 1) -> c!m :: z = 1 - z; c!n; (d < 3); d = d + 1 od }
proc q { do :: c?default od }
assert both { c!n; c!m }
assert early { c!m; c!n }
";
    assert_eq!(length(text, "both", Timeouts::Free), Some(7));
    assert_eq!(length(text, "early", Timeouts::Free), None);
}

/// That nothing was found within a bound does not mean that there is nothing.
#[test]
fn a_bound_leaves_it_open() {
    let loaded = load(EXCHANGE, "thrice", Timeouts::Free);
    for (depth, kind) in [(15, VerdictKind::Inconclusive), (16, VerdictKind::Verified)] {
        for search in [Strategy::BFS, Strategy::DFS] {
            let options = CheckSettings {
                limits: Limits::of_depth(depth),
                strategy: search,
                ..CheckSettings::default()
            };
            assert_eq!(run_search(&loaded, &options, &mut ()).kind, kind, "{depth} {search:?}");
        }
    }
}

/// The table in the model is the machine: where it is near its end, so are the executions.
#[test]
fn the_table_tells_how_far_it_is() {
    for (along, to_end, to_violation) in
        [("served", 1, 2), ("thrice", 3, 1), ("for_ever", 0, 2), ("unheard", 2, 1)]
    {
        let loaded = load(EXCHANGE, along, Timeouts::Free);
        let Some(Goal::Performed(sought)) = loaded.model.goal() else { panic!("it was asked for") };
        let table = &sought.table;
        assert_eq!(table.to_end()[0], Some(to_end), "{along}");
        assert_eq!(table.to_violation()[0], Some(to_violation), "{along}");
    }
}

#[test]
fn an_unknown_assertion_is_an_error() {
    let options = TextOptions { along: Some("server".into()), ..TextOptions::default() };
    let failed = load_text("m.argos", EXCHANGE.into(), Path::new("m"), Language::Argos, &options);
    let error = failed.expect_err("there is no such assertion");
    assert_eq!(error.diagnostics[0].message, "there is no assertion `server`");
}
