//! Where a process waits for messages, and what it takes there.
//!
//! A front end whose channels have one reader each lists the control states in which a message can come that the reader
//! does not take. If each queue that a process waits for begins with such a message it can never move again, whatever
//! the others do: an *unspecified reception*.

use crate::{ProcId, StateId, TransId};

/// A control state in which a process can do nothing but receive, and may get what it does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub process: ProcId,
    pub state: StateId,
    /// The channels that it waits for, be it for a message or for a channel to stay empty (a timeout), in order.
    pub queues: Vec<AwaitedQueue>,
    /// Steps that wait for the process's own variables. While one is possible the process can move; which are does not
    /// change while it waits.
    pub conditions: Vec<TransId>,
}

/// A channel that a process waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AwaitedQueue {
    /// Its index among the global channels.
    pub channel: u16,
    /// The first fields of the messages that can come and are taken, in order.
    pub taken: Vec<i32>,
}
