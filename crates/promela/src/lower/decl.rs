//! Declarations: types, array lengths, initial values, channels.

use super::Lowering;
use crate::ast::{self, Init, TypeName};
use crate::resolve::{Type, Var};
use panoptes_model::{Action, Channel, Display, Expr, Place, Region, ScalarType, Variable};
use panoptes_source::{Diagnostic, Span};

/// No state vector can hold more.
const ARRAY_MAX: i32 = 1 << 20;

/// One scalar cell of a variable: where it is and what it is initialised with.
struct Cell {
    offset: u32,
    name: String,
}

impl Lowering<'_> {
    pub(super) fn array_length(&mut self, declarator: &ast::Declarator) -> Option<u32> {
        let length = declarator.array.as_ref()?;
        match self.constant(length, "an array length") {
            Some(length) if (1..=ARRAY_MAX).contains(&length) => Some(length as u32),
            Some(length) => {
                self.error(declarator.span, format!("an array cannot have {length} elements"));
                Some(1)
            }
            None => Some(1),
        }
    }

    /// The type of a declared variable. Bits in arrays take a byte each and keep its values, as in SPIN's verifier.
    pub(super) fn variable_type(
        &mut self,
        ty: &TypeName,
        declarator: &ast::Declarator,
        array: Option<u32>,
    ) -> Option<Type> {
        let named = self.named_type(ty)?;
        let width = declarator.width.as_ref().map(|width| (width.span, self.constant(width, "a width")));
        match (ty, width) {
            (TypeName::Unsigned, Some((_, Some(bits @ 1..=32)))) => {
                Some(Type::Scalar(ScalarType::unsigned(bits as u8), Display::Int))
            }
            (TypeName::Unsigned, Some((span, bits))) => {
                if let Some(bits) = bits {
                    self.error(span, format!("an unsigned variable cannot have {bits} bits (1 to 32)"));
                }
                Some(Type::Scalar(ScalarType::unsigned(8), Display::Int))
            }
            (TypeName::Unsigned, None) => {
                let diagnostic = Diagnostic::error(declarator.span, "unsigned without a width")
                    .help(format!("write `unsigned {} : 4` for four bits", declarator.name.name));
                self.report(diagnostic);
                None
            }
            (_, Some((span, _))) => {
                self.error(span, "only unsigned variables have a width");
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
            let array = self.array_length(declarator);
            let Some(ty) = self.variable_type(&decl.ty, declarator, array) else { continue };
            let offset = self.next_global_offset;
            self.next_global_offset += self.symbols.total_bytes(ty, array);
            let mut var = Var {
                name: declarator.name.name.clone(),
                ty,
                array,
                region: Region::Global,
                offset,
                span: declarator.name.span,
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

    /// Complains if a name that is still visible is declared again.
    pub(super) fn check_new_name(&mut self, ident: &ast::Ident) {
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
            self.error(ident.span, format!("`{}` is already a symbolic constant", ident.name));
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

    /// Initial values of a variable: its own initialiser, or those of its record's fields.
    pub(super) fn initialise(&mut self, var: &mut Var, init: Option<&Init>, actions: &mut Vec<Action>) {
        let (region, offset, array, ty) = (var.region, var.offset, var.array, var.ty);
        let name = var.name.to_string();
        let declared = self.initialise_cells(region, offset, array, ty, &name, var.span, init, actions);
        var.message_fields = declared.message_fields;
        var.channel_numbers = declared.channel_numbers;
    }

    #[expect(clippy::too_many_arguments, reason = "a cell is all of these; they go down the record together")]
    fn initialise_cells(
        &mut self,
        region: Region,
        offset: u32,
        array: Option<u32>,
        ty: Type,
        name: &str,
        span: Span,
        init: Option<&Init>,
        actions: &mut Vec<Action>,
    ) -> Declared {
        let mut declared = Declared::default();
        let size = self.symbols.type_bytes(ty);
        let cell = |element: u32| Cell {
            offset: offset + element * size,
            name: if array.is_some() { format!("{name}[{element}]") } else { name.to_string() },
        };
        let count = array.unwrap_or(1);
        let (scalar, display) = match ty {
            Type::Record(index) => {
                if init.is_some() {
                    let message = format!(
                        "a record cannot be initialised as a whole: the value for `{name}` is ignored"
                    );
                    self.report(Diagnostic::warning(span, message));
                }
                for element in 0..count {
                    let cell = cell(element);
                    for field in self.symbols.records[index].fields.clone() {
                        let field_name = format!("{}.{}", cell.name, field.name);
                        let at = cell.offset + field.offset;
                        let init = field.init.as_ref();
                        let inner = self.initialise_cells(
                            region,
                            at,
                            field.array,
                            field.ty,
                            &field_name,
                            span,
                            init,
                            actions,
                        );
                        declared.channel_numbers.extend(inner.channel_numbers);
                    }
                }
                return declared;
            }
            Type::Scalar(scalar, display) => (scalar, display),
        };
        let mut assign = |cell: Cell, value: Expr| {
            let place =
                Place { region, offset: cell.offset, ty: scalar, indices: Vec::new(), name: cell.name };
            actions.push(Action::Assign { place, value });
        };
        match init {
            None => {}
            Some(Init::Expr(value)) => {
                let value = self.value(value);
                for element in 0..count {
                    assign(cell(element), value.clone());
                }
            }
            Some(Init::List(values)) => {
                if array.is_none() {
                    self.error(span, format!("`{name}` is not an array: it takes one initial value"));
                } else if values.len() > count as usize {
                    self.error(span, format!("{} initial values for {count} elements", values.len()));
                }
                for (element, value) in (0..count).zip(values) {
                    let value = self.value(value);
                    assign(cell(element), value);
                }
            }
            Some(Init::Channel(_)) if display != Display::Channel => {
                self.error(span, format!("`{name}` is not a chan"));
            }
            Some(Init::Channel(chan)) => {
                let Some(shape) = self.channel_shape(chan, name) else { return declared };
                declared.message_fields = Some(shape.fields.len());
                for element in 0..count {
                    let cell = cell(element);
                    let shape = Channel { name: cell.name.clone(), ..shape.clone() };
                    let number = self.add_channel(shape);
                    declared.channel_numbers.push(number as u8);
                    let value = match region {
                        Region::Global => Expr::Const(number),
                        // The number depends on the channels that live when the process starts; see `Body`.
                        Region::Local => super::process::own_channel(number),
                    };
                    assign(cell, value);
                }
            }
        }
        declared
    }

    fn channel_shape(&mut self, chan: &ast::ChanInit, name: &str) -> Option<Channel> {
        let capacity = self.constant(&chan.capacity, "a channel's capacity")?;
        let Ok(capacity) = u8::try_from(capacity) else {
            self.error(chan.capacity.span, format!("a channel's capacity is 0 to 255, not {capacity}"));
            return None;
        };
        let mut components = Vec::new();
        for field in &chan.fields {
            let ty = self.named_type(&field.ty)?;
            components.extend(self.symbols.components(ty));
        }
        // SPIN gives the only field of a message a byte even if it is a bit, and so keeps more than a bit in it.
        if let [(only @ ScalarType::BIT, _)] = &mut components[..] {
            *only = ScalarType::BYTE;
        }
        let (fields, displays): (Vec<ScalarType>, Vec<Display>) = components.into_iter().unzip();
        Some(Channel { name: name.to_string(), capacity, fields, displays, offset: 0, span: chan.span })
    }

    /// Adds a channel to the model or to the current process. Global channels are numbered from one, local ones from
    /// zero within their process.
    fn add_channel(&mut self, channel: Channel) -> i32 {
        match &mut self.current {
            Some(body) => {
                body.channels.push(channel);
                body.channels.len() as i32 - 1
            }
            None => {
                self.model.channels.push(channel);
                self.model.channels.len() as i32
            }
        }
    }
}

/// What an initialiser tells about a variable.
#[derive(Default)]
struct Declared {
    message_fields: Option<usize>,
    channel_numbers: Vec<u8>,
}
