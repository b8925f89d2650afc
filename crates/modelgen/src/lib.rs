//! Models for tests. Random small ones: of Promela generated from a seed, printed as text, and shrunk by structure; of Argos as text.
//!
//! The same seed and profile give the same model on every machine and in every run, so a seed is
//! enough to name a model in a report.
#![forbid(unsafe_code)]

mod argos;
pub mod ast;
pub mod features;
mod generate;
mod pitfalls;
mod print;
mod profile;
mod rng;
mod shipped;
mod shrink;
mod symmetric;
mod twins;
mod visit;

pub use argos::generate_argos;
pub use ast::Model;
pub use features::FEATURES;
pub use generate::generate;
pub use profile::{Group, Profile};
pub use rng::Rng;
pub use shipped::{SMALL, shipped};
pub use symmetric::generate_symmetric;
pub use twins::with_twins;
