//! How the workers of a search go from level to level together.
//!
//! One of them leads. In a round each works off its share of a level; when all have ended theirs the leader makes the next level
//! of what they reached. Who waits looks for a moment before it goes to sleep: most rounds are short.

use crate::frontier::{Level, SharedLevel};
use crate::stop::Stop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often one looks before one goes to sleep.
const LOOKS: u32 = 2000;
/// How long the leader sleeps at most: it must answer when somebody asks it to stop.
const NAP: Duration = Duration::from_millis(5);

#[derive(Default)]
pub(crate) struct Rounds {
    /// Counts the rounds that have begun; the end is one, too.
    number: AtomicU64,
    /// So many have not ended their share.
    working: AtomicUsize,
    table: Mutex<Table>,
    begins: Condvar,
    ends: Condvar,
    /// All are to stop at once.
    is_halted: Arc<AtomicBool>,
}

/// What lies between the workers.
#[derive(Default)]
struct Table {
    /// How many there are beside the leader.
    members: usize,
    /// None when there are no more rounds.
    level: Option<Arc<SharedLevel>>,
    reached: Vec<Level>,
    unfinished: Vec<Level>,
    /// Why all are to stop, as the first one has it.
    why: Option<Stop>,
    /// An error was found: there is no round after this one.
    is_ending: bool,
    is_over: bool,
}

impl Rounds {
    pub fn halt_flag(&self) -> Arc<AtomicBool> {
        self.is_halted.clone()
    }

    /// All are to stop at once.
    pub fn halt(&self, why: Stop) {
        self.table().why.get_or_insert(why);
        self.is_halted.store(true, Ordering::Relaxed);
    }

    /// The leader begins a round for itself and all others who have joined.
    pub fn begin(&self, level: Arc<SharedLevel>) {
        self.announce(Some(level));
    }

    /// There are no more rounds.
    pub fn close(&self) {
        self.announce(None);
    }

    fn announce(&self, level: Option<Arc<SharedLevel>>) {
        let mut table = self.table();
        table.is_over |= level.is_none();
        table.level = level;
        self.working.store(table.members, Ordering::Relaxed);
        self.number.fetch_add(1, Ordering::Release);
        drop(table);
        self.begins.notify_all();
    }

    /// Another worker is ready, and takes part from the next round on. Until then nobody waits for it.
    pub fn join(&self) -> Member<'_> {
        let mut table = self.table();
        table.members += 1;
        Member { rounds: self, last: self.number.load(Ordering::Relaxed) }
    }

    /// A worker has found an error: what is in this level is the last that is looked at.
    pub fn note_error(&self) {
        self.table().is_ending = true;
    }

    /// The leader waits until all others have ended their share; now and then it does something else.
    pub fn wait_for_end(&self, mut meanwhile: impl FnMut()) {
        for _ in 0..LOOKS {
            if self.working.load(Ordering::Acquire) == 0 {
                return;
            }
            std::hint::spin_loop();
        }
        let mut table = self.table();
        while self.working.load(Ordering::Acquire) > 0 {
            let woken = self.ends.wait_timeout(table, NAP).unwrap_or_else(PoisonError::into_inner);
            let is_late = woken.1.timed_out();
            table = woken.0;
            if is_late {
                drop(table);
                meanwhile();
                table = self.table();
            }
        }
    }

    /// What the others have reached in the round that is over, what they left of it, and whether to go on.
    pub fn collect(&self) -> (Vec<Level>, Vec<Level>, Result<(), Stop>) {
        let mut table = self.table();
        table.level = None;
        let why = table.why.or(table.is_ending.then_some(Stop::Error));
        let (reached, unfinished) =
            (std::mem::take(&mut table.reached), std::mem::take(&mut table.unfinished));
        (reached, unfinished, why.map_or(Ok(()), Err))
    }

    /// Was an error found?
    pub fn is_ending(&self) -> bool {
        self.table().is_ending
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the others.
pub(crate) struct Member<'r> {
    rounds: &'r Rounds,
    /// The last round that it knows of.
    last: u64,
}

impl<'r> Member<'r> {
    /// Waits for the next round. None if there is none.
    pub fn wait_for_begin(&mut self) -> Option<Arc<SharedLevel>> {
        let number = &self.rounds.number;
        for _ in 0..LOOKS {
            if number.load(Ordering::Acquire) != self.last {
                break;
            }
            std::hint::spin_loop();
        }
        let mut table = self.rounds.table();
        while number.load(Ordering::Relaxed) == self.last && !table.is_over {
            table = self.rounds.begins.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
        self.last = number.load(Ordering::Relaxed);
        table.level.clone()
    }

    /// Its share of the round, which is at its end when that is dropped, whatever happened.
    pub fn share(&self) -> Ending<'r> {
        Ending { rounds: self.rounds, reached: Level::default(), unfinished: Level::default() }
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        self.rounds.table().members -= 1;
    }
}

/// Tells the leader that a worker has ended its share.
pub(crate) struct Ending<'r> {
    rounds: &'r Rounds,
    pub reached: Level,
    pub unfinished: Level,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.rounds.halt(Stop::Error);
        }
        let mut table = self.rounds.table();
        if self.reached.len() > 0 {
            table.reached.push(std::mem::take(&mut self.reached));
        }
        if self.unfinished.len() > 0 {
            table.unfinished.push(std::mem::take(&mut self.unfinished));
        }
        let is_last = self.rounds.working.fetch_sub(1, Ordering::Release) == 1;
        drop(table);
        if is_last {
            self.rounds.ends.notify_one();
        }
    }
}

/// Sends the others home when the leader is done, or cannot go on.
pub(crate) struct Closing<'r>(pub &'r Rounds);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
