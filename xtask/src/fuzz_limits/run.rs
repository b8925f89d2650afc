//! One run: a process of its own, with signals if the case has some, and what it cost.

use super::case::Case;
use super::options::Options;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// A run that has not ended by then will not.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);
/// On a busy machine a run may wait so long for its turn.
const BUSY: Duration = Duration::from_secs(10);

pub struct Outcome {
    /// None if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Of the processor or on the clock, whichever counts.
    pub time: Duration,
    /// None if the run had ended before anybody looked, or the system does not tell.
    pub peak_bytes: Option<u64>,
    pub was_given_up: bool,
    /// A signal was sent before the program listened to any.
    pub was_signalled_early: bool,
}

pub fn run(case: &Case, seed: u64, options: &Options) -> io::Result<Outcome> {
    let folder = options.keep.join("work");
    fs::create_dir_all(&folder)?;
    let model = format!("case.{}", case.language.file_ending());
    fs::write(folder.join(&model), &case.text)?;
    // Whoever finds this file after a crash of the machine knows where to look.
    fs::write(folder.join("seed"), format!("{seed}\n"))?;
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let program = fs::canonicalize(&options.panoptes)?;
    let name = process_name(&program);
    let mut command = Command::new(&program);
    command.args(case.words(&model)).current_dir(&folder);
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let id = child.id();
    let (ended, given_up, early) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
    // The system's own account of a process begins with what its parent takes, so it is of no use here.
    let peak_bytes = AtomicU64::new(0);
    let used = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut signals = case.signals.clone();
            while !ended.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(3));
                peak_bytes.fetch_max(peak_of(id, &name).unwrap_or(0), Ordering::SeqCst);
                if start.elapsed() > GIVE_UP_AFTER && !given_up.swap(true, Ordering::SeqCst) {
                    send(id, &["KILL"]);
                }
                if let Some((_, signals)) = signals.take_if(|(delay, _)| start.elapsed() >= *delay)
                    && !ended.load(Ordering::SeqCst)
                {
                    early.store(!listens(id), Ordering::SeqCst);
                    send(id, &signals);
                }
            }
        });
        let used = child.wait4();
        ended.store(true, Ordering::SeqCst);
        used
    })?;
    let wall = start.elapsed();
    let cpu = used.rusage.utime + used.rusage.stime;
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Outcome {
        status: used.status.code(),
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
        time: if options.strict { wall } else { cpu.max(wall.saturating_sub(BUSY)) },
        peak_bytes: Some(peak_bytes.into_inner()).filter(|bytes| *bytes > 0),
        was_given_up: given_up.into_inner(),
        was_signalled_early: early.into_inner(),
    })
}

fn send(id: u32, signals: &[&str]) {
    let words: Vec<String> = signals.iter().map(|signal| format!("kill -{signal} {id}")).collect();
    // It may be gone already.
    let _ = Command::new("sh").args(["-c", &words.join("; ")]).stderr(Stdio::null()).status();
}

/// The most memory that the process has had so far, if the system tells and the process runs the program of that name.
fn peak_of(id: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |key| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    // Between fork and exec it is still a copy of us.
    if field("Name:")? != name {
        return None;
    }
    Some(field("VmHWM:")?.strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// What the system calls a process that runs this file: the first 15 bytes of its name.
pub fn process_name(program: &Path) -> String {
    let name = program.file_name().unwrap_or_default().as_encoded_bytes();
    String::from_utf8_lossy(&name[..name.len().min(15)]).into_owned()
}

/// Does the process handle signals already, as far as the system tells?
fn listens(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // SIGHUP, SIGINT and SIGTERM.
    [1, 2, 15].iter().all(|signal| caught & (1 << (signal - 1)) != 0)
}
