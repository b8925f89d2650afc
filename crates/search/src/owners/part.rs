//! One owner's part of a search.

use super::account::{Account, numbers, read_numbers};
use super::links::{Links, OWNERS_MAX, Place};
use super::trails::trail_to;
use super::wire::{Reader, Writer};
use super::{Letter, Owner, OwnerStatistics};
use crate::expander::Origin;
use crate::expansion::{Expansion, Task};
use crate::frontier::{At, Entry, Frontier, Levels};
use crate::judge::{Judge, Position};
use crate::labels::Branch;
use crate::parents::NodeId;
use crate::program::Program;
use crate::stop::Stop;
use crate::totals::Told;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Limit, Statistics};
use panoptes_exec::Ending;
use panoptes_store::{Prepared, StateRef, StateStore, StoreAccount, hash_seeded};
use std::time::{Duration, Instant};

/// Entries expanded before the first lookup.
const BATCH_LEN: usize = if cfg!(test) { 3 } else { 32 };
/// What is sent between two looks at what others sent: so many bytes, or what so many states lead to.
const SENT_AT_ONCE: usize = if cfg!(test) { 64 } else { 256 << 10 };
const EXPANDED_AT_ONCE: usize = if cfg!(test) { 8 } else { 4096 };
/// States of a letter that are looked up together.
const LOOKED_UP_AT_ONCE: usize = 64;
/// How often an owner tells the first one how far it is.
const TELL_AFTER: Duration = Duration::from_millis(100);
/// So that the hash that names the owner is another than those of the stores.
const SEED: u64 = 0x6f77_6e65_7273;

/// Letters begin with one of these.
const STATES: u64 = 0;
const ERROR: u64 = 1;
const HALT: u64 = 2;
const SO_FAR: u64 = 3;

/// The limits that end a search on all owners, by their numbers in letters.
const LIMITS: [Limit; 4] = [Limit::Stopped, Limit::Time, Limit::Memory, Limit::States];

pub(super) struct Part<'a, S> {
    pub program: &'a Program<'a>,
    pub number: usize,
    count: usize,
    visited: Visited<S>,
    pub judge: Judge<'a>,
    worker: Worker<'a>,
    frontier: Levels,
    pub links: Links,
    batch: Vec<Work>,
    /// What is to be sent to each owner.
    outgoing: Vec<Writer>,
    outgoing_bytes: usize,
    arriving: Vec<Arriving>,
    /// An error was found, here or elsewhere: there is no level after this one.
    is_ending: bool,
    /// Others have been told of it.
    has_told_error: bool,
    /// A limit ends the search at once.
    halted: Option<Limit>,
    has_told_halt: bool,
    /// What the others told of how far they are.
    others: Vec<Told<'a>>,
    last_told: Instant,
    start: Instant,
    statistics: OwnerStatistics,
}

/// A state that is expanded, and what can be reached from it.
struct Work {
    entry: Entry,
    vector: Vec<u8>,
    expansion: Expansion,
    /// Of each state reached, whose it is.
    owners: Vec<u16>,
}

/// A state of a letter.
struct Arriving {
    node: u32,
    branch: Branch,
    depth: u32,
    start: usize,
    end: usize,
    prepared: Prepared,
}

impl<'a, S: StateStore + Default> Part<'a, S> {
    pub fn new(program: &'a Program<'a>, worker: Worker<'a>, number: usize, count: usize) -> Part<'a, S> {
        assert!(number < count && count <= OWNERS_MAX);
        let visited: Visited<S> = Visited::new(program, worker.watch.limits.store_budget(0), None);
        let entry = Entry { node: NodeId::ROOT, depth: 0, at: At::State(StateRef::NONE) };
        let (vector, owners) = (Vec::new(), Vec::new());
        let work = || Work {
            entry,
            vector: vector.clone(),
            expansion: Expansion::default(),
            owners: owners.clone(),
        };
        let totals = &worker.watch.limits.totals;
        let others = (0..if number == 0 { count } else { 0 }).map(|_| totals.part()).collect();
        let told = (number == 0).then(|| totals.part());
        let now = Instant::now();
        Part {
            program,
            number,
            count,
            frontier: Levels::new(program.hidden_bytes, visited.keeps_vectors()),
            visited,
            judge: Judge::new(program),
            worker: Worker { told, ..worker },
            links: Links::default(),
            batch: (0..BATCH_LEN).map(|_| work()).collect(),
            outgoing: (0..count).map(|_| Writer::default()).collect(),
            outgoing_bytes: 0,
            arriving: Vec::new(),
            is_ending: false,
            has_told_error: false,
            halted: None,
            has_told_halt: false,
            others,
            last_told: now,
            start: now,
            statistics: OwnerStatistics::default(),
        }
    }
}

impl<'a, S: StateStore> Part<'a, S> {
    /// The initial state, if it is this one's.
    pub fn begin(&mut self) {
        let vector = match self.worker.expander.executor().initial() {
            Ok(vector) => vector,
            Err(fault) => {
                // All find that, and one tells it.
                if self.number == 0 {
                    self.judge.no_initial_state(&fault);
                }
                (self.is_ending, self.has_told_error) = (true, true);
                return;
            }
        };
        if self.owner_of(&vector) == self.number
            && let Err(stop) = self
                .visited
                .prepare(&vector)
                .map_err(Stop::from)
                .and_then(|prepared| self.insert(prepared, &vector, None, 0))
        {
            self.note_stop(stop);
        }
    }

