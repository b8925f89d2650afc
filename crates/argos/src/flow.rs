//! A body as a graph: one node a statement, procedures expanded where they are called, names resolved.
//!
//! A statement that only passes control on (`skip`, `goto`, `break`, `return`, a call) is a *jump* and will be no state, unless it
//! is a guard: the guard of an option is what is done when the option is taken, so there even `skip` is a step.

use crate::ast::{Choice, Expr, ExprKind, Ident, Name, Received, Stmt, StmtKind};
use crate::resolve::{Reporter, Symbols, VALUES, constant, warn_of_range};
use panoptes_model::{BinaryOp, Expr as Value, FrameLayout, Place, Region, ScalarType, UnaryOp};
use panoptes_source::{Diagnostic, Span, did_you_mean};
use rustc_hash::FxHashMap;

/// Procedures that call procedures may expand to very much.
const NODES_MAX: usize = 50_000;

/// Choices in choices and calls in calls.
const DEPTH_MAX: usize = 400;

/// Variables and the values of messages are short integers.
pub(crate) const VALUE: ScalarType = ScalarType::SHORT;

pub(crate) type NodeId = usize;

pub(crate) enum Node {
    Step(Step),
    /// The first nodes of the options: steps or choices.
    Choice {
        options: Vec<NodeId>,
        span: Span,
    },
    Jump(NodeId),
    End,
}

pub(crate) struct Step {
    pub kind: StepKind,
    pub next: NodeId,
    /// The statement, for people.
    pub text: String,
    pub span: Span,
}

pub(crate) enum StepKind {
    Skip,
    /// Gives the variables of a procedure their initial values.
    Start(Vec<(Place, i32)>),
    Assign(Place, Value),
    Condition(Value),
    Send {
        channel: usize,
        message: Name,
        value: Option<Value>,
    },
    Receive {
        channel: usize,
        message: Name,
        variable: Option<Place>,
    },
    Default {
        channel: usize,
    },
    Timeout {
        channel: usize,
    },
}

pub(crate) struct Flow {
    pub nodes: Vec<Node>,
    pub entry: NodeId,
    pub labels: Vec<(NodeId, Name)>,
    /// The variables of the process and of the procedures it calls, with their initial values.
    pub variables: Vec<(Name, i32)>,
    /// Every statement: the sequence it stands in, its place there, and its node.
    pub stmts: Vec<Placed>,
}

pub(crate) struct Placed {
    pub sequence: usize,
    pub index: usize,
    pub node: NodeId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Role {
    Process(usize),
    Assertion,
}

/// The graph of a process's or assertion's body.
pub(crate) fn build(symbols: &Symbols<'_>, role: Role, body: &[Stmt], reporter: &mut Reporter) -> Flow {
    let flow = Flow {
        nodes: vec![Node::End],
        entry: 0,
        labels: Vec::new(),
        variables: Vec::new(),
        stmts: Vec::new(),
    };
    let mut builder = Builder {
        symbols,
        role,
        reporter,
        flow,
        scopes: Vec::new(),
        sequences: 0,
        calls: 0,
        depth: 0,
        is_full: false,
    };
    if let Role::Process(number) = role {
        builder.open_scope(number);
    }
    builder.flow.entry = builder.body(body, 0, false);
    break_circles(&mut builder.flow);
    builder.flow
}

struct Builder<'b, 'a> {
    symbols: &'b Symbols<'a>,
    role: Role,
    reporter: &'b mut Reporter,
    flow: Flow,
    /// The process and the procedures being expanded, outermost first, with their variables.
    scopes: Vec<Vec<(Name, Place)>>,
    sequences: usize,
    /// Calls in calls.
    calls: usize,
    depth: usize,
    is_full: bool,
}

/// What a statement sees of the body it stands in.
struct Context<'c> {
    labels: &'c FxHashMap<Name, NodeId>,
    /// Where `break` leads.
    exit: Option<NodeId>,
    /// Where `return` leads: behind the call of the procedure.
    back: Option<NodeId>,
}

