//! A larger table of lines from a smaller one, by several threads.
//!
//! The keys stand in both nearly in the same order. So the old table is cut into as many parts as there are threads, and the new one where these
//! parts will lie. Each thread takes the keys of one part of the old table, and writes to one part of the new one, which nobody else
//! has. A key that belongs elsewhere, or finds no place in the part, is left for one thread in the end: that is so for a few lines at each cut. A key can be
//! put in at any time, for it goes to the first line with an empty place, from its home on.

use std::ops::Range;

/// Smaller tables are left to one thread. (Few lines in tests, so that small tables are shared.)
pub(crate) const LINES_MIN: usize = if cfg!(test) { 1 << 6 } else { 1 << 14 };

/// A table of lines that is read or filled in parts.
pub(crate) trait Spread: Sync {
    /// Some of its lines, for one of several threads that fill it.
    type Part<'a>: Settle
    where
        Self: 'a;

    fn line_count(&self) -> usize;
    /// The home line of a key.
    fn home(&self, key: u64) -> usize;
    /// The first key that has a line as its home.
    fn first_key(&self, line: usize) -> u64;
    /// The keys in some lines; nobody adds any now.
    fn for_each_key(&self, lines: Range<usize>, each: impl FnMut(u64));
    /// Cuts the table before these lines, of which the first is the first of all. `filled` tells how many entries each line has.
    fn parts<'a>(&'a mut self, starts: &[usize], filled: &'a mut [u8]) -> Vec<Self::Part<'a>>;
}

pub(crate) trait Settle: Send {
    /// Puts a key in that is not there. False if it does not belong here, or there is no place for it.
    fn settle(&mut self, key: u64) -> bool;
}

/// Cuts what a table has for each of its lines, so many at a time, before these lines.
pub(crate) fn cut<'a, W>(
    mut words: &'a mut [W],
    mut filled: &'a mut [u8],
    per_line: usize,
    starts: &[usize],
) -> Vec<(&'a mut [W], &'a mut [u8])> {
    let lines = filled.len();
    let mut parts = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(lines);
        let (own_words, other_words) = words.split_at_mut((end - start) * per_line);
        let (own_filled, other_filled) = filled.split_at_mut(end - start);
        parts.push((own_words, own_filled));
        (words, filled) = (other_words, other_filled);
    }
    parts
}

/// Puts the keys of `old`, as `remix` changes them, into `new`, which is empty; `filled` tells how many entries each of its lines has. The keys that
/// are left, changed.
pub(crate) fn spread<A: Spread, B: Spread>(
    old: &A,
    new: &mut B,
    filled: &mut [u8],
    workers: usize,
    remix: impl Fn(u64) -> u64 + Sync,
) -> Vec<u64> {
    let lines = old.line_count();
    let cut = |worker: usize| lines * worker / workers;
    let parts: Vec<Range<usize>> = (0..workers).map(|worker| cut(worker)..cut(worker + 1)).collect();
    let mut starts = vec![0];
    for part in &parts[1..] {
        let start = new.home(remix(old.first_key(part.start)));
        starts.push(start.max(starts[starts.len() - 1]));
    }
    let targets = new.parts(&starts, filled);
    let work = |part: Range<usize>, mut target: B::Part<'_>| {
        let mut left = Vec::new();
        old.for_each_key(part, |key| {
            let key = remix(key);
            if !target.settle(key) {
                left.push(key);
            }
        });
        left
    };
    std::thread::scope(|scope| {
        let mut pairs = parts.into_iter().zip(targets);
        let (part, target) = pairs.next().expect("there is a first worker");
        let work = &work;
        let others: Vec<_> = pairs.map(|(part, target)| scope.spawn(move || work(part, target))).collect();
        let mut left = work(part, target);
        for other in others {
            match other.join() {
                Ok(mut keys) => left.append(&mut keys),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        left
    })
}
