//! The working state: one vector, and where its frames and channels are.

use crate::InterpreterOptions;
use crate::block::LOOK_EVERY;
use crate::recording::Recording;
use panoptes_exec::{Event, Fault, FaultKind, Patience, Receptions};
use panoptes_model::{Channel, FrameLayout, Model, ProcId, Process, ScalarType, StateId};
use panoptes_source::Span;
use std::cell::Cell;

/// No more processes than their numbers fit a byte, none numbered 255.
const PROCESSES_MAX: usize = 255;
const CHANNELS_MAX: usize = 255;
/// A state beyond this cannot be stored.
const VECTOR_BYTES_MAX: usize = 1 << 20;

/// Why an expression has no value or an action no result; the place is added by whoever knows it.
pub(crate) struct Trouble {
    pub kind: FaultKind,
    pub message: String,
    /// Not a fault at all: the expression creates a process, which takes another way to evaluate it.
    pub is_spawn: bool,
}

pub(crate) type Outcome<T> = Result<T, Box<Trouble>>;

pub(crate) fn trouble<T>(kind: FaultKind, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Trouble { kind, message: message.into(), is_spawn: false }))
}

impl Trouble {
    pub fn spawns() -> Trouble {
        let message = "a process is created outside an assignment".to_string();
        Trouble { kind: FaultKind::TooManyProcesses, message, is_spawn: true }
    }

    pub fn at(self, span: Span) -> Fault {
        Fault { kind: self.kind, message: self.message, span }
    }
}

/// A message under way in a rendezvous: handed over, not yet taken.
pub(crate) struct Offer {
    pub channel: u8,
    pub values: Vec<i32>,
}

pub(crate) struct WorkingState<'m> {
    pub model: &'m Model,
    pub options: InterpreterOptions,
    /// The vector that actions change.
    pub state: Vec<u8>,
    /// Where each living process's frame starts.
    pub frames: Vec<u32>,
    /// Where each channel's bytes start, and its declaration.
    pub channels: Vec<(u32, &'m Channel)>,
    pub offer: Option<Offer>,
    /// Are timeouts allowed in this pass?
    pub timeout: bool,
    /// While a step is replayed.
    pub recording: Option<Recording>,
    /// The first fault of the current step that does not stop it.
    pub noted: Option<Fault>,
    /// The current step is the second one possible in a process that promises one at most.
    pub is_second: bool,
    /// Room for the vector that steps start from, kept from call to call.
    pub saved: Vec<u8>,
    pub uses_timeout: bool,
    /// Where processes may wait in vain.
    pub receptions: Option<Receptions>,
    /// How many questions whether a process is enabled are being answered, each inside the one before.
    pub questions: Cell<usize>,
    pub patience: Patience,
    /// Statements of deterministic steps until the next look at the clock.
    pub until_look: u32,
}

impl<'m> WorkingState<'m> {
    pub fn new(model: &'m Model, options: InterpreterOptions) -> WorkingState<'m> {
        let mut uses_timeout = false;
        model.walk_rules(&mut |e| uses_timeout |= matches!(e, panoptes_model::Expr::Timeout));
        WorkingState {
            model,
            options,
            state: Vec::new(),
            frames: Vec::new(),
            channels: Vec::new(),
            offer: None,
            timeout: false,
            recording: None,
            noted: None,
            is_second: false,
            saved: Vec::new(),
            uses_timeout,
            receptions: Receptions::of(model),
            questions: Cell::new(0),
            patience: Patience::default(),
            until_look: LOOK_EVERY,
        }
    }

    /// Makes the initial vector.
    pub fn boot(&mut self) -> Result<(), Fault> {
        self.state = vec![0; self.model.header.frames as usize];
        self.frames.clear();
        self.channels.clear();
        self.channels.extend(self.model.channels.iter().map(|channel| (channel.offset, channel)));
        for action in &self.model.init {
            self.perform(0, action).map_err(|trouble| trouble.at(Span::default()))?;
        }
        for initial in &self.model.initial {
            let span = self.model.process(initial.process).span;
            self.start(initial.process, &[], initial.priority).map_err(|trouble| trouble.at(span))?;
        }
        if let (Some(at), Some(monitor)) = (self.model.header.monitor, &self.model.monitor) {
            let state = self.model.process(monitor.process).initial.0 as u16;
            self.state[at as usize..at as usize + 2].copy_from_slice(&state.to_le_bytes());
        }
        Ok(())
    }

    /// Takes `state` as the working vector and finds its frames and channels.
    pub fn load(&mut self, state: &[u8]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.frames.clear();
        self.channels.clear();
        self.channels.extend(self.model.channels.iter().map(|channel| (channel.offset, channel)));
        let mut at = self.model.header.frames;
        for _ in 0..self.state[self.model.header.process_count()] {
            self.frames.push(at);
            let process = &self.model.processes[self.state[at as usize + FrameLayout::TYPE] as usize];
            self.channels.extend(process.channels.iter().map(|channel| (at + channel.offset, channel)));
            at += process.frame.bytes;
        }
        debug_assert_eq!(at as usize, self.state.len(), "the frames fill the vector");
        self.offer = None;
        self.timeout = false;
        self.noted = None;
    }

    /// Goes back to `saved` after a step was tried. Only a step that starts or ends processes changes the frames.
    pub fn restore(&mut self, saved: &[u8]) {
        if self.state.len() == saved.len()
            && self.state[self.model.header.process_count()] == saved[self.model.header.process_count()]
        {
            self.state.copy_from_slice(saved);
        } else {
            let (timeout, offer) = (self.timeout, self.offer.take());
            self.load(saved);
            (self.timeout, self.offer) = (timeout, offer);
        }
        self.noted = None;
    }

    pub fn process_count(&self) -> usize {
        self.frames.len()
    }

    pub fn process_id(&self, pid: usize) -> ProcId {
        ProcId(u32::from(self.state[self.frames[pid] as usize + FrameLayout::TYPE]))
    }

    pub fn process(&self, pid: usize) -> &'m Process {
        self.model.process(self.process_id(pid))
    }

