//! One check of the data switch, and what of it goes into the curves.

use panoptes_check::{
    CacheSize, CheckSettings, Engine, Language, Limits, Loaded, Property, Replacement, Scatter, StoreSpec,
    Strategy, TextOptions, load_file, run_search,
};
use panoptes_store::StoreAccount;
use std::path::Path;
use std::time::{Duration, Instant};

/// No run of a curve takes longer; what takes longer is left out.
const RUN_TIME: Duration = Duration::from_secs(15);

/// The data switch with one mistake.
pub struct Switch {
    loaded: Loaded,
}

/// All mistakes at once.
pub const ALL_MISTAKES: u32 = 11;

/// What a search found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Distinct ones.
    pub errors: usize,
    pub states: u64,
    pub seconds: f64,
}

impl Switch {
    /// So small that a complete search is done in a second.
    pub fn small(error: u32) -> Result<Switch, String> {
        Switch::new(Language::Promela, &[("ERROR", error), ("BLOCKS", 3), ("WINDOW", 1), ("CIRCUITS", 3)])
    }

    /// Too large for a complete search.
    pub fn large(language: Language, error: u32) -> Result<Switch, String> {
        Switch::new(language, &[("ERROR", error)])
    }

    fn new(language: Language, defines: &[(&str, u32)]) -> Result<Switch, String> {
        let ending = if language == Language::Argos { "argos" } else { "pml" };
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/large/data_switch").with_extension(ending);
        let mut options = TextOptions::default();
        let defines = defines.iter().map(|(name, value)| (name.to_string(), Some(value.to_string())));
        options.preprocessor.defines.extend(defines);
        let loaded = load_file(&path, language, &options);
        let loaded = loaded.map_err(|error| format!("{}: {error}", path.display()))?;
        let loaded = loaded.map_err(|_| format!("{} is not a model any more", path.display()))?;
        Ok(Switch { loaded })
    }

    /// Every distinct error.
    pub fn exhaustive(&self) -> Found {
        self.scatter(None, None, None, 1 << 30)
    }

    /// The errors that a scatter search finds.
    pub fn scatter(
        &self,
        processes_max: Option<u32>,
        options_max: Option<u32>,
        queue_limit: Option<u16>,
        depth_max: u64,
    ) -> Found {
        let scatter = Scatter { processes_max, options_max, queue_limit, ..Scatter::EVERYTHING };
        let limits = Limits { time: Some(RUN_TIME), ..Limits::of_depth(depth_max) };
        self.run(&CheckSettings { limits, all_errors: true, ..settings(Strategy::Scatter(scatter)) })
    }

    /// Up to the first error, or so many states.
    pub fn escalate(&self, states_max: u64) -> Found {
        self.run(&up_to(Strategy::ESCALATE, states_max))
    }

    pub fn depth_first(&self, states_max: u64) -> Found {
        self.run(&CheckSettings { store: StoreSpec::Compressed, ..up_to(Strategy::DFS, states_max) })
    }

    /// How many states a complete search stores.
    pub fn states(&self) -> u64 {
        self.run(&settings(Strategy::DFS)).states
    }

    /// The double work of a cache; none if the search does not end in time.
    pub fn double_work(&self, replacement: Replacement, cache_states: usize) -> Option<f64> {
        let cache = CacheSize { states: cache_states, replacement: Some(replacement) };
        let settings = CheckSettings { store: StoreSpec::Cache(cache), ..settings(Strategy::DFS) };
        let verdict = run_search(&self.loaded, &settings, &mut ());
        match &verdict.outcome.store {
            StoreAccount::Cache(account) if verdict.outcome.complete => Some(account.double_work()),
            _ => None,
        }
    }

    fn run(&self, settings: &CheckSettings) -> Found {
        let start = Instant::now();
        let verdict = run_search(&self.loaded, settings, &mut ());
        let seconds = start.elapsed().as_secs_f64();
        Found { errors: verdict.outcome.errors.len(), states: verdict.outcome.statistics.stored, seconds }
    }
}

/// With the interpreter, whose time is that of the search alone.
fn settings(strategy: Strategy) -> CheckSettings {
    CheckSettings {
        property: Property::Safety,
        strategy,
        engine: Engine::Interp,
        limits: Limits::of_time(RUN_TIME),
        ..CheckSettings::default()
    }
}

/// Within so many states, however long it takes: the same on every machine.
fn up_to(strategy: Strategy, states_max: u64) -> CheckSettings {
    CheckSettings { limits: Limits::of_states(states_max), engine: Engine::Auto, ..settings(strategy) }
}
