//! Where a walk has come to: the steps that led there, how things stand, and which steps there are now.

use crate::explorer::{Clock, Explorer, WALK_MAX, too_long};
use crate::{ModelText, Refusal};
use panoptes_check::{Language, Loaded};
use panoptes_trace::{Choice, Choices, Snapshot, TraceError, TraceStep, Walk};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WalkQuestion {
    /// Which of the steps there are is taken, each time.
    pub path: Vec<u32>,
    /// Steps before this one are known to the asker.
    #[serde(default)]
    pub from: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct WalkAnswer {
    pub length: usize,
    /// From `from` on.
    pub steps: Vec<TraceStep>,
    pub state: Snapshot,
    pub choices: Vec<ChoiceAnswer>,
    /// `moves`, or why there are no choices: `end`, `deadlock`, `fault`.
    pub ending: &'static str,
    /// What is wrong here.
    pub error: Option<TraceError>,
    /// Invariants that do not hold here.
    pub broken: Vec<String>,
    /// The state was met before, after so many steps: the steps since then are a cycle.
    pub met_after: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ChoiceAnswer {
    pub pid: u8,
    pub process: String,
    pub text: String,
    pub location: String,
    /// The number of the rule: which edge of its machine it is.
    pub transition: u32,
    pub partner: Option<PartnerAnswer>,
    /// What goes wrong in the step.
    pub fault: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PartnerAnswer {
    pub pid: u8,
    pub process: String,
    pub text: String,
    pub location: String,
    pub transition: u32,
}

impl From<Choice> for ChoiceAnswer {
    fn from(choice: Choice) -> ChoiceAnswer {
        let partner = choice.partner.map(|partner| PartnerAnswer {
            pid: partner.pid,
            process: partner.process,
            text: partner.text,
            location: partner.location,
            transition: partner.transition,
        });
        ChoiceAnswer {
            pid: choice.step.pid,
            process: choice.process,
            text: choice.text,
            location: choice.location,
            transition: choice.step.transition.0,
            partner,
            fault: choice.fault.map(|fault| fault.message),
        }
    }
}

impl Explorer {
    pub(crate) fn walk(&self, question: &WalkQuestion) -> Result<WalkAnswer, Refusal> {
        let (mut steps, mut met, mut last_fault) = (Vec::new(), Met::default(), None);
        self.with_walk(&self.loaded, |walk| {
            met.note(walk, 0);
            follow(walk, &question.path, &mut |walk, step| {
                met.note(walk, step.number);
                last_fault.clone_from(&step.fault);
                if step.number > question.from {
                    steps.push(step);
                }
            })?;
            let choices = walk.choices()?;
            let (ending, error, choices) = match choices {
                Choices::Steps(choices) => ("moves", None, choices),
                Choices::End => ("end", None, Vec::new()),
                Choices::Deadlock(error) => ("deadlock", Some(error), Vec::new()),
                Choices::Fault => ("fault", None, Vec::new()),
            };
            let state = match ending {
                "deadlock" => walk.snapshot_of_deadlock(has_end_labels(&self.text))?,
                _ => walk.snapshot()?,
            };
            Ok(WalkAnswer {
                length: question.path.len(),
                state,
                choices: choices.into_iter().map(ChoiceAnswer::from).collect(),
                ending,
                error: error.or(last_fault.take()),
                broken: walk.broken_invariants().into_iter().map(|fault| fault.message).collect(),
                met_after: met.last_met_after,
                steps: std::mem::take(&mut steps),
            })
        })
    }

    /// Does the same path lead through the same statements in the model as it is explored?
    pub(crate) fn is_same_walk(&self, other: &Loaded, path: &[u32]) -> Result<bool, Refusal> {
        let texts = |loaded: &Loaded| {
            let mut texts = Vec::new();
            self.with_walk(loaded, |walk| {
                follow(walk, path, &mut |_, step| texts.push((step.pid, step.text, step.location)))
            })?;
            Ok::<_, Refusal>(texts)
        };
        Ok(texts(&self.loaded)? == texts(other)?)
    }
}

fn has_end_labels(text: &ModelText) -> bool {
    text.language == Language::Promela
}

/// Takes the steps of a path, and tells each.
pub(crate) fn follow(
    walk: &mut Walk<'_>,
    path: &[u32],
    visit: &mut dyn FnMut(&Walk<'_>, TraceStep),
) -> Result<(), Refusal> {
    if path.len() > WALK_MAX {
        return Err(too_long(path.len()));
    }
    let clock = Clock::start();
    for (taken, index) in path.iter().enumerate() {
        clock.look()?;
        let choices = match walk.choices()? {
            Choices::Steps(choices) => choices,
            _ => Vec::new(),
        };
        let count = choices.len();
        let choice = choices.get(*index as usize).ok_or_else(|| {
            Refusal::wrong(format!("after {taken} steps there is no choice {index}: there are {count}"))
        })?;
        let step = walk.take(choice)?;
        visit(walk, step);
    }
    Ok(())
}

/// The states that a walk has been to, by what stands for each.
#[derive(Default)]
struct Met {
    hasher: RandomState,
    /// After how many steps each was last met.
    latest: HashMap<u64, usize>,
    /// Of the last state that was noted, the time before.
    last_met_after: Option<usize>,
}

impl Met {
    fn note(&mut self, walk: &Walk<'_>, after: usize) {
        let key = self.hasher.hash_one(walk.place().configuration());
        self.last_met_after = self.latest.insert(key, after);
    }
}
