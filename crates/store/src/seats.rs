//! Who is at work with something shared, and how one gets it alone.
//!
//! Every worker has a seat, a word of its own in a cache line of its own: to begin and to end a session costs no worker another
//! one's time. Who wants to be alone says so and waits until all seats are empty; who comes meanwhile waits for that to end.
//! Either the one who comes sees that somebody wants to be alone, or that one sees the seat taken: both write first, then
//! read, with a fence between (Dekker's exclusion).

use crate::word::Cell;
use std::sync::atomic::AtomicU32;

/// Nobody, or somebody.
const TAKEN: u32 = 1;

#[derive(Debug)]
pub(crate) struct Seats<C = AtomicU32> {
    seats: Box<[Line<C>]>,
    /// Somebody is alone, or about to be.
    is_closed: C,
}

/// Two cache lines, which some processors fetch together.
#[derive(Debug)]
#[repr(align(128))]
struct Line<C>(C);

impl<C: Cell<u32>> Seats<C> {
    pub fn new(count: usize, empty: impl Fn() -> C) -> Seats<C> {
        Seats { seats: (0..count).map(|_| Line(empty())).collect(), is_closed: empty() }
    }

    /// Begins a session. What others did alone before can be seen.
    #[inline]
    pub fn enter(&self, seat: usize) {
        let Line(seat) = &self.seats[seat];
        loop {
            seat.store(TAKEN);
            C::fence();
            if self.is_closed.load() == 0 {
                return;
            }
            self.wait_outside(seat);
        }
    }

    #[cold]
    fn wait_outside(&self, seat: &C) {
        seat.store(0);
        wait_for(&self.is_closed);
    }

    #[inline]
    pub fn leave(&self, seat: usize) {
        self.seats[seat].0.store(0);
    }

    /// Waits until nobody has a session, nor can begin one before [`Self::open`]. The caller has none.
    pub fn close(&self) {
        while self.is_closed.claim(TAKEN).is_err() {
            wait_for(&self.is_closed);
        }
        C::fence();
        self.seats.iter().for_each(|Line(seat)| wait_for(seat));
    }

    /// Does somebody want to be alone?
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.is_closed.load() != 0
    }

    pub fn open(&self) {
        self.is_closed.store(0);
    }
}

/// Until it is zero.
fn wait_for<C: Cell<u32>>(cell: &C) {
    let mut round = 0;
    while cell.load() != 0 {
        C::wait(round);
        round += 1;
    }
}
