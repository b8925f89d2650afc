//! Why processes wait: what keeps each step that a process could go on with from being taken.

use crate::working_state::{Outcome, WorkingState};
use panoptes_exec::{Blocked, BlockedBy, Waiting};
use panoptes_model::{
    Action, BinaryOp, Channel, ChannelTest, Display, Expr, ExprText, Guard, Place, Receive, Region, Send,
    StateView, TransId,
};

/// More values of one condition than this are not listed.
const VALUES_MAX: usize = 8;

/// A reason, and of which kind it is.
type Why = (String, BlockedBy);

impl<'m> WorkingState<'m> {
    /// Of each process of the loaded vector, in which nothing can move.
    pub fn waiting(&mut self) -> Vec<Waiting> {
        // Where nothing can move, timeouts hold.
        self.timeout = true;
        let all = (0..self.process_count()).map(|pid| self.waiting_of(pid)).collect();
        self.timeout = false;
        all
    }

    fn waiting_of(&self, pid: usize) -> Waiting {
        let step = |id: &TransId| {
            let rule = self.model.transition(*id);
            let (why, kind) = self
                .why_not(pid, &rule.guard, &rule.actions)
                .unwrap_or_else(|trouble| (trouble.message, BlockedBy::Other));
            Blocked { transition: *id, why, kind }
        };
        let steps = self.process(pid).states[self.control_state(pid).index()].transitions.iter().map(step);
        Waiting { pid: pid as u8, held: self.held(pid), steps: steps.collect() }
    }

    /// What keeps the process from moving, whatever its steps are.
    fn held(&self, pid: usize) -> Option<String> {
        if let Some(condition) = &self.process(pid).provided
            && !self.holds(pid, condition).unwrap_or(true)
        {
            let text = ExprText::in_model(condition, self.model);
            let values = self.values(pid, condition);
            return Some(format!("its provided clause `{text}` is false{}", behind_colon(&values)));
        }
        if !self.model.uses_priorities {
            return None;
        }
        let goes_first = |other: &usize| {
            self.priority(*other) > self.priority(pid) && self.can_move(*other).unwrap_or(false)
        };
        let first = (0..self.process_count()).find(goes_first)?;
        Some(format!("{} has a higher priority", self.name(first)))
    }

    fn why_not(&self, pid: usize, guard: &Guard, actions: &'m [Action]) -> Outcome<Why> {
        if let Guard::When(condition) = guard
            && !self.holds(pid, condition)?
        {
            return self.why_false(pid, condition);
        }
        Ok(match actions.first() {
            Some(Action::Send(send)) => self.why_no_send(pid, send)?,
            Some(Action::Receive(receive)) => self.why_no_receive(pid, receive)?,
            Some(Action::Exit) => {
                let younger: Vec<String> =
                    (pid + 1..self.process_count()).map(|other| self.name(other)).collect();
                (format!("it can end only after {}", listed(&younger)), BlockedBy::Younger)
            }
            Some(Action::Block(id)) => {
                let block = self.model.block(*id);
                let mut reasons = Vec::new();
                for step in &block.nodes[block.entry as usize].steps {
                    reasons.push(self.why_not(pid, &step.guard, &step.actions)?);
                }
                let kind = reasons.first().map_or(BlockedBy::Other, |(_, kind)| *kind);
                let texts: Vec<String> = reasons.into_iter().map(|(text, _)| text).collect();
                (texts.join("; "), kind)
            }
            _ => ("it is not possible here".to_string(), BlockedBy::Other),
        })
    }

    /// Of several conditions that must hold together, the first that does not.
    fn why_false(&self, pid: usize, condition: &Expr) -> Outcome<Why> {
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let mut wrong = condition;
        for part in &parts {
            if !self.holds(pid, part)? {
                wrong = part;
                break;
            }
        }
        if let Expr::Channel(test @ (ChannelTest::NotEmpty | ChannelTest::NotFull), number) = wrong {
            let number = self.eval(pid, number)?;
            let found = self.channel(number)?;
            return Ok(match test {
                ChannelTest::NotEmpty => (self.empty(number), BlockedBy::NoMessage),
                _ => (self.full(number, found), BlockedBy::Other),
            });
        }
        let values = self.values(pid, wrong);
        let text = match (parts.len(), values.is_empty()) {
            (1, true) => "it is false".to_string(),
            (1, false) => values,
            _ => format!("`{}` is false{}", ExprText::in_model(wrong, self.model), behind_colon(&values)),
        };
        Ok((text, BlockedBy::Other))
    }

    fn why_no_send(&self, pid: usize, send: &Send) -> Outcome<Why> {
        let number = self.eval(pid, &send.channel)?;
        let found = self.channel(number)?;
        let text = if found.1.is_rendezvous() {
            let channel = self.channel_name(number);
            match &self.ready(pid, number, false)[..] {
                [] => format!("no process is ready to receive from {channel}"),
                others => format!("{} receives from {channel}, but no such message", listed(others)),
            }
        } else {
            self.full(number, found)
        };
        Ok((text, BlockedBy::Other))
    }