    pub fn control_state(&self, pid: usize) -> StateId {
        self.process(pid).frame.state(&self.state[self.frames[pid] as usize..])
    }

    pub fn set_control_state(&mut self, pid: usize, state: StateId) {
        let layout = self.process(pid).frame;
        layout.set_state(&mut self.state[self.frames[pid] as usize..], state);
    }

    pub fn priority(&self, pid: usize) -> u8 {
        self.process(pid).frame.priority(&self.state[self.frames[pid] as usize..])
    }

    pub fn set_priority(&mut self, pid: usize, priority: u8) {
        if !self.process(pid).frame.no_priority {
            self.state[self.frames[pid] as usize + FrameLayout::PRIORITY] = priority;
        }
    }

    pub fn set_last(&mut self, pid: u8) {
        if let Some(at) = self.model.header.last {
            self.state[at as usize] = pid;
        }
    }

    pub fn read(&self, at: usize, ty: ScalarType) -> i32 {
        ty.read(&self.state[at..])
    }

    pub fn write(&mut self, at: usize, ty: ScalarType, value: i32) {
        ty.write(&mut self.state[at..], value);
    }

    /// Creates a process at the end of the vector. Its number is the value.
    pub fn start(&mut self, id: ProcId, args: &[i32], priority: u8) -> Outcome<i32> {
        let pid = self.frames.len();
        if pid >= PROCESSES_MAX {
            return trouble(FaultKind::TooManyProcesses, format!("more than {PROCESSES_MAX} processes"));
        }
        let process = self.model.process(id);
        if self.channels.len() + process.channels.len() > CHANNELS_MAX {
            return trouble(FaultKind::TooManyChannels, format!("more than {CHANNELS_MAX} channels"));
        }
        let at = self.state.len();
        if at + process.frame.bytes as usize > VECTOR_BYTES_MAX {
            let message = format!("the state takes more than {} KiB", VECTOR_BYTES_MAX / 1024);
            return trouble(FaultKind::TooManyProcesses, message);
        }
        self.state.resize(at + process.frame.bytes as usize, 0);
        self.frames.push(at as u32);
        self.channels.extend(process.channels.iter().map(|channel| (at as u32 + channel.offset, channel)));
        self.state[at + FrameLayout::TYPE] = id.0 as u8;
        self.set_control_state(pid, process.initial);
        self.set_priority(pid, if self.model.uses_priorities { priority } else { 0 });
        self.state[self.model.header.process_count()] += 1;
        let params = process.variables.iter().take(process.param_count);
        let cells =
            params.flat_map(|variable| (0..variable.count as usize).map(move |element| (variable, element)));
        for ((variable, element), value) in cells.zip(args) {
            let at = at + variable.offset as usize + element * variable.ty.bytes();
            self.write(at, variable.ty, *value);
        }
        for action in &process.init {
            self.perform(pid, action)?;
        }
        self.note(Event::Started { pid: pid as u8, process: id });
        Ok(pid as i32)
    }

    /// Removes the last process, with its channels. False if `pid` is not the last.
    pub fn exit(&mut self, pid: usize) -> bool {
        if pid + 1 != self.frames.len() {
            return false;
        }
        let channels = self.channels.len() - self.process(pid).channels.len();
        self.channels.truncate(channels);
        self.state.truncate(self.frames[pid] as usize);
        self.frames.pop();
        self.state[self.model.header.process_count()] -= 1;
        self.note(Event::Ended { pid: pid as u8 });
        true
    }

    /// The channel with that number: where its bytes are, and its declaration.
    pub fn channel(&self, number: i32) -> Outcome<(usize, &'m Channel)> {
        match usize::try_from(number).ok().filter(|n| *n > 0).and_then(|n| self.channels.get(n - 1)) {
            Some((at, channel)) => Ok((*at as usize, channel)),
            None if number == 0 => trouble(FaultKind::BadChannel, "use of an uninitialised channel"),
            None => trouble(FaultKind::BadChannel, format!("there is no channel number {number}")),
        }
    }

    pub fn channel_len(&self, (at, channel): (usize, &Channel)) -> usize {
        if channel.is_rendezvous() { 0 } else { self.read(at, channel.len_type()) as usize }
    }

    /// Field `field` of the message in `slot`.
    pub fn message_field(&self, (at, channel): (usize, &Channel), slot: usize, field: usize) -> i32 {
        let within: usize = channel.fields[..field].iter().map(|ty| ty.bytes()).sum();
        self.read(message_at((at, channel), slot) + within, channel.fields[field])
    }
}

/// Where the message in `slot` starts.
pub(crate) fn message_at((at, channel): (usize, &Channel), slot: usize) -> usize {
    at + channel.len_type().bytes() + slot * channel.message_bytes()
}