impl Builder<'_, '_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.reporter.report(Diagnostic::error(span, message));
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.flow.nodes.push(node);
        self.flow.nodes.len() - 1
    }

    fn step(&mut self, kind: StepKind, next: NodeId, text: String, span: Span) -> NodeId {
        self.add(Node::Step(Step { kind, next, text, span }))
    }

    /// Makes room for the variables of a process or procedure; their initial values.
    fn open_scope(&mut self, number: usize) -> Vec<(Place, i32)> {
        let mut scope: Vec<(Name, Place)> = Vec::new();
        let mut values = Vec::new();
        for decl in &self.symbols.module.procs[number].variables {
            let name = &decl.name;
            if scope.iter().any(|(other, _)| *other == name.name) {
                self.error(name.span, format!("there are two variables called `{}`", name.name));
                continue;
            }
            let value = decl.value.as_ref().map_or(0, |value| constant(value, self.reporter));
            let offset = FrameLayout::FIXED_BYTES + (self.flow.variables.len() * VALUE.bytes()) as u32;
            let place = Place {
                region: Region::Local,
                offset,
                ty: VALUE,
                indices: Vec::new(),
                name: name.name.to_string(),
            };
            self.flow.variables.push((name.name.clone(), value));
            scope.push((name.name.clone(), place.clone()));
            values.push((place, value));
        }
        self.scopes.push(scope);
        values
    }

    /// A body with its own labels. If `is_guard`, its first statement is the guard of an option.
    fn body(&mut self, stmts: &[Stmt], next: NodeId, is_guard: bool) -> NodeId {
        let mut labels = FxHashMap::default();
        self.find_labels(stmts, &mut labels);
        let nodes = labels.iter().map(|(name, (node, _))| (name.clone(), *node)).collect();
        // The body of the process or assertion itself is the first to be built.
        let back = (self.calls > 0).then_some(next);
        self.sequence(stmts, next, &Context { labels: &nodes, exit: None, back }, is_guard)
    }

    fn find_labels(&mut self, stmts: &[Stmt], labels: &mut FxHashMap<Name, (NodeId, Span)>) {
        for stmt in stmts {
            for label in &stmt.labels {
                if let Some((_, first)) = labels.get(&label.name) {
                    let message = format!("there are two labels called `{}` in this body", label.name);
                    let wrong = Diagnostic::error(label.span, message).label(*first, "the first is here");
                    self.reporter.report(wrong);
                    continue;
                }
                let node = self.add(Node::Jump(0));
                labels.insert(label.name.clone(), (node, label.span));
            }
            if let StmtKind::If(choices) | StmtKind::Do(choices) = &stmt.kind {
                choices.iter().for_each(|choice| self.find_labels(&choice.body, labels));
            }
        }
    }

    /// From the last statement to the first, so that each knows what follows it.
    fn sequence(&mut self, stmts: &[Stmt], next: NodeId, context: &Context<'_>, is_guard: bool) -> NodeId {
        let sequence = self.sequences;
        self.sequences += 1;
        let mut next = next;
        for (index, stmt) in stmts.iter().enumerate().rev() {
            if self.is_too_large(stmt.span) {
                return self.broken(next, stmt.span);
            }
            self.depth += 1;
            next = self.stmt(stmt, next, context, is_guard && index == 0);
            self.depth -= 1;
            for label in &stmt.labels {
                if let Some(node) = context.labels.get(&label.name) {
                    self.flow.nodes[*node] = Node::Jump(next);
                    self.flow.labels.push((next, label.name.clone()));
                }
            }
            self.flow.stmts.push(Placed { sequence, index, node: next, span: stmt.span });
        }
        next
    }

    /// Reports, once, what procedures that call procedures have come to.
    fn is_too_large(&mut self, span: Span) -> bool {
        let message = match (self.flow.nodes.len() > NODES_MAX, self.depth > DEPTH_MAX) {
            (false, false) => return false,
            (true, _) => format!("this process has more than {NODES_MAX} statements"),
            (false, true) => "calls and choices are nested too deeply".to_string(),
        };
        if !std::mem::replace(&mut self.is_full, true) {
            let help = "each call of a procedure is a copy of its body";
            self.reporter.report(Diagnostic::error(span, message).help(help));
        }
        true
    }

    fn stmt(&mut self, stmt: &Stmt, next: NodeId, context: &Context<'_>, is_guard: bool) -> NodeId {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Skip => self.jump(next, is_guard, "skip".into(), span),
            StmtKind::Break => match context.exit {
                Some(exit) => self.jump(exit, is_guard, "break".into(), span),
                None => {
                    let wrong = Diagnostic::error(span, "`break` stands in no loop");
                    self.reporter.report(wrong.help("it leaves the innermost `do` of the same body"));
                    self.broken(next, span)
                }
            },
            StmtKind::Goto(label) => match context.labels.get(&label.name) {
                Some(node) => self.jump(*node, is_guard, format!("goto {}", label.name), span),
                None => {
                    let wrong = Diagnostic::error(
                        label.span,
                        format!("there is no label `{}` in this body", label.name),
                    );
                    let mut known: Vec<&str> = context.labels.keys().map(|name| &**name).collect();
                    known.sort_unstable();
                    let meant = did_you_mean(&label.name, known.iter().copied());
                    self.reporter.report(match known.is_empty() {
                        _ if meant.is_some() => wrong.help_if(meant),
                        true => wrong,
                        false => wrong.help(format!("there is {}", known.join(", "))),
                    });
                    self.broken(next, span)
                }
            },
            StmtKind::Return => match context.back {
                Some(back) => self.jump(back, is_guard, "return".into(), span),
                None => {
                    let wrong = Diagnostic::error(span, "`return` stands in no procedure");
                    let help =
                        "it leads back to where the procedure was called; a process ends where its text ends";
                    self.reporter.report(wrong.help(help));
                    self.broken(next, span)
                }
            },
            StmtKind::Call(name) => self.call(name, next, is_guard, span),
            StmtKind::If(choices) => {
                let options = self.options(choices, next, context, context.exit);
                self.add(Node::Choice { options, span })
            }
            StmtKind::Do(choices) => {
                let head = self.add(Node::Jump(next));
                let options = self.options(choices, head, context, Some(next));
                self.flow.nodes[head] = Node::Choice { options, span };
                head
            }
            StmtKind::Assign { variable, value } => {
                self.refuse_in_assertion(span, "an assignment");
                if let Some(value) = value.constant() {
                    warn_of_range(value, span, self.reporter);
                }
                let text = format!("{} = {}", variable.name, value.text());
                let (place, value) = (self.variable(variable), self.value(value));
                match place {
                    Some(place) => self.step(StepKind::Assign(place, kept(value)), next, text, span),
                    None => self.broken(next, span),
                }
            }
            StmtKind::Condition(condition) => {
                self.refuse_in_assertion(span, "a condition");
                let text = format!("({})", condition.text());
                let value = self.value(condition);
                self.step(StepKind::Condition(value), next, text, span)
            }
            StmtKind::Send { channel, message, value } => self.send(channel, message, value, next, span),
            StmtKind::Receive { channel, what, variable } => {
                self.receive(channel, what, variable.as_ref(), next, span)
            }
        }
    }

    /// In the place of a statement that was reported. It is a step, so that a loop of such statements leads nowhere.
    fn broken(&mut self, next: NodeId, span: Span) -> NodeId {
        self.step(StepKind::Skip, next, String::new(), span)
    }

    /// A statement that only passes control on.
    fn jump(&mut self, to: NodeId, is_guard: bool, text: String, span: Span) -> NodeId {
        match is_guard {
            true => self.step(StepKind::Skip, to, text, span),
            false => self.add(Node::Jump(to)),
        }
    }

    fn options(
        &mut self,
        choices: &[Choice],
        next: NodeId,
        context: &Context<'_>,
        exit: Option<NodeId>,
    ) -> Vec<NodeId> {
        let context = Context { labels: context.labels, exit, back: context.back };
        let bodies = choices.iter().filter(|choice| !choice.body.is_empty());
        bodies.map(|choice| self.sequence(&choice.body, next, &context, true)).collect()
    }

    fn call(&mut self, name: &Ident, next: NodeId, is_guard: bool, span: Span) -> NodeId {
        let Some(number) = self.symbols.proc(&name.name) else { return self.broken(next, span) };
        let proc = &self.symbols.module.procs[number];
        let values = self.open_scope(number);
        if !values.is_empty() {
            self.refuse_in_assertion(span, "a procedure with variables");
        }
        let text = format!("{}()", name.name);
        let is_plain = values.is_empty();
        self.calls += 1;
        let mut entry = self.body(&proc.body, next, is_guard && is_plain);
        self.calls -= 1;
        self.scopes.pop();
        if !is_plain {
            entry = self.step(StepKind::Start(values), entry, text, span);
        } else if proc.body.is_empty() {
            entry = self.jump(entry, is_guard, text, span);
        }
        entry
    }

    fn send(
        &mut self,
        channel: &Ident,
        message: &Ident,
        value: &Option<Expr>,
        next: NodeId,
        span: Span,
    ) -> NodeId {
        let text = match value {
            Some(value) => format!("{}!{}({})", channel.name, message.name, value.text()),
            None => format!("{}!{}", channel.name, message.name),
        };
        let found = self.symbols.channel(channel, self.reporter);
        if let (Some(value), Role::Assertion) = (value, self.role) {
            self.refuse_value(value.span);
            return self.broken(next, span);
        }
        if let Some(value) = value.as_ref().filter(|value| value.constant().is_some()) {
            warn_of_range(value.constant().unwrap_or(0), value.span, self.reporter);
        }
        let value = value.as_ref().map(|value| kept(self.value(value)));
        let Some(channel) = found else { return self.broken(next, span) };
        let kind = StepKind::Send { channel, message: message.name.clone(), value };
        self.step(kind, next, text, span)
    }

    fn receive(
        &mut self,
        name: &Ident,
        what: &Received,
        variable: Option<&Ident>,
        next: NodeId,
        span: Span,
    ) -> NodeId {
        let found = self.symbols.channel(name, self.reporter);
        let word = match what {
            Received::Message(message) => message.name.to_string(),
            Received::Default(_) => "default".to_string(),
            Received::Timeout(_) => "timeout".to_string(),
        };
        if let (Role::Assertion, Received::Default(word_span) | Received::Timeout(word_span)) =
            (self.role, what)
        {
            let wrong = Diagnostic::error(*word_span, format!("an assertion cannot speak of `{word}`"));
            self.reporter.report(wrong.help("it names the messages that are sent and received"));
            return self.broken(next, span);
        }
        if let (Some(variable), Role::Assertion) = (variable, self.role) {
            self.refuse_value(variable.span);
            return self.broken(next, span);
        }
        let place = variable.map(|variable| self.variable(variable));
        let (Some(channel), false) = (found, matches!(place, Some(None))) else {
            return self.broken(next, span);
        };
        let text = match variable {
            Some(variable) => format!("{}?{word}({})", name.name, variable.name),
            None => format!("{}?{word}", name.name),
        };
        let kind = match what {
            Received::Message(message) => {
                StepKind::Receive { channel, message: message.name.clone(), variable: place.flatten() }
            }
            Received::Default(_) => StepKind::Default { channel },
            Received::Timeout(_) => StepKind::Timeout { channel },
        };
        self.step(kind, next, text, span)
    }

    fn refuse_in_assertion(&mut self, span: Span, what: &str) {
        if self.role == Role::Assertion {
            let wrong = Diagnostic::error(span, format!("{what} cannot stand in an assertion"));
            self.reporter.report(wrong.help("an assertion speaks of sends and receives only"));
        }
    }

    fn refuse_value(&mut self, span: Span) {
        let wrong = Diagnostic::error(span, "an assertion names messages, not their values");
        self.reporter.report(wrong.help("leave the value out"));
    }

    /// The variable of that name of the innermost procedure, or of the process, or of a caller in between.
    fn variable(&mut self, name: &Ident) -> Option<Place> {
        let found = self.find_variable(&name.name);
        if found.is_none() && self.role != Role::Assertion {
            let wrong = Diagnostic::error(name.span, format!("there is no variable `{}` here", name.name));
            let known = self.scopes.iter().flatten().map(|(known, _)| &**known);
            let meant = did_you_mean(&name.name, known);
            let declare = format!("declare it at the start of the process: `var {};`", name.name);
            self.reporter.report(wrong.help(meant.unwrap_or(declare)).code("unknown-name"));
        }
        found
    }

    fn find_variable(&self, name: &str) -> Option<Place> {
        let mut all = self.scopes.iter().rev().flatten();
        all.find(|(other, _)| &**other == name).map(|(_, place)| place.clone())
    }

    fn value(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Number(value) => Value::Const(*value),
            ExprKind::Variable(name) => {
                let place = self.variable(&Ident { name: name.clone(), span: expr.span });
                place.map_or(Value::Const(0), Value::load)
            }
            ExprKind::Unary(op, operand) => Value::Unary(*op, Box::new(self.value(operand))),
            ExprKind::Binary(op, left, right) => Value::binary(*op, self.value(left), self.value(right)),
        }
    }
}

