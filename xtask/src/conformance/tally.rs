//! What came out of each row, the summary of all, and the table for analysis.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    Exact,
    Shortest,
    Reduced,
    Temporal,
    Accepted,
    Rejected,
    EitherWay,
    Machines,
    Papers,
}

/// All that was compared for one model.
pub struct Outcome {
    pub path: String,
    pub comparisons: Vec<Comparison>,
    /// What was not compared, and why.
    pub skipped: Vec<String>,
}

/// One run compared with SPIN.
pub struct Comparison {
    pub check: Check,
    pub differences: Vec<String>,
    pub seconds: f64,
    pub states: Option<u64>,
    /// What SPIN stored with its reductions, where that is compared.
    pub spin_states: Option<u64>,
}

#[derive(Default)]
pub struct Tally {
    rows: Score,
    checks: BTreeMap<Check, Score>,
    /// Reduced searches with no more states than SPIN's; those with fewer.
    not_more: Score,
    fewer: usize,
    skipped: BTreeMap<String, usize>,
}

#[derive(Default, Clone, Copy)]
struct Score {
    agree: usize,
    total: usize,
}

impl Check {
    pub fn name(self) -> &'static str {
        match self {
            Check::Exact => "exact",
            Check::Shortest => "shortest",
            Check::Reduced => "reduced",
            Check::Temporal => "temporal",
            Check::Accepted => "accepted",
            Check::Rejected => "rejected",
            Check::EitherWay => "either way",
            Check::Machines => "machines",
            Check::Papers => "papers",
        }
    }
}

impl Comparison {
    fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

impl Tally {
    pub fn of(outcomes: &[Outcome]) -> Tally {
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.rows.add(outcome.comparisons.iter().all(Comparison::agrees));
            for comparison in &outcome.comparisons {
                tally.checks.entry(comparison.check).or_default().add(comparison.agrees());
                if let (Some(states), Some(spin)) = (comparison.states, comparison.spin_states) {
                    tally.not_more.add(states <= spin);
                    tally.fewer += usize::from(states < spin);
                }
            }
            for reason in &outcome.skipped {
                *tally.skipped.entry(reason.clone()).or_default() += 1;
            }
        }
        tally
    }

    pub fn all_agree(&self) -> bool {
        self.rows.agree == self.rows.total
    }
}

impl Score {
    fn add(&mut self, agrees: bool) {
        self.agree += usize::from(agrees);
        self.total += 1;
    }
}

impl Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {}", self.agree, self.total)
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let checks: Vec<String> =
            self.checks.iter().map(|(check, score)| format!("{} {score}", check.name())).collect();
        write!(f, "conformance: {} agree ({}; ", self.rows, checks.join(", "))?;
        let reasons: Vec<String> =
            self.skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        match self.skipped.values().sum::<usize>() {
            0 => write!(f, "0 skipped)")?,
            count => write!(f, "{count} skipped: {})", reasons.join(", "))?,
        }
        if self.not_more.total > 0 {
            write!(f, "\nreduced: no more states than SPIN in {}, fewer in {}", self.not_more, self.fewer)?;
        }
        Ok(())
    }
}

/// One line a comparison, tab-separated, in the order of `golden.tsv`.
pub fn to_tsv(outcomes: &[Outcome]) -> String {
    let mut text = String::from("path\tcheck\tresult\tstates\tseconds\tdifferences\n");
    for outcome in outcomes {
        for comparison in &outcome.comparisons {
            text += &format!(
                "{}\t{}\t{}\t{}\t{:.3}\t{}\n",
                outcome.path,
                comparison.check.name(),
                if comparison.agrees() { "agrees" } else { "differs" },
                comparison.states.map_or(String::new(), |states| states.to_string()),
                comparison.seconds,
                comparison.differences.join("; ").replace(['\t', '\n'], " "),
            );
        }
        for reason in &outcome.skipped {
            text += &format!("{}\t\tskipped\t\t\t{reason}\n", outcome.path);
        }
    }
    text
}
