//! Expressions and places: what a predicate is made of, and what an action may write.

use crate::{ProcId, Receive, ScalarType, Spawn};

/// Where a place's bytes are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The start of the state vector.
    Global,
    /// The start of the executing process's frame.
    Local,
}

/// One subscript of a place: `offset += index * stride`, with `0 <= index < len`.
#[derive(Clone, Debug)]
pub struct IndexTerm {
    pub index: Expr,
    pub len: u32,
    pub stride: u32,
}

/// A variable, array element or record field in the state vector.
#[derive(Clone, Debug)]
pub struct Place {
    pub region: Region,
    pub offset: u32,
    pub ty: ScalarType,
    pub indices: Vec<IndexTerm>,
    /// What the source calls it, for messages and the text form.
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Neg,
    Not,
    BitNot,
}

/// `And` and `Or` do not evaluate their right side when the left decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
}

impl UnaryOp {
    /// How it is written, here and in the languages.
    pub fn sign(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }

    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOp::Neg => value.wrapping_neg(),
            UnaryOp::Not => i32::from(value == 0),
            UnaryOp::BitNot => !value,
        }
    }
}

impl BinaryOp {
    pub const ALL: [BinaryOp; 18] = [
        BinaryOp::Or,
        BinaryOp::And,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::BitAnd,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
    ];

    /// How it is written, and how strongly it binds: both as in C, here and in the languages.
    const fn written(self) -> (&'static str, u8) {
        match self {
            BinaryOp::Or => ("||", 1),
            BinaryOp::And => ("&&", 2),
            BinaryOp::BitOr => ("|", 3),
            BinaryOp::BitXor => ("^", 4),
            BinaryOp::BitAnd => ("&", 5),
            BinaryOp::Eq => ("==", 6),
            BinaryOp::Ne => ("!=", 6),
            BinaryOp::Lt => ("<", 7),
            BinaryOp::Le => ("<=", 7),
            BinaryOp::Gt => (">", 7),
            BinaryOp::Ge => (">=", 7),
            BinaryOp::Shl => ("<<", 8),
            BinaryOp::Shr => (">>", 8),
            BinaryOp::Add => ("+", 9),
            BinaryOp::Sub => ("-", 9),
            BinaryOp::Mul => ("*", 10),
            BinaryOp::Div => ("/", 10),
            BinaryOp::Rem => ("%", 10),
        }
    }

    pub const fn sign(self) -> &'static str {
        self.written().0
    }

    /// How strongly it binds; weakest first.
    pub const fn tightness(self) -> u8 {
        self.written().1
    }

    pub fn of_sign(sign: &str) -> Option<BinaryOp> {
        BinaryOp::ALL.into_iter().find(|op| op.sign() == sign)
    }

    /// The value of `a op b` in 32-bit two's complement; none for a division by zero. Shifts use the low five bits.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
            BinaryOp::Gt => i32::from(a > b),
            BinaryOp::Ge => i32::from(a >= b),
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelTest {
    Len,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

/// A 32-bit integer expression over the state vector. Zero is false.
#[derive(Clone, Debug)]
pub enum Expr {
    Const(i32),
    Load(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if .0 then .1 else .2`.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The number of the executing process.
    SelfPid,
    /// How many processes live.
    ProcessCount,
    /// The process that made the last step.
    LastPid,
    /// The number of the executing process's own channel with that index.
    OwnChannel(u32),
    /// The number of the oldest living process of that type, or -1.
    PidOf(ProcId),
    /// A test of the channel whose number the expression gives.
    Channel(ChannelTest, Box<Expr>),
    /// Could this receive take a message now?
    Poll(Box<Receive>),
    /// No process can make a step that does not ask for this.
    Timeout,
    /// No process is at a progress state.
    NonProgress,
    /// The process with that number can make a step.
    Enabled(Box<Expr>),
    /// The number of the control state of the process with that number.
    ControlPoint(Box<Expr>),
    /// The priority of the process with that number.
    Priority(Box<Expr>),
    /// The process numbered `pid` is at the control state numbered `state`.
    AtState {
        process: ProcId,
        pid: Box<Expr>,
        state: u16,
        label: String,
    },
    /// A local variable of the process numbered `pid`.
    Remote {
        process: ProcId,
        pid: Box<Expr>,
        place: Box<Place>,
    },
    /// Creates a process; its number is the value. Only in the value of an assignment.
    Spawn(Box<Spawn>),
}

impl Expr {
    pub fn load(place: Place) -> Expr {
        Expr::Load(Box::new(place))
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn negate(operand: Expr) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(operand))
    }

    /// Calls `visit` on this expression and all its parts.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Const(_)
            | Expr::SelfPid
            | Expr::ProcessCount
            | Expr::LastPid
            | Expr::OwnChannel(_)
            | Expr::PidOf(_)
            | Expr::Timeout
            | Expr::NonProgress => {}
            Expr::Load(place) => place.walk(visit),
            Expr::Unary(_, e)
            | Expr::Channel(_, e)
            | Expr::Enabled(e)
            | Expr::ControlPoint(e)
            | Expr::Priority(e) => e.walk(visit),
            Expr::Binary(_, l, r) => {
                l.walk(visit);
                r.walk(visit);
            }
            Expr::Cond(c, a, b) => {
                c.walk(visit);
                a.walk(visit);
                b.walk(visit);
            }
            Expr::Poll(receive) => receive.walk(visit),
            Expr::AtState { pid, .. } => pid.walk(visit),
            Expr::Remote { pid, place, .. } => {
                pid.walk(visit);
                place.walk(visit);
            }
            Expr::Spawn(spawn) => spawn.walk(visit),
        }
    }

    /// Does `test` hold for this expression or a part of it?
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

impl Place {
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        for term in &self.indices {
            term.index.walk(visit);
        }
    }
}
