//! Processes that never move again while others go on for ever.
//!
//! A process is *stuck* in a state if it is not where it may end, no step moves it in any state that can be reached from there,
//! and an infinite execution begins there. Where a process is stuck it stays, so it is stuck in some strongly connected component
//! with a cycle, and in every state of it. So the whole graph is built, breadth first; its components are looked at, each after all
//! that it leads to, and it is known of each who moves in it or behind it. What is left out of that is stuck.

use super::Fairness;
use super::claim::Claim;
use super::marks::{Marks, WITH_PROCESSES};
use super::product::{Product, split, without_endless_chains};
use crate::conclude::{Ended, conclude};
use crate::judge::Judge;
use crate::labels::{Branch, Labels};
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, Path, SearchOptions, grow};
use panoptes_exec::{Executor, Fault, FaultKind};
use panoptes_model::{Model, StateView};
use panoptes_store::{StateNumbers, StateRef, StateStore};
use std::collections::{HashMap, VecDeque};

type Movers = Marks<WITH_PROCESSES>;

/// Looks for a process that is stuck. What is found is a lasso whose cycle is one of the others.
pub fn stuck<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(S::KEEPS_VECTORS, "cycles are found in stores that keep vectors");
    let claim = Claim::of_everything();
    executor.set_conditions(&claim.conditions);
    // What is hidden belongs to the state here, as in `scc.rs`.
    let program = Program::new(model, options, 0);
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), None);
    let mut search = Stuck {
        program: &program,
        visited,
        judge: Judge::new(&program),
        worker,
        // Strong fairness asks who moves in each step.
        product: Product::new(&program, &claim, Fairness::Strong),
        states: Vec::new(),
        numbers: StateNumbers::default(),
        edges: Vec::new(),
        starts: vec![0],
        labels: Labels::default(),
        movers: Sets::default(),
        is_cut: false,
    };
    let mut how = search.build();
    // Of a part of the graph nothing is known: a process may move in the rest.
    if how.is_ok() && !search.is_cut && search.worker.expander.given_up.is_empty() {
        how = search.judge_components();
    }
    let (is_cut, own_bytes) = (search.is_cut, search.own_bytes());
    let Stuck { visited, judge, worker, .. } = search;
    let ended = Ended { how, is_cut, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    without_endless_chains(conclude(&program, visited, judge, worker, ended))
}

struct Stuck<'a, S> {
    program: &'a Program<'a>,
    visited: Visited<S>,
    judge: Judge<'a>,
    worker: Worker<'a>,
    product: Product<'a, WITH_PROCESSES>,
    /// All states, in the order in which they were found.
    states: Vec<Node>,
    numbers: StateNumbers,
    /// The edges of all states, state by state.
    edges: Vec<Edge>,
    /// Where those of each state begin, and where the last ones end.
    starts: Vec<usize>,
    labels: Labels,
    movers: Sets,
    is_cut: bool,
}

struct Node {
    state: StateRef,
    /// The state that it was found from, and the label of the step.
    parent: u32,
    label: u32,
    depth: u32,
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    label: u32,
    steps: u32,
    /// Who moves: a number in the sets.
    movers: u32,
}

/// Sets of processes, each once.
#[derive(Default)]
struct Sets {
    list: Vec<Movers>,
    known: HashMap<[u64; WITH_PROCESSES], u32>,
}

impl Sets {
    fn number(&mut self, set: Movers) -> u32 {
        *self.known.entry(set.0).or_insert_with(|| {
            self.list.push(set);
            self.list.len() as u32 - 1
        })
    }
}

