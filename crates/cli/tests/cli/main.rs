//! Black-box tests of the `panoptes` command: what scripts rely on, and what people see.

mod argos;
mod check;
mod json;
mod limits;
mod long_steps;
mod partial;
mod readme;
mod sandbox;
mod simulate;
mod stores;
mod text;
mod traces;
mod usage;
