//! How often states were met again, as text and JSON: see [`panoptes_search::Recurrence`].

use crate::{Style, View, human};
use panoptes_search::Recurrence;
use serde::Serialize;

/// Numbers of visits that have a line of their own; those above share one.
const VISITS_SHOWN: u32 = 8;

impl View<'_> {
    /// Two small tables; empty if it was not asked for.
    pub(crate) fn recurrence_text(&self, style: &Style) -> String {
        let Some(recurrence) = &self.recurrence else { return String::new() };
        let mut out = format!("\n{}\n", style.heading("How often states are met again"));
        let share = |part: u64, of: u64| format!("{:.1} %", 100.0 * part as f64 / of.max(1) as f64);
        if !recurrence.states_by_visits.is_empty() {
            out += &row(["visits", "states", "visited again"]);
            for visits in 1..=VISITS_SHOWN {
                let states = recurrence.states_by_visits.get(&visits).copied().unwrap_or(0);
                let again = format!("{:.1} %", 100.0 * recurrence.return_share(visits));
                if states > 0 || recurrence.states_by_visits.range(visits..).next().is_some() {
                    out += &row([&visits.to_string(), &human::count(states), &again]);
                }
            }
            let more: u64 =
                recurrence.states_by_visits.range(VISITS_SHOWN + 1..).map(|(_, states)| states).sum();
            if more > 0 {
                out += &row([&format!("more than {VISITS_SHOWN}"), &human::count(more), ""]);
            }
            out.push('\n');
        }
        out += &row(["depth", "lookups", "met again"]);
        for range in &recurrence.depths {
            let lookups = range.new + range.met_again;
            let depths = match range.from == range.to {
                true => range.from.to_string(),
                false => format!("{} to {}", range.from, range.to),
            };
            out += &row([&depths, &human::count(lookups), &share(range.met_again, lookups)]);
        }
        out
    }
}

fn row([first, second, third]: [&str; 3]) -> String {
    format!("  {first:>15}  {second:>13}  {third:>13}").trim_end().to_string() + "\n"
}

/// What `--format json` says of it.
#[derive(Serialize)]
pub(crate) struct RecurrenceObject {
    visits: Vec<VisitsObject>,
    depths: Vec<DepthsObject>,
}

#[derive(Serialize)]
struct VisitsObject {
    visits: u32,
    states: u64,
}

#[derive(Serialize)]
struct DepthsObject {
    from: u32,
    to: u32,
    new: u64,
    met_again: u64,
}

impl From<&Recurrence> for RecurrenceObject {
    fn from(recurrence: &Recurrence) -> RecurrenceObject {
        let visits = recurrence.states_by_visits.iter();
        let depths = recurrence.depths.iter();
        RecurrenceObject {
            visits: visits
                .map(|(visits, states)| VisitsObject { visits: *visits, states: *states })
                .collect(),
            depths: depths
                .map(|range| DepthsObject {
                    from: range.from,
                    to: range.to,
                    new: range.new,
                    met_again: range.met_again,
                })
                .collect(),
        }
    }
}
