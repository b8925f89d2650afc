//! Sets of values that only grow: what a variable, a field of a message or the length of a queue can have become.
//!
//! A set is one word. The values from -1 to 61 have a bit each, which is all that most models need; the others share one.

use panoptes_model::{BinaryOp, ScalarType, UnaryOp};

/// A set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Values(pub u64);

/// The bit that all values without a bit of their own share.
const OTHER: u32 = 63;
const LOWEST: i32 = -1;
const HIGHEST: i32 = 61;
/// Pairs of values that arithmetic looks at; with more, the result may be anything.
const PAIRS_MAX: u32 = 512;

impl Values {
    pub const NONE: Values = Values(0);
    pub const ALL: Values = Values(u64::MAX);
    pub const FALSE: Values = Values(1 << (0 - LOWEST));
    pub const TRUE: Values = Values(1 << (1 - LOWEST));

    pub fn only(value: i32) -> Values {
        Values(1 << bit_of(value))
    }

    /// The values from `low` to `high`, as far as they have bits, and the others if there are any.
    pub fn between(low: i32, high: i32) -> Values {
        let (first, last) = (low.max(LOWEST), high.min(HIGHEST));
        let own = if first > last { 0 } else { (u64::MAX >> (63 - (last - first))) << bit_of(first) };
        let other = if low < LOWEST || high > HIGHEST { 1 << OTHER } else { 0 };
        Values(own | other)
    }

    /// All values of a type.
    pub fn of_type(ty: ScalarType) -> Values {
        match (ty.bits, ty.signed) {
            (bits, false) if bits < 31 => Values::between(0, (1 << bits) - 1),
            (bits, true) if bits < 32 => Values::between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => Values::ALL,
        }
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    pub fn and(self, other: Values) -> Values {
        Values(self.0 & other.0)
    }

    pub fn or(self, other: Values) -> Values {
        Values(self.0 | other.0)
    }

    pub fn without(self, other: Values) -> Values {
        Values(self.0 & !other.0)
    }

    pub fn has(self, value: i32) -> bool {
        self.0 & (1 << bit_of(value)) != 0
    }

    fn has_other(self) -> bool {
        self.0 >> OTHER != 0
    }

    pub fn can_be(self, wanted: bool) -> bool {
        if wanted { !self.without(Values::FALSE).is_empty() } else { self.has(0) }
    }

    fn of_truth(is_true: bool, is_false: bool) -> Values {
        let pick = |is_there: bool, values: Values| if is_there { values } else { Values::NONE };
        pick(is_true, Values::TRUE).or(pick(is_false, Values::FALSE))
    }

    /// The sets with one value each, in order.
    pub fn each(self) -> impl Iterator<Item = Values> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            (bit != 0).then_some(Values(bit))
        })
    }

    /// The place of the only value among the bits.
    pub fn bit(self) -> u32 {
        self.0.trailing_zeros()
    }

    /// The only value, if it is known.
    pub fn value(self) -> Option<i32> {
        (self.0.count_ones() == 1 && !self.has_other()).then(|| self.0.trailing_zeros() as i32 + LOWEST)
    }

    fn least(self) -> i32 {
        if self.has_other() { i32::MIN } else { self.0.trailing_zeros() as i32 + LOWEST }
    }

    fn greatest(self) -> i32 {
        if self.has_other() { i32::MAX } else { 63 - self.0.leading_zeros() as i32 + LOWEST }
    }

    pub fn unary(self, op: UnaryOp) -> Values {
        if op == UnaryOp::Not {
            return Values::of_truth(self.can_be(false), self.can_be(true));
        }
        let apply = |one: Values| one.value().map_or(Values::ALL, |value| Values::only(op.apply(value)));
        self.each().map(apply).fold(Values::NONE, Values::or)
    }

    /// What an operator can make of a value of each set.
    pub fn binary(self, op: BinaryOp, other: Values) -> Values {
        if self.is_empty() || other.is_empty() {
            return Values::NONE;
        }
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return op.apply(a, b).map_or(Values::NONE, Values::only);
        }
        match op {
            BinaryOp::And => Values::of_truth(
                self.can_be(true) && other.can_be(true),
                self.can_be(false) || other.can_be(false),
            ),
            BinaryOp::Or => Values::of_truth(
                self.can_be(true) || other.can_be(true),
                self.can_be(false) && other.can_be(false),
            ),
            BinaryOp::Eq => self.equal(other),
            BinaryOp::Ne => self.equal(other).unary(UnaryOp::Not),
            BinaryOp::Lt => self.less(other),
            BinaryOp::Gt => other.less(self),
            BinaryOp::Ge => self.less(other).unary(UnaryOp::Not),
            BinaryOp::Le => other.less(self).unary(UnaryOp::Not),
            _ => self.arithmetic(op, other),
        }
    }

    fn equal(self, other: Values) -> Values {
        let common = self.and(other);
        let is_same = self == other && self.value().is_some();
        Values::of_truth(!common.is_empty(), !is_same)
    }

    fn less(self, other: Values) -> Values {
        Values::of_truth(self.least() < other.greatest(), self.greatest() >= other.least())
    }

    fn arithmetic(self, op: BinaryOp, other: Values) -> Values {
        if self.0.count_ones() * other.0.count_ones() > PAIRS_MAX {
            return Values::ALL;
        }
        let mut found = Values::NONE;
        for a in self.each() {
            for b in other.each() {
                found = found.or(match (a.value(), b.value()) {
                    (Some(a), Some(b)) => op.apply(a, b).map_or(Values::NONE, Values::only),
                    // A value that is not known stays so by counting, and is cut by these.
                    _ if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) => Values(1 << OTHER),
                    _ => Values::ALL,
                });
            }
        }
        found
    }

    /// As a variable of the type keeps them.
    pub fn cut(self, ty: ScalarType) -> Values {
        let all = Values::of_type(ty);
        if self.without(all).is_empty() {
            return self;
        }
        let cut = |one: Values| one.value().map_or(all, |value| Values::only(ty.wrap(value)));
        self.each().map(cut).fold(Values::NONE, Values::or)
    }
}

