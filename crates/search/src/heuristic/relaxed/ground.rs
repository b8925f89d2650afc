//! The steps of the processes that live, over facts: made once for each line-up of processes.
//!
//! A process that may still be started stands beside those that live, one for each type; it is nowhere until a step starts it.

use super::compile::{CHANNELS_MAX, Cells};
use super::fact::{Fact, SlotId};
use super::values::Values;
use panoptes_model::{
    Action, BinaryOp, Channel, Expr, FrameLayout, Guard, Model, Pattern, Place, ProcId, ProcessKind, Receive,
    Region, ScalarType, Send, Spawn, TransId, Transition,
};
use std::collections::HashMap;

/// A variable, a field of the messages of a channel, or how many it holds.
pub(super) struct Slot {
    /// Where its value is in the vector; none if it is not there, or not as one value.
    pub offset: Option<u32>,
    pub ty: ScalarType,
}

/// A process, or one that may be started.
pub(super) struct Instance {
    pub process: ProcId,
    /// Where its frame is; none if it does not live.
    pub frame: Option<u32>,
    pub layout: FrameLayout,
    /// Its control states among the places of all; the last one is for being gone.
    pub first_place: u32,
    pub places: u32,
    /// Its own channels among all.
    pub first_channel: usize,
}

pub(super) struct ChannelSlots<'m> {
    pub channel: &'m Channel,
    /// Where it is in the vector; none if its process does not live.
    pub offset: Option<u32>,
    pub fields: Vec<SlotId>,
    /// How many messages it holds; in a rendezvous, 1 when one is offered.
    pub level: SlotId,
    /// In a rendezvous: 1 when somebody takes a message.
    pub ready: SlotId,
    pub capacity: i32,
}

impl ChannelSlots<'_> {
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

/// What a step adds to the facts.
pub(super) struct Effect {
    /// Only if this can have that value.
    pub when: Option<(Fact, i32)>,
    pub slot: SlotId,
    pub value: Fact,
    /// The only slot that the value is made of.
    pub source: Option<SlotId>,
    /// What the slot can hold.
    pub within: Values,
    /// It is there in the same round: what the partners of a rendezvous give each other.
    pub at_once: bool,
    /// Among all effects; set when all are there.
    pub number: u32,
}

impl Effect {
    fn new(when: Option<(Fact, i32)>, slot: SlotId, value: Fact) -> Effect {
        let value = value.tabulated();
        let source = value.only_slot();
        Effect { when, slot, value, source, within: Values::ALL, at_once: false, number: 0 }
    }
}

/// A step of a process.
pub(super) struct Operator {
    pub instance: u32,
    pub transition: TransId,
    pub place: u32,
    pub to: u32,
    /// What it takes, messages included.
    pub guard: Fact,
    pub effects: Vec<Effect>,
    /// The places of processes that it starts.
    pub starts: Vec<u32>,
    /// What must hold in it.
    pub asserted: Vec<Fact>,
    /// Of a receive in a rendezvous: what it takes but for the message, and the effects of being ready.
    pub ready: Option<(Fact, Vec<Effect>)>,
}

impl Operator {
    pub fn effects_mut(&mut self) -> impl Iterator<Item = &mut Effect> {
        self.effects.iter_mut().chain(self.ready.iter_mut().flat_map(|(_, effects)| effects))
    }

    /// What it adds, be it as the receiver of a rendezvous that is ready.
    pub fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().chain(self.ready.iter().flat_map(|(_, effects)| effects))
    }
}

pub(super) struct Builder<'m, 'c> {
    pub model: &'m Model,
    pub living: usize,
    pub instances: Vec<Instance>,
    pub channels: Vec<ChannelSlots<'m>>,
    pub slots: Vec<Slot>,
    pub operators: Vec<Operator>,
    pub places: u32,
    /// Variables of processes that never change: the process, the offset in its frame, and the value.
    pub constants: &'c [(usize, u32, i32)],
    /// Cells of global variables that never change: by their offsets, their values.
    pub globals: &'c HashMap<u32, i32>,
    variables: HashMap<(Option<usize>, u32), SlotId>,
}

