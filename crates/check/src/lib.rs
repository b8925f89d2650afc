//! The facade: load a model, choose a search, run it, give a report.
//!
//! ```
//! use panoptes_check::{CheckSettings, Language, Limits, Strategy, TextOptions, VerdictKind, check, load_text};
//! use std::{path::Path, time::Duration};
//!
//! let text = "byte x; active proctype P() { x++; assert(x == 2) }".to_string();
//! let loaded = load_text("m", text, Path::new("m.pml"), Language::Promela, &TextOptions::default()).unwrap();
//! let settings = CheckSettings {
//!     strategy: Strategy::SHORTEST,
//!     limits: Limits::of_time(Duration::from_secs(10)),
//!     ..CheckSettings::default()
//! };
//! let report = check(&loaded, &settings, &mut ())?;
//! assert_eq!(report.verdict, VerdictKind::Violated);
//! let trace = report.errors[0].trace.as_ref().expect("it was walked on the reference executor");
//! assert_eq!(trace.length(), 2);
//! # Ok::<(), panoptes_check::CheckError>(())
//! ```
//!
//! [`CheckSettings`] is everything that a check can be told, [`Report`] everything that it says. The crate `panoptes-report`
//! writes reports as text and JSON.
#![forbid(unsafe_code)]

mod choices;
mod direct;
mod engine;
mod estimate;
mod failure;
mod given;
mod heuristic;
mod improve;
mod lift;
mod limits;
mod load;
mod merit;
mod names;
mod nearest;
mod on_full;
mod passes;
mod path;
mod plan;
pub mod process;
mod property;
mod replay;
mod report;
mod run;
mod sample;
mod scatter;
mod second_look;
mod semantics;
mod settings;
mod shortest;
mod sounding;
mod steps;
mod store_spec;
mod strategy;
mod swarm;
mod symmetry;
mod temporal;
mod threads;
mod traces;
mod user_estimate;
mod verdict;

pub use choices::{NeverTaken, OptionSample};
pub use engine::{Engine, EngineUse};
pub use estimate::estimate;
pub use failure::CheckError;
pub use heuristic::Heuristic;
pub use limits::{Depth, Limits};
pub use load::{
    FORMULA_NAME, INVARIANT_NAME, Language, LoadError, Loaded, PATTERN_NAME, REACH_NAME, TextOptions,
    load_file, load_text,
};
pub use merit::Weight;
pub use names::{NameError, Named, listed, named};
pub use on_full::{Filled, OnFull};
pub use panoptes_argos::{EndStates, Meaning, Timeouts};
pub use panoptes_optimise::{ChannelSize, Count, MachineSize, Sizes, Summary as Optimisations};
pub use panoptes_preprocess::{PreprocessorOptions, read_source};
pub use panoptes_search::{CycleSearch, Fairness, Folding, auto_depth, has_timeouts};
pub use panoptes_store::{
    BitLayout, Heap, ImageReader, ImageWriter, Replacement, give_back_large_blocks, hold_at, is_bound_met,
    let_go,
};
pub use passes::Pass;
pub use property::Property;
pub use replay::replay_error;
pub use report::{
    Before, CheckpointReport, ControlCoverage, Coverage, DiagnosticReport, ErrorReport, Excerpt,
    MeaningReport, Part, PropertyReport, Report, Seconds, Sought, SoughtKind, Survey, Unreached,
    WhyIncomplete,
};
pub use run::{check, check_and_record, check_together, run_search, take_part};
pub use sample::{ChannelSample, PlaceSample, Sample, StepSample, Suspect, SuspectKind, VariableSample};
pub use scatter::Scatter;
pub use second_look::SecondLook;
pub use semantics::{Optimisation, Semantics};
pub use settings::{CheckSettings, Contradiction, Levels};
pub use steps::Steps;
pub use store_spec::{BitArray, CacheSize, Hashing, StoreSpec};
pub use strategy::{Facts, Order, Strategy};
pub use swarm::{Job, Swarm, SwarmSummary};
pub use symmetry::{SymmetryChoice, SymmetryUse};
pub use temporal::{Reason, Temporal, TemporalPass, Unfollowed};
pub use threads::Threads;
pub use traces::TraceRecorder;
pub use verdict::{Verdict, VerdictKind};
