//! Executors for tests: a graph written by hand, and a rule over numbers.

use panoptes_exec::{Ending, Executor, Fault, FaultKind, Replay, Step, Successors};
use panoptes_model::{FrameLayout, Header, Model, Process, ProcessKind, StateId, TransId};
use panoptes_source::Span;
use std::collections::HashMap;

/// A configuration of a [`Graph`]: a node, and who has control.
pub type Config = (u16, Option<u8>);

#[derive(Clone, Debug)]
pub struct Edge {
    pub to: Config,
    pub fault: Option<FaultKind>,
    /// Another number for each edge of the graph.
    pub transition: u32,
}

/// A graph of configurations. A node's vector is a well-formed state of one process that stands at the node's number.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub edges: HashMap<Config, Vec<Edge>>,
    /// Nodes where it is right to stop.
    pub ends: Vec<u16>,
    pub hidden_bytes: usize,
    pub initial_fault: bool,
    pub edge_count: u32,
    /// The conditions that hold at each node, as bits.
    pub letters: HashMap<u16, u64>,
    /// Edges belong to so many processes in turn; to one if this is zero.
    pub process_count: u8,
}

impl Graph {
    pub fn edge(self, from: Config, to: Config) -> Graph {
        self.add(from, to, None)
    }

    pub fn fault(self, from: Config, to: Config, kind: FaultKind) -> Graph {
        self.add(from, to, Some(kind))
    }

    pub fn end(mut self, node: u16) -> Graph {
        self.ends.push(node);
        self
    }

    fn add(mut self, from: Config, to: Config, fault: Option<FaultKind>) -> Graph {
        let edge = Edge { to, fault, transition: self.edge_count };
        self.edge_count += 1;
        self.edges.entry(from).or_default().push(edge);
        self
    }

    /// The same edges, but every step ends in a state.
    pub fn without_chains(&self) -> Graph {
        let mut plain = Graph { ends: self.ends.clone(), ..Graph::default() };
        for (&(from, _), edges) in &self.edges {
            for edge in edges {
                plain = plain.add((from, None), (edge.to.0, None), edge.fault);
            }
        }
        plain
    }

    /// How many of these edges leave a state: the others go on with a chain.
    pub fn chain_count(&self, transitions: impl Iterator<Item = TransId>) -> usize {
        let leaves_a_state = |id: &TransId| {
            let is_it = |edge: &Edge| edge.transition == id.0;
            self.edges.iter().any(|((_, control), edges)| control.is_none() && edges.iter().any(is_it))
        };
        transitions.filter(leaves_a_state).count()
    }

    pub fn model(&self) -> Model {
        let process = Process {
            name: "p".into(),
            kind: ProcessKind::Process,
            frame: FrameLayout::wide(FrameLayout::FIXED_BYTES),
            param_count: 0,
            variables: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            states: Vec::new(),
            initial: StateId(0),
            provided: None,
            deterministic: false,
            dead_code: Vec::new(),
            span: Span::default(),
        };
        let hidden_bytes = self.hidden_bytes as u32;
        let header = Header { hidden_bytes, last: None, monitor: None, frames: hidden_bytes + 1 };
        Model { header, processes: vec![process], ..Model::default() }
    }

    pub fn vector(&self, node: u16, hidden: u8) -> Vec<u8> {
        let mut vector = vec![hidden; self.hidden_bytes];
        vector.extend([1, 0, 0]);
        vector.extend(node.to_le_bytes());
        vector
    }
}

impl Executor for Graph {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        if self.initial_fault { Err(fault(FaultKind::DivisionByZero, 0)) } else { Ok(self.vector(0, 0)) }
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        out.clear();
        let node = u16::from_le_bytes([state[state.len() - 2], state[state.len() - 1]]);
        for edge in self.edges.get(&(node, control)).into_iter().flatten() {
            let pid = (edge.transition % u32::from(self.process_count.max(1))) as u8;
            let step = Step { pid, transition: TransId(edge.transition), partner: None };
            // What is hidden differs with the way a state was reached.
            let hidden = if edge.to.1.is_none() { edge.transition as u8 } else { 0 };
            let vector = self.vector(edge.to.0, hidden);
            let has_state = edge.fault.is_none_or(FaultKind::continues);
            let fault = edge.fault.map(|kind| fault(kind, edge.transition));
            out.push(step, edge.to.1, has_state.then_some(&vector), fault);
        }
        if out.items.is_empty() {
            out.ending = match control {
                Some(_) => Ending::LetGo,
                None if self.ends.contains(&node) => Ending::Valid,
                None => Ending::Deadlock,
            };
        }
    }

    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        let node = u16::from_le_bytes([state[state.len() - 2], state[state.len() - 1]]);
        Ok(self.letters.get(&node).copied().unwrap_or_default() & wanted)
    }

    fn replay(&mut self, _: &[u8], _: Option<u8>, _: usize) -> Option<Replay> {
        None
    }

    fn hidden_bytes(&self) -> usize {
        self.hidden_bytes
    }
}

fn fault(kind: FaultKind, edge: u32) -> Fault {
    Fault { kind, message: format!("edge {edge}"), span: Span::default() }
}

/// States are numbers; `rule` gives each number's successors.
pub struct Numbers<F>(pub F);

impl<F: Fn(u64) -> Vec<u64>> Executor for Numbers<F> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        Ok(0u64.to_le_bytes().to_vec())
    }

    fn successors(&mut self, state: &[u8], _: Option<u8>, out: &mut Successors) {
        out.clear();
        let number = u64::from_le_bytes(state.try_into().expect("eight bytes"));
        for (index, next) in (self.0)(number).into_iter().enumerate() {
            let step = Step { pid: 0, transition: TransId(index as u32), partner: None };
            out.push(step, None, Some(&next.to_le_bytes()), None);
        }
        if out.items.is_empty() {
            out.ending = Ending::Valid;
        }
    }

    fn replay(&mut self, _: &[u8], _: Option<u8>, _: usize) -> Option<Replay> {
        None
    }

    fn hidden_bytes(&self) -> usize {
        0
    }
}
