//! What actions do to the working vector.

use crate::block::Length;
use crate::eval::wrong_field_count;
use crate::working_state::{Outcome, Trouble, WorkingState, message_at, trouble};
use panoptes_exec::{Event, Fault, FaultKind};
use panoptes_model::{
    Action, BinaryOp, Block, BlockNode, BlockStep, Display, EnumId, Expr, Guard, Pattern, Process, Receive,
    Region, Send, Sense, Variable,
};
use panoptes_source::Span;

impl<'m> WorkingState<'m> {
    /// Does the action for process `pid`. False if its predicate does not hold; then nothing has changed.
    pub fn perform(&mut self, pid: usize, action: &'m Action) -> Outcome<bool> {
        match action {
            Action::Assign { place, value } => {
                let value = match self.eval(pid, value) {
                    Err(trouble) if trouble.is_spawn => self.eval_spawning(pid, value)?,
                    value => value?,
                };
                let at = self.address(pid, place)?;
                self.write(at, place.ty, value);
            }
            Action::Assert { condition, text, requirement } => {
                if !self.holds(pid, condition)? {
                    let sense = requirement.map(|index| self.model.requirements[index as usize].sense);
                    let (kind, message) = match sense {
                        None => (FaultKind::Assertion, format!("assertion violated: {text}")),
                        Some(Sense::Hold) => (FaultKind::Requirement, text.clone()),
                        Some(Sense::Reach) => (FaultKind::Goal, text.clone()),
                        Some(Sense::Follow) => return trouble(FaultKind::OffPath, text.clone()),
                    };
                    if self.noted.is_some() {
                        return Ok(true);
                    }
                    self.noted = Some(Fault { kind, message, span: Span::default() });
                }
            }
            Action::Print { format, args } => {
                let values = args.iter().map(|arg| self.eval(pid, arg)).collect::<Outcome<Vec<i32>>>()?;
                if self.recording.is_some() {
                    let text = self.format(format, args, &values);
                    self.note(Event::Printed { pid: pid as u8, text });
                }
            }
            Action::PrintName(expr) => {
                let value = self.eval(pid, expr)?;
                if self.recording.is_some() {
                    let text = self.value_name(Some(expr), value);
                    self.note(Event::Printed { pid: pid as u8, text });
                }
            }
            Action::Send(send) => return self.perform_send(pid, send),
            Action::Receive(receive) => return self.perform_receive(pid, receive),
            Action::Spawn(spawn) => {
                self.perform_spawn(pid, spawn)?;
            }
            Action::SetPriority { pid: other, priority } => {
                let (other, priority) = (self.eval(pid, other)?, self.eval(pid, priority)?);
                if let Ok(other) = usize::try_from(other)
                    && other < self.process_count()
                {
                    match u8::try_from(priority) {
                        Ok(priority @ 1..) => self.set_priority(other, priority),
                        _ => {
                            let message = format!("priority {priority} is not in 1..255");
                            return trouble(FaultKind::BadPriority, message);
                        }
                    }
                }
            }
            Action::Block(id) => return self.perform_block(pid, self.model.block(*id)),
            Action::Exit => return Ok(self.exit(pid)),
            Action::Observe(_) => unreachable!("only monitors observe, and they do not perform"),
        }
        Ok(true)
    }

    pub fn note(&mut self, event: Event) {
        if let Some(recording) = &mut self.recording {
            recording.note(event);
        }
    }

    /// The value of an expression that creates processes on the way.
    fn eval_spawning(&mut self, pid: usize, expr: &'m Expr) -> Outcome<i32> {
        match expr {
            Expr::Spawn(spawn) => self.perform_spawn(pid, spawn),
            Expr::Unary(op, operand) => {
                let value = self.eval_spawning(pid, operand)?;
                self.eval(pid, &Expr::Unary(*op, Box::new(Expr::Const(value))))
            }
            Expr::Binary(op, left, right) => {
                let left = self.eval_spawning(pid, left)?;
                let decided = match op {
                    BinaryOp::And => left == 0,
                    BinaryOp::Or => left != 0,
                    _ => false,
                };
                let right = if decided { 0 } else { self.eval_spawning(pid, right)? };
                self.eval(pid, &Expr::binary(*op, Expr::Const(left), Expr::Const(right)))
            }
            Expr::Cond(condition, then, otherwise) => {
                let chosen = if self.eval_spawning(pid, condition)? != 0 { then } else { otherwise };
                self.eval_spawning(pid, chosen)
            }
            other => self.eval(pid, other),
        }
    }

    fn perform_spawn(&mut self, pid: usize, spawn: &'m panoptes_model::Spawn) -> Outcome<i32> {
        let mut args = Vec::with_capacity(spawn.args.len());
        for arg in &spawn.args {
            args.push(self.eval(pid, arg)?);
        }
        let priority = match &spawn.priority {
            Some(priority) => self.eval(pid, priority)?,
            None => 1,
        };
        match u8::try_from(priority) {
            Ok(priority) => self.start(spawn.process, &args, priority),
            Err(_) => trouble(FaultKind::BadPriority, format!("priority {priority} is not in 1..255")),
        }
    }

