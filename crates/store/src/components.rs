//! The strongly connected components of a graph as several workers find them: which states are known to be in one component, what is
//! known of it, and which of its states nobody is done with. (After Bloemen, Laarman and van de Pol, *Multi-Core On-The-Fly SCC
//! Decomposition*, 2016.)
//!
//! Each state has a node. Nodes of one component are a tree by their parents, as in every union-find structure; what is known of the
//! component is at the root: which workers have a state of it on their paths, and the marks of its steps. A worker finds a root
//! without waiting. To join two components, or to look for a state that is not done with, it locks their roots.
//!
//! *Nothing is lost when a root is joined to another one.* Who adds to a root adds first and then asks whether it still is one, and adds to the
//! new one if not. Who joins writes the parent first and then takes what is there. Both change the same word, so one of them comes after
//! the other and sees what that one did before.

use crate::chunks::{Ahead, Chunks};
use crate::pages::{Pages, prefetch};
use crate::word::{Cell, Register};
use crate::{OutOfMemory, StateRef};
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// As many workers as a word has bits beside those of a status.
pub const WORKERS_MAX: usize = 28;
/// A state's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

/// Somebody changes the list or the parent of this root.
const LOCKED: u32 = 1;
/// All states of this root's component are done with: it is whole, and no step leads out of it but to others that are.
const DEAD: u32 = 2;
/// All steps from the state were followed by some worker.
const DONE: u32 = 4;
/// Some worker has computed the steps from the state.
const STARTED: u32 = 8;
/// The bits from here on: of a root, the workers who have a state of the component on their paths.
const FIRST_WORKER: u32 = u32::BITS - WORKERS_MAX as u32;
const WORKERS: u32 = u32::MAX << FIRST_WORKER;

/// The bit of the worker of that number.
pub(crate) const fn worker_bit(number: usize) -> u32 {
    1 << (FIRST_WORKER + number as u32)
}

/// Two of them are a cache line, and none is in two.
#[repr(align(32))]
pub(crate) struct Node<A, B> {
    /// The state.
    key: B,
    /// Of a root: the marks of the steps within the component that are known.
    marks: B,
    /// Never greater than the node itself; itself if it is a root. (What came first is the root: that of a large component stays the same.)
    parent: A,
    /// The next node in the ring of those that were not seen to be done with. The root is in it in any case.
    next: A,
    status: A,
}

impl<A: Register<u32>, B: Register<u64>> Node<A, B> {
    pub fn new(number: u32) -> Node<A, B> {
        let (parent, next) = (A::new(number), A::new(number));
        Node { key: B::new(0), marks: B::new(0), parent, next, status: A::new(0) }
    }
}

/// What a worker that wants to go on to a state learns of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It is done with.
    Dead,
    /// The worker has a state of it on its path.
    Own,
    /// The worker has not been there.
    New,
}

/// The nodes by number, and what can be done with them.
pub(crate) trait Nodes {
    type Word: Register<u32>;
    type Wide: Register<u64>;

    fn node(&self, number: u32) -> &Node<Self::Word, Self::Wide>;

    /// The root of a node's component. Nodes on the way come nearer to it.
    #[inline]
    fn root(&self, mut number: u32) -> u32 {
        loop {
            let parent = self.node(number).parent.load();
            if parent == number {
                return number;
            }
            let above = self.node(parent).parent.load();
            if above == parent {
                return parent;
            }
            // A node that has a parent never is a root again, so this can only be overtaken by others that do the same.
            self.node(number).parent.store(above);
            number = above;
        }
    }

    #[inline]
    fn is_root(&self, number: u32) -> bool {
        self.node(number).parent.load() == number
    }

    fn is_same(&self, one: u32, other: u32) -> bool {
        loop {
            let (root, other) = (self.root(one), self.root(other));
            if root == other {
                return true;
            }
            if self.is_root(root) {
                return false;
            }
        }
    }

