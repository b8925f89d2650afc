//! Depth-first search with an explicit stack.
//!
//! Order and counts are those of SPIN's verifier without reduction. Of a successor that is in the store already when it
//! is computed only the lookup is kept, to be counted in its turn. With a depth bound the search first hopes that the
//! bound cuts nothing; when it does, the search starts again with [`Revisits`], which a bound makes necessary.

use crate::chain::{Fingerprint, is_checkpoint};
use crate::context::{At, Context, Stop};
use crate::revisit::{Arrival, Revisits};
use crate::stack::{Frame, FrameKind, Item, Stack};
use crate::step::PackedStep;
use crate::{Observer, Options, Outcome};
use panoptes_exec::{Ending, Executor, Successor, Successors};
use panoptes_model::Model;

/// How many frames get their successors back at once. (Few in tests, so that it happens often.)
const REFILL_FRAMES: usize = if cfg!(test) { 3 } else { 4096 };

/// Explores all that can be reached, depth first.
pub fn dfs(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    let context = Context::new(model, executor, options, observer, true);
    let hidden_bytes = context.hidden_bytes();
    let mut search = Dfs {
        context,
        stack: Stack::new(hidden_bytes),
        revisits: None,
        vector: Vec::new(),
        successors: Successors::default(),
    };
    let mut end = search.walk();
    if end == Err(Stop::Cut) {
        search.context.restart();
        search.stack = Stack::new(hidden_bytes);
        search.revisits = Some(Revisits::default());
        end = search.walk();
    }
    let is_cut = search.revisits.as_ref().is_some_and(Revisits::is_cut);
    let search_bytes = search.stack.heap_bytes() + search.revisits.as_ref().map_or(0, Revisits::heap_bytes);
    search.context.finish(end, is_cut, search_bytes)
}

struct Dfs<'a> {
    context: Context<'a>,
    stack: Stack,
    /// Only while a depth bound cuts something.
    revisits: Option<Revisits>,
    /// The configuration just reached.
    vector: Vec<u8>,
    /// Its successors.
    successors: Successors,
}