    fn why_no_receive(&self, pid: usize, receive: &Receive) -> Outcome<Why> {
        let number = self.eval(pid, &receive.channel)?;
        let found = self.channel(number)?;
        let channel = self.channel_name(number);
        if found.1.is_rendezvous() {
            return Ok(match &self.ready(pid, number, true)[..] {
                [] => (format!("no process is ready to send to {channel}"), BlockedBy::NoMessage),
                others => {
                    let text = format!("{} sends to {channel}, but another message", listed(others));
                    (text, BlockedBy::Other)
                }
            });
        }
        let text = match self.channel_len(found) {
            0 => return Ok((self.empty(number), BlockedBy::NoMessage)),
            1 => format!("channel {channel} holds {}, which does not match", self.message_text(found, 0)),
            len if receive.random => format!("none of the {len} messages in channel {channel} matches"),
            _ => format!(
                "the oldest message in channel {channel} is {}, which does not match",
                self.message_text(found, 0)
            ),
        };
        Ok((text, BlockedBy::Other))
    }

    fn empty(&self, number: i32) -> String {
        format!("channel {} is empty", self.channel_name(number))
    }

    fn full(&self, number: i32, found: (usize, &Channel)) -> String {
        let messages = if found.1.capacity == 1 { "message" } else { "messages" };
        format!("channel {} is full ({} {messages})", self.channel_name(number), self.channel_len(found))
    }

    /// The other processes that stand ready for a rendezvous on a channel: to send, or to receive.
    fn ready(&self, pid: usize, number: i32, sends: bool) -> Vec<String> {
        let uses = |other: usize, action: &Action| {
            let channel = match action {
                Action::Send(send) if sends => &send.channel,
                Action::Receive(receive) if !sends => &receive.channel,
                _ => return false,
            };
            self.eval(other, channel).is_ok_and(|used| used == number)
        };
        let is_ready = |other: &usize| {
            let control = &self.process(*other).states[self.control_state(*other).index()];
            let first = |id: &TransId| self.model.transition(*id).actions.first();
            control.transitions.iter().filter_map(first).any(|action| uses(*other, action))
        };
        let others = (0..self.process_count()).filter(|other| *other != pid);
        others.filter(is_ready).map(|other| self.name(other)).collect()
    }

    fn name(&self, pid: usize) -> String {
        format!("{}[{pid}]", self.process(pid).name)
    }

    fn channel_name(&self, number: i32) -> String {
        let view = StateView::new(self.model, &self.state).ok();
        let found = view.as_ref().and_then(|view| view.channel(number));
        found.map_or_else(|| format!("number {number}"), |channel| channel.name())
    }

    fn message_text(&self, found: (usize, &Channel), slot: usize) -> String {
        let channel = found.1;
        let field = |index: usize| {
            let display = channel.displays.get(index).copied().unwrap_or(Display::Int);
            self.rendered(display, self.message_field(found, slot, index))
        };
        let is_alone = match channel.displays.first() {
            Some(Display::Enum(set)) => {
                self.model.enumerations[set.index()].alone.contains(&self.message_field(found, slot, 0))
            }
            _ => false,
        };
        let count = if is_alone { 1 } else { channel.fields.len() };
        match count {
            1 => field(0),
            _ => format!("({})", (0..count).map(field).collect::<Vec<_>>().join(",")),
        }
    }

    fn rendered(&self, display: Display, value: i32) -> String {
        match StateView::new(self.model, &self.state) {
            Ok(view) => view.render(display, value),
            Err(_) => value.to_string(),
        }
    }

    /// What a condition reads: `x = 1, len(q) = 2`.
    fn values(&self, pid: usize, condition: &Expr) -> String {
        let mut shown: Vec<String> = Vec::new();
        condition.walk(&mut |part| {
            let text = match part {
                Expr::Load(place) => self.value_of(pid, pid, place, ""),
                Expr::Remote { process, pid: other, place } => self.remote_value(pid, *process, other, place),
                Expr::Channel(ChannelTest::Len, number) => self
                    .eval(pid, number)
                    .ok()
                    .zip(self.eval(pid, part).ok())
                    .map(|(number, len)| format!("len({}) = {len}", self.channel_name(number))),
                Expr::ProcessCount => Some(format!("_nr_pr = {}", self.process_count())),
                _ => None,
            };
            if let Some(text) = text.filter(|text| !shown.contains(text)) {
                shown.push(text);
            }
        });
        let more = shown.len().saturating_sub(VALUES_MAX);
        shown.truncate(VALUES_MAX);
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }

    fn remote_value(
        &self,
        pid: usize,
        process: panoptes_model::ProcId,
        other: &Expr,
        place: &Place,
    ) -> Option<String> {
        let other = usize::try_from(self.eval(pid, other).ok()?).ok()?;
        let is_there = other < self.process_count() && self.process_id(other) == process;
        is_there.then(|| self.value_of(pid, other, place, &format!("{}:", self.name(other))))?
    }

    /// A place in the frame of `owner` (or a global one) with its value; `pid` reads it.
    fn value_of(&self, pid: usize, owner: usize, place: &Place, prefix: &str) -> Option<String> {
        let view = StateView::new(self.model, &self.state).ok()?;
        let offset = self.address_with(pid, place, 0).ok()?;
        let of = (place.region == Region::Local).then_some(owner as u8);
        let found = view.variable_at(of, offset)?;
        // That a channel variable means its channel is no news.
        if found.display == Display::Channel {
            return None;
        }
        let own = format!("{}.", self.name(owner));
        let name = found.name.strip_prefix(&own).unwrap_or(&found.name);
        Some(format!("{prefix}{name} = {}", view.render(found.display, found.value)))
    }
}

fn conjuncts<'e>(condition: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        other => parts.push(other),
    }
}

fn behind_colon(values: &str) -> String {
    if values.is_empty() { String::new() } else { format!(": {values}") }
}

fn listed(names: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let more = names.len().saturating_sub(NAMED_MAX);
    let named = names[..names.len() - more].join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}
