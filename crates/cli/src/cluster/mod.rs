//! `--cluster` and `--hosts`: a search by several processes.
//!
//! The command that was typed does not search. It starts the processes that do (`child.rs`), by running itself, and looks after them
//! (`supervisor.rs`): it passes signals on, and when one of them is lost it ends the others and says so. With `--cluster N` it has all of
//! them; with `--hosts FILE --process I` it has one, and so has each other machine.

mod child;
mod control;
mod supervisor;

pub use child::join;
pub use supervisor::run;
