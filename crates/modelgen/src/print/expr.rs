//! Prints expressions with no more parentheses than SPIN's grammar needs, so precedence is tested too.

use crate::ast::{Expr, Formula, LValue, RecvArg};

/// How strongly an operator of two operands binds; all of them group to the left.
fn binding(op: &str) -> u32 {
    match op {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        _ => 10,
    }
}

const UNARY: u32 = 11;

/// The expression as text.
pub fn expr(e: &Expr) -> String {
    at(e, 0)
}

/// The expression where only operators that bind at least as strongly as `min` may stand bare.
fn at(e: &Expr, min: u32) -> String {
    let (text, strength) = match e {
        Expr::Const(n) if *n < 0 => (n.to_string(), UNARY),
        Expr::Const(n) => return n.to_string(),
        Expr::Name(n) => return n.clone(),
        Expr::Var(v) => return lvalue(v),
        Expr::Unary(op, a) => {
            // `- -x` and `--x` are different tokens.
            let a = at(a, UNARY);
            let gap = if a.starts_with('-') || a.starts_with('!') { " " } else { "" };
            (format!("{op}{gap}{a}"), UNARY)
        }
        Expr::Binary(op, a, b) => {
            let s = binding(op);
            (format!("{} {op} {}", at(a, s), at(b, s + 1)), s)
        }
        Expr::Cond(c, a, b) => return format!("({} -> {} : {})", expr(c), expr(a), expr(b)),
        Expr::Call(name, args) => return format!("{name}({})", list(args)),
        Expr::Run { proc, args, priority } => {
            let priority = priority.map(|n| format!(" priority {n}")).unwrap_or_default();
            (format!("run {proc}({}){priority}", list(args)), 0)
        }
        Expr::Poll { chan, random, args } => {
            let op = if *random { "??" } else { "?" };
            return format!("{}{op}[{}]", lvalue(chan), recv_args(args).join(", "));
        }
        Expr::RemoteLabel { proc, pid, label } => return format!("{proc}{}@{label}", index(pid)),
        Expr::RemoteVar { proc, pid, var } => return format!("{proc}{}:{}", index(pid), lvalue(var)),
    };
    if strength < min { format!("({text})") } else { text }
}

fn list(args: &[Expr]) -> String {
    args.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn index(e: &Option<Box<Expr>>) -> String {
    e.as_ref().map(|e| format!("[{}]", expr(e))).unwrap_or_default()
}

/// A variable, element or field as text.
pub fn lvalue(v: &LValue) -> String {
    v.segs.iter().map(|(name, i)| format!("{name}{}", index(i))).collect::<Vec<_>>().join(".")
}

/// The arguments of a receive, each as text.
pub fn recv_args(args: &[RecvArg]) -> Vec<String> {
    args.iter()
        .map(|a| match a {
            RecvArg::Const(e) => expr(e),
            RecvArg::Eval(e) => format!("eval({})", expr(e)),
            RecvArg::Var(v) => lvalue(v),
            RecvArg::Any => "_".to_string(),
        })
        .collect()
}

/// A temporal formula as text, every operand in parentheses.
pub fn formula(f: &Formula) -> String {
    match f {
        Formula::Atom(e) => format!("({})", expr(e)),
        Formula::Unary(op, a) => format!("{op} {}", formula(a)),
        Formula::Binary(op, a, b) => format!("({} {op} {})", formula(a), formula(b)),
    }
}
