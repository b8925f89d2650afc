//! The compressed store as several workers use it.
//!
//! Each has its own shapes and its own memory of numberings; the tables of numbers and the sets are common. A number, once given, stays, so what a
//! worker remembers stays right while others add and tables grow.

use super::{JOINED_MAX, Kind, PACKED, PAIR, Scratch, TreeStore, join, name, pack_pair, pack_triple};
use crate::intern::GrowthDue;
use crate::memo::Memo;
use crate::packing::Misfit;
use crate::shape::{Level, NONE, PARTS, Shape, Tuple, chunk_count, numbers_of};
use crate::short::Short;
use crate::{Draft, Drafting, OutOfMemory, Prepared, ReadBack, SharedVisited, StateRef, Visited};
use std::cell::RefCell;

impl SharedVisited for TreeStore {
    type Scratch = Scratch;

    #[inline]
    fn prepare_shared(&self, scratch: &mut Scratch, key: &[u8]) -> Result<Prepared, GrowthDue> {
        if let Some(prepared) = self.pack_vector_shared(key)? {
            return Ok(prepared);
        }
        if let Scratch { shapes, short, memo: Some(memo), .. } = scratch {
            let chunks = chunk_count(key.len());
            let number = |level, value| memo.number(level, value, || self.tables.of(level).intern(value));
            if Short::is_short(chunks) {
                let tuple = short.roots(key, number)?;
                return self.pack_shared(tuple);
            }
            if let Some(Some(shape)) = shapes.get_mut(chunks)
                && let Some(tuple) = shape.roots_like_base(key, number)?
            {
                return self.pack_shared(tuple);
            }
        }
        self.prepare_any_shared(scratch, key)
    }

    #[inline]
    fn insert_shared(
        &self,
        scratch: &mut Scratch,
        prepared: Prepared,
        _: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue> {
        let quota = &mut scratch.quotas[Kind::of(prepared.0) as usize];
        let is_new = self.set(prepared.0).insert_shared(name(prepared.0), quota)?;
        Ok((StateRef(prepared.0), is_new))
    }

    fn share_among(&mut self, workers: usize) {
        for set in [&mut self.triples, &mut self.packed, &mut self.pairs] {
            set.workers = workers;
        }
    }

    fn retire(&self, scratch: &mut Scratch) {
        for (kind, set) in
            [(Kind::Triple, &self.triples), (Kind::Packed, &self.packed), (Kind::Pair, &self.pairs)]
        {
            set.give_back(&mut scratch.quotas[kind as usize]);
        }
    }

    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        let prepared = self.prepare(key)?;
        if self.set(prepared.0).is_growth_due(name(prepared.0)) { self.grow_set(prepared.0) } else { Ok(()) }
    }

    fn draft_shared(&self, scratch: &mut Scratch, key: &[u8]) -> Result<Draft, GrowthDue> {
        if let Some(prepared) = self.pack_vector_shared(key)? {
            return Ok(Draft::of(prepared));
        }
        let (shape, memo, _) = scratch.ready(key, || usize::MAX).map_err(|_| GrowthDue)?;
        let draft = if shape.has_base() {
            self.draft_from::<true>(shape, memo, key)?
        } else {
            self.draft_from::<false>(shape, memo, key)?
        };
        for part in (0..PARTS).filter(|part| draft.numbers[*part] == NONE) {
            self.tables.of(Level::part(part)).prefetch(draft.parts[part]);
        }
        Ok(draft)
    }

    fn conclude_shared(&self, scratch: &mut Scratch, draft: &Draft) -> Result<Prepared, GrowthDue> {
        if draft.is_done {
            return Ok(draft.prepared());
        }
        let memo = scratch.memo.as_mut().expect("a draft was made with it");
        let mut tuple = draft.numbers;
        for part in (0..PARTS).filter(|part| draft.numbers[*part] == NONE) {
            let (level, value) = (Level::part(part), draft.parts[part]);
            tuple[part] = memo.number(level, value, || self.tables.of(level).intern(value))?;
        }
        self.pack_shared(tuple)
    }

    /// The parts that are not numbered yet have their own tables to grow.
    fn make_room_for_draft(&mut self, draft: &Draft) -> Result<(), OutOfMemory> {
        self.conclude(draft).map(|_| ())
    }

    fn read_origin_shared(&self, scratch: &mut Scratch, state: StateRef, out: &mut Vec<u8>) {
        if self.packing_of(state).is_some() {
            return self.read(state, out);
        }
        let tuple = self.tables.tuple(state.0);
        let length = numbers_of(self.tables.of(Level::part(PARTS - 1)).value(tuple[PARTS - 1]))[0];
        match scratch.shapes.get_mut(chunk_count(length as usize)) {
            Some(Some(shape)) => {
                shape.rebase(tuple, |level, number| self.tables.of(level).value(number), out)
            }
            // This worker has met none of that length so far.
            _ => self.read(state, out),
        }
    }
}

impl TreeStore {
    /// The vector as a number, if it is one. Refused if bits have to be added first: [`SharedVisited::make_room`] does that.
    #[inline(always)]
    fn pack_vector_shared(&self, key: &[u8]) -> Result<Option<Prepared>, GrowthDue> {
        match self.packing.as_ref().map(|packing| packing.pack(key)) {
            Some(Ok(number)) => Ok(Some(Prepared(PAIR | PACKED | number))),
            Some(Err(Misfit::ForNow)) => Err(GrowthDue),
            Some(Err(Misfit::ForEver)) | None => Ok(None),
        }
    }

    #[inline(never)]
    fn prepare_any_shared(&self, scratch: &mut Scratch, key: &[u8]) -> Result<Prepared, GrowthDue> {
        let (shape, memo, _) = scratch.ready(key, || usize::MAX).map_err(|_| GrowthDue)?;
        let number = |level, value| memo.number(level, value, || self.tables.of(level).intern(value));
        let tuple = match shape.has_base() {
            true => shape.roots::<true, _>(key, number)?,
            false => shape.roots::<false, _>(key, number)?,
        };
        self.pack_shared(tuple)
    }

    #[inline(never)]
    fn draft_from<const HAS_BASE: bool>(
        &self,
        shape: &mut Shape,
        memo: &mut Memo,
        key: &[u8],
    ) -> Result<Draft, GrowthDue> {
        let memo = RefCell::new(memo);
        let number =
            |level, value| memo.borrow_mut().number(level, value, || self.tables.of(level).intern(value));
        shape.draft::<HAS_BASE, _>(key, number, |level, value| memo.borrow_mut().find(level, value))
    }

    /// A triple, or else a pair.
    #[inline]
    fn pack_shared(&self, tuple: Tuple) -> Result<Prepared, GrowthDue> {
        if self.tables.is_triple(tuple) {
            return Ok(pack_triple(tuple));
        }
        match self.tables.joined.intern(join(tuple))? {
            joined if joined < JOINED_MAX => Ok(pack_pair(joined, tuple[2])),
            _ => Err(GrowthDue),
        }
    }
}
