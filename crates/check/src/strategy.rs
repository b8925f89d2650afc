//! The search strategies: what each is called, what it can be told, and which search it is.
//!
//! A new strategy is a file of its own in `search` and one more variant here, with its entry in [`Strategy::ALL`], its [`Facts`]
//! and its arm in `Strategy::run`. Everything else, the command line, JSON, summaries and help, asks for these.

use crate::names::{Named, read_by_name};
use crate::nearest::breadth_first;
use crate::plan::Plan;
use crate::scatter::Scatter;
use crate::swarm::Swarm;
use panoptes_exec::Executor;
use panoptes_search::{
    CycleSearch, Guidance, Observer, Outcome, SearchOptions, StepOrder, dfs, escalate, iddfs, within,
};
use panoptes_store::StateStore;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Breadth first, or depth first where the store needs it.
    #[default]
    Auto,
    Dfs {
        order: Order,
    },
    Bfs {
        /// No error may be nearer than the one that is found: steps are not merged, and levels count steps.
        shortest: bool,
    },
    /// Depth first with a bound that grows: the error that is found is a nearest one.
    Iddfs,
    /// Depth first in a random order.
    Random,
    /// Depth first, the steps most likely to lead to an error first, and few of them.
    Scatter(Scatter),
    /// Scatter searches, each wider than the one before, up to a search of everything.
    Escalate {
        /// Its first stages take timeouts only where nothing else can be done.
        timeouts_last: bool,
    },
    /// Many bit-state searches, each in another order.
    Swarm(Swarm),
    /// How temporal properties are searched. States alone are searched as if nothing was said.
    Cycles(CycleSearch),
}

/// In which order the processes of a state and their steps are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The youngest process first, steps as they are written.
    #[default]
    Listed,
    Reversed,
    /// Another one at each state.
    Random,
}

/// What is to be known of a strategy, whatever its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub name: &'static str,
    /// What it does, for a list in which it follows the name.
    pub help: &'static str,
    /// How it went, in a summary.
    pub how: &'static str,
    /// It is made to look at a part: a bound on depth need not leave every nearest path.
    pub is_partial: bool,
    /// It is several searches, one after or beside the other.
    pub is_several: bool,
    /// It has a path, which some stores need.
    pub is_depth_first: bool,
}

/// A search of everything, depth first.
const PLAIN: Facts =
    Facts { name: "", help: "", how: "", is_partial: false, is_several: false, is_depth_first: true };

impl Strategy {
    pub const DFS: Strategy = Strategy::Dfs { order: Order::Listed };
    pub const BFS: Strategy = Strategy::Bfs { shortest: false };
    pub const SHORTEST: Strategy = Strategy::Bfs { shortest: true };
    pub const SCATTER: Strategy = Strategy::Scatter(Scatter::DEFAULT);
    pub const ESCALATE: Strategy = Strategy::Escalate { timeouts_last: true };
    pub const SCC: Strategy = Strategy::Cycles(CycleSearch::Scc);
    pub const SWARM: Strategy = Strategy::Swarm(Swarm::DEFAULT);

    pub fn facts(&self) -> Facts {
        match self {
            Strategy::Auto => Facts {
                name: "auto",
                help: "is bfs, or dfs where the store needs it",
                how: "as the store needs it",
                is_depth_first: false,
                ..PLAIN
            },
            Strategy::Dfs { .. } => {
                Facts { name: "dfs", help: "goes depth first", how: "depth first", ..PLAIN }
            }
            Strategy::Bfs { .. } => Facts {
                name: "bfs",
                help: "breadth first",
                how: "breadth first",
                is_depth_first: false,
                ..PLAIN
            },
            Strategy::Iddfs => Facts {
                name: "iddfs",
                help: "is depth first with a growing bound, to a nearest error",
                how: "depth first, deeper and deeper",
                is_several: true,
                ..PLAIN
            },
            Strategy::Random => Facts {
                name: "random",
                help: "depth first in a random order",
                how: "depth first in a random order",
                is_partial: true,
                ..PLAIN
            },
            Strategy::Scatter(_) => Facts {
                name: "scatter",
                help: "to likely errors first (a part only)",
                how: "scatter",
                is_partial: true,
                ..PLAIN
            },
            Strategy::Escalate { .. } => Facts {
                name: "escalate",
                help: "is scatter searches, wider and wider",
                how: "scatter searches, wider and wider",
                is_partial: true,
                is_several: true,
                ..PLAIN
            },
            Strategy::Swarm(_) => Facts {
                name: "swarm",
                help: "is many bit-state searches in different orders, on all cores",
                how: "a swarm of searches in many orders",
                is_partial: true,
                is_several: true,
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::Scc) => Facts {
                name: "scc",
                help: "looks for cycles by strongly connected components (this and those after it are for temporal properties)",
                how: "with the automaton of the property",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::Ndfs) => Facts {
                name: "ndfs",
                help: "by nested depth-first search",
                how: "with the automaton of the property, nested depth first",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::ImprovedNdfs) => Facts {
                name: "improved-ndfs",
                help: "by nested depth-first search where the automaton needs it",
                how: "with the automaton of the property, nested depth first where it needs that",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::AstarDfs) => Facts {
                name: "astar-dfs",
                help: "best first to where cycles may be",
                how: "with the automaton of the property, best first and then depth first",
                ..PLAIN
            },
        }
    }

