//! When processes that are alike change places, and the way back from what was then found.

use crate::names::{Named, read_by_name};
use crate::{CheckSettings, Strategy};
use panoptes_exec::{Executor, FaultKind, Patience};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Model, StateView};
use panoptes_search::{Finding, FindingKind, Limit, Outcome, Path};
use panoptes_symmetry::{Lifted, Switch, Symmetry, WhyNot, lift};
use std::time::Instant;

/// Whether states that differ only in the order of processes that are alike are taken for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymmetryChoice {
    /// Where the model and the search allow it.
    #[default]
    Auto,
    Off,
}

impl Named for SymmetryChoice {
    const WHAT: &'static str = "choice about symmetry";
    const ALL: &'static [SymmetryChoice] = &[SymmetryChoice::Auto, SymmetryChoice::Off];

    fn name(&self) -> &'static str {
        match self {
            SymmetryChoice::Auto => "auto",
            SymmetryChoice::Off => "off",
        }
    }
}

read_by_name!(SymmetryChoice);

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SymmetryUse {
    /// It was not asked for.
    #[default]
    NotWanted,
    /// No two processes are of one type.
    NoTwins,
    /// There are, but the search or the model does not allow it.
    NotPossible(String),
    /// It was possible, but no state was ever out of order.
    Idle(Option<String>),
    /// The process types whose processes changed places, and how many states were replaced by others.
    Used { processes: Vec<String>, moved: u64 },
}

/// The symmetry of a model that is searched, for all workers of the search.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub symmetry: Symmetry,
    pub switch: Switch,
}

impl Exchange {
    /// What can be done for a search of that model; or why nothing.
    pub fn plan(model: &Model, settings: &CheckSettings, is_alone: bool) -> Result<Exchange, SymmetryUse> {
        if settings.semantics.symmetry == SymmetryChoice::Off {
            return Err(SymmetryUse::NotWanted);
        }
        let (strategy, _) = settings.chosen();
        let because = if !is_alone {
            Some("several processes search")
        } else if settings.all_errors {
            Some("all errors are listed, those of each process")
        } else if !settings.foldings.is_empty() {
            Some("parts of the state are folded")
        } else if strategy.is_partial() || matches!(strategy, Strategy::Swarm(_)) {
            Some("the search is made to look at a part")
        } else {
            None
        };
        let found = Symmetry::of(model, !settings.may_shorten());
        match (found, because) {
            (Err(WhyNot::NoTwins), _) => Err(SymmetryUse::NoTwins),
            (_, Some(because)) => Err(SymmetryUse::NotPossible(because.to_string())),
            (Err(WhyNot::Because(why)), None) => Err(SymmetryUse::NotPossible(why)),
            (Ok(symmetry), None) => Ok(Exchange { symmetry, switch: Switch::default() }),
        }
    }

    /// What came of it.
    pub fn result(&self) -> SymmetryUse {
        match self.switch.moved() {
            0 => SymmetryUse::Idle(self.symmetry.note().map(str::to_string)),
            moved => SymmetryUse::Used { processes: self.symmetry.names().to_vec(), moved },
        }
    }

    /// Turns what was found into executions of the model that was searched. False if that cannot be done.
    pub fn lift(&self, model: &Model, lossy: bool, until: Option<Instant>, outcome: &mut Outcome) -> bool {
        if !self.switch.is_on() {
            return true;
        }
        let mut executor = Interpreter::new(model, InterpreterOptions { lossy });
        executor.set_patience(&Patience { deadline: until, ..Patience::default() });
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        for error in outcome.errors.iter_mut().filter(|error| error.path.len() == error.length) {
            let ends_at_rest = error.kind == FindingKind::Deadlock;
            let lifted =
                lift(model, &self.symmetry, &mut executor, &mut error.path.iter(), ends_at_rest, &is_late);
            match lifted {
                Some(lifted) => {
                    if !tell(model, &mut executor, error, lifted) {
                        return false;
                    }
                }
                None if is_late() => {
                    error.path = Path::default();
                    error.lost_to = Some(Limit::Time);
                }
                None => return false,
            }
        }
        true
    }
}

/// Makes the finding one of the execution.
fn tell(model: &Model, executor: &mut dyn Executor, error: &mut Finding, lifted: Lifted) -> bool {
    if let Some(fault) = &mut error.fault {
        let mut of_state = Vec::new();
        if matches!(fault.kind, FaultKind::Invariant | FaultKind::Reached) {
            executor.broken_invariants(&lifted.state, &mut of_state);
        } else {
            let last = lifted.last.as_ref();
            of_state.extend(last.and_then(|item| lifted.successors.fault(item)).cloned());
        }
        let is_same = |other: &&panoptes_exec::Fault| other.kind == fault.kind && other.span == fault.span;
        match of_state.iter().find(is_same) {
            Some(same) => *fault = same.clone(),
            None => return false,
        }
    }
    if !error.standing.is_empty() {
        let Ok(view) = StateView::new(model, &lifted.state) else { return false };
        let standing = view.processes().map(|process| {
            let id = model.processes.iter().position(|known| std::ptr::eq(known, process.process));
            (panoptes_model::ProcId(id.unwrap_or_default() as u32), process.state_id())
        });
        error.standing = standing.collect();
    }
    error.path = lifted.steps.into_iter().collect();
    error.length = error.path.len();
    true
}
