//! How each state of an owner was reached first: from which state of which owner, and by which branch. Ten bytes a state.

use crate::grow;
use crate::labels::{Branch, Labels};
use panoptes_store::OutOfMemory;

/// A state, by its number with its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub owner: usize,
    pub node: u32,
}

/// The owner that the initial state was reached from.
const NOBODY: u16 = u16::MAX;

/// More owners than this have no number.
pub(super) const OWNERS_MAX: usize = NOBODY as usize;

#[derive(Default)]
pub(super) struct Links {
    nodes: Vec<(u32, u32)>,
    owners: Vec<u16>,
    labels: Labels,
}

impl Links {
    /// The next state, which was reached from there; from nowhere if it is the initial one.
    #[inline]
    pub fn push(&mut self, from: Option<(Place, Branch)>) -> Result<u32, OutOfMemory> {
        let node = u32::try_from(self.nodes.len()).map_err(|_| OutOfMemory)?;
        let (place, branch) = from.unwrap_or((Place { owner: NOBODY as usize, node: 0 }, Branch::default()));
        grow::push(&mut self.nodes, (place.node, self.labels.label(branch)));
        grow::push(&mut self.owners, place.owner as u16);
        Ok(node)
    }

    /// Where a state was reached from, and by which branch. None for the initial state, and for one that is not there.
    pub fn before(&self, node: u32) -> Option<(Place, Branch)> {
        let (parent, label) = *self.nodes.get(node as usize)?;
        let owner = self.owners[node as usize];
        let place = Place { owner: owner as usize, node: parent };
        (owner != NOBODY).then(|| (place, self.labels.branch(label)))
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<(u32, u32)>()
            + self.owners.capacity() * size_of::<u16>()
            + self.labels.heap_bytes()
    }
}
