//! From the steps of a trace to the rows and arrows of a chart.

use super::{Chart, Event, Lane, Message, Row, RowKind};
use crate::step::{changes, failure_text, paint_of};
use crate::{Paint, StepSource};
use panoptes_check::Survey;
use panoptes_trace::{StepEvent, Trace, TraceStep, message_text};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io;

/// What of a trace is drawn.
#[derive(Clone, Debug, Default)]
pub struct ChartOptions {
    /// Every step, not only those with messages.
    pub steps: bool,
    /// Only what these processes take part in, named as `Sender`, `Sender[0]` or `0`.
    pub processes: Vec<String>,
    /// The first and the last step.
    pub from: Option<usize>,
    pub to: Option<usize>,
}

impl Chart {
    /// Lays out a trace: `head` has all but its steps, `survey` what all of them together tell.
    pub fn build(
        head: &Trace,
        survey: &Survey,
        steps: &mut dyn StepSource,
        options: &ChartOptions,
    ) -> io::Result<Chart> {
        let length = head.length;
        let (lanes, has_message) = lanes(head, survey, steps)?;
        let range = options.from.unwrap_or(1).max(1)..=options.to.unwrap_or(length).min(length);
        let has_end = *range.end() == length;
        let chart = Chart {
            model: head.origin.model.clone(),
            lanes,
            rows: Vec::new(),
            messages: Vec::new(),
            error: head.error.clone(),
            length,
            range,
            // A trace in which nobody sends anything is shown step by step.
            has_steps: options.steps || !has_message,
            end: head.end.clone().filter(|_| has_end),
        };
        let mut builder = Builder { chart, survey, pending: HashMap::new(), options };
        builder.begin(head);
        steps.each(&mut |step| {
            builder.step(step);
            Ok(())
        })?;
        Ok(builder.finish(has_end))
    }
}

/// A lane for each process that does something, or waits; not for those that only start others. And: is there a message?
fn lanes(head: &Trace, survey: &Survey, steps: &mut dyn StepSource) -> io::Result<(Vec<Lane>, bool)> {
    let is_starter =
        |key: &(u8, String)| survey.processes.get(key).is_some_and(|part| part.only_starts_others());
    let mut all: BTreeSet<(u8, String)> = survey.processes.keys().cloned().collect();
    let known = head.initial.iter().chain(&head.end).flat_map(|snapshot| &snapshot.processes);
    all.extend(known.map(|process| (process.pid, process.process.clone())));
    let mut has_message = false;
    steps.each(&mut |step| {
        for event in &step.events {
            match event {
                StepEvent::Start { pid, process } => {
                    all.insert((*pid, process.clone()));
                }
                StepEvent::Send { .. } | StepEvent::Receive { .. } => has_message = true,
                _ => {}
            }
        }
        Ok(())
    })?;
    if !all.iter().all(is_starter) {
        all.retain(|key| !is_starter(key));
    }
    let lanes = all.into_iter().map(|(pid, process)| Lane { pid, process, from: None, until: None });
    Ok((lanes.collect(), has_message))
}

/// A message that was sent and not yet received.
struct Pending {
    values: Vec<String>,
    from: Option<usize>,
    sent: Option<Event>,
    /// Its index, if it was sent where the chart can see it.
    index: Option<usize>,
}

struct Builder<'a> {
    chart: Chart,
    survey: &'a Survey,
    /// By channel, oldest first. There are never more than the channels have room for.
    pending: HashMap<String, VecDeque<Pending>>,
    options: &'a ChartOptions,
}