    /// What [`Self::claim`] would say, by what is known now. Nothing changes.
    #[inline]
    fn peek(&self, number: u32, worker: u32) -> Claimed {
        let status = self.node(self.root(number)).status.load();
        if status & DEAD != 0 {
            return Claimed::Dead;
        }
        if status & worker == 0 { Claimed::New } else { Claimed::Own }
    }

    /// The worker (a bit) goes on to the state, unless its component is dead or its own.
    #[inline]
    fn claim(&self, number: u32, worker: u32) -> Claimed {
        let mut root = self.root(number);
        if self.node(root).status.load() & DEAD != 0 {
            return Claimed::Dead;
        }
        if self.node(root).status.or(worker) & worker != 0 {
            return Claimed::Own;
        }
        // Others may have joined it to another one meanwhile.
        while !self.is_root(root) {
            root = self.root(root);
            self.node(root).status.or(worker);
        }
        Claimed::New
    }

    fn add_workers(&self, root: &Node<Self::Word, Self::Wide>, workers: u32) {
        if workers & !root.status.load() != 0 {
            root.status.or(workers);
        }
    }

    /// Adds marks to a component. All that it has then.
    #[inline]
    fn add_marks(&self, number: u32, marks: u64) -> u64 {
        loop {
            let root = self.root(number);
            let known = self.node(root).marks.load();
            if known | marks == known {
                // Who added them sees to it that they stay.
                return known;
            }
            let all = self.node(root).marks.or(marks) | marks;
            if self.is_root(root) {
                return all;
            }
        }
    }

    /// Locks a node if it is a root. False if it is none.
    fn lock(&self, number: u32) -> bool {
        let mut round = 0;
        loop {
            let status = self.node(number).status.load();
            if status & LOCKED == 0 && self.node(number).status.exchange(status, status | LOCKED) {
                if self.is_root(number) {
                    return true;
                }
                self.unlock(number);
                return false;
            }
            if !self.is_root(number) {
                return false;
            }
            Self::Word::wait(round);
            round += 1;
        }
    }

    fn unlock(&self, number: u32) {
        self.node(number).status.clear(LOCKED);
    }

    /// Makes one component of two, adds marks, and tells all that it has then.
    fn unite(&self, one: u32, other: u32, marks: u64) -> u64 {
        loop {
            let (one, other) = (self.root(one), self.root(other));
            if one == other {
                return self.add_marks(one, marks);
            }
            // All lock the lesser one first, so nobody waits for ever.
            let (low, high) = (one.min(other), one.max(other));
            if !self.lock(low) {
                continue;
            }
            if !self.lock(high) {
                self.unlock(low);
                continue;
            }
            let (from, to) = (self.node(high), self.node(low));
            debug_assert!(
                (from.status.load() | to.status.load()) & DEAD == 0,
                "nothing joins a whole component"
            );
            // Two rings become one.
            let (first, second) = (from.next.load(), to.next.load());
            from.next.store(second);
            to.next.store(first);
            // Before the others come here, so that they seldom take what they know for new; and again when they have come.
            self.add_workers(to, from.status.load() & WORKERS);
            from.parent.store(low);
            // Changes of nothing, so that who adds to `from` later sees that it is no root.
            let (workers, marks) = (from.status.or(0) & WORKERS, from.marks.or(0) | marks);
            self.add_workers(to, workers);
            let all = self.add_marks(low, marks);
            self.unlock(high);
            self.unlock(low);
            return all;
        }
    }

    /// All steps from the state have been followed.
    #[inline]
    fn finish(&self, number: u32) {
        self.node(number).status.or(DONE);
    }

