//! Parent links: how each configuration of a breadth-first search was reached first.
//!
//! A node is eight bytes: its parent and the code of the step. Nodes stand in chunks, so that growing copies nothing.

use crate::step::{StepCode, Steps};
use panoptes_exec::Step;
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
    step: StepCode,
}

/// A tree of nodes; the root has no step.
#[derive(Debug)]
pub(crate) struct Nodes {
    chunks: Vec<Vec<Node>>,
    len: u32,
    steps: Steps,
}

impl Nodes {
    /// The root alone.
    pub fn new() -> Nodes {
        Nodes { chunks: Vec::new(), len: 1, steps: Steps::new() }
    }

    #[inline]
    pub fn push(&mut self, parent: NodeId, step: Step) -> Result<NodeId, OutOfMemory> {
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
        chunk.push(Node { parent: parent.0, step: self.steps.code(step) });
        self.len += 1;
        Ok(NodeId(self.len - 1))
    }

    /// The steps from the root to the node.
    pub fn path(&self, node: NodeId) -> Vec<Step> {
        let mut path = Vec::new();
        let mut at = node.0;
        while at != NodeId::ROOT.0 {
            let node =
                &self.chunks[((at - 1) >> CHUNK_BITS) as usize][(at - 1) as usize & ((1 << CHUNK_BITS) - 1)];
            path.push(self.steps.step(node.step));
            at = node.parent;
        }
        path.reverse();
        path
    }

    /// The steps from the root to the node, and one more.
    pub fn path_and(&self, node: NodeId, step: Step) -> Vec<Step> {
        let mut path = self.path(node);
        path.push(step);
        path
    }

    pub fn heap_bytes(&self) -> usize {
        let nodes: usize = match &self.chunks[..] {
            [] => 0,
            [only] => only.capacity(),
            [first, rest @ ..] => first.capacity() + (rest.len() << CHUNK_BITS),
        };
        nodes * size_of::<Node>() + self.steps.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::TransId;

    fn step(number: u32) -> Step {
        Step { pid: 1, transition: TransId(number), partner: None }
    }

    #[test]
    fn the_path_leads_from_the_root() {
        let mut nodes = Nodes::new();
        assert_eq!(nodes.path(NodeId::ROOT), []);
        let a = nodes.push(NodeId::ROOT, step(1)).unwrap();
        let b = nodes.push(NodeId::ROOT, step(2)).unwrap();
        let c = nodes.push(b, step(1)).unwrap();
        assert_eq!(nodes.path(a), [step(1)]);
        assert_eq!(nodes.path(c), [step(2), step(1)]);
    }

    #[test]
    fn long_paths_cross_chunks() {
        let mut nodes = Nodes::new();
        let mut node = NodeId::ROOT;
        for i in 0..200_000 {
            node = nodes.push(node, step(i % 7)).unwrap();
        }
        let path = nodes.path(node);
        assert_eq!(path.len(), 200_000);
        assert!(path.iter().enumerate().all(|(i, s)| *s == step(i as u32 % 7)));
        assert!(nodes.heap_bytes() < 2_200_000);
    }
}
