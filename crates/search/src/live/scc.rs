//! A search for accepting cycles by strongly connected components, on the fly (Couvreur, *On-the-Fly Verification of Linear
//! Temporal Logic*, 1999; path-based components after Gabow and Dijkstra).
//!
//! Depth first, with the components of the path on a second stack. A step back to a state of the path, or of a component on it,
//! makes one component of all that lies between, and joins their marks. As soon as the marks of a component are all that are
//! required, it has a cycle that is looked for: no copy of the state space is made for each acceptance set, and no state is expanded twice.

use super::Fairness;
use super::cycles::CycleTask;
use super::lasso::{Lasso, Searched};
use super::marks::{Marks, PLAIN, WITH_PROCESSES};
use super::product::Product;
use super::reach::reach;
use super::streett::FairPart;
use super::together::together;
use crate::conclude::{Ended, conclude};
use crate::findings::Findings;
use crate::judge::Judge;
use crate::labels::{Branch, Labels};
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, Path, SearchOptions, grow};
use panoptes_exec::{Executor, Fault};
use panoptes_model::Model;
use panoptes_store::{Prepared, SharedVisited, StateNumbers, StateRef, StateStore};

/// Looks for an execution that the claim accepts.
pub(super) fn scc<S: SharedVisited + Default>(
    task: &CycleTask<'_>,
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    match task.fairness {
        _ if task.claim.is_safety() => reach::<S>(model, task.claim, executor, options, observer),
        Fairness::None => search::<S, PLAIN>(task, model, executor, options, observer),
        Fairness::Weak | Fairness::Strong => {
            search::<S, WITH_PROCESSES>(task, model, executor, options, observer)
        }
    }
}

fn search<S: SharedVisited + Default, const W: usize>(
    task: &CycleTask<'_>,
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    // What is hidden belongs to the state here: the way on depends on it, and a lasso must lead the same way again.
    let program = Program::new(model, options, 0);
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let crew = task.crew.filter(|crew| crew.threads > 1 && task.is_for_several(options));
    let mut search: Box<Scc<'_, S, W>> = Box::new(Scc::new(&program, task, worker));
    search.alone_until = crew.map_or(u64::MAX, |crew| crew.alone_until);
    let mut how = search.begin().and_then(|()| search.go_on());
    if let Some(crew) = crew.filter(|_| how == Err(Stop::Shared)) {
        let mut worker = match together(&program, (task.claim, task.fairness), search, crew) {
            Ok(outcome) => return outcome,
            Err(worker) => *worker,
        };
        worker.restart();
        search = Box::new(Scc::new(&program, task, worker));
        how = search.begin().and_then(|()| search.go_on());
    }
    let (is_cut, own_bytes) = (search.is_cut, search.own_bytes());
    let Scc { visited, judge, worker, product, .. } = *search;
    let ended = Ended { how, is_cut, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    product.add_to(conclude(&program, visited, judge, worker, ended))
}

/// The flag of states whose component is done with: no cycle leads through them that is not known.
pub(super) const DONE: u8 = 1;

/// The search by one worker.
pub(super) struct Scc<'a, S, const W: usize> {
    pub visited: Visited<S>,
    pub judge: Judge<'a>,
    pub worker: Worker<'a>,
    pub product: Product<'a, W>,
    /// Others are to join when so many states are stored.
    alone_until: u64,
    /// Components are judged when they are done with.
    is_strong: bool,
    pub path: Vec<Frame>,
    /// The untried successors of all states of the path, each one's next last.
    pub items: Vec<Item<W>>,
    labels: Labels,
    /// The components on the path, by their first state.
    pub roots: Vec<Root<W>>,
    /// The states of these components, in the order of their numbers.
    pub live: Vec<StateRef>,
    /// Their numbers.
    pub numbers: StateNumbers,
    vector: Vec<u8>,
    targets: Targets,
    /// The depth bound cut something.
    is_cut: bool,
}

/// A state of the path.
pub(crate) struct Frame {
    pub state: StateRef,
    pub number: u32,
    /// How it was reached from the one before; [`STAYS`] if the system did not move.
    pub label: u32,
    pub depth: u32,
    /// Where its items begin.
    pub items: usize,
}

/// A label of steps in which only the claim moves. No branch has it.
pub(crate) const STAYS: u32 = u32::MAX;

pub(super) struct Item<const W: usize> {
    pub state: StateRef,
    label: u32,
    pub steps: u32,
    pub marks: Marks<W>,
}

pub(super) struct Root<const W: usize> {
    /// The number of its first state.
    pub number: u32,
    /// The marks of the step that leads to it from the component before.
    pub entry: Marks<W>,
    /// Those of the steps within.
    pub marks: Marks<W>,
}

/// The vectors that a state leads to, end to end, and the first halves of their lookups.
#[derive(Default)]
pub(super) struct Targets {
    bytes: Vec<u8>,
    ends: Vec<(usize, Prepared)>,
    /// What the lookups gave.
    pub found: Vec<(StateRef, bool)>,
}

