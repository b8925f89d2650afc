//! Conditions that are given beside the text of the model: what must hold in every state, or is to become true in one, and what
//! temporal properties speak of.
//!
//! Processes share nothing, so a condition looks into them from outside, as a claim of Promela does: `P:x` is the
//! variable `x` of the process `P` (or `x` alone if only one process has it), `P@here` says that `P` stands at the label
//! `here`, `len(q)`, `empty(q)`, `nempty(q)`, `full(q)`, `nfull(q)` and `q?[message]` are about channels, and `a -> b` is an
//! implication.

use crate::ast::{Appended, Role};
use crate::lexer::argos_tokens;
use crate::resolve::Reporter;
use crate::token::{Punct, Token, TokenKind};
use panoptes_model::{
    BinaryOp, ChannelTest, Expr, Invariant, Model, Pattern, Place, ProcId, ProcessKind, Receive, Region,
    UnaryOp,
};
use panoptes_source::{Diagnostic, SourceMap, Span};

/// Bounds the recursion of everything that walks the expression.
const DEPTH_MAX: usize = 200;

/// Reads a condition. An invariant is added to the model; what is there for others to speak of is given back.
pub(crate) fn add(
    model: &mut Model,
    sources: &SourceMap,
    text: &Appended,
    reporter: &mut Reporter,
) -> Option<Expr> {
    let mut strange = Vec::new();
    let tokens = argos_tokens(text.tokens.clone(), &mut strange);
    let is_strange = !strange.is_empty();
    strange.into_iter().for_each(|diagnostic| reporter.report(diagnostic));
    let end = Span { lo: text.span.hi, ..text.span };
    let what = match text.role {
        Role::Invariant => "invariant",
        Role::Estimate => "entry",
        _ => "condition",
    };
    let mut reader = Reader { model, tokens: &tokens, at: 0, end, depth: 0, what };
    let condition = match reader.whole() {
        _ if is_strange => return None,
        Ok(condition) => condition,
        Err(wrong) => {
            reporter.report(*wrong);
            return None;
        }
    };
    let last = tokens.last().map_or(end, |token| sources.user_span(token.span));
    let span = tokens.first().map_or(end, |token| sources.user_span(token.span)).to(last);
    let written = sources.snippet(text.span).to_string();
    match text.role {
        Role::Invariant => model.invariants.push(Invariant::new(written, condition, span)),
        Role::Reach => model.invariants.push(Invariant::until_reached(written, condition, span)),
        Role::Atom | Role::Formula | Role::Estimate => return Some(condition),
    }
    None
}

struct Reader<'a> {
    model: &'a Model,
    tokens: &'a [Token],
    at: usize,
    end: Span,
    depth: usize,
    /// What it is called in messages.
    what: &'static str,
}

/// What is wrong, if it cannot be read.
type Read<T> = Result<T, Box<Diagnostic>>;