    /// Whose a state is.
    #[inline]
    fn owner_of(&self, vector: &[u8]) -> usize {
        let hash = hash_seeded(&vector[self.program.hidden_bytes..], SEED);
        // The high half of a product with the number of owners: as even as a remainder, and no division.
        ((u128::from(hash) * self.count as u128) >> 64) as usize
    }

    /// Looks up a state that is this one's, and notes it for the next level if it is new.
    #[inline]
    fn insert(
        &mut self,
        prepared: Prepared,
        vector: &[u8],
        from: Option<(Place, Branch)>,
        depth: u32,
    ) -> Result<(), Stop> {
        let tally = &mut self.worker.tally;
        tally.statistics.transitions += 1;
        let (state, is_new) = self.visited.insert(prepared, vector)?;
        if is_new {
            tally.note_stored(vector);
            let node = self.links.push(from)?;
            self.frontier.push(Entry { node: NodeId::of(node), depth, at: At::State(state) }, vector);
        }
        Ok(())
    }

    fn note_stop(&mut self, stop: Stop) {
        match stop {
            Stop::Limit(limit) => self.halted = self.halted.or(Some(limit)),
            Stop::Error | Stop::Cut => self.is_ending = true,
            Stop::Pause => unreachable!("only a search that is written down pauses"),
            Stop::Shared => unreachable!("only a search for cycles is handed over to several workers"),
        }
    }

    /// Takes in the states of a letter; false if it is no such letter.
    fn receive_states(&mut self, owner: usize, letter: &[u8], mut reader: Reader<'_>) -> Result<bool, Stop> {
        while !reader.is_at_end() {
            self.arriving.clear();
            while self.arriving.len() < LOOKED_UP_AT_ONCE && !reader.is_at_end() {
                let Some(arriving) = read_state(&mut reader, letter) else { return Ok(false) };
                let prepared = self.visited.prepare(&letter[arriving.start..arriving.end])?;
                self.arriving.push(Arriving { prepared, ..arriving });
            }
            self.arriving.iter().for_each(|arriving| self.visited.prefetch_further(arriving.prepared));
            let arriving = std::mem::take(&mut self.arriving);
            for Arriving { node, branch, depth, start, end, prepared } in &arriving {
                let from = (Place { owner, node: *node }, *branch);
                self.insert(*prepared, &letter[*start..*end], Some(from), *depth)?;
            }
            self.arriving = arriving;
        }
        Ok(true)
    }

    /// Expands a batch of the level. False if it has no more states.
    fn expand_batch(&mut self) -> Result<bool, Stop> {
        let mut batch = std::mem::take(&mut self.batch);
        let expanded = self.expand_these(&mut batch);
        self.batch = batch;
        expanded
    }

    fn expand_these(&mut self, batch: &mut [Work]) -> Result<bool, Stop> {
        let (mut count, mut bytes) = (0, 0);
        let bytes_max = self.worker.watch.limits.batch_bytes();
        while count < batch.len()
            && bytes <= bytes_max
            && let Some(entry) = self.frontier.pop(&mut batch[count].vector)
        {
            let work = &mut batch[count];
            work.entry = entry;
            self.expand(work)?;
            bytes += work.expansion.heap_bytes();
            count += 1;
        }
        let batch = &mut batch[..count];
        for work in &*batch {
            for reached in work.expansion.reached.iter().filter(|reached| reached.is_begun) {
                self.visited.prefetch_further(reached.prepared);
            }
        }
        for work in &*batch {
            self.judge(work);
            self.follow(work)?;
        }
        Ok(count > 0)
    }

