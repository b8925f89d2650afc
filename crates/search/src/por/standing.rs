//! The processes of the state at hand: where they stand, and what matters about them there.

use super::PROCESSES_MAX;
use super::conflicts::{Conflicts, Profile};
use super::facts::Facts;
use super::instance::{Instance, Outlook, Whereabouts};
use super::masks::Lengths;
use super::recent::{Found, Recent};
use super::shape::Shape;
use panoptes_model::{Channel, FrameLayout, Model};

/// With more kinds of one process (by what its settled values are) states are not reduced any more.
const INSTANCES_MAX: usize = 256;

pub(super) struct Standing {
    /// By process number.
    seats: Vec<Seat>,
    profiles: Vec<Profile>,
    conflicts: Conflicts,
    /// A channel with so many messages counts as full.
    queue_limit: u16,
    recent: Recent,
    /// Of a state that is not known yet, by number of the process: its instance, and what was found.
    found: [(u32, Outlook); PROCESSES_MAX],
    starts: [u32; PROCESSES_MAX],
    futures: [u32; PROCESSES_MAX + 1],
    /// Of the state at hand, if somebody asked.
    lengths: Option<Lengths>,
}

/// The instances of a process that were met so far.
#[derive(Default)]
struct Seat {
    instances: Vec<Instance>,
    /// The last one met.
    last: usize,
}

impl Standing {
    pub fn new(model: &Model) -> Standing {
        Standing {
            seats: Vec::new(),
            profiles: Vec::new(),
            conflicts: Conflicts::default(),
            queue_limit: u16::MAX,
            recent: Recent::new(model),
            found: [(0, Outlook::default()); PROCESSES_MAX],
            starts: [0; PROCESSES_MAX],
            futures: [0; PROCESSES_MAX + 1],
            lengths: None,
        }
    }

    /// The executor leaves out steps that put more messages into a channel.
    pub fn limit_queues(&mut self, limit: Option<u16>) {
        self.queue_limit = limit.unwrap_or(u16::MAX);
    }

    /// Looks at the processes of a state, of which some are active: they can move, or may be drawn into a move. Tells for each process those
    /// that may do something that matters to its next steps, or that this is unknown. False if there are too many kinds of processes.
    #[inline]
    pub fn look(
        &mut self,
        facts: &Facts,
        shape: &Shape,
        state: (&[u8], usize),
        active: u64,
        conflicts: &mut [u64; PROCESSES_MAX],
    ) -> bool {
        self.lengths = None;
        let ((vector, count), seats) = (state, &self.seats);
        let is_settled = |pid: usize, instance: u32, frame: &[u8]| {
            seats[pid].instances[instance as usize].is_settled(frame)
        };
        if self.recent.turn_to(vector, count, active, conflicts, is_settled) {
            return true;
        }
        let is_known = self.look_anew(facts, shape, vector, count);
        if is_known {
            self.recent.tell(active, conflicts);
        }
        is_known
    }

    fn look_anew(&mut self, facts: &Facts, shape: &Shape, vector: &[u8], count: usize) -> bool {
        if self.seats.len() < count {
            self.seats.resize_with(count, Seat::default);
            self.profiles.resize_with(count, Profile::default);
        }
        let model = facts.model;
        let (mut start, mut channels) = (model.header.frames as usize, model.channels.len());
        for pid in 0..count {
            let frame = &vector[start..];
            let ty = frame[FrameLayout::TYPE];
            let process = &model.processes[usize::from(ty)];
            let at = Whereabouts {
                ty,
                pid: pid as u8,
                state: process.frame.state(frame).index(),
                start: start as u32,
                first_channel: channels + 1,
            };
            let seat = &mut self.seats[pid];
            let outlook = match seat.instances.get(seat.last).and_then(|last| last.outlook(frame, &at)) {
                Some(outlook) => outlook,
                None => match seat.find(facts, shape, vector, &at, &mut self.profiles[pid]) {
                    Some(outlook) => outlook,
                    None => return false,
                },
            };
            self.found[pid] = (seat.last as u32, outlook);
            self.futures[pid + 1] = outlook.future;
            self.starts[pid] = at.start;
            start += process.frame.bytes as usize;
            channels += process.channels.len();
        }
        self.futures[0] = channels as u32;
        let found = self.found[..count].iter().zip(&self.seats).map(|((instance, outlook), seat)| Found {
            instance: *instance,
            has_settled: seat.instances[*instance as usize].has_settled(),
            outlook: *outlook,
        });
        self.recent.note(vector, &self.starts[..count], &self.futures[..=count], found);
        true
    }

    /// The processes that may do something that matters to the next steps of `pid`.
    #[cold]
    pub fn conflicts(&mut self, facts: &Facts, vector: &[u8], pid: usize, is_active: bool) -> u64 {
        let Standing { profiles, conflicts, queue_limit, recent, lengths, .. } = self;
        conflicts.turn_to(recent.futures());
        let concern = recent.concern(pid, is_active);
        let mut is_conditional = false;
        let conflicts = conflicts.of(facts, profiles, pid, concern, || {
            is_conditional = true;
            *lengths.get_or_insert_with(|| lengths_of(facts, vector, recent.starts(), *queue_limit))
        });
        if !is_conditional {
            recent.keep(pid, is_active, conflicts);
        }
        conflicts
    }

    pub fn heap_bytes(&self) -> usize {
        let rows = |profile: &Profile| profile.futures.heap_bytes() + profile.concerns.heap_bytes();
        let instances = self.seats.iter().flat_map(|seat| &seat.instances);
        self.conflicts.heap_bytes()
            + self.recent.heap_bytes()
            + self.profiles.iter().map(rows).sum::<usize>()
            + instances.map(Instance::heap_bytes).sum::<usize>()
    }
}

impl Seat {
    /// Finds or makes the instance of the process; none if there are too many.
    fn find(
        &mut self,
        facts: &Facts,
        shape: &Shape,
        vector: &[u8],
        at: &Whereabouts,
        profile: &mut Profile,
    ) -> Option<Outlook> {
        let frame = &vector[at.start as usize..];
        let mut known = self.instances.iter().enumerate();
        if let Some((index, outlook)) =
            known.find_map(|(index, instance)| Some((index, instance.outlook(frame, at)?)))
        {
            self.last = index;
            return Some(outlook);
        }
        if self.instances.len() >= INSTANCES_MAX {
            return None;
        }
        self.last = self.instances.len();
        self.instances.push(Instance::new(facts, shape, vector, at, profile));
        self.instances[self.last].outlook(frame, at)
    }
}

/// The lengths of the channels, of which those of processes are in frames that start there.
fn lengths_of(
    facts: &Facts,
    vector: &[u8],
    starts: impl Iterator<Item = usize>,
    queue_limit: u16,
) -> Lengths {
    let (mut lengths, mut number) = (Lengths::default(), 0);
    let mut look = |channels: &[Channel], start: usize| {
        for channel in channels {
            number += 1;
            if channel.is_rendezvous() || number > 255 {
                continue;
            }
            let (word, bit) = (number / 64, 1 << (number % 64));
            let length = channel.len_type().read(&vector[start + channel.offset as usize..]);
            let capacity = channel.capacity.min(queue_limit);
            lengths.empty[word] |= if length == 0 { bit } else { 0 };
            lengths.full[word] |= if length >= i32::from(capacity) { bit } else { 0 };
        }
    };
    look(&facts.model.channels, 0);
    for start in starts {
        look(&facts.model.processes[usize::from(vector[start + FrameLayout::TYPE])].channels, start);
    }
    lengths
}
