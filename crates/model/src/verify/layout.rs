//! Rules about the vector: `numbers-fit`, `header`, `frame-bytes`, `scalar-bits`, `variable-bounds`, `params`,
//! `channel-bounds`, `channel-overlap`.

use super::Report;
use crate::{Channel, FrameLayout, Header, Model, ScalarType, Variable};
use std::ops::Range;

pub(super) fn check(model: &Model, report: &mut Report) {
    let count = model.processes.len();
    report.require(count <= 256, "numbers-fit", || format!("{count} process types"));
    let count = model.initial.len();
    report.require(count <= 255, "numbers-fit", || format!("{count} initial processes"));
    let count = model.channels.len();
    report.require(count <= 255, "numbers-fit", || format!("{count} global channels"));

    header(&model.header, report);
    contents(&model.variables, &model.channels, &Bounds::global(&model.header), "the model", report);
    for process in &model.processes {
        let (name, bytes) = (&process.name, process.frame.bytes);
        let frame = process.frame;
        report.require(bytes >= frame.fixed_bytes(), "frame-bytes", || format!("{name} has {bytes} bytes"));
        let first = model.processes[0].frame;
        let same = (frame.no_priority, frame.short_state) == (first.no_priority, first.short_state);
        let room = !frame.short_state || process.states.len() <= 256;
        report.require(same && room, "frame-bytes", || format!("{name} has {frame:?}"));
        report.require(!(frame.no_priority && model.uses_priorities), "frame-bytes", || {
            format!("{name} has no priority")
        });
        contents(&process.variables, &process.channels, &Bounds::frame(frame), name, report);
        let exist = process.param_count <= process.variables.len();
        report.require(exist, "params", || format!("{name} has {} parameters", process.param_count));
    }
}

fn header(header: &Header, report: &mut Report) {
    let mut next = header.process_count() as u32 + 1;
    for (part, bytes, name) in [(header.last, 1, "the last process"), (header.monitor, 2, "the monitor")] {
        if let Some(offset) = part {
            report.require(offset >= next, "header", || format!("{name} is at {offset}, not behind {next}"));
            next = offset.saturating_add(bytes);
        }
    }
    let frames = header.frames;
    report.require(frames >= next, "header", || format!("frames start at {frames}, inside the fixed part"));
}

fn contents(variables: &[Variable], channels: &[Channel], bounds: &Bounds, owner: &str, report: &mut Report) {
    for variable in variables {
        let name = format!("variable {} of {owner}", variable.name);
        bits(variable.ty, &name, report);
        let range = variable_range(variable);
        let holds = variable.count > 0 && bounds.contain(&range);
        report.require(holds, "variable-bounds", || format!("{name} has bytes {range:?}"));
    }
    for (index, channel) in channels.iter().enumerate() {
        let name = format!("channel {} of {owner}", channel.name);
        channel.fields.iter().for_each(|field| bits(*field, &name, report));
        let shown = channel.fields.len() == channel.displays.len();
        report.require(shown, "channel-bounds", || format!("{name} does not show each of its fields"));
        let range = channel_range(channel);
        let holds = range.is_empty() || bounds.contain(&range);
        report.require(holds, "channel-bounds", || format!("{name} has bytes {range:?}"));
        let others = variables.iter().map(|v| (&v.name, variable_range(v)));
        let others = others.chain(channels[..index].iter().map(|c| (&c.name, channel_range(c))));
        for (other, taken) in others.filter(|(_, taken)| overlap(taken, &range)) {
            report.add("channel-overlap", format!("{name} has bytes {range:?}, {other} has {taken:?}"));
        }
    }
}

pub(super) fn bits(ty: ScalarType, name: &str, report: &mut Report) {
    report.require((1..=32).contains(&ty.bits), "scalar-bits", || {
        format!("{name} has a type of {} bits", ty.bits)
    });
}

/// The bytes that variables and channels may use: the hidden part and what lies behind the fixed bytes.
pub(super) struct Bounds {
    hidden: Range<u64>,
    open: Range<u64>,
}

impl Bounds {
    pub fn global(header: &Header) -> Bounds {
        let hidden = 0..u64::from(header.hidden_bytes);
        Bounds { hidden, open: u64::from(header.globals())..u64::from(header.frames) }
    }

    pub fn frame(frame: FrameLayout) -> Bounds {
        Bounds { hidden: 0..0, open: u64::from(frame.fixed_bytes())..u64::from(frame.bytes) }
    }

    pub fn contain(&self, range: &Range<u64>) -> bool {
        [&self.hidden, &self.open].iter().any(|part| part.start <= range.start && range.end <= part.end)
    }
}

fn variable_range(variable: &Variable) -> Range<u64> {
    let start = u64::from(variable.offset);
    start..start + u64::from(variable.count) * variable.ty.bytes() as u64
}

fn channel_range(channel: &Channel) -> Range<u64> {
    let start = u64::from(channel.offset);
    start..start + channel.total_bytes() as u64
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
