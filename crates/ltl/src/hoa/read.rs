//! Reading HOA: automata with generalised Büchi acceptance, on states or transitions, labels explicit or implicit.

use super::lexer::{Token, TokenKind, tokens};
use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::bdd::{Bdd, Bdds};
use crate::formula::ATOMS_MAX;
use crate::parser::Atoms;
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

/// More states than that are refused.
const STATES_MAX: u64 = 1_000_000;
/// And more edges, each with a conjunction of literals.
const EDGES_MAX: usize = 2_000_000;
/// Labels may be nested so deeply.
const DEPTH_MAX: usize = 200;
/// And their decision diagrams may be so large.
const NODES_MAX: usize = 1_000_000;
/// Implicit labels are one edge for each valuation; more atoms than that are refused.
const IMPLICIT_ATOMS_MAX: u32 = 16;

/// Reads an automaton from a file of `sources`. Atomic propositions that `atoms` does not have yet are added to it.
pub fn read_hoa(sources: &SourceMap, file: FileId, atoms: &mut Atoms) -> Result<Automaton, Diagnostic> {
    let mut reader = Reader {
        tokens: tokens(sources, file).map_err(|error| error.code("hoa"))?,
        at: 0,
        atoms,
        bdds: Bdds::new(NODES_MAX),
        propositions: Vec::new(),
        aliases: FxHashMap::default(),
        states: None,
        starts: Vec::new(),
        marks: None,
        edges: Vec::new(),
        is_defined: Vec::new(),
    };
    reader.automaton().map_err(|error| error.code("hoa"))
}

struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    atoms: &'a mut Atoms,
    bdds: Bdds,
    /// The atom of each proposition of the file.
    propositions: Vec<u32>,
    aliases: FxHashMap<String, Bdd>,
    states: Option<u64>,
    starts: Vec<(u64, Token)>,
    /// The marks that the acceptance condition names, in order.
    marks: Option<Vec<u64>>,
    edges: Vec<Vec<(Bdd, Marks, u64, Token)>>,
    is_defined: Vec<bool>,
}

type Read<T> = Result<T, Diagnostic>;

