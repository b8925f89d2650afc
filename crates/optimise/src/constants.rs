//! Variables that keep their initial value for ever: their value takes their place, and they leave the vector.

use crate::code::{Code, Rewrite, bound, each_code, rewrite_model};
use crate::facts::Facts;
use panoptes_model::{Action, Expr, Model, Place, ProcId, Region, Variable};
use std::collections::HashSet;

/// Replaces constant variables by their value. How many. Their bytes stay until the vector is laid out anew.
pub(crate) fn fold(model: &mut Model) -> usize {
    let Some(facts) = Facts::of(model) else { return 0 };
    let mut found = Constants::of(model, &facts);
    let count = found.count();
    if count == 0 {
        return 0;
    }
    let is_kept = |action: &Action, owner: Option<ProcId>, found: &Constants<'_>| match action {
        Action::Assign { place, .. } => found.value(owner, place).is_none(),
        _ => true,
    };
    model.init.retain(|action| is_kept(action, None, &found));
    for (id, process) in (0..).map(ProcId).zip(&mut model.processes) {
        process.init.retain(|action| is_kept(action, Some(id), &found));
    }
    rewrite_model(model, &mut found);
    let mut globals = found.globals.iter();
    model.variables.retain(|_| globals.next().is_some_and(Option::is_none));
    for (process, values) in model.processes.iter_mut().zip(&found.locals) {
        let mut values = values.iter();
        process.variables.retain(|_| values.next().is_some_and(Option::is_none));
    }
    count
}

/// The value of each variable that has only one.
struct Constants<'a> {
    facts: &'a Facts,
    globals: Vec<Option<i32>>,
    locals: Vec<Vec<Option<i32>>>,
}

impl<'a> Constants<'a> {
    fn of(model: &Model, facts: &'a Facts) -> Constants<'a> {
        let scalar = |variable: &Variable, is_written: bool| {
            (variable.count == 1 && !variable.is_array && !is_written).then_some(0)
        };
        let globals = model.variables.iter().zip(&facts.is_global_written);
        let locals = model.processes.iter().enumerate().map(|(id, process)| {
            let variables = process.variables.iter().enumerate();
            variables
                .map(|(index, variable)| {
                    let changes = facts.is_written[id][index]
                        || facts.is_remote[id][index]
                        || index < process.param_count;
                    scalar(variable, changes)
                })
                .collect()
        });
        let mut found = Constants {
            facts,
            globals: globals.map(|(variable, is_written)| scalar(variable, *is_written)).collect(),
            locals: locals.collect(),
        };
        found.initialise(None, &model.init);
        for (id, process) in (0..).map(ProcId).zip(&model.processes) {
            found.initialise(Some(id), &process.init);
        }
        each_code(model, &mut |owner, code| found.exclude(model, owner, code));
        found
    }

    fn count(&self) -> usize {
        self.globals.iter().chain(self.locals.iter().flatten()).flatten().count()
    }

    /// Takes the values that `init` gives. A variable that is set twice, or to no plain number, or that is read before,
    /// is no constant.
    fn initialise(&mut self, owner: Option<ProcId>, init: &[Action]) {
        // Of locals and of globals.
        let mut met: HashSet<(bool, usize)> = HashSet::new();
        let is_local = |place: &Place| place.region == Region::Local;
        for action in init {
            action.walk(&mut |e| {
                if let Expr::Load(place) = e {
                    met.extend(self.reached(owner, place).map(|index| (is_local(place), index)));
                }
            });
            let Action::Assign { place, value } = action else { continue };
            for index in self.reached(owner, place) {
                let first = met.insert((is_local(place), index));
                let new = match value {
                    // Initial values of a process must not set what others see.
                    Expr::Const(value) if first && is_local(place) == owner.is_some() => {
                        Some(place.ty.wrap(*value))
                    }
                    _ => None,
                };
                if let Some(slot) = self.slot(owner, place.region, index) {
                    *slot = slot.and(new);
                }
            }
        }
    }

    /// A variable that is met as a part of something, or where a poll names it, stays.
    fn exclude(&mut self, model: &Model, owner: Option<ProcId>, code: Code<'_>) {
        let mut doubtful: Vec<(Option<ProcId>, Place)> = Vec::new();
        if let Code::Action(Action::Assign { place, .. }) = code {
            doubtful.push((owner, place.clone()));
        }
        code.walk(&mut |e| match e {
            Expr::Load(place) => doubtful.push((owner, (**place).clone())),
            Expr::Poll(receive) => {
                for place in bound(receive) {
                    self.drop_all(owner, place);
                }
            }
            Expr::Remote { process, place, .. } => self.drop_all(Some(*process), place),
            _ => {}
        });
        for (owner, place) in doubtful {
            let exact = match (place.region, owner) {
                (Region::Global, _) => self.facts.globals.exact(&place, &model.variables),
                (Region::Local, Some(id)) => {
                    self.facts.locals[id.index()].exact(&place, &model.process(id).variables)
                }
                (Region::Local, None) => None,
            };
            if exact.is_none() {
                self.drop_all(owner, &place);
            }
        }
    }

    fn drop_all(&mut self, owner: Option<ProcId>, place: &Place) {
        for index in self.reached(owner, place) {
            if let Some(slot) = self.slot(owner, place.region, index) {
                *slot = None;
            }
        }
    }

    fn reached(&self, owner: Option<ProcId>, place: &Place) -> impl Iterator<Item = usize> + use<> {
        let found = match (place.region, owner) {
            (Region::Global, _) => Some(self.facts.globals.reached(place)),
            (Region::Local, Some(id)) => Some(self.facts.locals[id.index()].reached(place)),
            (Region::Local, None) => None,
        };
        found.into_iter().flatten()
    }

    fn slot(&mut self, owner: Option<ProcId>, region: Region, index: usize) -> Option<&mut Option<i32>> {
        match (region, owner) {
            (Region::Global, _) => self.globals.get_mut(index),
            (Region::Local, Some(id)) => self.locals[id.index()].get_mut(index),
            (Region::Local, None) => None,
        }
    }

    fn value(&self, owner: Option<ProcId>, place: &Place) -> Option<i32> {
        let index = self.reached(owner, place).next()?;
        match (place.region, owner) {
            (Region::Global, _) => self.globals[index],
            (Region::Local, Some(id)) => self.locals[id.index()][index],
            (Region::Local, None) => None,
        }
    }
}

impl Rewrite for Constants<'_> {
    fn expr(&mut self, owner: Option<ProcId>, expr: &mut Expr) {
        if let Expr::Load(place) = expr
            && let Some(value) = self.value(owner, place)
        {
            *expr = Expr::Const(value);
        }
    }
}
