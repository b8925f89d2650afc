//! Compares the two answers about one model.

use super::oracle::Oracle;
use super::subject::Subject;
use std::collections::BTreeSet;

/// A disagreement.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// SPIN rejects what Panoptes accepts.
    OnlySpinRejects(String),
    /// Panoptes rejects what SPIN accepts.
    OnlyPanoptesRejects(String),
    /// The kinds of errors differ: those only SPIN found, those only Panoptes found.
    Kinds { spin: BTreeSet<String>, panoptes: BTreeSet<String>, words: String },
    /// The numbers differ: stored states and transitions, of SPIN and of Panoptes.
    Counts { spin: (u64, u64), panoptes: (u64, u64) },
    /// Panoptes gave no answer at all.
    Broken(String),
}

impl Difference {
    /// Whether two differences are of one kind, so that shrinking may go from one to the other.
    pub fn same_kind(&self, other: &Difference) -> bool {
        use Difference::*;
        match (self, other) {
            (Kinds { spin: a, panoptes: b, .. }, Kinds { spin: c, panoptes: d, .. }) => a == c && b == d,
            (Counts { spin: a, panoptes: b }, Counts { spin: c, panoptes: d }) => {
                (a.0 == b.0) == (c.0 == d.0)
            }
            (OnlyPanoptesRejects(a), OnlyPanoptesRejects(b)) => without_place(a) == without_place(b),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Whether this difference could still be there when Panoptes says `subject`.
    pub fn possible(&self, subject: &Subject) -> bool {
        match (self, subject) {
            (Difference::OnlyPanoptesRejects(a), Subject::Rejected(b)) => {
                without_place(a) == without_place(b)
            }
            (Difference::OnlyPanoptesRejects(_), _) => false,
            (Difference::Broken(_), Subject::Broken(_)) => true,
            (Difference::Broken(_), _) => false,
            (_, Subject::Answer(_)) => true,
            _ => false,
        }
    }
}

/// A diagnostic's words without file, line, numbers and quoted names, to tell the same from another.
fn without_place(words: &str) -> String {
    let mut quoted = false;
    let kept = words.rsplit(": ").next().unwrap_or(words).chars().filter(|c| {
        quoted ^= "`'\"".contains(*c);
        !quoted && !c.is_ascii_digit()
    });
    kept.collect()
}

/// What differs between the two answers, if anything.
pub fn compare(oracle: &Oracle, subject: &Subject) -> Option<Difference> {
    match (oracle, subject) {
        (Oracle::None(..), _) | (_, Subject::Partial) => None,
        (_, Subject::Broken(words)) => Some(Difference::Broken(words.clone())),
        (Oracle::Rejected(_), Subject::Rejected(_)) => None,
        // SPIN refuses a constant that does not fit the variable it initialises; cutting it is as good.
        (Oracle::Rejected(words), Subject::Answer(_)) if words.contains("truncated in assignment") => None,
        (Oracle::Rejected(words), Subject::Answer(_)) => Some(Difference::OnlySpinRejects(words.clone())),
        (Oracle::Answer(_), Subject::Rejected(words)) => Some(Difference::OnlyPanoptesRejects(words.clone())),
        (Oracle::Answer(a), Subject::Answer(b)) => {
            if a.kinds != b.kinds {
                return Some(Difference::Kinds {
                    spin: a.kinds.difference(&b.kinds).cloned().collect(),
                    panoptes: b.kinds.difference(&a.kinds).cloned().collect(),
                    words: format!("SPIN: {:?}; Panoptes: {:?}", a.messages, b.messages),
                });
            }
            let (spin, panoptes) = ((a.states, a.transitions), (b.states, b.transitions));
            (a.countable() && spin != panoptes).then_some(Difference::Counts { spin, panoptes })
        }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Difference::OnlySpinRejects(words) => write!(f, "acceptance: only SPIN rejects it: {words}"),
            Difference::OnlyPanoptesRejects(words) => {
                write!(f, "acceptance: only Panoptes rejects it: {words}")
            }
            Difference::Kinds { spin, panoptes, words } => {
                write!(f, "verdict: only SPIN found {spin:?}, only Panoptes found {panoptes:?} ({words})")
            }
            Difference::Counts { spin, panoptes } => write!(
                f,
                "counts: SPIN {} states, {} transitions; Panoptes {} states, {} transitions",
                spin.0, spin.1, panoptes.0, panoptes.1
            ),
            Difference::Broken(words) => write!(f, "no answer from Panoptes: {words}"),
        }
    }
}
