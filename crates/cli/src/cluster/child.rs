//! One of the processes that search together: it meets the others, and is ready to search with them.

use super::control::{LOST, SILENCE_MAX, Word, keep_telling};
use crate::args::CheckArgs;
use crate::failure::usage;
use crate::input::Input;
use crate::interrupt;
use anyhow::Context;
use panoptes_check::{CheckSettings, Limits, Threads};
use panoptes_cluster::{DataflowTeam, Hello, MeetError, Meeting, Pulse, exit_when_a_peer_is_lost};
use panoptes_source::FileId;
use panoptes_trace::Origin;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// How long the name of this machine may take to be known.
const NAME_WITHIN: Duration = Duration::from_secs(10);

/// What the command that started this process writes to it, on one line: the secret of the run, how long to wait for others in
/// milliseconds, and the addresses of all.
pub(super) struct Invitation {
    pub secret: String,
    pub wait: Duration,
    pub addresses: Vec<String>,
}

impl Invitation {
    pub fn line(&self) -> String {
        format!("{} {} {}\n", self.secret, self.wait.as_millis(), self.addresses.join(" "))
    }

    fn read(line: &str) -> Option<Invitation> {
        let mut words = line.split_whitespace().map(str::to_string);
        let (secret, wait) = (words.next()?, words.next()?.parse().ok()?);
        Some(Invitation { secret, wait: Duration::from_millis(wait), addresses: words.collect() })
    }
}

/// Meets the others, if this is one of several processes.
pub fn join(
    args: &CheckArgs,
    input: &Input,
    settings: &CheckSettings,
) -> anyhow::Result<Option<DataflowTeam>> {
    let (Some(number), Some(place)) = (args.cluster_child, &args.listen) else { return Ok(None) };
    let listener = listen(place)
        .map_err(|error| usage(format!("cannot wait for the other processes at {place}: {error}")))?;
    Word::Port(listener.local_addr().context("the place of a process")?.port()).say();
    keep_telling();
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("cannot read where the others are")?;
    let Some(Invitation { secret, wait, addresses }) = Invitation::read(&line) else {
        // Whoever started this process is no more, or does not want it any more.
        std::process::exit(LOST);
    };
    interrupt::listen_to_the_end_of_input();
    let facts = facts(args, input, settings, addresses.len())?;
    let hello = Hello { process: number as u32, secret, facts };
    let meeting = Meeting { addresses: &addresses, hello: &hello, listener: &listener, wait };
    let name = |process: usize| match addresses.get(process) {
        Some(address) => format!("process {process} ({address})"),
        None => format!("process {process}"),
    };
    let sockets = match meeting.meet() {
        Ok(sockets) => sockets,
        Err(MeetError::Differs { process, difference }) => {
            return Err(usage(format!(
                "{} is about something else: {difference}; all processes need the same program, model and options",
                name(process)
            )));
        }
        Err(MeetError::Missing { processes, strangers }) => {
            let names: Vec<String> = processes.iter().map(|process| name(*process)).collect();
            let strange = match strangers {
                0 => String::new(),
                count => format!("; {count} connections from elsewhere were not answered"),
            };
            let waited = panoptes_report::human::seconds(wait.as_secs_f64());
            Word::Lost(format!("{} did not come within {waited}{strange}", names.join(", "))).say();
            std::process::exit(LOST);
        }
        Err(MeetError::Io(error)) => return Err(error).context("cannot wait for the other processes"),
    };
    let names: Vec<String> = (0..addresses.len()).map(name).collect();
    exit_when_a_peer_is_lost(move |peer| {
        let peer = peer.and_then(|peer| names.get(peer)).map_or("a process", String::as_str);
        Word::Lost(format!("the connection to {peer} broke")).say();
        std::process::exit(LOST);
    });
    let team = DataflowTeam::over(number, sockets).context("cannot start the dataflow")?;
    if args.hosts.is_some() {
        // The command that starts all processes of a machine looks after them.
        let names: Vec<String> = (0..addresses.len()).map(name).collect();
        let pulse = Pulse { addresses, hello, listener, wait, silence_max: SILENCE_MAX };
        let started = pulse.start(move |peer| {
            let time = panoptes_report::human::seconds(SILENCE_MAX.as_secs_f64());
            Word::Lost(format!("{} has said nothing for {time}", names[peer])).say();
            std::process::exit(LOST);
        });
        started.context("cannot look after the other processes")?;
    }
    Ok(Some(team))
}

/// Waits for others there. The name of a machine that has just come up may not be known yet.
fn listen(place: &str) -> std::io::Result<TcpListener> {
    use std::io::ErrorKind::{AddrInUse, AddrNotAvailable, PermissionDenied};
    let until = Instant::now() + NAME_WITHIN;
    loop {
        match TcpListener::bind(place) {
            Err(error)
                if ![AddrInUse, AddrNotAvailable, PermissionDenied].contains(&error.kind())
                    && Instant::now() < until =>
            {
                std::thread::sleep(NAME_WITHIN / 50);
            }
            result => return result,
        }
    }
}

/// What all processes must agree on, in words and values.
fn facts(
    args: &CheckArgs,
    input: &Input,
    settings: &CheckSettings,
    count: usize,
) -> anyhow::Result<Vec<(String, String)>> {
    let loaded = &input.loaded;
    // How much a machine has, and how it computes, is its own affair.
    let asked = CheckSettings {
        limits: Limits { time: None, memory: None, process_memory: None, ..settings.limits },
        threads: Threads::default(),
        engine: Default::default(),
        ..settings.clone()
    };
    let origin = Origin { model: String::new(), ..loaded.origin.clone() };
    let mut texts = DefaultHasher::new();
    for number in 0..loaded.sources.file_count() {
        texts.write(loaded.sources.file(FileId(number as u32)).text.as_bytes());
        texts.write_u8(0xff);
    }
    let digest = |text: String| {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        format!("{:016x}", hasher.finish())
    };
    let mut facts = vec![
        ("the version of panoptes", env!("CARGO_PKG_VERSION").to_string()),
        ("the number of processes", count.to_string()),
        ("the text of the model", format!("{:016x}", texts.finish())),
        ("the property", format!("{:?}", asked.property)),
        ("--store", asked.chosen().1.to_string()),
        ("--all-errors", asked.all_errors.to_string()),
        ("--lossy", asked.semantics.lossy.to_string()),
        ("partial order reduction (--exact, --no-por)", asked.semantics.por.to_string()),
        (
            "what is done to the model before (--exact, --no-optimise)",
            format!("{:?}", asked.semantics.optimisation).to_lowercase(),
        ),
        ("how the model is read (-D, --steps, --timeouts, --invariant …)", digest(format!("{origin:?}"))),
        ("some option", digest(format!("{asked:?}"))),
    ];
    if args.hosts.is_some() {
        facts.push(("the program itself", program()?));
    }
    Ok(facts.into_iter().map(|(what, value)| (what.to_string(), value)).collect())
}

/// What tells this program from one of the same version that was built in another way.
fn program() -> anyhow::Result<String> {
    let path = std::env::current_exe().context("cannot find the program itself")?;
    let mut file = std::fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (mut hasher, mut buffer) = (DefaultHasher::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))? {
            0 => return Ok(format!("{:016x}", hasher.finish())),
            count => hasher.write(&buffer[..count]),
        }
    }
}
