//! The facade: load a model, choose a search, run it, give a verdict.
#![forbid(unsafe_code)]
