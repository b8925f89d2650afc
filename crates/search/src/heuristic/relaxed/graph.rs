//! Facts that only accumulate: round after round, every step that is possible with the facts so far adds what it brings about, and nothing
//! is taken away. The round in which a fact is there first is its *layer*.

use super::cone::related;
use super::fact::{Fact, Facts, Read, SlotId};
use super::goals::Goals;
use super::ground::{Builder, ChannelSlots, Effect, Instance, Operator, Slot};
use super::values::Values;
use panoptes_model::Channel;

/// After so many rounds nothing is expected any more.
const LAYERS_MAX: u32 = 4000;
pub(super) const NO_OPERATOR: u32 = u32::MAX;
const NOT_YET: u32 = u32::MAX;

/// All that is known of the steps of a line-up of processes.
pub(super) struct Ground<'m> {
    pub instances: Vec<Instance>,
    pub living: usize,
    channels: Vec<ChannelSlots<'m>>,
    slots: Vec<Slot>,
    pub operators: Vec<Operator>,
    pub goals: Goals,
    /// By place: the steps from there.
    steps: Vec<Vec<u32>>,
    /// By slot: the steps that look at it in their guards, and those that make values of it.
    guarded: Vec<Vec<u32>>,
    valued: Vec<Vec<u32>>,
    /// By place: steps whose guards ask where a process is.
    asked: Vec<Vec<u32>>,
    related: Vec<bool>,
    effect_count: usize,
}

impl<'m> Ground<'m> {
    pub fn new(builder: Builder<'m, '_>, goals: Goals) -> Ground<'m> {
        let Builder { living, instances, channels, slots, mut operators, places, .. } = builder;
        let effects = operators.iter_mut().flat_map(Operator::effects_mut);
        effects.zip(0..).for_each(|(effect, number)| effect.number = number);
        let mut steps = vec![Vec::new(); places as usize];
        let mut asked = vec![Vec::new(); places as usize];
        let mut guarded = vec![Vec::new(); slots.len()];
        let mut valued = vec![Vec::new(); slots.len()];
        for (index, operator) in (0..).zip(&operators) {
            steps[operator.place as usize].push(index);
            let mut note = |fact: &Fact, of: &mut Vec<Vec<u32>>| {
                fact.walk(&mut |read| match read {
                    Read::Slot(slot) => of[slot as usize].push(index),
                    Read::Process(first, count) => {
                        (first..first + count).for_each(|place| asked[place as usize].push(index));
                    }
                });
            };
            note(&operator.guard, &mut guarded);
            if let Some((early, _)) = &operator.ready {
                note(early, &mut guarded);
            }
            for effect in operator.effects() {
                note(&effect.value, &mut valued);
                effect.when.iter().for_each(|(number, _)| note(number, &mut valued));
            }
            operator.asserted.iter().for_each(|condition| note(condition, &mut valued));
        }
        for lists in [&mut guarded, &mut valued, &mut asked] {
            lists.iter_mut().for_each(|list| {
                list.sort_unstable();
                list.dedup();
            });
        }
        let effect_count = operators.iter().flat_map(Operator::effects).count();
        let related = related(&instances, slots.len(), &operators, &goals);
        Ground {
            instances,
            living,
            channels,
            slots,
            operators,
            goals,
            steps,
            guarded,
            valued,
            asked,
            related,
            effect_count,
        }
    }

    /// Does what is looked for depend on the process?
    pub fn is_related(&self, pid: usize) -> bool {
        self.related.get(pid).is_none_or(|is_related| *is_related)
    }

    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    pub fn place_count(&self) -> usize {
        self.steps.len()
    }
}

/// Who brought a fact about, and of which value of the step's only source it is made.
#[derive(Clone, Copy, Default)]
pub(super) struct Support {
    pub layer: u32,
    pub operator: u32,
    pub source: Values,
}

/// The facts of one state after the other; its fields are used again and again.
#[derive(Default)]
pub(super) struct Graph {
    values: Vec<Values>,
    /// By slot and bit; means something if the slot has the value.
    supports: Vec<Support>,
    /// By place; [`NOT_YET`] if it is not reached.
    places: Vec<Support>,
    /// By operator: the round in which it was possible first.
    pub fired: Vec<u32>,
    /// By effect: the values of its source that it was applied to.
    applied: Vec<Values>,
    is_due: Vec<bool>,
    due: Vec<u32>,
    due_next: Vec<u32>,
    new_values: Vec<(SlotId, Values, Support)>,
    new_places: Vec<(u32, u32)>,
    layer: u32,
    /// How many operators were tried, for all states.
    pub tried: u64,
    /// By process: can it stand in a deadlock, and where?
    pub stuck: Vec<Option<u32>>,
}

impl Facts for Graph {
    fn values(&self, slot: SlotId) -> Values {
        self.values[slot as usize]
    }

