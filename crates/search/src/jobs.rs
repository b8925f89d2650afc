//! Where workers that go depth first leave what others may follow.
//!
//! A worker that has nothing left to do waits here, and says so. One that has more than enough sees that, and gives away a part of its
//! stack. When all wait, there is nothing left to do.

use crate::frontier::stack::Job;
use crate::stop::Stop;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long one who waits sleeps at most: the first worker must answer when somebody asks it to stop.
const NAP: Duration = Duration::from_millis(5);

#[derive(Default)]
pub(crate) struct Jobs {
    table: Mutex<Table>,
    changed: Condvar,
    /// Somebody waits, and there is nothing for it.
    is_wanted: AtomicBool,
    /// All are to stop at once.
    is_halted: AtomicBool,
    /// What the jobs take.
    bytes: AtomicUsize,
}

#[derive(Default)]
struct Table {
    jobs: VecDeque<Job>,
    /// How many workers there are, and how many of them wait.
    members: usize,
    waiting: usize,
    /// Why all are to stop, as the first one has it.
    why: Option<Stop>,
    is_over: bool,
}

impl Jobs {
    /// Another worker is ready; none if there is nothing left to do.
    pub fn join(&self) -> Option<Member<'_>> {
        let mut table = self.table();
        if table.is_over {
            return None;
        }
        table.members += 1;
        Some(Member(self))
    }

    /// Should a worker give something away?
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.is_wanted.load(Relaxed)
    }

    #[inline]
    pub fn is_halted(&self) -> bool {
        self.is_halted.load(Relaxed)
    }

    pub fn give(&self, jobs: Vec<Job>) {
        let Some(first) = jobs.first() else { return };
        let bytes = first.path_bytes() + jobs.iter().map(Job::heap_bytes).sum::<usize>();
        self.bytes.fetch_add(bytes, Relaxed);
        self.is_wanted.store(false, Relaxed);
        self.table().jobs.extend(jobs);
        self.changed.notify_all();
    }

    /// All are to stop at once.
    pub fn halt(&self, why: Stop) {
        let mut table = self.table();
        // Who stopped because another one did has no reason of its own.
        if why != Stop::Shared {
            table.why.get_or_insert(why);
        }
        table.is_over = true;
        self.is_halted.store(true, Relaxed);
        drop(table);
        self.changed.notify_all();
    }

    /// How the search ended.
    pub fn how(&self) -> Result<(), Stop> {
        self.table().why.map_or(Ok(()), Err)
    }

    pub fn heap_bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker that takes part.
pub(crate) struct Member<'j>(&'j Jobs);

impl Member<'_> {
    /// What to do next; none when nothing is left, or all are to stop. Now and then one who waits does something else.
    pub fn next(&mut self, mut meanwhile: impl FnMut()) -> Option<Job> {
        let jobs = self.0;
        let mut table = jobs.table();
        table.waiting += 1;
        loop {
            if table.is_over {
                return None;
            }
            if let Some(job) = table.jobs.pop_front() {
                table.waiting -= 1;
                if table.jobs.is_empty() {
                    jobs.bytes.store(0, Relaxed);
                    jobs.is_wanted.store(table.waiting > 0, Relaxed);
                }
                return Some(job);
            }
            if table.waiting == table.members {
                table.is_over = true;
                drop(table);
                jobs.changed.notify_all();
                return None;
            }
            jobs.is_wanted.store(true, Relaxed);
            let woken = jobs.changed.wait_timeout(table, NAP).unwrap_or_else(PoisonError::into_inner);
            let is_late = woken.1.timed_out();
            table = woken.0;
            if is_late {
                drop(table);
                meanwhile();
                table = jobs.table();
            }
        }
    }
}

/// Whatever happened to it, nobody waits for it any more.
impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt(Stop::Error);
        }
    }
}
