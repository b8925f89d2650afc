//! The conformance command against a fake `panoptes`: each fake model is a shell script that plays the answer.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// Runs the model, which is the last argument, as a script that sees all arguments.
const FAKE_PANOPTES: &str = "#!/bin/sh\nfor model; do :; done\n. \"./$model\"\n";

const COLUMNS: [&str; 18] = [
    "path",
    "spin",
    "reject_class",
    "exact_status",
    "exact_states",
    "exact_trans",
    "def_status",
    "def_states",
    "exact_kinds",
    "bfs_kind",
    "bfs_steps",
    "bfs_states",
    "bfs_assert_steps",
    "bfs_endstate_steps",
    "short_status",
    "short_kind",
    "short_steps",
    "features",
];

/// SPIN completed a search of 4 states and 5 transitions.
const CLEAN: &str = "spin=accept exact_status=complete exact_states=4 exact_trans=5";
/// The same with a deadlock after 3 steps.
const DEADLOCK: &str = "spin=accept exact_status=complete exact_states=4 exact_trans=5 exact_kinds=invalid_end_state \
                        bfs_kind=invalid_end_state bfs_steps=3 bfs_states=4";
const REJECT: &str = "spin=reject reject_class=must";

/// A corpus of one model.
struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    /// `golden` is `column=value …`, with `_` for a space in a value of several words.
    fn new(name: &str, golden: &str, model: &str) -> Corpus {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("conformance").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("models/sub")).unwrap();
        fs::write(folder.join("models/sub/model.pml"), model).unwrap();
        fs::write(folder.join("panoptes"), FAKE_PANOPTES).unwrap();
        fs::set_permissions(folder.join("panoptes"), fs::Permissions::from_mode(0o755)).unwrap();

        let value = |column: &str| {
            let field = golden.split_whitespace().find_map(|field| field.strip_prefix(&format!("{column}=")));
            match (column, field) {
                ("path", _) => "sub/model.pml".to_string(),
                ("exact_kinds" | "bfs_kind" | "short_kind", Some(words)) => words.replace('_', " "),
                (_, field) => field.unwrap_or("").to_string(),
            }
        };
        let row: Vec<String> = COLUMNS.iter().map(|column| value(column)).collect();
        let text = format!("{}\n{}\n", COLUMNS.join("\t"), row.join("\t"));
        fs::write(folder.join("golden.tsv"), text).unwrap();
        Corpus { folder }
    }

    /// The exit status and what was printed to stdout and stderr.
    fn run(&self, more: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("conformance")
            .arg(&self.folder)
            .arg("--panoptes")
            .arg(self.folder.join("panoptes"))
            .args(more)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        // These corpora have no Argos models, and are told so.
        let lines = text.lines().filter(|line| !line.starts_with("no Argos models"));
        let text = lines.map(|line| format!("{line}\n")).collect();
        (output.status.code().unwrap(), text)
    }
}

/// A script that plays a full search which ends with `exit`.
fn answer(exit: i32, stored: u64, transitions: u64, errors: &[(&str, u64)]) -> String {
    let errors: Vec<String> = errors
        .iter()
        .map(|(kind, length)| format!(r#"{{"kind": "{kind}", "spin_length": {length}}}"#))
        .collect();
    let verdict = ["verified", "violated", "", "inconclusive"][exit as usize];
    format!(
        r#"echo '{{"verdict": "{verdict}", "complete": {}, "limits": [], "errors": [{}],
                 "states": {{"stored": {stored}, "transitions": {transitions}}}}}'; exit {exit}"#,
        exit != 3,
        errors.join(", ")
    )
}

fn agrees(name: &str, golden: &str, model: &str, summary: &str) {
    let (status, text) = Corpus::new(name, golden, model).run(&[]);
    assert_eq!(text, format!("conformance: 1 of 1 agree ({summary})\n"));
    assert_eq!(status, 0);
}

fn differs(name: &str, golden: &str, model: &str, difference: &str) {
    let (status, text) = Corpus::new(name, golden, model).run(&[]);
    assert!(text.contains(&format!("differs: sub/model.pml {difference}")), "{text}");
    assert!(text.contains("conformance: 0 of 1 agree"), "{text}");
    assert_eq!(status, 1);
}

#[test]
fn equal_counts_agree() {
    agrees("clean", CLEAN, &answer(0, 4, 5, &[]), "exact 1 of 1; 0 skipped");
}

