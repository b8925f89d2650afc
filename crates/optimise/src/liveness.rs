//! Dead variables: one whose value nobody will read before it is written again goes back to its initial value, so that
//! states which differ only there become one.
//!
//! Liveness flows backwards over the control states of a process type, for its own variables and for the global ones
//! that no other process touches. An array is read and reset as a whole; a write to one element does not end its life.

use crate::code::bound;
use crate::facts::Facts;
use crate::local::Local;
use crate::ranges::Ranges;
use crate::set::Set;
use panoptes_model::{
    Action, Block, Expr, Guard, Model, Place, ProcId, ProcessKind, Region, StateId, Transition, Variable,
};

/// An array with more values than this is left alone.
const ARRAY_MAX: u32 = 16;

/// Appends assignments of initial values. How many variables, counted for each transition.
pub(crate) fn reset_dead(
    model: &mut Model,
    facts: &Facts,
    ranges: &Ranges<'_>,
    keep_parameters: bool,
) -> usize {
    let mut changes: Vec<(usize, Vec<Action>)> = Vec::new();
    let mut starts: Vec<(ProcId, Vec<Action>)> = Vec::new();
    let mut count = 0;
    for id in (0..model.processes.len() as u32).map(ProcId) {
        let process = model.process(id);
        // An empty step of a deterministic process must stay empty: it is not watched for company.
        if process.kind == ProcessKind::Process && !process.deterministic {
            let local = Local { model, facts, ranges, process: id };
            let liveness = Liveness::new(local, keep_parameters);
            changes.extend(liveness.resets(&mut count));
            count += liveness.lost.len();
            starts.push((id, liveness.lost.iter().flat_map(|slot| liveness.reset(*slot)).collect()));
        }
    }
    for (index, actions) in changes {
        model.transitions[index].actions = actions;
    }
    for (id, actions) in starts {
        model.processes[id.index()].init.extend(actions);
    }
    count
}

/// A transition, and its actions if they were simplified.
struct Rule<'a> {
    index: usize,
    transition: &'a Transition,
    simpler: Option<Vec<Action>>,
}

impl Rule<'_> {
    fn actions(&self) -> &[Action] {
        self.simpler.as_deref().unwrap_or(&self.transition.actions)
    }
}

/// A function from sets to sets that looks at each member by itself: what it always gives, and what it leaves in.
struct Effect {
    made: Set,
    kept: Set,
}

impl Effect {
    fn of(len: usize, function: impl Fn(&mut Set)) -> Effect {
        let (mut made, mut kept) = (Set::with_len(len), Set::full(len));
        function(&mut made);
        function(&mut kept);
        Effect { made, kept }
    }
}

/// The variables of one process type that may be reset, numbered.
struct Liveness<'a> {
    local: Local<'a>,
    /// The slot of each local and of each global variable; none if it is not followed.
    locals: Vec<Option<usize>>,
    globals: Vec<Option<usize>>,
    /// Where each slot's variable is.
    places: Vec<(Region, &'a Variable)>,
    /// The value of each slot where it is dead.
    rest: Vec<i32>,
    /// Slots that are reset when the process starts.
    lost: Vec<usize>,
    /// Slots that are read at any time.
    always: Set,
    /// For each control state, the slots whose value may still be read.
    live: Vec<Set>,
}

