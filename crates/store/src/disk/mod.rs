//! A set of states that is larger than memory, for a search by levels.
//!
//! Whether a state is new is found out late: the states that a level reaches are *candidates*, and at the end of the level all of
//! them are compared with what was visited before, in one pass over the files that hold it. Everything is read and written front to
//! back. The order of the hashes is what makes that possible: candidates and visited states are both sorted by them.
//!
//! What fits stays in memory: the candidates of a level (`table.rs`), the states visited most recently, and a filter that knows of most new
//! states that they are new (`filter.rs`). So a small search never touches the disk, and of a level that is small beside the visited states few blocks are
//! read (`runs.rs`). When the candidates do not fit, they go to a file, sorted by hash, and the merge of these parts is compared with the visited
//! states.
//!
//! Those that are new are given back in the order in which they were offered first. So a search by levels meets the same states in the
//! same order as one in memory does.

mod filter;
mod level;
mod parents;
mod records;
mod runs;
mod saved;
mod space;
mod table;

pub use level::{Kind, Origin};
pub use parents::ParentFile;
pub use space::{DiskAccount, DiskSpace};

use crate::hash;
use filter::Filter;
use level::{Level, ORIGIN_BYTES};
use records::Reader;
use runs::{Run, RunWriter, Runs};
use space::Scratch;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{Mark, Table};

/// Is called now and then while files are read and written, and may end that.
pub type Look<'l> = dyn FnMut() -> Result<(), DiskError> + 'l;

/// Why the disk does not go on.
#[derive(Debug)]
pub enum DiskError {
    /// It is full, or fails.
    Io(io::Error),
    /// It was asked to end.
    Halted,
}

impl From<io::Error> for DiskError {
    fn from(error: io::Error) -> DiskError {
        DiskError::Io(error)
    }
}

/// How much memory each part may take.
#[derive(Clone, Copy, Debug)]
pub struct DiskBudget {
    pub filter: usize,
    /// The candidates of a level; the states of the level at hand take as much.
    pub candidates: usize,
    /// The states visited most recently.
    pub recent: usize,
}

pub struct DiskSet {
    space: DiskSpace,
    hidden_bytes: usize,
    budget: DiskBudget,
    filter: Filter,
    recent: Table,
    runs: Runs,
    candidates: Table,
    /// Candidates that went to the disk.
    spilled: Option<Spilled>,
    /// Candidates of this level whose fate is not known.
    pending: u64,
    level: Level,
}

/// Candidates on disk, in parts that are sorted by hash; and what has no key, in order.
struct Spilled {
    file: Scratch,
    parts: Vec<Range<u64>>,
    keyless: Scratch,
}

/// New states of a level that were candidates on disk.
struct Settled {
    /// Their keys, by hash.
    run: Run,
    /// All of each, in parts that are in order.
    ordered: Scratch,
    chunks: Vec<Range<u64>>,
    summary: LevelSummary,
}

/// What a level turned out to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelSummary {
    /// New states, without those that were offered late only.
    pub states: u64,
    /// Are there entries without a key?
    pub has_keyless: bool,
    /// The longest vector of a new state.
    pub vector_bytes_max: usize,
}

/// What a file is read by at least and at most, where several are read at a time.
const READ_BYTES: Range<usize> = 4 << 10..256 << 10;

/// Records between two looks at the limits.
const LOOK_EVERY: usize = 1 << 14;

impl DiskSet {
    /// The first bytes of a vector, so many, do not belong to its key.
    pub fn new(space: DiskSpace, hidden_bytes: usize, budget: DiskBudget) -> DiskSet {
        let key_at = ORIGIN_BYTES + hidden_bytes;
        DiskSet {
            space,
            hidden_bytes,
            budget,
            filter: Filter::new(budget.filter),
            recent: Table::new(0),
            runs: Runs::default(),
            candidates: Table::new(key_at),
            spilled: None,
            pending: 0,
            level: Level::Empty,
        }
    }

    /// From now on the tables may take so much. The filter stays as it is.
    pub fn set_budget(&mut self, budget: DiskBudget) {
        self.budget = budget;
    }

    /// Is a state certainly not of the level at hand, nor of one before it?
    #[inline]
    pub fn is_open(&self, vector: &[u8]) -> bool {
        !self.filter.may_hold(hash(&vector[self.hidden_bytes..]))
    }

