//! A set of names, words of a few numbers, in little more room than what tells them apart.
//!
//! A name is mixed by a bijection ([`crate::mix`]) and put into a table that stores only what its place does not tell
//! ([`crate::lines`]). Entries have 16, 32, 40, 48 or 64 bits, the least that is enough for the names at hand: the larger the
//! table and the smaller the numbers, the less there is to store.
//!
//! The table doubles when it is almost full, a large one grows by half, or by a third where memory is short or entries are wide. If names outgrow what
//! is mixed while it is not full, it gets the width and the number of entries that take least together. The mixed
//! keys stand in it nearly in their order, and growing keeps it, so the old table is read and the new one written from
//! front to back, and the old gives its memory back on the way.

use crate::bump::{Bump, Quota};
use crate::flags::{FLAGS_ALL, FlagTable};
use crate::intern::GrowthDue;
use crate::lines::{LINE_BYTES, Lines, Plan, Spot};
use crate::mix::{Fields, Mixer};
use crate::pages::prefetch;
use crate::split::SplitLines;
use crate::spread::{self, Spread};
use crate::{ImageReader, ImageWriter, OutOfMemory, damaged};
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

const LINES_MIN: usize = 32;
const SLOTS_MIN: usize = 512;
/// A table is planned so that keys can go at least this far from home. With so little reach it gets crowded, and grows,
/// before it is as full as others; that still costs less than entries of twice the width.
const REACH_MIN: u64 = 5;
/// What the stash may take, and never comes near.
const STASH_BYTES: usize = 1 << 10;
/// What it takes to mix anew for narrower entries.
const REACH_FRESH: u64 = 24;
/// Bits are given away freely as long as keys can still go this far.
const REACH_EASY: u64 = 64;
const BASE_BITS: u32 = 32;
/// Smaller tables double whatever the width of their entries: to grow them often takes time, and they take little memory.
const SMALL_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct CompactSet {
    mixer: Mixer,
    /// How keys are laid over the lines of the table, and where in memory it begins, to ask for a line: whatever its entries are.
    plan: Plan,
    start: usize,
    fields: Fields,
    table: Table,
    flags: FlagTable,
    /// Names that found no place within reach while the table was rebuilt, with their flags; almost always none.
    stash: Vec<Stashed>,
    len: Bump,
    /// Grow when this many names are held.
    grow_at: usize,
    /// How many threads may fill a larger table.
    pub workers: usize,
    /// Where names go whose lookups began a short time ago.
    recent: Box<[Recent; RECENT]>,
}

/// A name whose lookup has begun, its home line and its remainder.
#[derive(Clone, Copy, Debug)]
struct Recent {
    name: u64,
    home: usize,
    remainder: u64,
}

/// About as many lookups are underway at once as a search begins in a batch.
const RECENT: usize = 256;
/// No name has all bits.
const NOTHING: Recent = Recent { name: u64::MAX, home: 0, remainder: 0 };

#[derive(Debug)]
struct Stashed {
    name: u64,
    flags: AtomicU8,
}

#[derive(Debug)]
enum Table {
    Bits16(Lines<u16>),
    Bits32(Lines<u32>),
    Bits40(SplitLines<u8>),
    Bits48(SplitLines<u16>),
    Bits64(Lines<u64>),
}

/// How wide the entries of a table are, how many a line has, and how many values they have.
#[derive(Clone, Copy, Debug)]
struct Width {
    entry_bits: u32,
    per_line: usize,
    codes: u64,
}

macro_rules! width {
    ($lines:ty) => {
        Width { entry_bits: <$lines>::ENTRY_BITS, per_line: <$lines>::PER_LINE, codes: <$lines>::CODES }
    };
}

/// From narrow to wide.
const WIDTHS: [Width; 5] = [
    width!(Lines<u16>),
    width!(Lines<u32>),
    width!(SplitLines<u8>),
    width!(SplitLines<u16>),
    width!(Lines<u64>),
];

macro_rules! each_width {
    ($table:expr, $lines:ident => $body:expr) => {
        match $table {
            Table::Bits16($lines) => $body,
            Table::Bits32($lines) => $body,
            Table::Bits40($lines) => $body,
            Table::Bits48($lines) => $body,
            Table::Bits64($lines) => $body,
        }
    };
}

