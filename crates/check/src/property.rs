//! What a check looks for.

use crate::{NameError, Named, Temporal, listed};
use panoptes_model::Model;
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
    /// One about infinite executions, and nothing else.
    Temporal(Temporal),
}

impl Named for Property {
    const WHAT: &'static str = "property";
    /// What can be asked for. Everything is checked where nothing is.
    const ALL: &'static [Property] = &[
        Property::Safety,
        Property::Deadlock,
        Property::Assertions,
        Property::Temporal(Temporal::Acceptance),
        Property::Temporal(Temporal::Progress),
        Property::Temporal(Temporal::Stuck),
    ];

    /// Everything is safety, and temporal properties that have names of their own.
    fn name(&self) -> &'static str {
        match self {
            Property::Everything | Property::Safety => "safety",
            Property::Deadlock => "deadlock",
            Property::Assertions => "assertions",
            Property::Temporal(property) => property.kind(),
        }
    }
}

impl Property {
    /// The property with that name; it may be one that the model states.
    pub fn of_model(name: &str, model: &Model) -> Result<Property, NameError> {
        let named: Vec<(String, Temporal)> =
            Temporal::all(model).into_iter().map(|property| (property.name(model), property)).collect();
        let of_model = named.iter().find(|(stated, _)| stated == name).map(|(_, property)| *property);
        let built_in = Property::ALL.iter().find(|property| property.name() == name);
        match (of_model, built_in) {
            (Some(property), Some(_)) if !property.is_labels() => {
                return Err(NameError(format!(
                    "`{name}` is the name of {} in this model, and of a property that every model has: give it another name there",
                    property.title(model)
                )));
            }
            (_, Some(property)) => return Ok(*property),
            (Some(property), None) => return Ok(Property::Temporal(property)),
            (None, None) => {}
        }
        let stated: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        let known =
            stated.iter().copied().chain(Property::ALL.iter().map(|property| -> &str { property.name() }));
        let meant = did_you_mean(name, known).map_or_else(String::new, |meant| format!("; {meant}"));
        let stated = if stated.is_empty() { "none".to_string() } else { stated.join(", ") };
        Err(NameError(format!(
            "the model states no property `{name}`{meant} (it states: {stated}; there is also {})",
            listed::<Property>()
        )))
    }

    /// What a search of the model counts as an error.
    pub fn checks(self, model: &Model) -> Checks {
        // Where a goal is looked for, nothing else is.
        if model.goal().is_some() {
            return Checks { deadlocks: false, assertions: true };
        }
        if let Property::Temporal(_) = self {
            return Checks { deadlocks: false, assertions: false };
        }
        Checks { deadlocks: self != Property::Assertions, assertions: self != Property::Deadlock }
    }

    /// The temporal properties that are asked for.
    pub(crate) fn temporal(self, model: &Model) -> Vec<Temporal> {
        match self {
            // Where a goal is looked for, nothing else is.
            Property::Everything if model.goal().is_none() => Temporal::all(model),
            Property::Temporal(property) => vec![property],
            _ => Vec::new(),
        }
    }

    /// Is anything asked for beside one temporal property?
    pub(crate) fn is_safety(self) -> bool {
        !matches!(self, Property::Temporal(_))
    }
}
