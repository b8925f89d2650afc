//! The code around native code: finds frames and channels of a vector, calls each process's code, lists the results.

use crate::context::{ALONE, BAIL, CHUNK, ChannelEntry, Context, Record, StateFn};
use crate::shapes::Shape;
use panoptes_exec::{Ending, Step, Successors};
use panoptes_model::{FrameLayout, ScalarType, StateId, TransId};

/// What is known of a process type.
pub(crate) struct TypeTable {
    pub frame_bytes: u32,
    /// The offset in the frame and the shape of each own channel.
    pub channels: Vec<ChannelEntry>,
    pub states: Vec<StateEntry>,
    /// By control state, the code of its steps; none where the reference executor must do it. At least [`CODES_MIN`].
    pub codes: Vec<Option<StateFn>>,
}

/// So that a control state of one byte always has its place.
pub(crate) const CODES_MIN: usize = 256;

pub(crate) struct StateEntry {
    pub accepts: Accepts,
    /// How often code was missing, until it is due.
    pub misses: u32,
    /// Neither compiled nor known to be none of our business.
    pub is_pending: bool,
    pub end: bool,
}

/// A control state of a process type.
#[derive(Clone, Copy)]
pub(crate) struct StateRef {
    pub ty: usize,
    pub state: usize,
}

/// A control state is compiled when its code was missing that often: computing its steps so often costs about as much.
const MISSES_MAX: u32 = 32;

/// What a control state can do with a message on offer.
#[derive(Clone, Copy)]
pub(crate) enum Accepts {
    Nothing,
    Native(StateFn),
    /// The reference executor must tell.
    Unknown,
}

/// What is known of a transition.
pub(crate) struct Rule {
    pub keeps_control: bool,
    pub to: u16,
    /// What the sender in a rendezvous sets: from the start of its frame or not, where, and to what.
    pub sets: Vec<Setting>,
}

/// A constant that is written to a fixed place.
pub(crate) struct Setting {
    pub is_local: bool,
    pub offset: u32,
    pub ty: ScalarType,
    pub value: i32,
}

#[repr(C)]
pub(crate) struct Machine {
    /// First, so that its address is that of the machine.
    pub context: Context,
    pub types: Vec<TypeTable>,
    pub rules: Vec<Rule>,
    pub shapes: Vec<Shape>,
    pub global_channels: Vec<ChannelEntry>,
    pub uses_timeout: bool,
    /// More counts at an end than where processes stand: the reference executor must tell.
    pub judges_ends: bool,
    /// Where the fixed parts of every frame are.
    pub layout: FrameLayout,
    /// Where the process count, the last process and the first frame are.
    pub count_at: usize,
    pub last_at: Option<usize>,
    pub frames_at: u32,
    /// Most steps of one control state.
    pub steps_max: usize,
    /// The vector, rounded up to whole chunks, and the one between the two halves of a rendezvous.
    pub source: Vec<u8>,
    pub half: Vec<u8>,
    pub frames: Vec<u32>,
    /// The types of the processes that `frames` and `channels` are made for.
    pub alive: Vec<u8>,
    /// The control states of each of those processes: the first, and how many.
    pub states: Vec<(*mut StateEntry, usize)>,
    /// Their codes: the first, and how many.
    pub codes: Vec<(*const Option<StateFn>, usize)>,
    pub channels: Vec<ChannelEntry>,
    pub first_channels: Vec<u32>,
    pub records: Vec<Record>,
    pub message: Vec<i32>,
    /// How many bytes of slots there are.
    pub slots_bytes: usize,
    /// The buffer of the call that is being served.
    pub out: *mut Successors,
    /// Control states to be compiled next.
    pub due: Vec<StateRef>,
}

impl Machine {
    /// Takes a vector. False if the model cannot have made it.
    pub fn load(&mut self, state: &[u8]) -> bool {
        let stride = state.len().next_multiple_of(CHUNK);
        if self.source.len() < stride {
            self.source.resize(stride, 0);
            self.half.resize(stride, 0);
        }
        self.source[..state.len()].copy_from_slice(state);
        self.context.stride = stride as u64;
        self.context.vector_bytes = state.len() as u32;
        if !self.is_same_shape(state) && !self.find_frames(state) {
            return false;
        }
        self.context.frames = self.frames.as_ptr();
        self.context.channels = self.channels.as_ptr();
        self.context.first_channels = self.first_channels.as_ptr();
        self.context.message = self.message.as_mut_ptr();
        self.context.process_count = self.frames.len() as u32;
        self.context.channel_count = self.channels.len() as u32;
        self.context.timeout = 0;
        true
    }

