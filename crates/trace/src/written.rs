//! What the assignments of a step write to, even where they leave the value as it was.

use panoptes_model::{Action, Expr, NamedValue, Place, Region, StateView, Transition};

/// The variables that the rule's assignments name, as they are after the step; where a subscript is more than
/// arithmetic on variables, that one is left out.
pub(crate) fn written(
    rule: &Transition,
    pid: u8,
    before: &StateView<'_>,
    after: &StateView<'_>,
) -> Vec<NamedValue> {
    let one = |action: &Action| match action {
        Action::Assign { place, .. } => {
            let owner = (place.region == Region::Local).then_some(pid);
            after.variable_at(owner, offset(place, pid, before)?)
        }
        _ => None,
    };
    rule.actions.iter().filter_map(one).collect()
}

/// Where the place is in its region.
pub(crate) fn offset(place: &Place, pid: u8, view: &StateView<'_>) -> Option<usize> {
    let mut offset = place.offset as usize;
    for term in &place.indices {
        let index = usize::try_from(value(&term.index, pid, view)?).ok()?;
        if index >= term.len as usize {
            return None;
        }
        offset += index * term.stride as usize;
    }
    Some(offset)
}

pub(crate) fn value(expr: &Expr, pid: u8, view: &StateView<'_>) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::SelfPid => Some(i32::from(pid)),
        Expr::Unary(op, operand) => Some(op.apply(value(operand, pid, view)?)),
        Expr::Binary(op, left, right) => op.apply(value(left, pid, view)?, value(right, pid, view)?),
        Expr::Load(place) => {
            let region = match place.region {
                Region::Global => view.global_bytes(),
                Region::Local => view.process(pid)?.frame_bytes(),
            };
            let bytes = region.get(offset(place, pid, view)?..)?;
            (bytes.len() >= place.ty.bytes()).then(|| place.ty.read(bytes))
        }
        _ => None,
    }
}
