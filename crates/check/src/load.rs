//! From a file to a model, with everything there is to say about its text.

use crate::given::Given;
use crate::user_estimate::UserEstimate;
use crate::{Steps, Temporal};
use panoptes_argos::{EndStates, Meaning, Timeouts};
use panoptes_model::{Expr, Model};
use panoptes_preprocess::{ExtraText, FileLoader, PreprocessorOptions, Role, read_source};
use panoptes_source::{Diagnostic, SourceMap, Warnings};
use panoptes_trace::Origin;
use std::path::Path;
use std::time::{Duration, Instant};

/// The languages a model can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Promela,
    Argos,
}

impl Language {
    /// The language that a file's name tells, if it tells one.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        let promela = ["pml", "prom", "pm", "promela", "spin", "pr", "prm"];
        match extension {
            "argos" => Some(Language::Argos),
            other => promela.contains(&other).then_some(Language::Promela),
        }
    }
}

/// What the command line says about the text of the model.
#[derive(Clone, Debug, Default)]
pub struct TextOptions {
    pub preprocessor: PreprocessorOptions,
    /// What the text means where the language leaves a choice; for Argos only.
    pub meaning: Meaning,
    /// The assertion along which to search, by its name: the model is made so that only executions which follow it are
    /// looked at, and its completion is what is looked for; for Argos only.
    pub along: Option<String>,
    /// The warnings that are wanted.
    pub warnings: Warnings,
    /// What must hold in every state, besides what the text says.
    pub invariants: Vec<String>,
    /// What is to become true in some state: then that is all that is looked for.
    pub reach: Option<String>,
    /// Temporal formulas, besides those of the text.
    pub formulas: Vec<String>,
    /// Specification patterns.
    pub patterns: Vec<String>,
    /// Automata in HOA format that accept what is forbidden: a name for messages, and the text.
    pub automata: Vec<(String, String)>,
    /// What leads a directed search: a name for messages, and the text.
    pub estimate: Option<(String, String)>,
    /// What one step is.
    pub steps: Steps,
}

impl TextOptions {
    /// Is there a temporal property beside the text?
    fn has_properties(&self) -> bool {
        !(self.formulas.is_empty() && self.patterns.is_empty() && self.automata.is_empty())
    }
}

/// A model that can be run, with its source text.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
    pub language: Language,
    /// What the text means where its language leaves a choice.
    pub meaning: Option<Meaning>,
    /// Which model this is and how it was read, as traces tell it.
    pub origin: Origin,
    /// The warnings that were asked for; some only a search can give.
    pub warnings_wanted: Warnings,
    /// Of a Promela model, the number that SPIN gives to the statement of each transition.
    pub statement_numbers: Vec<u32>,
    /// How long it took to read.
    pub time: Duration,
    /// A temporal property was given beside the text: the last one.
    has_given: bool,
}

impl Loaded {
    /// The temporal property that was given beside the text, if one was.
    pub fn given(&self) -> Option<Temporal> {
        let mut all = Temporal::all(&self.model).into_iter().filter(|_| self.has_given);
        all.rfind(|property| property.is_formula())
    }

    /// A model of which nothing is known but what it is called.
    pub(crate) fn bare(name: &str, language: Language, model: Model, sources: SourceMap) -> Loaded {
        Loaded {
            model,
            sources,
            warnings: Vec::new(),
            language,
            meaning: None,
            origin: Origin { model: name.to_string(), ..Origin::default() },
            warnings_wanted: Warnings::default(),
            statement_numbers: Vec::new(),
            time: Duration::ZERO,
            has_given: false,
        }
    }
}

