//! The command line, as clap reads it.

mod check;
mod explain;
mod explore;
mod habits;
mod help;
mod heuristic;
mod ltl;
mod resume;
mod scope;
mod short_help;
mod show;
mod simulate;
mod store;
mod values;
mod warnings;

pub use check::CheckArgs;
pub use explain::{ExplainArgs, TraceFormat};
pub use explore::ExploreArgs;
pub use habits::{directive_of_pan, meant};
pub use ltl::{Acceptance, AutomatonFormat, LtlArgs};
pub use resume::{CheckpointArg, ResumeArgs};
pub use show::{ShowArgs, ShowFormat};
pub use simulate::SimulateArgs;
pub use warnings::WarningArgs;

use crate::output::Color;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use panoptes_check::{EndStates, Timeouts};
use std::path::PathBuf;

/// A model checker for protocols: it looks at every state that a model of concurrent processes can reach, and when
/// something can go wrong it shows you how.
#[derive(Debug, Parser)]
#[command(name = "panoptes", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, help_heading = "Output")]
    pub color: Color,
}

impl Cli {
    /// Reads the command line.
    pub fn read() -> Result<Cli, clap::Error> {
        let matches = short_help::with_short_help(Cli::command()).try_get_matches()?;
        Cli::from_arg_matches(&matches)
    }

    /// Reads a command line that was given before; the first word is the name of the program.
    pub fn read_from<'w>(words: impl Iterator<Item = &'w str>) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(words)
    }
}

const EXAMPLES: &str = "\
Examples:
  panoptes check abp.pml              is there a deadlock or a failing assertion?
  panoptes explain abp.trace.json     how does it come to that?
  panoptes simulate abp.pml           watch the model run
  panoptes explore abp.pml            walk through its states on a web page
  panoptes show abp.pml               what the model is compiled to
  panoptes ltl '[](p -> <> q)'        the automaton of a formula

Exit status: 0 success (checked completely, no violation), 1 violation found,
2 the model or the command line is wrong, 3 no violation but the search was partial.";

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Resume(ResumeArgs),
    Simulate(SimulateArgs),
    Explain(ExplainArgs),
    Explore(ExploreArgs),
    Show(ShowArgs),
    Ltl(LtlArgs),
}

/// Which model, and how its text is read.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The model file; `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Define a macro, as for a C preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define, help_heading = "Model")]
    pub defines: Vec<(String, Option<String>)>,

    /// Look for included files in DIR, too
    #[arg(short = 'I', value_name = "DIR", help_heading = "Model")]
    pub include_dirs: Vec<PathBuf>,

    /// The language of the model, where the file name does not tell: promela, argos
    #[arg(long, value_name = "LANGUAGE", help_heading = "Model")]
    pub language: Option<String>,

    /// When a timeout can happen: free (whenever the channel it names is empty) or lock-only (when, besides, nothing
    /// else can be done); in Promela it is always lock-only [default: free]
    #[arg(long, value_name = "WHEN", value_parser = values::either::<Timeouts>, help_heading = "Model")]
    pub timeouts: Option<Timeouts>,

    /// Where Argos processes may stand when nothing can move: rest (at their end, or back at their initial state) or
    /// strict (at their end) [default: rest]
    #[arg(long, value_name = "WHERE", value_parser = values::either::<EndStates>, help_heading = "Model")]
    pub end_states: Option<EndStates>,

    #[command(flatten)]
    pub warnings: WarningArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}
