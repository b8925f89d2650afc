//! A check that is stopped goes on from its checkpoint to the answer that it would have had.

use crate::sandbox::{DEADLOCK, LARGE, Run, Sandbox};
use serde_json::Value;

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", run.stdout, run.stderr))
}

/// The counts of a search, and what came of it.
fn counts(run: &Run) -> Vec<Value> {
    let object = object(run);
    let states = ["stored", "matched", "transitions", "expanded", "max_depth"];
    let states = states.iter().map(|key| object["states"][key].clone());
    states.chain(["verdict", "complete", "limits"].iter().map(|key| object[key].clone())).collect()
}

#[test]
fn a_check_goes_on_in_pieces() {
    for options in [
        "--threads 1",
        "--threads 2 --store compressed",
        // Depth first, the depth that several threads tell depends on who took what.
        "--store hash-compact --threads 1",
        "--store disk:states --memory 30M",
    ] {
        let bound = if options.contains("disk") { "14" } else { "40" };
        let sandbox = Sandbox::with(&LARGE.replace("99", bound));
        let words = |more: &str| format!("check m.pml --exact --format json {options} {more}");
        let whole = sandbox.run(&words("").split_whitespace().collect::<Vec<_>>());
        let more = words("--checkpoint c --time 30ms");
        let mut run = sandbox.run(&more.split_whitespace().collect::<Vec<_>>());
        let mut pieces = 0;
        while object(&run)["checkpoint"]["resumable"] == true {
            pieces += 1;
            assert_eq!((run.status, sandbox.has("c")), (3, true));
            let time = if pieces < 4 { "50ms" } else { "60s" };
            run = sandbox.run(&["resume", "c", "--time", time]);
        }
        assert_eq!(counts(&run), counts(&whole), "{options}, in {pieces} pieces");
        assert!(!sandbox.has("c") && !sandbox.has("c.new"), "it is of no use any more");
    }
}

/// Processes that are alike go on changing places, and the trace is an execution.
#[test]
fn processes_change_places_before_and_after() {
    let workers = "byte lock = 255, done;
        active [6] proctype P() { byte n;
            do :: n < 3 -> atomic { lock == 255 -> lock = _pid }; n++; done++; assert(done < 18); lock = 255 od }";
    let sandbox = Sandbox::with(workers);
    let whole = sandbox.run(&["check", "m.pml", "--threads", "1", "--no-por", "--format", "json"]);
    let words = "check m.pml --threads 1 --no-por --checkpoint c --time 20ms --format json";
    let mut run = sandbox.run(&words.split_whitespace().collect::<Vec<_>>());
    let mut pieces = 0;
    while object(&run)["checkpoint"]["resumable"] == true {
        pieces += 1;
        let time = if pieces < 6 { "40ms" } else { "60s" };
        run = sandbox.run(&["resume", "c", "--time", time]);
    }
    let (run, whole) = (object(&run), object(&whole));
    for key in ["verdict", "symmetry", "symmetry_processes"] {
        assert_eq!(run[key], whole[key], "{key} in {pieces} pieces: {run:#}");
    }
    assert_eq!((&run["verdict"], &run["symmetry"]), (&"violated".into(), &"full".into()));
    assert_eq!(run["errors"][0]["length"], whole["errors"][0]["length"]);
    assert_eq!(run["errors"][0]["trace"], "m.trace.json");
}

/// Some hundred thousand states.
fn smaller() -> String {
    LARGE.replace("99", "30")
}

/// A file of a check that met its limit on memory.
fn stopped() -> Sandbox {
    let sandbox = Sandbox::with(&smaller());
    let words = ["check", "m.pml", "--exact", "--memory", "20M", "--checkpoint", "c", "--threads", "1"];
    let run = sandbox.run(&words);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(run.stdout.contains("to go on: panoptes resume c"), "{}", run.stdout);
    sandbox
}