    /// See [`Components::pick`].
    fn pick(&self, number: u32, choice: u32) -> Option<u32> {
        let root = loop {
            let root = self.root(number);
            if self.node(root).status.load() & DEAD != 0 {
                return None;
            }
            if self.lock(root) {
                break root;
            }
        };
        let is_done = |number: u32| self.node(number).status.load() & DONE != 0;
        let (mut before, mut left, mut picked) = (root, choice, None);
        loop {
            let at = self.node(before).next.load();
            if at == root {
                break;
            }
            if is_done(at) {
                let next = self.node(at).next.load();
                self.node(before).next.store(next);
                continue;
            }
            picked = Some(at);
            if left == 0 {
                break;
            }
            left -= 1;
            before = at;
        }
        let picked = picked.or_else(|| (!is_done(root)).then_some(root));
        if picked.is_none() {
            self.node(root).status.or(DEAD);
        }
        self.unlock(root);
        picked
    }
}

type AtomicNode = Node<AtomicU32, AtomicU64>;

impl Nodes for Chunks<AtomicNode> {
    type Word = AtomicU32;
    type Wide = AtomicU64;

    #[inline]
    fn node(&self, number: u32) -> &AtomicNode {
        self.get(number)
    }
}

/// Slots of a table. A slot is empty, or has a node or a table of the next digit.
const SLOTS: usize = 16;
const DIGIT_BITS: u32 = SLOTS.trailing_zeros();
const IS_TABLE: u32 = 1 << 31;
/// Bits of the hash that choose a slot of the first table, which takes no memory before it is used. (Few in tests, so that there are more
/// tables.)
const FIRST_BITS: u32 = if cfg!(test) { 4 } else { 20 };

type Table = [AtomicU32; SLOTS];

/// The states that workers have met, each with its node. Nothing is moved as it grows.
pub struct Components {
    nodes: Chunks<AtomicNode>,
    tables: Chunks<Table>,
    /// The first table: by the first bits of the hash.
    first: Pages<u32>,
}

/// What one worker has for itself.
#[derive(Debug)]
pub struct Place {
    nodes: Ahead,
    tables: Ahead,
    /// A table that was made in vain.
    spare: Option<u32>,
    /// Its bit.
    worker: u32,
}

impl Place {
    /// The worker's.
    pub fn number(&self) -> usize {
        (self.worker.trailing_zeros() - FIRST_WORKER) as usize
    }
}

impl Components {
    pub fn new() -> Result<Components, OutOfMemory> {
        let first = Pages::zeroed(1 << FIRST_BITS)?;
        Ok(Components { nodes: Chunks::default(), tables: Chunks::default(), first })
    }

    /// For the worker of that number.
    pub fn place(&self, worker: usize) -> Place {
        assert!(worker < WORKERS_MAX, "there is a bit for each worker");
        Place { nodes: Ahead::default(), tables: Ahead::default(), spare: None, worker: worker_bit(worker) }
    }

    /// The node of a state. None if there are too many.
    #[inline]
    pub fn node(&self, place: &mut Place, state: StateRef) -> Option<NodeId> {
        let hash = mix(state.bits());
        // So many of its bits have not been used.
        let mut left = u64::BITS - FIRST_BITS;
        let mut slot = &self.first.shared()[(hash >> left) as usize];
        let mut made = None;
        loop {
            let found = slot.load(Acquire);
            if found & IS_TABLE != 0 {
                left -= DIGIT_BITS;
                slot = &self.tables.get(found & !IS_TABLE)[digit(hash, left)];
            } else if found != 0 {
                let other = self.nodes.get(found - 1).key.load(Acquire);
                if other == state.bits() {
                    // If a node was made in vain, it is one that nobody uses.
                    return Some(NodeId(found - 1));
                }
                self.split(place, slot, found, digit(mix(other), left - DIGIT_BITS))?;
            } else {
                let number = match made {
                    Some(number) => number,
                    None => {
                        let number = self.nodes.take(&mut place.nodes, Node::new)?;
                        self.nodes.get(number).key.store(state.bits(), Release);
                        *made.insert(number)
                    }
                };
                if slot.exchange(0, number + 1) {
                    return Some(NodeId(number));
                }
            }
        }
    }

