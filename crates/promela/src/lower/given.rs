//! Conditions that are given beside the text of the model: what must hold in every state, or is to become true in one, and what
//! temporal properties and estimates speak of.

use super::Lowering;
use crate::ast::{self, Role};
use panoptes_model::{Expr, Invariant, Region};
use panoptes_source::Diagnostic;

impl Lowering<'_> {
    pub(super) fn lower_given(&mut self, given: &ast::Given) {
        let condition = self.condition(&given.condition);
        if given.role == Role::Atom {
            self.atoms.push(condition);
            return;
        }
        if let Some((message, help)) = self.not_of_a_state(&condition) {
            self.report(Diagnostic::error(given.condition.span, message).help(help));
        }
        if given.role == Role::Estimate {
            self.atoms.push(condition);
            return;
        }
        let span = self.sources.user_span(given.condition.span);
        let text = self.sources.snippet(given.span).to_string();
        self.model.invariants.push(match given.role {
            Role::Reach => Invariant::until_reached(text, condition, span),
            _ => Invariant::new(text, condition, span),
        });
    }

    /// What a condition asks that a state does not tell.
    fn not_of_a_state(&self, condition: &Expr) -> Option<(String, &'static str)> {
        let mut found = None;
        let hidden_bytes = self.model.header.hidden_bytes;
        condition.walk(&mut |e| {
            let what = match e {
                Expr::Timeout => "timeout",
                Expr::NonProgress => "np_",
                Expr::Enabled(_) => "enabled",
                Expr::ControlPoint(_) => "pc_value",
                Expr::Priority(_) => "get_priority",
                Expr::LastPid => "_last",
                Expr::Load(place) if place.region == Region::Global && place.offset < hidden_bytes => {
                    let message = format!("`{}` is hidden: it is no part of the state", place.name);
                    found = Some((message, "declare it without `hidden`"));
                    return;
                }
                _ => return,
            };
            let message = format!("`{what}` is not about a state");
            found =
                Some((message, "the condition may be about variables, channels and where processes stand"));
        });
        found
    }
}
