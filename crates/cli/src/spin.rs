//! Trails of SPIN, in and out.

use crate::args::ExplainArgs;
use crate::failure::usage;
use crate::input::{self, Given, Input};
use crate::of_trace;
use crate::saved::Chosen;
use panoptes_check::Steps;
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_report::StepSource;
use panoptes_trace::{
    Expectation, Origin, SpinTrail, SpinTrailError, Subject, Trace, TraceError, Walk, fingerprint, replay,
};
use std::path::Path;

/// The trace that a trail of SPIN is, on the model that the command line names.
pub fn read(args: &ExplainArgs, text: &str) -> anyhow::Result<Trace> {
    let name = args.trace.display();
    let wrong = |error: SpinTrailError| usage(format!("{name}: {error}"));
    let trail = SpinTrail::parse(text).map_err(wrong)?;
    let Some(model) = &args.model else {
        return Err(usage(format!("{name} is a trail of SPIN: `--model FILE` names its model")));
    };
    // The verifier merges statements unless it is told not to, and says so in the trail.
    let steps = if trail.is_merged { Steps::Merged } else { Steps::Statements };
    let given = Given { steps, ..Given::default() };
    let input = input::load_with(&of_trace::bare_args(model.clone(), None), &given, true)?;
    follow(&input, &trail).map_err(wrong)
}

fn follow(input: &Input, trail: &SpinTrail) -> Result<Trace, SpinTrailError> {
    let loaded = &input.loaded;
    let mut executor = Interpreter::new(&loaded.model, InterpreterOptions::default());
    let subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let mut walk = Walk::start(subject)
        .map_err(|fault| SpinTrailError::Replay(panoptes_trace::ReplayError::NoInitialState(fault)))?;
    let (path, cycle_start) = trail.follow(&mut walk, &loaded.statement_numbers)?;
    let origin = Origin { fingerprint: fingerprint(&loaded.sources), ..loaded.origin.clone() };
    let Some(start) = cycle_start else { return Ok(walk.trace(origin)?) };
    drop(walk);
    let mut subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let cycle = Expectation::Cycle { start };
    let mut trace = match replay(&mut subject, origin.clone(), &path, &cycle) {
        Ok(trace) => trace,
        // The claim alone may have moved on: then the system's states need not be the same.
        Err(_) => return Ok(replay(&mut subject, origin, &path, &Expectation::Nothing)?),
    };
    trace.error = Some(TraceError {
        kind: "acceptance-cycle".to_string(),
        message: "the cycle of a trail of SPIN".to_string(),
        location: None,
        cycle_start: Some(start),
        property: Some("trail".to_string()),
    });
    Ok(trace)
}

/// The trail of a saved trace, which `spin -t` follows.
pub fn write(args: &ExplainArgs, chosen: &mut Chosen) -> anyhow::Result<String> {
    let head = chosen.head.clone();
    if head.origin.language != "promela" {
        return Err(usage("`--format spin` is for Promela: SPIN does not read Argos"));
    }
    let input = of_trace::load(&head, args.model.as_deref())?;
    if head.origin.lossy {
        return Err(usage(
            "SPIN cannot follow a trace with lost messages: its option -m must be given, and it has no trail for that",
        ));
    }
    let mut path = Vec::new();
    chosen.each(&mut |step| {
        path.push(step.step());
        Ok(())
    })?;
    let cycle_start = head.error.as_ref().and_then(|error| error.cycle_start);
    let trail = SpinTrail::of_path(path, cycle_start, &input.loaded.statement_numbers);
    Ok(SpinTrail { is_merged: head.origin.is_merged, ..trail }.to_string())
}

/// Is the file a trail of SPIN? Its name or its beginning tells.
pub fn is_trail(path: &Path, beginning: &str) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension == "trail");
    (is_named || SpinTrail::looks_like(beginning)) && !beginning.trim_start().starts_with('{')
}
