//! Prints a model as Promela text: declarations and statements. Expressions are in the submodule.

mod expr;

use crate::ast::*;
use expr::{expr, formula, lvalue, recv_args};
use std::fmt::Write;

impl Model {
    /// The model as Promela text.
    pub fn to_promela(&self) -> String {
        let mut p = Printer::default();
        for m in &self.macros {
            let params =
                if m.params.is_empty() { String::new() } else { format!("({})", m.params.join(", ")) };
            p.line(&format!("#define {}{} ({})", m.name, params, expr(&m.body)));
        }
        for m in &self.mtypes {
            let sub = m.sub.as_ref().map(|s| format!(":{s}")).unwrap_or_default();
            p.line(&format!("mtype{sub} = {{ {} }};", m.names.join(", ")));
        }
        for r in &self.records {
            p.open(&format!("typedef {} {{", r.name));
            for (i, f) in r.fields.iter().enumerate() {
                let end = if i + 1 == r.fields.len() { "" } else { ";" };
                p.line(&format!("{}{end}", decl(f)));
            }
            p.close("};");
        }
        for g in &self.globals {
            p.global(g);
        }
        for i in &self.inlines {
            p.open(&format!("inline {}({}) {{", i.name, i.params.join(", ")));
            p.seq(&i.body);
            p.close("}");
        }
        for q in &self.procs {
            p.proc(q);
        }
        if let Some(t) = &self.trace {
            p.open(if t.negated { "notrace {" } else { "trace {" });
            p.seq(&t.body);
            p.close("}");
        }
        for c in &self.claims {
            match c {
                Claim::Never(body) => {
                    p.open("never {");
                    p.seq(body);
                    p.close("}");
                }
                Claim::Ltl { name, formula: f } => p.line(&format!("ltl {name} {{ {} }}", formula(f))),
            }
        }
        p.out
    }
}

#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    /// Appends to the line printed last.
    fn append(&mut self, text: &str) {
        self.out.pop();
        let _ = writeln!(self.out, "{text}");
    }

    fn global(&mut self, g: &VarDecl) {
        if let Some(cond) = &g.pp_if {
            self.out.push_str(&format!("#if {cond}\n{};\n#else\nint never_declared;\n#endif\n", decl(g)));
        } else {
            self.line(&format!("{};", decl(g)));
        }
    }

    fn proc(&mut self, q: &Proc) {
        let mut head = match q.active {
            Some(1) => "active ".to_string(),
            Some(n) => format!("active [{n}] "),
            None => String::new(),
        };
        head += match q.kind {
            ProcKind::Plain => "proctype ",
            ProcKind::Deterministic => "D_proctype ",
            ProcKind::Init => "init ",
        };
        if q.kind != ProcKind::Init {
            let params: Vec<String> = q.params.iter().map(|(t, n)| typed(t, n)).collect();
            head += &format!("{}({}) ", q.name, params.join("; "));
        }
        if let Some(n) = q.priority {
            head += &format!("priority {n} ");
        }
        if let Some(e) = &q.provided {
            head += &format!("provided ({}) ", expr(e));
        }
        self.open(&(head + "{"));
        self.seq(&q.body);
        self.close("}");
    }

    /// The statements of a sequence, one under the other; `skip` for an empty one.
    fn seq(&mut self, body: &[Stmt]) {
        self.seq_with(body, ";");
    }

    fn seq_with(&mut self, body: &[Stmt], first_end: &str) {
        if !body.iter().any(|s| !matches!(s, Stmt::Decl(_) | Stmt::Exclusive(..))) {
            body.iter().for_each(|s| {
                self.stmt(s);
                self.append(";");
            });
            return self.line("skip");
        }
        for (i, s) in body.iter().enumerate() {
            self.stmt(s);
            if i + 1 < body.len() {
                self.append_end(if i == 0 && is_guard(s) { first_end } else { ";" });
            }
        }
    }

    fn append_end(&mut self, end: &str) {
        self.append(if end == ";" { ";" } else { " ->" });
    }

    fn options(&mut self, word: &str, options: &[Vec<Stmt>], end: &str) {
        self.line(word);
        for o in options {
            self.indent += 1;
            let at = self.out.len();
            self.seq_with(o, "->");
            // The first line of an option begins with the double colon.
            let column = at + (self.indent - 1) * 2;
            self.out.replace_range(column..column + 2, "::");
            self.out.insert(column + 2, ' ');
            self.indent -= 1;
        }
        self.line(end);
    }

    fn block(&mut self, head: &str, body: &[Stmt]) {
        self.open(head);
        self.seq(body);
        self.close("}");
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Expr(e) => self.line(&expr(e)),
            Stmt::Else => self.line("else"),
            Stmt::Skip => self.line("skip"),
            Stmt::Break => self.line("break"),
            Stmt::Goto(l) => self.line(&format!("goto {l}")),
            Stmt::Assign(v, e) => self.line(&format!("{} = {}", lvalue(v), expr(e))),
            Stmt::Inc(v) => self.line(&format!("{}++", lvalue(v))),
            Stmt::Dec(v) => self.line(&format!("{}--", lvalue(v))),
            Stmt::Send { chan, sorted, header, args } => {
                let op = if *sorted { "!!" } else { "!" };
                let args: Vec<String> = args.iter().map(expr).collect();
                self.line(&format!("{}{op}{}", lvalue(chan), header_form(&args, *header)));
            }
            Stmt::Recv { chan, random, peek, header, args } => {
                let op = if *random { "??" } else { "?" };
                let args = header_form(&recv_args(args), *header);
                let args = if *peek { format!("<{args}>") } else { args };
                self.line(&format!("{}{op}{args}", lvalue(chan)));
            }
            Stmt::Printf(text, args) => {
                let args: String = args.iter().map(|a| format!(", {}", expr(a))).collect();
                self.line(&format!("printf(\"{text}\"{args})"));
            }
            Stmt::Assert(e) => self.line(&format!("assert({})", expr(e))),
            Stmt::SetPriority(p, v) => self.line(&format!("set_priority({}, {})", expr(p), expr(v))),
            Stmt::Exclusive(word, q) => self.line(&format!("{word} {q}")),
            Stmt::Decl(d) => self.line(&decl(d)),
            Stmt::If(options) => self.options("if", options, "fi"),
            Stmt::Do(options) => self.options("do", options, "od"),
            Stmt::Atomic(body) => self.block("atomic {", body),
            Stmt::DStep(body) => self.block("d_step {", body),
            Stmt::Block(body) => self.block("{", body),
            Stmt::Unless(main, escape) => {
                self.stmt(main);
                self.append(" unless");
                self.stmt(escape);
            }
            Stmt::ForRange { var, from, to, body } => {
                self.block(&format!("for ({} : {} .. {}) {{", lvalue(var), expr(from), expr(to)), body)
            }
            Stmt::ForIn { var, over, body } => {
                self.block(&format!("for ({} in {}) {{", lvalue(var), lvalue(over)), body)
            }
            Stmt::Select { var, from, to } => {
                self.line(&format!("select ({} : {} .. {})", lvalue(var), expr(from), expr(to)))
            }
            Stmt::InlineCall(name, args) => {
                let args: Vec<String> = args.iter().map(expr).collect();
                self.line(&format!("{name}({})", args.join(", ")));
            }
            Stmt::Label(l, s) => {
                self.line(&format!("{l}:"));
                self.stmt(s);
            }
        }
    }
}

