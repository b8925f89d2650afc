//! From elements to control states and transitions.
//!
//! Which elements are states, where a step leads and what it passes through on the way follow SPIN's verifier, so that
//! states can be counted and compared. In short: joins and jumps are passed through, unless that would leave an
//! atomic sequence; a choice or block is a state that offers the first steps of its parts; an escape's first steps come
//! before the steps that it may interrupt.

use super::Lowering;
use super::flow::{ElementId, ElementKind, Flow, Grouping, Jump, SequenceId, is_special};
use super::process::{Body, Role};
use panoptes_model::{
    Action, ControlState, ExprText, Guard, Model, ProcId, StateId, TransId, Transition, rule_text,
};
use panoptes_source::{Diagnostic, Span, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A transition before it has an id.
#[derive(Clone)]
struct Edge {
    /// The element whose statement it executes.
    element: ElementId,
    to: Option<ElementId>,
    keeps_control: bool,
    /// First elements of the escapes that may interrupt it, outermost first.
    escapes: Vec<ElementId>,
    /// The escape it belongs to, as the number of its first element.
    escape: u16,
    /// The elements that are carried out in the same step, behind it.
    merged: Vec<ElementId>,
}

/// What can be done at an element.
enum Offer {
    Step(Edge),
    /// The first steps of these elements.
    FirstOf(Vec<ElementId>),
    Nothing,
}

impl Lowering<'_> {
    /// Turns the elements of a body into the states and transitions of its process.
    pub(super) fn wire(&mut self, body: &mut Body, whole: SequenceId) {
        self.check_labelled_loops(body);
        let flow = &mut body.flow;
        if !self.check_numbers(flow, body.id) {
            return;
        }
        self.check_jumps(flow);
        let mut offers = collect_offers(flow, whole, body.role);
        if let (Some(merging), Role::Proctype | Role::Init) = (&self.merging, body.role) {
            let behind = |element| merging.behind(flow, element, &self.model, body.id);
            merge_offers(flow, &mut offers, behind);
        }
        let Some(first) = flow.sequence(whole).first else { return };
        let start = flow.hunt(first, flow.element(first).atomic);
        let Some(lists) = edge_lists(&offers, self.transitions_left()) else {
            return self.report_many_transitions(flow.element(first).span);
        };
        let mut roots = vec![start];
        if body.role == Role::Trace {
            // A negated monitor that gives up goes to its end, even if no path leads there.
            roots.extend(flow.sequence(whole).last);
        }
        let states = reachable(&lists, roots);
        let index: FxHashMap<ElementId, StateId> =
            states.iter().enumerate().map(|(index, element)| (*element, StateId(index as u32))).collect();
        let mut executed = vec![false; flow.elements.len()];
        let mut control_states = Vec::new();
        for element in &states {
            let mut transitions = Vec::new();
            for edge in &lists[element.0] {
                executed[edge.element.0] = true;
                edge.merged.iter().for_each(|element| executed[element.0] = true);
                transitions.push(TransId(self.model.transitions.len() as u32));
                let transition = self.transition(body.id, &body.flow, index[element], edge, &index);
                self.model.transitions.push(transition);
                self.executed.push((body.id, edge.element.0 as u32));
            }
            let labels = labels_of(&body.flow, *element);
            control_states.push(control_state(&body.flow, *element, labels, transitions));
        }
        let dead_code = dead_statements(&body.flow, &executed);
        self.body_sizes.insert(body.id, body.flow.elements.len() as u32);
        let process = &mut self.model.processes[body.id.index()];
        process.initial = index[&start];
        process.states = control_states;
        process.dead_code = dead_code;
    }

    fn check_jumps(&mut self, flow: &Flow) {
        for element in &flow.elements {
            let ElementKind::Jump(Jump::Label { name, span, scopes }) = &element.kind else { continue };
            let Some(target) = flow.labelled(name, scopes) else {
                self.report_no_label(flow, name, *span);
                continue;
            };
            let (here, there) = (element.indivisible, flow.element(target).indivisible);
            if here != there {
                let way = if here.is_some() { "out of" } else { "into" };
                let diagnostic = Diagnostic::error(*span, format!("a jump {way} a d_step")).help(
                    "a d_step is one step: use `atomic` if control must come in or leave in the middle",
                );
                self.report(diagnostic);
            }
        }
    }

    fn report_no_label(&mut self, flow: &Flow, name: &str, span: Span) {
        let mut places: Vec<Span> =
            flow.labels.iter().filter(|((label, _), _)| **label == *name).map(|(_, (_, at))| *at).collect();
        places.sort_by_key(|at| at.lo);
        let diagnostic = match places[..] {
            [first, second, ..] => Diagnostic::error(
                span,
                format!("several blocks have a label `{name}`, and none is around this jump"),
            )
            .label(first, "one is here")
            .label(second, "and one here"),
            _ => {
                let known = flow.labels.keys().map(|(label, _)| &**label);
                let unknown = Diagnostic::error(span, format!("there is no label `{name}` in this process"));
                let meant = unknown.fits(&self.diagnostics).then(|| did_you_mean(name, known)).flatten();
                unknown.help(meant.unwrap_or_else(|| "a jump stays inside its process".to_string()))
            }
        };
        self.report(diagnostic.code("unknown-name"));
    }

    /// False, and reported, if there are more statements than numbers for them.
    fn check_numbers(&mut self, flow: &Flow, process: ProcId) -> bool {
        let has_numbers = flow.elements.len() <= usize::from(u16::MAX);
        if !has_numbers {
            let message = format!("`{}` has more than {} statements", self.process_name(process), u16::MAX);
            self.error(flow.elements[0].span, message);
        }
        has_numbers
    }

    fn transition(
        &mut self,
        process: ProcId,
        flow: &Flow,
        from: StateId,
        edge: &Edge,
        index: &FxHashMap<ElementId, StateId>,
    ) -> Transition {
        let element = flow.element(edge.element);
        let (guard, mut actions) = match &element.kind {
            ElementKind::Basic { guard, actions } => (guard.clone(), actions.clone()),
            ElementKind::Group(Grouping::Deterministic, sequence) => {
                let guard = match flow.sequence(*sequence).first.map(|first| &flow.element(first).kind) {
                    Some(ElementKind::Basic { guard: Guard::Otherwise, .. }) => Guard::Otherwise,
                    _ => Guard::Always,
                };
                let block = self.block(flow, edge.element, *sequence);
                (guard, vec![Action::Block(block)])
            }
            ElementKind::End => (Guard::Always, vec![Action::Exit]),
            _ => (Guard::Always, Vec::new()),
        };
        let mut text = match &element.kind {
            ElementKind::End => "-end-".to_string(),
            ElementKind::Join => "end of choice".to_string(),
            ElementKind::LoopExit => "end of loop".to_string(),
            ElementKind::Basic { .. } if element.implied => implied_text(&guard, &actions, &self.model),
            ElementKind::Jump(Jump::Break(_)) if element.implied => "break".to_string(),
            _ => self.statement_text(element.span),
        };
        for merged in &edge.merged {
            if let ElementKind::Basic { actions: more, .. } = &flow.element(*merged).kind {
                actions.extend(more.iter().cloned());
                text = format!("{text}; {}", self.statement_text(flow.element(*merged).span));
            }
        }
        Transition {
            process,
            from,
            to: edge.to.map(|to| index[&to]),
            guard,
            actions,
            keeps_control: edge.keeps_control,
            escape: edge.escape,
            text,
            span: element.span,
        }
    }
}

