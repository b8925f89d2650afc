//! An assertion in the model: its machine for people, and its monitor as a variable that steps set.

use super::{Body, Lowering, number, type_for, without_rules};
use crate::flow::Node;
use crate::monitor::{Event, Monitor};
use crate::resolve::Reporter;
use panoptes_model::{
    Action, BinaryOp, Display, EnumId, Enumeration, Expr, Guard, Header, Observe, Pattern, Place, ProcId,
    ProcessKind, Region, Requirement, Sense, StateId, TransId, Transition, Variable,
};
use panoptes_source::{Diagnostic, SourceMap};

/// A monitor and where its state is.
pub(crate) struct Watch {
    pub monitor: Monitor,
    pub place: Place,
    /// Its name and place, for messages.
    pub title: String,
}

/// So many assertions that fail in one step are told together; of more, one by one.
const TOGETHER_MAX: usize = 4;

impl Watch {
    /// The monitors of all assertions, one behind the other in the vector.
    pub fn all(
        sources: &SourceMap,
        assertions: &[Body],
        may_end: &[Vec<bool>],
        reporter: &mut Reporter,
    ) -> Vec<Watch> {
        let mut watches = Vec::new();
        let mut offset = Header::default().globals();
        for (body, may_end) in assertions.iter().zip(may_end) {
            let Ok(monitor) = Monitor::of(&body.flow, &body.machine, may_end) else {
                let message = format!("`{}` has too many ways to be followed", body.name);
                let wrong = Diagnostic::error(body.span, message)
                    .help("where options begin with the same message, put the choice behind it");
                reporter.report(wrong);
                continue;
            };
            let ty = type_for(monitor.sets.len() + 1);
            let place =
                Place { region: Region::Global, offset, ty, indices: Vec::new(), name: body.name.clone() };
            offset += ty.bytes() as u32;
            let at = sources.user_position(body.span);
            let title = format!("`{}` ({}:{})", body.name, at.file, at.line);
            watches.push(Watch { monitor, place, title });
        }
        watches
    }

    /// Its state as people see it: the numbers of the states that the assertion may be in.
    pub fn enumeration(&self) -> Enumeration {
        let sets = self.monitor.sets.iter().map(|set| {
            let numbers: Vec<String> = set.iter().map(|state| (state + 1).to_string()).collect();
            format!("{{{}}}", numbers.join(","))
        });
        let values = (0..).zip(sets.chain(["violated".to_string()])).collect();
        Enumeration { name: self.place.name.clone(), values, alone: Vec::new() }
    }

    pub fn variable(&self, shown: EnumId) -> Variable {
        Variable {
            name: self.place.name.clone(),
            offset: self.place.offset,
            ty: self.place.ty,
            display: Display::Enum(shown),
            count: 1,
            is_array: false,
        }
    }
}

/// The actions of a step that is followed only as far as the one assertion that is asked for allows it, and that notes
/// where that assertion may end.
pub(crate) fn pursue(watch: &Watch, event: &Event, text: &str) -> Vec<Action> {
    let Watch { monitor, place, title } = watch;
    let follows = monitor.allows(event, place).map(|condition| Action::Assert {
        condition,
        text: format!("{title} does not go on with `{text}`"),
        requirement: Some(FOLLOW),
    });
    let reaches = monitor.is_open(place).filter(|_| monitor.knows(event)).map(|condition| Action::Assert {
        condition,
        text: format!("`{text}` completes {title}"),
        requirement: Some(REACH),
    });
    follows.into_iter().chain(monitor.follow(event, place)).chain(reaches).collect()
}

/// The requirements of a model in which one assertion is pursued.
const FOLLOW: u32 = 0;
const REACH: u32 = 1;

