//! Native code for expressions and places. What the reference executor calls a fault makes the function give up.

use crate::context::{CHANNEL_COUNT, FIRST_CHANNELS, FRAMES, PROCESS_COUNT, TIMEOUT};
use crate::emit::Emitter;
use crate::helpers;
use crate::questions;
use crate::runtime::PROGRESS;
use crate::shapes::constant;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I32, types::I64};
use panoptes_model::{BinaryOp, Expr, FrameLayout, Place, Region, ScalarType, UnaryOp};

const STATE_TYPE: ScalarType = ScalarType::unsigned(16);

impl Emitter<'_, '_> {
    /// The value of `expr` in 32 bits.
    pub fn eval(&mut self, expr: &Expr) -> Value {
        if let Some(value) = self.constant(expr) {
            return self.int(value);
        }
        match expr {
            Expr::Const(value) => self.int(*value),
            Expr::Load(place) => {
                let address = self.address(place);
                self.read(place.ty, address, place.offset as i32)
            }
            Expr::Unary(op, operand) => {
                let value = self.eval(operand);
                match op {
                    UnaryOp::Neg => self.builder.ins().ineg(value),
                    UnaryOp::Not => {
                        let zero = self.int(0);
                        self.compare(IntCC::Equal, value, zero)
                    }
                    UnaryOp::BitNot => self.builder.ins().bnot(value),
                }
            }
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Cond(condition, then, otherwise) => {
                let condition = self.eval(condition);
                self.choose(condition, |this| this.eval(then), |this| this.eval(otherwise))
            }
            Expr::SelfPid => self.pid,
            Expr::ProcessCount => self.context_field(I32, PROCESS_COUNT),
            Expr::LastPid => match self.shared.model.header.last {
                Some(at) => self.read(ScalarType::BYTE, self.vector, at as i32),
                None => self.int(0),
            },
            // Its channels come behind all others.
            Expr::OwnChannel(index) if self.is_newborn => {
                let others = self.context_field(I32, CHANNEL_COUNT);
                self.builder.ins().iadd_imm_s(others, 1 + i64::from(*index))
            }
            Expr::OwnChannel(index) => {
                let table = self.context_field(I64, FIRST_CHANNELS);
                let first = self.indexed(table, self.pid, 4);
                let first = self.load(I32, first, 0);
                self.builder.ins().iadd_imm_s(first, i64::from(*index))
            }
            Expr::PidOf(process) => {
                let ty = self.int(process.0 as i32);
                let signature = &self.shared.signatures.pid_of;
                self.call(helpers::pid_of as *const () as usize, signature, &[self.context, self.vector, ty])
            }
            Expr::Channel(test, channel) => self.channel_test(*test, channel),
            Expr::Poll(receive) => self.poll(receive),
            Expr::Timeout => self.context_field(I32, TIMEOUT),
            Expr::ControlPoint(other) => self.of_living(other, |this, frame| this.state_number(frame)),
            Expr::AtState { pid, state, .. } => self.of_living(pid, |this, frame| {
                let number = this.state_number(frame);
                let expected = this.int(i32::from(*state));
                this.compare(IntCC::Equal, number, expected)
            }),
            Expr::Remote { process, pid, place } => self.of_living(pid, |this, frame| {
                let ty = this.read(ScalarType::BYTE, frame, FrameLayout::TYPE as i32);
                let expected = this.int(process.0 as i32);
                let fits = this.compare(IntCC::Equal, ty, expected);
                this.choose(
                    fits,
                    |this| {
                        let address = this.subscripts(place, frame);
                        this.read(place.ty, address, place.offset as i32)
                    },
                    |this| this.int(0),
                )
            }),
            Expr::NonProgress => {
                let progresses = self.labelled(PROGRESS);
                let zero = self.int(0);
                self.compare(IntCC::Equal, progresses, zero)
            }
            Expr::Enabled(other) => {
                let other = self.eval(other);
                // Nobody asks about himself.
                let is_self = self.compare(IntCC::Equal, other, self.pid);
                self.bail_if(is_self);
                let signature = &self.shared.signatures.enabled;
                let args = [self.context, self.vector, other];
                let answer = self.call(questions::enabled as *const () as usize, signature, &args);
                let zero = self.int(0);
                let unknown = self.compare(IntCC::SignedLessThan, answer, zero);
                self.bail_if(unknown);
                answer
            }
            Expr::Priority(other) => self.of_living(other, |this, frame| {
                if this.process.frame.no_priority {
                    return this.int(0);
                }
                this.read(ScalarType::BYTE, frame, FrameLayout::PRIORITY as i32)
            }),
            // Only in the value of an assignment.
            Expr::Spawn(spawn) => self.spawn(spawn),
        }
    }

    /// Does some process stand at a control state with one of these labels?
    pub fn labelled(&mut self, labels: u8) -> Value {
        let labels = self.int(i32::from(labels));
        let signature = &self.shared.signatures.labelled;
        let args = [self.context, self.vector, labels];
        self.call(helpers::labelled as *const () as usize, signature, &args)
    }

    /// A value that is the same in every state.
    pub fn constant(&self, expr: &Expr) -> Option<i32> {
        constant(&self.shared.constants, expr)
    }

