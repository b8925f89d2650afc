//! Reduction as a search uses it: the choice at each state, under the proviso.

use super::proviso::Proviso;
use super::thrift::Thrift;
use super::{Choice, Reducer};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::OutOfMemory;

pub(crate) struct Selection<'m> {
    reducer: Reducer<'m>,
    thrift: Thrift,
    /// Not where only deadlocks are looked for: they are not lost without it.
    proviso: Option<Proviso>,
}

impl<'m> Selection<'m> {
    pub fn new(reducer: Reducer<'m>, needs_proviso: bool) -> Selection<'m> {
        Selection { reducer, thrift: Thrift::default(), proviso: needs_proviso.then(Proviso::default) }
    }

    /// Does what is chosen depend on which states the search is done with?
    pub fn has_proviso(&self) -> bool {
        self.proviso.is_some()
    }

    /// Chooses the successors of a state that are to be followed.
    pub fn select(
        &mut self,
        vector: &[u8],
        out: &Successors,
        is_open: impl FnMut(&[u8]) -> Result<bool, OutOfMemory>,
        executor: &mut dyn Executor,
    ) -> Result<Choice, OutOfMemory> {
        if out.ending != Ending::Moves || !self.thrift.is_worth_asking() {
            return Ok(Choice::All);
        }
        let choice = self.ask(vector, out, is_open, executor)?;
        let left_out = match choice {
            Choice::All => 0,
            Choice::Processes(_) => out.items.iter().filter(|item| !choice.includes(item.step())).count(),
        };
        self.thrift.note(out.items.len(), left_out);
        Ok(choice)
    }

    #[inline]
    fn ask(
        &mut self,
        vector: &[u8],
        out: &Successors,
        mut is_open: impl FnMut(&[u8]) -> Result<bool, OutOfMemory>,
        executor: &mut dyn Executor,
    ) -> Result<Choice, OutOfMemory> {
        let Some(proviso) = &mut self.proviso else {
            return Ok(self.reducer.choose(vector, out, |_| true));
        };
        let mut full = None;
        let choice = self.reducer.choose(vector, out, |choice| {
            proviso.holds(choice, out, &mut is_open, executor).unwrap_or_else(|out_of_memory| {
                full = Some(out_of_memory);
                false
            })
        });
        full.map_or(Ok(choice), Err)
    }
    /// The search starts once more.
    pub fn restart(&mut self) {
        self.thrift = Thrift::default();
    }

    pub fn heap_bytes(&self) -> usize {
        self.reducer.heap_bytes()
    }
}
