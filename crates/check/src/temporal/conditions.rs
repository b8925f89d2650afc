//! The conditions that the automaton of a property speaks of, each once.

use panoptes_exec::{CONDITIONS_MAX, Condition};
use panoptes_model::Expr;
use panoptes_source::Span;

#[derive(Default)]
pub(super) struct Conditions {
    pub list: Vec<Condition>,
    /// What tells them apart.
    texts: Vec<String>,
}

impl Conditions {
    /// What they ask.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.list.iter().filter_map(|condition| match condition {
            Condition::Holds(expr, _) => Some(expr),
            Condition::Accepting => None,
        })
    }

    /// The number of the condition that the expression is not zero; none if there are too many.
    pub fn number(&mut self, expr: &Expr, span: Span) -> Option<u32> {
        let text = format!("{expr:?}");
        let known = self.texts.iter().position(|known| *known == text);
        let number = known.unwrap_or(self.list.len());
        if number >= CONDITIONS_MAX {
            return None;
        }
        if known.is_none() {
            self.list.push(Condition::Holds(expr.clone(), span));
            self.texts.push(text);
        }
        Some(number as u32)
    }
}
