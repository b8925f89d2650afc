//! Reduction as a search uses it: the choice at each state, the proviso, and what must be remembered of both.

use super::proviso::Proviso;
use super::{Choice, Reducer};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::{ExactStore, StateIndex};
use std::collections::HashMap;

pub(crate) struct Selection<'m> {
    reducer: Reducer<'m>,
    /// Not where only deadlocks are looked for: they are not lost without it.
    proviso: Option<Proviso>,
    /// For states on the current path, depth first: the choices that the proviso brought about.
    other_choices: HashMap<StateIndex, Choice>,
    has_path: bool,
}

impl<'m> Selection<'m> {
    /// `has_path` if the search goes back from states, and says so.
    pub fn new(reducer: Reducer<'m>, needs_proviso: bool, has_path: bool) -> Selection<'m> {
        let proviso = needs_proviso.then(Proviso::default);
        Selection { reducer, proviso, other_choices: HashMap::new(), has_path }
    }

    /// Leaves of all successors of a state those that are to be followed. From now on the state is closed.
    pub fn select(
        &mut self,
        vector: &[u8],
        state: StateIndex,
        out: &mut Successors,
        store: &ExactStore,
        executor: &mut dyn Executor,
    ) {
        if let Some(proviso) = &mut self.proviso {
            proviso.close(state);
        }
        if out.ending != Ending::Moves {
            return;
        }
        let Some(proviso) = &mut self.proviso else {
            return self.reducer.choose(vector, out, |_| true).apply(out);
        };
        let mut refused = false;
        let choice = self.reducer.choose(vector, out, |choice| {
            let holds = proviso.holds(choice, out, store, executor);
            refused |= !holds;
            holds
        });
        if refused && self.has_path {
            self.other_choices.insert(state, choice);
        }
        choice.apply(out);
    }

    /// Does the same again for a state on the current path.
    pub fn select_again(&mut self, vector: &[u8], state: StateIndex, out: &mut Successors) {
        let choice = match self.other_choices.get(&state) {
            Some(choice) => *choice,
            None => self.reducer.choose(vector, out, |_| true),
        };
        choice.apply(out);
    }

    /// The current path leaves a state.
    #[inline]
    pub fn leave(&mut self, state: StateIndex) {
        if let Some(proviso) = &mut self.proviso {
            proviso.open(state);
            if !self.other_choices.is_empty() {
                self.other_choices.remove(&state);
            }
        }
    }

    /// The search starts once more.
    pub fn restart(&mut self) {
        self.proviso = self.proviso.is_some().then(Proviso::default);
        self.other_choices.clear();
    }

    pub fn heap_bytes(&self) -> usize {
        self.proviso.as_ref().map_or(0, Proviso::heap_bytes)
            + self.other_choices.capacity() * size_of::<(StateIndex, Choice)>()
    }
}
