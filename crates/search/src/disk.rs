//! Breadth-first search over a set of states on disk (`panoptes_store::DiskSet`).
//!
//! Which of the states that a level reaches are new is known at the end of the level, for all of them together. They come back in the order
//! in which they were reached first, so the search takes the way that `bfs.rs` takes in memory: states, transitions, depths, errors and
//! paths are the same. Parents are on disk too, and a path is read back when an error is noted.
//!
//! By steps, transient configurations are entries of the levels as well, and a process that lets go makes a state of the level that the
//! configuration is of. That state must be known before the level begins, so the search looks one step ahead: where the configuration
//! is reached, the state is offered with it. Where an error ends the search within a level, such a state may be known and not yet taken; if a
//! step of the level leads to it as well, it counts as matched, and in memory as stored.
//!
//! The proviso of a reduction is that of several workers: a state is open if it is neither of this level nor of an earlier one. The
//! set knows that of nearly all such states; where it does not, more is followed than needed.

use crate::chain::{Fingerprint, LinkId, Links};
use crate::checkpoint::{self, Resumable};
use crate::conclude::{Ended, finish};
use crate::expander::Origin;
use crate::expansion::{Expansion, FaultyStep, Reached, Task};
use crate::judge::{Judge, Position};
use crate::labels::{Branch, Labels};
use crate::limits::Limits;
use crate::program::Program;
use crate::saved::Saved;
use crate::stop::Stop;
use crate::worker::Worker;
use crate::{Limit, Observer, Outcome, SearchOptions, Statistics, trail};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_model::Model;
use panoptes_store::{
    DiskBudget, DiskError, DiskSet, DiskSpace, ImageReader, ImageWriter, Kind, Look, Origin as Offer,
    ParentFile, StoreAccount,
};
use std::cell::Cell;
use std::io;
use std::path::Path as Dir;

/// What the set may take where no bound on memory is given.
const MEMORY_DEFAULT: usize = 1 << 30;

/// Explores all that can be reached, nearest first, with files in `dir`. `by_steps` counts every step, so that the first error found
/// is one of the nearest.
pub fn bfs_on_disk(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    dir: &Dir,
    by_steps: bool,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(options.depth_max.is_none() && options.foldings.is_empty(), "these need a set in memory");
    assert!(!(by_steps && options.por), "a reduced search does not keep the nearest errors");
    let Ok(space) = DiskSpace::open(dir) else {
        return Outcome { limits: vec![Limit::Disk], threads: 1, ..Outcome::default() };
    };
    search(model, executor, options, (space, None), by_steps, observer)
}

/// The same, with memory for the set that is shared out already, or as the limits allow.
pub(crate) fn search(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    (space, budget): (DiskSpace, Option<DiskBudget>),
    by_steps: bool,
    observer: &mut dyn Observer,
) -> Outcome {
    let program = Program::new(model, options, executor.hidden_bytes());
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let has_own_budget = budget.is_some();
    let budget = budget.unwrap_or_else(|| share_out(limits.allowed()));
    let mut search = DiskBfs {
        set: DiskSet::new(space.clone(), program.hidden_bytes, budget),
        program: &program,
        judge: Judge::new(&program),
        worker,
        parents: DiskParents {
            file: ParentFile::new(space),
            labels: Labels::default(),
            is_lost: Cell::new(false),
        },
        has_own_budget,
        by_steps,
        is_ending: false,
        links: Links::default(),
        ahead: Successors::default(),
        entries: 0,
        has_begun: false,
        open: None,
        is_broken: false,
    };
    let mut how = checkpoint::begin(&mut search, &program, &limits);
    search.is_broken = how.is_err();
    while how.is_ok() {
        how = search.walk();
        if how != Err(Stop::Pause) {
            break;
        }
        how = Ok(());
        limits.set_pause(false);
        checkpoint::save(&mut search, &program);
    }
    if search.is_ending {
        how = Err(Stop::Error);
    }
    if matches!(how, Err(Stop::Limit(_))) {
        checkpoint::save(&mut search, &program);
    }
    search.forget_pending();
    let DiskBfs { set, mut judge, worker, parents, .. } = search;
    if parents.is_lost.get() {
        judge.findings.lose_paths(Limit::Disk);
    }
    if !options.all_errors {
        judge.findings.keep_shortest();
    }
    judge.findings.announce(worker.watch.observer);
    if !by_steps {
        judge.findings.sort();
    }
    let account = StoreAccount::Disk(set.account());
    drop((set, parents));
    let ended =
        Ended { how, is_cut: false, is_narrowed: false, by_steps, may_look_behind: false, own_bytes: 0 };
    finish(&program, account, false, judge, worker, ended)
}

