//! What was found, each distinct error kept once with its shortest path.
//!
//! Two faults are the same if kind, place and message are; two deadlocks if the same processes stand at the same
//! control states.

use crate::saved::{Saved, saved};
use crate::trail::Trail;
use crate::{Finding, FindingKind, Limit, Observer, Path};
use panoptes_exec::{Fault, Stuck};
use panoptes_model::{ProcId, StateId};
use panoptes_source::Span;
use panoptes_store::{ImageReader, ImageWriter};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The trails of all errors but the first have no more steps than this in all: beyond, errors have no path.
const TRAIL_STEPS_MAX: usize = 4_000_000;

#[derive(Debug)]
pub(crate) struct Findings {
    errors_max: usize,
    /// Their paths are filled in at the end.
    errors: Vec<Finding>,
    trails: Vec<Option<Trail>>,
    /// How many steps the trails have in all, and what they take.
    trail_steps: usize,
    trail_bytes: usize,
    known: HashMap<Identity, usize>,
    /// Those of processes that wait in vain: such an error is met in many states.
    stuck: HashMap<Stuck, usize>,
    counts: BTreeMap<FindingKind, u64>,
    /// So many of the errors the observer has heard of.
    announced: usize,
    /// What is noted now was met before at the same state, and is not counted again.
    pub is_repeat: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    kind: FindingKind,
    place: Option<(Span, String)>,
    standing: Vec<(ProcId, StateId)>,
}

saved!(Identity { kind, place, standing });

impl Identity {
    fn of(fault: &Fault) -> Identity {
        let place = Some((fault.span, fault.message.clone()));
        let kind = match fault.kind {
            kind if kind.is_goal() => FindingKind::Witness,
            kind => FindingKind::Fault(kind),
        };
        Identity { kind, place, standing: Vec::new() }
    }
}

impl Findings {
    pub fn new(errors_max: usize) -> Findings {
        Findings {
            errors_max,
            errors: Vec::new(),
            trails: Vec::new(),
            trail_steps: 0,
            trail_bytes: 0,
            known: HashMap::new(),
            stuck: HashMap::new(),
            counts: BTreeMap::new(),
            announced: 0,
            is_repeat: false,
        }
    }

    /// Notes an error at the end of a path of `length` steps; `trail` is called only if that path is to be kept.
    /// Returns the error if it is a new one.
    pub fn fault(&mut self, fault: &Fault, length: usize, trail: impl FnOnce() -> Trail) -> Option<&Finding> {
        self.note(Identity::of(fault), Some(fault), length, trail)
    }

    /// Notes an error whose path a limit does not allow to find; it is about so many steps away.
    pub fn lost(&mut self, fault: &Fault, length: usize, limit: Limit) {
        self.fault(fault, length, Trail::default);
        if let (Some(error), Some(trail)) = (self.errors.last_mut(), self.trails.last_mut()) {
            (error.lost_to, *trail) = (Some(limit), None);
            self.trail_steps -= length;
        }
    }

    /// The paths cannot be found: all errors are lost to that limit.
    pub fn lose_paths(&mut self, limit: Limit) {
        self.errors.iter_mut().for_each(|error| error.lost_to = Some(limit));
        self.trails.fill(None);
    }

    /// The last error noted is a lasso, whose cycle begins after so many steps.
    pub fn set_cycle_start(&mut self, steps: usize) {
        if let Some(error) = self.errors.last_mut() {
            error.cycle_start = Some(steps);
        }
    }

    /// The same for a process that waits in vain; `fault` says it for people.
    pub fn stuck(
        &mut self,
        stuck: Stuck,
        fault: impl FnOnce() -> Fault,
        length: usize,
        trail: impl FnOnce() -> Trail,
    ) -> Option<&Finding> {
        if let Some(index) = self.stuck.get(&stuck) {
            self.note_again(*index, length, trail);
            return None;
        }
        let fault = fault();
        let identity = Identity::of(&fault);
        let known = self.known.get(&identity).copied();
        let index = known.unwrap_or(self.errors.len());
        let found = self.note(identity, Some(&fault), length, trail).is_some();
        if found || known.is_some() {
            self.stuck.insert(stuck, index);
        }
        self.errors.get(index).filter(|_| found)
    }

