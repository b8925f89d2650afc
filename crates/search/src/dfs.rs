//! Depth-first search with an explicit stack.
//!
//! A frame stands for a configuration on the current path. Its successors that were not followed yet stand on a second
//! stack, their vectors end to end in a third: all in reverse, so that the next one to follow is always on top and what
//! is done with takes no room. A path of millions of steps then costs its frames and the untried siblings, nothing more.
//! Of a successor that is in the store already when it is computed only the lookup is kept, to be counted in its turn.
//!
//! Order and counts are those of SPIN's verifier without reduction. With a depth bound the search first hopes that the
//! bound cuts nothing; when it does, the search starts again with [`Revisits`], which a bound makes necessary.

use crate::chain::{Fingerprint, is_checkpoint};
use crate::context::{Context, Stop};
use crate::revisit::{Arrival, Revisits};
use crate::step::PackedStep;
use crate::{Observer, Options, Outcome, grow};
use panoptes_exec::{Ending, Executor, Fault, Step, Successor, Successors};
use panoptes_model::Model;

/// Explores all that can be reached, depth first.
pub fn dfs(
    model: &Model,
    executor: &mut dyn Executor,
    options: &Options,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut search = Dfs {
        context: Context::new(model, executor, options, observer),
        stack: Stack::default(),
        revisits: None,
        vector: Vec::new(),
        successors: Successors::default(),
    };
    let mut end = search.walk();
    if end == Err(Stop::Cut) {
        search.context.restart();
        search.stack = Stack::default();
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
    /// Reused for every expansion.
    successors: Successors,
}

/// The current path and what remains to be tried beside it.
#[derive(Default)]
struct Stack {
    /// One a configuration of the path; the depth is the index.
    frames: Vec<Frame>,
    /// The untried successors of all frames, each frame's next one last.
    items: Vec<Item>,
    /// The vectors of the items, in their order.
    bytes: Vec<u8>,
    /// The faults of the items that have one, in their order.
    faults: Vec<Fault>,
    /// Of the transient frames, in their order.
    fingerprints: Vec<Fingerprint>,
}

struct Frame {
    /// The step that led here.
    step: PackedStep,
    untried: u32,
    /// How many transient configurations end the path here; zero for a state.
    chain: u32,
}

struct Item {
    hash: u64,
    step: PackedStep,
    vector_bytes: u32,
    control: Option<u8>,
    has_fault: bool,
    has_state: bool,
    /// A state that need not be followed. Its vector is not on the stack.
    is_known: bool,
}

impl Dfs<'_> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.vector = self.context.initial()?;
        let (hash, _) = self.context.key(&self.vector);
        self.reach_state(PackedStep::NONE, hash)?;
        while let Some(frame) = self.stack.frames.last_mut() {
            if frame.untried == 0 {
                self.pop();
                continue;
            }
            frame.untried -= 1;
            self.take_next()?;
        }
        Ok(())
    }

    /// Takes the step on top of the stack.
    fn take_next(&mut self) -> Result<(), Stop> {
        let item = self.stack.items.pop().expect("an untried successor");
        let at = self.stack.bytes.len() - item.vector_bytes as usize;
        self.vector.clear();
        self.vector.extend_from_slice(&self.stack.bytes[at..]);
        self.stack.bytes.truncate(at);
        self.context.note_executed(item.step.into());
        if item.has_fault {
            let fault = self.stack.faults.pop().expect("a fault for the item");
            if self.context.is_error(&fault) {
                let (stack, step) = (&self.stack, item.step);
                self.context.note_fault(&fault, stack.frames.len(), || stack.path(step))?;
            }
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
        match self.expand(None)? {
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
        let before = self.stack.frames.last().map_or(0, |frame| frame.chain);
        let fingerprint = Fingerprint::of(&self.vector, pid);
        let start = self.stack.fingerprints.len() - before as usize;
        if is_checkpoint(before + 1) && self.stack.fingerprints[start..].contains(&fingerprint) {
            self.context.statistics.endless_chains += 1;
            return Ok(());
        }
        self.context.note_depth(self.stack.frames.len());
        if self.expand(Some(pid))? != Ending::Moves {
            let (hash, _) = self.context.key(&self.vector);
            return self.reach_state(step, hash);
        }
        if self.is_cut() {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_chain();
            return Ok(());
        }
        self.stack.fingerprints.push(fingerprint);
        self.push(step, before + 1);
        Ok(())
    }

    fn push_state(&mut self, step: PackedStep, arrival: Arrival) -> Result<(), Stop> {
        if self.is_cut() {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut_state(arrival.state);
            return Ok(());
        }
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.push(step, 0);
        Ok(())
    }

    /// Puts the configuration just expanded on the path.
    fn push(&mut self, step: PackedStep, chain: u32) {
        let untried = self.successors.items.len() as u32;
        let depth = self.stack.frames.len();
        grow::push(&mut self.stack.frames, Frame { step, untried, chain });
        for item in self.successors.items.iter().rev() {
            let vector = self.successors.state(item);
            let is_state = item.has_state && item.control.is_none();
            let (hash, is_known) = if is_state { self.is_known(vector, depth + 1) } else { (0, false) };
            let vector = if is_known { &[] } else { vector };
            grow::extend(&mut self.stack.bytes, vector);
            self.stack.faults.extend(self.successors.fault(item).cloned());
            let item = Item {
                hash,
                step: item.step.into(),
                vector_bytes: vector.len() as u32,
                control: item.control,
                has_fault: item.fault.is_some(),
                has_state: item.has_state,
                is_known,
            };
            grow::push(&mut self.stack.items, item);
        }
    }

    fn pop(&mut self) {
        let frame = self.stack.frames.pop().expect("a frame");
        if frame.chain > 0 {
            self.stack.fingerprints.pop();
        } else if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
    }

    fn expand(&mut self, control: Option<u8>) -> Result<Ending, Stop> {
        let (stack, revisits) = (&self.stack, &self.revisits);
        let search_bytes = || stack.heap_bytes() + revisits.as_ref().map_or(0, Revisits::heap_bytes);
        self.context.expand(&self.vector, control, &mut self.successors, search_bytes)
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

impl Stack {
    /// The steps of the current path and then `last` (unless that is no step).
    fn path(&self, last: PackedStep) -> Vec<Step> {
        let steps = self.frames.iter().map(|frame| frame.step).chain([last]);
        steps.filter(|step| *step != PackedStep::NONE).map(Step::from).collect()
    }

    fn heap_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.items.capacity() * size_of::<Item>()
            + self.bytes.capacity()
            + self.faults.capacity() * size_of::<Fault>()
            + self.fingerprints.capacity() * size_of::<Fingerprint>()
    }
}
