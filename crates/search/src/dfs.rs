//! Depth-first search with an explicit stack.
//!
//! States are visited in the order of SPIN's verifier without reduction, and counts are equal; only the faults of a
//! state's own steps are seen when it is expanded, before its successors are. A successor that is in the store already when it is
//! computed is counted and done with; the others are looked up again in their turn. With a depth bound the search first
//! hopes that the bound cuts nothing; when it does, the search starts again with [`Revisits`], which a bound makes
//! necessary. (Where a state takes only bits there is no room for its depth: then a state is expanded once, and what the bound
//! cut is missing.)

use crate::context::{Context, NOT_STORED, Stop};
use crate::errors::Trail;
use crate::expansion::Expansion;
use crate::loop_states::LoopStates;
use crate::por::Order;
use crate::revisit::{Arrival, Revisits};
use crate::stack::{Frame, Item, Stack};
use crate::{Observer, Options, Outcome, Path};
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
    // A folded vector cannot be read back from the store.
    let keeps_vectors = S::KEEPS_VECTORS && !options.loop_states && options.foldings.is_empty();
    let stack = || Stack::new(hidden_bytes, !keeps_vectors);
    let mut search = Dfs {
        context,
        stack: stack(),
        loop_states: options.loop_states.then(|| LoopStates::new(model)),
        revisits: None,
        is_cut: false,
        vector: Vec::new(),
        expansion: Expansion::default(),
        ahead: Expansion::default(),
        is_ahead: false,
    };
    let mut end = search.walk();
    if end == Err(Stop::Cut) {
        search.context.restart();
        search.stack = stack();
        search.loop_states = options.loop_states.then(|| LoopStates::new(model));
        search.revisits = Some(Revisits::default());
        search.is_ahead = false;
        end = search.walk();
    }
    let is_cut = search.is_cut || search.revisits.as_ref().is_some_and(Revisits::is_cut);
    let search_bytes = search.stack.heap_bytes() + search.revisits.as_ref().map_or(0, Revisits::heap_bytes);
    // What is not needed any more makes room for the paths of errors.
    drop((search.stack, search.revisits, search.expansion, search.ahead));
    search.context.finish(end, is_cut, search_bytes)
}

struct Dfs<'a, S> {
    context: Context<'a, S>,
    stack: Stack,
    /// Only while a depth bound cuts something.
    revisits: Option<Revisits>,
    /// The depth bound cut something, and nobody knows at which depth states were met.
    is_cut: bool,
    /// Only if not every state is to be stored.
    loop_states: Option<LoopStates>,
    /// The state just reached.
    vector: Vec<u8>,
    /// What can be reached from it.
    expansion: Expansion,
    /// What can be reached from the state that comes next, if that is known already.
    ahead: Expansion,
    is_ahead: bool,
}

/// How the state at hand was reached: which successor of the topmost frame it is, and after how many steps in all.
#[derive(Clone, Copy)]
struct Arriving {
    label: u32,
    depth: u32,
}

