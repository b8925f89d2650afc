//! Verdicts, statistics and traces for people and scripts.
#![forbid(unsafe_code)]
