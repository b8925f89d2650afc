//! A state vector taken apart by the model's layout: which processes live, where they stand, what variables and
//! channels hold. For traces and messages; the inner loop of an executor knows its offsets without this.

use crate::{
    Channel, ControlState, Display, FrameLayout, Model, ProcId, Process, STATE_NUMBER_BYTES, StateId,
    Variable,
};

/// One state vector and the model that gives it a shape.
#[derive(Clone, Debug)]
pub struct StateView<'a> {
    model: &'a Model,
    bytes: &'a [u8],
    /// Where the frame of each process starts, and its type.
    frames: Vec<(usize, ProcId)>,
}

/// A vector that the model's layout does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MalformedVector {
    /// It ends before all that it should hold.
    TooShort { needed: usize, actual: usize },
    /// Something follows the last frame.
    TooLong { needed: usize, actual: usize },
    /// A frame names a process type that the model does not have.
    NoSuchProcess { pid: u8, ty: u8 },
}

impl std::fmt::Display for MalformedVector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MalformedVector::TooShort { needed, actual } => {
                write!(f, "a state vector of {actual} bytes that should have at least {needed}")
            }
            MalformedVector::TooLong { needed, actual } => {
                write!(f, "a state vector of {actual} bytes that should have {needed}")
            }
            MalformedVector::NoSuchProcess { pid, ty } => {
                write!(f, "process {pid} has type {ty}, which the model does not have")
            }
        }
    }
}

impl std::error::Error for MalformedVector {}

impl<'a> StateView<'a> {
    pub fn new(model: &'a Model, bytes: &'a [u8]) -> Result<StateView<'a>, MalformedVector> {
        let needs = |needed: usize| {
            let actual = bytes.len();
            if needed <= actual { Ok(()) } else { Err(MalformedVector::TooShort { needed, actual }) }
        };
        let header = &model.header;
        needs((header.process_count() + 1).max(header.frames as usize))?;
        let mut start = header.frames as usize;
        let mut frames = Vec::new();
        for pid in 0..bytes[header.process_count()] {
            needs(start + FrameLayout::TYPE + 1)?;
            let ty = bytes[start + FrameLayout::TYPE];
            let process = model.processes.get(ty as usize);
            let process = process.ok_or(MalformedVector::NoSuchProcess { pid, ty })?;
            frames.push((start, ProcId(u32::from(ty))));
            start += process.frame.bytes as usize;
            needs(start)?;
        }
        if start < bytes.len() {
            return Err(MalformedVector::TooLong { needed: start, actual: bytes.len() });
        }
        Ok(StateView { model, bytes, frames })
    }

    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// All that is before the first frame.
    pub fn global_bytes(&self) -> &'a [u8] {
        &self.bytes[..self.model.header.frames as usize]
    }

    pub fn process_count(&self) -> usize {
        self.frames.len()
    }

    /// The processes that live, in the order of their numbers.
    pub fn processes(&self) -> impl Iterator<Item = ProcessView<'a>> + '_ {
        (0..self.frames.len()).filter_map(|pid| self.process(pid as u8))
    }

    pub fn process(&self, pid: u8) -> Option<ProcessView<'a>> {
        let &(start, id) = self.frames.get(pid as usize)?;
        let process = self.model.process(id);
        Some(ProcessView {
            pid,
            id,
            process,
            frame: &self.bytes[start..start + process.frame.bytes as usize],
        })
    }

    /// The process that made the last step, if the vector remembers it.
    pub fn last_pid(&self) -> Option<u8> {
        self.model.header.last.map(|at| self.bytes[at as usize])
    }

    /// Where the monitor stands, if there is one.
    pub fn monitor_state(&self) -> Option<StateId> {
        self.model.header.monitor.map(|at| state_id(&self.bytes[at as usize..]))
    }

    /// All channels in the order of their numbers, from one: the global ones, then those of each process.
    pub fn channels(&self) -> Vec<ChannelView<'a>> {
        let mut channels = Vec::new();
        let mut add = |owner: Option<ProcessView<'a>>, list: &'a [Channel], region: &'a [u8]| {
            for channel in list {
                let number = channels.len() + 1;
                let bytes = &region[channel.offset as usize..channel.offset as usize + channel.total_bytes()];
                let owner = owner.as_ref().map(|process| (process.pid, process.process));
                channels.push(ChannelView { number, owner, channel, bytes });
            }
        };
        add(None, &self.model.channels, self.bytes);
        for process in self.processes() {
            add(Some(process.clone()), &process.process.channels, process.frame);
        }
        channels
    }

    pub fn channel(&self, number: i32) -> Option<ChannelView<'a>> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.channels().into_iter().nth(index)
    }

    /// Every global variable, an array element by element.
    pub fn globals(&self) -> Vec<NamedValue> {
        values(None, &self.model.variables, self.bytes)
    }

    /// Every variable: the global ones, then those of each process as `name[pid].variable`.
    pub fn variables(&self) -> Vec<NamedValue> {
        let locals = self.processes().flat_map(|process| process.variables());
        self.globals().into_iter().chain(locals).collect()
    }

    /// The variable or array element that starts at `offset`, counted from the start of the vector or, for a variable
    /// of process `owner`, of its frame.
    pub fn variable_at(&self, owner: Option<u8>, offset: usize) -> Option<NamedValue> {
        let process = match owner {
            Some(pid) => Some(self.process(pid)?),
            None => None,
        };
        let (variables, region) = match &process {
            Some(process) => (&process.process.variables, process.frame),
            None => (&self.model.variables, self.bytes),
        };
        let owner = process.as_ref().map(|process| (process.pid, process.process));
        variables.iter().find_map(|variable| {
            let distance = offset.checked_sub(variable.offset as usize)?;
            let (element, rest) = (distance / variable.ty.bytes(), distance % variable.ty.bytes());
            let is_here = rest == 0 && element < variable.count as usize;
            is_here.then(|| values(owner, std::slice::from_ref(variable), region).swap_remove(element))
        })
    }

    /// A value as the source would write it.
    pub fn render(&self, display: Display, value: i32) -> String {
        match display {
            Display::Int => value.to_string(),
            Display::Bool => match value {
                0 => "false".to_string(),
                1 => "true".to_string(),
                _ => value.to_string(),
            },
            Display::Enum(id) => {
                let names = self.model.enumerations.get(id.index()).map_or(&[][..], |e| &e.values);
                let name = names.iter().find(|(number, _)| *number == value);
                name.map_or_else(|| value.to_string(), |(_, name)| name.clone())
            }
            Display::Channel => match (value, self.channel(value)) {
                (0, _) => "no channel".to_string(),
                (_, Some(channel)) => channel.name(),
                (_, None) => format!("channel {value}"),
            },
        }
    }
}

