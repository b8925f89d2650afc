//! The search for accepting cycles by several workers (Bloemen, Laarman and van de Pol, *Multi-Core On-The-Fly SCC Decomposition*, 2016).
//!
//! Each worker goes depth first, as the one of `scc.rs` does, over the same visited set, and tries successors in another order. What it
//! finds out about components all can see (`Components` in the store): a step back joins components for all, and their marks. A state is *done*
//! when one worker has followed all its steps; then no other need do so. At the first state of a component on its path a worker takes on, one after the
//! other, the states of the component that nobody is done with. When there are none left, the component is whole, and dead.
//!
//! A worker goes to a state that another one has on its path all the same: it cannot know what lies behind it. It tries those first that
//! nobody has seen, so that happens seldom.

use super::Fairness;
use super::claim::Claim;
use super::lasso::Searched;
use super::marks::Marks;
use super::product::Product;
use super::scc::{DONE, Scc, Targets, note};
use crate::conclude::{Ended, conclude};
use crate::crew::Crew;
use crate::judge::{Judge, Position};
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Bitset, Limit, Outcome, grow};
use panoptes_exec::{Executor, Fault, Successors};
use panoptes_store::{
    Claimed, Components, NodeId, Place, Session, Shared, SharedVisited, StateNumbers, StateRef,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

/// The flag of states whose component is dead: what one worker was done with before others joined is. Where it is not set, that may
/// be so all the same.
const DEAD: u8 = DONE;

/// What all workers have in common.
struct Team<'a, S> {
    program: &'a Program<'a>,
    claim: &'a Claim,
    fairness: Fairness,
    limits: &'a Limits,
    shared: Shared<S>,
    components: Components,
    joined: AtomicUsize,
    /// All are to end, and why, as the first one has it.
    is_halted: AtomicBool,
    why: Mutex<Option<Why>>,
}

/// Why all workers end.
#[derive(Debug)]
enum Why {
    /// One has seen that everything is done with.
    Whole,
    /// There is a cycle in the component of this state.
    Cycle(NodeId),
    /// Something is wrong with this state, or with a step from it.
    At(StateRef, Fault),
    Limit(Limit),
    /// One worker must do it alone: the marks do not fit into a word.
    Unfit,
}

/// What one of the others did.
struct Part {
    tally: Tally,
    executed: Bitset,
    given_up: Vec<Fault>,
    unseen: u64,
}

/// Goes on with a search by one worker, with others. Gives that worker back if it must do it alone: the marks are too many.
pub(super) fn together<'w, S: SharedVisited + Default, const W: usize>(
    program: &'w Program<'w>,
    (claim, fairness): (&'w Claim, Fairness),
    search: Box<Scc<'w, S, W>>,
    crew: &Crew<'_>,
) -> Result<Outcome, Box<Worker<'w>>> {
    let threads = crew.threads.min(panoptes_store::WORKERS_MAX);
    // If there is no memory for it, one worker has a little more.
    let Ok(components) = Components::new() else { return Err(Box::new(search.worker)) };
    let mut place = components.place(0);
    let Some(mut way) = Way::of(&search, &components, &mut place, claim.set_count) else {
        return Err(Box::new(search.worker));
    };
    let Scc { visited, mut judge, mut worker, product, live, numbers, .. } = *search;
    (way.live, way.numbers) = (live, numbers);
    let limits = worker.watch.limits;
    let team = Team {
        program,
        claim,
        fairness,
        limits,
        shared: Shared::new(visited.into_store(), threads),
        components,
        joined: AtomicUsize::new(1),
        is_halted: AtomicBool::new(false),
        why: Mutex::new(None),
    };
    limits.totals.reset();
    worker.told = Some(limits.totals.part());
    let (first, parts) = std::thread::scope(|scope| {
        let work = || {
            let _ended = Ending(&team);
            let mut part = None;
            crew.executors.with_one(&mut |executor| part = team.work::<W>(executor));
            part
        };
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        // The system may not allow as many as are wanted.
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let ended = Ending(&team);
        let first = team.go_on::<W>(worker, product, (place, way));
        drop(ended);
        let join = |other: ScopedJoinHandle<'_, Option<Part>>| match other.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        (first, others.into_iter().map(join).collect::<Vec<_>>())
    });
    let (mut worker, mut product) = first.expect("there is a seat for the first one");
    let threads = 1 + parts.len();
    for part in parts.into_iter().flatten() {
        worker.absorb(&part.tally, &part.executed, &part.given_up);
        product.unseen &= part.unseen;
    }
    worker.told = None;
    let Team { shared, components, why, .. } = team;
    let why = why.into_inner().unwrap_or_else(PoisonError::into_inner).expect("who ends says why");
    if matches!(why, Why::Unfit) {
        return Err(Box::new(worker));
    }
    let mut visited = Visited::of_session(program, shared.into_inner(), None);
    let own_bytes = components.heap_bytes() + product.heap_bytes();
    let how = show(why, &components, &mut visited, &mut judge, &mut worker, &mut product);
    let ended =
        Ended { how, is_cut: false, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    let outcome = product.add_to(conclude(program, visited, judge, worker, ended));
    Ok(Outcome { threads, ..outcome })
}