impl Dfs<'_> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.vector = self.context.initial()?;
        let (hash, _) = self.context.key(&self.vector);
        self.reach_state(PackedStep::NONE, hash)?;
        while let Some(frame) = self.stack.frames.last() {
            if frame.untried == 0 {
                self.pop();
                continue;
            }
            if self.stack.is_spilled() {
                self.refill();
            }
            self.take_next()?;
        }
        Ok(())
    }

    /// Takes the step on top of the stack.
    fn take_next(&mut self) -> Result<(), Stop> {
        let (item, fault) = self.stack.pop_item(&mut self.vector);
        self.context.note_executed(item.step.into());
        if let Some(fault) = fault
            && self.context.is_error(&fault)
        {
            let stack = &self.stack;
            self.context.note_fault(&fault, stack.frames.len(), || stack.path(item.step))?;
        }
        match item.control {
            _ if !item.has_state => Ok(()),
            None if item.is_known => {
                self.count_lookup();
                Ok(())
            }
            None => self.reach_state(item.step, item.hash),
            Some(pid) => self.reach_transient(item.step, pid),
        }
    }

    /// `self.vector` is a state: look it up and, if that is called for, go on from it.
    fn reach_state(&mut self, step: PackedStep, hash: u64) -> Result<(), Stop> {
        self.count_lookup();
        let depth = self.stack.frames.len();
        let (state, is_new) = self.context.insert(hash, &self.vector)?;
        let arrival = match &mut self.revisits {
            None => is_new.then_some(Arrival { state, is_counted: true, forgotten: 0 }),
            Some(revisits) => revisits.arrive(state, is_new, depth),
        };
        let Some(arrival) = arrival else { return Ok(()) };
        self.context.statistics.transitions -= arrival.forgotten;
        self.context.note_depth(depth);
        let ending = self.expand(At::State(state))?;
        if ending != Ending::Moves {
            self.context.leave(state);
            self.note_blocked(step, depth)?;
        }
        match ending {
            Ending::Moves => self.push_state(step, arrival),
            Ending::Deadlock => {
                let stack = &self.stack;
                self.context.note_deadlock(&self.vector, depth, || stack.path(step))
            }
            Ending::Valid | Ending::LetGo => Ok(()),
        }
    }

    /// `self.vector` with `pid` in control is passed through.
    fn reach_transient(&mut self, step: PackedStep, pid: u8) -> Result<(), Stop> {
        let fingerprint = Fingerprint::of(&self.vector, pid);
        let chain = self.stack.chain();
        let length = chain.len() as u32 + 1;
        if is_checkpoint(length) && chain.contains(&fingerprint) {
            self.context.statistics.endless_chains += 1;
            return Ok(());
        }
        self.context.note_depth(self.stack.frames.len());
        if self.expand(At::Transient(pid))? != Ending::Moves {
            self.note_blocked(step, self.stack.frames.len())?;
            let (hash, _) = self.context.key(&self.vector);
            return self.reach_state(step, hash);
        }
        if self.is_cut() {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_chain();
            return Ok(());
        }
        self.push(step, FrameKind::Transient(length));
        self.stack.push_fingerprint(fingerprint);
        Ok(())
    }

    fn note_blocked(&mut self, step: PackedStep, depth: usize) -> Result<(), Stop> {
        let stack = &self.stack;
        self.context.note_blocked(&self.successors, depth, |faulty| {
            let mut path = stack.path(step);
            path.push(faulty);
            path
        })
    }

    fn push_state(&mut self, step: PackedStep, arrival: Arrival) -> Result<(), Stop> {
        if self.is_cut() {
            self.context.leave(arrival.state);
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_state(arrival.state);
            return Ok(());
        }
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.push(step, FrameKind::State(arrival.state));
        Ok(())
    }

    /// Puts the configuration just expanded on the path.
    fn push(&mut self, step: PackedStep, kind: FrameKind) {
        let depth = self.stack.frames.len();
        let untried = self.successors.items.len();
        self.stack.push(Frame { step, untried: untried as u32, kind }, &self.vector);
        self.push_items(untried, depth);
        self.stack.spill_if_large();
    }

    /// Puts the last `untried` successors of the frame at `depth` on the stack.
    fn push_items(&mut self, untried: usize, depth: usize) {
        let done = self.successors.items.len() - untried;
        for item in self.successors.items[done..].iter().rev() {
            let vector = self.successors.state(item);
            let is_state = item.has_state && item.control.is_none();
            let (hash, is_known) = if is_state { self.is_known(vector, depth + 1) } else { (0, false) };
            let vector = if is_known { &[] } else { vector };
            let packed = Item {
                hash,
                step: item.step.into(),
                vector_bytes: vector.len() as u32,
                control: item.control,
                has_fault: item.fault.is_some(),
                has_state: item.has_state,
                is_known,
            };
            self.stack.push_item(packed, vector, self.successors.fault(item));
        }
    }

    /// Computes again what was spilled of the upper end of the path.
    fn refill(&mut self) {
        let mut control = None;
        for depth in self.stack.begin_refill(REFILL_FRAMES) {
            let frame = &self.stack.frames[depth];
            let mut at = At::Transient(control.unwrap_or_default());
            if let FrameKind::State(state) = frame.kind {
                at = At::State(state);
                self.vector.clear();
                self.vector.extend_from_slice(self.stack.hidden(depth));
                self.vector.extend_from_slice(self.context.store.get(state));
            }
            let untried = frame.untried as usize;
            self.context.expand_again(&self.vector, at, &mut self.successors);
            self.push_items(untried, depth);
            if let Some(next) = self.stack.frames.get(depth + 1) {
                // The successor that the path goes on with is the last one tried.
                let taken = &self.successors.items[self.successors.items.len() - untried - 1];
                assert_eq!(PackedStep::from(taken.step), next.step, "a state always has the same successors");
                control = taken.control;
                self.vector.clear();
                self.vector.extend_from_slice(self.successors.state(taken));
            }
        }
    }

    fn pop(&mut self) {
        let frame = self.stack.pop();
        if let FrameKind::State(state) = frame.kind {
            self.context.leave(state);
            if let Some(revisits) = &mut self.revisits {
                revisits.pop();
            }
        }
    }

    fn expand(&mut self, at: At) -> Result<Ending, Stop> {
        let (stack, revisits) = (&self.stack, &self.revisits);
        let search_bytes = || stack.heap_bytes() + revisits.as_ref().map_or(0, Revisits::heap_bytes);
        self.context.expand(&self.vector, at, &mut self.successors, search_bytes)
    }

    /// Does the depth bound forbid a step that leads to anything unseen?
    fn is_cut(&self) -> bool {
        let depth = self.stack.frames.len();
        self.context.options.depth_max.is_some_and(|depth_max| depth as u64 >= depth_max)
            && self.successors.items.iter().any(|item| self.leads_on(item, depth + 1))
    }

    fn leads_on(&self, item: &Successor, depth: usize) -> bool {
        let is_error = self.successors.fault(item).is_some_and(|fault| self.context.is_error(fault));
        let is_seen = || item.control.is_none() && self.is_known(self.successors.state(item), depth).1;
        is_error || (item.has_state && !is_seen())
    }

    /// The hash of a state, and whether it needs no more to be followed when reached at `depth`.
    fn is_known(&self, vector: &[u8], depth: usize) -> (u64, bool) {
        let (hash, key) = self.context.key(vector);
        let found = self.context.store.find_hashed(hash, key);
        let is_settled =
            |state| self.revisits.as_ref().is_none_or(|revisits| revisits.is_settled(state, depth));
        (hash, found.is_some_and(is_settled))
    }

    fn count_lookup(&mut self) {
        let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
        self.context.statistics.transitions += u64::from(counts);
    }
}