    /// The values a send puts into a message, cut to the channel's fields.
    pub fn message(
        &self,
        pid: usize,
        send: &Send,
        fields: &[panoptes_model::ScalarType],
    ) -> Outcome<Vec<i32>> {
        if send.args.len() != fields.len() {
            return wrong_field_count(send.args.len(), fields.len());
        }
        send.args.iter().zip(fields).map(|(arg, ty)| Ok(ty.wrap(self.eval(pid, arg)?))).collect()
    }

    fn perform_send(&mut self, pid: usize, send: &'m Send) -> Outcome<bool> {
        let number = self.eval(pid, &send.channel)?;
        let found @ (at, channel) = self.channel(number)?;
        if channel.is_rendezvous() {
            return trouble(FaultKind::BadChannel, "a rendezvous inside an indivisible block");
        }
        let len = self.channel_len(found);
        let full = len >= usize::from(channel.capacity);
        if full && !self.options.lossy {
            return Ok(false);
        }
        let values = self.message(pid, send, &channel.fields)?;
        if !full {
            let slot = if send.sorted { self.insertion_slot(pid, send, found)? } else { len };
            let size = channel.message_bytes();
            let (start, end) = (message_at(found, slot), message_at(found, len));
            self.state.copy_within(start..end, start + size);
            let mut field_at = start;
            for (ty, value) in channel.fields.iter().zip(&values) {
                self.write(field_at, *ty, *value);
                field_at += ty.bytes();
            }
            self.write(at, channel.len_type(), len as i32 + 1);
        }
        if !full {
            self.observe(number as u8, true, &values);
        }
        self.note(Event::Sent { pid: pid as u8, channel: number as u8, values, lost: full });
        Ok(true)
    }

    /// The slot of the first message that is greater, field by field; messages are compared before they are cut to
    /// their fields.
    fn insertion_slot(
        &self,
        pid: usize,
        send: &Send,
        found: (usize, &panoptes_model::Channel),
    ) -> Outcome<usize> {
        let values = send.args.iter().map(|arg| self.eval(pid, arg)).collect::<Outcome<Vec<i32>>>()?;
        let len = self.channel_len(found);
        for slot in 0..len {
            for (field, value) in values.iter().enumerate() {
                match value.cmp(&self.message_field(found, slot, field)) {
                    std::cmp::Ordering::Less => return Ok(slot),
                    std::cmp::Ordering::Greater => break,
                    std::cmp::Ordering::Equal => {}
                }
            }
        }
        Ok(len)
    }

    fn perform_receive(&mut self, pid: usize, receive: &'m Receive) -> Outcome<bool> {
        let number = self.eval(pid, &receive.channel)?;
        let found @ (at, channel) = self.channel(number)?;
        if channel.is_rendezvous() {
            if receive.peek {
                return trouble(FaultKind::BadChannel, "a rendezvous channel holds no message to look at");
            }
            return Ok(false);
        }
        let Some(slot) = self.matching_slot(pid, receive, found)? else { return Ok(false) };
        let values: Vec<i32> =
            (0..channel.fields.len()).map(|field| self.message_field(found, slot, field)).collect();
        if !receive.peek {
            if receive.patterns.len() != channel.fields.len() {
                return wrong_field_count(receive.patterns.len(), channel.fields.len());
            }
            self.observe(number as u8, false, &values);
            let (len, size) = (self.channel_len(found), channel.message_bytes());
            let (start, end) = (message_at(found, slot), message_at(found, len));
            self.state.copy_within(start + size..end, start);
            self.state[end - size..end].fill(0);
            self.write(at, channel.len_type(), len as i32 - 1);
        }
        self.bind(pid, &receive.patterns, &values)?;
        self.note(Event::Received { pid: pid as u8, channel: number as u8, values, peek: receive.peek });
        Ok(true)
    }

    /// Stores the fields of a received message, left to right: a later subscript sees an earlier field.
    pub fn bind(&mut self, pid: usize, patterns: &'m [Pattern], values: &[i32]) -> Outcome<()> {
        for (pattern, value) in patterns.iter().zip(values) {
            if let Pattern::Bind(place) = pattern {
                let at = self.address(pid, place)?;
                self.write(at, place.ty, *value);
            }
        }
        Ok(())
    }

    fn perform_block(&mut self, pid: usize, block: &'m Block) -> Outcome<bool> {
        match self.block_step(pid, &block.nodes[block.entry as usize])? {
            Some(first) => self.finish_block(pid, block, first).map(|()| true),
            None => Ok(false),
        }
    }