/// Finds a way to what the workers found, over the states that they know.
fn show<S: SharedVisited, const W: usize>(
    why: Why,
    components: &Components,
    visited: &mut Visited<S>,
    judge: &mut Judge<'_>,
    worker: &mut Worker<'_>,
    product: &mut Product<'_, W>,
) -> Result<(), Stop> {
    match why {
        Why::Whole => Ok(()),
        Why::Limit(limit) => Err(Stop::Limit(limit)),
        Why::Unfit => unreachable!("one worker begins anew"),
        Why::Cycle(node) => {
            let (required, cycle) = (product.required, product.claim.cycle.clone());
            let initial = initial_state(visited, judge, worker)?;
            let depth = worker.tally.statistics.max_depth as usize;
            // No worker is left: a place of the first one does.
            let place = std::cell::RefCell::new(components.place(0));
            let is_inside = |state: &StateRef| {
                let other = components.node(&mut place.borrow_mut(), *state);
                other.is_some_and(|other| components.is_same(node, other))
            };
            let mut searched = Searched { visited, worker, product, numbers: &StateNumbers::default() };
            let lasso = searched.lasso_within(initial, is_inside, required);
            note(&mut judge.findings, &cycle, depth, lasso)
        }
        Why::At(state, fault) => {
            let initial = initial_state(visited, judge, worker)?;
            let depth = worker.tally.statistics.max_depth as usize;
            let mut searched = Searched { visited, worker, product, numbers: &StateNumbers::default() };
            let way = searched.way_to(initial, state).and_then(|(branches, steps, vector)| {
                product.expand(worker, visited, &vector, steps as u32)?;
                Ok((branches, steps as u32, vector))
            });
            let (branches, steps, vector) = match way {
                Ok(way) => way,
                Err(Stop::Limit(limit)) => {
                    judge.findings.lost(&fault, depth.max(1), limit);
                    return Err(Stop::Error);
                }
                Err(stop) => return Err(stop),
            };
            product.judge(judge, worker, &vector, steps, &|| branches.clone())?;
            unreachable!("what was wrong with a state is wrong with it when it is expanded again")
        }
    }
}

fn initial_state<S: SharedVisited>(
    visited: &mut Visited<S>,
    judge: &mut Judge<'_>,
    worker: &mut Worker<'_>,
) -> Result<StateRef, Stop> {
    let initial = worker.expander.executor().initial();
    let mut vector = initial.map_err(|fault| judge.no_initial_state(&fault))?;
    Product::<1>::begin(&mut vector);
    let prepared = visited.prepare(&vector)?;
    Ok(visited.insert(prepared, &vector)?.0)
}

/// When a worker panics, all end.
struct Ending<'t, 'a, S>(&'t Team<'a, S>);

impl<S> Drop for Ending<'_, '_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_halted.store(true, Relaxed);
        }
    }
}

