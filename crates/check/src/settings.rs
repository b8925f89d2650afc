//! Everything that a check can be told, and which of it does not go together.

use crate::sounding;
use crate::store_spec::{BitArray, StoreSpec};
use crate::{CheckError, Engine, Heuristic, Limits, OnFull, Property, Semantics, Strategy, Threads};
use panoptes_model::Model;
use panoptes_optimise::Passes;
use panoptes_search::{Fairness, Folding};
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct CheckSettings {
    pub property: Property,
    /// Which infinite executions count for temporal properties.
    pub fairness: Fairness,
    pub strategy: Strategy,
    /// What leads a directed search; none takes the one that fits the property.
    pub heuristic: Option<Heuristic>,
    /// Its estimates are never too large.
    pub admissible: bool,
    pub store: StoreSpec,
    /// What is done when memory is full.
    pub on_full: OnFull,
    /// Store only states at the heads of loops and at labels. Not breadth first.
    pub loop_states: bool,
    pub semantics: Semantics,
    pub limits: Limits,
    pub engine: Engine,
    pub threads: Threads,
    /// Several processes search together, and this is one of them.
    pub together: bool,
    /// Go on past errors and list each distinct one.
    pub all_errors: bool,
    /// Look for a shorter path to the error that is found. Not for all errors.
    pub improve: bool,
    /// Parts of the state that do not count when states are compared. Not for shortest paths.
    pub foldings: Vec<Folding>,
    /// Count how often states are met again.
    pub profile: bool,
    /// The search is to be written down, so that another process can go on with it. Not every search can.
    pub checkpoints: bool,
    /// Of all random choices: orders of steps, and the bits that stand for a state.
    pub seed: u64,
}

impl CheckSettings {
    /// The strategy and the store that are used: what was left open is settled by the rest.
    pub fn chosen(&self) -> (Strategy, StoreSpec) {
        let is_on_disk = matches!(self.store, StoreSpec::Disk(_));
        let needs_path = matches!(self.store, StoreSpec::Cache(_)) || (self.loop_states && !is_on_disk);
        let strategy = match self.strategy {
            // Breadth first keeps a few bytes for each state, and a frontier: more than these stores save.
            Strategy::Cycles(_) if self.property.is_safety() => {
                return CheckSettings { strategy: Strategy::Auto, ..self.clone() }.chosen();
            }
            // Nothing but cycles is looked for.
            other if !self.property.is_safety() => Strategy::Cycles(other.cycle_search()),
            // Processes that search together go by levels.
            Strategy::Auto if self.together => Strategy::BFS,
            Strategy::Auto if needs_path || self.store.forgets_vectors() => Strategy::DFS,
            // Levels of steps are read back from the store, which folded vectors cannot be.
            Strategy::Auto if !self.foldings.is_empty() && self.limits.depth.is_some() => Strategy::DFS,
            Strategy::Auto => Strategy::BFS,
            chosen => chosen,
        };
        let store = match (strategy, self.store) {
            (Strategy::Swarm(_), StoreSpec::Auto | StoreSpec::Exact) => {
                StoreSpec::Bitstate(BitArray::default())
            }
            (_, StoreSpec::Auto) if !self.is_sounded(strategy) => StoreSpec::Exact,
            (_, store) => store,
        };
        (strategy, store)
    }

    /// Is a first look at the states worth it? Only if the whole search goes through all of them once.
    pub(crate) fn is_sounded(&self, strategy: Strategy) -> bool {
        let is_plain = matches!(strategy, Strategy::Bfs { .. } | Strategy::Dfs { .. });
        // The first look is that of one thread, and is not written down.
        let is_alone = self.threads.alone_until >= sounding::STATES;
        is_plain
            && is_alone
            && !self.checkpoints
            && !self.together
            && self.foldings.is_empty()
            && !self.profile
            && self.property.is_safety()
    }