impl Builder<'_> {
    fn begin(&mut self, head: &Trace) {
        for channel in head.initial.iter().flat_map(|initial| &initial.channels) {
            for values in &channel.messages {
                let pending = Pending { values: values.clone(), from: None, sent: None, index: None };
                self.pending.entry(channel.name.clone()).or_default().push_back(pending);
            }
        }
        let initial = head.initial.iter().flat_map(|initial| &initial.processes);
        let first: BTreeSet<(u8, &str)> =
            initial.map(|process| (process.pid, process.process.as_str())).collect();
        for lane in &mut self.chart.lanes {
            // Those that are not there from the start wait for the row that starts them.
            let is_there = first.is_empty() || first.contains(&(lane.pid, lane.process.as_str()));
            lane.from = if is_there { None } else { Some(usize::MAX) };
        }
    }

    fn lane(&self, pid: u8, process: Option<&str>) -> Option<usize> {
        let fits = |lane: &&Lane| lane.pid == pid && process.is_none_or(|name| lane.process == name);
        let found = self.chart.lanes.iter().rev().find(fits);
        found.and_then(|found| self.chart.lanes.iter().position(|lane| lane == found))
    }

    fn step(&mut self, step: &TraceStep) {
        let is_shown = self.chart.range.contains(&step.number) && self.is_wanted(step);
        if self.chart.range.contains(&step.number) {
            self.cycle_start(step.number);
        }
        let before = self.chart.rows.len();
        let lane = self.lane(step.pid, Some(&step.process));
        if self.is_starter(step) {
            return self.fold(step, is_shown);
        }
        let is_rendezvous = step.partner.is_some();
        let mut handed_over = None;
        for event in &step.events {
            match event {
                StepEvent::Send { pid, channel, values, lost } => {
                    let from = if *pid == step.pid { lane } else { self.lane(*pid, None) };
                    let sent = Event { step: step.number, row: is_shown.then_some(self.chart.rows.len()) };
                    let index = is_shown.then_some(self.chart.messages.len());
                    if is_shown {
                        self.chart.messages.push(Message {
                            channel: channel.clone(),
                            body: message_text(values),
                            from,
                            to: None,
                            sent: Some(sent),
                            received: None,
                            is_lost: *lost,
                            is_copy: false,
                        });
                    }
                    if is_rendezvous {
                        handed_over = Some((index, sent));
                        let kind = index.map(RowKind::Rendezvous);
                        kind.into_iter().for_each(|kind| self.push(step, from, kind));
                        continue;
                    }
                    index.into_iter().for_each(|index| self.push(step, from, RowKind::Send(index)));
                    if !lost {
                        let pending = Pending { values: values.clone(), from, sent: Some(sent), index };
                        self.pending.entry(channel.clone()).or_default().push_back(pending);
                    }
                }
                StepEvent::Receive { pid, channel, values, peek } => {
                    let partner = step.partner.as_ref().filter(|partner| partner.pid == *pid);
                    let name = partner.map_or(&step.process, |partner| &partner.process);
                    let to = self.lane(*pid, Some(name)).or_else(|| self.lane(*pid, None));
                    if let Some((index, sent)) = handed_over.take() {
                        if let Some(index) = index {
                            let message = &mut self.chart.messages[index];
                            (message.to, message.received) = (to, Some(sent));
                        }
                        continue;
                    }
                    self.receive(step, (channel, values), to, *peek, is_shown);
                }
                StepEvent::Print { pid, text } if is_shown && !text.trim().is_empty() => {
                    let lane = self.lane(*pid, None);
                    self.push(step, lane, RowKind::Print(text.clone()));
                }
                StepEvent::Start { pid, process } => self.start(step, (*pid, process), lane, is_shown),
                StepEvent::End { pid } => {
                    let Some(gone) = self.lane(*pid, Some(&step.process)) else { continue };
                    if is_shown {
                        self.push(step, Some(gone), RowKind::End);
                    }
                    self.chart.lanes[gone].until = Some(self.chart.rows.len().saturating_sub(1));
                }
                StepEvent::Print { .. } => {}
            }
        }
        if is_shown && self.chart.rows.len() == before {
            if is_timeout(step) {
                self.push(step, lane, RowKind::Timeout);
            } else if self.chart.has_steps {
                self.push(step, lane, RowKind::Act);
            }
        }
        if let Some(fault) = step.fault.as_ref().filter(|_| is_shown) {
            if self.chart.rows.len() == before && !step.text.is_empty() {
                self.push(step, lane, RowKind::Act);
            }
            let is_good = paint_of(fault) == Paint::Good;
            self.push(step, lane, RowKind::Fault { text: failure_text(fault), is_good });
        }
        // What the step changed stands with its first row.
        if let Some(row) = self.chart.rows.get_mut(before) {
            row.changes = changes(step);
        }
    }

    fn push(&mut self, step: &TraceStep, lane: Option<usize>, kind: RowKind) {
        self.chart.rows.push(Row {
            step: step.number,
            lane,
            kind,
            statement: step.text.clone(),
            location: step.location.clone(),
            is_atomic: step.atomic,
            changes: Vec::new(),
        });
    }

    fn receive(
        &mut self,
        step: &TraceStep,
        (channel, values): (&str, &[String]),
        to: Option<usize>,
        is_copy: bool,
        is_shown: bool,
    ) {
        let waiting = self.pending.entry(channel.to_string()).or_default();
        // Channels are not always first in, first out; equal messages are.
        let place = waiting.iter().position(|pending| pending.values == values);
        let found = match (place, is_copy) {
            (Some(place), false) => waiting.remove(place),
            (Some(place), true) => waiting.get(place).map(|pending| Pending {
                values: Vec::new(),
                from: pending.from,
                sent: pending.sent,
                index: None,
            }),
            (None, _) => None,
        };
        let (from, sent, index) =
            found.map_or((None, None, None), |found| (found.from, found.sent, found.index));
        let received = Event { step: step.number, row: is_shown.then_some(self.chart.rows.len()) };
        let index = match index {
            Some(index) => {
                let message = &mut self.chart.messages[index];
                (message.to, message.received) = (to, Some(received));
                index
            }
            None if is_shown => {
                self.chart.messages.push(Message {
                    channel: channel.to_string(),
                    body: message_text(values),
                    from,
                    to,
                    sent,
                    received: Some(received),
                    is_lost: false,
                    is_copy,
                });
                self.chart.messages.len() - 1
            }
            None => return,
        };
        if is_shown {
            self.push(step, to, RowKind::Receive(index));
        }
    }

    fn start(&mut self, step: &TraceStep, (pid, process): (u8, &str), by: Option<usize>, is_shown: bool) {
        let Some(started) = self.lane(pid, Some(process)) else { return };
        if is_shown {
            self.push(step, by, RowKind::Start(started));
        }
        self.begin_lane(started);
    }

    /// The process lives from the row on that comes last.
    fn begin_lane(&mut self, lane: usize) {
        let row = self.chart.rows.len().saturating_sub(1);
        let is_outside = self.chart.rows.is_empty();
        let lane = &mut self.chart.lanes[lane];
        // One that was there before, and is there again, is drawn as one.
        if lane.from == Some(usize::MAX) {
            lane.from = if is_outside { None } else { Some(row) };
        }
        lane.until = None;
    }

    fn is_starter(&self, step: &TraceStep) -> bool {
        let part = self.survey.processes.get(&(step.pid, step.process.clone()));
        part.is_some_and(|part| part.only_starts_others())
            && self.lane(step.pid, Some(&step.process)).is_none()
    }

    /// Steps of a process that only starts others are one row.
    fn fold(&mut self, step: &TraceStep, is_shown: bool) {
        let started: Vec<(u8, String)> = step
            .events
            .iter()
            .filter_map(|event| match event {
                StepEvent::Start { pid, process } => Some((*pid, process.clone())),
                _ => None,
            })
            .collect();
        let names: Vec<String> =
            started.iter().map(|(pid, process)| crate::step::process_name(process, *pid)).collect();
        if is_shown {
            match self.chart.rows.last_mut() {
                Some(Row { kind: RowKind::Fold { last, text }, .. }) => {
                    *last = step.number;
                    if !names.is_empty() {
                        *text += &format!(", {}", names.join(", "));
                    }
                }
                _ if !names.is_empty() => {
                    let who = crate::step::process_name(&step.process, step.pid);
                    let text = format!("{who} starts {}", names.join(", "));
                    self.push(step, None, RowKind::Fold { last: step.number, text });
                }
                _ => {}
            }
        }
        for (pid, process) in started {
            if let Some(lane) = self.lane(pid, Some(&process)) {
                self.begin_lane(lane);
            }
        }
    }

    fn cycle_start(&mut self, number: usize) {
        let start = self.chart.error.as_ref().and_then(|error| error.cycle_start);
        if start == Some(number - 1) {
            let steps = self.chart.length + 1 - number;
            self.note(number, RowKind::CycleStart { steps });
        }
    }

    fn note(&mut self, step: usize, kind: RowKind) {
        self.chart.rows.push(Row {
            step,
            lane: None,
            kind,
            statement: String::new(),
            location: String::new(),
            is_atomic: false,
            changes: Vec::new(),
        });
    }

    fn finish(mut self, has_end: bool) -> Chart {
        let error = self.chart.error.clone();
        if let Some(start) = error.as_ref().and_then(|error| error.cycle_start).filter(|_| has_end) {
            let first = (start < self.chart.length).then_some(start + 1);
            self.note(self.chart.length, RowKind::CycleEnd { first });
        }
        let is_told = |row: &Row| matches!(row.kind, RowKind::Fault { .. } | RowKind::CycleEnd { .. });
        if let Some(error) = error.filter(|_| has_end && !self.chart.rows.last().is_some_and(is_told)) {
            let is_good = paint_of(&error) == Paint::Good;
            self.note(self.chart.length, RowKind::Fault { text: failure_text(&error), is_good });
        }
        for lane in &mut self.chart.lanes {
            lane.from = lane.from.filter(|from| *from != usize::MAX);
        }
        if !self.options.processes.is_empty() {
            self.drop_lanes();
        }
        self.chart
    }

    /// Leaves out the lanes that nothing happens in.
    fn drop_lanes(&mut self) {
        let chart = &mut self.chart;
        let mut is_used = vec![false; chart.lanes.len()];
        for row in &chart.rows {
            let started = if let RowKind::Start(lane) = row.kind { Some(lane) } else { None };
            row.lane.iter().chain(&started).for_each(|lane| is_used[*lane] = true);
        }
        for message in &chart.messages {
            message.from.iter().chain(&message.to).for_each(|lane| is_used[*lane] = true);
        }
        let mut next = 0;
        let places: Vec<usize> = is_used
            .iter()
            .map(|is_used| {
                next += usize::from(*is_used);
                next.saturating_sub(1)
            })
            .collect();
        let mut used = is_used.iter();
        chart.lanes.retain(|_| *used.next().expect("a mark for each lane"));
        for row in &mut chart.rows {
            row.lane = row.lane.map(|lane| places[lane]);
            if let RowKind::Start(lane) = &mut row.kind {
                *lane = places[*lane];
            }
        }
        for message in &mut chart.messages {
            (message.from, message.to) =
                (message.from.map(|lane| places[lane]), message.to.map(|lane| places[lane]));
        }
    }

    /// Does one of the processes that are asked for take part?
    fn is_wanted(&self, step: &TraceStep) -> bool {
        let wanted = &self.options.processes;
        let is_named = |pid: u8, process: &str| {
            let full = crate::step::process_name(process, pid);
            wanted.iter().any(|name| *name == process || *name == full || *name == pid.to_string())
        };
        let partner = step.partner.as_ref();
        wanted.is_empty()
            || is_named(step.pid, &step.process)
            || partner.is_some_and(|partner| is_named(partner.pid, &partner.process))
    }
}

/// `timeout` in Promela, `q?timeout` in Argos.
fn is_timeout(step: &TraceStep) -> bool {
    let statement = step.text.trim_matches(['(', ')']);
    statement == "timeout" || statement.ends_with("?timeout")
}
