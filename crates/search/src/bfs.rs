//! Breadth-first search, level by level in steps: the first error found is one of the nearest.
//!
//! Transient configurations are entries of the frontier like states, so a level holds what is reached in the same number
//! of steps. A state in the frontier is its number in the store and the hidden part of its vector; a transient
//! configuration is its whole vector. Each entry has a node with the step that led to it first.
//!
//! A process that lets go makes a state of its own level, while the level's other expansions make states of the next.
//! A state that was already reached for the next level can so turn out to be of this one: it is then expanded at once,
//! and skipped when its turn comes.
//!
//! A deadlock is found when its state is expanded, a fault one step earlier. So when a level shows a fault, the rest of
//! that level is still searched for a deadlock, which would be one step nearer.

use crate::chain::{Fingerprint, LinkId, Links};
use crate::context::{At, Context, Stop};
use crate::nodes::{NodeId, Nodes};
use crate::{Observer, Options, Outcome, grow};
use panoptes_exec::{Ending, Executor, Successor, Successors};
use panoptes_model::Model;
use panoptes_store::StateIndex;
use std::collections::HashSet;

/// Explores all that can be reached, nearest first.
pub fn bfs(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut search = Bfs {
        context: Context::new(model, executor, options, observer, false),
        nodes: Nodes::new(),
        links: Links::default(),
        next: Level::default(),
        depth: 0,
        level_start: 0,
        let_go: HashSet::new(),
        is_cut: false,
        is_ending: false,
    };
    let end = search.walk();
    if !options.all_errors {
        search.context.log.keep_shortest();
    }
    let search_bytes = search.heap_bytes();
    search.context.finish(end, search.is_cut, search_bytes)
}

struct Bfs<'a> {
    context: Context<'a>,
    nodes: Nodes,
    links: Links,
    /// What is reached in one step more than `depth`.
    next: Level,
    depth: usize,
    /// The states from this number on were first reached in this level's expansions.
    level_start: usize,
    /// Of those, the ones that a process let go: they are expanded already.
    let_go: HashSet<StateIndex>,
    is_cut: bool,
    /// A fault was found and ends the search; what remains of the level may hold a deadlock.
    is_ending: bool,
}

/// The entries of one level, and their bytes end to end.
#[derive(Default)]
struct Level {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    transient_count: usize,
}

enum Entry {
    State { node: NodeId, state: StateIndex },
    Transient { node: NodeId, control: u8, vector_bytes: u32, link: LinkId, chain: u32 },
}

/// Where an expansion stands: the node, and the chain of transient configurations it ends.
#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    link: LinkId,
    chain: u32,
}

