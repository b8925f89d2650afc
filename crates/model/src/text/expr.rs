//! Expressions and places in words: infix, with the parentheses that are needed and no others.

use crate::{BinaryOp, ChannelTest, Expr, Model, Pattern, Place, ProcId, Receive, Region, Spawn, UnaryOp};
use std::fmt::{self, Display, Formatter, Write};

/// An expression for people. Values are numbers: which enumeration they belong to is not known here.
pub struct ExprText<'a> {
    expr: &'a Expr,
    names: Names<'a>,
}

impl<'a> ExprText<'a> {
    /// Process types and channels by number.
    pub fn new(expr: &'a Expr) -> ExprText<'a> {
        ExprText { expr, names: Names::default() }
    }

    /// Process types and channels by the names that `model` has for them.
    pub fn in_model(expr: &'a Expr, model: &'a Model) -> ExprText<'a> {
        ExprText { expr, names: Names::of(model) }
    }
}

impl Display for ExprText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.names.write_expr(f, self.expr)
    }
}

/// What things are called.
#[derive(Clone, Copy, Default)]
pub(crate) struct Names<'a> {
    pub model: Option<&'a Model>,
    /// Places by their bytes instead of their names and blocks by their steps, so that equal texts mean the same.
    pub addresses: bool,
}

/// How tightly an expression holds together; an operand that holds less tightly needs parentheses.
const CONDITIONAL: u8 = 0;
const UNARY: u8 = 11;
const ATOM: u8 = 12;

