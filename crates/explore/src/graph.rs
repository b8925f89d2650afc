//! The state space of a small model as a graph: every configuration is a node, every step an edge.
//!
//! It is computed with the reference executor, breadth first, without any reduction, up to a limit.

use panoptes_exec::{Ending, Executor, FaultKind, Step, Successors};
use panoptes_model::{Model, StateView};
use panoptes_source::SourceMap;
use panoptes_trace::{Snapshot, Standing, contents_text};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Instant;

/// What a graph may take.
#[derive(Clone, Copy, Debug)]
pub struct GraphLimits {
    /// Nodes.
    pub states: usize,
    pub until: Option<Instant>,
}

/// Edges for each node, on average.
const EDGES_A_STATE_MAX: usize = 16;
/// What the vectors of all nodes may take.
const BYTES_MAX: usize = 256 << 20;

#[derive(Debug, Serialize)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Why a part of the graph is left out; none if it is all there.
    pub cut: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Node {
    /// Steps from the initial state.
    pub depth: u32,
    /// The node before it on a shortest path, and which choice leads from there.
    pub parent: Option<(u32, u32)>,
    pub kind: NodeKind,
    /// Where processes stand and what variables hold.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    State,
    /// Inside an indivisible sequence.
    Inside,
    /// Every process is where it may end.
    End,
    Deadlock,
    /// A step went wrong and was cut short.
    Fault,
    /// Its steps are not known, since the graph is cut.
    Open,
}

#[derive(Debug, Serialize)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub choice: u32,
    /// `sender[0]: q!msg`.
    pub text: String,
    pub fault: Option<String>,
}

impl Graph {
    /// The graph of a model; fails if its initial state cannot be computed.
    pub fn of(
        model: &Model,
        sources: &SourceMap,
        executor: &mut dyn Executor,
        limits: &GraphLimits,
    ) -> Result<Graph, String> {
        let initial = executor.initial().map_err(|fault| fault.message)?;
        let mut growing = Growing {
            model,
            sources,
            hidden: executor.hidden_bytes(),
            vectors: Vec::new(),
            known: HashMap::new(),
            bytes: 0,
            graph: Graph { nodes: Vec::new(), edges: Vec::new(), cut: None },
        };
        growing.known.insert((initial[growing.hidden.min(initial.len())..].to_vec(), None), 0);
        growing.node(initial, None, None, 0);
        let mut successors = Successors::default();
        let mut next = 0;
        while next < growing.vectors.len() {
            let id = next;
            next += 1;
            let (state, control) = growing.vectors[id].clone();
            if growing.graph.nodes[id].kind == NodeKind::Fault {
                continue;
            }
            executor.successors(&state, control, &mut successors);
            if successors.ending == Ending::LetGo {
                executor.successors(&state, None, &mut successors);
            }
            if successors.faults.iter().any(|fault| fault.kind == FaultKind::Interrupted)
                || limits.until.is_some_and(|until| Instant::now() >= until)
            {
                growing.cut("there was no time for more");
                growing.leave_open(id);
                break;
            }
            if successors.items.is_empty() {
                growing.graph.nodes[id].kind = match successors.ending {
                    Ending::Valid => NodeKind::End,
                    _ => NodeKind::Deadlock,
                };
            }
            if growing.expand(id as u32, &successors, limits.states) {
                growing.leave_open(id);
                break;
            }
        }
        Ok(growing.graph)
    }
}

struct Growing<'a> {
    model: &'a Model,
    sources: &'a SourceMap,
    /// Bytes that do not count when states are compared.
    hidden: usize,
    vectors: Vec<(Vec<u8>, Option<u8>)>,
    known: HashMap<(Vec<u8>, Option<u8>), u32>,
    bytes: usize,
    graph: Graph,
}

