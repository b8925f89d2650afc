//! The facade: load a model, choose a search, run it, give a verdict.
#![forbid(unsafe_code)]

mod engine;
mod load;
mod replay;
mod run;

pub use engine::{Engine, EngineUse};
pub use load::{Language, LoadError, Loaded, TextOptions, load_file, load_text};
pub use panoptes_argos::{EndStates, Meaning, Timeouts};
pub use panoptes_optimise::Summary as Optimisations;
pub use panoptes_preprocess::Options as PreprocessorOptions;
pub use replay::replay_error;
pub use run::{CheckOptions, Property, SearchKind, StoreKind, Verdict, VerdictKind, check};
