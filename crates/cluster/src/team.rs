//! A team of processes that search level by level.
//!
//! Time is a level and a number within it: a process expands its states of a level in rounds, and what it sends in round `r` of level
//! `l` goes out at time (l, r) and arrives at time (l + 1, r). So two questions are answered by the progress that `timely` tracks:
//!
//! - *Are all states of the next level with their owners?* Yes, when nothing can come before level l + 2.
//! - *Has what was sent some rounds ago arrived?* Yes, when nothing can come before that round. A process does not begin a round before
//!   all that anybody sent [`ROUNDS_UNDER_WAY`] rounds ago has arrived: so what lies in queues is bounded by the rounds that are under
//!   way, whoever is slow.

use crate::flow::{PostOffice, Then};
use panoptes_search::{Letter, Owner, Team};
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::communication::initialize::Hooks;
use timely::worker::Worker;

/// The first time of the next level.
const LEVEL: u64 = 1 << 32;
/// So many rounds of a level may be under way at a time.
const ROUNDS_UNDER_WAY: u64 = 3;
/// How long one that has nothing to do sleeps at most: it must answer when somebody asks it to stop.
const NAP: Duration = Duration::from_millis(5);

/// An owner looks at its limits when it has waited so long.
const TELL_WAITED: Duration = Duration::from_millis(2);

/// One process of a team that has met.
pub struct DataflowTeam {
    number: usize,
    count: usize,
    /// None when it is over.
    engine: Option<(Worker, CommsGuard)>,
}

impl DataflowTeam {
    /// Over connections to all the others.
    pub fn over(number: usize, sockets: Vec<Option<TcpStream>>) -> io::Result<DataflowTeam> {
        let count = sockets.len();
        let hooks = Hooks::default();
        let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, guard) = initialize_networking_from_sockets(inside, sockets, number, 1, hooks)?;
        let builder = builders.into_iter().next().expect("one for each thread");
        let allocator = Allocator::Tcp(builder.build());
        // Without a start of time a worker does not sleep.
        let worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        Ok(DataflowTeam { number, count, engine: Some((worker, guard)) })
    }

    fn worker(&mut self) -> &mut Worker {
        &mut self.engine.as_mut().expect("it is not over").0
    }
}

impl Team for DataflowTeam {
    fn number(&self) -> usize {
        self.number
    }

    fn count(&self) -> usize {
        self.count
    }

    fn search(&mut self, owner: &mut dyn Owner) {
        let worker = self.worker();
        let office = PostOffice::open(worker, LEVEL);
        let mut is_expanding = false;
        let (mut letters, mut waited) = (Vec::new(), Duration::ZERO);
        let mut arrived: Vec<(u64, Vec<u8>)> = Vec::new();
        loop {
            office.step(worker);
            arrived.extend(office.take_arrived());
            let Some(earliest) = office.earliest() else { break };
            // The states that wait here are of the level of the time that is held.
            if let Some(time) = office.time() {
                let (next_level, round) = ((time / LEVEL + 1) * LEVEL, time % LEVEL);
                // A letter may come before the news that another process could go on to its level. What is of a later level than
                // the one that is collected now waits.
                let end = if is_expanding { next_level + LEVEL } else { next_level };
                arrived.retain(|(time, letter)| {
                    let is_early = *time >= end;
                    if !is_early {
                        owner.receive(letter);
                    }
                    is_early
                });
                if !is_expanding && earliest >= next_level {
                    is_expanding = owner.begin_level();
                    if !is_expanding {
                        let then = if arrived.is_empty() { Then::Nothing } else { Then::From(next_level) };
                        office.send(letters.drain(..), then);
                        continue;
                    }
                }
                if is_expanding && earliest >= next_level + round.saturating_sub(ROUNDS_UNDER_WAY) {
                    is_expanding = owner.expand_some(&mut letters);
                    let then = if is_expanding { time + 1 } else { next_level };
                    office.send(letters.drain(..), Then::From(then));
                    continue;
                }
            }
            let start = Instant::now();
            office.wait(worker, NAP);
            waited += start.elapsed();
            if waited >= TELL_WAITED {
                owner.note_waited(std::mem::take(&mut waited), &mut letters);
                if office.time().is_some() {
                    office.send(letters.drain(..), Then::Same);
                }
            }
        }
    }