impl Bfs<'_> {
    fn walk(&mut self) -> Result<(), Stop> {
        let mut vector = self.context.initial()?;
        let mut successors = Successors::default();
        let mut level = Level::default();
        self.context.statistics.transitions += 1;
        let (hash, _) = self.context.key(&vector);
        let (state, _) = self.context.insert(hash, &vector)?;
        level.push_state(NodeId::ROOT, state, &vector[..self.context.hidden_bytes()]);
        while !level.entries.is_empty() {
            self.context.note_depth(self.depth);
            self.level_start = self.context.store.len();
            let done = std::mem::take(&mut self.let_go);
            self.walk_level(&level, &done, &mut vector, &mut successors)?;
            if self.is_ending {
                return Err(Stop::Error);
            }
            level.clear();
            std::mem::swap(&mut level, &mut self.next);
            if level.transient_count == 0 {
                self.links.clear();
            }
            self.depth += 1;
        }
        Ok(())
    }

    fn walk_level(
        &mut self,
        level: &Level,
        done: &HashSet<StateIndex>,
        vector: &mut Vec<u8>,
        successors: &mut Successors,
    ) -> Result<(), Stop> {
        let mut bytes = &level.bytes[..];
        for entry in &level.entries {
            vector.clear();
            let length = match entry {
                Entry::State { .. } => self.context.hidden_bytes(),
                Entry::Transient { vector_bytes, .. } => *vector_bytes as usize,
            };
            vector.extend_from_slice(&bytes[..length]);
            bytes = &bytes[length..];
            match *entry {
                Entry::State { state, .. } if done.contains(&state) => {}
                Entry::State { node, state } => {
                    vector.extend_from_slice(self.context.store.get(state));
                    self.expand_state(node, state, vector, successors, level)?;
                }
                Entry::Transient { node, control, link, chain, .. } => {
                    let ending = self.expand(vector, At::Transient(control), successors, level)?;
                    if ending == Ending::Moves {
                        self.follow(Place { node, link, chain }, successors)?;
                    } else {
                        self.note_blocked(node, successors)?;
                        if let Some(state) = self.reach_let_go(vector)? {
                            self.expand_state(node, state, vector, successors, level)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn expand_state(
        &mut self,
        node: NodeId,
        state: StateIndex,
        vector: &[u8],
        successors: &mut Successors,
        level: &Level,
    ) -> Result<(), Stop> {
        let ending = self.expand(vector, At::State(state), successors, level)?;
        if ending != Ending::Moves {
            self.note_blocked(node, successors)?;
        }
        match ending {
            Ending::Moves => self.follow(Place { node, link: LinkId::NONE, chain: 0 }, successors),
            Ending::Deadlock => {
                let nodes = &self.nodes;
                self.context.note_deadlock(vector, self.depth, || nodes.path(node))
            }
            Ending::Valid | Ending::LetGo => Ok(()),
        }
    }

    fn expand(
        &mut self,
        vector: &[u8],
        at: At,
        successors: &mut Successors,
        level: &Level,
    ) -> Result<Ending, Stop> {
        let (nodes, links, next) = (&self.nodes, &self.links, &self.next);
        let bytes = || nodes.heap_bytes() + links.heap_bytes() + next.heap_bytes() + level.heap_bytes();
        self.context.expand(vector, at, successors, bytes)
    }

    fn note_blocked(&mut self, node: NodeId, successors: &Successors) -> Result<(), Stop> {
        let nodes = &self.nodes;
        self.context.note_blocked(successors, self.depth, |step| {
            let mut path = nodes.path(node);
            path.push(step);
            path
        })
    }

    /// Takes each of the steps from a place.
    fn follow(&mut self, place: Place, successors: &Successors) -> Result<(), Stop> {
        if self.is_ending {
            return Ok(());
        }
        let is_bound = self.context.options.depth_max.is_some_and(|depth_max| self.depth as u64 >= depth_max);
        for item in &successors.items {
            if is_bound {
                self.look_beyond(item, successors);
            } else {
                self.take(place, item, successors)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, place: Place, item: &Successor, successors: &Successors) -> Result<(), Stop> {
        let vector = successors.state(item);
        self.context.note_executed(item.step);
        if let Some(fault) = successors.fault(item)
            && self.context.is_error(fault)
        {
            let nodes = &self.nodes;
            let path = || {
                let mut path = nodes.path(place.node);
                path.push(item.step);
                path
            };
            let noted = self.context.note_fault(fault, self.depth + 1, path);
            if noted.is_err() && self.context.options.checks.deadlocks {
                self.is_ending = true;
                return Ok(());
            }
            noted?;
        }
        match item.control {
            _ if !item.has_state => {}
            None => {
                let (state, is_new) = self.reach_state(vector)?;
                if is_new {
                    let node = self.nodes.push(place.node, item.step)?;
                    self.next.push_state(node, state, &vector[..self.context.hidden_bytes()]);
                }
            }
            Some(control) => {
                let chain = place.chain + 1;
                match self.links.extend(place.link, chain, Fingerprint::of(vector, control)) {
                    Some(link) => {
                        let node = self.nodes.push(place.node, item.step)?;
                        self.next.push_transient(node, control, vector, link, chain);
                    }
                    None => self.context.statistics.endless_chains += 1,
                }
            }
        }
        Ok(())
    }

    /// Looks a state up; true if it is new.
    fn reach_state(&mut self, vector: &[u8]) -> Result<(StateIndex, bool), Stop> {
        self.context.statistics.transitions += 1;
        let (hash, _) = self.context.key(vector);
        self.context.insert(hash, vector)
    }

    /// Looks up a state that belongs to this level; gives it if it was not known to.
    fn reach_let_go(&mut self, vector: &[u8]) -> Result<Option<StateIndex>, Stop> {
        let (state, _) = self.reach_state(vector)?;
        Ok((state.index() >= self.level_start && self.let_go.insert(state)).then_some(state))
    }

    /// At the depth bound a step to a known state is counted; any other is cut.
    fn look_beyond(&mut self, item: &Successor, successors: &Successors) {
        let is_error = successors.fault(item).is_some_and(|fault| self.context.is_error(fault));
        if is_error || item.control.is_some() {
            self.is_cut = true;
        } else if item.has_state {
            if self.context.find(successors.state(item)).is_some() {
                self.context.note_executed(item.step);
                self.context.statistics.transitions += 1;
            } else {
                self.is_cut = true;
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + self.links.heap_bytes() + self.next.heap_bytes()
    }
}

impl Level {
    fn push_state(&mut self, node: NodeId, state: StateIndex, hidden: &[u8]) {
        grow::push(&mut self.entries, Entry::State { node, state });
        grow::extend(&mut self.bytes, hidden);
    }

    fn push_transient(&mut self, node: NodeId, control: u8, vector: &[u8], link: LinkId, chain: u32) {
        let vector_bytes = vector.len() as u32;
        grow::push(&mut self.entries, Entry::Transient { node, control, vector_bytes, link, chain });
        grow::extend(&mut self.bytes, vector);
        self.transient_count += 1;
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.transient_count = 0;
    }

    fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bytes.capacity()
    }
}
