//! Statements: read into nodes, then added to the open sequence.
//!
//! Reading and adding are two steps because SPIN numbers an element when it is added: the parts of a compound
//! statement are added while it is read, the statement itself afterwards.

use super::Lowering;
use super::flow::{Grouping, Jump, Node, NodeKind, SequenceId};
use super::process::Role;
use super::warnings::may_exceed_bit;
use crate::ast::{self, ExprKind, Name, Stmt, StmtKind, VarRef};
use crate::resolve::{Type, Var};
use crate::with_stack;
use panoptes_model::{Action, BinaryOp, Display, EnumId, Expr, Guard, Place};
use panoptes_source::{Diagnostic, Span};

impl Lowering<'_> {
    pub(super) fn statements(&mut self, stmts: &[Stmt]) {
        for (index, stmt) in stmts.iter().enumerate() {
            if index > 0 && matches!(stmt.kind, StmtKind::Else) {
                self.warn_of_stray_else(stmt.span);
            }
            self.statement(stmt);
        }
    }

    /// Reads a statement and adds it to the open sequence.
    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => return self.declaration(decl, &stmt.labels),
            StmtKind::Mtype(mtype) => {
                let diagnostic = Diagnostic::error(mtype.span, "mtype names are declared outside processes")
                    .help("move the declaration in front of the process");
                self.report(diagnostic);
                return self.declare_mtype(mtype);
            }
            StmtKind::ExclusiveReceive(channels) | StmtKind::ExclusiveSend(channels) => {
                for channel in channels {
                    self.channel(channel);
                    let name = channel.name.name.to_string();
                    match &stmt.kind {
                        StmtKind::ExclusiveSend(_) => self.exclusive.sends.insert(name),
                        _ => self.exclusive.receives.insert(name),
                    };
                }
                return;
            }
            _ => {}
        }
        self.body().at_start = false;
        if let Some(node) = self.read(stmt) {
            self.body().flow.add(node);
        }
    }

    /// Before the first statement a declaration is part of the process's creation. After it, it is a step that sets
    /// the variable, each time it is passed.
    fn declaration(&mut self, decl: &ast::VarDecl, labels: &[ast::Ident]) {
        if let Some(label) = labels.first() {
            self.error(label.span, "a label cannot stand before a declaration");
        }
        self.check_not_hidden(decl, "a local variable");
        if matches!(self.body().role, Role::Claim | Role::Trace) {
            let diagnostic = Diagnostic::error(decl.span, "a claim or trace has no variables of its own")
                .help("declare the variable outside");
            self.report(diagnostic);
        }
        for declarator in &decl.vars {
            let Some(mut var) = self.make_local(&decl.ty, declarator) else { continue };
            let late = !self.body().at_start;
            if late && let Some(ast::Init::Channel(_)) = &declarator.init {
                let diagnostic =
                    Diagnostic::error(declarator.span, "a channel made after the first statement")
                        .help("declare channels with their capacity at the start of the process");
                self.report(diagnostic);
                self.symbols.broken.insert(var.name.clone());
                continue;
            }
            let mut actions = Vec::new();
            self.initialise(&mut var, declarator.init.as_ref(), &mut actions);
            let is_record = matches!(var.ty, Type::Record(_));
            if !late || is_record {
                // A record is set when the process starts, wherever it is declared, and never again.
                self.body().init.append(&mut actions);
            }
            if late {
                if declarator.init.is_none() && !is_record {
                    actions = self.clearing(&var);
                }
                let kind = NodeKind::Basic { guard: Guard::Always, actions };
                self.body().flow.add(Node {
                    labels: Vec::new(),
                    kind,
                    span: declarator.span,
                    implied: false,
                });
            }
            if let Some(local) = self.body().locals.get_mut(&var.name) {
                *local = var.clone();
            }
            self.scopes.declare(var);
        }
    }

    /// Sets every scalar of a variable to zero.
    fn clearing(&mut self, var: &crate::resolve::Var) -> Vec<Action> {
        let mut cells = Vec::new();
        self.display_variables(&var.name, var.ty, var.array, var.offset, &mut cells);
        let mut actions = Vec::new();
        for cell in cells {
            for element in 0..cell.count {
                let offset = cell.offset + element * cell.ty.bytes() as u32;
                let name = cell.name.clone();
                let place = Place { region: var.region, offset, ty: cell.ty, indices: Vec::new(), name };
                actions.push(Action::Assign { place, value: Expr::Const(0) });
            }
        }
        actions
    }

    /// Reads one statement. Its parts are added to sequences of their own on the way.
    pub(super) fn read(&mut self, stmt: &Stmt) -> Option<Node> {
        with_stack(|| self.read_nested(stmt))
    }

    fn read_nested(&mut self, stmt: &Stmt) -> Option<Node> {
        let labels: Vec<(Name, Span)> =
            stmt.labels.iter().map(|label| (label.name.clone(), label.span)).collect();
        if let StmtKind::Unless { body, escape } = &stmt.kind {
            if self.body().in_d_step {
                let diagnostic = Diagnostic::error(stmt.span, "`unless` inside a d_step")
                    .help("nothing can interrupt a d_step: use `atomic`");
                self.report(diagnostic);
                return None;
            }
            return self.read_unless(labels, body, escape, stmt.span);
        }
        if self.body().role == Role::Trace && !Self::is_event(&stmt.kind) {
            self.report_no_event(stmt.span);
            return None;
        }
        let kind = self.read_kind(stmt)?;
        let word = match (&stmt.kind, &kind) {
            (StmtKind::ForRange { .. } | StmtKind::ForIn { .. }, _) => Some("for"),
            (StmtKind::Select { .. }, NodeKind::Choice { exit: Some(_), .. }) => Some("select"),
            _ => None,
        };
        if let Some(word) = word {
            let loops = labels.iter().map(|(name, span)| (name.clone(), (*span, word)));
            self.body().loop_labels.extend(loops);
        }
        Some(Node { labels, kind, span: stmt.span, implied: false })
    }

    fn read_kind(&mut self, stmt: &Stmt) -> Option<NodeKind> {
        Some(match &stmt.kind {
            StmtKind::Expr(expr) => self.expression_statement(expr),
            StmtKind::Else => NodeKind::Basic { guard: Guard::Otherwise, actions: Vec::new() },
            StmtKind::Assign { target, value } => {
                let lowered = self.value(value);
                self.check_same_set(target, value);
                self.assignment(target, lowered, value.span)?
            }
            StmtKind::Increment(target) => self.step_by(target, BinaryOp::Add)?,
            StmtKind::Decrement(target) => self.step_by(target, BinaryOp::Sub)?,
            StmtKind::Assert(condition) => {
                let text = self.statement_text(condition.span);
                simple(Action::Assert { condition: self.condition(condition), text, requirement: None })
            }
            StmtKind::Printf { format, args } => {
                self.check_printf(format, args.len(), stmt.span);
                let args = args.iter().map(|arg| self.condition(arg)).collect();
                simple(Action::Print { format: format.clone(), args })
            }
            StmtKind::Printm(value) => simple(Action::PrintName(self.condition(value))),
            StmtKind::Send { chan, sorted, args } => self.send(chan, *sorted, args, stmt.span)?,
            StmtKind::Receive { chan, random, peek, args } => {
                self.receive(chan, *random, *peek, args, stmt.span)?
            }
            StmtKind::If(options) => self.choice(options, None),
            StmtKind::Do(options) => {
                let exit = self.open_loop();
                let node = self.choice(options, Some(exit));
                self.body().loops.pop();
                node
            }
            StmtKind::Break => match self.body().loops.last() {
                Some(exit) => NodeKind::Jump(Jump::Break(*exit)),
                None => {
                    let help = match self.body().in_d_step {
                        true => "it can leave only a loop that is inside the same d_step",
                        false => "it leaves the innermost `do` or `for`",
                    };
                    self.report(Diagnostic::error(stmt.span, "`break` outside a loop").help(help));
                    return None;
                }
            },
            StmtKind::Goto(label) => {
                let scopes = self.body().flow.scopes.clone();
                NodeKind::Jump(Jump::Label { name: label.name.clone(), span: label.span, scopes })
            }
            StmtKind::Block(block) => NodeKind::Group(Grouping::Plain, self.sequence(block, "{ Label: … }")),
            StmtKind::Atomic(block) => {
                let sequence = self.sequence(block, "atomic { Label: … }");
                self.body().flow.make_atomic(sequence, None);
                NodeKind::Group(Grouping::Atomic, sequence)
            }
            StmtKind::DStep(block) => {
                let loops = std::mem::take(&mut self.body().loops);
                let outer = std::mem::replace(&mut self.body().in_d_step, true);
                let sequence = self.sequence(block, "d_step { Label: … }");
                (self.body().loops, self.body().in_d_step) = (loops, outer);
                self.body().flow.make_atomic(sequence, Some(sequence.0));
                NodeKind::Group(Grouping::Deterministic, sequence)
            }
            StmtKind::ForRange { var, from, to, body } => self.for_range(var, from, to, body)?,
            StmtKind::ForIn { var, over, body } => self.for_in(var, over, body)?,
            StmtKind::Select { var, from, to } => self.select(var, from, to, stmt.span)?,
            StmtKind::SetPriority { pid, priority } => {
                self.model.uses_priorities = true;
                simple(Action::SetPriority { pid: self.condition(pid), priority: self.condition(priority) })
            }
            StmtKind::Unless { .. }
            | StmtKind::Decl(_)
            | StmtKind::Mtype(_)
            | StmtKind::ExclusiveReceive(_)
            | StmtKind::ExclusiveSend(_) => {
                // Only as the sole statement of an unless; a declaration has no meaning there.
                self.error(stmt.span, "a statement is needed here");
                return None;
            }
        })
    }

    fn expression_statement(&mut self, expr: &ast::Expr) -> NodeKind {
        if let ExprKind::Run { name, args, priority } = &expr.kind {
            let spawn = self.spawn(name, args, priority.as_deref(), expr.span);
            let actions = spawn.into_iter().map(Action::Spawn).collect();
            return NodeKind::Basic { guard: Guard::Always, actions };
        }
        let guard = match self.condition(expr) {
            Expr::Const(1) => Guard::Always,
            condition => {
                self.check_constant_guard(&condition, expr);
                Guard::When(condition)
            }
        };
        NodeKind::Basic { guard, actions: Vec::new() }
    }

    /// Values of one `mtype` set have no meaning in another.
    fn check_same_set(&mut self, target: &VarRef, value: &ast::Expr) {
        let ExprKind::Ref(source) = &value.kind else { return };
        let (Some(wanted), Some(given)) = (self.set_of(target), self.set_of(source)) else { return };
        if wanted != given {
            let name = |set: EnumId| match self.model.enumerations[set.index()].name.as_str() {
                "mtype" => "mtype".to_string(),
                subtype => format!("mtype:{subtype}"),
            };
            let message = format!("a value of `{}` for a variable of `{}`", name(given), name(wanted));
            self.error(value.span, message);
        }
    }

    /// The `mtype` set that a plain variable or constant belongs to.
    fn set_of(&self, var: &VarRef) -> Option<EnumId> {
        match self.find_var(&var.name.name) {
            Some(Var { ty: Type::Scalar(_, Display::Enum(set)), .. }) if var.field.is_none() => Some(*set),
            Some(_) => None,
            None => self.symbols.constants.get(&var.name.name).map(|(_, set)| *set),
        }
    }

    fn assignment(&mut self, target: &VarRef, value: Expr, span: Span) -> Option<NodeKind> {
        self.check_side_effect(target.span);
        if self.find_var(&target.name.name).is_none() {
            match &*target.name.name {
                // Evaluated for what may go wrong; the value goes nowhere.
                "_" => return Some(simple(Action::Print { format: String::new(), args: vec![value] })),
                "_priority" => {
                    self.model.uses_priorities = true;
                    return Some(simple(Action::SetPriority { pid: Expr::SelfPid, priority: value }));
                }
                _ => {}
            }
        }
        let (place, display) = self.assignable(target)?;
        // SPIN looks only at variables that are channels themselves, not at fields of records.
        if display == Display::Channel && matches!(value, Expr::Const(_)) && target.field.is_none() {
            let message = format!("`{}` is a channel, not a number", self.sources.snippet(target.span));
            let help = "a channel variable takes another channel variable";
            self.report(Diagnostic::error(span, message).help(help));
        }
        if self.names_wide_bits(target) {
            if may_exceed_bit(&value) {
                self.check_bits(target);
            }
        } else if display != Display::Channel {
            self.check_fits(&place.name, place.ty, &value, span);
        }
        Some(simple(Action::Assign { place, value }))
    }

    fn step_by(&mut self, target: &VarRef, op: BinaryOp) -> Option<NodeKind> {
        self.check_side_effect(target.span);
        let place = self.countable(target)?;
        self.check_bits(target);
        let value = Expr::binary(op, Expr::load(place.clone()), Expr::Const(1));
        Some(simple(Action::Assign { place, value }))
    }

    /// A sequence with a scope of its own. Nobody can jump to its first statement: it is not a state by itself.
    pub(super) fn sequence(&mut self, block: &ast::Block, shape: &str) -> SequenceId {
        self.enter_scope();
        let sequence = self.unscoped_sequence(block, shape);
        self.leave_scope();
        sequence
    }

    pub(super) fn enter_scope(&mut self) {
        self.scopes.open();
        self.body().flow.enter_scope();
    }

    pub(super) fn leave_scope(&mut self) {
        self.scopes.close();
        self.body().flow.leave_scope();
    }

    fn unscoped_sequence(&mut self, block: &ast::Block, shape: &str) -> SequenceId {
        self.body().flow.open();
        self.statements(&block.stmts);
        if self.body().flow.is_empty() {
            self.fill_empty(block);
        }
        let sequence = self.body().flow.close();
        self.check_first_label(sequence, shape);
        sequence
    }

    /// A sequence has at least one element: what walks the flow relies on it. If errors have taken all, nothing more is
    /// said.
    fn fill_empty(&mut self, block: &ast::Block) {
        let is_idle = |stmt: &Stmt| {
            matches!(
                stmt.kind,
                StmtKind::ExclusiveReceive(_) | StmtKind::ExclusiveSend(_) | StmtKind::Mtype(_)
            )
        };
        if block.stmts.iter().all(is_idle) {
            let diagnostic = Diagnostic::error(block.span, "there is no statement here")
                .help("a block or option needs one: write `skip`");
            self.report(diagnostic);
        }
        let kind = NodeKind::Basic { guard: Guard::Always, actions: Vec::new() };
        self.body().flow.add(Node { labels: Vec::new(), kind, span: block.span, implied: true });
    }

    pub(super) fn check_first_label(&mut self, sequence: SequenceId, shape: &str) {
        if let Some((name, span)) = self.body().flow.label_of_first(sequence) {
            let help =
                format!("the first statement of `{shape}` is not a state by itself: put the label before it");
            self.report(Diagnostic::error(span, format!("label `{name}` is misplaced")).help(help));
        }
    }

    /// `else` is tried last, wherever it stands.
    fn choice(&mut self, options: &[ast::Block], exit: Option<usize>) -> NodeKind {
        let is_else =
            |block: &ast::Block| matches!(block.stmts.first().map(|stmt| &stmt.kind), Some(StmtKind::Else));
        let mut sequences = Vec::new();
        let mut otherwise = None;
        for option in options {
            let sequence = self.unscoped_sequence(option, ":: Label: …");
            self.body().flow.drop_redundant_skips(sequence);
            if !is_else(option) {
                sequences.push(sequence);
            } else if otherwise.replace(sequence).is_some() {
                let diagnostic = Diagnostic::error(option.span, "a choice can have only one `else`")
                    .help("`else` is taken when no other option can be");
                self.report(diagnostic);
            }
        }
        self.warn_of_assigning_guards(options);
        if otherwise.is_some() {
            self.warn_of_dubious_else(options);
        }
        sequences.extend(otherwise);
        NodeKind::Choice { options: sequences, exit }
    }

    pub(super) fn open_loop(&mut self) -> usize {
        let body = self.body();
        body.flow.loop_exits.push(None);
        let exit = body.flow.loop_exits.len() - 1;
        body.loops.push(exit);
        exit
    }
}

/// A statement that is always executable but for its action's own predicate.
pub(super) fn simple(action: Action) -> NodeKind {
    NodeKind::Basic { guard: Guard::Always, actions: vec![action] }
}
