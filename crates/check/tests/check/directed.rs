//! Directed searches agree with a search of everything on what is right and what is wrong, and A* with lower bounds finds nearest
//! errors: on our models and on random ones.

use panoptes_check::{
    CheckSettings, Heuristic, Language, Limits, Loaded, Named, Property, Steps, StoreSpec, Strategy,
    TextOptions, load_file, load_text, run_search,
};
use panoptes_modelgen::{Profile, SMALL, generate, shipped};
use panoptes_search::FindingKind;
use std::path::Path;

const STATES_MAX: u64 = 1_500;
/// Where plans are made for every state.
const PLANNED_MAX: u64 = 400;

#[derive(Debug, Default)]
struct Tally {
    violated: usize,
    verified: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, loaded: &Loaded) {
        for property in [Property::Safety, Property::Deadlock, Property::Assertions] {
            let limits = Limits { states: Some(STATES_MAX), ..Limits::default() };
            let shortest =
                CheckSettings { property, strategy: Strategy::SHORTEST, limits, ..CheckSettings::default() };
            let outcome = run_search(loaded, &shortest, &mut ()).outcome;
            let nearest = outcome.errors.first().map(|error| error.length);
            match nearest {
                Some(_) => self.violated += 1,
                None if outcome.complete => self.verified += 1,
                None => continue,
            }
            let base = CheckSettings { limits: Limits::default(), ..shortest };
            let is_small = outcome.statistics.stored <= PLANNED_MAX;
            self.directed(&format!("{name} {property:?}"), loaded, &base, nearest, is_small);
        }
    }

    /// Each strategy with each heuristic that fits.
    fn directed(
        &mut self,
        name: &str,
        loaded: &Loaded,
        base: &CheckSettings,
        nearest: Option<usize>,
        is_small: bool,
    ) {
        let plain = [
            Strategy::BestFirst,
            Strategy::Astar,
            Strategy::Ida,
            Strategy::Beam(1 << 20),
            Strategy::Directed,
        ];
        for strategy in plain {
            // The pattern has its own turn below.
            let others = Heuristic::ALL.iter().copied().filter(|other| *other != Heuristic::Pattern);
            for heuristic in others.map(Some).chain([None]) {
                if matches!(heuristic, Some(Heuristic::Relaxed | Heuristic::Useless)) && !is_small {
                    continue;
                }
                let settings = CheckSettings { strategy, heuristic, ..base.clone() };
                if settings.refuse_unfit_heuristic(&loaded.model).is_err() {
                    assert!(heuristic.is_some(), "{name}: what is inferred fits");
                    continue;
                }
                let outcome = run_search(loaded, &settings, &mut ()).outcome;
                let length = outcome.errors.first().map(|error| error.length);
                assert_eq!(length.is_some(), nearest.is_some(), "{name}: {strategy} {heuristic:?}");
                assert!(length >= nearest, "{name}: {strategy} {heuristic:?}");
                assert_eq!(outcome.complete, nearest.is_none(), "{name}: {strategy} {heuristic:?}");
            }
        }
        for (strategy, store) in [
            (Strategy::Astar, StoreSpec::Exact),
            (Strategy::Astar, StoreSpec::Compressed),
            (Strategy::Ida, StoreSpec::Exact),
            ("weighted:0.7".parse().expect("a strategy"), StoreSpec::Exact),
        ] {
            let settings = CheckSettings { strategy, store, admissible: true, ..base.clone() };
            let outcome = run_search(loaded, &settings, &mut ()).outcome;
            let length = outcome.errors.first().map(|error| error.length);
            assert_eq!(length, nearest, "{name}: {strategy} with lower bounds, {store}");
        }
        for strategy in [Strategy::Astar, Strategy::Ida] {
            let heuristic = Some(Heuristic::Pattern);
            let settings = CheckSettings { strategy, heuristic, ..base.clone() };
            let outcome = run_search(loaded, &settings, &mut ()).outcome;
            let length = outcome.errors.first().map(|error| error.length);
            assert_eq!(length, nearest, "{name}: {strategy} with a pattern");
        }
    }
}

#[test]
fn on_our_models() {
    let mut tally = Tally::default();
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default()).expect("a readable file");
        tally.compare(&path.display().to_string(), &loaded.expect("a model without mistakes"));
    }
    assert!(tally.violated > 40 && tally.verified > 40, "{tally:?}");
}

