//! A* and depth-first search together (Edelkamp, Lluch Lafuente and Leue, *Directed Explicit Model Checking with HSF-SPIN*, 2001,
//! section 4.3).
//!
//! As long as the claim is in a part of class N, no cycle is accepted: the product is searched best first, towards states in which
//! the claim is in another part or at its end. From such a state, a nested depth-first search goes through that part and looks for cycles. What
//! it meets outside of the part goes into the queue.
//!
//! Within a part, each of the depth-first searches ends before another begins, and knows what those before it have seen: together
//! they are one search of the part from several starts, so no cycle is missed.

use super::claim::Claim;
use super::estimate::Estimate;
use super::ndfs::{BLUE, Nested, Start, with_nested};
use super::parts::{Class, Parts};
use super::product::split;
use super::tree::NodeId;
use crate::stop::Stop;
use crate::{Observer, Outcome, SearchOptions};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn astar_dfs<S: StateStore + Default>(
    model: &Model,
    (claim, parts): (&Claim, &Parts),
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut estimate = Estimate::new(model, claim, parts);
    with_nested::<S>(model, (claim, parts), executor, options, observer, |nested| {
        nested.horizon = Some(Vec::new());
        let (state, _) = nested.begin()?;
        let root = nested.tree.add_root(state);
        let mut queue = Queue::default();
        queue.push(nested, &mut estimate, root);
        while let Some(node) = queue.pop() {
            go_on(nested, &mut estimate, &mut queue, node)?;
        }
        Ok(())
    })
}

/// The states to go on from; first those with the least sum of depth and estimate, of these the ones with the least estimate, of these the
/// oldest.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<Reverse<(u64, u32, NodeId)>>,
}

impl Queue {
    fn push<S: StateStore + Default>(
        &mut self,
        nested: &mut Nested<'_, S>,
        estimate: &mut Estimate<'_>,
        node: NodeId,
    ) {
        let (state, depth) = (nested.tree.node(node).state, nested.tree.node(node).depth);
        let mut vector = Vec::new();
        nested.visited.read(state, &mut vector);
        let estimate = estimate.of(nested.worker.expander.executor(), &vector);
        self.heap.push(Reverse((u64::from(depth) + u64::from(estimate), estimate, node)));
        nested.queue_bytes = self.heap.capacity() * size_of::<(u64, u32, NodeId)>();
    }

    fn pop(&mut self) -> Option<NodeId> {
        self.heap.pop().map(|Reverse((_, _, node))| node)
    }
}

/// Goes on from the best state of the queue.
fn go_on<S: StateStore + Default>(
    nested: &mut Nested<'_, S>,
    estimate: &mut Estimate<'_>,
    queue: &mut Queue,
    id: NodeId,
) -> Result<(), Stop> {
    let node = nested.tree.node(id);
    if nested.visited.flags(node.state) & BLUE != 0 {
        // It was reached another way since.
        return Ok(());
    }
    let mut vector = Vec::new();
    nested.visited.read_origin(node.state, &mut vector);
    match nested.parts.class(split(&vector).1) {
        Class::Never => nested.expand_alone(id, &vector)?,
        Class::Sometimes | Class::Always => {
            nested.search(Start { state: node.state, vector, depth: node.depth, node: Some(id) })?;
        }
    }
    for met in std::mem::take(&mut nested.horizon).unwrap_or_default() {
        queue.push(nested, estimate, met);
    }
    nested.horizon = Some(Vec::new());
    Ok(())
}
