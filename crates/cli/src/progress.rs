//! A line on the terminal that says how far a search is, and Ctrl-C.

use crate::output;
use crate::process::memory_bytes;
use panoptes_report::{human, scope_text};
use panoptes_search::{Observer, Scope, Statistics};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Starts watching for Ctrl-C; draws only if `wanted` and standard error is a terminal.
    pub fn new(wanted: bool) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        // The first signal asks for the partial answer; a second one does not wait for it.
        let handler = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        if let Err(error) = handler {
            output::warning(&format!("Ctrl-C will end the program without an answer: {error}"));
        }
        Progress {
            start: Instant::now(),
            drawn: None,
            is_shown: wanted && std::io::stderr().is_terminal(),
            stage: String::new(),
            stop,
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

    /// Wipes the line away.
    pub fn finish(&mut self) {
        if self.drawn.take().is_some() {
            output::to_stderr("\r\x1b[K");
        }
    }
}

impl Observer for Progress {
    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::clone(&self.stop))
    }

    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        self.stage = format!("stage {number} of {count} ({}): ", scope_text(scope));
    }

    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        self.draw(statistics);
        if self.stop.load(Ordering::SeqCst) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