#[test]
fn what_is_not_what_it_was_is_refused() {
    let sandbox = stopped();
    let refused = |sandbox: &Sandbox, words: &[&str], says: &str| {
        let run = sandbox.run(words);
        assert_eq!(run.status, 2, "{} {}", run.stdout, run.stderr);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    };
    let file = sandbox.read_bytes("c");
    for (place, says) in
        [(3, "no checkpoint"), (20, "another version"), (100, "checksum"), (file.len() - 100, "checksum")]
    {
        let mut damaged = file.clone();
        damaged[place] ^= 4;
        sandbox.write_bytes("d", &damaged);
        refused(&sandbox, &["resume", "d", "--memory", "1G"], says);
    }
    sandbox.write_bytes("d", &file[..file.len() / 2]);
    refused(&sandbox, &["resume", "d", "--memory", "1G"], "ends too early");
    refused(&sandbox, &["resume", "m.pml"], "no checkpoint");
    refused(&sandbox, &["resume", "e"], "there is no file e");
    refused(&sandbox, &["resume", "c", "--memory", "12M"], "--memory");
    sandbox.write("m.pml", &smaller().replace("byte a, b, c;", "byte a, b,\n  d, c;"));
    refused(&sandbox, &["resume", "c"], "m.pml has changed, in line 1");
    // It is still there for who puts the text back.
    sandbox.write("m.pml", &smaller());
    let run = sandbox.run(&["resume", "c", "--memory", "1G", "--format", "json"]);
    let whole = sandbox.run(&["check", "m.pml", "--exact", "--threads", "1", "--format", "json"]);
    assert_eq!((run.status, counts(&run)), (0, counts(&whole)));
}

