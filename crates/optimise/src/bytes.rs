//! Which values each byte of a state can have: whether states are few enough to be numbered.
//!
//! That can be told where every process is there from the start: then the byte at some place of the vector always belongs
//! to the same variable, or there are so few processes left that it is not there.

use crate::code::starts_processes;
use crate::facts::Facts;
use crate::ranges::{Interval, Ranges};
use panoptes_model::{Channel, FrameLayout, Model, ScalarType, Variable};

/// The values of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteValues {
    /// Where it is in the vector, the hidden part not counted.
    pub at: u32,
    pub low: u8,
    pub high: u8,
}

/// The bytes that have more than one value. None if a process may start later, or nothing is known of the values.
pub fn byte_values(model: &Model) -> Option<Vec<ByteValues>> {
    if starts_processes(model) {
        return None;
    }
    let facts = Facts::of(model)?;
    let ranges = Ranges::of(model, &facts);
    let mut bytes = Bytes::new(model);
    bytes.widen(model.header.process_count(), Interval::new(0, model.initial.len() as i64));
    for (variable, index) in model.variables.iter().zip(0..) {
        bytes.variable(0, variable, ranges.global(index));
    }
    bytes.channels(0, &model.channels, &ranges.channels);
    if let Some(monitor) = &model.monitor
        && let Some(at) = model.header.monitor
    {
        let count = model.process(monitor.process).states.len();
        bytes.scalar(at as usize, ScalarType::unsigned(16), Interval::new(0, count as i64));
    }
    let mut start = model.header.frames as usize;
    for initial in &model.initial {
        let process = model.process(initial.process);
        let frame = process.frame;
        bytes.constant(start + FrameLayout::TYPE);
        let state = if frame.short_state { ScalarType::BYTE } else { ScalarType::unsigned(16) };
        let states = Interval::new(0, process.states.len() as i64 - 1);
        bytes.scalar(start + frame.state_at(), state, states);
        if !frame.no_priority && !model.uses_priorities {
            bytes.constant(start + FrameLayout::PRIORITY);
        }
        for (variable, index) in process.variables.iter().zip(0..) {
            bytes.variable(start, variable, ranges.local(initial.process, index));
        }
        bytes.channels(start, &process.channels, &ranges.own_channels[initial.process.index()]);
        start += frame.bytes as usize;
    }
    Some(bytes.listed(model.header.hidden_bytes as usize))
}

/// What is known of each byte of the longest vector; nothing where a variable has all values, or where no variable is.
struct Bytes(Vec<Option<(u8, u8)>>, Vec<bool>);

impl Bytes {
    fn new(model: &Model) -> Bytes {
        let frames = model.initial.iter().map(|initial| model.process(initial.process).frame.bytes);
        let len = (model.header.frames + frames.sum::<u32>()) as usize;
        Bytes(vec![None; len], vec![false; len])
    }

    fn constant(&mut self, at: usize) {
        self.1[at] = true;
    }

    /// A byte holds at least these values.
    fn widen(&mut self, at: usize, values: Interval) {
        let (low, high) = (values.low.clamp(0, 255) as u8, values.high.clamp(0, 255) as u8);
        let (known_low, known_high) = self.0[at].unwrap_or((low, high));
        self.0[at] = Some((low.min(known_low), high.max(known_high)));
    }

    /// A value and zero: what is not there any more is zero.
    fn scalar(&mut self, at: usize, ty: ScalarType, values: Interval) {
        let values = values.join(Interval::only(0));
        for byte in 0..ty.bytes() {
            let shift = 8 * byte as u32;
            // The bytes of negative numbers, and the lower bytes of large ones, can be anything.
            let of_byte = match values.low < 0 || values.high >> shift > 255 {
                true => Interval::new(0, 255),
                false => Interval::new(0, values.high >> shift),
            };
            self.widen(at + byte, of_byte);
        }
    }

    fn variable(&mut self, start: usize, variable: &Variable, values: Interval) {
        for element in 0..variable.count as usize {
            self.scalar(
                start + variable.offset as usize + element * variable.ty.bytes(),
                variable.ty,
                values,
            );
        }
    }

    fn channels(&mut self, start: usize, channels: &[Channel], values: &[Vec<Option<Interval>>]) {
        for (channel, values) in channels.iter().zip(values).filter(|(channel, _)| !channel.is_rendezvous()) {
            let mut at = start + channel.offset as usize;
            self.scalar(at, channel.len_type(), Interval::new(0, channel.capacity.into()));
            at += channel.len_type().bytes();
            for _ in 0..channel.capacity {
                for (field, values) in channel.fields.iter().zip(values) {
                    self.scalar(at, *field, values.unwrap_or(Interval::only(0)));
                    at += field.bytes();
                }
            }
        }
    }

    fn listed(self, hidden_bytes: usize) -> Vec<ByteValues> {
        let bytes = self.0.into_iter().zip(self.1).enumerate().skip(hidden_bytes);
        bytes
            .filter(|(_, (_, is_constant))| !is_constant)
            .map(|(at, (values, _))| {
                let (low, high) = values.unwrap_or((0, 255));
                ByteValues { at: (at - hidden_bytes) as u32, low, high }
            })
            .filter(|byte| byte.low < byte.high)
            .collect()
    }
}
