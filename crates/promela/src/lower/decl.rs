//! Declarations: types, array lengths, names.

use super::Lowering;
use crate::ast::{self, TypeName, Visibility};
use crate::resolve::{Type, Var};
use panoptes_model::{Display, Region, ScalarType, Variable};
use panoptes_source::Diagnostic;

/// What a declarator declares, apart from its name.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub ty: Type,
    pub array: Option<u32>,
    /// An array of bits: they take a byte each and keep its values, as in SPIN's verifier.
    pub wide_bits: bool,
}

impl Lowering<'_> {
    /// The shape of a variable or field. None, and its name is marked as broken, if that cannot be told.
    pub(super) fn shape(&mut self, ty: &TypeName, declarator: &ast::Declarator) -> Option<Shape> {
        let array = self.array_length(declarator);
        let found = match array {
            Some(None) => None,
            Some(array) => self.variable_type(ty, declarator, array),
            None => self.variable_type(ty, declarator, None),
        };
        let shape = found.map(|found| {
            let array = array.flatten();
            let wide_bits = array.is_some() && matches!(ty, TypeName::Bit | TypeName::Bool);
            Shape { ty: found, array, wide_bits }
        });
        if shape.is_none() {
            self.symbols.broken.insert(declarator.name.name.clone());
        }
        shape
    }

    /// The length of an array, `Some(None)` if it is wrong.
    fn array_length(&mut self, declarator: &ast::Declarator) -> Option<Option<u32>> {
        let length = declarator.array.as_ref()?;
        match self.constant(length, "an array length") {
            Some(elements @ 1..) => Some(Some(elements as u32)),
            Some(elements) => {
                let message = format!("an array cannot have {elements} elements");
                self.report(Diagnostic::error(length.span, message).help("it has at least one"));
                Some(None)
            }
            None => Some(None),
        }
    }

    fn variable_type(
        &mut self,
        ty: &TypeName,
        declarator: &ast::Declarator,
        array: Option<u32>,
    ) -> Option<Type> {
        let named = self.named_type(ty)?;
        let width = declarator.width.as_ref().map(|width| (width.span, self.constant(width, "a width")));
        match (ty, width) {
            (TypeName::Unsigned, Some((_, Some(bits @ 1..=31)))) => {
                Some(Type::Scalar(ScalarType::unsigned(bits as u8), Display::Int))
            }
            (TypeName::Unsigned, Some((span, bits))) => {
                if let Some(bits) = bits {
                    let message = format!("an unsigned variable cannot have {bits} bits");
                    self.report(Diagnostic::error(span, message).help("it has 1 to 31"));
                }
                None
            }
            (TypeName::Unsigned, None) => {
                let diagnostic = Diagnostic::error(declarator.span, "unsigned without a width")
                    .help(format!("write `unsigned {} : 4` for four bits", declarator.name.name));
                self.report(diagnostic);
                None
            }
            (_, Some((span, _))) => {
                let diagnostic = Diagnostic::error(span, "only unsigned variables have a width")
                    .help(format!("write `unsigned {} : …`", declarator.name.name));
                self.report(diagnostic);
                Some(named)
            }
            (TypeName::Bit | TypeName::Bool, None) if array.is_some() => match named {
                Type::Scalar(_, display) => Some(Type::Scalar(ScalarType::BYTE, display)),
                record => Some(record),
            },
            (_, None) => Some(named),
        }
    }

    pub(super) fn declare_globals(&mut self, decl: &ast::VarDecl) {
        for declarator in &decl.vars {
            let Some(Shape { ty, array, wide_bits }) = self.shape(&decl.ty, declarator) else { continue };
            if decl.visibility == Visibility::Hidden && matches!(ty, Type::Scalar(_, Display::Channel)) {
                self.report_hidden(declarator, "a channel cannot be hidden");
            }
            if !self.claim(ty, array, declarator.span) {
                self.symbols.broken.insert(declarator.name.name.clone());
                continue;
            }
            let offset = self.next_global_offset;
            self.next_global_offset += self.symbols.total_bytes(ty, array);
            let mut var = Var {
                name: declarator.name.name.clone(),
                ty,
                array,
                region: Region::Global,
                offset,
                span: declarator.name.span,
                wide_bits,
                message_fields: None,
                channel_numbers: Vec::new(),
            };
            self.check_new_name(&declarator.name);
            let mut variables = Vec::new();
            self.display_variables(&var.name, ty, array, offset, &mut variables);
            self.model.variables.extend(variables);
            let mut actions = Vec::new();
            self.initialise(&mut var, declarator.init.as_ref(), &mut actions);
            self.model.init.extend(actions);
            self.symbols.globals.insert(var.name.clone(), (self.item, var));
        }
    }

    /// Only a global variable can be left out of the comparison of states.
    pub(super) fn check_not_hidden(&mut self, decl: &ast::VarDecl, what: &str) {
        if let (Visibility::Hidden, Some(declarator)) = (decl.visibility, decl.vars.first()) {
            self.report_hidden(declarator, &format!("{what} cannot be hidden"));
        }
    }

    fn report_hidden(&mut self, declarator: &ast::Declarator, message: &str) {
        let diagnostic = Diagnostic::error(declarator.name.span, message)
            .help("`hidden` is for global variables that do not belong to the state");
        self.report(diagnostic);
    }

    /// Complains if a name that is still visible is declared again.
    pub(super) fn check_new_name(&mut self, ident: &ast::Ident) {
        if matches!(&*ident.name, "_" | "_pid" | "_nr_pr" | "_last" | "_priority") {
            self.error(ident.span, format!("`{}` is predefined", ident.name));
            return;
        }
        let local = self.scopes.find(&ident.name).map(|var| var.span);
        let global =
            self.symbols.globals.get(&ident.name).filter(|(item, _)| *item <= self.item).map(|(_, v)| v.span);
        let process = self.symbols.processes.get(&ident.name).map(|signature| signature.span);
        if let Some(other) = local.or(global).or(process) {
            let diagnostic = Diagnostic::error(ident.span, format!("`{}` is declared twice", ident.name))
                .label(other, "first declared here")
                .help("a name may not be used again where the first one is still visible");
            self.report(diagnostic);
        } else if self.symbols.constants.contains_key(&ident.name) {
            let diagnostic =
                Diagnostic::error(ident.span, format!("`{}` is already a symbolic constant", ident.name))
                    .help("an mtype declaration has this name: choose another");
            self.report(diagnostic);
        }
    }

    /// The named variables that a declaration shows to people: records are taken apart.
    pub(super) fn display_variables(
        &self,
        name: &str,
        ty: Type,
        array: Option<u32>,
        offset: u32,
        out: &mut Vec<Variable>,
    ) {
        match ty {
            Type::Scalar(scalar, display) => out.push(Variable {
                name: name.to_string(),
                offset,
                ty: scalar,
                display,
                count: array.unwrap_or(1),
                is_array: array.is_some(),
            }),
            Type::Record(index) => {
                let record = &self.symbols.records[index];
                for element in 0..array.unwrap_or(1) {
                    let base = offset + element * record.bytes;
                    for field in &record.fields {
                        let subscript = if array.is_some() { format!("[{element}]") } else { String::new() };
                        let name = format!("{name}{subscript}.{}", field.name);
                        self.display_variables(&name, field.ty, field.array, base + field.offset, out);
                    }
                }
            }
        }
    }
}