    /// The same for a deadlock of processes that stand as given.
    pub fn deadlock(
        &mut self,
        standing: Vec<(ProcId, StateId)>,
        length: usize,
        trail: impl FnOnce() -> Trail,
    ) -> Option<&Finding> {
        let identity = Identity { kind: FindingKind::Deadlock, place: None, standing };
        self.note(identity, None, length, trail)
    }

    fn note(
        &mut self,
        identity: Identity,
        fault: Option<&Fault>,
        length: usize,
        trail: impl FnOnce() -> Trail,
    ) -> Option<&Finding> {
        if let Some(index) = self.known.get(&identity) {
            self.note_again(*index, length, trail);
            return None;
        }
        *self.counts.entry(identity.kind).or_default() += u64::from(!self.is_repeat);
        if self.errors.len() >= self.errors_max {
            return None;
        }
        let standing = identity.standing.clone();
        let (kind, fault) = (identity.kind, fault.cloned());
        self.errors.push(Finding {
            kind,
            fault,
            length,
            path: Path::default(),
            lost_to: None,
            standing,
            cycle_start: None,
            count: 1,
        });
        let kept = self.keep(self.errors.len() - 1, length, trail);
        self.trails.push(kept);
        self.known.insert(identity, self.errors.len() - 1);
        self.errors.last()
    }

    fn note_again(&mut self, index: usize, length: usize, trail: impl FnOnce() -> Trail) {
        let error = &mut self.errors[index];
        *self.counts.entry(error.kind).or_default() += u64::from(!self.is_repeat);
        error.count += u64::from(!self.is_repeat);
        if length < error.length {
            let before = error.length;
            error.length = length;
            if let Some(old) = self.trails[index].take() {
                self.trail_steps -= before;
                self.trail_bytes -= old.heap_bytes();
            }
            self.trails[index] = self.keep(index, length, trail);
        }
    }

    /// The trail, unless the others take all the room there is.
    fn keep(&mut self, index: usize, length: usize, trail: impl FnOnce() -> Trail) -> Option<Trail> {
        if index > 0 && self.trail_steps.saturating_add(length) > TRAIL_STEPS_MAX {
            return None;
        }
        let trail = trail();
        self.trail_steps += length;
        self.trail_bytes += trail.heap_bytes();
        Some(trail)
    }

