//! Breadth-first search that counts every step: the first error found is one of the nearest.
//!
//! The plain breadth-first search (`bfs.rs`) takes a chain of transient configurations for one step of its levels. Here a
//! chain of five steps leads five levels on, so that lengths are exact, at some cost.
//!
//! Transient configurations are entries of the frontier like states, so a level holds what is reached in the same number
//! of steps. A state in the frontier is its reference in the store and the hidden part of its vector; a transient
//! configuration is its whole vector. Each entry has a node with the step that led to it first.
//!
//! A level is worked off in batches: the successors of many entries are computed and their lookups prepared before the
//! first of them is looked up. The memory that the lookups need is on its way meanwhile.
//!
//! A process that lets go makes a state of its own level, while the level's other expansions make states of the next.
//! A state that was already reached for the next level can so turn out to be of this one: it is then expanded at once,
//! and skipped when its turn comes.
//!
//! A deadlock is found when its state is expanded, a fault one step earlier. So when a level shows a fault, the rest of
//! that level is still searched for a deadlock, which would be one step nearer.

use crate::chain::{Fingerprint, LinkId, Links};
use crate::context::{Context, Stop};
use crate::errors::Trail;
use crate::frontier::{Entry, Level};
use crate::nodes::{NodeId, Nodes};
use crate::por::Order;
use crate::step::{StepCode, Steps};
use crate::{Observer, Options, Outcome};
use panoptes_exec::{Ending, Executor, Step, Successor, Successors};
use panoptes_model::Model;
use panoptes_store::{Prepared, StateRef, StateStore};
use std::collections::HashSet;

/// Entries expanded before the first lookup. (Few in tests, so that there are many batches.)
const BATCH_LEN: usize = if cfg!(test) { 3 } else { 32 };

/// Explores all that can be reached, nearest first.
pub fn bfs_by_steps<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(S::KEEPS_VECTORS, "a level is read from the store");
    assert!(options.foldings.is_empty(), "a folded vector cannot be read back");
    assert!(!options.por, "a reduced search does not keep the nearest errors");
    let mut search = Bfs::<S> {
        context: Context::new(model, executor, options, observer, Order::BreadthFirst),
        nodes: Nodes::new(),
        steps: Steps::new(),
        links: Links::default(),
        next: Level::default(),
        depth: 0,
        let_go: HashSet::new(),
        next_states: None,
        is_cut: false,
        is_ending: false,
    };
    let end = search.walk();
    if !options.all_errors {
        search.context.log.keep_shortest();
    }
    let search_bytes = search.heap_bytes();
    // What is not needed any more makes room for the paths of errors.
    drop((search.nodes, search.links, search.next));
    search.context.finish(end, search.is_cut, search_bytes)
}

struct Bfs<'a, S> {
    context: Context<'a, S>,
    nodes: Nodes,
    steps: Steps,
    links: Links,
    /// What is reached in one step more than `depth`.
    next: Level,
    depth: usize,
    /// The states of this level that a process let go: they are expanded already.
    let_go: HashSet<StateRef>,
    /// The states of `next`, once a process has let go in this level.
    next_states: Option<HashSet<StateRef>>,
    is_cut: bool,
    /// A fault was found and ends the search; what remains of the level may hold a deadlock.
    is_ending: bool,
}

/// An entry of a batch, its successors, and their lookups.
#[derive(Default)]
struct Work {
    entry: Option<Entry>,
    vector: Vec<u8>,
    successors: Successors,
    prepared: Vec<Prepared>,
}

/// Where an expansion stands: the node, and the chain of transient configurations it ends (its last link, its length).
#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    link: LinkId,
    chain: u32,
}

impl Place {
    fn state(node: NodeId) -> Place {
        Place { node, link: LinkId::NONE, chain: 0 }
    }
}