impl<'a, S: SharedVisited> Team<'a, S> {
    /// All are to end.
    fn halt(&self, why: Why) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.is_halted.store(true, Relaxed);
    }

    /// One of the others.
    fn work<const W: usize>(&self, executor: &mut dyn Executor) -> Option<Part> {
        executor.set_conditions(&self.claim.conditions);
        let mut observer = ();
        let mut worker = Worker::beside(self.program, self.limits, executor, &mut observer);
        // What an executor makes when it is asked for the first time is made before it has a session.
        let executor = worker.expander.executor();
        if let Ok(vector) = executor.initial() {
            executor.successors(&vector, None, &mut Successors::default());
        }
        let number = self.joined.fetch_add(1, Relaxed);
        let product = Product::<W>::new(self.program, self.claim, self.fairness);
        let (worker, product) =
            self.go_on(worker, product, (self.components.place(number), Way::default()))?;
        let Worker { expander, tally, .. } = worker;
        let (executed, given_up) = (expander.executed, expander.given_up);
        Some(Part { tally, executed, given_up, unseen: product.unseen })
    }

    /// One worker's search, from where it is to the end of all.
    fn go_on<'w, const W: usize>(
        &self,
        worker: Worker<'w>,
        product: Product<'a, W>,
        (place, way): (Place, Way),
    ) -> Option<(Worker<'w>, Product<'a, W>)> {
        let mut seat = self.shared.seat()?;
        let required = product.required.packed(self.claim.set_count);
        let mut member: Member<'_, '_, 'a, 'w, S, W> = Member {
            team: self,
            visited: Visited::of_session(self.program, seat.enter(), None),
            judge: Judge::new(self.program),
            worker,
            product,
            required: required.unwrap_or(0),
            is_first: place.number() == 0,
            random: place.number() as u64,
            place,
            way,
            vector: Vec::new(),
            targets: Targets::default(),
            unknown: Vec::new(),
        };
        if required.is_none() {
            self.halt(Why::Unfit);
        }
        match member.walk() {
            Ok(()) => self.halt(Why::Whole),
            Err(Stop::Limit(limit)) => self.halt(Why::Limit(limit)),
            // It has said why.
            Err(_) => {}
        }
        let Member { worker, product, .. } = member;
        Some((worker, product))
    }
}

struct Member<'s, 't, 'a, 'w, S: SharedVisited, const W: usize> {
    team: &'t Team<'a, S>,
    visited: Visited<Session<'s, 't, S>>,
    judge: Judge<'a>,
    worker: Worker<'w>,
    product: Product<'a, W>,
    /// The marks of a cycle that is wanted.
    required: u64,
    /// It counts what all have in common, and tries successors in their order.
    is_first: bool,
    place: Place,
    way: Way,
    vector: Vec<u8>,
    targets: Targets,
    /// Which of them this worker does not know, by number.
    unknown: Vec<usize>,
    random: u64,
}

/// Where a worker is.
#[derive(Default)]
struct Way {
    path: Vec<Frame>,
    /// The untried successors of all states of the path, each one's next last.
    items: Vec<Item>,
    /// The components on the path, by their first state there.
    roots: Vec<Root>,
    /// The states of these components that this worker has been at.
    live: Vec<StateRef>,
    /// Their places in `live`. Of most states that a worker meets again it knows by itself where they are, and need not ask what others know.
    numbers: StateNumbers,
}

/// A state of the path, or another one of the topmost component.
struct Frame {
    node: NodeId,
    depth: u32,
    /// Where its items begin.
    items: usize,
}

struct Item {
    state: StateRef,
    node: NodeId,
    steps: u32,
    marks: u64,
}

struct Root {
    node: NodeId,
    /// Its place in the path.
    frame: usize,
    /// Where its states begin in `live`.
    live: u32,
    /// The marks of the step that leads to it from the component before.
    entry: u64,
}

