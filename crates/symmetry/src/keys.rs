//! What a unit looks like, whatever its number: the key by which units are put in order.
//!
//! A key holds what belongs to the unit with references left out (of each only whether it leads to the unit itself or to nobody that moves),
//! and a number for the places outside all units that refer to it. Units with equal keys may still differ in how they refer to each other: then
//! they are ranked again by the ranks of those that they refer to. What remains equal stays as it is: that is sound, since any order of the
//! units may stand for the others, and costs a state now and then.

use crate::parts::{Parts, Ref, Symmetry};
use crate::shape::{PlacedChannel, Shape};
use panoptes_model::ScalarType;

/// What the keys of a shape are made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// By unit, in the same order for all units of an orbit.
    segments: Vec<Vec<Segment>>,
    /// By unit: what it has in common with one other.
    pairs: Vec<Vec<Pair>>,
    /// References that stand outside all units.
    outside: Vec<Reference>,
    outside_channels: Vec<usize>,
    /// Units may refer to each other.
    is_woven: bool,
}

#[derive(Clone, Copy, Debug)]
enum Segment {
    /// Of a frame of some type: is there more to come? Those that are done come first, where they wait for the others to end.
    Ahead {
        at: usize,
        ty: usize,
    },
    Bytes {
        at: usize,
        len: usize,
    },
    Reference(Reference),
    Channel(usize),
}

#[derive(Clone, Copy, Debug)]
struct Reference {
    at: usize,
    ty: ScalarType,
    of: Ref,
    /// The type of its frame, the frame's start and the number of the cell there: it may be dead.
    live: Option<(usize, usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    other: usize,
    at: usize,
    len: usize,
    tag: u32,
}

/// Room for keys, kept from state to state.
#[derive(Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
    /// By unit: where its key is.
    spans: Vec<(usize, usize)>,
    outside: Vec<u32>,
    /// By unit.
    ranks: Vec<u32>,
    sums: Vec<u32>,
    /// By place in all orbits: the unit that goes there.
    pub order: Vec<u16>,
}

fn mix(a: u32, b: u32) -> u32 {
    let x = (a ^ b.wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B);
    (x ^ (x >> 15)).wrapping_mul(0xC2B2_AE35) ^ (x >> 13)
}

impl Keys {
    /// Finds the order of the units. False if it is the one that they have.
    pub fn sort(&mut self, symmetry: &Symmetry, shape: &Shape, vector: &[u8]) -> bool {
        let plan = &shape.plan;
        let count = shape.units.len();
        self.look_outside(symmetry, shape, vector);
        self.bytes.clear();
        self.spans.clear();
        for unit in 0..count {
            let start = self.bytes.len();
            for segment in &plan.segments[unit] {
                self.push(symmetry, shape, vector, unit, segment);
            }
            let pairs = plan.pairs[unit].iter();
            let sum = pairs.fold(0u32, |sum, pair| sum.wrapping_add(pair_value(pair, vector, 0)));
            self.bytes.extend_from_slice(&sum.to_be_bytes());
            self.bytes.extend_from_slice(&self.outside[unit].to_be_bytes());
            self.spans.push((start, self.bytes.len()));
        }
        let (bytes, spans) = (&self.bytes, &self.spans);
        let key = |unit: usize| &bytes[spans[unit].0..spans[unit].1];
        let is_settled = |orbit: &Vec<usize>| {
            orbit.windows(2).all(|pair| {
                let (a, b) = (key(pair[0]), key(pair[1]));
                a < b || (a == b && !plan.is_woven)
            })
        };
        if shape.orbits.iter().all(is_settled) {
            return false;
        }
        self.order.clear();
        self.ranks.clear();
        self.ranks.resize(count, 0);
        let mut has_ties = false;
        for orbit in &shape.orbits {
            let start = self.order.len();
            self.order.extend(orbit.iter().map(|unit| *unit as u16));
            let sorted = &mut self.order[start..];
            sorted.sort_by(|a, b| key(usize::from(*a)).cmp(key(usize::from(*b))));
            for place in 0..sorted.len() {
                let unit = usize::from(sorted[place]);
                let is_tie = place > 0 && key(usize::from(sorted[place - 1])) == key(unit);
                has_ties |= is_tie;
                self.ranks[unit] = match is_tie {
                    true => self.ranks[usize::from(sorted[place - 1])],
                    false => (start + place) as u32,
                };
            }
        }
        if has_ties && plan.is_woven {
            self.refine(symmetry, shape, vector);
        }
        self.order.iter().enumerate().any(|(place, unit)| place != usize::from(*unit))
    }

