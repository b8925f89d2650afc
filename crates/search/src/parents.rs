//! Parent links: how each entry of a breadth-first search was reached first.
//!
//! A node is eight bytes: its parent, and as a label which of its parent's successors it is. Nodes stand in chunks, so that
//! growing copies nothing. Several workers may add to one tree, each to chunks of its own.

use crate::labels::{Branch, Labels};
use crate::saved::Saved;
use panoptes_store::{ImageReader, ImageWriter, OutOfMemory, damaged};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Chunks have this many nodes; the first ones are smaller, so that small searches stay small.
const CHUNK_NODES: u32 = 1 << 16;
const CHUNK_NODES_MIN: u32 = 1 << 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub const ROOT: NodeId = NodeId(0);

    /// One that is numbered elsewhere.
    pub fn of(number: u32) -> NodeId {
        NodeId(number)
    }

    pub fn number(self) -> u32 {
        self.0
    }

    #[cfg(test)]
    pub fn made_up(number: u32) -> NodeId {
        NodeId(number)
    }
}

/// A tree of nodes, as one worker adds to it; the root has no label.
#[derive(Debug)]
pub(crate) struct Parents {
    tree: Arc<Tree>,
    /// The chunk that this worker fills, the number of its first node, and how many it has.
    chunk: Arc<[AtomicU64]>,
    first: u32,
    used: u32,
    /// What this worker's chunks take.
    heap_bytes: usize,
}

/// All nodes. A chunk is filled by one worker; others read a node only when they were told of it.
#[derive(Debug, Default)]
struct Tree {
    chunks: RwLock<Chunks>,
    labels: Mutex<Labels>,
}

#[derive(Debug, Default)]
struct Chunks {
    /// Each with the number of its first node, in order.
    list: Vec<(u32, Arc<[AtomicU64]>)>,
    /// How many nodes they have room for.
    nodes: u32,
}

impl Parents {
    /// The root alone.
    pub fn new() -> Parents {
        Parents::of(Arc::default())
    }

    /// For another worker, which adds to the same tree.
    pub fn share(&self) -> Parents {
        Parents::of(self.tree.clone())
    }

    fn of(tree: Arc<Tree>) -> Parents {
        Parents { tree, chunk: Arc::default(), first: 0, used: 0, heap_bytes: 0 }
    }

    #[inline]
    pub fn push(&mut self, parent: NodeId, branch: Branch) -> Result<NodeId, OutOfMemory> {
        let label = Labels::short(branch).unwrap_or_else(|| self.tree.list(branch));
        if self.used as usize == self.chunk.len() {
            self.start_chunk()?;
        }
        self.chunk[self.used as usize].store(u64::from(parent.0) << 32 | u64::from(label), Relaxed);
        self.used += 1;
        // The root takes no place: node n stands at n - 1.
        Ok(NodeId(self.first + self.used))
    }

    #[cold]
    fn start_chunk(&mut self) -> Result<(), OutOfMemory> {
        let mut chunks = self.tree.chunks.write().unwrap_or_else(PoisonError::into_inner);
        let (first, count) = (chunks.nodes, chunks.nodes.clamp(CHUNK_NODES_MIN, CHUNK_NODES));
        chunks.nodes = first.checked_add(count).filter(|nodes| *nodes < u32::MAX).ok_or(OutOfMemory)?;
        let chunk: Arc<[AtomicU64]> = (0..count).map(|_| AtomicU64::new(0)).collect();
        chunks.list.push((first, chunk.clone()));
        self.heap_bytes += size_of_val(&*chunk);
        (self.chunk, self.first, self.used) = (chunk, first, 0);
        Ok(())
    }

    /// The branches from the root to the node.
    pub fn branches(&self, node: NodeId) -> Vec<Branch> {
        let chunks = self.tree.chunks.read().unwrap_or_else(PoisonError::into_inner);
        let labels = self.tree.labels();
        let mut path = Vec::new();
        let mut at = node.0;
        while at != NodeId::ROOT.0 {
            let place = at - 1;
            let (first, chunk) = &chunks.list[chunks.list.partition_point(|(first, _)| *first <= place) - 1];
            let node = chunk[(place - first) as usize].load(Relaxed);
            path.push(labels.branch(node as u32));
            at = (node >> 32) as u32;
        }
        path.reverse();
        path
    }

