//! What changes places in states of one shape: those with the same processes, started with the same parameters.
//!
//! A *unit* is what belongs together: a process, or the processes that were given the same number, with the rows of arrays and the channels that
//! are theirs. An *orbit* is a list of units that may change places.

use crate::keys::{Plan, plan};
use crate::parts::{ChannelPart, Dim, Kind, Ref, Symmetry, Table};
use panoptes_model::{FrameLayout, ScalarType};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of processes, channels and the like are smaller.
pub(crate) const VALUES: usize = 256;

/// Nobody's number.
pub(crate) const NOBODY: u16 = u16::MAX;

/// Which unit a number belongs to, and which of the unit's numbers it is.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub unit: Vec<u16>,
    position: Vec<u8>,
    /// By unit and position.
    values: Vec<Vec<u8>>,
}

impl Names {
    fn new(units: usize) -> Names {
        Names { unit: vec![NOBODY; VALUES], position: vec![0; VALUES], values: vec![Vec::new(); units] }
    }

    /// False if somebody has the number already.
    fn add(&mut self, unit: usize, value: usize) -> bool {
        if value >= VALUES || self.unit[value] != NOBODY {
            return false;
        }
        self.unit[value] = unit as u16;
        self.position[value] = self.values[unit].len() as u8;
        self.values[unit].push(value as u8);
        true
    }

    #[inline]
    pub fn unit_of(&self, value: i32) -> Option<usize> {
        let unit = *self.unit.get(usize::try_from(value).ok()?)?;
        (unit != NOBODY).then_some(usize::from(unit))
    }

    /// The number when each unit has gone to the place of another.
    #[inline]
    pub fn moved(&self, value: i32, place: &[u16]) -> i32 {
        match self.unit_of(value) {
            Some(unit) => {
                let position = self.position[value as usize];
                i32::from(self.values[usize::from(place[unit])][usize::from(position)])
            }
            None => value,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub at: usize,
    pub ty: usize,
    pub unit: Option<usize>,
}

/// A channel somewhere in the vector.
#[derive(Clone, Debug)]
pub(crate) struct PlacedChannel {
    pub at: usize,
    /// Of the part that declares it: the type of the frame, or the globals.
    pub ty: Option<usize>,
    pub index: usize,
    /// Whose it is, if it is a global channel. (One of a frame moves with it.)
    pub owner: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    bytes: usize,
    pub frames: Vec<Frame>,
    /// Bytes that must be these.
    fixed: Vec<(usize, Vec<u8>)>,
    /// References that must lead to a unit, but not to that one.
    links: Vec<(usize, ScalarType, Ref, usize)>,
    pub orbits: Vec<Vec<usize>>,
    /// By unit: the starts of its frames.
    pub units: Vec<Vec<usize>>,
    /// By class.
    pub names: Vec<Option<Names>>,
    pub channels: Vec<PlacedChannel>,
    /// By unit: its global channels.
    pub owned: Vec<Vec<usize>>,
    /// Frames that may not be ready.
    pub watched: Vec<usize>,
    pub plan: Plan,
}

impl Shape {
    /// Does the vector have this shape?
    #[inline]
    pub fn fits(&self, symmetry: &Symmetry, vector: &[u8]) -> bool {
        vector.len() == self.bytes
            && usize::from(vector[symmetry.count_at]) == self.frames.len()
            && self.frames.iter().all(|frame| usize::from(vector[frame.at + FrameLayout::TYPE]) == frame.ty)
            && self.fixed.iter().all(|(at, bytes)| vector[*at..*at + bytes.len()] == bytes[..])
            && self.links.iter().all(|(at, ty, of, own)| {
                let value = ty.read(&vector[*at..]).wrapping_sub(of.plus);
                let unit = self.names[of.class].as_ref().and_then(|names| names.unit_of(value));
                unit.is_some_and(|unit| unit != *own)
            })
    }

    pub fn of(symmetry: &Symmetry, vector: &[u8]) -> Shape {
        let mut builder = Builder::new(symmetry, vector);
        builder.make_units();
        builder.finish()
    }

    pub fn table_channel<'s>(symmetry: &'s Symmetry, channel: &PlacedChannel) -> &'s ChannelPart {
        match channel.ty {
            Some(ty) => &symmetry.types[ty].parts.channels[channel.index],
            None => &symmetry.globals.channels[channel.index],
        }
    }
}

/// What processes were given, by class.
type Given = BTreeMap<usize, Vec<i32>>;

