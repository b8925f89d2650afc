//! Which processes may do something that matters to the next steps of another one: remembered, not computed anew for
//! every state.
//!
//! It depends on the concern of that process at its control state (`masks.rs`), on the *futures* of the others, the
//! effects of all that they may still do, and on the lengths of some channels. A process in a loop has the same future
//! wherever it stands in the loop, so a search sees few combinations of futures, one after the other for long. For each
//! of them there is a table by process and concern.

use super::facts::{EXIT_OF_YOUNGER, Facts};
use super::masks::{Lengths, NEW_CHANNELS, is_enabler};
use super::rows::Rows;

/// So many combinations of futures are remembered; a new one takes the place of another.
const COMBINATIONS: usize = 256;
/// Concerns with greater numbers are not remembered.
const CONCERNS_MAX: usize = 4096;

/// By process number: the rows that its instances have.
#[derive(Debug, Default)]
pub(super) struct Profile {
    pub futures: Rows,
    pub concerns: Rows,
}

#[derive(Default)]
pub(super) struct Conflicts {
    /// By a hash of the futures; none before the first question.
    combinations: Vec<Combination>,
    current: usize,
    /// What they take; searches ask for it often.
    bytes: usize,
}

#[derive(Default)]
struct Combination {
    /// The number of channels, and then the futures of all processes, each as its number among those of its process.
    futures: Vec<u32>,
    /// By process and number of its concern.
    tables: Vec<Vec<Conflict>>,
    conditions: Vec<Condition>,
    /// So many of them belong to the tables.
    kept: usize,
}

/// The processes that matter to one, as bits.
#[derive(Clone, Copy)]
struct Conflict {
    always: u64,
    /// Where there are more of them, under conditions.
    first: u32,
    count: u32,
}

/// These matter too if the channel is as told.
#[derive(Clone, Copy)]
struct Condition {
    channel: u32,
    length: Length,
    processes: u64,
}

#[derive(Clone, Copy)]
enum Length {
    Full,
    Empty,
    NotEmpty,
}

const UNKNOWN: Conflict = Conflict { always: 0, first: 0, count: u32::MAX };

impl Conflicts {
    /// From now on there are so many channels, the first number, and the processes have these futures.
    #[inline]
    pub fn turn_to(&mut self, futures: &[u32]) {
        if self.combinations.get(self.current).is_none_or(|current| current.futures != futures) {
            self.turn_to_other(futures);
        }
    }

