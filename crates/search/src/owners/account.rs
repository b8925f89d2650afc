//! What an owner found and did, as it tells the first one, which sums up.

use super::OwnerStatistics;
use super::wire::{Reader, Writer};
use crate::labels::Branch;
use crate::trail::Trail;
use crate::{Bitset, Finding, FindingKind, Path, Statistics};
use panoptes_exec::{Fault, FaultKind};
use panoptes_model::{ProcId, StateId};
use panoptes_store::{FingerprintAccount, StoreAccount};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Default)]
pub(super) struct Account {
    pub owner: OwnerStatistics,
    pub executed: Bitset,
    pub given_up: Vec<Fault>,
    pub errors: Vec<(Finding, Option<Trail>)>,
    pub counts: BTreeMap<FindingKind, u64>,
    /// How likely it is that a store of fingerprints took a state for another, and how many.
    pub collisions: Option<(f64, f64)>,
}

/// All together.
pub(super) fn sum(accounts: &[Account]) -> Statistics {
    let all = accounts.iter().map(|account| account.owner.statistics);
    let mut sum = all.clone().reduce(|one, other| one.plus(&other)).unwrap_or_default();
    sum.store_bytes = all.clone().map(|owner| owner.store_bytes).sum();
    sum.search_bytes = all.clone().map(|owner| owner.search_bytes).sum();
    let bytes: f64 = all.map(|owner| owner.bytes_per_state * owner.stored as f64).sum();
    sum.bytes_per_state = bytes / sum.stored.max(1) as f64;
    sum
}

/// What the stores of all say about their answers, if that of the first says `own`.
pub(super) fn store(accounts: &[Account], own: StoreAccount) -> StoreAccount {
    let StoreAccount::HashCompact(_) = own else { return own };
    let all = || accounts.iter().filter_map(|account| account.collisions);
    let stored = accounts.iter().map(|account| account.owner.statistics.stored).sum::<u64>() as f64;
    let omitted = all().map(|(_, omitted)| omitted).sum::<f64>();
    StoreAccount::HashCompact(FingerprintAccount {
        collision_probability: 1.0 - all().map(|(probability, _)| 1.0 - probability).product::<f64>(),
        omitted,
        coverage: stored / (stored + omitted),
    })
}

impl Account {
    pub fn write(&self, number: usize) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(number as u64);
        let OwnerStatistics { statistics, sent, sent_bytes, time, waited } = &self.owner;
        numbers(statistics).iter().for_each(|number| out.number(*number));
        out.real(statistics.bytes_per_state);
        [*sent, *sent_bytes].iter().for_each(|number| out.number(*number));
        [time, waited].iter().for_each(|time| out.number(time.as_micros() as u64));
        out.number(self.executed.count() as u64);
        self.executed.iter().for_each(|transition| out.number(transition as u64));
        out.number(self.given_up.len() as u64);
        self.given_up.iter().for_each(|fault| out.fault(fault));
        out.number(self.errors.len() as u64);
        for (error, trail) in &self.errors {
            write_error(error, trail.as_ref(), &mut out);
        }
        out.number(self.counts.len() as u64);
        for (kind, count) in &self.counts {
            out.number(kind_number(*kind));
            out.number(*count);
        }
        out.number(u64::from(self.collisions.is_some()));
        if let Some((probability, omitted)) = self.collisions {
            out.real(probability);
            out.real(omitted);
        }
        out.bytes
    }

    /// The account that was written, and whose it is.
    pub fn read(bytes: &[u8]) -> Option<(usize, Account)> {
        let from = &mut Reader(bytes);
        let number = from.length()?;
        let mut statistics = read_numbers(from)?;
        statistics.bytes_per_state = from.real()?;
        let (sent, sent_bytes) = (from.number()?, from.number()?);
        let (time, waited) = (Duration::from_micros(from.number()?), Duration::from_micros(from.number()?));
        let mut account = Account {
            owner: OwnerStatistics { statistics, sent, sent_bytes, time, waited },
            ..Account::default()
        };
        for _ in 0..from.number()? {
            account.executed.insert(from.small()? as usize);
        }
        for _ in 0..from.number()? {
            account.given_up.push(from.fault()?);
        }
        for _ in 0..from.number()? {
            account.errors.push(read_error(from)?);
        }
        for _ in 0..from.number()? {
            account.counts.insert(read_kind(from)?, from.number()?);
        }
        if from.number()? == 1 {
            account.collisions = Some((from.real()?, from.real()?));
        }
        from.is_at_end().then_some((number, account))
    }
}

