//! What Argos statements mean, seen from outside: values, `return`, and timeouts that a partial search puts off.

use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Scatter, Semantics, Strategy, TextOptions, Verdict, VerdictKind,
    load_text, run_search,
};
use panoptes_search::Limit;
use std::path::Path;

fn load(text: &str) -> Loaded {
    let options = TextOptions::default();
    load_text("m.argos", text.to_string(), Path::new("m.argos"), Language::Argos, &options)
        .unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics))
}

fn run(text: &str, options: CheckSettings) -> Verdict {
    run_search(&load(text), &options, &mut ())
}

/// Holds as written, optimised, and in native code.
fn holds(text: &str) -> bool {
    let verdicts: Vec<bool> =
        [(false, Engine::Interp), (true, Engine::Interp), (false, Engine::Jit), (true, Engine::Jit)]
            .into_iter()
            .map(|(optimise, engine)| {
                run(
                    text,
                    CheckSettings {
                        semantics: Semantics::new(true, optimise),
                        engine,
                        ..CheckSettings::default()
                    },
                )
                .kind
                    == VerdictKind::Verified
            })
            .collect();
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{text}: {verdicts:?}");
    verdicts[0]
}

/// The value of an expression of `v` and `one` once it is stored, or sent and received; a wrong guess is a deadlock.
#[test]
fn values_are_short_integers_modulo_two_to_the_fifteenth() {
    for (v, expression, kept) in [
        (5, "v", 5),
        (5, "-v", -5),
        (0, "-1", -1),
        (0, "v - 1", -1),
        (-7, "v % 3", -1),
        (-7, "v / 2", -3),
        (32767, "v + 1", 0),
        (32767, "v + 2", 1),
        (-32767, "v - 1", 0),
        (-32767, "v - 2", -1),
        (200, "v * v", 40_000 % 32_768),
        (-200, "v * 200", -(40_000 % 32_768)),
        (32767, "v << 1", 65_534 % 32_768),
        (-1, "~v", 0),
        (-1, "v == -1", 1),
        (-1, "!v", 0),
    ] {
        for guess in [kept, kept + 1] {
            let stored =
                format!("channel c[1]; proc p {{ var v = {v}, w; w = {expression}; (w == {guess}) }}");
            assert_eq!(holds(&stored), guess == kept, "{v}: {expression} is kept as {guess}");
            let sent = format!(
                "channel c[1]; proc p {{ var v = {v}; c!m({expression}) }} proc q {{ var w; c?m(w); (w == {guess}) }}"
            );
            assert_eq!(holds(&sent), guess == kept, "{v}: {expression} arrives as {guess}");
        }
    }
    assert!(holds("channel c[1] = { m(-3) }; proc p { var v = -32768; c?m(v); (v == -3) }"));
}

/// Paper 003 breaks a loop on a negative input.
#[test]
fn a_negative_value_ends_a_loop() {
    assert!(holds(
        "channel tray[2], out[1];
         proc fill { tray!sheet(4); tray!sheet(-1) }
         proc copy { var n; do :: tray?sheet(n) -> if :: (n < 0) -> break :: (n >= 0) -> skip fi od; out!ready }
         proc wait { out?ready }"
    ));
}

#[test]
fn return_leaves_a_procedure_from_anywhere() {
    let model = |body: &str, left: i32| {
        format!(
            "channel c[1]; proc f() {{ var w = -2; {body} v = 9 }} proc p {{ var v; f(); (v == {left}) }}"
        )
    };
    assert!(holds(&model("v = 1; return;", 1)));
    assert!(holds(&model("do :: (w < 0) -> w = w + 1 :: (w == 0) -> v = 3; return od;", 3)));
    assert!(holds(&model("if :: (w > 0) -> return :: (w < 0) -> skip fi;", 9)));
}

/// The early timer finds what goes wrong only if timeouts may come at any time.
const EARLY_TIMER: &str = "channel wire[2], back[1];
    proc sender { wire!letter; do :: back?thanks -> break :: back?timeout -> wire!letter od }
    proc reader { wire?letter; back!thanks }";

#[test]
fn a_scatter_search_puts_timeouts_off() {
    let scatter = |timeouts_last| CheckSettings {
        strategy: Strategy::Scatter(Scatter { timeouts_last, ..Scatter::EVERYTHING }),
        all_errors: true,
        ..CheckSettings::default()
    };
    let late = run(EARLY_TIMER, scatter(true));
    assert!(late.outcome.errors.is_empty(), "{:?}", late.outcome.errors);
    assert_eq!(late.kind, VerdictKind::Inconclusive);
    assert!(late.limits.contains(&Limit::Timeouts), "{:?}", late.limits);
    let free = run(EARLY_TIMER, scatter(false));
    assert_eq!(free.kind, VerdictKind::Violated);
    assert!(!free.limits.contains(&Limit::Timeouts), "{:?}", free.limits);
}

/// It begins with timeouts that resolve locks, and widens.
#[test]
fn an_escalation_begins_without_early_timeouts() {
    let options = CheckSettings { strategy: Strategy::ESCALATE, ..CheckSettings::default() };
    let verdict = run(EARLY_TIMER, options.clone());
    assert_eq!(verdict.kind, VerdictKind::Violated);
    let puts_off: Vec<bool> = verdict.outcome.stages.iter().map(|stage| stage.scope.timeouts_last).collect();
    assert!(puts_off[0] && !puts_off[puts_off.len() - 1], "{puts_off:?}");
    assert!(puts_off.is_sorted_by(|before, after| before >= after), "{puts_off:?}");
    // Where nothing was put off there is nothing to widen.
    let alone = "channel a[1]; proc p { a?timeout } proc q { skip }";
    let verdict = run(alone, options);
    assert_eq!(verdict.kind, VerdictKind::Verified);
    assert!(verdict.outcome.stages.len() <= 2, "{:?}", verdict.outcome.stages);
}
