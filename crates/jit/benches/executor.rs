//! How long a successor takes, interpreted and compiled: `cargo bench -p panoptes-jit [NAME…]`.
//!
//! The configurations of some of our models are listed once; then each executor computes the successors of all of them
//! again and again. There is no search and no store in what is timed. Of all rounds the median is shown.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use panoptes_exec::{Ending, Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_jit::Jit;
use panoptes_model::Model;
use panoptes_promela::FileLoader;
use panoptes_source::SourceMap;

const MODELS: [&str; 8] = [
    "peterson",
    "bakery",
    "philosophers",
    "paxos",
    "raft_election",
    "go_back_n",
    "needham_schroeder",
    "chang_roberts",
];

/// Of a large model only so many configurations, the nearest first: they fit the cache, so that the executor is
/// what is timed.
const CONFIGURATIONS_MAX: usize = 4000;
const ROUNDS_MIN: usize = 5;
const TIME: Duration = Duration::from_millis(400);

/// A vector, and the process that has control.
type Configuration = (Vec<u8>, Option<u8>);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // Run as a test (without `--bench`) it only shows that it works.
    let time = if args.iter().any(|arg| arg == "--bench") { TIME } else { Duration::ZERO };
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    println!(
        "{:<20} {:>14} {:>12} {:>10} {:>10} {:>8}",
        "model", "configurations", "successors", "interp ns", "jit ns", "ratio"
    );
    let chosen = |model: &&&str| names.is_empty() || names.iter().any(|name| model.contains(name.as_str()));
    for name in MODELS.iter().filter(chosen) {
        let model = load(name);
        let mut interpreter = Interpreter::new(&model, InterpreterOptions::default());
        let configurations = configurations(&mut interpreter);
        let mut jit = Jit::new(&model, Box::new(Interpreter::new(&model, InterpreterOptions::default())));
        let (count, interpreted) = measure(&mut interpreter, &configurations, time);
        let (native_count, compiled) = measure(&mut jit, &configurations, time);
        assert_eq!(count, native_count, "{name}: the executors differ");
        println!(
            "{name:<20} {:>14} {count:>12} {interpreted:>10.1} {compiled:>10.1} {:>7.1}x",
            configurations.len(),
            interpreted / compiled
        );
    }
}

/// The number of successors of all configurations, and the median of the nanoseconds for one.
fn measure(executor: &mut dyn Executor, configurations: &[Configuration], time: Duration) -> (usize, f64) {
    let mut out = Successors::default();
    let mut rounds = Vec::new();
    let mut count = 0;
    let start = Instant::now();
    while rounds.len() < ROUNDS_MIN || start.elapsed() < time {
        count = 0;
        let round = Instant::now();
        for (state, control) in configurations {
            executor.successors(state, *control, &mut out);
            count += std::hint::black_box(&out).items.len();
        }
        rounds.push(round.elapsed());
    }
    rounds.sort();
    (count, rounds[rounds.len() / 2].as_nanos() as f64 / count as f64)
}

fn configurations(executor: &mut dyn Executor) -> Vec<Configuration> {
    let initial = (executor.initial().expect("an initial state"), None);
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = VecDeque::from([initial]);
    let mut found = Vec::new();
    let mut out = Successors::default();
    while let Some((state, control)) = queue.pop_front() {
        executor.successors(&state, control, &mut out);
        let let_go = (out.ending == Ending::LetGo).then(|| (state.clone(), None));
        let items = out.items.iter().filter(|item| item.has_state());
        for next in items.map(|item| (out.state(item).to_vec(), item.control())).chain(let_go) {
            if seen.len() < CONFIGURATIONS_MAX && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
        found.push((state, control));
    }
    found
}

fn load(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(format!("{name}.pml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = SourceMap::default();
    let file = sources.add_file(name, text, None);
    let options = panoptes_promela::PreprocessorOptions::default();
    let (module, problems) = panoptes_promela::parse_file(&mut sources, file, &path, &options, &FileLoader);
    assert!(!problems.iter().any(|problem| problem.is_error()), "{name} does not parse");
    panoptes_promela::lower(&module, &sources, name).model.expect("a model of ours is good")
}
