//! Fuzzing of everything between a file and a search: whatever the text, there is an answer, soon, and a sane one.
//!
//! Runs in this process on stable Rust. Every case follows from one number, so a number is enough to see it again
//! ([`Options`] `--emit`, `--count 1`). A panic is caught and shrunk. A stack overflow or a case without end cannot be
//! caught: the number of the running case stands in a file before it starts, and a watchman looks at the clock.

mod careless;
mod careless_argos;
mod input;
mod mutate;
mod options;
mod shrink;
mod subject;
mod vocabulary;
mod walk;
mod watch;

pub use input::Corpora;
use input::Corpus;
use options::{Mode, Options};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
pub use subject::Language;
use subject::{Depth, Failure};
use watch::Watch;

/// The stack of the program's main thread, which is where a model is really read.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// A case that takes longer is a failure.
const CASE_MAX: Duration = Duration::from_secs(5);

/// Shrinking ends after this long, with what it has.
const SHRINK_MAX: Duration = Duration::from_secs(60);

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), options::USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    let corpus = Corpus::of_repository(options.target.language);
    match &options.mode {
        Mode::Emit(seed) => {
            print!("{}", String::from_utf8_lossy(&corpus.case(*seed)));
            ExitCode::SUCCESS
        }
        Mode::File(path) => match std::fs::read(path) {
            Ok(bytes) => one_file(bytes, options.target),
            Err(error) => crate::bad_usage(&format!("cannot read {}: {error}", path.display()), ""),
        },
        Mode::Fuzz => fuzz(&corpus, &options),
    }
}

fn one_file(bytes: Vec<u8>, target: subject::Target) -> ExitCode {
    match on_a_real_stack(move || watch::guarded(&bytes, target)) {
        Ok(depth) => {
            println!("fuzz-front: nothing wrong, {depth:?}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("fuzz-front: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs `work` on a thread with the stack of a main thread.
fn on_a_real_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.expect("a thread can be started").join().expect("panics are caught inside")
    })
}

/// How many cases came how far.
#[derive(Default)]
struct Tally {
    by_depth: [u64; Depth::COUNT],
}

fn fuzz(corpus: &Corpus, options: &Options) -> ExitCode {
    println!(
        "fuzz-front: seed {}, {} s, {} jobs{}",
        options.seed,
        options.time.as_secs(),
        options.jobs,
        if cfg!(debug_assertions) {
            ""
        } else {
            " (without overflow checks: build without --release for them)"
        }
    );
    if let Err(error) = std::fs::create_dir_all(&options.keep) {
        return crate::bad_usage(&format!("cannot make {}: {error}", options.keep.display()), "");
    }
    watch::silence_panics();
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let found: Mutex<Option<(u64, Failure)>> = Mutex::new(None);
    let watch = Watch::new(options.jobs);
    std::thread::scope(|scope| {
        scope.spawn(|| watch.stand(|seed| give_up(corpus, options, seed)));
        let workers: Vec<_> = (0..options.jobs)
            .map(|job| {
                let (watch, tally, found, next) = (&watch, &tally, &found, &next);
                let work = move || {
                    while started.elapsed() < options.time && found.lock().is_ok_and(|f| f.is_none()) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= options.count {
                            break;
                        }
                        let seed = options.seed.wrapping_add(number);
                        match one_case(corpus, options, watch, job, seed) {
                            Ok(depth) => {
                                tally.lock().expect("nobody panics with it").by_depth[depth as usize] += 1
                            }
                            Err(failure) => *found.lock().expect("as before") = Some((seed, failure)),
                        }
                    }
                };
                std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)
            })
            .collect();
        for worker in workers {
            drop(worker.expect("a thread can be started").join());
        }
        watch.dismiss();
    });
    let by_depth = tally.into_inner().expect("nobody panics with it").by_depth;
    print_tally(&by_depth, options.seed, started.elapsed());
    match found.into_inner().expect("as before") {
        None => ExitCode::SUCCESS,
        Some((seed, failure)) => {
            report(corpus, options, seed, &failure);
            ExitCode::FAILURE
        }
    }
}

fn one_case(
    corpus: &Corpus,
    options: &Options,
    watch: &Watch,
    job: usize,
    seed: u64,
) -> Result<Depth, Failure> {
    // Whoever finds this file after a crash knows where to look.
    let note = options.keep.join(format!("running-{job}"));
    drop(std::fs::write(note, format!("{seed}\n")));
    let input = corpus.case(seed);
    watch.start(job, seed);
    let result = watch::guarded(&input, options.target);
    watch.stop(job);
    result
}

fn print_tally(by_depth: &[u64], seed: u64, elapsed: Duration) {
    let cases: u64 = by_depth.iter().sum();
    let rate = cases as f64 / elapsed.as_secs_f64().max(0.001);
    println!("fuzz-front: {cases} cases from seed {seed}, {rate:.0} a second");
    for (depth, count) in Depth::ALL.iter().zip(by_depth) {
        println!("  {count:>9} {}", depth.describe());
    }
}

/// Shrinks what failed, saves it and tells.
fn report(corpus: &Corpus, options: &Options, seed: u64, failure: &Failure) {
    let input = corpus.case(seed);
    let same = |bytes: &[u8]| {
        let bytes = bytes.to_vec();
        on_a_real_stack(|| watch::guarded(&bytes, options.target)).is_err_and(|other| other.same_as(failure))
    };
    let small = shrink::shrink(&input, same, SHRINK_MAX);
    let path = options.keep.join(format!("seed-{seed}.{}", options.target.language.file_ending()));
    println!("\nfuzz-front: seed {seed}: {failure}");
    println!("----\n{}\n----", String::from_utf8_lossy(&small));
    save(&path, &small);
}

/// A case that does not end cannot be ended: tell and leave.
fn give_up(corpus: &Corpus, options: &Options, seed: u64) {
    let path = options.keep.join(format!("seed-{seed}.{}", options.target.language.file_ending()));
    println!("\nfuzz-front: seed {seed}: no answer after {} s", CASE_MAX.as_secs());
    save(&path, &corpus.case(seed));
    std::process::exit(1);
}

fn save(path: &std::path::Path, bytes: &[u8]) {
    match std::fs::write(path, bytes) {
        Ok(()) => println!("saved as {}; try it with --file", path.display()),
        Err(error) => println!("cannot save it as {}: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use subject::{Extent, Target};

    fn target(language: Language) -> Target {
        Target { language, extent: Extent::Lower }
    }

    /// A few hundred cases of a fixed seed, on the small stack of a test thread.
    #[test]
    fn a_few_hundred_cases() {
        watch::silence_panics();
        for language in [Language::Promela, Language::Argos] {
            let corpus = Corpus::of_repository(language);
            let mut reached = [0; Depth::COUNT];
            for seed in 0..400 {
                let input = corpus.case(seed);
                match watch::guarded(&input, target(language)) {
                    Ok(depth) => reached[depth as usize] += 1,
                    Err(failure) => panic!("seed {seed}: {failure}\n{}", String::from_utf8_lossy(&input)),
                }
            }
            let everywhere = reached.iter().all(|count| *count > 10);
            assert!(everywhere, "the {language:?} cases do not go everywhere: {reached:?}");
        }
    }

    #[test]
    fn cases_follow_from_their_number() {
        for language in [Language::Promela, Language::Argos] {
            let corpus = Corpus::of_repository(language);
            assert!((0..50).all(|seed| corpus.case(seed) == corpus.case(seed)));
        }
        assert!(subject::examine(b"init { skip }", target(Language::Promela)).is_ok());
    }
}