    /// The nodes of another worker, which has ended, count here from now on.
    pub fn absorb(&mut self, other: Parents) {
        self.heap_bytes += other.heap_bytes;
    }

    /// All nodes, whoever added them. Nobody adds any now.
    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        let chunks = self.tree.chunks.read().unwrap_or_else(PoisonError::into_inner);
        image.list(chunks.list.iter(), |image, (first, chunk)| {
            image.u32(*first)?;
            image.list(chunk.iter(), |image, node| image.u64(node.load(Relaxed)))
        })?;
        image.u32(self.first)?;
        image.u32(self.used)?;
        self.tree.labels().save(image)
    }

    /// Takes over what was saved, into a tree of the root alone.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let mut chunks = self.tree.chunks.write().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..image.usize()? {
            let first = image.u32()?;
            let chunk: Arc<[AtomicU64]> = image.list(|image| image.u64().map(AtomicU64::new))?.into();
            let is_next = first == chunks.nodes && chunk.len() <= CHUNK_NODES as usize;
            let nodes = first.checked_add(chunk.len() as u32).filter(|_| is_next);
            chunks.nodes = nodes.ok_or_else(|| damaged("a chunk of parent links is missing"))?;
            self.heap_bytes += size_of_val(&*chunk);
            chunks.list.push((first, chunk));
        }
        // The chunk that was being filled is filled further.
        (self.first, self.used) = (image.u32()?, image.u32()?);
        let chunk = chunks.list.iter().find(|(first, _)| *first == self.first);
        self.chunk = chunk.map(|(_, chunk)| chunk.clone()).unwrap_or_default();
        if self.used as usize > self.chunk.len() {
            return Err(damaged("a chunk of parent links is missing"));
        }
        *self.tree.labels() = Saved::load(image)?;
        Ok(())
    }

    /// What this worker added takes.
    pub fn heap_bytes(&self) -> usize {
        self.heap_bytes + self.tree.labels().heap_bytes()
    }
}

impl Tree {
    fn labels(&self) -> MutexGuard<'_, Labels> {
        self.labels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A label for a branch that does not fit into one.
    #[cold]
    fn list(&self, branch: Branch) -> u32 {
        self.labels().label(branch)
    }
}

impl Saved for NodeId {
    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.u32(self.0)
    }

    fn load(image: &mut ImageReader) -> io::Result<NodeId> {
        image.u32().map(NodeId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(step: u32) -> Branch {
        Branch { step, end: 0 }
    }

    #[test]
    fn the_path_leads_from_the_root() {
        let mut parents = Parents::new();
        assert!(parents.branches(NodeId::ROOT).is_empty());
        let a = parents.push(NodeId::ROOT, branch(1)).unwrap();
        let b = parents.push(NodeId::ROOT, branch(2)).unwrap();
        let c = parents.push(b, branch(1)).unwrap();
        assert_eq!(parents.branches(a), [branch(1)]);
        assert_eq!(parents.branches(c), [branch(2), branch(1)]);
    }

    #[test]
    fn workers_add_to_one_tree() {
        let mut all = [Parents::new()];
        let mut node = all[0].push(NodeId::ROOT, branch(0)).unwrap();
        let mut workers = [all[0].share(), all[0].share()];
        for i in 1..3000 {
            let long = Branch { step: i, end: if i % 1000 == 0 { u32::MAX } else { 0 } };
            node = workers[i as usize % 2].push(node, long).unwrap();
        }
        for reader in all.iter().chain(&workers) {
            let path = reader.branches(node);
            assert!(path.len() == 3000 && path.iter().zip(0..).all(|(found, i)| found.step == i));
            assert_eq!(path[1000].end, u32::MAX);
        }
        all[0].push(node, branch(0)).unwrap();
    }

    #[test]
    fn long_paths_cross_chunks() {
        let mut parents = Parents::new();
        let mut node = NodeId::ROOT;
        for i in 0..200_000 {
            node = parents.push(node, branch(i % 7)).unwrap();
        }
        let path = parents.branches(node);
        assert_eq!(path.len(), 200_000);
        assert!(path.iter().enumerate().all(|(i, found)| *found == branch(i as u32 % 7)));
        assert!(parents.heap_bytes() < 2_200_000);
    }
}
