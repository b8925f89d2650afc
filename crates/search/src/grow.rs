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