/// What counts of the statistics of an owner.
pub(super) fn numbers(statistics: &Statistics) -> [u64; 10] {
    let Statistics { stored, matched, transitions, expanded, generated, endless_chains, max_depth, .. } =
        *statistics;
    let bytes = [statistics.vector_bytes, statistics.store_bytes, statistics.search_bytes];
    let [vector_bytes, store_bytes, search_bytes] = bytes.map(|bytes| bytes as u64);
    [
        stored,
        matched,
        transitions,
        expanded,
        generated,
        endless_chains,
        max_depth,
        vector_bytes,
        store_bytes,
        search_bytes,
    ]
}

pub(super) fn read_numbers(from: &mut Reader<'_>) -> Option<Statistics> {
    Some(Statistics {
        stored: from.number()?,
        matched: from.number()?,
        transitions: from.number()?,
        expanded: from.number()?,
        generated: from.number()?,
        endless_chains: from.number()?,
        max_depth: from.number()?,
        vector_bytes: from.length()?,
        store_bytes: from.length()?,
        search_bytes: from.length()?,
        ..Statistics::default()
    })
}

fn write_error(error: &Finding, trail: Option<&Trail>, out: &mut Writer) {
    out.number(kind_number(error.kind));
    out.number(error.length as u64);
    out.number(error.count);
    out.number(u64::from(error.fault.is_some()));
    error.fault.iter().for_each(|fault| out.fault(fault));
    out.number(error.standing.len() as u64);
    for (process, state) in &error.standing {
        out.number(u64::from(process.0));
        out.number(u64::from(state.0));
    }
    out.number(u64::from(trail.is_some()));
    if let Some(Trail { branches, steps }) = trail {
        out.number(branches.len() as u64);
        for Branch { step, end } in branches {
            out.number(u64::from(*step));
            out.number(u64::from(*end));
        }
        out.number(steps.len() as u64);
        steps.iter().for_each(|step| out.step(step));
    }
}

fn read_error(from: &mut Reader<'_>) -> Option<(Finding, Option<Trail>)> {
    let (kind, length, count) = (read_kind(from)?, from.length()?, from.number()?);
    let fault = if from.number()? == 1 { Some(from.fault()?) } else { None };
    let mut standing = Vec::new();
    for _ in 0..from.number()? {
        standing.push((ProcId(from.small()?), StateId(from.small()?)));
    }
    let mut trail = None;
    if from.number()? == 1 {
        let mut branches = Vec::new();
        for _ in 0..from.number()? {
            branches.push(Branch { step: from.small()?, end: from.small()? });
        }
        let mut steps = Vec::new();
        for _ in 0..from.number()? {
            steps.push(from.step()?);
        }
        trail = Some(Trail { branches, steps: steps.into_iter().collect() });
    }
    let (path, lost_to, cycle_start) = (Path::default(), None, None);
    Some((Finding { kind, fault, length, path, lost_to, standing, cycle_start, count }, trail))
}

fn kind_number(kind: FindingKind) -> u64 {
    match kind {
        FindingKind::Deadlock => 0,
        FindingKind::Witness => 1,
        FindingKind::Fault(kind) => {
            2 + FaultKind::ALL.iter().position(|other| *other == kind).expect("all kinds are listed") as u64
        }
    }
}

fn read_kind(from: &mut Reader<'_>) -> Option<FindingKind> {
    match from.length()? {
        0 => Some(FindingKind::Deadlock),
        1 => Some(FindingKind::Witness),
        number => FaultKind::ALL.get(number - 2).copied().map(FindingKind::Fault),
    }
}
