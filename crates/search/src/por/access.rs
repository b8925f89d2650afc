//! What a transition touches that other processes may touch too, as the model writes it: places and channel numbers
//! are still expressions.

use panoptes_model::{
    Action, BinaryOp, Block, BlockId, ChannelTest, Expr, Guard, Model, Pattern, Place, Receive, Region,
    Spawn, Transition,
};

/// How a channel is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Send,
    SortedSend,
    Receive,
    RandomReceive,
    /// Is there a message (and does the oldest one fit)? `waits` if the step is possible only if so.
    HasMessage {
        waits: bool,
    },
    /// Is there room? `waits` if the step is possible only if so.
    HasRoom {
        waits: bool,
    },
    /// Its length or any message is looked at.
    Look,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Access<'m> {
    Read(&'m Place),
    Write(&'m Place),
    Channel {
        number: &'m Expr,
        how: Use,
        /// The first thing that a step does: it waits until it is possible. Any later use happens at a length that
        /// cannot be told beforehand, or goes wrong where it would have to wait. A question counts as first if the
        /// step's own guard asks it.
        is_first: bool,
    },
    /// The number of processes, or which of them live, is looked at.
    Count,
    /// The initial values of the new process are computed too: see [`super::facts::Facts::initial`].
    Spawn(&'m Spawn),
    Exit,
}

/// The accesses of one transition.
#[derive(Debug, Default)]
pub(super) struct Accesses<'m> {
    /// Of its predicate: guard, and what a send or receive waits for.
    pub predicate: Vec<Access<'m>>,
    /// Of everything else.
    pub action: Vec<Access<'m>>,
}

impl<'m> Accesses<'m> {
    pub fn of(model: &'m Model, transition: &'m Transition) -> Accesses<'m> {
        let mut predicate = Collector { model, list: Vec::new() };
        if let Guard::When(condition) = &transition.guard {
            predicate.conditions(condition);
        }
        let mut action = Collector { model, list: Vec::new() };
        for (index, act) in transition.actions.iter().enumerate() {
            match act {
                Action::Send(send) if index == 0 => predicate.send(send, true),
                Action::Receive(receive) if index == 0 => predicate.receive(receive, true),
                Action::Block(id) if index == 0 => {
                    predicate.block_entry(*id);
                    action.block(*id, true);
                }
                act => action.action(act, index == 0),
            }
        }
        // An exit waits for its turn.
        predicate.list.extend(action.list.iter().filter(|access| matches!(access, Access::Exit)));
        Accesses { predicate: predicate.list, action: action.list }
    }

    /// What a list of actions touches, without regard to what they wait for.
    pub fn of_actions(model: &'m Model, actions: &'m [Action]) -> Vec<Access<'m>> {
        let mut collector = Collector { model, list: Vec::new() };
        actions.iter().for_each(|action| collector.action(action, false));
        collector.list
    }

    pub fn iter(&self) -> impl Iterator<Item = &Access<'m>> {
        self.predicate.iter().chain(&self.action)
    }
}

struct Collector<'m> {
    model: &'m Model,
    list: Vec<Access<'m>>,
}

impl<'m> Collector<'m> {
    fn guard(&mut self, guard: &'m Guard) {
        if let Guard::When(condition) = guard {
            self.expr(condition);
        }
    }

    /// The guard of a transition, of which all conditions must hold together.
    fn conditions(&mut self, condition: &'m Expr) {
        match condition {
            Expr::Binary(BinaryOp::And, left, right) => {
                self.conditions(left);
                self.conditions(right);
            }
            Expr::Channel(ChannelTest::NotEmpty, number) => {
                self.channel(number, Use::HasMessage { waits: true }, true);
            }
            Expr::Channel(ChannelTest::NotFull, number) => {
                self.channel(number, Use::HasRoom { waits: true }, true);
            }
            Expr::Poll(receive) if !receive.random => {
                self.channel(&receive.channel, Use::HasMessage { waits: true }, true);
                self.patterns(receive);
            }
            other => {
                let start = self.list.len();
                self.expr(other);
                for access in &mut self.list[start..] {
                    if let Access::Channel { is_first, .. } = access {
                        *is_first = true;
                    }
                }
            }
        }
    }

