//! Initial values, and the channels that declarations make.

use super::Lowering;
use super::size::MESSAGE_FIELDS_MAX;
use crate::ast::{self, Init};
use crate::resolve::{Type, Var};
use panoptes_model::{Action, Channel, Display, Expr, Place, Region, ScalarType};
use panoptes_source::{Diagnostic, Span, Warning};

/// One scalar cell of a variable: where it is and what it is initialised with.
struct Cell {
    offset: u32,
    name: String,
}

impl Lowering<'_> {
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
                    let help = "give initial values to the fields in the typedef, or assign to them";
                    self.report(Diagnostic::warning(Warning::RecordInitialiser, span, message).help(help));
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
            Some(Init::Expr(init)) => {
                let value = self.initial_value(init);
                if display != Display::Channel {
                    self.check_fits(name, scalar, &value, init.span);
                }
                for element in 0..count {
                    assign(cell(element), value.clone());
                }
            }
            Some(Init::List(values)) => {
                if array.is_none() {
                    let message = format!("`{name}` is not an array: it takes one initial value");
                    self.report(Diagnostic::error(span, message).help("write the value without braces"));
                } else if values.len() > count as usize {
                    let message = format!("{} initial values for {count} elements", values.len());
                    self.report(Diagnostic::error(span, message).help("leave out the rest"));
                }
                for (element, init) in (0..count).zip(values) {
                    let value = self.initial_value(init);
                    self.check_fits(name, scalar, &value, init.span);
                    assign(cell(element), value);
                }
            }
            Some(Init::Channel(_)) if display != Display::Channel => {
                let diagnostic = Diagnostic::error(span, format!("`{name}` is not a chan"))
                    .help("only a `chan` variable is made with `[capacity] of { types }`");
                self.report(diagnostic);
            }
            Some(Init::Channel(chan)) => {
                let Some(shape) = self.channel_shape(chan, name) else { return declared };
                declared.message_fields = Some(shape.fields.len());
                let bytes = (shape.total_bytes() as u32).saturating_mul(count);
                if count > 255 {
                    self.report_many_channels(chan.span);
                    return declared;
                }
                if !self.claim_bytes(bytes, chan.span) {
                    return declared;
                }
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
        let Ok(capacity) = u16::try_from(capacity) else {
            let message = format!("a channel cannot hold {capacity} messages");
            self.report(Diagnostic::error(chan.capacity.span, message).help("it holds 0 to 65535"));
            return None;
        };
        let mut components = Vec::new();
        for field in &chan.fields {
            if matches!(field.ty, ast::TypeName::Unsigned) {
                let diagnostic = Diagnostic::error(field.span, "an unsigned message field has no width")
                    .help("take `byte`, `short` or `int`");
                self.report(diagnostic);
                return None;
            }
            let ty = self.named_type(&field.ty)?;
            if self.symbols.component_count(ty) > MESSAGE_FIELDS_MAX {
                self.report_many_fields(field.span);
                return None;
            }
            components.extend(self.symbols.components(ty));
        }
        // SPIN gives the only field of a message a byte even if it is a bit, and so keeps more than a bit in it.
        if let [(only @ ScalarType::BIT, _)] = &mut components[..] {
            *only = ScalarType::BYTE;
        }
        let (fields, displays): (Vec<ScalarType>, Vec<Display>) = components.into_iter().unzip();
        Some(Channel {
            name: name.to_string(),
            capacity,
            fields,
            displays,
            offset: 0,
            receiver: None,
            span: chan.span,
        })
    }

    /// A process starts with its variables set: starting another one on the way has no place in that order.
    fn initial_value(&mut self, expr: &ast::Expr) -> Expr {
        let value = self.value(expr);
        if !value.any(&|e| matches!(e, Expr::Spawn(_))) {
            return value;
        }
        let diagnostic = Diagnostic::error(expr.span, "`run` in an initial value")
            .help("declare the variable first and assign to it in a statement");
        self.report(diagnostic);
        Expr::Const(0)
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
