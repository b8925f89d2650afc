//! Trace assertions: the automaton that follows sends and receives, as tables.
//!
//! Its state is part of the vector. Native code calls [`observe`] behind a send or receive on a channel that it may watch.

use crate::context::{BAIL, Context, SORTED_AT};
use crate::emit::Emitter;
use crate::runtime::Runtime;
use crate::shapes::{constant, constants};
use cranelift_codegen::ir::Value;
use panoptes_model::{Action, BinaryOp, Expr, Model, Pattern, Region, ScalarType, StateId, Transition};
use std::collections::HashMap;

/// A trace assertion in which channels are known, and values are known or computed from global variables.
pub(crate) struct Watch {
    /// Where its state is in the vector.
    at: usize,
    negated: bool,
    /// The channels whose sends and receives it follows.
    sends: Vec<u8>,
    receives: Vec<u8>,
    states: Vec<Vec<Edge>>,
    /// Which states nothing leads out of, and the first of them.
    is_final: Vec<bool>,
    end: Option<u16>,
}

/// An event that it follows.
struct Edge {
    sent: bool,
    channel: i32,
    /// What the first fields must be.
    fields: Vec<Field>,
    to: u16,
}

enum Field {
    Any,
    Is(i32),
    /// The value of an expression over global variables.
    Equals(Expr),
}

impl Field {
    /// None if only the reference executor can tell.
    fn of(constants: &HashMap<u32, (ScalarType, i32)>, pattern: &Pattern) -> Option<Field> {
        match pattern {
            Pattern::Any => Some(Field::Any),
            Pattern::Match(expected) => match constant(constants, expected) {
                Some(value) => Some(Field::Is(value)),
                None => is_of_globals(expected).then(|| Field::Equals(expected.clone())),
            },
            Pattern::Bind(_) => None,
        }
    }

    fn fits(&self, vector: &[u8], actual: i32) -> bool {
        match self {
            Field::Any => true,
            Field::Is(expected) => *expected == actual,
            // What has no value does not fit.
            Field::Equals(expected) => value(vector, expected) == Some(actual),
        }
    }
}

/// Is the value computed from global variables alone?
fn is_of_globals(expr: &Expr) -> bool {
    !expr.any(&|part| match part {
        Expr::Load(place) => place.region != Region::Global,
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => false,
        _ => true,
    })
}

/// The value of such an expression, if it has one.
fn value(vector: &[u8], expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Load(place) => {
            let mut at = place.offset as usize;
            for term in &place.indices {
                let index =
                    u32::try_from(value(vector, &term.index)?).ok().filter(|index| *index < term.len)?;
                at += (index * term.stride) as usize;
            }
            Some(place.ty.read(&vector[at..]))
        }
        Expr::Unary(op, operand) => Some(op.apply(value(vector, operand)?)),
        Expr::Binary(op, left, right) => {
            let left = value(vector, left)?;
            match op {
                BinaryOp::And if left == 0 => Some(0),
                BinaryOp::Or if left != 0 => Some(1),
                _ => op.apply(left, value(vector, right)?),
            }
        }
        Expr::Cond(condition, then, otherwise) => {
            value(vector, if value(vector, condition)? != 0 { then } else { otherwise })
        }
        _ => None,
    }
}

impl Watch {
    /// Err if the model has a trace assertion that must be interpreted; none if it has none at all.
    pub fn of(model: &Model) -> Result<Option<Watch>, ()> {
        let Some(monitor) = &model.monitor else { return Ok(None) };
        let (process, constants) = (model.process(monitor.process), constants(model));
        let edge = |(index, transition): (usize, &Transition)| {
            let [Action::Observe(observe)] = &transition.actions[..] else { return Err(()) };
            let field = |pattern: &Pattern| Field::of(&constants, pattern).ok_or(());
            Ok(Edge {
                sent: observe.sent,
                channel: constant(&constants, &observe.channel).ok_or(())?,
                fields: observe.patterns.iter().map(field).collect::<Result<_, ()>>()?,
                to: transition.to.unwrap_or(StateId(index as u32)).0 as u16,
            })
        };
        let states = process.states.iter().enumerate().map(|(index, state)| {
            let observing = state.transitions.iter().map(|id| model.transition(*id));
            observing
                .filter(|transition| !transition.actions.is_empty())
                .map(|transition| edge((index, transition)))
                .collect()
        });
        let states: Vec<Vec<Edge>> = states.collect::<Result<_, ()>>()?;
        let is_final: Vec<bool> = process.states.iter().map(|state| state.transitions.is_empty()).collect();
        let end = is_final.iter().position(|is_final| *is_final);
        Ok(Some(Watch {
            at: model.header.monitor.ok_or(())? as usize,
            negated: monitor.negated,
            sends: monitor.sends.clone(),
            receives: monitor.receives.clone(),
            states,
            is_final,
            end: end.map(|index| index as u16),
        }))
    }

