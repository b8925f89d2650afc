//! Reading the model that the command line names.

use crate::args::{ModelArgs, directive_of_pan};
use crate::failure::{Failure, no_model, usage};
use crate::{expectation, output};
use anyhow::Context;
use panoptes_check::{
    DiagnosticReport, EndStates, Language, LoadError, Loaded, Meaning, PreprocessorOptions, Steps,
    TextOptions, Timeouts, load_text, read_source,
};
use panoptes_explore::ModelText;
use panoptes_report::human;
use panoptes_source::{Diagnostic, FileId, SourceMap, did_you_mean};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A model with what reports say about where it came from.
pub struct Input {
    pub loaded: Loaded,
    /// As given on the command line; `<stdin>` for standard input.
    pub name: String,
}

/// What reports call the model.
pub fn name(args: &ModelArgs) -> String {
    match args.model == Path::new("-") {
        true => "<stdin>".to_string(),
        false => args.model.display().to_string(),
    }
}

/// Reads the model, tells its warnings (unless `quiet`), and fails with its errors.
pub fn load(args: &ModelArgs, quiet: bool) -> anyhow::Result<Input> {
    load_with(args, &Given::default(), quiet)
}

/// What stands beside the text of a model.
#[derive(Default)]
pub struct Given<'a> {
    /// The assertion that a search is to go along.
    pub along: Option<&'a str>,
    /// Conditions that must hold in every state.
    pub invariants: &'a [String],
    /// What is to become true in some state.
    pub reach: Option<&'a str>,
    pub formulas: &'a [String],
    pub patterns: &'a [String],
    /// In HOA format: a name for messages, and the text.
    pub automata: &'a [(String, String)],
    /// What leads a directed search: a name for messages, and the text.
    pub estimate: Option<&'a (String, String)>,
    /// What one step is.
    pub steps: Steps,
    /// Options that the command line leaves open are taken from the model's first comment.
    pub heeds_comment: bool,
}

/// The text of the model and how it is to be read.
pub fn read_text(args: &ModelArgs, given: &Given<'_>) -> anyhow::Result<ModelText> {
    let Given { along, invariants, reach, formulas, patterns, automata, estimate, steps, heeds_comment } =
        *given;
    let is_stdin = args.model == Path::new("-");
    let language = language(args)?;
    let name = name(args);
    let text = if is_stdin { read_stdin()? } else { read_model(&args.model)? };
    if text.trim().is_empty() {
        return Err(no_model(format!("{name} is empty: there is no model in it")));
    }
    if text.starts_with('{') && text.contains(panoptes_trace::FORMAT) {
        return Err(usage(format!(
            "{name} is a saved trace, not a model: `panoptes explain {name}` shows it"
        )));
    }
    let preprocessor = PreprocessorOptions {
        defines: args.defines.clone(),
        include_dirs: args.include_dirs.clone(),
        ..PreprocessorOptions::default()
    };
    let (mut timeouts, mut end_states) = (args.timeouts, args.end_states);
    if heeds_comment {
        timeouts = timeouts.or(expectation::option(&name, &text, "timeouts")?);
        end_states = end_states.or(expectation::option(&name, &text, "end-states")?);
    }
    let meaning = meaning(timeouts, end_states, language)?;
    if along.is_some() && language != Language::Argos {
        return Err(usage("`--along` is for Argos, whose assertions are about messages"));
    }
    if steps == Steps::Merged && language != Language::Promela {
        return Err(usage(
            "`--steps merged` counts steps as SPIN's verifier does, which is for Promela: leave it out",
        ));
    }
    let options = TextOptions {
        preprocessor,
        meaning,
        along: along.map(str::to_string),
        warnings: args.warnings.wanted(),
        invariants: invariants.to_vec(),
        reach: reach.map(str::to_string),
        formulas: formulas.to_vec(),
        patterns: patterns.to_vec(),
        automata: automata.to_vec(),
        estimate: estimate.cloned(),
        steps,
    };
    let path = if is_stdin { PathBuf::from("stdin") } else { args.model.clone() };
    if let Some(along) = &options.along {
        let plain = TextOptions { along: None, ..options.clone() };
        // A model with errors tells of them below.
        if let Ok(loaded) = load_text(&name, text.clone(), &path, language, &plain) {
            refuse_unknown(&loaded, along)?;
        }
    }
    Ok(ModelText { name, text, path, language, options })
}

