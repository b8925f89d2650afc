//! A state for people: what variables and channels hold and where processes stand, and what differs between two states.

use crate::{contents_text, typed};
use panoptes_model::{Channel, ChannelView, ControlState, Display, NamedValue, StateView};
use panoptes_source::{SourceMap, Span};
use serde::{Deserialize, Serialize};

/// Everything in one state, values as the source writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub variables: Vec<Value>,
    pub channels: Vec<ChannelContents>,
    pub processes: Vec<Standing>,
    /// Variables and channels by name, with structure: see [`crate::typed`].
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub values: serde_json::Map<String, serde_json::Value>,
    /// What may help, where nothing can move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A statement that a process cannot go on with, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub statement: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelContents {
    pub name: String,
    pub capacity: u16,
    /// Oldest first, each with its fields.
    pub messages: Vec<Vec<String>>,
}

/// Where a process stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub pid: u8,
    pub process: String,
    /// The control state's number in its process type.
    pub state: u32,
    /// `file:line:column`.
    pub location: String,
    pub labels: Vec<String>,
    /// The statements it could go on with if they were possible.
    pub next: Vec<String>,
    /// It may end here.
    pub may_end: bool,
    /// Where nothing can move: why it may not move, whatever its statements are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Where nothing can move: what keeps each statement from being executed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// Where nothing can move: who could do what it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WaitsFor>,
}

/// A process that could end the waiting of another one, if it came so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitsFor {
    pub pid: u8,
    pub process: String,
    /// The channel or variable that one waits on and the other acts on.
    pub on: String,
}

/// A variable or channel that is not what it was, or that an assignment left as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub name: String,
    /// None if it came into being with this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub after: String,
    /// The same with structure: a number, a truth value, a name, or the messages of a channel. Older traces have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_value: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_value: Option<serde_json::Value>,
}

impl Change {
    /// A change of a variable.
    fn of_variable(name: String, before: Option<String>, after: String) -> Change {
        let (before_value, after_value) = (before.as_deref().map(typed::typed), Some(typed::typed(&after)));
        Change { name, before, after, before_value, after_value }
    }

    /// A change of what a channel holds.
    fn of_channel(name: String, before: Option<&ChannelContents>, after: &ChannelContents) -> Change {
        Change {
            name,
            before: before.map(|contents| contents_text(&contents.messages)),
            after: contents_text(&after.messages),
            before_value: before.map(|contents| typed::messages(&contents.messages)),
            after_value: Some(typed::messages(&after.messages)),
        }
    }
}

impl Snapshot {
    /// Processes that wait for each other in a circle, each for the next and the last for the first: the first circle that is
    /// found.
    pub fn circle(&self) -> Option<Vec<u8>> {
        let next = |pid: u8| -> Vec<u8> {
            let process = self.processes.iter().find(|process| process.pid == pid && !process.may_end);
            process.map_or_else(Vec::new, |process| process.waits_for.iter().map(|other| other.pid).collect())
        };
        for start in self.processes.iter().map(|process| process.pid) {
            let mut path = vec![(start, next(start))];
            let mut seen = vec![start];
            while let Some((_, left)) = path.last_mut() {
                let Some(pid) = left.pop() else {
                    path.pop();
                    continue;
                };
                if pid == start {
                    return Some(path.iter().map(|(pid, _)| *pid).collect());
                }
                if !seen.contains(&pid) {
                    seen.push(pid);
                    path.push((pid, next(pid)));
                }
            }
        }
        None
    }

    pub fn of(view: &StateView<'_>, sources: &SourceMap) -> Snapshot {
        let variables: Vec<Value> = view.variables().iter().map(|value| named(view, value)).collect();
        let channels: Vec<ChannelContents> =
            view.channels().iter().map(|channel| contents(view, channel)).collect();
        let values = typed::state(&variables, &channels);
        Snapshot { variables, channels, processes: standing(view, sources), values, hint: None }
    }
}