    /// A state was reached that belongs to the next level, unless it is known.
    #[inline]
    pub fn offer(&mut self, origin: Origin, vector: &[u8]) -> Result<(), DiskError> {
        debug_assert_ne!(origin.kind, Kind::Keyless);
        let key = &vector[self.hidden_bytes..];
        let key_hash = hash(key);
        let same = self.candidates.find(key_hash, key);
        if let Some(same) = same {
            let is_better =
                origin.kind == Kind::Direct && Origin::read(self.candidates.record(same)).kind == Kind::Late;
            if !is_better {
                return Ok(());
            }
        }
        let is_suspect = self.filter.may_hold(key_hash);
        if is_suspect && same.is_none() && self.recent.find(key_hash, key).is_some() {
            return Ok(());
        }
        let head = origin.bytes();
        let mark = if is_suspect { Mark::Suspect } else { Mark::New };
        if !self.candidates.has_room(head.len() + vector.len(), self.budget.candidates) {
            self.spill()?;
            self.candidates.insert(key_hash, mark, &[&head, vector]);
        } else if let Some(same) = same {
            self.candidates.push(key_hash, mark, &[&head, vector]);
            self.candidates.replace(same);
        } else {
            self.candidates.insert(key_hash, mark, &[&head, vector]);
        }
        self.pending += u64::from(origin.kind == Kind::Direct);
        Ok(())
    }

    /// Adds something to the next level that is never compared.
    pub fn push_keyless(&mut self, origin: Origin, bytes: &[u8]) -> Result<(), DiskError> {
        let head = Origin { kind: Kind::Keyless, ..origin }.bytes();
        if !self.candidates.has_room(head.len() + bytes.len(), self.budget.candidates) {
            self.spill()?;
        }
        self.candidates.push(0, Mark::Keyless, &[&head, bytes]);
        Ok(())
    }

    /// How many candidates may still turn out to be new, without those that were offered late.
    pub fn pending(&self) -> u64 {
        self.pending
    }

    /// Finds out which candidates are new, and goes on to the level that they are. If it is halted, the level at hand has ended and the
    /// candidates wait as before.
    pub fn next_level(&mut self, look: &mut Look<'_>) -> Result<LevelSummary, DiskError> {
        let spare = self.level.end();
        let summary = match self.spilled.is_some() {
            false => self.settle_in_memory(spare, look)?,
            true => {
                drop(spare);
                self.settle_on_disk(look)?
            }
        };
        self.pending = 0;
        Ok(summary)
    }

    /// Makes fewer files of many, where that is worth it. The set is whole before, after, and if it is halted.
    pub fn tidy(&mut self, look: &mut Look<'_>) -> Result<(), DiskError> {
        self.runs.tidy(&self.space, look)
    }

    /// Takes the next entry of the level; its vector, or what was pushed, replaces `vector`.
    pub fn pop(&mut self, vector: &mut Vec<u8>) -> Result<Option<Origin>, DiskError> {
        Ok(self.level.pop(vector)?)
    }

    /// What is kept of the visited states, in memory and on disk.
    pub fn bytes_kept(&self) -> u64 {
        self.runs.bytes() + self.recent.heap_bytes() as u64
    }

    pub fn heap_bytes(&self) -> usize {
        self.filter.heap_bytes()
            + self.recent.heap_bytes()
            + self.runs.heap_bytes()
            + self.candidates.heap_bytes()
            + self.level.heap_bytes()
    }

    pub fn account(&self) -> DiskAccount {
        self.space.account()
    }

    /// All candidates are in memory. They become the level, and `spare` takes those of the next.
    fn settle_in_memory(
        &mut self,
        spare: Option<Table>,
        look: &mut Look<'_>,
    ) -> Result<LevelSummary, DiskError> {
        let suspects = self.suspects();
        self.runs.drop_known(&mut self.candidates, &suspects, look)?;
        drop(suspects);
        let mut summary = LevelSummary::default();
        for number in 0..self.candidates.entries.len() {
            let entry = self.candidates.entries[number];
            match entry.mark {
                Mark::Dropped => continue,
                Mark::Keyless => summary.has_keyless = true,
                Mark::New | Mark::Suspect => {
                    summary.note_state(self.candidates.record(number));
                    self.filter.insert(entry.hash);
                    if !self.recent.has_room(self.candidates.key(number).len(), self.budget.recent) {
                        self.flush_recent()?;
                    }
                    self.recent.insert(entry.hash, Mark::New, &[self.candidates.key(number)]);
                }
            }
        }
        let mut spare = spare.unwrap_or_else(|| Table::new(ORIGIN_BYTES + self.hidden_bytes));
        spare.shrink(self.budget.candidates);
        let table = std::mem::replace(&mut self.candidates, spare);
        self.level = Level::Memory { table, next: 0 };
        Ok(summary)
    }

