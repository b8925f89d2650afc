//! Accesses as bits, seen from both sides.
//!
//! The *effect* of an access says what it does to others: a mask that is united over all that a process may ever do.
//! Its *concern* says which effects of others would matter to it: an access of one process and an effect of another are
//! independent if concern and effect have no bit in common.
//!
//! A send on a channel with room is not disturbed by a receive, nor a receive from a channel with a message by a send.
//! So the concern has a part that is settled when the lengths of the channels are known (`conflicts.rs`).

use super::access::{Access, Use};
use super::facts::{COUNT, EVENT, EXIT, EXIT_OF_YOUNGER, Env, Facts, Locals, SPAWN};

/// A bit of the last word of a record: a process with channels of its own may be created.
pub(super) const NEW_CHANNELS: u64 = 1;
/// Another one: the record was made by [`add_enabler`].
const ENABLER: u64 = 2;

/// Where the parts of a record are: a mask, the channels sent to and received from first, and a word of flags.
pub(super) fn record_words(facts: &Facts) -> usize {
    facts.layout.words() + 2 * facts.layout.channel_words + 1
}

fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

/// Adds what an access does. A step is *touchy* if it does not simply wait for a channel, but takes another way
/// (`else`, `unless`) or pauses an atomic sequence there.
pub(super) fn add_effect(env: &Env, access: &Access, is_touchy: bool, mask: &mut [u64]) {
    let layout = env.facts.layout;
    match access {
        Access::Read(place) | Access::Write(place) => {
            let at = if matches!(access, Access::Write(_)) { layout.written() } else { layout.read() };
            env.addresses(place, &mut |address| {
                if let Some(cell) = env.facts.cell(address) {
                    set(&mut mask[at..], cell);
                }
            });
        }
        Access::Channel { number, how, is_first } => {
            let is_touchy = is_touchy || !is_first;
            channels(env, number, &mut |channel, is_rendezvous| {
                match how {
                    Use::Send => set(&mut mask[layout.sends()..], channel),
                    Use::SortedSend => {
                        // It may become the first message.
                        set(&mut mask[layout.sends()..], channel);
                        set(&mut mask[layout.receives()..], channel);
                    }
                    Use::Receive | Use::RandomReceive => set(&mut mask[layout.receives()..], channel),
                    Use::HasMessage { .. } | Use::HasRoom { .. } | Use::Look => {}
                }
                if env.facts.is_event(*how, channel) {
                    mask[layout.processes()] |= EVENT;
                }
                let looks = match how {
                    // Only a sender finds out whether somebody waits on the other side.
                    Use::Send | Use::SortedSend if is_rendezvous => is_touchy,
                    _ if is_rendezvous => false,
                    // A message more, or one less, can only make such a step possible.
                    Use::HasMessage { waits: true } if !is_touchy => {
                        set(&mut mask[layout.message_waits()..], channel);
                        false
                    }
                    Use::HasRoom { waits: true } if !is_touchy => {
                        set(&mut mask[layout.room_waits()..], channel);
                        false
                    }
                    Use::HasMessage { .. } | Use::HasRoom { .. } | Use::Look | Use::SortedSend => true,
                    Use::Send | Use::Receive | Use::RandomReceive => is_touchy || env.facts.lossy,
                };
                if looks {
                    set(&mut mask[layout.looks()..], channel);
                }
            });
        }
        Access::Count => mask[layout.processes()] |= COUNT,
        Access::Spawn(spawn) => {
            mask[layout.processes()] |= SPAWN;
            let env = env.of_new(spawn.process);
            for access in &env.facts.initial[spawn.process.index()] {
                add_effect(&env, access, is_touchy, mask);
            }
        }
        Access::Exit => {
            mask[layout.processes()] |= EXIT | EXIT_OF_YOUNGER;
            own_channels(env, mask);
        }
    }
}

