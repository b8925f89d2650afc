//! The chart of small traces, drawn in every way.

use super::{Chart, ChartOptions, RowKind};
use crate::Style;
use panoptes_check::Excerpt;
use panoptes_trace::{Partner, StepEvent, Trace, TraceError, TraceStep};

fn step(number: usize, pid: u8, process: &str, text: &str, events: Vec<StepEvent>) -> TraceStep {
    TraceStep {
        number,
        pid,
        process: process.to_string(),
        transition: 0,
        text: text.to_string(),
        location: format!("m.pml:{number}:1"),
        partner: None,
        atomic: false,
        events,
        changes: Vec::new(),
        fault: None,
    }
}

fn send(pid: u8, values: &[&str]) -> StepEvent {
    let values = values.iter().map(|value| value.to_string()).collect();
    StepEvent::Send { pid, channel: "q".to_string(), values, lost: false }
}

fn receive(pid: u8, values: &[&str]) -> StepEvent {
    let values = values.iter().map(|value| value.to_string()).collect();
    StepEvent::Receive { pid, channel: "q".to_string(), values, peek: false }
}

/// A sends two messages; B takes the first later, then both meet, and the second stays.
fn steps() -> Vec<TraceStep> {
    let meeting = TraceStep {
        partner: Some(Partner {
            pid: 0,
            process: "A".to_string(),
            transition: 1,
            text: "r?1".to_string(),
            location: "m.pml:9:1".to_string(),
        }),
        ..step(5, 1, "B", "r!1", vec![send(1, &["1"]), receive(0, &["1"])])
    };
    vec![
        step(1, 0, "A", "q!msg(0)", vec![send(0, &["msg", "0"])]),
        step(2, 0, "A", "x = 1", Vec::new()),
        step(3, 0, "A", "q!msg(1)", vec![send(0, &["msg", "1"])]),
        step(4, 1, "B", "q?msg(n)", vec![receive(1, &["msg", "0"])]),
        meeting,
        step(6, 1, "B", "timeout", Vec::new()),
    ]
}

fn chart(steps: Vec<TraceStep>, error: Option<TraceError>, options: &ChartOptions) -> Chart {
    let length = steps.len();
    let origin = panoptes_trace::Origin { model: "m.pml".to_string(), ..Default::default() };
    let trace = Trace { origin, number: None, error, length, initial: None, steps: steps.clone(), end: None };
    let excerpt = Excerpt::whole(trace);
    Chart::build(&excerpt.trace, &excerpt.survey, &mut &steps[..], options).expect("memory can be read")
}

fn lasso() -> Option<TraceError> {
    let (kind, message) = ("acceptance-cycle".to_string(), "ltl p violated".to_string());
    Some(TraceError { kind, message, location: None, cycle_start: Some(2), property: Some("p".to_string()) })
}

#[test]
fn messages_go_from_their_sender_to_their_receiver() {
    let chart = chart(steps(), None, &ChartOptions::default());
    let ends: Vec<_> = chart
        .messages
        .iter()
        .map(|message| (message.text(), message.from, message.to, message.delay()))
        .collect();
    assert_eq!(
        ends,
        [
            ("q!msg(0)".to_string(), Some(0), Some(1), Some(3)),
            ("q!msg(1)".to_string(), Some(0), None, None),
            ("q!1".to_string(), Some(1), Some(0), Some(0)),
        ]
    );
    assert!(chart.messages[2].is_rendezvous() && !chart.messages[0].is_rendezvous());
    // What no message belongs to is left out, but not a timeout.
    let numbers: Vec<usize> = chart.rows.iter().map(|row| row.step).collect();
    assert_eq!(numbers, [1, 3, 4, 5, 6]);
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in [40, 52, 80, 132] {
        for steps_too in [false, true] {
            let options = ChartOptions { steps: steps_too, ..ChartOptions::default() };
            let text = chart(steps(), lasso(), &options).to_text(&Style { width, ..Style::default() });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert!(text.contains("q!msg(0)") && text.contains('↻'), "{text}");
        }
    }
}

#[test]
fn many_lanes_are_drawn_close_together() {
    let steps: Vec<TraceStep> = (0..12)
        .map(|index| step(index + 1, index as u8, "Philosopher", "fork!1", vec![send(index as u8, &["1"])]))
        .collect();
    let text = chart(steps, None, &ChartOptions::default()).to_text(&Style { width: 80, ..Style::default() });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("│ ○  Philosopher[11]: q!1 (never received)"), "{text}");
}

#[test]
fn a_range_knows_what_lies_outside() {
    let options = ChartOptions { from: Some(2), to: Some(4), ..ChartOptions::default() };
    let chart = chart(steps(), None, &options);
    assert_eq!(chart.range_text().as_deref(), Some("steps 2 to 4 of 6"));
    let early = chart.messages.iter().find(|message| message.text() == "q!msg(0)").expect("it is received");
    assert_eq!((early.from, early.sent.map(|sent| (sent.step, sent.row))), (Some(0), Some((1, None))));
    assert!(chart.to_text(&Style::default()).contains("q!msg(0) (sent in step 1)"));
}

#[test]
fn one_process_and_those_it_talks_to() {
    let mut steps = steps();
    steps.push(step(7, 2, "C", "y = 1", Vec::new()));
    let options = ChartOptions { processes: vec!["B".to_string()], ..ChartOptions::default() };
    let chart = chart(steps, None, &options);
    let names: Vec<String> = (0..chart.lanes.len()).map(|lane| chart.lane_name(lane)).collect();
    assert_eq!(names, ["A[0]", "B[1]"]);
}

#[test]
fn diagrams_have_real_arrows() {
    let chart = chart(steps(), lasso(), &ChartOptions::default());
    let mermaid = chart.to_mermaid();
    assert!(mermaid.contains("A_0-)B_1: 1→4 q!msg(0)\n"), "{mermaid}");
    assert!(mermaid.contains("B_1->>A_0: 5 q!1\n"), "{mermaid}");
    assert!(mermaid.contains("loop for ever\n") && mermaid.contains("    end\n"), "{mermaid}");
    let plant = chart.to_plantuml();
    assert!(plant.starts_with("@startuml\n") && plant.ends_with("@enduml\n"));
    assert!(plant.contains("A_0 ->> B_1 : 1→4 q!msg(0)\n"), "{plant}");
    assert!(plant.contains("B_1 -> A_0 : 5 q!1\n"), "{plant}");
}

#[test]
fn the_drawing_is_whole() {
    let chart = chart(steps(), lasso(), &ChartOptions::default());
    let svg = chart.to_svg();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    for open in ["<g", "<text", "<title>", "<svg", "<style>"] {
        let close = format!("</{}", open[1..].trim_end_matches('>'));
        assert_eq!(svg.matches(open).count(), svg.matches(&close).count(), "{open}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn a_trace_without_messages_is_shown_step_by_step() {
    let only = vec![step(1, 0, "A", "x = 1", Vec::new())];
    let chart = chart(only, None, &ChartOptions::default());
    assert!(chart.has_steps && chart.rows[0].kind == RowKind::Act);
}
