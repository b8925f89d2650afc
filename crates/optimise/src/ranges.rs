//! Which values a variable or a message field can have: an interval each, whatever path led there.
//!
//! All assignments, receives and parameters are taken together until nothing changes. An interval that keeps growing is
//! widened to the next constant of the model, and at last to its type.

use crate::code::{Code, each_code, starts_processes};
use crate::facts::Facts;
use panoptes_model::{
    Action, BinaryOp, Channel, ChannelTest, Expr, Model, Pattern, Place, ProcId, Receive, Region, ScalarType,
    Send, Spawn, UnaryOp, Variable,
};

/// The values from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub low: i64,
    pub high: i64,
}

impl Interval {
    pub const fn new(low: i64, high: i64) -> Interval {
        Interval { low, high }
    }

    pub const fn only(value: i64) -> Interval {
        Interval { low: value, high: value }
    }

    const BOOL: Interval = Interval::new(0, 1);
    const PID: Interval = Interval::new(0, 255);
    const INT: Interval = Interval::new(i32::MIN as i64, i32::MAX as i64);

    pub fn of_type(ty: ScalarType) -> Interval {
        match ty.signed {
            true => Interval::new(-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
            false if ty.bits >= 32 => Interval::INT,
            false => Interval::new(0, (1 << ty.bits) - 1),
        }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    pub fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The value as 32 bits keep it: anything, unless it fits.
    fn cut(self) -> Interval {
        if Interval::INT.contains(self) { self } else { Interval::INT }
    }

    /// The value as the type keeps it.
    fn wrap(self, ty: ScalarType) -> Interval {
        let all = Interval::of_type(ty);
        if all.contains(self) { self } else { all }
    }
}

/// Rounds before intervals are widened, and before they are widened to their type at once.
const ROUNDS_EXACT: usize = 3;
const ROUNDS_STEPWISE: usize = 12;

pub(crate) struct Ranges<'m> {
    model: &'m Model,
    facts: &'m Facts,
    globals: Vec<Interval>,
    locals: Vec<Vec<Interval>>,
    /// For each global channel and each of its fields; none before something is sent.
    pub channels: Vec<Vec<Option<Interval>>>,
    pub own_channels: Vec<Vec<Vec<Option<Interval>>>>,
    /// The constants of the model, sorted.
    steps: Vec<i64>,
    /// The numbers that processes can have.
    pids: Interval,
    round: usize,
    changed: bool,
}

/// Code that gives values to something.
struct Writer<'m> {
    owner: Option<ProcId>,
    code: Code<'m>,
    /// An expression in it starts a process, which gets arguments.
    spawns: bool,
}

impl<'m> Writer<'m> {
    fn of(owner: Option<ProcId>, code: Code<'m>) -> Option<Writer<'m>> {
        let mut spawns = false;
        code.walk(&mut |e| spawns |= matches!(e, Expr::Spawn(_)));
        let writes = matches!(
            code,
            Code::Action(Action::Assign { .. } | Action::Send(_) | Action::Receive(_) | Action::Spawn(_))
        );
        (writes || spawns).then_some(Writer { owner, code, spawns })
    }
}

impl<'m> Ranges<'m> {
    pub fn of(model: &'m Model, facts: &'m Facts) -> Ranges<'m> {
        let zero = |variables: &[Variable]| vec![Interval::only(0); variables.len()];
        let fields = |channels: &[Channel]| channels.iter().map(|c| vec![None; c.fields.len()]).collect();
        let mut ranges = Ranges {
            model,
            facts,
            globals: zero(&model.variables),
            locals: model.processes.iter().map(|process| zero(&process.variables)).collect(),
            channels: fields(&model.channels),
            own_channels: model.processes.iter().map(|process| fields(&process.channels)).collect(),
            steps: constants(model),
            pids: pids(model),
            round: 0,
            changed: true,
        };
        let mut writers = Vec::new();
        each_code(model, &mut |owner, code| writers.extend(Writer::of(owner, code)));
        while std::mem::take(&mut ranges.changed) {
            writers.iter().for_each(|writer| ranges.follow(writer));
            ranges.round += 1;
        }
        ranges
    }

