//! The model of a saved trace: where it was, read as it was read when the trace was made.

use crate::args::{ModelArgs, WarningArgs};
use crate::failure::usage;
use crate::input::{self, Given, Input};
use panoptes_check::{EndStates, Steps, Timeouts};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_report::StepSource;
use panoptes_source::FileId;
use panoptes_trace::{
    AvoidLimits, Configuration, LastChance, Origin, ReplayError, Replayer, Subject, Trace, last_chance,
};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

/// Of the states of a long trace, so many of the last are looked at for the last chance.
const STATES_HELD: usize = 2_000;

/// The command line that reads the model as it was read when the trace was made.
pub fn model_args(origin: &Origin, given: ModelArgs) -> ModelArgs {
    let mut model = given;
    if model.defines.is_empty() {
        let define = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (text.clone(), None),
        };
        model.defines = origin.defines.iter().map(define).collect();
    }
    if origin.language == "argos" {
        let timeouts = if origin.is_lock_only { Timeouts::LockOnly } else { Timeouts::Free };
        let end_states = if origin.is_strict { EndStates::Strict } else { EndStates::Rest };
        model.timeouts = model.timeouts.or(Some(timeouts));
        model.end_states = model.end_states.or(Some(end_states));
    }
    model
}

/// A model and nothing else on the command line.
pub fn bare_args(model: PathBuf, language: Option<String>) -> ModelArgs {
    ModelArgs {
        model,
        defines: Vec::new(),
        include_dirs: Vec::new(),
        language,
        timeouts: None,
        end_states: None,
        warnings: WarningArgs::default(),
    }
}

/// Reads the model of a trace: from the file that is named, or from where it was. Fails if its text is another one.
pub fn load(head: &Trace, named: Option<&Path>) -> anyhow::Result<Input> {
    let origin = &head.origin;
    let path = named.map_or_else(|| PathBuf::from(&origin.model), Path::to_path_buf);
    let model = model_args(origin, bare_args(path, Some(origin.language.clone())));
    let Origin { along, invariants, reach, formulas, patterns, automata, is_merged, .. } = origin;
    let (along, reach) = (along.as_deref(), reach.as_deref());
    let steps = if *is_merged { Steps::Merged } else { Steps::Statements };
    let given = Given { along, invariants, reach, formulas, patterns, automata, steps, ..Given::default() };
    let input = input::load_with(&model, &given, true)?;
    head.fits(&input.loaded.sources).map_err(|error| {
        usage(format!("the trace does not fit {}: {error}; `--model` names another file", input.name))
    })?;
    Ok(input)
}

/// The texts of the model: its own file and those it includes.
pub fn files(input: &Input) -> Vec<(String, String)> {
    let sources = &input.loaded.sources;
    let ids = (0..sources.file_count() as u32).map(FileId);
    let own = ids.filter(|id| id.0 == 0 || sources.file(*id).included_at.is_some());
    own.map(|id| (sources.file(id).name.clone(), sources.file(id).text.clone())).collect()
}

/// When the error of a trace could last be avoided; none if the question makes no sense for it. Without a model, `input` says why
/// there is none.
pub fn chance(input: Result<&Input, &str>, head: &Trace, steps: &mut dyn StepSource) -> Option<LastChance> {
    let error = head.error.as_ref()?;
    if error.cycle_start.is_some() || error.property.is_some() {
        let why = "that is computed for errors of states and steps, not for temporal properties";
        return Some(LastChance::Unknown(why.to_string()));
    }
    if matches!(error.kind.as_str(), "goal" | "reached") || head.length == 0 {
        return None;
    }
    let chance = input.map_err(str::to_string).and_then(|input| search(input, head, steps));
    Some(chance.unwrap_or_else(LastChance::Unknown))
}

fn search(input: &Input, head: &Trace, steps: &mut dyn StepSource) -> Result<LastChance, String> {
    let model = &input.loaded.model;
    let mut executor = Interpreter::new(model, InterpreterOptions { lossy: head.origin.lossy });
    let mut subject = Subject { model, sources: &input.loaded.sources, executor: &mut executor };
    let mut states: VecDeque<Configuration> = VecDeque::new();
    let mut replayer = Replayer::start(&mut subject).map_err(|fault| fault.message)?;
    states.push_back(replayer.configuration());
    let mut failed: Option<ReplayError> = None;
    let walked = steps.each(&mut |step| match replayer.take_saved(step) {
        Ok(_) => {
            states.push_back(replayer.configuration());
            if states.len() > STATES_HELD + 1 {
                states.pop_front();
            }
            Ok(())
        }
        Err(error) => {
            failed = Some(error);
            Err(io::Error::other("stopped"))
        }
    });
    if let Some(error) = failed {
        return Err(error.to_string());
    }
    walked.map_err(|error| error.to_string())?;
    let states: Vec<Configuration> = states.into();
    last_chance(&mut subject, &states, head.length, AvoidLimits::default()).map_err(|error| error.to_string())
}
