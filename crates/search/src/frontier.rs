//! One level of a breadth-first search: states by reference, transient configurations whole.

use crate::chain::LinkId;
use crate::grow;
use crate::nodes::NodeId;
use panoptes_store::StateRef;

/// The entries of one level, and their bytes end to end.
#[derive(Default)]
pub(crate) struct Level {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    transient_count: usize,
}

#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// With the hidden part of its vector.
    State { node: NodeId, state: StateRef },
    /// With its whole vector.
    Transient { node: NodeId, control: u8, vector_bytes: u32, link: LinkId, chain: u32 },
}

impl Level {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn transient_count(&self) -> usize {
        self.transient_count
    }

    /// The entries in their order, each with its bytes.
    pub fn entries(&self, hidden_bytes: usize) -> impl Iterator<Item = (Entry, &[u8])> {
        let mut bytes = &self.bytes[..];
        self.entries.iter().map(move |entry| {
            let length = match entry {
                Entry::State { .. } => hidden_bytes,
                Entry::Transient { vector_bytes, .. } => *vector_bytes as usize,
            };
            let (own, rest) = bytes.split_at(length);
            bytes = rest;
            (*entry, own)
        })
    }

    /// The states among the entries.
    pub fn states(&self) -> impl Iterator<Item = StateRef> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::State { state, .. } => Some(*state),
            Entry::Transient { .. } => None,
        })
    }

    #[inline]
    pub fn push_state(&mut self, node: NodeId, state: StateRef, hidden: &[u8]) {
        grow::push(&mut self.entries, Entry::State { node, state });
        grow::extend(&mut self.bytes, hidden);
    }

    pub fn push_transient(&mut self, node: NodeId, control: u8, vector: &[u8], link: LinkId, chain: u32) {
        let vector_bytes = vector.len() as u32;
        grow::push(&mut self.entries, Entry::Transient { node, control, vector_bytes, link, chain });
        grow::extend(&mut self.bytes, vector);
        self.transient_count += 1;
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.transient_count = 0;
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bytes.capacity()
    }
}
