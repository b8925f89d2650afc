//! What native code of chains calls back for: ends, rendezvous, and steps that may lead a chain back to itself.

use crate::context::{BAIL, CHUNK, Context, FIELDS_MAX, StateFn};
use crate::monitor::observe_offer;
use crate::population::Receiver;
use crate::runtime::{Kind, Runtime, StateRef, channel_bit};
use panoptes_exec::End;
use panoptes_model::FrameLayout;

/// More links than this are not compared one by one.
const LINKS_MAX: usize = 32;

/// So many rendezvous may be under way within one another, each with its message.
pub(crate) const OFFERS_MAX: usize = 8;

/// What the message of each takes.
pub(crate) const MESSAGE_LEN: usize = 2 * FIELDS_MAX;

/// What is known of the chains that are followed.
#[derive(Default)]
pub(crate) struct ChainState {
    /// The ends so far, those of them behind the item at hand, and that item.
    pub ends: Vec<End>,
    pub number: u32,
    pub first: u32,
    /// The configurations behind steps that can close a cycle, on the way to the one at hand: who has control, and the vectors
    /// end to end.
    links: Vec<u8>,
    link_bytes: Vec<u8>,
    /// Chains that came back to themselves.
    pub endless: u64,
    /// Steps to the farthest configuration.
    pub steps_max: u32,
    /// How many rendezvous are under way.
    offers: usize,
    /// Bytes of slots set aside.
    pub bytes: usize,
    /// How often code was missing.
    pub misses: u64,
    /// For those who do not ask what was executed.
    pub executed: Vec<u64>,
}

impl ChainState {
    pub fn new(transitions: usize) -> ChainState {
        ChainState { executed: vec![0; transitions.div_ceil(64)], bytes: 16 << 10, ..ChainState::default() }
    }

    pub fn begin(&mut self) {
        self.ends.clear();
        self.links.clear();
        self.link_bytes.clear();
        (self.endless, self.steps_max, self.offers) = (0, 0, 0);
    }

    /// A configuration that a step which can close a cycle led to.
    pub fn link(&mut self, pid: u8, vector: &[u8]) -> Link {
        if self.links.len() == LINKS_MAX {
            return Link::TooMany;
        }
        // All have one length: their number and kinds of processes are the same.
        let same = |(index, control): (usize, &u8)| {
            *control == pid && self.link_bytes[index * vector.len()..][..vector.len()] == *vector
        };
        if self.links.iter().enumerate().any(same) {
            self.endless += 1;
            return Link::Closes;
        }
        self.links.push(pid);
        self.link_bytes.extend_from_slice(vector);
        Link::IsNew
    }

    pub fn unlink(&mut self, bytes: usize) {
        self.links.pop();
        self.link_bytes.truncate(self.links.len() * bytes);
    }
}

pub(crate) enum Link {
    IsNew,
    /// The chain has come back to itself.
    Closes,
    TooMany,
}

/// Lists a state at the end of a chain.
///
/// # Safety
/// `context` is the one that native code was given, and `vector` is a slot of so many bytes.
pub(crate) unsafe extern "C" fn end(
    context: *mut Context,
    vector: *const u8,
    bytes: u32,
    lets_go: u32,
) -> u32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs; native code does not know
    // the part that is borrowed here.
    unsafe {
        let start = (vector as usize - (*context).slots as usize) as u32;
        let (depth, lets_go) = ((*context).depth, lets_go != 0);
        let chains = &mut (*context.cast::<Runtime>()).chains;
        let entered = if lets_go { depth } else { depth - 1 };
        chains.steps_max = chains.steps_max.max(entered);
        let (step, number) = (chains.first, chains.number);
        chains.number += 1;
        chains.ends.push(End { start, bytes, step, number, steps: depth, lets_go });
    }
    0
}

/// Goes on from a configuration that may have been in the chain before.
///
/// # Safety
/// As for the code of a control state that has control.
pub(crate) unsafe extern "C" fn linked(context: *mut Context, vector: *const u8, base: u64, pid: u32) -> u32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime; no reference to it is held while native code runs.
    unsafe {
        let bytes = (*context).vector_bytes as usize;
        match (*runtime).chains.link(pid as u8, std::slice::from_raw_parts(vector, bytes)) {
            Link::IsNew => {}
            Link::Closes => {
                let entered = (*context).depth - 1;
                (*runtime).chains.steps_max = (*runtime).chains.steps_max.max(entered);
                return 0;
            }
            Link::TooMany => return BAIL,
        }
        let code = (*runtime).alone(vector, base);
        let answer = code(context, vector, base, pid);
        (*runtime).chains.unlink(bytes);
        answer
    }
}