impl Way {
    /// That of one worker who has been alone. All others then see what it knows. None if its marks do not fit, or memory is short.
    fn of<S, const W: usize>(
        search: &Scc<'_, S, W>,
        components: &Components,
        place: &mut Place,
        set_count: u32,
    ) -> Option<Way> {
        // If no step is known there are no marks, not even those of processes that do not exist.
        let packed = |marks: &Marks<W>| match marks == &Marks::EMPTY {
            true => Some(0),
            false => marks.packed(set_count),
        };
        let mut way = Way::default();
        let mut frames = search.path.iter().peekable();
        for (index, root) in search.roots.iter().enumerate() {
            let end = search.roots.get(index + 1).map_or(search.live.len(), |next| next.number as usize);
            let (frame, live) = (way.path.len(), root.number);
            let mut first = None;
            for number in root.number as usize..end {
                let node = components.node(place, search.live[number])?;
                components.start(node);
                match first {
                    None => {
                        components.claim(place, node);
                        first = Some(node);
                    }
                    Some(first) => {
                        components.unite(first, node, 0);
                    }
                }
                match frames.next_if(|frame| frame.number as usize == number) {
                    Some(frame) => way.path.push(Frame { node, depth: frame.depth, items: frame.items }),
                    None => components.finish(node),
                }
            }
            let node = first.expect("a component has states");
            components.add_marks(node, packed(&root.marks)?);
            way.roots.push(Root { node, frame, live, entry: packed(&root.entry)? });
        }
        for item in &search.items {
            let (state, steps, marks) = (item.state, item.steps, packed(&item.marks)?);
            way.items.push(Item { state, node: components.node(place, state)?, steps, marks });
        }
        Some(way)
    }

    fn heap_bytes(&self) -> usize {
        self.path.capacity() * size_of::<Frame>()
            + self.items.capacity() * size_of::<Item>()
            + self.roots.capacity() * size_of::<Root>()
            + self.live.capacity() * size_of::<StateRef>()
            + self.numbers.heap_bytes()
    }
}

impl<S: SharedVisited, const W: usize> Member<'_, '_, '_, '_, S, W> {
    fn walk(&mut self) -> Result<(), Stop> {
        if self.way.path.is_empty() {
            self.begin()?;
        }
        let components = &self.team.components;
        while let Some(frame) = self.way.path.last() {
            if self.team.is_halted.load(Relaxed) {
                return Err(Stop::Error);
            }
            if self.way.items.len() > frame.items && components.is_done(frame.node) {
                // Another worker has followed its steps.
                self.way.items.truncate(frame.items);
            }
            if self.way.items.len() == frame.items {
                self.leave()?;
                continue;
            }
            let depth = frame.depth;
            let item = self.way.items.pop().expect("there is one");
            if self.visited.flags(item.state) & DEAD != 0 {
                continue;
            }
            if let Some(number) = self.way.numbers.get(item.state) {
                self.meet_again(number, item.marks)?;
                continue;
            }
            match components.claim(&self.place, item.node) {
                Claimed::Dead => {}
                Claimed::Own => self.meet(item.node, item.marks)?,
                Claimed::New => self.visit(&item, depth + item.steps)?,
            }
        }
        Ok(())
    }

    /// Goes to the initial state.
    fn begin(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        self.vector = initial.map_err(|_| self.unfit())?;
        Product::<W>::begin(&mut self.vector);
        let prepared = self.visited.prepare(&self.vector)?;
        let (state, is_new) = self.visited.insert(prepared, &self.vector)?;
        if is_new {
            self.worker.tally.statistics.transitions += 1;
            self.worker.tally.note_stored(&self.vector);
        }
        let node = self.node(state)?;
        self.team.components.claim(&self.place, node);
        self.visit(&Item { state, node, steps: 0, marks: 0 }, 0)
    }

    fn node(&mut self, state: StateRef) -> Result<NodeId, Stop> {
        let node = self.team.components.node(&mut self.place, state);
        node.ok_or(Stop::Limit(Limit::Memory))
    }

    /// Goes on to a state of another component.
    fn visit(&mut self, by: &Item, depth: u32) -> Result<(), Stop> {
        let (frame, live) = (self.way.path.len(), self.way.live.len() as u32);
        grow::push(&mut self.way.roots, Root { node: by.node, frame, live, entry: by.marks });
        grow::push(&mut self.way.live, by.state);
        self.way.numbers.insert(by.state, live);
        self.enter(by.node, by.state, depth)
    }

