//! What the stores that forget or confuse states say about it, in the text and in the JSON.

use crate::sandbox::{DEADLOCK, Sandbox, TURNS};
use serde_json::Value;

/// 961 states.
const COUNTERS: &str = "\
byte a, b;
active proctype A() { do :: a < 10 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 10 -> b++ :: b > 0 -> b-- od }
";

fn check(model: &str, args: &str, status: i32) -> (Value, String) {
    let sandbox = Sandbox::with(model);
    let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(args.split(' ')).collect();
    let text = sandbox.run(&args).expect(status).stdout;
    let json = sandbox.run(&[&args[..], &["--format", "json"]].concat()).expect(status).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (serde_json::from_str(&json).expect("one object"), text)
}

#[test]
fn bits() {
    let (object, text) = check(COUNTERS, "--exact --store bitstate --bits 8000", 3);
    assert_eq!((&object["store"], &object["search"]), (&"bitstate".into(), &"dfs".into()));
    assert_eq!(object["limits"], serde_json::json!(["bitstate"]));
    assert_eq!(object["complete"], false);
    let coverage = &object["coverage"];
    let number = |key: &str| coverage[key].as_f64().unwrap_or_else(|| panic!("no {key} in {coverage:#}"));
    assert!(number("estimate") > 0.5 && number("estimate") < 1.0);
    assert!(
        (number("hash_factor") - 8000.0 / object["states"]["stored"].as_f64().unwrap_or(0.0)).abs() < 0.01
    );
    assert!(number("omission_probability") > 0.0 && number("omitted") > 0.0);
    assert_eq!(coverage["passes"], serde_json::json!([]));
    for words in ["3 bits in an array of", "hash factor", "omitted with probability", "taken for others"] {
        assert!(text.contains(words), "no “{words}” in {text}");
    }
}

/// Bits do not tell how much lies beyond what a search did not get to.
#[test]
fn bits_of_a_search_that_was_cut_short() {
    for (model, args, status, end) in [
        (COUNTERS, "--exact --store bitstate --hashes 3 --depth 5", 3, "up to a limit: depth, bitstate"),
        (DEADLOCK, "--store bitstate --hashes 3", 1, "up to the first error"),
    ] {
        let (_, text) = check(model, args, status);
        for words in ["coverage unknown, as the search was cut short; hash factor", end] {
            assert!(text.contains(words), "no “{words}” in {text}");
        }
        assert!(!text.contains("of all that can be reached") && !text.contains("of the states"), "{text}");
    }
    let (_, text) = check(COUNTERS, "--exact --store bitstate --hashes 3", 3);
    assert!(text.contains("of all that can be reached were seen"), "{text}");
}

/// A check whose memory is full begins again as it was asked to, and says what its answer means.
#[test]
fn memory_is_full() {
    // A long message that nobody reads makes vectors long.
    let counters = COUNTERS.replace("10", "12")
        + "byte c; chan pad = [30] of { int };
           active proctype C() { do :: c < 10 -> c++ :: c > 0 -> c-- od }
           init { byte i; d_step { do :: i < 30 -> pad ! i; i++ :: else -> break od } }";
    let sandbox = Sandbox::with(&counters);
    let run = sandbox.run(&["check", "m.pml", "--exact", "--format", "json"]).expect(0).stdout;
    let states = serde_json::from_str::<Value>(&run).expect("one object")["states"]["stored"].clone();
    let check = |choice: &str, status: i32| {
        // Fingerprints with parent links fit into some more, if there is one thread.
        let (threads, memory) = if choice == "hash-compact" { (1, 30) } else { (2, 20) };
        let limits = format!("--threads {threads} --memory {memory}M --on-full {choice}");
        let (object, text) = check(&counters, &format!("--exact --no-por --store exact {limits}"), status);
        let peak = object["peak_memory_bytes"].as_u64();
        let allowed = (memory << 20) * 105 / 100 + (8 << 20);
        assert!(peak.is_none_or(|peak| peak <= allowed), "{choice}: {peak:?}");
        (object, text)
    };
    let (object, text) = check("stop", 3);
    assert_eq!((&object["limits"], &object["filled"]), (&serde_json::json!(["memory"]), &Value::Null));
    assert!(!text.contains("memory was full"), "{text}");
    let (object, text) = check("disk:states", 0);
    assert_eq!((&object["store"], &object["filled"]["store"]), (&"disk".into(), &"exact".into()));
    assert_eq!((&object["states"]["stored"], &object["complete"]), (&states, &true.into()));
    assert!(object["filled"]["stored"].as_u64() < states.as_u64(), "{object:#}");
    assert!(text.contains("memory was full after") && text.contains("the answer means the same"), "{text}");
    let (object, text) = check("hash-compact", 3);
    assert_eq!((&object["states"]["stored"], &object["search"]), (&states, &"bfs".into()));
    assert_eq!(object["limits"], serde_json::json!(["hash-compact"]), "depth first it does not fit");
    assert!(text.contains("that there is none is not certain"), "{text}");
    let (object, text) = check("bitstate", 3);
    // With several threads, the paths may be too much for what the array leaves.
    let limits = object["limits"].as_array().expect("a list");
    assert!(object["store"] == "bitstate" && limits.contains(&"bitstate".into()), "{object:#}");
    assert!(text.contains("some states may have been left out"), "{text}");
    for (words, says) in [
        ("--on-full attic", "there is stop, hash-compact, bitstate, disk[:DIR]"),
        ("--on-full disk --search dfs", "`--search dfs` does not go with it"),
        ("--on-full disk --store bitstate", "not together with `--store bitstate`"),
        ("--on-full disk:m.pml", "which `--on-full disk:m.pml` needs"),
        (
            "--on-full disk --checkpoint k",
            "(which writes a search down that needs more memory): leave one of them out",
        ),
    ] {
        let args: Vec<&str> = ["check", "m.pml"].into_iter().chain(words.split(' ')).collect();
        let told = sandbox.run(&args).expect(2).stderr;
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(says), "{words}: {told}");
    }
}