/// A table to be: how large, for which names, in what order.
#[derive(Clone, Copy, Debug)]
struct Design {
    mixer: Mixer,
    width: Width,
    plan: Plan,
    /// The order of the keys changes.
    is_shuffled: bool,
}

impl CompactSet {
    /// An empty set, for names with such numbers.
    pub fn new(fields: Fields) -> CompactSet {
        let used = fields.widths_max.iter().filter(|bits| **bits > 0).count() as u32;
        let mixer = Mixer::new(fields, fields.widths_max.map(|bits| bits.min(BASE_BITS / used)));
        let table = Table::Bits32(Lines::empty(mixer.bits()));
        CompactSet {
            mixer,
            plan: each_width!(&table, lines => lines.plan()),
            start: 0,
            fields,
            table,
            flags: FlagTable::NONE,
            stash: Vec::new(),
            len: Bump::default(),
            grow_at: 0,
            workers: 1,
            recent: Box::new([NOTHING; RECENT]),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len.taken()
    }

    pub fn bytes(&self) -> usize {
        self.table_bytes() + self.flags.bytes() + self.stash.capacity() * size_of::<Stashed>()
    }

    fn table_bytes(&self) -> usize {
        each_width!(&self.table, lines => lines.bytes())
    }

    pub fn entry_bits(&self) -> u32 {
        self.width().entry_bits
    }

    fn width(&self) -> Width {
        WIDTHS[match self.table {
            Table::Bits16(_) => 0,
            Table::Bits32(_) => 1,
            Table::Bits40(_) => 2,
            Table::Bits48(_) => 3,
            Table::Bits64(_) => 4,
        }]
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        self.mixer.parts().into_iter().flatten().try_for_each(|bits| image.u32(bits))?;
        image.usize(self.len())?;
        image.usize(self.grow_at)?;
        image.list(self.stash.iter_mut(), |image, stashed| {
            image.u64(stashed.name)?;
            image.u32((*stashed.flags.get_mut()).into())
        })?;
        image.u32(self.entry_bits())?;
        each_width!(&mut self.table, lines => lines.save(image))?;
        self.flags.save(image)
    }

    /// Into a set for equal numbers that is empty.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let three = |image: &mut ImageReader| Ok::<_, io::Error>([image.u32()?, image.u32()?, image.u32()?]);
        let parts = [three(image)?, three(image)?];
        self.mixer = Mixer::of_parts(self.fields, parts).ok_or_else(|| damaged("numbers are too wide"))?;
        self.len.set(image.usize()?);
        self.grow_at = image.usize()?;
        self.stash = image
            .list(|image| Ok(Stashed { name: image.u64()?, flags: AtomicU8::new(image.u32()? as u8) }))?;
        let key_bits = self.mixer.bits();
        self.table = match image.u32()? {
            u16::BITS => Table::Bits16(Lines::load(key_bits, image)?),
            u32::BITS => Table::Bits32(Lines::load(key_bits, image)?),
            40 => Table::Bits40(SplitLines::load(key_bits, image)?),
            48 => Table::Bits48(SplitLines::load(key_bits, image)?),
            u64::BITS => Table::Bits64(Lines::load(key_bits, image)?),
            _ => return Err(damaged("entries have another width")),
        };
        self.note_table();
        let slots = self.slots();
        self.flags.load(slots, image)
    }

    /// There is another table now.
    fn note_table(&mut self) {
        (self.plan, self.start) = each_width!(&self.table, lines => (lines.plan(), lines.start()));
        self.recent.fill(NOTHING);
    }

    fn slots(&self) -> usize {
        self.table_bytes() / LINE_BYTES * self.width().per_line
    }

    #[inline(always)]
    pub fn prefetch(&self, name: u64) {
        if self.mixer.fits(name) {
            let (home, _) = self.plan.divide(self.mixer.mix(name));
            // Where there is no table yet, no harm is done.
            prefetch((self.start as *const u8).wrapping_add(home * LINE_BYTES));
            if self.flags.is_kept() && self.grow_at > 0 {
                self.flags.prefetch(home * self.width().per_line);
            }
        }
    }

