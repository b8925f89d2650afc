//! What each pass does to small models, and what it must leave alone.

use panoptes_model::{Action, Expr, Model, to_text, verify};
use panoptes_optimise::{Optimised, Passes, Summary, optimise, without_claims};
use panoptes_promela::FileLoader;
use panoptes_source::SourceMap;
use std::path::Path;

fn run(text: &str, options: Passes) -> (Model, Summary, String) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    let path = Path::new("m.pml");
    let (module, _) =
        panoptes_promela::parse_file(&mut sources, file, path, &Default::default(), &FileLoader);
    let model = panoptes_promela::lower(&module, &sources, "m.pml").model.expect("a model");
    let Optimised { model, summary, .. } = optimise(&model, options);
    assert_eq!(verify(&model), []);
    let shown = to_text(&model, &sources);
    (model, summary, shown)
}

fn resets(text: &str) -> usize {
    run(text, Passes { dead_variables: true, ..Passes::NONE }).1.resets
}

fn merged(text: &str) -> usize {
    run(text, Passes { merge: true, ..Passes::NONE }).1.merged
}

#[test]
fn a_variable_dies_after_its_last_use() {
    let text = "byte g; active proctype P() { byte x; x = g; g = x + 1; do :: g > 3 :: g++ od }";
    let (_, summary, shown) = run(text, Passes { dead_variables: true, ..Passes::NONE });
    assert_eq!(summary.resets, 1, "{shown}");
    assert!(shown.contains("g := x + 1; x := 0"), "{shown}");
}

#[test]
fn it_goes_back_to_its_initial_value() {
    let text = "byte g; active [2] proctype P() { byte x = 7; do :: g = x; g = x :: x = 3; g = x od }";
    let (_, summary, shown) = run(text, Passes { dead_variables: true, ..Passes::NONE });
    assert_eq!(summary.resets, 0, "always live here: {shown}");
    let text = "byte g; active [2] proctype P() { byte x = 7; x = 5; g = x; g = 0; g = 1 }";
    let shown = run(text, Passes { dead_variables: true, ..Passes::NONE }).2;
    assert!(shown.contains("g := x; x := 7"), "{shown}");
}

/// What is read at the head of a loop is alive in all of it, wherever the text of the loop begins.
#[test]
fn what_is_read_in_the_next_round_lives_on() {
    let in_loop = |body: &str| {
        resets(&format!(
            "byte g; active proctype P() {{ byte x; x = g; do :: {body} od }} active proctype Q() {{ do :: g = 3 od }}"
        ))
    };
    for body in [
        "g = x; g = 1; g = 2",
        "g = 1; g = x; g = 2",
        "g = 1; g = 2; g = x",
        "g = 1; g = 2; g = 4; g = x; g = 5",
    ] {
        assert_eq!(in_loop(body), 0, "{body}");
    }
    assert_eq!(in_loop("g = x; g = 1; g = 2; x = 7"), 1, "here it is set anew");
}

#[test]
fn what_others_may_read_never_dies() {
    assert_eq!(
        resets("byte g; active proctype P() { byte x; x = 1; g = x } active proctype Q() { P:x == g }"),
        0
    );
    assert_eq!(
        resets("byte g; active proctype P() { g = 1; g = 2; assert(g == 2); g = 3 }"),
        3,
        "its own global"
    );
    assert_eq!(resets("byte g; active [2] proctype P() { g = 1; g = 2; assert(g == 2); g = 3 }"), 0);
    assert_eq!(resets("byte g; ltl { [] (g < 9) } active proctype P() { g = 1; assert(g == 1); g = 3 }"), 0);
    assert_eq!(resets("hidden byte g; active proctype P() { g = 1; assert(g == 1); g = 3 }"), 0);
}

#[test]
fn what_a_provided_clause_reads_never_dies() {
    assert_eq!(resets("byte g; active proctype P() { g = 1; g = 2 }"), 2, "nobody reads it");
    assert_eq!(resets("byte g; active proctype P() provided (g < 2) { g = 1; g = 2 }"), 0);
    assert_eq!(
        resets("byte g; proctype P(byte x) provided (x != 1) { x = 0; assert(x < 9) } init { run P(2) }"),
        0
    );
}

