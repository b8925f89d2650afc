//! An executor around another one (a decorator): whatever it does not change, the inner one does.

use crate::{Chains, Condition, Executor, Fault, Patience, Replay, Successors, Waiting};

/// An executor that changes some answers of another. Its calls are those of [`Executor`], and each is passed on unless it is written anew.
///
/// Whoever leaves out or changes successors must also write [`Self::follow`] and [`Self::replay`] anew: the inner executor knows nothing of that.
pub trait Wrapper {
    fn inner(&self) -> &dyn Executor;

    fn inner_mut(&mut self) -> &mut dyn Executor;

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors);

    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool;

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        self.inner_mut().replay(state, control, item)
    }

    fn settled(&self) -> u64 {
        self.inner().settled()
    }

    fn settle(&mut self, settled: u64) {
        self.inner_mut().settle(settled);
    }
}

impl<W: Wrapper> Executor for W {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.inner().initial()
    }

    #[inline]
    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        Wrapper::successors(self, state, control, out);
    }

    #[inline]
    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool {
        Wrapper::follow(self, out, chains)
    }

    fn broken_invariants(&mut self, state: &[u8], out: &mut Vec<Fault>) {
        self.inner_mut().broken_invariants(state, out);
    }

    fn set_conditions(&mut self, conditions: &[Condition]) {
        self.inner_mut().set_conditions(conditions);
    }

    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        self.inner_mut().conditions(state, wanted)
    }

    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        self.inner_mut().waiting(state)
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        Wrapper::replay(self, state, control, item)
    }

    fn set_patience(&mut self, patience: &Patience) {
        self.inner_mut().set_patience(patience);
    }

    fn loses_messages(&self) -> bool {
        self.inner().loses_messages()
    }

    fn hidden_bytes(&self) -> usize {
        self.inner().hidden_bytes()
    }

    fn settled(&self) -> u64 {
        Wrapper::settled(self)
    }

    fn settle(&mut self, settled: u64) {
        Wrapper::settle(self, settled);
    }
}
