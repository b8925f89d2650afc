//! Reading a formula as it is written on a command line.
//!
//! The grammar is that of SPIN's `ltl` blocks: unary operators bind strongest, then arithmetic and comparisons, then
//! `U`, `W` and `V`, then `&&`, then `||`, last `->` and `<->`; binary operators are left-associative. An atom is a name
//! or an expression such as `x > 3` or `len(q) == 0`; the same expression is the same atom, however it is spaced.

use crate::formula::{ATOMS_MAX, AtomId, Formula};
use crate::lexer::{Token, TokenKind, tokens};
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};

/// How deeply operators may be nested, so that no formula exhausts the stack.
pub(crate) const HEIGHT_MAX: usize = 500;

/// The names of atoms: atom `i` is the name at `i`.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    names: Vec<String>,
    /// Where each was first read, if it was.
    places: Vec<Option<Span>>,
}

impl Atoms {
    /// The atom of this name, which may be new.
    pub fn intern(&mut self, name: &str) -> AtomId {
        let found = self.names.iter().position(|known| known == name);
        let index = found.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.places.push(None);
            self.names.len() - 1
        });
        AtomId(index as u32)
    }

    /// The same for a name that is read at a place.
    pub(crate) fn intern_at(&mut self, name: &str, place: Span) -> AtomId {
        let atom = self.intern(name);
        self.places[atom.0 as usize].get_or_insert(place);
        atom
    }

    /// The text that the atom was read from, if it was.
    pub fn place(&self, atom: AtomId) -> Option<Span> {
        self.places[atom.0 as usize]
    }

    pub fn name(&self, atom: AtomId) -> &str {
        &self.names[atom.0 as usize]
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Reads the formula that a file of `sources` holds. Names that `atoms` does not have yet are added to it.
pub fn parse(sources: &SourceMap, file: FileId, atoms: &mut Atoms) -> Result<Formula, Diagnostic> {
    let mut parser = Parser::new(sources, file, atoms).map_err(|error| error.code("syntax"))?;
    parser.whole_formula().map_err(|error| error.code("syntax"))
}

pub(crate) struct Parser<'a> {
    sources: &'a SourceMap,
    atoms: &'a mut Atoms,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// A formula with the height of its tree.
struct Tall {
    formula: Formula,
    height: usize,
}

impl<'a> Parser<'a> {
    pub fn new(sources: &'a SourceMap, file: FileId, atoms: &'a mut Atoms) -> Result<Parser<'a>, Diagnostic> {
        Ok(Parser { sources, atoms, tokens: tokens(sources, file)?, at: 0, depth: 0 })
    }

    fn whole_formula(&mut self) -> Result<Formula, Diagnostic> {
        let formula = self.formula()?;
        self.expect_end()?;
        Ok(formula)
    }

    pub fn formula(&mut self) -> Result<Formula, Diagnostic> {
        Ok(self.binary(0)?.formula)
    }

    pub fn expect_end(&mut self) -> Result<(), Diagnostic> {
        match self.peek().kind {
            TokenKind::End => Ok(()),
            _ => Err(self.unexpected("an operator or the end of the formula")),
        }
    }

    pub fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn text(&self, token: Token) -> &'a str {
        self.sources.snippet(token.span)
    }

    /// Takes a token of this kind.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token, Diagnostic> {
        if self.peek().kind == kind { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end".to_string(),
            _ => format!("`{}`", self.text(token)),
        };
        Diagnostic::error(token.span, format!("expected {expected}, found {found}"))
    }

    /// Operators that bind at least this strongly, and their operands.
    fn binary(&mut self, weakest: u8) -> Result<Tall, Diagnostic> {
        let mut left = self.unary(None)?;
        while let Some((build, strength)) =
            operator(self.peek().kind).filter(|(_, strength)| *strength >= weakest)
        {
            let sign = self.bump();
            let right = self.binary(strength + 1)?;
            let height = self.taller(left.height.max(right.height), sign)?;
            left = Tall { formula: build(left.formula, right.formula), height };
        }
        Ok(left)
    }

    /// An operand, and the operators before it; `prefix` is the one that stood there already.
    fn unary(&mut self, prefix: Option<Token>) -> Result<Tall, Diagnostic> {
        let token = self.peek();
        self.depth = self.taller(self.depth, token)?;
        let build = match token.kind {
            TokenKind::Not => Some(Formula::negation as fn(Formula) -> Formula),
            TokenKind::Next => Some(Formula::next as _),
            TokenKind::Always => Some(Formula::always as _),
            TokenKind::Eventually => Some(Formula::eventually as _),
            _ => None,
        };
        let result = match build {
            Some(build) => {
                self.bump();
                let operand = self.unary(Some(token))?;
                Tall { formula: build(operand.formula), height: self.taller(operand.height, token)? }
            }
            None => self.operand(prefix)?,
        };
        self.depth -= 1;
        Ok(result)
    }

    fn taller(&self, height: usize, at: Token) -> Result<usize, Diagnostic> {
        match height < HEIGHT_MAX {
            true => Ok(height + 1),
            false => Err(Diagnostic::error(at.span, "this formula is nested too deeply")),
        }
    }

    fn operand(&mut self, prefix: Option<Token>) -> Result<Tall, Diagnostic> {
        let token = self.peek();
        let constant = |formula| Ok(Tall { formula, height: 1 });
        if let Some(end) = self.expression(self.at, self.depth) {
            if let Some(prefix) = prefix
                && self.value(self.at, self.depth) != Some(end)
            {
                let whole = token.span.to(self.tokens[end - 1].span);
                let message = format!("`{}` binds more strongly than arithmetic", self.text(prefix));
                return Err(Diagnostic::error(prefix.span, message)
                    .label(whole, "put this in parentheses if it is the operand"));
            }
            let start = std::mem::replace(&mut self.at, end);
            return match self.expression_value(start, end) {
                Some(truth) => constant(truth),
                None => {
                    let name = self.expression_text(start, end);
                    constant(self.atom(&name, token.span.to(self.tokens[end - 1].span))?)
                }
            };
        }
        match token.kind {
            TokenKind::True | TokenKind::False => {
                self.bump();
                constant(if token.kind == TokenKind::True { Formula::True } else { Formula::False })
            }
            TokenKind::Quoted => {
                self.bump();
                let name =
                    self.text(token).trim_matches('"').split_whitespace().collect::<Vec<&str>>().join(" ");
                let Span { lo, hi, .. } = token.span;
                constant(self.atom(&name, Span { lo: lo + 1, hi: hi - 1, ..token.span })?)
            }
            TokenKind::OpenBrace => self.braces(),
            TokenKind::Open => {
                self.bump();
                let formula = self.binary(0)?;
                self.expect(TokenKind::Close, "an operator or `)`")
                    .map_err(|error| error.label(token.span, "for this `(`"))?;
                if self.peek().kind == TokenKind::Arithmetic {
                    let message = format!("`{}` needs values, and this is a formula", self.text(self.peek()));
                    return Err(Diagnostic::error(self.peek().span, message));
                }
                Ok(formula)
            }
            kind if operator(kind).is_some() => {
                let message = format!("`{}` needs a formula before it", self.text(token));
                Err(Diagnostic::error(token.span, message))
            }
            TokenKind::Name | TokenKind::Number | TokenKind::Arithmetic | TokenKind::Complement => {
                let message = "this expression is not complete: arithmetic needs values on both sides";
                Err(Diagnostic::error(token.span, message))
            }
            _ => Err(self.unexpected("a formula")),
        }
    }

    fn atom(&mut self, name: &str, at: Span) -> Result<Formula, Diagnostic> {
        let atom = self.atoms.intern_at(name, at);
        match atom.0 < ATOMS_MAX {
            true => Ok(Formula::Atom(atom)),
            false => Err(Diagnostic::error(at, format!("a formula can have {ATOMS_MAX} atoms at most"))),
        }
    }

    /// `{ expression }`: whatever stands between the braces is one atom.
    fn braces(&mut self) -> Result<Tall, Diagnostic> {
        let open = self.bump();
        let start = self.at;
        while !matches!(self.peek().kind, TokenKind::CloseBrace | TokenKind::End) {
            self.bump();
        }
        let end = self.at;
        self.expect(TokenKind::CloseBrace, "`}`").map_err(|error| error.label(open.span, "for this `{`"))?;
        if start == end {
            return Err(Diagnostic::error(open.span, "there is no expression in these braces"));
        }
        let name = self.expression_text(start, end);
        let inside = self.tokens[start].span.to(self.tokens[end - 1].span);
        Ok(Tall { formula: self.atom(&name, inside)?, height: 1 })
    }

    /// Where the expression ends that begins at a token, if one does: operands with arithmetic signs between them. What
    /// contains an operator of the logic is a formula and no expression.
    fn expression(&self, start: usize, depth: usize) -> Option<usize> {
        let mut at = self.value(start, depth)?;
        while self.tokens[at].kind == TokenKind::Arithmetic {
            at = self.value(at + 1, depth)?;
        }
        Some(at)
    }

    fn value(&self, start: usize, depth: usize) -> Option<usize> {
        let kind = |at: usize| self.tokens.get(at).map_or(TokenKind::End, |token| token.kind);
        let mut at = start;
        while kind(at) == TokenKind::Complement
            || kind(at) == TokenKind::Arithmetic && self.text(self.tokens[at]) == "-"
        {
            at += 1;
        }
        match kind(at) {
            TokenKind::Number => Some(at + 1),
            TokenKind::Open if depth < HEIGHT_MAX => {
                let end = self.expression(at + 1, depth + 1)?;
                (kind(end) == TokenKind::Close).then_some(end + 1)
            }
            TokenKind::Name => {
                at += 1;
                loop {
                    at = match kind(at) {
                        TokenKind::Open => self.behind(at, TokenKind::Open, TokenKind::Close)?,
                        TokenKind::OpenBracket => {
                            self.behind(at, TokenKind::OpenBracket, TokenKind::CloseBracket)?
                        }
                        TokenKind::Joint if kind(at + 1) == TokenKind::Name => at + 2,
                        TokenKind::Joint if kind(at + 1) == TokenKind::OpenBracket => at + 1,
                        _ => return Some(at),
                    };
                }
            }
            _ => None,
        }
    }

    /// The token behind the bracket that closes this one.
    fn behind(&self, start: usize, open: TokenKind, close: TokenKind) -> Option<usize> {
        let mut depth = 0;
        for at in start..self.tokens.len() {
            depth += i32::from(self.tokens[at].kind == open) - i32::from(self.tokens[at].kind == close);
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// A number alone is a truth value, as in the language of models.
    fn expression_value(&self, start: usize, end: usize) -> Option<Formula> {
        let (start, end) = self.without_parentheses(start, end);
        let token = self.tokens[start];
        (end == start + 1 && token.kind == TokenKind::Number).then(|| {
            match self.text(token).bytes().all(|digit| digit == b'0') {
                true => Formula::False,
                false => Formula::True,
            }
        })
    }

    /// The tokens of an expression, spaced always in the same way.
    fn expression_text(&self, start: usize, end: usize) -> String {
        let (start, end) = self.without_parentheses(start, end);
        let mut text = String::new();
        let mut was_operand = false;
        for token in &self.tokens[start..end] {
            let is_sign = !matches!(
                token.kind,
                TokenKind::Name
                    | TokenKind::Number
                    | TokenKind::Open
                    | TokenKind::Close
                    | TokenKind::OpenBracket
                    | TokenKind::CloseBracket
                    | TokenKind::Joint
                    | TokenKind::Comma
                    | TokenKind::Complement
                    | TokenKind::Not
                    | TokenKind::Always
            );
            let spaced = is_sign && was_operand;
            text += if spaced { " " } else { "" };
            text += self.text(*token);
            text += if spaced || token.kind == TokenKind::Comma { " " } else { "" };
            was_operand = matches!(
                token.kind,
                TokenKind::Name | TokenKind::Number | TokenKind::Close | TokenKind::CloseBracket
            );
        }
        text
    }

    fn without_parentheses(&self, mut start: usize, mut end: usize) -> (usize, usize) {
        while self.tokens[start].kind == TokenKind::Open
            && self.behind(start, TokenKind::Open, TokenKind::Close) == Some(end)
        {
            (start, end) = (start + 1, end - 1);
        }
        (start, end)
    }
}

type Build = fn(Formula, Formula) -> Formula;

fn operator(kind: TokenKind) -> Option<(Build, u8)> {
    Some(match kind {
        TokenKind::Implies => (Formula::implies, 0),
        TokenKind::Equiv => (Formula::equiv, 0),
        TokenKind::Or => (Formula::or, 1),
        TokenKind::And => (Formula::and, 2),
        TokenKind::Until => (Formula::until, 3),
        TokenKind::WeakUntil => (Formula::weak_until, 3),
        TokenKind::Release => (Formula::release, 3),
        _ => return None,
    })
}
