//! The integer types of variables and message fields: how wide, signed or not, and how a value is cut to fit.

/// An integer of `bits` bits. Expressions are computed in 32-bit two's complement; storing cuts to the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalarType {
    pub bits: u8,
    pub signed: bool,
}

impl ScalarType {
    pub const BIT: ScalarType = ScalarType::unsigned(1);
    pub const BYTE: ScalarType = ScalarType::unsigned(8);
    pub const SHORT: ScalarType = ScalarType { bits: 16, signed: true };
    pub const INT: ScalarType = ScalarType { bits: 32, signed: true };

    pub const fn unsigned(bits: u8) -> ScalarType {
        ScalarType { bits, signed: false }
    }

    /// Bytes the value takes in the state vector.
    pub const fn bytes(self) -> usize {
        match self.bits {
            0..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }

    /// The value as this type keeps it.
    pub const fn wrap(self, value: i32) -> i32 {
        let unused = 32 - self.bits as u32;
        if self.signed { (value << unused) >> unused } else { (((value as u32) << unused) >> unused) as i32 }
    }

    /// Reads a value of this type from the start of `bytes`.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> i32 {
        match (self.bytes(), self.signed) {
            (1, false) => i32::from(bytes[0]),
            (1, true) => i32::from(bytes[0] as i8),
            (2, false) => i32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            (2, true) => i32::from(i16::from_le_bytes([bytes[0], bytes[1]])),
            _ => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }

    /// Cuts `value` to this type and writes it to the start of `bytes`.
    #[inline]
    pub fn write(self, bytes: &mut [u8], value: i32) {
        let value = self.wrap(value);
        match self.bytes() {
            1 => bytes[0] = value as u8,
            2 => bytes[..2].copy_from_slice(&(value as u16).to_le_bytes()),
            _ => bytes[..4].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

impl std::fmt::Display for ScalarType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_as_in_twos_complement() {
        assert_eq!(ScalarType::BYTE.wrap(257), 1);
        assert_eq!(ScalarType::BYTE.wrap(-1), 255);
        assert_eq!(ScalarType::SHORT.wrap(40_000), 40_000 - 65_536);
        assert_eq!(ScalarType::BIT.wrap(2), 0);
        assert_eq!(ScalarType::unsigned(3).wrap(9), 1);
        assert_eq!(ScalarType::INT.wrap(i32::MIN), i32::MIN);
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ty in
            [ScalarType::BIT, ScalarType::BYTE, ScalarType::SHORT, ScalarType::INT, ScalarType::unsigned(12)]
        {
            for value in [0, 1, -1, 127, 128, 255, 256, 65_535, i32::MAX, i32::MIN] {
                let mut bytes = [0xAA; 4];
                ty.write(&mut bytes, value);
                assert_eq!(ty.read(&bytes), ty.wrap(value), "{ty} {value}");
            }
        }
    }
}
