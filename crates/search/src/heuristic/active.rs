//! The number of processes that can move: a deadlock is where there is none.

use super::Heuristic;
use super::look::Frames;
use super::rules;
use panoptes_model::{Model, ProcId, StateId};

pub(crate) struct Active<'m> {
    model: &'m Model,
    /// By process type and control state: can it be kept from moving?
    may_block: Vec<Vec<bool>>,
    frames: Frames,
}

impl<'m> Active<'m> {
    pub fn new(model: &'m Model) -> Active<'m> {
        Active { model, may_block: blocking(model), frames: Frames::default() }
    }
}

/// By process type and control state: can a process be kept from moving there?
pub(super) fn blocking(model: &Model) -> Vec<Vec<bool>> {
    let states = |id: ProcId| (0..model.process(id).states.len() as u32).map(StateId);
    let of_type = |id| states(id).map(|state| rules::may_block(model, id, state)).collect();
    (0..model.processes.len() as u32).map(ProcId).map(of_type).collect()
}

impl Heuristic for Active<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let can_move = |pid: &usize| {
            !self.may_block[look.process_id(*pid).index()][look.state(*pid).index()] || look.can_move(*pid)
        };
        (0..look.process_count()).filter(can_move).count() as u32
    }

    fn explain(&self) -> Vec<String> {
        vec!["the number of processes that can move".to_string()]
    }
}
