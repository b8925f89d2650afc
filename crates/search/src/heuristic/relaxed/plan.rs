//! The plan: from what was met backwards to the steps that bring it about, each fact by the step that brought it first.

use super::fact::{Facts, Needed, SlotId};
use super::goals::Goals;
use super::graph::{Graph, Ground, Met, NO_OPERATOR};
use super::values::Values;
use crate::heuristic::FAR;
use panoptes_model::TransId;

#[derive(Default)]
pub(super) struct Plan {
    needed: Vec<Needed>,
    /// By slot: the values that were looked at.
    seen_values: Vec<Values>,
    seen_places: Vec<bool>,
    /// By operator: how often it is taken, so far as it counts something.
    taken: Vec<u32>,
    is_taken: Vec<bool>,
    length: u32,
    /// The steps that it can begin with: who takes them, and which they are.
    pub first: Vec<(u32, TransId)>,
}

impl Plan {
    /// The length of a plan for what was met.
    pub fn extract(&mut self, ground: &Ground<'_>, graph: &Graph, met: Met) -> u32 {
        self.needed.clear();
        self.first.clear();
        self.seen_values.clear();
        self.seen_values.resize(ground.slot_count(), Values::NONE);
        self.seen_places.clear();
        self.seen_places.resize(ground.place_count(), false);
        self.taken.clear();
        self.taken.resize(ground.operators.len(), 0);
        self.is_taken.clear();
        self.is_taken.resize(ground.operators.len(), false);
        self.length = 0;
        self.begin(ground, graph, met);
        while let Some(needed) = self.needed.pop() {
            match needed {
                Needed::Place(place) => self.place(ground, graph, place),
                Needed::Value(slot, value) => self.value(ground, graph, slot, value),
            }
        }
        self.length.min(FAR)
    }

    fn begin(&mut self, ground: &Ground<'_>, graph: &Graph, met: Met) {
        let Goals { conditions, blocked } = &ground.goals;
        match met {
            Met::Condition(index) => conditions[index].explain(graph, true, &mut self.needed),
            Met::Assertion(operator, number) => {
                self.take(ground, graph, operator);
                let asserted = &ground.operators[operator as usize].asserted[number];
                asserted.explain(graph, false, &mut self.needed);
            }
            Met::Deadlock => {
                for (stuck, places) in graph.stuck.iter().zip(blocked) {
                    let found = places.iter().find(|(place, _)| Some(*place) == *stuck);
                    if let Some((place, condition)) = found {
                        self.needed.push(Needed::Place(*place));
                        condition.explain(graph, true, &mut self.needed);
                    }
                }
            }
        }
    }

    fn place(&mut self, ground: &Ground<'_>, graph: &Graph, place: u32) {
        if std::mem::replace(&mut self.seen_places[place as usize], true) {
            return;
        }
        let support = graph.place_support(place);
        if support.operator != NO_OPERATOR && graph.place_layer(place).is_some() {
            self.take(ground, graph, support.operator);
        }
    }

    fn value(&mut self, ground: &Ground<'_>, graph: &Graph, slot: SlotId, value: Values) {
        let known = &mut self.seen_values[slot as usize];
        if graph.values(slot).and(value).is_empty() || !known.and(value).is_empty() {
            return;
        }
        *known = known.or(value);
        let support = graph.support(slot, value);
        if support.operator == NO_OPERATOR {
            return;
        }
        let operator = &ground.operators[support.operator as usize];
        // Somebody is ready to take a message: that is no step yet.
        if let Some((early, effects)) = &operator.ready
            && effects.iter().any(|effect| effect.slot == slot)
        {
            self.needed.push(Needed::Place(operator.place));
            early.explain(graph, true, &mut self.needed);
            return;
        }
        self.take(ground, graph, support.operator);
        let effect = operator.effects.iter().find(|effect| effect.slot == slot);
        let Some(source) = effect.and_then(|effect| effect.source) else { return };
        if !support.source.is_empty() {
            self.needed.push(Needed::Value(source, support.source));
        }
        if source == slot {
            // What counts up or down is taken once for each number.
            let taken = &mut self.taken[support.operator as usize];
            *taken += 1;
            self.length += u32::from(*taken > 1);
        }
    }

    fn take(&mut self, ground: &Ground<'_>, graph: &Graph, index: u32) {
        if std::mem::replace(&mut self.is_taken[index as usize], true) {
            return;
        }
        let operator = &ground.operators[index as usize];
        // In a rendezvous, the step is the sender's.
        self.length += u32::from(operator.ready.is_none());
        if graph.fired[index as usize] == 0 && operator.ready.is_none() {
            self.first.push((operator.instance, operator.transition));
        }
        self.needed.push(Needed::Place(operator.place));
        operator.guard.explain(graph, true, &mut self.needed);
    }
}
