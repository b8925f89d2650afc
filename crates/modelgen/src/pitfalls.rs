//! Models that SPIN's verifier is known to get wrong, so that a comparison with it would say nothing.
//!
//! Each rule is wider than the fault it keeps clear of; the faults, with the smallest models that show them, are in
//! `docs/differences-from-spin.md`.

use crate::ast::*;
use crate::visit::{self, Visitor};

impl Model {
    /// Does the model come near a known fault of SPIN's verifier?
    pub fn is_pitfall(&self) -> bool {
        let features = self.features();
        let any = |names: &[&str]| names.iter().any(|name| features.contains(name));
        let both = |one: &[&str], other: &[&str]| any(one) && any(other);
        // `enabled` looks at the wrong process to decide about an `else`.
        both(&["enabled"], &["else", "for-range", "for-array", "for-channel"])
            // A send that finds no partner is an event for a trace all the same.
            || both(&["trace", "notrace"], &["rendezvous"])
            // A trace looks at the last message sent and at the first to be received, wherever they stand.
            || both(&["trace", "notrace"], &["sorted-send", "random-receive"])
            // An escape that finds no partner undoes the choice of another escape.
            || both(&["nested-unless"], &["rendezvous"])
            // The padding of a process that has a priority hides its bits.
            || both(&["priority", "run-priority", "get_priority", "set_priority"], &["bit", "bool", "unsigned"])
            // Beside another error of the same step nondeterminism is not seen, and a rendezvous without a partner is
            // taken for a step.
            || both(&["D_proctype"], &["trace", "notrace", "rendezvous"])
            || self.has_odd_statement()
    }

    fn has_odd_statement(&self) -> bool {
        let hidden = self.globals.iter().filter(|d| d.vis == Vis::Hidden).map(|d| d.name.clone()).collect();
        let mut odd = Odd { hidden, found: false };
        visit::model(self, &mut odd);
        odd.found
    }
}

struct Odd {
    hidden: Vec<String>,
    found: bool,
}

impl Visitor for Odd {
    fn stmt(&mut self, s: &Stmt) {
        match s {
            // Taken back wrongly if the other process is gone.
            Stmt::SetPriority(who, _) => self.found |= *who != Expr::var("_pid"),
            // An argument that the inline does not use still counts as a use; and some are refused.
            Stmt::InlineCall(_, args) => {
                let mut special = Special(false);
                args.iter().for_each(|arg| visit::expr(arg, &mut special));
                self.found |= special.0;
            }
            _ => {}
        }
    }

    fn recv_arg(&mut self, a: &RecvArg) {
        // Taken back wrongly if the variable has changed in between.
        if let RecvArg::Var(v) = a {
            self.found |= self.hidden.contains(&v.segs[0].0);
        }
    }
}

struct Special(bool);

impl Visitor for Special {
    fn expr(&mut self, e: &Expr) {
        self.0 |= matches!(e, Expr::RemoteVar { .. } | Expr::RemoteLabel { .. });
    }

    fn lvalue(&mut self, v: &LValue) {
        self.0 |= v.segs[0].0 == "_last";
    }
}