impl Targets {
    /// Begins the lookups of all that a state leads to.
    pub fn begin<S: StateStore, const W: usize>(
        &mut self,
        product: &Product<'_, W>,
        visited: &mut Visited<S>,
        from: &[u8],
    ) -> Result<(), Stop> {
        self.bytes.clear();
        self.ends.clear();
        self.found.clear();
        for taken in &product.moves {
            let start = self.bytes.len();
            product.target(taken, from, &mut self.bytes);
            let prepared = visited.prepare(&self.bytes[start..])?;
            self.ends.push((self.bytes.len(), prepared));
        }
        self.ends.iter().for_each(|(_, prepared)| visited.prefetch_further(*prepared));
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A vector, and the first half of its lookup.
    pub fn get(&self, index: usize) -> (&[u8], Prepared) {
        let start = if index == 0 { 0 } else { self.ends[index - 1].0 };
        let (end, prepared) = self.ends[index];
        (&self.bytes[start..end], prepared)
    }
}

impl<'a, S: StateStore + Default, const W: usize> Scc<'a, S, W> {
    fn new(program: &'a Program<'a>, task: &CycleTask<'a>, worker: Worker<'a>) -> Scc<'a, S, W> {
        let mut visited: Visited<S> = Visited::new(program, worker.watch.limits.store_budget(0), None);
        visited.keep_flags();
        Scc {
            visited,
            judge: Judge::new(program),
            worker,
            product: Product::new(program, task.claim, task.fairness),
            alone_until: u64::MAX,
            is_strong: task.fairness == Fairness::Strong,
            path: Vec::new(),
            items: Vec::new(),
            labels: Labels::default(),
            roots: Vec::new(),
            live: Vec::new(),
            numbers: StateNumbers::default(),
            vector: Vec::new(),
            targets: Targets::default(),
            is_cut: false,
        }
    }

    /// Goes to the initial state.
    fn begin(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        self.vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        Product::<W>::begin(&mut self.vector);
        let prepared = self.visited.prepare(&self.vector)?;
        let (state, _) = self.visited.insert(prepared, &self.vector)?;
        self.worker.tally.statistics.transitions += 1;
        self.worker.tally.note_stored(&self.vector);
        self.visit(Item { state, label: 0, steps: 0, marks: Marks::EMPTY }, 0)
    }

    /// Until everything is done with, or others are to join.
    fn go_on(&mut self) -> Result<(), Stop> {
        while let Some(frame) = self.path.last() {
            if self.worker.tally.statistics.stored >= self.alone_until {
                return Err(Stop::Shared);
            }
            if self.items.len() == frame.items {
                self.leave()?;
                continue;
            }
            let depth = frame.depth;
            let item = self.items.pop().expect("there is one");
            match self.numbers.get(item.state) {
                None if self.visited.flags(item.state) & DONE != 0 => {}
                None => {
                    self.vector.clear();
                    self.visited.read_origin(item.state, &mut self.vector);
                    let depth = depth + item.steps;
                    self.visit(item, depth)?;
                }
                Some(number) => self.meet(number, &item.marks)?,
            }
        }
        Ok(())
    }

    /// Goes on to a new state, whose vector is at hand.
    fn visit(&mut self, by: Item<W>, depth: u32) -> Result<(), Stop> {
        let number = self.live.len() as u32;
        let items = self.items.len();
        grow::push(&mut self.path, Frame { state: by.state, number, label: by.label, depth, items });
        grow::push(&mut self.live, by.state);
        self.roots.push(Root { number, entry: by.marks, marks: Marks::EMPTY });
        self.numbers.insert(by.state, number);
        self.look_at_limits()?;
        let Scc { visited, worker, product, vector, .. } = self;
        product.expand(worker, visited, vector, depth)?;
        self.note_expanded(depth)?;
        self.look_up()
    }

    fn look_at_limits(&mut self) -> Result<(), Stop> {
        let own_bytes = self.own_bytes();
        let Scc { visited, judge, worker, .. } = self;
        worker.look_at_limits(visited, &mut judge.findings, || own_bytes)
    }

    /// Counts the expansion, and notes what is wrong with the state and its steps.
    fn note_expanded(&mut self, depth: u32) -> Result<(), Stop> {
        let Scc { judge, worker, product, path, labels, vector, .. } = self;
        self.is_cut |= product.expansion.is_cut;
        product.judge(judge, worker, vector, depth, &|| branches(path, labels))
    }

