//! The language-neutral model: control-flow automata over one flat state vector, steps as {predicate, action}.
//!
//! A model is M = (S, T) in the sense of Holzmann's *On Limits and Possibilities of Automated Protocol Analysis*:
//! S is a vector of bytes whose layout is fixed here, T a list of rules, each a predicate over the vector and an action
//! on it. Front ends build it, the verifier checks it, executors give it life.
#![forbid(unsafe_code)]

mod action;
mod automaton;
mod dot;
mod estimate;
mod event_table;
mod expr;
mod ids;
mod json;
mod layout;
mod machine;
mod minimise;
mod model;
mod process;
mod quotient;
mod refine;
#[cfg(test)]
mod sample;
mod scalar;
mod text;
mod verify;
mod view;
mod waiting;

pub use action::{Action, Block, BlockNode, BlockStep, Observe, Pattern, Receive, Send, Spawn};
pub use automaton::{Automaton, AutomatonEdge};
pub use dot::{to_dot, to_dot_with_minimised};
pub use estimate::{Estimate, EstimateEntry, EstimateRow, EstimateTable};
pub use event_table::EventTable;
pub use expr::{BinaryOp, ChannelTest, Expr, IndexTerm, Place, Region, UnaryOp};
pub use ids::{BlockId, EnumId, ProcId, StateId, TransId};
pub use json::to_json;
pub use layout::{FrameLayout, Header, STATE_NUMBER_BYTES};
pub use machine::Machine;
pub use minimise::{Equivalence, Partition, asks_for_numbers, is_never_taken, minimise, states_asked_for};
pub use model::{Formula, Goal, InitialProcess, Invariant, Model, TemporalProperty};
pub use process::{
    Channel, ControlState, Display, Enumeration, Guard, Monitor, Process, ProcessKind, Requirement, Sense,
    Transition, Variable,
};
pub use quotient::minimised;
pub use scalar::ScalarType;
pub use text::{ExprText, action_text, rule_text, to_text};
pub use verify::{RULES, Violation, verify};
pub use view::{ChannelView, MalformedVector, NamedValue, ProcessView, StateView};
pub use waiting::{AwaitedQueue, Waiting};