/// Where the state stands that comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It is this one of what the state at hand reaches.
    Successor(usize),
    OnStack,
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
        let is_ahead = std::mem::take(&mut self.is_ahead);
        let Some(arrival) = self.arrive(by, prepared)? else { return Ok(()) };
        self.context.statistics.transitions -= arrival.forgotten;
        // If nothing new can be reached from here, this is what is looked up next.
        if let Some(next) = self.stack.next_item() {
            self.context.store.prefetch(next.prepared);
        }
        if is_ahead {
            std::mem::swap(&mut self.expansion, &mut self.ahead);
        } else {
            self.expand(by, arrival.state)?;
        }
        self.note_expanded(by, arrival)?;
        if self.expansion.ending == Ending::Moves {
            return self.push(by, arrival);
        }
        if self.expansion.is_cut {
            self.note_cut_end(arrival)?;
        }
        self.context.note_left(arrival.state);
        Ok(())
    }

    /// Looks `self.vector` up, unless it is not to be stored; none if there is no need to go on from it.
    fn arrive(&mut self, by: Arriving, prepared: Prepared) -> Result<Option<Arrival>, Stop> {
        if let Some(loop_states) = &mut self.loop_states {
            let Context { model, statistics, .. } = &mut self.context;
            if !loop_states.is_stored(model, &self.vector, self.stack.frames.len(), statistics) {
                statistics.passed += 1;
                return Ok(Some(Arrival::first(NOT_STORED)));
            }
        }
        self.count_lookup();
        let (state, is_new) = self.context.insert(prepared, &self.vector)?;
        let arrival = match &mut self.revisits {
            None => is_new.then_some(Arrival::first(state)),
            Some(revisits) => revisits.arrive(state, is_new, by.depth as usize),
        };
        if is_new {
            self.context.note_visit(state, true, by.depth);
        } else {
            let Dfs { context, stack, vector, .. } = self;
            context.note_met(state, vector, by.depth, |room| stack.fork(stack.labels.branch(by.label), room));
        }
        if arrival.is_some() {
            self.context.store.entered(state, by.depth);
        }
        Ok(arrival)
    }

    /// Computes what can be reached from the state at hand, and begins the lookups.
    fn expand(&mut self, by: Arriving, state: StateRef) -> Result<(), Stop> {
        let Dfs { context, stack, revisits, vector, expansion, .. } = self;
        let search_bytes = || stack.heap_bytes() + revisits.as_ref().map_or(0, Revisits::heap_bytes);
        context.expand(state, vector, context.steps_left(by.depth), expansion, search_bytes)?;
        context.prepare_all(expansion)
    }

    /// Does the same for the state that most likely comes next, while the lookups of the state at hand wait for memory.
    fn look_ahead(&mut self, next: Next) -> Result<(), Stop> {
        let Dfs { context, stack, expansion, ahead, .. } = self;
        let vector = match next {
            Next::Successor(index) => expansion.vector(&expansion.reached[index]),
            Next::OnStack => stack.next_vector(),
        };
        context.expand_ahead(vector, ahead, || stack.heap_bytes())?;
        context.prepare_all(ahead)
    }

    /// Which state that is: the first of its successors that the store cannot hold, or if it holds them all, the next one
    /// on the stack.
    #[inline]
    fn likely_next(&self) -> Option<Next> {
        let store = &self.context.store;
        let mut next = None;
        // All of them: the memory to compare them with is wanted soon.
        for (index, reached) in self.expansion.reached.iter().enumerate() {
            if next.is_some() {
                store.prefetch_further(reached.prepared);
            } else if !store.may_hold(reached.prepared) {
                next = Some(Next::Successor(index));
            }
        }
        let on_stack = || self.stack.next_item().filter(|item| !store.may_hold(item.prepared));
        let next = next.or_else(|| on_stack().map(|_| Next::OnStack));
        next.filter(|_| self.revisits.is_none() && self.context.may_look_ahead())
    }

    /// Counts an expansion and notes the errors met in it.
    fn note_expanded(&mut self, by: Arriving, arrival: Arrival) -> Result<(), Stop> {
        let Dfs { context, stack, vector, expansion, .. } = self;
        context.note_expanded(expansion);
        let depth = by.depth as usize;
        context.note_depth(depth + expansion.chain_steps_max);
        let bound = context.options.depth_max;
        context.log.is_repeat = arrival.has_shown(0, bound);
        let trail = || Trail { branches: stack.branches_to(by.label), steps: Path::default() };
        context.note_state(vector, depth, trail)?;
        for faulty in &expansion.faults {
            context.log.is_repeat = arrival.has_shown(faulty.steps.len(), bound);
            let trail = || Trail { branches: stack.branches_to(by.label), steps: faulty.path() };
            context.note_fault(&faulty.fault, depth + faulty.steps.len(), trail)?;
        }
        let trail = || Trail { branches: stack.branches_to(by.label), steps: Path::default() };
        if expansion.ending == Ending::Deadlock {
            context.log.is_repeat = arrival.has_shown(0, bound);
            context.note_end(vector, &expansion.successors().end_faults, depth, trail)?;
        }
        if !expansion.successors().stuck.is_empty() {
            context.log.is_repeat = arrival.has_shown(0, bound);
            context.note_stuck(expansion.successors(), depth, trail)?;
        }
        context.log.is_repeat = false;
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
        let likely_next = self.likely_next();
        if let Some(next) = likely_next {
            self.look_ahead(next)?;
        }
        self.arrange(by.depth);
        let mut next = Next::OnStack;
        let steps_left = self.context.steps_left(by.depth);
        let mut is_cut = self.expansion.is_cut;
        for index in (0..self.expansion.reached.len()).rev() {
            let reached = self.expansion.reached[index];
            let vector = self.expansion.vector(&reached);
            let depth = by.depth + reached.steps;
            if let Some(state) = self.known(reached.prepared, vector, depth) {
                self.count_lookup();
                let Dfs { context, stack, expansion, .. } = self;
                let fork = |room| stack.fork(reached.branch, room);
                context.note_met(state, expansion.vector(&reached), depth, fork);
            } else if reached.steps as usize > steps_left {
                is_cut = true;
            } else {
                let item = Item::new(reached.prepared, reached.steps, vector);
                self.stack.push_item(reached.branch, item, vector);
                next = Next::Successor(index);
            }
        }
        self.is_ahead = likely_next == Some(next);
        if is_cut {
            self.note_cut()?;
        }
        self.stack.spill_if_large();
        Ok(())
    }

    /// The bound cut something behind the topmost state.
    fn note_cut(&mut self) -> Result<(), Stop> {
        match &mut self.revisits {
            Some(revisits) => revisits.cut(),
            None if S::IS_FRUGAL => self.is_cut = true,
            None => return Err(Stop::Cut),
        }
        Ok(())
    }

    /// The same for a state from which no step leads on, but one that went wrong, one step beyond the bound.
    fn note_cut_end(&mut self, arrival: Arrival) -> Result<(), Stop> {
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.note_cut()?;
        if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
        Ok(())
    }

    /// Orders and limits the successors of the topmost state, if that is asked for.
    #[inline]
    fn arrange(&mut self, depth: u32) {
        if let Some(mut guide) = self.context.guide.take() {
            let mut expansion = std::mem::take(&mut self.expansion);
            guide.arrange(&mut expansion, |expansion, reached| {
                self.known(reached.prepared, expansion.vector(reached), depth + reached.steps).is_some()
            });
            self.expansion = expansion;
            self.context.guide = Some(guide);
        }
    }

    /// Computes again what was spilled of the upper end of the path.
    fn refill(&mut self) -> Result<(), Stop> {
        let (depths, mut at) = self.stack.begin_refill(REFILL_FRAMES);
        // Along the path from a vector that the stack has, if the store has none.
        let walks = self.stack.checkpoint(depths.start).map(|vector| self.vector = vector.to_vec()).is_some();
        for depth in depths {
            let frame = &self.stack.frames[depth];
            let (steps_left, untried) = (self.context.steps_left(frame.depth), frame.untried);
            if !walks {
                self.vector.clear();
                self.vector.extend_from_slice(self.stack.hidden(depth));
                self.context.store.read(frame.state, &mut self.vector);
            }
            self.context.expand_again(&self.vector, steps_left, &mut self.expansion)?;
            for _ in 0..untried {
                let reached = self.expansion.find(self.stack.branch(at));
                at += 1;
                let vector = self.expansion.vector(reached);
                let prepared = self.context.prepare(vector)?;
                self.stack.put_back(Item::new(prepared, reached.steps, vector), vector);
            }
            if walks && let Some(next) = self.stack.frames.get(depth + 1) {
                let reached = self.expansion.find(self.stack.labels.branch(next.label));
                self.vector.clear();
                self.vector.extend_from_slice(self.expansion.vector(reached));
            }
        }
        self.stack.end_refill();
        Ok(())
    }

    fn pop(&mut self) {
        let state = self.stack.pop();
        self.context.note_left(state);
        if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
    }

    /// A state in the store that needs no more to be followed when it is reached at `depth`.
    #[inline]
    fn known(&self, prepared: Prepared, vector: &[u8], depth: u32) -> Option<StateRef> {
        let is_settled = |state: &StateRef| {
            self.revisits.as_ref().is_none_or(|revisits| revisits.is_settled(*state, depth as usize))
        };
        self.context.find(prepared, vector).filter(is_settled)
    }

    #[inline]
    fn count_lookup(&mut self) {
        let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
        self.context.statistics.transitions += u64::from(counts);
    }
}
