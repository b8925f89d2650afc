//! Timeouts that only resolve locks: an executor that leaves them out where something else can be done.
//!
//! "In partial search mode the correct working of the time-out mechanism is assumed" (Holzmann, *Tracing Protocols*, 1985):
//! that leaves out errors of bad timing, which are many, and lets a search find the others first. A model whose timeouts
//! resolve locks by their own meaning has none that could be left out.

use crate::{Limit, Outcome};
use panoptes_exec::{Chains, Executor, Replay, Successor, Successors, Wrapper};
use panoptes_model::Model;

/// Runs a search that puts timeouts off, if that is asked for and there are any.
pub(crate) fn with_timeouts_last(
    model: &Model,
    executor: &mut dyn Executor,
    is_asked_for: bool,
    search: impl FnOnce(&mut dyn Executor) -> Outcome,
) -> Outcome {
    if !is_asked_for || model.timeouts.is_empty() {
        return search(executor);
    }
    let mut is_timeout = vec![false; model.transitions.len()];
    model.timeouts.iter().for_each(|id| is_timeout[id.index()] = true);
    let mut last = TimeoutsLast { inner: executor, is_timeout, is_cut: false };
    let mut outcome = search(&mut last);
    if last.is_cut {
        outcome.complete = false;
        outcome.limits.push(Limit::Timeouts);
    }
    outcome
}

struct TimeoutsLast<'e> {
    inner: &'e mut dyn Executor,
    /// By transition.
    is_timeout: Vec<bool>,
    /// Was a step left out?
    is_cut: bool,
}

impl TimeoutsLast<'_> {
    fn is_timeout(&self, item: &Successor) -> bool {
        self.is_timeout[item.step().transition.index()]
    }

    /// Are there timeouts beside other steps?
    fn leaves_out(&self, control: Option<u8>, out: &Successors) -> bool {
        let count = out.items.iter().filter(|item| self.is_timeout(item)).count();
        control.is_none() && (1..out.items.len()).contains(&count)
    }
}

impl Wrapper for TimeoutsLast<'_> {
    fn inner(&self) -> &dyn Executor {
        self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Executor {
        self.inner
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.inner.successors(state, control, out);
        if self.leaves_out(control, out) {
            out.items.retain(|item| !self.is_timeout(item));
            self.is_cut = true;
        }
    }

    /// Chains are followed step by step, so that no step is taken that is left out.
    fn follow(&mut self, _: &mut Successors, _: &mut Chains<'_>) -> bool {
        false
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        let mut out = Successors::default();
        self.inner.successors(state, control, &mut out);
        let leaves_out = self.leaves_out(control, &out);
        let mut followed =
            (0..out.items.len()).filter(|index| !leaves_out || !self.is_timeout(&out.items[*index]));
        let index = followed.nth(item)?;
        self.inner.replay(state, control, index)
    }
}