    /// [`Self::prefetch`] by one who has the set alone, and is going to insert the name: where it goes is remembered until then.
    #[inline(always)]
    pub fn begin(&mut self, name: u64) {
        if self.mixer.fits(name) {
            let (home, remainder) = self.plan.divide(self.mixer.mix(name));
            self.recent[recent_at(name)] = Recent { name, home, remainder };
            // Where there is no table yet, no harm is done.
            prefetch((self.start as *const u8).wrapping_add(home * LINE_BYTES));
            if self.flags.is_kept() && self.grow_at > 0 {
                self.flags.prefetch(home * self.width().per_line);
            }
        }
    }

    pub fn contains(&self, name: u64) -> bool {
        if self.grow_at == 0 || !self.mixer.fits(name) {
            return false;
        }
        let key = self.mixer.mix(name);
        let is_found = each_width!(&self.table, lines => matches!(lines.locate(key), Spot::Found));
        is_found || is_stashed(&self.stash, name)
    }

    /// True if the name is new.
    #[inline(always)]
    pub fn insert(&mut self, name: u64) -> Result<bool, GrowthDue> {
        if self.grow_at == 0 || !self.mixer.fits(name) {
            return Err(GrowthDue);
        }
        let recent = &self.recent[recent_at(name)];
        let home = match recent.name == name {
            true => (recent.home, recent.remainder),
            false => self.plan.divide(self.mixer.mix(name)),
        };
        each_width!(&mut self.table, lines => match lines.locate_from(home) {
            Spot::Found => return Ok(false),
            _ if !self.stash.is_empty() && is_stashed(&self.stash, name) => return Ok(false),
            Spot::Vacant(index, entry) if self.len.taken() < self.grow_at => lines.put(index, entry),
            Spot::Vacant(..) | Spot::Crowded => return Err(GrowthDue),
        });
        self.len.take_alone(1, usize::MAX);
        Ok(true)
    }

    /// [`Self::insert`] from any number of threads at once.
    #[inline(always)]
    pub fn insert_shared(&self, name: u64, quota: &mut Quota) -> Result<bool, GrowthDue> {
        if self.grow_at == 0 || !self.mixer.fits(name) {
            return Err(GrowthDue);
        }
        let key = self.mixer.mix(name);
        loop {
            let is_new = each_width!(&self.table, lines => match lines.locate(key) {
                Spot::Found => Some(false),
                _ if !self.stash.is_empty() && is_stashed(&self.stash, name) => Some(false),
                Spot::Vacant(index, entry) if quota.has_one(&self.len, self.grow_at) => {
                    lines.claim(index, entry).then_some(true)
                }
                Spot::Vacant(..) | Spot::Crowded => return Err(GrowthDue),
            });
            match is_new {
                Some(true) => {
                    quota.spend_one();
                    return Ok(true);
                }
                Some(false) => return Ok(false),
                // Another thread took the place: look again, it may have been for the same name.
                None => {}
            }
        }
    }

    pub fn give_back(&self, quota: &mut Quota) {
        quota.give_back(&self.len);
    }

    pub fn keep_flags(&mut self) {
        self.flags.keep();
    }

    /// The flags of a name that is held, by what is to be done with them in the table or beside it.
    #[inline]
    fn with_flags(
        &self,
        name: u64,
        in_table: impl FnOnce(&FlagTable, usize) -> u8,
        beside: impl FnOnce(&AtomicU8) -> u8,
    ) -> u8 {
        assert!(self.grow_at > 0 && self.mixer.fits(name), "the state is there");
        let key = self.mixer.mix(name);
        match each_width!(&self.table, lines => lines.index_of(key)) {
            Some(index) => in_table(&self.flags, index),
            None => {
                let stashed = self.stash.iter().find(|stashed| stashed.name == name);
                beside(&stashed.expect("the state is there").flags)
            }
        }
    }

    #[inline]
    pub fn flags(&self, name: u64) -> u8 {
        self.with_flags(name, FlagTable::get, |flags| flags.load(Ordering::Acquire))
    }

