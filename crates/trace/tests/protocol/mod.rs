//! A sender and a receiver, made by hand: a channel with room, a rendezvous, an indivisible pair, a false assertion, and
//! a wait without end.

use panoptes_model::{
    Action, BinaryOp, Channel, ControlState, Display, EnumId, Enumeration, Expr, FrameLayout, Guard, Header,
    InitialProcess, Model, Pattern, Place, ProcId, Process, ProcessKind, Receive, Region, ScalarType, Send,
    StateId, TransId, Transition, Variable,
};
use panoptes_source::{FileId, SourceMap, Span};

pub struct Protocol {
    pub model: Model,
    pub sources: SourceMap,
}

const LINES: [&str; 8] = ["q!msg,7", "x++", "sync!5", "assert(x == 2)", "end", "q?_,y", "sync?y", "x == 9"];

pub fn protocol() -> Protocol {
    let mut sources = SourceMap::default();
    sources.add_file("p.txt", LINES.join("\n"), None);
    let tag = Display::Enum(EnumId(0));
    let byte = ScalarType::BYTE;
    let channel = |name: &str, capacity, displays: Vec<Display>, offset| {
        let fields = vec![byte; displays.len()];
        Channel {
            name: name.into(),
            capacity,
            fields,
            displays,
            offset,
            receiver: None,
            span: Span::default(),
        }
    };
    let mut model = Model {
        header: Header { hidden_bytes: 0, last: None, monitor: None, frames: 7 },
        variables: vec![variable("x", 1)],
        channels: vec![
            channel("q", 2, vec![tag, Display::Int], 2),
            channel("sync", 0, vec![Display::Int], 7),
        ],
        enumerations: vec![Enumeration {
            name: "tag".into(),
            values: vec![(1, "msg".into())],
            alone: Vec::new(),
        }],
        processes: vec![process("sender", 4, vec![]), process("receiver", 5, vec![variable("y", 4)])],
        initial: [0, 1].map(|id| InitialProcess { process: ProcId(id), priority: 1 }).into(),
        ..Model::default()
    };
    let x = || place(Region::Global, 1, "x");
    let y = || Pattern::Bind(place(Region::Local, 4, "y"));
    let equals = |value| Expr::binary(BinaryOp::Eq, Expr::load(x()), Expr::Const(value));
    let send = |channel, args: &[i32]| {
        let args = args.iter().map(|arg| Expr::Const(*arg)).collect();
        Action::Send(Send { channel: Expr::Const(channel), args, sorted: false })
    };
    let receive = |channel, patterns| {
        let channel = Expr::Const(channel);
        Action::Receive(Receive { channel, patterns, random: false, peek: false })
    };
    let increment = Expr::binary(BinaryOp::Add, Expr::load(x()), Expr::Const(1));
    add(&mut model, 0, 0, Guard::Always, vec![send(1, &[1, 7])]);
    model.transitions[0].keeps_control = true;
    add(&mut model, 0, 1, Guard::Always, vec![Action::Assign { place: x(), value: increment }]);
    add(&mut model, 0, 2, Guard::Always, vec![send(2, &[5])]);
    let assert = Action::Assert { condition: equals(2), text: "x == 2".into(), requirement: None };
    add(&mut model, 0, 3, Guard::Always, vec![assert]);
    // Never taken: the sender stays at its end.
    add(&mut model, 0, 4, Guard::When(Expr::Const(0)), vec![]);
    add(&mut model, 1, 0, Guard::Always, vec![receive(1, vec![Pattern::Any, y()])]);
    add(&mut model, 1, 1, Guard::Always, vec![receive(2, vec![y()])]);
    add(&mut model, 1, 2, Guard::When(equals(9)), vec![]);
    model.processes[0].states[4].end = true;
    model.processes[1].states[2].labels.push("wait".into());
    Protocol { model, sources }
}

impl Protocol {
    pub fn divide_by_zero_at_start(&mut self) {
        let value = Expr::binary(BinaryOp::Div, Expr::Const(1), Expr::Const(0));
        self.model.init.push(Action::Assign { place: place(Region::Global, 1, "x"), value });
    }
}

/// A transition from state `from` to the next, with the text of its line.
fn add(model: &mut Model, process: u32, from: u32, guard: Guard, actions: Vec<Action>) {
    let line = model.transitions.len();
    let lo = LINES[..line].iter().map(|text| text.len() as u32 + 1).sum();
    let span = Span { file: FileId(0), lo, hi: lo + LINES[line].len() as u32, expansion: None };
    let states = &mut model.processes[process as usize].states;
    states[from as usize].transitions.push(TransId(line as u32));
    states[from as usize].span = span;
    model.transitions.push(Transition {
        process: ProcId(process),
        from: StateId(from),
        to: Some(StateId(from + 1)),
        guard,
        actions,
        keeps_control: false,
        escape: 0,
        text: LINES[line].into(),
        span,
    });
}

fn variable(name: &str, offset: u32) -> Variable {
    let ty = ScalarType::BYTE;
    Variable { name: name.into(), offset, ty, display: Display::Int, count: 1, is_array: false }
}

fn place(region: Region, offset: u32, name: &str) -> Place {
    Place { region, offset, ty: ScalarType::BYTE, indices: Vec::new(), name: name.into() }
}

fn process(name: &str, bytes: u32, variables: Vec<Variable>) -> Process {
    let state = |number| ControlState {
        number,
        transitions: Vec::new(),
        end: false,
        progress: false,
        accepting: false,
        labels: Vec::new(),
        span: Span::default(),
    };
    Process {
        name: name.into(),
        kind: ProcessKind::Process,
        frame: FrameLayout::wide(bytes),
        param_count: 0,
        variables,
        channels: Vec::new(),
        init: Vec::new(),
        states: (0..6).map(state).collect(),
        initial: StateId(0),
        provided: None,
        deterministic: false,
        dead_code: Vec::new(),
        span: Span::default(),
    }
}
