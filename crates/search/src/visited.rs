//! The visited set as a search uses it: by whole vectors.
//!
//! A store knows keys. The key of a vector is what follows its hidden part, without what is folded.

use crate::closed::{Closed, Fresh, Order};
use crate::expansion::Expansion;
use crate::fold::Fold;
use crate::omitted::{Fork, Omitted};
use crate::program::Program;
use crate::saved::Saved;
use panoptes_store::{
    ImageReader, ImageWriter, OutOfMemory, Prepared, StateRef, StateStore, StoreAccount, damaged,
};
use std::io;

pub(crate) struct Visited<S> {
    store: S,
    hidden_bytes: usize,
    fold: Option<Fold>,
    /// The states that the search is done with, if a reduction asks for them.
    closed: Option<Closed>,
    /// Some of the states that the store took for others.
    pub omitted: Omitted,
}

impl<S: StateStore + Default> Visited<S> {
    /// For a search in that order, if it is to tell which states are closed.
    pub fn new(program: &Program<'_>, budget_bytes: usize, closes: Option<Order>) -> Visited<S> {
        let mut store = S::default();
        store.configure(&program.options.store);
        store.set_budget(budget_bytes);
        let fold = Fold::new(program.model, &program.options.foldings);
        let closed = closes.map(|order| Closed::new(order, S::NUMBERING));
        Visited { store, hidden_bytes: program.hidden_bytes, fold, closed, omitted: Omitted::default() }
    }
}

impl<S> Visited<S> {
    /// For one of several workers: its session, if nothing is folded. `closes` if it is to tell which states are closed, in a search in
    /// that order.
    pub fn of_session(program: &Program<'_>, store: S, closes: Option<Order>) -> Visited<S> {
        let hidden_bytes = program.hidden_bytes;
        let closed = closes.map(|order| match order {
            Order::BreadthFirst => Closed::Levels(Fresh::of_level(0)),
            Order::DepthFirst => Closed::Visited,
        });
        Visited { store, hidden_bytes, fold: None, closed, omitted: Omitted::default() }
    }

    /// The number of the level, as far as it matters, if states have flags for levels.
    pub fn level_number(&self) -> Option<u64> {
        match &self.closed {
            Some(Closed::Levels(fresh)) => Some(u64::from(fresh.now - 1)),
            _ => None,
        }
    }

    /// Does it not matter which states of the level were expanded?
    pub fn is_by_levels(&self) -> bool {
        matches!(self.closed, None | Some(Closed::Levels(_)))
    }

