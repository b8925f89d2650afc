//! Rules about what code names in the vector: `place-bounds`, `place-index`, `local-place`, `remote-place`.

use super::Report;
use super::layout::{Bounds, bits};
use super::sites::{Code, Site};
use crate::{Action, Expr, IndexTerm, Model, Pattern, Place, ProcId, ProcessKind, Receive, Region};

pub(super) fn check(model: &Model, sites: &[Site<'_>], report: &mut Report) {
    for site in sites {
        if let Code::Action(action) = site.code {
            match action {
                Action::Assign { place, .. } => check_place(model, place, site.owner, site, report),
                Action::Receive(receive) => bound(model, receive, site, report),
                _ => {}
            }
        }
        site.code.walk(&mut |e| check_expr(model, e, site, report));
    }
}

fn check_expr(model: &Model, e: &Expr, site: &Site<'_>, report: &mut Report) {
    match e {
        Expr::Load(place) => check_place(model, place, site.owner, site, report),
        Expr::Poll(receive) => bound(model, receive, site, report),
        Expr::SelfPid => {
            let message = || format!("{} asks for the executing process", site.name(model));
            report.require(site.owner.is_some(), "local-place", message);
        }
        Expr::Remote { process, place, .. } => {
            let is_process = model.process(*process).kind == ProcessKind::Process;
            let message =
                || format!("{} names {} of {}", site.name(model), place.name, model.process(*process).name);
            report.require(is_process && place.region == Region::Local, "remote-place", message);
            check_place(model, place, Some(*process), site, report);
        }
        _ => {}
    }
}

/// The places that a receive writes to.
fn bound(model: &Model, receive: &Receive, site: &Site<'_>, report: &mut Report) {
    for pattern in &receive.patterns {
        if let Pattern::Bind(place) = pattern {
            check_place(model, place, site.owner, site, report);
        }
    }
}

/// `owner` is the process type in whose frame a local place is.
fn check_place(model: &Model, place: &Place, owner: Option<ProcId>, site: &Site<'_>, report: &mut Report) {
    let name = || format!("{} in {}", place.name, site.name(model));
    bits(place.ty, &name(), report);
    report.require(indices_are_sane(place), "place-index", || format!("a subscript of {}", name()));
    let bounds = match (place.region, owner) {
        (Region::Global, _) => Bounds::global(&model.header),
        (Region::Local, Some(owner)) => Bounds::frame(model.process(owner).frame),
        (Region::Local, None) => return report.add("local-place", name()),
    };
    let start = u64::from(place.offset);
    let range = start..start + reach(&place.indices) + place.ty.bytes() as u64;
    report
        .require(bounds.contain(&range), "place-bounds", || format!("{} can reach bytes {range:?}", name()));
}

/// How far from the offset the largest subscripts lead.
fn reach(indices: &[IndexTerm]) -> u64 {
    indices.iter().map(|term| u64::from(term.len.saturating_sub(1)) * u64::from(term.stride)).sum()
}

/// Sorted by stride, each step is wider than all that the smaller ones can reach.
fn indices_are_sane(place: &Place) -> bool {
    let mut terms: Vec<&IndexTerm> = place.indices.iter().filter(|term| term.len > 1).collect();
    terms.sort_by_key(|term| term.stride);
    let mut inner = place.ty.bytes() as u64;
    let apart = terms.iter().all(|term| {
        let apart = u64::from(term.stride) >= inner;
        inner += u64::from(term.len - 1) * u64::from(term.stride);
        apart
    });
    apart && place.indices.iter().all(|term| term.len > 0)
}
