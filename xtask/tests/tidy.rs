//! The rules of the crates, as tests: what ARCHITECTURE.md promises about the tree is true of the tree.
//!
//! Each test collects every breach of its rule before it fails, and each breach says what to do about it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The rooms of the house: a crate may depend only on crates of a lower rank. A new crate gets its line here and
/// in ARCHITECTURE.md.
const RANKS: [(&str, u32); 20] = [
    ("source", 0),
    ("store", 0),
    ("model", 1),
    ("preprocess", 1),
    ("promela", 2),
    ("argos", 2),
    ("ltl", 1),
    ("optimise", 2),
    ("exec", 2),
    ("interp", 3),
    ("jit", 3),
    ("trace", 3),
    ("symmetry", 3),
    ("search", 4),
    ("check", 5),
    ("cluster", 6),
    ("report", 6),
    ("explore", 7),
    ("lsp", 7),
    ("cli", 8),
];

/// Tools for developers: only each other and `[dev-dependencies]` may name them, and they may name everything.
const DEV_ONLY: [&str; 2] = ["modelgen", "xtask"];

/// Dependencies that the ranks would allow and the architecture does not: a search knows executors only by their
/// trait.
const FORBIDDEN: [(&str, &str); 2] = [("search", "interp"), ("search", "jit")];

/// Foreign crates, by the start of their name, and the only room that may use them.
const KEPT_IN: [(&str, &str); 6] = [
    ("cranelift", "jit"),
    ("clap", "cli"),
    ("anyhow", "cli"),
    ("axum", "explore"),
    ("tokio", "explore"),
    ("timely", "cluster"),
];

/// The only rooms with unsafe code.
const UNSAFE_ROOMS: [&str; 2] = ["crates/jit/", "crates/store/"];

/// What follows the word `unsafe` in code, where rustfmt has been.
const UNSAFE_STARTS: [&str; 5] = ["{", "fn ", "impl", "trait", "extern"];

/// How many lines a source file may have without saying why.
const LINES_MAX: usize = 800;

/// The words of a language, which the language-neutral model must not know.
const LANGUAGE_WORDS: [&str; 2] = ["promela", "argos"];

/// The folders at the root: a document that names a path in one of them must tell the truth.
const FOLDERS: [&str; 7] = [".cargo", ".ci", "crates", "docs", "fuzz", "models", "xtask"];

/// Folders of somebody's machine. Written in two pieces, so that this file keeps its own rule.
const MACHINE_FOLDERS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