struct Unit {
    /// Indices of frames.
    frames: Vec<usize>,
    /// What it was given, by class.
    given: BTreeMap<usize, i32>,
    is_fixed: bool,
    /// Parameters that are plain data: only units with the same change places.
    colour: Vec<i32>,
    /// Which group of units it is of.
    group: usize,
    channels: Vec<usize>,
}

struct Builder<'s> {
    symmetry: &'s Symmetry,
    vector: &'s [u8],
    frames: Vec<Frame>,
    /// The number of the first channel of each frame.
    first_channel: Vec<usize>,
    fixed: Vec<(usize, Vec<u8>)>,
    units: Vec<Unit>,
}

impl<'s> Builder<'s> {
    fn new(symmetry: &'s Symmetry, vector: &'s [u8]) -> Builder<'s> {
        let (mut frames, mut first_channel, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = symmetry.frames_at;
        let mut channel = symmetry.globals.channels.len() + 1;
        for _ in 0..vector[symmetry.count_at] {
            let ty = usize::from(vector[at + FrameLayout::TYPE]);
            frames.push(Frame { at, ty, unit: None });
            first_channel.push(channel);
            for (offset, ty, _) in &symmetry.types[ty].params {
                let place = at + *offset as usize;
                fixed.push((place, vector[place..place + ty.bytes()].to_vec()));
            }
            channel += symmetry.types[ty].parts.channels.len();
            at += symmetry.types[ty].layout.bytes as usize;
        }
        // Arrays that no rule writes: what they hold is part of the shape.
        for table in symmetry.globals.tables.iter().filter(|table| !table.is_written) {
            let width = table.width as usize;
            table.each_cell(&mut |at, _| {
                fixed.push((at as usize, vector[at as usize..at as usize + width].to_vec()));
            });
        }
        Builder { symmetry, vector, frames, first_channel, fixed, units: Vec::new() }
    }

    fn param(&self, frame: usize, at: u32, ty: ScalarType) -> i32 {
        ty.read(&self.vector[self.frames[frame].at + at as usize..])
    }

    /// What the frames of a type were given, by class: the first parameter of a class that differs from process to process.
    fn given(&self, frames: &[usize]) -> Given {
        let mut given = BTreeMap::new();
        let Some(first) = frames.first() else { return given };
        for (at, ty, of) in &self.symmetry.types[self.frames[*first].ty].params {
            let Some(Ref { class, plus }) = *of else { continue };
            let is_usable = match self.symmetry.classes[class].kind {
                Kind::Pid => false,
                Kind::Channel => self.symmetry.channels_move,
                Kind::Given => true,
            };
            if !is_usable || given.contains_key(&class) {
                continue;
            }
            let values: Vec<i32> =
                frames.iter().map(|frame| self.param(*frame, *at, *ty).wrapping_sub(plus)).collect();
            let is_channel = self.symmetry.classes[class].kind == Kind::Channel;
            let globals = self.symmetry.globals.channels.len() as i32;
            if is_channel && !values.iter().all(|value| (1..=globals).contains(value)) {
                continue;
            }
            let distinct: BTreeSet<i32> = values.iter().copied().collect();
            if distinct.len() == frames.len() && frames.len() > 1 {
                given.insert(class, values);
            }
        }
        given
    }

