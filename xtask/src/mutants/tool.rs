//! cargo-mutants, run on a copy of the tree.
//!
//! The copy is changed in place and built without debug information in a target folder of its own, which stays warm from
//! mutant to mutant and from run to run. Files that did not change are not copied again, so cargo does not build them again;
//! a file that an interrupted run left changed is.

use super::options::Options;
use super::results::Outcome;
use super::sample::{self, Mutant};
use super::stages::{Area, Stage, Target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A build that takes longer has met a fault of the compiler.
const BUILD_MAX: Duration = Duration::from_secs(900);

/// Tests that wait instead of computing may take so many times longer.
const WAIT: u32 = 10;

pub struct Tool {
    /// The copy.
    tree: PathBuf,
    directory: PathBuf,
    time: Duration,
    has_nextest: bool,
    /// Tells cargo what to run test programs with.
    runner_variable: String,
    commit: String,
}

/// Limits the processor time of what it runs.
const RUNNER: &str = "limited.sh";
const RUNNER_TEXT: &str = "#!/bin/sh\nulimit -t \"$TEST_SECONDS\"\nexec \"$@\"\n";

impl Tool {
    pub fn new(options: &Options) -> Result<Tool, String> {
        if !is_there("mutants") {
            return Err(
                "cargo-mutants is not installed\nhelp: cargo install cargo-mutants --locked".to_string()
            );
        }
        std::fs::create_dir_all(&options.directory)
            .map_err(|error| format!("cannot make {}: {error}", options.directory.display()))?;
        let directory = options.directory.canonicalize().map_err(|error| error.to_string())?;
        let tree = directory.join("tree");
        let commit = copy_repository(&tree)?;
        write_runner(&directory.join(RUNNER)).map_err(|error| format!("cannot write {RUNNER}: {error}"))?;
        let runner_variable = format!("CARGO_TARGET_{}_RUNNER", host()?.to_uppercase().replace('-', "_"));
        let has_nextest = is_there("nextest");
        Ok(Tool { tree, directory, time: options.time, has_nextest, runner_variable, commit })
    }

    /// What is changed, for people.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Runs the tests of a stage on the code as it is: they must pass, and in time.
    pub fn baseline(&self, stage: &Stage) -> Result<(), String> {
        let mut command = self.cargo(stage.seconds(self.time));
        command.current_dir(&self.tree);
        command.args(if self.has_nextest { &["nextest", "run"][..] } else { &["test"] });
        command.args(each("--package", stage.packages.to_vec())).args(self.targets(stage));
        if !self.has_nextest && !stage.skip.is_empty() {
            command.arg("--").args(each("--skip", stage.skip.to_vec()));
        }
        let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        Err(format!("the tests fail, or take too long, without any change\n{out}{err}"))
    }

    /// Which tests of the packages are run, as both test tools understand it. Only nextest can choose modules: without it their programs are run whole.
    fn targets(&self, stage: &Stage) -> Vec<String> {
        let (mut words, mut modules) = (Vec::new(), Vec::new());
        for target in stage.targets {
            let of_target = match target {
                Target::Lib => vec!["--lib".to_string()],
                Target::Test(name) | Target::Module(name, _) => vec!["--test".to_string(), name.to_string()],
            };
            if !words.ends_with(&of_target) {
                words.extend(of_target);
            }
            if let Target::Module(_, module) = target {
                modules.push(*module);
            }
        }
        let mut conditions = Vec::new();
        if !modules.is_empty() {
            conditions.push(format!("(kind(lib) or test(/^({})::/))", modules.join("|")));
        }
        if !stage.skip.is_empty() {
            conditions.push(format!("not test(/{}/)", stage.skip.join("|")));
        }
        if self.has_nextest && !conditions.is_empty() {
            words.extend(["-E".to_string(), conditions.join(" and ")]);
        }
        words
    }

    /// Cargo, in whose tests each program may compute for so long. How busy the machine is does not matter to that.
    fn cargo(&self, seconds: Duration) -> Command {
        let mut command = Command::new("nice");
        command.args(["-n", "10", "cargo"]);
        command.env("CARGO_TARGET_DIR", self.directory.join("target")).env("CARGO_PROFILE_DEV_DEBUG", "0");
        command.env(&self.runner_variable, self.directory.join(RUNNER));
        command.env("TEST_SECONDS", seconds.as_secs().to_string());
        // What the cargo that runs this command says of its own package is not meant for others.
        command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
        command
    }

    fn mutants(&self, seconds: Duration) -> Command {
        let mut command = self.cargo(seconds);
        command.args(["mutants", "--dir"]).arg(&self.tree);
        command
    }

    /// All mutants of the packages that are changed.
    pub fn list(&self) -> Result<Vec<Mutant>, String> {
        let mut command = self.mutants(self.time);
        command.args(["--list", "--json"]);
        command.args(each("--package", Area::packages()));
        let output = command.output().map_err(|error| format!("cannot run cargo-mutants: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo-mutants: {}", String::from_utf8_lossy(&output.stderr)));
        }
        sample::parse(&String::from_utf8_lossy(&output.stdout))
    }

    /// What the tests of a stage say to a mutant, and after how many seconds.
    pub fn run(&self, mutant: &Mutant, stage: &Stage) -> Result<(Outcome, f64), String> {
        let mut command = self.mutants(stage.seconds(self.time));
        command.args(["--in-place", "--baseline", "skip", "--no-times", "--colors", "never", "--output"]);
        command.arg(&self.directory);
        command.args(["--timeout", &(self.time * WAIT).as_secs().to_string()]);
        command.args(["--build-timeout", &BUILD_MAX.as_secs().to_string()]);
        if self.has_nextest {
            command.args(["--test-tool", "nextest"]);
        }
        command.args(["--package", &mutant.package, "--file", &mutant.file]);
        command.args(["--re", &format!("^{}$", escaped(&mutant.name))]);
        let (number, count) = mutant.shard;
        command.args(["--sharding", "round-robin", "--shard", &format!("{number}/{count}")]);
        command.args(each("--test-package", stage.packages.to_vec()));
        command.args(self.targets(stage).iter().map(|word| format!("-C={word}")));
        if !self.has_nextest && !stage.skip.is_empty() {
            command.args(["--", "--"]).args(each("--skip", stage.skip.to_vec()));
        }
        // What an earlier run said is not the answer.
        drop(std::fs::remove_dir_all(self.directory.join("mutants.out")));
        let output = command.output().map_err(|error| format!("cannot run cargo-mutants: {error}"))?;
        self.outcome(mutant).map_err(|problem| {
            let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
            format!("{problem}\n{out}{err}")
        })
    }

    fn outcome(&self, mutant: &Mutant) -> Result<(Outcome, f64), String> {
        let path = self.directory.join("mutants.out/outcomes.json");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let mut outcomes = value["outcomes"].as_array().into_iter().flatten();
        let outcome = outcomes.find(|outcome| outcome["scenario"]["Mutant"]["name"] == *mutant.name);
        let outcome = outcome.ok_or_else(|| format!("cargo-mutants did not try {}", mutant.name))?;
        let phases = outcome["phase_results"].as_array().into_iter().flatten();
        let seconds = phases.filter_map(|phase| phase["duration"].as_f64()).sum();
        Ok((Outcome::of_summary(outcome["summary"].as_str().unwrap_or_default())?, seconds))
    }
}

