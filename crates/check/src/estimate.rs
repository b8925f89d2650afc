//! What can be said of the size of a search beforehand.

use crate::Loaded;
use panoptes_optimise::{Passes, Sizes, optimise, sizes, without_claims};

/// The sizes of the machines, channels and variables of the model that a search without further options looks at.
/// None if nothing is known of the values.
pub fn estimate(loaded: &Loaded) -> Option<Sizes> {
    sizes(&optimise(&without_claims(&loaded.model), Passes::ALL).model)
}
