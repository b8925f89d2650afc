//! Breadth-first search by owners, each with a memory of its own: processes, or machines.
//!
//! The hash of a state names its owner. An owner keeps the states that are its own, and how each was reached: from which state of
//! which owner, by which branch. It expands its states level by level; successors that are its own it looks up at once, the others it
//! sends to their owners. How that is carried is not known here: a [`Team`] does it.
//!
//! A state belongs to the level that is its distance from the initial state, whoever finds it, because all states of a level are with
//! their owners before any of them is expanded. So states, transitions and errors are the same for any number of owners.
//!
//! - `part.rs`: one owner's part of the search;
//! - `links.rs`: how each of its states was reached;
//! - `wire.rs`: numbers and bytes as owners send them;
//! - `account.rs`: what an owner found and did, for the first one, which sums up;
//! - `trails.rs`: the way to an error, from owner to owner.

mod account;
mod links;
mod part;
mod trails;
mod wire;

use crate::conclude::{Ended, conclude};
use crate::findings::Findings;
use crate::limits::Limits;
use crate::program::Program;
use crate::worker::Worker;
use crate::{Observer, Outcome, SearchOptions, Statistics};
use account::Account;
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use part::Part;
use std::time::Duration;

/// How the owners of a search reach each other. All of them call the same methods in the same order.
pub trait Team {
    /// Which of the owners this one is; the first is zero.
    fn number(&self) -> usize;

    fn count(&self) -> usize;

    /// Lets all owners search, level by level, until none of them has a state left to expand.
    fn search(&mut self, owner: &mut dyn Owner);

    /// Carries letters, and the answers to them, until nobody writes any more.
    fn correspond(&mut self, letters: Vec<Letter>, answer: &mut dyn FnMut(&[u8]) -> Vec<Letter>);

    /// Nobody has anything to say to another any more.
    fn end(&mut self);
}

/// Bytes for one of the owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub to: usize,
    pub bytes: Vec<u8>,
}

/// One owner's part of a search, as a team sees it.
pub trait Owner {
    /// Takes in what another owner sent.
    fn receive(&mut self, letter: &[u8]);

    /// All states of the next level are with their owners: goes on to that level. False if there is nothing to expand here.
    fn begin_level(&mut self) -> bool;

    /// Expands some states of the level. What is for other owners goes to `out`. False if the level is done with.
    fn expand_some(&mut self, out: &mut Vec<Letter>) -> bool;

    /// It has waited for others, so long.
    fn note_waited(&mut self, time: Duration, out: &mut Vec<Letter>);
}

/// What one of the owners did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnerStatistics {
    pub statistics: Statistics,
    /// States that it sent to others, and the bytes for them.
    pub sent: u64,
    pub sent_bytes: u64,
    /// How long its search took, and how much of that it waited for others.
    pub time: Duration,
    pub waited: Duration,
}

/// [`crate::bfs`] by several owners. The first one has the whole outcome, each other what it did itself, without errors.
pub fn bfs_by_owners<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
    team: &mut dyn Team,
) -> Outcome {
    assert!(options.depth_max.is_none() && options.foldings.is_empty(), "a plain search of everything");
    let options = &SearchOptions { proviso_is_settled: true, ..options.clone() };
    let program = Program::new(model, options, executor.hidden_bytes());
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let (number, count) = (team.number(), team.count());
    let mut part: Part<'_, S> = Part::new(&program, worker, number, count);
    part.begin();
    team.search(&mut part);
    part.end();
    let own = part.account();
    let mut accounts: Vec<Option<Account>> = vec![None; count];
    let letter = Letter { to: 0, bytes: own.write(number) };
    team.correspond(vec![letter], &mut |letter| {
        if let Some((from, account)) = Account::read(letter)
            && let Some(place) = accounts.get_mut(from)
        {
            *place = Some(account);
        }
        Vec::new()
    });
    let is_first = number == 0;
    let accounts: Vec<Account> = accounts.into_iter().flatten().collect();
    assert!(!is_first || accounts.len() == count, "every owner tells what it did");
    if is_first {
        part.absorb(&accounts);
    }
    trails::gather(&mut part, team);
    team.end();
    let owners: Vec<OwnerStatistics> = accounts.iter().map(|account| account.owner.clone()).collect();
    let (visited, mut judge, worker, how, own_bytes) = part.into_parts();
    if !is_first {
        judge.findings = Findings::new(0);
    }
    let ended =
        Ended { how, is_cut: false, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    let mut outcome = conclude(&program, visited, judge, worker, ended);
    if is_first {
        outcome.statistics = account::sum(&accounts);
        outcome.store = account::store(&accounts, outcome.store);
        outcome.owners = owners;
    }
    outcome
}