fn presets() -> Vec<Profile> {
    Profile::PRESETS.iter().map(|preset| Profile::preset(preset).expect("a preset")).collect()
}

/// Lower bounds and patterns never give a longer trace than breadth first, on violating models; debug builds also look whether they are
/// consistent.
fn shortest_on_violating_models(models: usize, first_seed: u64) {
    let (mut violating, presets) = (0, presets());
    for number in 0.. {
        if violating >= models {
            break;
        }
        violating += are_shortest(first_seed + number, &presets);
    }
    println!("{violating} violating models");
}

/// Of one model; how often it is wrong.
fn are_shortest(seed: u64, presets: &[Profile]) -> usize {
    let mut violating = 0;
    let text = generate(seed, &presets[seed as usize % presets.len()]).to_promela();
    let path = Path::new("random.pml");
    for steps in [Steps::Statements, Steps::Merged] {
        let options = TextOptions { steps, ..TextOptions::default() };
        let Ok(loaded) = load_text("random.pml", text.clone(), path, Language::Promela, &options) else {
            continue;
        };
        violating += usize::from(is_shortest(&loaded, &format!("seed {seed} {steps}")));
    }
    violating
}

/// Is the model wrong? Then all searches that promise it must find a nearest error.
fn is_shortest(loaded: &Loaded, name: &str) -> bool {
    let limits = Limits { states: Some(STATES_MAX), ..Limits::default() };
    let base = CheckSettings { property: Property::Safety, limits, ..CheckSettings::default() };
    let bfs = CheckSettings { strategy: Strategy::SHORTEST, ..base.clone() };
    let outcome = run_search(loaded, &bfs, &mut ()).outcome;
    let Some(nearest) = outcome.errors.first() else { return false };
    let (nearest, is_of_step) = (nearest.length, nearest.kind != FindingKind::Deadlock);
    for (strategy, heuristic, admissible) in [
        (Strategy::Astar, None, true),
        (Strategy::Astar, Some(Heuristic::Pattern), false),
        (Strategy::Ida, Some(Heuristic::Pattern), false),
    ] {
        let limits = Limits::default();
        let settings = CheckSettings { strategy, heuristic, admissible, limits, ..base.clone() };
        let outcome = run_search(loaded, &settings, &mut ()).outcome;
        let Some(found) = outcome.errors.first() else { panic!("{name}: {strategy} {heuristic:?}") };
        // Where the only steps of a state go wrong, that is told and not the deadlock; within a bound that ends there, the deadlock is.
        let is_cut_short = strategy == Strategy::Ida && found.kind == FindingKind::Deadlock && is_of_step;
        let length = found.length + usize::from(is_cut_short && found.length < nearest);
        assert_eq!(length, nearest, "{name}: {strategy} {heuristic:?}");
    }
    true
}

#[test]
fn lower_bounds_give_shortest_traces() {
    shortest_on_violating_models(40, 500_000);
}

/// A step that goes wrong and a state that is wrong by itself: the state is nearer.
#[test]
fn a_wrong_state_is_nearer_than_a_wrong_step_from_its_level() {
    assert!(are_shortest(1_000_128, &presets()) > 0);
}

/// The same at length: `cargo nextest run -p panoptes-check --test check --run-ignored only many_violating`.
#[test]
#[ignore = "takes minutes"]
fn lower_bounds_give_shortest_traces_on_many_violating_models() {
    shortest_on_violating_models(600, 1_000_000);
}

#[test]
fn on_random_models() {
    let tally = random_models(0..12);
    assert!(tally.violated > 28 && tally.verified > 9, "{tally:?}");
}

/// Many more seeds, for an idle machine: `cargo test --release -p panoptes-check --test check directed:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    let tally = random_models(30_000..30_300);
    assert!(tally.violated > 500, "{tally:?}");
}

fn random_models(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for preset in Profile::PRESETS {
        let profile = Profile::preset(preset).expect("a preset by its name");
        for seed in seeds.clone() {
            let text = generate(seed, &profile).to_promela();
            let path = Path::new("random.pml");
            if let Ok(loaded) =
                load_text("random.pml", text, path, Language::Promela, &TextOptions::default())
            {
                tally.compare(&format!("{preset} {seed}"), &loaded);
            }
        }
    }
    println!("{tally:?}");
    tally
}