    #[inline]
    fn is_same_shape(&self, state: &[u8]) -> bool {
        usize::from(state[self.count_at]) == self.alive.len()
            && self.alive.iter().zip(&self.frames).all(|(ty, frame)| state.get(*frame as usize) == Some(ty))
    }

    fn find_frames(&mut self, state: &[u8]) -> bool {
        self.frames.clear();
        self.alive.clear();
        self.states.clear();
        self.codes.clear();
        self.first_channels.clear();
        self.channels.clear();
        self.channels.extend_from_slice(&self.global_channels);
        let mut at = self.frames_at;
        for _ in 0..state[self.count_at] {
            let Some(ty) = state.get(at as usize + FrameLayout::TYPE) else { return false };
            let Some(table) = self.types.get_mut(usize::from(*ty)) else { return false };
            self.frames.push(at);
            self.alive.push(*ty);
            self.codes.push((table.codes.as_ptr(), table.codes.len()));
            self.states.push((table.states.as_mut_ptr(), table.states.len()));
            self.first_channels.push(self.channels.len() as u32 + 1);
            let entry = |own: &ChannelEntry| ChannelEntry { at: at + own.at, shape: own.shape };
            self.channels.extend(table.channels.iter().map(entry));
            at += table.frame_bytes;
        }
        at as usize == state.len()
    }

    /// Makes room for the successors of `state_count` control states more.
    #[inline]
    pub fn make_room(&mut self, state_count: usize) {
        let used = self.record_count();
        let needed = used + state_count * self.steps_max;
        if needed > self.records.len() {
            self.records.resize(needed * 2, Record::default());
            self.context.records = self.records[used..].as_mut_ptr();
        }
        let stride = self.context.stride as usize;
        if needed * stride > self.slots_bytes {
            // SAFETY: `out` is the buffer that the caller of `successors` lent for the time of the call. What was
            // written there stays.
            let slots = unsafe { (*self.out).slots(needed * stride) };
            self.slots_bytes = slots.len();
            self.context.out = slots[used * stride..].as_mut_ptr();
        }
    }

    /// How many successors native code has recorded.
    #[inline]
    pub fn record_count(&self) -> usize {
        (self.context.records as usize - self.records.as_ptr() as usize) / size_of::<Record>()
    }

    /// Lists what native code has recorded.
    #[inline]
    pub fn list(&self, out: &mut Successors) {
        let stride = self.context.stride as usize;
        for (slot, record) in self.records[..self.record_count()].iter().enumerate() {
            let (pid, sender) = (record.pid as u8, (record.pid >> 8) as u8);
            let transition = TransId(record.transition);
            let step = if record.sending == ALONE {
                Step { pid, transition, partner: None }
            } else {
                Step { pid: sender, transition: TransId(record.sending), partner: Some((pid, transition)) }
            };
            let control = self.rules[transition.index()].keeps_control.then_some(pid);
            let start = slot * stride;
            out.push_slot(step, control, start..start + record.vector_bytes as usize);
        }
    }

    /// The vector in which the sender of a rendezvous has moved and the receiver has not.
    pub fn make_half(&mut self, pid: usize, transition: u32) {
        let bytes = self.context.vector_bytes as usize;
        self.half[..bytes].copy_from_slice(&self.source[..bytes]);
        let rule = &self.rules[transition as usize];
        self.layout.set_state(&mut self.half[self.frames[pid] as usize..], StateId(u32::from(rule.to)));
        for set in &rule.sets {
            let base = if set.is_local { self.frames[pid] as usize } else { 0 };
            set.ty.write(&mut self.half[base + set.offset as usize..], set.value);
        }
        if let Some(last) = self.last_at {
            self.half[last] = pid as u8;
        }
    }

    pub fn frame(&self, pid: usize) -> u64 {
        u64::from(self.frames[pid])
    }

    #[inline]
    fn entry(&self, pid: usize) -> Option<&StateEntry> {
        let state = self.layout.state(&self.source[self.frames[pid] as usize..]).index();
        let (first, count) = self.states[pid];
        // SAFETY: the entries of a type's states stand there, so many, as long as the machine lives.
        (state < count).then(|| unsafe { &*first.add(state) })
    }

