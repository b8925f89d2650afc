//! A look at a state vector: where its processes stand, what expressions say, and who can move. Nothing is changed.
//!
//! An estimate may be wrong, so an expression without a value (a division by zero, a bad subscript) is no error here: it has none.

use panoptes_model::{
    Action, BinaryOp, Channel, ChannelTest, ControlState, Expr, FrameLayout, Guard, Model, Pattern, Place,
    ProcId, Process, Receive, Region, Send, StateId, Transition,
};

/// Where the frames of a vector start. Kept from state to state, so that nothing is allocated.
#[derive(Default)]
pub(crate) struct Frames {
    starts: Vec<u32>,
}

impl Frames {
    pub fn look<'l>(&'l mut self, model: &'l Model, vector: &'l [u8]) -> Look<'l> {
        self.starts.clear();
        let mut at = model.header.frames;
        for _ in 0..vector[model.header.process_count()] {
            self.starts.push(at);
            at += model.processes[vector[at as usize + FrameLayout::TYPE] as usize].frame.bytes;
        }
        Look { model, vector, frames: &self.starts }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Look<'l> {
    pub model: &'l Model,
    vector: &'l [u8],
    frames: &'l [u32],
}

impl<'l> Look<'l> {
    #[inline]
    pub fn process_count(&self) -> usize {
        self.frames.len()
    }

    /// Where the frame of a process starts.
    #[inline]
    pub fn frame_start(&self, pid: usize) -> usize {
        self.frames[pid] as usize
    }