impl<'a> Liveness<'a> {
    fn new(local: Local<'a>, keep_parameters: bool) -> Liveness<'a> {
        let (facts, id) = (local.facts, local.process);
        let process = local.model.process(id);
        let mut places = Vec::new();
        let mut slots = |region, variables: &'a [Variable], is_followed: &dyn Fn(usize) -> bool| {
            let slot = |(index, variable): (usize, &'a Variable)| {
                is_followed(index).then(|| {
                    places.push((region, variable));
                    places.len() - 1
                })
            };
            variables.iter().enumerate().map(slot).collect::<Vec<_>>()
        };
        // What never changes has one value at any control state already.
        let is_local = |index: usize| {
            let is_given = index < process.param_count && !keep_parameters;
            let changes = facts.is_written[id.index()][index] || is_given;
            changes && !facts.is_remote[id.index()][index] && process.variables[index].count <= ARRAY_MAX
        };
        let is_kept = |index: usize| {
            let small = local.model.variables[index].count <= ARRAY_MAX;
            facts.keepers[index] == Some(id) && facts.is_global_written[index] && small
        };
        let locals = slots(Region::Local, &process.variables, &is_local);
        let globals = slots(Region::Global, &local.model.variables, &is_kept);
        let always = Set::with_len(places.len());
        let live = vec![always.clone(); process.states.len()];
        let rest = vec![0; places.len()];
        let mut liveness = Liveness { local, locals, globals, places, rest, lost: Vec::new(), always, live };
        if let Some(provided) = &process.provided {
            let mut always = liveness.always.clone();
            liveness.read(provided, &mut always);
            liveness.always = always;
        }
        liveness.flow();
        liveness.find_initial_values();
        liveness
    }

    /// Finds what each slot starts with, if that is known beforehand. One that is dead at once and starts with something
    /// else (a parameter, say) is reset at the start.
    fn find_initial_values(&mut self) {
        let process = self.local.model.process(self.local.process);
        let mut unknown = Set::with_len(self.places.len());
        self.locals.iter().take(process.param_count).flatten().for_each(|slot| unknown.insert(*slot));
        let mut is_set = Set::with_len(self.places.len());
        let of_globals = self.local.model.init.iter().filter(|action| match action {
            Action::Assign { place, .. } => place.region == Region::Global,
            _ => false,
        });
        for action in of_globals.chain(&process.init) {
            let Action::Assign { place, value } = action else { continue };
            for slot in self.slots(place).collect::<Vec<_>>() {
                match value {
                    Expr::Const(value) if self.exact(place) == Some(slot) && !is_set.contains(slot) => {
                        self.rest[slot] = place.ty.wrap(*value);
                    }
                    _ => unknown.insert(slot),
                }
                is_set.insert(slot);
            }
        }
        unknown.iter().for_each(|slot| self.rest[slot] = 0);
        self.lost = unknown.iter().filter(|slot| self.is_dead(*slot, process.initial)).collect();
    }

    /// Repeats until nothing changes. Control states are numbered along the text, so going backwards is quick.
    fn flow(&mut self) {
        let process = self.local.model.process(self.local.process);
        let mut effects = Vec::new();
        for id in process.states.iter().rev().flat_map(|state| &state.transitions) {
            let transition = self.local.model.transition(*id);
            let effect = Effect::of(self.places.len(), |live| self.before(transition, live));
            effects.push((transition.from.index(), transition.to, effect));
        }
        let mut live = vec![self.always.clone(); process.states.len()];
        loop {
            let mut changed = false;
            for (from, to, effect) in &effects {
                changed |= live[*from].unite(&effect.made);
                if let Some(to) = to.filter(|to| to.index() != *from) {
                    let after = std::mem::take(&mut live[to.index()]);
                    changed |= live[*from].unite_common(&effect.kept, &after);
                    live[to.index()] = after;
                }
            }
            if !changed {
                break;
            }
        }
        self.live = live;
    }

    /// From what is live after a transition to what is live before it is tried.
    fn before(&self, transition: &Transition, live: &mut Set) {
        transition.actions.iter().rev().for_each(|action| self.undo(action, live));
        if let Guard::When(condition) = &transition.guard {
            self.read(condition, live);
        }
    }

    fn after(&self, transition: &Transition) -> Set {
        transition.to.map_or_else(|| self.always.clone(), |to| self.live[to.index()].clone())
    }

