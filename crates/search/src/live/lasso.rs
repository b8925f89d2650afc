//! From a component that has a cycle to a lasso that a person can read: a shortest way into the component, and a short cycle
//! there with all marks.
//!
//! The search came to the component on some long path. Here the product is walked breadth first once more, from the initial state
//! and over states that are known already.

use super::marks::Marks;
use super::product::Product;
use crate::Limit;
use crate::labels::Branch;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use panoptes_store::{StateNumbers, StateRef, StateStore};
use std::collections::HashSet;
use std::time::Instant;

/// States between two looks at the limits.
pub(super) const LOOK_EVERY: usize = 256;

pub(crate) struct Lasso {
    /// From the initial state, the cycle included. Steps in which only the claim moves are none.
    pub branches: Vec<Branch>,
    /// How many steps lead to the cycle, and how many there are in all.
    pub prefix_steps: usize,
    pub steps: usize,
}

/// What the search knows.
pub(crate) struct Searched<'s, 'w, 'p, S, const W: usize> {
    pub visited: &'s mut Visited<S>,
    pub worker: &'s mut Worker<'w>,
    pub product: &'s mut Product<'p, W>,
    /// Those of the states of the components on the path.
    pub numbers: &'s StateNumbers,
}

/// A state on the way, and how it was reached.
struct Node<const W: usize> {
    state: StateRef,
    vector: Vec<u8>,
    parent: usize,
    branch: Option<Branch>,
    steps: u32,
    marks: Marks<W>,
}

