//! Stuttering of formulas: a property is compared with its negation.
//!
//! Two words are alike but for repetitions exactly if repeating letters makes the same word of both. So a property is
//! sensitive if a word that has it and a word that does not become equal by repeating letters: the search below runs
//! the automata of the property and of its negation side by side, and lets either wait at a repeated letter. Waiting has
//! no marks, so that nobody waits for ever. (Michaud and Duret-Lutz, 2015.)

use crate::automaton::{Automaton, Marks, StateId};
use crate::budget::{Budget, TooLarge};
use crate::formula::Formula;
use crate::lasso::Valuation;
use crate::scc::components;
use crate::translate::translate;
use rustc_hash::FxHashMap;

/// Beyond this many atoms there are too many letters to try.
const ATOMS_MAX: u32 = 10;
const NODES_MAX: usize = 300_000;
const ARCS_MAX: usize = 2_000_000;

/// Is it certain that the formula cannot tell words that differ in repetitions only? Without `X` it is. With it, automata
/// tell, unless they are too large.
pub fn is_stutter_invariant(formula: &Formula, budget: &Budget) -> Result<bool, TooLarge> {
    if !formula.has_next() {
        return Ok(true);
    }
    let automaton = translate(formula, budget)?;
    let negation = translate(&Formula::negation(formula.clone()), budget)?;
    Ok(are_apart_up_to_stuttering(&automaton, &negation))
}

/// Two states, and the letter that was read last; none at the beginning.
type Node = (StateId, StateId, Option<Valuation>);

/// Is it certain that no word of the one is a word of the other but for repetitions?
pub fn are_apart_up_to_stuttering(left: &Automaton, right: &Automaton) -> bool {
    let atoms = left.atoms().max(right.atoms());
    if atoms > ATOMS_MAX || left.all_marks().with(right.all_marks()).contains(MOVED) {
        return false;
    }
    let mut nodes: Vec<Node> = vec![(left.initial(), right.initial(), None)];
    let mut numbers: FxHashMap<Node, usize> = FxHashMap::from_iter([(nodes[0], 0)]);
    let mut arcs: Vec<Vec<(usize, Marks, Marks)>> = Vec::new();
    let mut arc_count = 0;
    while arcs.len() < nodes.len() {
        let mut out = Vec::new();
        let (i, j, last) = nodes[arcs.len()];
        for letter in 0..1 << atoms {
            let may_wait = last == Some(letter);
            for (to_i, ours) in steps(left, i, letter, may_wait) {
                for (to_j, theirs) in steps(right, j, letter, may_wait) {
                    let node = (to_i, to_j, Some(letter));
                    let number = *numbers.entry(node).or_insert_with(|| {
                        nodes.push(node);
                        nodes.len() - 1
                    });
                    out.push((number, ours, theirs));
                }
            }
        }
        arc_count += out.len();
        arcs.push(out);
        if nodes.len() > NODES_MAX || arc_count > ARCS_MAX {
            return false;
        }
    }
    !has_common_cycle(&arcs, left, right)
}

/// What can be done with a letter, and the marks that count.
fn steps(
    automaton: &Automaton,
    state: StateId,
    letter: Valuation,
    may_wait: bool,
) -> impl Iterator<Item = (StateId, Marks)> {
    let edges = automaton.edges(state).iter().filter(move |edge| edge.label.holds(letter));
    let moved = edges.map(|edge| (edge.target, edge.marks.with(MOVED)));
    moved.chain(may_wait.then_some((state, Marks::NONE)))
}

/// A mark that every step has and waiting has not.
const MOVED: Marks = Marks(1 << 63);

fn has_common_cycle(arcs: &[Vec<(usize, Marks, Marks)>], left: &Automaton, right: &Automaton) -> bool {
    let found = components(arcs.len(), [0], |from| arcs[from].iter().map(|(to, ..)| *to));
    let mut seen = vec![(Marks::NONE, Marks::NONE); found.count];
    for (from, arcs) in arcs.iter().enumerate() {
        let component = found.of[from].expect("all nodes can be reached");
        for (_, ours, theirs) in arcs.iter().filter(|(to, ..)| found.of[*to] == Some(component)) {
            let (a, b) = seen[component];
            seen[component] = (a.with(*ours), b.with(*theirs));
        }
    }
    let (left, right) = (left.all_marks().with(MOVED), right.all_marks().with(MOVED));
    seen.iter().any(|(a, b)| a.contains(left) && b.contains(right))
}