/// The same with what stands beside the text.
pub fn load_with(args: &ModelArgs, given: &Given<'_>, quiet: bool) -> anyhow::Result<Input> {
    let text = read_text(args, given)?;
    match text.load() {
        Ok(loaded) => {
            if !quiet {
                tell(&loaded.sources, &loaded.warnings);
                warn_of_directives(args, &loaded.sources);
            }
            Ok(Input { loaded, name: text.name })
        }
        Err(error) => Err(broken(args, given, &text, &error)),
    }
}

/// The failure that a model with errors is.
pub fn broken(args: &ModelArgs, given: &Given<'_>, text: &ModelText, error: &LoadError) -> anyhow::Error {
    let is_guess = args.language.is_none() && Language::of_path(&args.model).is_none();
    let hint = match is_guess && looks_like_argos(&text.text) {
        true => "It was read as Promela; if it is Argos, say `--language argos`.\n",
        false => "",
    };
    let diagnostics = DiagnosticReport::all(&error.sources, &error.diagnostics);
    Failure::Model { text: explain(error, given) + hint, diagnostics }.into()
}

/// The text of a file beside the model, such as a formula. It is bounded as a model is.
pub fn plain_text(path: &Path) -> anyhow::Result<String> {
    let text = File::open(path).and_then(read_source);
    text.map_err(|error| usage(format!("cannot read {}: {error}", path.display())))
}

/// The text of a file that is no model, or of standard input, and what to call it.
pub fn text(path: &Path) -> anyhow::Result<(String, String)> {
    match path == Path::new("-") {
        true => Ok(("<stdin>".to_string(), read_stdin()?)),
        false => Ok((path.display().to_string(), read_model(path)?)),
    }
}

/// A directive of SPIN's verifier among the macros does nothing, which somebody who comes from SPIN should know. A model
/// that names it may well mean something else by it.
fn warn_of_directives(args: &ModelArgs, sources: &SourceMap) {
    // The model and what it includes, but not the definitions of the command line.
    let ids = (0..sources.file_count() as u32).map(FileId);
    let files = ids.filter(|id| id.0 == 0 || sources.file(*id).included_at.is_some());
    let texts: Vec<&str> = files.map(|id| sources.file(id).text.as_str()).collect();
    for (name, _) in &args.defines {
        if let Some(instead) = directive_of_pan(name)
            && !texts.iter().any(|text| text.contains(name.as_str()))
        {
            output::warning(&format!("`-D{name}` defines a macro that the model does not use; {instead}"));
        }
    }
}

fn refuse_unknown(loaded: &Loaded, along: &str) -> anyhow::Result<()> {
    let names: Vec<&str> =
        loaded.model.requirements.iter().map(|requirement| requirement.name.as_str()).collect();
    match names.is_empty() {
        _ if names.contains(&along) => Ok(()),
        true => Err(usage("`--along` needs an assertion to follow, and the model has none")),
        false => {
            let there_is = || format!("there is {}", names.join(", "));
            let hint = did_you_mean(along, names.iter().copied()).unwrap_or_else(there_is);
            Err(usage(format!("the model has no assertion `{along}`; {hint}")))
        }
    }
}

pub fn language(args: &ModelArgs) -> anyhow::Result<Language> {
    match args.language.as_deref().map(str::to_lowercase) {
        Some(name) => name
            .parse()
            .map_err(|_| usage(format!("there is no language `{name}`; there is `promela` and `argos`"))),
        None => Ok(Language::of_path(&args.model).unwrap_or(Language::Promela)),
    }
}

