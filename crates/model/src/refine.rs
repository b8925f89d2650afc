//! Partition refinement: the coarsest strong equivalence of the states of a labelled graph, in n log n steps.
//!
//! This is the algorithm of Paige and Tarjan (*Three partition refinement algorithms*, SIAM Journal on Computing 1987), with
//! labels: the states are in *blocks*, the blocks in *groups*; every block is stable with respect to every group, which
//! means that its members agree, label by label, on whether an edge of theirs leads into the group. While some group has
//! several blocks, a block that is not its largest is taken out of it, and everything is made stable again with respect to
//! that block and to what is left of the group. An edge is looked at only when the block it leads to is taken out, which
//! is then at most half as large as its group: hence the logarithm. Counters, one for each state, label and group, tell
//! whether a state also has edges into the rest.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: usize,
    pub label: usize,
    pub to: usize,
}

/// The class of each state: equal for two states if they start in equal classes and every edge of one has an edge of
/// the other with its label into an equal class.
pub(crate) fn coarsest(initial: &[usize], edges: &[Edge]) -> Vec<usize> {
    let mut refinement = Refinement::new(initial, edges);
    while let Some(group) = refinement.pending.pop() {
        if refinement.groups[group].len() > 1 {
            refinement.divide(group);
        }
    }
    refinement.blocks.block_of
}