    fn layer(&self, slot: SlotId, value: Values) -> u32 {
        self.support(slot, value).layer
    }

    fn place_layer(&self, place: u32) -> Option<u32> {
        Some(self.places[place as usize].layer).filter(|layer| *layer != NOT_YET)
    }
}

/// What ends the accumulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    Condition(usize),
    /// An assertion of an operator.
    Assertion(u32, usize),
    Deadlock,
}

impl Graph {
    pub fn support(&self, slot: SlotId, value: Values) -> Support {
        self.supports[slot as usize * 64 + value.bit() as usize]
    }

    pub fn place_support(&self, place: u32) -> Support {
        self.places[place as usize]
    }

    /// Accumulates facts from a state until something that is looked for is possible: all that is in the same round.
    pub fn grow(&mut self, ground: &Ground<'_>, vector: &[u8], met: &mut Vec<Met>) {
        met.clear();
        self.start(ground, vector);
        // Setting up takes its time, too.
        self.tried += (ground.slot_count() + ground.place_count()) as u64 / 8;
        loop {
            self.look(ground, met);
            if !met.is_empty() || self.layer > LAYERS_MAX {
                return;
            }
            let mut index = 0;
            while let Some(operator) = self.due.get(index).copied() {
                index += 1;
                self.is_due[operator as usize] = false;
                self.try_operator(ground, operator, met);
            }
            self.tried += index as u64;
            self.due.clear();
            if !met.is_empty() || !self.commit(ground) {
                return;
            }
        }
    }

    fn start(&mut self, ground: &Ground<'_>, vector: &[u8]) {
        let zero = Support { layer: 0, operator: NO_OPERATOR, source: Values::NONE };
        let nowhere = Support { layer: NOT_YET, ..zero };
        let read = |slot: &Slot| match slot.offset {
            Some(offset) => Values::only(slot.ty.read(&vector[offset as usize..])),
            // A variable of a process that does not live yet.
            None => Values::FALSE,
        };
        self.values.clear();
        self.values.extend(ground.slots.iter().map(read));
        self.supports.resize(ground.slots.len() * 64, zero);
        for channel in &ground.channels {
            self.read_channel(channel, vector);
        }
        for (slot, values) in self.values.iter().enumerate() {
            values.each().for_each(|value| self.supports[slot * 64 + value.bit() as usize] = zero);
        }
        self.places.clear();
        self.places.resize(ground.steps.len(), nowhere);
        self.fired.clear();
        self.fired.resize(ground.operators.len(), NOT_YET);
        self.applied.clear();
        self.applied.resize(ground.effect_count, Values::NONE);
        self.is_due.clear();
        self.is_due.resize(ground.operators.len(), false);
        self.due.clear();
        self.due_next.clear();
        self.new_values.clear();
        self.new_places.clear();
        self.layer = 0;
        self.stuck.clear();
        self.stuck.resize(ground.goals.blocked.len(), None);
        for instance in &ground.instances[..ground.living] {
            let Some(frame) = instance.frame else { continue };
            let state = instance.state(vector, frame);
            self.places[(instance.first_place + state) as usize] = zero;
            self.schedule_place(ground, instance.first_place + state);
        }
        std::mem::swap(&mut self.due, &mut self.due_next);
    }

    fn read_channel(&mut self, slots: &ChannelSlots<'_>, vector: &[u8]) {
        let Channel { fields, .. } = slots.channel;
        slots.fields.iter().for_each(|slot| self.values[*slot as usize] = Values::NONE);
        self.values[slots.ready as usize] = Values::FALSE;
        self.values[slots.level as usize] = Values::FALSE;
        let Some(offset) = slots.offset.filter(|_| !slots.is_rendezvous()) else { return };
        let len_type = slots.channel.len_type();
        let mut at = offset as usize;
        let len = len_type.read(&vector[at..]);
        at += len_type.bytes();
        self.values[slots.level as usize] = Values::only(len);
        for _ in 0..len {
            for (slot, ty) in slots.fields.iter().zip(fields) {
                let value = Values::only(ty.read(&vector[at..]));
                self.values[*slot as usize] = self.values[*slot as usize].or(value);
                at += ty.bytes();
            }
        }
    }

    fn schedule(&mut self, operator: u32, now: bool) {
        if !self.is_due[operator as usize] {
            self.is_due[operator as usize] = true;
            if now { self.due.push(operator) } else { self.due_next.push(operator) }
        }
    }

    fn schedule_place(&mut self, ground: &Ground<'_>, place: u32) {
        for operator in ground.steps[place as usize].iter().chain(&ground.asked[place as usize]) {
            self.schedule(*operator, false);
        }
    }

