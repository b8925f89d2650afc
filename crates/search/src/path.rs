//! The steps to an error. Paths may have millions of them, of few different kinds, so each takes four bytes.

use panoptes_exec::Step;
use std::collections::HashMap;

/// A path from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Each different step once.
    steps: Vec<Step>,
    /// Which of these is taken, step by step.
    numbers: Vec<u32>,
}

impl Path {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Step> {
        self.numbers.iter().map(|number| self.steps[*number as usize])
    }

    pub fn last(&self) -> Option<Step> {
        self.numbers.last().map(|number| self.steps[*number as usize])
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + self.numbers.capacity() * size_of::<u32>()
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Path {
        let mut builder = PathBuilder::default();
        steps.into_iter().for_each(|step| builder.push(step));
        builder.path
    }
}

/// A path that is being made.
#[derive(Default)]
pub(crate) struct PathBuilder {
    path: Path,
    known: HashMap<Step, u32>,
}

impl PathBuilder {
    pub fn with_capacity(length: usize) -> PathBuilder {
        let path = Path { steps: Vec::new(), numbers: Vec::with_capacity(length) };
        PathBuilder { path, known: HashMap::new() }
    }

    pub fn push(&mut self, step: Step) {
        let Path { steps, numbers } = &mut self.path;
        numbers.push(*self.known.entry(step).or_insert_with(|| {
            steps.push(step);
            steps.len() as u32 - 1
        }));
    }

    pub fn len(&self) -> usize {
        self.path.len()
    }

    pub fn finish(self) -> Path {
        self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panoptes_model::TransId;

    #[test]
    fn a_path_is_its_steps() {
        let step = |number: u32| Step { pid: 1, transition: TransId(number % 7), partner: None };
        let path: Path = (0..100).map(step).collect();
        assert_eq!((path.len(), path.steps.len()), (100, 7));
        assert!(path.iter().eq((0..100).map(step)));
    }
}