    /// Tries the successors of a state of the topmost component, unless that is done with.
    fn enter(&mut self, node: NodeId, state: StateRef, depth: u32) -> Result<(), Stop> {
        let items = self.way.items.len();
        grow::push(&mut self.way.path, Frame { node, depth, items });
        self.visited.let_others_in();
        if self.team.components.is_done(node) {
            return Ok(());
        }
        self.look_at_limits()?;
        self.vector.clear();
        self.visited.read_origin(state, &mut self.vector);
        let Member { visited, worker, product, vector, .. } = self;
        product.expand(worker, visited, vector, depth)?;
        self.note_expanded(node, state, depth)?;
        self.look_up()
    }

    fn look_at_limits(&mut self) -> Result<(), Stop> {
        let common_bytes = || if self.is_first { self.team.components.heap_bytes() } else { 0 };
        let own_bytes = || self.way.heap_bytes() + self.product.heap_bytes() + common_bytes();
        self.worker.look_at_limits(&mut self.visited, &mut self.judge.findings, own_bytes)
    }

    /// Notes what is wrong with the state and its steps, and counts the expansion if it is the state's first.
    fn note_expanded(&mut self, node: NodeId, state: StateRef, depth: u32) -> Result<(), Stop> {
        let Member { team, judge, worker, product, vector, .. } = self;
        if team.components.start(node) {
            worker.tally.note_expanded(&product.expansion);
            worker.tally.statistics.transitions += product.moves.len() as u64;
        }
        let depth = depth as usize;
        worker.tally.note_depth(depth + product.expansion.chain_steps_max);
        // The path tells no way there; that is found later.
        let at = Position { vector, depth, branches: &Vec::new, has_shown: &|_| false };
        let is_step_wrong = judge.steps(&at, &product.expansion).is_err();
        let wrong_step = product.expansion.faults.first().filter(|_| is_step_wrong);
        let fault = wrong_step.map(|faulty| faulty.fault.clone()).or_else(|| product.violation.take());
        let Some(fault) = fault else { return Ok(()) };
        team.halt(Why::At(state, fault));
        Err(Stop::Error)
    }

    /// Looks up what the state leads to: steps back into components of the path join them, the others are tried later.
    fn look_up(&mut self) -> Result<(), Stop> {
        let Member { visited, worker, product, targets, vector, team, way, .. } = self;
        targets.begin(product, visited, vector)?;
        for index in 0..targets.len() {
            let (target, prepared) = targets.get(index);
            let (state, is_new) = visited.insert(prepared, target)?;
            if is_new {
                worker.tally.note_stored(target);
                team.components.prefetch(state);
            } else {
                way.numbers.prefetch(state);
            }
            targets.found.push((state, is_new));
        }
        self.meet_known()?;
        let components = &self.team.components;
        self.unknown.iter().for_each(|index| components.prefetch_further(self.targets.found[*index].0));
        let (start, mut seen) = (self.way.items.len(), 0);
        for at in 0..self.unknown.len() {
            let index = self.unknown[at];
            let (state, is_new) = self.targets.found[index];
            let taken = self.product.moves[index];
            let marks = self.packed(&taken.marks)?;
            let node = self.node(state)?;
            if !is_new {
                match components.peek(&self.place, node) {
                    Claimed::Dead => continue,
                    Claimed::Own => {
                        self.meet(node, marks)?;
                        continue;
                    }
                    Claimed::New => {}
                }
            }
            let (steps, _) = self.product.taken(&taken);
            grow::push(&mut self.way.items, Item { state, node, steps, marks });
            if !is_new {
                // What nobody has seen is tried first, so it stands behind the others.
                let last = self.way.items.len() - 1;
                self.way.items.swap(last, start + seen);
                seen += 1;
            }
        }
        self.order(start, start + seen);
        self.order(start + seen, self.way.items.len());
        Ok(())
    }

