//! Strong fairness: is there a cycle in a component on which every process that can move somewhere does move?
//!
//! That is a Streett condition, a pair for each process. A component as a whole may fail it because of one process that can move in some
//! of its states and never does, and yet a part of it that avoids these states may not: so those states are taken away, and
//! what is left is looked at again, component by component (Emerson and Lei, *Modalities for Model Checking*, 1985).

use super::lasso::{LOOK_EVERY, Searched};
use super::marks::Marks;
use crate::stop::Stop;
use panoptes_store::{StateRef, StateStore};

/// Where a strongly fair cycle leads through, and the marks that it must have.
pub(crate) struct FairPart<const W: usize> {
    pub states: Vec<StateRef>,
    pub required: Marks<W>,
}

/// The steps within the component, and who can move in each of its states.
struct Inner<const W: usize> {
    /// By state: where to, and with which marks.
    steps: Vec<Vec<(u32, Marks<W>)>>,
    enabled: Vec<Marks<W>>,
}

impl<S: StateStore, const W: usize> Searched<'_, '_, '_, S, W> {
    /// A part of a component that has a strongly fair cycle with all acceptance sets. The first of its states has the number
    /// `first`.
    pub fn fair_part(&mut self, states: &[StateRef], first: u32) -> Result<Option<FairPart<W>>, Stop> {
        let inner = self.inner(states, first)?;
        let claim = self.product.required;
        let all: Vec<u32> = (0..states.len() as u32).collect();
        let mut parts = inner.components(&all);
        while let Some(part) = parts.pop() {
            let (marks, enabled) = inner.sum(&part);
            if !marks.contains(&claim) {
                continue;
            }
            let mut starved = enabled;
            starved.remove(&marks);
            if starved.is_empty() {
                let mut required = claim;
                required.add(&enabled);
                let states = part.iter().map(|state| states[*state as usize]).collect();
                return Ok(Some(FairPart { states, required }));
            }
            let rest: Vec<u32> =
                part.into_iter().filter(|state| !inner.enabled[*state as usize].meets(&starved)).collect();
            parts.extend(inner.components(&rest));
        }
        Ok(None)
    }

    /// Expands the states of the component once more.
    fn inner(&mut self, states: &[StateRef], first: u32) -> Result<Inner<W>, Stop> {
        let mut inner = Inner { steps: Vec::new(), enabled: Vec::new() };
        let (mut vector, mut target) = (Vec::new(), Vec::new());
        let mut step_count = 0;
        for (index, state) in states.iter().enumerate() {
            if index.is_multiple_of(LOOK_EVERY) {
                let step_bytes = size_of::<(u32, Marks<W>)>();
                self.look_at_limits(step_count * step_bytes + index * size_of::<Marks<W>>())?;
            }
            vector.clear();
            self.visited.read_origin(*state, &mut vector);
            self.product.expand(self.worker, self.visited, &vector, 0)?;
            let mut steps = Vec::new();
            for taken in &self.product.moves {
                target.clear();
                self.product.target(taken, &vector, &mut target);
                let prepared = self.visited.prepare(&target)?;
                let number = self.visited.find(prepared, &target).and_then(|to| self.numbers.get(to));
                if let Some(number) = number.filter(|number| *number >= first) {
                    steps.push((number - first, taken.marks));
                }
            }
            step_count += steps.capacity();
            inner.steps.push(steps);
            inner.enabled.push(self.product.enabled());
        }
        Ok(inner)
    }
}

impl<const W: usize> Inner<W> {
    /// The marks of all steps within a part, and who can move in any of its states.
    fn sum(&self, part: &[u32]) -> (Marks<W>, Marks<W>) {
        let (mut marks, mut enabled) = (Marks::EMPTY, Marks::EMPTY);
        for state in part {
            enabled.add(&self.enabled[*state as usize]);
            let inside = self.steps[*state as usize].iter().filter(|(to, _)| part.binary_search(to).is_ok());
            inside.for_each(|(_, of_step)| marks.add(of_step));
        }
        (marks, enabled)
    }

    /// The strongly connected components of what is left of the states (which are in order), those without a step left out; each
    /// in order. (Tarjan 1972, without recursion.)
    fn components(&self, left: &[u32]) -> Vec<Vec<u32>> {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; left.len()];
        let mut lows = vec![NONE; left.len()];
        let mut is_open = vec![false; left.len()];
        let (mut open, mut found, mut count) = (Vec::new(), Vec::new(), 0);
        let place = |state: u32| left.binary_search(&state).ok();
        for root in 0..left.len() {
            if numbers[root] != NONE {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                if *next == 0 {
                    numbers[at] = count;
                    lows[at] = count;
                    count += 1;
                    open.push(at);
                    is_open[at] = true;
                }
                let steps = &self.steps[left[at] as usize];
                if let Some((to, _)) = steps.get(*next) {
                    *next += 1;
                    match place(*to) {
                        Some(to) if numbers[to] == NONE => path.push((to, 0)),
                        Some(to) if is_open[to] => lows[at] = lows[at].min(numbers[to]),
                        _ => {}
                    }
                    continue;
                }
                // A state without steps is looked at once all the same.
                path.pop();
                if let Some((before, _)) = path.last() {
                    lows[*before] = lows[*before].min(lows[at]);
                }
                if lows[at] == numbers[at] {
                    let start = open.iter().rposition(|state| *state == at).expect("it is open");
                    let mut part: Vec<u32> = open
                        .drain(start..)
                        .map(|place| {
                            is_open[place] = false;
                            left[place]
                        })
                        .collect();
                    part.sort_unstable();
                    let has_step = |state: &u32| {
                        self.steps[*state as usize].iter().any(|(to, _)| part.binary_search(to).is_ok())
                    };
                    if part.iter().any(has_step) {
                        found.push(part);
                    }
                }
            }
        }
        found
    }
}
