//! Visited sets: they know only bytes.
