//! An estimate that somebody wrote: the value of an expression over variables, channels and places of processes, or the distance to
//! the failure formula by a table that somebody changed.

use super::danger::Danger;
use super::formula::{self, Formula};
use super::look::Frames;
use super::term::Measure;
use super::{FAR, Heuristic, Unfit};
use crate::Checks;
use panoptes_model::{Estimate, EstimateTable, Expr, Model};

/// The heuristic that an estimate is.
pub(super) fn build<'m>(
    model: &'m Model,
    checks: Checks,
    estimate: &'m Estimate,
    is_consistent: bool,
) -> Box<dyn Heuristic + 'm> {
    match estimate {
        Estimate::Value { value, text } => {
            Box::new(User { model, value, text, is_consistent, frames: Frames::default() })
        }
        Estimate::Table(table) => match formula::has_goals(model, checks) {
            true => Box::new(Formula::by_table(model, checks, table)),
            false => Box::new(Danger::by_table(model, table)),
        },
    }
}

/// Fails for entries of a table that speak of nothing that is looked for.
pub(super) fn check(model: &Model, checks: Checks, table: &EstimateTable) -> Result<(), Unfit> {
    let mut used = Vec::new();
    match formula::has_goals(model, checks) {
        true => {
            let goals = formula::goals(model, checks, Measure::of(table));
            goals.iter().for_each(|goal| goal.note_entries(&mut used));
        }
        false => Danger::by_table(model, table).note_entries(&mut used),
    }
    let unused = (0..table.distances.len()).find(|number| !used.contains(number));
    match unused {
        Some(number) => Err(Unfit {
            why: format!(
                "{}: `{}` is about no part of the formula that is looked for: `--explain-heuristic` with `--heuristic formula` shows it",
                table.distances[number].location, table.distances[number].text
            ),
        }),
        None => Ok(()),
    }
}

struct User<'m> {
    model: &'m Model,
    value: &'m Expr,
    text: &'m str,
    /// Somebody says so.
    is_consistent: bool,
    frames: Frames,
}

impl Heuristic for User<'_> {
    /// Less than nothing is nothing; an expression without a value tells nothing.
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let value = look.eval(0, self.value).unwrap_or(0);
        u32::try_from(value).unwrap_or(0).min(FAR)
    }

    fn is_consistent(&self) -> bool {
        self.is_consistent
    }

    fn explain(&self) -> Vec<String> {
        vec![format!("the value of `{}`", self.text.split_whitespace().collect::<Vec<_>>().join(" "))]
    }
}