/// How the memory is shared out. Candidates take their part twice, for two levels; half is left over for buffers, the successors of states, and
/// what else the process may turn out to take.
fn share_out(allowed: usize) -> DiskBudget {
    let bytes = if allowed == usize::MAX { MEMORY_DEFAULT } else { allowed };
    DiskBudget { filter: bytes / 8, candidates: bytes / 8, recent: bytes / 8 }
}

struct DiskBfs<'a> {
    program: &'a Program<'a>,
    judge: Judge<'a>,
    worker: Worker<'a>,
    set: DiskSet,
    parents: DiskParents,
    /// The memory of the set does not follow the limits.
    has_own_budget: bool,
    by_steps: bool,
    /// An error was found and ends the search; what remains of the level may hold one that is to be told instead.
    is_ending: bool,
    /// The chains of transient configurations in this level and the next.
    links: Links,
    ahead: Successors,
    /// Entries that were taken so far.
    entries: u64,
    /// The initial state was offered.
    has_begun: bool,
    /// An entry that was taken, and is still to be expanded.
    open: Option<(u64, u32, Vec<u8>)>,
    /// Something was lost when the search stopped: it cannot go on.
    is_broken: bool,
}

/// The way back to each entry.
struct DiskParents {
    file: ParentFile,
    labels: Labels,
    /// A path could not be read.
    is_lost: Cell<bool>,
}

impl DiskParents {
    /// The branches to an entry; none if the disk cannot be read.
    fn branches(&self, entry: u64) -> Vec<Branch> {
        let (mut path, mut at) = (Vec::new(), entry);
        while at > 0 {
            let Ok((parent, label)) = self.file.read(at) else {
                self.is_lost.set(true);
                return Vec::new();
            };
            path.push(self.labels.branch(label));
            at = parent;
        }
        path.reverse();
        path
    }
}

/// Something to expand.
struct Work {
    number: u64,
    depth: u32,
    /// Of a transient configuration.
    chain: Option<Chain>,
    vector: Vec<u8>,
    out: Expansion,
}

/// Where a transient configuration stands: who has control, and the chain of those before it.
#[derive(Clone, Copy)]
struct Chain {
    control: u8,
    link: LinkId,
    length: u32,
}

impl Chain {
    const BYTES: usize = 9;

    fn bytes(self) -> [u8; Chain::BYTES] {
        let mut bytes = [self.control; Chain::BYTES];
        bytes[1..5].copy_from_slice(&self.link.number().to_le_bytes());
        bytes[5..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Chain {
        let four = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        Chain { control: bytes[0], link: LinkId::of_number(four(1)), length: four(5) }
    }
}

impl Work {
    fn origin(&self) -> Origin<'_> {
        Origin { vector: &self.vector, control: self.chain.map(|chain| chain.control) }
    }
}

impl DiskBfs<'_> {
    fn begin(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        self.worker.tally.statistics.transitions += 1;
        let first = Offer { kind: Kind::Direct, depth: 0, parent: 0, branch: (0, 0) };
        let offered = self.set.offer(first, &vector);
        self.disk(offered)?;
        self.has_begun = true;
        Ok(())
    }