    /// Can a search for cycles be made as the rest of the settings ask? It reads vectors back, and looks at everything.
    pub(crate) fn can_find_cycles(&self) -> bool {
        matches!(self.store, StoreSpec::Auto | StoreSpec::Exact | StoreSpec::Compressed)
            && self.foldings.is_empty()
            && !self.loop_states
            && !self.strategy.is_partial()
            && !self.together
    }

    /// What processes that search together cannot do.
    fn not_together(&self) -> Option<String> {
        let (strategy, store) = self.chosen();
        let option = |given: bool, name: &str| given.then(|| format!("`{name}`"));
        let by_levels = strategy == Strategy::BFS;
        let is_kept = matches!(store, StoreSpec::Exact | StoreSpec::Compressed | StoreSpec::HashCompact);
        option(strategy == Strategy::SHORTEST, "--shortest")
            .or_else(|| (!self.property.is_safety()).then(|| "a temporal property".to_string()))
            .or_else(|| (!by_levels).then(|| format!("`--search {strategy}`")))
            .or_else(|| (!is_kept).then(|| format!("`--store {store}`")))
            .or_else(|| option(!self.foldings.is_empty(), "--fold"))
            .or_else(|| option(self.loop_states, "--loop-states"))
            .or_else(|| option(self.limits.depth.is_some(), "--depth"))
            .or_else(|| option(self.limits.queue.is_some(), "--queue-limit"))
            .or_else(|| option(self.profile, "--profile"))
            .or_else(|| option(self.improve, "--improve"))
    }

    /// Fails where settings do not go together.
    pub fn refuse_contradictions(&self) -> Result<(), Contradiction> {
        let (strategy, store) = self.chosen();
        let by_levels = match strategy {
            Strategy::Bfs { shortest: true } => Some(Levels::Shortest),
            Strategy::Bfs { shortest: false } => Some(Levels::Plain),
            _ => None,
        };
        let has_depth = self.limits.depth.is_some();
        let path_is_needed = match store {
            StoreSpec::Cache(_) => Some(format!("--store {store}")),
            _ => self.loop_states.then(|| "--loop-states".to_string()),
        };
        let together = self.together.then(|| self.not_together()).flatten();
        let found = if let Some(what) = together {
            Contradiction::NotTogether { what }
        } else if let Some(option) = self.unused_heuristic() {
            Contradiction::NotDirected { option, strategy }
        } else if let (StoreSpec::Disk(_), Some(what)) = (store, self.unfit_for_disk()) {
            Contradiction::NotOnDisk(what)
        } else if let (Some(what), true) =
            (&path_is_needed, strategy.facts().is_directed && !strategy.facts().is_depth_first)
        {
            Contradiction::NoPath { what: what.clone(), strategy }
        } else if !self.property.is_safety() && !self.can_find_cycles() {
            Contradiction::NoCycles
        } else if self.fairness != Fairness::None && self.strategy.cycle_search().needs_one_set() {
            Contradiction::UnfairSearch(self.strategy, self.fairness)
        } else if self.profile && strategy.facts().is_several {
            Contradiction::ProfileOfSeveral(strategy)
        } else if let Some(levels) = by_levels
            && !self.foldings.is_empty()
            && (levels == Levels::Shortest || has_depth)
        {
            Contradiction::FoldedLevels(levels)
        } else if matches!(strategy, Strategy::Swarm(_)) && !matches!(store, StoreSpec::Bitstate(_)) {
            Contradiction::StoreOfSwarm(store)
        } else if let (Some(levels), StoreSpec::Cache(_)) = (by_levels, store) {
            Contradiction::NeedsPath { what: format!("--store {store}"), levels }
        } else if let Some(levels) = by_levels.filter(|_| self.loop_states) {
            Contradiction::NeedsPath { what: "--loop-states".to_string(), levels }
        } else if store.forgets_vectors() && by_levels == Some(Levels::Shortest) {
            Contradiction::ShortestMissed(store)
        } else if store.forgets_vectors() && by_levels.is_some() && has_depth {
            Contradiction::LevelsForgotten(store)
        } else if let (StoreSpec::Bitstate(BitArray { bits: Some(bits), .. }), Some(memory)) =
            (store, self.limits.memory)
            && bits.div_ceil(8) > memory
        {
            Contradiction::ArrayTooLarge { bits, memory }
        } else if let Some(what) = self.without_checkpoints().filter(|_| self.checkpoints) {
            Contradiction::NoCheckpoint { what }
        } else {
            return self.refuse_unfit_on_full();
        };
        Err(found)
    }