    /// Computes the successors of a state, whose each is, and begins the lookups of its own.
    fn expand(&mut self, work: &mut Work) -> Result<(), Stop> {
        let Work { entry, vector, expansion, owners } = work;
        if let At::State(state) = entry.at
            && self.visited.keeps_vectors()
        {
            self.visited.read_origin(state, vector);
        }
        let own_bytes = self.own_bytes();
        self.worker.look_at_limits(&mut self.visited, &mut self.judge.findings, || own_bytes)?;
        let origin = Origin { vector, control: None };
        self.worker.expand(origin, Task::default(), &mut self.visited, expansion)?;
        owners.clear();
        for index in 0..expansion.reached.len() {
            let vector = expansion.vector(&expansion.reached[index]);
            let owner = self.owner_of(vector);
            owners.push(owner as u16);
            if owner == self.number {
                let prepared = self.visited.prepare(vector)?;
                let reached = &mut expansion.reached[index];
                (reached.prepared, reached.is_begun) = (prepared, true);
            }
        }
        Ok(())
    }

    /// What the expansion means for the property. An error ends the search after this level.
    fn judge(&mut self, work: &Work) {
        let Work { entry, vector, expansion, .. } = work;
        let depth = entry.depth as usize;
        self.worker.tally.note_depth(depth + expansion.chain_steps_max);
        self.worker.tally.note_expanded(expansion);
        let place = Place { owner: self.number, node: entry.node.number() };
        let branches = || trail_to(place);
        let at = Position { vector, depth, branches: &branches, has_shown: &|_| false };
        let judge = &mut self.judge;
        let mut judged = judge.invariants(&at, expansion);
        if expansion.ending == Ending::Moves {
            judged = judged.and_then(|()| judge.standstill(&at, expansion));
            // Each is looked at, so that what is told does not depend on the order of the states.
            for faulty in &expansion.faults {
                judged = judge.step(&at, faulty).and(judged);
            }
        } else {
            // Steps that were tried here and cannot be taken tell more than that there is none.
            judged = judged.and_then(|()| judge.steps(&at, expansion));
            judged = judged.and_then(|()| judge.standstill(&at, expansion));
        }
        self.is_ending |= judged.is_err();
    }

    /// Looks up the successors that are its own, and writes the others down for their owners.
    fn follow(&mut self, work: &Work) -> Result<(), Stop> {
        let Work { entry, expansion, owners, .. } = work;
        if expansion.ending != Ending::Moves {
            return Ok(());
        }
        let place = Place { owner: self.number, node: entry.node.number() };
        for (reached, owner) in expansion.reached.iter().zip(owners) {
            let (vector, depth) = (expansion.vector(reached), entry.depth + reached.steps);
            if usize::from(*owner) == self.number {
                self.insert(reached.prepared, vector, Some((place, reached.branch)), depth)?;
            } else {
                self.write_state(usize::from(*owner), place.node, reached.branch, depth, vector);
            }
        }
        Ok(())
    }

    #[inline]
    fn write_state(&mut self, owner: usize, node: u32, branch: Branch, depth: u32, vector: &[u8]) {
        let writer = &mut self.outgoing[owner];
        let before = writer.bytes.len();
        if before == 0 {
            writer.number(STATES);
            writer.number(self.number as u64);
        }
        for number in [node, branch.step, branch.end, depth] {
            writer.number(u64::from(number));
        }
        writer.text(vector);
        self.outgoing_bytes += writer.bytes.len() - before;
        self.statistics.sent += 1;
    }

    /// Puts what is to be sent into letters.
    fn post(&mut self, out: &mut Vec<Letter>) {
        for (to, writer) in
            self.outgoing.iter_mut().enumerate().filter(|(_, writer)| !writer.bytes.is_empty())
        {
            self.statistics.sent_bytes += writer.bytes.len() as u64;
            out.push(Letter { to, bytes: std::mem::take(&mut writer.bytes) });
        }
        self.outgoing_bytes = 0;
        if self.is_ending && !self.has_told_error {
            self.has_told_error = true;
            self.tell_all(&[ERROR], out);
        }
        if let Some(limit) = self.halted.filter(|_| !self.has_told_halt) {
            self.has_told_halt = true;
            let number = LIMITS.iter().position(|other| *other == limit).unwrap_or(0);
            self.tell_all(&[HALT, number as u64], out);
        }
        if self.number != 0 && self.last_told.elapsed() >= TELL_AFTER {
            self.last_told = Instant::now();
            let mut writer = Writer::default();
            writer.number(SO_FAR);
            writer.number(self.number as u64);
            numbers(&self.worker.tally.statistics).iter().for_each(|number| writer.number(*number));
            out.push(Letter { to: 0, bytes: writer.bytes });
        }
    }

    fn tell_all(&self, numbers: &[u64], out: &mut Vec<Letter>) {
        let mut writer = Writer::default();
        numbers.iter().for_each(|number| writer.number(*number));
        let others = (0..self.count).filter(|other| *other != self.number);
        out.extend(others.map(|to| Letter { to, bytes: writer.bytes.clone() }));
    }

    fn own_bytes(&self) -> usize {
        self.links.heap_bytes() + self.frontier.heap_bytes() + self.outgoing_bytes
    }