#[test]
fn a_bit_for_every_state_that_there_could_be() {
    let (object, text) = check(COUNTERS, "--exact --store bitstate", 0);
    assert_eq!((&object["store"], &object["complete"]), (&"bitstate".into(), &true.into()));
    assert_eq!(object["states"]["stored"], 961);
    assert_eq!((&object["coverage"]["estimate"], &object["coverage"]["omitted"]), (&1.0.into(), &0.0.into()));
    assert!(text.contains("a bit of its own in an array of"), "{text}");
}

#[test]
fn visits() {
    let (object, text) = check(COUNTERS, "--exact --profile", 0);
    let sum = |list: &str, keys: &[&str]| -> u64 {
        let rows = object["recurrence"][list].as_array().expect("a list");
        rows.iter().map(|row| keys.iter().map(|key| row[key].as_u64().unwrap_or(0)).product::<u64>()).sum()
    };
    assert_eq!(sum("visits", &["states"]), 961);
    assert_eq!(Some(sum("visits", &["states", "visits"])), object["states"]["transitions"].as_u64());
    assert_eq!(sum("depths", &["new"]), 961);
    assert_eq!(Some(sum("depths", &["met_again"])), object["states"]["matched"].as_u64());
    assert!(text.contains("How often states are met again"), "{text}");
}

#[test]
fn passes() {
    let (object, text) = check(COUNTERS, "--exact --store bitstate --bits 8000 --passes 3 --seed 5", 3);
    let passes = object["coverage"]["passes"].as_array().expect("a list");
    assert_eq!(passes.len(), 3);
    assert!(passes.iter().all(|pass| pass["stored"].as_u64() > Some(900)));
    assert!(passes[1]["added"].as_u64() > Some(0));
    assert!(text.contains("for the first time"), "{text}");
    // Together they see more than one alone.
    let (alone, _) = check(COUNTERS, "--exact --store bitstate --bits 8000 --seed 5", 3);
    assert!(object["coverage"]["estimate"].as_f64() > alone["coverage"]["estimate"].as_f64());
}

#[test]
fn fingerprints() {
    let (object, text) = check(TURNS, "--store hash-compact", 3);
    assert_eq!(object["limits"], serde_json::json!(["hash-compact"]));
    assert!(object["coverage"]["collision_probability"].as_f64().is_some_and(|chance| chance < 1e-15));
    assert!(text.contains("fingerprints of 64 bits"), "{text}");
}

#[test]
fn a_violation_is_one_whatever_the_store() {
    for store in [
        "hash-compact",
        "bitstate",
        "bitstate --search bfs",
        "bitstate --passes 4",
        "cache:1",
        "exact --loop-states",
    ] {
        let (object, _) = check(DEADLOCK, &format!("--store {store}"), 1);
        assert_eq!(object["errors"].as_array().map(Vec::len), Some(1), "{store}");
        assert_eq!(object["verdict"], "violated");
    }
}

