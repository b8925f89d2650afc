//! One check: prepare the model, run the search that was chosen, sum up.

use crate::engine::with_engine;
use crate::improve::improve;
use crate::lift::Lifting;
use crate::on_full::begin_again;
use crate::plan::Searched;
use crate::report::{Report, Seconds};
use crate::second_look::{first_look, second_look};
use crate::swarm::swarm;
use crate::symmetry::Exchange;
use crate::traces::{Allowance, TraceRecorder};
use crate::verdict::Verdict;
use crate::{
    CheckError, CheckSettings, Loaded, Optimisation, Property, Semantics, StoreSpec, Strategy,
    SymmetryChoice, SymmetryUse, Temporal, Unfollowed, plan, process, sample, temporal, traces,
};
use panoptes_optimise::{Optimised, Passes, optimise, without_claims};
use panoptes_search::{Observer, Team};
use panoptes_store::DiskSpace;
use std::path::Path;
use std::time::Instant;

/// Runs a check: searches, walks every error again on the reference executor, and sums up.
pub fn check(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
) -> Result<Report, CheckError> {
    check_and_record(loaded, settings, observer, &mut ())
}

/// The same for somebody who wants all of the traces: `recorder` is told them while they are walked.
pub fn check_and_record(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    recorder: &mut dyn TraceRecorder,
) -> Result<Report, CheckError> {
    check_by(loaded, settings, observer, recorder, None)
}

/// The same by several processes, of which this is the first.
pub fn check_together(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    recorder: &mut dyn TraceRecorder,
    team: &mut dyn Team,
) -> Result<Report, CheckError> {
    check_by(loaded, settings, observer, recorder, Some(team))
}

/// What one of several processes does that is not the first: it searches, and the first one has what was found.
pub fn take_part(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    team: &mut dyn Team,
) -> Result<(), CheckError> {
    settings.refuse_contradictions()?;
    search_states_by(loaded, settings, observer, Some(team));
    observer.ended();
    Ok(())
}

fn check_by(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    recorder: &mut dyn TraceRecorder,
    team: Option<&mut dyn Team>,
) -> Result<Report, CheckError> {
    settings.refuse_contradictions()?;
    settings.refuse_unknown_parts(&loaded.model)?;
    settings.refuse_unfit_heuristic(&loaded.model)?;
    settings.refuse_unsaved_properties(&loaded.model)?;
    for (option, store) in [("--store", Some(settings.store)), ("--on-full", settings.on_full.store())] {
        let Some(StoreSpec::Disk(dir)) = store else { continue };
        let opened = DiskSpace::open(Path::new(dir));
        opened.map_err(|why| CheckError::Disk { dir: dir.to_string(), option, why })?;
    }
    for property in settings.property.temporal(&loaded.model) {
        // Of everything that a model states, a claim that does more than a claim should is left out, and that is said.
        let is_asked_for = settings.property == Property::Temporal(property);
        if is_asked_for || !matches!(property, Temporal::Claim(_)) {
            property.claim(&loaded.model).map_err(|why| CheckError::unfollowed(loaded, property, why))?;
        }
    }
    let (start, cpu_start) = (Instant::now(), process::cpu_seconds());
    let cpu_start_of_all = process::cpu_seconds_of_all();
    let verdict = run_search_by(loaded, settings, observer, team);
    observer.ended();
    let compile = verdict.engine.compile_time;
    let seconds = Seconds {
        front_end: loaded.time.as_secs_f64(),
        compile: compile.as_secs_f64(),
        search: start.elapsed().saturating_sub(compile).as_secs_f64(),
        search_cpu: match verdict.outcome.threads {
            0 | 1 => process::cpu_seconds().zip(cpu_start),
            _ => process::cpu_seconds_of_all().zip(cpu_start_of_all),
        }
        .map(|(end, start)| end - start),
    };
    let mut report = Report::new(loaded, settings, verdict, seconds);
    let allowance = Allowance::new(start, &settings.limits, observer);
    traces::attach(&mut report, loaded, settings, &allowance, recorder)?;
    sample::attach(&mut report, loaded, settings);
    report.peak_memory_bytes = process::peak_memory_bytes();
    Ok(report)
}

/// Only the searches of a check. What they found was not walked again, so nobody should be told of it yet: this is for tests and
/// measurements of searches, which settings that contradict each other would mislead.
pub fn run_search(loaded: &Loaded, settings: &CheckSettings, observer: &mut dyn Observer) -> Verdict {
    run_search_by(loaded, settings, observer, None)
}

