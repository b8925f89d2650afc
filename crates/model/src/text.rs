//! The readable form of a whole model: layout, variables, channels, automata, blocks and properties, one thing a line.
//!
//! A rule is written `from --[guard] actions--> to`, with what is special about it and its place in the source behind.
//! Numbers in the left column of variables and channels are byte offsets: from the start of the vector for global
//! ones, from the start of the frame for local ones.

mod action;
mod expr;
mod formula;
mod table;

pub use action::{action_text, rule_text};
pub use expr::ExprText;

pub(crate) use expr::Names;

use crate::{
    Channel, ControlState, Display, FrameLayout, Header, Model, ProcId, Process, ProcessKind, StateId,
    Transition, Variable,
};
use formula::formula_text;
use panoptes_source::{SourceMap, Span};
use table::Table;

/// The text of `model`; places in the source are looked up in `sources`.
pub fn to_text(model: &Model, sources: &SourceMap) -> String {
    let mut writer = Writer { model, sources, names: Names::of(model), out: String::new() };
    writer.model();
    writer.out
}

/// Where a span stands for people: `file:line:column`, or nothing if its file is not known.
pub(crate) fn position_text(sources: &SourceMap, span: Span) -> String {
    let known = (span.file.0 as usize) < sources.file_count();
    if known { sources.user_position(span).to_string() } else { String::new() }
}

struct Writer<'a> {
    model: &'a Model,
    sources: &'a SourceMap,
    names: Names<'a>,
    out: String,
}

