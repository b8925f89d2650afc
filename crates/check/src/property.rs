//! What a check looks for.

use crate::{NameError, Named, listed};
use panoptes_model::{ControlState, Model, ProcessKind};
use panoptes_search::Checks;
use panoptes_source::did_you_mean;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Property {
    /// Everything the model states.
    #[default]
    Everything,
    Safety,
    Deadlock,
    Assertions,
}

impl Named for Property {
    const WHAT: &'static str = "property";
    /// What can be asked for. Everything is checked where nothing is.
    const ALL: &'static [Property] = &[Property::Safety, Property::Deadlock, Property::Assertions];

    /// All that can be checked of everything is safety.
    fn name(&self) -> &'static str {
        match self {
            Property::Everything | Property::Safety => "safety",
            Property::Deadlock => "deadlock",
            Property::Assertions => "assertions",
        }
    }
}

/// Kinds of properties that no search here decides.
const TEMPORAL: [&str; 2] = ["acceptance", "progress"];

impl Property {
    /// The property with that name; it may be one that the model states.
    pub fn of_model(name: &str, model: &Model) -> Result<Property, NameError> {
        if let Some(property) = Property::ALL.iter().find(|property| property.name() == name) {
            return Ok(*property);
        }
        if TEMPORAL.contains(&name) {
            return Err(temporal(&format!("`--property {name}`")));
        }
        let formulas = model.temporal.iter().map(|property| property.name.as_str());
        let claims = model.claims.iter().map(|claim| model.process(*claim).name.as_str());
        let stated: Vec<&str> = formulas.chain(claims).collect();
        if stated.contains(&name) {
            return Err(temporal(&format!("the property `{name}`")));
        }
        let known =
            stated.iter().copied().chain(Property::ALL.iter().map(|property| -> &str { property.name() }));
        if let Some(meant) = did_you_mean(name, known) {
            return Err(NameError(format!("the model states no property `{name}`; {meant}")));
        }
        let stated = if stated.is_empty() { "none".to_string() } else { stated.join(", ") };
        Err(NameError(format!(
            "the model states no property `{name}` (it states: {stated}); there is also {}",
            listed::<Property>()
        )))
    }

    /// What a search of the model counts as an error.
    pub(crate) fn checks(self, model: &Model) -> Checks {
        // Where a goal is looked for, nothing else is.
        if model.goal().is_some() {
            return Checks { deadlocks: false, assertions: true };
        }
        Checks { deadlocks: self != Property::Assertions, assertions: self != Property::Deadlock }
    }

    /// The properties that the model states and no search here looks at.
    pub(crate) fn unchecked(self, model: &Model) -> Vec<String> {
        if self != Property::Everything {
            return Vec::new();
        }
        let formulas = model.temporal.iter().map(|property| format!("ltl {}", property.name));
        let claims = model.claims.iter().map(|claim| format!("never claim {}", model.process(*claim).name));
        let labels = stated_by_labels(model).map(|(_, name)| name.to_string());
        formulas.chain(claims).chain(labels).collect()
    }
}

fn temporal(what: &str) -> NameError {
    NameError(format!(
        "{what} cannot be checked: temporal properties are not available in this version \
         (`--property safety` checks the rest)"
    ))
}

/// Labels that say what must happen again and again (`progress`) or must not (`accept`): the kind of the property, and
/// its name. Those in a claim are part of it.
pub(crate) fn stated_by_labels(model: &Model) -> impl Iterator<Item = (&'static str, &'static str)> {
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    let states: Vec<&ControlState> = processes.flat_map(|process| &process.states).collect();
    let stated = [
        ("acceptance", "accept labels", states.iter().any(|state| state.accepting)),
        ("progress", "progress labels", states.iter().any(|state| state.progress)),
    ];
    stated.into_iter().filter(|(_, _, is_there)| *is_there).map(|(kind, name, _)| (kind, name))
}