    pub fn global(&self, index: usize) -> Interval {
        self.globals[index]
    }

    pub fn local(&self, process: ProcId, index: usize) -> Interval {
        self.locals[process.index()][index]
    }

    fn follow(&mut self, writer: &Writer<'_>) {
        let Writer { owner, code, spawns } = *writer;
        if let Code::Action(action) = code {
            match action {
                Action::Assign { place, value } => {
                    let value = self.value(owner, value);
                    self.store(owner, place, value);
                }
                Action::Send(send) => self.send(owner, send),
                Action::Receive(receive) => self.receive(owner, receive),
                Action::Spawn(spawn) => self.spawn(owner, spawn),
                _ => {}
            }
        }
        if spawns {
            code.walk(&mut |e| {
                if let Expr::Spawn(spawn) = e {
                    self.spawn(owner, spawn);
                }
            });
        }
    }

    fn store(&mut self, owner: Option<ProcId>, place: &Place, value: Interval) {
        let value = value.wrap(place.ty);
        let facts = self.facts;
        let space = match (place.region, owner) {
            (Region::Global, _) => &facts.globals,
            (Region::Local, Some(id)) => &facts.locals[id.index()],
            (Region::Local, None) => return,
        };
        for index in space.reached(place) {
            let ty = match (place.region, owner) {
                (Region::Local, Some(id)) => self.model.process(id).variables[index].ty,
                _ => self.model.variables[index].ty,
            };
            // A part of a variable, or one seen as another type: anything goes.
            let value = if ty == place.ty { value } else { Interval::of_type(ty) };
            let old = match (place.region, owner) {
                (Region::Local, Some(id)) => self.locals[id.index()][index],
                _ => self.globals[index],
            };
            let new = self.grown(old, value, ty);
            match (place.region, owner) {
                (Region::Local, Some(id)) => self.locals[id.index()][index] = new,
                _ => self.globals[index] = new,
            }
        }
    }

    /// `old` with `more`, widened where it would go on growing.
    fn grown(&mut self, old: Interval, more: Interval, ty: ScalarType) -> Interval {
        let mut new = old.join(more);
        if new == old {
            return old;
        }
        self.changed = true;
        if self.round >= ROUNDS_EXACT {
            let all = Interval::of_type(ty);
            let stepwise = self.round < ROUNDS_STEPWISE;
            if new.low < old.low {
                let step = self.steps.iter().rev().find(|step| **step <= new.low && stepwise);
                new.low = step.map_or(all.low, |step| (*step).max(all.low));
            }
            if new.high > old.high {
                let step = self.steps.iter().find(|step| **step >= new.high && stepwise);
                new.high = step.map_or(all.high, |step| (*step).min(all.high));
            }
        }
        new
    }

    fn send(&mut self, owner: Option<ProcId>, send: &Send) {
        let values: Vec<Interval> = send.args.iter().map(|arg| self.value(owner, arg)).collect();
        for at in self.candidates(owner, &send.channel) {
            let fields = &at.channel(self.model).fields;
            if fields.len() != values.len() {
                continue;
            }
            for (field, (ty, value)) in fields.iter().zip(&values).enumerate() {
                let value = value.wrap(*ty);
                let old = self.field(at, field);
                let new = match old {
                    Some(old) => self.grown(old, value, *ty),
                    None => {
                        self.changed = true;
                        value
                    }
                };
                match at {
                    At::Global(index) => self.channels[index][field] = Some(new),
                    At::Own(id, index) => self.own_channels[id.index()][index][field] = Some(new),
                }
            }
        }
    }

    fn receive(&mut self, owner: Option<ProcId>, receive: &Receive) {
        for at in self.candidates(owner, &receive.channel) {
            for (field, pattern) in receive.patterns.iter().enumerate() {
                if let Pattern::Bind(place) = pattern
                    && field < at.channel(self.model).fields.len()
                    && let Some(value) = self.field(at, field)
                {
                    self.store(owner, place, value);
                }
            }
        }
    }

