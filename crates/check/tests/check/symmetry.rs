//! A search in which processes change places has the verdict of one in which they do not, and finds errors of the same kinds; what it
//! finds is an execution, and where lengths are promised they are the same.

use crate::support::choices::load;
use crate::support::{models, models_in};
use panoptes_check::{
    CheckSettings, Language, Limits, Loaded, Semantics, Strategy, SymmetryChoice, SymmetryUse, TextOptions,
    Threads, VerdictKind, check, load_text,
};
use panoptes_modelgen::generate_symmetric;
use std::path::Path;

/// What a check came to.
#[derive(Debug)]
struct Answer {
    verdict: VerdictKind,
    kind: Option<String>,
    length: Option<usize>,
    stored: u64,
    is_whole: bool,
    symmetry: SymmetryUse,
}

fn answer(loaded: &Loaded, settings: &CheckSettings) -> Answer {
    let report = check(loaded, settings, &mut ()).unwrap_or_else(|error| panic!("{error}"));
    let error = report.errors.first();
    Answer {
        verdict: report.verdict,
        kind: error.map(|error| format!("{:?}", error.found.kind)),
        length: error.map(|error| error.found.length),
        stored: report.statistics.stored,
        is_whole: report.searched_all || error.is_some(),
        symmetry: report.symmetry.clone(),
    }
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    used: usize,
    fewer: usize,
    more: usize,
    violated: usize,
}

impl Tally {
    /// Compares searches with and without exchanges, with and without the other reductions, by lengths and by states.
    fn compare(&mut self, name: &str, loaded: &Loaded, states_max: u64) {
        let limits = Limits { states: Some(states_max), ..Limits::default() };
        let with = |semantics: Semantics, symmetry| CheckSettings {
            semantics: Semantics { symmetry, ..semantics },
            limits,
            ..CheckSettings::default()
        };
        let plain = Semantics::new(false, false);
        let full = answer(loaded, &with(plain, SymmetryChoice::Off));
        if !full.is_whole {
            return;
        }
        self.compared += 1;
        self.violated += usize::from(full.verdict == VerdictKind::Violated);
        let kinds = self.kinds(loaded, &with(plain, SymmetryChoice::Off));
        for semantics in [plain, Semantics::default()] {
            for strategy in [Strategy::BFS, Strategy::DFS] {
                let settings = CheckSettings { strategy, ..with(semantics, SymmetryChoice::Auto) };
                let ordered = answer(loaded, &settings);
                if !ordered.is_whole && full.verdict == VerdictKind::Violated {
                    // Depth first may not come to an error within the limit that is near breadth first.
                    continue;
                }
                assert_eq!(ordered.verdict, full.verdict, "{name} {strategy} {semantics:?}");
                let is_known =
                    |kinds: &Vec<Option<String>>| ordered.kind.is_none() || kinds.contains(&ordered.kind);
                assert!(kinds.as_ref().is_none_or(is_known), "{name}: {ordered:?} {kinds:?}");
                let is_plain = strategy == Strategy::BFS && semantics == plain;
                self.used += usize::from(is_plain && matches!(ordered.symmetry, SymmetryUse::Used { .. }));
                if is_plain && full.kind.is_none() {
                    self.fewer += usize::from(ordered.stored < full.stored);
                    if ordered.stored > full.stored {
                        self.more += 1;
                        println!("more: {} than {}, {name}", ordered.stored, full.stored);
                    }
                }
            }
        }
        if full.verdict == VerdictKind::Violated {
            let shortest = |symmetry| {
                let settings = CheckSettings { strategy: Strategy::SHORTEST, ..with(plain, symmetry) };
                answer(loaded, &settings)
            };
            let (off, auto) = (shortest(SymmetryChoice::Off), shortest(SymmetryChoice::Auto));
            assert_eq!(auto.length, off.length, "{name}: {auto:?} {off:?}");
        }
    }

    /// The kinds of all errors, if a search came to its end.
    fn kinds(&self, loaded: &Loaded, settings: &CheckSettings) -> Option<Vec<Option<String>>> {
        let settings = CheckSettings { all_errors: true, ..settings.clone() };
        let report = check(loaded, &settings, &mut ()).unwrap_or_else(|error| panic!("{error}"));
        let kinds = report.errors.iter().map(|error| Some(format!("{:?}", error.found.kind)));
        report.searched_all.then(|| kinds.collect())
    }
}

