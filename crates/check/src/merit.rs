//! The weight α of weighted A*: how much the steps so far weigh against those that are still to come.

use crate::NameError;
use panoptes_search::Merit;
use std::fmt;

/// `α` in `f = αg + (1−α)h`, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight(u32);

const ONE: u32 = 1_000_000;

impl Weight {
    /// Both count the same, as in A*.
    pub const HALF: Weight = Weight(ONE / 2);

    /// Reads a number from 0 to 1.
    pub(crate) fn read(text: &str) -> Result<Weight, NameError> {
        let wrong = || {
            NameError(format!(
                "`weighted:{text}` needs a number from 0 to 1, as in `weighted:0.3`: 0 is best-first, 0.5 is astar, 1 is breadth first"
            ))
        };
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: f64 = text.parse().ok().filter(|_| is_number).ok_or_else(wrong)?;
        match (0.0..=1.0).contains(&number) {
            true => Ok(Weight((number * f64::from(ONE)).round() as u32)),
            false => Err(wrong()),
        }
    }

    pub(crate) fn merit(self) -> Merit {
        // Small numbers, for small merits.
        let (steps, estimate) = (self.0, ONE - self.0);
        let common = divisor(steps, estimate);
        Merit::Weighted { steps: steps / common, estimate: estimate / common }
    }

    /// Do the steps so far count at all?
    pub(crate) fn counts_steps(self) -> bool {
        self.0 > 0
    }
}

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { divisor(b, a % b) }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.0) / f64::from(ONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_from_zero_to_one() {
        for (text, steps, estimate) in
            [("0", 0, 1), ("1", 1, 0), ("0.5", 1, 1), ("0.25", 1, 3), ("1.0", 1, 0), (".3", 3, 7)]
        {
            let weight = Weight::read(text).expect(text);
            assert_eq!(weight.merit(), Merit::Weighted { steps, estimate }, "{text}");
            assert_eq!(Weight::read(&weight.to_string()), Ok(weight));
        }
        for text in ["", "-0.1", "1.1", "2", "half", "0,5", "1e-1", "nan", "inf", "+0.5"] {
            assert!(Weight::read(text).is_err_and(|error| error.0.contains("from 0 to 1")), "{text}");
        }
    }
}
