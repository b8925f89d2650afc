//! Signs of life between process 0 and each of the others, beside the letters.
//!
//! A machine that has gone is noticed by its connections. One that is there, but whose processes are all stopped, is not: its system
//! still takes what is sent. So process 0 and each other one say something every second, on a connection of its own and whatever the
//! search does. Who is not heard for long is lost. When that ends process 0, all the others lose it, and end as well.

use crate::hello::Hello;
use crate::meet::{Caller, Meeting};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often something is said.
const EVERY: Duration = Duration::from_secs(1);
/// A thread here does next to nothing.
const STACK: usize = 128 << 10;

/// What one process needs for it, once all have met.
pub struct Pulse {
    pub addresses: Vec<String>,
    pub hello: Hello,
    pub listener: TcpListener,
    /// Others may still wait for each other that long.
    pub wait: Duration,
    /// Who is not heard for so long is lost.
    pub silence_max: Duration,
}

/// Told who is lost. It should not return.
type Lost = dyn Fn(usize) + Send + Sync;

impl Pulse {
    /// Begins, in threads of its own.
    pub fn start(mut self, lost: impl Fn(usize) + Send + Sync + 'static) -> io::Result<()> {
        let lost: Arc<Lost> = Arc::new(lost);
        self.hello = self.hello.of_pulse();
        match self.hello.process {
            0 => spawn(move || self.answer_all(&lost)),
            _ => spawn(move || self.call_first(&lost)),
        }
    }

    fn meeting(&self) -> Meeting<'_> {
        Meeting { addresses: &self.addresses, hello: &self.hello, listener: &self.listener, wait: self.wait }
    }

    /// Process 0 is called by all the others.
    fn answer_all(&self, lost: &Arc<Lost>) {
        let until = Instant::now() + self.wait + self.silence_max;
        let mut is_there = vec![false; self.addresses.len()];
        is_there[0] = true;
        let meeting = self.meeting();
        while let Some(missing) = is_there.iter().position(|is_there| !is_there) {
            match self.listener.accept() {
                Ok((stream, from)) => {
                    if let Caller::Process(process, (stream, _)) = meeting.answer(stream, from)
                        && process > 0
                        && self.listen(stream, process, lost).is_ok()
                    {
                        is_there[process] = true;
                    }
                }
                Err(_) if Instant::now() >= until => return lost(missing),
                // Nobody calls now.
                Err(_) => std::thread::sleep(EVERY / 20),
            }
        }
    }

    /// Every other process calls process 0, which may still wait for some.
    fn call_first(&self, lost: &Arc<Lost>) {
        let until = Instant::now() + self.wait + self.silence_max;
        let meeting = self.meeting();
        while Instant::now() < until {
            if let Some((stream, _)) = meeting.call_once(&self.addresses[0], until)
                && self.listen(stream, 0, lost).is_ok()
            {
                return;
            }
            std::thread::sleep(EVERY);
        }
        lost(0);
    }

    /// Says and hears something on a connection until it is closed. Whether that is a loss is known from the letters.
    fn listen(&self, stream: TcpStream, process: usize, lost: &Arc<Lost>) -> io::Result<()> {
        stream.set_read_timeout(Some(self.silence_max))?;
        let (mut out, mut stream, lost) = (stream.try_clone()?, stream, Arc::clone(lost));
        spawn(move || {
            while out.write_all(&[0]).is_ok() {
                std::thread::sleep(EVERY);
            }
        })?;
        spawn(move || {
            loop {
                match stream.read(&mut [0; 64]) {
                    Ok(1..) => {}
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                        return lost(process);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                }
            }
        })
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("pulse".to_string()).stack_size(STACK).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    fn hello(process: u32) -> Hello {
        Hello { process, secret: "known".to_string(), facts: Vec::new() }
    }

    /// Process 0, its address, and who it has lost.
    fn first(addresses: usize) -> (String, Receiver<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (tell, lost) = channel();
        let pulse = Pulse {
            addresses: vec![address.clone(); addresses],
            hello: hello(0),
            listener,
            wait: Duration::ZERO,
            silence_max: Duration::from_secs(3),
        };
        pulse.start(move |process| tell.send(process).unwrap_or_default()).unwrap();
        (address, lost)
    }

    #[test]
    fn one_that_says_nothing_is_lost() {
        let (address, lost) = first(3);
        // The second does as it should, the third says hello and then nothing.
        let (tell, lost_by_second) = channel();
        let pulse = Pulse {
            addresses: vec![address.clone(); 3],
            hello: hello(1),
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
            wait: Duration::ZERO,
            silence_max: Duration::from_secs(3),
        };
        pulse.start(move |process| tell.send(process).unwrap_or_default()).unwrap();
        let mut third = TcpStream::connect(&address).unwrap();
        hello(2).of_pulse().write(&mut third).unwrap();
        Hello::read(&mut third).unwrap();
        assert_eq!(lost.recv_timeout(Duration::from_secs(30)), Ok(2));
        assert!(lost.try_recv().is_err() && lost_by_second.try_recv().is_err());
        drop(third);
    }

    #[test]
    fn one_that_ends_is_not_told_here() {
        let (address, lost) = first(2);
        let mut second = TcpStream::connect(&address).unwrap();
        hello(1).of_pulse().write(&mut second).unwrap();
        Hello::read(&mut second).unwrap();
        drop(second);
        assert!(lost.recv_timeout(Duration::from_secs(4)).is_err());
    }

    #[test]
    fn one_that_never_calls_is_lost() {
        let (_, lost) = first(2);
        assert_eq!(lost.recv_timeout(Duration::from_secs(30)), Ok(1));
    }
}
