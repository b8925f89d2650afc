//! How far a state is from what is looked for, as somebody wrote it down for directed searches. It changes no verdict.

use crate::Expr;

#[derive(Clone, Debug)]
pub enum Estimate {
    /// The value of an expression over global places and what can be told of processes from outside.
    Value { value: Expr, text: String },
    /// The distance to the failure formula, by a table that was changed.
    Table(EstimateTable),
}

/// What differs from the usual table of distances.
#[derive(Clone, Debug, Default)]
pub struct EstimateTable {
    /// A conjunction is as far as its farthest part; otherwise as far as all of them together.
    pub is_farthest: bool,
    /// How often a row of the table counts; those that are not named count once.
    pub weights: Vec<(EstimateRow, u32)>,
    /// The distance of certain parts of the formula.
    pub distances: Vec<EstimateEntry>,
}

/// A part of the formula, and the expression that is its distance.
#[derive(Clone, Debug)]
pub struct EstimateEntry {
    pub part: Expr,
    pub distance: Expr,
    /// As it was written, for people.
    pub text: String,
    /// Where: file, line and column.
    pub location: String,
}

/// A row of the table: a kind of formula that has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateRow {
    /// A condition that holds or does not.
    Condition,
    /// A number that moves by one, compared with a constant.
    Counter,
    Full,
    Empty,
    /// A message is the first of its channel.
    Poll,
    /// A process is at a label.
    At,
}

impl EstimateRow {
    pub const ALL: [EstimateRow; 6] = [
        EstimateRow::Condition,
        EstimateRow::Counter,
        EstimateRow::Full,
        EstimateRow::Empty,
        EstimateRow::Poll,
        EstimateRow::At,
    ];

    pub fn name(self) -> &'static str {
        match self {
            EstimateRow::Condition => "condition",
            EstimateRow::Counter => "counter",
            EstimateRow::Full => "full",
            EstimateRow::Empty => "empty",
            EstimateRow::Poll => "poll",
            EstimateRow::At => "at",
        }
    }
}

impl EstimateTable {
    pub fn weight(&self, row: EstimateRow) -> u32 {
        self.weights.iter().find(|(known, _)| *known == row).map_or(1, |(_, weight)| *weight)
    }
}

impl Estimate {
    /// The expressions that it is made of.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Estimate::Value { value, .. } => vec![value],
            Estimate::Table(table) => {
                table.distances.iter().flat_map(|entry| [&entry.part, &entry.distance]).collect()
            }
        }
    }

    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Estimate::Value { value, .. } => vec![value],
            Estimate::Table(table) => {
                table.distances.iter_mut().flat_map(|entry| [&mut entry.part, &mut entry.distance]).collect()
            }
        }
    }
}
