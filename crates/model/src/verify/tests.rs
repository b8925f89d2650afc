//! The sample model keeps every rule; for each rule one change breaks it.

use super::{RULES, verify};
use crate::sample::*;
use crate::{
    Action, AwaitedQueue, BlockId, Channel, Display, EnumId, Expr, Formula, Guard, Header, Model, Pattern,
    Place, ProcId, ProcessKind, ScalarType, Spawn, StateId, TransId, Waiting,
};

/// A rule, and a change to the sample that breaks it.
type Case = (&'static str, fn(&mut Model));

const CASES: &[Case] = &[
    ("id-range", |m| m.processes[0].states[0].transitions.push(TransId(99))),
    ("id-range", |m| m.transitions[0].process = ProcId(9)),
    ("id-range", |m| m.transitions[0].to = Some(StateId(9))),
    ("id-range", |m| m.transitions[3].actions = vec![Action::Block(BlockId(7))]),
    ("id-range", |m| m.variables[1].display = Display::Enum(EnumId(4))),
    ("id-range", |m| m.claims.push(ProcId(9))),
    ("id-range", |m| m.init.push(assign(turn(), spawn_of(ProcId(9), 0)))),
    ("initial-state", |m| m.processes[1].initial = StateId(3)),
    ("block-node", |m| m.blocks[0].entry = 2),
    ("block-node", |m| m.blocks[0].nodes[0].steps[0].next = Some(2)),
    ("block-nesting", |m| m.blocks[0].nodes[0].steps[0].actions.push(Action::Block(BlockId(0)))),
    ("numbers-fit", |m| m.initial = vec![m.initial[0].clone(); 256]),
    ("header", |m| m.header.last = Some(3)),
    ("header", |m| m.header.frames = 4),
    ("frame-bytes", |m| m.processes[2].frame.bytes = 3),
    ("scalar-bits", |m| m.variables[1].ty.bits = 0),
    ("scalar-bits", |m| m.channels[0].fields[1].bits = 33),
    ("scalar-bits", |m| m.init = vec![assign(global("turn", 5, ScalarType::unsigned(0)), constant(1))]),
    ("variable-bounds", |m| m.variables[1].offset = 4),
    ("variable-bounds", |m| m.variables[0].ty = ScalarType::INT),
    ("variable-bounds", |m| m.variables[2].count = 0),
    ("variable-bounds", |m| m.processes[1].variables[0].offset = 3),
    ("params", |m| m.processes[0].param_count = 3),
    ("channel-bounds", |m| m.channels[0].offset = 9),
    ("channel-bounds", |m| m.channels[0].displays.clear()),
    ("channel-overlap", |m| m.channels[0].offset = 7),
    ("channel-overlap", |m| m.channels[1] = Channel { name: "twin".to_owned(), ..m.channels[0].clone() }),
    ("channel-overlap", |m| m.processes[1].channels[0].offset = 5),
    ("place-bounds", |m| m.init = vec![assign(global("turn", 13, ScalarType::BYTE), constant(1))]),
    ("place-bounds", |m| m.init = vec![assign(indexed("flag", 6, &[(constant(0), 8, 1)]), constant(1))]),
    ("place-bounds", |m| m.init = vec![assign(global("count", 1, ScalarType::BYTE), constant(1))]),
    ("place-bounds", |m| m.processes[0].init = vec![assign(Place { offset: 6, ..seq() }, constant(1))]),
    ("place-bounds", |m| m.blocks[0].nodes[0].steps[0].guard = load(Place { offset: 3, ..seq() })),
    ("place-index", |m| m.init = vec![assign(indexed("flag", 6, &[(constant(0), 0, 1)]), constant(1))]),
    ("place-index", |m| m.init = vec![assign(indexed("flag", 6, &[(constant(0), 2, 0)]), constant(1))]),
    ("place-index", |m| {
        let both = [(constant(0), 3, 1), (constant(0), 2, 2)];
        m.init = vec![assign(indexed("flag", 6, &both), constant(1))];
    }),
    ("local-place", |m| m.init = vec![assign(seq(), constant(1))]),
    ("local-place", |m| m.init = vec![assign(turn(), Expr::SelfPid)]),
    ("local-place", |m| m.temporal[0].formula = Formula::Not(Box::new(Formula::Atom(equals(seq(), 1))))),
    ("remote-place", |m| {
        let remote = Expr::Remote { process: SENDER, pid: Box::new(constant(0)), place: Box::new(turn()) };
        m.temporal[0].formula = Formula::Atom(remote);
    }),
    ("state-number", |m| m.processes[0].states[0].number = 2),
    ("transition-listed", |m| m.processes[0].states[0].transitions.clear()),
    ("transition-listed", |m| m.processes[0].states[0].transitions.push(TransId(2))),
    ("transition-listed", |m| m.transitions[2].from = StateId(1)),
    ("exit-last", |m| m.transitions[4].to = Some(StateId(0))),
    ("exit-last", |m| m.transitions[0].to = None),
    ("exit-last", |m| m.transitions[4].actions.insert(0, Action::Exit)),
    ("exit-last", |m| m.blocks[0].nodes[1].steps[0].actions.push(Action::Exit)),
    ("escape-order", |m| m.transitions[2].escape = 2),
    ("escape-order", |m| m.processes[0].states[0].transitions.swap(0, 1)),
    ("otherwise-blocks", |m| m.transitions[1].guard = Guard::Otherwise),
    ("predicate-first", |m| m.transitions[1].actions.insert(0, assign(turn(), constant(0)))),
    ("predicate-first", |m| m.transitions[4].actions.insert(0, assign(turn(), constant(0)))),
    ("init-actions", |m| m.init.push(Action::PrintName(constant(1)))),
    ("init-actions", |m| m.init.push(send(2, vec![constant(1)]))),
    ("init-actions", |m| m.processes[0].init.push(send(1, vec![constant(1), constant(1)]))),
    ("initial-processes", |m| m.initial[0].process = WAITS),
    ("spawn-args", |m| m.transitions[6].actions = vec![assign(turn(), spawn_of(SENDER, 2))]),
    ("spawn-args", |m| m.transitions[6].actions = vec![assign(turn(), spawn_of(EVENTS, 0))]),
    ("spawn-place", |m| m.transitions[1].actions = vec![send(1, vec![constant(1), spawn_of(SENDER, 1)])]),
    ("spawn-place", |m| {
        let flag = indexed("flag", 6, &[(spawn_of(SENDER, 1), 2, 1)]);
        m.transitions[6].actions = vec![assign(flag, spawn_of(SENDER, 1))];
    }),
    ("spawn-place", |m| m.transitions[6].guard = Guard::When(spawn_of(SENDER, 1))),
    ("at-state", |m| m.processes[0].states[1].number = 7),
    ("last-pid", |m| {
        m.header.last = None;
        m.header.monitor = Some(2);
    }),
    ("block-rendezvous", |m| m.blocks[0].nodes[1].steps[0].actions.push(send(2, vec![constant(1)]))),
    ("monitor", |m| m.processes[2].kind = ProcessKind::Process),
    ("monitor", |m| m.processes[2].channels = vec![channel("own", 0, &[], 4)]),
    ("monitor", |m| m.monitor.as_mut().unwrap().receives.push(3)),
    ("monitor", |m| m.monitor = None),
    ("observe", |m| m.transitions[9].actions = vec![send(1, vec![constant(1), constant(1)])]),
    ("observe", |m| m.transitions[9].actions = vec![observe(1, vec![Pattern::Bind(turn())])]),
    ("observe", |m| m.transitions[2].actions = vec![observe(1, vec![])]),
    ("observe", |m| m.transitions[9].actions.clear()),
    ("requirement", |m| m.requirements[0].process = SENDER),
    ("requirement", |m| m.requirements.clear()),
    ("local-place", |m| m.requirements[0].fulfilled = equals(seq(), 1)),
    ("receiver", |m| m.channels[0].receiver = Some(EVENTS)),
    ("receiver", |m| m.channels[1].receiver = Some(RECEIVER)),
    ("receiver", |m| m.processes[1].channels[0].receiver = Some(RECEIVER)),
    ("waiting", |m| m.timeouts.push(TransId(1))),
    ("waiting", |m| m.waiting.push(waits_for(RECEIVER, 0, TransId(6)))),
    ("waiting", |m| m.waiting.push(waits_for(EVENTS, 0, TransId(9)))),
    ("claim-kind", |m| m.claims.push(SENDER)),
    ("claim-actions", |m| m.transitions[10].actions.push(send(1, vec![constant(1), constant(1)]))),
];

#[test]
fn the_sample_keeps_every_rule() {
    assert_eq!(verify(&sample().0), []);
    assert_eq!(verify(&Model { header: Header { frames: 1, ..Header::default() }, ..Model::default() }), []);
}

#[test]
fn each_change_breaks_its_rule() {
    for (index, (rule, change)) in CASES.iter().enumerate() {
        let mut model = sample().0;
        change(&mut model);
        let violations = verify(&model);
        assert!(
            violations.iter().any(|v| v.rule == *rule),
            "case {index}: {rule} is not among {violations:#?}"
        );
    }
}

#[test]
fn each_rule_is_broken_by_some_change() {
    for (rule, _) in RULES {
        assert!(CASES.iter().any(|(broken, _)| broken == rule), "no case breaks {rule}");
    }
}

#[test]
fn rules_have_different_names() {
    for (index, (rule, _)) in RULES.iter().enumerate() {
        assert!(RULES[..index].iter().all(|(other, _)| other != rule), "{rule} stands twice");
    }
}

/// The page on the model has one line a rule, with the sentence of the list.
#[test]
fn the_document_lists_every_rule() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/internals/model.md");
    let page = std::fs::read_to_string(path).unwrap();
    for (rule, sentence) in RULES {
        let line = format!("| `{rule}` | {sentence} |");
        assert!(page.contains(&line), "docs/internals/model.md has no line\n{line}");
    }
    let listed = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(listed, RULES.len(), "docs/internals/model.md lists other rules");
}

fn waits_for(process: ProcId, channel: u16, condition: TransId) -> Waiting {
    let queues = vec![AwaitedQueue { channel, taken: vec![1] }];
    Waiting { process, state: StateId(1), queues, conditions: vec![condition] }
}

fn spawn_of(process: ProcId, args: usize) -> Expr {
    Expr::Spawn(Box::new(Spawn { process, args: vec![constant(1); args], priority: None }))
}

fn load(place: Place) -> Guard {
    Guard::When(Expr::load(place))
}