    /// Ranks units with equal keys by those that they refer to, until that tells no more apart.
    fn refine(&mut self, symmetry: &Symmetry, shape: &Shape, vector: &[u8]) {
        let plan = &shape.plan;
        let count = shape.units.len();
        for _ in 0..2 * count {
            self.sums.clear();
            self.sums.resize(count, 0);
            for unit in 0..count {
                for (number, segment) in (0u32..).zip(&plan.segments[unit]) {
                    let (sums, ranks) = (&mut self.sums, &self.ranks);
                    let mut meet = |other: usize, number: u32| {
                        sums[unit] = sums[unit].wrapping_add(mix(number, ranks[other]));
                        sums[other] = sums[other].wrapping_add(mix(number.wrapping_add(77_777), ranks[unit]));
                    };
                    match segment {
                        Segment::Ahead { .. } | Segment::Bytes { .. } => {}
                        Segment::Reference(reference) => {
                            if let Some(other) = reference.unit(symmetry, shape, vector)
                                && other != unit
                            {
                                meet(other, number * 1000);
                            }
                        }
                        Segment::Channel(channel) => {
                            each_reference(
                                symmetry,
                                shape,
                                &shape.channels[*channel],
                                vector,
                                &mut |slot, other| {
                                    if other != unit {
                                        meet(other, number * 1000 + slot + 1);
                                    }
                                },
                            );
                        }
                    }
                }
                for pair in &plan.pairs[unit] {
                    let value = pair_value(pair, vector, self.ranks[pair.other] + 1);
                    self.sums[unit] = self.sums[unit].wrapping_add(value);
                }
            }
            let mut start = 0;
            let mut has_ties = false;
            let mut has_learnt = false;
            for orbit in &shape.orbits {
                let sorted = &mut self.order[start..start + orbit.len()];
                let (ranks, sums) = (&self.ranks, &self.sums);
                let key = |unit: u16| (ranks[usize::from(unit)], sums[usize::from(unit)]);
                sorted.sort_by_key(|unit| key(*unit));
                let keys: Vec<(u32, u32)> = sorted.iter().map(|unit| key(*unit)).collect();
                for place in 0..sorted.len() {
                    let unit = usize::from(sorted[place]);
                    let is_tie = place > 0 && keys[place] == keys[place - 1];
                    has_ties |= is_tie;
                    let rank = match is_tie {
                        true => self.ranks[usize::from(sorted[place - 1])],
                        false => (start + place) as u32,
                    };
                    has_learnt |= self.ranks[unit] != rank;
                    self.ranks[unit] = rank;
                }
                start += orbit.len();
            }
            if !has_ties {
                return;
            }
            if !has_learnt {
                self.single_out(shape);
            }
        }
    }

    /// Ranks the first of several equal units before the others. If they are equal because an exchange leaves the state as it is, it does
    /// not matter which one is taken.
    fn single_out(&mut self, shape: &Shape) {
        let mut start = 0;
        for orbit in &shape.orbits {
            let end = start + orbit.len();
            let rank = |place: usize| self.ranks[usize::from(self.order[place])];
            if let Some(first) = (start + 1..end).find(|place| rank(*place) == rank(place - 1)) {
                let known = rank(first);
                for place in first..end {
                    let unit = usize::from(self.order[place]);
                    if self.ranks[unit] == known {
                        self.ranks[unit] += 1;
                    }
                }
                return;
            }
            start = end;
        }
    }