    /// Puts frames together that were given the same.
    fn make_units(&mut self) {
        let types: BTreeSet<usize> = self.frames.iter().map(|frame| frame.ty).collect();
        let types: Vec<usize> = types.into_iter().filter(|ty| self.symmetry.types[*ty].is_free).collect();
        let frames_of = |ty: usize| -> Vec<usize> {
            (0..self.frames.len()).filter(|frame| self.frames[*frame].ty == ty).collect()
        };
        let all: Vec<(Vec<usize>, Given)> = types
            .iter()
            .map(|ty| {
                let frames = frames_of(*ty);
                let given = self.given(&frames);
                (frames, given)
            })
            .collect();
        // A group: types that share a class.
        let mut group: Vec<usize> = (0..types.len()).collect();
        for a in 0..types.len() {
            for b in 0..a {
                if all[a].1.keys().any(|class| all[b].1.contains_key(class)) {
                    let (from, to) = (group[a], group[b]);
                    group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
                }
            }
        }
        for number in 0..types.len() {
            let members: Vec<usize> = (0..types.len()).filter(|ty| group[*ty] == number).collect();
            let Some((first, others)) = members.split_first() else { continue };
            let (frames, given) = &all[*first];
            let shared = given.keys().find(|class| others.iter().all(|ty| all[*ty].1.contains_key(class)));
            let mut units: Vec<Unit> = (0..frames.len())
                .map(|index| Unit {
                    frames: vec![frames[index]],
                    given: given.iter().map(|(class, values)| (*class, values[index])).collect(),
                    is_fixed: false,
                    colour: Vec::new(),
                    group: number,
                    channels: Vec::new(),
                })
                .collect();
            for ty in others {
                let (frames, other) = &all[*ty];
                for (index, frame) in frames.iter().enumerate() {
                    let values: Vec<(usize, i32)> =
                        other.iter().map(|(class, values)| (*class, values[index])).collect();
                    let own = shared.and_then(|class| values.iter().find(|(known, _)| known == class));
                    let mate = own.and_then(|(class, value)| {
                        units.iter_mut().find(|unit| unit.given.get(class) == Some(value))
                    });
                    let agrees = |unit: &Unit| {
                        values
                            .iter()
                            .all(|(class, value)| unit.given.get(class).is_none_or(|known| known == value))
                    };
                    match mate {
                        Some(unit) if agrees(unit) => {
                            unit.frames.push(*frame);
                            unit.given.extend(values);
                        }
                        // One that does not fit in: nobody of the group moves.
                        _ => units.iter_mut().for_each(|unit| unit.is_fixed = true),
                    }
                }
            }
            self.units.extend(units);
        }
        self.colour();
        self.own_channels();
        self.fix();
    }

    /// Tells units apart by what else they were given.
    fn colour(&mut self) {
        for number in 0..self.units.len() {
            let mut colour = Vec::new();
            for frame in self.units[number].frames.clone() {
                let ty = self.frames[frame].ty;
                colour.push(ty as i32);
                for (at, scalar, of) in &self.symmetry.types[ty].params {
                    let value = self.param(frame, *at, *scalar);
                    // A neighbour in a ring, say, is nothing that tells processes apart.
                    let is_unit =
                        of.is_some_and(|of| self.units.iter().any(|unit| self.is_self(unit, of, value)));
                    if !is_unit {
                        colour.push(value);
                    }
                }
            }
            colour.extend(self.rows(number));
            self.units[number].colour = colour;
        }
    }

    /// Is the reference the unit's own number?
    fn is_self(&self, unit: &Unit, of: Ref, value: i32) -> bool {
        let value = value.wrapping_sub(of.plus);
        match self.symmetry.classes[of.class].kind {
            Kind::Pid => unit.frames.iter().any(|frame| *frame as i32 == value),
            Kind::Given => unit.given.get(&of.class) == Some(&value),
            Kind::Channel => {
                unit.given.get(&of.class) == Some(&value)
                    || unit.frames.iter().any(|frame| self.local_channels(*frame).contains(&value))
            }
        }
    }

    /// The numbers of a frame's channels.
    fn local_channels(&self, frame: usize) -> std::ops::Range<i32> {
        let count = self.symmetry.types[self.frames[frame].ty].parts.channels.len() as i32;
        let first = self.first_channel[frame] as i32;
        first..first + count
    }

    /// What the unit has in arrays that no rule writes, but for its own number and the channels that may be its own.
    fn rows(&self, number: usize) -> Vec<i32> {
        let unit = &self.units[number];
        let mut found = Vec::new();
        for table in self.symmetry.globals.tables.iter().filter(|table| !table.is_written) {
            let owns = self.symmetry.channels_move && is_of_channels(self.symmetry, table);
            table.each_cell(&mut |at, rows| {
                let value = table.ty.read(&self.vector[at as usize..]);
                let is_row =
                    |(row, dim): (&u32, &Dim)| dim.of.is_some_and(|of| self.is_self(unit, of, *row as i32));
                let is_own = table.elements.is_some_and(|of| self.is_self(unit, of, value));
                if !owns && !is_own && rows.iter().zip(&table.dims).any(is_row) {
                    found.push(value);
                }
            });
        }
        found
    }

