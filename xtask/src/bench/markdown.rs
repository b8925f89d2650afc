//! The report as Markdown, for people: on the terminal and in the manual.

use std::fs;
use std::path::Path;

use super::report::Report;
use super::stats::{geometric_mean, maximum, minimum, share};
use super::table::{Table, grouped};
use super::throughput::{Contender, Entry, Measure, Row, cpu, ratios, wall};
use super::{bitstate, defaults, front, liveness, reductions, small, threads};

/// What is between these lines of a file is generated.
const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

/// How many of the models with the worst reductions are listed.
const WORST: usize = 10;

pub fn write(path: &Path, report: &str) -> Result<(), String> {
    let old = fs::read_to_string(path).unwrap_or_default();
    let new = replace_marked(&old, report).unwrap_or_else(|| format!("# Measurements\n\n{report}"));
    fs::write(path, new).map_err(|error| format!("{}: {error}", path.display()))
}

/// The text with what is between the marks replaced; none if it has no marks.
fn replace_marked(text: &str, report: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{report}\n{END}{after}"))
}

pub fn of(report: &Report) -> String {
    let machine = &report.machine;
    let settings = &report.settings;
    let mut text = format!(
        "{}, {} cores; {}; {}; {}. Best of {} {}",
        machine.cpu,
        machine.cores,
        machine.panoptes,
        machine.spin,
        machine.cc,
        settings.runs,
        if settings.runs == 1 { "run" } else { "runs" },
    );
    if settings.quick {
        text += &format!(
            ", only models of at most {} states (for reductions {})",
            grouped(settings.states_max),
            grouped(settings.reduced_states_max)
        );
    }
    text += ".\n";
    text += &section("Bars", &bars(report));
    if let Some(rows) = &report.throughput {
        text += &section("Full searches: times as fast as SPIN (CPU seconds)", &ratio_table(rows));
        let thousands = |count: u64, measure: &Measure| {
            grouped((count as f64 / measure.cost.cpu_seconds / 1e3).round() as u64)
        };
        let states = |row: &Row, measure: &Measure| thousands(row.states, measure);
        text += &section("Full searches: thousand states a CPU second", &values(rows, states));
        let transitions = |row: &Row, measure: &Measure| thousands(row.transitions, measure);
        text += &section("Full searches: thousand transitions a CPU second", &values(rows, transitions));
        let bytes = |_: &Row, measure: &Measure| format!("{:.1}", measure.bytes_per_state);
        text += &section("Full searches: bytes a state", &values(rows, bytes));
        let peak = |_: &Row, measure: &Measure| grouped(measure.cost.peak_bytes >> 20);
        text += &section("Full searches: peak memory in MiB", &values(rows, peak));
        text += &refusals(rows);
    }
    if let Some(rows) = &report.small {
        text += &section("Small models: milliseconds from text to verdict", &small_table(rows));
    }
    if let Some(front) = &report.front {
        let title = format!("Before the search: milliseconds, slowest of {} models", front.models);
        text += &section(&title, &front_table(front));
    }
    if let Some(reductions) = &report.reductions {
        text += &section("Default reductions: stored states", &reductions_text(reductions));
    }
    if let Some(bitstate) = &report.bitstate {
        text += &section("Bit-state searches: CPU seconds, and states stored", &bitstate_table(bitstate));
    }
    if let Some(defaults) = &report.defaults {
        text +=
            &section("Default checks: CPU seconds, states and peaks of memory", &defaults_table(defaults));
    }
    if let Some(liveness) = &report.liveness {
        text += &section("Temporal properties: CPU seconds, states and memory", &liveness_table(liveness));
    }
    if let Some(found) = &report.threads {
        text += &section("Several threads: wall seconds, CPU seconds and memory", &threads::markdown(found));
    }
    text
}

fn section(title: &str, body: &str) -> String {
    let body = if body.is_empty() { "No model was chosen.\n" } else { body };
    format!("\n### {title}\n\n{body}")
}

fn bars(report: &Report) -> String {
    let mut table = Table::new(&["bar", "wanted", "measured", ""]);
    for bar in report.bars() {
        let verdict = bar.verdict().to_string();
        table.row(vec![bar.name, bar.wanted, bar.found, verdict]);
    }
    table.markdown(false)
}

fn ratio_table(rows: &[Row]) -> String {
    let mut table =
        Table::new(&["model", "states", "transitions", "dfs / pan", "bfs / pan", "compressed / COLLAPSE"]);
    let show = |ratio: Option<f64>| ratio.map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
    for row in rows {
        let mut cells = vec![row.path.clone(), grouped(row.states), grouped(row.transitions)];
        cells.extend(Contender::OURS.map(|contender| match row.entry(contender) {
            Entry::Wrong(_) => "wrong".to_string(),
            _ => show(row.ratio(contender, cpu)),
        }));
        table.row(cells);
    }
    let mut summary = |name: &str, of: &dyn Fn(Contender) -> Option<f64>| {
        let mut cells = vec![format!("**{name}**"), String::new(), String::new()];
        cells.extend(Contender::OURS.map(|contender| show(of(contender))));
        table.row(cells);
    };
    summary("geometric mean", &|contender| geometric_mean(&ratios(rows, contender, cpu)));
    summary("least", &|contender| minimum(&ratios(rows, contender, cpu)));
    summary("geometric mean, wall seconds", &|contender| geometric_mean(&ratios(rows, contender, wall)));
    table.markdown(true)
}

