//! What partial searches looked at and what they left out, in words and for scripts.

use crate::{Style, View, human, wrap};
use panoptes_check::{Named, Report, Timeouts};
use panoptes_search::{Limit, Scope, Stage};
use serde::Serialize;

/// `1 process a state, all steps, queues of 2, depth 120`.
pub fn scope_text(scope: &Scope) -> String {
    if *scope == Scope::default() {
        return "no limits".to_string();
    }
    let processes = match scope.processes_max {
        None => "all processes".to_string(),
        Some(1) => "1 process a state".to_string(),
        Some(count) => format!("{count} processes a state"),
    };
    let options = match scope.options_max {
        None => "all steps".to_string(),
        Some(1) => "1 step each".to_string(),
        Some(count) => format!("{count} steps each"),
    };
    let queues = scope.queue_limit.map(|limit| format!("queues of {limit}"));
    let depth = scope.depth_max.map(|depth| format!("depth {}", human::count(depth)));
    let timeouts = scope.timeouts_last.then(|| "timeouts last".to_string());
    let parts = [Some(processes), Some(options), queues, depth, timeouts];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Why a partial search did not see everything.
pub(crate) fn partial_text(limit: Limit, report: &Report) -> String {
    let scope = report.scope.unwrap_or_default();
    match limit {
        Limit::Branching => {
            "steps to states not seen before were left out (--processes and --options say how many are followed)".to_string()
        }
        Limit::Queues => match scope.queue_limit {
            Some(limit) => format!("steps that put more than {} into a channel were left out (--queue-limit)",
                human::plural(u64::from(limit), "message")),
            None => "steps that put more messages into a channel were left out (--queue-limit)".to_string(),
        },
        Limit::Folding => format!("states that differ only in {} were taken for one (--fold)", report.foldings.join(", ")),
        Limit::Timeouts => {
            "timeouts were left out where something else could be done (--timeouts free takes them at any time)".to_string()
        }
        Limit::States => "the search was cut short after so many states".to_string(),
        other => other.name().to_string(),
    }
}

impl View<'_> {
    /// What the jobs of a swarm did, and where in the model a partial search was.
    pub(crate) fn partial_rows(&self) -> Vec<(&'static str, String)> {
        let jobs = self.swarm.map(|swarm| {
            let mut text = format!(
                "{} of {} run, {} at a time; {} came to the end of what {} limits allow",
                human::count(u64::from(swarm.jobs_run)),
                human::plural(u64::from(swarm.jobs_planned), "search").replace("searchs", "searches"),
                swarm.threads,
                human::count(u64::from(swarm.jobs_ended)),
                if swarm.jobs_ended == 1 { "its" } else { "their" },
            );
            if self.errors.is_empty() && swarm.jobs_ended == swarm.jobs_planned && !swarm.was_all_seen {
                text += " (--jobs runs more searches, --depth allows longer paths)";
            }
            ("jobs", text)
        });
        let control = self.control.map(|control| {
            (
                "reached",
                format!(
                    "{} of the {} control states",
                    human::count(control.reached as u64),
                    human::count(control.all as u64)
                ),
            )
        });
        jobs.into_iter().chain(control).collect()
    }

    /// One line for each stage of an escalation.
    pub(crate) fn stages_text(&self, style: &Style) -> String {
        if self.stages.is_empty() {
            return String::new();
        }
        let mut out = format!("\n{}\n", style.heading("Stages: each search wider than the one before"));
        for (index, stage) in self.stages.iter().enumerate() {
            let line = format!(
                "{}: {}, {}",
                scope_text(&stage.scope),
                human::plural(stage.statistics.stored, "state"),
                end_text(stage, index + 1 == self.stages.len() && self.searched_all),
            );
            out += &wrap::hanging(&format!("  {:>2}  ", index + 1), &line, style.width);
        }
        out
    }
}

fn end_text(stage: &Stage, is_complete: bool) -> String {
    let errors = match stage.errors {
        0 => String::new(),
        count => format!("{}, ", human::plural(count as u64, "new error")),
    };
    let limits: Vec<&str> = stage.limits.iter().map(|limit| limit.name()).collect();
    let end = match (is_complete, &limits[..]) {
        (true, _) => "everything seen".to_string(),
        (false, []) => "ended by it".to_string(),
        (false, limits) => format!("limited by {}", limits.join(", ")),
    };
    format!("{errors}{end}")
}

/// A scope in JSON; `null` is no limit.
#[derive(Serialize)]
pub(crate) struct ScopeObject {
    processes: Option<u32>,
    options: Option<u32>,
    queue_limit: Option<u16>,
    depth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeouts: Option<&'static str>,
}

impl From<&Scope> for ScopeObject {
    fn from(scope: &Scope) -> ScopeObject {
        ScopeObject {
            processes: scope.processes_max,
            options: scope.options_max,
            queue_limit: scope.queue_limit,
            depth: scope.depth_max,
            timeouts: scope.timeouts_last.then_some(Timeouts::LockOnly.name()),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct StageObject {
    scope: ScopeObject,
    stored: u64,
    transitions: u64,
    errors: usize,
    limits: Vec<&'static str>,
}

impl From<&Stage> for StageObject {
    fn from(stage: &Stage) -> StageObject {
        StageObject {
            scope: ScopeObject::from(&stage.scope),
            stored: stage.statistics.stored,
            transitions: stage.statistics.transitions,
            errors: stage.errors,
            limits: stage.limits.iter().map(|limit| limit.name()).collect(),
        }
    }
}
