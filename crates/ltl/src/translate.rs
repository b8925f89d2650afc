//! The way from a formula to a small automaton.
//!
//! The tableaux of the formula and of its negation are reduced by simulation. If the property is an obligation, the
//! smallest weak deterministic automaton competes. What has fewest states in the end is the answer.

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::budget::{Budget, TooLarge};
use crate::formula::{ATOMS_MAX, Formula};
use crate::graph::Graph;
use crate::nnf::Table;
use crate::obligation::weak_deterministic;
use crate::parser::HEIGHT_MAX;
use crate::simulation::Acceptance;
use crate::tableau::tableau;

/// Beyond this many states, pairs of states are too many to compare.
const SIMULATION_STATES_MAX: usize = 200;

/// A small automaton that accepts exactly the words with the formula: generalised Büchi, marks on transitions.
pub fn translate(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let mut translation = Translation::new(formula, budget)?;
    let graph = translation.generalised();
    translation.finish(graph)
}

/// A small automaton that accepts exactly the words with the formula, and whose states are accepting or not.
pub fn translate_to_buchi(formula: &Formula, budget: &Budget) -> Result<Automaton, TooLarge> {
    let mut translation = Translation::new(formula, budget)?;
    let graph = translation.state_based();
    translation.finish(graph)
}

struct Translation {
    atoms: u32,
    budget: Budget,
    bdds: Bdds,
    /// Reduced, but generalised.
    tableau: Graph,
    /// The same for the negation, if that is not too large.
    complement: Option<Graph>,
    obligation: Option<Graph>,
}

impl Translation {
    fn new(formula: &Formula, budget: &Budget) -> Result<Translation, TooLarge> {
        let atoms = formula.atom_count();
        Budget::check("atoms", atoms as usize, ATOMS_MAX as usize)?;
        let height = formula.subformulas().map(|(_, depth)| depth).max().unwrap_or(0);
        Budget::check("nested operators", height, HEIGHT_MAX)?;
        let mut table = Table::new();
        let mut bdds = Bdds::new(budget.nodes);
        let formula = table.import(formula);
        let negation = table.not(formula);
        let graph = reduced(tableau(formula, &table, &mut bdds, budget)?, &mut bdds);
        budget.check_bdds(&bdds)?;
        let complement = tableau(negation, &table, &mut bdds, budget).ok();
        let complement = complement.map(|graph| reduced(graph, &mut bdds)).filter(|_| !bdds.is_exhausted());
        let obligation =
            complement.as_ref().and_then(|complement| weak_deterministic(&graph, complement, &mut bdds));
        Ok(Translation { atoms, budget: *budget, bdds, tableau: graph, complement, obligation })
    }

    /// The candidate with fewest states.
    fn generalised(&mut self) -> Graph {
        let obligation = self.obligation.clone().map(|graph| reduced(graph, &mut self.bdds));
        let mut candidates = vec![self.tableau.clone()];
        candidates.extend(obligation);
        for graph in &mut candidates {
            if let Some(complement) = &self.complement {
                graph.merge_states(complement, Acceptance::Arcs, &mut self.bdds);
            }
        }
        smallest(candidates)
    }

    fn state_based(&mut self) -> Graph {
        let mut candidates: Vec<Graph> = self.obligation.clone().into_iter().collect();
        let order: Vec<u32> = (0..self.tableau.marks).collect();
        candidates.push(self.tableau.degeneralise(&order, &mut self.bdds));
        for graph in &mut candidates {
            if graph.len() <= SIMULATION_STATES_MAX {
                graph.reduce_by_simulation(Acceptance::States, &mut self.bdds);
            }
            if let Some(complement) = &self.complement {
                graph.merge_states(complement, Acceptance::States, &mut self.bdds);
            }
        }
        smallest(candidates)
    }

    fn finish(mut self, graph: Graph) -> Result<Automaton, TooLarge> {
        let automaton = graph.to_automaton(self.atoms, &mut self.bdds);
        self.budget.check_bdds(&self.bdds)?;
        Ok(automaton)
    }
}

fn reduced(mut graph: Graph, bdds: &mut Bdds) -> Graph {
    graph.simplify(Acceptance::Arcs);
    if graph.len() <= SIMULATION_STATES_MAX {
        graph.reduce_by_simulation(Acceptance::Arcs, bdds);
    }
    graph
}

fn smallest(candidates: Vec<Graph>) -> Graph {
    let size = |graph: &Graph| (graph.len(), graph.marks, graph.arc_count());
    candidates.into_iter().min_by_key(size).expect("there is the tableau")
}
