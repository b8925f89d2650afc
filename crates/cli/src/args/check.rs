//! The options of `panoptes check`.

use super::heuristic::HeuristicArg;
use super::resume::CheckpointArg;
use super::scope::ScopeArgs;
use super::store::StoreArgs;
use super::{Format, ModelArgs, help, values};
use crate::expectation::Expect;
use crate::failure::usage;
use crate::input;
use clap::Args;
use panoptes_check::{
    CheckSettings, Depth, Engine, Fairness, Limits, OnFull, Optimisation, Semantics, Steps, Strategy, Swarm,
    SymmetryChoice, Threads,
};
use std::path::{Path, PathBuf};
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

    #[arg(long, value_name = "PROPERTY", help = help::properties())]
    pub property: Option<String>,

    /// EXPR holds in every state; may be given several times
    ///
    /// EXPR is a condition in the language of the model: global variables, variables of processes (`P:x`, `P[1]:x`),
    /// where processes stand (`P@label`), channels (`len(q) < 3`, `full(q)`, `q?[message]`), and `a -> b` for "if a then b".
    /// It is looked at in every state in which no process is in the middle of an atomic sequence
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub invariant: Vec<String>,

    /// Show how EXPR becomes true: exit status 0 with a trace to such a state, 1 if there is none
    ///
    /// EXPR is a condition as for --invariant. Nothing else is looked for
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub reach: Option<String>,

    /// Check that every execution satisfies this formula, and nothing else
    ///
    /// SPIN's syntax in all its spellings, such as '[] (req -> <> ack)'. What stands between the operators are conditions in the
    /// language of the model, as for --invariant
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, conflicts_with_all = ["property", "along", "ltl_file", "pattern", "automaton"])]
    pub ltl: Option<String>,

    /// The same, with the formula in a file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["property", "along", "pattern", "automaton"])]
    pub ltl_file: Option<PathBuf>,

    /// The same for a specification pattern, such as 'response(p, q) after(r)'
    ///
    /// absence(p), universality(p), existence(p), response(p, q) or precedence(p, q); globally, before(r), after(q),
    /// between(q, r) or until(q, r)
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, conflicts_with_all = ["property", "along", "automaton"])]
    pub pattern: Option<String>,

    /// Check that no execution is accepted by this automaton, and nothing else
    ///
    /// The file is in HOA format. As a never claim, the automaton accepts what is forbidden; its atomic propositions are
    /// conditions in the language of the model. `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["property", "along"])]
    pub automaton: Option<PathBuf>,

    /// For temporal properties, only executions count that are fair to every process
    ///
    /// Weak fairness: a process that can always move does move. `--fair=strong`: one that can move again and again does
    #[arg(long, value_name = "FAIRNESS", num_args = 0..=1, require_equals = true, default_missing_value = "weak", value_parser = fairness)]
    pub fair: Option<Fairness>,

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

    #[arg(
        long,
        value_name = "STRATEGY",
        default_value_t,
        help = help::strategies(),
        long_help = help::strategies_long(),
        help_heading = "Search"
    )]
    pub search: Strategy,

    #[arg(long, value_name = "HEURISTIC", help = help::heuristics(), long_help = help::heuristics_long(), help_heading = "Search")]
    pub heuristic: Option<HeuristicArg>,

    /// Directed search: estimates are lower bounds, so that astar and ida find a nearest error
    #[arg(long, help_heading = "Search")]
    pub admissible: bool,

    /// Directed search: tell what the heuristic looks at in this model, and search nothing
    #[arg(long, help_heading = "Search")]
    pub explain_heuristic: bool,

    /// Find a shortest trace to an error (breadth first or A*, without partial order reduction)
    #[arg(long, help_heading = "Search")]
    pub shortest: bool,

    /// Shorten the trace that is found, whatever the search, and tell whether a shorter one may be left
    #[arg(long, conflicts_with_all = ["all_errors", "along"], help_heading = "Search")]
    pub improve: bool,

    #[arg(long, value_name = "ENGINE", default_value_t, help = help::engines(), help_heading = "Search")]
    pub engine: Engine,

    /// One statement is one step: no reduction of any kind, with the counts that SPIN has without any
    #[arg(long, help_heading = "Search")]
    pub exact: bool,

    /// What one step is, for lengths and bounds: statements, or merged as SPIN's verifier merges them (`spin -o1`)
    #[arg(long, value_name = "STEPS", default_value_t, value_parser = values::either::<Steps>, help_heading = "Search")]
    pub steps: Steps,

    /// Follow every order of independent steps: no partial order reduction
    #[arg(long, help_heading = "Search")]
    pub no_por: bool,

    /// Whether states that differ only in the order of processes that are alike are taken for one: auto (where that is safe), off
    #[arg(long, value_name = "CHOICE", default_value_t, value_parser = values::either::<SymmetryChoice>, help_heading = "Search")]
    pub symmetry: SymmetryChoice,

    /// The model as it is: no merging of steps or of equivalent control states, no resetting of dead variables, no packing of
    /// the state vector
    #[arg(long, help_heading = "Search")]
    pub no_optimise: bool,

    #[command(flatten)]
    pub scope: ScopeArgs,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Look at no path longer than N steps; auto is ten times the number of control states
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Limits")]
    pub depth: Option<Depth>,

    /// Stop when the program takes more memory: 512M, 2G, 1GiB; a plain number is bytes
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_negative_numbers = true, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// What to do when memory is full: stop, or begin again and keep less of each state: hash-compact, bitstate, disk[:DIR]
    ///
    /// `disk` keeps every state in files in DIR (the current directory if none is named), so that the answer is complete. With the
    /// others an error is one, but that there is none is not certain: exit status 3. See docs/memory.md
    #[arg(long, value_name = "CHOICE", default_value_t, help_heading = "Limits")]
    pub on_full: OnFull,

    /// Stop after this time: 500ms, 10s, 2m, 1h; a plain number is seconds
    #[arg(long, value_name = "DURATION", value_parser = values::duration, allow_negative_numbers = true, help_heading = "Limits")]
    pub time: Option<Duration>,

    /// Write the search to FILE now and then (every 10 minutes), and when a limit or a signal ends it, so that `panoptes resume FILE`
    /// goes on
    #[arg(long, value_name = "FILE[:every=DURATION]", value_parser = CheckpointArg::read, help_heading = "Limits")]
    pub checkpoint: Option<CheckpointArg>,

    /// How many threads search, where several can [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, help_heading = "Limits")]
    pub threads: Option<u32>,

    /// Search with N processes on this machine, each with a part of the states
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, conflicts_with_all = ["hosts", "threads"], help_heading = "Limits")]
    pub cluster: Option<u32>,

    /// Search with the processes that FILE names, a line `host:port` for each; every one is started with its --process
    #[arg(
        long,
        value_name = "FILE",
        requires = "process",
        conflicts_with = "threads",
        help_heading = "Limits"
    )]
    pub hosts: Option<PathBuf>,

    /// Which process of --hosts this one is, from 0 on; process 0 gives the answer
    #[arg(long, value_name = "I", requires = "hosts", conflicts_with = "cluster", value_parser = values::number, allow_negative_numbers = true, help_heading = "Limits")]
    pub process: Option<u64>,

    /// How long to wait for the other processes of --hosts [default: 2m]
    #[arg(long, value_name = "DURATION", requires = "hosts", conflicts_with = "cluster", value_parser = values::duration, allow_negative_numbers = true, help_heading = "Limits")]
    pub wait: Option<Duration>,

    /// Of several processes, this one: how the command runs itself for each.
    #[arg(long, value_name = "I", hide = true)]
    pub cluster_child: Option<usize>,

    /// Where such a process waits for others.
    #[arg(long, value_name = "ADDRESS", hide = true, requires = "cluster_child")]
    pub listen: Option<String>,

    /// The seed of random choices: a random order of steps, which bits stand for a state in a bit-state search
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::number, allow_negative_numbers = true, help_heading = "Limits")]
    pub seed: u64,

    /// Also tell what makes the states (values of variables, contents of channels, places, steps) and how often states
    /// were met again (takes some bytes a state)
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

    /// Write a page about the check: verdict, chart of the first error, the model's text, states, numbers
    ///
    /// One file that a browser shows by itself.
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Print every step of a long trace
    #[arg(long, help_heading = "Output")]
    pub full_trace: bool,

    /// Print one line: the verdict, the error, and where its trace is
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// No progress line
    #[arg(long, help_heading = "Output")]
    pub no_progress: bool,
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

