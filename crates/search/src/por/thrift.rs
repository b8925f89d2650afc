//! Adaptive partial order reduction: when the reducer is asked at all.
//!
//! To follow every step is always right, so it need not be asked in every state. Where it left out next to nothing for long, it is
//! asked in a few states only, now and then, until it leaves out more again. All this counts states and steps, and looks
//! at no clock: a search takes the same way every time.

/// So many states are asked about before their steps are counted.
const ROUND: u32 = 1024;
/// After so many rounds with little left out, states are passed over. Small models never come to that.
const PATIENCE: u32 = 4;
/// So many rounds are passed over at most between two that are asked about.
const PAUSE_MAX: u32 = 15;
/// After so many poor rounds there is such a pause.
const POOR_MAX: u32 = PATIENCE + PAUSE_MAX.ilog2() + 1;
/// Little is less than one step of so many. Public models on which a reduction saves a tenth of the states or more nearly all leave out more
/// (`docs/internals/reduction.md`).
const LITTLE: u64 = 5;
/// Much is so many times as much as little. One round with much brings all questions back; one in between only makes up for a poor one.
const MUCH: u64 = 2;

#[derive(Default)]
pub(super) struct Thrift {
    /// States to pass over.
    pause: u32,
    /// States asked about in this round, their steps, and those left out.
    asked: u32,
    steps: u64,
    left_out: u64,
    /// Rounds with little left out, less what others made up for.
    poor_rounds: u32,
}

impl Thrift {
    /// May the reducer be asked about one of the next states, so many?
    #[inline]
    pub fn may_ask(&self, count: usize) -> bool {
        (self.pause as usize) < count
    }

    /// Is the reducer to be asked about the next state?
    #[inline]
    pub fn is_worth_asking(&mut self) -> bool {
        !self.rests()
    }

    /// Is the next state passed over? Then it is counted.
    #[inline]
    pub fn rests(&mut self) -> bool {
        let rests = self.pause > 0;
        self.pause -= u32::from(rests);
        rests
    }

    /// It was asked, and so many of the steps were left out.
    #[inline]
    pub fn note(&mut self, steps: usize, left_out: usize) {
        self.asked += 1;
        self.steps += steps as u64;
        self.left_out += left_out as u64;
        if self.asked == ROUND {
            self.end_round();
        }
    }

    fn end_round(&mut self) {
        let share = self.left_out * LITTLE;
        self.poor_rounds = if share < self.steps {
            (self.poor_rounds + 1).min(POOR_MAX)
        } else if share < MUCH * self.steps {
            self.poor_rounds.saturating_sub(1)
        } else {
            0
        };
        let doublings = self.poor_rounds.saturating_sub(PATIENCE);
        let rounds = if self.poor_rounds < PATIENCE { 0 } else { (1 << doublings).min(PAUSE_MAX) };
        self.pause = rounds * ROUND;
        (self.asked, self.steps, self.left_out) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many states, how many are asked about, if this is left out of every ten steps.
    fn asked(thrift: &mut Thrift, states: u32, left_out: usize) -> u32 {
        let mut asked = 0;
        for _ in 0..states {
            if thrift.is_worth_asking() {
                thrift.note(10, left_out);
                asked += 1;
            }
        }
        asked
    }

    #[test]
    fn where_much_is_left_out_every_state_is_asked_about() {
        assert_eq!(asked(&mut Thrift::default(), 1_000_000, 2), 1_000_000);
    }

    #[test]
    fn where_nothing_is_left_out_few_are() {
        let mut thrift = Thrift::default();
        let first = PATIENCE * ROUND;
        assert_eq!(asked(&mut thrift, first, 0), first, "not before some patience");
        assert!(asked(&mut thrift, 1_000_000, 0) < 1_000_000 / 15);
    }

    #[test]
    fn whether_it_may_ask_is_known_ahead() {
        let mut thrift = Thrift::default();
        for _ in 0..100_000 {
            if !thrift.may_ask(7) {
                assert_eq!(asked(&mut thrift, 7, 0), 0);
            } else if thrift.is_worth_asking() {
                thrift.note(10, 0);
            }
        }
        assert!(!thrift.may_ask(1) || !thrift.may_ask(0));
    }

    #[test]
    fn a_round_that_left_out_much_brings_the_questions_back() {
        let mut thrift = Thrift::default();
        asked(&mut thrift, 1_000_000, 0);
        asked(&mut thrift, (PAUSE_MAX + 1) * ROUND, 5);
        assert_eq!(asked(&mut thrift, 100_000, 5), 100_000);
    }

    #[test]
    fn rounds_that_left_out_a_little_more_bring_them_back_slowly() {
        let mut thrift = Thrift::default();
        asked(&mut thrift, 1_000_000, 0);
        assert!(asked(&mut thrift, 20 * ROUND, 3) < 4 * ROUND, "one round is not enough");
        asked(&mut thrift, 40 * ROUND, 3);
        assert_eq!(asked(&mut thrift, 100_000, 3), 100_000);
    }
}
