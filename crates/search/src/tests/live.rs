//! The search for cycles, on random graphs against a check that is too simple to be wrong.

use super::crew::Make;
use crate::mock::{Graph, Numbers};
use crate::{
    Claim, ClaimEdge, ClaimState, Crew, CycleSearch, CycleTask, Fairness, Limit, Observer, Outcome,
    SearchOptions, Statistics, Target, cycles,
};
use panoptes_exec::{Executor, Fault, FaultKind, Successors};
use panoptes_model::Model;
use panoptes_source::Span;
use panoptes_store::{ExactStore, SharedVisited, TreeStore};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const CASES: u64 = 2000;
/// Of larger products there are too many parts.
const STATES_MAX: usize = 9;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn fault(kind: FaultKind) -> Fault {
    Fault { kind, message: "the claim".to_string(), span: Span::default() }
}

/// A graph of some nodes; each holds some of two conditions.
fn graph(random: &mut Random) -> Graph {
    let nodes = 1 + random.below(7) as u16;
    let mut graph = Graph { process_count: 1 + random.below(3) as u8, ..Graph::default() };
    for from in 0..nodes {
        graph.letters.insert(from, random.below(4));
        for _ in 0..random.below(4) {
            let to = random.below(u64::from(nodes)) as u16;
            graph = graph.edge((from, None), (to, None));
        }
        if random.below(3) == 0 {
            // A chain: the claim does not move in its middle.
            let (middle, to) = (nodes + from, random.below(u64::from(nodes)) as u16);
            graph = graph.edge((from, None), (middle, Some(0))).edge((middle, Some(0)), (to, None));
        }
    }
    graph
}

fn claim(random: &mut Random) -> Claim {
    let (states, set_count) = (1 + random.below(3), random.below(3) as u32);
    let stutters = random.below(4) > 0;
    let mut edge = || {
        let to = match random.below(12) {
            0 => Target::Violation(fault(FaultKind::ClaimViolated)),
            _ => Target::State(random.below(states) as u16),
        };
        let (holds, fails) = (random.below(4) & random.below(4), random.below(4) & random.below(4));
        let sets = random.below(1 << set_count) & random.below(1 << set_count);
        ClaimEdge { holds, fails: fails & !holds, sets, to }
    };
    let states = (0..states).map(|_| ClaimState::new((0..3).map(|_| edge()).collect())).collect();
    let conditions = vec![panoptes_exec::Condition::Accepting; 2];
    Claim { conditions, watched: 0, states, set_count, stutters, cycle: fault(FaultKind::AcceptanceCycle) }
}

/// The product, written down whole: where each of its states leads, with the marks of each step.
struct Whole {
    states: Vec<(Vec<u8>, u16)>,
    /// By state: who can move there.
    enabled: Vec<u64>,
    /// With the acceptance sets, who moves, and how many steps of the system it is.
    steps: Vec<(usize, usize, u64, u64, usize)>,
    /// The states in which the claim comes to its end.
    violated: Vec<usize>,
}

impl Whole {
    fn of(graph: &Graph, claim: &Claim) -> Whole {
        let mut executor = graph.clone();
        let mut whole = Whole {
            states: vec![(graph.vector(0, 0), 0)],
            enabled: Vec::new(),
            steps: Vec::new(),
            violated: Vec::new(),
        };
        let mut at = 0;
        while at < whole.states.len() {
            let (vector, claim_state) = whole.states[at].clone();
            let held = executor.conditions(&vector, u64::MAX).expect("conditions have values");
            let mut moves = Vec::new();
            let mut first = Successors::default();
            executor.successors(&vector, None, &mut first);
            for item in &first.items {
                let mut ends = Vec::new();
                let movers = 1u64 << item.pid;
                follow(&mut executor, first.state(item).to_vec(), item.control(), (movers, 1), &mut ends);
                moves.extend(ends);
            }
            if first.items.is_empty() && claim.stutters {
                moves.push((vector.clone(), (0, 0)));
            }
            whole.enabled.push(first.items.iter().fold(0, |pids, item| pids | 1 << item.pid));
            for edge in claim.states[usize::from(claim_state)].edges.iter().filter(|edge| edge.is_open(held))
            {
                let Target::State(to) = edge.to else {
                    whole.violated.push(at);
                    continue;
                };
                for (vector, (movers, length)) in &moves {
                    let state = (vector.clone(), to);
                    let known = whole.states.iter().position(|known| *known == state);
                    let number = known.unwrap_or(whole.states.len());
                    if known.is_none() {
                        whole.states.push(state);
                    }
                    whole.steps.push((at, number, edge.sets, *movers, *length));
                }
            }
            at += 1;
        }
        whole
    }

