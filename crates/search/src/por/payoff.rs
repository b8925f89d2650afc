//! Adaptive partial order reduction: whether leaving out steps saves states.
//!
//! In some models almost every state that a left-out step leads to is reached in another way soon afterwards. Then a reduction saves
//! lookups and no states, and the lookups it saves are cheaper than the reduction. So some of those states are kept as samples, and
//! looked for when the search has gone on for a while. If it has expanded nearly all of them anyway, the reducer rests, until new samples show
//! something else. Most is not enough: where one in ten is avoided for good, whatever lies behind it may be avoided, too.
//!
//! Only a breadth-first search with the proviso can tell whether a state was expanded. In others no sample is ever found, so the reducer
//! never rests.

use super::Choice;
use super::proviso::IsOpen;
use panoptes_exec::{Successor, Successors};
use panoptes_store::OutOfMemory;

/// So many samples are kept.
const SAMPLES: usize = 64;
/// So many of them may be avoided, and the reduction counts as useless all the same.
const AVOIDED_MAX: usize = 1;
/// One state of so many of which steps are left out gives a sample. Neighbours have much in common.
const APART: u32 = 16;
/// The more often samples in a row were useless, the longer the reducer rests; not longer than after so many.
const STREAK_MAX: u64 = 4;
/// Larger vectors give no samples.
const SAMPLE_BYTES_MAX: usize = 4096;

#[derive(Default)]
pub(super) struct Payoff {
    /// States expanded so far.
    expanded: u64,
    /// States left until one gives a sample.
    until_sample: u32,
    /// Vectors that left-out steps lead to.
    samples: Vec<Vec<u8>>,
    /// When they are looked for: after so many states. None while they are collected.
    due: Option<u64>,
    /// The last samples were expanded anyway.
    is_useless: bool,
    /// So were those before them: how often in a row.
    streak: u64,
}

impl Payoff {
    /// May the reducer be asked about one of the next states, so many?
    #[inline]
    pub fn may_ask(&self, count: usize) -> bool {
        !(self.is_useless && self.due.is_some_and(|due| self.expanded + (count as u64) < due))
    }

    /// Does the reducer rest at the next state? None if samples are to be looked for there.
    #[inline]
    pub fn rests(&self) -> Option<bool> {
        match self.due {
            None => Some(false),
            Some(due) if self.expanded + 1 < due => Some(self.is_useless),
            Some(_) => None,
        }
    }

    /// A state is expanded at which the reducer rests.
    #[inline]
    pub fn pass(&mut self) {
        self.expanded += 1;
    }

    /// One more state is expanded. Is the reducer to be asked about it?
    #[inline]
    pub fn is_worth_asking(&mut self, is_open: &mut impl IsOpen) -> Result<bool, OutOfMemory> {
        self.expanded += 1;
        match self.due {
            // Only a reducer that is asked leaves out something.
            None => Ok(true),
            Some(due) if self.expanded < due => Ok(!self.is_useless),
            Some(_) => self.judge(is_open),
        }
    }

    /// The reducer chose these of the successors.
    #[inline]
    pub fn note(&mut self, choice: Choice, out: &Successors) {
        if choice != Choice::All && self.due.is_none() {
            self.collect(choice, out);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.samples.iter().map(|sample| sample.capacity() + size_of::<Vec<u8>>()).sum()
    }

    fn collect(&mut self, choice: Choice, out: &Successors) {
        if self.until_sample > 0 {
            self.until_sample -= 1;
            return;
        }
        let is_left_out = |item: &&Successor| item.is_state() && !choice.includes(item.step());
        let Some(item) = out.items.iter().find(is_left_out) else { return };
        if out.state(item).len() > SAMPLE_BYTES_MAX {
            return;
        }
        self.until_sample = APART;
        self.samples.push(out.state(item).to_vec());
        if self.samples.len() == SAMPLES {
            // States that are reached in another way are expanded a level or two later.
            self.due = Some(self.expanded + self.expanded / 2 * (1 + self.streak));
        }
    }

    #[cold]
    fn judge(&mut self, is_open: &mut impl IsOpen) -> Result<bool, OutOfMemory> {
        let mut avoided = 0;
        for sample in self.samples.drain(..) {
            avoided += usize::from(is_open(&sample, None)?);
        }
        self.is_useless = avoided <= AVOIDED_MAX;
        self.streak = if self.is_useless { (self.streak + 1).min(STREAK_MAX) } else { 0 };
        self.due = None;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_exec::Step;
    use panoptes_model::TransId;
    use panoptes_store::Prepared;

    /// Of so many states, each with a step left out, how many are asked about, if the states behind such steps are expanded anyway
    /// or not.
    fn asked(payoff: &mut Payoff, states: u32, are_expanded: bool) -> u32 {
        let out = two_steps();
        let mut is_open = |_: &[u8], _: Option<Prepared>| Ok(!are_expanded);
        let mut asked = 0;
        for _ in 0..states {
            if payoff.is_worth_asking(&mut is_open).unwrap() {
                payoff.note(Choice::Processes(1), &out);
                asked += 1;
            }
        }
        asked
    }

    /// A step of process 0 and one of process 1.
    fn two_steps() -> Successors {
        let mut out = Successors::default();
        for pid in 0..2 {
            let step = Step { pid, transition: TransId(u32::from(pid)), partner: None };
            out.push(step, None, Some(&[pid]), None);
        }
        out
    }

    #[test]
    fn where_states_are_avoided_every_state_is_asked_about() {
        assert_eq!(asked(&mut Payoff::default(), 100_000, false), 100_000);
    }

    #[test]
    fn where_all_are_reached_anyway_few_are() {
        let mut payoff = Payoff::default();
        asked(&mut payoff, 10_000, true);
        assert!(asked(&mut payoff, 1_000_000, true) < 50_000);
    }

    #[test]
    fn whether_it_may_ask_is_known_ahead() {
        let mut payoff = Payoff::default();
        let mut rests = 0;
        for _ in 0..20_000 {
            let may_ask = payoff.may_ask(7);
            let count = asked(&mut payoff, 7, true);
            assert!(may_ask || count == 0);
            rests += u32::from(!may_ask);
        }
        assert!(rests > 10_000, "{rests}");
    }

    #[test]
    fn new_samples_bring_the_questions_back() {
        let mut payoff = Payoff::default();
        asked(&mut payoff, 100_000, true);
        asked(&mut payoff, 200_000, false);
        assert_eq!(asked(&mut payoff, 10_000, false), 10_000);
    }
}