    /// Puts a table in the place of a node that another one wants, too; the node goes to that place in the table.
    #[cold]
    fn split(&self, place: &mut Place, slot: &AtomicU32, found: u32, at: usize) -> Option<()> {
        let empty = |_| std::array::from_fn(|_| AtomicU32::new(0));
        let number = match place.spare.take() {
            Some(number) => number,
            None => self.tables.take(&mut place.tables, empty)?,
        };
        let table = self.tables.get(number);
        table[at].store(found, Release);
        if !slot.exchange(found, number | IS_TABLE) {
            table[at].store(0, Release);
            place.spare = Some(number);
        }
        Some(())
    }

    /// Asks the memory system for what [`Self::node`] looks at first.
    #[inline]
    pub fn prefetch(&self, state: StateRef) {
        self.first.prefetch(first_slot(state));
    }

    /// Some time after [`Self::prefetch`]: asks for what [`Self::node`] looks at next.
    #[inline]
    pub fn prefetch_further(&self, state: StateRef) {
        let found = self.first.shared()[first_slot(state)].load(Acquire);
        if found & IS_TABLE != 0 {
            prefetch(self.tables.get(found & !IS_TABLE).as_ptr());
        } else if found != 0 {
            prefetch(self.nodes.get(found - 1));
        }
    }

    /// The worker goes on to the state, unless its component is dead or its own.
    #[inline]
    pub fn claim(&self, place: &Place, node: NodeId) -> Claimed {
        self.nodes.claim(node.0, place.worker)
    }

    /// What [`Self::claim`] would say, by what is known now. Nothing changes.
    #[inline]
    pub fn peek(&self, place: &Place, node: NodeId) -> Claimed {
        self.nodes.peek(node.0, place.worker)
    }

    /// Are two states known to be in one component?
    #[inline]
    pub fn is_same(&self, one: NodeId, other: NodeId) -> bool {
        self.nodes.is_same(one.0, other.0)
    }

    /// Makes one component of two that are not dead, adds marks, and tells all that it has then.
    pub fn unite(&self, one: NodeId, other: NodeId, marks: u64) -> u64 {
        self.nodes.unite(one.0, other.0, marks)
    }

    /// Adds marks to a component. All that it has then.
    #[inline]
    pub fn add_marks(&self, node: NodeId, marks: u64) -> u64 {
        self.nodes.add_marks(node.0, marks)
    }

    /// A worker computes the steps from the state. Is it the first?
    #[inline]
    pub fn start(&self, node: NodeId) -> bool {
        self.nodes.get(node.0).status.or(STARTED) & STARTED == 0
    }

    /// A worker has followed all steps from the state: each leads into its own component, or to a dead one.
    #[inline]
    pub fn finish(&self, node: NodeId) {
        self.nodes.finish(node.0);
    }

    #[inline]
    pub fn is_done(&self, node: NodeId) -> bool {
        self.nodes.get(node.0).status.load(Acquire) & DONE != 0
    }

    /// A state of the component that nobody is done with: the first one in some order behind `choice` others, or the last. None if
    /// there is no such state: the component is dead from then on.
    pub fn pick(&self, node: NodeId, choice: u32) -> Option<NodeId> {
        self.nodes.pick(node.0, choice).map(NodeId)
    }

    /// The state of a node, as [`StateRef::bits`] has it.
    pub fn state(&self, node: NodeId) -> StateRef {
        StateRef(self.nodes.get(node.0).key.load(Acquire))
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + self.tables.heap_bytes() + self.first.bytes()
    }
}

/// Its place in the first table.
#[inline]
fn first_slot(state: StateRef) -> usize {
    (mix(state.bits()) >> (u64::BITS - FIRST_BITS)) as usize
}

