//! A line on the terminal that says how far a search is, and a search that ends when a signal asks for it.

use crate::checkpoint::Checkpoints;
use crate::interrupt;
use crate::progress_line::{Beginning, Bounds, Moment, frontier};
use crate::watch::{RunLimits, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use panoptes_check::process::memory_bytes;
use panoptes_check::{ImageReader, ImageWriter};
use panoptes_report::scope_text;
use panoptes_search::{Observer, Scope, Statistics};
use std::io::{self, IsTerminal};
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
    /// The line itself, cut to the width of the terminal; none where nobody sees it.
    line: Option<ProgressBar>,
    /// Which of several searches runs, in words.
    stage: String,
    limits: RunLimits,
    /// Where the search that runs began, and how many states it had at last.
    beginning: Option<Beginning>,
    stored: u64,
    /// The most states that waited for their turn so far.
    frontier_peak: u64,
    /// Stands until the search begins.
    watch: Option<Watch>,
    /// Only with `--checkpoint`.
    pub checkpoints: Option<Checkpoints>,
}

impl Progress {
    /// Draws only if `wanted` and standard error is a terminal. `watch` is dismissed when the search begins.
    pub fn new(wanted: bool, watch: Watch, limits: RunLimits) -> Progress {
        Progress {
            start: Instant::now(),
            drawn: None,
            line: (wanted && std::io::stderr().is_terminal()).then(line),
            stage: String::new(),
            limits,
            beginning: None,
            stored: 0,
            frontier_peak: 0,
            watch: Some(watch),
            checkpoints: None,
        }
    }

    fn draw(&mut self, statistics: &Statistics) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.start);
        if statistics.stored < self.stored {
            // Another search has begun.
            (self.beginning, self.frontier_peak) = (None, 0);
        }
        self.stored = statistics.stored;
        self.frontier_peak = self.frontier_peak.max(frontier(statistics));
        let beginning = *self.beginning.get_or_insert_with(|| Beginning {
            elapsed,
            stored: statistics.stored,
            expanded: statistics.expanded,
            memory: memory_bytes().unwrap_or_default(),
        });
        let due = self.drawn.is_none_or(|last| now.duration_since(last) >= REDRAW_EVERY);
        let Some(line) = self.line.as_ref().filter(|_| due && elapsed >= QUIET_FOR) else { return };
        self.drawn = Some(now);
        let memory = memory_bytes().unwrap_or((statistics.store_bytes + statistics.search_bytes) as u64);
        let bounds = Bounds { time: self.limits.time_left(), memory: self.limits.memory() };
        let (stage, frontier_peak) = (self.stage.as_str(), self.frontier_peak);
        let moment = Moment { stage, statistics, beginning, elapsed, memory, frontier_peak, bounds };
        line.set_message(moment.line(width()));
    }

    /// The search looks at its limits itself.
    fn take_over(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.dismiss();
        }
    }
}

/// What fits on the terminal; one that does not tell has the usual width.
fn width() -> usize {
    const USUAL: usize = 80;
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or(USUAL, |(width, _)| usize::from(width.0)).saturating_sub(1)
}

/// A line that is as wide as the terminal at most, and asks for the width each time it is drawn.
fn line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").expect("a template that is known");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
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
        self.checkpoints.iter_mut().for_each(Checkpoints::note_progress);
        if interrupt::is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_some()
    }

    fn is_checkpoint_due(&mut self) -> bool {
        self.checkpoints.as_ref().is_some_and(Checkpoints::is_due)
    }

    fn begin_checkpoint(&mut self) -> Option<ImageWriter> {
        // Reading the search may take a while, and so may writing it.
        self.take_over();
        self.checkpoints.as_mut().and_then(Checkpoints::begin)
    }

    fn end_checkpoint(&mut self, how: io::Result<ImageWriter>) {
        self.checkpoints.iter_mut().zip([how]).for_each(|(checkpoints, how)| checkpoints.end(how));
    }

    fn saved(&mut self) -> Option<ImageReader> {
        self.take_over();
        self.checkpoints.as_mut().and_then(Checkpoints::saved)
    }

    fn resumed(&mut self, how: io::Result<()>) {
        self.checkpoints.iter_mut().zip([how]).for_each(|(checkpoints, how)| checkpoints.resumed(how));
    }

    /// Wipes the line away.
    fn ended(&mut self) {
        self.take_over();
        if self.drawn.take().is_some()
            && let Some(line) = &self.line
        {
            line.finish_and_clear();
        }
    }
}
