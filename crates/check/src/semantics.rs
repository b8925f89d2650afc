//! What one step is, and which equivalent model is searched in place of the one that was written.

use crate::SymmetryChoice;
use panoptes_optimise::Passes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// A full channel loses messages instead of blocking.
    pub lossy: bool,
    /// Partial order reduction, where the model and the strategy allow it.
    pub por: bool,
    /// States that differ only in the order of processes that are alike are one. Programs that want it say so.
    pub symmetry: SymmetryChoice,
    pub optimisation: Optimisation,
}

/// How much the model is changed before the search. Each level does all that the one before does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Optimisation {
    /// Nothing.
    Off,
    /// Values take the bytes that they need, not those that their types have. That changes no count.
    Pack,
    /// Steps are merged, dead variables reset, unused ones left out: fewer states, and the same errors.
    Steps,
    /// Equivalent control states are one; not where all errors are listed.
    Minimise,
}

impl Semantics {
    /// One statement is one step, and every order of steps is followed: the counts of SPIN without reductions.
    pub const EXACT: Semantics = Semantics {
        lossy: false,
        por: false,
        symmetry: SymmetryChoice::Off,
        optimisation: Optimisation::Pack,
    };

    /// With or without partial order reduction; with or without changes to the model that make fewer states of it.
    pub fn new(por: bool, optimise: bool) -> Semantics {
        let optimisation = if optimise { Optimisation::Minimise } else { Optimisation::Pack };
        Semantics { por, optimisation, ..Semantics::default() }
    }
}

impl Default for Semantics {
    fn default() -> Semantics {
        Semantics {
            lossy: false,
            por: true,
            symmetry: SymmetryChoice::Off,
            optimisation: Optimisation::Minimise,
        }
    }
}

impl Optimisation {
    /// The passes over a model. Merging makes paths shorter, and minimising takes equal statements at different places for
    /// one: neither is wanted everywhere.
    pub(crate) fn passes(self, may_merge: bool, may_minimise: bool) -> Passes {
        let changes_steps = self >= Optimisation::Steps;
        Passes {
            unused: changes_steps,
            minimise: self >= Optimisation::Minimise && may_minimise,
            dead_variables: changes_steps,
            keep_parameters: false,
            merge: changes_steps && may_merge,
            pack: self >= Optimisation::Pack,
        }
    }
}
