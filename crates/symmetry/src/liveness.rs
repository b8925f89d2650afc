//! Where a local variable is dead: whatever it holds there, nobody reads it before it is written.
//!
//! Dead variables are set back to constants before the search, which would look like a use of that constant.

use panoptes_model::{Action, Expr, Guard, Model, Pattern, Place, Process, Receive, Region, Transition};

/// For each control state of a process type, the bytes of its frame that are live.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    live: Vec<Vec<bool>>,
}

impl Liveness {
    pub fn of(model: &Model, process: &Process, remote: &[Place]) -> Liveness {
        let bytes = process.frame.bytes as usize;
        let mut always = vec![false; bytes];
        remote.iter().for_each(|place| each_cell(place, &mut |at| always[at] = true));
        if let Some(provided) = &process.provided {
            read(provided, &mut always);
        }
        let mut live = vec![always.clone(); process.states.len()];
        loop {
            let mut changed = false;
            for state in (0..process.states.len()).rev() {
                let mut now = live[state].clone();
                for id in &process.states[state].transitions {
                    let rule = model.transition(*id);
                    let mut before = rule.to.map_or_else(|| always.clone(), |to| live[to.index()].clone());
                    back_over(model, rule, &always, &mut before);
                    now.iter_mut().zip(&before).for_each(|(now, before)| *now |= before);
                }
                changed |= now != live[state];
                live[state] = now;
            }
            if !changed {
                return Liveness { live };
            }
        }
    }

    pub fn is_live(&self, state: usize, offset: u32) -> bool {
        self.live[state][offset as usize]
    }
}

fn back_over(model: &Model, rule: &Transition, always: &[bool], live: &mut [bool]) {
    for action in rule.actions.iter().rev() {
        let mut write = |place: &Place| {
            if let Some(at) = fixed_cell(place) {
                live[at as usize] = always[at as usize];
            }
        };
        match action {
            Action::Assign { place, .. } => write(place),
            Action::Receive(Receive { patterns, .. }) => patterns.iter().for_each(|pattern| {
                if let Pattern::Bind(place) = pattern {
                    write(place);
                }
            }),
            _ => {}
        }
        read_action(model, action, live);
    }
    if let Guard::When(e) = &rule.guard {
        read(e, live);
    }
}

/// Do the actions read the local cell?
pub(crate) fn is_read(model: &Model, actions: &[Action], at: u32) -> bool {
    fn frame_bytes(model: &Model) -> usize {
        model.processes.iter().map(|process| process.frame.bytes as usize).max().unwrap_or(0)
    }
    if actions.is_empty() {
        return false;
    }
    let mut live = vec![false; frame_bytes(model)];
    actions.iter().for_each(|action| read_action(model, action, &mut live));
    live[at as usize]
}

fn read_action(model: &Model, action: &Action, live: &mut [bool]) {
    action.walk(&mut |e| note(e, live));
    if let Action::Block(id) = action {
        for step in model.block(*id).nodes.iter().flat_map(|node| &node.steps) {
            if let Guard::When(e) = &step.guard {
                read(e, live);
            }
            step.actions.iter().for_each(|action| read_action(model, action, live));
        }
    }
}

fn read(e: &Expr, live: &mut [bool]) {
    e.walk(&mut |e| note(e, live));
}

fn note(e: &Expr, live: &mut [bool]) {
    if let Expr::Load(place) = e
        && place.region == Region::Local
    {
        each_cell(place, &mut |at| live[at] = true);
    }
}

/// The one local cell that a place is, whatever the state.
pub(crate) fn fixed_cell(place: &Place) -> Option<u32> {
    let mut at = place.offset;
    for term in &place.indices {
        let Expr::Const(index) = term.index else { return None };
        let index = u32::try_from(index).ok().filter(|index| *index < term.len)?;
        at += index * term.stride;
    }
    (place.region == Region::Local).then_some(at)
}

/// The first bytes of all cells that a place can be.
pub(crate) fn each_cell(place: &Place, visit: &mut dyn FnMut(usize)) {
    fn go(place: &Place, term: usize, at: u32, visit: &mut dyn FnMut(usize)) {
        match place.indices.get(term) {
            None => visit(at as usize),
            Some(index) => {
                for value in 0..index.len {
                    go(place, term + 1, at + value * index.stride, visit);
                }
            }
        }
    }
    go(place, 0, place.offset, visit);
}
