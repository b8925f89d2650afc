//! Partial order reduction: of the successors of a state only those of some processes are followed.
//!
//! The processes are chosen so that no other can, from where it stands, ever do anything that matters to their next
//! steps (a *persistent set*, Overman 1981, Godefroid 1996). Whatever the others do first they can do afterwards as
//! well, so nothing is lost: all deadlocks stay, and with the proviso of `proviso.rs` all faults and all steps do.
//! See `docs/internals/reduction.md`.

mod access;
mod facts;
mod instance;
mod masks;
mod proviso;
mod selection;
mod shape;
mod slots;
mod visible;
mod why_not;

pub(crate) use selection::Selection;
pub use why_not::WhyNot;

use facts::{EXIT_OF_YOUNGER, Facts};
use instance::{Instance, Whereabouts};
use masks::{Lengths, settle};
use panoptes_exec::{Step, Successors};
use panoptes_model::{FrameLayout, Model};
use shape::Shape;
use visible::Visible;

/// States with more processes are not reduced.
const PROCESSES_MAX: usize = 64;
/// With more kinds of one process (by what its settled values are) states are not reduced any more.
const INSTANCES_MAX: usize = 256;

/// Which successors of a state are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    All,
    /// Those of the processes whose bit is set.
    Processes(u64),
}

impl Choice {
    #[inline]
    pub fn includes(self, step: Step) -> bool {
        match self {
            Choice::All => true,
            Choice::Processes(chosen) => chosen >> step.pid & 1 == 1,
        }
    }
}

pub struct Reducer<'m> {
    facts: Facts<'m>,
    shape: Shape,
    /// By process number: those met so far, the last one used first.
    instances: Vec<Vec<Instance>>,
    /// The processes of the state at hand.
    standing: Vec<Whereabouts>,
    lengths: Lengths,
    /// A channel with so many messages counts as full.
    queue_limit: u16,
    /// One mask, for the process whose concerns are looked at.
    mask: Vec<u64>,
    /// Only if there are invariants.
    visible: Option<Visible>,
}

/// What the successors of a state tell of the processes, as bits.
#[derive(Default)]
struct Moves {
    /// Takes part in a step, be it a faulty one.
    enabled: u64,
    /// Has a step that leads to a state.
    moving: u64,
    /// Has a step that may hand control to others.
    hands_over: u64,
}

