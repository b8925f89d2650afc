//! What native code calls back for: rare or long work, written in Rust.

use crate::action::BUDGET;
use crate::context::{BAIL, Context, SORTED_AT};
use crate::monitor::observe_offer;
use crate::population::Receiver;
use crate::runtime::{Runtime, channel_bit};
use cranelift_codegen::ir::{AbiParam, Signature, Type, types::I32, types::I64};
use cranelift_codegen::isa::CallConv;
use panoptes_model::{FrameLayout, TransId};

/// How native code calls each helper.
pub(crate) struct Signatures {
    pub pid_of: Signature,
    pub labelled: Signature,
    /// Of what is given nothing but the context.
    pub refill: Signature,
    pub remove: Signature,
    pub insert: Signature,
    pub rendezvous: Signature,
    /// Of the same for a process that has control, and of what lists an end.
    pub rendezvous_alone: Signature,
    pub end: Signature,
    pub observe: Signature,
    pub enabled: Signature,
    pub may_run: Signature,
    pub grow: Signature,
    /// Of the code of a control state.
    pub state: Signature,
}

impl Signatures {
    pub fn new(convention: CallConv) -> Signatures {
        let signature = |params: &[Type]| {
            let mut signature = Signature::new(convention);
            signature.params.extend(params.iter().map(|ty| AbiParam::new(*ty)));
            signature.returns.push(AbiParam::new(I32));
            signature
        };
        Signatures {
            pid_of: signature(&[I64, I64, I32]),
            labelled: signature(&[I64, I64, I32]),
            refill: signature(&[I64]),
            remove: signature(&[I64, I32, I32, I32]),
            insert: signature(&[I64, I64, I32]),
            rendezvous: signature(&[I64, I32, I32]),
            rendezvous_alone: signature(&[I64, I64, I32, I32]),
            end: signature(&[I64, I64, I32, I32]),
            observe: signature(&[I64, I64, I32, I32]),
            enabled: signature(&[I64, I64, I32]),
            may_run: signature(&[I64, I64, I32, I32]),
            grow: signature(&[I64, I32]),
            state: signature(&[I64, I64, I64, I32]),
        }
    }
}

/// The number of the oldest process of a type, or -1.
///
/// # Safety
/// `context` and `vector` are those that native code was given.
pub(crate) unsafe extern "C" fn pid_of(context: *mut Context, vector: *const u8, ty: u32) -> i32 {
    // SAFETY: the context is valid while native code runs, and its frames lie inside the vector.
    unsafe {
        let count = (*context).process_count as usize;
        let frame = |pid: usize| *(*context).frames.add(pid) as usize;
        let found = (0..count).find(|pid| u32::from(*vector.add(frame(*pid) + FrameLayout::TYPE)) == ty);
        found.map_or(-1, |pid| pid as i32)
    }
}

/// Does some process stand at a control state with one of these labels?
///
/// # Safety
/// `context` and `vector` are those that native code was given.
pub(crate) unsafe extern "C" fn labelled(context: *mut Context, vector: *const u8, labels: u32) -> u32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs, and only tables are borrowed that
    // nothing changes; the frames lie inside the vector.
    unsafe {
        let runtime = &*context.cast::<Runtime>();
        let is_labelled = |pid: usize| {
            let frame = *(*context).frames.add(pid);
            let ty = usize::from(*vector.add(frame as usize + FrameLayout::TYPE));
            let entry = runtime.types[ty].states.get(runtime.state_at(vector, frame) as usize);
            entry.is_some_and(|entry| u32::from(entry.labels) & labels != 0)
        };
        (0..(*context).process_count as usize).any(is_labelled).into()
    }
}

/// Statements that the blocks of a transition may go on with when they have taken [`BUDGET`] more; none to give up. The
/// reference executor then decides, which counts exactly.
///
/// # Safety
/// `context` is the one that native code was given.
pub(crate) unsafe extern "C" fn refill(context: *mut Context) -> i32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs; the reference to its
    // patience ends here, and native code does not know that field.
    unsafe {
        (*context).refills += 1;
        let patience = &(*context.cast::<Runtime>()).patience;
        // The jump that used the budget up may have taken as much again.
        let most = 2 * BUDGET as u64 * (u64::from((*context).refills) + 1);
        if most > patience.statements_max || patience.is_over() { 0 } else { BUDGET }
    }
}

