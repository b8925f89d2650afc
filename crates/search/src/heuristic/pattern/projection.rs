//! What a pattern keeps of a state: some processes with their control states, and some variables.
//!
//! What a step writes into a kept variable must be known from what is kept, so a variable is dropped if a step may write anything else
//! there. All channels are dropped. An abstract state is a vector in which only the kept bytes mean something; every vector has
//! one, which `key` spells out.

use crate::heuristic::look::Look;
use panoptes_model::{
    Action, BinaryOp, Expr, FrameLayout, Model, Pattern, Place, ProcId, ProcessKind, Region, Spawn, StateId,
};

pub(super) struct Projection<'m> {
    pub model: &'m Model,
    pub what: Kept,
    /// By process type: the control state that also stands for a process that is gone. (Where none is started.)
    gone: Vec<Option<StateId>>,
}

/// The processes and bytes that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Processes are started while the system runs. Then all of them are kept, and which live is known.
    pub is_growing: bool,
    /// By process number: is it kept? (Where none is started.)
    processes: Vec<bool>,
    bytes: Bytes,
}

impl Kept {
    /// The projection of a model that keeps these.
    pub fn of<'m>(&self, model: &'m Model) -> Projection<'m> {
        let gone = |id: u32| {
            let mut states = (0..).map(StateId).zip(&model.process(ProcId(id)).states);
            let exits = |id: &panoptes_model::TransId| model.transition(*id).to.is_none();
            let ends = |state: &panoptes_model::ControlState| {
                !state.transitions.is_empty() && state.transitions.iter().all(exits)
            };
            states.find(|(_, state)| ends(state)).map(|(id, _)| id)
        };
        let gone = (0..model.processes.len() as u32).map(gone).collect();
        Projection { model, what: self.clone(), gone }
    }
}

