//! The bench command against fakes: each fake model is a shell script that plays both its verifier and `panoptes`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Runs the model, which is the last argument, as a script that sees all arguments.
const PANOPTES: &str = "#!/bin/sh\n[ \"$1\" = --version ] && { echo panoptes 9; exit; }\n\
                        for model; do :; done\n. \"./$model\"\n";
/// The generated verifier is the model itself.
const SPIN: &str =
    "#!/bin/sh\n[ \"$1\" = -V ] && { echo Spin 9; exit; }\nfor model; do :; done\ncp \"$model\" pan.c\n";
/// Each compilation leaves a line in a file beside the program, so that a test can count them.
const CC: &str = "#!/bin/sh\n[ \"$1\" = --version ] && { echo cc 9; exit; }\n\
                  echo \"$@\" >> \"${0%/*}/compilations\"\ncp pan.c pan; chmod +x pan\n";

const GOLDEN: &str = "path\tspin\texact_status\texact_states\texact_depth\texact_vec\texact_kinds\tdef_status\tdef_states\n\
                      sub/model.pml\taccept\tcomplete\t4\t3\t20\t\tcomplete\t4\n";

/// A corpus of one model of 4 states and 5 transitions.
struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    fn new(name: &str, model: &str) -> Corpus {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("models/sub")).unwrap();
        fs::create_dir_all(folder.join("programs")).unwrap();
        fs::write(folder.join("models/sub/model.pml"), model).unwrap();
        let bench = "path\tstates\ttransitions\tspin_vector_bytes\nsub/model.pml\t4\t5\t20\n";
        fs::write(folder.join("bench.tsv"), bench).unwrap();
        fs::write(folder.join("golden.tsv"), GOLDEN).unwrap();
        let corpus = Corpus { folder };
        corpus.program("panoptes", PANOPTES);
        corpus.program("spin", SPIN);
        corpus.program("cc", CC);
        corpus
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.folder.join("programs").join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_string()
    }

    /// The exit status and what was printed to stdout and stderr.
    fn run(&self, more: &[&str]) -> (i32, String) {
        let others = std::env::var("PATH").unwrap();
        self.run_with_path(&format!("{}:{others}", self.path("programs")), more)
    }

    fn run_with_path(&self, path: &str, more: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("bench")
            .arg(&self.folder)
            .args(["--panoptes", &self.path("programs/panoptes"), "--cache", &self.path("cache")])
            .args(more)
            .env("PATH", path)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), text)
    }
}

/// A model that plays its part: `panoptes check …` prints the JSON answer, the verifier SPIN's.
fn model(panoptes: (u64, u64), pan: (u64, u64)) -> String {
    format!(
        r#"#!/bin/sh
if [ "$1" = check ]; then
echo '{{"verdict": "verified", "complete": true, "seconds": {{"front_end": 0.25, "compile": 0.5, "search": 1}},
"coverage": {{"estimate": 1.0}},
"states": {{"stored": {}, "transitions": {}, "bytes_per_state": 10.5}}}}'
else
echo 'State-vector 20 byte, depth reached 3, errors: 0'
echo '  {} states, stored'
echo '  {} transitions (= stored+matched)'
echo '  0.001	actual memory usage for states'
echo '  0.001	memory used for hash table (-w2)'
fi
"#,
        panoptes.0, panoptes.1, pan.0, pan.1
    )
}

