//! A path of steps: replay and its saved form.
//!
//! A search gives a bare path, which process took which rule. Replaying it on an executor gives a [`Trace`]: for each
//! step what happened and what changed, and where everything stands in the end. The replay fails loudly if a step is not
//! possible or the error is not there, so a trace that exists is a trace that was walked. It can be saved, read back, and
//! walked again.
#![forbid(unsafe_code)]

mod avoid;
mod file;
mod fingerprint;
mod message;
mod reader;
mod replay;
mod snapshot;
mod spin;
mod trace;
mod typed;
mod wait_for;
mod waiting;
mod walk;
mod writer;
mod written;

pub use avoid::{AvoidLimits, Configuration, LastChance, Way, last_chance};
pub use file::{FORMAT, LIST_FORMAT, TraceFileError, VERSION};
pub use fingerprint::fingerprint;
pub use message::{contents_text, message_text};
pub use reader::scan;
pub use replay::{
    Expectation, Halt, ReplayError, Replayer, Subject, TellError, TraceSink, deadlock, describe, replay, tell,
};
pub use snapshot::{Change, ChannelContents, Snapshot, Standing, Value, Wait, WaitsFor};
pub use spin::{SpinTrail, SpinTrailError};
pub use trace::{Origin, Partner, StepEvent, Trace, TraceError, TraceStep};
pub use walk::{Choice, Choices, Position, Walk};
pub use writer::TraceWriter;
