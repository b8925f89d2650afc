//! One check: prepare the model, run the search that was chosen, sum up.

use crate::engine::with_engine;
use crate::lift::Lifting;
use crate::swarm::swarm;
use crate::verdict::{Verdict, VerdictKind};
use crate::{CheckSettings, Loaded, Optimisation, Strategy, plan};
use panoptes_optimise::{Optimised, optimise, without_claims};
use panoptes_search::Observer;
use std::time::Instant;

/// Runs a check.
pub fn check(loaded: &Loaded, settings: &CheckSettings, observer: &mut dyn Observer) -> Verdict {
    let start = Instant::now();
    let settings = &CheckSettings { limits: settings.limits.of_model(&loaded.model), ..settings.clone() };
    // Transitions and control states keep their numbers, so all that is found is told in terms of the model as it was.
    // No search here follows a claim.
    let drops_claims = settings.semantics.optimisation >= Optimisation::Steps;
    let claimless = drops_claims.then(|| without_claims(&loaded.model));
    let Optimised { mut model, summary: optimisations, lift } =
        optimise(claimless.as_ref().unwrap_or(&loaded.model), settings.passes());
    if !settings.property.checks(&model).deadlocks {
        // Nobody asks, so executors need not look.
        model.waiting.clear();
    }
    let with_time_left = || CheckSettings { limits: settings.limits.since(start), ..settings.clone() };
    let (strategy, store) = settings.chosen();
    let (mut outcome, passes, swarm, engine) = if let Strategy::Swarm(size) = strategy {
        let (outcome, summary, engine) = swarm(&model, size, &with_time_left(), observer);
        (outcome, Vec::new(), Some(summary), engine)
    } else {
        let ((outcome, passes), engine) = with_engine(&model, settings, |executor| {
            plan::search(&model, executor, &with_time_left(), observer)
        });
        (outcome, passes, None, engine)
    };
    let lossy = settings.semantics.lossy;
    Lifting { written: &loaded.model, searched: &model, lift: &lift, lossy }.apply(&mut outcome);
    let unchecked = settings.property.unchecked(&loaded.model);
    Verdict {
        kind: VerdictKind::of(&loaded.model, &outcome, &unchecked),
        limits: outcome.limits.clone(),
        scope: plan::scope(&model, settings),
        depth_max: settings.depth_steps(),
        outcome,
        strategy,
        store,
        engine,
        passes,
        optimisations,
        unchecked,
        swarm,
    }
}