/// A jump that leads back to itself is a step that can always be taken and changes nothing.
fn break_circles(flow: &mut Flow) {
    let mut is_done = vec![false; flow.nodes.len()];
    for start in 0..flow.nodes.len() {
        let (mut at, mut path) = (start, Vec::new());
        while let Node::Jump(to) = flow.nodes[at] {
            if is_done[at] {
                break;
            }
            is_done[at] = true;
            path.push(at);
            if path.contains(&to) {
                let stmt = flow.stmts.iter().find(|stmt| path.contains(&stmt.node));
                let span = stmt.map(|stmt| stmt.span).unwrap_or_default();
                let (kind, text) = (StepKind::Skip, "goto".to_string());
                flow.nodes[to] = Node::Step(Step { kind, next: to, text, span });
                break;
            }
            at = to;
        }
    }
}

/// A value as variables and messages keep it: modulo its range.
fn kept(value: Value) -> Value {
    match value {
        Value::Const(value) => Value::Const(value % VALUES),
        // A variable has been cut already, and the truth is 0 or 1.
        Value::Load(_) => value,
        Value::Unary(UnaryOp::Not, _) => value,
        _ => Value::binary(BinaryOp::Rem, value, Value::Const(VALUES)),
    }
}

// What is left fits the type.
const _: () = assert!(VALUE.wrap(VALUES - 1) == VALUES - 1 && VALUE.wrap(1 - VALUES) == 1 - VALUES);
