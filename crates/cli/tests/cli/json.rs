//! `--format json`: one object with every key that the contract names.

use crate::sandbox::{ASSERTION, DEADLOCK, Run, Sandbox, TURNS};
use serde_json::Value;

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", run.stdout))
}

#[test]
fn every_key_is_there() {
    let run = Sandbox::with(DEADLOCK).run(&["check", "m.pml", "--format", "json"]).expect(1);
    let object = object(&run);
    let paths = "/model /language /verdict /complete /limits /search /store /reduction /threads /seed /errors \
        /errors/0/kind /errors/0/message /errors/0/location /errors/0/length /errors/0/cycle_start /errors/0/trace \
        /error_counts/deadlock /states/stored /states/matched /states/transitions /states/expanded \
        /states/generated /states/max_depth /states/vector_bytes /states/bytes_per_state /unreached /coverage/estimate \
        /coverage/hash_factor /seconds/front_end /seconds/compile /seconds/search /peak_memory_bytes";
    for path in paths.split_whitespace() {
        assert!(object.pointer(path).is_some(), "no {path} in {object:#}");
    }
    assert_eq!(run.stderr, "");
}

#[test]
fn the_numbers_are_right() {
    let object = object(&Sandbox::with(TURNS).run(&["check", "m.pml", "--format", "json"]).expect(0));
    assert_eq!(object["model"], "m.pml");
    assert_eq!(object["language"], "promela");
    assert_eq!(object["verdict"], "verified");
    assert_eq!(object["complete"], true);
    assert_eq!(object["limits"], serde_json::json!([]));
    assert_eq!(
        (&object["search"], &object["store"], &object["reduction"]),
        (&"bfs".into(), &"exact".into(), &"por".into())
    );
    let states = &object["states"];
    assert_eq!(states["stored"], 4);
    assert_eq!(states["transitions"], 5);
    assert_eq!(states["matched"], 1);
    assert_eq!(object["coverage"]["estimate"], 1.0);
    assert_eq!(object["errors"], serde_json::json!([]));
}

