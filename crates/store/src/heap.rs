//! How the heap treats large blocks.
//!
//! The allocator of the GNU C library takes large blocks straight from the system, but by itself it raises the size from which
//! it does so each time one is freed, up to 32 MiB. From then on the vectors of a search grow by copying, the old block and the
//! new one are there at the same time, and what is freed stays with the process. A search that has to keep within a bound of
//! memory cannot have that: so the size is fixed. A large block then grows without being copied, and is gone when it is freed.

/// Larger blocks come from the system and go back to it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BYTES: i32 = 512 << 10;
/// So much may lie free at the end of the heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FREE_BYTES: i32 = 1 << 20;

/// Fixes the size of blocks that are taken from the system one by one. To be called first, and once; other systems need nothing.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_MMAP_THRESHOLD: i32 = -3;
        // SAFETY: this is the function's declaration in malloc.h, where the two parameters are defined; it may be called
        // at any time. If it refuses a value, all stays as it was.
        unsafe {
            mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
            mallopt(M_TRIM_THRESHOLD, FREE_BYTES);
        }
    }
}
