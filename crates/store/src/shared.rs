//! A store that several workers share.
//!
//! Lookups and insertions need only `&self`. Growing needs the store alone: who is refused ([`GrowthDue`]) ends its session,
//! waits for the others to end theirs, makes room, and begins again. So a session should last for some lookups, and no
//! longer: who waits for anything else must not have one.
//!
//! A [`Session`] answers as a store of one's own does, so a search need not know which of the two it has.

use crate::bump::Bump;
use crate::seats::Seats;
use crate::{
    Draft, Drafting, Flags, GrowthDue, Numbering, OutOfMemory, PathHooks, Prepared, ReadBack, StateRef,
    StateStore, StoreAccount, Visited,
};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Stores that threads can share: lookups from `&self`, each worker with a scratch of its own.
///
/// [`Visited::prefetch`], [`Visited::may_hold`] and [`Visited::find`] may be called at the same time.
pub trait SharedVisited: StateStore + Send + Sync {
    /// What a worker remembers from one lookup to the next.
    type Scratch: Default + Send;

    /// [`Visited::prepare`]. Refused when something has to grow first.
    fn prepare_shared(&self, scratch: &mut Self::Scratch, key: &[u8]) -> Result<Prepared, GrowthDue>;

    /// [`Visited::insert`]. Refused when something has to grow first.
    fn insert_shared(
        &self,
        scratch: &mut Self::Scratch,
        prepared: Prepared,
        key: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue>;

    /// So many workers will share the store. Whoever makes room may use as many threads: the others wait for it.
    fn share_among(&mut self, workers: usize) {
        let _ = workers;
    }

    /// [`PathHooks::met`].
    #[inline]
    fn met_shared(&self, scratch: &mut Self::Scratch, state: StateRef) -> bool {
        let _ = (scratch, state);
        false
    }

    /// The worker with that scratch adds nothing more.
    fn retire(&self, scratch: &mut Self::Scratch) {
        let _ = scratch;
    }

    /// What has to be done alone when a key was refused: afterwards there is room for it.
    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory>;

    /// [`Drafting::draft`]. Refused when something has to grow first.
    fn draft_shared(&self, scratch: &mut Self::Scratch, key: &[u8]) -> Result<Draft, GrowthDue> {
        Ok(Draft::of(self.prepare_shared(scratch, key)?))
    }

    /// [`Drafting::conclude`]. Refused when something has to grow first.
    fn conclude_shared(&self, scratch: &mut Self::Scratch, draft: &Draft) -> Result<Prepared, GrowthDue> {
        let _ = scratch;
        Ok(draft.prepared())
    }

    /// [`Self::make_room`] when a draft was refused.
    fn make_room_for_draft(&mut self, draft: &Draft) -> Result<(), OutOfMemory> {
        let _ = draft;
        Ok(())
    }

    /// [`ReadBack::read_origin`].
    #[inline]
    fn read_origin_shared(&self, scratch: &mut Self::Scratch, state: StateRef, out: &mut Vec<u8>) {
        let _ = scratch;
        self.read(state, out);
    }
}

/// A store and the seats of those who share it.
#[derive(Debug)]
pub struct Shared<S> {
    store: UnsafeCell<S>,
    seats: Seats,
    seat_count: usize,
    given: Bump,
    /// What the store may take, for whoever makes room next; what it was told before if this is all there is.
    budget_bytes: AtomicUsize,
}

// SAFETY: threads get `&S` in sessions, and `&mut S` only when nobody is in one; both need no more of `S` than it promises.
unsafe impl<S: Send + Sync> Sync for Shared<S> {}

impl<S: SharedVisited> Shared<S> {
    /// For so many workers.
    pub fn new(mut store: S, workers: usize) -> Shared<S> {
        store.share_among(workers);
        let seats = Seats::new(workers, || AtomicU32::new(0));
        let (store, given) = (UnsafeCell::new(store), Bump::default());
        Shared { store, seats, seat_count: workers, given, budget_bytes: AtomicUsize::new(usize::MAX) }
    }