#[test]
fn a_cache() {
    let args = "--exact --store cache:800 --replace least-visited";
    let (object, text) = check(COUNTERS, args, 0);
    assert_eq!((&object["store"], &object["complete"]), (&"cache".into(), &true.into()));
    let cache = &object["cache"];
    assert_eq!((&cache["capacity"], &cache["replacement"]), (&800.into(), &"least-visited".into()));
    assert_eq!(cache["distinct"], 961);
    assert!(cache["created"].as_u64() >= cache["distinct"].as_u64());
    assert_eq!(object["coverage"]["estimate"], 1.0);
    assert!(text.contains("double work"), "{text}");
    assert_eq!(cache["gave_way_at"], Value::Null);
    let (object, _) = check(COUNTERS, "--exact", 0);
    assert_eq!(object["cache"], Value::Null);
    assert_eq!(object["states"]["stored"], 961);
}

/// Beyond a number that it can count, a cache that forgot states can only estimate how many different ones there were.
#[test]
fn a_cache_says_when_it_estimates() {
    let (_, few) = check(COUNTERS, "--exact --store cache:800", 0);
    assert!(few.contains("any of the 961 reachable states") && few.contains("(961 different"), "{few}");
    let counter = "{ int n; do :: n < 280 -> n++ :: else -> break od }";
    let model = format!("active [2] proctype P() {counter}\n");
    let (_, many) = check(&model, "--exact --store cache:300000", 0);
    assert!(many.contains("nothing wrong in about ") && many.contains("(about "), "{many}");
    let (_, enough) = check(&model, "--exact --store cache:1000000", 0);
    assert!(!enough.contains("about "), "{enough}");
}

/// A rule that is no good is given up, unless it was asked for.
#[test]
fn a_small_cache() {
    let (object, text) = check(COUNTERS, "--exact --store cache:300", 0);
    let cache = &object["cache"];
    assert_eq!((&object["complete"], &cache["distinct"]), (&true.into(), &961.into()));
    assert_eq!(cache["replacement"], "round-robin");
    assert!(cache["gave_way_at"].as_u64() > cache["distinct"].as_u64(), "{cache}");
    assert!(text.contains("then largest-class"), "{text}");
    let (object, text) = check(COUNTERS, "--exact --store cache:300 --replace round-robin --time 1s", 3);
    assert_eq!(object["cache"]["gave_way_at"], Value::Null);
    assert!(!text.contains("largest-class"), "{text}");
}

#[test]
fn loop_states_and_depth() {
    let model = "byte x;\nactive proctype A() { do :: x < 9 -> x++; x++; x-- :: x == 9 -> x = 0 od }\n";
    let (object, text) = check(model, "--exact --loop-states", 0);
    assert!(object["states"]["passed"].as_u64() > Some(0));
    assert!(text.contains("visits stored no state"), "{text}");
    let (_, text) = check(model, "--search dfs --depth auto", 0);
    assert!(text.contains("no path longer than"), "{text}");
}

#[test]
fn states_on_disk() {
    let sandbox = Sandbox::with(COUNTERS);
    let args = ["check", "m.pml", "--exact", "--store", "disk:states/here"];
    let text = sandbox.run(&args).expect(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["breadth first", "every state stored exactly, on disk", "disk 0 bytes at most"] {
        assert!(text.contains(words), "no “{words}” in {text}");
    }
    let object = sandbox.run(&[&args[..], &["--format", "json"]].concat()).expect(0).stdout;
    let object: Value = serde_json::from_str(&object).expect("one object");
    assert_eq!((&object["store"], &object["search"]), (&"disk".into(), &"bfs".into()));
    assert_eq!((&object["complete"], &object["states"]["stored"]), (&true.into(), &961.into()));
    assert_eq!(object["disk"], serde_json::json!({ "held_max": 0, "written": 0, "read": 0 }));
    let left = std::fs::read_dir(sandbox.path("states/here")).expect("the directory was made");
    assert_eq!(left.count(), 0);
}

#[test]
fn a_violation_found_on_disk_has_its_trace() {
    let sandbox = Sandbox::with(DEADLOCK);
    let args = ["check", "m.pml", "--store", "disk:states", "--format", "json"];
    let object: Value = serde_json::from_str(&sandbox.run(&args).expect(1).stdout).expect("one object");
    assert_eq!(
        (&object["errors"][0]["kind"], &object["errors"][0]["length"]),
        (&"deadlock".into(), &2.into())
    );
    sandbox.run(&["simulate", "m.pml", "--trace", "m.trace.json"]).expect(1);
}
