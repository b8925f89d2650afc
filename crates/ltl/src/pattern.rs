//! Specification patterns: what most properties say, without temporal operators.
//!
//! A pattern is a behaviour in a scope, as in `response(p, q) after(r)`. The formulas are those of Dwyer, Avrunin and
//! Corbett (1999). Edelkamp, Lluch Lafuente and Leue (2001), table 2, tell for each of them what components the
//! never claim has; [`Pattern::published_classes`] is that table.

use crate::formula::Formula;
use crate::lexer::TokenKind;
use crate::parser::{Atoms, Parser};
use panoptes_source::{Diagnostic, FileId, SourceMap, did_you_mean};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// `absence(p)`: p never holds.
    Absence,
    /// `universality(p)`: p always holds.
    Universality,
    /// `existence(p)`: p holds at some time.
    Existence,
    /// `response(p, q)`: whenever p holds, q holds then or later.
    Response,
    /// `precedence(p, q)`: q does not hold before p has held.
    Precedence,
}

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Globally,
    /// `before(r)`: up to the first r, if there is one.
    Before,
    /// `after(q)`: from a q on.
    After,
    /// `between(q, r)`: from each q to the next r, if there is one.
    Between,
    /// `until(q, r)`: from each q to the next r, or for ever.
    Until,
}

impl Behaviour {
    pub const ALL: [Behaviour; 5] = [
        Behaviour::Absence,
        Behaviour::Universality,
        Behaviour::Existence,
        Behaviour::Response,
        Behaviour::Precedence,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Behaviour::Absence => "absence",
            Behaviour::Universality => "universality",
            Behaviour::Existence => "existence",
            Behaviour::Response => "response",
            Behaviour::Precedence => "precedence",
        }
    }

    /// How many formulas it is about.
    pub fn operands(self) -> usize {
        match self {
            Behaviour::Absence | Behaviour::Universality | Behaviour::Existence => 1,
            Behaviour::Response | Behaviour::Precedence => 2,
        }
    }
}

impl Scope {
    pub const ALL: [Scope; 5] = [Scope::Globally, Scope::Before, Scope::After, Scope::Between, Scope::Until];

    pub fn name(self) -> &'static str {
        match self {
            Scope::Globally => "globally",
            Scope::Before => "before",
            Scope::After => "after",
            Scope::Between => "between",
            Scope::Until => "until",
        }
    }

    pub fn operands(self) -> usize {
        match self {
            Scope::Globally => 0,
            Scope::Before | Scope::After => 1,
            Scope::Between | Scope::Until => 2,
        }
    }
}

/// A behaviour in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub behaviour: Behaviour,
    pub scope: Scope,
}

impl Pattern {
    /// The formula about these operands: as many as the behaviour and the scope ask for.
    pub fn formula(self, about: &[Formula], scope: &[Formula]) -> Formula {
        assert_eq!((about.len(), scope.len()), (self.behaviour.operands(), self.scope.operands()));
        let about = |index: usize| about[index].clone();
        let ends = |index: usize| scope[index].clone();
        match self.scope {
            Scope::Globally => self.behaviour.unbounded(about),
            Scope::Before => self.behaviour.before(about, ends(0)),
            Scope::After => match self.behaviour {
                // From the first q on is enough where once is enough.
                Behaviour::Existence | Behaviour::Precedence => {
                    let from = Formula::and(ends(0), self.behaviour.unbounded(about));
                    Formula::or(Formula::always(Formula::negation(ends(0))), Formula::eventually(from))
                }
                _ => Formula::always(Formula::implies(ends(0), self.behaviour.unbounded(about))),
            },
            Scope::Between => {
                let opened = Formula::and(ends(0), Formula::negation(ends(1)));
                match self.behaviour {
                    Behaviour::Existence => Formula::always(Formula::implies(
                        opened,
                        exists(about(0), ends(1), Formula::weak_until),
                    )),
                    _ => {
                        let opened = Formula::and(opened, Formula::eventually(ends(1)));
                        let inner = self.behaviour.up_to(about, ends(1), Formula::until);
                        Formula::always(Formula::implies(opened, inner))
                    }
                }
            }
            Scope::Until => {
                let opened = Formula::and(ends(0), Formula::negation(ends(1)));
                let inner = match self.behaviour {
                    Behaviour::Existence => exists(about(0), ends(1), Formula::until),
                    _ => self.behaviour.up_to(about, ends(1), Formula::weak_until),
                };
                Formula::always(Formula::implies(opened, inner))
            }
        }
    }

    /// The classes of the never claim's components that the paper tells.
    pub fn published_classes(self) -> &'static str {
        let row = match self.behaviour {
            Behaviour::Absence => ["S+N", "S+N", "S+N", "S+N", "S+N+P"],
            Behaviour::Universality => ["S+N", "S+N", "S+N", "S+N+P+F", "S+N+P"],
            Behaviour::Existence => ["F", "S+N+P", "N+F", "S+N+P", "S+N+F"],
            Behaviour::Response => ["N+F", "S+N+P+F", "N+F", "S+N+P+F", "S+N+P+F"],
            Behaviour::Precedence => ["S+N+P", "S+N", "N+P", "S+N", "S+N+P"],
        };
        row[self.scope as usize]
    }
}

