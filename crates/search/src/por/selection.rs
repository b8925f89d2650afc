//! Reduction as a search uses it: the choice at each state, the proviso, and what must be remembered of it.

use super::proviso::{Order, Proviso};
use super::{Choice, Reducer};
use crate::fold::Lookup;
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::{Numbering, OutOfMemory, StateRef, StateStore};

pub(crate) struct Selection<'m> {
    reducer: Reducer<'m>,
    /// Not where only deadlocks are looked for: they are not lost without it.
    proviso: Option<Proviso>,
    order: Order,
    numbering: Numbering,
}

impl<'m> Selection<'m> {
    /// For a search in that order, with a store whose references are numbered so.
    pub fn new(
        reducer: Reducer<'m>,
        needs_proviso: bool,
        order: Order,
        numbering: Numbering,
    ) -> Selection<'m> {
        let proviso = needs_proviso.then(|| Proviso::new(order, numbering));
        Selection { reducer, proviso, order, numbering }
    }

    /// Chooses the successors of a state that are to be followed. From now on the state is closed.
    pub fn select<S: StateStore>(
        &mut self,
        vector: &[u8],
        state: StateRef,
        out: &Successors,
        mut lookup: Lookup<'_, S>,
        executor: &mut dyn Executor,
    ) -> Result<Choice, OutOfMemory> {
        if let Some(proviso) = &mut self.proviso {
            proviso.close(state);
        }
        if out.ending != Ending::Moves {
            return Ok(Choice::All);
        }
        let Some(proviso) = &mut self.proviso else {
            return Ok(self.reducer.choose(vector, out, |_| true));
        };
        let mut full = None;
        let choice = self.reducer.choose(vector, out, |choice| {
            proviso.holds(choice, out, &mut lookup, executor).unwrap_or_else(|out_of_memory| {
                full = Some(out_of_memory);
                false
            })
        });
        full.map_or(Ok(choice), Err)
    }

    /// Breadth first, a state was put into the queue.
    #[inline]
    pub fn enqueue(&mut self, state: StateRef) {
        if let Some(proviso) = &mut self.proviso {
            proviso.enqueue(state);
        }
    }

    /// Depth first, the current path leaves a state.
    #[inline]
    pub fn leave(&mut self, state: StateRef) {
        if let Some(proviso) = &mut self.proviso {
            proviso.leave(state);
        }
    }

    /// The search starts once more.
    pub fn restart(&mut self) {
        self.proviso = self.proviso.is_some().then(|| Proviso::new(self.order, self.numbering));
    }

    pub fn heap_bytes(&self) -> usize {
        self.proviso.as_ref().map_or(0, Proviso::heap_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Graph;

    #[test]
    fn a_restart_forgets_the_states_of_the_search_before() {
        let model = Graph::default().model();
        let reducer = || Reducer::new(&model, false).expect("a model that can be reduced");
        let (order, numbering) = (Order::BreadthFirst, Numbering::Scattered);
        let mut selection = Selection::new(reducer(), true, order, numbering);
        assert_eq!(selection.heap_bytes(), 0);
        selection.enqueue(StateRef::made_up(7));
        assert!(selection.heap_bytes() > 0);
        selection.restart();
        assert_eq!(selection.heap_bytes(), 0);
        selection.enqueue(StateRef::made_up(7));
        assert!(selection.heap_bytes() > 0, "the proviso is still kept");
        let mut without = Selection::new(reducer(), false, order, numbering);
        without.restart();
        without.enqueue(StateRef::made_up(7));
        assert_eq!(without.heap_bytes(), 0, "and not where it was not");
    }
}