fn is_guard(s: &Stmt) -> bool {
    matches!(s, Stmt::Expr(_) | Stmt::Else | Stmt::Recv { .. } | Stmt::Send { .. })
}

fn header_form(args: &[String], header: bool) -> String {
    if header && args.len() > 1 { format!("{}({})", args[0], args[1..].join(", ")) } else { args.join(", ") }
}

/// A type and the name it declares: `unsigned x : 3` puts the width after the name.
fn typed(ty: &Ty, name: &str) -> String {
    match ty {
        Ty::Unsigned(bits) => format!("unsigned {name} : {bits}"),
        other => format!("{} {name}", ty_name(other)),
    }
}

fn ty_name(ty: &Ty) -> String {
    match ty {
        Ty::Bit => "bit".into(),
        Ty::Bool => "bool".into(),
        Ty::Byte => "byte".into(),
        Ty::Pid => "pid".into(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(_) => "unsigned".into(),
        Ty::Mtype(None) => "mtype".into(),
        Ty::Mtype(Some(sub)) => format!("mtype:{sub}"),
        Ty::Record(name) => name.clone(),
        Ty::Chan => "chan".into(),
    }
}

fn decl(d: &VarDecl) -> String {
    let vis = match d.vis {
        Vis::Plain => "",
        Vis::Hidden => "hidden ",
        Vis::Local => "local ",
        Vis::Show => "show ",
    };
    let size = d.size.map(|n| format!("[{n}]")).unwrap_or_default();
    let init = match &d.init {
        None => String::new(),
        Some(Init::Expr(e)) => format!(" = {}", expr(e)),
        Some(Init::List(items)) => {
            format!(" = {{ {} }}", items.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        Some(Init::Chan { capacity, fields }) => {
            format!(" = [{capacity}] of {{ {} }}", fields.iter().map(ty_name).collect::<Vec<_>>().join(", "))
        }
    };
    match d.ty {
        Ty::Unsigned(bits) => format!("{vis}unsigned {}{size} : {bits}{init}", d.name),
        _ => format!("{vis}{} {}{size}{init}", ty_name(&d.ty), d.name),
    }
}
