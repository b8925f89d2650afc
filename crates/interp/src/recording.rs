//! The events of one successor, while all of them are computed again.

use panoptes_exec::Event;

/// What happens in the step that is being tried, and what happened in the one that is wanted.
pub(crate) struct Recording {
    /// Its index in the list of successors.
    item: usize,
    events: Vec<Event>,
    pub kept: Vec<Event>,
}

impl Recording {
    pub fn of(item: usize) -> Recording {
        Recording { item, events: Vec::new(), kept: Vec::new() }
    }

    pub fn note(&mut self, event: Event) {
        self.events.push(event);
    }

    pub fn event_count(&self) -> usize {
        self.events.len()
    }

    /// Goes back to where so many events had been noted: what came after them did not happen.
    pub fn take_back(&mut self, count: usize) {
        self.events.truncate(count);
    }

    /// A step becomes the successor with this index.
    pub fn list(&mut self, index: usize) {
        if index == self.item {
            self.kept.clone_from(&self.events);
        }
    }

    /// Is the successor that is wanted among the first so many?
    pub fn is_done(&self, count: usize) -> bool {
        count > self.item
    }
}
