//! Every order in which threads can go through the protocols that stores share, by loom: handing out units
//! ([`crate::bump`]), insert-or-find in a table ([`crate::claim`]), entries in two halves ([`crate::split`]), being alone to make it grow ([`crate::seats`]), and components that are
//! joined ([`crate::components`]).
//!
//! The code is that of the stores, on atomics and memory that loom watches. What a thread may not see yet, for want of
//! ordering, loom lets it not see; memory that is read while it is written, or before it is known to be, fails the test.
//! The first thread of a test only starts the others: of what it does beside them, loom does not try all orders.

use crate::GrowthDue;
use crate::bits;
use crate::bump::{Bump, Quota, counter};
use crate::claim;
use crate::components::{Claimed, Node, Nodes, worker_bit};
use crate::seats::Seats;
use crate::split;
use crate::word::{Cell, cell};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, fence};
use loom::thread;

counter!(AtomicUsize);
cell!(u64, AtomicU64, fence, |_| thread::yield_now());
cell!(u32, AtomicU32, fence, |_| thread::yield_now());

/// An arena of a few units, each a vector.
struct Vectors {
    units: Vec<UnsafeCell<u64>>,
    used: Bump<AtomicUsize>,
}

impl Vectors {
    fn new(units: usize) -> Vectors {
        let used = Bump::from_counter(AtomicUsize::new(0));
        Vectors { units: (0..units).map(|_| UnsafeCell::new(0)).collect(), used }
    }

    fn push(&self, number: u64) -> Option<usize> {
        let at = self.used.take(1, self.units.len())?;
        // SAFETY: loom fails the test if anybody else writes or reads there without having to wait for this.
        self.units[at].with_mut(|unit| unsafe { *unit = number });
        Some(at)
    }

    fn is(&self, at: usize, number: u64) -> bool {
        // SAFETY: as in `push`.
        self.units[at].with(|unit| unsafe { *unit }) == number
    }
}

/// Tries all orders in which threads are interrupted so many times at most. (Three are enough to have units handed out twice
/// by who adds first and subtracts what does not fit.)
fn within(interruptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(interruptions);
    model.check(test);
}

/// Three threads take different numbers of units, more than there are: nobody gets what another one has.
#[test]
fn units_are_handed_out_once() {
    within(3, || {
        const UNITS: usize = 4;
        let used = Arc::new(Bump::from_counter(AtomicUsize::new(0)));
        let taking = |counts: &'static [usize]| {
            let used = used.clone();
            move || counts.iter().filter_map(|count| Some((used.take(*count, UNITS)?, *count))).collect()
        };
        let threads = [taking(&[5]), taking(&[2]), taking(&[2, 2])].map(thread::spawn);
        let taken: [Vec<(usize, usize)>; 3] = threads.map(|thread| thread.join().unwrap());
        let mut taken = taken.concat();
        taken.sort_unstable();
        assert_eq!(taken, [(0, 2), (2, 2)]);
    });
}

const BUSY: u64 = u64::MAX;

/// A table over vectors, as the exact store has one.
struct Store {
    table: Vec<AtomicU64>,
    vectors: Vectors,
    held: Bump<AtomicUsize>,
    held_max: usize,
}

impl Store {
    fn new(slots: usize, units: usize, held_max: usize) -> Store {
        let held = Bump::from_counter(AtomicUsize::new(0));
        let table = (0..slots).map(|_| AtomicU64::new(0)).collect();
        Store { table, vectors: Vectors::new(units), held, held_max }
    }

    /// All keys have the same home.
    fn insert(&self, key: u64) -> Result<(u64, bool), GrowthDue> {
        let add = || {
            self.held.take(1, self.held_max)?;
            self.vectors.push(key).map(|at| at as u64 + 1)
        };
        claim::find_or_add(&self.table, 0, BUSY, |entry| self.vectors.is(entry as usize - 1, key), add)
    }

    fn find(&self, key: u64) -> Option<u64> {
        claim::find(&self.table, 0, BUSY, |entry| self.vectors.is(entry as usize - 1, key)).ok()
    }
}