    fn walk(&mut self) -> Result<(), Stop> {
        if !self.has_begun {
            self.begin()?;
        }
        let mut work =
            Work { number: 0, depth: 0, chain: None, vector: Vec::new(), out: Expansion::default() };
        if let Some(open) = self.open.take() {
            (work.number, work.depth, work.vector) = open;
            self.expand(&mut work)?;
        }
        loop {
            let walked = self.walk_level(&mut work);
            if walked == Err(Stop::Error) {
                // What was reached before the error counts.
                self.next_level()?;
            }
            walked?;
            let is_last = !self.next_level()?;
            if self.is_ending {
                return Err(Stop::Error);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn walk_level(&mut self, work: &mut Work) -> Result<(), Stop> {
        loop {
            if self.worker.watch.is_due(self.worker.tally.statistics.stored) {
                self.look()?;
            }
            if self.worker.watch.limits.is_pause_due() && !self.is_ending {
                return Err(Stop::Pause);
            }
            if !self.take(work)? {
                return Ok(());
            }
            self.expand(work)?;
        }
    }

    /// Finds out which states are of the next level; false if there is nothing.
    fn next_level(&mut self) -> Result<bool, Stop> {
        self.note_statistics();
        let level = self.while_looking(|set, look| set.next_level(look))?;
        let statistics = &mut self.worker.tally.statistics;
        statistics.stored += level.states;
        statistics.vector_bytes = statistics.vector_bytes.max(level.vector_bytes_max);
        if !level.has_keyless {
            self.links.clear();
        }
        self.while_looking(|set, look| set.tidy(look))?;
        Ok(level.states > 0 || level.has_keyless)
    }

    /// Does something that may take long, unless a limit halts it.
    fn while_looking<T>(
        &mut self,
        work: impl FnOnce(&mut DiskSet, &mut Look<'_>) -> Result<T, DiskError>,
    ) -> Result<T, Stop> {
        let DiskBfs { set, worker, judge, .. } = self;
        let statistics = worker.tally.statistics;
        let mut met = None;
        let done = work(set, &mut || {
            judge.findings.announce(worker.watch.observer);
            met = worker.watch.look(&statistics);
            if met.is_some() { Err(DiskError::Halted) } else { Ok(()) }
        });
        match met {
            Some(limit) => Err(Stop::Limit(limit)),
            None => self.disk(done),
        }
    }

    /// Takes the next entry of the level.
    fn take(&mut self, work: &mut Work) -> Result<bool, Stop> {
        let popped = self.set.pop(&mut work.vector);
        let Some(offer) = self.disk(popped)? else { return Ok(false) };
        work.chain = (offer.kind == Kind::Keyless).then(|| {
            let chain = Chain::read(&work.vector);
            work.vector.drain(..Chain::BYTES);
            chain
        });
        work.depth = offer.depth;
        if offer.kind == Kind::Late {
            // A state that a process lets go is reached as its transient configuration is, which comes right before it.
            self.worker.tally.note_stored(&work.vector);
        } else {
            work.number = self.entries;
            self.entries += 1;
            if work.number > 0 {
                let label = self.parents.labels.label(Branch { step: offer.branch.0, end: offer.branch.1 });
                let pushed = self.parents.file.push(offer.parent, label).map_err(DiskError::Io);
                self.disk(pushed)?;
            }
        }
        Ok(true)
    }

    /// Computes what can be reached from an entry, judges it, and offers what is reached.
    fn expand(&mut self, work: &mut Work) -> Result<(), Stop> {
        let mut out = std::mem::take(&mut work.out);
        let DiskBfs { worker, set, .. } = self;
        worker.expander.start(work.origin(), &mut out);
        let task = Task { by_steps: self.by_steps, ..Task::default() };
        let is_open = |vector: &[u8], _: Option<_>| Ok(set.is_open(vector));
        let expanded = worker.go_on_if(work.origin(), task, is_open, &mut out);
        work.out = out;
        if let Err(stop) = expanded {
            self.open = Some((work.number, work.depth, std::mem::take(&mut work.vector)));
            return Err(stop);
        }
        if work.chain.is_some() { self.finish_transient(work) } else { self.finish_state(work) }
    }

    fn finish_state(&mut self, work: &Work) -> Result<(), Stop> {
        let DiskBfs { judge, worker, parents, .. } = self;
        let Work { out, vector, number, .. } = work;
        let depth = work.depth as usize;
        worker.tally.note_depth(depth + out.chain_steps_max);
        worker.tally.note_expanded(out);
        let branches = || parents.branches(*number);
        let at = Position { vector, depth, branches: &branches, has_shown: &|_| false };
        if let Err(stop) = judge.state(&at, out) {
            self.is_ending = true;
            if self.by_steps {
                return Err(stop);
            }
        }
        if out.ending == Ending::Moves { self.follow(work) } else { Ok(()) }
    }

    fn finish_transient(&mut self, work: &Work) -> Result<(), Stop> {
        let DiskBfs { judge, worker, parents, .. } = self;
        let depth = work.depth as usize;
        worker.tally.note_depth(depth);
        worker.tally.note_generated(&work.out);
        if work.out.ending == Ending::Moves {
            return self.follow(work);
        }
        let branches = || parents.branches(work.number);
        let at = Position { vector: &work.vector, depth, branches: &branches, has_shown: &|_| false };
        judge.steps(&at, &work.out)?;
        // The process lets go. If that makes a new state of this level, it comes next.
        worker.tally.statistics.transitions += 1;
        Ok(())
    }

    /// Takes each of the steps from an entry.
    fn follow(&mut self, work: &Work) -> Result<(), Stop> {
        let mut faults = &work.out.faults[..];
        if self.by_steps && self.is_ending {
            return Ok(());
        }
        if !self.by_steps {
            self.note_faults(work, faults)?;
            if self.is_ending {
                return Ok(());
            }
            faults = &[];
        }
        for (index, reached) in work.out.reached.iter().enumerate() {
            let (before, rest) = faults.split_at(faults.partition_point(|faulty| faulty.after <= index));
            self.note_faults(work, before)?;
            faults = rest;
            let depth = work.depth + reached.steps;
            let branch = (reached.branch.step, reached.branch.end);
            let offer = Offer { kind: Kind::Direct, depth, parent: work.number, branch };
            match reached.control {
                Some(control) => self.reach_transient(work, reached, control, offer)?,
                None => {
                    let offered = self.set.offer(offer, work.out.vector(reached));
                    self.disk(offered)?;
                    self.worker.tally.statistics.transitions += 1;
                }
            }
        }
        self.note_faults(work, faults)
    }

    /// Steps that went wrong. If one ends the search, what remains of the level is still looked at.
    fn note_faults(&mut self, work: &Work, faults: &[FaultyStep]) -> Result<(), Stop> {
        if faults.is_empty() {
            return Ok(());
        }
        let DiskBfs { program, judge, parents, is_ending, by_steps, .. } = self;
        let (depth, branches) = (work.depth as usize, || parents.branches(work.number));
        let at = Position { vector: &work.vector, depth, branches: &branches, has_shown: &|_| false };
        for faulty in faults {
            if let Err(stop) = judge.step(&at, faulty) {
                *is_ending = true;
                if *by_steps && !program.looks_at_states() {
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    fn reach_transient(
        &mut self,
        work: &Work,
        reached: &Reached,
        control: u8,
        offer: Offer,
    ) -> Result<(), Stop> {
        let vector = work.out.vector(reached);
        let (link, length) = work.chain.map_or((LinkId::NONE, 0), |chain| (chain.link, chain.length));
        let mut chain = Chain { control, link, length };
        if self.program.loops.closes(work.out.first_step(reached)) {
            chain.length += 1;
            let fingerprint = Fingerprint::of(vector, control);
            let Some(link) = self.links.extend(link, chain.length, fingerprint) else {
                self.worker.tally.statistics.endless_chains += 1;
                return Ok(());
            };
            chain.link = link;
        }
        let pushed = self.set.push_keyless(offer, &[&chain.bytes(), vector].concat());
        self.disk(pushed)?;
        self.worker.expander.executor().successors(vector, Some(control), &mut self.ahead);
        if self.ahead.ending == Ending::Moves {
            return Ok(());
        }
        let offered = self.set.offer(Offer { kind: Kind::Late, ..offer }, vector);
        self.disk(offered)
    }

    fn look(&mut self) -> Result<(), Stop> {
        self.note_statistics();
        let DiskBfs { worker, judge, .. } = self;
        judge.findings.announce(worker.watch.observer);
        match worker.watch.look(&worker.tally.statistics) {
            None => {
                if !self.has_own_budget {
                    self.set.set_budget(share_out(self.worker.watch.limits.allowed()));
                }
                Ok(())
            }
            Some(limit) => Err(Stop::Limit(limit)),
        }
    }

    /// Brings the derived statistics up to date.
    fn note_statistics(&mut self) {
        let DiskBfs { worker, set, parents, judge, links, .. } = self;
        let Statistics { max_depth, stored, .. } = worker.tally.statistics;
        let parent_bytes = parents.file.heap_bytes() + parents.labels.heap_bytes() + links.heap_bytes();
        let trail_bytes = max_depth as usize * trail::STEP_BYTES + judge.findings.heap_bytes();
        let own_bytes = parent_bytes + trail_bytes + worker.expander.heap_bytes();
        let statistics = &mut worker.tally.statistics;
        statistics.matched = statistics.transitions.saturating_sub(stored);
        statistics.store_bytes = set.heap_bytes();
        statistics.search_bytes = own_bytes;
        statistics.bytes_per_state = set.bytes_kept() as f64 / stored.max(1) as f64;
    }

    /// The search ends before it is known which of the states it reached are new: those count neither as stored nor as matched.
    fn forget_pending(&mut self) {
        let statistics = &mut self.worker.tally.statistics;
        statistics.transitions -= self.set.pending();
        self.note_statistics();
    }

    /// A full disk is a limit like others.
    fn disk<T>(&mut self, result: Result<T, DiskError>) -> Result<T, Stop> {
        result.map_err(|_| {
            self.is_broken = true;
            Stop::Limit(Limit::Disk)
        })
    }
}

/// Over states only: then there are no chains of transient configurations.
impl Resumable for DiskBfs<'_> {
    fn kind(&self) -> String {
        "bfs on disk".to_string()
    }

    fn is_whole(&self) -> bool {
        !self.by_steps && !self.is_broken
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.worker.watch.observer
    }

    /// It makes do with what there is.
    fn bytes(&self) -> usize {
        0
    }

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        checkpoint::save_worker(&mut self.worker, image)?;
        self.judge.findings.save(image)?;
        (self.entries, self.has_begun).save(image)?;
        image.list(self.open.iter(), |image, (number, depth, vector)| {
            (*number, *depth).save(image)?;
            image.bytes(vector)
        })?;
        self.parents.labels.save(image)?;
        self.parents.file.save(image)?;
        self.set.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        checkpoint::load_worker(&mut self.worker, image)?;
        self.judge.findings.load(image)?;
        (self.entries, self.has_begun) = Saved::load(image)?;
        let open = image.list(|image| {
            let (number, depth) = Saved::load(image)?;
            Ok((number, depth, image.bytes()?))
        })?;
        self.open = open.into_iter().next();
        self.parents.labels = Saved::load(image)?;
        self.parents.file.load(image)?;
        self.set.load(image)
    }
}
