//! Expressions over facts: what a condition of the model asks of sets of values, and which facts make it so.
//!
//! They are made once for the processes that live ([`super::ground`]): subscripts, process numbers and channels that are known are
//! put in, so that an expression names slots (variables, fields and lengths of channels) and places of processes only.

use super::values::Values;
use panoptes_model::{BinaryOp, UnaryOp};
use std::sync::Arc;

pub(super) type SlotId = u32;

#[derive(Clone, Debug)]
pub(super) enum Fact {
    /// It may be anything.
    Unknown,
    Const(i32),
    Slot(SlotId),
    /// What depends on one slot alone: the values for which it holds, and those for which it fails. (Values without a bit of their own
    /// may be among both.)
    Within {
        slot: SlotId,
        holds: Values,
        fails: Values,
    },
    /// What is made of one slot alone: by the bit of its value, what that gives.
    Table {
        slot: SlotId,
        gives: Arc<[Values; 64]>,
    },
    /// A process stands at one of these control states; the first state of the process, and their number.
    At {
        first: u32,
        states: Vec<u32>,
        count: u32,
    },
    Unary(UnaryOp, Box<Fact>),
    Binary(BinaryOp, Box<Fact>, Box<Fact>),
    All(Vec<Fact>),
    Any(Vec<Fact>),
    Cond(Box<Fact>, Box<Fact>, Box<Fact>),
    /// The one whose number is the value of the first.
    Pick(Box<Fact>, Vec<(i32, Fact)>),
}

impl Fact {
    pub const TRUE: Fact = Fact::Const(1);

    pub fn not(self) -> Fact {
        Fact::Unary(UnaryOp::Not, Box::new(self))
    }

    pub fn binary(op: BinaryOp, left: Fact, right: Fact) -> Fact {
        Fact::Binary(op, Box::new(left), Box::new(right))
    }

    /// A slot compared with a number.
    pub fn compare(slot: SlotId, op: BinaryOp, number: i32) -> Fact {
        Fact::binary(op, Fact::Slot(slot), Fact::Const(number)).tabulated()
    }

    pub fn all(mut parts: Vec<Fact>) -> Fact {
        parts.retain(|part| !matches!(part, Fact::Const(value) if *value != 0));
        match parts.len() {
            0 => Fact::TRUE,
            1 => parts.remove(0),
            _ => Fact::All(parts),
        }
    }

    /// That the slot has one of these values.
    pub fn within(slot: SlotId, holds: Values) -> Fact {
        Fact::Within { slot, holds, fails: Values::ALL.without(holds) }
    }

    /// The same as a table of values, if it is made of one slot.
    pub fn tabulated(self) -> Fact {
        let is_done = matches!(self, Fact::Slot(_) | Fact::Within { .. } | Fact::Table { .. });
        let Some(slot) = self.only_slot().filter(|_| !is_done) else { return self };
        if !self.is_truth() {
            let mut gives = [Values::NONE; 64];
            for value in Values::ALL.each() {
                gives[value.bit() as usize] = self.values(&NoFacts, Some((slot, value)));
            }
            return Fact::Table { slot, gives: Arc::new(gives) };
        }
        let (mut holds, mut fails) = (Values::NONE, Values::NONE);
        for value in Values::ALL.each() {
            let truth = self.values(&NoFacts, Some((slot, value)));
            holds = if truth.can_be(true) { holds.or(value) } else { holds };
            fails = if truth.can_be(false) { fails.or(value) } else { fails };
        }
        Fact::Within { slot, holds, fails }
    }

    /// The values that it can have whatever is so.
    pub fn possible(&self) -> Values {
        match self {
            Fact::Const(value) => Values::only(*value),
            Fact::Table { gives, .. } => gives.iter().copied().fold(Values::NONE, Values::or),
            _ => Values::ALL,
        }
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Fact::Const(value) if *value != 0)
    }

    /// Calls `visit` on every slot and every place (its first state and how many there are).
    pub fn walk(&self, visit: &mut dyn FnMut(Read)) {
        match self {
            Fact::Unknown | Fact::Const(_) => {}
            Fact::Slot(slot) | Fact::Within { slot, .. } | Fact::Table { slot, .. } => {
                visit(Read::Slot(*slot));
            }
            Fact::At { first, count, .. } => visit(Read::Process(*first, *count)),
            Fact::Unary(_, operand) => operand.walk(visit),
            Fact::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            Fact::All(parts) | Fact::Any(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Fact::Cond(condition, then, otherwise) => {
                condition.walk(visit);
                then.walk(visit);
                otherwise.walk(visit);
            }
            Fact::Pick(index, options) => {
                index.walk(visit);
                options.iter().for_each(|(_, option)| option.walk(visit));
            }
        }
    }

    /// The only slot that it reads, if it is one.
    pub fn only_slot(&self) -> Option<SlotId> {
        let (mut found, mut is_one) = (None, true);
        self.walk(&mut |read| match read {
            Read::Slot(slot) if found.is_none_or(|known| known == slot) => found = Some(slot),
            _ => is_one = false,
        });
        found.filter(|_| is_one)
    }
}