/// Takes the message in `slot` out of `total` bytes of slots, `size` each.
///
/// # Safety
/// `slots` points to the slots of such a channel.
pub(crate) unsafe extern "C" fn remove(slots: *mut u8, slot: u32, size: u32, total: u32) -> u32 {
    // SAFETY: the caller promises the slots; nobody else looks at them now.
    let slots = unsafe { std::slice::from_raw_parts_mut(slots, total as usize) };
    let (start, size) = (slot as usize * size as usize, size as usize);
    slots.copy_within(start + size.., start);
    let end = slots.len();
    slots[end - size..].fill(0);
    0
}

/// Puts the message in the context before the first one that is greater. The caller counts it.
///
/// # Safety
/// `context` is the one that native code was given, `channel` points to a channel of that shape that is not full.
pub(crate) unsafe extern "C" fn insert(context: *mut Context, channel: *mut u8, shape: u32) -> u32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs; only the shapes are
    // borrowed, and nothing changes them.
    let shapes = unsafe { &(*context.cast::<Runtime>()).shapes };
    let shape = &shapes[shape as usize];
    let size = shape.message_bytes();
    // SAFETY: the caller promises the channel, and the context's message has room for all fields of any shape.
    let (len, slots, values) = unsafe {
        let bytes = usize::from(shape.capacity) * size;
        let slots = std::slice::from_raw_parts_mut(channel.add(shape.slots_at()), bytes);
        let len = shape.len_type.read(std::slice::from_raw_parts(channel, shape.slots_at()));
        let values = std::slice::from_raw_parts((*context).message.add(SORTED_AT), shape.fields.len());
        (len as usize, slots, values)
    };
    let is_before = |slot: &usize| {
        let mut at = slot * size;
        for (ty, value) in shape.fields.iter().zip(values) {
            match value.cmp(&ty.read(&slots[at..])) {
                std::cmp::Ordering::Less => return true,
                std::cmp::Ordering::Greater => return false,
                std::cmp::Ordering::Equal => at += ty.bytes(),
            }
        }
        false
    };
    let slot = (0..len).find(is_before).unwrap_or(len);
    let mut at = slot * size;
    slots.copy_within(at..len * size, at + size);
    for (ty, value) in shape.fields.iter().zip(values) {
        ty.write(&mut slots[at..], *value);
        at += ty.bytes();
    }
    0
}

/// Lets every other process take the message on offer. How many successors that gave; -1 to give up.
///
/// # Safety
/// `context` is the one that native code was given.
pub(crate) unsafe extern "C" fn rendezvous(context: *mut Context, pid: u32, transition: u32) -> i32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime; the caller of the native code keeps no reference to the
    // runtime while that runs, and the references made here end before the native calls below.
    unsafe {
        let before = (*runtime).item_count();
        let mut is_half_made = false;
        let channel = channel_bit((*context).offer_channel);
        let receivers: *const [Receiver] = &raw const *(*runtime).populations.current().receivers;
        for receiver in &*receivers {
            if receiver.pid == pid {
                continue;
            }
            let Some(code) = (*runtime).acceptor(*receiver, channel) else { continue };
            if !is_half_made {
                (*runtime).make_half(pid as usize, transition);
                is_half_made = true;
                let bytes = (*context).vector_bytes as usize;
                let half = (*runtime).half.as_mut_ptr();
                if !observe_offer(context, std::slice::from_raw_parts_mut(half, bytes)) {
                    return -1;
                }
            }
            // Room for this receiver, and for the processes that are still to come after the sender.
            (*runtime).make_room(pid as usize + 2);
            if code(context, (*runtime).half.as_ptr(), u64::from(receiver.frame), receiver.pid) == BAIL {
                (*runtime).miss(receiver.pid as usize);
                return -1;
            }
        }
        if !is_half_made {
            return 0;
        }
        let taken = (*runtime).items_from(before);
        for item in &mut *taken {
            item.sender = pid as u8;
            item.sending = TransId(transition);
        }
        let count = taken.len() as i32;
        (*runtime).make_room(pid as usize + 1);
        count
    }
}
