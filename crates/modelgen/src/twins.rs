//! Models that say things twice: the tails of some sequences are copied, so that a process has equivalent control states.
//!
//! A statement and all that follows it in its sequence becomes a choice between two copies of them, behind guards that tell
//! them apart or do not; an option of a choice gets the tail of its neighbour. What holds a label or a declaration is not
//! copied. This is done to a finished model, so that the models of all seeds stay as they are.

use crate::ast::*;
use crate::rng::Rng;
use crate::visit::{self, Visitor};

/// The model with copies in it, chosen by the seed.
pub fn with_twins(model: &Model, seed: u64) -> Model {
    let mut twins = Twins { rng: Rng::new(seed ^ 0x7713), left: 6 };
    let mut model = model.clone();
    model.procs.iter_mut().for_each(|proc| twins.seq(&mut proc.body));
    model
}

struct Twins {
    rng: Rng,
    /// How many more copies may be made: models must stay small.
    left: usize,
}

impl Twins {
    fn seq(&mut self, body: &mut Vec<Stmt>) {
        body.iter_mut().for_each(|stmt| self.stmt(stmt));
        if body.is_empty() || self.left == 0 || !self.rng.chance(35) {
            return;
        }
        let tail = &body[self.rng.below(body.len())..];
        if !tail.iter().all(may_be_copied) || tail.contains(&Stmt::Else) {
            return;
        }
        self.left -= 1;
        let (tail, start) = (tail.to_vec(), body.len() - tail.len());
        let option = |guard: Option<Stmt>| guard.into_iter().chain(tail.clone()).collect::<Vec<_>>();
        let guard = || Some(Stmt::Skip);
        let options = match self.rng.below(3) {
            0 => vec![option(None), option(None)],
            1 => vec![option(guard()), option(guard())],
            _ => vec![option(guard()), option(guard()), option(guard())],
        };
        body.truncate(start);
        body.push(Stmt::If(options));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::If(options) | Stmt::Do(options) => {
                options.iter_mut().for_each(|option| self.option(option));
                self.share_a_tail(options);
            }
            Stmt::Atomic(body) | Stmt::Block(body) => self.seq(body),
            Stmt::Unless(main, escape) => {
                self.stmt(main);
                self.stmt(escape);
            }
            Stmt::Label(_, inner) => self.stmt(inner),
            // Inside a deterministic step nothing may be left to chance.
            _ => {}
        }
    }

    /// All but the guard.
    fn option(&mut self, option: &mut Vec<Stmt>) {
        if option.len() > 1 {
            let mut rest = option.split_off(1);
            self.seq(&mut rest);
            option.extend(rest);
        }
    }

    /// Lets an option go on as its neighbour does.
    fn share_a_tail(&mut self, options: &mut [Vec<Stmt>]) {
        if options.len() < 2 || self.left == 0 || !self.rng.chance(60) {
            return;
        }
        let from = self.rng.below(options.len());
        let to = (from + 1) % options.len();
        let tail: Vec<Stmt> = options[from].iter().skip(1).cloned().collect();
        let leaves = matches!(options[to].first(), Some(Stmt::Break | Stmt::Goto(_)) | None);
        let keeps = options[to].iter().skip(1).all(may_be_copied);
        if !tail.is_empty() && !leaves && keeps && tail.iter().all(may_be_copied) {
            self.left -= 1;
            options[to].truncate(1);
            options[to].extend(tail);
        }
    }
}

/// A label stands in one place only, and so does a declaration.
fn may_be_copied(stmt: &Stmt) -> bool {
    struct Fixed(bool);
    impl Visitor for Fixed {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt, Stmt::Label(..) | Stmt::Decl(_));
        }
    }
    let mut fixed = Fixed(false);
    visit::seq(std::slice::from_ref(stmt), &mut fixed);
    !fixed.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, generate};

    #[test]
    fn most_models_get_copies_and_the_same_ones_each_time() {
        let profile = Profile::default();
        let changed = (0..50).filter(|seed| {
            let model = generate(*seed, &profile);
            let twins = with_twins(&model, *seed).to_promela();
            assert_eq!(twins, with_twins(&model, *seed).to_promela());
            twins != model.to_promela()
        });
        let changed = changed.count();
        assert!(changed > 30, "{changed} of 50");
    }
}
