//! A swarm: many small bit-state searches, each in another order, over all cores.
//!
//! A space that is too large for one search is large enough for many that look elsewhere (Holzmann, Joshi, Groce, *Swarm
//! Verification*, 2008). The jobs differ in the order of processes and steps, in depth, in hash functions and in what they
//! leave out; each is a search that can also be run alone, on another machine, by the options that [`Job::arguments`] gives.
//! Time that a job does not use is left to the others. If nobody said how many jobs there are, there are more of them, longer
//! and longer, until the time is used.

use crate::engine::with_engine;
use crate::limits::Depth;
use crate::names::Named;
use crate::plan::{self, Searched};
use crate::{BitArray, CheckSettings, EngineUse, Hashing, Limits, Order, Scatter, StoreSpec, Strategy};
use panoptes_model::Model;
use panoptes_search::{Finding, Limit, Observer, Outcome, Statistics, auto_depth};
use panoptes_store::{BitStore, StoreAccount};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a swarm searches unless it is told.
const SWARM_TIME: Duration = Duration::from_secs(60);
/// Jobs for each thread, unless it is told how many.
const JOBS_A_THREAD: u32 = 8;
/// The array of a job, unless memory or bits are given: 32 MiB.
const JOB_BITS: u64 = 1 << 28;
/// No path of a job is longer, unless that is asked for.
const LONG_MAX: u64 = 10_000_000;
/// More time than anyone has, and little enough to be added to a moment.
const TIME_MAX: Duration = Duration::from_secs(1 << 40);
/// How often the swarm looks after its jobs.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How large a swarm is, and what its searches share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swarm {
    /// Searches in all. None for some of each thread, and more if time is left.
    pub jobs: Option<u32>,
    /// Searches at a time. None for as many as there are cores.
    pub threads: Option<u32>,
    /// Its scatter searches take timeouts only where nothing else can be done.
    pub timeouts_last: bool,
}

impl Default for Swarm {
    fn default() -> Swarm {
        Swarm::DEFAULT
    }
}

impl Swarm {
    pub const DEFAULT: Swarm = Swarm { jobs: None, threads: None, timeouts_last: true };

    /// Searches at a time, at least one.
    pub fn thread_count(&self) -> u32 {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        self.threads.unwrap_or_else(cores).max(1)
    }

    /// How many searches are planned at first.
    pub fn job_count(&self) -> u32 {
        self.jobs.unwrap_or(self.thread_count().saturating_mul(JOBS_A_THREAD))
    }

    /// The time of each planned job, if all have the same share of the time of the swarm.
    pub fn time_of_job(&self, limits: &Limits) -> Duration {
        job_time(limits.time.unwrap_or(SWARM_TIME), self.thread_count(), self.job_count())
    }
}

/// What a swarm did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwarmSummary {
    pub threads: u32,
    /// With those that were added because time was left.
    pub jobs_planned: u32,
    pub jobs_run: u32,
    /// Jobs that ended by themselves: they had nothing left within their limits.
    pub jobs_ended: u32,
    /// One of them was limited by nothing but its array.
    pub was_all_seen: bool,
}

/// One search of a swarm.
#[derive(Clone, Debug)]
pub struct Job {
    /// The check that this job is.
    pub settings: CheckSettings,
}

impl Job {
    /// The job with that number; the same number and settings always give the same job.
    pub fn new(model: &Model, swarm: Swarm, settings: &CheckSettings, number: u32) -> Job {
        let timeouts_last = swarm.timeouts_last;
        let scatter = |order, limit: Option<u16>| {
            let processes_max = limit.map(u32::from);
            let everything = Scatter::EVERYTHING;
            Strategy::Scatter(Scatter {
                order,
                processes_max,
                queue_limit: limit,
                timeouts_last,
                ..everything
            })
        };
        let strategy = match number % 4 {
            0 | 2 => Strategy::Random,
            1 => scatter(Order::Reversed, None),
            _ => scatter(Order::Random, Some(2)),
        };
        let limits = &settings.limits;
        let asked = limits.depth.map(|depth| depth.of(model));
        let round = number / swarm.job_count().max(1);
        let long = asked.unwrap_or_else(|| {
            let factor = 1u64.checked_shl(round).unwrap_or(u64::MAX);
            auto_depth(model).saturating_mul(factor).min(LONG_MAX)
        });
        let depth = match number / 2 % 4 {
            0 => long,
            1 => long / 4,
            2 => long / 2,
            // A bound that was asked for is not exceeded.
            _ if asked.is_some() => long,
            _ => long.saturating_mul(4),
        };
        let array = match settings.store {
            StoreSpec::Bitstate(array) => array,
            _ => BitArray::default(),
        };
        let usual = array.hashing.unwrap_or_default();
        let hashing = Hashing { hashes: [usual.hashes, 2, 4][number as usize % 3], passes: 1, ..usual };
        let memory = limits.memory.map(|bytes| bytes / u64::from(swarm.thread_count()));
        // Some of its memory is for its path.
        let bits = memory.map_or(JOB_BITS, |bytes| BitStore::bits_within(bytes).max(1024));
        let bits = array.bits.unwrap_or(bits);
        let depth = Some(Depth::Steps(depth.max(1)));
        let job = CheckSettings {
            strategy,
            store: StoreSpec::Bitstate(BitArray { bits: Some(bits), hashing: Some(hashing) }),
            limits: Limits { depth, memory, ..*limits },
            seed: settings.seed.wrapping_add(u64::from(number)),
            ..settings.clone()
        };
        Job { settings: job }
    }

