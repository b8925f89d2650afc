//! Connections between all processes of a cluster, and nobody else.
//!
//! Each process calls those with lower numbers and waits for those with higher ones. Both say hello. Who calls from an address that no
//! host of the list has, or does not know the secret of the run, is not answered. All hellos are exchanged before any is judged, so
//! that every process learns of a difference.

use crate::hello::{Difference, Hello};
use socket2::{SockRef, TcpKeepalive};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long a connection may take, and a hello once there is one.
const CALL_MAX: Duration = Duration::from_secs(2);
const HELLO_MAX: Duration = Duration::from_secs(5);
/// Between two calls that nobody answered, and between two looks whether somebody calls.
const CALL_AGAIN: Duration = Duration::from_millis(50);
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// A connection on which nothing arrives is tried after this time, so often, and then is lost.
const QUIET_MAX: Duration = Duration::from_secs(4);
const TRIES: u32 = 3;
const LOST_AFTER: Duration = Duration::from_secs(8);

/// Who is to meet.
pub struct Meeting<'m> {
    /// Where each process is found, as `host:port`.
    pub addresses: &'m [String],
    pub hello: &'m Hello,
    /// Where this one waits for others.
    pub listener: &'m TcpListener,
    /// How long it waits for all.
    pub wait: Duration,
}

#[derive(Debug)]
pub enum MeetError {
    /// These did not come in time; so many connections of others were not answered.
    Missing {
        processes: Vec<usize>,
        strangers: usize,
    },
    /// One does not agree.
    Differs {
        process: usize,
        difference: Difference,
    },
    Io(io::Error),
}

impl fmt::Display for MeetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeetError::Missing { processes, strangers } => {
                let numbers: Vec<String> = processes.iter().map(usize::to_string).collect();
                let word = if numbers.len() == 1 { "process" } else { "processes" };
                write!(f, "{word} {} did not come", numbers.join(", "))?;
                if *strangers > 0 {
                    write!(f, " ({strangers} calls from elsewhere were not answered)")?;
                }
                Ok(())
            }
            MeetError::Differs { process, difference } => write!(f, "process {process}: {difference}"),
            MeetError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MeetError {}

pub(crate) type Met = (TcpStream, Hello);

/// Who calls.
pub(crate) enum Caller {
    /// A process of the run, with its number.
    Process(usize, Met),
    /// One that wants to tell that it lives, and does so too early: it calls again.
    Early,
    Stranger,
}

impl Meeting<'_> {
    /// A connection to each of the others.
    pub fn meet(&self) -> Result<Vec<Option<TcpStream>>, MeetError> {
        let until = Instant::now() + self.wait;
        let own = self.hello.process as usize;
        let mut met: Vec<Option<Met>> = self.addresses.iter().map(|_| None).collect();
        let mut strangers = 0;
        let (below, above) = met.split_at_mut(own);
        let waited = std::thread::scope(|scope| {
            for (address, place) in self.addresses.iter().zip(below) {
                scope.spawn(move || *place = self.call(address, until));
            }
            self.await_calls(&mut above[1..], until, &mut strangers)
        });
        waited.map_err(MeetError::Io)?;
        let missing = (0..met.len()).filter(|process| *process != own && met[*process].is_none());
        let missing: Vec<usize> = missing.collect();
        let mut sockets = Vec::new();
        for (process, place) in met.into_iter().enumerate() {
            sockets.push(None);
            let Some((stream, hello)) = place else { continue };
            if let Some(difference) = self.hello.difference(&hello) {
                return Err(MeetError::Differs { process, difference });
            }
            prepare(&stream).map_err(MeetError::Io)?;
            sockets[process] = Some(stream);
        }
        match missing.is_empty() {
            true => Ok(sockets),
            false => Err(MeetError::Missing { processes: missing, strangers }),
        }
    }

    /// Calls one until it answers.
    fn call(&self, address: &str, until: Instant) -> Option<Met> {
        while Instant::now() < until {
            let met = self.call_once(address, until);
            if met.is_some() {
                return met;
            }
            std::thread::sleep(CALL_AGAIN);
        }
        None
    }

    pub(crate) fn call_once(&self, address: &str, until: Instant) -> Option<Met> {
        // Its name may not be known yet.
        let places = address.to_socket_addrs().into_iter().flatten();
        for place in places {
            let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            if let Ok(stream) = TcpStream::connect_timeout(&place, CALL_MAX.min(left))
                && let Ok(hello) = self.greet(&stream)
            {
                return Some((stream, hello));
            }
        }
        None
    }

    /// Says hello first.
    fn greet(&self, mut stream: &TcpStream) -> io::Result<Hello> {
        stream.set_read_timeout(Some(HELLO_MAX))?;
        self.hello.write(&mut stream)?;
        let hello = Hello::read(&mut stream)?;
        self.refuse_stranger(hello)
    }

    fn refuse_stranger(&self, hello: Hello) -> io::Result<Hello> {
        match hello.secret == self.hello.secret {
            true => Ok(hello),
            false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is of another run")),
        }
    }

    /// Waits until all that are to call have done so.
    fn await_calls(
        &self,
        places: &mut [Option<Met>],
        until: Instant,
        strangers: &mut usize,
    ) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        while places.iter().any(Option::is_none) && Instant::now() < until {
            match self.listener.accept() {
                Ok((stream, from)) => match self.answer(stream, from) {
                    Caller::Process(process, met) if process > self.hello.process as usize => {
                        // One that calls once more has given up the first connection.
                        let index = process - self.hello.process as usize - 1;
                        if let Some(place) = places.get_mut(index) {
                            *place = Some(met);
                        }
                        continue;
                    }
                    Caller::Early => {}
                    _ => *strangers += 1,
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(LOOK_AGAIN),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Answers one that calls, if it is one of the others.
    pub(crate) fn answer(&self, stream: TcpStream, from: SocketAddr) -> Caller {
        if !self.addresses.iter().any(|address| is_at(address, from.ip())) {
            return Caller::Stranger;
        }
        self.hear(stream, from).unwrap_or(Caller::Stranger)
    }

    fn hear(&self, stream: TcpStream, from: SocketAddr) -> io::Result<Caller> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(HELLO_MAX))?;
        let hello = Hello::read(&mut &stream)?;
        if hello.secret == self.hello.of_pulse().secret {
            return Ok(Caller::Early);
        }
        let hello = self.refuse_stranger(hello)?;
        let process = hello.process as usize;
        if !self.addresses.get(process).is_some_and(|address| is_at(address, from.ip())) {
            return Ok(Caller::Stranger);
        }
        self.hello.write(&mut &stream)?;
        Ok(Caller::Process(process, (stream, hello)))
    }
}

