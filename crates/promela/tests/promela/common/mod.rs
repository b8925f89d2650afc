//! The syntax tree as short text, with every operator in parentheses, and diagnostics as the user sees them.
#![allow(dead_code, reason = "each test file uses a part of it")]

use panoptes_promela::ast::*;
use panoptes_promela::{MemoryLoader, PreprocessorOptions, parse_file, parse_str};
use panoptes_source::{SourceMap, render};
use std::path::Path;

/// The model as it was understood, or what is wrong with it.
pub fn parsed(text: &str) -> String {
    let (sources, module, diagnostics) = parse_str(text);
    if diagnostics.is_empty() {
        return module.items.iter().map(item).collect();
    }
    diagnostics.iter().map(|diagnostic| render(&sources, diagnostic, false)).collect::<Vec<_>>().join("\n")
}

/// Only what is wrong with the model.
pub fn errors(text: &str) -> String {
    let (sources, _, diagnostics) = parse_str(text);
    diagnostics.iter().map(|diagnostic| render(&sources, diagnostic, false)).collect::<Vec<_>>().join("\n")
}

/// The messages alone, with their positions.
pub fn messages(text: &str) -> String {
    let (sources, _, diagnostics) = parse_str(text);
    let line = |diagnostic: &panoptes_source::Diagnostic| {
        let position = sources.user_position(diagnostic.span);
        format!("{}:{} {}\n", position.line, position.column, diagnostic.message)
    };
    diagnostics.iter().map(line).collect()
}

/// What is wrong with the first of several files.
pub fn errors_of(files: &[(&str, &str)], options: &PreprocessorOptions) -> String {
    let (sources, _, diagnostics) = load(files, options);
    diagnostics.iter().map(|diagnostic| render(&sources, diagnostic, false)).collect::<Vec<_>>().join("\n")
}

pub fn load(
    files: &[(&str, &str)],
    options: &PreprocessorOptions,
) -> (SourceMap, Module, Vec<panoptes_source::Diagnostic>) {
    let loader = files.iter().fold(MemoryLoader::default(), |loader, (path, text)| loader.with(path, *text));
    let mut sources = SourceMap::default();
    let (path, text) = files[0];
    let file = sources.add_file(path, text.to_string(), None);
    let (module, diagnostics) = parse_file(&mut sources, file, Path::new(path), options, &loader);
    (sources, module, diagnostics)
}

pub fn item(item: &Item) -> String {
    match item {
        Item::Mtype(decl) => format!("{}\n", mtype(decl)),
        Item::Typedef(decl) => {
            let fields: Vec<String> = decl.fields.iter().map(var_decl).collect();
            format!("typedef {} {{ {} }}\n", decl.name.name, fields.join("; "))
        }
        Item::Var(decl) => format!("{}\n", var_decl(decl)),
        Item::Proctype(process) => proctype(process),
        Item::Never(claim) => format!("never {}{}\n", optional(&claim.name), block(&claim.body)),
        Item::Trace(trace) => {
            format!("{} {}\n", if trace.negated { "notrace" } else { "trace" }, block(&trace.body))
        }
        Item::Ltl(decl) => format!("ltl {}{{ {} }}\n", optional(&decl.name), ltl(&decl.formula)),
    }
}

fn optional(name: &Option<Ident>) -> String {
    name.as_ref().map_or(String::new(), |name| format!("{} ", name.name))
}

fn proctype(process: &Proctype) -> String {
    let mut text = match &process.active {
        None => String::new(),
        Some(None) => "active ".to_string(),
        Some(Some(count)) => format!("active [{}] ", expr(count)),
    };
    let params: Vec<String> = process.params.iter().map(var_decl).collect();
    text += &match (process.is_init, process.deterministic) {
        (true, _) => "init".to_string(),
        (false, true) => format!("D_proctype {}({})", process.name.name, params.join("; ")),
        (false, false) => format!("proctype {}({})", process.name.name, params.join("; ")),
    };
    if let Some(priority) = &process.priority {
        text += &format!(" priority {}", expr(priority));
    }
    if let Some(provided) = &process.provided {
        text += &format!(" provided {}", expr(provided));
    }
    format!("{text} {}\n", block(&process.body))
}

