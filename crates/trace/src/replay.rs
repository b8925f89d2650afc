//! Walking a path again, step by step, and describing what happens.
//!
//! Nothing is believed: every step must be possible where it is taken, and the end must show what it is said to show.

use crate::snapshot::{changes, location, message_fields, unchanged};
use crate::waiting::explain;
use crate::written::written;
use crate::{Origin, Partner, Snapshot, StepEvent, Trace, TraceError, TraceStep, fingerprint};
use panoptes_exec::{Ending, Event, Executor, Fault, FaultKind, Replay, Step, Successors};
use panoptes_model::{MalformedVector, Model, StateView, TransId};
use panoptes_source::SourceMap;

/// The model a path is walked on: its rules, its text, and who gives it life.
pub struct Subject<'a> {
    pub model: &'a Model,
    pub sources: &'a SourceMap,
    pub executor: &'a mut dyn Executor,
}

/// What the end of a path must show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing in particular: a simulation.
    Nothing,
    /// Nothing can move, and some process is not where it may end.
    Deadlock,
    /// The last step (or the computation of the initial state, or the end) has this fault.
    Fault { kind: FaultKind, message: String },
    /// After so many steps, the others lead round a cycle; if there are no others, nothing can move. Whether the cycle is one
    /// that a property forbids is for others to say, who know the property.
    Cycle { start: usize },
    /// A state that a temporal property forbids. Here too others know the property.
    ClaimViolated,
}

impl From<&Fault> for Expectation {
    fn from(fault: &Fault) -> Expectation {
        Expectation::Fault { kind: fault.kind, message: fault.message.clone() }
    }
}