    /// The options by which `panoptes check` runs this job alone; what all jobs share is not among them.
    pub fn arguments(&self) -> Vec<String> {
        let settings = &self.settings;
        let limit = |limit: Option<u32>| limit.map_or("all".to_string(), |limit| limit.to_string());
        let queue_limit = settings.limits.queue;
        let mut words = Vec::new();
        let mut add = |option: &str, value: String| words.extend([option.to_string(), value]);
        add("--search", settings.strategy.name().to_string());
        match settings.strategy {
            Strategy::Scatter(scatter) => {
                add("--processes", limit(scatter.processes_max));
                add("--queue-limit", limit(scatter.queue_limit(queue_limit).map(u32::from)));
                add("--order", scatter.order.name().to_string());
            }
            _ if queue_limit.is_some() => add("--queue-limit", limit(queue_limit.map(u32::from))),
            _ => {}
        }
        add("--seed", settings.seed.to_string());
        if let Some(depth) = settings.limits.depth {
            add("--depth", depth.to_string());
        }
        words.extend(settings.store.arguments());
        words
    }
}

/// The time one of so many jobs gets when the threads share what is left.
fn job_time(time_left: Duration, threads: u32, jobs_left: u32) -> Duration {
    let share = time_left.as_secs_f64() * f64::from(threads.max(1)) / f64::from(jobs_left.max(1));
    // A share too large to be a duration is more than all that is left.
    Duration::try_from_secs_f64(share).map_or(time_left, |share| share.min(time_left))
}

/// What the threads of a swarm share.
struct Shared {
    next_job: AtomicU32,
    /// A job was limited by nothing but its array: there is little left to look for.
    is_all_seen: AtomicBool,
    stop: AtomicBool,
    stored: AtomicU64,
    transitions: AtomicU64,
    max_depth: AtomicU64,
}

/// Runs the jobs on a model that is optimised already.
pub(crate) fn swarm(
    model: &Model,
    size: Swarm,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
) -> (Outcome, SwarmSummary, EngineUse) {
    let start = Instant::now();
    let time = settings.limits.time.unwrap_or(SWARM_TIME);
    let deadline = start.checked_add(time.min(TIME_MAX)).unwrap_or(start);
    let job_count = size.job_count();
    let threads = size.thread_count().min(job_count);
    let shared = Shared {
        next_job: AtomicU32::new(0),
        is_all_seen: AtomicBool::new(false),
        stop: AtomicBool::new(false),
        stored: AtomicU64::new(0),
        transitions: AtomicU64::new(0),
        max_depth: AtomicU64::new(0),
    };
    let mut found = Found {
        summary: SwarmSummary { threads, jobs_planned: job_count, ..SwarmSummary::default() },
        sum: None,
        engine: None,
        is_interrupted: false,
        is_out_of_time: false,
        is_out_of_memory: false,
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut started = 0;
        while started < threads && Instant::now() < deadline {
            let (shared, sender) = (&shared, sender.clone());
            let work = move || work(model, size, settings, deadline, shared, &sender);
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                // The system allows no more: those that there are do all the jobs.
                break;
            }
            started += 1;
        }
        if started == 0 {
            work(model, size, settings, deadline, &shared, &sender);
        }
        found.summary.threads = started.max(1);
        drop(sender);
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(Message::Ended(outcome)) => {
                    if found.take(*outcome, observer) && !settings.all_errors {
                        shared.stop.store(true, Ordering::Relaxed);
                    }
                }
                Ok(Message::Engine(used)) => found.note_engine(used),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if observer.progress(&shared.statistics()).is_break() {
                found.is_interrupted = true;
                shared.stop.store(true, Ordering::Relaxed);
            }
        }
    });
    found.summary.was_all_seen = shared.is_all_seen.load(Ordering::Relaxed);
    found.finish(settings)
}

/// What a thread tells.
enum Message {
    Ended(Box<Outcome>),
    Engine(EngineUse),
}