    /// The channels that belong to a unit: those it was given, and those in its rows of arrays.
    fn own_channels(&mut self) {
        if !self.symmetry.channels_move {
            return;
        }
        for number in 0..self.units.len() {
            let unit = &self.units[number];
            let kind = |class: &usize| self.symmetry.classes[*class].kind;
            let mut channels: Vec<i32> = unit
                .given
                .iter()
                .filter(|(class, _)| kind(class) == Kind::Channel)
                .map(|(_, value)| *value)
                .collect();
            for table in
                self.symmetry.globals.tables.iter().filter(|table| is_of_channels(self.symmetry, table))
            {
                let (Some(elements), Some(dim)) =
                    (table.elements, table.dims.iter().position(|dim| dim.of.is_some()))
                else {
                    continue;
                };
                let Some(row) = table.dims[dim].of.and_then(|of| self.value_of(unit, of)) else { continue };
                table.each_cell(&mut |at, rows| {
                    if rows[dim] as i32 == row {
                        channels.push(table.ty.read(&self.vector[at as usize..]).wrapping_sub(elements.plus));
                    }
                });
            }
            let mut seen = BTreeSet::new();
            channels.retain(|channel| seen.insert(*channel));
            let globals = self.symmetry.globals.channels.len() as i32;
            let is_global = |channel: &i32| (1..=globals).contains(channel);
            match channels.iter().all(is_global) {
                true => {
                    let channels = channels.into_iter().map(|channel| channel as usize - 1);
                    self.units[number].channels = channels.collect();
                }
                false => self.units[number].is_fixed = true,
            }
        }
        let mut owners = vec![0; self.symmetry.globals.channels.len()];
        self.units.iter().flat_map(|unit| &unit.channels).for_each(|channel| owners[*channel] += 1);
        let groups: BTreeSet<usize> = self.units.iter().map(|unit| unit.group).collect();
        for group in groups {
            let of_group = || self.units.iter().filter(|unit| unit.group == group);
            let parts = &self.symmetry.globals.channels;
            let Some(first) = of_group().next() else { continue };
            let agrees = |unit: &Unit| {
                unit.channels.len() == first.channels.len()
                    && unit
                        .channels
                        .iter()
                        .zip(&first.channels)
                        .all(|(a, b)| is_alike(&parts[*a], &parts[*b]))
                    && unit.channels.iter().all(|channel| owners[*channel] == 1)
            };
            if !of_group().all(agrees) {
                for unit in self.units.iter_mut().filter(|unit| unit.group == group) {
                    unit.channels.clear();
                    unit.is_fixed = true;
                }
            }
        }
    }

    /// The value of a subscript that stands for the unit.
    fn value_of(&self, unit: &Unit, of: Ref) -> Option<i32> {
        let value = match self.symmetry.classes[of.class].kind {
            // Of several processes it is not clear which.
            Kind::Pid => (unit.frames.len() == 1).then(|| unit.frames[0] as i32),
            _ => unit.given.get(&of.class).copied(),
        };
        value.map(|value| value.wrapping_add(of.plus))
    }

    /// Fixes the units whose numbers are named, or do not fit where numbers stand.
    fn fix(&mut self) {
        for number in 0..self.units.len() {
            let unit = &self.units[number];
            let mut is_fixed = unit.is_fixed;
            for (class, known) in self.symmetry.classes.iter().enumerate() {
                let values = self.numbers(unit, class);
                is_fixed |= values
                    .iter()
                    .any(|value| !(0..VALUES as i32).contains(value) || known.constants.contains(value));
                is_fixed |= values.iter().any(|value| !self.fits(class, *value));
            }
            let named = |channel: &usize| self.symmetry.named.contains(&(*channel as i32 + 1));
            is_fixed |= unit.channels.iter().any(named);
            self.units[number].is_fixed = is_fixed;
        }
    }

    /// The numbers of a class that belong to the unit.
    fn numbers(&self, unit: &Unit, class: usize) -> Vec<i32> {
        match self.symmetry.classes[class].kind {
            Kind::Pid => unit.frames.iter().map(|frame| *frame as i32).collect(),
            Kind::Given => unit.given.get(&class).copied().into_iter().collect(),
            Kind::Channel => {
                let own = unit.frames.iter().flat_map(|frame| self.local_channels(*frame));
                own.chain(unit.channels.iter().map(|channel| *channel as i32 + 1)).collect()
            }
        }
    }

    /// Does the number fit into all places where numbers of its class stand?
    fn fits(&self, class: usize, value: i32) -> bool {
        let is_kept = |of: Ref, ty: ScalarType| {
            let value = value.wrapping_add(of.plus);
            of.class != class || ty.wrap(value) == value
        };
        let all =
            || std::iter::once(&self.symmetry.globals).chain(self.symmetry.types.iter().map(|ty| &ty.parts));
        all().all(|parts| {
            parts.cells.iter().all(|cell| is_kept(cell.of, cell.ty))
                && parts
                    .channels
                    .iter()
                    .flat_map(|channel| &channel.fields)
                    .all(|(_, ty, of)| of.is_none_or(|of| is_kept(of, *ty)))
                && parts.tables.iter().flat_map(|table| &table.dims).all(|dim| {
                    dim.of.is_none_or(|of| {
                        let row = value.wrapping_add(of.plus);
                        of.class != class || (0..dim.len as i32).contains(&row)
                    })
                })
        })
    }