/// A part of a `for` or `select` as it would be written out.
fn implied_text(guard: &Guard, actions: &[Action], model: &Model) -> String {
    match (guard, actions) {
        (Guard::Otherwise, []) => "else".to_string(),
        (Guard::When(condition), []) => ExprText::in_model(condition, model).to_string(),
        _ => rule_text(guard, actions, model).replace(" := ", " = "),
    }
}

impl Flow {
    fn offer(&self, id: ElementId, role: Role) -> Offer {
        let element = self.element(id);
        // A join inside an atomic sequence is a step, but not one that an escape can interrupt.
        let escapable = !matches!(element.kind, ElementKind::Join);
        let escapes = element
            .escapes
            .iter()
            .filter(|_| escapable)
            .filter_map(|escape| self.sequence(*escape).first)
            .map(|first| self.hunt(first, element.atomic))
            .collect();
        let edge = |to: Option<ElementId>, keeps_control: bool| {
            Offer::Step(Edge { element: id, to, keeps_control, escapes, escape: 0, merged: Vec::new() })
        };
        match &element.kind {
            ElementKind::Basic { .. }
            | ElementKind::Join
            | ElementKind::LoopExit
            | ElementKind::Group(Grouping::Deterministic, _) => {
                let Some(next) = element.next else { return Offer::Nothing };
                edge(Some(self.hunt(next, element.atomic)), element.atomic)
            }
            ElementKind::Jump(jump) => {
                let Some(target) = self.jump_target(jump) else { return Offer::Nothing };
                edge(Some(self.hunt(target, element.atomic)), element.atomic)
            }
            ElementKind::Choice(options) => {
                Offer::FirstOf(options.iter().filter_map(|option| self.entry(*option)).collect())
            }
            ElementKind::Group(_, sequence) => Offer::FirstOf(self.entry(*sequence).into_iter().collect()),
            ElementKind::End if matches!(role, Role::Proctype | Role::Init) => edge(None, false),
            ElementKind::End | ElementKind::Unless { .. } => Offer::Nothing,
        }
    }
}

