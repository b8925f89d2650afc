//! Nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis 1992; with the colours of Schwoon and Esparza, *A Note
//! on On-the-Fly Verification Algorithms*, 2005), and its improvement by the classes of the claim's parts (Edelkamp, Lluch Lafuente and
//! Leue 2001).
//!
//! The first search goes depth first. A state is *cyan* while it is on the path and *blue* afterwards. When the search comes back
//! over a step that is accepting, a second search starts behind that step, over blue states, which it makes *red*. If it meets a cyan state, it
//! has closed a cycle through the step. No red state is entered twice, so each state is expanded at most twice.
//!
//! Cycles that the path itself closes are seen at once, by the first search: the accepting step that was taken last tells whether one
//! is on the cycle.
//!
//! With classes, no second search starts in parts of class N and F: there no cycle is accepted, or each one that the path closes. In a
//! part of class P the second search keeps to the part, since no cycle leaves it.

use super::Fairness;
use super::claim::Claim;
use super::home::Home;
use super::marks::PLAIN;
use super::parts::{Class, Parts};
use super::product::{Move, Product, split};
use super::scc::STAYS;
use super::tree::{Node, NodeId, Tree};
use crate::conclude::{Ended, conclude};
use crate::judge::Judge;
use crate::labels::{Branch, Labels};
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, Path, SearchOptions, grow};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::{StateNumbers, StateRef, StateStore};

/// Looks for an execution that the claim accepts, which has one acceptance set.
pub(super) fn ndfs<S: StateStore + Default>(
    model: &Model,
    (claim, parts): (&Claim, &Parts),
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    with_nested::<S>(model, (claim, parts), executor, options, observer, |nested| {
        let (state, vector) = nested.begin()?;
        nested.search(Start { state, vector, depth: 0, node: None })
    })
}

/// Makes the search, lets `walk` use it, and sums up.
pub(super) fn with_nested<S: StateStore + Default>(
    model: &Model,
    (claim, parts): (&Claim, &Parts),
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
    walk: impl FnOnce(&mut Nested<'_, S>) -> Result<(), Stop>,
) -> Outcome {
    assert_eq!(claim.set_count, 1, "a nested search looks for one kind of step");
    // What is hidden belongs to the state here, as in `scc.rs`.
    let program = Program::new(model, options, 0);
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let mut visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), None);
    visited.keep_flags();
    let mut nested = Nested {
        visited,
        judge: Judge::new(&program),
        worker,
        product: Product::new(&program, claim, Fairness::None),
        parts,
        path: Vec::new(),
        items: Vec::new(),
        labels: Labels::default(),
        cyan: StateNumbers::default(),
        second: Vec::new(),
        second_items: Vec::new(),
        home: None,
        distances: Vec::new(),
        vector: Vec::new(),
        target: Vec::new(),
        is_cut: false,
        tree: Tree::default(),
        nearest: StateNumbers::default(),
        queue_bytes: 0,
        horizon: None,
    };
    let how = walk(&mut nested);
    let (is_cut, own_bytes) = (nested.is_cut, nested.own_bytes());
    let Nested { visited, judge, worker, product, .. } = nested;
    let ended = Ended { how, is_cut, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    product.add_to(conclude(&program, visited, judge, worker, ended))
}

/// The flag of states that the first search is done with.
pub(super) const BLUE: u8 = 1;
/// That of states that a second search has been at.
const RED: u8 = 2;

pub(super) struct Nested<'a, S> {
    pub visited: Visited<S>,
    pub judge: Judge<'a>,
    pub worker: Worker<'a>,
    pub product: Product<'a, PLAIN>,
    pub parts: &'a Parts,
    path: Vec<Frame>,
    /// The untried successors of all states of the path, each one's next last.
    items: Vec<Item>,
    labels: Labels,
    /// The states of the path, by their places there.
    cyan: StateNumbers,
    /// The path of the second search, and its untried successors.
    second: Vec<SecondFrame>,
    second_items: Vec<Item>,
    /// Where a directed second search should lead back to, and how far from there successors are.
    home: Option<Home>,
    distances: Vec<((u32, usize), Item)>,
    vector: Vec<u8>,
    target: Vec<u8>,
    /// The depth bound cut something.
    pub is_cut: bool,
    /// How states were reached, where a search does not begin in the initial state.
    pub tree: Tree,
    /// The nearest node of each state that was put on the horizon.
    nearest: StateNumbers,
    /// What is kept beside this search.
    pub queue_bytes: usize,
    /// Where it keeps to a part of the claim: the states met outside.
    pub horizon: Option<Vec<NodeId>>,
}

