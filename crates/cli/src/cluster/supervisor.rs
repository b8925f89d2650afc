//! Starts the processes that search together and looks after them, so that there is one answer whatever becomes of them.

use super::child::Invitation;
use super::control::{LOST, SILENCE_MAX, Word};
use crate::args::{CheckArgs, Format};
use crate::expectation::{self, Expect};
use crate::failure::{Failure, Status, usage};
use crate::{input, interrupt, output};
use anyhow::Context;
use panoptes_check::{Before, CheckSettings, DiagnosticReport, Report, Seconds};
use panoptes_report::{View, human};
use panoptes_search::Limit;
use panoptes_source::{Diagnostic, SourceMap, Span};
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many processes of one machine may search together: each two have two connections, and each end of one has a thread. With this many
/// there are 20,000 threads, and no more than 32,768 are allowed on many machines.
const HERE_MAX: usize = 100;
/// How long the processes of other hosts are waited for, unless `--wait` says so, and those of this machine.
const WAIT: Duration = Duration::from_secs(120);
const WAIT_HERE: Duration = Duration::from_secs(30);
/// When one has given up because of another, that one may be known to have ended a moment later.
const WHO_FIRST: Duration = Duration::from_millis(300);
/// How long processes have when one has given the answer, and when all were asked to stop or have met their limit of time.
const TO_END: Duration = Duration::from_secs(5);
const TO_ANSWER: Duration = Duration::from_secs(20);
/// Between two looks at all that.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What is heard of a process.
enum Heard {
    Word(Word),
    /// Part of its answer.
    Answer(Vec<u8>),
    /// It writes no more.
    End,
}

/// A process that was started.
struct Member {
    number: usize,
    child: Child,
    answer: Vec<u8>,
    /// What it said on standard error, if that is not shown at once.
    complaint: Arc<Mutex<Vec<u8>>>,
    last_heard: Instant,
    ended: Option<ExitStatus>,
    lost: Option<(String, Instant)>,
    port: Option<u16>,
}

type Inputs = Arc<Mutex<Vec<ChildStdin>>>;

/// All that this command has started. Those that are left are ended with it.
struct Members {
    list: Vec<Member>,
    inputs: Inputs,
    heard: Receiver<(usize, Heard)>,
    tell: Sender<(usize, Heard)>,
}

impl Drop for Members {
    fn drop(&mut self) {
        for member in self.list.iter_mut().filter(|member| member.ended.is_none()) {
            let _ = member.child.kill();
            let _ = member.child.wait();
        }
    }
}

/// How it went.
enum End {
    /// The process that has the answer gave it, with this status.
    Answer(i32),
    /// One was lost: who and how.
    Lost(String),
}

pub fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let start = Instant::now();
    let settings = args.settings()?;
    if args.model.model == Path::new("-") {
        return Err(usage("several processes cannot all read standard input: save the model in a file"));
    }
    let (hosts, first) = match (&args.hosts, args.process) {
        (Some(path), Some(process)) => {
            let hosts = hosts(path)?;
            let place = usize::try_from(process).ok().filter(|process| *process < hosts.len());
            let place = place.ok_or_else(|| {
                let count = human::plural(hosts.len() as u64, "process").replace("processs", "processes");
                usage(format!(
                    "`--process {process}`: {} has {count}, from 0 to {}",
                    path.display(),
                    hosts.len() - 1
                ))
            })?;
            (Some(hosts), place)
        }
        _ => (None, 0),
    };
    let count = args.cluster.unwrap_or(1) as usize;
    if count > HERE_MAX {
        let message = format!("`--cluster {count}`: no more than {HERE_MAX} processes on one machine");
        return Err(usage(message + ", each of which has a core to itself at best"));
    }
    let (tell, heard) = channel();
    let mut members = Members { list: Vec::new(), inputs: Inputs::default(), heard, tell };
    let inputs = Arc::clone(&members.inputs);
    interrupt::listen(move || held(&inputs).clear());
    let end = match &hosts {
        Some(hosts) => {
            members.start(first, &hosts[first], true)?;
            let addresses = hosts.clone();
            let invitation =
                Invitation { secret: "-".to_string(), wait: args.wait.unwrap_or(WAIT), addresses };
            members.look_after(args, start, first, 1, Some(invitation))?
        }
        None => members.look_after(args, start, 0, count, None)?,
    };
    let answer =
        members.list.first_mut().map(|member| std::mem::take(&mut member.answer)).unwrap_or_default();
    match end {
        End::Answer(status) => {
            print(&answer)?;
            if first > 0 && status == Status::Success as i32 {
                done(args, first)?;
            }
            status_of(status).context("a process ended with a status that means nothing")
        }
        End::Lost(who) => {
            output::error(&format!("the search cannot be completed: {who}"));
            lost(args, &settings, start)
        }
    }
}