/// Only so many traces are saved; the other errors are told all the same.
#[test]
fn errors_beyond_those_with_a_trace_are_placed_too() {
    let stop = |number: usize| format!(":: c == {number} -> s{number}: c == 200\n");
    let stops: String = (0..130).map(stop).collect();
    let text = format!(
        "byte c;\nactive proctype A() {{\n if\n{stops} fi }}\nactive proctype B() {{ do :: c < 129 -> c++ :: c == 129 -> break od }}\n"
    );
    let sandbox = Sandbox::with(&text);
    let args = ["check", "m.pml", "--format", "json", "--all-errors"];
    let errors = object(&sandbox.run(&args).expect(1))["errors"].clone();
    let errors = errors.as_array().expect("a list");
    assert!(errors.len() > 120, "{}", errors.len());
    for error in errors {
        let location = error["location"].as_str().expect("a place");
        assert!(location.starts_with("m.pml:"), "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("no process can move: A[0] at {location}")), "{error}");
    }
}

#[test]
fn cycles_can_be_searched_in_several_ways() {
    let model = "byte x;\ninit { do :: x = 1 - x od }\nltl once { <>[] (x == 1) }\n";
    let sandbox = Sandbox::with(model);
    for search in ["scc", "ndfs", "improved-ndfs", "astar-dfs"] {
        let args = ["check", "m.pml", "--search", search, "--format", "json"];
        let answer = object(&sandbox.run(&[&args[..], &["--property", "once"]].concat()).expect(1));
        assert_eq!([&answer["search"], &answer["properties"][0]["search"]], [search, search]);
        // States alone are searched as ever.
        let answer = object(&sandbox.run(&args).expect(1));
        assert_eq!([&answer["search"], &answer["properties"][1]["search"]], ["bfs", search]);
        if search != "scc" {
            let run = sandbox.run(&["check", "m.pml", "--search", search, "--fair"]).expect(2);
            assert!(run.stderr.contains("use `--search scc`"), "{}", run.stderr);
        }
    }
}

#[test]
fn a_shortest_lasso_is_said_to_be_one() {
    let model = "byte x;\ninit { if :: x = 1; x = 2; x = 3; do :: x = 4; x = 5 od :: do :: x = 6; x = 7; x = 0 od fi }\n\
                 ltl never_nine { <> (x == 9) }\n";
    let sandbox = Sandbox::with(model);
    let args = ["check", "m.pml", "--format", "json", "--shortest", "--property", "never_nine"];
    let answer = object(&sandbox.run(&args).expect(1));
    let error = &answer["errors"][0];
    assert_eq!(error["shortest"], true);
    assert_eq!([&error["length"], &error["cycle_start"]], [4, 1]);
    let run = sandbox.run(&["check", "m.pml", "--shortest", "--search", "scc"]).expect(1);
    assert!(run.stdout.contains("3 steps are repeated for ever (none is"), "{}", run.stdout);
}

#[test]
fn labels_are_checked() {
    let sandbox = Sandbox::with("byte x;\ninit { do :: x = 0; progress: x = 1; accept: x = 2 od }\n");
    let all = object(&sandbox.run(&["check", "m.pml", "--format", "json"]).expect(1));
    assert_eq!((&all["verdict"], &all["unchecked"]), (&"violated".into(), &serde_json::json!([])));
    let properties: Vec<(&str, &str)> = all["properties"]
        .as_array()
        .expect("properties")
        .iter()
        .map(|one| (one["kind"].as_str().expect("a kind"), one["verdict"].as_str().expect("a verdict")))
        .collect();
    assert_eq!(properties, [("safety", "verified"), ("acceptance", "violated"), ("progress", "verified")]);
    let error = &all["errors"][0];
    assert_eq!((&error["kind"], &error["length"]), (&"acceptance-cycle".into(), &4.into()));
    assert_eq!(error["cycle_start"], 1);
    // Fingerprints do not tell the way back.
    let store = ["check", "m.pml", "--format", "json", "--store", "hash-compact"];
    let all = object(&sandbox.run(&store).expect(3));
    assert_eq!(all["unchecked"], serde_json::json!(["accept labels", "progress labels"]));
    let args = ["check", "m.pml", "--format", "json", "--property", "safety"];
    let safety = object(&sandbox.run(&args).expect(0));
    assert_eq!((&safety["verdict"], &safety["unchecked"]), (&"verified".into(), &serde_json::json!([])));
}

#[test]
fn errors_are_named_and_placed() {
    let sandbox = Sandbox::with(ASSERTION);
    let errors = object(&sandbox.run(&["check", "m.pml", "--format", "json"]).expect(1))["errors"].clone();
    let error = &errors[0];
    assert_eq!(error["kind"], "assertion");
    assert_eq!(error["location"], "m.pml:5:5");
    assert_eq!(error["length"], 3);
    assert_eq!(error["trace"], "m.trace.json");
    assert!(sandbox.has("m.trace.json"));

    let sandbox = Sandbox::with("byte a = 1, b;\nactive proctype A() { a = a / b }\n");
    let object = object(&sandbox.run(&["check", "m.pml", "--format", "json"]).expect(1));
    assert_eq!(object["errors"][0]["kind"], "runtime");
    assert_eq!(object["error_counts"]["runtime"], 1);
}

#[test]
fn a_broken_trace_assertion_is_a_kind_of_its_own() {
    let model = "mtype = { a, b };\nchan q = [2] of { mtype };\ntrace { q!a; q!b }\n\
                 active proctype P() { q!b; q!a }\n";
    let object = object(&Sandbox::with(model).run(&["check", "m.pml", "--format", "json"]).expect(1));
    assert_eq!(object["errors"][0]["kind"], "trace", "{object:#}");
}

#[test]
fn all_errors_are_listed_with_their_traces() {
    let model = "active proctype A() { if :: assert(false) :: false :: skip fi; assert(1 > 2); false }\n";
    let sandbox = Sandbox::with(model);
    let args = ["check", "m.pml", "--format", "json", "--all-errors", "--trace-out", "out.json"];
    let object = object(&sandbox.run(&args).expect(1));
    let errors = object["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 3, "{object:#}");
    assert_eq!(object["complete"], true);
    for (number, error) in (1..).zip(errors) {
        assert_eq!(error["trace"], "out.json");
        assert_eq!(error["trace_number"], number);
        let number = number.to_string();
        let shown = sandbox.run(&["explain", "out.json", "--error", &number]).expect(0).stdout;
        assert!(shown.contains(error["kind"].as_str().expect("a kind")), "{shown}");
    }
}

#[test]
fn code_that_nothing_reaches_is_listed() {
    let model = "byte x;\nactive proctype A() {\n  if\n  :: x > 3 ->\n     x = 9\n  :: else -> x = 1\n  fi\n}\n\
                 proctype Never() {\n  x = 2\n}\n";
    let object = object(&Sandbox::with(model).run(&["check", "m.pml", "--format", "json"]).expect(0));
    let expected = serde_json::json!([
        { "process": "A", "location": "m.pml:4:6", "statement": "x > 3" },
        { "process": "A", "location": "m.pml:5:6", "statement": "x = 9" },
        { "process": "Never", "location": "m.pml:10:3", "statement": "x = 2" },
    ]);
    assert_eq!(object["unreached"], expected);
}

#[test]
fn before_the_end_of_a_search_nothing_is_unreached() {
    let model = "byte x;\nactive proctype A() { assert(x > 0); x = 2; x = 3 }\n";
    let sandbox = Sandbox::with(model);
    for (args, status) in
        [(&["--property", "safety"][..], 1), (&["--property", "deadlock", "--depth", "1"], 3)]
    {
        let args: Vec<&str> = ["check", "m.pml", "--format", "json"].iter().chain(args).copied().collect();
        let object = object(&sandbox.run(&args).expect(status));
        assert_eq!(object["complete"], false);
        assert_eq!(object["unreached"], serde_json::json!([]));
    }
}
