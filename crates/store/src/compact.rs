//! A set of pairs of numbers in little more room than what tells them apart.
//!
//! A pair is mixed by a bijection ([`crate::mix`]) and put into a table that stores only what its place does not tell
//! ([`crate::lines`]). Entries have 16, 32 or 64 bits, the least that is enough for the pairs at hand: the larger the
//! table and the smaller the numbers, the less there is to store.
//!
//! The table grows by a third when it is almost full. The mixed keys stand in it nearly in their order, and growing keeps
//! it, so the old table is read and the new one written from front to back, and the old gives its memory back on
//! the way.

use crate::OutOfMemory;
use crate::intern::GrowthDue;
use crate::lines::{LINE_BYTES, Lines, Plan, Spot};
use crate::mix::Mixer;
use crate::word::Word;
use std::sync::atomic::{AtomicUsize, Ordering};

const LINES_MIN: usize = 32;
const SLOTS_MIN: usize = 512;
/// A table is planned so that keys can go at least this far from home.
const REACH_MIN: u64 = 12;
/// Bits are given away freely as long as keys can still go this far.
const REACH_EASY: u64 = 64;
const BASE: [u32; 2] = [16, 16];

#[derive(Debug)]
pub(crate) struct CompactSet {
    mixer: Mixer,
    table: Table,
    /// Pairs that found no place within reach while the table was rebuilt; almost always none.
    stash: Vec<[u32; 2]>,
    len: AtomicUsize,
    /// Grow when this many pairs are held.
    grow_at: usize,
}

#[derive(Debug)]
enum Table {
    Bits16(Lines<u16>),
    Bits32(Lines<u32>),
    Bits64(Lines<u64>),
}

macro_rules! each_width {
    ($table:expr, $lines:ident => $body:expr) => {
        match $table {
            Table::Bits16($lines) => $body,
            Table::Bits32($lines) => $body,
            Table::Bits64($lines) => $body,
        }
    };
}

/// A table to be: how large, for which pairs, in what order.
#[derive(Clone, Copy, Debug)]
struct Design {
    mixer: Mixer,
    entry_bits: u32,
    plan: Plan,
    /// The order of the keys changes.
    is_shuffled: bool,
}

impl CompactSet {
    pub fn new() -> CompactSet {
        let mixer = Mixer::new(BASE);
        let table = Table::Bits32(Lines::empty(mixer.bits()));
        CompactSet { mixer, table, stash: Vec::new(), len: AtomicUsize::new(0), grow_at: 0 }
    }

    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> usize {
        self.table_bytes() + self.stash.capacity() * size_of::<[u32; 2]>()
    }

    fn table_bytes(&self) -> usize {
        each_width!(&self.table, lines => lines.bytes())
    }

    pub fn entry_bits(&self) -> u32 {
        match self.table {
            Table::Bits16(_) => 16,
            Table::Bits32(_) => 32,
            Table::Bits64(_) => 64,
        }
    }

    fn slots(&self) -> usize {
        self.table_bytes() * 8 / self.entry_bits() as usize
    }

    #[inline]
    pub fn prefetch(&self, pair: [u32; 2]) {
        if self.grow_at > 0 && self.mixer.fits(pair) {
            let key = self.mixer.mix(pair);
            each_width!(&self.table, lines => lines.prefetch(key));
        }
    }

    pub fn contains(&self, pair: [u32; 2]) -> bool {
        if self.grow_at == 0 || !self.mixer.fits(pair) {
            return false;
        }
        let key = self.mixer.mix(pair);
        let is_found = each_width!(&self.table, lines => matches!(lines.locate_shared(key), Spot::Found));
        is_found || self.stash.contains(&pair)
    }

    /// True if the pair is new.
    #[inline]
    pub fn insert(&mut self, pair: [u32; 2]) -> Result<bool, GrowthDue> {
        if self.grow_at == 0 || !self.mixer.fits(pair) {
            return Err(GrowthDue);
        }
        let key = self.mixer.mix(pair);
        let held = *self.len.get_mut();
        each_width!(&mut self.table, lines => match lines.locate(key) {
            Spot::Found => return Ok(false),
            _ if !self.stash.is_empty() && self.stash.contains(&pair) => return Ok(false),
            Spot::Vacant(index, entry) if held < self.grow_at => lines.put(index, entry),
            Spot::Vacant(..) | Spot::Crowded => return Err(GrowthDue),
        });
        *self.len.get_mut() += 1;
        Ok(true)
    }

    /// [`Self::insert`] from any number of threads at once.
    pub fn insert_shared(&self, pair: [u32; 2]) -> Result<bool, GrowthDue> {
        if self.grow_at == 0 || !self.mixer.fits(pair) {
            return Err(GrowthDue);
        }
        let key = self.mixer.mix(pair);
        loop {
            let is_new = each_width!(&self.table, lines => match lines.locate_shared(key) {
                Spot::Found => Some(false),
                _ if !self.stash.is_empty() && self.stash.contains(&pair) => Some(false),
                Spot::Vacant(index, entry) if self.len() < self.grow_at => {
                    lines.claim(index, entry).then_some(true)
                }
                Spot::Vacant(..) | Spot::Crowded => return Err(GrowthDue),
            });
            match is_new {
                Some(true) => {
                    self.len.fetch_add(1, Ordering::Relaxed);
                    return Ok(true);
                }
                Some(false) => return Ok(false),
                // Another thread took the place: look again, it may have been for the same pair.
                None => {}
            }
        }
    }