    fn turn_to_other(&mut self, futures: &[u32]) {
        self.combinations.resize_with(COMBINATIONS, Combination::default);
        let spread =
            |hash: u64, number: &u32| (hash ^ u64::from(*number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = futures.iter().fold(0, |hash, number| spread(hash, number).rotate_left(29));
        self.current = (hash >> 32) as usize % COMBINATIONS;
        let combination = &mut self.combinations[self.current];
        if combination.futures != futures {
            let before = combination.heap_bytes();
            combination.futures.clear();
            combination.futures.extend_from_slice(futures);
            combination.tables.iter_mut().for_each(Vec::clear);
            combination.tables.resize_with(futures.len() - 1, Vec::new);
            combination.conditions.clear();
            combination.kept = 0;
            self.bytes = self.bytes - before + combination.heap_bytes();
        }
    }

    /// The processes that may do something that matters to the next steps of `pid`, whose concern has that number.
    #[inline]
    pub fn of(
        &mut self,
        facts: &Facts,
        profiles: &[Profile],
        pid: usize,
        concern: u32,
        lengths: impl FnOnce() -> Lengths,
    ) -> u64 {
        let combination = &mut self.combinations[self.current];
        let conflict = match combination.tables[pid].get(concern as usize) {
            Some(conflict) if conflict.count != UNKNOWN.count => *conflict,
            _ => {
                let before = combination.heap_bytes();
                let conflict = combination.compute(facts, profiles, pid, concern);
                self.bytes = self.bytes - before + combination.heap_bytes();
                conflict
            }
        };
        if conflict.count == 0 {
            return conflict.always;
        }
        let lengths = lengths();
        let conditions = &combination.conditions[conflict.first as usize..][..conflict.count as usize];
        conditions.iter().fold(conflict.always, |processes, condition| {
            if condition.holds(&lengths) { processes | condition.processes } else { processes }
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.combinations.len() * size_of::<Combination>() + self.bytes
    }
}

impl Condition {
    #[inline]
    fn holds(&self, lengths: &Lengths) -> bool {
        let (word, bit) = (self.channel as usize / 64, self.channel % 64);
        let is_in = |words: &[u64; 4]| words[word] >> bit & 1 == 1;
        match self.length {
            Length::Full => is_in(&lengths.full),
            Length::Empty => is_in(&lengths.empty),
            Length::NotEmpty => !is_in(&lengths.empty),
        }
    }
}

impl Combination {
    fn heap_bytes(&self) -> usize {
        let conflicts: usize = self.tables.iter().map(Vec::capacity).sum();
        conflicts * size_of::<Conflict>()
            + self.conditions.capacity() * size_of::<Condition>()
            + self.futures.capacity() * size_of::<u32>()
            + self.tables.capacity() * size_of::<Vec<Conflict>>()
    }

    #[cold]
    fn compute(&mut self, facts: &Facts, profiles: &[Profile], pid: usize, concern: u32) -> Conflict {
        let record = profiles[pid].concerns.row(concern);
        let layout = facts.layout;
        let (fixed, rest) = record.split_at(layout.words());
        let (sends, rest) = rest.split_at(layout.channel_words);
        let (receives, flags) = rest.split_at(layout.channel_words);
        // The processes with that effect on a channel.
        let with = |part: usize, channel: usize| {
            self.others(profiles, pid, |_, future| future[part + channel / 64] >> (channel % 64) & 1 == 1)
        };
        let mut always = self.others(profiles, pid, |other, future| {
            let unseen = if other < pid { EXIT_OF_YOUNGER } else { 0 };
            let processes = layout.processes();
            fixed[processes] & future[processes] & !unseen != 0
                || fixed[..processes].iter().zip(future).any(|(concern, effect)| concern & effect != 0)
        });
        if flags[0] & NEW_CHANNELS != 0 {
            for channel in self.futures[0] as usize + 1..=facts.channels_max {
                layout.uses().into_iter().for_each(|part| always |= with(part, channel));
            }
        }
        let mut conditions = Vec::new();
        let mut add = |channel: usize, length: Length, processes: u64| {
            if processes & !always != 0 {
                conditions.push(Condition { channel: channel as u32, length, processes });
            }
        };
        bits(sends).for_each(|channel| add(channel, Length::Full, with(layout.receives(), channel)));
        for channel in bits(receives) {
            add(channel, Length::Empty, with(layout.sends(), channel));
            if is_enabler(record) {
                add(channel, Length::NotEmpty, with(layout.receives(), channel));
            }
        }
        self.conditions.truncate(self.kept);
        let (first, count) = (self.kept as u32, conditions.len() as u32);
        self.conditions.append(&mut conditions);
        let conflict = Conflict { always, first, count };
        self.remember(pid, concern as usize, conflict);
        conflict
    }

    /// The other processes whose futures pass the test.
    fn others(&self, profiles: &[Profile], pid: usize, test: impl Fn(usize, &[u64]) -> bool) -> u64 {
        let futures = self.futures[1..].iter().zip(profiles).enumerate();
        let passing = futures.filter(|(other, (number, profile))| {
            *other != pid && test(*other, profile.futures.row(**number))
        });
        passing.fold(0, |processes, (other, _)| processes | 1 << other)
    }

    fn remember(&mut self, pid: usize, concern: usize, conflict: Conflict) {
        let table = &mut self.tables[pid];
        if concern < CONCERNS_MAX {
            table.resize(table.len().max(concern + 1), UNKNOWN);
            table[concern] = conflict;
            self.kept = self.conditions.len();
        }
    }
}

/// The numbers of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                index * 64 + bit
            })
        })
    })
}