impl<S: StateStore, const W: usize> Searched<'_, '_, '_, S, W> {
    /// A lasso whose cycle is in the component that begins with the state of that number.
    pub fn lasso(&mut self, initial: StateRef, first: u32) -> Result<Lasso, Stop> {
        let (numbers, required) = (self.numbers, self.product.required);
        let is_inside = |state: &StateRef| numbers.get(*state).is_some_and(|number| number >= first);
        self.lasso_within(initial, is_inside, required)
    }

    /// A shortest way to a known state: its branches, how many steps they are, and the vector of the state.
    pub fn way_to(
        &mut self,
        initial: StateRef,
        state: StateRef,
    ) -> Result<(Vec<Branch>, usize, Vec<u8>), Stop> {
        let start = self.start(initial);
        if initial == state {
            return Ok((Vec::new(), 0, start.vector));
        }
        let way = self.way(start, |_| true, |node| node.state == state)?;
        let mut branches = Vec::new();
        let steps = way.append_to(&mut branches);
        Ok((branches, steps, way.into_end().vector))
    }

    fn start(&mut self, initial: StateRef) -> Node<W> {
        let mut vector = self.worker.expander.executor().initial().expect("the search began there");
        Product::<W>::begin(&mut vector);
        Node { state: initial, vector, parent: 0, branch: None, steps: 0, marks: Marks::EMPTY }
    }

    /// The same with a cycle in a connected set of states.
    pub fn lasso_within(
        &mut self,
        initial: StateRef,
        is_inside: impl Fn(&StateRef) -> bool,
        required: Marks<W>,
    ) -> Result<Lasso, Stop> {
        let start = self.start(initial);
        let mut way = if is_inside(&initial) {
            Way { nodes: vec![start] }
        } else {
            self.way(start, |_| true, |node| is_inside(&node.state))?
        };
        let mut branches = Vec::new();
        let prefix_steps = way.append_to(&mut branches);
        // Round the cycle: to each missing mark in turn, and home.
        let home = way.end().state;
        let mut missing = required;
        let mut steps = prefix_steps;
        let mut has_moved = false;
        while !missing.is_empty() || !has_moved || way.end().state != home {
            let from = way.into_end();
            let is_needed = |node: &Node<W>| match missing.is_empty() {
                true => node.state == home,
                false => node.marks.meets(&missing),
            };
            way = self.way(from, &is_inside, is_needed)?;
            way.nodes.iter().for_each(|node| missing.remove(&node.marks));
            steps += way.append_to(&mut branches);
            has_moved = true;
        }
        Ok(Lasso { branches, prefix_steps, steps })
    }

    /// A shortest way of at least one step, over known states that `may_pass`, to one that `is_end`.
    fn way(
        &mut self,
        from: Node<W>,
        may_pass: impl Fn(&StateRef) -> bool,
        is_end: impl Fn(&Node<W>) -> bool,
    ) -> Result<Way<W>, Stop> {
        let mut known: HashSet<StateRef> = HashSet::new();
        let mut nodes = vec![Node { parent: 0, branch: None, steps: 0, marks: Marks::EMPTY, ..from }];
        let mut next = 0;
        while next < nodes.len() {
            if next.is_multiple_of(LOOK_EVERY) {
                self.look_at_limits(nodes.len() * self.node_bytes())?;
            }
            let vector = std::mem::take(&mut nodes[next].vector);
            self.product.expand(self.worker, self.visited, &vector, 0)?;
            for taken in std::mem::take(&mut self.product.moves) {
                let mut target = Vec::with_capacity(vector.len());
                self.product.target(&taken, &vector, &mut target);
                let prepared = self.visited.prepare(&target)?;
                let Some(state) = self.visited.find(prepared, &target) else { continue };
                if !may_pass(&state) {
                    continue;
                }
                let (steps, branch) = self.product.taken(&taken);
                let node = Node { state, vector: target, parent: next, branch, steps, marks: taken.marks };
                // The marks of a step count even if its end is known.
                if is_end(&node) {
                    nodes.push(node);
                    return Ok(Way::to_last(nodes));
                }
                if known.insert(state) {
                    nodes.push(node);
                }
            }
            next += 1;
        }
        unreachable!("a component is connected, and has the marks that it is said to have")
    }

    /// What a state of a way takes, and that it is known.
    fn node_bytes(&self) -> usize {
        size_of::<Node<W>>() + self.worker.tally.statistics.vector_bytes + 2 * size_of::<StateRef>()
    }

    /// May it go on, with so many bytes beside what the search itself takes? What is found at the last moment has a little time
    /// left.
    pub(super) fn look_at_limits(&self, bytes: usize) -> Result<(), Stop> {
        let limits = self.worker.watch.limits;
        if limits.is_stopped() {
            return Err(Stop::Limit(Limit::Stopped));
        }
        if limits.grace().is_some_and(|until| Instant::now() >= until) {
            return Err(Stop::Limit(Limit::Time));
        }
        let taken = self.visited.store_bytes() + self.worker.tally.statistics.search_bytes;
        if bytes > limits.store_budget(taken) { Err(Stop::Limit(Limit::Memory)) } else { Ok(()) }
    }
}

/// The states of a way, in order; the first is where it begins.
struct Way<const W: usize> {
    nodes: Vec<Node<W>>,
}

impl<const W: usize> Way<W> {
    fn to_last(mut nodes: Vec<Node<W>>) -> Way<W> {
        let mut way = Vec::new();
        let mut at = nodes.len() - 1;
        while at > 0 {
            let parent = nodes[at].parent;
            nodes.truncate(at + 1);
            way.extend(nodes.pop());
            at = parent;
        }
        nodes.truncate(1);
        way.extend(nodes.pop());
        way.reverse();
        Way { nodes: way }
    }

    fn end(&self) -> &Node<W> {
        self.nodes.last().expect("a way has a state")
    }

    fn into_end(mut self) -> Node<W> {
        self.nodes.pop().expect("a way has a state")
    }

    /// Adds the branches of the way; how many steps they are.
    fn append_to(&self, branches: &mut Vec<Branch>) -> usize {
        branches.extend(self.nodes.iter().filter_map(|node| node.branch));
        self.nodes.iter().map(|node| node.steps as usize).sum()
    }
}
