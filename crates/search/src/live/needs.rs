//! What a cycle must meet to violate a claim, in 64 bits: a step of each acceptance set and, for fairness, what it owes to each
//! process.

use super::Fairness;
use super::claim::Claim;
use super::marks::Marks;

pub(super) struct Needs {
    fairness: Fairness,
    set_count: u32,
    sets: u64,
    /// So many processes have a bit, or two.
    pids: u32,
    /// There are more processes than bits: what is owed to them is not known.
    pub is_exceeded: bool,
}

impl Needs {
    pub fn new(claim: &Claim, fairness: Fairness) -> Needs {
        let free = 64 - claim.set_count.min(64);
        let pids = match fairness {
            Fairness::None => 0,
            Fairness::Weak => free,
            Fairness::Strong => free / 2,
        };
        let (set_count, sets) = (claim.set_count, claim.all_sets());
        Needs { fairness, set_count, sets, pids, is_exceeded: false }
    }

    /// Is it to be told who can move in each state?
    pub fn asks_who_can_move(&self) -> bool {
        self.fairness == Fairness::Strong
    }

    /// What a step meets that has these marks, from a state in which these processes can move.
    pub fn met<const W: usize>(&mut self, marks: &Marks<W>, enabled: &Marks<W>) -> u64 {
        let sets = marks.0[0] & self.sets;
        match self.fairness {
            Fairness::None => sets,
            // A mark for each process, which those that have no bit must have on every step.
            Fairness::Weak => {
                self.is_exceeded |= marks.0[1] | self.own_pids() != u64::MAX;
                self.is_exceeded |= marks.0[2..].iter().any(|word| *word != u64::MAX);
                sets | self.at(self.set_count, marks.0[1])
            }
            // Who moves, and who can.
            Fairness::Strong => {
                self.is_exceeded |= enabled.0[1] & !self.own_pids() != 0;
                self.is_exceeded |= enabled.0[2..].iter().any(|word| *word != 0);
                let (moved, enabled) = (marks.0[1], enabled.0[1]);
                sets | self.at(self.set_count, moved) | self.at(self.set_count + self.pids, enabled)
            }
        }
    }

    /// Is a cycle that meets all this a violation?
    pub fn are_met(&self, met: u64) -> bool {
        let from = |place: u32| if place >= 64 { 0 } else { met >> place & self.own_pids() };
        let is_fair = match self.fairness {
            Fairness::None => true,
            Fairness::Weak => from(self.set_count) == self.own_pids(),
            Fairness::Strong => from(self.set_count + self.pids) & !from(self.set_count) == 0,
        };
        met & self.sets == self.sets && is_fair
    }

    /// May some cycle be one among steps that meet all this together?
    pub fn may_be_met(&self, met: u64) -> bool {
        match self.fairness {
            // A cycle may keep away from states in which a process can move.
            Fairness::Strong => met & self.sets == self.sets,
            _ => self.are_met(met),
        }
    }

    fn own_pids(&self) -> u64 {
        if self.pids >= 64 { u64::MAX } else { (1 << self.pids) - 1 }
    }

    fn at(&self, place: u32, pids: u64) -> u64 {
        if place >= 64 { 0 } else { (pids & self.own_pids()) << place }
    }
}
