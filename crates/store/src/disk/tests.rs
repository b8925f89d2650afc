//! The set on disk against one that is easy to believe, with so little memory that everything goes to files.

use super::*;
use std::collections::{HashMap, HashSet};

/// What a test offers in one level: kind, key, hidden byte.
type Offers = Vec<(Kind, Vec<u8>, u8)>;

/// A reference: all that is visited, and the order of the offers.
#[derive(Default)]
struct Reference {
    visited: HashSet<Vec<u8>>,
}

impl Reference {
    /// Numbers of the offers that make up the next level.
    fn settle(&mut self, offers: &Offers) -> Vec<usize> {
        let mut first: HashMap<&[u8], usize> = HashMap::new();
        for kind in [Kind::Direct, Kind::Late] {
            for (number, (of, key, _)) in offers.iter().enumerate() {
                if *of == kind && !self.visited.contains(key) {
                    first.entry(key).or_insert(number);
                }
            }
        }
        let mut level: Vec<usize> = first.values().copied().collect();
        self.visited.extend(first.keys().map(|key| key.to_vec()));
        level.extend((0..offers.len()).filter(|number| offers[*number].0 == Kind::Keyless));
        level.sort_unstable();
        level
    }
}

/// A number from a sequence that looks random.
fn next(state: &mut u64) -> u64 {
    *state = crate::hash_seeded(&state.to_le_bytes(), 99);
    *state
}

fn offers(state: &mut u64, keys: u64, count: usize) -> Offers {
    let mut offer = || {
        let kind = match next(state) % 8 {
            0 => Kind::Keyless,
            1 | 2 => Kind::Late,
            _ => Kind::Direct,
        };
        let number = next(state) % keys;
        // Lengths differ, and some vectors begin alike.
        let key = [&number.to_le_bytes()[..2], &vec![7; number as usize % 5]].concat();
        (kind, key, next(state) as u8)
    };
    (0..count).map(|_| offer()).collect()
}

fn origin(kind: Kind, number: usize) -> Origin {
    let number = number as u64;
    Origin { kind, depth: number as u32, parent: number / 7, branch: ((number % 7) as u32, 3) }
}

fn compare(budget: DiskBudget, seed: u64, has_file: bool) {
    let dir = test_dir(&format!("set-{seed}-{}", budget.candidates));
    let space = DiskSpace::open(&dir).expect("a directory");
    let mut set = DiskSet::new(space, 1, budget);
    let (mut reference, mut state) = (Reference::default(), seed);
    for level in 0..25 {
        let count = if level % 5 == 0 { 3 } else { 200 };
        let offers = offers(&mut state, 50 + 40 * level, count);
        for (number, (kind, key, hidden)) in offers.iter().enumerate() {
            let vector = [&[*hidden], &key[..]].concat();
            let offered = match kind {
                Kind::Keyless => set.push_keyless(origin(*kind, number), &vector),
                _ => set.offer(origin(*kind, number), &vector),
            };
            offered.expect("room");
        }
        let summary = set.next_level(&mut || Ok(())).expect("room");
        let expected = reference.settle(&offers);
        let mut vector = Vec::new();
        let mut states = 0;
        for number in &expected {
            let (kind, key, hidden) = &offers[*number];
            let popped = set.pop(&mut vector).expect("readable");
            assert_eq!(popped, Some(origin(*kind, *number)), "level {level}");
            assert_eq!((vector[0], &vector[1..]), (*hidden, &key[..]));
            states += u64::from(*kind == Kind::Direct);
            // What is known is never taken for open.
            assert!(*kind == Kind::Keyless || !set.is_open(&vector));
        }
        assert_eq!(set.pop(&mut vector).expect("readable"), None);
        assert_eq!(summary.states, states);
    }
    assert_eq!(set.account().written > 0, has_file, "{:?}", set.account());
    drop(set);
    std::fs::remove_dir(&dir).expect("it is empty");
}

#[test]
fn levels_are_the_same_with_any_memory() {
    for seed in 0..2 {
        let small = DiskBudget { filter: 64, candidates: 600, recent: 400 };
        compare(small, seed, true);
        compare(DiskBudget { filter: 1 << 12, candidates: 1 << 20, recent: 400 }, seed + 10, true);
        compare(DiskBudget { filter: 1 << 12, candidates: 600, recent: 1 << 20 }, seed + 20, true);
        compare(DiskBudget { filter: 1 << 20, candidates: 1 << 20, recent: 1 << 20 }, seed + 30, false);
        // Large levels go to the disk, small ones do not.
        compare(DiskBudget { filter: 1 << 12, candidates: 8000, recent: 4000 }, seed + 50, true);
        // Not even one record fits.
        compare(DiskBudget { filter: 0, candidates: 0, recent: 0 }, seed + 40, true);
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = test_dir("set-full");
    let space = DiskSpace::open(&dir).expect("a directory");
    space.set_quota(2000);
    let mut set = DiskSet::new(space, 0, DiskBudget { filter: 0, candidates: 300, recent: 300 });
    let mut how = Ok(());
    for number in 0..10_000u32 {
        how = set.offer(origin(Kind::Direct, number as usize), &number.to_le_bytes());
        if how.is_err() {
            break;
        }
    }
    assert!(matches!(how, Err(DiskError::Io(error)) if error.kind() == io::ErrorKind::StorageFull));
    drop(set);
    std::fs::remove_dir(&dir).expect("it is empty");
}