/// The addresses in a file.
fn hosts(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = input::plain_text(path)?;
    panoptes_cluster::read_hosts(&text).map_err(|error| {
        let mut sources = SourceMap::default();
        let file = sources.add_file(path.display().to_string(), text, None);
        let span = Span { file, lo: error.at.start as u32, hi: error.at.end as u32, expansion: None };
        let wrong = Diagnostic::error(span, error.message).code("hosts");
        let text = panoptes_source::render(&sources, &wrong, output::stderr_has_color()) + "\n";
        Failure::Model { text, diagnostics: DiagnosticReport::all(&sources, &[wrong]) }.into()
    })
}

/// What a process that has no answer says when it has done its part.
fn done(args: &CheckArgs, number: usize) -> anyhow::Result<()> {
    match args.format {
        Format::Json => {
            output::to_stdout(&format!("{{\"schema\": 1, \"process\": {number}, \"verdict\": null}}\n"))
        }
        Format::Text => {
            output::to_stdout(&format!("process {number} has done its part; process 0 has the answer\n"))
        }
    }
}

fn print(answer: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match output::closed(out.write_all(answer).and_then(|()| out.flush())) {
        Err(error) if !Failure::is_gone(&error) => Err(error),
        // The verdict stands even if nobody reads it to the end.
        _ => Ok(()),
    }
}

/// The answer when a process was lost: nothing is known.
fn lost(args: &CheckArgs, settings: &CheckSettings, start: Instant) -> anyhow::Result<Status> {
    let language = input::language(&args.model)?;
    let seconds = Seconds { search: start.elapsed().as_secs_f64(), ..Seconds::default() };
    let why = (Limit::ProcessLost, Before::Gathered);
    let report = Report::unsearched(&input::name(&args.model), language, settings, why, seconds);
    let (report, style) = (View(&report), output::stdout_style());
    let text = match args.format {
        Format::Json => report.to_json(),
        Format::Text if args.quiet => report.one_line(&style),
        Format::Text => report.to_text(&style),
    };
    print(text.as_bytes())?;
    Ok(match args.expect {
        None => Status::Partial,
        Some(expect) => expectation::status(expect == Expect::Inconclusive),
    })
}

fn status_of(code: i32) -> Option<Status> {
    let all = [Status::Success, Status::Violation, Status::Usage, Status::Partial, Status::Internal];
    all.into_iter().find(|status| *status as i32 == code)
}

fn held(inputs: &Inputs) -> MutexGuard<'_, Vec<ChildStdin>> {
    inputs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This command for one of the processes.
fn arguments(number: usize, place: &str) -> Vec<OsString> {
    let all: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = all.iter().position(|word| word == "check").map_or(0, |index| index + 1);
    let mut words = Vec::new();
    if output::is_color_open() && output::stdout_style().color {
        words.extend(["--color".into(), "always".into()]);
    }
    words.extend_from_slice(&all[..command]);
    words.extend(["--cluster-child".into(), number.to_string().into()]);
    words.extend(["--listen".into(), place.into()]);
    words.extend_from_slice(&all[command..]);
    words
}