    /// Is something that is looked for possible by now?
    fn look(&mut self, ground: &Ground<'_>, met: &mut Vec<Met>) {
        for (index, condition) in ground.goals.conditions.iter().enumerate() {
            if condition.can_be(self, true) {
                met.push(Met::Condition(index));
            }
        }
        let mut is_stuck = !ground.goals.blocked.is_empty();
        for (index, places) in ground.goals.blocked.iter().enumerate() {
            if self.stuck[index].is_none() {
                let can_stand = |(place, blocked): &&(u32, Fact)| {
                    self.places[*place as usize].layer != NOT_YET && blocked.can_be(self, true)
                };
                let found = places.iter().find(can_stand).map(|(place, _)| *place);
                self.stuck[index] = found;
                is_stuck &= found.is_some();
            }
        }
        if is_stuck {
            met.push(Met::Deadlock);
        }
    }

    fn try_operator(&mut self, ground: &Ground<'_>, index: u32, met: &mut Vec<Met>) {
        let operator = &ground.operators[index as usize];
        if self.places[operator.place as usize].layer == NOT_YET {
            return;
        }
        if let Some((early, effects)) = &operator.ready
            && early.can_be(self, true)
        {
            effects.iter().for_each(|effect| self.apply(ground, effect, index));
        }
        if self.fired[index as usize] == NOT_YET {
            if !operator.guard.can_be(self, true) {
                return;
            }
            self.fired[index as usize] = self.layer;
            self.new_places.push((operator.to, index));
            operator.starts.iter().for_each(|place| self.new_places.push((*place, index)));
        }
        operator.effects.iter().for_each(|effect| self.apply(ground, effect, index));
        for (number, condition) in operator.asserted.iter().enumerate() {
            if condition.can_be(self, false) {
                met.push(Met::Assertion(index, number));
            }
        }
    }

    fn apply(&mut self, ground: &Ground<'_>, effect: &Effect, operator: u32) {
        if let Some((number, wanted)) = &effect.when
            && !number.values(self, None).has(*wanted)
        {
            return;
        }
        let ty = ground.slots[effect.slot as usize].ty;
        match effect.source {
            Some(slot) => {
                // What it makes of a value is always the same.
                let sources = self.values[slot as usize];
                let applied = std::mem::replace(&mut self.applied[effect.number as usize], sources);
                for source in sources.without(applied).each() {
                    let values = match effect.value {
                        Fact::Slot(_) => source,
                        _ => effect.value.values(self, Some((slot, source))),
                    };
                    self.add(ground, effect, values.cut(ty), operator, source);
                }
            }
            None => {
                let values = effect.value.values(self, None).cut(ty);
                self.add(ground, effect, values, operator, Values::NONE);
            }
        }
    }

    fn add(&mut self, ground: &Ground<'_>, effect: &Effect, values: Values, operator: u32, source: Values) {
        let new = values.and(effect.within).without(self.values[effect.slot as usize]);
        if new.is_empty() {
            return;
        }
        let support = Support { layer: self.layer, operator, source };
        match effect.at_once {
            true => {
                self.set(effect.slot, new, support);
                self.schedule_readers(ground, effect.slot, true);
            }
            false => {
                self.new_values.push((effect.slot, new, Support { layer: self.layer + 1, ..support }));
            }
        }
    }

    fn set(&mut self, slot: SlotId, values: Values, support: Support) {
        let new = values.without(self.values[slot as usize]);
        new.each().for_each(|value| self.supports[slot as usize * 64 + value.bit() as usize] = support);
        self.values[slot as usize] = self.values[slot as usize].or(new);
    }

    fn schedule_readers(&mut self, ground: &Ground<'_>, slot: SlotId, now: bool) {
        for operator in &ground.guarded[slot as usize] {
            if self.fired[*operator as usize] == NOT_YET {
                self.schedule(*operator, now);
            }
        }
        for operator in &ground.valued[slot as usize] {
            self.schedule(*operator, now);
        }
    }

    /// What this round brought about is there in the next; false if that is nothing.
    fn commit(&mut self, ground: &Ground<'_>) -> bool {
        self.layer += 1;
        let mut is_new = false;
        let new_places = std::mem::take(&mut self.new_places);
        for (place, operator) in &new_places {
            if self.places[*place as usize].layer == NOT_YET {
                let (layer, source) = (self.layer, Values::NONE);
                self.places[*place as usize] = Support { layer, operator: *operator, source };
                self.schedule_place(ground, *place);
                is_new = true;
            }
        }
        self.new_places = new_places;
        self.new_places.clear();
        let new_values = std::mem::take(&mut self.new_values);
        for (slot, values, support) in &new_values {
            if !values.without(self.values[*slot as usize]).is_empty() {
                self.set(*slot, *values, *support);
                self.schedule_readers(ground, *slot, false);
                is_new = true;
            }
        }
        self.new_values = new_values;
        self.new_values.clear();
        std::mem::swap(&mut self.due, &mut self.due_next);
        is_new
    }
}

impl Instance {
    /// The control state in the frame.
    fn state(&self, vector: &[u8], frame: u32) -> u32 {
        self.layout.state(&vector[frame as usize..]).0
    }
}
