//! Invariants: what must hold in every state, given beside the text of the model.

use super::Lowering;
use crate::ast;
use panoptes_model::{Expr, Invariant, Region};
use panoptes_source::Diagnostic;

impl Lowering<'_> {
    pub(super) fn lower_invariant(&mut self, expr: &ast::Expr) {
        let condition = self.condition(expr);
        if let Some((message, help)) = self.not_of_a_state(&condition) {
            self.report(Diagnostic::error(expr.span, message).help(help));
        }
        let span = self.sources.user_span(expr.span);
        let text = self.sources.file(span.file).text.trim().to_string();
        self.model.invariants.push(Invariant { text, condition, span });
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
            let message = format!("`{what}` has no place in an invariant");
            found = Some((message, "an invariant is about variables, channels and where processes stand"));
        });
        found
    }
}
