//! The reference executor: the meaning of the model, written to be read.
#![forbid(unsafe_code)]
