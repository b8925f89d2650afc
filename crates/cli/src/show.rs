//! `panoptes show`: the machines that a model is compiled to.

use crate::args::{ShowArgs, ShowFormat};
use crate::failure::{Status, not_available};
use crate::{input, output};
use panoptes_model::{Machine, Model, ProcId, StateId, minimise, to_dot, to_json, to_text};
use panoptes_report::human;

pub fn run(args: &ShowArgs) -> anyhow::Result<Status> {
    if args.minimised && args.format == ShowFormat::Dot {
        return Err(not_available("drawing minimised machines (`--minimised --format dot`)"));
    }
    let input = input::load(&args.model, false)?;
    let (model, sources) = (&input.loaded.model, &input.loaded.sources);
    let text = match args.format {
        ShowFormat::Text if args.minimised => minimised(model),
        ShowFormat::Text => to_text(model, sources),
        ShowFormat::Dot => to_dot(model, sources),
        ShowFormat::Json => format!("{:#}\n", to_json(model, sources)),
    };
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// A line for each machine, and below it the states that minimisation would merge.
fn minimised(model: &Model) -> String {
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