    #[inline]
    pub fn set_flags(&self, name: u64, mask: u8) -> u8 {
        let beside = |flags: &AtomicU8| flags.fetch_or(mask & FLAGS_ALL, Ordering::AcqRel);
        self.with_flags(name, |flags, index| flags.set(index, mask), beside)
    }

    #[inline]
    pub fn clear_flags(&self, name: u64, mask: u8) -> u8 {
        let beside = |flags: &AtomicU8| flags.fetch_and(!(mask & FLAGS_ALL), Ordering::AcqRel);
        self.with_flags(name, |flags, index| flags.clear(index, mask), beside)
    }

    /// An insertion of this name would be refused.
    pub fn is_growth_due(&self, name: u64) -> bool {
        self.len() >= self.grow_at || !self.mixer.fits(name) || self.is_crowded(name)
    }

    /// There is no place within reach for a name that is not held.
    fn is_crowded(&self, name: u64) -> bool {
        let key = self.mixer.mix(name);
        each_width!(&self.table, lines => matches!(lines.locate(key), Spot::Crowded))
    }

    /// Makes room for one more name, `name`, within `allowed` more bytes, also while it grows. Numbers of all names to
    /// come soon are about as wide as `width`.
    pub fn grow(&mut self, name: u64, width: [u32; 3], allowed: usize) -> Result<(), OutOfMemory> {
        let (needed, most) = (self.fields.widths(name), self.fields.widths_max);
        let width = [0, 1, 2].map(|at| width[at].min(most[at]).max(needed[at]).max(1).min(most[at]));
        let (slots, held) = (self.slots(), self.len());
        let fits = self.mixer.fits(name);
        let is_small = self.table_bytes() < SMALL_BYTES;
        // A wider mixing is due: as many slots may do, or fewer with wider entries, or more with narrow ones. What takes least, with some room.
        let sizes = [slots, held + held / 3, slots + slots / 3];
        let sizes =
            sizes[..if is_small { 1 } else { 3 }].iter().filter(|slots| !fits && held < **slots / 10 * 8);
        let lines = |slots: usize| self.design(slots, width).map_or(usize::MAX, |design| design.plan.lines);
        let same = sizes.copied().min_by_key(|slots| lines(*slots));
        // Large steps are for small tables and for narrow entries, and as long as memory is plentiful.
        let (large, entry_bits_max) =
            if is_small { (slots * 2, u64::BITS) } else { (slots + slots / 2, u32::BITS) };
        let wanted = [(large, entry_bits_max, allowed / 2), (slots + slots / 3, u64::BITS, allowed)];
        let wanted = same.map(|slots| (slots, u64::BITS, allowed)).into_iter().chain(wanted);
        for (slots, entry_bits_max, allowed) in wanted.chain([(slots + slots / 12, u64::BITS, allowed)]) {
            let slots = slots.max(SLOTS_MIN);
            if held * 20 >= slots * 19 {
                continue;
            }
            let Some(design) = self.design(slots, width) else { continue };
            if design.width.entry_bits > entry_bits_max || self.peak_bytes(&design) > allowed {
                continue;
            }
            // Several threads do not give the old table back on the way.
            let is_roomy = self.peak_bytes(&Design { is_shuffled: true, ..design }) <= allowed;
            if self.rebuild(&design, if is_roomy { self.workers } else { 1 }).is_ok() {
                self.grow_at = self.slots() / 100 * 92;
                return Ok(());
            }
        }
        // No room: fill what there is.
        self.grow_at = slots / 100 * 97;
        if fits && held < self.grow_at && !self.is_crowded(name) { Ok(()) } else { Err(OutOfMemory) }
    }

