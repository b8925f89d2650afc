//! The options of partial searches: how much of each state they follow, and in which order.

use super::values;
use crate::failure::usage;
use clap::Args;
use panoptes_check::{Folding, Guidance, SCATTER_PROCESSES, SCATTER_QUEUE, SearchKind, StepOrder};
use panoptes_model::Model;

#[derive(Debug, Args)]
pub struct ScopeArgs {
    /// Scatter search: follow at most M processes in a state, or `all` [default: 1]
    #[arg(long, value_name = "M", value_parser = values::limit, allow_negative_numbers = true, help_heading = "Partial search")]
    pub processes: Option<values::Limit>,

    /// Scatter search: follow at most N steps of a process in a state, or `all` [default: all]
    #[arg(long, value_name = "N", value_parser = values::limit, allow_negative_numbers = true, help_heading = "Partial search")]
    pub options: Option<values::Limit>,

    /// Leave out steps that put more than N messages into a channel, or `all` for no limit [default: all; 2 for scatter]
    #[arg(long, value_name = "N", value_parser = values::limit, allow_negative_numbers = true, help_heading = "Partial search")]
    pub queue_limit: Option<values::Limit>,

    /// States that differ only in this part count as one, so only some of them are looked at: process=NAME, channel=NAME, variable=NAME (of
    /// a process: variable=PROCESS:NAME); may be given several times
    #[arg(long, value_name = "PART", value_parser = values::folding, help_heading = "Partial search")]
    pub fold: Vec<Folding>,

    /// In which order processes and their steps are tried, depth first: listed, reversed, random (see --seed)
    /// [default: listed; random for --search random]
    #[arg(long, value_name = "ORDER", help_heading = "Partial search")]
    pub order: Option<String>,

    /// Swarm: how many searches in all [default: 8 for each thread]
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, help_heading = "Partial search")]
    pub jobs: Option<u32>,

    /// Swarm: print the command of each search, one a line, and run none: for the scheduler of a cluster
    #[arg(long, help_heading = "Partial search")]
    pub print_jobs: bool,
}

impl ScopeArgs {
    /// Fails for options that the strategy does not know.
    pub fn refuse_misfits(&self, search: SearchKind) -> anyhow::Result<()> {
        let is_depth_first = matches!(search, SearchKind::Dfs | SearchKind::Random | SearchKind::Scatter);
        let asked = [
            ("--processes", self.processes.is_some(), search == SearchKind::Scatter, "`--search scatter`"),
            ("--options", self.options.is_some(), search == SearchKind::Scatter, "`--search scatter`"),
            ("--jobs", self.jobs.is_some(), search == SearchKind::Swarm, "`--search swarm`"),
            ("--print-jobs", self.print_jobs, search == SearchKind::Swarm, "`--search swarm`"),
            ("--order", self.order.is_some(), is_depth_first, "`--search dfs`, `random` or `scatter`"),
        ];
        if let Some((option, _, _, fitting)) = asked.iter().find(|(_, is_asked, fits, _)| *is_asked && !fits)
        {
            let why = match search {
                SearchKind::Escalate => "`--search escalate` widens its limits by itself",
                SearchKind::Swarm => "the searches of a swarm differ in this",
                _ if option.contains("jobs") => "this is one search",
                _ => "this search has one order and follows everything",
            };
            return Err(usage(format!("`{option}` works with {fitting}: {why}")));
        }
        let orders = ["listed", "reversed", "random"];
        match &self.order {
            Some(order) if !orders.contains(&order.as_str()) => {
                Err(usage(format!("there is no order `{order}`; there is {}", orders.join(", "))))
            }
            Some(order) if order != "random" && search == SearchKind::Random => Err(usage(format!(
                "`--search random` has a random order; `--search dfs --order {order}` has this one"
            ))),
            _ => Ok(()),
        }
    }

    /// Fails for parts that the model does not have.
    pub fn refuse_unknown(&self, model: &Model) -> anyhow::Result<()> {
        for folding in &self.fold {
            folding.check(model).map_err(|unknown| {
                let known = match unknown.known.is_empty() {
                    true => format!("it has no {}", unknown.what),
                    false => format!("there is {}", listed(&unknown.known)),
                };
                usage(format!("the model has no {} `{}` to fold; {known}", unknown.what, unknown.name))
            })?;
        }
        Ok(())
    }

    /// Which steps are followed, and in which order.
    pub fn guidance(&self, search: SearchKind, seed: u64) -> Guidance {
        let is_scatter = search == SearchKind::Scatter;
        let processes_max = match self.processes {
            None if is_scatter => Some(SCATTER_PROCESSES),
            given => given.and_then(|limit| limit.0),
        };
        let order = match self.order.as_deref() {
            Some("reversed") => StepOrder::Reversed,
            Some("random") => StepOrder::Random(seed),
            None if matches!(search, SearchKind::Random | SearchKind::Escalate) => StepOrder::Random(seed),
            _ => StepOrder::Listed,
        };
        let options_max = self.options.and_then(|limit| limit.0);
        Guidance { priorities: is_scatter, order, processes_max, options_max }
    }

    pub fn queue_limit(&self, search: SearchKind) -> Option<u16> {
        match self.queue_limit {
            None if search == SearchKind::Scatter => Some(SCATTER_QUEUE),
            given => given.and_then(|limit| limit.0).map(|limit| u16::try_from(limit).unwrap_or(u16::MAX)),
        }
    }
}

/// The first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN_MAX: usize = 24;
    let more = names.len().saturating_sub(SHOWN_MAX);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