/// One living process.
#[derive(Clone, Debug)]
pub struct ProcessView<'a> {
    pub pid: u8,
    pub id: ProcId,
    pub process: &'a Process,
    frame: &'a [u8],
}

impl<'a> ProcessView<'a> {
    /// Its part of the vector.
    pub fn frame_bytes(&self) -> &'a [u8] {
        self.frame
    }

    pub fn priority(&self) -> u8 {
        self.process.frame.priority(self.frame)
    }

    /// Where it stands.
    pub fn state_id(&self) -> StateId {
        self.process.frame.state(self.frame)
    }

    /// The control state it stands at; none if its type has no such state.
    pub fn state(&self) -> Option<&'a ControlState> {
        self.process.states.get(self.state_id().index())
    }

    pub fn variables(&self) -> Vec<NamedValue> {
        values(Some((self.pid, self.process)), &self.process.variables, self.frame)
    }
}

/// One channel and what it holds.
#[derive(Clone, Debug)]
pub struct ChannelView<'a> {
    pub number: usize,
    /// The process in whose frame it is.
    pub owner: Option<(u8, &'a Process)>,
    pub channel: &'a Channel,
    bytes: &'a [u8],
}

impl ChannelView<'_> {
    pub fn name(&self) -> String {
        qualified(self.owner, &self.channel.name)
    }

    /// The messages, oldest first, each as the values of its fields.
    pub fn messages(&self) -> Vec<Vec<i32>> {
        let len_type = self.channel.len_type();
        if self.bytes.is_empty() {
            return Vec::new();
        }
        let (count, mut rest) = (len_type.read(self.bytes), &self.bytes[len_type.bytes()..]);
        let mut messages = Vec::new();
        for _ in 0..count.min(i32::from(self.channel.capacity)) {
            let mut message = Vec::new();
            for field in &self.channel.fields {
                message.push(field.read(rest));
                rest = &rest[field.bytes()..];
            }
            messages.push(message);
        }
        messages
    }
}

/// A variable or array element with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// `count`, `fork[2]`, `sender[1].sequence`.
    pub name: String,
    /// The process whose variable it is.
    pub pid: Option<u8>,
    pub value: i32,
    pub display: Display,
}

fn values(owner: Option<(u8, &Process)>, variables: &[Variable], region: &[u8]) -> Vec<NamedValue> {
    let mut values = Vec::new();
    for variable in variables {
        let stride = variable.ty.bytes();
        for element in 0..variable.count {
            let at = variable.offset as usize + element as usize * stride;
            let name = match variable.is_array {
                true => format!("{}[{element}]", variable.name),
                false => variable.name.clone(),
            };
            values.push(NamedValue {
                name: qualified(owner, &name),
                pid: owner.map(|(pid, _)| pid),
                value: variable.ty.read(&region[at..]),
                display: variable.display,
            });
        }
    }
    values
}

fn qualified(owner: Option<(u8, &Process)>, name: &str) -> String {
    match owner {
        Some((pid, process)) => format!("{}[{pid}].{name}", process.name),
        None => name.to_string(),
    }
}

