//! What is known about a model before it is compiled: the shapes of its channels and the globals that never change.

use panoptes_model::{Action, Channel, Expr, Guard, Model, Pattern, Place, ProcessKind, Region, ScalarType};
use std::collections::HashMap;

/// Code for more shapes than this would make a channel operation too long.
pub(crate) const SHAPES_MAX: usize = 16;

/// What native code must know of a channel besides its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub capacity: u16,
    /// The type of the length in front of the slots.
    pub len_type: ScalarType,
    pub fields: Vec<ScalarType>,
}

impl Shape {
    pub fn of(channel: &Channel) -> Shape {
        Shape { capacity: channel.capacity, len_type: channel.len_type(), fields: channel.fields.clone() }
    }

    /// Where the slots start, behind the length.
    pub fn slots_at(&self) -> usize {
        self.len_type.bytes()
    }

    pub fn message_bytes(&self) -> usize {
        self.fields.iter().map(|field| field.bytes()).sum()
    }
}

/// The shapes of all channels, each once.
pub(crate) fn shapes(model: &Model) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    let channels = model.channels.iter().chain(processes.flat_map(|process| &process.channels));
    for shape in channels.map(Shape::of) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

pub(crate) fn shape_index(shapes: &[Shape], channel: &Channel) -> usize {
    let shape = Shape::of(channel);
    shapes.iter().position(|other| *other == shape).unwrap_or(usize::MAX)
}

/// Globals that keep their initial value for ever, by offset: mostly the names of channels.
pub(crate) fn constants(model: &Model) -> HashMap<u32, (ScalarType, i32)> {
    let mut written = vec![false; model.header.frames as usize];
    for transition in &model.transitions {
        transition.actions.iter().for_each(|action| mark(action, &mut written));
    }
    for step in model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps) {
        debug_assert!(!matches!(&step.guard, Guard::When(Expr::Spawn(_))));
        step.actions.iter().for_each(|action| mark(action, &mut written));
    }
    model.processes.iter().flat_map(|process| &process.init).for_each(|action| mark(action, &mut written));
    let mut found = HashMap::new();
    let mut again = Vec::new();
    for action in &model.init {
        if let Action::Assign { place, value } = action {
            let plain = place.region == Region::Global && place.indices.is_empty();
            match value {
                Expr::Const(value) if plain && !found.contains_key(&place.offset) => {
                    found.insert(place.offset, (place.ty, place.ty.wrap(*value)));
                }
                _ => again.push(place),
            }
        }
    }
    let mut unsure = vec![false; written.len()];
    again.into_iter().for_each(|place| mark_place(place, &mut unsure));
    found.retain(|offset, (ty, _)| {
        let bytes = *offset as usize..*offset as usize + ty.bytes();
        bytes.into_iter().all(|at| written.get(at) == Some(&false) && unsure.get(at) == Some(&false))
    });
    found
}

/// A value that is the same in every state, as far as [`constants`] tells.
pub(crate) fn constant(constants: &HashMap<u32, (ScalarType, i32)>, expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Load(place) if place.region == Region::Global && place.indices.is_empty() => {
            let (ty, value) = constants.get(&place.offset)?;
            (*ty == place.ty).then_some(*value)
        }
        _ => None,
    }
}

fn mark(action: &Action, written: &mut [bool]) {
    match action {
        Action::Assign { place, .. } => mark_place(place, written),
        Action::Receive(receive) => {
            for pattern in &receive.patterns {
                if let Pattern::Bind(place) = pattern {
                    mark_place(place, written);
                }
            }
        }
        _ => {}
    }
}

fn mark_place(place: &Place, written: &mut [bool]) {
    if place.region == Region::Global {
        let reach: usize =
            place.indices.iter().map(|term| (term.len as usize - 1) * term.stride as usize).sum();
        let start = place.offset as usize;
        let end = (start + reach + place.ty.bytes()).min(written.len());
        written[start.min(end)..end].fill(true);
    }
}