    /// The candidates that may be known, in the order of their hashes.
    fn suspects(&self) -> Vec<u32> {
        let entries = &self.candidates.entries;
        let mut suspects: Vec<u32> = (0..entries.len() as u32)
            .filter(|number| entries[*number as usize].mark == Mark::Suspect)
            .collect();
        suspects.sort_unstable_by_key(|number| entries[*number as usize].hash);
        suspects
    }

    /// Writes the states that were visited most recently to a file of their own.
    fn flush_recent(&mut self) -> Result<(), DiskError> {
        let table = &mut self.recent;
        table.entries.sort_unstable_by_key(|entry| entry.hash);
        let mut writer = RunWriter::new(&self.space)?;
        for number in 0..table.entries.len() {
            writer.push(table.entries[number].hash, table.key(number))?;
        }
        table.clear();
        table.shrink(self.budget.recent);
        self.runs.push(writer.finish()?);
        Ok(())
    }

    /// Writes the candidates to the disk.
    fn spill(&mut self) -> Result<(), DiskError> {
        if self.spilled.is_none() {
            let (file, keyless) = (self.space.file()?, self.space.file()?);
            self.spilled = Some(Spilled { file, parts: Vec::new(), keyless });
        }
        let spilled = self.spilled.as_mut().expect("it is there now");
        let table = &mut self.candidates;
        let mut out = Buffered::new(&mut spilled.keyless);
        for number in 0..table.entries.len() {
            if table.entries[number].mark == Mark::Keyless {
                out.write(table.framed(number))?;
            }
        }
        out.flush()?;
        table.entries.sort_unstable_by_key(|entry| entry.hash);
        let start = spilled.file.len();
        let mut out = Buffered::new(&mut spilled.file);
        for number in 0..table.entries.len() {
            if matches!(table.entries[number].mark, Mark::New | Mark::Suspect) {
                out.write(table.framed(number))?;
            }
        }
        out.flush()?;
        spilled.parts.push(start..spilled.file.len());
        table.clear();
        table.shrink(self.budget.candidates);
        Ok(())
    }

    fn settle_on_disk(&mut self, look: &mut Look<'_>) -> Result<LevelSummary, DiskError> {
        self.spill()?;
        let Some(Spilled { file, parts, keyless }) = self.spilled.take() else {
            return Ok(LevelSummary::default());
        };
        let file = Arc::new(file);
        let settled = self.settle_parts(&file, &parts, look);
        if let (Err(DiskError::Halted), Some(file)) = (&settled, Arc::into_inner(file)) {
            // Nothing was taken in: it is compared again another time.
            self.candidates.clear();
            self.spilled = Some(Spilled { file, parts, keyless });
            return Err(DiskError::Halted);
        }
        let Settled { run, ordered, chunks, mut summary } = settled?;
        self.runs.push(run);
        let chunk_bytes =
            (self.budget.candidates / (chunks.len() + 1)).clamp(READ_BYTES.start, READ_BYTES.end);
        let ordered = Arc::new(ordered);
        let mut readers: Vec<Reader> =
            chunks.into_iter().map(|chunk| Reader::new(ordered.clone(), chunk, chunk_bytes)).collect();
        let keyless = Arc::new(keyless);
        readers.push(Reader::new(keyless.clone(), 0..keyless.len(), chunk_bytes));
        summary.has_keyless = keyless.len() > 0;
        self.level = Level::merge(readers)?;
        Ok(summary)
    }

