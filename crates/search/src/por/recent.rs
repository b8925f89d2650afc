//! What was found about processes at their control states, kept while the processes and their futures stay the same.
//!
//! Most of what `standing.rs` and `conflicts.rs` find stays from one state to the next: the types of the processes, where their frames
//! start, and their futures. A *setting* is all of that together. In a setting there is an entry for each process and control state, with the
//! conflicts that were found there, so most states take a few comparisons for each process. The last few settings are kept.

use super::PROCESSES_MAX;
use super::instance::Outlook;
use panoptes_model::{FrameLayout, Model};

/// So many settings are kept; a new one takes the place of the oldest.
const SETTINGS: usize = 8;
/// With more pairs of a process and a control state, only the state at hand is kept.
const ENTRIES_MAX: usize = 1 << 12;
/// In place of conflicts that are not known. No process is in conflict with itself, so no set has all bits.
pub(super) const UNKNOWN: u64 = u64::MAX;

pub(super) struct Recent {
    settings: Vec<Setting>,
    /// That of the state at hand, and the one to be replaced next.
    current: usize,
    oldest: usize,
    /// By process of the state at hand: its entry.
    entries: [u32; PROCESSES_MAX],
    states_max: usize,
    /// The fixed parts of a frame. They are the same for all types.
    fixed: FrameLayout,
}

#[derive(Default)]
struct Setting {
    /// Where the frames of the processes start, and their types.
    frames: Vec<(u32, u8)>,
    /// The number of channels, and the futures of the processes.
    futures: Vec<u32>,
    /// By process and control state, `stride` for each process. If that is 0 there are too many: each process has one entry, for the
    /// state at hand.
    entries: Vec<Entry>,
    stride: usize,
}

#[derive(Clone)]
struct Entry {
    /// [`VOID`] if there is nothing in the entry.
    instance: u32,
    /// The instance has settled bytes, to be compared.
    has_settled: bool,
    concern: u32,
    enabler: u32,
    /// The processes that may do something that matters to the next steps, if the process can move, and if not.
    active: u64,
    waiting: u64,
}

const VOID: u32 = u32::MAX;

/// A process as it was found in a state.
pub(super) struct Found {
    /// The number of its instance, and whether that has settled bytes.
    pub instance: u32,
    pub has_settled: bool,
    pub outlook: Outlook,
}

impl Recent {
    pub fn new(model: &Model) -> Recent {
        Recent {
            settings: Vec::new(),
            current: 0,
            oldest: 0,
            entries: [0; PROCESSES_MAX],
            states_max: model.processes.iter().map(|process| process.states.len()).max().unwrap_or(0),
            fixed: model.processes.first().map_or(FrameLayout::default(), |process| process.frame),
        }
    }

    /// Turns to a state, and tells the conflicts of its processes as far as they are known. False if its setting is not known, or something about
    /// it in this setting. `is_settled` tells whether a process, by its number, is the instance of that number, by its frame.
    #[inline]
    pub fn turn_to(
        &mut self,
        vector: &[u8],
        count: usize,
        active: u64,
        conflicts: &mut [u64; PROCESSES_MAX],
        is_settled: impl Fn(usize, u32, &[u8]) -> bool,
    ) -> bool {
        let Recent { settings, current, entries, fixed, .. } = self;
        let mut is_it = |setting: &Setting| {
            setting.find(vector, count, *fixed, |pid, index, entry, frame| {
                entries[pid] = index as u32;
                conflicts[pid] = entry.conflicts(active >> pid & 1 == 1);
                !entry.has_settled || is_settled(pid, entry.instance, frame)
            })
        };
        if settings.get(*current).is_some_and(&mut is_it) {
            return true;
        }
        match settings.iter().position(is_it) {
            Some(index) => *current = index,
            None => return false,
        }
        true
    }

    /// Turns to a state of which everything was found otherwise.
    pub fn note(
        &mut self,
        vector: &[u8],
        starts: &[u32],
        futures: &[u32],
        found: impl Iterator<Item = Found>,
    ) {
        let frames = starts.iter().map(|start| (*start, vector[*start as usize + FrameLayout::TYPE]));
        let is_it = |setting: &Setting| {
            setting.futures == futures && frames.clone().eq(setting.frames.iter().copied())
        };
        self.current = match self.settings.iter().position(is_it) {
            Some(index) => index,
            None => self.begin(frames, futures),
        };
        let setting = &mut self.settings[self.current];
        for (pid, found) in found.enumerate() {
            let state = self.fixed.state(&vector[starts[pid] as usize..]).index();
            let index = if setting.stride == 0 { pid } else { pid * setting.stride + state };
            self.entries[pid] = index as u32;
            let entry = &mut setting.entries[index];
            if entry.instance != found.instance || setting.stride == 0 {
                *entry = Entry::new(found);
            }
        }
    }

