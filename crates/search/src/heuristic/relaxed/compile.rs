//! From the expressions of the model to expressions over facts, for the processes that live.

use super::fact::{Fact, SlotId};
use super::ground::{Builder, Instance};
use super::values::Values;
use panoptes_model::{
    Action, BinaryOp, ChannelTest, Expr, Guard, Pattern, Place, ProcId, Receive, Region, Transition,
};

/// A subscript with more values is not followed.
const CELLS_MAX: u32 = 64;

/// With more channels, one that is not known beforehand is not followed.
pub(super) const CHANNELS_MAX: usize = 60;

/// The cells that a place may be.
pub(super) enum Cells {
    One(SlotId),
    /// The one whose number the fact gives.
    Some(Fact, Vec<(i32, SlotId)>),
}

impl Builder<'_, '_> {
    pub fn expr(&mut self, at: usize, expr: &Expr) -> Fact {
        match expr {
            Expr::Const(value) => Fact::Const(*value),
            Expr::Load(place) => self.load(at, place),
            Expr::Unary(op, operand) => match self.expr(at, operand) {
                Fact::Const(value) => Fact::Const(op.apply(value)),
                operand => Fact::Unary(*op, Box::new(operand)).tabulated(),
            },
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(at, left), self.expr(at, right));
                match (&left, &right) {
                    (Fact::Const(a), Fact::Const(b)) => op.apply(*a, *b).map_or(Fact::Unknown, Fact::Const),
                    _ => Fact::binary(*op, left, right).tabulated(),
                }
            }
            Expr::Cond(condition, then, otherwise) => Fact::Cond(
                Box::new(self.expr(at, condition)),
                Box::new(self.expr(at, then)),
                Box::new(self.expr(at, otherwise)),
            ),
            Expr::SelfPid => Fact::Const(at as i32),
            Expr::ProcessCount => Fact::Const(self.living as i32),
            Expr::OwnChannel(index) => {
                Fact::Const((self.instances[at].first_channel + *index as usize) as i32 + 1)
            }
            Expr::PidOf(process) => {
                let is_one = |instance: &Instance| instance.process == *process;
                let found = self.instances[..self.living].iter().position(is_one);
                Fact::Const(found.map_or(-1, |pid| pid as i32))
            }
            Expr::Channel(test, channel) => self.over_channels(at, channel, &mut |builder, index| {
                let channel = &builder.channels[index];
                let (level, capacity) = (channel.level, channel.capacity.max(1));
                match test {
                    _ if channel.is_rendezvous() => {
                        Fact::Const(i32::from(matches!(test, ChannelTest::Empty | ChannelTest::NotFull)))
                    }
                    ChannelTest::Len => Fact::Slot(level),
                    ChannelTest::Empty => Fact::compare(level, BinaryOp::Eq, 0),
                    ChannelTest::NotEmpty => Fact::compare(level, BinaryOp::Ne, 0),
                    ChannelTest::Full => Fact::compare(level, BinaryOp::Ge, capacity),
                    ChannelTest::NotFull => Fact::compare(level, BinaryOp::Lt, capacity),
                }
            }),
            Expr::Poll(receive) => self.receivable(at, receive),
            Expr::AtState { process, pid, state, .. } => {
                let Some(other) = self.instance(at, pid, *process) else { return Fact::Const(0) };
                let Some(other) = other else { return Fact::Unknown };
                let instance = &self.instances[other];
                let states = &self.model.process(*process).states;
                let is_there = |index: &u32| states[*index as usize].number == *state;
                let states = (0..states.len() as u32).filter(is_there).collect();
                Fact::At { first: instance.first_place, states, count: instance.places }
            }
            Expr::Remote { process, pid, place } => match self.instance(at, pid, *process) {
                Some(Some(other)) => self.load(other, place),
                Some(None) => Fact::Unknown,
                None => Fact::Const(0),
            },
            Expr::LastPid
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::ControlPoint(_)
            | Expr::Priority(_)
            | Expr::Spawn(_) => Fact::Unknown,
        }
    }

    /// The instance of a type whose number an expression gives; none if there is none, and an unknown one if the number is not known.
    fn instance(&mut self, at: usize, pid: &Expr, process: ProcId) -> Option<Option<usize>> {
        let Fact::Const(pid) = self.expr(at, pid) else { return Some(None) };
        let is_one = |index: &usize| self.instances[*index].process == process;
        let living = usize::try_from(pid).ok().filter(|pid| *pid < self.living).filter(is_one);
        let unborn = || (self.living..self.instances.len()).find(is_one);
        living.or_else(unborn).map(Some)
    }

    fn load(&mut self, at: usize, place: &Place) -> Fact {
        if place.region == Region::Local
            && place.indices.is_empty()
            && let Some((.., value)) =
                self.constants.iter().find(|(owner, offset, _)| (*owner, *offset) == (at, place.offset))
        {
            return Fact::Const(*value);
        }
        let cells = self.cells(at, place);
        let of_slot = |slot: SlotId| {
            let offset = self.slots[slot as usize].offset.filter(|_| place.region == Region::Global);
            let constant = offset.and_then(|offset| self.globals.get(&offset));
            constant.map_or(Fact::Slot(slot), |value| Fact::Const(*value))
        };
        match cells {
            Some(Cells::One(slot)) => of_slot(slot),
            Some(Cells::Some(index, cells)) => {
                let cells = cells.into_iter().map(|(number, slot)| (number, of_slot(slot)));
                Fact::Pick(Box::new(index), cells.collect()).tabulated()
            }
            None => Fact::Unknown,
        }
    }

    /// Which slots a place may be; none if they are too many.
    pub fn cells(&mut self, at: usize, place: &Place) -> Option<Cells> {
        let mut offsets = vec![(0, place.offset)];
        let mut index = None;
        for term in &place.indices {
            match self.expr(at, &term.index) {
                Fact::Const(value) => {
                    let value = u32::try_from(value).ok().filter(|value| *value < term.len)?;
                    offsets.iter_mut().for_each(|(_, offset)| *offset += value * term.stride);
                }
                fact => {
                    if offsets.len() as u32 * term.len > CELLS_MAX {
                        return None;
                    }
                    // With two subscripts that are not known, any cell may be meant.
                    index = if index.is_none() { Some(fact) } else { Some(Fact::Unknown) };
                    let old = std::mem::take(&mut offsets);
                    for (number, offset) in old {
                        let cell = |value: u32| ((number * term.len + value), offset + value * term.stride);
                        offsets.extend((0..term.len).map(cell));
                    }
                }
            }
        }
        let mut slots = Vec::new();
        for (number, offset) in offsets {
            slots.push((number as i32, self.slot(at, place.region, offset, place.ty)));
        }
        match index {
            None => Some(Cells::One(slots[0].1)),
            Some(index) => Some(Cells::Some(index, slots)),
        }
    }

    fn slot(&mut self, at: usize, region: Region, offset: u32, ty: panoptes_model::ScalarType) -> SlotId {
        match region {
            Region::Global => self.variable(None, offset, ty),
            Region::Local => self.variable(Some(at), offset, ty),
        }
    }

    /// A fact about the channel whose number an expression gives.
    pub fn over_channels(
        &mut self,
        at: usize,
        channel: &Expr,
        of: &mut dyn FnMut(&mut Self, usize) -> Fact,
    ) -> Fact {
        match self.expr(at, channel) {
            Fact::Const(number) => match self.channel(number) {
                Some(index) => of(self, index),
                None => Fact::Const(0),
            },
            _ if self.channels.len() > CHANNELS_MAX => Fact::Unknown,
            number => {
                let meant = number.possible();
                let indices = (0..self.channels.len()).filter(|index| meant.has(*index as i32 + 1));
                let options = indices.map(|index| (index as i32 + 1, of(self, index))).collect();
                Fact::Pick(Box::new(number), options)
            }
        }
    }

    pub fn channel(&self, number: i32) -> Option<usize> {
        usize::try_from(number).ok()?.checked_sub(1).filter(|index| *index < self.channels.len())
    }

    /// That there is a message that fits; in a rendezvous, that one is offered.
    pub fn receivable(&mut self, at: usize, receive: &Receive) -> Fact {
        self.over_channels(at, &receive.channel, &mut |builder, index| {
            let mut parts = vec![Fact::compare(builder.channels[index].level, BinaryOp::Ge, 1)];
            if receive.patterns.len() > builder.channels[index].fields.len() {
                return Fact::Const(0);
            }
            for (field, pattern) in receive.patterns.iter().enumerate() {
                if let Pattern::Match(expected) = pattern {
                    let slot = builder.channels[index].fields[field];
                    let expected = builder.expr(at, expected);
                    parts.push(match expected {
                        Fact::Const(value) => Fact::within(slot, Values::only(value)),
                        expected => Fact::binary(BinaryOp::Eq, Fact::Slot(slot), expected),
                    });
                }
            }
            Fact::all(parts)
        })
    }

    /// That a step cannot be taken by a process that stands before it.
    pub fn impossible(&mut self, at: usize, rule: &Transition) -> Fact {
        let mut ways = Vec::new();
        if let Guard::When(condition) = &rule.guard {
            ways.push(self.expr(at, condition).not().tabulated());
        }
        match rule.actions.first() {
            Some(Action::Send(send)) => {
                ways.push(self.over_channels(at, &send.channel, &mut |builder, index| {
                    let channel = &builder.channels[index];
                    match channel.is_rendezvous() {
                        true => Fact::Unknown,
                        false => Fact::compare(channel.level, BinaryOp::Ge, channel.capacity),
                    }
                }))
            }
            Some(Action::Receive(receive)) => {
                let fits = self.receivable(at, receive);
                let channel = self.over_channels(at, &receive.channel, &mut |builder, index| match builder
                    .channels[index]
                    .is_rendezvous()
                {
                    true => Fact::Unknown,
                    false => fits.clone().not(),
                });
                ways.push(channel);
            }
            Some(Action::Exit | Action::Block(_)) => ways.push(Fact::Unknown),
            _ => {}
        }
        match ways.len() {
            0 => Fact::Const(0),
            1 => ways.remove(0),
            _ => Fact::Any(ways),
        }
    }
}
