//! Which processes are alive in a vector, and where they and their channels are.
//!
//! That depends only on the types of the living processes, and most searches meet few sets of these. Each is worked out
//! once; one that is met often gets native code that goes through its processes.

use crate::context::{ChannelEntry, PassFn, StateFn};
use crate::runtime::{Acceptor, TypeTable};
use panoptes_model::FrameLayout;

/// The living processes of some vectors.
#[derive(Default)]
pub(crate) struct Population {
    /// The type of each process.
    pub types: Vec<u8>,
    /// Where each process's frame starts.
    pub frames: Vec<u32>,
    pub channels: Vec<ChannelEntry>,
    /// The number of each process's first own channel.
    pub first_channels: Vec<u32>,
    /// Where each process's frame and codes are.
    pub homes: Vec<Home>,
    /// Those whose type can take part in a rendezvous as a receiver, the youngest first.
    pub receivers: Vec<Receiver>,
    pub vector_bytes: usize,
    /// How often its processes were gone through without code for that.
    calls: u32,
    /// Goes through all processes.
    pub code: Option<PassFn>,
}

/// Where the frame of a process starts, and the codes of its control states: the table stays where it is as long as the
/// runtime lives.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    pub codes: *const StateFn,
    pub code_count: u32,
    pub frame: u32,
}

/// A process that may take messages on offer.
#[derive(Clone, Copy)]
pub(crate) struct Receiver {
    pub pid: u32,
    pub frame: u32,
    /// By control state. The table stays where it is as long as the runtime lives.
    pub acceptors: *const Acceptor,
    pub acceptor_count: u32,
}

/// All that were met so far, one of which is at hand.
pub(crate) struct Populations {
    all: Vec<Population>,
    current: usize,
    /// Those that are to get code.
    pub due: Vec<usize>,
    /// Processes are never created, so that their number tells which there are.
    is_fixed: bool,
}

/// More than these are not remembered.
const POPULATIONS_MAX: usize = 256;

/// Code that goes through the processes is written after so many calls.
const CALLS_MAX: u32 = 2_000;

/// So many populations get code at most.
const COMPILED_MAX: usize = 64;

impl Population {
    /// Is this the population of a vector with so many processes?
    #[inline]
    fn is_of(&self, count: u8, state: &[u8], is_fixed: bool) -> bool {
        let is_type = |(ty, frame): (&u8, &u32)| state.get(*frame as usize + FrameLayout::TYPE) == Some(ty);
        usize::from(count) == self.types.len()
            && state.len() == self.vector_bytes
            && (is_fixed || self.types.iter().zip(&self.frames).all(is_type))
    }

    /// None if the model cannot have made the vector.
    fn new(
        count: u8,
        state: &[u8],
        frames_at: u32,
        types: &[TypeTable],
        global: &[ChannelEntry],
    ) -> Option<Population> {
        let mut population =
            Population { channels: global.to_vec(), vector_bytes: state.len(), ..Population::default() };
        let mut at = frames_at;
        for _ in 0..count {
            let ty = *state.get(at as usize + FrameLayout::TYPE)?;
            let table = types.get(usize::from(ty))?;
            population.frames.push(at);
            let (codes, code_count) = (table.codes.as_ptr(), table.codes.len() as u32);
            population.homes.push(Home { codes, code_count, frame: at });
            population.types.push(ty);
            population.first_channels.push(population.channels.len() as u32 + 1);
            let entry = |own: &ChannelEntry| ChannelEntry { at: at + own.at, shape: own.shape };
            population.channels.extend(table.channels.iter().map(entry));
            at += table.frame_bytes;
        }
        for pid in (0..usize::from(count)).rev() {
            let TypeTable { acceptors, states, .. } = &types[usize::from(population.types[pid])];
            // The places behind the last state are there for safety only.
            if acceptors[..states.len()].iter().any(|acceptor| acceptor.channels != 0) {
                population.receivers.push(Receiver {
                    pid: pid as u32,
                    frame: population.frames[pid],
                    acceptors: acceptors.as_ptr(),
                    acceptor_count: acceptors.len() as u32,
                });
            }
        }
        (at as usize == state.len()).then_some(population)
    }
}

impl Populations {
    /// None but that of a vector which no model makes.
    pub fn new(is_fixed: bool) -> Populations {
        Populations { all: vec![Population::default()], current: 0, due: Vec::new(), is_fixed }
    }

    #[inline]
    pub fn current(&self) -> &Population {
        &self.all[self.current]
    }

    pub fn get_mut(&mut self, index: usize) -> &mut Population {
        &mut self.all[index]
    }

    /// Is the one at hand that of a vector with so many processes?
    #[inline]
    pub fn is_current(&self, count: u8, state: &[u8]) -> bool {
        self.current().is_of(count, state, self.is_fixed)
    }

    /// Finds that of a vector. False if the model cannot have made it.
    pub fn find(
        &mut self,
        count: u8,
        state: &[u8],
        frames_at: u32,
        types: &[TypeTable],
        global: &[ChannelEntry],
    ) -> bool {
        if let Some(index) = self.all.iter().position(|known| known.is_of(count, state, self.is_fixed)) {
            self.current = index;
            return true;
        }
        let Some(population) = Population::new(count, state, frames_at, types, global) else { return false };
        if self.all.len() == POPULATIONS_MAX {
            // Those with code are worth keeping, and so are the numbers of those that are due.
            self.all.truncate(POPULATIONS_MAX / 2);
            self.due.retain(|index| *index < POPULATIONS_MAX / 2);
        }
        self.current = self.all.len();
        self.all.push(population);
        true
    }

    /// Counts that the processes at hand were gone through without code for that.
    #[inline]
    pub fn count_call(&mut self) {
        let population = &mut self.all[self.current];
        population.calls = population.calls.saturating_add(1);
        if population.calls == CALLS_MAX && self.current <= COMPILED_MAX {
            self.due.push(self.current);
        }
    }
}
