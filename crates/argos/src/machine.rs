//! From the graph of a body to a machine: one state a statement, guards belong to their choice, transit states are
//! passed through.
//!
//! In a process every step is a transition. In an assertion only messages are: a choice that is made without one is
//! not seen by anybody, so the machine stands wherever it may have got to (`silent`).

use crate::ast::Name;
use crate::flow::{Flow, Node, NodeId, Step, StepKind};
use panoptes_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) struct Machine {
    pub states: Vec<State>,
    pub initial: usize,
    /// By node: some path from the start passes it.
    pub reached: Vec<bool>,
}

pub(crate) struct State {
    /// The steps that can be tried, and where they lead.
    pub edges: Vec<(NodeId, usize)>,
    /// The end of the body is here.
    pub is_end: bool,
    pub labels: Vec<Name>,
    pub span: Span,
}

impl Machine {
    /// The machine of a body; `span` is shown for its end.
    pub fn of(flow: &Flow, silent: bool, span: Span) -> Machine {
        let mut compiler =
            Compiler { flow, silent, reached: vec![false; flow.nodes.len()], known: FxHashMap::default() };
        let initial = compiler.resolve(flow.entry);
        compiler.known.insert(initial, 0);
        let mut order = vec![initial];
        let mut states = Vec::new();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            let mut found = Offers::default();
            compiler.offers(node, &mut found);
            let mut edges = Vec::new();
            for step in found.steps {
                let target = compiler.resolve(compiler.step(step).next);
                let fresh = compiler.known.len();
                let to = *compiler.known.entry(target).or_insert(fresh);
                if to == fresh {
                    order.push(target);
                }
                edges.push((step, to));
            }
            let span = match &flow.nodes[node] {
                Node::Step(step) => step.span,
                Node::Choice { span, .. } => *span,
                Node::Jump(_) | Node::End => span,
            };
            states.push(State { edges, is_end: found.is_end, labels: Vec::new(), span });
        }
        for (node, label) in &flow.labels {
            let state = compiler.known.get(&compiler.resolve_quietly(*node)).copied();
            if let Some(state) = state
                && !states[state].labels.contains(label)
            {
                states[state].labels.push(label.clone());
            }
        }
        let reached = compiler.reached;
        in_text_order(Machine { states, initial: 0, reached })
    }
}

/// Numbers the states as they stand in the text, the end last.
fn in_text_order(machine: Machine) -> Machine {
    let mut order: Vec<usize> = (0..machine.states.len()).collect();
    order.sort_by_key(|index| {
        let state = &machine.states[*index];
        (state.edges.is_empty(), state.span.file, state.span.lo, *index)
    });
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut states: Vec<Option<State>> = machine.states.into_iter().map(Some).collect();
    let moved = order.iter().map(|old| {
        let mut state = states[*old].take().expect("each state once");
        state.edges.iter_mut().for_each(|(_, to)| *to = place[*to]);
        state
    });
    Machine { states: moved.collect(), initial: place[machine.initial], reached: machine.reached }
}

struct Compiler<'f> {
    flow: &'f Flow,
    silent: bool,
    reached: Vec<bool>,
    /// The state of each node that is one.
    known: FxHashMap<NodeId, usize>,
}

/// What can be done at a node.
#[derive(Default)]
struct Offers {
    steps: Vec<NodeId>,
    is_end: bool,
    seen: FxHashSet<NodeId>,
}

impl Compiler<'_> {
    fn step(&self, node: NodeId) -> &Step {
        match &self.flow.nodes[node] {
            Node::Step(step) => step,
            _ => unreachable!("only steps are offered"),
        }
    }

    /// The node that is a state, behind those that are passed through.
    fn resolve(&mut self, node: NodeId) -> NodeId {
        let mut at = node;
        loop {
            self.reached[at] = true;
            match self.passed_to(at) {
                Some(to) => at = to,
                None => return at,
            }
        }
    }

    fn resolve_quietly(&self, node: NodeId) -> NodeId {
        std::iter::successors(Some(node), |at| self.passed_to(*at)).last().unwrap_or(node)
    }

    /// A choice with one option is a way, not a choice.
    fn passed_to(&self, node: NodeId) -> Option<NodeId> {
        match &self.flow.nodes[node] {
            Node::Jump(to) => Some(*to),
            Node::Choice { options, .. } if options.len() == 1 => Some(options[0]),
            _ => None,
        }
    }

    /// The steps of a state: through choices in choices and, if it is silent, through steps without a message.
    fn offers(&mut self, node: NodeId, found: &mut Offers) {
        let node = self.resolve(node);
        if !found.seen.insert(node) {
            return;
        }
        match &self.flow.nodes[node] {
            Node::End => found.is_end = true,
            Node::Step(Step { kind: StepKind::Skip, next, .. }) if self.silent => {
                self.offers(*next, found);
            }
            Node::Step(_) => found.steps.push(node),
            Node::Choice { options, .. } => options.iter().for_each(|option| self.offers(*option, found)),
            Node::Jump(_) => unreachable!("jumps are passed through"),
        }
    }
}