/// The text is not a model: what is wrong with it.
#[derive(Debug)]
pub struct LoadError {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model from a file.
pub fn load_file(
    path: &Path,
    language: Language,
    options: &TextOptions,
) -> std::io::Result<Result<Loaded, LoadError>> {
    let text = read_source(std::fs::File::open(path)?)?;
    Ok(load_text(&path.display().to_string(), text, path, language, options))
}

/// Where a message points if a text beside the model is wrong.
pub const INVARIANT_NAME: &str = "--invariant";
pub const REACH_NAME: &str = "--reach";
pub const FORMULA_NAME: &str = "--ltl";
pub const PATTERN_NAME: &str = "--pattern";

/// Reads a model from text; `path` says where its includes are looked for.
pub fn load_text(
    name: &str,
    text: String,
    path: &Path,
    language: Language,
    options: &TextOptions,
) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    let mut sources = SourceMap::default();
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
    let file = sources.add_file(name, text, None);
    let mut preprocessor = options.preprocessor.clone();
    let beside = |role: Role, name: &'static str| {
        move |text: &String| ExtraText { role, name: name.to_string(), text: text.clone(), part: None }
    };
    let appended = &mut preprocessor.appended;
    appended.extend(options.invariants.iter().map(beside(Role::Invariant, INVARIANT_NAME)));
    appended.extend(options.reach.iter().map(beside(Role::Reach, REACH_NAME)));
    if language == Language::Promela {
        appended.extend(options.formulas.iter().map(beside(Role::Formula, FORMULA_NAME)));
    }
    let given = match Given::read(options, language, &mut sources) {
        Ok(given) => given,
        Err(wrong) => return Err(LoadError { sources, diagnostics: vec![wrong] }),
    };
    appended.extend(given.texts.iter().cloned());
    let estimate = options.estimate.as_ref().map(|(name, text)| UserEstimate::read(name, text, &mut sources));
    let estimate = match estimate.transpose() {
        Ok(estimate) => estimate,
        Err(wrong) => return Err(LoadError { sources, diagnostics: vec![wrong] }),
    };
    appended.extend(estimate.iter().flat_map(|estimate| &estimate.texts).cloned());
    let beside = WrittenBeside { given, estimate };
    let mut statement_numbers = Vec::new();
    let (model, diagnostics) = match language {
        Language::Promela => {
            let (module, diagnostics) =
                panoptes_promela::parse_file(&mut sources, file, path, &preprocessor, &FileLoader);
            lowered(diagnostics, || {
                let lowered = match options.steps {
                    Steps::Statements => panoptes_promela::lower(&module, &sources, name),
                    Steps::Merged => panoptes_promela::lower_merged(&module, &sources, name),
                };
                statement_numbers = lowered.statement_numbers;
                (beside.add_to(lowered.model, &lowered.atoms), lowered.diagnostics)
            })
        }
        Language::Argos => {
            let (module, diagnostics) =
                panoptes_argos::parse_file(&mut sources, file, path, &preprocessor, &FileLoader);
            lowered(diagnostics, || {
                let lowered = panoptes_argos::lower_along(
                    &module,
                    &sources,
                    name,
                    options.meaning,
                    options.along.as_deref(),
                );
                (beside.add_to(lowered.model, &lowered.atoms), lowered.diagnostics)
            })
        }
    };
    let is_wanted =
        |diagnostic: &Diagnostic| diagnostic.warning.is_none_or(|warning| options.warnings.contains(warning));
    let diagnostics: Vec<Diagnostic> = diagnostics.into_iter().filter(is_wanted).collect();
    match model {
        Some(model) => {
            if cfg!(debug_assertions) {
                let violations = panoptes_model::verify(&model);
                assert!(violations.is_empty(), "the front end made a malformed model: {violations:?}");
            }
            let meaning = (language == Language::Argos).then_some(options.meaning);
            Ok(Loaded {
                warnings: diagnostics,
                meaning,
                origin: origin(name, language, options),
                warnings_wanted: options.warnings,
                statement_numbers,
                time: start.elapsed(),
                has_given: options.has_properties(),
                ..Loaded::bare(name, language, model, sources)
            })
        }
        None => Err(LoadError { sources, diagnostics }),
    }
}

/// What traces say of the text.
fn origin(name: &str, language: Language, options: &TextOptions) -> Origin {
    let define = |(name, value): &(String, Option<String>)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    };
    Origin {
        model: name.to_string(),
        language: language.to_string(),
        defines: options.preprocessor.defines.iter().map(define).collect(),
        is_lock_only: options.meaning.timeouts == Timeouts::LockOnly,
        is_strict: options.meaning.end_states == EndStates::Strict,
        along: options.along.clone(),
        invariants: options.invariants.clone(),
        reach: options.reach.clone(),
        formulas: options.formulas.clone(),
        patterns: options.patterns.clone(),
        automata: options.automata.clone(),
        is_merged: options.steps == Steps::Merged,
        ..Origin::default()
    }
}

/// What was written beside the model and is not in its language.
struct WrittenBeside {
    given: Given,
    estimate: Option<UserEstimate>,
}

impl WrittenBeside {
    /// The model with all that; `exprs` are what the texts of each say, in turn.
    fn add_to(self, model: Option<Model>, exprs: &[Expr]) -> Option<Model> {
        let mut model = model?;
        let (atoms, exprs) = exprs.split_at(self.given.texts.len().min(exprs.len()));
        self.given.add_to(&mut model, atoms);
        model.estimate = self.estimate.map(|estimate| estimate.over(exprs));
        Some(model)
    }
}

/// What lowering gives, unless the text could not be read.
fn lowered(
    mut diagnostics: Vec<Diagnostic>,
    lower: impl FnOnce() -> (Option<Model>, Vec<Diagnostic>),
) -> (Option<Model>, Vec<Diagnostic>) {
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let (model, more) = lower();
    diagnostics.extend(more);
    (model, diagnostics)
}
