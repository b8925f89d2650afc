//! The oracle: generates, compiles and runs SPIN's verifier for one model, and reads its answer.

use super::process;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What SPIN says about a model.
pub enum Oracle {
    Answer(Answer),
    /// SPIN does not accept the model; its first complaint.
    Rejected(String),
    /// SPIN gave no answer that could be compared: the reason, and its words.
    None(&'static str, String),
}

/// The result of a complete search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub states: u64,
    pub transitions: u64,
    /// The kinds of errors found.
    pub kinds: BTreeSet<String>,
    /// The errors in SPIN's words.
    pub messages: Vec<String>,
}

impl Answer {
    /// Whether the numbers mean anything: after most errors of the run itself SPIN goes on in a spoiled state.
    pub fn countable(&self) -> bool {
        const HARMLESS: [&str; 2] = ["non-determinism in D_proctype", "error to poll rendezvous channel"];
        let is_harmless = |message: &String| HARMLESS.iter().any(|words| message.starts_with(words));
        self.messages.iter().all(|message| kind_of(message) != "runtime" || is_harmless(message))
    }
}

impl Oracle {
    /// One line about it.
    pub fn summary(&self) -> String {
        match self {
            Oracle::Answer(a) => {
                let kinds: Vec<&str> = a.kinds.iter().map(String::as_str).collect();
                let kinds = if kinds.is_empty() { "clean".to_string() } else { kinds.join(" ") };
                format!("{} states, {} transitions, {kinds}", a.states, a.transitions)
            }
            Oracle::Rejected(why) => format!("rejected: {why}"),
            Oracle::None(reason, words) => format!("no answer: {reason}: {words}"),
        }
    }
}

/// SPIN and a C compiler, with a directory to work in.
pub struct Spin {
    dir: PathBuf,
    cc: String,
}

const LIMIT: Duration = Duration::from_secs(20);
/// What takes longer is far bigger than it was meant to be, and not worth the time of a hundred others.
const SEARCH_LIMIT: Duration = Duration::from_secs(8);

impl Spin {
    /// The C compiler to use, or what is missing. The small compiler is eight times as fast as the big one,
    /// and compiling is most of the work.
    pub fn find(cc: Option<&str>) -> Result<String, String> {
        if !answers("spin", "-V") {
            return Err("spin is not installed".into());
        }
        let candidates = match cc {
            Some(cc) => vec![cc],
            None => vec!["tcc", "cc", "gcc"],
        };
        let found =
            candidates.iter().find(|cc| answers(cc, if cc.ends_with("tcc") { "-v" } else { "--version" }));
        found.map(|cc| cc.to_string()).ok_or("no C compiler is installed".into())
    }

    /// An oracle for one worker.
    pub fn new(cc: Option<&str>, job: usize) -> Result<Spin, String> {
        let dir = std::env::temp_dir().join(format!("fuzz-spin-{}-{job}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| format!("cannot create {}: {e}", dir.display()))?;
        Ok(Spin { dir, cc: Spin::find(cc)? })
    }

    /// The directory this oracle works in.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What SPIN says about the model.
    pub fn check(&self, text: &str) -> Oracle {
        let file = self.dir.join("model.pml");
        if let Err(e) = std::fs::write(&file, text) {
            return Oracle::None("no place to write", e.to_string());
        }
        let _ = std::fs::remove_file(self.dir.join("pan.c"));
        let mut spin = self.command("spin");
        let Some(made) = process::run(spin.args(["-o1", "-o2", "-o3", "-a", "model.pml"]), LIMIT) else {
            return Oracle::None("spin took too long", String::new());
        };
        let said = made.stdout + &made.stderr;
        let complaint = said.lines().find(|l| l.contains("rror")).unwrap_or("").trim().to_string();
        if made.status != Some(0) {
            return match made.status {
                Some(_) => Oracle::Rejected(complaint),
                None => Oracle::None("spin crashed", complaint),
            };
        }
        if !complaint.is_empty() {
            return Oracle::None("spin complained but went on", complaint);
        }
        let mut cc = self.command(&self.cc);
        cc.args(["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOFAIR", "-DMEMLIM=512"]);
        match process::run(cc.args(["-o", "pan", "pan.c"]), LIMIT) {
            None => return Oracle::None("the verifier took too long to compile", String::new()),
            Some(done) if done.status != Some(0) => {
                let words = done.stderr.lines().next().unwrap_or("").to_string();
                return Oracle::None("the verifier does not compile", words);
            }
            Some(_) => {}
        }
        // A small hash table, since clearing a big one takes longer than most searches.
        let mut pan = self.command(&self.dir.join("pan").to_string_lossy());
        match process::run(pan.args(["-c0", "-m100000", "-w16"]), SEARCH_LIMIT) {
            None => Oracle::None("the search took too long", String::new()),
            Some(done) => read_answer(done.status, &(done.stdout + &done.stderr)),
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.dir);
        command
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn answers(program: &str, option: &str) -> bool {
    process::run(Command::new(program).arg(option), LIMIT).is_some_and(|done| done.status == Some(0))
}

/// Reads what the verifier printed.
fn read_answer(status: Option<i32>, text: &str) -> Oracle {
    let mut answer = Answer::default();
    let mut fatal = String::new();
    let mut counted = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(message) = error_message(line) {
            answer.kinds.insert(kind_of(message).to_string());
            fatal = message.to_string();
            if !answer.messages.iter().any(|m| m == message) {
                answer.messages.push(message.to_string());
            }
        } else if line.ends_with("states, stored") {
            answer.states = leading_number(line);
            counted = true;
        } else if line.contains("transitions (= stored+matched)") {
            answer.transitions = leading_number(line);
        } else if line.contains("max search depth too small") {
            return Oracle::None("the search was not deep enough", String::new());
        } else if line.contains("MEMLIM") || line.contains("out of memory") {
            return Oracle::None("the search needed too much memory", String::new());
        }
    }
    match (status, counted) {
        (None, _) => Oracle::None("the verifier crashed", fatal),
        _ if text.contains("Search not completed") => Oracle::None("a fatal error ended the search", fatal),
        (_, false) => {
            Oracle::None("the verifier said nothing", text.lines().next().unwrap_or("").to_string())
        }
        _ => Oracle::Answer(answer),
    }
}

/// The words of `pan:1: words (at depth 3)`.
fn error_message(line: &str) -> Option<&str> {
    let (number, words) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    Some(words.rsplit_once(" (at depth").map_or(words, |(words, _)| words))
}

fn leading_number(line: &str) -> u64 {
    line.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) as u64
}

/// The kind of error that SPIN's words stand for.
fn kind_of(message: &str) -> &'static str {
    match message {
        m if m.starts_with("invalid end state") => "deadlock",
        m if m.contains("invalid array index") => "runtime",
        m if m.starts_with("assertion violated") => "assertion",
        m if m.contains("trace") => "trace",
        _ => "runtime",
    }
}