/// A table with one value for each contender.
fn values(rows: &[Row], value: impl Fn(&Row, &Measure) -> String) -> String {
    let mut header = vec!["model"];
    header.extend(Contender::ALL.map(Contender::name));
    let mut table = Table::new(&header);
    for row in rows {
        let mut cells = vec![row.path.clone()];
        cells.extend(row.entries.iter().map(|entry| match entry {
            Entry::Measured(measure) => value(row, measure),
            Entry::Refused(_) => "–".to_string(),
            Entry::Wrong(_) => "wrong".to_string(),
        }));
        table.row(cells);
    }
    table.markdown(true)
}

/// What this version of Panoptes does not have: a line each, however many models met it.
fn refusals(rows: &[Row]) -> String {
    let mut words: Vec<&String> = rows
        .iter()
        .flat_map(|row| &row.entries)
        .filter_map(|entry| if let Entry::Refused(words) = entry { Some(words) } else { None })
        .collect();
    words.sort();
    words.dedup();
    words.iter().map(|words| format!("\n–: not measured, since {words}.\n")).collect()
}

fn small_table(rows: &[small::Row]) -> String {
    let mut table = Table::new(&["model", "states", "spin", "cc", "pan", "together", "panoptes", "ratio"]);
    let ms = |seconds: f64| format!("{:.1}", seconds * 1e3);
    for row in rows {
        let mut cells = vec![row.path.clone(), grouped(row.states)];
        match row.ratio() {
            Some(ratio) => {
                cells.extend(row.spin_steps.map(ms));
                cells.extend([ms(row.spin), ms(row.panoptes), format!("{ratio:.0}")]);
            }
            None => cells.extend(vec!["wrong".to_string(); 6]),
        }
        table.row(cells);
    }
    let ratios: Vec<f64> = rows.iter().filter_map(small::Row::ratio).collect();
    let longest: Vec<f64> = rows.iter().filter(|row| row.problem.is_none()).map(|row| row.panoptes).collect();
    let mut text = table.markdown(true);
    if let Some((mean, longest)) = geometric_mean(&ratios).zip(maximum(&longest)) {
        text += &format!("\nGeometric mean of the ratio {mean:.1}; longest wait {} ms.\n", ms(longest));
    }
    text
}

fn front_table(front: &front::Front) -> String {
    let mut table = Table::new(&["model", "rules", "front end", "compiler", "together"]);
    let ms = |seconds: f64| format!("{:.1}", seconds * 1e3);
    for row in &front.slowest {
        let times = [row.front_end, row.compile, row.seconds()].map(ms);
        let mut cells = vec![row.path.clone(), row.rules.map_or("–".to_string(), grouped)];
        cells.extend(times);
        table.row(cells);
    }
    table.markdown(true)
}

fn bitstate_table(bitstate: &bitstate::Bitstate) -> String {
    let mut table = Table::new(&[
        "model",
        "pan",
        "dfs",
        "pan / dfs",
        "bfs",
        "pan / bfs",
        "omitted by pan",
        "by dfs",
        "small: by pan",
        "by dfs",
        "coverage",
        "estimate",
    ]);
    for row in &bitstate.rows {
        let seconds = |seconds: f64| format!("{seconds:.2}");
        let omitted = |stored: u64| grouped(row.states.saturating_sub(stored));
        let percent = |share: f64| format!("{:.2}%", share * 100.0);
        table.row(vec![
            row.path.clone(),
            seconds(row.pan),
            seconds(row.dfs),
            seconds(row.dfs_ratio()),
            seconds(row.bfs),
            seconds(row.bfs_ratio()),
            omitted(row.large[0]),
            omitted(row.large[1]),
            omitted(row.small[0]),
            omitted(row.small[1]),
            percent(row.small[1] as f64 / row.states as f64),
            percent(row.estimate),
        ]);
    }
    let mean = |ratio: fn(&bitstate::Row) -> f64| {
        let ratios: Vec<f64> = bitstate.rows.iter().map(ratio).collect();
        geometric_mean(&ratios).map_or("–".to_string(), |mean| format!("{mean:.2}"))
    };
    let mut text = table.markdown(true);
    if !text.is_empty() {
        text += &format!(
            "\nGeometric mean of the ratio: dfs {}, bfs {}.\n",
            mean(bitstate::Row::dfs_ratio),
            mean(bitstate::Row::bfs_ratio)
        );
    }
    text
}

