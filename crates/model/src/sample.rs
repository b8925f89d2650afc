//! A small model that uses every part of the vocabulary, for tests. Two processes pass tagged numbers; the second may
//! be interrupted; a monitor follows the sends, and is a requirement, too; a claim waits for the sender to come round.

use crate::{
    Action, BinaryOp, Block, BlockId, BlockNode, BlockStep, Channel, ControlState, Display, EnumId,
    Enumeration, EventTable, Expr, Formula, FrameLayout, Guard, Header, IndexTerm, InitialProcess, Model,
    Monitor, Observe, Pattern, Place, ProcId, Process, ProcessKind, Receive, Region, Requirement, ScalarType,
    Send, Sense, Spawn, StateId, TemporalProperty, TransId, Transition, Variable,
};
use panoptes_source::{SourceMap, Span};

pub const SENDER: ProcId = ProcId(0);
pub const RECEIVER: ProcId = ProcId(1);
pub const EVENTS: ProcId = ProcId(2);
pub const WAITS: ProcId = ProcId(3);

const TAG: Display = Display::Enum(EnumId(0));

pub fn sample() -> (Model, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add_file("sample.txt", ".\n".repeat(40), None);
    let mut model = Model {
        name: "sample".to_owned(),
        header: Header { hidden_bytes: 1, last: Some(2), monitor: Some(3), frames: 13 },
        variables: vec![
            variable("scratch", 0, ScalarType::BYTE, Display::Int),
            variable("turn", 5, ScalarType::BYTE, Display::Int),
            Variable { count: 2, is_array: true, ..variable("flag", 6, ScalarType::BIT, Display::Bool) },
        ],
        channels: vec![
            channel("data", 2, &[(8, TAG), (8, Display::Int)], 8),
            channel("hand", 0, &[(8, TAG)], 13),
        ],
        enumerations: vec![Enumeration {
            name: "tag".to_owned(),
            values: vec![(1, "msg".to_owned()), (2, "ack".to_owned())],
            alone: Vec::new(),
        }],
        init: vec![assign(turn(), constant(1)), send(1, vec![constant(2), constant(7)])],
        initial: vec![
            InitialProcess { process: RECEIVER, priority: 1 },
            InitialProcess { process: SENDER, priority: 1 },
        ],
        claims: vec![WAITS],
        ..Model::default()
    };
    model.blocks.push(block());
    sender(&mut model);
    receiver(&mut model);
    events(&mut model);
    waits(&mut model);
    model.monitor = Some(Monitor { process: EVENTS, negated: false, sends: vec![1], receives: vec![] });
    model.channels[0].receiver = Some(RECEIVER);
    model.requirements.push(Requirement {
        name: "events".to_owned(),
        process: EVENTS,
        fulfilled: equals(turn(), 1),
        sense: Sense::Hold,
        table: EventTable::default(),
        span: at(20),
    });
    let taken = Formula::Atom(equals(turn(), 2));
    let formula = Formula::Always(Box::new(Formula::Eventually(Box::new(taken))));
    model.temporal.push(TemporalProperty { name: "fair".to_owned(), formula, span: at(30) });
    (model, sources)
}

fn sender(model: &mut Model) {
    let mut process = process("sender", ProcessKind::Process, 6, at(5));
    process.param_count = 1;
    process.variables = vec![
        variable("to", 4, ScalarType::BYTE, Display::Channel),
        variable("seq", 5, ScalarType::BIT, Display::Int),
    ];
    process.init = vec![assign(seq(), constant(0))];
    process.dead_code = vec![at(11)];
    process.provided = Some(Expr::binary(BinaryOp::Ge, Expr::load(turn()), constant(0)));
    process.states = vec![state(1), state(2), ControlState { end: true, ..state(3) }];
    process.states[1].progress = true;
    process.states[1].labels.push("again".to_owned());
    model.processes.push(process);
    let busy = Guard::When(equals(turn(), 2));
    add(model, SENDER, (0, Some(2)), busy, vec![], "turn is 2", 6);
    model.transitions.last_mut().unwrap().escape = 1;
    add(
        model,
        SENDER,
        (0, Some(1)),
        Guard::Always,
        vec![send(1, vec![constant(1), Expr::load(seq())])],
        "send",
        7,
    );
    add(model, SENDER, (0, Some(0)), Guard::Otherwise, vec![], "otherwise", 8);
    add(model, SENDER, (1, Some(0)), Guard::Always, vec![Action::Block(BlockId(0))], "flip", 9);
    model.transitions.last_mut().unwrap().keeps_control = true;
    add(model, SENDER, (2, None), Guard::Always, vec![Action::Exit], "end", 10);
}

