//! Vectors that grow by a quarter, not to the double: the large ones of a search then keep close to a memory bound. And what
//! hash tables take, which do grow to the double.

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
        make_room(vector, extra);
    }
}

#[cold]
fn make_room<T>(vector: &mut Vec<T>, extra: usize) {
    vector.reserve_exact((vector.len() / 4 + 64).max(extra));
}

/// What a hash table takes, and is about to take: while it grows, the old table and one twice as large are there together. It is
/// counted a little before, since afterwards it is too late to stop.
pub(crate) fn table_bytes(len: usize, capacity: usize, entry_bytes: usize) -> usize {
    // Seven eighths of a table are used, and there is a byte more for each entry.
    let bytes = capacity * 8 / 7 * (entry_bytes + 1);
    if len >= capacity / 8 * 7 { 3 * bytes } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_counted_before_it_grows() {
        let mut table = std::collections::HashSet::new();
        let (mut counted, mut capacity) = (0, 0);
        for number in 0..100_000u64 {
            table.insert(number);
            if table.capacity() != capacity && number > 100 {
                // A byte and eight for each entry: the table before it, and this one.
                let needed = (capacity + table.capacity()) * 9 * 8 / 7;
                assert!(counted >= needed * 19 / 20 && counted <= needed * 21 / 20, "{counted}, {needed}");
            }
            capacity = table.capacity();
            counted = table_bytes(table.len(), capacity, 8);
        }
        assert!(table_bytes(100_000, 1 << 17, 8) < (1 << 17) * 11);
    }

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