impl<'m, 'c> Builder<'m, 'c> {
    /// For processes of these types, with the places of their frames.
    pub fn new(
        model: &'m Model,
        living: &[(ProcId, u32)],
        constants: &'c [(usize, u32, i32)],
        globals: &'c HashMap<u32, i32>,
    ) -> Builder<'m, 'c> {
        let mut builder = Builder {
            model,
            living: living.len(),
            instances: Vec::new(),
            channels: Vec::new(),
            slots: Vec::new(),
            operators: Vec::new(),
            places: 0,
            constants,
            globals,
            variables: HashMap::new(),
        };
        model.channels.iter().for_each(|channel| builder.add_channel(channel, Some(0)));
        living.iter().for_each(|(process, frame)| builder.add_instance(*process, Some(*frame)));
        let mut known = living.iter().map(|(process, _)| *process).collect::<Vec<_>>();
        let mut looked = 0;
        while let Some(process) = known.get(looked).copied() {
            looked += 1;
            for started in started(model, process) {
                if !builder.instances[builder.living..].iter().any(|other| other.process == started) {
                    builder.add_instance(started, None);
                    known.push(started);
                }
            }
        }
        builder
    }

    fn add_channel(&mut self, channel: &'m Channel, base: Option<u32>) {
        let offset = base.map(|base| base + channel.offset);
        let mut slot = |ty: ScalarType| {
            self.slots.push(Slot { offset: None, ty });
            self.slots.len() as SlotId - 1
        };
        let fields = channel.fields.iter().map(|ty| slot(*ty)).collect();
        let (level, ready) = (slot(ScalarType::unsigned(16)), slot(ScalarType::BIT));
        let capacity = i32::from(channel.capacity);
        self.channels.push(ChannelSlots { channel, offset, fields, level, ready, capacity });
    }

    fn add_instance(&mut self, id: ProcId, frame: Option<u32>) {
        let process = self.model.process(id);
        let (first_place, first_channel) = (self.places, self.channels.len());
        let places = process.states.len() as u32 + 1;
        self.places += places;
        let layout = process.frame;
        self.instances.push(Instance { process: id, frame, layout, first_place, places, first_channel });
        process.channels.iter().for_each(|channel| self.add_channel(channel, frame));
    }

    /// The slot of a variable: of all, or of an instance.
    pub fn variable(&mut self, owner: Option<usize>, offset: u32, ty: ScalarType) -> SlotId {
        let base = match owner {
            None => Some(0),
            Some(index) => self.instances[index].frame,
        };
        let slots = &mut self.slots;
        *self.variables.entry((owner, offset)).or_insert_with(|| {
            slots.push(Slot { offset: base.map(|base| base + offset), ty });
            slots.len() as SlotId - 1
        })
    }

    /// Makes the steps of all instances; `counts` tells which assertions are looked for.
    pub fn add_operators(&mut self, counts: &dyn Fn(Option<u32>) -> bool) {
        for at in 0..self.instances.len() {
            let process = self.model.process(self.instances[at].process);
            for state in &process.states {
                for id in &state.transitions {
                    self.add_operator(at, *id, counts);
                }
            }
        }
    }

