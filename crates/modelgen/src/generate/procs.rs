//! Generates the processes: who they are, how they start, what they know of each other.

use super::scope::{Channel, Scalar};
use super::{Gen, Here, Surroundings};
use crate::ast::*;
use crate::profile::{Group, Profile};

/// What is decided about a process before its body is generated, and what others may know of it after.
#[derive(Clone, Debug)]
pub struct ProcPlan {
    pub name: String,
    pub active: Option<u32>,
    pub params: Vec<(Ty, String)>,
    /// The process number of the first instance, if it runs from the start.
    pub pid: Option<u32>,
    pub labels: Vec<String>,
    pub locals: Vec<Scalar>,
}

impl Gen {
    /// All processes.
    pub(super) fn procs(&mut self, profile: &Profile) {
        let with_init = self.on(Group::Run) || self.mix.share(Group::Run) > 50;
        let count = (self.rng.weighted(&[1, 5, 4]) + 1).min(profile.max_procs);
        let mut pid = 0;
        for i in 0..count {
            let dynamic = with_init && (i == 0 || self.rng.chance(60));
            let copies = if self.on(Group::ProcKinds) { self.rng.range(1, 3) as u32 } else { 1 };
            let active = (!dynamic).then_some(copies.min(4_u32.saturating_sub(pid).max(1)));
            let params = if dynamic { self.params() } else { Vec::new() };
            let (labels, locals) = (Vec::new(), Vec::new());
            let at = active.map(|_| pid);
            self.plans.push(ProcPlan { name: format!("P{i}"), active, params, pid: at, labels, locals });
            pid += active.unwrap_or(0);
        }
        for i in 0..count {
            let p = self.proc(i, profile);
            self.model.procs.push(p);
        }
        if with_init {
            let init = self.init();
            self.model.procs.push(init);
        }
    }

    fn params(&mut self) -> Vec<(Ty, String)> {
        let count = self.rng.weighted(&[2, 3, 2]);
        let mut params = Vec::new();
        for i in 0..count {
            let ty = if self.on(Group::ChannelPassing) {
                Ty::Chan
            } else {
                match self.scalar_ty() {
                    Ty::Unsigned(_) => Ty::Byte,
                    ty => ty,
                }
            };
            params.push((ty, format!("p{i}")));
        }
        params
    }

    fn proc(&mut self, i: usize, profile: &Profile) -> Proc {
        let plan = self.plans[i].clone();
        let before = self.scope.clone();
        for (ty, name) in &plan.params {
            let path = vec![(name.clone(), None)];
            match ty {
                Ty::Chan => {
                    let fields = self.passed.clone();
                    self.scope.channels.push(Channel { path, fields, capacity: None, variable: true });
                }
                ty => self.scope.scalars.push(Scalar::plain(name, ty.clone(), 3)),
            }
        }
        self.here = Here { plan: Some(i), ..Here::default() };
        if self.on(Group::Goto) || self.mix.share(Group::Goto) > 50 {
            self.here.targets = (0..self.rng.range(1, 2)).map(|n| format!("L{n}")).collect();
        }
        let mut body = self.proc_locals();
        let locals: Vec<Scalar> = (self.scope.scalars.iter())
            .filter(|s| s.is_plain() && s.path[0].0.starts_with('v') && s.readable)
            .cloned()
            .collect();
        let looping = !self.here.targets.is_empty();
        let instances: u32 = self.plans.iter().map(|p| p.active.unwrap_or(1)).sum();
        // The more processes, the smaller each, so that the product stays small.
        let depth = if instances > 2 && self.rng.chance(60) { 1 } else { 2 };
        let count = match instances {
            1 => self.rng.range(3, 2 + profile.max_stmts as i64),
            2 => self.rng.range(2, 1 + profile.max_stmts as i64),
            3 => self.rng.range(1, profile.max_stmts as i64),
            _ => self.rng.range(1, 2),
        } as usize;
        let place = Surroundings { depth, looping, breakable: false, dstep: false, atomic: false };
        if self.rng.chance(45) {
            body.push(self.repetition(place));
            body.extend(self.seq(place, count / 3));
        } else {
            body.extend(self.seq(place, count));
        }
        let labels = self.place_labels(&mut body);
        let deterministic = self.on(Group::ProcKinds) && self.rng.chance(40);
        let kind = if deterministic { ProcKind::Deterministic } else { ProcKind::Plain };
        let priority =
            (plan.active.is_some() && self.on(Group::Priority)).then(|| self.rng.range(1, 4) as u32);
        self.scope = before;
        self.here.fixed = true;
        let provided = self.on(Group::Provided).then(|| self.provided());
        self.plans[i].labels = labels;
        self.plans[i].locals = locals;
        Proc { kind, name: plan.name, active: plan.active, params: plan.params, priority, provided, body }
    }

