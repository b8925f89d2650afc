//! What the passes know of a model: which process types run once at most, who touches which variable, who looks on.

use crate::code::{Code, block_of, each_code, written};
use crate::space::Space;
use crate::youngest::{self, follows, spawned};
use panoptes_model::{Action, Expr, Model, Place, ProcId, ProcessKind, Region, TransId};

pub(crate) struct Facts {
    /// The global variables, and those of each process type.
    pub globals: Space,
    pub locals: Vec<Space>,
    /// For each process type: no two instances ever exist, one after the other included.
    pub is_single: Vec<bool>,
    /// For each process type: some expression asks where an instance of it stands.
    pub is_located: Vec<bool>,
    /// For each process type and variable: some expression reads it from outside.
    pub is_remote: Vec<Vec<bool>>,
    /// For each global variable: the only process that ever reads or writes it, if there is one such.
    pub keepers: Vec<Option<ProcId>>,
    /// The same for each process type and variable, and for globals: is it written after it was initialised?
    pub is_written: Vec<Vec<bool>>,
    pub is_global_written: Vec<bool>,
    /// For each process type: an instance can exit at any time, and nobody can tell whether it did.
    pub exits_freely: Vec<bool>,
    /// Some expression looks at what other processes can do or did: the effect of a step is never local.
    pub has_onlookers: bool,
}

/// Who touches a global variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    Never,
    By(ProcId),
    BySeveral,
}

impl Facts {
    /// None for a model that shares code between process types, or variables between bytes: no front end makes one,
    /// and the passes do not understand it.
    pub fn of(model: &Model) -> Option<Facts> {
        let globals = Space::new(&model.variables);
        let locals: Vec<Space> =
            model.processes.iter().map(|process| Space::new(&process.variables)).collect();
        let runs_unowned = blocks_are_shared(model);
        if !globals.is_regular || locals.iter().any(|space| !space.is_regular) || runs_unowned {
            return None;
        }
        let mut facts = Facts {
            is_single: singles(model),
            is_located: vec![false; model.processes.len()],
            is_remote: locals_table(model),
            keepers: Vec::new(),
            is_written: locals_table(model),
            is_global_written: vec![false; model.variables.len()],
            has_onlookers: model.uses_priorities,
            exits_freely: Vec::new(),
            globals,
            locals,
        };
        facts.look(model);
        facts.exits_freely = youngest::exits_freely(model, &facts);
        Some(facts)
    }

    fn look(&mut self, model: &Model) {
        let mut touched = vec![Touched::Never; model.variables.len()];
        let mut visit = |owner: Option<ProcId>, code: Code<'_>| {
            // Claims and monitors look on; whatever has no owner and is no initial value does too.
            let toucher = owner.filter(|id| model.process(*id).kind == ProcessKind::Process);
            let mut touch = |place: &Place| {
                if place.region == Region::Global {
                    for index in self.globals.reached(place) {
                        touched[index] = match (touched[index], toucher) {
                            (Touched::Never, Some(id)) => Touched::By(id),
                            (Touched::By(known), Some(id)) if known == id => Touched::By(id),
                            _ => Touched::BySeveral,
                        };
                    }
                }
            };
            if let Code::Action(action) = code {
                written(action).into_iter().for_each(&mut touch);
            }
            code.walk(&mut |e| match e {
                Expr::Load(place) => touch(place),
                Expr::Remote { process, place, .. } => {
                    self.is_located[process.index()] = true;
                    for index in self.locals[process.index()].reached(place) {
                        self.is_remote[process.index()][index] = true;
                    }
                }
                Expr::AtState { process, .. } => self.is_located[process.index()] = true,
                Expr::LastPid
                | Expr::NonProgress
                | Expr::Enabled(_)
                | Expr::ControlPoint(_)
                | Expr::Priority(_) => self.has_onlookers = true,
                _ => {}
            });
        };
        each_code(model, &mut |owner, code| match (owner, code) {
            // Global initial values are computed before anybody moves.
            (None, Code::Action(_)) => {}
            (owner, code) => visit(owner, code),
        });
        self.keepers = touched
            .iter()
            .zip(&model.variables)
            .map(|(touched, variable)| match touched {
                Touched::By(id) if self.is_single[id.index()] => {
                    (variable.offset >= model.header.hidden_bytes).then_some(*id)
                }
                _ => None,
            })
            .collect();
        self.note_writes(model);
    }

    fn note_writes(&mut self, model: &Model) {
        let owners = crate::code::block_owners(model);
        let in_blocks = model.blocks.iter().zip(owners).flat_map(|(block, owner)| {
            let steps = block.nodes.iter().flat_map(|node| &node.steps);
            steps.flat_map(|step| &step.actions).map(move |action| (owner, action))
        });
        let in_rules = model.transitions.iter().flat_map(|transition| {
            transition.actions.iter().map(|action| (Some(transition.process), action))
        });
        for (owner, action) in in_rules.chain(in_blocks) {
            for place in written(action) {
                match (place.region, owner) {
                    (Region::Global, _) => {
                        self.globals.reached(place).for_each(|index| self.is_global_written[index] = true);
                    }
                    (Region::Local, Some(id)) => {
                        let reached = self.locals[id.index()].reached(place);
                        reached.for_each(|index| self.is_written[id.index()][index] = true);
                    }
                    (Region::Local, None) => {}
                }
            }
        }
    }

    /// Can only process type `id` tell the value of this place, and only it change it?
    pub fn is_private(&self, id: ProcId, place: &Place) -> bool {
        match place.region {
            Region::Local => true,
            Region::Global => {
                let mut reached = self.globals.reached(place).peekable();
                reached.peek().is_some() && reached.all(|index| self.keepers[index] == Some(id))
            }
        }
    }
}

fn locals_table(model: &Model) -> Vec<Vec<bool>> {
    model.processes.iter().map(|process| vec![false; process.variables.len()]).collect()
}

fn blocks_are_shared(model: &Model) -> bool {
    let owners = crate::code::block_owners(model);
    let run = |action: &Action| block_of(action).is_some_and(|id| owners[id.index()].is_none());
    let steps = model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps);
    model.transitions.iter().any(|transition| transition.actions.iter().any(run))
        || steps.flat_map(|step| &step.actions).any(run)
}

/// The process types of which there is one instance at most in any execution: one initial instance, or one spawn that
/// can be executed once.
fn singles(model: &Model) -> Vec<bool> {
    let mut starts = vec![0usize; model.processes.len()];
    for initial in &model.initial {
        starts[initial.process.index()] += 1;
    }
    let mut sites: Vec<(ProcId, Option<TransId>)> = Vec::new();
    for (id, transition) in (0..).map(TransId).zip(&model.transitions) {
        transition.actions.iter().flat_map(spawned).for_each(|process| sites.push((process, Some(id))));
    }
    for step in model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps) {
        step.actions.iter().flat_map(spawned).for_each(|process| sites.push((process, None)));
    }
    sites.iter().for_each(|(process, _)| starts[process.index()] += 1);
    let mut is_single: Vec<bool> = starts.iter().map(|count| *count <= 1).collect();
    // A spawn happens once only in a process that is there once, outside loops. Types may start each other in turn, so
    // this is repeated until nothing changes.
    loop {
        let mut changed = false;
        for (process, site) in &sites {
            let once = site.is_some_and(|id| {
                let owner = model.transition(id).process;
                is_single[owner.index()] && owner != *process && !follows(model, id, id)
            });
            if !once && std::mem::replace(&mut is_single[process.index()], false) {
                changed = true;
            }
        }
        if !changed {
            return is_single;
        }
    }
}
