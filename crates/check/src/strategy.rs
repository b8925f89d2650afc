//! The search strategies: what each is called, what it can be told, and which search it is.
//!
//! A new strategy is a file of its own in `search` and one more variant here, with its entry in [`Strategy::ALL`], its [`Facts`]
//! and its arm in `Strategy::run`. Everything else, the command line, JSON, summaries and help, asks for these.

use crate::merit::Weight;
use crate::names::{NameError, Named, read_by_name};
use crate::nearest::breadth_first;
use crate::plan::Plan;
use crate::scatter::Scatter;
use crate::swarm::Swarm;
use panoptes_exec::Executor;
use panoptes_search::{
    CycleSearch, Guidance, Merit, Observer, Outcome, SearchOptions, StepOrder, bfs, bfs_by_crew, dfs,
    dfs_by_crew, directed, escalate, iddfs, portfolio, within,
};
use panoptes_store::{SharedVisited, StateStore};
use std::fmt;
use std::str::FromStr;

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
    /// The states that seem nearest to an error first.
    BestFirst,
    /// Those first for which the steps so far and the estimate of the others are least: A*.
    Astar,
    /// The same, with weights.
    Weighted(Weight),
    /// Breadth first, so many of the best states of each level.
    Beam(u32),
    /// Depth first with a bound on steps and estimate together, which grows: iterative deepening A*.
    Ida,
    /// Several of these with small budgets, the best going on.
    Directed,
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
    /// It goes where a heuristic says that errors are near.
    pub is_directed: bool,
    /// A heuristic that somebody asks for may say in which order it tries the steps of a state.
    pub may_be_ordered: bool,
}

/// A search of everything, depth first.
const PLAIN: Facts = Facts {
    name: "",
    help: "",
    how: "",
    is_partial: false,
    is_several: false,
    is_depth_first: true,
    is_directed: false,
    may_be_ordered: false,
};

/// A search of everything, by estimates.
const DIRECTED: Facts = Facts { is_depth_first: false, is_directed: true, ..PLAIN };

impl Strategy {
    pub const DFS: Strategy = Strategy::Dfs { order: Order::Listed };
    pub const BFS: Strategy = Strategy::Bfs { shortest: false };
    pub const SHORTEST: Strategy = Strategy::Bfs { shortest: true };
    pub const SCATTER: Strategy = Strategy::Scatter(Scatter::DEFAULT);
    pub const ESCALATE: Strategy = Strategy::Escalate { timeouts_last: true };
    pub const SCC: Strategy = Strategy::Cycles(CycleSearch::Scc);
    pub const SWARM: Strategy = Strategy::Swarm(Swarm::DEFAULT);
    pub const BEAM: Strategy = Strategy::Beam(1000);
    pub const WEIGHTED: Strategy = Strategy::Weighted(Weight::HALF);

