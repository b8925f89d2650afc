//! Follows chains of transient configurations within native code.
//!
//! The vectors of configurations are slots of the buffer behind those of the state's successors, and the states at the ends stay where
//! they were written. Whatever is out of the ordinary ends it; then the walk over configurations (`walk.rs`) is to be tried.

use crate::alone::TAKEN_MAX;
use crate::context::BAIL;
use crate::links::{Link, SLOT_BYTES_MIN};
use crate::runtime::Runtime;
use panoptes_exec::{Chains, End, Successor, Successors};

/// No more than this is set aside for the configurations of the chains of one state: there are many buffers.
const BYTES_MAX: usize = 1 << 20;

/// Follows the chains behind the successors in `out`. False if that cannot be done; then `out` is what it was.
///
/// # Safety
/// The runtime is valid, its code is there, and nobody else holds a reference to it or to `out`.
pub(crate) unsafe fn follow(runtime: *mut Runtime, out: *mut Successors, chains: &mut Chains<'_>) -> bool {
    // SAFETY: as promised.
    unsafe {
        let (count, used) = ((*out).items.len(), (*out).used);
        (*out).truncate(count);
        loop {
            match follow_natively(runtime, out, chains) {
                Outcome::Done => return true,
                Outcome::NoRoom if (*runtime).chains.bytes < BYTES_MAX => (*runtime).chains.bytes *= 2,
                _ => {
                    (*out).used = used;
                    return false;
                }
            }
        }
    }
}

enum Outcome {
    Done,
    NoRoom,
    GivenUp,
}

/// # Safety
/// As for [`follow`].
unsafe fn follow_natively(runtime: *mut Runtime, out: *mut Successors, chains: &mut Chains<'_>) -> Outcome {
    // SAFETY: as promised; no reference to the runtime or the buffer is held while native code runs, and the buffer has
    // room for whatever that may write, so that it does not move.
    unsafe {
        (*runtime).begin_chains(out, chains);
        let count = (*out).items.len();
        for index in 0..count {
            let item = *(*out).items.as_ptr().add(index);
            if chains.is_chosen.is_some_and(|is_chosen| !is_chosen(&item)) {
                continue;
            }
            if item.control == Successor::NOBODY {
                let Successor { start, bytes, .. } = item;
                let end = End { start, bytes, step: index as u32, number: 0, steps: 1, lets_go: false };
                (*runtime).chains.ends.push(end);
                continue;
            }
            match follow_item(runtime, out, index, &item, chains.closes) {
                Outcome::Done => {}
                outcome => return outcome,
            }
        }
        (*out).used = (*runtime).context.out as usize - (*runtime).context.slots as usize;
        let chains = &mut (*runtime).chains;
        std::mem::swap(&mut (*out).ends, &mut chains.ends);
        (*out).chained = (*runtime).context.taken;
        (*out).endless_chains = chains.endless;
        (*out).chain_steps_max = chains.steps_max;
        Outcome::Done
    }
}

/// Follows the chains behind one item.
///
/// # Safety
/// As for [`follow`].
#[inline(always)]
unsafe fn follow_item(
    runtime: *mut Runtime,
    out: *mut Successors,
    index: usize,
    item: &Successor,
    closes: &[bool],
) -> Outcome {
    // SAFETY: as promised; see above.
    unsafe {
        let state: *const [u8] = (*out).state(item);
        let bytes = item.bytes as usize;
        if !(*runtime).load(&*state) || usize::from(item.control) >= (*runtime).context.process_count as usize
        {
            return Outcome::GivenUp;
        }
        let Runtime { context, slots_bytes, chains, .. } = &mut *runtime;
        debug_assert!(context.stride as usize >= SLOT_BYTES_MIN);
        // Room for whole chunks behind what is in use.
        let Some(last) = slots_bytes.checked_sub(context.stride as usize) else { return Outcome::NoRoom };
        context.out_max = context.slots.add(last);
        if context.out > context.out_max {
            return Outcome::NoRoom;
        }
        let slot = context.out;
        std::ptr::copy_nonoverlapping(state.cast::<u8>(), slot, bytes);
        context.out = slot.add(context.stride as usize);
        context.depth = 1;
        chains.first = index as u32;
        chains.number = 0;
        let is_closing = |id: panoptes_model::TransId| closes[id.index()];
        let is_link =
            is_closing(item.transition) || item.sending != Successor::NONE && is_closing(item.sending);
        if is_link {
            match chains.link(item.control, &*state) {
                Link::IsNew => {}
                Link::Closes | Link::TooMany => return Outcome::GivenUp,
            }
        }
        let base = (*runtime).frame(usize::from(item.control));
        let code = (*runtime).alone(slot, base);
        if code(runtime.cast(), slot, base, u32::from(item.control)) == BAIL {
            (*runtime).context.message = (*runtime).message.as_mut_ptr();
            let is_long = (*runtime).context.taken > TAKEN_MAX as u32;
            let is_full = (*runtime).context.out > (*runtime).context.out_max;
            return if is_full && !is_long { Outcome::NoRoom } else { Outcome::GivenUp };
        }
        if is_link {
            (*runtime).chains.unlink(bytes);
        }
        Outcome::Done
    }
}