fn receiver(model: &mut Model) {
    let mut process = process("receiver", ProcessKind::Process, 8, at(12));
    process.variables =
        vec![Variable { count: 2, is_array: true, ..variable("got", 4, ScalarType::BYTE, Display::Int) }];
    process.channels = vec![channel("own", 1, &[(8, Display::Int)], 6)];
    process.states = vec![ControlState { end: true, ..state(1) }, state(2), state(3)];
    model.processes.push(process);
    let slot = Place { region: Region::Local, ..indexed("got", 4, &[(Expr::load(turn()), 2, 1)]) };
    let receive = Receive {
        channel: constant(1),
        patterns: vec![Pattern::Match(constant(1)), Pattern::Bind(slot.clone())],
        random: false,
        peek: false,
    };
    add(model, RECEIVER, (0, Some(1)), Guard::Always, vec![Action::Receive(receive)], "take", 14);
    let spawn = Spawn { process: SENDER, args: vec![constant(1)], priority: None };
    let starts = vec![assign(turn(), Expr::Spawn(Box::new(spawn)))];
    add(model, RECEIVER, (1, Some(0)), Guard::When(equals(slot, 0)), starts, "start", 15);
    let small = Expr::binary(BinaryOp::Lt, Expr::LastPid, constant(9));
    let assert = Action::Assert { condition: small, text: "last < 9".to_owned(), requirement: None };
    let text = "no turn left".to_owned();
    let require = Action::Assert { condition: Expr::load(turn()), text, requirement: Some(0) };
    add(model, RECEIVER, (1, Some(2)), Guard::Always, vec![assert, require], "check", 16);
    add(model, RECEIVER, (2, None), Guard::Always, vec![Action::Exit], "end", 17);
}

fn events(model: &mut Model) {
    let mut process = process("events", ProcessKind::Monitor, 4, at(20));
    process.states = vec![state(1)];
    model.processes.push(process);
    add(
        model,
        EVENTS,
        (0, Some(0)),
        Guard::Always,
        vec![observe(1, vec![Pattern::Match(constant(1)), Pattern::Any])],
        "sent",
        21,
    );
}

fn waits(model: &mut Model) {
    let mut process = process("waits", ProcessKind::Claim, 4, at(24));
    process.states = vec![ControlState { accepting: true, ..state(1) }];
    model.processes.push(process);
    let again =
        Expr::AtState { process: SENDER, pid: Box::new(constant(1)), state: 2, label: "again".to_owned() };
    let seq = Expr::Remote { process: SENDER, pid: Box::new(constant(1)), place: Box::new(seq()) };
    let guard = Guard::When(Expr::binary(BinaryOp::And, Expr::negate(again), seq));
    add(model, WAITS, (0, Some(0)), guard, vec![], "not again", 25);
}

/// Flips `seq` in one step.
fn block() -> Block {
    let step = |guard, actions, next, line| BlockStep { guard, actions, next, span: at(line) };
    let node = |steps, line| BlockNode { steps, span: at(line) };
    let one = step(Guard::When(Expr::load(seq())), vec![assign(seq(), constant(0))], Some(1), 26);
    let zero = step(Guard::Otherwise, vec![assign(seq(), constant(1))], Some(1), 27);
    let done =
        step(Guard::Always, vec![Action::Print { format: "flipped\n".to_owned(), args: vec![] }], None, 28);
    Block { nodes: vec![node(vec![one, zero], 26), node(vec![done], 28)], entry: 0 }
}

