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

    /// Asks the same in another model: there the conditions that are `written` are those `searched`, one by one. The numbers stay.
    pub fn restate(&mut self, written: &[&Expr], searched: &[&Expr]) {
        debug_assert_eq!(written.len(), searched.len(), "optimisation keeps the form of a formula");
        let mut first = vec![true; self.list.len()];
        for (written, searched) in written.iter().zip(searched) {
            let text = format!("{written:?}");
            let Some(number) = self.texts.iter().position(|known| *known == text) else { continue };
            if let Condition::Holds(expr, _) = &mut self.list[number]
                && std::mem::take(&mut first[number])
            {
                expr.clone_from(searched);
            }
        }
        let texts = self.exprs().map(|expr| format!("{expr:?}")).collect();
        self.texts = texts;
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
