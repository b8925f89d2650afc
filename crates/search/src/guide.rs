//! Which successors of a state a depth-first search follows, and in which order.
//!
//! A scatter search (Holzmann, *Tracing Protocols*, 1985) gives preference to the steps that bring a protocol closer to a
//! deadlock: internal steps first, then receives, which empty channels, then sends, and timeouts last. It follows the
//! steps of only some processes in a state, or only some steps of each, so that it looks into all parts of a state space
//! and at little of each.
//!
//! Among steps of one kind, those go first that bring the automaton of a requirement nearer to a violation (or, where a search
//! follows a requirement, nearer to its end).
//!
//! A step to a state that is known already is no loss: only successors that lead to something new are counted against
//! the limits, and a process without any does not take the place of another.

use crate::expansion::{Expansion, Reached};
use panoptes_exec::Step;
use panoptes_model::{
    Action, ChannelTest, Expr, Guard, Model, Place, Region, Requirement, Sense, Transition,
};

/// What a search does with the successors of a state; by default it follows all in the order of the executor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guidance {
    /// Internal steps before receives, those before sends, and timeouts last; of equal ones first what is nearer to the
    /// violation of a requirement.
    pub priorities: bool,
    /// The order of processes, and of the steps of one, where priorities do not tell.
    pub order: StepOrder,
    /// Follow only so many processes a state.
    pub processes_max: Option<u32>,
    /// Follow only so many steps of each.
    pub options_max: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepOrder {
    /// That of the executor: the youngest process first, steps as they are written.
    #[default]
    Listed,
    Reversed,
    /// Another one at each state; the seed tells which.
    Random(u64),
}

impl Guidance {
    fn has_limits(&self) -> bool {
        self.processes_max.is_some() || self.options_max.is_some()
    }
}

/// What a step is about; the first kind is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StepKind {
    Internal,
    Receive,
    Send,
    Timeout,
}

impl StepKind {
    /// By transition.
    pub fn all(model: &Model) -> Vec<StepKind> {
        model.transitions.iter().map(|transition| StepKind::of(model, transition)).collect()
    }

    fn of(model: &Model, transition: &Transition) -> StepKind {
        let waits = |guard: &Guard| match guard {
            // A timeout that is free waits only for its channel to be empty.
            Guard::When(Expr::Channel(ChannelTest::Empty, _)) => true,
            Guard::When(condition) => condition.any(&|part| matches!(part, Expr::Timeout)),
            Guard::Always | Guard::Otherwise => false,
        };
        let of_action = |actions: &[Action]| match actions.first() {
            Some(Action::Receive(_)) => StepKind::Receive,
            Some(Action::Send(_)) => StepKind::Send,
            _ => StepKind::Internal,
        };
        if waits(&transition.guard) {
            return StepKind::Timeout;
        }
        match transition.actions.first() {
            Some(Action::Block(id)) => {
                let block = model.block(*id);
                let entry = &block.nodes[block.entry as usize].steps;
                let kind = |step: &panoptes_model::BlockStep| match waits(&step.guard) {
                    true => StepKind::Timeout,
                    false => of_action(&step.actions),
                };
                entry.iter().map(kind).max().unwrap_or(StepKind::Internal)
            }
            _ => of_action(&transition.actions),
        }
    }
}

/// Does the model have steps that are taken because something did not come?
pub fn has_timeouts(model: &Model) -> bool {
    let mut waits = false;
    model.walk_rules(&mut |part| waits |= matches!(part, Expr::Timeout));
    waits || model.transitions.iter().any(|step| StepKind::of(model, step) == StepKind::Timeout)
}

/// Where the automaton of a requirement stands in a vector, and how far each of its states is from what is looked for.
pub(crate) struct RequirementDistance {
    place: Place,
    distances: Vec<Option<u32>>,
}

