//! Partial searches against complete ones: no verdict of theirs may be wrong, and what they find must replay.

use panoptes_check::{
    BitArray, CheckSettings, Folding, Job, Language, Limits, Loaded, OnFull, Property, Scatter, Semantics,
    StoreSpec, Strategy, Swarm, TextOptions, Threads, Verdict, VerdictKind, load_file, load_text,
    replay_error, run_search,
};
use panoptes_modelgen::shipped;
use panoptes_search::{FindingKind, Limit, Reduction};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn models() -> Vec<PathBuf> {
    let is_promela = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "pml");
    shipped(&[""]).into_iter().filter(is_promela).collect()
}

fn load(path: &Path) -> Loaded {
    let loaded = load_file(path, Language::Promela, &TextOptions::default()).expect("a readable file");
    loaded.unwrap_or_else(|_| panic!("{} is a model", path.display()))
}

fn text(model: &str) -> Loaded {
    let loaded =
        load_text("m.pml", model.to_string(), Path::new("m.pml"), Language::Promela, &TextOptions::default());
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

fn safety(search: Strategy) -> CheckSettings {
    CheckSettings { property: Property::Safety, strategy: search, ..CheckSettings::default() }
}

/// Goes to likely errors first, and leaves nothing out.
const SCATTER: Strategy = Strategy::Scatter(Scatter::EVERYTHING);

fn queues(queue: Option<u16>) -> Limits {
    Limits { queue, ..Limits::default() }
}

/// Every error of the verdict that has its path, walked on the reference executor.
fn replay(name: &str, loaded: &Loaded, options: &CheckSettings, verdict: &Verdict) {
    for error in verdict.outcome.errors.iter().filter(|error| error.path.len() == error.length) {
        let replayed = replay_error(loaded, options, error);
        assert!(replayed.is_ok(), "{name}, {:?}: {:?}", options.strategy, replayed.err());
    }
}

#[test]
fn escalation_has_the_verdict_of_a_complete_search() {
    for path in models() {
        let loaded = load(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let complete = run_search(&loaded, &safety(Strategy::DFS), &mut ());
        let options = safety(Strategy::ESCALATE);
        let escalated = run_search(&loaded, &options, &mut ());
        assert_eq!(escalated.kind, complete.kind, "{name}");
        replay(&name, &loaded, &options, &escalated);
    }
}

#[test]
fn scatter_searches_say_nothing_that_is_wrong() {
    let scopes =
        [(Some(1), Some(1), Some(1)), (Some(1), None, Some(2)), (None, Some(1), None), (None, None, None)];
    let mut found = [0; 4];
    let mut violated = 0;
    for path in models() {
        let loaded = load(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let complete = run_search(&loaded, &safety(Strategy::DFS), &mut ());
        violated += usize::from(complete.kind == VerdictKind::Violated);
        for (index, (processes_max, options_max, queue_limit)) in scopes.into_iter().enumerate() {
            let scatter = Scatter { processes_max, options_max, queue_limit, ..Scatter::EVERYTHING };
            // The last one has no limits at all: it must find whatever there is.
            let limits = if index == 3 { Limits::of_depth(1 << 30) } else { Limits::default() };
            let options = CheckSettings { limits, ..safety(Strategy::Scatter(scatter)) };
            let verdict = run_search(&loaded, &options, &mut ());
            match verdict.kind {
                VerdictKind::Inconclusive => assert!(index < 3, "{name}: {:?}", verdict.limits),
                kind => assert_eq!(kind, complete.kind, "{name}, {options:?}"),
            }
            found[index] += usize::from(verdict.kind == VerdictKind::Violated);
            replay(&name, &loaded, &options, &verdict);
        }
    }
    assert_eq!(found[3], violated);
    assert!(found[1] * 2 > violated, "one process a state finds {} of {violated} errors", found[1]);
}

#[test]
fn random_orders_agree_with_the_listed_one() {
    for path in models() {
        let loaded = load(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let complete = run_search(&loaded, &safety(Strategy::DFS), &mut ());
        for seed in 0..2 {
            let options = CheckSettings { seed, ..safety(Strategy::Random) };
            let verdict = run_search(&loaded, &options, &mut ());
            assert_eq!(verdict.kind, complete.kind, "{name}, seed {seed}");
            replay(&name, &loaded, &options, &verdict);
        }
    }
}

/// A queue that fills, and a receiver that waits for something else at the fourth message.
const QUEUE: &str = "
chan q = [4] of { byte };
active proctype Sender() { byte n; do :: n < 4 -> q!n; n++ :: else -> break od }
active proctype Receiver() { len(q) == 4; assert(false) }
";

#[test]
fn a_queue_limit_hides_what_longer_queues_would_show_and_invents_nothing() {
    let loaded = text(QUEUE);
    for search in [Strategy::DFS, Strategy::BFS, Strategy::Random, SCATTER] {
        for (limit, kind) in [
            (Some(3), VerdictKind::Inconclusive),
            (Some(4), VerdictKind::Violated),
            (None, VerdictKind::Violated),
        ] {
            for por in [false, true] {
                let options = CheckSettings {
                    limits: queues(limit),
                    semantics: Semantics::new(por, true),
                    all_errors: true,
                    ..safety(search)
                };
                let verdict = run_search(&loaded, &options, &mut ());
                assert_eq!(verdict.kind, kind, "{search:?} with {limit:?}");
                let is_limited = verdict.limits.contains(&Limit::Queues);
                assert_eq!(is_limited, limit == Some(3), "{search:?} with {limit:?}");
                let deadlocks =
                    verdict.outcome.errors.iter().filter(|error| error.kind == FindingKind::Deadlock);
                assert_eq!(deadlocks.count(), 0, "a sender at the limit is not stuck");
            }
        }
    }
}

#[test]
fn a_reduced_search_sees_as_much_within_a_queue_limit() {
    let options = |por, limit| CheckSettings {
        semantics: Semantics::new(por, true),
        limits: queues(Some(limit)),
        all_errors: true,
        ..safety(Strategy::DFS)
    };
    let errors = |verdict: &Verdict| {
        let places = verdict.outcome.errors.iter().map(|error| {
            let fault = error.fault.as_ref().map(|fault| format!("{:?}: {}", fault.span, fault.message));
            (error.kind, fault)
        });
        places.collect::<std::collections::BTreeSet<_>>()
    };
    for path in models() {
        let loaded = load(&path);
        for limit in [1, 2] {
            let full = run_search(&loaded, &options(false, limit), &mut ());
            let reduced = run_search(&loaded, &options(true, limit), &mut ());
            assert_eq!(errors(&full), errors(&reduced), "{} with {limit}", path.display());
            assert!(
                reduced.outcome.statistics.stored <= full.outcome.statistics.stored,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn foldings_take_states_for_one_and_say_so() {
    let model = "
        byte x, y;
        chan c = [2] of { byte };
        active proctype P() { byte z; do :: d_step { x < 9 -> x++ } :: d_step { y < 9 -> y++ } :: d_step { z < 9 -> z++ } od }
        active proctype Q() { do :: c!1 :: c?_ od }
    ";
    let loaded = text(model);
    let stored = |foldings: Vec<Folding>| {
        let options = CheckSettings {
            foldings,
            semantics: Semantics::EXACT,
            limits: Limits::of_depth(1 << 30),
            ..safety(SCATTER)
        };
        let verdict = run_search(&loaded, &options, &mut ());
        (verdict.outcome.statistics.stored, verdict.kind, verdict.limits.contains(&Limit::Folding))
    };
    let whole = stored(Vec::new());
    assert_eq!(whole, (3000, VerdictKind::Verified, false));
    let named = |folding: Folding| {
        assert_eq!(folding.check(&loaded.model), Ok(()));
        stored(vec![folding])
    };
    assert_eq!(named(Folding::Variable("x".into())), (300, VerdictKind::Inconclusive, true));
    assert_eq!(named(Folding::Variable("P:z".into())), (300, VerdictKind::Inconclusive, true));
    assert_eq!(named(Folding::Channel("c".into())), (1000, VerdictKind::Inconclusive, true));
    // Where Q stands, and all that P holds.
    assert_eq!(named(Folding::Process("Q".into())).0, 3000);
    assert_eq!(named(Folding::Process("P".into())).0, 300);
    let unknown = Folding::Variable("z".into()).check(&loaded.model).expect_err("there is no global z");
    assert!(unknown.known.contains(&"P:z".to_string()), "{unknown:?}");
}

/// Every search can take states for one, and with the reduction too.
#[test]
fn foldings_go_with_every_search() {
    let loaded =
        text("byte x, y; active proctype P() { do :: x < 3 -> x++ :: y < 3 -> y++ :: else -> break od }");
    for search in [Strategy::DFS, Strategy::BFS, Strategy::Random, Strategy::ESCALATE, Strategy::Auto] {
        for por in [false, true] {
            let base = CheckSettings { semantics: Semantics::new(por, false), ..safety(search) };
            let whole = run_search(&loaded, &base, &mut ());
            let options = CheckSettings { foldings: vec![Folding::Variable("y".into())], ..base };
            let verdict = run_search(&loaded, &options, &mut ());
            assert!(verdict.limits.contains(&Limit::Folding), "{search:?}");
            assert_eq!(verdict.kind, VerdictKind::Inconclusive, "{search:?}");
            let stored = |verdict: &Verdict| verdict.outcome.statistics.stored;
            // An escalation with a folding goes through all its stages, as none is complete.
            assert!(stored(&verdict) < stored(&whole) || search == Strategy::ESCALATE, "{search:?}");
            let is_reduced = verdict.outcome.reduction == Reduction::Por;
            assert_eq!(is_reduced, por, "{search:?}");
        }
    }
}

#[test]
fn a_violation_behind_a_folding_replays() {
    let loaded = text("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 150 -> assert(false) od }");
    let folded = |foldings| CheckSettings { foldings, limits: Limits::of_depth(10_000), ..safety(SCATTER) };
    let options = folded(vec![Folding::Process("P".into())]);
    let verdict = run_search(&loaded, &options, &mut ());
    assert_eq!(verdict.kind, VerdictKind::Violated);
    replay("folded", &loaded, &options, &verdict);
    let hidden = run_search(&loaded, &folded(vec![Folding::Variable("x".into())]), &mut ());
    assert_eq!(hidden.kind, VerdictKind::Inconclusive, "all values of x are one state");
}

#[test]
fn a_swarm_finds_what_there_is_and_each_of_its_jobs_can_run_alone() {
    for (name, kind) in [
        ("philosophers_deadlock.pml", VerdictKind::Violated),
        ("two_phase_commit_crash.pml", VerdictKind::Violated),
        ("token_ring.pml", VerdictKind::Inconclusive),
    ] {
        let loaded = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name));
        let swarm = Swarm { jobs: Some(8), threads: Some(2), ..Swarm::DEFAULT };
        let options = CheckSettings {
            limits: Limits { memory: Some(64 << 20), ..Limits::of_time(Duration::from_secs(20)) },
            all_errors: true,
            ..safety(Strategy::Swarm(swarm))
        };
        let verdict = run_search(&loaded, &options, &mut ());
        assert_eq!(verdict.kind, kind, "{name}");
        assert!(verdict.limits.contains(&Limit::Bitstate));
        let summary = verdict.swarm.expect("it was a swarm");
        assert_eq!((summary.jobs_run, summary.jobs_planned), (8, 8), "{name}");
        replay(name, &loaded, &options, &verdict);
        let mut errors = verdict.outcome.errors.clone();
        errors.dedup_by(|left, right| left.is_same(right));
        assert_eq!(errors.len(), verdict.outcome.errors.len(), "each distinct error once");
        for number in 0..8 {
            let job = Job::new(&loaded.model, swarm, &options, number);
            let alone = run_search(&loaded, &job.settings, &mut ());
            assert_ne!(alone.kind, VerdictKind::Verified);
            let is_known = |error: &panoptes_search::Finding| {
                verdict.outcome.errors.iter().any(|known| known.is_same(error))
            };
            assert!(alone.outcome.errors.iter().all(is_known), "{name}, job {number}");
        }
    }
}

/// Without a number of jobs there are more, and longer ones, until the time is used or one of them was limited by nothing but
/// its array.
#[test]
fn a_swarm_without_a_number_of_jobs_uses_its_time() {
    let run = |source: &str, jobs, time| {
        let swarm = Swarm { jobs, threads: Some(2), ..Swarm::DEFAULT };
        let limits = Limits { memory: Some(1 << 20), ..Limits::of_time(time) };
        let options = CheckSettings { limits, ..safety(Strategy::Swarm(swarm)) };
        let verdict = run_search(&text(source), &options, &mut ());
        assert_eq!(verdict.kind, VerdictKind::Inconclusive);
        (verdict.swarm.expect("it was a swarm"), verdict.outcome.statistics.max_depth)
    };
    // Each job ends at once, and goes no deeper than it may.
    let long = "int x; active [2] proctype P() { do :: x < 2000000 -> x++ :: x > 0 -> x-- od }";
    let (few, shallow) = run(long, Some(16), Duration::from_secs(20));
    assert_eq!((few.jobs_run, few.jobs_planned), (16, 16));
    let (many, deep) = run(long, None, Duration::from_millis(400));
    assert!(many.jobs_run > 16 && many.jobs_run == many.jobs_planned, "{many:?}");
    assert!(deep > shallow, "{deep} {shallow}");
    // Here there is nothing more to see.
    let (enough, _) = run(
        "byte x; active proctype P() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }",
        None,
        Duration::from_secs(600),
    );
    assert!((16..=18).contains(&enough.jobs_run), "{enough:?}");
}

/// A bit-state search cannot promise to see all within its bound, so a bound is no reason to do without reductions.
#[test]
fn a_bound_leaves_reductions_of_a_bit_state_search_on() {
    let loaded = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/philosophers.pml"));
    let stored = |store, limits| {
        let options = CheckSettings { store, limits, ..safety(Strategy::DFS) };
        run_search(&loaded, &options, &mut ()).outcome.statistics.stored
    };
    let (bits, bound, none) =
        (StoreSpec::Bitstate(BitArray::default()), Limits::of_depth(1_000_000), Limits::default());
    assert_eq!(stored(bits, bound), stored(bits, none));
    assert!(stored(StoreSpec::Exact, bound) > 10 * stored(StoreSpec::Exact, none));
}

/// The data switch with these definitions.
fn data_switch(language: Language, defines: &[(&str, u32)]) -> Loaded {
    let ending = if language == Language::Argos { "argos" } else { "pml" };
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/large/data_switch").with_extension(ending);
    let mut options = TextOptions::default();
    let defines = defines.iter().map(|(name, value)| (name.to_string(), Some(value.to_string())));
    options.preprocessor.defines.extend(defines);
    let loaded = load_file(&path, language, &options).expect("a readable file");
    loaded.unwrap_or_else(|_| panic!("{} is a model", path.display()))
}

#[test]
fn escalation_finds_the_errors_of_a_large_protocol_in_a_fraction_of_the_states() {
    for language in [Language::Promela, Language::Argos] {
        // Where five of ten are found in 200 times fewer states, the median is more than 100.
        let mut much_fewer = 0;
        for error in 1..=10 {
            let loaded = data_switch(language, &[("ERROR", error)]);
            let options = CheckSettings { limits: Limits::of_states(300_000), ..safety(Strategy::ESCALATE) };
            let escalated = run_search(&loaded, &options, &mut ());
            let name = format!("mistake {error} in {language}");
            assert_eq!(escalated.kind, VerdictKind::Violated, "{name}");
            assert_eq!(escalated.outcome.errors[0].kind, FindingKind::Deadlock, "{name}");
            replay("data_switch", &loaded, &options, &escalated);
            let states = escalated.outcome.statistics.stored;
            // The others take a complete search too long for a test.
            if states < 2_000 {
                let options =
                    CheckSettings { limits: Limits::of_states(200 * states), ..safety(Strategy::DFS) };
                much_fewer +=
                    usize::from(run_search(&loaded, &options, &mut ()).kind != VerdictKind::Violated);
            }
        }
        assert!(much_fewer >= 5, "only {much_fewer} of ten in {language}");
    }
}

#[test]
fn the_data_switch_is_right_without_a_mistake() {
    for language in [Language::Promela, Language::Argos] {
        let loaded = data_switch(language, &[("BLOCKS", 2), ("WINDOW", 2), ("CIRCUITS", 1)]);
        assert_eq!(run_search(&loaded, &safety(Strategy::DFS), &mut ()).kind, VerdictKind::Verified);
        assert_eq!(run_search(&loaded, &safety(Strategy::ESCALATE), &mut ()).kind, VerdictKind::Verified);
    }
}

/// Ten times the control states of the processes that there are at first, and of each kind that may come later.
#[test]
fn the_depth_of_a_partial_search_comes_from_all_machines() {
    let depth = |model: &str| panoptes_search::auto_depth(&text(model).model);
    let (a, b) = ("proctype A() { skip; skip; skip }", "proctype B() { byte n; n = 1; n = 2; n = 3; n = 4 }");
    let (of_a, of_b) = (depth(&format!("active {a}")), depth(&format!("active {b}")));
    assert!(of_a >= 30 && of_b > of_a && of_a % 10 == 0, "{of_a} {of_b}");
    assert_eq!(depth(&format!("active {a} active {b}")), of_a + of_b);
    assert_eq!(depth(&format!("active {a} {b}")), of_a + of_b);
    assert_eq!(depth(&format!("active [3] {a} {b}")), 3 * of_a + of_b);
}

/// Where memory is full, the search begins again with the store that was asked for, and its answer is what it is with that store.
#[test]
fn a_full_memory_makes_room() {
    // A channel that nobody reads makes vectors long.
    let counters = "byte a, b, c; chan pad = [30] of { int };
        active proctype A() { do :: a < 8 -> a++ :: a > 0 -> a-- od }
        active proctype B() { do :: b < 8 -> b++ :: b > 0 -> b-- od }
        active proctype C() { do :: c < 8 -> c++ :: c > 0 -> c-- od }
        init { byte i; d_step { do :: i < 30 -> pad ! i; i++ :: else -> break od } }";
    let loaded = text(counters);
    let states =
        run_search(&loaded, &CheckSettings { semantics: Semantics::EXACT, ..safety(Strategy::BFS) }, &mut ());
    let states = states.outcome.statistics.stored;
    let dir = std::env::temp_dir().join(format!("panoptes-on-full-{}", std::process::id()));
    let dir: &'static str = Box::leak(dir.display().to_string().into());
    let run = |memory: u64, store: StoreSpec, on_full: OnFull, threads: u32| {
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        let threads = Threads { count: Some(threads), alone_until: 1_000 };
        let semantics = Semantics::EXACT;
        let settings = CheckSettings { limits, store, on_full, threads, semantics, ..safety(Strategy::Auto) };
        run_search(&loaded, &settings, &mut ())
    };
    for (store, memory) in
        [(StoreSpec::Exact, 3 << 20), (StoreSpec::Auto, 3 << 20), (StoreSpec::Compressed, 400 << 10)]
    {
        for threads in [1, 2] {
            let stopped = run(memory, store, OnFull::Stop, threads);
            assert_eq!((stopped.kind, stopped.filled), (VerdictKind::Inconclusive, None));
            let seen = stopped.outcome.statistics.stored;
            assert!(stopped.limits.contains(&Limit::Memory) && seen < states, "{store} {seen}");
            let on_disk = run(memory, store, OnFull::Disk(dir), threads);
            let filled = on_disk.filled.expect("memory was full");
            assert!(filled.stored > 1_000 && filled.stored < states, "{filled:?}");
            assert_eq!((on_disk.kind, on_disk.store), (VerdictKind::Verified, StoreSpec::Disk(dir)));
            assert_eq!(on_disk.outcome.statistics.stored, states);
            assert_eq!(std::fs::read_dir(dir).map(Iterator::count).ok(), Some(0), "nothing is left behind");
        }
    }
    let verdict = run(3 << 20, StoreSpec::Exact, OnFull::HashCompact, 2);
    assert_eq!((verdict.kind, verdict.outcome.statistics.stored), (VerdictKind::Inconclusive, states));
    assert_eq!((verdict.limits, verdict.store), (vec![Limit::HashCompact], StoreSpec::HashCompact));
    let verdict = run(3 << 20, StoreSpec::Exact, OnFull::Bitstate, 2);
    assert!(verdict.filled.is_some() && matches!(verdict.store, StoreSpec::Bitstate(_)));
    assert!(verdict.limits.contains(&Limit::Bitstate), "{:?}", verdict.limits);
    // Where there is room, nothing changes.
    let verdict = run(64 << 20, StoreSpec::Exact, OnFull::Bitstate, 1);
    assert_eq!(
        (verdict.kind, verdict.filled, verdict.store),
        (VerdictKind::Verified, None, StoreSpec::Exact)
    );
    let _ = std::fs::remove_dir(dir);
}

/// Where memory or time ends a search that nobody chose, directed searches find what lies beyond.
#[test]
fn a_second_look_finds_what_is_far() {
    let counters = "byte a, b, c;
        active proctype A() { do :: atomic { a < 99 -> a++ } :: atomic { a > 0 -> a-- } od }
        active proctype B() { do :: atomic { b < 99 -> b++ } :: atomic { b > 0 -> b-- } od }
        active proctype C() { do :: atomic { c < 99 -> c++ } :: atomic { c > 0 -> c-- } od }
        active proctype D() { do :: assert(a < 60 || b < 60 || c < 60) od }";
    let loaded = text(counters);
    let memory = Limits { memory: Some(3 << 20), ..Limits::default() };
    let of = |strategy: Strategy, limits: Limits| {
        let settings = CheckSettings { limits, ..safety(strategy) };
        let verdict = run_search(&loaded, &settings, &mut ());
        replay("counters", &loaded, &settings, &verdict);
        verdict
    };
    let chosen = of(Strategy::BFS, memory);
    assert_eq!((chosen.kind, chosen.second_look.is_none()), (VerdictKind::Inconclusive, true));
    let verdict = of(Strategy::Auto, memory);
    let look = verdict.second_look.expect("a second look");
    assert!(look.has_found && verdict.kind == VerdictKind::Violated, "{look:?}");
    assert!(verdict.limits.contains(&Limit::Memory));
    assert!(verdict.outcome.errors[0].length > 180);
    // Of a bound on time, a part is kept for it.
    let time = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
    let large = counters.replace("byte a,", "byte d; active proctype E() { do :: d++ od } byte a,");
    let large = text(&large.replace("c < 60)", "c < 60 || d < 60)"));
    let looks = [Strategy::BFS, Strategy::Auto].map(|strategy| {
        let verdict = run_search(&large, &CheckSettings { limits: time, ..safety(strategy) }, &mut ());
        assert!(verdict.limits.contains(&Limit::Time), "{strategy}");
        verdict.second_look.is_some()
    });
    assert_eq!(looks, [false, true]);
}
