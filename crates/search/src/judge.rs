//! What an expansion means for the property: the one place where findings are made.
//!
//! A state can be wrong in itself (it breaks an invariant, nothing can move, a process waits in vain), and steps from it can go
//! wrong. A search asks about each when its order of search calls for it.

use crate::Path;
use crate::expansion::{Expansion, FaultyStep};
use crate::findings::Findings;
use crate::labels::Branch;
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use panoptes_exec::{Ending, Fault, FaultKind};
use panoptes_model::StateView;

pub(crate) struct Judge<'a> {
    program: &'a Program<'a>,
    pub findings: Findings,
}

/// A state that was expanded, and where it stands in the search.
pub(crate) struct Position<'p> {
    pub vector: &'p [u8],
    /// How many steps lead there.
    pub depth: usize,
    /// Tells the branches to it.
    pub branches: &'p dyn Fn() -> Vec<Branch>,
    /// Has an earlier expansion shown what lies so many steps behind the state?
    pub has_shown: &'p dyn Fn(usize) -> bool,
}

impl Position<'_> {
    fn trail(&self, steps: Path) -> Trail {
        Trail { branches: (self.branches)(), steps }
    }
}

impl<'a> Judge<'a> {
    pub fn new(program: &'a Program<'a>) -> Judge<'a> {
        Judge { program, findings: Findings::new(program.options.errors_max) }
    }

    /// All that is wrong with a state and its steps.
    pub fn judge(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        self.invariants(at, out)?;
        self.steps(at, out)?;
        self.standstill(at, out)
    }

    /// What is wrong with a state, by levels: steps that go wrong lead to the next level, unless none leads anywhere.
    #[inline]
    pub fn state(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        self.invariants(at, out)?;
        if out.ending != Ending::Moves {
            // Steps that were tried here and cannot be taken tell more than that there is none.
            self.steps(at, out)?;
        }
        self.standstill(at, out)
    }

    /// There is no initial state: a fault keeps it from being computed.
    pub fn no_initial_state(&mut self, fault: &Fault) -> Stop {
        self.findings.fault(fault, 0, Trail::default);
        // There is nothing to go on with, even if all errors are wanted.
        Stop::Error
    }

    /// Invariants that the state breaks.
    #[inline]
    pub fn invariants(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        if out.broken.is_empty() { Ok(()) } else { self.faults_of_state(at, &out.broken) }
    }

    /// Steps that go wrong.
    #[inline]
    pub fn steps(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        out.faults.iter().try_for_each(|faulty| self.step(at, faulty))
    }

    /// One of them.
    #[cold]
    pub fn step(&mut self, at: &Position<'_>, faulty: &FaultyStep) -> Result<(), Stop> {
        self.findings.is_repeat = (at.has_shown)(faulty.steps.len());
        let length = at.depth + faulty.steps.len();
        self.findings.fault(&faulty.fault, length, || at.trail(faulty.path()));
        self.after_finding()
    }

    /// A state in which nothing can move, or some process never again.
    #[inline]
    pub fn standstill(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        if out.ending == Ending::Deadlock {
            self.end(at, &out.successors().end_faults)?;
        }
        if out.successors().stuck.is_empty() { Ok(()) } else { self.stuck(at, out) }
    }

    #[cold]
    fn faults_of_state(&mut self, at: &Position<'_>, faults: &[Fault]) -> Result<(), Stop> {
        self.findings.is_repeat = (at.has_shown)(0);
        for fault in faults {
            self.findings.fault(fault, at.depth, || at.trail(Path::default()));
            self.after_finding()?;
        }
        Ok(())
    }

    /// Nothing can move, and that is wrong.
    #[cold]
    fn end(&mut self, at: &Position<'_>, faults: &[Fault]) -> Result<(), Stop> {
        let checks = self.program.options.checks;
        let is_asked_for = |fault: &&Fault| match fault.kind {
            FaultKind::Unfulfilled => checks.assertions,
            _ => checks.deadlocks,
        };
        for fault in faults.iter().filter(is_asked_for) {
            self.faults_of_state(at, std::slice::from_ref(fault))?;
        }
        if !faults.is_empty() || !checks.deadlocks {
            return Ok(());
        }
        self.findings.is_repeat = (at.has_shown)(0);
        let standing = match StateView::new(self.program.model, at.vector) {
            Ok(view) => view.processes().map(|process| (process.id, process.state_id())).collect(),
            Err(_) => Vec::new(),
        };
        self.findings.deadlock(standing, at.depth, || at.trail(Path::default()));
        self.after_finding()
    }

    /// Processes wait in vain while others can move.
    #[cold]
    fn stuck(&mut self, at: &Position<'_>, out: &Expansion) -> Result<(), Stop> {
        if !self.program.options.checks.deadlocks {
            return Ok(());
        }
        self.findings.is_repeat = (at.has_shown)(0);
        let model = self.program.model;
        for stuck in &out.successors().stuck {
            self.findings.stuck(*stuck, || stuck.fault(model), at.depth, || at.trail(Path::default()));
        }
        self.after_finding()
    }

    /// One is enough unless all are wanted.
    fn after_finding(&self) -> Result<(), Stop> {
        if self.program.options.all_errors { Ok(()) } else { Err(Stop::Error) }
    }
}
