//! Follows chains of transient configurations from one to the next, where native code cannot do so by itself: steps that create
//! processes, control states that have no code of that kind.
//!
//! The items of a chain are appended to the list behind those that it starts from, and their vectors stay where they were
//! written: the states at the ends are read there. Whatever is out of the ordinary ends it: the caller then follows the
//! chains by itself.

use crate::runtime::{Runtime, pass_alone};
use panoptes_exec::{Chains, End, Successor, Successors};
use panoptes_model::TransId;

/// More configurations than this are not followed at once.
const CONFIGURATIONS_MAX: usize = 2_000;

/// Vectors that take more than this are not kept together: the caller gives those of a chain up one by one, and watches
/// how much memory they take.
const BYTES_MAX: usize = 16 << 20;

/// More links than this are not compared one by one.
const LINKS_MAX: usize = 32;

/// What is still to be looked at.
#[derive(Default)]
pub(crate) struct Walk {
    levels: Vec<Level>,
    /// The items of the chain that lie behind steps that can close a cycle, with the level they lead to.
    links: Vec<(u32, usize)>,
}

/// The successors of one configuration of the chain.
struct Level {
    next: u32,
    end: u32,
}

/// Follows the chains behind the successors in `out`. False if that cannot be done; then `out` is what it was.
///
/// # Safety
/// The runtime is valid, its code is there, and nobody else holds a reference to it or to `out`.
pub(crate) unsafe fn follow(
    runtime: *mut Runtime,
    walk: &mut Walk,
    out: *mut Successors,
    chains: &mut Chains<'_>,
) -> bool {
    // SAFETY: as promised.
    unsafe {
        let (count, used) = ((*out).items.len(), (*out).used);
        (*out).truncate(count);
        if walk_chains(runtime, walk, out, chains) {
            let mark = |id: TransId, executed: &mut [u64]| {
                if let Some(word) = executed.get_mut(id.index() / 64) {
                    *word |= 1 << (id.index() % 64);
                }
            };
            for item in &(&(*out).items)[count..] {
                mark(item.transition, chains.executed);
                if item.sending != Successor::NONE {
                    mark(item.sending, chains.executed);
                }
            }
            (*out).chained = ((*out).items.len() - count) as u32;
            (*out).items.truncate(count);
            return true;
        }
        (*out).truncate(count);
        (*out).used = used;
        false
    }
}

/// # Safety
/// As for [`follow`].
unsafe fn walk_chains(
    runtime: *mut Runtime,
    walk: &mut Walk,
    out: *mut Successors,
    chains: &Chains<'_>,
) -> bool {
    walk.levels.clear();
    walk.links.clear();
    // SAFETY: as promised; every reference to the runtime or the buffer ends before native code is called.
    unsafe {
        walk.levels.push(Level { next: 0, end: (*out).items.len() as u32 });
        let (mut configurations, mut number) = (0, 0);
        while let Some(level) = walk.levels.last_mut() {
            let index = level.next;
            if index == level.end {
                walk.leave();
                continue;
            }
            level.next += 1;
            let steps = walk.levels.len();
            let item = (&(*out).items)[index as usize];
            if steps == 1 {
                number = 0;
                if chains.is_chosen.is_some_and(|is_chosen| !is_chosen(&item)) {
                    continue;
                }
            }
            if item.control != Successor::NOBODY {
                configurations += 1;
                if configurations > CONFIGURATIONS_MAX || (*out).used > BYTES_MAX {
                    return false;
                }
                match walk.enter(&*out, index, chains) {
                    Entered::Goes => {}
                    Entered::IsEndless => {
                        (*out).endless_chains += 1;
                        continue;
                    }
                    Entered::IsLong => return false,
                }
                (*out).chain_steps_max = (*out).chain_steps_max.max(steps as u32);
                let first = (*out).items.len() as u32;
                let is_done =
                    (*runtime).load_item(out, &item) && pass_alone(runtime, usize::from(item.control));
                if !is_done {
                    return false;
                }
                (*runtime).end();
                let end = (*out).items.len() as u32;
                walk.levels.push(Level { next: first, end });
                if end > first {
                    continue;
                }
                // Nothing is possible: the process lets go, and the vector is a state.
                walk.leave();
            }
            let step = walk.levels[0].next - 1;
            let Successor { start, bytes, .. } = item;
            let lets_go = item.control != Successor::NOBODY;
            (*out).ends.push(End { start, bytes, step, number, steps: steps as u32, lets_go });
            number += 1;
        }
    }
    true
}

enum Entered {
    Goes,
    /// The chain has come back to itself.
    IsEndless,
    IsLong,
}

impl Walk {
    /// Goes on from a transient configuration.
    #[inline]
    fn enter(&mut self, out: &Successors, index: u32, chains: &Chains<'_>) -> Entered {
        let item = &out.items[index as usize];
        let closes = |id: panoptes_model::TransId| chains.closes[id.index()];
        if !closes(item.transition) && (item.sending == Successor::NONE || !closes(item.sending)) {
            return Entered::Goes;
        }
        if self.links.len() == LINKS_MAX {
            return Entered::IsLong;
        }
        let same = |(link, _): &(u32, usize)| {
            let link = &out.items[*link as usize];
            link.control == item.control && out.state(link) == out.state(item)
        };
        if self.links.iter().any(same) {
            return Entered::IsEndless;
        }
        self.links.push((index, self.levels.len() + 1));
        Entered::Goes
    }

    /// Goes back to the level before.
    #[inline]
    fn leave(&mut self) {
        if self.links.last().is_some_and(|(_, level)| *level == self.levels.len()) {
            self.links.pop();
        }
        self.levels.pop();
    }
}
