//! The product of the system and a claim. A vector of the product is one of the system, followed by the number of the claim's
//! state; the claim moves in states only, never within an indivisible sequence.

use super::Fairness;
use super::claim::{Claim, Target};
use super::marks::Marks;
use crate::expander::Origin;
use crate::expansion::{Expansion, Task};
use crate::judge::{Judge, Position};
use crate::labels::Branch;
use crate::por::{Choice, Steady};
use crate::program::Program;
use crate::stop::Stop;
use crate::trail::Trail;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Limit, Outcome, Path, Reduction};
use panoptes_exec::{Ending, Fault, FaultKind, Step};
use panoptes_store::StateStore;

/// The claim's state takes so much of a vector.
pub(crate) const CLAIM_BYTES: usize = 2;

pub(crate) struct Product<'a, const W: usize> {
    program: &'a Program<'a>,
    pub claim: &'a Claim,
    fairness: Fairness,
    /// The marks of a cycle that is wanted: all acceptance sets and, for weak fairness, all processes. (What strong fairness asks
    /// for depends on the cycle.)
    pub required: Marks<W>,
    /// What the system reaches from the state that was expanded last.
    pub expansion: Expansion,
    pub moves: Vec<Move<W>>,
    /// The claim cannot hold any more, whatever comes behind the state.
    pub violation: Option<Fault>,
    /// The watched conditions that did not hold so far.
    pub unseen: u64,
    /// To find out who moves within a chain.
    scratch: Expansion,
    /// Leaves out what the claim need not see. It looks at the state of the system alone.
    steady: Option<Steady<'a>>,
    reduction: Reduction,
}

/// A step of the product.
#[derive(Clone, Copy)]
pub(crate) struct Move<const W: usize> {
    /// Which of those that the system reaches; none if it has come to its end and stays there.
    pub reached: Option<u32>,
    pub claim_state: u16,
    pub marks: Marks<W>,
}

