//! A larger table from a smaller one, both in order.
//!
//! The slot of an entry is the hash's share of the table's length, so entries stand nearly in the order of their hashes. Twice
//! as large, the table has the same order: the old one is read and the new one written from front to back, which waits for
//! no memory.
//!
//! An entry does not hold all of its hash, but enough: its tag is made of the bits from the tenth on. In a table of `2^n` slots the
//! entry's home is known by the first `n` bits. Those from the tenth to the `n`th are in the tag, those before them are the
//! same as in the slot where the entry stands, unless it was pushed far from home. It was not pushed farther than to the end of its
//! cluster (the slots before it up to an empty one), so in clusters that are not too long the home is certain. In others
//! the hash is computed again.
//!
//! Several threads share the work on a large table. It is cut behind empty slots, so that no cluster is cut. Of a cluster that ends before
//! slot `d`, at most `d - k` entries have their homes at `k` or behind. So `r` times as large they end before `rd`: each part of the old table
//! has a part of the new one for itself. Only what goes round the end is left for one thread.

use crate::arena::PLACE_BITS;
use crate::claim::after;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A tag has so many bits of the hash.
const TAG_BITS: u32 = 64 - PLACE_BITS;
/// So many bits of the hash come before them. (Few in tests, so that small tables are stretched.)
const SKIPPED_BITS: u32 = if cfg!(test) { 2 } else { 10 };
/// A table is stretched if its slots tell so many bits of a tag: clusters of `2^6` slots are not too long then.
const SHARED_BITS_MIN: u32 = if cfg!(test) { 3 } else { 6 };

/// Smaller tables are left to one thread. (Few slots in tests, so that small tables are shared.)
const SHARED_SLOTS_MIN: usize = if cfg!(test) { 1 << 6 } else { 1 << 17 };

#[inline]
pub(crate) fn tag_of(hash: u64) -> u64 {
    hash << SKIPPED_BITS >> PLACE_BITS
}

