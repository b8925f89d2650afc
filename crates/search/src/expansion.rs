//! The successors of a state that are states themselves.
//!
//! A step that keeps control leads to a transient configuration, which is never stored: from there the process goes on
//! alone until it ends its sequence or cannot go on. Here such chains are followed at once, depth first and in order, to
//! the states at their ends, so that a search sees states only. A state is reached by its *branch*: which successor of the
//! first state it begins with, and which end of the chains behind that it is. Computing the successors again gives the
//! same branches: a search need only remember them to find its path again, steps within chains included.
//!
//! A search that counts every step lists transient configurations instead, and follows the chains itself.

use crate::chain::{Fingerprint, is_checkpoint};
use crate::labels::Branch;
use crate::loops::Loops;
use crate::options::CountedFaults;
use crate::por::Choice;
use crate::program::Program;
use crate::{Bitset, Limit, Path};
use panoptes_exec::{Chains, Ending, Executor, Fault, Step, Successor, Successors};
use panoptes_store::{Draft, Prepared};

#[derive(Default)]
pub(crate) struct Expansion {
    /// The successors of the state, and then of each configuration of the chain that is followed.
    levels: Vec<Successors>,
    /// Of each level, how many successors were looked at.
    looked: Vec<usize>,
    /// Those behind steps of the chain that close a cycle, with the level they were taken on.
    links: Vec<(Fingerprint, usize)>,
    pub reached: Vec<Reached>,
    /// All successors are states, and all are followed. Then they are not listed: see [`Self::plain`].
    pub is_plain: bool,
    /// The first halves of the lookups of the state's successors, or nothing; those that are no states have one for nothing.
    pub begun: Vec<Prepared>,
    /// For the search to fill in, while the lookups of these are only drafted.
    pub drafts: Vec<Draft>,
    /// The states at the ends of chains, end to end.
    bytes: Vec<u8>,
    /// Faults on the way, in order.
    pub faults: Vec<FaultyStep>,
    /// The invariants that the state itself breaks.
    pub broken: Vec<Fault>,
    pub ending: Ending,
    /// The bound on steps kept a chain from being followed, or hid a fault.
    pub is_cut: bool,
    /// Steps to the farthest transient configuration.
    pub chain_steps_max: usize,
    pub generated: u64,
    /// How many of the successors are the state's own, not those of its chains.
    pub first_count: usize,
    pub endless_chains: u64,
    /// Steps that the executor gave up: what was reached is not all.
    pub given_up: Vec<Fault>,
    /// The limit that was met within a chain: what was reached is not all.
    pub limit: Option<Limit>,
    until_watch: u32,
}

/// A state that is reached, or a transient configuration if these are listed.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    start: u32,
    bytes: u32,
    is_chained: bool,
    /// Who has control; nobody in a state.
    pub control: Option<u8>,
    /// How many steps lead there.
    pub steps: u32,
    pub branch: Branch,
    /// For the search to fill in.
    pub prepared: Prepared,
    /// The search began it before it knew that the state is to be looked up.
    pub is_begun: bool,
}

/// A step that went wrong, and those before it since the state.
pub(crate) struct FaultyStep {
    pub fault: Fault,
    pub steps: Vec<Step>,
    /// How many of those reached are listed before it.
    pub after: usize,
}

impl FaultyStep {
    pub fn path(&self) -> Path {
        self.steps.iter().copied().collect()
    }
}

/// What an expansion is to do.
pub(crate) struct Task<'t> {
    /// No more steps than this are taken.
    pub steps_max: usize,
    /// Which first steps are followed.
    pub choice: Choice,
    /// Transient configurations are listed, not passed through.
    pub by_steps: bool,
    /// Nothing need be listed where all successors are states and all are followed: see [`Expansion::plain`].
    pub may_be_plain: bool,
    /// Is asked now and then within long chains, with the bytes that they take, whether a limit is met.
    pub watch: Option<&'t mut dyn FnMut(usize) -> Option<Limit>>,
}

