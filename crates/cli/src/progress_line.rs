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

/// Where a search began: at the start, after another one, or at a checkpoint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beginning {
    /// How long the check had run.
    pub elapsed: Duration,
    pub stored: u64,
    pub expanded: u64,
    /// What the process took.
    pub memory: u64,
}

/// What is known at a moment.
pub struct Moment<'a> {
    /// Which of several searches runs, in words.
    pub stage: &'a str,
    pub statistics: &'a Statistics,
    pub beginning: Beginning,
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
        let rate = self.rate(statistics.stored, self.beginning.stored);
        // In the order of the line; the number says what goes first if there is no room.
        let mut parts = vec![
            (0, format!("{}{} states", self.stage, human::count(statistics.stored))),
            (3, format!("{} a second", human::count(rate as u64))),
            (5, format!("depth {}", human::count(statistics.max_depth))),
            (6, format!("frontier {}", human::count(frontier(statistics)))),
            (1, human::bytes(self.memory)),
            (4, human::seconds(seconds)),
        ];
        parts.extend(self.forecast().map(|text| (2, text)));
        loop {
            let line = parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ");
            if line.chars().count() <= width || parts.len() == 1 {
                return line;
            }
            let worst = parts.iter().map(|(rank, _)| *rank).max();
            parts.retain(|(rank, _)| Some(*rank) != worst);
        }
    }

    fn searched(&self) -> Duration {
        self.elapsed.saturating_sub(self.beginning.elapsed)
    }

    /// How fast something grows, a second.
    fn rate(&self, now: u64, before: u64) -> f64 {
        now.saturating_sub(before) as f64 / self.searched().as_secs_f64().max(1e-3)
    }

    /// What comes next, if that can be told: the end of the search, or a bound that it meets before.
    fn forecast(&self) -> Option<String> {
        if self.searched() < FORECAST_AFTER {
            return None;
        }
        let waiting = frontier(self.statistics);
        let end = (waiting < self.frontier_peak / 10 * 9).then(|| {
            let rate = self.rate(self.statistics.expanded, self.beginning.expanded);
            waiting as f64 / rate.max(1.0)
        });
        let memory = self.bounds.memory.map(|bound| {
            let rate = self.rate(self.memory, self.beginning.memory);
            bound.saturating_sub(self.memory) as f64 / rate.max(1.0)
        });
        let time = self.bounds.time.map(|left| left.as_secs_f64());
        let nearest = [(memory, "to --memory"), (time, "to --time"), (end, "to go")]
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
        let beginning = Beginning::default();
        let (statistics, memory) = (&statistics, 1 << 28);
        Moment { stage: "", statistics, beginning, elapsed, memory, frontier_peak, bounds }.line(width)
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
        assert!(line(200, 200_000, memory).ends_with("about 10.0 s to --memory"));
        let both = Bounds { time: Some(Duration::from_secs(4)), ..memory };
        assert!(line(200, 200_000, both).ends_with("about 4.0 s to --time"));
    }

    /// What comes next matters more than how far the search has gone.
    #[test]
    fn a_usual_terminal_has_room_for_the_forecast() {
        let statistics =
            Statistics { stored: 87_280_729, expanded: 80_000_000, max_depth: 37, ..Statistics::default() };
        let bounds = Bounds { memory: Some(2 << 30), time: None };
        let elapsed = Duration::from_secs(80);
        let (statistics, memory, beginning) = (&statistics, 1 << 30, Beginning::default());
        let moment =
            Moment { stage: "", statistics, beginning, elapsed, memory, frontier_peak: 8_000_000, bounds };
        assert_eq!(
            moment.line(79),
            "87,280,729 states, 1,091,009 a second, 1.0 GiB, about 1 min 20 s to --memory"
        );
    }

    /// After a checkpoint, only what is new was done in the time that has passed.
    #[test]
    fn rates_are_those_of_the_search_at_hand() {
        let statistics = Statistics { stored: 1_200_000, expanded: 1_000_000, ..Statistics::default() };
        let beginning = Beginning {
            elapsed: Duration::from_secs(1),
            stored: 1_000_000,
            expanded: 900_000,
            memory: 3 << 26,
        };
        let bounds = Bounds { memory: Some(1 << 29), time: None };
        let (statistics, elapsed, memory) = (&statistics, Duration::from_secs(11), 1 << 28);
        let moment =
            Moment { stage: "", statistics, beginning, elapsed, memory, frontier_peak: 200_000, bounds };
        let line = moment.line(200);
        assert!(line.contains("20,000 a second") && line.ends_with("about 40.0 s to --memory"), "{line}");
    }
}
