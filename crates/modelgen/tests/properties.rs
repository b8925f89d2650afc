//! Properties of the generator that need no other program: the same seed gives the same model, every cut makes
//! a model smaller, and every feature occurs.

use panoptes_modelgen::{FEATURES, Model, Profile, generate};
use std::collections::BTreeSet;

fn models(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Model> {
    let profile = Profile::default();
    seeds.map(move |seed| generate(seed, &profile))
}

#[test]
fn same_seed_gives_same_model() {
    for (a, b) in models(0..100).zip(models(0..100)) {
        assert_eq!(a, b);
        assert_eq!(a.to_promela(), b.to_promela());
    }
}

#[test]
fn different_seeds_give_different_models() {
    let texts: BTreeSet<String> = models(0..100).map(|m| m.to_promela()).collect();
    assert!(texts.len() > 95, "only {} different models", texts.len());
}

#[test]
fn every_candidate_is_smaller() {
    for model in models(0..30) {
        let size = model.measure();
        let candidates = model.shrink_candidates();
        assert!(!candidates.is_empty());
        for c in candidates {
            assert!(c.measure() < size);
        }
    }
}

#[test]
fn shrinking_ends_with_almost_nothing() {
    for mut model in models(0..5) {
        while let Some(smaller) = model.shrink_candidates().into_iter().next() {
            model = smaller;
        }
        assert!(model.measure().0 < 80, "stuck at:\n{}", model.to_promela());
    }
}

#[test]
fn shrinking_keeps_what_is_wanted() {
    let wanted = |m: &Model| m.features().contains("d_step");
    let mut model = models(0..100).find(wanted).expect("some model has a d_step");
    while let Some(smaller) = model.shrink_candidates().into_iter().find(wanted) {
        model = smaller;
    }
    assert!(model.measure().0 < 80, "stuck at:\n{}", model.to_promela());
}

#[test]
fn every_feature_occurs() {
    let mut seen = BTreeSet::new();
    models(0..500).for_each(|m| seen.extend(m.features()));
    let missing: Vec<_> = FEATURES.iter().filter(|f| !seen.contains(*f)).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

#[test]
fn every_preset_generates() {
    for name in Profile::PRESETS {
        let profile = Profile::preset(name).expect("a preset");
        (0..50).for_each(|seed| assert!(!generate(seed, &profile).to_promela().is_empty()));
    }
    assert!(Profile::preset("unless").is_some());
    assert!(Profile::preset("no such profile").is_none());
}