    /// The value of one of two pieces of code.
    pub fn choose(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let (yes, no, done) = (self.block(), self.block(), self.block());
        let result = self.builder.append_block_param(done, I32);
        self.branch(condition, yes, no);
        self.switch_to(yes);
        let value = then(self);
        self.builder.ins().jump(done, &[value.into()]);
        self.switch_to(no);
        let value = otherwise(self);
        self.builder.ins().jump(done, &[value.into()]);
        self.switch_to(done);
        result
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let a = self.eval(left);
        let truth = |this: &mut Self| {
            let value = this.eval(right);
            let zero = this.int(0);
            this.compare(IntCC::NotEqual, value, zero)
        };
        match op {
            BinaryOp::And => return self.choose(a, truth, |this| this.int(0)),
            BinaryOp::Or => return self.choose(a, |this| this.int(1), truth),
            _ => {}
        }
        let b = self.eval(right);
        let ins = self.builder.ins();
        match op {
            BinaryOp::Add => ins.iadd(a, b),
            BinaryOp::Sub => ins.isub(a, b),
            BinaryOp::Mul => ins.imul(a, b),
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, a, b),
            BinaryOp::BitAnd => ins.band(a, b),
            BinaryOp::BitOr => ins.bor(a, b),
            BinaryOp::BitXor => ins.bxor(a, b),
            BinaryOp::Shl => ins.ishl(a, b),
            BinaryOp::Shr => ins.sshr(a, b),
            BinaryOp::Lt => self.compare(IntCC::SignedLessThan, a, b),
            BinaryOp::Le => self.compare(IntCC::SignedLessThanOrEqual, a, b),
            BinaryOp::Gt => self.compare(IntCC::SignedGreaterThan, a, b),
            BinaryOp::Ge => self.compare(IntCC::SignedGreaterThanOrEqual, a, b),
            BinaryOp::Eq => self.compare(IntCC::Equal, a, b),
            BinaryOp::Ne => self.compare(IntCC::NotEqual, a, b),
            BinaryOp::And | BinaryOp::Or => unreachable!("decided above"),
        }
    }

    /// A division that wraps: the hardware would trap on the smallest number by minus one.
    fn divide(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let zero = self.int(0);
        let by_zero = self.compare(IntCC::Equal, b, zero);
        self.bail_if(by_zero);
        let minus_one = self.int(-1);
        let negates = self.compare(IntCC::Equal, b, minus_one);
        let one = self.int(1);
        let divisor = self.builder.ins().select(negates, one, b);
        match op {
            BinaryOp::Div => {
                let (quotient, negated) = (self.builder.ins().sdiv(a, divisor), self.builder.ins().ineg(a));
                self.builder.ins().select(negates, negated, quotient)
            }
            _ => self.builder.ins().srem(a, divisor),
        }
    }

    /// The address of a table's element.
    pub fn indexed(&mut self, table: Value, index: Value, size: i64) -> Value {
        let index = self.widen(index);
        let offset = self.builder.ins().imul_imm_s(index, size);
        self.builder.ins().iadd(table, offset)
    }

    /// The address of a place but for its constant offset.
    pub fn address(&mut self, place: &Place) -> Value {
        let region = match place.region {
            Region::Global => self.vector,
            Region::Local => self.frame(),
        };
        self.subscripts(place, region)
    }

    /// The address of the process's own frame in the vector at hand.
    pub fn frame(&mut self) -> Value {
        self.builder.ins().iadd(self.vector, self.base)
    }

    fn subscripts(&mut self, place: &Place, region: Value) -> Value {
        let mut address = region;
        for term in &place.indices {
            let index = self.eval(&term.index);
            let len = self.int(term.len as i32);
            let outside = self.compare(IntCC::UnsignedGreaterThanOrEqual, index, len);
            self.bail_if(outside);
            address = self.indexed_from(address, index, i64::from(term.stride));
        }
        address
    }

    fn indexed_from(&mut self, address: Value, index: Value, stride: i64) -> Value {
        if stride == 1 {
            let index = self.widen(index);
            return self.builder.ins().iadd(address, index);
        }
        self.indexed(address, index, stride)
    }

    /// Something about the process whose number `pid` gives: zero if there is none.
    fn of_living(&mut self, pid: &Expr, value: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let number = self.eval(pid);
        self.of_process(number, value)
    }

    /// Something about the process with that number: zero if there is none.
    pub fn of_process(&mut self, number: Value, value: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let count = self.context_field(I32, PROCESS_COUNT);
        let lives = self.compare(IntCC::UnsignedLessThan, number, count);
        self.choose(
            lives,
            |this| {
                let frames = this.context_field(I64, FRAMES);
                let entry = this.indexed(frames, number, 4);
                let at = this.load(I32, entry, 0);
                let at = this.widen(at);
                let frame = this.builder.ins().iadd(this.vector, at);
                value(this, frame)
            },
            |this| this.int(0),
        )
    }

    /// The number of the control state in which the process with that frame stands.
    fn state_number(&mut self, frame: Value) -> Value {
        let ty = self.read(ScalarType::BYTE, frame, FrameLayout::TYPE as i32);
        let layout = self.process.frame;
        let state_type = if layout.short_state { ScalarType::BYTE } else { STATE_TYPE };
        let state = self.read(state_type, frame, layout.state_at() as i32);
        let tables = self.long(self.shared.numbers_table as i64);
        let table = self.indexed(tables, ty, 8);
        let table = self.load(I64, table, 0);
        let entry = self.indexed(table, state, 2);
        self.read(STATE_TYPE, entry, 0)
    }
}
