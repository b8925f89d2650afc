//! The report of a check that a limit ended before there was anything to search.

use crate::wrap::hanging;
use crate::{Report, Seconds, Style, WhyIncomplete, human};
use panoptes_check::{CheckSettings, Language, Loaded, Verdict};
use panoptes_model::Model;
use panoptes_search::Limit;
use panoptes_source::SourceMap;

/// What was not done when a limit was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The text was not read to its end.
    Read,
    /// It was read, but not made ready for a search.
    Prepared,
}

impl Before {
    fn doing(self) -> &'static str {
        match self {
            Before::Read => "reading the model",
            Before::Prepared => "preparing the model for the search",
        }
    }
}

impl Report {
    /// Nothing was searched: `limit` was met before.
    pub fn unsearched(
        name: &str,
        language: Language,
        settings: &CheckSettings,
        limit: Limit,
        before: Before,
        seconds: Seconds,
    ) -> Report {
        // There is no model to tell about, or none that was looked at.
        let (model, sources) = (Model::default(), SourceMap::default());
        let loaded = Loaded { model, sources, warnings: Vec::new(), language, meaning: None };
        let verdict = Verdict::unsearched(settings, limit);
        let report = Report::new(name, &loaded, settings, &verdict, seconds);
        Report { unsearched: Some(before), ..report }
    }

    /// Everything there is to tell below the verdict.
    pub(crate) fn unsearched_text(&self, before: Before, style: &Style) -> String {
        let doing = before.doing();
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
}