    fn slots<'s>(&'s self, place: &Place) -> impl Iterator<Item = usize> + use<'s, 'a> {
        let facts = self.local.facts;
        let (space, slots) = match place.region {
            Region::Local => (&facts.locals[self.local.process.index()], &self.locals),
            Region::Global => (&facts.globals, &self.globals),
        };
        space.reached(place).filter_map(|index| slots[index])
    }

    /// The slot that a write to the place fills.
    fn exact(&self, place: &Place) -> Option<usize> {
        let facts = self.local.facts;
        match place.region {
            Region::Local => {
                let variables = &self.local.model.process(self.local.process).variables;
                let index = facts.locals[self.local.process.index()].exact(place, variables)?;
                self.locals[index]
            }
            Region::Global => self.globals[facts.globals.exact(place, &self.local.model.variables)?],
        }
    }

    fn read(&self, expr: &Expr, live: &mut Set) {
        expr.walk(&mut |e| self.read_one(e, live));
    }

    fn read_one(&self, e: &Expr, live: &mut Set) {
        if let Expr::Load(place) = e {
            self.slots(place).for_each(|slot| live.insert(slot));
        }
    }

    /// From what is live after an action to what is live before it.
    fn undo(&self, action: &Action, live: &mut Set) {
        match action {
            Action::Assign { place, .. } => self.fill(place, live),
            Action::Receive(receive) => bound(receive).into_iter().for_each(|place| self.fill(place, live)),
            Action::Block(id) => *live = self.before_block(self.local.model.block(*id), live),
            Action::Exit => *live = self.always.clone(),
            _ => {}
        }
        action.walk(&mut |e| self.read_one(e, live));
    }

    fn fill(&self, place: &Place, live: &mut Set) {
        if let Some(slot) = self.exact(place)
            && !self.always.contains(slot)
        {
            live.remove(slot);
        }
    }

    fn before_block(&self, block: &Block, after: &Set) -> Set {
        let mut live = vec![self.always.clone(); block.nodes.len()];
        loop {
            let mut changed = false;
            for (index, node) in block.nodes.iter().enumerate().rev() {
                for step in &node.steps {
                    let mut before = step.next.map_or(after, |next| &live[next as usize]).clone();
                    step.actions.iter().rev().for_each(|action| self.undo(action, &mut before));
                    if let Guard::When(condition) = &step.guard {
                        self.read(condition, &mut before);
                    }
                    changed |= live[index].unite(&before);
                }
            }
            if !changed {
                return live.swap_remove(block.entry as usize);
            }
        }
    }

    /// The actions of the transitions that change, with their resets.
    fn resets(&self, count: &mut usize) -> Vec<(usize, Vec<Action>)> {
        if self.places.is_empty() {
            return Vec::new();
        }
        let model = self.local.model;
        let own = || (0..).zip(&model.transitions).filter(|(_, rule)| rule.process == self.local.process);
        let rules: Vec<Rule<'a>> = own()
            .map(|(index, transition)| Rule {
                index,
                transition,
                simpler: self.without_dead_stores(transition),
            })
            .collect();
        let filled = self.filled(&rules);
        let mut changes = Vec::new();
        for rule in rules {
            let Some(to) = rule.transition.to else { continue };
            let after = self.filled_after(&rule, &filled[rule.transition.from.index()]);
            let dead: Vec<usize> = after.iter().filter(|slot| self.is_dead(*slot, to)).collect();
            *count += dead.len() + usize::from(rule.simpler.is_some());
            if !dead.is_empty() || rule.simpler.is_some() {
                let mut actions = rule.actions().to_vec();
                actions.extend(dead.iter().flat_map(|slot| self.reset(*slot)));
                changes.push((rule.index, actions));
            }
        }
        changes
    }

    fn is_dead(&self, slot: usize, at: StateId) -> bool {
        !self.live[at.index()].contains(slot)
    }

    /// The actions with initial values in place of those that nobody reads; none if nothing changes.
    fn without_dead_stores(&self, transition: &Transition) -> Option<Vec<Action>> {
        let mut live = self.after(transition);
        let mut idle = Vec::new();
        for (index, action) in transition.actions.iter().enumerate().rev() {
            match action {
                Action::Assign { place, value } if self.is_idle(place, value, &live) => idle.push(index),
                _ => self.undo(action, &mut live),
            }
        }
        if idle.is_empty() {
            return None;
        }
        let mut list = transition.actions.clone();
        for index in idle {
            if let Action::Assign { place, value } = &mut list[index]
                && let Some(slot) = self.exact(place)
            {
                *value = Expr::Const(self.rest[slot]);
            }
        }
        Some(list)
    }

    /// Is something else than the initial value stored where nobody reads it, to no other effect?
    fn is_idle(&self, place: &Place, value: &Expr, live: &Set) -> bool {
        let Some(slot) = self.exact(place).filter(|slot| !live.contains(*slot)) else { return false };
        let is_rest = matches!(value, Expr::Const(value) if place.ty.wrap(*value) == self.rest[slot]);
        !is_rest && self.local.cannot_fail(value)
    }

    /// For each control state, the slots that may hold something else than their initial value, given the resets.
    fn filled(&self, rules: &[Rule<'_>]) -> Vec<Set> {
        let process = self.local.model.process(self.local.process);
        let mut filled = vec![Set::with_len(self.places.len()); process.states.len()];
        let first = &mut filled[process.initial.index()];
        self.locals.iter().take(process.param_count).flatten().for_each(|slot| first.insert(*slot));
        process.init.iter().for_each(|action| self.fill_by(action, first));
        for action in &self.local.model.init {
            if let Action::Assign { place, .. } = action
                && place.region == Region::Global
            {
                self.fill_by(action, first);
            }
        }
        self.lost.iter().for_each(|slot| first.remove(*slot));
        let effects: Vec<_> = rules
            .iter()
            .filter_map(|rule| {
                let effect = Effect::of(self.places.len(), |filled| {
                    rule.actions().iter().for_each(|action| self.fill_by(action, filled));
                });
                Some((rule.transition.from.index(), rule.transition.to?, effect))
            })
            .collect();
        loop {
            let mut changed = false;
            for (from, to, effect) in &effects {
                let to = to.index();
                // What is dead there is reset on the way.
                changed |= filled[to].unite_common(&effect.made, &self.live[to]);
                if to != *from {
                    let mut before = filled[*from].clone();
                    before.keep_common(&effect.kept);
                    changed |= filled[to].unite_common(&before, &self.live[to]);
                }
            }
            if !changed {
                return filled;
            }
        }
    }

    fn filled_after(&self, rule: &Rule<'_>, before: &Set) -> Set {
        let mut filled = before.clone();
        rule.actions().iter().for_each(|action| self.fill_by(action, &mut filled));
        filled
    }

    fn fill_by(&self, action: &Action, filled: &mut Set) {
        match action {
            Action::Assign { place, value } => match (self.exact(place), value) {
                (Some(slot), Expr::Const(value)) if place.ty.wrap(*value) == self.rest[slot] => {
                    filled.remove(slot);
                }
                _ => self.slots(place).for_each(|slot| filled.insert(slot)),
            },
            Action::Receive(receive) => {
                bound(receive)
                    .into_iter()
                    .flat_map(|place| self.slots(place))
                    .for_each(|slot| filled.insert(slot));
            }
            Action::Block(id) => {
                let steps = self.local.model.block(*id).nodes.iter().flat_map(|node| &node.steps);
                let mut written = Set::with_len(self.places.len());
                steps.flat_map(|step| &step.actions).for_each(|action| {
                    let mut one = Set::with_len(self.places.len());
                    self.fill_by(action, &mut one);
                    written.unite(&one);
                });
                filled.unite(&written);
            }
            _ => {}
        }
    }

    fn reset(&self, slot: usize) -> Vec<Action> {
        let (region, variable) = self.places[slot];
        let element = |element: u32| Action::Assign {
            place: Place {
                region,
                offset: variable.offset + element * variable.ty.bytes() as u32,
                ty: variable.ty,
                indices: Vec::new(),
                name: variable.name.clone(),
            },
            value: Expr::Const(self.rest[slot]),
        };
        (0..variable.count).map(element).collect()
    }
}