    fn add_operator(&mut self, at: usize, id: TransId, counts: &dyn Fn(Option<u32>) -> bool) {
        let model = self.model;
        let rule = model.transition(id);
        let instance = &self.instances[at];
        let gone = instance.first_place + instance.places - 1;
        let (place, to) = (
            instance.first_place + rule.from.0,
            rule.to.map_or(gone, |state| instance.first_place + state.0),
        );
        let mut parts = Vec::new();
        if let Some(provided) = &model.process(rule.process).provided {
            parts.push(self.expr(at, provided));
        }
        match &rule.guard {
            Guard::Always => {}
            Guard::When(condition) => parts.push(self.expr(at, condition)),
            Guard::Otherwise => parts.extend(self.otherwise(at, rule, id)),
        }
        let early = Fact::all(parts);
        let mut operator = Operator {
            instance: at as u32,
            transition: id,
            place,
            to,
            guard: Fact::TRUE,
            effects: Vec::new(),
            starts: Vec::new(),
            asserted: Vec::new(),
            ready: None,
        };
        let mut guard = vec![early.clone()];
        for (index, action) in rule.actions.iter().enumerate() {
            match action {
                Action::Send(send) if index == 0 => guard.push(self.sendable(at, send)),
                Action::Receive(receive) if index == 0 => {
                    guard.push(self.receivable(at, receive));
                    let ready = self.readiness(at, receive);
                    operator.ready = (!ready.is_empty()).then(|| (early.clone(), ready));
                }
                Action::Block(block) => {
                    let block = model.block(*block);
                    let entry = &block.nodes[block.entry as usize].steps;
                    let conditions = entry.iter().map(|step| match &step.guard {
                        Guard::When(condition) => self.expr(at, condition),
                        Guard::Always | Guard::Otherwise => Fact::TRUE,
                    });
                    let conditions: Vec<Fact> = conditions.collect();
                    if !conditions.iter().any(Fact::is_true) {
                        guard.push(Fact::Any(conditions));
                    }
                }
                _ => {}
            }
            self.add_action(at, action, counts, &mut operator);
        }
        operator.guard = Fact::all(guard);
        self.operators.push(operator);
    }

    /// None of the steps before it in the same control state can be taken.
    fn otherwise(&mut self, at: usize, rule: &Transition, id: TransId) -> Vec<Fact> {
        let model = self.model;
        let all = &model.process(rule.process).states[rule.from.index()].transitions;
        let before = all.iter().take_while(|other| **other != id);
        before.map(|other| self.impossible(at, model.transition(*other))).collect()
    }

    /// That there is room; in a rendezvous, that somebody takes the message.
    fn sendable(&mut self, at: usize, send: &Send) -> Fact {
        self.over_channels(at, &send.channel, &mut |builder, index| {
            let channel = &builder.channels[index];
            match channel.is_rendezvous() {
                true => Fact::compare(channel.ready, BinaryOp::Eq, 1),
                false => Fact::compare(channel.level, BinaryOp::Lt, channel.capacity),
            }
        })
    }