    pub fn facts(&self) -> Facts {
        match self {
            Strategy::Auto => Facts {
                name: "auto",
                help: "is bfs, or dfs where the store needs it",
                how: "as the store needs it",
                is_depth_first: false,
                ..PLAIN
            },
            Strategy::Dfs { .. } => Facts {
                name: "dfs",
                help: "goes depth first",
                how: "depth first",
                may_be_ordered: true,
                ..PLAIN
            },
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
            Strategy::BestFirst => Facts {
                name: "best-first",
                help: "goes to the states that seem nearest to an error",
                how: "best first",
                ..DIRECTED
            },
            Strategy::Astar => Facts {
                name: "astar",
                help: "weighs the steps so far against those that seem to be left (A*)",
                how: "by A*",
                ..DIRECTED
            },
            Strategy::Weighted(_) => Facts {
                name: "weighted",
                help: "does so with weights α and 1−α",
                how: "by weighted A*",
                ..DIRECTED
            },
            Strategy::Beam(_) => Facts {
                name: "beam",
                help: "is breadth first with the K best states of a level (a part only)",
                how: "by beam search",
                is_partial: true,
                ..DIRECTED
            },
            Strategy::Ida => Facts {
                name: "ida",
                help: "is depth first with a growing bound on A*'s sum",
                how: "by iterative deepening A*",
                is_several: true,
                is_depth_first: true,
                ..DIRECTED
            },
            Strategy::Directed => Facts {
                name: "directed",
                help: "tries several of these with small budgets, and goes on with the best",
                how: "directed searches with several estimates",
                is_several: true,
                ..DIRECTED
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
                how: "for cycles, by strongly connected components",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::Ndfs) => Facts {
                name: "ndfs",
                help: "by nested depth-first search",
                how: "for cycles, nested depth first",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::ImprovedNdfs) => Facts {
                name: "improved-ndfs",
                help: "by nested depth-first search where the automaton needs it",
                how: "for cycles, nested depth first where the automaton needs it",
                ..PLAIN
            },
            Strategy::Cycles(CycleSearch::AstarDfs) => Facts {
                name: "astar-dfs",
                help: "best first to where cycles may be",
                how: "for cycles, best first and then depth first",
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

    /// Does it count steps, so that paths must have as many as in the model as written?
    pub(crate) fn counts_steps(&self) -> bool {
        match self {
            Strategy::Astar | Strategy::Ida => true,
            Strategy::Weighted(weight) => weight.counts_steps(),
            other => other.is_shortest(),
        }
    }

    /// In which order states are expanded, if that is by an estimate.
    pub(crate) fn merit(&self) -> Option<Merit> {
        match *self {
            Strategy::BestFirst => Some(Merit::BEST_FIRST),
            Strategy::Astar => Some(Merit::ASTAR),
            Strategy::Weighted(weight) => Some(weight.merit()),
            Strategy::Beam(width) => Some(Merit::Beam { width: width as usize }),
            _ => None,
        }
    }

    /// Adds to the options of a search what this strategy asks of it.
    pub(crate) fn set_options(&self, seed: u64, options: &mut SearchOptions) {
        let plain = Guidance::default();
        match *self {
            Strategy::Auto
            | Strategy::Bfs { .. }
            | Strategy::Iddfs
            | Strategy::BestFirst
            | Strategy::Astar
            | Strategy::Weighted(_)
            | Strategy::Beam(_)
            | Strategy::Ida
            | Strategy::Directed
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

    /// [`Self::run`] with a store that several threads can share.
    pub(crate) fn run_shared<S: SharedVisited + Default>(
        &self,
        plan: &Plan<'_>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        match (self, plan.crew) {
            (Strategy::Bfs { shortest }, Some(crew)) => {
                breadth_first::<S>(plan, *shortest, executor, observer, |executor, observer| {
                    bfs_by_crew::<S>(plan.model, executor, plan.options, observer, crew)
                })
            }
            // One thread alone goes by estimates.
            (Strategy::Dfs { .. }, Some(crew)) if plan.options.heuristic.is_none() => {
                dfs_by_crew::<S>(plan.model, executor, plan.options, observer, crew)
            }
            _ => self.run::<S>(plan, executor, observer),
        }
    }

    /// Runs the search that this strategy is, with one kind of store.
    pub(crate) fn run<S: StateStore + Default>(
        &self,
        plan: &Plan<'_>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options, .. } = *plan;
        match self {
            Strategy::Auto | Strategy::Swarm(_) | Strategy::Cycles(_) => {
                unreachable!("these are settled before a search begins")
            }
            Strategy::Dfs { .. } | Strategy::Random => {
                plan.within_queues(executor, |executor| dfs::<S>(model, executor, options, observer))
            }
            Strategy::Bfs { shortest } => plan.within_queues(executor, |executor| {
                breadth_first::<S>(plan, *shortest, executor, observer, |executor, observer| {
                    bfs::<S>(model, executor, options, observer)
                })
            }),
            Strategy::BestFirst | Strategy::Astar | Strategy::Weighted(_) | Strategy::Beam(_) => {
                let merit = self.merit().expect("these have one");
                plan.within_queues(executor, |executor| {
                    directed::<S>(model, executor, options, merit, observer)
                })
            }
            Strategy::Directed => {
                plan.within_queues(executor, |executor| portfolio::<S>(model, executor, options, observer))
            }
            Strategy::Iddfs | Strategy::Ida => {
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
        Strategy::BestFirst,
        Strategy::Astar,
        Strategy::WEIGHTED,
        Strategy::BEAM,
        Strategy::Ida,
        Strategy::Directed,
        Strategy::Random,
        Strategy::SCATTER,
        Strategy::ESCALATE,
        Strategy::SWARM,
        Strategy::SCC,
        Strategy::Cycles(CycleSearch::Ndfs),
        Strategy::Cycles(CycleSearch::ImprovedNdfs),
        Strategy::Cycles(CycleSearch::AstarDfs),
    ];
    fn name(&self) -> &'static str {
        self.facts().name
    }

    fn spelling(&self) -> &'static str {
        match self {
            Strategy::Weighted(_) => "weighted:α",
            Strategy::Beam(_) => "beam:K",
            _ => self.name(),
        }
    }
}

/// As the command line spells it: `dfs`, `weighted:0.3`, `beam:100`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Weighted(weight) => write!(f, "{}:{weight}", self.name()),
            Strategy::Beam(width) => write!(f, "{}:{width}", self.name()),
            _ => f.pad(self.name()),
        }
    }
}

impl FromStr for Strategy {
    type Err = NameError;

    fn from_str(given: &str) -> Result<Strategy, NameError> {
        let (name, parameter) = match given.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (given, None),
        };
        match (name, parameter) {
            ("weighted", parameter) => Weight::read(parameter.unwrap_or("")).map(Strategy::Weighted),
            ("beam", parameter) => {
                let is_number =
                    |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let width = parameter.filter(is_number).and_then(|text| text.parse().ok());
                width.filter(|width| *width > 0).map(Strategy::Beam).ok_or_else(|| {
                    NameError(format!(
                        "`--search {given}` does not say how many states of a level go on, one or more: `--search beam:1000`"
                    ))
                })
            }
            (_, Some(_)) if Strategy::ALL.iter().any(|strategy| strategy.name() == name) => {
                Err(NameError(format!("the strategy `{name}` takes no number: `--search {name}`")))
            }
            _ => crate::named(given),
        }
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

read_by_name!(Order);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_is_found_by_its_name() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.to_string().parse(), Ok(*strategy));
        }
        let said = |name: &str| name.parse::<Strategy>().expect_err("no strategy").to_string();
        assert!(said("weighted:2").contains("from 0 to 1") && said("weighted").contains("from 0 to 1"));
        assert!(said("beam").contains("one or more") && said("beam:0").contains("one or more"));
        assert_eq!(said("dfs:3"), "the strategy `dfs` takes no number: `--search dfs`");
        assert_eq!(said("swam"), "there is no strategy `swam`; did you mean `swarm`?");
        assert!(
            said("sideways")
                .ends_with("there is auto, dfs, bfs, iddfs, best-first, astar, weighted:α, beam:K, ida, directed, random, scatter, escalate, swarm, scc, ndfs, improved-ndfs, astar-dfs")
        );
    }
}
