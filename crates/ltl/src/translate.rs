//! The way from a formula to a small automaton.

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::budget::{Budget, TooLarge};
use crate::formula::{ATOMS_MAX, Formula};
use crate::nnf::Table;
use crate::parser::HEIGHT_MAX;
use crate::tableau::tableau;

/// A small automaton that accepts exactly the words with the formula: generalised Büchi, marks on transitions.
pub fn translate(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let atoms = formula.atom_count();
    Budget::check("atoms", atoms as usize, ATOMS_MAX as usize)?;
    let height = formula.subformulas().map(|(_, depth)| depth).max().unwrap_or(0);
    Budget::check("nested operators", height, HEIGHT_MAX)?;
    let mut table = Table::new();
    let mut bdds = Bdds::new(budget.nodes);
    let formula = table.import(formula);
    let mut graph = tableau(formula, &table, &mut bdds, budget)?;
    graph.prune();
    let automaton = graph.to_automaton(atoms, &mut bdds);
    budget.check_bdds(&bdds)?;
    Ok(automaton)
}