    /// A worker's access to the store; none if all workers have theirs.
    pub fn seat(&self) -> Option<Seat<'_, S>> {
        let number = self.given.take(1, self.seat_count)?;
        Some(Seat { shared: self, number, scratch: S::Scratch::default() })
    }

    /// The store, after all workers have ended.
    pub fn into_inner(self) -> S {
        self.store.into_inner()
    }
}

/// One worker's access to a shared store.
pub struct Seat<'a, S: SharedVisited> {
    shared: &'a Shared<S>,
    /// No other has the same.
    number: usize,
    scratch: S::Scratch,
}

impl<'a, S: SharedVisited> Seat<'a, S> {
    /// Begins a session; waits while somebody makes room.
    #[inline]
    pub fn enter(&mut self) -> Session<'_, 'a, S> {
        self.shared.seats.enter(self.number);
        Session { seat: self }
    }
}

impl<S: SharedVisited> Drop for Seat<'_, S> {
    fn drop(&mut self) {
        let mut session = self.enter();
        let (store, scratch) = session.store_and_scratch();
        store.retire(scratch);
    }
}

/// Some lookups in a shared store. As long as it lasts, the store does not grow.
pub struct Session<'s, 'a, S: SharedVisited> {
    seat: &'s mut Seat<'a, S>,
}

impl<S: SharedVisited> Drop for Session<'_, '_, S> {
    #[inline]
    fn drop(&mut self) {
        self.seat.shared.seats.leave(self.seat.number);
    }
}

/// The store is open again, whatever happens.
struct Alone<'a>(&'a Seats);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl<S: SharedVisited> Session<'_, '_, S> {
    #[inline]
    pub fn store(&self) -> &S {
        // SAFETY: the seat is taken from `enter` to `drop`, except within `make_room`, where `&mut self` lets no reference
        // from here live on. While a seat is taken nobody has the store alone.
        unsafe { &*self.seat.shared.store.get() }
    }

    /// Ends the session while somebody waits for something else, and begins it again.
    pub fn outside<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        let Seat { shared, number, .. } = *self.seat;
        shared.seats.leave(number);
        // Last, also if something panics: the session goes on, and ends when it is dropped.
        let _again = Again(&shared.seats, number);
        wait()
    }

    #[cold]
    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        self.alone(|store| store.make_room(key))
    }

    /// Ends the session, changes the store alone, and begins the session again.
    fn alone<T>(&mut self, change: impl FnOnce(&mut S) -> T) -> T {
        let shared = self.seat.shared;
        self.outside(|| {
            shared.seats.close();
            let _alone = Alone(&shared.seats);
            // SAFETY: all seats are empty and stay so until the seats are opened; the one of this session, too, since its
            // owner is here.
            let store = unsafe { &mut *shared.store.get() };
            match shared.budget_bytes.load(Relaxed) {
                usize::MAX => {}
                budget_bytes => store.set_budget(budget_bytes),
            }
            change(store)
        })
    }

    /// The store, and what its worker remembers.
    #[inline]
    fn store_and_scratch(&mut self) -> (&S, &mut S::Scratch) {
        // SAFETY: as in `store`; the scratch is no part of the store.
        (unsafe { &*self.seat.shared.store.get() }, &mut self.seat.scratch)
    }
}

/// Takes a seat again.
struct Again<'a>(&'a Seats, usize);

impl Drop for Again<'_> {
    fn drop(&mut self) {
        self.0.enter(self.1);
    }
}

