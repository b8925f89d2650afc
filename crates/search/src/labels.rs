//! Where a state stands among all that an expansion reaches, in four bytes.
//!
//! A state is reached by a step from the state before, or at the end of a chain that begins with one. Which step it is,
//! and which end of its chains, are two numbers; nearly always both are small.

use crate::saved::saved;

/// Labels with this bit are places in the list.
const LISTED: u32 = 1 << 31;

/// A successor: which step of its state it begins with, and which end of the chains behind that step it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Branch {
    pub step: u32,
    pub end: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// The branches that do not fit.
    listed: Vec<Branch>,
}

impl Labels {
    /// The label of a branch that needs no list.
    #[inline]
    pub fn short(branch: Branch) -> Option<u32> {
        (branch.step < 1 << 15 && branch.end < 1 << 16).then_some(branch.step << 16 | branch.end)
    }

    #[inline]
    pub fn label(&mut self, branch: Branch) -> u32 {
        if let Some(label) = Labels::short(branch) {
            return label;
        }
        self.listed.push(branch);
        LISTED | (self.listed.len() as u32 - 1)
    }

    pub fn branch(&self, label: u32) -> Branch {
        if label & LISTED != 0 {
            return self.listed[(label & !LISTED) as usize];
        }
        Branch { step: label >> 16, end: label & 0xffff }
    }

    pub fn heap_bytes(&self) -> usize {
        self.listed.capacity() * size_of::<Branch>()
    }
}

saved!(Branch { step, end });
saved!(Labels { listed });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_for_its_branch() {
        let mut labels = Labels::default();
        for step in [0, 1, 32_767, 32_768, u32::MAX] {
            for end in [0, 7, 65_535, 65_536, u32::MAX] {
                let label = labels.label(Branch { step, end });
                assert_eq!(labels.branch(label), Branch { step, end });
            }
        }
    }
}