#[test]
fn what_cannot_be_written_down_is_refused() {
    let sandbox = Sandbox::with(DEADLOCK);
    sandbox.write("ltl.pml", "bit x; active proctype P() { x = 1 } ltl p { <> (x == 1) }");
    for (words, says) in [
        ("m.pml --search iddfs", "`--search iddfs`"),
        ("m.pml --store cache:100", "`--store cache:100`"),
        ("m.pml --shortest", "`--shortest`"),
        ("m.pml --depth 100", "`--depth`"),
        ("ltl.pml", "needs a search for cycles"),
        ("m.pml ltl.pml", "is for one model"),
        ("m.pml --trace-out c", "name the same file"),
    ] {
        let words = format!("check {words} --checkpoint c");
        let run = sandbox.run(&words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(run.status, 2, "{words}: {}", run.stdout);
        assert!(run.stderr.contains(says), "{words}: {}", run.stderr);
    }
}

/// Before the search: nobody wants to learn of it after hours.
#[test]
fn a_file_that_cannot_be_written_or_is_something_else_is_refused() {
    let sandbox = stopped();
    let checkpoint = sandbox.read_bytes("c");
    sandbox.write("notes", "to be kept");
    sandbox.write("folder/x", "");
    for (file, says) in [
        ("elsewhere/c", "cannot be written"),
        ("folder", "a directory"),
        ("notes", "no checkpoint"),
        ("m.pml", "overwrite the model"),
    ] {
        let run = sandbox.run(&["check", "m.pml", "--checkpoint", file, "--time", "100ms"]);
        assert_eq!(run.status, 2, "{file}: {}", run.stdout);
        assert!(run.stderr.contains(says), "{file}: {}", run.stderr);
    }
    let run = sandbox.run(&["resume", "c", "--memory", "1G", "--checkpoint", "notes"]);
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert_eq!((sandbox.read("notes"), sandbox.read_bytes("c")), ("to be kept".to_string(), checkpoint));
    // What is empty holds nothing, and the file that it goes on from may be named.
    let words = "check m.pml --exact --threads 1 --memory 20M --checkpoint folder/x";
    assert_eq!(sandbox.run(&words.split_whitespace().collect::<Vec<_>>()).status, 3);
    let run = sandbox.run(&["resume", "c", "--memory", "1G", "--checkpoint", "c:every=1m"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn the_checkpoint_of_another_search_is_kept() {
    let sandbox = stopped();
    let checkpoint = sandbox.read_bytes("c");
    let run = sandbox.run(&["check", "m.pml", "--exact", "--threads", "1", "--checkpoint", "c"]);
    assert!(run.stderr.contains("`panoptes resume c.old` goes on"), "{}", run.stderr);
    assert_eq!(sandbox.read_bytes("c.old"), checkpoint);
    let run = sandbox.run(&["resume", "c.old", "--memory", "1G"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

/// On a busy machine the time may be over when the model is not yet read.
#[test]
fn a_limit_before_the_search_leaves_its_checkpoint() {
    // So much text that time is over before it is read.
    let unused = format!("proctype Unused() {{ {} }}", "skip; ".repeat(30_000));
    let sandbox = Sandbox::with(&(smaller() + &unused));
    let words = ["check", "m.pml", "--exact", "--memory", "60M", "--checkpoint", "c", "--threads", "1"];
    assert_eq!(sandbox.run(&words).status, 3);
    let checkpoint = sandbox.read_bytes("c");
    let run = sandbox.run(&["resume", "c", "--time", "1us"]).expect(3);
    assert!(run.stdout.contains("to go on: panoptes resume ") && run.stdout.contains("/c"), "{}", run.stdout);
    let run = sandbox.run(&["resume", "c", "--time", "1us", "--format", "json"]).expect(3);
    let told = &object(&run)["checkpoint"];
    assert_eq!((&told["resumed"], &told["resumable"]), (&false.into(), &true.into()), "{told}");
    // There is nothing in the other file yet.
    let run = sandbox.run(&["resume", "c", "--time", "1us", "--checkpoint", "d", "-q"]).expect(3);
    assert!(run.stdout.trim_end().ends_with("/c") && !sandbox.has("d"), "{}", run.stdout);
    assert_eq!(sandbox.read_bytes("c"), checkpoint);
    let words = ["check", "m.pml", "--exact", "--time", "1us", "--checkpoint", "e", "--format", "json"];
    let run = sandbox.run(&words).expect(3);
    assert_eq!(object(&run)["checkpoint"]["resumable"], false);
}

#[test]
fn a_name_with_a_space_is_told_as_the_shell_reads_it() {
    let sandbox = Sandbox::with(&smaller());
    let words =
        ["check", "m.pml", "--exact", "--memory", "20M", "--checkpoint", "my c", "--threads", "1", "-q"];
    let run = sandbox.run(&words).expect(3);
    assert!(run.stdout.contains("panoptes resume 'my c'"), "{}", run.stdout);
}

/// Whoever searches holds the file.
#[cfg(unix)]
#[test]
fn two_searches_do_not_write_to_one_file() {
    let sandbox = stopped();
    let checkpoint = sandbox.read_bytes("c");
    let file = std::fs::File::open(sandbox.path("c")).expect("a checkpoint");
    file.lock().expect("a lock");
    for words in [&["resume", "c", "--memory", "1G"][..], &["check", "m.pml", "--exact", "--checkpoint", "c"]]
    {
        let run = sandbox.run(words).expect(2);
        assert!(run.stderr.contains("another process writes to this file now"), "{}", run.stderr);
    }
    assert_eq!(sandbox.read_bytes("c"), checkpoint);
    drop(file);
    // Both began when there was no file: the second one to write finds that of the first.
    let beside = std::fs::File::create(sandbox.path("d.new")).expect("a file");
    beside.lock().expect("a lock");
    let run = sandbox.run(&["check", "m.pml", "--exact", "--checkpoint", "d"]).expect(2);
    assert!(run.stderr.contains("another process writes") && sandbox.has("d.new"), "{}", run.stderr);
}

/// Also after it was written anew; and no longer than that process runs.
#[cfg(unix)]
#[test]
fn the_file_of_a_search_is_held() {
    let sandbox = Sandbox::with(LARGE);
    let words = ["check", "m.pml", "--exact", "--threads", "1", "--checkpoint", "c:every=20ms", "-q"];
    let mut search = sandbox.command(&words).spawn().expect("a process");
    for _ in 0..3 {
        while !sandbox.has("c") {
            assert!(search.try_wait().expect("a status").is_none(), "it ended too early");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let run = sandbox.run(&["resume", "c", "-q", "--time", "1ms"]).expect(2);
        assert!(run.stderr.contains("another process writes to this file now"), "{}", run.stderr);
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    search.kill().and_then(|()| search.wait()).expect("its end");
    sandbox.run(&["resume", "c", "-q", "--time", "1ms"]).expect(3);
}