impl Writer<'_> {
    fn model(&mut self) {
        let model = self.model;
        self.line(&format!("model {}", model.name));
        if model.uses_priorities {
            self.line("only the processes of the highest priority that can move do");
        }
        let first = model.processes.first().map(|process| process.frame);
        let fixed = first.map_or(FrameLayout::FIXED_BYTES, FrameLayout::fixed_bytes);
        self.section("vector", header_rows(&model.header, fixed));
        let values =
            |values: &[(i32, String)]| self.names.list(values, |(value, name)| format!("{name} = {value}"));
        let enumerations =
            model.enumerations.iter().map(|e| vec![e.name.clone(), format!("{{ {} }}", values(&e.values))]);
        let enumerations = enumerations.collect();
        self.section("enumerations", enumerations);
        self.section("globals", self.variable_rows(&model.variables, 0));
        self.section("initially", model.init.iter().map(|action| vec![self.names.action(action)]).collect());
        self.section("channels", self.channel_rows(&model.channels, true));
        let starts = model.initial.iter().enumerate().map(|(pid, initial)| {
            vec![
                pid.to_string(),
                self.names.process(initial.process),
                format!("priority {}", initial.priority),
            ]
        });
        self.section("starts", starts.collect());
        (0..model.processes.len() as u32).for_each(|id| self.process(ProcId(id)));
        self.blocks();
        self.properties();
    }

    fn process(&mut self, id: ProcId) {
        let process = self.model.process(id);
        let kind = match process.kind {
            ProcessKind::Process => "process",
            ProcessKind::Claim => "claim",
            ProcessKind::Monitor => "monitor",
        };
        self.line("");
        let place = self.position(process.span);
        self.line(&format!("{kind} {}  (frame {})  {place}", process.name, bytes_text(process.frame.bytes)));
        if process.deterministic {
            self.line("  never two steps at once");
        }
        if let Some(provided) = &process.provided {
            self.line(&format!("  provided {}", self.names.expr(provided)));
        }
        self.part("variables", self.variable_rows(&process.variables, process.param_count));
        self.part("channels", self.channel_rows(&process.channels, false));
        self.part("initially", process.init.iter().map(|action| vec![self.names.action(action)]).collect());
        let mut table = Table::default();
        for (index, state) in process.states.iter().enumerate() {
            table.line(self.state_line(process, StateId(index as u32), state));
            for transition in &state.transitions {
                table.row(self.transition_cells(process, self.model.transition(*transition)));
            }
        }
        self.line("  automaton");
        table.write(&mut self.out, "    ");
        self.part("never reached", process.dead_code.iter().map(|span| vec![self.position(*span)]).collect());
    }

    fn state_line(&self, process: &Process, id: StateId, state: &ControlState) -> String {
        let marks = [
            (id == process.initial, "initial"),
            (state.end, "end"),
            (state.progress, "progress"),
            (state.accepting, "accept"),
        ];
        let mut words: Vec<String> =
            marks.iter().filter(|(holds, _)| *holds).map(|(_, word)| (*word).to_owned()).collect();
        words.extend(state.labels.iter().map(|label| format!("\"{label}\"")));
        let words = words.join(" ");
        if words.is_empty() {
            format!("state {}", state.number)
        } else {
            format!("state {}: {words}", state.number)
        }
    }

    fn transition_cells(&self, process: &Process, transition: &Transition) -> [String; 3] {
        let number = |state: StateId| process.states[state.index()].number.to_string();
        let (from, to) = (number(transition.from), transition.to.map_or("gone".to_owned(), number));
        let rule = self.names.rule(&transition.guard, &transition.actions);
        let mut marks = Vec::new();
        if transition.keeps_control {
            marks.push("atomic".to_owned());
        }
        if transition.escape != 0 {
            marks.push(format!("escape {}", transition.escape));
        }
        [format!("  {from} --{rule}--> {to}"), marks.join(", "), self.position(transition.span)]
    }

    fn blocks(&mut self) {
        for (index, block) in self.model.blocks.iter().enumerate() {
            self.line("");
            self.line(&format!("block {index}  (entry {})", block.entry));
            let steps = block.nodes.iter().flat_map(|node| &node.steps);
            let mut table = Table::default();
            for (line, step) in self.names.block_lines(block).into_iter().zip(steps) {
                table.row([line, self.position(step.span)]);
            }
            table.write(&mut self.out, "  ");
        }
    }

    fn properties(&mut self) {
        let model = self.model;
        if let Some(monitor) = &model.monitor {
            let channels =
                |numbers: &[u8]| self.names.list(numbers, |n| self.names.channel_number(i32::from(*n)));
            let verdict = if monitor.negated { "must not reach its end" } else { "must follow every event" };
            let mut rows = vec![vec![self.names.process(monitor.process), verdict.to_owned()]];
            rows.push(vec!["sends".to_owned(), channels(&monitor.sends)]);
            rows.push(vec!["receives".to_owned(), channels(&monitor.receives)]);
            rows.retain(|row| !row[1].is_empty());
            self.section("monitor", rows);
        }
        let requirements = model.requirements.iter().zip(0..).map(|(requirement, index)| {
            let fulfilled = format!("fulfilled if {}", self.names.expr(&requirement.fulfilled));
            let place = self.position(requirement.span);
            vec![format!("{index}"), self.names.process(requirement.process), fulfilled, place]
        });
        self.section("requirements", requirements.collect());
        self.section("claims", model.claims.iter().map(|id| vec![self.names.process(*id)]).collect());
        let temporal = model.temporal.iter().map(|property| {
            let formula = formula_text(&property.formula, self.names);
            vec![property.name.clone(), formula, self.position(property.span)]
        });
        self.section("temporal", temporal.collect());
        let invariants = model.invariants.iter().map(|invariant| vec![self.names.expr(&invariant.condition)]);
        self.section("invariants", invariants.collect());
    }

    fn variable_rows(&self, variables: &[Variable], param_count: usize) -> Vec<Vec<String>> {
        let row = |(index, variable): (usize, &Variable)| {
            let subscript = if variable.is_array { format!("[{}]", variable.count) } else { String::new() };
            let role = if index < param_count { "parameter" } else { "" };
            vec![
                format!("{:>5}", variable.offset),
                format!("{}{subscript}", variable.name),
                self.type_text(variable.ty, variable.display),
                role.to_owned(),
            ]
        };
        variables.iter().enumerate().map(row).collect()
    }

    fn channel_rows(&self, channels: &[Channel], numbered: bool) -> Vec<Vec<String>> {
        let has_receivers = channels.iter().any(|channel| channel.receiver.is_some());
        let row = |(index, channel): (usize, &Channel)| {
            let fields = channel.fields.iter().enumerate().map(|(field, ty)| {
                self.type_text(*ty, channel.displays.get(field).copied().unwrap_or(Display::Int))
            });
            let fields = fields.collect::<Vec<_>>().join(", ");
            let bytes = match channel.total_bytes() {
                0 => "rendezvous".to_owned(),
                bytes => bytes_text(bytes as u32),
            };
            let mut cells = vec![
                format!("{:>5}", channel.offset),
                if numbered { format!("#{}", index + 1) } else { String::new() },
                channel.name.clone(),
                format!("[{}] of {{ {fields} }}", channel.capacity),
                bytes,
            ];
            if has_receivers {
                let receiver = |id: ProcId| format!("for {}", self.names.process(id));
                cells.push(channel.receiver.map_or_else(String::new, receiver));
            }
            cells.push(self.position(channel.span));
            cells
        };
        channels.iter().enumerate().map(row).collect()
    }

    fn type_text(&self, ty: crate::ScalarType, display: Display) -> String {
        match display {
            Display::Int => ty.to_string(),
            Display::Bool => format!("{ty} bool"),
            Display::Channel => format!("{ty} channel"),
            Display::Enum(id) => {
                let name = self.model.enumerations.get(id.index()).map_or("?", |e| e.name.as_str());
                format!("{ty} {name}")
            }
        }
    }

    fn position(&self, span: Span) -> String {
        position_text(self.sources, span)
    }

    /// A part of the model: an empty line, a title, the rows. Nothing at all without rows.
    fn section(&mut self, title: &str, rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.line("");
            self.rows("", title, rows);
        }
    }

    /// A part of a process.
    fn part(&mut self, title: &str, rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.rows("  ", title, rows);
        }
    }

    fn rows(&mut self, indent: &str, title: &str, rows: Vec<Vec<String>>) {
        self.line(&format!("{indent}{title}"));
        let mut table = Table::default();
        rows.into_iter().for_each(|row| table.row(row));
        table.write(&mut self.out, &format!("{indent}  "));
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }
}

