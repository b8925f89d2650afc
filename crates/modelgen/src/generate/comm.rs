//! Generates what is done with channels: sending, receiving, asking, passing them on.

use super::Gen;
use super::scope::{Channel, plain};
use crate::ast::*;
use crate::profile::Group;

impl Gen {
    /// Some channel in scope that `keep` allows.
    pub(super) fn some_channel(&mut self, keep: impl Fn(&Channel) -> bool) -> Option<Channel> {
        let found: Vec<&Channel> = self.scope.channels.iter().filter(|c| keep(c)).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    /// A channel to put in a message, a variable or a parameter.
    pub(super) fn channel_value(&mut self) -> Expr {
        let passed = self.passed.clone();
        match self.some_channel(|c| c.fields == passed) {
            Some(c) => Expr::Var(self.element(&c.path)),
            None => Expr::Const(0),
        }
    }

    /// A value for a message field or parameter of the type.
    pub(super) fn value(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Chan => self.channel_value(),
            Ty::Mtype(_) => match self.readable(|s| s.ty == *ty) {
                Some(s) if self.rng.chance(40) => Expr::Var(self.element(&s.path)),
                _ => self.constant(ty),
            },
            _ if self.rng.chance(60) => self.constant(ty),
            _ => match self.readable(|s| !matches!(s.ty, Ty::Mtype(_))) {
                Some(s) if self.rng.chance(70) => Expr::Var(self.element(&s.path)),
                _ => self.int_expr(1),
            },
        }
    }

    /// The arguments for a message field: one, or for a record without a variable one for each of its fields.
    fn values(&mut self, ty: &Ty) -> Vec<Expr> {
        let Ty::Record(name) = ty else { return vec![self.value(ty)] };
        match self.record_var(name) {
            Some(v) => vec![Expr::Var(v)],
            None => self.field_types(name).iter().map(|ty| self.constant(ty)).collect(),
        }
    }

    /// Some variable of the record type.
    fn record_var(&mut self, name: &str) -> Option<LValue> {
        let found: Vec<_> = self.scope.records.iter().filter(|r| r.record == name).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let path = self.rng.pick(&found).path.clone();
        Some(self.element(&path))
    }

    /// The types of a record's fields.
    pub(super) fn field_types(&self, record: &str) -> Vec<Ty> {
        let record = self.model.records.iter().find(|r| r.name == record);
        record.map(|r| r.fields.iter().map(|d| d.ty.clone()).collect()).unwrap_or_default()
    }

    /// A send to the channel.
    pub(super) fn send(&mut self, c: &Channel) -> Stmt {
        let args = c.fields.iter().flat_map(|ty| self.values(ty)).collect();
        let sorted = c.capacity != Some(0) && self.on(Group::SortedRandom);
        let header = self.rng.chance(20);
        Stmt::Send { chan: self.element(&c.path), sorted, header, args }
    }

    /// A receive from the channel.
    pub(super) fn receive(&mut self, c: &Channel) -> Stmt {
        let mut args = self.patterns(c, false);
        let chan = self.element(&c.path);
        leave_indices_alone(&chan, &mut args);
        let buffered = c.capacity.is_some_and(|n| n > 0);
        let random = buffered && self.on(Group::SortedRandom);
        let peek = buffered && self.on(Group::SortedRandom) && self.rng.chance(40);
        let header = self.rng.chance(20);
        Stmt::Recv { chan, random, peek, header, args }
    }

    /// Patterns for every field of a message. Asking only (`?[]`) never stores.
    fn patterns(&mut self, c: &Channel, asking: bool) -> Vec<RecvArg> {
        // SPIN refuses one variable in two fields of a receive.
        let mut taken: Vec<String> = Vec::new();
        let mut args = Vec::new();
        for ty in &c.fields {
            let arg = match self.pattern(ty, asking) {
                RecvArg::Var(v) if taken.contains(&v.segs[0].0) => RecvArg::Any,
                arg => arg,
            };
            if let RecvArg::Var(v) = &arg {
                taken.push(v.segs[0].0.clone());
            }
            // A record counts as many fields as it has.
            let times = match (&arg, ty) {
                (RecvArg::Any, Ty::Record(name)) => self.field_types(name).len(),
                _ => 1,
            };
            (0..times).for_each(|_| args.push(arg.clone()));
        }
        args
    }

