//! A process's machine as an automaton of the model.

use super::{Body, Lowering, Timeouts, assertion, number, without_rules};
use crate::ast::Name;
use crate::flow::{Node, NodeId, Step, StepKind, VALUE};
use crate::monitor::Event;
use panoptes_model::{
    Action, BinaryOp, ChannelTest, Display, Expr, FrameLayout, Guard, Pattern, Place, ProcId, ProcessKind,
    Receive, Region, StateId, TransId, Transition, Variable,
};

/// One way to take a step: a receive is one for each message that it can take.
struct Way {
    guard: Guard,
    actions: Vec<Action>,
    event: Option<Event>,
}

impl Lowering<'_> {
    /// Adds the automaton of a process.
    pub(super) fn process(&mut self, body: &Body) -> ProcId {
        let id = ProcId(self.model.processes.len() as u32);
        let mut process = without_rules(body, ProcessKind::Process, body.flow.variables.len());
        for (index, (name, value)) in body.flow.variables.iter().enumerate() {
            let offset = FrameLayout::FIXED_BYTES + (index * VALUE.bytes()) as u32;
            let name = unique(&body.flow.variables, index, name);
            let place =
                Place { region: Region::Local, offset, ty: VALUE, indices: Vec::new(), name: name.clone() };
            process.variables.push(Variable {
                name,
                offset,
                ty: VALUE,
                display: Display::Int,
                count: 1,
                is_array: false,
            });
            if *value != 0 {
                process.init.push(Action::Assign { place, value: Expr::Const(*value) });
            }
        }
        process.dead_code = body
            .flow
            .stmts
            .iter()
            .filter(|stmt| !body.machine.reached[stmt.node])
            .map(|stmt| stmt.span)
            .collect();
        process.dead_code.sort_by_key(|span| (span.file, span.lo));
        self.model.processes.push(process);
        for (from, state) in body.machine.states.iter().enumerate() {
            let mut firsts = Vec::with_capacity(state.edges.len());
            for (node, to) in &state.edges {
                let first = TransId(self.model.transitions.len() as u32);
                firsts.push(first);
                let Node::Step(step) = &body.flow.nodes[*node] else { continue };
                if matches!(step.kind, StepKind::Timeout { .. }) && self.meaning.timeouts == Timeouts::Free {
                    self.model.timeouts.push(first);
                }
                for way in self.ways(body, &state.edges, step) {
                    self.transition(id, (from, *to), step, way);
                }
            }
            self.note_waiting(body, id, from, &firsts);
        }
        id
    }

    fn transition(&mut self, process: ProcId, (from, to): (usize, usize), step: &Step, way: Way) {
        let mut actions = way.actions;
        if let Some(event) = &way.event {
            let name = &self.symbols.channels[event.channel].decl.name.name;
            let sign = if event.sent { '!' } else { '?' };
            let text = format!("{name}{sign}{}", event.message);
            actions.extend(match self.watches {
                [watch] if self.along => assertion::pursue(watch, event, &text),
                watches => assertion::follow(watches, event, &text),
            });
        }
        let id = TransId(self.model.transitions.len() as u32);
        self.model.transitions.push(Transition {
            process,
            from: StateId(from as u32),
            to: Some(StateId(to as u32)),
            guard: way.guard,
            actions,
            keeps_control: false,
            escape: 0,
            text: step.text.clone(),
            span: step.span,
        });
        self.model.processes[process.index()].states[from].transitions.push(id);
    }

    /// `edges` are those of the state that the step is offered in.
    fn ways(&self, body: &Body, edges: &[(NodeId, usize)], step: &Step) -> Vec<Way> {
        let plain = |guard, actions| vec![Way { guard, actions, event: None }];
        match &step.kind {
            StepKind::Skip => plain(Guard::Always, Vec::new()),
            StepKind::Start(values) => {
                let assign = |(place, value): &(Place, i32)| Action::Assign {
                    place: place.clone(),
                    value: Expr::Const(*value),
                };
                plain(Guard::Always, values.iter().map(assign).collect())
            }
            StepKind::Assign(place, value) => {
                plain(Guard::Always, vec![Action::Assign { place: place.clone(), value: value.clone() }])
            }
            StepKind::Condition(condition) => plain(Guard::When(condition.clone()), Vec::new()),
            StepKind::Send { channel, message, value } => {
                let send = Action::Send(self.send(*channel, message, value.clone()));
                let event = Event { channel: *channel, sent: true, message: message.clone() };
                vec![Way { guard: Guard::Always, actions: vec![send], event: Some(event) }]
            }
            StepKind::Receive { channel, message, variable } => {
                let tags = self.sorts.received(*channel, message);
                let way = |(tag, has_value): (i32, bool)| {
                    let bound = variable.as_ref().filter(|_| has_value);
                    self.receive(*channel, message, tag, bound)
                };
                tags.into_iter().map(way).collect()
            }
            StepKind::Default { channel } => {
                let named = named_receives(body, edges, *channel);
                let others = self.sorts.others(*channel, &named);
                if others.is_empty() {
                    // Nothing is left for it, so it waits for ever.
                    return vec![self.receive(*channel, &Name::from("default"), self.sorts.no_tag(), None)];
                }
                others.into_iter().map(|(tag, message)| self.receive(*channel, message, tag, None)).collect()
            }
            StepKind::Timeout { channel } => {
                let empty = Expr::Channel(ChannelTest::Empty, Box::new(number(*channel)));
                plain(
                    Guard::When(match self.meaning.timeouts {
                        Timeouts::Free => empty,
                        Timeouts::LockOnly => Expr::binary(BinaryOp::And, Expr::Timeout, empty),
                    }),
                    Vec::new(),
                )
            }
        }
    }

    fn receive(&self, channel: usize, message: &Name, tag: i32, variable: Option<&Place>) -> Way {
        let mut patterns = vec![Pattern::Match(Expr::Const(tag))];
        if self.sorts.carries_values(channel) {
            patterns.push(variable.map_or(Pattern::Any, |place| Pattern::Bind(place.clone())));
        }
        let receive = Receive { channel: number(channel), patterns, random: false, peek: false };
        let event = Event { channel, sent: false, message: message.clone() };
        Way { guard: Guard::Always, actions: vec![Action::Receive(receive)], event: Some(event) }
    }
}

/// The messages that a state has named receives for, from that channel.
pub(crate) fn named_receives<'b>(body: &'b Body, edges: &[(NodeId, usize)], channel: usize) -> Vec<&'b str> {
    let name = |(node, _): &(NodeId, usize)| match &body.flow.nodes[*node] {
        Node::Step(Step { kind: StepKind::Receive { channel: from, message, .. }, .. })
            if *from == channel =>
        {
            Some(&**message)
        }
        _ => None,
    };
    edges.iter().filter_map(name).collect()
}

/// A variable's name; those of procedures that are called several times are numbered.
fn unique(variables: &[(Name, i32)], index: usize, name: &Name) -> String {
    let same = |(other, _): &&(Name, i32)| other == name;
    let before = variables[..index].iter().filter(same).count();
    if before == 0 { name.to_string() } else { format!("{name}.{}", before + 1) }
}
