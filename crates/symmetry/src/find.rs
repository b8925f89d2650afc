//! Which values are numbers of processes or of channels, and where they stand: types inferred by unification.
//!
//! Every variable, message field and array subscript of the model is a node (`classes.rs`). What is copied, compared for equality,
//! sent or received is made one class; what is computed with or ordered breaks its class, which is then plain data. Rules that run only
//! before the states are ready (`ready.rs`) are not looked at: they need not treat processes alike.

use crate::classes::{Classes, Node};
use crate::liveness::{Liveness, each_cell, fixed_cell, is_read};
use crate::ready::Standing;
use panoptes_model::{
    Action, BinaryOp, Expr, Guard, Model, Pattern, Place, ProcId, ProcessKind, Receive, Region, ScalarType,
    Send, Spawn, Transition, UnaryOp,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More cells than this are not looked at.
const CELLS_MAX: usize = 100_000;

/// Part of the vector: the globals, or the frames of a process type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Area {
    Global,
    Frame(u32),
}

/// A channel as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ChannelKey {
    Global(u32),
    Local(u32, u32),
}

/// How an array is subscripted somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub area: Area,
    pub offset: u32,
    pub ty: ScalarType,
    /// Stride and length of each subscript, and the class of its values.
    pub dims: Vec<(u32, u32, Node)>,
    /// The class of the elements.
    pub node: Node,
}

/// Where an array starts, and the stride and length of each subscript.
type AccessKey = (Area, u32, Vec<(u32, u32)>);

/// What an expression is.
#[derive(Clone, Copy, Debug)]
enum Ty {
    Plain,
    Const(i32),
    /// The value of the node plus a constant.
    Of(Node, i32),
}

/// Who executes, and what is being looked at, for messages.
#[derive(Clone, Copy)]
struct Site<'t> {
    process: Option<ProcId>,
    text: &'t str,
}

pub(crate) struct Finder<'m> {
    pub model: &'m Model,
    pub classes: Classes,
    pub standing: Vec<Standing>,
    pub liveness: Vec<Liveness>,
    pub cells: BTreeMap<(Area, u32), (Node, ScalarType)>,
    pub accesses: Vec<Access>,
    access_keys: HashMap<AccessKey, usize>,
    at_cell: HashMap<(Area, u32), Vec<usize>>,
    fields: HashMap<(ChannelKey, usize), Node>,
    pids: HashMap<ProcId, Node>,
    owned: HashMap<(ProcId, u32), Node>,
    /// Cells that rules write, but for constants where nobody reads them.
    pub written: BTreeSet<(Area, u32)>,
    /// Cells that are set back where nobody reads them.
    pub reset: BTreeSet<(Area, u32)>,
    /// Channels that rules name.
    pub named: BTreeSet<i32>,
    /// Constants that rules compare with a value or give to it, and where.
    pub constants: Vec<(Node, i32, String)>,
    /// A channel number is computed: how.
    pub computed_channel: Option<String>,
    /// Some expression asks how many processes live.
    pub counts_processes: bool,
    /// Some expression looks at a process from outside.
    pub looks_on: bool,
    /// Types whose oldest process is asked for.
    pub oldest: BTreeMap<u32, String>,
    /// What the whole model has that nothing here understands.
    pub obstacle: Option<String>,
}