    fn finish(mut self) -> Shape {
        // Only those who can change places with somebody stay.
        let mut orbits: BTreeMap<(usize, Vec<i32>), Vec<usize>> = BTreeMap::new();
        for (number, unit) in self.units.iter().enumerate().filter(|(_, unit)| !unit.is_fixed) {
            orbits.entry((unit.group, unit.colour.clone())).or_default().push(number);
        }
        let kept: Vec<Vec<usize>> = orbits.into_values().filter(|orbit| orbit.len() > 1).collect();
        let order: Vec<usize> = kept.iter().flatten().copied().collect();
        let place = |unit: &usize| order.iter().position(|known| known == unit).expect("it was kept");
        let orbits: Vec<Vec<usize>> = kept.iter().map(|orbit| orbit.iter().map(place).collect()).collect();
        for (number, unit) in order.iter().enumerate() {
            for frame in self.units[*unit].frames.clone() {
                self.frames[frame].unit = Some(number);
            }
        }
        let units: Vec<Vec<usize>> = order
            .iter()
            .map(|unit| self.units[*unit].frames.iter().map(|frame| self.frames[*frame].at).collect())
            .collect();
        let names: Vec<Option<Names>> = (0..self.symmetry.classes.len())
            .map(|class| {
                let mut names = Names::new(order.len());
                let mut is_used = false;
                for (number, unit) in order.iter().enumerate() {
                    for value in self.numbers(&self.units[*unit], class) {
                        let is_new = names.add(number, value as usize);
                        debug_assert!(is_new, "no number has two owners");
                        is_used = true;
                    }
                }
                is_used.then_some(names)
            })
            .collect();
        let mut links = Vec::new();
        for frame in &self.frames {
            let Some(own) = frame.unit else { continue };
            for (at, ty, of) in &self.symmetry.types[frame.ty].params {
                let at = frame.at + *at as usize;
                let value = ty.read(&self.vector[at..]);
                let unit = of.and_then(|of| names[of.class].as_ref()?.unit_of(value.wrapping_sub(of.plus)));
                if let (Some(of), Some(unit)) = (of, unit)
                    && unit != own
                {
                    self.fixed.retain(|(known, _)| *known != at);
                    links.push((at, *ty, *of, own));
                }
            }
        }
        let mut owners = vec![None; self.symmetry.globals.channels.len()];
        for (number, unit) in order.iter().enumerate() {
            self.units[*unit].channels.iter().for_each(|channel| owners[*channel] = Some(number));
        }
        let mut channels: Vec<PlacedChannel> = (0..owners.len())
            .map(|index| PlacedChannel {
                at: self.symmetry.globals.channels[index].at as usize,
                ty: None,
                index,
                owner: owners[index],
            })
            .collect();
        for frame in &self.frames {
            let parts = &self.symmetry.types[frame.ty].parts.channels;
            channels.extend(parts.iter().enumerate().map(|(index, part)| PlacedChannel {
                at: frame.at + part.at as usize,
                ty: Some(frame.ty),
                index,
                owner: None,
            }));
        }
        let owned = order.iter().map(|unit| self.units[*unit].channels.clone()).collect();
        let is_watched = |frame: &usize| !self.symmetry.types[self.frames[*frame].ty].is_always_ready;
        let watched = (0..self.frames.len()).filter(is_watched).collect();
        let mut shape = Shape {
            bytes: self.vector.len(),
            frames: self.frames,
            fixed: self.fixed,
            links,
            orbits,
            units,
            names,
            channels,
            owned,
            watched,
            plan: Plan::default(),
        };
        shape.plan = plan(self.symmetry, &shape);
        shape
    }
}

/// Is it an array of channels, one dimension of which is by reference, and which no rule writes?
fn is_of_channels(symmetry: &Symmetry, table: &Table) -> bool {
    let is_channel = table.elements.is_some_and(|of| symmetry.classes[of.class].kind == Kind::Channel);
    is_channel && !table.is_written && table.dims.iter().filter(|dim| dim.of.is_some()).count() == 1
}

/// Do the channels hold messages of the same kind?
fn is_alike(a: &ChannelPart, b: &ChannelPart) -> bool {
    a.capacity == b.capacity && a.total_bytes == b.total_bytes && a.fields == b.fields
}
