//! Names: channels, processes and procedures, and who calls whom.

use crate::ast::{ChannelDecl, Ident, Module, Name, Stmt, StmtKind};
use panoptes_source::{Diagnostic, Span, Warning, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values are kept modulo this, as C computes it: what is left of a negative number is negative.
pub(crate) const VALUES: i32 = 1 << 15;

/// A channel's number is one byte.
const CHANNELS_MAX: usize = 255;
const SIZE_MAX: i32 = 10_000;

/// Bounds the recursion of everything that follows calls.
const PROCS_MAX: usize = 1_000;

/// Everything there is to say, each thing once: the body of a procedure is looked at once for each call.
#[derive(Default)]
pub(crate) struct Reporter {
    pub diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(Span, String)>,
}

impl Reporter {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let place = Span { expansion: None, ..diagnostic.span };
        if diagnostic.fits(&self.diagnostics) && self.reported.insert((place, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

pub(crate) struct Symbols<'a> {
    pub module: &'a Module,
    pub channels: Vec<Channel<'a>>,
    channel_numbers: FxHashMap<&'a str, usize>,
    proc_numbers: FxHashMap<&'a str, usize>,
    /// By number of the proc: some statement calls it, or it says that it is a procedure.
    pub is_procedure: Vec<bool>,
}

pub(crate) struct Channel<'a> {
    pub decl: &'a ChannelDecl,
    pub size: u16,
    /// The process inside which it is declared: the one that reads it.
    pub owner: Option<usize>,
    /// The messages that are there from the start.
    pub contents: Vec<(&'a Ident, Option<i32>)>,
}

impl<'a> Symbols<'a> {
    pub fn of(module: &'a Module, reporter: &mut Reporter) -> Symbols<'a> {
        let mut symbols = Symbols {
            module,
            channels: Vec::new(),
            channel_numbers: FxHashMap::default(),
            proc_numbers: FxHashMap::default(),
            is_procedure: module.procs.iter().map(|proc| proc.is_procedure).collect(),
        };
        if let Some(proc) = module.procs.get(PROCS_MAX) {
            let message = format!("more than {PROCS_MAX} processes and procedures");
            reporter.report(Diagnostic::error(proc.name.span, message));
            return symbols;
        }
        for (number, proc) in module.procs.iter().enumerate() {
            let name = &proc.name;
            match symbols.proc_numbers.get(&*name.name) {
                Some(first) => {
                    let message = format!("there are two processes or procedures called `{}`", name.name);
                    let first = module.procs[*first].name.span;
                    reporter.report(Diagnostic::error(name.span, message).label(first, "the first is here"));
                }
                None => {
                    symbols.proc_numbers.insert(&name.name, number);
                }
            }
        }
        module.channels.iter().for_each(|decl| symbols.declare(decl, None, reporter));
        for (number, proc) in module.procs.iter().enumerate() {
            proc.channels.iter().for_each(|decl| symbols.declare(decl, Some(number), reporter));
        }
        symbols.find_calls(reporter);
        for (channel, owner) in symbols.channels.iter().filter_map(|channel| Some((channel, channel.owner?)))
        {
            if symbols.is_procedure[owner] {
                let name = &channel.decl.name;
                let proc = &module.procs[owner].name;
                let message = format!("procedure `{}` cannot declare the channel `{}`", proc.name, name.name);
                let wrong = Diagnostic::error(name.span, message);
                reporter.report(wrong.help("declare it in the process that reads it, or outside"));
            }
        }
        symbols
    }

    fn declare(&mut self, decl: &'a ChannelDecl, owner: Option<usize>, reporter: &mut Reporter) {
        let name = &decl.name;
        if let Some(first) = self.channel_numbers.get(&*name.name) {
            let message = format!("there are two channels called `{}`", name.name);
            let first = self.channels[*first].decl.name.span;
            return reporter.report(Diagnostic::error(name.span, message).label(first, "the first is here"));
        }
        if self.channels.len() == CHANNELS_MAX {
            return reporter.report(Diagnostic::error(name.span, "more than 255 channels"));
        }
        let size = match decl.size.constant() {
            Some(size @ 1..=SIZE_MAX) => size as u16,
            Some(0) => {
                let message = format!("channel `{}` has no room for a message", name.name);
                let wrong = Diagnostic::error(decl.size.span, message);
                reporter.report(wrong.help("messages are always stored: the smallest channel has size 1"));
                1
            }
            Some(size) => {
                let message = format!("channel `{}` cannot have size {size}", name.name);
                let wrong = Diagnostic::error(decl.size.span, message);
                reporter.report(wrong.help(format!("a size is between 1 and {SIZE_MAX}")));
                1
            }
            None => {
                let wrong = Diagnostic::error(decl.size.span, "the size of a channel must be a constant");
                reporter.report(wrong);
                1
            }
        };
        if decl.contents.len() > usize::from(size) {
            let message = format!(
                "channel `{}` has room for {size} message{}, not for {}",
                name.name,
                if size == 1 { "" } else { "s" },
                decl.contents.len()
            );
            let wrong = Diagnostic::error(decl.contents[usize::from(size)].message.span, message);
            reporter.report(wrong.label(name.span, "declared here"));
        }
        let contents = decl.contents.iter().map(|content| {
            let value = content.value.as_ref().map(|value| constant(value, reporter));
            (&content.message, value)
        });
        let contents = contents.collect();
        self.channel_numbers.insert(&name.name, self.channels.len());
        self.channels.push(Channel { decl, size, owner, contents });
    }

    /// Finds out which procs are procedures, and refuses unknown ones and recursion.
    fn find_calls(&mut self, reporter: &mut Reporter) {
        let mut calls: Vec<Vec<(usize, &'a Ident)>> = Vec::new();
        let bodies = self.module.procs.iter().map(|proc| &proc.body);
        for body in bodies.chain(self.module.assertions.iter().map(|assertion| &assertion.body)) {
            let mut found = Vec::new();
            called(body, &mut found);
            let mut known = Vec::new();
            for name in found {
                match self.proc_numbers.get(&*name.name) {
                    Some(number) => known.push((*number, name)),
                    None => {
                        let message = format!("there is no procedure `{}`", name.name);
                        let wrong = Diagnostic::error(name.span, message);
                        reporter.report(wrong.help(format!("declare it: `proc {}() {{ … }}`", name.name)));
                    }
                }
            }
            known.iter().for_each(|(number, _)| self.is_procedure[*number] = true);
            calls.push(known);
        }
        let mut marks = vec![Mark::New; self.module.procs.len()];
        for start in 0..marks.len() {
            self.find_cycle(start, &calls, &mut marks, &mut Vec::new(), reporter);
        }
    }

    fn find_cycle(
        &self,
        at: usize,
        calls: &[Vec<(usize, &'a Ident)>],
        marks: &mut [Mark],
        path: &mut Vec<(usize, &'a Ident)>,
        reporter: &mut Reporter,
    ) {
        if marks[at] != Mark::New {
            return;
        }
        marks[at] = Mark::Open;
        for (callee, name) in &calls[at] {
            path.push((at, name));
            if marks[*callee] == Mark::Open {
                let first = path.iter().position(|(caller, _)| caller == callee).unwrap_or(0);
                reporter.report(self.recursion(&path[first..]));
            }
            self.find_cycle(*callee, calls, marks, path, reporter);
            path.pop();
        }
        marks[at] = Mark::Done;
    }

    /// The cycle, as a chain of calls.
    fn recursion(&self, cycle: &[(usize, &Ident)]) -> Diagnostic {
        let name = |number: usize| format!("`{}`", self.module.procs[number].name.name);
        let mut chain: Vec<String> = cycle.iter().map(|(caller, _)| name(*caller)).collect();
        chain.push(chain[0].clone());
        let (first, call) = cycle[0];
        let message = match cycle.len() {
            1 => format!("procedure {} calls itself", name(first)),
            _ => format!("procedures call each other in a circle: {}", chain.join(" calls ")),
        };
        let wrong = Diagnostic::error(call.span, message)
            .help("a call is replaced by the body of the procedure, so there is no recursion: use a loop");
        let more = cycle.iter().enumerate().skip(1);
        more.fold(wrong, |wrong, (at, (caller, call))| {
            wrong.label(call.span, format!("{} calls {} here", name(*caller), chain[at + 1]))
        })
    }

    pub fn channel(&self, name: &Ident, reporter: &mut Reporter) -> Option<usize> {
        let found = self.channel_numbers.get(&*name.name).copied();
        if found.is_none() {
            let wrong = Diagnostic::error(name.span, format!("there is no channel `{}`", name.name));
            let meant = did_you_mean(&name.name, self.channel_numbers.keys().copied());
            let declare =
                format!("declare it: `channel {}[1];`, or `queue` in the process that reads it", name.name);
            reporter.report(wrong.help(meant.unwrap_or(declare)).code("unknown-name"));
        }
        found
    }

    pub fn proc(&self, name: &Name) -> Option<usize> {
        self.proc_numbers.get(&**name).copied()
    }

    /// The numbers of the procs that run by themselves.
    pub fn processes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.is_procedure.len()).filter(|number| !self.is_procedure[*number])
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

fn called<'a>(stmts: &'a [Stmt], found: &mut Vec<&'a Ident>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Call(name) => found.push(name),
            StmtKind::If(choices) | StmtKind::Do(choices) => {
                choices.iter().for_each(|choice| called(&choice.body, found));
            }
            _ => {}
        }
    }
}

/// The value of an expression that must be a constant, as variables keep it.
pub(crate) fn constant(expr: &crate::ast::Expr, reporter: &mut Reporter) -> i32 {
    match expr.constant() {
        Some(value) => {
            warn_of_range(value, expr.span, reporter);
            value % VALUES
        }
        None => {
            reporter.report(Diagnostic::error(expr.span, "an initial value must be a constant"));
            0
        }
    }
}

/// A constant that is not what it looks like once it is stored.
pub(crate) fn warn_of_range(value: i32, span: Span, reporter: &mut Reporter) {
    let kept = value % VALUES;
    if kept != value {
        let message = format!("{value} is kept as {kept}: values are modulo {VALUES}");
        reporter.report(Diagnostic::warning(Warning::ValueTooLarge, span, message));
    }
}
