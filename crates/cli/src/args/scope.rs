//! The options of partial searches: how much of each state they follow, and in which order.

use super::{help, values};
use crate::failure::usage;
use clap::Args;
use panoptes_check::{CheckSettings, Folding, Order, Scatter, Strategy};

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

    #[arg(long, value_name = "ORDER", help = help::orders(), help_heading = "Partial search")]
    pub order: Option<Order>,

    /// Swarm: how many searches in all [default: 8 for each thread]
    #[arg(long, value_name = "N", value_parser = values::count, allow_negative_numbers = true, help_heading = "Partial search")]
    pub jobs: Option<u32>,

    /// Swarm: print the command of each search, one a line, and run none: for the scheduler of a cluster
    #[arg(long, help_heading = "Partial search")]
    pub print_jobs: bool,
}

impl ScopeArgs {
    /// Narrows the search that was chosen; fails for options that it does not know.
    pub fn apply(&self, settings: &mut CheckSettings) -> anyhow::Result<()> {
        let queue_limit = self.queue_limit.map(|limit| {
            let messages = |limit: u32| u16::try_from(limit).unwrap_or(u16::MAX);
            limit.0.map(messages)
        });
        let (chosen, _) = settings.chosen();
        if let Strategy::Scatter(scatter) = &mut settings.strategy {
            *scatter = Scatter {
                processes_max: self.processes.map_or(scatter.processes_max, |limit| limit.0),
                options_max: self.options.map_or(scatter.options_max, |limit| limit.0),
                queue_limit: queue_limit.unwrap_or(scatter.queue_limit),
                ..*scatter
            };
        } else {
            refuse("--processes", self.processes.is_some(), "`--search scatter`", chosen)?;
            refuse("--options", self.options.is_some(), "`--search scatter`", chosen)?;
            settings.limits.queue = queue_limit.flatten();
        }
        if let Strategy::Swarm(swarm) = &mut settings.strategy {
            swarm.jobs = self.jobs;
        } else {
            refuse("--jobs", self.jobs.is_some(), "`--search swarm`", chosen)?;
            refuse("--print-jobs", self.print_jobs, "`--search swarm`", chosen)?;
        }
        self.apply_order(settings)
    }

    /// Without an order nothing is settled that the strategy leaves open.
    fn apply_order(&self, settings: &mut CheckSettings) -> anyhow::Result<()> {
        let Some(asked) = self.order else { return Ok(()) };
        let (chosen, _) = settings.chosen();
        let mut ordered = chosen;
        if let Some(order) = ordered.order_mut() {
            *order = asked;
            settings.strategy = ordered;
            return Ok(());
        }
        match chosen {
            Strategy::Random if asked == Order::Random => Ok(()),
            Strategy::Random => Err(usage(format!(
                "`--search random` has a random order; `--search dfs --order {asked}` has this one"
            ))),
            _ => refuse("--order", true, "`--search dfs`, `random` or `scatter`", chosen),
        }
    }
}

/// Fails if an option is given that the search does not know.
fn refuse(option: &str, is_given: bool, fitting: &str, chosen: Strategy) -> anyhow::Result<()> {
    let why = match chosen {
        _ if !is_given => return Ok(()),
        Strategy::Escalate { .. } => "`--search escalate` widens its limits by itself",
        Strategy::Swarm(_) => "the searches of a swarm differ in this",
        _ if option.contains("jobs") => "this is one search",
        _ => "this search has one order and follows everything",
    };
    Err(usage(format!("`{option}` works with {fitting}: {why}")))
}
