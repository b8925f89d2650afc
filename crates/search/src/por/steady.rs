//! Reduction of a product with a claim: what is followed from a state depends on the state of the system alone.
//!
//! Where it depends on the state of the claim too, or on the path of the search through the product, executions are lost that no
//! proviso brings back (Siegel, *What's Wrong with On-the-Fly Partial Order Reduction*, CAV 2019). So the proviso here is settled before the
//! search (Kurshan, Levin, Minea, Peled and Yenigün, *Static Partial Order Reduction*, 1998). Certain transitions are *sticky*: each
//! circle of each control graph has one, or a visible one. Wherever a step that would be followed alone is sticky, all are followed. In
//! every circle of states some process comes back to where it stood, so on every circle there is a state in which nothing is left out.
//! (The process with the least number of those that move on the circle lives all along: only an older one could start it again.)

use super::shape::{Shape, begins};
use super::visible::Visible;
use super::{Choice, Reducer, WhyNot, why_not};
use crate::loops::back_edges;
use panoptes_exec::{Condition, Ending, Step, Successors};
use panoptes_model::{Model, TransId};

pub(crate) struct Steady<'m> {
    reducer: Reducer<'m>,
    sticky: Sticky,
}

/// By transition: does the move that starts with it take a sticky one?
pub(super) struct Sticky(Vec<bool>);

impl Sticky {
    fn new(model: &Model, shape: &Shape, is_visible: &[bool]) -> Sticky {
        Sticky(begins(model, shape, &sticky(model, is_visible)))
    }

    /// For a search of states, where at most invariants look on.
    pub fn of_states(reducer: &Reducer<'_>) -> Sticky {
        let model = reducer.facts.model;
        let nothing = vec![false; model.transitions.len()];
        let is_visible = reducer.visible.as_ref().map_or(&nothing, |visible| &visible.own);
        Sticky::new(model, &reducer.shape, is_visible)
    }

    /// Is one of the chosen steps sticky?
    #[inline]
    pub fn is_taken(&self, choice: Choice, out: &Successors) -> bool {
        let is_sticky = |step: Step| {
            self.0[step.transition.index()] || step.partner.is_some_and(|(_, id)| self.0[id.index()])
        };
        out.items.iter().map(|item| item.step()).any(|step| choice.includes(step) && is_sticky(step))
    }
}

impl<'m> Steady<'m> {
    /// For a claim that asks for these conditions and does not mind repetitions of states.
    pub fn new(model: &'m Model, lossy: bool, conditions: &[Condition]) -> Result<Steady<'m>, WhyNot> {
        why_not::may_reduce(model)?;
        let shape = Shape::new(model);
        let visible = Visible::to_claim(model, &shape, conditions).ok_or(WhyNot::SeesEverything)?;
        let sticky = Sticky::new(model, &shape, &visible.own);
        Ok(Steady { reducer: Reducer::seen_by(Some(visible), model, shape, lossy), sticky })
    }

    /// Chooses the successors of a state that are to be followed.
    #[inline]
    pub fn choose(&mut self, vector: &[u8], out: &Successors) -> Choice {
        if out.ending != Ending::Moves {
            return Choice::All;
        }
        let sticky = &self.sticky;
        self.reducer.choose(vector, out, |choice| !sticky.is_taken(choice, out))
    }

    pub fn heap_bytes(&self) -> usize {
        self.reducer.heap_bytes()
    }
}

/// By transition: does it close a circle of control states all of whose transitions are invisible?
fn sticky(model: &Model, is_visible: &[bool]) -> Vec<bool> {
    let mut sticky = vec![false; model.transitions.len()];
    for process in &model.processes {
        let invisible = |id: &TransId| {
            let to = model.transition(*id).to.filter(|_| !is_visible[id.index()])?;
            Some((*id, to.index()))
        };
        let edges: Vec<Vec<(TransId, usize)>> = process
            .states
            .iter()
            .map(|state| state.transitions.iter().filter_map(invisible).collect())
            .collect();
        back_edges(&edges).into_iter().for_each(|id| sticky[id.index()] = true);
    }
    sticky
}