    fn provided(&mut self) -> Expr {
        match self.readable(|s| s.is_number() && s.is_plain()) {
            Some(s) if self.rng.chance(30) => {
                Expr::bin("!=", Expr::Var(self.element(&s.path)), Expr::var("_pid"))
            }
            // Mostly true at the start, or the process would never begin.
            Some(s) if self.rng.chance(80) => {
                let limit = Expr::Const(self.rng.range(1, s.modulus));
                let op = *self.rng.pick(&["<", "!=", "<="]);
                Expr::bin(op, Expr::Var(self.element(&s.path)), limit)
            }
            _ => self.bool_expr(0),
        }
    }

    fn proc_locals(&mut self) -> Vec<Stmt> {
        let count = self.rng.weighted(&[4, 4, 1]);
        let mut body: Vec<Stmt> = (0..count).map(|_| self.local_decl(true)).collect();
        if self.has(Group::For) || self.has(Group::Select) {
            let name = self.fresh("v");
            let d = super::data::declared(Ty::Byte, &name, None);
            self.enter(&d);
            body.push(Stmt::Decl(d));
        }
        if self.on(Group::ChannelPassing) {
            let name = self.fresh("c");
            let mut d = super::data::declared(Ty::Chan, &name, None);
            d.init = Some(Init::Expr(self.channel_value()));
            if d.init != Some(Init::Expr(Expr::Const(0))) {
                let (path, fields) = (vec![(name, None)], self.passed.clone());
                self.scope.channels.push(Channel { path, fields, capacity: None, variable: true });
                body.push(Stmt::Decl(d));
            }
        }
        body
    }

    /// Puts labels before statements of the outermost level.
    fn place_labels(&mut self, body: &mut Vec<Stmt>) -> Vec<String> {
        let mut names = if self.here.jumped { self.here.targets.clone() } else { Vec::new() };
        if names.is_empty() && self.on(Group::Remote) {
            names.push("R".to_string());
        }
        for prefix in ["end", "progress", "accept"] {
            let often = prefix == "end" && self.calm && self.rng.chance(50);
            if often || (self.on(Group::Labels) && self.rng.chance(60)) {
                names.push(format!("{prefix}{}", self.rng.range(0, 2)));
            }
        }
        names.dedup();
        for name in &names {
            if !body.iter().any(can_be_labelled) {
                body.push(Stmt::Skip);
            }
            let places: Vec<usize> = (0..body.len()).filter(|&i| can_be_labelled(&body[i])).collect();
            let at = *self.rng.pick(&places);
            let s = std::mem::replace(&mut body[at], Stmt::Skip);
            body[at] = Stmt::Label(name.clone(), Box::new(s));
        }
        names
    }

    /// `init`, which starts what does not start by itself.
    fn init(&mut self) -> Proc {
        self.here = Here { plan: Some(self.plans.len()), ..Here::default() };
        let before = self.scope.clone();
        let mut starts = Vec::new();
        for i in 0..self.plans.len() {
            if self.plans[i].active.is_none() {
                let copies = if self.rng.chance(25) { 2 } else { 1 };
                for _ in 0..copies {
                    let start = self.start_within(i).unwrap_or_else(|| Stmt::Expr(self.run(i)));
                    starts.push(start);
                }
            }
        }
        let mut body = Vec::new();
        if self.rng.chance(40) {
            body.push(self.local_decl(true));
        }
        if self.rng.chance(60) {
            body.push(Stmt::Atomic(starts));
        } else {
            body.extend(starts);
        }
        if self.calm || self.rng.chance(50) {
            if self.rng.chance(40) {
                body.push(Stmt::Expr(Expr::bin("==", Expr::var("_nr_pr"), Expr::Const(1))));
            }
            let place =
                Surroundings { depth: 1, looping: false, breakable: false, dstep: false, atomic: false };
            let count = self.rng.below(3);
            body.extend(self.seq(place, count));
        }
        self.scope = before;
        let (name, kind) = ("init".to_string(), ProcKind::Init);
        let priority = self.on(Group::Priority).then(|| self.rng.range(1, 4) as u32);
        Proc { kind, name, active: None, params: vec![], priority, provided: None, body }
    }