impl<'m> Finder<'m> {
    pub fn new(model: &'m Model) -> Finder<'m> {
        let standing = model.processes.iter().map(|process| Standing::of(model, process)).collect();
        let mut remote: Vec<Vec<Place>> = vec![Vec::new(); model.processes.len()];
        let mut note = |e: &Expr| {
            if let Expr::Remote { process, place, .. } = e {
                remote[process.index()].push((**place).clone());
            }
        };
        model.walk_rules(&mut note);
        model.invariants.iter().for_each(|invariant| invariant.condition.walk(&mut note));
        let liveness = model
            .processes
            .iter()
            .zip(&remote)
            .map(|(process, remote)| match process.kind {
                ProcessKind::Process => Liveness::of(model, process, remote),
                _ => Liveness::default(),
            })
            .collect();
        Finder {
            model,
            classes: Classes::default(),
            standing,
            liveness,
            cells: BTreeMap::new(),
            accesses: Vec::new(),
            access_keys: HashMap::new(),
            at_cell: HashMap::new(),
            fields: HashMap::new(),
            pids: HashMap::new(),
            owned: HashMap::new(),
            written: BTreeSet::new(),
            reset: BTreeSet::new(),
            named: BTreeSet::new(),
            constants: Vec::new(),
            computed_channel: None,
            counts_processes: false,
            looks_on: false,
            oldest: BTreeMap::new(),
            obstacle: None,
        }
    }

    /// Looks at all rules until nothing more is learnt: which channels a variable can hold shows only on the way.
    pub fn run(&mut self) {
        loop {
            self.classes.has_changed = false;
            self.look();
            if self.obstacle.is_some() || !self.classes.has_changed {
                return;
            }
        }
    }

    fn look(&mut self) {
        let model = self.model;
        for action in &model.init {
            self.start_action(None, action);
        }
        for (index, process) in model.processes.iter().enumerate() {
            if process.kind != ProcessKind::Process {
                continue;
            }
            let id = ProcId(index as u32);
            process.init.iter().for_each(|action| self.start_action(Some(id), action));
            if let Some(provided) = &process.provided {
                self.condition(Site { process: Some(id), text: "provided" }, provided);
            }
        }
        for rule in &model.transitions {
            let process = model.process(rule.process);
            if process.kind != ProcessKind::Process {
                continue;
            }
            if self.standing[rule.process.index()].is_ready[rule.from.index()] {
                self.rule(rule);
            } else {
                self.start_actions(rule.process, &rule.actions);
            }
        }
        for invariant in &model.invariants {
            self.condition(Site { process: None, text: &invariant.text }, &invariant.condition);
        }
    }

    /// What happens before the states are ready: only which channels get where is of interest.
    fn start_actions(&mut self, process: ProcId, actions: &'m [Action]) {
        for action in actions {
            match action {
                Action::Block(id) => {
                    for step in self.model.block(*id).nodes.iter().flat_map(|node| &node.steps) {
                        self.start_actions(process, &step.actions);
                    }
                }
                other => self.start_action(Some(process), other),
            }
            action.walk(&mut |e| {
                if let Expr::Spawn(spawn) = e {
                    self.start_spawn(process, spawn);
                }
            });
        }
    }

    fn start_action(&mut self, process: Option<ProcId>, action: &'m Action) {
        match action {
            Action::Assign { place, value } => {
                let target = self.cell_of(process, place);
                // A variable that begins as the process's own number is one.
                if let (Some(plus), Some(id)) = (number_of_self(value), process) {
                    let pid = self.pid(id);
                    self.classes.unify(target, pid, plus, "");
                } else {
                    self.flow(process, target, value);
                }
            }
            Action::Spawn(spawn) => {
                if let Some(process) = process {
                    self.start_spawn(process, spawn);
                }
            }
            Action::Send(Send { channel, args, .. }) => {
                let ty = self.start_channel(process, channel);
                for key in self.channels_of(ty, args.len()) {
                    for (field, arg) in args.iter().enumerate() {
                        let target = self.field(key, field);
                        self.flow(process, target, arg);
                    }
                }
            }
            Action::Receive(Receive { channel, patterns, .. }) => {
                let ty = self.start_channel(process, channel);
                for key in self.channels_of(ty, patterns.len()) {
                    for (field, pattern) in patterns.iter().enumerate() {
                        if let Pattern::Bind(place) = pattern {
                            let (from, to) = (self.field(key, field), self.cell_of(process, place));
                            self.flow_between(from, to);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn start_spawn(&mut self, by: ProcId, spawn: &Spawn) {
        let process = self.model.process(spawn.process);
        let params = process.variables.iter().take(process.param_count);
        let cells: Vec<(u32, ScalarType)> = params
            .flat_map(|variable| {
                let width = variable.ty.bytes() as u32;
                (0..variable.count).map(move |element| (variable.offset + element * width, variable.ty))
            })
            .collect();
        for ((offset, ty), arg) in cells.into_iter().zip(&spawn.args) {
            let target = self.cell(Area::Frame(spawn.process.0), offset, ty);
            self.flow(Some(by), target, arg);
        }
    }

    fn start_channel(&mut self, process: Option<ProcId>, channel: &Expr) -> Ty {
        match channel {
            Expr::Const(number) => Ty::Const(*number),
            Expr::Load(place) => Ty::Of(self.cell_of(process, place), 0),
            _ => Ty::Plain,
        }
    }

    /// The value may get to the target.
    fn flow(&mut self, process: Option<ProcId>, target: Node, value: &Expr) {
        match value {
            Expr::Const(value) => self.classes.add_flow(target, *value),
            Expr::Load(place) => {
                let from = self.cell_of(process, place);
                self.flow_between(from, target);
            }
            Expr::OwnChannel(index) => {
                if let Some(process) = process {
                    self.classes.add_local_flow(target, process, *index);
                }
            }
            _ => self.classes.add_unknown(target),
        }
    }

    fn flow_between(&mut self, from: Node, to: Node) {
        let (constants, locals, is_unknown) = self.classes.flows_of(from);
        constants.into_iter().for_each(|value| self.classes.add_flow(to, value));
        locals
            .into_iter()
            .for_each(|(process, index)| self.classes.add_local_flow(to, ProcId(process), index));
        if is_unknown {
            self.classes.add_unknown(to);
        }
    }

    fn rule(&mut self, rule: &'m Transition) {
        let site = Site { process: Some(rule.process), text: &rule.text };
        if let Guard::When(e) = &rule.guard {
            self.condition(site, e);
        }
        for (number, action) in rule.actions.iter().enumerate() {
            if let (Action::Assign { place, value: Expr::Const(_) }, Some(to)) = (action, rule.to)
                && let Some(at) = fixed_cell(place)
                && !self.liveness[rule.process.index()].is_live(to.index(), at)
                && !is_read(self.model, &rule.actions[number + 1..], at)
            {
                // A dead variable is set back.
                let area = Area::Frame(rule.process.0);
                self.cell(area, at, place.ty);
                self.reset.insert((area, at));
                continue;
            }
            self.action(site, action);
        }
    }

    fn action(&mut self, site: Site<'_>, action: &'m Action) {
        match action {
            Action::Assign { place, value } => {
                let target = self.place(site, place);
                let value = self.expr(site, value);
                self.note_written(site, place);
                self.unify(site, Ty::Of(target, 0), value);
            }
            Action::Assert { condition, .. } => self.condition(site, condition),
            Action::Print { args, .. } => args.iter().for_each(|e| {
                self.expr(site, e);
            }),
            Action::PrintName(e) => {
                self.expr(site, e);
            }
            Action::Send(Send { channel, args, sorted }) => {
                let channel = self.channel(site, channel);
                let args: Vec<Ty> = args.iter().map(|arg| self.expr(site, arg)).collect();
                for key in self.channels_of(channel, args.len()) {
                    for (field, arg) in args.iter().enumerate() {
                        let node = self.field(key, field);
                        self.unify(site, Ty::Of(node, 0), *arg);
                        if *sorted {
                            self.classes.break_up(node, site.text);
                        }
                    }
                }
            }
            Action::Receive(receive) => self.receive(site, receive, true),
            Action::Block(id) => {
                for step in self.model.block(*id).nodes.iter().flat_map(|node| &node.steps) {
                    if let Guard::When(e) = &step.guard {
                        self.condition(site, e);
                    }
                    step.actions.iter().for_each(|action| self.action(site, action));
                }
            }
            Action::Exit => {}
            // A ready process starts none.
            Action::Spawn(_) | Action::SetPriority { .. } | Action::Observe(_) => self.give_up(site),
        }
    }

    fn give_up(&mut self, site: Site<'_>) {
        self.obstacle.get_or_insert_with(|| format!("`{}`", site.text));
    }

    fn receive(&mut self, site: Site<'_>, receive: &'m Receive, writes: bool) {
        let channel = self.channel(site, &receive.channel);
        let keys = self.channels_of(channel, receive.patterns.len());
        for (field, pattern) in receive.patterns.iter().enumerate() {
            let ty = match pattern {
                Pattern::Any => continue,
                Pattern::Match(e) => self.expr(site, e),
                Pattern::Bind(place) => {
                    if writes {
                        self.note_written(site, place);
                    }
                    Ty::Of(self.place(site, place), 0)
                }
            };
            for key in &keys {
                let node = self.field(*key, field);
                self.unify(site, Ty::Of(node, 0), ty);
            }
        }
    }

    fn note_written(&mut self, site: Site<'_>, place: &Place) {
        let Some(area) = self.area(site.process, place) else { return };
        each_cell(place, &mut |at| {
            self.written.insert((area, at as u32));
        });
    }

    /// An expression that is used as a channel.
    fn channel(&mut self, site: Site<'_>, channel: &'m Expr) -> Ty {
        let ty = self.expr(site, channel);
        match ty {
            Ty::Const(number) => {
                self.named.insert(number);
            }
            Ty::Of(node, shift) => {
                self.classes.set_channel(node, shift, site.text);
                if self.classes.info(node).broken.is_some() {
                    self.computed_channel.get_or_insert_with(|| site.text.to_string());
                }
            }
            Ty::Plain => {
                self.computed_channel.get_or_insert_with(|| site.text.to_string());
            }
        }
        ty
    }

    /// The channels that such a value can name; those whose messages have another number of fields take no message.
    fn channels_of(&mut self, ty: Ty, fields: usize) -> Vec<ChannelKey> {
        let model = self.model;
        let count_of = |key: &ChannelKey| match *key {
            ChannelKey::Global(index) => model.channels.get(index as usize).map(|c| c.fields.len()),
            ChannelKey::Local(process, index) => {
                model.processes[process as usize].channels.get(index as usize).map(|c| c.fields.len())
            }
        };
        let global = |number: i32| u32::try_from(number).ok()?.checked_sub(1).map(ChannelKey::Global);
        let (mut keys, is_unknown): (Vec<ChannelKey>, bool) = match ty {
            Ty::Plain => (Vec::new(), true),
            Ty::Const(number) => (global(number).into_iter().collect(), false),
            Ty::Of(node, shift) => {
                let (constants, locals, is_unknown) = self.classes.flows_of(node);
                let globals = constants.into_iter().filter_map(|value| global(value.wrapping_add(shift)));
                let locals = locals.into_iter().map(|(process, index)| ChannelKey::Local(process, index));
                (globals.chain(locals).collect(), is_unknown)
            }
        };
        if is_unknown {
            keys = (0..model.channels.len() as u32).map(ChannelKey::Global).collect();
            for (process, declared) in (0..).zip(&model.processes) {
                keys.extend(
                    (0..declared.channels.len() as u32).map(|index| ChannelKey::Local(process, index)),
                );
            }
        }
        // A receive may look at the first fields only.
        keys.retain(|key| count_of(key).is_some_and(|count| count >= fields));
        keys
    }

    pub fn field(&mut self, key: ChannelKey, field: usize) -> Node {
        match self.fields.get(&(key, field)) {
            Some(node) => *node,
            None => {
                let node = self.classes.node();
                self.fields.insert((key, field), node);
                node
            }
        }
    }

    pub fn known_pid(&self, process: ProcId) -> Option<Node> {
        self.pids.get(&process).copied()
    }

    /// The nodes of all process numbers and own channels.
    pub fn number_nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.pids.values().chain(self.owned.values()).copied().collect();
        nodes.sort();
        nodes
    }

    fn pid(&mut self, process: ProcId) -> Node {
        if let Some(node) = self.pids.get(&process) {
            return *node;
        }
        let node = self.classes.node();
        self.classes.set_pid(node, process);
        self.pids.insert(process, node);
        node
    }

    fn own_channel(&mut self, process: ProcId, index: u32) -> Node {
        if let Some(node) = self.owned.get(&(process, index)) {
            return *node;
        }
        let node = self.classes.node();
        self.classes.set_own_channel(node, process);
        self.classes.add_local_flow(node, process, index);
        self.classes.set_channel(node, 0, "");
        self.owned.insert((process, index), node);
        node
    }

    /// A condition is compared with zero.
    fn condition(&mut self, site: Site<'_>, e: &'m Expr) {
        let ty = self.expr(site, e);
        self.unify(site, ty, Ty::Const(0));
    }

    fn expr(&mut self, site: Site<'_>, e: &'m Expr) -> Ty {
        match e {
            Expr::Const(value) => Ty::Const(*value),
            Expr::Load(place) => Ty::Of(self.place(site, place), 0),
            Expr::Unary(UnaryOp::Not, operand) => {
                self.condition(site, operand);
                Ty::Plain
            }
            Expr::Unary(op, operand) => match self.expr(site, operand) {
                Ty::Const(value) => Ty::Const(op.apply(value)),
                other => self.compute(site, other),
            },
            Expr::Binary(op, left, right) => self.binary(site, *op, left, right),
            Expr::Cond(condition, then, otherwise) => {
                self.condition(site, condition);
                let (then, otherwise) = (self.expr(site, then), self.expr(site, otherwise));
                self.unify(site, then, otherwise);
                match (then, otherwise) {
                    (Ty::Of(..), _) => then,
                    (_, Ty::Of(..)) => otherwise,
                    (Ty::Const(a), Ty::Const(b)) if a == b => then,
                    _ => Ty::Plain,
                }
            }
            Expr::SelfPid => match site.process {
                Some(process) => Ty::Of(self.pid(process), 0),
                None => Ty::Plain,
            },
            Expr::ProcessCount => {
                self.counts_processes = true;
                Ty::Plain
            }
            Expr::Timeout | Expr::NonProgress => Ty::Plain,
            Expr::OwnChannel(index) => match site.process {
                Some(process) => Ty::Of(self.own_channel(process, *index), 0),
                None => Ty::Plain,
            },
            Expr::PidOf(process) => {
                self.looks_on = true;
                self.oldest.entry(process.0).or_insert_with(|| site.text.to_string());
                Ty::Of(self.pid(*process), 0)
            }
            Expr::Channel(_, channel) => {
                self.channel(site, channel);
                Ty::Plain
            }
            Expr::Poll(receive) => {
                self.receive(site, receive, false);
                Ty::Plain
            }
            Expr::AtState { process, pid, .. } => {
                self.looks_on = true;
                let (node, pid) = (self.pid(*process), self.expr(site, pid));
                self.unify(site, Ty::Of(node, 0), pid);
                Ty::Plain
            }
            Expr::Remote { process, pid, place } => {
                self.looks_on = true;
                let (node, pid) = (self.pid(*process), self.expr(site, pid));
                self.unify(site, Ty::Of(node, 0), pid);
                match fixed_cell(place) {
                    Some(at) => Ty::Of(self.cell(Area::Frame(process.0), at, place.ty), 0),
                    None => {
                        self.give_up(site);
                        Ty::Plain
                    }
                }
            }
            Expr::LastPid | Expr::Enabled(_) | Expr::ControlPoint(_) | Expr::Priority(_) | Expr::Spawn(_) => {
                self.give_up(site);
                Ty::Plain
            }
        }
    }

    fn binary(&mut self, site: Site<'_>, op: BinaryOp, left: &'m Expr, right: &'m Expr) -> Ty {
        let (left, right) = (self.expr(site, left), self.expr(site, right));
        match (op, left, right) {
            (BinaryOp::Eq | BinaryOp::Ne, _, _) => {
                self.unify(site, left, right);
                Ty::Plain
            }
            (BinaryOp::And | BinaryOp::Or, _, _) => {
                self.unify(site, left, Ty::Const(0));
                self.unify(site, right, Ty::Const(0));
                Ty::Plain
            }
            (BinaryOp::Add, Ty::Const(a), Ty::Const(b)) => Ty::Const(a.wrapping_add(b)),
            (BinaryOp::Sub, Ty::Const(a), Ty::Const(b)) => Ty::Const(a.wrapping_sub(b)),
            (BinaryOp::Add, Ty::Of(node, shift), Ty::Const(by))
            | (BinaryOp::Add, Ty::Const(by), Ty::Of(node, shift)) => Ty::Of(node, shift.wrapping_add(by)),
            (BinaryOp::Sub, Ty::Of(node, shift), Ty::Const(by)) => Ty::Of(node, shift.wrapping_sub(by)),
            _ => {
                self.compute(site, left);
                self.compute(site, right)
            }
        }
    }

    /// The value is computed with.
    fn compute(&mut self, site: Site<'_>, ty: Ty) -> Ty {
        if let Ty::Of(node, _) = ty {
            self.classes.break_up(node, site.text);
        }
        Ty::Plain
    }

    fn unify(&mut self, site: Site<'_>, a: Ty, b: Ty) {
        match (a, b) {
            (Ty::Of(a, shift_a), Ty::Of(b, shift_b)) => {
                self.classes.unify(a, b, shift_b.wrapping_sub(shift_a), site.text);
            }
            (Ty::Of(node, shift), Ty::Const(value)) | (Ty::Const(value), Ty::Of(node, shift)) => {
                self.constant(site, node, value.wrapping_sub(shift));
            }
            (Ty::Of(node, _), Ty::Plain) | (Ty::Plain, Ty::Of(node, _)) => {
                self.classes.break_up(node, site.text);
            }
            _ => {}
        }
    }

    /// A rule compares the value with a constant, or gives it that.
    fn constant(&mut self, site: Site<'_>, node: Node, value: i32) {
        if self.classes.add_constant(node, value) {
            self.constants.push((node, value, site.text.to_string()));
        }
    }

    fn area(&self, process: Option<ProcId>, place: &Place) -> Option<Area> {
        match place.region {
            Region::Global => Some(Area::Global),
            Region::Local => process.map(|process| Area::Frame(process.0)),
        }
    }

    pub fn cell(&mut self, area: Area, offset: u32, ty: ScalarType) -> Node {
        if let Some((node, _)) = self.cells.get(&(area, offset)) {
            return *node;
        }
        if self.cells.len() > CELLS_MAX {
            self.obstacle.get_or_insert_with(|| format!("more than {CELLS_MAX} variables"));
        }
        let node = self.classes.node();
        self.cells.insert((area, offset), (node, ty));
        node
    }

    /// The class of all that a place can be, without a look at its subscripts.
    fn cell_of(&mut self, process: Option<ProcId>, place: &Place) -> Node {
        let Some(area) = self.area(process, place) else { return self.classes.node() };
        if let (Region::Local, Some(at)) = (place.region, fixed_cell(place)) {
            return self.cell(area, at, place.ty);
        }
        let fixed = place.indices.iter().try_fold(place.offset, |at, term| match term.index {
            Expr::Const(index) if (0..term.len as i32).contains(&index) => {
                Some(at + index as u32 * term.stride)
            }
            _ => None,
        });
        if let Some(at) = fixed {
            return self.cell(area, at, place.ty);
        }
        let first = self.cell(area, place.offset, place.ty);
        each_cell(place, &mut |at| {
            let node = self.cell(area, at as u32, place.ty);
            self.classes.unify(node, first, 0, &place.name);
        });
        first
    }

    /// The class of a place, its subscripts looked at.
    fn place(&mut self, site: Site<'_>, place: &'m Place) -> Node {
        let Some(area) = self.area(site.process, place) else {
            self.give_up(site);
            return self.classes.node();
        };
        let access = self.access(site, area, place);
        for (term, (_, _, dim)) in place.indices.iter().zip(self.accesses[access].dims.clone()) {
            let index = self.expr(site, &term.index);
            self.unify(site, Ty::Of(dim, 0), index);
        }
        self.accesses[access].node
    }

    fn access(&mut self, site: Site<'_>, area: Area, place: &Place) -> usize {
        let shape: Vec<(u32, u32)> = place.indices.iter().map(|term| (term.stride, term.len)).collect();
        let key = (area, place.offset, shape);
        if let Some(access) = self.access_keys.get(&key) {
            return *access;
        }
        let dims: Vec<(u32, u32, Node)> =
            key.2.iter().map(|(stride, len)| (*stride, *len, self.classes.node())).collect();
        let node = self.cell(area, place.offset, place.ty);
        let index = self.accesses.len();
        self.access_keys.insert(key, index);
        self.accesses.push(Access { area, offset: place.offset, ty: place.ty, dims, node });
        let mut cells = Vec::new();
        each_cell(place, &mut |at| cells.push(at as u32));
        for at in cells {
            let cell = self.cell(area, at, place.ty);
            self.classes.unify(cell, node, 0, site.text);
            let others = self.at_cell.entry((area, at)).or_default().clone();
            for other in others {
                self.reconcile(site, index, other, at);
            }
            self.at_cell.entry((area, at)).or_default().push(index);
            if self.obstacle.is_some() {
                break;
            }
        }
        index
    }

    /// Two ways to one cell: subscripts that go the same way are of one class, and where only one way has a subscript the other
    /// names a row.
    fn reconcile(&mut self, site: Site<'_>, a: usize, b: usize, cell: u32) {
        for (one, other) in [(a, b), (b, a)] {
            let (one, other) = (self.accesses[one].clone(), self.accesses[other].clone());
            for (place, (stride, len, dim)) in one.dims.iter().enumerate() {
                let row = row(&one, place, cell);
                match other.dims.iter().position(|(known, ..)| known == stride) {
                    Some(same) => {
                        let (_, other_len, other_dim) = other.dims[same];
                        self.classes.unify(*dim, other_dim, 0, site.text);
                        if other_len != *len || row.is_none() || self::row(&other, same, cell) != row {
                            self.classes.break_up(*dim, site.text);
                        }
                    }
                    None => match row {
                        Some(row) => self.constant(site, *dim, row),
                        None => self.classes.break_up(*dim, site.text),
                    },
                }
            }
        }
    }
}

/// What is added to the process's own number, if the expression is that.
fn number_of_self(e: &Expr) -> Option<i32> {
    match e {
        Expr::SelfPid => Some(0),
        Expr::Binary(op, left, right) => match (op, &**left, &**right) {
            (BinaryOp::Add, Expr::SelfPid, Expr::Const(by)) => Some(*by),
            (BinaryOp::Sub, Expr::SelfPid, Expr::Const(by)) => Some(by.wrapping_neg()),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a subscript with which a way comes to a cell; none if that is not clear.
fn row(access: &Access, dim: usize, cell: u32) -> Option<i32> {
    let mut order: Vec<usize> = (0..access.dims.len()).collect();
    order.sort_by_key(|dim| std::cmp::Reverse(access.dims[*dim].0));
    let mut left = cell.checked_sub(access.offset)?;
    let mut found = None;
    for at in order {
        let (stride, len, _) = access.dims[at];
        let index = (left / stride.max(1)).min(len.saturating_sub(1));
        left -= index * stride;
        if at == dim {
            found = Some(index as i32);
        }
    }
    found.filter(|_| left == 0)
}
