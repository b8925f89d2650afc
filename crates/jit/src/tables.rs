//! The runtime of a model before any of it is compiled: its tables of types, control states, channels and rules.

use crate::context::{CHUNK, ChannelEntry, Context, StateFn};
use crate::links::{ChainState, MESSAGE_LEN, OFFERS_MAX, missing_accepts, missing_alone};
use crate::monitor::Watch;
use crate::native::{creates_processes, settings_behind_send};
use crate::population::Populations;
use crate::questions::{Questions, asks, missing_answer};
use crate::runtime::{
    ACCEPTING, Acceptor, CODES_MIN, PROGRESS, Room, Rule, Runtime, StateEntry, TypeTable, channel_bit,
    missing,
};
use crate::shapes::{Shape, constant, constants, shape_index, shapes};
use crate::spawn::{Grown, newborn_bytes_max};
use crate::state::receives;
use panoptes_exec::{Patience, Receptions};
use panoptes_model::{
    Action, Channel, ControlState, Expr, Model, Process, ProcessKind, Receive, ScalarType, TransId,
};
use std::collections::HashMap;

/// The runtime of a model none of whose control states is compiled yet.
pub(crate) fn runtime(model: &Model) -> Runtime {
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
        to: transition.to.map_or(0, |to| to.0 as u16),
        sets: settings_behind_send(&transition.actions),
    };
    Runtime {
        context: Context {
            out: std::ptr::null_mut(),
            slots: std::ptr::null_mut(),
            items: std::ptr::null_mut(),
            frames: std::ptr::null(),
            channels: std::ptr::null(),
            first_channels: std::ptr::null(),
            stride: 0,
            last_chunk: 0,
            message: std::ptr::null_mut(),
            process_count: 0,
            channel_count: 0,
            timeout: 0,
            offer_channel: 0,
            offer_count: 0,
            vector_bytes: 0,
            refills: 0,
            held: 0,
            out_max: std::ptr::null_mut(),
            closes: std::ptr::null(),
            executed: std::ptr::null_mut(),
            taken: 0,
            depth: 0,
            offer_closes: 0,
            priority_max: 0,
        },
        global_channels: entries(&shapes, &model.channels),
        types: types(model, &shapes),
        rules: model.transitions.iter().map(rule).collect(),
        shapes,
        uses_timeout,
        judges_ends: !model.requirements.is_empty()
            || model.monitor.is_some()
            || model.channels.iter().any(|channel| channel.receiver.is_some()),
        receptions: Receptions::of(model),
        count_at: model.header.process_count(),
        last_at: model.header.last.map(|at| at as usize),
        frames_at: model.header.frames,
        steps_max,
        newborn_bytes: if creates_processes(model) { newborn_bytes_max(model) } else { 0 },
        layout: model.processes.first().map(|process| process.frame).unwrap_or_default(),
        source: std::ptr::null(),
        short: [0; CHUNK],
        transient: Vec::new(),
        half: Vec::new(),
        populations: Populations::new(!creates_processes(model)),
        message: vec![0; OFFERS_MAX * MESSAGE_LEN],
        slots_bytes: 0,
        room: Room::default(),
        out: std::ptr::null_mut(),
        due: Vec::new(),
        watch: Watch::of(model).ok().flatten(),
        chains: ChainState::new(model.transitions.len()),
        patience: Patience::default(),
        grown: Grown::default(),
        questions: Questions::of(model),
    }
}

fn types(model: &Model, shapes: &[Shape]) -> Vec<TypeTable> {
    let constants = constants(model);
    let has_rendezvous = shapes.iter().any(|shape| shape.capacity == 0);
    let (has_chains, asks) = (model.has_chains(), asks(model));
    let table = |process: &Process| {
        let is_process = process.kind == ProcessKind::Process;
        // The control states within indivisible sequences.
        let mut inside = vec![false; process.states.len()];
        let ids = process.states.iter().flat_map(|state| &state.transitions);
        for transition in ids.map(|id| model.transition(*id)).filter(|transition| transition.keeps_control) {
            transition.to.into_iter().for_each(|to| inside[to.index()] = true);
        }
        let entry = |(index, state): (usize, &ControlState)| {
            let labels =
                if state.accepting { ACCEPTING } else { 0 } | if state.progress { PROGRESS } else { 0 };
            let takes = has_rendezvous && has_chains && receives(model, state).next().is_some();
            StateEntry {
                misses: [0; 4],
                is_pending: [
                    is_process,
                    is_process && inside[index],
                    is_process && takes,
                    is_process && asks,
                ],
                end: state.end,
                labels,
            }
        };
        let acceptor = |state: &ControlState| {
            let receives = receives(model, state).filter(|_| has_rendezvous);
            let channels = receives.map(|receive| offering(model, &constants, receive));
            Acceptor {
                code: missing,
                alone: missing_accepts,
                channels: channels.fold(0, |all, some| all | some),
            }
        };
        let mut acceptors: Vec<Acceptor> = process.states.iter().map(acceptor).collect();
        let nowhere = Acceptor { code: missing, alone: missing, channels: u64::MAX };
        acceptors.resize(acceptors.len().max(CODES_MIN), nowhere);
        TypeTable {
            frame_bytes: process.frame.bytes,
            channels: entries(shapes, &process.channels),
            states: process.states.iter().enumerate().map(entry).collect(),
            codes: vec![missing as StateFn; acceptors.len()].into(),
            alones: vec![missing_alone as StateFn; acceptors.len()].into(),
            answers: vec![missing_answer as StateFn; acceptors.len()].into(),
            acceptors: acceptors.into(),
        }
    };
    model.processes.iter().map(table).collect()
}

/// The channels on which a rendezvous may give this receive its message.
fn offering(model: &Model, constants: &HashMap<u32, (ScalarType, i32)>, receive: &Receive) -> u64 {
    let known = constant(constants, &receive.channel).and_then(|number| u32::try_from(number).ok());
    let declared = known.and_then(|number| model.channels.get((number as usize).checked_sub(1)?));
    match (known, declared) {
        (Some(number), Some(channel)) if channel.capacity == 0 => channel_bit(number),
        (Some(_), Some(_)) => 0,
        _ => u64::MAX,
    }
}

fn entries(shapes: &[Shape], channels: &[Channel]) -> Vec<ChannelEntry> {
    let entry =
        |channel: &Channel| ChannelEntry { at: channel.offset, shape: shape_index(shapes, channel) as u32 };
    channels.iter().map(entry).collect()
}
