//! The vector laid out anew: a variable or message field takes as many bytes as its values need, and what no longer
//! holds anything takes none.
//!
//! Since the values always fit, a narrower type changes no meaning, and states are as many as before.

use crate::code::{Code, Rewrite, bound, each_code, rewrite_model, written};
use crate::facts::Facts;
use crate::ranges::{Interval, Ranges};
use crate::space::{Space, offsets, reach};
use panoptes_model::{
    Action, Channel, Expr, FrameLayout, Model, Place, ProcId, Region, ScalarType, Variable,
};
use std::collections::HashSet;

/// Lays the vector out anew. How many bytes less the header and one frame of each process type take.
pub(crate) fn narrow(model: &mut Model) -> usize {
    let Some(facts) = Facts::of(model) else { return 0 };
    let before = size(model);
    let Some(plan) = Plan::of(model, &facts) else { return 0 };
    apply(model, plan);
    before - size(model)
}

/// The bytes of the global part and of one frame of each type.
fn size(model: &Model) -> usize {
    let frames = model.processes.iter().map(|process| process.frame.bytes);
    model.header.frames as usize + frames.sum::<u32>() as usize
}

/// Where the bytes of a region go, and the new types of its variables.
struct Part {
    types: Vec<ScalarType>,
    space: Space,
    /// The new offset of each old byte, and of the end.
    offsets: Vec<u32>,
}

struct Plan {
    globals: Part,
    locals: Vec<Part>,
    channels: Vec<Vec<ScalarType>>,
    own_channels: Vec<Vec<Vec<ScalarType>>>,
    slim: FrameLayout,
}

/// A place with the region that it is in: the frame of a process type, or the global part.
type At = (Option<ProcId>, Place);

impl Plan {
    /// None if some place could not be expressed in the new layout.
    fn of(model: &Model, facts: &Facts) -> Option<Plan> {
        let ranges = Ranges::of(model, facts);
        let places = places(model);
        let mut globals: Vec<Option<Interval>> =
            (0..model.variables.len()).map(|index| Some(ranges.global(index))).collect();
        let ids = || (0..model.processes.len() as u32).map(ProcId);
        let mut locals: Vec<Vec<Option<Interval>>> = ids()
            .map(|id| {
                (0..model.process(id).variables.len()).map(|index| Some(ranges.local(id, index))).collect()
            })
            .collect();
        let fields = Fields::of(model, &ranges);
        let channels: Vec<_> = model.channels.iter().map(|channel| fields.narrowed(channel)).collect();
        let own_channels: Vec<Vec<_>> = model
            .processes
            .iter()
            .map(|process| process.channels.iter().map(|channel| fields.narrowed(channel)).collect())
            .collect();
        // All that one place can be has one type.
        loop {
            let mut changed = false;
            for (home, place) in &places {
                let (space, variables, values) = match home {
                    None => (&facts.globals, &model.variables, &mut globals),
                    Some(id) => {
                        let index = id.index();
                        (&facts.locals[index], &model.process(*id).variables, &mut locals[index])
                    }
                };
                changed |= agree(place, space, variables, values);
            }
            if !changed {
                break;
            }
        }
        let slim = slim(model);
        let header = &model.header;
        let fixed: Vec<u32> = (header.hidden_bytes..header.globals()).collect();
        let mut parts = Vec::new();
        for home in std::iter::once(None).chain(ids().map(Some)) {
            let (variables, values, old, new, bytes, fixed) = match home {
                None => {
                    (&model.variables, &globals, &model.channels, &channels, header.frames, fixed.clone())
                }
                Some(id) => {
                    let (process, index) = (model.process(id), id.index());
                    let fixed = fixed_kept(process.frame, slim);
                    let new = &own_channels[index];
                    (&process.variables, &locals[index], &process.channels, new, process.frame.bytes, fixed)
                }
            };
            let own = places.iter().filter(|(other, _)| *other == home).map(|(_, place)| place);
            let own: Vec<&Place> = own.collect();
            parts.push(part(variables, values, (old, new), bytes, &fixed, &own)?);
        }
        let locals = parts.split_off(1);
        Some(Plan { globals: parts.swap_remove(0), locals, channels, own_channels, slim })
    }
}

/// The shape of the fixed parts of a frame that this model needs.
fn slim(model: &Model) -> FrameLayout {
    let mut uses_priorities = model.uses_priorities;
    each_code(model, &mut |_, code| {
        uses_priorities |= matches!(code, Code::Action(Action::SetPriority { .. }));
        code.walk(&mut |e| uses_priorities |= matches!(e, Expr::Priority(_)));
    });
    let short_state = model.processes.iter().all(|process| process.states.len() <= 256);
    FrameLayout { bytes: 0, no_priority: !uses_priorities, short_state }
}

