//! A process body as elements in sequences: the shape between syntax and automaton.
//!
//! Every statement is an element with a number, numbered in the order in which SPIN numbers them, because `pc_value`
//! shows these numbers and because what counts as one step (a jump inside an atomic sequence does, one outside does
//! not) is defined on this shape. A choice owns one sequence an option; a block owns its sequence; a target element
//! closes each choice and is shared by its options.

use crate::ast::Name;
use panoptes_model::{Action, Guard};
use panoptes_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ElementId(pub usize);

impl ElementId {
    /// Its number in the state vector; bodies with more elements than there are numbers are refused.
    pub fn number(self) -> Option<u16> {
        u16::try_from(self.0 + 1).ok()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SequenceId(pub usize);

/// Where a jump goes.
#[derive(Clone, Debug)]
pub(crate) enum Jump {
    /// A label, with the scopes around the jump, innermost last.
    Label { name: Name, span: Span, scopes: Vec<u32> },
    /// Out of the loop with that index in [`Flow::loop_exits`].
    Break(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    Plain,
    Atomic,
    Deterministic,
}

/// A statement that has been read but not yet been given its place and number.
pub(crate) struct Node {
    pub labels: Vec<(Name, Span)>,
    pub kind: NodeKind,
    pub span: Span,
    /// Not written in the text as such: part of a `for` or `select`.
    pub implied: bool,
}

pub(crate) enum NodeKind {
    Basic { guard: Guard, actions: Vec<Action> },
    Jump(Jump),
    Choice { options: Vec<SequenceId>, exit: Option<usize> },
    Group(Grouping, SequenceId),
    Unless { main: SequenceId, escape: SequenceId },
}

pub(crate) enum ElementKind {
    Basic {
        guard: Guard,
        actions: Vec<Action>,
    },
    Jump(Jump),
    /// Closes a choice or unless; going through it is no step, except at the end of an atomic sequence.
    Join,
    /// Where `break` leads.
    LoopExit,
    Choice(Vec<SequenceId>),
    Group(Grouping, SequenceId),
    Unless {
        main: SequenceId,
        escape: SequenceId,
    },
    /// The end of the body.
    End,
}

pub(crate) struct Element {
    pub kind: ElementKind,
    pub next: Option<ElementId>,
    /// Inside an atomic sequence and not its last step.
    pub atomic: bool,
    /// The last step of an atomic sequence.
    pub atomic_last: bool,
    /// The deterministic step it is in, by the number of its sequence.
    pub indivisible: Option<usize>,
    /// Escapes that interrupt this element, outermost first.
    pub escapes: Vec<SequenceId>,
    pub span: Span,
    pub implied: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element before a join was appended.
    pub extent: Option<ElementId>,
}

#[derive(Default)]
pub(crate) struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    /// Sequences being filled, innermost last.
    open: Vec<SequenceId>,
    /// Labels belong to the block they stand in: each use of an inline has its own.
    pub labels: FxHashMap<(Name, u32), (ElementId, Span)>,
    /// The same by name, and by the element that has them.
    labels_named: FxHashMap<Name, Vec<ElementId>>,
    labels_at: FxHashMap<ElementId, Vec<(Name, Span)>>,
    /// Scopes around the current statement, innermost last; the process itself is scope zero.
    pub scopes: Vec<u32>,
    scope_count: u32,
    /// Labels declared a second time where the first is visible: name, second and first place.
    pub label_clashes: Vec<(Name, Span, Span)>,
    pub loop_exits: Vec<Option<ElementId>>,
    /// Labels that remote references ask for.
    pub watched_labels: FxHashSet<Name>,
}

impl Flow {
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    pub fn sequence(&self, id: SequenceId) -> Sequence {
        self.sequences[id.0]
    }

    pub fn enter_scope(&mut self) {
        self.scope_count += 1;
        self.scopes.push(self.scope_count);
    }

    pub fn leave_scope(&mut self) {
        self.scopes.pop();
    }

    /// The element a label names for a jump inside `scopes`: that of the innermost block that has it, or the only one
    /// there is anywhere.
    pub fn labelled(&self, name: &Name, scopes: &[u32]) -> Option<ElementId> {
        let scopes = scopes.iter().rev().chain(&[0]);
        let mut visible = scopes.filter_map(|scope| self.labels.get(&(name.clone(), *scope)));
        match (visible.next(), self.labels_named.get(name).map_or(&[][..], Vec::as_slice)) {
            (Some((element, _)), _) | (None, [element]) => Some(*element),
            _ => None,
        }
    }

    /// The labels of an element.
    pub fn labels_at(&self, element: ElementId) -> &[(Name, Span)] {
        self.labels_at.get(&element).map_or(&[], Vec::as_slice)
    }

    pub fn open(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() - 1));
    }

    pub fn close(&mut self) -> SequenceId {
        let id = self.open.pop().unwrap_or(SequenceId(0));
        self.sequences[id.0].extent = self.sequences[id.0].last;
        id
    }

    /// Has the open sequence no element yet?
    pub fn is_empty(&self) -> bool {
        self.open.last().is_none_or(|open| self.sequence(*open).first.is_none())
    }

    /// The label of a sequence's first element, which is no state by itself. (A loop's label is on the loop, which is
    /// not the first element.)
    pub fn label_of_first(&self, sequence: SequenceId) -> Option<(Name, Span)> {
        let first = self.sequence(sequence).first?;
        self.labels_at(first).first().cloned()
    }

