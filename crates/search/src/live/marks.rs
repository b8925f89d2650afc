//! Sets of marks. An edge of the product carries the acceptance sets of the claim that it belongs to and, where fairness is asked
//! for, one mark for each process that moved or could not.

/// A set of `64 * W` marks. The first word is for the claim, the others are for processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks<const W: usize>(pub [u64; W]);

/// As many words as the claim alone needs, and as it needs with all processes.
pub(crate) const PLAIN: usize = 1;
pub(crate) const WITH_PROCESSES: usize = 5;

impl<const W: usize> Marks<W> {
    pub const EMPTY: Marks<W> = Marks([0; W]);

    pub fn of_claim(sets: u64) -> Marks<W> {
        let mut words = [0; W];
        words[0] = sets;
        Marks(words)
    }

    #[inline]
    pub fn add(&mut self, other: &Marks<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    #[inline]
    pub fn add_process(&mut self, pid: u8) {
        self.0[1 + usize::from(pid) / 64] |= 1 << (pid % 64);
    }

    #[inline]
    pub fn remove(&mut self, other: &Marks<W>) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, gone)| *word &= !gone);
    }

    #[inline]
    pub fn contains(&self, other: &Marks<W>) -> bool {
        self.0.iter().zip(&other.0).all(|(word, wanted)| wanted & !word == 0)
    }

    pub fn meets(&self, other: &Marks<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(word, wanted)| wanted & word != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; W]
    }

    /// All of them in one word, if the claim has so many sets: these, then as many processes as there is room for. None if it matters
    /// what one of the other processes does.
    #[inline]
    pub fn packed(&self, set_count: u32) -> Option<u64> {
        let [sets, processes @ ..] = &self.0[..] else { unreachable!("there is a word for the claim") };
        let [first, others @ ..] = processes else { return Some(*sets) };
        let room = u64::MAX.checked_shr(set_count).unwrap_or(0);
        let has_rest = first | room == u64::MAX && others.iter().all(|word| *word == u64::MAX);
        has_rest.then(|| sets | first.checked_shl(set_count).unwrap_or(0))
    }
}