impl<'a> Names<'a> {
    pub fn of(model: &'a Model) -> Names<'a> {
        Names { model: Some(model), addresses: false }
    }

    pub fn addresses(model: &'a Model) -> Names<'a> {
        Names { model: Some(model), addresses: true }
    }

    pub fn expr(self, expr: &Expr) -> String {
        let mut text = String::new();
        self.write_expr(&mut text, expr).expect("a string takes all text");
        text
    }

    pub fn place(self, place: &Place) -> String {
        let mut text = String::new();
        self.write_place(&mut text, place).expect("a string takes all text");
        text
    }

    pub fn process(self, id: ProcId) -> String {
        match self.model.and_then(|model| model.processes.get(id.index())) {
            Some(process) if !self.addresses => process.name.clone(),
            _ => format!("process_{}", id.0),
        }
    }

    /// A channel: by name if its number is fixed and stands for a global one.
    pub fn channel(self, number: &Expr) -> String {
        match number {
            Expr::Const(number) => self.channel_number(*number),
            _ => self.operand(number, ATOM),
        }
    }

    pub fn channel_number(self, number: i32) -> String {
        let index = usize::try_from(number - 1).ok();
        match index.and_then(|index| self.model?.channels.get(index)) {
            Some(channel) if !self.addresses => channel.name.clone(),
            _ => format!("#{number}"),
        }
    }

    pub fn receive(self, receive: &Receive) -> String {
        let patterns = self.patterns(&receive.channel, &receive.patterns);
        let operator = if receive.random { "??" } else { "?" };
        let channel = self.channel(&receive.channel);
        if receive.peek {
            format!("{channel} {operator} <{patterns}>")
        } else {
            format!("{channel} {operator} {patterns}").trim_end().to_owned()
        }
    }

    /// What the fields of a message must be, or where they go.
    pub fn patterns(self, channel: &Expr, patterns: &[Pattern]) -> String {
        let fields =
            patterns.iter().enumerate().map(|(field, pattern)| self.pattern(channel, field, pattern));
        fields.collect::<Vec<_>>().join(", ")
    }

    fn pattern(self, channel: &Expr, field: usize, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Any => "_".to_owned(),
            Pattern::Match(value @ Expr::Const(_)) => self.field(channel, field, value),
            Pattern::Match(e) => format!("={}", self.operand(e, UNARY)),
            Pattern::Bind(place) => self.place(place),
        }
    }

    /// A value for a field of a message: by name, if it has one and the channel is known.
    pub fn field(self, channel: &Expr, field: usize, value: &Expr) -> String {
        self.field_name(channel, field, value).unwrap_or_else(|| self.expr(value))
    }

    fn field_name(self, channel: &Expr, field: usize, value: &Expr) -> Option<String> {
        let (Expr::Const(number), Expr::Const(value)) = (channel, value) else { return None };
        let model = self.model.filter(|_| !self.addresses)?;
        let channel = model.channels.get(usize::try_from(number - 1).ok()?)?;
        let crate::Display::Enum(id) = channel.displays.get(field)? else { return None };
        let names = &model.enumerations.get(id.index())?.values;
        names.iter().find(|(known, _)| known == value).map(|(_, name)| name.clone())
    }

    pub fn spawn(self, spawn: &Spawn) -> String {
        let args = self.list(&spawn.args, |arg| self.expr(arg));
        let call = format!("spawn {}({args})", self.process(spawn.process));
        match &spawn.priority {
            Some(priority) => format!("{call} priority {}", self.operand(priority, ATOM)),
            None => call,
        }
    }

    pub fn list<T>(self, items: &[T], text: impl Fn(&T) -> String) -> String {
        items.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn write_place(self, out: &mut dyn Write, place: &Place) -> fmt::Result {
        if self.addresses {
            let region = if place.region == Region::Global { "global" } else { "local" };
            write!(out, "{region}@{}:{}", place.offset, place.ty)?;
            return place.indices.iter().try_for_each(|term| {
                write!(out, "[{} of {} by {}]", self.expr(&term.index), term.len, term.stride)
            });
        }
        let mut terms = place.indices.iter();
        let mut rest = place.name.as_str();
        while let Some((before, after)) = rest.split_once("[]") {
            let index = terms.next().map_or(String::new(), |term| self.expr(&term.index));
            write!(out, "{before}[{index}]")?;
            rest = after;
        }
        out.write_str(rest)?;
        if place.name.contains('[') {
            return Ok(());
        }
        terms.try_for_each(|term| write!(out, "[{}]", self.expr(&term.index)))
    }

    fn write_expr(self, out: &mut dyn Write, expr: &Expr) -> fmt::Result {
        match expr {
            Expr::Const(value) => write!(out, "{value}"),
            Expr::Load(place) => self.write_place(out, place),
            Expr::Unary(op, e) => {
                let operand = self.operand(e, UNARY);
                match op {
                    UnaryOp::Neg if operand.starts_with('-') => write!(out, "-({operand})"),
                    _ => write!(out, "{}{operand}", op.sign()),
                }
            }
            Expr::Binary(op, left, right) => {
                let (tightness, symbol) = (op.tightness(), op.sign());
                let right_must_exceed = if chains(*op, right) { tightness } else { tightness + 1 };
                let (left, right) = (self.operand(left, tightness), self.operand(right, right_must_exceed));
                write!(out, "{left} {symbol} {right}")
            }
            Expr::Cond(condition, yes, no) => {
                let condition = self.operand(condition, CONDITIONAL + 1);
                let yes = self.operand(yes, CONDITIONAL + 1);
                write!(out, "{condition} ? {yes} : {}", self.expr(no))
            }
            Expr::SelfPid => out.write_str("self"),
            Expr::ProcessCount => out.write_str("process_count"),
            Expr::LastPid => out.write_str("last"),
            Expr::OwnChannel(index) => write!(out, "own_channel({index})"),
            Expr::PidOf(process) => write!(out, "pid_of({})", self.process(*process)),
            Expr::Channel(test, channel) => write!(out, "{}({})", test_name(*test), self.channel(channel)),
            Expr::Poll(receive) => write!(out, "poll({})", self.receive(receive)),
            Expr::Timeout => out.write_str("timeout"),
            Expr::NonProgress => out.write_str("non_progress"),
            Expr::Enabled(pid) => write!(out, "enabled({})", self.expr(pid)),
            Expr::ControlPoint(pid) => write!(out, "control_point({})", self.expr(pid)),
            Expr::Priority(pid) => write!(out, "priority({})", self.expr(pid)),
            Expr::AtState { process, pid, state, label } => {
                write!(out, "{}[{}]@", self.process(*process), self.expr(pid))?;
                if self.addresses || label.is_empty() { write!(out, "{state}") } else { out.write_str(label) }
            }
            Expr::Remote { process, pid, place } => {
                write!(out, "{}[{}]:", self.process(*process), self.expr(pid))?;
                self.write_place(out, place)
            }
            Expr::Spawn(spawn) => out.write_str(&self.spawn(spawn)),
        }
    }

    /// The text of `expr` where at least this tightness is needed.
    fn operand(self, expr: &Expr, needed: u8) -> String {
        let text = self.expr(expr);
        if tightness(expr) < needed { format!("({text})") } else { text }
    }
}

/// May `right` stand after `op` without parentheses though it is the same operator?
fn chains(op: BinaryOp, right: &Expr) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or) && matches!(right, Expr::Binary(inner, ..) if *inner == op)
}