impl<S: StateStore + Default> Bfs<'_, S> {
    fn walk(&mut self) -> Result<(), Stop> {
        let vector = self.context.initial()?;
        let mut batch: Vec<Work> = (0..BATCH_LEN).map(|_| Work::default()).collect();
        let mut level = Level::default();
        self.context.statistics.transitions += 1;
        let prepared = self.context.prepare(&vector)?;
        let (state, _) = self.context.insert(prepared, &vector)?;
        self.context.note_visit(state, true, 0);
        level.push_state(NodeId::ROOT, state, &vector[..self.context.hidden_bytes()]);
        while !level.is_empty() {
            self.context.note_depth(self.depth);
            self.next_states = None;
            let done = std::mem::take(&mut self.let_go);
            self.walk_level(&level, &done, &mut batch)?;
            if self.is_ending {
                return Err(Stop::Error);
            }
            level.clear();
            std::mem::swap(&mut level, &mut self.next);
            if level.transient_count() == 0 {
                self.links.clear();
            }
            self.depth += 1;
        }
        Ok(())
    }

    fn walk_level(
        &mut self,
        level: &Level,
        done: &HashSet<StateRef>,
        batch: &mut [Work],
    ) -> Result<(), Stop> {
        let mut entries = level.entries(self.context.hidden_bytes());
        loop {
            let mut count = 0;
            while count < batch.len()
                && let Some((entry, bytes)) = entries.next()
            {
                if matches!(entry, Entry::State { state, .. } if done.contains(&state)) {
                    continue;
                }
                self.begin(&mut batch[count], entry, bytes, level)?;
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            for work in &batch[..count] {
                for prepared in &work.prepared {
                    self.context.store.prefetch_further(*prepared);
                }
            }
            for work in &mut batch[..count] {
                self.finish(work, level)?;
            }
        }
    }

    /// Expands an entry and prepares the lookups of its successors.
    fn begin(&mut self, work: &mut Work, entry: Entry, bytes: &[u8], level: &Level) -> Result<(), Stop> {
        work.vector.clear();
        work.vector.extend_from_slice(bytes);
        let control = match entry {
            Entry::State { state, .. } => {
                self.context.store.read(state, &mut work.vector);
                None
            }
            Entry::Transient { control, .. } => Some(control),
        };
        work.entry = Some(entry);
        self.expand(work, control, level)
    }

    fn expand(&mut self, work: &mut Work, control: Option<u8>, level: &Level) -> Result<(), Stop> {
        let Bfs { context, nodes, links, next, .. } = self;
        let bytes = || nodes.heap_bytes() + links.heap_bytes() + next.heap_bytes() + level.heap_bytes();
        context.expand_by_steps(&work.vector, control, &mut work.successors, bytes)?;
        work.prepared.clear();
        for item in &work.successors.items {
            if item.is_state() {
                work.prepared.push(context.prepare(work.successors.state(item))?);
            }
        }
        Ok(())
    }

    /// Looks at what an expansion gave.
    fn finish(&mut self, work: &mut Work, level: &Level) -> Result<(), Stop> {
        match work.entry.take().expect("an entry was expanded") {
            Entry::State { node, .. } => self.finish_state(node, work),
            Entry::Transient { node, link, chain, .. } => {
                self.context.statistics.generated += work.successors.items.len() as u64;
                if work.successors.ending == Ending::Moves {
                    return self.follow(Place { node, link, chain }, work);
                }
                self.note_blocked(node, &work.successors)?;
                if self.reach_let_go(&work.vector)? {
                    self.expand(work, None, level)?;
                    self.finish_state(node, work)?;
                }
                Ok(())
            }
        }
    }

    fn finish_state(&mut self, node: NodeId, work: &Work) -> Result<(), Stop> {
        self.context.statistics.expanded += 1;
        self.context.statistics.generated += work.successors.items.len() as u64;
        let (nodes, steps) = (&self.nodes, &self.steps);
        self.context.note_state(&work.vector, self.depth, || trail(nodes, steps, node, None))?;
        if work.successors.ending == Ending::Moves {
            let (nodes, steps) = (&self.nodes, &self.steps);
            let path = || trail(nodes, steps, node, None);
            self.context.note_stuck(&work.successors, self.depth, path)?;
            return self.follow(Place::state(node), work);
        }
        self.note_blocked(node, &work.successors)?;
        if work.successors.ending == Ending::Deadlock {
            let (nodes, steps) = (&self.nodes, &self.steps);
            let faults = &work.successors.end_faults;
            self.context.note_end(&work.vector, faults, self.depth, || trail(nodes, steps, node, None))?;
        }
        Ok(())
    }

    fn note_blocked(&mut self, node: NodeId, successors: &Successors) -> Result<(), Stop> {
        if self.is_at_bound() {
            self.is_cut |= successors.items.iter().any(|item| successors.fault(item).is_some());
            return Ok(());
        }
        let (nodes, steps) = (&self.nodes, &self.steps);
        self.context.note_blocked(successors, self.depth, |step| trail(nodes, steps, node, Some(step)))
    }

    /// Does the bound allow no more steps?
    fn is_at_bound(&self) -> bool {
        self.context.options.depth_max.is_some_and(|depth_max| self.depth as u64 >= depth_max)
    }

    /// Takes each of the steps from a place.
    fn follow(&mut self, place: Place, work: &Work) -> Result<(), Stop> {
        if self.is_ending {
            return Ok(());
        }
        let is_bound = self.is_at_bound();
        let mut prepared = work.prepared.iter().copied();
        for item in &work.successors.items {
            let lookup = if item.is_state() { prepared.next() } else { None };
            if is_bound {
                self.look_beyond(item, lookup, &work.successors);
            } else {
                self.take(place, item, lookup, &work.successors)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn take(
        &mut self,
        place: Place,
        item: &Successor,
        lookup: Option<Prepared>,
        successors: &Successors,
    ) -> Result<(), Stop> {
        self.context.note_executed(item.step());
        if item.fault != Successor::NO_FAULT {
            self.note_fault(place, item, successors)?;
        }
        let vector = successors.state(item);
        if let Some(prepared) = lookup {
            self.context.statistics.transitions += 1;
            let (state, is_new) = self.context.insert(prepared, vector)?;
            self.context.note_visit(state, is_new, self.depth as u32 + 1);
            if is_new {
                let node = self.nodes.push(place.node, self.steps.code(item.step()).0)?;
                self.next.push_state(node, state, &vector[..self.context.hidden_bytes()]);
                if let Some(states) = &mut self.next_states {
                    states.insert(state);
                }
            }
        } else if let Some(control) = item.control()
            && item.has_state()
        {
            let mut place = place;
            if self.context.loops.closes(item.step()) {
                place.chain += 1;
                let fingerprint = Fingerprint::of(vector, control);
                let Some(link) = self.links.extend(place.link, place.chain, fingerprint) else {
                    self.context.statistics.endless_chains += 1;
                    return Ok(());
                };
                place.link = link;
            }
            let node = self.nodes.push(place.node, self.steps.code(item.step()).0)?;
            self.next.push_transient(node, control, vector, place.link, place.chain);
        }
        Ok(())
    }

    fn note_fault(&mut self, place: Place, item: &Successor, successors: &Successors) -> Result<(), Stop> {
        let fault = successors.fault(item).expect("the item has a fault");
        if !self.context.is_error(fault) {
            return Ok(());
        }
        let (nodes, steps) = (&self.nodes, &self.steps);
        let path = || trail(nodes, steps, place.node, Some(item.step()));
        let noted = self.context.note_fault(fault, self.depth + 1, path);
        if noted.is_err() && self.context.looks_at_states() {
            self.is_ending = true;
            return Ok(());
        }
        noted
    }

    /// Looks up a state that belongs to this level; true if it was not known to.
    fn reach_let_go(&mut self, vector: &[u8]) -> Result<bool, Stop> {
        self.context.statistics.transitions += 1;
        let prepared = self.context.prepare(vector)?;
        let (state, is_new) = self.context.insert(prepared, vector)?;
        self.context.note_visit(state, is_new, self.depth as u32);
        let next = self.next_states.get_or_insert_with(|| self.next.states().collect());
        Ok((is_new || next.contains(&state)) && self.let_go.insert(state))
    }

    /// At the depth bound a step to a known state is counted; any other is cut.
    fn look_beyond(&mut self, item: &Successor, lookup: Option<Prepared>, successors: &Successors) {
        let is_error =
            successors.fault(item).is_some_and(|fault| self.context.is_error(fault) || fault.kind.is_limit());
        if is_error || (item.control().is_some() && item.has_state()) {
            self.is_cut = true;
        } else if let Some(prepared) = lookup {
            if self.context.find(prepared, successors.state(item)).is_some() {
                self.context.note_executed(item.step());
                self.context.statistics.transitions += 1;
            } else {
                self.is_cut = true;
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + self.steps.heap_bytes() + self.links.heap_bytes() + self.next.heap_bytes()
    }
}

/// The steps to a node, and one more.
fn trail(nodes: &Nodes, steps: &Steps, node: NodeId, last: Option<Step>) -> Trail {
    let path = nodes.path(node).into_iter().map(|code| steps.step(StepCode(code)));
    Trail { branches: Vec::new(), steps: path.chain(last).collect() }
}