type Build = fn(Formula, Formula) -> Formula;

/// `p` holds before `end` does; what is to hold until then may be strict or weak.
fn exists(p: Formula, end: Formula, until: Build) -> Formula {
    let open = Formula::negation(end);
    until(open.clone(), Formula::and(p, open))
}

impl Behaviour {
    /// From now on for ever.
    fn unbounded(self, about: impl Fn(usize) -> Formula) -> Formula {
        match self {
            Behaviour::Absence => Formula::always(Formula::negation(about(0))),
            Behaviour::Universality => Formula::always(about(0)),
            Behaviour::Existence => Formula::eventually(about(0)),
            Behaviour::Response => Formula::always(Formula::implies(about(0), Formula::eventually(about(1)))),
            Behaviour::Precedence => Formula::weak_until(Formula::negation(about(1)), about(0)),
        }
    }

    /// Up to the first `end`, if there is one.
    fn before(self, about: impl Fn(usize) -> Formula, end: Formula) -> Formula {
        match self {
            Behaviour::Existence => exists(about(0), end, Formula::weak_until),
            _ => {
                let inner = self.up_to(about, end.clone(), Formula::until);
                Formula::implies(Formula::eventually(end), inner)
            }
        }
    }

    /// From now up to `end`.
    fn up_to(self, about: impl Fn(usize) -> Formula, end: Formula, until: Build) -> Formula {
        match self {
            Behaviour::Absence => until(Formula::negation(about(0)), end),
            Behaviour::Universality => until(about(0), end),
            Behaviour::Existence => exists(about(0), end, until),
            Behaviour::Response => {
                let answered = exists(about(1), end.clone(), Formula::until);
                until(Formula::implies(about(0), answered), end)
            }
            Behaviour::Precedence => until(Formula::negation(about(1)), Formula::or(about(0), end)),
        }
    }
}

/// Reads a pattern with its operands from a file of `sources`; without a scope it is meant globally.
pub fn parse_pattern(
    sources: &SourceMap,
    file: FileId,
    atoms: &mut Atoms,
) -> Result<(Pattern, Formula), Diagnostic> {
    let mut parser = Parser::new(sources, file, atoms).map_err(|error| error.code("pattern"))?;
    read(&mut parser).map_err(|error| error.code("pattern"))
}

fn read(parser: &mut Parser<'_>) -> Result<(Pattern, Formula), Diagnostic> {
    let behaviour = named(parser, &Behaviour::ALL, Behaviour::name, "a pattern")?;
    let about = operands(parser, behaviour.name(), behaviour.operands())?;
    let (scope, ends) = match parser.peek().kind {
        TokenKind::End => (Scope::Globally, Vec::new()),
        _ => {
            let scope = named(parser, &Scope::ALL, Scope::name, "a scope")?;
            (scope, operands(parser, scope.name(), scope.operands())?)
        }
    };
    match parser.peek().kind {
        TokenKind::End => {
            let pattern = Pattern { behaviour, scope };
            Ok((pattern, pattern.formula(&about, &ends)))
        }
        _ => Err(parser.unexpected("the end of the pattern")),
    }
}

fn named<T: Copy>(
    parser: &mut Parser<'_>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    what: &str,
) -> Result<T, Diagnostic> {
    let token = parser.peek();
    let given = parser.text(token);
    match all.iter().find(|known| name(**known) == given) {
        Some(known) => {
            parser.bump();
            Ok(*known)
        }
        None => {
            let names: Vec<&str> = all.iter().map(|known| name(*known)).collect();
            let help = did_you_mean(given, names.iter().copied())
                .unwrap_or_else(|| format!("there is {}", names.join(", ")));
            Err(parser.unexpected(what).help(help))
        }
    }
}

/// `(f, g)`, as many as there should be.
fn operands(parser: &mut Parser<'_>, name: &str, count: usize) -> Result<Vec<Formula>, Diagnostic> {
    let mut operands = Vec::new();
    if count == 0 {
        return Ok(operands);
    }
    let wanted =
        format!("`{name}` needs {count} formula{} in parentheses", if count == 1 { "" } else { "s" });
    let at = parser.peek().span;
    if parser.peek().kind != TokenKind::Open {
        return Err(Diagnostic::error(at, wanted));
    }
    parser.bump();
    loop {
        operands.push(parser.formula()?);
        if parser.peek().kind != TokenKind::Comma {
            break;
        }
        parser.bump();
    }
    let close = parser.expect(TokenKind::Close, "an operator, `,` or `)`")?;
    match operands.len() == count {
        true => Ok(operands),
        false => Err(Diagnostic::error(at.to(close.span), format!("{wanted}, not {}", operands.len()))),
    }
}
