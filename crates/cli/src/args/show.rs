//! The options of `panoptes show`.

use super::ModelArgs;
use clap::{Args, ValueEnum};

/// Show the machines that a model is compiled to
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// As text, as JSON, or as a graph for Graphviz
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,

    /// The machines before and after minimisation, their sizes, and which control states are equivalent
    #[arg(long)]
    pub minimised: bool,

    /// The states of the whole system in place of the machines, every step an edge; with `--format dot`
    #[arg(long, conflicts_with = "minimised")]
    pub states: bool,

    /// How many states are drawn at most
    #[arg(long, value_name = "N", default_value_t = 300, requires = "states", value_parser = super::values::number, allow_negative_numbers = true)]
    pub states_max: u64,
}

const EXAMPLES: &str = "\
Examples:
  panoptes show abp.pml                                 states, rules and layout
  panoptes show abp.pml --format dot | dot -Tsvg        a drawing
  panoptes show abp.pml --format dot --states           the state space, if it is small";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    Text,
    Dot,
    Json,
}
