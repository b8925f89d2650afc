//! One distinct error of a report, and what its walked path tells of it.

use super::Excerpt;
use crate::replay::tell_error;
use crate::{CheckSettings, Loaded, Named, Property, Temporal};
use panoptes_exec::Fault;
use panoptes_model::{Goal, Model};
use panoptes_search::{Finding, FindingKind, Limit};
use panoptes_trace::{Standing, TellError, TraceSink};

/// What came of a search that looks for one execution and for no errors.
#[derive(Clone, Debug)]
pub struct Sought {
    pub kind: SoughtKind,
    /// The name of the assertion, or the condition.
    pub name: String,
    /// The execution, if one was found.
    pub witness: Option<ErrorReport>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoughtKind {
    /// One along an assertion, which it completes.
    Performed,
    /// One to a state in which a condition is true.
    Reached,
}

impl Sought {
    /// What is looked for in the model, if anything but errors is.
    pub(crate) fn of(model: &Model, witness: Option<ErrorReport>) -> Option<Sought> {
        let (kind, name) = match model.goal()? {
            Goal::Performed(requirement) => (SoughtKind::Performed, &requirement.name),
            Goal::Reached(invariant) => (SoughtKind::Reached, &invariant.text),
        };
        Some(Sought { kind, name: name.clone(), witness })
    }
}

/// One distinct error.
#[derive(Clone, Debug)]
pub struct ErrorReport {
    pub kind: FindingKind,
    pub message: String,
    /// `file:line:column`.
    pub location: Option<String>,
    /// Executed steps; a rendezvous is one.
    pub length: usize,
    /// The same as SPIN counts, which takes a rendezvous for two steps.
    pub spin_length: Option<usize>,
    /// Of a lasso: how many steps lead to its cycle.
    pub cycle_start: Option<usize>,
    /// Of a violation for which a shortest one was asked: is it known that none is shorter?
    pub is_shortest: Option<bool>,
    /// The property that is violated, as [`super::PropertyReport`] names it.
    pub property_name: String,
    /// The same if it is a temporal one.
    pub property: Option<Temporal>,
    /// As the search found it; [`ErrorReport::tell`] walks its path again.
    pub found: Finding,
    /// Its path, walked on the reference executor, or the ends of it.
    pub trace: Option<Excerpt>,
    /// Where the trace was saved, and its number there if there are several.
    pub trace_file: Option<String>,
    pub trace_number: Option<usize>,
    /// The limit that did not allow to find, walk or save its path.
    pub trace_limit: Option<Limit>,
}

impl ErrorReport {
    pub(crate) fn new(
        loaded: &Loaded,
        asked: Property,
        error: Finding,
        property: Option<Temporal>,
    ) -> ErrorReport {
        let broken =
            error.fault.as_ref().filter(|fault| fault.kind.is_of_invariant()).and_then(|fault| {
                loaded.model.invariants.iter().find(|invariant| invariant.span == fault.span)
            });
        let property_name = match (property, broken) {
            (Some(property), _) => property.name(&loaded.model),
            (None, Some(invariant)) => invariant.text.clone(),
            (None, None) => asked.name().to_string(),
        };
        // An invariant stands on the command line.
        let of_text = error.fault.as_ref().filter(|fault| !fault.kind.is_of_invariant());
        let place = |fault: &Fault| loaded.sources.user_position(fault.span).to_string();
        // A deadlock that is walked again says more: see `add_trace`.
        let stuck = stuck(loaded, &error);
        let deadlock = || deadlock_message(&stuck.iter().collect::<Vec<_>>());
        let first = stuck.first().map(|process| process.location.clone());
        ErrorReport {
            kind: error.kind,
            message: error.fault.as_ref().map_or_else(deadlock, |fault| fault.message.clone()),
            location: of_text.map(place).or(first),
            length: error.length,
            spin_length: (error.path.len() == error.length)
                .then(|| error.length + error.path.iter().filter(|step| step.partner.is_some()).count()),
            cycle_start: error.cycle_start,
            is_shortest: None,
            property_name,
            property,
            trace: None,
            trace_file: None,
            trace_number: None,
            trace_limit: error.lost_to,
            found: error,
        }
    }

    /// How often it was met.
    pub fn count(&self) -> u64 {
        self.found.count
    }

    /// Walks its path on the reference executor once more and tells it to `sink`, step by step: all of a trace of which the
    /// report holds the ends. `loaded` and `settings` are those of the check.
    pub fn tell(
        &self,
        loaded: &Loaded,
        settings: &CheckSettings,
        sink: &mut dyn TraceSink,
    ) -> Result<(), TellError> {
        tell_error(loaded, settings, self.trace_number, (&self.found, self.property), None, sink)
    }

    /// Adds the walked path, and for a deadlock what it tells about who waits where.
    pub(crate) fn add_trace(&mut self, trace: Excerpt) {
        let end = trace.trace.end.as_ref().map_or(&[][..], |end| &end.processes);
        let stuck: Vec<&Standing> = end.iter().filter(|process| !process.may_end).collect();
        if self.found.fault.as_ref().is_some_and(|fault| fault.kind.is_of_invariant()) {
            // Walked only as far as is needed.
            self.length = trace.length();
            self.spin_length = Some(self.length + trace.survey.rendezvous);
        }
        if self.kind == FindingKind::Deadlock {
            self.location = stuck.first().map(|process| process.location.clone());
            self.message = deadlock_message(&stuck);
        }
        self.trace = Some(trace);
    }
}

/// The processes of a deadlock that are not where they may end, as the search knows them.
fn stuck(loaded: &Loaded, error: &Finding) -> Vec<Standing> {
    let standing = error.standing.iter().zip(0..).filter_map(|((process, state), pid)| {
        let process = loaded.model.processes.get(process.index())?;
        let control = process.states.get(state.index()).filter(|control| !control.end)?;
        Some(Standing {
            pid,
            process: process.name.clone(),
            state: state.0,
            location: loaded.sources.user_position(control.span).to_string(),
            labels: Vec::new(),
            next: Vec::new(),
            may_end: false,
            waits: Vec::new(),
            waits_for: Vec::new(),
            held: None,
        })
    });
    standing.collect()
}

/// `no process can move: left[0] waits at a.pml:3:5, right[1] at a.pml:9:5 and 2 more`.
fn deadlock_message(stuck: &[&Standing]) -> String {
    const NAMED_MAX: usize = 4;
    let who = |process: &&Standing| format!("{}[{}] at {}", process.process, process.pid, process.location);
    let named: Vec<String> = stuck.iter().take(NAMED_MAX).map(who).collect();
    match stuck.len().saturating_sub(NAMED_MAX) {
        // Every process may end here, so it is the monitor that may not.
        _ if stuck.is_empty() => "the trace assertion is not completed, and no process can move".to_string(),
        0 => format!("no process can move: {}", named.join(", ")),
        more => format!("no process can move: {} and {more} more", named.join(", ")),
    }
}