/// How much fairness is asked for.
fn fairness(name: &str) -> Result<Fairness, String> {
    match name {
        "weak" => Ok(Fairness::Weak),
        "strong" => Ok(Fairness::Strong),
        _ => Err(format!("there is no fairness `{name}`; there is weak, strong")),
    }
}

impl CheckArgs {
    /// What is to be checked and how, as far as that is known before the model is read: the property by its name, and what
    /// the limits leave, come later. Fails for what is promised but not there yet, and for what does not go together.
    pub fn settings(&self) -> anyhow::Result<CheckSettings> {
        self.refuse_what_is_missing()?;
        let semantics = Semantics {
            lossy: self.lossy,
            por: !self.exact && !self.no_por,
            symmetry: if self.exact { SymmetryChoice::Off } else { self.symmetry },
            optimisation: match (self.no_optimise, self.exact) {
                (true, _) => Optimisation::Off,
                (false, true) => Semantics::EXACT.optimisation,
                (false, false) => Semantics::default().optimisation,
            },
        };
        let limits = Limits { time: self.time, memory: self.memory, depth: self.depth, ..Limits::default() };
        let mut settings = CheckSettings {
            fairness: self.fair.unwrap_or_default(),
            strategy: self.strategy()?,
            heuristic: self.heuristic.as_ref().map(|arg| arg.heuristic),
            admissible: self.admissible,
            improve: self.improve,
            store: self.store.spec()?,
            on_full: self.on_full,
            loop_states: self.store.loop_states,
            semantics,
            limits,
            engine: self.engine,
            threads: Threads { count: self.threads, ..Threads::default() },
            together: self.cluster.is_some() || self.hosts.is_some(),
            all_errors: self.all_errors,
            foldings: self.scope.fold.clone(),
            profile: self.profile,
            checkpoints: self.checkpoint.is_some(),
            seed: self.seed,
            ..CheckSettings::default()
        };
        self.scope.apply(&mut settings)?;
        // Unless the command line says when timeouts come.
        if let Some(timeouts_last) = settings.strategy.timeouts_last_mut() {
            *timeouts_last = self.model.timeouts.is_none();
        }
        settings.refuse_contradictions().map_err(|error| usage(error.to_string()))?;
        Ok(settings)
    }

