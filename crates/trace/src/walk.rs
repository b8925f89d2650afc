//! Walking step by step, for simulations: look at the choices, take one, look again, go back.

use crate::replay::{deadlock, describe, replay};
use crate::waiting::explain;
use crate::{
    Expectation, Origin, Partner, ReplayError, Snapshot, Subject, TellError, Trace, TraceError, TraceSink,
    TraceStep, tell,
};
use panoptes_exec::{Ending, Fault, Step};
use panoptes_model::StateView;

/// A walk through the states of a model, from its initial state.
pub struct Walk<'a> {
    subject: Subject<'a>,
    place: Position,
    path: Vec<Step>,
}

/// Where a walk stands; it can go back there.
#[derive(Clone, Debug)]
pub struct Position {
    state: Vec<u8>,
    control: Option<u8>,
    /// The fault that cut the last step short: nothing comes after it.
    cut_by: Option<Fault>,
    /// The fault of the last step.
    fault: Option<TraceError>,
    length: usize,
}

impl Position {
    /// What tells it from other places, whatever way led there.
    pub fn configuration(&self) -> (Vec<u8>, Option<u8>) {
        (self.state.clone(), self.control)
    }
}

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub step: Step,
    /// What goes wrong then.
    pub fault: Option<Fault>,
    pub process: String,
    pub text: String,
    /// `file:line:column`.
    pub location: String,
    pub partner: Option<Partner>,
}

/// All steps that can be taken; without any, what that means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choices {
    Steps(Vec<Choice>),
    /// Nothing can move and every process is where it may end.
    End,
    /// Nothing can move, and that is wrong.
    Deadlock(TraceError),
    /// A fault cut the last step short.
    Fault,
}

impl<'a> Walk<'a> {
    /// Stands at the initial state, if there is one.
    pub fn start(subject: Subject<'a>) -> Result<Walk<'a>, Fault> {
        let state = subject.executor.initial()?;
        Ok(Walk {
            subject,
            place: Position { state, control: None, cut_by: None, fault: None, length: 0 },
            path: Vec::new(),
        })
    }

    pub fn length(&self) -> usize {
        self.path.len()
    }

    pub fn place(&self) -> Position {
        self.place.clone()
    }

    /// Goes back to a place of this walk.
    pub fn return_to(&mut self, place: Position) {
        assert!(place.length <= self.path.len(), "a place that the walk has been to");
        self.path.truncate(place.length);
        self.place = place;
    }

    pub fn choices(&mut self) -> Result<Choices, ReplayError> {
        if self.place.cut_by.is_some() {
            return Ok(Choices::Fault);
        }
        let number = self.path.len() + 1;
        let (_, successors) = self.subject.settle(&self.place.state, self.place.control)?;
        if !successors.items.is_empty() {
            // Where nothing can move, something may still go wrong.
            let steps =
                successors.items.iter().map(|item| self.choice(number, item.step(), successors.fault(item)));
            return Ok(Choices::Steps(steps.collect::<Result<_, _>>()?));
        }
        match successors.ending {
            Ending::Valid => Ok(Choices::End),
            Ending::Moves => Ok(Choices::Steps(Vec::new())),
            Ending::Deadlock | Ending::LetGo => {
                let first = successors.end_faults.first();
                Ok(Choices::Deadlock(
                    first.map_or_else(deadlock, |fault| describe(self.subject.sources, fault)),
                ))
            }
        }
    }

    /// Takes one of the [`Self::choices`].
    pub fn take(&mut self, choice: &Choice) -> Result<TraceStep, ReplayError> {
        let expected = choice.fault.as_ref().map_or(Expectation::Nothing, Expectation::from);
        self.take_step(choice.step, &expected)
    }

    /// Takes the next step of a saved trace.
    pub fn take_saved(&mut self, step: &TraceStep) -> Result<TraceStep, ReplayError> {
        let expected = step.fault.as_ref().map_or(Ok(Expectation::Nothing), TraceError::expectation)?;
        self.take_step(step.step(), &expected)
    }

    fn take_step(&mut self, step: Step, expected: &Expectation) -> Result<TraceStep, ReplayError> {
        let Position { state, control, .. } = &self.place;
        let taken = self.subject.take(self.path.len() + 1, state, *control, step, expected)?;
        self.path.push(step);
        self.place = Position {
            state: taken.state,
            control: taken.control,
            cut_by: taken.fault.filter(|_| taken.is_cut),
            fault: taken.step.fault.clone(),
            length: self.path.len(),
        };
        Ok(taken.step)
    }

    /// How things stand.
    pub fn snapshot(&self) -> Result<Snapshot, ReplayError> {
        self.subject.snapshot(&self.place.state)
    }

    /// The same where nothing can move, with what keeps each process from moving. `end_labels`: the language has labels that
    /// allow a process to wait for ever.
    pub fn snapshot_of_deadlock(&mut self, end_labels: bool) -> Result<Snapshot, ReplayError> {
        let mut snapshot = self.snapshot()?;
        let waiting = self.subject.executor.waiting(&self.place.state);
        let view = StateView::new(self.subject.model, &self.place.state)?;
        explain(self.subject.model, &view, &waiting, end_labels, &mut snapshot);
        Ok(snapshot)
    }

    /// The invariants that do not hold here; inside an indivisible sequence nobody asks.
    pub fn broken_invariants(&mut self) -> Vec<Fault> {
        let mut broken = Vec::new();
        if self.place.control.is_none() {
            self.subject.executor.broken_invariants(&self.place.state, &mut broken);
        }
        broken
    }

    /// The whole walk so far, described. Its error is what the end shows: a deadlock, or a fault of the last step.
    pub fn trace(&mut self, origin: Origin) -> Result<Trace, ReplayError> {
        let (_, expectation) = self.end()?;
        replay(&mut self.subject, origin, &self.path, &expectation)
    }

    /// The same, told step by step.
    pub fn tell(&mut self, origin: Origin, sink: &mut dyn TraceSink) -> Result<(), TellError> {
        let (error, expectation) = self.end()?;
        let (length, steps) = (self.path.len(), Vec::new());
        let head = Trace { origin, number: None, error, length, initial: None, steps, end: None };
        tell(&mut self.subject, &head, self.path.iter().copied(), &expectation, sink)
    }

    /// What the end shows.
    fn end(&mut self) -> Result<(Option<TraceError>, Expectation), ReplayError> {
        Ok(match self.choices()? {
            Choices::Deadlock(error) => {
                let expectation = error.expectation()?;
                (Some(error), expectation)
            }
            _ => {
                let expectation = self.place.cut_by.as_ref().map_or(Expectation::Nothing, Expectation::from);
                (self.place.fault.clone(), expectation)
            }
        })
    }

    fn choice(&self, number: usize, step: Step, fault: Option<&Fault>) -> Result<Choice, ReplayError> {
        let (text, location) = self.subject.statement(number, step.transition)?;
        let partner = match step.partner {
            Some((pid, transition)) => {
                let (text, location) = self.subject.statement(number, transition)?;
                let process = self.subject.process_name(transition);
                Some(Partner { pid, process, transition: transition.0, text, location })
            }
            None => None,
        };
        let (process, fault) = (self.subject.process_name(step.transition), fault.cloned());
        Ok(Choice { step, fault, process, text, location, partner })
    }
}