fn mtype(decl: &MtypeDecl) -> String {
    let names: Vec<&str> = decl.names.iter().map(|name| &*name.name).collect();
    let subtype = decl.subtype.as_ref().map_or(String::new(), |name| format!(":{}", name.name));
    format!("mtype{subtype} = {{ {} }}", names.join(" "))
}

fn type_name(ty: &TypeName) -> String {
    match ty {
        TypeName::Bit => "bit".into(),
        TypeName::Bool => "bool".into(),
        TypeName::Byte => "byte".into(),
        TypeName::Pid => "pid".into(),
        TypeName::Short => "short".into(),
        TypeName::Int => "int".into(),
        TypeName::Unsigned => "unsigned".into(),
        TypeName::Mtype(None) => "mtype".into(),
        TypeName::Mtype(Some(name)) => format!("mtype:{}", name.name),
        TypeName::Chan => "chan".into(),
        TypeName::User(name) => name.name.to_string(),
    }
}

fn var_decl(decl: &VarDecl) -> String {
    let visibility = match decl.visibility {
        Visibility::Plain => "",
        Visibility::Hidden => "hidden ",
        Visibility::Show => "show ",
        Visibility::Local => "local ",
    };
    let vars: Vec<String> = decl.vars.iter().map(declarator).collect();
    format!("{visibility}{} {}", type_name(&decl.ty), vars.join(", "))
}

fn declarator(var: &Declarator) -> String {
    let mut text = var.name.name.to_string();
    if let Some(width) = &var.width {
        text += &format!(" : {}", expr(width));
    }
    if let Some(array) = &var.array {
        text += &format!("[{}]", expr(array));
    }
    match &var.init {
        None => {}
        Some(Init::Expr(value)) => text += &format!(" = {}", expr(value)),
        Some(Init::List(values)) => text += &format!(" = {{ {} }}", exprs(values)),
        Some(Init::Channel(chan)) => {
            let fields: Vec<String> = chan.fields.iter().map(|field| type_name(&field.ty)).collect();
            text += &format!(" = [{}] of {{ {} }}", expr(&chan.capacity), fields.join(", "));
        }
    }
    text
}

pub fn block(block: &Block) -> String {
    format!("{{ {} }}", stmts(block))
}

fn stmts(block: &Block) -> String {
    block.stmts.iter().map(stmt).collect::<Vec<_>>().join("; ")
}

fn options(word: &str, close: &str, options: &[Block]) -> String {
    let options: String = options.iter().map(|option| format!(" :: {}", stmts(option))).collect();
    format!("{word}{options} {close}")
}

pub fn stmt(stmt: &Stmt) -> String {
    let labels: String = stmt.labels.iter().map(|label| format!("{}: ", label.name)).collect();
    labels + &stmt_kind(&stmt.kind)
}

fn stmt_kind(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Expr(value) => expr(value),
        StmtKind::Else => "else".into(),
        StmtKind::Assign { target, value } => format!("{} = {}", var_ref(target), expr(value)),
        StmtKind::Increment(target) => format!("{}++", var_ref(target)),
        StmtKind::Decrement(target) => format!("{}--", var_ref(target)),
        StmtKind::Assert(value) => format!("assert {}", expr(value)),
        StmtKind::Printf { format, args } => format!("printf({format:?}, {})", exprs(args)),
        StmtKind::Printm(value) => format!("printm({})", expr(value)),
        StmtKind::Send { chan, sorted, args } => {
            format!("{}{}{}", var_ref(chan), if *sorted { "!!" } else { "!" }, exprs(args))
        }
        StmtKind::Receive { chan, random, peek, args } => {
            let sign = if *random { "??" } else { "?" };
            match peek {
                true => format!("{}{sign}<{}>", var_ref(chan), receive(args)),
                false => format!("{}{sign}{}", var_ref(chan), receive(args)),
            }
        }
        StmtKind::If(list) => options("if", "fi", list),
        StmtKind::Do(list) => options("do", "od", list),
        StmtKind::Break => "break".into(),
        StmtKind::Goto(label) => format!("goto {}", label.name),
        StmtKind::Block(body) => block(body),
        StmtKind::Atomic(body) => format!("atomic {}", block(body)),
        StmtKind::DStep(body) => format!("d_step {}", block(body)),
        StmtKind::Unless { body, escape } => format!("({} unless {})", stmt(body), stmt(escape)),
        StmtKind::ForRange { var, from, to, body } => {
            format!("for ({} : {} .. {}) {}", var_ref(var), expr(from), expr(to), block(body))
        }
        StmtKind::ForIn { var, over, body } => {
            format!("for ({} in {}) {}", var_ref(var), var_ref(over), block(body))
        }
        StmtKind::Select { var, from, to } => {
            format!("select ({} : {} .. {})", var_ref(var), expr(from), expr(to))
        }
        StmtKind::Decl(decl) => var_decl(decl),
        StmtKind::Mtype(decl) => mtype(decl),
        StmtKind::ExclusiveReceive(chans) => format!("xr {}", refs(chans)),
        StmtKind::ExclusiveSend(chans) => format!("xs {}", refs(chans)),
        StmtKind::SetPriority { pid, priority } => format!("set_priority({}, {})", expr(pid), expr(priority)),
    }
}

