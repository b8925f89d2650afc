//! Passes from model to model that shrink the state space and keep every verdict.
//!
//! The numbers of transitions and control states stay, so a path that was found in the result is a path of the model it
//! was made from, step by step: violations are replayed there, and all that people see comes from there. Minimisation alone
//! lets one statement stand for several; what [`Lift`] says leads back.
#![forbid(unsafe_code)]

mod bytes;
mod claims;
mod code;
mod constants;
mod facts;
mod layout;
mod lift;
mod liveness;
mod local;
mod merge;
mod minimise;
mod ranges;
mod set;
mod sizes;
mod space;
mod unused;
mod youngest;

pub use bytes::{ByteValues, byte_values};
pub use claims::without_claims;
pub use lift::Lift;
pub use sizes::{ChannelSize, Count, MachineSize, Sizes, sizes};

use facts::Facts;
use panoptes_model::Model;
use ranges::Ranges;

/// Which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Remove statements that have no effect in a search.
    pub unused: bool,
    /// Set variables back to their initial value where nobody reads them any more.
    pub dead_variables: bool,
    /// But leave parameters alone that are never written: a process may be known by them.
    pub keep_parameters: bool,
    /// Lay the vector out anew, without constants and with no more bytes than values need. The states stay as many.
    pub pack: bool,
    /// Let a process go on where its next steps concern nobody else.
    pub merge: bool,
    /// Let strongly equivalent control states of a process be one.
    pub minimise: bool,
}

impl Passes {
    pub const ALL: Passes = Passes {
        unused: true,
        minimise: true,
        dead_variables: true,
        keep_parameters: false,
        pack: true,
        merge: true,
    };
    pub const NONE: Passes = Passes {
        unused: false,
        minimise: false,
        dead_variables: false,
        keep_parameters: false,
        pack: false,
        merge: false,
    };
}

/// What the passes did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Transitions that can never be taken, and actions without effect.
    pub unused: usize,
    /// Variables that go back to their initial value, once for each transition that does it.
    pub resets: usize,
    /// Steps that keep control and did not before.
    pub merged: usize,
    /// Control states that others stand for.
    pub minimised: usize,
    /// Variables that turned out to be constants.
    pub constants: usize,
    /// Bytes that the global part and one frame of each process type take less.
    pub bytes_saved: usize,
}

impl Summary {
    /// The names of the passes that changed something.
    pub fn names(&self) -> Vec<&'static str> {
        let passes = [
            ("unused", self.unused),
            ("dead-variables", self.resets),
            ("merge", self.merged),
            ("minimise", self.minimised),
            ("pack", self.bytes_saved),
        ];
        passes.into_iter().filter(|(_, count)| *count > 0).map(|(name, _)| name).collect()
    }
}

/// A model with fewer states, and what has become of the one that it was made from.
#[derive(Debug)]
pub struct Optimised {
    pub model: Model,
    pub summary: Summary,
    pub lift: Lift,
}

/// Runs the passes.
pub fn optimise(model: &Model, options: Passes) -> Optimised {
    let mut smaller = model.clone();
    let mut summary = Summary::default();
    if (options.unused || options.dead_variables || options.merge)
        && let Some(facts) = Facts::of(model)
    {
        // These passes give no variable a value that it could not have before, so one look at the values is enough.
        let ranges = Ranges::of(model, &facts);
        if options.unused {
            summary.unused = unused::remove(&mut smaller, &facts, &ranges);
        }
        let newer = if summary.unused > 0 { Facts::of(&smaller) } else { None };
        let facts = newer.as_ref().unwrap_or(&facts);
        if options.dead_variables {
            summary.resets = liveness::reset_dead(&mut smaller, facts, &ranges, options.keep_parameters);
        }
        if options.merge {
            summary.merged = merge::merge(&mut smaller, facts, &ranges);
        }
    }
    // Behind the others, which would not always choose as well in a smaller automaton: so there are never more states.
    let lift = if options.minimise { minimise::minimise(&mut smaller) } else { Lift::default() };
    summary.minimised = lift.states_saved();
    if options.pack {
        pack(&mut smaller, &mut summary);
    }
    Optimised { model: smaller, summary, lift }
}

/// Makes the vector shorter: constants leave it, and values take the bytes that they need. States correspond one to
/// one, so this may be done even where states are counted.
fn pack(model: &mut Model, summary: &mut Summary) {
    summary.constants = constants::fold(model);
    summary.bytes_saved = layout::narrow(model);
}
