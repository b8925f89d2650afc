//! Random models with random formulas and never claims, with and without fairness: the search for cycles against the definition, on a product that is
//! written down whole.

use panoptes_check::{
    CheckSettings, CycleSearch, Engine, Fairness, Language, Loaded, Property, StoreSpec, Strategy,
    TextOptions, Threads, VerdictKind, check, load_text,
};
use panoptes_exec::{Condition, Ending, Executor, Successor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_ltl::{AtomId, Automaton, Budget, Cube, Edge, Formula, Marks, StateId, translate};
use panoptes_model::Expr;
use panoptes_modelgen::{Profile, Rng, generate};
use std::collections::HashMap;
use std::path::Path;

/// Larger products are left out: what is compared takes the third power of that.
const STATES_MAX: usize = 260;

/// A formula in the words of the model, over some conditions.
fn formula(rng: &mut Rng, atoms: &[String], depth: usize) -> String {
    if depth == 0 || rng.chance(15) {
        return rng.pick(atoms).clone();
    }
    let mut part = || formula(rng, atoms, depth - 1);
    let (left, right) = (part(), part());
    match rng.below(10) {
        0 => format!("!({left})"),
        1 | 2 => format!("[] ({left})"),
        3 | 4 => format!("<> ({left})"),
        5 => format!("X ({left})"),
        6 => format!("({left}) U ({right})"),
        7 => format!("({left}) && ({right})"),
        8 => format!("({left}) || ({right})"),
        _ => format!("({left}) -> ({right})"),
    }
}

fn load(text: &str, formulas: Vec<String>) -> Option<Loaded> {
    let options = TextOptions { formulas, ..TextOptions::default() };
    load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &options).ok()
}

/// The formula by numbers, and its conditions.
fn numbered(written: &panoptes_model::Formula, atoms: &mut Vec<Expr>) -> Formula {
    use panoptes_model::Formula as Written;
    let mut of = |part: &Written| numbered(part, atoms);
    match written {
        Written::Atom(expr) => {
            atoms.push(expr.clone());
            Formula::Atom(AtomId(atoms.len() as u32 - 1))
        }
        Written::Rejected(_) => unreachable!("a formula was given"),
        Written::Not(a) => Formula::negation(of(a)),
        Written::Always(a) => Formula::always(of(a)),
        Written::Eventually(a) => Formula::eventually(of(a)),
        Written::Next(a) => Formula::next(of(a)),
        Written::And(a, b) => Formula::and(of(a), of(b)),
        Written::Or(a, b) => Formula::or(of(a), of(b)),
        Written::Implies(a, b) => Formula::implies(of(a), of(b)),
        Written::Equiv(a, b) => Formula::equiv(of(a), of(b)),
        Written::Until(a, b) => Formula::until(of(a), of(b)),
        Written::WeakUntil(a, b) => Formula::weak_until(of(a), of(b)),
        Written::Release(a, b) => Formula::release(of(a), of(b)),
    }
}

/// A step of the product: where from, where to, the marks of the automaton, and who moves.
type Arc = (usize, usize, u64, [u64; 4]);

struct Whole {
    arcs: Vec<Arc>,
    /// By state: who can move.
    enabled: Vec<[u64; 4]>,
    count: usize,
}

impl Whole {
    /// None if it is too large, or a step goes wrong: then it is not the formula that is at stake.
    fn of(executor: &mut dyn Executor, automaton: &Automaton) -> Option<Whole> {
        let initial = executor.initial().ok()?;
        let hidden = executor.hidden_bytes();
        let mut states = vec![(initial.clone(), automaton.initial())];
        let mut numbers = HashMap::from([((initial[hidden..].to_vec(), automaton.initial()), 0)]);
        let mut whole = Whole { arcs: Vec::new(), enabled: Vec::new(), count: 0 };
        while whole.count < states.len() {
            if states.len() > STATES_MAX {
                return None;
            }
            let (vector, at) = states[whole.count].clone();
            let mut out = Successors::default();
            executor.successors(&vector, None, &mut out);
            let enabled = out.items.iter().fold([0; 4], with_movers);
            let mut moves = Vec::new();
            for item in &out.items {
                if out.fault(item).is_some() {
                    return None;
                }
                follow(
                    executor,
                    (out.state(item), item.control()),
                    with_movers([0; 4], item),
                    0,
                    &mut moves,
                )?;
            }
            if matches!(out.ending, Ending::Valid | Ending::Deadlock) {
                moves.push((vector.clone(), [0; 4]));
            }
            let letter = executor.conditions(&vector, (1 << automaton.atoms()) - 1).ok()?;
            for edge in automaton.edges(at).iter().filter(|edge| edge.label.holds(letter)) {
                for (to, movers) in &moves {
                    let key = (to[hidden..].to_vec(), edge.target);
                    let number = *numbers.entry(key).or_insert_with(|| {
                        states.push((to.clone(), edge.target));
                        states.len() - 1
                    });
                    whole.arcs.push((whole.count, number, edge.marks.0, *movers));
                }
            }
            whole.enabled.push(enabled);
            whole.count += 1;
        }
        Some(whole)
    }