    fn begin(&mut self, frames: impl Iterator<Item = (u32, u8)>, futures: &[u32]) -> usize {
        let index = self.oldest;
        self.oldest = (self.oldest + 1) % SETTINGS;
        if index == self.settings.len() {
            self.settings.push(Setting::default());
        }
        let setting = &mut self.settings[index];
        setting.frames.clear();
        setting.frames.extend(frames);
        setting.futures.clear();
        setting.futures.extend_from_slice(futures);
        let (count, all) = (setting.frames.len(), setting.frames.len() * self.states_max);
        setting.stride = if all <= ENTRIES_MAX { self.states_max } else { 0 };
        setting.entries.clear();
        setting.entries.resize(if all <= ENTRIES_MAX { all } else { count }, Entry::EMPTY);
        index
    }

    /// Of the setting at hand: where the frames of the processes start.
    pub fn starts(&self) -> impl Iterator<Item = usize> {
        self.settings[self.current].frames.iter().map(|(start, _)| *start as usize)
    }

    /// The number of channels, and the futures of the processes.
    pub fn futures(&self) -> &[u32] {
        &self.settings[self.current].futures
    }

    #[inline]
    fn entry(&self, pid: usize) -> &Entry {
        &self.settings[self.current].entries[self.entries[pid] as usize]
    }

    /// The conflicts of all processes, as far as they are known.
    pub fn tell(&self, active: u64, conflicts: &mut [u64; PROCESSES_MAX]) {
        let count = self.settings[self.current].frames.len();
        for (pid, conflicts) in conflicts[..count].iter_mut().enumerate() {
            *conflicts = self.entry(pid).conflicts(active >> pid & 1 == 1);
        }
    }

    /// The concern of a process that can move, or of one that cannot.
    pub fn concern(&self, pid: usize, is_active: bool) -> u32 {
        let entry = self.entry(pid);
        if is_active { entry.concern } else { entry.enabler }
    }

    /// These are the conflicts of `pid` wherever it has this entry.
    pub fn keep(&mut self, pid: usize, is_active: bool, conflicts: u64) {
        let entry = &mut self.settings[self.current].entries[self.entries[pid] as usize];
        *(if is_active { &mut entry.active } else { &mut entry.waiting }) = conflicts;
    }

    pub fn heap_bytes(&self) -> usize {
        self.settings.iter().map(|setting| setting.entries.capacity() * size_of::<Entry>()).sum()
    }
}

impl Setting {
    /// Finds the entries of a state's processes, and takes each of them by number of the process, with the frame. False if it is not
    /// this setting, an entry is empty, or one is not taken.
    #[inline(always)]
    fn find(
        &self,
        vector: &[u8],
        count: usize,
        fixed: FrameLayout,
        mut take: impl FnMut(usize, usize, &Entry, &[u8]) -> bool,
    ) -> bool {
        if self.frames.len() != count || self.stride == 0 {
            return false;
        }
        let mut first = 0;
        for (pid, (start, ty)) in self.frames.iter().enumerate() {
            let Some(frame) = vector.get(*start as usize..) else { return false };
            let index = first + fixed.state(frame).index();
            let Some(entry) = self.entries.get(index) else { return false };
            if frame[FrameLayout::TYPE] != *ty || entry.instance == VOID || !take(pid, index, entry, frame) {
                return false;
            }
            first += self.stride;
        }
        true
    }
}

impl Entry {
    const EMPTY: Entry = Entry {
        instance: VOID,
        has_settled: false,
        concern: 0,
        enabler: 0,
        active: UNKNOWN,
        waiting: UNKNOWN,
    };

    #[inline]
    fn conflicts(&self, is_active: bool) -> u64 {
        if is_active { self.active } else { self.waiting }
    }

    fn new(found: Found) -> Entry {
        let Outlook { concern, enabler, .. } = found.outlook;
        let Found { instance, has_settled, .. } = found;
        Entry { instance, has_settled, concern, enabler, active: UNKNOWN, waiting: UNKNOWN }
    }
}
