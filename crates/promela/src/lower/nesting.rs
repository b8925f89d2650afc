//! What stands inside what: escapes interrupt everything inside their `unless`, and atomic sequences swallow those in
//! them.

use super::flow::{ElementId, ElementKind, Flow, Grouping, Sequence, SequenceId};

impl Flow {
    pub fn attach_escape(&mut self, main: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = self.sequence(main);
        let mut current = first;
        while let Some(element) = current {
            self.escape_element(element, escape);
            if Some(element) == extent {
                break;
            }
            current = self.element(element).next;
        }
    }

    /// Lets `escape` interrupt an element, the escapes it already has, and everything inside it.
    fn escape_element(&mut self, id: ElementId, escape: SequenceId) {
        let element = self.element(id);
        if element.escapes.contains(&escape) {
            return;
        }
        let mut inside: Vec<SequenceId> = element.escapes.clone();
        match &element.kind {
            ElementKind::Unless { main, .. } => inside.push(*main),
            ElementKind::Choice(options) => inside.extend(options),
            ElementKind::Group(Grouping::Plain | Grouping::Atomic, sequence) => inside.push(*sequence),
            _ => {}
        }
        let guard_of_step = match element.kind {
            ElementKind::Group(Grouping::Deterministic, sequence) => self.sequence(sequence).first,
            _ => None,
        };
        self.elements[id.0].escapes.insert(0, escape);
        for sequence in inside {
            self.attach_escape(sequence, escape);
        }
        if let Some(guard) = guard_of_step {
            self.escape_element(guard, escape);
        }
    }

    /// Makes a sequence atomic: a step in it is followed by the next without others in between. Groups inside become
    /// plain ones.
    pub fn make_atomic(&mut self, sequence: SequenceId, indivisible: Option<usize>) {
        self.mark_atomic(sequence, indivisible);
        let Some(last) = self.sequence(sequence).last else { return };
        match self.element(last).kind {
            ElementKind::Group(Grouping::Plain | Grouping::Atomic, inner) => {
                self.make_atomic(inner, indivisible)
            }
            ElementKind::Unless { main, .. } => self.make_atomic(main, indivisible),
            _ => {
                let element = &mut self.elements[last.0];
                element.atomic = false;
                element.atomic_last = true;
            }
        }
    }

    fn mark_atomic(&mut self, sequence: SequenceId, indivisible: Option<usize>) {
        let Sequence { first, last, .. } = self.sequence(sequence);
        let mut current = first;
        while let Some(id) = current {
            let element = &mut self.elements[id.0];
            element.atomic = true;
            element.indivisible = indivisible.or(element.indivisible);
            let inside = match &mut element.kind {
                ElementKind::Group(grouping, inner) => {
                    if *grouping == Grouping::Atomic || indivisible.is_some() {
                        *grouping = Grouping::Plain;
                    }
                    vec![*inner]
                }
                ElementKind::Choice(options) => options.clone(),
                ElementKind::Unless { main, escape } => vec![*main, *escape],
                _ => Vec::new(),
            };
            for inner in inside {
                self.mark_atomic(inner, indivisible);
            }
            if Some(id) == last {
                break;
            }
            current = self.element(id).next;
        }
    }
}
