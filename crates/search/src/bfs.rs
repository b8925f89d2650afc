//! Breadth-first search over states, in batches.
//!
//! A level is worked off in batches: the successors of many states are computed and their lookups prepared before the
//! first of them is looked up. The memory that the lookups need is on its way meanwhile.
//!
//! Chains of transient configurations are followed to their ends at once (`expansion.rs`), so a level holds what is
//! reached by the same number of indivisible sequences. Where those are single steps the first error found is one of
//! the nearest; `bfs_steps.rs` makes it so in any model.
//!
//! A deadlock is found when its state is expanded, a fault one step earlier. So when a level shows a fault, the rest of
//! that level is still searched for a deadlock, which would be one step nearer.

use crate::context::{Context, Stop};
use crate::errors::Trail;
use crate::expansion::{Expansion, FaultyStep};
use crate::grow;
use crate::labels::Labels;
use crate::lost::Fork;
use crate::nodes::{NodeId, Nodes};
use crate::por::Order;
use crate::{Observer, Options, Outcome, Path};
use panoptes_exec::{Ending, Executor};
use panoptes_model::Model;
use panoptes_store::{StateRef, StateStore};

/// States expanded before the first lookup. (Few in tests, so that there are many batches.)
const BATCH_LEN: usize = if cfg!(test) { 3 } else { 32 };

/// Explores all that can be reached, nearest first. The depth bound must not be set: levels do not count steps.
pub fn bfs<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(options.depth_max.is_none(), "a bound in steps needs a search by steps");
    // A folded vector cannot be read back from the store.
    let keeps_vectors = S::KEEPS_VECTORS && options.foldings.is_empty();
    let mut search = Bfs::<S> {
        context: Context::new(model, executor, options, observer, Order::BreadthFirst),
        nodes: Nodes::new(),
        labels: Labels::default(),
        next: Level::new(keeps_vectors),
        keeps_vectors,
        is_ending: false,
    };
    let end = search.walk();
    if !options.all_errors {
        search.context.log.keep_shortest();
    }
    let search_bytes = search.nodes.heap_bytes() + search.labels.heap_bytes() + search.next.heap_bytes();
    // What is not needed any more makes room for the paths of errors.
    drop((search.nodes, search.labels, search.next));
    search.context.finish(end, false, search_bytes)
}

struct Bfs<'a, S> {
    context: Context<'a, S>,
    nodes: Nodes,
    labels: Labels,
    next: Level,
    /// Vectors can be read back from the store.
    keeps_vectors: bool,
    /// A fault was found and ends the search; what remains of the level may hold a deadlock.
    is_ending: bool,
}

/// The states of one level, and what the store does not have of their vectors, end to end: the hidden parts or, if it keeps
/// no vectors, all.
struct Level {
    keeps_vectors: bool,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Where the bytes of each state end, if it is not the same length for all.
    ends: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    node: NodeId,
    /// How many steps lead there.
    depth: u32,
}

/// A state of a batch and what can be reached from it.
struct Work {
    entry: Entry,
    vector: Vec<u8>,
    expansion: Expansion,
}