/// The fixed bytes of a frame that stay.
fn fixed_kept(old: FrameLayout, new: FrameLayout) -> Vec<u32> {
    let state = old.state_at() as u32;
    let priority = (!old.no_priority && !new.no_priority).then_some(FrameLayout::PRIORITY as u32);
    let high = (!old.short_state && !new.short_state).then_some(state + 1);
    [FrameLayout::TYPE as u32].into_iter().chain(priority).chain([state]).chain(high).collect()
}

/// Gives all variables that the place can be the same values; those of another type keep theirs. True on a change.
fn agree(place: &Place, space: &Space, variables: &[Variable], values: &mut [Option<Interval>]) -> bool {
    let reached: Vec<usize> = space.reached(place).collect();
    let fits = reached.iter().all(|index| variables[*index].ty == place.ty);
    let joined = match fits {
        true => reached.iter().map(|index| values[*index]).reduce(|a, b| Some(a?.join(b?))).flatten(),
        false => None,
    };
    let mut changed = false;
    for index in reached {
        changed |= values[index] != joined;
        values[index] = joined;
    }
    changed
}

fn narrowest(ty: ScalarType, values: Option<Interval>) -> ScalarType {
    let Some(values) = values else { return ty };
    let signed = |bits| ScalarType { bits, signed: true };
    let narrower = [ScalarType::BYTE, signed(8), ScalarType::unsigned(16), signed(16)];
    let fits = |other: &ScalarType| other.bytes() < ty.bytes() && Interval::of_type(*other).contains(values);
    narrower.into_iter().find(fits).unwrap_or(ty)
}

/// The bytes of one region that are kept, moved together. Where subscripts would no longer lead to elements at equal
/// distances, the variables they reach keep their types.
fn part(
    variables: &[Variable],
    values: &[Option<Interval>],
    (old, new): (&[Channel], &[Vec<ScalarType>]),
    bytes: u32,
    fixed: &[u32],
    places: &[&Place],
) -> Option<Part> {
    let space = Space::new(variables);
    let mut types: Vec<ScalarType> =
        variables.iter().zip(values).map(|(variable, values)| narrowest(variable.ty, *values)).collect();
    loop {
        let mut kept = vec![false; bytes as usize];
        let mut keep = |start: u32, bytes: usize| kept[start as usize..start as usize + bytes].fill(true);
        fixed.iter().for_each(|at| keep(*at, 1));
        for (variable, ty) in variables.iter().zip(&types) {
            let element = |element: u32| variable.offset + element * variable.ty.bytes() as u32;
            (0..variable.count).for_each(|number| keep(element(number), ty.bytes()));
        }
        for (channel, fields) in old.iter().zip(new) {
            keep(channel.offset, Channel { fields: fields.clone(), ..channel.clone() }.total_bytes());
        }
        for place in places.iter().filter(|place| space.reached(place).next().is_none()) {
            let range = reach(place);
            keep(range.start, range.len());
        }
        let mut offsets = Vec::with_capacity(kept.len() + 1);
        let mut next = 0;
        for kept in kept {
            offsets.push(next);
            next += u32::from(kept);
        }
        offsets.push(next);
        let crooked: Vec<usize> = places
            .iter()
            .filter(|place| !is_straight(place, &offsets))
            .flat_map(|place| space.overlapping(reach(place)))
            .filter(|index| types[*index] != variables[*index].ty)
            .collect();
        if crooked.is_empty() {
            let straight = places.iter().all(|place| is_straight(place, &offsets));
            return straight.then_some(Part { types, space, offsets });
        }
        crooked.into_iter().for_each(|index| types[index] = variables[index].ty);
    }
}

/// Do the elements that a place can be stay at equal distances?
fn is_straight(place: &Place, new: &[u32]) -> bool {
    let Some(old) = offsets(place) else {
        // Too many to look at: only if nothing between them moves.
        let range = reach(place);
        let (start, end) = (range.start as usize, range.end as usize);
        return new[start..end].windows(2).all(|pair| pair[1] == pair[0] + 1);
    };
    let moved = Place { offset: new[place.offset as usize], ..with_strides(place, new) };
    offsets(&moved).is_some_and(|moved| old.iter().zip(moved).all(|(old, moved)| new[*old as usize] == moved))
}

