//! The compiled executor.