#[test]
fn models_that_share_a_block_between_process_types_are_left_alone() {
    let text = "byte g, h; active proctype P() { byte x; x = 1; d_step { x = 2; x = 3 }; g = 1 }
        active proctype Q() { byte y; y = 1; d_step { y = 2; y = 3 }; h = 1 }";
    let all = Passes { pack: false, ..Passes::ALL };
    let (mut model, _, _) = run(text, Passes::NONE);
    assert_ne!(optimise(&model, all).summary, Summary::default());
    let mut blocks = model.transitions.iter_mut().flat_map(|transition| &mut transition.actions);
    let first = blocks.find(|action| matches!(action, Action::Block(_))).expect("of P").clone();
    let second = blocks.find(|action| matches!(action, Action::Block(_))).expect("of Q");
    *second = first;
    let Optimised { model: same, summary, .. } = optimise(&model, all);
    assert_eq!(summary, Summary::default());
    assert_eq!(format!("{same:?}"), format!("{model:?}"));
}

#[test]
fn an_array_dies_as_a_whole() {
    let text = "byte g; active [2] proctype P() { byte a[3]; a[g] = 1; a[0] = 2; g = a[1]; g = 0; g = 1 }";
    let shown = run(text, Passes { dead_variables: true, ..Passes::NONE }).2;
    assert_eq!(shown.matches(":= 0").count(), 4, "three elements, and a statement: {shown}");
}

#[test]
fn a_private_step_is_merged_and_a_shared_one_is_not() {
    assert_eq!(merged("byte g; active [2] proctype P() { byte x; g++; x = 1; x = 2; g = x }"), 2);
    assert_eq!(merged("byte g, h; active [2] proctype P() { byte x; g++; h = 1; x = h; g = x }"), 0);
    // Whether g is 1 is nobody's secret, so waiting for it is not private.
    assert_eq!(merged("byte g; active [2] proctype P() { byte x; g++; g == 1; g++ }"), 0);
    // A private condition may never hold.
    assert_eq!(merged("byte g; active [2] proctype P() { byte x; g++; x == 1; g++ }"), 0);
    assert_eq!(merged("byte g; active [2] proctype P() { byte x; g++; if :: x == 1 :: x != 1 fi; g++ }"), 1);
    // A division may fail, and a failed step has no successor in which others go on.
    assert_eq!(merged("byte g; active [2] proctype P() { byte x, y; g++; x = 1 / y; g++ }"), 0);
}

/// Where one of two conditions always holds, the process can always go on.
#[test]
fn conditions_that_exclude_each_other_are_merged() {
    let choice = |a: &str, b: &str| {
        merged(&format!(
            "byte g; active proctype P() {{ byte x, y; x = g; if :: {a} -> x = 1 :: {b} -> x = 2 fi; g = x }}
             active proctype Q() {{ g = 3 }}"
        ))
    };
    let open = choice("x == 1", "x != 2");
    for (a, b) in [
        ("x == 1", "x != 1"),
        ("x < _pid", "x >= _pid"),
        ("x + y > 1", "x + y <= 1"),
        ("x == y", "!(x == y)"),
    ] {
        assert!(choice(a, b) > open, "{a}, {b}");
        assert!(choice(b, a) > open, "{b}, {a}");
    }
    for (a, b) in
        [("x < 1", "x > 1"), ("x == y", "x != g"), ("x + y > 1", "x - y <= 1"), ("x < _pid", "x >= 0 + y")]
    {
        assert_eq!(choice(a, b), open, "{a}, {b}");
    }
}

#[test]
fn nobody_keeps_control_for_ever() {
    let (model, summary, shown) = run(
        "active [2] proctype P() { byte x; do :: x = 1; x = 2; x = 3 od }",
        Passes { merge: true, ..Passes::NONE },
    );
    assert_eq!(summary.merged, 2, "{shown}");
    assert!(model.transitions.iter().any(|transition| !transition.keeps_control && transition.to.is_some()));
}