fn with_strides(place: &Place, new: &[u32]) -> Place {
    let mut moved = place.clone();
    for term in &mut moved.indices {
        if term.len > 1 {
            let (from, to) = (place.offset as usize, (place.offset + term.stride) as usize);
            term.stride = new[to] - new[from];
        }
    }
    moved
}

/// Channels of one declared shape keep one shape, so that native code for them stays short.
struct Fields(Vec<(Vec<ScalarType>, Vec<Option<Interval>>)>);

impl Fields {
    fn of(model: &Model, ranges: &Ranges<'_>) -> Fields {
        let mut found = Fields(Vec::new());
        let own = model.processes.iter().zip(&ranges.own_channels);
        let own = own.flat_map(|(process, values)| process.channels.iter().zip(values));
        for (channel, values) in model.channels.iter().zip(&ranges.channels).chain(own) {
            match found.0.iter_mut().find(|(fields, _)| *fields == channel.fields) {
                Some((_, known)) => {
                    for (known, value) in known.iter_mut().zip(values) {
                        *known = match (*known, *value) {
                            (Some(a), Some(b)) => Some(a.join(b)),
                            (a, b) => a.or(b),
                        };
                    }
                }
                None => found.0.push((channel.fields.clone(), values.clone())),
            }
        }
        found
    }

    fn narrowed(&self, channel: &Channel) -> Vec<ScalarType> {
        let known = self.0.iter().find(|(fields, _)| *fields == channel.fields);
        let values = known.map(|(_, values)| &values[..]).unwrap_or(&[]);
        let narrowed = channel.fields.iter().zip(values);
        narrowed.map(|(ty, values)| narrowest(*ty, Some(values.unwrap_or(Interval::only(0))))).collect()
    }
}

/// Every place of the model, each form of it once.
fn places(model: &Model) -> Vec<At> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let mut add = |home: Option<ProcId>, place: &Place| {
        let home = home.filter(|_| place.region == Region::Local);
        let terms: Vec<(u32, u32)> = place.indices.iter().map(|term| (term.len, term.stride)).collect();
        if known.insert((home, place.offset, place.ty, terms)) {
            found.push((home, place.clone()));
        }
    };
    each_code(model, &mut |owner, code| {
        if let Code::Action(action) = code {
            written(action).into_iter().for_each(|place| add(owner, place));
        }
        code.walk(&mut |e| match e {
            Expr::Load(place) => add(owner, place),
            Expr::Remote { process, place, .. } => add(Some(*process), place),
            Expr::Poll(receive) => bound(receive).into_iter().for_each(|place| add(owner, place)),
            _ => {}
        });
    });
    found
}

fn apply(model: &mut Model, mut plan: Plan) {
    rewrite_model(model, &mut plan);
    let Plan { globals, locals, channels, own_channels, slim } = plan;
    let move_variables = |part: &Part, variables: &mut [Variable]| {
        for (variable, ty) in variables.iter_mut().zip(&part.types) {
            variable.offset = part.offsets[variable.offset as usize];
            variable.ty = *ty;
        }
    };
    let move_channels = |part: &Part, channels: &mut [Channel], fields: Vec<Vec<ScalarType>>| {
        for (channel, fields) in channels.iter_mut().zip(fields) {
            channel.offset = part.offsets[channel.offset as usize];
            channel.fields = fields;
        }
    };
    move_variables(&globals, &mut model.variables);
    move_channels(&globals, &mut model.channels, channels);
    let header = &mut model.header;
    let moved = |at: u32| globals.offsets[at as usize];
    header.hidden_bytes = moved(header.hidden_bytes);
    header.last = header.last.map(moved);
    header.monitor = header.monitor.map(moved);
    header.frames = moved(header.frames);
    for ((process, part), fields) in model.processes.iter_mut().zip(&locals).zip(own_channels) {
        move_variables(part, &mut process.variables);
        move_channels(part, &mut process.channels, fields);
        let old = process.frame;
        process.frame = FrameLayout {
            bytes: part.offsets[old.bytes as usize],
            no_priority: old.no_priority || slim.no_priority,
            short_state: old.short_state || slim.short_state,
        };
    }
}

impl Rewrite for Plan {
    fn place(&mut self, home: Option<ProcId>, place: &mut Place) {
        let part = match (place.region, home) {
            (Region::Local, Some(id)) => &self.locals[id.index()],
            _ => &self.globals,
        };
        let variable = part.space.reached(place).next();
        let mut moved = with_strides(place, &part.offsets);
        moved.offset = part.offsets[place.offset as usize];
        if let Some(index) = variable {
            moved.ty = part.types[index];
        }
        *place = moved;
    }
}