    fn spawn(&mut self, owner: Option<ProcId>, spawn: &Spawn) {
        let values: Vec<Interval> = spawn.args.iter().map(|arg| self.value(owner, arg)).collect();
        let process = self.model.process(spawn.process);
        let params = process.variables.iter().enumerate().take(process.param_count);
        let cells =
            params.flat_map(|(index, variable)| (0..variable.count).map(move |_| (index, variable.ty)));
        for ((index, ty), value) in cells.zip(values) {
            let old = self.locals[spawn.process.index()][index];
            self.locals[spawn.process.index()][index] = self.grown(old, value.wrap(ty), ty);
        }
    }

    fn field(&self, at: At, field: usize) -> Option<Interval> {
        match at {
            At::Global(index) => self.channels[index][field],
            At::Own(id, index) => self.own_channels[id.index()][index][field],
        }
    }

    /// The channels that an expression can give.
    pub fn candidates(&self, owner: Option<ProcId>, channel: &Expr) -> Vec<At> {
        if let (Expr::OwnChannel(index), Some(id)) = (channel, owner) {
            return vec![At::Own(id, *index as usize)];
        }
        let value = self.value(owner, channel);
        let count = self.model.channels.len();
        let global = (0..count).filter(|index| value.contains(Interval::only(*index as i64 + 1)));
        let mut found: Vec<At> = global.map(At::Global).collect();
        if value.high > count as i64 {
            for (id, process) in (0..).map(ProcId).zip(&self.model.processes) {
                found.extend((0..process.channels.len()).map(|index| At::Own(id, index)));
            }
        }
        found
    }

    /// The values that a place can hold.
    fn load(&self, owner: Option<ProcId>, place: &Place) -> Interval {
        let all = Interval::of_type(place.ty);
        let (space, variables, values) = match (place.region, owner) {
            (Region::Global, _) => (&self.facts.globals, &self.model.variables, &self.globals),
            (Region::Local, Some(id)) => {
                let index = id.index();
                (&self.facts.locals[index], &self.model.process(id).variables, &self.locals[index])
            }
            (Region::Local, None) => return all,
        };
        let mut joined: Option<Interval> = None;
        for index in space.reached(place) {
            if variables[index].ty != place.ty {
                return all;
            }
            joined = Some(joined.map_or(values[index], |joined| joined.join(values[index])));
        }
        joined.unwrap_or(all)
    }

    /// The values that an expression can have.
    pub fn value(&self, owner: Option<ProcId>, expr: &Expr) -> Interval {
        match expr {
            Expr::Const(value) => Interval::only(i64::from(*value)),
            Expr::Load(place) => self.load(owner, place),
            Expr::Remote { process, place, .. } => self.load(Some(*process), place).join(Interval::only(0)),
            Expr::Unary(op, operand) => {
                let Interval { low, high } = self.value(owner, operand);
                match op {
                    UnaryOp::Neg => Interval::new(-high, -low).cut(),
                    UnaryOp::Not => Interval::BOOL,
                    UnaryOp::BitNot => Interval::new(!high, !low),
                }
            }
            Expr::Binary(op, left, right) => binary(*op, self.value(owner, left), self.value(owner, right)),
            Expr::Cond(_, then, otherwise) => self.value(owner, then).join(self.value(owner, otherwise)),
            Expr::SelfPid => self.pids,
            Expr::ProcessCount | Expr::LastPid | Expr::Priority(_) => Interval::PID,
            Expr::PidOf(_) | Expr::Spawn(_) => Interval::new(-1, 255),
            Expr::OwnChannel(_) => Interval::new(self.model.channels.len() as i64 + 1, 255),
            Expr::Channel(ChannelTest::Len, _) | Expr::ControlPoint(_) => Interval::new(0, 65_535),
            Expr::Channel(..)
            | Expr::Poll(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::AtState { .. } => Interval::BOOL,
        }
    }
}

/// A channel by where it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Global(usize),
    Own(ProcId, usize),
}

