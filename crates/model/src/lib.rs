//! The language-neutral model: control-flow automata over one flat state vector, steps as {predicate, action}.
//!
//! A model is M = (S, T) in the sense of Holzmann's *On Limits and Possibilities of Automated Protocol Analysis*:
//! S is a vector of bytes whose layout is fixed here, T a list of rules, each a predicate over the vector and an action
//! on it. Front ends build it, the verifier checks it, executors give it life.
#![forbid(unsafe_code)]

mod action;
mod expr;
mod ids;
mod layout;
mod model;
mod process;
mod scalar;
mod view;

pub use action::{Action, Block, BlockNode, BlockStep, Observe, Pattern, Receive, Send, Spawn};
pub use expr::{BinaryOp, ChannelTest, Expr, IndexTerm, Place, Region, UnaryOp};
pub use ids::{BlockId, EnumId, ProcId, StateId, TransId};
pub use layout::{FrameLayout, Header, STATE_NUMBER_BYTES};
pub use model::{Formula, InitialProcess, Model, TemporalProperty};
pub use process::{
    Channel, ControlState, Display, Enumeration, Guard, Monitor, Process, ProcessKind, Transition, Variable,
};
pub use scalar::ScalarType;
pub use view::{ChannelView, MalformedVector, NamedValue, ProcessView, StateView};
