//! The syntax tree of Promela. Names are not yet resolved; inlines and macros are already expanded.

pub use panoptes_model::{BinaryOp, UnaryOp};
use panoptes_source::Span;

pub use panoptes_preprocess::{Name, Role};

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// A whole model, in the order of the text (SPIN gives meaning to that order).
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub items: Vec<Item>,
    /// Conditions that were given beside the text.
    pub given: Vec<Given>,
}

/// A condition beside the text, and what it is there for.
#[derive(Clone, Debug)]
pub struct Given {
    pub role: Role,
    pub condition: Expr,
    /// As it was written.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Item {
    Mtype(MtypeDecl),
    Typedef(Typedef),
    Var(VarDecl),
    Proctype(Box<Proctype>),
    Never(Claim),
    Trace(TraceDecl),
    Ltl(LtlDecl),
}

/// `mtype[:subtype] = { a, b, c }`.
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    pub subtype: Option<Ident>,
    pub names: Vec<Ident>,
    pub span: Span,
}

/// `typedef name { fields }`.
#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Ident,
    pub fields: Vec<VarDecl>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Plain,
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// The width of `unsigned x : n` is in the declarator.
    Unsigned,
    Mtype(Option<Ident>),
    Chan,
    User(Ident),
}

/// `vis type a, b[3], c = 4`.
#[derive(Clone, Debug)]
pub struct VarDecl {
    pub visibility: Visibility,
    pub ty: TypeName,
    pub vars: Vec<Declarator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    /// The `n` of `x : n`.
    pub width: Option<Expr>,
    /// The `n` of `x[n]`.
    pub array: Option<Expr>,
    pub init: Option<Init>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    Expr(Expr),
    /// `{ 1, 2, 3 }` for an array.
    List(Vec<Expr>),
    Channel(ChanInit),
}

/// `[capacity] of { types }`.
#[derive(Clone, Debug)]
pub struct ChanInit {
    pub capacity: Expr,
    pub fields: Vec<FieldType>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct FieldType {
    pub ty: TypeName,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Proctype {
    /// `init` has the name `init` (SPIN calls it `:init:`) and `is_init`.
    pub name: Ident,
    pub is_init: bool,
    /// `D_proctype`.
    pub deterministic: bool,
    /// `active` is `Some(None)`, `active [n]` is `Some(Some(n))`.
    pub active: Option<Option<Expr>>,
    pub params: Vec<VarDecl>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// `never [name] { … }`.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: Option<Ident>,
    pub body: Block,
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`.
#[derive(Clone, Debug)]
pub struct TraceDecl {
    pub negated: bool,
    pub name: Option<Ident>,
    pub body: Block,
    pub span: Span,
}

/// `ltl [name] { formula }`.
#[derive(Clone, Debug)]
pub struct LtlDecl {
    pub name: Option<Ident>,
    pub formula: Ltl,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Ltl {
    pub kind: LtlKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum LtlKind {
    Atom(Box<Expr>),
    Not(Box<Ltl>),
    Always(Box<Ltl>),
    Eventually(Box<Ltl>),
    Next(Box<Ltl>),
    And(Box<Ltl>, Box<Ltl>),
    Or(Box<Ltl>, Box<Ltl>),
    Implies(Box<Ltl>, Box<Ltl>),
    Equiv(Box<Ltl>, Box<Ltl>),
    Until(Box<Ltl>, Box<Ltl>),
    WeakUntil(Box<Ltl>, Box<Ltl>),
    Release(Box<Ltl>, Box<Ltl>),
}

/// A sequence of statements with a scope of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    /// An option whose first statement is followed by `->`: meant as a guard.
    pub arrow: bool,
    pub span: Span,
}

/// A statement with the labels before it, outermost first. There are many, so what is large and rare in it is boxed.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub labels: Vec<Ident>,
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression as a statement: a condition, `skip` (the constant 1), `run P()`.
    Expr(Expr),
    Else,
    Assign {
        target: VarRef,
        value: Box<Expr>,
    },
    Increment(VarRef),
    Decrement(VarRef),
    Assert(Expr),
    Printf {
        format: String,
        args: Vec<Expr>,
    },
    Printm(Expr),
    Send {
        chan: VarRef,
        sorted: bool,
        args: Vec<Expr>,
    },
    Receive {
        chan: VarRef,
        random: bool,
        peek: bool,
        args: Vec<RecvArg>,
    },
    If(Vec<Block>),
    Do(Vec<Block>),
    Break,
    Goto(Ident),
    /// `{ … }`; an expanded inline is one too.
    Block(Block),
    Atomic(Block),
    DStep(Block),
    Unless {
        body: Box<Stmt>,
        escape: Box<Stmt>,
    },
    /// `for (v : from .. to) { … }`.
    ForRange {
        var: Box<VarRef>,
        from: Box<Expr>,
        to: Box<Expr>,
        body: Block,
    },
    /// `for (v in a) { … }`: an array or a channel; resolution tells which.
    ForIn {
        var: Box<VarRef>,
        over: Box<VarRef>,
        body: Block,
    },
    /// `select (v : from .. to)`.
    Select {
        var: Box<VarRef>,
        from: Box<Expr>,
        to: Box<Expr>,
    },
    Decl(VarDecl),
    Mtype(MtypeDecl),
    /// `xr a, b`.
    ExclusiveReceive(Vec<VarRef>),
    /// `xs a, b`.
    ExclusiveSend(Vec<VarRef>),
    SetPriority {
        pid: Box<Expr>,
        priority: Box<Expr>,
    },
}

#[derive(Clone, Debug)]
pub struct RecvArg {
    pub kind: RecvArgKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum RecvArgKind {
    /// A variable, a named constant, or `_`: resolution tells which.
    Ref(VarRef),
    /// A number, possibly negative.
    Const(i64),
    Eval(Expr),
}

/// `name[index].field…`.
#[derive(Clone, Debug)]
pub struct VarRef {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
    pub field: Option<Box<VarRef>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false`, `skip`, or a character constant.
    Int(i64),
    /// A variable, a named constant, or a predefined name (`_pid`, `_nr_pr`, `_last`, `_`).
    Ref(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        name: Ident,
        args: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    /// `len(q)`, `empty(q)`, `nempty(q)`, `full(q)`, `nfull(q)`.
    ChanTest(ChanTest, VarRef),
    /// `q?[…]` and `q??[…]`.
    Poll {
        chan: VarRef,
        random: bool,
        args: Vec<RecvArg>,
    },
    Timeout,
    Np,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    /// `P[i]@label`; the index is absent in `P@label`.
    RemoteLabel {
        process: Ident,
        index: Option<Box<Expr>>,
        label: Ident,
    },
    /// `P[i]:var`.
    RemoteVar {
        process: Ident,
        index: Option<Box<Expr>>,
        var: Box<VarRef>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChanTest {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}
