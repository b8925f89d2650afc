//! Partial order reduction: of the successors of a state only those of some processes are followed.
//!
//! The processes are chosen so that no other can, from where it stands, ever do anything that matters to their next
//! steps (a *persistent set*, Overman 1981, Godefroid 1996). Whatever the others do first they can do afterwards as
//! well, so nothing is lost: all deadlocks stay, and with the proviso of `proviso.rs` all faults and all steps do.
//! See `docs/internals/reduction.md`.

mod access;
mod closure;
mod conflicts;
mod facts;
mod instance;
mod masks;
mod moves;
mod payoff;
mod proviso;
mod recent;
mod rows;
mod selection;
mod shape;
mod slots;
mod standing;
mod steady;
mod thrift;
mod visible;
mod why_not;

pub(crate) use proviso::IsOpen;
pub(crate) use selection::Selection;
pub(crate) use steady::Steady;
pub use why_not::WhyNot;

use closure::Closure;
use facts::Facts;
use moves::Moves;
use panoptes_exec::{Step, Successors};
use panoptes_model::Model;
use shape::Shape;
use standing::Standing;
use visible::Visible;
pub use visible::is_ever_changed;

/// States with more processes are not reduced.
const PROCESSES_MAX: usize = 64;

/// Which successors of a state are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    All,
    /// Those of the processes whose bit is set.
    Processes(u64),
}

impl Choice {
    #[inline]
    pub fn includes(self, step: Step) -> bool {
        match self {
            Choice::All => true,
            Choice::Processes(chosen) => chosen >> step.pid & 1 == 1,
        }
    }
}

pub struct Reducer<'m> {
    facts: Facts<'m>,
    shape: Shape,
    standing: Standing,
    /// Of the state at hand.
    moves: Moves,
    closure: Closure,
    /// Choices with more than one step.
    larger: Vec<(usize, u64)>,
    /// Only if somebody looks on: invariants, or a claim.
    visible: Option<Visible>,
}

impl<'m> Reducer<'m> {
    /// `lossy` if channels lose messages when they are full.
    pub fn new(model: &'m Model, lossy: bool) -> Result<Reducer<'m>, WhyNot> {
        why_not::may_reduce(model)?;
        let shape = Shape::new(model);
        let visible = Visible::to_invariants(model, &shape);
        Ok(Reducer::seen_by(visible, model, shape, lossy))
    }

    fn seen_by(visible: Option<Visible>, model: &'m Model, shape: Shape, lossy: bool) -> Reducer<'m> {
        let facts = Facts::new(model, lossy);
        Reducer {
            moves: Moves::new(&shape, &facts),
            shape,
            standing: Standing::new(model),
            closure: Closure::new(),
            larger: Vec::new(),
            visible,
            facts,
        }
    }

    /// The executor leaves out steps that put more messages into a channel.
    pub fn limit_queues(&mut self, limit: Option<u16>) {
        self.standing.limit_queues(limit);
    }

    /// The executor leaves out timeouts where something else can be done.
    pub fn put_timeouts_off(&mut self) {
        self.moves.put_off(&self.facts.model.timeouts);
    }

    /// Chooses the processes to follow. `out` holds all successors of the state `vector`, and there are some. A choice
    /// must also be accepted; those with fewer steps are tried first.
    #[inline]
    pub fn choose(&mut self, vector: &[u8], out: &Successors, accept: impl FnMut(Choice) -> bool) -> Choice {
        let count = usize::from(vector[self.facts.model.header.process_count()]);
        if !(2..=PROCESSES_MAX).contains(&count)
            || !self.moves.look(out)
            || !self.closure.start(&self.moves, &mut self.standing, &self.facts, &self.shape, (vector, count))
        {
            return Choice::All;
        }
        self.smallest(vector, out, accept)
    }

    /// How many successors a choice leaves out that was made last.
    #[inline]
    pub fn left_out(&self, choice: Choice, out: &Successors) -> usize {
        match choice {
            Choice::All => 0,
            Choice::Processes(chosen) => out.items.len() - self.moves.steps_of(chosen),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.standing.heap_bytes()
    }

    /// The set of processes that is closed under conflict and has the fewest steps, of those that are accepted.
    #[inline]
    fn smallest(
        &mut self,
        vector: &[u8],
        out: &Successors,
        mut accept: impl FnMut(Choice) -> bool,
    ) -> Choice {
        self.larger.clear();
        for first in self.moves.movers() {
            let chosen = self.closure.of(first, &mut self.standing, &self.facts, vector);
            let Some(chosen) = chosen else { continue };
            let (choice, steps) = (Choice::Processes(chosen), self.moves.steps_of(chosen));
            if steps == out.items.len() || is_visible(self.visible.as_ref(), choice, out) {
                continue;
            }
            if steps > 1 {
                self.larger.push((steps, chosen));
            } else if accept(choice) {
                return choice;
            }
        }
        if self.larger.is_empty() {
            return Choice::All;
        }
        self.larger.sort_unstable();
        self.larger.dedup();
        let mut choices = self.larger.iter().map(|(_, chosen)| Choice::Processes(*chosen));
        choices.find(|choice| accept(*choice)).unwrap_or(Choice::All)
    }
}

/// Can an observer tell that one of the chosen steps was taken? Then it must see the others in all orders.
#[inline]
fn is_visible(visible: Option<&Visible>, choice: Choice, out: &Successors) -> bool {
    let Some(visible) = visible else { return false };
    out.items.iter().any(|item| choice.includes(item.step()) && visible.shows(item.step()))
}