    /// One of several workers goes on with the level of that number.
    pub fn begin_level(&mut self, number: u64) {
        if let Some(Closed::Levels(fresh)) = &mut self.closed {
            *fresh = Fresh::of_level(number);
        }
    }

    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S: StateStore> Visited<S> {
    /// Where several share the store: lets those in who wait for it.
    #[inline(always)]
    pub fn let_others_in(&mut self) {
        self.store.let_others_in();
    }

    /// The states have flags from now on, before the first one comes.
    pub fn keep_flags(&mut self) {
        self.store.keep_flags();
    }

    #[inline]
    pub fn flags(&self, state: StateRef) -> u8 {
        self.store.flags(state)
    }

    #[inline]
    pub fn set_flags(&self, state: StateRef, mask: u8) {
        self.store.set_flags(state, mask);
    }

    /// Can vectors be read back? Folded ones cannot.
    pub fn keeps_vectors(&self) -> bool {
        S::KEEPS_VECTORS && self.fold.is_none()
    }

    /// Are states taken for one that differ in a folded part?
    pub fn is_folded(&self) -> bool {
        self.fold.is_some()
    }

    /// The first half of a lookup, and a request for the memory that the second half will read.
    #[inline(always)]
    pub fn prepare(&mut self, vector: &[u8]) -> Result<Prepared, OutOfMemory> {
        match &self.fold {
            None => self.store.begin(&vector[self.hidden_bytes..]),
            Some(fold) => fold.with_key(vector, |key| self.store.begin(key)),
        }
    }

    /// Begins the lookups of all states that an expansion reached.
    #[inline]
    pub fn prepare_all(&mut self, expansion: &mut Expansion) -> Result<(), OutOfMemory> {
        if !expansion.is_plain {
            return expansion.prepare(|vector| self.prepare(vector));
        }
        match (expansion.begun.is_empty(), &self.fold) {
            (false, _) => Ok(()),
            (true, Some(_)) => self.begin_all(expansion),
            (true, None) => {
                let Visited { store, hidden_bytes, .. } = self;
                let hidden_bytes = *hidden_bytes;
                expansion.begin_plain(hidden_bytes, |key| store.begin(key))
            }
        }
    }

    /// Should lookups begin before it is known which of them will be made? That is so where a reduction asks about some of them
    /// and those that are not made leave no trace.
    pub fn begins_early(&self) -> bool {
        self.closed.is_some() && self.store.prepares_freely()
    }

    /// Begins the lookups of all successors that are states.
    #[inline]
    pub fn begin_all(&mut self, expansion: &mut Expansion) -> Result<(), OutOfMemory> {
        let Visited { store, fold, hidden_bytes, .. } = self;
        if fold.is_some() {
            return expansion.begin(|vector| self.prepare(vector));
        }
        expansion.begin(|vector| store.begin(&vector[*hidden_bytes..]))
    }

    /// Are lookups better begun in three passes over many expansions, by [`Self::draft_all`], [`Self::advance_all`] and
    /// [`Self::conclude_all`]?
    pub fn is_slow_to_prepare(&self) -> bool {
        self.store.is_slow_to_prepare()
    }

    pub fn draft_all(&mut self, expansion: &mut Expansion) -> Result<(), OutOfMemory> {
        let Visited { store, fold, hidden_bytes, .. } = self;
        expansion.draft(|vector| match fold {
            None => store.draft(&vector[*hidden_bytes..]),
            Some(fold) => fold.with_key(vector, |key| store.draft(key)),
        })
    }

    pub fn advance_all(&self, expansion: &Expansion) {
        expansion.drafts.iter().for_each(|draft| self.store.advance(draft));
    }

    pub fn conclude_all(&mut self, expansion: &mut Expansion) -> Result<(), OutOfMemory> {
        expansion.conclude(|draft| {
            let prepared = self.store.conclude(draft)?;
            self.store.prefetch(prepared);
            Ok(prepared)
        })
    }

    #[inline]
    pub fn prefetch(&self, prepared: Prepared) {
        self.store.prefetch(prepared);
    }

    /// Asks for the memory that the second halves of an expansion's lookups read next.
    #[inline(always)]
    pub fn prefetch_further(&self, prepared: Prepared) {
        self.store.prefetch_further(prepared);
    }

    /// The same, and whether the state may be held already. If not, that is certain.
    #[inline]
    pub fn may_hold(&self, prepared: Prepared) -> bool {
        self.store.may_hold(prepared)
    }

    /// The second half, of a lookup only.
    #[inline]
    pub fn find(&mut self, prepared: Prepared, vector: &[u8]) -> Option<StateRef> {
        match &self.fold {
            None => self.store.find_alone(prepared, &vector[self.hidden_bytes..]),
            Some(fold) => fold.with_key(vector, |key| self.store.find_alone(prepared, key)),
        }
    }

    /// Is the search not done with a state before the one that it expands now? Its lookup may have begun.
    #[inline]
    pub fn is_open(&mut self, vector: &[u8], begun: Option<Prepared>) -> Result<bool, OutOfMemory> {
        let mut find = |key: &[u8]| {
            let prepared = begun.map_or_else(|| self.store.prepare(key), Ok)?;
            Ok(self.store.find_alone(prepared, key))
        };
        let found = match &self.fold {
            None => find(&vector[self.hidden_bytes..]),
            Some(fold) => fold.with_key(vector, find),
        }?;
        let is_closed = |state| match &self.closed {
            None => false,
            Some(Closed::Levels(fresh)) => self.store.flags(state) & fresh.now == 0,
            Some(closed) => closed.contains(state),
        };
        Ok(!found.is_some_and(is_closed))
    }

    /// Have two vectors the same key? Not to be asked where parts are folded.
    #[inline]
    pub fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        debug_assert!(!self.is_folded());
        one[self.hidden_bytes..] == other[self.hidden_bytes..]
    }

    /// The state is being expanded.
    #[inline]
    pub fn close(&mut self, state: StateRef) {
        match &mut self.closed {
            None => {}
            Some(Closed::Levels(fresh)) => _ = self.store.clear_flags(state, fresh.before),
            Some(closed) => closed.close(state),
        }
    }

    /// Breadth first, the state will be expanded.
    #[inline]
    pub fn note_enqueued(&mut self, state: StateRef) {
        match &mut self.closed {
            None => {}
            Some(Closed::Levels(fresh)) => _ = self.store.set_flags(state, fresh.now),
            Some(closed) => closed.enqueue(state),
        }
    }