    /// Is there a cycle of the kind that is looked for? By definition: some states that each lead to all of them, over steps
    /// among them alone, with a step of each set; and fair to every process.
    fn has_cycle(&self, claim: &Claim, fairness: Fairness) -> bool {
        (1u32..1 << self.states.len()).any(|part| {
            let is_inside = |state: usize| part >> state & 1 == 1;
            let inside = || self.steps.iter().filter(|step| is_inside(step.0) && is_inside(step.1));
            if inside().next().is_none() || !self.is_connected(part) {
                return false;
            }
            let sets = inside().fold(0, |all, step| all | step.2);
            let movers = inside().fold(0, |all, step| all | step.3);
            let enabled =
                (0..self.states.len()).filter(|state| is_inside(*state)).map(|state| self.enabled[state]);
            let owed = match fairness {
                Fairness::None => 0,
                Fairness::Weak => enabled.fold(u64::MAX, |all, pids| all & pids),
                Fairness::Strong => enabled.fold(0, |all, pids| all | pids),
            };
            sets == (1 << claim.set_count) - 1 && owed & !movers == 0
        })
    }

    /// Do the states of the part lead to each other?
    fn is_connected(&self, part: u32) -> bool {
        let spread = |from: u32, backwards: bool| {
            let mut reached = from;
            loop {
                let before = reached;
                for (from, to, ..) in &self.steps {
                    let (from, to) = if backwards { (*to, *from) } else { (*from, *to) };
                    if part >> from & part >> to & reached >> from & 1 == 1 {
                        reached |= 1 << to;
                    }
                }
                if reached == before {
                    return reached;
                }
            }
        };
        let first = part & part.wrapping_neg();
        spread(first, false) == part && spread(first, true) == part
    }
}

impl Whole {
    /// The least number of steps, prefix and cycle together, of an execution that violates the claim. By definition: all walks are
    /// tried, and each state may be the first of the cycle.
    fn shortest(&self, claim: &Claim, fairness: Fairness) -> Option<usize> {
        // Where a walk is; and within the cycle where that began, the sets and movers met, and who could move always and ever.
        type Walk = (usize, Option<(usize, u64, u64, u64, u64)>);
        let mut lengths: HashMap<Walk, usize> = HashMap::from([((0, None), 0)]);
        let mut open: BTreeSet<(usize, Walk)> = BTreeSet::from([(0, (0, None))]);
        while let Some((length, walk)) = open.pop_first() {
            let (at, cycle) = walk;
            if let Some((first, sets, movers, always, ever)) = cycle {
                let owed = match fairness {
                    Fairness::None => 0,
                    Fairness::Weak => always,
                    Fairness::Strong => ever,
                };
                if first == at && sets == (1 << claim.set_count) - 1 && owed & !movers == 0 {
                    return Some(length);
                }
            } else if self.violated.contains(&at) {
                return Some(length);
            }
            for (_, to, sets, movers, steps) in self.steps.iter().filter(|step| step.0 == at) {
                let enabled = self.enabled[at];
                let begun = (*to, Some((at, *sets, *movers, enabled, enabled)));
                let next = match cycle {
                    None => vec![(*to, None), begun],
                    Some((first, all, moved, always, ever)) => {
                        vec![(
                            *to,
                            Some((first, all | sets, moved | movers, always & enabled, ever | enabled)),
                        )]
                    }
                };
                for walk in next {
                    let known = lengths.entry(walk).or_insert(usize::MAX);
                    if length + steps < *known {
                        open.remove(&(*known, walk));
                        *known = length + steps;
                        open.insert((*known, walk));
                    }
                }
            }
        }
        None
    }
}