    fn has_cycle(&self, automaton: &Automaton, fairness: Fairness) -> bool {
        self.has_cycle_within(&vec![true; self.count], automaton, fairness)
    }

    /// Is there a component of these states with an arc of every mark and, if that is asked for, fair to every process?
    fn has_cycle_within(&self, kept: &[bool], automaton: &Automaton, fairness: Fairness) -> bool {
        let arcs: Vec<&Arc> = self.arcs.iter().filter(|arc| kept[arc.0] && kept[arc.1]).collect();
        let mut leads = vec![vec![false; self.count]; self.count];
        arcs.iter().for_each(|(from, to, ..)| leads[*from][*to] = true);
        for middle in 0..self.count {
            let further = leads[middle].clone();
            for row in leads.iter_mut().filter(|row| row[middle]) {
                row.iter_mut().zip(&further).for_each(|(leads, further)| *leads |= further);
            }
        }
        let mut is_seen = vec![false; self.count];
        (0..self.count).filter(|state| leads[*state][*state]).any(|state| {
            let is_inside = |other: usize| leads[state][other] && leads[other][state];
            if is_seen[state] {
                return false;
            }
            let (mut marks, mut moved, mut fair, mut enabled) = (0, [0; 4], [0; 4], [0; 4]);
            for (from, _, of_arc, movers) in arcs.iter().filter(|arc| is_inside(arc.0) && is_inside(arc.1)) {
                marks |= of_arc;
                moved = either(moved, *movers);
                enabled = either(enabled, self.enabled[*from]);
                fair = either(fair, either(*movers, self.enabled[*from].map(|word| !word)));
                is_seen[*from] = true;
            }
            if marks != automaton.all_marks().0 {
                return false;
            }
            match fairness {
                Fairness::None => true,
                Fairness::Weak => fair == [u64::MAX; 4],
                Fairness::Strong => {
                    let starved: [u64; 4] = std::array::from_fn(|word| enabled[word] & !moved[word]);
                    let owes =
                        |other: usize| (0..4).any(|word| self.enabled[other][word] & starved[word] != 0);
                    let rest: Vec<bool> =
                        (0..self.count).map(|other| is_inside(other) && !owes(other)).collect();
                    starved == [0; 4] || self.has_cycle_within(&rest, automaton, fairness)
                }
            }
        })
    }
}

fn either(one: [u64; 4], other: [u64; 4]) -> [u64; 4] {
    std::array::from_fn(|word| one[word] | other[word])
}

fn with_movers(mut pids: [u64; 4], item: &Successor) -> [u64; 4] {
    let step = item.step();
    for pid in [Some(step.pid), step.partner.map(|(pid, _)| pid)].into_iter().flatten() {
        pids[usize::from(pid) / 64] |= 1 << (pid % 64);
    }
    pids
}

/// Goes to the states at the ends of a chain. None if something goes wrong or it is long.
fn follow(
    executor: &mut dyn Executor,
    (vector, control): (&[u8], Option<u8>),
    movers: [u64; 4],
    length: usize,
    ends: &mut Vec<(Vec<u8>, [u64; 4])>,
) -> Option<()> {
    if control.is_none() {
        ends.push((vector.to_vec(), movers));
        return (ends.len() < 200).then_some(());
    }
    let mut out = Successors::default();
    executor.successors(vector, control, &mut out);
    if out.ending == Ending::LetGo {
        ends.push((vector.to_vec(), movers));
        return (ends.len() < 200).then_some(());
    }
    for item in &out.items {
        if out.fault(item).is_some() || ends.len() > 100 || length > 40 {
            return None;
        }
        follow(executor, (out.state(item), item.control()), with_movers(movers, item), length + 1, ends)?;
    }
    Some(())
}

