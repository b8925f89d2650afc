//! Reduction as a search uses it: the choice at each state, under the proviso.

use super::payoff::Payoff;
use super::proviso::{IsOpen, Proviso};
use super::steady::Sticky;
use super::thrift::Thrift;
use super::{Choice, Reducer};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::{OutOfMemory, Prepared};

pub(crate) struct Selection<'m> {
    reducer: Reducer<'m>,
    thrift: Thrift,
    payoff: Payoff,
    rule: Rule,
}

/// How a selection sees to it that nothing is put off for ever.
enum Rule {
    /// It need not: where only deadlocks are looked for, none is lost.
    None,
    /// By asking the search which states it is not done with.
    Open(Proviso),
    /// By transitions that are settled before the search, so that it need not ask: see `steady.rs`.
    Settled(Sticky),
}

impl<'m> Selection<'m> {
    pub fn new(reducer: Reducer<'m>, needs_proviso: bool) -> Selection<'m> {
        let rule = if needs_proviso { Rule::Open(Proviso::default()) } else { Rule::None };
        Selection::by(reducer, rule)
    }

    /// For a search that does not know which states others are done with.
    pub fn settled(reducer: Reducer<'m>, needs_proviso: bool) -> Selection<'m> {
        let rule = if needs_proviso { Rule::Settled(Sticky::of_states(&reducer)) } else { Rule::None };
        Selection::by(reducer, rule)
    }

    fn by(reducer: Reducer<'m>, rule: Rule) -> Selection<'m> {
        let (thrift, payoff) = Default::default();
        Selection { reducer, thrift, payoff, rule }
    }

    /// Does what is chosen depend on which states the search is done with?
    pub fn has_proviso(&self) -> bool {
        matches!(self.rule, Rule::Open(_))
    }

    /// Chooses by the state alone: neither by other states nor by what was worth it before.
    pub fn select_by_state(&mut self, vector: &[u8], out: &Successors) -> Choice {
        match &self.rule {
            _ if out.ending != Ending::Moves => Choice::All,
            Rule::Settled(sticky) => self.reducer.choose(vector, out, |choice| !sticky.is_taken(choice, out)),
            _ => self.reducer.choose(vector, out, |_| true),
        }
    }

    /// May the reducer be asked about one of the next states, so many?
    #[inline]
    pub fn may_ask(&self, count: usize) -> bool {
        self.thrift.may_ask(count) && self.payoff.may_ask(count)
    }

    /// Is the reducer not asked about a state from which steps lead on? Then the state is counted; otherwise [`Self::select`] does that.
    #[inline]
    pub fn rests(&mut self) -> bool {
        let rests = match self.payoff.rests() {
            Some(rests) => rests || self.thrift.rests(),
            None => false,
        };
        if rests {
            self.payoff.pass();
        }
        rests
    }

    /// Chooses the successors of a state that are to be followed. The lookups of them all have begun, or of none.
    pub fn select(
        &mut self,
        vector: &[u8],
        out: &Successors,
        begun: &[Prepared],
        mut is_open: impl IsOpen,
        executor: &mut dyn Executor,
    ) -> Result<Choice, OutOfMemory> {
        let is_worth_asking = self.payoff.is_worth_asking(&mut is_open)?;
        if !is_worth_asking || out.ending != Ending::Moves || !self.thrift.is_worth_asking() {
            return Ok(Choice::All);
        }
        let choice = self.ask(vector, out, begun, is_open, executor)?;
        self.payoff.note(choice, out);
        self.thrift.note(out.items.len(), self.reducer.left_out(choice, out));
        Ok(choice)
    }

    #[inline]
    fn ask(
        &mut self,
        vector: &[u8],
        out: &Successors,
        begun: &[Prepared],
        mut is_open: impl IsOpen,
        executor: &mut dyn Executor,
    ) -> Result<Choice, OutOfMemory> {
        let proviso = match &mut self.rule {
            Rule::Open(proviso) => proviso,
            _ => return Ok(self.select_by_state(vector, out)),
        };
        let mut full = None;
        let choice = self.reducer.choose(vector, out, |choice| {
            proviso.holds(choice, out, begun, &mut is_open, executor).unwrap_or_else(|out_of_memory| {
                full = Some(out_of_memory);
                false
            })
        });
        full.map_or(Ok(choice), Err)
    }

    /// The search starts once more.
    pub fn restart(&mut self) {
        self.thrift = Thrift::default();
        self.payoff = Payoff::default();
    }

    pub fn heap_bytes(&self) -> usize {
        self.reducer.heap_bytes() + self.payoff.heap_bytes()
    }
}