fn random_models(seeds: std::ops::Range<u64>, states_max: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let text = generate_symmetric(seed);
        let invariant = ["count < 3", "row[0] != 2", "owner != 1 || count < 2"][seed as usize % 3];
        let invariants = if seed % 4 == 1 { vec![invariant.to_string()] } else { Vec::new() };
        let options = TextOptions { invariants, ..TextOptions::default() };
        let loaded = load_text("m", text.clone(), Path::new("m.pml"), Language::Promela, &options)
            .unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics));
        if std::env::var_os("SHOW").is_some() {
            println!("seed {seed}\n{text}");
        }
        tally.compare(&format!("seed {seed}\n{text}"), &loaded, states_max);
    }
    println!("{tally:?}");
    tally
}

#[test]
fn on_random_models_of_processes_that_are_alike() {
    let tally = random_models(0..60, 2_000);
    assert!(tally.compared > 30 && tally.used > 5 && tally.violated > 10, "{tally:?}");
}

/// Of four processes the second is named: the rows of the others in its array are looked at in the same order for all of them.
#[test]
fn one_keeps_its_place_between_others() {
    let tally = random_models(10_495..10_496, 20_000);
    assert_eq!((tally.compared, tally.used), (1, 1), "{tally:?}");
}

/// Many more seeds, for an idle machine: `cargo test --release -p panoptes-check --test check symmetry:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models_of_processes_that_are_alike() {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let tally = random_models(number("FROM", 1_000)..number("TO", 3_000), 20_000);
    assert!(tally.used > 100, "{tally:?}");
}

#[test]
fn on_every_model() {
    let mut tally = Tally::default();
    for (name, loaded) in models() {
        tally.compare(&name, &loaded, 3_000);
    }
    println!("{tally:?}");
    assert!(tally.compared > 50 && tally.used > 3, "{tally:?}");
}

/// Five models, or more, of five processes, or more, that are alike have five times fewer states, or less.
#[test]
fn many_that_are_alike_have_few_states() {
    for (name, loaded) in models_in(&["symmetric"]) {
        let stored = |symmetry, threads| {
            let semantics = Semantics { symmetry, ..Semantics::new(false, true) };
            let settings =
                CheckSettings { semantics, threads, all_errors: false, ..CheckSettings::default() };
            let answer = answer(&loaded, &settings);
            assert!(answer.is_whole);
            (answer.stored, answer.verdict)
        };
        let one = Threads::default();
        let ((auto, verdict), (off, same)) =
            (stored(SymmetryChoice::Auto, one), stored(SymmetryChoice::Off, one));
        println!("{name}: {off} without, {auto} with exchanges");
        assert!(auto * 5 <= off, "{name}: {auto} of {off}");
        assert_eq!(verdict, same, "{name}");
        assert_eq!(stored(SymmetryChoice::Auto, Threads::at_once(2)), (auto, verdict), "{name}");
    }
}

/// What the check says of the symmetry of a model.
fn symmetry_of(text: &str, strategy: Strategy) -> SymmetryUse {
    let semantics = Semantics { symmetry: SymmetryChoice::Auto, ..Semantics::new(false, false) };
    answer(&load(text), &CheckSettings { semantics, strategy, ..CheckSettings::default() }).symmetry
}

#[test]
fn numbers_may_be_compared_sent_and_used_as_subscripts() {
    let body = [
        "do :: owner == 255 -> owner = ME; owner = 255 od",
        "do :: flag[ME] = 1; flag[ME] = 0 od",
        "byte x = 255; do :: q ! ME :: q ? x od",
        "byte x = 255; do :: q ! ME; r[ME] ? 1 :: q ? x -> r[x] ! 1 od",
    ];
    for body in body {
        let head = "byte owner = 255; byte flag[3]; chan q = [2] of { byte }; chan r[3] = [1] of { byte };";
        let active = format!("{head} active [3] proctype P() {{ {} }}", body.replace("ME", "_pid"));
        let behind = format!(
            "{head} active proctype O() {{ end: 0 }} active [3] proctype P() {{ {} }}",
            body.replace("ME", "(_pid - 1)")
        );
        let given = format!(
            "{head} proctype P(byte id) {{ {} }} init {{ run P(0); run P(1); run P(2) }}",
            body.replace("ME", "id")
        );
        for text in [active, behind, given] {
            let found = symmetry_of(&text, Strategy::BFS);
            assert!(matches!(found, SymmetryUse::Used { .. }), "{text}: {found:?}");
        }
    }
}