#[test]
fn other_counts_differ() {
    differs("states", CLEAN, &answer(0, 3, 5, &[]), "[exact] states.stored: expected 4, got 3");
    differs("transitions", CLEAN, &answer(0, 4, 6, &[]), "[exact] states.transitions: expected 5, got 6");
}

#[test]
fn missed_and_invented_errors_differ() {
    differs("missed", DEADLOCK, &answer(0, 4, 5, &[]), "[exact] kinds of error: expected deadlock, got none");
    let invented = answer(1, 4, 5, &[("assertion", 1)]);
    differs("invented", CLEAN, &invented, "[exact] kinds of error: expected none, got assertion");
}

#[test]
fn unfinished_search_differs() {
    differs("unfinished", CLEAN, &answer(3, 2, 2, &[]), "[exact] not finished: limits []");
}

#[test]
fn a_deadlock_as_short_agrees() {
    let both = "exact 1 of 1, shortest 1 of 1; 0 skipped";
    agrees("deadlock", DEADLOCK, &answer(1, 4, 5, &[("deadlock", 3)]), both);
    agrees("reception", DEADLOCK, &answer(1, 4, 5, &[("unspecified-reception", 3)]), both);
}

#[test]
fn a_longer_deadlock_differs() {
    let longer = answer(1, 4, 5, &[("deadlock", 4)]);
    differs("longer", DEADLOCK, &longer, "[shortest] errors[0].spin_length: expected 3, got 4");
    let corrected = format!("{DEADLOCK} short_steps=2 short_kind=invalid_end_state short_status=complete");
    differs("corrected", &corrected, &longer, "[shortest] errors[0].spin_length: expected 2, got 4");
}

#[test]
fn another_kind_of_the_same_length_differs_unless_spin_has_it_too() {
    let golden = DEADLOCK.replace("exact_kinds=", "exact_kinds=assertion_violated,");
    let assertion_first = answer(1, 4, 5, &[("assertion", 3), ("deadlock", 3)]);
    differs("kind", &golden, &assertion_first, "[shortest] errors[0].kind: expected deadlock, got assertion");
    let tied = format!("{golden} bfs_assert_steps=3");
    agrees("tied", &tied, &assertion_first, "exact 1 of 1, shortest 1 of 1; 0 skipped");
}

#[test]
fn with_rendezvous_a_shorter_deadlock_agrees() {
    let golden = format!("{DEADLOCK} features=rendezvous");
    agrees(
        "rendezvous",
        &golden,
        &answer(1, 4, 5, &[("deadlock", 2)]),
        "exact 1 of 1, shortest 1 of 1; 0 skipped",
    );
}

#[test]
fn a_large_model_must_only_be_accepted() {
    let corpus = Corpus::new("large", CLEAN, &answer(3, 2, 2, &[]));
    let (status, text) = corpus.run(&["--max-states", "3"]);
    assert_eq!(text, "conformance: 1 of 1 agree (accepted 1 of 1; 1 skipped: 1 exact beyond 3 states)\n");
    assert_eq!(status, 0);
}

#[test]
fn what_spin_did_not_finish_bounds_us_from_below() {
    let golden = CLEAN.replace("complete", "timeout");
    agrees("more", &golden, &answer(0, 9, 9, &[]), "accepted 1 of 1; 0 skipped");
    differs(
        "fewer",
        &golden,
        &answer(0, 3, 3, &[]),
        "[accepted] states.stored of a complete search: expected at least 4, got 3",
    );
}

#[test]
fn what_stops_spin_is_a_runtime_error() {
    let golden = "spin=accept exact_status=stopped-at-error exact_states=1 exact_kinds=other:bad_queue";
    agrees("runtime", golden, &answer(1, 1, 1, &[("runtime", 1)]), "accepted 1 of 1; 0 skipped");
    let missed = answer(0, 1, 1, &[]);
    differs("no-runtime", golden, &missed, "[accepted] kinds of error: expected at least runtime, got none");
}

#[test]
fn a_refused_good_model_differs_and_says_why() {
    let model = "echo 'model.pml:1:2: error: no such word' >&2; exit 2";
    differs(
        "refused",
        CLEAN,
        model,
        "[exact] rejected: expected acceptance, got: model.pml:1:2: error: no such word",
    );
}

