//! Mends a finished model where SPIN would refuse it for what stands next to each other.

use super::Gen;
use crate::ast::*;
use crate::shrink::Used;

impl Gen {
    /// Mends the whole model.
    pub(super) fn tidy(&mut self) {
        for p in &mut self.model.procs {
            part_steps(&mut p.body, false);
        }
        for i in &mut self.model.inlines {
            // What stands before the call is unknown; it may be a loop.
            part_steps(&mut i.body, true);
        }
        let used = Used::of(&self.model);
        self.model.inlines.retain(|i| used.has(&i.name));
        self.drop_unused_records();
    }

    /// Drops records that no variable has: with a channel inside, SPIN makes a verifier that does not compile.
    fn drop_unused_records(&mut self) {
        loop {
            let used = Used::of(&self.model);
            let before = self.model.records.len();
            self.model.records.retain(|r| used.has(&r.name));
            if self.model.records.len() == before {
                return;
            }
        }
    }
}

/// Puts a `skip` before each `d_step` that the end of a loop would jump into; the result says whether the end
/// of the sequence may be the end of a loop.
fn part_steps(body: &mut Vec<Stmt>, mut after_loop: bool) -> bool {
    let mut i = 0;
    while i < body.len() {
        if after_loop && begins_with_step(&body[i]) {
            body.insert(i, Stmt::Skip);
            after_loop = false;
        } else {
            after_loop = part_inside(&mut body[i], after_loop);
        }
        i += 1;
    }
    after_loop
}

fn begins_with_step(s: &Stmt) -> bool {
    match s {
        Stmt::DStep(_) => true,
        Stmt::Block(b) | Stmt::Atomic(b) => b.first().is_some_and(begins_with_step),
        Stmt::Unless(main, _) | Stmt::Label(_, main) => begins_with_step(main),
        _ => false,
    }
}

fn part_inside(s: &mut Stmt, after_loop: bool) -> bool {
    match s {
        Stmt::Decl(_) => after_loop,
        Stmt::If(options) => {
            let ends: Vec<bool> = options.iter_mut().map(|o| part_steps(o, false)).collect();
            ends.contains(&true)
        }
        Stmt::Do(options) => {
            options.iter_mut().for_each(|o| {
                part_steps(o, false);
            });
            true
        }
        Stmt::ForRange { body, .. } | Stmt::ForIn { body, .. } => {
            part_steps(body, true);
            true
        }
        Stmt::Select { .. } | Stmt::InlineCall(..) => true,
        Stmt::Atomic(body) | Stmt::Block(body) => part_steps(body, after_loop),
        Stmt::Unless(main, escape) => {
            let a = part_inside(main, after_loop);
            part_inside(escape, false) || a
        }
        Stmt::Label(_, inner) => part_inside(inner, true),
        _ => false,
    }
}