#[test]
fn shortest_violations_are_shortest() {
    let mut counts = [0; 2];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (graph, claim) = (graph(&mut random), claim(&mut random));
        let whole = Whole::of(&graph, &claim);
        if whole.states.len() > 2 * STATES_MAX {
            continue;
        }
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let task =
                CycleTask { search: CycleSearch::Scc, claim: &claim, fairness, shortest: true, crew: None };
            let (model, options) = (graph.model(), SearchOptions::default());
            let outcome = cycles::<ExactStore>(&task, &model, &mut graph.clone(), &options, &mut ());
            let length = outcome.errors.first().map(|error| error.length);
            assert_eq!(length, whole.shortest(&claim, fairness), "seed {seed}, {fairness:?}");
            assert_eq!(outcome.is_shortest, length.map(|_| true), "seed {seed}, {fairness:?}");
            let is_lasso = outcome.errors.first().is_some_and(|error| error.cycle_start.is_some());
            counts[usize::from(is_lasso)] += 1;
            outcome.errors.iter().for_each(|error| assert_eq!(error.path.len(), error.length));
        }
    }
    assert!(counts.iter().all(|count| *count > CASES / 4), "both happen often: {counts:?}");
}

/// Goes to the ends of a chain, with all who move on the way.
fn follow(
    executor: &mut Graph,
    vector: Vec<u8>,
    control: Option<u8>,
    (movers, length): (u64, usize),
    ends: &mut Vec<(Vec<u8>, (u64, usize))>,
) {
    if control.is_none() {
        return ends.push((vector, (movers, length)));
    }
    let mut out = Successors::default();
    executor.successors(&vector, control, &mut out);
    for item in &out.items {
        let so_far = (movers | 1 << item.pid, length + 1);
        follow(executor, out.state(item).to_vec(), item.control(), so_far, ends);
    }
}

fn is_violated(outcome: &Outcome) -> bool {
    let kinds = [FaultKind::AcceptanceCycle, FaultKind::ClaimViolated];
    let faults = outcome.errors.iter().filter_map(|error| error.fault.as_ref());
    faults.inspect(|fault| assert!(kinds.contains(&fault.kind))).count() > 0
}

fn search<S: SharedVisited + Default>(
    by: CycleSearch,
    graph: &Graph,
    claim: &Claim,
    fairness: Fairness,
) -> Outcome {
    let (model, options) = (graph.model(), SearchOptions::default());
    let task = CycleTask { search: by, claim, fairness, shortest: false, crew: None };
    cycles::<S>(&task, &model, &mut graph.clone(), &options, &mut ())
}

/// Is the outcome as it should be?
fn compare(outcome: &Outcome, expected: bool, whole: &Whole, case: &str) {
    assert_eq!(is_violated(outcome), expected, "{case}");
    assert_eq!(outcome.complete, !expected, "{case}");
    if !expected {
        assert_eq!(outcome.statistics.stored as usize, whole.states.len(), "{case}");
    }
    for error in &outcome.errors {
        assert_eq!(error.path.len(), error.length, "{case}");
        assert!(error.cycle_start.is_none_or(|start| start <= error.length), "{case}");
    }
}

/// A cycle that needs steps of several sets is found by searches that know one set.
#[test]
fn nested_searches_find_the_same_cycles() {
    let mut counts = [0; 2];
    for seed in 0..2 * CASES {
        let mut random = Random(seed);
        let (graph, claim) = (graph(&mut random), claim(&mut random));
        let whole = Whole::of(&graph, &claim);
        if whole.states.len() > STATES_MAX {
            continue;
        }
        let expected = !whole.violated.is_empty() || whole.has_cycle(&claim, Fairness::None);
        let claim = claim.with_one_set().expect("a small claim");
        let whole = Whole::of(&graph, &claim);
        let [nested, improved, directed] =
            [CycleSearch::Ndfs, CycleSearch::ImprovedNdfs, CycleSearch::AstarDfs].map(|by| {
                let case = format!("seed {seed}, {by:?}");
                let outcome = search::<ExactStore>(by, &graph, &claim, Fairness::None);
                compare(&outcome, expected, &whole, &case);
                let again = search::<TreeStore>(by, &graph, &claim, Fairness::None);
                assert_eq!(
                    (again.statistics.transitions, again.errors),
                    (outcome.statistics.transitions, outcome.errors.clone()),
                    "{case}"
                );
                outcome
            });
        let work = |outcome: &Outcome| (outcome.statistics.transitions, outcome.statistics.expanded);
        let length = |outcome: &Outcome| outcome.errors.first().map(|error| error.length);
        assert!(work(&improved) <= work(&nested) && length(&improved) == length(&nested), "seed {seed}");
        if !expected {
            assert!(work(&directed) <= work(&nested), "seed {seed}");
        }
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|count| *count > CASES / 4), "both happen often: {counts:?}");
}

