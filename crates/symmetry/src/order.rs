//! Puts the units of a state in order, with everything that refers to them.

use crate::keys::Keys;
use crate::parts::{Parts, Ref, Symmetry, Table};
use crate::shape::{Names, Shape};
use panoptes_model::FrameLayout;

/// More shapes than this are not kept.
const SHAPES_MAX: usize = 64;

/// Finds the state that stands for a state. What it finds depends on the state alone.
pub struct Canon<'s> {
    symmetry: &'s Symmetry,
    shapes: Vec<Shape>,
    keys: Keys,
    old: Vec<u8>,
    /// By unit: where it goes.
    place: Vec<u16>,
    /// By channel and the like: none of these were moved.
    used: usize,
}

impl<'s> Canon<'s> {
    pub fn new(symmetry: &'s Symmetry) -> Canon<'s> {
        Canon {
            symmetry,
            shapes: Vec::new(),
            keys: Keys::default(),
            old: Vec::new(),
            place: Vec::new(),
            used: 0,
        }
    }

    /// Makes the vector the one that stands for it. False if it is that already.
    #[inline]
    pub fn represent(&mut self, vector: &mut [u8]) -> bool {
        if !self.find_shape(vector) {
            return false;
        }
        let shape = &self.shapes[self.used];
        if shape.orbits.is_empty() || !self.keys.sort(self.symmetry, shape, vector) {
            return false;
        }
        self.apply(vector);
        true
    }

    /// After [`Self::represent`] was true: the process numbers that changed, from and to.
    pub fn moves(&self) -> Vec<(u8, u8)> {
        let shape = &self.shapes[self.used];
        let pid = |at: usize| shape.frames.iter().position(|frame| frame.at == at).expect("a frame") as u8;
        let mut moves = Vec::new();
        for (unit, place) in self.place.iter().enumerate() {
            let frames = shape.units[unit].iter().zip(&shape.units[usize::from(*place)]);
            moves.extend(frames.map(|(from, to)| (pid(*from), pid(*to))).filter(|(from, to)| from != to));
        }
        moves
    }

    /// Finds what shape the vector has. False if it is not ready.
    #[inline]
    fn find_shape(&mut self, vector: &[u8]) -> bool {
        let symmetry = self.symmetry;
        let found = match self.shapes.get(self.used).is_some_and(|shape| shape.fits(symmetry, vector)) {
            true => Some(self.used),
            false => self.shapes.iter().position(|shape| shape.fits(symmetry, vector)),
        };
        if let Some(found) = found {
            self.used = found;
            let shape = &self.shapes[found];
            return shape.watched.iter().all(|frame| {
                let frame = &shape.frames[*frame];
                let ty = &symmetry.types[frame.ty];
                ty.is_ready[ty.layout.state(&vector[frame.at..]).index()]
            });
        }
        if !self.is_ready(vector) {
            return false;
        }
        if self.shapes.len() == SHAPES_MAX {
            self.shapes.clear();
        }
        self.used = self.shapes.len();
        self.shapes.push(Shape::of(symmetry, vector));
        true
    }

    /// Can no process be started any more?
    pub(crate) fn is_ready(&self, vector: &[u8]) -> bool {
        let mut at = self.symmetry.frames_at;
        (0..vector[self.symmetry.count_at]).all(|_| {
            let ty = &self.symmetry.types[usize::from(vector[at + FrameLayout::TYPE])];
            let state = ty.layout.state(&vector[at..]).index();
            at += ty.layout.bytes as usize;
            ty.is_ready[state]
        })
    }

    fn apply(&mut self, vector: &mut [u8]) {
        let shape = &self.shapes[self.used];
        let symmetry = self.symmetry;
        let order = &self.keys.order;
        self.place.clear();
        self.place.resize(order.len(), 0);
        order.iter().enumerate().for_each(|(place, unit)| self.place[usize::from(*unit)] = place as u16);
        let place = &self.place[..];
        self.old.clear();
        self.old.extend_from_slice(vector);
        let old = &self.old[..];
        move_rows(&symmetry.globals, shape, place, (old, 0), (vector, 0));
        for (to, unit) in order.iter().enumerate() {
            let unit = usize::from(*unit);
            if unit == to {
                continue;
            }
            for (target, source) in shape.units[to].iter().zip(&shape.units[unit]) {
                let ty = &symmetry.types[usize::from(old[source + FrameLayout::TYPE])];
                let len = ty.layout.bytes as usize;
                vector[*target..target + len].copy_from_slice(&old[*source..source + len]);
            }
            for (target, source) in shape.owned[to].iter().zip(&shape.owned[unit]) {
                let (target, source) = (&shape.channels[*target], &shape.channels[*source]);
                let len = Shape::table_channel(symmetry, target).total_bytes as usize;
                vector[target.at..target.at + len].copy_from_slice(&old[source.at..source.at + len]);
            }
        }
        for (pid, frame) in shape.frames.iter().enumerate() {
            let ty = &symmetry.types[frame.ty];
            if ty.parts.tables.is_empty() {
                continue;
            }
            // Where the frame that now stands here came from.
            let source = frame.unit.map_or(frame.at, |unit| {
                let nth = shape.units[unit].iter().position(|at| *at == frame.at).expect("its own frame");
                shape.units[usize::from(order[unit])][nth]
            });
            debug_assert_eq!(shape.frames[pid].at, frame.at);
            move_rows(&ty.parts, shape, place, (old, source), (vector, frame.at));
        }
        self.rename(vector);
    }

    /// Gives every reference the number that what it leads to has now.
    fn rename(&self, vector: &mut [u8]) {
        let shape = &self.shapes[self.used];
        let (symmetry, place) = (self.symmetry, &self.place[..]);
        let names = |of: Ref| shape.names[of.class].as_ref();
        for cell in &symmetry.globals.cells {
            if let Some(names) = names(cell.of) {
                let bytes = &mut vector[cell.at as usize..];
                cell.ty.write(bytes, moved(names, cell.of, cell.ty.read(bytes), place));
            }
        }
        for frame in &shape.frames {
            let ty = &symmetry.types[frame.ty];
            if ty.parts.cells.is_empty() {
                continue;
            }
            let live = &ty.live[ty.layout.state(&vector[frame.at..]).index()];
            for (cell, _) in ty.parts.cells.iter().zip(live).filter(|(_, live)| **live) {
                if let Some(names) = names(cell.of) {
                    let bytes = &mut vector[frame.at + cell.at as usize..];
                    cell.ty.write(bytes, moved(names, cell.of, cell.ty.read(bytes), place));
                }
            }
        }
        for channel in &shape.channels {
            let part = Shape::table_channel(symmetry, channel);
            if part.capacity == 0 || part.fields.iter().all(|(.., of)| of.is_none()) {
                continue;
            }
            let len = part.len_type.read(&vector[channel.at..]) as usize;
            for (within, ty, of) in &part.fields {
                let Some((names, of)) = of.and_then(|of| Some((names(of)?, of))) else { continue };
                for slot in 0..len {
                    let at = channel.at
                        + part.len_type.bytes()
                        + slot * part.message_bytes as usize
                        + *within as usize;
                    let bytes = &mut vector[at..];
                    ty.write(bytes, moved(names, of, ty.read(bytes), place));
                }
            }
        }
    }
}

fn moved(names: &Names, of: Ref, value: i32, place: &[u16]) -> i32 {
    names.moved(value.wrapping_sub(of.plus), place).wrapping_add(of.plus)
}

/// Copies the rows of arrays to where the units go.
fn move_rows(
    parts: &Parts,
    shape: &Shape,
    place: &[u16],
    (old, source): (&[u8], usize),
    (new, target): (&mut [u8], usize),
) {
    for table in &parts.tables {
        let width = table.width as usize;
        table.each_cell(&mut |at, rows| {
            let to = target_of(table, shape, place, at, rows);
            let (from, to) = (source + at as usize, target + to as usize);
            new[to..to + width].copy_from_slice(&old[from..from + width]);
        });
    }
}

fn target_of(table: &Table, shape: &Shape, place: &[u16], at: u32, rows: &[u32]) -> u32 {
    let mut to = i64::from(at);
    for (row, dim) in rows.iter().zip(&table.dims) {
        let Some((names, of)) = dim.of.and_then(|of| Some((shape.names[of.class].as_ref()?, of))) else {
            continue;
        };
        let row = *row as i32;
        to += i64::from(moved(names, of, row, place) - row) * i64::from(dim.stride);
    }
    to as u32
}