impl<S: StateStore + Default> Bfs<'_, S> {
    fn walk(&mut self) -> Result<(), Stop> {
        let vector = self.context.initial()?;
        self.context.statistics.transitions += 1;
        let prepared = self.context.prepare(&vector)?;
        let (state, _) = self.context.insert(prepared, &vector)?;
        self.context.note_visit(state, true, 0);
        let first = Entry { state, node: NodeId::ROOT, depth: 0 };
        let mut level = Level::new(self.keeps_vectors);
        level.push(first, &vector, self.context.hidden_bytes());
        let work = || Work { entry: first, vector: Vec::new(), expansion: Expansion::default() };
        let mut batch: Vec<Work> = (0..BATCH_LEN).map(|_| work()).collect();
        while !level.entries.is_empty() {
            self.walk_level(&level, &mut batch)?;
            if self.is_ending {
                return Err(Stop::Error);
            }
            level.clear();
            std::mem::swap(&mut level, &mut self.next);
        }
        Ok(())
    }

    fn walk_level(&mut self, level: &Level, batch: &mut [Work]) -> Result<(), Stop> {
        let hidden_bytes = self.context.hidden_bytes();
        for (number, entries) in level.entries.chunks(batch.len()).enumerate() {
            let first = number * batch.len();
            let is_drafting = self.context.store.is_slow_to_prepare();
            for (index, (entry, work)) in entries.iter().zip(&mut *batch).enumerate() {
                let bytes = level.bytes_of(first + index, hidden_bytes);
                self.begin(work, *entry, (bytes, level), is_drafting)?;
            }
            if is_drafting {
                self.prepare_drafts(&mut batch[..entries.len()])?;
            }
            for work in &batch[..entries.len()] {
                for reached in &work.expansion.reached {
                    self.context.store.prefetch_further(reached.prepared);
                }
            }
            for work in &batch[..entries.len()] {
                self.finish(work)?;
            }
        }
        Ok(())
    }

    /// Expands a state and prepares the lookups of its successors.
    fn begin(
        &mut self,
        work: &mut Work,
        entry: Entry,
        (bytes, level): (&[u8], &Level),
        is_drafting: bool,
    ) -> Result<(), Stop> {
        let Bfs { context, nodes, next, keeps_vectors, .. } = self;
        work.entry = entry;
        work.vector.clear();
        work.vector.extend_from_slice(bytes);
        if *keeps_vectors {
            context.store.read_origin(entry.state, &mut work.vector);
        }
        let bytes = || nodes.heap_bytes() + next.heap_bytes() + level.heap_bytes();
        context.expand(entry.state, &work.vector, usize::MAX, &mut work.expansion, bytes)?;
        if is_drafting {
            context.draft_all(&mut work.expansion)
        } else {
            context.prepare_all(&mut work.expansion)
        }
    }

    /// Prepares the lookups of a batch where they are only drafted.
    fn prepare_drafts(&mut self, batch: &mut [Work]) -> Result<(), Stop> {
        for draft in batch.iter().flat_map(|work| &work.expansion.drafts) {
            self.context.store.advance(draft);
        }
        for work in batch {
            self.context.conclude_all(&mut work.expansion)?;
        }
        Ok(())
    }

    /// Looks at what an expansion gave.
    fn finish(&mut self, work: &Work) -> Result<(), Stop> {
        let Work { entry, vector, expansion } = work;
        let depth = entry.depth as usize;
        self.context.note_depth(depth + expansion.chain_steps_max);
        self.context.note_expanded(expansion);
        let (nodes, labels) = (&self.nodes, &self.labels);
        let trail = || Trail { branches: labels.branches(nodes.path(entry.node)), steps: Path::default() };
        self.context.note_state(vector, depth, trail)?;
        if expansion.ending != Ending::Moves {
            // Steps that were tried here and cannot be taken tell more than that there is none.
            for faulty in &expansion.faults {
                self.note_fault(*entry, faulty)?;
            }
        }
        let (nodes, labels) = (&self.nodes, &self.labels);
        let trail = || Trail { branches: labels.branches(nodes.path(entry.node)), steps: Path::default() };
        if expansion.ending == Ending::Deadlock {
            self.context.note_end(vector, &expansion.successors().end_faults, depth, trail)?;
        }
        self.context.note_stuck(expansion.successors(), depth, trail)?;
        if self.is_ending || expansion.ending != Ending::Moves {
            return Ok(());
        }
        for faulty in &expansion.faults {
            let noted = self.note_fault(*entry, faulty);
            if noted.is_err() && self.context.looks_at_states() {
                self.is_ending = true;
                return Ok(());
            }
            noted?;
        }
        let hidden_bytes = self.context.hidden_bytes();
        self.context.statistics.transitions += expansion.reached.len() as u64;
        for reached in &expansion.reached {
            let vector = expansion.vector(reached);
            let (state, is_new) = self.context.insert(reached.prepared, vector)?;
            if is_new {
                let node = self.nodes.push(entry.node, self.labels.label(reached.branch))?;
                self.context.note_enqueued(state);
                let depth = entry.depth + reached.steps;
                self.context.note_visit(state, true, depth);
                self.next.push(Entry { state, node, depth }, vector, hidden_bytes);
            } else {
                let Bfs { context, nodes, labels, .. } = self;
                context.note_met(state, vector, entry.depth + reached.steps, |room| {
                    let mut branches = labels.branches(nodes.path(entry.node));
                    branches.push(reached.branch);
                    (branches.len() <= room).then_some(Fork { shared: 0, branches })
                });
            }
        }
        Ok(())
    }

    fn note_fault(&mut self, entry: Entry, faulty: &FaultyStep) -> Result<(), Stop> {
        let (nodes, labels) = (&self.nodes, &self.labels);
        let trail = || Trail { branches: labels.branches(nodes.path(entry.node)), steps: faulty.path() };
        let length = entry.depth as usize + faulty.steps.len();
        self.context.note_fault(&faulty.fault, length, trail)
    }
}

impl Level {
    fn new(keeps_vectors: bool) -> Level {
        Level { keeps_vectors, entries: Vec::new(), bytes: Vec::new(), ends: Vec::new() }
    }

    #[inline]
    fn push(&mut self, entry: Entry, vector: &[u8], hidden_bytes: usize) {
        grow::push(&mut self.entries, entry);
        if self.keeps_vectors {
            grow::extend(&mut self.bytes, &vector[..hidden_bytes]);
        } else {
            grow::extend(&mut self.bytes, vector);
            grow::push(&mut self.ends, self.bytes.len());
        }
    }

    #[inline]
    fn bytes_of(&self, index: usize, hidden_bytes: usize) -> &[u8] {
        if self.keeps_vectors {
            return &self.bytes[index * hidden_bytes..][..hidden_bytes];
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::NodeId;

    #[test]
    fn a_level_tells_what_it_takes() {
        let entry = || Entry { state: StateRef::made_up(0), node: NodeId::ROOT, depth: 0 };
        let (mut references, mut vectors) = (Level::new(true), Level::new(false));
        for _ in 0..3000 {
            references.push(entry(), &[0; 100], 0);
            vectors.push(entry(), &[0; 100], 0);
        }
        let entries = 3000 * size_of::<Entry>();
        assert!((entries..2 * entries).contains(&references.heap_bytes()));
        let whole = entries + 3000 * (100 + size_of::<usize>());
        assert!((whole..2 * whole).contains(&vectors.heap_bytes()));
        assert_eq!(vectors.bytes_of(2999, 0), [0; 100]);
    }
}