#[test]
fn cycles_are_found_where_there_are_some() {
    let mut counts = [0; 2];
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (graph, claim) = (graph(&mut random), claim(&mut random));
        let whole = Whole::of(&graph, &claim);
        if whole.states.len() > STATES_MAX {
            continue;
        }
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let expected = !whole.violated.is_empty() || whole.has_cycle(&claim, fairness);
            let outcomes = [
                search::<ExactStore>(CycleSearch::Scc, &graph, &claim, fairness),
                search::<TreeStore>(CycleSearch::Scc, &graph, &claim, fairness),
            ];
            for outcome in outcomes {
                compare(&outcome, expected, &whole, &format!("seed {seed}, {fairness:?}"));
            }
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > CASES / 4), "both happen often: {counts:?}");
}

/// A claim that accepts every infinite execution.
fn anything() -> Claim {
    let edge = ClaimEdge { holds: 0, fails: 0, sets: 1, to: Target::State(0) };
    Claim {
        conditions: Vec::new(),
        watched: 0,
        states: vec![ClaimState::new(vec![edge])],
        set_count: 1,
        stutters: false,
        cycle: fault(FaultKind::AcceptanceCycle),
    }
}

/// A long way to a cycle is found first; whether there is a shorter one, a limit may keep from being known.
#[test]
fn a_limit_leaves_a_short_violation() {
    let chain = (0..12).fold(Graph::default(), |graph, node| graph.edge((node, None), (node + 1, None)));
    let chain = chain.edge((12, None), (10, None)).edge((0, None), (20, None));
    let wide = (21..61).fold(chain, |graph, node| graph.edge((20, None), (node, None)));
    let graph = wide.edge((60, None), (20, None));
    let claim = anything();
    let task = CycleTask {
        search: CycleSearch::Scc,
        claim: &claim,
        fairness: Fairness::None,
        shortest: true,
        crew: None,
    };
    for (states_max, length, is_shortest) in [(None, 3, true), (Some(30), 13, false)] {
        let options = SearchOptions { states_max, ..SearchOptions::default() };
        let outcome = cycles::<ExactStore>(&task, &graph.model(), &mut graph.clone(), &options, &mut ());
        let found = outcome.errors.first().map(|error| (error.length, error.path.len()));
        assert_eq!(found, Some((length, length)));
        assert_eq!(outcome.is_shortest, Some(is_shortest));
    }
}

/// Best first, the nearest way to where the claim accepts is taken; depth first, whatever comes first.
#[test]
fn best_first_comes_near() {
    let chain = (0..12).fold(Graph::default(), |graph, node| graph.edge((node, None), (node + 1, None)));
    let mut graph =
        chain.edge((12, None), (12, None)).edge((0, None), (20, None)).edge((20, None), (20, None));
    graph.letters.extend([(12, 1), (20, 1)]);
    let stay = |holds: u64, sets: u64, to: u16| ClaimEdge { holds, fails: 0, sets, to: Target::State(to) };
    // It waits for the condition, which then always holds.
    let states =
        vec![ClaimState::new(vec![stay(0, 0, 0), stay(1, 1, 1)]), ClaimState::new(vec![stay(1, 1, 1)])];
    let conditions = vec![panoptes_exec::Condition::Accepting];
    let claim = Claim { states, conditions, ..anything() };
    for (by, length) in [(CycleSearch::Ndfs, 14), (CycleSearch::ImprovedNdfs, 14), (CycleSearch::AstarDfs, 3)]
    {
        let outcome = search::<ExactStore>(by, &graph, &claim, Fairness::None);
        let found = outcome.errors.first().map(|error| error.length);
        assert_eq!(found, Some(length), "{by:?}");
    }
}

/// An accepting step that no cycle takes accepts nothing: such a claim asks only whether its end is reached.
#[test]
fn a_claim_without_accepted_cycles_is_a_safety_claim() {
    let edge = |sets: u64, to: Target| ClaimEdge { holds: 0, fails: 0, sets, to };
    let states = vec![
        ClaimState::new(vec![edge(0, Target::State(0)), edge(1, Target::State(1))]),
        ClaimState::new(vec![edge(1, Target::Violation(fault(FaultKind::ClaimViolated)))]),
    ];
    assert!(Claim { states, ..anything() }.is_safety());
    assert!(!anything().is_safety());
    assert!(!Claim { set_count: 0, ..anything() }.is_safety());
}

