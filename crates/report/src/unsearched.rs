//! The report of a check that a limit ended before there was anything to search.

use crate::wrap::hanging;
use crate::{Style, View, human};
use panoptes_check::{Before, WhyIncomplete};
use panoptes_search::Limit;

/// What was being done when the limit was met.
fn doing(before: Before) -> &'static str {
    match before {
        Before::Read => "reading the model",
        Before::Prepared => "preparing the model for the search",
        Before::Gathered => "putting together what was found",
    }
}

impl View<'_> {
    /// Everything there is to tell below the verdict.
    pub(crate) fn unsearched_text(&self, before: Before, style: &Style) -> String {
        if before == Before::Gathered {
            return self.lost_text(style);
        }
        let doing = doing(before);
        let why = |limit: &WhyIncomplete| match *limit {
            WhyIncomplete::Limit(Limit::Memory) => format!("{doing} needs more than --memory allows"),
            WhyIncomplete::Limit(Limit::Time) => format!("{doing} takes longer than --time allows"),
            _ => format!("it was interrupted while {doing}"),
        };
        let why: Vec<String> = self.limits.iter().map(why).collect();
        let mut out = hanging("  ", &format!("nothing was searched: {}", why.join("; ")), style.width);
        let memory = self.peak_memory_bytes.map_or_else(|| "unknown".to_string(), human::bytes);
        out += &format!("\n  memory   {memory}\n  time     {}\n", human::seconds(self.seconds.front_end));
        out + "\n  docs/limits.md tells what models are too large\n"
    }

    /// One of several processes is gone, and what it knew with it.
    fn lost_text(&self, style: &Style) -> String {
        let text = "nothing is known: a process of the cluster was lost, with the states that it owned";
        let time = human::seconds(self.seconds.search);
        hanging("  ", text, style.width) + &format!("\n  time     {time}\n\n  docs/cluster.md tells more\n")
    }
}