fn state_id(bytes: &[u8]) -> StateId {
    let mut number = [0; STATE_NUMBER_BYTES];
    number.copy_from_slice(&bytes[..STATE_NUMBER_BYTES]);
    StateId(u32::from(u16::from_le_bytes(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnumId, Enumeration, Header, ProcessKind, ScalarType};
    use panoptes_source::Span;

    fn variable(name: &str, offset: u32, ty: ScalarType, display: Display) -> Variable {
        Variable { name: name.into(), offset, ty, display, count: 1, is_array: false }
    }

    fn channel(name: &str, offset: u32, capacity: u16) -> Channel {
        Channel {
            receiver: None,
            name: name.into(),
            capacity,
            fields: vec![ScalarType::BYTE, ScalarType::SHORT],
            displays: vec![Display::Enum(EnumId(0)), Display::Int],
            offset,
            span: Span::default(),
        }
    }

    fn process(name: &str, bytes: u32, variables: Vec<Variable>, channels: Vec<Channel>) -> Process {
        Process {
            name: name.into(),
            kind: ProcessKind::Process,
            frame: FrameLayout::wide(bytes),
            param_count: 0,
            variables,
            channels,
            init: Vec::new(),
            states: Vec::new(),
            initial: StateId(0),
            provided: None,
            deterministic: false,
            dead_code: Vec::new(),
            span: Span::default(),
        }
    }

    /// One hidden byte, the count, the last pid, a bool array of two, a channel with two slots, a rendezvous.
    fn model() -> Model {
        let flags =
            Variable { count: 2, is_array: true, ..variable("flag", 3, ScalarType::BIT, Display::Bool) };
        let local = variable("link", 4, ScalarType::BYTE, Display::Channel);
        Model {
            header: Header { hidden_bytes: 1, last: Some(2), monitor: None, frames: 12 },
            variables: vec![variable("secret", 0, ScalarType::BYTE, Display::Int), flags],
            channels: vec![channel("q", 5, 2), channel("sync", 12, 0)],
            enumerations: vec![Enumeration {
                name: "kind".into(),
                values: vec![(2, "ack".into())],
                alone: Vec::new(),
            }],
            processes: vec![
                process("idle", 4, vec![], vec![]),
                process("sender", 9, vec![local], vec![channel("own", 5, 1)]),
            ],
            ..Model::default()
        }
    }

    const VECTOR: [u8; 25] = [
        7, 2, 1, 0, 1, // secret, two processes, last, flags
        1, 2, 0xff, 0xff, 0, 0, 0, // q: one message (ack, -1)
        0, 0, 3, 0, // idle stands at state 3
        1, 9, 1, 0, 3, 1, 5, 1, 0, // sender, priority 9: link is channel 3, own: (5, 1)
    ];

    #[test]
    fn variables_are_named_and_read() {
        let model = model();
        let view = StateView::new(&model, &VECTOR).unwrap();
        let shown: Vec<String> = view
            .variables()
            .iter()
            .map(|value| format!("{}={}", value.name, view.render(value.display, value.value)))
            .collect();
        assert_eq!(shown, ["secret=7", "flag[0]=false", "flag[1]=true", "sender[1].link=sender[1].own"]);
        assert_eq!(view.last_pid(), Some(1));
        assert_eq!(view.monitor_state(), None);
    }

    #[test]
    fn processes_are_found_in_their_frames() {
        let model = model();
        let view = StateView::new(&model, &VECTOR).unwrap();
        let shown: Vec<_> =
            view.processes().map(|p| (p.process.name.as_str(), p.state_id().0, p.priority())).collect();
        assert_eq!(shown, [("idle", 3, 0), ("sender", 1, 9)]);
        assert_eq!(view.process(2).map(|p| p.pid), None);
    }

    #[test]
    fn channels_are_numbered_through_the_vector() {
        let model = model();
        let view = StateView::new(&model, &VECTOR).unwrap();
        let shown: Vec<_> = view.channels().iter().map(|c| (c.number, c.name(), c.messages())).collect();
        let own = "sender[1].own".to_string();
        assert_eq!(
            shown,
            [
                (1, "q".to_string(), vec![vec![2, -1]]),
                (2, "sync".to_string(), vec![]),
                (3, own, vec![vec![5, 1]])
            ]
        );
        assert_eq!(view.render(Display::Channel, 0), "no channel");
        assert_eq!(view.render(Display::Channel, 9), "channel 9");
        assert_eq!(view.render(Display::Enum(EnumId(0)), 2), "ack");
        assert_eq!(view.render(Display::Enum(EnumId(0)), 3), "3");
        assert_eq!(view.render(Display::Bool, 2), "2");
    }

    #[test]
    fn a_vector_of_another_shape_is_refused() {
        let model = model();
        let error = |bytes: &[u8]| StateView::new(&model, bytes).unwrap_err();
        assert_eq!(error(&[]), MalformedVector::TooShort { needed: 12, actual: 0 });
        assert_eq!(error(&VECTOR[..20]), MalformedVector::TooShort { needed: 25, actual: 20 });
        let mut longer = VECTOR.to_vec();
        longer.push(0);
        assert_eq!(error(&longer), MalformedVector::TooLong { needed: 25, actual: 26 });
        let mut foreign = VECTOR;
        foreign[16] = 4;
        assert_eq!(error(&foreign), MalformedVector::NoSuchProcess { pid: 1, ty: 4 });
    }
}
