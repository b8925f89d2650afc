//! A search by several processes or machines, as a dataflow on the crate `timely`.
#![forbid(unsafe_code)]