    fn correspond(&mut self, letters: Vec<Letter>, answer: &mut dyn FnMut(&[u8]) -> Vec<Letter>) {
        let worker = self.worker();
        let office = PostOffice::open(worker, 1);
        office.send(letters, Then::Nothing);
        loop {
            office.step(worker);
            let arrived = office.take_arrived();
            if !arrived.is_empty() {
                let answers: Vec<Letter> = arrived.iter().flat_map(|(_, letter)| answer(letter)).collect();
                office.send(answers, Then::Nothing);
                continue;
            }
            if office.earliest().is_none() {
                break;
            }
            if office.time().is_some() {
                office.send([], Then::Nothing);
                continue;
            }
            office.wait(worker, NAP);
        }
    }

    fn end(&mut self) {
        if let Some((mut worker, guard)) = self.engine.take() {
            while worker.has_dataflows() {
                worker.step_or_park(Some(NAP));
            }
            // What is still to be sent is sent, and the connections are closed when the others close them.
            drop(worker);
            drop(guard);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Connections between so many processes, as each has them.
    fn sockets(count: usize) -> Vec<Vec<Option<TcpStream>>> {
        let mut all: Vec<Vec<Option<TcpStream>>> =
            (0..count).map(|_| (0..count).map(|_| None).collect()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        for (one, other) in pairs {
            all[one][other] = Some(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
            all[other][one] = Some(listener.accept().unwrap().0);
        }
        all
    }

    /// In every level each process writes to all, for some levels, in several rounds. One of them is slow.
    struct Levels {
        number: usize,
        count: usize,
        /// The level that is expanded, or was last; how many rounds of it are left.
        level: u64,
        rounds: u64,
        waiting: u64,
        received: u64,
    }

    const LEVELS: u64 = 40;
    const ROUNDS: u64 = 5;

    impl Owner for Levels {
        fn receive(&mut self, letter: &[u8]) {
            let level = u64::from(letter[0]);
            assert_eq!(level, self.level + 1, "of the level that is collected");
            (self.waiting, self.received) = (self.waiting + 1, self.received + 1);
        }

        fn begin_level(&mut self) -> bool {
            let expected = if self.level == 0 { 1 } else { ROUNDS * (self.count as u64 - 1) };
            if self.waiting > 0 {
                assert_eq!(self.waiting, expected, "all of level {}", self.level + 1);
                (self.waiting, self.level, self.rounds) = (0, self.level + 1, ROUNDS);
            }
            self.rounds > 0
        }

        fn expand_some(&mut self, out: &mut Vec<Letter>) -> bool {
            if self.number == 0 {
                std::thread::sleep(Duration::from_micros(300));
            }
            if self.level < LEVELS {
                let others = (0..self.count).filter(|to| *to != self.number);
                out.extend(others.map(|to| Letter { to, bytes: vec![self.level as u8 + 1; 1000] }));
            }
            self.rounds -= 1;
            self.rounds > 0
        }

        fn note_waited(&mut self, _: Duration, _: &mut Vec<Letter>) {}
    }

    #[test]
    fn a_level_begins_when_all_of_it_is_there() {
        for count in [1, 2, 3] {
            std::thread::scope(|scope| {
                for (number, sockets) in sockets(count).into_iter().enumerate() {
                    scope.spawn(move || {
                        let mut team = DataflowTeam::over(number, sockets).unwrap();
                        let mut owner =
                            Levels { number, count, level: 0, rounds: 0, waiting: 1, received: 0 };
                        team.search(&mut owner);
                        let others = count as u64 - 1;
                        assert_eq!(owner.level, if count == 1 { 1 } else { LEVELS });
                        assert_eq!(owner.received, others * ROUNDS * (owner.level - 1));
                        // A letter goes round.
                        let mut seen = 0;
                        let first = Letter { to: (number + 1) % count, bytes: vec![3] };
                        team.correspond(vec![first], &mut |letter| {
                            seen += 1;
                            let bytes = vec![letter[0] - 1];
                            if bytes[0] > 0 {
                                vec![Letter { to: (number + 1) % count, bytes }]
                            } else {
                                Vec::new()
                            }
                        });
                        assert_eq!(seen, 3);
                        team.end();
                    });
                }
            });
        }
    }
}