    fn pattern(&mut self, ty: &Ty, asking: bool) -> RecvArg {
        match ty {
            Ty::Chan => {
                let found: Vec<_> = self.scope.channels.iter().filter(|c| c.variable).cloned().collect();
                if found.is_empty() {
                    return RecvArg::Any;
                }
                RecvArg::Var(plain(&self.rng.pick(&found).path))
            }
            Ty::Record(name) => self.record_var(name).map_or(RecvArg::Any, RecvArg::Var),
            _ => {
                let choice = self.rng.weighted(&[5, 2, 1, 1]);
                let named = matches!(ty, Ty::Mtype(_));
                match choice {
                    0 => {
                        let found: Vec<_> = (self.scope.scalars.iter())
                            .filter(|s| {
                                s.writable
                                    && (if named { s.ty == *ty } else { s.is_number() || s.ty == *ty })
                                    && holds(&s.ty, ty)
                                    && s.path[0].0 != "dst"
                            })
                            .cloned()
                            .collect();
                        if found.is_empty() {
                            return RecvArg::Any;
                        }
                        let path = self.rng.pick(&found).path.clone();
                        RecvArg::Var(self.element(&path))
                    }
                    1 => RecvArg::Const(match self.constant(ty) {
                        Expr::Const(n) if n > 255 => Expr::Const(1),
                        e => e,
                    }),
                    2 if asking => RecvArg::Any,
                    2 => match self
                        .readable(|s| if named { s.ty == *ty } else { !matches!(s.ty, Ty::Mtype(_)) })
                    {
                        Some(s) => RecvArg::Eval(Expr::Var(self.element(&s.path))),
                        None => RecvArg::Any,
                    },
                    _ => RecvArg::Any,
                }
            }
        }
    }

    /// A question about a channel that stands for itself or beside `&&` and `||`.
    pub(super) fn probe(&mut self) -> Option<Expr> {
        let c = self.some_channel(|c| c.capacity != Some(0))?;
        let chan = self.element(&c.path);
        if self.rng.chance(45) {
            let args = self.patterns(&c, true);
            let random = self.on(Group::SortedRandom);
            return Some(Expr::Poll { chan, random, args });
        }
        let name = *self.rng.pick(&["empty", "nempty", "full", "nfull"]);
        Some(Expr::call(name, vec![Expr::Var(chan)]))
    }

    /// A condition that goes wrong if it is evaluated to its end: a rendezvous channel cannot be polled.
    pub(super) fn faulty_expr(&mut self) -> Option<Expr> {
        let c = self.some_channel(|c| c.capacity == Some(0))?;
        let args = self.patterns(&c, true);
        let poll = Expr::Poll { chan: self.element(&c.path), random: false, args };
        let timeout = Expr::sym("timeout");
        // What an inline or a clause asks about others is asked elsewhere.
        let in_process = self.here.plan.is_some() && !self.here.fixed;
        Some(match self.rng.below(6) {
            0 if in_process => Expr::bin("&&", Expr::un("!", timeout), poll),
            1 if in_process => Expr::bin("||", timeout, poll),
            2 => Expr::bin("&&", self.bool_expr(0), poll),
            3 => Expr::bin("||", self.bool_expr(0), poll),
            _ => poll,
        })
    }

    /// A send or receive, in calm models with a way out.
    pub(super) fn communication(&mut self, atomic: bool) -> Option<Stmt> {
        let c = self.some_channel(|_| true)?;
        let sending = self.rng.chance(50);
        let s = if sending { self.send(&c) } else { self.receive(&c) };
        if !self.calm || (atomic && self.rng.chance(30)) {
            return Some(s);
        }
        let plain_receive = matches!(&s, Stmt::Recv { random: false, args, .. }
            if args.iter().all(|a| matches!(a, RecvArg::Var(_) | RecvArg::Any)));
        let chan = match &s {
            Stmt::Send { chan, .. } | Stmt::Recv { chan, .. } => chan.clone(),
            _ => return Some(s),
        };
        let way_out = if c.capacity == Some(0) || !(sending || plain_receive) || self.rng.chance(20) {
            Expr::sym(if self.rng.chance(60) { "timeout" } else { "true" })
        } else {
            Expr::call(if sending { "full" } else { "empty" }, vec![Expr::Var(chan)])
        };
        Some(Stmt::If(vec![vec![s], vec![Stmt::Expr(way_out)]]))
    }

    /// A channel variable set to some channel.
    pub(super) fn channel_assignment(&mut self) -> Option<Stmt> {
        let c = self.some_channel(|c| c.variable)?;
        let to = plain(&c.path);
        Some(Stmt::Assign(to, self.channel_value()))
    }

