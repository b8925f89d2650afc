//! Native code for channels: tests, sends, receives.
//!
//! A channel that is known when the code is written needs no lookup. For one that a variable names, there is a piece of
//! code for each shape that a channel of the model can have.

use crate::context::{CHANNEL_COUNT, CHANNELS, MESSAGE, SORTED_AT};
use crate::emit::Emitter;
use crate::helpers;
use crate::shapes::{SHAPES_MAX, Shape, shape_index};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types::I8, types::I32, types::I64};
use panoptes_model::{ChannelTest, Expr, Pattern, Receive, ScalarType, Send};

/// The channel at hand: its number, the offset of its bytes in the vector, its shape.
#[derive(Clone, Copy)]
pub(crate) struct Found<'s> {
    pub number: Value,
    pub at: Value,
    pub shape: &'s Shape,
    pub shape_index: usize,
}

/// Messages up to this size are moved by code without a loop.
const MOVED_INLINE_MAX: usize = 64;

impl<'a> Emitter<'a, '_> {
    /// Writes `code` once for each shape that the channel may have; each time it must end in a jump of its own. `fits` says for which
    /// shapes the operation can be meant, if the model has many: for others, the function then gives up.
    pub fn with_channel(
        &mut self,
        channel: &Expr,
        fits: impl Fn(&Shape) -> bool,
        code: impl FnMut(&mut Self, Found<'a>),
    ) {
        self.with_shapes(channel, fits, SHAPES_MAX, code);
    }

    fn with_shapes(
        &mut self,
        channel: &Expr,
        fits: impl Fn(&Shape) -> bool,
        shapes_max: usize,
        mut code: impl FnMut(&mut Self, Found<'a>),
    ) {
        let shared = self.shared;
        let found = |number, at, shape_index: usize| Found {
            number,
            at,
            shape: &shared.shapes[shape_index],
            shape_index,
        };
        let known = self.constant(channel).and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        if let Some(declared) = known.and_then(|index| shared.model.channels.get(index)) {
            let number = self.eval(channel);
            let at = self.long(i64::from(declared.offset));
            return code(self, found(number, at, shape_index(&shared.shapes, declared)));
        }
        let number = self.eval(channel);
        let has_many = shared.shapes.len() > shapes_max;
        let mut chosen: Vec<usize> = (0..shared.shapes.len()).collect();
        chosen.retain(|shape| !has_many || fits(&shared.shapes[*shape]));
        chosen.truncate(shapes_max);
        let index = self.builder.ins().iadd_imm_s(number, -1);
        let count = self.context_field(I32, CHANNEL_COUNT);
        let unknown = self.compare(IntCC::UnsignedGreaterThanOrEqual, index, count);
        self.bail_if(unknown);
        let table = self.context_field(I64, CHANNELS);
        let entry = self.indexed(table, index, 8);
        let at = self.load(I32, entry, 0);
        let at = self.widen(at);
        let actual = self.load(I32, entry, 4);
        let before = self.mark();
        let last = chosen.last().copied();
        for shape in chosen {
            let other = self.block();
            if has_many || Some(shape) != last {
                let expected = self.int(shape as i32);
                let fits = self.compare(IntCC::Equal, actual, expected);
                self.go_on_if(fits, other);
            }
            code(self, found(number, at, shape));
            self.reset(before);
            self.switch_to(other);
        }
        // Reached only if the model has no channels at all, or many.
        self.give_up();
    }

    /// Leaves it all to the reference executor; nothing follows.
    fn give_up(&mut self) {
        self.bail();
        self.builder.ins().trap(cranelift_codegen::ir::TrapCode::unwrap_user(1));
    }

    fn channel_address(&mut self, found: Found) -> Value {
        self.builder.ins().iadd(self.vector, found.at)
    }

    /// Is there room in a buffer?
    pub fn has_room(&mut self, found: Found) -> Value {
        let len = self.len(found);
        let capacity = self.int(i32::from(found.shape.capacity));
        self.compare(IntCC::UnsignedLessThan, len, capacity)
    }

    fn len(&mut self, found: Found) -> Value {
        let address = self.channel_address(found);
        self.read(found.shape.len_type, address, 0)
    }

    pub fn channel_test(&mut self, test: ChannelTest, channel: &Expr) -> Value {
        let done = self.block();
        let result = self.builder.append_block_param(done, I32);
        // A test is a few instructions.
        self.with_shapes(
            channel,
            |_| true,
            usize::MAX,
            |this, found| {
                let capacity = i32::from(found.shape.capacity);
                let len = if capacity == 0 { this.int(0) } else { this.len(found) };
                let (zero, full) = (this.int(0), this.int(capacity.max(1)));
                let value = match test {
                    ChannelTest::Len => len,
                    ChannelTest::Empty => this.compare(IntCC::Equal, len, zero),
                    ChannelTest::NotEmpty => this.compare(IntCC::NotEqual, len, zero),
                    ChannelTest::Full => this.compare(IntCC::UnsignedGreaterThanOrEqual, len, full),
                    ChannelTest::NotFull => this.compare(IntCC::UnsignedLessThan, len, full),
                };
                this.builder.ins().jump(done, &[value.into()]);
            },
        );
        self.switch_to(done);
        result
    }

    pub fn poll(&mut self, receive: &Receive) -> Value {
        let (done, no) = (self.block(), self.block());
        let result = self.builder.append_block_param(done, I32);
        self.with_channel(&receive.channel, taken_by(receive), |this, found| {
            if found.shape.capacity == 0 {
                this.bail();
            } else {
                this.matching_slot(receive, found, no);
            }
            let one = this.int(1);
            this.builder.ins().jump(done, &[one.into()]);
        });
        self.switch_to(no);
        let zero = self.int(0);
        self.builder.ins().jump(done, &[zero.into()]);
        self.switch_to(done);
        result
    }

    /// The address of the message that a receive takes, and its slot; jumps to `none` if there is none.
    pub fn matching_slot(&mut self, receive: &Receive, found: Found, none: Block) -> (Value, Value) {
        let len = self.len(found);
        self.go_on_if(len, none);
        if receive.patterns.len() > found.shape.fields.len() {
            self.bail();
        }
        let channel = self.channel_address(found);
        let oldest = self.builder.ins().iadd_imm_s(channel, found.shape.slots_at() as i64);
        let fields = &found.shape.fields;
        if !receive.random {
            self.fits(&receive.patterns, none, |this, field| read_field(this, fields, oldest, field));
            return (oldest, self.int(0));
        }
        let (body, next) = (self.block(), self.block());
        let variable = self.builder.declare_var(I32);
        let zero = self.int(0);
        self.builder.def_var(variable, zero);
        self.jump(body);
        self.switch_to(next);
        let slot = self.builder.use_var(variable);
        let slot = self.builder.ins().iadd_imm_s(slot, 1);
        self.builder.def_var(variable, slot);
        let more = self.compare(IntCC::UnsignedLessThan, slot, len);
        self.branch(more, body, none);
        self.switch_to(body);
        let slot = self.builder.use_var(variable);
        let message = self.indexed(oldest, slot, found.shape.message_bytes() as i64);
        self.fits(&receive.patterns, next, |this, field| read_field(this, fields, message, field));
        (message, slot)
    }

    /// Goes on if a message fits the patterns, else jumps to `otherwise`.
    pub fn fits(
        &mut self,
        patterns: &[Pattern],
        otherwise: Block,
        mut field: impl FnMut(&mut Self, usize) -> Value,
    ) {
        for (index, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern {
                let expected = self.eval(expected);
                let actual = field(self, index);
                let equal = self.compare(IntCC::Equal, expected, actual);
                self.go_on_if(equal, otherwise);
            }
        }
    }

    /// Stores the fields of a message where the patterns say.
    pub fn bind(&mut self, patterns: &[Pattern], values: &[Value]) {
        for (pattern, value) in patterns.iter().zip(values) {
            if let Pattern::Bind(place) = pattern {
                let address = self.address(place);
                self.write(place.ty, *value, address, place.offset as i32);
            }
        }
    }

    /// Receives a message from a buffer; jumps to `fail` if there is none that fits.
    pub fn receive(&mut self, receive: &Receive, fail: Block) {
        let done = self.block();
        self.with_channel(&receive.channel, taken_by(receive), |this, found| {
            if found.shape.capacity == 0 {
                if receive.peek {
                    this.bail();
                }
                return this.jump(fail);
            }
            let (message, slot) = this.matching_slot(receive, found, fail);
            if !receive.peek && receive.patterns.len() != found.shape.fields.len() {
                this.bail();
                return this.jump(done);
            }
            let fields = &found.shape.fields[..found.shape.fields.len().min(receive.patterns.len())];
            let values: Vec<Value> =
                (0..fields.len()).map(|field| read_field(this, fields, message, field)).collect();
            this.copy();
            if !receive.peek {
                this.remove(found, slot, receive.random);
                this.observe(&receive.channel, found.number, false, &values);
            }
            this.bind(&receive.patterns, &values);
            this.jump(done);
        });
        self.switch_to(done);
        self.set_copied();
    }

    /// Takes a message out of a channel. Free slots are zero, so all slots behind it move up.
    fn remove(&mut self, found: Found, slot: Value, random: bool) {
        let channel = self.channel_address(found);
        let size = found.shape.message_bytes();
        let total = usize::from(found.shape.capacity) * size;
        if random || total > MOVED_INLINE_MAX {
            let (size, total) = (self.int(size as i32), self.int(total as i32));
            let signature = &self.shared.signatures.remove;
            let slots = self.builder.ins().iadd_imm_s(channel, found.shape.slots_at() as i64);
            let args = [slots, slot, size, total];
            self.call(helpers::remove as *const () as usize, signature, &args);
        } else {
            let slots = self.builder.ins().iadd_imm_s(channel, found.shape.slots_at() as i64);
            self.move_up(slots, size, total);
        }
        let len = self.read(found.shape.len_type, channel, 0);
        let len = self.builder.ins().iadd_imm_s(len, -1);
        self.write(found.shape.len_type, len, channel, 0);
    }

    fn move_up(&mut self, slots: Value, size: usize, total: usize) {
        let mut to = 0;
        let moved = total - size;
        while to < moved {
            let (ty, step) = match moved - to {
                8.. => (I64, 8),
                4.. => (I32, 4),
                _ => (I8, 1),
            };
            let value = self.load(ty, slots, (to + size) as i32);
            self.store(value, slots, to as i32);
            to += step;
        }
        for at in moved..total {
            self.store_constant(I8, 0, slots, at as i32);
        }
    }

    /// Puts a message into a buffer; jumps to `fail` if that is full. What to do on a rendezvous channel is given.
    pub fn send(&mut self, send: &Send, fail: Block, mut rendezvous: impl FnMut(&mut Self, Found<'a>)) {
        let done = self.block();
        self.with_channel(&send.channel, filled_by(send), |this, found| {
            let shape = found.shape;
            if shape.capacity == 0 {
                return rendezvous(this, found);
            }
            let len = this.len(found);
            let capacity = this.int(i32::from(shape.capacity));
            let room = this.compare(IntCC::UnsignedLessThan, len, capacity);
            if !this.shared.is_lossy {
                this.go_on_if(room, fail);
            }
            if send.args.len() != shape.fields.len() {
                this.bail();
                return this.jump(done);
            }
            let values: Vec<Value> = send.args.iter().map(|arg| this.eval(arg)).collect();
            this.copy();
            if this.shared.is_lossy {
                this.go_on_if(room, done);
            }
            let channel = this.channel_address(found);
            if send.sorted {
                this.store_message(&values, SORTED_AT);
                let index = this.int(found.shape_index as i32);
                let signature = &this.shared.signatures.insert;
                let args = [this.context, channel, index];
                this.call(helpers::insert as *const () as usize, signature, &args);
            } else {
                let slot = this.indexed(channel, len, shape.message_bytes() as i64);
                let mut offset = shape.slots_at() as i32;
                for (ty, value) in shape.fields.iter().zip(&values) {
                    this.write(*ty, *value, slot, offset);
                    offset += ty.bytes() as i32;
                }
            }
            let len = this.builder.ins().iadd_imm_s(len, 1);
            this.write(shape.len_type, len, channel, 0);
            if this.shared.watch.is_some() {
                let fields = shape.fields.iter().zip(&values);
                let values: Vec<Value> = fields.map(|(ty, value)| this.wrap(*ty, *value)).collect();
                this.observe(&send.channel, found.number, true, &values);
            }
            this.jump(done);
        });
        self.switch_to(done);
        self.set_copied();
    }

    /// Leaves values where a helper or a receiver finds them.
    pub fn store_message(&mut self, values: &[Value], first: usize) {
        let message = self.context_field(I64, MESSAGE);
        for (index, value) in values.iter().enumerate() {
            self.store(*value, message, 4 * (first + index) as i32);
        }
    }
}

/// From channels of which shapes does the receive take messages, if it does not go wrong?
pub(crate) fn taken_by(receive: &Receive) -> impl Fn(&Shape) -> bool {
    let (count, peek) = (receive.patterns.len(), receive.peek);
    move |shape| count == shape.fields.len() || peek && count < shape.fields.len()
}

/// The same for the channels that a send puts messages into.
pub(crate) fn filled_by(send: &Send) -> impl Fn(&Shape) -> bool {
    let count = send.args.len();
    move |shape| count == shape.fields.len()
}

fn read_field(emitter: &mut Emitter, fields: &[ScalarType], message: Value, field: usize) -> Value {
    let within: usize = fields.iter().take(field).map(|ty| ty.bytes()).sum();
    match fields.get(field) {
        Some(ty) => emitter.read(*ty, message, within as i32),
        None => emitter.int(0),
    }
}
