//! What a store that forgets or confuses states has to say, in words.

use crate::{View, human};
use panoptes_check::{StoreSpec, WhyIncomplete};
use panoptes_search::Limit;
use panoptes_store::StoreAccount;

impl View<'_> {
    /// How many different states were met.
    pub(crate) fn distinct(&self) -> u64 {
        match &self.account {
            StoreAccount::Cache(account) => account.distinct,
            _ => self.statistics.stored,
        }
    }

    /// Is that number an estimate?
    pub(crate) fn is_estimate(&self) -> bool {
        matches!(&self.account, StoreAccount::Cache(account) if account.is_estimate)
    }

    /// Did something other than the store keep the search from its end? Then nobody knows how many states there are.
    fn is_cut(&self) -> bool {
        let is_of_store = |why: &WhyIncomplete| match why {
            WhyIncomplete::Limit(limit) => matches!(limit, Limit::Bitstate | Limit::HashCompact),
            WhyIncomplete::UncheckedProperties => true,
        };
        self.stopped_at_error || !self.limits.iter().all(is_of_store)
    }

    /// How states are stored.
    pub(crate) fn store_text(&self) -> String {
        let which = if self.loop_states { "states at loop heads and labels" } else { "every state" };
        match &self.account {
            _ if self.swarm.is_some() => format!("a few bits stored of {which}"),
            StoreAccount::Exact if self.store == StoreSpec::Compressed => {
                format!("{which} stored, compressed")
            }
            StoreAccount::Exact => format!("{which} stored exactly"),
            StoreAccount::Disk(_) => format!("{which} stored exactly, on disk"),
            StoreAccount::Cache(account) => format!(
                "{} kept at a time beside the path ({})",
                human::plural(account.capacity as u64, "state"),
                account.replacement.name()
            ),
            StoreAccount::HashCompact(_) => format!("a fingerprint of 64 bits stored of {which}"),
            StoreAccount::Direct(account) => format!(
                "a bit of its own in an array of {} for {which}, so none is taken for another",
                human::bytes(account.bits.div_ceil(8)),
            ),
            StoreAccount::Bitstate(account) => format!(
                "{} in an array of {} stored of {which}",
                human::plural(u64::from(account.hashes), "bit"),
                human::bytes(account.bits / 8),
            ),
        }
    }

    /// Why an answer is not certain although the search went to its end.
    pub(crate) fn confusion_text(&self) -> String {
        match &self.account {
            _ if self.swarm.is_some() => {
                "a swarm looks at samples of the states, which it tells apart by bits in an array".to_string()
            }
            StoreAccount::HashCompact(account) => format!(
                "states are told apart by fingerprints of 64 bits; that two of these {} had the same has probability {}",
                human::plural(self.statistics.stored, "state"),
                probability(account.collision_probability),
            ),
            StoreAccount::Bitstate(account) if self.is_cut() => format!(
                "states are told apart by bits in an array, so some are taken for others; of the new ones met, about {} \
                 {}",
                human::count(account.omitted.round() as u64),
                if account.omitted.round() == 1.0 { "was" } else { "were" },
            ),
            _ => format!(
                "states are told apart by bits in an array, so some are taken for others; {} of all that can be \
                 reached were seen",
                about(self.coverage.estimate, self.coverage.is_bound)
            ),
        }
    }

    /// Lines for the table of numbers.
    pub(crate) fn account_rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        match &self.account {
            StoreAccount::Exact | StoreAccount::Direct(_) => {}
            StoreAccount::Disk(account) => rows.push((
                "disk",
                format!(
                    "{} at most; {} written, {} read",
                    human::bytes(account.held_max),
                    human::bytes(account.written),
                    human::bytes(account.read)
                ),
            )),
            StoreAccount::Cache(account) => {
                let text = format!(
                    "{} replaced, {} held at most with the path; double work {} ({}{} different, {} created)",
                    human::plural(account.replaced, "state"),
                    human::count(account.held_max as u64),
                    share(account.double_work()),
                    if account.is_estimate { "about " } else { "" },
                    human::count(account.distinct),
                    human::count(account.created),
                );
                let rule = account.gave_way_at.map_or_else(String::new, |created| {
                    let (first, count) = (account.replacement.name(), human::plural(created, "state"));
                    format!(
                        "; {first} until {count} were created, then largest-class, as too much was done twice"
                    )
                });
                rows.push(("cache", text + &rule));
            }
            StoreAccount::HashCompact(account) => rows.push((
                "coverage",
                format!("probability of any collision {}", probability(account.collision_probability)),
            )),
            StoreAccount::Bitstate(account) => {
                let share = match self.is_cut() {
                    true => "unknown, as the search was cut short".to_string(),
                    false => {
                        format!("{} of the states", about(self.coverage.estimate, self.coverage.is_bound))
                    }
                };
                let text = format!(
                    "{share}; hash factor {:.1}, a new state is omitted with probability {}, about {} were",
                    account.hash_factor,
                    probability(account.omission_probability),
                    human::count(account.omitted.round() as u64),
                );
                rows.push(("coverage", text));
            }
        }
        for (number, pass) in (1..).zip(&self.passes) {
            let added = match number {
                1 => String::new(),
                _ => format!(", about {} of them for the first time", human::count(pass.added)),
            };
            let errors = match pass.errors_added {
                0 => String::new(),
                count => format!(", {} first found", human::plural(count as u64, "error")),
            };
            rows.push((
                "pass",
                format!("{number}: {} stored{added}{errors}", human::plural(pass.stored, "state")),
            ));
        }
        if self.loop_states {
            let (stored, passed) = (self.statistics.stored, self.statistics.passed);
            let more_stored = match self.statistics.more_stored_from {
                0 => String::new(),
                visits => format!(
                    "; after {} other states were stored as well, as too much was done twice",
                    human::plural(visits, "visit")
                ),
            };
            rows.push((
                "saved",
                format!(
                    "{} of {} visits stored no state ({})",
                    human::count(passed),
                    human::count(stored + passed),
                    share(passed as f64 / (stored + passed).max(1) as f64),
                ) + &more_stored,
            ));
        }
        rows
    }
}

/// `about 99.87 %`, or `at most` that if it is a bound; never rounded up to all.
fn about(part: f64, is_bound: bool) -> String {
    match (part >= 0.99995, is_bound) {
        (true, true) => "an unknown share".to_string(),
        (true, false) => "more than 99.99 %".to_string(),
        (false, true) => format!("at most {}", share(part)),
        (false, false) => format!("about {}", share(part)),
    }
}

fn share(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

fn probability(number: f64) -> String {
    if number == 0.0 || number >= 0.001 { format!("{number:.3}") } else { format!("{number:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_probabilities_are_not_rounded_to_certainty() {
        assert_eq!(about(0.99871, false), "about 99.87 %");
        assert_eq!(about(0.999_999_9, false), "more than 99.99 %");
        assert_eq!(about(1.0, false), "more than 99.99 %");
        assert_eq!(about(0.91, true), "at most 91.00 %");
        assert_eq!(about(1.0, true), "an unknown share");
        assert_eq!(share(1.5), "150.00 %");
        assert_eq!(probability(0.0123), "0.012");
        assert_eq!(probability(1.5e-9), "1.5e-9");
    }
}
