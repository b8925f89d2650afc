//! Iterative deepening on our models: its errors are as near as those of the breadth-first search that counts steps, and where
//! there are none, both see the same states.

use panoptes_check::{
    CheckSettings, Language, Limits, Property, Strategy, TextOptions, load_file, run_search,
};
use panoptes_modelgen::{SMALL, shipped};

/// Larger models take too long with many bounds.
const STATES_MAX: u64 = 5_000;

#[test]
fn errors_are_as_near_as_the_nearest() {
    let (mut violated, mut verified) = (0, 0);
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default()).expect("a readable file");
        let loaded = loaded.unwrap_or_else(|_| panic!("{} is a model", path.display()));
        let run = |strategy, states| {
            let limits = Limits { states, ..Limits::default() };
            let settings =
                CheckSettings { property: Property::Safety, strategy, limits, ..CheckSettings::default() };
            let outcome = run_search(&loaded, &settings, &mut ()).outcome;
            let length = outcome.errors.first().map(|error| error.length);
            (length, outcome.complete, outcome.statistics.stored, outcome.statistics.transitions)
        };
        let expected = run(Strategy::SHORTEST, Some(STATES_MAX));
        let (length, is_complete, ..) = expected;
        if is_complete {
            assert_eq!(run(Strategy::Iddfs, None), expected, "{}", path.display());
            verified += 1;
        } else if length.is_some() {
            assert_eq!(run(Strategy::Iddfs, None).0, length, "{}", path.display());
            violated += 1;
        }
    }
    assert!(violated >= 20 && verified >= 20, "{violated} with errors, {verified} without");
}
