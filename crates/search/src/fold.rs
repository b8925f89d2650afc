//! Foldings: parts of the state that do not count when states are compared.
//!
//! The search goes on from the real vector; only the key under which a state is remembered has zeros where a folded part
//! stands. Of all states that differ only there, the first one met stands for the others, so a search with a folding is
//! never complete.

use panoptes_model::{FrameLayout, Model, Process, ProcessKind};
use std::cell::RefCell;
use std::ops::Range;

thread_local! {
    /// The key at hand. All workers share a [`Fold`], and each has a buffer of its own.
    static KEY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A part of the state to leave out, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folding {
    /// All of the processes of a type: where they stand and what they hold.
    Process(String),
    /// The messages in a channel: `name`, or `process:name` for one that belongs to processes.
    Channel(String),
    /// `name`, or `process:name` for a local variable. Arrays and records go as a whole, or field by field.
    Variable(String),
}

/// A folding that names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPart {
    /// `process`, `channel` or `variable`.
    pub what: &'static str,
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

/// Where the folded bytes stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fold {
    hidden_bytes: usize,
    process_count: usize,
    frames: usize,
    global: Vec<Range<usize>>,
    /// By process type: the bytes of its frame, and those of them that are folded.
    types: Vec<(usize, Vec<Range<usize>>)>,
}

impl Folding {
    pub fn name(&self) -> &str {
        match self {
            Folding::Process(name) | Folding::Channel(name) | Folding::Variable(name) => name,
        }
    }

    pub fn what(&self) -> &'static str {
        match self {
            Folding::Process(_) => "process",
            Folding::Channel(_) => "channel",
            Folding::Variable(_) => "variable",
        }
    }

    /// Does the model have such a part?
    pub fn check(&self, model: &Model) -> Result<(), UnknownPart> {
        let mut known: Vec<String> = self.parts(model).into_iter().map(|part| part.name).collect();
        if known.iter().any(|name| is_named(name, self.name())) {
            return Ok(());
        }
        known.sort();
        known.dedup();
        Err(UnknownPart { what: self.what(), name: self.name().to_string(), known })
    }

    /// All parts of this kind that the model has.
    fn parts(&self, model: &Model) -> Vec<Part> {
        let processes = || {
            let is_process = |process: &&Process| process.kind == ProcessKind::Process;
            model.processes.iter().filter(is_process)
        };
        match self {
            Folding::Process(_) => processes()
                .map(|process| {
                    let bytes = process.frame.state_at()..process.frame.bytes as usize;
                    Part { name: process.name.clone(), owner: Some(process.name.clone()), bytes }
                })
                .collect(),
            Folding::Channel(_) => {
                let part = |owner: Option<&Process>, channel: &panoptes_model::Channel| {
                    let start = channel.offset as usize;
                    Part::new(owner, &channel.name, start..start + channel.total_bytes())
                };
                let local = processes().flat_map(|process| {
                    process.channels.iter().map(move |channel| part(Some(process), channel))
                });
                model.channels.iter().map(|channel| part(None, channel)).chain(local).collect()
            }
            Folding::Variable(_) => {
                let parts = |owner: Option<&Process>, variable: &panoptes_model::Variable| {
                    let (name, start) = (variable.name.clone(), variable.offset as usize);
                    let bytes = start..start + variable.ty.bytes() * variable.count as usize;
                    Part::new(owner, &name, bytes)
                };
                let local = processes().flat_map(|process| {
                    process.variables.iter().map(move |variable| parts(Some(process), variable))
                });
                model.variables.iter().map(|variable| parts(None, variable)).chain(local).collect()
            }
        }
    }
}

/// A part of the vector with the name by which it is folded.
struct Part {
    name: String,
    /// The process type whose frame the bytes are in.
    owner: Option<String>,
    bytes: Range<usize>,
}

impl Part {
    fn new(owner: Option<&Process>, name: &str, bytes: Range<usize>) -> Part {
        let owner = owner.map(|process| process.name.clone());
        let name = owner.as_ref().map_or_else(|| name.to_string(), |owner| format!("{owner}:{name}"));
        Part { name, owner, bytes }
    }
}

/// Is this the part, or does it belong to it: an element `name[2]`, a field `name.field`?
fn is_named(part: &str, name: &str) -> bool {
    part.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl Fold {
    /// None if nothing is folded. Names that the model does not have (any more) fold nothing.
    pub fn new(model: &Model, foldings: &[Folding]) -> Option<Fold> {
        if foldings.is_empty() {
            return None;
        }
        let frame = |process: &Process| (process.frame.bytes as usize, Vec::new());
        let mut fold = Fold {
            hidden_bytes: model.header.hidden_bytes as usize,
            process_count: model.header.process_count(),
            frames: model.header.frames as usize,
            global: Vec::new(),
            types: model.processes.iter().map(frame).collect(),
        };
        for folding in foldings {
            for part in folding.parts(model) {
                if !is_named(&part.name, folding.name()) {
                    continue;
                }
                match part.owner {
                    None => fold.global.push(part.bytes),
                    Some(owner) => {
                        for (process, (_, ranges)) in model.processes.iter().zip(&mut fold.types) {
                            if process.name == owner {
                                ranges.push(part.bytes.clone());
                            }
                        }
                    }
                }
            }
        }
        Some(fold)
    }

    /// Calls `look` with the key of a vector: what follows the hidden part, the folded bytes zero.
    pub fn with_key<T>(&self, vector: &[u8], look: impl FnOnce(&[u8]) -> T) -> T {
        KEY.with_borrow_mut(|key| {
            self.write_key(vector, key);
            look(&key[self.hidden_bytes..])
        })
    }

    fn write_key(&self, vector: &[u8], key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(vector);
        self.global.iter().for_each(|range| key[range.clone()].fill(0));
        let mut start = self.frames;
        for _ in 0..vector[self.process_count] {
            let ty = usize::from(vector[start + FrameLayout::TYPE]);
            let (bytes, ranges) = &self.types[ty];
            ranges.iter().for_each(|range| key[start + range.start..start + range.end].fill(0));
            start += bytes;
        }
    }
}
