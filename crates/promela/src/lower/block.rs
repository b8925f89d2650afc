//! Deterministic steps: a sequence of elements as a block that runs to its end.

use super::Lowering;
use super::flow::{ElementId, ElementKind, Flow, SequenceId};
use panoptes_model::{Block, BlockId, BlockNode, BlockStep};
use rustc_hash::FxHashMap;

impl Lowering<'_> {
    /// The block of the deterministic step `step`, made once and shared by all transitions that run it.
    pub(super) fn block(&mut self, flow: &Flow, step: ElementId, sequence: SequenceId) -> BlockId {
        let mut builder = Builder {
            flow,
            exit: flow.element(step).next.map(|next| flow.hunt(next, false)),
            nodes: Vec::new(),
            known: FxHashMap::default(),
        };
        let entry = match flow.entry(sequence) {
            Some(entry) => builder.node(entry),
            None => {
                builder.nodes.push(BlockNode { steps: Vec::new(), span: flow.element(step).span });
                0
            }
        };
        let nodes = builder.nodes;
        self.model.blocks.push(Block { nodes, entry });
        BlockId(self.model.blocks.len() as u32 - 1)
    }
}

struct Builder<'f> {
    flow: &'f Flow,
    /// Where control goes after the block.
    exit: Option<ElementId>,
    nodes: Vec<BlockNode>,
    known: FxHashMap<ElementId, u32>,
}

impl Builder<'_> {
    /// The node for an element inside the block; pending elements are worked off without recursion.
    fn node(&mut self, entry: ElementId) -> u32 {
        let mut pending = vec![entry];
        self.reserve(entry);
        while let Some(element) = pending.pop() {
            let mut steps = Vec::new();
            self.steps(element, &mut steps, &mut pending, 0);
            let index = self.known[&element] as usize;
            self.nodes[index].steps = steps;
        }
        self.known[&entry]
    }

    fn reserve(&mut self, element: ElementId) -> u32 {
        let next = self.nodes.len() as u32;
        *self.known.entry(element).or_insert_with(|| {
            self.nodes.push(BlockNode { steps: Vec::new(), span: self.flow.element(element).span });
            next
        })
    }

    /// The steps that an element offers, in order.
    fn steps(&mut self, id: ElementId, out: &mut Vec<BlockStep>, pending: &mut Vec<ElementId>, depth: usize) {
        let element = self.flow.element(id);
        if depth > self.flow.elements.len() {
            return;
        }
        match &element.kind {
            ElementKind::Basic { guard, actions } => {
                let next = self.after(element.next, pending);
                out.push(BlockStep {
                    guard: guard.clone(),
                    actions: actions.clone(),
                    next,
                    span: element.span,
                });
            }
            ElementKind::Jump(_) | ElementKind::Join | ElementKind::LoopExit => {
                let next = self.after(Some(id), pending);
                let guard = panoptes_model::Guard::Always;
                out.push(BlockStep { guard, actions: Vec::new(), next, span: element.span });
            }
            ElementKind::Choice(options) => {
                for option in options {
                    if let Some(entry) = self.flow.entry(*option) {
                        self.steps(entry, out, pending, depth + 1);
                    }
                }
            }
            ElementKind::Group(_, sequence) => {
                if let Some(entry) = self.flow.entry(*sequence) {
                    self.steps(entry, out, pending, depth + 1);
                }
            }
            ElementKind::Unless { .. } | ElementKind::End => {}
        }
    }

    /// The node that follows, or none at the end of the block.
    fn after(&mut self, next: Option<ElementId>, pending: &mut Vec<ElementId>) -> Option<u32> {
        let target = self.flow.hunt(next?, false);
        if Some(target) == self.exit {
            return None;
        }
        // A jump out of it is reported elsewhere.
        self.flow.element(target).indivisible?;
        if !self.known.contains_key(&target) {
            pending.push(target);
        }
        Some(self.reserve(target))
    }
}
