//! Compares the chains that the compiled executor follows by itself with a plain recursion over the reference executor.

use panoptes_exec::{Chains, Ending, Executor, Successor, Successors};
use panoptes_model::Model;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// A configuration, and the step that led to it.
type Item = (panoptes_exec::Step, Option<u8>, Vec<u8>);

/// Chains longer than this need not be followed at once.
const CONFIGURATIONS_MAX: u64 = 2_000;

/// How often chains that go somewhere were followed and compared.
pub static FOLLOWED: AtomicU64 = AtomicU64::new(0);

/// What to follow, in some variations.
pub struct Comparison {
    closing: Vec<Vec<bool>>,
    has_chains: bool,
}

/// What the recursion comes to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Walk {
    /// How many steps were taken behind the first ones, and by which rules.
    items: u64,
    executed: BTreeSet<usize>,
    /// Vector, first step, number behind that step, steps, and whether a process lets go there.
    ends: Vec<(Vec<u8>, u32, u32, u32, bool)>,
    endless_chains: u64,
    chain_steps_max: usize,
}

/// Why the recursion was given up.
enum Stop {
    Fault,
    Long,
}

impl Comparison {
    pub fn new(model: &Model) -> Comparison {
        let some = |closes: fn(usize) -> bool| (0..model.transitions.len()).map(closes).collect();
        let has_chains = model.transitions.iter().any(|transition| transition.keeps_control);
        Comparison { closing: vec![some(|_| true), some(|id| id % 3 == 0)], has_chains }
    }

    /// Follows the chains behind `found`, which holds the same items as `expected`.
    pub fn compare(
        &mut self,
        reference: &mut dyn Executor,
        jit: &mut dyn Executor,
        found: &mut Successors,
        expected: &Successors,
        name: &str,
    ) {
        if !self.has_chains || expected.ending != Ending::Moves || !expected.faults.is_empty() {
            return;
        }
        let is_even = |item: &Successor| item.step().pid.is_multiple_of(2);
        for closes in &self.closing {
            for is_chosen in [None, Some(&is_even as &dyn Fn(&Successor) -> bool)] {
                let mut executed = vec![0; closes.len().div_ceil(64)];
                let mut chains = Chains { closes, is_chosen, executed: &mut executed };
                let walk = recursion(reference, expected, &chains);
                self.follow(jit, found, &mut chains, &walk, name);
            }
        }
    }

    fn follow(
        &self,
        jit: &mut dyn Executor,
        out: &mut Successors,
        chains: &mut Chains<'_>,
        walk: &Result<Walk, Stop>,
        name: &str,
    ) {
        let (count, used) = (out.items.len(), out.used);
        let before: Vec<Item> = out.items.iter().map(|item| describe(out, item)).collect();
        if jit.follow(out, chains) {
            let end = |end: &panoptes_exec::End| {
                let vector = out.bytes()[end.start as usize..][..end.bytes as usize].to_vec();
                (vector, end.step, end.number, end.steps, end.lets_go)
            };
            let is_executed = |id: &usize| chains.executed[id / 64] >> (id % 64) & 1 == 1;
            let found = Walk {
                items: u64::from(out.chained),
                executed: (0..chains.closes.len()).filter(is_executed).collect(),
                ends: out.ends.iter().map(end).collect(),
                endless_chains: out.endless_chains,
                chain_steps_max: out.chain_steps_max as usize,
            };
            match walk {
                Ok(walk) => {
                    assert_eq!(&found, walk, "{name}");
                    FOLLOWED.fetch_add(u64::from(walk.items > 0), Ordering::Relaxed);
                }
                Err(Stop::Fault) => panic!("{name}: followed to a fault"),
                Err(Stop::Long) => {}
            }
        } else {
            assert_eq!((out.items.len(), out.used), (count, used), "{name}: all is as it was");
        }
        let after: Vec<Item> = out.items[..count].iter().map(|item| describe(out, item)).collect();
        assert_eq!(before, after, "{name}");
        // As a search would find it before the next call.
        out.truncate(count);
        out.used = used;
    }
}

fn describe(out: &Successors, item: &Successor) -> Item {
    (item.step(), item.control(), out.state(item).to_vec())
}

fn recursion(executor: &mut dyn Executor, first: &Successors, chains: &Chains<'_>) -> Result<Walk, Stop> {
    let mut walk = Walk::default();
    for (index, item) in first.items.iter().enumerate() {
        if chains.is_chosen.is_none_or(|is_chosen| is_chosen(item)) {
            let ends = walk.ends.len();
            follow(executor, &describe(first, item), index as u32, &mut Vec::new(), 1, chains, &mut walk)?;
            for (number, end) in walk.ends[ends..].iter_mut().enumerate() {
                end.2 = number as u32;
            }
        }
    }
    Ok(walk)
}

/// Follows what is behind an item that `steps` steps lead to; `links` are the configurations before it that count.
fn follow(
    executor: &mut dyn Executor,
    (step, control, state): &Item,
    first: u32,
    links: &mut Vec<(Option<u8>, Vec<u8>)>,
    steps: usize,
    chains: &Chains<'_>,
    walk: &mut Walk,
) -> Result<(), Stop> {
    if control.is_none() {
        walk.ends.push((state.clone(), first, 0, steps as u32, false));
        return Ok(());
    }
    if walk.items > CONFIGURATIONS_MAX || steps > 500 {
        return Err(Stop::Long);
    }
    let closes = |id: panoptes_model::TransId| chains.closes[id.index()];
    let is_link = closes(step.transition) || step.partner.is_some_and(|(_, id)| closes(id));
    if is_link {
        let link = (*control, state.clone());
        if links.contains(&link) {
            walk.endless_chains += 1;
            return Ok(());
        }
        links.push(link);
    }
    walk.chain_steps_max = walk.chain_steps_max.max(steps);
    let mut out = Successors::default();
    executor.successors(state, *control, &mut out);
    if !out.faults.is_empty() {
        return Err(Stop::Fault);
    }
    let items: Vec<Item> = out.items.iter().map(|item| describe(&out, item)).collect();
    walk.items += items.len() as u64;
    for (step, ..) in &items {
        walk.executed.insert(step.transition.index());
        walk.executed.extend(step.partner.map(|(_, id)| id.index()));
    }
    if items.is_empty() {
        walk.ends.push((state.clone(), first, 0, steps as u32, true));
    }
    for item in &items {
        follow(executor, item, first, links, steps + 1, chains, walk)?;
    }
    if is_link {
        links.pop();
    }
    Ok(())
}
