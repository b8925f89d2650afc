//! Where a step really ends: jumps and joins are no places to stand, but an atomic sequence is not left through them.

use super::flow::{ElementId, ElementKind, Flow, Jump, Sequence, SequenceId};
use crate::with_stack;

impl Flow {
    /// Settles for the jumps of a group whether they stay in an atomic sequence: one that leaves it is its last step,
    /// one that leads from the last step of one into another joins the two.
    pub fn settle_jumps(&mut self, sequence: SequenceId) {
        let Sequence { first, extent, .. } = self.sequence(sequence);
        let mut current = first;
        while let Some(id) = current {
            let inside = match &self.element(id).kind {
                ElementKind::Jump(jump) => {
                    let target = self.jump_target(jump).map(|target| self.element(target));
                    let lands_atomic = target.is_some_and(|target| target.atomic || target.atomic_last);
                    let element = &mut self.elements[id.0];
                    if (element.atomic || element.atomic_last) && !lands_atomic {
                        (element.atomic, element.atomic_last) = (false, true);
                    } else if element.atomic_last && lands_atomic {
                        (element.atomic, element.atomic_last) = (true, false);
                    }
                    Vec::new()
                }
                ElementKind::Choice(options) => options.clone(),
                ElementKind::Unless { main, escape } => vec![*main, *escape],
                _ => Vec::new(),
            };
            for inner in inside {
                self.settle_jumps(inner);
            }
            if Some(id) == extent {
                break;
            }
            current = self.element(id).next;
        }
    }

    pub fn jump_target(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Label { name, scopes, .. } => self.labelled(name, scopes),
            Jump::Break(exit) => self.loop_exits[*exit],
        }
    }

    /// Does a remote reference ask whether the process stands here?
    fn is_watched(&self, element: ElementId) -> bool {
        !self.watched_labels.is_empty()
            && self.labels_at(element).iter().any(|(label, _)| self.watched_labels.contains(label))
    }

    /// Where a step that leads to `element` really ends: jumps and joins are passed through, but not from inside an
    /// atomic sequence to its last step or out of it.
    pub fn hunt(&self, element: ElementId, atomic: bool) -> ElementId {
        self.hunt_within(element, atomic, &mut (self.elements.len() + 1))
    }

    /// [`Self::hunt`] in at most so many moves: jumps can go in a circle, also through an unless.
    fn hunt_within(&self, mut element: ElementId, atomic: bool, moves: &mut usize) -> ElementId {
        while *moves > 0 {
            *moves -= 1;
            let next = match &self.element(element).kind {
                ElementKind::Jump(_) if self.is_watched(element) => None,
                ElementKind::Jump(jump) => self.jump_target(jump),
                ElementKind::Join | ElementKind::LoopExit => self.element(element).next,
                ElementKind::Unless { main, .. } => {
                    let first = self.sequence(*main).first;
                    first.map(|first| with_stack(|| self.hunt_within(first, atomic, moves)))
                }
                _ => None,
            };
            match next {
                Some(next) if !atomic || self.element(next).atomic => element = next,
                _ => return element,
            }
        }
        // Stay and go round.
        element
    }

    /// The element whose steps an option or block offers first.
    pub fn entry(&self, sequence: SequenceId) -> Option<ElementId> {
        let mut element = self.sequence(sequence).first?;
        for _ in 0..=self.elements.len() {
            element = match &self.element(element).kind {
                ElementKind::Join => match self.element(element).next {
                    Some(next) => next,
                    None => break,
                },
                ElementKind::Unless { main, .. } => self.sequence(*main).first?,
                _ => break,
            };
        }
        Some(element)
    }
}
