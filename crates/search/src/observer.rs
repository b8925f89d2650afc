//! Who looks on while a search runs.

use crate::{Finding, Scope, Statistics};
use panoptes_store::{ImageReader, ImageWriter};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Looks on while a search runs.
pub trait Observer {
    /// Called when a search begins, then every few thousand expansions, and about every 100 ms where they are slow. `Break` ends the search.
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        let _ = statistics;
        ControlFlow::Continue(())
    }

    /// Is set when a search is to end, even within a step that takes long.
    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// The bound on states is met. A larger one, if the search is to go on.
    fn states_max(&mut self, bound: u64, statistics: &Statistics) -> Option<u64> {
        let _ = (bound, statistics);
        None
    }

    /// Called when one of several searches begins.
    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        let _ = (number, count, scope);
    }

    /// Called for each distinct error when it is first met; a shorter path to it may still be found.
    fn error(&mut self, error: &Finding) {
        let _ = error;
    }

    /// Are searches to be written down, now and then and when a limit ends them?
    fn keeps_checkpoints(&self) -> bool {
        false
    }

    /// Is that due? Asked about as often as [`Self::progress`] is called.
    fn is_checkpoint_due(&mut self) -> bool {
        false
    }

    /// The search can be written down now. Where to, if it is wanted.
    fn begin_checkpoint(&mut self) -> Option<ImageWriter> {
        None
    }

    /// It is written down, or could not be.
    fn end_checkpoint(&mut self, how: io::Result<ImageWriter>) {
        let _ = how;
    }

    /// What a search is to go on from. Asked for once, by the first search that can.
    fn saved(&mut self) -> Option<ImageReader> {
        None
    }

    /// It goes on from there; or it cannot, and ends.
    fn resumed(&mut self, how: io::Result<()>) {
        let _ = how;
    }

    /// Called by a check when all its searches have ended, before it walks the errors again.
    fn ended(&mut self) {}
}

/// Nobody looks on.
impl Observer for () {}
