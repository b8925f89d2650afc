//! The options of `panoptes check`.

use super::scope::ScopeArgs;
use super::store::{Beside, StoreArgs};
use super::{Format, ModelArgs, values};
use crate::expectation::Expect;
use crate::failure::{not_available, usage};
use clap::Args;
use panoptes_check::{Engine, SearchKind, SwarmSize};
use panoptes_source::did_you_mean;
use std::path::PathBuf;
use std::time::Duration;

/// Search every reachable state for deadlocks, failing assertions and run-time errors
///
/// Every state that the model can reach is looked at. A violation is shown as a trace, a table of the steps that lead
/// to it, which is also saved to a file.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// More models, or directories to look for models in: a line for each, and the worst exit status
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,

    /// Of several models, this one: how the command runs itself for each.
    #[arg(long, value_name = "MODEL", hide = true)]
    pub only: Option<PathBuf>,

    /// Of several models of one name, where the trace of this one is saved.
    #[arg(long, value_name = "FILE", hide = true, requires = "only")]
    pub only_trace: Option<PathBuf>,

    /// Exit with 0 if this is the verdict, else with 1; `model` takes it from the line `expect:` in the first comment
    #[arg(long, value_name = "VERDICT", value_enum)]
    pub expect: Option<Expect>,

    /// What to check: safety, deadlock, assertions [default: everything the model states]
    #[arg(long, value_name = "PROPERTY")]
    pub property: Option<String>,

    /// EXPR holds in every state; may be given several times
    ///
    /// EXPR is a condition in the language of the model: global variables, variables of processes (`P:x`, `P[1]:x`),
    /// where processes stand (`P@label`), channels (`len(q) < 3`, `full(q)`, `q?[message]`), and `a -> b` for "if a then b".
    /// It is looked at in every state in which no process is in the middle of an atomic sequence
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub invariant: Vec<String>,

    /// Follow only executions along the assertion NAME (Argos), to show that the model can perform what it says: exit
    /// status 0 with a trace that does, 1 if there is none
    #[arg(long, value_name = "NAME")]
    pub along: Option<String>,

    /// Go on past errors and list each distinct one
    #[arg(long)]
    pub all_errors: bool,

    /// Messages sent to a full channel are lost instead of blocking the sender
    #[arg(long)]
    pub lossy: bool,

    /// How to search: auto, dfs, bfs, random, scatter, escalate, swarm
    ///
    /// dfs goes depth first, bfs breadth first, random depth first in a random order, scatter to likely errors first (a
    /// part only), escalate is scatter searches, wider and wider, swarm is many bit-state searches in different orders,
    /// on all cores. auto is bfs, or dfs where the store needs it
    #[arg(long, value_name = "STRATEGY", default_value = "auto", help_heading = "Search")]
    pub search: String,

    /// Find a shortest trace to an error (breadth first, without partial order reduction)
    #[arg(long, help_heading = "Search")]
    pub shortest: bool,

    /// How steps are computed: auto (compile the model unless it is small), interp (interpret it), jit (compile it)
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Search")]
    pub engine: String,

    /// One statement is one step: no reduction of any kind, with the counts that SPIN has without any
    #[arg(long, help_heading = "Search")]
    pub exact: bool,

    /// Follow every order of independent steps: no partial order reduction
    #[arg(long, help_heading = "Search")]
    pub no_por: bool,

    /// The model as it is: no merging of steps or of equivalent control states, no resetting of dead variables, no packing of
    /// the state vector
    #[arg(long, help_heading = "Search")]
    pub no_optimise: bool,

    #[command(flatten)]
    pub scope: ScopeArgs,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Look at no path longer than N steps; auto is ten times the number of control states
    #[arg(long, value_name = "N", value_parser = values::depth, allow_negative_numbers = true, help_heading = "Limits")]
    pub depth: Option<values::Depth>,

    /// Stop when the program takes more memory: 512M, 2G, 1GiB; a plain number is bytes
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_negative_numbers = true, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// Stop after this time: 500ms, 10s, 2m, 1h; a plain number is seconds
    #[arg(long, value_name = "DURATION", value_parser = values::duration, allow_negative_numbers = true, help_heading = "Limits")]
    pub time: Option<Duration>,

    /// How many threads search (more than one: only a swarm) [default: 1; all cores for a swarm]
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, help_heading = "Limits")]
    pub threads: Option<u32>,

    /// The seed of random choices: a random order of steps, which bits stand for a state in a bit-state search
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::number, allow_negative_numbers = true, help_heading = "Limits")]
    pub seed: u64,

    /// Also tell how often states were met again, by number of visits and by depth (takes some bytes a state)
    #[arg(long, help_heading = "Output")]
    pub profile: bool,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    /// Where to save the trace [default: MODEL.trace.json in the current directory]
    ///
    /// `-` is standard output: the answer then goes to standard error. The traces of `--all-errors` are in one file, which
    /// `panoptes explain FILE --error N` reads; a directory, or `%n` in the name for the number of the error, gives each a
    /// file of its own.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,

    /// Neither save nor print the trace
    #[arg(long, conflicts_with_all = ["trace_out", "full_trace"], help_heading = "Output")]
    pub no_trace: bool,

    /// Print every step of a long trace
    #[arg(long, help_heading = "Output")]
    pub full_trace: bool,

    /// Print one line: the verdict, the error, and where its trace is
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// No progress line
    #[arg(long, help_heading = "Output")]
    pub no_progress: bool,

    #[command(flatten)]
    pub later: LaterArgs,
}