fn write_runner(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, RUNNER_TEXT)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// What this machine is called among the targets of the compiler.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("cannot run rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or("rustc does not say which target this machine is".to_string())
}

/// The option before each of the values.
fn each<'a>(option: &'a str, values: Vec<&'a str>) -> impl Iterator<Item = &'a str> {
    values.into_iter().flat_map(move |value| [option, value])
}

/// Is there a cargo command of that name?
fn is_there(name: &str) -> bool {
    let output = Command::new("cargo").args([name, "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// For a regular expression.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        // Not more: with a backslash, `<` would be the start of a word.
        if r"\.+*?()|[]{}^$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Brings the copy up to date with all files that git knows or would take; says which commit it is.
fn copy_repository(tree: &Path) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = git(&root, &["ls-files", "--cached", "--others", "--exclude-standard", "-z"])?;
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root.join(name), tree.join(name));
        // A file that git knows may have been removed.
        let Ok(text) = std::fs::read(&from) else {
            drop(std::fs::remove_file(&to));
            continue;
        };
        if std::fs::read(&to).is_ok_and(|known| known == text) {
            continue;
        }
        let parent = to.parent().expect("a file is in a folder");
        let copied = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&to, text));
        copied.map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    }
    let commit = git(&root, &["rev-parse", "--short", "HEAD"])?.trim().to_string();
    let is_changed = !git(&root, &["status", "--porcelain"])?.trim().is_empty();
    Ok(format!("commit {commit}{}", if is_changed { " with changes" } else { "" }))
}

fn git(root: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new("git").current_dir(root).args(args).output();
    let output = output.map_err(|error| format!("cannot run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git {}: {}", args[0], String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
