//! The options of `panoptes simulate`.

use super::{Format, ModelArgs, values};
use clap::Args;
use std::path::PathBuf;

/// Run a model: at random, by hand, or along a saved trace
///
/// A run ends where no process can move, at an error, or after `--steps`. The exit status is 1 if it met an error or a
/// deadlock, else 0.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Choose at random among the steps that can be taken (the default)
    #[arg(long, conflicts_with_all = ["interactive", "trace"])]
    pub random: bool,

    /// Choose the steps yourself
    #[arg(short, long, conflicts_with = "trace")]
    pub interactive: bool,

    /// Follow a saved trace
    #[arg(short, long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Which trace, if the file has several: the number of its error
    #[arg(long, value_name = "N", requires = "trace", value_parser = super::values::number, allow_negative_numbers = true)]
    pub error: Option<u64>,

    /// The seed of random choices: the same seed gives the same run [default: a new one each time]
    #[arg(long, value_name = "N", value_parser = values::number, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Stop a random run after N steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = values::number, allow_negative_numbers = true)]
    pub steps: u64,

    /// Messages sent to a full channel are lost instead of blocking the sender
    #[arg(long)]
    pub lossy: bool,

    /// How to print the run; json prints it as a trace
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    /// Save the run as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,

    /// Print only what the model prints
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  panoptes simulate abp.pml --seed 7                    a random run that can be repeated
  panoptes simulate abp.pml --interactive               choose every step
  panoptes simulate abp.pml --trace abp.trace.json      see a counterexample happen";
