//! What a claim asks of states: native code must answer as the reference executor does, for the guards of the model taken as
//! conditions, what formulas of the model speak of, and labels.

use panoptes_exec::{Condition, Executor};
use panoptes_interp::Interpreter;
use panoptes_jit::Jit;
use panoptes_model::{Expr, Formula, Guard, Model, Region};
use panoptes_source::Span;
use std::sync::atomic::{AtomicU64, Ordering};

/// Conditions that are asked for together.
const TOGETHER: usize = 3;
/// Calls before a set of conditions is native, and some more.
const CALLS: usize = 300;
/// More conditions of one model are not compared.
const CONDITIONS_MAX: usize = 8;

/// How many answers were native.
pub static ANSWERED: AtomicU64 = AtomicU64::new(0);

pub struct Comparison {
    count: usize,
}

impl Comparison {
    /// Tells both executors what will be asked, often enough that the second compiles it.
    pub fn new(model: &Model, interpreter: &mut Interpreter<'_>, jit: &mut Jit<'_>) -> Comparison {
        let list = conditions(model);
        interpreter.set_conditions(&list);
        jit.set_conditions(&list);
        let comparison = Comparison { count: list.len() };
        if let Ok(initial) = jit.initial() {
            for mask in comparison.masks() {
                (0..CALLS).for_each(|_| drop(jit.conditions(&initial, mask)));
            }
        }
        comparison
    }

    pub fn compare(&self, interpreter: &mut Interpreter<'_>, jit: &mut Jit<'_>, state: &[u8], name: &str) {
        let before = jit.statistics().native_conditions;
        for mask in self.masks() {
            let (expected, found) = (interpreter.conditions(state, mask), jit.conditions(state, mask));
            assert_eq!(expected, found, "{name}: conditions {mask:b} in {state:?}");
        }
        ANSWERED.fetch_add(jit.statistics().native_conditions - before, Ordering::Relaxed);
    }

    fn masks(&self) -> impl Iterator<Item = u64> {
        let count = self.count;
        (0..count).step_by(TOGETHER).map(move |first| {
            let last = (first + TOGETHER).min(count);
            (first..last).fold(0, |mask, bit| mask | 1 << bit)
        })
    }
}

fn conditions(model: &Model) -> Vec<Condition> {
    let mut found = vec![Expr::NonProgress];
    let mut formulas: Vec<&Formula> = model.temporal.iter().map(|property| &property.formula).collect();
    while let Some(formula) = formulas.pop() {
        if let Formula::Atom(condition) = formula {
            found.push(condition.clone());
        }
        formulas.extend(formula.operands());
    }
    for transition in &model.transitions {
        if let Guard::When(condition) = &transition.guard
            && !condition.any(&is_of_process)
        {
            found.push(condition.clone());
        }
    }
    found.truncate(CONDITIONS_MAX);
    let holds = found.into_iter().map(|condition| Condition::Holds(condition, Span::default()));
    std::iter::once(Condition::Accepting).chain(holds).collect()
}

/// Only a process can say what this is.
fn is_of_process(expr: &Expr) -> bool {
    match expr {
        Expr::Load(place) => place.region == Region::Local,
        Expr::SelfPid | Expr::OwnChannel(_) => true,
        _ => false,
    }
}