impl<'m> Reducer<'m> {
    /// `lossy` if channels lose messages when they are full.
    pub fn new(model: &'m Model, lossy: bool) -> Result<Reducer<'m>, WhyNot> {
        why_not::may_reduce(model)?;
        let facts = Facts::new(model, lossy);
        Ok(Reducer {
            shape: Shape::new(model),
            instances: Vec::new(),
            standing: Vec::new(),
            lengths: Lengths::default(),
            queue_limit: u16::MAX,
            mask: vec![0; facts.layout.words()],
            visible: Visible::of(model),
            facts,
        })
    }

    /// The executor leaves out steps that put more messages into a channel.
    pub fn limit_queues(&mut self, limit: Option<u16>) {
        self.queue_limit = limit.unwrap_or(u16::MAX);
    }

    /// The executor leaves out timeouts where something else can be done.
    pub fn put_timeouts_off(&mut self) {
        let facts = &mut self.facts;
        for id in &facts.model.timeouts {
            facts.is_timeout[id.index()] = true;
            facts.uses_timeout = true;
        }
    }

    /// Chooses the processes to follow. `out` holds all successors of the state `vector`, and there are some. A choice
    /// must also be accepted; those with fewer steps are tried first.
    pub fn choose(&mut self, vector: &[u8], out: &Successors, accept: impl FnMut(Choice) -> bool) -> Choice {
        let count = usize::from(vector[self.facts.model.header.process_count()]);
        let is_alone = || out.items.iter().all(|item| item.step().pid == out.items[0].step().pid);
        if !(2..=PROCESSES_MAX).contains(&count) || is_alone() {
            return Choice::All;
        }
        // In the pass of timeouts everything depends on everything.
        if self.facts.uses_timeout
            && out.items.iter().any(|item| self.facts.is_timeout[item.step().transition.index()])
        {
            return Choice::All;
        }
        let moves = self.moves(out);
        self.take_stock(vector, count);
        if !self.find_instances(vector) {
            return Choice::All;
        }
        self.smallest(&moves, out, accept)
    }

    /// Can an invariant tell that one of the chosen steps was taken? Then it must see the others in all orders.
    fn is_visible(&self, choice: Choice, out: &Successors) -> bool {
        let Some(visible) = &self.visible else { return false };
        out.items.iter().any(|item| choice.includes(item.step()) && visible.shows(item.step()))
    }

    fn moves(&self, out: &Successors) -> Moves {
        let mut moves = Moves::default();
        for item in &out.items {
            let bit = 1 << item.step().pid;
            let transition = item.step().transition.index();
            moves.enabled |= bit;
            moves.moving |= if item.has_state() { bit } else { 0 };
            let mut hands_over = self.shape.hands_over[transition];
            if let Some((partner, transition)) = item.step().partner {
                moves.enabled |= 1 << partner;
                hands_over |= self.shape.hands_over[transition.index()];
            }
            moves.hands_over |= if hands_over { bit } else { 0 };
        }
        moves
    }

    /// Finds the processes and the lengths of the channels.
    fn take_stock(&mut self, vector: &[u8], count: usize) {
        let model = self.facts.model;
        self.lengths = Lengths::default();
        self.standing.clear();
        let (lengths, limit) = (&mut self.lengths, self.queue_limit);
        let mut look = |channels: &[panoptes_model::Channel], start: usize| {
            for channel in channels {
                lengths.count += 1;
                if channel.is_rendezvous() || lengths.count > 255 {
                    continue;
                }
                let (word, bit) = (lengths.count / 64, 1 << (lengths.count % 64));
                let length = channel.len_type().read(&vector[start + channel.offset as usize..]);
                lengths.empty[word] |= if length == 0 { bit } else { 0 };
                lengths.full[word] |= if length >= i32::from(channel.capacity.min(limit)) { bit } else { 0 };
            }
            lengths.count
        };
        let mut channels = look(&model.channels, 0);
        let mut start = model.header.frames as usize;
        for pid in 0..count {
            let frame = &vector[start..];
            let ty = frame[FrameLayout::TYPE];
            let process = &model.processes[usize::from(ty)];
            self.standing.push(Whereabouts {
                ty,
                pid: pid as u8,
                state: process.frame.state(frame).index(),
                start: start as u32,
                first_channel: channels + 1,
            });
            channels = look(&process.channels, start);
            start += process.frame.bytes as usize;
        }
    }

    /// Brings the instance of each process to the front of its list; false if there are too many.
    fn find_instances(&mut self, vector: &[u8]) -> bool {
        if self.instances.len() < self.standing.len() {
            self.instances.resize_with(self.standing.len(), Vec::new);
        }
        for (at, known) in self.standing.iter().zip(&mut self.instances) {
            match known.iter().position(|instance| instance.fits(&self.facts, vector, at)) {
                Some(0) => {}
                Some(index) => known.swap(0, index),
                None if known.len() >= INSTANCES_MAX => return false,
                None => {
                    known.push(Instance::new(&self.facts, &self.shape, vector, at));
                    let last = known.len() - 1;
                    known.swap(0, last);
                }
            }
        }
        true
    }

    /// The set of processes that is closed under conflict and has the fewest steps, of those that are accepted.
    fn smallest(
        &mut self,
        moves: &Moves,
        out: &Successors,
        mut accept: impl FnMut(Choice) -> bool,
    ) -> Choice {
        let everyone = u64::MAX >> (64 - self.standing.len());
        // A process that waits may be drawn into a move that hands control over.
        let active = if moves.hands_over != 0 { everyone } else { moves.enabled };
        let (mut conflicts, mut known) = ([0; PROCESSES_MAX], 0u64);
        let (mut larger, mut larger_count) = ([(0, 0); PROCESSES_MAX], 0);
        let mut last = None;
        for item in &out.items {
            let first = usize::from(item.step().pid);
            if last == Some(first) || moves.moving >> first & 1 == 0 {
                continue;
            }
            last = Some(first);
            let (mut chosen, mut todo) = (1 << first, 1u64 << first);
            while todo != 0 && moves.enabled & !chosen != 0 {
                let pid = todo.trailing_zeros() as usize;
                todo &= todo - 1;
                if known >> pid & 1 == 0 {
                    conflicts[pid] = self.conflicts(pid, active >> pid & 1 == 0);
                    known |= 1 << pid;
                }
                todo |= conflicts[pid] & !chosen;
                chosen |= conflicts[pid];
            }
            let choice = Choice::Processes(chosen);
            let steps = out.items.iter().filter(|item| choice.includes(item.step())).count();
            if todo != 0 || steps == out.items.len() || self.is_visible(choice, out) {
                continue;
            }
            if steps > 1 {
                larger[larger_count] = (steps, chosen);
                larger_count += 1;
            } else if accept(choice) {
                return choice;
            }
        }
        let larger = &mut larger[..larger_count];
        larger.sort_unstable();
        let mut before = 0;
        for (_, chosen) in larger.iter().copied() {
            if chosen != before && accept(Choice::Processes(chosen)) {
                return Choice::Processes(chosen);
            }
            before = chosen;
        }
        Choice::All
    }

    /// The processes that may do something that matters to the next steps of `pid`.
    fn conflicts(&mut self, pid: usize, is_hope: bool) -> u64 {
        let facts = &self.facts;
        let record = self.instances[pid][0].record(facts, self.standing[pid].state, is_hope);
        settle(facts, record, &self.lengths, is_hope, &mut self.mask);
        let mut conflicts = 0;
        for (other, at) in self.standing.iter().enumerate() {
            if other == pid {
                continue;
            }
            let effect = self.instances[other][0].effect(facts, at.state);
            let (processes, rest) = (facts.layout.processes(), 0..facts.layout.processes());
            let unseen = if other < pid { EXIT_OF_YOUNGER } else { 0 };
            if self.mask[processes] & effect[processes] & !unseen != 0
                || self.mask[rest.clone()].iter().zip(&effect[rest]).any(|(mask, effect)| mask & effect != 0)
            {
                conflicts |= 1 << other;
            }
        }
        conflicts
    }
}
