//! Search strategies over an executor and a store.
#![forbid(unsafe_code)]