    fn look_outside(&mut self, symmetry: &Symmetry, shape: &Shape, vector: &[u8]) {
        self.outside.clear();
        self.outside.resize(shape.units.len(), 0);
        let mut note = |unit: usize, number: u32| {
            let known = &mut self.outside[unit];
            *known = known.wrapping_mul(31).wrapping_add(number);
        };
        let mut number = 0;
        for reference in &shape.plan.outside {
            number += 1;
            if let Some(unit) = reference.unit(symmetry, shape, vector) {
                note(unit, number);
            }
        }
        for channel in &shape.plan.outside_channels {
            number += 1000;
            each_reference(symmetry, shape, &shape.channels[*channel], vector, &mut |slot, unit| {
                note(unit, number + slot);
            });
        }
    }

    fn push(&mut self, symmetry: &Symmetry, shape: &Shape, vector: &[u8], unit: usize, segment: &Segment) {
        match segment {
            Segment::Ahead { at, ty } => {
                let ty = &symmetry.types[*ty];
                self.bytes.push(u8::from(!ty.is_done[ty.layout.state(&vector[*at..]).index()]));
            }
            Segment::Bytes { at, len } => self.bytes.extend_from_slice(&vector[*at..*at + *len]),
            Segment::Reference(reference) => {
                let value = reference.ty.read(&vector[reference.at..]);
                let code = if !reference.is_live(symmetry, vector) {
                    (3, value)
                } else {
                    code_of(shape, unit, reference.of, value)
                };
                self.push_code(code);
            }
            Segment::Channel(channel) => {
                let placed = &shape.channels[*channel];
                let part = Shape::table_channel(symmetry, placed);
                let bytes = &vector[placed.at..placed.at + part.total_bytes as usize];
                if part.fields.iter().all(|(.., of)| of.is_none()) || part.total_bytes == 0 {
                    self.bytes.extend_from_slice(bytes);
                    return;
                }
                let len = part.len_type.read(bytes) as u32;
                self.bytes.extend_from_slice(&(len as u16).to_be_bytes());
                for slot in 0..part.capacity {
                    for (within, ty, of) in &part.fields {
                        let at = part.len_type.bytes() + (slot * part.message_bytes + within) as usize;
                        let value = ty.read(&bytes[at..]);
                        let code = match of {
                            Some(of) if slot < len => code_of(shape, unit, *of, value),
                            _ => (2, value),
                        };
                        self.push_code(code);
                    }
                }
            }
        }
    }

    fn push_code(&mut self, (code, value): (u8, i32)) {
        self.bytes.push(code);
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }
}

/// What a reference is to the unit: itself, another that moves, or whatever value it is.
fn code_of(shape: &Shape, unit: usize, of: Ref, value: i32) -> (u8, i32) {
    let names = shape.names[of.class].as_ref();
    match names.and_then(|names| names.unit_of(value.wrapping_sub(of.plus))) {
        Some(known) if known == unit => (1, 0),
        Some(_) => (0, 0),
        None => (2, value),
    }
}

fn pair_value(pair: &Pair, vector: &[u8], rank: u32) -> u32 {
    let bytes = &vector[pair.at..pair.at + pair.len];
    bytes.iter().fold(mix(pair.tag, rank), |sum, byte| mix(sum, u32::from(*byte) + 1))
}