#[test]
fn what_tells_processes_apart_is_said() {
    let cases = [
        (
            "byte x; active [2] proctype P() { do :: x = _pid % 2 od }",
            "`x = _pid % 2` computes with the number of a process P",
        ),
        (
            "byte x; active [2] proctype P() { x++ }",
            "a process P can end, and the number of steps is asked for",
        ),
        ("byte x; active [2] proctype P() { do :: x = _last od }", "`_last` names the process that moved"),
        (
            "byte x; active [2] proctype P() { x = 1 } active proctype Q() { _nr_pr == 1 }",
            "a process P can end",
        ),
        (
            "active [2] proctype P() { l: goto l } active proctype Q() { end: P@l }",
            "asks for the oldest process P",
        ),
    ];
    for (text, expected) in cases {
        let strategy = if expected.contains("steps") { Strategy::SHORTEST } else { Strategy::BFS };
        let found = symmetry_of(text, strategy);
        let SymmetryUse::NotPossible(why) = &found else { panic!("{text}: {found:?}") };
        assert!(why.contains(expected), "{text}: {why}");
    }
    assert_eq!(symmetry_of("byte x; active proctype P() { x = 1 }", Strategy::BFS), SymmetryUse::NoTwins);
}

/// Of three processes one is named, and the others change places.
#[test]
fn who_is_named_keeps_its_place() {
    let text = |guard: &str| {
        format!(
            "byte n[3]; active [3] proctype P() {{ do :: d_step {{ n[_pid] < 2 && {guard} -> n[_pid]++ }} :: d_step {{ n[_pid] > 0 -> n[_pid]-- }} od }}"
        )
    };
    let stored = |guard: &str| {
        let semantics = Semantics { symmetry: SymmetryChoice::Auto, ..Semantics::new(false, false) };
        answer(&load(&text(guard)), &CheckSettings { semantics, ..CheckSettings::default() }).stored
    };
    // Multisets of three of three values; and one value beside multisets of two of them.
    assert_eq!(stored("true"), 10);
    assert_eq!(stored("(_pid != 0 || true)"), 3 * 6);
}

/// Where nobody changes places, a reason is given.
#[test]
fn who_is_named_is_said_where_nobody_is_left() {
    let both = "byte n[2]; active [2] proctype P() {
      do :: _pid == 0 && n[_pid] < 2 -> n[_pid]++ :: _pid == 1 && n[_pid] < 2 -> n[_pid]++ od }";
    let given = "byte n[2]; proctype P(byte id) {
      do :: id == 7 && n[0] < 2 -> n[0]++ :: id == 8 && n[1] < 2 -> n[1]++ od }
      init { atomic { run P(7); run P(8) } }";
    // No process has that number; and nothing ever differs between the two.
    let nobody = "byte x; active [2] proctype P() { do :: _pid == 9 -> x = 1 :: x = 0 od }";
    let cases = [
        (both, Some("`_pid == 0 && n[_pid] < 2` names a process by its number")),
        (given, Some("`id == 7 && n[0] < 2` names a process by its number")),
        (nobody, None),
    ];
    for (text, expected) in cases {
        let found = symmetry_of(text, Strategy::BFS);
        assert_eq!(found, SymmetryUse::Idle(expected.map(str::to_string)), "{text}");
    }
}

/// Each process is given its own number less one, without end: what the numbers may be has to be given up.
#[test]
fn values_that_never_end() {
    let text = "proctype ack(short a, b; chan up) {
          chan own = [1] of { short }; short ans;
          if
          :: a == 0 -> ans = b + 1
          :: a != 0 ->
             if
             :: b == 0 -> run ack(a - 1, 1, own)
             :: b != 0 -> run ack(a, b - 1, own); own?ans; run ack(a - 1, ans, own)
             fi;
             own?ans
          fi;
          up!ans
        }
        init { chan own = [1] of { short }; short ans; run ack(1, 1, own); own?ans; assert(ans != 3) }";
    let found = answer(&load(text), &CheckSettings::default());
    assert_eq!(found.verdict, VerdictKind::Violated, "{found:?}");
}