#[test]
fn as_by_definition() {
    random_models(0..120);
}

#[test]
#[ignore = "takes minutes; for a release build"]
fn as_by_definition_at_length() {
    random_models(120..6000);
}

/// The searches that are compared. Those that are nested look at all executions alike.
fn ways(fairness: Fairness) -> Vec<(Strategy, Engine, StoreSpec, u32)> {
    let mut ways = vec![
        (Strategy::Auto, Engine::Interp, StoreSpec::Exact, 1),
        (Strategy::SCC, Engine::Jit, StoreSpec::Compressed, 1),
        (Strategy::SCC, Engine::Interp, StoreSpec::Exact, 2),
        (Strategy::SCC, Engine::Interp, StoreSpec::Compressed, 5),
        (Strategy::SHORTEST, Engine::Interp, StoreSpec::Exact, 1),
    ];
    if fairness == Fairness::None {
        ways.extend([
            (Strategy::Cycles(CycleSearch::Ndfs), Engine::Interp, StoreSpec::Exact, 1),
            (Strategy::Cycles(CycleSearch::ImprovedNdfs), Engine::Interp, StoreSpec::Compressed, 1),
            (Strategy::Cycles(CycleSearch::AstarDfs), Engine::Interp, StoreSpec::Exact, 1),
        ]);
    }
    ways
}

fn random_models(seeds: std::ops::Range<u64>) {
    let presets = ["core", "control", "processes", "channels", "default", "exotic"];
    let (mut formulas, mut claims) = (Tally::default(), Tally::default());
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let profile = Profile::preset(presets[seed as usize % presets.len()]).expect("a preset");
        let text = generate(seed, &profile).to_promela();
        let Some(plain) = load(&text, Vec::new()) else { continue };
        let variables = plain.model.variables.iter().filter(|variable| !variable.is_array);
        let hidden = plain.model.header.hidden_bytes;
        let mut atoms: Vec<String> = variables
            .filter(|variable| variable.offset >= hidden && !variable.name.contains('.'))
            .map(|variable| format!("({} == {})", variable.name, rng.below(3)))
            .collect();
        atoms.push("(_nr_pr > 1)".to_string());
        let written = formula(&mut rng, &atoms, 3);
        if let Some(loaded) = load(&text, vec![written.clone()]) {
            let property = Property::of_model(written.trim(), &loaded.model).expect("the formula");
            let mut conditions = Vec::new();
            let stated = &loaded.model.temporal.last().expect("the formula").formula;
            let negated = Formula::negation(numbered(stated, &mut conditions));
            if let Ok(automaton) = translate(&negated, &Budget::default()) {
                let case = format!("seed {seed}\n{written}\n{text}");
                formulas.compare(&case, &loaded, property, (&automaton, conditions));
            }
        }
        // The model may have a claim, or labels that count like those of one.
        let mut states = plain.model.processes.iter().flat_map(|process| &process.states);
        if !plain.model.claims.is_empty() || states.any(|state| state.accepting) {
            continue;
        }
        // The conditions of a claim are found as those of a formula are.
        let two = [rng.pick(&atoms).clone(), rng.pick(&atoms).clone()];
        let Some(asked) = load(&text, two.to_vec()) else { continue };
        let mut conditions = Vec::new();
        asked.model.temporal.iter().rev().take(2).rev().for_each(|property| {
            numbered(&property.formula, &mut conditions);
        });
        let (automaton, claim) = claim(&mut rng, &two);
        let text = format!("{text}\n{claim}");
        if let Some(loaded) = load(&text, Vec::new()) {
            let property = Property::of_model("never_0", &loaded.model).expect("the claim");
            claims.compare(&format!("seed {seed}\n{text}"), &loaded, property, (&automaton, conditions));
        }
    }
    formulas.tell("formulas");
    claims.tell("claims");
}

