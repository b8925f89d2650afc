//! A shortest violation: no execution with fewer steps, prefix and cycle counted together, violates the claim.
//!
//! Some violation is known, so only states nearer than its length matter. They are written down as a graph, by increasing distance from
//! the initial state. A lasso begins its cycle best at the state of the cycle that is nearest; so from each state in turn, a shortest way back
//! to it is looked for over states that come after it in that order, on which all that the cycle needs is met. What was met is part of
//! where a way stands: a cycle may pass a state several times. Both bounds fall with each shorter violation that is found.

use super::Fairness;
use super::claim::Claim;
use super::marks::Marks;
use super::needs::Needs;
use super::product::Product;
use crate::conclude::{Ended, conclude};
use crate::judge::Judge;
use crate::labels::Branch;
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Finding, Observer, Path, SearchOptions, grow};
use panoptes_exec::{Executor, Fault};
use panoptes_ltl::components;
use panoptes_model::Model;
use panoptes_store::{StateNumbers, StateRef, StateStore};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What was found beside the violation that is known.
pub(super) struct Shorter {
    pub violation: Option<Finding>,
    /// There is none with fewer steps.
    pub is_shortest: bool,
}

/// Looks for violations of less than `length` steps.
pub(super) fn shorter<S: StateStore + Default, const W: usize>(
    model: &Model,
    (claim, fairness, length): (&Claim, Fairness, usize),
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Shorter {
    // What is hidden belongs to the state here, as in `scc.rs`.
    let program = Program::new(model, options, 0);
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), None);
    let mut search: Shortest<'_, S, W> = Shortest {
        visited,
        judge: Judge::new(&program),
        worker,
        product: Product::new(&program, claim, fairness),
        needs: Needs::new(claim, fairness),
        numbers: StateNumbers::default(),
        graph: Graph::default(),
        best: length,
        found: None,
        way_bytes: 0,
    };
    let how = search.walk();
    let own_bytes = search.own_bytes();
    let Shortest { visited, mut judge, worker, found, needs, .. } = search;
    if let Some(Found { fault, length, cycle_start, trail }) = found {
        judge.findings.fault(&fault, length, || trail);
        if let Some(start) = cycle_start {
            judge.findings.set_cycle_start(start);
        }
    }
    let is_shortest = how.is_ok() && !needs.is_exceeded;
    let ended = Ended {
        how: how.and(Err(Stop::Error)),
        is_cut: false,
        is_narrowed: false,
        by_steps: false,
        may_look_behind: false,
        own_bytes,
    };
    let violation = conclude(&program, visited, judge, worker, ended).errors.pop();
    // Without its path it is of no use, and what is known is longer.
    let is_lost = violation.as_ref().is_some_and(|found| found.lost_to.is_some());
    Shorter { violation: violation.filter(|_| !is_lost), is_shortest: is_shortest && !is_lost }
}

struct Shortest<'a, S, const W: usize> {
    visited: Visited<S>,
    judge: Judge<'a>,
    worker: Worker<'a>,
    product: Product<'a, W>,
    needs: Needs,
    /// The numbers of the nodes.
    numbers: StateNumbers,
    graph: Graph,
    /// What is looked for has fewer steps.
    best: usize,
    found: Option<Found>,
    /// What the search for a cycle takes.
    way_bytes: usize,
}

struct Found {
    fault: Fault,
    length: usize,
    cycle_start: Option<usize>,
    trail: Trail,
}

/// States of the product nearer than the violation that is known, by the numbers in which they were found, and their steps.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    steps: Vec<Step>,
    /// The nodes by increasing distance.
    order: Vec<u32>,
}

struct Node {
    state: StateRef,
    /// How many steps of the system lead there, and how it is reached.
    distance: u32,
    parent: u32,
    branch: Option<Branch>,
    /// Its place in the order; the last if it has none.
    place: u32,
    /// Where its steps begin and end.
    steps: (u32, u32),
}

#[derive(Clone, Copy)]
struct Step {
    to: u32,
    /// Steps of the system; none if it stays where it is.
    length: u32,
    branch: Option<Branch>,
    met: u64,
}

const NOWHERE: u32 = u32::MAX;

/// Expansions of ways between two looks at the limits.
const LOOK_EVERY: usize = 4096;

