//! The eighth part: breadth-first searches of large models with several threads, and searches for cycles where a temporal property holds, beside the
//! same search with one.
//!
//! What threads save is waiting, so wall seconds of the whole program are compared. They mean something only on a machine that is idle
//! otherwise; CPU seconds stand beside them, and tell what the threads do that one does not.

use super::Sitting;
use super::corpus::{Heavy, Known};
use super::process::Cost;
use super::stats::geometric_mean;
use super::svg::{self, Group, Series};
use super::table::{Table, grouped};
use serde_json::{Value, json};

pub const STORES: [&str; 2] = ["exact", "compressed"];

/// What a second thread gains LTSmin (its multi-core tree search, depth first), from a sitting on a machine with two cores: wall seconds.
const LTSMIN: [(&str, f64); 2] = [("elevator2.3", 1.91), ("at.4", 2.15)];

pub struct Threads {
    /// How many there were.
    pub counts: Vec<usize>,
    /// Breadth-first searches for errors of states.
    pub rows: Vec<Row>,
    /// Searches for cycles.
    pub products: Vec<Row>,
    pub problems: Vec<String>,
}

pub struct Row {
    pub path: String,
    pub states: u64,
    /// By store, and by number of threads: the best of several runs.
    pub costs: [Vec<Cost>; STORES.len()],
}

impl Row {
    /// How many times as fast as with the first number of threads, in wall seconds; and how much more the processor did.
    fn ratios(&self, store: usize, index: usize) -> (f64, f64) {
        let (first, cost) = (self.costs[store][0], self.costs[store][index]);
        (first.wall_seconds / cost.wall_seconds, cost.cpu_seconds / first.cpu_seconds)
    }
}

/// The means of these over all models.
fn means(rows: &[Row], store: usize, index: usize) -> (f64, f64) {
    let (walls, cpus): (Vec<f64>, Vec<f64>) = rows.iter().map(|row| row.ratios(store, index)).unzip();
    (geometric_mean(&walls).unwrap_or(1.0), geometric_mean(&cpus).unwrap_or(1.0))
}

pub fn measure_all(sitting: &Sitting, models: &[Heavy], temporal: &[(&Known, &str)]) -> Threads {
    let counts = sitting.options.threads.clone();
    let mut found = Threads { counts, rows: Vec::new(), products: Vec::new(), problems: Vec::new() };
    let Threads { rows, products, problems, .. } = &mut found;
    let mut note = |rows: &mut Vec<Row>, path: &str, row: Result<Row, String>| match row {
        Ok(row) => {
            let shown = |store: usize| {
                let seconds = row.costs[store].iter().map(|cost| format!("{:.2}s", cost.wall_seconds));
                format!("{} {}", STORES[store], seconds.collect::<Vec<_>>().join(" "))
            };
            eprintln!("{}: {}, {}", row.path, shown(0), shown(1));
            rows.push(row);
        }
        Err(problem) => problems.push(format!("{path} [threads] {problem}")),
    };
    for model in models {
        let run = |store: &str, threads| Ok((run_once(sitting, model, store, threads)?, model.states));
        note(rows, &model.path, measure(sitting, model.path.clone(), run));
    }
    for (model, property) in temporal {
        let run = |store: &str, threads| run_product(sitting, model, property, store, threads);
        note(products, &model.path, measure(sitting, format!("{} {property}", model.path), run));
    }
    found
}

/// `run` tells what it took, and how many states there are.
fn measure(
    sitting: &Sitting,
    path: String,
    run: impl Fn(&str, usize) -> Result<(Cost, u64), String>,
) -> Result<Row, String> {
    let mut costs = [const { Vec::new() }; STORES.len()];
    let mut known = None;
    for turn in 0..sitting.options.runs {
        for (store, costs) in STORES.iter().zip(&mut costs) {
            for (index, threads) in sitting.options.threads.iter().enumerate() {
                let (cost, states) = run(store, *threads)?;
                let expected = *known.get_or_insert(states);
                if states != expected {
                    return Err(format!(
                        "{threads} threads, {store}: {states} states in place of {expected}"
                    ));
                }
                if turn == 0 {
                    costs.push(cost);
                } else {
                    costs[index] = cost.best(costs[index]);
                }
            }
        }
    }
    Ok(Row { path, states: known.unwrap_or_default(), costs })
}

/// A search for a violation of a property that holds.
fn run_product(
    sitting: &Sitting,
    model: &Known,
    property: &str,
    store: &str,
    threads: usize,
) -> Result<(Cost, u64), String> {
    let threads = threads.to_string();
    let flags = ["--exact", "--search", "scc", "--store", store, "--threads", &threads];
    let run = sitting.panoptes.check_property(&sitting.spin.model(&model.path), property, &flags);
    let (answer, cost) = run.map_err(|failure| failure.words())?;
    if answer.violated || !answer.complete {
        return Err(format!("{threads} threads, {store}: it is not seen that {property} holds"));
    }
    Ok((cost, answer.stored))
}

fn run_once(sitting: &Sitting, model: &Heavy, store: &str, threads: usize) -> Result<Cost, String> {
    let threads = threads.to_string();
    let flags = ["--exact", "--all-errors", "--search", "bfs", "--store", store, "--threads", &threads];
    let run = sitting.panoptes.check(&sitting.spin.model(&model.path), &flags);
    let (answer, cost) = run.map_err(|failure| failure.words())?;
    if (answer.stored, answer.transitions) != (model.states, model.transitions) {
        return Err(format!(
            "{threads} threads, {store}: {} states and {} transitions in place of {} and {}",
            answer.stored, answer.transitions, model.states, model.transitions
        ));
    }
    Ok(cost)
}

