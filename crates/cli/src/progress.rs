//! A line on the terminal that says how far a search is, and a search that ends when a signal asks for it.

use crate::process::memory_bytes;
use crate::watch::Watch;
use crate::{interrupt, output};
use panoptes_report::{human, scope_text};
use panoptes_search::{Observer, Scope, Statistics};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// Short searches show nothing.
const QUIET_FOR: Duration = Duration::from_millis(400);

pub struct Progress {
    start: Instant,
    drawn: Option<Instant>,
    is_shown: bool,
    /// Which of several searches runs, in words.
    stage: String,
    /// Stands until the search begins.
    watch: Option<Watch>,
}

impl Progress {
    /// Draws only if `wanted` and standard error is a terminal. `watch` is dismissed when the search begins.
    pub fn new(wanted: bool, watch: Watch) -> Progress {
        Progress {
            start: Instant::now(),
            drawn: None,
            is_shown: wanted && std::io::stderr().is_terminal(),
            stage: String::new(),
            watch: Some(watch),
        }
    }

    fn draw(&mut self, statistics: &Statistics) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.start);
        let due = self.drawn.is_none_or(|last| now.duration_since(last) >= REDRAW_EVERY);
        if !self.is_shown || !due || elapsed < QUIET_FOR {
            return;
        }
        self.drawn = Some(now);
        let rate = statistics.stored as f64 / elapsed.as_secs_f64();
        let memory = memory_bytes().unwrap_or((statistics.store_bytes + statistics.search_bytes) as u64);
        output::to_stderr(&format!(
            "\r\x1b[K{}{} states, {} a second, depth {}, {}, {}",
            self.stage,
            human::count(statistics.stored),
            human::count(rate as u64),
            human::count(statistics.max_depth),
            human::bytes(memory),
            human::seconds(elapsed.as_secs_f64()),
        ));
    }

    /// The search looks at its limits itself.
    fn take_over(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.dismiss();
        }
    }

    /// Wipes the line away.
    pub fn finish(&mut self) {
        self.take_over();
        if self.drawn.take().is_some() {
            output::to_stderr("\r\x1b[K");
        }
    }
}

impl Observer for Progress {
    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        Some(interrupt::flag())
    }

    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        self.stage = format!("stage {number} of {count} ({}): ", scope_text(scope));
    }

    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        self.take_over();
        self.draw(statistics);
        if interrupt::is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