/// Does a line begin like a process of Argos?
fn looks_like_argos(text: &str) -> bool {
    text.lines()
        .any(|line| ["proc", "procedure"].contains(&line.split_whitespace().next().unwrap_or_default()))
}

/// What is said about the meaning of the text.
fn meaning(
    timeouts: Option<Timeouts>,
    end_states: Option<EndStates>,
    language: Language,
) -> anyhow::Result<Meaning> {
    if language == Language::Promela {
        if timeouts == Some(Timeouts::Free) {
            return Err(usage(
                "`--timeouts free` is for Argos: in Promela, `timeout` holds when nothing else can be done",
            ));
        }
        if end_states.is_some() {
            return Err(usage(
                "`--end-states` is for Argos: in Promela, `end` labels say where processes may end",
            ));
        }
    }
    Ok(Meaning { timeouts: timeouts.unwrap_or_default(), end_states: end_states.unwrap_or_default() })
}

/// The text of a model, which may not be too large.
fn read_model(path: &Path) -> anyhow::Result<String> {
    read(path, read_source)
}

fn read<T>(path: &Path, how: impl FnOnce(File) -> std::io::Result<T>) -> anyhow::Result<T> {
    if path.is_dir() {
        return Err(no_model(format!("{} is a directory; name a file in it", path.display())));
    }
    File::open(path).and_then(how).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => no_model(format!("there is no file {}", path.display())),
        _ => no_model(format!("cannot read {}: {error}", path.display())),
    })
}

static STDIN: OnceLock<String> = OnceLock::new();

/// Standard input was read by another process, and this is what it read.
pub fn take_for_stdin(text: String) {
    let _ = STDIN.set(text);
}

fn read_stdin() -> anyhow::Result<String> {
    if let Some(text) = STDIN.get() {
        return Ok(text.clone());
    }
    read_source(std::io::stdin()).context("cannot read standard input")
}

pub fn define_text(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| name.to_string(), |value| format!("{name}={value}"))
}

/// All errors of a model, and how many there are.
fn explain(error: &LoadError, given: &Given<'_>) -> String {
    const SHOWN_MAX: usize = 50;
    let count = error.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let mut text = render(&error.sources, &error.diagnostics, SHOWN_MAX);
    let more = error.diagnostics.len().saturating_sub(SHOWN_MAX);
    if more > 0 {
        text += &format!("… and {}\n", human::more(more as u64, "message", "messages"));
    }
    // The model itself may be right.
    let mut errors = error.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let file = errors.next().map_or(FileId(0), |first| first.span.file);
    let place = &error.sources.file(file).name;
    let what = match errors.all(|other| error.sources.file(other.span.file).name == *place) {
        true if place == panoptes_check::INVARIANT_NAME => "invariant",
        true if place == panoptes_check::REACH_NAME => "condition",
        true if place == panoptes_check::FORMULA_NAME => "formula",
        true if place == panoptes_check::PATTERN_NAME => "pattern",
        true if given.automata.iter().any(|(name, _)| name == place) => "automaton",
        true if given.estimate.is_some_and(|(name, _)| name == place) => "estimate",
        _ => "model",
    };
    text + &format!("{}: the {what} cannot be used\n", human::plural(count as u64, "error"))
}

/// Prints warnings about a model.
pub fn tell(sources: &SourceMap, warnings: &[Diagnostic]) {
    output::to_stderr(&render(sources, warnings, usize::MAX));
}

fn render(sources: &SourceMap, diagnostics: &[Diagnostic], shown_max: usize) -> String {
    let color = output::stderr_has_color();
    let shown = diagnostics.iter().take(shown_max);
    shown.map(|diagnostic| panoptes_source::render(sources, diagnostic, color) + "\n").collect()
}
