//! How far a search is, in one line that fits: what matters least is left out first.

use panoptes_report::human;
use panoptes_search::Statistics;
use std::time::Duration;

/// Bounds that a search may meet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// What is left of the time.
    pub time: Option<Duration>,
    /// All that the process may take.
    pub memory: Option<u64>,
}

/// What is known at a moment.
pub struct Moment<'a> {
    /// Which of several searches runs, in words.
    pub stage: &'a str,
    pub statistics: &'a Statistics,
    pub elapsed: Duration,
    /// What the process takes.
    pub memory: u64,
    /// The most states that waited for their turn so far.
    pub frontier_peak: u64,
    pub bounds: Bounds,
}

/// Before this a forecast is a guess.
const FORECAST_AFTER: Duration = Duration::from_secs(2);

/// The states that wait for their turn.
pub fn frontier(statistics: &Statistics) -> u64 {
    statistics.stored.saturating_sub(statistics.expanded)
}

impl Moment<'_> {
    /// At most `width` characters, if the number of states alone does not take more.
    pub fn line(&self, width: usize) -> String {
        let statistics = self.statistics;
        let seconds = self.elapsed.as_secs_f64();
        let rate = statistics.stored as f64 / seconds.max(1e-3);
        // In the order of the line; the number says what goes first if there is no room.
        let mut parts = vec![
            (0, format!("{}{} states", self.stage, human::count(statistics.stored))),
            (2, format!("{} a second", human::count(rate as u64))),
            (5, format!("depth {}", human::count(statistics.max_depth))),
            (6, format!("frontier {}", human::count(frontier(statistics)))),
            (1, human::bytes(self.memory)),
            (3, human::seconds(seconds)),
        ];
        parts.extend(self.forecast().map(|text| (4, text)));
        loop {
            let line = parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ");
            if line.chars().count() <= width || parts.len() == 1 {
                return line;
            }
            let worst = parts.iter().map(|(rank, _)| *rank).max();
            parts.retain(|(rank, _)| Some(*rank) != worst);
        }
    }

    /// What comes next, if that can be told: the end of the search, or a bound that it meets before.
    fn forecast(&self) -> Option<String> {
        if self.elapsed < FORECAST_AFTER {
            return None;
        }
        let seconds = self.elapsed.as_secs_f64();
        let waiting = frontier(self.statistics);
        let end = (waiting < self.frontier_peak / 10 * 9).then(|| {
            let rate = self.statistics.expanded as f64 / seconds;
            waiting as f64 / rate.max(1.0)
        });
        let memory = self.bounds.memory.map(|bound| {
            let rate = self.memory as f64 / seconds;
            bound.saturating_sub(self.memory) as f64 / rate.max(1.0)
        });
        let time = self.bounds.time.map(|left| left.as_secs_f64());
        let nearest = [(memory, "until --memory is met"), (time, "until --time is met"), (end, "to go")]
            .into_iter()
            .filter_map(|(seconds, what)| seconds.map(|seconds| (seconds, what)))
            .min_by(|left, right| left.0.total_cmp(&right.0));
        nearest.map(|(seconds, what)| format!("about {} {what}", human::seconds(seconds.max(1.0).round())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(width: usize, frontier_peak: u64, bounds: Bounds) -> String {
        let statistics =
            Statistics { stored: 1_200_000, expanded: 1_000_000, max_depth: 310, ..Statistics::default() };
        let elapsed = Duration::from_secs(10);
        let moment =
            Moment { stage: "", statistics: &statistics, elapsed, memory: 1 << 28, frontier_peak, bounds };
        moment.line(width)
    }

    #[test]
    fn a_line_fits_any_width() {
        let whole = line(200, 200_000, Bounds::default());
        assert_eq!(
            whole,
            "1,200,000 states, 120,000 a second, depth 310, frontier 200,000, 256.0 MiB, 10.0 s"
        );
        for width in 20..120 {
            assert!(line(width, 200_000, Bounds::default()).chars().count() <= width);
        }
        assert_eq!(line(40, 200_000, Bounds::default()), "1,200,000 states, 256.0 MiB");
        assert_eq!(line(3, 200_000, Bounds::default()), "1,200,000 states");
    }

    #[test]
    fn what_comes_first_is_foretold() {
        assert!(line(200, 900_000, Bounds::default()).ends_with("about 2.0 s to go"));
        let memory = Bounds { memory: Some(1 << 29), time: None };
        assert!(line(200, 200_000, memory).ends_with("about 10.0 s until --memory is met"));
        let both = Bounds { time: Some(Duration::from_secs(4)), ..memory };
        assert!(line(200, 200_000, both).ends_with("about 4.0 s until --time is met"));
    }
}