    /// What a search with its states on disk cannot do.
    fn unfit_for_disk(&self) -> Option<String> {
        match self.chosen().0 {
            Strategy::Bfs { .. } => {}
            // They are refused elsewhere.
            _ if !self.property.is_safety() => return None,
            other => return Some(format!("--search {other}")),
        }
        let options = [
            ("--depth", self.limits.depth.is_some()),
            ("--fold", !self.foldings.is_empty()),
            ("--loop-states", self.loop_states),
            ("--profile", self.profile),
        ];
        options.iter().find(|(_, is_given)| *is_given).map(|(option, _)| option.to_string())
    }

    /// What keeps a search from being written down.
    fn without_checkpoints(&self) -> Option<String> {
        let (strategy, store) = self.chosen();
        let is_one = matches!(strategy, Strategy::DFS | Strategy::BFS);
        let has_image = match store {
            StoreSpec::Auto
            | StoreSpec::Exact
            | StoreSpec::Compressed
            | StoreSpec::HashCompact
            | StoreSpec::Bitstate(_)
            | StoreSpec::Disk(_) => true,
            StoreSpec::Cache(_) => false,
        };
        if !self.property.is_safety() {
            return Some("a search for cycles".to_string());
        }
        let others = [
            (strategy == Strategy::SHORTEST, "`--shortest`".to_string()),
            (!is_one, format!("`--search {strategy}`")),
            (!has_image, format!("`--store {store}`")),
            (store.passes() > 1, "`--passes`".to_string()),
            (self.loop_states, "`--loop-states`".to_string()),
            (self.limits.depth.is_some(), "`--depth`".to_string()),
            (self.limits.queue.is_some(), "`--queue-limit`".to_string()),
            (self.improve, "`--improve`".to_string()),
            (self.profile, "`--profile`".to_string()),
        ];
        others.into_iter().find_map(|(is_so, what)| is_so.then_some(what))
    }

    /// Fails if a search is to be written down and is not all that the check of this model needs.
    pub fn refuse_unsaved_properties(&self, model: &Model) -> Result<(), Contradiction> {
        match self.property.temporal(model).first() {
            Some(property) if self.checkpoints => {
                Err(Contradiction::UnsavedProperty { title: property.title(model) })
            }
            _ => Ok(()),
        }
    }

    /// An option about heuristics that the search has no use for.
    fn unused_heuristic(&self) -> Option<&'static str> {
        let (strategy, _) = self.chosen();
        match strategy.facts().is_directed || !self.property.is_safety() {
            true => None,
            false if self.heuristic.is_some() && !strategy.facts().may_be_ordered => Some("--heuristic"),
            false => self.admissible.then_some("--admissible"),
        }
    }

    /// Fails for parts to fold that the model does not have.
    pub fn refuse_unknown_parts(&self, model: &Model) -> Result<(), CheckError> {
        Ok(self.foldings.iter().try_for_each(|folding| folding.check(model))?)
    }

    /// Must everything be looked at that is within a bound on depth, by whatever path? Then the nearest paths count, which
    /// a reduced search may leave out. A bit-state search cannot promise it, since it has no place to remember depths.
    fn promises_all_within_bound(&self) -> bool {
        let is_bitstate = matches!(self.store, StoreSpec::Bitstate(_));
        self.limits.depth.is_some() && !self.strategy.is_partial() && !is_bitstate
    }

    /// Is partial order reduction wanted, and does it leave what was asked for?
    pub(crate) fn may_reduce(&self) -> bool {
        // What a reduction puts off may be what seems near.
        let strategy = self.chosen().0;
        let is_by_merit = strategy.merit().is_some() || strategy == Strategy::Directed;
        self.semantics.por && self.may_shorten() && !is_by_merit
    }

    /// Need the steps of paths not be counted?
    pub(crate) fn may_shorten(&self) -> bool {
        !self.strategy.counts_steps() && !self.promises_all_within_bound()
    }

    /// What is done to the model before the search.
    pub(crate) fn passes(&self) -> Passes {
        // Where everything wrong is to be listed, equal statements at different places are different.
        self.semantics.optimisation.passes(self.may_shorten(), !self.all_errors)
    }
}