    /// Runs a block to its end after its first step.
    pub fn finish_block(&mut self, pid: usize, block: &'m Block, first: &'m BlockStep) -> Outcome<()> {
        let mut next = first.next;
        let mut length = Length::default();
        while let Some(node) = next {
            self.note_statement(&mut length, node)?;
            match self.block_step(pid, &block.nodes[node as usize])? {
                Some(step) => next = step.next,
                None => {
                    let message = "a statement inside a deterministic step is blocked";
                    return trouble(FaultKind::BlockedInBlock, message);
                }
            }
        }
        Ok(())
    }

    /// Takes the first step of the node that can be taken. If one before it went wrong in a way that counts as not
    /// possible, that is a fault of the whole, and what it ends with if there is no other.
    fn block_step(&mut self, pid: usize, node: &'m BlockNode) -> Outcome<Option<&'m BlockStep>> {
        let mut passed_over = None;
        for step in &node.steps {
            match self.take_block_step(pid, step) {
                Ok(false) => {}
                Ok(true) => {
                    if let Some(fault) = &mut self.noted
                        && fault.span == Span::default()
                    {
                        fault.span = step.span;
                    }
                    if self.noted.is_none() {
                        self.noted =
                            passed_over.map(|(trouble, span): (Box<Trouble>, Span)| trouble.at(span));
                    }
                    return Ok(Some(step));
                }
                Err(trouble) if trouble.kind.blocks() && self.has_failed_at_once(pid, step) => {
                    passed_over = passed_over.or(Some((trouble, step.span)));
                }
                Err(trouble) => return Err(trouble),
            }
        }
        passed_over.map_or(Ok(None), |(trouble, _)| Err(trouble))
    }

    /// Did the step, which went wrong, do so before it changed anything?
    fn has_failed_at_once(&self, pid: usize, step: &BlockStep) -> bool {
        if let Guard::When(condition) = &step.guard
            && self.holds(pid, condition).is_err()
        {
            return true;
        }
        let (Some(Action::Send(Send { channel, .. })) | Some(Action::Receive(Receive { channel, .. }))) =
            step.actions.first()
        else {
            return false;
        };
        self.eval(pid, channel).and_then(|number| self.channel(number)).is_err()
    }

    fn take_block_step(&mut self, pid: usize, step: &'m BlockStep) -> Outcome<bool> {
        if let Guard::When(condition) = &step.guard
            && !self.holds(pid, condition)?
        {
            return Ok(false);
        }
        for action in &step.actions {
            if !self.perform(pid, action)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The name of a value: in the set that the variable it came from takes its values from, or in any.
    fn value_name(&self, source: Option<&Expr>, value: i32) -> String {
        let set = source.and_then(|source| self.enumeration_of(source));
        let sets = self.model.enumerations.iter().enumerate();
        let names = sets
            .filter(|(index, _)| set.is_none_or(|set| set.index() == *index))
            .flat_map(|(_, set)| &set.values);
        names
            .into_iter()
            .find(|(v, _)| *v == value)
            .map_or_else(|| value.to_string(), |(_, name)| name.clone())
    }

    /// The set of named values that a variable takes its values from.
    fn enumeration_of(&self, source: &Expr) -> Option<EnumId> {
        let (place, owner) = match source {
            Expr::Load(place) => (place, None),
            Expr::Remote { process, place, .. } => (place, Some(*process)),
            _ => return None,
        };
        let of_process = |process: &'m Process| process.variables.iter();
        let candidates: Vec<&Variable> = match (place.region, owner) {
            (Region::Global, _) => self.model.variables.iter().collect(),
            (Region::Local, Some(process)) => of_process(self.model.process(process)).collect(),
            // The printing process's own: those of any process type with a variable of that name there.
            (Region::Local, None) => self.model.processes.iter().flat_map(of_process).collect(),
        };
        let name = place.name.split('[').next().unwrap_or(&place.name);
        let found = candidates.into_iter().find(|variable| {
            let bytes = variable.offset..variable.offset + variable.count * variable.ty.bytes() as u32;
            bytes.contains(&place.offset) && variable.name.split('[').next() == Some(name)
        });
        match found?.display {
            Display::Enum(set) => Some(set),
            _ => None,
        }
    }

    /// A print format with its `%` conversions replaced.
    fn format(&self, format: &str, args: &[Expr], values: &[i32]) -> String {
        let mut text = String::new();
        let mut values = args.iter().zip(values.iter().copied());
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let conversion = chars.next();
            if !matches!(conversion, Some('e' | 'c' | 'o' | 'x' | 'u' | 'd')) {
                text.extend(conversion.filter(|c| *c != '%').map(|_| '%'));
                text.push(conversion.unwrap_or('%'));
                continue;
            }
            let (source, value) = values.next().map_or((None, 0), |(source, value)| (Some(source), value));
            match conversion {
                Some('e') => text.push_str(&self.value_name(source, value)),
                Some('c') => text.push(value as u8 as char),
                Some('o') => text.push_str(&format!("{value:o}")),
                Some('x') => text.push_str(&format!("{value:x}")),
                Some('u') => text.push_str(&(value as u32).to_string()),
                _ => text.push_str(&value.to_string()),
            }
        }
        text
    }
}