/// Different numbers stay different.
#[inline]
fn mix(bits: u64) -> u64 {
    let mixed = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The digit above so many bits.
#[inline]
fn digit(hash: u64, left: u32) -> usize {
    (hash >> left) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that workers add at the same time have one node each, and others have others.
    #[test]
    fn each_state_has_one_node() {
        let components = Components::new().unwrap();
        let nodes = |worker: usize| {
            let mut place = components.place(worker);
            let states = (0..3001u64).map(|number| ((number * 7 * (worker as u64 * 2 + 1)) % 3001) << 21);
            let mut nodes: Vec<(u64, u32)> = states
                .map(|bits| {
                    components.prefetch(StateRef(bits));
                    components.prefetch_further(StateRef(bits));
                    let node = components.node(&mut place, StateRef(bits)).unwrap();
                    assert_eq!(components.state(node), StateRef(bits));
                    (bits, node.0)
                })
                .collect();
            nodes.sort_unstable();
            nodes
        };
        let all = std::thread::scope(|scope| {
            let threads = [0, 1, 2].map(|worker| scope.spawn(move || nodes(worker)));
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(all[0] == all[1] && all[0] == all[2]);
        let mut numbers: Vec<u32> = all[0].iter().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3001);
    }

    /// As a list of sets has it: who is with whom, which marks and workers a set has, and what is not done with.
    #[test]
    fn sets_are_joined_as_in_a_list() {
        const COUNT: usize = 40;
        for seed in 0..200u64 {
            let components = Components::new().unwrap();
            let mut places = [components.place(0), components.place(1)];
            let nodes: Vec<NodeId> = (0..COUNT as u64)
                .map(|number| components.node(&mut places[0], StateRef(number)).unwrap())
                .collect();
            // By state: its set, and whether it is done with. By set: its marks and workers.
            let mut set_of: Vec<usize> = (0..COUNT).collect();
            let (mut is_done, mut is_dead) = ([false; COUNT], [false; COUNT]);
            let (mut marks, mut workers) = ([0u64; COUNT], [0u32; COUNT]);
            let mut random = seed;
            let mut below = |end: usize| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) as usize % end
            };
            for _ in 0..300 {
                let (one, other) = (below(COUNT), below(COUNT));
                let (set, second) = (set_of[one], set_of[other]);
                assert_eq!(components.is_same(nodes[one], nodes[other]), set == second);
                match below(4) {
                    0 if !is_dead[set] && !is_dead[second] => {
                        let mark = 1 << below(9);
                        let all = marks[set] | marks[second] | mark;
                        assert_eq!(components.unite(nodes[one], nodes[other], mark), all);
                        let joined = workers[set] | workers[second];
                        set_of.iter_mut().filter(|of| **of == second).for_each(|of| *of = set);
                        (marks[set], workers[set]) = (all, joined);
                    }
                    1 => {
                        let worker = below(2);
                        let expected = match (is_dead[set], workers[set] >> worker & 1) {
                            (true, _) => Claimed::Dead,
                            (false, 1) => Claimed::Own,
                            (false, _) => Claimed::New,
                        };
                        assert_eq!(components.peek(&places[worker], nodes[one]), expected);
                        assert_eq!(components.claim(&places[worker], nodes[one]), expected);
                        workers[set] |= 1 << worker;
                    }
                    2 => {
                        components.finish(nodes[one]);
                        is_done[one] = true;
                    }
                    _ => {
                        let left: Vec<NodeId> = (0..COUNT)
                            .filter(|state| set_of[*state] == set && !is_done[*state])
                            .map(|state| nodes[state])
                            .collect();
                        let picked = components.pick(nodes[one], below(3) as u32);
                        assert_eq!(picked.is_none(), left.is_empty());
                        assert!(picked.is_none_or(|picked| left.contains(&picked)));
                        is_dead[set] |= left.is_empty();
                    }
                }
            }
        }
    }
}
