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
}

const EXAMPLES: &str = "\
Examples:
  panoptes show abp.pml                                 states, rules and layout
  panoptes show abp.pml --format dot | dot -Tsvg        a drawing";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    Text,
    Dot,
    Json,
}