/// Between two states that are stored there is one choice at most.
#[test]
fn one_choice_is_merged_and_a_second_is_not() {
    let of = |body: &str| merged(&format!("active [2] proctype P() {{ byte x, y; {body} }}"));
    assert_eq!(of("x = 1; y = 2; x = 3; y = 4"), 3);
    assert_eq!(of("x = 1; if :: x = 2 :: x = 3 fi; y = 1; y = 2; y = 3"), 5, "all but the last");
    assert_eq!(of("x = 1; if :: x = 2 :: x = 3 fi; y = 1; if :: y = 2 :: y = 3 fi; y = 4; y = 5"), 6);
    assert_eq!(
        of("x = 1; if :: x = 2 :: x = 3 fi; if :: y = 2 :: y = 3 fi; if :: y = 4 :: y = 5 fi; x = 5"),
        5
    );
}

/// A way round that keeps control at every step, found by following such steps.
fn has_endless_chain(model: &Model) -> bool {
    let kept = |state: usize| {
        let rules = model.processes[0].states[state].transitions.iter().map(|id| model.transition(*id));
        rules.filter(|rule| rule.keeps_control).filter_map(|rule| rule.to).map(|to| to.index())
    };
    let count = model.processes[0].states.len();
    (0..count).any(|start| {
        let mut reached = vec![false; count];
        let mut todo: Vec<usize> = kept(start).collect();
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                todo.extend(kept(state));
            }
        }
        reached[start]
    })
}

#[test]
fn no_circle_anywhere_keeps_control_for_ever() {
    for body in [
        "do :: x = 1; x = 2; x = 3 od",
        "x = 1; x = 2; do :: x < 3 -> x++ :: else -> break od; do :: x = 1; y = 2; x = 3 od",
        "do :: x < 3 -> do :: y < 3 -> y++; x = 1 :: else -> break od :: else -> x = 0; y = 0 od",
        "a: x = 1; b: y = 2; c: x = 3; if :: x < y -> goto b :: else -> goto c fi",
    ] {
        let text = format!("active [2] proctype P() {{ byte x, y; {body} }}");
        let (model, summary, shown) = run(&text, Passes { merge: true, ..Passes::NONE });
        assert!(summary.merged > 0 && !has_endless_chain(&model), "{shown}");
    }
}

#[test]
fn an_indivisible_sequence_is_not_pulled_forward() {
    let text = "byte g; active [2] proctype P() { byte x; g++; atomic { x = 1; g = x; g = 2 } }";
    assert_eq!(merged(text), 0);
}

#[test]
fn onlookers_forbid_merging() {
    let private = "byte g; active [2] proctype P() { byte x; here: g++; x = 1; g = x }";
    assert_eq!(merged(private), 1);
    assert_eq!(merged(&format!("{private} active proctype Q() {{ P[0]@here }}")), 0);
    assert_eq!(merged(&format!("{private} active proctype Q() {{ enabled(0) }}")), 0);
    assert_eq!(merged(&format!("{private} active proctype Q() {{ _last == 0 }}")), 0);
    assert_eq!(merged("byte g; active [2] proctype P() provided (g < 9) { byte x; g++; x = 1; g = x }"), 0);
}

#[test]
fn the_youngest_exits_at_once() {
    let last = |rest: &str| merged(&format!("byte g; {rest}"));
    assert_eq!(last("active proctype P() { g++; g++ } active proctype Q() { g++; g++ }"), 1, "Q");
    assert_eq!(last("active [2] proctype P() { g++ }"), 0, "one of the two waits for the other");
    let starter = "proctype P() { g++ } proctype Q() { g++ } init { g++; run P(); run Q(); g++ }";
    assert_eq!(last(starter), 1, "Q, since nobody is started after it");
    assert_eq!(last("proctype P() { g++ } init { do :: run P() :: break od; g++ }"), 0);
    assert_eq!(
        last("proctype P() { g++ } proctype Q() { g++ } init { if :: run P() :: run Q() fi; g++ }"),
        0
    );
    assert_eq!(last("proctype P() { g++ } proctype Q() { g++; run P() } init { g++; run Q() }"), 0);
    assert_eq!(
        last("active proctype P() { g++; _nr_pr == 1 } active proctype Q() { g++ }"),
        0,
        "it is counted"
    );
    let own = "chan h; active [2] proctype R() { h?_; g++ } active proctype P() { chan c = [1] of { byte }; h = c; g++ }";
    assert_eq!(last(own), 0, "its channel goes with it");
}