/// A claim written by hand, as it were: an automaton, and its text over two conditions.
fn claim(rng: &mut Rng, atoms: &[String; 2]) -> (Automaton, String) {
    let count = 1 + rng.below(4);
    let is_accepting: Vec<bool> = (0..count).map(|_| rng.chance(40)).collect();
    let name = |state: usize| format!("{}S{state}", if is_accepting[state] { "accept_" } else { "T" });
    let (mut text, mut edges) = ("never {\n".to_string(), Vec::new());
    for (state, accepts) in is_accepting.iter().enumerate() {
        let (mut options, mut of_state) = (String::new(), Vec::new());
        for _ in 0..rng.below(4) {
            let target = rng.below(count);
            let (mut label, mut words) = (Cube::ANY, vec!["true".to_string()]);
            for (number, atom) in atoms.iter().enumerate() {
                match rng.below(4) {
                    0 => {
                        label.positive |= 1 << number;
                        words.push(atom.clone());
                    }
                    1 => {
                        label.negative |= 1 << number;
                        words.push(format!("!{atom}"));
                    }
                    _ => {}
                }
            }
            options += &format!("  :: ({}) -> goto {}\n", words.join(" && "), name(target));
            let marks = if *accepts { Marks::single(0) } else { Marks::default() };
            of_state.push(Edge { label, marks, target: StateId(target as u32) });
        }
        text += &match options.is_empty() {
            true => format!("{}: false;\n", name(state)),
            false => format!("{}: if\n{options}  fi;\n", name(state)),
        };
        edges.push(of_state);
    }
    (Automaton::new(2, 1, StateId(0), edges), text + "  false\n}\n")
}

/// What was compared.
#[derive(Default)]
struct Tally {
    /// How many properties hold, and how many are violated.
    counts: [usize; 2],
    faulty: usize,
}

impl Tally {
    /// Compares all searches with the definition, with every kind of fairness.
    fn compare(
        &mut self,
        case: &str,
        loaded: &Loaded,
        property: Property,
        (automaton, conditions): (&Automaton, Vec<Expr>),
    ) {
        let mut executor = Interpreter::new(&loaded.model, InterpreterOptions::default());
        let asked: Vec<Condition> =
            conditions.into_iter().map(|expr| Condition::Holds(expr, Default::default())).collect();
        executor.set_conditions(&asked);
        let Some(whole) = Whole::of(&mut executor, automaton) else { return };
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let violated = whole.has_cycle(automaton, fairness);
            self.counts[usize::from(violated)] += 1;
            let mut lengths = Vec::new();
            for (strategy, engine, store, threads) in ways(fairness) {
                let threads = Threads::at_once(threads);
                let settings = CheckSettings {
                    property,
                    fairness,
                    strategy,
                    engine,
                    store,
                    threads,
                    ..CheckSettings::default()
                };
                let report = check(loaded, &settings, &mut ());
                let report = report.unwrap_or_else(|error| panic!("{error}\n{strategy} {fairness:?} {case}"));
                if let Some(error) = report.errors.first() {
                    if error.cycle_start.is_none() && error.kind.name() != "never-claim" {
                        // A step goes wrong that the product does not show: within a chain behind its last state.
                        self.faulty += 1;
                        continue;
                    }
                    let is_asked = strategy == Strategy::SHORTEST;
                    assert_eq!(error.is_shortest, is_asked.then_some(true), "{case}");
                    lengths.push((is_asked, error.length));
                }
                let expected = if violated { VerdictKind::Violated } else { VerdictKind::Verified };
                assert_eq!(report.verdict, expected, "{strategy} {fairness:?} {case}");
            }
            let least = lengths.iter().map(|(_, length)| *length).min();
            let shortest = lengths.iter().find(|(is_asked, _)| *is_asked).map(|(_, length)| *length);
            assert_eq!(shortest, least, "{lengths:?} {fairness:?} {case}");
        }
    }

    fn tell(&self, what: &str) {
        let Tally { counts: [hold, violated], faulty } = self;
        println!(
            "{what}: {hold} hold, {violated} are violated; {faulty} searches met a step that goes wrong"
        );
        assert!(*hold > 20 && *violated > 20, "both happen often: {what}, {hold}, {violated}");
        assert!(faulty * 100 < hold + violated, "steps seldom go wrong: {faulty}");
    }
}
