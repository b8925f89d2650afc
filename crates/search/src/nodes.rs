//! Parent links: how each configuration of a breadth-first search was reached first.
//!
//! A node is eight bytes: its parent and a label, which is the number of the state among its parent's successors or the code
//! of a step. Nodes stand in chunks, so that growing copies nothing.

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
pub(crate) struct Nodes {
    chunks: Vec<Vec<Node>>,
    len: u32,
}

impl Nodes {
    /// The root alone.
    pub fn new() -> Nodes {
        Nodes { chunks: Vec::new(), len: 1 }
    }

    #[inline]
    pub fn push(&mut self, parent: NodeId, label: u32) -> Result<NodeId, OutOfMemory> {
        debug_assert!(parent.0 < self.len);
        if self.len == u32::MAX {
            return Err(OutOfMemory);
        }
        // The root takes no place: node n stands at n - 1.
        let at = self.len - 1;
        if at.is_multiple_of(1 << CHUNK_BITS) {
            // The first chunk grows as needed, so that small searches stay small.
            self.chunks.push(if at == 0 { Vec::new() } else { Vec::with_capacity(1 << CHUNK_BITS) });
        }
        let chunk = self.chunks.last_mut().expect("a chunk was started");
        chunk.push(Node { parent: parent.0, label });
        self.len += 1;
        Ok(NodeId(self.len - 1))
    }

    /// The labels from the root to the node.
    pub fn path(&self, node: NodeId) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = node.0;
        while at != NodeId::ROOT.0 {
            let node =
                &self.chunks[((at - 1) >> CHUNK_BITS) as usize][(at - 1) as usize & ((1 << CHUNK_BITS) - 1)];
            path.push(node.label);
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
        nodes * size_of::<Node>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_leads_from_the_root() {
        let mut nodes = Nodes::new();
        assert!(nodes.path(NodeId::ROOT).is_empty());
        let a = nodes.push(NodeId::ROOT, 1).unwrap();
        let b = nodes.push(NodeId::ROOT, 2).unwrap();
        let c = nodes.push(b, 1).unwrap();
        assert_eq!(nodes.path(a), [1]);
        assert_eq!(nodes.path(c), [2, 1]);
    }

    #[test]
    fn long_paths_cross_chunks() {
        let mut nodes = Nodes::new();
        let mut node = NodeId::ROOT;
        for i in 0..200_000 {
            node = nodes.push(node, i % 7).unwrap();
        }
        let path = nodes.path(node);
        assert_eq!(path.len(), 200_000);
        assert!(path.iter().enumerate().all(|(i, s)| *s == i as u32 % 7));
        assert!(nodes.heap_bytes() < 2_200_000);
    }
}
