//! Depth-first search with an explicit stack.
//!
//! States are visited in the order of SPIN's verifier without reduction, and counts are equal; only the faults of a
//! state's own steps are seen when it is expanded, before its successors are. A successor that is in the store already when it is
//! computed is counted and done with; the others are looked up again in their turn. With a depth bound the search first
//! hopes that the bound cuts nothing; when it does, the search starts again with [`Revisits`], which a bound makes
//! necessary.

use crate::context::{Context, Stop};
use crate::errors::Trail;
use crate::expansion::Expansion;
use crate::por::Order;
use crate::revisit::{Arrival, Revisits};
use crate::stack::{Frame, Item, Stack};
use crate::{Observer, Options, Outcome};
use panoptes_exec::{Ending, Executor};
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
    let context = Context::<S>::new(model, executor, options, observer, Order::DepthFirst);
    let hidden_bytes = context.hidden_bytes();
    let mut search = Dfs {
        context,
        stack: Stack::new(hidden_bytes),
        revisits: None,
        vector: Vec::new(),
        expansion: Expansion::default(),
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
    /// The state just reached.
    vector: Vec<u8>,
    /// What can be reached from it.
    expansion: Expansion,
}

/// How the state at hand was reached: which successor of the topmost frame it is, and after how many steps in all.
#[derive(Clone, Copy)]
struct Arriving {
    label: u32,
    depth: u32,
}

impl<S: StateStore + Default> Dfs<'_, S> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.vector = self.context.initial()?;
        let prepared = self.context.prepare(&self.vector)?;
        self.reach(Arriving { label: 0, depth: 0 }, prepared)?;
        while let Some(frame) = self.stack.frames.last() {
            if frame.untried == 0 {
                self.pop();
                continue;
            }
            let depth = frame.depth;
            if self.stack.is_spilled() {
                self.refill()?;
            }
            let (label, item) = self.stack.pop_item(&mut self.vector);
            self.reach(Arriving { label, depth: depth + item.steps }, item.prepared)?;
        }
        Ok(())
    }

    /// Looks `self.vector` up and, if that is called for, goes on from it.
    fn reach(&mut self, by: Arriving, prepared: Prepared) -> Result<(), Stop> {
        self.count_lookup();
        let (state, is_new) = self.context.insert(prepared, &self.vector)?;
        let arrival = match &mut self.revisits {
            None if is_new => Arrival { state, is_counted: true, forgotten: 0 },
            None => return Ok(()),
            Some(revisits) => match revisits.arrive(state, is_new, by.depth as usize) {
                Some(arrival) => arrival,
                None => return Ok(()),
            },
        };
        self.context.statistics.transitions -= arrival.forgotten;
        self.expand(by, state)?;
        if self.expansion.ending == Ending::Moves {
            return self.push(by, arrival);
        }
        self.context.note_left(state);
        Ok(())
    }

    /// Computes what can be reached from the state at hand and notes the errors there.
    fn expand(&mut self, by: Arriving, state: StateRef) -> Result<(), Stop> {
        let Dfs { context, stack, revisits, vector, expansion } = self;
        let search_bytes = || stack.heap_bytes() + revisits.as_ref().map_or(0, Revisits::heap_bytes);
        context.expand(state, vector, context.steps_left(by.depth), expansion, search_bytes)?;
        context.note_expanded(expansion);
        let depth = by.depth as usize;
        context.note_depth(depth + expansion.chain_steps_max);
        for faulty in &expansion.faults {
            let trail = || Trail { branches: stack.branches_to(by.label), steps: faulty.steps.clone() };
            context.note_fault(&faulty.fault, depth + faulty.steps.len(), trail)?;
        }
        if expansion.ending == Ending::Deadlock {
            let trail = || Trail { branches: stack.branches_to(by.label), steps: Vec::new() };
            context.note_end(vector, &expansion.successors().end_faults, depth, trail)?;
        }
        Ok(())
    }

    /// Puts the state just expanded on the path, and its successors that need to be followed beside it.
    ///
    /// All their lookups are begun before the first is finished: they share the wait for memory.
    fn push(&mut self, by: Arriving, arrival: Arrival) -> Result<(), Stop> {
        let frame = Frame { state: arrival.state, label: by.label, depth: by.depth, untried: 0 };
        self.stack.push(frame, &self.vector);
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.context.prepare_all(&mut self.expansion)?;
        for reached in &self.expansion.reached {
            self.context.store.prefetch_further(reached.prepared);
        }
        let steps_left = self.context.steps_left(by.depth);
        let mut is_cut = self.expansion.is_cut;
        for index in (0..self.expansion.reached.len()).rev() {
            let reached = self.expansion.reached[index];
            let vector = self.expansion.vector(&reached);
            if self.is_known(reached.prepared, vector, by.depth + reached.steps) {
                self.count_lookup();
            } else if reached.steps as usize > steps_left {
                is_cut = true;
            } else {
                let item = Item::new(reached.prepared, reached.steps, vector);
                self.stack.push_item(reached.branch, item, vector);
            }
        }
        if is_cut {
            self.revisits.as_mut().ok_or(Stop::Cut)?.cut();
        }
        self.stack.spill_if_large();
        Ok(())
    }

    /// Computes again what was spilled of the upper end of the path.
    fn refill(&mut self) -> Result<(), Stop> {
        let (depths, mut at) = self.stack.begin_refill(REFILL_FRAMES);
        for depth in depths {
            let frame = &self.stack.frames[depth];
            let (steps_left, untried) = (self.context.steps_left(frame.depth), frame.untried);
            self.vector.clear();
            self.vector.extend_from_slice(self.stack.hidden(depth));
            self.context.store.read(frame.state, &mut self.vector);
            self.context.expand_again(&self.vector, steps_left, &mut self.expansion);
            for _ in 0..untried {
                let reached = self.expansion.find(self.stack.branch(at));
                at += 1;
                let vector = self.expansion.vector(reached);
                let prepared = self.context.prepare(vector)?;
                self.stack.put_back(Item::new(prepared, reached.steps, vector), vector);
            }
        }
        Ok(())
    }

    fn pop(&mut self) {
        let state = self.stack.pop();
        self.context.note_left(state);
        if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
    }

    /// Does a state need no more to be followed when reached at `depth`?
    #[inline]
    fn is_known(&self, prepared: Prepared, vector: &[u8], depth: u32) -> bool {
        let is_settled = |state: StateRef| {
            self.revisits.as_ref().is_none_or(|revisits| revisits.is_settled(state, depth as usize))
        };
        self.context.find(prepared, vector).is_some_and(is_settled)
    }

    #[inline]
    fn count_lookup(&mut self) {
        let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
        self.context.statistics.transitions += u64::from(counts);
    }
}