    /// Claims channels for the one process that sends to or receives from them.
    pub(super) fn exclusive(&mut self) {
        if !self.has(Group::Exclusive) {
            return;
        }
        let channels: Vec<String> = (self.model.globals.iter())
            .filter(|d| d.ty == Ty::Chan && d.size.is_none())
            .map(|d| d.name.clone())
            .collect();
        for name in channels {
            for word in ["xr", "xs"] {
                let users: Vec<usize> = (0..self.model.procs.len())
                    .filter(|&i| self.model.procs[i].uses_channel(&name, word == "xs"))
                    .collect();
                let elsewhere =
                    self.model.inlines.iter().any(|i| Proc::body_uses_channel(&i.body, &name, true))
                        || self.model.inlines.iter().any(|i| Proc::body_uses_channel(&i.body, &name, false));
                if let ([user], false) = (&users[..], elsewhere) {
                    let single = self.model.procs[*user].active == Some(1);
                    if single && self.rng.chance(60) {
                        self.model.procs[*user].body.insert(0, Stmt::Exclusive(word, name.clone()));
                    }
                }
            }
        }
    }
}

/// Whether a variable of type `var` keeps every value of a message field. If it does not, SPIN's verifier puts the cut
/// value back into the channel when it takes the receive back.
fn holds(var: &Ty, field: &Ty) -> bool {
    let bits = |ty: &Ty| match ty {
        Ty::Bit | Ty::Bool => 1,
        Ty::Byte | Ty::Pid | Ty::Mtype(_) | Ty::Chan => 8,
        Ty::Unsigned(bits) => u32::from(*bits),
        Ty::Short => 16,
        Ty::Int | Ty::Record(_) => 32,
    };
    // The only field of a message has a byte at least.
    bits(var) >= bits(field).max(8) && (*field != Ty::Short || !matches!(var, Ty::Unsigned(_)))
}

/// Stores nothing in a variable that the same receive compares with, or uses to find its channel or an element: when SPIN's
/// verifier takes such a receive back, it looks in the wrong place.
fn leave_indices_alone(chan: &LValue, args: &mut [RecvArg]) {
    let mut used = Names(vec![chan.segs[0].0.clone()]);
    let indices = |v: &LValue, used: &mut Names| {
        v.segs.iter().filter_map(|(_, i)| i.as_deref()).for_each(|e| crate::visit::expr(e, used));
    };
    indices(chan, &mut used);
    for a in args.iter() {
        match a {
            RecvArg::Var(v) => indices(v, &mut used),
            RecvArg::Eval(e) => crate::visit::expr(e, &mut used),
            RecvArg::Const(_) | RecvArg::Any => {}
        }
    }
    // What `src` stands for is not known inside an inline.
    let unknown = used.0.iter().any(|n| n == "src");
    for a in args {
        if matches!(a, RecvArg::Var(v) if unknown || used.0.contains(&v.segs[0].0)) {
            *a = RecvArg::Any;
        }
    }
}

struct Names(Vec<String>);

impl crate::visit::Visitor for Names {
    fn lvalue(&mut self, v: &LValue) {
        self.0.push(v.segs[0].0.clone());
    }
}

impl Expr {
    /// Whether it asks about a channel, which SPIN does not want beside an `else`.
    pub(super) fn asks(&self) -> bool {
        match self {
            Expr::Poll { .. } => true,
            Expr::Call(name, _) => matches!(name.as_str(), "empty" | "nempty" | "full" | "nfull" | "len"),
            Expr::Binary(_, a, b) => a.asks() || b.asks(),
            Expr::Unary(_, a) => a.asks(),
            _ => false,
        }
    }
}

impl Proc {
    /// Whether the process sends (or else receives, polls or counts), or passes the channel on.
    fn uses_channel(&self, name: &str, sending: bool) -> bool {
        Proc::body_uses_channel(&self.body, name, sending)
    }

    fn body_uses_channel(body: &[Stmt], name: &str, sending: bool) -> bool {
        struct Uses<'a>(&'a str, bool, bool);
        impl crate::visit::Visitor for Uses<'_> {
            fn stmt(&mut self, s: &Stmt) {
                self.2 |= match s {
                    Stmt::Send { chan, .. } => self.1 && chan.segs[0].0 == self.0,
                    Stmt::Recv { chan, .. } => !self.1 && chan.segs[0].0 == self.0,
                    _ => false,
                };
            }
            fn expr(&mut self, e: &Expr) {
                self.2 |= match e {
                    Expr::Var(v) => v.segs[0].0 == self.0,
                    Expr::Poll { chan, .. } => chan.segs[0].0 == self.0,
                    _ => false,
                };
            }
        }
        let mut uses = Uses(name, sending, false);
        crate::visit::seq(body, &mut uses);
        uses.2
    }
}
