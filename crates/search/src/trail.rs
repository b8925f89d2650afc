//! The path to a finding: remembered as branches while the search goes on, and made of steps when it is over.

use crate::expansion::{Expansion, Task};
use crate::labels::Branch;
use crate::path::PathBuilder;
use crate::program::Program;
use crate::saved::saved;
use crate::{Limit, Path};
use panoptes_exec::{Ending, Executor, Step};
use std::time::Instant;

/// A path as a search remembers it: how it branched at each state passed (see `expansion.rs`), and the steps after the
/// last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    pub branches: Vec<Branch>,
    pub steps: Path,
}

impl Trail {
    pub fn heap_bytes(&self) -> usize {
        self.branches.capacity() * size_of::<Branch>() + self.steps.heap_bytes()
    }
}

saved!(Trail { branches, steps });

/// A step of a path takes so much while the path is found: its branch, and its number.
pub(crate) const STEP_BYTES: usize = size_of::<Branch>() + size_of::<u32>();

/// Branches between two looks at the clock.
const LOOK_EVERY: usize = 1024;

/// How a path is found again from its trail, and within which limits.
pub(crate) struct Retrace<'a> {
    pub program: &'a Program<'a>,
    /// A branch is one step, not a chain of them.
    pub by_steps: bool,
    pub deadline: Option<Instant>,
}

impl Retrace<'_> {
    /// The steps of a trail: its states are computed once more, from the initial one on.
    pub fn path(&self, executor: &mut dyn Executor, trail: Trail, length: usize) -> Result<Path, Limit> {
        if trail.branches.is_empty() {
            return Ok(trail.steps);
        }
        let memory_bytes = self.program.options.memory_bytes;
        if memory_bytes.is_some_and(|allowed| (length * STEP_BYTES) as u64 > allowed) {
            return Err(Limit::Memory);
        }
        let mut path = PathBuilder::with_capacity(length);
        let mut vector = executor.initial().expect("a search went on from the initial state");
        let mut control = None;
        let mut expansion = Expansion::default();
        for (index, branch) in trail.branches.into_iter().enumerate() {
            if index.is_multiple_of(LOOK_EVERY) && self.is_late() {
                return Err(Limit::Time);
            }
            let mut watch = |_: usize| self.is_late().then_some(Limit::Time);
            let steps_max = self.program.steps_left(path.len() as u32);
            let task =
                Task { by_steps: self.by_steps, steps_max, watch: Some(&mut watch), ..Task::default() };
            expansion.start(executor, &vector, control);
            if expansion.ending == Ending::LetGo {
                expansion.start(executor, &vector, None);
            }
            let steps = expansion.path_to(branch, self.program, executor, task);
            let (steps, reached) = steps.ok_or(Limit::Time)?;
            steps.into_iter().for_each(|step: Step| path.push(step));
            control = reached.control;
            vector.clear();
            vector.extend_from_slice(expansion.vector(&reached));
        }
        trail.steps.iter().for_each(|step| path.push(step));
        Ok(path.finish())
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