impl<S: StateStore> Stuck<'_, S> {
    /// Finds all states and edges.
    fn build(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let mut vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        Product::<WITH_PROCESSES>::begin(&mut vector);
        self.enter(&vector, 0, 0, 0)?;
        let mut target = Vec::new();
        let mut next = 0;
        while next < self.states.len() {
            let Node { state, depth, .. } = self.states[next];
            vector.clear();
            self.visited.read_origin(state, &mut vector);
            self.expand(&vector, next, depth)?;
            for index in 0..self.product.moves.len() {
                let taken = self.product.moves[index];
                let (steps, branch) = self.product.taken(&taken);
                let Some(branch) = branch else { continue };
                target.clear();
                self.product.target(&taken, &vector, &mut target);
                let label = self.labels.label(branch);
                let to = self.enter(&target, next as u32, label, depth + steps)?;
                let movers = self.movers.number(taken.marks);
                grow::push(&mut self.edges, Edge { to, label, steps, movers });
            }
            grow::push(&mut self.starts, self.edges.len());
            next += 1;
        }
        Ok(())
    }

    /// The number of a state, which may be new.
    fn enter(&mut self, vector: &[u8], parent: u32, label: u32, depth: u32) -> Result<u32, Stop> {
        let prepared = self.visited.prepare(vector)?;
        let (state, is_new) = self.visited.insert(prepared, vector)?;
        self.worker.tally.statistics.transitions += 1;
        if let Some(number) = self.numbers.get(state).filter(|_| !is_new) {
            return Ok(number);
        }
        self.worker.tally.note_stored(vector);
        let number = self.states.len() as u32;
        self.numbers.insert(state, number);
        grow::push(&mut self.states, Node { state, parent, label, depth });
        Ok(number)
    }

    fn expand(&mut self, vector: &[u8], number: usize, depth: u32) -> Result<(), Stop> {
        let own_bytes = self.own_bytes();
        let Stuck { visited, judge, worker, product, states, labels, .. } = self;
        worker.look_at_limits(visited, &mut judge.findings, || own_bytes)?;
        product.expand(worker, visited, vector, depth)?;
        self.is_cut |= product.expansion.is_cut;
        product.judge(judge, worker, vector, depth, &|| branches_to(states, labels, number))
    }

    /// Looks at each component, after all that it leads to.
    fn judge_components(&mut self) -> Result<(), Stop> {
        let of_state = self.components();
        let count = of_state.iter().max().map_or(0, |last| *last as usize + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (state, component) in of_state.iter().enumerate() {
            members[*component as usize].push(state as u32);
        }
        // By component: who moves in it or behind it.
        let mut moves: Vec<u32> = Vec::with_capacity(count);
        let mut found: Option<(u32, Fault)> = None;
        for (component, states) in members.iter().enumerate() {
            let mut all = Movers::EMPTY;
            let mut has_cycle = false;
            for edge in states.iter().flat_map(|state| self.edges_of(*state)) {
                all.add(&self.movers.list[edge.movers as usize]);
                match of_state[edge.to as usize] as usize {
                    to if to == component => has_cycle = true,
                    to => all.add(&self.movers.list[moves[to] as usize]),
                }
            }
            // The states are in the order in which they were found: the first is a nearest one.
            let first = states[0];
            let is_nearer = found.as_ref().is_none_or(|(other, _)| first < *other);
            if has_cycle
                && is_nearer
                && let Some(fault) = self.left_out(first, &all)
            {
                found = Some((first, fault));
            }
            moves.push(self.movers.number(all));
        }
        let Some((first, fault)) = found else { return Ok(()) };
        let mut branches = branches_to(&self.states, &self.labels, first as usize);
        let prefix = self.states[first as usize].depth as usize;
        let steps = self.cycle(first, &of_state, &mut branches);
        let trail = || Trail { branches, steps: Path::default() };
        self.judge.findings.fault(&fault, prefix + steps, trail);
        self.judge.findings.set_cycle_start(prefix);
        Err(Stop::Error)
    }

    fn edges_of(&self, state: u32) -> &[Edge] {
        &self.edges[self.starts[state as usize]..self.starts[state as usize + 1]]
    }

    /// A process of the state that is not among those who move, and not where it may end.
    fn left_out(&mut self, state: u32, moves: &Movers) -> Option<Fault> {
        let mut vector = Vec::new();
        self.visited.read_origin(self.states[state as usize].state, &mut vector);
        let view = StateView::new(self.program.model, split(&vector).0).ok()?;
        let waits = |pid: u8| {
            let mut alone = Movers::EMPTY;
            alone.add_process(pid);
            !moves.meets(&alone)
        };
        let mut processes = view.processes().filter(|process| waits(process.pid));
        processes.find_map(|process| {
            let control = process.state().filter(|control| !control.end)?;
            let message = stuck_message(&process.process.name, process.pid);
            Some(Fault { kind: FaultKind::Stuck, message, span: control.span })
        })
    }

    /// A shortest cycle in the component of a state, from it and back; appends its branches, and says how many steps it has.
    fn cycle(&self, home: u32, of_state: &[u32], branches: &mut Vec<Branch>) -> usize {
        let component = of_state[home as usize];
        // How each state of the component was come to: from where, and by which edge.
        let mut known: HashMap<u32, (u32, Edge)> = HashMap::new();
        let mut todo = VecDeque::from([home]);
        while let Some(state) = todo.pop_front() {
            for edge in self.edges_of(state).iter().filter(|edge| of_state[edge.to as usize] == component) {
                if known.contains_key(&edge.to) {
                    continue;
                }
                known.insert(edge.to, (state, *edge));
                if edge.to != home {
                    todo.push_back(edge.to);
                    continue;
                }
                let mut way = Vec::new();
                let mut at = home;
                loop {
                    let (from, edge) = known[&at];
                    way.push(edge);
                    at = from;
                    if at == home {
                        break;
                    }
                }
                branches.extend(way.iter().rev().map(|edge| self.labels.branch(edge.label)));
                return way.iter().map(|edge| edge.steps as usize).sum();
            }
        }
        unreachable!("a component with an inner edge has a cycle through each of its states")
    }

    /// The strongly connected component of each state. None leads to one with a higher number. (Tarjan 1972, without
    /// recursion.)
    fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let count = self.states.len();
        let (mut numbers, mut lows, mut of_state) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
        // All states can be reached from the first.
        let (mut next_number, mut next_component) = (1, 0);
        let (mut open, mut path) = (vec![0u32], vec![(0u32, 0usize)]);
        (numbers[0], lows[0]) = (0, 0);
        while let Some((state, next)) = path.last_mut() {
            let at = *state as usize;
            if let Some(edge) = self.edges_of(*state).get(*next) {
                *next += 1;
                let to = edge.to as usize;
                if numbers[to] == NONE {
                    (numbers[to], lows[to]) = (next_number, next_number);
                    next_number += 1;
                    open.push(edge.to);
                    path.push((edge.to, 0));
                } else if of_state[to] == NONE {
                    lows[at] = lows[at].min(numbers[to]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                lows[*before as usize] = lows[*before as usize].min(lows[at]);
            }
            if lows[at] == numbers[at] {
                while let Some(member) = open.pop() {
                    of_state[member as usize] = next_component;
                    if member as usize == at {
                        break;
                    }
                }
                next_component += 1;
            }
        }
        of_state
    }

    fn own_bytes(&self) -> usize {
        // The numbers of states and components are kept beside them in the end.
        let state_bytes = size_of::<Node>() + size_of::<usize>() + 5 * size_of::<u32>();
        self.states.capacity() * state_bytes
            + self.edges.capacity() * size_of::<Edge>()
            + self.numbers.heap_bytes()
            + self.labels.heap_bytes()
    }
}

/// What is said of a process that is stuck.
pub fn stuck_message(name: &str, pid: u8) -> String {
    format!("{name}[{pid}] never moves again")
}

fn branches_to(states: &[Node], labels: &Labels, mut at: usize) -> Vec<Branch> {
    let mut branches = Vec::new();
    while at > 0 {
        branches.push(labels.branch(states[at].label));
        at = states[at].parent as usize;
    }
    branches.reverse();
    branches
}
