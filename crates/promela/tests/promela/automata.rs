//! The automata of processes are those of SPIN's verifier: states by number, targets, what is atomic, where a process may end.
//!
//! Beside each model in `automata/` stands what `pan -d` prints of it (after `spin -o1 -o2 -o3 -a`), one transition a line:
//! process, from, to (0 is the end), `atomic`, `end`. `pan` marks a deterministic step inside an atomic sequence as
//! atomic even where it is the last one; those marks are left out.

use panoptes_model::{Action, Model, ProcessKind};
use panoptes_promela::{lower, parse_str};
use std::path::Path;

#[test]
fn every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/automata");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|ending| ending == "pml") {
            let text = std::fs::read_to_string(&path).expect("a model is text");
            let expected = std::fs::read_to_string(path.with_extension("edges")).expect("it has its edges");
            let (sources, module, diagnostics) = parse_str(&text);
            assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", path.display());
            let lowered = lower(&module, &sources, "model.pml");
            let model =
                lowered.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), lowered.diagnostics));
            let expected: Vec<&str> = expected.lines().collect();
            assert_eq!(edges(&model), expected, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 10, "only {seen} models found");
}

fn edges(model: &Model) -> Vec<String> {
    let mut edges = Vec::new();
    for process in model.processes.iter().filter(|process| process.kind == ProcessKind::Process) {
        for state in &process.states {
            for id in &state.transitions {
                let transition = model.transition(*id);
                let to = transition.to.map_or(0, |to| process.states[to.index()].number);
                let is_block = matches!(transition.actions[..], [Action::Block(_)]);
                let atomic = if transition.keeps_control && !is_block { " atomic" } else { "" };
                let end = if state.end { " end" } else { "" };
                edges.push(format!("{} {} {to}{atomic}{end}", process.name, state.number));
            }
        }
    }
    edges.sort();
    edges
}
