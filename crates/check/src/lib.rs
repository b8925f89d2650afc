//! The facade: load a model, choose a search, run it, give a verdict.
#![forbid(unsafe_code)]

mod direct;
mod engine;
mod estimate;
mod lift;
mod limits;
mod load;
mod names;
mod passes;
mod path;
mod plan;
mod property;
mod replay;
mod run;
mod semantics;
mod settings;
mod store_spec;
mod strategy;
mod swarm;
mod verdict;

pub use engine::{Engine, EngineUse};
pub use estimate::estimate;
pub use limits::{Depth, Limits};
pub use load::{Language, LoadError, Loaded, TextOptions, load_file, load_text};
pub use names::{NameError, Named, listed, named};
pub use panoptes_argos::{EndStates, Meaning, Timeouts};
pub use panoptes_optimise::{ChannelSize, Count, MachineSize, Sizes, Summary as Optimisations};
pub use panoptes_preprocess::{Options as PreprocessorOptions, read_source};
pub use panoptes_search::{Folding, auto_depth, grace, has_timeouts};
pub use panoptes_store::{BitLayout, Replacement};
pub use passes::Pass;
pub use property::{Property, stated_by_labels};
pub use replay::{replay_error, tell_error};
pub use run::check;
pub use semantics::{Optimisation, Semantics};
pub use settings::{CheckSettings, Contradiction, Levels};
pub use store_spec::{BitArray, CacheSize, Hashing, StoreSpec};
pub use strategy::{Facts, Order, Scatter, Strategy};
pub use swarm::{Job, Swarm, SwarmSummary};
pub use verdict::{Verdict, VerdictKind};
