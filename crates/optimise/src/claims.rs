//! Forgets the claims and formulas of a model, for a search that follows none of them: what only they look at then
//! concerns nobody.

use panoptes_model::{Expr, Guard, Model, ProcessKind};

/// The model without claims and formulas. Their automata stay, as all numbers do, but never move.
pub fn without_claims(model: &Model) -> Model {
    let mut rest = model.clone();
    rest.temporal.clear();
    rest.claims.clear();
    for transition in &mut rest.transitions {
        if model.process(transition.process).kind == ProcessKind::Claim {
            transition.guard = Guard::When(Expr::Const(0));
            transition.actions.clear();
        }
    }
    rest
}