#[test]
fn crates_depend_on_lower_ranks_only() {
    let mut breaches = Vec::new();
    for Package { name, dependencies } in packages() {
        let may_use_tools = DEV_ONLY.contains(&name.as_str());
        if !may_use_tools && rank(&name).is_none() {
            breaches.push(format!("crate `{name}` has no rank: add it to RANKS in xtask/tests/tidy.rs"));
            continue;
        }
        for dependency in dependencies.iter().filter(|dependency| !dependency.dev) {
            let used = &dependency.name;
            if !may_use_tools && DEV_ONLY.contains(&used.as_str()) {
                breaches.push(format!("`{name}` depends on `{used}`, which is for development only"));
            }
            if FORBIDDEN.contains(&(&name, used)) {
                breaches.push(format!("`{name}` depends on `{used}`, which it must not know"));
            }
            if let (Some(own), Some(other)) = (rank(&name), rank(used))
                && own <= other
            {
                breaches.push(format!("`{name}` (rank {own}) depends on `{used}` (rank {other})"));
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn foreign_crates_stay_in_their_room() {
    let mut breaches = Vec::new();
    for Package { name, dependencies } in packages() {
        for dependency in dependencies {
            for (foreign, room) in KEPT_IN {
                if dependency.name.starts_with(foreign) && name != room {
                    breaches.push(format!("`{name}` depends on `{}`: only `{room}` may", dependency.name));
                }
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn unsafe_code_stays_in_its_rooms() {
    let mut breaches = Vec::new();
    for file in sources().filter(|file| !UNSAFE_ROOMS.iter().any(|room| file.starts_with(room))) {
        let text = read(&file);
        let is_root = file.ends_with("src/lib.rs") || file.ends_with("src/main.rs");
        if is_root && !text.contains("#![forbid(unsafe_code)]") {
            breaches.push(format!("{file}: add #![forbid(unsafe_code)] after the `//!` header"));
        }
        for (number, line) in code_lines(&text) {
            if UNSAFE_STARTS.iter().any(|start| line.contains(&format!("unsafe {start}"))) {
                breaches.push(format!(
                    "{file}:{number}: unsafe code lives only in {}",
                    UNSAFE_ROOMS.join(" and ")
                ));
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn sources_say_what_they_are_for() {
    let silent = sources().filter(|file| !read(file).starts_with("//!"));
    assert_none(
        silent.map(|file| format!("{file}: the first line must be a `//!` that says what the file is for")),
    );
}

#[test]
fn long_sources_say_why() {
    let mut breaches = Vec::new();
    for file in sources() {
        let text = read(&file);
        let mut header = text.lines().take_while(|line| line.starts_with("//!"));
        let lines = text.lines().count();
        if lines > LINES_MAX && !header.any(|line| line.contains("Long because")) {
            breaches.push(format!("{file}: {lines} lines: split it, or say `Long because …` in its header"));
        }
    }
    assert_none(breaches);
}

#[test]
fn the_model_knows_no_language() {
    let mut breaches = Vec::new();
    for file in tracked_files().iter().filter(|file| file.starts_with("crates/model/")) {
        for (number, line) in (1..).zip(read(file).lines()) {
            for word in LANGUAGE_WORDS.iter().filter(|word| line.to_lowercase().contains(**word)) {
                breaches.push(format!("{file}:{number}: names `{word}`: the model is language-neutral"));
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn no_file_names_a_folder_of_this_machine() {
    let mut breaches = Vec::new();
    for file in tracked_files() {
        for (number, line) in (1..).zip(read(&file).lines()) {
            for folder in MACHINE_FOLDERS.iter().filter(|folder| names_absolute(line, folder)) {
                breaches.push(format!("{file}:{number}: names {folder}"));
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn paths_in_documents_exist() {
    let mut breaches = Vec::new();
    for document in tracked_files().iter().filter(|file| is_document(file)) {
        let beside = root().join(document).parent().expect("a document is in a folder").to_path_buf();
        let is_folder = |name: &str| FOLDERS.contains(&name) || beside.join(name).is_dir();
        for (number, path) in named_paths(&read(document), is_folder) {
            if !root().join(&path).exists() && !beside.join(&path).exists() {
                breaches.push(format!("{document}:{number}: there is no `{path}`"));
            }
        }
    }
    assert_none(breaches);
}

#[test]
fn the_reader_of_documents_finds_paths() {
    let text = "See `docs/a.md`, `crates/x/src/lib.rs:12`, [b](docs/b.md#top), [c](https://example.org/c.md),\n\
                `README.md`, `models/*.pml`, `and/or`, `x | y`, `near/c.pml`.\n```\n`docs/fenced.md`\n```\n`xtask/`\n";
    let expected = [
        (1, "docs/a.md"),
        (1, "crates/x/src/lib.rs"),
        (1, "docs/b.md"),
        (2, "README.md"),
        (2, "near/c.pml"),
        (6, "xtask/"),
    ];
    let found = named_paths(text, |name| FOLDERS.contains(&name) || name == "near");
    assert_eq!(found, expected.map(|(line, path)| (line, path.to_string())));
}

// ---- The tree

struct Package {
    /// Without the prefix `panoptes-`.
    name: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    dev: bool,
}

/// The packages of the workspace, as cargo understands their manifests.
fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let name = |value: &Value| {
        let name = value["name"].as_str().expect("a package has a name");
        name.strip_prefix("panoptes-").unwrap_or(name).to_string()
    };
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let packages = list(&metadata["packages"]).into_iter().map(|package| Package {
        name: name(&package),
        dependencies: list(&package["dependencies"])
            .iter()
            .map(|dependency| Dependency { name: name(dependency), dev: dependency["kind"] == "dev" })
            .collect(),
    });
    packages.collect()
}

fn rank(name: &str) -> Option<u32> {
    RANKS.iter().find(|(room, _)| *room == name).map(|(_, rank)| *rank)
}

/// The files that are in the repository or could be added to it, relative to its root.
fn tracked_files() -> BTreeSet<String> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let files = String::from_utf8(output.stdout).expect("file names are UTF-8");
    files.lines().filter(|file| root().join(file).is_file()).map(str::to_string).collect()
}

fn sources() -> impl Iterator<Item = String> {
    tracked_files().into_iter().filter(|file| file.ends_with(".rs"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace").to_path_buf()
}

/// A file's text; what is not text has nothing to say here.
fn read(file: &str) -> String {
    let bytes = fs::read(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    String::from_utf8(bytes).unwrap_or_default()
}

// ---- Reading lines

/// Lines with their numbers, without line comments and string literals.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    (1..).zip(text.lines().map(|line| {
        let code = line.split("//").next().unwrap_or("");
        code.split('"').step_by(2).collect::<Vec<&str>>().join("\"")
    }))
}

/// Whether the line names something in the absolute folder, and not in one of that name further down.
fn names_absolute(line: &str, folder: &str) -> bool {
    let is_part_of_path = |c: char| c.is_alphanumeric() || "._-~/}".contains(c);
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(is_part_of_path))
}

fn is_document(file: &str) -> bool {
    let named = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "models/README.md"].contains(&file);
    named || file.starts_with("docs/") && file.ends_with(".md")
}

/// The paths of this repository that a document names in backticks or links to, with their lines. In backticks it
/// is the first folder that tells a path from other words with a slash.
fn named_paths(text: &str, is_folder: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let is_path = |text: &str| {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
        plain && text.split_once('/').map_or(text.ends_with(".md"), |(first, _)| is_folder(first))
    };
    let mut paths = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        let quoted = line.split('`').skip(1).step_by(2).map(|path| path.split(':').next().unwrap_or(path));
        paths.extend(quoted.filter(|path| is_path(path)).map(|path| (number, path.to_string())));
        let linked = line.split("](").skip(1).map(|rest| rest.split([')', '#']).next().unwrap_or(rest));
        let linked = linked.filter(|path| !path.is_empty() && !path.contains(':'));
        paths.extend(linked.map(|path| (number, path.to_string())));
    }
    paths
}

fn assert_none(breaches: impl IntoIterator<Item = String>) {
    let breaches: Vec<String> = breaches.into_iter().collect();
    assert!(breaches.is_empty(), "\n\n{}\n", breaches.join("\n"));
}