impl<S: StateStore + Default, const W: usize> Shortest<'_, S, W> {
    fn walk(&mut self) -> Result<(), Stop> {
        self.explore()?;
        if self.needs.is_exceeded {
            return Ok(());
        }
        let Some(parts) = self.graph.parts(&self.needs) else { return Ok(()) };
        for place in 0..self.graph.order.len() {
            let start = self.graph.order[place];
            if self.graph.nodes[start as usize].distance as usize >= self.best {
                break;
            }
            if parts[start as usize] != NOWHERE {
                self.shortest_cycle(start, &parts)?;
            }
        }
        Ok(())
    }

    /// Writes down all states nearer than the best violation, by their distance; shorter violations that a finite execution
    /// shows are noted.
    fn explore(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let mut vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        Product::<W>::begin(&mut vector);
        let mut queue = BinaryHeap::new();
        self.reach(&vector, (0, None, 0), &mut queue)?;
        while let Some(Reverse((distance, number))) = queue.pop() {
            if distance as usize >= self.best {
                break;
            }
            if self.graph.nodes[number as usize].place != NOWHERE {
                // It was reached a shorter way.
                continue;
            }
            self.graph.nodes[number as usize].place = self.graph.order.len() as u32;
            grow::push(&mut self.graph.order, number);
            vector.clear();
            self.visited.read_origin(self.graph.nodes[number as usize].state, &mut vector);
            self.expand(number, &vector, &mut queue)?;
        }
        Ok(())
    }

    fn expand(&mut self, number: u32, vector: &[u8], queue: &mut Queue) -> Result<(), Stop> {
        let own_bytes = self.own_bytes() + queue.capacity() * size_of::<(u32, u32)>();
        let Shortest { visited, judge, worker, product, .. } = self;
        worker.look_at_limits(visited, &mut judge.findings, || own_bytes)?;
        let distance = self.graph.nodes[number as usize].distance;
        product.expand(worker, visited, vector, distance)?;
        worker.tally.note_expanded(&product.expansion);
        if let Some(fault) = self.product.violation.take() {
            self.note_finite(number, &fault, distance as usize, Path::default());
        }
        for index in 0..self.product.expansion.faults.len() {
            let faulty = &self.product.expansion.faults[index];
            let (fault, path) = (faulty.fault.clone(), faulty.path());
            self.note_finite(number, &fault, distance as usize + path.len(), path);
        }
        let first = self.graph.steps.len() as u32;
        let enabled = match self.needs.asks_who_can_move() {
            true => self.product.enabled(),
            false => Marks::EMPTY,
        };
        let mut target = Vec::with_capacity(vector.len());
        for index in 0..self.product.moves.len() {
            let taken = self.product.moves[index];
            let (length, branch) = self.product.taken(&taken);
            target.clear();
            self.product.target(&taken, vector, &mut target);
            let to = self.reach(&target, (number, branch, distance + length), queue)?;
            let met = self.needs.met(&taken.marks, &enabled);
            grow::push(&mut self.graph.steps, Step { to, length, branch, met });
        }
        self.graph.nodes[number as usize].steps = (first, self.graph.steps.len() as u32);
        Ok(())
    }

    /// The number of a state that is reached so; it is put into the queue if it was not known to be as near.
    fn reach(
        &mut self,
        vector: &[u8],
        (parent, branch, distance): (u32, Option<Branch>, u32),
        queue: &mut Queue,
    ) -> Result<u32, Stop> {
        let prepared = self.visited.prepare(vector)?;
        let (state, is_new) = self.visited.insert(prepared, vector)?;
        let nodes = &mut self.graph.nodes;
        if is_new {
            self.worker.tally.note_stored(vector);
            self.numbers.insert(state, nodes.len() as u32);
            let steps = (0, 0);
            grow::push(nodes, Node { state, distance, parent, branch, place: NOWHERE, steps });
            queue.push(Reverse((distance, nodes.len() as u32 - 1)));
            return Ok(nodes.len() as u32 - 1);
        }
        let number = self.numbers.get(state).expect("every state has its number");
        let node = &mut nodes[number as usize];
        if distance < node.distance {
            *node = Node { distance, parent, branch, ..*node };
            queue.push(Reverse((distance, number)));
        }
        Ok(number)
    }

    /// A finite execution that shows a violation: to a node, and some steps more.
    fn note_finite(&mut self, number: u32, fault: &Fault, length: usize, steps: Path) {
        if length < self.best {
            self.best = length;
            let trail = Trail { branches: self.graph.branches_to(number), steps };
            self.found = Some(Found { fault: fault.clone(), length, cycle_start: None, trail });
        }
    }

    /// A shortest cycle from a node back to it, over nodes of its part that come after it; noted if that makes a shorter
    /// violation.
    fn shortest_cycle(&mut self, start: u32, parts: &[u32]) -> Result<(), Stop> {
        let place = self.graph.nodes[start as usize].place;
        let prefix = self.graph.nodes[start as usize].distance as usize;
        let mut ways = Ways::default();
        ways.add((start, 0), 0, None);
        let mut count = 0;
        while let Some((at, length)) = ways.next() {
            count += 1;
            if count % LOOK_EVERY == 0 {
                self.look(ways.heap_bytes())?;
            }
            if prefix + length as usize >= self.best {
                break;
            }
            let (node, met) = at;
            if at == HOME {
                self.note_lasso(start, &ways.back_from(at), prefix + length as usize);
                break;
            }
            let (first, end) = self.graph.nodes[node as usize].steps;
            for index in first..end {
                let step = self.graph.steps[index as usize];
                let to = &self.graph.nodes[step.to as usize];
                let is_inside = parts[step.to as usize] == parts[start as usize];
                if is_inside && to.place >= place {
                    let met = met | step.met;
                    let is_closed = step.to == start && self.needs.are_met(met);
                    let stand = if is_closed { HOME } else { (step.to, met) };
                    ways.add(stand, length + step.length, Some((at, index)));
                }
            }
        }
        Ok(())
    }

    fn note_lasso(&mut self, start: u32, cycle: &[u32], length: usize) {
        let mut branches = self.graph.branches_to(start);
        branches.extend(cycle.iter().filter_map(|step| self.graph.steps[*step as usize].branch));
        let cycle_start = Some(self.graph.nodes[start as usize].distance as usize);
        let trail = Trail { branches, steps: Path::default() };
        self.best = length;
        let fault = self.product.claim.cycle.clone();
        self.found = Some(Found { fault, length, cycle_start, trail });
    }

    fn look(&mut self, way_bytes: usize) -> Result<(), Stop> {
        self.way_bytes = way_bytes;
        let own_bytes = self.own_bytes();
        self.worker.refresh(&self.visited, &self.judge.findings, own_bytes);
        let limit = self.worker.watch.look(&self.worker.tally.statistics);
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    fn own_bytes(&self) -> usize {
        self.graph.heap_bytes() + self.numbers.heap_bytes() + self.way_bytes
    }
}

