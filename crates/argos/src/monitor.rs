//! Assertions as monitors: the deterministic machine whose states are sets of an assertion's states.
//!
//! The scope of an assertion is the set of messages that it names, sent or received. Every such message must be one
//! that some state of the set can follow; the next set is where they lead. The sets are computed beforehand, so that
//! following a message is a look into a table.

use crate::ast::Name;
use crate::flow::{Flow, Node, NodeId, StepKind};
use crate::machine::Machine;
use panoptes_model::{Action, BinaryOp, EventTable, Expr, Place};
use rustc_hash::FxHashMap;

/// More sets than this are more than a variable of the state vector should hold.
const SETS_MAX: usize = 4_000;

/// A message that is sent to a channel, or received from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Event {
    pub channel: usize,
    pub sent: bool,
    pub message: Name,
}

impl Event {
    /// What a step of an assertion stands for.
    pub fn of(flow: &Flow, node: NodeId) -> Option<Event> {
        let Node::Step(step) = &flow.nodes[node] else { return None };
        match &step.kind {
            StepKind::Send { channel, message, .. } => {
                Some(Event { channel: *channel, sent: true, message: message.clone() })
            }
            StepKind::Receive { channel, message, .. } => {
                Some(Event { channel: *channel, sent: false, message: message.clone() })
            }
            _ => None,
        }
    }
}

pub(crate) struct Monitor {
    /// For each event of the scope, the next set for each set; none if it cannot follow.
    next: FxHashMap<Event, Vec<Option<usize>>>,
    /// The sets, each with its states.
    pub sets: Vec<Vec<usize>>,
    /// For each set: may it end there?
    pub accepts: Vec<bool>,
}

/// An assertion has too many sets.
pub(crate) struct TooLarge;

impl Monitor {
    /// `may_end` says of each state of the machine whether the assertion may end there.
    pub fn of(flow: &Flow, machine: &Machine, may_end: &[bool]) -> Result<Monitor, TooLarge> {
        let mut events: Vec<Event> = machine
            .states
            .iter()
            .flat_map(|state| state.edges.iter().filter_map(|(step, _)| Event::of(flow, *step)))
            .collect();
        events.sort();
        events.dedup();
        let mut sets: Vec<Vec<usize>> = vec![vec![machine.initial]];
        let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::from_iter([(sets[0].clone(), 0)]);
        let mut next: FxHashMap<Event, Vec<Option<usize>>> =
            events.iter().map(|event| (event.clone(), Vec::new())).collect();
        let mut at = 0;
        while at < sets.len() {
            for event in &events {
                let mut reached: Vec<usize> = Vec::new();
                for (step, to) in sets[at].iter().flat_map(|state| &machine.states[*state].edges) {
                    if Event::of(flow, *step).as_ref() == Some(event) {
                        reached.push(*to);
                    }
                }
                reached.sort_unstable();
                reached.dedup();
                let fresh = sets.len();
                let number = (!reached.is_empty()).then(|| {
                    *known.entry(reached.clone()).or_insert_with(|| {
                        sets.push(reached);
                        fresh
                    })
                });
                next.get_mut(event).expect("all events are there").push(number);
            }
            at += 1;
            if sets.len() > SETS_MAX {
                return Err(TooLarge);
            }
        }
        let accepts = sets.iter().map(|set| set.iter().any(|state| may_end[*state])).collect();
        Ok(Monitor { next, sets, accepts })
    }

    /// The number that stands for a monitor that was violated: it follows nothing any more.
    pub fn violated(&self) -> usize {
        self.sets.len()
    }

    /// Can it follow the event, as a condition; none if it does not follow such events, or always can.
    pub fn allows(&self, event: &Event, place: &Place) -> Option<Expr> {
        let next = self.next.get(event)?;
        let allowed = next.iter().map(|set| i32::from(set.is_some()));
        let table: Vec<i32> = allowed.chain([1]).collect();
        table.contains(&0).then(|| lookup(place, &table))
    }

    /// The action that follows the event.
    pub fn follow(&self, event: &Event, place: &Place) -> Option<Action> {
        let next = self.next.get(event)?;
        let after = next.iter().map(|set| set.unwrap_or(self.violated()) as i32);
        let table: Vec<i32> = after.chain([self.violated() as i32]).collect();
        let changes = table.iter().zip(0..).any(|(after, before)| *after != before);
        changes.then(|| Action::Assign { place: place.clone(), value: lookup(place, &table) })
    }

    /// Is it anywhere but where it may end, as a condition; none if it may end nowhere.
    pub fn is_open(&self, place: &Place) -> Option<Expr> {
        let table: Vec<i32> = self.accepts.iter().map(|accepts| i32::from(!accepts)).chain([1]).collect();
        table.contains(&0).then(|| lookup(place, &table))
    }

    /// Is the event in its scope?
    pub fn knows(&self, event: &Event) -> bool {
        self.next.contains_key(event)
    }

    /// The machine as the model keeps it, its events in order.
    pub fn table(&self) -> EventTable {
        let mut events: Vec<&Event> = self.next.keys().collect();
        events.sort();
        let row = |set: usize| events.iter().map(|event| self.next[event][set].map(|to| to as u32)).collect();
        EventTable { next: (0..self.sets.len()).map(row).collect(), accepts: self.accepts.clone() }
    }

    /// Is it where it may end? One that was violated has been reported already.
    pub fn fulfilled(&self, place: &Place) -> Expr {
        let table: Vec<i32> = self.accepts.iter().map(|accepts| i32::from(*accepts)).chain([1]).collect();
        lookup(place, &table)
    }
}

/// `table[place]` as a tree of comparisons, as many as the table's length has bits.
fn lookup(place: &Place, table: &[i32]) -> Expr {
    lookup_from(place, table, 0)
}

fn lookup_from(place: &Place, table: &[i32], first: i32) -> Expr {
    if table.iter().all(|value| *value == table[0]) {
        return Expr::Const(table[0]);
    }
    if table.iter().zip(first..).all(|(value, index)| *value == index) {
        return Expr::load(place.clone());
    }
    let middle = table.len() / 2;
    let (low, high) = table.split_at(middle);
    let border = first + middle as i32;
    let condition = Expr::binary(BinaryOp::Lt, Expr::load(place.clone()), Expr::Const(border));
    let (low, high) = (lookup_from(place, low, first), lookup_from(place, high, border));
    Expr::Cond(Box::new(condition), Box::new(low), Box::new(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::{Region, ScalarType};

    fn eval(expr: &Expr, state: i32) -> i32 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Load(_) => state,
            Expr::Binary(op, left, right) => op.apply(eval(left, state), eval(right, state)).unwrap(),
            Expr::Cond(condition, then, otherwise) => {
                eval(if eval(condition, state) != 0 { then } else { otherwise }, state)
            }
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_tree_of_comparisons_is_the_table() {
        let ty = ScalarType::BYTE;
        let place = Place { region: Region::Global, offset: 1, ty, indices: Vec::new(), name: "m".into() };
        let tables: [&[i32]; 5] =
            [&[3], &[1, 1, 1], &[0, 1, 2, 3], &[4, 0, 4, 2, 4], &[1, 2, 0, 7, 7, 7, 6, 7, 8, 0, 0]];
        for table in tables {
            let tree = lookup(&place, table);
            let values: Vec<i32> = (0..table.len() as i32).map(|state| eval(&tree, state)).collect();
            assert_eq!(values, table);
        }
    }
}