impl Default for Task<'_> {
    fn default() -> Self {
        Task { steps_max: usize::MAX, choice: Choice::All, by_steps: false, may_be_plain: false, watch: None }
    }
}

/// What a level takes beside its buffers.
const LEVEL_BYTES: usize = size_of::<Successors>() + 64;

/// Configurations of chains between two questions.
const WATCH_EVERY: u32 = 1024;

impl Expansion {
    /// After [`Self::start`], follows what is chosen to its ends.
    #[inline]
    pub fn run(
        &mut self,
        program: &Program<'_>,
        executor: &mut dyn Executor,
        task: Task<'_>,
        executed: &mut Bitset,
    ) {
        if self.ending == Ending::Moves {
            let root = &self.levels[0];
            let is_plain = root.faults.is_empty() && task.steps_max == usize::MAX;
            let are_states = || root.items.iter().all(|item| item.control == Successor::NOBODY);
            if is_plain && (!program.loops.has_chains || are_states()) {
                self.list(task.choice, executed);
            } else if task.by_steps
                || !is_plain
                || !self.follow_at_once(program, executor, task.choice, executed)
            {
                self.follow(program, executor, task, executed, None);
            }
        } else {
            self.note_blocked(0, task.steps_max, executed);
        }
    }

    /// After [`Self::start`]: are all successors states, and nothing is wrong with them?
    #[inline(always)]
    pub fn may_be_plain(&self, program: &Program<'_>) -> bool {
        let root = &self.levels[0];
        let are_states = || root.items.iter().all(|item| item.control == Successor::NOBODY);
        self.ending == Ending::Moves && root.faults.is_empty() && (!program.loops.has_chains || are_states())
    }

    /// Where [`Self::may_be_plain`] says so: follows all successors, and lists nothing.
    #[inline(always)]
    pub fn run_plainly(&mut self, executed: &mut Bitset) {
        self.levels[0].items.iter().for_each(|item| note_executed(executed, item));
        self.is_plain = true;
    }

    /// After [`Self::start`]: the steps along a branch, and what is at its end. None if a limit was met on the way.
    pub fn path_to(
        &mut self,
        branch: Branch,
        program: &Program<'_>,
        executor: &mut dyn Executor,
        task: Task<'_>,
    ) -> Option<(Vec<Step>, Reached)> {
        let path = self.follow(program, executor, task, &mut Bitset::default(), Some(branch));
        if path.is_none() && (self.limit.is_some() || !self.given_up.is_empty()) {
            return None;
        }
        let path = path.expect("the same branches as before");
        Some((path, *self.reached.last().expect("the state that is looked for")))
    }

    #[inline]
    pub fn vector(&self, reached: &Reached) -> &[u8] {
        let all = if reached.is_chained { &self.bytes } else { self.levels[0].bytes() };
        &all[reached.start as usize..][..reached.bytes as usize]
    }

    /// After [`Self::start`]: notes the first halves of the lookups of all successors, as `prepare` makes them of the vectors of
    /// states. They are filled in when it is known which are followed.
    #[inline(always)]
    pub fn begin<E>(&mut self, mut prepare: impl FnMut(&[u8]) -> Result<Prepared, E>) -> Result<(), E> {
        let (root, mut refused) = (&self.levels[0], None);
        // How many there are is known here, and room is made once.
        self.begun.extend(root.items.iter().map(|item| {
            let begun = if item.is_state() { prepare(root.state(item)) } else { Ok(Prepared::default()) };
            begun.unwrap_or_else(|error| {
                refused = Some(error);
                Prepared::default()
            })
        }));
        refused.map_or(Ok(()), Err)
    }

