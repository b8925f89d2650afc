//! The report for people: the verdict first, then what was checked, the numbers, the code that nothing reached, and
//! for a violation the trace.

use crate::report::{ErrorReport, UNCHECKED_PROPERTIES};
use crate::wrap::{cut, hanging, one_line};
use crate::{Paint, Report, Style, human, trace_text};
use panoptes_check::VerdictKind;

/// More errors than this are counted, not listed.
const ERRORS_SHOWN: usize = 20;
/// More unreached statements of one process than this are counted, not listed.
const UNREACHED_SHOWN: usize = 12;

impl Report {
    /// The verdict and nothing else, on one line.
    pub fn verdict_line(&self, style: &Style) -> String {
        let (paint, word) = match self.verdict {
            VerdictKind::Verified => (Paint::Good, "VERIFIED"),
            VerdictKind::Violated => (Paint::Bad, "VIOLATED"),
            VerdictKind::Inconclusive => (Paint::Unsure, "INCONCLUSIVE"),
        };
        format!("{}  {}\n", style.paint(paint, word), self.model)
    }

    pub fn to_text(&self, style: &Style) -> String {
        let mut out = self.verdict_line(style);
        out += &self.reasons(style);
        out.push('\n');
        out += &self.numbers(style);
        out += &self.unreached_text(style);
        let with_trace = self.errors.iter().find(|error| error.trace.is_some());
        if let Some(error) = with_trace {
            out.push('\n');
            out += &self.trace_of(error, style);
        }
        out
    }

    /// Why the verdict is what it is.
    fn reasons(&self, style: &Style) -> String {
        match self.verdict {
            VerdictKind::Verified => {
                let states = human::plural(self.statistics.stored, "reachable state");
                format!("  nothing wrong in any of the {states}\n")
            }
            VerdictKind::Violated => self.errors_text(style),
            VerdictKind::Inconclusive => {
                let mut out = "  nothing wrong was found, but not everything was looked at:\n".to_string();
                for limit in &self.limits {
                    out += &hanging("  - ", &self.limit_text(limit), style.width);
                }
                out
            }
        }
    }

    fn limit_text(&self, limit: &str) -> String {
        let share = format!("about {:.1}% of what it met was explored", self.coverage.estimate * 100.0);
        match limit {
            UNCHECKED_PROPERTIES => format!(
                "not checked: {}; this version cannot check temporal properties (--property safety leaves them out)",
                self.unchecked.join(", ")
            ),
            "depth" => format!("some paths are longer than --depth allows; {share}"),
            "memory" => format!("the search needs more than --memory allows; {share}"),
            "time" => format!("the search takes longer than --time allows; {share}"),
            "interrupted" => format!("it was interrupted; {share}"),
            other => other.to_string(),
        }
    }

    fn errors_text(&self, style: &Style) -> String {
        let mut out = String::new();
        for error in self.errors.iter().take(ERRORS_SHOWN) {
            out += &error_text(error, self.errors.len() > 1, style);
        }
        let more = self.errors.len().saturating_sub(ERRORS_SHOWN);
        if more > 0 {
            out += &format!(
                "  … and {} (--format json lists them all)\n",
                human::plural(more as u64, "more error")
            );
        }
        if !self.unchecked.is_empty() {
            out += &hanging("  ", &self.limit_text(UNCHECKED_PROPERTIES), style.width);
        }
        out
    }