    /// May it follow sends, or receives, of the channel with that number?
    pub fn includes(&self, channel: i32, sent: bool) -> bool {
        let scope = if sent { &self.sends } else { &self.receives };
        u8::try_from(channel).is_ok_and(|channel| scope.contains(&channel))
    }

    /// Follows an event in a vector; false if that is a fault.
    fn follow(&self, vector: &mut [u8], channel: i32, sent: bool, values: &[i32]) -> bool {
        if !self.includes(channel, sent) {
            return true;
        }
        let current = u16::from_le_bytes([vector[self.at], vector[self.at + 1]]);
        let Some(edges) = self.states.get(usize::from(current)) else { return false };
        let fits = |edge: &&Edge| {
            edge.sent == sent
                && edge.channel == channel
                && edge.fields.len() <= values.len()
                && edge.fields.iter().zip(values).all(|(field, value)| field.fits(vector, *value))
        };
        let mut fitting = edges.iter().filter(fits);
        let next = match (fitting.next(), fitting.next()) {
            // The forbidden sequence took place.
            (Some(edge), None) if self.negated && self.is_final[usize::from(edge.to)] => return false,
            (Some(edge), None) => edge.to,
            // This execution is none that it forbids.
            (None, _) if self.negated => self.end.unwrap_or(current),
            // An event that is not allowed, or two that fit at once.
            _ => return false,
        };
        vector[self.at..self.at + 2].copy_from_slice(&next.to_le_bytes());
        true
    }
}

/// Lets the trace assertion follow a send or receive in the vector at hand. The values are those in the context.
///
/// # Safety
/// `context` is the one that native code was given, and `vector` is a slot.
pub(crate) unsafe extern "C" fn observe(
    context: *mut Context,
    vector: *mut u8,
    channel: u32,
    what: u32,
) -> u32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs; the trace assertion does not
    // change, the context's message has room for all fields of any shape, and the vector has so many bytes.
    unsafe {
        let values = std::slice::from_raw_parts((*context).message.add(SORTED_AT), what as usize / 2);
        let vector = std::slice::from_raw_parts_mut(vector, (*context).vector_bytes as usize);
        let Some(watch) = &(*context.cast::<Runtime>()).watch else { return 0 };
        if watch.follow(vector, channel as i32, what % 2 == 1, values) { 0 } else { BAIL }
    }
}

/// The same for the send of a rendezvous, whose message is on offer; false if that is a fault.
///
/// # Safety
/// `context` is the one that native code was given.
pub(crate) unsafe fn observe_offer(context: *mut Context, half: &mut [u8]) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(watch) = &(*context.cast::<Runtime>()).watch else { return true };
        let values = std::slice::from_raw_parts((*context).message, (*context).offer_count as usize);
        watch.follow(half, (*context).offer_channel as i32, true, values)
    }
}

impl Emitter<'_, '_> {
    /// Lets the trace assertion see an event in the slot, if it may follow that.
    pub fn observe(&mut self, channel: &Expr, number: Value, sent: bool, values: &[Value]) {
        let Some(watch) = &self.shared.watch else { return };
        if self.constant(channel).is_some_and(|known| !watch.includes(known, sent)) {
            return;
        }
        self.store_message(values, SORTED_AT);
        let what = self.int(2 * values.len() as i32 + i32::from(sent));
        let args = [self.context, self.slot, number, what];
        let answer = self.call(observe as *const () as usize, &self.shared.signatures.observe, &args);
        self.bail_if(answer);
    }
}
