//! A fast hash of byte vectors: 64-bit words folded by a widening multiplication, as in wyhash and rapidhash.
//!
//! Two words are mixed with secrets and multiplied to 128 bits; the two halves are xored. Every output bit then depends
//! on every input bit of the pair. It is deterministic (runs can be repeated) and not meant to resist an attacker.
//!
//! The hash of the stores is computed for every successor. Most vectors have up to 64 bytes: of those the words at both ends are read,
//! which overlap, so there is neither a loop nor a rest.

const SECRETS: [u64; 4] =
    [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The hash that the stores use.
#[inline(always)]
pub fn hash(bytes: &[u8]) -> u64 {
    let hash = match bytes.len() {
        16..=32 => hash_of_up_to_32(bytes),
        33..=64 => hash_of_up_to_64(bytes),
        8..=15 => hash_of_up_to_15(bytes),
        _ => hash_seeded(bytes, 0),
    };
    #[cfg(test)]
    let hash = crate::weak::weaken(hash);
    hash
}

#[inline(always)]
fn hash_of_up_to_15(bytes: &[u8]) -> u64 {
    let (first, last) = ends::<8>(bytes);
    let mixed = fold(word(first) ^ SECRETS[1], word(last) ^ SECRETS[2]);
    // The length tells vectors apart that differ only in zeros at their ends.
    fold(mixed ^ SECRETS[3], bytes.len() as u64 ^ SECRETS[0])
}

#[inline(always)]
fn hash_of_up_to_32(bytes: &[u8]) -> u64 {
    let (first, last) = ends::<16>(bytes);
    let first = fold(word(&first[..8]) ^ SECRETS[0], word(&first[8..]) ^ SECRETS[1]);
    let last = fold(word(&last[..8]) ^ SECRETS[2], word(&last[8..]) ^ SECRETS[3]);
    fold(first ^ SECRETS[1], last ^ SECRETS[0] ^ bytes.len() as u64)
}

#[inline(always)]
fn hash_of_up_to_64(bytes: &[u8]) -> u64 {
    let (first, last) = ends::<32>(bytes);
    let one = fold(word(&first[..8]) ^ SECRETS[0], word(&first[8..16]) ^ SECRETS[1]);
    let two = fold(word(&first[16..24]) ^ SECRETS[2], word(&first[24..]) ^ SECRETS[3]);
    // Other secrets: equal words at both ends must not cancel each other out.
    let three = fold(word(&last[..8]) ^ SECRETS[1], word(&last[8..16]) ^ SECRETS[2]);
    let four = fold(word(&last[16..24]) ^ SECRETS[3], word(&last[24..]) ^ SECRETS[0]);
    fold(
        one ^ three.rotate_left(17) ^ SECRETS[1],
        two ^ four.rotate_left(17) ^ SECRETS[0] ^ bytes.len() as u64,
    )
}

/// The first and the last bytes, of at least so many.
#[inline(always)]
fn ends<const N: usize>(bytes: &[u8]) -> (&[u8; N], &[u8; N]) {
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        unreachable!("the length was looked at")
    };
    (first, last)
}

/// A family of hashes: different seeds give unrelated functions.
#[inline(always)]
pub fn hash_seeded(bytes: &[u8], seed: u64) -> u64 {
    let mut state = fold(seed ^ SECRETS[0], SECRETS[1]);
    // Two states take turns, so that the processor need not wait for the last product.
    let mut quads = bytes.chunks_exact(32);
    let mut other = SECRETS[3] ^ seed;
    for quad in &mut quads {
        state = fold(word(&quad[..8]) ^ SECRETS[1], word(&quad[8..16]) ^ state);
        other = fold(word(&quad[16..24]) ^ SECRETS[2], word(&quad[24..]) ^ other);
    }
    state ^= other;
    let mut pairs = quads.remainder().chunks_exact(16);
    for pair in &mut pairs {
        state = fold(word(&pair[..8]) ^ SECRETS[1], word(&pair[8..]) ^ state);
    }
    let rest = pairs.remainder();
    let (low, high) = if rest.len() >= 8 { (word(&rest[..8]), tail(&rest[8..])) } else { (tail(rest), 0) };
    let mixed = fold(low ^ SECRETS[2], high ^ state);
    // The length tells vectors apart that differ only in zeros at their ends.
    fold(mixed ^ SECRETS[3], bytes.len() as u64 ^ SECRETS[1])
}

#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

/// Up to seven bytes as a number.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
    debug_assert!(bytes.len() < 8);
    match bytes.len() {
        0 => 0,
        1..=3 => {
            let middle = bytes[bytes.len() / 2];
            u64::from(bytes[0]) | u64::from(middle) << 8 | u64::from(bytes[bytes.len() - 1]) << 16
        }
        length => {
            let low = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
            let high = u32::from_le_bytes(bytes[length - 4..].try_into().expect("four bytes"));
            u64::from(low) | u64::from(high) << 32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small counters, as state vectors hold them: the hardest input for a weak hash.
    fn vectors() -> impl Iterator<Item = Vec<u8>> {
        (0..1u32 << 16).flat_map(|i| {
            let bytes = i.to_le_bytes();
            let mut sparse = vec![0; 37];
            sparse[5] = bytes[0];
            sparse[30] = bytes[1];
            [bytes[..2].to_vec(), sparse]
        })
    }

    #[test]
    fn both_ends_of_the_hash_are_spread_evenly() {
        for shift in [0, 20, 48] {
            let mut buckets = vec![0u32; 1 << 12];
            let mut count = 0.0;
            for vector in vectors() {
                buckets[(hash(&vector) >> shift) as usize & 0xfff] += 1;
                count += 1.0;
            }
            let expected = count / buckets.len() as f64;
            let chi: f64 = buckets.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // 4095 degrees of freedom: mean 4095, deviation about 90.
            assert!((3600.0..4600.0).contains(&chi), "shift {shift}: chi squared {chi}");
        }
    }

    #[test]
    fn a_changed_bit_changes_half_of_the_hash() {
        for length in [1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100] {
            for vector in [(0..length as u8).collect::<Vec<u8>>(), vec![0; length]] {
                for bit in 0..length * 8 {
                    let mut changed = vector.clone();
                    changed[bit / 8] ^= 1 << (bit % 8);
                    let flipped = (hash(&vector) ^ hash(&changed)).count_ones();
                    assert!((12..=52).contains(&flipped), "length {length} bit {bit}: {flipped}");
                }
            }
        }
    }

    #[test]
    fn length_and_seed_matter() {
        let hashes: std::collections::HashSet<u64> = (0..100).map(|length| hash(&vec![0; length])).collect();
        assert_eq!(hashes.len(), 100);
        assert_ne!(hash_seeded(b"abc", 1), hash_seeded(b"abc", 2));
    }
}