#[test]
fn claims_that_nobody_follows_see_nothing() {
    let text = "byte g; active [2] proctype P() { byte x; here: g++; x = 1; g = x } ltl { [] !P[0]@here }";
    assert_eq!(merged(text), 0);
    let (model, ..) = run(text, Passes::NONE);
    let rest = without_claims(&model);
    assert_eq!(verify(&rest), []);
    assert_eq!(optimise(&rest, Passes { merge: true, ..Passes::NONE }).summary.merged, 1);
    let (never, ..) = run("byte g; active proctype P() { g = 1 } never { do :: g == 0 od }", Passes::NONE);
    assert_eq!(verify(&without_claims(&never)), []);
}

#[test]
fn a_rendezvous_that_takes_something_away_forbids_merging() {
    let receiver = "chan q = [0] of { byte }; byte g;\nactive proctype R() { byte x; g++; x = 1; q?x }\n";
    assert_eq!(merged(&format!("{receiver} active [2] proctype S() {{ q!1 }}")), 1);
    assert_eq!(merged(&format!("{receiver} active [2] proctype S() {{ if :: q!1 :: else fi }}")), 0);
    assert_eq!(merged(&format!("{receiver} active [2] proctype S() {{ atomic {{ g++; q!1 }} }}")), 0);
    assert_eq!(
        merged(&format!("{receiver} active [2] proctype S() {{ {{ g++; g++ }} unless {{ q!1 }} }}")),
        0
    );
}

/// One byte of the global part is never used, and the frame needs no priority and one byte for its state.
#[test]
fn values_take_the_bytes_they_need() {
    let text = "int small, large, negative; chan q = [2] of { int };\n\
        active proctype P() { int i; small = 200; large = 70000; negative = -5; q!small; q?i; large++ }";
    let (model, summary, shown) = run(text, Passes { pack: true, ..Passes::NONE });
    let bits = |name: &str| {
        let of_process = model.processes.iter().flat_map(|process| &process.variables);
        let found = model.variables.iter().chain(of_process).find(|variable| variable.name == name);
        found.map(|variable| (variable.ty.bits, variable.ty.signed))
    };
    assert_eq!(bits("small"), Some((8, false)), "{shown}");
    assert_eq!(bits("large"), Some((32, true)), "{shown}");
    assert_eq!(bits("negative"), Some((8, true)), "{shown}");
    assert_eq!(bits("i"), Some((8, false)), "{shown}");
    assert_eq!(bits("q"), None, "a constant: {shown}");
    assert_eq!(summary.bytes_saved, 3 + 3 + 3 + 2 * 3 + 1 + 1 + 2, "{shown}");
}

#[test]
fn values_take_the_bytes_that_their_operators_give() {
    // x is from -5 to 5, y from 0 to 200.
    let bits = |value: &str| {
        let text = format!(
            "int x, y, r; active proctype P() {{ do :: x = -5 :: x = 5 :: y = 200 :: y = 0 :: r = {value} od }}"
        );
        let model = run(&text, Passes { pack: true, ..Passes::NONE }).0;
        let found = model.variables.iter().find(|variable| variable.name == "r");
        found.map(|variable| (variable.ty.bits, variable.ty.signed))
    };
    for (value, expected) in [
        ("x % 3", (8, true)),
        ("y % 3", (8, false)),
        ("y % 1000", (8, false)),
        ("x % 1000", (8, true)),
        ("x + 100", (8, false)),
        ("x - y", (16, true)),
        ("y + y", (16, false)),
        ("x * y", (16, true)),
        ("x / 2", (8, true)),
        ("y / 2", (8, false)),
        ("x & 7", (8, false)),
        ("y & 4095", (8, false)),
        ("y | 7", (8, false)),
        ("y | 256", (16, false)),
        ("y ^ 255", (8, false)),
        ("y >> 3", (8, false)),
        ("x > y", (8, false)),
        ("-y", (16, true)),
        ("!y", (8, false)),
    ] {
        assert_eq!(bits(value), Some(expected), "{value}");
    }
}

#[test]
fn records_keep_equal_distances() {
    let text = "typedef R { int a; int b; byte c }; R r[3]; byte g;\n\
        active proctype P() { r[g].a = 70000; r[1].b = 3; r[g].b = 4; r[2].c = 1; g = r[g].c + r[0].a + r[1].b }";
    let (model, summary, shown) = run(text, Passes { pack: true, ..Passes::NONE });
    assert_eq!(summary.bytes_saved, 9 + 1 + 2, "{shown}");
    let offsets: Vec<u32> = model.variables.iter().take(9).map(|variable| variable.offset).collect();
    let steps: Vec<u32> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [4, 1, 1, 4, 1, 1, 4, 1], "{shown}");
}