/// Settings that do not go together; said in the words of the command line, with what does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// A profile is of one search.
    ProfileOfSeveral(Strategy),
    /// Folded states have no distance.
    FoldedLevels(Levels),
    /// The searches of a swarm are bit-state searches.
    StoreOfSwarm(StoreSpec),
    /// Only a directed search has a heuristic.
    NotDirected { option: &'static str, strategy: Strategy },
    /// Files are read and written front to back, level by level.
    NotOnDisk(String),
    /// There is no path in a search by estimates.
    NoPath { what: String, strategy: Strategy },
    /// There is no path in a breadth-first search.
    NeedsPath { what: String, levels: Levels },
    /// A store that confuses states may miss the nearest error.
    ShortestMissed(StoreSpec),
    /// Levels of steps are read back from the store.
    LevelsForgotten(StoreSpec),
    /// The array does not fit into the memory.
    ArrayTooLarge { bits: u64, memory: u64 },
    /// A temporal property needs a search of everything, in a store that keeps vectors.
    NoCycles,
    /// Processes that search together look at every state, breadth first, and at nothing else.
    NotTogether { what: String },
    /// A search for cycles that knows one acceptance set has no marks for processes.
    UnfairSearch(Strategy, Fairness),
    /// Such a search cannot be written down.
    NoCheckpoint { what: String },
    /// Only a search of all states, in memory, can begin again with another store.
    NotOnFull { on_full: OnFull, what: String },
    /// The search that would begin then is refused.
    AfterFull { on_full: OnFull, why: Box<Contradiction> },
    /// Searches for cycles cannot be written down, and the model states what needs one.
    UnsavedProperty { title: String },
}

/// A search by levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    Plain,
    Shortest,
}