/// Where a probe starts.
#[inline]
pub(crate) fn slot_of(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

/// The first empty slot on the way of a hash; there is one.
#[inline]
pub(crate) fn free_slot(table: &[u64], hash: u64) -> usize {
    let mut slot = slot_of(hash, table.len());
    while table[slot] != 0 {
        slot = after(slot, table.len());
    }
    slot
}

/// Can a table of so many slots be stretched to so many?
pub(crate) fn can_stretch(slots: usize, larger: usize) -> bool {
    slots.is_power_of_two()
        && larger.is_power_of_two()
        && slots.ilog2() >= SKIPPED_BITS + SHARED_BITS_MIN
        && larger.ilog2() <= SKIPPED_BITS + TAG_BITS
}

/// Puts all entries of a table into a larger, empty one, with so many threads. `hash_of` computes the hash of an entry.
pub(crate) fn stretch(from: &[u64], to: &mut [u64], threads: usize, hash_of: impl Fn(u64) -> u64 + Sync) {
    debug_assert!(can_stretch(from.len(), to.len()));
    let (factor, slots) = (to.len() / from.len(), to.len());
    let borders = borders(from, if from.len() < SHARED_SLOTS_MIN { 1 } else { threads });
    let first = borders.first().copied().unwrap_or(0);
    let mut rest = &mut to[first * factor..];
    let mut parts = Vec::new();
    for pair in borders.windows(2) {
        let (own, behind) = std::mem::take(&mut rest).split_at_mut((pair[1] - pair[0]) * factor);
        parts.push((pair[0]..pair[1], own));
        rest = behind;
    }
    let helpers = parts.len().saturating_sub(1);
    let parts = Mutex::new(parts);
    let work = || {
        let take = || parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some((range, own)) = take() {
            let start = range.start;
            put(from, range, Some(start), &hash_of, |entry, hash| {
                let slot = free_from(own, slot_of(hash, slots) - start * factor);
                own[slot] = entry;
            });
        }
    };
    std::thread::scope(|scope| {
        // Where the system allows no more threads, those that are there do all the work.
        (0..helpers).for_each(|_| _ = std::thread::Builder::new().spawn_scoped(scope, work));
        work();
    });
    let last = borders.last().copied().unwrap_or(0);
    let mut put_rest = |range, cluster| {
        put(from, range, cluster, &hash_of, |entry, hash| to[free_slot(to, hash)] = entry);
    };
    put_rest(last..from.len(), (last > 0).then_some(last));
    // Those at the front may belong to a cluster that begins at the end.
    put_rest(0..first, None);
}

/// Where a table is cut into so many parts, each of about the same length: behind its first empty slot, its last one, and some between.
fn borders(table: &[u64], parts: usize) -> Vec<usize> {
    let Some(first) = table.iter().position(|entry| *entry == 0) else { return Vec::new() };
    let last = table.iter().rposition(|entry| *entry == 0).unwrap_or(first);
    let (first, last) = (first + 1, last + 1);
    let inner = (1..parts).map(|number| {
        let start = first + (last - first) / parts * number;
        start + table[start..].iter().position(|entry| *entry == 0).map_or(0, |empty| empty + 1)
    });
    let mut borders: Vec<usize> = std::iter::once(first).chain(inner).chain([last]).collect();
    borders.dedup();
    borders
}

/// Hands over the entries in a range of slots with their hashes. `cluster` is where the cluster of the first slot begins, if that is
/// known.
#[inline(always)]
fn put(
    from: &[u64],
    range: Range<usize>,
    mut cluster: Option<usize>,
    hash_of: &impl Fn(u64) -> u64,
    mut put: impl FnMut(u64, u64),
) {
    let shared_bits = from.len().ilog2() - SKIPPED_BITS;
    let long = 1 << shared_bits;
    for (slot, entry) in range.clone().zip(from[range].iter().copied()) {
        if entry == 0 {
            cluster = Some(slot + 1);
            continue;
        }
        let hash = match cluster {
            Some(start) if slot - start < long => hash_at(slot, entry, shared_bits),
            _ => hash_of(entry),
        };
        put(entry, hash);
    }
}

/// The first empty slot from this one on; there is one.
#[inline]
fn free_from(table: &[u64], mut slot: usize) -> usize {
    while table[slot] != 0 {
        slot += 1;
    }
    slot
}

/// The hash of the entry, as far as slot and tag tell it, if it is pushed less than `2^shared_bits` slots from home.
#[inline]
fn hash_at(slot: usize, entry: u64, shared_bits: u32) -> u64 {
    let tag = entry >> PLACE_BITS;
    let last_bits = (tag >> (TAG_BITS - shared_bits)) as usize;
    let pushed = slot.wrapping_sub(last_bits) & ((1 << shared_bits) - 1);
    let first_bits = ((slot - pushed) >> shared_bits) as u64;
    (first_bits << TAG_BITS | tag) << (PLACE_BITS - SKIPPED_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// A table with so many entries, whose places are numbers of hashes.
    fn table(slots: usize, hashes: &[u64]) -> Vec<u64> {
        let mut table = vec![0; slots];
        for (place, hash) in hashes.iter().enumerate() {
            let slot = free_slot(&table, *hash);
            table[slot] = tag_of(*hash) << PLACE_BITS | (place as u64 + 1);
        }
        table
    }

    /// All entries are found in the larger table; returns how many hashes were asked for.
    fn stretched(slots: usize, larger: usize, threads: usize, hashes: &[u64]) -> usize {
        let (from, mut to) = (table(slots, hashes), vec![0; larger]);
        let asked = AtomicUsize::new(0);
        stretch(&from, &mut to, threads, |entry| {
            asked.fetch_add(1, Relaxed);
            hashes[(entry & ((1 << PLACE_BITS) - 1)) as usize - 1]
        });
        for (place, hash) in hashes.iter().enumerate() {
            let entry = tag_of(*hash) << PLACE_BITS | (place as u64 + 1);
            let mut slot = slot_of(*hash, larger);
            while to[slot] != entry {
                assert_ne!(to[slot], 0, "{place} of {} in {larger}", hashes.len());
                slot = after(slot, larger);
            }
        }
        assert_eq!(to.iter().filter(|entry| **entry != 0).count(), hashes.len());
        asked.into_inner()
    }

    #[test]
    fn every_entry_is_found_in_the_larger_table() {
        for slots in [32, 64, 1024, 1 << 14] {
            for larger in [2 * slots, 4 * slots] {
                for share in [1, 8, 12, 15] {
                    let hashes: Vec<u64> =
                        (0..slots as u64 * share / 16).map(|number| hash(&number.to_le_bytes())).collect();
                    assert!(can_stretch(slots, larger));
                    for threads in [1, 2, 5] {
                        let asked = stretched(slots, larger, threads, &hashes);
                        assert!(slots < 1 << 14 || share > 12 || asked < 100, "{asked} of {}", hashes.len());
                    }
                }
            }
        }
    }

    #[test]
    fn clusters_may_be_long_and_go_round_the_end() {
        for first in [0, 7 << 61, u64::MAX - 5, 1 << 62] {
            let hashes: Vec<u64> = (0..40).map(|number| first | number << 20).collect();
            for threads in [1, 3] {
                stretched(64, 128, threads, &hashes);
                stretched(64, 256, threads, &hashes);
            }
        }
    }

    /// Each part ends with the last slot of its own cluster, however full the table is.
    #[test]
    fn parts_are_cut_behind_empty_slots() {
        for filled in [0, 10, 40, 63] {
            let hashes: Vec<u64> = (0..filled).map(|number: u64| hash(&number.to_le_bytes())).collect();
            let table = table(64, &hashes);
            for parts in 1..9 {
                let borders = borders(&table, parts);
                assert!(borders.is_sorted() && borders.len() <= parts + 1);
                assert!(borders.iter().all(|border| table[border - 1] == 0));
            }
        }
        assert!(borders(&[1; 64], 2).is_empty());
    }

    #[test]
    fn only_powers_of_two_are_stretched() {
        assert!(!can_stretch(48, 96) && !can_stretch(64, 80) && !can_stretch(16, 32));
        assert!(can_stretch(64, 128) && !can_stretch(1 << 27, 1 << 28));
    }
}