impl<'a, const W: usize> Product<'a, W> {
    pub fn new(program: &'a Program<'a>, claim: &'a Claim, fairness: Fairness) -> Product<'a, W> {
        let sets = if claim.set_count >= 64 { u64::MAX } else { (1 << claim.set_count) - 1 };
        let mut required = Marks::of_claim(sets);
        if fairness == Fairness::Weak {
            required.0[1..].fill(u64::MAX);
        }
        let Program { model, options, .. } = *program;
        debug_assert!(options.claim_reduction != Reduction::Por || fairness == Fairness::None);
        let (steady, reduction) = match options.claim_reduction {
            Reduction::Por => match Steady::new(model, options.lossy, &claim.conditions) {
                Ok(steady) => (Some(steady), Reduction::Por),
                Err(why_not) => (None, Reduction::NotPossible(why_not)),
            },
            other => (None, other),
        };
        Product {
            program,
            claim,
            fairness,
            required,
            expansion: Expansion::default(),
            moves: Vec::new(),
            violation: None,
            unseen: claim.watched,
            scratch: Expansion::default(),
            steady,
            reduction,
        }
    }

    /// Makes a vector of the system one of the product, with the claim at its beginning.
    pub fn begin(vector: &mut Vec<u8>) {
        vector.extend_from_slice(&[0; CLAIM_BYTES]);
    }

    /// Computes the steps from a state of the product, as far as the depth bound allows; the expansion tells whether it cut some.
    pub fn expand<S: StateStore>(
        &mut self,
        worker: &mut Worker<'_>,
        visited: &mut Visited<S>,
        vector: &[u8],
        depth: u32,
    ) -> Result<(), Stop> {
        let (system, claim_state) = split(vector);
        let from = Origin { vector: system, control: None };
        worker.expander.start(from, &mut self.expansion);
        let choice = match &mut self.steady {
            Some(steady) => steady.choose(system, self.expansion.successors()),
            None => Choice::All,
        };
        let steps_max = self.program.steps_left(depth);
        let task = Task { steps_max, choice, ..Task::default() };
        worker.go_on(from, task, visited, &mut self.expansion)?;
        self.moves.clear();
        self.violation = None;
        let state = &self.claim.states[usize::from(claim_state)];
        let held = match state.wanted() | self.unseen {
            0 => 0,
            wanted => match worker.expander.executor().conditions(system, wanted) {
                Ok(held) => {
                    self.unseen &= !held;
                    held
                }
                Err(fault) => {
                    let message = format!("a condition has no value: {}", fault.message);
                    self.violation =
                        Some(Fault { kind: FaultKind::ClaimViolated, message, span: fault.span });
                    return Ok(());
                }
            },
        };
        let has_ended = matches!(self.expansion.ending, Ending::Valid | Ending::Deadlock);
        let stays = has_ended && self.claim.stutters;
        let mut fair = Marks::EMPTY;
        if self.fairness == Fairness::Weak {
            fair = self.blocked();
        }
        for edge in state.edges.iter().filter(|edge| edge.is_open(held)) {
            let to = match &edge.to {
                Target::State(to) => *to,
                Target::Violation(fault) => {
                    self.violation = Some(fault.clone());
                    return Ok(());
                }
            };
            let mut marks = Marks::of_claim(edge.sets);
            marks.add(&fair);
            if stays {
                self.moves.push(Move { reached: None, claim_state: to, marks });
            }
            for (index, reached) in (0..).zip(&self.expansion.reached) {
                if reached.steps as usize > steps_max {
                    self.expansion.is_cut = true;
                    continue;
                }
                self.moves.push(Move { reached: Some(index), claim_state: to, marks });
            }
        }
        if self.fairness != Fairness::None {
            self.add_movers(worker, system);
        }
        Ok(())
    }

    /// Adds to the outcome of a search what is known here.
    pub fn add_to(&self, outcome: Outcome) -> Outcome {
        let outcome = without_endless_chains(outcome);
        Outcome { unseen: self.unseen, reduction: self.reduction, ..outcome }
    }

    /// What the reduction takes.
    pub fn heap_bytes(&self) -> usize {
        self.steady.as_ref().map_or(0, Steady::heap_bytes)
    }

    /// Counts the expansion of a state, and notes what is wrong with it and its steps. `branches` tells the way there.
    pub fn judge(
        &mut self,
        judge: &mut Judge<'_>,
        worker: &mut Worker<'_>,
        vector: &[u8],
        depth: u32,
        branches: &dyn Fn() -> Vec<Branch>,
    ) -> Result<(), Stop> {
        let depth = depth as usize;
        worker.tally.note_expanded(&self.expansion);
        worker.tally.note_depth(depth + self.expansion.chain_steps_max);
        judge.steps(&Position { vector, depth, branches, has_shown: &|_| false }, &self.expansion)?;
        let Some(fault) = self.violation.take() else { return Ok(()) };
        judge.findings.fault(&fault, depth, || Trail { branches: branches(), steps: Path::default() });
        Err(Stop::Error)
    }

    /// How many steps of the system a step is, and which branch; none if it stays where it is.
    #[inline]
    pub fn taken(&self, taken: &Move<W>) -> (u32, Option<Branch>) {
        match taken.reached {
            None => (0, None),
            Some(index) => {
                let reached = &self.expansion.reached[index as usize];
                (reached.steps, Some(reached.branch))
            }
        }
    }

    /// Appends the vector that a step leads to.
    #[inline]
    pub fn target(&self, taken: &Move<W>, from: &[u8], out: &mut Vec<u8>) {
        match taken.reached {
            Some(index) => {
                out.extend_from_slice(self.expansion.vector(&self.expansion.reached[index as usize]));
            }
            None => out.extend_from_slice(split(from).0),
        }
        out.extend_from_slice(&taken.claim_state.to_le_bytes());
    }

    /// The processes that cannot move in the state, and those that do not exist.
    fn blocked(&self) -> Marks<W> {
        let mut blocked = self.required;
        blocked.0[0] = 0;
        blocked.remove(&self.enabled());
        blocked
    }

    /// The processes that can move in the state that was expanded last.
    pub fn enabled(&self) -> Marks<W> {
        let mut enabled = Marks::EMPTY;
        let items = &self.expansion.successors().items[..self.expansion.first_count];
        for item in items.iter().filter(|item| item.has_state()) {
            let Step { pid, partner, .. } = item.step();
            enabled.add_process(pid);
            partner.iter().for_each(|(pid, _)| enabled.add_process(*pid));
        }
        enabled
    }

    /// Adds to each step the processes that move in it.
    fn add_movers(&mut self, worker: &mut Worker<'_>, system: &[u8]) {
        for index in 0..self.expansion.reached.len() {
            let reached = self.expansion.reached[index];
            let mut movers = Marks::EMPTY;
            let mut add = |step: Step| {
                movers.add_process(step.pid);
                step.partner.iter().for_each(|(pid, _)| movers.add_process(*pid));
            };
            if reached.steps == 1 {
                add(self.expansion.first_step(&reached));
            } else {
                let executor = worker.expander.executor();
                self.scratch.start(executor, system, None);
                let path = self.scratch.path_to(reached.branch, self.program, executor, Task::default());
                path.into_iter().flat_map(|(steps, _)| steps).for_each(add);
            }
            let of_this = |taken: &&mut Move<W>| taken.reached == Some(index as u32);
            self.moves.iter_mut().filter(of_this).for_each(|taken| taken.marks.add(&movers));
        }
    }
}

/// An execution that stays inside an indivisible sequence for ever never comes to a state again, and the claim moves in states only.
/// So what such an execution does is not known: a search that met one and found nothing wrong has not looked at everything.
pub(super) fn without_endless_chains(mut outcome: Outcome) -> Outcome {
    if outcome.statistics.endless_chains > 0 {
        outcome.complete = false;
        outcome.limits.push(Limit::EndlessAtomic);
    }
    outcome
}

/// The system's part of a vector, and the claim's state.
#[inline]
pub(crate) fn split(vector: &[u8]) -> (&[u8], u16) {
    let (system, claim) = vector.split_at(vector.len() - CLAIM_BYTES);
    (system, u16::from_le_bytes([claim[0], claim[1]]))
}