#[test]
fn a_key_is_new_to_one_thread_only() {
    loom::model(|| {
        let store = Arc::new(Store::new(3, 2, 2));
        let inserting = |keys: [u64; 2]| {
            let store = store.clone();
            move || {
                let answers = keys.map(|key| (key, store.insert(key).unwrap()));
                // What was inserted before is found, whatever the other is doing.
                assert!(answers.iter().all(|(key, (entry, _))| store.find(*key) == Some(*entry)));
                answers
            }
        };
        let threads = [inserting([7, 8]), inserting([8, 7])].map(thread::spawn);
        let answers = threads.map(|thread| thread.join().unwrap()).concat();
        for key in [7, 8] {
            let entries: Vec<_> =
                answers.iter().filter(|answer| answer.0 == key).map(|answer| answer.1).collect();
            assert_eq!(entries[0].0, entries[1].0);
            assert!(entries[0].1 != entries[1].1);
        }
        assert_eq!(store.held.taken(), 2);
    });
}

/// A reader beside two writers sees whole vectors, or none.
#[test]
fn a_reader_sees_an_entry_only_with_its_vector() {
    within(2, || {
        let store = Arc::new(Store::new(3, 2, 2));
        let writers = [7, 8].map(|key| {
            let store = store.clone();
            thread::spawn(move || store.insert(key).unwrap().0)
        });
        let reader = {
            let store = store.clone();
            thread::spawn(move || [store.find(7), store.find(8)])
        };
        let found = reader.join().unwrap();
        let entries = writers.map(|thread| thread.join().unwrap());
        assert!(found.iter().zip(entries).all(|(found, entry)| found.is_none_or(|found| found == entry)));
        assert_eq!([store.find(7), store.find(8)], entries.map(Some));
    });
}

/// One place is left, and two keys want it: one is refused, and its slot is as empty as before.
#[test]
fn a_refused_key_leaves_nothing_behind() {
    loom::model(|| {
        let store = Arc::new(Store::new(2, 2, 1));
        let threads = [8, 7].map(|key| {
            let store = store.clone();
            thread::spawn(move || store.insert(key))
        });
        let answers = threads.map(|thread| thread.join().unwrap());
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        assert_eq!(store.held.taken(), 1);
        assert_eq!([store.find(8), store.find(7)], answers.map(|answer| answer.ok().map(|(entry, _)| entry)));
        assert_eq!(store.table.iter().filter(|slot| Cell::load(*slot) != 0).count(), 1);
    });
}

/// Entries that stand for themselves: one that two threads want is put in and counted once.
#[test]
fn entries_without_vectors_are_put_in_once() {
    within(3, || {
        let table = Arc::new([0; 4].map(AtomicU64::new));
        let held = Arc::new(Bump::from_counter(AtomicUsize::new(0)));
        let threads = [[7, 8], [7, 9]].map(|keys| {
            let (table, held) = (table.clone(), held.clone());
            thread::spawn(move || {
                let mut quota = Quota::default();
                let answers = keys.map(|key| {
                    let is_new = claim::find_or_put(&table[..], 0, key, || quota.has_one(&held, 4));
                    if is_new == Ok(true) {
                        quota.spend_one();
                    }
                    is_new
                });
                quota.give_back(&held);
                answers
            })
        });
        let answers = threads.map(|thread| thread.join().unwrap());
        let news = answers.as_flattened().iter().filter(|is_new| **is_new == Ok(true)).count();
        // One thread takes three ahead, so that the other has one only.
        let refused = answers.as_flattened().iter().filter(|is_new| is_new.is_err()).count();
        assert_eq!((news + refused, held.taken()), (3, news));
        assert_eq!(table.iter().filter(|slot| Cell::load(*slot) != 0).count(), news);
    });
}

