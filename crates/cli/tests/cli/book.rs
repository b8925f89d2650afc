//! The book: its commands print what it says, its list of options is the program's, and its list of pages is complete.
//!
//! A page gives its files in blocks that begin with ```` ```promela NAME ````, and commands with their output in blocks that begin with
//! ```` ```console ````. They are executed in order, in a folder of their own. `UPDATE_EXPECT=1` rewrites the outputs.

use crate::sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// Compares a page with what it should be, or writes it.
fn settle(name: &str, shown: &str, wanted: &str) {
    if is_update() {
        std::fs::write(docs().join(name), wanted).expect("the page can be written");
        return;
    }
    let differs = shown.lines().zip(wanted.lines()).enumerate().find(|(_, (old, new))| old != new);
    let (line, texts) = differs.unwrap_or((shown.lines().count().min(wanted.lines().count()), ("", "")));
    assert!(
        shown == wanted,
        "docs/{name}:{}: the page says\n{}\nand the program\n{}\n(`cargo xtask book` rewrites it)",
        line + 1,
        texts.0,
        texts.1
    );
}

/// What a command prints, as a shell shows it.
fn printed(sandbox: &Sandbox, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_panoptes"));
    let folder = program.parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let shell = sandbox.command(&[]);
    let output = Command::new("sh")
        .args(["-c", &format!("({command}) 2>&1")])
        .current_dir(shell.get_current_dir().expect("a folder"))
        .env("PATH", format!("{folder}:{path}"))
        .env_remove("COLUMNS")
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("text")
}

/// What does not depend on the machine: other lines are taken from the page.
fn is_of_machine(line: &str) -> bool {
    line.starts_with("  memory ") || line.starts_with("  time ")
}

/// The output with the page's own numbers where they depend on the machine.
fn steady(output: &str, shown: &[&str]) -> Vec<String> {
    let mut of_page = shown.iter().filter(|line| is_of_machine(line));
    let line = |line: &str| match is_of_machine(line) {
        true => of_page.next().map_or(line, |own| own).to_string(),
        false => line.to_string(),
    };
    output.lines().map(line).collect()
}

/// The page with the outputs that its commands have.
fn run_page(text: &str) -> String {
    let sandbox = Sandbox::new();
    let mut out: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push(line.to_string());
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        match info.split_once(' ') {
            Some((_, name)) => sandbox.write(name, &(block.join("\n") + "\n")),
            None if info == "console" => {
                let starts: Vec<usize> = (0..block.len()).filter(|at| block[*at].starts_with("$ ")).collect();
                for (index, start) in starts.iter().enumerate() {
                    let end = starts.get(index + 1).copied().unwrap_or(block.len());
                    out.push(block[*start].to_string());
                    let output = printed(&sandbox, &block[*start][2..]);
                    out.extend(steady(&output, &block[start + 1..end]));
                }
                out.push("```".to_string());
                continue;
            }
            None => {}
        }
        out.extend(block.iter().map(|line| line.to_string()));
        out.push("```".to_string());
    }
    out.join("\n") + "\n"
}

#[test]
fn commands_print_what_the_book_says() {
    for name in ["tutorial.md", "how-to.md", "explain.md"] {
        let text = std::fs::read_to_string(docs().join(name)).expect("a page");
        assert!(text.contains("```console"), "{name} has no commands");
        settle(name, &text, &run_page(&text));
    }
}

#[test]
fn the_options_are_those_of_the_program() {
    let sandbox = Sandbox::new();
    let mut text =
        "# All options\n\nWritten by `cargo xtask book` from what the program tells with `--help`.\n"
            .to_string();
    let general = sandbox.run(&["--help"]).expect(0).stdout;
    let commands = general.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    text += &format!("\n## `panoptes`\n\n```text\n{}```\n", trimmed(&general));
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = sandbox.run(&[name, "--help"]).expect(0).stdout;
        text += &format!("\n## `panoptes {name}`\n\n```text\n{}```\n", trimmed(&help));
    }
    assert!(text.contains("## `panoptes check`") && text.contains("## `panoptes explore`"));
    settle("options.md", &std::fs::read_to_string(docs().join("options.md")).unwrap_or_default(), &text);
}

fn trimmed(text: &str) -> String {
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).expect("a summary");
    let linked: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in &linked {
        assert!(docs().join(page).is_file(), "docs/SUMMARY.md names {page}, which is not there");
    }
    for folder in ["", "internals/"] {
        for entry in std::fs::read_dir(docs().join(folder)).expect("a folder").flatten() {
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            let is_page = name.ends_with(".md") && name != "SUMMARY.md";
            assert!(!is_page || linked.contains(&name.as_str()), "docs/SUMMARY.md does not name {name}");
        }
    }
}
