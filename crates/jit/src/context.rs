//! What native code and the code around it share: one record of pointers and counters, at fixed offsets.

use panoptes_exec::Successor;
use std::mem::offset_of;

/// Read and written by native code; every field is found by its offset.
#[repr(C)]
pub(crate) struct Context {
    /// The next free slot for a successor's vector.
    pub out: *mut u8,
    /// The first slot.
    pub slots: *mut u8,
    /// The next free item of the list of successors.
    pub items: *mut Successor,
    /// Where each process's frame starts.
    pub frames: *const u32,
    pub channels: *const ChannelEntry,
    /// The number of each process's first own channel.
    pub first_channels: *const u32,
    /// Bytes from one slot to the next: the vector's length, rounded up to whole chunks.
    pub stride: u64,
    /// Where the last chunk of the vector starts: as far from its end as a chunk is long, or at 0.
    pub last_chunk: u64,
    /// The values of the message on offer, then those of a message to be put in order.
    pub message: *mut i32,
    pub process_count: u32,
    pub channel_count: u32,
    pub timeout: u32,
    /// The number of the channel on which a rendezvous is offered.
    pub offer_channel: u32,
    pub offer_count: u32,
    pub vector_bytes: u32,
    /// How often the blocks of the transition at hand used up their budget.
    pub refills: u32,
    /// The conditions that hold, as bits.
    pub held: u64,
    /// Beyond this there is no room for the slot of a configuration of a chain.
    pub out_max: *mut u8,
    /// By transition, whether it can lead a chain back to itself.
    pub closes: *const u8,
    /// By transition, a bit for those that were taken in chains.
    pub executed: *mut u64,
    /// Steps taken in chains.
    pub taken: u32,
    /// How many steps lead from the state to the configuration at hand.
    pub depth: u32,
    /// The rendezvous at hand can lead a chain back to itself.
    pub offer_closes: u32,
    /// The highest priority in the vector that was loaded, if the model has priorities.
    pub priority_max: u32,
}

/// A living channel: where its bytes start and which shape it has.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ChannelEntry {
    pub at: u32,
    pub shape: u32,
}

/// No message of a compiled model has more fields.
pub(crate) const FIELDS_MAX: usize = 256;

/// Where in [`Context::message`] the values of a message to be put in order stand, behind those on offer.
pub(crate) const SORTED_AT: usize = FIELDS_MAX;

/// Vectors are copied in chunks of this size.
pub(crate) const CHUNK: usize = 16;

macro_rules! offsets {
    ($($name:ident = $field:ident;)*) => {
        $(pub(crate) const $name: i32 = offset_of!(Context, $field) as i32;)*
    };
}

offsets! {
    OUT = out;
    SLOTS = slots;
    ITEMS = items;
    FRAMES = frames;
    CHANNELS = channels;
    FIRST_CHANNELS = first_channels;
    STRIDE = stride;
    LAST_CHUNK = last_chunk;
    MESSAGE = message;
    PROCESS_COUNT = process_count;
    CHANNEL_COUNT = channel_count;
    TIMEOUT = timeout;
    OFFER_CHANNEL = offer_channel;
    OFFER_COUNT = offer_count;
    VECTOR_BYTES = vector_bytes;
    REFILLS = refills;
    HELD = held;
    OUT_MAX = out_max;
    CLOSES = closes;
    EXECUTED = executed;
    TAKEN = taken;
    DEPTH = depth;
    OFFER_CLOSES = offer_closes;
    PRIORITY_MAX = priority_max;
}

/// Native code for a control state: its steps from the vector, for the process whose frame starts at `base`.
pub(crate) type StateFn = unsafe extern "C" fn(*mut Context, *const u8, u64, u32) -> u32;

/// Native code that tries all processes of a vector.
pub(crate) type PassFn = unsafe extern "C" fn(*mut Context, *const u8) -> u32;

/// What both answer when the reference executor must decide: a fault, or something rare.
pub(crate) const BAIL: u32 = 1;