    /// The bytes of a process's frame, and what follows.
    #[inline]
    pub fn frame(&self, pid: usize) -> &'l [u8] {
        &self.vector[self.frames[pid] as usize..]
    }

    #[inline]
    pub fn process_id(&self, pid: usize) -> ProcId {
        ProcId(u32::from(self.vector[self.frames[pid] as usize + FrameLayout::TYPE]))
    }

    #[inline]
    pub fn process(&self, pid: usize) -> &'l Process {
        self.model.process(self.process_id(pid))
    }

    #[inline]
    pub fn state(&self, pid: usize) -> StateId {
        self.process(pid).frame.state(&self.vector[self.frames[pid] as usize..])
    }

    fn control(&self, pid: usize) -> Option<&'l ControlState> {
        self.process(pid).states.get(self.state(pid).index())
    }

    /// The value of an expression for a process.
    pub fn eval(&self, pid: usize, expr: &Expr) -> Option<i32> {
        Some(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => {
                let base = match place.region {
                    Region::Global => 0,
                    Region::Local => *self.frames.get(pid)? as usize,
                };
                self.load(pid, place, base)?
            }
            Expr::Unary(op, operand) => op.apply(self.eval(pid, operand)?),
            Expr::Binary(op, left, right) => {
                let a = self.eval(pid, left)?;
                match op {
                    BinaryOp::And if a == 0 => 0,
                    BinaryOp::Or if a != 0 => 1,
                    _ => op.apply(a, self.eval(pid, right)?)?,
                }
            }
            Expr::Cond(condition, then, otherwise) => {
                let chosen = if self.eval(pid, condition)? != 0 { then } else { otherwise };
                self.eval(pid, chosen)?
            }
            Expr::SelfPid => pid as i32,
            Expr::ProcessCount => self.process_count() as i32,
            Expr::LastPid => self.model.header.last.map_or(0, |at| i32::from(self.vector[at as usize])),
            Expr::OwnChannel(index) => {
                let older: usize = (0..pid).map(|older| self.process(older).channels.len()).sum();
                (self.model.channels.len() + older) as i32 + *index as i32 + 1
            }
            Expr::PidOf(process) => {
                let found = (0..self.process_count()).find(|pid| self.process_id(*pid) == *process);
                found.map_or(-1, |pid| pid as i32)
            }
            Expr::Channel(test, channel) => {
                let queue = self.queue(pid, channel)?;
                let full = queue.len >= queue.capacity().max(1);
                match test {
                    ChannelTest::Len => queue.len as i32,
                    ChannelTest::Empty => i32::from(queue.len == 0),
                    ChannelTest::NotEmpty => i32::from(queue.len != 0),
                    ChannelTest::Full => i32::from(full),
                    ChannelTest::NotFull => i32::from(!full),
                }
            }
            Expr::Poll(receive) => i32::from(self.slot(pid, receive)?.is_some()),
            // Whether it comes to that depends on all the others; it is a last resort in any case.
            Expr::Timeout => 0,
            Expr::NonProgress => {
                let at_progress = |pid| self.control(pid).is_some_and(|state| state.progress);
                i32::from(!(0..self.process_count()).any(at_progress))
            }
            Expr::Enabled(other) => match self.living(pid, other)? {
                Some(other) if other != pid => i32::from(self.can_move(other)),
                _ => 0,
            },
            Expr::ControlPoint(other) => match self.living(pid, other)? {
                Some(other) => i32::from(self.control(other)?.number),
                None => 0,
            },
            Expr::Priority(other) => match self.living(pid, other)? {
                Some(other) => {
                    let frame = &self.vector[self.frames[other] as usize..];
                    i32::from(self.process(other).frame.priority(frame))
                }
                None => 0,
            },
            Expr::AtState { pid: other, state, .. } => match self.living(pid, other)? {
                Some(other) => i32::from(self.control(other)?.number == *state),
                None => 0,
            },
            Expr::Remote { process, pid: other, place } => match self.living(pid, other)? {
                Some(other) if self.process_id(other) == *process => {
                    self.load(pid, place, self.frames[other] as usize)?
                }
                _ => 0,
            },
            Expr::Spawn(_) => return None,
        })
    }

    /// Does the condition hold? Not if it has no value.
    pub fn holds(&self, pid: usize, condition: &Expr) -> bool {
        self.eval(pid, condition).is_some_and(|value| value != 0)
    }

    /// The living process whose number an expression gives.
    pub fn living(&self, pid: usize, expr: &Expr) -> Option<Option<usize>> {
        let number = self.eval(pid, expr)?;
        Some(usize::try_from(number).ok().filter(|number| *number < self.process_count()))
    }

    fn load(&self, pid: usize, place: &Place, base: usize) -> Option<i32> {
        let mut at = base + place.offset as usize;
        for term in &place.indices {
            let index = u32::try_from(self.eval(pid, &term.index)?).ok().filter(|index| *index < term.len)?;
            at += index as usize * term.stride as usize;
        }
        Some(place.ty.read(&self.vector[at..]))
    }

    /// The channel whose number an expression gives, and what is in it.
    pub fn queue(&self, pid: usize, channel: &Expr) -> Option<Queue<'l>> {
        self.queue_numbered(self.eval(pid, channel)?)
    }

    /// The channel with that number, and what is in it.
    pub fn queue_numbered(&self, number: i32) -> Option<Queue<'l>> {
        let mut index = usize::try_from(number).ok()?.checked_sub(1)?;
        if let Some(channel) = self.model.channels.get(index) {
            return Some(self.queue_at(channel, 0));
        }
        index -= self.model.channels.len();
        for (owner, start) in self.frames.iter().enumerate() {
            let channels = &self.process(owner).channels;
            if let Some(channel) = channels.get(index) {
                return Some(self.queue_at(channel, *start as usize));
            }
            index -= channels.len();
        }
        None
    }

    fn queue_at(&self, channel: &'l Channel, base: usize) -> Queue<'l> {
        let bytes = &self.vector[base + channel.offset as usize..];
        if channel.is_rendezvous() {
            return Queue { channel, len: 0, bytes };
        }
        let len_type = channel.len_type();
        Queue { channel, len: len_type.read(bytes) as usize, bytes: &bytes[len_type.bytes()..] }
    }

    /// How many messages all channels hold.
    pub fn message_count(&self) -> u32 {
        let global: usize = self.model.channels.iter().map(|channel| self.queue_at(channel, 0).len).sum();
        let mut own = 0;
        for (owner, start) in self.frames.iter().enumerate() {
            let channels = &self.process(owner).channels;
            own += channels.iter().map(|channel| self.queue_at(channel, *start as usize).len).sum::<usize>();
        }
        (global + own) as u32
    }

    /// Which message a receive would take, if there is one that fits; none if the receive has no meaning.
    pub fn slot(&self, pid: usize, receive: &Receive) -> Option<Option<usize>> {
        let queue = self.queue(pid, &receive.channel)?;
        let candidates = if receive.random { queue.len } else { queue.len.min(1) };
        Some((0..candidates).find(|slot| self.fits(pid, receive, &queue, *slot)))
    }

    /// Does a message of the queue fit the patterns of a receive?
    pub fn fits(&self, pid: usize, receive: &Receive, queue: &Queue<'_>, slot: usize) -> bool {
        let is_met = |(field, pattern): (usize, &Pattern)| match pattern {
            Pattern::Match(expected) => self.eval(pid, expected) == queue.field(slot, field),
            Pattern::Any | Pattern::Bind(_) => true,
        };
        receive.patterns.iter().enumerate().all(is_met)
    }

    /// Can the process make a step? (In a rendezvous it is the sender's.)
    pub fn can_move(&self, pid: usize) -> bool {
        if let Some(provided) = &self.process(pid).provided
            && !self.holds(pid, provided)
        {
            return false;
        }
        let Some(control) = self.control(pid) else { return false };
        control.transitions.iter().any(|id| self.is_possible(pid, self.model.transition(*id)))
    }

    /// Can the process take this step? `else` is asked last, when nothing before it is possible.
    pub fn is_possible(&self, pid: usize, transition: &Transition) -> bool {
        self.guard_holds(pid, &transition.guard) && self.are_possible(pid, &transition.actions)
    }

    pub fn guard_holds(&self, pid: usize, guard: &Guard) -> bool {
        match guard {
            Guard::Always | Guard::Otherwise => true,
            Guard::When(condition) => self.holds(pid, condition),
        }
    }

    fn are_possible(&self, pid: usize, actions: &[Action]) -> bool {
        match actions.first() {
            Some(Action::Send(send)) => match self.queue(pid, &send.channel) {
                Some(queue) if queue.channel.is_rendezvous() => self.has_partner(pid, send),
                Some(queue) => queue.len < queue.capacity(),
                None => false,
            },
            Some(Action::Receive(receive)) => self.slot(pid, receive).is_some_and(|slot| slot.is_some()),
            Some(Action::Exit) => pid + 1 == self.process_count(),
            Some(Action::Block(id)) => {
                let block = self.model.block(*id);
                let steps = &block.nodes[block.entry as usize].steps;
                steps
                    .iter()
                    .any(|step| self.guard_holds(pid, &step.guard) && self.are_possible(pid, &step.actions))
            }
            _ => true,
        }
    }

    /// Does another process stand ready to take what this one offers?
    pub fn has_partner(&self, pid: usize, send: &Send) -> bool {
        let Some(number) = self.eval(pid, &send.channel) else { return false };
        (0..self.process_count()).filter(|other| *other != pid).any(|other| {
            let control = self.control(other);
            control.into_iter().flat_map(|control| &control.transitions).any(|id| {
                let transition = self.model.transition(*id);
                let takes = |actions: &[Action]| match actions.first() {
                    Some(Action::Receive(receive)) => {
                        self.eval(other, &receive.channel) == Some(number)
                            && self.agree(pid, send, other, &receive.patterns)
                    }
                    _ => false,
                };
                self.guard_holds(other, &transition.guard)
                    && match transition.actions.first() {
                        Some(Action::Block(id)) => {
                            let block = self.model.block(*id);
                            let steps = &block.nodes[block.entry as usize].steps;
                            steps.iter().any(|step| takes(&step.actions))
                        }
                        _ => takes(&transition.actions),
                    }
            })
        })
    }

    pub fn agree(&self, pid: usize, send: &Send, other: usize, patterns: &[Pattern]) -> bool {
        patterns.iter().zip(&send.args).all(|(pattern, value)| match pattern {
            Pattern::Match(expected) => self.eval(other, expected) == self.eval(pid, value),
            Pattern::Any | Pattern::Bind(_) => true,
        })
    }
}

/// A channel and the messages in it.
pub(crate) struct Queue<'q> {
    pub channel: &'q Channel,
    pub len: usize,
    /// The messages, and what follows.
    bytes: &'q [u8],
}

impl Queue<'_> {
    pub fn capacity(&self) -> usize {
        usize::from(self.channel.capacity)
    }

    fn field(&self, slot: usize, field: usize) -> Option<i32> {
        let ty = self.channel.fields.get(field)?;
        let before: usize = self.channel.fields[..field].iter().map(|field| field.bytes()).sum();
        Some(ty.read(&self.bytes[slot * self.channel.message_bytes() + before..]))
    }
}
