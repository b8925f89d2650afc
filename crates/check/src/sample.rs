//! What makes the states of a model, from a sample: how many values each variable takes and whether it only grows, how full
//! channels get, where processes stand, which steps are taken most, which options of choices never.
//!
//! The sample is taken with the reference executor, beside the search, so that a search pays nothing for it. States are taken
//! in turn from the beginning and from the end of the list of those that were met: some are near to the initial state, some far
//! away.

use crate::choices::{self, OptionSample};
use crate::{CheckSettings, Loaded, Report, VerdictKind, WhyIncomplete};
use panoptes_exec::{Ending, Executor, FaultKind, Patience, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Display, Model, ProcId, StateId, StateView, TransId, Variable};
use panoptes_search::Limit;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::{Duration, Instant};

/// What a sample may take.
#[derive(Clone, Copy, Debug)]
struct Budget {
    states: usize,
    time: Duration,
    /// For the vectors that wait for their turn, and again for the successors of one state.
    bytes: usize,
}

/// For `--profile`.
const PROFILE: Budget = Budget { states: 100_000, time: Duration::from_secs(3), bytes: 64 << 20 };
/// To say why a model is too large.
const SUSPICION: Budget = Budget { states: 5_000, time: Duration::from_millis(100), bytes: 2 << 20 };

/// Variables and array elements beyond this are not looked at.
const VARIABLES_MAX: usize = 2_000;
/// More values of one variable, or contents of one channel, are not told apart.
const VALUES_MAX: usize = 20_000;
/// A variable that only grows is under suspicion from so many values on, …
const GROWS_FROM: usize = 8;
/// … another one from so many, and a channel that gets full from so many contents.
const MANY_VALUES: usize = 48;
const MANY_CONTENTS: usize = 16;
/// Suspects that are named.
const SUSPECTS_MAX: usize = 4;