    fn expr(&mut self, expr: &'m Expr) {
        match expr {
            Expr::Const(_) | Expr::SelfPid | Expr::OwnChannel(_) | Expr::Timeout => {}
            Expr::Load(place) => {
                self.indices(place);
                if place.region == Region::Global {
                    self.list.push(Access::Read(place));
                }
            }
            Expr::Unary(_, operand) => self.expr(operand),
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Cond(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
            }
            Expr::ProcessCount | Expr::PidOf(_) => self.list.push(Access::Count),
            Expr::Channel(test, number) => {
                let how = match test {
                    ChannelTest::Len => Use::Look,
                    ChannelTest::Empty | ChannelTest::NotEmpty => Use::HasMessage { waits: false },
                    ChannelTest::Full | ChannelTest::NotFull => Use::HasRoom { waits: false },
                };
                self.channel(number, how, false);
            }
            Expr::Poll(receive) => {
                let how = if receive.random { Use::Look } else { Use::HasMessage { waits: false } };
                self.channel(&receive.channel, how, false);
                self.patterns(receive);
            }
            Expr::Spawn(spawn) => self.spawn(spawn),
            // With these there is no reduction.
            Expr::LastPid
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::ControlPoint(_)
            | Expr::Priority(_)
            | Expr::AtState { .. }
            | Expr::Remote { .. } => {}
        }
    }

    fn indices(&mut self, place: &'m Place) {
        place.indices.iter().for_each(|term| self.expr(&term.index));
    }

    fn write(&mut self, place: &'m Place) {
        self.indices(place);
        if place.region == Region::Global {
            self.list.push(Access::Write(place));
        }
    }

    fn channel(&mut self, number: &'m Expr, how: Use, is_first: bool) {
        self.expr(number);
        self.list.push(Access::Channel { number, how, is_first });
    }

    fn patterns(&mut self, receive: &'m Receive) {
        for pattern in &receive.patterns {
            match pattern {
                Pattern::Any => {}
                Pattern::Match(expected) => self.expr(expected),
                Pattern::Bind(place) => self.write(place),
            }
        }
    }

    fn send(&mut self, send: &'m panoptes_model::Send, is_first: bool) {
        let how = if send.sorted { Use::SortedSend } else { Use::Send };
        self.channel(&send.channel, how, is_first);
        send.args.iter().for_each(|arg| self.expr(arg));
    }

    fn receive(&mut self, receive: &'m Receive, is_first: bool) {
        let how = if receive.random { Use::RandomReceive } else { Use::Receive };
        self.channel(&receive.channel, how, is_first);
        self.patterns(receive);
    }

    fn spawn(&mut self, spawn: &'m Spawn) {
        spawn.args.iter().for_each(|arg| self.expr(arg));
        self.list.push(Access::Spawn(spawn));
    }

    fn action(&mut self, action: &'m Action, is_first: bool) {
        match action {
            Action::Assign { place, value } => {
                self.expr(value);
                self.write(place);
            }
            Action::Assert { condition, .. } => self.expr(condition),
            Action::Print { args, .. } => args.iter().for_each(|arg| self.expr(arg)),
            Action::PrintName(value) => self.expr(value),
            Action::Send(send) => self.send(send, is_first),
            Action::Receive(receive) => self.receive(receive, is_first),
            Action::Spawn(spawn) => self.spawn(spawn),
            Action::Block(id) => self.block(*id, is_first),
            Action::Exit => self.list.push(Access::Exit),
            // With these there is no reduction.
            Action::SetPriority { .. } | Action::Observe(_) => {}
        }
    }

    /// A block that starts the step waits at its entry; where it has a choice there, it takes the first that is
    /// possible, so that others decide about its way.
    fn block(&mut self, id: BlockId, is_first: bool) {
        let block = self.model.block(id);
        let waits_at_entry = is_first && has_plain_entry(block);
        for (node, index) in block.nodes.iter().zip(0..) {
            for step in &node.steps {
                self.guard(&step.guard);
                for (place, action) in step.actions.iter().enumerate() {
                    self.action(action, waits_at_entry && index == block.entry && place == 0);
                }
            }
        }
    }

    /// The predicate of a block.
    fn block_entry(&mut self, id: BlockId) {
        let block = self.model.block(id);
        let is_plain = has_plain_entry(block);
        for step in &block.nodes[block.entry as usize].steps {
            self.guard(&step.guard);
            match step.actions.first() {
                Some(Action::Send(send)) => self.send(send, is_plain),
                Some(Action::Receive(receive)) => self.receive(receive, is_plain),
                Some(Action::Block(inner)) => self.block_entry(*inner),
                _ => {}
            }
        }
    }
}

/// Does the block start with one step that it never comes back to?
fn has_plain_entry(block: &Block) -> bool {
    let comes_back =
        |node: &panoptes_model::BlockNode| node.steps.iter().any(|s| s.next == Some(block.entry));
    block.nodes[block.entry as usize].steps.len() == 1 && !block.nodes.iter().any(comes_back)
}
