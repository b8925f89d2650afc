//! Visited sets: they know only bytes.
//!
//! A search gives a state as bytes and learns whether it is new and where it is kept; the bytes can be read back from
//! there. What the bytes mean is not known here.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod account;
mod arena;
mod bits;
mod bitstate;
mod bump;
mod cache;
mod chunks;
mod claim;
mod compact;
mod components;
mod direct;
mod disk;
mod exact;
mod fingerprint;
mod flags;
mod gather;
mod hash;
mod heap;
mod hold;
mod image;
#[cfg(test)]
mod interleavings;
mod intern;
mod lines;
mod memo;
mod mix;
mod numbers;
mod packing;
mod pages;
mod reference;
mod replacement;
mod resident;
mod sample;
mod seats;
mod settings;
mod shape;
mod shared;
mod short;
mod snapshot;
mod split;
mod spread;
mod stretch;
mod tree;
mod visited;
#[cfg(test)]
mod weak;
mod word;

pub use account::{BitAccount, CacheAccount, DirectAccount, FingerprintAccount, StoreAccount};
pub use bitstate::BitStore;
pub use cache::CacheStore;
pub use components::{Claimed, Components, NodeId, Place, WORKERS_MAX};
pub use direct::{Digit, Digits, DirectStore};
pub use disk::{
    DiskAccount, DiskBudget, DiskError, DiskSet, DiskSpace, Kind, LevelSummary, Look, Origin, ParentFile,
};
pub use exact::ExactStore;
pub use fingerprint::FingerprintStore;
pub use flags::{FLAG_BITS, Flags};
pub use hash::{hash, hash_seeded};
pub use heap::give_back_large_blocks;
pub use hold::{Heap, hold_at, is_bound_met, let_go};
pub use image::{ImageReader, ImageWriter, damaged};
pub use intern::GrowthDue;
pub use numbers::StateNumbers;
pub use packing::{ByteSet, Varying};
pub use reference::{Numbering, Prepared, StateRef};
pub use resident::Resident;
pub use sample::Sample;
pub use settings::{BitLayout, Replacement, StoreSettings};
pub use shared::{Seat, Session, Shared, SharedVisited};
pub use tree::{Scratch, TreeStore};
pub use visited::{Draft, Drafting, PathHooks, ReadBack, StateStore, Visited};

/// The store may not, or cannot, take more memory. What it holds is intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the store of visited states is full")
    }
}

impl std::error::Error for OutOfMemory {}