/// What was seen in a sample of the states of the model as it is written.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub states: u64,
    /// The sample is all there is.
    pub is_all: bool,
    /// Those that changed, the ones with the most values first.
    pub variables: Vec<VariableSample>,
    /// Those with slots, the ones with the most contents first.
    pub channels: Vec<ChannelSample>,
    /// Control states, the ones that most states have first.
    pub places: Vec<PlaceSample>,
    /// Rules, the ones that were taken most often first.
    pub steps: Vec<StepSample>,
    /// Options of choices.
    pub options: OptionSample,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableSample {
    pub name: String,
    pub values: usize,
    pub min: i32,
    pub max: i32,
    /// No step made it smaller (but for a wrap from the largest value to the smallest), and some made it larger.
    pub only_grows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSample {
    pub name: String,
    pub capacity: u16,
    /// The most messages it held.
    pub longest: usize,
    pub contents: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceSample {
    pub process: String,
    /// `file:line:column`.
    pub location: String,
    /// In how many states some process stands there.
    pub states: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepSample {
    pub process: String,
    pub location: String,
    pub statement: String,
    pub count: u64,
}

/// A part of the model that may be why there are so many states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    pub kind: SuspectKind,
    pub name: String,
    /// In words.
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspectKind {
    Grows,
    FullChannel,
    ManyValues,
}

impl SuspectKind {
    pub fn name(self) -> &'static str {
        match self {
            SuspectKind::Grows => "grows",
            SuspectKind::FullChannel => "full-channel",
            SuspectKind::ManyValues => "many-values",
        }
    }
}

/// Adds a profile to a report if one is asked for, and suspects if the search was too large.
pub(crate) fn attach(report: &mut Report, loaded: &Loaded, settings: &CheckSettings) {
    let is_too_large = |why: &WhyIncomplete| {
        matches!(why, WhyIncomplete::Limit(Limit::Memory | Limit::Time | Limit::Depth | Limit::States))
    };
    let is_suspicious = report.verdict == VerdictKind::Inconclusive && report.limits.iter().any(is_too_large);
    let mut budget = match settings.profile {
        true => PROFILE,
        false if is_suspicious => SUSPICION,
        false => return,
    };
    if let Some(time) = settings.limits.time {
        budget.time = budget.time.min(time / 10);
    }
    let sample = Sampling::take(loaded, settings, &budget);
    if is_suspicious && !sample.is_all {
        report.suspects = sample.suspects();
    }
    report.sample = settings.profile.then_some(sample);
}

impl Sample {
    fn suspects(&self) -> Vec<Suspect> {
        let states = self.states;
        let grows = self.variables.iter().filter(|it| it.only_grows && it.values >= GROWS_FROM);
        let grows = grows.map(|it| Suspect {
            kind: SuspectKind::Grows,
            name: it.name.clone(),
            why: format!(
                "{} only grows: from {} to {} in a sample of {states} states",
                it.name, it.min, it.max
            ),
        });
        let full = self
            .channels
            .iter()
            .filter(|it| it.longest == usize::from(it.capacity) && it.contents >= MANY_CONTENTS);
        let full = full.map(|it| Suspect {
            kind: SuspectKind::FullChannel,
            name: it.name.clone(),
            why: format!(
                "channel {} gets full ({} messages), with {} different contents",
                it.name, it.longest, it.contents
            ),
        });
        let many = self.variables.iter().filter(|it| !it.only_grows && it.values >= MANY_VALUES);
        let many = many.map(|it| Suspect {
            kind: SuspectKind::ManyValues,
            name: it.name.clone(),
            why: format!("{} takes many values: {}, from {} to {}", it.name, it.values, it.min, it.max),
        });
        grows.take(2).chain(full.take(2)).chain(many).take(SUSPECTS_MAX).collect()
    }
}

/// A sample that is being taken.
struct Sampling<'m> {
    model: &'m Model,
    names: Vec<String>,
    /// By number and type of a process: where its variables begin among all.
    frames: HashMap<(u8, u32), usize>,
    variables: Vec<VariableTally>,
    channels: HashMap<String, ChannelTally>,
    places: HashMap<(ProcId, StateId), u64>,
    steps: HashMap<TransId, u64>,
}

#[derive(Default)]
struct VariableTally {
    values: HashSet<i32>,
    grew: bool,
    shrank: bool,
}

#[derive(Default)]
struct ChannelTally {
    capacity: u16,
    longest: usize,
    contents: HashSet<u64>,
}

type Values = Vec<Option<i32>>;

impl<'m> Sampling<'m> {
    fn take(loaded: &'m Loaded, settings: &CheckSettings, budget: &Budget) -> Sample {
        let model = &loaded.model;
        let mut sampling = Sampling {
            model,
            names: Vec::new(),
            frames: HashMap::new(),
            variables: Vec::new(),
            channels: HashMap::new(),
            places: HashMap::new(),
            steps: HashMap::new(),
        };
        let mut executor = Interpreter::new(model, InterpreterOptions { lossy: settings.semantics.lossy });
        let deadline = Instant::now().checked_add(budget.time);
        executor.set_patience(&Patience {
            deadline,
            successor_bytes_max: budget.bytes,
            ..Patience::default()
        });
        let (states, is_all) = sampling.walk(&mut executor, budget, deadline);
        sampling.finish(loaded, states, is_all)
    }

    /// Meets states until the budget is used up; how many, and whether these are all.
    fn walk(
        &mut self,
        executor: &mut dyn Executor,
        budget: &Budget,
        deadline: Option<Instant>,
    ) -> (u64, bool) {
        let Ok(initial) = executor.initial() else { return (0, true) };
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let hidden = executor.hidden_bytes();
        let key =
            |state: &[u8], control: Option<u8>| hasher.hash_one((&state[hidden.min(state.len())..], control));
        let mut met = HashSet::from([key(&initial, None)]);
        let mut waiting_bytes = initial.len();
        let mut waiting = VecDeque::from([(initial, None)]);
        let (mut before, mut after, mut out) = (Values::new(), Values::new(), Successors::default());
        let (mut states, mut is_first) = (0, true);
        loop {
            let next = if is_first { waiting.pop_front() } else { waiting.pop_back() };
            is_first = !is_first;
            let Some((state, control)) = next else { return (states, true) };
            waiting_bytes -= state.len();
            if states as usize >= budget.states || deadline.is_some_and(|end| Instant::now() >= end) {
                return (states, false);
            }
            states += 1;
            self.note_state(&state);
            self.values(&state, &mut before);
            self.note_values(&before);
            executor.successors(&state, control, &mut out);
            if out.ending == Ending::LetGo {
                executor.successors(&state, None, &mut out);
            }
            if out.faults.iter().any(|fault| fault.kind == FaultKind::Interrupted) {
                return (states, false);
            }
            for item in out.items.iter().filter(|item| item.has_state()) {
                let step = item.step();
                *self.steps.entry(step.transition).or_default() += 1;
                self.values(out.state(item), &mut after);
                self.note_change(&before, &after);
                if met.insert(key(out.state(item), item.control())) {
                    waiting_bytes += out.state(item).len();
                    if waiting_bytes > budget.bytes {
                        return (states, false);
                    }
                    waiting.push_back((out.state(item).to_vec(), item.control()));
                }
            }
        }
    }

    /// What all variables hold; none for those of processes that are not there.
    fn values(&mut self, state: &[u8], out: &mut Values) {
        out.clear();
        let Ok(view) = StateView::new(self.model, state) else { return };
        let globals = self.slots(None, &self.model.variables);
        read(&self.model.variables, state, globals, out);
        for process in view.processes() {
            let at = self.slots(Some((process.pid, process.id)), &process.process.variables);
            read(&process.process.variables, process.frame_bytes(), at, out);
        }
    }

    /// Where the variables of an owner begin. They get their names when they are first met.
    fn slots(&mut self, owner: Option<(u8, ProcId)>, variables: &[Variable]) -> usize {
        let key = owner.map_or((u8::MAX, u32::MAX), |(pid, process)| (pid, process.0));
        if let Some(at) = self.frames.get(&key) {
            return *at;
        }
        let at = self.names.len();
        'all: for variable in variables {
            for element in 0..variable.count {
                if self.names.len() >= VARIABLES_MAX {
                    break 'all;
                }
                let index = if variable.is_array { format!("[{element}]") } else { String::new() };
                let name = format!("{}{index}", variable.name);
                self.names.push(match owner {
                    Some((pid, process)) => format!("{}[{pid}].{name}", self.model.process(process).name),
                    None => name,
                });
            }
        }
        self.frames.insert(key, at);
        at
    }

    fn note_values(&mut self, values: &Values) {
        let count = values.len().min(VARIABLES_MAX);
        if self.variables.len() < count {
            self.variables.resize_with(count, VariableTally::default);
        }
        for (tally, value) in self.variables.iter_mut().zip(values) {
            if let Some(value) = value
                && tally.values.len() < VALUES_MAX
            {
                tally.values.insert(*value);
            }
        }
    }

    fn note_change(&mut self, before: &Values, after: &Values) {
        let changes = before.iter().zip(after).enumerate().take(self.variables.len());
        for (slot, (before, after)) in changes {
            if let (Some(before), Some(after)) = (before, after) {
                let by = i64::from(*after) - i64::from(*before);
                let is_wrap = [0xff, 0xffff, 0xffff_ffff].contains(&-by);
                self.variables[slot].grew |= by > 0;
                self.variables[slot].shrank |= by < 0 && !is_wrap;
            }
        }
    }

    /// Where processes stand, and what channels hold.
    fn note_state(&mut self, state: &[u8]) {
        let Ok(view) = StateView::new(self.model, state) else { return };
        let standing: HashSet<(ProcId, StateId)> =
            view.processes().map(|process| (process.id, process.state_id())).collect();
        for place in standing {
            *self.places.entry(place).or_default() += 1;
        }
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        for channel in view.channels().into_iter().filter(|channel| !channel.channel.is_rendezvous()) {
            let messages = channel.messages();
            let tally = self.channels.entry(channel.name()).or_default();
            tally.capacity = channel.channel.capacity;
            tally.longest = tally.longest.max(messages.len());
            if tally.contents.len() < VALUES_MAX {
                tally.contents.insert(hasher.hash_one(messages));
            }
        }
    }

    fn finish(self, loaded: &Loaded, states: u64, is_all: bool) -> Sample {
        let place = |span| loaded.sources.user_position(span).to_string();
        let mut variables: Vec<VariableSample> = self
            .variables
            .into_iter()
            .zip(self.names)
            .filter(|(tally, _)| tally.values.len() > 1)
            .map(|(tally, name)| VariableSample {
                name,
                values: tally.values.len(),
                min: tally.values.iter().copied().min().unwrap_or(0),
                max: tally.values.iter().copied().max().unwrap_or(0),
                only_grows: tally.grew && !tally.shrank,
            })
            .collect();
        variables.sort_by(|a, b| (b.values, &a.name).cmp(&(a.values, &b.name)));
        let channels = self.channels.into_iter().map(|(name, tally)| ChannelSample {
            name,
            capacity: tally.capacity,
            longest: tally.longest,
            contents: tally.contents.len(),
        });
        let mut channels: Vec<ChannelSample> = channels.collect();
        channels.sort_by(|a, b| (b.contents, &a.name).cmp(&(a.contents, &b.name)));
        let of_model = self.model;
        let options = choices::options(
            of_model,
            &loaded.sources,
            |id| self.steps.contains_key(&id),
            |process, state| self.places.contains_key(&(process, state)),
        );
        let places = self.places.into_iter().map(|((process, state), states)| PlaceSample {
            process: of_model.process(process).name.clone(),
            location: place(of_model.process(process).states[state.index()].span),
            states,
        });
        let mut places: Vec<PlaceSample> = places.collect();
        places.sort_by(|a, b| (b.states, &a.process, &a.location).cmp(&(a.states, &b.process, &b.location)));
        let steps = self.steps.into_iter().map(|(id, count)| {
            let rule = of_model.transition(id);
            StepSample {
                process: of_model.process(rule.process).name.clone(),
                location: place(rule.span),
                statement: rule.text.clone(),
                count,
            }
        });
        let mut steps: Vec<StepSample> = steps.collect();
        steps.sort_by(|a, b| (b.count, &a.location, &a.statement).cmp(&(a.count, &b.location, &b.statement)));
        Sample { states, is_all, variables, channels, places, steps, options }
    }
}

/// Puts the values of variables at their places. What a variable that names a channel holds is no number.
fn read(variables: &[Variable], region: &[u8], at: usize, out: &mut Values) {
    let mut slot = at;
    for variable in variables {
        for element in 0..variable.count as usize {
            if slot >= VARIABLES_MAX {
                return;
            }
            if out.len() <= slot {
                out.resize(slot + 1, None);
            }
            let offset = variable.offset as usize + element * variable.ty.bytes();
            let is_number = !matches!(variable.display, Display::Channel);
            out[slot] = region.get(offset..).filter(|_| is_number).map(|bytes| variable.ty.read(bytes));
            slot += 1;
        }
    }
}
