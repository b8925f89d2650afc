//! How many values the parts of a state can have: what can be said of the number of states before any search.
//!
//! Control states count where rules that may be taken lead, messages and variables by the intervals of their values. The
//! product of all is a bound on the number of states, and often a wild one; the bits are those that a vector needs in which each part has
//! the bits that its values need (Holzmann, *On Limits and Possibilities of Automated Protocol Analysis*, 1987).

use crate::code::starts_processes;
use crate::facts::Facts;
use crate::minimise::reachable;
use crate::ranges::{Interval, Ranges};
use panoptes_model::{Action, Channel, Model, ProcId, ProcessKind, Variable, is_never_taken};

/// A number that may be too large to be written down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// None if it has more than 128 bits.
    pub number: Option<u128>,
    /// Its logarithm to base two.
    pub log2: f64,
}

/// What the parts of a state can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    pub machines: Vec<MachineSize>,
    pub channels: Vec<ChannelSize>,
    /// All machines together, all channels, all variables, and everything.
    pub control: Count,
    pub contents: Count,
    pub values: Count,
    pub states: Count,
    /// What a vector takes that has for each part the bits that its values need.
    pub bits: u64,
    /// What a vector takes as it is.
    pub vector_bytes: u32,
    /// Processes may start later. Each type is counted once, but there may be more of them.
    pub is_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSize {
    pub process: ProcId,
    /// How many there are from the start; one if it is started later.
    pub instances: u32,
    /// Its control states and, if it can go away, one more.
    pub states: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChannelSize {
    pub name: String,
    /// Whose it is, if it is not global; there is one for each instance.
    pub process: Option<ProcId>,
    /// What it can hold.
    pub contents: Count,
}

impl Count {
    pub const ONE: Count = Count { number: Some(1), log2: 0.0 };

    pub fn new(number: u128) -> Count {
        Count { number: Some(number), log2: (number as f64).log2() }
    }

    pub fn times(self, other: Count) -> Count {
        let number = self.number.zip(other.number).and_then(|(a, b)| a.checked_mul(b));
        Count { number, log2: self.log2 + other.log2 }
    }

    pub fn power(self, exponent: u32) -> Count {
        let number = self.number.and_then(|number| number.checked_pow(exponent));
        Count { number, log2: self.log2 * f64::from(exponent) }
    }

    /// The bits that tell so many values apart.
    pub fn bits(self) -> u64 {
        match self.number {
            Some(number) => u64::from(128 - number.saturating_sub(1).leading_zeros()),
            None => self.log2.ceil() as u64,
        }
    }
}

/// The sizes of a model; none if nothing is known of its values. Best asked of an optimised one.
pub fn sizes(model: &Model) -> Option<Sizes> {
    let facts = Facts::of(model)?;
    let ranges = Ranges::of(model, &facts);
    let mut sizes = Sizes {
        machines: Vec::new(),
        channels: Vec::new(),
        control: Count::ONE,
        contents: Count::ONE,
        values: Count::ONE,
        states: Count::ONE,
        bits: 0,
        vector_bytes: model.header.frames - model.header.hidden_bytes,
        is_open: starts_processes(model),
    };
    sizes.variables(&model.variables, 1, |index| ranges.global(index));
    sizes.channels(None, &model.channels, &ranges.channels, 1);
    if let Some(monitor) = &model.monitor {
        sizes.add_control(monitor.process, 1, model.process(monitor.process).states.len() as u64 + 1);
    }
    if model.header.last.is_some() {
        sizes.add_value(Count::new(model.initial.len().max(1) as u128), 1);
    }
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        if process.kind != ProcessKind::Process {
            continue;
        }
        let initial = model.initial.iter().filter(|initial| initial.process == id).count() as u32;
        let instances = initial.max(1);
        sizes.vector_bytes += initial * process.frame.bytes;
        sizes.add_control(id, instances, control_states(model, id));
        if model.uses_priorities {
            sizes.add_value(Count::new(256), instances);
        }
        sizes.variables(&process.variables, instances, |index| ranges.local(id, index));
        sizes.channels(Some(id), &process.channels, &ranges.own_channels[id.index()], instances);
    }
    sizes.states = sizes.control.times(sizes.contents).times(sizes.values);
    Some(sizes)
}