    /// Tells the observer of the errors that are new to it.
    pub fn announce(&mut self, observer: &mut dyn Observer) {
        self.errors[self.announced..].iter().for_each(|error| observer.error(error));
        self.announced = self.errors.len();
    }

    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        self.errors.save(image)?;
        self.trails.save(image)?;
        image.list(self.known.iter(), |image, (identity, index)| {
            identity.save(image)?;
            index.save(image)
        })?;
        image.list(self.stuck.iter(), |image, (stuck, index)| (*stuck, *index).save(image))?;
        image.list(self.counts.iter(), |image, (kind, count)| (*kind, *count).save(image))
    }

    /// Takes over what was saved; nothing was found so far.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        self.errors = Saved::load(image)?;
        self.trails = Saved::load(image)?;
        self.known = Vec::<(Identity, usize)>::load(image)?.into_iter().collect();
        self.stuck = Vec::<(Stuck, usize)>::load(image)?.into_iter().collect();
        self.counts = Vec::<(FindingKind, u64)>::load(image)?.into_iter().collect();
        let kept = || {
            self.errors.iter().zip(&self.trails).filter_map(|(error, trail)| Some((error, trail.as_ref()?)))
        };
        self.trail_steps = kept().map(|(error, _)| error.length).sum();
        self.trail_bytes = kept().map(|(_, trail)| trail.heap_bytes()).sum();
        Ok(())
    }

    /// What the trails take.
    pub fn heap_bytes(&self) -> usize {
        self.trail_bytes
    }

    /// Only the shortest error stays, as if it had been the only one met. Of several, it is the first by [`order`].
    pub fn keep_shortest(&mut self) {
        let Some(index) =
            (0..self.errors.len()).min_by(|one, other| order(&self.errors[*one], &self.errors[*other]))
        else {
            return;
        };
        let shortest = Finding { count: 1, ..self.errors.swap_remove(index) };
        self.known.clear();
        self.stuck.clear();
        self.announced = self.announced.min(1);
        self.counts = BTreeMap::from([(shortest.kind, 1)]);
        self.errors = vec![shortest];
        self.trails = vec![self.trails.swap_remove(index)];
    }

    /// Each distinct error, with its trail if that is kept.
    pub fn noted(&self) -> impl Iterator<Item = (&Finding, Option<&Trail>)> {
        self.errors.iter().zip(self.trails.iter().map(Option::as_ref))
    }

    /// How often errors of each kind were met.
    pub fn counts(&self) -> &BTreeMap<FindingKind, u64> {
        &self.counts
    }

    /// The trails that are kept, each with the length of its path.
    pub fn trails_mut(&mut self) -> impl Iterator<Item = (usize, &mut Trail)> {
        let all = self.errors.iter().zip(&mut self.trails);
        all.filter_map(|(error, trail)| Some((error.length, trail.as_mut()?)))
    }

    /// What one who searched elsewhere noted, and counted.
    pub fn of_another(
        &self,
        noted: &[(Finding, Option<Trail>)],
        counts: &BTreeMap<FindingKind, u64>,
    ) -> Findings {
        let mut other = Findings::new(self.errors_max);
        for (index, (error, trail)) in noted.iter().enumerate() {
            let identity = match &error.fault {
                Some(fault) => Identity::of(fault),
                None => Identity { kind: error.kind, place: None, standing: error.standing.clone() },
            };
            other.known.insert(identity, index);
            other.errors.push(error.clone());
            other.trails.push(trail.clone());
        }
        other.counts = counts.clone();
        other
    }

    /// Adds what another worker found.
    pub fn absorb(&mut self, other: Findings) {
        let Findings { errors, trails, known, counts, .. } = other;
        let mut identities: Vec<(usize, Identity)> = known.into_iter().map(|(key, at)| (at, key)).collect();
        identities.sort_unstable_by_key(|(index, _)| *index);
        // They are counted below.
        self.is_repeat = true;
        for (((_, identity), error), trail) in identities.into_iter().zip(errors).zip(trails) {
            let known = self.known.get(&identity).copied();
            match (known, trail) {
                (Some(index), Some(trail)) => self.note_again(index, error.length, || trail),
                (Some(_), None) => {}
                (None, trail) => {
                    let has_trail = trail.is_some();
                    let trail = || trail.unwrap_or_default();
                    if self.note(identity, error.fault.as_ref(), error.length, trail).is_none() {
                        continue;
                    }
                    let index = self.errors.len() - 1;
                    self.errors[index].count = 0;
                    if !has_trail && self.trails[index].take().is_some() {
                        self.trail_steps -= error.length;
                    }
                }
            }
            let index = known.unwrap_or(self.errors.len() - 1);
            self.errors[index].count += error.count;
        }
        self.is_repeat = false;
        for (kind, count) in counts {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    /// Brings them into an [`order`] that does not tell who found them when. The observer has heard of all or none.
    pub fn sort(&mut self) {
        let mut pairs: Vec<(Finding, Option<Trail>)> =
            self.errors.drain(..).zip(self.trails.drain(..)).collect();
        pairs.sort_by(|(one, _), (other, _)| order(one, other));
        (self.errors, self.trails) = pairs.into_iter().unzip();
        // Nothing is noted any more.
        self.known.clear();
        self.stuck.clear();
    }

    /// The errors with their paths, which `path` makes of their trails, up to that many steps in all, and how often each
    /// kind was met. When `path` meets a limit, there are no more paths.
    pub fn into_parts(
        mut self,
        steps_max: usize,
        mut path: impl FnMut(Trail, usize) -> Result<Path, Limit>,
    ) -> (Vec<Finding>, BTreeMap<FindingKind, u64>) {
        let mut steps = 0;
        let mut limit = None;
        for (index, (error, trail)) in self.errors.iter_mut().zip(self.trails).enumerate() {
            let Some(trail) = trail else { continue };
            if limit.is_some() {
                error.lost_to = limit;
                continue;
            }
            steps += error.length;
            if index > 0 && steps > steps_max {
                break;
            }
            match path(trail, error.length) {
                Ok(path) => {
                    error.path = path;
                    assert_eq!(error.path.len(), error.length, "a trail leads where the search went");
                }
                Err(met) => {
                    error.lost_to = Some(met);
                    limit = Some(met);
                }
            }
        }
        (self.errors, self.counts)
    }
}

/// The shortest first; then steps that go wrong before deadlocks, by kind, by place, and by where the processes stand.
fn order(one: &Finding, other: &Finding) -> Ordering {
    let place = |finding: &Finding| {
        finding.fault.as_ref().map(|fault| (fault.span.file, fault.span.lo, fault.span.hi))
    };
    let message = |finding: &Finding| finding.fault.as_ref().map(|fault| fault.message.clone());
    let rank = |finding: &Finding| (finding.length, finding.fault.is_none(), finding.kind, place(finding));
    rank(one)
        .cmp(&rank(other))
        .then_with(|| message(one).cmp(&message(other)))
        .then_with(|| one.standing.cmp(&other.standing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_exec::{FaultKind, Step};
    use panoptes_model::TransId;

    fn fault(message: &str) -> Fault {
        Fault { kind: FaultKind::Assertion, message: message.into(), span: Span::default() }
    }

    fn path(length: usize) -> Trail {
        let step = Step { pid: 0, transition: TransId(0), partner: None };
        Trail { branches: Vec::new(), steps: std::iter::repeat_n(step, length).collect() }
    }

    #[test]
    fn the_shortest_path_of_each_distinct_error_is_kept() {
        let mut log = Findings::new(10);
        assert!(log.fault(&fault("a"), 5, || path(5)).is_some());
        assert!(log.fault(&fault("a"), 7, || unreachable!()).is_none());
        assert!(log.fault(&fault("a"), 3, || path(3)).is_none());
        assert!(log.fault(&fault("b"), 9, || path(9)).is_some());
        assert!(log.deadlock(vec![(ProcId(0), StateId(1))], 4, || path(4)).is_some());
        assert!(log.deadlock(vec![(ProcId(0), StateId(2))], 4, || path(4)).is_some());
        let (errors, counts) = log.into_parts(usize::MAX, |trail, _| Ok(trail.steps));
        let shown: Vec<_> = errors.iter().map(|e| (e.path.len(), e.count)).collect();
        assert_eq!(shown, [(3, 3), (9, 1), (4, 1), (4, 1)]);
        assert_eq!(counts[&FindingKind::Deadlock], 2);
        assert_eq!(counts[&FindingKind::Fault(FaultKind::Assertion)], 4);
    }

    #[test]
    fn beyond_the_maximum_errors_are_only_counted() {
        let mut log = Findings::new(1);
        log.fault(&fault("a"), 1, || path(1));
        log.fault(&fault("b"), 1, || unreachable!());
        let (errors, counts) = log.into_parts(usize::MAX, |trail, _| Ok(trail.steps));
        assert_eq!(errors.len(), 1);
        assert_eq!(counts.values().sum::<u64>(), 2);
    }

    #[test]
    fn paths_are_made_as_long_as_there_are_steps_left() {
        for (steps_max, expected) in [(9, [4, 5]), (8, [4, 0]), (3, [4, 0])] {
            let mut log = Findings::new(10);
            log.fault(&fault("a"), 4, || path(4));
            log.fault(&fault("b"), 5, || path(5));
            let (errors, _) = log.into_parts(steps_max, |trail, _| Ok(trail.steps));
            let lengths: Vec<usize> = errors.iter().map(|error| error.path.len()).collect();
            assert_eq!(lengths, expected, "the first has its path, others have one up to {steps_max}");
        }
    }
}