/// Adds what would matter to a step that can be taken. `is_first` if its process starts with it, and did not come to
/// it inside an atomic sequence.
pub(super) fn add_concern(env: &Env, access: &Access, is_first: bool, record: &mut [u64]) {
    let layout = env.facts.layout;
    let (mask, rest) = record.split_at_mut(layout.words());
    match access {
        Access::Read(place) | Access::Write(place) => {
            let writes = matches!(access, Access::Write(_));
            env.addresses(place, &mut |address| {
                if let Some(cell) = env.facts.cell(address) {
                    set(&mut mask[layout.written()..], cell);
                    if writes {
                        set(&mut mask[layout.read()..], cell);
                    }
                }
            });
        }
        Access::Channel { number, how, is_first: starts } => {
            let waits = is_first && *starts;
            let may_appear = channels(env, number, &mut |channel, is_rendezvous| {
                if env.facts.is_event(*how, channel) {
                    mask[layout.processes()] |= EVENT;
                }
                let mut add = |at: usize| set(&mut mask[at..], channel);
                match how {
                    // While a channel has messages, sends do not change the answer; while it has none, nobody receives.
                    Use::HasMessage { .. } if waits => {
                        add(layout.receives());
                        set(&mut rest[layout.channel_words..], channel);
                    }
                    Use::HasRoom { .. } if waits => {
                        add(layout.sends());
                        set(rest, channel);
                    }
                    Use::HasMessage { .. } | Use::HasRoom { .. } | Use::Look => {
                        add(layout.sends());
                        add(layout.receives());
                    }
                    Use::Send | Use::SortedSend if is_rendezvous => add(layout.receives()),
                    Use::Receive | Use::RandomReceive if is_rendezvous => add(layout.sends()),
                    Use::Send if waits => {
                        add(layout.sends());
                        add(layout.looks());
                        add(layout.room_waits());
                        set(rest, channel);
                    }
                    Use::Receive if waits => {
                        add(layout.receives());
                        add(layout.looks());
                        add(layout.message_waits());
                        set(&mut rest[layout.channel_words..], channel);
                    }
                    Use::Send | Use::SortedSend | Use::Receive | Use::RandomReceive => {
                        layout.uses().into_iter().for_each(add);
                    }
                }
            });
            if may_appear {
                mask[layout.processes()] |= SPAWN;
            }
        }
        Access::Count => mask[layout.processes()] |= SPAWN | EXIT,
        Access::Spawn(spawn) => {
            mask[layout.processes()] |= SPAWN | EXIT | COUNT;
            // The new process may be ready to receive.
            let looks = &mut mask[layout.looks()..layout.looks() + layout.channel_words];
            looks.iter_mut().zip(&env.facts.rendezvous).for_each(|(looks, rendezvous)| *looks |= rendezvous);
            if !env.facts.model.process(spawn.process).channels.is_empty() {
                *rest.last_mut().expect("a word of flags") |= NEW_CHANNELS;
            }
            let env = env.of_new(spawn.process);
            for access in &env.facts.initial[spawn.process.index()] {
                add_concern(&env, access, false, record);
            }
        }
        Access::Exit => {
            mask[layout.processes()] |= SPAWN | COUNT | EXIT_OF_YOUNGER;
            own_channels(env, mask);
        }
    }
}

/// Adds what could make a step possible that is not: `access` belongs to its predicate.
pub(super) fn add_enabler(env: &Env, access: &Access, record: &mut [u64]) {
    let layout = env.facts.layout;
    let (mask, rest) = record.split_at_mut(layout.words());
    match access {
        Access::Channel { number, how, .. } => {
            let may_appear = channels(env, number, &mut |channel, is_rendezvous| {
                let mut add = |at: usize| set(&mut mask[at..], channel);
                match how {
                    Use::Send | Use::SortedSend => add(layout.receives()),
                    Use::Receive | Use::RandomReceive if is_rendezvous => add(layout.sends()),
                    Use::Receive | Use::HasMessage { .. } => set(&mut rest[layout.channel_words..], channel),
                    Use::Look | Use::HasRoom { .. } | Use::RandomReceive => {
                        add(layout.sends());
                        add(layout.receives());
                    }
                }
            });
            if may_appear {
                mask[layout.processes()] |= SPAWN;
            }
        }
        Access::Exit => mask[layout.processes()] |= EXIT_OF_YOUNGER,
        Access::Read(_) | Access::Count => add_concern(env, access, true, record),
        // A receive that is not possible binds nothing.
        Access::Write(_) | Access::Spawn(_) => {}
    }
}

/// Adds what it means to others that a process stands where it can receive from a rendezvous channel.
pub(super) fn add_readiness(env: &Env, access: &Access, record: &mut [u64]) {
    if let Access::Channel { number, how: Use::Receive | Use::RandomReceive, .. } = access {
        channels(env, number, &mut |channel, is_rendezvous| {
            if is_rendezvous {
                set(&mut record[env.facts.layout.looks()..], channel);
            }
        });
    }
}

/// The lengths of the channels in a state, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    pub full: [u64; 4],
    pub empty: [u64; 4],
}

/// Marks a record as one that [`add_enabler`] makes.
pub(super) fn mark_as_enabler(record: &mut [u64]) {
    *record.last_mut().expect("a word of flags") |= ENABLER;
}

pub(super) fn is_enabler(record: &[u64]) -> bool {
    record.last().is_some_and(|flags| flags & ENABLER != 0)
}

/// Calls `found` on each channel that an expression may stand for, with whether it is a rendezvous. True if such a
/// channel may appear with a new process. (When it goes with an old one, that process's exit has an effect on it.)
fn channels(env: &Env, number: &panoptes_model::Expr, found: &mut dyn FnMut(usize, bool)) -> bool {
    let facts = env.facts;
    let mut may_appear = false;
    let mut visit = |number: usize| {
        let is_rendezvous = facts.rendezvous[number / 64] >> (number % 64) & 1 == 1;
        let may_be_both = is_rendezvous && number > facts.model.channels.len();
        found(number, is_rendezvous);
        if may_be_both {
            found(number, false);
        }
        may_appear |= number > facts.model.channels.len();
    };
    match env.channels(number) {
        // Zero is no channel, now and later.
        Some(numbers) => numbers.into_iter().filter(|number| *number > 0).for_each(&mut visit),
        None => (1..=facts.channels_max).for_each(&mut visit),
    }
    may_appear
}

/// A process takes its channels with it.
fn own_channels(env: &Env, mask: &mut [u64]) {
    let layout = env.facts.layout;
    let numbers = match env.locals {
        Locals::Frame { first_channel, channel_count, .. } => first_channel..first_channel + channel_count,
        Locals::Args { has_channels: true, .. } => {
            env.facts.model.channels.len() + 1..env.facts.channels_max + 1
        }
        Locals::Args { .. } => 0..0,
    };
    for number in numbers.filter(|number| *number <= env.facts.channels_max) {
        for at in layout.uses() {
            set(&mut mask[at..], number);
        }
    }
}
