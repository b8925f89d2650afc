//! The structure of a generated model: what the generator builds, the printer prints and the shrinker cuts.

/// A whole model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub macros: Vec<Macro>,
    pub mtypes: Vec<Mtype>,
    pub records: Vec<Record>,
    pub globals: Vec<VarDecl>,
    pub inlines: Vec<Inline>,
    pub procs: Vec<Proc>,
    pub trace: Option<Trace>,
    pub claims: Vec<Claim>,
}

/// `#define name(params) body`, or without parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Macro {
    pub name: String,
    pub params: Vec<String>,
    pub body: Expr,
}

/// `mtype:sub = { names }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mtype {
    pub sub: Option<String>,
    pub names: Vec<String>,
}

/// `typedef name { fields }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub name: String,
    pub fields: Vec<VarDecl>,
}

/// The type of a variable or of a message field.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned(u8),
    Mtype(Option<String>),
    Record(String),
    Chan,
}

/// The word before a declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vis {
    Plain,
    Hidden,
    Local,
    Show,
}

/// One declared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    pub vis: Vis,
    pub ty: Ty,
    pub name: String,
    pub size: Option<u32>,
    pub init: Option<Init>,
    /// A preprocessor condition, always true, around the declaration.
    pub pp_if: Option<String>,
}

/// The initialiser of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    Expr(Expr),
    List(Vec<Expr>),
    Chan { capacity: u32, fields: Vec<Ty> },
}

/// `inline name(params) { body }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    pub name: String,
    pub params: Vec<String>,
    pub body: Vec<Stmt>,
}

/// The word that begins a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcKind {
    Plain,
    Deterministic,
    Init,
}

/// One process type.
#[derive(Clone, Debug, PartialEq)]
pub struct Proc {
    pub kind: ProcKind,
    pub name: String,
    /// How many instances run from the start; none if only `run` starts it.
    pub active: Option<u32>,
    pub params: Vec<(Ty, String)>,
    pub priority: Option<u32>,
    pub provided: Option<Expr>,
    pub body: Vec<Stmt>,
}

/// A `trace` or `notrace` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub negated: bool,
    pub body: Vec<Stmt>,
}

/// A claim; a safety check without claims passes over it.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    Never(Vec<Stmt>),
    Ltl { name: String, formula: Formula },
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    Atom(Expr),
    Unary(&'static str, Box<Formula>),
    Binary(&'static str, Box<Formula>, Box<Formula>),
}

/// A variable, an element, or a field: `a[1].b.c[x]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LValue {
    pub segs: Vec<(String, Option<Box<Expr>>)>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Const(i64),
    /// A symbolic constant: an `mtype` name, a macro, `true`, `timeout`, `np_`.
    Name(String),
    Var(LValue),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(q)`, `empty(q)`, `enabled(p)`, a function-like macro.
    Call(String, Vec<Expr>),
    Run {
        proc: String,
        args: Vec<Expr>,
        priority: Option<u32>,
    },
    /// `q?[args]` or `q??[args]`.
    Poll {
        chan: LValue,
        random: bool,
        args: Vec<RecvArg>,
    },
    /// `P[pid]@label`.
    RemoteLabel {
        proc: String,
        pid: Option<Box<Expr>>,
        label: String,
    },
    /// `P[pid]:var`.
    RemoteVar {
        proc: String,
        pid: Option<Box<Expr>>,
        var: LValue,
    },
}

/// One argument of a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum RecvArg {
    Const(Expr),
    Eval(Expr),
    Var(LValue),
    Any,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Expr(Expr),
    Else,
    Skip,
    Break,
    Goto(String),
    Assign(LValue, Expr),
    Inc(LValue),
    Dec(LValue),
    Send {
        chan: LValue,
        sorted: bool,
        header: bool,
        args: Vec<Expr>,
    },
    Recv {
        chan: LValue,
        random: bool,
        peek: bool,
        header: bool,
        args: Vec<RecvArg>,
    },
    Printf(String, Vec<Expr>),
    Assert(Expr),
    SetPriority(Expr, Expr),
    /// `xr q` or `xs q`.
    Exclusive(&'static str, String),
    Decl(VarDecl),
    If(Vec<Vec<Stmt>>),
    Do(Vec<Vec<Stmt>>),
    Atomic(Vec<Stmt>),
    DStep(Vec<Stmt>),
    Block(Vec<Stmt>),
    Unless(Box<Stmt>, Box<Stmt>),
    ForRange {
        var: LValue,
        from: Expr,
        to: Expr,
        body: Vec<Stmt>,
    },
    ForIn {
        var: LValue,
        over: LValue,
        body: Vec<Stmt>,
    },
    Select {
        var: LValue,
        from: Expr,
        to: Expr,
    },
    InlineCall(String, Vec<Expr>),
    Label(String, Box<Stmt>),
}

impl LValue {
    /// A plain variable.
    pub fn name(name: &str) -> LValue {
        LValue { segs: vec![(name.to_string(), None)] }
    }
}

impl Expr {
    /// A plain variable.
    pub fn var(name: &str) -> Expr {
        Expr::Var(LValue::name(name))
    }

    /// A symbolic constant.
    pub fn sym(name: &str) -> Expr {
        Expr::Name(name.to_string())
    }

    /// `left op right`.
    pub fn bin(op: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// `op operand`.
    pub fn un(op: &'static str, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    /// `name(args)`.
    pub fn call(name: &str, args: Vec<Expr>) -> Expr {
        Expr::Call(name.to_string(), args)
    }
}
