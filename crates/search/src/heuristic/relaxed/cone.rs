//! The cone of influence: the processes that what is looked for depends on, directly or through others.

use super::fact::{Fact, Read};
use super::goals::Goals;
use super::ground::{Effect, Instance, Operator};

/// For each instance: can its steps have to do with a goal?
pub(super) fn related(
    instances: &[Instance],
    slots: usize,
    operators: &[Operator],
    goals: &Goals,
) -> Vec<bool> {
    let mut cone = Cone { instances, related: vec![false; instances.len()], slots: vec![false; slots] };
    goals.conditions.iter().for_each(|condition| cone.note(condition));
    if !goals.blocked.is_empty() {
        // Everybody takes part in a deadlock.
        cone.related.fill(true);
    }
    let asserts = operators.iter().filter(|operator| !operator.asserted.is_empty());
    asserts.for_each(|operator| cone.related[operator.instance as usize] = true);
    loop {
        let before = (cone.count(), cone.related.iter().filter(|is_related| **is_related).count());
        for operator in operators {
            let writes = operator.effects().any(|effect| cone.slots[effect.slot as usize]);
            let starts = operator.starts.iter().any(|place| cone.has_place(*place));
            if writes || starts {
                cone.related[operator.instance as usize] = true;
            }
            if cone.related[operator.instance as usize] {
                cone.note(&operator.guard);
                operator.asserted.iter().for_each(|condition| cone.note(condition));
                for Effect { value, when, .. } in operator.effects() {
                    cone.note(value);
                    when.iter().for_each(|(number, _)| cone.note(number));
                }
            }
        }
        if before == (cone.count(), cone.related.iter().filter(|is_related| **is_related).count()) {
            return cone.related;
        }
    }
}

struct Cone<'i> {
    instances: &'i [Instance],
    related: Vec<bool>,
    /// Slots whose values matter.
    slots: Vec<bool>,
}

impl Cone<'_> {
    fn note(&mut self, fact: &Fact) {
        fact.walk(&mut |read| match read {
            Read::Slot(slot) => self.slots[slot as usize] = true,
            Read::Process(first, _) => {
                let found = self.instances.iter().position(|instance| instance.first_place == first);
                found.into_iter().for_each(|index| self.related[index] = true);
            }
        });
    }

    fn has_place(&self, place: u32) -> bool {
        let is_there = |instance: &Instance| {
            (instance.first_place..instance.first_place + instance.places).contains(&place)
        };
        self.instances.iter().position(is_there).is_some_and(|index| self.related[index])
    }

    fn count(&self) -> usize {
        self.slots.iter().filter(|is_read| **is_read).count()
    }
}