/// What differs: variables, then channels that have slots; those of processes that are gone are left out.
pub(crate) fn changes(before: &StateView<'_>, after: &StateView<'_>) -> Vec<Change> {
    // Most of the vector stays as it is in a step, so names are made only where bytes differ.
    let globals_differ = before.global_bytes() != after.global_bytes();
    let same_process = |pid: u8| match (before.process(pid), after.process(pid)) {
        (Some(old), Some(new)) if old.id == new.id => Some((old, new)),
        _ => None,
    };
    let differs = |owner: Option<u8>| match owner {
        None => globals_differ,
        Some(pid) => same_process(pid).is_none_or(|(old, new)| old.frame_bytes() != new.frame_bytes()),
    };
    let mut changes = Vec::new();
    let mut compare = |before: Option<String>, after: Value| {
        if before.as_ref() != Some(&after.value) {
            changes.push(Change::of_variable(after.name, before, after.value));
        }
    };
    if globals_differ {
        for (old, new) in before.globals().iter().zip(after.globals()) {
            compare(Some(named(before, old).value), named(after, &new));
        }
    }
    for process in after.processes().filter(|process| differs(Some(process.pid))) {
        let old = same_process(process.pid).map(|(old, _)| old.variables());
        for (index, new) in process.variables().iter().enumerate() {
            compare(old.as_ref().map(|old| named(before, &old[index]).value), named(after, new));
        }
    }
    let old_channels = before.channels();
    for new in after.channels().iter().filter(|channel| !channel.channel.is_rendezvous()) {
        let owner = new.owner.map(|(pid, _)| pid);
        if !differs(owner) {
            continue;
        }
        let survives = owner.is_none_or(|pid| same_process(pid).is_some());
        let old = old_channels.iter().find(|old| survives && old.number == new.number);
        // A new channel is empty: that is no news.
        if old.is_some() || !new.messages().is_empty() {
            let (old, now) = (old.map(|channel| contents(before, channel)), contents(after, new));
            if old.as_ref().is_none_or(|old| old.messages != now.messages) {
                changes.push(Change::of_channel(new.name(), old.as_ref(), &now));
            }
        }
    }
    changes
}

/// Those of the `written` variables that are not among the changes: they were assigned the value that they had.
pub(crate) fn unchanged(view: &StateView<'_>, written: &[NamedValue], changes: &[Change]) -> Vec<Change> {
    let mut same: Vec<Change> = Vec::new();
    for Value { name, value } in written.iter().map(|value| named(view, value)) {
        if changes.iter().chain(&same).all(|change| change.name != name) {
            same.push(Change::of_variable(name, Some(value.clone()), value));
        }
    }
    same
}

/// `file:line:column`, or nothing for a place that no file has.
pub(crate) fn location(sources: &SourceMap, span: Span) -> String {
    let span = sources.user_span(span);
    if (span.file.0 as usize) < sources.file_count() {
        sources.position(span).to_string()
    } else {
        String::new()
    }
}

fn named(view: &StateView<'_>, value: &NamedValue) -> Value {
    Value { name: value.name.clone(), value: view.render(value.display, value.value) }
}

/// The fields of a message as the source writes them, those that mean nothing left out.
pub(crate) fn message_fields(view: &StateView<'_>, channel: &Channel, values: &[i32]) -> Vec<String> {
    let is_alone = match (channel.displays.first(), values.first()) {
        (Some(Display::Enum(id)), Some(value)) => view.model().enumerations[id.index()].alone.contains(value),
        _ => false,
    };
    let shown = if is_alone { &values[..1] } else { values };
    shown.iter().zip(&channel.displays).map(|(value, display)| view.render(*display, *value)).collect()
}

fn contents(view: &StateView<'_>, channel: &ChannelView<'_>) -> ChannelContents {
    let render = |message: &Vec<i32>| message_fields(view, channel.channel, message);
    ChannelContents {
        name: channel.name(),
        capacity: channel.channel.capacity,
        messages: channel.messages().iter().map(render).collect(),
    }
}

/// Where a control state is: at the call of an inline the place is the statement in its body, as for the steps.
fn place(view: &StateView<'_>, sources: &SourceMap, state: &ControlState) -> Span {
    let expansion = |span: Span| sources.user_span(span).expansion;
    let next: Vec<Span> = state.transitions.iter().map(|id| view.model().transition(*id).span).collect();
    match next.first() {
        Some(first)
            if expansion(*first).is_some()
                && expansion(*first) != expansion(state.span)
                && next.iter().all(|span| expansion(*span) == expansion(*first)) =>
        {
            *first
        }
        _ => state.span,
    }
}

fn standing(view: &StateView<'_>, sources: &SourceMap) -> Vec<Standing> {
    let one = |process: panoptes_model::ProcessView<'_>| {
        let state = process.state();
        let transitions = state.map_or(&[][..], |state| &state.transitions);
        let mut next: Vec<String> =
            transitions.iter().map(|id| view.model().transition(*id).text.clone()).collect();
        // A receive of any message is a rule for each.
        next.dedup();
        Standing {
            pid: process.pid,
            process: process.process.name.clone(),
            state: process.state_id().0,
            location: state.map_or_else(String::new, |state| location(sources, place(view, sources, state))),
            labels: state.map_or_else(Vec::new, |state| state.labels.clone()),
            next,
            may_end: state.is_some_and(|state| state.end),
            held: None,
            waits: Vec::new(),
            waits_for: Vec::new(),
        }
    };
    view.processes().map(one).collect()
}
