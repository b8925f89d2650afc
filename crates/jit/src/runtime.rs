//! The code around native code: loads a vector, calls the code of its processes, and sees to it that there is room.

use crate::context::{BAIL, CHUNK, ChannelEntry, Context, StateFn};
use crate::links::ChainState;
use crate::monitor::Watch;
use crate::population::{Populations, Receiver};
use crate::questions::Questions;
use crate::shapes::Shape;
use crate::spawn::Grown;
use panoptes_exec::{Chains, Ending, Patience, Receptions, Successor, Successors};
use panoptes_model::{FrameLayout, ScalarType, StateId};

/// No more bytes than this are set aside for successors that there may be.
const ROOM_MAX: usize = 32 << 20;

/// What is known of a process type.
pub(crate) struct TypeTable {
    pub frame_bytes: u32,
    /// The offset in the frame and the shape of each own channel.
    pub channels: Vec<ChannelEntry>,
    pub states: Vec<StateEntry>,
    /// By control state, the code of its steps, or [`missing`]. At least [`CODES_MIN`], and never moved.
    pub codes: Box<[StateFn]>,
    /// The same for a process that has control.
    pub alones: Box<[StateFn]>,
    /// By control state, what it can do with a message on offer. As many.
    pub acceptors: Box<[Acceptor]>,
    /// By control state, whether a process there could make a step. As many.
    pub answers: Box<[StateFn]>,
}

/// How a control state takes a message on offer.
#[derive(Clone, Copy)]
pub(crate) struct Acceptor {
    pub code: StateFn,
    /// The same for a message of a process that has control.
    pub alone: StateFn,
    /// From which channels it can, as [`channel_bit`]s.
    pub channels: u64,
}

/// Stands for a channel, and for all with higher numbers from some number on.
#[inline]
pub(crate) fn channel_bit(number: u32) -> u64 {
    1 << number.min(63)
}

/// So that a control state of one byte always has its place.
pub(crate) const CODES_MIN: usize = 256;

/// Stands where there is no code: the reference executor must do it.
pub(crate) unsafe extern "C" fn missing(_: *mut Context, _: *const u8, _: u64, _: u32) -> u32 {
    BAIL
}

pub(crate) struct StateEntry {
    /// How often code of each kind was missing, until it is due.
    pub misses: [u32; 4],
    /// Neither compiled nor known to be none of our business.
    pub is_pending: [bool; 4],
    pub end: bool,
    /// Its labels: [`ACCEPTING`], [`PROGRESS`].
    pub labels: u8,
}

pub(crate) const ACCEPTING: u8 = 1;
pub(crate) const PROGRESS: u8 = 2;

/// A control state of a process type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRef {
    pub ty: usize,
    pub state: usize,
}

/// What code of a control state there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its steps, and those with which it takes a message on offer.
    Steps,
    /// Its steps if its process has control.
    Alone,
    /// Those with which it takes a message from a process that has control.
    Accepts,
    /// Whether its process could make a step.
    Asks,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Steps, Kind::Alone, Kind::Accepts, Kind::Asks];
}

/// Code that is to be compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub at: StateRef,
    pub kind: Kind,
}

/// A control state is compiled when its code was missing that often: computing its steps so often costs about as much.
const MISSES_MAX: u32 = 32;

