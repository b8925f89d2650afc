//! Depth-first search with an explicit stack.
//!
//! Order and counts are those of SPIN's verifier without reduction. A successor that is in the store already when it is
//! computed is counted and done with; the others are looked up again in their turn. With a depth bound the search first hopes that the
//! bound cuts nothing; when it does, the search starts again with [`Revisits`], which a bound makes necessary.

use crate::chain::{Fingerprint, is_checkpoint};
use crate::context::{Context, Stop};
use crate::revisit::{Arrival, Revisits};
use crate::stack::{Frame, FrameKind, Item, Stack};
use crate::step::StepCode;
use crate::{Observer, Options, Outcome};
use panoptes_exec::{Ending, Executor, Successor, Successors};
use panoptes_model::Model;
use panoptes_store::{Prepared, StateRef, StateStore};

/// How many frames get their successors back at once. (Few in tests, so that it happens often.)
const REFILL_FRAMES: usize = if cfg!(test) { 3 } else { 4096 };

/// Explores all that can be reached, depth first.
pub fn dfs<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    let context = Context::<S>::new(model, executor, options, observer);
    let hidden_bytes = context.hidden_bytes();
    let mut search = Dfs {
        context,
        stack: Stack::new(hidden_bytes),
        revisits: None,
        vector: Vec::new(),
        successors: Successors::default(),
        prepared: Vec::new(),
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

struct Dfs<'a, S> {
    context: Context<'a, S>,
    stack: Stack,
    /// Only while a depth bound cuts something.
    revisits: Option<Revisits>,
    /// The configuration just reached.
    vector: Vec<u8>,
    /// Its successors.
    successors: Successors,
    /// The lookups of those that are put on the stack.
    prepared: Vec<Prepared>,
}

/// How the configuration at hand was reached: the step, and which successor of the topmost frame it is.
#[derive(Clone, Copy)]
struct Arriving {
    step: StepCode,
    number: u32,
}