impl<S: SharedVisited> Visited for Session<'_, '_, S> {
    /// Others may be given a place first and tell later that it is theirs.
    const NUMBERING: Numbering = match S::NUMBERING {
        Numbering::Growing => Numbering::Dense,
        same => same,
    };

    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        loop {
            let (store, scratch) = self.store_and_scratch();
            match store.prepare_shared(scratch, key) {
                Ok(prepared) => return Ok(prepared),
                Err(GrowthDue) => self.make_room(key)?,
            }
        }
    }

    fn prepares_freely(&self) -> bool {
        self.store().prepares_freely()
    }

    #[inline]
    fn prefetch(&self, prepared: Prepared) {
        self.store().prefetch(prepared);
    }

    #[inline]
    fn prefetch_further(&self, prepared: Prepared) {
        self.store().prefetch_further(prepared);
    }

    #[inline]
    fn may_hold(&self, prepared: Prepared) -> bool {
        self.store().may_hold(prepared)
    }

    #[inline]
    fn insert(&mut self, prepared: Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        loop {
            let (store, scratch) = self.store_and_scratch();
            match store.insert_shared(scratch, prepared, key) {
                Ok(inserted) => return Ok(inserted),
                Err(GrowthDue) => self.make_room(key)?,
            }
        }
    }

    #[inline]
    fn find(&self, prepared: Prepared, key: &[u8]) -> Option<StateRef> {
        self.store().find(prepared, key)
    }
}

impl<S: SharedVisited> Drafting for Session<'_, '_, S> {
    #[inline]
    fn is_slow_to_prepare(&self) -> bool {
        self.store().is_slow_to_prepare()
    }

    #[inline]
    fn draft(&mut self, key: &[u8]) -> Result<Draft, OutOfMemory> {
        loop {
            let (store, scratch) = self.store_and_scratch();
            match store.draft_shared(scratch, key) {
                Ok(draft) => return Ok(draft),
                Err(GrowthDue) => self.make_room(key)?,
            }
        }
    }

    #[inline]
    fn advance(&self, draft: &Draft) {
        self.store().advance(draft);
    }

    #[inline]
    fn conclude(&mut self, draft: &Draft) -> Result<Prepared, OutOfMemory> {
        loop {
            let (store, scratch) = self.store_and_scratch();
            match store.conclude_shared(scratch, draft) {
                Ok(prepared) => return Ok(prepared),
                Err(GrowthDue) => self.alone(|store| store.make_room_for_draft(draft))?,
            }
        }
    }
}

impl<S: SharedVisited> ReadBack for Session<'_, '_, S> {
    const KEEPS_VECTORS: bool = S::KEEPS_VECTORS;

    #[inline]
    fn read(&self, state: StateRef, out: &mut Vec<u8>) {
        self.store().read(state, out);
    }

    #[inline]
    fn read_origin(&mut self, state: StateRef, out: &mut Vec<u8>) {
        let (store, scratch) = self.store_and_scratch();
        store.read_origin_shared(scratch, state, out);
    }
}

impl<S: SharedVisited> Flags for Session<'_, '_, S> {
    const HAS_FLAGS: bool = S::HAS_FLAGS;

    #[inline]
    fn flags(&self, state: StateRef) -> u8 {
        self.store().flags(state)
    }

    #[inline]
    fn set_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.store().set_flags(state, mask)
    }

    #[inline]
    fn clear_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.store().clear_flags(state, mask)
    }
}

/// Stores that can be shared forget nothing, but some confuse states.
impl<S: SharedVisited> PathHooks for Session<'_, '_, S> {
    const HEARS_MET: bool = S::HEARS_MET;

    #[inline]
    fn met(&mut self, state: StateRef, _: u32) -> bool {
        let (store, scratch) = self.store_and_scratch();
        store.met_shared(scratch, state)
    }
}

/// The whole store, as all who share it have filled it.
impl<S: SharedVisited> StateStore for Session<'_, '_, S> {
    const IS_FRUGAL: bool = S::IS_FRUGAL;

    fn len(&self) -> usize {
        self.store().len()
    }

    fn bytes_in_use(&self) -> usize {
        self.store().bytes_in_use()
    }

    /// From the next time on that somebody makes room.
    fn set_budget(&mut self, budget_bytes: usize) {
        let told = &self.seat.shared.budget_bytes;
        // Others read what stands beside it.
        if told.load(Relaxed) != budget_bytes {
            told.store(budget_bytes, Relaxed);
        }
    }

    fn account(&self) -> StoreAccount {
        self.store().account()
    }

    /// Whoever waits to be alone need not wait until the session ends.
    #[inline]
    fn let_others_in(&mut self) {
        if self.seat.shared.seats.is_closed() {
            self.outside(|| ());
        }
    }
}
