//! The facade: load a model, choose a search, run it, give a verdict.
#![forbid(unsafe_code)]

mod direct;
mod engine;
mod estimate;
mod lift;
mod load;
mod passes;
mod path;
mod replay;
mod run;
mod swarm;

pub use engine::{Engine, EngineUse};
pub use estimate::estimate;
pub use load::{Language, LoadError, Loaded, TextOptions, load_file, load_text};
pub use panoptes_argos::{EndStates, Meaning, Timeouts};
pub use panoptes_optimise::{ChannelSize, Count, MachineSize, Sizes, Summary as Optimisations};
pub use panoptes_preprocess::{Options as PreprocessorOptions, read_source};
pub use panoptes_search::{Folding, Guidance, StepOrder, auto_depth, grace, has_timeouts};
pub use panoptes_store::{BitLayout, Replacement, StoreSettings};
pub use passes::Pass;
pub use replay::{replay_error, tell_error};
pub use run::{
    CheckOptions, Property, SCATTER_PROCESSES, SCATTER_QUEUE, SearchKind, StoreKind, Verdict, VerdictKind,
    check, stated_by_labels,
};
pub use swarm::{Job, SWARM_TIME, SwarmSize, SwarmSummary, job_time};
