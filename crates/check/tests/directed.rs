//! Directed searches agree with a search of everything on what is right and what is wrong, and A* with lower bounds finds nearest
//! errors: on our models and on random ones.

use panoptes_check::{
    CheckSettings, Heuristic, Language, Limits, Loaded, Named, Property, StoreSpec, Strategy, TextOptions,
    load_file, load_text, run_search,
};
use panoptes_modelgen::{Profile, SMALL, generate, shipped};
use std::path::Path;

const STATES_MAX: u64 = 4_000;
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
            for heuristic in Heuristic::ALL.iter().copied().map(Some).chain([None]) {
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

#[test]
fn on_random_models() {
    let tally = random_models(0..25);
    assert!(tally.violated > 60 && tally.verified > 20, "{tally:?}");
}

/// Many more seeds, for an idle machine: `cargo test --release -p panoptes-check --test directed -- --ignored`.
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
    let dfs =
        CheckSettings { strategy: Strategy::DFS, ..with(Property::Safety, Some(Heuristic::Formula), false) };
    assert!(dfs.refuse_contradictions().is_err_and(|error| error.to_string().contains("`--heuristic`")));
}