/// What is known of a transition.
pub(crate) struct Rule {
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

/// Room for successors.
#[derive(Clone, Copy, Default)]
pub(crate) struct Room {
    items: usize,
    bytes: usize,
}

#[repr(C)]
pub(crate) struct Runtime {
    /// First, so that its address is that of the runtime.
    pub context: Context,
    pub types: Vec<TypeTable>,
    pub rules: Vec<Rule>,
    pub shapes: Vec<Shape>,
    pub global_channels: Vec<ChannelEntry>,
    pub uses_timeout: bool,
    /// More counts at an end than where processes stand: the reference executor must tell.
    pub judges_ends: bool,
    /// Where processes may wait in vain.
    pub receptions: Option<Receptions>,
    /// Where the fixed parts of every frame are.
    pub layout: FrameLayout,
    /// Where the process count, the last process and the first frame are.
    pub count_at: usize,
    pub last_at: Option<usize>,
    pub frames_at: u32,
    /// Most steps of one control state.
    pub steps_max: usize,
    /// Room for the frame of a process that a step creates.
    pub newborn_bytes: usize,
    /// The vector, which the caller lent for the time of the call, or a copy of a short one.
    pub source: *const u8,
    pub short: [u8; CHUNK],
    /// The vector of a transient configuration.
    pub transient: Vec<u8>,
    /// The vector between the two halves of a rendezvous, with room for whole chunks.
    pub half: Vec<u8>,
    pub populations: Populations,
    pub message: Vec<i32>,
    /// How many bytes of slots there are.
    pub slots_bytes: usize,
    /// What the successors of all processes at hand may take: items, and bytes of slots.
    pub room: Room,
    /// The buffer of the call that is being served.
    pub out: *mut Successors,
    /// Control states to be compiled next.
    pub due: Vec<Unit>,
    pub chains: ChainState,
    /// The trace assertion.
    pub watch: Option<Watch>,
    /// When to give up a long deterministic step.
    pub patience: Patience,
    /// Where everything is behind a step that has created a process and is not done.
    pub grown: Grown,
    pub questions: Questions,
}

impl Runtime {
    /// Takes a vector. False if the model cannot have made it.
    #[inline(always)]
    pub fn load(&mut self, state: &[u8]) -> bool {
        if !self.find_population(state) {
            return false;
        }
        self.source = state.as_ptr();
        if state.len() < CHUNK {
            self.short[..state.len()].copy_from_slice(state);
            self.source = self.short.as_ptr();
        }
        self.context.timeout = 0;
        true
    }

    /// Takes the vector of an item of `out`, behind whose contents its successors are to be written.
    ///
    /// # Safety
    /// `out` is valid for the time of the call, and nobody else holds a reference to it.
    #[inline]
    pub unsafe fn load_item(&mut self, out: *mut Successors, item: &Successor) -> bool {
        // SAFETY: as promised.
        unsafe {
            self.begin(out);
            // A copy, since the buffer may move when it grows.
            let state = (*out).state(item);
            self.transient.clear();
            self.transient.extend_from_slice(state);
            let state: *const [u8] = &raw const *self.transient;
            self.load(&*state)
        }
    }

    /// Finds where the processes and channels of the vector are.
    #[inline(always)]
    fn find_population(&mut self, state: &[u8]) -> bool {
        let count = state[self.count_at];
        self.populations.is_current(count, state) || self.change_population(count, state)
    }

    /// The same for a vector with other processes than the one before it. What depends on the processes alone is set here; all
    /// vectors with the same processes are of one length.
    #[cold]
    fn change_population(&mut self, count: u8, state: &[u8]) -> bool {
        let Runtime { types, global_channels, frames_at, .. } = self;
        if !self.populations.find(count, state, *frames_at, types, global_channels) {
            return false;
        }
        let stride = (state.len() + self.newborn_bytes).next_multiple_of(CHUNK);
        let items = usize::from(count) * self.steps_max;
        self.room = Room { items, bytes: items * stride };
        self.context.message = self.message.as_mut_ptr();
        self.context.stride = stride as u64;
        self.context.last_chunk = state.len().saturating_sub(CHUNK) as u64;
        self.show_population();
        true
    }

    /// Says native code where everything is in the vector that was loaded.
    pub fn show_population(&mut self) {
        let (context, population) = (&mut self.context, self.populations.current());
        context.frames = population.frames.as_ptr();
        context.channels = population.channels.as_ptr();
        context.first_channels = population.first_channels.as_ptr();
        context.process_count = population.frames.len() as u32;
        context.channel_count = population.channels.len() as u32;
        context.vector_bytes = population.vector_bytes as u32;
    }

    /// The vector that was loaded.
    #[inline]
    fn source(&self) -> &[u8] {
        // SAFETY: `source` points to so many bytes that the caller of `successors` lent, or to those of `short`.
        unsafe { std::slice::from_raw_parts(self.source, self.context.vector_bytes as usize) }
    }

    /// Begins to fill a buffer, behind what it holds.
    ///
    /// # Safety
    /// `out` is valid for the time of the call that is being served.
    #[inline(always)]
    pub unsafe fn begin(&mut self, out: *mut Successors) {
        self.out = out;
        // SAFETY: as promised; all items that the list holds are within it.
        unsafe {
            let (items, used) = (&mut (*out).items, (*out).used.next_multiple_of(CHUNK));
            self.context.items = items.as_mut_ptr().add(items.len());
            let slots = (*out).slots(used);
            self.context.slots = slots.as_mut_ptr();
            self.context.out = slots[used..].as_mut_ptr();
            self.slots_bytes = slots.len();
        }
    }

