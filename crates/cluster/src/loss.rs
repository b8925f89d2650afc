//! What a process does when it loses another: it ends at once, and tells whom it lost.
//!
//! The threads of `timely` that send and receive panic when a connection breaks, and other panics follow in destructors, which ends the
//! process with an abort. So the first of these panics ends it in an orderly way. Nothing that was searched could be trusted to be all.

use std::panic::PanicHookInfo;

/// How the names of these threads begin; the number of the process at the other end follows.
const THREADS: [&str; 2] = ["timely:send-", "timely:recv-"];

/// From now on `lost` is called with the number of a process when the connection to it breaks. It should not return.
pub fn exit_when_a_peer_is_lost(lost: impl Fn(Option<usize>) + Send + Sync + 'static) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        let peer = THREADS.iter().find_map(|prefix| name.strip_prefix(prefix));
        match peer {
            Some(number) => lost(number.parse().ok()),
            None => usual(info),
        }
    }));
}