#[test]
fn constants_leave_the_vector() {
    let text = "byte n = 3, m; active proctype P() { byte x; m = n + 1; x = m; assert(x == 4 || n > 2) }";
    let (model, summary, shown) = run(text, Passes { pack: true, ..Passes::NONE });
    assert_eq!((summary.constants, summary.bytes_saved), (1, 1 + 1 + 2), "{shown}");
    assert!(shown.contains("m := 3 + 1"), "{shown}");
    assert_eq!(model.variables.len(), 1);
}

#[test]
fn what_has_no_effect_is_removed() {
    let text = "byte g, log; active proctype P() { byte i; printf(\"%d\", g); log = g; assert(true); g = 1;\n\
        if :: false -> g = 2 :: i < 1 -> g = 3 fi }";
    let (model, summary, shown) = run(text, Passes { unused: true, ..Passes::NONE });
    // g is read only for what nobody reads.
    assert_eq!(
        summary.unused, 7,
        "print, log, assertion, g twice, and two steps that cannot be taken: {shown}"
    );
    let prints = |action: &Action| matches!(action, Action::Print { .. } | Action::Assert { .. });
    assert!(!model.transitions.iter().any(|transition| transition.actions.iter().any(prints)));
    let count = |text: &str| run(text, Passes { unused: true, ..Passes::NONE }).1.unused;
    assert_eq!(
        count("byte n, g; active [2] proctype P() { n++; g = g + n; g = n }"),
        3,
        "nobody looks at either"
    );
    assert_eq!(count("byte n, g; active [2] proctype P() { n++; g = g + n; g == 2 }"), 0, "g is looked at");
    assert_eq!(
        count("byte n, g; active [2] proctype P() { n++; d_step { g = n; g = 0 } }"),
        0,
        "blocks stay"
    );
    assert_eq!(
        count("byte g; chan c = [1] of { byte, byte }; active proctype P() { c!1,2; c?g,2 }"),
        1,
        "the message is taken, but nobody keeps it"
    );
    // What may fail stays, for its failure.
    let text = "byte g, log; active proctype P() { byte a[2]; printf(\"%d\", a[g]); log = 1 / g; g = 2 }";
    assert_eq!(run(text, Passes { unused: true, ..Passes::NONE }).1.unused, 0);
}

#[test]
fn nothing_asked_for_is_nothing_done() {
    let text = "byte g; active proctype P() { byte x; x = g; g = x; x = 1; assert(x == 1) }";
    let (model, summary, _) = run(text, Passes::NONE);
    assert_eq!(summary, Summary::default());
    assert!(summary.names().is_empty());
    assert!(model.transitions.iter().all(|transition| {
        !transition
            .actions
            .iter()
            .any(|action| matches!(action, Action::Assign { value: Expr::Const(0), .. }))
    }));
}

fn minimised(text: &str) -> usize {
    run(text, Passes { minimise: true, ..Passes::NONE }).1.minimised
}

#[test]
fn tails_that_are_written_twice_become_one() {
    let tails = "chan a = [1] of { byte }, b = [1] of { byte };
        active proctype P() { byte x; do :: a?1; b!1; x = 2; b!3 :: a?2; b!1; x = 2; b!3 od }";
    assert_eq!(minimised(tails), 3);
    let (_, summary, shown) = run(tails, Passes { minimise: true, ..Passes::NONE });
    assert_eq!(summary.names(), ["minimise"], "{shown}");
    assert_eq!(minimised(&tails.replacen("x = 2", "x = 1", 1)), 1, "only the last step is the same");
    assert_eq!(minimised("byte x; active proctype P() { if :: x = 1 :: x = 2 fi; x = 3; x = 4 }"), 0);
}

#[test]
fn rules_that_say_the_same_twice_are_taken_once() {
    let text = "byte x; active proctype P() { if :: x = 1; x = 2 :: x = 1; x = 2 :: x = 5 fi; x = 3 }";
    let (_, summary, shown) = run(text, Passes { minimise: true, ..Passes::NONE });
    assert_eq!(summary.minimised, 1, "{shown}");
    assert_eq!(shown.matches("[0]").count(), 2, "the second way in, and the way on from there: {shown}");
}

