//! `cargo xtask scatter-quality`: how good partial searches are, on our own protocol with seeded mistakes.
//!
//! Three curves in the manner of the papers on the tracer, drawn as SVG: the share of the distinct errors that scatter searches
//! find against the share of the run time of a complete search that they take; the double work of a state-space cache
//! against its size; run time against the length of queues. And a table: the states that an escalation needs to find each
//! mistake in a protocol too large to be searched, beside a depth-first search. Errors are distinct by kind, process, control
//! state and message.

mod chart;
mod measure;

use crate::bench::grouped;
use chart::{Axis, Chart, Series};
use measure::{ALL_MISTAKES, Found, Switch};
use panoptes_check::{Language, Replacement};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Measures partial searches on models/large/data_switch and draws the curves.

Usage: cargo xtask scatter-quality [--out DIR] [--dfs-states N] [--table-only]

  --out DIR        where the SVG files go [default: docs]
  --dfs-states N   states in which a depth-first search may look for each mistake [default: 6000000]
  --table-only     draw no curves
";

/// The least that the median may be of how many times fewer states an escalation needs.
const MEDIAN_MIN: f64 = 100.0;

struct Options {
    out: PathBuf,
    dfs_states: u64,
    table_only: bool,
}

pub fn run(args: Vec<String>) -> ExitCode {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match parse(args) {
        Ok(options) => options,
        Err(problem) => return crate::bad_usage(&problem, USAGE),
    };
    match measure_all(&options) {
        Ok((report, median)) => {
            print!("{report}");
            if median >= MEDIAN_MIN { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: Vec<String>) -> Result<Options, String> {
    let mut options = Options { out: PathBuf::from("docs"), dfs_states: 6_000_000, table_only: false };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--out" => options.out = PathBuf::from(value()?),
            "--dfs-states" => {
                let problem = |_| "`--dfs-states` is a number of states".to_string();
                options.dfs_states = value()?.parse().map_err(problem)?;
            }
            "--table-only" => options.table_only = true,
            _ => return Err(format!("unknown option `{arg}`")),
        }
    }
    Ok(options)
}

fn measure_all(options: &Options) -> Result<(String, f64), String> {
    let save = |name: &str, chart: &Chart| {
        let path = options.out.join(name);
        std::fs::write(&path, chart.to_svg()).map_err(|error| format!("{}: {error}", path.display()))
    };
    if !options.table_only {
        save("scatter-errors.svg", &errors_chart()?)?;
        save("cache-work.svg", &cache_chart()?)?;
        save("queue-time.svg", &queue_chart()?)?;
    }
    escalation_table(options)
}

/// The share of errors found against the share of the time of a complete search.
fn errors_chart() -> Result<Chart, String> {
    let switch = Switch::small(ALL_MISTAKES)?;
    let whole = switch.exhaustive();
    let mut series = Vec::new();
    for (label, options_max) in [("all steps of a process", None), ("one step of a process", Some(1))] {
        let mut points = Vec::new();
        for processes_max in [Some(1), Some(2), None] {
            for queue_limit in [Some(1), Some(2), Some(3), None] {
                for depth_max in [200, 400, 1600] {
                    let found = switch.scatter(processes_max, options_max, queue_limit, depth_max);
                    points.push((found.seconds / whole.seconds, found.errors as f64 / whole.errors as f64));
                }
            }
        }
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        series.push(Series::of_points(label, points));
    }
    let best = Series::best_of(&series, "the best within that time");
    series.push(best);
    Ok(Chart {
        title: format!("Scatter searches: which of {} distinct errors they find", whole.errors),
        x: Axis::logarithmic("share of the run time of a complete search"),
        y: Axis::linear("share of the errors found"),
        series,
    })
}

/// The double work of a cache against its size.
fn cache_chart() -> Result<Chart, String> {
    let switch = Switch::small(0)?;
    let states = switch.states();
    let mut series = Vec::new();
    for replacement in Replacement::ALL {
        let shares = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
        let point =
            |share: f64| Some((share, switch.double_work(replacement, (states as f64 * share) as usize)?));
        series.push(Series::of_line(replacement.name(), shares.into_iter().filter_map(point).collect()));
    }
    Ok(Chart {
        title: format!("State-space cache: double work in a space of {states} states"),
        x: Axis::linear("size of the cache, as a share of the states"),
        y: Axis::linear("states created again, for each state"),
        series,
    })
}

/// Run time against the length of queues.
fn queue_chart() -> Result<Chart, String> {
    let switch = Switch::small(0)?;
    let lengths = 1..=6;
    let line = |label: &str, seconds: &dyn Fn(u16) -> f64| {
        Series::of_line(label, lengths.clone().map(|length| (f64::from(length), seconds(length))).collect())
    };
    let series = vec![
        line("complete", &|length| switch.scatter(None, None, Some(length), 1 << 30).seconds),
        line("one process a state", &|length| switch.scatter(Some(1), None, Some(length), 1 << 30).seconds),
        line("one step of a process", &|length| switch.scatter(None, Some(1), Some(length), 1 << 30).seconds),
    ];
    Ok(Chart {
        title: "Queue limits: run time of complete and scatter searches".to_string(),
        x: Axis::linear("messages that a channel takes"),
        y: Axis::logarithmic("seconds"),
        series,
    })
}

/// Escalation beside a depth-first search on the whole protocol, and the smaller median of how many times fewer states it
/// needs.
fn escalation_table(options: &Options) -> Result<(String, f64), String> {
    let mut table = String::new();
    let mut least = f64::INFINITY;
    for language in [Language::Promela, Language::Argos] {
        let _ = writeln!(table, "| {language} | escalate | depth first | times fewer |\n|---|---|---|---|");
        let mut ratios = Vec::new();
        for error in 1..=10 {
            let switch = Switch::large(language, error)?;
            let escalated = switch.escalate(options.dfs_states);
            let depth_first = switch.depth_first(options.dfs_states);
            let ratio = depth_first.states as f64 / escalated.states.max(1) as f64;
            // What a search did not find in these takes it more.
            let sign = |found: &Found| if found.errors > 0 { "" } else { "more than " };
            let (states, all) = (grouped(escalated.states), grouped(depth_first.states));
            let times = if ratio < 10.0 { format!("{ratio:.1}") } else { grouped(ratio as u64) };
            let (few, many) = (sign(&escalated), sign(&depth_first));
            let _ = writeln!(table, "| {error} | {few}{states} | {many}{all} | {many}{times} |");
            ratios.push(if escalated.errors > 0 { ratio } else { 0.0 });
        }
        ratios.sort_by(f64::total_cmp);
        let median = (ratios[4] + ratios[5]) / 2.0;
        least = least.min(median);
        let _ = writeln!(
            table,
            "\nmedian: {} times fewer states (at least {MEDIAN_MIN} is right)\n",
            grouped(median as u64)
        );
    }
    Ok((table, least))
}
