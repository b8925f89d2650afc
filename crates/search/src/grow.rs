//! Vectors that grow by a quarter, not to the double: the large ones of a search then keep close to a memory bound.

#[inline]
pub(crate) fn push<T>(vector: &mut Vec<T>, item: T) {
    reserve(vector, 1);
    vector.push(item);
}

#[inline]
pub(crate) fn extend<T: Copy>(vector: &mut Vec<T>, items: &[T]) {
    reserve(vector, items.len());
    vector.extend_from_slice(items);
}

#[inline]
fn reserve<T>(vector: &mut Vec<T>, extra: usize) {
    if vector.capacity() - vector.len() < extra {
        vector.reserve_exact((vector.len() / 4 + 64).max(extra));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_grow_seldom_and_not_far() {
        let (mut items, mut bytes) = (Vec::new(), Vec::new());
        let mut capacities = std::collections::BTreeSet::new();
        for item in 0..100_000u32 {
            push(&mut items, item);
            extend(&mut bytes, &[0u8; 3]);
            for (len, capacity) in [(items.len(), items.capacity()), (bytes.len(), bytes.capacity())] {
                assert!(capacity <= len + len / 4 + 64, "{capacity} for {len}");
                capacities.insert(capacity);
            }
        }
        assert!(capacities.len() < 100, "{} times", capacities.len());
        assert!(items.into_iter().eq(0..100_000) && bytes.len() == 300_000);
    }
}
