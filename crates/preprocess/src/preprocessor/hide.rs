//! Hide sets: the macros that a token came from and that are therefore not expanded in it again.

use crate::token::Name;
use rustc_hash::FxHashMap;

/// The macros a token came from: a place in the table of all such sets. Zero is the empty set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct HideSet(u32);

/// All hide sets, as linked lists that share their tails, and the answers already given: the tokens of one macro use ask
/// the same question.
pub(super) struct HideSets {
    nodes: Vec<HideNode>,
    extended: FxHashMap<(HideSet, MacroId), HideSet>,
    united: FxHashMap<(HideSet, HideSet), HideSet>,
    /// The last question and its answer: the next is mostly the same.
    last_united: ((HideSet, HideSet), HideSet),
    names: FxHashMap<Name, MacroId>,
}

/// A macro's name as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MacroId(u32);

struct HideNode {
    name: MacroId,
    rest: HideSet,
    length: u32,
}

impl Default for HideSets {
    fn default() -> HideSets {
        let empty = HideNode { name: MacroId(u32::MAX), rest: HideSet(0), length: 0 };
        HideSets {
            nodes: vec![empty],
            extended: FxHashMap::default(),
            united: FxHashMap::default(),
            last_united: Default::default(),
            names: FxHashMap::default(),
        }
    }
}

impl HideSets {
    pub(super) fn id(&mut self, name: &Name) -> MacroId {
        let next = MacroId(self.names.len() as u32);
        *self.names.entry(name.clone()).or_insert(next)
    }

    pub(super) fn contains(&self, set: HideSet, name: MacroId) -> bool {
        self.names(set).any(|found| found == name)
    }

    pub(super) fn with(&mut self, set: HideSet, name: MacroId) -> HideSet {
        if let Some(known) = self.extended.get(&(set, name)) {
            return *known;
        }
        if self.contains(set, name) {
            return set;
        }
        let length = self.length(set) + 1;
        self.nodes.push(HideNode { name, rest: set, length });
        let new = HideSet(self.nodes.len() as u32 - 1);
        self.extended.insert((set, name), new);
        new
    }

    pub(super) fn length(&self, set: HideSet) -> u32 {
        self.nodes[set.0 as usize].length
    }

    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    fn names(&self, mut set: HideSet) -> impl Iterator<Item = MacroId> {
        std::iter::from_fn(move || {
            let node = &self.nodes[set.0 as usize];
            (set != HideSet(0)).then(|| {
                set = node.rest;
                node.name
            })
        })
    }

    pub(super) fn common(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b {
            return a;
        }
        let shared: Vec<MacroId> = self.names(a).filter(|name| self.contains(b, *name)).collect();
        shared.into_iter().rev().fold(HideSet(0), |set, name| self.with(set, name))
    }

    pub(super) fn union(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b || b == HideSet(0) {
            return a;
        }
        if a == HideSet(0) {
            return b;
        }
        if self.last_united.0 == (a, b) {
            return self.last_united.1;
        }
        let united = match self.united.get(&(a, b)) {
            Some(known) => *known,
            None => self.unite(a, b),
        };
        self.last_united = ((a, b), united);
        united
    }

    fn unite(&mut self, a: HideSet, b: HideSet) -> HideSet {
        let more: Vec<MacroId> = self.names(b).collect();
        let united = more.into_iter().rev().fold(a, |set, name| self.with(set, name));
        self.united.insert((a, b), united);
        united
    }
}
