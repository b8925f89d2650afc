//! The value of an expression. Nothing here changes the state: processes are created by actions.

use crate::working_state::{Outcome, Trouble, WorkingState, trouble};
use panoptes_exec::FaultKind;
use panoptes_model::{BinaryOp, Channel, ChannelTest, Expr, Pattern, Place, Receive, Region};

impl WorkingState<'_> {
    pub fn holds(&self, pid: usize, expr: &Expr) -> Outcome<bool> {
        Ok(self.eval(pid, expr)? != 0)
    }

    /// The value of `expr` for process `pid`.
    pub fn eval(&self, pid: usize, expr: &Expr) -> Outcome<i32> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => {
                let at = self.address(pid, place)?;
                self.read(at, place.ty)
            }
            Expr::Unary(op, operand) => op.apply(self.eval(pid, operand)?),
            Expr::Binary(op, left, right) => self.eval_binary(pid, *op, left, right)?,
            Expr::Cond(condition, then, otherwise) => {
                let chosen = if self.holds(pid, condition)? { then } else { otherwise };
                self.eval(pid, chosen)?
            }
            Expr::SelfPid => pid as i32,
            Expr::ProcessCount => self.process_count() as i32,
            Expr::LastPid => self.model.header.last.map_or(0, |at| i32::from(self.state[at as usize])),
            Expr::OwnChannel(index) => {
                let older: usize = (0..pid).map(|older| self.process(older).channels.len()).sum();
                (self.model.channels.len() + older) as i32 + *index as i32 + 1
            }
            Expr::PidOf(process) => {
                let found = (0..self.process_count()).find(|pid| self.process_id(*pid) == *process);
                found.map_or(-1, |pid| pid as i32)
            }
            Expr::Channel(test, channel) => {
                let number = self.eval(pid, channel)?;
                let found = self.channel(number)?;
                let len = self.channel_len(found);
                // A rendezvous channel has no slots, yet it is never full: a message only passes through.
                let full = len >= usize::from(found.1.capacity).max(1);
                match test {
                    ChannelTest::Len => len as i32,
                    ChannelTest::Empty => i32::from(len == 0),
                    ChannelTest::NotEmpty => i32::from(len != 0),
                    ChannelTest::Full => i32::from(full),
                    ChannelTest::NotFull => i32::from(!full),
                }
            }
            Expr::Poll(receive) => {
                let number = self.eval(pid, &receive.channel)?;
                let found = self.channel(number)?;
                if found.1.is_rendezvous() {
                    return trouble(FaultKind::BadChannel, "poll of a rendezvous channel");
                }
                i32::from(self.matching_slot(pid, receive, found)?.is_some())
            }
            Expr::Timeout => i32::from(self.timeout),
            Expr::NonProgress => {
                let at_progress = |pid| self.process(pid).states[self.control_state(pid).index()].progress;
                i32::from(!(0..self.process_count()).any(at_progress))
            }
            Expr::Enabled(other) => {
                let other = self.eval(pid, other)?;
                if other == pid as i32 {
                    return trouble(FaultKind::BadChannel, "a process asks whether it is itself enabled");
                }
                match usize::try_from(other) {
                    Ok(other) if other < self.process_count() => self.eval_enabled(other)?,
                    _ => 0,
                }
            }
            Expr::ControlPoint(other) => match self.living(pid, other)? {
                Some(other) => {
                    i32::from(self.process(other).states[self.control_state(other).index()].number)
                }
                None => 0,
            },
            Expr::Priority(other) => match self.living(pid, other)? {
                Some(other) => i32::from(self.priority(other)),
                None => 0,
            },
            Expr::AtState { pid: other, state, .. } => match self.living(pid, other)? {
                Some(other) => {
                    i32::from(self.process(other).states[self.control_state(other).index()].number == *state)
                }
                None => 0,
            },
            Expr::Remote { process, pid: other, place } => match self.living(pid, other)? {
                Some(other) if self.process_id(other) == *process => {
                    let at = self.address_with(pid, place, self.frames[other] as usize)?;
                    self.read(at, place.ty)
                }
                _ => 0,
            },
            Expr::Spawn(_) => return Err(Box::new(Trouble::spawns())),
        })
    }

    /// Whether `other` can move. A chain of such questions that is longer than there are processes is a circle.
    fn eval_enabled(&self, other: usize) -> Outcome<i32> {
        if self.questions.get() > self.process_count() {
            return trouble(FaultKind::BadChannel, "processes ask each other whether they are enabled");
        }
        self.questions.set(self.questions.get() + 1);
        let enabled = self.can_move(other);
        self.questions.set(self.questions.get() - 1);
        Ok(i32::from(enabled?))
    }

    fn eval_binary(&self, pid: usize, op: BinaryOp, left: &Expr, right: &Expr) -> Outcome<i32> {
        let a = self.eval(pid, left)?;
        match op {
            BinaryOp::And => return Ok(i32::from(a != 0 && self.holds(pid, right)?)),
            BinaryOp::Or => return Ok(i32::from(a != 0 || self.holds(pid, right)?)),
            _ => {}
        }
        let b = self.eval(pid, right)?;
        match op.apply(a, b) {
            Some(value) => Ok(value),
            None => trouble(FaultKind::DivisionByZero, "division by zero"),
        }
    }

    /// The living process whose number `expr` gives.
    fn living(&self, pid: usize, expr: &Expr) -> Outcome<Option<usize>> {
        let number = self.eval(pid, expr)?;
        Ok(usize::try_from(number).ok().filter(|n| *n < self.process_count()))
    }

    /// Where a place is in the vector, for process `pid`.
    pub fn address(&self, pid: usize, place: &Place) -> Outcome<usize> {
        let base = match place.region {
            Region::Global => 0,
            Region::Local => self.frames[pid] as usize,
        };
        self.address_with(pid, place, base)
    }

    pub fn address_with(&self, pid: usize, place: &Place, base: usize) -> Outcome<usize> {
        let mut at = base + place.offset as usize;
        for term in &place.indices {
            let index = self.eval(pid, &term.index)?;
            if index < 0 || index as u32 >= term.len {
                let (name, len) = (place.name.replace("[]", ""), term.len);
                let message = format!("index {index} is outside `{name}`, which has {len} elements");
                return trouble(FaultKind::IndexOutOfRange, message);
            }
            at += index as usize * term.stride as usize;
        }
        Ok(at)
    }

    /// The slot that a receive would take its message from.
    pub fn matching_slot(
        &self,
        pid: usize,
        receive: &Receive,
        channel: (usize, &Channel),
    ) -> Outcome<Option<usize>> {
        let len = self.channel_len(channel);
        let candidates = if receive.random { len } else { len.min(1) };
        if candidates > 0 && receive.patterns.len() > channel.1.fields.len() {
            return wrong_field_count(receive.patterns.len(), channel.1.fields.len());
        }
        for slot in 0..candidates {
            if self.fits(pid, &receive.patterns, |field| self.message_field(channel, slot, field))? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Does a message with those fields fit the patterns?
    pub fn fits(&self, pid: usize, patterns: &[Pattern], message: impl Fn(usize) -> i32) -> Outcome<bool> {
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern
                && self.eval(pid, expected)? != message(field)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(crate) fn wrong_field_count<T>(given: usize, fields: usize) -> Outcome<T> {
    let plural = if given == 1 { "" } else { "s" };
    let message = format!("{given} field{plural} given, but the channel's messages have {fields}");
    trouble(FaultKind::FieldCount, message)
}