    pub fn is_partial(&self) -> bool {
        self.facts().is_partial
    }

    /// The search for cycles that it names, or else the one that is right for every temporal property.
    pub(crate) fn cycle_search(&self) -> CycleSearch {
        match self {
            Strategy::Cycles(search) => *search,
            _ => CycleSearch::Scc,
        }
    }

    /// The order of steps, if it can be chosen.
    pub fn order_mut(&mut self) -> Option<&mut Order> {
        match self {
            Strategy::Dfs { order } | Strategy::Scatter(Scatter { order, .. }) => Some(order),
            _ => None,
        }
    }

    /// Whether timeouts are put off, if that can be chosen.
    pub fn timeouts_last_mut(&mut self) -> Option<&mut bool> {
        match self {
            Strategy::Scatter(Scatter { timeouts_last, .. })
            | Strategy::Escalate { timeouts_last }
            | Strategy::Swarm(Swarm { timeouts_last, .. }) => Some(timeouts_last),
            _ => None,
        }
    }

    pub(crate) fn is_shortest(&self) -> bool {
        matches!(self, Strategy::Bfs { shortest: true } | Strategy::Iddfs)
    }

    /// Adds to the options of a search what this strategy asks of it.
    pub(crate) fn set_options(&self, seed: u64, options: &mut SearchOptions) {
        let plain = Guidance::default();
        match *self {
            Strategy::Auto
            | Strategy::Bfs { .. }
            | Strategy::Iddfs
            | Strategy::Swarm(_)
            | Strategy::Cycles(_) => {}
            Strategy::Dfs { order } => options.guidance = Guidance { order: order.with(seed), ..plain },
            Strategy::Random => options.guidance = Guidance { order: StepOrder::Random(seed), ..plain },
            Strategy::Scatter(scatter) => {
                let Scatter { order, processes_max, options_max, .. } = scatter;
                options.guidance =
                    Guidance { priorities: true, order: order.with(seed), processes_max, options_max };
                options.queue_limit = scatter.queue_limit(options.queue_limit);
            }
            Strategy::Escalate { timeouts_last } => {
                options.guidance = Guidance { priorities: true, order: StepOrder::Random(seed), ..plain };
                options.timeouts_last = timeouts_last;
            }
        }
    }

    /// Runs the search that this strategy is, with one kind of store.
    pub(crate) fn run<S: StateStore + Default>(
        &self,
        plan: &Plan<'_>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options } = *plan;
        match self {
            Strategy::Auto | Strategy::Swarm(_) | Strategy::Cycles(_) => {
                unreachable!("these are settled before a search begins")
            }
            Strategy::Dfs { .. } | Strategy::Random => {
                plan.within_queues(executor, |executor| dfs::<S>(model, executor, options, observer))
            }
            Strategy::Bfs { shortest } => plan
                .within_queues(executor, |executor| breadth_first::<S>(plan, *shortest, executor, observer)),
            Strategy::Iddfs => {
                plan.within_queues(executor, |executor| iddfs::<S>(model, executor, options, observer))
            }
            Strategy::Scatter(scatter) => {
                let scope = scatter.scope(model, options.depth_max, options.queue_limit);
                within::<S>(model, executor, options, scope, observer)
            }
            Strategy::Escalate { .. } => escalate::<S>(model, executor, options, observer),
        }
    }
}

impl Order {
    fn with(self, seed: u64) -> StepOrder {
        match self {
            Order::Listed => StepOrder::Listed,
            Order::Reversed => StepOrder::Reversed,
            Order::Random => StepOrder::Random(seed),
        }
    }
}

impl Named for Strategy {
    const WHAT: &'static str = "strategy";
    const ALL: &'static [Strategy] = &[
        Strategy::Auto,
        Strategy::DFS,
        Strategy::BFS,
        Strategy::Iddfs,
        Strategy::Random,
        Strategy::SCATTER,
        Strategy::ESCALATE,
        Strategy::SWARM,
        Strategy::SCC,
        Strategy::Cycles(CycleSearch::Ndfs),
        Strategy::Cycles(CycleSearch::ImprovedNdfs),
        Strategy::Cycles(CycleSearch::AstarDfs),
    ];
    const LATER: &'static [&'static str] = &["best-first", "astar", "weighted", "ida"];

    fn name(&self) -> &'static str {
        self.facts().name
    }
}

impl Named for Order {
    const WHAT: &'static str = "order";
    const ALL: &'static [Order] = &[Order::Listed, Order::Reversed, Order::Random];

    fn name(&self) -> &'static str {
        match self {
            Order::Listed => "listed",
            Order::Reversed => "reversed",
            Order::Random => "random",
        }
    }
}

read_by_name!(Strategy, Order);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_is_found_by_its_name() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(*strategy));
        }
        let said = |name: &str| name.parse::<Strategy>().expect_err("no strategy").to_string();
        assert_eq!(said("weighted:2"), "the strategy `weighted:2` is not available in this version");
        assert_eq!(said("swam"), "there is no strategy `swam`; did you mean `swarm`?");
        assert!(
            said("sideways")
                .ends_with("there is auto, dfs, bfs, iddfs, random, scatter, escalate, swarm, scc, ndfs, improved-ndfs, astar-dfs")
        );
    }
}
