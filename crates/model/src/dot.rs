//! The automata as a Graphviz drawing: one cluster a process type, one edge a rule.
//!
//! A double circle is a state where the process may end, a grey one accepts, a green rim marks progress; a bold edge
//! keeps control, a dashed one escapes. States that cannot be reached are left out.

use crate::text::{position_text, rule_text};
use crate::{ControlState, Machine, Model, ProcId, Process, ProcessKind, StateId, Transition, minimised};
use panoptes_source::SourceMap;
use std::fmt::Write;

/// Lines of an edge's label are broken at blanks once they are this long.
const LABEL_WIDTH: usize = 28;

pub fn to_dot(model: &Model, sources: &SourceMap) -> String {
    let ids = (0..model.processes.len() as u32).map(ProcId);
    drawing(model, |out| ids.for_each(|id| cluster(out, model, sources, id, (id.0, ""))))
}

/// Every machine beside what is left of it after minimisation.
pub fn to_dot_with_minimised(model: &Model, sources: &SourceMap) -> String {
    let small = minimised(model);
    drawing(model, |out| {
        let count = model.processes.len() as u32;
        for id in (0..count).map(ProcId) {
            cluster(out, model, sources, id, (id.0, ""));
            cluster(out, &small, sources, id, (count + id.0, ", minimised"));
        }
    })
}

fn drawing(model: &Model, clusters: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(&model.name));
    out.push_str("  graph [fontname=\"Helvetica\", fontsize=12, ranksep=0.45, nodesep=0.35]\n");
    out.push_str("  node [fontname=\"Helvetica\", fontsize=11, shape=circle, margin=0.04, style=filled, fillcolor=white]\n");
    out.push_str("  edge [fontname=\"Courier\", fontsize=10, arrowsize=0.7]\n");
    clusters(&mut out);
    out.push_str("}\n");
    out
}

/// `number` tells the nodes of this cluster from those of others, `suffix` is put behind its title.
fn cluster(out: &mut String, model: &Model, sources: &SourceMap, id: ProcId, (number, suffix): (u32, &str)) {
    let process = model.process(id);
    let reachable = Machine::of(model, id).reachable;
    let _ = writeln!(out, "\n  subgraph cluster_{number} {{");
    let _ = writeln!(
        out,
        "    label={}; labeljust=l; style=rounded; color=gray60",
        quoted(&(title(process) + suffix))
    );
    let _ = writeln!(out, "    start_{number} [shape=point, width=0.1, fillcolor=black]");
    let _ = writeln!(out, "    start_{number} -> {}", node(number, process.initial));
    let states = (0..).map(StateId).zip(&process.states).filter(|(state, _)| reachable[state.index()]);
    for (state, control) in states.clone() {
        let position = position_text(sources, control.span);
        let _ = writeln!(out, "    {} [{}]", node(number, state), state_attributes(control, &position));
    }
    for transition in states.flat_map(|(_, control)| &control.transitions).map(|t| model.transition(*t)) {
        let from = node(number, transition.from);
        let to = match transition.to {
            Some(to) => node(number, to),
            None => {
                let gone = format!("gone_{number}_{}", transition.from.0);
                let _ = writeln!(
                    out,
                    "    {gone} [shape=none, style=\"\", margin=0, width=0.15, height=0.15, label=\"✕\"]"
                );
                gone
            }
        };
        let position = position_text(sources, transition.span);
        let _ = writeln!(out, "    {from} -> {to} [{}]", edge_attributes(model, transition, &position));
    }
    out.push_str("  }\n");
}

fn title(process: &Process) -> String {
    let kind = match process.kind {
        ProcessKind::Process => "process",
        ProcessKind::Claim => "claim",
        ProcessKind::Monitor => "monitor",
    };
    format!("{kind} {}", process.name)
}

fn node(process: u32, state: StateId) -> String {
    format!("p{process}_s{}", state.0)
}

fn state_attributes(state: &ControlState, position: &str) -> String {
    let lines: Vec<String> =
        std::iter::once(state.number.to_string()).chain(state.labels.iter().cloned()).collect();
    let mut text = format!("label={}, tooltip={}", quoted(&lines.join("\n")), quoted(position));
    if state.end {
        text.push_str(", shape=doublecircle");
    }
    if state.accepting {
        text.push_str(", fillcolor=gray85");
    }
    if state.progress {
        text.push_str(", color=forestgreen, penwidth=2");
    }
    text
}

fn edge_attributes(model: &Model, transition: &Transition, position: &str) -> String {
    let text = match transition.text.trim() {
        "" => rule_text(&transition.guard, &transition.actions, model),
        text => text.to_owned(),
    };
    let mut attributes = format!("label={}, tooltip={}", quoted(&folded(&text)), quoted(position));
    let styles: Vec<&str> = [(transition.keeps_control, "bold"), (transition.escape != 0, "dashed")]
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, style)| *style)
        .collect();
    if !styles.is_empty() {
        let _ = write!(attributes, ", style={}", quoted(&styles.join(",")));
    }
    attributes
}

/// The words of `text` in lines of about [`LABEL_WIDTH`] characters, each a blank away from the edge.
fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= LABEL_WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| format!(" {line}")).collect::<Vec<_>>().join("\n")
}

/// A quoted string of the drawing language, which shows exactly `text`.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            '\r' => {}
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn the_sample_is_drawn_with_its_marks() {
        let (mut model, sources) = sample();
        model.transitions[1].text = "print(\"a\\n\")".to_owned();
        let dot = to_dot(&model, &sources);
        for part in [
            "digraph \"sample\" {",
            "subgraph cluster_3 {",
            "label=\"process sender\"",
            "start_0 -> p0_s0",
            "p0_s2 [label=\"3\", tooltip=\"sample.txt:1:1\", shape=doublecircle]",
            "p0_s1 [label=\"2\\nagain\", tooltip=\"sample.txt:1:1\", color=forestgreen, penwidth=2]",
            "p0_s0 -> p0_s2 [label=\" turn is 2\", tooltip=\"sample.txt:6:1\", style=\"dashed\"]",
            "p0_s0 -> p0_s1 [label=\" print(\\\"a\\\\n\\\")\", tooltip=\"sample.txt:7:1\"]",
            "p0_s1 -> p0_s0 [label=\" flip\", tooltip=\"sample.txt:9:1\", style=\"bold\"]",
            "p0_s2 -> gone_0_2 [label=\" end\"",
        ] {
            assert!(dot.contains(part), "{part} is not in\n{dot}");
        }
    }

    #[test]
    fn without_source_text_the_rule_speaks_for_itself() {
        let (mut model, sources) = sample();
        model.transitions[1].text.clear();
        assert!(to_dot(&model, &sources).contains("label=\" data ! msg, seq\""));
    }

    #[test]
    fn nothing_in_a_text_means_something_to_the_drawing() {
        assert_eq!(quoted("a \"b\" \\n\n&lt;"), r#""a \"b\" \\n\n&amp;lt;""#);
    }

    #[test]
    fn long_labels_are_folded() {
        assert_eq!(folded("one two"), " one two");
        assert_eq!(
            folded("a_rather_long_word and_another_one and more"),
            " a_rather_long_word\n and_another_one and more"
        );
    }
}