impl Reader<'_> {
    fn automaton(&mut self) -> Read<Automaton> {
        self.headers()?;
        self.body()?;
        let count = self.edges.len() as u64;
        for (target, token) in self.edges.iter().flatten().map(|(_, _, target, token)| (*target, token)) {
            if target >= count {
                return Err(Diagnostic::error(token.span, format!("there is no state {target}")));
            }
        }
        if let Some((start, token)) = self.starts.iter().find(|(start, _)| *start >= count) {
            return Err(Diagnostic::error(token.span, format!("there is no state {start}")));
        }
        let mut arcs: Vec<Vec<Edge>> = Vec::new();
        let mut count = 0;
        for edges in std::mem::take(&mut self.edges) {
            let mut out = Vec::new();
            for (label, marks, target, token) in edges {
                let too_large =
                    || Diagnostic::error(token.span, "the labels of this automaton are too large");
                let cubes = self.bdds.cubes(label, EDGES_MAX - count).ok_or_else(too_large)?;
                count = EDGES_MAX.min(count + cubes.len());
                let target = StateId(target as u32);
                out.extend(cubes.into_iter().map(|label| Edge { label, marks, target }));
            }
            arcs.push(out);
        }
        let initial = match self.starts[..] {
            [(start, _)] => start as usize,
            // A state that can do what any of the initial states can.
            _ => {
                let all = self.starts.iter().flat_map(|(start, _)| arcs[*start as usize].clone()).collect();
                arcs.push(all);
                arcs.len() - 1
            }
        };
        let marks = self.marks.as_ref().map_or(0, Vec::len) as u32;
        Ok(Automaton::new(self.atoms.names().len() as u32, marks, StateId(initial as u32), arcs))
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        Err(Diagnostic::error(self.peek().span, format!("expected {what}")))
    }

    fn number(&mut self, what: &str) -> Read<u64> {
        match self.peek().kind {
            TokenKind::Number(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.expected(what),
        }
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.peek().kind == TokenKind::Sign(sign);
        if found {
            self.bump();
        }
        found
    }

    fn close(&mut self, sign: char) -> Read<()> {
        if self.sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    // ---- Headers

    fn headers(&mut self) -> Read<()> {
        let first = self.bump();
        let version = self.bump();
        match (&first.kind, &version.kind) {
            (TokenKind::Header(name), TokenKind::Name(version)) if name == "HOA" && version == "v1" => {}
            _ => return Err(Diagnostic::error(first.span, "an automaton in HOA begins with `HOA: v1`")),
        }
        loop {
            let token = self.bump();
            match &token.kind {
                TokenKind::Body => break,
                TokenKind::Header(name) => self.header(name, &token)?,
                _ => return Err(Diagnostic::error(token.span, "expected a header or `--BODY--`")),
            }
        }
        if self.starts.is_empty() {
            return Err(Diagnostic::error(first.span, "there is no `Start:`, so no initial state"));
        }
        if self.marks.is_none() {
            return Err(Diagnostic::error(first.span, "there is no `Acceptance:`"));
        }
        Ok(())
    }

    fn header(&mut self, name: &str, token: &Token) -> Read<()> {
        match name {
            "States" => {
                let states = self.number("how many states there are")?;
                if states > STATES_MAX {
                    let message = format!("more than {STATES_MAX} states are too many");
                    return Err(Diagnostic::error(token.span, message));
                }
                self.states = Some(states);
            }
            "Start" => {
                let start = self.number("the number of a state")?;
                self.starts.push((start, token.clone()));
                if self.peek().kind == TokenKind::Sign('&') {
                    return Err(alternation(self.peek()));
                }
            }
            "AP" => self.propositions(token)?,
            "Alias" => {
                let TokenKind::Alias(alias) = self.bump().kind else {
                    return Err(Diagnostic::error(token.span, "expected `@` and a name after `Alias:`"));
                };
                let label = self.label(0)?;
                self.aliases.insert(alias, label);
            }
            "Acceptance" => self.acceptance(token)?,
            // Headers with a capital letter change the meaning; we know all that the format defines.
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return Err(Diagnostic::error(token.span, format!("the header `{name}:` is not known")));
            }
            _ => self.skip_header(),
        }
        Ok(())
    }

    fn skip_header(&mut self) {
        while !matches!(
            self.peek().kind,
            TokenKind::Header(_) | TokenKind::Body | TokenKind::End | TokenKind::Abort | TokenKind::Nothing
        ) {
            self.bump();
        }
    }

    fn propositions(&mut self, token: &Token) -> Read<()> {
        let count = self.number("how many atomic propositions there are")?;
        while let TokenKind::Text(name) = &self.tokens[self.at].kind {
            let Span { lo, hi, .. } = self.tokens[self.at].span;
            let inside = Span { lo: lo + 1, hi: hi - 1, ..self.tokens[self.at].span };
            let atom = self.atoms.intern_at(name, inside).0;
            if atom >= ATOMS_MAX {
                let message = format!("an automaton can have {ATOMS_MAX} atomic propositions at most");
                return Err(Diagnostic::error(self.peek().span, message));
            }
            self.propositions.push(atom);
            self.bump();
        }
        match self.propositions.len() as u64 == count {
            true => Ok(()),
            false => {
                let found = self.propositions.len();
                Err(Diagnostic::error(token.span, format!("there should be {count} names, not {found}")))
            }
        }
    }

    fn acceptance(&mut self, header: &Token) -> Read<()> {
        let count = self.number("how many acceptance sets there are")?;
        let mut marks = Vec::new();
        self.condition(count, 0, &mut marks)?;
        if marks.len() > u64::BITS as usize {
            return Err(Diagnostic::error(header.span, "more than 64 acceptance sets are too many"));
        }
        self.marks = Some(marks);
        Ok(())
    }

    /// `Inf(0)&Inf(1)`, or `t`: which marks a run must see infinitely often.
    fn condition(&mut self, count: u64, depth: usize, marks: &mut Vec<u64>) -> Read<()> {
        loop {
            let token = self.bump();
            match &token.kind {
                TokenKind::Name(name) if name == "t" => {}
                TokenKind::Name(name) if name == "Inf" => {
                    self.close('(')?;
                    let mark_token = self.bump();
                    let TokenKind::Number(mark) = mark_token.kind else { return Err(not_buchi(&mark_token)) };
                    if mark >= count {
                        let message = format!("there are only {count} acceptance sets");
                        return Err(Diagnostic::error(mark_token.span, message));
                    }
                    if !marks.contains(&mark) {
                        marks.push(mark);
                    }
                    self.close(')')?;
                }
                TokenKind::Sign('(') if depth < DEPTH_MAX => {
                    self.condition(count, depth + 1, marks)?;
                    self.close(')')?;
                }
                _ => return Err(not_buchi(&token)),
            }
            if !self.sign('&') {
                break;
            }
        }
        match self.peek().kind {
            TokenKind::Sign('|') => Err(not_buchi(self.peek())),
            _ => Ok(()),
        }
    }

    // ---- Body

    fn body(&mut self) -> Read<()> {
        if let Some(states) = self.states {
            self.edges.resize(states as usize, Vec::new());
            self.is_defined.resize(states as usize, false);
        }
        loop {
            let token = self.bump();
            match &token.kind {
                TokenKind::End => return Ok(()),
                TokenKind::Header(name) if name == "State" => self.state(&token)?,
                TokenKind::Abort => return Err(Diagnostic::error(token.span, "this automaton was given up")),
                _ => return Err(Diagnostic::error(token.span, "expected `State:` or `--END--`")),
            }
        }
    }

    fn state(&mut self, header: &Token) -> Read<()> {
        let state_label = self.optional_label()?;
        let number = self.number("the number of a state")?;
        match self.states {
            Some(states) if number >= states => {
                return Err(Diagnostic::error(header.span, format!("there are only {states} states")));
            }
            _ if number > STATES_MAX => {
                return Err(Diagnostic::error(header.span, "this number of a state is too large"));
            }
            _ => {}
        }
        let state = number as usize;
        if state >= self.edges.len() {
            self.edges.resize(state + 1, Vec::new());
            self.is_defined.resize(state + 1, false);
        }
        if std::mem::replace(&mut self.is_defined[state], true) {
            return Err(Diagnostic::error(header.span, format!("state {state} is defined twice")));
        }
        if let TokenKind::Text(_) = self.peek().kind {
            self.bump();
        }
        let state_marks = self.marks()?;
        let mut implicit = 0;
        loop {
            let token = self.peek().clone();
            let label = match (&token.kind, state_label) {
                (TokenKind::Sign('['), Some(_)) => {
                    return Err(Diagnostic::error(
                        token.span,
                        "the state has a label, so its edges have none",
                    ));
                }
                (TokenKind::Sign('['), None) => self.optional_label()?,
                (TokenKind::Number(_), label) => label,
                _ => break,
            };
            let label = match label {
                Some(label) => label,
                None => self.implicit_label(implicit, &token)?,
            };
            implicit += 1;
            let target_token = self.peek().clone();
            let target = self.number("the number of a state")?;
            if self.peek().kind == TokenKind::Sign('&') {
                return Err(alternation(self.peek()));
            }
            let marks = self.marks()?.with(state_marks);
            self.edges[state].push((label, marks, target, target_token));
        }
        Ok(())
    }

    /// The label of an edge that has none: its place among the edges is the valuation.
    fn implicit_label(&mut self, place: u64, token: &Token) -> Read<Bdd> {
        let propositions = self.propositions.len() as u32;
        if propositions > IMPLICIT_ATOMS_MAX {
            return Err(Diagnostic::error(token.span, "too many propositions for edges without labels"));
        }
        if place >> propositions != 0 {
            return Err(Diagnostic::error(token.span, "there are more edges than valuations"));
        }
        let mut label = Bdd::TRUE;
        for (index, atom) in self.propositions.clone().into_iter().enumerate() {
            let literal = self.bdds.variable(atom);
            let literal = if place >> index & 1 == 1 { literal } else { self.bdds.not(literal) };
            label = self.bdds.and(label, literal);
        }
        Ok(label)
    }

    fn marks(&mut self) -> Read<Marks> {
        let mut marks = Marks::NONE;
        if self.sign('{') {
            let known = self.marks.clone().unwrap_or_default();
            while let TokenKind::Number(mark) = self.peek().kind {
                if let Some(place) = known.iter().position(|known| *known == mark) {
                    marks = marks.with(Marks::single(place as u32));
                }
                self.bump();
            }
            self.close('}')?;
        }
        Ok(marks)
    }

    // ---- Labels

    fn optional_label(&mut self) -> Read<Option<Bdd>> {
        if !self.sign('[') {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.close(']')?;
        Ok(Some(label))
    }

    fn label(&mut self, depth: usize) -> Read<Bdd> {
        let mut any = self.conjunction(depth)?;
        while self.sign('|') {
            let other = self.conjunction(depth)?;
            any = self.bdds.or(any, other);
        }
        Ok(any)
    }

    fn conjunction(&mut self, depth: usize) -> Read<Bdd> {
        let mut all = self.literal(depth)?;
        while self.sign('&') {
            let other = self.literal(depth)?;
            all = self.bdds.and(all, other);
        }
        Ok(all)
    }

    fn literal(&mut self, depth: usize) -> Read<Bdd> {
        let token = self.bump();
        if depth > DEPTH_MAX {
            return Err(Diagnostic::error(token.span, "this label is nested too deeply"));
        }
        match &token.kind {
            TokenKind::Sign('!') => {
                let operand = self.literal(depth + 1)?;
                Ok(self.bdds.not(operand))
            }
            TokenKind::Sign('(') => {
                let label = self.label(depth + 1)?;
                self.close(')')?;
                Ok(label)
            }
            TokenKind::Name(name) if name == "t" => Ok(Bdd::TRUE),
            TokenKind::Name(name) if name == "f" => Ok(Bdd::FALSE),
            TokenKind::Number(number) => match self.propositions.get(*number as usize) {
                Some(atom) => Ok(self.bdds.variable(*atom)),
                None => {
                    let message = format!("there is no atomic proposition {number}");
                    Err(Diagnostic::error(token.span, message))
                }
            },
            TokenKind::Alias(alias) => match self.aliases.get(alias) {
                Some(label) => Ok(*label),
                None => Err(Diagnostic::error(token.span, format!("there is no alias `@{alias}`"))),
            },
            _ => Err(Diagnostic::error(token.span, "expected a label")),
        }
    }
}

fn not_buchi(token: &Token) -> Diagnostic {
    Diagnostic::error(token.span, "this acceptance condition is not generalised Büchi")
        .help("only conjunctions of `Inf(…)` can be checked; other tools convert")
}

fn alternation(token: &Token) -> Diagnostic {
    Diagnostic::error(token.span, "automata that go on in several states at once cannot be checked")
}