    /// A new element; its number is its index plus one.
    fn create(&mut self, kind: ElementKind, span: Span) -> ElementId {
        self.elements.push(Element {
            kind,
            next: None,
            atomic: false,
            atomic_last: false,
            indivisible: None,
            escapes: Vec::new(),
            span,
            implied: false,
        });
        ElementId(self.elements.len() - 1)
    }

    fn append(&mut self, element: ElementId, sequence: SequenceId) {
        match self.sequences[sequence.0].last {
            Some(last) => self.elements[last.0].next = Some(element),
            None => self.sequences[sequence.0].first = Some(element),
        }
        self.sequences[sequence.0].last = Some(element);
    }

    fn append_here(&mut self, element: ElementId) {
        if let Some(current) = self.open.last() {
            self.append(element, *current);
        }
    }

    /// Appends a statement to the open sequence.
    pub fn add(&mut self, node: Node) {
        let span = node.span;
        match node.kind {
            NodeKind::Basic { guard, actions } => {
                let element = self.create(ElementKind::Basic { guard, actions }, span);
                self.elements[element.0].implied = node.implied;
                self.label(&node.labels, element);
                self.append_here(element);
            }
            NodeKind::Jump(jump) => {
                let element = self.create(ElementKind::Jump(jump), span);
                self.elements[element.0].implied = node.implied;
                // A jump is no place to stand; if somebody may end or is watched there, an empty step is.
                if node.labels.iter().any(|(name, _)| is_special(name)) {
                    let skip = ElementKind::Basic { guard: Guard::Always, actions: Vec::new() };
                    let skip = self.create(skip, span);
                    self.label(&node.labels, skip);
                    self.append_here(skip);
                } else {
                    self.label(&node.labels, element);
                }
                self.append_here(element);
            }
            NodeKind::Choice { options, exit } => self.add_choice(options, exit, &node.labels, span),
            NodeKind::Group(grouping, sequence) => {
                let element = self.create(ElementKind::Group(grouping, sequence), span);
                self.label(&node.labels, element);
                self.append_here(element);
            }
            NodeKind::Unless { main, escape } => {
                let element = self.create(ElementKind::Unless { main, escape }, span);
                let join = self.create(ElementKind::Join, span);
                self.append(join, main);
                self.append(join, escape);
                self.attach_escape(main, escape);
                self.label(&node.labels, element);
                self.append_here(element);
                self.append_here(join);
            }
        }
    }

    /// In a loop the join stands before the choice, so that an option's end leads back to it.
    fn add_choice(
        &mut self,
        options: Vec<SequenceId>,
        exit: Option<usize>,
        labels: &[(Name, Span)],
        span: Span,
    ) {
        let choice = self.create(ElementKind::Choice(options.clone()), span);
        let join = self.create(ElementKind::Join, span);
        for option in options {
            self.append(join, option);
        }
        let mut after = join;
        if let Some(exit) = exit {
            self.append_here(join);
            after = self.create(ElementKind::LoopExit, span);
            self.loop_exits[exit] = Some(after);
        }
        self.label(labels, choice);
        self.append_here(choice);
        self.append_here(after);
    }

    /// In an option, a `skip` after another is no step, unless it has a label or ends the option.
    pub fn drop_redundant_skips(&mut self, option: SequenceId) {
        let Sequence { first, last, .. } = self.sequence(option);
        let (mut previous, mut after_skip) = (None, false);
        let mut current = first;
        while let Some(id) = current {
            let element = self.element(id);
            let (next, labelled) = (element.next, !self.labels_at(id).is_empty());
            let is_skip = matches!(&element.kind, ElementKind::Basic { guard: Guard::Always, actions } if actions.is_empty());
            if is_skip && !labelled {
                match previous {
                    Some(ElementId(previous)) if after_skip && Some(id) != last => {
                        self.elements[previous].next = next;
                        // It is not dead code either: nobody needs to hear of it.
                        self.elements[id.0].implied = true;
                        current = next;
                        continue;
                    }
                    _ => after_skip = true,
                }
            } else {
                after_skip = false;
            }
            if Some(id) == last {
                break;
            }
            previous = Some(id);
            current = next;
        }
    }

    /// Closes the body with its end.
    pub fn finish(&mut self, span: Span) -> SequenceId {
        let end = self.create(ElementKind::End, span);
        self.append_here(end);
        self.close()
    }

    fn label(&mut self, labels: &[(Name, Span)], element: ElementId) {
        let scope = self.scopes.last().copied().unwrap_or(0);
        for (name, span) in labels {
            let around = self.scopes.iter().rev().chain(&[0]);
            let visible = around.filter_map(|scope| self.labels.get(&(name.clone(), *scope))).next();
            if let Some((_, other)) = visible {
                self.label_clashes.push((name.clone(), *span, *other));
            }
            if let Entry::Vacant(entry) = self.labels.entry((name.clone(), scope)) {
                entry.insert((element, *span));
                self.labels_named.entry(name.clone()).or_default().push(element);
                self.labels_at.entry(element).or_default().push((name.clone(), *span));
            }
        }
    }
}

/// Labels that say something about the state they stand at.
pub(crate) fn is_special(label: &str) -> bool {
    ["end", "progress", "accept"].iter().any(|prefix| label.starts_with(prefix))
}