    /// Begins to fill an empty buffer with the successors of all processes at hand, and makes room for them. False if that is so
    /// much that few of the successors can be real: then the reference executor makes room for those that are.
    ///
    /// # Safety
    /// As for [`Self::begin`].
    #[inline(always)]
    unsafe fn begin_all(&mut self, out: *mut Successors) -> bool {
        let Room { items, bytes } = self.room;
        if bytes > ROOM_MAX.min(self.patience.successor_bytes_max) {
            return false;
        }
        self.out = out;
        // SAFETY: as promised.
        unsafe {
            let list = &mut (*out).items;
            debug_assert!(list.is_empty() && (*out).used == 0);
            if list.capacity() < items {
                list.reserve(2 * items);
            }
            self.context.items = list.as_mut_ptr();
            let slots = (*out).slots(bytes);
            self.context.slots = slots.as_mut_ptr();
            self.context.out = slots.as_mut_ptr();
            self.slots_bytes = slots.len();
        }
        true
    }

    /// Makes room, unless that is so much that few of the successors can be real, as above.
    #[inline(always)]
    pub fn may_make_room(&mut self, state_count: usize) -> bool {
        let is_small = state_count * self.steps_max * self.context.stride as usize
            <= ROOM_MAX.min(self.patience.successor_bytes_max);
        if is_small {
            self.make_room(state_count);
        }
        is_small
    }

    /// Makes room for the successors of `state_count` control states more.
    #[inline]
    pub fn make_room(&mut self, state_count: usize) {
        let step_count = state_count * self.steps_max;
        let used = self.item_count();
        let used_bytes = self.context.out as usize - self.context.slots as usize;
        let needed_bytes = used_bytes + step_count * self.context.stride as usize;
        // SAFETY: `out` is the buffer that the caller lent for the time of the call; so many items and bytes were written
        // there. What was written stays.
        unsafe {
            let items = &mut (*self.out).items;
            if used + step_count > items.capacity() {
                items.set_len(used);
                items.reserve(used + 2 * step_count);
                self.context.items = items.as_mut_ptr().add(used);
            }
            if needed_bytes > self.slots_bytes {
                let slots = (*self.out).slots(needed_bytes);
                self.slots_bytes = slots.len();
                self.context.slots = slots.as_mut_ptr();
                self.context.out = slots[used_bytes..].as_mut_ptr();
            }
        }
    }

    /// How many items the list has with those that native code has written.
    #[inline]
    pub fn item_count(&self) -> usize {
        // SAFETY: `out` is the buffer of the call that is being served.
        let first = unsafe { (*self.out).items.as_ptr() };
        (self.context.items as usize - first as usize) / size_of::<Successor>()
    }

    /// Adds what native code has written to the list.
    ///
    /// # Safety
    /// Nobody else holds a reference to the buffer of the call that is being served.
    #[inline(always)]
    pub unsafe fn end(&mut self) {
        // SAFETY: native code has written so many items and bytes.
        unsafe {
            let count = self.item_count();
            (*self.out).items.set_len(count);
            (*self.out).used = self.context.out as usize - self.context.slots as usize;
        }
    }

    /// The successors from that one on, as far as native code has written them.
    ///
    /// # Safety
    /// Nobody else holds a reference to the buffer of the call that is being served.
    pub unsafe fn items_from(&mut self, first: usize) -> &mut [Successor] {
        let count = self.item_count();
        // SAFETY: native code has written so many.
        unsafe {
            (*self.out).items.set_len(count);
            &mut (&mut (*self.out).items)[first..]
        }
    }

    /// The vector in which the sender of a rendezvous has moved and the receiver has not.
    pub fn make_half(&mut self, pid: usize, transition: u32) {
        let bytes = self.context.vector_bytes as usize;
        let room = self.context.stride as usize;
        if self.half.len() < room {
            self.half.resize(room, 0);
        }
        // SAFETY: the source has so many bytes, and is not part of the runtime's own vector.
        unsafe { std::ptr::copy_nonoverlapping(self.source, self.half.as_mut_ptr(), bytes) };
        let mut half = std::mem::take(&mut self.half);
        self.set_half(&mut half, pid, transition);
        self.half = half;
    }

    /// Lets the sender of a rendezvous move in a copy of the vector.
    pub fn set_half(&self, half: &mut [u8], pid: usize, transition: u32) {
        let frame = self.frame(pid) as usize;
        let rule = &self.rules[transition as usize];
        self.layout.set_state(&mut half[frame..], StateId(u32::from(rule.to)));
        for set in &rule.sets {
            let base = if set.is_local { frame } else { 0 };
            set.ty.write(&mut half[base + set.offset as usize..], set.value);
        }
        if let Some(last) = self.last_at {
            half[last] = pid as u8;
        }
    }