impl At {
    pub fn channel(self, model: &Model) -> &Channel {
        match self {
            At::Global(index) => &model.channels[index],
            At::Own(id, index) => &model.process(id).channels[index],
        }
    }
}

/// Processes are numbered from zero in the order in which they start.
fn pids(model: &Model) -> Interval {
    match starts_processes(model) {
        true => Interval::PID,
        false => Interval::new(0, (model.initial.len() as i64 - 1).max(0)),
    }
}

fn constants(model: &Model) -> Vec<i64> {
    let mut found = vec![-129, -1, 0, 1, 127, 255, 256, 32_767, 65_535];
    each_code(model, &mut |_, code| {
        code.walk(&mut |e| {
            if let Expr::Const(value) = e {
                let value = i64::from(*value);
                found.extend([value - 1, value, value + 1]);
            }
        });
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    let corners = |f: fn(i64, i64) -> i64| {
        let values = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
        let low = values.into_iter().min().unwrap_or(0);
        let high = values.into_iter().max().unwrap_or(0);
        Interval::new(low, high).cut()
    };
    match op {
        BinaryOp::Add => corners(|a, b| a + b),
        BinaryOp::Sub => corners(|a, b| a - b),
        BinaryOp::Mul => corners(|a, b| a * b),
        BinaryOp::Div if b.low > 0 => corners(|a, b| a / b),
        BinaryOp::Rem if b.low > 0 => {
            let most = b.high - 1;
            let low = if a.low < 0 { -(most.min(-a.low)) } else { 0 };
            Interval::new(low, if a.high > 0 { most.min(a.high) } else { 0 })
        }
        BinaryOp::BitAnd if b.low >= 0 => {
            Interval::new(0, if a.low >= 0 { b.high.min(a.high) } else { b.high })
        }
        BinaryOp::BitAnd if a.low >= 0 => Interval::new(0, a.high),
        BinaryOp::BitOr | BinaryOp::BitXor if a.low >= 0 && b.low >= 0 => {
            let bits = 64 - a.high.max(b.high).leading_zeros();
            Interval::new(0, (1 << bits) - 1)
        }
        BinaryOp::Shr if a.low >= 0 => Interval::new(0, a.high),
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            Interval::INT
        }
        BinaryOp::Shl | BinaryOp::Shr => Interval::INT,
        BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::And
        | BinaryOp::Or => Interval::BOOL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_on_intervals_covers_arithmetic_on_values() {
        let samples = [-70_000i32, -3, -1, 0, 1, 2, 5, 255, 70_000];
        let ops = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Rem,
            BinaryOp::BitAnd,
            BinaryOp::BitOr,
            BinaryOp::BitXor,
            BinaryOp::Shl,
            BinaryOp::Shr,
            BinaryOp::Lt,
            BinaryOp::And,
        ];
        for op in ops {
            for (i, a) in samples.iter().enumerate() {
                for (j, b) in samples.iter().enumerate() {
                    for (c, d) in [(samples[i..].last(), samples[j..].last()), (Some(a), Some(b))] {
                        let left = Interval::new(i64::from(*a), i64::from(*c.unwrap_or(a)));
                        let right = Interval::new(i64::from(*b), i64::from(*d.unwrap_or(b)));
                        let whole = binary(op, left, right);
                        for x in samples.iter().filter(|x| left.contains(Interval::only(i64::from(**x)))) {
                            for y in samples.iter().filter(|y| right.contains(Interval::only(i64::from(**y))))
                            {
                                if let Some(value) = op.apply(*x, *y) {
                                    let value = Interval::only(i64::from(value));
                                    assert!(whole.contains(value), "{x} {op:?} {y} is not in {whole:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn types_have_their_values() {
        assert_eq!(Interval::of_type(ScalarType::BYTE), Interval::new(0, 255));
        assert_eq!(Interval::of_type(ScalarType::SHORT), Interval::new(-32_768, 32_767));
        assert_eq!(Interval::of_type(ScalarType::INT), Interval::INT);
    }
}
