//! The options of `panoptes explain`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Show a saved trace
///
/// On a terminal it is a message sequence chart, else a table. A trace has all that is shown; the model is read for its text beside the
/// chart of a page, and to find the last step at which the error could be avoided. To walk a trace on the model again, see
/// `panoptes simulate --trace`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A trace that `check` or `simulate` saved, or a trail of SPIN; `-` reads standard input
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// Which trace, if the file has several: the number of its error
    #[arg(long, value_name = "N", value_parser = super::values::number, allow_negative_numbers = true)]
    pub error: Option<u64>,

    /// What to make of it
    #[arg(long, value_enum, default_value_t = TraceFormat::Text)]
    pub format: TraceFormat,

    /// The message sequence chart, also where there is no terminal
    #[arg(long, conflicts_with = "table")]
    pub chart: bool,

    /// A table with a column for each process instead of the chart
    #[arg(long)]
    pub table: bool,

    /// Every step in the chart, not only those with messages
    #[arg(long)]
    pub steps: bool,

    /// Only what this process takes part in: its name, as `Sender` or `Sender[0]`, or its number
    #[arg(long, value_name = "NAME")]
    pub process: Vec<String>,

    /// The first step to show
    #[arg(long, value_name = "N", value_parser = super::values::number, allow_negative_numbers = true)]
    pub from: Option<u64>,

    /// The last step to show
    #[arg(long, value_name = "M", value_parser = super::values::number, allow_negative_numbers = true)]
    pub to: Option<u64>,

    /// Show the whole state after step N (0: at the start) instead of the steps
    #[arg(long, value_name = "N", value_parser = super::values::number, allow_negative_numbers = true)]
    pub at: Option<u64>,

    /// With `--format queues`: a column for every queue, also for those that nothing happens to
    #[arg(long)]
    pub all_queues: bool,

    /// With `--format queues`: go on after what the trace shows, until nothing more can be done (reads the model)
    #[arg(long)]
    pub to_end: bool,

    /// The model of the trace, if it is no longer where it was; of a trail of SPIN, always
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// It always shows every step; `check` has this option, so it does no harm here.
    #[arg(long, hide = true)]
    pub full_trace: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// A chart on a terminal, else a table
    Text,
    /// The saved form
    Json,
    /// A drawn chart
    Svg,
    /// A page: the chart, the text of the model, and the state at each step
    Html,
    /// A sequence diagram for Mermaid
    Mermaid,
    /// A sequence diagram for PlantUML
    Plantuml,
    /// A trail that `spin -t` follows
    Spin,
    /// A column for each queue, a line for each message sent
    Queues,
}