impl Levels {
    fn option(self) -> &'static str {
        match self {
            Levels::Plain => "--search bfs",
            Levels::Shortest => "--shortest",
        }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contradiction::ProfileOfSeveral(strategy) => write!(
                f,
                "`--profile` tells how one search went, and `--search {strategy}` makes many: take another search"
            ),
            Contradiction::FoldedLevels(levels) => write!(
                f,
                "`--fold` takes states for others, so with `{}` nothing is known to be nearest: leave one of them \
                 out, or use `--search dfs`",
                if *levels == Levels::Shortest { "--shortest" } else { "--search bfs --depth" }
            ),
            Contradiction::StoreOfSwarm(store) => write!(
                f,
                "the searches of a swarm are bit-state searches, `--store {store}` does not go with them: leave it \
                 out, or take another search"
            ),
            Contradiction::NotDirected { option, strategy } => write!(
                f,
                "`{option}` tells a directed search where to go, and `--search {strategy}` is none: use `--search astar`, \
                 `best-first`, `weighted:α`, `beam:K`, `ida` or `directed`"
            ),
            Contradiction::NotOnDisk(what) => write!(
                f,
                "`--store disk:DIR` goes breadth first through all states, and `{what}` does not go with it: leave one of them out"
            ),
            Contradiction::NoPath { what, strategy } => write!(
                f,
                "`{what}` needs the path of a depth-first search: use `--search ida` in place of `--search {strategy}`"
            ),
            Contradiction::NeedsPath { what, levels } => write!(
                f,
                "`{what}` needs the path of a depth-first search: use `--search dfs` in place of `{}`",
                levels.option()
            ),
            Contradiction::ShortestMissed(store) => write!(
                f,
                "`--store {store}` may miss states, so no error that it finds is known to be a nearest one: use \
                 `--store exact` or `--store compressed` with `--shortest`"
            ),
            Contradiction::LevelsForgotten(store) => write!(
                f,
                "a breadth-first search with `--depth` reads states back, which `--store {store}` cannot: use \
                 `--search dfs`, or `--store exact` or `--store compressed`"
            ),
            Contradiction::NotTogether { what } => write!(
                f,
                "{what} does not go with `--cluster` and `--hosts`: processes that search together look at every state, \
                 breadth first, in a store that is `exact`, `compressed` or `hash-compact`"
            ),
            Contradiction::NoCycles => f.write_str(
                "a temporal property is about cycles, which are found only where everything is searched and states can be read \
                 back: use `--store exact` or `--store compressed`, and neither a partial search nor `--fold` nor \
                 `--loop-states`",
            ),
            Contradiction::UnfairSearch(strategy, fairness) => write!(
                f,
                "`--search {strategy}` cannot tell which executions are fair, and `{}` asks for that: use `--search scc`",
                if *fairness == Fairness::Strong { "--fair=strong" } else { "--fair" }
            ),
            Contradiction::NoCheckpoint { what } => write!(
                f,
                "`--checkpoint` is for breadth-first and depth-first searches of everything, with the stores exact, compressed, \
                 hash-compact, bitstate and disk, and {what} is something else: leave one of them out"
            ),
            Contradiction::NotOnFull { on_full, what } => write!(
                f,
                "`--on-full {on_full}` is for breadth-first and depth-first searches of all states in memory, not together with \
                 {what}: leave one of them out"
            ),
            Contradiction::AfterFull { on_full, why } => {
                write!(f, "`--on-full {on_full}` takes another store when memory is full, and that is refused: {why}")
            }
            Contradiction::UnsavedProperty { title } => write!(
                f,
                "`--checkpoint` is for searches of states, and the model states {title}, which needs a search for cycles: add \
                 `--property safety`, and check the rest without it"
            ),
            Contradiction::ArrayTooLarge { bits, memory } => write!(
                f,
                "an array of {bits} bits does not fit into `--memory {memory}`: ask for {} bits or less, or leave \
                 `--bits` out",
                memory.saturating_mul(6)
            ),
        }
    }
}

