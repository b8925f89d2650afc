//! Temporal properties that stand beside a model: patterns, automata, and formulas about models whose language has none.
//!
//! The crate `ltl` reads their operators and numbers their atoms. What an atom is, the front end of the model's language says: it is
//! told the part of the text in which the atom stands, and gives back a condition on states.

use crate::load::{FORMULA_NAME, PATTERN_NAME};
use crate::{Language, TextOptions};
use panoptes_ltl::{AtomId, Atoms, Automaton, Formula, StateId, parse, parse_pattern, read_hoa};
use panoptes_model::{self as model, AutomatonEdge, Expr, Model, TemporalProperty};
use panoptes_preprocess::{ExtraText, Role};
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};

/// What was read of such properties, and the texts of their atoms.
#[derive(Default)]
pub(crate) struct Given {
    properties: Vec<Stated>,
    pub texts: Vec<ExtraText>,
}

struct Stated {
    name: String,
    span: Span,
    what: What,
    /// Where its atoms begin among all of them.
    first_atom: usize,
}

enum What {
    Formula(Formula),
    Automaton(Automaton),
}

impl Given {
    pub fn read(
        options: &TextOptions,
        language: Language,
        sources: &mut SourceMap,
    ) -> Result<Given, Diagnostic> {
        let mut given = Given::default();
        // Promela has formulas of its own.
        let formulas = options.formulas.iter().filter(|_| language != Language::Promela);
        for text in formulas {
            given.add(sources, FORMULA_NAME, text, |sources, file, atoms| {
                parse(sources, file, atoms).map(What::Formula)
            })?;
        }
        for text in &options.patterns {
            given.add(sources, PATTERN_NAME, text, |sources, file, atoms| {
                parse_pattern(sources, file, atoms).map(|(_, formula)| What::Formula(formula))
            })?;
        }
        for (name, text) in &options.automata {
            given.add(sources, name, text, |sources, file, atoms| {
                read_hoa(sources, file, atoms).map(What::Automaton)
            })?;
        }
        Ok(given)
    }

    fn add(
        &mut self,
        sources: &mut SourceMap,
        name: &str,
        text: &str,
        read: impl FnOnce(&SourceMap, FileId, &mut Atoms) -> Result<What, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let file = sources.add_file(name, text.to_string(), None);
        let mut atoms = Atoms::default();
        let what = read(sources, file, &mut atoms)?;
        let first_atom = self.texts.len();
        for (number, atom) in (0..).zip(atoms.names()) {
            let place = atoms.place(AtomId(number));
            let part = place.map(|place| place.lo as usize..place.hi as usize);
            // In an automaton, a name may have signs that are written otherwise.
            let part = part.filter(|part| matches!(what, What::Formula(_)) || text[part.clone()] == **atom);
            let text = if part.is_some() { text } else { atom };
            let (role, name, text) = (Role::Atom, name.to_string(), text.to_string());
            self.texts.push(ExtraText { role, name, text, part });
        }
        let lo = text.len() - text.trim_start().len();
        let span = Span { file, lo: lo as u32, hi: text.trim_end().len() as u32, expansion: None };
        let (name, span) = match &what {
            What::Formula(_) => (text.trim().to_string(), span),
            // It is long.
            What::Automaton(_) => (name.to_string(), Span { hi: span.lo, ..span }),
        };
        self.properties.push(Stated { name, span, what, first_atom });
        Ok(())
    }

    /// Adds the properties to the model; `atoms` are what the texts say.
    pub fn add_to(self, model: &mut Model, atoms: &[Expr]) {
        for stated in self.properties {
            let atoms = &atoms[stated.first_atom..];
            let formula = match stated.what {
                What::Formula(formula) => over(&formula, atoms),
                What::Automaton(automaton) => model::Formula::Rejected(Box::new(of_model(&automaton, atoms))),
            };
            model.temporal.push(TemporalProperty { name: stated.name, formula, span: stated.span });
        }
    }
}

/// The formula over conditions in place of atoms.
fn over(formula: &Formula, atoms: &[Expr]) -> model::Formula {
    use panoptes_model::Formula as Of;
    let sub = |operand: &Formula| Box::new(over(operand, atoms));
    match formula {
        Formula::True => Of::Atom(Expr::Const(1)),
        Formula::False => Of::Atom(Expr::Const(0)),
        Formula::Atom(AtomId(number)) => Of::Atom(atoms[*number as usize].clone()),
        Formula::Not(f) => Of::Not(sub(f)),
        Formula::Next(f) => Of::Next(sub(f)),
        Formula::Always(f) => Of::Always(sub(f)),
        Formula::Eventually(f) => Of::Eventually(sub(f)),
        Formula::And(l, r) => Of::And(sub(l), sub(r)),
        Formula::Or(l, r) => Of::Or(sub(l), sub(r)),
        Formula::Implies(l, r) => Of::Implies(sub(l), sub(r)),
        Formula::Equiv(l, r) => Of::Equiv(sub(l), sub(r)),
        Formula::Until(l, r) => Of::Until(sub(l), sub(r)),
        Formula::WeakUntil(l, r) => Of::WeakUntil(sub(l), sub(r)),
        Formula::Release(l, r) => Of::Release(sub(l), sub(r)),
    }
}

fn of_model(automaton: &Automaton, atoms: &[Expr]) -> model::Automaton {
    // The initial state comes first.
    let initial = automaton.initial();
    let swapped = |state: StateId| match state {
        StateId(0) => initial,
        state if state == initial => StateId(0),
        state => state,
    };
    let edges = |state: StateId| {
        let edges = automaton.edges(swapped(state)).iter().map(|edge| AutomatonEdge {
            holds: edge.label.positive,
            fails: edge.label.negative,
            sets: edge.marks.0,
            to: swapped(edge.target).0,
        });
        edges.collect()
    };
    model::Automaton {
        conditions: atoms[..automaton.atoms() as usize].to_vec(),
        states: automaton.state_ids().map(edges).collect(),
        set_count: automaton.marks(),
    }
}
