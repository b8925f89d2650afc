//! `panoptes ltl`: the automaton of a formula, a pattern or a HOA file, in the form that was asked for.

use crate::args::{Acceptance, AutomatonFormat, LtlArgs};
use crate::failure::{Failure, Status, usage};
use crate::{input, output};
use panoptes_check::DiagnosticReport;
use panoptes_ltl::{
    Atoms, Automaton, Behaviour, Budget, Classes, ComponentClass, Formula, Pattern, Scope, Strength,
    TooLarge, is_stutter_invariant, parse, parse_pattern, read_hoa, translate, translate_to_buchi,
};
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};
use std::path::Path;

pub fn run(args: &LtlArgs) -> anyhow::Result<Status> {
    let format = match (args.format, args.acceptance) {
        (Some(AutomatonFormat::Never), Acceptance::Generalised) => {
            return Err(usage(
                "a never claim has accepting states: use `--acceptance buchi`, or `--format hoa`",
            ));
        }
        (Some(format), _) => format,
        (None, Acceptance::Buchi) => AutomatonFormat::Never,
        (None, Acceptance::Generalised) => AutomatonFormat::Hoa,
    };
    if args.patterns {
        output::to_stdout(&patterns()?)?;
        return Ok(Status::Success);
    }
    let shown = Shown::new(args)?;
    let Shown { automaton, atoms, title, .. } = &shown;
    let text = match format {
        _ if args.classes => shown.classes(),
        AutomatonFormat::Hoa => automaton.to_hoa(atoms, title),
        AutomatonFormat::Dot => automaton.to_dot(atoms, title),
        AutomatonFormat::Never => {
            let claim = automaton.to_never(atoms, title);
            claim.ok_or_else(|| Failure::Internal("a Büchi automaton that is not state-based".to_string()))?
        }
    };
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// An automaton, and what there is to say about it.
struct Shown {
    automaton: Automaton,
    atoms: Atoms,
    /// What the title is of.
    what: &'static str,
    title: String,
    /// The pattern, and the classes of the claim that it is checked with.
    pattern: Option<(Pattern, Classes)>,
    /// Cannot tell words that differ in repetitions only; none if nobody knows.
    stutter_invariant: Option<bool>,
}

impl Shown {
    fn new(args: &LtlArgs) -> anyhow::Result<Shown> {
        if let Some(path) = &args.automaton {
            return Shown::from_file(path, args.acceptance);
        }
        let (name, text) = match (&args.formula, &args.pattern) {
            (Some(formula), _) => ("formula", formula),
            (None, Some(pattern)) => ("pattern", pattern),
            (None, None) => return Err(usage("there is no formula")),
        };
        let mut sources = SourceMap::default();
        let file = sources.add_file(name, text.clone(), None);
        let mut atoms = Atoms::default();
        let (pattern, formula) = match &args.formula {
            Some(_) => (None, parse(&sources, file, &mut atoms).map_err(|error| refused(&sources, error))?),
            None => {
                let read = parse_pattern(&sources, file, &mut atoms);
                let (pattern, formula) = read.map_err(|error| refused(&sources, error))?;
                (Some(pattern), formula)
            }
        };
        let negation = Formula::negation(formula.clone());
        let budget = Budget::default();
        let explode = |error| refused(&sources, too_large(file, text, error));
        let pattern = match pattern.filter(|_| args.classes) {
            Some(pattern) => {
                let claim = translate_to_buchi(&negation, &budget).map_err(explode)?;
                Some((pattern, claim.classes()))
            }
            None => None,
        };
        let formula = if args.negate { negation } else { formula };
        let automaton = match args.acceptance {
            Acceptance::Buchi => translate_to_buchi(&formula, &budget),
            Acceptance::Generalised => translate(&formula, &budget),
        };
        let automaton = automaton.map_err(explode)?;
        // Only one who asks for classes waits for this.
        let stutter_invariant = args.classes.then(|| is_stutter_invariant(&formula, &budget)).transpose();
        let stutter_invariant = stutter_invariant.map_err(explode)?;
        let title = formula.to_text(&|atom| atoms.name(atom).to_string());
        Ok(Shown { automaton, atoms, what: "formula", title, pattern, stutter_invariant })
    }

    fn from_file(path: &Path, acceptance: Acceptance) -> anyhow::Result<Shown> {
        let (name, text) = input::text(path)?;
        let mut sources = SourceMap::default();
        let file = sources.add_file(name.clone(), text, None);
        let mut atoms = Atoms::default();
        let automaton = read_hoa(&sources, file, &mut atoms).map_err(|error| refused(&sources, error))?;
        let stutter_invariant = automaton.is_plainly_stutter_invariant().then_some(true);
        let automaton = match acceptance {
            Acceptance::Buchi => {
                let explode = |error| refused(&sources, too_large(file, &sources.file(file).text, error));
                automaton.to_buchi(&Budget::default()).map_err(explode)?
            }
            Acceptance::Generalised => automaton,
        };
        Ok(Shown { automaton, atoms, what: "automaton", title: name, pattern: None, stutter_invariant })
    }

    fn classes(&self) -> String {
        let classes = self.automaton.classes();
        let mut out = format!("classes: {classes}\n");
        if let Some((pattern, claim)) = &self.pattern {
            let published = pattern.published_classes();
            out +=
                &format!("of the never claim: {claim}; in table 2 of Edelkamp et al. (2001): {published}\n");
        }
        out += &format!("{}: {}\n", self.what, self.title);
        out += &format!("states: {}\n", self.automaton.states());
        for (component, class) in classes.classes().iter().enumerate().rev() {
            let members = self.automaton.state_ids().filter(|state| classes.component(*state) == component);
            let members: Vec<String> = members.map(|state| state.0.to_string()).collect();
            let states = if members.len() == 1 { "state" } else { "states" };
            out += &format!("  {} ({}): {states} {}\n", class.letter(), class.meaning(), members.join(", "));
        }
        out += &format!("a search has to find: {}\n", wanted(&classes));
        let invariant = match self.stutter_invariant {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not known",
        };
        out + &format!("stutter-invariant: {invariant}\n")
    }
}

/// Every pattern in every scope, a line for each: the classes of its never claim, and those that were published.
fn patterns() -> anyhow::Result<String> {
    let mut out =
        format!("{:<13} {:<10} {:<9} table 2 of Edelkamp et al. (2001)\n", "behaviour", "scope", "classes");
    for behaviour in Behaviour::ALL {
        for scope in Scope::ALL {
            let pattern = Pattern { behaviour, scope };
            let about: Vec<Formula> = (0..behaviour.operands() as u32).map(Formula::atom).collect();
            let ends: Vec<Formula> = (0..scope.operands() as u32).map(|end| Formula::atom(2 + end)).collect();
            let negation = Formula::negation(pattern.formula(&about, &ends));
            let claim = translate_to_buchi(&negation, &Budget::default());
            let classes = claim.map_err(|error| Failure::Internal(error.to_string()))?.classes().to_string();
            let (name, when) = (behaviour.name(), scope.name());
            out += &format!("{name:<13} {when:<10} {classes:<9} {}\n", pattern.published_classes());
        }
    }
    Ok(out)
}

fn wanted(classes: &Classes) -> &'static str {
    let has_end = classes.classes().contains(&ComponentClass::End);
    match classes.strength() {
        Strength::Terminal if !has_end => "nothing, since no word is accepted",
        Strength::Terminal => "a state in S",
        Strength::Weak if classes.accepts_every_run() => "a run that does not end",
        Strength::Weak if has_end => "a state in S, or a cycle in F",
        Strength::Weak => "a cycle in F",
        Strength::Strong if has_end => "a state in S, or an accepting cycle",
        Strength::Strong => "an accepting cycle",
    }
}

/// The formula as a whole is at fault.
fn too_large(file: FileId, text: &str, error: TooLarge) -> Diagnostic {
    let span = Span { file, lo: 0, hi: text.len() as u32, expansion: None };
    Diagnostic::error(span, error.to_string()).code("too-large")
}

fn refused(sources: &SourceMap, error: Diagnostic) -> Failure {
    let text = panoptes_source::render(sources, &error, output::stderr_has_color()) + "\n";
    Failure::Model { text, diagnostics: DiagnosticReport::all(sources, &[error]) }
}