/// Whatever search finds an error, it is as short as the shortest one when it is shortened, and that is known.
#[test]
fn errors_are_shortened() {
    let mut shorter = 0;
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default()).expect("a readable file");
        let loaded = loaded.expect("a model without mistakes");
        let run = |strategy, improve, states| {
            let limits = Limits { states, ..Limits::default() };
            let property = Property::Safety;
            let settings = CheckSettings { property, strategy, improve, limits, ..CheckSettings::default() };
            let outcome = run_search(&loaded, &settings, &mut ()).outcome;
            let is_shortest = outcome.is_shortest;
            outcome.errors.first().map(|error| (error.length, is_shortest))
        };
        let Some((nearest, _)) = run(Strategy::SHORTEST, false, Some(STATES_MAX)) else { continue };
        let (found, known) = run(Strategy::DFS, false, None).expect("it is there");
        assert_eq!(known, None);
        assert_eq!(run(Strategy::DFS, true, None), Some((nearest, Some(true))), "{}", path.display());
        shorter += usize::from(nearest < found);
    }
    assert!(shorter > 10, "{shorter}");
}

/// A heuristic for what is not looked for is refused, and what is inferred is what fits.
#[test]
fn heuristics_fit_what_is_looked_for() {
    let text = "byte x; active proctype P() { x++; assert(x == 0) }".to_string();
    let path = Path::new("p.pml");
    let loaded = load_text("p.pml", text, path, Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|_| panic!("a model"));
    let with = |property, heuristic, admissible| CheckSettings {
        property,
        heuristic,
        admissible,
        strategy: Strategy::Astar,
        ..CheckSettings::default()
    };
    let refused = |settings: &CheckSettings| {
        settings.refuse_unfit_heuristic(&loaded.model).err().map(|unfit| unfit.why)
    };
    let inferred = |property, admissible| {
        with(property, None, admissible).heuristic(&loaded.model).map(|choice| choice.kind.name())
    };
    assert_eq!(inferred(Property::Safety, false), Some("formula"));
    assert_eq!(inferred(Property::Deadlock, false), Some("active"));
    assert_eq!(inferred(Property::Deadlock, true), Some("danger"));
    assert!(refused(&with(Property::Assertions, Some(Heuristic::Active), false)).is_some());
    assert!(refused(&with(Property::Deadlock, Some(Heuristic::Formula), false)).is_some());
    assert!(refused(&with(Property::Deadlock, Some(Heuristic::Messages), true)).is_some());
    assert!(refused(&with(Property::Safety, Some(Heuristic::User), false)).is_some());
    for heuristic in Heuristic::ALL.iter().filter(|heuristic| **heuristic != Heuristic::User) {
        assert_eq!(refused(&with(Property::Safety, Some(*heuristic), false)), None);
    }
    let bfs =
        CheckSettings { strategy: Strategy::BFS, ..with(Property::Safety, Some(Heuristic::Formula), false) };
    assert!(bfs.refuse_contradictions().is_err_and(|error| error.to_string().contains("`--heuristic`")));
}

/// What is to be reached is a goal like any other: the inferred heuristic is the formula, and lower bounds lead there on a shortest way.
#[test]
fn goals_are_reached_on_shortest_ways() {
    let text = "
        byte x, y; chan q = [3] of { byte };
        active proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- :: y < 9 -> y++; mid: skip od }
        active proctype Q() { do :: q!1 :: q?_ od }";
    for (reach, is_possible) in
        [("x == 5 && y == 3", true), ("P@mid && full(q)", true), ("x - y == 9", true), ("x > 9", false)]
    {
        let options = TextOptions { reach: Some(reach.to_string()), ..TextOptions::default() };
        let loaded = load_text("p.pml", text.to_string(), Path::new("p.pml"), Language::Promela, &options);
        let loaded = loaded.unwrap_or_else(|_| panic!("a model"));
        let run = |strategy, heuristic, admissible| {
            let settings = CheckSettings { strategy, heuristic, admissible, ..CheckSettings::default() };
            assert_eq!(settings.refuse_unfit_heuristic(&loaded.model), Ok(()));
            run_search(&loaded, &settings, &mut ()).outcome
        };
        let shortest = run(Strategy::SHORTEST, None, false);
        let length = |outcome: &panoptes_search::Outcome| outcome.errors.first().map(|found| found.length);
        assert_eq!(length(&shortest).is_some(), is_possible, "{reach}");
        for (heuristic, admissible) in [(None, true), (Some(Heuristic::Pattern), false)] {
            let outcome = run(Strategy::Astar, heuristic, admissible);
            assert_eq!(length(&outcome), length(&shortest), "{reach} {heuristic:?}");
            assert!(outcome.statistics.expanded <= shortest.statistics.expanded + 1, "{reach} {heuristic:?}");
        }
        let greedy = run(Strategy::BestFirst, Some(Heuristic::Formula), false);
        assert_eq!(length(&greedy).is_some(), is_possible, "{reach}");
        let settings = CheckSettings { strategy: Strategy::Astar, ..CheckSettings::default() };
        assert_eq!(settings.heuristic(&loaded.model).map(|choice| choice.kind.name()), Some("formula"));
    }
}

