//! The depth bound that the papers on the tracer give to partial searches.

use panoptes_model::{Machine, Model, ProcId, ProcessKind};

/// Ten times the number of control states of all machines: each process that is there at first, and one of each kind that is
/// started later. Most errors show before every process has been everywhere ten times (Holzmann, *Automated Protocol
/// Validation in Argos*, 1987, section V).
pub fn auto_depth(model: &Model) -> u64 {
    let states = |id: ProcId| Machine::of(model, id).states as u64;
    let initial: u64 = model.initial.iter().map(|initial| states(initial.process)).sum();
    let is_later = |id: &ProcId| {
        model.process(*id).kind == ProcessKind::Process
            && !model.initial.iter().any(|initial| initial.process == *id)
    };
    let later: u64 = (0..model.processes.len() as u32).map(ProcId).filter(is_later).map(states).sum();
    10 * (initial + later).max(1)
}
