//! Steps as SPIN's statement merging makes them: the numbers are those of `spin -o1 -o2 -a`, compiled with `-DSAFETY -DNOREDUCE`.

use panoptes_check::{
    CheckSettings, Language, Loaded, Semantics, Steps, Strategy, TextOptions, check, load_text,
};
use panoptes_modelgen::{Profile, generate};
use std::path::Path;

/// What is merged and what is not: labels, jumps, loops, blocks, atomic sequences, escapes.
const MIXED: &str = "
chan q = [2] of { byte };
byte g;
proctype P() { byte x, y;
  do
  :: atomic { q?x; y = 2 }
  :: atomic { g == 1; y = 2; x = 2; break }
  :: x = 1; y = 2; break
  od;
  x = 3; g = 3;
  atomic { x = 1; y = 2; goto out };
  g = 7;
out: g = 2; x = 2
}
proctype Q() { byte x, y;
  atomic { q!x; if :: x = 1; y = 2 :: x = 2; y = 3; goto away :: g == 1 -> x = 3 fi };
  g = 1;
away: x = 4; y = 5;
  (x == 4) -> y = 6; x = 7;
  { x = 8; y = 9 };
  x = 1; d_step { x = 2; y = 3 };
  { x = 1; y = 2 } unless { g == 3; x = 3; y = 5 };
  x = y; assert(g != 2 || x != 5)
}
init { byte n = 2; atomic { do :: n > 0 -> n--; run P() :: n == 0 -> break od; run Q() } }
";

/// A token for each fork; the last one is taken by nobody.
const FORKS: &str = "
chan table[3] = [1] of { bit };
proctype thinker(int seat) {
  do :: table[seat]?1 -> table[(seat + 1) % 3]?1; table[seat]!1; table[(seat + 1) % 3]!1 od
}
init { byte n = 3; atomic { do :: n > 0 -> n--; run thinker(n); table[n]!1 :: n == 0 -> break od } }
";

fn load(text: &str, steps: Steps) -> Loaded {
    let options = TextOptions { steps, ..TextOptions::default() };
    let loaded = load_text("m.pml", text.to_string(), Path::new("m.pml"), Language::Promela, &options);
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

fn counts(loaded: &Loaded) -> (u64, u64) {
    let settings = CheckSettings {
        strategy: Strategy::DFS,
        semantics: Semantics::EXACT,
        all_errors: true,
        ..CheckSettings::default()
    };
    let report = check(loaded, &settings, &mut ()).expect("a report");
    (report.statistics.stored, report.statistics.transitions)
}

fn length(loaded: &Loaded, strategy: Strategy) -> Option<usize> {
    let settings = CheckSettings { strategy, ..CheckSettings::default() };
    check(loaded, &settings, &mut ()).expect("a report").errors.first().map(|error| error.length)
}

#[test]
fn states_and_transitions_are_those_of_spin() {
    assert_eq!(counts(&load(MIXED, Steps::Merged)), (2712, 7758));
    assert_eq!(counts(&load(MIXED, Steps::Statements)), (7147, 20711));
}

#[test]
fn lengths_count_merged_steps() {
    for strategy in [Strategy::BFS, Strategy::SHORTEST, Strategy::Astar, Strategy::Ida] {
        assert_eq!(length(&load(FORKS, Steps::Merged), strategy), Some(14), "{strategy}");
        assert_eq!(length(&load(FORKS, Steps::Statements), strategy), Some(18), "{strategy}");
    }
    assert_eq!(length(&load(MIXED, Steps::Merged), Strategy::SHORTEST), Some(21));
}

/// A process that can be stopped anywhere is merged nowhere.
#[test]
fn nothing_is_merged_where_processes_are_watched() {
    let text = "byte g; active proctype P() provided (g == 0) { byte x; x = 1; x = 2; x = 3 }";
    assert_eq!(counts(&load(text, Steps::Merged)), counts(&load(text, Steps::Statements)));
    let text = text.replace("provided (g == 0)", "");
    assert_eq!((counts(&load(&text, Steps::Merged)).0, counts(&load(&text, Steps::Statements)).0), (3, 5));
}

/// Merging makes fewer states and paths no longer, and keeps what is right and what is wrong.
#[test]
fn verdicts_stay() {
    let (mut fewer, mut violated) = (0, 0);
    for preset in Profile::PRESETS {
        let profile = Profile::preset(preset).expect("a preset by its name");
        for seed in 0..25 {
            let text = generate(seed, &profile).to_promela();
            let options = TextOptions::default();
            let path = Path::new("m.pml");
            if load_text("m.pml", text.clone(), path, Language::Promela, &options).is_err() {
                continue;
            }
            let (plain, merged) = (load(&text, Steps::Statements), load(&text, Steps::Merged));
            let settings = CheckSettings { semantics: Semantics::EXACT, ..CheckSettings::default() };
            let settings = CheckSettings {
                limits: panoptes_check::Limits { states: Some(3_000), ..settings.limits },
                strategy: Strategy::SHORTEST,
                ..settings
            };
            let of = |loaded: &Loaded| {
                let report = check(loaded, &settings, &mut ()).expect("a report");
                (report.complete, report.errors.first().map(|error| error.length), report.statistics.stored)
            };
            let (before, after) = (of(&plain), of(&merged));
            if before.0 {
                assert!(after.0 && after.1.is_none() && after.2 <= before.2, "{preset} {seed}");
                fewer += usize::from(after.2 < before.2);
            } else if let Some(length) = before.1 {
                assert!(after.1.is_some_and(|merged| merged <= length), "{preset} {seed}");
                violated += 1;
            }
        }
    }
    assert!(fewer > 5 && violated > 20, "{fewer} with fewer states, {violated} with errors");
}
