//! Process types: their automaton, their variables and their channels.

use crate::{Action, EnumId, EventTable, Expr, FrameLayout, ProcId, ScalarType, StateId, TransId};
use panoptes_source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// Runs as an instance in the state vector.
    Process,
    /// Follows the whole system step by step (a temporal property's automaton); kept, not run by itself.
    Claim,
    /// Follows sends and receives; see [`crate::Monitor`].
    Monitor,
}

/// An automaton over the state vector: what one process may do.
#[derive(Clone, Debug)]
pub struct Process {
    pub name: String,
    pub kind: ProcessKind,
    pub frame: FrameLayout,
    /// The parameters: the first so many variables. A record or array takes one argument for each value.
    pub param_count: usize,
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    /// Initial values, in order, computed in the new frame.
    pub init: Vec<Action>,
    pub states: Vec<ControlState>,
    pub initial: StateId,
    /// The process may move only while this holds.
    pub provided: Option<Expr>,
    /// The source promises that no two steps are ever possible at once.
    pub deterministic: bool,
    /// Statements that no path through the control states reaches.
    pub dead_code: Vec<Span>,
    pub span: Span,
}

/// A named variable for display: `count` values of one type, `stride` bytes apart.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub offset: u32,
    pub ty: ScalarType,
    pub display: Display,
    pub count: u32,
    /// Printed with a subscript even when `count` is 1.
    pub is_array: bool,
}

/// How a value is shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    Int,
    Bool,
    Enum(EnumId),
    Channel,
}

/// A set of names for values.
#[derive(Clone, Debug)]
pub struct Enumeration {
    pub name: String,
    pub values: Vec<(i32, String)>,
    /// A message that begins with one of these is complete: the fields behind it mean nothing.
    pub alone: Vec<i32>,
}

/// A channel with room for `capacity` messages. Its bytes are a length (of one byte, or two if that is not enough) and then the messages, oldest first, each field
/// in its type; slots without a message are zero, so that equal contents are equal bytes. Capacity zero takes no bytes.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub capacity: u16,
    pub fields: Vec<ScalarType>,
    pub displays: Vec<Display>,
    /// From the start of the vector (global) or of the frame (local).
    pub offset: u32,
    /// Its messages are for this process alone: one that is left there when nothing can move is an error.
    pub receiver: Option<ProcId>,
    pub span: Span,
}

impl Channel {
    pub fn message_bytes(&self) -> usize {
        self.fields.iter().map(|field| field.bytes()).sum()
    }

    pub fn total_bytes(&self) -> usize {
        if self.capacity == 0 {
            0
        } else {
            self.len_type().bytes() + usize::from(self.capacity) * self.message_bytes()
        }
    }

    /// The type of the length before the messages.
    pub fn len_type(&self) -> ScalarType {
        if self.capacity > 255 { ScalarType::unsigned(16) } else { ScalarType::BYTE }
    }

    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

/// A point in a process where it may stand between two steps.
#[derive(Clone, Debug)]
pub struct ControlState {
    /// The number that tells this state apart in the state vector.
    pub number: u16,
    /// Tried in this order; those of one escape group that come first switch off the rest.
    pub transitions: Vec<TransId>,
    /// Standing here when nothing can move is not an error.
    pub end: bool,
    pub progress: bool,
    pub accepting: bool,
    pub labels: Vec<String>,
    pub span: Span,
}

/// When a step may be taken.
#[derive(Clone, Debug)]
pub enum Guard {
    Always,
    When(Expr),
    /// No step before this one in the same control state can be taken.
    Otherwise,
}

/// One rule: when `guard` holds (and the action's own predicate), do `actions` and go to `to`.
#[derive(Clone, Debug)]
pub struct Transition {
    pub process: ProcId,
    pub from: StateId,
    /// None only with [`Action::Exit`].
    pub to: Option<StateId>,
    pub guard: Guard,
    pub actions: Vec<Action>,
    /// The process goes on without others in between, as long as it can.
    pub keeps_control: bool,
    /// Steps with the same non-zero number belong to one escape; an escape that can be taken hides what follows it.
    pub escape: u16,
    /// The source statement, for people.
    pub text: String,
    pub span: Span,
}

/// An automaton that follows the sends and receives on the channels it names: a named event that it cannot follow
/// (or, negated, reaching its end) is an error.
#[derive(Clone, Debug)]
pub struct Monitor {
    pub process: ProcId,
    pub negated: bool,
    /// Channels (by number) whose sends and receives it follows.
    pub sends: Vec<u8>,
    pub receives: Vec<u8>,
}

/// What the events of every execution must look like: an automaton over sends and receives. Its state is a variable that
/// the steps themselves set, behind an assertion that the automaton can follow them.
#[derive(Clone, Debug)]
pub struct Requirement {
    pub name: String,
    /// The automaton, for people; of kind monitor.
    pub process: ProcId,
    /// Holds where the automaton may end: it must, when nothing can move and all else is where it may end.
    pub fulfilled: Expr,
    pub sense: Sense,
    /// The automaton made deterministic, for searches that look where to go; its states are the values of the variable.
    pub table: EventTable,
    pub span: Span,
}

/// What it means that an assertion of a requirement fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sense {
    /// The requirement is broken: an error.
    #[default]
    Hold,
    /// The step leaves the executions that are looked at: it is possible, but not followed, and no error.
    Follow,
    /// What is looked for has happened.
    Reach,
}