/// What every element offers, found in the order of the text. The order matters: a group's jumps are settled when the
/// group is entered, so that what comes before still sees them unsettled, as in SPIN.
fn collect_offers(flow: &mut Flow, whole: SequenceId, role: Role) -> Vec<Offer> {
    let mut offers: Vec<Option<Offer>> = (0..flow.elements.len()).map(|_| None).collect();
    visit(flow, whole, role, &mut offers);
    offers.into_iter().map(|offer| offer.unwrap_or(Offer::Nothing)).collect()
}

fn visit(flow: &mut Flow, sequence: SequenceId, role: Role, offers: &mut [Option<Offer>]) {
    let last = flow.sequence(sequence).last;
    let mut current = flow.sequence(sequence).first;
    while let Some(id) = current {
        if offers[id.0].is_none() {
            if let ElementKind::Group(_, inner) = flow.element(id).kind {
                flow.settle_jumps(inner);
                // The end of a group leads to what follows the group.
                if let Some(inner_last) = flow.sequence(inner).last {
                    flow.elements[inner_last.0].next = flow.element(id).next;
                }
            }
            offers[id.0] = Some(flow.offer(id, role));
            let mut inside = match &flow.element(id).kind {
                ElementKind::Group(_, inner) => vec![*inner],
                ElementKind::Choice(options) => options.clone(),
                ElementKind::Unless { main, escape } => vec![*main, *escape],
                _ => Vec::new(),
            };
            inside.extend(&flow.element(id).escapes);
            for inner in inside {
                visit(flow, inner, role, offers);
            }
        }
        if Some(id) == last {
            break;
        }
        current = flow.element(id).next;
    }
}

/// Lets steps go on over what is merged with them, which `behind` tells.
fn merge_offers(flow: &Flow, offers: &mut [Offer], behind: impl Fn(ElementId) -> Vec<ElementId>) {
    let keeps_control: Vec<bool> = (0..offers.len())
        .map(|index| match &offers[index] {
            Offer::Step(edge) => edge.keeps_control,
            _ => flow.element(ElementId(index)).atomic,
        })
        .collect();
    for (index, offer) in offers.iter_mut().enumerate() {
        let Offer::Step(edge) = offer else { continue };
        let merged = behind(ElementId(index));
        let Some(last) = merged.last() else { continue };
        let Some(next) = flow.successor(*last) else { continue };
        edge.to = Some(flow.hunt(next, flow.element(*last).atomic));
        edge.keeps_control = keeps_control[last.0];
        edge.merged = merged;
    }
}