/// Workers that begin together, or join one that has begun, find what one finds: the same verdict, the same states and steps, and a
/// violation that has a path.
#[test]
fn several_workers_find_the_same_cycles() {
    let (mut counts, mut joined_late) = ([0; 2], 0);
    for seed in 0..CASES / 4 {
        let mut random = Random(seed);
        let (graph, claim) = (graph(&mut random), claim(&mut random));
        let whole = Whole::of(&graph, &claim);
        if whole.states.len() > STATES_MAX {
            continue;
        }
        for fairness in [Fairness::None, Fairness::Weak] {
            let expected = !whole.violated.is_empty() || whole.has_cycle(&claim, fairness);
            let later = 1 + seed % 11;
            for (threads, alone_until) in [(2, 0), (5, 0), (2, later), (3, 2 * later)] {
                let outcome = by_crew::<ExactStore>((threads, alone_until), &graph, &claim, fairness);
                let case = format!("seed {seed}, {fairness:?}, {threads} workers from {alone_until} on");
                compare(&outcome, expected, &whole, &case);
                if !expected {
                    let alone = search::<ExactStore>(CycleSearch::Scc, &graph, &claim, fairness);
                    let counts = |outcome: &Outcome| {
                        let found = &outcome.statistics;
                        (found.transitions, found.expanded, found.generated, outcome.executed.clone())
                    };
                    assert_eq!(counts(&outcome), counts(&alone), "{case}");
                    assert!(claim.is_safety() || outcome.threads > 1 || alone_until > 0, "{case}");
                    joined_late += usize::from(outcome.threads > 1 && alone_until > 0);
                }
            }
            let outcome = by_crew::<TreeStore>((3, seed % 5), &graph, &claim, fairness);
            compare(&outcome, expected, &whole, &format!("seed {seed}, {fairness:?}, compressed"));
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > CASES / 20), "both happen often: {counts:?}");
    assert!(joined_late > 20, "others join: {joined_late}");
}

fn by_crew<S: SharedVisited + Default>(
    (threads, alone_until): (usize, u64),
    graph: &Graph,
    claim: &Claim,
    fairness: Fairness,
) -> Outcome {
    let executors = Make(|| graph.clone());
    let crew = Crew { alone_until, ..Crew::new(threads, &executors) };
    let (model, options) = (graph.model(), SearchOptions::default());
    let task = CycleTask { search: CycleSearch::Scc, claim, fairness, shortest: false, crew: Some(&crew) };
    cycles::<S>(&task, &model, &mut graph.clone(), &options, &mut ())
}

/// Rings of states that lie in each other, with one step out of the claim's set: workers meet in them from all sides.
fn racy() -> Graph {
    let mut graph = Graph::default();
    for at in 0..300u16 {
        graph = graph.edge((at, None), ((at + 1) % 300, None)).edge((at, None), ((at * 7 + 3) % 300, None));
        if at % 10 == 0 {
            graph = graph.edge((at, None), (300 + at / 10, None));
        }
        // In one state in fifty the condition does not hold.
        graph.letters.insert(at, u64::from(at % 50 != 7));
    }
    graph
}

/// A ring in which the condition holds everywhere, or not: that is all the claim asks.
#[test]
fn a_thousand_runs_never_differ() {
    let stay = |holds: u64, to: u16| ClaimEdge { holds, fails: 0, sets: 1, to: Target::State(to) };
    let wait = ClaimEdge { holds: 0, fails: 0, sets: 0, to: Target::State(0) };
    let states = vec![ClaimState::new(vec![wait, stay(1, 1)]), ClaimState::new(vec![stay(1, 1)])];
    let conditions = vec![panoptes_exec::Condition::Accepting];
    let claim = Claim { states, conditions, ..anything() };
    // The second graph has no cycle on which the condition always holds: each of its states leads on to a greater one.
    let mut line = Graph::default();
    for at in 0..300u16 {
        line = line.edge((at, None), ((at + 1) % 300, None)).edge((at, None), ((at + 7).min(299), None));
        line.letters.insert(at, u64::from(at != 299));
    }
    for (graph, is_accepted) in [(racy(), true), (line, false)] {
        let alone = search::<ExactStore>(CycleSearch::Scc, &graph, &claim, Fairness::None);
        assert_eq!(is_violated(&alone), is_accepted);
        for turn in 0..500 {
            // Others join at once, or one worker later each time.
            let alone_until = (turn as u64 / 2) * (turn as u64 % 2);
            let outcome = by_crew::<ExactStore>((2 + turn % 4, alone_until), &graph, &claim, Fairness::None);
            assert_eq!(is_violated(&outcome), is_accepted, "turn {turn}");
            let lengths =
                |outcome: &Outcome| outcome.errors.iter().all(|error| error.path.len() == error.length);
            assert!(lengths(&outcome), "turn {turn}");
            if !is_accepted {
                assert_eq!(super::summary(&outcome), super::summary(&alone), "turn {turn}");
            }
        }
    }
}