    /// Looks up what the state leads to: steps back into components of the path join them, the others are tried later.
    fn look_up(&mut self) -> Result<(), Stop> {
        let Scc { visited, product, targets, vector, .. } = self;
        targets.begin(product, visited, vector)?;
        self.insert()?;
        // The last one is tried first.
        for index in (0..self.product.moves.len()).rev() {
            let (state, is_new) = self.targets.found[index];
            let taken = self.product.moves[index];
            if !is_new {
                if self.visited.flags(state) & DONE != 0 {
                    continue;
                }
                if let Some(number) = self.numbers.get(state) {
                    self.meet(number, &taken.marks)?;
                    continue;
                }
            }
            let (steps, branch) = self.product.taken(&taken);
            let label = branch.map_or(STAYS, |branch| self.labels.label(branch));
            grow::push(&mut self.items, Item { state, label, steps, marks: taken.marks });
        }
        Ok(())
    }

    /// The second halves of the lookups.
    fn insert(&mut self) -> Result<(), Stop> {
        let Scc { visited, worker, targets, numbers, .. } = self;
        for index in 0..targets.len() {
            let (vector, prepared) = targets.get(index);
            let (state, is_new) = visited.insert(prepared, vector)?;
            worker.tally.statistics.transitions += 1;
            if is_new {
                worker.tally.note_stored(vector);
            } else {
                numbers.prefetch(state);
            }
            targets.found.push((state, is_new));
        }
        Ok(())
    }

    /// The topmost state leads to one that the search has been at.
    #[inline]
    fn meet(&mut self, number: u32, marks: &Marks<W>) -> Result<(), Stop> {
        let mut joined = *marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
            joined.add(&root.entry);
            joined.add(&root.marks);
        }
        let root = self.roots.last_mut().expect("the first component has the number zero");
        root.marks.add(&joined);
        let is_found = !self.is_strong && root.marks.contains(&self.product.required);
        if is_found { self.found() } else { Ok(()) }
    }

    /// The topmost component has a cycle that is looked for.
    #[cold]
    fn found(&mut self) -> Result<(), Stop> {
        let first = self.roots.last().expect("a component").number;
        let Scc { visited, worker, product, numbers, .. } = self;
        let mut searched = Searched { visited, worker, product, numbers };
        let initial = self.path[0].state;
        let lasso = searched.lasso(initial, first);
        self.note(lasso)
    }

    /// A component is done with: has it a strongly fair cycle?
    #[cold]
    fn judge_component(&mut self, first: u32) -> Result<(), Stop> {
        let initial = self.path[0].state;
        let Scc { visited, worker, product, numbers, live, .. } = self;
        let mut searched = Searched { visited, worker, product, numbers };
        let part = searched.fair_part(&live[first as usize..], first)?;
        let Some(FairPart { mut states, required }) = part else { return Ok(()) };
        states.sort_unstable();
        let lasso = searched.lasso_within(initial, |state| states.binary_search(state).is_ok(), required);
        self.note(lasso)
    }

    fn note(&mut self, lasso: Result<Lasso, Stop>) -> Result<(), Stop> {
        let depth = self.path.last().map_or(0, |frame| frame.depth as usize);
        note(&mut self.judge.findings, &self.product.claim.cycle, depth, lasso)
    }

    /// All that the topmost state leads to has been tried.
    fn leave(&mut self) -> Result<(), Stop> {
        let number = self.path.last().map_or(0, |frame| frame.number);
        if self.is_strong && self.roots.last().is_some_and(|root| root.number == number) {
            self.judge_component(number)?;
        }
        let frame = self.path.pop().expect("a state of the path");
        if self.roots.pop_if(|root| root.number == frame.number).is_some() {
            for state in self.live.drain(frame.number as usize..) {
                self.numbers.remove(state);
                self.visited.set_flags(state, DONE);
            }
        }
        Ok(())
    }

    fn own_bytes(&self) -> usize {
        self.path.capacity() * size_of::<Frame>()
            + self.items.capacity() * size_of::<Item<W>>()
            + self.labels.heap_bytes()
            + self.roots.capacity() * size_of::<Root<W>>()
            + self.live.capacity() * size_of::<StateRef>()
            + self.numbers.heap_bytes()
            + self.product.heap_bytes()
    }
}

/// The branches along the path; steps in which the system stays are none.
fn branches(path: &[Frame], labels: &Labels) -> Vec<Branch> {
    path.iter().skip(1).filter(|frame| frame.label != STAYS).map(|frame| labels.branch(frame.label)).collect()
}

/// There is a cycle; a limit may keep it from being shown.
pub(super) fn note(
    findings: &mut Findings,
    fault: &Fault,
    depth: usize,
    lasso: Result<Lasso, Stop>,
) -> Result<(), Stop> {
    let Lasso { branches, prefix_steps, steps } = match lasso {
        Ok(lasso) => lasso,
        Err(Stop::Limit(limit)) => {
            findings.lost(fault, depth.max(1), limit);
            return Err(Stop::Error);
        }
        Err(stop) => return Err(stop),
    };
    findings.fault(fault, steps, || Trail { branches, steps: Path::default() });
    findings.set_cycle_start(prefix_steps);
    Err(Stop::Error)
}