/// A chart of how many times as fast the most threads are as the fewest.
pub fn svg(threads: &Threads) -> String {
    let last = threads.counts.len() - 1;
    let (fewest, most) = (threads.counts[0], threads.counts[last]);
    let peer = |name: &str| {
        let known = LTSMIN.iter().find(|(model, _)| *model == name).map(|(_, ratio)| *ratio);
        known.filter(|_| (fewest, most) == (1, 2))
    };
    let mut groups = Vec::new();
    for (search, rows) in [("breadth first", &threads.rows), ("cycles", &threads.products)] {
        for row in rows {
            let path = row.path.split(' ').next().unwrap_or(&row.path);
            let name = svg::short_name(path);
            let peer = peer(name).filter(|_| search != "cycles");
            let ratios = vec![Some(row.ratios(0, last).0), Some(row.ratios(1, last).0), peer];
            let name = if search == "cycles" { format!("{name}, cycles") } else { name.to_string() };
            groups.push(Group { name, is_mean: false, ratios });
        }
        if !rows.is_empty() {
            let ratios = vec![Some(means(rows, 0, last).0), Some(means(rows, 1, last).0), None];
            groups.push(Group { name: format!("mean, {search}"), is_mean: true, ratios });
        }
    }
    let series = [("dfs", "exact"), ("compressed", "compressed"), ("peer", "LTSmin, tree")];
    let series = series.map(|(class, legend)| Series { class, legend: legend.to_string() });
    let title = format!("{most} threads: times as fast as {fewest} (wall seconds)");
    svg::draw(&title, &series, &groups)
}

/// For each store and model the seconds, how many times as fast, what the processor did more, and the memory.
pub fn markdown(threads: &Threads) -> String {
    let mut text = String::new();
    let searches = [("breadth first", &threads.rows), ("for cycles", &threads.products)];
    for (search, rows) in searches.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        for (store, name) in STORES.iter().enumerate() {
            text += &format!("{search}, `--store {name}`:\n\n{}", table(threads, rows, store));
            for (index, count) in threads.counts.iter().enumerate().skip(1) {
                let (wall, cpu) = means(rows, store, index);
                text += &format!(
                    "\nGeometric mean with {count} threads: {wall:.2} times as fast, {cpu:.2} times the CPU seconds.\n"
                );
            }
            text += "\n";
        }
    }
    text
}

fn table(threads: &Threads, rows: &[Row], store: usize) -> String {
    let mut header = vec!["model".to_string(), "states".to_string()];
    for (index, count) in threads.counts.iter().enumerate() {
        header.push(format!("s, {count}"));
        if index > 0 {
            header.extend([format!("faster, {count}"), format!("CPU, {count}")]);
        }
        header.push(format!("MiB, {count}"));
    }
    let mut table = Table::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        let mut cells = vec![row.path.clone(), grouped(row.states)];
        for (index, cost) in row.costs[store].iter().enumerate() {
            cells.push(format!("{:.2}", cost.wall_seconds));
            if index > 0 {
                let (wall, cpu) = row.ratios(store, index);
                cells.extend([format!("{wall:.2}"), format!("{cpu:.2}")]);
            }
            cells.push(grouped(cost.peak_bytes >> 20));
        }
        table.row(cells);
    }
    table.markdown(true)
}

pub fn json(threads: &Threads) -> Value {
    let cost = |cost: &Cost| json!({ "wall_seconds": cost.wall_seconds, "cpu_seconds": cost.cpu_seconds, "peak_bytes": cost.peak_bytes });
    let costs = |row: &Row, store: usize| row.costs[store].iter().map(cost).collect::<Vec<_>>();
    let row = |row: &Row| json!({ "model": row.path, "states": row.states, "exact": costs(row, 0), "compressed": costs(row, 1) });
    let last = threads.counts.len() - 1;
    let faster =
        |rows: &[Row]| json!({ "exact": means(rows, 0, last).0, "compressed": means(rows, 1, last).0 });
    json!({
        "threads": threads.counts,
        "rows": threads.rows.iter().map(row).collect::<Vec<_>>(),
        "products": threads.products.iter().map(row).collect::<Vec<_>>(),
        "faster_mean": faster(&threads.rows),
        "products_faster_mean": faster(&threads.products),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_ratios() {
        let cost = |wall_seconds, cpu_seconds| Cost { wall_seconds, cpu_seconds, peak_bytes: 0 };
        let row = |first: f64, second: f64| Row {
            path: "m".to_string(),
            states: 1,
            costs: [
                vec![cost(first, first), cost(second, 2.2 * second)],
                vec![cost(1.0, 1.0), cost(1.0, 2.0)],
            ],
        };
        let rows = vec![row(8.0, 4.0), row(8.0, 1.0)];
        let threads = Threads { counts: vec![1, 2], rows, products: Vec::new(), problems: Vec::new() };
        let (wall, cpu) = means(&threads.rows, 0, 1);
        assert!((wall - 4.0).abs() < 1e-9 && (cpu - 0.55).abs() < 1e-9, "{wall} {cpu}");
        assert_eq!(means(&threads.rows, 1, 1), (1.0, 2.0));
        assert!(markdown(&threads).contains("with 2 threads: 4.00 times as fast, 0.55 times"));
        let chart = svg(&threads);
        svg::tests::assert_well_formed(&chart);
        assert!(chart.contains(">4.00<") && chart.contains("2 threads: times as fast as 1"));
    }
}