impl Reader<'_> {
    fn whole(&mut self) -> Read<Expr> {
        let condition = self.implication()?;
        match self.tokens.get(self.at) {
            None => Ok(condition),
            Some(token) if token.kind == TokenKind::Punct(Punct::Assign) => {
                let message = "`=` assigns a value: it is not a comparison".to_string();
                self.wrong(self.here(), message, Some("write `==` to compare".to_string()))
            }
            Some(_) => self.expected(&format!("an operator or the end of the {}", self.what)),
        }
    }

    fn implication(&mut self) -> Read<Expr> {
        let left = self.binary(0)?;
        if !self.eat(Punct::Arrow) {
            return Ok(left);
        }
        let right = self.within(Self::implication)?;
        Ok(Expr::binary(BinaryOp::Or, Expr::negate(left), right))
    }

    fn binary(&mut self, weakest: u8) -> Read<Expr> {
        let mut left = self.unary()?;
        let mut length = 0;
        while let Some(TokenKind::Punct(punct)) = self.peek() {
            let Some(op) = BinaryOp::of_sign(punct.text()).filter(|op| op.tightness() >= weakest) else {
                break;
            };
            length += 1;
            if length > DEPTH_MAX {
                return self.wrong(self.here(), format!("the {} is too long", self.what), None);
            }
            self.at += 1;
            let right = self.within(|this| this.binary(op.tightness() + 1))?;
            left = Expr::binary(op, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        let op = match self.peek() {
            Some(TokenKind::Punct(Punct::Minus)) => UnaryOp::Neg,
            Some(TokenKind::Punct(Punct::Bang)) => UnaryOp::Not,
            Some(TokenKind::Punct(Punct::Tilde)) => UnaryOp::BitNot,
            _ => return self.primary(),
        };
        self.at += 1;
        Ok(Expr::Unary(op, Box::new(self.within(Self::unary)?)))
    }

    fn primary(&mut self) -> Read<Expr> {
        let span = self.here();
        match self.peek().cloned() {
            Some(TokenKind::Number(text)) => {
                self.at += 1;
                match text.parse() {
                    Ok(value) => Ok(Expr::Const(value)),
                    Err(_) => self.wrong(span, format!("`{text}` is not a number that fits"), None),
                }
            }
            Some(TokenKind::Char(value)) => {
                self.at += 1;
                Ok(Expr::Const(value as i32))
            }
            Some(TokenKind::Punct(Punct::LParen)) => {
                self.at += 1;
                let inner = self.within(Self::implication)?;
                self.expect(Punct::RParen)?;
                Ok(inner)
            }
            Some(TokenKind::Ident(name)) => {
                self.at += 1;
                self.named(&name, span)
            }
            _ => self.expected("an expression"),
        }
    }

    /// What begins with a name.
    fn named(&mut self, name: &str, span: Span) -> Read<Expr> {
        let test = match name {
            "len" => Some(ChannelTest::Len),
            "empty" => Some(ChannelTest::Empty),
            "nempty" => Some(ChannelTest::NotEmpty),
            "full" => Some(ChannelTest::Full),
            "nfull" => Some(ChannelTest::NotFull),
            _ => None,
        };
        if let Some(test) = test.filter(|_| self.is_at(Punct::LParen)) {
            self.at += 1;
            let (channel, place) = self.name("a channel")?;
            let number = self.channel(&channel, place)?;
            self.expect(Punct::RParen)?;
            return Ok(Expr::Channel(test, Box::new(number)));
        }
        if self.eat(Punct::Query) {
            self.expect(Punct::LBracket)?;
            let number = self.channel(name, span)?;
            return self.poll(number);
        }
        if self.eat(Punct::Colon) {
            let process = self.process(name, span)?;
            let (variable, place) = self.name("a variable")?;
            return self.variable(process, &variable, place);
        }
        if self.eat(Punct::At) {
            let process = self.process(name, span)?;
            let (label, place) = self.name("a label")?;
            return self.label(process, &label, place);
        }
        self.bare(name, span)
    }

    /// A variable without its process.
    fn bare(&self, name: &str, span: Span) -> Read<Expr> {
        let has_it = |id: &ProcId| self.model.process(*id).variables.iter().any(|known| known.name == name);
        let owners: Vec<ProcId> = self.processes().filter(has_it).collect();
        match owners[..] {
            [owner] => self.variable(owner, name, span),
            [] => {
                let help = match self.model.channels.iter().any(|channel| channel.name == name) {
                    true => format!("`{name}` is a channel: ask for `len({name})` or `{name}?[message]`"),
                    false => format!("there is {}", listed(self.variables())),
                };
                self.wrong(span, format!("no process has a variable `{name}`"), Some(help))
            }
            _ => {
                let names = owners.iter().map(|id| format!("`{}:{name}`", self.model.process(*id).name));
                let help = format!("write {}", names.collect::<Vec<_>>().join(" or "));
                self.wrong(span, format!("several processes have a variable `{name}`"), Some(help))
            }
        }
    }

    fn variable(&self, process: ProcId, name: &str, span: Span) -> Read<Expr> {
        let owner = self.model.process(process);
        let Some(found) = owner.variables.iter().find(|known| known.name == name) else {
            let names = listed(owner.variables.iter().map(|known| known.name.clone()));
            let message = format!("`{}` has no variable `{name}`", owner.name);
            return self.wrong(span, message, Some(format!("there is {names}")));
        };
        let place = Place {
            region: Region::Local,
            offset: found.offset,
            ty: found.ty,
            indices: Vec::new(),
            name: found.name.clone(),
        };
        Ok(Expr::Remote { process, pid: Box::new(self.pid(process)), place: Box::new(place) })
    }

    /// A label may stand before several control states.
    fn label(&self, process: ProcId, name: &str, span: Span) -> Read<Expr> {
        let owner = self.model.process(process);
        let at = |state: u16| Expr::AtState {
            process,
            pid: Box::new(self.pid(process)),
            state,
            label: name.to_string(),
        };
        let states = owner.states.iter().filter(|state| state.labels.iter().any(|label| label == name));
        match states.map(|state| at(state.number)).reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)) {
            Some(condition) => Ok(condition),
            None => {
                let labels = owner.states.iter().flat_map(|state| state.labels.iter().cloned());
                let help = format!("there is {}", listed(labels));
                self.wrong(span, format!("`{}` never stands at a label `{name}`", owner.name), Some(help))
            }
        }
    }

    /// `message]` or `message(value)]`: is it at the head of the channel?
    fn poll(&mut self, channel: Expr) -> Read<Expr> {
        let (message, span) = self.name("a message")?;
        let value = match self.eat(Punct::LParen) {
            true => {
                let value = self.within(Self::implication)?;
                self.expect(Punct::RParen)?;
                Some(value)
            }
            false => None,
        };
        self.expect(Punct::RBracket)?;
        let set = &self.model.enumerations[0];
        // A message with a value and one without may have the same name.
        let tags = set
            .values
            .iter()
            .filter(|(tag, name)| *name == message && (value.is_none() || !set.alone.contains(tag)));
        let Expr::Const(number) = channel else { unreachable!("channels are numbered") };
        let fields = self.model.channels[number as usize - 1].fields.len();
        let polls = tags.map(|(tag, _)| {
            let rest = value.clone().map_or(Pattern::Any, Pattern::Match);
            let patterns = [Pattern::Match(Expr::Const(*tag)), rest].into_iter().take(fields).collect();
            let channel = Expr::Const(number);
            Expr::Poll(Box::new(Receive { channel, patterns, random: false, peek: true }))
        });
        match polls.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)) {
            Some(condition) => Ok(condition),
            None => {
                let names = listed(set.values.iter().map(|(_, name)| name.clone()));
                let with = if value.is_some() { " with a value" } else { "" };
                let help = format!("there is {names}");
                self.wrong(span, format!("there is no message `{message}`{with}"), Some(help))
            }
        }
    }

    fn channel(&self, name: &str, span: Span) -> Read<Expr> {
        match self.model.channels.iter().position(|channel| channel.name == name) {
            Some(index) => Ok(Expr::Const(index as i32 + 1)),
            None => {
                let names = listed(self.model.channels.iter().map(|channel| channel.name.clone()));
                self.wrong(span, format!("there is no channel `{name}`"), Some(format!("there is {names}")))
            }
        }
    }

    fn process(&self, name: &str, span: Span) -> Read<ProcId> {
        match self.processes().find(|id| self.model.process(*id).name == name) {
            Some(id) => Ok(id),
            None => {
                let names = listed(self.processes().map(|id| self.model.process(id).name.clone()));
                self.wrong(span, format!("there is no process `{name}`"), Some(format!("there is {names}")))
            }
        }
    }

    fn processes(&self) -> impl Iterator<Item = ProcId> {
        let ids = (0..).map(ProcId).zip(&self.model.processes);
        ids.filter(|(_, process)| process.kind == ProcessKind::Process).map(|(id, _)| id)
    }

    fn variables(&self) -> impl Iterator<Item = String> {
        self.processes().flat_map(|id| {
            let process = self.model.process(id);
            process.variables.iter().map(|variable| format!("{}:{}", process.name, variable.name))
        })
    }

    /// There is one process of each type, from the start.
    fn pid(&self, process: ProcId) -> Expr {
        let number = self.model.initial.iter().position(|initial| initial.process == process);
        Expr::Const(number.map_or(-1, |number| number as i32))
    }

    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEPTH_MAX {
            return self.wrong(self.here(), format!("the {} is nested too deeply", self.what), None);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn is_at(&self, punct: Punct) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.is(punct))
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is_at(punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: Punct) -> Read<()> {
        match self.eat(punct) {
            true => Ok(()),
            false => self.expected(&format!("`{}`", punct.text())),
        }
    }

    fn name(&mut self, what: &str) -> Read<(String, Span)> {
        let span = self.here();
        match self.peek() {
            Some(TokenKind::Ident(name)) => {
                let name = name.to_string();
                self.at += 1;
                Ok((name, span))
            }
            _ => self.expected(&format!("the name of {what}")),
        }
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let found = self.peek().map_or_else(|| format!("the end of the {}", self.what), TokenKind::describe);
        self.wrong(self.here(), format!("expected {what}, found {found}"), None)
    }

    fn wrong<T>(&self, span: Span, message: String, help: Option<String>) -> Read<T> {
        let wrong = Diagnostic::error(span, message);
        Err(Box::new(match help {
            Some(help) => wrong.help(help),
            None => wrong,
        }))
    }
}

/// The first names of a list, each once.
fn listed(names: impl Iterator<Item = String>) -> String {
    const SHOWN_MAX: usize = 12;
    let mut shown: Vec<String> = Vec::new();
    names.for_each(|name| {
        if !shown.contains(&name) {
            shown.push(name);
        }
    });
    let more = shown.len().saturating_sub(SHOWN_MAX);
    shown.truncate(SHOWN_MAX);
    match (shown.is_empty(), more) {
        (true, _) => "none".to_string(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}
