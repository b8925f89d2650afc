//! What the help says of choices that name themselves.

use panoptes_check::{Engine, Heuristic, Named, Order, Property, StoreSpec, Strategy, listed};

pub fn properties() -> String {
    format!(
        "What to check: {}, or the name of an ltl block or claim [default: everything the model states]",
        listed::<Property>()
    )
}

pub fn strategies() -> String {
    format!("How to search: {}", listed::<Strategy>())
}

pub fn strategies_long() -> String {
    let line = |strategy: &Strategy| format!("{} {}", strategy.spelling(), strategy.facts().help);
    let others = Strategy::ALL.iter().filter(|strategy| **strategy != Strategy::Auto);
    let others = others.map(line).collect::<Vec<_>>().join(", ");
    format!("{}\n\n{others}. {}", strategies(), line(&Strategy::Auto))
}

pub fn heuristics() -> String {
    let listed = listed::<Heuristic>();
    format!("What leads a directed search: {listed} [default: what fits the property]")
}

pub fn heuristics_long() -> String {
    let line = |heuristic: &Heuristic| format!("{} {}", heuristic.spelling(), heuristic.help());
    format!("{}\n\n{}", heuristics(), Heuristic::ALL.iter().map(line).collect::<Vec<_>>().join(", "))
}

pub fn stores() -> String {
    format!("How visited states are remembered: {}", listed::<StoreSpec>())
}

pub fn stores_long() -> String {
    let line = |store: &StoreSpec| format!("{} {}", store.spelling(), store.help());
    format!("{}\n\n{}", stores(), StoreSpec::ALL.iter().map(line).collect::<Vec<_>>().join(", "))
}

pub fn engines() -> String {
    let line = |engine: &Engine| format!("{engine} ({})", engine.help());
    format!("How steps are computed: {}", Engine::ALL.iter().map(line).collect::<Vec<_>>().join(", "))
}

pub fn orders() -> String {
    format!(
        "In which order processes and their steps are tried, depth first: {} (see --seed) [default: listed; random for \
         --search random]",
        listed::<Order>()
    )
}
