//! The options of `panoptes ltl`.

use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// Show the automaton of a temporal formula
///
/// Names in the formula need not be declared anywhere: they are its atoms, and so are expressions such as `x > 3`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("what").required(true).args(["formula", "pattern", "automaton", "patterns"]))]
pub struct LtlArgs {
    /// A formula: `[] <> ! X U W V && || -> <->`, or words such as `always` and `until`
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: Option<String>,

    /// A specification pattern in place of a formula, such as 'response(p, q) after(r)': absence, universality,
    /// existence, response or precedence; globally, before, after, between or until
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<String>,

    /// All patterns in all scopes, with the classes of their never claims beside those of the paper that told them first
    #[arg(long)]
    pub patterns: bool,

    /// An automaton in HOA format in place of a formula; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub automaton: Option<PathBuf>,

    /// The automaton of the negation: of the words that violate the formula
    #[arg(long, conflicts_with = "automaton")]
    pub negate: bool,

    /// As a never claim of SPIN, in HOA format, or as a graph for Graphviz [default: never, or hoa if generalised]
    #[arg(long, value_enum)]
    pub format: Option<AutomatonFormat>,

    /// Which runs are accepting is said by states (buchi) or by several marks on transitions (generalised)
    #[arg(long, value_enum, default_value_t = Acceptance::Buchi)]
    pub acceptance: Acceptance,

    /// The classes of the automaton's components in place of the automaton: N (no accepting cycle), F (every cycle is
    /// accepting), P (some cycles are), S (whatever comes is accepted)
    #[arg(long, conflicts_with = "format")]
    pub classes: bool,
}

const EXAMPLES: &str = "\
Examples:
  panoptes ltl '[](request -> <> answer)' --negate          a never claim
  panoptes ltl 'p U (x > 3)' --format dot | dot -Tsvg       a drawing
  panoptes ltl --pattern 'absence(p) before(r)' --classes   what a search has to look for";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    Never,
    Hoa,
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Acceptance {
    Buchi,
    Generalised,
}
