//! Why a process waits, in words: for reports about states in which nothing can move.

use panoptes_model::TransId;

/// What keeps one process from moving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub pid: u8,
    /// It may not move at all, whatever its steps are: a provided clause, or a priority.
    pub held: Option<String>,
    /// The steps it could go on with, in order.
    pub steps: Vec<Blocked>,
}

/// A step that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    pub transition: TransId,
    /// `channel q is empty`, `x = 1`.
    pub why: String,
    pub kind: BlockedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockedBy {
    /// There is no message to receive.
    NoMessage,
    /// It can end only after younger processes.
    Younger,
    Other,
}