/// One thread: job after job on the same executor.
fn work(
    model: &Model,
    size: Swarm,
    settings: &CheckSettings,
    deadline: Instant,
    shared: &Shared,
    sender: &mpsc::Sender<Message>,
) {
    let job_count = size.job_count();
    let ((), used) = with_engine(model, settings, None, |executor| {
        loop {
            let number = shared.next_job.fetch_add(1, Ordering::Relaxed);
            let time_left = deadline.saturating_duration_since(Instant::now());
            let is_stopped = time_left.is_zero() || shared.stop.load(Ordering::Relaxed);
            let is_enough = size.jobs.is_some() || shared.is_all_seen.load(Ordering::Relaxed);
            if is_stopped || (number >= job_count && is_enough) {
                return;
            }
            let mut job = Job::new(model, size, settings, number).settings;
            let time = job_time(time_left, size.thread_count(), job_count - number % job_count);
            job.limits.time = Some(time);
            let mut observer = Watch { shared, told: Statistics::default() };
            let Searched { outcome, .. } = plan::search(model, executor, &job, None, &mut observer, None);
            observer.tell(&outcome.statistics);
            if outcome.limits.iter().all(|limit| *limit == Limit::Bitstate) {
                shared.is_all_seen.store(true, Ordering::Relaxed);
            }
            if sender.send(Message::Ended(Box::new(outcome))).is_err() {
                return;
            }
        }
    });
    // Nobody listens any more only if the swarm itself has gone wrong.
    let _ = sender.send(Message::Engine(used));
}

/// Adds what a job does to what all do, and ends it when the swarm ends.
struct Watch<'s> {
    shared: &'s Shared,
    told: Statistics,
}

impl Watch<'_> {
    fn tell(&mut self, now: &Statistics) {
        let more = |now: u64, before: u64| now.saturating_sub(before);
        self.shared.stored.fetch_add(more(now.stored, self.told.stored), Ordering::Relaxed);
        self.shared.transitions.fetch_add(more(now.transitions, self.told.transitions), Ordering::Relaxed);
        self.shared.max_depth.fetch_max(now.max_depth, Ordering::Relaxed);
        self.told = *now;
    }
}

impl Observer for Watch<'_> {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        self.tell(statistics);
        if self.shared.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Shared {
    fn statistics(&self) -> Statistics {
        Statistics {
            stored: self.stored.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            max_depth: self.max_depth.load(Ordering::Relaxed),
            ..Statistics::default()
        }
    }
}

/// What the jobs found so far.
struct Found {
    summary: SwarmSummary,
    sum: Option<Outcome>,
    engine: Option<EngineUse>,
    is_interrupted: bool,
    is_out_of_time: bool,
    is_out_of_memory: bool,
}

impl Found {
    /// Adds what a job found; true if that is an error.
    fn take(&mut self, outcome: Outcome, observer: &mut dyn Observer) -> bool {
        self.summary.jobs_run += 1;
        let is_cut = |limit: &Limit| matches!(limit, Limit::Time | Limit::Memory | Limit::Stopped);
        self.summary.jobs_ended += u32::from(!outcome.limits.iter().any(is_cut));
        self.is_out_of_time |= outcome.limits.contains(&Limit::Time);
        self.is_out_of_memory |= outcome.limits.contains(&Limit::Memory);
        let known = |error: &Finding, sum: &Option<Outcome>| {
            sum.as_ref().is_some_and(|sum| sum.errors.iter().any(|known| known.is_same(error)))
        };
        outcome
            .errors
            .iter()
            .filter(|error| !known(error, &self.sum))
            .for_each(|error| observer.error(error));
        let has_errors = !outcome.errors.is_empty();
        match &mut self.sum {
            None => self.sum = Some(outcome),
            Some(sum) => {
                sum.absorb(outcome);
            }
        }
        has_errors
    }

    fn note_engine(&mut self, used: EngineUse) {
        let before = self.engine.get_or_insert(used);
        before.is_compiled |= used.is_compiled;
        before.compile_time = before.compile_time.max(used.compile_time);
        before.native_states = before.native_states.max(used.native_states);
    }

    fn finish(mut self, settings: &CheckSettings) -> (Outcome, SwarmSummary, EngineUse) {
        self.summary.jobs_planned = self.summary.jobs_planned.max(self.summary.jobs_run);
        let mut outcome = self.sum.unwrap_or_default();
        let has_errors = !outcome.errors.is_empty() && !settings.all_errors;
        if has_errors {
            // Several jobs may have found one before they heard of each other.
            outcome.errors.sort_by_key(|error| error.length);
            outcome.errors.truncate(1);
            outcome.errors[0].count = 1;
            outcome.error_counts = [(outcome.errors[0].kind, 1)].into();
        }
        outcome.complete = false;
        // What the array of one job could confuse says nothing about all of them.
        outcome.store = StoreAccount::default();
        outcome.limits = vec![Limit::Bitstate];
        if self.is_out_of_memory && !has_errors {
            outcome.limits.push(Limit::Memory);
        }
        if self.is_interrupted {
            outcome.limits.push(Limit::Stopped);
        } else if self.is_out_of_time && !has_errors {
            outcome.limits.push(Limit::Time);
        }
        (outcome, self.summary, self.engine.unwrap_or(EngineUse::IDLE))
    }
}
