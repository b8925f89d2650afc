//! Partial searches at the command line: what they say, what goes together, and swarms as lists of commands.

use crate::sandbox::{DEADLOCK, LARGE, Sandbox, TURNS};
use serde_json::{Value, json};

/// A channel that nobody reads beyond its second message; an assertion fails at the third.
const QUEUE: &str = "\
chan q = [3] of { byte };
active proctype Sender() { q!1; q!2; q!3; assert(false) }
";

fn object(sandbox: &Sandbox, args: &[&str], status: i32) -> Value {
    let all: Vec<&str> =
        ["check", "m.pml", "--format", "json"].into_iter().chain(args.iter().copied()).collect();
    let run = sandbox.run(&all).expect(status);
    serde_json::from_str(&run.stdout).expect("one object")
}

fn refused(model: &str, args: &[&str], says: &[&str]) {
    let all: Vec<&str> = ["check", "m.pml"].into_iter().chain(args.iter().copied()).collect();
    let run = Sandbox::with(model).run(&all).expect(2);
    assert_eq!(run.stdout, "");
    for words in says {
        assert!(run.stderr.contains(words), "no “{words}” in\n{}", run.stderr);
    }
}

#[test]
fn a_scatter_search_says_what_it_left_out() {
    let found = object(&Sandbox::with(LARGE), &["--search", "scatter", "--depth", "50", "--no-por"], 3);
    assert_eq!(found["verdict"], "inconclusive");
    assert_eq!(found["limits"], json!(["depth", "branching"]));
    assert_eq!(found["scope"], json!({ "processes": 1, "options": null, "queue_limit": 2, "depth": 50 }));
    assert!(found["control_states"]["reached"].as_u64() <= found["control_states"]["all"].as_u64());
    let text = Sandbox::with(LARGE)
        .run(&["check", "m.pml", "--search", "scatter", "--depth", "50", "--no-por"])
        .expect(3)
        .stdout;
    for words in ["1 process a state", "were left out", "control states"] {
        assert!(text.contains(words), "no “{words}” in\n{text}");
    }
}

/// No option undoes what another one said.
#[test]
fn the_options_of_a_scatter_search_go_together() {
    let options = [
        "--search",
        "scatter",
        "--processes",
        "2",
        "--options",
        "3",
        "--queue-limit",
        "all",
        "--order",
        "random",
        "--depth",
        "50",
    ];
    let found = object(&Sandbox::with(LARGE), &options, 3);
    assert_eq!(found["scope"], json!({ "processes": 2, "options": 3, "queue_limit": null, "depth": 50 }));
}

