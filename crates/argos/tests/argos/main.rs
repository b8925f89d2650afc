//! The front end from text to machines. One program, so that it is linked once.

mod errors;
mod machines;
mod robust;
