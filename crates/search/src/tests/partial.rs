//! Orders and limits of successors, on graphs made by hand.

use super::{run, summary};
use crate::mock::Graph;
use crate::{Guidance, Limit, Scope, SearchOptions, StepOrder, dfs, escalate, within};
use panoptes_exec::{Ending, Executor, Fault, Replay, Step, Successors};
use panoptes_model::{
    ControlState, EventTable, Expr, Guard, Model, Place, ProcId, Region, Requirement, ScalarType, Sense,
    StateId, TransId, Transition,
};
use panoptes_source::Span;
use panoptes_store::ExactStore;
use std::collections::BTreeSet;

/// The model of a graph, with a control state: partial searches measure depth by them.
fn model(graph: &Graph) -> Model {
    let mut model = graph.model();
    model.processes[0].states.push(ControlState {
        number: 0,
        transitions: Vec::new(),
        end: false,
        progress: false,
        accepting: false,
        labels: Vec::new(),
        span: Span::default(),
    });
    model
}

fn guided(guidance: Guidance) -> SearchOptions {
    SearchOptions { guidance, ..SearchOptions::default() }
}

/// A tree of some depth: node `n` leads to `2n + 1` and `2n + 2`; the leaves are where it is right to stop.
fn tree(depth: u32) -> Graph {
    let inner = (1u16 << depth) - 1;
    let mut graph = Graph::default();
    for node in 0..inner {
        graph = graph.edge((node, None), (2 * node + 1, None)).edge((node, None), (2 * node + 2, None));
    }
    (inner..2 * inner + 1).fold(graph, Graph::end)
}

#[test]
fn any_order_sees_everything() {
    let orders = [StepOrder::Listed, StepOrder::Reversed, StepOrder::Random(1), StepOrder::Random(2)];
    for order in orders {
        let outcome = run(dfs::<ExactStore>, &tree(6), &guided(Guidance { order, ..Guidance::default() }));
        assert_eq!(summary(&outcome), (127, 127, vec![]), "{order:?}");
        assert!(outcome.complete);
    }
}

#[test]
fn orders_lead_to_different_errors_first() {
    // Every leaf is a deadlock; the first one found tells the order.
    let first = |order| {
        let graph = Graph { ends: Vec::new(), ..tree(6) };
        let outcome = run(dfs::<ExactStore>, &graph, &guided(Guidance { order, ..Guidance::default() }));
        outcome.errors[0].standing[0].1
    };
    let found: BTreeSet<_> = (0..20).map(|seed| first(StepOrder::Random(seed))).collect();
    assert!(found.len() > 5, "{found:?}");
    assert_ne!(first(StepOrder::Listed), first(StepOrder::Reversed));
    assert_eq!(first(StepOrder::Random(7)), first(StepOrder::Random(7)));
}

#[test]
fn one_option_is_one_execution() {
    let guidance = Guidance { options_max: Some(1), ..Guidance::default() };
    let outcome = run(dfs::<ExactStore>, &tree(6), &guided(guidance));
    assert_eq!(outcome.statistics.stored, 7);
    assert_eq!(outcome.limits, [Limit::Branching]);
    assert!(!outcome.complete);
}

#[test]
fn a_requirement_shows_the_way_to_its_violation() {
    // Every leaf is a deadlock, and the requirement follows the tree; only in one leaf it can be broken.
    let graph = Graph { ends: Vec::new(), ..tree(6) };
    let guidance = Guidance { priorities: true, options_max: Some(1), ..Guidance::default() };
    for goal in [63, 100, 126] {
        let next = |node: u32| match node {
            0..63 => vec![Some(2 * node + 1), Some(2 * node + 2)],
            _ => vec![(node != goal).then_some(node), Some(node)],
        };
        let table = EventTable { next: (0..127).map(next).collect(), accepts: vec![true; 127] };
        let place = Place {
            region: Region::Global,
            offset: 3,
            ty: ScalarType::BYTE,
            indices: Vec::new(),
            name: "monitor".to_string(),
        };
        let mut model = model(&graph);
        model.requirements.push(Requirement {
            name: "leaf".to_string(),
            process: ProcId(0),
            fulfilled: Expr::load(place),
            sense: Sense::Hold,
            table,
            span: Span::default(),
        });
        let (mut executor, options) = (graph.clone(), guided(guidance));
        let outcome = dfs::<ExactStore>(&model, &mut executor, &options, &mut ());
        assert_eq!(outcome.statistics.stored, 7);
        assert_eq!(outcome.errors[0].standing[0].1.0, goal);
    }
}

#[test]
fn what_is_known_does_not_take_the_place_of_what_is_new() {
    // 0 leads back to itself first: an option that tells nothing.
    let graph = Graph::default().edge((0, None), (0, None)).edge((0, None), (1, None)).end(1);
    let guidance = Guidance { options_max: Some(1), ..Guidance::default() };
    let outcome = run(dfs::<ExactStore>, &graph, &guided(guidance));
    assert_eq!(outcome.statistics.stored, 2);
    assert!(outcome.complete, "nothing new was left out");
}

#[test]
fn a_scope_has_its_limits() {
    let scope = Scope { options_max: Some(1), depth_max: Some(3), ..Scope::default() };
    let graph = tree(6);
    let outcome =
        within::<ExactStore>(&graph.model(), &mut graph.clone(), &SearchOptions::default(), scope, &mut ());
    assert_eq!(outcome.statistics.stored, 4);
    assert_eq!(outcome.limits, [Limit::Depth, Limit::Branching]);
}