fn run_search_by(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    team: Option<&mut dyn Team>,
) -> Verdict {
    let start = Instant::now();
    let settings = &CheckSettings { limits: settings.limits.of_model(&loaded.model), ..settings.clone() };
    let mut verdict = match settings.property.is_safety() {
        true => {
            let first = if team.is_none() { first_look(settings) } else { settings.clone() };
            let verdict = search_states_by(loaded, &first, observer, team);
            begin_again(loaded, &first, verdict, start, observer)
        }
        false => Verdict::of_nothing(settings),
    };
    second_look(loaded, settings, &mut verdict, start, observer);
    if settings.improve {
        improve(loaded, settings, &mut verdict, start, observer);
    }
    for property in settings.property.temporal(&loaded.model) {
        let left = CheckSettings { limits: settings.limits.since(start), ..settings.clone() };
        let pass = match settings.can_find_cycles() {
            true => temporal::run(loaded, &left, property, observer),
            false => Err(Unfollowed::default()),
        };
        match pass {
            Ok(pass) => verdict.add(pass),
            Err(_) => verdict.unchecked.push(property.title(&loaded.model)),
        }
    }
    verdict.settle(&loaded.model);
    verdict
}

/// Looks for errors that a state or a step can show.
pub(crate) fn search_states(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
) -> Verdict {
    search_states_by(loaded, settings, observer, None)
}

fn search_states_by(
    loaded: &Loaded,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
    team: Option<&mut dyn Team>,
) -> Verdict {
    let start = Instant::now();
    // Transitions and control states keep their numbers, so all that is found is told in terms of the model as it was.
    // This search follows no claim.
    let drops_claims = settings.semantics.optimisation >= Optimisation::Steps;
    let claimless = drops_claims.then(|| without_claims(&loaded.model));
    let model = claimless.as_ref().unwrap_or(&loaded.model);
    let mut optimised = optimise(model, settings.passes());
    let is_alone = team.is_none();
    let mut exchange = Exchange::plan(&optimised.model, settings, is_alone);
    if exchange.as_ref().is_ok_and(|exchange| exchange.symmetry.loses_parameters()) {
        optimised = optimise(model, Passes { keep_parameters: true, ..settings.passes() });
        exchange = Exchange::plan(&optimised.model, settings, is_alone);
    }
    let Optimised { mut model, summary: optimisations, lift } = optimised;
    if !settings.property.checks(&model).deadlocks {
        // Nobody asks, so executors need not look.
        model.waiting.clear();
    }
    let with_time_left = || CheckSettings { limits: settings.limits.since(start), ..settings.clone() };
    let (strategy, store) = settings.chosen();
    let (Searched { mut outcome, passes, store }, swarm, engine) = if let Strategy::Swarm(size) = strategy {
        let (outcome, summary, engine) = swarm(&model, size, &with_time_left(), observer);
        (Searched { outcome, passes: Vec::new(), store }, Some(summary), engine)
    } else {
        let exchange = exchange.as_ref().ok();
        let (searched, engine) = with_engine(&model, settings, exchange, |executor| {
            plan::search(&model, executor, &with_time_left(), exchange, observer, team)
        });
        (searched, None, engine)
    };
    let (lossy, until) = (settings.semantics.lossy, traces::until(start, &settings.limits));
    if let Ok(exchange) = &exchange
        && !exchange.lift(&model, lossy, until, &mut outcome)
    {
        // An error that no execution shows is none: what was found without exchanges counts.
        debug_assert!(false, "the path leads nowhere");
        let semantics = Semantics { symmetry: SymmetryChoice::Off, ..settings.semantics };
        let left = CheckSettings { semantics, ..with_time_left() };
        let why = "an error could not be led back to an execution, so the search was made again without";
        let symmetry = SymmetryUse::NotPossible(why.to_string());
        return Verdict { symmetry, ..search_states(loaded, &left, observer) };
    }
    Lifting { written: &loaded.model, searched: &model, lift: &lift, lossy, until }.apply(&mut outcome);
    Verdict {
        limits: outcome.limits.clone(),
        scope: match strategy {
            Strategy::Scatter(scatter) => {
                Some(scatter.scope(&model, settings.limits.steps(), settings.limits.queue))
            }
            _ => None,
        },
        outcome,
        store,
        engine,
        passes,
        optimisations,
        swarm,
        symmetry: exchange.map_or_else(|why_not| why_not, |exchange| exchange.result()),
        ..Verdict::of_nothing(settings)
    }
}