fn defaults_table(defaults: &defaults::Defaults) -> String {
    let mut table = Table::new(&[
        "model",
        "pan",
        "panoptes",
        "pan / panoptes",
        "pan without `-w`",
        "its ratio",
        "states: pan",
        "panoptes",
        "MiB: pan",
        "panoptes",
        "no-por: same store",
        "its own",
        "states",
        "time a state",
    ]);
    for row in &defaults.rows {
        let number = |number: f64| format!("{number:.2}");
        let memory = |measure: &defaults::Measure| grouped(measure.peak_bytes >> 20);
        table.row(vec![
            row.path.clone(),
            number(row.pan.cpu_seconds),
            number(row.default.cpu_seconds),
            number(row.ratio()),
            number(row.pan_unsized.cpu_seconds),
            number(row.ratio_unsized()),
            grouped(row.pan.states),
            grouped(row.default.states),
            memory(&row.pan),
            memory(&row.default),
            number(row.plain.cpu_seconds),
            number(row.no_por.cpu_seconds),
            grouped(row.plain.states),
            number(row.cost()),
        ]);
    }
    let mut text = table.markdown(true);
    let (ratios, costs) = (defaults.ratios(), defaults.idle_costs());
    if let Some((mean, least)) = geometric_mean(&ratios).zip(minimum(&ratios)) {
        let memory = geometric_mean(&defaults.memories()).unwrap_or_default();
        text += &format!(
            "\nGeometric mean of pan / panoptes {mean:.2}, least {least:.2}; of the peaks of memory, panoptes / pan, {memory:.2}."
        );
        let unsized_ratios = defaults.ratios_unsized();
        if let Some((mean, least)) = geometric_mean(&unsized_ratios).zip(minimum(&unsized_ratios)) {
            text += &format!(
                " Where `pan` has the table that it takes without `-w`: {mean:.2}, least {least:.2}."
            );
        }
        let most = maximum(&costs).map_or("–".to_string(), |most| format!("{most:.2}"));
        text += &format!(" Time a state, where less than 5% of the states are saved: at most {most}.\n");
    }
    text
}

fn liveness_table(liveness: &liveness::Liveness) -> String {
    let mut table = Table::new(&[
        "model",
        "property",
        "pan",
        "scc",
        "pan / scc",
        "states: pan",
        "scc",
        "MiB: pan",
        "scc",
        "safety: states",
        "seconds",
        "MiB",
        "memory a state",
    ]);
    for row in &liveness.rows {
        let number = |number: f64| format!("{number:.2}");
        let seconds = |measure: &liveness::Measure| number(measure.cost.cpu_seconds);
        let memory = |measure: &liveness::Measure| grouped(measure.cost.peak_bytes >> 20);
        table.row(vec![
            row.path.clone(),
            row.property.clone(),
            seconds(&row.pan),
            seconds(&row.scc),
            number(row.ratio()),
            grouped(row.pan.states),
            grouped(row.scc.states),
            memory(&row.pan),
            memory(&row.scc),
            grouped(row.safety.states),
            seconds(&row.safety),
            memory(&row.safety),
            number(row.memory()),
        ]);
    }
    let mut text = table.markdown(true);
    let (ratios, memories) = (liveness.ratios(), liveness.memories());
    if let Some((mean, least)) = geometric_mean(&ratios).zip(minimum(&ratios)) {
        let memory = geometric_mean(&memories).unwrap_or_default();
        text += &format!(
            "\nGeometric mean of pan / scc {mean:.2}, least {least:.2}. Memory a state, in relation to the search for"
        );
        text += &format!(" errors of states: mean {memory:.2}.\n");
    }
    text
}

fn reductions_text(reductions: &reductions::Reductions) -> String {
    let ratios = reductions.ratios();
    if ratios.is_empty() {
        return String::new();
    }
    let percent =
        |share: Option<f64>| share.map_or("–".to_string(), |share| format!("{:.1}%", share * 100.0));
    let mut text = format!(
        "{} models without errors: not more than SPIN on {}, fewer on {}; geometric mean of the ratio {}.\n\nThe worst:\n\n",
        ratios.len(),
        percent(share(&ratios, |ratio| ratio <= 1.0)),
        percent(share(&ratios, |ratio| ratio < 1.0)),
        geometric_mean(&ratios).map_or("–".to_string(), |mean| format!("{mean:.2}")),
    );
    let mut table = Table::new(&["model", "SPIN", "Panoptes", "ratio"]);
    for row in reductions.worst(WORST) {
        let at_least = if row.complete { "" } else { "at least " };
        table.row(vec![
            row.path.clone(),
            grouped(row.spin),
            format!("{at_least}{}", grouped(row.panoptes)),
            format!("{:.2}", row.ratio()),
        ]);
    }
    text += &table.markdown(true);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let expected = format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n");
        assert_eq!(replace_marked(&text, "new\n"), Some(expected.clone()));
        assert_eq!(replace_marked(&expected, "new\n"), Some(expected));
        assert_eq!(replace_marked("no marks", "new"), None);
        assert_eq!(replace_marked(BEGIN, "new"), None);
    }
}