/// Where a search begins.
pub(super) struct Start {
    pub state: StateRef,
    pub vector: Vec<u8>,
    pub depth: u32,
    pub node: Option<NodeId>,
}

/// A state of the path.
struct Frame {
    state: StateRef,
    claim_state: u16,
    /// Was it entered by an accepting step?
    is_accepting: bool,
    /// How it was reached from the one before; [`STAYS`] if the system did not move.
    label: u32,
    steps: u32,
    depth: u32,
    /// The place of the last state up to here that was entered by an accepting step; zero if none was.
    last_accepting: u32,
    /// Where its items begin.
    items: usize,
    node: Option<NodeId>,
}

/// A state of the path of the second search.
struct SecondFrame {
    label: u32,
    steps: u32,
    items: usize,
}

#[derive(Clone, Copy)]
struct Item {
    state: StateRef,
    claim_state: u16,
    is_accepting: bool,
    label: u32,
    steps: u32,
}

impl<S: StateStore + Default> Nested<'_, S> {
    /// Stores the initial state.
    pub fn begin(&mut self) -> Result<(StateRef, Vec<u8>), Stop> {
        let initial = self.worker.expander.executor().initial();
        let mut vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        Product::<PLAIN>::begin(&mut vector);
        let (state, _) = self.insert(&vector)?;
        Ok((state, vector))
    }

    /// Looks a state up, and adds it if it is new.
    pub fn insert(&mut self, vector: &[u8]) -> Result<(StateRef, bool), Stop> {
        let prepared = self.visited.prepare(vector)?;
        let (state, is_new) = self.visited.insert(prepared, vector)?;
        self.worker.tally.statistics.transitions += 1;
        if is_new {
            self.worker.tally.note_stored(vector);
        }
        Ok((state, is_new))
    }

    /// The first search, from a state that is neither cyan nor blue.
    pub fn search(&mut self, start: Start) -> Result<(), Stop> {
        self.vector = start.vector;
        let claim_state = split(&self.vector).1;
        let first = Item { state: start.state, claim_state, is_accepting: false, label: STAYS, steps: 0 };
        self.visit(first, start.depth, start.node)?;
        while let Some(frame) = self.path.last() {
            if self.items.len() == frame.items {
                self.leave()?;
                continue;
            }
            let (depth, node) = (frame.depth, frame.node);
            let item = self.items.pop().expect("there is one");
            if let Some(place) = self.cyan.get(item.state) {
                self.close(place, item)?;
                continue;
            }
            if self.visited.flags(item.state) & BLUE != 0 {
                self.second_if_needed(item)?;
                continue;
            }
            self.vector.clear();
            self.visited.read_origin(item.state, &mut self.vector);
            let depth = depth + item.steps;
            let node = node.map(|node| self.tree.add(item.state, node, self.branch(item.label), depth));
            self.visit(item, depth, node)?;
        }
        Ok(())
    }

    /// Goes on to a new state, whose vector is at hand.
    fn visit(&mut self, by: Item, depth: u32, node: Option<NodeId>) -> Result<(), Stop> {
        let Item { state, claim_state, is_accepting, label, steps } = by;
        let place = self.path.len() as u32;
        let last_accepting = match self.path.last() {
            _ if is_accepting => place,
            before => before.map_or(0, |frame| frame.last_accepting),
        };
        self.cyan.insert(state, place);
        let items = self.items.len();
        let frame =
            Frame { state, claim_state, is_accepting, label, steps, depth, last_accepting, items, node };
        grow::push(&mut self.path, frame);
        let mut vector = std::mem::take(&mut self.vector);
        self.expand(&vector, depth)?;
        self.look_up(&vector)?;
        vector.clear();
        self.vector = vector;
        Ok(())
    }

    /// Computes the steps from a state of the path, and notes what is wrong with them.
    fn expand(&mut self, vector: &[u8], depth: u32) -> Result<(), Stop> {
        self.look_at_limits()?;
        let Nested { visited, judge, worker, product, path, labels, tree, .. } = self;
        product.expand(worker, visited, vector, depth)?;
        self.is_cut |= product.expansion.is_cut;
        product.judge(judge, worker, vector, depth, &|| branches(path, labels, tree))
    }

    pub fn look_at_limits(&mut self) -> Result<(), Stop> {
        let own_bytes = self.own_bytes();
        let Nested { visited, judge, worker, .. } = self;
        worker.look_at_limits(visited, &mut judge.findings, || own_bytes)
    }

    /// Expands one state, and puts all that it leads to on the horizon.
    pub fn expand_alone(&mut self, id: NodeId, vector: &[u8]) -> Result<(), Stop> {
        let Node { state, depth, .. } = self.tree.node(id);
        self.visited.set_flags(state, BLUE);
        self.look_at_limits()?;
        let Nested { visited, judge, worker, product, tree, .. } = self;
        product.expand(worker, visited, vector, depth)?;
        self.is_cut |= product.expansion.is_cut;
        product.judge(judge, worker, vector, depth, &|| tree.branches(id))?;
        let mut target = Vec::new();
        for index in 0..self.product.moves.len() {
            let taken = self.product.moves[index];
            let (steps, branch) = self.product.taken(&taken);
            target.clear();
            self.product.target(&taken, vector, &mut target);
            let (state, _) = self.insert(&target)?;
            self.put_on_horizon(state, id, branch, depth + steps);
        }
        Ok(())
    }

    /// A state was met that is to be gone on from later, unless that is done or will be on a way that is not longer.
    fn put_on_horizon(&mut self, state: StateRef, from: NodeId, branch: Option<Branch>, depth: u32) {
        if self.visited.flags(state) & BLUE != 0 {
            return;
        }
        match self.nearest.get(state) {
            Some(number) if self.tree.node(NodeId(number)).depth <= depth => return,
            Some(_) => self.nearest.remove(state),
            None => {}
        }
        let id = self.tree.add(state, from, branch, depth);
        self.nearest.insert(state, id.0);
        self.horizon.get_or_insert_default().push(id);
    }

    /// Looks up what the topmost state leads to: what is known is judged, the rest is tried later.
    fn look_up(&mut self, vector: &[u8]) -> Result<(), Stop> {
        let frame = self.path.last().expect("the state is on the path");
        let (depth, node, part) = (frame.depth, frame.node, self.parts.part(frame.claim_state));
        let first = self.items.len();
        let mut target = std::mem::take(&mut self.target);
        for index in 0..self.product.moves.len() {
            let taken = self.product.moves[index];
            let (steps, branch) = self.product.taken(&taken);
            target.clear();
            self.product.target(&taken, vector, &mut target);
            let (state, _) = self.insert(&target)?;
            if self.parts.part(taken.claim_state) != part
                && let (Some(_), Some(node)) = (&self.horizon, node)
            {
                self.put_on_horizon(state, node, branch, depth + steps);
                continue;
            }
            let item = self.item(state, &taken);
            match self.cyan.get(state) {
                Some(place) => self.close(place, item)?,
                None if self.visited.flags(state) & BLUE == 0 || self.needs_second(item) => {
                    grow::push(&mut self.items, item);
                }
                None => {}
            }
        }
        self.target = target;
        // The last one is tried first.
        self.items[first..].reverse();
        Ok(())
    }

    fn item(&mut self, state: StateRef, taken: &Move<PLAIN>) -> Item {
        let (steps, branch) = self.product.taken(taken);
        let label = branch.map_or(STAYS, |branch| self.labels.label(branch));
        let is_accepting = !taken.marks.is_empty();
        Item { state, claim_state: taken.claim_state, is_accepting, label, steps }
    }

    /// The topmost state leads to the state at that place of the path.
    fn close(&mut self, place: u32, by: Item) -> Result<(), Stop> {
        let top = self.path.last().expect("a state of the path");
        let is_accepted = match self.parts.class(top.claim_state) {
            Class::Never => false,
            Class::Always => true,
            Class::Sometimes => by.is_accepting || top.last_accepting > place,
        };
        if is_accepted { self.found(place, by) } else { Ok(()) }
    }

    /// All that the topmost state leads to has been tried.
    fn leave(&mut self) -> Result<(), Stop> {
        let frame = self.path.pop().expect("a state of the path");
        self.cyan.remove(frame.state);
        self.visited.set_flags(frame.state, BLUE);
        let Frame { state, claim_state, is_accepting, label, steps, .. } = frame;
        match self.path.is_empty() {
            true => Ok(()),
            false => self.second_if_needed(Item { state, claim_state, is_accepting, label, steps }),
        }
    }

    /// Is a second search to start behind a step from the topmost state?
    fn needs_second(&self, by: Item) -> bool {
        let top = self.path.last().expect("a state of the path");
        by.is_accepting
            && self.parts.part(top.claim_state) == self.parts.part(by.claim_state)
            && self.parts.class(by.claim_state) == Class::Sometimes
            && self.visited.flags(by.state) & RED == 0
    }

    fn second_if_needed(&mut self, by: Item) -> Result<(), Stop> {
        if self.needs_second(by) { self.second_search(by) } else { Ok(()) }
    }

    /// The second search, from the end of an accepting step from the topmost state: does it lead back to the path?
    fn second_search(&mut self, seed: Item) -> Result<(), Stop> {
        let part = self.parts.part(seed.claim_state);
        self.head_home();
        self.enter_second(seed, part)?;
        while let Some(frame) = self.second.last() {
            if self.second_items.len() == frame.items {
                self.second.pop();
                continue;
            }
            let item = self.second_items.pop().expect("there is one");
            if self.visited.flags(item.state) & RED == 0 {
                self.enter_second(item, part)?;
            }
        }
        Ok(())
    }

    fn enter_second(&mut self, by: Item, part: usize) -> Result<(), Stop> {
        self.look_at_limits()?;
        self.visited.set_flags(by.state, RED);
        let items = self.second_items.len();
        grow::push(&mut self.second, SecondFrame { label: by.label, steps: by.steps, items });
        let mut vector = std::mem::take(&mut self.vector);
        vector.clear();
        self.visited.read_origin(by.state, &mut vector);
        let Nested { visited, worker, product, .. } = self;
        product.expand(worker, visited, &vector, 0)?;
        worker.tally.note_expanded(&product.expansion);
        let mut target = std::mem::take(&mut self.target);
        self.distances.clear();
        for index in 0..self.product.moves.len() {
            let taken = self.product.moves[index];
            if self.parts.part(taken.claim_state) != part {
                continue;
            }
            target.clear();
            self.product.target(&taken, &vector, &mut target);
            let prepared = self.visited.prepare(&target)?;
            self.worker.tally.statistics.transitions += 1;
            // What the depth bound cut is not known.
            let Some(state) = self.visited.find(prepared, &target) else { continue };
            let item = self.item(state, &taken);
            if let Some(place) = self.cyan.get(state) {
                return self.found(place, item);
            }
            if self.visited.flags(state) & (BLUE | RED) == BLUE {
                let distance = self.home.as_ref().map_or((0, 0), |home| home.distance(&target));
                self.distances.push((distance, item));
            }
        }
        (self.vector, self.target) = (vector, target);
        // The last one is tried first. (The sort is stable.)
        self.distances.reverse();
        self.distances.sort_by_key(|(distance, _)| std::cmp::Reverse(*distance));
        self.second_items.extend(self.distances.drain(..).map(|(_, item)| item));
        Ok(())
    }

    /// Tells the second search which state it should lead back to, if it is to be directed.
    fn head_home(&mut self) {
        if self.horizon.is_none() {
            return;
        }
        let top = self.path.last().expect("a state of the path");
        let mut vector = Vec::new();
        self.visited.read(top.state, &mut vector);
        self.home = Some(Home::new(self.product.claim, vector));
    }

    /// There is a cycle: from that place of the path to its top, along the path of the second search, and back.
    fn found(&mut self, place: u32, last: Item) -> Result<(), Stop> {
        let mut branches = branches(&self.path, &self.labels, &self.tree);
        let second = self.second.iter().map(|frame| (frame.label, frame.steps));
        let mut steps = self.path.last().map_or(0, |frame| frame.depth as usize);
        for (label, count) in second.chain([(last.label, last.steps)]) {
            branches.extend(self.branch(label));
            steps += count as usize;
        }
        let prefix_steps = self.path[place as usize].depth as usize;
        let fault = &self.product.claim.cycle;
        self.judge.findings.fault(fault, steps, || Trail { branches, steps: Path::default() });
        self.judge.findings.set_cycle_start(prefix_steps);
        Err(Stop::Error)
    }

    fn branch(&self, label: u32) -> Option<Branch> {
        (label != STAYS).then(|| self.labels.branch(label))
    }

    fn own_bytes(&self) -> usize {
        self.path.capacity() * size_of::<Frame>()
            + (self.items.capacity() + self.second_items.capacity()) * size_of::<Item>()
            + self.second.capacity() * size_of::<SecondFrame>()
            + self.labels.heap_bytes()
            + self.cyan.heap_bytes()
            + self.tree.heap_bytes()
            + self.nearest.heap_bytes()
            + self.queue_bytes
    }
}

/// The branches to the topmost state of the path; steps in which the system stays are none.
fn branches(path: &[Frame], labels: &Labels, tree: &Tree) -> Vec<Branch> {
    let start = path.first().and_then(|frame| frame.node);
    let mut branches = start.map_or(Vec::new(), |node| tree.branches(node));
    let own = path.iter().skip(1).filter(|frame| frame.label != STAYS);
    branches.extend(own.map(|frame| labels.branch(frame.label)));
    branches
}
