//! One model that is explored.

use crate::{ModelText, Refusal};
use panoptes_check::{LoadError, Loaded};
use panoptes_exec::{Executor, FaultKind, Patience};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_source::{Diagnostic, SourceMap};
use panoptes_trace::{Choice, Choices, ReplayError, Subject, Trace, TraceError, TraceStep, Walk};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The longest walk that a page follows.
pub(crate) const WALK_MAX: usize = 10_000;

/// One question may take so long.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// What the searches of the page may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes for each.
    pub memory: u64,
}

pub struct Explorer {
    pub(crate) text: ModelText,
    pub(crate) loaded: Loaded,
    /// A full channel loses messages.
    pub(crate) lossy: bool,
    pub(crate) limits: Limits,
    pub(crate) opened: Option<Opened>,
}

/// A walk that the page begins with.
#[derive(Clone, Debug, Serialize)]
pub struct Opened {
    /// What it is called: the name of a file.
    pub name: String,
    /// Which of the steps there are is taken, each time.
    pub path: Vec<u32>,
    pub error: Option<TraceError>,
}

impl Explorer {
    /// The longest walk that a page follows.
    pub const STEPS_MAX: usize = WALK_MAX;

    pub fn new(text: ModelText, lossy: bool, limits: Limits) -> Result<Explorer, LoadError> {
        let loaded = text.load()?;
        Ok(Explorer { text, loaded, lossy, limits, opened: None })
    }

    pub fn sources(&self) -> &SourceMap {
        &self.loaded.sources
    }

    /// What there is to say about the text.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.loaded.warnings
    }

    /// The page is to begin with a saved trace.
    pub fn open(&mut self, name: String, trace: &Trace) -> Result<(), String> {
        trace.fits(&self.loaded.sources).map_err(|error| error.to_string())?;
        let path = self.choices_of(&self.loaded, &trace.steps).map_err(|refusal| refusal.message)?;
        self.opened = Some(Opened { name, path, error: trace.error.clone() });
        Ok(())
    }

    /// Calls `what` with a walk that stands at the initial state of a model.
    pub(crate) fn with_walk<T>(
        &self,
        loaded: &Loaded,
        what: impl FnOnce(&mut Walk<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut executor = self.executor(loaded);
        let subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
        let mut walk = Walk::start(subject).map_err(|fault| {
            Refusal::wrong(match fault.kind {
                FaultKind::Interrupted => "the initial state takes too long to compute".to_string(),
                _ => format!("there is no initial state: {}", fault.message),
            })
        })?;
        what(&mut walk)
    }

    pub(crate) fn executor<'m>(&self, loaded: &'m Loaded) -> Interpreter<'m> {
        let mut executor = Interpreter::new(&loaded.model, InterpreterOptions { lossy: self.lossy });
        let deadline = Instant::now().checked_add(ANSWER_TIME);
        executor.set_patience(&Patience { deadline, ..Patience::default() });
        executor
    }

    /// Which choice each step of a path is, among the steps there are where it is taken.
    pub(crate) fn choices_of(&self, loaded: &Loaded, steps: &[TraceStep]) -> Result<Vec<u32>, Refusal> {
        if steps.len() > WALK_MAX {
            return Err(too_long(steps.len()));
        }
        let clock = Clock::start();
        self.with_walk(loaded, |walk| {
            let mut path = Vec::new();
            for step in steps {
                clock.look()?;
                let Choices::Steps(choices) = walk.choices()? else {
                    return Err(not_possible(step));
                };
                let index = index_of(&choices, step).ok_or_else(|| not_possible(step))?;
                walk.take(&choices[index])?;
                path.push(index as u32);
            }
            Ok(path)
        })
    }
}

/// The choice that is a step of a trace. The same step may be listed twice, with a fault and without.
fn index_of(choices: &[Choice], step: &TraceStep) -> Option<usize> {
    let message = |choice: &Choice| choice.fault.as_ref().map(|fault| fault.message.clone());
    let wanted = step.fault.as_ref().map(|fault| fault.message.clone());
    let is_step = |choice: &Choice| choice.step == step.step();
    let exact = choices.iter().position(|choice| is_step(choice) && message(choice) == wanted);
    exact.or_else(|| choices.iter().position(is_step))
}

fn not_possible(step: &TraceStep) -> Refusal {
    let (number, text) = (step.number, step.text.clone());
    ReplayError::NotPossible { number, step: step.step(), text }.into()
}

pub(crate) fn too_long(steps: usize) -> Refusal {
    Refusal::too_much(format!(
        "the walk has {steps} steps; the page follows walks of at most {WALK_MAX} \
         (`panoptes explain` and `panoptes simulate --trace` show longer ones)"
    ))
}

/// How long a question has taken.
pub(crate) struct Clock(Instant);

impl Clock {
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// Fails when it has taken too long.
    pub fn look(&self) -> Result<(), Refusal> {
        match self.is_over() {
            true => Err(Refusal::too_much("the walk takes longer than the page waits")),
            false => Ok(()),
        }
    }

    pub fn is_over(&self) -> bool {
        self.0.elapsed() > ANSWER_TIME
    }
}
