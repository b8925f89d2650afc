//! The text of a model and how it is read, kept so that it can be read again with a condition or a formula beside it.

use panoptes_check::{Language, LoadError, Loaded, TextOptions, load_text};
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub struct ModelText {
    /// What messages call it.
    pub name: String,
    pub text: String,
    /// Where its includes are looked for.
    pub path: PathBuf,
    pub language: Language,
    pub options: TextOptions,
}

/// What stands beside the text for one question.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExtraProperties {
    pub invariants: Vec<String>,
    pub reach: Option<String>,
    pub formula: Option<String>,
}

impl ModelText {
    pub fn load(&self) -> Result<Loaded, LoadError> {
        self.load_with(&self.options)
    }

    /// The model with more beside it; the message says what is wrong with that.
    pub(crate) fn load_with_extra(&self, extra: ExtraProperties) -> Result<Loaded, String> {
        let mut options = self.options.clone();
        options.invariants.extend(extra.invariants);
        options.reach = extra.reach.or(options.reach);
        options.formulas.extend(extra.formula);
        self.load_with(&options).map_err(|error| {
            let wrong = error.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
            let lines: Vec<String> = wrong.take(3).map(|diagnostic| diagnostic.message.to_string()).collect();
            lines.join("; ")
        })
    }

    fn load_with(&self, options: &TextOptions) -> Result<Loaded, LoadError> {
        load_text(&self.name, self.text.clone(), &self.path, self.language, options)
    }
}