/// Options that are promised, so that they are refused by name and not as unknown.
#[derive(Debug, Args)]
pub struct LaterArgs {
    #[arg(long, hide = true)]
    ltl: Option<String>,
    #[arg(long, hide = true)]
    fair: bool,
    #[arg(long, hide = true)]
    heuristic: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  panoptes check abp.pml                      check everything the model states
  panoptes check -DN=4 ring.pml --time 1m     a larger ring, for at most a minute
  panoptes check abp.pml --all-errors         every distinct error, not only the first
  panoptes check abp.pml --format json        one JSON object, for scripts

For models that are too large:
  panoptes check big.pml --search escalate --time 10m     likely errors first
  panoptes check big.pml --store compressed --memory 8G   every state, in a few bytes each
  panoptes check big.pml --store bitstate --bits 8G       a few bits of each: most states

Exit status: 0 checked completely, no violation; 1 violation found; 2 the model or the
command line is wrong; 3 no violation, but the search was partial.";

impl CheckArgs {
    /// Fails for what is promised but not there yet, and for what nobody promised.
    pub fn refuse_what_is_missing(&self) -> anyhow::Result<()> {
        refuse(
            "strategy",
            &self.search,
            &["auto", "dfs", "bfs", "random", "scatter", "escalate", "swarm"],
            &["best-first", "astar", "weighted", "ida"],
        )?;
        refuse("engine", &self.engine, &["auto", "interp", "jit"], &[])?;
        if self.shortest && !["auto", "bfs"].contains(&self.search.as_str()) {
            return Err(usage(format!(
                "`--shortest` and `--search {}` contradict each other: depth first finds long traces; \
                 `--search bfs` finds short ones",
                self.search
            )));
        }
        if self.invariant.iter().any(|text| text.trim().is_empty()) {
            return Err(usage("`--invariant` needs a condition, such as `--invariant 'x < 3'`"));
        }
        if self.along.is_some() && (self.property.is_some() || self.all_errors || !self.invariant.is_empty())
        {
            let other = match (self.all_errors, self.property.is_some()) {
                (true, _) => "--all-errors",
                (false, true) => "--property",
                (false, false) => "--invariant",
            };
            return Err(usage(format!(
                "`--along` looks for one execution and for no errors: leave `{other}` out"
            )));
        }
        let search = match self.search_kind() {
            SearchKind::Auto if self.store.is_depth_first()? => SearchKind::Dfs,
            asked => asked,
        };
        self.scope.refuse_misfits(search)?;
        if self.profile && ["escalate", "swarm"].contains(&self.search.as_str()) {
            return Err(usage(format!(
                "`--profile` tells how one search went, and `--search {}` makes many: take another search",
                self.search
            )));
        }
        if !self.scope.fold.is_empty() && (self.shortest || (self.search == "bfs" && self.depth.is_some())) {
            let option = if self.shortest { "--shortest" } else { "--search bfs --depth" };
            return Err(usage(format!(
                "`--fold` takes states for others, so with `{option}` nothing is known to be nearest: leave one of \
                 them out, or use `--search dfs`"
            )));
        }
        if self.search == "swarm" && !["exact", "bitstate"].contains(&self.store.store.as_str()) {
            return Err(usage(format!(
                "the searches of a swarm are bit-state searches, `--store {}` does not go with them: leave it out, or \
                 take another search",
                self.store.store
            )));
        }
        self.store.refuse_contradictions(&Beside {
            is_bfs: self.search == "bfs",
            shortest: self.shortest,
            depth: self.depth.is_some(),
            memory: self.memory,
        })?;
        if self.threads.unwrap_or(1) != 1 && self.search != "swarm" {
            return Err(usage(
                "a single search with several threads is not available in this version: `--search swarm` runs several \
                 searches at a time, and `--threads` says how many",
            ));
        }
        let later = &self.later;
        let asked = [
            ("--ltl", later.ltl.is_some()),
            ("--fair", later.fair),
            ("--heuristic", later.heuristic.is_some()),
        ];
        match asked.iter().find(|(_, asked)| *asked) {
            Some(("--ltl", _)) => Err(usage(
                "`--ltl` is not available in this version; `--invariant 'EXPR'` checks what `[] EXPR` says of single states",
            )),
            Some((option, _)) => Err(not_available(&format!("`{option}`"))),
            None => Ok(()),
        }
    }

    pub fn swarm(&self) -> SwarmSize {
        let default = SwarmSize::default();
        SwarmSize { jobs: self.scope.jobs, threads: self.threads.unwrap_or(default.threads) }
    }

    pub fn engine(&self) -> Engine {
        match self.engine.as_str() {
            "interp" => Engine::Interp,
            "jit" => Engine::Jit,
            _ => Engine::Auto,
        }
    }

    pub fn search_kind(&self) -> SearchKind {
        match self.search.as_str() {
            "dfs" => SearchKind::Dfs,
            "bfs" => SearchKind::Bfs,
            "random" => SearchKind::Random,
            "scatter" => SearchKind::Scatter,
            "escalate" => SearchKind::Escalate,
            "swarm" => SearchKind::Swarm,
            _ if self.shortest => SearchKind::Bfs,
            _ => SearchKind::Auto,
        }
    }
}

/// A name that may carry a parameter: `weighted:2`.
fn refuse(what: &str, given: &str, there: &[&str], later: &[&str]) -> anyhow::Result<()> {
    let name = given.split(':').next().unwrap_or(given);
    if there.contains(&given) {
        Ok(())
    } else if later.contains(&name) {
        Err(not_available(&format!("the {what} `{given}`")))
    } else {
        let there_is = || format!("there is {}", there.join(", "));
        let hint = did_you_mean(name, there.iter().copied()).unwrap_or_else(there_is);
        Err(usage(format!("there is no {what} `{given}`; {hint}")))
    }
}