#[test]
fn what_tells_states_apart_keeps_them_apart() {
    let twins = |first: &str, second: &str, rest: &str| {
        let options = format!(":: g = 1; {first} g = 2; g = 4 :: g = 3; {second} g = 2; g = 4");
        minimised(&format!("byte g; active proctype P() {{ do {options} od }} {rest}"))
    };
    assert_eq!(twins("", "", ""), 2);
    assert_eq!(twins("here:", "", ""), 2, "a label that nobody asks for");
    for label in ["end", "progress", "accept"] {
        assert_eq!(twins(&format!("{label}:"), "", ""), 1, "{label}");
        assert_eq!(twins(&format!("{label}1:"), &format!("{label}2:"), ""), 2, "{label} on both");
    }
    assert_eq!(twins("here:", "", "active proctype Q() { P@here }"), 1, "only one of them is asked for");
    assert_eq!(twins("", "", "active proctype Q() { pc_value(0) == 3 }"), 0, "all of them are");
    assert_eq!(twins("", "", "active proctype Q() { enabled(0) }"), 2, "both can do the same");
    assert_eq!(twins("assert(g < 5);", "assert(g < 5);", ""), 3);
    assert_eq!(
        twins("atomic { g = 5; g = 6 };", "g = 5; g = 6;", ""),
        3,
        "only its first step keeps control"
    );
    assert_eq!(twins("atomic { g = 5; g = 6 };", "atomic { g = 5; g = 6 };", ""), 4);
    assert_eq!(twins("d_step { g = 5; g = 6 };", "d_step { g = 5; g = 6 };", ""), 3);
    assert_eq!(twins("d_step { g = 5; g = 6 };", "d_step { g = 6; g = 6 };", ""), 2);
}

#[test]
fn processes_that_must_not_choose_and_those_that_are_provided_stay_as_they_are() {
    let body = "{ do :: g == 1; g = 2; g = 4 :: g == 3; g = 2; g = 4 od }";
    assert_eq!(minimised(&format!("byte g; active proctype P() {body}")), 2);
    assert_eq!(minimised(&format!("byte g; active D_proctype P() {body}")), 0);
    assert_eq!(minimised(&format!("byte g; active proctype P() provided (g < 9) {body}")), 0);
}

/// The example of paper and pencil: machines of 6 and 4 states, two queues of one slot and two messages each.
#[test]
fn sizes_multiply() {
    let text = "chan a = [1] of { bit }, b = [1] of { bit };
        active proctype S() { do :: a!0; b?0; a!0; b?0; a!1; b?1 od }
        active proctype R() { do :: a?0; b!0; a?1; b!1 od }";
    // Packed, so that the numbers of the channels are not among the values.
    let model = run(text, Passes { pack: true, ..Passes::NONE }).0;
    let sizes = panoptes_optimise::sizes(&model).expect("regular variables");
    let machines: Vec<u64> = sizes.machines.iter().map(|machine| machine.states).collect();
    let channels: Vec<_> = sizes.channels.iter().map(|channel| channel.contents.number).collect();
    assert_eq!((machines, channels), (vec![6, 4], vec![Some(3), Some(3)]));
    assert_eq!((sizes.control.number, sizes.contents.number), (Some(24), Some(9)));
    assert_eq!((sizes.states.number, sizes.bits, sizes.is_open), (Some(216), 9, false));
}

#[test]
fn sizes_count_what_goes_away_and_what_comes_later() {
    let text = "byte g; proctype P() { byte x[2]; x[0] = 1; x[1] = g } init { run P(); g = 3 }";
    let model = run(text, Passes::NONE).0;
    let sizes = panoptes_optimise::sizes(&model).expect("regular variables");
    let machines: Vec<_> = sizes.machines.iter().map(|machine| (machine.instances, machine.states)).collect();
    assert_eq!(machines, [(1, 4), (1, 4)], "three control states each, and gone");
    assert!(sizes.is_open);
    assert_eq!(sizes.values.number, Some(4 * 4 * 4), "x is 0 to 3, as g is");
}
