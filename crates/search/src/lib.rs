//! Search strategies over an executor and a store.
