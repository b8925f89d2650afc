//! One run: processes in a directory of their own, killed and resumed if the way says so, and what they leave behind.

use super::case::{Case, Way};
use super::options::Options;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A run that has not ended by then will not.
const GIVE_UP_AFTER: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// If the driver itself stood still for so long, all did, and that time does not count.
const STANDSTILL: Duration = Duration::from_secs(1);

/// Where runs are made and failures are saved.
pub struct Place {
    panoptes: PathBuf,
    keep: PathBuf,
    /// The directory of each run; nothing else is in it.
    work: PathBuf,
    /// The output of the run, beside it.
    output: PathBuf,
}

pub struct Ended {
    /// None if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub was_given_up: bool,
    /// How often it was killed before it ended.
    pub kills: u64,
    pub left_files: Vec<String>,
    pub left_processes: Vec<String>,
}

/// Options that some versions do not have.
const OPTIONAL: [&str; 4] = ["--checkpoint", "--cluster", "--symmetry", "--on-full"];

impl Place {
    pub fn new(options: &Options) -> Result<Place, String> {
        let keep = &options.keep;
        fs::create_dir_all(keep).map_err(told(keep))?;
        let keep = fs::canonicalize(keep).map_err(told(keep))?;
        let panoptes = fs::canonicalize(&options.panoptes).map_err(told(&options.panoptes))?;
        // Two soaks at a time do not disturb each other.
        let name = |what: &str| format!("{what}-{}", std::process::id());
        Ok(Place { panoptes, work: keep.join(name("work")), output: keep.join(name("output")), keep })
    }