impl<'m> Projection<'m> {
    /// Keeps these processes, and of the variables those that are wanted and can be kept.
    pub fn new(model: &'m Model, processes: Vec<bool>, is_growing: bool, wanted: &Bytes) -> Projection<'m> {
        let mut projection = Kept { is_growing, processes, bytes: wanted.clone() }.of(model);
        while projection.drop_unknown() {}
        projection
    }

    /// Are processes started while the system runs?
    pub fn is_growing(&self) -> bool {
        self.what.is_growing
    }

    #[inline]
    pub fn keeps(&self, pid: usize) -> bool {
        self.what.is_growing || self.what.processes.get(pid).is_some_and(|kept| *kept)
    }

    pub fn keeps_all(&self) -> bool {
        self.what.is_growing || self.what.processes.iter().all(|kept| *kept)
    }

    /// The control state at which a process is taken to be that is gone.
    pub fn gone(&self, process: ProcId) -> Option<StateId> {
        self.gone[process.index()].filter(|_| !self.what.is_growing)
    }

    /// The names of the kept variables.
    pub fn variables(&self) -> Vec<&'m str> {
        let kept = |bytes: &[bool], offset: u32| bytes.get(offset as usize).is_some_and(|kept| *kept);
        let globals =
            self.model.variables.iter().filter(|variable| kept(&self.what.bytes.globals, variable.offset));
        let locals = self.model.processes.iter().zip(&self.what.bytes.locals).flat_map(|(process, bytes)| {
            process.variables.iter().filter(move |variable| kept(bytes, variable.offset))
        });
        let mut names: Vec<&str> = Vec::new();
        for name in globals.chain(locals).map(|variable| variable.name.as_str()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Does the place lie within what is kept, as a process of that type sees it?
    pub fn keeps_place(&self, process: Option<ProcId>, place: &Place) -> bool {
        let (first, last) = reach(place);
        let bytes = match (place.region, process) {
            (Region::Global, _) => &self.what.bytes.globals,
            (Region::Local, Some(id)) => &self.what.bytes.locals[id.index()],
            (Region::Local, None) => return false,
        };
        bytes.get(first..last).is_some_and(|bytes| bytes.iter().all(|kept| *kept))
    }

    /// The value of an expression, if what is kept tells it.
    pub fn value(&self, look: Look<'_>, pid: usize, expr: &Expr) -> Option<i32> {
        let value = |e: &Expr| self.value(look, pid, e);
        Some(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => {
                let is_known = place.region == Region::Global || self.keeps(pid);
                let owner = (pid < look.process_count()).then(|| look.process_id(pid));
                if !is_known || !self.keeps_place(owner, place) || !self.indices_known(look, pid, place) {
                    return None;
                }
                look.eval(pid, expr)?
            }
            Expr::Unary(op, operand) => op.apply(value(operand)?),
            Expr::Binary(op, left, right) => match (op, value(left), value(right)) {
                (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => 0,
                (BinaryOp::Or, Some(a), _) | (BinaryOp::Or, _, Some(a)) if a != 0 => 1,
                (_, Some(a), Some(b)) => op.apply(a, b)?,
                _ => return None,
            },
            Expr::Cond(condition, then, otherwise) => match value(condition) {
                Some(0) => value(otherwise)?,
                Some(_) => value(then)?,
                None => {
                    let (then, otherwise) = (value(then)?, value(otherwise)?);
                    return (then == otherwise).then_some(then);
                }
            },
            Expr::SelfPid => pid as i32,
            Expr::ProcessCount if self.what.is_growing => look.process_count() as i32,
            Expr::PidOf(process) => {
                let found = (0..look.process_count()).find(|pid| look.process_id(*pid) == *process);
                match found {
                    Some(found) if self.lives(look, found) => found as i32,
                    None if self.what.is_growing => -1,
                    _ => return None,
                }
            }
            Expr::AtState { pid: other, state, .. } => match self.other(look, pid, other)? {
                Some(other) => {
                    let at = look.state(other);
                    i32::from(look.process(other).states[at.index()].number == *state)
                }
                None => 0,
            },
            Expr::Remote { process, pid: other, place } => match self.other(look, pid, other)? {
                Some(other) if look.process_id(other) == *process => {
                    let own = place.indices.is_empty() && self.keeps_place(Some(*process), place);
                    return own.then(|| look.eval(other, &Expr::Load(place.clone()))).flatten();
                }
                _ => 0,
            },
            _ => return None,
        })
    }

    /// The living process with that number; none if there is none, and nothing if that is not known.
    fn other(&self, look: Look<'_>, pid: usize, number: &Expr) -> Option<Option<usize>> {
        let number = usize::try_from(self.value(look, pid, number)?).ok();
        match number.filter(|number| *number < look.process_count()) {
            Some(other) if self.lives(look, other) => Some(Some(other)),
            Some(_) => None,
            None => self.what.is_growing.then_some(None),
        }
    }

    /// Is it kept, and known not to be gone?
    fn lives(&self, look: Look<'_>, pid: usize) -> bool {
        self.keeps(pid) && self.gone(look.process_id(pid)) != Some(look.state(pid))
    }

    fn indices_known(&self, look: Look<'_>, pid: usize, place: &Place) -> bool {
        place.indices.iter().all(|term| self.value(look, pid, &term.index).is_some())
    }

    /// What is kept of a vector: equal for equal abstract states.
    pub fn key(&self, look: Look<'_>, vector: &[u8], key: &mut Vec<u8>) {
        key.clear();
        let globals = vector.iter().zip(&self.what.bytes.globals).filter(|(_, kept)| **kept);
        key.extend(globals.map(|(byte, _)| *byte));
        let count = look.process_count();
        if self.what.is_growing {
            key.push(count as u8);
        }
        for pid in 0..if self.what.is_growing { count } else { self.what.processes.len() } {
            if !self.keeps(pid) {
                continue;
            }
            if pid >= count {
                let id = self.model.initial[pid].process;
                key_of_gone(id, key);
                continue;
            }
            let (id, frame) = (look.process_id(pid), look.frame(pid));
            if self.gone(id) == Some(look.state(pid)) {
                key_of_gone(id, key);
                continue;
            }
            let layout = self.model.process(id).frame;
            key.extend([1, frame[FrameLayout::TYPE]]);
            key.extend(&frame[layout.state_at()..][..layout.state_bytes()]);
            let locals = frame.iter().zip(&self.what.bytes.locals[id.index()]).filter(|(_, kept)| **kept);
            key.extend(locals.map(|(byte, _)| *byte));
        }
    }

    /// Drops variables into which a step writes what is not known. Was there one?
    fn drop_unknown(&mut self) -> bool {
        let mut dropped: Vec<(Option<ProcId>, Place)> = Vec::new();
        for transition in &self.model.transitions {
            let id = transition.process;
            if self.model.process(id).kind == ProcessKind::Process {
                for action in &transition.actions {
                    self.unknown_writes(id, action, false, &mut dropped);
                }
            }
        }
        for (id, process) in (0..).map(ProcId).zip(&self.model.processes) {
            for action in &process.init {
                self.unknown_writes(id, action, false, &mut dropped);
            }
        }
        let mut changed = false;
        for (owner, place) in dropped {
            let bytes = match (place.region, owner) {
                (Region::Local, Some(id)) => &mut self.what.bytes.locals[id.index()],
                _ => &mut self.what.bytes.globals,
            };
            let (first, last) = reach(&place);
            let last = last.min(bytes.len());
            for kept in &mut bytes[first.min(last)..last] {
                changed |= std::mem::replace(kept, false);
            }
        }
        changed
    }

    fn unknown_writes(
        &self,
        id: ProcId,
        action: &Action,
        in_block: bool,
        dropped: &mut Vec<(Option<ProcId>, Place)>,
    ) {
        match action {
            Action::Assign { place, value } => {
                if let Expr::Spawn(spawn) = value {
                    self.unknown_arguments(id, spawn, dropped);
                }
                // Of an array that is kept in part, it is not known which part is written.
                let is_known = !in_block
                    && self.keeps_place(Some(id), place)
                    && self.is_closed(id, value)
                    && place.indices.iter().all(|term| self.is_closed(id, &term.index));
                if !is_known {
                    dropped.push((Some(id), place.clone()));
                }
            }
            Action::Receive(receive) => {
                for pattern in &receive.patterns {
                    if let Pattern::Bind(place) = pattern {
                        dropped.push((Some(id), place.clone()));
                    }
                }
            }
            Action::Block(block) => {
                let steps = self.model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                for action in steps.flat_map(|step| &step.actions) {
                    self.unknown_writes(id, action, true, dropped);
                }
            }
            Action::Spawn(spawn) => self.unknown_arguments(id, spawn, dropped),
            _ => {}
        }
    }

    /// Parameters that get what is not known.
    fn unknown_arguments(&self, id: ProcId, spawn: &Spawn, dropped: &mut Vec<(Option<ProcId>, Place)>) {
        for (place, value) in params(self.model, spawn.process).into_iter().zip(&spawn.args) {
            if !self.is_closed(id, value) {
                dropped.push((Some(spawn.process), place));
            }
        }
    }

    /// Is the value always known, whoever of that type computes it?
    fn is_closed(&self, id: ProcId, value: &Expr) -> bool {
        let mut initial = self.model.initial.iter().enumerate();
        let is_kept = self.what.is_growing
            || initial.all(|(pid, process)| process.process != id || self.what.processes[pid]);
        let is_known = |e: &Expr| match e {
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) | Expr::SelfPid => true,
            Expr::Load(place) => {
                (place.region == Region::Global || is_kept) && self.keeps_place(Some(id), place)
            }
            Expr::ProcessCount | Expr::Spawn(_) => self.what.is_growing,
            _ => false,
        };
        !value.any(&|e| !is_known(e))
    }
}

/// A process that is gone, or about to go, has no variables any more.
fn key_of_gone(id: ProcId, key: &mut Vec<u8>) {
    key.extend([0, id.0 as u8]);
}

/// The parameters of a process type as places.
pub(super) fn params(model: &Model, id: ProcId) -> Vec<Place> {
    let process = model.process(id);
    let mut places = Vec::new();
    for variable in &process.variables[..process.param_count] {
        for index in 0..variable.count {
            let offset = variable.offset + index * variable.ty.bytes() as u32;
            let name = variable.name.clone();
            places.push(Place { region: Region::Local, offset, ty: variable.ty, indices: Vec::new(), name });
        }
    }
    places
}

/// The bytes that a place can be in: the first, and the first behind.
fn reach(place: &Place) -> (usize, usize) {
    let reach: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
    (place.offset as usize, (place.offset + reach) as usize + place.ty.bytes())
}

/// The bytes of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    globals: Vec<bool>,
    locals: Vec<Vec<bool>>,
}