    /// The entry of a control state, to be changed.
    pub fn entry_mut(&mut self, at: StateRef) -> &mut StateEntry {
        // The next vector finds the entries of its processes anew.
        self.frames.clear();
        self.alive.clear();
        self.states.clear();
        self.codes.clear();
        &mut self.types[at.ty].states[at.state]
    }

    /// Counts that the code of the state where a process stands is missing.
    #[cold]
    pub fn miss(&mut self, pid: usize) {
        let state = self.layout.state(&self.source[self.frames[pid] as usize..]).index();
        let (first, count) = self.states[pid];
        if state >= count {
            return;
        }
        // SAFETY: the entries of a type's states stand there, so many, and nobody else holds a reference to one.
        let entry = unsafe { &mut *first.add(state) };
        if entry.is_pending {
            entry.misses += 1;
            if entry.misses == MISSES_MAX {
                self.due.push(StateRef { ty: usize::from(self.alive[pid]), state });
            }
        }
    }

    pub fn accepts(&self, pid: usize) -> Accepts {
        self.entry(pid).map_or(Accepts::Unknown, |entry| entry.accepts)
    }

    /// The code for the state where a process stands, and where its frame starts.
    ///
    /// # Safety
    /// There is such a process in the vector that was loaded.
    #[inline(always)]
    unsafe fn code(&self, pid: usize) -> Option<(StateFn, u64)> {
        debug_assert!(pid < self.frames.len() && pid < self.codes.len());
        // SAFETY: every frame lies in the source, with its fixed parts; the codes of its type are as many as it is said.
        unsafe {
            let frame = *self.frames.get_unchecked(pid);
            let at = self.source.as_ptr().add(frame as usize + self.layout.state_at());
            let (first, count) = *self.codes.get_unchecked(pid);
            let state = if self.layout.short_state {
                usize::from(*at)
            } else {
                usize::from(u16::from_le_bytes([*at, *at.add(1)]))
            };
            if state >= count {
                return None;
            }
            Some(((*first.add(state))?, u64::from(frame)))
        }
    }

    fn may_end(&self) -> bool {
        (0..self.frames.len()).all(|pid| self.entry(pid).is_some_and(|entry| entry.end))
    }
}

/// Lists the successors of a configuration; false if the reference executor must do it.
///
/// # Safety
/// The machine is valid, its code is there, and nobody else holds a reference to it or to `out`.
pub(crate) unsafe fn successors(
    machine: *mut Machine,
    state: &[u8],
    control: Option<u8>,
    out: *mut Successors,
) -> bool {
    // SAFETY: every reference to the machine ends before native code is called.
    unsafe {
        (*out).clear();
        (*machine).out = out;
        (*machine).slots_bytes = 0;
        (*machine).context.records = (*machine).records.as_mut_ptr();
        if !(*machine).load(state) || !pass(machine, control) {
            return false;
        }
        if control.is_none() && (*machine).uses_timeout && (*machine).record_count() == 0 {
            (*machine).context.timeout = 1;
            if !pass(machine, None) {
                return false;
            }
        }
        if (*machine).record_count() > 0 {
            (*machine).list(&mut *out);
        } else if control.is_some() {
            (*out).ending = Ending::LetGo;
        } else if (*machine).judges_ends {
            return false;
        } else {
            (*out).ending = if (*machine).may_end() { Ending::Valid } else { Ending::Deadlock };
        }
        true
    }
}

/// Tries every process once, the youngest first, or the one that has control.
///
/// # Safety
/// As for [`successors`].
unsafe fn pass(machine: *mut Machine, control: Option<u8>) -> bool {
    // SAFETY: as above.
    unsafe {
        let all = 0..(*machine).context.process_count as usize;
        let range = control.map_or(all.clone(), |pid| usize::from(pid)..usize::from(pid) + 1);
        if range.end > all.end {
            return false;
        }
        (*machine).make_room(range.len());
        let source = (*machine).source.as_ptr();
        let first = range.start;
        for pid in range.rev() {
            let Some((code, frame)) = (*machine).code(pid) else {
                (first..=pid).for_each(|pid| (*machine).miss(pid));
                return false;
            };
            if code(machine.cast(), source, frame, pid as u32) == BAIL {
                return false;
            }
        }
        true
    }
}
