//! What the channels hold and who reads them, as the processes show by what they send and receive.
//!
//! The *sort* of a channel is the set of messages that can be sent to it. In the state vector a message is a number, its
//! *tag*, the same on all channels. A message that is sent sometimes with a value and sometimes without has two tags,
//! because receiving it without a value leaves the receiver's variable as it was.

use super::Body;
use crate::ast::Name;
use crate::flow::{Node, Step, StepKind};
use crate::resolve::{Reporter, Symbols};
use panoptes_model::ScalarType;
use panoptes_source::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Sorts {
    /// In the order of their numbers, from one.
    pub tags: Vec<Tag>,
    /// For each channel, the numbers of the tags that can be sent to it, in order.
    pub sent: Vec<BTreeSet<i32>>,
    pub readers: Vec<Option<Reader>>,
    /// Where each message of a channel is first sent and first received; `None` stands for all other messages.
    pub uses: Vec<Uses>,
    /// The channels and processes that were reported: one message is enough.
    refused: BTreeSet<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub message: Name,
    pub has_value: bool,
}

/// The one process that reads a channel.
pub(crate) struct Reader {
    /// Its index among the processes.
    pub process: usize,
    pub span: Span,
}

#[derive(Default)]
pub(crate) struct Uses {
    pub sends: BTreeMap<Name, Vec<Span>>,
    pub receives: BTreeMap<Name, Vec<Span>>,
    pub defaults: Vec<Span>,
    pub timeouts: Vec<Span>,
}

impl Sorts {
    pub fn of(symbols: &Symbols<'_>, processes: &[Body], reporter: &mut Reporter) -> Sorts {
        let count = symbols.channels.len();
        let mut sorts = Sorts {
            tags: Vec::new(),
            sent: vec![BTreeSet::new(); count],
            readers: (0..count).map(|_| None).collect(),
            uses: (0..count).map(|_| Uses::default()).collect(),
            refused: BTreeSet::new(),
        };
        for (number, channel) in symbols.channels.iter().enumerate() {
            for (message, value) in &channel.contents {
                sorts.note_send(number, &message.name, value.is_some(), message.span);
            }
        }
        // First all that is sent, so that tags of messages that are never sent come last.
        for step in processes.iter().flat_map(steps) {
            if let StepKind::Send { channel, message, value } = &step.kind {
                sorts.note_send(*channel, message, value.is_some(), step.span);
            }
        }
        for (index, body) in processes.iter().enumerate() {
            for step in steps(body) {
                sorts.note_receive(symbols, processes, index, step, reporter);
            }
        }
        sorts
    }

    fn note_send(&mut self, channel: usize, message: &Name, has_value: bool, span: Span) {
        let tag = self.make_tag(message, has_value);
        self.sent[channel].insert(tag);
        self.uses[channel].sends.entry(message.clone()).or_default().push(span);
    }

    fn note_receive(
        &mut self,
        symbols: &Symbols<'_>,
        processes: &[Body],
        process: usize,
        step: &Step,
        reporter: &mut Reporter,
    ) {
        let channel = match &step.kind {
            StepKind::Receive { channel, message, .. } => {
                self.uses[*channel].receives.entry(message.clone()).or_default().push(step.span);
                if !self.tags.iter().any(|tag| tag.message == *message) {
                    self.make_tag(message, false);
                }
                *channel
            }
            StepKind::Default { channel } => {
                self.uses[*channel].defaults.push(step.span);
                *channel
            }
            StepKind::Timeout { channel } => {
                self.uses[*channel].timeouts.push(step.span);
                *channel
            }
            _ => return,
        };
        if self.refused.contains(&(channel, process)) {
            return;
        }
        let name = |process: usize| &processes[process].name;
        let declared = &symbols.channels[channel].decl.name;
        let owner = symbols.channels[channel].owner;
        let owner = owner.map(|owner| symbols.processes().position(|number| number == owner));
        if let Some(Some(owner)) = owner.filter(|owner| *owner != Some(process)) {
            let message = format!(
                "channel `{}` is read by `{}`, but declared inside `{}`",
                declared.name,
                name(process),
                name(owner)
            );
            let wrong = Diagnostic::error(step.span, message).label(declared.span, "declared here");
            reporter
                .report(wrong.help("a channel that is declared inside a process is read by that process"));
            self.refused.insert((channel, process));
            return;
        }
        match &self.readers[channel] {
            None => self.readers[channel] = Some(Reader { process, span: step.span }),
            Some(first) if first.process != process => {
                let message = format!(
                    "channel `{}` is read by both `{}` and `{}`",
                    declared.name,
                    name(first.process),
                    name(process)
                );
                let wrong = Diagnostic::error(step.span, message)
                    .label(first.span, format!("`{}` reads it here", name(first.process)))
                    .help("each channel has one reader: give one of them a channel of its own");
                reporter.report(wrong);
                self.refused.insert((channel, process));
            }
            Some(_) => {}
        }
    }

    fn make_tag(&mut self, message: &Name, has_value: bool) -> i32 {
        let tag = Tag { message: message.clone(), has_value };
        if let Some(index) = self.tags.iter().position(|other| *other == tag) {
            return index as i32 + 1;
        }
        self.tags.push(tag);
        self.tags.len() as i32
    }

    /// The number of a message with or without a value.
    pub fn tag(&self, message: &str, has_value: bool) -> i32 {
        let found = self.tags.iter().position(|tag| &*tag.message == message && tag.has_value == has_value);
        found.expect("every message has a number") as i32 + 1
    }

    /// The messages of that name that can be in the channel, with whether they have a value. If there are none, one
    /// that is never there.
    pub fn received(&self, channel: usize, message: &str) -> Vec<(i32, bool)> {
        let named = |tag: &(i32, &Tag)| &*tag.1.message == message;
        let all = || (1..).zip(&self.tags).filter(named).map(|(number, tag)| (number, tag.has_value));
        let there: Vec<(i32, bool)> = all().filter(|(tag, _)| self.sent[channel].contains(tag)).collect();
        if there.is_empty() { all().take(1).collect() } else { there }
    }

    /// The messages that can be in the channel and have none of these names, with their names.
    pub fn others(&self, channel: usize, named: &[&str]) -> Vec<(i32, &Name)> {
        let tags =
            self.sent[channel].iter().map(|number| (*number, &self.tags[*number as usize - 1].message));
        tags.filter(|(_, message)| !named.contains(&&***message)).collect()
    }

    /// Some message of the channel has a value.
    pub fn carries_values(&self, channel: usize) -> bool {
        self.sent[channel].iter().any(|number| self.tags[*number as usize - 1].has_value)
    }

    /// Has room for every tag, and for one that no message has.
    pub fn tag_type(&self) -> ScalarType {
        super::type_for(self.tags.len() + 2)
    }

    /// A number that no message has.
    pub fn no_tag(&self) -> i32 {
        self.tags.len() as i32 + 1
    }
}

/// All steps of a body, those that cannot be reached too.
pub(crate) fn steps(body: &Body) -> impl Iterator<Item = &Step> {
    body.flow.nodes.iter().filter_map(|node| match node {
        Node::Step(step) => Some(step),
        _ => None,
    })
}