    fn readiness(&mut self, at: usize, receive: &Receive) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (when, index) in self.candidates(at, &receive.channel, receive.patterns.len()) {
            let channel = &self.channels[index];
            if channel.is_rendezvous() {
                effects.push(Effect { at_once: true, ..Effect::new(when, channel.ready, Fact::Const(1)) });
            }
        }
        effects
    }

    /// The channels with at least so many fields that an expression can mean, and when it does.
    fn candidates(&mut self, at: usize, channel: &Expr, fields: usize) -> Vec<(Option<(Fact, i32)>, usize)> {
        let fits = |builder: &Self, index: usize| builder.channels[index].fields.len() >= fields;
        match self.expr(at, channel) {
            Fact::Const(number) => {
                let known = self.channel(number).filter(|index| fits(self, *index));
                known.map(|index| (None, index)).into_iter().collect()
            }
            _ if self.channels.len() > CHANNELS_MAX => Vec::new(),
            number => {
                let meant = number.possible();
                let is_meant = |index: &usize| meant.has(*index as i32 + 1);
                let all = (0..self.channels.len()).filter(|index| is_meant(index) && fits(self, *index));
                all.map(|index| (Some((number.clone(), index as i32 + 1)), index)).collect()
            }
        }
    }

    fn add_action(
        &mut self,
        at: usize,
        action: &Action,
        counts: &dyn Fn(Option<u32>) -> bool,
        out: &mut Operator,
    ) {
        match action {
            Action::Assign { place, value } => {
                value.walk(&mut |part| {
                    if let Expr::Spawn(spawn) = part {
                        self.add_start(at, spawn, out);
                    }
                });
                let fact = self.expr(at, value);
                self.assign(at, place, fact, &mut out.effects);
            }
            Action::Assert { condition, requirement, .. } if counts(*requirement) => {
                let condition = self.expr(at, condition);
                out.asserted.push(condition);
            }
            Action::Send(send) => {
                let args: Vec<Fact> = send.args.iter().map(|arg| self.expr(at, arg)).collect();
                for (when, index) in self.candidates(at, &send.channel, args.len()) {
                    self.send(when, index, &args, &mut out.effects);
                }
            }
            Action::Receive(receive) => {
                for (when, index) in self.candidates(at, &receive.channel, receive.patterns.len()) {
                    self.receive(at, when, index, receive, &mut out.effects);
                }
            }
            Action::Spawn(spawn) => self.add_start(at, spawn, out),
            Action::Block(block) => {
                let model = self.model;
                let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                steps
                    .flat_map(|step| &step.actions)
                    .for_each(|action| self.add_action(at, action, counts, out));
            }
            _ => {}
        }
    }

    fn assign(&mut self, at: usize, place: &Place, value: Fact, out: &mut Vec<Effect>) {
        match self.cells(at, place) {
            Some(Cells::One(slot)) => out.push(Effect::new(None, slot, value)),
            Some(Cells::Some(index, cells)) => {
                let when = |number: i32| Some((index.clone(), number));
                out.extend(
                    cells.into_iter().map(|(number, slot)| Effect::new(when(number), slot, value.clone())),
                );
            }
            None => {}
        }
    }

    fn send(&mut self, when: Option<(Fact, i32)>, index: usize, args: &[Fact], out: &mut Vec<Effect>) {
        let channel = &self.channels[index];
        let at_once = channel.is_rendezvous();
        let effect = |slot: SlotId, value: Fact, within: Values| Effect {
            within,
            at_once,
            ..Effect::new(when.clone(), slot, value)
        };
        out.extend(
            channel.fields.iter().zip(args).map(|(slot, arg)| effect(*slot, arg.clone(), Values::ALL)),
        );
        let level = channel.level;
        out.push(match at_once {
            true => effect(level, Fact::Const(1), Values::ALL),
            false => {
                let more = Fact::binary(BinaryOp::Add, Fact::Slot(level), Fact::Const(1));
                effect(level, more, Values::between(1, channel.capacity))
            }
        });
    }

    fn receive(
        &mut self,
        at: usize,
        when: Option<(Fact, i32)>,
        index: usize,
        receive: &Receive,
        out: &mut Vec<Effect>,
    ) {
        let start = out.len();
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                let value = Fact::Slot(self.channels[index].fields[field]);
                self.assign(at, place, value, out);
            }
        }
        let channel = &self.channels[index];
        if !channel.is_rendezvous() && !receive.peek {
            let level = channel.level;
            let value = Fact::binary(BinaryOp::Sub, Fact::Slot(level), Fact::Const(1));
            let within = Values::between(0, channel.capacity);
            out.push(Effect { within, ..Effect::new(None, level, value) });
        }
        out[start..]
            .iter_mut()
            .filter(|effect| effect.when.is_none())
            .for_each(|effect| effect.when.clone_from(&when));
    }

    fn add_start(&mut self, at: usize, spawn: &Spawn, out: &mut Operator) {
        let is_one = |index: &usize| self.instances[*index].process == spawn.process;
        let Some(new) = (self.living..self.instances.len()).find(is_one) else { return };
        let process = self.model.process(spawn.process);
        out.starts.push(self.instances[new].first_place + process.initial.0);
        let params = process.variables[..process.param_count].iter();
        let cells =
            params.flat_map(|it| (0..it.count).map(move |k| (it.offset + k * it.ty.bytes() as u32, it.ty)));
        for ((offset, ty), arg) in cells.zip(&spawn.args) {
            let (slot, value) = (self.variable(Some(new), offset, ty), self.expr(at, arg));
            out.effects.push(Effect::new(None, slot, value));
        }
        for action in &process.init {
            if let Action::Assign { place, value } = action {
                let value = self.expr(new, value);
                self.assign(new, place, value, &mut out.effects);
            }
        }
    }
}

