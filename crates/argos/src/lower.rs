//! From the syntax tree to the model.
//!
//! Every body becomes a graph (`flow.rs`) and a machine (`machine.rs`); what the processes send and receive gives each
//! channel its sort and its reader (`sorts.rs`); the machines then become automata over one state vector, in which the
//! steps that an assertion speaks of also move its monitor.

mod assertion;
pub(crate) mod process;
mod rest;
pub(crate) mod sorts;
mod waiting;

use crate::ast::Module;
use crate::completeness;
use crate::flow::{self, Flow, Role, VALUE};
use crate::given;
use crate::machine::{Machine, State};
use crate::resolve::{Reporter, Symbols};
use assertion::Watch;
use panoptes_model::{
    Action, Channel, ControlState, Display, EnumId, Enumeration, Expr, FrameLayout, Header, InitialProcess,
    Model, ProcId, Process, ProcessKind, ScalarType, Send, StateId,
};
use panoptes_source::{Diagnostic, SourceMap, Span};
use rest::rest_states;
use sorts::Sorts;

/// When a `timeout` is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeouts {
    /// When the channel it names is empty.
    #[default]
    Free,
    /// When, besides, nothing else in the whole system can be done.
    LockOnly,
}

/// Where a process may stand when nothing can move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndStates {
    /// At its end, or back where it began (`lower/rest.rs`): it waits for more work.
    #[default]
    Rest,
    /// At its end.
    Strict,
}

/// What the papers leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    pub timeouts: Timeouts,
    pub end_states: EndStates,
}

