//! From a path over states that stand for others back to an execution.
//!
//! The path is walked once more. Beside it goes the execution itself, and which of its processes each process of the path is: each
//! time a state is replaced by another, the processes change places. A process that ends may have to wait until the younger ones have, so
//! ends are taken when nothing else leads on.

use crate::{Canon, Symmetry};
use panoptes_exec::{Ending, Executor, Step, Successor, Successors};
use panoptes_model::{Action, Model};

/// An execution, and what it comes to.
pub struct Lifted {
    pub steps: Vec<Step>,
    /// The last state, the one before the last step if that was cut short.
    pub state: Vec<u8>,
    pub control: Option<u8>,
    /// The last step, as the executor listed it.
    pub last: Option<Successor>,
    pub successors: Successors,
}

/// Finds the execution that a path stands for. `executor` computes the states of the model as they are. None if there is none, or `is_late`.
pub fn lift(
    model: &Model,
    symmetry: &Symmetry,
    executor: &mut dyn Executor,
    path: &mut dyn Iterator<Item = Step>,
    ends_at_rest: bool,
    is_late: &dyn Fn() -> bool,
) -> Option<Lifted> {
    let initial = executor.initial().ok()?;
    let mut canon = Canon::new(symmetry);
    let (mut shown, mut shown_control) = (initial.clone(), None);
    let mut lifted = Lifted {
        steps: Vec::new(),
        state: initial,
        control: None,
        last: None,
        successors: Successors::default(),
    };
    // By process of the path: who it is in the execution.
    let mut really: Vec<u8> = (0..=u8::MAX).collect();
    let mut out = Successors::default();
    for (number, step) in path.enumerate() {
        if number.is_multiple_of(64) && is_late() {
            return None;
        }
        let item = find(executor, &shown, shown_control, step, &mut out)?;
        // While processes may still be started, each end leaves a number to another.
        let is_put_off = symmetry.can_end && is_end(model, step) && canon.is_ready(&shown);
        if !is_put_off {
            let named = |pid: u8| really[usize::from(pid)];
            let partner = step.partner.map(|(pid, rule)| (named(pid), rule));
            lifted.take(model, executor, Step { pid: named(step.pid), partner, ..step })?;
        }
        if !item.has_state() {
            break;
        }
        shown.clear();
        shown.extend_from_slice(out.state(&item));
        shown_control = item.control();
        if item.is_state() && canon.represent(&mut shown) {
            let before = really.clone();
            for (from, to) in canon.moves() {
                really[usize::from(to)] = before[usize::from(from)];
            }
        }
    }
    if ends_at_rest {
        while lifted.end_one(model, executor) {}
    }
    Some(lifted)
}

impl Lifted {
    fn take(&mut self, model: &Model, executor: &mut dyn Executor, step: Step) -> Option<()> {
        loop {
            if let Some(item) = find(executor, &self.state, self.control, step, &mut self.successors) {
                self.go(item);
                return Some(());
            }
            if !self.end_one(model, executor) {
                return None;
            }
        }
    }

    /// Lets a process end, if one can.
    fn end_one(&mut self, model: &Model, executor: &mut dyn Executor) -> bool {
        settle(executor, &self.state, self.control, &mut self.successors);
        let ends = |item: &&Successor| item.has_state() && is_end(model, item.step());
        match self.successors.items.iter().find(ends).copied() {
            Some(item) => {
                self.go(item);
                true
            }
            None => false,
        }
    }

    fn go(&mut self, item: Successor) {
        self.steps.push(item.step());
        self.last = Some(item);
        if item.has_state() {
            self.state.clear();
            self.state.extend_from_slice(self.successors.state(&item));
            self.control = item.control();
        }
    }
}

/// The successors of a configuration. A process that has control but cannot go on lets go first.
fn settle(executor: &mut dyn Executor, state: &[u8], control: Option<u8>, out: &mut Successors) {
    executor.successors(state, control, out);
    if out.ending == Ending::LetGo {
        executor.successors(state, None, out);
    }
}

/// The step among the successors; one that was cut short only if there is no other.
fn find(
    executor: &mut dyn Executor,
    state: &[u8],
    control: Option<u8>,
    step: Step,
    out: &mut Successors,
) -> Option<Successor> {
    let same = |out: &Successors| {
        let mut same = out.items.iter().filter(|item| item.step() == step);
        same.clone().find(|item| item.has_state()).or_else(|| same.next()).copied()
    };
    executor.successors(state, control, out);
    let found = same(out);
    if found.is_some() || out.ending != Ending::LetGo {
        return found;
    }
    executor.successors(state, None, out);
    same(out)
}

fn is_end(model: &Model, step: Step) -> bool {
    model.transition(step.transition).actions.iter().any(|action| matches!(action, Action::Exit))
}
