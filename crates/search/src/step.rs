//! A step in twelve bytes, for the many that a search holds.

use panoptes_exec::Step;
use panoptes_model::TransId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedStep {
    transition: u32,
    partner_transition: u32,
    pid: u8,
    partner: u8,
    has_partner: bool,
}

impl PackedStep {
    /// In place of the step that led to the initial state, which there is not.
    pub const NONE: PackedStep =
        PackedStep { transition: u32::MAX, partner_transition: 0, pid: 0, partner: 0, has_partner: false };

    pub fn to_bytes(self) -> [u8; 11] {
        let mut bytes = [0; 11];
        bytes[..4].copy_from_slice(&self.transition.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.partner_transition.to_le_bytes());
        bytes[8..].copy_from_slice(&[self.pid, self.partner, u8::from(self.has_partner)]);
        bytes
    }

    pub fn from_bytes(bytes: [u8; 11]) -> PackedStep {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        PackedStep {
            transition: number(0),
            partner_transition: number(4),
            pid: bytes[8],
            partner: bytes[9],
            has_partner: bytes[10] != 0,
        }
    }
}

impl From<Step> for PackedStep {
    fn from(step: Step) -> PackedStep {
        let (partner, partner_transition) = step.partner.unwrap_or_default();
        PackedStep {
            transition: step.transition.0,
            partner_transition: partner_transition.0,
            pid: step.pid,
            partner,
            has_partner: step.partner.is_some(),
        }
    }
}

impl From<PackedStep> for Step {
    fn from(packed: PackedStep) -> Step {
        Step {
            pid: packed.pid,
            transition: TransId(packed.transition),
            partner: packed.has_partner.then_some((packed.partner, TransId(packed.partner_transition))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        assert_eq!(size_of::<PackedStep>(), 12);
        for partner in [None, Some((0, TransId(0))), Some((255, TransId(u32::MAX)))] {
            let step = Step { pid: 7, transition: TransId(123_456), partner };
            let packed = PackedStep::from(step);
            assert_eq!(Step::from(packed), step);
            assert_eq!(PackedStep::from_bytes(packed.to_bytes()), packed);
        }
    }
}
