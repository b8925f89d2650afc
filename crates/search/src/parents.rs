//! Parent links: how each entry of a breadth-first search was reached first.
//!
//! A node is eight bytes: its parent, and as a label which of its parent's successors it is. Nodes stand in chunks, so that
//! growing copies nothing.

use crate::labels::{Branch, Labels};
use panoptes_store::OutOfMemory;

const CHUNK_BITS: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub const ROOT: NodeId = NodeId(0);
}

#[derive(Debug)]
struct Node {
    parent: u32,
    label: u32,
}

/// A tree of nodes; the root has no label.
#[derive(Debug)]
pub(crate) struct Parents {
    chunks: Vec<Vec<Node>>,
    len: u32,
    labels: Labels,
}

impl Parents {
    /// The root alone.
    pub fn new() -> Parents {
        Parents { chunks: Vec::new(), len: 1, labels: Labels::default() }
    }

    #[inline]
    pub fn push(&mut self, parent: NodeId, branch: Branch) -> Result<NodeId, OutOfMemory> {
        debug_assert!(parent.0 < self.len);
        if self.len == u32::MAX {
            return Err(OutOfMemory);
        }
        // The root takes no place: node n stands at n - 1.
        if (self.len - 1).is_multiple_of(1 << CHUNK_BITS) {
            self.start_chunk();
        }
        let chunk = self.chunks.last_mut().expect("a chunk was started");
        chunk.push(Node { parent: parent.0, label: self.labels.label(branch) });
        self.len += 1;
        Ok(NodeId(self.len - 1))
    }

    /// The first one grows as needed, so that small searches stay small.
    #[cold]
    fn start_chunk(&mut self) {
        let capacity = if self.chunks.is_empty() { 0 } else { 1 << CHUNK_BITS };
        self.chunks.push(Vec::with_capacity(capacity));
    }

    /// The branches from the root to the node.
    pub fn branches(&self, node: NodeId) -> Vec<Branch> {
        let mut path = Vec::new();
        let mut at = node.0;
        while at != NodeId::ROOT.0 {
            let node =
                &self.chunks[((at - 1) >> CHUNK_BITS) as usize][(at - 1) as usize & ((1 << CHUNK_BITS) - 1)];
            path.push(self.labels.branch(node.label));
            at = node.parent;
        }
        path.reverse();
        path
    }

    pub fn heap_bytes(&self) -> usize {
        let nodes: usize = match &self.chunks[..] {
            [] => 0,
            [only] => only.capacity(),
            [first, rest @ ..] => first.capacity() + (rest.len() << CHUNK_BITS),
        };
        nodes * size_of::<Node>() + self.labels.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(step: u32) -> Branch {
        Branch { step, end: 0 }
    }

    #[test]
    fn the_path_leads_from_the_root() {
        let mut parents = Parents::new();
        assert!(parents.branches(NodeId::ROOT).is_empty());
        let a = parents.push(NodeId::ROOT, branch(1)).unwrap();
        let b = parents.push(NodeId::ROOT, branch(2)).unwrap();
        let c = parents.push(b, branch(1)).unwrap();
        assert_eq!(parents.branches(a), [branch(1)]);
        assert_eq!(parents.branches(c), [branch(2), branch(1)]);
    }

    #[test]
    fn long_paths_cross_chunks() {
        let mut parents = Parents::new();
        let mut node = NodeId::ROOT;
        for i in 0..200_000 {
            node = parents.push(node, branch(i % 7)).unwrap();
        }
        let path = parents.branches(node);
        assert_eq!(path.len(), 200_000);
        assert!(path.iter().enumerate().all(|(i, found)| *found == branch(i as u32 % 7)));
        assert!(parents.heap_bytes() < 2_200_000);
    }
}