impl std::error::Error for Contradiction {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CacheSize, CycleSearch, Depth, Named};

    /// Every strategy with every store: what is refused is what no search could do.
    #[test]
    fn what_goes_together() {
        let mut refused = Vec::new();
        for strategy in Strategy::ALL.iter().chain([&Strategy::SHORTEST]) {
            for store in StoreSpec::ALL {
                let settings =
                    CheckSettings { strategy: *strategy, store: *store, ..CheckSettings::default() };
                if settings.refuse_contradictions().is_err() {
                    let shortest = if strategy.is_shortest() { " shortest" } else { "" };
                    refused.push(format!("{strategy}{shortest} {}", store.name()));
                }
            }
        }
        let expected = [
            "dfs disk",
            "bfs cache",
            "iddfs shortest disk",
            "best-first cache",
            "best-first disk",
            "astar cache",
            "astar disk",
            "weighted:0.5 cache",
            "weighted:0.5 disk",
            "beam:1000 cache",
            "beam:1000 disk",
            "ida disk",
            "directed cache",
            "directed disk",
            "random disk",
            "scatter disk",
            "escalate disk",
            "swarm compressed",
            "swarm hash-compact",
            "swarm cache",
            "swarm disk",
            "bfs shortest hash-compact",
            "bfs shortest bitstate",
            "bfs shortest cache",
        ];
        assert_eq!(refused, expected);
    }

    /// What can be written down is what is taken where nothing is said.
    #[test]
    fn checkpoints_are_for_plain_searches() {
        let plain = CheckSettings { checkpoints: true, ..CheckSettings::default() };
        for store in StoreSpec::ALL {
            let settings = CheckSettings { store: *store, ..plain.clone() };
            let is_refused = settings.refuse_contradictions().is_err();
            assert_eq!(is_refused, matches!(store, StoreSpec::Cache(_)), "{store}");
        }
        let refused = |settings: CheckSettings| match settings.refuse_contradictions() {
            Err(Contradiction::NoCheckpoint { what }) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(CheckSettings { strategy: Strategy::Iddfs, ..plain.clone() }), "`--search iddfs`");
        assert_eq!(refused(CheckSettings { strategy: Strategy::SHORTEST, ..plain.clone() }), "`--shortest`");
        assert_eq!(refused(CheckSettings { limits: Limits::of_depth(3), ..plain.clone() }), "`--depth`");
        assert_eq!(refused(CheckSettings { profile: true, ..plain }), "`--profile`");
    }

    #[test]
    fn processes_that_search_together_look_at_every_state() {
        let settings = CheckSettings { together: true, ..CheckSettings::default() };
        let is_fine = |settings: &CheckSettings| settings.refuse_contradictions().is_ok();
        assert!(is_fine(&settings));
        let mut stores =
            StoreSpec::ALL.iter().map(|store| CheckSettings { store: *store, ..settings.clone() });
        assert_eq!(stores.by_ref().filter(is_fine).count(), 4);
        let strategies = Strategy::ALL.iter().chain([&Strategy::SHORTEST]);
        let strategies = strategies.map(|strategy| CheckSettings { strategy: *strategy, ..settings.clone() });
        let names: Vec<String> =
            strategies.filter(is_fine).map(|settings| settings.strategy.to_string()).collect();
        assert_eq!(names[..2], ["auto", "bfs"]);
        let limits = Limits::of_depth(3);
        assert!(!is_fine(&CheckSettings { limits, ..settings.clone() }));
        assert!(!is_fine(&CheckSettings { profile: true, ..settings }));
    }

    #[test]
    fn only_searches_with_several_sets_know_fairness() {
        for strategy in Strategy::ALL {
            let settings =
                CheckSettings { strategy: *strategy, fairness: Fairness::Weak, ..CheckSettings::default() };
            let is_refused = matches!(settings.refuse_contradictions(), Err(Contradiction::UnfairSearch(..)));
            let is_nested = matches!(strategy, Strategy::Cycles(search) if *search != CycleSearch::Scc);
            assert_eq!(is_refused, is_nested, "{strategy}");
        }
    }

    #[test]
    fn what_is_left_open_is_settled_by_the_store() {
        let chosen = |settings: &CheckSettings| settings.chosen().0;
        let plain = CheckSettings::default();
        assert_eq!(chosen(&plain), Strategy::BFS);
        let store = StoreSpec::Cache(CacheSize::DEFAULT);
        assert_eq!(chosen(&CheckSettings { store, ..plain.clone() }), Strategy::DFS);
        assert_eq!(chosen(&CheckSettings { loop_states: true, ..plain.clone() }), Strategy::DFS);
        let folded = CheckSettings { foldings: vec![Folding::Variable("x".into())], ..plain };
        assert_eq!(chosen(&folded), Strategy::BFS);
        let limits = Limits { depth: Some(Depth::Auto), ..Limits::default() };
        assert_eq!(chosen(&CheckSettings { limits, ..folded }), Strategy::DFS);
    }
}