/// The path is not what it is said to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The trace was made from another text of the model.
    Stale { expected: String, actual: String },
    /// The initial state cannot be computed.
    NoInitialState(Fault),
    /// The model has no such rule, or the rule is another statement than the trace says.
    NoSuchTransition { number: usize, transition: u32 },
    /// The step cannot be taken there.
    NotPossible { number: usize, step: Step, text: String },
    /// The executor takes the step again, but not to the same end.
    Disagreement { number: usize, step: Step },
    /// A fault cuts a step short that is not the last.
    CutShort { number: usize, fault: Fault },
    /// The end does not show what it must.
    Unfulfilled { expected: Expectation, found: String },
    /// A step takes longer than there is time for.
    Interrupted,
    /// The trace names a kind of error that does not exist.
    UnknownKind(String),
    /// The executor gave a vector that the model's layout does not fit.
    Malformed(MalformedVector),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayError::Stale { expected, actual } => {
                write!(
                    f,
                    "the model has changed since the trace was made (text {actual}, trace of {expected})"
                )
            }
            ReplayError::NoInitialState(fault) => write!(f, "there is no initial state: {}", fault.message),
            ReplayError::NoSuchTransition { number, transition } => {
                write!(f, "step {number}: the model's rule {transition} is not the statement of the trace")
            }
            ReplayError::NotPossible { number, step, text } => {
                write!(f, "step {number}: process {} cannot do `{text}` there", step.pid)
            }
            ReplayError::Disagreement { number, step } => {
                write!(f, "step {number}: the step of process {} leads elsewhere when taken again", step.pid)
            }
            ReplayError::CutShort { number, fault } => {
                write!(f, "step {number} goes wrong before the end of the path: {}", fault.message)
            }
            ReplayError::Unfulfilled { expected, found } => {
                let expected = match expected {
                    Expectation::Nothing => "nothing in particular".to_string(),
                    Expectation::Deadlock => "a deadlock".to_string(),
                    Expectation::Fault { message, .. } => format!("`{message}`"),
                    Expectation::Cycle { .. } => "the end of a cycle".to_string(),
                    Expectation::ClaimViolated => "a state that a property forbids".to_string(),
                };
                write!(f, "the path should end with {expected}, but ends with {found}")
            }
            ReplayError::Interrupted => f.write_str("there is no time to walk the path"),
            ReplayError::UnknownKind(kind) => write!(f, "there is no error of kind `{kind}`"),
            ReplayError::Malformed(malformed) => write!(f, "{malformed}"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<MalformedVector> for ReplayError {
    fn from(malformed: MalformedVector) -> ReplayError {
        ReplayError::Malformed(malformed)
    }
}

/// Takes a trace as it is walked, part by part.
pub trait TraceSink {
    /// All but the steps and the end.
    fn begin(&mut self, head: &Trace) -> Result<(), Halt>;
    fn step(&mut self, step: TraceStep) -> Result<(), Halt>;
    /// The state after the last step; none if there is not even an initial state.
    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt>;
}

/// Why a walk was not told to its end.
#[derive(Debug)]
pub enum Halt {
    Time,
    Memory,
    Interrupted,
    Output(std::io::Error),
}

impl From<std::io::Error> for Halt {
    fn from(error: std::io::Error) -> Halt {
        Halt::Output(error)
    }
}

/// Why there is no trace.
#[derive(Debug)]
pub enum TellError {
    Replay(ReplayError),
    Halt(Halt),
}

impl From<ReplayError> for TellError {
    fn from(error: ReplayError) -> TellError {
        match error {
            ReplayError::Interrupted => TellError::Halt(Halt::Time),
            error => TellError::Replay(error),
        }
    }
}

impl From<Halt> for TellError {
    fn from(halt: Halt) -> TellError {
        TellError::Halt(halt)
    }
}

/// Keeps it all.
impl TraceSink for Trace {
    fn begin(&mut self, head: &Trace) -> Result<(), Halt> {
        *self = head.clone();
        Ok(())
    }

    fn step(&mut self, step: TraceStep) -> Result<(), Halt> {
        self.steps.push(step);
        Ok(())
    }

    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt> {
        self.end = end;
        Ok(())
    }
}

/// Walks a path of `head.length` steps and tells it to `sink`, with what it shows in `head`. The fingerprint is filled in.
pub fn tell(
    subject: &mut Subject<'_>,
    head: &Trace,
    path: impl IntoIterator<Item = Step>,
    expectation: &Expectation,
    sink: &mut dyn TraceSink,
) -> Result<(), TellError> {
    let mut head = head.clone();
    head.origin.fingerprint = fingerprint(subject.sources);
    let mut replayer = match Replayer::start(subject) {
        Ok(replayer) => replayer,
        Err(fault) => {
            if head.length > 0 || *expectation != Expectation::from(&fault) {
                return Err(ReplayError::NoInitialState(fault).into());
            }
            sink.begin(&head)?;
            return Ok(sink.end(None)?);
        }
    };
    replayer.expect(expectation);
    head.initial = Some(replayer.snapshot()?);
    sink.begin(&head)?;
    for (index, step) in path.into_iter().enumerate() {
        let expected = if index + 1 == head.length { expectation } else { &Expectation::Nothing };
        sink.step(replayer.take(step, expected)?)?;
    }
    let (_, end) = replayer.finish(expectation, &head.origin)?;
    Ok(sink.end(Some(end))?)
}

/// Walks `path` and describes it, all in memory. The fingerprint of `origin` is filled in.
pub fn replay(
    subject: &mut Subject<'_>,
    origin: Origin,
    path: &[Step],
    expectation: &Expectation,
) -> Result<Trace, ReplayError> {
    let origin = Origin { fingerprint: fingerprint(subject.sources), ..origin };
    let mut trace = Trace {
        origin,
        number: None,
        error: None,
        length: path.len(),
        initial: None,
        steps: Vec::new(),
        end: None,
    };
    let mut replayer = match Replayer::start(subject) {
        Ok(replayer) => replayer,
        Err(fault) => {
            if !path.is_empty() || *expectation != Expectation::from(&fault) {
                return Err(ReplayError::NoInitialState(fault));
            }
            trace.error = Some(describe(subject.sources, &fault));
            return Ok(trace);
        }
    };
    replayer.expect(expectation);
    trace.initial = Some(replayer.snapshot()?);
    for (index, step) in path.iter().enumerate() {
        let expected = if index + 1 == path.len() { expectation } else { &Expectation::Nothing };
        trace.steps.push(replayer.take(*step, expected)?);
    }
    let (error, end) = replayer.finish(expectation, &trace.origin)?;
    (trace.error, trace.end) = (error, Some(end));
    Ok(trace)
}

/// Walks a path a step at a time.
pub struct Replayer<'a, 's> {
    subject: &'a mut Subject<'s>,
    state: Vec<u8>,
    control: Option<u8>,
    fault: Option<Fault>,
    /// The fault cut the last step short.
    is_cut: bool,
    length: usize,
    /// Where the cycle begins that the path is to end with, and the state there.
    cycle: Option<(usize, Vec<u8>)>,
}

impl<'a, 's> Replayer<'a, 's> {
    /// Stands at the initial state, if there is one.
    pub fn start(subject: &'a mut Subject<'s>) -> Result<Replayer<'a, 's>, Fault> {
        let state = subject.executor.initial()?;
        Ok(Replayer { subject, state, control: None, fault: None, is_cut: false, length: 0, cycle: None })
    }

    /// Says what the end is to show, before the first step is taken.
    pub fn expect(&mut self, expectation: &Expectation) {
        if let Expectation::Cycle { start } = expectation {
            self.cycle = Some((*start, self.state.clone()));
        }
    }

    /// Takes a step. If there are two ways to take it, the one with the fault that is expected of it is meant.
    pub fn take(&mut self, step: Step, expected: &Expectation) -> Result<TraceStep, ReplayError> {
        if let Some(fault) = self.fault.take().filter(|_| self.is_cut) {
            return Err(ReplayError::CutShort { number: self.length, fault });
        }
        self.length += 1;
        let taken = self.subject.take(self.length, &self.state, self.control, step, expected)?;
        (self.state, self.control) = (taken.state, taken.control);
        (self.fault, self.is_cut) = (taken.fault, taken.is_cut);
        if let Some((start, state)) = &mut self.cycle
            && *start == self.length
        {
            state.clone_from(&self.state);
        }
        Ok(taken.step)
    }

    /// Takes a step of a saved trace, whose statements must be those of the model.
    pub fn take_saved(&mut self, step: &TraceStep) -> Result<TraceStep, ReplayError> {
        let mut texts = vec![(step.transition, &step.text)];
        texts.extend(step.partner.as_ref().map(|partner| (partner.transition, &partner.text)));
        for (transition, text) in texts {
            let rule = self.subject.model.transitions.get(transition as usize);
            if rule.is_none_or(|rule| rule.text != *text) {
                return Err(ReplayError::NoSuchTransition { number: step.number, transition });
            }
        }
        let expected = step.fault.as_ref().map_or(Ok(Expectation::Nothing), TraceError::expectation)?;
        self.take(step.step(), &expected)
    }

    /// The state, and who has control.
    pub fn configuration(&self) -> crate::Configuration {
        (self.state.clone(), self.control)
    }

    /// How things stand.
    pub fn snapshot(&self) -> Result<Snapshot, ReplayError> {
        self.subject.snapshot(&self.state)
    }

    /// Does the end show what it must? What it shows, and how things stand there; where nothing can move, also why.
    pub fn finish(
        &mut self,
        expectation: &Expectation,
        origin: &Origin,
    ) -> Result<(Option<TraceError>, Snapshot), ReplayError> {
        if let Some((start, state)) = self.cycle.take() {
            self.closes(start, &state, expectation)?;
        }
        let fault = self.fault.as_ref().map(|fault| (fault, self.is_cut));
        let error = self.subject.judge(&self.state, self.control, fault, expectation)?;
        let mut end = self.snapshot()?;
        if matches!(
            expectation,
            Expectation::Deadlock | Expectation::Fault { kind: FaultKind::UnspecifiedReception, .. }
        ) {
            let waiting = self.subject.executor.waiting(&self.state);
            let view = StateView::new(self.subject.model, &self.state)?;
            explain(self.subject.model, &view, &waiting, origin.language == "promela", &mut end);
        }
        Ok((error, end))
    }
}

impl Replayer<'_, '_> {
    /// Is the state that the cycle began with reached again? What is hidden does not belong to it.
    fn closes(&mut self, start: usize, state: &[u8], expected: &Expectation) -> Result<(), ReplayError> {
        let unfulfilled = |found: &str| {
            Err(ReplayError::Unfulfilled { expected: expected.clone(), found: found.to_string() })
        };
        if start > self.length {
            return unfulfilled("fewer steps than lead to it");
        }
        let (control, successors) = self.subject.settle(&self.state, self.control)?;
        if control.is_some() {
            return unfulfilled("an unfinished atomic sequence");
        }
        if start == self.length {
            return match successors.ending {
                Ending::Valid | Ending::Deadlock => Ok(()),
                Ending::Moves | Ending::LetGo => unfulfilled("a state that can move"),
            };
        }
        let hidden = self.subject.executor.hidden_bytes();
        if self.state[hidden..] == state[hidden..] { Ok(()) } else { unfulfilled("another state") }
    }
}

impl Trace {
    /// Is the text of the model the one that the trace was made from?
    pub fn fits(&self, sources: &SourceMap) -> Result<(), ReplayError> {
        let actual = fingerprint(sources);
        match actual == self.origin.fingerprint {
            true => Ok(()),
            false => Err(ReplayError::Stale { expected: self.origin.fingerprint.clone(), actual }),
        }
    }

    /// Walks the trace again, on a model whose text must be the same.
    pub fn replay(&self, subject: &mut Subject<'_>) -> Result<Trace, ReplayError> {
        self.fits(subject.sources)?;
        if self.steps.is_empty() {
            return replay(subject, self.origin.clone(), &[], &self.expectation()?);
        }
        let mut trace = Trace { steps: Vec::new(), end: None, ..self.clone() };
        let mut replayer = Replayer::start(subject).map_err(ReplayError::NoInitialState)?;
        replayer.expect(&self.expectation()?);
        trace.initial = Some(replayer.snapshot()?);
        for step in &self.steps {
            trace.steps.push(replayer.take_saved(step)?);
        }
        let (error, end) = replayer.finish(&self.expectation()?, &self.origin)?;
        // What a temporal property says of the path is not looked at here.
        (trace.error, trace.end) = (error.or_else(|| self.error.clone()), Some(end));
        Ok(trace)
    }

    /// What the trace says that its end shows.
    pub fn expectation(&self) -> Result<Expectation, ReplayError> {
        self.error.as_ref().map_or(Ok(Expectation::Nothing), TraceError::expectation)
    }
}

impl TraceError {
    /// What the end of a path with this error shows.
    pub fn expectation(&self) -> Result<Expectation, ReplayError> {
        if self.kind == DEADLOCK {
            return Ok(Expectation::Deadlock);
        }
        let kind = FaultKind::ALL.into_iter().find(|kind| kind.name() == self.kind);
        let kind = kind.ok_or_else(|| ReplayError::UnknownKind(self.kind.clone()))?;
        if let Some(start) = self.cycle_start {
            return Ok(Expectation::Cycle { start });
        }
        if self.property.is_some() {
            return Ok(Expectation::ClaimViolated);
        }
        Ok(Expectation::Fault { kind, message: self.message.clone() })
    }
}

const DEADLOCK: &str = "deadlock";

pub(crate) struct Taken {
    pub step: TraceStep,
    pub state: Vec<u8>,
    pub control: Option<u8>,
    pub fault: Option<Fault>,
    /// The fault cut the step short.
    pub is_cut: bool,
}

impl Subject<'_> {
    pub(crate) fn snapshot(&self, state: &[u8]) -> Result<Snapshot, ReplayError> {
        Ok(Snapshot::of(&StateView::new(self.model, state)?, self.sources))
    }

    pub(crate) fn take(
        &mut self,
        number: usize,
        state: &[u8],
        control: Option<u8>,
        step: Step,
        expected: &Expectation,
    ) -> Result<Taken, ReplayError> {
        let (text, place) = self.statement(number, step.transition)?;
        let (control, successors) = self.settle(state, control)?;
        let index = find(&successors, step, expected);
        let replayed = index.and_then(|index| self.executor.replay(state, control, index));
        let (Some(index), Some(replayed)) = (index, replayed) else {
            return Err(ReplayError::NotPossible { number, step, text });
        };
        let item = &successors.items[index];
        if replayed.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Interrupted) {
            return Err(ReplayError::Interrupted);
        }
        let agrees = replayed.fault.as_ref() == successors.fault(item)
            && replayed.is_cut != item.has_state()
            && (replayed.is_cut
                || (&replayed.state[..], replayed.control) == (successors.state(item), item.control()));
        if !agrees {
            return Err(ReplayError::Disagreement { number, step });
        }
        let before = StateView::new(self.model, state)?;
        let after = StateView::new(self.model, &replayed.state)?;
        let partner = match step.partner {
            Some((pid, transition)) => {
                let (text, location) = self.statement(number, transition)?;
                let process = self.process_name(transition);
                Some(Partner { pid, process, transition: transition.0, text, location })
            }
            None => None,
        };
        let mut changes = changes(&before, &after);
        if replayed.fault.is_none() {
            let named = written(self.model.transition(step.transition), step.pid, &before, &after);
            changes.extend(unchanged(&after, &named, &changes));
        }
        let taken = TraceStep {
            number,
            pid: step.pid,
            process: self.process_name(step.transition),
            transition: step.transition.0,
            text,
            location: place,
            partner,
            atomic: control.is_some() || replayed.control.is_some(),
            events: replayed.events.iter().map(|event| self.event(event, &before, &after)).collect(),
            changes,
            fault: replayed.fault.as_ref().map(|fault| describe(self.sources, fault)),
        };
        let Replay { state, control, fault, is_cut, .. } = replayed;
        Ok(Taken { step: taken, state, control, fault, is_cut })
    }

    /// The steps there are. A process that has control but cannot go on lets go first.
    pub(crate) fn settle(
        &mut self,
        state: &[u8],
        control: Option<u8>,
    ) -> Result<(Option<u8>, Successors), ReplayError> {
        let mut successors = Successors::default();
        self.executor.successors(state, control, &mut successors);
        let control = control.filter(|_| successors.ending != Ending::LetGo);
        if successors.ending == Ending::LetGo {
            self.executor.successors(state, None, &mut successors);
        }
        // What was interrupted is not known to be possible or not.
        match successors.faults.iter().any(|fault| fault.kind == FaultKind::Interrupted) {
            true => Err(ReplayError::Interrupted),
            false => Ok((control, successors)),
        }
    }

    /// Does the end show what it must?
    fn judge(
        &mut self,
        state: &[u8],
        control: Option<u8>,
        fault: Option<(&Fault, bool)>,
        expectation: &Expectation,
    ) -> Result<Option<TraceError>, ReplayError> {
        let unfulfilled =
            |found: String| Err(ReplayError::Unfulfilled { expected: expectation.clone(), found });
        match (expectation, fault) {
            (Expectation::Cycle { .. } | Expectation::ClaimViolated, _) => Ok(None),
            (Expectation::Nothing, fault) => Ok(fault.map(|(fault, _)| describe(self.sources, fault))),
            (Expectation::Fault { kind, .. }, _) if kind.is_of_invariant() => {
                // An invariant is looked at where nobody has control.
                let mut broken = Vec::new();
                if self.settle(state, control)?.0.is_none() {
                    self.executor.broken_invariants(state, &mut broken);
                }
                match broken.iter().find(|fault| Expectation::from(*fault) == *expectation) {
                    Some(fault) => Ok(Some(describe(self.sources, fault))),
                    None => unfulfilled("a state where that is not so".to_string()),
                }
            }
            (Expectation::Fault { kind, .. }, _) if kind.is_of_state() => {
                let (_, Successors { mut end_faults, stuck, .. }) = self.settle(state, control)?;
                end_faults.extend(stuck.iter().map(|stuck| stuck.fault(self.model)));
                match end_faults.iter().find(|fault| Expectation::from(*fault) == *expectation) {
                    Some(fault) => Ok(Some(describe(self.sources, fault))),
                    None => unfulfilled("another end".to_string()),
                }
            }
            (Expectation::Fault { .. }, Some((fault, _))) if Expectation::from(fault) == *expectation => {
                Ok(Some(describe(self.sources, fault)))
            }
            (Expectation::Fault { .. }, Some((fault, _))) => unfulfilled(format!("`{}`", fault.message)),
            (Expectation::Fault { .. }, None) => unfulfilled("no fault".to_string()),
            (Expectation::Deadlock, Some((fault, true))) => unfulfilled(format!("`{}`", fault.message)),
            (Expectation::Deadlock, _) => match self.settle(state, control)?.1.ending {
                Ending::Deadlock => Ok(Some(deadlock())),
                Ending::Valid => unfulfilled("a valid end state".to_string()),
                Ending::Moves | Ending::LetGo => unfulfilled("a state that can move".to_string()),
            },
        }
    }

    /// The text and place of a rule.
    pub(crate) fn statement(&self, number: usize, id: TransId) -> Result<(String, String), ReplayError> {
        match self.model.transitions.get(id.index()) {
            Some(rule) => Ok((rule.text.clone(), location(self.sources, rule.span))),
            None => Err(ReplayError::NoSuchTransition { number, transition: id.0 }),
        }
    }

    pub(crate) fn process_name(&self, id: TransId) -> String {
        self.model.process(self.model.transition(id).process).name.clone()
    }

    fn event(&self, event: &Event, before: &StateView<'_>, after: &StateView<'_>) -> StepEvent {
        let message = |channel: u8, values: &[i32]| {
            let number = i32::from(channel);
            let view = if after.channel(number).is_some() { after } else { before };
            let Some(channel) = view.channel(number) else {
                return (format!("channel {number}"), values.iter().map(i32::to_string).collect());
            };
            (channel.name(), message_fields(view, channel.channel, values))
        };
        match event {
            Event::Sent { pid, channel, values, lost } => {
                let (channel, values) = message(*channel, values);
                StepEvent::Send { pid: *pid, channel, values, lost: *lost }
            }
            Event::Received { pid, channel, values, peek } => {
                let (channel, values) = message(*channel, values);
                StepEvent::Receive { pid: *pid, channel, values, peek: *peek }
            }
            Event::Printed { pid, text } => StepEvent::Print { pid: *pid, text: text.clone() },
            Event::Started { pid, process } => {
                StepEvent::Start { pid: *pid, process: self.model.process(*process).name.clone() }
            }
            Event::Ended { pid } => StepEvent::End { pid: *pid },
        }
    }
}