#[test]
fn a_scatter_search_that_leaves_nothing_out_is_a_proof() {
    let found = object(&Sandbox::with(TURNS), &["--search", "scatter"], 0);
    assert_eq!((&found["verdict"], &found["complete"]), (&json!("verified"), &json!(true)));
    let found = object(&Sandbox::with(DEADLOCK), &["--search", "scatter"], 1);
    assert_eq!(found["errors"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_escalation_lists_its_stages() {
    let found = object(&Sandbox::with(LARGE), &["--search", "escalate"], 0);
    let stages = found["stages"].as_array().expect("a list of stages");
    assert!(stages.len() > 3, "{found:#}");
    assert_eq!(stages[0]["scope"]["options"], 1);
    assert_eq!(stages.last().unwrap()["limits"], json!([]));
    let text = Sandbox::with(LARGE).run(&["check", "m.pml", "--search", "escalate"]).expect(0).stdout;
    assert!(text.contains("Stages") && text.contains("everything seen"), "{text}");
    let cut = object(&Sandbox::with(LARGE), &["--search", "escalate", "--memory", "2M"], 3);
    assert_eq!(cut["limits"], json!(["memory"]));
}

#[test]
fn a_queue_limit_works_with_every_search() {
    for search in ["dfs", "bfs", "random", "scatter", "escalate"] {
        let limited = object(&Sandbox::with(QUEUE), &["--search", search, "--queue-limit", "2"], 3);
        assert_eq!(limited["limits"], json!(["queue-limit"]), "{search}");
        let found = object(&Sandbox::with(QUEUE), &["--search", search, "--queue-limit", "3"], 1);
        assert_eq!(found["errors"][0]["kind"], "assertion", "{search}");
    }
}

#[test]
fn the_same_seed_walks_the_same_way() {
    let run = |seed: &str| {
        object(&Sandbox::with(LARGE), &["--search", "random", "--seed", seed, "--depth", "20", "--no-por"], 3)
    };
    let states = |seed| run(seed)["states"].clone();
    assert_eq!(states("3"), states("3"));
    assert_ne!(states("3"), states("4"));
}

#[test]
fn a_swarm_tells_of_its_jobs() {
    let args = ["--search", "swarm", "--jobs", "4", "--threads", "2", "--time", "20s", "--memory", "160M"];
    let found = object(&Sandbox::with(TURNS), &args, 3);
    assert_eq!(found["jobs"], json!({ "planned": 4, "run": 4, "ended": 4 }));
    assert_eq!((&found["threads"], &found["store"]), (&json!(2), &json!("bitstate")));
    assert_eq!(found["limits"], json!(["bitstate"]));
    let found = object(&Sandbox::with(DEADLOCK), &args, 1);
    assert_eq!(found["errors"].as_array().map(Vec::len), Some(1), "each distinct error once");
}

#[test]
fn the_jobs_of_a_swarm_can_be_run_alone() {
    let sandbox = Sandbox::with(DEADLOCK);
    let args = [
        "check",
        "m.pml",
        "-DN=3",
        "--search",
        "swarm",
        "--jobs",
        "4",
        "--threads",
        "2",
        "--memory",
        "160M",
        "--print-jobs",
    ];
    let printed = sandbox.run(&args).expect(0).stdout;
    let jobs: Vec<&str> = printed.lines().collect();
    assert_eq!(jobs.len(), 4);
    let mut distinct = jobs.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
    for job in jobs {
        let words: Vec<&str> = job.split(' ').collect();
        assert_eq!((words[0], words[2], words[3]), ("panoptes", "m.pml", "-DN=3"));
        sandbox.run(&words[1..]).expect(1);
    }
}

#[test]
fn a_swarm_with_more_of_everything_than_there_is() {
    let huge_time = "5000000000000000h";
    let swarm = |more: &[&'static str]| [&["--search", "swarm", "--jobs", "2"], more].concat();
    for args in [
        swarm(&["--time", huge_time]),
        swarm(&["--time", huge_time, "--threads", "4000000000"]),
        // Eight jobs for each thread are none at all, if they are counted in 32 bits.
        vec!["--search", "swarm", "--threads", "536870912", "--time", "100ms"],
    ] {
        object(&Sandbox::with(TURNS), &args, 3);
    }
    // An array that no system has is a lack of memory, not a search of everything.
    let args = swarm(&["--memory", "4000000000G", "--threads", "1"]);
    let found = object(&Sandbox::with(TURNS), &args, 3);
    assert_eq!(found["limits"], json!(["bitstate", "memory"]));
    let args = ["check", "m.pml", "--store", "bitstate", "--bits", "64T", "--hashes", "3"];
    let text = Sandbox::with(TURNS).run(&args).expect(3).stdout;
    assert!(text.contains("more memory than there is"), "{text}");
}

#[test]
fn names_that_a_model_does_not_have() {
    let folded = |part| ["--search", "scatter", "--fold", part];
    refused(TURNS, &folded("variable=torn"), &["no variable `torn`", "there is turn"]);
    refused(TURNS, &folded("process=Umpire"), &["no process `Umpire`", "there is Player"]);
    refused(TURNS, &folded("channel=q"), &["no channel `q`", "it has no channel"]);
    refused(TURNS, &folded("turn"), &["process=NAME, channel=NAME or variable=NAME"]);
    let found = object(&Sandbox::with(TURNS), &folded("variable=turn"), 3);
    assert_eq!(found["limits"].as_array().and_then(|limits| limits.last()), Some(&json!("fold")));
    assert_eq!(found["foldings"], json!(["variable turn"]));
}

#[test]
fn limits_of_zero() {
    for option in ["--processes", "--options", "--queue-limit"] {
        refused(TURNS, &["--search", "scatter", option, "0"], &["a limit of zero", "1 or more, or `all`"]);
    }
    refused(TURNS, &["--search", "swarm", "--jobs", "0"], &["1 or more"]);
    refused(TURNS, &["--search", "swarm", "--threads", "0"], &["1 or more"]);
}

#[test]
fn what_does_not_go_together() {
    refused(
        TURNS,
        &["--shortest", "--fold", "variable=turn"],
        &["`--fold`", "nothing is known to be nearest"],
    );
    refused(TURNS, &["--search", "bfs", "--depth", "9", "--fold", "variable=turn"], &["`--search dfs`"]);
    refused(TURNS, &["--search", "escalate", "--profile"], &["`--profile`", "one search"]);
    refused(
        TURNS,
        &["--search", "escalate", "--processes", "2"],
        &["`--processes`", "widens its limits by itself"],
    );
    refused(TURNS, &["--order", "random"], &["`--order`", "`--search dfs`"]);
    for store in ["bitstate", "hash-compact", "cache:1000"] {
        // These are searched depth first without being told.
        // There are so few states that each has a bit of its own.
        let status = if store == "hash-compact" { 3 } else { 0 };
        Sandbox::with(TURNS).run(&["check", "m.pml", "--store", store, "--order", "random"]).expect(status);
    }
    refused(TURNS, &["--search", "dfs", "--order", "sideways"], &["listed, reversed, random"]);
    refused(TURNS, &["--search", "random", "--order", "reversed"], &["`--search dfs --order reversed`"]);
    refused(TURNS, &["--search", "swarm", "--store", "cache:10"], &["bit-state searches", "cache:10"]);
    refused(TURNS, &["--search", "swarm", "--shortest"], &["contradict", "`--search bfs`"]);
    refused(TURNS, &["--jobs", "3"], &["`--jobs`", "`--search swarm`"]);
    refused(TURNS, &["--print-jobs"], &["`--search swarm`"]);
    refused(TURNS, &["--timeouts", "lock-only"], &["the model has none"]);
}

#[test]
fn the_summary_of_a_swarm_says_what_it_stores_and_where_it_stopped() {
    let text =
        Sandbox::with(DEADLOCK).run(&["check", "m.pml", "--search", "swarm", "--jobs", "2"]).expect(1).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["a few bits stored of every state", "up to the first error"] {
        assert!(text.contains(words), "no “{words}” in {text}");
    }
}