fn refs(list: &[VarRef]) -> String {
    list.iter().map(var_ref).collect::<Vec<_>>().join(", ")
}

fn receive(args: &[RecvArg]) -> String {
    let arg = |arg: &RecvArg| match &arg.kind {
        RecvArgKind::Ref(name) => var_ref(name),
        RecvArgKind::Const(value) => value.to_string(),
        RecvArgKind::Eval(value) => format!("eval({})", expr(value)),
    };
    args.iter().map(arg).collect::<Vec<_>>().join(", ")
}

fn var_ref(name: &VarRef) -> String {
    let mut text = name.name.name.to_string();
    if let Some(index) = &name.index {
        text += &format!("[{}]", expr(index));
    }
    if let Some(field) = &name.field {
        text += &format!(".{}", var_ref(field));
    }
    text
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn index(index: &Option<Box<Expr>>) -> String {
    index.as_ref().map_or(String::new(), |index| format!("[{}]", expr(index)))
}

pub fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Ref(name) => var_ref(name),
        ExprKind::Unary(op, a) => {
            format!("{}{}", op.sign(), expr(a))
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", expr(a), op.sign(), expr(b)),
        ExprKind::Cond(c, a, b) => format!("({} -> {} : {})", expr(c), expr(a), expr(b)),
        ExprKind::Run { name, args, priority } => {
            let priority =
                priority.as_ref().map_or(String::new(), |priority| format!(" priority {}", expr(priority)));
            format!("run {}({}){priority}", name.name, exprs(args))
        }
        ExprKind::ChanTest(test, chan) => format!("{test:?}({})", var_ref(chan)).to_lowercase(),
        ExprKind::Poll { chan, random, args } => {
            format!("{}{}[{}]", var_ref(chan), if *random { "??" } else { "?" }, receive(args))
        }
        ExprKind::Timeout => "timeout".into(),
        ExprKind::Np => "np_".into(),
        ExprKind::Enabled(a) => format!("enabled({})", expr(a)),
        ExprKind::PcValue(a) => format!("pc_value({})", expr(a)),
        ExprKind::GetPriority(a) => format!("get_priority({})", expr(a)),
        ExprKind::RemoteLabel { process, index: at, label } => {
            format!("{}{}@{}", process.name, index(at), label.name)
        }
        ExprKind::RemoteVar { process, index: at, var } => {
            format!("{}{}:{}", process.name, index(at), var_ref(var))
        }
    }
}

pub fn ltl(formula: &Ltl) -> String {
    let two = |a: &Ltl, sign: &str, b: &Ltl| format!("({} {sign} {})", ltl(a), ltl(b));
    match &formula.kind {
        LtlKind::Atom(value) => format!("`{}`", expr(value)),
        LtlKind::Not(a) => format!("!{}", ltl(a)),
        LtlKind::Always(a) => format!("[]{}", ltl(a)),
        LtlKind::Eventually(a) => format!("<>{}", ltl(a)),
        LtlKind::Next(a) => format!("X{}", ltl(a)),
        LtlKind::And(a, b) => two(a, "&&", b),
        LtlKind::Or(a, b) => two(a, "||", b),
        LtlKind::Implies(a, b) => two(a, "->", b),
        LtlKind::Equiv(a, b) => two(a, "<->", b),
        LtlKind::Until(a, b) => two(a, "U", b),
        LtlKind::WeakUntil(a, b) => two(a, "W", b),
        LtlKind::Release(a, b) => two(a, "V", b),
    }
}