    /// Those of the optional options that the program has.
    pub fn options_known(&self) -> Result<Vec<&'static str>, String> {
        let help = Command::new(&self.panoptes).args(["check", "--help"]).stdin(Stdio::null()).output();
        let help = help.map_err(|error| format!("{}: {error}", self.panoptes.display()))?;
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        Ok(OPTIONAL.into_iter().filter(|option| help.contains(option)).collect())
    }

    pub fn run(&self, case: &Case, way: &Way) -> Result<Ended, String> {
        self.try_run(case, way).map_err(|error| format!("seed {}: {error}", case.seed))
    }

    fn try_run(&self, case: &Case, way: &Way) -> io::Result<Ended> {
        let _ = fs::remove_dir_all(&self.work);
        fs::create_dir_all(self.work.join("tmp"))?;
        fs::create_dir_all(&self.output)?;
        let model = format!("model.{}", case.ending);
        fs::write(self.work.join(&model), &case.text)?;
        let mut words = self.words(case, way);
        let start = Instant::now();
        let mut ended = None;
        let (mut kills, mut was_given_up) = (0, false);
        for kill in way.kills.iter().map(Some).chain([None]) {
            let mut child = self.start(&words)?;
            let until = match kill {
                Some(delay) => Instant::now() + *delay,
                None => start + GIVE_UP_AFTER,
            };
            ended = self.wait(&mut child, until, way.worker_kill)?;
            if ended.is_some() {
                break;
            }
            was_given_up = kill.is_none();
            child.kill()?;
            child.wait()?;
            kills += u64::from(kill.is_some());
            if self.work.join("checkpoint").exists() {
                words =
                    ["resume", "checkpoint", "--format", "json", "--no-progress"].map(String::from).to_vec();
            }
        }
        let text = |name: &str| {
            fs::read(self.output.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let left_processes = self.left_processes();
        Ok(Ended {
            status: ended.and_then(|status| status.code()),
            stdout: text("stdout")?,
            stderr: text("stderr")?,
            was_given_up,
            kills,
            left_files: self.left_files(&model, kills > 0)?,
            left_processes,
        })
    }

    fn words(&self, case: &Case, way: &Way) -> Vec<String> {
        let mut words = vec!["check".to_string(), format!("model.{}", case.ending)];
        words.extend(case.question.iter().chain(&way.words).cloned());
        words
    }

    fn start(&self, words: &[String]) -> io::Result<Child> {
        let mut command = Command::new(&self.panoptes);
        command.args(words).current_dir(&self.work).env("TMPDIR", self.work.join("tmp"));
        command.stdin(Stdio::null());
        command.stdout(File::create(self.output.join("stdout"))?);
        command.stderr(File::create(self.output.join("stderr"))?);
        command.spawn()
    }

    /// Waits for the end, up to a time. One of the processes that it started is killed after a while, if that is asked for.
    fn wait(
        &self,
        child: &mut Child,
        mut until: Instant,
        worker_kill: Option<Duration>,
    ) -> io::Result<Option<ExitStatus>> {
        let mut kill_at = worker_kill.map(|delay| Instant::now() + delay);
        while Instant::now() < until {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if kill_at.is_some_and(|at| Instant::now() >= at)
                && let Some(worker) = self.processes().into_iter().find(|id| *id != child.id())
            {
                kill_at = None;
                let _ =
                    Command::new("kill").args(["-KILL", &worker.to_string()]).stderr(Stdio::null()).status();
            }
            let before = Instant::now();
            std::thread::sleep(LOOK_EVERY);
            let slept = before.elapsed();
            if slept >= STANDSTILL {
                until += slept;
            }
        }
        Ok(None)
    }

    /// The processes that run in the directory, as far as the system tells.
    fn processes(&self) -> Vec<u32> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        ids.filter(|id: &u32| {
            fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|at| at.starts_with(&self.work))
        })
        .collect()
    }

    /// What runs there when nothing should; it is ended.
    fn left_processes(&self) -> Vec<String> {
        // What was told to end needs a moment.
        let patience = Instant::now() + Duration::from_secs(2);
        let mut left = self.processes();
        while !left.is_empty() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
            left = self.processes();
        }
        let name = |id: &u32| {
            let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).replace('\0', " ")
        };
        let names = left.iter().map(name).collect();
        for id in left {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).stderr(Stdio::null()).status();
        }
        names
    }

    /// Files that are neither the model, nor traces of it, nor what a killed run may leave.
    fn left_files(&self, model: &str, was_killed: bool) -> io::Result<Vec<String>> {
        let mut left = Vec::new();
        for (folder, prefix) in [("", ""), ("tmp", "tmp/"), ("states", "states/")] {
            let Ok(entries) = fs::read_dir(self.work.join(folder)) else { continue };
            for entry in entries {
                let name = entry?.file_name().to_string_lossy().into_owned();
                let is_known = prefix.is_empty()
                    && (["tmp", "states", "checkpoint"].contains(&name.as_str())
                        || name == model
                        || (name.starts_with("model.") && name.contains("trace"))
                        || (was_killed && name.starts_with("checkpoint")));
                if !is_known {
                    left.push(format!("{prefix}{name}"));
                }
            }
        }
        Ok(left)
    }

    /// Saves a case and a script that repeats it; the path of the script.
    pub fn save(&self, case: &Case, way: &Way) -> String {
        let model = format!("seed-{}.{}", case.seed, case.ending);
        let script = self.keep.join(format!("seed-{}.sh", case.seed));
        let mut words = self.words(case, way);
        words[1] = model.clone();
        let signals = match (&way.kills[..], way.worker_kill) {
            ([], None) => String::new(),
            ([], Some(delay)) => format!("# one of its processes was killed after {delay:?}\n"),
            (kills, _) => {
                format!("# killed after {kills:?}, and resumed from its checkpoint if there was one\n")
            }
        };
        let text =
            format!("cd \"$(dirname \"$0\")\"\n{signals}{} {}\n", self.panoptes.display(), words.join(" "));
        let saved = fs::write(self.keep.join(&model), &case.text).and_then(|()| fs::write(&script, text));
        match saved {
            Ok(()) => script.display().to_string(),
            Err(error) => format!("it could not be saved: {error}"),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.work);
        let _ = fs::remove_dir_all(&self.output);
    }
}

/// What went wrong with a file.
fn told(what: &Path) -> impl FnOnce(io::Error) -> String {
    let name = what.display().to_string();
    move |error| format!("{name}: {error}")
}