    /// Begins to follow the chains behind the items of a buffer: makes room for what native code may write.
    ///
    /// # Safety
    /// `out` is valid for the time of the call that is being served, and so is what `chains` lends.
    #[inline]
    pub unsafe fn begin_chains(&mut self, out: *mut Successors, chains: &mut Chains<'_>) {
        self.chains.begin();
        self.out = out;
        // SAFETY: as promised; what is borrowed ends here.
        unsafe {
            let used = (*out).used.next_multiple_of(CHUNK);
            let slots = (*out).slots(used + self.chains.bytes);
            self.context.slots = slots.as_mut_ptr();
            self.context.out = slots[used..].as_mut_ptr();
            self.slots_bytes = slots.len();
        }
        self.context.closes = chains.closes.as_ptr().cast();
        let has_room = chains.executed.len() >= self.chains.executed.len();
        let executed = if has_room { &mut *chains.executed } else { &mut self.chains.executed };
        self.context.executed = executed.as_mut_ptr();
        self.context.taken = 0;
    }

    /// The code for a process that has control, by where its frame starts in a vector.
    ///
    /// # Safety
    /// There is such a frame in the vector.
    #[inline]
    pub unsafe fn alone(&self, vector: *const u8, base: u64) -> StateFn {
        // SAFETY: as promised.
        unsafe {
            let ty = usize::from(*vector.add(base as usize + FrameLayout::TYPE));
            let state = self.state_at(vector, base as u32) as usize;
            self.types[ty].alones.get(state).copied().unwrap_or(missing)
        }
    }

    #[inline]
    pub fn frame(&self, pid: usize) -> u64 {
        u64::from(self.populations.current().frames[pid])
    }

    /// The control state where a process stands; none if it cannot be.
    #[inline]
    fn at(&self, pid: usize) -> Option<StateRef> {
        let population = self.populations.current();
        let ty = usize::from(population.types[pid]);
        let state = self.layout.state(&self.source()[population.frames[pid] as usize..]).index();
        (state < self.types[ty].states.len()).then_some(StateRef { ty, state })
    }

    #[inline]
    fn entry(&self, at: StateRef) -> &StateEntry {
        &self.types[at.ty].states[at.state]
    }

    pub fn entry_mut(&mut self, at: StateRef) -> &mut StateEntry {
        &mut self.types[at.ty].states[at.state]
    }

    /// Counts that the code of the state where a process stands is missing, if it is.
    #[cold]
    pub fn miss(&mut self, pid: usize) {
        let Some(at) = self.at(pid) else { return };
        self.count_miss(at, Kind::Steps);
    }

    /// Counts that code of a control state is missing.
    pub fn count_miss(&mut self, at: StateRef, kind: Kind) {
        let entry = self.entry_mut(at);
        if entry.is_pending[kind as usize] {
            let misses = &mut entry.misses[kind as usize];
            *misses += 1;
            if *misses == MISSES_MAX {
                self.due.push(Unit { at, kind });
            }
        }
    }

    /// The code that lets a process take a message on offer from such a channel; none if it cannot take any.
    ///
    /// # Safety
    /// The receiver is one of the population at hand.
    #[inline]
    pub unsafe fn acceptor(&self, receiver: Receiver, channel: u64) -> Option<StateFn> {
        // SAFETY: the frame lies in the vector, with its fixed parts, and the table is as long as it is said.
        unsafe {
            let state = self.state_in(receiver.frame);
            if state >= receiver.acceptor_count {
                return Some(missing);
            }
            let acceptor = &*receiver.acceptors.add(state as usize);
            (acceptor.channels & channel != 0).then_some(acceptor.code)
        }
    }

    /// The code for the state where a process stands, and where its frame starts.
    ///
    /// # Safety
    /// There is such a process in the vector that was loaded.
    #[inline(always)]
    unsafe fn code(&self, pid: usize) -> (StateFn, u64) {
        // SAFETY: the frame lies in the vector, with its fixed parts, and the table is as long as it is said.
        unsafe {
            let home = *self.populations.current().homes.get_unchecked(pid);
            let state = self.state_in(home.frame);
            let code = if state < home.code_count { *home.codes.add(state as usize) } else { missing };
            (code, u64::from(home.frame))
        }
    }