fn tightness(expr: &Expr) -> u8 {
    match expr {
        Expr::Cond(..) | Expr::Spawn(_) => CONDITIONAL,
        Expr::Binary(op, ..) => op.tightness(),
        Expr::Unary(..) => UNARY,
        Expr::Const(value) if *value < 0 => UNARY,
        _ => ATOM,
    }
}

fn test_name(test: ChannelTest) -> &'static str {
    match test {
        ChannelTest::Len => "len",
        ChannelTest::Empty => "empty",
        ChannelTest::NotEmpty => "not_empty",
        ChannelTest::Full => "full",
        ChannelTest::NotFull => "not_full",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{constant, global, indexed};
    use crate::{Expr::Unary, ScalarType};

    fn check(expr: Expr, expected: &str) {
        assert_eq!(ExprText::new(&expr).to_string(), expected);
    }

    fn x() -> Expr {
        Expr::load(global("x", 0, ScalarType::BYTE))
    }

    #[test]
    fn parentheses_stand_only_where_they_change_the_meaning() {
        use BinaryOp::*;
        let sum = || Expr::binary(Add, x(), constant(1));
        check(Expr::binary(Mul, sum(), constant(2)), "(x + 1) * 2");
        check(Expr::binary(Add, Expr::binary(Mul, x(), constant(2)), constant(1)), "x * 2 + 1");
        check(Expr::binary(Sub, Expr::binary(Sub, x(), constant(1)), constant(2)), "x - 1 - 2");
        check(Expr::binary(Sub, x(), Expr::binary(Sub, constant(1), constant(2))), "x - (1 - 2)");
        check(Expr::binary(And, x(), Expr::binary(And, x(), x())), "x && x && x");
        check(Expr::binary(And, Expr::binary(Or, x(), x()), x()), "(x || x) && x");
        check(Expr::binary(Or, Expr::binary(And, x(), x()), x()), "x && x || x");
        check(Expr::negate(Expr::binary(Eq, x(), constant(0))), "!(x == 0)");
    }

    #[test]
    fn negation_never_runs_into_a_sign() {
        check(Unary(UnaryOp::Neg, Box::new(constant(-5))), "-(-5)");
        check(Unary(UnaryOp::Neg, Box::new(x())), "-x");
        check(Expr::binary(BinaryOp::Sub, x(), constant(-5)), "x - -5");
        check(Unary(UnaryOp::BitNot, Box::new(Expr::negate(x()))), "~!x");
    }

    #[test]
    fn a_conditional_is_wrapped_when_it_is_an_operand() {
        let cond = || Expr::Cond(Box::new(x()), Box::new(constant(1)), Box::new(constant(2)));
        check(cond(), "x ? 1 : 2");
        check(Expr::binary(BinaryOp::Add, cond(), constant(3)), "(x ? 1 : 2) + 3");
        check(Expr::Cond(Box::new(cond()), Box::new(x()), Box::new(cond())), "(x ? 1 : 2) ? x : x ? 1 : 2");
    }

    #[test]
    fn subscripts_stand_where_the_name_leaves_room_for_them() {
        let two = |name| Expr::load(indexed(name, 0, &[(x(), 2, 4), (constant(1), 4, 1)]));
        check(two("a"), "a[x][1]");
        check(two("a[].b[]"), "a[x].b[1]");
        check(two("a[3]"), "a[3]");
    }

    #[test]
    fn questions_about_processes_and_channels_have_words() {
        check(Expr::Channel(ChannelTest::NotFull, Box::new(constant(2))), "not_full(#2)");
        check(Expr::Enabled(Box::new(Expr::SelfPid)), "enabled(self)");
        let at = |label: &str| Expr::AtState {
            process: ProcId(1),
            pid: Box::new(x()),
            state: 7,
            label: label.to_owned(),
        };
        check(at("busy"), "process_1[x]@busy");
        check(at(""), "process_1[x]@7");
        let receive = Receive {
            channel: constant(1),
            patterns: vec![Pattern::Any, Pattern::Match(constant(3)), Pattern::Match(x())],
            random: true,
            peek: true,
        };
        check(Expr::Poll(Box::new(receive)), "poll(#1 ?? <_, 3, =x>)");
    }
}