fn read_json(path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn everything_is_measured_and_written() {
    let corpus = Corpus::new("all", &model((4, 5), (4, 5)));
    let [json, svg, markdown] = ["out.json", "out.svg", "out.md"].map(|name| corpus.path(name));
    fs::write(&markdown, "before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n").unwrap();
    let (status, text) = corpus.run(&["--json", &json, "--svg", &svg, "--markdown", &markdown]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("front end and compiler, slowest model"), "{text}");

    let report = read_json(&json);
    assert_eq!(report["versions"]["spin"], "Spin 9");
    assert_eq!(report["versions"]["panoptes"], "panoptes 9");
    let contenders = report["throughput"]["rows"][0]["contenders"].as_array().unwrap();
    assert_eq!(contenders.len(), 5);
    for contender in contenders {
        assert!(contender["cpu_seconds"].as_f64().unwrap() > 0.0, "{contender}");
        assert!(contender["peak_bytes"].as_u64().unwrap() > 0, "{contender}");
    }
    assert_eq!(contenders[4]["bytes_per_state"], 10.5);
    assert_eq!(contenders[0]["bytes_per_state"], 0.002 * 1024.0 * 1024.0 / 4.0);
    assert!(report["small"]["rows"][0]["ratio"].as_f64().unwrap() > 0.0);
    assert_eq!(report["front"]["slowest"][0]["compile_seconds"], 0.5);
    assert_eq!(report["reductions"]["not_more"], 1.0);
    let met = |i: usize| report["bars"][i]["met"].as_bool();
    assert_eq!((met(3), met(5), met(6)), (Some(true), Some(false), Some(true)));

    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg "));
    let page = fs::read_to_string(&markdown).unwrap();
    assert!(page.starts_with("before\n") && page.ends_with("after\n"), "{page}");
    assert!(page.contains("sub/model.pml") && !page.contains("old"), "{page}");
}

#[test]
fn wrong_counts_of_either_program_are_wrong() {
    let parts = ["--parts", "throughput", "--runs", "2"];
    let (status, text) = Corpus::new("states", &model((3, 5), (4, 5))).run(&parts);
    assert_eq!(status, 1);
    for name in ["dfs", "bfs", "compressed"] {
        assert!(text.contains(&format!("wrong: sub/model.pml [{name}] states: expected 4, got 3")), "{text}");
    }
    let (status, text) = Corpus::new("transitions", &model((4, 5), (4, 6))).run(&parts);
    assert_eq!(status, 1);
    assert!(text.contains("wrong: sub/model.pml [pan] transitions: expected 5, got 6"), "{text}");
    assert!(text.contains("| mean at least 2.5x                      | not measured "), "{text}");
}

#[test]
fn a_version_without_the_compressed_store_is_measured_without_it() {
    let refusal = "case \"$*\" in *'--store compressed'*)\n\
                   echo 'error: the store `compressed` is not available' >&2; exit 2;; esac\n";
    let script = model((4, 5), (4, 5)).replace("#!/bin/sh\n", &format!("#!/bin/sh\n{refusal}"));
    let (status, text) = Corpus::new("refused", &script).run(&["--parts", "throughput"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("not measured, since the store `compressed` is not available."), "{text}");
}

#[test]
fn programs_take_turns_as_often_as_asked() {
    let corpus = Corpus::new("turns", "");
    let log = corpus.path("log");
    let noting = format!("#!/bin/sh\n[ \"$1\" = check ] && echo panoptes >> {log} || echo pan >> {log}\n");
    let script = model((4, 5), (4, 5)).replace("#!/bin/sh\n", &noting);
    fs::write(corpus.folder.join("models/sub/model.pml"), script).unwrap();
    let (status, text) = corpus.run(&["--parts", "throughput", "--runs", "2"]);
    assert_eq!(status, 0, "{text}");
    let turn = "pan\npanoptes\npan\npanoptes\npanoptes\n";
    assert_eq!(fs::read_to_string(log).unwrap(), turn.repeat(2));
}

#[test]
fn verifiers_are_compiled_once() {
    let corpus = Corpus::new("cache", &model((4, 5), (4, 5)));
    let compilations = || {
        corpus.run(&["--parts", "throughput"]);
        fs::read_to_string(corpus.path("programs/compilations")).unwrap().lines().count()
    };
    assert_eq!((compilations(), compilations()), (2, 2));
    fs::write(corpus.folder.join("models/sub/model.pml"), model((4, 5), (4, 5)) + "# changed\n").unwrap();
    assert_eq!(compilations(), 4);
}

#[test]
fn a_search_that_was_too_shallow_is_repeated() {
    let shallow = "[ \"$1\" = -m10000 ] && echo 'error: max search depth too small'\n";
    let script = model((4, 5), (4, 5)).replace("#!/bin/sh\n", &format!("#!/bin/sh\n{shallow}"));
    let (status, text) = Corpus::new("shallow", &script).run(&["--parts", "throughput"]);
    assert_eq!(status, 0, "{text}");
    let never = script.replace("[ \"$1\" = -m10000 ] &&", "");
    let (status, text) = Corpus::new("never", &never).run(&["--parts", "throughput"]);
    assert_eq!(status, 1);
    assert!(text.contains("[pan] pan: a depth of "), "{text}");
}

#[test]
fn other_verdicts_are_wrong() {
    let script = model((4, 5), (4, 5)).replace("\"verified\"", "\"violated\"");
    let (status, text) = Corpus::new("verdict", &script).run(&["--parts", "small,reductions"]);
    assert_eq!(status, 1);
    assert!(text.contains("wrong: sub/model.pml [small] SPIN found none, Panoptes an error"), "{text}");
    assert!(text.contains("wrong: sub/model.pml [reductions] SPIN found no error, Panoptes one"), "{text}");
}

#[test]
fn what_is_missing_is_said() {
    let corpus = Corpus::new("missing", &model((4, 5), (4, 5)));
    let empty = corpus.path("models");
    let (status, text) = corpus.run_with_path(&empty, &[]);
    assert_eq!((status, text.as_str()), (2, "error: SPIN is not installed (`spin` does not run)\n"));
    corpus.program("cc", "#!/bin/sh\nexit 1\n");
    let (status, text) = corpus.run(&[]);
    assert_eq!((status, text.as_str()), (2, "error: a C compiler is not installed (`cc` does not run)\n"));
    let (status, text) = corpus.run(&["--models", "nothing"]);
    assert_eq!((status, text.as_str()), (2, "error: no row of bench.tsv was chosen\n"));
    fs::remove_file(corpus.folder.join("bench.tsv")).unwrap();
    let (status, text) = corpus.run(&[]);
    assert_eq!(status, 2);
    assert!(text.starts_with("error: ") && text.contains("bench.tsv: "), "{text}");

    let output =
        Command::new(env!("CARGO_BIN_EXE_xtask")).args(["bench", "no/such/folder"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("error: no corpus in no/such/folder: "), "{text}");
    assert_eq!(output.status.code(), Some(2));
}