/// Two threads read in their seats, and each of them is alone once to write: nobody reads what is being written, and all
/// that was written is seen.
#[test]
fn who_is_alone_is_alone() {
    within(3, || {
        let seats = Arc::new(Seats::new(2, || AtomicU32::new(0)));
        let number = Arc::new(UnsafeCell::new(0));
        let threads = [0, 1].map(|seat| {
            let (seats, number) = (seats.clone(), number.clone());
            // SAFETY: loom fails the test if others read or write what is being written.
            let read = move |number: &UnsafeCell<u32>| number.with(|number| unsafe { *number });
            thread::spawn(move || {
                seats.enter(seat);
                let before = read(&number);
                seats.leave(seat);
                seats.close();
                // SAFETY: as above.
                number.with_mut(|number| unsafe { *number += 1 });
                seats.open();
                seats.enter(seat);
                let after = read(&number);
                seats.leave(seat);
                assert!(before < after);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        // SAFETY: as above.
        assert_eq!(number.with(|number| unsafe { *number }), 2);
    });
}

/// Three nodes that workers join, claim and mark.
struct Few(Vec<Node<AtomicU32, AtomicU64>>);

impl Nodes for Few {
    type Word = AtomicU32;
    type Wide = AtomicU64;

    fn node(&self, number: u32) -> &Node<AtomicU32, AtomicU64> {
        &self.0[number as usize]
    }
}

impl Few {
    fn new(count: u32) -> Few {
        Few((0..count).map(Node::new).collect())
    }
}

/// One thread joins two components while another one adds to the one that is joined: all of it is there, and who comes last knows.
#[test]
fn what_is_added_to_a_component_stays() {
    within(3, || {
        let nodes = Arc::new(Few::new(3));
        let joining = {
            let nodes = nodes.clone();
            thread::spawn(move || nodes.unite(1, 0, 1))
        };
        let adding = {
            let nodes = nodes.clone();
            thread::spawn(move || {
                assert_eq!(nodes.claim(1, worker_bit(2)), Claimed::New);
                nodes.add_marks(1, 2)
            })
        };
        let seen = joining.join().unwrap() | adding.join().unwrap() << 8;
        assert!(seen & 3 == 3 || seen >> 8 & 3 == 3, "one of them sees both marks: {seen:x}");
        assert!(nodes.is_same(0, 1) && !nodes.is_same(0, 2));
        assert_eq!((nodes.peek(0, worker_bit(2)), nodes.add_marks(0, 0)), (Claimed::Own, 3));
    });
}

/// Two threads join three components, each in another order: they are one, and each of its states is picked until it is done with.
#[test]
fn joined_components_have_all_their_states() {
    within(2, || {
        let nodes = Arc::new(Few::new(3));
        let joining = |pairs: [(u32, u32); 2]| {
            let nodes = nodes.clone();
            move || pairs.iter().for_each(|(one, other)| _ = nodes.unite(*one, *other, 0))
        };
        let threads = [joining([(0, 1), (1, 2)]), joining([(2, 0), (1, 0)])].map(thread::spawn);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(nodes.is_same(0, 1) && nodes.is_same(1, 2));
        let mut picked = Vec::new();
        while let Some(number) = nodes.pick(1, 0) {
            picked.push(number);
            nodes.finish(number);
        }
        picked.sort_unstable();
        assert_eq!((picked, nodes.peek(2, worker_bit(0))), (vec![0, 1, 2], Claimed::Dead));
    });
}

/// A component dies when all its states are done with, and not before: neither thread sees it die before the other has joined it.
#[test]
fn a_component_dies_whole() {
    within(2, || {
        let nodes = Arc::new(Few::new(2));
        let threads = [(0, 1), (1, 2)].map(|(own, worker)| {
            let nodes = nodes.clone();
            thread::spawn(move || {
                if nodes.claim(own, worker_bit(worker)) == Claimed::Dead {
                    return 0;
                }
                // Each finds the step from one to the other, and knows that there is one back.
                let all = nodes.unite(0, 1, worker as u64);
                nodes.finish(own);
                while let Some(number) = nodes.pick(own, 0) {
                    nodes.finish(number);
                }
                all
            })
        });
        let seen = threads.map(|thread| thread.join().unwrap());
        assert!(seen != [0, 0]);
        let seen = [0, 1].map(|number| nodes.peek(number, worker_bit(1)));
        assert_eq!(seen, [Claimed::Dead; 2]);
    });
}

/// Two threads set the bits of one state: one of them has found it, and then it is known.
#[test]
fn bits_are_found_by_one_thread() {
    within(3, || {
        let words = Arc::new([0; 2].map(AtomicU64::new));
        let state: &[(usize, u64)] = &[(0, 1), (1, 1), (0, 2)];
        let claim = |words: &[AtomicU64; 2], places: &[(usize, u64)]| {
            bits::claim(words, |visit| places.iter().for_each(|(word, mask)| visit(*word, *mask))).0
        };
        let threads = [0, 1].map(|_| {
            let words = words.clone();
            thread::spawn(move || claim(&words, state))
        });
        let found = threads.map(|thread| thread.join().unwrap());
        assert!(found[0] != found[1], "one of them has found it");
        assert!(!claim(&words, state));
    });
}

/// A line of entries in two halves.
struct HalvedLine {
    firsts: Vec<AtomicU32>,
    seconds: Vec<AtomicU64>,
}

impl HalvedLine {
    fn new(entries: usize) -> HalvedLine {
        let firsts = (0..entries).map(|_| AtomicU32::new(0)).collect();
        HalvedLine { firsts, seconds: (0..entries).map(|_| AtomicU64::new(0)).collect() }
    }

    /// A bit for each entry whose first half is equal, and one for each that is empty: each first half is read once.
    fn masks(&self, first: u32) -> (u32, u32) {
        self.firsts.iter().enumerate().fold((0, 0), |(equal, empty), (at, place)| {
            let other = Cell::load(place);
            (equal | u32::from(other == first) << at, empty | u32::from(other == 0) << at)
        })
    }

    fn has(&self, (first, second): (u32, u64)) -> bool {
        split::find_second(self.masks(first).0, &self.seconds, second).is_some()
    }

    /// Is the entry new?
    fn insert(&self, (first, second): (u32, u64)) -> bool {
        loop {
            let (equal, empty) = self.masks(first);
            if split::find_second(equal, &self.seconds, second).is_some() {
                return false;
            }
            let at = empty.trailing_zeros() as usize;
            if split::claim_both(&self.firsts[at], &self.seconds[at], (first, second)) {
                return true;
            }
        }
    }
}

/// Two threads add entries, of which one is the same and one has the same first half: each is new to one thread only, and found by who
/// has added it or met it.
#[test]
fn entries_in_two_halves_are_added_once() {
    within(3, || {
        let line = Arc::new(HalvedLine::new(3));
        let inserting = |entries: [(u32, u64); 2]| {
            let line = line.clone();
            move || {
                let answers = entries.map(|entry| line.insert(entry));
                assert!(entries.iter().all(|entry| line.has(*entry)));
                answers
            }
        };
        let threads = [inserting([(7, 1), (7, 2)]), inserting([(7, 2), (9, 2)])].map(thread::spawn);
        let [[one, other], [same, last]] = threads.map(|thread| thread.join().unwrap());
        assert!(one && last && other != same, "{one} {other} {same} {last}");
        assert!(line.has((7, 1)) && line.has((7, 2)) && line.has((9, 2)) && !line.has((9, 1)));
    });
}

/// A reader beside two writers sees entries with both their halves, or not at all.
#[test]
fn a_reader_never_sees_halves_of_two_entries() {
    within(2, || {
        let line = Arc::new(HalvedLine::new(2));
        let entries = [(7, 1), (9, 2)];
        let writers = entries.map(|entry| {
            let line = line.clone();
            thread::spawn(move || line.insert(entry))
        });
        let reader = {
            let line = line.clone();
            thread::spawn(move || {
                assert!(!line.has((7, 2)) && !line.has((9, 1)), "nobody adds these");
                let before = entries.map(|entry| line.has(entry));
                let after = entries.map(|entry| line.has(entry));
                assert!(
                    before.iter().zip(after).all(|(before, after)| !before || after),
                    "what was there stays"
                );
            })
        };
        reader.join().unwrap();
        assert_eq!(writers.map(|thread| thread.join().unwrap()), [true; 2]);
        assert!(entries.iter().all(|entry| line.has(*entry)));
    });
}