    /// The strategy, with what the options outside [`ScopeArgs`] say of it.
    fn strategy(&self) -> anyhow::Result<Strategy> {
        match self.search {
            Strategy::Auto | Strategy::Bfs { .. } | Strategy::SCC if self.shortest => Ok(Strategy::SHORTEST),
            other if self.shortest => Err(usage(format!(
                "`--shortest` and `--search {other}` contradict each other: depth first finds long traces; \
                 `--search bfs` finds short ones",
            ))),
            Strategy::Swarm(swarm) => Ok(Strategy::Swarm(Swarm { threads: self.threads, ..swarm })),
            other => Ok(other),
        }
    }

    /// The formulas that the command line gives.
    pub fn formulas(&self) -> anyhow::Result<Vec<String>> {
        let text = match (&self.ltl, &self.ltl_file) {
            (Some(text), _) => text.clone(),
            (None, Some(file)) => input::plain_text(file)?,
            (None, None) => return Ok(Vec::new()),
        };
        if text.trim().is_empty() {
            return Err(usage("`--ltl` needs a formula, such as `--ltl '[] (req -> <> ack)'`"));
        }
        Ok(vec![text])
    }

    /// The automata that the command line names, each with its text.
    pub fn automata(&self) -> anyhow::Result<Vec<(String, String)>> {
        if self.automaton.as_deref() == Some(Path::new("-")) && self.model.model == Path::new("-") {
            return Err(usage("the model and the automaton cannot both be read from standard input"));
        }
        self.automaton.iter().map(|path| input::text(path)).collect()
    }

    /// What leads a directed search, if it is in a file.
    pub fn estimate(&self) -> anyhow::Result<Option<(String, String)>> {
        self.heuristic.as_ref().map_or(Ok(None), HeuristicArg::text)
    }

    fn refuse_what_is_missing(&self) -> anyhow::Result<()> {
        if self.invariant.iter().any(|text| text.trim().is_empty()) {
            return Err(usage("`--invariant` needs a condition, such as `--invariant 'x < 3'`"));
        }
        if self.reach.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(usage("`--reach` needs a condition, such as `--reach 'x == 3'`"));
        }
        let sought = [("--along", self.along.is_some()), ("--reach", self.reach.is_some())];
        let others = [
            ("--all-errors", self.all_errors),
            ("--property", self.property.is_some()),
            ("--invariant", !self.invariant.is_empty()),
            ("--ltl", self.ltl.is_some()),
            ("--ltl-file", self.ltl_file.is_some()),
            ("--pattern", self.pattern.is_some()),
            ("--automaton", self.automaton.is_some()),
            ("--reach", self.along.is_some() && self.reach.is_some()),
        ];
        let given = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).copied();
        if let (Some((sought, _)), Some((other, _))) = (given(&sought), given(&others)) {
            return Err(usage(format!(
                "`{sought}` looks for one execution and for no errors: leave `{other}` out"
            )));
        }
        let is_of_states = |name: &String| ["safety", "deadlock", "assertions"].contains(&name.as_str());
        let alone = [
            ("--ltl", self.ltl.is_some()),
            ("--ltl-file", self.ltl_file.is_some()),
            ("--pattern", self.pattern.is_some()),
            ("--automaton", self.automaton.is_some()),
            ("--property", self.property.as_ref().is_some_and(|name| !is_of_states(name))),
        ];
        if let (false, Some((other, _))) = (self.invariant.is_empty(), given(&alone)) {
            return Err(usage(format!(
                "`--invariant` is about states, and `{other}` asks for another property alone: check them one by one"
            )));
        }
        Ok(())
    }
}