    /// The search is over.
    pub fn end(&mut self) {
        let own_bytes = self.own_bytes();
        self.worker.refresh(&self.visited, &self.judge.findings, own_bytes);
        self.statistics.time = self.start.elapsed();
        self.statistics.statistics = self.worker.tally.statistics;
        self.worker.told = None;
        if !self.program.options.all_errors {
            self.judge.findings.keep_shortest();
        }
    }

    /// What the first owner is to know.
    pub fn account(&self) -> Account {
        let expander = &self.worker.expander;
        Account {
            owner: self.statistics.clone(),
            executed: expander.executed.clone(),
            given_up: expander.given_up.clone(),
            errors: self
                .judge
                .findings
                .noted()
                .map(|(error, trail)| (error.clone(), trail.cloned()))
                .collect(),
            counts: self.judge.findings.counts().clone(),
            collisions: match self.visited.account() {
                StoreAccount::HashCompact(account) => Some((account.collision_probability, account.omitted)),
                _ => None,
            },
        }
    }

    /// Adds what all others found and did to what this one, the first, has.
    pub fn absorb(&mut self, accounts: &[Account]) {
        for Account { errors, counts, executed, given_up, .. } in &accounts[1..] {
            self.judge.findings.absorb(self.judge.findings.of_another(errors, counts));
            self.worker.absorb(&crate::tally::Tally::new(false), executed, given_up);
        }
        if !self.program.options.all_errors {
            self.judge.findings.keep_shortest();
        }
        self.judge.findings.announce(self.worker.watch.observer);
        self.judge.findings.sort();
    }

    /// What is left of it, and how it ended.
    pub fn into_parts(self) -> (Visited<S>, Judge<'a>, Worker<'a>, Result<(), Stop>, usize) {
        let own_bytes = self.own_bytes();
        let how = match self.halted {
            _ if self.is_ending => Err(Stop::Error),
            Some(limit) => Err(Stop::Limit(limit)),
            None => Ok(()),
        };
        (self.visited, self.judge, self.worker, how, own_bytes)
    }
}

impl<S: StateStore> Owner for Part<'_, S> {
    fn receive(&mut self, letter: &[u8]) {
        let mut reader = Reader(letter);
        match reader.number() {
            Some(STATES) if self.halted.is_none() => {
                let Some(owner) = reader.length().filter(|owner| *owner < self.count) else { return };
                match self.receive_states(owner, letter, reader) {
                    Ok(is_read) => assert!(is_read, "owners of one version write what they can read"),
                    Err(stop) => self.note_stop(stop),
                }
            }
            Some(ERROR) => (self.is_ending, self.has_told_error) = (true, true),
            Some(HALT) => {
                let limit = reader.length().and_then(|number| LIMITS.get(number).copied());
                self.halted = self.halted.or(limit).or(Some(Limit::Stopped));
                self.has_told_halt = true;
            }
            Some(SO_FAR) => {
                if let Some(owner) = reader.length()
                    && let Some(statistics) = read_numbers(&mut reader)
                    && let Some(told) = self.others.get_mut(owner)
                {
                    // Their memory is their own.
                    told.tell(&Statistics { search_bytes: 0, ..statistics });
                }
            }
            _ => {}
        }
    }

    fn begin_level(&mut self) -> bool {
        !self.is_ending && self.halted.is_none() && self.frontier.next_level()
    }

    fn expand_some(&mut self, out: &mut Vec<Letter>) -> bool {
        let mut has_more = self.halted.is_none();
        let mut expanded = 0;
        while has_more && expanded < EXPANDED_AT_ONCE && self.outgoing_bytes < SENT_AT_ONCE {
            match self.expand_batch() {
                Ok(is_some) => has_more = is_some,
                Err(stop) => {
                    self.note_stop(stop);
                    has_more = self.halted.is_none();
                }
            }
            expanded += BATCH_LEN;
        }
        self.post(out);
        has_more
    }

    fn note_waited(&mut self, time: Duration, out: &mut Vec<Letter>) {
        self.statistics.waited += time;
        if self.halted.is_none() {
            let own_bytes = self.own_bytes();
            let looked = self.worker.look(&mut self.visited, &mut self.judge.findings, own_bytes);
            if let Err(stop) = looked {
                self.note_stop(stop);
            }
        }
        self.post(out);
    }
}

/// Reads a state of a letter.
#[inline]
fn read_state(reader: &mut Reader<'_>, letter: &[u8]) -> Option<Arriving> {
    let (node, step, end, depth) = (reader.small()?, reader.small()?, reader.small()?, reader.small()?);
    let length = reader.text()?.len();
    let end_at = letter.len() - reader.0.len();
    let branch = Branch { step, end };
    Some(Arriving { node, branch, depth, start: end_at - length, end: end_at, prepared: Prepared::default() })
}
