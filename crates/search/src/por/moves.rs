//! What the successors of a state tell of its processes.

use super::PROCESSES_MAX;
use super::facts::Facts;
use super::shape::Shape;
use panoptes_exec::Successors;
use panoptes_model::TransId;

/// The move that starts with the transition may hand control to another process.
const HANDS_OVER: u8 = 1;
/// The transition is possible only if nothing else is.
const TIMEOUT: u8 = 2;

/// Of the state at hand; sets of processes are bits.
pub(super) struct Moves {
    /// By number of the transition: [`HANDS_OVER`] and [`TIMEOUT`].
    flags: Vec<u8>,
    /// Takes part in a step, be it a faulty one.
    pub enabled: u64,
    /// Has a step that leads to a state.
    moving: u64,
    /// Some step may hand control to others.
    pub hands_over: bool,
    /// The processes that have steps, in the order of their first ones.
    order: Vec<u8>,
    has_steps: u64,
    /// How many each of them has.
    steps: [u32; PROCESSES_MAX],
}

impl Moves {
    pub fn new(shape: &Shape, facts: &Facts) -> Moves {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = shape.hands_over.iter().zip(&facts.is_timeout);
        let flags =
            flags.map(|(hands_over, is_timeout)| flag(*hands_over, HANDS_OVER) | flag(*is_timeout, TIMEOUT));
        Moves {
            flags: flags.collect(),
            enabled: 0,
            moving: 0,
            hands_over: false,
            order: Vec::with_capacity(PROCESSES_MAX),
            has_steps: 0,
            steps: [0; PROCESSES_MAX],
        }
    }

    /// These transitions are taken only where nothing else can be done.
    pub fn put_off(&mut self, timeouts: &[TransId]) {
        timeouts.iter().for_each(|id| self.flags[id.index()] |= TIMEOUT);
    }

    /// Looks at the successors of a state. False if all are to be followed: one process has all steps, or they are those
    /// of timeouts, which depend on everything.
    #[inline]
    pub fn look(&mut self, out: &Successors) -> bool {
        let (mut flags, mut enabled, mut moving, mut has_steps) = (0, 0, 0, 0u64);
        self.order.clear();
        for item in &out.items {
            let step = item.step();
            let bit = 1u64 << step.pid;
            flags |= self.flags[step.transition.index()];
            enabled |= bit;
            moving |= if item.has_state() { bit } else { 0 };
            if let Some((partner, transition)) = step.partner {
                enabled |= 1 << partner;
                flags |= self.flags[transition.index()] & HANDS_OVER;
            }
            let steps = &mut self.steps[usize::from(step.pid)];
            if has_steps & bit == 0 {
                has_steps |= bit;
                *steps = 1;
                self.order.push(step.pid);
            } else {
                *steps += 1;
            }
        }
        (self.enabled, self.moving, self.has_steps) = (enabled, moving, has_steps);
        self.hands_over = flags & HANDS_OVER != 0;
        self.order.len() > 1 && flags & TIMEOUT == 0
    }

    /// The processes with a step that leads to a state.
    #[inline]
    pub fn movers(&self) -> impl Iterator<Item = u8> {
        self.order.iter().copied().filter(|pid| self.moving >> pid & 1 == 1)
    }

    /// How many steps these processes have.
    #[inline]
    pub fn steps_of(&self, processes: u64) -> usize {
        let (mut rest, mut count) = (processes & self.has_steps, 0);
        while rest != 0 {
            count += self.steps[rest.trailing_zeros() as usize] as usize;
            rest &= rest - 1;
        }
        count
    }
}