    /// An insertion of this pair would be refused.
    pub fn is_growth_due(&self, pair: [u32; 2]) -> bool {
        self.len() >= self.grow_at || !self.mixer.fits(pair) || self.is_crowded(pair)
    }

    /// There is no place within reach for a pair that is not held.
    fn is_crowded(&self, pair: [u32; 2]) -> bool {
        let key = self.mixer.mix(pair);
        each_width!(&self.table, lines => matches!(lines.locate_shared(key), Spot::Crowded))
    }

    /// Makes room for one more pair, `pair`, within `allowed` more bytes, also while it grows. Numbers of all pairs to
    /// come soon are about as wide as `width`.
    pub fn grow(&mut self, pair: [u32; 2], width: [u32; 2], allowed: usize) -> Result<(), OutOfMemory> {
        let width = [0, 1].map(|side| width[side].max(u32::BITS - pair[side].leading_zeros()).max(1));
        let (slots, held) = (self.slots(), self.len());
        let fits = self.mixer.fits(pair);
        // A wider mixing is due: the same size may do.
        let same = (!fits && held < slots / 10 * 8).then_some(slots);
        let wanted =
            same.into_iter().chain([slots + slots / 3, slots + slots / 12]).map(|n| n.max(SLOTS_MIN));
        for slots in wanted.filter(|wanted| held * 20 < *wanted * 19) {
            let Some(design) = self.design(slots, width) else { continue };
            if self.peak_bytes(&design) <= allowed && self.rebuild(&design).is_ok() {
                self.grow_at = self.slots() / 100 * 92;
                return Ok(());
            }
        }
        // No room: fill what there is.
        self.grow_at = slots / 100 * 97;
        if fits && held < self.grow_at && !self.is_crowded(pair) { Ok(()) } else { Err(OutOfMemory) }
    }

    /// The narrowest table of at least that many slots.
    fn design(&self, slots: usize, width: [u32; 2]) -> Option<Design> {
        [u16::BITS, u32::BITS, u64::BITS].into_iter().find_map(|entry_bits| {
            let lines = (slots * entry_bits as usize).div_ceil(LINE_BYTES * 8).max(LINES_MIN);
            let design = |mixer: Mixer, is_shuffled| {
                let plan = Plan::new(lines, mixer.bits(), entry_bits);
                Design { mixer, entry_bits, plan, is_shuffled }
            };
            let kept = design(self.mixer.widened(width), false);
            let fresh = design(Mixer::new(width), true);
            // What is mixed has to spread keys over all lines, and then some.
            let is_spread = lines.ilog2() + 2 < self.mixer.base_bits() || entry_bits == u64::BITS;
            if kept.plan.reach >= REACH_MIN && is_spread {
                return Some(self.with_spare_bits(kept));
            }
            (fresh.plan.reach >= REACH_MIN * 2).then_some(fresh)
        })
    }

    /// Numbers will grow: widens the mixing as far as it costs nothing.
    fn with_spare_bits(&self, mut design: Design) -> Design {
        loop {
            let [left, right] = design.mixer.width();
            let width = if left <= right { [left + 1, right] } else { [left, right + 1] };
            let mixer = design.mixer.widened(width.map(|bits| bits.min(32)));
            let plan = Plan::new(design.plan.lines, mixer.bits(), design.entry_bits);
            if mixer == design.mixer || plan.reach < REACH_EASY {
                return design;
            }
            design = Design { mixer, plan, ..design };
        }
    }

    /// How many bytes a rebuild takes at its worst moment, beyond those in use.
    fn peak_bytes(&self, design: &Design) -> usize {
        let next = design.plan.lines * LINE_BYTES;
        let old = self.table_bytes();
        let peak = each_width!(&self.table, lines => lines.peak_bytes(next));
        if design.is_shuffled { next } else { peak - old }
    }

    fn rebuild(&mut self, design: &Design) -> Result<(), OutOfMemory> {
        let table = match design.entry_bits {
            u16::BITS => Table::Bits16(Lines::new(design.plan)?),
            u32::BITS => Table::Bits32(Lines::new(design.plan)?),
            _ => Table::Bits64(Lines::new(design.plan)?),
        };
        let old = std::mem::replace(&mut self.table, table);
        let old_mixer = std::mem::replace(&mut self.mixer, design.mixer);
        let stash = std::mem::take(&mut self.stash);
        each_width!(&mut self.table, lines => {
            each_width!(old, old => {
                if design.is_shuffled {
                    old.drain(|key| settle(lines, &mut self.stash, &self.mixer, self.mixer.mix(old_mixer.unmix(key))));
                } else {
                    old.drain(|key| settle(lines, &mut self.stash, &self.mixer, old_mixer.remix(key, &self.mixer)));
                }
            });
            for pair in stash {
                settle(lines, &mut self.stash, &self.mixer, self.mixer.mix(pair));
            }
        });
        Ok(())
    }
}

/// Puts a key that is not there into a table, or aside.
#[inline]
fn settle<W: Word>(lines: &mut Lines<W>, stash: &mut Vec<[u32; 2]>, mixer: &Mixer, key: u64) {
    match lines.locate(key) {
        Spot::Vacant(index, entry) => lines.put(index, entry),
        Spot::Crowded => stash.push(mixer.unmix(key)),
        Spot::Found => unreachable!("a key is held once"),
    }
}