#[test]
fn a_wrong_model_is_refused_with_a_place() {
    agrees("wrong", REJECT, "echo 'model.pml:1:2: error' >&2; exit 2", "rejected 1 of 1; 0 skipped");
    differs("no-place", REJECT, "echo 'bad' >&2; exit 2", "[rejected] no file:line:col in the message: bad");
    differs("taken", REJECT, &answer(0, 4, 5, &[]), "[rejected] exit status: expected 2, got 0");
}

#[test]
fn a_peculiarity_of_spin_may_go_either_way() {
    let golden = "spin=reject reject_class=may";
    agrees("may-take", golden, &answer(0, 4, 5, &[]), "either way 1 of 1; 0 skipped");
    agrees("may-refuse", golden, "echo 'model.pml:1:2: error' >&2; exit 2", "either way 1 of 1; 0 skipped");
    differs("may-not-crash", golden, "exit 101", "[either way] crash: panicked");
}

#[test]
fn crashes_are_reported() {
    let panic = "echo \"thread 'main' panicked at lexer.rs:1:2\" >&2; exit 101";
    differs("panic", CLEAN, panic, "[exact] crash: panicked: thread 'main' panicked at lexer.rs:1:2");
    differs("signal", CLEAN, "kill -SEGV $$", "[exact] crash: killed by a signal");
    differs("status", REJECT, "exit 7", "[rejected] crash: ended with status 7");
}

#[test]
fn an_answer_that_contradicts_itself_differs() {
    let lie = answer(0, 4, 5, &[]).replace("exit 0", "exit 1");
    differs("lie", CLEAN, &lie, "[exact] verdict `verified` with exit status 1");
    differs("chatter", CLEAN, "echo hello; exit 0", "[exact] stdout is not one JSON object");
}

#[test]
fn the_table_has_a_line_a_comparison() {
    let corpus = Corpus::new("table", DEADLOCK, &answer(1, 4, 5, &[("deadlock", 3)]));
    let table = corpus.folder.join("table.tsv");
    corpus.run(&["--tsv", table.to_str().unwrap()]);
    let text = fs::read_to_string(table).unwrap();
    let columns: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').take(4).collect()).collect();
    assert_eq!(columns[1], ["sub/model.pml", "exact", "agrees", "4"]);
    assert_eq!(columns[2], ["sub/model.pml", "shortest", "agrees", "4"]);
}

#[test]
fn a_missing_corpus_and_bad_usage_exit_with_two() {
    let xtask = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, text) = xtask(&["conformance", "no/such/folder"]);
    assert_eq!(status, Some(2));
    assert!(text.starts_with("error: no corpus in no/such/folder: "), "{text}");
    let (status, text) = xtask(&["conformance"]);
    assert_eq!(status, Some(2));
    assert!(text.starts_with("error: which DIR?\n\nCompare"), "{text}");
    assert_eq!(xtask(&["conformance", "--jobs", "none", "."]).0, Some(2));
    assert_eq!(xtask(&["no-such-command"]).0, Some(2));
    assert_eq!(xtask(&[]).0, Some(2));
}

#[test]
fn a_reduced_search_finds_the_same_in_no_more_states() {
    let golden = format!("{CLEAN} def_status=complete def_states=3");
    // The script sees how it is called: only full searches are exact.
    let reduced = |stored, errors: &[(&str, u64)]| {
        let exit = i32::from(!errors.is_empty());
        let full = answer(0, 4, 5, &[]);
        format!("case \"$*\" in *--exact*) {full};; esac; {}", answer(exit, stored, 5, errors))
    };
    let run = |name, model: &str| Corpus::new(name, &golden, model).run(&["--reductions"]);
    let (status, text) = run("reduced", &reduced(2, &[]));
    assert_eq!(
        text,
        "conformance: 1 of 1 agree (exact 1 of 1, reduced 1 of 1; 0 skipped)\n\
         reduced: no more states than SPIN in 1 of 1, fewer in 1\n"
    );
    assert_eq!(status, 0);
    let (status, text) = run("reduced-less", &reduced(4, &[]));
    assert!(text.contains("no more states than SPIN in 0 of 1, fewer in 0"), "{text}");
    assert_eq!(status, 0);
    let (status, text) = run("reduced-more", &reduced(5, &[]));
    assert!(text.contains("[reduced] states.stored: expected at most 4, got 5"), "{text}");
    assert_eq!(status, 1);
    let (_, text) = run("reduced-invents", &reduced(2, &[("assertion", 1)]));
    assert!(text.contains("[reduced] kinds of error: expected none, got assertion"), "{text}");
}
