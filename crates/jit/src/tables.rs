//! The machine of a model before any of it is compiled: its tables of types, control states, channels and rules.

use crate::context::{ChannelEntry, Context, FIELDS_MAX, Record};
use crate::machine::{Accepts, CODES_MIN, Machine, Rule, StateEntry, TypeTable};
use crate::native::settings_behind_send;
use crate::shapes::{Shape, shape_index, shapes};
use crate::state::may_accept;
use panoptes_model::{Action, Channel, ControlState, Expr, Model, Process, ProcessKind, TransId};

/// The machine of a model none of whose control states is compiled yet.
pub(crate) fn machine(model: &Model) -> Machine {
    let shapes = shapes(model);
    let mut uses_timeout = false;
    model.walk_rules(&mut |expr| uses_timeout |= matches!(expr, Expr::Timeout));
    let states = model.processes.iter().flat_map(|process| &process.states);
    // A block that begins with receives can take a message on offer in several ways.
    let ways = |id: &TransId| match &model.transition(*id).actions[..] {
        [Action::Block(id), ..] => {
            let block = model.block(*id);
            block.nodes[block.entry as usize].steps.len().max(1)
        }
        _ => 1,
    };
    let steps_max = states.map(|state| state.transitions.iter().map(ways).sum()).max().unwrap_or(0).max(1);
    let rule = |transition: &panoptes_model::Transition| Rule {
        keeps_control: transition.keeps_control,
        to: transition.to.map_or(0, |to| to.0 as u16),
        sets: settings_behind_send(&transition.actions),
    };
    Machine {
        context: Context {
            out: std::ptr::null_mut(),
            records: std::ptr::null_mut(),
            frames: std::ptr::null(),
            channels: std::ptr::null(),
            first_channels: std::ptr::null(),
            stride: 0,
            message: std::ptr::null_mut(),
            process_count: 0,
            channel_count: 0,
            timeout: 0,
            offer_channel: 0,
            offer_count: 0,
            vector_bytes: 0,
        },
        global_channels: entries(&shapes, &model.channels),
        types: types(model, &shapes),
        rules: model.transitions.iter().map(rule).collect(),
        shapes,
        uses_timeout,
        judges_ends: !model.requirements.is_empty()
            || model.channels.iter().any(|channel| channel.receiver.is_some()),
        count_at: model.header.process_count(),
        last_at: model.header.last.map(|at| at as usize),
        frames_at: model.header.frames,
        steps_max,
        layout: model.processes.first().map(|process| process.frame).unwrap_or_default(),
        source: Vec::new(),
        half: Vec::new(),
        frames: Vec::new(),
        alive: Vec::new(),
        states: Vec::new(),
        codes: Vec::new(),
        channels: Vec::new(),
        first_channels: Vec::new(),
        records: vec![Record::default(); 2 * steps_max],
        message: vec![0; 2 * FIELDS_MAX],
        slots_bytes: 0,
        out: std::ptr::null_mut(),
        due: Vec::new(),
    }
}

fn types(model: &Model, shapes: &[Shape]) -> Vec<TypeTable> {
    let has_rendezvous = shapes.iter().any(|shape| shape.capacity == 0);
    let table = |process: &Process| {
        let is_process = process.kind == ProcessKind::Process;
        let entry = |state: &ControlState| StateEntry {
            accepts: if has_rendezvous && may_accept(model, state) {
                Accepts::Unknown
            } else {
                Accepts::Nothing
            },
            misses: 0,
            is_pending: is_process,
            end: state.end,
        };
        TypeTable {
            frame_bytes: process.frame.bytes,
            channels: entries(shapes, &process.channels),
            states: process.states.iter().map(entry).collect(),
            codes: vec![None; process.states.len().max(CODES_MIN)],
        }
    };
    model.processes.iter().map(table).collect()
}

fn entries(shapes: &[Shape], channels: &[Channel]) -> Vec<ChannelEntry> {
    let entry =
        |channel: &Channel| ChannelEntry { at: channel.offset, shape: shape_index(shapes, channel) as u32 };
    channels.iter().map(entry).collect()
}
