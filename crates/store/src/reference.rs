//! What a store says of a state, and what a lookup carries between its halves.

/// A state of a store: opaque, of use only to the store that gave it. Any other gives a wrong answer, or panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateRef(pub(crate) u64);

impl StateRef {
    /// No store gives this reference to a state that it has (of fingerprints, one in `2^64` could be it).
    pub const NONE: StateRef = StateRef(u64::MAX);

    /// A number that tells the states of one store apart, for tables beside it. There is no way back.
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Where references are numbered from zero on ([`Numbering::Dense`], [`Numbering::Growing`]): that number.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// The reference that [`Self::bits`] gave, read from an image of the same store.
    pub fn of_image(bits: u64) -> StateRef {
        StateRef(bits)
    }

    /// For tests of what only compares references.
    pub fn made_up(number: u32) -> StateRef {
        StateRef(number.into())
    }
}

/// How references are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Anyhow.
    Scattered,
    /// From zero on, so that an array by reference is not much larger than the store itself.
    Dense,
    /// The same, and a vector that comes later has a greater reference.
    Growing,
}

/// The first half of a lookup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepared(pub u64);
