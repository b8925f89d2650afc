//! Claims that only a finite execution violates: what they ask is whether a state can be reached, so the product is searched
//! breadth first, and the first violation found is a nearest one.

use super::Fairness;
use super::claim::Claim;
use super::marks::PLAIN;
use super::product::Product;
use crate::conclude::{Ended, conclude};
use crate::judge::Judge;
use crate::labels::Branch;
use crate::limits::Limits;
use crate::program::Program;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, SearchOptions, grow};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::{StateRef, StateStore};

pub(super) fn reach<S: StateStore + Default>(
    model: &Model,
    claim: &Claim,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    // What is hidden belongs to the state here, as in `scc.rs`.
    let program = Program::new(model, options, 0);
    let limits = Limits::new(options, observer.stop_flag());
    let worker = Worker::new(&program, &limits, executor, observer);
    let visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), None);
    let product = Product::new(&program, claim, Fairness::None);
    let judge = Judge::new(&program);
    let mut search = Reach { visited, judge, worker, product, entries: Vec::new(), is_cut: false };
    let how = search.walk();
    let (is_cut, own_bytes) = (search.is_cut, search.own_bytes());
    let Reach { visited, judge, worker, product, .. } = search;
    let ended = Ended { how, is_cut, is_narrowed: false, by_steps: false, may_look_behind: false, own_bytes };
    product.add_to(conclude(&program, visited, judge, worker, ended))
}

struct Reach<'a, S> {
    visited: Visited<S>,
    judge: Judge<'a>,
    worker: Worker<'a>,
    product: Product<'a, PLAIN>,
    /// All states, in the order in which they were found.
    entries: Vec<Entry>,
    is_cut: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    parent: u32,
    depth: u32,
    /// None if the system stays where it is.
    branch: Option<Branch>,
}

impl<S: StateStore + Default> Reach<'_, S> {
    fn walk(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let mut vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        Product::<PLAIN>::begin(&mut vector);
        let mut targets = vector.clone();
        self.enter(&vector, Entry { state: StateRef::NONE, parent: 0, depth: 0, branch: None })?;
        let mut next = 0;
        while let Some(entry) = self.entries.get(next).copied() {
            vector.clear();
            self.visited.read_origin(entry.state, &mut vector);
            self.expand(&vector, next, entry.depth)?;
            for index in 0..self.product.moves.len() {
                let taken = self.product.moves[index];
                targets.clear();
                self.product.target(&taken, &vector, &mut targets);
                let (steps, branch) = self.product.taken(&taken);
                let (parent, depth) = (next as u32, entry.depth + steps);
                self.enter(&targets, Entry { state: StateRef::NONE, parent, depth, branch })?;
            }
            next += 1;
        }
        Ok(())
    }

    /// Looks a state up, and adds it to the entries if it is new.
    fn enter(&mut self, vector: &[u8], entry: Entry) -> Result<(), Stop> {
        let prepared = self.visited.prepare(vector)?;
        let (state, is_new) = self.visited.insert(prepared, vector)?;
        self.worker.tally.statistics.transitions += 1;
        if is_new {
            self.worker.tally.note_stored(vector);
            grow::push(&mut self.entries, Entry { state, ..entry });
        }
        Ok(())
    }

    fn expand(&mut self, vector: &[u8], entry: usize, depth: u32) -> Result<(), Stop> {
        let own_bytes = self.own_bytes();
        let Reach { visited, judge, worker, product, entries, .. } = self;
        worker.look_at_limits(visited, &mut judge.findings, || own_bytes)?;
        product.expand(worker, visited, vector, depth)?;
        self.is_cut |= product.expansion.is_cut;
        product.judge(judge, worker, vector, depth, &|| branches_to(entries, entry))
    }

    fn own_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.product.heap_bytes()
    }
}

fn branches_to(entries: &[Entry], mut at: usize) -> Vec<Branch> {
    let mut branches = Vec::new();
    while at > 0 {
        branches.extend(entries[at].branch);
        at = entries[at].parent as usize;
    }
    branches.reverse();
    branches
}