/// Calls `visit` with each reference to a unit in the messages of a channel, and where it stands.
fn each_reference(
    symmetry: &Symmetry,
    shape: &Shape,
    placed: &PlacedChannel,
    vector: &[u8],
    visit: &mut dyn FnMut(u32, usize),
) {
    let part = Shape::table_channel(symmetry, placed);
    if part.capacity == 0 {
        return;
    }
    let len = part.len_type.read(&vector[placed.at..]) as u32;
    let width = part.fields.len() as u32;
    for (number, (within, ty, of)) in (0u32..).zip(&part.fields) {
        let Some(of) = of else { continue };
        let Some(names) = &shape.names[of.class] else { continue };
        for slot in 0..len {
            let at = placed.at + part.len_type.bytes() + (slot * part.message_bytes + within) as usize;
            if let Some(unit) = names.unit_of(ty.read(&vector[at..]).wrapping_sub(of.plus)) {
                visit(slot * width + number, unit);
            }
        }
    }
}

impl Reference {
    fn is_live(&self, symmetry: &Symmetry, vector: &[u8]) -> bool {
        self.live.is_none_or(|(ty, frame, cell)| {
            let ty = &symmetry.types[ty];
            ty.live[ty.layout.state(&vector[frame..]).index()][cell]
        })
    }

    /// The unit that it leads to.
    fn unit(&self, symmetry: &Symmetry, shape: &Shape, vector: &[u8]) -> Option<usize> {
        if !self.is_live(symmetry, vector) {
            return None;
        }
        let value = self.ty.read(&vector[self.at..]).wrapping_sub(self.of.plus);
        shape.names[self.of.class].as_ref()?.unit_of(value)
    }
}

/// Makes the plan of a shape.
pub(crate) fn plan(symmetry: &Symmetry, shape: &Shape) -> Plan {
    let count = shape.units.len();
    let mut plan =
        Plan { segments: vec![Vec::new(); count], pairs: vec![Vec::new(); count], ..Plan::default() };
    for (segments, frames) in plan.segments.iter_mut().zip(&shape.units) {
        let frame =
            shape.frames.iter().find(|frame| frame.at == frames[0]).expect("the first frame of a unit");
        segments.push(Segment::Ahead { at: frame.at, ty: frame.ty });
    }
    let mut tag = 0;
    add_part(symmetry, shape, &symmetry.globals, None, &mut tag, &mut plan);
    // Frames of a unit in their order, so that the segments of all units go along. What frames that stay have of a unit comes before,
    // wherever they are.
    let mut order: Vec<usize> = (0..shape.frames.len()).collect();
    order.sort_by_key(|frame| (shape.frames[*frame].ty, shape.frames[*frame].unit.is_some(), *frame));
    for ty in 0..symmetry.types.len() {
        let first_tag = tag;
        for frame in order.iter().filter(|frame| shape.frames[**frame].ty == ty) {
            tag = first_tag;
            if shape.frames[*frame].unit.is_none() {
                // Each frame that stays is somebody of its own.
                tag += 10_000 * (*frame as u32 + 1);
            }
            add_part(symmetry, shape, &symmetry.types[ty].parts, Some(*frame), &mut tag, &mut plan);
        }
        tag = first_tag + 1000;
    }
    for (number, channel) in shape.channels.iter().enumerate() {
        let has_references =
            Shape::table_channel(symmetry, channel).fields.iter().any(|(.., of)| of.is_some());
        let in_unit = channel.owner.or_else(|| {
            let frame = shape.frames.iter().rev().find(|frame| frame.at <= channel.at);
            frame.filter(|_| channel.ty.is_some()).and_then(|frame| frame.unit)
        });
        match in_unit {
            Some(unit) => plan.segments[unit].push(Segment::Channel(number)),
            None if has_references => plan.outside_channels.push(number),
            None => {}
        }
    }
    let refers = |segment: &Segment| match segment {
        Segment::Ahead { .. } | Segment::Bytes { .. } => false,
        Segment::Reference(_) => true,
        Segment::Channel(number) => {
            let fields = &Shape::table_channel(symmetry, &shape.channels[*number]).fields;
            fields.iter().any(|(.., of)| of.is_some())
        }
    };
    plan.is_woven =
        plan.segments.iter().flatten().any(refers) || plan.pairs.iter().any(|pairs| !pairs.is_empty());
    plan
}

