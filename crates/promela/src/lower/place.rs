//! References: the place in the vector that `name[index].field` stands for.

use super::Lowering;
use crate::ast::VarRef;
use crate::resolve::{Type, Var};
use panoptes_model::{Display, Expr, IndexTerm, Place, ScalarType};
use panoptes_source::{Diagnostic, did_you_mean};

/// Words of other languages that people write for values.
fn foreign_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "NULL" | "null" | "nil" | "None" => {
            "Promela has no pointers: numbers, `mtype` names and channels are its values"
        }
        "and" => "write `&&`",
        "or" => "write `||`",
        "not" => "write `!`",
        _ => return None,
    })
}

/// What a variable reference leads to.
pub(super) enum Target {
    Scalar(Place, Display),
    /// A whole record.
    Record(Place, usize),
    /// An array without its index: its name with what leads to it, and its length.
    Array(String, u32),
}

impl Lowering<'_> {
    /// The variable a name stands for here.
    pub(super) fn find_var(&self, name: &str) -> Option<&Var> {
        self.scopes.find(name).or_else(|| {
            self.symbols.globals.get(name).filter(|(item, _)| *item <= self.item).map(|(_, var)| var)
        })
    }

    /// The place a reference names; reports what is wrong with it.
    pub(super) fn target(&mut self, var: &VarRef) -> Option<Target> {
        let Some(found) = self.find_var(&var.name.name).cloned() else {
            self.report_unknown(var);
            return None;
        };
        let start = Place {
            region: found.region,
            offset: found.offset,
            ty: ScalarType::BYTE,
            indices: Vec::new(),
            name: found.name.to_string(),
        };
        self.follow(var, start, found.ty, found.array)
    }

    /// No variable has this name: says what else has.
    fn report_unknown(&mut self, var: &VarRef) {
        let name = &var.name.name;
        if self.symbols.broken.contains(name) {
            // Its declaration was reported.
            return;
        }
        if &**name == "_" {
            return self.report_unreadable(var);
        }
        let diagnostic = Diagnostic::error(var.name.span, format!("undeclared variable `{name}`"));
        let diagnostic = if let Some((_, later)) = self.symbols.globals.get(name) {
            diagnostic
                .label(later.span, "it is declared only here, further down")
                .help("a variable can be used only after its declaration")
        } else if let Some(process) = self.symbols.processes.get(name) {
            diagnostic.label(process.span, format!("`{name}` is a process type, not a variable"))
        } else if self.symbols.record_names.contains_key(name) {
            diagnostic.help(format!("`{name}` is a type: declare a variable of it"))
        } else {
            let help = diagnostic.fits(&self.diagnostics).then(|| self.meant_variable(name)).flatten();
            diagnostic.help_if(help)
        };
        self.report(diagnostic.code("unknown-name"));
    }

    /// What an unknown name in an expression may stand for: a variable, a message name, or a word with a meaning.
    fn meant_variable(&self, name: &str) -> Option<String> {
        const WORDS: [&str; 7] = ["true", "false", "skip", "break", "timeout", "else", "_pid"];
        if let Some(meaning) = foreign_word(name) {
            return Some(meaning.to_string());
        }
        if let Some(process) = self.holder(name) {
            return Some(format!("it is a variable of the process `{process}`: write `{process}:{name}`"));
        }
        let globals = self.symbols.globals.iter().filter(|(_, (item, _))| *item <= self.item);
        let globals = globals.map(|(name, _)| &**name);
        let constants = self.symbols.constants.keys().map(|name| &**name);
        did_you_mean(name, self.scopes.names().chain(globals).chain(constants).chain(WORDS))
    }

    /// Outside of all processes: the process type that has a variable of this name.
    fn holder(&self, name: &str) -> Option<&str> {
        if self.current.is_some() {
            return None;
        }
        let holders = self.symbols.anatomy.iter().filter(|(_, anatomy)| anatomy.locals.contains_key(name));
        holders.map(|(process, _)| &**process).min()
    }

    pub(super) fn report_unreadable(&mut self, var: &VarRef) {
        let diagnostic = Diagnostic::error(var.span, "`_` can be written but not read")
            .help("what is stored there is gone: use a variable of your own");
        self.report(diagnostic);
    }

    /// Applies the index and field of `var` to a place of the given type.
    pub(super) fn follow(
        &mut self,
        var: &VarRef,
        mut place: Place,
        ty: Type,
        array: Option<u32>,
    ) -> Option<Target> {
        let size = self.symbols.type_bytes(ty);
        match (&var.index, array) {
            (Some(index), Some(len)) => {
                let value = self.condition(index);
                match value {
                    Expr::Const(constant) if constant >= 0 && (constant as u32) < len => {
                        place.offset += constant as u32 * size;
                        place.name = format!("{}[{constant}]", place.name);
                    }
                    index => {
                        self.check_index(&index, &place.name, len, var);
                        place.name.push_str("[]");
                        place.indices.push(IndexTerm { index, len, stride: size });
                    }
                }
            }
            (None, None) => {}
            (Some(index), None) => {
                // SPIN lets `x[0]` pass for `x`.
                let value = self.condition(index);
                if !matches!(value, Expr::Const(0)) {
                    let diagnostic =
                        Diagnostic::error(var.span, format!("`{}` is not an array", var.name.name))
                            .help(format!("write `{}` without an index", var.name.name));
                    self.report(diagnostic);
                }
            }
            (None, Some(len)) if var.field.is_some() => {
                self.report_missing_index(var, &place.name, len);
                return None;
            }
            (None, Some(len)) => return Some(Target::Array(place.name, len)),
        }
        match (&var.field, ty) {
            (None, Type::Scalar(scalar, display)) => {
                Some(Target::Scalar(Place { ty: scalar, ..place }, display))
            }
            (None, Type::Record(index)) => Some(Target::Record(place, index)),
            (Some(field), Type::Scalar(..)) => {
                let message = format!("`{}` is not a record", var.name.name);
                let help = format!("it is a single value and has no field `{}`", field.name.name);
                self.report(Diagnostic::error(field.span, message).help(help));
                None
            }
            (Some(field), Type::Record(index)) => {
                let record = &self.symbols.records[index];
                let Some(found) = record.fields.iter().find(|f| f.name == field.name.name).cloned() else {
                    let names: Vec<&str> = record.fields.iter().map(|f| &*f.name).collect();
                    let help = did_you_mean(&field.name.name, names.iter().copied())
                        .unwrap_or_else(|| format!("`{}` has the fields {}", record.name, names.join(", ")));
                    let message = format!("`{}` has no field `{}`", var.name.name, field.name.name);
                    self.report(Diagnostic::error(field.name.span, message).help(help).code("unknown-name"));
                    return None;
                };
                place.offset += found.offset;
                place.name = format!("{}.{}", place.name, found.name);
                self.follow(field, place, found.ty, found.array)
            }
        }
    }

    pub(super) fn report_missing_index(&mut self, var: &VarRef, name: &str, len: u32) {
        let diagnostic = Diagnostic::error(var.span, format!("missing array index for `{name}`"))
            .help(format!("its elements are `{name}[0]` to `{name}[{}]`", len - 1));
        self.report(diagnostic);
    }

    /// A record or array stands where one value is needed.
    pub(super) fn report_not_single(&mut self, var: &VarRef, target: &Target) {
        match target {
            Target::Record(_, index) => {
                let record = &self.symbols.records[*index];
                let field = record.fields.first().map_or_else(String::new, |field| field.name.to_string());
                let text = self.sources.snippet(var.span);
                let message = format!("`{text}` is a whole record, not a single value");
                let help = format!("name one of its fields, such as `{text}.{field}`");
                self.report(Diagnostic::error(var.span, message).help(help));
            }
            Target::Array(name, len) => self.report_missing_index(var, name, *len),
            Target::Scalar(..) => {}
        }
    }

    /// The length of the array that a reference without its last index names.
    pub(super) fn array_length_of(&self, over: &VarRef) -> Option<u32> {
        let var = self.find_var(&over.name.name)?;
        let (mut ty, mut array, mut reference) = (var.ty, var.array, over);
        while let Some(field) = &reference.field {
            let Type::Record(index) = ty else { return None };
            let found = self.symbols.records[index].fields.iter().find(|f| f.name == field.name.name)?;
            (ty, array, reference) = (found.ty, found.array, field);
        }
        if reference.index.is_some() { None } else { array }
    }

    /// The scalar parts of a value at `place`, in message order.
    pub(super) fn parts(&self, place: Place, ty: Type, out: &mut Vec<Place>) {
        match ty {
            Type::Scalar(scalar, _) => out.push(Place { ty: scalar, ..place }),
            Type::Record(index) => {
                for field in &self.symbols.records[index].fields {
                    let size = self.symbols.type_bytes(field.ty);
                    for element in 0..field.array.unwrap_or(1) {
                        let offset = place.offset + field.offset + element * size;
                        let name = format!("{}.{}", place.name, field.name);
                        self.parts(Place { offset, name, ..place.clone() }, field.ty, out);
                    }
                }
            }
        }
    }

    /// A place that can be assigned to, and what it holds.
    pub(super) fn assignable(&mut self, var: &VarRef) -> Option<(Place, Display)> {
        if self.find_var(&var.name.name).is_none() {
            let name = &*var.name.name;
            if self.symbols.constants.contains_key(name) {
                let diagnostic = Diagnostic::error(var.span, format!("`{name}` is a constant"))
                    .help("an mtype name stands for its number and never changes");
                self.report(diagnostic);
                return None;
            }
            if matches!(name, "_pid" | "_nr_pr" | "_last") {
                let diagnostic = Diagnostic::error(var.span, format!("`{name}` cannot be assigned to"))
                    .help("it is set by the system");
                self.report(diagnostic);
                return None;
            }
        }
        match self.target(var)? {
            Target::Scalar(place, display) => Some((place, display)),
            target => {
                self.report_not_single(var, &target);
                None
            }
        }
    }

    /// A place to count in: a number, not a channel. (SPIN does not mind a field of a record that is one.)
    pub(super) fn countable(&mut self, var: &VarRef) -> Option<Place> {
        let (place, display) = self.assignable(var)?;
        if display == Display::Channel && var.field.is_none() {
            let message = format!("`{}` is a channel, not a number", self.sources.snippet(var.span));
            let help = "a channel variable can be given another channel; there is no arithmetic on it";
            self.report(Diagnostic::error(var.span, message).help(help));
        }
        Some(place)
    }

    /// The number of the channel that a reference names.
    pub(super) fn channel(&mut self, var: &VarRef) -> Expr {
        let name = &var.name.name;
        if self.find_var(name).is_none() && self.symbols.constants.contains_key(name) {
            self.report_no_channel(var);
            return Expr::Const(0);
        }
        match self.target(var) {
            Some(Target::Scalar(place, Display::Channel)) => return Expr::load(place),
            Some(Target::Scalar(..) | Target::Record(..)) => self.report_no_channel(var),
            Some(Target::Array(name, len)) => self.report_missing_index(var, &name, len),
            None => {}
        }
        Expr::Const(0)
    }

    fn report_no_channel(&mut self, var: &VarRef) {
        let message = format!("`{}` is not a channel", self.sources.snippet(var.span));
        let help = "only a variable of type `chan` can be sent to, received from or asked how full it is";
        self.report(Diagnostic::error(var.span, message).help(help));
    }
}
