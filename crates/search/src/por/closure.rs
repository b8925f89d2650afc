//! Sets of processes closed under conflict: with each process they have all that may do something that matters to its
//! next steps.

use super::PROCESSES_MAX;
use super::facts::Facts;
use super::moves::Moves;
use super::recent::UNKNOWN;
use super::shape::Shape;
use super::standing::Standing;

/// Of the state at hand; sets of processes are bits.
pub(super) struct Closure {
    enabled: u64,
    /// The processes that can move, or may be drawn into a move that hands control over.
    active: u64,
    /// By process; [`UNKNOWN`] if it was not asked for.
    conflicts: [u64; PROCESSES_MAX],
    /// The processes known to draw in all that are enabled.
    entangled: u64,
}

impl Closure {
    pub fn new() -> Closure {
        Closure { enabled: 0, active: 0, conflicts: [UNKNOWN; PROCESSES_MAX], entangled: 0 }
    }

    /// Begins with another state; false if its processes are of too many kinds.
    #[inline]
    pub fn start(
        &mut self,
        moves: &Moves,
        standing: &mut Standing,
        facts: &Facts,
        shape: &Shape,
        state: (&[u8], usize),
    ) -> bool {
        self.enabled = moves.enabled;
        self.active = if moves.hands_over { u64::MAX } else { moves.enabled };
        self.entangled = 0;
        standing.look(facts, shape, state, self.active, &mut self.conflicts)
    }

    /// The smallest set with a process in it; none if all that are enabled belong to it.
    #[inline]
    pub fn of(&mut self, first: u8, standing: &mut Standing, facts: &Facts, vector: &[u8]) -> Option<u64> {
        let (mut chosen, mut todo) = (1 << first, 1u64 << first);
        while todo != 0 {
            let pid = todo.trailing_zeros() as usize;
            let mut conflicts = self.conflicts[pid];
            if conflicts == UNKNOWN {
                conflicts = standing.conflicts(facts, vector, pid, self.active >> pid & 1 == 1);
                self.conflicts[pid] = conflicts;
            }
            todo = todo & (todo - 1) | conflicts & !chosen;
            chosen |= conflicts;
            if self.enabled & !chosen == 0 || self.entangled & chosen != 0 {
                self.entangled |= 1 << first;
                return None;
            }
        }
        Some(chosen)
    }
}