    fn run(&mut self, i: usize) -> Expr {
        let plan = self.plans[i].clone();
        let args = (plan.params.iter())
            .map(|(ty, _)| match ty {
                // SPIN takes only a constant for a parameter of this type.
                Ty::Mtype(_) => self.constant(ty),
                ty => self.value(ty),
            })
            .collect();
        let priority = (self.on(Group::Priority)).then(|| self.rng.range(1, 4) as u32);
        Expr::Run { proc: plan.name, args, priority }
    }

    /// Starts a later process outside loops, so that only a few ever run.
    pub(super) fn start(&mut self, place: Surroundings) -> Option<Stmt> {
        let here = self.here.plan?;
        let is_rare = place.looping && !(self.is_free && self.rng.chance(20));
        if is_rare || !self.on(Group::Run) {
            return None;
        }
        let from_init = here == self.plans.len();
        let later: Vec<usize> = (0..self.plans.len())
            .filter(|&i| (from_init || i > here) && self.plans[i].active.is_none())
            .collect();
        if later.is_empty() {
            return None;
        }
        let i = *self.rng.pick(&later);
        if let Some(within) = self.start_within(i) {
            return Some(within);
        }
        let run = self.run(i);
        match self.writable(|s| matches!(s.ty, Ty::Byte | Ty::Pid | Ty::Int)) {
            Some(s) if self.rng.chance(40) => Some(Stmt::Assign(self.element(&s.path), run)),
            _ => Some(Stmt::Expr(run)),
        }
    }

    /// Starts a process within an expression, which sees that it runs.
    fn start_within(&mut self, i: usize) -> Option<Stmt> {
        if !self.is_free || self.rng.chance(60) {
            return None;
        }
        let to = self.writable(|s| s.is_number())?;
        let (run, other) = (self.run(i), if self.rng.chance(40) { self.run(i) } else { Expr::var("_nr_pr") });
        let op = *self.rng.pick(&["+", "*", "&&", "||", "=="]);
        let value = Expr::bin(op, run, other);
        Some(Stmt::Assign(self.element(&to.path), value))
    }

    /// The number of a process other than this one.
    pub(super) fn other_pid(&mut self) -> Option<Expr> {
        let here = self.here.plan?;
        let others: Vec<u32> = (self.plans.iter().enumerate())
            .filter(|(i, p)| *i != here && p.pid.is_some() && p.active == Some(1))
            .filter_map(|(_, p)| p.pid)
            .collect();
        if others.is_empty() { None } else { Some(Expr::Const(i64::from(*self.rng.pick(&others)))) }
    }

    fn remote_plan(&mut self, keep: impl Fn(&ProcPlan) -> bool) -> Option<(ProcPlan, Option<Box<Expr>>)> {
        let here = self.here.plan?;
        let found: Vec<&ProcPlan> =
            self.plans.iter().take(here).filter(|p| p.active == Some(1) && keep(p)).collect();
        if found.is_empty() {
            return None;
        }
        let plan = (*self.rng.pick(&found)).clone();
        let pid = plan.pid.filter(|_| self.rng.chance(60)).map(|n| Box::new(Expr::Const(i64::from(n))));
        Some((plan, pid))
    }

    /// Whether another process stands at one of its labels.
    pub(super) fn remote_label(&mut self) -> Option<Expr> {
        let (plan, pid) = self.remote_plan(|p| !p.labels.is_empty())?;
        let label = self.rng.pick(&plan.labels).clone();
        Some(Expr::RemoteLabel { proc: plan.name, pid, label })
    }

    /// The value of another process's variable.
    pub(super) fn remote_var(&mut self) -> Option<Expr> {
        let (plan, pid) = self.remote_plan(|p| p.locals.iter().any(|s| s.is_number()))?;
        let numbers: Vec<&Scalar> = plan.locals.iter().filter(|s| s.is_number()).collect();
        let var = LValue::name(&self.rng.pick(&numbers).path[0].0);
        Some(Expr::RemoteVar { proc: plan.name.clone(), pid, var })
    }
}

fn can_be_labelled(s: &Stmt) -> bool {
    match s {
        Stmt::Decl(_) | Stmt::DStep(_) | Stmt::Exclusive(..) | Stmt::Goto(_) => false,
        // SPIN takes only one label before a block or an escape.
        Stmt::Label(_, inner) => !begins_with_block(inner) && can_be_labelled(inner),
        Stmt::Unless(main, _) => can_be_labelled(main),
        _ => true,
    }
}

fn begins_with_block(s: &Stmt) -> bool {
    match s {
        Stmt::Block(_) | Stmt::Unless(..) => true,
        Stmt::Label(_, main) => begins_with_block(main),
        _ => false,
    }
}
