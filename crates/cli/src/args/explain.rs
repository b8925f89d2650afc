//! The options of `panoptes explain`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Show a saved trace
///
/// The model is not needed (but for `--to-end`): a trace has all that is shown. To walk it on the model again, see `panoptes simulate --trace`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A trace that `check` or `simulate` saved; `-` reads standard input
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// Which trace, if the file has several: the number of its error
    #[arg(long, value_name = "N", value_parser = super::values::number, allow_negative_numbers = true)]
    pub error: Option<u64>,

    /// A table of processes or of queues, JSON, or a sequence diagram
    #[arg(long, value_enum, default_value_t = TraceFormat::Text)]
    pub format: TraceFormat,

    /// With `--format queues`: a column for every queue, also for those that nothing happens to
    #[arg(long)]
    pub all_queues: bool,

    /// With `--format queues`: go on after what the trace shows, until nothing more can be done (reads the model)
    #[arg(long)]
    pub to_end: bool,

    /// The model of the trace, if it is no longer where it was
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// It always shows every step; `check` has this option, so it does no harm here.
    #[arg(long, hide = true)]
    pub full_trace: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    Text,
    /// A column for each queue, a line for each message sent
    Queues,
    Json,
    Mermaid,
    #[value(hide = true)]
    Svg,
    #[value(hide = true)]
    Html,
    #[value(hide = true)]
    Spin,
}