/// Where a process has very many steps that may fail, they are one goal; bounds stay bounds.
#[test]
fn very_many_assertions_are_one_goal() {
    let steps: String = (0..70).map(|number| format!("x = {number}; assert(x != 41);\n")).collect();
    let text = format!(
        "byte x, y; active proctype P() {{ {steps} }} active proctype Q() {{ do :: y < 3 -> y++ :: y > 0 -> y-- od }}"
    );
    let loaded = load_text("p.pml", text, Path::new("p.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|_| panic!("a model"));
    let run = |strategy, admissible| {
        let settings = CheckSettings {
            property: Property::Assertions,
            strategy,
            admissible,
            ..CheckSettings::default()
        };
        let explained: Vec<String> = settings
            .heuristics(&loaded.model)
            .iter()
            .flat_map(|choice| choice.explain(&loaded.model, settings.property.checks(&loaded.model)))
            .collect();
        let outcome = run_search(&loaded, &settings, &mut ()).outcome;
        (outcome.errors.first().map(|error| error.length), explained.join("\n"))
    };
    let (shortest, _) = run(Strategy::SHORTEST, false);
    assert_eq!(shortest, Some(84));
    let (found, explained) = run(Strategy::Astar, true);
    assert_eq!(found, shortest);
    assert!(explained.contains("P is before one of 70 steps that may fail"), "{explained}");
    for strategy in [Strategy::BestFirst, Strategy::Directed] {
        assert!(run(strategy, false).0 >= shortest);
    }
}

/// A state whose only step fails is no nearer error than that step, whatever the search.
#[test]
fn a_step_that_fails_is_told_before_a_standstill() {
    let text = "byte i = 9; byte a[3]; active proctype P() { a[i] = 1 }".to_string();
    let loaded = load_text("p.pml", text, Path::new("p.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|_| panic!("a model"));
    for strategy in [Strategy::SHORTEST, Strategy::Astar, Strategy::Directed, Strategy::DFS, Strategy::Ida] {
        let settings = CheckSettings { strategy, ..CheckSettings::default() };
        let outcome = run_search(&loaded, &settings, &mut ()).outcome;
        assert_eq!(outcome.errors.first().map(|error| error.length), Some(1), "{strategy}");
    }
}

/// `run` fails where there is no room for one more process. Where there always is, a bound looks at what comes after it.
#[test]
fn bounds_look_beyond_what_starts_processes() {
    let last = "proctype Q() { x = 1; x = 2; assert(x != 2) }";
    let many = |runs: &str, number: usize| runs.repeat(number);
    let cases = [
        (format!("byte x; {last} init {{ run Q() }}"), 4),
        (format!("byte x; {last} proctype P() {{ if :: run Q() :: skip fi }} init {{ x = 3; run P() }}"), 4),
        // In a priority, or in an initial value, something may go wrong.
        (format!("byte x; {last} init {{ if :: x = 3 :: x = 4 fi; run Q() priority x }}"), 2),
        (format!("byte x; {last} proctype P() {{ byte y = 1 / x; run Q() }} init {{ run P() }}"), 1),
        // Nobody knows how many there will be.
        (format!("byte x; {last} init {{ do :: run Q() od }}"), 1),
        (format!("byte x; {last} proctype P() {{ if :: run Q() :: run P() fi }} init {{ run P() }}"), 1),
        // 1 + 15 + 15 · 15 have room; with one more of each there are too many.
        (
            format!(
                "byte x; {last} proctype P() {{ {} }} init {{ x = 3; {} }}",
                many("run Q(); ", 15),
                many("run P(); ", 15)
            ),
            4,
        ),
        (
            format!(
                "byte x; {last} proctype P() {{ {} }} init {{ x = 3; {} }}",
                many("run Q(); ", 16),
                many("run P(); ", 16)
            ),
            2,
        ),
    ];
    for (text, expected) in cases {
        let loaded =
            load_text("p.pml", text.clone(), Path::new("p.pml"), Language::Promela, &TextOptions::default());
        let loaded = loaded.unwrap_or_else(|_| panic!("a model: {text}"));
        let settings = CheckSettings {
            property: Property::Assertions,
            strategy: Strategy::Astar,
            admissible: true,
            limits: Limits { states: Some(2_000), ..Limits::default() },
            ..CheckSettings::default()
        };
        let outcome = run_search(&loaded, &settings, &mut ()).outcome;
        let estimates = outcome.statistics.estimates.expect("a heuristic was asked");
        assert_eq!(estimates.initial, expected, "{text}");
    }
}

/// Where there are too many processes in the end, bounds lead there on a shortest way.
#[test]
fn too_many_processes_are_found_on_a_shortest_way() {
    let runs = "run P(); ".repeat(16);
    let text =
        format!("proctype Q() {{ false }} proctype P() {{ {} }} init {{ {runs} }}", "run Q(); ".repeat(16));
    let loaded = load_text("p.pml", text, Path::new("p.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|_| panic!("a model"));
    let settings = CheckSettings {
        property: Property::Safety,
        strategy: Strategy::BestFirst,
        ..CheckSettings::default()
    };
    let outcome = run_search(&loaded, &settings, &mut ()).outcome;
    assert_eq!(outcome.errors.first().map(|error| error.length), Some(255), "{:?}", outcome.errors);
}

/// Depth first by estimates: everything is looked at, in another order, with all stores, with and without a reduction.
#[test]
fn depth_first_goes_by_estimates_where_that_is_asked_for() {
    let text = "
        byte x, y; active proctype P() { do :: x < 20 -> x++ :: x > 0 -> x-- od }
        active proctype Q() { do :: y < 20 -> y++ :: y > 0 -> y-- :: atomic { x == 15 && y == 15 -> assert(false) } od }";
    let load = |text: &str| {
        let options = TextOptions::default();
        let loaded = load_text("p.pml", text.to_string(), Path::new("p.pml"), Language::Promela, &options);
        loaded.unwrap_or_else(|_| panic!("a model"))
    };
    let loaded = load(text);
    let run = |loaded: &Loaded, heuristic, store, all_errors| {
        let property = Property::Assertions;
        let strategy = Strategy::DFS;
        let settings =
            CheckSettings { property, strategy, heuristic, store, all_errors, ..CheckSettings::default() };
        settings.refuse_contradictions().expect("they go together");
        assert_eq!(settings.refuse_unfit_heuristic(&loaded.model), Ok(()));
        run_search(loaded, &settings, &mut ()).outcome
    };
    for store in [StoreSpec::Exact, StoreSpec::Compressed] {
        let plain = run(&loaded, None, store, false);
        let led = run(&loaded, Some(Heuristic::Relaxed), store, false);
        let length = |outcome: &panoptes_search::Outcome| outcome.errors.first().map(|error| error.length);
        assert!(length(&led).is_some() && length(&plain).is_some());
        assert!(led.statistics.stored < plain.statistics.stored, "{store}");
        let all = [None, Some(Heuristic::Formula), Some(Heuristic::Novelty)]
            .map(|heuristic| run(&loaded, heuristic, store, true));
        for outcome in &all {
            assert!(outcome.complete);
            assert_eq!(outcome.statistics.stored, all[0].statistics.stored, "{store}");
            assert_eq!(outcome.errors.len(), all[0].errors.len(), "{store}");
        }
    }
    // A bound cuts what is beyond it, and nothing that only seems to be.
    let within = CheckSettings {
        property: Property::Assertions,
        strategy: Strategy::DFS,
        heuristic: Some(Heuristic::Formula),
        limits: Limits::of_depth(62),
        ..CheckSettings::default()
    };
    assert!(!run_search(&loaded, &within, &mut ()).outcome.errors.is_empty());
    let settings = CheckSettings { strategy: Strategy::DFS, admissible: true, ..CheckSettings::default() };
    assert!(
        settings.refuse_contradictions().is_err_and(|error| error.to_string().contains("`--admissible`"))
    );
}