fn bit_of(value: i32) -> u32 {
    if (LOWEST..=HIGHEST).contains(&value) { (value - LOWEST) as u32 } else { OTHER }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[i32]) -> Values {
        values.iter().fold(Values::NONE, |set, value| set.or(Values::only(*value)))
    }

    #[test]
    fn what_holds_for_values_is_possible_for_sets() {
        let samples: [&[i32]; 6] = [&[0], &[-1, 3], &[1, 2, 61], &[62], &[-7, 0, 5], &[100, 4]];
        for op in BinaryOp::ALL {
            for left in samples {
                for right in samples {
                    let all = set(left).binary(op, set(right));
                    for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))) {
                        // Counting does not lead back to values that are told apart.
                        let counts = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                        let is_known = |value: i32| Values::only(value).value().is_some();
                        if counts && !(is_known(a) && is_known(b)) {
                            continue;
                        }
                        if let Some(value) = op.apply(a, b) {
                            assert!(all.has(value), "{a} {op:?} {b} is {value}, not in {all:?}");
                        }
                    }
                }
            }
        }
        for op in [UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot] {
            for values in samples {
                assert!(values.iter().all(|value| set(values).unary(op).has(op.apply(*value))), "{op:?}");
            }
        }
    }

    #[test]
    fn relations_of_small_values_are_exact() {
        assert_eq!(set(&[1, 2]).binary(BinaryOp::Eq, set(&[3])), Values::FALSE);
        assert_eq!(set(&[2]).binary(BinaryOp::Lt, set(&[3, 4])), Values::TRUE);
        assert_eq!(set(&[2, 5]).binary(BinaryOp::Ge, set(&[4])), Values::TRUE.or(Values::FALSE));
        assert_eq!(set(&[2, 5]).binary(BinaryOp::Ne, set(&[4])), Values::TRUE);
        assert_eq!(set(&[5, 6]).binary(BinaryOp::Add, set(&[1])), set(&[6, 7]));
    }

    #[test]
    fn ranges_are_sets() {
        assert_eq!(Values::between(2, 4), set(&[2, 3, 4]));
        assert_eq!(Values::between(-9, 0), set(&[-9, -1, 0]));
        assert_eq!(Values::between(62, 70), set(&[65]));
        assert_eq!(Values::of_type(ScalarType::INT), Values::ALL);
        assert_eq!(Values::of_type(ScalarType::BYTE), Values::ALL.without(set(&[-1])));
    }

    #[test]
    fn types_cut_values() {
        assert_eq!(set(&[2, 3]).cut(ScalarType::BIT), set(&[0, 1]));
        assert_eq!(set(&[-1]).cut(ScalarType::BYTE), Values::only(255));
        assert_eq!(Values::ALL.cut(ScalarType::BIT), set(&[0, 1]));
        assert_eq!(set(&[7]).each().next(), Some(set(&[7])));
        assert_eq!((set(&[9]).value(), set(&[90]).value()), (Some(9), None));
    }
}
