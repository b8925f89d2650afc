//! States on disk: the same counts, errors and paths as in memory, with next to no memory.

use crate::support::models;
use panoptes_check::{
    CheckSettings, Limits, Loaded, Property, Semantics, StoreSpec, Strategy, Verdict, replay_error,
    run_search,
};
use panoptes_search::{Finding, Limit, Reduction};
use panoptes_store::StoreAccount;
use std::collections::BTreeSet;

/// Larger models take too long here.
const STATES_MAX: u64 = 4000;

fn dir() -> String {
    let name = format!("panoptes-check-{}", std::process::id());
    std::env::temp_dir().join(name).to_str().expect("a plain name").to_string()
}

fn on_disk(loaded: &Loaded, settings: &CheckSettings) -> Verdict {
    let dir = dir();
    // So little that a level of a few hundred states does not fit.
    let limits = Limits { memory: Some(60 << 10), ..Limits::default() };
    let settings = CheckSettings { store: StoreSpec::on_disk(&dir), limits, ..settings.clone() };
    let verdict = run_search(loaded, &settings, &mut ());
    for error in verdict.outcome.errors.iter().filter(|error| error.path.len() == error.length) {
        replay_error(loaded, &settings, error).expect("a violation can be replayed");
    }
    assert_eq!(std::fs::read_dir(&dir).expect("it was made").count(), 0);
    verdict
}

/// All that is counted and told.
fn told(verdict: &Verdict) -> String {
    let statistics = &verdict.outcome.statistics;
    let error = |error: &Finding| (error.kind, error.length, error.count, error.path.clone());
    let errors: Vec<_> = verdict.outcome.errors.iter().map(error).collect();
    let counts = (statistics.stored, statistics.transitions, statistics.expanded, statistics.generated);
    format!("{counts:?} {} {errors:?} {:?}", statistics.max_depth, verdict.outcome.executed)
}

fn kinds(verdict: &Verdict) -> BTreeSet<String> {
    let name = |error: &Finding| match &error.fault {
        Some(fault) => format!("{:?} {:?} {}", error.kind, fault.span, fault.message),
        None => format!("{:?} {:?}", error.kind, error.standing),
    };
    verdict.outcome.errors.iter().map(name).collect()
}

#[test]
fn a_search_on_disk_is_the_search_in_memory() {
    let (mut compared, mut written) = (0, 0);
    for (number, (name, loaded)) in models().into_iter().enumerate() {
        let strategy = if number % 3 == 0 { Strategy::SHORTEST } else { Strategy::BFS };
        let settings = CheckSettings {
            property: Property::Safety,
            strategy,
            semantics: Semantics::new(false, false),
            all_errors: number % 2 == 0,
            ..CheckSettings::default()
        };
        let limited = CheckSettings { limits: Limits::of_states(STATES_MAX), ..settings.clone() };
        let memory = run_search(&loaded, &limited, &mut ());
        if memory.outcome.limits.contains(&Limit::States) {
            continue;
        }
        let disk = on_disk(&loaded, &settings);
        if disk.outcome.limits.contains(&Limit::Memory) {
            continue;
        }
        assert_eq!(told(&disk), told(&memory), "{name}");
        assert_eq!((disk.kind, &disk.outcome.limits), (memory.kind, &memory.outcome.limits), "{name}");
        let StoreAccount::Disk(account) = disk.outcome.store else { panic!("a wrong account") };
        compared += 1;
        written += usize::from(account.written > 0);
    }
    assert!(compared > 80 && written > 20, "{compared} models, {written} wrote something");
}

#[test]
fn a_reduced_search_on_disk_finds_all_errors() {
    let (mut compared, mut saved) = (0, 0);
    for (name, loaded) in models() {
        let settings = CheckSettings {
            property: Property::Safety,
            strategy: Strategy::BFS,
            all_errors: true,
            limits: Limits::of_states(STATES_MAX),
            ..CheckSettings::default()
        };
        let whole = CheckSettings { semantics: Semantics::new(false, true), ..settings.clone() };
        let whole = run_search(&loaded, &whole, &mut ());
        if whole.outcome.limits.contains(&Limit::States) {
            continue;
        }
        let disk = on_disk(&loaded, &settings);
        if disk.outcome.limits.contains(&Limit::Memory) || disk.outcome.reduction != Reduction::Por {
            continue;
        }
        assert_eq!(kinds(&disk), kinds(&whole), "{name}");
        assert_eq!(disk.outcome.executed, whole.outcome.executed, "{name}");
        let (reduced, stored) = (disk.outcome.statistics.stored, whole.outcome.statistics.stored);
        assert!(reduced <= stored, "{name}");
        compared += 1;
        saved += usize::from(reduced < stored);
    }
    assert!(compared > 50 && saved > 20, "{compared} models, {saved} of them smaller");
}