impl RequirementDistance {
    pub fn new(requirement: &Requirement) -> Option<RequirementDistance> {
        let mut place = None;
        requirement.fulfilled.walk(&mut |part| {
            if let Expr::Load(found) = part
                && found.region == Region::Global
                && found.indices.is_empty()
            {
                place = Some((**found).clone());
            }
        });
        let distances = match requirement.sense {
            Sense::Hold => requirement.table.to_violation(),
            Sense::Follow | Sense::Reach => requirement.table.to_end(),
        };
        Some(RequirementDistance { place: place?, distances })
    }

    /// Events that it takes at least.
    pub fn distance(&self, vector: &[u8]) -> u32 {
        let state = self.place.ty.read(&vector[self.place.offset as usize..]);
        let distance = usize::try_from(state).ok().and_then(|state| *self.distances.get(state)?);
        distance.unwrap_or(u32::MAX)
    }
}

/// What is compared first: the kind of a step, and how near it leads to the violation of a requirement.
type Rank = (StepKind, u32);

/// Arranges the successors of one state after the other.
pub(crate) struct Guide {
    guidance: Guidance,
    requirements: Vec<RequirementDistance>,
    /// By transition.
    kinds: Vec<StepKind>,
    random: u64,
    /// Something new was left out.
    is_narrowed: bool,
    entries: Vec<Entry>,
    /// The best rank of each process, by its number.
    best: [Rank; 256],
    kept: Vec<Reached>,
}

/// A successor, as it is compared with the others.
#[derive(Clone, Copy)]
struct Entry {
    /// The process: the rank of its best step, and its place where that does not tell.
    process: (Rank, u32),
    pid: u8,
    /// The same of the step itself.
    option: (Rank, u32),
    index: u32,
}

impl Guide {
    /// None if successors are to stay as they are.
    pub fn new(model: &Model, guidance: Guidance) -> Option<Guide> {
        if guidance == Guidance::default() {
            return None;
        }
        let kinds = StepKind::all(model);
        let seed = if let StepOrder::Random(seed) = guidance.order { seed } else { 0 };
        let (entries, best, kept) = (Vec::new(), [(StepKind::Timeout, u32::MAX); 256], Vec::new());
        let requirements = model.requirements.iter().filter_map(RequirementDistance::new).collect();
        let (random, is_narrowed) = (mixed(seed), false);
        Some(Guide { guidance, requirements, kinds, random, is_narrowed, entries, best, kept })
    }