impl<S: StateStore + Default> Dfs<'_, S> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.vector = self.context.initial()?;
        let prepared = self.context.prepare(&self.vector)?;
        self.reach_state(Arriving { step: StepCode::NONE, number: 0 }, prepared)?;
        while let Some(frame) = self.stack.frames.last() {
            if frame.untried == 0 {
                self.pop();
                continue;
            }
            if self.stack.is_spilled() {
                self.refill()?;
            }
            self.take_next()?;
        }
        Ok(())
    }

    /// Takes the step on top of the stack.
    fn take_next(&mut self) -> Result<(), Stop> {
        let (number, item, fault) = self.stack.pop_item(&mut self.vector);
        let step = self.stack.steps.step(item.step);
        self.context.note_executed(step);
        if let Some(fault) = fault
            && self.context.is_error(&fault)
        {
            let stack = &self.stack;
            self.context.note_fault(&fault, stack.frames.len(), || stack.path(item.step))?;
        }
        let arriving = Arriving { step: item.step, number };
        match item.control {
            _ if !item.has_state => Ok(()),
            None => self.reach_state(arriving, item.prepared),
            Some(pid) => self.reach_transient(arriving, pid, self.context.loops.closes(step)),
        }
    }

    /// `self.vector` is a state: look it up and, if that is called for, go on from it.
    fn reach_state(&mut self, by: Arriving, prepared: Prepared) -> Result<(), Stop> {
        self.count_lookup();
        let depth = self.stack.frames.len();
        let (state, is_new) = self.context.insert(prepared, &self.vector)?;
        let arrival = match &mut self.revisits {
            None => is_new.then_some(Arrival { state, is_counted: true, forgotten: 0 }),
            Some(revisits) => revisits.arrive(state, is_new, depth),
        };
        let Some(arrival) = arrival else { return Ok(()) };
        self.context.statistics.transitions -= arrival.forgotten;
        self.context.note_depth(depth);
        let ending = self.expand(None)?;
        if ending != Ending::Moves {
            self.note_blocked(by.step, depth)?;
        }
        match ending {
            Ending::Moves => self.push_state(by, arrival),
            Ending::Deadlock => {
                let stack = &self.stack;
                self.context.note_deadlock(&self.vector, depth, || stack.path(by.step))
            }
            Ending::Valid | Ending::LetGo => Ok(()),
        }
    }

    /// `self.vector` with `pid` in control is passed through. Was a cycle closed?
    fn reach_transient(&mut self, by: Arriving, pid: u8, is_link: bool) -> Result<(), Stop> {
        let fingerprint = is_link.then(|| Fingerprint::of(&self.vector, pid));
        let chain = self.stack.chain();
        let length = chain.len() as u32 + u32::from(is_link);
        if let Some(fingerprint) = &fingerprint
            && is_checkpoint(length)
            && chain.contains(fingerprint)
        {
            self.context.statistics.endless_chains += 1;
            return Ok(());
        }
        self.context.note_depth(self.stack.frames.len());
        if self.expand(Some(pid))? != Ending::Moves {
            self.note_blocked(by.step, self.stack.frames.len())?;
            let prepared = self.context.prepare(&self.vector)?;
            return self.reach_state(by, prepared);
        }
        if self.is_cut()? {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_chain();
            return Ok(());
        }
        self.push(by, FrameKind::Transient(length))?;
        if let Some(fingerprint) = fingerprint {
            self.stack.push_fingerprint(fingerprint);
        }
        Ok(())
    }

    fn note_blocked(&mut self, step: StepCode, depth: usize) -> Result<(), Stop> {
        let stack = &self.stack;
        self.context.note_blocked(&self.successors, depth, |faulty| {
            let mut path = stack.path(step);
            path.push(faulty);
            path
        })
    }

    fn push_state(&mut self, by: Arriving, arrival: Arrival) -> Result<(), Stop> {
        if self.is_cut()? {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_state(arrival.state);
            return Ok(());
        }
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.push(by, FrameKind::State(arrival.state))
    }

    /// Puts the configuration just expanded on the path, and its successors that need to be followed beside it.
    ///
    /// All their lookups are begun before the first is finished: they share the wait for memory.
    fn push(&mut self, by: Arriving, kind: FrameKind) -> Result<(), Stop> {
        let depth = self.stack.frames.len();
        self.stack.push(Frame { step: by.step, number: by.number, untried: 0, kind }, &self.vector);
        self.prepared.clear();
        for item in &self.successors.items {
            let prepared = match is_state(item) {
                true => self.context.prepare(self.successors.state(item))?,
                false => Prepared::default(),
            };
            self.prepared.push(prepared);
        }
        for (item, prepared) in self.successors.items.iter().zip(&self.prepared) {
            if is_state(item) {
                self.context.store.prefetch_further(*prepared);
            }
        }
        for number in (0..self.successors.items.len()).rev() {
            let (item, prepared) = (&self.successors.items[number], self.prepared[number]);
            let vector = self.successors.state(item);
            if is_state(item) && item.fault.is_none() && self.is_known(prepared, vector, depth + 1) {
                let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
                self.context.statistics.transitions += u64::from(counts);
                self.context.note_executed(item.step);
                continue;
            }
            let packed = pack(item, prepared, self.stack.steps.code(item.step), vector);
            self.stack.push_item(number as u32, packed, vector, self.successors.fault(item));
        }
        self.stack.spill_if_large();
        Ok(())
    }

    /// Computes again what was spilled of the upper end of the path.
    fn refill(&mut self) -> Result<(), Stop> {
        let mut control = None;
        let (depths, mut at) = self.stack.begin_refill(REFILL_FRAMES);
        for depth in depths {
            let frame = &self.stack.frames[depth];
            if let FrameKind::State(state) = frame.kind {
                control = None;
                self.vector.clear();
                self.vector.extend_from_slice(self.stack.hidden(depth));
                self.context.store.read(state, &mut self.vector);
            }
            let untried = frame.untried as usize;
            self.context.expand_again(&self.vector, control, &mut self.successors);
            for _ in 0..untried {
                let item = &self.successors.items[self.stack.number(at) as usize];
                at += 1;
                let vector = self.successors.state(item);
                let prepared =
                    if is_state(item) { self.context.prepare(vector)? } else { Prepared::default() };
                let packed = pack(item, prepared, self.stack.steps.code(item.step), vector);
                self.stack.put_back(packed, vector, self.successors.fault(item));
            }
            if let Some(next) = self.stack.frames.get(depth + 1) {
                let taken = &self.successors.items[next.number as usize];
                assert_eq!(self.stack.steps.step(next.step), taken.step, "the same successors as before");
                control = taken.control;
                self.vector.clear();
                self.vector.extend_from_slice(self.successors.state(taken));
            }
        }
        Ok(())
    }

    fn pop(&mut self) {
        let frame = self.stack.pop();
        if let (FrameKind::State(_), Some(revisits)) = (frame.kind, &mut self.revisits) {
            revisits.pop();
        }
    }

    fn expand(&mut self, control: Option<u8>) -> Result<Ending, Stop> {
        let (stack, revisits) = (&self.stack, &self.revisits);
        let search_bytes = || stack.heap_bytes() + revisits.as_ref().map_or(0, Revisits::heap_bytes);
        let ending = self.context.expand(&self.vector, control, &mut self.successors, search_bytes)?;
        self.context.note_expanded(control, &self.successors);
        Ok(ending)
    }

    /// Does the depth bound forbid a step that leads to anything unseen?
    fn is_cut(&mut self) -> Result<bool, Stop> {
        let depth = self.stack.frames.len();
        if self.context.options.depth_max.is_none_or(|depth_max| (depth as u64) < depth_max) {
            return Ok(false);
        }
        for item in &self.successors.items {
            let is_error = self.successors.fault(item).is_some_and(|fault| self.context.is_error(fault));
            if is_error || (item.has_state && item.control.is_some()) {
                return Ok(true);
            }
            if is_state(item) {
                let vector = self.successors.state(item);
                let prepared = self.context.prepare(vector)?;
                if !self.is_known(prepared, vector, depth + 1) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Does a state need no more to be followed when reached at `depth`?
    fn is_known(&self, prepared: Prepared, vector: &[u8], depth: usize) -> bool {
        let is_settled =
            |state: StateRef| self.revisits.as_ref().is_none_or(|revisits| revisits.is_settled(state, depth));
        self.context.find(prepared, vector).is_some_and(is_settled)
    }

    fn count_lookup(&mut self) {
        let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
        self.context.statistics.transitions += u64::from(counts);
    }
}

/// Does the step lead to a state, not to a transient configuration and not nowhere?
#[inline]
fn is_state(item: &Successor) -> bool {
    item.has_state && item.control.is_none()
}

#[inline]
fn pack(item: &Successor, prepared: Prepared, step: StepCode, vector: &[u8]) -> Item {
    Item {
        prepared,
        step,
        vector_bytes: vector.len() as u32,
        control: item.control,
        has_fault: item.fault.is_some(),
        has_state: item.has_state,
    }
}