    /// The control state in a frame.
    ///
    /// # Safety
    /// There is such a frame in the vector that was loaded.
    #[inline(always)]
    unsafe fn state_in(&self, frame: u32) -> u32 {
        // SAFETY: as promised.
        unsafe { self.state_at(self.source, frame) }
    }

    /// The control state in a frame of a vector.
    ///
    /// # Safety
    /// There is such a frame in the vector.
    #[inline(always)]
    pub unsafe fn state_at(&self, vector: *const u8, frame: u32) -> u32 {
        // SAFETY: a frame lies in the vector with its fixed parts.
        unsafe {
            let at = vector.add(frame as usize + self.layout.state_at());
            if self.layout.short_state {
                u32::from(*at)
            } else {
                u32::from(at.cast::<u16>().read_unaligned())
            }
        }
    }

    /// Lists the processes that wait in vain; false if the reference executor must tell.
    fn find_stuck(&self, receptions: &Receptions, out: &mut Successors) -> bool {
        let mut is_certain = true;
        receptions.look(self.source(), &mut out.stuck, |_, _| {
            is_certain = false;
            true
        });
        is_certain
    }

    fn may_end(&self) -> bool {
        let count = self.context.process_count as usize;
        (0..count).all(|pid| self.at(pid).is_some_and(|at| self.entry(at).end))
    }
}

/// Lists the successors of a configuration; false if the reference executor must do it.
///
/// # Safety
/// The runtime is valid, its code is there, and nobody else holds a reference to it or to `out`.
pub(crate) unsafe fn successors(
    runtime: *mut Runtime,
    state: &[u8],
    control: Option<u8>,
    out: *mut Successors,
) -> bool {
    // SAFETY: every reference to the runtime ends before native code is called.
    unsafe {
        (*out).clear();
        if !(*runtime).load(state) {
            return false;
        }
        if let Some(pid) = control {
            (*runtime).begin(out);
            if !pass_alone(runtime, usize::from(pid)) {
                return false;
            }
        } else {
            if !(*runtime).begin_all(out) || !pass(runtime) {
                return false;
            }
            if (*runtime).uses_timeout && (*runtime).item_count() == 0 {
                (*runtime).context.timeout = 1;
                if !pass(runtime) {
                    return false;
                }
            }
        }
        (*runtime).end();
        if !(*out).items.is_empty() {
            if let (Some(receptions), None) = (&(*runtime).receptions, control) {
                return (*runtime).find_stuck(receptions, &mut *out);
            }
        } else if control.is_some() {
            (*out).ending = Ending::LetGo;
        } else if (*runtime).judges_ends {
            return false;
        } else {
            (*out).ending = if (*runtime).may_end() { Ending::Valid } else { Ending::Deadlock };
        }
        true
    }
}

/// Tries every process once, the youngest first. There is room for what they do.
///
/// # Safety
/// As for [`successors`].
#[inline(always)]
unsafe fn pass(runtime: *mut Runtime) -> bool {
    // SAFETY: as above.
    unsafe {
        let count = (*runtime).context.process_count as usize;
        if (*runtime).questions.uses_priorities {
            (*runtime).begin_questions();
        }
        if let Some(code) = (*runtime).populations.current().code {
            if code(runtime.cast(), (*runtime).source) == BAIL {
                (0..count).for_each(|pid| (*runtime).miss(pid));
                return false;
            }
            return true;
        }
        (*runtime).populations.count_call();
        (0..count).rev().all(|pid| try_process(runtime, pid))
    }
}

/// Tries the process that has control.
///
/// # Safety
/// As for [`successors`].
#[inline]
pub(crate) unsafe fn pass_alone(runtime: *mut Runtime, pid: usize) -> bool {
    // SAFETY: as above.
    unsafe {
        if pid >= (*runtime).context.process_count as usize {
            return false;
        }
        if !(*runtime).may_make_room(1) {
            return false;
        }
        if (*runtime).questions.uses_priorities {
            (*runtime).begin_questions();
        }
        try_process(runtime, pid)
    }
}

/// # Safety
/// As for [`successors`], and there is such a process.
#[inline(always)]
unsafe fn try_process(runtime: *mut Runtime, pid: usize) -> bool {
    // SAFETY: as above.
    unsafe {
        let (code, frame) = (*runtime).code(pid);
        if code(runtime.cast(), (*runtime).source, frame, pid as u32) == BAIL {
            (0..=pid).for_each(|pid| (*runtime).miss(pid));
            return false;
        }
        true
    }
}