/// What a fact depends on.
pub(super) enum Read {
    Slot(SlotId),
    Process(u32, u32),
}

/// What can be so by now. A *layer* is after how many rounds of steps it can.
pub(super) trait Facts {
    fn values(&self, slot: SlotId) -> Values;
    /// The layer of a slot's value.
    fn layer(&self, slot: SlotId, value: Values) -> u32;
    /// The layer of a process's place, if it can be there.
    fn place_layer(&self, place: u32) -> Option<u32>;
}

/// Where nothing is asked.
struct NoFacts;

impl Facts for NoFacts {
    fn values(&self, _: SlotId) -> Values {
        Values::NONE
    }

    fn layer(&self, _: SlotId, _: Values) -> u32 {
        0
    }

    fn place_layer(&self, _: u32) -> Option<u32> {
        None
    }
}

/// A fact that a plan must bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    Value(SlotId, Values),
    Place(u32),
}

/// Pairs of values that a relation is looked at with when its cheapest one is wanted.
const PAIRS_MAX: u32 = 256;

impl Fact {
    /// The values that it can have; `fixed` is a slot of which only one value counts.
    pub fn values(&self, facts: &impl Facts, fixed: Option<(SlotId, Values)>) -> Values {
        match self {
            Fact::Unknown => Values::ALL,
            Fact::Const(value) => Values::only(*value),
            Fact::Slot(slot) => match fixed {
                Some((same, value)) if same == *slot => value,
                _ => facts.values(*slot),
            },
            Fact::Within { slot, holds, fails } => {
                let values = match fixed {
                    Some((same, value)) if same == *slot => value,
                    _ => facts.values(*slot),
                };
                let is_true = if values.and(*holds).is_empty() { Values::NONE } else { Values::TRUE };
                if values.and(*fails).is_empty() { is_true } else { is_true.or(Values::FALSE) }
            }
            Fact::Table { slot, gives } => match fixed {
                Some((same, value)) if same == *slot => gives[value.bit() as usize],
                _ => {
                    let values = facts.values(*slot).each();
                    values.map(|value| gives[value.bit() as usize]).fold(Values::NONE, Values::or)
                }
            },
            Fact::At { .. } => {
                let truth = |wanted: bool| self.place(facts, wanted).is_some();
                let is_true = if truth(true) { Values::TRUE } else { Values::NONE };
                if truth(false) { is_true.or(Values::FALSE) } else { is_true }
            }
            Fact::Unary(op, operand) => operand.values(facts, fixed).unary(*op),
            Fact::Binary(op, left, right) => {
                left.values(facts, fixed).binary(*op, right.values(facts, fixed))
            }
            Fact::All(parts) => parts.iter().fold(Values::TRUE, |all, part| match all.can_be(true) {
                true => all.binary(BinaryOp::And, part.values(facts, fixed)),
                false => all,
            }),
            Fact::Any(parts) => parts.iter().fold(Values::FALSE, |any, part| match any.can_be(false) {
                true => any.binary(BinaryOp::Or, part.values(facts, fixed)),
                false => any,
            }),
            Fact::Cond(condition, then, otherwise) => {
                let truth = condition.values(facts, fixed);
                let of = |wanted: bool, part: &Fact| match truth.can_be(wanted) {
                    true => part.values(facts, fixed),
                    false => Values::NONE,
                };
                of(true, then).or(of(false, otherwise))
            }
            Fact::Pick(index, options) => {
                let chosen = index.values(facts, fixed);
                let options = options.iter().filter(|(number, _)| chosen.has(*number));
                options.map(|(_, option)| option.values(facts, fixed)).fold(Values::NONE, Values::or)
            }
        }
    }

    pub fn can_be(&self, facts: &impl Facts, wanted: bool) -> bool {
        match self {
            Fact::All(parts) if wanted => parts.iter().all(|part| part.can_be(facts, true)),
            Fact::Any(parts) if wanted => parts.iter().any(|part| part.can_be(facts, true)),
            Fact::Unary(UnaryOp::Not, operand) => operand.can_be(facts, !wanted),
            Fact::Within { slot, holds, fails } => {
                !facts.values(*slot).and(if wanted { *holds } else { *fails }).is_empty()
            }
            _ => self.values(facts, None).can_be(wanted),
        }
    }