    /// The narrowest table of at least that many slots.
    fn design(&self, slots: usize, width: [u32; 3]) -> Option<Design> {
        WIDTHS.into_iter().find_map(|width_of_entries| {
            let Width { entry_bits, per_line, codes } = width_of_entries;
            let lines = slots.div_ceil(per_line).max(LINES_MIN);
            let design = |mixer: Mixer, is_shuffled| {
                let plan = Plan::new(lines, mixer.bits(), codes);
                Design { mixer, width: width_of_entries, plan, is_shuffled }
            };
            let kept = design(self.mixer.widened(width), false);
            let fresh = design(Mixer::new(self.fields, width), true);
            // What is mixed has to spread keys over all lines, and then some.
            let is_spread = lines.ilog2() + 2 < self.mixer.base_bits() || entry_bits == u64::BITS;
            if kept.plan.reach >= REACH_MIN && is_spread {
                return Some(self.with_spare_bits(kept));
            }
            (fresh.plan.reach >= REACH_FRESH).then_some(fresh)
        })
    }

    /// Numbers will grow: widens the mixing as far as it costs nothing.
    fn with_spare_bits(&self, mut design: Design) -> Design {
        loop {
            let mut width = design.mixer.width();
            let Some(least) =
                (0..3).filter(|at| width[*at] < self.fields.widths_max[*at]).min_by_key(|at| width[*at])
            else {
                return design;
            };
            width[least] += 1;
            let mixer = design.mixer.widened(width);
            let plan = Plan::new(design.plan.lines, mixer.bits(), design.width.codes);
            if plan.reach < REACH_EASY {
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
        let peak = if design.is_shuffled { next } else { peak - old };
        let slots = design.plan.lines * design.width.per_line;
        peak + self.flags.bytes_for(slots) + design.plan.lines + STASH_BYTES
    }

    /// With so many threads, if that is worth it.
    fn rebuild(&mut self, design: &Design, workers: usize) -> Result<(), OutOfMemory> {
        let table = match design.width.entry_bits {
            u16::BITS => Table::Bits16(Lines::new(design.plan)?),
            u32::BITS => Table::Bits32(Lines::new(design.plan)?),
            40 => Table::Bits40(SplitLines::new(design.plan)?),
            48 => Table::Bits48(SplitLines::new(design.plan)?),
            _ => Table::Bits64(Lines::new(design.plan)?),
        };
        let flags = self.flags.for_slots(design.plan.lines * design.width.per_line)?;
        let mut filled = Vec::new();
        filled.try_reserve_exact(design.plan.lines).map_err(|_| OutOfMemory)?;
        filled.resize(design.plan.lines, 0);
        let old = std::mem::replace(&mut self.table, table);
        let old_flags = std::mem::replace(&mut self.flags, flags);
        let old_mixer = std::mem::replace(&mut self.mixer, design.mixer);
        let stash = std::mem::take(&mut self.stash);
        let (stash_anew, flags, mixer) = (&mut self.stash, &mut self.flags, &self.mixer);
        let is_same = old_mixer == *mixer;
        each_width!(&mut self.table, lines => {
            each_width!(old, old => {
                let is_large = old.line_count() >= spread::LINES_MIN;
                if workers > 1 && is_large && !design.is_shuffled && !old_flags.is_kept() {
                    let remix = |key| if is_same { key } else { old_mixer.remix(key, mixer) };
                    for key in spread::spread(&old, lines, &mut filled, workers, remix) {
                        if lines.settle(key, &mut filled).is_none() {
                            put_aside(stash_anew, mixer.unmix(key), &old_flags, 0);
                        }
                    }
                } else {
                    let mut settle = |key, old_index| match lines.settle(key, &mut filled) {
                        Some(index) => flags.take_over(index, &old_flags, old_index),
                        None => put_aside(stash_anew, mixer.unmix(key), &old_flags, old_index),
                    };
                    if design.is_shuffled {
                        old.drain(|key, index| settle(mixer.mix(old_mixer.unmix(key)), index));
                    } else {
                        let remix = |key| if is_same { key } else { old_mixer.remix(key, mixer) };
                        old.drain(|key, index| settle(remix(key), index));
                    }
                }
            });
            for stashed in stash {
                match lines.settle(mixer.mix(stashed.name), &mut filled) {
                    Some(index) if flags.is_kept() => {
                        flags.set(index, stashed.flags.into_inner());
                    }
                    Some(_) => {}
                    None => stash_anew.push(stashed),
                }
            }
        });
        self.note_table();
        Ok(())
    }
}

/// Which of the recent names has the place of this one.
#[inline(always)]
fn recent_at(name: u64) -> usize {
    (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT.ilog2())) as usize
}

fn is_stashed(stash: &[Stashed], name: u64) -> bool {
    stash.iter().any(|stashed| stashed.name == name)
}

/// A name that found no place goes to the stash, with the flags that it had.
#[cold]
fn put_aside(stash: &mut Vec<Stashed>, name: u64, old_flags: &FlagTable, old_index: usize) {
    let flags = if old_flags.is_kept() { old_flags.get(old_index) } else { 0 };
    stash.push(Stashed { name, flags: flags.into() });
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: Fields = Fields { starts: [32, 0, 0], widths_max: [31, 32, 0] };

    fn name(first: u32, second: u32) -> u64 {
        u64::from(first) << 32 | u64::from(second)
    }

    /// Fills a set of pairs until there is no room; what it may take in all is `budget`.
    fn fill(budget: usize, workers: usize) -> CompactSet {
        let width = [20, 20, 0];
        let mut set = CompactSet { workers, ..CompactSet::new(PAIRS) };
        for number in 0.. {
            let name = name(number % 1000, number / 1000);
            while let Err(GrowthDue) = set.insert(name) {
                let (before, allowed) = (set.bytes(), budget - set.bytes());
                if set.grow(name, width, allowed).is_err() {
                    return set;
                }
                // The old table and the new one are there together.
                let new = set.bytes();
                assert!(new == before || new + new / LINE_BYTES <= allowed, "{new} of {allowed}");
            }
        }
        unreachable!("the budget is not that large")
    }

    #[test]
    fn growth_keeps_within_what_is_allowed_and_uses_it() {
        for (budget, workers) in
            [(30_000, 1), (200_000, 1), (1_000_000, 1), (200_000, 3), (1_000_000, 2), (1_000_000, 5)]
        {
            let set = fill(budget, workers);
            // A third more than now, beside what there is now, would be too much.
            assert!(set.bytes() * 3 > budget, "{} of {budget}", set.bytes());
            let bytes_each = set.bytes() as f64 / set.len() as f64;
            assert!(bytes_each < 1.2 * f64::from(set.entry_bits()) / 8.0, "{bytes_each}");
            for number in 0..set.len() as u32 {
                assert!(set.contains(name(number % 1000, number / 1000)));
            }
        }
    }

    #[test]
    fn entries_are_as_wide_as_numbers_need() {
        let mut widths = std::collections::BTreeSet::new();
        for width in [20, 22, 25, 28, 31] {
            let mut set = CompactSet::new(Fields { widths_max: [width, width, 0], ..PAIRS });
            set.keep_flags();
            let name = |number: u32| {
                let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                name((mixed >> (64 - width)) as u32, (mixed << 32 >> (64 - width)) as u32)
            };
            for number in 0..30_000 {
                while let Err(GrowthDue) = set.insert(name(number)) {
                    set.grow(name(number), [width, width, 0], usize::MAX).unwrap();
                }
                set.set_flags(name(number), number as u8 % 16);
                widths.insert(set.entry_bits());
            }
            for number in 0..30_000 {
                assert_eq!(set.insert(name(number)), Ok(false));
                assert!(set.contains(name(number)) && set.flags(name(number)) == number as u8 % 16);
            }
        }
        assert!(widths.is_superset(&[32, 40, 48, 64].into()), "{widths:?}");
    }

    #[test]
    fn after_growth_there_is_room_for_the_name_whatever_was_expected() {
        for name in [[0, 0], [1, 1], [5000, 70_000], [1 << 20, 3], [(1 << 31) - 1, u32::MAX]]
            .map(|[first, second]| name(first, second))
        {
            let mut set = CompactSet::new(PAIRS);
            assert_eq!(set.grow(name, [1, 1, 0], 1 << 20), Ok(()));
            assert_eq!((set.insert(name), set.insert(name)), (Ok(true), Ok(false)), "{name:x}");
            assert!(set.contains(name) && !set.contains(77 << 32 | 77));
        }
    }
}
