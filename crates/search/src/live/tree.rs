//! How states of the product were reached: each by a step from another one.

use crate::grow;
use crate::labels::Branch;
use panoptes_store::StateRef;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(pub u32);

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub state: StateRef,
    /// The root is its own.
    parent: NodeId,
    /// None if the system stays where it is.
    branch: Option<Branch>,
    pub depth: u32,
}

impl Tree {
    pub fn add_root(&mut self, state: StateRef) -> NodeId {
        assert!(self.nodes.is_empty(), "there is one root");
        self.add(state, NodeId(0), None, 0)
    }

    pub fn add(&mut self, state: StateRef, parent: NodeId, branch: Option<Branch>, depth: u32) -> NodeId {
        grow::push(&mut self.nodes, Node { state, parent, branch, depth });
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    /// The branches from the root to a node.
    pub fn branches(&self, mut at: NodeId) -> Vec<Branch> {
        let mut branches = Vec::new();
        while at != NodeId(0) {
            let node = self.node(at);
            branches.extend(node.branch);
            at = node.parent;
        }
        branches.reverse();
        branches
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}
