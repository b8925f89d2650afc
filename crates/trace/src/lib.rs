//! A path of steps: replay and its saved form.
#![forbid(unsafe_code)]