    /// Was something left out that would have led to a state not known then?
    pub fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }

    /// Forgets what was found, but not the order.
    pub fn restart(&mut self) {
        self.is_narrowed = false;
    }

    /// Puts what an expansion reached into order and drops what goes beyond the limits.
    pub fn arrange(
        &mut self,
        expansion: &mut Expansion,
        mut is_known: impl FnMut(&Expansion, &Reached) -> bool,
    ) {
        if expansion.reached.len() < 2 {
            return;
        }
        self.rank(expansion);
        self.kept.clear();
        let (mut processes, mut options) = (0, 0);
        let mut last = None;
        let limits = self.guidance;
        for entry in &self.entries {
            let reached = expansion.reached[entry.index as usize];
            if last != Some(entry.pid) {
                last = Some(entry.pid);
                processes += u32::from(options > 0);
                options = 0;
            }
            if limits.has_limits() && !is_known(expansion, &reached) {
                let is_beyond = |count: u32, limit: Option<u32>| limit.is_some_and(|limit| count >= limit);
                if is_beyond(processes, limits.processes_max) || is_beyond(options, limits.options_max) {
                    self.is_narrowed = true;
                    continue;
                }
                options += 1;
            }
            self.kept.push(reached);
        }
        expansion.reached.clear();
        expansion.reached.extend_from_slice(&self.kept);
    }

    /// Lists the successors in order: process by process, the steps of each together.
    fn rank(&mut self, expansion: &Expansion) {
        self.entries.clear();
        let drawn = self.draw();
        for (index, reached) in expansion.reached.iter().enumerate() {
            let step = expansion.first_step(reached);
            let rank = match self.guidance.priorities {
                true => (self.kind(step), self.distance(expansion.vector(reached))),
                false => (StepKind::Internal, 0),
            };
            let (process, option) = match self.guidance.order {
                // A younger process has a greater number.
                StepOrder::Listed => (u32::from(u8::MAX - step.pid), index as u32),
                StepOrder::Reversed => (u32::from(step.pid), u32::MAX - index as u32),
                StepOrder::Random(_) => {
                    let draw = |salt: u64| mixed(drawn ^ salt) as u32;
                    (draw(u64::from(step.pid) << 32), draw(index as u64))
                }
            };
            let (process, option) = ((rank, process), (rank, option));
            self.entries.push(Entry { process, pid: step.pid, option, index: index as u32 });
        }
        // One state may have tens of thousands of successors.
        let best = &mut self.best;
        self.entries.iter().for_each(|entry| best[usize::from(entry.pid)] = entry.option.0);
        for entry in &self.entries {
            let best = &mut best[usize::from(entry.pid)];
            *best = entry.option.0.min(*best);
        }
        self.entries.iter_mut().for_each(|entry| entry.process.0 = best[usize::from(entry.pid)]);
        self.entries.sort_unstable_by_key(|entry| (entry.process, entry.pid, entry.option, entry.index));
    }

    /// How near a state is to the violation of some requirement.
    fn distance(&self, vector: &[u8]) -> u32 {
        self.requirements.iter().map(|distance| distance.distance(vector)).min().unwrap_or(0)
    }

    /// A rendezvous is a receive: nothing is sent that stays in a channel.
    fn kind(&self, step: Step) -> StepKind {
        let kind = self.kinds.get(step.transition.index()).copied().unwrap_or(StepKind::Internal);
        if kind == StepKind::Send && step.partner.is_some() { StepKind::Receive } else { kind }
    }

    fn draw(&mut self) -> u64 {
        if let StepOrder::Random(_) = self.guidance.order {
            self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
        mixed(self.random)
    }
}

/// Spreads a number over all bits (the finaliser of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::{Block, BlockId, BlockNode, BlockStep, ProcId, Receive, Send, StateId};
    use panoptes_source::Span;

    #[test]
    fn what_a_step_is_about() {
        let channel = || Expr::Const(1);
        let receive = || {
            let (patterns, random, peek) = (Vec::new(), false, false);
            Action::Receive(Receive { channel: channel(), patterns, random, peek })
        };
        let send = || Action::Send(Send { channel: channel(), args: Vec::new(), sorted: false });
        let empty = || Guard::When(Expr::Channel(ChannelTest::Empty, Box::new(channel())));
        let mut model = Model::default();
        let step =
            |guard, action| BlockStep { guard, actions: vec![action], next: None, span: Span::default() };
        let steps = vec![step(Guard::Always, receive()), step(Guard::Always, send())];
        let nodes = vec![BlockNode { steps, span: Span::default() }];
        model.blocks.push(Block { nodes, entry: 0 });
        let kind = |guard, actions| {
            let transition = Transition {
                process: ProcId(0),
                from: StateId(0),
                to: Some(StateId(0)),
                guard,
                actions,
                keeps_control: false,
                escape: 0,
                text: String::new(),
                span: Span::default(),
            };
            StepKind::of(&model, &transition)
        };
        assert_eq!(kind(Guard::Always, vec![]), StepKind::Internal);
        assert_eq!(kind(Guard::Always, vec![receive()]), StepKind::Receive);
        assert_eq!(kind(Guard::Always, vec![send(), receive()]), StepKind::Send, "by what it begins with");
        assert_eq!(kind(Guard::When(Expr::Timeout), vec![receive()]), StepKind::Timeout);
        assert_eq!(kind(empty(), vec![]), StepKind::Timeout);
        assert_eq!(kind(Guard::Otherwise, vec![]), StepKind::Internal);
        assert_eq!(kind(Guard::Always, vec![Action::Block(BlockId(0))]), StepKind::Send, "the later kind");
    }
}