    /// The second half that adds the state if it is new, and says whether it is.
    #[inline(always)]
    pub fn insert(&mut self, prepared: Prepared, vector: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        match &self.fold {
            None => self.store.insert(prepared, &vector[self.hidden_bytes..]),
            Some(fold) => fold.with_key(vector, |key| self.store.insert(prepared, key)),
        }
    }

    /// Does somebody ask which states are met again?
    pub fn hears_met(&self) -> bool {
        S::HEARS_MET || self.fold.is_some()
    }

    /// [`Self::insert`] for the successors of a plain expansion from number `at` on, until one is new: its reference, and `at` is the number
    /// behind it. None if the others were known. If one could not be added, `at` is its number. Nothing may be folded.
    #[inline(always)]
    pub fn insert_until_new(
        &mut self,
        expansion: &Expansion,
        at: &mut usize,
    ) -> Result<Option<StateRef>, OutOfMemory> {
        debug_assert!(self.fold.is_none() && expansion.is_plain);
        let (out, hidden_bytes) = (expansion.successors(), self.hidden_bytes);
        let (items, bytes) = (&out.items[..], out.bytes());
        let key = |number: usize| {
            let item = &items[number];
            &bytes[item.start as usize + hidden_bytes..][..item.bytes as usize - hidden_bytes]
        };
        self.store.insert_until_new(&expansion.begun, key, at)
    }

    /// Appends what is kept of a state's vector: all but the hidden part.
    #[inline]
    pub fn read(&self, state: StateRef, vector: &mut Vec<u8>) {
        self.store.read(state, vector);
    }

    /// The same for a state whose successors are looked up next.
    #[inline]
    pub fn read_origin(&mut self, state: StateRef, vector: &mut Vec<u8>) {
        self.store.read_origin(state, vector);
    }

    /// A lookup that counts found a state to be known. `fork` tells the path there, see [`Omitted::note`].
    #[inline]
    pub fn note_met(
        &mut self,
        state: StateRef,
        vector: &[u8],
        depth: u32,
        fork: impl FnOnce(usize) -> Option<Fork>,
    ) {
        if self.store.met(state, depth) {
            self.omitted.note(state, vector, depth, fork);
        }
    }

    /// The path of a depth-first search goes on to the state.
    #[inline]
    pub fn note_entered(&mut self, state: StateRef, depth: u32) {
        self.store.entered(state, depth);
    }

    /// The path leaves the state, or one that was not to be stored.
    #[inline]
    pub fn note_left(&mut self, state: StateRef) {
        if let Some(closed) = &mut self.closed {
            closed.leave(state);
        }
        if state != StateRef::NONE {
            self.store.left(state);
        }
    }

    /// Can an image be made of it?
    pub fn has_image(&self) -> bool {
        S::HAS_IMAGE
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        self.closed.is_some().save(image)?;
        self.closed.iter().try_for_each(|closed| closed.save(image))?;
        self.omitted.save(image)?;
        self.store.save(image)
    }

    /// Takes over what was saved. What is open or on the path is still to be told.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        if bool::load(image)? != self.closed.is_some() {
            return Err(damaged("it is of a search that is reduced in another way"));
        }
        self.closed.iter_mut().try_for_each(|closed| closed.load(image))?;
        self.omitted = Saved::load(image)?;
        self.store.load(image)
    }

    /// Breadth first: the state waits once more, though its expansion had begun.
    pub fn reopen(&mut self, state: StateRef) {
        self.closed.iter_mut().for_each(|closed| closed.reopen(state));
    }

    /// Breadth first: a state that waits, of a search that was saved.
    pub fn note_waiting(&mut self, state: StateRef) {
        if let Some(closed @ Closed::Queue(_)) = &mut self.closed {
            closed.enqueue(state);
        }
    }

    /// Breadth first: the next level begins.
    pub fn next_level(&mut self) {
        if let Some(Closed::Levels(fresh)) = &mut self.closed {
            *fresh = fresh.next();
        }
    }

    pub fn set_budget(&mut self, budget_bytes: usize) {
        self.store.set_budget(budget_bytes);
    }

    pub fn store_bytes(&self) -> usize {
        self.store.bytes_in_use()
    }

    /// What is kept beside the store.
    pub fn own_bytes(&self) -> usize {
        self.omitted.heap_bytes() + self.closed.as_ref().map_or(0, Closed::heap_bytes)
    }

    pub fn bytes_per_state(&self) -> f64 {
        self.store.bytes_per_state()
    }

    pub fn account(&self) -> StoreAccount {
        self.store.account()
    }
}
