//! A bit-state search made several times, each time with other hash functions.
//!
//! What one search omits by chance another one is likely to see (Holzmann, *On Limits and Possibilities of Automated
//! Protocol Analysis*, 1987). No store holds the states of all passes; how many of them a pass was the first to see is known of
//! a sample. The sample tells more: a pass misses of what another one stored about as much as of all there is, so with two
//! passes or more the share that each stored is measured (capture and recapture), not reckoned.

use panoptes_search::{Limit, Outcome, SearchOptions};
use panoptes_store::{Sample, StoreAccount};
use std::time::{Duration, Instant};

/// What one pass did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    pub stored: u64,
    /// About how many of those no earlier pass had stored.
    pub added: u64,
    /// Distinct errors that no earlier pass had found.
    pub errors_added: usize,
    /// The share of the states that this pass stored: an estimate.
    pub coverage: f64,
}

/// Runs `search` so many times, until it finds an error if one is enough. The outcome has the numbers of the pass that stored
/// most, the errors of all, and the coverage of all together; the passes are listed if there may be several.
pub(crate) fn run_passes(
    options: &SearchOptions,
    count: u32,
    mut search: impl FnMut(&SearchOptions) -> Outcome,
) -> (Outcome, Vec<Pass>) {
    if count <= 1 {
        return (search(options), Vec::new());
    }
    let start = Instant::now();
    let mut passes = Vec::new();
    let mut sum: Option<Outcome> = None;
    let mut seen = Sample::default();
    let mut samples = Vec::new();
    for number in 0..u64::from(count) {
        let mut options = options.clone();
        options.store.seed = options.store.seed.wrapping_add(number);
        options.time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        if number > 0 && options.time == Some(Duration::ZERO) {
            break;
        }
        let outcome = search(&options);
        let StoreAccount::Bitstate(account) = &outcome.store else {
            unreachable!("passes are of a bit-state search")
        };
        let added =
            if number == 0 { outcome.statistics.stored as f64 } else { seen.added_by(&account.sample) };
        seen.absorb(&account.sample);
        samples.push(account.sample.clone());
        let (stored, coverage) = (outcome.statistics.stored, account.coverage);
        let is_over = is_over(&outcome, options.all_errors);
        let (merged, errors_added) = match sum.take() {
            None => (outcome.clone(), outcome.errors.len()),
            Some(before) => merge(before, outcome),
        };
        sum = Some(merged);
        passes.push(Pass { stored, added: added as u64, errors_added, coverage });
        if is_over {
            break;
        }
    }
    let mut sum = sum.expect("at least one pass");
    for (index, pass) in passes.iter_mut().enumerate() {
        // The pass before it, or for the first one the pass after it.
        let other = if index == 0 { 1 } else { index - 1 };
        let measured = samples.get(other).and_then(|other| samples[index].share_of(other));
        pass.coverage = measured.unwrap_or(pass.coverage);
    }
    if let StoreAccount::Bitstate(account) = &mut sum.store {
        // What one pass misses another misses no more often than anything else.
        account.coverage = 1.0 - passes.iter().map(|pass| 1.0 - pass.coverage).product::<f64>();
    }
    (sum, passes)
}

/// Is there no reason for another pass?
fn is_over(outcome: &Outcome, all_errors: bool) -> bool {
    let is_stopped =
        |limit: &Limit| matches!(limit, Limit::Memory | Limit::Time | Limit::States | Limit::Stopped);
    outcome.limits.iter().any(is_stopped) || (!outcome.errors.is_empty() && !all_errors)
}

/// Both together, and how many errors the later one adds.
fn merge(before: Outcome, later: Outcome) -> (Outcome, usize) {
    let (mut sum, other) = if later.statistics.stored > before.statistics.stored {
        (
            Outcome { errors: before.errors, ..later.clone() },
            (before.executed, before.error_counts, before.limits),
        )
    } else {
        (before, (later.executed.clone(), later.error_counts.clone(), later.limits.clone()))
    };
    let (executed, error_counts, limits) = other;
    sum.executed.union(&executed);
    for (kind, count) in error_counts {
        *sum.error_counts.entry(kind).or_default() += count;
    }
    for limit in limits {
        if !sum.limits.contains(&limit) {
            sum.limits.push(limit);
        }
    }
    let mut added = 0;
    for error in later.errors {
        let known = sum.errors.iter_mut().find(|known| {
            known.kind == error.kind && known.fault == error.fault && known.standing == error.standing
        });
        match known {
            Some(known) => {
                let count = known.count + error.count;
                if error.length < known.length {
                    *known = error;
                }
                known.count = count;
            }
            None => {
                added += 1;
                sum.errors.push(error);
            }
        }
    }
    (sum, added)
}
