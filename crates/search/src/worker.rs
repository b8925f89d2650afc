//! What one worker of a search has for itself: it expands, counts, and looks at the limits now and then.

use crate::expander::{Expander, Origin};
use crate::expansion::{Expansion, Task};
use crate::findings::Findings;
use crate::limits::Limits;
use crate::por::IsOpen;
use crate::program::Program;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::totals::Told;
use crate::trail;
use crate::visited::Visited;
use crate::watch::Watch;
use crate::{Bitset, Limit, Observer, Statistics};
use panoptes_exec::{Executor, Fault, FaultKind, Patience};
use panoptes_store::StateStore;

pub(crate) struct Worker<'a> {
    pub expander: Expander<'a>,
    pub tally: Tally,
    pub watch: Watch<'a>,
    /// What all workers did, if there are several.
    pub told: Option<Told<'a>>,
    /// It is one of several, and not the first.
    pub is_beside: bool,
}

impl<'a> Worker<'a> {
    pub fn new(
        program: &'a Program<'a>,
        limits: &'a Limits,
        executor: &'a mut dyn Executor,
        observer: &'a mut dyn Observer,
    ) -> Worker<'a> {
        let watch = Watch::new(limits, observer);
        executor.set_patience(&limits.patience());
        let expander = Expander::new(program, executor);
        Worker {
            expander,
            tally: Tally::new(program.options.recurrence),
            watch,
            told: None,
            is_beside: false,
        }
    }

    /// One of several; the first was made by [`Self::new`].
    pub fn beside(
        program: &'a Program<'a>,
        limits: &'a Limits,
        executor: &'a mut dyn Executor,
        observer: &'a mut dyn Observer,
    ) -> Worker<'a> {
        let patience = limits.patience();
        // The first one's code has what is held back for it; that of the others takes from what is left, if that is bounded.
        let compiler_bytes_max = match patience.compiler_bytes_max {
            usize::MAX => usize::MAX,
            bytes => bytes / 4,
        };
        executor.set_patience(&Patience { compiler_bytes_max, ..patience });
        let (expander, watch) = (Expander::new(program, executor), Watch::beside(limits, observer));
        let told = Some(limits.totals.part());
        Worker { expander, tally: Tally::new(false), watch, told, is_beside: true }
    }

    /// Adds what another one did, which has ended.
    pub fn absorb(&mut self, tally: &Tally, executed: &Bitset, given_up: &[Fault]) {
        self.tally.statistics = self.tally.statistics.plus(&tally.statistics);
        self.expander.executed.union(executed);
        for fault in given_up {
            if !self.expander.given_up.contains(fault) {
                self.expander.given_up.push(fault.clone());
            }
        }
    }

    /// Forgets all that was found; the clock runs on.
    pub fn restart(&mut self) {
        self.expander.restart();
        self.tally = Tally::new(self.tally.visits.is_some());
    }

    /// Looks at the limits if that is due. To be called once an expansion; `own_bytes` is what the search takes beside the
    /// visited set.
    #[inline]
    pub fn look_at_limits<S: StateStore>(
        &mut self,
        visited: &mut Visited<S>,
        findings: &mut Findings,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Stop> {
        let is_due = self.watch.is_due(self.tally.statistics.stored);
        if is_due { self.look(visited, findings, own_bytes()) } else { Ok(()) }
    }

    pub fn look<S: StateStore>(
        &mut self,
        visited: &mut Visited<S>,
        findings: &mut Findings,
        own_bytes: usize,
    ) -> Result<(), Stop> {
        self.refresh(visited, findings, own_bytes);
        if let Some(told) = &mut self.told {
            told.tell(&self.tally.statistics);
        }
        let statistics = self.told.as_ref().map_or(&self.tally.statistics, |told| &told.all);
        visited.set_budget(self.watch.limits.store_budget(statistics.search_bytes));
        findings.announce(self.watch.observer);
        let limit = self.watch.look(statistics);
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// The limit that is met, if one is: for one who waits for others, and has no session at the store.
    pub fn look_while_waiting(&mut self) -> Option<Limit> {
        let told = self.told.as_mut()?;
        told.tell(&self.tally.statistics);
        self.watch.look(&told.all)
    }

    /// Brings the derived statistics up to date.
    pub fn refresh<S: StateStore>(&mut self, visited: &Visited<S>, findings: &Findings, own_bytes: usize) {
        // The path to an error must find room, too.
        let trail_bytes = self.tally.statistics.max_depth as usize * trail::STEP_BYTES;
        let own_bytes = own_bytes + trail_bytes + findings.heap_bytes() + visited.own_bytes();
        let own_bytes = own_bytes + self.tally.heap_bytes() + self.expander.heap_bytes();
        let statistics = &mut self.tally.statistics;
        statistics.matched = statistics.transitions.saturating_sub(statistics.stored);
        statistics.store_bytes = visited.store_bytes();
        statistics.bytes_per_state = visited.bytes_per_state();
        statistics.search_bytes = own_bytes;
    }

    /// Computes what is to be followed from a configuration.
    #[inline]
    pub fn expand<S: StateStore>(
        &mut self,
        from: Origin<'_>,
        task: Task<'_>,
        visited: &mut Visited<S>,
        out: &mut Expansion,
    ) -> Result<(), Stop> {
        self.expander.start(from, out);
        self.go_on(from, task, visited, out)
    }

    /// The second half of [`Self::expand`], where its first was `expander.start`.
    #[inline]
    pub fn go_on<S: StateStore>(
        &mut self,
        from: Origin<'_>,
        task: Task<'_>,
        visited: &mut Visited<S>,
        out: &mut Expansion,
    ) -> Result<(), Stop> {
        self.go_on_if(from, task, |vector: &[u8], begun| visited.is_open(vector, begun), out)
    }

    /// [`Self::go_on`] for a search without a bound on depth, which needs no list of what is reached where all successors are followed:
    /// see [`Expansion::plain`].
    #[inline(always)]
    pub fn go_on_plainly<S: StateStore>(
        &mut self,
        from: Origin<'_>,
        visited: &mut Visited<S>,
        out: &mut Expansion,
    ) -> Result<(), Stop> {
        match self.expander.go_on_plainly(out) {
            true => self.look_at_size(out),
            false => self.go_on(from, Task { may_be_plain: true, ..Task::default() }, visited, out),
        }
    }

    /// Looks at the limits if successors take much room.
    #[inline(always)]
    fn look_at_size(&mut self, out: &Expansion) -> Result<(), Stop> {
        let statistics = self.told.as_ref().map_or(&self.tally.statistics, |told| &told.all);
        let limit = self.watch.after_expansion(out.successors().used, statistics);
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// Computes what is to be followed from a state that is not stored yet, but comes next, as [`Self::go_on_plainly`].
    #[inline]
    pub fn expand_ahead<S: StateStore>(
        &mut self,
        vector: &[u8],
        visited: &mut Visited<S>,
        out: &mut Expansion,
    ) -> Result<(), Stop> {
        // It will be closed when it is expanded.
        let is_open =
            |other: &[u8], begun| Ok(!visited.is_same(other, vector) && visited.is_open(other, begun)?);
        let from = Origin { vector, control: None };
        self.expander.start(from, out);
        if self.expander.go_on_plainly(out) {
            return self.look_at_size(out);
        }
        self.go_on_if(from, Task { may_be_plain: true, ..Task::default() }, is_open, out)
    }

    /// The same where something else tells whether states are open.
    #[inline]
    pub fn go_on_if(
        &mut self,
        from: Origin<'_>,
        task: Task<'_>,
        is_open: impl IsOpen,
        out: &mut Expansion,
    ) -> Result<(), Stop> {
        let Worker { expander, tally, watch, told, .. } = self;
        let statistics = told.as_ref().map_or(&tally.statistics, |told| &told.all);
        let mut look = |chain_bytes: usize| {
            let search_bytes = statistics.search_bytes + chain_bytes;
            watch.look(&Statistics { search_bytes, ..*statistics })
        };
        let task = Task { watch: Some(&mut look), ..task };
        expander.go_on(from, task, is_open, out)?;
        let limit = out.limit.or_else(|| watch.after_expansion(out.successors().used, statistics));
        if let Some(limit) = limit {
            return Err(Stop::Limit(limit));
        }
        if out.given_up.is_empty() { Ok(()) } else { self.note_given_up(&out.given_up) }
    }

    /// Computes again what was computed before.
    pub fn expand_again(&mut self, vector: &[u8], steps_max: usize, out: &mut Expansion) -> Result<(), Stop> {
        self.expander.expand_again(vector, steps_max, out);
        if out.given_up.is_empty() { Ok(()) } else { self.note_given_up(&out.given_up) }
    }

    /// Notes steps that the executor gave up; stops if it was told to.
    #[cold]
    fn note_given_up(&mut self, faults: &[Fault]) -> Result<(), Stop> {
        for fault in faults {
            if fault.kind == FaultKind::Interrupted {
                return Err(Stop::Limit(self.watch.limits.why_interrupted()));
            }
            if !self.expander.given_up.contains(fault) {
                self.expander.given_up.push(fault.clone());
            }
        }
        Ok(())
    }
}
