//! The way to an error, from owner to owner.
//!
//! While owners search, the trail of an error is the place of its last state. Afterwards the first owner asks for the way there. Whoever
//! has the state tells the branches to it as far as its own states go, and passes the question on to the owner of the state before.

use super::links::Place;
use super::part::Part;
use super::wire::{Reader, Writer};
use super::{Letter, Team};
use crate::labels::Branch;
use panoptes_store::StateStore;

/// Letters begin with one of these.
const ASK: u64 = 0;
const TELL: u64 = 1;

/// The branches of a way that one owner has, last first, and how many owners were asked before.
type Piece = (u32, Vec<Branch>);

/// The trail that a search remembers of a state.
pub(super) fn trail_to(place: Place) -> Vec<Branch> {
    vec![Branch { step: place.node, end: place.owner as u32 }]
}

/// The state of such a trail.
fn place_of(trail: &[Branch]) -> Option<Place> {
    let [Branch { step, end }] = trail else { return None };
    Some(Place { owner: *end as usize, node: *step })
}

/// Puts the branches from the initial state in the place of those that only tell the last state. All owners take part; the
/// first one has the errors.
pub(super) fn gather<S: StateStore>(part: &mut Part<'_, S>, team: &mut dyn Team) {
    let (number, steps_max) = (part.number, part.program.options.path_steps_max);
    let mut wanted: Vec<&mut Vec<Branch>> = Vec::new();
    if number == 0 {
        let mut steps = 0;
        for (index, (length, trail)) in part.judge.findings.trails_mut().enumerate() {
            steps += length;
            // Others get no path.
            if index == 0 || steps <= steps_max {
                wanted.push(&mut trail.branches);
            } else {
                trail.branches.clear();
            }
        }
    }
    let asks = wanted.iter().zip(0..).filter_map(|(trail, index)| ask(index, 0, place_of(trail)?));
    let letters = asks.collect();
    let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); wanted.len()];
    let links = &part.links;
    team.correspond(letters, &mut |letter| {
        let mut reader = Reader(letter);
        let answer = match reader.number() {
            Some(ASK) => {
                let mut read = || Some((reader.small()?, reader.small()?, reader.small()?));
                let Some((index, hop, mut node)) = read() else { return Vec::new() };
                let mut writer = Writer::default();
                [TELL, u64::from(index), u64::from(hop)].iter().for_each(|number| writer.number(*number));
                let next = loop {
                    let Some((before, branch)) = links.before(node) else { break None };
                    writer.number(u64::from(branch.step));
                    writer.number(u64::from(branch.end));
                    if before.owner != number {
                        break Some(before);
                    }
                    node = before.node;
                };
                let tell = Letter { to: 0, bytes: writer.bytes };
                return next.and_then(|next| ask(index, hop + 1, next)).into_iter().chain([tell]).collect();
            }
            Some(TELL) => (reader.length(), reader.small()),
            _ => return Vec::new(),
        };
        if let (Some(index), Some(hop)) = answer
            && let Some(pieces) = pieces.get_mut(index)
        {
            let mut branches = Vec::new();
            while let (Some(step), Some(end)) = (reader.small(), reader.small()) {
                branches.push(Branch { step, end });
            }
            pieces.push((hop, branches));
        }
        Vec::new()
    });
    for (trail, mut pieces) in wanted.into_iter().zip(pieces) {
        pieces.sort_unstable_by_key(|(hop, _)| *hop);
        *trail = pieces.into_iter().flat_map(|(_, branches)| branches).collect();
        trail.reverse();
    }
}

fn ask(index: u32, hop: u32, place: Place) -> Option<Letter> {
    let mut writer = Writer::default();
    writer.number(ASK);
    [index, hop, place.node].iter().for_each(|number| writer.number(u64::from(*number)));
    Some(Letter { to: place.owner, bytes: writer.bytes })
}