/// The actions with which a step tells all monitors of its event.
pub(crate) fn follow(watches: &[Watch], event: &Event, text: &str) -> Vec<Action> {
    let allows: Vec<(usize, Expr)> = watches
        .iter()
        .enumerate()
        .filter_map(|(index, watch)| Some((index, watch.monitor.allows(event, &watch.place)?)))
        .collect();
    let mut actions = Vec::new();
    // Of the assertions of a step that fail, the first is noted: so those that several fail together come first.
    for together in subsets(&allows) {
        let titles: Vec<&str> = together.iter().map(|(index, _)| &*watches[*index].title).collect();
        let verb = if together.len() == 1 { "does" } else { "do" };
        let text = format!("{} {verb} not allow `{text}` here", titles.join(" and "));
        let requirement = together.first().map(|(index, _)| *index as u32);
        let conditions = together.into_iter().map(|(_, condition)| condition.clone());
        if let Some(condition) = conditions.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)) {
            actions.push(Action::Assert { condition, text, requirement });
        }
    }
    actions.extend(watches.iter().filter_map(|watch| watch.monitor.follow(event, &watch.place)));
    actions
}

/// The groups of assertions that may fail together, the largest first.
fn subsets(allows: &[(usize, Expr)]) -> Vec<Vec<&(usize, Expr)>> {
    if allows.len() > TOGETHER_MAX {
        let singles = allows.iter().map(|one| vec![one]);
        return std::iter::once(allows.iter().collect()).chain(singles).collect();
    }
    let mut all: Vec<Vec<&(usize, Expr)>> = (1..1usize << allows.len())
        .map(|bits| {
            allows.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, one)| one).collect()
        })
        .collect();
    all.sort_by_key(|group| std::cmp::Reverse(group.len()));
    all
}

impl Lowering<'_> {
    /// Adds the machine of an assertion, for people.
    pub(super) fn assertion(&mut self, body: &Body) -> ProcId {
        let id = ProcId(self.model.processes.len() as u32);
        self.model.processes.push(without_rules(body, ProcessKind::Monitor, 0));
        for (from, state) in body.machine.states.iter().enumerate() {
            for (node, to) in &state.edges {
                let (Node::Step(step), Some(event)) = (&body.flow.nodes[*node], Event::of(&body.flow, *node))
                else {
                    continue;
                };
                for action in self.observed(&event) {
                    let transition = TransId(self.model.transitions.len() as u32);
                    self.model.transitions.push(Transition {
                        process: id,
                        from: StateId(from as u32),
                        to: Some(StateId(*to as u32)),
                        guard: Guard::Always,
                        actions: vec![action],
                        keeps_control: false,
                        escape: 0,
                        text: step.text.clone(),
                        span: step.span,
                    });
                    self.model.processes[id.index()].states[from].transitions.push(transition);
                }
            }
        }
        id
    }

    /// Adds the requirement that an assertion is; `process` is its machine.
    pub(super) fn require(&mut self, body: &Body, process: ProcId, watch: &Watch) {
        self.add_requirement(body, process, watch, Sense::Hold);
    }

    /// Adds the two requirements that make an assertion something to look for.
    pub(super) fn seek(&mut self, body: &Body, process: ProcId, watch: &Watch) {
        self.add_requirement(body, process, watch, Sense::Follow);
        self.add_requirement(body, process, watch, Sense::Reach);
    }

    fn add_requirement(&mut self, body: &Body, process: ProcId, watch: &Watch, sense: Sense) {
        self.model.requirements.push(Requirement {
            name: body.name.clone(),
            process,
            fulfilled: match sense {
                Sense::Hold => watch.monitor.fulfilled(&watch.place),
                // Nothing is said about executions that end before they get there.
                Sense::Follow | Sense::Reach => Expr::Const(1),
            },
            sense,
            table: watch.monitor.table(),
            span: body.span,
        });
    }

    /// The event in the words of the model: one for each tag of the message.
    fn observed(&self, event: &Event) -> Vec<Action> {
        let mut tags = self.sorts.received(event.channel, &event.message);
        if tags.is_empty() {
            tags.push((self.sorts.no_tag(), false));
        }
        let observe = |(tag, _): (i32, bool)| {
            let mut patterns = vec![Pattern::Match(Expr::Const(tag))];
            if self.sorts.carries_values(event.channel) {
                patterns.push(Pattern::Any);
            }
            Action::Observe(Observe { channel: number(event.channel), sent: event.sent, patterns })
        };
        tags.into_iter().map(observe).collect()
    }
}