/// Which successor a step is. It may be there twice, tried in vain without timeouts and taken with them: the one with
/// the fault that is expected of it, or else the one that leads on.
fn find(successors: &Successors, step: Step, expected: &Expectation) -> Option<usize> {
    let those = || (0..successors.items.len()).filter(|index| successors.items[*index].step() == step);
    let fault = |index: &usize| successors.fault(&successors.items[*index]);
    let is_expected = |index: &usize| fault(index).is_some_and(|fault| Expectation::from(fault) == *expected);
    let leads_on = |index: &usize| successors.items[*index].has_state();
    those().find(is_expected).or_else(|| those().find(leads_on)).or_else(|| those().next())
}

/// Nothing can move, and there is no more to say about it.
pub fn deadlock() -> TraceError {
    TraceError {
        kind: DEADLOCK.to_string(),
        message: "no process can move".to_string(),
        location: None,
        cycle_start: None,
        property: None,
    }
}

/// A fault for people.
pub fn describe(sources: &SourceMap, fault: &Fault) -> TraceError {
    TraceError {
        kind: fault.kind.name().to_string(),
        message: fault.message.clone(),
        location: Some(location(sources, fault.span))
            .filter(|place| !place.is_empty() && !fault.kind.is_of_invariant()),
        cycle_start: None,
        property: None,
    }
}
