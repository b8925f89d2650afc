//! Insert-or-find in an open-addressing table with linear probing, from any number of threads.
//!
//! Who finds an empty slot on the way claims it with a mark, *busy*, then makes the entry's vector, then puts the entry in
//! place of the mark. Others that come to a busy slot wait, for it may be what they are about to add. Entries are never
//! taken out. Only a claim may be given up again, and nobody has passed it: so whatever lies behind an empty or busy
//! slot on the way of a key is not that key.
//!
//! An entry is stored with release and read with acquire ordering: who reads it sees the vector it stands for.

use crate::GrowthDue;
use crate::word::{Cell, Word};

/// The entry of a key, or else the empty slot (or busy, if others are adding) where it belongs.
///
/// There is at least one empty slot.
#[inline(always)]
pub(crate) fn find<W: Word, C: Cell<W>>(
    table: &[C],
    home: usize,
    busy: W,
    mut is_it: impl FnMut(W) -> bool,
) -> Result<W, usize> {
    let mut slot = home;
    loop {
        let entry = table[slot].load();
        if entry == W::ZERO || entry == busy {
            return Err(slot);
        }
        if is_it(entry) {
            return Ok(entry);
        }
        slot = after(slot, table.len());
    }
}

/// The entry of a key, and whether it is new: then `add` made it. `add` may refuse, and must do so when there are too many
/// entries: committed ones never fill the table.
#[inline(always)]
pub(crate) fn find_or_add<W: Word, C: Cell<W>>(
    table: &[C],
    home: usize,
    busy: W,
    mut is_it: impl FnMut(W) -> bool,
    add: impl FnOnce() -> Option<W>,
) -> Result<(W, bool), GrowthDue> {
    let (mut slot, mut round) = (home, 0);
    loop {
        let entry = table[slot].load();
        if entry == busy {
            C::wait(round);
            round += 1;
        } else if entry == W::ZERO {
            if table[slot].claim(busy).is_ok() {
                let added = add();
                table[slot].store(added.unwrap_or(W::ZERO));
                return added.map(|entry| (entry, true)).ok_or(GrowthDue);
            }
        } else if is_it(entry) {
            return Ok((entry, false));
        } else {
            slot = after(slot, table.len());
        }
    }
}

/// Is an entry new that stands for itself? Then it is put in, unless there is no room for one more: committed entries never fill the table.
#[inline]
pub(crate) fn find_or_put<W: Word, C: Cell<W>>(
    table: &[C],
    home: usize,
    entry: W,
    mut has_room: impl FnMut() -> bool,
) -> Result<bool, GrowthDue> {
    let mut slot = home;
    loop {
        let found = table[slot].load();
        if found == entry {
            return Ok(false);
        } else if found == W::ZERO {
            if !has_room() {
                return Err(GrowthDue);
            }
            if table[slot].claim(entry).is_ok() {
                return Ok(true);
            }
        } else {
            slot = after(slot, table.len());
        }
    }
}

#[inline(always)]
pub(crate) fn after(slot: usize, slots: usize) -> usize {
    if slot + 1 == slots { 0 } else { slot + 1 }
}