/// A tree, which has no cycle, by so many workers.
fn tree_by_crew(threads: usize, options: &SearchOptions, observer: &mut dyn Observer) -> Outcome {
    // A number leads to greater ones, up to a bound that no test comes to the end of.
    let tree = || Numbers(|at: u64| (2 * at + 1..2 * at + 3).filter(|to| *to < 1 << 40).collect());
    let executors = Make(tree);
    let crew = Crew { alone_until: 1000, ..Crew::new(threads, &executors) };
    let claim = anything();
    let (search, fairness) = (CycleSearch::Scc, Fairness::None);
    let task = CycleTask { search, claim: &claim, fairness, shortest: false, crew: Some(&crew) };
    cycles::<ExactStore>(&task, &Model::default(), &mut tree(), options, observer)
}

#[test]
fn several_workers_keep_to_limits() {
    let memory = 30_000_000;
    let options = SearchOptions { memory_bytes: Some(memory), ..SearchOptions::default() };
    let outcome = tree_by_crew(8, &options, &mut ());
    assert_eq!(outcome.limits[0], Limit::Memory);
    let used = outcome.statistics.store_bytes + outcome.statistics.search_bytes;
    assert!(!outcome.complete && outcome.threads == 8 && outcome.statistics.stored > 30_000);
    assert!(used < memory as usize * 13 / 10, "{used} of {memory}");
    let options = SearchOptions { time: Some(Duration::from_millis(100)), ..SearchOptions::default() };
    let start = Instant::now();
    assert_eq!(tree_by_crew(3, &options, &mut ()).limits, [Limit::Time]);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let options = SearchOptions { states_max: Some(50_000), ..SearchOptions::default() };
    assert_eq!(tree_by_crew(3, &options, &mut ()).limits, [Limit::States]);
}

#[test]
fn who_looks_on_can_stop_a_search_for_cycles() {
    struct Impatient(Instant);
    impl Observer for Impatient {
        fn progress(&mut self, _: &Statistics) -> ControlFlow<()> {
            if self.0.elapsed() > Duration::from_millis(50) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let outcome = tree_by_crew(3, &SearchOptions::default(), &mut Impatient(Instant::now()));
    assert_eq!(outcome.limits, [Limit::Stopped]);
}

#[test]
#[should_panic(expected = "a broken executor")]
fn a_worker_that_panics_ends_a_search_for_cycles() {
    let broken = || {
        Numbers(|at: u64| {
            assert!(at < 50_000, "a broken executor");
            vec![at * 2 + 1, at * 2 + 2]
        })
    };
    let executors = Make(broken);
    let crew = Crew { alone_until: 0, ..Crew::new(4, &executors) };
    let claim = anything();
    let (search, fairness) = (CycleSearch::Scc, Fairness::None);
    let task = CycleTask { search, claim: &claim, fairness, shortest: false, crew: Some(&crew) };
    cycles::<ExactStore>(&task, &Model::default(), &mut broken(), &SearchOptions::default(), &mut ());
}

/// A process for which the marks have no room can move and does not: one worker looks at it.
#[test]
fn too_many_processes_are_left_to_one_worker() {
    let mut graph = Graph { process_count: 200, ..Graph::default() };
    for at in 0..100u16 {
        let to = ((at + 1) % 100, None);
        graph = graph.edge((at, None), to).edge((at, None), to);
    }
    for (process_count, threads) in [(200, 1), (60, 3)] {
        let graph = Graph { process_count, ..graph.clone() };
        let outcome = by_crew::<ExactStore>((3, 0), &graph, &anything(), Fairness::Weak);
        assert_eq!((is_violated(&outcome), outcome.threads), (true, threads));
        let alone = search::<ExactStore>(CycleSearch::Scc, &graph, &anything(), Fairness::Weak);
        assert!(is_violated(&alone));
    }
}
