//! What an executor offers: the initial state, the successors of a state, and the events of one step.
//!
//! A search sees *configurations*: a state vector and, inside an indivisible sequence, the process that has control.
//! A configuration in which some process has control is passed through, never remembered, until that process lets go
//! or cannot go on; then the bare vector is a state like any other.
#![forbid(unsafe_code)]

mod condition;
mod fault;
mod patience;
mod receptions;
mod successors;
mod waiting;
mod wrapper;

pub use condition::{CONDITIONS_MAX, Condition};
pub use fault::{Fault, FaultKind};
pub use patience::{BLOCK_STATEMENTS_MAX, Patience, SUCCESSOR_BYTES_MAX};
pub use receptions::{Receptions, Stuck, head_text, unspecified_reception};
pub use successors::{End, Ending, Step, Successor, Successors};
pub use waiting::{Blocked, BlockedBy, Waiting};
pub use wrapper::Wrapper;

/// Something that happened in a step, for traces and simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message entered a channel (or was handed over in a rendezvous); lost if the channel was full and lossy.
    Sent {
        pid: u8,
        channel: u8,
        values: Vec<i32>,
        lost: bool,
    },
    Received {
        pid: u8,
        channel: u8,
        values: Vec<i32>,
        peek: bool,
    },
    Printed {
        pid: u8,
        text: String,
    },
    Started {
        pid: u8,
        process: panoptes_model::ProcId,
    },
    Ended {
        pid: u8,
    },
}

/// One step, taken again with everything that happened in it.
#[derive(Clone, Debug)]
pub struct Replay {
    pub state: Vec<u8>,
    pub control: Option<u8>,
    pub events: Vec<Event>,
    pub fault: Option<Fault>,
    /// The fault cut the step short: `state` is the one before it.
    pub is_cut: bool,
}

/// What to know when chains are followed.
pub struct Chains<'a> {
    /// By transition: only steps of these can lead a chain back to itself.
    pub closes: &'a [bool],
    /// Which first steps are followed, if not all.
    pub is_chosen: Option<&'a dyn Fn(&Successor) -> bool>,
    /// The transitions taken behind the first steps are added here, one bit each; not if there is no room for all of the model.
    /// Also where the chains are given up: the caller then takes those steps by itself.
    pub executed: &'a mut [u64],
}

/// The meaning of a model, one state at a time.
pub trait Executor {
    /// The initial vector, or the fault that computing it ran into.
    fn initial(&self) -> Result<Vec<u8>, Fault>;

    /// Appends the successors of a configuration to `out` (which it clears first).
    ///
    /// With `control`, only that process is tried; if it cannot move, `out.ending` is [`Ending::LetGo`] and the caller
    /// treats the bare vector as reached.
    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors);

    /// Follows the chains of transient configurations behind the successors in `out` to the states at their ends, depth
    /// first and in order, and lists these in [`Successors::ends`]. The items of `out` stay, with their vectors.
    ///
    /// False, and `out` is what it was, if that cannot be done at once: the caller then goes from configuration to
    /// configuration by itself. An executor need not be able to do this, and where a fault occurs it must not.
    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool {
        let _ = (out, chains);
        false
    }

    /// Appends a fault for each invariant of the model that does not hold in a state.
    fn broken_invariants(&mut self, state: &[u8], out: &mut Vec<Fault>) {
        let _ = (state, out);
    }

    /// Says what [`Self::conditions`] will be asked.
    fn set_conditions(&mut self, conditions: &[Condition]) {
        let _ = conditions;
    }

    /// Which of the conditions hold in a state, as the bits of a number; only those of the mask `wanted` are computed. A fault
    /// if one of these has no value.
    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        let _ = (state, wanted);
        Ok(0)
    }

    /// Why each process of a state in which nothing can move waits; nothing if the executor cannot tell.
    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        let _ = state;
        Vec::new()
    }

    /// Takes one item of [`Self::successors`] again, by its index; none if there are fewer. (A step does not name it: the
    /// same one may be listed twice, tried in vain without timeouts and taken with them.)
    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay>;

    /// When to give up a step that takes long. An executor whose steps are all short need not care.
    fn set_patience(&mut self, patience: &Patience) {
        let _ = patience;
    }

    /// Does a send to a full channel lose its message, rather than wait?
    fn loses_messages(&self) -> bool {
        false
    }

    /// Bytes at the start of every vector that do not count when vectors are compared.
    fn hidden_bytes(&self) -> usize;

    /// What it has found out about the model while it computed and must go on with, for a search that another process goes on with.
    fn settled(&self) -> u64 {
        0
    }

    /// Goes on with what another process found out.
    fn settle(&mut self, _settled: u64) {}
}