/// Goes on from where a rendezvous led to. The code that accepted the message is not done with it.
///
/// # Safety
/// As for the code of a control state that has control.
pub(crate) unsafe extern "C" fn accepted(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    pid: u32,
) -> u32 {
    // SAFETY: as promised.
    unsafe { with_next_message(context, vector, base, pid, (*context.cast::<Runtime>()).alone(vector, base)) }
}

/// The same, if the chain may have come back to itself.
///
/// # Safety
/// As for the code of a control state that has control.
pub(crate) unsafe extern "C" fn accepted_linked(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    pid: u32,
) -> u32 {
    // SAFETY: as promised.
    unsafe { with_next_message(context, vector, base, pid, linked) }
}

/// # Safety
/// As for the code of a control state that has control.
unsafe fn with_next_message(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    pid: u32,
    code: StateFn,
) -> u32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime; no reference to it is held while native code runs. There is room for
    // so many messages.
    unsafe {
        if (*runtime).chains.offers + 1 == OFFERS_MAX {
            return BAIL;
        }
        let Context { message, offer_channel, offer_count, offer_closes, .. } = *context;
        (*runtime).chains.offers += 1;
        (*context).message = message.add(MESSAGE_LEN);
        let answer = code(context, vector, base, pid);
        (*context).message = message;
        (*runtime).chains.offers -= 1;
        (*context).offer_channel = offer_channel;
        (*context).offer_count = offer_count;
        (*context).offer_closes = offer_closes;
        answer
    }
}

/// Lets every other process take the message on offer by a process that has control, and go on. Whether one did; -1 to give up.
///
/// # Safety
/// `context` and `vector` are those that native code was given.
pub(crate) unsafe extern "C" fn rendezvous(
    context: *mut Context,
    vector: *const u8,
    pid: u32,
    transition: u32,
) -> i32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime; no reference to it is held while native code runs. The population
    // stays the same until then, and the slot for the vector between the halves is set aside before others are asked for.
    unsafe {
        let before = (*context).taken;
        let channel = channel_bit((*context).offer_channel);
        let receivers: *const [Receiver] = &raw const *(*runtime).populations.current().receivers;
        let mut half: *mut u8 = std::ptr::null_mut();
        for receiver in &*receivers {
            if receiver.pid == pid {
                continue;
            }
            let state = (*runtime).state_at(vector, receiver.frame);
            if state >= receiver.acceptor_count {
                return -1;
            }
            let acceptor = &*receiver.acceptors.add(state as usize);
            if acceptor.channels & channel == 0 {
                continue;
            }
            let code = acceptor.alone;
            if half.is_null() {
                if (*context).out > (*context).out_max {
                    return -1;
                }
                half = (*context).out;
                (*context).out = half.add((*context).stride as usize);
                let bytes = (*context).vector_bytes as usize;
                std::ptr::copy_nonoverlapping(vector, half, bytes);
                (*runtime).set_half(std::slice::from_raw_parts_mut(half, bytes), pid as usize, transition);
                if !observe_offer(context, std::slice::from_raw_parts_mut(half, bytes)) {
                    return -1;
                }
                (*context).offer_closes = u32::from(*(*context).closes.add(transition as usize));
            }
            if code(context, half, u64::from(receiver.frame), receiver.pid) == BAIL {
                return -1;
            }
        }
        if (*context).taken == before {
            return 0;
        }
        *(*context).executed.add(transition as usize / 64) |= 1 << (transition % 64);
        1
    }
}

/// Stands where there is no code for a process that has control.
///
/// # Safety
/// As for the code of a control state that has control.
pub(crate) unsafe extern "C" fn missing_alone(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    _: u32,
) -> u32 {
    // SAFETY: the context is the first field of the runtime, and nobody else holds a reference to it.
    unsafe { miss(context.cast(), vector, base, Kind::Alone) }
}

/// Stands where there is no code for a process that takes a message from one that has control.
///
/// # Safety
/// As for the code of a control state.
pub(crate) unsafe extern "C" fn missing_accepts(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    _: u32,
) -> u32 {
    // SAFETY: the context is the first field of the runtime, and nobody else holds a reference to it.
    unsafe { miss(context.cast(), vector, base, Kind::Accepts) }
}

/// # Safety
/// The runtime is valid, and there is a frame at `base` of the vector.
#[cold]
unsafe fn miss(runtime: *mut Runtime, vector: *const u8, base: u64, kind: Kind) -> u32 {
    // SAFETY: as promised.
    unsafe {
        let ty = usize::from(*vector.add(base as usize + FrameLayout::TYPE));
        let state = (*runtime).state_at(vector, base as u32) as usize;
        (*runtime).chains.misses += 1;
        if state < (&(*runtime).types)[ty].states.len() {
            (*runtime).count_miss(StateRef { ty, state }, kind);
        }
    }
    BAIL
}

/// A vector of fewer bytes is copied in one chunk.
pub(crate) const SLOT_BYTES_MIN: usize = CHUNK;
