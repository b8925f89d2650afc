//! What the components of an automaton are good for: the classes N, F, P and S of Edelkamp, Lluch Lafuente and Leue
//! (2001), and what follows from them for a search.

use crate::automaton::{Automaton, Marks, StateId};
use crate::bdd::{Bdd, Bdds};
use crate::graph::Graph;
use crate::scc::{Components, components};

/// The class of a component, by its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ComponentClass {
    /// S: whatever comes is accepted, as at the end of a never claim.
    End,
    /// N: no cycle is accepting, or there is none.
    NonAccepting,
    /// P: some cycles are accepting and some are not.
    PartiallyAccepting,
    /// F: every cycle is accepting.
    FullyAccepting,
}

impl ComponentClass {
    pub fn letter(self) -> char {
        match self {
            ComponentClass::End => 'S',
            ComponentClass::NonAccepting => 'N',
            ComponentClass::PartiallyAccepting => 'P',
            ComponentClass::FullyAccepting => 'F',
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            ComponentClass::End => "accepts whatever comes",
            ComponentClass::NonAccepting => "no accepting cycle",
            ComponentClass::PartiallyAccepting => "some cycles are accepting",
            ComponentClass::FullyAccepting => "every cycle is accepting",
        }
    }
}

/// How much a search has to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// A word is accepted exactly if a component of class S is reached: reachability is enough.
    Terminal,
    /// No component has accepting and other cycles: a cycle in an accepting component is enough.
    Weak,
    /// Cycles have to be told apart.
    Strong,
}

/// The components of an automaton and their classes.
#[derive(Clone, Debug)]
pub struct Classes {
    of_state: Vec<usize>,
    classes: Vec<ComponentClass>,
    has_cycle: Vec<bool>,
}

impl Classes {
    /// The component of a state. Edges never lead to a component with a higher number.
    pub fn component(&self, state: StateId) -> usize {
        self.of_state[state.index()]
    }

    pub fn class(&self, state: StateId) -> ComponentClass {
        self.classes[self.component(state)]
    }

    /// The classes of all components, by their numbers.
    pub fn classes(&self) -> &[ComponentClass] {
        &self.classes
    }

    pub fn strength(&self) -> Strength {
        let has = |class: ComponentClass| self.classes.contains(&class);
        if has(ComponentClass::PartiallyAccepting) {
            Strength::Strong
        } else if has(ComponentClass::FullyAccepting) {
            Strength::Weak
        } else {
            Strength::Terminal
        }
    }

    /// Is every infinite run accepting? Then a word is rejected only because runs end: the language is a safety property.
    pub fn accepts_every_run(&self) -> bool {
        let accepts =
            |class: &ComponentClass| matches!(class, ComponentClass::End | ComponentClass::FullyAccepting);
        self.classes.iter().zip(&self.has_cycle).all(|(class, has_cycle)| !has_cycle || accepts(class))
    }
}

/// The letters of the classes that occur, as in `S+N+P`.
impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut classes = self.classes.clone();
        classes.sort_unstable();
        classes.dedup();
        let letters: Vec<String> = classes.iter().map(|class| class.letter().to_string()).collect();
        f.write_str(&letters.join("+"))
    }
}

impl Automaton {
    /// The classes of its components, whether they can be reached or not.
    pub fn classes(&self) -> Classes {
        let mut bdds = Bdds::new(usize::MAX);
        let graph = Graph::from_automaton(self, &mut bdds);
        let states = graph.len();
        let found = components(states, 0..states, |from| graph.arcs[from].iter().map(|arc| arc.target));
        let marks = graph.component_marks(&found);
        let classes = (0..found.count).map(|component| {
            if !marks[component].has_cycle || !marks[component].seen.contains(graph.all_marks()) {
                ComponentClass::NonAccepting
            } else if graph.has_rejecting_cycle(&found, component) {
                ComponentClass::PartiallyAccepting
            } else if graph.is_closed(&found, component, &mut bdds) {
                ComponentClass::End
            } else {
                ComponentClass::FullyAccepting
            }
        });
        Classes {
            classes: classes.collect(),
            of_state: found.of.iter().map(|of| of.expect("all states are searched")).collect(),
            has_cycle: marks.iter().map(|marks| marks.has_cycle).collect(),
        }
    }
}

impl Graph {
    /// Is there a cycle in the component that lacks one of the marks?
    fn has_rejecting_cycle(&self, found: &Components, component: usize) -> bool {
        let is_inside = |state: usize| found.of[state] == Some(component);
        self.all_marks().iter().any(|mark| {
            let kept = |from: usize| {
                let arcs = self.arcs[from].iter();
                arcs.filter(move |arc| is_inside(arc.target) && !arc.marks.contains(Marks::single(mark)))
            };
            let members = (0..self.len()).filter(|state| is_inside(*state));
            let inner = components(self.len(), members.clone(), |from| kept(from).map(|arc| arc.target));
            members.into_iter().any(|from| kept(from).any(|arc| inner.of[arc.target] == inner.of[from]))
        })
    }

    /// Can every letter be read in each state of the component without leaving it?
    fn is_closed(&self, found: &Components, component: usize, bdds: &mut Bdds) -> bool {
        (0..self.len()).filter(|state| found.of[*state] == Some(component)).all(|state| {
            let inside = self.arcs[state].iter().filter(|arc| found.of[arc.target] == Some(component));
            inside.fold(Bdd::FALSE, |all, arc| bdds.or(all, arc.label)) == Bdd::TRUE
        })
    }
}