/// The transitions of every element, in the order in which they are tried; none if there are more than `edges_max`.
fn edge_lists(offers: &[Offer], edges_max: usize) -> Option<Vec<Vec<Edge>>> {
    let mut lists = Vec::with_capacity(offers.len());
    let mut edges_left = edges_max;
    for index in 0..offers.len() {
        let mut edges = Vec::new();
        first_steps(offers, ElementId(index), &mut Vec::new(), edges_left, &mut edges);
        edges_left = edges_left.checked_sub(edges.len())?;
        lists.push(edges);
    }
    // Escapes go in front, each in turn, so that the outermost one, attached last, is tried first.
    for index in 0..offers.len() {
        if lists[index].iter().all(|edge| edge.escapes.is_empty()) {
            continue;
        }
        let own = std::mem::take(&mut lists[index]);
        let mut elements: FxHashSet<ElementId> = own.iter().map(|edge| edge.element).collect();
        let mut escapes = FxHashSet::default();
        let mut in_front = Vec::new();
        for escape in own.iter().flat_map(|edge| edge.escapes.iter().rev()) {
            // The steps of an escape are taken once, whatever they interrupt.
            if !escapes.insert(*escape) {
                continue;
            }
            // An escape may be the list at hand: it offers what it offered before.
            let interrupting = if escape.0 == index { &own } else { &lists[escape.0] };
            for edge in interrupting {
                if elements.insert(edge.element) {
                    edges_left = edges_left.checked_sub(1)?;
                    in_front.push(Edge { escape: escape.number().unwrap_or_default(), ..edge.clone() });
                }
            }
        }
        in_front.reverse();
        in_front.extend(own);
        lists[index] = in_front;
    }
    Some(lists)
}

/// Collects the steps an element offers, through choices in choices; not many more than `edges_max`.
fn first_steps(
    offers: &[Offer],
    element: ElementId,
    path: &mut Vec<ElementId>,
    edges_max: usize,
    out: &mut Vec<Edge>,
) {
    if out.len() > edges_max || path.contains(&element) {
        return;
    }
    match &offers[element.0] {
        Offer::Step(edge) => out.push(edge.clone()),
        Offer::FirstOf(parts) => {
            path.push(element);
            for part in parts {
                first_steps(offers, *part, path, edges_max, out);
            }
            path.pop();
        }
        Offer::Nothing => {}
    }
}

/// The elements that are states: those that steps lead to, from `roots` on, in the order of their numbers.
fn reachable(lists: &[Vec<Edge>], roots: Vec<ElementId>) -> Vec<ElementId> {
    let mut found: BTreeSet<ElementId> = roots.iter().copied().collect();
    let mut pending = roots;
    while let Some(element) = pending.pop() {
        for edge in &lists[element.0] {
            if let Some(to) = edge.to
                && found.insert(to)
            {
                pending.push(to);
            }
        }
    }
    found.into_iter().collect()
}

fn labels_of(flow: &Flow, element: ElementId) -> Vec<String> {
    let mut labels: Vec<String> = flow.labels_at(element).iter().map(|(name, _)| name.to_string()).collect();
    labels.sort();
    labels
}

fn control_state(flow: &Flow, id: ElementId, labels: Vec<String>, transitions: Vec<TransId>) -> ControlState {
    let has = |prefix: &str| labels.iter().any(|label| label.starts_with(prefix) && is_special(label));
    let element = flow.element(id);
    ControlState {
        number: id.number().unwrap_or_default(),
        transitions,
        end: has("end") || matches!(element.kind, ElementKind::End),
        progress: has("progress"),
        accepting: has("accept"),
        labels,
        span: element.span,
    }
}

/// Statements that are the step of no state.
fn dead_statements(flow: &Flow, executed: &[bool]) -> Vec<Span> {
    flow.elements
        .iter()
        .enumerate()
        .filter(|(index, element)| {
            let is_statement = matches!(element.kind, ElementKind::Basic { .. }) && !element.implied;
            is_statement && element.indivisible.is_none() && !executed[*index]
        })
        .map(|(_, element)| element.span)
        .collect()
}