impl Members {
    /// Starts one. What `is_shown` says on standard error is seen at once.
    fn start(&mut self, number: usize, place: &str, is_shown: bool) -> anyhow::Result<()> {
        let program = std::env::current_exe().context("cannot find the program itself")?;
        let mut command = Command::new(&program);
        command.args(arguments(number, place)).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env("COLUMNS", output::stdout_style().width.to_string());
        command.stderr(if is_shown { Stdio::inherit() } else { Stdio::piped() });
        let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        held(&self.inputs).extend(stdin);
        let tell = self.tell.clone();
        let index = self.list.len();
        std::thread::spawn(move || listen(stdout, |heard| drop(tell.send((index, heard)))));
        let complaint: Arc<Mutex<Vec<u8>>> = Arc::default();
        if let Some(mut stderr) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = stderr.read_to_end(&mut text);
                *complaint.lock().unwrap_or_else(PoisonError::into_inner) = text;
            });
        }
        self.list.push(Member {
            number,
            child,
            answer: Vec::new(),
            complaint,
            last_heard: Instant::now(),
            ended: None,
            lost: None,
            port: None,
        });
        Ok(())
    }

    /// Until there is an answer, or it is known that there will be none. The one with the number `first` has the answer; `count` are
    /// started here, those on this machine when the first one has read the model.
    fn look_after(
        &mut self,
        args: &CheckArgs,
        start: Instant,
        first: usize,
        count: usize,
        mut invitation: Option<Invitation>,
    ) -> anyhow::Result<End> {
        if self.list.is_empty() {
            self.start(first, "127.0.0.1:0", true)?;
        }
        let mut is_invited = false;
        let mut asked_at = None;
        let mut until = args.time.and_then(|time| start.checked_add(time + time / 20 + TO_ANSWER));
        if args.hosts.is_some() {
            // Time runs from when the processes have met.
            until = until.and_then(|until| until.checked_add(args.wait.unwrap_or(WAIT)));
        }
        let mut looked = Instant::now();
        loop {
            match self.heard.recv_timeout(LOOK_EVERY) {
                Ok((index, heard)) => self.note(index, heard),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("this command could still tell"),
            }
            if looked.elapsed() > SILENCE_MAX / 10 {
                // This command was stopped itself, and so were those it looks after: they begin to speak now.
                self.list.iter_mut().for_each(|member| member.last_heard = Instant::now());
            }
            looked = Instant::now();
            if let Some(end) = self.end() {
                return Ok(end);
            }
            if !is_invited && self.list.iter().all(|member| member.port.is_some()) {
                if self.list.len() < count {
                    // The first has read the model, so the others can.
                    for number in self.list.len()..count {
                        self.start(number, "127.0.0.1:0", false)?;
                    }
                    continue;
                }
                let ports = self.list.iter().filter_map(|member| member.port);
                let here = Invitation {
                    secret: secret(),
                    wait: WAIT_HERE,
                    addresses: ports.map(|port| format!("127.0.0.1:{port}")).collect(),
                };
                let line = invitation.take().unwrap_or(here).line();
                for input in held(&self.inputs).iter_mut() {
                    // One that does not read has ended, which is noticed.
                    let _ = input.write_all(line.as_bytes()).and_then(|()| input.flush());
                }
                is_invited = true;
            }
            if interrupt::is_asked() && asked_at.is_none() {
                asked_at = Some(Instant::now());
                until = Instant::now().checked_add(TO_ANSWER);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(End::Lost("the processes did not answer when their time was over".to_string()));
            }
            let silent =
                |member: &&Member| member.ended.is_none() && member.last_heard.elapsed() > SILENCE_MAX;
            if let Some(member) = self.list.iter().find(|member| member.port.is_some() && silent(member)) {
                let time = human::seconds(SILENCE_MAX.as_secs_f64());
                return Ok(End::Lost(format!("process {} has said nothing for {time}", member.number)));
            }
        }
    }

    fn note(&mut self, index: usize, heard: Heard) {
        let member = &mut self.list[index];
        member.last_heard = Instant::now();
        match heard {
            Heard::Word(Word::Port(port)) => member.port = Some(port),
            Heard::Word(Word::Alive) => {}
            Heard::Word(Word::Lost(why)) => member.lost = Some((why, Instant::now())),
            Heard::Answer(bytes) => member.answer.extend(bytes),
            Heard::End => member.ended = member.child.wait().ok(),
        }
    }

    /// How it went, as soon as that is known.
    fn end(&mut self) -> Option<End> {
        // One that ended as no process should is the reason why others lost it.
        for member in &self.list {
            let Some(status) = member.ended else { continue };
            match status.code() {
                Some(0..=3 | LOST) => {}
                Some(code) => {
                    output::to_stderr(&String::from_utf8_lossy(
                        &member.complaint.lock().unwrap_or_else(PoisonError::into_inner),
                    ));
                    return Some(End::Lost(format!(
                        "process {} failed: an internal error of panoptes, status {code}",
                        member.number
                    )));
                }
                None => {
                    return Some(End::Lost(format!("process {} was lost: {}", member.number, how(status))));
                }
            }
        }
        let answer = self.list.first()?.ended.and_then(|status| status.code());
        if let Some(code) = answer.filter(|code| *code != LOST) {
            self.let_end();
            return Some(End::Answer(code));
        }
        // One that ended by itself before there is an answer met a limit while it read the model, or a mistake that the first one
        // will meet too.
        let early =
            self.list.iter().find(|member| member.ended.is_some_and(|status| status.code() != Some(0)));
        if let Some(member) = early
            && member.lost.is_none()
            && member.last_heard.elapsed() >= TO_END
        {
            let complaint = member.complaint.lock().unwrap_or_else(PoisonError::into_inner);
            output::to_stderr(&String::from_utf8_lossy(&complaint));
            return Some(End::Lost(format!("process {} ended before the search", member.number)));
        }
        if answer == Some(LOST) && self.list.iter().all(|member| member.lost.is_none()) {
            return Some(End::Lost("the processes were asked to stop before they had met".to_string()));
        }
        let given_up = self.list.iter().find_map(|member| member.lost.as_ref());
        let (why, when) = given_up?;
        (when.elapsed() >= WHO_FIRST).then(|| End::Lost(why.clone()))
    }

    /// The answer is there: the others end by themselves in a moment.
    fn let_end(&mut self) {
        let until = Instant::now() + TO_END;
        while Instant::now() < until && self.list.iter().any(|member| member.ended.is_none()) {
            if let Ok((index, heard)) = self.heard.recv_timeout(LOOK_EVERY) {
                self.note(index, heard);
            }
        }
    }
}

/// Tells what a process writes, line by line.
fn listen(stdout: Option<std::process::ChildStdout>, tell: impl Fn(Heard)) {
    let Some(stdout) = stdout else { return };
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    while let Ok(1..) = reader.read_until(b'\n', &mut line) {
        let word = std::str::from_utf8(&line).ok().and_then(Word::read);
        tell(word.map_or_else(|| Heard::Answer(line.clone()), Heard::Word));
        line.clear();
    }
    tell(Heard::End);
}

/// Known to the processes of this run alone. (Each state of hashing is made with keys that the system draws.)
fn secret() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", draw(), draw())
}

/// How a process ended that gave no status.
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal} ended it");
    }
    status.to_string()
}