impl Bytes {
    pub fn none(model: &Model) -> Bytes {
        let frame = |process: &panoptes_model::Process| vec![false; process.frame.bytes as usize];
        Bytes {
            globals: vec![false; model.header.frames as usize],
            locals: model.processes.iter().map(frame).collect(),
        }
    }

    /// All variables.
    pub fn all(model: &Model) -> Bytes {
        let mut bytes = Bytes::none(model);
        let mark = |bytes: &mut [bool], variable: &panoptes_model::Variable| {
            let first = variable.offset as usize;
            let last = first + variable.count as usize * variable.ty.bytes();
            bytes[first..last].iter_mut().for_each(|kept| *kept = true);
        };
        let is_shown = |variable: &&panoptes_model::Variable| variable.offset >= model.header.globals();
        model.variables.iter().filter(is_shown).for_each(|variable| mark(&mut bytes.globals, variable));
        for (process, bytes) in model.processes.iter().zip(&mut bytes.locals) {
            process.variables.iter().for_each(|variable| mark(bytes, variable));
        }
        bytes
    }

    /// What an expression reads.
    pub fn add_reads(&mut self, model: &Model, owner: Option<ProcId>, expr: &Expr) {
        expr.walk(&mut |e| match e {
            Expr::Load(place) => self.add(model, owner, place),
            Expr::Remote { process, place, .. } => self.add(model, Some(*process), place),
            _ => {}
        });
    }

    fn add(&mut self, model: &Model, owner: Option<ProcId>, place: &Place) {
        let (first, last) = reach(place);
        let is_hidden = place.region == Region::Global && place.offset < model.header.globals();
        let bytes = match (place.region, owner) {
            (Region::Global, _) => &mut self.globals,
            (Region::Local, Some(id)) => &mut self.locals[id.index()],
            (Region::Local, None) => return,
        };
        if !is_hidden {
            bytes[first..last].iter_mut().for_each(|kept| *kept = true);
        }
    }
}
