//! `cargo xtask bench`: how fast Panoptes is beside SPIN, on the same models in one sitting.
//!
//! Eight parts: full searches of large models (*throughput*), the wait for the verdict of small ones (*small*), the time
//! before a search begins (*front*), the states left by the default reductions (*reductions*),
//! bit-state searches of large models (*bitstate*), searches of large models as people start them (*default*), temporal
//! properties (*liveness*), and searches with several threads (*threads*). Speed is compared in CPU seconds, because others may use the machine; waiting is compared in wall seconds. Counts and verdicts must be
//! right, or what was measured is not the same search.

mod bars;
mod bitstate;
mod corpus;
mod defaults;
mod front;
mod json;
mod liveness;
mod markdown;
mod options;
mod pan;
mod panoptes;
pub mod process;
mod reductions;
mod report;
mod small;
mod spin;
mod stats;
mod svg;
mod table;
mod threads;
mod throughput;

pub use table::grouped;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use corpus::{Heavy, Known};
use options::{Options, Part, USAGE};
use panoptes::Panoptes;
use report::{Host, Report, Settings};
use spin::Spin;

/// What all parts share.
struct Sitting<'a> {
    options: &'a Options,
    spin: Spin,
    panoptes: Panoptes,
}

pub fn run(args: Vec<String>) -> ExitCode {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(problem) => return crate::bad_usage(&problem, USAGE),
    };
    match measure(&options) {
        Ok(report) => {
            print!("{}", markdown::of(&report));
            let problems = report.problems();
            for problem in &problems {
                println!("wrong: {problem}");
            }
            if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) -> Result<Report, String> {
    let corpus = find_corpus(options)?;
    let known: Vec<Known> =
        chosen(corpus::parse_golden(&read(&corpus, "golden.tsv")?)?, options, |row| &row.path);
    let heavy = heavy_models(&corpus, &known, options)?;

    let cache = options.cache.clone().map_or_else(default_cache, Ok)?;
    let scratch = cache.join("scratch");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    // Programs run in other folders than we do.
    let absolute = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let (cache, scratch) = (absolute(&cache)?, absolute(&scratch)?);
    let spin = Spin::find(&cache, &scratch)?;
    let binary = match &options.panoptes {
        Some(path) => absolute(path)?,
        None => crate::conformance::build()?,
    };
    let panoptes = Panoptes::new(binary, &scratch)?;
    spin.copy_models(&corpus.join("models"))
        .map_err(|error| format!("cannot copy {}: {error}", corpus.join("models").display()))?;
    let report = measure_parts(&Sitting { options, spin, panoptes }, &heavy, &known);
    write_files(options, &report)?;
    Ok(report)
}

fn measure_parts(sitting: &Sitting, heavy: &[Heavy], known: &[Known]) -> Report {
    let options = sitting.options;
    let part = |part, name: &str, models: usize| {
        let wanted = options.wants(part);
        if wanted {
            eprintln!("{name}: {models} models");
        }
        wanted
    };
    let all: Vec<&Known> = known.iter().collect();
    let small = small::sample(known);
    let comparable = reductions::comparable(known, options.reduced_states_max());
    let default = defaults::comparable(known, options.states_max());
    let temporal = liveness::comparable(known, options.states_max());
    Report {
        machine: Host {
            cpu: report::cpu_name(),
            cores: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            spin: sitting.spin.version.clone(),
            cc: sitting.spin.cc_version.clone(),
            panoptes: sitting.panoptes.version.clone(),
        },
        settings: Settings {
            runs: options.runs,
            quick: options.quick,
            states_max: options.states_max(),
            reduced_states_max: options.reduced_states_max(),
            compressed_search: options.compressed_search.clone(),
        },
        throughput: part(Part::Throughput, "throughput", heavy.len())
            .then(|| throughput::measure_all(sitting, heavy)),
        small: part(Part::Small, "small", small.len()).then(|| small::measure_all(sitting, &small)),
        front: part(Part::Front, "front", all.len()).then(|| front::measure_all(sitting, &all)),
        reductions: part(Part::Reductions, "reductions", comparable.len())
            .then(|| reductions::measure_all(sitting, &comparable)),
        bitstate: part(Part::Bitstate, "bitstate", heavy.len())
            .then(|| bitstate::measure_all(sitting, heavy)),
        defaults: part(Part::Default, "default", default.len())
            .then(|| defaults::measure_all(sitting, &default)),
        liveness: part(Part::Liveness, "liveness", temporal.len())
            .then(|| liveness::measure_all(sitting, &temporal)),
        threads: part(Part::Threads, "threads", heavy.len() + temporal.len())
            .then(|| threads::measure_all(sitting, heavy, &temporal)),
    }
}

fn write_files(options: &Options, report: &Report) -> Result<(), String> {
    let write =
        |path: &Path, text| fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()));
    if let Some(path) = &options.json {
        write(path, format!("{:#}\n", json::of(report)))?;
    }
    if let Some(path) = &options.svg {
        let chart = match &report.threads {
            Some(threads) => threads::svg(threads),
            None => svg::of(report.throughput.as_deref().unwrap_or_default()),
        };
        write(path, chart)?;
    }
    if let Some(path) = &options.markdown {
        markdown::write(path, &markdown::of(report))?;
    }
    Ok(())
}

fn heavy_models(corpus: &Path, known: &[Known], options: &Options) -> Result<Vec<Heavy>, String> {
    let rows = corpus::parse_bench(&read(corpus, "bench.tsv")?)?;
    let mut rows = chosen(rows, options, |row| &row.path);
    rows.retain(|row| row.states <= options.states_max());
    for row in &mut rows {
        row.depth = known.iter().find(|known| known.path == row.path).and_then(|known| known.depth);
    }
    if rows.is_empty() && options.wants(Part::Throughput) {
        return Err("no row of bench.tsv was chosen".to_string());
    }
    Ok(rows)
}

fn chosen<T>(rows: Vec<T>, options: &Options, path: fn(&T) -> &String) -> Vec<T> {
    rows.into_iter().filter(|row| options.chooses(path(row))).collect()
}

fn find_corpus(options: &Options) -> Result<PathBuf, String> {
    let folder = options.corpus.clone().or_else(|| std::env::var_os("PANOPTES_CORPUS").map(PathBuf::from));
    let folder = folder.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus").into());
    folder.canonicalize().map_err(|error| format!("no corpus in {}: {error}", folder.display()))
}

fn read(corpus: &Path, name: &str) -> Result<String, String> {
    let path = corpus.join(name);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// `bench` in cargo's target folder, where this program lies two folders deep.
fn default_cache() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = program.ancestors().nth(2).ok_or("this program is in no target folder")?;
    Ok(target.join("bench"))
}
