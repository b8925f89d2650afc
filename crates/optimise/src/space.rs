//! Which variables a place can reach.

use panoptes_model::{Place, Variable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The variables of one region (the global ones, or those of a process type) by the bytes they take.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Sorted, with the number of the variable.
    ranges: Vec<(Range<u32>, usize)>,
    /// For each byte, the first of them that does not end before it.
    first: Vec<u32>,
    /// No two variables share a byte.
    pub is_regular: bool,
    /// What was found for places with subscripts: by offset, bytes, and the length and stride of each subscript.
    known: RefCell<HashMap<Form, Rc<[usize]>>>,
}

type Form = (u32, usize, Vec<(u32, u32)>);

/// Some variables, one after the other.
pub(crate) struct Reached {
    one: Option<usize>,
    many: Option<Rc<[usize]>>,
    at: usize,
}

impl Iterator for Reached {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let Some(many) = &self.many else { return self.one.take() };
        self.at += 1;
        many.get(self.at - 1).copied()
    }
}

impl Space {
    pub fn new(variables: &[Variable]) -> Space {
        let mut ranges: Vec<_> =
            variables.iter().enumerate().map(|(index, variable)| (bytes_of(variable), index)).collect();
        ranges.sort_by_key(|(range, _)| range.start);
        let is_regular = ranges.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
        let mut first = Vec::new();
        for (place, (range, _)) in ranges.iter().enumerate() {
            first.resize(first.len().max(range.end as usize), place as u32);
        }
        Space { ranges, first, is_regular, known: RefCell::default() }
    }

    /// The variables that have a byte in `range`.
    pub fn overlapping(&self, range: Range<u32>) -> impl Iterator<Item = usize> + '_ {
        let first = self.first.get(range.start as usize).map_or(self.ranges.len(), |first| *first as usize);
        self.ranges[first..]
            .iter()
            .take_while(move |(other, _)| other.start < range.end)
            .map(|(_, index)| *index)
    }

    /// The variables that the place may be, whatever its subscripts are.
    pub fn reached(&self, place: &Place) -> Reached {
        let mut found = self.overlapping(reach(place));
        let (first, second) = (found.next(), found.next());
        if second.is_none() {
            return Reached { one: first, many: None, at: 0 };
        }
        let terms = place.indices.iter().map(|term| (term.len, term.stride)).collect();
        let key = (place.offset, place.ty.bytes(), terms);
        let mut known = self.known.borrow_mut();
        let many = known.entry(key).or_insert_with(|| self.list(place).into());
        Reached { one: None, many: Some(many.clone()), at: 0 }
    }

    fn list(&self, place: &Place) -> Vec<usize> {
        // Between the elements of an array of records lie other fields.
        let Some(offsets) = offsets(place) else { return self.overlapping(reach(place)).collect() };
        let bytes = place.ty.bytes() as u32;
        let mut found: Vec<usize> =
            offsets.into_iter().flat_map(|at| self.overlapping(at..at + bytes)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The variable that the place is, all of it and no other.
    pub fn exact(&self, place: &Place, variables: &[Variable]) -> Option<usize> {
        let index = self.reached(place).next()?;
        let variable = &variables[index];
        let same =
            variable.offset == place.offset && variable.ty.bytes() == place.ty.bytes() && variable.count == 1;
        (same && place.indices.is_empty()).then_some(index)
    }
}

/// More places than this are not listed one by one.
const OFFSETS_MAX: u32 = 4096;

/// Where the place can start; none if there are too many possibilities.
pub(crate) fn offsets(place: &Place) -> Option<Vec<u32>> {
    let count = place.indices.iter().try_fold(1u32, |count, term| count.checked_mul(term.len));
    count.filter(|count| *count <= OFFSETS_MAX)?;
    let mut found = vec![place.offset];
    for term in &place.indices {
        let steps = |at: u32| (0..term.len).map(move |index| at + index * term.stride);
        found = found.into_iter().flat_map(steps).collect();
    }
    Some(found)
}

/// All bytes that a place can be, with everything between them.
pub(crate) fn reach(place: &Place) -> Range<u32> {
    let far: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
    place.offset..place.offset + far + place.ty.bytes() as u32
}

pub(crate) fn bytes_of(variable: &Variable) -> Range<u32> {
    variable.offset..variable.offset + variable.count * variable.ty.bytes() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::{Display, Expr, IndexTerm, Region, ScalarType};

    fn variable(offset: u32, ty: ScalarType, count: u32) -> Variable {
        Variable { name: "v".into(), offset, ty, display: Display::Int, count, is_array: count > 1 }
    }

    fn place(offset: u32, indices: Vec<IndexTerm>) -> Place {
        Place { region: Region::Local, offset, ty: ScalarType::BYTE, indices, name: "v".into() }
    }

    #[test]
    fn a_subscript_reaches_the_whole_array() {
        let variables = [
            variable(4, ScalarType::BYTE, 1),
            variable(5, ScalarType::BYTE, 3),
            variable(8, ScalarType::INT, 1),
        ];
        let space = Space::new(&variables);
        assert!(space.is_regular);
        let subscript = IndexTerm { index: Expr::Const(0), len: 3, stride: 1 };
        let array = place(5, vec![subscript]);
        assert_eq!(space.reached(&array).collect::<Vec<_>>(), [1]);
        assert_eq!(space.exact(&array, &variables), None);
        assert_eq!(space.exact(&place(4, vec![]), &variables), Some(0));
        assert_eq!(space.exact(&place(8, vec![]), &variables), None, "only a part of it");
        assert_eq!(space.overlapping(4..9).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn a_field_of_an_array_of_records_is_not_its_neighbour() {
        let variables: Vec<Variable> = (4..8).map(|at| variable(at, ScalarType::BYTE, 1)).collect();
        let subscript = IndexTerm { index: Expr::Const(0), len: 2, stride: 2 };
        let second = place(5, vec![subscript]);
        assert_eq!(Space::new(&variables).reached(&second).collect::<Vec<_>>(), [1, 3]);
    }
}
