//! Bits that stand for a state, set by any number of threads.
//!
//! Of two threads that set the same bits at the same time, one must learn that the state is new, and the other that it is known. One of
//! the bits decides: the last one, in the order of the places, that a thread finds unset. It sets the others first. Who sets the one that
//! decides has found the state. A thread that comes meanwhile finds fewer bits unset, but the one that decides among them; and who
//! finds that set, finds all others set as well (it is set with release, and read with acquire ordering).
//!
//! Another state may set the bit that decides between the look and the setting. Then nobody has found the state, though all its bits are
//! set: it is omitted. That takes another insertion of just this bit within the same few nanoseconds.

use crate::word::Register;

/// Sets the bits at some places, in words all of which threads share. `places` calls what it is given with the word and the bit of each, in the
/// same order every time. True if this thread has found the state, and how many bits it has set.
#[inline(always)]
pub(crate) fn claim<C: Register<u64>>(
    words: &[C],
    places: impl Fn(&mut dyn FnMut(usize, u64)),
) -> (bool, u32) {
    let mut decides = None;
    places(&mut |word, mask| {
        if words[word].load() & mask == 0 {
            decides = Some((word, mask));
        }
    });
    let Some((last_word, last_mask)) = decides else { return (false, 0) };
    let mut fresh = 0;
    let mut set = |word: usize, mask: u64| {
        let is_fresh = words[word].load() & mask == 0 && words[word].or(mask) & mask == 0;
        fresh += u32::from(is_fresh);
        is_fresh
    };
    places(&mut |word, mask| {
        if (word, mask) != (last_word, last_mask) {
            set(word, mask);
        }
    });
    let is_new = set(last_word, last_mask);
    (is_new, fresh)
}
