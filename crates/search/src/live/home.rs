//! How far a state of the product is from one that a search should lead back to: cycles are closed sooner if near successors come
//! first.

use super::claim::Claim;
use super::parts::each_step;
use super::product::split;

pub(super) struct Home {
    vector: Vec<u8>,
    /// By state of the claim: the least number of edges to the one at home.
    claim_distances: Vec<u32>,
}

impl Home {
    pub fn new(claim: &Claim, vector: Vec<u8>) -> Home {
        let home = usize::from(split(&vector).1);
        let claim_distances = distances(claim, |state| state == home);
        Home { vector, claim_distances }
    }

    /// First how far the claim has to go, then how much of the system's state differs.
    pub fn distance(&self, vector: &[u8]) -> (u32, usize) {
        let ((system, claim_state), (home, _)) = (split(vector), split(&self.vector));
        let differing = system.iter().zip(home).filter(|(one, other)| one != other).count();
        (self.claim_distances[usize::from(claim_state)], differing + system.len().abs_diff(home.len()))
    }
}

/// By state of the claim: the least number of edges to one that is a goal; `u32::MAX` if none is reached.
pub(super) fn distances(claim: &Claim, is_goal: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut found = vec![u32::MAX; claim.states.len()];
    let mut sources = vec![Vec::new(); claim.states.len()];
    each_step(claim, |from, to, _| sources[to].push(from));
    let mut reached: Vec<usize> = (0..claim.states.len()).filter(|state| is_goal(*state)).collect();
    reached.iter().for_each(|state| found[*state] = 0);
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        for source in &sources[state] {
            if found[*source] == u32::MAX {
                found[*source] = found[state] + 1;
                reached.push(*source);
            }
        }
        next += 1;
    }
    found
}
