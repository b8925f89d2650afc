//! What a lookup costs in time and a state in memory, for each store: made-up searches, or a recorded one.
//!
//! `lookups` makes up breadth-first searches over vectors of some lengths. `lookups FILE` replays the keys in a file, in
//! which each is preceded by its length as four bytes, lowest first.

use panoptes_store::{ExactStore, ReadBack, StateRef, StateStore, TreeStore, Visited};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::time::{Duration, Instant};

const BATCH: usize = 64;
/// So many lookups are made ready before time is taken.
const PORTION: usize = 1 << 18;

fn main() {
    match std::env::args().nth(1) {
        Some(path) => {
            let file = File::open(&path).expect("a file of keys");
            let mut input = BufReader::with_capacity(1 << 20, file);
            run(&path, |portion| read_portion(&mut input, portion));
        }
        None => {
            for (bytes, fields, states) in [(48, 15, 3_000_000), (120, 20, 3_000_000), (250, 24, 3_000_000)] {
                let mut search = MadeUp::new(bytes, fields, states);
                run(&format!("made up, {bytes} bytes"), |portion| search.next(portion));
            }
        }
    }
}

/// Processor time where the system tells it, so that a busy machine does not matter much.
struct Clock(Instant, Option<u64>);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now(), Clock::on_processor())
    }

    fn on_processor() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }

    fn elapsed(&self) -> Duration {
        match (self.1, Clock::on_processor()) {
            (Some(start), Some(end)) => Duration::from_nanos(end - start),
            _ => self.0.elapsed(),
        }
    }
}

/// Keys end to end.
#[derive(Default)]
struct Portion {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Portion {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    fn key(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

fn run(name: &str, mut next: impl FnMut(&mut Portion)) {
    let (mut tree, mut batched, mut exact) = (TreeStore::new(), TreeStore::new(), ExactStore::new());
    let mut times = [Duration::ZERO; 4];
    let (mut lookups, mut key_bytes) = (0, 0);
    let mut portion = Portion::default();
    let mut read = Vec::new();
    loop {
        portion.clear();
        next(&mut portion);
        let count = portion.ends.len();
        if count == 0 {
            break;
        }
        lookups += count;
        key_bytes += portion.bytes.len();

        let start = Clock::start();
        for index in 0..count {
            insert(&mut exact, portion.key(index));
        }
        times[0] += start.elapsed();

        let start = Clock::start();
        for index in 0..count {
            let prepared = tree.prepare(portion.key(index)).unwrap();
            tree.insert(prepared, portion.key(index)).unwrap();
        }
        times[1] += start.elapsed();

        let start = Clock::start();
        let mut batch = Vec::with_capacity(BATCH);
        for first in (0..count).step_by(BATCH) {
            let indices = first..(first + BATCH).min(count);
            batch.clear();
            for index in indices.clone() {
                let prepared = batched.prepare(portion.key(index)).unwrap();
                batched.prefetch(prepared);
                batch.push(prepared);
            }
            for (index, prepared) in indices.zip(&batch) {
                batched.insert(*prepared, portion.key(index)).unwrap();
            }
        }
        times[2] += start.elapsed();

        let refs: Vec<_> = (0..count)
            .map(|index| {
                let prepared = tree.prepare(portion.key(index)).unwrap();
                tree.find(prepared, &[]).expect("inserted above")
            })
            .collect();
        let start = Clock::start();
        for (index, state) in refs.into_iter().enumerate() {
            read.clear();
            tree.read(state, &mut read);
            assert_eq!(read, portion.key(index));
        }
        times[3] += start.elapsed();
    }
    assert_eq!((tree.len(), batched.len()), (exact.len(), exact.len()));
    let per_lookup = times.map(|time| time.as_nanos() as f64 / lookups.max(1) as f64);
    println!(
        "{name}: {} states, {:.1} lookups a state, {:.0} bytes a key",
        exact.len(),
        lookups as f64 / exact.len().max(1) as f64,
        key_bytes as f64 / lookups.max(1) as f64,
    );
    println!("  exact: {:.0} ns a lookup, {:.1} bytes a state", per_lookup[0], exact.bytes_per_state());
    println!(
        "  tree:  {:.0} ns a lookup, {:.0} in batches, {:.0} ns to read; {:.2} bytes a state",
        per_lookup[1],
        per_lookup[2],
        per_lookup[3],
        tree.bytes_per_state(),
    );
    println!("         {}", tree.summary());
}

fn read_portion(input: &mut impl Read, portion: &mut Portion) {
    let mut key = Vec::new();
    while portion.ends.len() < PORTION {
        let mut length = [0; 4];
        if input.read_exact(&mut length).is_err() {
            return;
        }
        key.resize(u32::from_le_bytes(length) as usize, 0);
        if input.read_exact(&mut key).is_err() {
            return;
        }
        portion.push(&key);
    }
}

fn insert(store: &mut ExactStore, key: &[u8]) -> (StateRef, bool) {
    let prepared = store.prepare(key).unwrap();
    store.insert(prepared, key).unwrap()
}

/// A breadth-first search of a ring of counters: one may step if its neighbour lets it, and notes its step beside.
struct MadeUp {
    counters: Vec<usize>,
    seen: ExactStore,
    /// The states to be expanded.
    open: VecDeque<StateRef>,
    states: usize,
}

impl MadeUp {
    fn new(bytes: usize, counters: usize, states: usize) -> MadeUp {
        let mut seen = ExactStore::new();
        let start: Vec<u8> = (0..bytes).map(|at| (at * 37 % 11 / 8) as u8).collect();
        let open = [insert(&mut seen, &start).0].into();
        let counters = (0..counters).map(|counter| counter * bytes / counters).collect();
        MadeUp { counters, seen, open, states }
    }

    fn next(&mut self, portion: &mut Portion) {
        while portion.ends.len() < PORTION && self.seen.len() < self.states {
            let Some(state) = self.open.pop_front() else { return };
            let state = self.seen.get(state).to_vec();
            for (counter, at) in self.counters.iter().enumerate() {
                let neighbour = self.counters[(counter + 1) % self.counters.len()];
                if !(state[*at] + 2 * state[neighbour]).is_multiple_of(3) {
                    continue;
                }
                let mut next = state.clone();
                next[*at] = (next[*at] + 1) % 6;
                next[*at + 1] = next[*at] / 2;
                let (reached, is_new) = insert(&mut self.seen, &next);
                if is_new {
                    self.open.push_back(reached);
                }
                portion.push(&next);
            }
        }
    }
}
