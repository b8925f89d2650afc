//! The options of `panoptes explore`.

use super::{ModelArgs, values};
use clap::Args;
use std::time::Duration;

/// Walk through the states of a model on a web page
///
/// The page is served to this machine alone, at an address that is printed and that nobody else can guess. MODEL can also
/// be a saved trace: then the page begins with it. The program answers until it is stopped with Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Which trace, if MODEL is a file with several: the number of its error
    #[arg(long, value_name = "N", value_parser = values::number, allow_negative_numbers = true)]
    pub error: Option<u64>,

    /// Messages sent to a full channel are lost instead of blocking the sender
    #[arg(long)]
    pub lossy: bool,

    /// The port to listen on [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// A search that the page starts may take so much memory
    #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "1G", allow_negative_numbers = true, help_heading = "Limits")]
    pub memory: u64,

    /// A search that the page starts may take so long
    #[arg(long, value_name = "DURATION", value_parser = values::duration, default_value = "5m", allow_negative_numbers = true, help_heading = "Limits")]
    pub time: Duration,
}

const EXAMPLES: &str = "\
Examples:
  panoptes explore abp.pml                  choose steps, see what they do
  panoptes explore abp.trace.json           look at a counterexample step by step
  panoptes explore abp.pml --port 8765      always at the same port";
