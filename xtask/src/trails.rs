//! `cargo xtask trails`: SPIN follows our trails, and we follow SPIN's, on models with violations of every kind.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

const USAGE: &str = "\
SPIN follows the trails that `panoptes explain --format spin` writes, and `panoptes explain`
follows those of SPIN's verifier, on models of ours with violations.

Usage: cargo xtask trails [--panoptes FILE]

Options:
  --panoptes FILE   the binary to try (default: target/release/panoptes, or that of target/debug)

Needs `spin` and a C compiler, and says so if they are missing (status 2).
";

/// A model of `models/`, what its violation is, and what SPIN's verifier needs to find it.
struct Case {
    model: &'static str,
    kind: &'static str,
    /// For our check.
    options: &'static [&'static str],
    compile: &'static [&'static str],
    run: &'static [&'static str],
}

const fn case(
    model: &'static str,
    kind: &'static str,
    options: &'static [&'static str],
    compile: &'static [&'static str],
    run: &'static [&'static str],
) -> Case {
    Case { model, kind, options, compile, run }
}

const CASES: &[Case] = &[
    case("stop_and_wait_broken", "assertion", &[], &["-DSAFETY"], &[]),
    case("lost_update", "assertion", &[], &["-DSAFETY"], &[]),
    case("bounded_buffer_race", "assertion", &[], &["-DSAFETY"], &[]),
    case("needham_schroeder", "assertion", &[], &["-DSAFETY"], &[]),
    case("philosophers_deadlock", "deadlock", &[], &["-DSAFETY"], &[]),
    case("rendezvous_deadlock", "deadlock", &[], &["-DSAFETY"], &[]),
    case("go_back_n_window", "assertion", &[], &["-DSAFETY"], &[]),
    case("endless_wait", "acceptance-cycle", &[], &[], &["-a"]),
    case("corridor", "acceptance-cycle", &[], &[], &["-a"]),
    case("second_ticket", "acceptance-cycle", &["--property", "served"], &[], &["-a"]),
    case("endless_wait", "non-progress-cycle", &["--property", "progress"], &["-DNP"], &["-l"]),
];

pub fn run(args: Vec<String>) -> ExitCode {
    let panoptes = match crate::understood(parse(args), USAGE) {
        Ok(panoptes) => panoptes,
        Err(status) => return status,
    };
    match compare(&panoptes) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: Vec<String>) -> Result<Option<PathBuf>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let built = ["release", "debug"].map(|profile| root.join(profile).join("panoptes"));
    let mut panoptes = built.into_iter().find(|path| path.exists());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--panoptes" => panoptes = args.next().map(PathBuf::from),
            unknown => return Err(format!("unknown argument `{unknown}`")),
        }
    }
    panoptes.map(Some).ok_or_else(|| "there is no binary: build it, or name it with --panoptes".to_string())
}

/// How many cases went wrong.
fn compare(panoptes: &Path) -> Result<usize, String> {
    let panoptes = panoptes.canonicalize().map_err(|error| format!("{}: {error}", panoptes.display()))?;
    for tool in ["spin", "cc"] {
        let option = if tool == "spin" { "-V" } else { "--version" };
        Command::new(tool).arg(option).output().map_err(|_| format!("`{tool}` is missing: install it"))?;
    }
    let dir = std::env::temp_dir().join(format!("panoptes-trails-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|error| error.to_string())?;
    let mut wrong = 0;
    for case in CASES {
        let file = format!("{}.pml", case.model);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models").join(&file);
        std::fs::copy(&from, dir.join(&file)).map_err(|error| format!("{}: {error}", from.display()))?;
        for (way, result) in [("ours", ours(&panoptes, &dir, case)), ("SPIN's", spins(&panoptes, &dir, case))]
        {
            match result {
                Ok(steps) => println!("ok     {:<24} {:<20} {way:<7} {steps} steps", case.model, case.kind),
                Err(why) => {
                    wrong += 1;
                    println!("WRONG  {:<24} {:<20} {way:<7} {why}", case.model, case.kind);
                }
            }
        }
    }
    // What is left there harms nobody.
    let _ = std::fs::remove_dir_all(&dir);
    Ok(wrong)
}

/// SPIN follows our trail to its end, and finds there what we found.
fn ours(panoptes: &Path, dir: &Path, case: &Case) -> Result<usize, String> {
    let file = format!("{}.pml", case.model);
    let checked =
        tool(panoptes, dir, &[&["check", &file, "-q", "--trace-out", "t.json"], case.options].concat())?;
    if checked.status.code() != Some(1) {
        return Err(format!("no violation: {}", text(&checked)));
    }
    let trail = tool(panoptes, dir, &["explain", "t.json", "--format", "spin"])?;
    let trail_text = String::from_utf8_lossy(&trail.stdout).into_owned();
    std::fs::write(dir.join("ours.trail"), &trail_text).map_err(|error| error.to_string())?;
    let steps = trail_text.lines().filter(|line| !line.starts_with('-')).count();
    let followed = text(&tool(Path::new("spin"), dir, &["-k", "ours.trail", "-t", "-p", &file])?);
    let wants = match case.kind {
        "assertion" => "assertion violated",
        "deadlock" => "trail ends",
        _ => "START OF CYCLE",
    };
    let is_followed = followed.contains(&format!("trail ends after {steps} steps"));
    match is_followed && followed.contains(wants) && !followed.contains("no matching stmnt") {
        true => Ok(steps),
        false => {
            Err(format!("SPIN says: {}", followed.lines().rev().take(4).collect::<Vec<_>>().join(" | ")))
        }
    }
}

/// We follow the trail of SPIN's verifier to the violation it found.
fn spins(panoptes: &Path, dir: &Path, case: &Case) -> Result<usize, String> {
    let file = format!("{}.pml", case.model);
    let trail = format!("{file}.trail");
    let _ = std::fs::remove_file(dir.join(&trail));
    tool(Path::new("spin"), dir, &["-a", &file])?;
    let compiled = tool(Path::new("cc"), dir, &[&["-w", "-o", "pan", "pan.c"], case.compile].concat())?;
    if !compiled.status.success() {
        return Err(format!("pan.c does not compile: {}", text(&compiled)));
    }
    tool(&dir.join("pan"), dir, &[&["-m100000"], case.run].concat())?;
    if !dir.join(&trail).exists() {
        return Err("the verifier found nothing".to_string());
    }
    let explained = tool(panoptes, dir, &["explain", &trail, "--model", &file, "--format", "json"])?;
    let json = String::from_utf8_lossy(&explained.stdout).into_owned();
    // A trail does not say which kind of cycle it shows.
    let kind = if case.kind.ends_with("cycle") { "acceptance-cycle" } else { case.kind };
    match explained.status.success() && json.contains(&format!("\"kind\": \"{kind}\"")) {
        true => Ok(json.lines().filter(|line| line.starts_with("    {\"number\"")).count()),
        false => Err(format!(
            "status {:?}: {}",
            explained.status.code(),
            String::from_utf8_lossy(&explained.stderr)
        )),
    }
}

fn tool(program: &Path, dir: &Path, args: &[&str]) -> Result<Output, String> {
    let output = Command::new(program).args(args).current_dir(dir).output();
    output.map_err(|error| format!("{}: {error}", program.display()))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
