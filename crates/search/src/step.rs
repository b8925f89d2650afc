//! A step in four bytes, for the many that a search holds.
//!
//! A step of one process is its transition and its number. A rendezvous has two of each; there are few different ones
//! in a model, so they are numbered as they are met.

use panoptes_exec::Step;
use panoptes_model::TransId;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepCode(pub u32);

/// Codes with this bit are numbers of entries of [`Steps::listed`].
const LISTED: u32 = 1 << 31;
/// Transitions from here on do not fit beside the process.
const TRANSITIONS_MAX: u32 = 1 << 23;
/// Places of the small cache before the map.
const CACHE_LEN: usize = 1024;

/// The steps met so far that do not fit into their code.
#[derive(Debug)]
pub(crate) struct Steps {
    listed: Vec<Step>,
    codes: HashMap<Step, StepCode>,
    /// A number of a listed step, by a hash of it.
    cache: Vec<u32>,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { listed: Vec::new(), codes: HashMap::new(), cache: vec![0; CACHE_LEN] }
    }

    #[inline]
    pub fn code(&mut self, step: Step) -> StepCode {
        let transition = step.transition.0;
        if step.partner.is_none() && transition < TRANSITIONS_MAX {
            return StepCode(transition << 8 | u32::from(step.pid));
        }
        self.listed_code(step)
    }

    fn listed_code(&mut self, step: Step) -> StepCode {
        let (partner, partner_transition) = step.partner.unwrap_or_default();
        let mixed = step.transition.0.wrapping_mul(0x9e37_79b1)
            ^ partner_transition.0.wrapping_mul(0x85eb_ca6b)
            ^ u32::from(step.pid).wrapping_mul(0xc2b2_ae35)
            ^ u32::from(partner).wrapping_mul(0x27d4_eb2f);
        let place = (mixed >> 16) as usize % CACHE_LEN;
        let number = self.cache[place];
        if self.listed.get(number as usize) == Some(&step) {
            return StepCode(LISTED | number);
        }
        let code = *self.codes.entry(step).or_insert_with(|| {
            self.listed.push(step);
            StepCode(LISTED | (self.listed.len() as u32 - 1))
        });
        self.cache[place] = code.0 & !LISTED;
        code
    }

    pub fn step(&self, code: StepCode) -> Step {
        if code.0 & LISTED != 0 {
            return self.listed[(code.0 & !LISTED) as usize];
        }
        Step { pid: code.0 as u8, transition: TransId(code.0 >> 8), partner: None }
    }

    pub fn heap_bytes(&self) -> usize {
        self.listed.capacity() * size_of::<Step>() + self.codes.capacity() * 2 * size_of::<(Step, StepCode)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stands_for_its_step() {
        let mut steps = Steps::new();
        let mut seen = HashMap::new();
        for transition in [0, 1, 77, TRANSITIONS_MAX - 1, TRANSITIONS_MAX, u32::MAX] {
            for pid in [0, 1, 255] {
                for partner in [None, Some((0, TransId(0))), Some((3, TransId(transition ^ 1)))] {
                    let step = Step { pid, transition: TransId(transition), partner };
                    let code = steps.code(step);
                    assert_eq!(steps.step(code), step);
                    assert_eq!(steps.code(step), code);
                    assert_eq!(seen.insert(code.0, step), None);
                }
            }
        }
    }

    #[test]
    fn many_rendezvous_keep_apart() {
        let mut steps = Steps::new();
        let step = |i: u32| Step { pid: 1, transition: TransId(i), partner: Some((2, TransId(i / 2))) };
        let codes: Vec<StepCode> = (0..5000).map(|i| steps.code(step(i))).collect();
        assert!(codes.iter().enumerate().all(|(i, code)| steps.step(*code) == step(i as u32)));
        assert!((0..5000).all(|i| steps.code(step(i)) == codes[i as usize]));
    }
}
