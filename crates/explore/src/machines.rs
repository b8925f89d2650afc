//! The model for the page: its text, its machines, and what it states.

use crate::explorer::{Explorer, Opened, WALK_MAX};
use panoptes_check::{Named, Property, Temporal};
use panoptes_model::{Machine, Model, ProcId, ProcessKind, StateId};
use panoptes_source::{FileId, SourceMap, Span};
use serde::Serialize;

/// Control states beyond this are not drawn.
const STATES_MAX: usize = 2_000;

#[derive(Debug, Serialize)]
pub(crate) struct ModelAnswer<'a> {
    pub schema: u32,
    pub version: &'static str,
    pub name: &'a str,
    pub language: String,
    pub lossy: bool,
    pub files: Vec<FileAnswer<'a>>,
    pub machines: Vec<MachineAnswer<'a>>,
    /// What can be checked, by name.
    pub properties: Vec<PropertyAnswer>,
    pub invariants: Vec<&'a str>,
    pub opened: Option<&'a Opened>,
    pub walk_max: usize,
    /// What a search of the page may take.
    pub seconds_max: u64,
    pub memory_max: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileAnswer<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct PropertyAnswer {
    pub name: String,
    pub title: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct MachineAnswer<'a> {
    pub name: &'a str,
    /// `process`, `claim`, `monitor`.
    pub kind: &'static str,
    pub initial: u32,
    /// Those that can be reached in the machine.
    pub states: Vec<StateAnswer<'a>>,
    pub transitions: Vec<TransitionAnswer<'a>>,
    /// It is too large, and a part of it is left out.
    pub cut: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct StateAnswer<'a> {
    pub id: u32,
    /// As SPIN numbers it.
    pub number: u16,
    pub labels: &'a [String],
    pub end: bool,
    pub accepting: bool,
    pub progress: bool,
    pub location: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct TransitionAnswer<'a> {
    pub id: u32,
    pub from: u32,
    /// None where the process goes away.
    pub to: Option<u32>,
    pub text: &'a str,
    pub location: String,
    /// The process goes on alone.
    pub atomic: bool,
}

impl Explorer {
    pub(crate) fn describe(&self) -> ModelAnswer<'_> {
        let (model, sources) = (&self.loaded.model, &self.loaded.sources);
        // The model and what it includes, but not the definitions of the command line.
        let ids = (0..sources.file_count() as u32).map(FileId);
        let files = ids.map(|id| sources.file(id)).enumerate();
        let files = files.filter(|(index, file)| *index == 0 || file.included_at.is_some());
        let files = files.map(|(_, file)| FileAnswer { name: &file.name, text: &file.text }).collect();
        ModelAnswer {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            name: &self.text.name,
            language: self.text.language.to_string(),
            lossy: self.lossy,
            files,
            machines: (0..model.processes.len() as u32)
                .map(|id| machine(model, sources, ProcId(id)))
                .collect(),
            properties: properties(model),
            invariants: model.invariants.iter().map(|invariant| invariant.text.as_str()).collect(),
            opened: self.opened.as_ref(),
            walk_max: WALK_MAX,
            seconds_max: self.limits.time.as_secs(),
            memory_max: self.limits.memory,
        }
    }
}

/// What every model has, then what this one states.
fn properties(model: &Model) -> Vec<PropertyAnswer> {
    let general = [
        (Property::Safety, "deadlocks, assertions and invariants"),
        (Property::Deadlock, "deadlocks"),
        (Property::Assertions, "assertions and invariants"),
    ];
    let general = general.map(|(property, title)| (property.name().to_string(), title.to_string()));
    let stated = Temporal::all(model).into_iter().map(|it| (it.name(model), it.title(model)));
    general.into_iter().chain(stated).map(|(name, title)| PropertyAnswer { name, title }).collect()
}

fn machine<'a>(model: &'a Model, sources: &SourceMap, id: ProcId) -> MachineAnswer<'a> {
    let process = model.process(id);
    let reachable = Machine::of(model, id).reachable;
    let all = (0..).map(StateId).zip(&process.states).filter(|(state, _)| reachable[state.index()]);
    let count = all.clone().count();
    let shown = all.take(STATES_MAX);
    let place = |span: Span| location(sources, span);
    let states = shown.clone().map(|(state, control)| StateAnswer {
        id: state.0,
        number: control.number,
        labels: &control.labels,
        end: control.end,
        accepting: control.accepting,
        progress: control.progress,
        location: place(control.span),
    });
    let ids = shown.flat_map(|(_, control)| &control.transitions);
    let transitions = ids.map(|id| (id, model.transition(*id))).map(|(id, rule)| TransitionAnswer {
        id: id.0,
        from: rule.from.0,
        to: rule.to.map(|to| to.0),
        text: &rule.text,
        location: place(rule.span),
        atomic: rule.keeps_control,
    });
    MachineAnswer {
        name: &process.name,
        kind: match process.kind {
            ProcessKind::Process => "process",
            ProcessKind::Claim => "claim",
            ProcessKind::Monitor => "monitor",
        },
        initial: process.initial.0,
        states: states.collect(),
        transitions: transitions.collect(),
        cut: count > STATES_MAX,
    }
}

/// `file:line:column`, or nothing for a place that no file has.
fn location(sources: &SourceMap, span: Span) -> String {
    let span = sources.user_span(span);
    match (span.file.0 as usize) < sources.file_count() {
        true => sources.position(span).to_string(),
        false => String::new(),
    }
}
