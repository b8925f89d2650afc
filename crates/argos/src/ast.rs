//! The syntax tree of Argos. Names are not yet resolved; macros are already expanded.

use panoptes_model::{BinaryOp, UnaryOp};
use panoptes_source::Span;

pub use panoptes_preprocess::{Appended, Name, Role};

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Those that stand outside processes.
    pub channels: Vec<ChannelDecl>,
    pub procs: Vec<Proc>,
    pub assertions: Vec<Assertion>,
    /// What must hold in every state, given beside the text; not parsed before the model is known.
    pub given: Vec<Appended>,
}

/// `in[16] = { mesg(256), mesg(13) }`
#[derive(Clone, Debug)]
pub struct ChannelDecl {
    pub name: Ident,
    pub size: Expr,
    pub contents: Vec<Content>,
}

/// A message that is there from the start.
#[derive(Clone, Debug)]
pub struct Content {
    pub message: Ident,
    pub value: Option<Expr>,
}

/// A process or a procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    pub name: Ident,
    /// Declared as a procedure: `proc name()` or `procedure name`. Others are procedures if somebody calls them.
    pub is_procedure: bool,
    pub channels: Vec<ChannelDecl>,
    pub variables: Vec<VarDecl>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Ident,
    pub value: Option<Expr>,
}

/// A requirement on the messages of every execution.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub name: Option<Ident>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub labels: Vec<Ident>,
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Skip,
    Break,
    Goto(Ident),
    Return,
    Call(Ident),
    Assign { variable: Ident, value: Expr },
    Condition(Expr),
    Send { channel: Ident, message: Ident, value: Option<Expr> },
    Receive { channel: Ident, what: Received, variable: Option<Ident> },
    If(Vec<Choice>),
    Do(Vec<Choice>),
}

#[derive(Clone, Debug)]
pub enum Received {
    Message(Ident),
    Default(Span),
    Timeout(Span),
}

/// One option of a selection or repetition; its first statement is the guard.
#[derive(Clone, Debug)]
pub struct Choice {
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Variable(Name),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Its value, if no variable is in it; none also for a division by zero.
    pub fn constant(&self) -> Option<i32> {
        match &self.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Variable(_) => None,
            ExprKind::Unary(op, operand) => Some(op.apply(operand.constant()?)),
            ExprKind::Binary(op, left, right) => op.apply(left.constant()?, right.constant()?),
        }
    }

    /// The expression as text, with the parentheses that it needs.
    pub fn text(&self) -> String {
        let part = |expr: &Expr| match expr.kind {
            ExprKind::Binary(..) => format!("({})", expr.text()),
            _ => expr.text(),
        };
        match &self.kind {
            ExprKind::Number(value) => value.to_string(),
            ExprKind::Variable(name) => name.to_string(),
            ExprKind::Unary(op, operand) => format!("{}{}", op.sign(), part(operand)),
            ExprKind::Binary(op, left, right) => {
                format!("{} {} {}", part(left), op.sign(), part(right))
            }
        }
    }
}