/// What one byte of a part is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Plain,
    Taken,
}

fn add_part(
    symmetry: &Symmetry,
    shape: &Shape,
    parts: &Parts,
    frame: Option<usize>,
    tag: &mut u32,
    plan: &mut Plan,
) {
    let base = frame.map_or(0, |frame| shape.frames[frame].at);
    let holder = frame.and_then(|frame| shape.frames[frame].unit);
    let ty = frame.map(|frame| shape.frames[frame].ty);
    let size = ty.map_or(symmetry.frames_at, |ty| symmetry.types[ty].layout.bytes as usize);
    let mut bytes = vec![Byte::Plain; size];
    let reference = |number: usize| {
        let cell = parts.cells[number];
        let live = frame.zip(ty).map(|(frame, ty)| (ty, shape.frames[frame].at, number));
        Reference { at: base + cell.at as usize, ty: cell.ty, of: cell.of, live }
    };
    let find_cell = |at: u32| parts.cells.iter().position(|cell| cell.at == at);
    for table in &parts.tables {
        *tag += 1;
        let table_tag = *tag;
        // What belongs to one unit alone, with its rows but for those of units: in an order that does not depend on their numbers.
        let mut alone: Vec<(Vec<u32>, usize, Segment)> = Vec::new();
        table.each_cell(&mut |at, rows| {
            let unit_of = |(row, dim): (&u32, &crate::parts::Dim)| {
                let of = dim.of?;
                shape.names[of.class].as_ref()?.unit_of((*row as i32).wrapping_sub(of.plus))
            };
            let mut units: Vec<usize> = rows.iter().zip(&table.dims).filter_map(unit_of).collect();
            if units.is_empty() {
                return;
            }
            units.extend(holder);
            let width = table.width as usize;
            bytes[at as usize..at as usize + width].fill(Byte::Taken);
            let place = base + at as usize;
            let is_one = units.iter().all(|unit| *unit == units[0]);
            let rows_that_stay = || {
                let stays = |pair: (&u32, &crate::parts::Dim)| unit_of(pair).map_or(*pair.0 + 1, |_| 0);
                rows.iter().zip(&table.dims).map(stays).collect()
            };
            match (is_one, find_cell(at), &units[..]) {
                (true, Some(cell), _) => {
                    alone.push((rows_that_stay(), units[0], Segment::Reference(reference(cell))));
                }
                (true, None, _) => {
                    alone.push((rows_that_stay(), units[0], Segment::Bytes { at: place, len: width }));
                }
                (false, None, [row, column]) => {
                    plan.pairs[*row].push(Pair { other: *column, at: place, len: width, tag: table_tag * 2 });
                    plan.pairs[*column].push(Pair {
                        other: *row,
                        at: place,
                        len: width,
                        tag: table_tag * 2 + 1,
                    });
                }
                _ => {}
            }
        });
        alone.sort_by(|one, other| one.0.cmp(&other.0));
        alone.into_iter().for_each(|(_, unit, segment)| plan.segments[unit].push(segment));
    }
    for (number, cell) in parts.cells.iter().enumerate() {
        let place = cell.at as usize;
        if bytes[place] == Byte::Taken {
            continue;
        }
        bytes[place..place + cell.ty.bytes()].fill(Byte::Taken);
        match holder {
            Some(unit) => plan.segments[unit].push(Segment::Reference(reference(number))),
            None => plan.outside.push(reference(number)),
        }
    }
    let Some(unit) = holder else { return };
    for channel in &parts.channels {
        bytes[channel.at as usize..(channel.at + channel.total_bytes) as usize].fill(Byte::Taken);
    }
    // What is left, in runs.
    let mut at = 0;
    while at < size {
        let len = bytes[at..].iter().take_while(|byte| **byte == Byte::Plain).count();
        if len > 0 {
            plan.segments[unit].push(Segment::Bytes { at: base + at, len });
        }
        at += len.max(1);
    }
}