/// What lowering gives: a model if there were no errors, and everything there is to say about the text.
pub struct Lowered {
    pub model: Option<Model>,
    /// The conditions that were given for others to speak of, in their order.
    pub atoms: Vec<Expr>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A process type's number is one byte.
const PROCESSES_MAX: usize = 255;
/// A control state's number is two bytes.
const STATES_MAX: usize = 60_000;
/// A state vector beyond this is beyond any search.
const BYTES_MAX: usize = 1 << 18;

/// Lowers a parsed model. `name` is for display.
pub fn lower(module: &Module, sources: &SourceMap, name: &str, meaning: Meaning) -> Lowered {
    lower_along(module, sources, name, meaning, None)
}

/// The same for a search that follows only one assertion, given by its name, and looks for an execution that completes it.
pub fn lower_along(
    module: &Module,
    sources: &SourceMap,
    name: &str,
    meaning: Meaning,
    along: Option<&str>,
) -> Lowered {
    let mut reporter = Reporter::default();
    let (model, atoms) = lower_module(module, sources, name, meaning, along, &mut reporter).unzip();
    let mut diagnostics = reporter.diagnostics;
    Diagnostic::name_unnamed(&mut diagnostics, "meaning");
    crate::sort(sources, &mut diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    Lowered { model: model.filter(|_| !failed), atoms: atoms.unwrap_or_default(), diagnostics }
}

/// A body on its way to the model.
pub(crate) struct Body {
    pub name: String,
    pub flow: Flow,
    pub machine: Machine,
    pub span: Span,
}

fn lower_module(
    module: &Module,
    sources: &SourceMap,
    name: &str,
    meaning: Meaning,
    along: Option<&str>,
    reporter: &mut Reporter,
) -> Option<(Model, Vec<Expr>)> {
    let symbols = Symbols::of(module, reporter);
    if reporter.has_errors() {
        return None;
    }
    let processes: Vec<Body> =
        symbols.processes().map(|number| process_body(&symbols, number, reporter)).collect();
    if processes.is_empty() {
        let end = module.procs.first().map_or(Span::default(), |proc| proc.span);
        let wrong = Diagnostic::error(end, "there is no process in this model");
        reporter.report(wrong.help("`proc name { … }` is one, unless it is called as a procedure"));
    }
    let mut assertions = assertion_bodies(&symbols, reporter);
    check_sizes(&processes, &assertions, reporter);
    let sorts = Sorts::of(&symbols, &processes, reporter);
    if reporter.has_errors() {
        return None;
    }
    completeness::check(&symbols, &processes, &assertions, &sorts, reporter);
    if let Some(along) = along {
        let names: Vec<String> = assertions.iter().map(|body| body.name.clone()).collect();
        assertions.retain(|body| body.name == along);
        if assertions.is_empty() {
            let wrong = Diagnostic::error(Span::default(), format!("there is no assertion `{along}`"));
            reporter.report(match names.is_empty() {
                true => wrong.help("the model has no assertions"),
                false => wrong.help(format!("there is {}", names.join(", "))),
            });
            return None;
        }
    }
    // The machines of the assertions tell where their monitors may end, and the monitors are part of the model.
    let model = Model { name: name.to_string(), ..Model::default() };
    let mut machines = Lowering {
        symbols: &symbols,
        sorts: &sorts,
        meaning,
        watches: &[],
        along: false,
        model: model.clone(),
    };
    machines.lay_out();
    let may_end: Vec<Vec<bool>> = assertions
        .iter()
        .map(|body| {
            let id = machines.assertion(body);
            machines.may_end(id)
        })
        .collect();
    let watches = Watch::all(sources, &assertions, &may_end, reporter);
    let mut lowering = Lowering {
        symbols: &symbols,
        sorts: &sorts,
        meaning,
        watches: &watches,
        along: along.is_some(),
        model,
    };
    lowering.lay_out();
    if lowering.model.header.frames as usize > BYTES_MAX {
        let largest = symbols.channels.iter().max_by_key(|channel| channel.size);
        let span = largest.map_or(Span::default(), |channel| channel.decl.name.span);
        let message = format!("the channels take more than {} KiB", BYTES_MAX / 1024);
        reporter.report(Diagnostic::error(span, message).help("make them smaller"));
        return None;
    }
    for body in &processes {
        let id = lowering.process(body);
        lowering.mark_ends(id);
        lowering.model.initial.push(InitialProcess { process: id, priority: 1 });
    }
    for (body, watch) in assertions.iter().zip(&watches) {
        let id = lowering.assertion(body);
        lowering.mark_ends(id);
        match along {
            None => lowering.require(body, id, watch),
            Some(_) => lowering.seek(body, id, watch),
        }
    }
    let mut model = lowering.model;
    let atoms = module.given.iter().filter_map(|text| given::add(&mut model, sources, text, reporter));
    let atoms = atoms.collect();
    Some((model, atoms))
}

fn process_body(symbols: &Symbols<'_>, number: usize, reporter: &mut Reporter) -> Body {
    let proc = &symbols.module.procs[number];
    let flow = flow::build(symbols, Role::Process(number), &proc.body, reporter);
    let machine = Machine::of(&flow, false, proc.span);
    Body { name: proc.name.name.to_string(), flow, machine, span: proc.span }
}

fn assertion_bodies(symbols: &Symbols<'_>, reporter: &mut Reporter) -> Vec<Body> {
    let assertions = &symbols.module.assertions;
    let mut bodies: Vec<Body> = Vec::new();
    for (index, assertion) in assertions.iter().enumerate() {
        let name = match (&assertion.name, assertions.len()) {
            (Some(name), _) => name.name.to_string(),
            (None, 1) => "assert".to_string(),
            (None, _) => format!("assert{}", index + 1),
        };
        if let Some(first) = bodies.iter().find(|body| body.name == name) {
            let message = format!("there are two assertions called `{name}`");
            let wrong = Diagnostic::error(assertion.span, message);
            reporter.report(wrong.label(first.span, "the first is here"));
        }
        let flow = flow::build(symbols, Role::Assertion, &assertion.body, reporter);
        let machine = Machine::of(&flow, true, assertion.span);
        bodies.push(Body { name, flow, machine, span: assertion.span });
    }
    bodies
}

fn check_sizes(processes: &[Body], assertions: &[Body], reporter: &mut Reporter) {
    let bodies = || processes.iter().chain(assertions);
    if let Some(body) = bodies().nth(PROCESSES_MAX) {
        let message = format!("more than {PROCESSES_MAX} processes and assertions");
        reporter.report(Diagnostic::error(body.span, message));
    }
    for body in bodies().filter(|body| body.machine.states.len() > STATES_MAX) {
        let message = format!("`{}` has more than {STATES_MAX} states", body.name);
        reporter.report(Diagnostic::error(body.span, message));
    }
}

pub(crate) struct Lowering<'a> {
    symbols: &'a Symbols<'a>,
    sorts: &'a Sorts,
    meaning: Meaning,
    watches: &'a [Watch],
    /// The one assertion that is watched is to be followed, not checked.
    along: bool,
    model: Model,
}

impl Lowering<'_> {
    /// Lays out the global part: the states of the assertions' monitors, and the channels.
    fn lay_out(&mut self) {
        let mut at = Header::default().globals();
        let messages = self.sorts.tags.iter().zip(1..).map(|(tag, number)| (number, tag.message.to_string()));
        let alone = self.sorts.tags.iter().zip(1..).filter(|(tag, _)| !tag.has_value);
        self.model.enumerations = vec![Enumeration {
            name: "message".into(),
            values: messages.collect(),
            alone: alone.map(|(_, number)| number).collect(),
        }];
        for watch in self.watches {
            let shown = EnumId(self.model.enumerations.len() as u32);
            self.model.enumerations.push(watch.enumeration());
            self.model.variables.push(watch.variable(shown));
            at = watch.place.offset + watch.place.ty.bytes() as u32;
        }
        let tag_type = self.sorts.tag_type();
        for (number, channel) in self.symbols.channels.iter().enumerate() {
            let mut fields = vec![(tag_type, Display::Enum(EnumId(0)))];
            if self.sorts.carries_values(number) {
                fields.push((VALUE, Display::Int));
            }
            let reader = self.sorts.readers[number].as_ref();
            let channel = Channel {
                name: channel.decl.name.name.to_string(),
                capacity: channel.size,
                fields: fields.iter().map(|(ty, _)| *ty).collect(),
                displays: fields.iter().map(|(_, display)| *display).collect(),
                offset: at,
                receiver: reader.map(|reader| ProcId(reader.process as u32)),
                span: channel.decl.name.span,
            };
            at += channel.total_bytes() as u32;
            self.model.channels.push(channel);
        }
        self.model.header.frames = at;
        for (number, channel) in self.symbols.channels.iter().enumerate() {
            for (message, value) in &channel.contents {
                let value = value.map(Expr::Const);
                let send = self.send(number, &message.name, value);
                self.model.init.push(Action::Send(send));
            }
        }
    }