    /// [`Self::begin`] where [`Self::is_plain`], for keys: the vectors without their hidden parts.
    #[inline(always)]
    pub fn begin_plain<E>(
        &mut self,
        hidden_bytes: usize,
        mut prepare: impl FnMut(&[u8]) -> Result<Prepared, E>,
    ) -> Result<(), E> {
        let (root, mut refused) = (&self.levels[0], None);
        let bytes = root.bytes();
        self.begun.extend(root.items.iter().map(|item| {
            let key = &bytes[item.start as usize + hidden_bytes..][..item.bytes as usize - hidden_bytes];
            prepare(key).unwrap_or_else(|error| {
                refused = Some(error);
                Prepared::default()
            })
        }));
        refused.map_or(Ok(()), Err)
    }

    /// Where [`Self::is_plain`]: the first halves of the lookups of all successors from that one on, and their vectors, in the order of
    /// steps. The branch to each is its step, and nothing behind it.
    #[inline(always)]
    pub fn plain(&self, from: usize) -> impl Iterator<Item = (Prepared, &[u8])> {
        debug_assert!(self.is_plain && self.begun.len() == self.levels[0].items.len());
        let root = &self.levels[0];
        self.begun[from..].iter().zip(&root.items[from..]).map(|(begun, item)| (*begun, root.state(item)))
    }

    /// Where [`Self::is_plain`]: the vector that a step leads to.
    #[inline]
    pub fn plain_vector(&self, step: usize) -> &[u8] {
        let root = &self.levels[0];
        root.state(&root.items[step])
    }

    /// How many states were reached, if the lookups of all were prepared.
    #[inline(always)]
    pub fn count(&self) -> usize {
        if self.is_plain { self.begun.len() } else { self.reached.len() }
    }