pub fn process(name: &str, kind: ProcessKind, bytes: u32, span: Span) -> Process {
    Process {
        name: name.to_owned(),
        kind,
        frame: FrameLayout::wide(bytes),
        param_count: 0,
        variables: vec![],
        channels: vec![],
        init: vec![],
        states: vec![],
        initial: StateId(0),
        provided: None,
        deterministic: false,
        dead_code: vec![],
        span,
    }
}

pub fn state(number: u16) -> ControlState {
    ControlState {
        number,
        transitions: vec![],
        end: false,
        progress: false,
        accepting: false,
        labels: vec![],
        span: Span::default(),
    }
}

/// Adds a transition to the model and to the state it comes from.
pub fn add(
    model: &mut Model,
    process: ProcId,
    (from, to): (u32, Option<u32>),
    guard: Guard,
    actions: Vec<Action>,
    text: &str,
    line: u32,
) {
    let id = TransId(model.transitions.len() as u32);
    model.processes[process.index()].states[from as usize].transitions.push(id);
    model.transitions.push(Transition {
        process,
        from: StateId(from),
        to: to.map(StateId),
        guard,
        actions,
        keeps_control: false,
        escape: 0,
        text: text.to_owned(),
        span: at(line),
    });
}

pub fn variable(name: &str, offset: u32, ty: ScalarType, display: Display) -> Variable {
    Variable { name: name.to_owned(), offset, ty, display, count: 1, is_array: false }
}

pub fn channel(name: &str, capacity: u16, fields: &[(u8, Display)], offset: u32) -> Channel {
    Channel {
        name: name.to_owned(),
        capacity,
        fields: fields.iter().map(|(bits, _)| ScalarType::unsigned(*bits)).collect(),
        displays: fields.iter().map(|(_, display)| *display).collect(),
        offset,
        receiver: None,
        span: at(2),
    }
}

pub fn global(name: &str, offset: u32, ty: ScalarType) -> Place {
    Place { region: Region::Global, offset, ty, indices: vec![], name: name.to_owned() }
}

/// A global array of bytes; each subscript with its length and stride.
pub fn indexed(name: &str, offset: u32, indices: &[(Expr, u32, u32)]) -> Place {
    let term = |(index, len, stride): &(Expr, u32, u32)| IndexTerm {
        index: index.clone(),
        len: *len,
        stride: *stride,
    };
    Place { indices: indices.iter().map(term).collect(), ..global(name, offset, ScalarType::BYTE) }
}

pub fn turn() -> Place {
    global("turn", 5, ScalarType::BYTE)
}

/// The sender's local variable.
pub fn seq() -> Place {
    Place { region: Region::Local, ..global("seq", 5, ScalarType::BIT) }
}

pub fn constant(value: i32) -> Expr {
    Expr::Const(value)
}

pub fn equals(place: Place, value: i32) -> Expr {
    Expr::binary(BinaryOp::Eq, Expr::load(place), constant(value))
}

pub fn assign(place: Place, value: Expr) -> Action {
    Action::Assign { place, value }
}

pub fn send(channel: i32, args: Vec<Expr>) -> Action {
    Action::Send(Send { channel: constant(channel), args, sorted: false })
}

/// A monitor's view of a send.
pub fn observe(channel: i32, patterns: Vec<Pattern>) -> Action {
    Action::Observe(Observe { channel: constant(channel), sent: true, patterns })
}

/// The start of a line of the sample's source.
pub fn at(line: u32) -> Span {
    Span { lo: (line - 1) * 2, hi: (line - 1) * 2 + 1, ..Span::default() }
}