    /// The place of the process that makes it so, and its layer.
    fn place(&self, facts: &impl Facts, wanted: bool) -> Option<(u32, u32)> {
        let Fact::At { first, states, count } = self else { return None };
        let places = (0..*count).filter(|state| states.contains(state) == wanted).map(|state| first + state);
        let reached = places.filter_map(|place| Some((facts.place_layer(place)?, place)));
        reached.min().map(|(layer, place)| (place, layer))
    }

    /// In which layer it can be so at last; 0 where that is not known.
    fn layer(&self, facts: &impl Facts, wanted: bool) -> u32 {
        match self {
            Fact::Unary(UnaryOp::Not, operand) => operand.layer(facts, !wanted),
            Fact::All(parts) | Fact::Any(parts) => {
                let layers = parts.iter().filter(|part| part.can_be(facts, wanted));
                let layers = layers.map(|part| part.layer(facts, wanted));
                if matches!(self, Fact::All(_)) == wanted { layers.max() } else { layers.min() }.unwrap_or(0)
            }
            Fact::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let parts = [left, right].into_iter().filter(|part| part.can_be(facts, wanted));
                let layers = parts.map(|part| part.layer(facts, wanted));
                if (*op == BinaryOp::And) == wanted { layers.max() } else { layers.min() }.unwrap_or(0)
            }
            Fact::At { .. } => self.place(facts, wanted).map_or(0, |(_, layer)| layer),
            Fact::Binary(op, left, right) => {
                cheapest_pair(facts, *op, left, right, wanted).map_or(0, |it| it.0)
            }
            Fact::Slot(_) | Fact::Pick(..) | Fact::Within { .. } | Fact::Table { .. } => {
                cheapest(facts, self, wanted).map_or(0, |it| it.0)
            }
            _ => 0,
        }
    }

    /// Lists the facts that make it so, the cheapest where there is a choice.
    pub fn explain(&self, facts: &impl Facts, wanted: bool, needed: &mut Vec<Needed>) {
        match self {
            Fact::Unary(UnaryOp::Not, operand) => operand.explain(facts, !wanted, needed),
            Fact::All(parts) | Fact::Any(parts) => {
                explain_parts(facts, parts.iter(), matches!(self, Fact::All(_)) == wanted, wanted, needed);
            }
            Fact::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let parts = [&**left, &**right].into_iter();
                explain_parts(facts, parts, (*op == BinaryOp::And) == wanted, wanted, needed);
            }
            Fact::At { .. } => {
                needed.extend(self.place(facts, wanted).map(|(place, _)| Needed::Place(place)));
            }
            Fact::Binary(op, left, right) => {
                if let Some((_, a, b)) = cheapest_pair(facts, *op, left, right, wanted) {
                    left.explain_value(facts, a, needed);
                    right.explain_value(facts, b, needed);
                }
            }
            Fact::Within { slot, .. } => {
                if let Some((_, value)) = cheapest(facts, self, wanted) {
                    needed.push(Needed::Value(*slot, value));
                }
            }
            Fact::Slot(_) | Fact::Pick(..) | Fact::Table { .. } => {
                if let Some((_, value)) = cheapest(facts, self, wanted) {
                    self.explain_value(facts, value, needed);
                }
            }
            _ => {}
        }
    }

    /// The layer of one of its values; 0 where that is not known.
    fn value_layer(&self, facts: &impl Facts, value: Values) -> u32 {
        match self {
            Fact::Slot(slot) => facts.layer(*slot, value),
            Fact::Pick(index, options) => picks(facts, index, options, value).map_or(0, |(layer, ..)| layer),
            _ if self.is_truth() => self.layer(facts, value.can_be(true)),
            Fact::Table { .. } | Fact::Unary(..) | Fact::Binary(..) => {
                self.source(facts, value).map_or(0, |(layer, ..)| layer)
            }
            _ => 0,
        }
    }

    /// Is its value 0 or 1?
    fn is_truth(&self) -> bool {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        match self {
            Fact::All(_)
            | Fact::Any(_)
            | Fact::At { .. }
            | Fact::Within { .. }
            | Fact::Unary(UnaryOp::Not, _) => true,
            Fact::Binary(op, ..) => matches!(op, And | Eq | Ge | Gt | Le | Lt | Ne | Or),
            _ => false,
        }
    }

    /// If it is made of one slot: the value of that which gives this value soonest.
    fn source(&self, facts: &impl Facts, value: Values) -> Option<(u32, SlotId, Values)> {
        if let Fact::Table { slot, gives } = self {
            let values = facts.values(*slot).each();
            let found = values.filter(|one| !gives[one.bit() as usize].and(value).is_empty());
            let measured = found.map(|one| (facts.layer(*slot, one), one));
            return soonest(measured).map(|(layer, one)| (layer, *slot, one));
        }
        let slot = self.only_slot()?;
        let gives = |one: &Values| !self.values(facts, Some((slot, *one))).and(value).is_empty();
        let found = facts.values(slot).each().filter(gives).map(|one| (facts.layer(slot, one), one));
        soonest(found).map(|(layer, one)| (layer, slot, one))
    }

    /// Lists the facts that give it this value.
    pub fn explain_value(&self, facts: &impl Facts, value: Values, needed: &mut Vec<Needed>) {
        match self {
            Fact::Slot(slot) => needed.push(Needed::Value(*slot, value)),
            Fact::Pick(index, options) => {
                if let Some((_, number, option)) = picks(facts, index, options, value) {
                    index.explain_value(facts, Values::only(number), needed);
                    option.explain_value(facts, value, needed);
                }
            }
            _ if self.is_truth() => self.explain(facts, value.can_be(true), needed),
            Fact::Table { .. } | Fact::Unary(..) | Fact::Binary(..) => {
                if let Some((_, slot, one)) = self.source(facts, value) {
                    needed.push(Needed::Value(slot, one));
                }
            }
            _ => {}
        }
    }
}