/// Nodes by their distance.
type Queue = BinaryHeap<Reverse<(u32, u32)>>;

impl Graph {
    fn steps_of(&self, node: usize) -> &[Step] {
        let (first, end) = self.nodes[node].steps;
        &self.steps[first as usize..end as usize]
    }

    /// The strongly connected part of each node, [`NOWHERE`] where a part has not all that a cycle needs. None if no part has.
    fn parts(&self, needs: &Needs) -> Option<Vec<u32>> {
        let count = self.nodes.len();
        let found =
            components(count, 0..count, |node| self.steps_of(node).iter().map(|step| step.to as usize));
        let part = |node: usize| found.of[node].expect("every node is a start");
        let mut met = vec![None; found.count];
        for node in 0..count {
            for step in self.steps_of(node).iter().filter(|step| part(step.to as usize) == part(node)) {
                *met[part(node)].get_or_insert(0) |= step.met;
            }
        }
        let is_wanted = |part: usize| met[part].is_some_and(|met| needs.may_be_met(met));
        let of: Vec<u32> =
            (0..count).map(|node| if is_wanted(part(node)) { part(node) as u32 } else { NOWHERE }).collect();
        of.iter().any(|part| *part != NOWHERE).then_some(of)
    }

    fn branches_to(&self, mut number: u32) -> Vec<Branch> {
        let mut branches = Vec::new();
        // The initial state is the first.
        while number != 0 {
            let node = &self.nodes[number as usize];
            branches.extend(node.branch);
            number = node.parent;
        }
        branches.reverse();
        branches
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.steps.capacity() * size_of::<Step>()
            + self.order.capacity() * size_of::<u32>()
    }
}

/// Where a way stands: at a node, with what it met so far.
type Stand = (u32, u64);

/// Back at the start with all that is needed.
const HOME: Stand = (NOWHERE, 0);

/// Ways from one node, the shortest first.
#[derive(Default)]
struct Ways {
    queue: BinaryHeap<Reverse<(u32, Stand)>>,
    /// How far each stand is, and the one before it with the step from there; the start has none.
    known: HashMap<Stand, (u32, Option<(Stand, u32)>)>,
}

impl Ways {
    fn add(&mut self, to: Stand, length: u32, came: Option<(Stand, u32)>) {
        let known = self.known.entry(to).or_insert((u32::MAX, None));
        if length < known.0 {
            *known = (length, came);
            self.queue.push(Reverse((length, to)));
        }
    }

    /// The nearest stand that was not told yet, and how far it is.
    fn next(&mut self) -> Option<(Stand, u32)> {
        while let Some(Reverse((length, at))) = self.queue.pop() {
            if length == self.known[&at].0 {
                return Some((at, length));
            }
        }
        None
    }

    /// The steps to a stand, in order.
    fn back_from(&self, mut at: Stand) -> Vec<u32> {
        let mut steps = Vec::new();
        while let Some((before, step)) = self.known[&at].1 {
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps
    }

    fn heap_bytes(&self) -> usize {
        grow::table_bytes(self.known.len(), self.known.capacity(), size_of::<(Stand, u32, Stand, u32)>())
            + self.queue.capacity() * size_of::<(u32, Stand)>()
    }
}