/// Has a host that address?
fn is_at(address: &str, ip: IpAddr) -> bool {
    let places = address.to_socket_addrs().into_iter().flatten();
    places.into_iter().any(|place| place.ip().to_canonical() == ip.to_canonical())
}

/// For the letters that follow. A machine that has gone without a word is noticed.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(QUIET_MAX).with_interval(Duration::from_secs(1));
    #[cfg(not(windows))]
    let keepalive = keepalive.with_retries(TRIES);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(LOST_AFTER))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn hello(process: u32, model: &str) -> Hello {
        let facts = vec![("the model".to_string(), model.to_string())];
        Hello { process, secret: "known".to_string(), facts }
    }

    /// What processes with these hellos say of each other.
    fn meet(hellos: &[Hello], wait: Duration, stranger: bool) -> Vec<Result<Vec<bool>, MeetError>> {
        let listeners: Vec<TcpListener> =
            hellos.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let addresses: Vec<String> =
            listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
        if stranger {
            let mut stream = TcpStream::connect(&addresses[0]).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n").unwrap();
        }
        std::thread::scope(|scope| {
            let addresses = &addresses;
            let all: Vec<_> = hellos
                .iter()
                .zip(&listeners)
                .map(|(hello, listener)| {
                    scope.spawn(move || Meeting { addresses, hello, listener, wait }.meet())
                })
                .collect();
            let there = |sockets: Vec<Option<TcpStream>>| sockets.iter().map(Option::is_some).collect();
            all.into_iter().map(|one| one.join().unwrap().map(there)).collect()
        })
    }

    #[test]
    fn all_meet() {
        let hellos = [hello(0, "m"), hello(1, "m"), hello(2, "m")];
        for (process, met) in meet(&hellos, Duration::from_secs(20), true).into_iter().enumerate() {
            let expected: Vec<bool> = (0..3).map(|other| other != process).collect();
            assert_eq!(met.unwrap(), expected);
        }
    }

    #[test]
    fn everybody_learns_of_a_difference() {
        let hellos = [hello(0, "m"), hello(1, "m"), hello(2, "another")];
        for (process, met) in meet(&hellos, Duration::from_secs(20), false).into_iter().enumerate() {
            let Err(MeetError::Differs { process: other, difference }) = met else { panic!("{met:?}") };
            assert_eq!(difference.what, "the model");
            assert!((process == 2) != (other == 2));
        }
    }

    #[test]
    fn who_does_not_come_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let addresses = [listener.local_addr().unwrap().to_string(), unused];
        let meeting = Meeting {
            addresses: &addresses,
            hello: &hello(0, "m"),
            listener: &listener,
            wait: Duration::from_millis(50),
        };
        let error = meeting.meet().expect_err("nobody came");
        assert_eq!(error.to_string(), "process 1 did not come");
    }

    #[test]
    fn one_of_another_run_is_not_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let addresses = [address.clone(), "127.0.0.1:9".to_string()];
        let stranger = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            Hello { secret: "guessed".to_string(), ..hello(1, "m") }.write(&mut stream).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            answer
        });
        let meeting = Meeting {
            addresses: &addresses,
            hello: &hello(0, "m"),
            listener: &listener,
            wait: Duration::from_millis(500),
        };
        let error = meeting.meet().expect_err("nobody came");
        assert!(
            error.to_string().ends_with("did not come (1 calls from elsewhere were not answered)"),
            "{error}"
        );
        assert!(stranger.join().unwrap().is_empty());
    }
}