    fn numbers(&self, style: &Style) -> String {
        let statistics = &self.statistics;
        let how = match self.search {
            "dfs" => "depth first",
            "bfs" => "breadth first",
            other => other,
        };
        let end = match (self.searched_all, self.verdict, &self.limits[..]) {
            (true, ..) => "to the end".to_string(),
            (false, VerdictKind::Violated, []) => "up to the first error (--all-errors goes on)".to_string(),
            (false, _, limits) => format!("up to a limit: {}", limits.join(", ")),
        };
        let states = format!(
            "{} stored, {} matched, {} transitions, depth {}",
            human::count(statistics.stored),
            human::count(statistics.matched),
            human::count(statistics.transitions),
            human::count(statistics.max_depth),
        );
        let memory = format!(
            "{}; {:.1} bytes a state, vectors of up to {} bytes",
            self.peak_memory_bytes.map_or_else(|| "unknown".to_string(), human::bytes),
            statistics.bytes_per_state,
            statistics.vector_bytes,
        );
        let compiling = match self.engine {
            "jit" => format!(" {} to compile it,", human::seconds(self.seconds.compile)),
            _ => String::new(),
        };
        let mut time = format!(
            "{} to read the model,{compiling} {} to search it",
            human::seconds(self.seconds.front_end),
            human::seconds(self.seconds.search),
        );
        if self.seconds.search > 0.1 {
            let rate = statistics.stored as f64 / self.seconds.search;
            time += &format!(" ({} states a second)", human::count(rate as u64));
        }
        let rows = [
            ("checked", self.checked.join(", ")),
            ("search", format!("{how}, every state stored exactly, {end}")),
            ("states", states),
            ("memory", memory),
            ("time", time),
        ];
        rows.iter().map(|(name, value)| hanging(&format!("  {name:<9}"), value, style.width)).collect()
    }

    /// Only after a complete search: before its end, much is unreached that will be reached.
    fn unreached_text(&self, style: &Style) -> String {
        if !self.searched_all || self.unreached.is_empty() {
            return String::new();
        }
        let count = human::plural(self.unreached.len() as u64, "statement");
        let mut out =
            format!("\n{}\n", style.heading(&format!("Unreached: {count} that no execution gets to")));
        for process in self.unreached.chunk_by(|left, right| left.process == right.process) {
            out += &format!("  {}\n", process[0].process);
            for statement in process.iter().take(UNREACHED_SHOWN) {
                let place = format!("    {}:{}  ", statement.position.file, statement.position.line);
                let room = style.width.saturating_sub(place.chars().count()).max(20);
                out += &format!(
                    "{}{}\n",
                    style.paint(Paint::Faint, &place),
                    cut(&one_line(&statement.text), room)
                );
            }
            if process.len() > UNREACHED_SHOWN {
                out += &format!("    … and {} more\n", process.len() - UNREACHED_SHOWN);
            }
        }
        out
    }

    fn trace_of(&self, error: &ErrorReport, style: &Style) -> String {
        let Some(trace) = &error.trace else { return String::new() };
        let mut out = trace_text(trace, style);
        out += &format!("\n{}", style.paint(Paint::Bad, &error_text(error, false, style)));
        if let Some(file) = &error.trace_file {
            out += &format!("  saved in {file}: see it again with `panoptes explain {file}`\n");
        }
        out
    }
}

/// `deadlock after 8 steps: no process can move`; in a list with more to tell it from the others.
fn error_text(error: &ErrorReport, in_list: bool, style: &Style) -> String {
    let after = match error.length {
        0 => "in the initial state".to_string(),
        length => format!("after {}", human::plural(length as u64, "step")),
    };
    let (what, why) = match error.kind {
        "deadlock" if !in_list => ("deadlock", "no process can move"),
        "assertion" => ("assertion violated", error.message.trim_start_matches("assertion violated: ")),
        "trace" => ("trace assertion violated", error.message.as_str()),
        "runtime" => ("run-time error", error.message.as_str()),
        kind => (kind, error.message.as_str()),
    };
    let mut text = format!("{what} {after}: {why}");
    if let Some(location) = error.location.as_ref().filter(|_| error.kind != "deadlock") {
        text += &format!(", at {location}");
    }
    if error.count > 1 {
        text += &format!(" (met {} times)", human::count(error.count));
    }
    if let Some(file) = error.trace_file.as_ref().filter(|_| in_list) {
        text += &format!(" [{file}]");
    }
    hanging(if in_list { "  - " } else { "  " }, &text, style.width)
}
