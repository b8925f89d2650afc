//! Which states a depth-first search must store so that it ends.
//!
//! A search that goes round in a circle has to notice it, and in every circle some process goes round in its own control
//! states. So it is enough to store the states in which a process is at the head of a loop (Holzmann, *Tracing Protocols*, 1985,
//! section IV); those at labels are stored too. All others are passed through each time they are met, which is some work done
//! twice for the memory that is saved.
//!
//! The head of a loop may lie inside an atomic sequence, where a process never rests; then all places where it may rest next are
//! heads. A process that was started anew is at its first state, which counts as a head, for processes may start one another in
//! circles. And whatever a model does, every thousandth state of a path is stored.
//!
//! Where many paths lead to states that are not stored, the work done twice grows beyond measure. So it is watched: if for
//! each state stored too many are passed through, more of a path's states are stored from then on, in the end all.

use crate::Statistics;
use crate::loops::back_edges;
use panoptes_model::{Action, Model, ProcId, ProcessKind, StateView, TransId};

/// States of a path between two that are stored in any case. (Few in tests, whose graphs have no control states.)
const STORED_EVERY: usize = if cfg!(test) { 4 } else { 1000 };
/// How many states may be passed through for each one stored, and how many in any case.
const PASSED_SHARE_MAX: u64 = 8;
const PASSED_MIN: u64 = 20_000;

/// Vectors that cannot be read are stored. (Those of the graphs in tests are like any others.)
const IS_UNREADABLE_STORED: bool = !cfg!(test);

pub(crate) struct LoopStates {
    /// By process and control state.
    heads: Vec<Vec<bool>>,
    stored_every: usize,
    /// States stored and passed through when that was last changed.
    stored_before: u64,
    passed_before: u64,
}

impl LoopStates {
    pub fn new(model: &Model) -> LoopStates {
        let heads = (0..).map(ProcId).zip(&model.processes).map(|(id, process)| {
            let mut heads: Vec<bool> = process.states.iter().map(|state| !state.labels.is_empty()).collect();
            if process.kind != ProcessKind::Process {
                return heads;
            }
            let edge = |id: &TransId| Some((*id, model.transition(*id).to?.index()));
            let edges: Vec<Vec<(TransId, usize)>> = process
                .states
                .iter()
                .map(|state| state.transitions.iter().filter_map(edge).collect())
                .collect();
            let is_there = model.initial.iter().any(|initial| initial.process == id);
            if let Some(first) = heads.get_mut(process.initial.index()) {
                *first |= !is_there;
            }
            for id in back_edges(&edges) {
                mark(model, &edges, id, &mut heads);
            }
            heads
        });
        let (heads, stored_every) = (heads.collect(), STORED_EVERY);
        LoopStates { heads, stored_every, stored_before: 0, passed_before: 0 }
    }

    /// Is a state to be stored that comes after `before` others on its path?
    pub fn is_stored(
        &mut self,
        model: &Model,
        vector: &[u8],
        before: usize,
        statistics: &mut Statistics,
    ) -> bool {
        self.watch(statistics);
        if before.is_multiple_of(self.stored_every) {
            return true;
        }
        let Ok(view) = StateView::new(model, vector) else { return IS_UNREADABLE_STORED };
        view.processes().any(|process| {
            self.heads[process.id.index()]
                .get(process.state_id().index())
                .copied()
                .unwrap_or(IS_UNREADABLE_STORED)
        })
    }
}

impl LoopStates {
    /// Stores more if too much is done twice.
    fn watch(&mut self, statistics: &mut Statistics) {
        let Statistics { stored, passed, .. } = *statistics;
        let stored_since = stored - self.stored_before;
        if self.stored_every > 1 && passed - self.passed_before > PASSED_SHARE_MAX * stored_since + PASSED_MIN
        {
            self.stored_every = (self.stored_every / 8).max(1);
            (self.stored_before, self.passed_before) = (stored, passed);
            if statistics.more_stored_from == 0 {
                statistics.more_stored_from = stored + passed;
            }
        }
    }
}

/// Marks the end of an edge that closes a loop and, if the process may go on from there at once, where it may rest next.
fn mark(model: &Model, edges: &[Vec<(TransId, usize)>], id: TransId, heads: &mut [bool]) {
    let goes_on = |id: TransId| {
        let transition = model.transition(id);
        transition.keeps_control || matches!(transition.actions.first(), Some(Action::Send(_)))
    };
    let end = |id: TransId| model.transition(id).to.map(|state| state.index());
    let mut seen = vec![false; edges.len()];
    let mut todo: Vec<(TransId, usize)> = end(id).map(|at| (id, at)).into_iter().collect();
    while let Some((id, at)) = todo.pop() {
        heads[at] = true;
        if goes_on(id) && !std::mem::replace(&mut seen[at], true) {
            todo.extend(&edges[at]);
        }
    }
}