    /// Compares the candidates in these parts of a file with what was visited.
    fn settle_parts(
        &mut self,
        file: &Arc<Scratch>,
        parts: &[Range<u64>],
        look: &mut Look<'_>,
    ) -> Result<Settled, DiskError> {
        let chunk_bytes = (self.budget.candidates / parts.len()).clamp(READ_BYTES.start, READ_BYTES.end);
        let key_at = ORIGIN_BYTES + self.hidden_bytes;
        let readers = parts.iter().map(|part| Reader::new(file.clone(), part.clone(), chunk_bytes)).collect();
        let mut groups = Groups::new(readers, key_at)?;
        let mut run = RunWriter::new(&self.space)?;
        let mut ordered = self.space.file()?;
        let mut chunks = Vec::new();
        let mut summary = LevelSummary::default();
        while groups.fill(&mut self.candidates, self.budget.candidates, look)? {
            for number in 0..self.candidates.entries.len() {
                let entry = &mut self.candidates.entries[number];
                if self.filter.may_hold(entry.hash) {
                    entry.mark = Mark::Suspect;
                }
            }
            // With the recent ones each was compared when it was offered.
            let suspects = self.suspects();
            self.runs.drop_known(&mut self.candidates, &suspects, look)?;
            drop(suspects);
            let table = &mut self.candidates;
            table.entries.retain(|entry| entry.mark != Mark::Dropped);
            for number in 0..table.entries.len() {
                let entry = table.entries[number];
                summary.note_state(table.record(number));
                self.filter.insert(entry.hash);
                run.push(entry.hash, table.key(number))?;
            }
            let start = ordered.len();
            let mut numbers: Vec<u32> = (0..table.entries.len() as u32).collect();
            numbers.sort_unstable_by_key(|number| Origin::read(table.record(*number as usize)).order());
            let mut out = Buffered::new(&mut ordered);
            numbers.iter().try_for_each(|number| out.write(table.framed(*number as usize)))?;
            out.flush()?;
            chunks.push(start..ordered.len());
            table.clear();
        }
        Ok(Settled { run: run.finish()?, ordered, chunks, summary })
    }
}

impl LevelSummary {
    fn note_state(&mut self, record: &[u8]) {
        if Origin::read(record).kind == Kind::Direct {
            self.states += 1;
            self.vector_bytes_max = self.vector_bytes_max.max(record.len() - ORIGIN_BYTES);
        }
    }
}

/// Candidates of several sorted parts, in the order of their hashes, each once.
struct Groups {
    readers: Vec<Reader>,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    key_at: usize,
    /// Candidates with the same hash: those that were not given out.
    group: Vec<Vec<u8>>,
    group_hash: u64,
}

impl Groups {
    fn new(mut readers: Vec<Reader>, key_at: usize) -> io::Result<Groups> {
        let mut heap = BinaryHeap::new();
        for (index, reader) in readers.iter_mut().enumerate() {
            if reader.advance()? {
                heap.push(Reverse((hash(&reader.record()[key_at..]), index)));
            }
        }
        Ok(Groups { readers, heap, key_at, group: Vec::new(), group_hash: 0 })
    }

    /// Fills a table, up to so many bytes; false if nothing is left.
    fn fill(&mut self, table: &mut Table, bytes_max: usize, look: &mut Look<'_>) -> Result<bool, DiskError> {
        loop {
            while let Some(record) = self.group.last() {
                if !table.has_room(record.len(), bytes_max) {
                    return Ok(true);
                }
                table.push(self.group_hash, Mark::New, &[record]);
                self.group.pop();
            }
            if table.entries.len().is_multiple_of(LOOK_EVERY) {
                look()?;
            }
            if !self.next_group()? {
                return Ok(!table.is_empty());
            }
        }
    }

    /// Reads the candidates with the next hash; of equal keys only the one that counts.
    fn next_group(&mut self) -> io::Result<bool> {
        let Some(Reverse((group_hash, _))) = self.heap.peek() else { return Ok(false) };
        self.group_hash = *group_hash;
        while let Some(Reverse((key_hash, index))) = self.heap.peek().copied()
            && key_hash == self.group_hash
        {
            self.heap.pop();
            let reader = &mut self.readers[index];
            let record = reader.record();
            let same = self.group.iter().position(|other| other[self.key_at..] == record[self.key_at..]);
            match same {
                None => self.group.push(record.to_vec()),
                Some(same) if Origin::read(record).rank() < Origin::read(&self.group[same]).rank() => {
                    self.group[same] = record.to_vec();
                }
                Some(_) => {}
            }
            if reader.advance()? {
                self.heap.push(Reverse((hash(&reader.record()[self.key_at..]), index)));
            }
        }
        Ok(true)
    }
}

/// Writes larger pieces to a file.
struct Buffered<'f> {
    file: &'f mut Scratch,
    buffer: Vec<u8>,
}

impl<'f> Buffered<'f> {
    fn new(file: &'f mut Scratch) -> Buffered<'f> {
        Buffered { file, buffer: Vec::new() }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > READ_BYTES.end {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

/// A directory for one test.
#[cfg(test)]
pub(crate) fn test_dir(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("panoptes-disk-{}-{name}", std::process::id()))
}
