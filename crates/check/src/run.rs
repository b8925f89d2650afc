//! One check: choose the search, run it, sum up.

use crate::engine::with_engine;
use crate::{Engine, EngineUse, Loaded};
use panoptes_search::{Checks, Limit, Observer, Options as SearchOptions, Outcome};
use std::time::Duration;

/// What to check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Property {
    /// Everything the model states.
    #[default]
    Everything,
    Safety,
    Deadlock,
    Assertions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    #[default]
    Auto,
    Dfs,
    Bfs,
}

#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    pub property: Property,
    pub search: SearchKind,
    pub engine: Engine,
    pub all_errors: bool,
    pub lossy: bool,
    pub depth_max: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub time: Option<Duration>,
    /// Partial order reduction, if the model allows it. Not for shortest paths.
    pub por: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    Verified,
    Violated,
    Inconclusive,
}

/// The answer, with the numbers behind it.
#[derive(Debug)]
pub struct Verdict {
    pub kind: VerdictKind,
    pub outcome: Outcome,
    /// The search that was used.
    pub search: SearchKind,
    pub engine: EngineUse,
    /// Properties of the model that this check does not cover.
    pub unchecked: Vec<String>,
    pub limits: Vec<Limit>,
}

/// Runs a check.
pub fn check(loaded: &Loaded, options: &CheckOptions, observer: &mut dyn Observer) -> Verdict {
    let checks = match options.property {
        Property::Everything | Property::Safety => Checks { deadlocks: true, assertions: true },
        Property::Deadlock => Checks { deadlocks: true, assertions: false },
        Property::Assertions => Checks { deadlocks: false, assertions: true },
    };
    let search_options = SearchOptions {
        checks,
        all_errors: options.all_errors,
        depth_max: options.depth_max,
        memory_bytes: options.memory_bytes,
        time: options.time,
        por: options.por,
        lossy: options.lossy,
        ..SearchOptions::default()
    };
    let search = match options.search {
        SearchKind::Auto => SearchKind::Bfs,
        chosen => chosen,
    };
    let (outcome, engine) = with_engine(loaded, options, |executor| match search {
        SearchKind::Dfs => panoptes_search::dfs(&loaded.model, executor, &search_options, observer),
        SearchKind::Bfs | SearchKind::Auto => {
            panoptes_search::bfs(&loaded.model, executor, &search_options, observer)
        }
    });
    let unchecked = if options.property == Property::Everything { unchecked(loaded) } else { Vec::new() };
    let limits = outcome.limits.clone();
    let kind = if !outcome.errors.is_empty() {
        VerdictKind::Violated
    } else if outcome.complete && unchecked.is_empty() {
        VerdictKind::Verified
    } else {
        VerdictKind::Inconclusive
    };
    Verdict { kind, outcome, search, engine, unchecked, limits }
}

/// The properties a model states that no search here looks at.
fn unchecked(loaded: &Loaded) -> Vec<String> {
    let model = &loaded.model;
    let formulas = model.temporal.iter().map(|property| format!("ltl {}", property.name));
    let claims = model.claims.iter().map(|claim| format!("never claim {}", model.process(*claim).name));
    formulas.chain(claims).collect()
}