/// The types of processes that those of a type start.
fn started(model: &Model, process: ProcId) -> Vec<ProcId> {
    let mut found = Vec::new();
    let mut look = |action: &Action| {
        if let Action::Spawn(spawn) = action {
            found.push(spawn.process);
        }
        action.walk(&mut |part| {
            if let Expr::Spawn(spawn) = part {
                found.push(spawn.process);
            }
        });
    };
    for rule in model.transitions.iter().filter(|rule| rule.process == process) {
        for action in &rule.actions {
            look(action);
            if let Action::Block(block) = action {
                let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                steps.flat_map(|step| &step.actions).for_each(&mut look);
            }
        }
    }
    found.retain(|id| model.process(*id).kind == ProcessKind::Process);
    found
}

/// Calls `visit` with every action of the rules and of their blocks.
fn each_action<'m>(model: &'m Model, rule: &'m Transition, visit: &mut dyn FnMut(&'m Action)) {
    for action in &rule.actions {
        visit(action);
        if let Action::Block(block) = action {
            let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
            steps.flat_map(|step| &step.actions).for_each(&mut *visit);
        }
    }
}

/// The offsets that an action may write to in a region: the first and the last of each place.
fn written(action: &Action, region: Region, note: &mut dyn FnMut(u32, u32)) {
    let mut place = |place: &Place| {
        let reach: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
        if place.region == region {
            note(place.offset, place.offset + reach);
        }
    };
    match action {
        Action::Assign { place: written, .. } => place(written),
        Action::Receive(receive) => receive.patterns.iter().for_each(|pattern| {
            if let Pattern::Bind(bound) = pattern {
                place(bound);
            }
        }),
        _ => {}
    }
}

/// The cells of global variables that nobody changes, and what they hold in a state.
pub(super) fn unchanging_globals(model: &Model, vector: &[u8]) -> HashMap<u32, i32> {
    let mut changed: Vec<(u32, u32)> = Vec::new();
    let mut look = |action: &Action| {
        written(action, Region::Global, &mut |first, last| changed.push((first, last)));
    };
    model.transitions.iter().for_each(|rule| each_action(model, rule, &mut look));
    model.processes.iter().flat_map(|process| &process.init).for_each(&mut look);
    let is_changed = |offset: u32| changed.iter().any(|(first, last)| (*first..=*last).contains(&offset));
    let cells = model.variables.iter().flat_map(|variable| {
        (0..variable.count)
            .map(move |cell| (variable.offset + cell * variable.ty.bytes() as u32, variable.ty))
    });
    cells
        .filter(|(offset, _)| !is_changed(*offset))
        .filter_map(|(offset, ty)| Some((offset, ty.read(vector.get(offset as usize..)?))))
        .collect()
}

/// For each process type the variables that no step of it changes, with their offsets.
pub(super) fn unchanging(model: &Model) -> Vec<Vec<(u32, ScalarType)>> {
    let of_type = |id: ProcId| {
        let mut changed: Vec<(u32, u32)> = Vec::new();
        let mut look = |action: &Action| {
            written(action, Region::Local, &mut |first, last| changed.push((first, last)));
        };
        let rules = model.transitions.iter().filter(|rule| rule.process == id);
        rules.for_each(|rule| each_action(model, rule, &mut look));
        let is_changed = |offset: u32| changed.iter().any(|(low, high)| (*low..=*high).contains(&offset));
        let scalars = model.process(id).variables.iter().filter(|variable| variable.count == 1);
        let kept = scalars.filter(|variable| !is_changed(variable.offset));
        kept.map(|variable| (variable.offset, variable.ty)).collect()
    };
    (0..model.processes.len() as u32).map(ProcId).map(of_type).collect()
}
