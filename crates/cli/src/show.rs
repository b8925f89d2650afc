//! `panoptes show`: the machines that a model is compiled to.

use crate::args::{ShowArgs, ShowFormat};
use crate::failure::{Status, usage};
use crate::{input, output};
use panoptes_check::{Loaded, estimate};
use panoptes_explore::{Graph, GraphLimits, graph_dot};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{
    Machine, Model, ProcId, StateId, minimise, minimised, to_dot, to_dot_with_minimised, to_json, to_text,
};
use panoptes_report::{estimate_json, estimate_text, human};
use panoptes_source::SourceMap;
use serde_json::json;

pub fn run(args: &ShowArgs) -> anyhow::Result<Status> {
    let input = input::load(&args.model, false)?;
    let (model, sources) = (&input.loaded.model, &input.loaded.sources);
    if args.states {
        return states(args, &input.loaded);
    }
    let text = match args.format {
        ShowFormat::Text if args.minimised => before_and_after(model, sources) + &expected(&input.loaded),
        ShowFormat::Dot if args.minimised => to_dot_with_minimised(model, sources),
        ShowFormat::Text => to_text(model, sources) + &expected(&input.loaded),
        ShowFormat::Dot => to_dot(model, sources),
        ShowFormat::Json => {
            let mut shown = to_json(model, sources);
            shown["estimate"] = json!(estimate(&input.loaded).map(|sizes| estimate_json(model, &sizes)));
            format!("{shown:#}\n")
        }
    };
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// The state space, up to a limit, which is said.
fn states(args: &ShowArgs, loaded: &Loaded) -> anyhow::Result<Status> {
    if args.format != ShowFormat::Dot {
        return Err(usage("`--states` draws the state space for Graphviz: add `--format dot`"));
    }
    let mut executor = Interpreter::new(&loaded.model, InterpreterOptions::default());
    let limits = GraphLimits { states: usize::try_from(args.states_max).unwrap_or(usize::MAX), until: None };
    let graph = Graph::of(&loaded.model, &loaded.sources, &mut executor, &limits)
        .map_err(|message| usage(format!("there is no initial state: {message}")))?;
    output::to_stdout(&graph_dot(&loaded.model.name, &graph))?;
    let Some(cut) = &graph.cut else { return Ok(Status::Success) };
    output::warning(&format!("{cut}; `--states-max` allows for more"));
    Ok(Status::Partial)
}

/// How large a search could become.
fn expected(loaded: &Loaded) -> String {
    estimate(loaded).map_or_else(String::new, |sizes| estimate_text(&loaded.model, &sizes))
}

/// The sizes, then the machines as they are compiled, then what is left of them.
fn before_and_after(model: &Model, sources: &SourceMap) -> String {
    let (before, after) = (to_text(model, sources), to_text(&minimised(model), sources));
    format!("{}\nBEFORE MINIMISATION\n\n{before}\nAFTER MINIMISATION\n\n{after}", sizes(model))
}

/// A line for each machine, and below it the states that minimisation merges.
fn sizes(model: &Model) -> String {
    let mut out = String::new();
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        let machine = Machine::of(model, id);
        let partition = minimise(model, id);
        out += &format!(
            "{}: {}, {} after minimisation, {}\n",
            process.name,
            human::plural(machine.states as u64, "state"),
            partition.states,
            human::plural(machine.transitions as u64, "transition"),
        );
        for class in 0..partition.classes as u32 {
            let members = (0..).map(StateId).zip(&partition.class_of).filter(|(_, of)| **of == Some(class));
            let numbers: Vec<String> =
                members.map(|(state, _)| process.states[state.index()].number.to_string()).collect();
            if numbers.len() > 1 {
                out += &format!("  equivalent: {}\n", numbers.join(", "));
            }
        }
    }
    out
}