/// Where a process may stand, and whether it can be gone.
fn control_states(model: &Model, id: ProcId) -> u64 {
    let reachable = reachable(model, id);
    let states = model.process(id).states.iter().zip(&reachable).filter(|(_, yes)| **yes);
    let rules = || states.clone().flat_map(|(state, _)| &state.transitions).map(|id| model.transition(*id));
    let exits = rules().any(|rule| {
        !is_never_taken(rule) && rule.actions.iter().any(|action| matches!(action, Action::Exit))
    });
    states.count() as u64 + u64::from(exits)
}

impl Sizes {
    fn add_control(&mut self, process: ProcId, instances: u32, states: u64) {
        let count = Count::new(states.into());
        self.control = self.control.times(count.power(instances));
        self.bits += count.bits() * u64::from(instances);
        self.machines.push(MachineSize { process, instances, states });
    }

    fn variables(&mut self, variables: &[Variable], instances: u32, values: impl Fn(usize) -> Interval) {
        for (index, variable) in variables.iter().enumerate() {
            self.add_value(width(values(index)), variable.count.saturating_mul(instances));
        }
    }

    fn add_value(&mut self, one: Count, number: u32) {
        self.values = self.values.times(one.power(number));
        self.bits += one.bits() * u64::from(number);
    }

    fn channels(
        &mut self,
        process: Option<ProcId>,
        channels: &[Channel],
        values: &[Vec<Option<Interval>>],
        instances: u32,
    ) {
        for (channel, fields) in channels.iter().zip(values).filter(|(channel, _)| !channel.is_rendezvous()) {
            // Nothing is ever sent if a field has no value.
            let messages =
                fields.iter().try_fold(Count::ONE, |count, field| Some(count.times(width((*field)?))));
            let contents = messages.map_or(Count::ONE, |messages| contents(messages, channel.capacity));
            self.contents = self.contents.times(contents.power(instances));
            self.bits += contents.bits() * u64::from(instances);
            self.channels.push(ChannelSize { name: channel.name.clone(), process, contents });
        }
    }
}

/// How many sequences of up to so many messages there are.
fn contents(messages: Count, capacity: u16) -> Count {
    let exact = messages.number.and_then(|messages| {
        let mut sum: u128 = 1;
        for _ in 0..capacity {
            sum = sum.checked_mul(messages)?.checked_add(1)?;
        }
        Some(sum)
    });
    // The longest ones are most of them: of m kinds of messages, m / (m - 1) times as many are all together.
    let all = messages.log2 * f64::from(capacity) - (1.0 - (-messages.log2).exp2()).log2();
    exact.map_or(Count { number: None, log2: all }, Count::new)
}

fn width(values: Interval) -> Count {
    Count::new((values.high - values.low + 1).max(1) as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_holds_any_sequence_of_messages_up_to_its_length() {
        assert_eq!(contents(Count::new(2), 1).number, Some(3));
        assert_eq!(contents(Count::new(3), 2).number, Some(1 + 3 + 9));
        assert_eq!(contents(Count::new(1), 4).number, Some(5));
        let many = contents(Count::new(1 << 32), 8);
        assert_eq!(many.number, None);
        assert!((many.log2 - 256.0).abs() < 0.01, "{many:?}");
    }

    #[test]
    fn bits_are_those_that_tell_values_apart() {
        let bits = [1, 2, 3, 4, 6, 256, 257].map(|number| Count::new(number).bits());
        assert_eq!(bits, [0, 1, 2, 2, 3, 8, 9]);
        assert_eq!(Count::new(1 << 100).power(2).bits(), 200);
    }
}
