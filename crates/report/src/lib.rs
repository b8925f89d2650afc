//! Verdicts, statistics and traces for people and scripts.