struct Refinement<'e> {
    edges: &'e [Edge],
    /// By state, the numbers of the edges that lead to it.
    incoming: Vec<Vec<usize>>,
    blocks: Blocks,
    /// The blocks of each group, and the group of each block.
    groups: Vec<Vec<usize>>,
    group_of: Vec<usize>,
    /// Groups that may have several blocks.
    pending: Vec<usize>,
    /// How many edges of one state with one label lead into one group; and the counter of each edge.
    counters: Vec<usize>,
    counter_of: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl<'e> Refinement<'e> {
    fn new(initial: &[usize], edges: &'e [Edge]) -> Refinement<'e> {
        let count = initial.len();
        let mut incoming = vec![Vec::new(); count];
        let mut labels = vec![Vec::new(); count];
        let (mut counters, mut counter_of) = (Vec::new(), Vec::new());
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for (number, edge) in edges.iter().enumerate() {
            incoming[edge.to].push(number);
            labels[edge.from].push(edge.label);
            let counter = *known.entry((edge.from, edge.label)).or_insert_with(|| {
                counters.push(0);
                counters.len() - 1
            });
            counters[counter] += 1;
            counter_of.push(counter);
        }
        for labels in &mut labels {
            labels.sort_unstable();
            labels.dedup();
        }
        // Stable with respect to the one group that holds everything: the same labels.
        let mut classes: HashMap<(usize, &[usize]), usize> = HashMap::new();
        let block_of: Vec<usize> = (0..count)
            .map(|state| {
                let next = classes.len();
                *classes.entry((initial[state], &labels[state])).or_insert(next)
            })
            .collect();
        let blocks = Blocks::new(block_of, classes.len());
        let all = (0..blocks.start.len()).collect();
        let group_of = vec![0; blocks.start.len()];
        let pending = vec![0];
        Refinement { edges, incoming, blocks, groups: vec![all], group_of, pending, counters, counter_of }
    }

    /// Takes a block out of a group of several and makes every block stable again.
    fn divide(&mut self, group: usize) {
        let block = self.take_small_block(group);
        if self.groups[group].len() > 1 {
            self.pending.push(group);
        }
        let mut by_label: HashMap<usize, Vec<usize>> = HashMap::new();
        for state in self.blocks.members(block) {
            for edge in &self.incoming[*state] {
                by_label.entry(self.edges[*edge].label).or_default().push(*edge);
            }
        }
        for edges in by_label.into_values() {
            self.split_by(&edges);
        }
    }

    /// A block of the group that is not its largest, in a group of its own.
    fn take_small_block(&mut self, group: usize) -> usize {
        let members = &self.groups[group];
        let (last, other) = (members.len() - 1, members.len() - 2);
        let is_small = self.blocks.len(members[last]) <= self.blocks.len(members[other]);
        let block = self.groups[group].swap_remove(if is_small { last } else { other });
        self.group_of[block] = self.groups.len();
        self.groups.push(vec![block]);
        block
    }

    /// Splits blocks by these edges, all those of one label into the block that was taken out: states with such an edge
    /// are kept from those without, and then those that have one into the rest of the group, too, from those that do not.
    fn split_by(&mut self, edges: &[usize]) {
        let mut inside: HashMap<usize, usize> = HashMap::new();
        for edge in edges {
            let counter = *inside.entry(self.edges[*edge].from).or_insert_with(|| {
                self.counters.push(0);
                self.counters.len() - 1
            });
            self.counters[counter] += 1;
        }
        self.split(edges.iter().map(|edge| self.edges[*edge].from).collect());
        let leaves_nothing = |edge: &&usize| {
            self.counters[self.counter_of[**edge]] == self.counters[inside[&self.edges[**edge].from]]
        };
        self.split(edges.iter().filter(leaves_nothing).map(|edge| self.edges[*edge].from).collect());
        for edge in edges {
            self.counters[self.counter_of[*edge]] -= 1;
            self.counter_of[*edge] = inside[&self.edges[*edge].from];
        }
    }

    /// Splits every block into these states and the others.
    fn split(&mut self, states: Vec<usize>) {
        let mut touched = Vec::new();
        for state in states {
            if self.blocks.mark(state) {
                touched.push(self.blocks.block_of[state]);
            }
        }
        for block in touched {
            if let Some(new) = self.blocks.split(block) {
                let group = self.group_of[block];
                self.group_of.push(group);
                self.groups[group].push(new);
                if self.groups[group].len() == 2 {
                    self.pending.push(group);
                }
            }
        }
    }
}

/// States in blocks: a block is a part of the list, its marked states in front.
struct Blocks {
    states: Vec<usize>,
    place: Vec<usize>,
    block_of: Vec<usize>,
    start: Vec<usize>,
    end: Vec<usize>,
    marked: Vec<usize>,
}

impl Blocks {
    fn new(block_of: Vec<usize>, count: usize) -> Blocks {
        let mut states: Vec<usize> = (0..block_of.len()).collect();
        states.sort_by_key(|state| block_of[*state]);
        let mut place = vec![NONE; states.len()];
        let (mut start, mut end) = (vec![NONE; count], vec![0; count]);
        for (at, state) in states.iter().enumerate() {
            place[*state] = at;
            let block = block_of[*state];
            start[block] = start[block].min(at);
            end[block] = at + 1;
        }
        Blocks { states, place, block_of, start, end, marked: vec![0; count] }
    }

    fn len(&self, block: usize) -> usize {
        self.end[block] - self.start[block]
    }

    fn members(&self, block: usize) -> &[usize] {
        &self.states[self.start[block]..self.end[block]]
    }

    /// True if it is the first of its block.
    fn mark(&mut self, state: usize) -> bool {
        let block = self.block_of[state];
        let front = self.start[block] + self.marked[block];
        let at = self.place[state];
        if at < front {
            return false;
        }
        let other = self.states[front];
        self.states.swap(at, front);
        (self.place[other], self.place[state]) = (at, front);
        self.marked[block] += 1;
        self.marked[block] == 1
    }

    /// Makes the marked states a new block, unless all are marked.
    fn split(&mut self, block: usize) -> Option<usize> {
        let count = std::mem::take(&mut self.marked[block]);
        if count == self.len(block) {
            return None;
        }
        let new = self.start.len();
        let middle = self.start[block] + count;
        self.start.push(self.start[block]);
        self.end.push(middle);
        self.marked.push(0);
        self.start[block] = middle;
        for at in self.start[new]..middle {
            self.block_of[self.states[at]] = new;
        }
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits every class by its members' (label, class) pairs until nothing splits.
    fn naive(initial: &[usize], edges: &[Edge]) -> Vec<usize> {
        let mut class_of = initial.to_vec();
        loop {
            let mut known = HashMap::new();
            let next: Vec<usize> = (0..initial.len())
                .map(|state| {
                    let own = edges.iter().filter(|edge| edge.from == state);
                    let mut pairs: Vec<_> = own.map(|edge| (edge.label, class_of[edge.to])).collect();
                    pairs.sort_unstable();
                    pairs.dedup();
                    let number = known.len();
                    *known.entry((class_of[state], pairs)).or_insert(number)
                })
                .collect();
            let count = |classes: &[usize]| classes.iter().collect::<std::collections::HashSet<_>>().len();
            if count(&next) == count(&class_of) {
                return class_of;
            }
            class_of = next;
        }
    }

    /// Classes numbered in the order of their first members.
    fn normal(classes: &[usize]) -> Vec<usize> {
        let mut known = HashMap::new();
        classes
            .iter()
            .map(|class| {
                let next = known.len();
                *known.entry(*class).or_insert(next)
            })
            .collect()
    }

    #[test]
    fn it_agrees_with_the_plain_way() {
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut merged = 0;
        for round in 0..2_000 {
            let count = 1 + random(12);
            let (labels, density) = (1 + random(3), random(3 * count + 1));
            let initial: Vec<usize> = (0..count).map(|_| random(1 + round % 3)).collect();
            let edges: Vec<Edge> = (0..density)
                .map(|_| Edge { from: random(count), label: random(labels), to: random(count) })
                .collect();
            let found = normal(&coarsest(&initial, &edges));
            assert_eq!(found, normal(&naive(&initial, &edges)), "round {round}: {initial:?} {edges:?}");
            merged += usize::from(found.iter().max().is_some_and(|last| last + 1 < count));
        }
        assert!(merged > 500, "only {merged} graphs had anything to merge");
    }

    /// A chain whose states are all different: the plain way needs a round for each of them.
    #[test]
    fn a_long_chain_is_quick() {
        let count = 100_000;
        let edges: Vec<Edge> = (1..count).map(|to| Edge { from: to - 1, label: 0, to }).collect();
        let classes = coarsest(&vec![0; count], &edges);
        assert_eq!(normal(&classes), (0..count).collect::<Vec<_>>());
    }
}