fn explain_parts<'f>(
    facts: &impl Facts,
    parts: impl Iterator<Item = &'f Fact>,
    all: bool,
    wanted: bool,
    needed: &mut Vec<Needed>,
) {
    if all {
        parts.for_each(|part| part.explain(facts, wanted, needed));
        return;
    }
    let possible = parts.filter(|part| part.can_be(facts, wanted));
    if let Some(part) = possible.min_by_key(|part| part.layer(facts, wanted)) {
        part.explain(facts, wanted, needed);
    }
}

/// The option that gives the value soonest: its layer, its number, and itself.
fn picks<'f>(
    facts: &impl Facts,
    index: &Fact,
    options: &'f [(i32, Fact)],
    value: Values,
) -> Option<(u32, i32, &'f Fact)> {
    let chosen = index.values(facts, None);
    let gives = |option: &Fact| !option.values(facts, None).and(value).is_empty();
    let possible = options.iter().filter(|(number, option)| chosen.has(*number) && gives(option));
    let measured = possible.map(|(number, option)| {
        let layer = index.value_layer(facts, Values::only(*number)).max(option.value_layer(facts, value));
        (layer, (*number, option))
    });
    soonest(measured).map(|(layer, (number, option))| (layer, number, option))
}

/// The first of those with the least layer. Most of what is asked for is so in the state itself, and nothing is sooner than that.
fn soonest<T>(measured: impl Iterator<Item = (u32, T)>) -> Option<(u32, T)> {
    let mut best: Option<(u32, T)> = None;
    for (layer, one) in measured {
        if best.as_ref().is_none_or(|(least, _)| layer < *least) {
            best = Some((layer, one));
        }
        if layer == 0 {
            break;
        }
    }
    best
}

/// The value that is true or false soonest, and its layer.
fn cheapest(facts: &impl Facts, fact: &Fact, wanted: bool) -> Option<(u32, Values)> {
    if let Fact::Within { slot, holds, fails } = fact {
        let values = facts.values(*slot).and(if wanted { *holds } else { *fails });
        return soonest(values.each().map(|value| (facts.layer(*slot, value), value)));
    }
    let values = fact.values(facts, None).each().filter(|value| value.can_be(wanted));
    soonest(values.map(|value| (fact.value_layer(facts, value), value)))
}

/// Of a layer that was not asked for yet.
const UNKNOWN: u32 = u32::MAX;

/// The values for which a relation holds, or does not, soonest.
fn cheapest_pair(
    facts: &impl Facts,
    op: BinaryOp,
    left: &Fact,
    right: &Fact,
    wanted: bool,
) -> Option<(u32, Values, Values)> {
    let (all_left, all_right) = (left.values(facts, None), right.values(facts, None));
    if all_left.count() * all_right.count() > PAIRS_MAX {
        return None;
    }
    let mut best: Option<(u32, Values, Values)> = None;
    let mut right_layers = [UNKNOWN; 64];
    for a in all_left.each() {
        let own = left.value_layer(facts, a);
        for b in all_right.each() {
            if best.is_some_and(|(least, ..)| least <= own) {
                break;
            }
            if !a.binary(op, b).can_be(wanted) {
                continue;
            }
            let known = &mut right_layers[b.bit() as usize];
            if *known == UNKNOWN {
                *known = right.value_layer(facts, b);
            }
            let layer = own.max(*known);
            if best.is_none_or(|(least, ..)| layer < least) {
                best = Some((layer, a, b));
            }
        }
        if best.is_some_and(|(least, ..)| least == 0) {
            break;
        }
    }
    best
}
