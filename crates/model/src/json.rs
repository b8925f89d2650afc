//! The machines, variables and channels of a model for scripts.

use crate::text::position_text;
use crate::{Channel, Display, Machine, Model, ProcId, Process, ProcessKind, ScalarType, Variable, minimise};
use panoptes_source::SourceMap;
use serde_json::{Value, json};

/// `{ "model", "vector", "machines": […], "variables": […], "channels": […] }`. A machine says how many control states
/// it has (the end state included), how many are left after strong-equivalence minimisation, and how many rules.
pub fn to_json(model: &Model, sources: &SourceMap) -> Value {
    let machines = (0..model.processes.len() as u32).map(|id| machine(model, sources, ProcId(id)));
    let mut variables: Vec<Value> = model.variables.iter().map(|v| variable(model, v, None, false)).collect();
    let mut channels: Vec<Value> = model
        .channels
        .iter()
        .zip(1..)
        .map(|(c, number)| channel(model, sources, c, None, Some(number)))
        .collect();
    for process in &model.processes {
        let with_role = process.variables.iter().enumerate().map(|(at, v)| (v, at < process.param_count));
        variables.extend(with_role.map(|(v, parameter)| variable(model, v, Some(process), parameter)));
        channels.extend(process.channels.iter().map(|c| channel(model, sources, c, Some(process), None)));
    }
    json!({
        "model": model.name,
        "vector": {
            "hidden_bytes": model.header.hidden_bytes,
            "global_bytes": model.header.frames - model.header.hidden_bytes,
        },
        "machines": machines.collect::<Vec<_>>(),
        "variables": variables,
        "channels": channels,
    })
}

fn machine(model: &Model, sources: &SourceMap, id: ProcId) -> Value {
    let process = model.process(id);
    let machine = Machine::of(model, id);
    let kind = match process.kind {
        ProcessKind::Process => "process",
        ProcessKind::Monitor => "assertion",
        ProcessKind::Claim => "claim",
    };
    json!({
        "name": process.name,
        "kind": kind,
        "states": machine.states,
        "minimised": minimise(model, id).states,
        "transitions": machine.transitions,
        "frame_bytes": process.frame.bytes,
        "location": position_text(sources, process.span),
    })
}

fn variable(model: &Model, variable: &Variable, process: Option<&Process>, parameter: bool) -> Value {
    json!({
        "name": variable.name,
        "process": process.map(|process| &process.name),
        "parameter": parameter,
        "offset": variable.offset,
        "type": variable.ty.to_string(),
        "shown_as": shown_as(model, variable.display),
        "count": variable.count,
        "array": variable.is_array,
    })
}

fn channel(
    model: &Model,
    sources: &SourceMap,
    channel: &Channel,
    process: Option<&Process>,
    number: Option<u32>,
) -> Value {
    let field = |(ty, display): (&ScalarType, &Display)| json!({ "type": ty.to_string(), "shown_as": shown_as(model, *display) });
    json!({
        "name": channel.name,
        "process": process.map(|process| &process.name),
        "number": number,
        "offset": channel.offset,
        "capacity": channel.capacity,
        "fields": channel.fields.iter().zip(&channel.displays).map(field).collect::<Vec<_>>(),
        "bytes": channel.total_bytes(),
        "receiver": channel.receiver.map(|id| &model.process(id).name),
        "location": position_text(sources, channel.span),
    })
}

fn shown_as(model: &Model, display: Display) -> String {
    match display {
        Display::Int => "int".to_owned(),
        Display::Bool => "bool".to_owned(),
        Display::Channel => "channel".to_owned(),
        Display::Enum(id) => model.enumerations[id.index()].name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn machines_say_their_kind_and_size() {
        let (model, sources) = sample();
        let value = to_json(&model, &sources);
        let expected = [
            ("sender", "process", 3, 3, 4),
            ("receiver", "process", 3, 3, 3),
            ("events", "assertion", 2, 2, 1),
            ("waits", "claim", 2, 2, 1),
        ];
        for (machine, (name, kind, states, minimised, transitions)) in
            value["machines"].as_array().unwrap().iter().zip(expected)
        {
            assert_eq!(machine["name"], name);
            assert_eq!(machine["kind"], kind, "{name}");
            assert_eq!(machine["states"], states, "{name}");
            assert_eq!(machine["minimised"], minimised, "{name}");
            assert_eq!(machine["transitions"], transitions, "{name}");
        }
    }

    #[test]
    fn variables_and_channels_say_where_they_are() {
        let (model, sources) = sample();
        let value = to_json(&model, &sources);
        assert_eq!(
            value["variables"][3],
            json!({ "name": "to", "process": "sender", "parameter": true, "offset": 4, "type": "u8",
                    "shown_as": "channel", "count": 1, "array": false })
        );
        assert_eq!(
            value["channels"][0],
            json!({ "name": "data", "process": null, "number": 1, "offset": 8, "capacity": 2, "bytes": 5,
                    "receiver": "receiver",
                    "fields": [{ "type": "u8", "shown_as": "tag" }, { "type": "u8", "shown_as": "int" }],
                    "location": "sample.txt:2:1" })
        );
        assert_eq!(value["channels"][2]["process"], "receiver");
        assert_eq!(value["channels"][2]["number"], Value::Null);
    }
}