impl Growing<'_> {
    /// Adds the successors of a node; true if there is no room for all of them.
    fn expand(&mut self, from: u32, successors: &Successors, states_max: usize) -> bool {
        let depth = self.graph.nodes[from as usize].depth + 1;
        for (choice, item) in (0..).zip(&successors.items) {
            let state = item.has_state().then(|| successors.state(item).to_vec());
            let control = item.control();
            let key = state.as_ref().map(|state| (state[self.hidden.min(state.len())..].to_vec(), control));
            let known = key.as_ref().and_then(|key| self.known.get(key).copied());
            if known.is_none() && self.graph.nodes.len() >= states_max {
                self.cut(&format!("only the first {states_max} states are drawn"));
                return true;
            }
            if self.graph.edges.len() >= states_max * EDGES_A_STATE_MAX {
                self.cut(&format!("only the first {} steps are drawn", self.graph.edges.len()));
                return true;
            }
            if self.bytes > BYTES_MAX {
                self.cut("its states are too large to be drawn");
                return true;
            }
            let to = known.unwrap_or_else(|| {
                let vector = state.unwrap_or_else(|| self.vectors[from as usize].0.clone());
                let id = self.node(vector, control, Some((from, choice)), depth);
                match key {
                    Some(key) => _ = self.known.insert(key, id),
                    None => self.graph.nodes[id as usize].kind = NodeKind::Fault,
                }
                id
            });
            let text = self.step_text(item.step());
            let fault = successors.fault(item).map(|fault| fault.message.clone());
            self.graph.edges.push(Edge { from, to, choice, text, fault });
        }
        false
    }

    fn node(&mut self, state: Vec<u8>, control: Option<u8>, parent: Option<(u32, u32)>, depth: u32) -> u32 {
        let id = self.graph.nodes.len() as u32;
        let kind = if control.is_some() { NodeKind::Inside } else { NodeKind::State };
        let text = self.text(&state);
        self.graph.nodes.push(Node { depth, parent, kind, text });
        self.bytes += 2 * state.len();
        self.vectors.push((state, control));
        id
    }

    fn text(&self, state: &[u8]) -> String {
        let Ok(view) = StateView::new(self.model, state) else { return String::new() };
        let Snapshot { variables, channels, processes, .. } = Snapshot::of(&view, self.sources);
        let standing = |process: &Standing| {
            let line = process.location.rsplit(':').nth(1).unwrap_or_default();
            format!("{}[{}] at line {line}", process.process, process.pid)
        };
        let news = variables.iter().filter(|value| value.name != value.value);
        let full = channels.iter().filter(|channel| !channel.messages.is_empty());
        let contents = full.map(|channel| format!("{} = {}", channel.name, contents_text(&channel.messages)));
        let lines = processes.iter().map(standing);
        let lines = lines.chain(news.map(|value| format!("{} = {}", value.name, value.value)));
        lines.chain(contents).collect::<Vec<_>>().join("\n")
    }

    fn step_text(&self, step: Step) -> String {
        let rule = self.model.transition(step.transition);
        let name = |pid: u8, process| format!("{}[{pid}]", self.model.process(process).name);
        let own = format!("{}: {}", name(step.pid, rule.process), rule.text);
        match step.partner {
            Some((pid, transition)) => {
                let other = self.model.transition(transition);
                format!("{own} → {}", name(pid, other.process))
            }
            None => own,
        }
    }

    fn cut(&mut self, why: &str) {
        self.graph.cut.get_or_insert_with(|| why.to_string());
    }

    /// What was not expanded, from this node on.
    fn leave_open(&mut self, from: usize) {
        for node in &mut self.graph.nodes[from..] {
            if node.kind != NodeKind::Fault {
                node.kind = NodeKind::Open;
            }
        }
    }
}

/// For Graphviz: a red node is a deadlock or an error, one with a double rim a valid end, a dashed one has steps that are left
/// out, a point is inside an indivisible sequence.
pub fn graph_dot(name: &str, graph: &Graph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(name));
    if let Some(cut) = &graph.cut {
        let _ = writeln!(out, "  label={}; labelloc=t", quoted(cut));
    }
    out.push_str("  graph [fontname=\"Helvetica\", fontsize=12]\n");
    out.push_str("  node [fontname=\"Helvetica\", fontsize=10, shape=circle, margin=0.04]\n");
    out.push_str("  edge [fontname=\"Courier\", fontsize=9, arrowsize=0.6]\n");
    for (id, node) in graph.nodes.iter().enumerate() {
        let look = match node.kind {
            NodeKind::State => "",
            NodeKind::Inside => ", shape=point",
            NodeKind::End => ", shape=doublecircle",
            NodeKind::Deadlock | NodeKind::Fault => ", style=filled, fillcolor=\"#f4b6b6\"",
            NodeKind::Open => ", style=dashed",
        };
        let _ = writeln!(out, "  s{id} [label=\"{id}\", tooltip={}{look}]", quoted(&node.text));
    }
    for edge in &graph.edges {
        let color = if edge.fault.is_some() { ", color=red" } else { "" };
        let _ = writeln!(out, "  s{} -> s{} [label={}{color}]", edge.from, edge.to, quoted(&edge.text));
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