    /// One of them, be they listed or not.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Reached {
        if !self.is_plain {
            return self.reached[index];
        }
        let Successor { start, bytes, .. } = self.levels[0].items[index];
        let (branch, prepared) = (Branch { step: index as u32, end: 0 }, self.begun[index]);
        let (is_chained, control, steps, is_begun) = (false, None, 1, true);
        Reached { start, bytes, is_chained, control, steps, branch, prepared, is_begun }
    }

    /// Is there nothing to judge? A step leads on, nothing is wrong, and nobody waits in vain.
    #[inline]
    pub fn is_unremarkable(&self) -> bool {
        let root = &self.levels[0];
        self.ending == Ending::Moves
            && self.broken.is_empty()
            && self.faults.is_empty()
            && root.stuck.is_empty()
            && !self.is_cut
    }

    /// Fills in the first halves of the lookups, as `prepare` makes them of the vectors of states, where they did not begin before.
    #[inline(always)]
    pub fn prepare<E>(&mut self, mut prepare: impl FnMut(&[u8]) -> Result<Prepared, E>) -> Result<(), E> {
        let (plain, chained) = (self.levels[0].bytes(), &self.bytes[..]);
        let is_due = |reached: &&mut Reached| reached.control.is_none() && !reached.is_begun;
        for reached in self.reached.iter_mut().filter(is_due) {
            let all = if reached.is_chained { chained } else { plain };
            reached.prepared = prepare(&all[reached.start as usize..][..reached.bytes as usize])?;
        }
        Ok(())
    }

    /// Drafts the lookups of all states that are followed.
    #[inline(always)]
    pub fn draft<E>(&mut self, mut draft: impl FnMut(&[u8]) -> Result<Draft, E>) -> Result<(), E> {
        let (root, chained) = (&self.levels[0], &self.bytes[..]);
        if self.is_plain {
            for item in &root.items {
                self.drafts.push(draft(root.state(item))?);
            }
            return Ok(());
        }
        for reached in self.reached.iter().filter(|reached| reached.control.is_none()) {
            let all = if reached.is_chained { chained } else { root.bytes() };
            self.drafts.push(draft(&all[reached.start as usize..][..reached.bytes as usize])?);
        }
        Ok(())
    }

    /// Fills in the first halves of the lookups that were drafted.
    #[inline(always)]
    pub fn conclude<E>(&mut self, mut conclude: impl FnMut(&Draft) -> Result<Prepared, E>) -> Result<(), E> {
        if self.is_plain {
            self.begun.clear();
            for draft in self.drafts.drain(..) {
                self.begun.push(conclude(&draft)?);
            }
            return Ok(());
        }
        let states = self.reached.iter_mut().filter(|reached| reached.control.is_none());
        for (reached, draft) in states.zip(self.drafts.drain(..)) {
            reached.prepared = conclude(&draft)?;
        }
        Ok(())
    }

    /// What is reached by a branch that is there.
    pub fn find(&self, branch: Branch) -> &Reached {
        let index = self.reached.binary_search_by_key(&branch, |reached| reached.branch);
        &self.reached[index.expect("the same branches as before")]
    }

    /// The step from the state that what was reached begins with.
    pub fn first_step(&self, reached: &Reached) -> Step {
        self.levels[0].items[reached.branch.step as usize].step()
    }

    /// The memory this takes, about.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        let levels = self.levels.first().map_or(0, Successors::heap_bytes) * self.levels.len();
        let lookups =
            self.reached.capacity() * size_of::<Reached>() + self.begun.capacity() * size_of::<Prepared>();
        levels + lookups + self.bytes.capacity()
    }

    /// The successors of the state itself.
    pub fn successors(&self) -> &Successors {
        &self.levels[0]
    }

    /// Computes the successors of a state, or of a transient configuration.
    pub fn start(&mut self, executor: &mut dyn Executor, vector: &[u8], control: Option<u8>) {
        if self.levels.is_empty() {
            self.levels.push(Successors::default());
            self.looked.push(0);
        }
        self.reached.clear();
        self.is_plain = false;
        self.begun.clear();
        self.drafts.clear();
        self.bytes.clear();
        self.faults.clear();
        self.broken.clear();
        self.links.clear();
        self.is_cut = false;
        self.chain_steps_max = 0;
        self.endless_chains = 0;
        self.limit = None;
        self.given_up.clear();
        self.until_watch = WATCH_EVERY;
        executor.successors(vector, control, &mut self.levels[0]);
        self.generated = self.levels[0].items.len() as u64;
        self.first_count = self.levels[0].items.len();
        self.ending = self.levels[0].ending;
        debug_assert!(self.ending != Ending::LetGo || control.is_some(), "nobody has control");
        debug_assert!(control.is_none() || matches!(self.ending, Ending::Moves | Ending::LetGo));
    }

    /// Lists all successors: they are states, and nothing went wrong.
    #[inline]
    fn list(&mut self, choice: Choice, executed: &mut Bitset) {
        let (items, begun) = (self.levels[0].items.iter().zip(0..), &self.begun[..]);
        let reached = |(item, step): (&Successor, u32)| {
            debug_assert!(item.is_state());
            note_executed(executed, item);
            let (start, bytes) = (item.start, item.bytes);
            let (branch, (prepared, is_begun)) = (Branch { step, end: 0 }, begun_at(begun, step));
            Reached { start, bytes, is_chained: false, control: None, steps: 1, branch, prepared, is_begun }
        };
        match choice {
            // How many there are is known here, and room is made once.
            Choice::All => self.reached.extend(items.map(reached)),
            _ => self.reached.extend(items.filter(|(item, _)| choice.includes(item.step())).map(reached)),
        }
    }

    /// Lets the executor follow the chains, if it can.
    fn follow_at_once(
        &mut self,
        program: &Program<'_>,
        executor: &mut dyn Executor,
        choice: Choice,
        executed: &mut Bitset,
    ) -> bool {
        let is_chosen = move |item: &Successor| choice.includes(item.step());
        let is_chosen = (choice != Choice::All).then_some(&is_chosen as &dyn Fn(&Successor) -> bool);
        let mut chains =
            Chains { closes: program.loops.closing(), is_chosen, executed: executed.words_mut() };
        if !executor.follow(&mut self.levels[0], &mut chains) {
            return false;
        }
        let out = &self.levels[0];
        for item in &out.items {
            if is_chosen.is_none_or(|is_chosen| is_chosen(item)) {
                note_executed(executed, item);
            }
        }
        let begun = &self.begun[..];
        self.generated += u64::from(out.chained);
        self.endless_chains = out.endless_chains;
        self.chain_steps_max = out.chain_steps_max as usize;
        self.reached.extend(out.ends.iter().map(|end| {
            let (start, bytes) = (end.start, end.bytes);
            let branch = Branch { step: end.step, end: end.number };
            let (steps, control) = (end.steps, None);
            // A process that lets go right behind the first step has not begun.
            let is_first = steps == 1 && !end.lets_go;
            let (prepared, is_begun) = begun_at(if is_first { begun } else { &[] }, end.step);
            Reached { start, bytes, is_chained: false, control, steps, branch, prepared, is_begun }
        }));
        true
    }

    /// Looks at all successors and follows chains. If a branch is `wanted`, follows only
    /// that, and returns the path.
    fn follow(
        &mut self,
        program: &Program<'_>,
        executor: &mut dyn Executor,
        mut task: Task<'_>,
        executed: &mut Bitset,
        wanted: Option<Branch>,
    ) -> Option<Vec<Step>> {
        let mut level = 0;
        self.looked[0] = wanted.map_or(0, |branch| branch.step as usize);
        loop {
            let Some(item) = self.levels[level].items.get(self.looked[level]).copied() else {
                if level == 0 {
                    return None;
                }
                level = self.leave(level);
                continue;
            };
            self.looked[level] += 1;
            if level == 0 && task.choice != Choice::All && !task.choice.includes(item.step()) {
                continue;
            }
            if level + 1 > task.steps_max {
                self.look_beyond(&item, level, program.counted, executed);
                continue;
            }
            note_executed(executed, &item);
            if item.fault != Successor::NO_FAULT {
                self.note_fault(&item, level, program.counted);
            }
            if !item.has_state() {
                continue;
            }
            let is_reached = match item.control() {
                Some(pid) if !task.by_steps => {
                    if !self.enter(&item, pid, level, &program.loops) {
                        continue;
                    }
                    self.until_watch -= 1;
                    if self.until_watch == 0 {
                        self.until_watch = WATCH_EVERY;
                        let bytes = self.levels.len() * (self.levels[level].heap_bytes() + LEVEL_BYTES);
                        self.limit = task.watch.as_mut().and_then(|watch| watch(bytes));
                        if self.limit.is_some() {
                            return None;
                        }
                    }
                    let (before, after) = self.levels.split_at_mut(level + 1);
                    executor.successors(before[level].state(&item), Some(pid), &mut after[0]);
                    self.generated += after[0].items.len() as u64;
                    let lets_go = after[0].ending != Ending::Moves;
                    level += 1;
                    if lets_go {
                        self.note_blocked(level, task.steps_max, executed);
                        level = self.leave(level);
                        self.reach(&item, level, None);
                    }
                    lets_go
                }
                control => {
                    self.reach(&item, level, control);
                    true
                }
            };
            if is_reached
                && let Some(wanted) = wanted
                && self.reached.last().is_some_and(|reached| reached.branch == wanted)
            {
                return Some(self.path(level));
            }
        }
    }

    /// Goes on to the next level of a chain, unless the chain has come back to itself.
    fn enter(&mut self, item: &Successor, pid: u8, level: usize, loops: &Loops) -> bool {
        if loops.closes(item.step()) {
            let fingerprint = Fingerprint::of(self.levels[level].state(item), pid);
            if is_checkpoint(self.links.len() as u32 + 1)
                && self.links.iter().any(|(link, _)| *link == fingerprint)
            {
                self.endless_chains += 1;
                return false;
            }
            self.links.push((fingerprint, level + 1));
        }
        if self.levels.len() == level + 1 {
            self.levels.push(Successors::default());
            self.looked.push(0);
        }
        self.looked[level + 1] = 0;
        self.chain_steps_max = self.chain_steps_max.max(level + 1);
        true
    }

    /// Goes back to the level before.
    fn leave(&mut self, level: usize) -> usize {
        if self.links.last().is_some_and(|(_, of)| *of == level) {
            self.links.pop();
        }
        level - 1
    }

    /// The item's vector is a state, or listed with the process that has control.
    #[inline]
    fn reach(&mut self, item: &Successor, level: usize, control: Option<u8>) {
        let start = if level == 0 {
            item.start
        } else {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(self.levels[level].state(item));
            start as u32
        };
        let step = self.looked[0] as u32 - 1;
        let end_number = match self.reached.last() {
            Some(last) if last.branch.step == step => last.branch.end + 1,
            _ => 0,
        };
        let branch = Branch { step, end: end_number };
        let (steps, bytes, is_chained) = (level as u32 + 1, item.bytes, level > 0);
        let is_first = level == 0 && item.is_state();
        let (prepared, is_begun) = begun_at(if is_first { &self.begun } else { &[] }, step);
        self.reached.push(Reached { start, bytes, is_chained, control, steps, branch, prepared, is_begun });
    }

    #[cold]
    fn note_fault(&mut self, item: &Successor, level: usize, counted: CountedFaults) {
        let fault = self.levels[level].fault(item).expect("the item has a fault");
        if fault.kind.is_limit() {
            self.given_up.push(fault.clone());
        }
        if counted.includes(fault.kind) {
            let (fault, steps, after) = (fault.clone(), self.path(level), self.reached.len());
            self.faults.push(FaultyStep { fault, steps, after });
        }
    }

    /// Notes the faults of steps that were tried where none is possible. An execution got to them.
    fn note_blocked(&mut self, level: usize, steps_max: usize, executed: &mut Bitset) {
        for index in 0..self.levels[level].items.len() {
            let item = self.levels[level].items[index];
            self.looked[level] = index + 1;
            match self.levels[level].fault(&item) {
                Some(_) if level + 1 > steps_max => self.is_cut = true,
                Some(fault) => {
                    note_executed(executed, &item);
                    let (fault, steps, after) = (fault.clone(), self.path(level), self.reached.len());
                    self.faults.push(FaultyStep { fault, steps, after });
                }
                None => {}
            }
        }
    }

    /// A step that the bound does not allow: a state is listed (it may be known), all else is cut.
    fn look_beyond(&mut self, item: &Successor, level: usize, counted: CountedFaults, executed: &mut Bitset) {
        let fault = self.levels[level].fault(item);
        let is_error = fault.is_some_and(|fault| counted.includes(fault.kind) || fault.kind.is_limit());
        if is_error || (item.has_state() && item.control().is_some()) {
            self.is_cut = true;
        } else if item.has_state() {
            // If the state is not known, the search is not complete, and nothing is said about what was executed.
            note_executed(executed, item);
            self.reach(item, level, None);
        }
    }

    /// The steps from the state to the last one looked at.
    fn path(&self, level: usize) -> Vec<Step> {
        (0..=level).map(|level| self.levels[level].items[self.looked[level] - 1].step()).collect()
    }
}

/// The first half of the lookup of a successor, and whether there is one.
#[inline]
fn begun_at(begun: &[Prepared], step: u32) -> (Prepared, bool) {
    begun.get(step as usize).map_or((Prepared::default(), false), |prepared| (*prepared, true))
}

#[inline]
fn note_executed(executed: &mut Bitset, item: &Successor) {
    executed.insert(item.transition.index());
    if item.sending != Successor::NONE {
        executed.insert(item.sending.index());
    }
}