    /// For each control state of a process: may it end there?
    fn may_end(&self, id: ProcId) -> Vec<bool> {
        match self.meaning.end_states {
            EndStates::Strict => self.model.process(id).states.iter().map(|state| state.end).collect(),
            EndStates::Rest => rest_states(&self.model, id),
        }
    }

    fn mark_ends(&mut self, id: ProcId) {
        let may_end = self.may_end(id);
        let states = &mut self.model.processes[id.index()].states;
        states.iter_mut().zip(may_end).for_each(|(state, may_end)| state.end = may_end);
    }

    /// A send of a message, with a value for every field.
    fn send(&self, channel: usize, message: &str, value: Option<Expr>) -> Send {
        let tag = self.sorts.tag(message, value.is_some());
        let mut args = vec![Expr::Const(tag)];
        if self.sorts.carries_values(channel) {
            args.push(value.unwrap_or(Expr::Const(0)));
        }
        Send { channel: number(channel), args, sorted: false }
    }
}

/// The number of a channel in the model.
fn number(channel: usize) -> Expr {
    Expr::Const(channel as i32 + 1)
}

/// A process of the model with its control states, but no rules yet.
fn without_rules(body: &Body, kind: ProcessKind, variables: usize) -> Process {
    let bytes = FrameLayout::FIXED_BYTES as usize + variables * VALUE.bytes();
    Process {
        name: body.name.clone(),
        kind,
        frame: FrameLayout::wide(bytes as u32),
        param_count: 0,
        variables: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        states: body.machine.states.iter().zip(1..).map(control_state).collect(),
        initial: StateId(body.machine.initial as u32),
        provided: None,
        deterministic: false,
        dead_code: Vec::new(),
        span: body.span,
    }
}

/// A state that may end where the text ends.
fn control_state((state, number): (&State, u16)) -> ControlState {
    ControlState {
        number,
        transitions: Vec::new(),
        end: state.is_end,
        progress: false,
        accepting: false,
        labels: state.labels.iter().map(|label| label.to_string()).collect(),
        span: state.span,
    }
}

/// The smallest type for that many values.
fn type_for(count: usize) -> ScalarType {
    if count <= 256 { ScalarType::BYTE } else { ScalarType::unsigned(16) }
}