fn bytes_text(bytes: u32) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

fn header_rows(header: &Header, fixed: u32) -> Vec<Vec<String>> {
    let row = |offset: u32, what: &str, bytes: String| vec![format!("{offset:>5}"), what.to_owned(), bytes];
    let mut rows = Vec::new();
    if header.hidden_bytes > 0 {
        rows.push(row(0, "hidden, not compared", bytes_text(header.hidden_bytes)));
    }
    rows.push(row(header.hidden_bytes, "process count", bytes_text(1)));
    rows.extend(header.last.map(|offset| row(offset, "last process", bytes_text(1))));
    rows.extend(header.monitor.map(|offset| row(offset, "monitor's state", bytes_text(2))));
    rows.push(row(
        header.globals(),
        "globals and channels",
        bytes_text(header.frames.saturating_sub(header.globals())),
    ));
    let fixed = format!("{fixed} fixed bytes each");
    rows.push(row(header.frames, "frames", fixed));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    /// Every word the form has, in one model.
    #[test]
    fn the_sample_reads_well() {
        let (model, sources) = sample();
        let expected = include_str!("text/sample.txt");
        let actual = to_text(&model, &sources);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/sample.txt"), &actual).unwrap();
            return;
        }
        assert_eq!(actual, expected, "rewrite with UPDATE_EXPECT=1 if the change is meant");
    }
}