#[test]
fn an_escalation_ends_with_everything() {
    let graph = tree(8);
    let outcome =
        escalate::<ExactStore>(&model(&graph), &mut graph.clone(), &SearchOptions::default(), &mut ());
    assert!(outcome.complete && outcome.limits.is_empty());
    assert!(outcome.stages.len() > 1, "the first stage sees one execution");
    assert_eq!(outcome.stages.last().unwrap().statistics.stored, 511);
    let sum: u64 = outcome.stages.iter().map(|stage| stage.statistics.stored).sum();
    assert_eq!(outcome.statistics.stored, sum);
}

#[test]
fn an_escalation_stops_at_the_first_error_unless_all_are_wanted() {
    let graph = Graph { ends: Vec::new(), ..tree(6) };
    let first =
        escalate::<ExactStore>(&model(&graph), &mut graph.clone(), &SearchOptions::default(), &mut ());
    assert_eq!((first.errors.len(), first.complete), (1, false));
    let options = SearchOptions { all_errors: true, ..SearchOptions::default() };
    let all = escalate::<ExactStore>(&model(&graph), &mut graph.clone(), &options, &mut ());
    assert_eq!((all.errors.len(), all.complete), (64, true));
    assert_eq!(all.stages.iter().map(|stage| stage.errors).sum::<usize>(), 64);
}

#[test]
fn stages_of_an_escalation_go_different_ways() {
    // Every leaf is a deadlock, and the first one is found before the last stage.
    let graph = Graph { ends: Vec::new(), ..tree(6) };
    let first = |seed| {
        let options = guided(Guidance { order: StepOrder::Random(seed), ..Guidance::default() });
        let outcome = escalate::<ExactStore>(&model(&graph), &mut graph.clone(), &options, &mut ());
        outcome.errors[0].standing[0].1
    };
    let found: BTreeSet<_> = (0..20).map(first).collect();
    assert!(found.len() > 5, "{found:?}");
}

#[test]
fn a_random_order_prefers_nothing() {
    let graph = Graph { ends: Vec::new(), ..tree(1) };
    let takes_the_first = |seed: &u64| {
        let guidance = Guidance { order: StepOrder::Random(*seed), ..Guidance::default() };
        let outcome = run(dfs::<ExactStore>, &graph, &guided(guidance));
        outcome.errors[0].standing[0].1.0 == 1
    };
    let count = (0..400).filter(takes_the_first).count();
    assert!((150..250).contains(&count), "{count} of 400");
}

/// Three processes with two steps each, and nothing after that.
struct SixSteps;

impl Executor for SixSteps {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        Ok(vec![0])
    }

    fn successors(&mut self, state: &[u8], _: Option<u8>, out: &mut Successors) {
        out.clear();
        for number in (1..=6).rev().filter(|_| state == [0]) {
            let step = Step { pid: (number - 1) / 2, transition: TransId(number.into()), partner: None };
            out.push(step, None, Some(&[number]), None);
        }
        if out.items.is_empty() {
            out.ending = Ending::Valid;
        }
    }

    fn replay(&mut self, _: &[u8], _: Option<u8>, _: usize) -> Option<Replay> {
        None
    }

    fn hidden_bytes(&self) -> usize {
        0
    }
}

#[test]
fn limits_hold_for_processes_and_for_the_steps_of_each() {
    for order in [StepOrder::Listed, StepOrder::Reversed, StepOrder::Random(3)] {
        for (processes_max, options_max, followed) in [
            (None, None, 6),
            (Some(1), None, 2),
            (Some(2), None, 4),
            (None, Some(1), 3),
            (Some(2), Some(1), 2),
            (Some(1), Some(1), 1),
            (Some(3), Some(2), 6),
        ] {
            let options = guided(Guidance { order, processes_max, options_max, ..Guidance::default() });
            let outcome = dfs::<ExactStore>(&Model::default(), &mut SixSteps, &options, &mut ());
            assert_eq!(outcome.statistics.stored, 1 + followed, "{options:?}");
            assert_eq!(outcome.complete, followed == 6, "{options:?}");
        }
    }
}

/// Of three steps the first and the last are timeouts; the last one is the only step where it is.
#[test]
fn timeouts_are_put_off_where_something_else_can_be_done() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (2, None))
        .edge((2, None), (3, None))
        .end(1)
        .end(3);
    let mut model = model(&graph);
    model.timeouts = vec![TransId(0), TransId(2)];
    model.transitions = vec![idle_transition(); 3];
    for (timeouts_last, stored, limits) in [(false, 4, vec![]), (true, 3, vec![Limit::Timeouts])] {
        let scope = Scope { timeouts_last, ..Scope::default() };
        let (mut executor, options) = (graph.clone(), SearchOptions::default());
        let outcome = within::<ExactStore>(&model, &mut executor, &options, scope, &mut ());
        assert_eq!((outcome.statistics.stored, outcome.limits), (stored, limits));
        assert!(outcome.errors.is_empty());
    }
}

fn idle_transition() -> Transition {
    Transition {
        process: ProcId(0),
        from: StateId(0),
        to: Some(StateId(0)),
        guard: Guard::Always,
        actions: Vec::new(),
        keeps_control: false,
        escape: 0,
        text: String::new(),
        span: Span::default(),
    }
}