    /// What leads to a state of which this worker knows by itself where it is. The others are noted.
    fn meet_known(&mut self) -> Result<(), Stop> {
        self.unknown.clear();
        for index in 0..self.targets.len() {
            let (state, is_new) = self.targets.found[index];
            if !is_new {
                if let Some(number) = self.way.numbers.get(state) {
                    let marks = self.packed(&self.product.moves[index].marks)?;
                    self.meet_again(number, marks)?;
                    continue;
                }
                if self.visited.flags(state) & DEAD != 0 {
                    continue;
                }
                self.team.components.prefetch(state);
            }
            self.unknown.push(index);
        }
        Ok(())
    }

    /// Each worker has another order.
    fn order(&mut self, start: usize, end: usize) {
        let items = &mut self.way.items[start..end];
        if self.is_first {
            items.reverse();
            return;
        }
        for last in (1..items.len()).rev() {
            self.random =
                self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            items.swap(last, (self.random >> 33) as usize % (last + 1));
        }
    }

    fn packed(&self, marks: &Marks<W>) -> Result<u64, Stop> {
        marks.packed(self.team.claim.set_count).ok_or_else(|| self.unfit())
    }

    /// One worker must do it alone.
    #[cold]
    fn unfit(&self) -> Stop {
        self.team.halt(Why::Unfit);
        Stop::Error
    }

    /// A state of the topmost component leads to one of a component on the path, which this worker has been at.
    #[inline]
    fn meet_again(&mut self, number: u32, marks: u64) -> Result<(), Stop> {
        self.join(marks, |top| top.live <= number)
    }

    /// The same, of a state that others may have been at.
    #[inline]
    fn meet(&mut self, node: NodeId, marks: u64) -> Result<(), Stop> {
        let components = &self.team.components;
        self.join(marks, |top| components.is_same(node, top.node))
    }

    /// Joins the components of the path down to one, and adds the marks of a step back to it.
    #[inline]
    fn join(&mut self, marks: u64, is_it: impl Fn(&Root) -> bool) -> Result<(), Stop> {
        let (components, roots) = (&self.team.components, &mut self.way.roots);
        while let [.., before, top] = &roots[..] {
            if is_it(top) {
                break;
            }
            components.unite(before.node, top.node, top.entry);
            roots.pop();
        }
        let node = roots.last().expect("the path has a component").node;
        // Not before: until the last of them is joined they are no component by themselves, and there may be no way round in them.
        let all = components.add_marks(node, marks);
        if all & self.required == self.required { self.found(node) } else { Ok(()) }
    }

    /// The component has a cycle that is looked for.
    #[cold]
    fn found(&self, node: NodeId) -> Result<(), Stop> {
        self.team.halt(Why::Cycle(node));
        Err(Stop::Error)
    }

    /// All that the topmost state leads to has been tried.
    fn leave(&mut self) -> Result<(), Stop> {
        let components = &self.team.components;
        let frame = self.way.path.last().expect("a state of the path");
        let depth = frame.depth;
        components.finish(frame.node);
        let is_root = self.way.roots.last().is_some_and(|root| root.frame + 1 == self.way.path.len());
        if !is_root {
            self.way.path.pop();
            return Ok(());
        }
        if let [.., before, root] = &self.way.roots[..] {
            // Another worker has joined them.
            if components.is_same(before.node, root.node) {
                let (node, entry) = (root.node, root.entry);
                self.way.roots.pop();
                self.way.path.pop();
                let all = components.add_marks(node, entry);
                return if all & self.required == self.required { self.found(node) } else { Ok(()) };
            }
        }
        let root = self.way.roots.last().expect("a component of the path");
        let choice = if self.is_first { 0 } else { (self.random >> 33) as u32 % 4 };
        if let Some(node) = components.pick(root.node, choice) {
            return self.enter(node, components.state(node), depth);
        }
        for state in self.way.live.drain(root.live as usize..) {
            self.way.numbers.remove(state);
            if self.visited.flags(state) & DEAD == 0 {
                self.visited.set_flags(state, DEAD);
            }
        }
        self.way.roots.pop();
        self.way.path.pop();
        Ok(())
    }
}
